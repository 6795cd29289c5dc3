//! Contact geometry: from shapes and poses to contacts
//!
//! ```text
//! (shapes, poses at q_m, t) ─▶ ContactSet { key, bodies, frame (n, t1, t2), gap }
//! ```
//!
//! `n` is a unit vector towards the first body, the gap `g` is positive apart, and
//! `dg/dt = U_N` (method (2)). The crate knows no forces and no masses.
//!
//! Plane and space share one source through `const D: usize`; what differs between
//! them is behind [`Space`].

mod contact;
mod pose;

pub use contact::{Contact, ContactKey, ContactSet};
pub use pose::{Dim, Pose, Rotation, Space, Vector};
