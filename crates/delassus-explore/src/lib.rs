//! The set of solutions of a contact problem: sampled, bounded exactly
//!
//! With dry friction the reactions of a body at rest are seldom determined by the laws
//! \[Moreau03\]. This crate answers how much of a force is physics and how much is the choice
//! of a solver:
//!
//! - [`Equilibrium`] bounds every reaction at rest: exact polygons in the plane, inner and
//!   outer hulls in space, the most stable and the extreme networks of forces;
//! - [`least_friction`] is the smallest friction that can hold, [`Limit`] the largest load and the mechanism it
//!   sets free, [`Equilibrium::withstood`] the forces that a held body can bear;
//! - [`sample`] finds thousands of solutions by both of Moreau's procedures, each certified,
//!   [`coverage`] says how much of the exact sets they fill, and [`faces`] how often they lie on
//!   their borders;
//! - [`Spread`] measures, contact by contact, what a step in motion leaves undetermined, and
//!   [`outcomes`] lists the distinct motions it admits, [`Continuum`] those that are not isolated.
//!
//! It knows no bodies: a [`Problem`](delassus_friction::Problem), or the balance of a
//! [`Statics`], comes in.

mod equilibrium;
mod error;
mod faces;
mod file;
mod hull;
mod least_friction;
mod limit;
mod outcomes;
mod plane;
mod sampling;
mod simplex;
mod space;
mod spread;
mod statics;

pub use equilibrium::{Bounds, BoundsSettings, Census, Equilibrium, Network, Reaction, Tick, WIDEST};
pub use error::Error;
pub use faces::{Faces, faces};
pub use file::{Exploration, Places, VERSION};
pub use hull::{area, diameter, distance, hull};
pub use least_friction::{LeastFriction, common_friction, least_friction};
pub use limit::Limit;
pub use outcomes::{Origin, Outcome, outcomes};
pub use plane::{Continuum, Listed, Range};
pub use sampling::{Procedure, Samples, SamplingSettings, sample};
pub use spread::{Coverage, Spread, Status, coverage, extent, statuses};
pub use statics::Statics;
