//! Rigid bodies and deformable solids in one contact problem, method (8)(9)
//!
//! ```text
//!     A = diag(rigid bodies; solids)        W = Σ_groups G A⁻¹ Gᵀ        one problem, one certificate
//! ```
//!
//! [`MixedSystem`] is a [`delassus_rigid::RigidSystem`] and
//! [`Deformables`](delassus_fem::subsystem::Deformables) made one subsystem of the step. Coordinates,
//! velocities, bodies and colliders of the rigid bodies come first. A rigid shape and a skin meet
//!
//! - at nodes of the skin in or on the shape: signed distance and normal are the shape's;
//! - at corners (centres of discs and spheres, ends of capsules) in or on the skin: those of the
//!   nearest facet.
//!
//! In space an edge may pass through an edge between their ends: such contacts are found at the
//! nodes around them only. Laws are those of pairs of materials, without rolling and axes of the
//! material, since nodes have no rotation.

mod corners;
mod cross;
mod error;
mod run;
mod system;

pub use corners::Corners;
pub use error::MixedError;
pub use run::MixedRun;
pub use system::MixedSystem;
