//! A scene as a world, and what is looked at in it.

use super::carry::{self, Kept, Luggage};
use super::events::Memory;
use super::fields::{self, Look, Table};
use super::flow::{self, FlowMeter};
use super::geometry::{Drawn, geometry};
use super::patches::{Own, Patches};
use super::solids::SolidLook;
use super::tables;
use super::{Controls, Engine, Error, NextStep, Now, Options, Progress, Totals, watch, wear};
use delassus_contact::skin::SkinSpec;
use delassus_contact::{Collider, Detector, Dim, Vector};
use delassus_dynamics::{Bodies, PointView, Wear, World, WorldParts};
use delassus_fem::model::ModelError;
use delassus_fem::{SolidSettings, Solids};
use delassus_friction::solver::Order;
use delassus_record::{Frame, Header, Run as Record};
use delassus_rigid::{AnyContact, Kinematics, Report, RigidModel, RigidSystem, Run, State, StepSettings, simulate};
use delassus_scene::{Laboratory, Probe, Setup, SolidSetup, Stood, Variable, Watched, Watching, Worn};
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

/// What a world of bodies and solids is made from, beside their models.
struct Recipe {
    solids: SolidSettings,
    settings: StepSettings,
    /// Of the skins.
    materials: Vec<u16>,
    itself: Vec<bool>,
    meet: bool,
}

/// A world of bodies and solids.
#[allow(clippy::type_complexity, reason = "a world, what is looked at in it, and how to make it again")]
fn with_solids<const D: usize>(
    model: &Arc<RigidModel<D>>,
    mut setup: SolidSetup,
    materials: Vec<u16>,
    (mut state, settings): (State, StepSettings),
) -> Result<(Box<dyn Run<D>>, SolidLook<D>, Recipe), Error>
where
    Dim<D>: Kinematics<D>,
{
    let superposed = std::mem::take(&mut setup.superposed);
    let recipe =
        Recipe { solids: setup.settings.clone(), settings, materials, itself: setup.itself.clone(), meet: setup.meet };
    let patches = Patches::new(&setup.model, superposed, std::mem::take(&mut setup.patches));
    let mut solids = Solids::<D>::new(setup.model.clone(), setup.settings.clone())?;
    let (q, u) = solids.start()?;
    let look = SolidLook::new(setup, &solids, patches, [state.q.len(), state.u.len()], model.bodies().len());
    state.q.extend(q);
    state.u.extend(u);
    Ok((recipe.world(model, solids, state)?, look, recipe))
}

impl Recipe {
    fn world<const D: usize>(
        &self,
        model: &Arc<RigidModel<D>>,
        solids: Solids<D>,
        state: State,
    ) -> Result<Box<dyn Run<D>>, Error>
    where
        Dim<D>: Kinematics<D>,
    {
        let weak = solids.model().weak::<D>().map_err(delassus_fem::Error::from)?;
        let bodies = match self.meet {
            true => self.meeting(model, &solids, !weak.is_empty())?,
            false => RigidSystem::<D, D>::bodies(model)?,
        };
        let rigid = RigidSystem::<D, D>::new(model.clone())?;
        let method = self.solids.method();
        let parts = WorldParts { parts: vec![Box::new(rigid), Box::new(solids)], bodies, weak, method };
        Ok(Box::new(World::<D, D>::new(parts, state, self.settings.clone())?))
    }

    /// A detector in which the skins of solids meet bodies and, unless they are named in pairs, each other. Superposed
    /// solids have one skin together.
    fn meeting<const D: usize>(
        &self,
        model: &RigidModel<D>,
        solids: &Solids<D>,
        in_pairs: bool,
    ) -> Result<Bodies<D>, Error>
    where
        Dim<D>: Kinematics<D>,
    {
        let first = model.bodies().len() as u32;
        let glued = solids.model().glued();
        let mut skins = vec![];
        let mut materials: Vec<u16> = model.colliders().iter().map(|c| c.material).collect();
        for (k, part) in solids.model().parts.iter().enumerate() {
            let failed = |reason| delassus_fem::Error::from(ModelError::Contact { part: part.name.clone(), reason });
            if part.is_hidden() {
                continue;
            }
            materials.push(self.materials[k]);
            let surface = part.skin().map_err(failed)?;
            let spec = SkinSpec::new(first + k as u32, surface).material(self.materials[k]);
            let spec = if self.itself[k] { spec.touching_itself() } else { spec };
            // Models that are glued are one body.
            let one = glued.iter().position(|parts| parts.contains(&k)).map(|g| PAIRED - 1 - g as u16);
            let group = if in_pairs { Some(PAIRED) } else { one };
            skins.push(group.map_or(spec.clone(), |g| spec.group(g)));
        }
        let detection = model.detection();
        let detector = Detector::of_shared(model.colliders().clone(), skins, solids.reference(), *detection)
            .map_err(delassus_rigid::StepError::from)?;
        Ok(Bodies { detector: Some(detector), materials, laws: model.interactions().clone() })
    }
}

/// Group of skins that meet each other in pairs of surfaces only.
const PAIRED: u16 = u16::MAX;

impl<const D: usize> Engine for Scene<D>
where
    Dim<D>: Kinematics<D> + Drawn<D>,
{
    fn step(&mut self) -> Result<(), Error> {
        self.adapt()?;
        self.run.step()?;
        if !(self.flows.is_empty() && self.lab.events.is_empty()) {
            self.run.contacts(&mut self.contacts);
            for flow in &mut self.flows {
                flow.follow(&self.model, self.run.state(), &self.contacts, self.run.report());
            }
        }
        self.totals.follow(self.run.report());
        self.look_out();
        Ok(())
    }

    fn lab(&self) -> (&Laboratory, &Memory) {
        (&self.lab, &self.memory)
    }

    fn memory_mut(&mut self) -> &mut Memory {
        &mut self.memory
    }

    fn enter_stage(&mut self, name: &str) {
        self.stage = name.to_owned();
    }

    fn pack(&self) -> Luggage {
        carry::pack(&carry::Packing { model: &self.model, state: self.run.state(), lab: &self.lab })
    }

    fn unpack(&mut self, luggage: &Luggage, kept: &Kept) -> Result<(), Error> {
        let mut model = (*self.model).clone();
        let state = carry::unpack(&mut model, self.run.state(), luggage, &self.lab, kept);
        self.model = Arc::new(model);
        self.run = match (&mut self.solids, &self.recipe) {
            (Some(look), Some(recipe)) => {
                let solids = Solids::<D>::new((**look.model()).clone(), recipe.solids.clone())?;
                recipe.world(&self.model, solids, state)?
            }
            _ => simulate(self.model.clone(), state, self.settings.clone())?,
        };
        self.run.set_wear(wear::start(&self.worn));
        self.totals.energy = self.run.energies();
        Ok(())
    }

    fn succeed(&mut self, old: &mut dyn Engine) {
        let (totals, memory, wear, flows) = old.heritage();
        let brought = self.run.energies().total() - totals.energy.total();
        let now = self.run.energies();
        self.totals = totals;
        self.totals.energy.correction += brought;
        (self.totals.energy.kinetic, self.totals.energy.potential) = (now.kinetic, now.potential);
        self.totals.energy.strain = now.strain;
        self.memory = memory;
        self.run.set_wear(wear);
        for (meter, numbers) in self.flows.iter_mut().zip(flows) {
            // The same slices and classes: the scene observes what it did.
            let _ = meter.resume(&numbers);
        }
    }

    fn heritage(&mut self) -> (Totals, Memory, Vec<Wear>, Vec<Vec<f64>>) {
        let flows = self.flows.iter().map(FlowMeter::kept_numbers).collect();
        (self.totals, self.memory.clone(), self.run.wear().to_vec(), flows)
    }

    fn set_origin(&mut self, origin: &[f64]) {
        self.origin.q.clear();
        self.origin.q.extend(origin);
    }

    fn origin(&self) -> &[f64] {
        &self.origin.q
    }

    fn places(&self) -> Vec<Option<[f64; 3]>> {
        let free = |b: usize| self.lab.present[b] && self.model.bodies()[b].is_dynamic();
        let place = |b: usize| {
            let x = self.model.centre_pose(self.run.state(), b).position;
            std::array::from_fn(|k| if k < D { x[k] } else { 0.0 })
        };
        (0..self.model.bodies().len()).map(|b| free(b).then(|| place(b))).collect()
    }

    fn stands(&self) -> Vec<Stood> {
        let state = self.run.state();
        let bodies = self.model.bodies().iter().enumerate();
        bodies.map(|(i, body)| carry::stood(&self.model.pose(state, i), body)).collect()
    }

    fn begin(&mut self) {
        self.flows.iter_mut().for_each(|flow| flow.begin(self.run.state()));
    }

    fn restore(&mut self, run: &Record, frame: usize) -> Result<(), Error> {
        let (mut state, totals) = fields::read(run, frame, D)?;
        if let Some(solids) = &mut self.solids {
            solids.read(run, frame, &mut state)?;
        }
        match (&mut self.solids, &self.recipe) {
            (Some(look), Some(recipe)) if look.patches().is_some() => {
                // The model of that frame may be another one.
                if let Some(patches) = look.patches() {
                    let solids = Solids::<D>::new(patches.model_at(patches.stands())?, recipe.solids.clone())?;
                    look.remake(&solids);
                    self.run = recipe.world(&self.model, solids, state)?;
                }
            }
            _ => self.run.set_state(state)?,
        }
        for meter in &mut self.flows {
            let name = flow::kept(meter.flow());
            let column = run.read(frame, &name)?;
            column.f64().and_then(|x| meter.resume(x)).ok_or_else(|| Error::Frame {
                frame,
                reason: format!("'{name}' is not what the observed flow needs"),
            })?;
        }
        self.run.set_wear(wear::read(&self.worn, run, frame)?);
        self.totals = totals;
        if run.header().position(fields::MEMORY_OF).is_some() {
            let column = run.read(frame, fields::MEMORY_OF)?;
            column.f64().and_then(|x| self.memory.set(x)).ok_or_else(|| Error::Frame {
                frame,
                reason: format!("'{}' is not what the events of the scene need", fields::MEMORY_OF),
            })?;
        }
        Ok(())
    }

    fn adopt(&mut self, state: State, totals: Totals) -> Result<(), Error> {
        if self.solids.is_some() || !self.flows.is_empty() || !self.worn.is_empty() {
            let reason = "a scene with solids, observed flows or wear cannot be changed while it runs".into();
            return Err(Error::Frame { frame: 0, reason });
        }
        self.run.set_state(state)?;
        self.totals = totals;
        Ok(())
    }

    fn restore_places(&mut self, run: &Record, frame: usize) -> Result<(), Error> {
        let (mut state, _) = fields::read(run, frame, D)?;
        if let Some(solids) = &mut self.solids {
            solids.read(run, frame, &mut state)?;
        }
        let mut own = self.run.state().clone();
        if (state.q.len(), state.u.len()) != (own.q.len(), own.u.len()) {
            return Err(Error::Frame { frame, reason: "other bodies than those of the scene".into() });
        }
        (own.q, own.u, own.time, own.step) = (state.q, state.u, state.time, state.step);
        own.contacts.clear();
        Ok(self.run.set_state(own)?)
    }

    fn now(&self) -> Now<'_> {
        let state = self.run.state();
        Now { step: state.step, time: state.time, velocities: &state.u, hash: state.hash() }
    }

    fn state(&self) -> &State {
        self.run.state()
    }

    fn set_state(&mut self, state: State, totals: Totals) -> Result<(), Error> {
        self.run.set_state(state)?;
        self.totals = totals;
        Ok(())
    }

    fn controls(&self) -> &Controls {
        &self.controls
    }

    fn whole_report(&self) -> &Report {
        self.run.report()
    }

    fn progress(&self) -> Progress<'_> {
        let report = self.run.report();
        let residual = report.residual.max(report.balance);
        let (contacts, by_bodies, timings) = (report.contacts, report.by_bodies, report.timings);
        Progress { contacts, residual, by_bodies, timings, events: &report.events }
    }

    fn totals(&self) -> &Totals {
        &self.totals
    }

    fn header(&self) -> Header {
        let mut header = Header::new(self.title.clone(), D);
        header.fields = self.table.fields();
        header.geometry = geometry(&self.model, self.run.state(), &self.decor, &self.materials);
        header.constants = tables::tables(&self.model, (&self.decor, &self.volumes), &self.materials, &self.lab);
        if let Some(solids) = &self.solids {
            header.geometry.extend(solids.geometry());
            if self.model.bodies().is_empty() {
                header.attributes.insert("model".into(), "solids".into());
            }
            header.attributes.insert("scheme".into(), solids.scheme().into());
            header.attributes.insert("formalism".into(), solids.formalism().into());
        }
        header
    }

    fn log(&self) -> &[String] {
        self.run.log()
    }

    fn names(&self) -> Vec<String> {
        let bodies = self.model.bodies().iter().map(|b| b.name.to_string());
        bodies.chain(self.solids.iter().flat_map(SolidLook::names)).collect()
    }

    fn fill(&mut self, frame: &mut Frame) -> Result<(), Error> {
        self.run.contacts(&mut self.contacts);
        self.run.points(&mut self.points);
        self.observe();
        self.watch();
        if let Some(solids) = &mut self.solids {
            solids.look(self.run.state())?;
        }
        let look = Look {
            state: self.run.state(),
            report: self.run.report(),
            bodies: self.model.bodies().len(),
            contacts: &self.contacts,
            points: &self.points,
            totals: &self.totals,
            probes: &self.seen,
            wear: self.run.wear(),
            flows: &self.flows,
            solids: self.solids.as_ref(),
            joints: &self.joints,
            watched: &self.watched,
            present: &self.lab.present,
            memory: &self.memory,
        };
        self.table.fill(&look, frame);
        Ok(())
    }

    fn next_step(&mut self) -> Result<NextStep, Error> {
        Ok(NextStep::new(self.run.next_step()?))
    }
}
