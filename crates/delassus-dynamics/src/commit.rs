//! Stage 7: the state, the energies, what the step has to tell.

use crate::solve::Verdict;
use crate::{After, Error, Event, Failure, LINK, Ledger, LinkKind, Simulation, Subsystem};
use delassus_contact::ContactKey;
use delassus_friction::algebra::Vector;
use delassus_friction::laws::COMPONENTS;

impl<S: Subsystem<D, C>, const D: usize, const C: usize> Simulation<S, D, C> {
    /// Fills the report from the verdict; describes a failure.
    pub(crate) fn judge(&mut self, verdict: &Verdict, h: f64) -> Option<Failure> {
        let (report, ws) = (&mut self.report, &self.ws);
        (report.step, report.h, report.status) = (self.state.step, h, verdict.status);
        (report.residual, report.absolute) = (verdict.residual, verdict.residual * ws.problem.b_norm());
        report.iterations = verdict.sweeps + verdict.more;
        if verdict.status == delassus_friction::Status::Converged {
            if verdict.more > 0 {
                report.events.push(Event::HandedOver { sweeps: verdict.sweeps, iterations: verdict.more });
            }
            return None;
        }
        let key = |block: &usize| match ws.active.get(*block) {
            Some(&c) => ws.found.contacts[c as usize].key,
            None => {
                ContactKey { colliders: [u32::MAX, ws.links[*block - ws.active.len()].slot], ..ContactKey::default() }
            }
        };
        Some(Failure {
            step: self.state.step,
            time: self.state.time,
            h,
            residual: verdict.residual,
            tolerance: self.settings.tolerance,
            iterations: report.iterations,
            status: verdict.status,
            worst: verdict.worst.iter().map(key).collect(),
            file: None,
        })
    }

    /// 7: the state, and what the step has to tell.
    pub(crate) fn commit(&mut self, h: f64) -> Result<(), Error> {
        let mut ledger = self.works(h);
        let before = self.system.kinetic(&self.ws.u_i) + self.system.potential(&self.state);
        let potential = self.system.potential(&self.state);
        self.keep_percussions();
        self.system.commit(&self.ws.u_f, h, &mut self.state)?;
        let moved = self.system.potential(&self.state);
        // What conservative forces worked beyond the loss of potential.
        ledger.numerical += moved - potential;
        self.report.corrected = match self.settings.correction {
            Some(c) => Some(crate::correction::correct(&self.system, &mut self.ws, (c, h), &mut self.state)?),
            None => None,
        };
        ledger.potential = self.system.potential(&self.state);
        ledger.correction = ledger.potential - moved;
        ledger.kinetic = self.system.kinetic(&self.ws.u_f);
        self.system.complete(&mut ledger);
        ledger.closing = ledger.kinetic + ledger.potential - before - ledger.works();
        self.state.time += h;
        self.state.step += 1;
        let (report, ws) = (&mut self.report, &self.ws);
        report.energy = ledger;
        report.time = self.state.time;
        report.momenta = self.system.momenta(&self.state);
        report.joint_drift = self.system.joint_drift(&self.state);
        (report.contacts, report.candidates, report.links) = (ws.active.len(), ws.found.contacts.len(), ws.links.len());
        report.max_penetration = ws.found.contacts.iter().fold(0.0, |m: f64, c| m.max(-c.gap));
        Ok(())
    }

    /// Works of loads, contacts and links over the step.
    pub(crate) fn works(&mut self, h: f64) -> Ledger {
        let ws = &mut self.ws;
        let mut ledger = Ledger::default();
        let mean = |i: usize| (ws.before[i] + ws.after[i]) * 0.5;
        let obstacle = |i: usize| (ws.rows.w()[i][0] + ws.rows.w()[i][1]) * 0.5;
        for i in 0..ws.active.len() {
            let (s, v, o) = (&ws.s[i], mean(i), &ws.offset[i]);
            let bonded = ws.compliance[i].amax() != 0.0;
            let work = s.dot(&v);
            if bonded {
                ledger.bonds += work;
            } else {
                // Friction works on the velocity its law speaks of; the jump from the one before is shock.
                let tau = ws.restitution[i][1];
                let slip = (ws.after[i] + ws.before[i] * tau) / (1.0 + tau);
                let friction = s.dot(&slip) - s[0] * slip[0];
                ledger.friction += friction;
                ledger.shock += work - friction;
            }
            ledger.bonds -= o.dot(&v);
            ledger.external -= (s - o).dot(&obstacle(i));
        }
        for (link, i) in ws.links.iter().zip(ws.active.len()..) {
            let work = ws.s[i].dot(&mean(i));
            *match link.kind {
                LinkKind::Joint | LinkKind::Spring => &mut ledger.numerical,
                LinkKind::Motor => &mut ledger.external,
                LinkKind::Friction => &mut ledger.friction,
                LinkKind::Limit => &mut ledger.shock,
            } += work;
            ledger.external -= ws.s[i].dot(&obstacle(i));
        }
        ws.force.clear();
        ws.force.extend(ws.u_i.iter().zip(&ws.u_f).map(|(a, b)| 0.5 * (a + b)));
        let loads = self.system.works(&ws.force, h);
        ledger.external += loads.external;
        ledger.numerical += loads.conservative + loads.gyroscopic;
        ledger
    }

    /// Percussions and internal variables into the state.
    pub(crate) fn keep_percussions(&mut self) {
        let (ws, state) = (&mut self.ws, &mut self.state);
        let narrow = |x: &Vector<C>| std::array::from_fn(|k| if k < C { x[k] } else { 0.0 });
        for kept in &mut ws.kept {
            kept.percussion = [0.0; COMPONENTS];
        }
        for (i, &c) in ws.active.iter().enumerate() {
            let kept = &mut ws.kept[c as usize];
            kept.percussion = narrow(&(ws.s[i] - ws.offset[i]));
            let after = After { velocity: narrow(&ws.after[i]), percussion: kept.percussion };
            self.system.remember(&ws.found.contacts[c as usize], &ws.meetings[i], &after, &mut kept.memory);
        }
        state.contacts.clone_from(&ws.kept);
        state.links.fill([0.0; LINK]);
        for (link, i) in ws.links.iter().zip(ws.active.len()..) {
            state.links[link.slot as usize] = narrow(&ws.s[i]);
        }
    }
}
