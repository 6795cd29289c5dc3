//! The certificate: one function judges every solver.
//!
//! ```text
//!     e_α = S_α − P_C(S_α − ρ_α Û_α)                                  method (4)
//!     absolute = ‖(|e_α|/ρ_α)‖₂  [m/s],    relative = absolute / ‖b‖₂
//! ```
//!
//! with `ρ_α = D/trace W_αα`. Since the cones are homogeneous, `e_α/ρ_α` is the
//! natural map in the velocity-like variable `S_α/ρ_α`: a change of the units of
//! mass, length or time, or a factor on the whole problem, leaves `relative`
//! unchanged. It is never reported below `ε ‖S/ρ‖`, the round-off of the map itself.
//!
//! Relation to FCLIB and Siconos: their full error is the same map with `ρ = 1`
//! for every contact, `‖S − P_C(S − Û)‖₂ / ‖q‖₂`, which depends on the units. For
//! each contact `min(1, 1/ρ) ≤ (e_α/ρ_α) / e_α(ρ=1) ≤ max(1, 1/ρ)`. Both are
//! reported; [`Certificate::fclib_error`] is theirs to the last digit.

use crate::algebra::Vector;
use crate::problem::norm;
use crate::{Law, Problem};
use serde::Serialize;

/// How many contacts a certificate names.
const WORST: usize = 5;

/// The verdict on a set of percussions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Certificate {
    /// Residual of the law relative to the free velocity: scale-free.
    pub relative: f64,
    /// Residual of the law in velocity units [m/s].
    pub absolute: f64,
    /// FCLIB's and Siconos' full error (ρ = 1, relative to `‖b‖` unless it vanishes).
    pub fclib_error: f64,
    /// What the residual is made of.
    pub parts: Parts,
    /// The contacts with the largest residuals, worst first.
    pub worst: Vec<ContactError>,
}

/// The residual taken apart; each entry is the maximum over the contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Parts {
    /// Largest penetrating velocity `max(0, −U_N)` [m/s].
    pub normal_velocity: f64,
    /// Largest distance of `S` to the admissible set [N·s].
    pub cone: f64,
    /// Largest `|S·Û|` \[J\].
    pub complementarity: f64,
    /// Largest angle between friction and the opposite of slip at sliding contacts \[rad\].
    pub misalignment: f64,
}

/// One contact's share of the residual.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ContactError {
    /// Contact index, from 0.
    pub contact: usize,
    /// Its share of the residual in velocity units [m/s].
    pub error: f64,
}

impl Certificate {
    /// Judges `s` on `problem`. NaN anywhere gives an infinite residual.
    pub fn new<const D: usize>(problem: &Problem<D>, s: &[Vector<D>]) -> Self {
        let mut u = problem.zero();
        problem.velocities(s, &mut u);
        Self::with_velocities(problem, s, &u)
    }

    /// As [`Certificate::new`], with `u = W s + b` already at hand.
    pub fn with_velocities<const D: usize>(problem: &Problem<D>, s: &[Vector<D>], u: &[Vector<D>]) -> Self {
        let mut parts = Parts::default();
        let mut error = Vec::with_capacity(problem.len());
        let mut unit = Vec::with_capacity(problem.len());
        for (i, law) in problem.laws().iter().enumerate() {
            let rho = problem.rho(i);
            error.push(law.residual(&u[i], &s[i], rho).norm() / rho);
            unit.push(law.residual(&u[i], &s[i], 1.0).norm());
            parts.absorb(law, &u[i], &s[i]);
        }
        let absolute = finite_norm(&error).max(hidden(problem, s));
        let unit = finite_norm(&unit);
        let scale = problem.b_norm();
        let relative = if scale > 0.0 { absolute / scale } else { absolute };
        let fclib_error = if scale > f64::EPSILON { unit / scale } else { unit };
        Self { relative, absolute, fclib_error, parts, worst: worst(&error) }
    }
}

/// The relative residual alone, without allocation: for the loops of solvers.
pub(crate) fn relative<const D: usize>(problem: &Problem<D>, s: &[Vector<D>], u: &[Vector<D>]) -> f64 {
    let mut sum = 0.0;
    let scale = if problem.b_norm() > 0.0 { 1.0 / problem.b_norm() } else { 1.0 };
    for (i, law) in problem.laws().iter().enumerate() {
        let rho = problem.rho(i);
        sum += (law.residual(&u[i], &s[i], rho) * (scale / rho)).norm_squared();
    }
    if sum.is_nan() { f64::INFINITY } else { sum.sqrt().max(hidden(problem, s) * scale) }
}

/// What round-off hides: where a step has no solution, percussions that grow without
/// limit absorb any velocity, and the natural map alone would vanish.
fn hidden<const D: usize>(problem: &Problem<D>, s: &[Vector<D>]) -> f64 {
    let size: f64 = s.iter().enumerate().map(|(i, s)| (s / problem.rho(i)).norm_squared()).sum();
    f64::EPSILON * size.sqrt()
}

impl Parts {
    fn absorb<const D: usize>(&mut self, law: &Law, u: &Vector<D>, s: &Vector<D>) {
        let tangent = |x: &Vector<D>| {
            let mut t = *x;
            t[0] = 0.0;
            t
        };
        let (ut, st) = (tangent(u), tangent(s));
        self.normal_velocity = self.normal_velocity.max(match law {
            Law::Bilateral => u.norm(),
            _ => -u[0],
        });
        self.cone = self.cone.max((s - law.project(s)).norm());
        self.complementarity = self.complementarity.max((s.dot(u) + s[0] * law.shift(u)).abs());
        // Alignment is a statement on isotropic friction, where slip is not round-off.
        if let Law::Coulomb { mu } = law {
            let slides =
                ut.norm() > 1e-6 * u.norm().max(f64::MIN_POSITIVE) && st.norm() > 0.99 * mu * s[0] && s[0] > 0.0;
            if slides && st.norm() > 0.0 {
                // atan2 keeps small angles; an arc cosine would lose them below 1e-8.
                let (a, b) = (st / st.norm(), -ut / ut.norm());
                self.misalignment = self.misalignment.max(2.0 * (a - b).norm().atan2((a + b).norm()));
            }
        }
    }
}

fn finite_norm(x: &[f64]) -> f64 {
    let largest = x.iter().fold(0.0, |m: f64, v| if v.is_nan() { f64::INFINITY } else { m.max(*v) });
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    norm::<1>(&x.iter().map(|v| Vector::<1>::new(*v)).collect::<Vec<_>>())
}

fn worst(error: &[f64]) -> Vec<ContactError> {
    let mut order: Vec<usize> = (0..error.len()).collect();
    let count = WORST.min(order.len());
    order.sort_by(|a, b| error[*b].total_cmp(&error[*a]).then(a.cmp(b)));
    order[..count].iter().map(|&contact| ContactError { contact, error: error[contact] }).collect()
}
