//! K = L Lᵀ: symbolic analysis once for a pattern, numeric factorisation for each matrix

use super::error::{check_finite, check_length};
use super::factor::{Factor, Kind};
use super::{AlgebraError, Pattern, SolveScratch, SymmetricMatrix, ordering};

/// A pivot below this share of its diagonal is rounding: thirteen digits have cancelled, and a
/// solution would keep fewer than three. What it eliminates is held by nothing.
const LOST: f64 = 1e-13;
/// Right-hand sides solved at once: more do not fit in cache with a supernode.
const BLOCK: usize = 16;

/// Factor of a symmetric positive definite matrix.
pub struct Cholesky {
    factor: Factor,
    ready: bool,
}

impl Cholesky {
    /// Order of elimination and structure of the factor.
    pub fn new(pattern: &Pattern) -> Result<Self, AlgebraError> {
        Self::with_order(pattern, ordering::dissection(&pattern.graph()))
    }

    /// With a given order of elimination, each dof once.
    pub fn with_order(pattern: &Pattern, order: Vec<u32>) -> Result<Self, AlgebraError> {
        check_length("order", order.len(), pattern.size())?;
        let mut seen = vec![false; order.len()];
        for &dof in &order {
            let count = order.len();
            let known = seen.get_mut(dof as usize).ok_or(AlgebraError::DofOutOfRange { list: 0, dof, count })?;
            if std::mem::replace(known, true) {
                return Err(AlgebraError::RepeatedDof { element: 0, dof });
            }
        }
        Ok(Self { factor: Factor::new(pattern, order, Kind::Llt)?, ready: false })
    }

    /// Number of unknowns.
    pub fn size(&self) -> usize {
        self.factor.size()
    }

    /// Stored entries of L.
    pub fn entries(&self) -> usize {
        self.factor.entries()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.factor.bytes()
    }

    /// Factorises a matrix on the pattern.
    pub fn refactor(&mut self, matrix: &SymmetricMatrix) -> Result<(), AlgebraError> {
        self.ready = false;
        check_length("matrix", matrix.values().len(), self.factor.source.len())?;
        check_finite("matrix", matrix.values())?;
        self.factor.gather(matrix.values());
        let pattern = matrix.pattern();
        let diagonal = |dof: usize| matrix.values()[pattern.diagonal(dof)];
        self.factor.llt().map_err(|place| {
            let dof = self.factor.order[place] as usize;
            AlgebraError::NotPositive { dof, pivot: f64::NAN, diagonal: diagonal(dof) }
        })?;
        let mut lost = None;
        self.factor.pivots(|place, l| {
            let dof = self.factor.order[place] as usize;
            if !(l * l > LOST * diagonal(dof)) && lost.is_none() {
                lost = Some(AlgebraError::NotPositive { dof, pivot: l * l, diagonal: diagonal(dof) });
            }
        });
        lost.map_or(Ok(()), Err)?;
        self.ready = true;
        Ok(())
    }

    /// x ← K⁻¹ x.
    pub fn solve_in_place(&self, x: &mut [f64], scratch: &mut SolveScratch) -> Result<(), AlgebraError> {
        check_length("right-hand side", x.len(), self.size())?;
        self.solve_many(x, scratch)
    }

    /// X ← K⁻¹ X, for right-hand sides one after the other.
    pub fn solve_many(&self, x: &mut [f64], scratch: &mut SolveScratch) -> Result<(), AlgebraError> {
        if !self.ready {
            return Err(AlgebraError::NoFactor);
        }
        let n = self.size();
        let columns = x.len().checked_div(n).unwrap_or(0);
        check_length("right-hand sides", x.len(), columns * n)?;
        for block in x.chunks_mut((BLOCK * n).max(1)) {
            let columns = block.len() / n;
            let (memory, y) = scratch.reserve(&self.factor, columns);
            for (y, x) in y.chunks_exact_mut(n).zip(block.chunks_exact(n)) {
                y.iter_mut().zip(&self.factor.order).for_each(|(y, i)| *y = x[*i as usize]);
            }
            self.factor.solve(Kind::Llt, y, columns, memory);
            for (y, x) in y.chunks_exact(n).zip(block.chunks_exact_mut(n)) {
                y.iter().zip(&self.factor.order).for_each(|(y, i)| x[*i as usize] = *y);
            }
        }
        check_finite("solution", x)
    }
}
