//! The largest frequency of a mesh, for the critical step of explicit schemes
//!
//! ```text
//! K x = ω² M x,   M lumped
//! ```
//!
//! Lanczos' recurrence on M^(−½) K M^(−½) from a fixed start. Extreme eigenvalues converge
//! first, and ghosts of them, which lost orthogonality brings, do not move them: no basis is
//! kept. θ, the largest Ritz value, is below ω²max; an eigenvalue lies within `error` of it.

use super::error::{check_finite, check_length};
use super::gradient::{dot, norm};
use super::{AlgebraError, Operator};

/// The largest eigenvalue and how well it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LargestEigenvalue {
    /// ω²max \[1/s²\], from below.
    pub value: f64,
    /// Norm of the residual: the eigenvalue lies within this of `value`.
    pub error: f64,
    /// Products with K.
    pub iterations: usize,
    /// Whether the error is below the tolerance.
    pub converged: bool,
}

impl LargestEigenvalue {
    /// ωmax \[1/s\], from above: a critical step computed from it is safe.
    pub fn frequency(&self) -> f64 {
        (self.value + self.error).max(0.0).sqrt()
    }
}

/// Lanczos' recurrence; the vectors are kept for the next call.
#[derive(Clone, Debug)]
pub struct Lanczos {
    /// Relative error to reach.
    pub tolerance: f64,
    /// Largest number of products.
    pub iterations: usize,
    root: Vec<f64>,
    vectors: [Vec<f64>; 4],
    diagonal: Vec<f64>,
    off_diagonal: Vec<f64>,
}

impl Default for Lanczos {
    fn default() -> Self {
        let vectors = std::array::from_fn(|_| vec![]);
        Self { tolerance: 1e-3, iterations: 200, root: vec![], vectors, diagonal: vec![], off_diagonal: vec![] }
    }
}

impl Lanczos {
    /// Largest ω². Dofs of zero mass are taken as held (imposed dofs).
    pub fn largest(&mut self, k: &mut impl Operator, mass: &[f64]) -> Result<LargestEigenvalue, AlgebraError> {
        let n = k.size();
        check_length("mass", mass.len(), n)?;
        check_finite("mass", mass)?;
        if let Some(dof) = mass.iter().position(|m| *m < 0.0) {
            return Err(AlgebraError::NotPositive { dof, pivot: mass[dof], diagonal: mass[dof] });
        }
        self.root.clear();
        self.root.extend(mass.iter().map(|m| if *m > 0.0 { m.sqrt().recip() } else { 0.0 }));
        self.start(n);
        self.run(k)
    }

    /// A start with a part in every eigenvector, as far as numbers without pattern give one.
    fn start(&mut self, n: usize) {
        self.vectors.iter_mut().for_each(|v| v.resize(n, 0.0));
        let [q, before, ..] = &mut self.vectors;
        before.fill(0.0);
        let mut seed = 0x9E37_79B9_7F4A_7C15u64;
        for (q, root) in q.iter_mut().zip(&self.root) {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let uniform = (seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
            *q = if *root > 0.0 { uniform } else { 0.0 };
        }
        let size = norm(q);
        q.iter_mut().for_each(|q| *q /= if size > 0.0 { size } else { 1.0 });
        self.diagonal.clear();
        self.off_diagonal.clear();
    }

    fn run(&mut self, k: &mut impl Operator) -> Result<LargestEigenvalue, AlgebraError> {
        let Self { tolerance, iterations, root, vectors: [q, before, w, x], diagonal, off_diagonal } = self;
        let mut out = LargestEigenvalue { value: 0.0, error: 0.0, iterations: 0, converged: true };
        let mut beta = 0.0;
        while out.iterations < *iterations {
            x.iter_mut().zip(q.iter()).zip(root.iter()).for_each(|((x, q), r)| *x = q * r);
            k.apply(x, w);
            w.iter_mut().zip(root.iter()).for_each(|(w, r)| *w *= r);
            check_finite("product", w)?;
            let alpha = dot(w, q);
            for ((w, q), b) in w.iter_mut().zip(q.iter()).zip(before.iter()) {
                *w -= alpha * q + beta * b;
            }
            diagonal.push(alpha);
            beta = norm(w);
            out.iterations += 1;
            out.value = largest_of_tridiagonal(diagonal, off_diagonal);
            out.error = beta * last_component(diagonal, off_diagonal, out.value);
            out.converged = out.error <= *tolerance * out.value.abs();
            // The space is exhausted: beta is rounding, and so is every product after it.
            if out.converged || beta <= f64::EPSILON * out.value.abs() {
                return Ok(out);
            }
            off_diagonal.push(beta);
            std::mem::swap(before, q);
            q.iter_mut().zip(w.iter()).for_each(|(q, w)| *q = w / beta);
        }
        Ok(out)
    }
}

/// Largest eigenvalue of a symmetric tridiagonal matrix, by bisection on the signs of the
/// pivots of T − λ (all negative above it).
fn largest_of_tridiagonal(diagonal: &[f64], off_diagonal: &[f64]) -> f64 {
    let off = |i: usize| off_diagonal.get(i).map_or(0.0, |b| b.abs());
    let count = diagonal.len();
    let radius = |i: usize| if i > 0 { off(i - 1) } else { 0.0 } + if i + 1 < count { off(i) } else { 0.0 };
    let mut low = diagonal.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut high = (0..count).map(|i| diagonal[i] + radius(i)).fold(f64::NEG_INFINITY, f64::max);
    let above = |x: f64| {
        let mut pivot = diagonal[0] - x;
        let mut all = pivot < 0.0;
        for i in 1..count {
            pivot = diagonal[i] - x - off(i - 1).powi(2) / pivot;
            all &= pivot < 0.0;
        }
        all
    };
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if above(middle) { high = middle } else { low = middle }
    }
    0.5 * (low + high)
}

/// Size of the last component of the unit eigenvector for `value`.
fn last_component(diagonal: &[f64], off_diagonal: &[f64], value: f64) -> f64 {
    let (mut before, mut last, mut squares) = (0.0, 1.0, 1.0);
    for i in 1..diagonal.len() {
        let back = if i > 1 { off_diagonal[i - 2] } else { 0.0 };
        let next = ((value - diagonal[i - 1]) * last - back * before) / off_diagonal[i - 1];
        (before, last) = (last, next);
        squares += next * next;
        // Only the ratio counts.
        if squares > 1e200 {
            (before, last, squares) = (before * 1e-100, last * 1e-100, squares * 1e-200);
        }
    }
    f64::abs(last) / squares.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T = tridiag(−1, 2, −1) of size n: 2 + 2 cos(π/(n+1)), the last component √(2/(n+1)) sin(nπ/(n+1)).
    #[test]
    fn tridiagonal_eigenvalue_has_its_closed_form() {
        for n in [1usize, 2, 7, 40] {
            let (d, e) = (vec![2.0; n], vec![-1.0; n - 1]);
            let angle = std::f64::consts::PI / (n as f64 + 1.0);
            let value = largest_of_tridiagonal(&d, &e);
            assert!((value - 2.0 - 2.0 * angle.cos()).abs() < 1e-13);
            let last = (2.0 / (n as f64 + 1.0)).sqrt() * (n as f64 * angle).sin();
            assert!((last_component(&d, &e, value) - last).abs() < 1e-9);
        }
    }
}
