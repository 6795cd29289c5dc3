//! Scenes of space: shaded bodies under lines of force.

mod body;
mod buffer;
mod camera;
mod figure;
mod shade;
mod sight;

pub use body::{Body, Solid};
pub use camera::{Camera, Eye};
pub use figure::{Contact, Figure};
pub use sight::{Sight, Sights};

/// A point or a vector of space.
pub type Point3 = [f64; 3];
