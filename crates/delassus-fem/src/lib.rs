//! Deformable solids in contact and impact \[Zammali05\]
//!
//! ```text
//! Mesh ─▶ Solid (elements, material) ─┐
//!         springs, masses, beams ─────┼─▶ Model ─▶ Analysis ─step─▶ Report
//! Surface ─pairing─▶ ContactPoint ────┘            (scheme × formalism)
//! ```
//!
//! A [`solid::Solid`] gives forces and tangents element by element, [`algebra`] gathers
//! and factorises them, [`contact`] says where surfaces meet.
//!
//! Displacements, velocities and forces are flat: component `k` of node `i` is at
//! `dim * i + k`.

pub mod algebra;
pub mod element;
pub mod material;
pub mod mesh;
pub mod solid;

/// Where surfaces meet, and the skins of solids.
pub use delassus_contact::skin as contact;

mod formalism;
mod function;
mod linear_element;
pub mod model;
mod scheme;

pub use formalism::{ContactSettings, Formalism, FormalismError, Module};
pub use function::Function;
pub use model::Model;
pub use scheme::{Prediction, Scheme, SchemeError};

pub mod analysis;
pub mod structure;
pub mod subsystem;

pub use analysis::{Analysis, Settings, State};
