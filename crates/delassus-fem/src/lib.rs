//! Deformable solids in contact and impact \[Zammali05\]
//!
//! ```text
//! Mesh ─▶ Solid (elements, material) ─┐
//!         springs, masses, beams ─────┼─▶ Model ─▶ Solids: a part of the world
//! Surface ─pairing─▶ ContactPoint ────┘            (scheme × formalism)
//! ```
//!
//! A [`solid::Solid`] gives forces and tangents element by element, [`algebra`] gathers
//! and factorises them, [`contact`] says where surfaces meet.
//!
//! Displacements, velocities and forces are flat: component `k` of node `i` is at
//! `dim * i + k`.

pub use delassus_algebra as algebra;
/// Where surfaces meet, and the skins of solids.
pub use delassus_contact::skin as contact;

pub mod element;
mod error;
mod function;
mod linear_element;
pub mod material;
pub mod mesh;
pub mod model;
mod resistance;
mod scheme;
pub mod solid;
pub mod structure;
pub mod subsystem;
mod world;

pub use delassus_dynamics::{ContactSettings, Formalism, FormalismError, Loops, Path, Predicted};
pub use error::Error;
pub use function::Function;
pub use model::Model;
pub use scheme::{Prediction, Scheme, SchemeError};
pub use subsystem::{Linear, SolidSettings, Solids};
pub use world::world_of;
