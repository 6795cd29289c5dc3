//! Bodies as they are described.

use crate::{Mass, Motion};
use delassus_contact::{Dim, Offset, Pose, Space, Vector};
use std::sync::Arc;

/// How a body moves.
#[derive(Clone, Debug)]
pub enum Kind<const D: usize> {
    /// By the laws of mechanics.
    Dynamic(Mass<D>),
    /// By the laws of mechanics; mass and inertia from its shapes, of this density
    /// \[kg/m³, kg/m² in the plane\].
    Homogeneous {
        /// Density.
        density: f64,
    },
    /// Not at all.
    Fixed,
    /// As imposed.
    Imposed(Box<Motion<D>>),
}

/// A shape on a body.
#[derive(Clone, Debug)]
pub struct ShapeSpec<const D: usize>
where
    Dim<D>: Space<D>,
{
    /// The shape.
    pub shape: <Dim<D> as Space<D>>::Shape,
    /// Where it is in the body.
    pub offset: Offset<D>,
    /// Index of its material.
    pub material: u16,
    /// Shapes of the same group other than 0 do not meet.
    pub group: u16,
}

/// A body: how it moves, where it starts, what it is made of.
#[derive(Clone, Debug)]
pub struct BodySpec<const D: usize>
where
    Dim<D>: Space<D>,
{
    /// Name, for messages and records.
    pub name: Arc<str>,
    /// How it moves.
    pub kind: Kind<D>,
    /// Where it starts.
    pub pose: Offset<D>,
    /// Velocity of its centre of mass at the start \[m/s\].
    pub velocity: Vector<D>,
    /// Angular velocity at the start, in the world \[rad/s\]; in the plane the third component.
    pub spin: [f64; 3],
    /// Shapes.
    pub shapes: Vec<ShapeSpec<D>>,
}

impl<const D: usize> BodySpec<D>
where
    Dim<D>: Space<D>,
{
    /// A body of some kind at the origin.
    pub fn new(name: impl Into<Arc<str>>, kind: Kind<D>) -> Self {
        let (name, pose, velocity) = (name.into(), Offset::none(), Vector::zeros());
        Self { name, kind, pose, velocity, spin: [0.0; 3], shapes: vec![] }
    }

    /// A moving body.
    pub fn dynamic(name: impl Into<Arc<str>>, mass: Mass<D>) -> Self {
        Self::new(name, Kind::Dynamic(mass))
    }

    /// A moving body whose mass follows from its shapes.
    pub fn homogeneous(name: impl Into<Arc<str>>, density: f64) -> Self {
        Self::new(name, Kind::Homogeneous { density })
    }

    /// An obstacle at rest.
    pub fn fixed(name: impl Into<Arc<str>>) -> Self {
        Self::new(name, Kind::Fixed)
    }

    /// An obstacle with an imposed motion.
    pub fn imposed(name: impl Into<Arc<str>>, motion: Motion<D>) -> Self {
        Self::new(name, Kind::Imposed(Box::new(motion)))
    }

    /// Starts at this position.
    pub fn at(mut self, position: Vector<D>) -> Self {
        self.pose.position = position;
        self
    }

    /// Starts at this pose.
    pub fn posed(mut self, pose: Pose<D>) -> Self {
        self.pose = pose.into();
        self
    }

    /// Starts with this velocity.
    pub fn moving(mut self, velocity: Vector<D>) -> Self {
        self.velocity = velocity;
        self
    }

    /// Starts with this angular velocity, in the world.
    pub fn spinning(mut self, spin: [f64; 3]) -> Self {
        self.spin = spin;
        self
    }

    /// Adds a shape of material 0 at the origin of the body.
    pub fn shape(self, shape: <Dim<D> as Space<D>>::Shape) -> Self {
        self.shape_of(shape, 0)
    }

    /// Adds a shape of a material at the origin of the body.
    pub fn shape_of(mut self, shape: <Dim<D> as Space<D>>::Shape, material: u16) -> Self {
        self.shapes.push(ShapeSpec { shape, offset: Offset::none(), material, group: 0 });
        self
    }
}
