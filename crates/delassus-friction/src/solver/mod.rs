//! Problem → Settings → Solver → Solution.

mod ipm;
mod anderson;
mod monitor;
mod nlgs;
mod newton;
pub use newton::Newton;
pub use ipm::{Ipm, IpmSettings};
pub use monitor::{Control, Monitor, Progress, Silent};
pub use nlgs::{Nlgs, NlgsSettings, Order};

/// Why a solver's loop ended; the certificate has the last word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The residual is below the tolerance.
    Tolerance,
    /// The limit on iterations was reached.
    Iterations,
    /// Progress ceased.
    Stalled,
    /// The linear algebra or the iterates broke down.
    Breakdown,
    /// The monitor asked to stop.
    Asked,
}

/// What a solver's loop reports to its caller.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    pub stop: Stop,
    pub iterations: usize,
}
