//! Deformable solids as a part of the world
//!
//! ```text
//!     r(x) = h [ M a⁺ + w F_int(u⁺, v⁺) + (1 − w) F_int(u, v) − w F_ext(t⁺) − (1 − w) F_ext(t) ] = Gᵀ S
//!     A = ∂r/∂x = h k_a M + h w (k_u K + C)                                                  method (9)
//! ```
//!
//! with `x` the velocity at the end, [`crate::Scheme`]; explicit schemes have a lumped `A`. Weights are those
//! of the mass matrix of the scheme, so that every node falls alike.
//!
//! All solids of a scene are one group of `A`: displacements, internal variables, accelerations and contact
//! forces of all of them, one array after the other, are their part of the state.

mod account;
mod balance;
mod cycle;
mod mixed;
mod search;
mod settings;
mod solids;
mod solver;
mod ties;

pub use settings::{Linear, SettingsError, SolidSettings};
pub use solids::{Columns, Solids};
pub use ties::Ties;
