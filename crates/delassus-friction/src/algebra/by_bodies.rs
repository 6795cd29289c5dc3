//! `(H Hᵀ + B)⁻¹` by bodies: `B⁻¹ − B⁻¹ H (1 + Hᵀ B⁻¹ H)⁻¹ Hᵀ B⁻¹`
//!
//! `H` has one `D × N` block per contact and body, `B` is block-diagonal by contacts and
//! invertible. The matrix that is factorised has one `N × N` block per body and one per
//! pair of bodies in contact, however many contacts they share.

use super::side::{ContactRows, vectorised};
use delassus_algebra::{Analysis, BlockMatrix, FactorError, Frontal, Matrix, Vector};
use nalgebra::SMatrix;

/// Most steps of iterative refinement.
const REFINEMENTS: usize = 3;

/// Analysis, factors and scratch.
pub struct ByBodies<const D: usize, const N: usize> {
    rows: Vec<ContactRows<D, N>>,
    inverse: Vec<Matrix<D>>,
    k: BlockMatrix<N>,
    add: Vec<Matrix<N>>,
    lu: Frontal<N>,
    v: Vec<Vector<N>>,
    right: Vec<Vector<D>>,
    residual: Vec<Vector<D>>,
}

/// The bodies of each contact: the pattern alone.
pub type Pattern<'a> = &'a mut dyn Iterator<Item = [Option<u32>; 2]>;

/// Zero blocks where two bodies meet.
pub fn graph<const N: usize>(bodies: usize, contacts: Pattern) -> BlockMatrix<N> {
    let mut pairs: Vec<(u32, u32)> = vec![];
    for body in contacts {
        if let [Some(a), Some(b)] = body {
            pairs.extend([(a, b), (b, a)]);
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    let mut triplets: Vec<_> = pairs.into_iter().map(|(a, b)| (a, b, Matrix::<N>::zeros())).collect();
    BlockMatrix::from_triplets(bodies, &mut triplets)
}

impl<const D: usize, const N: usize> ByBodies<D, N> {
    /// `rows` yields the bodies of each contact with their blocks of `H`; `analysis` is that
    /// of [`graph`] on the same contacts.
    pub fn new(
        bodies: usize,
        rows: impl Iterator<Item = ([Option<u32>; 2], [SMatrix<f64, D, N>; 2])>,
        analysis: &Analysis,
    ) -> Self {
        let given: Vec<_> = rows.collect();
        let k = graph(bodies, &mut given.iter().map(|(body, _)| *body));
        let rows: Vec<_> = given.iter().map(|(body, h)| ContactRows::new(*body, h, &k)).collect();
        let n = rows.len();
        Self {
            inverse: vec![Matrix::zeros(); n],
            add: vec![Matrix::identity(); bodies],
            lu: Frontal::with_analysis(analysis),
            v: vec![Vector::zeros(); bodies],
            right: vec![Vector::zeros(); n],
            residual: vec![Vector::zeros(); n],
            rows,
            k,
        }
    }

    /// Factorises with `b` as `B`. The error names a contact whose block is singular, or a
    /// contact of the body whose pivot is.
    pub fn factorise(&mut self, b: &[Matrix<D>]) -> Result<(), FactorError> {
        vectorised(|| {
            for (i, b) in b.iter().enumerate() {
                self.inverse[i] = invert(b).ok_or(FactorError { block: i })?;
            }
            Ok(())
        })?;
        self.assemble()
    }

    /// Factorises with the inverse of `B` given: zeros hold a component of `x` at zero.
    pub fn factorise_inverse(&mut self, inverse: &[Matrix<D>]) -> Result<(), FactorError> {
        self.inverse.copy_from_slice(inverse);
        self.assemble()
    }

    fn assemble(&mut self) -> Result<(), FactorError> {
        vectorised(|| {
            self.k.fill(0.0);
            for (row, inverse) in self.rows.iter().zip(&self.inverse) {
                row.add_product(inverse, &mut self.k);
            }
        });
        self.lu
            .factorise(&self.k, None, &self.add)
            .map_err(|e| FactorError { block: self.rows.iter().position(|r| r.touches(e.block)).unwrap_or(0) })
    }

    /// Solves with the last factorisation, in place, refined until the relative residual is `exact`; `b` is the matrix that
    /// was factorised.
    pub fn solve(&mut self, b: &[Matrix<D>], x: &mut [Vector<D>], exact: f64) {
        self.refine(Some(b), x, REFINEMENTS, exact);
    }

    /// Solves `H Hᵀ x = right` in place, `B` being a small proximal term of each of `most`
    /// refinements. `H Hᵀ` may be singular, the system must be consistent. Returns the norm
    /// of what is left.
    pub fn solve_range(&mut self, x: &mut [Vector<D>], most: usize) -> f64 {
        self.refine(None, x, most, 0.0)
    }

    fn refine(&mut self, b: Option<&[Matrix<D>]>, x: &mut [Vector<D>], most: usize, exact: f64) -> f64 {
        vectorised(|| self.refined(b, x, most, exact))
    }

    #[inline(always)]
    fn refined(&mut self, b: Option<&[Matrix<D>]>, x: &mut [Vector<D>], most: usize, exact: f64) -> f64 {
        self.right.copy_from_slice(x);
        self.residual.copy_from_slice(x);
        let mut least = f64::INFINITY;
        let scale = norm(x);
        x.fill(Vector::zeros());
        for _ in 0..=most {
            self.once();
            for (x, d) in x.iter_mut().zip(&self.residual) {
                *x += d;
            }
            let error = self.measure(b, x);
            let enough = error <= exact * scale || !(error < 0.5 * least);
            least = least.min(error);
            if enough {
                break;
            }
        }
        least
    }

    /// `residual ← (H Hᵀ + B)⁻¹ residual`, once.
    #[inline(always)]
    fn once(&mut self) {
        self.v.fill(Vector::zeros());
        for (i, row) in self.rows.iter().enumerate() {
            let x = times(&self.inverse[i], &self.residual[i]);
            self.residual[i] = x;
            row.push(&x, &mut self.v);
        }
        self.lu.solve(&mut self.v);
        for (i, row) in self.rows.iter().enumerate() {
            self.residual[i] -= times(&self.inverse[i], &row.times(&self.v));
        }
    }

    /// `residual ← right − (H Hᵀ + B) x`, without `B` where none is given; returns its norm.
    #[inline(always)]
    fn measure(&mut self, b: Option<&[Matrix<D>]>, x: &[Vector<D>]) -> f64 {
        self.v.fill(Vector::zeros());
        for (row, x) in self.rows.iter().zip(x) {
            row.push(x, &mut self.v);
        }
        for (i, row) in self.rows.iter().enumerate() {
            let own = b.map_or_else(Vector::zeros, |b| times(&b[i], &x[i]));
            self.residual[i] = self.right[i] - (own + row.times(&self.v));
        }
        norm(&self.residual)
    }
}

/// `a x`.
#[inline(always)]
fn times<const D: usize>(a: &Matrix<D>, x: &Vector<D>) -> Vector<D> {
    let mut y = Vector::zeros();
    for c in 0..D {
        for r in 0..D {
            y[r] += a[(r, c)] * x[c];
        }
    }
    y
}

fn norm<const D: usize>(x: &[Vector<D>]) -> f64 {
    x.iter().map(|x| x.norm_squared()).sum::<f64>().sqrt()
}

/// Gauss–Jordan with partial pivoting: blocks of any scale are inverted, only exact zeros
/// and non-finite pivots are refused. Closed forms lose the last digits that interior points need at 1e-10.
#[inline(always)]
fn invert<const D: usize>(a: &Matrix<D>) -> Option<Matrix<D>> {
    let (mut a, mut x) = (*a, Matrix::<D>::identity());
    for k in 0..D {
        let p = (k..D).max_by(|i, j| a[(*i, k)].abs().total_cmp(&a[(*j, k)].abs()))?;
        a.swap_rows(p, k);
        x.swap_rows(p, k);
        let pivot = 1.0 / a[(k, k)];
        if !pivot.is_finite() {
            return None;
        }
        for j in 0..D {
            a[(k, j)] *= pivot;
            x[(k, j)] *= pivot;
        }
        for i in (0..D).filter(|i| *i != k) {
            let f = a[(i, k)];
            for j in 0..D {
                a[(i, j)] -= f * a[(k, j)];
                x[(i, j)] -= f * x[(k, j)];
            }
        }
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng, rngs::StdRng};

    /// Reference: the elimination by contacts of the same matrix. `B` spans eight decades,
    /// as in the last iterations of an interior point, and is not symmetric.
    #[test]
    fn agrees_with_the_elimination_by_contacts() {
        let mut rng = StdRng::seed_from_u64(5);
        let (bodies, n) = (30, 150);
        let mut draw = |scale: f64| rng.random_range(-1.0..1.0) * scale;
        let mut rows = vec![];
        for i in 0..n {
            let a = (i * 7 % bodies) as u32;
            let b = (i % 11 != 0).then_some((a + 1 + (i % 3) as u32) % bodies as u32);
            rows.push(([Some(a), b], [0; 2].map(|_| SMatrix::<f64, 3, 6>::from_fn(|_, _| draw(1.0)))));
        }
        let mut triplets = vec![];
        for (i, (bi, hi)) in rows.iter().enumerate() {
            for (j, (bj, hj)) in rows.iter().enumerate() {
                for s in 0..2 {
                    for t in 0..2 {
                        if bi[s].is_some() && bi[s] == bj[t] {
                            triplets.push((i as u32, j as u32, hi[s] * hj[t].transpose()));
                        }
                    }
                }
            }
        }
        let w = BlockMatrix::from_triplets(n, &mut triplets);
        let add: Vec<_> = (0..n)
            .map(|i| {
                let size = 10f64.powi(i as i32 % 9 - 6);
                Matrix::<3>::from_fn(|r, c| if r == c { size } else { draw(0.3 * size) })
            })
            .collect();
        let x: Vec<_> = (0..n).map(|_| Vector::<3>::from_fn(|_, _| draw(1.0))).collect();
        let mut y = vec![Vector::zeros(); n];
        w.apply(&x, &vec![Vector::zeros(); n], &mut y);
        y.iter_mut().zip(&add).zip(&x).for_each(|((y, b), x)| *y += b * x);
        let graph = graph::<6>(bodies, &mut rows.iter().map(|r| r.0));
        let mut by_bodies = ByBodies::new(bodies, rows.into_iter(), &Analysis::new(&graph));
        by_bodies.factorise(&add).expect("regular");
        let mut got = y.clone();
        by_bodies.solve(&add, &mut got, 0.0);
        let mut lu = Frontal::new(&w);
        lu.factorise(&w, None, &add).expect("regular");
        lu.solve(&mut y);
        for i in 0..n {
            // Both are as far from x as the condition of the matrix, about 1e8, allows.
            assert!((y[i] - x[i]).norm() < 1e-7 && (got[i] - x[i]).norm() < 1e-7, "{i}: {}", got[i] - x[i]);
        }
    }

    #[test]
    fn a_singular_block_is_named() {
        let graph = graph::<3>(1, &mut [[Some(0), None]].into_iter());
        let rows = [([Some(0), None], [SMatrix::<f64, 2, 3>::identity(); 2])];
        let mut by_bodies = ByBodies::new(1, rows.into_iter(), &Analysis::new(&graph));
        assert_eq!(by_bodies.factorise(&[Matrix::zeros()]), Err(FactorError { block: 0 }));
    }
}
