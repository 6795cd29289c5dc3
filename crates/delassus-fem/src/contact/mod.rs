//! Where surfaces meet: pairing, collocation points, frames
//!
//! ```text
//! Surface (slave) ┐                         ┌─▶ points: gap, frame, N, N̄, ω, ψ
//!                 ├─▶ Interface::pair(x, t) ┤
//! Master ─────────┘                         └─▶ MultiplierRows, Projection
//! ```
//!
//! g  gap, positive apart \[m\]              n  normal, from the master towards the slave
//! N, N̄  shape functions of slave, master   ω  share of the reference area \[m²\]
//! ψ  basis of the multipliers              w  velocity of an obstacle \[m/s\]
//!
//! A slave surface faces a master: another surface, itself, or a rigid [`Obstacle`]. Each
//! collocation point of the slave is paired with a place of the master (thesis §2.5), which
//! gives gap, frame and interpolation; laws and time belong to others. Multipliers live on
//! the slave surface (thesis §3.2.2).
//!
//! Departures from \[Zammali05\]: signs of method §1; smoothed normals also decide the
//! opposite place, so that it moves continuously; edges sharper than 60° stay sharp.

mod bvh;
mod clip;
mod closest;
mod error;
mod facet;
mod frame;
mod interface;
mod master;
mod obstacle;
mod orient;
mod partition;
mod point;
mod quadrature;
mod rows;
mod settings;
mod surface;

pub use error::ContactError;
pub(crate) use facet::shape;
pub use facet::{FACET_NODES, Xi};
pub use interface::{Interface, Master};
pub(crate) use master::{Hit, MasterSurface, Query};
pub use obstacle::{Obstacle, ObstacleShape, Sight};
pub use point::{ContactPoint, PointKey, Stencil};
pub use quadrature::MOST_GAUSS_POINTS;
pub use rows::{MultiplierRows, Projection};
pub use settings::{Collocation, Multipliers, PairSettings, Pairing};
pub use surface::Surface;
