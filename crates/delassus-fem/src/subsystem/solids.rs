//! Deformable solids in motion.

use super::balance::{Balance, zeros};
use super::solver::Solver;
use super::{SettingsError, SolidSettings};
use crate::contact::Stencil;
use crate::model::{LoadKind, Model};
use crate::structure::{At, Structure, StructureError};
use crate::{Prediction, Scheme, SchemeError};
use delassus_contact::{Contact, Vector as Place};
use delassus_dynamics::{
    Account, Assembled, Compliance, Error, Ledger, Momenta, Nodes, Operator, Rows, Sizes, State, Subsystem, Surfaces,
};
use delassus_friction::algebra::Vector;
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::sync::Arc;

/// A stable step this much shorter than that of the reference mesh is still the same.
const NO_FINER: f64 = 0.999;
/// Parts of an explicit step beyond which the mesh is beyond repair.
const MOST_PARTS: f64 = 1e4;

/// Where the arrays of the solids are among their coordinates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// Displacements.
    pub displacement: Range<usize>,
    /// Internal variables.
    pub history: Range<usize>,
    /// Accelerations that the next step begins with.
    pub acceleration: Range<usize>,
    /// Normal contact forces of the last step.
    pub normal: Range<usize>,
    /// Tangential ones.
    pub tangential: Range<usize>,
}

/// Deformable solids, beams and springs as a part of the world.
pub struct Solids<const D: usize> {
    pub(super) structure: Structure,
    pub(super) settings: SolidSettings,
    /// `M g`.
    pub(super) weight: Vec<f64>,
    pub(super) balance: Balance,
    pub(super) prediction: Prediction,
    pub(super) columns: Columns,
    pub(super) first: Sizes,
    /// Stored and plastic energy of the state.
    pub(super) stored: Cell<Option<[f64; 2]>>,
    pub(super) end: super::account::End,
    model: Arc<Model>,
    /// Whether `A` depends on the step alone.
    linear: bool,
    reference: Vec<f64>,
    positions: Vec<f64>,
    lead: f64,
    /// Group of each node among the solids: those that springs join are one.
    group: Vec<u32>,
    solver: Solver,
    made_for: Option<[f64; 3]>,
    compliance: Compliance,
    /// Inverse lumped mass of explicit schemes, zero where the motion is imposed.
    pub(super) inverse: Vec<f64>,
    free: Vec<f64>,
    open: f64,
    iterations: usize,
    scratch: RefCell<Vec<f64>>,
    /// Stability limit of the reference mesh, by elements.
    whole_limit: f64,
}

fn forces(e: StructureError) -> Error {
    match e {
        StructureError::Algebra(e) => Error::Algebra(e),
        e => Error::Forces(Box::new(e)),
    }
}

impl<const D: usize> Solids<D> {
    /// Checks a model and its settings.
    pub fn new(model: Model, settings: SolidSettings) -> Result<Self, crate::Error> {
        model.validate()?;
        settings.validate(&model)?;
        if model.dim != D {
            return Err(crate::Error::Dimension { expected: D, found: model.dim });
        }
        let mut weightless = model.clone();
        weightless.gravity = [0.0; 3];
        let structure = Structure::new(Arc::new(weightless))?;
        let n = model.dofs();
        let moving = D * model.nodes();
        let everywhere: Vec<f64> = (0..n).map(|i| if i < moving { model.gravity[i % D] } else { 0.0 }).collect();
        let mut weight = vec![0.0; n];
        match settings.scheme.is_explicit() {
            true => (0..n).for_each(|i| weight[i] = structure.lumped()[i] * everywhere[i]),
            false => structure.mass().mul_add(&everywhere, &mut weight),
        }
        let history = structure.initial_history().len();
        let range = |from: usize, len: usize| from..from + len;
        let columns = Columns {
            displacement: range(0, n),
            history: range(n, history),
            acceleration: range(n + history, n),
            normal: range(2 * n + history, n),
            tangential: range(3 * n + history, n),
        };
        let mut inverse: Vec<f64> = structure.lumped().iter().map(|m| if *m > 0.0 { 1.0 / m } else { 0.0 }).collect();
        structure.imposed().dofs().iter().for_each(|d| inverse[*d as usize] = 0.0);
        let follows = model.loads.iter().any(|l| matches!(l.kind, LoadKind::Pressure { .. }));
        let follows = follows && matches!(settings.scheme, Scheme::MoreauJean { .. });
        let touchable = touchable::<D>(&model);
        let mut solids = Self {
            linear: structure.is_linear() && !follows,
            reference: model.positions(),
            positions: model.positions(),
            lead: 0.0,
            group: groups::<D>(&model),
            solver: Solver::new(structure.pattern(), settings.linear),
            made_for: None,
            compliance: Compliance::new(n, touchable),
            inverse,
            free: vec![0.0; n],
            open: 0.0,
            iterations: 0,
            scratch: RefCell::default(),
            whole_limit: f64::INFINITY,
            balance: Balance::default(),
            prediction: Prediction::default(),
            columns,
            first: Sizes::default(),
            stored: Cell::new(None),
            end: Default::default(),
            model: Arc::new(model),
            weight,
            structure,
            settings,
        };
        solids.settings.step = Some(solids.choose_step()?);
        Ok(solids)
    }

    /// The step given, or a share of the longest stable one.
    fn choose_step(&mut self) -> Result<f64, crate::Error> {
        let scheme = self.settings.scheme;
        let zero = vec![0.0; self.model.dofs()];
        let limit = match scheme.stability() {
            Some(omega_h) => {
                let (two_over_omega, by) = self.structure.critical_step(&zero)?;
                self.whole_limit = 0.5 * omega_h * two_over_omega;
                Some((self.whole_limit, by))
            }
            None => None,
        };
        let h = match (self.settings.step, limit) {
            (Some(h), Some((limit, where_from))) if h > limit => {
                // The bound of elements is safe; the model itself may admit more.
                let exact = self.structure.stable_step(0.5 * scheme.stability().unwrap_or(2.0), limit)?;
                if h > exact {
                    return Err(
                        SchemeError::Unstable { scheme: scheme.name(), step: h, limit: exact, where_from }.into()
                    );
                }
                h
            }
            (Some(h), _) => h,
            (None, Some((limit, _))) => self.settings.safety * limit,
            (None, None) => return Err(SettingsError::NoStep { scheme: scheme.name() }.into()),
        };
        if !(h > 0.0 && h.is_finite()) {
            return Err(SettingsError::Value { name: "step", value: h, expected: "a positive number" }.into());
        }
        Ok(h)
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The operators, without gravity.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// The settings; the step is that given or found.
    pub fn settings(&self) -> &SolidSettings {
        &self.settings
    }

    /// Length of a step \[s\].
    pub fn step(&self) -> f64 {
        self.settings.step.unwrap_or(f64::NAN)
    }

    /// Where the arrays are among the coordinates of the solids.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// Coordinates and velocities at the start.
    pub fn start(&mut self) -> Result<(Vec<f64>, Vec<f64>), crate::Error> {
        let (n, scheme) = (self.model.dofs(), self.settings.scheme);
        let mut u = vec![0.0; n];
        let mut v = self.model.velocities();
        self.structure.held(0.0).for_each(|(dof, value)| u[dof] = value);
        if let Scheme::MoreauJean { .. } = scheme {
            self.structure.held_rates(0.0).for_each(|(dof, rate)| v[dof] = rate);
        }
        let history = self.structure.initial_history();
        let mut a = vec![0.0; n];
        if scheme.newmark().is_some() || scheme.is_explicit() {
            let (mut internal, mut external) = (vec![0.0; n], vec![0.0; n]);
            self.structure.internal(At { u: &u, v: &v, history: &history }, None, &mut internal)?;
            self.structure.external(0.0, &u, &mut external)?;
            match scheme {
                Scheme::SemiExplicit { .. } => self.structure.accelerations(&internal, &mut a),
                _ => {
                    (0..n).for_each(|i| a[i] = external[i] + self.weight[i] - internal[i]);
                    self.structure.solve_mass(&mut a, scheme.is_explicit())?;
                }
            }
        }
        let mut q = u;
        q.extend(history);
        q.extend(a);
        q.resize(self.columns.tangential.end, 0.0);
        Ok((q, v))
    }

    /// The part of the solids in the coordinates of a state.
    pub fn own<'a>(&self, state: &'a State) -> &'a [f64] {
        &state.q[self.first.coordinates..][..self.columns.tangential.end]
    }

    /// Their velocities in a state.
    pub fn velocities<'a>(&self, state: &'a State) -> &'a [f64] {
        &state.u[self.first.dofs..][..self.model.dofs()]
    }

    fn name(&self) -> String {
        let names: Vec<&str> = self.model.parts.iter().map(|p| p.name.as_str()).collect();
        match &names[..] {
            [] => "the beams".into(),
            [one] => format!("'{one}'"),
            [first, .., last] => format!("'{first}' … '{last}'"),
        }
    }

    /// Takes a state apart.
    fn read(&mut self, state: &State, h: f64) {
        let (own, v) = (self.own(state), self.velocities(state));
        let (columns, b) = (&self.columns, &mut self.balance);
        let take = |into: &mut Vec<f64>, x: &[f64]| {
            into.clear();
            into.extend_from_slice(x);
        };
        (b.t, b.h) = (state.time, h);
        take(&mut b.u, &own[columns.displacement.clone()]);
        // Explicit steps look at internal variables once, where they are.
        if !self.settings.scheme.is_explicit() {
            take(&mut b.history, &own[columns.history.clone()]);
        }
        take(&mut b.a, &own[columns.acceleration.clone()]);
        take(&mut b.contact[0], &own[columns.normal.clone()]);
        take(&mut b.contact[1], &own[columns.tangential.clone()]);
        take(&mut b.v, v);
    }

    /// Velocities of an explicit step without contact.
    fn kick(&mut self) -> Result<(), StructureError> {
        let Self { structure, balance: b, settings, weight, inverse, free, .. } = self;
        let (n, h) = (b.u.len(), b.h);
        zeros(free, n);
        if settings.scheme == Scheme::CentralDifferences {
            (0..n).for_each(|i| free[i] = b.v[i] + 0.5 * h * b.a[i]);
        } else {
            // The accelerations are those of the internal forces: found when the last step ended.
            structure.external(b.t + h, &b.u, &mut b.external)?;
            let mass = structure.lumped();
            for i in 0..n {
                b.internal[i] = -mass[i] * b.a[i];
                free[i] = b.v[i] + h * inverse[i] * (b.external[i] + weight[i] - b.internal[i]);
            }
        }
        for (dof, x) in structure.imposed().dofs().iter().zip(&b.imposed) {
            free[*dof as usize] = *x;
        }
        Ok(())
    }

    /// `A` and its factor; `u_free = x − A⁻¹ r`.
    fn release(&mut self) -> Result<(), Error> {
        self.assemble();
        self.solver.prepare()?;
        let b = &self.balance;
        self.free.clear();
        self.free.extend_from_slice(&b.residual);
        self.solver.solve(&mut self.free);
        self.free.iter_mut().zip(&b.x).for_each(|(f, x)| *f = x - *f);
        match self.solver.failure() {
            Some(e) => Err(Error::Forces(Box::new(e))),
            None => Ok(()),
        }
    }

    /// What the matrix belongs to, where it can be used again.
    fn version(&self) -> [f64; 3] {
        [self.balance.h, self.prediction.k[0], self.prediction.k[1]]
    }

    fn assemble(&mut self) {
        let version = self.version();
        // The tangent at hand is in the matrix already.
        if self.made_for == Some(version) && (self.linear || self.balance.assembled) {
            return;
        }
        self.balance.assembled = true;
        let matrix = &mut self.solver.matrix;
        matrix.set_sum(1.0, self.structure.tangent(), self.balance.h * self.prediction.k[1], self.structure.mass());
        let diagonal = matrix.diagonal().fold(0.0, |a: f64, b| a.max(b.abs()));
        matrix.impose(self.structure.imposed(), diagonal.max(f64::MIN_POSITIVE));
        self.solver.forget();
        self.compliance.forget();
        self.made_for = Some(version);
    }

    /// Whether an evaluation must bring the tangent.
    fn needs_tangent(&self) -> bool {
        !(self.linear && self.made_for == Some(self.version()))
    }
}

/// Degrees of freedom of the surfaces of a model, ascending.
fn touchable<const D: usize>(model: &Model) -> Vec<u32> {
    let mut nodes: Vec<u32> = vec![];
    for part in &model.parts {
        for facet in part.mesh.boundary() {
            nodes.extend(facet.nodes().iter().map(|n| part.first as u32 + n));
        }
    }
    for pair in &model.contacts {
        nodes.extend_from_slice(pair.slave.nodes());
    }
    for beam in &model.beams {
        nodes.extend((beam.first..beam.first + beam.count).map(|n| n as u32));
    }
    nodes.sort_unstable();
    nodes.dedup();
    nodes.iter().flat_map(|n| (0..D as u32).map(move |k| D as u32 * n + k)).collect()
}

/// Group of each node: its part or beam, those that springs and dampers join being one.
fn groups<const D: usize>(model: &Model) -> Vec<u32> {
    let mut group = vec![0u32; model.nodes()];
    for (k, part) in model.parts.iter().enumerate() {
        group[part.range().start / D..part.range().end / D].fill(k as u32);
    }
    for (k, beam) in model.beams.iter().enumerate() {
        group[beam.first..beam.first + beam.count].fill((model.parts.len() + k) as u32);
    }
    let moving = (D * model.nodes()) as u32;
    for d in &model.discrete {
        if let Some(b) = d.b.filter(|b| *b < moving && d.a < moving) {
            let (from, to) = (group[b as usize / D], group[d.a as usize / D]);
            let (from, to) = (from.max(to), from.min(to));
            group.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
        }
    }
    group
}

impl<const D: usize, const C: usize> Subsystem<D, C> for Solids<D> {
    fn sizes(&self) -> Sizes {
        Sizes {
            coordinates: self.columns.tangential.end,
            dofs: self.model.dofs(),
            links: 0,
            bodies: self.model.parts.len() + self.model.beams.len(),
        }
    }

    fn place(&mut self, first: Sizes) {
        self.first = first;
    }

    fn forget(&mut self) {
        self.stored.set(None);
    }

    /// Their number follows from the state alone, so that a restart makes the same parts.
    ///
    /// A mesh that gets finer may use up half of the margin that `safety` leaves.
    fn parts(&mut self, state: &State, h: f64) -> Result<usize, Error> {
        let scheme = self.settings.scheme;
        if !scheme.is_explicit() || self.structure.is_linear() {
            return Ok(1);
        }
        let factor = 0.5 * scheme.stability().unwrap_or(2.0);
        let (whole, share) = (self.whole_limit / factor, 0.5 * (1.0 + self.settings.safety) * factor);
        // The first step was accepted whole: so is what is as good.
        let good = NO_FINER * whole;
        let parts = |limit: f64| match limit >= good {
            true => 1.0,
            false => (h / (share * limit) - 1e-6).ceil().clamp(1.0, MOST_PARTS),
        };
        let same = |limit: f64| match parts(limit) {
            1.0 => good.min(h / share),
            p => limit.min(h / (share * p)),
        };
        let u = &state.q[self.first.coordinates..][..self.model.dofs()];
        let limit = self.structure.deformed_step(u, whole, &same).map_err(forces)?;
        Ok(parts(limit) as usize)
    }

    fn predict(&mut self, state: &State, h: f64) -> Result<(), Error> {
        self.read(state, h);
        self.iterations = 0;
        self.open = 0.0;
        self.begin().map_err(forces)?;
        let scheme = self.settings.scheme;
        if scheme.is_explicit() {
            self.kick().map_err(forces)?;
        }
        let penalised = !self.settings.contact.formalism.has_multipliers();
        let (b, p, moving) = (&self.balance, &self.prediction, self.reference.len());
        // Contacts are looked for where laws on velocities speak of them: rigid bodies move from one
        // such place to the next by `h v_f`, and so do solids, whatever θ.
        let ahead = |share: f64| move |i: usize| b.u[i] + share * h * b.v[i];
        self.positions.clear();
        let mut fill = |f: &dyn Fn(usize) -> f64| self.positions.extend((0..moving).map(|i| self.reference[i] + f(i)));
        self.lead = match scheme {
            Scheme::Theta { .. } => {
                fill(&ahead(0.5));
                0.5 * h
            }
            Scheme::MoreauJean { theta } => {
                fill(&ahead(1.0 - theta));
                (1.0 - theta) * h
            }
            // Where the surfaces will be decides who meets whom.
            _ if scheme.is_explicit() && !penalised => {
                fill(&|i| p.u[i] + p.k[0] * self.free[i]);
                h
            }
            _ if scheme.is_explicit() => {
                fill(&|i| b.u[i]);
                0.0
            }
            _ => {
                fill(&|i| b.u[i]);
                h
            }
        };
        if let Scheme::MoreauJean { .. } = scheme {
            for (dof, value) in self.structure.held(b.t + self.lead).filter(|x| x.0 < moving) {
                self.positions[dof] = self.reference[dof] + value;
            }
        }
        Ok(())
    }

    fn surfaces(&self) -> Surfaces<'_, D> {
        let nodes = Nodes {
            reference: &self.reference,
            positions: &self.positions,
            before: &self.balance.u,
            base: &self.prediction.u,
            slope: self.prediction.k[0],
            lead: self.lead,
        };
        Surfaces { nodes, ..Surfaces::default() }
    }

    fn side_rows(&self, contact: &Contact<D>, side: usize, nodes: Option<&Stencil>, rows: &mut Rows<C>) {
        let Some(stencil) = nodes else { return };
        let sign = [1.0, -1.0][side];
        for (node, share) in stencil.iter().filter(|(_, c)| *c != 0.0) {
            for k in 0..D {
                let column =
                    Vector::<C>::from_fn(|c, _| if c < D { sign * share * contact.frame[(k, c)] } else { 0.0 });
                self.dof_row((D * node as usize + k) as u32, column, rows);
            }
        }
    }

    fn dof_row(&self, dof: u32, column: Vector<C>, rows: &mut Rows<C>) {
        let d = dof as usize;
        if self.structure.is_held(d) {
            rows.impose(column, [self.balance.v[d], self.balance.x[d]]);
        } else {
            let group = self.first.bodies as u32 + self.group[d / D];
            rows.push(group, (self.first.dofs + d) as u32, column);
        }
    }

    fn linearise(&mut self, _: &State, _: f64, _: &[f64], balanced: bool) -> Result<(), Error> {
        if self.settings.scheme.is_explicit() {
            return Ok(());
        }
        let mut x = std::mem::take(&mut self.free);
        x.clear();
        x.extend_from_slice(&self.balance.x);
        let tangent = self.needs_tangent();
        let mut result = self.evaluate_at(&x, tangent).map_err(forces);
        self.free = x;
        for _ in 0..=self.settings.loops.newton {
            result?;
            // What moves freely as it did needs no factor; contacts ask for it.
            if balanced && self.unbalance(&[]) <= self.closed(&[]) {
                return Ok(());
            }
            self.release()?;
            if !balanced || self.linear {
                return Ok(());
            }
            let x = std::mem::take(&mut self.free);
            result = self.evaluate_at(&x, true).map_err(forces);
            self.free = x;
            self.iterations += 1;
        }
        result?;
        if self.unbalance(&[]) <= self.closed(&[]) {
            return Ok(());
        }
        let (part, tolerance) = (self.name(), self.settings.tolerance);
        Err(Error::NotBalanced { part, residual: self.unbalance(&[]), tolerance, iterations: self.iterations })
    }

    fn u_free(&self) -> &[f64] {
        &self.free
    }

    fn solve_in_place(&self, x: &mut [f64]) {
        if self.settings.scheme.is_explicit() {
            x.iter_mut().zip(&self.inverse).for_each(|(x, m)| *x *= m);
            return;
        }
        self.structure.imposed().dofs().iter().for_each(|d| x[*d as usize] = 0.0);
        // Nothing to solve for where nothing acts.
        if x.iter().any(|x| *x != 0.0) {
            self.solver.solve(x);
        }
    }

    fn touch(&mut self, dofs: &[u32]) -> Result<(), Error> {
        if self.settings.scheme.is_explicit() || dofs.is_empty() {
            return Ok(());
        }
        self.assemble();
        self.solver.prepare()?;
        let solver = &self.solver;
        self.compliance.prepare(dofs, |columns| {
            solver.solve(columns);
            Ok(())
        })
    }

    fn operator(&self) -> Operator<'_> {
        match self.settings.scheme.is_explicit() {
            true => Operator::Lumped { inverse: &self.inverse },
            false => Operator::Columns(&self.compliance),
        }
    }

    fn relinearise(&mut self, u: &[f64], reaction: &[f64]) -> Result<bool, Error> {
        if self.settings.scheme.is_explicit() {
            return Ok(false);
        }
        self.evaluate_at(u, !self.linear).map_err(forces)?;
        self.open = self.unbalance(reaction);
        self.iterations += 1;
        if !self.open.is_finite() {
            return Err(Error::NonFinite { what: "balance of solid", index: 0, time: self.balance.t });
        }
        if self.open <= self.closed(reaction) {
            return Ok(false);
        }
        // What a linear part leaves open is refined, which a few solves do.
        let limit = if self.linear { 4 } else { 2 * self.settings.loops.newton };
        if self.iterations > limit {
            let (part, tolerance) = (self.name(), self.settings.tolerance);
            return Err(Error::NotBalanced { part, residual: self.open, tolerance, iterations: self.iterations });
        }
        self.release()?;
        Ok(true)
    }

    fn assembled(&mut self) -> Option<&mut dyn Assembled> {
        (!self.settings.scheme.is_explicit()).then_some(self as &mut dyn Assembled)
    }

    fn blends(&self) -> bool {
        self.settings.scheme.blends()
    }

    fn account(&mut self, step: &Account<'_>, ledger: &mut Ledger) -> Result<(), Error> {
        self.add_works(step, ledger).map_err(forces)
    }

    fn commit(&mut self, u: &[f64], _: f64, state: &mut State) -> Result<(), Error> {
        let columns = self.columns.clone();
        let end = &self.end;
        let own = &mut state.q[self.first.coordinates..][..columns.tangential.end];
        own[columns.displacement].copy_from_slice(&end.u);
        own[columns.history].copy_from_slice(&end.history);
        own[columns.acceleration].copy_from_slice(&end.a);
        own[columns.normal].copy_from_slice(&end.contact[0]);
        own[columns.tangential].copy_from_slice(&end.contact[1]);
        state.u[self.first.dofs..][..u.len()].copy_from_slice(&end.v);
        self.stored.set(Some(end.energies));
        Ok(())
    }

    fn energies(&self, state: &State, ledger: &mut Ledger) {
        let (own, v, scheme) = (self.own(state), self.velocities(state), self.settings.scheme);
        if scheme.is_dynamic() {
            ledger.kinetic += self.structure.kinetic(v, scheme.is_explicit());
        }
        ledger.potential -= own.iter().zip(&self.weight).map(|(u, w)| u * w).sum::<f64>();
        ledger.strain += self.stored_of(own)[0];
    }

    fn momenta(&self, state: &State, momenta: &mut Momenta) {
        let (own, v) = (self.own(state), self.velocities(state));
        let mut scratch = self.scratch.borrow_mut();
        let p = &mut *scratch;
        zeros(p, v.len());
        match self.settings.scheme.is_explicit() {
            true => (0..v.len()).for_each(|i| p[i] = self.structure.lumped()[i] * v[i]),
            false => self.structure.mass().mul_add(v, p),
        }
        for i in (0..self.reference.len()).step_by(D) {
            let wide =
                |x: &dyn Fn(usize) -> f64| -> [f64; 3] { std::array::from_fn(|k| if k < D { x(k) } else { 0.0 }) };
            let (x, p) = (wide(&|k| self.reference[i + k] + own[i + k]), wide(&|k| p[i + k]));
            for k in 0..3 {
                let (a, b) = ((k + 1) % 3, (k + 2) % 3);
                momenta.linear[k] += p[k];
                momenta.angular[k] += x[a] * p[b] - x[b] * p[a];
            }
        }
    }

    fn displace(&self, delta: &[f64], state: &mut State) {
        let own = &mut state.q[self.first.coordinates..][..delta.len()];
        for (i, d) in delta.iter().enumerate().filter(|(i, _)| !self.structure.is_held(*i)) {
            own[i] += d;
        }
    }

    fn balance(&self) -> (f64, usize) {
        (self.open, self.iterations)
    }
}

impl<const D: usize> Assembled for Solids<D> {
    fn pattern(&self) -> &Arc<crate::algebra::Pattern> {
        self.structure.pattern()
    }

    fn start(&self) -> &[f64] {
        &self.balance.start
    }

    fn evaluate(&mut self, x: &[f64]) -> Result<(), Error> {
        let tangent = self.needs_tangent();
        if self.balance.knows(x, tangent) {
            self.assemble();
            return Ok(());
        }
        self.evaluate_at(x, tangent).map_err(forces)?;
        self.assemble();
        Ok(())
    }

    fn matrix(&self) -> &crate::algebra::SymmetricMatrix {
        &self.solver.matrix
    }

    fn residual(&self) -> &[f64] {
        &self.balance.residual
    }

    fn size(&self) -> [f64; 2] {
        [self.balance.scale, self.balance.round]
    }

    fn is_held(&self, dof: usize) -> bool {
        self.structure.is_held(dof)
    }
}

/// Position of a node, for those who look for one.
impl<const D: usize> Solids<D> {
    /// Reference positions of the nodes, flat.
    pub fn reference(&self) -> &[f64] {
        &self.reference
    }

    /// Reference position of a node.
    pub fn node(&self, node: usize) -> Place<D> {
        Place::from_column_slice(&self.reference[D * node..][..D])
    }
}
