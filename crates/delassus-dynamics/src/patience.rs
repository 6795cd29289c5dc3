//! When to leave a method for another: sweeps by their slope, interior points near the end, `auto` by its work.

use delassus_friction::solver::{Control, Monitor, Progress};

/// Ends sweeps that go in circles, or whose slope says that another way is shorter.
pub(crate) struct Patience {
    best: Option<f64>,
    since: usize,
    first: Option<f64>,
    tolerance: f64,
    /// Sweeps that another way costs.
    other: f64,
    /// Least number of sweeps to wait for progress.
    wait: usize,
}

impl Patience {
    pub fn new(tolerance: f64, other: f64, wait: usize) -> Self {
        Self { best: None, since: 0, first: None, tolerance, other, wait }
    }

    /// Sweeps still to come if the residual falls as it did so far.
    fn to_come(&self, iteration: usize) -> f64 {
        let (Some(first), Some(best)) = (self.first, self.best) else { return 0.0 };
        let decades = (first / best).log10();
        if decades > 0.0 { (best / self.tolerance).log10() / decades * iteration as f64 } else { f64::INFINITY }
    }
}

/// Sweeps before their slope is looked at.
const FIRST_LOOK: usize = 20;

impl Monitor for Patience {
    fn observe(&mut self, progress: &Progress) -> Control {
        if self.best.is_none_or(|best| progress.residual < 0.9 * best) {
            self.best = Some(progress.residual);
            self.since = progress.iteration;
        }
        self.first.get_or_insert(progress.residual);
        let slow = progress.iteration >= FIRST_LOOK && self.to_come(progress.iteration) > self.other;
        // The longer it took to get here, the longer the next gain may take.
        let stuck = progress.iteration > self.since + self.wait.max(self.since);
        if slow || stuck { Control::Stop } else { Control::Continue }
    }
}

/// Residual, in tolerances, from which the path of an interior point may fold, and that from which sweeps end what it began.
const FOLDS: f64 = 50.0;
const ENDS: f64 = 10.0;

/// Stops an interior point where sweeps are likely to end sooner what it began.
pub(crate) struct Near {
    tolerance: f64,
    last: f64,
}

impl Near {
    pub fn new(tolerance: f64) -> Self {
        Self { tolerance, last: f64::INFINITY }
    }
}

impl Monitor for Near {
    fn observe(&mut self, progress: &Progress) -> Control {
        let slow = progress.residual > 0.5 * self.last;
        self.last = progress.residual;
        let near = progress.residual <= if slow { FOLDS } else { ENDS } * self.tolerance;
        if near { Control::Stop } else { Control::Continue }
    }
}

/// Counts the work of `auto`, which would otherwise try everything: a step is not worth that.
pub(crate) struct Effort {
    left: f64,
    seen: (&'static str, usize),
}

impl Effort {
    /// So much work, in sweeps.
    pub fn new(left: f64) -> Self {
        Self { left, seen: ("", 0) }
    }
}

/// Sweeps that a second-order iteration counts for.
const SECOND_ORDER: f64 = 20.0;

impl Monitor for Effort {
    fn observe(&mut self, progress: &Progress) -> Control {
        let Progress { solver, iteration, .. } = *progress;
        let done = if self.seen.0 == solver { iteration.saturating_sub(self.seen.1) } else { iteration };
        let weight = if matches!(solver, "ipm" | "newton" | "proximal") { SECOND_ORDER } else { 1.0 };
        self.left -= weight * done as f64;
        self.seen = (solver, iteration);
        if self.left < 0.0 { Control::Stop } else { Control::Continue }
    }
}
