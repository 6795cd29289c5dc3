//! The set of solutions of a contact problem: sampled, bounded exactly
//!
//! With dry friction the reactions of a body at rest are seldom determined by the laws
//! \[Moreau03\]. This crate answers how much of a force is physics and how much is the choice
//! of a solver:
//!
//! - [`Equilibrium`] bounds every reaction at rest: exact polygons in the plane, inner and
//!   outer hulls in space, the most stable and the extreme networks of forces;
//! - [`least_friction`] is the smallest friction that can hold;
//!
//! It knows no bodies: a [`Problem`](delassus_friction::Problem), or the balance of a
//! [`Statics`], comes in.

mod equilibrium;
mod error;
mod hull;
mod least_friction;
mod plane;
mod sampling;
mod simplex;
mod space;
mod statics;

pub use equilibrium::{Bounds, BoundsSettings, Census, Equilibrium, Network, Reaction, Tick};
pub use error::Error;
pub use hull::{area, diameter, distance, hull};
pub use least_friction::{LeastFriction, common_friction, least_friction};
pub use sampling::{Procedure, Samples, SamplingSettings, sample};
pub use statics::Statics;
