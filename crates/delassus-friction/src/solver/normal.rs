//! Normal form of the problem: every cone turned into the unit one
//!
//! ```text
//!     S = E y,   v = Eᵀ U,   W' = Eᵀ W E,   b' = Eᵀ b
//! ```
//!
//! `E_α` holds `√ρ_α` and the friction coefficients, so that `y ∈ K = { |y_k| ≤ y_N
//! for every group k of tangential components }` and the law reads `K* ∋ v + Σ|v_k| n ⟂ y`.
//! Elliptic cones become circular, and contacts of light and heavy bodies alike.
//! Groups: the tangential components, and the rolling and spinning ones.

use crate::algebra::{BlockMatrix, Matrix, Vector};
use crate::{Error, Law, Problem};

/// At most three groups: sliding, rolling or spinning, spinning.
pub(super) const GROUPS: usize = 3;

/// Component ranges of the groups in a contact space of `D` components.
pub(super) const fn groups<const D: usize>() -> ([(usize, usize); GROUPS], usize) {
    match D {
        0..=3 => ([(1, D), (D, D), (D, D)], 1),
        4 | 5 => ([(1, 3), (3, D), (D, D)], 2),
        _ => ([(1, 3), (3, 5), (5, D)], 3),
    }
}

/// The normal form of a problem.
pub(super) struct NormalForm<const D: usize> {
    pub axes: Axes<D>,
    pub w: BlockMatrix<D>,
}

impl<const D: usize> NormalForm<D> {
    /// Refuses laws that are not products of round cones.
    pub fn new(problem: &Problem<D>, solver: &'static str) -> Result<Self, Error> {
        let axes = Axes::new(problem, solver)?;
        let w = scaled(problem, &axes);
        Ok(Self { axes, w })
    }
}

/// `W' = Eᵀ W E`.
pub(super) fn scaled<const D: usize>(problem: &Problem<D>, axes: &Axes<D>) -> BlockMatrix<D> {
    problem.w().map(|i, j, b| axes.e[i].transpose() * b * axes.e[j])
}

impl<const D: usize> std::ops::Deref for NormalForm<D> {
    type Target = Axes<D>;

    fn deref(&self) -> &Axes<D> {
        &self.axes
    }
}

/// The scales of a normal form, and what leads back.
pub(super) struct Axes<const D: usize> {
    e: Vec<Matrix<D>>,
    /// Two-sided contacts have no cone.
    pub bilateral: Vec<bool>,
    pub b: Vec<Vector<D>>,
    pub b_norm: f64,
}

impl<const D: usize> Axes<D> {
    /// Refuses laws that are not products of round cones.
    pub fn new(problem: &Problem<D>, solver: &'static str) -> Result<Self, Error> {
        let mut e = Vec::with_capacity(problem.len());
        for (i, law) in problem.laws().iter().enumerate() {
            let axes = axes::<D>(law).ok_or(Error::Unsupported {
                solver,
                reason: "a Tresca, polyhedral, directional, limited or plane rolling law; nlgs, admm and apg treat every law",
            })?;
            e.push(axes * problem.rho(i).sqrt());
        }
        let b: Vec<_> = problem.b().iter().zip(&e).map(|(b, e)| e.transpose() * b).collect();
        let b_norm = crate::problem::norm(&b);
        let bilateral = problem.laws().iter().map(|l| *l == Law::Bilateral).collect();
        Ok(Self { e, bilateral, b, b_norm })
    }

    /// `E` of one contact.
    pub fn scale(&self, i: usize) -> &Matrix<D> {
        &self.e[i]
    }

    /// `u ← Eᵀ u`.
    pub fn pull(&self, u: &mut [Vector<D>]) {
        for (u, e) in u.iter_mut().zip(&self.e) {
            *u = e.transpose() * *u;
        }
    }

    /// `S = E y`.
    pub fn to_percussions(&self, y: &[Vector<D>], s: &mut [Vector<D>]) {
        for i in 0..y.len() {
            s[i] = self.e[i] * y[i];
        }
    }

    /// `y` with `S = E y`; components without friction are zero. The columns of `E` are orthogonal.
    pub fn read_percussions(&self, s: &[Vector<D>], y: &mut [Vector<D>]) {
        for i in 0..s.len() {
            for k in 0..D {
                let column = self.e[i].column(k);
                let square = column.norm_squared();
                y[i][k] = if square > 0.0 { column.dot(&s[i]) / square } else { 0.0 };
            }
        }
    }
}

fn axes<const D: usize>(law: &Law) -> Option<Matrix<D>> {
    let mut e = Matrix::zeros();
    e[(0, 0)] = 1.0;
    let mut diagonal = |from: usize, to: usize, mu: f64| {
        for k in from..to {
            e[(k, k)] = mu;
        }
    };
    match law {
        Law::Frictionless => {}
        Law::Coulomb { mu } => diagonal(1, D, *mu),
        Law::Bilateral => diagonal(1, D, 1.0),
        // In the plane its two groups do not match those of three components.
        Law::Rolling { .. } if D == 3 => return None,
        Law::Rolling { mu, mu_r: second } | Law::Torsional { mu, mu_s: second } => {
            diagonal(1, 3, *mu);
            diagonal(3, D, *second);
        }
        Law::RollingTorsional { mu, mu_r, mu_s } => {
            diagonal(1, 3, *mu);
            diagonal(3, 5, *mu_r);
            diagonal(5, D, *mu_s);
        }
        Law::Elliptic { mu, angle } => {
            let (sin, cos) = angle.sin_cos();
            (e[(1, 1)], e[(2, 1)]) = (cos * mu[0], sin * mu[0]);
            (e[(1, 2)], e[(2, 2)]) = (-sin * mu[1], cos * mu[1]);
        }
        Law::Tresca { .. } | Law::Polyhedral(_) | Law::Directional { .. } | Law::Limited { .. } => return None,
    }
    Some(e)
}

/// Norm of one group.
#[inline]
pub(super) fn group_norm<const D: usize>(x: &Vector<D>, range: (usize, usize)) -> f64 {
    let mut sum = 0.0;
    for k in range.0..range.1 {
        sum += x[k] * x[k];
    }
    sum.sqrt()
}

/// The shift `Σ_k |v_k|`.
#[inline]
pub(super) fn shift<const D: usize>(v: &Vector<D>) -> f64 {
    let (ranges, count) = groups::<D>();
    ranges[..count].iter().map(|r| group_norm(v, *r)).sum()
}

/// Projection on `K` alone.
#[inline]
pub(super) fn project_only<const D: usize>(x: &Vector<D>) -> Vector<D> {
    if D > 3 {
        return project(x).0;
    }
    let t = group_norm(x, (1, D));
    if t <= x[0] {
        return *x;
    }
    let sum = x[0] + t;
    if sum <= 0.0 {
        return Vector::zeros();
    }
    let mut p = *x * (0.5 * sum / t);
    p[0] = 0.5 * sum;
    p
}

/// Projection on `K` and one element of its generalised Jacobian.
pub(super) fn project<const D: usize>(x: &Vector<D>) -> (Vector<D>, Matrix<D>) {
    let (ranges, count) = groups::<D>();
    let mut size = ranges.map(|r| (group_norm(x, r), r));
    for k in [0, 1, 0] {
        if k + 1 < count && size[k + 1].0 > size[k].0 {
            size.swap(k, k + 1);
        }
    }
    // Groups become active by decreasing norm.
    let (mut sum, mut active) = (x[0], 0);
    while active < count && size[active].0 * (1.0 + active as f64) > sum {
        sum += size[active].0;
        active += 1;
    }
    let t = sum / (1.0 + active as f64);
    if active == 0 {
        return (*x, Matrix::identity());
    }
    if t <= 0.0 {
        return (Vector::zeros(), Matrix::zeros());
    }
    let mut p = *x;
    let mut gradient = Vector::<D>::zeros();
    gradient[0] = 1.0;
    for (norm, range) in &size[..active] {
        for k in range.0..range.1 {
            gradient[k] = x[k] / norm;
            p[k] = t * x[k] / norm;
        }
    }
    p[0] = t;
    let mut j = Matrix::<D>::identity();
    gradient /= 1.0 + active as f64;
    j.set_row(0, &gradient.transpose());
    for (norm, range) in &size[..active] {
        for k in range.0..range.1 {
            let unit = x[k] / norm;
            j.set_row(k, &(gradient.transpose() * unit));
            for l in range.0..range.1 {
                j[(k, l)] += t / norm * (f64::from(u8::from(k == l)) - unit * x[l] / norm);
            }
        }
    }
    (p, j)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng, rngs::StdRng};

    fn check<const D: usize>(law: &Law) {
        let mut rng = StdRng::seed_from_u64(3);
        for _ in 0..500 {
            let x = Vector::<D>::from_fn(|_, _| rng.random_range(-1.0..1.0));
            let (p, j) = project(&x);
            assert!((p - law.project(&x)).norm() < 1e-14 && (p - project_only(&x)).norm() < 1e-14);
            let h = 1e-6;
            for k in 0..D {
                let mut d = Vector::<D>::zeros();
                d[k] = h;
                let slope = (project(&(x + d)).0 - project(&(x - d)).0) / (2.0 * h);
                // A kink inside the stencil is a null set: none is met with this seed.
                assert!((slope - j.column(k)).norm() < 1e-5, "{x} column {k}");
            }
        }
    }

    /// References: the laws' own projections, and central differences.
    #[test]
    fn unit_cone_projection_and_jacobian() {
        check::<2>(&Law::Coulomb { mu: 1.0 });
        check::<3>(&Law::Coulomb { mu: 1.0 });
        check::<4>(&Law::Torsional { mu: 1.0, mu_s: 1.0 });
        check::<5>(&Law::Rolling { mu: 1.0, mu_r: 1.0 });
        check::<6>(&Law::RollingTorsional { mu: 1.0, mu_r: 1.0, mu_s: 1.0 });
    }
}
