//! A world of bodies and solids: how it is made, and made again where patches move.

use super::super::Error;
use super::super::patches::Patches;
use super::super::solids::SolidLook;
use delassus_contact::skin::SkinSpec;
use delassus_contact::{Detector, Dim};
use delassus_dynamics::{Bodies, World, WorldParts};
use delassus_fem::model::ModelError;
use delassus_fem::{SolidSettings, Solids};
use delassus_rigid::{Kinematics, RigidModel, RigidSystem, Run, State, StepSettings};
use delassus_scene::SolidSetup;
use std::sync::Arc;

/// What a world of bodies and solids is made from, beside their models.
pub(super) struct Recipe {
    pub(super) solids: SolidSettings,
    settings: StepSettings,
    /// Of the skins.
    materials: Vec<u16>,
    itself: Vec<bool>,
    meet: bool,
}

/// A world of bodies and solids.
#[allow(clippy::type_complexity, reason = "a world, what is looked at in it, and how to make it again")]
pub(super) fn with_solids<const D: usize>(
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
    pub(super) fn world<const D: usize>(
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
