//! What a point sees of a solid of the plane.

use super::Solid2;
use super::V;
use crate::Sight;

impl Solid2 {
    /// Inside the nearest edge, outside the nearest place.
    pub(super) fn polygon_sight(&self, p: &V) -> Sight<2> {
        let height = |i: usize| self.normals[i].dot(&(p - self.vertices[i]));
        let highest = (0..self.normals.len()).fold(0, |a, i| if height(i) > height(a) { i } else { a });
        if height(highest) <= 0.0 {
            return Sight::along(p, height(highest), self.normals[highest]);
        }
        self.segments_sight(p)
    }

    /// The nearest place of the edges, rounded by the radius.
    pub(super) fn segments_sight(&self, p: &V) -> Sight<2> {
        // A segment of two points has an edge on each side.
        let edges = if self.vertices.len() == 2 { 1 } else { self.normals.len() };
        let mut best: Option<(f64, V)> = None;
        for i in 0..edges {
            let (u, v) = (self.vertices[i], self.vertices[(i + 1) % self.vertices.len()]);
            let e = v - u;
            let s = (e.dot(&(p - u)) / e.norm_squared()).clamp(0.0, 1.0);
            let r = p - (u + e * s);
            let height = self.normals[i].dot(&r);
            let flat = if height < 0.0 { -self.normals[i] } else { self.normals[i] };
            let found =
                if s > 0.0 && s < 1.0 || r.norm() == 0.0 { (height.abs(), flat) } else { (r.norm(), r / r.norm()) };
            if best.is_none_or(|b| found.0 < b.0) {
                best = Some(found);
            }
        }
        let (distance, normal) = best.unwrap_or((f64::INFINITY, V::x()));
        Sight::along(p, distance - self.radius, normal)
    }
}
