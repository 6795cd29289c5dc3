//! What differs between Rapier's two crates: here the plane.

use super::rapier::prelude::*;
use crate::state::{Body, Setting, Shape};
use std::error::Error;

pub fn vector(x: &[f64]) -> Vector {
    Vector::new(x[0], x[1])
}

pub fn pose(position: &[f64], rotation: &[f64]) -> Pose {
    Pose::new(vector(position), rotation[0])
}

pub fn place(body: &RigidBody) -> [Vec<f64>; 3] {
    let (x, v) = (body.translation(), body.linvel());
    [vec![x.x, x.y], vec![body.rotation().angle()], vec![v.x, v.y]]
}

pub fn spin(body: &Body) -> f64 {
    body.spin[0]
}

/// A shape, and where it is in its body.
pub fn shape(shape: &Shape) -> Result<(SharedShape, Pose), Box<dyn Error>> {
    let here = Pose::IDENTITY;
    Ok(match shape {
        Shape::HalfSpace => (SharedShape::halfspace(Vector::Y), here),
        Shape::Disc { radius } => (SharedShape::ball(*radius), here),
        Shape::Capsule { half, radius } => (SharedShape::capsule_x(*half, *radius), here),
        Shape::Box { centre, half } => (SharedShape::cuboid(half[0], half[1]), pose(centre, &[0.0])),
        Shape::Polygon { points } => {
            let points: Vec<Vector> = points.iter().map(|p| vector(p)).collect();
            (SharedShape::convex_hull(&points).ok_or("a polygon without area")?, here)
        }
        Shape::Sphere { .. } | Shape::Polyhedron { .. } | Shape::Mesh { .. } => {
            return Err("a shape of space in the plane".into());
        }
    })
}

pub fn friction(_: &mut IntegrationParameters, _: Setting) {}
