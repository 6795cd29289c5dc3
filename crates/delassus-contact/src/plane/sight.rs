//! What a point sees of a solid of the plane.

use super::V;
use super::solid::{Kind, Solid2};
use crate::{Error, Sight};

impl Solid2 {
    /// The closest place to `p`; none where a wall is far beyond `reach`. Chains are seen from both sides.
    pub fn sight(&self, p: &V, t: f64, reach: f64) -> Result<Option<Sight<2>>, Error> {
        Ok(Some(match &self.kind {
            Kind::Wall(w) => return Ok(w.closest(&self.pose, t, p, reach)?.map(|c| c.sight())),
            Kind::HalfPlane => Sight::along(p, self.normals[0].dot(&(p - self.vertices[0])), self.normals[0]),
            Kind::Cavity => Sight::of_cavity(p, &self.vertices[0], self.radius),
            Kind::Convex if self.vertices.len() == 1 => Sight::of_ball(p, &self.vertices[0], self.radius),
            Kind::Convex if self.vertices.len() > 2 => self.polygon_sight(p),
            Kind::Convex | Kind::Chain { .. } => self.segments_sight(p),
        }))
    }

    /// Inside the nearest edge, outside the nearest place.
    fn polygon_sight(&self, p: &V) -> Sight<2> {
        let height = |i: usize| self.normals[i].dot(&(p - self.vertices[i]));
        let highest = (0..self.normals.len()).fold(0, |a, i| if height(i) > height(a) { i } else { a });
        if height(highest) <= 0.0 {
            return Sight::along(p, height(highest), self.normals[highest]);
        }
        self.segments_sight(p)
    }

    /// The nearest place of the edges, rounded by the radius.
    fn segments_sight(&self, p: &V) -> Sight<2> {
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

    /// Corners in the world and the radius around them; none of unbounded shapes.
    pub fn corners(&self) -> (&[V], f64) {
        match self.kind {
            Kind::Convex | Kind::Chain { .. } => (&self.vertices, self.radius),
            Kind::HalfPlane | Kind::Cavity | Kind::Wall(_) => (&[], 0.0),
        }
    }

    /// Whether its corners have an inside behind them.
    pub fn is_solid(&self) -> bool {
        matches!(self.kind, Kind::Convex) && self.vertices.len() > 2
    }

    /// Whether a point may touch it at several places.
    pub fn has_parts(&self) -> bool {
        matches!(self.kind, Kind::Chain { .. })
    }
}
