//! Is there a velocity that opens every contact enough?
//!
//! ```text
//! ∃ v : G v + w ∈ int K*                                   method (10), §8.8
//! ```
//!
//! suffices for the one-step problem to have a solution (closed cone in 2D). With
//! `W = G A⁻¹ Gᵀ` and `b = G v_free + w` the same question is `∃ x : W x + b ∈ int K*`:
//! `A` is positive definite, so the range of `W` is that of `G`. The conic program
//!
//! ```text
//! max t     W x + b − t n ∈ K*,   t ≤ max|b_α|
//! ```
//!
//! answers it; its value is the margin, negative when no velocity will do.

use super::Failure;
use super::cones::{Part, Triplets, velocities};
use super::program::{settings, verdict};
use crate::Problem;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSolver, IPSolver, NonnegativeConeT};
use serde::Serialize;

/// Margin, relative to the largest free velocity, that counts as zero.
const ZERO: f64 = 1e-7;

/// The answer of [`existence`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Existence {
    /// True: the step has a solution. False: it may have none.
    pub guaranteed: bool,
    /// `t` [m/s], at most the largest free velocity.
    pub margin: f64,
    /// `t/‖b‖`.
    pub relative: f64,
}

/// The sufficient condition for the existence of a solution.
pub fn existence<const D: usize>(problem: &Problem<D>) -> Result<Existence, Failure> {
    let largest = problem.b().iter().map(|b| b.norm()).fold(0.0, f64::max);
    let beta = if largest > 0.0 { largest } else { 1.0 };
    let contact_parts: Vec<Vec<Part<D>>> = problem.laws().iter().map(velocities::<D>).collect();
    // Unknowns: x, t, then one auxiliary number per contact.
    let n = problem.len();
    let (t_column, columns) = (D * n, D * n + 1 + n);
    let (mut a, mut rhs, mut cones) = (Triplets::default(), vec![], vec![]);
    for (i, parts) in contact_parts.iter().enumerate() {
        for part in parts {
            for r in &part.rows {
                let diagonal = std::iter::once((i, problem.w().diagonal(i)));
                for (j, w) in diagonal.chain(problem.w().row(i)) {
                    let row = w.transpose() * r.row * problem.rho(j);
                    for k in 0..D {
                        a.push(rhs.len(), D * j + k, -row[k]);
                    }
                }
                a.push(rhs.len(), t_column, r.row[0]);
                a.push(rhs.len(), t_column + 1 + i, -r.auxiliary);
                rhs.push(r.row.dot(&problem.b()[i]) / beta);
            }
            cones.push(part.cone());
        }
    }
    a.push(rhs.len(), t_column, 1.0);
    rhs.push(1.0);
    cones.push(NonnegativeConeT(1));
    let mut q = vec![0.0; columns];
    q[t_column] = -1.0;
    let rows = rhs.len();
    let none = CscMatrix::zeros((columns, columns));
    let mut solver = DefaultSolver::new(&none, &q, &a.build(rows, columns), &rhs, &cones, settings())
        .map_err(|_| Failure::Numerical)?;
    solver.solve();
    verdict(solver.solution.status)?;
    let t = solver.solution.x[t_column];
    let guaranteed = if D == 2 { t >= -ZERO } else { t > ZERO };
    let norm = if problem.b_norm() > 0.0 { problem.b_norm() } else { 1.0 };
    Ok(Existence { guaranteed, margin: t * beta, relative: t * beta / norm })
}
