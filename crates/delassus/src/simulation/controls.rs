//! What a caller takes over from the scene: forces, imposed motions, motors, laws.

use super::{Error, Options};
use delassus_contact::Dim;
use delassus_rigid::{Applied, Kinematics, RigidModel, Steer};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Handles on what the caller steers between two steps. They are no part of the state.
#[derive(Clone, Debug, Default)]
pub struct Controls {
    /// Forces on the bodies.
    pub applied: Arc<Applied>,
    /// Displacements along the axes and angle, of the bodies named in [`Options::steered`].
    pub bodies: BTreeMap<String, Vec<Arc<Steer>>>,
    /// Motors of the joints named there.
    pub joints: BTreeMap<String, Arc<Steer>>,
}

impl Controls {
    /// Takes over what the options name.
    pub(super) fn new<const D: usize>(
        model: &mut RigidModel<D>,
        materials: &[String],
        options: &Options,
    ) -> Result<Self, Error>
    where
        Dim<D>: Kinematics<D>,
    {
        let mut controls = Self { applied: model.applied().clone(), ..Self::default() };
        for name in &options.steered {
            let body = model.bodies().iter().position(|b| *b.name == **name);
            let joint = model.joint_names().position(|j| j == name);
            if let Some(steers) = body.and_then(|b| model.steer_body(b)) {
                controls.bodies.insert(name.clone(), steers);
            } else if let Some(steer) = joint.and_then(|j| model.steer_joint(j)) {
                controls.joints.insert(name.clone(), steer);
            } else {
                let reason = match (body, joint) {
                    (Some(_), _) => "it moves freely: expected a fixed body or one with an imposed motion",
                    (_, Some(_)) => "this joint has no motor to steer",
                    _ => "the scene has no body and no joint of this name",
                };
                return Err(Error::Control { name: name.clone(), reason: reason.into() });
            }
        }
        for (names, law) in &options.laws {
            let mut pair = [0; 2];
            for (place, name) in pair.iter_mut().zip(names) {
                let found = materials.iter().position(|m| m == name).ok_or_else(|| Error::Control {
                    name: name.clone(),
                    reason: format!("the scene has no such material: expected one of {}", materials.join(", ")),
                })?;
                *place = found as u16;
            }
            model.set_law(pair[0], pair[1], law.clone())?;
        }
        Ok(controls)
    }
}
