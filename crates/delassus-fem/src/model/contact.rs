//! Where surfaces may meet.

use crate::Function;
use crate::contact::{Obstacle, PairSettings, Surface};

/// What a slave surface meets.
// A model has few of them: no need to box the surface too.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub enum Against {
    /// Another surface.
    Surface(Surface),
    /// Itself.
    Itself,
    /// A rigid obstacle of the plane.
    Plane(Box<Obstacle<2>>),
    /// A rigid obstacle of space.
    Space(Box<Obstacle<3>>),
}

/// A place where two surfaces, or a surface and an obstacle, may meet.
#[derive(Clone, Debug)]
pub struct ContactPair {
    /// Its name.
    pub name: String,
    /// The surface that carries collocation points and multipliers.
    pub slave: Surface,
    /// What it meets.
    pub against: Against,
    /// Pairing and integration.
    pub settings: PairSettings,
    /// Coefficient of friction, unless [`crate::Model::laws`] has a law for it.
    pub friction: f64,
    /// Displacement of the obstacle in time, by component; empty: it rests.
    pub motion: Vec<Function>,
}

impl ContactPair {
    /// Nodes of the master, unless it is an obstacle.
    pub fn master_nodes(&self) -> Option<&[u32]> {
        match &self.against {
            Against::Surface(s) => Some(s.nodes()),
            Against::Itself => Some(self.slave.nodes()),
            Against::Plane(_) | Against::Space(_) => None,
        }
    }
}
