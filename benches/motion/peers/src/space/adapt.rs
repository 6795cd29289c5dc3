//! What differs between Rapier's two crates: here space.

use super::rapier::prelude::*;
use crate::state::{Body, Setting, Shape};
use std::error::Error;

pub fn vector(x: &[f64]) -> Vector {
    Vector::new(x[0], x[1], x[2])
}

pub fn pose(position: &[f64], rotation: &[f64]) -> Pose {
    let [w, x, y, z] = [0, 1, 2, 3].map(|k| rotation[k]);
    Pose::from_parts(vector(position), Rotation::from_xyzw(x, y, z, w))
}

pub fn place(body: &RigidBody) -> [Vec<f64>; 3] {
    let (x, q, v) = (body.translation(), body.rotation(), body.linvel());
    [vec![x.x, x.y, x.z], vec![q.w, q.x, q.y, q.z], vec![v.x, v.y, v.z]]
}

pub fn spin(body: &Body) -> Vector {
    vector(&body.spin)
}

/// A shape, and where it is in its body.
pub fn shape(shape: &Shape) -> Result<(SharedShape, Pose), Box<dyn Error>> {
    let here = Pose::IDENTITY;
    let vectors = |points: &[Vec<f64>]| points.iter().map(|p| vector(p)).collect::<Vec<Vector>>();
    Ok(match shape {
        Shape::HalfSpace => (SharedShape::halfspace(Vector::Z), here),
        Shape::Sphere { radius } => (SharedShape::ball(*radius), here),
        Shape::Capsule { half, radius } => (SharedShape::capsule_x(*half, *radius), here),
        Shape::Box { centre, half } => {
            (SharedShape::cuboid(half[0], half[1], half[2]), pose(centre, &[1.0, 0.0, 0.0, 0.0]))
        }
        Shape::Polyhedron { points } => {
            (SharedShape::convex_hull(&vectors(points)).ok_or("a polyhedron without volume")?, here)
        }
        Shape::Mesh { points, faces } => (SharedShape::trimesh(vectors(points), faces.clone())?, here),
        Shape::Disc { .. } | Shape::Polygon { .. } => return Err("a shape of the plane in space".into()),
    })
}

/// One law of Coulomb per point instead of one per four of them.
pub fn friction(parameters: &mut IntegrationParameters, setting: Setting) {
    if setting == Setting::Stiff {
        parameters.friction_model = FrictionModel::Coulomb;
    }
}
