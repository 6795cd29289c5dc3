//! Rigid bodies in motion.

use super::among::Among;
use super::fields::{self, Sizes, Source};
use super::flow::{self, FlowMeter};
use super::geometry::{Drawn, geometry};
use super::{Coming, Engine, Error, Now, Options, Progress, Totals};
use crate::mixed::MixedRun;
use delassus_contact::{Collider, Dim, Vector};
use delassus_friction::solver::Order;
use delassus_record::{Frame, Header, Run as Record};
use delassus_rigid::{AnyContact, Kinematics, Run, State, simulate};
use delassus_scene::{Probe, Setup};

/// Bodies from which sweeps go by colours, which threads can share.
const COLOURED: usize = 5000;

/// Rigid bodies in dimension `D`.
pub struct Bodies<const D: usize>
where
    Dim<D>: Kinematics<D>,
{
    run: Box<dyn Run<D>>,
    title: String,
    materials: Vec<String>,
    decor: Vec<Collider<D>>,
    solids: Among,
    contacts: Vec<AnyContact<D>>,
    probes: Vec<Probe>,
    seen: Vec<[Vector<D>; 2]>,
    flows: Vec<FlowMeter<D>>,
    totals: Totals,
}

impl<const D: usize> Bodies<D>
where
    Dim<D>: Kinematics<D> + Drawn<D>,
{
    /// At the start of the scene.
    pub fn new(setup: Setup<D>, options: &Options) -> Result<Self, Error> {
        let mut settings = setup.settings;
        settings.failures.clone_from(&options.failures);
        // The size decides, not the number of threads: bits must not depend on it.
        if setup.size.bodies() >= COLOURED {
            settings.order = Order::Coloured { threads: options.threads.unwrap_or(setup.threads).max(1) };
        }
        let flows = setup.flows.into_iter().map(|f| FlowMeter::new(f, &setup.model)).collect();
        let run = match setup.solids.is_empty() {
            true => simulate(setup.model, setup.state, settings)?,
            false => Box::new(MixedRun::new(setup.model, setup.solids.clone(), setup.state, settings)?),
        };
        Ok(Self {
            run,
            solids: Among::new(setup.solids, &setup.materials, D),
            title: setup.title,
            materials: setup.materials,
            decor: setup.decor,
            probes: setup.probes,
            contacts: vec![],
            seen: vec![],
            flows,
            totals: Totals::default(),
        })
    }

    /// Positions and velocities of the observed points.
    fn observe(&mut self) {
        let (model, state) = (self.run.model(), self.run.state());
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

impl<const D: usize> Engine for Bodies<D>
where
    Dim<D>: Kinematics<D> + Drawn<D>,
{
    fn step(&mut self) -> Result<(), Error> {
        self.run.step()?;
        if !self.flows.is_empty() {
            self.run.contacts(&mut self.contacts);
            for flow in &mut self.flows {
                flow.follow(self.run.model(), self.run.state(), &self.contacts, self.run.report());
            }
        }
        self.totals.follow(self.run.report());
        Ok(())
    }

    fn begin(&mut self) {
        self.flows.iter_mut().for_each(|flow| flow.begin(self.run.state()));
    }

    fn restore(&mut self, run: &Record, frame: usize) -> Result<(), Error> {
        let (mut state, totals) = fields::read(run, frame, D)?;
        self.solids.read(run, frame, &mut state)?;
        self.run.set_state(state)?;
        for meter in &mut self.flows {
            let name = flow::kept(meter.flow());
            let column = run.read(frame, &name)?;
            column.f64().and_then(|x| meter.resume(x)).ok_or_else(|| Error::Frame {
                frame,
                reason: format!("'{name}' is not what the observed flow needs"),
            })?;
        }
        self.totals = totals;
        Ok(())
    }

    fn now(&self) -> Now<'_> {
        let state = self.run.state();
        Now { step: state.step, time: state.time, velocities: &state.u, hash: state.hash() }
    }

    fn bodies(&self) -> Option<&State> {
        Some(self.run.state())
    }

    fn time(&self) -> (u64, f64) {
        (self.run.state().step, self.run.state().time)
    }

    fn progress(&self) -> Progress<'_> {
        let report = self.run.report();
        Progress { contacts: report.contacts, residual: report.residual, events: &report.events }
    }

    fn totals(&self) -> &Totals {
        &self.totals
    }

    fn header(&self) -> Header {
        let (model, state) = (self.run.model(), self.run.state());
        let mut header = Header::new(self.title.clone(), D);
        let sizes = Sizes {
            dimension: D,
            bodies: model.bodies().len(),
            links: state.links.len(),
            probes: self.probes.iter().map(|p| p.name.clone()).collect(),
        };
        header.fields = fields::fields(&sizes);
        header.fields.extend(self.solids.fields());
        header.fields.extend(self.flows.iter().flat_map(|f| flow::fields(f.flow(), D)));
        header.geometry = geometry(model, state, &self.decor, &self.materials);
        header.geometry.extend(self.solids.geometry(model.bodies().len() as u32));
        header
    }

    fn log(&self) -> &[String] {
        &[]
    }

    fn names(&self) -> Vec<String> {
        self.run.model().bodies().iter().map(|b| b.name.clone()).chain(self.solids.names()).collect()
    }

    fn fill(&mut self, frame: &mut Frame) -> Result<(), Error> {
        self.run.contacts(&mut self.contacts);
        self.observe();
        let (report, bodies) = (self.run.report(), self.run.model().bodies().len());
        let source = Source {
            state: self.run.state(),
            bodies,
            contacts: &self.contacts,
            report,
            energy: self.run.energy(),
            totals: &self.totals,
            probes: &self.seen,
        };
        fields::write(&source, frame);
        let first = [<Dim<D> as Kinematics<D>>::COORDINATES * bodies, <Dim<D> as Kinematics<D>>::DOFS * bodies];
        let mut last = self.solids.columns(self.run.state(), first)?;
        last.extend(self.flows.iter().flat_map(|f| f.columns(self.run.state())));
        let first = frame.columns.len() - last.len();
        for (column, numbers) in frame.columns[first..].iter_mut().zip(last) {
            column.f64_mut().expect("declared as f64").extend(numbers);
        }
        Ok(())
    }

    fn pose(&mut self) -> Result<Coming, Error> {
        Ok(Coming::new(self.run.pose()?))
    }
}
