//! Why solids could not be made.

use crate::SchemeError;
use crate::model::ModelError;
use crate::structure::StructureError;
use crate::subsystem::SettingsError;

/// Errors of solids before their first step.
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
    /// The world is refused.
    #[error("{0}")]
    World(#[from] delassus_dynamics::Error),
    /// A model of another dimension.
    #[error("the model has dimension {found}, the world {expected}")]
    Dimension {
        /// That of the world.
        expected: usize,
        /// That of the model.
        found: usize,
    },
}
