//! The default: start cheap, watch, hand over, end with a certificate
//!
//! 1. `nlgs` with Anderson acceleration. Most steps of a simulation end here.
//! 2. `ipm`, when the sweeps still to come (extrapolated from the residuals) would
//!    cost more than the factorisations of an interior point.
//! 3. If the interior point stalls: rounds of sweeps and Newton steps from the best
//!    point so far, each started where the other stopped.
//! 4. `proximal`, to the end.
//!
//! Costs are counted in operations, never in seconds, so that the same problem takes
//! the same path on every machine. Laws without a normal form skip 2–4.

use super::nlgs::MEMORY;
use super::*;

/// Sweeps before the first look at the cost of the alternatives.
const FIRST_LOOK: usize = 40;
/// Sweeps between two looks.
const LOOK: usize = 20;

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
    residual: f64,
    log: Vec<Event>,
}

impl<const D: usize> Journey<'_, D> {
    /// Takes note of what a solver did to `s`; keeps the better point in both places.
    fn note(&mut self, solver: &'static str, iterations: usize, reason: String) {
        let residual = Certificate::new(self.problem, self.s).relative;
        if residual < self.residual {
            self.residual = residual;
            self.best.copy_from_slice(self.s);
        } else {
            self.s.copy_from_slice(&self.best);
        }
        self.log.push(Event { solver, iterations, residual, reason });
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
        let residual = Certificate::new(problem, s).relative;
        let best = s.to_vec();
        let mut journey = Journey { problem, s, best, residual, log: vec![] };
        let stop = self.travel(&mut journey, monitor)?;
        Ok((stop, journey.log))
    }

    fn travel<const D: usize>(&self, journey: &mut Journey<D>, monitor: &mut dyn Monitor) -> Result<Stop, Error> {
        let problem = journey.problem;
        let settings = NlgsSettings {
            tolerance: self.tolerance,
            order: self.order,
            acceleration: MEMORY,
            max_iterations: self.limit.unwrap_or(100_000),
            check_every: LOOK,
            ..Default::default()
        };
        let mut nlgs = Nlgs::new(problem, settings)?;
        let mut watch = Watch::new(problem, self.tolerance, monitor);
        let outcome = nlgs.run(problem, journey.s, &mut watch);
        let (asked, mut ipm, why) = watch.finish();
        journey.note("nlgs-anderson", outcome.iterations, why);
        if journey.residual <= self.tolerance {
            return Ok(Stop::Tolerance);
        }
        if asked {
            return Ok(Stop::Asked);
        }
        let Some(ipm) = ipm.as_mut() else {
            return Ok(outcome.stop);
        };
        let outcome = ipm.run(problem, journey.s, monitor);
        journey.note("ipm", outcome.iterations, "sweeps were predicted to cost more".into());
        if journey.residual <= self.tolerance || outcome.stop == Stop::Asked {
            return Ok(if outcome.stop == Stop::Asked { Stop::Asked } else { Stop::Tolerance });
        }
        self.rescue(journey, monitor)
    }

    /// Rounds of sweeps and Newton steps, then proximal points.
    fn rescue<const D: usize>(&self, journey: &mut Journey<D>, monitor: &mut dyn Monitor) -> Result<Stop, Error> {
        let problem = journey.problem;
        let tolerance = self.tolerance;
        let mut newton = Newton::new(problem, NewtonSettings { tolerance, max_iterations: 20, ..Default::default() })?;
        for round in 0..6 {
            let settings = NlgsSettings {
                tolerance,
                acceleration: if round % 2 == 0 { MEMORY } else { 0 },
                max_iterations: 100 << round,
                ..Default::default()
            };
            let outcome = Nlgs::new(problem, settings)?.run(problem, journey.s, monitor);
            journey.note("nlgs", outcome.iterations, "the interior point stalled".into());
            if journey.residual <= tolerance || outcome.stop == Stop::Asked {
                return Ok(outcome.stop);
            }
            let outcome = newton.run(problem, journey.s, monitor);
            journey.note("newton-nm", outcome.iterations, "sweeps are slow near the solution".into());
            if journey.residual <= tolerance || outcome.stop == Stop::Asked {
                return Ok(outcome.stop);
            }
        }
        let settings = ProximalSettings { tolerance, ..Default::default() };
        let outcome = Proximal::new(problem, settings)?.run(problem, journey.s, monitor);
        journey.note("proximal", outcome.iterations, "neither sweeps nor Newton steps sufficed".into());
        Ok(outcome.stop)
    }
}

/// Watches the sweeps and decides when an interior point would be cheaper.
struct Watch<'a, const D: usize> {
    problem: &'a Problem<D>,
    tolerance: f64,
    monitor: &'a mut dyn Monitor,
    ipm: Option<Ipm<D>>,
    /// Residuals seen, one per look.
    seen: Vec<(usize, f64)>,
    asked: bool,
    why: String,
}

impl<'a, const D: usize> Watch<'a, D> {
    fn new(problem: &'a Problem<D>, tolerance: f64, monitor: &'a mut dyn Monitor) -> Self {
        let why = "first choice: cheap sweeps".into();
        Self { problem, tolerance, monitor, ipm: None, seen: vec![], asked: false, why }
    }

    fn finish(self) -> (bool, Option<Ipm<D>>, String) {
        (self.asked, self.ipm, self.why)
    }

    /// Cost of one sweep, in nanoseconds of a typical core.
    fn sweep(&self) -> f64 {
        let n = self.problem.len() as f64;
        140.0 * n + (D * D) as f64 * self.problem.w().blocks() as f64
    }

    /// Cost of a dozen iterations of the interior point, in the same unit.
    fn interior_point(&self, work: f64) -> f64 {
        15.0 * (0.1 * work + 1000.0 * self.problem.len() as f64)
    }

    /// Sweeps still needed if the residual falls as over the last half of the looks.
    fn remaining(&self) -> f64 {
        let (last, residual) = self.seen[self.seen.len() - 1];
        let (then, before) = self.seen[self.seen.len() / 2];
        let decades = (before / residual).log10() / (last - then).max(1) as f64;
        if decades <= 0.0 { f64::INFINITY } else { (residual / self.tolerance).log10() / decades }
    }
}

impl<const D: usize> Monitor for Watch<'_, D> {
    fn observe(&mut self, progress: &Progress) -> Control {
        if self.monitor.observe(progress) == Control::Stop {
            self.asked = true;
            return Control::Stop;
        }
        self.seen.push((progress.iteration, progress.residual));
        if progress.iteration < FIRST_LOOK {
            return Control::Continue;
        }
        if self.ipm.is_none() {
            let settings = IpmSettings { tolerance: self.tolerance, ..Default::default() };
            match Ipm::new(self.problem, settings) {
                Ok(ipm) => self.ipm = Some(ipm),
                // A law the interior point does not know: go on sweeping.
                Err(_) => return Control::Continue,
            }
        }
        let Some(ipm) = &self.ipm else { return Control::Continue };
        let to_come = self.remaining() * self.sweep();
        if to_come <= self.interior_point(ipm.work()) {
            return Control::Continue;
        }
        self.why = format!("first choice; about {:.0} more sweeps needed, dearer than an interior point", self.remaining());
        Control::Stop
    }
}
