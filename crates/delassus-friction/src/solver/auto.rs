//! The default: start cheap, watch, hand over, end with a certificate
//!
//! 1. `nlgs` with Anderson acceleration. Most steps of a simulation end here.
//! 2. `admm`, when the sweeps still to come (extrapolated from the residuals) would cost
//!    more than factorisations, and one factorisation costs as much as many solves:
//!    stacks and walls, where it needs a dozen iterations. Given up as soon as it is slow.
//! 3. `ipm`, started near the sweeps' point when that is close, from its centre otherwise.
//! 4. If the interior point stalls (the path of a non-monotone problem may fold): rounds
//!    of sweeps and Newton steps, each started where the other stopped, and `apg`, whose
//!    iterations are cheap and which comes first on large problems; then `admm` to its own
//!    end; then `proximal`.
//!
//! Costs are counted in operations, never in seconds, so that the same problem takes the
//! same path on every machine. Laws without a normal form skip 3 and the Newton steps.

use super::elimination::Plan;
use super::nlgs::MEMORY;
use super::*;
use crate::certificate;

/// Sweeps before the first look at the cost of the alternatives.
const FIRST_LOOK: usize = 40;
/// Sweeps between two looks.
const LOOK: usize = 20;
/// Iterations an interior point usually takes.
const USUAL_IPM: f64 = 15.0;
/// Iterations alternating directions take where they shine.
const USUAL_ADMM: f64 = 30.0;
/// Nanoseconds of one multiply–add inside a factorisation; one of a solve takes about 1.
const PER_OPERATION: f64 = 0.08;
/// A factorisation must cost this many solves for `admm` to be tried first.
const SOLVES_PER_FACTOR: f64 = 30.0;
/// Below this residual the sweeps' point is a good start for the interior point.
const CLOSE: f64 = 1e-5;
/// Contacts in space from which a rescue starts with cheap iterations.
const LARGE: usize = 2000;
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
        let reason = match outcome.stop {
            Stop::Tolerance => "cheap sweeps come first, and sufficed",
            _ if slow => "cheap sweeps come first; too many more would be needed",
            _ => "cheap sweeps come first",
        };
        if let Some(stop) = self.after(journey, "nlgs-anderson", asked_or(outcome, asked), reason) {
            return Ok(stop);
        }
        let plan = costs.into_plan(problem);
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
        let mut trial = Trial { budget, tolerance: self.tolerance, monitor, seen: vec![], asked: false };
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
            let settings = IpmSettings { tolerance: self.tolerance, warm, ..Default::default() };
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
        // In the plane a factorisation stays cheap.
        let large = D > 2 && problem.len() >= LARGE;
        for gradients in [large, !large] {
            let stop = match gradients {
                true => self.gradients(journey, monitor)?,
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

    /// Accelerated projected gradients from zero.
    fn gradients<const D: usize>(
        &self,
        journey: &mut Journey<D>,
        monitor: &mut dyn Monitor,
    ) -> Result<Option<Stop>, Error> {
        journey.s.fill(Vector::zeros());
        let settings = ApgSettings { tolerance: self.tolerance, ..Default::default() };
        let outcome = Apg::new(journey.problem, settings)?.run(journey.problem, journey.s, monitor);
        Ok(self.after(journey, "apg", outcome, "cheap iterations, many of them"))
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
            let reason = "the second-order step stalled: sweeps from the best point";
            if let Some(stop) = self.after(journey, "nlgs", outcome, reason) {
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

/// A watcher that ends a leg by itself hides whether its own monitor asked.
fn asked_or(outcome: Outcome, asked: bool) -> Outcome {
    match (asked, outcome.stop) {
        (true, _) => Outcome { stop: Stop::Asked, ..outcome },
        (false, Stop::Asked) => Outcome { stop: Stop::Stalled, ..outcome },
        _ => outcome,
    }
}

fn suits_admm(plan: &Plan, d: usize) -> bool {
    plan.work(d) > SOLVES_PER_FACTOR * plan.entries(d)
}

/// Accelerated residuals are not monotone: the smallest so far counts.
fn see(seen: &mut Vec<(usize, f64)>, progress: &Progress) {
    let least = seen.last().map_or(f64::INFINITY, |s| s.1).min(progress.residual);
    seen.push((progress.iteration, least));
}

/// Iterations still needed if the residual falls as it did from the beginning, or as in
/// the last half of what was seen: the slower of the two.
fn remaining(seen: &[(usize, f64)], tolerance: f64) -> f64 {
    let (Some(&last), Some(&first)) = (seen.last(), seen.first()) else {
        return f64::INFINITY;
    };
    let to_go = (last.1 / tolerance).log10();
    let since = |start: (usize, f64)| {
        let decades = (start.1 / last.1).log10();
        // Written so that no progress gives infinity, not a NaN.
        if decades > 0.0 { to_go / decades * (last.0 - start.0).max(1) as f64 } else { f64::INFINITY }
    };
    since(first).max(since(seen[seen.len() / 2]))
}

/// Costs of the alternatives, in nanoseconds of a typical core; the elimination is
/// planned only when the comparison needs it.
struct Costs<'a, const D: usize> {
    problem: &'a Problem<D>,
    plan: Option<Plan>,
}

impl<'a, const D: usize> Costs<'a, D> {
    fn new(problem: &'a Problem<D>) -> Self {
        Self { problem, plan: None }
    }

    fn sweep(&self) -> f64 {
        let contact = match D {
            2 => 30.0,
            3 => 80.0,
            _ => 1500.0,
        };
        contact * self.problem.len() as f64 + 1.1 * (D * D) as f64 * self.problem.w().blocks() as f64
    }

    /// Is an interior point, or a short run of alternating directions, cheaper than this?
    fn alternative_beats(&mut self, cost: f64) -> bool {
        let contacts = USUAL_IPM * 600.0 * self.problem.len() as f64;
        let (n, blocks) = (self.problem.len() as f64, self.problem.w().blocks() as f64);
        let products = USUAL_ADMM * (500.0 * n + 1.1 * (D * D) as f64 * blocks);
        if cost <= contacts.min(products) {
            return false;
        }
        let plan = self.plan.get_or_insert_with(|| Plan::new(self.problem));
        let (work, entries) = (plan.work(D), plan.entries(D));
        let admm = products + PER_OPERATION * work + USUAL_ADMM * entries;
        cost > contacts + USUAL_IPM * PER_OPERATION * work || (suits_admm(plan, D) && cost > admm)
    }

    fn into_plan(self, problem: &Problem<D>) -> Plan {
        self.plan.unwrap_or_else(|| Plan::new(problem))
    }
}

/// Watches the sweeps and ends them when something else would be cheaper.
struct Watch<'a, const D: usize> {
    costs: Costs<'a, D>,
    tolerance: f64,
    monitor: &'a mut dyn Monitor,
    seen: Vec<(usize, f64)>,
    asked: bool,
    slow: bool,
}

impl<const D: usize> Monitor for Watch<'_, D> {
    fn observe(&mut self, progress: &Progress) -> Control {
        self.asked = self.monitor.observe(progress) == Control::Stop;
        see(&mut self.seen, progress);
        if !self.asked && progress.iteration >= FIRST_LOOK {
            let to_come = remaining(&self.seen, self.tolerance) * self.costs.sweep();
            self.slow = self.costs.alternative_beats(to_come);
        }
        if self.asked || self.slow { Control::Stop } else { Control::Continue }
    }
}

/// Ends a trial of `admm` when its own progress predicts more than the budget.
struct Trial<'a> {
    budget: f64,
    tolerance: f64,
    monitor: &'a mut dyn Monitor,
    seen: Vec<(usize, f64)>,
    asked: bool,
}

impl Monitor for Trial<'_> {
    fn observe(&mut self, progress: &Progress) -> Control {
        self.asked = self.monitor.observe(progress) == Control::Stop;
        see(&mut self.seen, progress);
        let slow =
            progress.iteration >= 20 && remaining(&self.seen, self.tolerance) + progress.iteration as f64 > self.budget;
        if self.asked || slow { Control::Stop } else { Control::Continue }
    }
}
