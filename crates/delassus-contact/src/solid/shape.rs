//! Shapes of space.

use super::{Defect, Polyhedron, TriMesh, V};
use crate::error::{finite, positive};
use crate::{Error, Shape, Wall};
use std::sync::Arc;

/// A shape of space, in the frame of its collider.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Shape3 {
    /// A particle without size, at the origin.
    Point,
    /// A sphere centred at the origin.
    Sphere {
        /// Radius \[m\].
        radius: f64,
    },
    /// Points at less than `radius` from the segment of half length `half_length` along z.
    Capsule {
        /// Half length of the axis \[m\].
        half_length: f64,
        /// Radius \[m\].
        radius: f64,
    },
    /// A circular cylinder of axis z.
    Cylinder {
        /// Half height \[m\].
        half_height: f64,
        /// Radius \[m\].
        radius: f64,
    },
    /// A box centred at the origin.
    Box {
        /// Half sides \[m\].
        half: V,
    },
    /// A convex polyhedron.
    Polyhedron(Arc<Polyhedron>),
    /// A triangle mesh, seen from outside; on bodies that move it must be closed.
    Mesh(Arc<TriMesh>),
    /// A height field, z up, on fixed bodies only, as triangles.
    HeightField(Arc<TriMesh>),
    /// Everything on the side of the origin opposite to `normal`.
    HalfSpace {
        /// Unit outward normal.
        normal: V,
    },
    /// Everything but the ball of this radius around the origin: bodies are inside.
    Cavity {
        /// Radius \[m\].
        radius: f64,
    },
    /// An analytic wall.
    Wall(Arc<Wall<3>>),
}

impl Shape3 {
    /// A sphere.
    pub fn sphere(radius: f64) -> Result<Self, Error> {
        Self::Sphere { radius }.validated()
    }

    /// A capsule along z; its total length is `2 (half_length + radius)`.
    pub fn capsule(half_length: f64, radius: f64) -> Result<Self, Error> {
        Self::Capsule { half_length, radius }.validated()
    }

    /// A cylinder along z.
    pub fn cylinder(half_height: f64, radius: f64) -> Result<Self, Error> {
        Self::Cylinder { half_height, radius }.validated()
    }

    /// A box of the given sides (not half sides).
    pub fn cuboid(sides: [f64; 3]) -> Result<Self, Error> {
        Self::Box { half: V::from(sides) * 0.5 }.validated()
    }

    /// The convex hull of points.
    pub fn polyhedron(points: &[[f64; 3]]) -> Result<Self, Error> {
        Ok(Self::Polyhedron(Arc::new(Polyhedron::hull(points)?)))
    }

    /// A triangle mesh, counter-clockwise from outside.
    pub fn mesh(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Result<Self, Error> {
        Ok(Self::Mesh(Arc::new(TriMesh::new(points, triangles)?)))
    }

    /// A height field of `n[0] × n[1]` heights (x fastest) over a rectangle centred at the origin.
    pub fn height_field(size: [f64; 2], n: [usize; 2], heights: &[f64]) -> Result<Self, Error> {
        Ok(Self::HeightField(Arc::new(TriMesh::height_field(size, n, heights)?)))
    }

    /// A half-space with the given outward normal (any length), its face through the origin.
    pub fn half_space(normal: [f64; 3]) -> Result<Self, Error> {
        finite("half-space normal", &normal)?;
        let n = V::from(normal);
        positive("norm of the half-space normal", n.norm())?;
        Ok(Self::HalfSpace { normal: n.normalize() })
    }

    /// Everything but a ball.
    pub fn cavity(radius: f64) -> Result<Self, Error> {
        Self::Cavity { radius }.validated()
    }

    /// An analytic wall `f(t, x, y, z) ≤ 0`.
    pub fn wall(function: &str) -> Result<Self, Error> {
        Ok(Self::Wall(Arc::new(Wall::new(function)?)))
    }

    fn validated(self) -> Result<Self, Error> {
        self.validate()?;
        Ok(self)
    }

    /// Checks the numbers; constructors and the detector call it.
    pub fn validate(&self) -> Result<(), Error> {
        match self {
            Self::Point | Self::Wall(_) | Self::Polyhedron(_) | Self::Mesh(_) | Self::HeightField(_) => Ok(()),
            Self::Sphere { radius } => positive("sphere radius", *radius),
            Self::Cavity { radius } => positive("cavity radius", *radius),
            Self::Capsule { half_length, radius } => {
                positive("capsule half length", *half_length)?;
                positive("capsule radius", *radius)
            }
            Self::Cylinder { half_height, radius } => {
                positive("cylinder half height", *half_height)?;
                positive("cylinder radius", *radius)
            }
            Self::Box { half } => half.iter().try_for_each(|&h| positive("box half side", h)),
            Self::HalfSpace { normal } => {
                finite("half-space normal", normal.as_slice())?;
                if (normal.norm() - 1.0).abs() < 1e-12 {
                    Ok(())
                } else {
                    Err(Error::NotPositive { what: "unit length of the half-space normal", value: normal.norm() })
                }
            }
        }
    }
}

impl Shape for Shape3 {
    fn name(&self) -> &'static str {
        match self {
            Self::Point => "point",
            Self::Sphere { .. } => "sphere",
            Self::Capsule { .. } => "capsule",
            Self::Cylinder { .. } => "cylinder",
            Self::Box { .. } => "box",
            Self::Polyhedron(_) => "polyhedron",
            Self::Mesh(_) => "mesh",
            Self::HeightField(_) => "height field",
            Self::HalfSpace { .. } => "half-space",
            Self::Cavity { .. } => "cavity",
            Self::Wall(_) => "wall",
        }
    }

    fn check(&self) -> Result<(), Error> {
        self.validate()
    }

    fn changes(&self) -> bool {
        matches!(self, Self::Wall(wall) if wall.changes())
    }

    fn is_unbounded(&self) -> bool {
        matches!(self, Self::HalfSpace { .. } | Self::Cavity { .. } | Self::Wall(_))
    }

    fn must_be_fixed(&self) -> bool {
        match self {
            Self::Mesh(m) => !m.is_closed(),
            other => matches!(other, Self::HeightField(_)),
        }
    }

    fn defect(&self) -> Option<Defect> {
        match self {
            Self::Mesh(m) => m.defect(),
            _ => None,
        }
    }

    fn bounding_radius(&self) -> f64 {
        let farthest = |p: &[V]| p.iter().fold(0.0f64, |m, v| m.max(v.norm()));
        match self {
            Self::Point => 0.0,
            Self::Sphere { radius } => *radius,
            Self::Capsule { half_length, radius } => half_length + radius,
            Self::Cylinder { half_height, radius } => half_height.hypot(*radius),
            Self::Box { half } => half.norm(),
            Self::Polyhedron(p) => farthest(p.vertices()),
            Self::Mesh(m) | Self::HeightField(m) => farthest(m.points()),
            Self::HalfSpace { .. } | Self::Cavity { .. } | Self::Wall(_) => f64::INFINITY,
        }
    }

    fn thickness(&self) -> f64 {
        match self {
            Self::Point | Self::Wall(_) => 0.0,
            Self::Sphere { radius } | Self::Capsule { radius, .. } => *radius,
            Self::Cylinder { half_height, radius } => half_height.min(*radius),
            Self::Box { half } => half.min(),
            Self::Polyhedron(p) => p.thickness(),
            Self::Mesh(m) | Self::HeightField(m) => m.thickness(),
            Self::HalfSpace { .. } | Self::Cavity { .. } => f64::INFINITY,
        }
    }

    fn is_surface(&self) -> bool {
        matches!(self, Self::Mesh(_) | Self::HeightField(_))
    }

    fn is_round(&self) -> bool {
        matches!(self, Self::Point | Self::Sphere { .. } | Self::HalfSpace { .. } | Self::Cavity { .. } | Self::Wall(_))
    }
}
