//! Elements whose matrices never change: beams

use crate::algebra::{AlgebraError, SymmetricMatrix};
use crate::model::Model;

/// A linear element with its matrices, rows one after the other.
pub(crate) struct LinearElement {
    pub dofs: Vec<u32>,
    pub stiffness: Vec<f64>,
    pub mass: Vec<f64>,
    /// Displacements among its unknowns, of each end.
    moves: usize,
}

impl LinearElement {
    pub fn add_matrix(&self, values: &[f64], factor: f64, matrix: &mut SymmetricMatrix) -> Result<(), AlgebraError> {
        let n = self.dofs.len();
        for (i, a) in self.dofs.iter().enumerate() {
            for (j, b) in self.dofs.iter().enumerate().filter(|(_, b)| *b <= a) {
                matrix.add(*a, *b, factor * values[n * i + j])?;
            }
        }
        Ok(())
    }

    fn row(&self, i: usize, u: &[f64]) -> f64 {
        let n = self.dofs.len();
        self.dofs.iter().enumerate().map(|(j, d)| self.stiffness[n * i + j] * u[*d as usize]).sum()
    }

    pub fn add_force(&self, u: &[f64], force: &mut [f64]) {
        self.dofs.iter().enumerate().for_each(|(i, d)| force[*d as usize] += self.row(i, u));
    }

    pub fn energy(&self, u: &[f64]) -> f64 {
        0.5 * self.dofs.iter().enumerate().map(|(i, d)| u[*d as usize] * self.row(i, u)).sum::<f64>()
    }

    /// Half of the mass at each end; rotations keep the ratio of the diagonal \[Hinton76\].
    fn lumped(&self) -> Vec<f64> {
        let n = self.dofs.len();
        let half = n / 2;
        let total: f64 =
            (0..2).flat_map(|e| (0..2).map(move |f| (e, f))).map(|(e, f)| self.mass[n * half * e + half * f]).sum();
        let diagonal = |i: usize| self.mass[n * i + i];
        let sum: f64 = (0..2).map(|e| diagonal(half * e)).sum();
        (0..n).map(|i| if i % half < self.moves { 0.5 * total } else { diagonal(i) * total / sum }).collect()
    }

    pub fn lump(&self, lumped: &mut [f64]) {
        self.dofs.iter().zip(self.lumped()).for_each(|(d, m)| lumped[*d as usize] += m);
    }

    /// `2/ω` with the largest row sum of `M⁻¹ᐟ² K M⁻¹ᐟ²` as a bound of `ω²`.
    pub fn critical_step(&self) -> f64 {
        let (n, m) = (self.dofs.len(), self.lumped());
        let row = |i: usize| (0..n).map(|j| (self.stiffness[n * i + j] / (m[i] * m[j]).sqrt()).abs()).sum::<f64>();
        2.0 / (0..n).map(row).fold(0.0, f64::max).sqrt()
    }
}

/// The elements of the beams of a model.
pub(crate) fn beams(model: &Model) -> Vec<LinearElement> {
    let mut out = vec![];
    for beam in &model.beams {
        for (e, [stiffness, mass]) in beam.elements.iter().enumerate() {
            let dofs = beam.dofs(e, model.dim, model.nodes());
            out.push(LinearElement { dofs, stiffness: stiffness.clone(), mass: mass.clone(), moves: model.dim });
        }
    }
    out
}
