//! Contact geometry: from shapes and skins, poses and nodes, to contacts
//!
//! ```text
//! shapes, poses at q_m, t ┐
//!                         ├─▶ ContactSet { key, bodies, frame (n, t1, t2), gap; touches: nodes }
//! skins, nodes at q_m ────┘
//! ```
//!
//! `n` is a unit vector towards the first body, the gap `g` is positive apart, and
//! `dg/dt = U_N` (method (2)). The crate knows no forces and no masses.
//!
//! [`Detector`] finds contacts at points, for the step of bodies and solids. [`skin`] also pairs
//! whole surfaces, with the collocation points and multipliers of solids in contact.
//!
//! Plane and space share one source through `const D: usize`; what differs between
//! them is behind [`Space`].

mod aabb;
mod broad;
mod collider;
mod contact;
mod detector;
mod error;
mod expression;
mod frame;
mod hit;
mod mass;
mod meeting;
mod narrow;
mod pass;
mod placement;
mod plane;
mod points;
mod pose;
mod settings;
mod shapes;
mod sight;
pub mod skin;
mod solid;
mod space;
mod surface;
mod sweep;
mod touch;
mod tree;
mod wall;
mod wall_side;

pub use delassus_threads as threads;

pub use aabb::Aabb;
pub use collider::Collider;
pub use contact::{Contact, ContactKey, ContactSet, Frames};
pub use detector::Detector;
pub use error::{Error, NumberOf};
pub use expression::{Expression, ExpressionError};
pub use hit::Hit;
pub use mass::{Mass2, Mass3};
pub use pass::Ends;
pub use placement::Placement;
pub use plane::{Polygon, Shape2, Solid2};
pub use pose::{Dim, Offset, Pose, Rotation, Vector, rotation3};
pub use settings::{DetectorSettings, Periodic, Shear};
pub use sight::{Ridge, Sight};
pub use solid::{Defect, Pieces, Polyhedron, Scratch3, Shape3, Solid3, TriMesh};
pub use space::{Query, Shape, Solid, Space};
pub use surface::Surface;
pub use sweep::{Crossing, Flight, HARD, NEAR};
pub use touch::{Stencil, Touch};
pub use tree::Tree;
pub use wall::{WALL_VARIABLES, Wall, WallPoint};
