//! A shape placed in the world: vertices and face normals, kept between steps.

use super::closest::{point_hull, segments};
use super::hull::size;
use super::pair::{cylinder_of, hull};
use super::polyhedron::Topology;
use super::{Polyhedron, Shape3, TriMesh, V};
use crate::points::Points;
use crate::{Aabb, Error, Pose, Ridge, Sight, Solid, Wall};
use std::sync::Arc;

/// Number of fixed points on each rim of a cylinder.
pub(super) const RIM: usize = 8;

/// How the vertices of a solid are meant.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// Points within `radius` of one vertex, or of the segment of two.
    Round,
    /// The hull of the vertices.
    Hull(Arc<Topology>),
    /// Vertices: the upper rim, then the lower one; `normals[0]` is the axis.
    Cylinder { half: f64 },
    /// Triangles over the vertices; normals of the triangles.
    Mesh(Arc<TriMesh>),
    /// `vertices[0]` on the face, `normals[0]` outward.
    HalfSpace,
    /// All but the ball of `radius` around `vertices[0]`.
    Cavity,
    /// An analytic wall.
    Wall(Arc<Wall<3>>),
}

/// A collider's shape in the world.
#[derive(Clone, Debug)]
pub struct Solid3 {
    pub(super) kind: Kind,
    pub(super) radius: f64,
    /// Of a hull: greatest distance of a vertex from the first.
    pub(super) size: f64,
    local: Points<3>,
    local_normals: Box<[V]>,
    pub(super) vertices: Points<3>,
    pub(super) normals: Box<[V]>,
    /// Of a hull: heights of the faces along their normals.
    pub(super) levels: Box<[f64]>,
    /// None of round shapes.
    frame: Option<Box<Frame>>,
    aabb: Aabb<3>,
}

/// Where a solid is.
#[derive(Clone, Debug)]
struct Frame {
    /// Pose of the collider in the world; not kept up for hulls.
    pose: Pose<3>,
    offset: Pose<3>,
    /// Pose of the body.
    last: Option<Pose<3>>,
}

impl Solid3 {
    /// Prepares a shape carried at `offset` in its body.
    pub fn new(shape: &Shape3, offset: &Pose<3>) -> Result<Self, Error> {
        shape.validate()?;
        let axis = |l: f64| vec![V::new(0.0, 0.0, -l), V::new(0.0, 0.0, l)];
        let (kind, radius, points, normals) = match shape {
            Shape3::Point => (Kind::Round, 0.0, vec![V::zeros()], vec![]),
            Shape3::Sphere { radius } => (Kind::Round, *radius, vec![V::zeros()], vec![]),
            Shape3::Capsule { half_length, radius } => (Kind::Round, *radius, axis(*half_length), vec![]),
            Shape3::Cylinder { half_height: h, radius } => {
                (Kind::Cylinder { half: *h }, *radius, rims(*h, *radius), vec![V::z()])
            }
            Shape3::Box { half } => of_hull(&Polyhedron::cuboid(half)),
            Shape3::Polyhedron(p) => of_hull(p),
            Shape3::Mesh(m) | Shape3::HeightField(m) => {
                let normal = |t: &[u32; 3]| super::polyhedron::newell(m.points(), t).normalize();
                (Kind::Mesh(m.clone()), 0.0, m.points().to_vec(), m.triangles().iter().map(normal).collect())
            }
            Shape3::HalfSpace { normal } => (Kind::HalfSpace, 0.0, vec![V::zeros()], vec![*normal]),
            Shape3::Cavity { radius } => (Kind::Cavity, *radius, vec![V::zeros()], vec![]),
            Shape3::Wall(w) => (Kind::Wall(w.clone()), 0.0, vec![], vec![]),
        };
        let local: Points<3> = points.iter().map(|p| offset.point(p)).collect();
        let local_normals: Box<[V]> = normals.iter().map(|n| offset.rotation * n).collect();
        let round = matches!(kind, Kind::Round);
        let (vertices, normals) = (local.clone(), local_normals.clone());
        let size = if let Kind::Hull(_) = kind { size(&points) } else { 0.0 };
        let levels = if let Kind::Hull(_) = kind { vec![0.0; normals.len()].into() } else { Box::default() };
        let mut solid = Self {
            kind,
            radius,
            size,
            local,
            local_normals,
            vertices,
            normals,
            levels,
            frame: (!round).then(|| Box::new(Frame { pose: *offset, offset: *offset, last: None })),
            aabb: Aabb::empty(),
        };
        solid.place(&Pose::identity());
        Ok(solid)
    }

    /// Pose of the collider in the world, of cylinders, meshes and walls.
    pub(super) fn pose(&self) -> Pose<3> {
        self.frame.as_ref().map_or_else(Pose::identity, |f| f.pose)
    }

    fn compute_aabb(&self) -> Aabb<3> {
        match self.kind {
            Kind::HalfSpace | Kind::Cavity | Kind::Wall(_) => Aabb::everything(),
            Kind::Cylinder { half } => {
                let (c, a) = (self.pose().position, self.normals[0]);
                let reach = V::from_fn(|k, _| half * a[k].abs() + self.radius * (1.0 - a[k] * a[k]).max(0.0).sqrt());
                Aabb { min: c - reach, max: c + reach }
            }
            Kind::Round => Aabb::of_points(&self.vertices, self.radius),
            _ => Aabb::of_points(&self.vertices, 0.0),
        }
    }
}

impl Solid<3> for Solid3 {
    fn place(&mut self, body: &Pose<3>) {
        // Fixed bodies cost nothing.
        if self.frame.as_ref().is_some_and(|f| f.last.as_ref() == Some(body)) {
            return;
        }
        for (w, l) in self.vertices.iter_mut().zip(self.local.iter()) {
            *w = body.point(l);
        }
        for (w, l) in self.normals.iter_mut().zip(&self.local_normals) {
            *w = body.rotation * l;
        }
        if let Kind::Hull(topology) = &self.kind {
            for (f, (level, n)) in self.levels.iter_mut().zip(&self.normals).enumerate() {
                *level = n.dot(&self.vertices[topology.face(f)[0] as usize]);
            }
        }
        if let Some(frame) = &mut self.frame {
            if !matches!(self.kind, Kind::Hull(_)) {
                frame.pose = body.then(&frame.offset);
            }
            frame.last = Some(*body);
        }
        self.aabb = self.compute_aabb();
    }

    fn ball(&self) -> Option<(V, f64)> {
        match self.kind {
            Kind::Round if self.vertices.len() == 1 => Some((self.vertices[0], self.radius)),
            _ => None,
        }
    }

    fn aabb(&self) -> Aabb<3> {
        self.aabb
    }

    fn sight(&self, p: &V, t: f64, reach: f64) -> Result<Option<Sight<3>>, Error> {
        Ok(Some(match &self.kind {
            Kind::Wall(w) => return Ok(w.closest(&self.pose(), t, p, reach)?.map(|c| c.sight())),
            Kind::Mesh(m) => return Ok(self.mesh_sight(m, p, reach)),
            Kind::HalfSpace => Sight::along(p, self.normals[0].dot(&(p - self.vertices[0])), self.normals[0]),
            Kind::Cavity => Sight::of_cavity(p, &self.vertices[0], self.radius),
            Kind::Round => {
                let axis = (self.vertices[0], self.vertices[self.vertices.len() - 1]);
                let (s, _) = segments(axis, (*p, *p));
                Sight::of_ball(p, &(axis.0 + (axis.1 - axis.0) * s), self.radius)
            }
            Kind::Cylinder { half } => {
                let (foot, normal, gap) = cylinder_of(self, *half, V::zeros()).closest(p);
                Sight { gap, normal, foot, velocity: V::zeros() }
            }
            Kind::Hull(_) => {
                let Some(h) = hull(self, V::zeros()) else { return Ok(None) };
                let c = point_hull(&h, p);
                Sight { gap: c.distance, normal: c.normal, foot: c.point, velocity: V::zeros() }
            }
        }))
    }

    fn corners(&self) -> (&[V], f64) {
        match self.kind {
            Kind::Round => (&self.vertices, self.radius),
            Kind::Hull(_) | Kind::Cylinder { .. } | Kind::Mesh(_) => (&self.vertices, 0.0),
            Kind::HalfSpace | Kind::Cavity | Kind::Wall(_) => (&[], 0.0),
        }
    }

    fn is_solid(&self) -> bool {
        matches!(self.kind, Kind::Hull(_) | Kind::Cylinder { .. })
    }

    fn has_parts(&self) -> bool {
        matches!(self.kind, Kind::Mesh(_))
    }

    fn ridge(&self, i: usize) -> Option<Ridge<3>> {
        let Kind::Hull(topology) = &self.kind else { return None };
        let e = topology.edges.get(i)?;
        let ends = e.vertices.map(|v| self.vertices[v as usize]);
        Some(Ridge { ends, normals: e.faces.map(|f| self.normals[f as usize]) })
    }
}

fn of_hull(p: &Polyhedron) -> (Kind, f64, Vec<V>, Vec<V>) {
    (Kind::Hull(Arc::new(p.topology().clone())), 0.0, p.vertices().to_vec(), p.normals().to_vec())
}

fn rims(h: f64, r: f64) -> Vec<V> {
    let at = |i: usize| std::f64::consts::TAU * (i % RIM) as f64 / RIM as f64;
    (0..2 * RIM).map(|i| V::new(r * libm::cos(at(i)), r * libm::sin(at(i)), if i < RIM { h } else { -h })).collect()
}
