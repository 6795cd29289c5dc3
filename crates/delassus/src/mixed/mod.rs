//! Rigid bodies and deformable solids in one contact problem, method (8)(9)
//!
//! ```text
//!     A = diag(rigid bodies; solids)        W = Σ_groups G A⁻¹ Gᵀ        one problem, one certificate
//! ```
//!
//! [`MixedSystem`] is a [`delassus_rigid::RigidSystem`] and
//! [`Deformables`](delassus_fem::subsystem::Deformables) made one subsystem of the step. Coordinates,
//! velocities, bodies and colliders of the rigid bodies come first. One
//! [`Detector`](delassus_contact::Detector) finds the contacts of all of them. Laws are those of pairs of materials, without rolling and axes of the
//! material, since nodes have no rotation.

mod error;
mod run;
mod system;

pub use error::MixedError;
pub use run::MixedRun;
pub use system::MixedSystem;
