//! Forces and tangents of a sweep of cells
//!
//! Everything is sized at compile time by the kind of cell: D dimension, M and S components
//! of gradients and strains, N nodes, Q quadrature points. Nothing is allocated.

use super::batch::{Batch, Cell};
use super::error::Fault;
use super::isotropic;
use super::spec::Rules;
use super::tangent;
use super::{Energies, Motion, Sink, SolidError};
use crate::element::NODES_MAX;
use crate::material::tensor::Frame;
use std::ops::Range;

/// Largest number of unknowns of a cell.
const DOFS_MAX: usize = 3 * NODES_MAX;

/// What a sweep reads and writes; histories are those of the sweep's cells.
pub(crate) struct Sweep<'a> {
    pub rules: &'a Rules,
    pub motion: Motion<'a>,
    /// Displacements at both ends of the step, where forces keep energy between them.
    pub ends: Option<[&'a [f64]; 2]>,
    pub old: &'a [f64],
    pub new: &'a mut [f64],
    pub tangent: Option<[f64; 2]>,
}

/// A cell and its nodes' motion.
pub(crate) struct Local<'a, const D: usize, const N: usize, const Q: usize> {
    pub cell: &'a Cell<D, N, Q>,
    pub hoop: Option<&'a [[f64; Q]; N]>,
    pub u: [[f64; D]; N],
    /// Zero unless viscous.
    pub v: [[f64; D]; N],
}

/// The points of a cell after the material has answered.
pub(crate) struct Answer<const M: usize, const S: usize, const Q: usize> {
    /// Gradients `F` (finite) or `h` (small), as they are, zz found in plane stress.
    pub f: [[f64; M]; Q],
    /// `F` at the end of the step, where the others belong to its middle.
    pub end: Option<[[f64; M]; Q]>,
    /// First Piola–Kirchhoff (or small-strain) stresses that work with them.
    pub piola: [[f64; M]; Q],
    /// Stresses of the law.
    pub stress: [[f64; S]; Q],
    pub energies: Energies,
    /// Factors `(θ/J)^⅓` of the remedy in finite strain, 1 without it.
    pub scales: [f64; Q],
    /// Mean Jacobian θ.
    pub theta: f64,
    /// Mean of the remedy's pressures.
    pub pressure: f64,
}

impl Sweep<'_> {
    pub fn run<F, const D: usize, const M: usize, const S: usize, const N: usize, const Q: usize>(
        &mut self,
        batch: &Batch<D, N, Q>,
        part: Range<usize>,
        sink: &mut Sink<'_>,
    ) -> Result<Energies, SolidError>
    where
        F: Frame<M, S>,
    {
        let size = self.rules.history * Q;
        let dofs = D * N;
        let mut energies = Energies::default();
        let mut force = [0.0; DOFS_MAX];
        let mut matrix = [0.0; DOFS_MAX * DOFS_MAX];
        let mut moduli = [[[0.0; S]; S]; Q];
        // Between small strains the middle says all.
        let ends = self.ends.filter(|_| self.rules.finite);
        let fast = isotropic::applies(self.rules, !batch.hoops.is_empty()) && ends.is_none();
        for (rank, index) in (part.start..part.end).enumerate() {
            let local = Local::gather(batch, index - batch.first, self.rules, self.motion);
            let variables = rank * size..(rank + 1) * size;
            let (old, new) = (&self.old[variables.clone()], &mut self.new[variables]);
            let kept = if fast { None } else { self.tangent.map(|_| &mut moduli) };
            let answer = match ends {
                None => local.respond::<F, M, S>(self.rules, old, new, kept),
                Some(ends) => {
                    let ends = ends.map(|u| batch.cells[index - batch.first].pick(u));
                    local.respond_between::<F, M, S>(self.rules, &ends, (old, new), kept)
                }
            };
            let answer = answer.map_err(|f| f.at(index))?;
            local.force(&answer.piola, &mut force);
            check(&answer.energies, &force[..dofs]).map_err(|f| f.at(index))?;
            energies += answer.energies;
            let mut len = 0;
            if let Some(coefficients) = self.tangent {
                let k = if fast {
                    isotropic::stiffness::<F, D, M, S, N, Q>(self.rules, &local, &answer, coefficients[0])
                } else {
                    local.tangent::<F, M, S>(self.rules, &answer, &moduli, coefficients)
                };
                tangent::write(&k, &mut matrix);
                len = dofs * dofs;
            }
            sink(index, &force[..dofs], &matrix[..len]);
        }
        Ok(energies)
    }
}

fn check(energies: &Energies, force: &[f64]) -> Result<(), Fault> {
    // A sum of absolute values is finite only where all its terms are.
    let sum =
        force.iter().fold((energies.strain + energies.plastic + energies.viscous_power).abs(), |s, x| s + x.abs());
    if sum.is_finite() { Ok(()) } else { Err(Fault::NonFinite) }
}

impl<const D: usize, const N: usize, const Q: usize> Cell<D, N, Q> {
    /// A field at the nodes.
    #[inline]
    pub fn pick(&self, x: &[f64]) -> [[f64; D]; N] {
        self.nodes.map(|n| std::array::from_fn(|i| x[D * n as usize + i]))
    }
}

impl<'a, const D: usize, const N: usize, const Q: usize> Local<'a, D, N, Q> {
    #[inline]
    pub fn gather(batch: &'a Batch<D, N, Q>, rank: usize, rules: &Rules, motion: Motion<'_>) -> Self {
        let cell = &batch.cells[rank];
        let v = if rules.viscous_time > 0.0 { cell.pick(motion.v) } else { [[0.0; D]; N] };
        Self { cell, hoop: batch.hoops.get(rank), u: cell.pick(motion.u), v }
    }

    /// Gradients of a field at all points.
    #[inline]
    pub fn gradients<const M: usize>(&self, field: &[[f64; D]; N]) -> [[f64; M]; Q] {
        let mut lanes = [[0.0; Q]; M];
        for a in 0..N {
            for i in 0..D {
                for k in 0..D {
                    for q in 0..Q {
                        lanes[i * D + k][q] += field[a][i] * self.cell.gradients[a][k][q];
                    }
                }
            }
        }
        if let Some(hoop) = self.hoop {
            for a in 0..N {
                for q in 0..Q {
                    lanes[M - 1][q] += field[a][0] * hoop[a][q];
                }
            }
        }
        std::array::from_fn(|q| std::array::from_fn(|m| lanes[m][q]))
    }

    /// `f_a = Σ w P ∇N_a`, row-major into `out`.
    #[inline]
    pub fn force<const M: usize>(&self, piola: &[[f64; M]; Q], out: &mut [f64]) {
        let mut lanes = [[0.0; Q]; M];
        for q in 0..Q {
            for m in 0..M {
                lanes[m][q] = self.cell.weights[q] * piola[q][m];
            }
        }
        for a in 0..N {
            for i in 0..D {
                let mut sums = [0.0; Q];
                for k in 0..D {
                    for q in 0..Q {
                        sums[q] += lanes[i * D + k][q] * self.cell.gradients[a][k][q];
                    }
                }
                if i == 0
                    && let Some(hoop) = self.hoop
                {
                    for q in 0..Q {
                        sums[q] += lanes[M - 1][q] * hoop[a][q];
                    }
                }
                out[D * a + i] = sums.iter().sum();
            }
        }
    }
}
