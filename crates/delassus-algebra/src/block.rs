//! Block-sparse square matrix, laid out for Gauss–Seidel sweeps: the diagonal
//! blocks apart, the others row by row. Memory is proportional to the blocks.

use super::{Matrix, Vector};

/// A square matrix of `D × D` blocks in compressed rows, diagonal stored apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockMatrix<const D: usize> {
    diagonal: Vec<Matrix<D>>,
    row_start: Vec<usize>,
    column: Vec<u32>,
    block: Vec<Matrix<D>>,
}

impl<const D: usize> BlockMatrix<D> {
    /// Builds from block triplets `(row, column, block)`; duplicates are added.
    ///
    /// Rows and columns must be below `n`: validated by the callers that take
    /// user input.
    pub fn from_triplets(n: usize, triplets: &mut [(u32, u32, Matrix<D>)]) -> Self {
        triplets.sort_by_key(|t| (t.0, t.1));
        let mut diagonal = vec![Matrix::zeros(); n];
        let mut row_start = vec![0; n + 1];
        let mut column: Vec<u32> = Vec::with_capacity(triplets.len());
        let mut block: Vec<Matrix<D>> = Vec::with_capacity(triplets.len());
        let mut last = None;
        for &(i, j, b) in triplets.iter() {
            if i == j {
                diagonal[i as usize] += b;
            } else if last == Some((i, j)) {
                *block.last_mut().expect("the last triplet was pushed") += b;
            } else {
                column.push(j);
                block.push(b);
                row_start[i as usize + 1] += 1;
                last = Some((i, j));
            }
        }
        for i in 0..n {
            row_start[i + 1] += row_start[i];
        }
        Self { diagonal, row_start, column, block }
    }

    /// Builds from a scalar compressed-row matrix of size `D·n`.
    pub fn from_csr(n: usize, row_start: &[usize], column: &[usize], value: &[f64]) -> Self {
        let mut triplets: Vec<(u32, u32, Matrix<D>)> = Vec::new();
        let mut place = vec![usize::MAX; n];
        for i in 0..n {
            let first = triplets.len();
            for r in 0..D {
                for k in row_start[D * i + r]..row_start[D * i + r + 1] {
                    let (j, c) = (column[k] / D, column[k] % D);
                    if place[j] == usize::MAX || place[j] < first {
                        place[j] = triplets.len();
                        triplets.push((i as u32, j as u32, Matrix::zeros()));
                    }
                    triplets[place[j]].2[(r, c)] += value[k];
                }
            }
            for t in &triplets[first..] {
                place[t.1 as usize] = usize::MAX;
            }
        }
        Self::from_triplets(n, &mut triplets)
    }

    /// Empties the matrix and keeps its memory, for [`Self::begin_row`].
    pub fn clear(&mut self) {
        self.diagonal.clear();
        self.row_start.clear();
        self.row_start.push(0);
        self.column.clear();
        self.block.clear();
    }

    /// Appends a row with its diagonal block; [`Self::push`] adds the others.
    pub fn begin_row(&mut self, diagonal: Matrix<D>) {
        self.diagonal.push(diagonal);
        self.row_start.push(self.column.len());
    }

    /// Adds a block to the last row begun. Columns must increase along the row.
    #[inline]
    pub fn push(&mut self, column: u32, block: Matrix<D>) {
        self.column.push(column);
        self.block.push(block);
        if let Some(end) = self.row_start.last_mut() {
            *end += 1;
        }
    }

    /// Number of block rows.
    pub fn len(&self) -> usize {
        self.diagonal.len()
    }

    /// True when there is no row.
    pub fn is_empty(&self) -> bool {
        self.diagonal.is_empty()
    }

    /// Number of stored blocks, diagonal included.
    pub fn blocks(&self) -> usize {
        self.diagonal.len() + self.block.len()
    }

    /// The diagonal block of row `i`.
    pub fn diagonal(&self, i: usize) -> &Matrix<D> {
        &self.diagonal[i]
    }

    /// The diagonal block of row `i`, to be changed.
    pub fn diagonal_mut(&mut self, i: usize) -> &mut Matrix<D> {
        &mut self.diagonal[i]
    }

    /// The off-diagonal blocks of row `i`, by increasing column.
    #[inline]
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, &Matrix<D>)> + '_ {
        let range = self.row_start[i]..self.row_start[i + 1];
        self.column[range.clone()].iter().map(|&j| j as usize).zip(&self.block[range])
    }

    /// The columns of the off-diagonal blocks of row `i`.
    pub fn columns(&self, i: usize) -> &[u32] {
        &self.column[self.row_start[i]..self.row_start[i + 1]]
    }

    /// Storage positions of the off-diagonal blocks of row `i`, for [`Self::block_at`].
    pub(crate) fn block_indices(&self, i: usize) -> std::ops::Range<usize> {
        self.row_start[i]..self.row_start[i + 1]
    }

    /// The off-diagonal block in storage position `k`.
    pub(crate) fn block_at(&self, k: usize) -> &Matrix<D> {
        &self.block[k]
    }

    /// The off-diagonal block in the storage position of [`Self::position`], to be changed.
    pub fn block_at_mut(&mut self, k: usize) -> &mut Matrix<D> {
        &mut self.block[k]
    }

    /// Storage position of the off-diagonal block `(i, j)`, for [`Self::block_at_mut`].
    pub fn position(&self, i: usize, j: u32) -> Option<usize> {
        self.columns(i).binary_search(&j).ok().map(|k| self.row_start[i] + k)
    }

    /// Sets every entry of every stored block.
    pub fn fill(&mut self, value: f64) {
        self.diagonal.iter_mut().chain(&mut self.block).for_each(|b| b.fill(value));
    }

    /// The block `(i, j)` if stored.
    pub fn get(&self, i: usize, j: usize) -> Option<&Matrix<D>> {
        if i == j {
            return Some(&self.diagonal[i]);
        }
        Some(&self.block[self.position(i, j as u32)?])
    }

    /// `Σ_{j≠i} W_ij x_j + y`, the sweep's inner loop.
    #[inline]
    pub fn row_times(&self, i: usize, x: &[Vector<D>], y: Vector<D>) -> Vector<D> {
        let mut y = y;
        for (j, b) in self.row(i) {
            y += b * x[j];
        }
        y
    }

    /// `y ← W x + z`.
    pub fn apply(&self, x: &[Vector<D>], z: &[Vector<D>], y: &mut [Vector<D>]) {
        for i in 0..self.len() {
            y[i] = self.row_times(i, x, z[i] + self.diagonal[i] * x[i]);
        }
    }

    /// Relative asymmetry `‖W − Wᵀ‖_F / ‖W‖_F`; a block whose mirror is absent
    /// counts whole.
    pub fn asymmetry(&self) -> f64 {
        let (mut skew, mut total) = (0.0, 0.0);
        for i in 0..self.len() {
            let d = &self.diagonal[i];
            skew += (d - d.transpose()).norm_squared();
            total += d.norm_squared();
            for (j, b) in self.row(i) {
                total += b.norm_squared();
                skew += match self.get(j, i) {
                    Some(t) => (b - t.transpose()).norm_squared(),
                    None => 2.0 * b.norm_squared(),
                };
            }
        }
        if total > 0.0 { (skew / total).sqrt() } else { 0.0 }
    }

    /// Replaces every block by `f(i, j, block)`, for changes of variables.
    pub fn map(&self, mut f: impl FnMut(usize, usize, &Matrix<D>) -> Matrix<D>) -> Self {
        let mut out = self.clone();
        for i in 0..self.len() {
            out.diagonal[i] = f(i, i, &self.diagonal[i]);
            for k in self.row_start[i]..self.row_start[i + 1] {
                out.block[k] = f(i, self.column[k] as usize, &self.block[k]);
            }
        }
        out
    }

    /// Every entry finite? Otherwise the block row and column of the first that is not.
    pub fn first_non_finite(&self) -> Option<(usize, usize)> {
        (0..self.len()).find_map(|i| {
            if !self.diagonal[i].iter().all(|v| v.is_finite()) {
                return Some((i, i));
            }
            self.row(i).find(|(_, b)| !b.iter().all(|v| v.is_finite())).map(|(j, _)| (i, j))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference: the dense product.
    #[test]
    fn csr_blocks_and_product_agree_with_dense() {
        let dense = [[2.0, 1.0, 0.0, 3.0], [1.0, 2.0, 0.0, 0.0], [0.0, 0.0, 4.0, 0.5], [3.0, 0.0, 0.5, 5.0]];
        let (mut rs, mut c, mut v) = (vec![0], vec![], vec![]);
        for row in dense {
            for (j, x) in row.into_iter().enumerate().filter(|(_, x)| *x != 0.0) {
                c.push(j);
                v.push(x);
            }
            rs.push(c.len());
        }
        let w = BlockMatrix::<2>::from_csr(2, &rs, &c, &v);
        assert_eq!(w.blocks(), 4);
        assert_eq!(w.asymmetry(), 0.0);
        let mut again = BlockMatrix::from_triplets(1, &mut [(0, 0, Matrix::<2>::identity())]);
        again.clear();
        for i in 0..2 {
            again.begin_row(*w.diagonal(i));
            w.row(i).for_each(|(j, b)| again.push(j as u32, *b));
        }
        assert_eq!(again, w);
        let x = [Vector::<2>::new(1.0, 2.0), Vector::<2>::new(-1.0, 3.0)];
        let mut y = [Vector::zeros(); 2];
        w.apply(&x, &[Vector::zeros(); 2], &mut y);
        let flat = [1.0, 2.0, -1.0, 3.0];
        for (i, row) in dense.iter().enumerate() {
            let want: f64 = row.iter().zip(flat).map(|(a, b)| a * b).sum();
            assert_eq!(y[i / 2][i % 2], want);
        }
    }
}
