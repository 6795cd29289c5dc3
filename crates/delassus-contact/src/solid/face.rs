//! The manifold of two facing faces: the corners of their intersection seen along n
//!
//! Corners are vertices of one face over the other, and crossings of their edges. Each
//! is named by the two features that meet in it (vertex and face, edge and edge), and
//! lifted on both faces along n. A vertex within a small tolerance of the other's
//! border counts as inside, so that faces that coincide keep their names from step to step.

use super::V;
use super::hull::{Hull, edge_feature, face_feature, vertex_feature};
use crate::Vector;
use crate::hit::Hit;

type P = Vector<2>;

/// A corner of a projected face.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    at: P,
    point: V,
    feature: u32,
    /// Name of the side from this corner to the next.
    side: u32,
}

/// A projected face: its corners, counter-clockwise along n, and its plane.
#[derive(Clone, Debug, Default)]
pub(super) struct Polygon {
    corners: Vec<Corner>,
    normal: V,
    feature: u32,
}

/// Memory for the intersection of two faces.
#[derive(Clone, Debug, Default)]
pub(super) struct Faces {
    pub a: Polygon,
    pub b: Polygon,
    /// Edges that are looked at.
    pub edges: super::sat::Edges,
}

/// Relative tolerance of "on the border".
const BORDER: f64 = 1e-7;

impl Polygon {
    /// Starts a face with a plane normal and a name.
    pub fn start(&mut self, normal: V, feature: u32) {
        self.corners.clear();
        self.normal = normal;
        self.feature = feature;
    }

    pub fn push(&mut self, point: V, feature: u32, side: u32) {
        self.corners.push(Corner { at: P::zeros(), point, feature, side });
    }

    /// Projects along n, and orders counter-clockwise.
    fn project(&mut self, t1: &V, t2: &V) {
        for c in &mut self.corners {
            c.at = P::new(t1.dot(&c.point), t2.dot(&c.point));
        }
        if self.area() < 0.0 {
            self.corners.reverse();
            // Sides went from each corner to its successor: after the reversal to its predecessor.
            let n = self.corners.len();
            let first = self.corners[0].side;
            for i in 0..n {
                self.corners[i].side = if i + 1 < n { self.corners[i + 1].side } else { first };
            }
        }
    }

    fn area(&self) -> f64 {
        let n = self.corners.len();
        (1..n.max(1) - 1 + usize::from(n == 0))
            .map(|i| cross(&(self.corners[i].at - self.corners[0].at), &(self.corners[i + 1].at - self.corners[0].at)))
            .sum()
    }

    fn size(&self) -> f64 {
        self.corners.iter().fold(0.0f64, |m, c| m.max((c.at - self.corners[0].at).norm()))
    }

    fn side(&self, i: usize) -> (P, P) {
        (self.corners[i].at, self.corners[(i + 1) % self.corners.len()].at)
    }

    /// Whether `p` lies inside or within `tolerance` of the border.
    fn holds(&self, p: &P, tolerance: f64) -> bool {
        (0..self.corners.len()).all(|i| {
            let (u, v) = self.side(i);
            let e = v - u;
            cross(&e, &(p - u)) >= -tolerance * e.norm()
        })
    }

    /// The point of the plane over `p`, along `n`.
    fn lift(&self, p: &V, n: &V) -> V {
        let slope = self.normal.dot(n);
        p + n * (self.normal.dot(&(self.corners[0].point - p)) / slope)
    }
}

fn cross(a: &P, b: &P) -> f64 {
    a.x * b.y - a.y * b.x
}

/// The faces of two hulls that look at each other along n, and their common corners.
pub(super) fn intersect(a: &Hull, b: &Hull, n: &V, margin: f64, faces: &mut Faces, out: &mut Vec<Hit<3>>) {
    load(a, &-n, &mut faces.a);
    load(b, n, &mut faces.b);
    corners(n, margin, faces, out);
}

fn load(h: &Hull, m: &V, face: &mut Polygon) {
    let f = h.facing(m);
    face.start(h.normals[f], face_feature(f as u32));
    let list = h.topology.face(f);
    for (&v, &side) in list.iter().zip(h.topology.sides(f)) {
        face.push(h.v(v), vertex_feature(v), edge_feature(side));
    }
}

/// Appends the corners of the intersection of the two loaded faces.
pub(super) fn corners(n: &V, margin: f64, faces: &mut Faces, out: &mut Vec<Hit<3>>) {
    let frame = crate::frame::frame3(n);
    let (t1, t2): (V, V) = (frame.column(1).into(), frame.column(2).into());
    let Faces { a, b, .. } = faces;
    // A face seen edge-on cannot be lifted on: the deepest point stands in for it.
    if a.normal.dot(n).abs() < 1e-6 || b.normal.dot(n).abs() < 1e-6 {
        return;
    }
    a.project(&t1, &t2);
    b.project(&t1, &t2);
    let tolerance = BORDER * a.size().min(b.size());
    let from = out.len();
    let push = |points: [V; 2], features: [u32; 2], out: &mut Vec<Hit<3>>| {
        let gap = n.dot(&(points[0] - points[1]));
        out.push(Hit { features, points, normal: *n, gap, rate: 0.0 });
    };
    for c in a.corners.iter().filter(|c| b.holds(&c.at, tolerance)) {
        push([c.point, b.lift(&c.point, n)], [c.feature, b.feature], out);
    }
    let seen = |p: &P, out: &[Hit<3>]| {
        out.iter().any(|h| {
            let q = P::new(t1.dot(&h.points[0]), t2.dot(&h.points[0]));
            (p - q).norm() <= 4.0 * tolerance
        })
    };
    for c in b.corners.iter().filter(|c| a.holds(&c.at, tolerance)) {
        if !seen(&c.at, &out[from..]) {
            push([a.lift(&c.point, n), c.point], [a.feature, c.feature], out);
        }
    }
    for i in 0..a.corners.len() {
        for j in 0..b.corners.len() {
            let Some((s, at)) = crossing(a.side(i), b.side(j)) else { continue };
            if !seen(&at, &out[from..]) {
                let (u, v) = (a.corners[i].point, a.corners[(i + 1) % a.corners.len()].point);
                let p = u + (v - u) * s;
                push([p, b.lift(&p, n)], [a.corners[i].side, b.corners[j].side], out);
            }
        }
    }
    // Only now: a corner too far to be a contact still hides its twins.
    let mut keep = from;
    for i in from..out.len() {
        if out[i].gap <= margin {
            out[keep] = out[i];
            keep += 1;
        }
    }
    out.truncate(keep);
}

/// Where two sides cross: parameter on the first, and the place.
fn crossing((p, p1): (P, P), (q, q1): (P, P)) -> Option<(f64, P)> {
    let (d, e) = (p1 - p, q1 - q);
    let determinant = cross(&d, &e);
    if determinant.abs() <= 1e-12 * d.norm() * e.norm() {
        return None;
    }
    let s = cross(&(q - p), &e) / determinant;
    let t = cross(&(q - p), &d) / determinant;
    if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) { Some((s, p + d * s)) } else { None }
}
