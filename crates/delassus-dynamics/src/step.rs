//! One step, as data
//!
//! [`Simulation::advance`] is the map of the engine: predict, detect, free, reduce, solve,
//! correct, commit. Recording is the caller's.

use crate::clock::Clock;
use crate::rest::Scene;
use crate::solve::{Verdict, solve};
use crate::workspace::Workspace;
use crate::{Error, Event, Failure, LINK, Ledger, Policy, Report, State, StepSettings, Subsystem};
use delassus_friction::algebra::Vector;
use delassus_friction::laws::COMPONENTS;

/// A system in motion: settings, state, scratch.
pub struct Simulation<S, const D: usize, const C: usize> {
    pub(crate) system: S,
    pub(crate) settings: StepSettings,
    pub(crate) state: State,
    pub(crate) ws: Workspace<D, C>,
    pub(crate) report: Report,
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
        (self.report.timings.reduce, self.report.timings.solve) = (0.0, 0.0);
        let verdict = loop {
            self.reduce(h)?;
            self.report.timings.reduce += clock.lap();
            let verdict = self.solve()?;
            self.report.timings.solve += clock.lap();
            self.correct();
            // Solids that are not linear: back to 3 until balanced.
            if !self.system.relinearise(&self.ws.u_f)? {
                break verdict;
            }
        };
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
    pub(crate) fn predict(&mut self, h: f64) -> Result<(), Error> {
        self.system.predict(&self.state, h)
    }

    /// 2: contacts at `q_m`, with what they carry from the last step.
    pub(crate) fn detect(&mut self, h: f64) -> Result<(), Error> {
        let ws = &mut self.ws;
        self.state.frames(&mut ws.previous);
        self.system.detect(&ws.previous, &mut ws.found)?;
        ws.carry_over(&self.state);
        self.list_blocks(h);
        Ok(())
    }

    /// 3: `A` and the free velocity, knowing the percussions of the last step.
    pub(crate) fn free(&mut self, h: f64) -> Result<(), Error> {
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
    pub(crate) fn reduce(&mut self, h: f64) -> Result<(), Error> {
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

    /// 5: percussions.
    fn solve(&mut self) -> Result<Verdict, Error> {
        let system = &self.system;
        solve(&mut self.ws, &self.settings, |ws| system.root(&ws.rows, &ws.compliance))
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
            step: self.state.step,
            solve: &|x| system.solve_in_place(x),
            rests: &|group| system.rests(group),
            root: &|| system.root(&ws.rows, &ws.compliance),
        };
        self.report.at_rest = ws.rest.settle(&scene, &mut ws.s, &ws.u, &mut ws.u_f);
        ws.after.clear();
        ws.after.extend((0..ws.rows.len()).map(|i| ws.rows.times(i, &ws.u_f) + ws.rows.w()[i][1]));
    }
}
