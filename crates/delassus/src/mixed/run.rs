//! A mixed simulation behind the interface of rigid ones.

use super::{MixedError, MixedSystem};
use delassus_contact::Dim;
use delassus_dynamics::{Report, Simulation, State, StepSettings, Subsystem};
use delassus_fem::subsystem::DeformableSpec;
use delassus_rigid::{AnyContact, ComingStep, Kinematics, RigidModel, Run, StepError};
use std::sync::Arc;

/// Rigid bodies and deformable solids in motion.
pub struct MixedRun<const D: usize>(Simulation<MixedSystem<D>, D, D>)
where
    Dim<D>: Kinematics<D>;

/// Explorations ask for the balance of every body, which solids do not have.
#[derive(Debug, thiserror::Error)]
#[error("sets of solutions are computed for rigid bodies; this scene has deformable solids")]
struct NotRigid;

impl<const D: usize> MixedRun<D>
where
    Dim<D>: Kinematics<D>,
{
    /// At the start of a model with solids; `rigid` is the state of its bodies.
    pub fn new(
        model: RigidModel<D>,
        solids: Vec<DeformableSpec>,
        rigid: State,
        settings: StepSettings,
    ) -> Result<Self, MixedError> {
        let system = MixedSystem::new(Arc::new(model), solids)?;
        let start = system.solids().initial_state();
        let mut state = rigid;
        state.q.extend(start.q);
        state.u.extend(start.u);
        Ok(Self(Simulation::new(system, state, settings)?))
    }

    /// The simulation.
    pub fn simulation(&self) -> &Simulation<MixedSystem<D>, D, D> {
        &self.0
    }

    /// The system.
    pub fn system(&self) -> &MixedSystem<D> {
        self.0.system()
    }
}

impl<const D: usize> Run<D> for MixedRun<D>
where
    Dim<D>: Kinematics<D>,
{
    fn step(&mut self) -> Result<&Report, StepError> {
        self.0.step()
    }

    fn state(&self) -> &State {
        self.0.state()
    }

    fn set_state(&mut self, state: State) -> Result<(), StepError> {
        self.0.set_state(state)
    }

    fn report(&self) -> &Report {
        self.0.report()
    }

    fn settings(&self) -> &StepSettings {
        self.0.settings()
    }

    fn model(&self) -> &Arc<RigidModel<D>> {
        self.0.system().rigid().model()
    }

    fn components(&self) -> usize {
        D
    }

    fn energy(&self) -> [f64; 2] {
        let (system, state) = (self.0.system(), self.0.state());
        [system.kinetic(&state.u), system.potential(state)]
    }

    fn contacts(&self, out: &mut Vec<AnyContact<D>>) {
        out.clear();
        out.extend(self.0.contacts().map(|c| AnyContact {
            contact: *c.contact,
            percussion: c.percussion,
            velocity: c.velocity,
            memory: c.memory,
            status: c.status,
        }));
    }

    fn pose(&mut self) -> Result<ComingStep<D>, StepError> {
        Err(StepError::Subsystem(Box::new(NotRigid)))
    }
}
