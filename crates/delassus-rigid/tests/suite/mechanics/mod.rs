//! Motion, joints, laws and invariants of rigid bodies.

mod cell;
mod fast;
mod invariants;
mod joints;
mod laws;
mod policy;
mod restart;
mod scenes;
mod sleep;
mod tops;
