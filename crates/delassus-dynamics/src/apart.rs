//! Stages 4 to 6 of rigid bodies, island by island
//!
//! ```text
//!     W = diag(W_1, …, W_k)        one problem (8) for each island, one certificate ‖e‖/‖b‖ for all
//! ```
//!
//! What happens in one island is no matter of the others but for the share of the residual that it may have, see
//! [`crate::budget`]. An island that was at rest and is so again under the
//! percussions it has is left as it is, and costs neither `W` nor a sweep.

use crate::budget::Share;
use crate::islands::NONE;
use crate::paths::{bodies, plain};
use crate::rest::{Rest, SELDOM, Scene, TIGHT, Trial};
use crate::sleep::Sleep;
use crate::solve::{Task, Verdict, refine, solve};
use crate::workspace::Workspace;
use crate::{Error, Form, Mobility, Rows, StepSettings, World};
use delassus_contact::{Dim, Space};
use delassus_friction::algebra::{Matrix, Vector};
use delassus_friction::solver::Nlgs;
use delassus_friction::{Law, Problem, Root, Status};

/// Grains share a contact with one neighbour in so many at most.
const GRAINS: usize = 10;

/// The tolerance with the round-off of a sum of shares.
const ROUNDED: f64 = 1.0 + 1e-9;

/// What an island is given, bodies and blocks numbered within it.
#[derive(Default)]
struct Given<const C: usize> {
    rows: Rows<C>,
    inverse: Vec<f64>,
    loaded: Vec<f64>,
    u_i: Vec<f64>,
    fixed: Vec<Vector<C>>,
    compliance: Vec<Vector<C>>,
    laws: Vec<Law>,
    width: usize,
    bodies: usize,
}

/// The problem of one island; scratch.
#[derive(Default)]
pub(crate) struct Island<const C: usize> {
    given: Given<C>,
    problem: Problem<C>,
    s: Vec<Vector<C>>,
    u: Vec<Vector<C>>,
    u_f: Vec<f64>,
    /// Percussions before they are improved.
    spare: Vec<Vector<C>>,
    mobility: Mobility<C>,
    nlgs: Option<Nlgs<C>>,
    plain: Option<Nlgs<C>>,
    tight: Option<Nlgs<C>>,
    rest: Rest<C>,
}

/// How an island ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Ended {
    /// Relative residual.
    pub residual: f64,
    /// `‖b‖`, what it is relative to \[m/s\].
    pub scale: f64,
    /// It was at rest, and kept its percussions to the bit.
    pub kept: bool,
    /// It was swept by bodies.
    pub by_bodies: bool,
    /// Bodies found at rest.
    pub rests: usize,
    /// What it weighs in the step.
    pub share: Share,
}

impl Ended {
    /// Residual \[m/s\].
    pub fn absolute(&self) -> f64 {
        if self.scale > 0.0 { self.residual * self.scale } else { self.residual }
    }
}

impl<const D: usize, const C: usize> World<D, C>
where
    Dim<D>: Space<D>,
{
    /// Whether the islands of this step may be solved apart: all of rigid bodies, nothing that looks at the whole problem.
    pub(crate) fn may_part(&self) -> bool {
        !self.ws.has_nodes
            && self.weak.is_empty()
            && self.ws.layers.is_empty()
            && self.settings.correction.is_none()
            && bodies(&self.parts, &self.ws.rows).is_some()
    }

    /// 4 to 6, island by island.
    pub(crate) fn solve_apart(&mut self) -> Result<Verdict, Error> {
        self.load();
        let form = self.form();
        let (ws, parts, settings, step) = (&mut self.ws, &self.parts, &self.settings, self.state.step);
        let Some((inverse, width)) = bodies(parts, &ws.rows) else { return Ok(Verdict::nothing()) };
        ws.partition.divide(&ws.rows, parts.sizes().bodies);
        ws.u_f.clear();
        ws.u_f.extend_from_slice(&ws.loaded);
        ws.u.clear();
        ws.u.resize(ws.rows.len(), Vector::zeros());
        ws.ended.clear();
        ws.share_residual(&self.sleep);
        let mut whole = Verdict::nothing();
        (self.report.by_bodies, self.report.at_rest) = (false, 0);
        for body in self.sleep.bodies() {
            ws.u_f[width * body..][..width].fill(0.0);
        }
        let mut island = std::mem::take(&mut ws.island);
        for k in 0..ws.partition.len() {
            let share = ws.share(k);
            let tolerance = ws.budget.tolerance(&share, settings.tolerance);
            let (mut ended, verdict) = match ws.one_contact(k, inverse, tolerance) {
                Some(ended) => (ended, Verdict { residual: ended.residual, sweeps: 1, ..Verdict::nothing() }),
                None => {
                    island.fill(ws, k, (inverse, width));
                    let solved = island.solve((settings, tolerance, ws.rows.len()), form, step)?;
                    island.empty(ws, k);
                    solved
                }
            };
            self.report.by_bodies |= ended.by_bodies;
            self.report.at_rest += ended.rests;
            whole.absorb(verdict, ws.partition.blocks(k));
            ended.share = share;
            ws.ended.push(ended);
        }
        ws.island = island;
        for ended in self.sleep.ended() {
            self.report.at_rest += ended.rests;
            ws.ended.push(ended);
        }
        whole.residual = ws.budget.residual(ws.ended.iter().map(|e| (e.share.first, e.absolute())));
        if whole.residual <= settings.tolerance {
            // What one island lacks, others had to spare.
            whole.status = Status::Converged;
        } else if whole.status == Status::Converged && !(whole.residual <= ROUNDED * settings.tolerance) {
            whole.status = Status::Stalled;
        }
        ws.measure_after();
        Ok(whole)
    }
}

impl<const D: usize, const C: usize> Workspace<D, C> {
    /// What the island `k` weighs in the step.
    fn share(&self, k: usize) -> Share {
        let blocks = self.partition.blocks(k);
        let b = |i: &u32| (self.rows.times(*i as usize, &self.loaded) + self.fixed[*i as usize]).norm_squared();
        let first = self.partition.bodies(k).first().copied().unwrap_or(NONE);
        Share { first, square: blocks.iter().map(b).sum(), blocks: blocks.len() }
    }

    fn share_residual(&mut self, sleep: &Sleep) {
        let mut budget = std::mem::take(&mut self.budget);
        budget.share((0..self.partition.len()).map(|k| self.share(k)), sleep.ended().map(|e| e.share));
        self.budget = budget;
    }

    /// The island `k` in closed form, where it is one contact that moves.
    fn one_contact(&mut self, k: usize, inverse: &[f64], tolerance: f64) -> Option<Ended> {
        let &[block] = self.partition.blocks(k) else { return None };
        let i = block as usize;
        self.rows.sides(i).next()?;
        let columns = || self.rows.sides(i).flat_map(|s| s.range());
        let mut w = Matrix::<C>::zeros();
        for k in columns() {
            let c = self.rows.columns()[k];
            w += c * (c * inverse[self.rows.dofs()[k] as usize]).transpose();
        }
        (0..C).for_each(|c| w[(c, c)] += self.compliance[i][c]);
        let b = self.rows.times(i, &self.loaded) + self.fixed[i];
        let (law, scale) = (&self.laws[i], b.norm());
        let s = law.solve_one(&w, &b, &self.s[i]);
        let u = w * s + b;
        let rho = C as f64 / w.trace();
        let relative = |x: f64| if scale > 0.0 { x / scale } else { x };
        let residual = relative(law.residual(&u, &s, rho).norm() / rho).max(relative(f64::EPSILON * s.norm() / rho));
        // What hardly moves may rest.
        if !(residual <= tolerance && w.trace() > 0.0 && u.norm() > crate::rest::NEAR * scale) {
            return None;
        }
        (self.s[i], self.u[i]) = (s, u);
        for k in self.rows.sides(i).flat_map(|s| s.range()) {
            let d = self.rows.dofs()[k] as usize;
            self.u_f[d] = self.loaded[d] + self.rows.columns()[k].dot(&s) * inverse[d];
        }
        Some(Ended { residual, scale, ..Ended::default() })
    }
}

impl<const C: usize> Given<C> {
    /// The blocks of the island `k`.
    fn fill<const D: usize>(&mut self, ws: &Workspace<D, C>, k: usize, (inverse, width): (&[f64], usize)) {
        let (bodies, blocks) = (ws.partition.bodies(k), ws.partition.blocks(k));
        (self.width, self.bodies) = (width, bodies.len());
        for list in [&mut self.inverse, &mut self.loaded, &mut self.u_i] {
            list.clear();
        }
        for &g in bodies {
            let dofs = width * g as usize..width * (g as usize + 1);
            self.inverse.extend_from_slice(&inverse[dofs.clone()]);
            self.loaded.extend_from_slice(&ws.loaded[dofs.clone()]);
            self.u_i.extend_from_slice(&ws.u_i[dofs]);
        }
        self.rows.clear();
        self.laws.clear();
        self.fixed.clear();
        self.compliance.clear();
        for i in blocks.iter().map(|i| *i as usize) {
            self.rows.take(&ws.rows, i, |group, dof| {
                let place = ws.partition.place(group);
                (place, dof + width as u32 * place - width as u32 * group)
            });
            self.laws.push(ws.laws[i].clone());
            self.fixed.push(ws.fixed[i]);
            self.compliance.push(ws.compliance[i]);
        }
    }

    /// Whether contacts outnumber what their bodies can do and pairs of bodies share several of them, as in walls and
    /// towers: sweeps are slow there, and an interior point is quick and sure. Between grains its path folds.
    fn is_redundant(&self) -> bool {
        let bodies = |i: usize| self.rows.sides(i).map(|s| s.group);
        let again = (1..self.rows.len()).filter(|i| bodies(*i).eq(bodies(*i - 1))).count();
        C * self.rows.len() > self.width * self.bodies && GRAINS * again > self.rows.len()
    }

    fn b(&self, i: usize) -> Vector<C> {
        self.rows.times(i, &self.loaded) + self.fixed[i]
    }

    /// `W` and `b`, block by block.
    fn assemble(&self, mobility: &mut Mobility<C>, problem: &mut Problem<C>) -> Result<(), Error> {
        Ok(problem.refill(|w, b, laws| {
            mobility.reduce_diagonal(&self.rows, &self.inverse, self.bodies, w);
            b.extend((0..self.rows.len()).map(|i| self.b(i)));
            laws.clone_from(&self.laws);
            for (i, c) in self.compliance.iter().enumerate().filter(|(_, c)| c.amax() != 0.0) {
                (0..C).for_each(|k| w.diagonal_mut(i)[(k, k)] += c[k]);
            }
        })?)
    }

    /// The same; of `W` only its root where sweeps are to go by bodies.
    fn reduce(&self, form: Form, mobility: &mut Mobility<C>, problem: &mut Problem<C>) -> Result<(), Error> {
        let counts = mobility.count(&self.rows, self.bodies);
        if !form.by_bodies((C, self.width), plain(&self.laws, &self.compliance), counts) {
            return self.assemble(mobility, problem);
        }
        Ok(problem.refill_by_bodies(|root, b, laws| {
            self.rows.fill_root(&self.inverse, (self.width, self.bodies), &self.compliance, root);
            b.extend((0..self.rows.len()).map(|i| self.b(i)));
            laws.clone_from(&self.laws);
        })?)
    }

    fn root(&self) -> Option<Root<C>> {
        self.rows.root(&self.inverse, self.width, self.bodies, &self.compliance)
    }

    /// `u_f = u_free + A⁻¹ Gᵀ S`.
    fn velocities(&self, s: &[Vector<C>], u_f: &mut Vec<f64>) {
        u_f.clear();
        u_f.resize(self.loaded.len(), 0.0);
        s.iter().enumerate().for_each(|(i, s)| self.rows.add_transposed(i, s, u_f));
        for ((u, inverse), free) in u_f.iter_mut().zip(&self.inverse).zip(&self.loaded) {
            *u = free + *u * inverse;
        }
    }

    /// The certificate of percussions that give the velocities `u`, without `W`.
    fn certify(&self, s: &[Vector<C>], u: &[f64]) -> [f64; 2] {
        let (mut error, mut size, mut scale) = (0.0, 0.0, 0.0);
        for (i, s) in s.iter().enumerate() {
            let columns = self.rows.sides(i).flat_map(|s| s.range());
            let own = |k: usize| self.rows.columns()[k].norm_squared() * self.inverse[self.rows.dofs()[k] as usize];
            let trace = columns.map(own).sum::<f64>() + self.compliance[i].sum();
            let rho = if trace > 0.0 { C as f64 / trace } else { 1.0 };
            let v = self.rows.times(i, u) + self.fixed[i] + self.compliance[i].component_mul(s);
            error += (self.laws[i].residual(&v, s, rho) / rho).norm_squared();
            size += (s / rho).norm_squared();
            scale += self.b(i).norm_squared();
        }
        // As for any other problem: what round-off hides counts.
        let (absolute, scale) = (error.sqrt().max(f64::EPSILON * size.sqrt()), scale.sqrt());
        [if scale > 0.0 { absolute / scale } else { absolute }, scale]
    }

    /// What the test of equilibrium looks at.
    fn look<R>(&self, problem: &Problem<C>, (step, best): (u64, Option<f64>), test: impl FnOnce(&Scene<C>) -> R) -> R {
        test(&Scene {
            problem,
            laws: &self.laws,
            rows: &self.rows,
            fixed: &self.fixed,
            compliance: &self.compliance,
            loaded: &self.loaded,
            u_i: &self.u_i,
            step,
            solve: &|x| x.iter_mut().zip(&self.inverse).for_each(|(x, i)| *x *= i),
            rests: &|_| true,
            root: &|| self.root(),
            best,
        })
    }
}

impl<const C: usize> Island<C> {
    fn fill<const D: usize>(&mut self, ws: &Workspace<D, C>, k: usize, of_bodies: (&[f64], usize)) {
        self.given.fill(ws, k, of_bodies);
        self.s.clear();
        self.s.extend(ws.partition.blocks(k).iter().map(|i| ws.s[*i as usize]));
        self.u.clear();
        self.u.resize(self.s.len(), Vector::zeros());
    }

    /// What was found, into the step.
    fn empty<const D: usize>(&self, ws: &mut Workspace<D, C>, k: usize) {
        for (here, &i) in ws.partition.blocks(k).iter().enumerate() {
            (ws.s[i as usize], ws.u[i as usize]) = (self.s[here], self.u[here]);
        }
        let width = self.given.width;
        for (u, &g) in self.u_f.chunks(width).zip(ws.partition.bodies(k)) {
            ws.u_f[width * g as usize..][..width].copy_from_slice(u);
        }
    }

    /// Percussions and velocities.
    fn solve(
        &mut self,
        (settings, tolerance, total): (&StepSettings, f64, usize),
        form: Form,
        step: u64,
    ) -> Result<(Ended, Verdict), Error> {
        let Self { given, problem, s, u_f, mobility, rest, .. } = self;
        if given.look(problem, (step, None), |scene| rest.holds(scene, s)) {
            given.velocities(s, u_f);
            let [residual, scale] = given.certify(s, u_f);
            if residual <= tolerance {
                u_f.fill(0.0);
                let verdict = Verdict { residual, ..Verdict::nothing() };
                return Ok((Ended { residual, scale, kept: true, rests: given.bodies, ..Ended::default() }, verdict));
            }
        }
        given.reduce(form, mobility, problem)?;
        let by_bodies = problem.by_bodies().is_some();
        let mut verdict = self.percussions((settings, tolerance, total))?;
        let due = step.is_multiple_of(SELDOM) || self.given.u_i.iter().all(|u| *u == 0.0);
        let improves = due && verdict.residual > TIGHT && verdict.status == Status::Converged;
        let mut trial = self.settle(step, tolerance, (!improves).then_some(verdict.residual));
        if improves && trial == Trial::Fails {
            self.improve(settings, &mut verdict)?;
            trial = self.settle(step, tolerance, Some(verdict.residual));
        }
        let rests = if let Trial::Rests(count) = trial { count } else { 0 };
        let (residual, scale) = (verdict.residual, self.problem.b_norm());
        Ok((Ended { residual, scale, by_bodies, rests, ..Ended::default() }, verdict))
    }

    fn percussions(&mut self, (settings, tolerance, total): (&StepSettings, f64, usize)) -> Result<Verdict, Error> {
        let Self { given, problem, s, u, mobility, nlgs, plain, .. } = self;
        let mut task = Task {
            problem,
            s,
            u,
            nlgs,
            plain,
            slack: 1.0,
            has_nodes: false,
            tolerance,
            redundant: given.is_redundant(),
            total,
        };
        solve(&mut task, settings, |problem| given.assemble(mobility, problem), || given.root())
    }

    /// Velocities, and rest where there is one.
    fn settle(&mut self, step: u64, tolerance: f64, best: Option<f64>) -> Trial {
        let Self { given, problem, s, u, u_f, rest, spare, .. } = self;
        given.velocities(s, u_f);
        spare.clone_from(s);
        let trial = given.look(problem, (step, best), |scene| rest.settle(scene, s, u, u_f));
        // The certificate judges what is imposed.
        if matches!(trial, Trial::Rests(_)) && !(given.certify(s, u_f)[0] <= tolerance) {
            s.clone_from(spare);
            given.velocities(s, u_f);
            return Trial::Fails;
        }
        trial
    }

    /// Percussions further than asked for.
    fn improve(&mut self, settings: &StepSettings, verdict: &mut Verdict) -> Result<(), Error> {
        let Self { problem, s, u, spare, tight, .. } = self;
        spare.clone_from(s);
        let (sweeps, residual) = refine(tight, (problem, s, u), (settings, TIGHT))?;
        verdict.sweeps += sweeps;
        if residual < verdict.residual {
            verdict.residual = residual;
        } else {
            s.clone_from(spare);
            problem.velocities(s, u);
        }
        Ok(())
    }
}
