//! Motion, joints, laws and invariants of rigid bodies.

mod cell;
#[path = "../references/common/mod.rs"]
mod common;
mod fast;
mod invariants;
mod joints;
mod laws;
mod policy;
mod restart;
mod scenes;
mod sleep;
mod tops;
