//! Where surfaces meet: pairing, collocation points, frames
//!
//! ```text
//! Surface (slave) ┐                         ┌─▶ points: gap, frame, N, N̄, ω, ψ
//!                 ├─▶ Interface::pair(x, t) ┤
//! Master ─────────┘                         └─▶ multipliers: how many
//! ```
//!
//! g  gap, positive apart \[m\]              n  normal, from the master towards the slave
//! N, N̄  shape functions of slave, master   ω  share of the reference area \[m²\]
//! ψ  basis of the multipliers              w  velocity of an obstacle \[m/s\]
//!
//! A slave surface faces a master: another surface, itself, or a rigid [`Obstacle`]. Each
//! collocation point of the slave is paired with a place of the master (thesis §2.5), which
//! gives gap, frame and interpolation; laws and time belong to others. Multipliers live on
//! the slave surface, or on a mesh of their own upon it, a [`Carrier`] (thesis §3.2.2).
//!
//! Departures from \[Zammali05\]: signs of method §1; smoothed normals also decide the
//! opposite place, so that it moves continuously; edges sharper than 60° stay sharp.

mod carrier;
mod clip;
mod closest;
mod contact_point;
mod error;
mod facet;
mod frame;
mod interface;
mod kind;
mod master;
mod obstacle;
mod partition;
mod quadrature;
mod settings;
#[allow(clippy::module_inception)]
mod skin;
mod surface;

pub use crate::touch::Stencil;
pub use carrier::Carrier;
pub use contact_point::{ContactPoint, PointKey};
pub use error::ContactError;
pub(crate) use facet::normal_of;
pub use facet::{FACET_NODES, Xi};
pub use interface::{Interface, Master};
pub use kind::FacetKind;
pub(crate) use master::Itself;
pub use obstacle::{Motion, Obstacle};
pub use settings::{Collocation, Multipliers, PairSettings, Pairing};
pub use skin::{Foot, Skin, SkinSpec};
pub use surface::Surface;
