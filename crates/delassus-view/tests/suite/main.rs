//! All tests of the crate in one program: linking is most of what a test program costs.

mod assets;
mod packs;
mod server;
mod sources;
