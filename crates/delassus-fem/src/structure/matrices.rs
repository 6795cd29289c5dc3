//! Masses, damping and weights

use super::{Structure, StructureError, add_pair};
use crate::algebra::{Cholesky, SolveScratch, SymmetricMatrix};
use crate::model::DiscreteKind;
use crate::solid::Motion;
use crate::subsystem::Ties;

impl Structure {
    /// The lumped mass in the place of the consistent one, where `lumped` says so.
    pub fn lump(&mut self, lumped: &[bool]) {
        let pattern = self.pattern.clone();
        let start = pattern.column_starts();
        for j in (0..lumped.len()).filter(|j| lumped[*j]) {
            self.mass.values_mut()[start[j]..start[j + 1]].fill(0.0);
            self.mass.values_mut()[pattern.diagonal(j)] = self.lumped[j];
        }
        self.mass_factor = None;
    }

    /// `x ← M⁻¹ x`, with the lumped or the consistent mass; zero where the motion is imposed.
    pub fn solve_mass(&mut self, x: &mut [f64], lumped: bool) -> Result<(), StructureError> {
        for dof in self.imposed.dofs() {
            x[*dof as usize] = 0.0;
        }
        if lumped {
            x.iter_mut().zip(&self.lumped).for_each(|(x, m)| *x = if *m > 0.0 { *x / m } else { 0.0 });
            return Ok(());
        }
        if self.mass_factor.is_none() {
            let mut mass = self.mass.clone();
            let diagonal = mass.diagonal().fold(0.0, f64::max);
            mass.impose(&self.imposed, diagonal);
            let mut factor = Cholesky::new(&self.pattern)?;
            factor.refactor(&mass)?;
            self.mass_factor = Some(factor);
        }
        if let Some(factor) = &self.mass_factor {
            factor.solve_in_place(x, &mut SolveScratch::default())?;
        }
        Ok(())
    }

    /// `x ← M⁻¹ (x − Bᵀ Υ)`, of accelerations that keep to the rows of `ties`.
    pub(crate) fn solve_mass_tied(&self, x: &mut [f64], lumped: bool, ties: &Ties) -> Result<(), StructureError> {
        self.imposed.dofs().iter().for_each(|dof| x[*dof as usize] = 0.0);
        self.tied_mass(lumped, ties)?.solve(x, &mut vec![0.0; ties.len()])?;
        Ok(())
    }

    /// Weights of parts whose loads in volume are shared otherwise than their inertia.
    pub(crate) fn reweigh(&self, gravity: [f64; 3], weight: &mut [f64]) -> Result<(), StructureError> {
        let dim = self.model.dim;
        for part in &self.model.parts {
            let shared = part.solid.factors().is_some_and(|f| f.load != f.inertia);
            if !shared {
                continue;
            }
            let named = |reason| StructureError::Solid { part: part.name.clone(), reason };
            let mut add = |cell: usize, f: &dyn Fn(usize) -> f64| {
                for (a, node) in part.solid.connectivity(cell).iter().enumerate() {
                    let at = dim * (part.first + *node as usize);
                    (0..dim).for_each(|k| weight[at + k] += f(dim * a + k));
                }
            };
            let (cells, load) = (0..part.solid.cells(), gravity.map(|g| g * part.solid.spec().density));
            part.solid.volume_load(cells.clone(), &mut |_| load, &mut |c, f, _| add(c, &|i| f[i])).map_err(named)?;
            // What the mass had brought.
            let masses = &mut |c: usize, _: &[f64], m: &[f64]| {
                let n = (m.len() as f64).sqrt() as usize;
                add(c, &|i| -(0..n).map(|j| m[n * i + j] * gravity[j % dim]).sum::<f64>());
            };
            part.solid.mass(cells, false, masses).map_err(named)?;
        }
        Ok(())
    }

    pub(super) fn masses(&mut self) -> Result<(), StructureError> {
        let model = self.model.clone();
        for (part, &first) in model.parts.iter().zip(&self.elements) {
            let dim = model.dim;
            let (mass, lumped, scatter) = (&mut self.mass, &mut self.lumped, self.assembler.scatter());
            let named = |reason| StructureError::Solid { part: part.name.clone(), reason };
            part.solid
                .mass(0..part.solid.cells(), false, &mut |cell, _, m| mass.add_element(scatter, first + cell, m))
                .map_err(named)?;
            part.solid
                .mass(0..part.solid.cells(), true, &mut |cell, m, _| {
                    for (node, m) in part.solid.connectivity(cell).iter().zip(m.chunks(dim)) {
                        let at = dim * (part.first + *node as usize);
                        lumped[at..at + dim].iter_mut().zip(m).for_each(|(a, b)| *a += b);
                    }
                })
                .map_err(named)?;
        }
        for beam in &self.beams {
            beam.add_mass(&mut self.mass)?;
            beam.lump(&mut self.lumped);
        }
        for d in &model.discrete {
            if let DiscreteKind::Mass { mass } = d.kind {
                self.mass.add(d.a, d.a, mass)?;
                self.lumped[d.a as usize] += mass;
            }
        }
        Ok(())
    }

    /// Rayleigh damping on the initial stiffness, and dampers.
    pub(super) fn dampings(&mut self) -> Result<(), StructureError> {
        let model = self.model.clone();
        let mut damping = SymmetricMatrix::zero(self.pattern.clone());
        let mut any = false;
        let zero = vec![0.0; model.dofs()];
        for (k, part) in model.parts.iter().enumerate() {
            let [alpha, beta] = part.rayleigh;
            if alpha == 0.0 && beta == 0.0 {
                continue;
            }
            any = true;
            let (first, scatter) = (self.elements[k], self.assembler.scatter());
            let range = part.range();
            let history = part.solid.initial_history();
            let mut scratch = history.clone();
            let mut scaled = vec![];
            let mut add = |cell: usize, m: &[f64], factor: f64| {
                scaled.clear();
                scaled.extend(m.iter().map(|x| factor * x));
                damping.add_element(scatter, first + cell, &scaled);
            };
            part.solid
                .mass(0..part.solid.cells(), false, &mut |cell, _, m| add(cell, m, alpha))
                .map_err(|reason| StructureError::Solid { part: part.name.clone(), reason })?;
            let motion = Motion { u: &zero[range.clone()], v: &zero[range] };
            part.solid
                .evaluate(0..part.solid.cells(), motion, &history, &mut scratch, Some([1.0, 0.0]), &mut |cell, _, k| {
                    add(cell, k, beta)
                })
                .map_err(|reason| StructureError::Solid { part: part.name.clone(), reason })?;
        }
        for beam in &self.beams {
            any |= beam.add_damping(&mut damping)?;
        }
        for dashpot in &model.dashpots {
            any = true;
            dashpot.add(&mut damping)?;
        }
        for d in &model.discrete {
            if let DiscreteKind::Damper { coefficient } = d.kind {
                any = true;
                add_pair(&mut damping, d.a, d.b, coefficient)?;
            }
        }
        self.damping = any.then_some(damping);
        Ok(())
    }
}
