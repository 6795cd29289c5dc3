//! The world: everything that moves, stepped, judged and recorded by one engine
//!
//! [`World::advance`] is the map of the engine: predict, detect, free, reduce, solve, correct, commit.
//! Recording is the caller's.

use crate::clock::Clock;
use crate::parts::Parts;
use crate::saddle::Counts;
use crate::sleep::Sleep;
use crate::watch::Watch;
use crate::workspace::Workspace;
use crate::{
    Bodies, ContactMethod, Error, Failure, LINK, Ledger, Operator, Path, Report, Sizes, State, StepSettings, Subsystem,
    Weak,
};
use delassus_contact::{Dim, Space, threads};
use delassus_friction::algebra::Vector;
use delassus_friction::laws::COMPONENTS;

/// What a world is made of.
pub struct WorldParts<const D: usize, const C: usize>
where
    Dim<D>: Space<D>,
{
    /// Rigid bodies first, then solids.
    pub parts: Vec<Box<dyn Subsystem<D, C>>>,
    /// What may meet without being named in a pair.
    pub bodies: Bodies<D>,
    /// Surfaces that may meet, in pairs.
    pub weak: Vec<Weak<D>>,
    /// How contacts between surfaces are put and solved.
    pub method: ContactMethod,
}

/// Parts in motion: laws, settings, state, scratch.
pub struct World<const D: usize, const C: usize>
where
    Dim<D>: Space<D>,
{
    pub(crate) parts: Parts<D, C>,
    pub(crate) bodies: Bodies<D>,
    pub(crate) weak: Vec<Weak<D>>,
    pub(crate) method: ContactMethod,
    pub(crate) settings: StepSettings,
    pub(crate) state: State,
    pub(crate) ws: Workspace<D, C>,
    pub(crate) report: Report,
    /// Energies of the state.
    pub(crate) present: Ledger,
    /// Whether contacts store energy.
    pub(crate) stores: bool,
    /// Energy that nothing explains, since the state was set.
    pub(crate) watch: Watch,
    /// Pairs whose rubbing is summed.
    pub(crate) wear: Vec<crate::Wear>,
    /// What is at rest and left alone.
    pub(crate) sleep: Sleep,
    /// Length of the equal parts of the step \[s\].
    pub(crate) usual: f64,
}

impl<const D: usize, const C: usize> World<D, C>
where
    Dim<D>: Space<D>,
{
    /// Checks the settings and that the state belongs to the parts.
    pub fn new(made: WorldParts<D, C>, state: State, settings: StepSettings) -> Result<Self, Error> {
        settings.validate()?;
        let WorldParts { parts, bodies, weak, method } = made;
        let mut world = Self {
            parts: Parts::new(parts),
            bodies,
            weak,
            method,
            settings,
            state: State::default(),
            ws: Workspace::default(),
            report: Report::default(),
            present: Ledger::default(),
            stores: false,
            watch: Watch::default(),
            wear: vec![],
            sleep: Sleep::default(),
            usual: 0.0,
        };
        world.stores = world.bodies.laws.stores() || world.weak.iter().any(|w| w.law.stores());
        world.ws.has_nodes = world.parts.with_nodes().is_some();
        world.prepare_sleep();
        world.set_state(state)?;
        Ok(world)
    }

    /// Replaces the state: a restart.
    pub fn set_state(&mut self, mut state: State) -> Result<(), Error> {
        let Sizes { coordinates, dofs, links, .. } = self.parts.sizes();
        if state.links.is_empty() {
            state.links.resize(links, [0.0; LINK]);
        }
        let sizes = [
            ("coordinates", coordinates, state.q.len()),
            ("velocities", dofs, state.u.len()),
            ("link percussions", links, state.links.len()),
        ];
        for (what, expected, found) in sizes {
            if expected != found {
                return Err(Error::StateSize { what, expected, found });
            }
        }
        let time = state.time;
        for (what, x) in [("coordinate", &state.q), ("velocity", &state.u)] {
            if let Some(index) = x.iter().position(|x| !x.is_finite()) {
                return Err(Error::NonFinite { what, owner: None, index, time });
            }
        }
        self.state = state;
        // No contact has taken part in a step that led here.
        self.ws.took.clear();
        self.sleep.wake_all();
        self.parts.forget();
        self.present = self.energies_of_state();
        self.report.energy = self.present;
        self.watch = Watch::new(&self.present);
        self.report.momenta = self.parts.momenta(&self.state);
        Ok(())
    }

    /// The settings.
    pub fn settings(&self) -> &StepSettings {
        &self.settings
    }

    /// How contacts between surfaces are put and solved.
    pub fn method(&self) -> &ContactMethod {
        &self.method
    }

    /// The state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The report of the last step; before the first, energies and momenta of the state.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Energies of the present state; works are zero.
    pub fn energies(&self) -> Ledger {
        self.present
    }

    /// Whether some law has asperities.
    pub fn has_asperities(&self) -> bool {
        self.stores
    }

    /// What the loops of the last step did, line by line, if [`ContactMethod::log`] asked for it.
    pub fn log(&self) -> &[String] {
        &self.ws.nested.log
    }

    /// How the parts apply their `A⁻¹`.
    pub fn operators(&self) -> impl Iterator<Item = Operator<'_>> {
        self.parts.iter().map(|p| p.operator())
    }

    /// Names of the pairs of surfaces.
    pub fn pairs(&self) -> impl Iterator<Item = &str> {
        self.weak.iter().map(|w| w.name.as_str())
    }

    /// Makes one step of length `h`, following the policy where it does not converge.
    pub fn step(&mut self) -> Result<&Report, Error> {
        let h = self.settings.h;
        self.report.events.clear();
        self.ws.nested.log.clear();
        self.ws.nested.counts = Counts::default();
        let parts = self.parts_of_step(h)?;
        self.usual = h / parts as f64;
        if self.sleeps_through(h)? {
            return Ok(&self.report);
        }
        self.keep_problem()?;
        self.report.parts = 1;
        if parts > 1 {
            self.substeps(h, parts)?;
        } else {
            self.part(h)?;
        }
        Ok(&self.report)
    }

    /// The eight lines of the architecture, but the last. With `only_converged`, a step that
    /// did not converge changes nothing and is described.
    pub(crate) fn advance(&mut self, h: f64, only_converged: bool) -> Result<Option<Failure>, Error> {
        let mut clock = Clock::new();
        self.ws.nested.balance = 0.0;
        self.sleep.expect(h);
        // Bodies or contacts, whichever are more: what threads may share. Not while the step is solved, for which
        // solvers keep their own awake.
        let items = self.parts.sizes().bodies.max(self.state.contacts.len());
        threads::awake(items, || {
            self.predict(h)?;
            self.detect(h)
        })?;
        self.report.timings.detect = clock.lap();
        self.free(h)?;
        (self.report.timings.reduce, self.report.timings.solve) = (clock.lap(), 0.0);
        let verdict = self.solve_step(h, &mut clock)?;
        if let Some(failure) = self.judge(&verdict, h)
            && only_converged
        {
            return Ok(Some(failure));
        }
        if only_converged && self.throws(h)? {
            return Err(Error::Thrown);
        }
        threads::awake(items, || self.commit(h))?;
        self.report.timings.commit = clock.lap();
        Ok(None)
    }

    /// 1: `q_m ← q_i, u_i`.
    pub(crate) fn predict(&mut self, h: f64) -> Result<(), Error> {
        self.parts.predict(&self.state, h)
    }

    /// 2: contacts at `q_m`, with what they carry from the last step.
    pub(crate) fn detect(&mut self, h: f64) -> Result<(), Error> {
        let Self { ws, bodies, parts, state, sleep, .. } = self;
        if sleep.count() > 0 {
            std::mem::swap(&mut ws.found, &mut ws.last);
        }
        let (sets, time) = ((&*state, &ws.last, &mut ws.found), state.time + 0.5 * h);
        if let Err(e) = bodies.find(parts, time, sets, sleep) {
            sleep.wake_all();
            return Err(self.in_words(e));
        }
        ws.carry_over(state);
        self.list_blocks(h);
        self.pair(None, h)
    }

    /// Pairs the surfaces: where contacts are looked for, or at the end of the step with unknowns `x`.
    pub(crate) fn pair(&mut self, x: Option<&[f64]>, h: f64) -> Result<(), Error> {
        if self.weak.is_empty() {
            return Ok(());
        }
        let Some((part, first)) = self.parts.with_nodes() else { return Ok(()) };
        let nodes = part.surfaces().nodes;
        let n = nodes.reference.len();
        let velocities = &self.state.u[first.dofs..first.dofs + n];
        let ws = &mut self.ws;
        ws.positions.clear();
        let lead = match x {
            Some(x) => {
                let end = |d: usize| nodes.reference[d] + nodes.base[d] + nodes.slope * x[first.dofs + d];
                ws.positions.extend((0..n).map(end));
                h
            }
            None => {
                ws.positions.extend_from_slice(nodes.positions);
                nodes.lead
            }
        };
        for weak in &mut self.weak {
            weak.pair(&ws.positions, nodes.reference, velocities, self.state.time + lead)
                .map_err(|reason| Error::Pairing { name: weak.name.clone(), reason: Box::new(reason) })?;
        }
        let displaced = ws.positions.iter().zip(nodes.reference).map(|(x, r)| x - r);
        ws.weak.gather(&self.weak, &self.method.contact, displaced);
        ws.keep_weak(&self.state);
        ws.nested.counts.pairings += 1;
        Ok(())
    }

    /// The percussions of the last step on this configuration, as forces on the parts.
    pub(crate) fn carry_forces(&mut self) {
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
    }

    /// 3: `A` and the free velocity, knowing the percussions of the last step.
    pub(crate) fn free(&mut self, h: f64) -> Result<(), Error> {
        self.carry_forces();
        let ws = &mut self.ws;
        // Blocks of surfaces are chosen by where the free motion ends.
        let balanced = !self.weak.is_empty() && self.method.inertia;
        // Without inertia a part may be held by contact alone, and have no free motion.
        ws.linearised = self.method.inertia || self.method.path == Path::Condensed || self.weak.is_empty();
        if ws.linearised {
            match self.parts.linearise(&self.state, h, &ws.force, balanced) {
                // A motion that contact will not let happen need not be found.
                Err(e) if balanced && e.may_pass_in_parts() => {
                    self.parts.linearise(&self.state, h, &ws.force, false)?;
                }
                done => done?,
            }
        }
        if ws.has_nodes {
            self.parts.gather_free(&mut ws.free);
        }
        match self.parts.free_is_lost() {
            Some(index) => {
                Err(Error::NonFinite { what: "free velocity", owner: self.owner(index), index, time: self.state.time })
            }
            None => Ok(()),
        }
    }
}
