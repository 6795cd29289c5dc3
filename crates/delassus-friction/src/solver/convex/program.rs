//! The force form of the convex program
//!
//! ```text
//! min_S ½ SᵀWS + (b + s n)ᵀS      S ∈ C                                method (10)
//! ```
//!
//! by clarabel's interior point. The symbolic work is done once; a new `s` changes
//! the linear term only. Unknowns are `y` with `S = β ρ^½ y`, so that the units of
//! mass and velocity do not touch the tolerances. A program wants a symmetric
//! matrix: the skew part of `W` acts through the linear term, on the last `S`.

use super::cones::{Triplets, percussions};
use super::{Failure, cones};
use crate::algebra::{BlockMatrix, Vector};
use crate::{Law, Problem};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus};

/// Asymmetry below which `W` counts as symmetric.
const SYMMETRIC: f64 = 1e-13;

/// The program, ready for any shift.
pub(super) struct Program<const D: usize> {
    solver: DefaultSolver<f64>,
    /// `β ρ^½` per contact, and `β`.
    scale: Vec<f64>,
    beta: f64,
    skew: Option<BlockMatrix<D>>,
    moved: Vec<Vector<D>>,
    q: Vec<f64>,
}

impl<const D: usize> Program<D> {
    /// Sets the program up. `laws` may differ from those of `problem` in the state
    /// of contacts with a threshold.
    pub fn new(problem: &Problem<D>, laws: &[Law]) -> Result<Self, Failure> {
        let n = problem.len();
        let mean = problem.b_norm() / (n.max(1) as f64).sqrt();
        let beta = if mean > 0.0 { mean } else { 1.0 };
        let root: Vec<f64> = (0..n).map(|i| problem.rho(i).sqrt()).collect();
        let scale: Vec<f64> = root.iter().map(|r| beta * r).collect();
        let (a, rhs, cones) = constraints::<D>(laws, &scale);
        let q = vec![0.0; D * n];
        let solver = DefaultSolver::new(&quadratic(problem, &root), &q, &a, &rhs, &cones, settings())
            .map_err(|_| Failure::Numerical)?;
        let skew = (problem.asymmetry() > SYMMETRIC).then(|| skew_part(problem.w()));
        Ok(Self { solver, scale, beta, skew, moved: problem.zero(), q })
    }

    /// Solves for the shift `s`; `percussions` enters through the skew part of `W` and receives the answer.
    pub fn solve(&mut self, problem: &Problem<D>, shift: &[f64], percussions: &mut [Vector<D>]) -> Result<(), Failure> {
        match &self.skew {
            Some(skew) => skew.apply(percussions, problem.b(), &mut self.moved),
            None => self.moved.copy_from_slice(problem.b()),
        }
        for (i, b) in self.moved.iter_mut().enumerate() {
            b[0] += shift[i];
            let factor = self.scale[i] / (self.beta * self.beta);
            for k in 0..D {
                self.q[D * i + k] = factor * b[k];
            }
        }
        self.solver.update_q(&self.q).map_err(|_| Failure::Numerical)?;
        self.solver.solve();
        verdict(self.solver.solution.status)?;
        for (i, s) in percussions.iter_mut().enumerate() {
            *s = Vector::from_fn(|k, _| self.scale[i] * self.solver.solution.x[D * i + k]);
        }
        if percussions.iter().all(|s| s.iter().all(|x| x.is_finite())) { Ok(()) } else { Err(Failure::Numerical) }
    }
}

/// An answer of reduced accuracy is an answer: the certificate judges it.
pub(super) fn verdict(status: SolverStatus) -> Result<(), Failure> {
    match status {
        SolverStatus::Solved
        | SolverStatus::AlmostSolved
        | SolverStatus::InsufficientProgress
        | SolverStatus::MaxIterations => Ok(()),
        SolverStatus::DualInfeasible | SolverStatus::AlmostDualInfeasible => Err(Failure::Unbounded),
        SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible => Err(Failure::Infeasible),
        _ => Err(Failure::Numerical),
    }
}

/// Tolerances near what the arithmetic allows; no presolve, which would forbid updates.
pub(super) fn settings() -> DefaultSettings<f64> {
    DefaultSettings {
        verbose: false,
        presolve_enable: false,
        input_sparse_dropzeros: false,
        tol_gap_abs: 1e-13,
        tol_gap_rel: 1e-13,
        tol_feas: 1e-12,
        max_iter: 100,
        iterative_refinement_max_iter: 20,
        iterative_refinement_reltol: 1e-14,
        iterative_refinement_abstol: 1e-14,
        ..DefaultSettings::default()
    }
}

/// Upper triangle of the symmetric part of `ρ^½ W ρ^½`.
fn quadratic<const D: usize>(problem: &Problem<D>, root: &[f64]) -> CscMatrix<f64> {
    let mut t = Triplets::default();
    let mut put = |i: usize, j: usize, r: usize, c: usize, v: f64| {
        let (row, column) = (D * i + r, D * j + c);
        let value = v * root[i] * root[j];
        // Half from here, half from the mirror image.
        t.push(row.min(column), row.max(column), if row == column { value } else { 0.5 * value });
    };
    for i in 0..problem.len() {
        let diagonal = std::iter::once((i, problem.w().diagonal(i)));
        for (j, b) in diagonal.chain(problem.w().row(i)) {
            for r in 0..D {
                for c in 0..D {
                    put(i, j, r, c, b[(r, c)]);
                }
            }
        }
    }
    t.build(D * problem.len(), D * problem.len())
}

type Constraints = (CscMatrix<f64>, Vec<f64>, Vec<clarabel::solver::SupportedConeT<f64>>);

/// Rows of `C` for all contacts, in clarabel's form `rhs − A y ∈ cones`.
fn constraints<const D: usize>(laws: &[Law], scale: &[f64]) -> Constraints {
    let (mut t, mut rhs, mut cones) = (Triplets::default(), vec![], vec![]);
    for (i, law) in laws.iter().enumerate() {
        for part in percussions::<D>(law) {
            for cones::Row { row, constant, .. } in &part.rows {
                for k in 0..D {
                    t.push(rhs.len(), D * i + k, -row[k]);
                }
                rhs.push(constant / scale[i]);
            }
            cones.push(part.cone());
        }
    }
    let rows = rhs.len();
    (t.build(rows, D * laws.len()), rhs, cones)
}

/// `½(W − Wᵀ)`.
fn skew_part<const D: usize>(w: &BlockMatrix<D>) -> BlockMatrix<D> {
    let mut triplets = vec![];
    for i in 0..w.len() {
        for (j, b) in std::iter::once((i, w.diagonal(i))).chain(w.row(i)) {
            triplets.push((i as u32, j as u32, b * 0.5));
            triplets.push((j as u32, i as u32, b.transpose() * -0.5));
        }
    }
    BlockMatrix::from_triplets(w.len(), &mut triplets)
}
