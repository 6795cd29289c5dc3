//! Explicit steps: how long they may be, and their forces in one pass

use super::{At, Structure, StructureError};
use crate::material::Kinematics;
use crate::model::DiscreteKind;
use crate::solid::{Energies, Motion};

impl Structure {
    /// Longest stable step of central differences, by bounds on elements of some parts and beams; what sets it.
    pub fn critical_step(&self, u: &[f64], of: &dyn Fn(usize) -> bool) -> Result<(f64, String), StructureError> {
        let mut best = (f64::INFINITY, "no element".to_owned());
        for (_, part) in self.model.parts.iter().enumerate().filter(|(p, _)| of(*p)) {
            let (step, cell) = part
                .solid
                .critical_step(&u[part.range()])
                .map_err(|reason| StructureError::Solid { part: part.name.clone(), reason })?;
            if step < best.0 {
                best = (step, format!("element {cell} of part '{}'", part.name));
            }
        }
        for (k, beam) in self.beams.iter().enumerate() {
            let step = beam.critical_step();
            if step < best.0 {
                best = (step, format!("element {k} of the beams"));
            }
        }
        for d in &self.model.discrete {
            if let DiscreteKind::Spring { stiffness, .. } = d.kind {
                let m = |i: u32| 1.0 / self.lumped[i as usize];
                let omega2 = stiffness * (m(d.a) + d.b.map_or(0.0, m));
                if omega2.is_finite() && 2.0 / omega2.sqrt() < best.0 {
                    best = (2.0 / omega2.sqrt(), format!("the spring at degree of freedom {}", d.a));
                }
            }
        }
        Ok(best)
    }

    /// Longest stable step of central differences in the configuration `u`, `whole` being that of
    /// the reference shape, or a longer one that serves as well: at least `same(it)`.
    ///
    /// Cells that cannot shorten the step below `same` of the shortest found so far cost a bound
    /// instead of an eigenvalue.
    pub fn deformed_step(&mut self, u: &[f64], whole: f64, same: &dyn Fn(f64) -> f64) -> Result<f64, StructureError> {
        let model = self.model.clone();
        if self.frequencies.is_empty() {
            for part in &model.parts {
                let named = |reason| StructureError::Solid { part: part.name.clone(), reason };
                self.frequencies.push(part.solid.frequency_bounds().map_err(named)?);
            }
        }
        let mut limit = whole;
        for (part, bounds) in model.parts.iter().zip(&mut self.frequencies) {
            let named = |reason| StructureError::Solid { part: part.name.clone(), reason };
            let (solid, u) = (&part.solid, &u[part.range()]);
            limit = match bounds {
                Some(bounds) if !solid.is_viscous() => {
                    let enough = |omega2: f64| (2.0 / same(2.0 / omega2.sqrt())).powi(2);
                    let omega2 = solid.deformed_frequency(u, bounds, (2.0 / limit).powi(2), &enough).map_err(named)?;
                    limit.min(2.0 / omega2.sqrt())
                }
                _ if !matches!(solid.spec().kinematics, Kinematics::Finite) => limit,
                _ => limit.min(solid.critical_step(u).map_err(named)?.0),
            };
        }
        Ok(limit)
    }

    /// Internal forces and internal variables of an explicit step, in one pass.
    pub fn step_explicit(
        &mut self,
        at: At<'_>,
        new_history: &mut [f64],
        force: &mut [f64],
    ) -> Result<Energies, StructureError> {
        force.fill(0.0);
        let model = self.model.clone();
        let scatter = self.assembler.scatter();
        let mut total = Energies::default();
        for (p, part) in model.parts.iter().enumerate() {
            let (range, h) = (part.range(), self.histories[p]..self.histories[p + 1]);
            let motion = Motion { u: &at.u[range.clone()], v: &at.v[range] };
            let first = self.elements[p];
            let mut add = |cell: usize, f: &[f64], _: &[f64]| {
                scatter.dofs(first + cell).iter().zip(f).for_each(|(dof, f)| force[*dof as usize] += f);
            };
            let (old, new) = (&at.history[h.clone()], &mut new_history[h]);
            total += part
                .solid
                .evaluate(0..part.solid.cells(), motion, old, new, None, &mut add)
                .map_err(|reason| StructureError::Solid { part: part.name.clone(), reason })?;
        }
        for beam in &self.beams {
            beam.add_force(at.u, force);
            total.strain += beam.energy(at.u);
        }
        for d in &model.discrete {
            if let DiscreteKind::Spring { stiffness, rest } = d.kind {
                let f = stiffness * (d.across(at.u) - rest);
                total.strain += 0.5 * f * (d.across(at.u) - rest);
                force[d.a as usize] += f;
                if let Some(b) = d.b {
                    force[b as usize] -= f;
                }
            }
        }
        if let Some(c) = &self.damping {
            c.mul_add(at.v, force);
        }
        self.fluids.add_force(at.v, force);
        Ok(total)
    }

    /// Longest stable step `2 factor/ω` of the assembled model, at least `bound`: power iteration
    /// on the lumped mass and the present tangent, with a margin of one per cent.
    pub fn stable_step(&mut self, factor: f64, bound: f64) -> Result<f64, StructureError> {
        let n = self.model.dofs();
        let (zero, history) = (vec![0.0; n], self.initial_history());
        let mut force = vec![0.0; n];
        self.internal(At { u: &zero, v: &zero, history: &history }, Some([1.0, 0.0]), &mut force)?;
        let held: std::collections::BTreeSet<u32> = self.imposed.dofs().iter().copied().collect();
        let inverse: Vec<f64> = (0..n)
            .map(|i| if self.lumped[i] > 0.0 && !held.contains(&(i as u32)) { self.lumped[i].recip() } else { 0.0 })
            .collect();
        // High frequencies alternate in sign from node to node; a slow drift of phase reaches all of them.
        let mut x: Vec<f64> =
            (0..n).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 } + 0.37 * (i as f64 * 0.7).sin()).collect();
        let mut omega2 = 0.0f64;
        for _ in 0..300 {
            let mut y = vec![0.0; n];
            self.tangent.mul_add(&x, &mut y);
            y.iter_mut().zip(&inverse).for_each(|(y, m)| *y *= m);
            let top: f64 = x.iter().zip(&y).zip(&self.lumped).map(|((x, y), m)| x * y * m).sum();
            let bottom: f64 = x.iter().zip(&self.lumped).map(|(x, m)| x * x * m).sum();
            if bottom > 0.0 {
                omega2 = omega2.max(top / bottom);
            }
            let norm = y.iter().map(|y| y * y).sum::<f64>().sqrt();
            if !(norm > 0.0) {
                break;
            }
            x = y.into_iter().map(|y| y / norm).collect();
        }
        Ok((2.0 * factor / (1.01 * omega2).sqrt()).max(bound))
    }
}
