//! The world: everything that moves, stepped, judged and recorded by one engine
//!
//! [`World::advance`] is the map of the engine: predict, detect, free, reduce, solve, correct, commit.
//! Recording is the caller's.

use crate::clock::Clock;
use crate::parts::Parts;
use crate::rest::Scene;
use crate::saddle::{Blocks, Counts, Outcome};
use crate::solve::{Verdict, solve};
use crate::workspace::Workspace;
use crate::{
    Bodies, ContactMethod, Error, Event, Failure, LINK, Ledger, Measure, Operator, Path, Policy, Report, Rows, Sizes,
    State, StepSettings, Subsystem, Weak,
};
use delassus_contact::{Dim, Space};
use delassus_friction::Status;
use delassus_friction::algebra::Vector;
use delassus_friction::laws::COMPONENTS;

/// Gaps of two pairings that count as the same, relative to the largest displacement: pairing converges
/// linearly, and what it misses is a gap this small.
const SAME_GAP: f64 = 1e-6;

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
        };
        world.ws.has_nodes = world.parts.with_nodes().is_some();
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
                return Err(Error::NonFinite { what, index, time });
            }
        }
        self.state = state;
        self.parts.forget();
        self.present = self.parts.energies(&self.state);
        self.report.energy = self.present;
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
        let substeps = self.parts.substeps(&self.state, h)?;
        self.report.parts = 1;
        if substeps > 1 {
            self.substeps(h, substeps)?;
            return Ok(&self.report);
        }
        let failed = match self.advance(h, true) {
            Ok(None) => return Ok(&self.report),
            Ok(Some(failure)) => Ok(failure),
            Err(e) if e.may_pass_in_parts() => Err(e),
            Err(e) => return Err(e),
        };
        self.make_again(h, failed)?;
        Ok(&self.report)
    }

    /// A step that did not converge, or that could not be made: by the policy.
    fn make_again(&mut self, h: f64, failed: Result<Failure, Error>) -> Result<(), Error> {
        let failed = match failed {
            Ok(mut failure) => {
                failure.file = match &self.settings.failures {
                    Some(folder) => Some(crate::failure::write(folder, failure.step, &self.ws.problem, &self.ws.s)?),
                    None => None,
                };
                if self.settings.on_failure == Policy::Stop {
                    return Err(Error::NotConverged(Box::new(failure)));
                }
                Ok(failure)
            }
            Err(e) => Err(e),
        };
        if let Policy::Retry { divide, times } = self.settings.on_failure {
            for attempt in 1..=times {
                if self.in_parts(h, divide.pow(attempt as u32))? {
                    return Ok(());
                }
            }
        }
        match failed {
            Ok(failure) => {
                if self.settings.on_failure != Policy::Accept {
                    self.advance(h, false)?;
                } else {
                    self.commit(h)?;
                }
                self.report.events.push(Event::NotConverged(Box::new(failure)));
                Ok(())
            }
            Err(e) => match self.settings.on_failure {
                Policy::Retry { divide, times } => {
                    let parts = divide.pow(times as u32);
                    Err(Error::Step { time: self.state.time, h, parts, reason: Box::new(e) })
                }
                _ => Err(e),
            },
        }
    }

    /// The step in `parts` smaller ones; false, and nothing changed, when one of them fails.
    fn in_parts(&mut self, h: f64, parts: usize) -> Result<bool, Error> {
        let mut backup = std::mem::take(&mut self.ws.backup);
        backup.clone_from(&self.state);
        let mut whole = Ledger::default();
        let mut ok = true;
        for _ in 0..parts {
            match self.advance(h / parts as f64, true) {
                Ok(None) => whole.follow(&self.report.energy),
                Err(e) if !e.may_pass_in_parts() => return Err(e),
                _ => {
                    self.state.clone_from(&backup);
                    self.parts.forget();
                    self.present = self.parts.energies(&self.state);
                    ok = false;
                    break;
                }
            }
        }
        if ok {
            self.finish_parts(whole, (h, parts, backup.step));
            self.report.events.push(Event::Retried { parts });
        }
        self.ws.backup = backup;
        Ok(ok)
    }

    /// A step in as many parts as stability asks for: nothing failed.
    fn substeps(&mut self, h: f64, parts: usize) -> Result<(), Error> {
        let mut whole = Ledger::default();
        let step = self.state.step;
        for _ in 0..parts {
            if let Some(failure) = self.advance(h / parts as f64, true)? {
                self.make_again(h / parts as f64, Ok(failure))?;
            }
            whole.follow(&self.report.energy);
        }
        self.finish_parts(whole, (h, parts, step));
        Ok(())
    }

    fn finish_parts(&mut self, whole: Ledger, (h, parts, step): (f64, usize, u64)) {
        self.report.energy = whole;
        (self.report.h, self.report.parts, self.report.step) = (h, parts, step);
        self.state.step = step + 1;
    }

    /// The eight lines of the architecture, but the last. With `only_converged`, a step that
    /// did not converge changes nothing and is described.
    fn advance(&mut self, h: f64, only_converged: bool) -> Result<Option<Failure>, Error> {
        let mut clock = Clock::new();
        self.predict(h)?;
        self.detect(h)?;
        self.report.timings.detect = clock.lap();
        self.free(h)?;
        (self.report.timings.reduce, self.report.timings.solve) = (clock.lap(), 0.0);
        let verdict = self.solve_step(h, &mut clock)?;
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
        self.parts.predict(&self.state, h)
    }

    /// 2: contacts at `q_m`, with what they carry from the last step.
    pub(crate) fn detect(&mut self, h: f64) -> Result<(), Error> {
        let Self { ws, bodies, parts, state, .. } = self;
        state.frames(&mut ws.previous);
        bodies.find(parts, state.time + 0.5 * h, (&ws.previous, &mut ws.found))?;
        ws.carry_over(state);
        self.list_blocks(h);
        self.pair(None, h)
    }

    /// Pairs the surfaces: where contacts are looked for, or at the end of the step with unknowns `x`.
    fn pair(&mut self, x: Option<&[f64]>, h: f64) -> Result<(), Error> {
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
        ws.weak.gather(&self.weak, &self.method.contact.formalism, displaced);
        ws.keep_weak(&self.state);
        ws.nested.counts.pairings += 1;
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
        // Blocks of surfaces are chosen by where the free motion ends.
        let balanced = !self.weak.is_empty() && self.method.inertia;
        // Without inertia a part may be held by contact alone, and have no free motion.
        ws.linearised = self.method.inertia || self.method.path == Path::Condensed || self.weak.is_empty();
        if ws.linearised {
            self.parts.linearise(&self.state, h, &ws.force, balanced)?;
        }
        match self.parts.gather_free(&mut ws.free) {
            Some(index) => Err(Error::NonFinite { what: "free velocity", index, time: self.state.time }),
            None => Ok(()),
        }
    }

    /// 4 to 6, on one pairing after the other until the gaps that they give agree with those that were solved
    /// for; laws on velocities need one.
    fn solve_step(&mut self, h: f64, clock: &mut Clock) -> Result<Verdict, Error> {
        let limit = self.method.loops.pairings;
        for round in 0..limit {
            self.list_weak();
            let verdict = self.solve_blocks(h, clock)?;
            if self.ws.weak_active.is_empty() || self.method.measure == Measure::Velocity || limit == 1 {
                return Ok(verdict);
            }
            let change = self.pair_again(h)?;
            if self.method.log {
                self.ws.nested.log.push(format!("b pairing {round}: gaps change by {change:.2e} m"));
            }
            if change <= SAME_GAP * self.travel() {
                // Forces belong to the pairing they were solved on.
                let ws = &mut self.ws;
                std::mem::swap(&mut ws.weak, &mut ws.weak_before);
                return Ok(verdict);
            }
            // The percussions found are where the next pairing begins.
            self.ws.keep_solved();
        }
        Err(Error::Loop { name: "pairings (b)", limit, advice: "more `analysis.pairings`, or a shorter step" })
    }

    /// Pairs at the end of the step; the largest difference of gaps and normals where blocks touch.
    fn pair_again(&mut self, h: f64) -> Result<f64, Error> {
        let u_f = std::mem::take(&mut self.ws.u_f);
        self.ws.weak_before.clone_from(&self.ws.weak);
        let paired = self.pair(Some(&u_f), h);
        self.ws.u_f = u_f;
        paired?;
        let ws = &self.ws;
        let (old, new) = (&ws.weak_before, &ws.weak);
        if old.len() != new.len() {
            return Ok(f64::INFINITY);
        }
        let Some((part, first)) = self.parts.with_nodes() else { return Ok(0.0) };
        let nodes = part.surfaces().nodes;
        let end = |d: usize| nodes.base[d] + nodes.slope * ws.u_f[first.dofs + d];
        let travel = self.travel();
        let start = ws.active.len() + ws.links.len();
        let mut change = 0.0f64;
        for (k, (b, _)) in ws.weak_active.iter().enumerate() {
            let b = *b as usize;
            let solved = old.gap_at(b, end);
            if ws.s[start + k][0] <= 0.0 && solved > 0.0 && new.gap[b] > 0.0 {
                continue;
            }
            change = change.max((solved - new.gap[b]).abs()).max(old.turn(new, b) * travel);
        }
        Ok(change)
    }

    /// Largest displacement so far: what gaps are compared with.
    fn travel(&self) -> f64 {
        let Some((part, first)) = self.parts.with_nodes() else { return f64::MIN_POSITIVE };
        let nodes = part.surfaces().nodes;
        let far = |x: &[f64]| x.iter().map(|x| x.abs()).fold(0.0, f64::max);
        let end = |d: usize| (nodes.base[d] + nodes.slope * self.ws.u_f[first.dofs + d]).abs();
        let moved = (0..nodes.base.len()).map(end).fold(0.0, f64::max);
        moved.max(1e-6 * far(nodes.reference)).max(f64::MIN_POSITIVE)
    }

    /// The blocks at hand, by the path asked for.
    fn solve_blocks(&mut self, h: f64, clock: &mut Clock) -> Result<Verdict, Error> {
        self.list_laws(h)?;
        if self.may_nest() {
            match self.nested() {
                Ok(Some(verdict)) => {
                    self.report.timings.solve += clock.lap();
                    return Ok(verdict);
                }
                Ok(None) => self.report.handed_over = true,
                Err(e) if e.may_pass_in_parts() && self.method.inertia => self.report.handed_over = true,
                Err(e) => return Err(e),
            }
            self.list_laws(h)?;
        }
        if !self.ws.linearised {
            let ws = &mut self.ws;
            self.parts.linearise(&self.state, h, &ws.force, false)?;
            ws.linearised = true;
            self.parts.gather_free(&mut ws.free);
        }
        self.condensed(clock)
    }

    /// The condensed problem (8), again while a part is not in balance.
    fn condensed(&mut self, clock: &mut Clock) -> Result<Verdict, Error> {
        loop {
            self.reduce()?;
            self.report.timings.reduce += clock.lap();
            let verdict = self.solve()?;
            self.report.timings.solve += clock.lap();
            self.correct();
            // Parts that are not linear: back to 3 until balanced.
            let again = self.parts.relinearise(&self.ws.u_f, &self.ws.reaction)?;
            if self.method.log {
                let (balance, newton) = self.parts.balance();
                self.ws.nested.log.push(format!("  condensed newton {newton}: balance {balance:.2e}"));
            }
            if !again {
                return Ok(verdict);
            }
            self.ws.nested.counts.newton += 1;
            if let Some(index) = self.parts.gather_free(&mut self.ws.free) {
                return Err(Error::NonFinite { what: "free velocity", index, time: self.state.time });
            }
        }
    }

    /// The nested loops; nothing where they do not settle on what the certificate accepts.
    fn nested(&mut self) -> Result<Option<Verdict>, Error> {
        let range = self.parts.assembled_range();
        let tolerance = self.settings.tolerance;
        let ws = &mut self.ws;
        let Some(part) = self.parts.assembled() else { return Ok(None) };
        let blocks = Blocks {
            rows: &ws.rows,
            range: range.clone(),
            fixed: &ws.fixed,
            compliance: &ws.compliance,
            laws: &ws.laws,
            method: &self.method,
            tolerance,
        };
        let first = ws.active.len();
        let closed = |i: usize| i < first || ws.weak_active[i - first].1;
        let outcome = ws.nested.solve(part, &blocks, &closed, &mut ws.s)?;
        if let Outcome::Restless(what) = outcome {
            if self.method.log {
                ws.nested.log.push(format!("the loop on {what} did not settle: condensed problem"));
            }
            return Ok(None);
        }
        // The certificate: true velocities, each block with its own mobility.
        let (nested, s, compliance, stated) = (&ws.nested, &ws.s, &ws.compliance, &ws.laws);
        ws.problem.refill(|w, b, laws| {
            w.clear();
            for i in 0..s.len() {
                let mut mobility = nested.mobility[i];
                (0..C).for_each(|k| mobility[(k, k)] += compliance[i][k]);
                b.push(nested.u[i] + compliance[i].component_mul(&s[i]) - mobility * s[i]);
                w.begin_row(mobility);
            }
            laws.clone_from(stated);
        })?;
        ws.u.clear();
        ws.u.resize(ws.problem.len(), Vector::zeros());
        ws.problem.velocities(&ws.s, &mut ws.u);
        let residual = ws.problem.residual(&ws.s, &ws.u);
        if residual > tolerance {
            if self.method.log {
                ws.nested.log.push(format!("the loops leave a residual of {residual:.2e}: condensed problem"));
            }
            return Ok(None);
        }
        ws.u_f.clear();
        ws.u_f.extend_from_slice(&ws.free);
        ws.u_f[range].copy_from_slice(&ws.nested.x);
        ws.measure_after();
        let sweeps = ws.nested.counts.newton;
        Ok(Some(Verdict { status: Status::Converged, residual, sweeps, more: 0, worst: vec![] }))
    }

    /// 4: `W` and `b`.
    pub(crate) fn reduce(&mut self) -> Result<(), Error> {
        self.parts.touch(&self.ws.touched, &mut self.ws.scratch)?;
        let (ws, parts) = (&mut self.ws, &self.parts);
        // Offsets act like loads.
        ws.loaded.clear();
        ws.loaded.extend_from_slice(&ws.free);
        if ws.offset.iter().any(|o| o.amax() != 0.0) {
            Workspace::<D, C>::gather(&ws.rows, &ws.offset, &mut ws.force, ws.loaded.len());
            parts.solve_in_place(&mut ws.force);
            ws.loaded.iter_mut().zip(&ws.force).for_each(|(u, f)| *u -= f);
        }
        let (rows, loaded, fixed, compliance) = (&ws.rows, &ws.loaded, &ws.fixed, &ws.compliance);
        let (stated, mobility) = (&ws.laws, &mut ws.mobility);
        ws.problem.refill(|w, b, laws| {
            mobility.reduce(parts, rows, w);
            b.extend((0..rows.len()).map(|i| rows.times(i, loaded) + fixed[i]));
            // Kept for the next round of a part that is not linear.
            laws.clone_from(stated);
            for (i, c) in compliance.iter().enumerate().filter(|(_, c)| c.amax() != 0.0) {
                (0..C).for_each(|k| w.diagonal_mut(i)[(k, k)] += c[k]);
            }
        })?;
        Ok(())
    }

    /// 5: percussions.
    fn solve(&mut self) -> Result<Verdict, Error> {
        let parts = &self.parts;
        solve(&mut self.ws, &self.settings, |ws| root(parts, &ws.rows, &ws.compliance))
    }

    /// 6: `u_f = u_free + A⁻¹ Gᵀ S`; what can rest, rests.
    fn correct(&mut self) {
        let (ws, parts) = (&mut self.ws, &self.parts);
        Workspace::<D, C>::gather(&ws.rows, &ws.s, &mut ws.force, ws.loaded.len());
        parts.solve_in_place(&mut ws.force);
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
            solve: &|x| parts.solve_in_place(x),
            // Not so for solids, whose inside may vibrate.
            rests: &|group| matches!(parts.of_body(group).0.operator(), Operator::Bodies { .. }),
            root: &|| root(parts, &ws.rows, &ws.compliance),
        };
        self.report.at_rest = ws.rest.settle(&scene, &mut ws.s, &ws.u, &mut ws.u_f);
        ws.measure_after();
    }
}

/// A root of `W`, compliances included, where the solvers may eliminate by bodies.
fn root<const D: usize, const C: usize>(
    parts: &Parts<D, C>,
    rows: &Rows<C>,
    compliance: &[Vector<C>],
) -> Option<delassus_friction::Root<C>> {
    let groups = parts.sizes().bodies;
    let (range, first) = parts.ranges().next()?;
    let Operator::Bodies { inverse, width } = first.operator() else { return None };
    if rows.dofs().iter().any(|d| !range.contains(&(*d as usize))) {
        return None;
    }
    rows.root(inverse, width, groups, compliance)
}
