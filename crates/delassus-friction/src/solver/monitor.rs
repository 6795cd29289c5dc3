//! Watching a solve: progress out, a request to stop in.

/// Where a solve stands.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Name of the running solver.
    pub solver: &'static str,
    /// Iterations of that solver so far.
    pub iteration: usize,
    /// Last relative residual measured.
    pub residual: f64,
}

/// What the solver should do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Go on.
    Continue,
    /// Stop now; the best percussions so far are kept.
    Stop,
}

/// Called by every solver once per measured residual, on whatever thread it runs.
pub trait Monitor: Send {
    /// Receives the progress and decides whether to go on.
    fn observe(&mut self, progress: &Progress) -> Control;
}

/// Never stops, prints nothing.
pub struct Silent;

impl Monitor for Silent {
    fn observe(&mut self, _: &Progress) -> Control {
        Control::Continue
    }
}

impl<F: FnMut(&Progress) -> Control + Send> Monitor for F {
    fn observe(&mut self, progress: &Progress) -> Control {
        self(progress)
    }
}
