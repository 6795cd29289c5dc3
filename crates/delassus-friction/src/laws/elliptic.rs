//! Orthotropic friction: the cone over an ellipse
//!
//! ```text
//! C = { S : |M⁻¹ Rᵀ S_T| ≤ S_N },   M = diag(μ₁, μ₂),   φ(U_T) = |M Rᵀ U_T|     [Moreau86]
//! ```
//!
//! `R` turns `t1` into the first principal axis. One contact: `S = E y` with
//! `E = diag(1, R M)` makes it Coulomb's law with coefficient one for
//! `EᵀWE, Eᵀq`, whatever the axes, zero included.
//!
//! Projection of `(n, a, b)`, principal axes, `a, b ≥ 0`: the multiplier `λ ≥ 0` of the cone
//! solves
//!
//! ```text
//! (1 − λ) B(λ) = n,     B(λ) = |( a μ₁/(μ₁²+λ), b μ₂/(μ₂²+λ) )|
//! ```
//!
//! and `B` is the normal component of the answer. `1 − λ − n/B` is linear when
//! the axes are equal and convex (`n ≥ 0`) or concave (`n < 0`) otherwise, so
//! Newton's iteration is monotone from the right end of the bracket. Solving
//! for the point itself by its components was rejected: it is singular at `n = 0`.

use super::coulomb;
use crate::algebra::{Matrix, Vector, solve_small};

/// Below this a coefficient is zero: its square would underflow.
const FLAT: f64 = 1e-150;

/// Components `(n, t1, t2)` of a contact space; absent ones are zero.
#[inline]
pub(super) fn widen<const D: usize>(x: &Vector<D>) -> Vector<3> {
    Vector::<3>::from_fn(|i, _| if i < D { x[i] } else { 0.0 })
}

/// The inverse of [`widen`]; components beyond the third are zero.
#[inline]
pub(super) fn narrow<const D: usize>(x: &Vector<3>) -> Vector<D> {
    Vector::<D>::from_fn(|i, _| if i < 3 { x[i] } else { 0.0 })
}

/// `(n, Rᵀ x_T)`, and back with the opposite angle.
#[inline]
fn rotate(angle: f64, x: &Vector<3>) -> Vector<3> {
    if angle == 0.0 {
        return *x;
    }
    let (s, c) = angle.sin_cos();
    Vector::<3>::new(x[0], c * x[1] + s * x[2], c * x[2] - s * x[1])
}

/// The shift `|M Rᵀ U_T|`.
#[inline]
pub fn shift<const D: usize>(mu: [f64; 2], angle: f64, u: &Vector<D>) -> f64 {
    let u = rotate(angle, &widen(u));
    (mu[0] * u[1]).hypot(mu[1] * u[2])
}

/// Euclidean projection on the elliptic cone.
pub fn project<const D: usize>(mu: [f64; 2], angle: f64, x: &Vector<D>) -> Vector<D> {
    let x = widen(x);
    let principal = rotate(angle, &x);
    if inside(mu, &principal) {
        return narrow(&x);
    }
    narrow(&rotate(-angle, &project_principal(mu, &principal)))
}

/// Whether a point given in principal axes is in the cone.
#[inline]
fn inside(mu: [f64; 2], x: &Vector<3>) -> bool {
    let ratio = |t: f64, m: f64| if t == 0.0 { 0.0 } else { t / m };
    ratio(x[1], mu[0]).hypot(ratio(x[2], mu[1])) <= x[0]
}

/// Projection of a point outside the cone, in principal axes.
fn project_principal(mu: [f64; 2], x: &Vector<3>) -> Vector<3> {
    let mut p = Vector::<3>::zeros();
    // A flat section leaves a wedge of the plane, or the normal alone.
    if mu[1] < FLAT {
        let flat = coulomb::project(if mu[0] < FLAT { 0.0 } else { mu[0] }, &Vector::<2>::new(x[0], x[1]));
        (p[0], p[1]) = (flat[0], flat[1]);
        return p;
    }
    if mu[0] < FLAT {
        let flat = coulomb::project(mu[1], &Vector::<2>::new(x[0], x[2]));
        (p[0], p[2]) = (flat[0], flat[1]);
        return p;
    }
    let support = (mu[0] * x[1]).hypot(mu[1] * x[2]);
    if support <= -x[0] {
        return p;
    }
    let (c1, c2) = secular(mu, x, support);
    p[0] = c1.hypot(c2);
    p[1] = mu[0] * c1;
    p[2] = mu[1] * c2;
    p
}

/// The components of `B` at the root of `1 − λ − n/B(λ)`.
fn secular(mu: [f64; 2], x: &Vector<3>, support: f64) -> (f64, f64) {
    let n = x[0];
    let at = |lambda: f64| (x[1] / (mu[0] + lambda / mu[0]), x[2] / (mu[1] + lambda / mu[1]));
    let wide = mu[0].max(mu[1]);
    // The end of the bracket from which the iteration is monotone.
    let mut lambda = if n >= 0.0 { 0.0 } else { (support - n * wide * wide) / (support + n) };
    if !lambda.is_finite() {
        return (0.0, 0.0);
    }
    for _ in 0..100 {
        let (c1, c2) = at(lambda);
        let b = c1.hypot(c2);
        let f = 1.0 - lambda - n / b;
        // (1/B)' = (c₁²/(μ₁²+λ) + c₂²/(μ₂²+λ)) / B³
        let (r1, r2) = (c1 / b, c2 / b);
        let growth = (r1 * r1 / (mu[0] * mu[0] + lambda) + r2 * r2 / (mu[1] * mu[1] + lambda)) / b;
        let step = f / (1.0 + n * growth);
        let next = lambda + step;
        // Past the root by round-off, or at rest: done.
        let wrong_way = if n >= 0.0 { step <= 0.0 } else { step >= 0.0 };
        if wrong_way || !next.is_finite() || step.abs() <= 1e-16 * lambda {
            break;
        }
        lambda = next;
    }
    at(lambda)
}

/// Exact solution of the one-contact problem.
pub fn solve_one<const D: usize>(mu: [f64; 2], angle: f64, w: &Matrix<D>, q: &Vector<D>) -> Vector<D> {
    if q[0] >= 0.0 {
        return Vector::zeros();
    }
    let w = Matrix::<3>::from_fn(|i, j| if i < D && j < D { w[(i, j)] } else { 0.0 });
    let q = widen(q);
    // Sticking in the given coordinates: E may be very badly scaled.
    if let Some(minus) = solve_small(&w, &q)
        && inside(mu, &rotate(angle, &-minus))
    {
        return narrow(&-minus);
    }
    if mu[0] < FLAT || mu[1] < FLAT {
        return narrow(&solve_flat(mu, angle, &w, &q));
    }
    let (s, c) = angle.sin_cos();
    let e = Matrix::<3>::from([[1.0, 0.0, 0.0], [0.0, c * mu[0], s * mu[0]], [0.0, -s * mu[1], c * mu[1]]]);
    let y = coulomb::solve_one(1.0, &(e.transpose() * w * e), &(e.transpose() * q));
    narrow(&(e * y))
}

/// A flat section: the planar problem along the axis that is left.
fn solve_flat(mu: [f64; 2], angle: f64, w: &Matrix<3>, q: &Vector<3>) -> Vector<3> {
    let (coefficient, turn) = if mu[1] < FLAT { (mu[0], angle) } else { (mu[1], angle + std::f64::consts::FRAC_PI_2) };
    let axis = rotate(-turn, &Vector::<3>::new(0.0, 1.0, 0.0));
    let (wa, aw) = (w * axis, w.transpose() * axis);
    let plane = Matrix::<2>::new(w[(0, 0)], wa[0], aw[0], axis.dot(&wa));
    let mu = if coefficient < FLAT { 0.0 } else { coefficient };
    let s = coulomb::solve_one(mu, &plane, &Vector::<2>::new(q[0], axis.dot(q)));
    Vector::<3>::new(s[0], 0.0, 0.0) + axis * s[1]
}
