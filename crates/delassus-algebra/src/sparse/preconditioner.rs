//! Approximate inverse for conjugate gradients
//!
//! The incomplete factor L Lᵀ ≈ A + α D of the entries that the matrix has, D its diagonal. The shift α is zero when the factor exists without
//! (Stieltjes matrices); else it doubles until every pivot is positive (Manteuffel's remedy).

use super::error::{check_finite, check_length};
use super::{AlgebraError, Pattern, SymmetricMatrix};
use std::sync::Arc;

/// An approximate inverse; its structure is kept, values are set by [`Self::update`].
#[derive(Clone, Debug)]
pub struct Preconditioner {
    /// L is on the pattern of the matrix.
    pattern: Arc<Pattern>,
    factor: Vec<f64>,
    shift: f64,
}

impl Preconditioner {
    /// Incomplete Cholesky without fill.
    pub fn incomplete_cholesky(matrix: &SymmetricMatrix) -> Result<Self, AlgebraError> {
        let factor = vec![0.0; matrix.values().len()];
        let mut out = Self { pattern: matrix.pattern().clone(), factor, shift: 0.0 };
        out.update(matrix)?;
        Ok(out)
    }

    /// Number of unknowns.
    pub fn size(&self) -> usize {
        self.pattern.size()
    }

    /// The share of the diagonal that was added.
    pub fn shift(&self) -> f64 {
        self.shift
    }

    /// New values, on the same pattern.
    pub fn update(&mut self, matrix: &SymmetricMatrix) -> Result<(), AlgebraError> {
        check_length("matrix", matrix.size(), self.size())?;
        check_finite("matrix", matrix.values())?;
        if let Some((dof, diagonal)) = matrix.diagonal().enumerate().find(|(_, d)| !(*d > 0.0)) {
            return Err(AlgebraError::NotPositive { dof, pivot: diagonal, diagonal });
        }
        self.shift = 0.0;
        while let Err((dof, pivot)) = self.factorise(matrix) {
            self.shift = if self.shift == 0.0 { 1e-3 } else { 2.0 * self.shift };
            // A diagonal this much larger dominates any row of a positive definite matrix.
            if self.shift > 1e4 {
                let diagonal = matrix.values()[matrix.pattern().diagonal(dof)];
                return Err(AlgebraError::NotPositive { dof, pivot, diagonal });
            }
        }
        Ok(())
    }

    /// Right-looking, dropping what falls outside the pattern; or where a pivot is lost, and its value.
    fn factorise(&mut self, matrix: &SymmetricMatrix) -> Result<(), (usize, f64)> {
        let Self { pattern, factor, shift } = self;
        factor.copy_from_slice(matrix.values());
        let start = pattern.column_starts();
        (0..pattern.size()).for_each(|j| factor[start[j]] *= 1.0 + *shift);
        for k in 0..pattern.size() {
            let pivot = factor[start[k]];
            if !(pivot > 1e-3 * matrix.values()[start[k]]) {
                return Err((k, pivot));
            }
            let pivot = pivot.sqrt();
            factor[start[k]] = pivot;
            let rows = pattern.column(k);
            factor[start[k] + 1..start[k + 1]].iter_mut().for_each(|l| *l /= pivot);
            for (e, &j) in rows.iter().enumerate().skip(1) {
                let (j, ljk) = (j as usize, factor[start[k] + e]);
                if ljk == 0.0 {
                    continue;
                }
                update_column(factor, (start[k] + e, &rows[e..]), (start[j], pattern.column(j)), ljk);
            }
        }
        Ok(())
    }

    /// z ← P⁻¹ r.
    pub fn apply(&self, r: &[f64], z: &mut [f64]) {
        z.copy_from_slice(r);
        let start = self.pattern.column_starts();
        let n = self.pattern.size();
        let below = |j: usize| self.pattern.column(j)[1..].iter().zip(&self.factor[start[j] + 1..start[j + 1]]);
        for j in 0..n {
            let x = z[j] / self.factor[start[j]];
            z[j] = x;
            below(j).for_each(|(i, l)| z[*i as usize] -= l * x);
        }
        for j in (0..n).rev() {
            let sum: f64 = below(j).map(|(i, l)| l * z[*i as usize]).sum();
            z[j] = (z[j] - sum) / self.factor[start[j]];
        }
    }
}

/// Column j ← column j − l_jk · column k, on the rows that both have: a merge of two
/// increasing lists.
fn update_column(factor: &mut [f64], (from, rows): (usize, &[u32]), (to, target): (usize, &[u32]), ljk: f64) {
    let mut t = 0;
    for (e, row) in rows.iter().enumerate() {
        while t < target.len() && target[t] < *row {
            t += 1;
        }
        if t == target.len() {
            return;
        }
        if target[t] == *row {
            let l = factor[from + e];
            factor[to + t] -= ljk * l;
        }
    }
}
