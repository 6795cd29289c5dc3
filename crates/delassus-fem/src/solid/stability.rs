//! The step of explicit schemes
//!
//! ```text
//! Δt ≤ 2/ω (√(1 + ξ²) − ξ),     ω² ≤ max over cells of λ_max(m⁻¹ k),     ξ = τω/2
//! ```
//!
//! The largest eigenvalue of an assembly is at most the largest of its parts \[Fried72\], so
//! that the bound is safe; viscosity lowers it, damping forces being one half step late.

use super::batch::{Batch, with_batch};
use super::kernel::Local;
use super::{AnyBatch, Motion, Solid, SolidError, check_length};
use crate::material::Law;
use crate::material::tensor::{Frame, Plane, Space};

impl Solid {
    /// The largest stable step of central differences with the lumped mass \[s\] in the
    /// configuration `u`, and the cell that limits it. Plastic materials count as elastic.
    ///
    /// # Errors
    /// A cell turned inside out, a displacement that is not finite.
    pub fn critical_step(&self, u: &[f64]) -> Result<(f64, usize), SolidError> {
        check_length("displacement", u, self.dim() * self.node_count())?;
        let mut worst = (0.0, 0);
        for batch in &self.batches {
            with_batch!(batch, b =>
                self.largest::<Plane, 2, 5, 4, _, _>(b, u, &mut worst)?,
                self.largest::<Space, 3, 9, 6, _, _>(b, u, &mut worst)?);
        }
        let omega = f64::sqrt(worst.0);
        let xi = 0.5 * self.rules.viscous_time * omega;
        // Without cancellation: √(1 + ξ²) − ξ = 1/(√(1 + ξ²) + ξ).
        Ok((2.0 / (omega * (xi.hypot(1.0) + xi)), worst.1))
    }

    fn largest<F, const D: usize, const M: usize, const S: usize, const N: usize, const Q: usize>(
        &self,
        batch: &Batch<D, N, Q>,
        u: &[f64],
        worst: &mut (f64, usize),
    ) -> Result<(), SolidError>
    where
        F: Frame<M, S>,
    {
        let mut rules = self.rules.clone();
        rules.viscous_time = 0.0;
        let elastic = matches!(rules.law, Law::Hooke { .. } | Law::NeoHookean { .. }) && rules.finite;
        let history = vec![0.0; rules.history * Q];
        let mut new = history.clone();
        let mut moduli = [[[0.0; S]; S]; Q];
        for rank in 0..batch.cells.len() {
            let cell = batch.first + rank;
            let local = Local::gather(batch, rank, &rules, Motion { u, v: &[] });
            let k = if elastic {
                let answer =
                    local.respond::<F, M, S>(&rules, &history, &mut new, Some(&mut moduli)).map_err(|f| f.at(cell))?;
                local.tangent::<F, M, S>(&rules, &answer, &moduli, [1.0, 0.0])
            } else {
                local.hooke_here::<F, M, S>(&rules).map_err(|f| f.at(cell))?
            };
            let scale: [f64; N] = batch.shares[rank].map(|v| 1.0 / (self.spec.density * v).sqrt());
            let scaled = nalgebra::DMatrix::from_fn(D * N, D * N, |r, c| {
                scale[r / D] * k[r / D][c / D][r % D][c % D] * scale[c / D]
            });
            if !scaled.iter().all(|x| x.is_finite()) {
                return Err(SolidError::NonFinite { cell });
            }
            // Its norm bounds the spectrum: most cells of a graded mesh need no more.
            let norm = scaled.row_iter().map(|r| r.iter().map(|x| x.abs()).sum::<f64>()).fold(0.0, f64::max);
            if norm > worst.0 {
                let top = scaled.symmetric_eigenvalues().max();
                if top > worst.0 {
                    *worst = (top, cell);
                }
            }
        }
        Ok(())
    }
}
