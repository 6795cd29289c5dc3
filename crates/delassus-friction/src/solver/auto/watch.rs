//! What `auto` watches: costs of the alternatives, and progress against them.

use crate::Problem;
use crate::solver::elimination::Plan;
use crate::solver::{Control, Monitor, Outcome, Progress, Stop};

/// Sweeps before the first look at the cost of the alternatives.
const FIRST_LOOK: usize = 40;
/// Iterations an interior point usually takes.
pub const USUAL_IPM: f64 = 15.0;
/// Iterations alternating directions take where they shine.
const USUAL_ADMM: f64 = 30.0;
/// Nanoseconds of one multiply–add inside a factorisation; one of a solve takes about 1.
pub const PER_OPERATION: f64 = 0.08;
/// Nanoseconds an interior point spends on one contact, the factorisation apart.
pub const PER_CONTACT: f64 = 600.0;
/// A factorisation must cost this many solves for `admm` to be tried first.
const SOLVES_PER_FACTOR: f64 = 30.0;

/// A watcher that ends a leg by itself hides whether its own monitor asked.
pub fn asked_or(outcome: Outcome, asked: bool) -> Outcome {
    match (asked, outcome.stop) {
        (true, _) => Outcome { stop: Stop::Asked, ..outcome },
        (false, Stop::Asked) => Outcome { stop: Stop::Stalled, ..outcome },
        _ => outcome,
    }
}

pub fn suits_admm(plan: &Plan, d: usize) -> bool {
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
pub struct Costs<'a, const D: usize> {
    problem: &'a Problem<D>,
    plan: Option<Plan>,
}

impl<'a, const D: usize> Costs<'a, D> {
    pub fn new(problem: &'a Problem<D>) -> Self {
        Self { problem, plan: None }
    }

    pub fn sweep(&self) -> f64 {
        let contact = match D {
            2 => 30.0,
            3 => 80.0,
            _ => 1500.0,
        };
        contact * self.problem.len() as f64 + 1.1 * (D * D) as f64 * self.problem.w().blocks() as f64
    }

    /// Is an interior point, or a short run of alternating directions, cheaper than this?
    fn alternative_beats(&mut self, cost: f64) -> bool {
        let contacts = USUAL_IPM * PER_CONTACT * self.problem.len() as f64;
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

    pub fn into_plan(self, problem: &Problem<D>) -> Plan {
        self.plan.unwrap_or_else(|| Plan::new(problem))
    }
}

/// Watches the sweeps and ends them when something else would be cheaper.
pub struct Watch<'a, const D: usize> {
    pub costs: Costs<'a, D>,
    pub tolerance: f64,
    pub monitor: &'a mut dyn Monitor,
    pub seen: Vec<(usize, f64)>,
    pub asked: bool,
    pub slow: bool,
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

/// Ends a trial when its own progress predicts more iterations than the budget.
pub struct Trial<'a> {
    budget: f64,
    /// Iterations before the first prediction.
    first: usize,
    tolerance: f64,
    monitor: &'a mut dyn Monitor,
    seen: Vec<(usize, f64)>,
    pub asked: bool,
}

impl<'a> Trial<'a> {
    pub fn new(budget: f64, first: usize, tolerance: f64, monitor: &'a mut dyn Monitor) -> Self {
        Self { budget, first, tolerance, monitor, seen: vec![], asked: false }
    }
}

impl Monitor for Trial<'_> {
    fn observe(&mut self, progress: &Progress) -> Control {
        self.asked = self.monitor.observe(progress) == Control::Stop;
        see(&mut self.seen, progress);
        let iteration = progress.iteration;
        let slow = iteration >= self.first && remaining(&self.seen, self.tolerance) + iteration as f64 > self.budget;
        if self.asked || slow { Control::Stop } else { Control::Continue }
    }
}
