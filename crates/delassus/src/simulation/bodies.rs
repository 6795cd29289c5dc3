//! Rigid bodies behind an interface without dimension.

use super::fields::{self, Sizes, Source};
use super::geometry::{Drawn, geometry};
use super::{Error, Options, Totals};
use delassus_contact::Dim;
use delassus_record::{Frame, Header};
use delassus_rigid::{AnyContact, Kinematics, Report, Run, State, StepError, simulate};
use delassus_scene::Setup;

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
}

/// Rigid bodies in dimension `D`.
pub struct Bodies<const D: usize>
where
    Dim<D>: Kinematics<D>,
{
    run: Box<dyn Run<D>>,
    title: String,
    materials: Vec<String>,
    contacts: Vec<AnyContact<D>>,
}

impl<const D: usize> Bodies<D>
where
    Dim<D>: Kinematics<D>,
{
    /// At the start of the scene.
    pub fn new(setup: Setup<D>, options: &Options) -> Result<Self, Error> {
        let mut settings = setup.settings;
        settings.failures.clone_from(&options.failures);
        let run = simulate(setup.model, setup.state, settings)?;
        Ok(Self { run, title: setup.title, materials: setup.materials, contacts: vec![] })
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
        let sizes = Sizes { dimension: D, bodies: model.bodies().len(), links: state.links.len() };
        header.fields = fields::fields(&sizes);
        header.geometry = geometry(model, state, &self.materials);
        header
    }

    fn names(&self) -> Vec<String> {
        self.run.model().bodies().iter().map(|b| b.name.clone()).collect()
    }

    fn fill(&mut self, totals: &Totals, frame: &mut Frame) {
        self.run.contacts(&mut self.contacts);
        let report = self.run.report();
        let energy = [report.energy.kinetic, report.energy.potential];
        let source = Source { state: self.run.state(), contacts: &self.contacts, report, energy, totals };
        fields::write(&source, frame);
    }
}
