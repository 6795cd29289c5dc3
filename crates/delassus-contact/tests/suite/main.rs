//! All tests of the crate in one program: linking is most of what a test program costs.

mod allocation;
mod blocks;
mod closed_forms;
mod flush;
mod persistence;
mod random;
mod ridges;
mod rows;
mod sizes;
mod skin_allocation;
mod skin_pairs;
mod skin_partition;
mod skin_plane;
mod skin_random;
mod skin_robust;
mod skin_sliding;
mod skin_space;
mod skin_speed;
mod speed;
mod threads;
mod walls;

#[path = "../../../delassus-friction/tests/suite/counting/mod.rs"]
mod counting;
