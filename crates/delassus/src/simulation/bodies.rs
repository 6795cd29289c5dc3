//! Rigid bodies behind an interface without dimension.

use super::fields::{self, Sizes, Source};
use super::geometry::{Drawn, geometry};
use super::{Coming, Error, Options, Totals};
use delassus_contact::{Collider, Dim, Vector};
use delassus_friction::solver::Order;
use delassus_record::{Frame, Header};
use delassus_rigid::{AnyContact, Kinematics, Report, Run, State, StepError, simulate};
use delassus_scene::{Probe, Setup};

/// A simulation whatever its dimension.
pub trait Engine: Send {
    /// Makes one step.
    fn step(&mut self) -> Result<&Report, StepError>;
    /// The state.
    fn state(&self) -> &State;
    /// Replaces the state.
    fn set_state(&mut self, state: State) -> Result<(), StepError>;
    /// The report of the last step.
    fn report(&self) -> &Report;
    /// 2 or 3.
    fn dimension(&self) -> usize;
    /// The header of a record: title, fields, shapes.
    fn header(&self) -> Header;
    /// Names of the bodies.
    fn names(&self) -> Vec<String>;
    /// Fills a cleared frame.
    fn fill(&mut self, totals: &Totals, frame: &mut Frame);
    /// The contact problem of the coming step.
    fn pose(&mut self) -> Result<Coming, StepError>;
}

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
    contacts: Vec<AnyContact<D>>,
    probes: Vec<Probe>,
    seen: Vec<[Vector<D>; 2]>,
}

impl<const D: usize> Bodies<D>
where
    Dim<D>: Kinematics<D>,
{
    /// At the start of the scene.
    pub fn new(setup: Setup<D>, options: &Options) -> Result<Self, Error> {
        let mut settings = setup.settings;
        settings.failures.clone_from(&options.failures);
        // The size decides, not the number of threads: bits must not depend on it.
        if setup.size.bodies() >= COLOURED {
            settings.order = Order::Coloured { threads: options.threads.unwrap_or(setup.threads).max(1) };
        }
        let run = simulate(setup.model, setup.state, settings)?;
        Ok(Self {
            run,
            title: setup.title,
            materials: setup.materials,
            decor: setup.decor,
            probes: setup.probes,
            contacts: vec![],
            seen: vec![],
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
    fn step(&mut self) -> Result<&Report, StepError> {
        self.run.step()
    }

    fn state(&self) -> &State {
        self.run.state()
    }

    fn set_state(&mut self, state: State) -> Result<(), StepError> {
        self.run.set_state(state)
    }

    fn report(&self) -> &Report {
        self.run.report()
    }

    fn dimension(&self) -> usize {
        D
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
        header.geometry = geometry(model, state, &self.decor, &self.materials);
        header
    }

    fn names(&self) -> Vec<String> {
        self.run.model().bodies().iter().map(|b| b.name.clone()).collect()
    }

    fn fill(&mut self, totals: &Totals, frame: &mut Frame) {
        self.run.contacts(&mut self.contacts);
        self.observe();
        let report = self.run.report();
        let source = Source {
            state: self.run.state(),
            contacts: &self.contacts,
            report,
            energy: self.run.energy(),
            totals,
            probes: &self.seen,
        };
        fields::write(&source, frame);
    }

    fn pose(&mut self) -> Result<Coming, StepError> {
        Ok(Coming::new(self.run.pose()?))
    }
}
