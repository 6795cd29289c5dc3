//! Why an analysis could not start or go on.

use super::SettingsError;
use crate::SchemeError;
use crate::algebra::AlgebraError;
use crate::contact::ContactError;
use crate::model::ModelError;
use crate::structure::StructureError;

/// Errors of an analysis.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The model is refused.
    #[error("{0}")]
    Model(#[from] ModelError),
    /// The settings are refused.
    #[error("{0}")]
    Settings(#[from] SettingsError),
    /// The scheme refuses its step.
    #[error("{0}")]
    Scheme(#[from] SchemeError),
    /// Forces could not be computed.
    #[error("{0}")]
    Structure(#[from] StructureError),
    /// A linear system could not be solved.
    #[error("linear system: {0}")]
    Algebra(#[from] AlgebraError),
    /// Surfaces could not be paired.
    #[error("pairing: {0}")]
    Pairing(#[from] ContactError),
    /// The contact problem makes no sense.
    #[error("contact problem: {0}")]
    Friction(#[from] delassus_friction::Error),
    /// The contact problem was not solved.
    #[error("the contact problem ended at a residual of {residual:.1e} ({worst} contacts named in its certificate)")]
    Contact {
        /// Relative residual.
        residual: f64,
        /// How many contacts are far from their law.
        worst: usize,
    },
    /// Newton's iteration did not converge.
    #[error("Newton's iteration stands at {residual:.1e} after {iterations} iterations")]
    Newton {
        /// Iterations made.
        iterations: usize,
        /// Residual reached.
        residual: f64,
    },
    /// Conjugate gradients did not converge.
    #[error(
        "conjugate gradients stand at {residual:.1e} after {iterations} iterations: the tangent is too ill-conditioned or not positive; take linear = direct"
    )]
    Gradients {
        /// Iterations made.
        iterations: usize,
        /// Relative residual reached.
        residual: f64,
    },
    /// A loop did not settle.
    #[error("the loop on {name} did not settle in {limit} rounds; try {advice}")]
    Loop {
        /// Which loop.
        name: &'static str,
        /// Rounds made.
        limit: usize,
        /// What may help.
        advice: &'static str,
    },
    /// NaN or infinity appeared.
    #[error("{what} is not finite")]
    NotFinite {
        /// Which quantity.
        what: &'static str,
    },
    /// An explicit step failed.
    #[error(
        "{what} at t = {time:.6e} s failed: an element turned inside out or a force is not finite; a shorter time.step or a finer mesh may help"
    )]
    Explicit {
        /// When.
        time: f64,
        /// Which.
        what: &'static str,
    },
    /// A state that does not belong to the model.
    #[error("the state has {found} values of {what}, the model needs {expected}")]
    StateSize {
        /// Which array.
        what: &'static str,
        /// Length needed.
        expected: usize,
        /// Length found.
        found: usize,
    },
    /// A step failed even in parts.
    #[error("the step of {h:.3e} s at t = {time:.6e} s failed, also in {} parts: {reason}", 1u64 << cutbacks)]
    Step {
        /// When.
        time: f64,
        /// Step.
        h: f64,
        /// Halvings tried.
        cutbacks: usize,
        /// Why the whole step failed.
        reason: Box<Error>,
    },
}

impl Error {
    /// Whether smaller steps may help.
    pub fn may_pass_in_parts(&self) -> bool {
        matches!(
            self,
            Error::Newton { .. }
                | Error::Loop { .. }
                | Error::NotFinite { .. }
                | Error::Contact { .. }
                | Error::Gradients { .. }
                | Error::Structure(StructureError::Solid { .. })
                | Error::Algebra(_)
        )
    }
}
