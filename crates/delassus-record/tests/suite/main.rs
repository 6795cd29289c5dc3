//! All tests of the crate in one program: linking is most of what a test program costs.

mod allocation;
mod common;
mod crash;
mod interop;
mod refusals;
mod round_trip;

#[path = "../../../delassus-friction/tests/suite/counting/mod.rs"]
mod counting;
#[path = "../../../delassus-vtk/tests/python/mod.rs"]
mod python;
