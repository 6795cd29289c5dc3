//! Two convex polyhedra: normal by the separating axes, manifold by their faces
//!
//! The faces of the Minkowski difference are those of its terms and the parallelograms
//! of pairs of edges whose arcs cross on the Gauss map; the largest separation over
//! their normals is the exact depth of overlapping hulls. Hulls apart whose closest
//! features are corners get their exact closest points. Source: \[Gregorius13\].

use super::V;
use super::closest::{hulls, segments};
use super::face::{Faces, intersect};
use super::hull::{Hull, edge_feature};
use crate::hit::Hit;

/// A separating axis.
#[derive(Clone, Copy)]
pub(super) struct Axis {
    pub separation: f64,
    /// Towards the first hull.
    pub normal: V,
    kind: AxisKind,
}

#[derive(Clone, Copy)]
enum AxisKind {
    /// A face of the first (0) or second (1) hull, and the vertex of the other.
    Face(usize, usize, u32),
    Edges(usize, usize),
}

fn face_axis(reference: &Hull, other: &Hull, which: usize) -> Axis {
    let mut best = Axis { separation: f64::NEG_INFINITY, normal: V::zeros(), kind: AxisKind::Face(which, 0, 0) };
    for (f, n) in reference.normals.iter().enumerate() {
        let (vertex, height) = other.lowest(n);
        let separation = height - n.dot(&reference.on_face(f));
        if separation > best.separation {
            let normal = if which == 0 { -n } else { *n };
            best = Axis { separation, normal, kind: AxisKind::Face(which, f, vertex) };
        }
    }
    best
}

/// Whether the arcs of two edges cross on the Gauss map, the second hull's turned over.
fn minkowski_edge(a: (&V, &V, &V), b: (&V, &V, &V)) -> bool {
    let (n0, n1, da) = a;
    let (m0, m1, db) = b;
    // With n0 × n1 along da: cba = −m0·(−da), and so on.
    let (cba, dba) = (m0.dot(da), m1.dot(da));
    let (adc, bdc) = (-n0.dot(db), -n1.dot(db));
    cba * dba < 0.0 && adc * bdc < 0.0 && cba * bdc > 0.0
}

fn edge_axis(a: &Hull, b: &Hull, above: f64) -> Option<Axis> {
    let mut best: Option<Axis> = None;
    let flat = a.is_flat() || b.is_flat();
    let centre = a.centre();
    for (i, e) in a.topology.edges.iter().enumerate() {
        let (p, p1) = a.ends(e);
        let da = p1 - p;
        for (j, g) in b.topology.edges.iter().enumerate() {
            let (q, q1) = b.ends(g);
            let db = q1 - q;
            let normals = |h: &Hull, f: [u32; 2]| (h.normals[f[0] as usize], h.normals[f[1] as usize]);
            if !flat {
                let ((n0, n1), (m0, m1)) = (normals(a, e.faces), normals(b, g.faces));
                if !minkowski_edge((&n0, &n1, &da), (&m0, &m1, &db)) {
                    continue;
                }
            }
            let axis = da.cross(&db);
            let norm = axis.norm();
            if norm <= 1e-9 * da.norm() * db.norm() {
                continue;
            }
            let mut out = axis / norm;
            if out.dot(&(p - centre)) < 0.0 {
                out = -out;
            }
            if flat && !support_each_other(a, b, (&p, &q), &mut out) {
                continue;
            }
            let separation = out.dot(&(q - p));
            if separation > best.map_or(above, |b| b.separation) {
                best = Some(Axis { separation, normal: -out, kind: AxisKind::Edges(i, j) });
            }
        }
    }
    best
}

/// With a flat hull the Gauss map does not tell the side: whether p and q are the supports
/// of the two hulls along `out`, which is turned to the side where they are.
fn support_each_other(a: &Hull, b: &Hull, (p, q): (&V, &V), out: &mut V) -> bool {
    let tolerance = 1e-12 * (a.size() + b.size());
    for side in [*out, -*out] {
        let highest = -a.lowest(&-side).1;
        if highest - side.dot(p) <= tolerance && side.dot(q) - b.lowest(&side).1 <= tolerance {
            *out = side;
            return true;
        }
    }
    false
}

/// The axis of largest separation; `None` if it is beyond `reach`.
pub(super) fn best_axis(a: &Hull, b: &Hull, reach: f64) -> Option<Axis> {
    let on_a = face_axis(a, b, 0);
    if on_a.separation > reach {
        return None;
    }
    let on_b = face_axis(b, a, 1);
    if on_b.separation > reach {
        return None;
    }
    let mut best = if on_b.separation > on_a.separation { on_b } else { on_a };
    // Faces win ties: they give the fuller manifold.
    let tie = 1e-10 * (a.size() + b.size());
    if let Some(edges) = edge_axis(a, b, best.separation + tie) {
        best = edges;
    }
    if best.separation > reach { None } else { Some(best) }
}

/// Whether the features of the axis face each other, so that its separation is the distance.
fn faces_each_other(a: &Hull, b: &Hull, axis: &Axis) -> bool {
    match axis.kind {
        AxisKind::Face(0, f, v) => a.over_face(f, &b.v(v)),
        AxisKind::Face(_, f, v) => b.over_face(f, &a.v(v)),
        AxisKind::Edges(i, j) => {
            let (s, t) = segments(a.ends(&a.topology.edges[i]), b.ends(&b.topology.edges[j]));
            s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0
        }
    }
}

/// Cosine beyond which a pair of faces meets as faces though the normal is of edges.
const ALIGNED: f64 = 0.998;

/// Appends the contacts of two hulls.
pub(super) fn collide(a: &Hull, b: &Hull, margin: f64, faces: &mut Faces, out: &mut Vec<Hit<3>>) {
    let Some(axis) = best_axis(a, b, margin) else { return };
    collide_along(a, b, &axis, margin, faces, out);
}

pub(super) fn collide_along(a: &Hull, b: &Hull, axis: &Axis, margin: f64, faces: &mut Faces, out: &mut Vec<Hit<3>>) {
    let n = axis.normal;
    if axis.separation > 0.0 && !faces_each_other(a, b, axis) {
        let c = hulls(a, b);
        if c.distance <= margin {
            let normal = if c.distance > 0.0 { (c.points[0] - c.points[1]) / c.distance } else { n };
            out.push(Hit { features: c.features, points: c.points, normal, gap: c.distance, rate: 0.0 });
        }
        return;
    }
    let aligned = a.normals[a.facing(&-n)].dot(&-n) > ALIGNED && b.normals[b.facing(&n)].dot(&n) > ALIGNED;
    match axis.kind {
        AxisKind::Edges(i, j) if !aligned => {
            let (p, q) = (a.ends(&a.topology.edges[i]), b.ends(&b.topology.edges[j]));
            let (s, t) = segments(p, q);
            let points = [p.0 + (p.1 - p.0) * s, q.0 + (q.1 - q.0) * t];
            let features = [edge_feature(i as u32), edge_feature(j as u32)];
            out.push(Hit { features, points, normal: n, gap: axis.separation, rate: 0.0 });
        }
        _ => {
            let from = out.len();
            intersect(a, b, &n, margin, faces, out);
            ensure_deepest(a, b, axis, from, out);
        }
    }
}

/// The point that carries the depth must be there, whatever the tolerances did.
fn ensure_deepest(a: &Hull, b: &Hull, axis: &Axis, from: usize, out: &mut Vec<Hit<3>>) {
    let found = out[from..].iter().fold(f64::INFINITY, |m, h| m.min(h.gap));
    if found <= axis.separation + 1e-6 * (a.size() + b.size()) {
        return;
    }
    let n = axis.normal;
    let gap = axis.separation;
    let (features, points) = match axis.kind {
        AxisKind::Face(0, f, v) => {
            let q = b.v(v);
            ([super::hull::face_feature(f as u32), super::hull::vertex_feature(v)], [q + n * gap, q])
        }
        AxisKind::Face(_, f, v) => {
            let p = a.v(v);
            ([super::hull::vertex_feature(v), super::hull::face_feature(f as u32)], [p, p - n * gap])
        }
        AxisKind::Edges(i, j) => {
            let (p, q) = (a.ends(&a.topology.edges[i]), b.ends(&b.topology.edges[j]));
            let (s, t) = segments(p, q);
            let features = [edge_feature(i as u32), edge_feature(j as u32)];
            (features, [p.0 + (p.1 - p.0) * s, q.0 + (q.1 - q.0) * t])
        }
    };
    if !out[from..].iter().any(|h| h.features == features) {
        out.push(Hit { features, points, normal: n, gap, rate: 0.0 });
    }
}
