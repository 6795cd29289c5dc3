//! A world of bodies whose contact space is known only at run time.

use crate::next::{self, NextBlocks};
use crate::{Error, Kinematics, Report, RigidModel, RigidSystem, State, StepError, StepSettings, World};
use delassus_contact::{Contact, Dim, Space};
use delassus_dynamics::{ContactMethod, ContactStatus, Ledger, MEMORY, PointView, Wear, WorldParts};
use delassus_friction::laws::COMPONENTS;
use std::sync::Arc;

/// A contact of the last step, whatever the contact space.
#[derive(Clone, Copy, Debug)]
pub struct AnyContact<const D: usize> {
    /// Geometry at `q_m`.
    pub contact: Contact<D>,
    /// Percussion in its frame, normal first \[N·s\].
    pub percussion: [f64; COMPONENTS],
    /// Share of the asperities in its normal component \[N·s\].
    pub asperities: f64,
    /// Relative velocity after the step, in its frame \[m/s\].
    pub velocity: [f64; COMPONENTS],
    /// Internal variables of its law.
    pub memory: [f64; MEMORY],
    /// How it ended.
    pub status: ContactStatus,
    /// Its law in the step, by its place in [`LAWS`](delassus_dynamics::LAWS).
    pub law: u8,
    /// Coefficient of friction.
    pub friction: f64,
}

/// A world in dimension `D`, whatever the contact space.
pub trait Run<const D: usize>: Send
where
    Dim<D>: Space<D>,
{
    /// Makes one step.
    fn step(&mut self) -> Result<&Report, StepError>;

    /// The state.
    fn state(&self) -> &State;

    /// Replaces the state: a restart.
    fn set_state(&mut self, state: State) -> Result<(), StepError>;

    /// The report of the last step.
    fn report(&self) -> &Report;

    /// Components of a contact.
    fn components(&self) -> usize;

    /// Energies of the state \[J\].
    fn energies(&self) -> Ledger;

    /// The contacts that took part in the last step, in order; `out` is emptied first.
    fn contacts(&self, out: &mut Vec<AnyContact<D>>);

    /// The points at which surfaces face each other; `out` is emptied first.
    fn points(&self, out: &mut Vec<PointView<D>>);

    /// What the pairs that are asked for have rubbed.
    fn wear(&self) -> &[Wear];

    /// Sums these pairs from now on.
    fn set_wear(&mut self, wear: Vec<Wear>);

    /// Whether some law has asperities.
    fn has_asperities(&self) -> bool;

    /// What the loops of the last step did, if it was asked for.
    fn log(&self) -> &[String];

    /// The contact problem of the coming step; the state does not change.
    fn next_step(&mut self) -> Result<NextBlocks<D>, StepError>;
}

impl<const D: usize, const C: usize> Run<D> for World<D, C>
where
    Dim<D>: Space<D>,
{
    fn step(&mut self) -> Result<&Report, StepError> {
        World::step(self)
    }

    fn state(&self) -> &State {
        World::state(self)
    }

    fn set_state(&mut self, state: State) -> Result<(), StepError> {
        World::set_state(self, state)
    }

    fn report(&self) -> &Report {
        World::report(self)
    }

    fn components(&self) -> usize {
        C
    }

    fn energies(&self) -> Ledger {
        World::energies(self)
    }

    fn contacts(&self, out: &mut Vec<AnyContact<D>>) {
        out.clear();
        out.extend(World::contacts(self).map(|c| AnyContact {
            contact: *c.contact,
            percussion: c.percussion,
            asperities: c.asperities,
            velocity: c.velocity,
            memory: c.memory,
            status: c.status,
            law: c.law,
            friction: c.friction,
        }));
    }

    fn points(&self, out: &mut Vec<PointView<D>>) {
        out.clear();
        out.extend(World::points(self));
    }

    fn wear(&self) -> &[Wear] {
        World::wear(self)
    }

    fn set_wear(&mut self, wear: Vec<Wear>) {
        World::set_wear(self, wear);
    }

    fn has_asperities(&self) -> bool {
        World::has_asperities(self)
    }

    fn log(&self) -> &[String] {
        World::log(self)
    }

    fn next_step(&mut self) -> Result<NextBlocks<D>, StepError> {
        next::blocks(self)
    }
}

/// Starts a run with the contact space the laws of the model need.
pub fn simulate<const D: usize>(
    model: impl Into<Arc<RigidModel<D>>>,
    state: State,
    settings: StepSettings,
) -> Result<Box<dyn Run<D>>, Error>
where
    Dim<D>: Kinematics<D>,
{
    let model = model.into();
    fn start<const D: usize, const C: usize>(
        model: Arc<RigidModel<D>>,
        state: State,
        settings: StepSettings,
    ) -> Result<Box<dyn Run<D>>, Error>
    where
        Dim<D>: Kinematics<D>,
    {
        Ok(Box::new(World::<D, C>::new(world_of(model)?, state, settings)?))
    }
    match model.components() {
        2 => start::<D, 2>(model, state, settings),
        3 => start::<D, 3>(model, state, settings),
        4 => start::<D, 4>(model, state, settings),
        5 => start::<D, 5>(model, state, settings),
        _ => start::<D, 6>(model, state, settings),
    }
}

/// A world of the bodies of a model alone.
pub fn world_of<const D: usize, const C: usize>(model: Arc<RigidModel<D>>) -> Result<WorldParts<D, C>, Error>
where
    Dim<D>: Kinematics<D>,
{
    Ok(WorldParts {
        bodies: RigidSystem::<D, C>::bodies(&model)?,
        parts: vec![Box::new(RigidSystem::<D, C>::new(model)?)],
        weak: vec![],
        method: ContactMethod::default(),
    })
}
