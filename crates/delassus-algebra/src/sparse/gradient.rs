//! Conjugate gradients with a preconditioner, for meshes too large for a factor
//!
//! ```text
//! A x = b,   A symmetric positive definite, known by its products
//! ```
//!
//! Stops when ‖b − A x‖₂ ≤ tolerance ‖b‖₂, on a residual recomputed from x and not on the one
//! that the recurrence drifts with. Every product and sum is made in an order that does not
//! depend on threads.

use super::error::{check_finite, check_length};
use super::{AlgebraError, Preconditioner, SymmetricMatrix};

/// A symmetric operator, known by its products.
pub trait Operator {
    /// Number of unknowns.
    fn size(&self) -> usize;
    /// y ← A x.
    fn apply(&mut self, x: &[f64], y: &mut [f64]);
}

impl Operator for &SymmetricMatrix {
    fn size(&self) -> usize {
        SymmetricMatrix::size(self)
    }

    fn apply(&mut self, x: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        self.mul_add(x, y);
    }
}

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct GradientSettings {
    /// Relative residual ‖b − A x‖ / ‖b‖ to reach.
    pub tolerance: f64,
    /// Largest number of products.
    pub iterations: usize,
}

impl Default for GradientSettings {
    fn default() -> Self {
        Self { tolerance: 1e-10, iterations: 10_000 }
    }
}

/// How conjugate gradients ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GradientStatus {
    /// The recomputed residual is below the tolerance.
    Converged,
    /// The iterations were used up.
    TooManyIterations,
    /// Rounding keeps the residual above the tolerance: it no longer decreases.
    Stagnated,
    /// A direction of zero or negative curvature: the operator or the preconditioner is not
    /// positive definite.
    NotPositive,
}

/// What conjugate gradients did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GradientReport {
    /// How it ended.
    pub status: GradientStatus,
    /// Products with A in the recurrence.
    pub iterations: usize,
    /// ‖b − A x‖ / ‖b‖, recomputed.
    pub residual: f64,
}

/// Conjugate gradients; the vectors are kept for the next solve.
#[derive(Clone, Debug, Default)]
pub struct ConjugateGradient {
    /// When to stop.
    pub settings: GradientSettings,
    residual: Vec<f64>,
    z: Vec<f64>,
    direction: Vec<f64>,
    product: Vec<f64>,
}

/// Restarts from a recomputed residual before giving up.
const RESTARTS: usize = 5;

impl ConjugateGradient {
    /// With these settings.
    pub fn new(settings: GradientSettings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// Improves `x` (where it starts from) until A x = b.
    pub fn solve(
        &mut self,
        operator: &mut impl Operator,
        preconditioner: &Preconditioner,
        b: &[f64],
        x: &mut [f64],
    ) -> Result<GradientReport, AlgebraError> {
        let n = operator.size();
        check_length("right-hand side", b.len(), n)?;
        check_length("start", x.len(), n)?;
        check_length("preconditioner", preconditioner.size(), n)?;
        check_finite("right-hand side", b)?;
        check_finite("start", x)?;
        for v in [&mut self.residual, &mut self.z, &mut self.direction, &mut self.product] {
            v.resize(n, 0.0);
        }
        let size = norm(b);
        if size == 0.0 {
            x.fill(0.0);
            return Ok(GradientReport { status: GradientStatus::Converged, iterations: 0, residual: 0.0 });
        }
        let mut report =
            GradientReport { status: GradientStatus::TooManyIterations, iterations: 0, residual: f64::INFINITY };
        for _ in 0..RESTARTS {
            let before = report.residual;
            report.residual = self.recompute(operator, b, x) / size;
            if report.residual <= self.settings.tolerance {
                report.status = GradientStatus::Converged;
                break;
            }
            if !(report.residual < 0.5 * before) {
                report.status = GradientStatus::Stagnated;
                break;
            }
            if report.iterations >= self.settings.iterations {
                report.status = GradientStatus::TooManyIterations;
                break;
            }
            let positive = self.sweep(operator, preconditioner, x, &mut report.iterations, size);
            if !positive {
                report.residual = self.recompute(operator, b, x) / size;
                report.status = GradientStatus::NotPositive;
                break;
            }
        }
        check_finite("solution", x)?;
        Ok(report)
    }

    /// r ← b − A x, its norm.
    fn recompute(&mut self, operator: &mut impl Operator, b: &[f64], x: &[f64]) -> f64 {
        operator.apply(x, &mut self.product);
        for ((r, b), p) in self.residual.iter_mut().zip(b).zip(&self.product) {
            *r = b - p;
        }
        norm(&self.residual)
    }

    /// The recurrence, until its own residual is small or the iterations used up; whether all
    /// curvatures were positive.
    fn sweep(
        &mut self,
        operator: &mut impl Operator,
        preconditioner: &Preconditioner,
        x: &mut [f64],
        iterations: &mut usize,
        size: f64,
    ) -> bool {
        let Self { settings, residual, z, direction, product } = self;
        preconditioner.apply(residual, z);
        direction.copy_from_slice(z);
        let mut rz = dot(residual, z);
        if !(rz > 0.0) {
            return false;
        }
        while *iterations < settings.iterations {
            operator.apply(direction, product);
            *iterations += 1;
            let curvature = dot(direction, product);
            if !(curvature > 0.0) {
                return false;
            }
            let step = rz / curvature;
            x.iter_mut().zip(direction.iter()).for_each(|(x, d)| *x += step * d);
            residual.iter_mut().zip(product.iter()).for_each(|(r, p)| *r -= step * p);
            // A little below, so that the recomputed residual passes at once as a rule.
            if norm(residual) <= 0.9 * settings.tolerance * size {
                break;
            }
            preconditioner.apply(residual, z);
            let next = dot(residual, z);
            if !(next > 0.0) {
                return false;
            }
            let beta = next / rz;
            rz = next;
            direction.iter_mut().zip(z.iter()).for_each(|(d, z)| *d = z + beta * *d);
        }
        true
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    // Eight sums at once: an order that vectorises and is always the same.
    let mut sums = [0.0; 8];
    let (blocks_a, blocks_b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = blocks_a.remainder().iter().zip(blocks_b.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in blocks_a.zip(blocks_b) {
        (0..8).for_each(|k| sums[k] += x[k] * y[k]);
    }
    sums.iter().sum::<f64>() + rest
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}
