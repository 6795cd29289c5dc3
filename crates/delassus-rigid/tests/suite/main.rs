//! All tests of the crate in one program: linking is most of what a test program costs.

mod allocation;
mod common;
mod mechanics;
mod references;

#[path = "../../../delassus-friction/tests/suite/counting/mod.rs"]
mod counting;
