//! How the solution of the convex program moves with `s`, and Newton's step on `s`
//!
//! ```text
//! S = P_C(X),   X = S − ρ(W S + b + s n)      ⇒      (I − J + ρJW) dS = −ρJ n ds,   J = P_C'(X)
//! F(s) = φ(U_T),   s + ds = F + φ' W dS       ⇒      (I − J + ρJ(I + n φ')W) dS = −ρJ n (F − s)
//! ```
//!
//! `J` is the active set: the identity at a sticking contact, zero at an open one,
//! and at a sliding one the projection on the tangent of the cone bent by its
//! curvature. One factorisation gives the step, method (10), \[Cadoux09\].
//!
//! The same matrix with `φ' = 0` polishes an interior point: Newton's iteration on
//! `S − P_C(X)` for a fixed `s`, kept while it improves.
//!
//! Circular cones are differentiated in closed form, other sections by central
//! differences of their exact projection, which is piecewise smooth: the step is
//! safeguarded, and the certificate does not depend on it.

use crate::algebra::{Frontal, Matrix, Vector};
use crate::laws::coulomb::tangent_norm;
use crate::{Law, Problem};

/// Relative step of the differences.
const DIFFERENCE: f64 = 1e-6;

/// Compliance relative to `W_αα` that makes redundant sticking contacts regular.
const COMPLIANCE: f64 = 1e-10;

/// Newton iterations that polish one program.
const POLISH: usize = 4;

/// Factorisation and scratch of the step.
pub(super) struct Sensitivity<const D: usize> {
    lu: Frontal<D>,
    left: Vec<Matrix<D>>,
    add: Vec<Matrix<D>>,
    gradient: Vec<Vector<D>>,
    ds: Vec<Vector<D>>,
    du: Vec<Vector<D>>,
    zero: Vec<Vector<D>>,
    best: Vec<Vector<D>>,
}

impl<const D: usize> Sensitivity<D> {
    pub fn new(problem: &Problem<D>) -> Self {
        let n = problem.len();
        Self {
            lu: Frontal::new(problem.w()),
            left: vec![Matrix::zeros(); n],
            add: vec![Matrix::zeros(); n],
            gradient: problem.zero(),
            ds: problem.zero(),
            du: problem.zero(),
            zero: problem.zero(),
            best: problem.zero(),
        }
    }

    /// Newton's iteration on the program with `shift` frozen.
    pub fn polish(&mut self, problem: &Problem<D>, laws: &[Law], shift: &[f64], s: &mut [Vector<D>]) {
        let mut before = self.program_residual(problem, laws, shift, s);
        for _ in 0..POLISH {
            self.best.copy_from_slice(s);
            if before.is_nan() || before == 0.0 || self.lu.factorise(problem.w(), Some(&self.left), &self.add).is_err()
            {
                return;
            }
            self.lu.solve(&mut self.ds);
            for (i, law) in laws.iter().enumerate() {
                s[i] = law.project(&(s[i] + self.ds[i]));
            }
            let after = self.program_residual(problem, laws, shift, s);
            if after.is_nan() || after >= before {
                s.copy_from_slice(&self.best);
            }
            if after.is_nan() || after >= 0.1 * before {
                return;
            }
            before = after;
        }
    }

    /// Natural map of the program in velocity units; leaves the data of a Newton step behind.
    fn program_residual(&mut self, problem: &Problem<D>, laws: &[Law], shift: &[f64], s: &[Vector<D>]) -> f64 {
        problem.velocities(s, &mut self.du);
        let mut sum = 0.0;
        for (i, law) in laws.iter().enumerate() {
            let rho = problem.rho(i);
            let mut x = s[i] - self.du[i] * rho;
            x[0] -= shift[i] * rho;
            let j = projection_derivative(law, &x);
            self.ds[i] = law.project(&x) - s[i];
            self.left[i] = j * rho;
            self.add[i] = Matrix::identity() - j * (1.0 - COMPLIANCE);
            sum += (self.ds[i] / rho).norm_squared();
        }
        sum.sqrt()
    }

    /// Newton's step at the solution `s`, `u` of the program: moves `shift`, and `s`
    /// to its prediction. False when the factorisation fails; nothing is changed then.
    pub fn step(&mut self, problem: &Problem<D>, s: &mut [Vector<D>], u: &[Vector<D>], shift: &mut [f64]) -> bool {
        let noise = 1e-9 * problem.b_norm() / (problem.len().max(1) as f64).sqrt();
        for (i, law) in problem.laws().iter().enumerate() {
            let rho = problem.rho(i);
            let mut x = s[i] - u[i] * rho;
            x[0] -= shift[i] * rho;
            let j = projection_derivative(law, &x) * rho;
            self.gradient[i] = shift_gradient(law, &u[i], noise);
            let normal = j.column(0).into_owned();
            self.left[i] = j + normal * self.gradient[i].transpose();
            self.add[i] = Matrix::identity() - j / rho + self.left[i] * (COMPLIANCE / rho);
            self.ds[i] = normal * (shift[i] - law.shift(&u[i]));
        }
        if self.lu.factorise(problem.w(), Some(&self.left), &self.add).is_err() {
            return false;
        }
        self.lu.solve(&mut self.ds);
        if !self.ds.iter().all(|d| d.iter().all(|x| x.is_finite())) {
            return false;
        }
        problem.w().apply(&self.ds, &self.zero, &mut self.du);
        for (i, law) in problem.laws().iter().enumerate() {
            shift[i] = (law.shift(&u[i]) + self.gradient[i].dot(&self.du[i])).max(0.0);
            s[i] += self.ds[i];
        }
        true
    }
}

/// An element of the generalised derivative of the projection on `C`.
fn projection_derivative<const D: usize>(law: &Law, x: &Vector<D>) -> Matrix<D> {
    match law {
        Law::Bilateral => Matrix::identity(),
        Law::Coulomb { mu } => cone_derivative(*mu, x),
        Law::Frictionless => cone_derivative(0.0, x),
        _ => {
            let h = DIFFERENCE * x.norm().max(f64::MIN_POSITIVE);
            let mut j = Matrix::<D>::zeros();
            for k in 0..D {
                let (mut up, mut down) = (*x, *x);
                up[k] += h;
                down[k] -= h;
                j.set_column(k, &((law.project(&up) - law.project(&down)) / (2.0 * h)));
            }
            j
        }
    }
}

/// The same for the circular cone: with `e = x_T/|x_T|` and `a = μ x_N⁺/|x_T|`,
/// `J = g gᵀ + a (I − n nᵀ − e eᵀ)`, `g = (1, μe)/√(1+μ²)`.
fn cone_derivative<const D: usize>(mu: f64, x: &Vector<D>) -> Matrix<D> {
    let t = tangent_norm(x);
    if x[0] >= 0.0 && t <= mu * x[0] {
        return Matrix::identity();
    }
    if mu * t <= -x[0] {
        return Matrix::zeros();
    }
    let height = (x[0] + mu * t) / (1.0 + mu * mu);
    let mut e = if t > 0.0 { x / t } else { Vector::zeros() };
    e[0] = 0.0;
    let mut g = e * mu;
    g[0] = 1.0;
    let a = if t > 0.0 { mu * height / t } else { 0.0 };
    let mut j = g * g.transpose() / (1.0 + mu * mu) - e * e.transpose() * a;
    for k in 1..D {
        j[(k, k)] += a;
    }
    j
}

/// Gradient of `φ`; zero where the slip is below `noise`, an element of the subdifferential.
fn shift_gradient<const D: usize>(law: &Law, u: &Vector<D>, noise: f64) -> Vector<D> {
    let t = tangent_norm(u);
    if t <= noise {
        return Vector::zeros();
    }
    if let Law::Coulomb { mu } = law {
        let mut g = u * (mu / t);
        g[0] = 0.0;
        return g;
    }
    let h = DIFFERENCE * t;
    Vector::from_fn(|k, _| {
        let (mut up, mut down) = (*u, *u);
        up[k] += h;
        down[k] -= h;
        (law.shift(&up) - law.shift(&down)) / (2.0 * h)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference: central differences of the projection.
    #[test]
    fn cone_derivative_agrees_with_differences() {
        for (mu, x) in [
            (0.5, Vector::<3>::new(0.3, 1.0, -2.0)),
            (0.5, Vector::<3>::new(-0.3, 1.0, -2.0)),
            (0.5, Vector::<3>::new(3.0, 0.4, 0.2)),
            (0.5, Vector::<3>::new(-3.0, 0.4, 0.2)),
            (0.0, Vector::<3>::new(1.0, 0.4, 0.2)),
        ] {
            let law = Law::Coulomb { mu };
            let j = projection_derivative(&law, &x);
            for k in 0..3 {
                let mut h = Vector::<3>::zeros();
                h[k] = 1e-6;
                let d: Vector<3> = (law.project(&(x + h)) - law.project(&(x - h))) / 2e-6;
                assert!((j.column(k) - d).norm() < 1e-9, "mu {mu}: {j} {d}");
            }
        }
    }
}
