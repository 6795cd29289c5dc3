//! Scenes of space: shaded bodies under lines of force.

mod body;
mod buffer;
mod camera;
mod figure;
mod section;
mod shade;
mod sight;

pub use body::{Body, Solid};
pub use camera::{Camera, Eye};
pub(crate) use figure::signs;
pub use figure::{Contact, Figure, Lens};
pub use section::Section;
pub use sight::{Sight, Sights};

/// A point or a vector of space.
pub type Point3 = [f64; 3];
