//! All tests of the crate in one program: linking is most of what a test program costs.

mod analysis;
mod analysis_allocation;
mod bars;
mod bars_space;
mod conservation;
mod contact_mesh;
mod deformed;
mod formalisms;
mod friction;
mod impacts;
mod interface_mesh;
mod manufactured;
mod materials;
mod mesh_checks;
mod mesh_files;
mod mesh_generators;
mod mesh_interop;
mod patch;
mod plasticity;
mod solids;
mod solids_support;
mod statics;
mod subsystem;
mod world;

#[path = "../../../delassus-friction/tests/suite/counting/mod.rs"]
mod counting;
#[path = "../../../delassus-vtk/tests/python/mod.rs"]
mod python;
