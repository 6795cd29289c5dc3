//! Approximate inverses for conjugate gradients
//!
//! Blocks of the diagonal inverted, or the incomplete factor L Lᵀ ≈ A + α D of the entries that
//! the matrix has, D its diagonal. The shift α is zero when the factor exists without
//! (Stieltjes matrices); else it doubles until every pivot is positive (Manteuffel's remedy).

use super::error::{check_finite, check_length};
use super::{AlgebraError, Pattern, SymmetricMatrix};
use std::sync::Arc;

/// An approximate inverse; its structure is kept, values are set by [`Self::update`].
#[derive(Clone, Debug)]
pub enum Preconditioner {
    /// Inverses of blocks on the diagonal (a node's dofs).
    BlockJacobi(BlockJacobi),
    /// Incomplete Cholesky without fill.
    IncompleteCholesky(IncompleteCholesky),
}

impl Preconditioner {
    /// Blocks of `block` consecutive dofs; the last may be shorter.
    pub fn block_jacobi(matrix: &SymmetricMatrix, block: usize) -> Result<Self, AlgebraError> {
        let block = block.max(1);
        let mut out = BlockJacobi { size: matrix.size(), block, inverses: vec![] };
        out.update(matrix)?;
        Ok(Self::BlockJacobi(out))
    }

    /// Incomplete factor on the pattern of the matrix.
    pub fn incomplete_cholesky(matrix: &SymmetricMatrix) -> Result<Self, AlgebraError> {
        let mut out = IncompleteCholesky {
            pattern: matrix.pattern().clone(),
            factor: vec![0.0; matrix.values().len()],
            shift: 0.0,
        };
        out.update(matrix)?;
        Ok(Self::IncompleteCholesky(out))
    }

    /// Number of unknowns.
    pub fn size(&self) -> usize {
        match self {
            Self::BlockJacobi(p) => p.size,
            Self::IncompleteCholesky(p) => p.pattern.size(),
        }
    }

    /// New values, on the same pattern.
    pub fn update(&mut self, matrix: &SymmetricMatrix) -> Result<(), AlgebraError> {
        check_length("matrix", matrix.size(), self.size())?;
        check_finite("matrix", matrix.values())?;
        match self {
            Self::BlockJacobi(p) => p.update(matrix),
            Self::IncompleteCholesky(p) => p.update(matrix),
        }
    }

    /// z ← P⁻¹ r.
    pub fn apply(&self, r: &[f64], z: &mut [f64]) {
        match self {
            Self::BlockJacobi(p) => p.apply(r, z),
            Self::IncompleteCholesky(p) => p.apply(r, z),
        }
    }
}

/// Inverses of diagonal blocks.
#[derive(Clone, Debug)]
pub struct BlockJacobi {
    size: usize,
    block: usize,
    /// Block after block, rows one after the other.
    inverses: Vec<f64>,
}

impl BlockJacobi {
    fn update(&mut self, matrix: &SymmetricMatrix) -> Result<(), AlgebraError> {
        let b = self.block;
        self.inverses.resize(self.size.div_ceil(b) * b * b, 0.0);
        for (k, inverse) in self.inverses.chunks_exact_mut(b * b).enumerate() {
            let first = k * b;
            let m = b.min(self.size - first);
            inverse.fill(0.0);
            for j in 0..m {
                let start = matrix.pattern().diagonal(first + j);
                for (e, &row) in matrix.pattern().column(first + j).iter().enumerate() {
                    let i = row as usize - first;
                    if i >= m {
                        break;
                    }
                    inverse[i * b + j] = matrix.values()[start + e];
                    inverse[j * b + i] = matrix.values()[start + e];
                }
            }
            let diagonal = |i: usize| matrix.values()[matrix.pattern().diagonal(first + i)];
            invert(inverse, b, m).map_err(|(i, pivot)| AlgebraError::NotPositive {
                dof: first + i,
                pivot,
                diagonal: diagonal(i),
            })?;
        }
        Ok(())
    }

    fn apply(&self, r: &[f64], z: &mut [f64]) {
        let b = self.block;
        for ((r, z), inverse) in r.chunks(b).zip(z.chunks_mut(b)).zip(self.inverses.chunks_exact(b * b)) {
            for (z, row) in z.iter_mut().zip(inverse.chunks_exact(b)) {
                *z = row.iter().zip(r).map(|(a, r)| a * r).sum();
            }
        }
    }
}

/// Gauss–Jordan without pivoting, right for a positive definite block (the first `m` of `b`).
fn invert(a: &mut [f64], b: usize, m: usize) -> Result<(), (usize, f64)> {
    for k in 0..m {
        let pivot = a[k * b + k];
        if !(pivot > 0.0) {
            return Err((k, pivot));
        }
        a[k * b + k] = 1.0;
        (0..m).for_each(|j| a[k * b + j] /= pivot);
        for i in (0..m).filter(|i| *i != k) {
            let factor = a[i * b + k];
            a[i * b + k] = 0.0;
            (0..m).for_each(|j| a[i * b + j] -= factor * a[k * b + j]);
        }
    }
    Ok(())
}

/// L on the pattern of the matrix.
#[derive(Clone, Debug)]
pub struct IncompleteCholesky {
    pattern: Arc<Pattern>,
    factor: Vec<f64>,
    shift: f64,
}

impl IncompleteCholesky {
    /// The share of the diagonal that was added.
    pub fn shift(&self) -> f64 {
        self.shift
    }

    fn update(&mut self, matrix: &SymmetricMatrix) -> Result<(), AlgebraError> {
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

    fn apply(&self, r: &[f64], z: &mut [f64]) {
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
