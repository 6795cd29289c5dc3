//! Why rigid bodies and solids could not be put together.

use delassus_fem::subsystem::DeformableError;

/// Errors of a mixed system.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MixedError {
    /// The rigid bodies.
    #[error("{0}")]
    Rigid(#[from] delassus_rigid::Error),
    /// The solids.
    #[error("{0}")]
    Solid(#[from] DeformableError),
    /// Shapes of rigid bodies.
    #[error("{0}")]
    Contact(#[from] delassus_contact::Error),
    /// State or settings.
    #[error("{0}")]
    Step(#[from] delassus_dynamics::Error),
    /// Periodic directions.
    #[error("deformable solids have no periodic images: remove the periodic directions")]
    Periodic,
    /// A law with axes in the material.
    #[error("'{body}' and '{solid}' have a law with axes in the material; deformable solids need an isotropic one")]
    Axes {
        /// The rigid body.
        body: String,
        /// The solid.
        solid: String,
    },
}
