//! Spheres and capsules: against each other and against hulls.

use super::V;
use super::closest::{point_hull, segments};
use super::hull::{Hull, edge_feature, face_feature, vertex_feature};
use crate::hit::Hit;

/// A sphere or capsule: its centre or axis, and its radius.
#[derive(Clone, Copy)]
pub(super) struct Round {
    pub ends: (V, V),
    pub radius: f64,
}

impl Round {
    pub fn is_sphere(&self) -> bool {
        self.ends.0 == self.ends.1
    }

    fn at(&self, s: f64) -> V {
        self.ends.0 + (self.ends.1 - self.ends.0) * s
    }
}

/// Features of a capsule: its two ends of an overlap, and the closest point between them.
const CLOSEST: u32 = 2;

/// Sine below which axes are parallel.
const PARALLEL: f64 = 1e-2;

/// Two spheres or capsules. Parallel axes touch at both ends of their overlap.
pub(super) fn round_round(a: &Round, b: &Round, margin: f64, out: &mut Vec<Hit<3>>) {
    let from = out.len();
    if !a.is_sphere() && !b.is_sphere() {
        overlap_ends(a, b, margin, out);
    }
    let (s, t) = segments(a.ends, b.ends);
    let mut hit = Hit::of_balls(&a.at(s), a.radius, &b.at(t), b.radius);
    if a.is_sphere() || b.is_sphere() {
        hit.features = [0, 0];
    } else {
        hit.features = [CLOSEST, CLOSEST];
        let d = (a.ends.1 - a.ends.0).cross(&(b.ends.1 - b.ends.0));
        if hit.gap + a.radius + b.radius <= 1e-12 * (a.radius + b.radius) && d.norm() > 0.0 {
            // Axes that cross: the common perpendicular is the only normal left.
            hit.normal = d.normalize();
        }
    }
    // The ends already say as much when they are as close.
    let extra = out.len() > from + 1 && out[from..].iter().all(|h| h.gap - hit.gap <= 1e-6 * (a.radius + b.radius));
    if hit.gap <= margin && !extra {
        // An end that is the closest point is one contact, not two.
        let size = 1e-9 * (a.ends.1 - a.ends.0).norm().max(a.radius);
        if let Some(same) = out[from..].iter_mut().find(|h| (h.points[0] - hit.points[0]).norm() <= size) {
            hit.features = same.features;
            *same = hit;
        } else {
            out.push(hit);
        }
    }
}

/// For nearly parallel axes, the contacts at both ends of their overlap.
fn overlap_ends(a: &Round, b: &Round, margin: f64, out: &mut Vec<Hit<3>>) {
    let (d, e) = (a.ends.1 - a.ends.0, b.ends.1 - b.ends.0);
    if d.cross(&e).norm() > PARALLEL * d.norm() * e.norm() {
        return;
    }
    let along = |p: &V| d.dot(&(p - a.ends.0)) / d.norm_squared();
    let (u, v) = (along(&b.ends.0), along(&b.ends.1));
    let (lo, hi) = (u.min(v).max(0.0), u.max(v).min(1.0));
    if hi - lo <= 1e-9 {
        return;
    }
    for (end, s) in [(0, lo), (1, hi)] {
        let t = (s - u) / (v - u);
        let (p, q) = (a.at(s), b.at(t.clamp(0.0, 1.0)));
        let mut hit = Hit::of_balls(&p, a.radius, &q, b.radius);
        hit.features = [end, 0];
        if hit.gap <= margin {
            out.push(hit);
        }
    }
}

/// A sphere or capsule `a` against a hull `b`.
pub(super) fn round_hull(a: &Round, b: &Hull, margin: f64, out: &mut Vec<Hit<3>>) {
    if a.is_sphere() {
        let c = point_hull(b, &a.ends.0);
        let gap = c.distance - a.radius;
        if gap <= margin {
            let points = [a.ends.0 - c.normal * a.radius, c.point];
            out.push(Hit { features: [0, c.feature], points, normal: c.normal, gap, rate: 0.0 });
        }
        return;
    }
    let Some(near) = nearest(a, b) else { return };
    if near.distance - a.radius > margin {
        return;
    }
    let from = out.len();
    let face = b.facing(&near.normal);
    if near.normal.dot(&b.normals[face]) > 1.0 - 1e-12 {
        along_face(a, b, face, margin, out);
    } else if let Some(e) = near.edge {
        along_edge(a, b, e, margin, out);
    }
    if out[from..].iter().fold(f64::INFINITY, |m, h| m.min(h.gap)) > near.distance - a.radius + 1e-9 * a.radius {
        out.truncate(from);
        let p = near.on_hull + near.normal * near.distance;
        let points = [p - near.normal * a.radius, near.on_hull];
        let gap = near.distance - a.radius;
        out.push(Hit { features: [CLOSEST, near.feature], points, normal: near.normal, gap, rate: 0.0 });
    }
}

/// Closest features of an axis and a hull.
struct Near {
    on_hull: V,
    normal: V,
    distance: f64,
    feature: u32,
    edge: Option<usize>,
}

/// Outside: the exact closest points. Crossing: the shallowest axis.
fn nearest(a: &Round, b: &Hull) -> Option<Near> {
    let crossing = shallowest(a, b);
    if crossing.distance <= 0.0 {
        return Some(crossing);
    }
    let mut best: Option<Near> = None;
    let mut offer = |n: Near| {
        if best.as_ref().is_none_or(|b| n.distance < b.distance) {
            best = Some(n);
        }
    };
    for p in [a.ends.0, a.ends.1] {
        let c = point_hull(b, &p);
        offer(Near { on_hull: c.point, normal: c.normal, distance: c.distance, feature: c.feature, edge: None });
    }
    for (i, e) in b.topology.edges.iter().enumerate() {
        let ends = b.ends(e);
        let (s, t) = segments(a.ends, ends);
        let q = ends.0 + (ends.1 - ends.0) * t;
        let d = a.at(s) - q;
        let distance = d.norm();
        let feature =
            if t > 0.0 && t < 1.0 { edge_feature(i as u32) } else { vertex_feature(e.vertices[usize::from(t >= 1.0)]) };
        let normal = if distance > 0.0 { d / distance } else { crossing.normal };
        offer(Near { on_hull: q, normal, distance, feature, edge: Some(i) });
    }
    best
}

/// The axis of largest separation between a segment and a hull; exact when they cross.
fn shallowest(a: &Round, b: &Hull) -> Near {
    let d = a.ends.1 - a.ends.0;
    let mut best = (f64::NEG_INFINITY, V::zeros(), 0, None);
    for (f, n) in b.normals.iter().enumerate() {
        let h = n.dot(&(a.ends.0 - b.on_face(f))).min(n.dot(&(a.ends.1 - b.on_face(f))));
        if h > best.0 {
            best = (h, *n, face_feature(f as u32), None);
        }
    }
    for (i, e) in b.topology.edges.iter().enumerate() {
        let (u, v) = b.ends(e);
        let axis = (v - u).cross(&d);
        if axis.norm() <= 1e-9 * d.norm() * (v - u).norm() {
            continue;
        }
        for n in [axis.normalize(), -axis.normalize()] {
            let h = n.dot(&(a.ends.0 - u));
            // Only an edge that supports the hull along n: parallel edges share the axis.
            let supports = n.dot(&u) + b.lowest(&-n).1 >= -1e-12 * (v - u).norm();
            if supports && h > best.0 + 1e-12 * d.norm() {
                best = (h, n, edge_feature(i as u32), Some(i));
            }
        }
    }
    let (distance, normal, feature, edge) = best;
    let p = match edge {
        None if normal.dot(&d) > 0.0 => a.ends.0,
        None => a.ends.1,
        Some(i) => a.at(segments(a.ends, b.ends(&b.topology.edges[i])).0),
    };
    Near { on_hull: p - normal * distance, normal, distance, feature, edge }
}

/// The part of the axis over a face touches at its two ends.
fn along_face(a: &Round, b: &Hull, f: usize, margin: f64, out: &mut Vec<Hit<3>>) {
    let (n, face) = (b.normals[f], b.topology.face(f));
    let (mut lo, mut hi) = (0.0f64, 1.0f64);
    for i in 0..face.len() {
        let (u, v) = (b.v(face[i]), b.v(face[(i + 1) % face.len()]));
        let inward = n.cross(&(v - u));
        let (h0, h1) = (inward.dot(&(a.ends.0 - u)), inward.dot(&(a.ends.1 - u)));
        let tolerance = 1e-9 * inward.norm() * (v - u).norm();
        if h0 < -tolerance && h1 < -tolerance {
            return;
        }
        let s = h0 / (h0 - h1);
        if h0 < -tolerance {
            lo = lo.max(s);
        } else if h1 < -tolerance {
            hi = hi.min(s);
        }
    }
    if hi < lo {
        return;
    }
    let ends = if hi - lo <= 1e-9 { [Some((0, lo)), None] } else { [Some((0, lo)), Some((1, hi))] };
    for (end, s) in ends.into_iter().flatten() {
        let p = a.at(s);
        let height = n.dot(&(p - b.on_face(f)));
        let gap = height - a.radius;
        if gap <= margin {
            let points = [p - n * a.radius, p - n * height];
            out.push(Hit { features: [end, face_feature(f as u32)], points, normal: n, gap, rate: 0.0 });
        }
    }
}

/// An axis along an edge touches at the ends of their overlap.
fn along_edge(a: &Round, b: &Hull, e: usize, margin: f64, out: &mut Vec<Hit<3>>) {
    let edge = Round { ends: b.ends(&b.topology.edges[e]), radius: 0.0 };
    let from = out.len();
    overlap_ends(a, &edge, margin, out);
    for h in &mut out[from..] {
        h.features[1] = edge_feature(e as u32);
    }
}
