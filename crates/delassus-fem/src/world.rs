//! Solids in a world.

use crate::contact::{ContactError, Interface, Master, Obstacle};
use crate::model::{Against, ContactPair, ModelError};
use crate::{Error, Model, SolidSettings, Solids};
use delassus_contact::{Dim, Space};
use delassus_dynamics::{
    Bodies, BodyLaw, Interaction, ObstacleMotion, Policy, State, StepSettings, Weak, World, WorldParts,
};
use std::any::Any;
use std::sync::Arc;

impl Model {
    /// The contacts ready to be put into a world.
    pub fn weak<const D: usize>(&self) -> Result<Vec<Weak<D>>, ModelError>
    where
        Dim<D>: Space<D>,
    {
        let coulomb = |pair: &ContactPair| Arc::new(Interaction::coulomb(pair.friction)) as Arc<dyn BodyLaw>;
        let law = |pair: &ContactPair| self.laws.get(&pair.name).cloned().unwrap_or_else(|| coulomb(pair));
        self.contacts.iter().map(|pair| pair.weak(law(pair))).collect()
    }
}

impl ContactPair {
    /// The pair with its law.
    fn weak<const D: usize>(&self, law: Arc<dyn BodyLaw>) -> Result<Weak<D>, ModelError>
    where
        Dim<D>: Space<D>,
    {
        let failed = |reason: ContactError| ModelError::Contact { part: self.name.clone(), reason };
        let obstacle = |o: &dyn Any| match o.downcast_ref::<Obstacle<D>>() {
            Some(o) => Ok(Master::Obstacle(o.clone())),
            None => Err(ModelError::Obstacle { name: self.name.clone(), dim: D }),
        };
        let master = match &self.against {
            Against::Surface(s) => Master::Surface(s.clone()),
            Against::Itself => Master::Itself,
            Against::Plane(o) => obstacle(&**o)?,
            Against::Space(o) => obstacle(&**o)?,
        };
        let interface = Interface::new(self.slave.clone(), master, self.settings).map_err(failed)?;
        let motion = self.motion.clone();
        let motion: Option<ObstacleMotion> = (!motion.is_empty()).then(|| {
            let moved = move |t: f64| {
                let of = |f: &dyn Fn(&crate::Function) -> f64| std::array::from_fn(|k| motion.get(k).map_or(0.0, f));
                [of(&|f| f.at(t)), of(&|f| f.rate(t))]
            };
            Arc::new(moved) as ObstacleMotion
        });
        Ok(Weak::new(self.name.clone(), interface, law, motion))
    }
}

impl SolidSettings {
    /// Settings of the step of a world of solids alone.
    pub fn step_settings(&self, h: f64) -> StepSettings {
        StepSettings {
            tolerance: self.tolerance,
            on_failure: match self.cutbacks {
                0 => Policy::Accept,
                times => Policy::Retry { divide: 2, times },
            },
            ..StepSettings::with_step(h)
        }
    }
}

/// A world of solids alone, at its start.
pub fn world_of<const D: usize>(model: Model, settings: SolidSettings) -> Result<World<D, D>, Error>
where
    Dim<D>: Space<D>,
{
    let weak = model.weak::<D>()?;
    let method = settings.method();
    let mut solids = Solids::<D>::new(model, settings)?;
    let step = solids.settings().step_settings(solids.step());
    let (q, u) = solids.start()?;
    let parts = WorldParts { parts: vec![Box::new(solids)], bodies: Bodies::default(), weak, method };
    Ok(World::new(parts, State { q, u, ..State::default() }, step)?)
}
