//! The matrix of one cell, in blocks of nodes

use super::batch::Cell;

/// Blocks `k[a][b]` of D × D.
pub(crate) type Blocks<const D: usize, const N: usize> = [[[[f64; D]; D]; N]; N];

/// Place of zz in the gradients of the plane.
const ZZ: usize = 4;

/// Adds `w Bᵀ A B` of one point; `transposed` is `Aᵀ`, whose rows are contiguous columns of A.
/// `upper` skips the blocks below the diagonal, for symmetric `A`: see [`mirror`].
#[inline]
pub(crate) fn add_point<const D: usize, const M: usize, const N: usize, const Q: usize>(
    k: &mut Blocks<D, N>,
    (cell, hoop): (&Cell<D, N, Q>, Option<&[[f64; Q]; N]>),
    q: usize,
    transposed: &[[f64; M]; M],
    upper: bool,
) {
    let w = cell.weights[q];
    let g: [[f64; D]; N] = std::array::from_fn(|a| std::array::from_fn(|i| cell.gradients[a][i][q]));
    for b in 0..N {
        // Columns of A B for node b, weighted.
        let mut columns = [[0.0; M]; D];
        for j in 0..D {
            for l in 0..D {
                let x = w * g[b][l];
                let row = &transposed[j * D + l];
                for m in 0..M {
                    columns[j][m] += x * row[m];
                }
            }
        }
        if let Some(hoop) = hoop {
            for m in 0..M {
                columns[0][m] += w * hoop[b][q] * transposed[ZZ][m];
            }
        }
        let last = if upper { b + 1 } else { N };
        for a in 0..last {
            for j in 0..D {
                for i in 0..D {
                    let mut sum = 0.0;
                    for l in 0..D {
                        sum += g[a][l] * columns[j][i * D + l];
                    }
                    k[a][b][i][j] += sum;
                }
                if let Some(hoop) = hoop {
                    k[a][b][0][j] += hoop[a][q] * columns[j][ZZ];
                }
            }
        }
    }
}

/// Copies the blocks above the diagonal below it.
pub(crate) fn mirror<const D: usize, const N: usize>(k: &mut Blocks<D, N>) {
    for b in 0..N {
        for a in 0..b {
            for i in 0..D {
                for j in 0..D {
                    k[b][a][j][i] = k[a][b][i][j];
                }
            }
        }
    }
}

/// `Bᵀ x` of one point, added to a vector by nodes.
#[inline]
pub(crate) fn add_vector<const D: usize, const M: usize, const N: usize, const Q: usize>(
    f: &mut [[f64; D]; N],
    (cell, hoop): (&Cell<D, N, Q>, Option<&[[f64; Q]; N]>),
    q: usize,
    x: &[f64; M],
    scale: f64,
) {
    for a in 0..N {
        for i in 0..D {
            let mut sum = 0.0;
            for l in 0..D {
                sum += cell.gradients[a][l][q] * x[i * D + l];
            }
            f[a][i] += scale * sum;
        }
        if let Some(hoop) = hoop {
            f[a][0] += scale * hoop[a][q] * x[ZZ];
        }
    }
}

/// Row-major copy.
#[inline]
pub(crate) fn write<const D: usize, const N: usize>(k: &Blocks<D, N>, out: &mut [f64]) {
    for (a, row) in out[..D * N * D * N].chunks_exact_mut(D * D * N).enumerate() {
        for (i, line) in row.chunks_exact_mut(D * N).enumerate() {
            for (b, block) in line.chunks_exact_mut(D).enumerate() {
                block.copy_from_slice(&k[a][b][i]);
            }
        }
    }
}
