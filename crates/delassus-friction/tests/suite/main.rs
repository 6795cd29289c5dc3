//! All tests of the crate in one program: linking is most of what a test program costs.

mod allocation;
mod convex;
mod counting;
mod fclib;
mod files;
mod first_order;
mod law_forms;
mod laws;
mod newton_on_s;
mod root;
mod solvers;
