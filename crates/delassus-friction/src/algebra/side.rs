//! Contacts seen from the bodies: `H v`, `Hᵀ x`, `Hᵀ J H`
//!
//! A row of `H` lies side by side, so that what it adds to a body is done with the vectors of the processor. The functions are
//! inlined into [`vectorised`] work of their callers; the order of operations, and so every bit, is the same for vectors of any
//! width.

use delassus_algebra::{BlockMatrix, Matrix, Vector};
use nalgebra::SMatrix;

/// No body.
const NONE: u32 = u32::MAX;

/// One contact: its bodies, blocks of `H`, and where their products go.
#[derive(Clone)]
pub struct ContactRows<const D: usize, const N: usize> {
    body: [u32; 2],
    /// By rows.
    h: [[[f64; N]; D]; 2],
    /// Storage of the blocks (a, b) and (b, a).
    pair: [u32; 2],
}

impl<const D: usize, const N: usize> ContactRows<D, N> {
    /// With the storage of its products in `k`, which has a block for every pair of bodies in contact.
    pub fn new(body: [Option<u32>; 2], h: &[SMatrix<f64, D, N>; 2], k: &BlockMatrix<N>) -> Self {
        let pair = if let [Some(a), Some(b)] = body {
            let at = |i: u32, j: u32| k.position(i as usize, j).expect("the graph holds every pair") as u32;
            [at(a, b), at(b, a)]
        } else {
            [0; 2]
        };
        let by_rows = |h: &SMatrix<f64, D, N>| std::array::from_fn(|d| std::array::from_fn(|n| h[(d, n)]));
        Self { body: body.map(|b| b.unwrap_or(NONE)), h: [by_rows(&h[0]), by_rows(&h[1])], pair }
    }

    /// Whether it touches a body.
    pub fn touches(&self, body: usize) -> bool {
        self.body.contains(&(body as u32))
    }

    /// `H v`.
    #[inline(always)]
    pub fn times(&self, v: &[Vector<N>]) -> Vector<D> {
        let mut u = Vector::zeros();
        for s in 0..2 {
            if self.body[s] != NONE {
                let v = &v[self.body[s] as usize];
                for d in 0..D {
                    let mut sum = 0.0;
                    for n in 0..N {
                        sum += self.h[s][d][n] * v[n];
                    }
                    u[d] += sum;
                }
            }
        }
        u
    }

    /// `v ← v + Hᵀ x`.
    #[inline(always)]
    pub fn push(&self, x: &Vector<D>, v: &mut [Vector<N>]) {
        for s in 0..2 {
            if self.body[s] != NONE {
                let v = &mut v[self.body[s] as usize];
                let mut sum = [0.0; N];
                for d in 0..D {
                    for n in 0..N {
                        sum[n] += self.h[s][d][n] * x[d];
                    }
                }
                for n in 0..N {
                    v[n] += sum[n];
                }
            }
        }
    }

    /// `k ← k + Hᵀ J H`.
    #[inline(always)]
    pub fn add_product(&self, j: &Matrix<D>, k: &mut BlockMatrix<N>) {
        for s in 0..2 {
            if self.body[s] == NONE {
                continue;
            }
            let mut weighted = [[0.0; N]; D];
            for d in 0..D {
                for e in 0..D {
                    for n in 0..N {
                        weighted[d][n] += j[(d, e)] * self.h[s][e][n];
                    }
                }
            }
            add(&self.h[s], &weighted, k.diagonal_mut(self.body[s] as usize));
            if self.body[1 - s] != NONE {
                // Of the other body with this one: (b, a) for the first.
                add(&self.h[1 - s], &weighted, k.block_at_mut(self.pair[1 - s] as usize));
            }
        }
    }
}

/// `m ← m + aᵀ b`.
#[inline(always)]
fn add<const D: usize, const N: usize>(a: &[[f64; N]; D], b: &[[f64; N]; D], m: &mut Matrix<N>) {
    for c in 0..N {
        let mut column = [0.0; N];
        for d in 0..D {
            for r in 0..N {
                column[r] += a[d][r] * b[d][c];
            }
        }
        for r in 0..N {
            m[(r, c)] += column[r];
        }
    }
}

/// Does the work with the widest vectors of this processor: what is inlined into it is compiled for each kind.
#[inline(always)]
pub fn vectorised<R>(work: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(work)
}
