//! Scenes of space: shaded bodies under lines of force.

mod body;
mod buffer;
mod camera;
mod figure;
mod shade;
mod sight;
mod vector;

pub use body::{Body, Solid};
pub use camera::{Camera, Eye};
pub use figure::{Contact, Figure};
pub use sight::{Sight, Sights};
pub use vector::Point3;
