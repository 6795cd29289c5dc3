//! All tests of the crate in one program: linking is most of what a test program costs.

mod answers;
mod beams;
mod compose;
mod errors;
mod events;
mod gallery;
mod generators;
mod meshes;
mod mutations;
mod schema;
mod solids;
