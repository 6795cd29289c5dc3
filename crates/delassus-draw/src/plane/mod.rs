//! Scenes of the plane.

mod body;
mod draft;
mod figure;

pub use body::{Body, Outline};
pub use figure::{Contact, Figure, Style};
