//! The end of a step: forces of contact, state, energies
//!
//! With `v̄ = ½ (v + v⁺)` and `F̄` the forces that changed the velocity, `M (v⁺ − v) = h F̄` and
//! `ΔK = h v̄·F̄` hold identically; each class of forces does the work `h v̄·F̄_class`.

use super::{Analysis, Error, Ledger, Status};
use crate::structure::At;
use crate::{Prediction, Scheme};

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Vectors of the works of a step.
#[derive(Default)]
pub struct Works {
    path: Vec<f64>,
    external: Vec<f64>,
    internal: Vec<f64>,
    contact: [Vec<f64>; 2],
    inertia: Vec<f64>,
    /// Internal and external forces at the beginning; scratch afterwards.
    before: Vec<f64>,
    outer: Vec<f64>,
}

impl Works {
    fn clear(&mut self, n: usize) {
        let [normal, tangential] = &mut self.contact;
        let Self { path, external, internal, inertia, before, outer, .. } = self;
        for x in [path, external, internal, normal, tangential, inertia, before, outer] {
            x.clear();
            x.resize(n, 0.0);
        }
    }
}

impl Analysis {
    /// Accelerations of the start, for schemes that carry them.
    pub(super) fn start(&mut self) -> Result<(), Error> {
        for (dof, value) in self.structure.held(self.state.time).collect::<Vec<_>>() {
            self.state.u[dof] = value;
        }
        let scheme = self.settings.scheme;
        if matches!(scheme, Scheme::Newmark { .. } | Scheme::Hht { .. }) || scheme.is_explicit() {
            let n = self.state.u.len();
            let (mut internal, mut external) = (vec![0.0; n], vec![0.0; n]);
            let at = At { u: &self.state.u, v: &self.state.v, history: &self.state.history };
            self.structure.internal(at, None, &mut internal)?;
            self.structure.external(self.state.time, &self.state.u, &mut external)?;
            let mut a: Vec<f64> = external.iter().zip(&internal).map(|(e, i)| e - i).collect();
            match scheme {
                Scheme::SemiExplicit { .. } => self.structure.accelerations(&internal, &mut a),
                _ => self.structure.solve_mass(&mut a, scheme.is_explicit())?,
            }
            self.state.a = a;
        }
        self.measure_energies()?;
        Ok(())
    }

    /// Energies of the present state, into the report.
    pub(super) fn measure_energies(&mut self) -> Result<(), Error> {
        let explicit = self.settings.scheme.is_explicit();
        let [strain, _] = self.stored()?;
        let kinetic =
            if self.settings.scheme.is_dynamic() { self.structure.kinetic(&self.state.v, explicit) } else { 0.0 };
        self.report.energy = Ledger { kinetic, strain, ..Ledger::default() };
        self.momenta();
        Ok(())
    }

    /// Stored and plastic energy of the state.
    pub(super) fn stored(&mut self) -> Result<[f64; 2], Error> {
        if let Some(stored) = self.ws.stored {
            return Ok(stored);
        }
        let at = At { u: &self.state.u, v: &self.state.v, history: &self.state.history };
        self.ws.history.clone_from(&self.state.history);
        let energies = self.structure.advance(at, &mut self.ws.history)?;
        let stored = [energies.strain, energies.plastic];
        self.ws.stored = Some(stored);
        Ok(stored)
    }

    /// Commits an implicit step.
    pub(super) fn commit_implicit(&mut self, h: f64) -> Result<(), Error> {
        self.gather_contact();
        let before = self.stored()?;
        let balance = &self.ws.balance;
        let history = &mut self.ws.history;
        history.clone_from(&self.state.history);
        let at = At { u: &balance.u, v: &balance.v, history: &self.state.history };
        let energies = self.structure.advance(at, history)?;
        let mut ledger = self.works(h)?;
        ledger.kinetic =
            if self.settings.scheme.is_dynamic() { self.structure.kinetic(&self.ws.balance.v, false) } else { 0.0 };
        ledger.strain = energies.strain;
        ledger.plastic = energies.plastic - before[1];
        ledger.viscous += h * energies.viscous_power;
        self.close(&mut ledger, before[0]);
        self.ws.stored = Some([energies.strain, energies.plastic]);
        let state = &mut self.state;
        std::mem::swap(&mut state.u, &mut self.ws.balance.u);
        std::mem::swap(&mut state.v, &mut self.ws.balance.v);
        std::mem::swap(&mut state.a, &mut self.ws.balance.a);
        std::mem::swap(&mut state.history, &mut self.ws.history);
        self.finish(h, ledger)
    }

    /// Works of the step; the internal one is kept in `numerical` until [`Analysis::close`].
    fn works(&mut self, h: f64) -> Result<Ledger, Error> {
        let n = self.state.u.len();
        let (balance, state, scheme) = (&self.ws.balance, &self.state, &self.settings.scheme);
        let Prediction { c, .. } = &balance.prediction;
        // Weight of the forces at the end, and displacement they work on.
        let gamma = match scheme {
            Scheme::Newmark { .. } | Scheme::Hht { .. } => c[1] / h,
            Scheme::QuasiStatic => 0.5,
            _ => 1.0,
        };
        let works = &mut self.ws.works;
        works.clear(n);
        let Works { path, external, internal, contact, inertia, before, outer } = works;
        match scheme.is_dynamic() {
            true => (0..n).for_each(|i| path[i] = 0.5 * h * (state.v[i] + balance.v[i])),
            false => (0..n).for_each(|i| path[i] = balance.u[i] - state.u[i]),
        }
        let weight = scheme.weight();
        external.copy_from_slice(&balance.external);
        internal.copy_from_slice(&balance.internal);
        if gamma != 1.0 || weight != 1.0 {
            let at = At { u: &state.u, v: &state.v, history: &state.history };
            self.structure.internal(at, None, before)?;
            self.structure.external(state.time, &state.u, outer)?;
            // What held at the beginning: with weights between steps only the sum is known, M a.
            let held = &mut *inertia;
            held.copy_from_slice(before);
            if weight != 1.0 {
                held.fill(0.0);
                self.structure.mass().mul_add(&state.a, held);
                let contact = |i: usize| state.contact[0][i] + state.contact[1][i];
                held.iter_mut().enumerate().for_each(|(i, x)| *x = outer[i] + contact(i) - *x);
            }
            for i in 0..n {
                let blend = |before: f64, after: f64| weight * after + (1.0 - weight) * before;
                internal[i] = gamma * blend(before[i], internal[i]) + (1.0 - gamma) * held[i];
                external[i] = gamma * blend(outer[i], external[i]) + (1.0 - gamma) * outer[i];
            }
        }
        for k in 0..2 {
            for i in 0..n {
                contact[k][i] = gamma * self.ws.contact[k][i] + (1.0 - gamma) * state.contact[k][i];
            }
        }
        inertia.fill(0.0);
        if scheme.is_dynamic() {
            (0..n).for_each(|i| before[i] = (balance.v[i] - state.v[i]) / h);
            self.structure.mass().mul_add(before, inertia);
        }
        let mut ledger = Ledger { external: dot(path, external), ..Ledger::default() };
        ledger.contact = dot(path, &contact[0]);
        ledger.friction = dot(path, &contact[1]);
        ledger.numerical = dot(path, internal);
        // Supports: what the balance lacks where the motion is imposed.
        for dof in self.structure.imposed().dofs() {
            let i = *dof as usize;
            ledger.external += path[i] * (inertia[i] + internal[i] - external[i] - contact[0][i] - contact[1][i]);
        }
        if let Some(damping) = self.structure.damping() {
            outer.fill(0.0);
            damping.mul_add(&balance.v, outer);
            ledger.viscous = h * dot(&balance.v, outer);
        }
        Ok(ledger)
    }

    /// `numerical` and `closing` from the internal work.
    fn close(&self, ledger: &mut Ledger, strain_before: f64) {
        let internal = ledger.numerical;
        if !self.settings.scheme.is_dynamic() {
            // Loads may have stood on a body that was not in balance: only the end must be.
            ledger.closing = self.unbalanced_work();
            ledger.numerical = ledger.strain - strain_before + ledger.plastic + ledger.viscous
                - (ledger.external + ledger.contact + ledger.friction)
                - ledger.closing;
            return;
        }
        let kinetic_before = self.structure.kinetic(&self.state.v, false);
        ledger.numerical = ledger.strain - strain_before + ledger.plastic + ledger.viscous - internal;
        let gained = ledger.kinetic - kinetic_before;
        ledger.closing = gained - (ledger.external + ledger.contact + ledger.friction - internal);
    }

    /// Work of what the balance at the end lacks, on the displacements of the step.
    fn unbalanced_work(&self) -> f64 {
        let (balance, contact) = (&self.ws.balance, &self.ws.contact);
        (0..balance.u.len())
            .filter(|i| !self.structure.is_held(*i))
            .map(|i| {
                let lack = balance.external[i] + contact[0][i] + contact[1][i] - balance.internal[i];
                lack * (balance.u[i] - self.state.u[i])
            })
            .sum()
    }

    /// Nodal contact forces from the stresses at the points.
    pub(super) fn gather_contact(&mut self) {
        let points = &self.points;
        for (j, stress) in self.ws.stress.iter().enumerate() {
            let w = points.weight[j];
            points.add_force(j, &[w * stress[0], 0.0, 0.0], &mut self.ws.contact[0]);
            points.add_force(j, &[0.0, w * stress[1], w * stress[2]], &mut self.ws.contact[1]);
        }
    }

    /// Clock, report, checks: what all schemes share.
    pub(super) fn finish(&mut self, h: f64, ledger: Ledger) -> Result<(), Error> {
        for k in 0..2 {
            std::mem::swap(&mut self.state.contact[k], &mut self.ws.contact[k]);
        }
        if self.ws.stress.is_empty() {
            self.state.multipliers.fill(0.0);
        }
        let step = self.state.step;
        self.state.step += 1;
        self.state.time += h;
        if let Some(what) = self.state.motion_not_finite() {
            return Err(Error::NotFinite { what });
        }
        let report = &mut self.report;
        (report.step, report.h, report.parts) = (step, h, 1);
        report.energy = ledger;
        report.residual = self.ws.law_residual;
        let closed = |s: &Status| *s != Status::Open;
        report.closed = self.ws.status.iter().filter(|s| closed(s)).count();
        report.sliding = (0..self.ws.status.len())
            .filter(|j| self.ws.status[*j] == Status::Slip && self.points.friction[*j] > 0.0)
            .count();
        (report.penetration, report.approach, report.force) = (0.0, 0.0, [0.0; 3]);
        for (j, status) in self.ws.status.iter().enumerate() {
            report.penetration = report.penetration.max(-self.points.gap_at(j, &self.state.u));
            if closed(status) {
                report.approach = report.approach.max(self.points.velocity(j, &self.state.v)[0].abs());
            }
            let force = self.points.global(j, &self.ws.stress[j].map(|s| s * self.points.weight[j]));
            (0..3).for_each(|k| report.force[k] += force[k]);
        }
        self.momenta();
        Ok(())
    }

    /// Linear and angular momentum about the origin.
    fn momenta(&mut self) {
        let (dim, n) = (self.structure.model().dim, self.state.u.len());
        let p = &mut self.ws.momentum;
        p.clear();
        p.resize(n, 0.0);
        match self.settings.scheme.is_explicit() {
            true => (0..n).for_each(|i| p[i] = self.structure.lumped()[i] * self.state.v[i]),
            false => self.structure.mass().mul_add(&self.state.v, p),
        }
        let (mut linear, mut angular) = ([0.0; 3], [0.0; 3]);
        for i in (0..dim * self.structure.model().nodes()).step_by(dim) {
            let at = |x: &[f64]| std::array::from_fn(|k| if k < dim { x[i + k] } else { 0.0 });
            let (x, u, p): ([f64; 3], [f64; 3], [f64; 3]) = (at(&self.x), at(&self.state.u), at(p));
            let x: [f64; 3] = std::array::from_fn(|k| x[k] + u[k]);
            for k in 0..3 {
                let (a, b) = ((k + 1) % 3, (k + 2) % 3);
                linear[k] += p[k];
                angular[k] += x[a] * p[b] - x[b] * p[a];
            }
        }
        (self.report.linear, self.report.angular) = (linear, angular);
    }
}
