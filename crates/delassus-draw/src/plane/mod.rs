//! Scenes of the plane.

mod body;
mod draft;
mod figure;

pub use body::{Body, Outline, Role};
pub use figure::{Contact, Figure, Style};
