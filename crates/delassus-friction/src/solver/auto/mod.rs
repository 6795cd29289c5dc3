//! The default: start cheap, watch, hand over, end with a certificate
//!
//! 1. `nlgs` with Anderson acceleration. Most steps of a simulation end here.
//! 2. In the plane, `apg` from their point if that is fair and the contacts are many: packings near rest.
//!    Given up when its progress predicts more work than a second-order method.
//! 3. `admm`, when the sweeps still to come (extrapolated from the residuals) would cost
//!    more than factorisations, and one factorisation costs as much as many solves:
//!    stacks and walls, where it needs a dozen iterations. Given up as soon as it is slow.
//! 4. `ipm`, started near the sweeps' point when that is close, from its centre otherwise.
//! 5. If the interior point stalls (the path of a non-monotone problem may fold): sweeps and
//!    `apg` from its point, if that is fair; rounds of sweeps and Newton steps, each started
//!    where the other stopped, and `apg` from nothing, which comes first on large problems;
//!    then `admm` to its own end; then `proximal`.
//!
//! Costs are counted in operations, never in seconds, so that the same problem takes the
//! same path on every machine. Laws without a normal form skip 4 and the Newton steps.

mod watch;

use super::elimination::Plan;
use super::nlgs::MEMORY;
use super::*;
use crate::certificate;
use watch::{Costs, PER_CONTACT, PER_OPERATION, Trial, USUAL_IPM, Watch, asked_or, suits_admm};

/// Sweeps between two looks.
const LOOK: usize = 20;
/// Sweeps that cost as much as one gradient.
const GRADIENT: f64 = 1.7;
/// Contacts in the plane from which gradients are tried after the sweeps.
const MANY: usize = 1500;
/// Iterations before a trial is judged: alternating directions, and gradients, whose
/// momentum takes time to build.
const QUICK_LOOK: usize = 20;
const PATIENT_LOOK: usize = 200;
/// Below this residual the sweeps' point is a good start for the interior point.
const CLOSE: f64 = 1e-5;
/// Iterations in which an interior point must halve its gap or its residual: others may be faster.
const HALVING: usize = 15;
/// Contacts in space from which a rescue starts with cheap iterations.
const LARGE: usize = 2000;
/// Sweeps that smooth the point of a second-order step.
const FEW_SWEEPS: usize = 100;
/// Residual below which gradients start from the best point.
const FAIR: f64 = 1e-3;
/// Gradients that a rescue may need, by their own slope after so many: more take longer than what follows.
const MOST_GRADIENTS: f64 = 20_000.0;
const LATE_LOOK: usize = 3000;
/// Rounds of sweeps and Newton steps.
const ROUNDS: usize = 3;

/// The solver that chooses.
pub struct Auto {
    tolerance: f64,
    limit: Option<usize>,
    order: Order,
}

/// The point with the smallest residual, and the story.
struct Journey<'a, const D: usize> {
    problem: &'a Problem<D>,
    s: &'a mut [Vector<D>],
    best: Vec<Vector<D>>,
    u: Vec<Vector<D>>,
    residual: f64,
    log: Vec<Event>,
}

impl<const D: usize> Journey<'_, D> {
    /// Takes note of what a solver did to `s`; keeps the better point in both places.
    fn note(&mut self, solver: &'static str, iterations: usize, reason: &str) {
        self.problem.velocities(self.s, &mut self.u);
        let residual = certificate::relative(self.problem, self.s, &self.u);
        if residual < self.residual {
            self.residual = residual;
            self.best.copy_from_slice(self.s);
        } else {
            self.s.copy_from_slice(&self.best);
        }
        self.log.push(Event { solver, iterations, residual, reason: reason.into() });
    }
}

impl Auto {
    /// Takes tolerance, limit and sweep order from the settings.
    pub fn new(settings: &Settings) -> Self {
        Self { tolerance: settings.tolerance, limit: settings.max_iterations, order: settings.order }
    }

    /// Solves in place; returns why it stopped and what was done.
    pub fn run<const D: usize>(
        &self,
        problem: &Problem<D>,
        s: &mut [Vector<D>],
        monitor: &mut dyn Monitor,
    ) -> Result<(Stop, Vec<Event>), Error> {
        let best = s.to_vec();
        let mut u = problem.zero();
        problem.velocities(s, &mut u);
        let residual = certificate::relative(problem, s, &u);
        let mut journey = Journey { problem, s, best, u, residual, log: vec![] };
        let stop = self.travel(&mut journey, monitor)?;
        Ok((stop, journey.log))
    }

    fn travel<const D: usize>(&self, journey: &mut Journey<D>, monitor: &mut dyn Monitor) -> Result<Stop, Error> {
        let problem = journey.problem;
        let mut nlgs = Nlgs::new(problem, self.sweeps(MEMORY, self.limit.unwrap_or(100_000)))?;
        let costs = Costs::new(problem);
        let mut watch = Watch { costs, tolerance: self.tolerance, monitor, seen: vec![], asked: false, slow: false };
        let outcome = nlgs.run(problem, journey.s, &mut watch);
        let Watch { costs, asked, slow, .. } = watch;
        let sweep = costs.sweep();
        let reason = match outcome.stop {
            Stop::Tolerance => "cheap sweeps come first, and sufficed",
            _ if slow => "cheap sweeps come first; too many more would be needed",
            _ => "cheap sweeps come first",
        };
        if let Some(stop) = self.after(journey, "nlgs-anderson", asked_or(outcome, asked), reason) {
            return Ok(stop);
        }
        let plan = costs.into_plan(problem);
        if let Some(stop) = self.descent(journey, &plan, sweep, monitor)? {
            return Ok(stop);
        }
        if let Some(stop) = self.stacks(journey, &plan, monitor)? {
            return Ok(stop);
        }
        if let Some(stop) = self.interior_point(journey, &plan, monitor)? {
            return Ok(stop);
        }
        self.rescue(journey, &plan, monitor)
    }

    /// Takes note of a leg; the journey ends when the tolerance is met or the monitor asks.
    fn after<const D: usize>(
        &self,
        journey: &mut Journey<D>,
        solver: &'static str,
        outcome: Outcome,
        reason: &str,
    ) -> Option<Stop> {
        journey.note(solver, outcome.iterations, reason);
        match journey.residual <= self.tolerance {
            true => Some(Stop::Tolerance),
            false => (outcome.stop == Stop::Asked).then_some(Stop::Asked),
        }
    }

    fn sweeps(&self, acceleration: usize, max_iterations: usize) -> NlgsSettings {
        NlgsSettings {
            tolerance: self.tolerance,
            order: self.order,
            acceleration,
            max_iterations,
            check_every: LOOK,
            ..Default::default()
        }
    }

    /// Gradients from the point of the sweeps: in packings near rest their momentum carries
    /// forces through many grains, which sweeps do grain by grain.
    fn descent<const D: usize>(
        &self,
        journey: &mut Journey<D>,
        plan: &Plan,
        sweep: f64,
        monitor: &mut dyn Monitor,
    ) -> Result<Option<Stop>, Error> {
        if D > 2 || journey.residual > FAIR || journey.problem.len() < MANY {
            return Ok(None);
        }
        let second_order = PER_OPERATION * plan.work(D) + PER_CONTACT * journey.problem.len() as f64;
        let budget = 3.0 * USUAL_IPM * second_order / (GRADIENT * sweep);
        let mut trial = Trial::new(budget, PATIENT_LOOK, self.tolerance, monitor);
        let settings = ApgSettings { tolerance: self.tolerance, ..Default::default() };
        let outcome = Apg::new(journey.problem, settings)?.run(journey.problem, journey.s, &mut trial);
        let outcome = asked_or(outcome, trial.asked);
        Ok(self.after(journey, "apg", outcome, "momentum, from the point of the sweeps"))
    }

    /// Alternating directions where one factorisation costs as much as many solves.
    fn stacks<const D: usize>(
        &self,
        journey: &mut Journey<D>,
        plan: &Plan,
        monitor: &mut dyn Monitor,
    ) -> Result<Option<Stop>, Error> {
        if !suits_admm(plan, D) {
            return Ok(None);
        }
        let problem = journey.problem;
        let settings = AdmmSettings { tolerance: self.tolerance, ..Default::default() };
        let mut admm = Admm::with_plan(problem, settings, plan)?;
        let budget = USUAL_IPM * PER_OPERATION * plan.work(D) / plan.entries(D);
        // A poor point of the sweeps misleads the multipliers: start from nothing.
        if journey.residual > CLOSE {
            journey.s.fill(Vector::zeros());
        }
        let mut trial = Trial::new(budget, QUICK_LOOK, self.tolerance, monitor);
        let outcome = admm.run(problem, journey.s, &mut trial);
        let outcome = asked_or(outcome, trial.asked);
        Ok(self.after(journey, "admm", outcome, "one factorisation costs as much as many solves"))
    }

    fn interior_point<const D: usize>(
        &self,
        journey: &mut Journey<D>,
        plan: &Plan,
        monitor: &mut dyn Monitor,
    ) -> Result<Option<Stop>, Error> {
        let problem = journey.problem;
        let near = (journey.residual < CLOSE).then(|| (300.0 * journey.residual).max(1e-3));
        for warm in [near, None] {
            let settings = IpmSettings { tolerance: self.tolerance, warm, halving: HALVING, ..Default::default() };
            let Ok(mut ipm) = Ipm::with_plan(problem, settings, plan) else { return Ok(None) };
            let outcome = ipm.run(problem, journey.s, monitor);
            if outcome.stop == Stop::Tolerance {
                self.clean(problem, journey.s)?;
            }
            let reason = match warm {
                Some(_) => "second order, from the point of the sweeps",
                None => "second order, from its own centre",
            };
            if let Some(stop) = self.after(journey, "ipm", outcome, reason) {
                return Ok(Some(stop));
            }
            if near.is_none() {
                break;
            }
        }
        Ok(None)
    }

    /// An interior point leaves dust on open contacts: two sweeps remove it, unless they
    /// spoil the residual.
    fn clean<const D: usize>(&self, problem: &Problem<D>, s: &mut [Vector<D>]) -> Result<(), Error> {
        let before = Certificate::new(problem, s);
        let kept = s.to_vec();
        Nlgs::new(problem, NlgsSettings { tolerance: f64::MIN_POSITIVE, ..self.sweeps(0, 2) })?.run(
            problem,
            s,
            &mut Silent,
        );
        let after = Certificate::new(problem, s);
        if after.relative > self.tolerance || after.fclib_error > before.fclib_error {
            s.copy_from_slice(&kept);
        }
        Ok(())
    }

    /// What follows a stalled second-order step. Cheap iterations come first where a
    /// factorisation is dear.
    fn rescue<const D: usize>(
        &self,
        journey: &mut Journey<D>,
        plan: &Plan,
        monitor: &mut dyn Monitor,
    ) -> Result<Stop, Error> {
        let problem = journey.problem;
        let tolerance = self.tolerance;
        let reason = "the second-order step stalled: sweeps from the best point";
        let outcome = Nlgs::new(problem, self.sweeps(0, FEW_SWEEPS))?.run(problem, journey.s, monitor);
        if let Some(stop) = self.after(journey, "nlgs", outcome, reason) {
            return Ok(stop);
        }
        // A poor point would mislead the momentum of the gradients.
        if journey.residual < FAIR
            && let Some(stop) = self.gradients(journey, monitor, "cheap iterations from a fair point")?
        {
            return Ok(stop);
        }
        // In the plane a factorisation stays cheap.
        let large = D > 2 && problem.len() >= LARGE;
        for gradients in [large, !large] {
            let stop = match gradients {
                true => {
                    journey.s.fill(Vector::zeros());
                    self.gradients(journey, monitor, "cheap iterations from nothing, many of them")?
                }
                false => self.rounds(journey, plan, monitor)?,
            };
            if let Some(stop) = stop {
                return Ok(stop);
            }
        }
        let settings = AdmmSettings { tolerance, ..Default::default() };
        let outcome = Admm::with_plan(problem, settings, plan)?.run(problem, journey.s, monitor);
        if let Some(stop) = self.after(journey, "admm", outcome, "slow and steady") {
            return Ok(stop);
        }
        let settings = ProximalSettings { tolerance, ..Default::default() };
        let Ok(mut proximal) = Proximal::with_analysis(problem, settings, &plan.by_contacts(problem)) else {
            return Ok(outcome.stop);
        };
        let outcome = proximal.run(problem, journey.s, monitor);
        journey.note("proximal", outcome.iterations, "the last resort");
        Ok(outcome.stop)
    }

    /// Accelerated projected gradients.
    fn gradients<const D: usize>(
        &self,
        journey: &mut Journey<D>,
        monitor: &mut dyn Monitor,
        reason: &str,
    ) -> Result<Option<Stop>, Error> {
        let settings = ApgSettings { tolerance: self.tolerance, ..Default::default() };
        let mut trial = Trial::new(MOST_GRADIENTS, LATE_LOOK, self.tolerance, monitor);
        let outcome = Apg::new(journey.problem, settings)?.run(journey.problem, journey.s, &mut trial);
        let outcome = asked_or(outcome, trial.asked);
        Ok(self.after(journey, "apg", outcome, reason))
    }

    /// Rounds of sweeps and Newton steps, each from where the other stopped.
    fn rounds<const D: usize>(
        &self,
        journey: &mut Journey<D>,
        plan: &Plan,
        monitor: &mut dyn Monitor,
    ) -> Result<Option<Stop>, Error> {
        let problem = journey.problem;
        let settings = NewtonSettings { tolerance: self.tolerance, max_iterations: 20, ..Default::default() };
        let mut newton = Newton::with_analysis(problem, settings, &plan.by_contacts(problem)).ok();
        for round in 0..ROUNDS {
            let acceleration = if round % 2 == 0 { MEMORY } else { 0 };
            let outcome = Nlgs::new(problem, self.sweeps(acceleration, 100 << round))?.run(problem, journey.s, monitor);
            if let Some(stop) = self.after(journey, "nlgs", outcome, "sweeps from the best point") {
                return Ok(Some(stop));
            }
            let Some(newton) = &mut newton else { continue };
            let outcome = newton.run(problem, journey.s, monitor);
            if let Some(stop) = self.after(journey, "newton-nm", outcome, "Newton steps from the point of the sweeps") {
                return Ok(Some(stop));
            }
        }
        Ok(None)
    }
}
