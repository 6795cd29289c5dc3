//! All tests of the crate in one program: linking is most of what a test program costs.

mod allocation;
mod floating;
mod iterative;
mod kkt;
mod sparse;

#[path = "../../../delassus-friction/tests/suite/counting/mod.rs"]
mod counting;
