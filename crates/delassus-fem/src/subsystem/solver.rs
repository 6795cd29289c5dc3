//! `A`: its matrix, its factor or its preconditioner.

use super::Linear;
use crate::algebra::{
    AlgebraError, Cholesky, ConjugateGradient, GradientSettings, GradientStatus, Pattern, Preconditioner, SolveScratch,
    SymmetricMatrix,
};
use std::cell::RefCell;
use std::sync::Arc;

/// Conjugate gradients did not converge.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "conjugate gradients stand at {residual:.1e} after {iterations} iterations: the tangent is too ill-conditioned or \
     not positive; take linear = direct"
)]
pub struct Gradients {
    /// Iterations made.
    pub iterations: usize,
    /// Relative residual reached.
    pub residual: f64,
}

/// The matrix of a step and what solves it.
pub struct Solver {
    /// `A`, rows and columns of imposed motions cleared.
    pub matrix: SymmetricMatrix,
    linear: Linear,
    factor: Option<Cholesky>,
    preconditioner: Option<Preconditioner>,
    scratch: RefCell<Scratch>,
    /// Whether the factor is that of the matrix.
    ready: bool,
    /// The matrix with more on its diagonal, where it has no factor of its own, and why it has none.
    stiffer: Option<SymmetricMatrix>,
    loose: Option<AlgebraError>,
}

/// What is added to the diagonal of a matrix without a factor, for each of its unknowns: as springs, all
/// together a tenth of the stiffness of one node.
const SOFT: f64 = 0.1;

#[derive(Default)]
struct Scratch {
    factor: SolveScratch,
    gradients: ConjugateGradient,
    right: Vec<f64>,
    /// What the last solves could not do.
    failed: Option<Gradients>,
}

impl Solver {
    /// For matrices on a pattern.
    pub fn new(pattern: &Arc<Pattern>, linear: Linear) -> Self {
        let matrix = SymmetricMatrix::zero(pattern.clone());
        Self {
            matrix,
            linear,
            factor: None,
            preconditioner: None,
            scratch: RefCell::default(),
            ready: false,
            stiffer: None,
            loose: None,
        }
    }

    /// The matrix has changed.
    pub fn forget(&mut self) {
        self.ready = false;
    }

    /// Why the factor is not that of the matrix, but of one with soft springs on each unknown: a part that
    /// only contact holds. Newton's iteration is then one of proximal points, and takes more rounds.
    pub fn loose(&self) -> Option<&AlgebraError> {
        self.loose.as_ref()
    }

    /// Factorises the matrix, unless that is done.
    pub fn prepare(&mut self) -> Result<(), AlgebraError> {
        if self.ready {
            return Ok(());
        }
        self.loose = None;
        match self.linear {
            Linear::Direct => {
                let factor = match &mut self.factor {
                    Some(factor) => factor,
                    none => none.insert(Cholesky::new(self.matrix.pattern())?),
                };
                if let Err(e) = factor.refactor(&self.matrix) {
                    if !matches!(e, AlgebraError::NotPositive { .. }) {
                        return Err(e);
                    }
                    let stiffer = self.stiffer.get_or_insert_with(|| self.matrix.clone());
                    stiffer.values_mut().copy_from_slice(self.matrix.values());
                    let n = self.matrix.size();
                    let pattern = self.matrix.pattern();
                    for dof in 0..n {
                        let at = pattern.diagonal(dof);
                        stiffer.values_mut()[at] += SOFT / n as f64 * self.matrix.values()[at].abs();
                    }
                    // A tangent that is not positive for other reasons is refused as it was.
                    factor.refactor(stiffer).map_err(|_| e.clone())?;
                    self.loose = Some(e);
                }
            }
            Linear::Iterative => match &mut self.preconditioner {
                Some(preconditioner) => preconditioner.update(&self.matrix)?,
                none => *none = Some(Preconditioner::incomplete_cholesky(&self.matrix)?),
            },
        }
        self.ready = true;
        Ok(())
    }

    /// `X ← A⁻¹ X`, columns one after the other; NaN where it cannot be done.
    pub fn solve(&self, x: &mut [f64]) {
        let mut scratch = self.scratch.borrow_mut();
        let scratch = &mut *scratch;
        if let (Linear::Iterative, Some(preconditioner)) = (self.linear, &self.preconditioner) {
            scratch.gradients.settings = GradientSettings { tolerance: 1e-13, ..GradientSettings::default() };
            for x in x.chunks_exact_mut(self.matrix.size()) {
                scratch.right.clear();
                scratch.right.extend_from_slice(x);
                x.fill(0.0);
                match scratch.gradients.solve(&mut &self.matrix, preconditioner, &scratch.right, x) {
                    Ok(report) => {
                        let failed =
                            matches!(report.status, GradientStatus::NotPositive | GradientStatus::TooManyIterations);
                        // What is left is judged with the balance; only a failure is one here.
                        if failed && report.residual > 1e-9 {
                            let (iterations, residual) = (report.iterations, report.residual);
                            scratch.failed = Some(Gradients { iterations, residual });
                        }
                    }
                    Err(_) => x.fill(f64::NAN),
                }
            }
            return;
        }
        // What cannot be solved becomes NaN, which the world notices.
        let solved = self.factor.as_ref().is_some_and(|f| f.solve_many(x, &mut scratch.factor).is_ok());
        if !solved {
            x.fill(f64::NAN);
        }
    }

    /// Why solves since the last question failed.
    pub fn failure(&self) -> Option<Gradients> {
        self.scratch.borrow_mut().failed.take()
    }
}
