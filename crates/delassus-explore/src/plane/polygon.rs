//! A convex polygon known by its support function, traced around
//!
//! *Exactly*: the direction of support turns once about the set. At each vertex the programs tell
//! how far it can turn before another vertex takes over: the next question is asked just beyond,
//! so that no vertex is missed and no edge needs to be confirmed. Where the programs can follow
//! the vertices by themselves, one pivot leads to the next.
//!
//! *Within a gap*: each edge of the polygon found so far asks for the support in its own normal,
//! unless the supporting lines at its ends leave no more than the gap beyond it. Large systems
//! have polygons of a thousand vertices, most of them too close to be told apart.

use crate::Error;
use delassus_friction::algebra::Vector;
use std::f64::consts::TAU;

/// What supports the set.
pub(crate) trait Support {
    /// The point of the set farthest in a direction; `None` where nothing bounds it.
    fn farthest(&mut self, direction: &Vector<2>) -> Result<Option<Vector<2>>, Error>;

    /// How far that direction can turn counter-clockwise before another point takes over, where
    /// that is known: at most π/2.
    fn turn(&mut self, direction: &Vector<2>) -> f64;

    /// A point far in a direction, and how far the set reaches there: more than the point where
    /// only a bound is known.
    fn reach(&mut self, direction: &Vector<2>) -> Result<Option<Touch>, Error> {
        Ok(self.farthest(direction)?.map(|p| Touch::exact(p, *direction)))
    }

    /// The same for a direction between those of two answers; that the set does not reach beyond `enough` is all that
    /// may be asked.
    fn between(&mut self, direction: &Vector<2>, sides: [&Touch; 2], enough: f64) -> Result<Option<Touch>, Error> {
        let _ = (sides, enough);
        self.reach(direction)
    }

    /// Shows the farthest points one after the other while the direction turns over a range of
    /// angles; false when it is not known how, or was lost on the way.
    fn follow(&mut self, range: [f64; 2], visit: &mut dyn FnMut(Vector<2>)) -> bool {
        let _ = (range, visit);
        false
    }
}

/// Most questions for one polygon.
const CALLS: usize = 20_000;
/// Turns beyond the end of a vertex, tried one after the other until another vertex takes over.
const BEYOND: f64 = 1e-8;

/// How far to go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Precision {
    /// What the support function can tell.
    pub least: f64,
    /// Distance that may be left beyond an edge; zero for all vertices.
    pub gap: f64,
}

/// A point, the direction it was found in, and how far the set reaches there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub point: Vector<2>,
    pub direction: Vector<2>,
    pub far: f64,
    /// Where its answer is kept, if it is.
    pub known: Option<usize>,
}

impl Touch {
    /// A point that nothing passes.
    pub fn exact(point: Vector<2>, direction: Vector<2>) -> Self {
        Self { point, direction, far: direction.dot(&point), known: None }
    }

    fn slack(&self) -> f64 {
        (self.far - self.direction.dot(&self.point)).max(0.0)
    }
}

fn direction(angle: f64) -> Vector<2> {
    Vector::<2>::new(angle.cos(), angle.sin())
}

/// The vertices, counter-clockwise in (normal, tangent), and the largest distance left beyond
/// an edge. `rays` gives, for a set without bounds, the extreme directions in which it goes on,
/// counter-clockwise.
pub(crate) fn trace(
    set: &mut dyn Support,
    rays: &[Vector<2>],
    precision: Precision,
) -> Result<(Vec<Vector<2>>, f64), Error> {
    let [begin, end] = range(rays);
    let (chain, left) = match precision.gap > 0.0 {
        true => between(set, [begin, end], precision)?,
        false => (around(set, [begin, end], precision.least)?, 0.0),
    };
    Ok((tidy(chain, rays, precision.least), left))
}

/// From vertex to vertex.
fn around(set: &mut dyn Support, [mut angle, end]: [f64; 2], least: f64) -> Result<Vec<Vector<2>>, Error> {
    let mut chain: Vec<Vector<2>> = vec![];
    let followed = set.follow([angle, end], &mut |point| {
        if chain.last().is_none_or(|last| (last - point).norm() > least) {
            chain.push(point);
        }
    });
    if followed {
        return Ok(chain);
    }
    chain.clear();
    let mut beyond = BEYOND;
    for _ in 0..CALLS {
        let d = direction(angle);
        match (set.farthest(&d)?, chain.last()) {
            (Some(point), Some(last)) if (last - point).norm() <= least => beyond *= 4.0,
            (Some(point), _) => {
                beyond = BEYOND;
                chain.push(point);
            }
            (None, _) => beyond *= 4.0,
        }
        if angle >= end {
            break;
        }
        angle = (angle + set.turn(&d).max(0.0) + beyond.min(0.1)).min(end);
    }
    Ok(chain)
}

/// First directions of [`between`]; all others are normals of edges, asked between their ends.
const FIRST: usize = 3;

/// By halves, until no edge leaves more than the gap; with what it leaves.
fn between(
    set: &mut dyn Support,
    [begin, end]: [f64; 2],
    precision: Precision,
) -> Result<(Vec<Vector<2>>, f64), Error> {
    let mut points: Vec<Touch> = vec![];
    for k in 0..=FIRST {
        points.extend(set.reach(&direction(begin + (end - begin) * k as f64 / FIRST as f64))?);
    }
    let mut walk = Walk { chain: vec![], calls: 0, left: 0.0, precision };
    for pair in points.windows(2) {
        walk.chain.push(pair[0].point);
        walk.refine(set, [pair[0], pair[1]])?;
    }
    walk.chain.extend(points.last().map(|p| p.point));
    Ok((walk.chain, walk.left))
}

struct Walk {
    chain: Vec<Vector<2>>,
    calls: usize,
    left: f64,
    precision: Precision,
}

impl Walk {
    /// Adds the points beyond the edge from `p` to `q`, in order, without its ends.
    fn refine(&mut self, set: &mut dyn Support, [p, q]: [Touch; 2]) -> Result<(), Error> {
        let edge = q.point - p.point;
        if edge.norm() <= self.precision.least {
            self.left = self.left.max(corner(p, q));
            return Ok(());
        }
        let beyond = height(p, q);
        if beyond <= self.precision.gap || self.calls >= CALLS {
            self.left = self.left.max(beyond).max(corner(p, q));
            return Ok(());
        }
        self.calls += 1;
        let normal = Vector::<2>::new(edge[1], -edge[0]) / edge.norm();
        let enough = normal.dot(&p.point) + self.precision.gap;
        let Some(found) = set.between(&normal, [&p, &q], enough)? else { return Ok(()) };
        let beyond = found.far - normal.dot(&p.point);
        if beyond <= self.precision.gap {
            // What is beyond its line is nearer to the edge than that.
            let flat = Touch::exact(found.point, found.direction);
            self.left = self.left.max(beyond).max(corner(p, flat)).max(corner(flat, q));
            if normal.dot(&(found.point - p.point)) > self.precision.least {
                self.chain.push(found.point);
            }
            return Ok(());
        }
        self.refine(set, [p, found])?;
        self.chain.push(found.point);
        self.refine(set, [found, q])
    }
}

/// Once around, or where a set with rays is bounded: from the left of the last ray to the right
/// of the first. A hair less, because rays come from another program.
fn range(rays: &[Vector<2>]) -> [f64; 2] {
    match (rays.first(), rays.last()) {
        (Some(first), Some(last)) => {
            let angle = |v: &Vector<2>| v[1].atan2(v[0]);
            let quarter = 0.25 * TAU;
            [angle(last) + quarter + 1e-9, angle(first) + 3.0 * quarter - 1e-9]
        }
        _ => [0.0, TAU],
    }
}

/// How far from the one of two neighbours that is farther from its supporting line the corner of the lines may be.
fn corner(p: Touch, q: Touch) -> f64 {
    // 1/cos of half the angle between the directions.
    let factor = (2.0 / (1.0 + p.direction.dot(&q.direction)).max(1e-12)).sqrt();
    factor * p.slack().max(q.slack())
}

/// Distance beyond the edge between two points that their supporting lines leave.
fn height(p: Touch, q: Touch) -> f64 {
    let edge = q.point - p.point;
    let (a, b) = (p.direction, q.direction);
    let across = a.perp(&b);
    if across <= 1e-12 {
        return f64::INFINITY;
    }
    let meet = Vector::<2>::new(p.far * b[1] - q.far * a[1], q.far * a[0] - p.far * b[0]) / across;
    let normal = Vector::<2>::new(edge[1], -edge[0]) / edge.norm();
    normal.dot(&(meet - p.point)).max(0.0)
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

    /// The hull of points, with directions in which it is unbounded.
    struct Points<'a>(&'a [Vector<2>], &'a [Vector<2>]);

    impl Support for Points<'_> {
        fn farthest(&mut self, d: &Vector<2>) -> Result<Option<Vector<2>>, Error> {
            if self.1.iter().any(|r| r.dot(d) > 1e-12) {
                return Ok(None);
            }
            Ok(self.0.iter().max_by(|a, b| a.dot(d).total_cmp(&b.dot(d))).copied())
        }

        fn turn(&mut self, d: &Vector<2>) -> f64 {
            let Ok(Some(best)) = self.farthest(d) else { return 0.0 };
            let side = Vector::<2>::new(-d[1], d[0]);
            let turns = self.0.iter().map(|p| p - best).filter(|e| e.dot(&side) > 0.0);
            turns.map(|e| (-e.dot(d)).max(0.0).atan2(e.dot(&side))).fold(TAU / 4.0, f64::min)
        }
    }

    fn of_points(points: &[Vector<2>], rays: &[Vector<2>]) -> Vec<Vector<2>> {
        let precision = Precision { least: 1e-12, gap: 0.0 };
        trace(&mut Points(points, rays), rays, precision).expect("no error").0
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

    /// A circle, which says nothing about turns: cut where the gap is small enough, and no edge
    /// hides more than is said.
    #[test]
    fn a_gap_ends_a_round_set() {
        struct Circle(usize);
        impl Support for Circle {
            fn farthest(&mut self, d: &Vector<2>) -> Result<Option<Vector<2>>, Error> {
                self.0 += 1;
                Ok(Some(*d))
            }
            fn turn(&mut self, _: &Vector<2>) -> f64 {
                0.0
            }
        }
        let mut circle = Circle(0);
        let precision = Precision { least: 1e-9, gap: 0.01 };
        let (points, left) = trace(&mut circle, &[], precision).expect("no error");
        assert!(left <= 0.01 && points.len() > 10 && circle.0 < 100, "{left} {} {}", points.len(), circle.0);
        let n = points.len();
        let inside = (0..n).map(|k| ((points[k] + points[(k + 1) % n]) * 0.5).norm()).fold(1.0, f64::min);
        assert!(1.0 - inside <= left + 1e-9, "{inside} {left}");
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
