//! Eigenvalues of a symmetric 3 × 3 tensor by Jacobi's rotations
//!
//! Slower than the cubic's closed form, and accurate to rounding when eigenvalues are
//! close, which is where elastic stretches of metals always are.

/// Eigenvalues, and eigenvectors as columns.
pub(crate) fn jacobi(mut a: [f64; 9]) -> ([f64; 3], [f64; 9]) {
    let mut q = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    for _ in 0..16 {
        let off = a[1] * a[1] + a[2] * a[2] + a[5] * a[5];
        let scale = a[0] * a[0] + a[4] * a[4] + a[8] * a[8];
        // Squares: off-diagonal terms below 1e-17 of the norm no longer change it.
        if !(off > 1e-34 * scale) {
            break;
        }
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            rotate(&mut a, &mut q, i, j);
        }
    }
    ([a[0], a[4], a[8]], q)
}

fn rotate(a: &mut [f64; 9], q: &mut [f64; 9], i: usize, j: usize) {
    let off = a[3 * i + j];
    if off == 0.0 {
        return;
    }
    let ratio = (a[3 * j + j] - a[3 * i + i]) / (2.0 * off);
    let tan = 1.0_f64.copysign(ratio) / (ratio.abs() + ratio.hypot(1.0));
    let cos = 1.0 / tan.hypot(1.0);
    let sin = tan * cos;
    for k in 0..3 {
        let (x, y) = (a[3 * k + i], a[3 * k + j]);
        a[3 * k + i] = cos * x - sin * y;
        a[3 * k + j] = sin * x + cos * y;
    }
    for k in 0..3 {
        let (x, y) = (a[3 * i + k], a[3 * j + k]);
        a[3 * i + k] = cos * x - sin * y;
        a[3 * j + k] = sin * x + cos * y;
        let (x, y) = (q[3 * k + i], q[3 * k + j]);
        q[3 * k + i] = cos * x - sin * y;
        q[3 * k + j] = sin * x + cos * y;
    }
    a[3 * i + j] = 0.0;
    a[3 * j + i] = 0.0;
}
