//! Multifrontal LU of `B W + A`, with `W` block-sparse and `A`, `B` block-diagonal
//!
//! Every Newton-type solver of contact needs exactly this matrix: its graph is
//! the contact graph, fixed for the whole solve, symmetric; its values are not.
//! The analysis (ordering, elimination tree, fronts) runs once on *blocks*, which
//! makes it `D²` times cheaper than on scalars; the numeric phase factorises dense
//! fronts with rows exchanged inside the pivot block only. The products of large
//! fronts go through faer, which selects the instruction set at run time.
//!
//! Departure from a library LU: faer's sparse LU orders columns for an
//! unsymmetric pattern and pays several times the fill on these matrices.

mod dense;
mod symbolic;
mod symmetric;

use super::{BlockMatrix, Matrix, Vector};
use dense::{eliminate, solve_lower, solve_upper};
use std::sync::Arc;
use symbolic::Symbolic;
#[cfg(all(target_arch = "wasm32", feature = "sparse"))]
pub(crate) use symbolic::minimum_degree;
pub use symmetric::Symmetric;

/// The factorisation met a pivot it cannot divide by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("singular or non-finite pivot at block {block}")]
pub struct FactorError {
    /// Row of blocks whose pivot vanished, from 0.
    pub block: usize,
}

/// Ordering and fronts of one pattern, shared by the factorisations that use it.
#[derive(Clone)]
pub struct Analysis(Arc<Symbolic>);

impl Analysis {
    /// Analyses the pattern of `w`.
    pub fn new<const D: usize>(w: &BlockMatrix<D>) -> Self {
        Self(Arc::new(Symbolic::new(w)))
    }

    /// Multiply–add operations of one numeric factorisation with blocks of size `d`.
    pub fn work(&self, d: usize) -> f64 {
        let front = |f: &symbolic::Front| {
            let (k, m) = ((d * f.pivots) as f64, (d * f.rows.len()) as f64);
            k * k * k / 1.5 + 2.0 * k * k * m + k * m * m
        };
        self.0.fronts.iter().map(front).sum()
    }

    /// Entries of the factors, the multiply–add operations of one solve.
    pub fn entries(&self, d: usize) -> f64 {
        let front = |f: &symbolic::Front| {
            let (k, m) = ((d * f.pivots) as f64, (d * f.rows.len()) as f64);
            k * k + 2.0 * k * m
        };
        self.0.fronts.iter().map(front).sum()
    }
}

/// Analysis and storage of the factorisation; reused from one Newton iteration to the next.
pub struct Frontal<const D: usize> {
    symbolic: Arc<Symbolic>,
    /// Per front: pivot block (LU), then L below it, then U to its right.
    factor: Vec<f64>,
    /// Row exchanges inside each pivot block.
    exchange: Vec<u32>,
    front: Vec<f64>,
    stack: Vec<f64>,
    x: Vec<f64>,
    gather: Vec<f64>,
}

impl<const D: usize> Frontal<D> {
    /// Analyses the pattern of `w`.
    pub fn new(w: &BlockMatrix<D>) -> Self {
        Self::with_analysis(&Analysis::new(w))
    }

    /// Storage for matrices of a pattern already analysed.
    pub fn with_analysis(analysis: &Analysis) -> Self {
        let symbolic = analysis.0.clone();
        let mut factor = 0;
        let mut largest = 0;
        for f in &symbolic.fronts {
            let (k, m) = (D * f.pivots, D * f.rows.len());
            factor += k * k + 2 * k * m;
            largest = largest.max(k + m);
        }
        let n = symbolic.order.len();
        Self {
            factor: vec![0.0; factor],
            exchange: vec![0; D * n],
            front: vec![0.0; largest * largest],
            stack: vec![0.0; symbolic.stack * D * D],
            x: vec![0.0; D * n],
            gather: vec![0.0; largest],
            symbolic,
        }
    }

    /// Numeric factorisation of `left·w + add`; `left` absent means the identity.
    pub fn factorise(
        &mut self,
        w: &BlockMatrix<D>,
        left: Option<&[Matrix<D>]>,
        add: &[Matrix<D>],
    ) -> Result<(), FactorError> {
        vectorised(|| self.eliminate(w, left, add))
    }

    #[inline(always)]
    fn eliminate(
        &mut self,
        w: &BlockMatrix<D>,
        left: Option<&[Matrix<D>]>,
        add: &[Matrix<D>],
    ) -> Result<(), FactorError> {
        let (mut at, mut top) = (0, 0);
        for f in &self.symbolic.fronts {
            let (k, m) = (D * f.pivots, D * f.rows.len());
            let size = k + m;
            let front = &mut self.front[..size * size];
            front.fill(0.0);
            let mut put = |i: usize, j: usize, b: Matrix<D>| {
                for c in 0..D {
                    for r in 0..D {
                        front[(j * D + c) * size + i * D + r] += b[(r, c)];
                    }
                }
            };
            for e in &self.symbolic.entries[f.entries.clone()] {
                let (i, b) = (e.row as usize, w.block_at(e.block));
                put(
                    e.to_row as usize,
                    e.to_column as usize,
                    match left {
                        Some(l) => l[i] * b,
                        None => *b,
                    },
                );
            }
            for p in 0..f.pivots {
                let i = self.symbolic.order[f.first + p] as usize;
                let d = w.diagonal(i);
                put(
                    p,
                    p,
                    add[i]
                        + match left {
                            Some(l) => l[i] * d,
                            None => *d,
                        },
                );
            }
            // Children lie on the stack, last one on top.
            for child in f.children.iter().rev() {
                let rows = self.symbolic.fronts[child.front].rows.len();
                let cm = rows * D;
                top -= cm * cm;
                scatter::<D>(&self.stack[top..top + cm * cm], &child.place, front, size);
            }
            let exchange = &mut self.exchange[D * f.first..D * f.first + k];
            eliminate(front, size, k, exchange)
                .map_err(|p| FactorError { block: self.symbolic.order[f.first + p / D] as usize })?;
            let out = &mut self.factor[at..];
            for j in 0..k {
                out[j * size..(j + 1) * size].copy_from_slice(&front[j * size..(j + 1) * size]);
            }
            for j in 0..m {
                let column = &front[(k + j) * size..(k + j + 1) * size];
                out[k * size + j * k..k * size + (j + 1) * k].copy_from_slice(&column[..k]);
                self.stack[top + j * m..top + (j + 1) * m].copy_from_slice(&column[k..]);
            }
            at += k * size + k * m;
            top += m * m;
        }
        Ok(())
    }

    /// Solves with the last factorisation, in place.
    pub fn solve(&mut self, x: &mut [Vector<D>]) {
        vectorised(|| self.substitute(x));
    }

    #[inline(always)]
    fn substitute(&mut self, x: &mut [Vector<D>]) {
        for (p, &i) in self.symbolic.order.iter().enumerate() {
            self.x[D * p..D * p + D].copy_from_slice(x[i as usize].as_slice());
        }
        let mut at = 0;
        for f in &self.symbolic.fronts {
            let (k, m) = (D * f.pivots, D * f.rows.len());
            let (lower, rest) = (&self.factor[at..at + k * (k + m)], k * m);
            let below = &mut self.gather[..m];
            below.fill(0.0);
            let (head, tail) = self.x.split_at_mut(D * f.first + k);
            solve_lower(lower, k + m, k, &self.exchange[D * f.first..D * f.first + k], &mut head[D * f.first..], below);
            for (r, &row) in f.rows.iter().enumerate() {
                let to = D * row as usize - (D * f.first + k);
                for c in 0..D {
                    tail[to + c] -= below[D * r + c];
                }
            }
            at += k * (k + m) + rest;
        }
        for f in self.symbolic.fronts.iter().rev() {
            let (k, m) = (D * f.pivots, D * f.rows.len());
            at -= k * (k + m) + k * m;
            let right = &mut self.gather[..m];
            for (r, &row) in f.rows.iter().enumerate() {
                right[D * r..D * r + D].copy_from_slice(&self.x[D * row as usize..D * row as usize + D]);
            }
            let part = &self.factor[at..at + k * (k + m) + k * m];
            solve_upper(part, k + m, k, right, &mut self.x[D * f.first..D * f.first + k]);
        }
        for (p, &i) in self.symbolic.order.iter().enumerate() {
            x[i as usize].as_mut_slice().copy_from_slice(&self.x[D * p..D * p + D]);
        }
    }
}

/// Does the work with the widest vectors of this processor. What is inlined into it is compiled for each kind; the order of
/// operations, and so every bit, is the same.
#[inline(always)]
fn vectorised<R>(work: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(work)
}

/// Adds a child's update matrix into its parent's front; `place` gives block positions.
#[inline(always)]
fn scatter<const D: usize>(update: &[f64], place: &[u32], front: &mut [f64], size: usize) {
    let m = place.len() * D;
    for (bj, &pj) in place.iter().enumerate() {
        for c in 0..D {
            let from = &update[(bj * D + c) * m..(bj * D + c + 1) * m];
            let to = &mut front[(pj as usize * D + c) * size..(pj as usize * D + c + 1) * size];
            for (bi, &pi) in place.iter().enumerate() {
                let (a, b) = (bi * D, pi as usize * D);
                for r in 0..D {
                    to[b + r] += from[a + r];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng, rngs::StdRng};

    /// Reference: the product with a known solution on a random unsymmetric
    /// matrix whose graph (a grid with long edges) makes fronts of many sizes.
    #[test]
    fn factor_and_solve_recover_a_known_solution() {
        let mut rng = StdRng::seed_from_u64(7);
        for n in [1usize, 2, 5, 40, 300] {
            let mut t = vec![];
            let mut random = || Matrix::<3>::from_fn(|_, _| rng.random_range(-1.0..1.0));
            for i in 0..n {
                for j in [i + 1, i + 17, (i * 7 + 3) % n] {
                    if j < n && j != i {
                        t.push((i as u32, j as u32, random()));
                        t.push((j as u32, i as u32, random()));
                    }
                }
            }
            let w = BlockMatrix::from_triplets(n, &mut t);
            let left: Vec<_> = (0..n).map(|_| random()).collect();
            let add: Vec<_> = (0..n).map(|_| random() + 6.0 * Matrix::identity()).collect();
            let x: Vec<_> = (0..n).map(|_| Vector::<3>::from_fn(|_, _| rng.random_range(-1.0..1.0))).collect();
            let mut y = vec![Vector::zeros(); n];
            w.apply(&x, &vec![Vector::zeros(); n], &mut y);
            for i in 0..n {
                y[i] = left[i] * y[i] + add[i] * x[i];
            }
            let mut lu = Frontal::new(&w);
            for _ in 0..2 {
                lu.factorise(&w, Some(&left), &add).expect("regular");
            }
            lu.solve(&mut y);
            for i in 0..n {
                assert!((y[i] - x[i]).norm() < 1e-10, "n = {n}, block {i}: {:e}", (y[i] - x[i]).norm());
            }
        }
    }

    #[test]
    fn singular_pivot_is_reported() {
        let w = BlockMatrix::<2>::from_triplets(2, &mut [(0, 1, Matrix::identity()), (1, 0, Matrix::identity())]);
        let mut lu = Frontal::new(&w);
        assert!(lu.factorise(&w, None, &[Matrix::zeros(), Matrix::from_element(f64::NAN)]).is_err());
    }
}
