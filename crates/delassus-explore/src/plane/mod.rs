//! Exact sets of reactions in the plane, by linear programs.

mod bounds;
mod linear;
mod polygon;
