//! All tests of the crate in one program: linking is most of what a test program costs.

mod architecture;
mod arlequin;
mod asperities;
mod benchmarks;
mod cli;
mod common;
mod controls;
mod draw;
mod explore;
mod files;
mod flow;
mod gallery;
mod import;
mod industry;
mod laboratory;
mod laws;
mod licences;
mod messages;
mod mixed_scenes;
mod patches;
mod plot;
mod questions;
mod runs;
mod scenes;
mod sleep;
mod snippets;
mod solid_laws;
mod solids;
mod superposed;
mod sweep;
mod together;

#[path = "../../../delassus-vtk/tests/python/mod.rs"]
mod python;
