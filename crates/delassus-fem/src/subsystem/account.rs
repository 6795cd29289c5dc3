//! The end of a step: motion, internal variables, works
//!
//! With `v̄ = ½ (v + v⁺)` and `F̄` the forces that changed the velocity, `M (v⁺ − v) = h F̄` and
//! `ΔK = h v̄·F̄` hold identically; each class of forces does the work `h v̄·F̄_class`. Inner forces are those
//! of the stresses, so that what does not close says that the balance does not.

use super::balance::zeros;
use super::solids::Solids;
use crate::Scheme;
use crate::structure::{At, StructureError};
use delassus_dynamics::{Account, Ledger};

/// The solids at the end of a step.
#[derive(Default)]
pub struct End {
    /// Displacements.
    pub u: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Accelerations.
    pub a: Vec<f64>,
    /// Internal variables.
    pub history: Vec<f64>,
    /// Contact forces: normal, tangential.
    pub contact: [Vec<f64>; 2],
    /// Forces of the rows that hold whatever touches.
    pub tied: Vec<f64>,
    /// Stored and plastic energy.
    pub energies: [f64; 2],
    /// Taken by viscosity, where it is known before the contacts are.
    pub viscous: f64,
    /// Mean displacement, internal and external forces of the step; scratch.
    path: Vec<f64>,
    internal: Vec<f64>,
    external: Vec<f64>,
    pub(super) scratch: Vec<f64>,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl<const D: usize> Solids<D> {
    /// Stored and plastic energy of the state with these coordinates; NaN where an element refuses them.
    pub(super) fn stored_of(&self, own: &[f64]) -> [f64; 2] {
        if let Some(energies) = self.stored.get() {
            return energies;
        }
        let (u, history) = own[..self.columns.history.end].split_at(self.columns.displacement.end);
        let (v, mut new) = (vec![0.0; u.len()], history.to_vec());
        let energies = self.structure.advance(At { u, v: &v, history }, &mut new);
        let energies = energies.map_or([f64::NAN; 2], |e| [e.strain, e.plastic]);
        self.stored.set(Some(energies));
        energies
    }

    /// Moves to the end of the step, and adds its works.
    pub(super) fn add_works(&mut self, step: &Account<'_>, ledger: &mut Ledger) -> Result<(), StructureError> {
        let before = self.stored_of(self.own(step.state));
        let mut end = std::mem::take(&mut self.end);
        let viscous = self.arrive(step, &mut end);
        let done = viscous.and_then(|viscous| {
            let mut own = Ledger { plastic: end.energies[1] - before[1], viscous, ..Ledger::default() };
            self.tie(&mut end);
            self.forces(step, &mut end)?;
            self.works(step, &mut end, &mut own);
            Ok(own)
        });
        self.end = end;
        let own = done?;
        ledger.external += own.external;
        ledger.shock += own.shock;
        ledger.friction += own.friction;
        ledger.plastic += own.plastic;
        ledger.viscous += own.viscous;
        ledger.numerical += own.numerical + own.plastic + own.viscous;
        Ok(())
    }

    /// Motion and internal variables at the end; what viscosity takes.
    fn arrive(&mut self, step: &Account<'_>, end: &mut End) -> Result<f64, StructureError> {
        let history = self.columns.history.clone();
        let history = &step.state.q[self.first.coordinates..][history];
        let explicit = self.is_explicit();
        let Self { structure, balance: b, prediction, settings, weight, inverse, cycle, .. } = self;
        let (n, h, x, scheme) = (b.u.len(), b.h, step.u, settings.scheme);
        for (contact, percussion) in end.contact.iter_mut().zip(step.percussion) {
            contact.clear();
            contact.extend(percussion.iter().map(|s| s / h));
        }
        let take = |into: &mut Vec<f64>, x: &[f64]| {
            into.clear();
            into.extend_from_slice(x);
        };
        take(&mut end.v, x);
        if scheme == Scheme::CentralDifferences {
            take(&mut end.u, &prediction.u);
            zeros(&mut end.a, n);
            for i in 0..n {
                let touch = end.contact[0][i] + end.contact[1][i];
                let mut half = b.v[i] + 0.5 * h * b.a[i];
                end.a[i] = inverse[i] * (b.external[i] + weight[i] - b.internal[i] + touch);
                if structure.is_held(i) {
                    half = (end.u[i] - b.u[i]) / h;
                    end.a[i] = (x[i] - half) / h;
                }
                end.v[i] = half + 0.5 * h * end.a[i];
            }
            return Ok(end.viscous);
        }
        // Overwritten by the materials.
        end.history.resize(history.len(), 0.0);
        if !explicit {
            take(&mut end.u, &b.u_end);
            take(&mut end.a, &b.a_end);
            if let Some(cycle) = cycle {
                for i in &cycle.dofs {
                    let s = cycle.share[*i];
                    end.u[*i] = (1.0 - s) * cycle.base[0][*i] + s * b.u_end[*i];
                }
            }
            let at = At { u: &end.u, v: &end.v, history };
            let energies = structure.advance(at, &mut end.history)?;
            end.energies = [energies.strain, energies.plastic];
            // Dampers act at velocities that the scheme weighs as it weighs forces, and work on the mean ones.
            let gamma = scheme.share();
            let End { path, internal, scratch, v, .. } = &mut *end;
            for (into, share) in [(&mut *path, gamma), (&mut *internal, 0.5)] {
                into.clear();
                into.extend((0..n).map(|i| share * v[i] + (1.0 - share) * b.v[i]));
            }
            return Ok(h * (energies.viscous_power + structure.viscous_power(path, internal, scratch)));
        }
        end.u.clear();
        end.u.extend((0..n).map(|i| prediction.u[i] + prediction.k[0] * x[i]));
        // Internal forces of the beginning, before those of the end take their place.
        take(&mut end.internal, &b.internal);
        let at = At { u: &end.u, v: x, history };
        let energies = structure.step_explicit(at, &mut end.history, &mut b.internal)?;
        end.energies = [energies.strain, energies.plastic];
        zeros(&mut end.a, n);
        structure.accelerations(&b.internal, &mut end.a);
        Ok(h * (energies.viscous_power + structure.viscous_power(x, x, &mut end.scratch)))
    }

    /// Forces of the rows that hold whatever touches: what the balance lacks beside contact.
    fn tie(&self, end: &mut End) {
        let Some(ties) = &self.ties else { return };
        let (b, structure) = (&self.balance, &self.structure);
        end.tied.clear();
        end.tied.extend((0..b.u.len()).map(|i| match structure.is_held(i) {
            true => 0.0,
            false => b.residual[i] / b.h - end.contact[0][i] - end.contact[1][i],
        }));
        // What they cannot carry is not theirs.
        end.scratch.clear();
        end.scratch.extend_from_slice(&end.tied);
        let mut multipliers = vec![];
        ties.project(&mut end.scratch, &mut multipliers);
        end.tied.iter_mut().zip(&end.scratch).for_each(|(t, open)| *t -= open);
    }

    /// Internal and external forces that changed the velocity.
    fn forces(&mut self, _: &Account<'_>, end: &mut End) -> Result<(), StructureError> {
        let explicit = self.is_explicit();
        let Self { structure, balance: b, settings, weight, mixed, cycle, .. } = self;
        let (n, scheme) = (b.u.len(), settings.scheme);
        zeros(&mut end.external, n);
        let gamma = scheme.share();
        match scheme {
            // Those of the beginning alone.
            Scheme::SemiExplicit { .. } if explicit => {
                end.external.copy_from_slice(&b.external);
                return Ok(());
            }
            Scheme::CentralDifferences => {
                structure.external(b.t, &b.u, &mut end.external)?;
                let mass = structure.lumped();
                end.internal.resize(n, 0.0);
                for i in 0..n {
                    let touch = b.contact[0][i] + b.contact[1][i];
                    let first = match structure.is_held(i) {
                        true => b.internal[i],
                        false => end.external[i] + weight[i] + touch - mass[i] * b.a[i],
                    };
                    end.internal[i] = 0.5 * (first + b.internal[i]);
                    end.external[i] = 0.5 * (end.external[i] + b.external[i]);
                }
                return Ok(());
            }
            _ => {}
        }
        end.internal.clear();
        end.internal.extend_from_slice(&b.internal);
        end.external.copy_from_slice(&b.external);
        let w = scheme.weight();
        if gamma == 1.0 && w == 1.0 && mixed.is_none() {
            return Ok(());
        }
        if w == 1.0 && mixed.as_ref().is_none_or(|m| !m.looks_back()) {
            let at = At { u: &b.u, v: &b.v, history: &b.history };
            structure.internal(at, None, &mut b.before[0])?;
            structure.external(b.t, &b.u, &mut b.before[1])?;
        }
        // What held at the beginning: with weights between steps only the sum is known, M a.
        zeros(&mut end.scratch, n);
        end.scratch.copy_from_slice(&b.before[0]);
        let of = |i: usize| mixed.as_ref().map_or([w, w, gamma], |m| [m.internal[i], m.load[i], m.gamma[i]]);
        if (0..n).any(|i| of(i)[0] != 1.0) {
            let sum = &mut end.path;
            zeros(sum, n);
            structure.mass().mul_add(&b.a, sum);
            for i in (0..n).filter(|i| of(*i)[0] != 1.0) {
                let tied = b.tied.get(i).copied().unwrap_or(0.0);
                end.scratch[i] = b.before[1][i] + weight[i] + b.contact[0][i] + b.contact[1][i] + tied - sum[i];
            }
        }
        for i in 0..n {
            let [w, outside, gamma] = of(i);
            let blend = |w: f64, before: f64, after: f64| w * after + (1.0 - w) * before;
            end.internal[i] = gamma * blend(w, b.before[0][i], end.internal[i]) + (1.0 - gamma) * end.scratch[i];
            end.external[i] = gamma * blend(outside, b.before[1][i], end.external[i]) + (1.0 - gamma) * b.before[1][i];
        }
        if let Some(cycle) = cycle {
            // Between the ends of a long step the motion follows no force of its own: all but loads and ties counts.
            let jump: Vec<f64> = end.v.iter().zip(&b.v).map(|(v, before)| (v - before) / b.h).collect();
            zeros(&mut end.path, n);
            structure.mass().mul_add(&jump, &mut end.path);
            for i in cycle.dofs.iter().copied().filter(|i| !structure.is_held(*i)) {
                let tied = end.tied.get(i).map_or(0.0, |t| gamma * t + (1.0 - gamma) * b.tied[i]);
                end.internal[i] = end.external[i] + weight[i] + tied - end.path[i];
            }
        }
        Ok(())
    }

    /// Works of the forces on the mean motion.
    fn works(&mut self, step: &Account<'_>, end: &mut End, own: &mut Ledger) {
        let explicit = self.is_explicit();
        let Self { structure, balance: b, settings, weight, mixed, cycle, .. } = self;
        let (n, h, scheme) = (b.u.len(), b.h, settings.scheme);
        let End { u, v, contact, path, internal, external, scratch, tied: end_tied, .. } = end;
        path.clear();
        match scheme.is_dynamic() {
            true => path.extend((0..n).map(|i| 0.5 * h * (b.v[i] + v[i]))),
            false => path.extend((0..n).map(|i| u[i] - b.u[i])),
        }
        let gamma = scheme.share();
        let touch = |k: usize, i: usize| match scheme.blends() {
            true => gamma * contact[k][i] + (1.0 - gamma) * b.contact[k][i],
            false => contact[k][i],
        };
        own.external += dot(path, external);
        own.numerical += dot(path, weight) - dot(path, internal);
        if scheme.blends() {
            own.shock += (0..n).map(|i| path[i] * touch(0, i)).sum::<f64>();
            own.friction += (0..n).map(|i| path[i] * touch(1, i)).sum::<f64>();
        }
        if !end_tied.is_empty() {
            let long = |i: usize| cycle.as_ref().is_some_and(|c| c.has[i]);
            let share = |i: usize| mixed.as_ref().filter(|_| !long(i)).map_or(gamma, |m| m.gamma[i]);
            let tie = |i: usize| share(i) * end_tied[i] + (1.0 - share(i)) * b.tied[i];
            own.numerical += (0..n).map(|i| path[i] * tie(i)).sum::<f64>();
        }
        // Supports: what the balance lacks where the motion is imposed.
        zeros(scratch, n);
        if explicit {
            (0..n).for_each(|i| scratch[i] = structure.lumped()[i] * (v[i] - b.v[i]) / h);
        } else if scheme.is_dynamic() {
            let jump: &mut Vec<f64> = &mut b.a_end;
            jump.clear();
            jump.extend(v.iter().zip(&b.v).map(|(a, b)| (a - b) / h));
            structure.mass().mul_add(jump, scratch);
        }
        for dof in structure.imposed().dofs() {
            let i = *dof as usize;
            own.external += path[i] * (scratch[i] + internal[i] - external[i] - weight[i] - touch(0, i) - touch(1, i));
        }
        if scheme == Scheme::QuasiStatic {
            // Loads may have stood on a body that was not in balance: only the end must be.
            for i in (0..n).filter(|i| !structure.is_held(*i)) {
                let lack = b.before[1][i] + weight[i] + b.contact[0][i] + b.contact[1][i] - b.before[0][i];
                own.numerical -= 0.5 * path[i] * lack;
            }
        }
        let _ = step;
    }
}
