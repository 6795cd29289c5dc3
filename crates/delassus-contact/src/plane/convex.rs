//! Contacts of two rounded convex shapes of the plane
//!
//! ```text
//! shape = points within radius of a core;  core = hull of 1, 2 or n vertices
//! ```
//!
//! The normal is that of the largest separation of the cores. Overlapping cores: over
//! the edge normals of both, which is exact in the plane (the edges of a Minkowski
//! difference are those of its terms). Cores apart: exact closest features, so that
//! rounded corners meet as circles. The manifold: the two edges facing each other
//! along n overlap in an interval; its two ends are the contacts, each lifted on both
//! edges along n. The construction is symmetric in the two shapes.

use super::{V, right};
use crate::hit::Hit;

/// The vertices and normals of a core, moved by a translation.
#[derive(Clone, Copy)]
pub(super) struct Core<'a> {
    pub vertices: &'a [V],
    pub normals: &'a [V],
    pub radius: f64,
    pub shift: V,
}

impl Core<'_> {
    #[inline]
    fn v(&self, i: usize) -> V {
        self.vertices[i] + self.shift
    }

    #[inline]
    fn edge(&self, i: usize) -> (V, V) {
        let j = if i + 1 == self.vertices.len() { 0 } else { i + 1 };
        (self.v(i), self.v(j))
    }

    /// The vertex farthest against `m`, and its height along `m`.
    #[inline]
    fn lowest(&self, m: &V) -> (usize, f64) {
        let mut best = (0, f64::INFINITY);
        for i in 0..self.vertices.len() {
            let h = m.dot(&self.v(i));
            if h < best.1 {
                best = (i, h);
            }
        }
        best
    }

    /// The edge whose normal is closest to `m`.
    fn facing(&self, m: &V) -> usize {
        let mut best = (0, f64::NEG_INFINITY);
        for (i, n) in self.normals.iter().enumerate() {
            // The later of two equal edges must win by more than round-off.
            if n.dot(m) > best.1 + 1e-12 {
                best = (i, n.dot(m));
            }
        }
        best.0
    }
}

/// Corners flush to this share of an edge lie over it: stacked blocks must not lose a
/// contact to round-off.
const FLUSH: f64 = 1e-9;

/// Marks a feature as a vertex.
const VERTEX: u32 = 1 << 30;

/// A separating axis found on the edges of one core.
struct Axis {
    /// Separation of the cores along it.
    separation: f64,
    /// Normal towards the first shape.
    normal: V,
    /// Whether the support vertex lies over the edge, so that the separation is the distance.
    over: bool,
}

/// Best separation of `other` from the edges of `reference`.
fn axis_of(reference: &Core, other: &Core) -> Option<(f64, usize, usize)> {
    let mut best: Option<(f64, usize, usize)> = None;
    for (i, n) in reference.normals.iter().enumerate() {
        let level = n.dot(&reference.v(i));
        // The vertex that faced the best edge so far shows most others to be worse.
        if best.is_some_and(|b| n.dot(&other.v(b.2)) - level <= b.0) {
            continue;
        }
        let (vertex, height) = other.lowest(n);
        let s = height - level;
        if best.is_none_or(|b| s > b.0) {
            best = Some((s, i, vertex));
        }
    }
    best
}

fn best_axis(a: &Core, b: &Core) -> Option<Axis> {
    let over = |r: &Core, edge: usize, p: V| {
        let (u, v) = r.edge(edge);
        let e = v - u;
        let s = e.dot(&(p - u)) / e.norm_squared();
        (-FLUSH..=1.0 + FLUSH).contains(&s)
    };
    let on_a =
        axis_of(a, b).map(|(separation, e, v)| Axis { separation, normal: -a.normals[e], over: over(a, e, b.v(v)) });
    let on_b =
        axis_of(b, a).map(|(separation, e, v)| Axis { separation, normal: b.normals[e], over: over(b, e, a.v(v)) });
    match (on_a, on_b) {
        (Some(x), Some(y)) => Some(if y.separation > x.separation { y } else { x }),
        (x, y) => x.or(y),
    }
}

/// Closest features of two separated cores: points, and which vertices if both are vertices.
fn closest(a: &Core, b: &Core) -> (V, V, Option<(usize, usize)>) {
    let mut best = (f64::INFINITY, V::zeros(), V::zeros(), None);
    for i in 0..a.vertices.len() {
        for j in 0..b.vertices.len() {
            let (p, q) = (a.v(i), b.v(j));
            let d = (p - q).norm_squared();
            if d < best.0 {
                best = (d, p, q, Some((i, j)));
            }
        }
    }
    let mut edges = |vertices: &Core, other: &Core, swap: bool| {
        for i in 0..vertices.vertices.len() {
            for j in 0..other.normals.len() {
                let (p, (u, v)) = (vertices.v(i), other.edge(j));
                let e = v - u;
                let s = e.dot(&(p - u)) / e.norm_squared();
                let q = u + e * s;
                let d = (p - q).norm_squared();
                if s > 0.0 && s < 1.0 && d < best.0 {
                    best = if swap { (d, q, p, None) } else { (d, p, q, None) };
                }
            }
        }
    };
    edges(a, b, false);
    edges(b, a, true);
    (best.1, best.2, best.3)
}

/// Appends the contacts of `a` and `b` with gap up to `margin`.
pub(super) fn collide(a: &Core, b: &Core, margin: f64, out: &mut Vec<Hit<2>>) {
    if a.vertices.len() == 1 && b.vertices.len() == 1 {
        let hit = Hit::of_balls(&a.v(0), a.radius, &b.v(0), b.radius);
        if hit.gap <= margin {
            out.push(hit);
        }
        return;
    }
    let Some(axis) = best_axis(a, b) else { return };
    if axis.separation > margin + a.radius + b.radius {
        return;
    }
    collide_along(a, b, &axis, margin, out);
}

/// Two segments on one line: their normals do not tell whether they meet, their ends do.
fn collinear(a: &Core, b: &Core, separation: f64) -> bool {
    if a.vertices.len() != 2 || b.vertices.len() != 2 {
        return false;
    }
    let (p, q) = (a.vertices[1] - a.vertices[0], b.vertices[1] - b.vertices[0]);
    let size = p.norm() + q.norm();
    let between = a.v(0) - b.v(0);
    separation.abs() <= 1e-12 * size
        && (between.dot(&p).abs() > p.norm_squared() || between.dot(&q).abs() > q.norm_squared())
}

fn collide_along(a: &Core, b: &Core, axis: &Axis, margin: f64, out: &mut Vec<Hit<2>>) {
    if (axis.separation <= 0.0 || axis.over) && !collinear(a, b, axis.separation) {
        manifold(a, b, &axis.normal, margin, out);
        return;
    }
    let (p, q, corners) = closest(a, b);
    let d = p - q;
    let distance = d.norm();
    if distance - a.radius - b.radius > margin {
        return;
    }
    // Too close to tell a direction: the axis is as good.
    let normal = if distance > 1e-12 * (p.norm() + q.norm()) { d / distance } else { axis.normal };
    match corners {
        None => manifold(a, b, &normal, margin, out),
        Some((i, j)) => {
            let mut hit = Hit::of_balls(&p, a.radius, &q, b.radius);
            hit.normal = normal;
            hit.features = [VERTEX | i as u32, VERTEX | j as u32];
            if a.vertices.len() == 1 {
                hit.features[0] = 0;
            }
            if b.vertices.len() == 1 {
                hit.features[1] = 0;
            }
            out.push(hit);
        }
    }
}

/// The part of a core that faces the other: one vertex, or an edge.
struct Face {
    /// Ends, by increasing tangential coordinate.
    points: [V; 2],
    s: [f64; 2],
    feature: u32,
}

fn face(core: &Core, m: &V, t: &V) -> Face {
    if core.normals.is_empty() {
        let p = core.v(0);
        return Face { points: [p, p], s: [t.dot(&p), t.dot(&p)], feature: 0 };
    }
    let e = core.facing(m);
    let (u, v) = core.edge(e);
    let (su, sv) = (t.dot(&u), t.dot(&v));
    // A capsule's axis is one edge seen from two sides.
    let feature = if core.vertices.len() == 2 { 0 } else { e as u32 };
    if su <= sv { Face { points: [u, v], s: [su, sv], feature } } else { Face { points: [v, u], s: [sv, su], feature } }
}

impl Face {
    /// The point of the face at tangential coordinate `s`.
    fn at(&self, s: f64) -> V {
        let w = self.s[1] - self.s[0];
        if s <= self.s[0] || !(w > 0.0) {
            self.points[0]
        } else if s >= self.s[1] {
            self.points[1]
        } else {
            self.points[0] + (self.points[1] - self.points[0]) * ((s - self.s[0]) / w)
        }
    }
}

/// Contacts with a given normal: the ends of the overlap of the two facing edges.
pub(super) fn manifold(a: &Core, b: &Core, n: &V, margin: f64, out: &mut Vec<Hit<2>>) {
    let t = right(n);
    let (fa, fb) = (face(a, &-n, &t), face(b, n, &t));
    let (lo, hi) = (fa.s[0].max(fb.s[0]), fa.s[1].min(fb.s[1]));
    let size = (fa.s[1] - fa.s[0]).max(fb.s[1] - fb.s[0]);
    let mut push = |s: f64, end: u32| {
        let (p, q) = (fa.at(s), fb.at(s));
        let gap = n.dot(&(p - q)) - a.radius - b.radius;
        if gap <= margin {
            let points = [p - n * a.radius, q + n * b.radius];
            out.push(Hit { features: [fa.feature, fb.feature << 1 | end], points, normal: *n, gap, rate: 0.0 });
        }
    };
    if hi - lo > 1e-9 * size {
        push(lo, 0);
        push(hi, 1);
    } else {
        push(0.5 * (lo + hi), 0);
    }
}
