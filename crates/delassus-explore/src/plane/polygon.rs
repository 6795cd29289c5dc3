//! A convex polygon known by its support function
//!
//! The polygon of the points found so far is inside. Each of its edges asks for the support in
//! its own normal, which either confirms the edge or gives a point beyond it. The end is exact:
//! every edge confirmed. Where a gap is allowed, an edge is not asked when the supporting lines
//! at its ends leave no more than that beyond it.

use crate::Error;
use delassus_friction::algebra::Vector;

/// Answers of a support function.
pub(crate) enum Support {
    /// A point of the set farthest in the direction.
    Point(Vector<2>),
    /// Nothing bounds the set in the direction.
    Unbounded,
}

/// Most calls of the support function for one polygon.
const CALLS: usize = 4000;

/// How far to go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Precision {
    /// What the support function can tell.
    pub least: f64,
    /// Distance that may be left beyond an edge.
    pub gap: f64,
}

/// A point and the direction it was found in.
type Touch = (Vector<2>, Vector<2>);

/// The vertices, counter-clockwise in (normal, tangent), and the largest distance left beyond
/// an edge. `rays` gives, for a set without bounds, the extreme directions in which it goes on,
/// counter-clockwise.
pub(crate) fn trace(
    support: &mut dyn FnMut(&Vector<2>) -> Result<Support, Error>,
    rays: &[Vector<2>],
    precision: Precision,
) -> Result<(Vec<Vector<2>>, f64), Error> {
    let mut ask = |d: &Vector<2>| match support(d)? {
        Support::Point(p) => Ok(Some((p, *d))),
        Support::Unbounded => Ok(None),
    };
    let mut points: Vec<Touch> = vec![];
    for d in &first_directions(rays) {
        points.extend(ask(d)?);
    }
    let closed = rays.is_empty();
    let count = if closed { points.len() } else { points.len().saturating_sub(1) };
    let mut walk = Walk { chain: vec![], calls: 0, left: 0.0, precision };
    for k in 0..count {
        walk.chain.push(points[k].0);
        walk.refine(&mut ask, [points[k], points[(k + 1) % points.len()]])?;
    }
    if !closed {
        walk.chain.extend(points.last().map(|p| p.0));
    }
    Ok((tidy(walk.chain, rays, precision.least), walk.left))
}

/// Axes of the plane, or the directions in which a set with rays is bounded.
fn first_directions(rays: &[Vector<2>]) -> Vec<Vector<2>> {
    let turn = |v: &Vector<2>| Vector::<2>::new(-v[1], v[0]);
    match (rays.first(), rays.last()) {
        (Some(first), Some(last)) => {
            // From the left of the last ray to the right of the first, counter-clockwise.
            let (from, to) = (turn(last), -turn(first));
            let back = -(first.normalize() + last.normalize()).normalize();
            let tilt = |d: Vector<2>| (d.normalize() + back * 1e-9).normalize();
            vec![tilt(from), (from.normalize() + back).normalize(), (to.normalize() + back).normalize(), tilt(to)]
        }
        _ => [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]].map(|d| Vector::<2>::new(d[0], d[1])).to_vec(),
    }
}

struct Walk {
    chain: Vec<Vector<2>>,
    calls: usize,
    left: f64,
    precision: Precision,
}

/// Answers with the point and the direction.
type Ask<'a> = &'a mut dyn FnMut(&Vector<2>) -> Result<Option<Touch>, Error>;

impl Walk {
    /// Adds the points beyond the edge from `p` to `q`, in order, without its ends.
    fn refine(&mut self, ask: Ask, [p, q]: [Touch; 2]) -> Result<(), Error> {
        let edge = q.0 - p.0;
        if edge.norm() <= self.precision.least {
            return Ok(());
        }
        let normal = Vector::<2>::new(edge[1], -edge[0]) / edge.norm();
        let beyond = height(p, q, &normal);
        if beyond <= self.precision.gap.max(self.precision.least) || self.calls >= CALLS {
            self.left = self.left.max(beyond);
            return Ok(());
        }
        self.calls += 1;
        let Some(found) = ask(&normal)? else { return Ok(()) };
        if normal.dot(&(found.0 - p.0)) <= self.precision.least {
            return Ok(());
        }
        self.refine(ask, [p, found])?;
        self.chain.push(found.0);
        self.refine(ask, [found, q])
    }
}

/// Distance beyond the edge that the supporting lines at its ends leave.
fn height(p: Touch, q: Touch, normal: &Vector<2>) -> f64 {
    let across = p.1.perp(&q.1);
    if across <= 1e-12 {
        return f64::INFINITY;
    }
    let (a, b) = (p.1.dot(&p.0), q.1.dot(&q.0));
    let meet = Vector::<2>::new(a * q.1[1] - b * p.1[1], b * p.1[0] - a * q.1[0]) / across;
    normal.dot(&(meet - p.0)).max(0.0)
}

/// Without repeated points, points inside edges, and points on the rays.
fn tidy(chain: Vec<Vector<2>>, rays: &[Vector<2>], precision: f64) -> Vec<Vector<2>> {
    let near = 10.0 * precision;
    let mut points: Vec<Vector<2>> = vec![];
    for p in chain {
        if points.iter().all(|q| (p - q).norm() > near) {
            points.push(p);
        }
    }
    let on_ray = |p: &Vector<2>, q: &Vector<2>, ray: &Vector<2>| {
        let (d, r) = (p - q, ray.normalize());
        d.dot(&r) > 0.0 && (d - r * d.dot(&r)).norm() <= near + 1e-7 * d.norm()
    };
    if let (Some(first), Some(last)) = (rays.first(), rays.last()) {
        while points.len() > 1 && on_ray(&points[0], &points[1], last) {
            points.remove(0);
        }
        while points.len() > 1 && on_ray(&points[points.len() - 1], &points[points.len() - 2], first) {
            points.pop();
        }
    }
    let inner = |a: &Vector<2>, b: &Vector<2>, c: &Vector<2>| {
        let (u, v) = (b - a, c - b);
        u.dot(&v) > 0.0 && (u[0] * v[1] - u[1] * v[0]).abs() <= near * (c - a).norm()
    };
    let mut k = 0;
    while points.len() > 2 && k < points.len() {
        let n = points.len();
        let open_end = !rays.is_empty() && (k == 0 || k + 1 == n);
        if !open_end && inner(&points[(k + n - 1) % n], &points[k], &points[(k + 1) % n]) {
            points.remove(k);
        } else {
            k += 1;
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    fn of_points(points: &[Vector<2>], rays: &[Vector<2>]) -> Vec<Vector<2>> {
        let mut support = |d: &Vector<2>| {
            if rays.iter().any(|r| r.dot(d) > 1e-12) {
                return Ok(Support::Unbounded);
            }
            let best = points.iter().max_by(|a, b| a.dot(d).total_cmp(&b.dot(d))).expect("points");
            Ok(Support::Point(*best))
        };
        trace(&mut support, rays, Precision { least: 1e-12, gap: 0.0 }).expect("no error").0
    }

    #[test]
    fn every_vertex_of_a_polygon_is_found_and_nothing_else() {
        let n = 17;
        let mut points: Vec<Vector<2>> = (0..n)
            .map(|k| TAU * f64::from(k) / f64::from(n))
            .map(|a| Vector::<2>::new(3.0 + a.cos(), 2.0 * a.sin()))
            .collect();
        let corners = points.clone();
        points.push((points[0] + points[1]) * 0.5);
        points.push(Vector::<2>::new(3.0, 0.1));
        let found = of_points(&points, &[]);
        assert_eq!(found.len(), corners.len());
        assert!(corners.iter().all(|c| found.iter().any(|f| (f - c).norm() < 1e-12)));
        let area: f64 = (0..found.len()).map(|k| found[k].perp(&found[(k + 1) % found.len()])).sum();
        assert!(area > 0.0, "counter-clockwise");
    }

    /// A circle is cut where the gap is small enough, and no edge hides more than that.
    #[test]
    fn a_gap_ends_a_round_set() {
        let mut calls = 0;
        let mut circle = |d: &Vector<2>| {
            calls += 1;
            Ok(Support::Point(*d))
        };
        let (points, left) = trace(&mut circle, &[], Precision { least: 1e-9, gap: 1e-3 }).expect("no error");
        assert!(left <= 1e-3 && points.len() > 20 && calls < 200, "{left} {} {calls}", points.len());
        let n = points.len();
        let inside = (0..n).map(|k| ((points[k] + points[(k + 1) % n]) * 0.5).norm()).fold(1.0, f64::min);
        assert!(1.0 - inside <= left, "{inside}");
    }

    #[test]
    fn points_segments_and_half_lines() {
        let (a, b) = (Vector::<2>::new(1.0, 2.0), Vector::<2>::new(4.0, 1.0));
        assert_eq!(of_points(&[a], &[]).len(), 1);
        assert_eq!(of_points(&[a, (a + b) * 0.5, b], &[]).len(), 2);
        let ray = Vector::<2>::new(1.0, 0.2);
        assert_eq!(of_points(&[a], &[ray]), vec![a]);
        let rays = [Vector::<2>::new(1.0, -0.3), Vector::<2>::new(1.0, 0.3)];
        assert_eq!(of_points(&[a, Vector::<2>::new(1.0, -2.0)], &rays).len(), 2);
    }
}
