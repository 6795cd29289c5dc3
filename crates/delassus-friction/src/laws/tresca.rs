//! Tresca's law: friction with a given threshold `g`
//!
//! ```text
//! open:    S = 0,  U_N ≥ 0
//! closed:  U_N = 0,  S_N ≥ 0,  |S_T| ≤ g,  −U_T ∈ N_{disc(g)}(S_T)             [Zammali05 §3.3]
//! ```
//!
//! The half-cylinder `{S_N ≥ 0, |S_T| ≤ g}` alone would let an open contact rub;
//! the two states above make the law prospective. Their union is not convex, and
//! a closed contact may need `S_N < 0`: then the law has no solution and the
//! candidate with the smallest [`residual`] is returned.
//!
//! One contact: `U_N = 0` eliminated, `min ½ S_T·W̃ S_T + q̃·S_T` over the disc;
//! on its rim the secular equation `(W̃ + αI) S_T = −q̃`, `|S_T| = g`.

use super::coulomb::{Tangent, tangent_norm};
use crate::algebra::{Matrix, Vector};

/// Projection on the half-cylinder `{S_N ≥ 0, |S_T| ≤ g}`.
#[inline]
pub fn project<const D: usize>(g: f64, x: &Vector<D>) -> Vector<D> {
    let t = tangent_norm(x);
    let mut p = if t > g { x * (g / t) } else { *x };
    p[0] = x[0].max(0.0);
    p
}

/// Distance to the nearer of the two states, open and closed: zero exactly when
/// the law holds, with a norm continuous in `u` and `s`.
#[inline]
pub fn residual<const D: usize>(g: f64, u: &Vector<D>, s: &Vector<D>, rho: f64) -> Vector<D> {
    let mut open = *s;
    open[0] = s[0].abs() + rho * (-u[0]).max(0.0);
    let mut closed = s - project(g, &(s - rho * u));
    closed[0] = rho * u[0].abs() + (-s[0]).max(0.0);
    if open.norm_squared() < closed.norm_squared() { open } else { closed }
}

/// Solution of the one-contact problem, exact up to three components.
pub fn solve_one<const D: usize>(g: f64, w: &Matrix<D>, q: &Vector<D>) -> Vector<D> {
    if q[0] >= 0.0 || w[(0, 0)] <= 0.0 {
        return Vector::zeros();
    }
    let closed = match D {
        0..=3 => closed(g, w, q),
        _ => super::iterate::solve_by_projection(w, q, &Vector::zeros(), |x| project(g, x), |_| 0.0),
    };
    if closed[0] >= 0.0 {
        return closed;
    }
    // No solution: the least bad of rubbing without pressure, and of nothing.
    let mut pressed = closed;
    pressed[0] = 0.0;
    let misses = |s: &Vector<D>| residual(g, &(w * s + q), s, 1.0 / w.norm()).norm_squared();
    let mut best = Vector::zeros();
    for s in [pressed, rubbing(g, w, q)] {
        if misses(&s) < misses(&best) {
            best = s;
        }
    }
    best
}

/// The closed state: `U_N = 0` eliminated, `S_N` of either sign.
fn closed<const D: usize>(g: f64, w: &Matrix<D>, q: &Vector<D>) -> Vector<D> {
    let mut s = Vector::zeros();
    let inv = 1.0 / w[(0, 0)];
    s[0] = -q[0] * inv;
    if D == 2 {
        let (a, b) = (w[(1, 1)] - w[(1, 0)] * w[(0, 1)] * inv, q[1] + w[(1, 0)] * s[0]);
        // Round-off of a singular block is no stiffness, and no velocity.
        let rest = a <= 4e-15 * w[(1, 1)] && b.abs() <= 4e-15 * (q[1].abs() + (w[(1, 0)] * s[0]).abs());
        s[1] = if rest { 0.0 } else { interval(a, b, g) };
        s[0] -= w[(0, 1)] * inv * s[1];
    } else if D == 3 {
        let schur = |i: usize, j: usize| w[(i, j)] - w[(i, 0)] * w[(0, j)] * inv;
        let (q1, q2) = (q[1] + w[(1, 0)] * s[0], q[2] + w[(2, 0)] * s[0]);
        let a = [[schur(1, 1), schur(1, 2)], [schur(2, 1), schur(2, 2)]];
        [s[1], s[2]] = disc(a, [w[(1, 1)], w[(2, 2)]], [q1, q2], g);
        s[0] -= inv * (w[(0, 1)] * s[1] + w[(0, 2)] * s[2]);
    }
    s
}

/// The half-cylinder's own answer when the contact lifts: `S_N = 0`.
fn rubbing<const D: usize>(g: f64, w: &Matrix<D>, q: &Vector<D>) -> Vector<D> {
    let mut s = Vector::zeros();
    if D == 2 {
        s[1] = interval(w[(1, 1)], q[1], g);
    } else if D == 3 {
        let a = [[w[(1, 1)], w[(1, 2)]], [w[(2, 1)], w[(2, 2)]]];
        [s[1], s[2]] = disc(a, [w[(1, 1)], w[(2, 2)]], [q[1], q[2]], g);
    }
    s
}

/// `min ½ a t² + b t` over `|t| ≤ radius`.
#[inline]
pub(super) fn interval(a: f64, b: f64, radius: f64) -> f64 {
    if b == 0.0 {
        0.0
    } else if a > 0.0 {
        (-b / a).max(-radius).min(radius)
    } else {
        -radius * b.signum()
    }
}

/// `min ½ t·A t + b·t` over `|t| ≤ radius`: the root of `1/|t(α)| = 1/radius`,
/// concave in `α`, so that Newton's iteration is monotone from the left.
/// `diagonal` is that of the matrix `A` was reduced from.
pub(super) fn disc(a: [[f64; 2]; 2], diagonal: [f64; 2], b: [f64; 2], radius: f64) -> [f64; 2] {
    let size = b[0].hypot(b[1]);
    if size == 0.0 || radius == 0.0 {
        return [0.0; 2];
    }
    let (block, swapped) = Tangent::new(a, diagonal);
    let block = block.facing(b, swapped);
    let ordered = |t1: f64, t2: f64| if swapped { [t2, t1] } else { [t1, t2] };
    let (mut lo, mut hi) = (block.floor(), 1.01 * size / radius + block.floor());
    let mut alpha = lo;
    let mut t = block.at(alpha);
    if t.0.hypot(t.1) <= radius {
        return ordered(t.0, t.1);
    }
    for _ in 0..100 {
        let norm = t.0.hypot(t.1);
        if norm > radius {
            lo = alpha;
        } else {
            hi = hi.min(alpha);
        }
        let (g1, g2) = block.solve(alpha, t.0, t.1);
        // d|t|/dα = t·g/|t|,   Newton on 1/|t| − 1/radius
        let slope = (t.0 * g1 + t.1 * g2) / norm;
        let mut next = alpha - (norm - radius) * (norm / radius) / slope;
        if !(next >= lo && next <= hi) {
            next = 0.5 * (lo + hi);
        }
        let step = (next - alpha).abs();
        alpha = next;
        t = block.at(alpha);
        if step <= 4e-16 * alpha {
            break;
        }
    }
    let norm = t.0.hypot(t.1);
    let scale = if norm > 0.0 { radius / norm } else { 0.0 };
    ordered(scale * t.0, scale * t.1)
}
