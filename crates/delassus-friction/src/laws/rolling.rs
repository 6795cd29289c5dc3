//! Friction with resistance to rolling, to spinning, or to both
//!
//! ```text
//! C = { |x_T| ≤ μ x_N, |x_R| ≤ μ_r x_N, |x_s| ≤ μ_s x_N },   φ(U) = μ|U_T| + μ_r|U_R| + μ_s|U_s|   method (3)
//! ```
//!
//! The components beyond the normal form up to three groups with one coefficient each.
//! Projection: the height `t` of the answer solves a piecewise linear equation
//! with a breakpoint for each group, taken in their order.
//!
//! One contact, `q_N < 0`: then `U_N = 0` and `S_N > 0`, and each group holds or
//! slides, `U_g = −α_g S_g`:
//!
//! ```text
//! (W + diag(0, α₁, α₂, α₃)) S = −q,     0 ≤ α_g ⟂ c_g S_N/|S_g| − 1 ≥ 0
//! ```
//!
//! Coulomb's secular equation with as many unknowns; its functions are almost linear,
//! and each Newton step is a complementarity problem of as many numbers. A semismooth
//! Newton iteration \[AlartCurnier91\] on `S` polishes. Where both fail, a method
//! that cannot: for a given height `σ` the groups minimise
//! `½ S_T·W_TT S_T + (q_T + W_TN σ)·S_T` over discs, and `U_N(σ)` is
//! continuous, negative at zero and positive far away; its root is bracketed.
//! Groups are first scaled to comparable diagonals: they have different units and
//! the law does not mind.

use super::coulomb::frictionless;
use super::iterate::complementarity;
use super::tresca::{disc, interval};
use crate::algebra::{Matrix, Vector, solve_small};
use std::ops::Range;

/// Relative natural map below which an answer is final, for coefficients of order
/// one: the shift multiplies the round-off of `U` by the coefficients.
const SOLVED: f64 = 2e-15;

/// Sliding, rolling, spinning.
const GROUPS: usize = 3;

/// Components beyond the normal, in groups: `|x[start..end]| ≤ coefficient · x_N`.
#[derive(Clone, Copy, Debug)]
pub struct Groups {
    parts: [(usize, usize, f64); GROUPS],
}

/// Tangential components, then the rest: `(n, t, roll)` in the plane, else two tangents, and two more before a
/// third group.
#[inline]
pub fn groups<const D: usize>(mu: f64, second: f64, third: f64) -> Groups {
    let split = if D == 3 { 2 } else { 3.min(D) };
    let end = D.min(5);
    Groups { parts: [(1.min(D), split, mu), (split, end, second), (end, D, third)] }
}

impl Groups {
    /// All components beyond the normal in one group: Coulomb's cone.
    pub(super) fn single<const D: usize>(mu: f64) -> Self {
        Groups { parts: [(1.min(D), D, mu), (D, D, 0.0), (D, D, 0.0)] }
    }

    fn each(&self) -> impl Iterator<Item = (Range<usize>, f64)> + '_ {
        self.parts.iter().map(|&(a, b, c)| (a..b, c))
    }
}

#[inline]
fn norm<const D: usize>(x: &Vector<D>, range: Range<usize>) -> f64 {
    range.map(|k| x[k] * x[k]).sum::<f64>().sqrt()
}

/// The shift `Σ c_g |U_g|`.
#[inline]
pub fn shift<const D: usize>(g: &Groups, u: &Vector<D>) -> f64 {
    g.each().map(|(range, c)| c * norm(u, range)).sum()
}

/// Euclidean projection on the cone.
pub fn project<const D: usize>(g: &Groups, x: &Vector<D>) -> Vector<D> {
    let sizes = g.parts.map(|(a, b, c)| (norm(x, a..b), c));
    // t − x_N = Σ c_g (|x_g| − c_g t)₊: the group with the larger |x_g|/c_g is
    // the first to be active as t decreases.
    let mut order = sizes;
    for k in [0, 1, 0] {
        if order[k].0 * order[k + 1].1 < order[k + 1].0 * order[k].1 {
            order.swap(k, k + 1);
        }
    }
    let (mut num, mut den) = (x[0], 1.0);
    for (size, c) in order {
        if size > c * (num / den) {
            num += c * size;
            den += c * c;
        }
    }
    let t = (num / den).max(0.0);
    let mut p = *x;
    p[0] = t;
    for ((range, c), (size, _)) in g.each().zip(sizes) {
        if size > c * t {
            let scale = c * t / size;
            range.for_each(|k| p[k] *= scale);
        }
    }
    p
}

/// Solution of the one-contact problem.
pub fn solve_one<const D: usize>(g: &Groups, w: &Matrix<D>, q: &Vector<D>, guess: &Vector<D>) -> Vector<D> {
    if q[0] >= 0.0 || w[(0, 0)] <= 0.0 {
        return Vector::zeros();
    }
    if g.parts.iter().all(|&(_, _, c)| c == 0.0) {
        return frictionless(w, q);
    }
    let (scale, groups) = balance(g, w);
    let k = Matrix::<D>::from_diagonal(&scale);
    let w = k * w * k;
    let contact = OneContact { rho: 1.0 / w.norm(), w, q: scale.component_mul(q), groups };
    contact.solve(&guess.component_div(&scale)).component_mul(&scale)
}

/// Scales `S_g = κ_g y_g` that give each group the diagonal of the normal, and
/// the cone in `y`.
fn balance<const D: usize>(g: &Groups, w: &Matrix<D>) -> (Vector<D>, Groups) {
    let mut scale = Vector::<D>::repeat(1.0);
    let mut scaled = *g;
    for (a, b, c) in &mut scaled.parts {
        let diagonal = (*a..*b).map(|k| w[(k, k)]).fold(0.0, f64::max);
        if diagonal > 0.0 {
            let kappa = (w[(0, 0)] / diagonal).sqrt();
            (*a..*b).for_each(|k| scale[k] = kappa);
            *c /= kappa;
        }
    }
    (scale, scaled)
}

/// `U = W S + q` in balanced components.
struct OneContact<const D: usize> {
    groups: Groups,
    w: Matrix<D>,
    q: Vector<D>,
    rho: f64,
}

/// A point, the margins of its groups and their derivatives.
type Margins<const D: usize> = (Vector<D>, [f64; GROUPS], [[f64; GROUPS]; GROUPS]);

/// An answer and its relative natural map.
type Judged<const D: usize> = (Vector<D>, f64);

impl<const D: usize> OneContact<D> {
    fn solve(&self, guess: &Vector<D>) -> Vector<D> {
        if let Some(minus) = solve_small(&self.w, &self.q) {
            let s = -minus;
            if self.groups.each().all(|(range, c)| norm(&s, range) <= c * s[0]) {
                return s;
            }
        }
        let mut best = (Vector::zeros(), f64::INFINITY);
        let starts: [&dyn Fn() -> Vector<D>; 3] = [&|| self.sliding(), &|| *guess, &|| self.bracketed()];
        for start in starts {
            let start = start();
            if start[0] > 0.0 && start.iter().all(|x| x.is_finite()) {
                best = better(best, self.newton(&self.secular(&start)));
                if best.1 > self.solved() {
                    best = better(best, self.newton(&start));
                }
            }
            if best.1 <= self.solved() {
                break;
            }
        }
        best.0
    }

    /// Every group slides against the velocity it has without friction.
    fn sliding(&self) -> Vector<D> {
        let mut s = frictionless(&self.w, &self.q);
        let u = self.w * s + self.q;
        for (range, c) in self.groups.each() {
            let size = norm(&u, range.clone());
            if size > 0.0 {
                let scale = -c * s[0] / size;
                range.for_each(|k| s[k] = scale * u[k]);
            }
        }
        s
    }

    fn solved(&self) -> f64 {
        SOLVED * (1.0 + self.groups.each().map(|(_, c)| c.min(50.0)).sum::<f64>())
    }

    /// The point brought into the cone, and its natural map.
    fn judge(&self, s: &Vector<D>) -> Judged<D> {
        let s = project(&self.groups, s);
        let mut u = self.w * s + self.q;
        // U_N = 0 on its own as well: a large coefficient hides it in the shift.
        let normal = self.rho * u[0].abs();
        u[0] += shift(&self.groups, &u);
        let gap = (s - project(&self.groups, &(s - self.rho * u))).norm().max(normal);
        let relative = gap / (s.norm() + self.rho * self.q.norm());
        (s, if relative.is_finite() { relative } else { f64::INFINITY })
    }

    /// The multipliers `α` by Newton's method for complementarity, from those of
    /// a given point; the last point.
    fn secular(&self, start: &Vector<D>) -> Vector<D> {
        let floor = 2e-15 * self.w[(0, 0)];
        let u = self.w * start + self.q;
        let mut alpha = self.groups.parts.map(|(a, b, _)| {
            let work: f64 = (a..b).map(|k| -u[k] * start[k]).sum();
            (work / norm(start, a..b).powi(2)).max(1e-3 * self.w[(0, 0)])
        });
        let mut s = *start;
        for _ in 0..40 {
            let Some((point, f, slope)) = self.margins(&alpha) else { break };
            s = point;
            let target = complementarity(&alpha, &f, &slope);
            let mut moved = 0.0f64;
            for ((now, aim), _) in alpha.iter_mut().zip(target).zip(self.groups.each()).filter(|g| !g.1.0.is_empty()) {
                // Far steps are cut: the margins are almost linear, not linear.
                let next = aim.max(1e-2 * *now).min(1e2 * *now).max(floor);
                if next.is_finite() {
                    moved = moved.max((next - *now).abs() / next);
                    *now = next;
                }
            }
            if moved <= 1e-15 {
                break;
            }
        }
        s
    }

    /// `S(α)`, the margins `c_g S_N/|S_g| − 1` and their derivatives. A group
    /// without resistance has no percussion and an infinite margin.
    fn margins(&self, alpha: &[f64; GROUPS]) -> Option<Margins<D>> {
        let (mut m, mut rhs) = (self.w, -self.q);
        for ((range, c), alpha) in self.groups.each().zip(alpha) {
            for k in range {
                m[(k, k)] += alpha;
                if c == 0.0 {
                    m.row_mut(k).fill(0.0);
                    m[(k, k)] = self.w[(0, 0)];
                    rhs[k] = 0.0;
                }
            }
        }
        let s = solve_small(&m, &rhs)?;
        let (mut f, mut slope) = ([f64::INFINITY; GROUPS], [[0.0; GROUPS]; GROUPS]);
        for (h, &(a, b, _)) in self.groups.parts.iter().enumerate().filter(|(_, p)| p.0 < p.1) {
            let own = Vector::<D>::from_fn(|k, _| if (a..b).contains(&k) { -s[k] } else { 0.0 });
            let d = solve_small(&m, &own)?;
            for (g, (range, c)) in self.groups.each().enumerate() {
                let size = norm(&s, range.clone());
                if size > 0.0 && c > 0.0 {
                    let along: f64 = range.map(|k| s[k] * d[k]).sum();
                    f[g] = c * s[0] / size - 1.0;
                    slope[g][h] = c * (d[0] - s[0] * along / (size * size)) / size;
                }
            }
        }
        Some((s, f, slope))
    }

    /// Semismooth Newton with backtracking; the best point met.
    fn newton(&self, start: &Vector<D>) -> Judged<D> {
        let mut s = *start;
        let mut best = self.judge(&s);
        if best.1 <= self.solved() {
            return best;
        }
        let (mut f, mut jacobian) = self.system(&s);
        for _ in 0..40 {
            let Some(step) = self.direction(&jacobian, &f) else { break };
            let mut length = 1.0;
            let merit = f.norm();
            let mut next = s - step;
            let mut system = self.system(&next);
            while system.0.norm() > (1.0 - 0.1 * length) * merit && length > 1e-3 {
                length *= 0.5;
                next = s - step * length;
                system = self.system(&next);
            }
            s = next;
            (f, jacobian) = system;
            best = better(best, self.judge(&s));
            if best.1 <= self.solved() || step.norm() * length <= f64::EPSILON * s.norm() {
                break;
            }
        }
        best
    }

    /// `J⁻¹ f`; a singular `J` is shifted, which moves nothing where `f` vanishes.
    fn direction(&self, jacobian: &Matrix<D>, f: &Vector<D>) -> Option<Vector<D>> {
        let shifted = |e: f64| jacobian + Matrix::<D>::identity() * (e * jacobian.norm());
        solve_small(jacobian, f).or_else(|| solve_small(&shifted(1e-12), f)).or_else(|| solve_small(&shifted(1e-8), f))
    }

    /// `ρ U_N` and `S_g − P(S_g − ρ U_g)` over the disc of radius `c_g S_N`, with a Jacobian.
    fn system(&self, s: &Vector<D>) -> (Vector<D>, Matrix<D>) {
        let u = self.w * s + self.q;
        let mut f = u * self.rho;
        let mut j = self.w * self.rho;
        for (range, c) in self.groups.each() {
            let x = s - u * self.rho;
            let size = norm(&x, range.clone());
            let radius = c * s[0].max(0.0);
            if size <= radius {
                continue;
            }
            // Row k of I − (r/|x|)(I − x̂x̂ᵀ)(I − ρW) − c x̂ e_Nᵀ.
            let shrink = radius / size;
            for k in range.clone() {
                f[k] = s[k] - shrink * x[k];
            }
            let moved = Matrix::<D>::identity() - self.w * self.rho;
            for col in 0..D {
                let along: f64 = range.clone().map(|k| x[k] * moved[(k, col)]).sum::<f64>() / size;
                for k in range.clone() {
                    let own = if k == col { 1.0 } else { 0.0 };
                    j[(k, col)] = own - shrink * (moved[(k, col)] - x[k] / size * along);
                }
            }
            if s[0] > 0.0 {
                range.for_each(|k| j[(k, 0)] -= c * x[k] / size);
            }
        }
        (f, j)
    }

    /// The root of `U_N(σ)`, to the accuracy Newton needs.
    fn bracketed(&self) -> Vector<D> {
        if self.groups.each().any(|(range, _)| range.len() > 2) {
            let (project, shift) = (|x: &Vector<D>| project(&self.groups, x), |u: &Vector<D>| shift(&self.groups, u));
            return super::iterate::solve_by_projection(&self.w, &self.q, &Vector::zeros(), project, shift);
        }
        let mut s = Vector::<D>::zeros();
        let mut lo = (0.0, self.q[0]);
        let first = -self.q[0] / self.w[(0, 0)];
        let mut hi = (first, self.normal_velocity(first, &mut s));
        while hi.1 < 0.0 {
            if hi.0 > 1e20 * first {
                return s; // no height lifts the contact: the law has no solution
            }
            lo = hi;
            let sigma = 2.0 * hi.0;
            hi = (sigma, self.normal_velocity(sigma, &mut s));
        }
        for i in 0..60 {
            let secant = lo.0 + (hi.0 - lo.0) * lo.1 / (lo.1 - hi.1);
            let sigma = if i % 2 == 0 { secant } else { 0.5 * (lo.0 + hi.0) };
            let u = self.normal_velocity(sigma, &mut s);
            if u < 0.0 {
                lo = (sigma, u);
            } else {
                hi = (sigma, u);
            }
            if hi.0 - lo.0 <= 1e-13 * hi.0 {
                break;
            }
        }
        s
    }

    /// `U_N` at height `σ`: the groups in turn, each exactly, until they rest.
    fn normal_velocity(&self, sigma: f64, s: &mut Vector<D>) -> f64 {
        s[0] = sigma;
        for _ in 0..500 {
            let before = *s;
            for (range, c) in self.groups.each() {
                self.relax(range, c * sigma, s);
            }
            if (*s - before).norm() <= 1e-14 * s.norm() {
                break;
            }
        }
        (self.w.row(0) * *s)[0] + self.q[0]
    }

    /// One group with the others fixed: one or two components in a disc.
    fn relax(&self, range: Range<usize>, radius: f64, s: &mut Vector<D>) {
        let k = range.start;
        range.clone().for_each(|i| s[i] = 0.0);
        let b = |i: usize, s: &Vector<D>| (self.w.row(i) * *s)[0] + self.q[i];
        match range.len() {
            1 => s[k] = interval(self.w[(k, k)], b(k, s), radius),
            2 => {
                let w = &self.w;
                let a = [[w[(k, k)], w[(k, k + 1)]], [w[(k + 1, k)], w[(k + 1, k + 1)]]];
                [s[k], s[k + 1]] = disc(a, [a[0][0], a[1][1]], [b(k, s), b(k + 1, s)], radius);
            }
            _ => {}
        }
    }
}

fn better<const D: usize>(a: Judged<D>, b: Judged<D>) -> Judged<D> {
    if b.1 < a.1 { b } else { a }
}
