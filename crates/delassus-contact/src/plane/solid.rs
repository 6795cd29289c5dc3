//! A shape placed in the world: vertices and edge normals, kept between steps.

use super::{Shape2, V, right};
use crate::points::Points;
use crate::{Aabb, Error, Pose, Sight, Solid, Wall};
use std::sync::Arc;

/// How the vertices of a solid are meant.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// Points within `radius` of the hull of 1, 2 or more vertices.
    Convex,
    /// A chain of segments.
    Chain {
        /// Whether the last point is joined to the first.
        closed: bool,
    },
    /// `vertices[0]` on the edge, `normals[0]` outward.
    HalfPlane,
    /// All but the disc of `radius` around `vertices[0]`.
    Cavity,
    /// An analytic wall.
    Wall(Arc<Wall<2>>),
}

/// A collider's shape in the world.
#[derive(Clone, Debug)]
pub struct Solid2 {
    pub(super) kind: Kind,
    pub(super) radius: f64,
    local: Points<2>,
    local_normals: Box<[V]>,
    /// World vertices; for discs their one centre.
    pub(super) vertices: Points<2>,
    /// Outward normal of edge i, from vertex i to i + 1.
    pub(super) normals: Box<[V]>,
    /// Pose of the collider in the world; kept up for walls only.
    pub(super) pose: Pose<2>,
    offset: Pose<2>,
    aabb: Aabb<2>,
}

impl Solid2 {
    /// Prepares a shape carried at `offset` in its body.
    pub fn new(shape: &Shape2, offset: &Pose<2>) -> Result<Self, Error> {
        shape.validate()?;
        let (kind, radius, points): (Kind, f64, Vec<V>) = match shape {
            Shape2::Point => (Kind::Convex, 0.0, vec![V::zeros()]),
            Shape2::Disc { radius } => (Kind::Convex, *radius, vec![V::zeros()]),
            Shape2::Capsule { half_length: l, radius } => {
                (Kind::Convex, *radius, vec![V::new(-l, 0.0), V::new(*l, 0.0)])
            }
            Shape2::Segment { a, b } => (Kind::Convex, 0.0, vec![*a, *b]),
            Shape2::Box { half: h } => {
                let c = [V::new(-h.x, -h.y), V::new(h.x, -h.y), V::new(h.x, h.y), V::new(-h.x, h.y)];
                (Kind::Convex, 0.0, c.to_vec())
            }
            Shape2::Polygon(p) => (Kind::Convex, 0.0, p.vertices().to_vec()),
            Shape2::Polyline { points, closed } => (Kind::Chain { closed: *closed }, 0.0, points.clone()),
            Shape2::HalfPlane { .. } => (Kind::HalfPlane, 0.0, vec![V::zeros()]),
            Shape2::Cavity { radius } => (Kind::Cavity, *radius, vec![V::zeros()]),
            Shape2::Wall(w) => (Kind::Wall(w.clone()), 0.0, vec![]),
        };
        let local: Points<2> = points.iter().map(|p| offset.point(p)).collect();
        let local_normals: Box<[V]> = match shape {
            Shape2::HalfPlane { normal } => Box::new([offset.rotation * normal]),
            Shape2::Polyline { closed: false, .. } => edge_normals(&local, local.len() - 1),
            _ if local.len() < 2 => Box::default(),
            _ => edge_normals(&local, local.len()),
        };
        let (vertices, normals) = (local.clone(), local_normals.clone());
        let (pose, offset, aabb) = (*offset, *offset, Aabb::empty());
        let mut solid = Self { kind, radius, local, local_normals, vertices, normals, pose, offset, aabb };
        solid.place(&Pose::identity());
        Ok(solid)
    }
}

impl Solid<2> for Solid2 {
    fn place(&mut self, body: &Pose<2>) {
        for (w, l) in self.vertices.iter_mut().zip(self.local.iter()) {
            *w = body.point(l);
        }
        for (w, l) in self.normals.iter_mut().zip(&self.local_normals) {
            *w = body.rotation * l;
        }
        if let Kind::Wall(_) = self.kind {
            self.pose = body.then(&self.offset);
        }
        self.aabb = match self.kind {
            Kind::HalfPlane | Kind::Cavity | Kind::Wall(_) => Aabb::everything(),
            _ => Aabb::of_points(&self.vertices, self.radius),
        };
    }

    fn ball(&self) -> Option<(V, f64)> {
        match self.kind {
            Kind::Convex if self.vertices.len() == 1 => Some((self.vertices[0], self.radius)),
            _ => None,
        }
    }

    fn face(&self) -> Option<(V, V)> {
        match self.kind {
            Kind::HalfPlane => Some((self.normals[0], self.vertices[0])),
            _ => None,
        }
    }

    fn aabb(&self) -> Aabb<2> {
        self.aabb
    }

    fn sight(&self, p: &V, t: f64, reach: f64) -> Result<Option<Sight<2>>, Error> {
        Ok(Some(match &self.kind {
            Kind::Wall(w) => return Ok(w.closest(&self.pose, t, p, reach)?.map(|c| c.sight())),
            Kind::HalfPlane => Sight::along(p, self.normals[0].dot(&(p - self.vertices[0])), self.normals[0]),
            Kind::Cavity => Sight::of_cavity(p, &self.vertices[0], self.radius),
            Kind::Convex if self.vertices.len() == 1 => Sight::of_ball(p, &self.vertices[0], self.radius),
            Kind::Convex if self.vertices.len() > 2 => self.polygon_sight(p),
            Kind::Convex | Kind::Chain { .. } => self.segments_sight(p),
        }))
    }

    fn corners(&self) -> (&[V], f64) {
        match self.kind {
            Kind::Convex | Kind::Chain { .. } => (&self.vertices, self.radius),
            Kind::HalfPlane | Kind::Cavity | Kind::Wall(_) => (&[], 0.0),
        }
    }

    fn is_solid(&self) -> bool {
        matches!(self.kind, Kind::Convex) && self.vertices.len() > 2
    }

    fn has_parts(&self) -> bool {
        matches!(self.kind, Kind::Chain { .. })
    }
}

fn edge_normals(v: &[V], edges: usize) -> Box<[V]> {
    (0..edges).map(|i| right(&(v[(i + 1) % v.len()] - v[i])).normalize()).collect()
}
