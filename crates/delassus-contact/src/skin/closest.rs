//! The place of a facet nearest to a point, and the one met along a field of normals
//!
//! ```text
//! nearest:  min ½|p − x(ξ)|²  over the facet            along:  p = x(ξ) + g n(ξ)
//! ```
//!
//! Segments and planar triangles in closed form, curved facets by Newton with the curvature
//! of the facet, compared with the nearest places of the edges.

use super::FacetKind;
use super::facet::{FACET_NODES, Patch, Xi, shape};
use super::kind::Domain;
use crate::Vector;

/// A Newton step as short as this was the last: the error left is of the order of its square.
const CONVERGED: f64 = 1e-9;

/// Which part of a facet a place is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Feature {
    Interior,
    Edge(usize),
    Corner(usize),
}

/// A nearest place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Closest<const D: usize> {
    pub xi: Xi,
    pub point: Vector<D>,
    pub feature: Feature,
    pub distance2: f64,
}

/// The nearest place of a facet.
pub(crate) fn closest<const D: usize>(patch: &Patch<D>, p: &Vector<D>) -> Closest<D> {
    if patch.kind.domain() == Domain::Segment {
        let s = on_curve(&patch.x[0], &patch.x[1], patch.kind.is_quadratic().then_some(&patch.x[2]), p);
        let feature = end_feature(s).map_or(Feature::Interior, Feature::Corner);
        return at(patch, [s, 0.0], feature, p);
    }
    let inner = stationary(patch, p).map(|xi| at(patch, xi, Feature::Interior, p));
    match inner {
        Some(c) if patch.kind == FacetKind::Tri3 => c,
        _ => {
            let edge = on_edges(patch, p);
            inner.filter(|c| c.distance2 <= edge.distance2).unwrap_or(edge)
        }
    }
}

fn at<const D: usize>(patch: &Patch<D>, xi: Xi, feature: Feature, p: &Vector<D>) -> Closest<D> {
    let point = patch.point(xi);
    Closest { xi, point, feature, distance2: (p - point).norm_squared() }
}

fn end_feature(s: f64) -> Option<usize> {
    if s <= -1.0 { Some(0) } else { (s >= 1.0).then_some(1) }
}

fn on_edges<const D: usize>(patch: &Patch<D>, p: &Vector<D>) -> Closest<D> {
    let corners = patch.kind.corners();
    let places = patch.kind.places();
    let mut best: Option<Closest<D>> = None;
    for e in 0..corners {
        let f = (e + 1) % corners;
        let middle = patch.kind.is_quadratic().then(|| &patch.x[corners + e]);
        let s = on_curve(&patch.x[e], &patch.x[f], middle, p);
        let feature = end_feature(s).map_or(Feature::Edge(e), |end| Feature::Corner([e, f][end]));
        let (a, b) = (0.5 * (1.0 - s), 0.5 * (1.0 + s));
        let xi = [0, 1].map(|k| a * places[e][k] + b * places[f][k]);
        let c = at(patch, xi, feature, p);
        if best.is_none_or(|o| c.distance2 < o.distance2) {
            best = Some(c);
        }
    }
    best.expect("a facet has edges")
}

/// Coordinate in [−1, 1] of the nearest place of a segment, straight or with a middle node.
fn on_curve<const D: usize>(a: &Vector<D>, b: &Vector<D>, middle: Option<&Vector<D>>, p: &Vector<D>) -> f64 {
    let half = (b - a) * 0.5;
    let m = (a + b) * 0.5;
    let l2 = half.norm_squared();
    let straight = if l2 > 0.0 { ((p - m).dot(&half) / l2).clamp(-1.0, 1.0) } else { -1.0 };
    let Some(middle) = middle else { return straight };
    // x(s) = m + s half + (1 − s²) k, with the bulge k.
    let k = middle - m;
    let r = |s: f64| p - m - half * s - k * (1.0 - s * s);
    let starts = [-1.0, -0.5, 0.0, 0.5, 1.0, straight];
    let mut s = starts.iter().fold(straight, |o, &n| if r(n).norm_squared() < r(o).norm_squared() { n } else { o });
    for _ in 0..40 {
        let (d, t) = (r(s), half - k * (2.0 * s));
        // Second derivative of ½|r|², replaced by its positive part where it is not.
        let full = t.norm_squared() + 2.0 * d.dot(&k);
        let hessian = if full > 0.0 { full } else { t.norm_squared() };
        if !(hessian > 0.0) {
            break;
        }
        let target = (s + d.dot(&t) / hessian).clamp(-1.0, 1.0);
        let mut step = target - s;
        while r(s + step).norm_squared() > d.norm_squared() && step.abs() > 1e-15 {
            step *= 0.5;
        }
        s += step;
        if step.abs() <= CONVERGED {
            break;
        }
    }
    s
}

/// The place inside a facet of space where the offset is normal, if there is one.
fn stationary<const D: usize>(patch: &Patch<D>, p: &Vector<D>) -> Option<Xi> {
    let mut xi = start(patch, p);
    for _ in 0..40 {
        let s = shape(patch.kind, xi);
        let t = patch.tangents(&s);
        let r = p - patch.combine(&s.n);
        let g = [r.dot(&t[0]), r.dot(&t[1])];
        let gauss = [t[0].norm_squared(), t[0].dot(&t[1]), t[1].norm_squared()];
        let mut h = gauss;
        for k in 0..patch.len() {
            let along = r.dot(&patch.x[k]);
            for c in 0..3 {
                h[c] -= along * s.dd[k][c];
            }
        }
        let convex = h[0] > 0.0 && h[0] * h[2] - h[1] * h[1] > 1e-12 * gauss[0] * gauss[2];
        let step = solve2(if convex { h } else { gauss }, g)?;
        xi = [xi[0] + step[0], xi[1] + step[1]];
        if !(patch.kind.excess(xi) < 2.0) {
            return None;
        }
        if patch.kind == FacetKind::Tri3 || step[0].abs().max(step[1].abs()) <= CONVERGED {
            break;
        }
    }
    (patch.kind.excess(xi) <= 0.0).then_some(xi)
}

/// The nearest of a few samples, where Newton begins.
fn start<const D: usize>(patch: &Patch<D>, p: &Vector<D>) -> Xi {
    let c = patch.kind.centre();
    if !patch.kind.is_quadratic() {
        return c;
    }
    let mut best = (c, (p - patch.point(c)).norm_squared());
    for place in patch.kind.places() {
        let xi = [0.5 * (c[0] + place[0]), 0.5 * (c[1] + place[1])];
        let d = (p - patch.point(xi)).norm_squared();
        if d < best.1 {
            best = (xi, d);
        }
    }
    best.0
}

fn solve2([a, b, c]: [f64; 3], g: [f64; 2]) -> Option<[f64; 2]> {
    let det = a * c - b * b;
    (det > 1e-24 * a * c).then(|| [(c * g[0] - b * g[1]) / det, (a * g[1] - b * g[0]) / det])
}

/// Solves `p = x(ξ) + g n(ξ)`, n interpolated from `normals`; the place may lie outside.
pub(crate) fn along<const D: usize>(
    patch: &Patch<D>,
    normals: &[Vector<D>; FACET_NODES],
    p: &Vector<D>,
    from: Xi,
) -> Option<(Xi, f64)> {
    let size = patch.size();
    let field = Patch::<D> { kind: patch.kind, x: *normals };
    let mut xi = from;
    let s = shape(patch.kind, xi);
    let mut g = (p - patch.combine(&s.n)).dot(&field.combine(&s.n));
    for _ in 0..30 {
        let s = shape(patch.kind, xi);
        let n = field.combine(&s.n);
        let r = p - patch.combine(&s.n) - n * g;
        let (t, m) = (patch.tangents(&s), field.tangents(&s));
        let mut columns = [[0.0; 3]; 3];
        for a in 0..D - 1 {
            (t[a] + m[a] * g).iter().enumerate().for_each(|(k, v)| columns[a][k] = *v);
        }
        n.iter().enumerate().for_each(|(k, v)| columns[D - 1][k] = *v);
        let mut rhs = [0.0; 3];
        rhs[..D].copy_from_slice(r.as_slice());
        let step = solve_columns::<D>(&columns, &rhs)?;
        for a in 0..D - 1 {
            xi[a] += step[a];
        }
        g += step[D - 1];
        if !(patch.kind.excess(xi) < 4.0) {
            return None;
        }
        let small =
            step[..D - 1].iter().all(|d| d.abs() <= CONVERGED) && step[D - 1].abs() <= CONVERGED * (size + g.abs());
        if small {
            return Some((xi, g));
        }
    }
    None
}

/// Cramer's rule, for 2 or 3 columns.
fn solve_columns<const D: usize>(c: &[[f64; 3]; 3], r: &[f64; 3]) -> Option<[f64; 3]> {
    let det = |c: &[[f64; 3]; 3]| -> f64 {
        if D == 2 {
            c[0][0] * c[1][1] - c[0][1] * c[1][0]
        } else {
            (0..3)
                .map(|k| c[0][k] * (c[1][(k + 1) % 3] * c[2][(k + 2) % 3] - c[1][(k + 2) % 3] * c[2][(k + 1) % 3]))
                .sum()
        }
    };
    let scale: f64 = c[..D].iter().map(|v| v.iter().map(|x| x * x).sum::<f64>().sqrt()).product();
    let whole = det(c);
    if !(whole.abs() > 1e-12 * scale) {
        return None;
    }
    let mut x = [0.0; 3];
    for k in 0..D {
        let mut replaced = *c;
        replaced[k] = *r;
        x[k] = det(&replaced) / whole;
    }
    Some(x)
}
