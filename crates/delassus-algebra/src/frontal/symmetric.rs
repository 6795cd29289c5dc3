//! Multifrontal Cholesky of `W + A`, symmetric and positive definite: half of the work and of the memory of the LU
//!
//! ```text
//!     L Lᵀ = W + A,        only lower triangles are read, kept and updated
//! ```

use super::symbolic::Symbolic;
use super::{Analysis, FactorError};
use crate::{BlockMatrix, Matrix, Vector};
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, MatMut, Par};
use std::sync::Arc;

/// Columns eliminated one by one: narrower than those of the LU, whose panels have rows to finish as well.
const PANEL: usize = 4;
/// Columns eliminated between two updates of the rest of the front.
const WIDE: usize = 32;
/// Partial sums of a scalar product, which the processor adds side by side.
const LANES: usize = 8;

/// Factor of symmetric matrices of one pattern; reused from one to the next.
pub struct Symmetric<const D: usize> {
    symbolic: Arc<Symbolic>,
    /// Per front: its pivot columns, pivot block and what is below it.
    factor: Vec<f64>,
    front: Vec<f64>,
    stack: Vec<f64>,
    x: Vec<f64>,
    gather: Vec<f64>,
}

impl<const D: usize> Symmetric<D> {
    /// Storage for matrices of a pattern already analysed.
    pub fn with_analysis(analysis: &Analysis) -> Self {
        let symbolic = analysis.0.clone();
        let (mut factor, mut largest) = (0, 0);
        for f in &symbolic.fronts {
            let (k, m) = (D * f.pivots, D * f.rows.len());
            factor += k * (k + m);
            largest = largest.max(k + m);
        }
        Self {
            factor: vec![0.0; factor],
            front: vec![0.0; largest * largest],
            stack: vec![0.0; symbolic.stack * D * D],
            x: vec![0.0; D * symbolic.order.len()],
            gather: vec![0.0; largest],
            symbolic,
        }
    }

    /// Numeric factorisation of `w + add`, of which one triangle is read.
    ///
    /// # Errors
    /// A pivot that is not positive.
    pub fn factorise(&mut self, w: &BlockMatrix<D>, add: &[Matrix<D>]) -> Result<(), FactorError> {
        let (mut at, mut top) = (0, 0);
        for f in &self.symbolic.fronts {
            let (k, m) = (D * f.pivots, D * f.rows.len());
            let size = k + m;
            let front = &mut self.front[..size * size];
            front.fill(0.0);
            let mut put = |i: usize, j: usize, b: &Matrix<D>| {
                for c in 0..D {
                    for r in 0..D {
                        front[(j * D + c) * size + i * D + r] += b[(r, c)];
                    }
                }
            };
            for e in self.symbolic.entries[f.entries.clone()].iter().filter(|e| e.to_row > e.to_column) {
                put(e.to_row as usize, e.to_column as usize, w.block_at(e.block));
            }
            for p in 0..f.pivots {
                let i = self.symbolic.order[f.first + p] as usize;
                put(p, p, &(add[i] + w.diagonal(i)));
            }
            // Children lie on the stack, last one on top.
            for child in f.children.iter().rev() {
                let rows = D * self.symbolic.fronts[child.front].rows.len();
                top -= rows * rows;
                scatter::<D>(&self.stack[top..top + rows * rows], &child.place, front, size);
            }
            eliminate(front, size, k)
                .map_err(|p| FactorError { block: self.symbolic.order[f.first + p / D] as usize })?;
            self.factor[at..at + k * size].copy_from_slice(&front[..k * size]);
            for j in 0..m {
                let column = &front[(k + j) * size + k + j..(k + j + 1) * size];
                self.stack[top + j * m + j..top + (j + 1) * m].copy_from_slice(column);
            }
            at += k * size;
            top += m * m;
        }
        Ok(())
    }

    /// Solves with the last factorisation, in place.
    pub fn solve(&mut self, x: &mut [Vector<D>]) {
        for (p, &i) in self.symbolic.order.iter().enumerate() {
            self.x[D * p..D * p + D].copy_from_slice(x[i as usize].as_slice());
        }
        let mut at = 0;
        for f in &self.symbolic.fronts {
            let (k, m) = (D * f.pivots, D * f.rows.len());
            let below = &mut self.gather[..m];
            below.fill(0.0);
            let (head, tail) = self.x.split_at_mut(D * f.first + k);
            solve_lower(&self.factor[at..at + k * (k + m)], &mut head[D * f.first..], below);
            for (r, &row) in f.rows.iter().enumerate() {
                let to = D * row as usize - (D * f.first + k);
                (0..D).for_each(|c| tail[to + c] -= below[D * r + c]);
            }
            at += k * (k + m);
        }
        for f in self.symbolic.fronts.iter().rev() {
            let (k, m) = (D * f.pivots, D * f.rows.len());
            at -= k * (k + m);
            let right = &mut self.gather[..m];
            for (r, &row) in f.rows.iter().enumerate() {
                right[D * r..D * r + D].copy_from_slice(&self.x[D * row as usize..D * row as usize + D]);
            }
            solve_upper(&self.factor[at..at + k * (k + m)], right, &mut self.x[D * f.first..D * f.first + k]);
        }
        for (p, &i) in self.symbolic.order.iter().enumerate() {
            x[i as usize].as_mut_slice().copy_from_slice(&self.x[D * p..D * p + D]);
        }
    }
}

/// Adds the lower triangle of a child's update into its parent's front; `place` gives block positions, increasing.
fn scatter<const D: usize>(update: &[f64], place: &[u32], front: &mut [f64], size: usize) {
    let m = place.len() * D;
    for (bj, &pj) in place.iter().enumerate() {
        for c in 0..D {
            let from = &update[(bj * D + c) * m..(bj * D + c + 1) * m];
            let to = &mut front[(pj as usize * D + c) * size..(pj as usize * D + c + 1) * size];
            for (bi, &pi) in place.iter().enumerate().skip(bj) {
                let (a, b) = (bi * D, pi as usize * D);
                (0..D).for_each(|r| to[b + r] += from[a + r]);
            }
        }
    }
}

/// Eliminates the first `k` columns of a `size × size` front; on failure the column of the bad pivot. Narrow panels
/// bring the rest of a wide one up to date, wide ones the rest of the front, which is read and written less often.
fn eliminate(front: &mut [f64], size: usize, k: usize) -> Result<(), usize> {
    let mut start = 0;
    while start < k {
        let end = (start + WIDE).min(k);
        let mut from = start;
        while from < end {
            let to = (from + PANEL).min(end);
            panel(front, size, from, to)?;
            update(front, size, [from, to], end);
            from = to;
        }
        update(front, size, [start, end], size);
        start = end;
    }
    Ok(())
}

/// Takes what columns `from..to` bring to columns `to..end`, on and below the diagonal.
fn update(front: &mut [f64], size: usize, [from, to]: [usize; 2], end: usize) {
    if to == end {
        return;
    }
    let a = MatMut::from_column_major_slice_mut(front, size, size);
    let (_, right) = a.split_at_col_mut(from);
    let (done, right) = right.split_at_col_mut(to - from);
    let (rest, _) = right.split_at_col_mut(end - to);
    let (_, lower) = done.split_at_row_mut(to);
    let (_, rest) = rest.split_at_row_mut(to);
    let (triangle, below) = rest.split_at_row_mut(end - to);
    let (top, bottom) = lower.as_ref().split_at_row(end - to);
    let (half, full) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
    matmul(triangle, half, Accum::Add, top, full, top.transpose(), full, -1.0, Par::Seq);
    if end < size {
        matmul(below, full, Accum::Add, bottom, full, top.transpose(), full, -1.0, Par::Seq);
    }
}

/// Eliminates columns `start..end`.
fn panel(a: &mut [f64], size: usize, start: usize, end: usize) -> Result<(), usize> {
    for j in start..end {
        let (left, right) = a.split_at_mut((j + 1) * size);
        let column = &mut left[j * size + j..];
        let pivot = column[0];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return Err(j);
        }
        let inverse = 1.0 / pivot.sqrt();
        column.iter_mut().for_each(|v| *v *= inverse);
        let column = &left[j * size..];
        for (i, c) in (j + 1..end).zip(right.chunks_exact_mut(size)) {
            let f = column[i];
            for (x, l) in c[i..].iter_mut().zip(&column[i..]) {
                *x -= f * l;
            }
        }
    }
    Ok(())
}

/// `x ← L₁₁⁻¹ x`, `below ← L₂₁ x`.
fn solve_lower(part: &[f64], x: &mut [f64], below: &mut [f64]) {
    let (k, size) = (x.len(), x.len() + below.len());
    for (j, column) in part.chunks_exact(size).enumerate() {
        let f = x[j] / column[j];
        x[j] = f;
        for (y, l) in x[j + 1..].iter_mut().zip(&column[j + 1..k]) {
            *y -= f * l;
        }
        for (y, l) in below.iter_mut().zip(&column[k..]) {
            *y += f * l;
        }
    }
}

/// `x ← L₁₁⁻ᵀ (x − L₂₁ᵀ right)`.
fn solve_upper(part: &[f64], right: &[f64], x: &mut [f64]) {
    let (k, size) = (x.len(), x.len() + right.len());
    for (j, column) in part.chunks_exact(size).enumerate().rev() {
        let sum = x[j] - dot(&x[j + 1..], &column[j + 1..k]) - dot(right, &column[k..]);
        x[j] = sum / column[j];
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a, rest_a) = a.as_chunks::<LANES>();
    let (b, rest_b) = b.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        (0..LANES).for_each(|k| sums[k] += a[k] * b[k]);
    }
    let rest: f64 = rest_a.iter().zip(rest_b).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Frontal;
    use rand::{Rng, SeedableRng, rngs::StdRng};

    /// Reference: the LU on the same matrices, `BᵀB + 1` over graphs that make fronts of many sizes; a matrix that is
    /// not positive is refused at a block.
    #[test]
    fn solves_as_the_lu_does() {
        let mut rng = StdRng::seed_from_u64(11);
        for n in [1usize, 2, 7, 60, 400] {
            let mut lists: Vec<(u32, u32, Matrix<3>)> = vec![];
            let mut add = vec![Matrix::<3>::identity(); n];
            for i in 0..n {
                for j in [i + 1, i + 19, (i * 7 + 3) % n] {
                    if j < n && j != i {
                        let [a, b] = [0, 1].map(|_| Matrix::<3>::from_fn(|_, _| rng.random_range(-1.0..1.0)));
                        lists
                            .extend([(i as u32, j as u32, a.transpose() * b), (j as u32, i as u32, b.transpose() * a)]);
                        add[i] += a.transpose() * a;
                        add[j] += b.transpose() * b;
                    }
                }
            }
            let w = BlockMatrix::from_triplets(n, &mut lists);
            let b: Vec<_> = (0..n).map(|_| Vector::<3>::from_fn(|_, _| rng.random_range(-1.0..1.0))).collect();
            let (mut x, mut y) = (b.clone(), b);
            let analysis = Analysis::new(&w);
            let mut lu = Frontal::with_analysis(&analysis);
            lu.factorise(&w, None, &add).expect("regular");
            lu.solve(&mut x);
            let mut factor = Symmetric::with_analysis(&analysis);
            for _ in 0..2 {
                factor.factorise(&w, &add).expect("positive");
            }
            factor.solve(&mut y);
            let size = x.iter().map(|v| v.norm()).fold(0.0, f64::max);
            assert!((0..n).all(|i| (x[i] - y[i]).norm() < 1e-11 * size), "n = {n}");
            add[n / 2] -= Matrix::identity() * 100.0;
            assert!(factor.factorise(&w, &add).is_err());
        }
    }
}
