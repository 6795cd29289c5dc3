//! What a point sees of a solid of space.

use super::closest::point_hull;
use super::hull::{Hull, both};
use super::mesh::TriMesh;
use super::{Solid3, V};
use crate::Sight;

impl Solid3 {
    /// Of the nearest triangles the one whose plane is farthest tells the side: at an edge or a
    /// vertex the others may be seen edge-on.
    pub(super) fn mesh_sight(&self, m: &TriMesh, p: &V, reach: f64) -> Option<Sight<3>> {
        let mut best: Option<(f64, f64, Sight<3>)> = None;
        m.nearest(&self.pose().local(p), reach, |t, limit| {
            let vertices = m.triangles()[t as usize].map(|i| self.vertices[i as usize]);
            let n = self.normals()[t as usize];
            let c = point_hull(&Hull::triangle(&vertices, &[n, -n], &both(&n, &vertices[0]), V::zeros()), p);
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
}
