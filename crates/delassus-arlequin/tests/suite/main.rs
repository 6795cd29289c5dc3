//! All tests of the crate in one program: linking is most of what a test program costs.

mod beams;
mod common;
mod exact;
mod junction;
mod overlap;
mod transfer;
mod waves;
