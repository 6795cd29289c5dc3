//! A run whose contact space is known only at run time.

use crate::coming::{self, ComingStep, StepBlocks, Wrap};
use crate::{Error, Kinematics, Report, RigidModel, RigidSystem, Simulation, State, StepError, StepSettings};
use delassus_contact::{Contact, Dim};
use delassus_dynamics::{ContactStatus, MEMORY, Subsystem};
use delassus_friction::laws::COMPONENTS;
use std::sync::Arc;

/// A contact of the last step, whatever the contact space.
#[derive(Clone, Copy, Debug)]
pub struct AnyContact<const D: usize> {
    /// Geometry at `q_m`.
    pub contact: Contact<D>,
    /// Percussion in its frame, normal first \[N·s\].
    pub percussion: [f64; COMPONENTS],
    /// Relative velocity after the step, in its frame \[m/s\].
    pub velocity: [f64; COMPONENTS],
    /// Internal variables of its law.
    pub memory: [f64; MEMORY],
    /// How it ended.
    pub status: ContactStatus,
}

/// A simulation of rigid bodies in dimension `D`.
pub trait Run<const D: usize>: Send
where
    Dim<D>: Kinematics<D>,
{
    /// Makes one step.
    fn step(&mut self) -> Result<&Report, StepError>;

    /// The state.
    fn state(&self) -> &State;

    /// Replaces the state: a restart.
    fn set_state(&mut self, state: State) -> Result<(), StepError>;

    /// The report of the last step.
    fn report(&self) -> &Report;

    /// The settings.
    fn settings(&self) -> &StepSettings;

    /// The model.
    fn model(&self) -> &Arc<RigidModel<D>>;

    /// Components of a contact.
    fn components(&self) -> usize;

    /// Kinetic and potential energy of the state \[J\].
    fn energy(&self) -> [f64; 2];

    /// The contacts that took part in the last step, in order; `out` is emptied first.
    fn contacts(&self, out: &mut Vec<AnyContact<D>>);

    /// The contact problem of the coming step; the state does not change.
    fn pose(&mut self) -> Result<ComingStep<D>, StepError>;
}

impl<const D: usize, const C: usize> Run<D> for Simulation<RigidSystem<D, C>, D, C>
where
    Dim<D>: Kinematics<D>,
    StepBlocks<C>: Wrap,
{
    fn step(&mut self) -> Result<&Report, StepError> {
        Simulation::step(self)
    }

    fn state(&self) -> &State {
        Simulation::state(self)
    }

    fn set_state(&mut self, state: State) -> Result<(), StepError> {
        Simulation::set_state(self, state)
    }

    fn report(&self) -> &Report {
        Simulation::report(self)
    }

    fn settings(&self) -> &StepSettings {
        Simulation::settings(self)
    }

    fn model(&self) -> &Arc<RigidModel<D>> {
        self.system().model()
    }

    fn components(&self) -> usize {
        C
    }

    fn energy(&self) -> [f64; 2] {
        let (system, state) = (self.system(), Simulation::state(self));
        [system.kinetic(&state.u), system.potential(state)]
    }

    fn contacts(&self, out: &mut Vec<AnyContact<D>>) {
        out.clear();
        out.extend(Simulation::contacts(self).map(|c| AnyContact {
            contact: *c.contact,
            percussion: c.percussion,
            velocity: c.velocity,
            memory: c.memory,
            status: c.status,
        }));
    }

    fn pose(&mut self) -> Result<ComingStep<D>, StepError> {
        coming::pose(self)
    }
}

/// Starts a run with the contact space the laws of the model need.
pub fn simulate<const D: usize>(
    model: RigidModel<D>,
    state: State,
    settings: StepSettings,
) -> Result<Box<dyn Run<D>>, Error>
where
    Dim<D>: Kinematics<D>,
{
    fn start<const D: usize, const C: usize>(
        model: RigidModel<D>,
        state: State,
        settings: StepSettings,
    ) -> Result<Box<dyn Run<D>>, Error>
    where
        Dim<D>: Kinematics<D>,
        StepBlocks<C>: Wrap,
    {
        Ok(Box::new(Simulation::<_, D, C>::new(RigidSystem::<D, C>::new(Arc::new(model))?, state, settings)?))
    }
    match model.components() {
        2 => start::<D, 2>(model, state, settings),
        3 => start::<D, 3>(model, state, settings),
        4 => start::<D, 4>(model, state, settings),
        _ => start::<D, 5>(model, state, settings),
    }
}
