//! Vectors and matrices of one contact space, and a dense solve that works for
//! every `const D` without the trait bounds a general factorisation needs.

use nalgebra::{SMatrix, SVector};

/// A vector of one contact space, normal component first.
pub type Vector<const D: usize> = SVector<f64, D>;

/// A `D × D` block, for instance one block of the Delassus operator.
pub type Matrix<const D: usize> = SMatrix<f64, D, D>;

/// Solves `a x = b` by elimination with partial pivoting.
///
/// Returns `None` when a pivot is below `1e-14` of the largest entry of `a`:
/// the caller then knows that the block is singular to working precision.
pub fn solve_small<const D: usize>(a: &Matrix<D>, b: &Vector<D>) -> Option<Vector<D>> {
    let mut a = *a;
    let mut x = *b;
    let tiny = 1e-14 * a.amax();
    for k in 0..D {
        let mut p = k;
        for i in k + 1..D {
            if a[(i, k)].abs() > a[(p, k)].abs() {
                p = i;
            }
        }
        // Written so that NaN is refused as well.
        if !(a[(p, k)].abs() > tiny) {
            return None;
        }
        if p != k {
            a.swap_rows(p, k);
            x.swap_rows(p, k);
        }
        for i in k + 1..D {
            let f = a[(i, k)] / a[(k, k)];
            for j in k + 1..D {
                a[(i, j)] -= f * a[(k, j)];
            }
            x[i] -= f * x[k];
        }
    }
    for k in (0..D).rev() {
        let mut t = x[k];
        for j in k + 1..D {
            t -= a[(k, j)] * x[j];
        }
        x[k] = t / a[(k, k)];
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference: the product with a known solution.
    #[test]
    fn solve_recovers_a_known_solution() {
        let a = Matrix::<3>::new(0.0, 2.0, 1.0, 1.0, -1.0, 0.5, 3.0, 0.0, 4.0);
        let x = Vector::<3>::new(1.0, -2.0, 0.25);
        let got = solve_small(&a, &(a * x)).expect("regular");
        assert!((got - x).norm() < 1e-14);
    }

    #[test]
    fn singular_block_is_refused() {
        let g = Vector::<3>::new(1.0, 2.0, 3.0);
        assert!(solve_small(&(g * g.transpose()), &g).is_none());
        assert!(solve_small(&Matrix::<3>::zeros(), &g).is_none());
    }
}
