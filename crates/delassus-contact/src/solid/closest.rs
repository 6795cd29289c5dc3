//! Closest points of points, segments and hulls.

use super::V;
use super::hull::{Hull, edge_feature, face_feature, vertex_feature};
use crate::Vector;

/// Closest points of the segments `p p'` and `q q'`, as parameters in `[0, 1]`.
pub(crate) fn segments<const D: usize>(p: (Vector<D>, Vector<D>), q: (Vector<D>, Vector<D>)) -> (f64, f64) {
    let (d, e, r) = (p.1 - p.0, q.1 - q.0, p.0 - q.0);
    let (a, c, f) = (d.norm_squared(), e.norm_squared(), e.dot(&r));
    if a == 0.0 {
        return (0.0, if c == 0.0 { 0.0 } else { (f / c).clamp(0.0, 1.0) });
    }
    let g = d.dot(&r);
    if c == 0.0 {
        return ((-g / a).clamp(0.0, 1.0), 0.0);
    }
    let b = d.dot(&e);
    let determinant = a * c - b * b;
    // Parallel: any s serves; the ends are looked at below through t.
    let s = if determinant > 1e-14 * a * c { ((b * f - g * c) / determinant).clamp(0.0, 1.0) } else { 0.0 };
    let t = (b * s + f) / c;
    if t < 0.0 {
        ((-g / a).clamp(0.0, 1.0), 0.0)
    } else if t > 1.0 {
        (((b - g) / a).clamp(0.0, 1.0), 1.0)
    } else {
        (s, t)
    }
}

/// The closest point of a hull to a point.
pub(super) struct OnHull {
    /// On the surface of the hull.
    pub point: V,
    /// Outward normal there.
    pub normal: V,
    /// Signed distance, negative inside.
    pub distance: f64,
    /// Face, edge or vertex.
    pub feature: u32,
}

/// The closest point of the surface of `h` to `p`; exact inside and outside.
pub(super) fn point_hull(h: &Hull, p: &V) -> OnHull {
    let mut best = (0, f64::NEG_INFINITY);
    for (f, n) in h.normals.iter().enumerate() {
        let d = n.dot(&(p - h.on_face(f)));
        if d > best.1 {
            best = (f, d);
        }
    }
    let (f, d) = best;
    let n = h.normals[f];
    // Outside, the distance to the farthest plane bounds the distance from below: it is
    // attained over that face, or nowhere on a face.
    if (d <= 0.0 && !h.is_flat()) || h.over_face(f, p) {
        return OnHull { point: p - n * d, normal: n, distance: d, feature: face_feature(f as u32) };
    }
    let mut best = (f64::INFINITY, V::zeros(), 0);
    for (i, e) in h.topology.edges.iter().enumerate() {
        let (u, v) = h.ends(e);
        let s = ((p - u).dot(&(v - u)) / (v - u).norm_squared()).clamp(0.0, 1.0);
        let q = u + (v - u) * s;
        let distance = (p - q).norm_squared();
        if distance < best.0 {
            let feature = if s == 0.0 {
                vertex_feature(e.vertices[0])
            } else if s == 1.0 {
                vertex_feature(e.vertices[1])
            } else {
                edge_feature(i as u32)
            };
            best = (distance, q, feature);
        }
    }
    let distance = best.0.sqrt();
    let normal = if distance > 0.0 { (p - best.1) / distance } else { n };
    OnHull { point: best.1, normal, distance, feature: best.2 }
}

/// Closest points of two hulls that are apart.
pub(super) struct Closest {
    pub points: [V; 2],
    pub features: [u32; 2],
    pub distance: f64,
}

/// By vertices against the other hull and pairs of edges. Only those count that are within `reach` of the other hull
/// along `n`, an axis that separates them, towards the first; nothing may be found farther apart.
pub(super) fn hulls(a: &Hull, b: &Hull, n: &V, reach: f64) -> Closest {
    let mut best = Closest { points: [V::zeros(); 2], features: [0; 2], distance: f64::INFINITY };
    let far = reach + super::sat::SLACK * (a.size + b.size);
    let (lowest, highest) = (a.lowest(n).1, -b.lowest(&-n).1);
    let of_a = |i: u32| n.dot(&a.v(i)) - highest <= far;
    let of_b = |i: u32| lowest - n.dot(&b.v(i)) <= far;
    for i in (0..b.vertices.len() as u32).filter(|i| of_b(*i)) {
        let p = b.v(i);
        let c = point_hull(a, &p);
        if c.distance < best.distance {
            best = Closest { points: [c.point, p], features: [c.feature, vertex_feature(i)], distance: c.distance };
        }
    }
    for i in (0..a.vertices.len() as u32).filter(|i| of_a(*i)) {
        let p = a.v(i);
        let c = point_hull(b, &p);
        if c.distance < best.distance {
            best = Closest { points: [p, c.point], features: [vertex_feature(i), c.feature], distance: c.distance };
        }
    }
    for (i, e) in a.topology.edges.iter().enumerate().filter(|(_, e)| e.vertices.iter().any(|v| of_a(*v))) {
        for (j, g) in b.topology.edges.iter().enumerate().filter(|(_, g)| g.vertices.iter().any(|v| of_b(*v))) {
            let (p, q) = (a.ends(e), b.ends(g));
            let (s, t) = segments(p, q);
            if !(s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0) {
                continue;
            }
            let (x, y) = (p.0 + (p.1 - p.0) * s, q.0 + (q.1 - q.0) * t);
            let distance = (x - y).norm();
            if distance < best.distance {
                let features = [edge_feature(i as u32), edge_feature(j as u32)];
                best = Closest { points: [x, y], features, distance };
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Segments against a fine sampling of both (the minimum of the samples is never smaller).
    #[test]
    fn segment_distances_are_minimal() {
        let f = |k: usize, i: usize| ((k * 12 + i) as f64 * 2.399_963).sin();
        for k in 0..200 {
            let v = |i: usize| V::new(f(k, 3 * i), f(k, 3 * i + 1), f(k, 3 * i + 2));
            let (p, mut q) = ((v(0), v(1)), (v(2), v(3)));
            if k % 4 == 0 {
                q.1 = q.0 + (p.1 - p.0) * 0.7;
            }
            let (s, t) = segments(p, q);
            let d = (p.0 + (p.1 - p.0) * s - q.0 - (q.1 - q.0) * t).norm();
            let mut sampled = f64::INFINITY;
            for i in 0..=60 {
                for j in 0..=60 {
                    let (a, b) = (f64::from(i) / 60.0, f64::from(j) / 60.0);
                    sampled = sampled.min((p.0 + (p.1 - p.0) * a - q.0 - (q.1 - q.0) * b).norm());
                }
            }
            assert!(d <= sampled + 1e-12 && d >= sampled - 0.06, "{k}: {d} {sampled}");
        }
    }
}
