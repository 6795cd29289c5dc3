//! Exact sets of reactions in the plane, by linear programs.

mod bounds;
mod interior;
mod linear;
mod polygon;
