//! A scene as a world, and what is looked at in it.

mod engine;
mod recipe;

use recipe::{Recipe, with_solids};

use super::events::Memory;
use super::fields::{self, Table};
use super::flow::{self, FlowMeter};
use super::geometry::Drawn;
use super::patches::Own;
use super::solids::SolidLook;
use super::{Controls, Error, Options, Totals, watch, wear};
use delassus_contact::{Collider, Dim, Vector};
use delassus_dynamics::PointView;
use delassus_fem::Solids;
use delassus_friction::solver::Order;
use delassus_rigid::{AnyContact, Kinematics, RigidModel, Run, State, StepSettings, simulate};
use delassus_scene::{Laboratory, Probe, Setup, Variable, Watched, Watching, Worn};
use std::sync::Arc;

/// Bodies from which sweeps go by colours, which threads can share.
const COLOURED: usize = 5000;

/// A world in dimension `D`, and what is observed of it.
pub struct Scene<const D: usize>
where
    Dim<D>: Kinematics<D>,
{
    run: Box<dyn Run<D>>,
    settings: StepSettings,
    model: Arc<RigidModel<D>>,
    solids: Option<SolidLook<D>>,
    /// How the world is made, where patches make it anew.
    recipe: Option<Recipe>,
    title: String,
    materials: Vec<String>,
    decor: Vec<Collider<D>>,
    contacts: Vec<AnyContact<D>>,
    points: Vec<PointView<D>>,
    probes: Vec<Probe>,
    seen: Vec<[Vector<D>; 2]>,
    flows: Vec<FlowMeter<D>>,
    worn: Vec<Worn>,
    totals: Totals,
    controls: Controls,
    table: Table<D>,
    lab: Laboratory,
    memory: Memory,
    /// Name of the stage.
    stage: String,
    volumes: Vec<f64>,
    /// The state at the start.
    origin: State,
    /// What the joints carry.
    joints: Vec<f64>,
    /// Numbers of the watched quantities, and of what conditions use.
    watched: Vec<f64>,
    values: Vec<f64>,
}

impl<const D: usize> Scene<D>
where
    Dim<D>: Kinematics<D> + Drawn<D>,
{
    /// At the start of the scene.
    pub fn new(setup: Setup<D>, options: &Options) -> Result<Self, Error> {
        let mut settings = setup.settings;
        settings.failures.clone_from(&options.failures);
        settings.keep.clone_from(&options.keep);
        // The size decides, not the number of threads: bits must not depend on it.
        if setup.size.bodies() >= COLOURED {
            settings.order = Order::Coloured { threads: options.threads.unwrap_or(setup.threads).max(1) };
        }
        let volumes = watch::volumes(&setup.model, &setup.decor);
        // Places alone are asked for.
        let origin = State { u: vec![], ..setup.state.clone() };
        let memory = Memory::new(setup.lab.events.len(), setup.lab.sinks.len(), setup.lab.feeders.len());
        let flows: Vec<FlowMeter<D>> = setup.flows.into_iter().map(|f| FlowMeter::new(f, &setup.model)).collect();
        let mut model = setup.model;
        let controls = Controls::new(&mut model, &setup.materials, options)?;
        let model = Arc::new(model);
        let kept_settings = settings.clone();
        let (run, solids, recipe) = match setup.solids {
            None => (simulate(model.clone(), setup.state, settings)?, None, None),
            Some(mut solids) => {
                solids.settings.log = options.log;
                solids.model.gravity = std::array::from_fn(|k| if k < D { model.gravity()[k] } else { 0.0 });
                let (run, look, recipe) = with_solids(&model, solids, setup.skins, (setup.state, settings))?;
                (run, Some(look), Some(recipe))
            }
        };
        let mut scene = Self {
            run,
            settings: kept_settings,
            solids,
            recipe,
            title: setup.title,
            materials: setup.materials,
            decor: setup.decor,
            probes: setup.probes,
            contacts: vec![],
            points: vec![],
            seen: vec![],
            flows,
            worn: setup.worn,
            totals: Totals::default(),
            controls,
            table: Table::default(),
            lab: setup.lab,
            memory,
            stage: "start".into(),
            volumes,
            origin,
            joints: vec![],
            watched: vec![],
            values: vec![],
            model,
        };
        scene.totals.energy = scene.run.energies();
        scene.run.set_wear(wear::start(&scene.worn));
        scene.table = scene.make_table();
        Ok(scene)
    }

    fn make_table(&self) -> Table<D> {
        let mut table = Table::default();
        fields::bodies(&mut table, self.model.bodies().len());
        fields::contacts(&mut table, self.solids.is_some());
        if self.run.has_asperities() {
            fields::asperities(&mut table, self.solids.is_some());
        }
        fields::restart(&mut table, (!self.lab.changes).then(|| self.run.state().links.len()));
        fields::series(&mut table);
        fields::joints(&mut table, self.lab.joints.len());
        fields::probes(&mut table, self.probes.iter().map(|p| p.name.as_str()));
        fields::watched(&mut table, &self.lab.watched);
        if self.lab.changes || !self.lab.events.is_empty() {
            fields::memory(&mut table, &self.lab, &self.memory);
        }
        if let Some(solids) = &self.solids {
            solids.fields(&mut table);
        }
        for (i, meter) in self.flows.iter().enumerate() {
            flow::table(&mut table, i, meter.flow());
        }
        for (i, worn) in self.worn.iter().enumerate() {
            wear::table(&mut table, i, worn);
        }
        table
    }

    /// Moves patches, and lets them appear, where the state asks for it.
    fn adapt(&mut self) -> Result<(), Error> {
        let (Some(look), Some(recipe)) = (&mut self.solids, &self.recipe) else { return Ok(()) };
        if look.patches().is_none() {
            return Ok(());
        }
        let (old, columns, first) = look.own();
        let Some(patches) = look.patches_mut() else { return Ok(()) };
        let (state, own) = (self.run.state(), Own { columns: &columns, first });
        let Some(next) = patches.wanted(&self.model, &old, state, &own)? else { return Ok(()) };
        let mut solids = Solids::<D>::new(patches.model_at(&next)?, recipe.solids.clone())?;
        let colliders = self.model.colliders().len();
        let state = patches.carry(&old, next, &mut solids, (state, &own), colliders)?;
        look.remake(&solids);
        let (energy, momenta) = (self.run.energies(), self.run.report().momenta);
        self.run = recipe.world(&self.model, solids, state)?;
        let now = (self.run.energies(), self.run.report().momenta);
        if let Some(patches) = look.patches_mut() {
            self.totals.energy.correction += patches.count([&energy, &now.0], [&momenta, &now.1]);
        }
        Ok(())
    }

    /// Numbers of the watched quantities.
    fn watch(&mut self) {
        let (mut out, mut joints) = (std::mem::take(&mut self.watched), std::mem::take(&mut self.joints));
        out.clear();
        joints.clear();
        let look = watch::Scenery {
            model: &self.model,
            present: &self.lab.present,
            volumes: &self.volumes,
            state: self.run.state(),
            contacts: &self.contacts,
            report: self.run.report(),
            origin: &self.origin,
        };
        self.lab.watched.iter().for_each(|w| watch::numbers(w, &look, &mut out));
        self.lab.joints.iter().for_each(|name| watch::joint(&look, name, &mut joints));
        (self.watched, self.joints) = (out, joints);
        self.compute();
    }

    /// Values of the formulas, in order, each over those before it.
    fn compute(&mut self) {
        let mut at = 0;
        for i in 0..self.lab.watched.len() {
            if let Watching::Formula(formula) = &self.lab.watched[i].what {
                let formula = formula.clone();
                self.evaluate();
                // What has no value, as a quotient by the width of nothing, is recorded as zero.
                let value = formula.value(&self.values);
                self.watched[at] = if value.is_finite() { value } else { 0.0 };
            }
            at += self.lab.watched[i].what.series().iter().map(|s| Watching::width(s.3, D)).sum::<usize>();
        }
    }

    /// Looks at the conditions of the events.
    fn look_out(&mut self) {
        if self.lab.events.is_empty() {
            return;
        }
        self.observe();
        self.watch();
        self.evaluate();
        let time = self.run.state().time;
        self.memory.look(&self.lab.events, &self.stage, time, &self.values);
    }

    /// Numbers of all variables.
    fn evaluate(&mut self) {
        let (state, report) = (self.run.state(), self.run.report());
        let dofs = <Dim<D> as Kinematics<D>>::DOFS;
        let free = || (0..self.model.bodies().len()).filter(|b| self.model.bodies()[*b].is_dynamic());
        let speed = |b: usize| state.u[dofs * b..dofs * b + D].iter().map(|x| x * x).sum::<f64>().sqrt();
        let flagged = report.events.iter().any(|e| matches!(e, delassus_rigid::Event::NotConverged(_)));
        let general = [
            state.time,
            self.memory.began.1,
            state.step as f64,
            self.totals.energy.kinetic,
            self.totals.energy.potential,
            free().map(speed).fold(0.0, f64::max),
            report.contacts as f64,
            report.residual,
            report.max_penetration,
            f64::from(u8::from(flagged)),
            free().count() as f64,
            report.joint_drift,
        ];
        // Where the numbers of each watched quantity begin.
        let first = |i: usize| -> usize {
            let width = |w: &Watched| w.what.series().iter().map(|s| Watching::width(s.3, D)).sum::<usize>();
            self.lab.watched[..i].iter().map(width).sum()
        };
        self.values.clear();
        self.values.extend(self.lab.variables.iter().map(|(_, v)| match *v {
            Variable::General(i) => general[i],
            Variable::Point(i, k, axis) => self.seen[i][k][axis],
            Variable::Watched(i, k) => self.watched[first(i) + k],
            Variable::Sink(i, 0) => self.memory.sinks[i][0],
            Variable::Sink(i, _) => state.time - self.memory.sinks[i][1].max(self.memory.began.1),
        }));
    }

    /// Positions and velocities of the observed points.
    fn observe(&mut self) {
        let (model, state) = (&self.model, self.run.state());
        self.seen.clear();
        for probe in &self.probes {
            let body = probe.body as usize;
            let point = model.pose(state, body).point(&Vector::from_fn(|k, _| probe.point[k]));
            let centre = model.centre_pose(state, body);
            let dofs = <Dim<D> as Kinematics<D>>::DOFS;
            let u = &state.u[dofs * body..dofs * (body + 1)];
            self.seen.push([point, Dim::<D>::velocity(&centre, u, &(point - centre.position))]);
        }
    }
}
