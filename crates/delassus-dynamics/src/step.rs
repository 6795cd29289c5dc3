//! One step, as data
//!
//! [`Simulation::advance`] is the map of the engine: predict, detect, free, reduce, solve,
//! correct, commit. Recording is the caller's.

use crate::rest::Scene;
use crate::solve::{Verdict, solve};
use crate::workspace::Workspace;
use crate::{After, Error, Event, Failure, Ledger, Meeting, Policy, Report, State, StepSettings, Subsystem};
use crate::{LINK, LinkKind};
use delassus_contact::{Contact, ContactKey};
use delassus_friction::algebra::Vector;
use delassus_friction::laws::COMPONENTS;

/// How a contact ended the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactStatus {
    /// No percussion.
    Open = 0,
    /// Percussion without slip.
    Stick = 1,
    /// Percussion with slip.
    Slip = 2,
}

/// A contact of the last step, for records and pictures.
#[derive(Clone, Copy, Debug)]
pub struct ContactView<'a, const D: usize> {
    /// Geometry at `q_m`.
    pub contact: &'a Contact<D>,
    /// Percussion in its frame, normal first \[N·s\].
    pub percussion: [f64; COMPONENTS],
    /// Relative velocity after the step, in its frame \[m/s\].
    pub velocity: [f64; COMPONENTS],
    /// Internal variables of its law.
    pub memory: [f64; crate::MEMORY],
    /// How it ended.
    pub status: ContactStatus,
}

/// A system in motion: settings, state, scratch.
pub struct Simulation<S, const D: usize, const C: usize> {
    system: S,
    settings: StepSettings,
    state: State,
    ws: Workspace<D, C>,
    report: Report,
}

impl<S: Subsystem<D, C>, const D: usize, const C: usize> Simulation<S, D, C> {
    /// Checks the settings and that the state belongs to the system.
    pub fn new(system: S, state: State, settings: StepSettings) -> Result<Self, Error> {
        settings.validate()?;
        let mut simulation =
            Self { system, settings, state: State::default(), ws: Workspace::default(), report: Report::default() };
        simulation.set_state(state)?;
        Ok(simulation)
    }

    /// Replaces the state: a restart.
    pub fn set_state(&mut self, mut state: State) -> Result<(), Error> {
        let slots = self.system.link_slots();
        if state.links.is_empty() {
            state.links.resize(slots, [0.0; LINK]);
        }
        let sizes = [
            ("coordinates", self.system.coordinates(), state.q.len()),
            ("velocities", self.system.dofs(), state.u.len()),
            ("link percussions", slots, state.links.len()),
        ];
        for (what, expected, found) in sizes {
            if expected != found {
                return Err(Error::StateSize { what, expected, found });
            }
        }
        let time = state.time;
        for (what, x) in [("coordinate", &state.q), ("velocity", &state.u)] {
            if let Some(index) = x.iter().position(|x| !x.is_finite()) {
                return Err(Error::NonFinite { what, index, time });
            }
        }
        self.state = state;
        Ok(())
    }

    /// The system.
    pub fn system(&self) -> &S {
        &self.system
    }

    /// The settings.
    pub fn settings(&self) -> &StepSettings {
        &self.settings
    }

    /// The state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The report of the last step.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Makes one step of length `h`, following the policy where it does not converge.
    pub fn step(&mut self) -> Result<&Report, Error> {
        let h = self.settings.h;
        self.report.events.clear();
        let Some(mut failure) = self.advance(h, true)? else { return Ok(&self.report) };
        failure.file = match &self.settings.failures {
            Some(folder) => Some(crate::failure::write(folder, failure.step, &self.ws.problem, &self.ws.s)?),
            None => None,
        };
        match self.settings.on_failure {
            Policy::Stop => return Err(Error::NotConverged(Box::new(failure))),
            Policy::Retry { divide, times } => {
                for attempt in 1..=times {
                    if self.in_parts(h, divide.pow(attempt as u32))? {
                        return Ok(&self.report);
                    }
                }
                self.advance(h, false)?;
            }
            Policy::Accept => self.commit(h)?,
        }
        self.report.events.push(Event::NotConverged(Box::new(failure)));
        Ok(&self.report)
    }

    /// The step in `parts` smaller ones; false, and nothing changed, when one of them fails.
    fn in_parts(&mut self, h: f64, parts: usize) -> Result<bool, Error> {
        let mut backup = std::mem::take(&mut self.ws.backup);
        backup.clone_from(&self.state);
        let mut whole = Ledger::default();
        let mut ok = true;
        for _ in 0..parts {
            if self.advance(h / parts as f64, true)?.is_some() {
                self.state.clone_from(&backup);
                ok = false;
                break;
            }
            whole.follow(&self.report.energy);
        }
        if ok {
            self.report.energy = whole;
            self.report.h = h;
            self.state.step = backup.step + 1;
            self.report.step = backup.step;
            self.report.events.push(Event::Retried { parts });
        }
        self.ws.backup = backup;
        Ok(ok)
    }

    /// The eight lines of the architecture, but the last. With `only_converged`, a step that
    /// did not converge changes nothing and is described.
    fn advance(&mut self, h: f64, only_converged: bool) -> Result<Option<Failure>, Error> {
        let mut clock = Clock::new();
        self.predict(h)?;
        self.detect(h)?;
        self.report.timings.detect = clock.lap();
        self.free(h)?;
        self.reduce(h)?;
        self.report.timings.reduce = clock.lap();
        let verdict = self.solve()?;
        self.report.timings.solve = clock.lap();
        self.correct();
        if let Some(failure) = self.judge(&verdict, h)
            && only_converged
        {
            return Ok(Some(failure));
        }
        self.commit(h)?;
        self.report.timings.commit = clock.lap();
        Ok(None)
    }

    /// 1: `q_m ← q_i, u_i`.
    fn predict(&mut self, h: f64) -> Result<(), Error> {
        self.system.predict(&self.state, h)
    }

    /// 2: contacts at `q_m`, with what they carry from the last step.
    fn detect(&mut self, h: f64) -> Result<(), Error> {
        let ws = &mut self.ws;
        self.state.frames(&mut ws.previous);
        self.system.detect(&ws.previous, &mut ws.found)?;
        ws.carry_over(&self.state);
        self.list_blocks(h);
        Ok(())
    }

    /// 3: `A` and the free velocity, knowing the percussions of the last step.
    fn free(&mut self, h: f64) -> Result<(), Error> {
        let (ws, dofs) = (&mut self.ws, self.state.u.len());
        let wide = |x: &[f64; COMPONENTS]| Vector::<C>::from_fn(|k, _| x[k]);
        ws.force.clear();
        ws.force.resize(dofs, 0.0);
        for (i, &c) in ws.active.iter().enumerate() {
            ws.rows.add_transposed(i, &wide(&ws.kept[c as usize].percussion), &mut ws.force);
        }
        for (link, i) in ws.links.iter().zip(ws.active.len()..) {
            ws.rows.add_transposed(i, &wide(&self.state.links[link.slot as usize]), &mut ws.force);
        }
        self.system.linearise(&self.state, h, &ws.force)?;
        let (time, free) = (self.state.time, self.system.u_free());
        match free.iter().position(|x| !x.is_finite()) {
            Some(index) => Err(Error::NonFinite { what: "free velocity", index, time }),
            None => Ok(()),
        }
    }

    /// 4: rows, laws, `W` and `b`.
    fn reduce(&mut self, h: f64) -> Result<(), Error> {
        self.pose_laws(h)?;
        let (ws, system) = (&mut self.ws, &self.system);
        // Offsets act like loads.
        ws.loaded.clear();
        ws.loaded.extend_from_slice(system.u_free());
        if ws.offset.iter().any(|o| o.amax() != 0.0) {
            Workspace::<D, C>::gather(&ws.rows, &ws.offset, &mut ws.force, ws.loaded.len());
            system.solve_in_place(&mut ws.force);
            ws.loaded.iter_mut().zip(&ws.force).for_each(|(u, f)| *u -= f);
        }
        let (rows, loaded, fixed, compliance) = (&ws.rows, &ws.loaded, &ws.fixed, &ws.compliance);
        let (posed, mobility) = (&mut ws.laws, &mut ws.mobility);
        ws.problem.refill(|w, b, laws| {
            system.reduce(rows, mobility, w);
            b.extend((0..rows.len()).map(|i| rows.times(i, loaded) + fixed[i]));
            laws.append(posed);
            for (i, c) in compliance.iter().enumerate().filter(|(_, c)| c.amax() != 0.0) {
                (0..C).for_each(|k| w.diagonal_mut(i)[(k, k)] += c[k]);
            }
        })?;
        Ok(())
    }

    /// The blocks of the step and their velocities before it.
    fn list_blocks(&mut self, h: f64) {
        let (ws, system) = (&mut self.ws, &self.system);
        ws.active.clear();
        ws.rows.clear();
        ws.links.clear();
        for (i, contact) in ws.found.contacts.iter().enumerate() {
            if system.is_active(contact, &ws.kept[i].memory) {
                ws.active.push(i as u32);
                system.contact_rows(contact, &mut ws.rows);
            }
        }
        system.links(h, &mut ws.rows, &mut ws.links);
        ws.u_i.clear();
        ws.u_i.extend_from_slice(&self.state.u);
        ws.before.clear();
        ws.before.extend((0..ws.rows.len()).map(|i| ws.rows.times(i, &ws.u_i) + ws.rows.w()[i][0]));
    }

    /// What the laws add, and the percussions to start from.
    fn pose_laws(&mut self, h: f64) -> Result<(), Error> {
        let (ws, system, state) = (&mut self.ws, &self.system, &self.state);
        let wide = |x: &[f64; COMPONENTS]| Vector::<C>::from_fn(|k, _| x[k]);
        for list in [&mut ws.offset, &mut ws.fixed, &mut ws.compliance, &mut ws.s] {
            list.clear();
        }
        ws.laws.clear();
        ws.meetings.clear();
        ws.restitution.clear();
        for (i, &c) in ws.active.iter().enumerate() {
            let (contact, kept) = (&ws.found.contacts[c as usize], &ws.kept[c as usize]);
            let meeting = Meeting {
                gap: contact.gap,
                before: std::array::from_fn(|k| if k < C { ws.before[i][k] } else { 0.0 }),
                components: C,
                space: D,
                time: state.time + 0.5 * h,
                step: state.step,
                h,
                memory: kept.memory,
            };
            let posed = system.law(contact, &meeting)?;
            let [rho, tau] = posed.restitution;
            let weight = |k: usize| {
                if k == 0 {
                    rho
                } else if k < D {
                    tau
                } else {
                    0.0
                }
            };
            let offset = wide(&posed.offset);
            ws.fixed
                .push(wide(&posed.shift) + Vector::from_fn(|k, _| ws.rows.w()[i][1][k] + weight(k) * ws.before[i][k]));
            ws.compliance.push(wide(&posed.compliance));
            let start = if self.settings.warm_start { wide(&kept.percussion) + offset } else { Vector::zeros() };
            ws.s.push(posed.law.project(&start));
            ws.offset.push(offset);
            ws.laws.push(posed.law);
            ws.restitution.push(posed.restitution);
            ws.meetings.push(meeting);
        }
        // Joints hold the mean velocity: `G(q_m)(q_f − q_i) = 0`, of order two and without work.
        // The first step holds the end velocity instead, which removes what does not fit at the start.
        let mean = if state.step == 0 { 0.0 } else { 1.0 };
        for (link, i) in ws.links.iter().zip(ws.active.len()..) {
            let weight = if link.kind == LinkKind::Joint { mean } else { 0.0 };
            ws.fixed.push(ws.rows.w()[i][1] + link.shift + ws.before[i] * weight);
            ws.compliance.push(link.compliance);
            ws.offset.push(Vector::zeros());
            let start = wide(&state.links[link.slot as usize]);
            ws.s.push(link.law.project(&if self.settings.warm_start { start } else { Vector::zeros() }));
            ws.laws.push(link.law.clone());
        }
        Ok(())
    }

    /// 5: percussions.
    fn solve(&mut self) -> Result<Verdict, Error> {
        solve(&mut self.ws, &self.settings)
    }

    /// 6: `u_f = u_free + A⁻¹ Gᵀ S`; what can rest, rests.
    fn correct(&mut self) {
        let (ws, system) = (&mut self.ws, &self.system);
        Workspace::<D, C>::gather(&ws.rows, &ws.s, &mut ws.force, ws.loaded.len());
        system.solve_in_place(&mut ws.force);
        ws.u_f.clear();
        ws.u_f.extend(ws.loaded.iter().zip(&ws.force).map(|(u, f)| u + f));
        let scene = Scene {
            problem: &ws.problem,
            rows: &ws.rows,
            fixed: &ws.fixed,
            compliance: &ws.compliance,
            loaded: &ws.loaded,
            u_i: &ws.u_i,
            tolerance: self.settings.tolerance,
            solve: &|x| system.solve_in_place(x),
        };
        self.report.at_rest = ws.rest.settle(&scene, &mut ws.s, &ws.u, &mut ws.u_f);
        ws.after.clear();
        ws.after.extend((0..ws.rows.len()).map(|i| ws.rows.times(i, &ws.u_f) + ws.rows.w()[i][1]));
    }

    /// Fills the report from the verdict; describes a failure.
    fn judge(&mut self, verdict: &Verdict, h: f64) -> Option<Failure> {
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
    fn commit(&mut self, h: f64) -> Result<(), Error> {
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
    fn works(&mut self, h: f64) -> Ledger {
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
    fn keep_percussions(&mut self) {
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

    /// The contacts that took part in the last step.
    pub fn contacts(&self) -> impl ExactSizeIterator<Item = ContactView<'_, D>> + '_ {
        let ws = &self.ws;
        let narrow = |x: &Vector<C>| std::array::from_fn(|k| if k < C { x[k] } else { 0.0 });
        // Slip below what the residual can tell from none is none.
        let level = 10.0 * self.report.absolute.max(1e-12 * ws.problem.b_norm());
        ws.active.iter().enumerate().map(move |(i, &c)| {
            let v = &ws.after[i];
            let slip = (1..C).map(|k| v[k] * v[k]).sum::<f64>().sqrt();
            let status = match ws.s[i].amax() {
                0.0 => ContactStatus::Open,
                _ if slip <= level => ContactStatus::Stick,
                _ => ContactStatus::Slip,
            };
            ContactView {
                contact: &ws.found.contacts[c as usize],
                percussion: ws.kept[c as usize].percussion,
                velocity: narrow(v),
                memory: ws.kept[c as usize].memory,
                status,
            }
        })
    }

    /// All contacts detected in the last step, open ones included.
    pub fn detected(&self) -> &[Contact<D>] {
        &self.ws.found.contacts
    }
}

/// A stop-watch that stands still where there is no clock.
struct Clock {
    #[cfg(not(target_arch = "wasm32"))]
    last: std::time::Instant,
}

impl Clock {
    #[cfg(not(target_arch = "wasm32"))]
    fn new() -> Self {
        Self { last: std::time::Instant::now() }
    }

    #[cfg(target_arch = "wasm32")]
    fn new() -> Self {
        Self {}
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn lap(&mut self) -> f64 {
        let now = std::time::Instant::now();
        let lap = now - self.last;
        self.last = now;
        lap.as_secs_f64()
    }

    #[cfg(target_arch = "wasm32")]
    fn lap(&mut self) -> f64 {
        0.0
    }
}
