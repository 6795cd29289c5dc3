//! Stages 4 to 6, two ways: the condensed problem, and the nested loops on a saddle-point matrix
//!
//! Both work on the same blocks and end in the same certificate.

use crate::clock::Clock;
use crate::parts::Parts;
use crate::rest::{Scene, Trial};
use crate::saddle::{Blocks, Outcome};
use crate::solve::{Task, Verdict, solve};
use crate::workspace::Workspace;
use crate::{Error, Form, Measure, Mobility, Operator, Rows, StepSettings, World};
use delassus_algebra::AlgebraError;
use delassus_contact::{Dim, Space};
use delassus_friction::algebra::Vector;
use delassus_friction::solver::Order;
use delassus_friction::{Law, Problem, SolverKind, Status};

/// Gaps of two pairings that count as the same, relative to the largest displacement: pairing converges
/// linearly, and what it misses is a gap this small.
const SAME_GAP: f64 = 1e-6;

/// Pairings after which the next one is made between the last two places.
const PATIENT: usize = 3;

/// Where surfaces are paired while that does not settle: part of the way from the last place to the end that was
/// found from it, by Aitken's rule, which damps what swings to and fro.
#[derive(Default)]
pub(crate) struct Places {
    at: Vec<f64>,
    miss: Vec<f64>,
    share: f64,
}

impl Places {
    /// The next place after a solution `x`, in the round `round`.
    fn advance(&mut self, round: usize, x: &[f64]) {
        if round == 0 {
            self.share = 1.0;
            self.miss.clear();
            self.at.clear();
            self.at.extend_from_slice(x);
            return;
        }
        let (mut along, mut turned) = (0.0, 0.0);
        if !self.miss.is_empty() {
            for ((x, at), before) in x.iter().zip(&self.at).zip(&self.miss) {
                let change = x - at - before;
                along -= before * change;
                turned += change * change;
            }
        }
        if round >= PATIENT && turned > 0.0 {
            self.share = (self.share * along / turned).clamp(0.1, 1.0);
        }
        self.miss.clear();
        self.miss.extend(x.iter().zip(&self.at).map(|(x, at)| x - at));
        for (at, miss) in self.at.iter_mut().zip(&self.miss) {
            *at += self.share * miss;
        }
        if self.share == 1.0 {
            // To the bit.
            self.at.copy_from_slice(x);
        }
    }
}

impl<const D: usize, const C: usize> World<D, C>
where
    Dim<D>: Space<D>,
{
    /// 4 to 6, on one pairing after the other until the gaps that they give agree with those that were solved
    /// for; laws on velocities need one.
    pub(crate) fn solve_step(&mut self, h: f64, clock: &mut Clock) -> Result<Verdict, Error> {
        let limit = self.method.loops.pairings;
        for round in 0..limit {
            self.list_weak(round > 0);
            let verdict = self.solve_blocks(h, clock).map_err(|e| self.unheld(e))?;
            let held = self.ws.springs_hold();
            if self.ws.weak_active.is_empty() || self.method.measure == Measure::Velocity && held || limit == 1 {
                return Ok(verdict);
            }
            if self.method.measure == Measure::Velocity {
                let ws = &mut self.ws;
                ws.weak_before.clone_from(&ws.weak);
                ws.keep_solved();
                continue;
            }
            let change = self.pair_again(h)?;
            self.say(|| format!("b pairing {round}: gaps change by {change:.2e} m"));
            if held && change <= SAME_GAP * self.travel() {
                // Forces belong to the pairing they were solved on.
                let ws = &mut self.ws;
                std::mem::swap(&mut ws.weak, &mut ws.weak_before);
                ws.keep_weak(&self.state);
                return Ok(verdict);
            }
            let mut places = std::mem::take(&mut self.ws.places);
            places.advance(round, &self.ws.u_f);
            let paired = if places.share < 1.0 { self.pair(Some(&places.at), h) } else { Ok(()) };
            self.ws.places = places;
            paired?;
            // The percussions found are where the next pairing begins.
            self.ws.keep_solved();
        }
        Err(Error::Loop {
            name: "pairings (b)",
            limit,
            advice: "`smooth_normals = true` at the contact, more `analysis.pairings`, or a shorter step",
        })
    }

    fn say(&mut self, line: impl FnOnce() -> String) {
        if self.method.log {
            self.ws.nested.log.push(line());
        }
    }

    /// A part without inertia that nothing holds: what may hold it.
    fn unheld(&self, e: Error) -> Error {
        let singular = matches!(e, Error::Algebra(AlgebraError::Singular { .. } | AlgebraError::NotPositive { .. }));
        if self.method.inertia || self.weak.is_empty() || !singular {
            return e;
        }
        let ws = &self.ws;
        let nearest = |i: usize| {
            let blocks = ws.weak.blocks(i);
            blocks.filter(|b| ws.weak.weight[*b] > 0.0).map(|b| ws.weak.gap[b]).fold(f64::INFINITY, f64::min)
        };
        let open = (0..self.weak.len()).map(|i| (nearest(i), i)).find(|(gap, _)| *gap > 0.0);
        let contact = open.map(|(gap, i)| (self.weak[i].name.clone(), gap));
        Error::Unheld { reason: Box::new(e), contact }
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
        let Some((part, first)) = self.parts.with_nodes() else { return Ok(0.0) };
        let nodes = part.surfaces().nodes;
        let end = |d: usize| nodes.base[d] + nodes.slope * ws.u_f[first.dofs + d];
        let travel = self.travel();
        let start = ws.active.len() + ws.links.len();
        let percussion = |b: u32| ws.weak_active.binary_search_by_key(&b, |a| a.0).ok().map(|k| ws.s[start + k][0]);
        let mut change = 0.0f64;
        let mut before = old.means(|b| old.gap_at(b, end)).peekable();
        for (m, gap, normal) in new.means(|b| new.gap[b]) {
            while before.next_if(|o| o.0 < m).is_some() {}
            // What faces nothing on one of the pairings is not compared.
            let Some((_, solved, was)) = before.next_if(|o| o.0 == m) else { continue };
            let Some(most) = old.blocks_of(m).filter_map(percussion).reduce(f64::max) else { continue };
            if most <= 0.0 && solved > 0.0 && gap > 0.0 {
                continue;
            }
            change = change.max((solved - gap).abs()).max((was - normal).amax() * travel);
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
            match self.nested_on_curves() {
                Ok(Some(verdict)) => {
                    self.report.timings.solve += clock.lap();
                    return Ok(verdict);
                }
                Ok(None) => {}
                // Without friction a part that the loops cannot hold may lie anywhere: said, not guessed.
                Err(e) if e.may_pass_in_parts() && (self.method.inertia || self.has_friction()) => {
                    self.say(|| format!("{e}: condensed problem"));
                }
                Err(e) => return Err(e),
            }
            self.report.handed_over = true;
            // What the loops left behind says nothing of the step.
            self.ws.nested.balance = 0.0;
            self.ws.linearised = false;
            self.list_laws(h)?;
        }
        if !self.ws.linearised {
            self.carry_forces();
            let ws = &mut self.ws;
            self.parts.linearise(&self.state, h, &ws.force, false)?;
            ws.linearised = true;
            self.parts.gather_free(&mut ws.free);
        }
        self.condensed(clock)
    }

    fn has_friction(&self) -> bool {
        self.ws.laws.iter().any(|l| !matches!(l, Law::Frictionless) && !matches!(l, Law::Coulomb { mu: 0.0 }))
    }

    /// The condensed problem (8), again while a part is not in balance.
    fn condensed(&mut self, clock: &mut Clock) -> Result<Verdict, Error> {
        let mut tangents = 0;
        if self.may_part() {
            let verdict = self.solve_apart()?;
            self.report.timings.solve += clock.lap();
            return Ok(verdict);
        }
        self.ws.ended.clear();
        loop {
            self.reduce(self.form())?;
            self.report.timings.reduce += clock.lap();
            let mut verdict = self.solve()?;
            self.report.timings.solve += clock.lap();
            self.correct();
            // Laws that are not linear: back to 4 until their curves hold.
            if self.bend(&mut verdict, tangents) {
                tangents += 1;
                continue;
            }
            tangents = 0;
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
            self.parts.gather_free(&mut self.ws.free);
            if let Some(index) = self.parts.free_is_lost() {
                return Err(Error::NonFinite {
                    what: "free velocity",
                    owner: self.owner(index),
                    index,
                    time: self.state.time,
                });
            }
        }
    }

    /// The nested loops, on tangents of laws that are not linear until their curves hold.
    fn nested_on_curves(&mut self) -> Result<Option<Verdict>, Error> {
        for round in 0.. {
            let Some(mut verdict) = self.nested()? else { return Ok(None) };
            if !self.bend(&mut verdict, round) {
                let settled = verdict.status == Status::Converged;
                return Ok(settled.then_some(verdict));
            }
            // Loops that end know the tangents that they were given.
            if !self.may_nest() {
                break;
            }
        }
        Ok(None)
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
            offset: &ws.offset,
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
        let residual = ws.problem.residual(&ws.s, &ws.u) / ws.slack();
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

    /// 4: `W` and `b`; of `W` only its root where sweeps are to go by bodies.
    pub(crate) fn reduce(&mut self, form: Form) -> Result<(), Error> {
        self.parts.touch(&self.ws.touched, &mut self.ws.scratch)?;
        self.load();
        let (ws, parts) = (&mut self.ws, &self.parts);
        self.report.by_bodies = false;
        if let Some((inverse, width)) = bodies(parts, &ws.rows).filter(|_| form != Form::Assembled) {
            let groups = parts.sizes().bodies;
            let counts = ws.mobility.count(&ws.rows, groups);
            if form.by_bodies((C, width), plain(&ws.laws, &ws.compliance), counts) {
                let (rows, loaded, fixed, compliance) = (&ws.rows, &ws.loaded, &ws.fixed, &ws.compliance);
                let stated = &ws.laws;
                self.report.by_bodies = true;
                ws.problem.refill_by_bodies(|root, b, laws| {
                    rows.fill_root(inverse, (width, groups), compliance, root);
                    b.extend((0..rows.len()).map(|i| rows.times(i, loaded) + fixed[i]));
                    laws.clone_from(stated);
                })?;
                return Ok(());
            }
        }
        let Workspace { problem, rows, loaded, fixed, compliance, laws, mobility, .. } = ws;
        assemble(parts, (problem, mobility), (rows, loaded, fixed), (compliance, laws))
    }

    /// Free velocities under the offsets, which act like loads.
    pub(crate) fn load(&mut self) {
        let (ws, parts) = (&mut self.ws, &self.parts);
        match ws.has_nodes {
            true => ws.loaded.clone_from(&ws.free),
            false => parts.gather_free(&mut ws.loaded),
        }
        if ws.offset.iter().any(|o| o.amax() != 0.0) {
            Workspace::<D, C>::gather(&ws.rows, &ws.offset, &mut ws.force, ws.loaded.len());
            parts.solve_in_place(&mut ws.force);
            ws.loaded.iter_mut().zip(&ws.force).for_each(|(u, f)| *u -= f);
        }
    }

    /// How the sweeps of this step may see `W`.
    pub(crate) fn form(&self) -> Form {
        let StepSettings { form, order, correction, sweeps, solver, .. } = &self.settings;
        // Colours are those of the graph of W, where no sweeps are laid out for the laws; corrections of positions use
        // W again.
        let coloured = matches!(order, Order::Coloured { .. }) && !plain(&self.ws.laws, &self.ws.compliance);
        let assembled = coloured || correction.is_some();
        let sweeps = *sweeps > 0 || *solver == SolverKind::Nlgs;
        if assembled || !sweeps { Form::Assembled } else { *form }
    }

    /// 5: percussions.
    fn solve(&mut self) -> Result<Verdict, Error> {
        let (parts, slack) = (&self.parts, self.ws.slack());
        let Workspace {
            problem, s, u, nlgs, plain, has_nodes, rows, loaded, fixed, compliance, laws, mobility, ..
        } = &mut self.ws;
        let mut task = Task {
            problem,
            s,
            u,
            nlgs,
            plain,
            slack,
            has_nodes: *has_nodes,
            tolerance: self.settings.tolerance,
            redundant: false,
            total: 0,
        };
        let whole =
            |problem: &mut Problem<C>| assemble(parts, (problem, mobility), (rows, loaded, fixed), (compliance, laws));
        solve(&mut task, &self.settings, whole, || root(parts, rows, compliance))
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
            laws: &ws.laws,
            rows: &ws.rows,
            fixed: &ws.fixed,
            compliance: &ws.compliance,
            loaded: &ws.loaded,
            u_i: &ws.u_i,
            step: self.state.step,
            solve: &|x| parts.solve_in_place(x),
            // Not so for solids, whose inside may vibrate.
            rests: &|group| matches!(parts.of_body(group).0.operator(), Operator::Bodies { .. }),
            root: &|| root(parts, &ws.rows, &ws.compliance),
            best: Some(f64::INFINITY),
        };
        let trial = ws.rest.settle(&scene, &mut ws.s, &ws.u, &mut ws.u_f);
        self.report.at_rest = if let Trial::Rests(count) = trial { count } else { 0 };
        ws.measure_after();
    }
}

/// `W` and `b`, block by block.
fn assemble<const D: usize, const C: usize>(
    parts: &Parts<D, C>,
    (problem, mobility): (&mut Problem<C>, &mut Mobility<C>),
    (rows, loaded, fixed): (&Rows<C>, &[f64], &[Vector<C>]),
    (compliance, stated): (&[Vector<C>], &Vec<Law>),
) -> Result<(), Error> {
    problem.refill(|w, b, laws| {
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

/// `1/A_kk` and the degrees of freedom of a body, where all rows are of rigid bodies.
pub(crate) fn bodies<'a, const D: usize, const C: usize>(
    parts: &'a Parts<D, C>,
    rows: &Rows<C>,
) -> Option<(&'a [f64], usize)> {
    let (range, first) = parts.ranges().next()?;
    let Operator::Bodies { inverse, width } = first.operator() else { return None };
    let alone = rows.dofs().iter().all(|d| range.contains(&(*d as usize)));
    (alone && rows.have_width(width)).then_some((inverse, width))
}

/// A root of `W`, compliances included, where the solvers may eliminate by bodies.
fn root<const D: usize, const C: usize>(
    parts: &Parts<D, C>,
    rows: &Rows<C>,
    compliance: &[Vector<C>],
) -> Option<delassus_friction::Root<C>> {
    let (inverse, width) = bodies(parts, rows)?;
    rows.root(inverse, width, parts.sizes().bodies, compliance)
}

/// Contacts that sweeps by bodies are laid out for.
pub(crate) fn plain<const C: usize>(laws: &[Law], compliance: &[Vector<C>]) -> bool {
    laws.iter().all(Law::is_plain) && compliance.iter().all(|c| c.amax() == 0.0)
}
