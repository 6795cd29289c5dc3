//! The second-order cone as the cone of squares of its Jordan algebra
//!
//! ```text
//!     a ∘ b = (a·b, a₀ b₁ + b₀ a₁),    e = (1, 0),    det a = a₀² − |a₁|²
//! ```

use crate::algebra::{Matrix, Vector};

/// `a₀² − |a₁|²`, kept positive so that round-off at the boundary does not make NaN.
#[inline(always)]
pub(super) fn determinant<const D: usize>(a: &Vector<D>) -> f64 {
    let mut t = 0.0;
    for k in 1..D {
        t += a[k] * a[k];
    }
    let t = t.sqrt();
    ((a[0] - t) * (a[0] + t)).max(1e-300)
}

/// `(a₀, −a₁)`.
#[inline(always)]
fn reflect<const D: usize>(a: &Vector<D>) -> Vector<D> {
    let mut r = -*a;
    r[0] = a[0];
    r
}

/// The inverse for `∘`.
#[inline(always)]
pub(super) fn inverse<const D: usize>(a: &Vector<D>) -> Vector<D> {
    reflect(a) / determinant(a)
}

/// `a ∘ b`.
#[inline(always)]
pub(super) fn product<const D: usize>(a: &Vector<D>, b: &Vector<D>) -> Vector<D> {
    let mut r = a * b[0] + b * a[0];
    r[0] = a.dot(b);
    r
}

/// The `x` with `a ∘ x = b`.
#[inline(always)]
pub(super) fn divide<const D: usize>(a: &Vector<D>, b: &Vector<D>) -> Vector<D> {
    let tangent = a.dot(b) - a[0] * b[0];
    let first = (a[0] * b[0] - tangent) / determinant(a);
    let mut x = (b - a * first) / a[0];
    x[0] = first;
    x
}

/// The largest step along `d` that keeps `a` in the cone; infinite if none does.
#[inline(always)]
pub(super) fn longest_step<const D: usize>(a: &Vector<D>, d: &Vector<D>) -> f64 {
    let mirrored = reflect(d);
    let (square, half, constant) = (d.dot(&mirrored), a.dot(&mirrored), determinant(a));
    let mut step = f64::INFINITY;
    let discriminant = half * half - square * constant;
    if discriminant >= 0.0 {
        let root = discriminant.sqrt();
        let q = if half < 0.0 { -half + root } else { -half - root };
        for candidate in [q / square, constant / q] {
            if candidate > 0.0 && candidate < step {
                step = candidate;
            }
        }
    }
    if d[0] < 0.0 { step.min(-a[0] / d[0]) } else { step }
}

/// The interior pair with `a − b = x` and `a ∘ b = τ e`: `a = (x + (x² + 4τ)^½)/2`.
pub(super) fn smooth_pair<const D: usize>(x: &Vector<D>, tau: f64) -> (Vector<D>, Vector<D>) {
    let mut t = 0.0;
    for k in 1..D {
        t += x[k] * x[k];
    }
    let t = t.sqrt();
    // Each eigenvalue by the formula that does not cancel.
    let half = |e: f64| {
        let r = (e * e + 4.0 * tau).sqrt();
        if e >= 0.0 { 0.5 * (e + r) } else { 2.0 * tau / (r - e) }
    };
    let join = |low: f64, high: f64| {
        let mut a = if t > 0.0 { x * (0.5 * (high - low) / t) } else { Vector::zeros() };
        a[0] = 0.5 * (high + low);
        a
    };
    let (low, high) = (x[0] - t, x[0] + t);
    (join(half(low), half(high)), -join(-half(-low), -half(-high)))
}

/// Nesterov–Todd scaling of a pair of interior points: `h z = p`, `root² = h`.
#[derive(Clone, Copy)]
pub(super) struct Scaling<const D: usize> {
    pub h: Matrix<D>,
    pub root: Matrix<D>,
}

impl<const D: usize> Default for Scaling<D> {
    fn default() -> Self {
        Self { h: Matrix::zeros(), root: Matrix::zeros() }
    }
}

impl<const D: usize> Scaling<D> {
    pub fn new(z: &Vector<D>, p: &Vector<D>) -> Self {
        let (dz, dp) = (determinant(z).sqrt(), determinant(p).sqrt());
        let (z, p) = (z / dz, p / dp);
        let axis = (p + reflect(&z)) / (2.0 * (0.5 * (1.0 + z.dot(&p))).sqrt());
        let mut half = axis;
        half[0] += 1.0;
        half /= (2.0 * (axis[0] + 1.0)).sqrt();
        let ratio = dp / dz;
        Self { h: quadratic(&axis) * ratio, root: quadratic(&half) * ratio.sqrt() }
    }
}

/// `2 a aᵀ − det(a) J` for `det a = 1`.
fn quadratic<const D: usize>(a: &Vector<D>) -> Matrix<D> {
    let mut m = a * a.transpose() * 2.0;
    m[(0, 0)] -= 1.0;
    for k in 1..D {
        m[(k, k)] += 1.0;
    }
    m
}

#[cfg(test)]
mod tests {
    use super::*;

    /// References: the defining equations of the scaling, of the quotient and of the boundary.
    #[test]
    fn scaling_quotient_and_step_satisfy_their_definitions() {
        let z = Vector::<3>::new(2.0, 0.5, -1.2);
        let p = Vector::<3>::new(0.7, -0.3, 0.1);
        let s = Scaling::new(&z, &p);
        assert!((s.h * z - p).norm() < 1e-14);
        assert!((s.root * s.root - s.h).norm() < 1e-14);
        assert!((product(&z, &divide(&z, &p)) - p).norm() < 1e-14);
        assert!((product(&z, &inverse(&z)) - Vector::<3>::new(1.0, 0.0, 0.0)).norm() < 1e-14);
        let (a, b) = smooth_pair(&(z - 2.0 * p), 0.3);
        assert!((a - b - (z - 2.0 * p)).norm() < 1e-14);
        assert!((product(&a, &b) - Vector::<3>::new(0.3, 0.0, 0.0)).norm() < 1e-14);
        let d = Vector::<3>::new(-1.0, 0.4, 2.0);
        let end = z + d * longest_step(&z, &d);
        assert!((end[0] - (end[1] * end[1] + end[2] * end[2]).sqrt()).abs() < 1e-14);
        assert_eq!(longest_step(&z, &Vector::<3>::new(1.0, 0.5, 0.0)), f64::INFINITY);
    }
}
