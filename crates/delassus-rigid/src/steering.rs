//! What a caller imposes from outside, between two steps: forces, motions of obstacles, speeds of motors, laws
//!
//! None of it is part of the state: who goes back in time gives it again.

use crate::{BodyLaw, Error, Kinematics, Motion, Profile, RigidModel, Steer};
use delassus_contact::Dim;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Forces and torques on the bodies, constant until they are changed.
#[derive(Debug, Default)]
pub struct Applied(Mutex<Vec<f64>>);

impl Applied {
    /// Force at the centre of mass, then torque, both along the axes of the world: 3 numbers for each body in the
    /// plane, 6 in space; none at all for no forces.
    pub fn forces(&self) -> MutexGuard<'_, Vec<f64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<const D: usize> RigidModel<D>
where
    Dim<D>: Kinematics<D>,
{
    /// The forces that callers apply.
    pub fn applied(&self) -> &Arc<Applied> {
        &self.applied
    }

    /// Makes a fixed or imposed body follow what is returned: displacements along the axes, then the angle about the
    /// axis of its motion. `None` where it moves freely.
    pub fn steer_body(&mut self, body: usize) -> Option<Vec<Arc<Steer>>> {
        let motion = self.bodies.get_mut(body)?.motion.as_mut()?;
        let steers: Vec<Arc<Steer>> = (0..=D).map(|_| Arc::default()).collect();
        let mut profiles = steers.iter().map(|s| Profile::Steered(s.clone()));
        let mut next = || profiles.next().expect("one for each axis and one for the angle");
        **motion =
            Motion { translation: std::array::from_fn(|_| next()), rotation: next(), axis: motion.axis, since: None };
        Some(steers)
    }

    /// Names of the joints.
    pub fn joint_names(&self) -> impl Iterator<Item = &str> {
        self.joints.iter().map(|j| j.joint.name.as_str())
    }

    /// Makes the motor of a joint follow what is returned, by its rate. `None` where it has no motor.
    pub fn steer_joint(&mut self, joint: usize) -> Option<Arc<Steer>> {
        let motor = self.joints.get_mut(joint)?.joint.motor.as_mut()?;
        let steer = Arc::<Steer>::default();
        motor.profile = Profile::Steered(steer.clone());
        Some(steer)
    }

    /// Replaces the law of a pair of materials.
    pub fn set_law(&mut self, first: u16, second: u16, law: Arc<dyn BodyLaw>) -> Result<(), Error> {
        self.detection.margin = self.detection.margin.max(law.range());
        self.interactions.set_shared(first, second, law);
        Ok(self.interactions.validate(D, self.components)?)
    }
}
