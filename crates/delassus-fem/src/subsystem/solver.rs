//! `A`: its matrix, its factor or its preconditioner.

use super::Linear;
use super::ties::Ties;
use crate::algebra::{
    AlgebraError, Cholesky, ConjugateGradient, GradientSettings, GradientStatus, Kkt, Pattern, Preconditioner,
    SolveScratch, SymmetricMatrix,
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
    /// Instead of the factor, where rows tie unknowns to each other.
    tied: Option<RefCell<Kkt>>,
    /// Coefficients of its rows and the other corner; rows that repeat others have none.
    rows: (Vec<f64>, Option<SymmetricMatrix>),
    left_out: Vec<bool>,
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
            tied: None,
            rows: (vec![], None),
            left_out: vec![],
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

    /// Factorises the matrix with the rows that tie its unknowns, unless that is done.
    pub fn prepare(&mut self, ties: Option<&Ties>) -> Result<(), AlgebraError> {
        if self.ready {
            return Ok(());
        }
        self.loose = None;
        if let Some(ties) = ties {
            let kkt = match &mut self.tied {
                Some(kkt) => kkt,
                none => none.insert(RefCell::new(ties.saddle(self.matrix.pattern())?)),
            };
            let (values, corner) = &mut self.rows;
            if corner.is_none() {
                values.extend_from_slice(ties.values());
                self.left_out.resize(ties.len(), false);
            }
            let corner = corner.get_or_insert_with(|| ties.compliance().clone());
            loop {
                match kkt.get_mut().refactor(&self.matrix, values, corner) {
                    Err(AlgebraError::Redundant { constraint: row }) if !self.left_out[row] => {
                        self.left_out[row] = true;
                        values[ties.terms(row)].fill(0.0);
                        let at = corner.pattern().diagonal(row);
                        corner.values_mut()[at] = 1.0;
                    }
                    done => {
                        done?;
                        break;
                    }
                }
            }
            self.ready = true;
            return Ok(());
        }
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

    /// `x ← δ` with `A δ + Bᵀ Υ = x`, `B δ = y`; NaN where it cannot be done.
    pub fn solve_tied(&self, x: &mut [f64], y: &mut [f64]) {
        y.iter_mut().zip(&self.left_out).filter(|(_, out)| **out).for_each(|(y, _)| *y = 0.0);
        let done = self.tied.as_ref().map(|kkt| kkt.borrow_mut().solve(x, y));
        if !matches!(done, Some(Ok(_))) {
            x.fill(f64::NAN);
        }
    }

    /// `X ← A⁻¹ X`, columns one after the other; NaN where it cannot be done. Where rows tie unknowns, of motions
    /// that keep to them.
    pub fn solve(&self, x: &mut [f64]) {
        let mut scratch = self.scratch.borrow_mut();
        let scratch = &mut *scratch;
        if let Some(kkt) = &self.tied {
            let mut kkt = kkt.borrow_mut();
            for x in x.chunks_exact_mut(self.matrix.size()) {
                scratch.right.clear();
                scratch.right.resize(kkt.constraints(), 0.0);
                if x.iter().any(|x| *x != 0.0) && kkt.solve(x, &mut scratch.right).is_err() {
                    x.fill(f64::NAN);
                }
            }
            return;
        }
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
