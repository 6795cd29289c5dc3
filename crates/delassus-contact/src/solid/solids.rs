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
    pub(super) vertices: Points<3>,
    /// None of a ball about the origin of its body: scenes have many of them.
    form: Option<Box<Form>>,
}

/// What a solid is beyond its points in the world.
#[derive(Clone, Debug)]
struct Form {
    /// Of a hull: greatest distance of a vertex from the first.
    size: f64,
    local: Points<3>,
    local_normals: Box<[V]>,
    normals: Box<[V]>,
    /// Of a hull: heights of the faces along their normals.
    levels: Box<[f64]>,
    /// None of round shapes.
    frame: Option<Frame>,
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
        if let (Kind::Round, [one]) = (&kind, &local[..])
            && *one == V::zeros()
        {
            return Ok(Self { kind, radius, vertices: local, form: None });
        }
        let local_normals: Box<[V]> = normals.iter().map(|n| offset.rotation * n).collect();
        let round = matches!(kind, Kind::Round);
        let (vertices, normals) = (local.clone(), local_normals.clone());
        let size = if let Kind::Hull(_) = kind { size(&points) } else { 0.0 };
        let levels = if let Kind::Hull(_) = kind { vec![0.0; normals.len()].into() } else { Box::default() };
        let frame = (!round).then_some(Frame { pose: *offset, offset: *offset, last: None });
        let form = Form { size, local, local_normals, normals, levels, frame, aabb: Aabb::empty() };
        let mut solid = Self { kind, radius, vertices, form: Some(Box::new(form)) };
        solid.place(&Pose::identity());
        Ok(solid)
    }

    /// Pose of the collider in the world, of cylinders, meshes and walls.
    pub(super) fn pose(&self) -> Pose<3> {
        let frame = self.form.as_ref().and_then(|f| f.frame.as_ref());
        frame.map_or_else(Pose::identity, |f| f.pose)
    }

    /// Normals of the faces; see [`Kind`].
    pub(super) fn normals(&self) -> &[V] {
        self.form.as_ref().map_or(&[], |f| &f.normals)
    }

    /// Of a hull: heights of the faces along their normals.
    pub(super) fn levels(&self) -> &[f64] {
        self.form.as_ref().map_or(&[], |f| &f.levels)
    }

    /// Of a hull: greatest distance of a vertex from the first.
    pub(super) fn size(&self) -> f64 {
        self.form.as_ref().map_or(0.0, |f| f.size)
    }

    fn compute_aabb(&self) -> Aabb<3> {
        match self.kind {
            Kind::HalfSpace | Kind::Cavity | Kind::Wall(_) => Aabb::everything(),
            Kind::Cylinder { half } => {
                let (c, a) = (self.pose().position, self.normals()[0]);
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
        let Some(form) = &mut self.form else {
            self.vertices[0] = body.position;
            return;
        };
        // Fixed bodies cost nothing.
        if form.frame.as_ref().is_some_and(|f| f.last.as_ref() == Some(body)) {
            return;
        }
        for (w, l) in self.vertices.iter_mut().zip(form.local.iter()) {
            *w = body.point(l);
        }
        for (w, l) in form.normals.iter_mut().zip(&form.local_normals) {
            *w = body.rotation * l;
        }
        if let Kind::Hull(topology) = &self.kind {
            for (f, (level, n)) in form.levels.iter_mut().zip(&form.normals).enumerate() {
                *level = n.dot(&self.vertices[topology.face(f)[0] as usize]);
            }
        }
        if let Some(frame) = &mut form.frame {
            if !matches!(self.kind, Kind::Hull(_)) {
                frame.pose = body.then(&frame.offset);
            }
            frame.last = Some(*body);
        }
        let aabb = self.compute_aabb();
        if let Some(form) = &mut self.form {
            form.aabb = aabb;
        }
    }

    fn ball(&self) -> Option<(V, f64)> {
        match self.kind {
            Kind::Round if self.vertices.len() == 1 => Some((self.vertices[0], self.radius)),
            _ => None,
        }
    }

    fn face(&self) -> Option<(V, V)> {
        match self.kind {
            Kind::HalfSpace => Some((self.normals()[0], self.vertices[0])),
            _ => None,
        }
    }

    fn aabb(&self) -> Aabb<3> {
        self.form.as_ref().map_or_else(|| self.compute_aabb(), |f| f.aabb)
    }

    fn sight(&self, p: &V, t: f64, reach: f64) -> Result<Option<Sight<3>>, Error> {
        Ok(Some(match &self.kind {
            Kind::Wall(w) => return Ok(w.closest(&self.pose(), t, p, reach)?.map(|c| c.sight())),
            Kind::Mesh(m) => return Ok(self.mesh_sight(m, p, reach)),
            Kind::HalfSpace => {
                let n = self.normals()[0];
                Sight::along(p, n.dot(&(p - self.vertices[0])), n)
            }
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
        Some(Ridge { ends, normals: e.faces.map(|f| self.normals()[f as usize]) })
    }
}

fn of_hull(p: &Polyhedron) -> (Kind, f64, Vec<V>, Vec<V>) {
    (Kind::Hull(Arc::new(p.topology().clone())), 0.0, p.vertices().to_vec(), p.normals().to_vec())
}

fn rims(h: f64, r: f64) -> Vec<V> {
    let at = |i: usize| std::f64::consts::TAU * (i % RIM) as f64 / RIM as f64;
    (0..2 * RIM).map(|i| V::new(r * libm::cos(at(i)), r * libm::sin(at(i)), if i < RIM { h } else { -h })).collect()
}
