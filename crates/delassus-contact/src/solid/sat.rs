//! Two convex polyhedra: normal by the separating axes, manifold by their faces
//!
//! The faces of the Minkowski difference are those of its terms and the parallelograms
//! of pairs of edges whose arcs cross on the Gauss map; the largest separation over
//! their normals is the exact depth of overlapping hulls. Hulls apart whose closest
//! features are corners get their exact closest points. Source: \[Gregorius13\].
//!
//! Most pairs of the broad phase are apart, and most faces and edges look away. What is left out by a bound could not have
//! been the answer, so that nothing is remembered from step to step:
//!
//! ```text
//! apart along the line of centres by more than the reach          no contact
//! face n:           separation ≤ n·(v − p) for every vertex v of the other
//! edge of n0, n1:   separation ≤ max(n0·(v − p), n1·(v − p)) where this is negative
//! ```

use super::V;
use super::closest::{hulls, segments};
use super::face::{Faces, intersect};
use super::hull::{Hull, edge_feature};
use crate::hit::Hit;

/// A separating axis.
#[derive(Clone, Copy)]
struct Axis {
    separation: f64,
    /// Towards the first hull.
    normal: V,
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
    let mut lowest = 0;
    for (f, n) in reference.normals.iter().enumerate() {
        let (level, shift) = (reference.level(f), n.dot(&other.shift));
        let separation = |height: f64| (height + shift) - level;
        // The vertex that faced the best face so far shows most others to be worse.
        if separation(n.dot(&other.vertices[lowest])) <= best.separation {
            continue;
        }
        let (mut vertex, mut height) = (0, f64::INFINITY);
        for (i, v) in other.vertices.iter().enumerate() {
            let h = n.dot(v);
            if h < height {
                (vertex, height) = (i, h);
            }
        }
        let separation = separation(height);
        if separation > best.separation {
            let normal = if which == 0 { -n } else { *n };
            best = Axis { separation, normal, kind: AxisKind::Face(which, f, vertex as u32) };
            lowest = vertex;
        }
    }
    best
}

/// Whether two hulls are farther apart than `reach` along the line of their centres, round-off aside.
fn apart(a: &Hull, b: &Hull, reach: f64) -> bool {
    let d = a.centre() - b.centre();
    let separation = a.lowest(&d).1 + b.lowest(&-d).1;
    separation > (reach + SLACK * (a.size + b.size)) * d.norm()
}

/// Share of the sizes by which bounds are taken wider than round-off asks for.
pub(super) const SLACK: f64 = 1e-9;

/// Share of the sizes below which hulls apart meet as hulls that touch.
const TOUCHING: f64 = 1e-8;

/// An edge that may be part of the best axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    number: usize,
    start: V,
    way: V,
    normals: [V; 2],
}

/// Into `edges`, those of `h` along which the other hull, of which `v` is a vertex, may be separated by more than `least`.
fn candidates(h: &Hull, v: V, least: f64, (near, edges): (&mut Vec<bool>, &mut Vec<Candidate>)) {
    // Vertices of a face may be off its plane by the tolerance of the merging.
    let bound = least.min(0.0) - 10.0 * SLACK * h.size;
    let flat = h.is_flat();
    near.clear();
    near.extend(h.normals.iter().enumerate().map(|(f, n)| flat || n.dot(&v) - h.level(f) > bound));
    edges.clear();
    for (number, e) in h.topology.edges.iter().enumerate() {
        let faces = e.faces.map(|f| f as usize);
        // The axis is n = (αn0 + βn1)/|αn0 + βn1| of positive α, β.
        if near[faces[0]] || near[faces[1]] {
            let (start, end) = h.ends(e);
            edges.push(Candidate { number, start, way: end - start, normals: faces.map(|f| h.normals[f]) });
        }
    }
}

/// Edges of both hulls that are looked at.
#[derive(Clone, Debug, Default)]
pub(super) struct Edges {
    a: Vec<Candidate>,
    b: Vec<Candidate>,
    near: Vec<bool>,
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

/// The best axis of two edges, if it is better than that of faces by more than a `tie`.
fn edge_axis(a: &Hull, b: &Hull, face: &Axis, tie: f64, edges: &mut Edges) -> Option<Axis> {
    let mut best: Option<Axis> = None;
    let (flat, above) = (a.is_flat() || b.is_flat(), face.separation + tie);
    let centre = a.centre();
    // The vertices that face each other along the best face bound most.
    let (p, q) = (a.v(a.lowest(&face.normal).0), b.v(b.lowest(&-face.normal).0));
    let Edges { a: mine, b: theirs, near } = edges;
    candidates(a, q, face.separation, (near, mine));
    if mine.is_empty() {
        return None;
    }
    candidates(b, p, face.separation, (near, theirs));
    for e in &*mine {
        let ([n0, n1], p, da) = (&e.normals, e.start, e.way);
        for g in &*theirs {
            let ([m0, m1], q, db) = (&g.normals, g.start, g.way);
            if !flat && !minkowski_edge((n0, n1, &da), (m0, m1, &db)) {
                continue;
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
            let least = best.map_or(above, |b| b.separation);
            // With a flat hull the Gauss map does not tell the side.
            let sides = if flat { &[1.0, -1.0][..] } else { &[1.0] };
            for side in sides {
                let out = out * *side;
                let separation = out.dot(&(q - p));
                if separation > least && (!flat || support_each_other(a, b, (&p, &q), &out)) {
                    best = Some(Axis { separation, normal: -out, kind: AxisKind::Edges(e.number, g.number) });
                    break;
                }
            }
        }
    }
    best
}

/// Whether p and q are the supports of the two hulls along `out`.
fn support_each_other(a: &Hull, b: &Hull, (p, q): (&V, &V), out: &V) -> bool {
    let tolerance = 1e-12 * (a.size + b.size);
    let (level, shift) = (out.dot(p), out.dot(&a.shift));
    out.dot(q) - b.lowest(out).1 <= tolerance && a.vertices.iter().all(|v| out.dot(v) + shift - level <= tolerance)
}

/// The axis of largest separation; `None` if it is beyond `reach`.
fn best_axis(a: &Hull, b: &Hull, reach: f64, edges: &mut Edges) -> Option<Axis> {
    if !b.is_flat() && apart(a, b, reach) {
        return None;
    }
    // A triangle has one plane: it is asked first.
    let on_b = face_axis(b, a, 1);
    if on_b.separation > reach {
        return None;
    }
    let on_a = face_axis(a, b, 0);
    if on_a.separation > reach {
        return None;
    }
    let mut best = if on_b.separation > on_a.separation { on_b } else { on_a };
    // Faces win ties: they give the fuller manifold.
    let tie = 1e-10 * (a.size + b.size);
    if let Some(axis) = edge_axis(a, b, &best, tie, edges) {
        best = axis;
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
    let Some(axis) = best_axis(a, b, margin, &mut faces.edges) else { return };
    collide_along(a, b, &axis, margin, faces, out);
}

fn collide_along(a: &Hull, b: &Hull, axis: &Axis, margin: f64, faces: &mut Faces, out: &mut Vec<Hit<3>>) {
    let n = axis.normal;
    // What touches but for round-off meets as faces: the vertex of the axis is any of those that lie on the face's plane.
    if axis.separation > TOUCHING * (a.size + b.size) && !faces_each_other(a, b, axis) {
        let c = hulls(a, b, &n, margin);
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
    if found <= axis.separation + 1e-6 * (a.size + b.size) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solid::hull::size;
    use crate::solid::{Polyhedron, closest::Closest};
    use rand::{Rng, SeedableRng, rngs::StdRng};

    /// All faces against all vertices, all edges against all edges.
    fn slow_axis(a: &Hull, b: &Hull, reach: f64) -> Option<Axis> {
        let mut best = Axis { separation: f64::NEG_INFINITY, normal: V::zeros(), kind: AxisKind::Face(0, 0, 0) };
        for (which, (h, o)) in [(a, b), (b, a)].into_iter().enumerate() {
            for (f, n) in h.normals.iter().enumerate() {
                let (vertex, height) = o.lowest(n);
                let separation = height - n.dot(&h.on_face(f));
                if separation > best.separation {
                    let normal = if which == 0 { -n } else { *n };
                    best = Axis { separation, normal, kind: AxisKind::Face(which, f, vertex) };
                }
            }
        }
        let tie = 1e-10 * (a.size + b.size);
        let (face, flat) = (best.separation, a.is_flat() || b.is_flat());
        for (i, e) in a.topology.edges.iter().enumerate() {
            for (j, g) in b.topology.edges.iter().enumerate() {
                let ((p, p1), (q, q1)) = (a.ends(e), b.ends(g));
                let (da, db) = (p1 - p, q1 - q);
                let normals = |h: &Hull, f: [u32; 2]| f.map(|f| h.normals[f as usize]);
                let ([n0, n1], [m0, m1]) = (normals(a, e.faces), normals(b, g.faces));
                if !flat && !minkowski_edge((&n0, &n1, &da), (&m0, &m1, &db)) {
                    continue;
                }
                let axis = da.cross(&db);
                if axis.norm() <= 1e-9 * da.norm() * db.norm() {
                    continue;
                }
                let mut out = axis / axis.norm();
                if out.dot(&(p - a.centre())) < 0.0 {
                    out = -out;
                }
                if flat {
                    let Some(side) = [out, -out].into_iter().find(|o| support_each_other(a, b, (&p, &q), o)) else {
                        continue;
                    };
                    out = side;
                }
                let separation = out.dot(&(q - p));
                let edges = matches!(best.kind, AxisKind::Edges(..));
                if separation > if edges { best.separation } else { face + tie } {
                    best = Axis { separation, normal: -out, kind: AxisKind::Edges(i, j) };
                }
            }
        }
        (best.separation <= reach).then_some(best)
    }

    /// Of all pairs of features.
    fn slow_closest(a: &Hull, b: &Hull) -> Closest {
        hulls(a, b, &V::zeros(), f64::INFINITY)
    }

    fn levels(vertices: &[V], normals: &[V], topology: &crate::solid::polyhedron::Topology) -> Vec<f64> {
        normals.iter().enumerate().map(|(f, n)| n.dot(&vertices[topology.face(f)[0] as usize])).collect()
    }

    fn random_hull(rng: &mut StdRng, n: usize) -> Polyhedron {
        let points: Vec<[f64; 3]> = (0..n).map(|_| [(); 3].map(|()| rng.random_range(-1.0..1.0))).collect();
        Polyhedron::hull(&points).expect("points in general position")
    }

    /// Random hulls, boxes and triangles at all distances: the bounds leave out nothing that counts, to the bit.
    #[test]
    fn bounds_change_nothing() {
        let mut rng = StdRng::seed_from_u64(11);
        let mut kinds = [0; 4];
        for k in 0..4000 {
            let n = rng.random_range(4..24);
            let first = if k % 5 == 0 { Polyhedron::cuboid(&V::new(0.7, 0.4, 0.9)) } else { random_hull(&mut rng, n) };
            let second = if k % 3 == 0 { Polyhedron::cuboid(&V::new(0.6, 0.5, 0.3)) } else { random_hull(&mut rng, n) };
            let turn = |rng: &mut StdRng| {
                let r = V::from_fn(|_, _| rng.random_range(-3.0..3.0));
                *nalgebra::Rotation3::from_scaled_axis(r).matrix()
            };
            let r = if k % 15 == 0 { crate::Rotation::<3>::identity() } else { turn(&mut rng) };
            let away = V::from_fn(|_, _| rng.random_range(-1.0..1.0)).normalize() * rng.random_range(0.2..2.6);
            let vertices: Vec<V> = second.vertices().iter().map(|v| r * v + away).collect();
            let normals: Vec<V> = second.normals().iter().map(|n| r * n).collect();
            let a = Hull {
                vertices: first.vertices(),
                normals: first.normals(),
                topology: first.topology(),
                levels: &levels(first.vertices(), first.normals(), first.topology()),
                shift: V::zeros(),
                size: size(first.vertices()),
            };
            let triangle = [vertices[0], vertices[1], vertices[2]];
            let n = (triangle[1] - triangle[0]).cross(&(triangle[2] - triangle[0])).normalize();
            let two = [n, -n];
            let shift = if k % 2 == 0 { V::zeros() } else { V::new(0.1, 0.0, -0.2) };
            let solid = Hull {
                vertices: &vertices,
                normals: &normals,
                topology: second.topology(),
                levels: &levels(&vertices, &normals, second.topology()),
                shift,
                size: size(&vertices),
            };
            let both = crate::solid::hull::both(&n, &triangle[0]);
            let flat = Hull::triangle(&triangle, &two, &both, shift);
            for b in [solid, flat] {
                for reach in [1e-6, 0.05, 0.5] {
                    let (fast, slow) = (best_axis(&a, &b, reach, &mut Edges::default()), slow_axis(&a, &b, reach));
                    let Some(axis) = &slow else {
                        assert!(fast.is_none());
                        continue;
                    };
                    // What is apart along the line of centres has no contact whatever the axis.
                    let distance = slow_closest(&a, &b).distance;
                    let Some(found) = fast else {
                        assert!(distance > reach && axis.separation > 0.0);
                        kinds[0] += 1;
                        continue;
                    };
                    assert_eq!((found.separation, found.normal), (axis.separation, axis.normal), "{k}");
                    kinds[if let AxisKind::Edges(..) = axis.kind { 1 } else { 2 }] += 1;
                    if axis.separation > 0.0 && distance <= reach {
                        let near = hulls(&a, &b, &axis.normal, reach);
                        let all = slow_closest(&a, &b);
                        assert_eq!((near.points, near.features, near.distance), (all.points, all.features, distance));
                        kinds[3] += 1;
                    }
                }
            }
        }
        assert!(kinds[0] > 0 && kinds[1..].iter().all(|k| *k > 1000), "{kinds:?}");
    }
}
