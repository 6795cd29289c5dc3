//! Deformable solids in the step of the whole engine
//!
//! ```text
//!     A (v_f − v_i) = h (F_ext − F_int)(q_θ, v_θ) + Gᵀ S,     A = M + hθ C + h²θ² K       method (9)
//!     q_θ = q_i + hθ v_θ,     v_θ = (1−θ) v_i + θ v_f,     q_f = q_i + h v_θ
//! ```
//!
//! the θ-method of Moreau and Jean \[Jean99\], with forces at the point θ of the step: for linear
//! solids the weighted mean of the forces at both ends. Solids that are not linear repeat the
//! contact problem with `K` at the last velocities until the balance closes (Newton's method).
//! With θ = ½ a linear solid keeps its energy, and every solid its angular momentum in free motion.
//! Contacts are looked for at `q_i + h (1−θ) v_i`, which is `q_m` for θ = ½.
//!
//! [`Deformable`] is one model in motion and one group of `A`; [`Deformables`] are several of
//! them, with the contacts of their skins, as a [`delassus_dynamics::Subsystem`]. Contacts are
//! at nodes: percussions are nodal, friction and restitution those of rigid bodies.
//!
//! The state holds displacements, then internal variables, of one solid after the other.

mod compliance;
mod deformable;
mod energy;
mod error;
mod parts;
mod system;

pub use crate::contact::{Foot, Skin};
pub use compliance::Compliance;
pub use deformable::{Deformable, Theta};
pub use delassus_contact::Touch;
pub use error::DeformableError;
pub use parts::{DeformableSpec, Deformables, Offsets};
