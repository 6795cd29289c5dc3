//! All tests of the crate in one program: linking is most of what a test program costs.

mod common;
mod large;
mod limit;
mod outcomes;
mod properties;
mod references;
mod sampling;
mod space;
