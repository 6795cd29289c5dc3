//! Elements whose matrices never change: beams

use crate::algebra::{AlgebraError, SymmetricMatrix};
use crate::model::Model;

/// A linear element with its matrices, rows one after the other.
pub(crate) struct LinearElement {
    pub dofs: Vec<u32>,
    pub stiffness: Vec<f64>,
    pub mass: Vec<f64>,
    /// The part of the mass that has no weight: a fluid that moves with it.
    carried: Option<Vec<f64>>,
    /// Rayleigh damping.
    rayleigh: [f64; 2],
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

    /// Adds the mass, with what is carried, to a matrix.
    pub fn add_mass(&self, matrix: &mut SymmetricMatrix) -> Result<(), AlgebraError> {
        self.add_matrix(&self.mass, 1.0, matrix)?;
        self.carried.iter().try_for_each(|carried| self.add_matrix(carried, 1.0, matrix))
    }

    /// Adds the damping to a matrix; whether there is any.
    pub fn add_damping(&self, matrix: &mut SymmetricMatrix) -> Result<bool, AlgebraError> {
        let [alpha, beta] = self.rayleigh;
        if alpha == 0.0 && beta == 0.0 {
            return Ok(false);
        }
        self.add_matrix(&self.mass, alpha, matrix)?;
        self.add_matrix(&self.stiffness, beta, matrix)?;
        Ok(true)
    }

    fn row(&self, i: usize, u: &[f64]) -> f64 {
        self.times(&self.stiffness, i, u)
    }

    /// Row `i` of a matrix of the element times a vector of the model.
    fn times(&self, matrix: &[f64], i: usize, u: &[f64]) -> f64 {
        let n = self.dofs.len();
        self.dofs.iter().enumerate().map(|(j, d)| matrix[n * i + j] * u[*d as usize]).sum()
    }

    /// Takes the weight of what only adds to the inertia from weights.
    pub fn unweigh(&self, gravity: &[f64], lumped: bool, weight: &mut [f64]) {
        let Some(carried) = &self.carried else { return };
        for (i, d) in self.dofs.iter().enumerate() {
            weight[*d as usize] -= match lumped {
                true => self.lumped_carried(carried, i) * gravity[*d as usize],
                false => self.times(carried, i, gravity),
            };
        }
    }

    /// Half of what is carried along the axis of a displacement.
    fn lumped_carried(&self, carried: &[f64], i: usize) -> f64 {
        let (n, half) = (self.dofs.len(), self.dofs.len() / 2);
        let k = i % half;
        if k >= self.moves {
            return 0.0;
        }
        let ends = (0..2).flat_map(|e| (0..2).map(move |f| (e, f)));
        0.5 * ends.map(|(e, f)| carried[n * (half * e + k) + half * f + k]).sum::<f64>()
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
        let mut all: Vec<f64> =
            (0..n).map(|i| if i % half < self.moves { 0.5 * total } else { diagonal(i) * total / sum }).collect();
        if let Some(carried) = &self.carried {
            all.iter_mut().enumerate().for_each(|(i, m)| *m += self.lumped_carried(carried, i));
        }
        all
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
            let (stiffness, mass, rayleigh) = (stiffness.clone(), mass.clone(), beam.rayleigh);
            let carried = beam.carried.get(e).cloned();
            out.push(LinearElement { dofs, stiffness, mass, carried, rayleigh, moves: model.dim });
        }
    }
    out
}
