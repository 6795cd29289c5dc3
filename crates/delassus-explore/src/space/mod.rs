//! Sets of reactions in space, between an inner and an outer hull, by conic programs.

mod bounds;
mod cones;
mod conic;
mod nearest;
mod sandwich;
