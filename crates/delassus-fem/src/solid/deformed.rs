//! Frequencies of cells that deform, without the eigenvalues of all of them
//!
//! ```text
//! ω² = max  Σ w J C : sym(H F⁻¹)² / Σ m v²,     H = ∇v,     F = R (1 + D)⁻¹
//!
//! ω ≤ b max √J |F⁻¹|,      ω ≤ max √J (ω₀ + b max |D|),     b² = κ max Σ w |H|² / Σ m v²
//! ```
//!
//! with κ the largest modulus, ω₀ the frequency of the cell at rest, `|·|` the largest singular
//! value, and R a rotation of the whole cell. The second is the triangle inequality in the norm
//! of the energy. `ω₀` and `b` belong to the reference shape and are computed once.

use super::batch::{Batch, with_batch};
use super::error::Fault;
use super::kernel::Local;
use super::{AnyBatch, Solid, SolidError, check_length};
use crate::material::Law;
use crate::material::tensor::{Frame, Plane, Space};

/// `ω₀` and `b` of every cell, and scratch.
#[derive(Clone, Debug)]
pub struct FrequencyBounds {
    cells: Vec<[f64; 2]>,
    /// Cells to look at, with the bounds of their frequencies.
    suspects: Vec<(f64, usize)>,
}

impl Solid {
    /// What [`Solid::deformed_frequency`] needs to know of the reference shape; nothing for
    /// hyperelastic materials, whose moduli change.
    ///
    /// # Errors
    /// As [`Solid::critical_step`].
    pub fn frequency_bounds(&self) -> Result<Option<FrequencyBounds>, SolidError> {
        if self.rules.finite && matches!(self.rules.law, Law::Hooke { .. } | Law::NeoHookean { .. }) {
            return Ok(None);
        }
        let mut cells = Vec::with_capacity(self.cells);
        let rest = vec![0.0; self.dim() * self.node_count()];
        for batch in &self.batches {
            with_batch!(batch, b =>
                self.at_rest::<Plane, 2, 5, 4, _, _>(b, &rest, &mut cells)?,
                self.at_rest::<Space, 3, 9, 6, _, _>(b, &rest, &mut cells)?);
        }
        Ok(Some(FrequencyBounds { cells, suspects: vec![] }))
    }

    /// The largest `ω²` of the cells in the configuration `u`, or `floor` if that is more.
    ///
    /// Cells that cannot exceed `enough(ω²)`, with `ω²` the largest found so far, are not looked
    /// at: what comes out is exact where `enough` is the identity.
    ///
    /// # Errors
    /// A cell turned inside out, a displacement that is not finite.
    pub fn deformed_frequency(
        &self,
        u: &[f64],
        bounds: &mut FrequencyBounds,
        floor: f64,
        enough: &dyn Fn(f64) -> f64,
    ) -> Result<f64, SolidError> {
        check_length("displacement", u, self.dim() * self.node_count())?;
        if !self.rules.finite {
            // Small strains leave the matrices as they are.
            let rest = bounds.cells.iter().map(|c| c[0] * c[0]).fold(0.0, f64::max);
            return Ok(floor.max(rest));
        }
        bounds.suspects.clear();
        let first = enough(floor);
        for batch in &self.batches {
            with_batch!(batch, b =>
                self.suspect::<Plane, 2, 5, 4, _, _>(b, u, first, bounds)?,
                self.suspect::<Space, 3, 9, 6, _, _>(b, u, first, bounds)?);
        }
        bounds.suspects.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut worst = floor;
        for (bound, cell) in &bounds.suspects {
            if *bound <= enough(worst) {
                break;
            }
            worst = worst.max(with_batch!(self.batch(*cell), b =>
                self.frequency::<Plane, 2, 5, 4, _, _>(b, *cell, u)?,
                self.frequency::<Space, 3, 9, 6, _, _>(b, *cell, u)?));
        }
        Ok(worst)
    }

    /// `ω²` of a cell with Hooke's stiffness in its present shape.
    fn frequency<F, const D: usize, const M: usize, const S: usize, const N: usize, const Q: usize>(
        &self,
        batch: &Batch<D, N, Q>,
        cell: usize,
        u: &[f64],
    ) -> Result<f64, SolidError>
    where
        F: Frame<M, S>,
    {
        let rank = cell - batch.first;
        let local = displaced(batch, rank, u);
        let k = local.hooke_here::<F, M, S>(&self.rules).map_err(|f| f.at(cell))?;
        let scale: [f64; N] = batch.shares[rank].map(|v| 1.0 / (self.spec.density * v).sqrt());
        let scaled = nalgebra::DMatrix::from_fn(D * N, D * N, |r, c| {
            scale[r / D] * k[r / D][c / D][r % D][c % D] * scale[c / D]
        });
        if !scaled.iter().all(|x| x.is_finite()) {
            return Err(SolidError::NonFinite { cell });
        }
        Ok(scaled.symmetric_eigenvalues().max().max(0.0))
    }

    fn at_rest<F, const D: usize, const M: usize, const S: usize, const N: usize, const Q: usize>(
        &self,
        batch: &Batch<D, N, Q>,
        rest: &[f64],
        out: &mut Vec<[f64; 2]>,
    ) -> Result<(), SolidError>
    where
        F: Frame<M, S>,
    {
        let components = if D == 3 || batch.round { 3.0 } else { 2.0 };
        let modulus = 2.0 * self.rules.mu + components * self.rules.lambda.max(0.0);
        for (rank, cell) in batch.cells.iter().enumerate() {
            let own = self.frequency::<F, D, M, S, N, Q>(batch, batch.first + rank, rest)?.sqrt();
            let hoop = batch.hoops.get(rank);
            let mass = batch.shares[rank].map(|v| self.spec.density * v);
            let gradient = nalgebra::DMatrix::from_fn(N, N, |a, b| {
                let point = |q: usize| {
                    let flat: f64 = (0..D).map(|k| cell.gradients[a][k][q] * cell.gradients[b][k][q]).sum();
                    cell.weights[q] * (flat + hoop.map_or(0.0, |h| h[a][q] * h[b][q]))
                };
                (0..Q).map(point).sum::<f64>() / (mass[a] * mass[b]).sqrt()
            });
            out.push([own, (modulus * gradient.symmetric_eigenvalues().max().max(0.0)).sqrt()]);
        }
        Ok(())
    }

    /// Notes the cells whose bound is above `enough`.
    fn suspect<F, const D: usize, const M: usize, const S: usize, const N: usize, const Q: usize>(
        &self,
        batch: &Batch<D, N, Q>,
        u: &[f64],
        enough: f64,
        bounds: &mut FrequencyBounds,
    ) -> Result<(), SolidError>
    where
        F: Frame<M, S>,
    {
        for rank in 0..batch.cells.len() {
            let cell = batch.first + rank;
            let local = displaced(batch, rank, u);
            let h = local.gradients::<M>(&local.u);
            let mut turn = None;
            let (mut stretch, mut volume, mut apart) = (0.0f64, 0.0f64, 0.0f64);
            for h in &h {
                let f: [f64; M] = std::array::from_fn(|m| h[m] + F::IDENTITY[m]);
                let jacobian = F::determinant(&f);
                if !(jacobian > 0.0) {
                    return Err(Fault::Jacobian(jacobian).at(cell));
                }
                let turn = *turn.get_or_insert_with(|| rotation::<D, M>(&f));
                let inverse = F::inverse_transpose(&f, jacobian);
                let (largest, far) = sizes::<F, D, M, S>(&inverse, &turn);
                stretch = stretch.max(jacobian * largest);
                volume = volume.max(jacobian);
                apart = apart.max(far);
            }
            let [own, b] = bounds.cells[cell];
            let bound = (b * b * stretch).min(volume * (own + b * apart.sqrt()).powi(2));
            // A number that is not one is looked at.
            if !(bound <= enough) {
                bounds.suspects.push((bound, cell));
            }
        }
        Ok(())
    }
}

/// A cell and the displacements of its nodes.
#[inline]
fn displaced<'a, const D: usize, const N: usize, const Q: usize>(
    batch: &'a Batch<D, N, Q>,
    rank: usize,
    u: &[f64],
) -> Local<'a, D, N, Q> {
    let cell = &batch.cells[rank];
    let pick = cell.nodes.map(|n| std::array::from_fn(|i| u[D * n as usize + i]));
    Local { cell, hoop: batch.hoops.get(rank), u: pick, v: [[0.0; D]; N] }
}

/// The rotation of a plane gradient; none in space, where small turns are covered by the bounds.
#[inline]
fn rotation<const D: usize, const M: usize>(f: &[f64; M]) -> [f64; 2] {
    if D == 3 {
        return [1.0, 0.0];
    }
    let (c, s) = (f[0] + f[3], f[2] - f[1]);
    let size = c.hypot(s);
    if size > 0.0 { [c / size, s / size] } else { [1.0, 0.0] }
}

/// Squares of the largest singular value of `F⁻¹`, and of a bound of that of `F⁻¹ R − 1`.
#[inline]
fn sizes<F: Frame<M, S>, const D: usize, const M: usize, const S: usize>(
    inverse: &[f64; M],
    turn: &[f64; 2],
) -> (f64, f64) {
    if D == 3 {
        let far = (0..M).map(|m| (inverse[m] - F::IDENTITY[m]).powi(2)).sum();
        return (largest_square(inverse), far);
    }
    // F⁻ᵀ: the singular values of a matrix of two rows, and what is across the plane.
    let [a, b, c, d] = [inverse[0], inverse[1], inverse[2], inverse[3]];
    let (across, determinant) = (inverse[M - 1], a * d - b * c);
    let half = 0.5 * (a * a + b * b + c * c + d * d);
    let plane = half + (half * half - determinant * determinant).max(0.0).sqrt();
    // Rᵀ F⁻ᵀ − 1, with R = (cos, −sin; sin, cos).
    let [cos, sin] = *turn;
    let [p, q] = [a * cos + c * sin - 1.0, b * cos + d * sin];
    let [r, s] = [c * cos - a * sin, d * cos - b * sin - 1.0];
    let far = (p * p + q * q + r * r + s * s).max((across - 1.0).powi(2));
    (plane.max(across * across), far)
}

/// Square of the largest singular value of a matrix of three rows: the root of a cubic.
#[inline]
fn largest_square<const M: usize>(a: &[f64; M]) -> f64 {
    let product = |i: usize, j: usize| (0..3).map(|k| a[3 * i + k] * a[3 * j + k]).sum::<f64>();
    let (xx, yy, zz) = (product(0, 0), product(1, 1), product(2, 2));
    let (xy, yz, zx) = (product(0, 1), product(1, 2), product(2, 0));
    let mean = (xx + yy + zz) / 3.0;
    let (x, y, z) = (xx - mean, yy - mean, zz - mean);
    let spread = ((x * x + y * y + z * z + 2.0 * (xy * xy + yz * yz + zx * zx)) / 6.0).sqrt();
    if !(spread > 0.0) {
        return mean;
    }
    let determinant = x * (y * z - yz * yz) - xy * (xy * z - yz * zx) + zx * (xy * yz - y * zx);
    let angle = (0.5 * determinant / spread.powi(3)).clamp(-1.0, 1.0).acos() / 3.0;
    mean + 2.0 * spread * angle.cos()
}
