//! Iterative solvers against the direct one and closed forms
#![cfg(feature = "sparse")]
#![allow(clippy::unwrap_used)]

use delassus_algebra::{
    AlgebraError, Cholesky, ConjugateGradient, GradientSettings, GradientStatus, Operator, Pattern, Preconditioner,
    SolveScratch, SymmetricMatrix,
};
use std::sync::Arc;

/// Five-point Laplacian of a side × side grid with zero around: Stieltjes, eigenvalues
/// 4 − 2 cos(iπ/(s+1)) − 2 cos(jπ/(s+1)).
fn laplacian(side: u32) -> SymmetricMatrix {
    let mut pairs = vec![];
    for i in 0..side * side {
        if i % side + 1 < side {
            pairs.push([i, i + 1]);
        }
        if i + side < side * side {
            pairs.push([i, i + side]);
        }
    }
    let n = (side * side) as usize;
    let mut a = SymmetricMatrix::zero(Arc::new(Pattern::new(n, pairs.iter().map(|p| &p[..])).unwrap()));
    pairs.iter().for_each(|[i, j]| a.add(*i, *j, -1.0).unwrap());
    a.add_diagonal(4.0, &vec![1.0; n]);
    a
}

fn rhs(n: usize) -> Vec<f64> {
    (0..n).map(|i| ((i * i) as f64 * 0.37).sin()).collect()
}

fn direct(a: &SymmetricMatrix, b: &[f64]) -> Vec<f64> {
    let mut cholesky = Cholesky::new(a.pattern()).unwrap();
    cholesky.refactor(a).unwrap();
    let mut x = b.to_vec();
    cholesky.solve_in_place(&mut x, &mut SolveScratch::default()).unwrap();
    x
}

fn largest(a: impl Iterator<Item = f64>) -> f64 {
    a.fold(0.0, |m, x| m.max(x.abs()))
}

fn identity(n: usize) -> Preconditioner {
    let mut unit = SymmetricMatrix::zero(Arc::new(Pattern::new(n, std::iter::empty()).unwrap()));
    unit.add_diagonal(1.0, &vec![1.0; n]);
    Preconditioner::incomplete_cholesky(&unit).unwrap()
}

/// ‖x − x*‖ ≤ cond(A) ‖x*‖ tolerance, cond = (2 s/π)² ≈ 1300.
#[test]
fn gradients_agree_with_the_direct_solver_and_the_preconditioner_pays() {
    let a = laplacian(56);
    let b = rhs(a.size());
    let reference = direct(&a, &b);
    let mut counts = vec![];
    for preconditioner in [identity(a.size()), Preconditioner::incomplete_cholesky(&a).unwrap()] {
        let mut x = vec![0.0; a.size()];
        let mut solver = ConjugateGradient::new(GradientSettings { tolerance: 1e-11, iterations: 1000 });
        let report = solver.solve(&mut &a, &preconditioner, &b, &mut x).unwrap();
        assert_eq!(report.status, GradientStatus::Converged);
        assert!(report.residual <= 1e-11);
        let error = largest(x.iter().zip(&reference).map(|(x, r)| x - r));
        assert!(error < 1300.0 * 1e-11 * largest(reference.iter().copied()), "{error:e}");
        counts.push(report.iterations);
        // From the solution: nothing to do.
        assert_eq!(solver.solve(&mut &a, &preconditioner, &b, &mut x).unwrap().iterations, 0);
    }
    assert!(2 * counts[1] < counts[0], "{counts:?}");
}

/// A matrix that is not Stieltjes, where the factor without fill breaks down: it is shifted.
#[test]
fn an_incomplete_factor_that_breaks_down_is_shifted() {
    // Kershaw's example: positive definite, the third pivot of its incomplete factor is −4.
    let entries = [(0, 0, 3.0), (1, 1, 3.0), (2, 2, 3.0), (3, 3, 3.0)];
    let off = [(1, 0, -2.0), (3, 0, 2.0), (2, 1, -2.0), (3, 2, -2.0)];
    let pairs: Vec<[u32; 2]> = off.iter().map(|(i, j, _)| [*i, *j]).collect();
    let mut a = SymmetricMatrix::zero(Arc::new(Pattern::new(4, pairs.iter().map(|p| &p[..])).unwrap()));
    entries.iter().chain(&off).for_each(|(i, j, x)| a.add(*i, *j, *x).unwrap());
    let preconditioner = Preconditioner::incomplete_cholesky(&a).unwrap();
    assert!(preconditioner.shift() > 0.0);
    let b = rhs(4);
    let mut x = vec![0.0; 4];
    let report = ConjugateGradient::default().solve(&mut &a, &preconditioner, &b, &mut x).unwrap();
    assert_eq!(report.status, GradientStatus::Converged);
    let reference = direct(&a, &b);
    assert!(largest(x.iter().zip(&reference).map(|(x, r)| x - r)) < 1e-8);
}

/// A = D + u uᵀ known by its products alone: eigenvalues but two are those of D (three
/// different ones), so that gradients without preconditioner end within five steps.
struct RankOne(Vec<f64>);

impl Operator for RankOne {
    fn size(&self) -> usize {
        self.0.len()
    }

    fn apply(&mut self, x: &[f64], y: &mut [f64]) {
        let n = self.0.len() as f64;
        let sum: f64 = x.iter().sum::<f64>() / n;
        (0..x.len()).for_each(|i| y[i] = self.0[i] * x[i] + sum);
    }
}

#[test]
fn an_operator_without_matrix_is_solved_in_as_many_steps_as_it_has_eigenvalues() {
    let n = 300;
    let mut operator = RankOne((0..n).map(|i| 1.0 + (i % 3) as f64).collect());
    let mut x = vec![0.0; n];
    let report = ConjugateGradient::default().solve(&mut operator, &identity(n), &rhs(n), &mut x).unwrap();
    assert_eq!(report.status, GradientStatus::Converged);
    assert!(report.iterations <= 6, "{report:?}");
}

#[test]
fn what_gradients_cannot_solve_has_its_own_status() {
    let mut a = laplacian(10);
    let preconditioner = identity(100);
    let b = rhs(100);
    let few = GradientSettings { tolerance: 1e-12, iterations: 3 };
    let report = ConjugateGradient::new(few).solve(&mut &a, &preconditioner, &b, &mut [0.0; 100]).unwrap();
    assert_eq!((report.status, report.iterations), (GradientStatus::TooManyIterations, 3));
    let impossible = GradientSettings { tolerance: 1e-30, iterations: 10_000 };
    let report = ConjugateGradient::new(impossible).solve(&mut &a, &preconditioner, &b, &mut [0.0; 100]).unwrap();
    assert_eq!(report.status, GradientStatus::Stagnated);
    assert!(report.residual < 1e-14);
    a.add_diagonal(-4.0, &[1.0; 100]);
    let report = ConjugateGradient::default().solve(&mut &a, &preconditioner, &b, &mut [0.0; 100]).unwrap();
    assert_eq!(report.status, GradientStatus::NotPositive);
    let refused = Preconditioner::incomplete_cholesky(&a).map(|_| ());
    assert!(matches!(refused, Err(AlgebraError::NotPositive { dof: 0, .. })));
}
