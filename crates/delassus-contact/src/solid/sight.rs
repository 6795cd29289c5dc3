//! What a point sees of a solid of space.

use super::V;
use super::closest::{point_hull, segments};
use super::hull::{Hull, TRIANGLE};
use super::mesh::TriMesh;
use super::pair::{cylinder_of, hull};
use super::solids::{Kind, Solid3};
use crate::{Error, Ridge, Sight};

impl Solid3 {
    /// The closest place to `p`; none where a wall or a mesh is beyond `reach`.
    pub fn sight(&self, p: &V, t: f64, reach: f64) -> Result<Option<Sight<3>>, Error> {
        Ok(Some(match &self.kind {
            Kind::Wall(w) => return Ok(w.closest(&self.pose, t, p, reach)?.map(|c| c.sight())),
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

    /// Of the nearest triangles the one whose plane is farthest tells the side: at an edge or a
    /// vertex the others may be seen edge-on.
    fn mesh_sight(&self, m: &TriMesh, p: &V, reach: f64) -> Option<Sight<3>> {
        let mut best: Option<(f64, f64, Sight<3>)> = None;
        m.nearest(&self.pose.local(p), reach, |t, limit| {
            let vertices = m.triangles()[t as usize].map(|i| self.vertices[i as usize]);
            let n = self.normals[t as usize];
            let c =
                point_hull(&Hull { vertices: &vertices, normals: &[n, -n], topology: &TRIANGLE, shift: V::zeros() }, p);
            let (distance, height) = ((p - c.point).norm(), n.dot(&(p - c.point)));
            let same = 1e-12 * (reach + distance);
            let better =
                |b: &(f64, f64, Sight<3>)| distance < b.0 - same || (distance <= b.0 + same && height.abs() > b.1);
            if distance <= reach && best.as_ref().is_none_or(better) {
                *limit = limit.min((distance + same).powi(2));
                let gap = distance.copysign(height);
                let normal = if distance > same { (p - c.point) / gap } else { n };
                best = Some((distance, height.abs(), Sight { gap, normal, foot: c.point, velocity: V::zeros() }));
            }
        });
        best.map(|b| b.2)
    }

    /// Corners in the world and the radius around them; none of unbounded shapes.
    pub fn corners(&self) -> (&[V], f64) {
        match self.kind {
            Kind::Round => (&self.vertices, self.radius),
            Kind::Hull(_) | Kind::Cylinder { .. } | Kind::Mesh(_) => (&self.vertices, 0.0),
            Kind::HalfSpace | Kind::Cavity | Kind::Wall(_) => (&[], 0.0),
        }
    }

    /// Whether its corners have an inside behind them.
    pub fn is_solid(&self) -> bool {
        matches!(self.kind, Kind::Hull(_) | Kind::Cylinder { .. })
    }

    /// Whether a point may touch it at several places.
    pub fn has_parts(&self) -> bool {
        matches!(self.kind, Kind::Mesh(_))
    }

    /// An edge between faces.
    pub fn ridge(&self, i: usize) -> Option<Ridge<3>> {
        let Kind::Hull(topology) = &self.kind else { return None };
        let e = topology.edges.get(i)?;
        let ends = e.vertices.map(|v| self.vertices[v as usize]);
        Some(Ridge { ends, normals: e.faces.map(|f| self.normals[f as usize]) })
    }
}
