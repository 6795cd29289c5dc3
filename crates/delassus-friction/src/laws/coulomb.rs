//! Coulomb's law with the circular cone
//!
//! ```text
//! K_μ = { S : |S_T| ≤ μ S_N },   K* ∋ U + μ|U_T| n ⟂ S ∈ K            method (3)
//! ```
//!
//! Projection: closed form. One contact, `U = W S + q`: take-off and stick by
//! inspection; slip by cases in 2D \[Moreau86\], in 3D by one scalar equation.
//! With `U_N = 0` eliminated, `U_T = −α S_T` gives
//!
//! ```text
//! (W̃ + α I) S_T = −q̃,     μ S_N(α) = |S_T(α)|,     α ≥ 0
//! ```
//!
//! a secular equation as in trust-region methods: `μ S_N/|S_T| − 1` is almost
//! linear in α, so a safeguarded Newton iteration ends in three or four steps.
//! A root exists whenever `q_N < 0` and sticking is out of the cone.

use crate::algebra::{Matrix, Vector};

/// Projection on `K_μ` for a contact space of any dimension.
#[inline]
pub fn project<const D: usize>(mu: f64, x: &Vector<D>) -> Vector<D> {
    let n = x[0];
    let mut t2 = 0.0;
    for k in 1..D {
        t2 += x[k] * x[k];
    }
    let t = t2.sqrt();
    if n >= 0.0 && t <= mu * n {
        return *x;
    }
    // Polar cone: |x_T| μ ≤ −x_N.
    if mu * t <= -n {
        return Vector::zeros();
    }
    let normal = (n + mu * t) / (1.0 + mu * mu);
    let scale = if t > 0.0 { mu * normal / t } else { 0.0 };
    let mut p = *x * scale;
    p[0] = normal;
    p
}

/// Norm of the tangential part.
#[inline]
pub fn tangent_norm<const D: usize>(x: &Vector<D>) -> f64 {
    let mut t2 = 0.0;
    for k in 1..D {
        t2 += x[k] * x[k];
    }
    t2.sqrt()
}

/// Exact solution of the one-contact problem; `U = W S + q`.
#[inline]
pub fn solve_one<const D: usize>(mu: f64, w: &Matrix<D>, q: &Vector<D>) -> Vector<D> {
    solve_one_to(mu, w, q, 0.0)
}

/// As [`solve_one`], the direction of slip in space to the relative accuracy asked for; always on the cone.
///
/// A block whose `W_NN` is negligible or negative cannot push: zero is returned and the certificate
/// tells whether that is a solution.
#[inline]
pub fn solve_one_to<const D: usize>(mu: f64, w: &Matrix<D>, q: &Vector<D>, accuracy: f64) -> Vector<D> {
    if q[0] >= 0.0 || w[(0, 0)] <= f64::EPSILON * w.trace() {
        return Vector::zeros();
    }
    match D {
        1 => frictionless(w, q),
        _ if mu == 0.0 => frictionless(w, q),
        2 => solve_plane([mu; 2], w, q),
        3 => solve_space(mu, w, q, accuracy),
        _ => super::rolling::solve_one(&super::rolling::Groups::single::<D>(mu), w, q, &Vector::zeros()),
    }
}

/// The same with another coefficient each way: contacts of the plane.
#[inline]
pub(super) fn solve_between<const D: usize>(mu: [f64; 2], w: &Matrix<D>, q: &Vector<D>) -> Vector<D> {
    if q[0] >= 0.0 || w[(0, 0)] <= f64::EPSILON * w.trace() {
        return Vector::zeros();
    }
    solve_plane(mu, w, q)
}

/// `S_N = −q_N / W_NN`, no friction.
#[inline]
pub fn frictionless<const D: usize>(w: &Matrix<D>, q: &Vector<D>) -> Vector<D> {
    let mut s = Vector::zeros();
    if q[0] < 0.0 && w[(0, 0)] > f64::EPSILON * w.trace() {
        s[0] = -q[0] / w[(0, 0)];
    }
    s
}

/// The plane by cases, with coefficients against motion along the tangent and against the other way.
#[inline]
fn solve_plane<const D: usize>(mu: [f64; 2], w: &Matrix<D>, q: &Vector<D>) -> Vector<D> {
    let (wnn, wnt, wtn, wtt) = (w[(0, 0)], w[(0, 1)], w[(1, 0)], w[(1, 1)]);
    let mut s = Vector::zeros();
    // By elimination: a determinant would leave a velocity of order cond(W)·ε.
    let coupling = wnt / wnn;
    let schur = wtt - wtn * coupling;
    if schur > 1e-15 * wtt {
        let free = -q[0] / wnn;
        let t = -(q[1] + wtn * free) / schur;
        let n = free - coupling * t;
        if -t <= mu[0] * n && t <= mu[1] * n {
            s[0] = n;
            s[1] = t;
            return s;
        }
    }
    // Slip along ∓t: S_T = ±μ S_N with U_N = 0; the consistent sign has S_T U_T ≤ 0.
    // Two such solutions: the smaller. None, at the limit of sticking: the smaller defect.
    let (mut defect, mut smallest) = (f64::INFINITY, f64::INFINITY);
    for (sign, mu) in [(1.0, mu[1]), (-1.0, mu[0])] {
        let d = wnn + sign * mu * wnt;
        if d <= 0.0 {
            continue;
        }
        let n = -q[0] / d;
        let t = sign * mu * n;
        let against = (sign * (wtn * n + wtt * t + q[1])).max(0.0);
        if against < defect || (against == defect && n < smallest) {
            (defect, smallest) = (against, n);
            s[0] = n;
            s[1] = t;
        }
    }
    s
}

#[inline]
fn solve_space<const D: usize>(mu: f64, w: &Matrix<D>, q: &Vector<D>, accuracy: f64) -> Vector<D> {
    let [n, t1, t2] = Slider::new(w).solve(mu, [q[0], q[1], q[2]], accuracy, &mut 0.0);
    let mut s = Vector::zeros();
    (s[0], s[1], s[2]) = (n, t1, t2);
    s
}

/// What the solve of a contact in space needs of its block, whatever the velocity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slider {
    /// `1/W_nn`, `W_tn`.
    inverse: f64,
    pull: [f64; 2],
    /// `W_nt/W_nn`, in the order of the axes of `block`.
    coupling: (f64, f64),
    block: Tangent,
    swapped: bool,
}

impl Slider {
    #[inline]
    pub fn new<const D: usize>(w: &Matrix<D>) -> Self {
        let inverse = 1.0 / w[(0, 0)];
        // Schur complement of the normal direction.
        let (n1, n2) = (w[(0, 1)] * inverse, w[(0, 2)] * inverse);
        let a = [
            [w[(1, 1)] - w[(1, 0)] * n1, w[(1, 2)] - w[(1, 0)] * n2],
            [w[(2, 1)] - w[(2, 0)] * n1, w[(2, 2)] - w[(2, 0)] * n2],
        ];
        let (block, swapped) = Tangent::new(a, [w[(1, 1)], w[(2, 2)]]);
        let coupling = if swapped { (n2, n1) } else { (n1, n2) };
        Self { inverse, pull: [w[(1, 0)], w[(2, 0)]], coupling, block, swapped }
    }

    /// Percussions of a contact that is pressed, `q_N < 0`. `alpha` is what it was when the contact last slid, or zero:
    /// near it the iteration is short.
    #[inline]
    pub fn solve(&self, mu: f64, q: [f64; 3], accuracy: f64, alpha: &mut f64) -> [f64; 3] {
        let free = -q[0] * self.inverse;
        let (q1, q2) = (q[1] + self.pull[0] * free, q[2] + self.pull[1] * free);
        if q1 == 0.0 && q2 == 0.0 {
            return [free, 0.0, 0.0];
        }
        let block = self.block.facing([q1, q2], self.swapped);
        let (n, t1, t2) = slip_or_stick(mu, &block, free, self.coupling, (accuracy, alpha));
        if self.swapped { [n, t2, t1] } else { [n, t1, t2] }
    }
}

/// The secular equation in `α`; `α` at its floor means sticking.
///
/// `S_N = free − coupling·S_T` comes from `U_N = 0`.
#[inline]
fn slip_or_stick(
    mu: f64,
    block: &Tangent,
    free: f64,
    coupling: (f64, f64),
    (accuracy, last): (f64, &mut f64),
) -> (f64, f64, f64) {
    let at = |alpha: f64| {
        let (t1, t2) = block.at(alpha);
        (t1, t2, free - coupling.0 * t1 - coupling.1 * t2)
    };
    let floor = block.floor();
    let (mut t1, mut t2, mut n) = at(floor);
    if n > 0.0 && t1 * t1 + t2 * t2 <= mu * mu * n * n {
        return (n, t1, t2);
    }
    let (mut lo, mut hi) = (floor, f64::INFINITY);
    // Start as if W̃ were a multiple of the identity and W_NT = 0.
    let trace = block.trace();
    let slide = block.force() / (mu * free);
    // Pressed so little that squares of percussions would underflow: slip against the free velocity.
    if mu * free < 1e-140 {
        let (d1, d2) = (-block.q1 / block.force(), -block.q2 / block.force());
        let n = free / (1.0 + mu * (coupling.0 * d1 + coupling.1 * d2)).max(0.5);
        return (n, mu * n * d1, mu * n * d2);
    }
    let mut alpha = match *last > floor {
        true => *last,
        false => (slide - 0.5 * trace).max(1e-3 * trace).max(1e-3 * slide).max(2.0 * floor),
    };
    for _ in 0..100 {
        (t1, t2, n) = at(alpha);
        let t = (t1 * t1 + t2 * t2).sqrt();
        let f = mu * n / t - 1.0;
        // Before the safeguard: at the root the Newton step is on the bracket's end.
        if f.abs() <= 1e-15 {
            break;
        }
        if f > 0.0 {
            hi = alpha;
        } else {
            lo = alpha;
        }
        // dS_T/dα = −(W̃ + α)⁻¹ S_T
        let (g1, g2) = block.solve(alpha, t1, t2);
        let gn = -coupling.0 * g1 - coupling.1 * g2;
        let df = mu * (gn - n * (t1 * g1 + t2 * g2) / (t * t)) / t;
        let mut next = alpha - f / df;
        if !(next > lo && next < hi) {
            next = if hi.is_finite() { 0.5 * (lo + hi) } else { 4.0 * alpha };
        }
        let step = (next - alpha).abs();
        alpha = next;
        // A Newton step squares the relative error: after a short one it is below round-off.
        if (f.abs() <= 1e-8 && step <= 1e-8 * alpha) || step <= 4e-16 * alpha || f * f <= accuracy {
            (t1, t2, _) = at(alpha);
            break;
        }
    }
    *last = alpha;
    // On the cone to the last digit, from the number that is not a small difference:
    // the direction when friction presses less than half, else the length.
    let t = (t1 * t1 + t2 * t2).sqrt();
    let (d1, d2) = (t1 / t, t2 / t);
    let lift = 1.0 + mu * (coupling.0 * d1 + coupling.1 * d2);
    let n = if lift > 0.5 { free / lift } else { t / mu };
    (n, mu * n * d1, mu * n * d2)
}

/// `(A + αI) t = −q` in the tangent plane, by elimination from the larger
/// diagonal entry. What cancels is computed once, at `α = 0`, so that `t(α)` is
/// smooth to the last digit. Cramer's rule was rejected: near a singular block it
/// leaves a velocity of order `cond(A)·ε`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tangent {
    a11: f64,
    a12: f64,
    a22: f64,
    /// `a21/a11` and `a22 − a12 a21/a11`.
    ratio: f64,
    pivot: f64,
    q1: f64,
    q2: f64,
    floor: f64,
}

impl Tangent {
    /// The block without its right-hand side, and whether its axes were exchanged. `diagonal` is that of the
    /// matrix `a` was reduced from: it tells what is round-off in `a`.
    #[inline(always)]
    pub(super) fn new(a: [[f64; 2]; 2], diagonal: [f64; 2]) -> (Self, bool) {
        let swapped = a[1][1] > a[0][0];
        let (i, j) = if swapped { (1, 0) } else { (0, 1) };
        let (a11, a12, a22) = (a[i][i], a[i][j], a[j][j]);
        let ratio = a[j][i] / a11;
        let pivot = a22 - ratio * a12;
        let mut block = Tangent { a11, a12, a22, ratio, pivot, q1: 0.0, q2: 0.0, floor: 0.0 };
        // Singular to working precision: see `floor`.
        if a11 <= 4e-15 * diagonal[i] {
            let floor = 2e-15 * diagonal[i].max(diagonal[j]);
            block = Tangent { a11: 0.0, a12: 0.0, a22: 0.0, ratio: 0.0, pivot: 0.0, floor, ..block };
        } else if pivot <= 4e-15 * diagonal[j] {
            (block.pivot, block.floor) = (0.0, 2e-15 * diagonal[j]);
        }
        (block, swapped)
    }

    /// The same block with a right-hand side, in the order of the axes as they were given.
    #[inline(always)]
    pub(super) fn facing(&self, q: [f64; 2], swapped: bool) -> Self {
        let [q1, q2] = if swapped { [q[1], q[0]] } else { q };
        Self { q1, q2, ..*self }
    }

    /// `−(A + αI)⁻¹ r`.
    #[inline(always)]
    pub(super) fn solve(&self, alpha: f64, r1: f64, r2: f64) -> (f64, f64) {
        let p = 1.0 / (self.a11 + alpha);
        let shift = alpha * p * self.ratio;
        let pivot = self.pivot + alpha + shift * self.a12;
        let t2 = ((self.ratio * r1 - r2) - shift * r1) / pivot;
        (-(r1 + self.a12 * t2) * p, t2)
    }

    /// `t(α)`.
    #[inline(always)]
    pub(super) fn at(&self, alpha: f64) -> (f64, f64) {
        self.solve(alpha, self.q1, self.q2)
    }

    /// Zero, or for a block singular to working precision the smallest `α` that
    /// makes it regular: `t` is then its smallest solution, where it has one.
    #[inline(always)]
    pub(super) fn floor(&self) -> f64 {
        self.floor
    }

    #[inline(always)]
    fn trace(&self) -> f64 {
        (self.a11 + self.a22).max(0.0)
    }

    #[inline(always)]
    fn force(&self) -> f64 {
        (self.q1 * self.q1 + self.q2 * self.q2).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A contact pressed by 1e-167 m/s while it slides: squares underflow, the answer must not.
    #[test]
    fn a_hardly_pressed_contact_slides() {
        let w = Matrix::<3>::from_diagonal(&Vector::<3>::new(660.0, 2300.0, 2300.0));
        for q_n in [-1.7e-167, -1e-300, -5e-324, -1e-30] {
            let s = solve_one(0.3, &w, &Vector::<3>::new(q_n, -0.045, 0.015));
            assert!(s.iter().all(|x| x.is_finite()), "{q_n}: {s}");
            assert!(s[1] >= 0.0 && s[2] <= 0.0 && (s[1].hypot(s[2]) - 0.3 * s[0]).abs() <= 1e-15 * s[0] + 5e-324);
        }
    }
}
