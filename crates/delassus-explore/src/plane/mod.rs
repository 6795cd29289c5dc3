//! Exact sets of reactions in the plane, by linear programs.

mod bounds;
mod continuum;
mod interior;
mod linear;
mod polygon;

pub use continuum::{Continuum, Listed, Range};
