//! Deformable solids in motion.

mod part;
mod shape;
mod start;

use super::SolidSettings;
use super::balance::{Balance, zeros};
use super::cycle::Cycle;
use super::mixed::Mixed;
use super::solver::Solver;
use super::ties::Ties;
use crate::model::{LoadKind, Model};
use crate::structure::{At, Structure, StructureError};
use crate::{Prediction, Scheme};
use delassus_contact::Vector as Place;
use delassus_dynamics::{Compliance, Error, Sizes, State};
use shape::{groups, largest_cell, touchable};
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::sync::Arc;

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
    /// Forces of the rows that hold whatever touches; empty where there are none.
    pub tied: Range<usize>,
    /// Where long steps began; empty where there are none.
    pub cycle: Range<usize>,
}

impl Columns {
    /// Number of coordinates.
    pub fn len(&self) -> usize {
        self.cycle.end
    }

    /// No coordinates.
    pub fn is_empty(&self) -> bool {
        self.cycle.end == 0
    }
}

/// Deformable solids, beams and springs as a part of the world.
pub struct Solids<const D: usize> {
    pub(in crate::subsystem) structure: Structure,
    pub(in crate::subsystem) settings: SolidSettings,
    /// `M g`.
    pub(in crate::subsystem) weight: Vec<f64>,
    pub(in crate::subsystem) balance: Balance,
    pub(in crate::subsystem) prediction: Prediction,
    pub(in crate::subsystem) columns: Columns,
    pub(in crate::subsystem) first: Sizes,
    /// Stored and plastic energy of the state.
    pub(in crate::subsystem) stored: Cell<Option<[f64; 2]>>,
    pub(in crate::subsystem) end: crate::subsystem::account::End,
    model: Arc<Model>,
    /// Whether `A` depends on the step alone.
    linear: bool,
    reference: Vec<f64>,
    positions: Vec<f64>,
    lead: f64,
    /// Size of the largest cell \[m\].
    pub(in crate::subsystem) cell: f64,
    /// Group of each node among the solids: those that springs join are one.
    group: Vec<u32>,
    solver: Solver,
    pub(in crate::subsystem) ties: Option<Arc<Ties>>,
    /// Where parts have schemes of their own, or explicit ones are tied.
    pub(in crate::subsystem) mixed: Option<Mixed>,
    /// Parts that make longer steps than the others.
    pub(in crate::subsystem) cycle: Option<Cycle>,
    made_for: Option<[f64; 3]>,
    compliance: Compliance,
    /// Inverse lumped mass of explicit schemes, zero where the motion is imposed.
    pub(in crate::subsystem) inverse: Vec<f64>,
    free: Vec<f64>,
    open: f64,
    iterations: usize,
    scratch: RefCell<Vec<f64>>,
    /// Beginning and direction of a step of Newton.
    pub(in crate::subsystem) search: [Vec<f64>; 2],
    /// Stability limit of the reference mesh, by elements.
    whole_limit: f64,
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
        let mut structure = Structure::new(Arc::new(weightless))?;
        let mixed = Mixed::new(&model, &settings);
        if let Some(mixed) = &mixed {
            structure.lump(&mixed.lumped(model.dofs()));
        }
        let n = model.dofs();
        let moving = D * model.nodes();
        let mut everywhere: Vec<f64> = (0..n).map(|i| if i < moving { model.gravity[i % D] } else { 0.0 }).collect();
        for (node, buoyancy) in model.fluids.iter().flat_map(|f| f.nodes.iter().map(|n| (*n as usize, f.buoyancy))) {
            (0..D).for_each(|k| everywhere[D * node + k] -= buoyancy * model.gravity[k]);
        }
        let mut weight = vec![0.0; n];
        match settings.scheme.is_explicit() && mixed.is_none() {
            true => (0..n).for_each(|i| weight[i] = structure.lumped()[i] * everywhere[i]),
            false => structure.mass().mul_add(&everywhere, &mut weight),
        }
        structure.reweigh(model.gravity, &mut weight)?;
        structure.unweigh(&everywhere, settings.scheme.is_explicit() && mixed.is_none(), &mut weight);
        let ties = Ties::new(&model, &structure)?.map(Arc::new);
        let history = structure.initial_history().len();
        let range = |from: usize, len: usize| from..from + len;
        let columns = Columns {
            displacement: range(0, n),
            history: range(n, history),
            acceleration: range(n + history, n),
            normal: range(2 * n + history, n),
            tangential: range(3 * n + history, n),
            tied: range(4 * n + history, if ties.is_some() { n } else { 0 }),
            cycle: 0..0,
        };
        let mut inverse: Vec<f64> = structure.lumped().iter().map(|m| if *m > 0.0 { 1.0 / m } else { 0.0 }).collect();
        structure.imposed().dofs().iter().for_each(|d| inverse[*d as usize] = 0.0);
        let follows = model.loads.iter().any(|l| matches!(l.kind, LoadKind::Pressure { .. }));
        let follows = follows && settings.scheme.inner_point().is_some();
        let touchable = touchable::<D>(&model);
        let mut solids = Self {
            linear: structure.is_linear() && !follows,
            reference: model.positions(),
            positions: model.positions(),
            lead: 0.0,
            cell: largest_cell(&model),
            group: groups::<D>(&model),
            solver: Solver::new(structure.pattern(), settings.linear),
            ties,
            mixed,
            cycle: None,
            made_for: None,
            compliance: Compliance::new(n, touchable),
            inverse,
            free: vec![0.0; n],
            open: 0.0,
            iterations: 0,
            scratch: RefCell::default(),
            search: Default::default(),
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
        solids.cycle = Cycle::new(&solids.model, &solids.settings, solids.step());
        let (end, long) = (solids.columns.tied.end, solids.cycle.as_ref().map_or(0, Cycle::len));
        solids.columns.cycle = end..end + long;
        Ok(solids)
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

    /// Rows that hold whatever touches.
    pub fn tied_rows(&self) -> usize {
        self.ties.as_ref().map_or(0, |t| t.len())
    }

    /// The rows themselves, for those who look at their multipliers.
    pub fn ties(&self) -> Option<Arc<Ties>> {
        self.ties.clone()
    }

    /// The part of the solids in the coordinates of a state.
    pub fn own<'a>(&self, state: &'a State) -> &'a [f64] {
        &state.q[self.first.coordinates..][..self.columns.len()]
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
        if !(self.settings.scheme.is_explicit() && self.mixed.is_none()) {
            take(&mut b.history, &own[columns.history.clone()]);
        }
        take(&mut b.a, &own[columns.acceleration.clone()]);
        take(&mut b.contact[0], &own[columns.normal.clone()]);
        take(&mut b.contact[1], &own[columns.tangential.clone()]);
        take(&mut b.tied, &own[columns.tied.clone()]);
        if let Some(cycle) = &mut self.cycle {
            cycle.read(&own[columns.cycle.clone()]);
        }
        take(&mut b.v, v);
    }

    /// Velocities of an explicit step without contact.
    fn kick(&mut self, state: &State) -> Result<(), StructureError> {
        let history = &state.q[self.first.coordinates..][self.columns.history.clone()];
        let Self { structure, balance: b, prediction, settings, weight, inverse, free, end, .. } = self;
        let (n, h) = (b.u.len(), b.h);
        zeros(free, n);
        if settings.scheme == Scheme::CentralDifferences {
            // Half a kick with all forces of the beginning has made the motion; those of the end follow from it.
            (0..n).for_each(|i| free[i] = b.v[i] + 0.5 * h * b.a[i]);
            end.history.resize(history.len(), 0.0);
            let at = At { u: &prediction.u, v: free, history };
            let energies = structure.step_explicit(at, &mut end.history, &mut b.internal)?;
            end.energies = [energies.strain, energies.plastic];
            end.viscous = h * (energies.viscous_power + structure.viscous_power(free, free, &mut end.scratch));
            structure.external(b.t + h, &prediction.u, &mut b.external)?;
            (0..n).for_each(|i| free[i] += h * inverse[i] * (b.external[i] + weight[i] - b.internal[i]));
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
        self.solver.prepare(self.ties.as_deref())?;
        let b = &mut self.balance;
        self.free.clear();
        self.free.extend_from_slice(&b.residual);
        match self.ties.is_some() {
            true => {
                b.apart.iter_mut().for_each(|y| *y = -*y);
                self.solver.solve_tied(&mut self.free, &mut b.apart);
            }
            false => self.solver.solve(&mut self.free),
        }
        self.free.iter_mut().zip(&b.x).for_each(|(f, x)| *f = x - *f);
        match self.solver.failure() {
            Some(e) => Err(Error::Forces(Box::new(e))),
            None => Ok(()),
        }
    }

    /// `A`.
    pub(in crate::subsystem) fn matrix(&self) -> &crate::algebra::SymmetricMatrix {
        &self.solver.matrix
    }

    /// What the matrix belongs to, where it can be used again.
    fn version(&self) -> [f64; 3] {
        [self.balance.h, self.prediction.k[0], self.prediction.k[1]]
    }

    pub(in crate::subsystem) fn assemble(&mut self) {
        let version = self.version();
        // The tangent at hand is in the matrix already.
        if self.made_for == Some(version) && (self.linear || self.balance.assembled) {
            return;
        }
        self.balance.assembled = true;
        let matrix = &mut self.solver.matrix;
        let h = self.balance.h;
        match &self.mixed {
            None => matrix.set_sum(1.0, self.structure.tangent(), h * self.prediction.k[1], self.structure.mass()),
            Some(mixed) => {
                matrix.set_sum(1.0, self.structure.tangent(), 0.0, self.structure.mass());
                matrix.add_scaled_columns(&mixed.rates, self.structure.mass());
            }
        }
        let diagonal = matrix.diagonal().fold(0.0, |a: f64, b| a.max(b.abs()));
        matrix.impose(self.structure.imposed(), diagonal.max(f64::MIN_POSITIVE));
        self.solver.forget();
        self.compliance.forget();
        self.made_for = Some(version);
    }

    /// Whether the motion needs no matrix.
    pub(in crate::subsystem) fn is_explicit(&self) -> bool {
        self.settings.scheme.is_explicit() && self.mixed.is_none()
    }

    /// Whether `A` depends on the step alone.
    pub(in crate::subsystem) fn is_linear(&self) -> bool {
        self.linear
    }

    /// Whether an evaluation must bring the tangent.
    fn needs_tangent(&self) -> bool {
        !(self.linear && self.made_for == Some(self.version()))
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
