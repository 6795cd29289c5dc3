//! Two models superposed, their energies shared, glued where they overlap \[Zammali05, §4.2\], method (17)
//!
//! ```text
//! Layer (mesh) ─┐
//!               ├─▶ Overlap (pieces cut exactly) ─▶ Sharing: weights at the points of integration
//! Layer (mesh) ─┘                                └▶ Gluing: rows of (Υ*, u_g − u_l) on S_c
//! ```
//!
//! Nothing here moves: shapes are those of reference, so that all of it is made once. `coarse` and `fine` are
//! names of two roles; either mesh may be the finer one.

mod beams;
mod bond;
mod condition;
mod cover;
mod error;
mod gluing;
mod layer;
mod line;
mod moments;
mod overlap;
mod polytope;
mod ramp;
mod report;
mod sharing;
mod simplex;
mod superpose;
mod transfer;
mod wave;

pub use beams::mean_length;
pub use bond::{BeamOverlap, Bond, BondRow, Junction, Shares, Term};
pub use condition::Condition;
pub use cover::{Cover, on_surface};
pub use error::Error;
pub use gluing::{Gluing, Mediator, Product, Row};
pub use layer::{Layer, Located};
pub use line::Line;
pub use overlap::{Overlap, Piece};
pub use polytope::{HalfSpace, Polytope};
pub use ramp::Ramp;
pub use report::{Report, Warning};
pub use sharing::{Profile, Sharing};
pub use simplex::Simplex;
pub use superpose::{Made, Superposition, Weights, Zone};
pub use transfer::{Carried, Fields, carry};
pub use wave::{BarJunction, Scattered};

/// A point or a direction.
pub type Vector<const D: usize> = nalgebra::SVector<f64, D>;
