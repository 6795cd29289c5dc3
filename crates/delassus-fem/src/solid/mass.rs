//! Masses and loads in volume
//!
//! ```text
//! M_ab = ∫ ρ N_a N_b,     f_a = ∫ N_a b
//! ```
//!
//! The lumped mass is the row sum for cells of first degree, and the diagonal scaled to the
//! right total for those of second degree, whose row sums are not positive \[Hinton76\].

use super::batch::{Geometry, with_batch};
use super::{AnyBatch, Sink, Solid, SolidError};
use crate::element::{self, NODES_MAX};
use std::ops::Range;

const DOFS_MAX: usize = 3 * NODES_MAX;

impl Solid {
    /// Masses of a range of cells: `sink(cell, diagonal, &[])` lumped, else
    /// `sink(cell, &[], m_e)` row-major.
    ///
    /// # Errors
    /// A range beyond the last cell.
    pub fn mass(&self, cells: Range<usize>, lumped: bool, sink: &mut Sink<'_>) -> Result<(), SolidError> {
        self.check_range(&cells)?;
        let dim = self.dim();
        let mut matrix = [0.0; DOFS_MAX * DOFS_MAX];
        for cell in cells {
            if lumped {
                let mut diagonal = [0.0; DOFS_MAX];
                let shares = self.shares(cell);
                for (a, &share) in shares.iter().enumerate() {
                    diagonal[dim * a..dim * (a + 1)].fill(self.spec.density * share);
                }
                sink(cell, &diagonal[..dim * shares.len()], &[]);
            } else {
                let n = self.consistent_mass(cell, &mut matrix)?;
                sink(cell, &[], &matrix[..n * n]);
            }
        }
        Ok(())
    }

    /// Forces of a load in volume, given per reference volume \[N/m³\] at a reference
    /// position: `sink(cell, f_e, &[])`.
    ///
    /// # Errors
    /// A range beyond the last cell, a load that is not finite.
    pub fn volume_load(
        &self,
        cells: Range<usize>,
        load: &mut dyn FnMut([f64; 3]) -> [f64; 3],
        sink: &mut Sink<'_>,
    ) -> Result<(), SolidError> {
        self.check_range(&cells)?;
        let dim = self.dim();
        for cell in cells {
            let geometry = self.geometry(cell);
            let n = geometry.nodes.len();
            let mut force = [0.0; DOFS_MAX];
            let factor = self.factor(|f| &f.load, cell);
            geometry.integrate(|q, at, w| {
                let b = load(at.position);
                let w = w * factor.map_or(1.0, |f| f[q]);
                for a in 0..n {
                    for k in 0..dim {
                        force[dim * a + k] += w * at.shape[a] * b[k];
                    }
                }
            })?;
            if !force.iter().all(|x| x.is_finite()) {
                return Err(SolidError::NonFinite { cell });
            }
            sink(cell, &force[..dim * n], &[]);
        }
        Ok(())
    }

    /// Lumped volumes of the nodes of a cell.
    pub(crate) fn shares(&self, cell: usize) -> &[f64] {
        with_batch!(self.batch(cell), b => &b.shares[cell - b.first])
    }

    fn consistent_mass(&self, cell: usize, matrix: &mut [f64]) -> Result<usize, SolidError> {
        let (geometry, dim) = (self.geometry(cell), self.dim());
        let nodes = geometry.nodes.len();
        let n = dim * nodes;
        matrix[..n * n].fill(0.0);
        let factor = self.factor(|f| &f.inertia, cell);
        geometry.integrate(|q, at, w| {
            let w = w * factor.map_or(1.0, |f| f[q]);
            for a in 0..nodes {
                for b in 0..nodes {
                    let m = w * self.spec.density * at.shape[a] * at.shape[b];
                    for k in 0..dim {
                        matrix[(dim * a + k) * n + dim * b + k] += m;
                    }
                }
            }
        })?;
        Ok(n)
    }
}

impl Geometry<'_> {
    /// Sums `f(rank, point, weight)` over the points of the mass rule.
    fn integrate(&self, mut f: impl FnMut(usize, &super::batch::At, f64)) -> Result<(), SolidError> {
        let rule = element::mass_rule(self.kind);
        for (q, (&xi, &weight)) in rule.points.iter().zip(&rule.weights).enumerate() {
            let at = self.at(xi)?;
            let w = weight * at.jacobian * self.hypothesis.extent(at.position[0]);
            f(q, &at, w);
        }
        Ok(())
    }
}

/// Shares of the nodes in the volume, all positive; `factor` is that of the points.
pub(crate) fn shares<const N: usize>(geometry: &Geometry, factor: Option<&[f64]>) -> Result<[f64; N], SolidError> {
    let quadratic = element::corner_kind(geometry.kind) != geometry.kind;
    let (mut shares, mut volume) = ([0.0; N], 0.0);
    geometry.integrate(|q, at, w| {
        let w = w * factor.map_or(1.0, |f| f[q]);
        volume += w;
        for a in 0..N {
            shares[a] += w * at.shape[a] * if quadratic { at.shape[a] } else { 1.0 };
        }
    })?;
    let scale = volume / shares.iter().sum::<f64>();
    Ok(shares.map(|s| s * scale))
}
