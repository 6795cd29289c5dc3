//! Where solids may meet each other or obstacles.

use super::super::forces::{Fault, each};
use super::loads::functions;
use super::parts::Made;
use super::{inconsistent, places, spatial};
use crate::description as says;
use crate::diagnostic::{Diagnostics, Problem};
use crate::scene::Scene;
use delassus_fem::Model;
use delassus_fem::contact::{Collocation, Multipliers, Obstacle, ObstacleShape, PairSettings, Pairing};
use delassus_fem::model::{Against, ContactPair, ModelError};
use delassus_fem::solid::Hypothesis;

/// Adds the contacts.
pub(crate) fn add(scene: &Scene, made: &mut Made, diagnostics: &mut Diagnostics) {
    for (path, name, contact) in each("contact", &scene.description.contact) {
        match pair(scene, &made.model, name, contact) {
            Ok(pair) => made.model.contacts.push(pair),
            Err((key, problem)) => places::suggest(&made.model, scene.error(diagnostics, &path.at(key), problem)),
        }
    }
}

fn pair(scene: &Scene, model: &Model, name: String, says: &says::ContactPair) -> Result<ContactPair, Fault> {
    let slave = places::place(model, "slave", &says.slave)?;
    let refuse = |key: &'static str| move |e: ModelError| (key, Problem::Model { message: e.to_string() });
    let surface = model.surface(slave.part, slave.group).map_err(refuse("slave"))?;
    let against = match (&says.master, &says.obstacle) {
        (Some(_), Some(_)) => return Err(("obstacle", inconsistent("a contact has `master` or `obstacle`, not both"))),
        (None, None) => {
            return Err(("slave", Problem::MissingKey { parent: format!("contact.{name}"), key: "master".into() }));
        }
        (Some(_), None) if says.motion.is_some() => {
            return Err(("motion", inconsistent("`motion` is for obstacles")));
        }
        (Some(master), None) if *master == says.slave => Against::Itself,
        (Some(master), None) => {
            let at = places::place(model, "master", master)?;
            Against::Surface(model.surface(at.part, at.group).map_err(refuse("master"))?)
        }
        (None, Some(obstacle)) => match model.dim {
            2 => Against::Plane(Box::new(self::obstacle::<2>(obstacle)?)),
            _ => Against::Space(Box::new(self::obstacle::<3>(obstacle)?)),
        },
    };
    let settings = settings(model, slave.part, says)?;
    let motion = match &says.motion {
        Some(formulas) => functions(scene, "motion", formulas, model.dim)?,
        None => vec![],
    };
    Ok(ContactPair { name, slave: surface, against, settings, friction: says.friction, motion })
}

fn settings(model: &Model, part: usize, says: &says::ContactPair) -> Result<PairSettings, Fault> {
    let solid = &model.parts[part];
    let mut settings = PairSettings::new(says.search.unwrap_or_else(|| solid.mesh.extent()));
    let points = says.gauss_points.unwrap_or(2) as usize;
    settings.collocation = match says.collocation {
        None | Some(says::Collocation::Gauss) => Collocation::Gauss { points },
        Some(says::Collocation::Nodes) => Collocation::Nodes,
        Some(says::Collocation::Simpson) => Collocation::Simpson,
    };
    if says.gauss_points.is_some() && !matches!(settings.collocation, Collocation::Gauss { .. }) {
        return Err(("gauss_points", inconsistent("`gauss_points` is for `collocation = \"gauss\"`")));
    }
    settings.multipliers = match says.multipliers {
        None | Some(says::Multipliers::P1) => Multipliers::P1,
        Some(says::Multipliers::P0) => Multipliers::P0,
    };
    settings.pairing = match (says.pairing, &says.direction) {
        (Some(says::Pairing::Direction), Some(d)) => Pairing::Direction(spatial("direction", d, model.dim)?),
        (Some(says::Pairing::Direction), None) => {
            let parent = "a contact paired along a direction".into();
            return Err(("pairing", Problem::MissingKey { parent, key: "direction".into() }));
        }
        (_, Some(_)) => return Err(("direction", inconsistent("`direction` is for `pairing = \"direction\"`"))),
        (Some(says::Pairing::Velocity), None) => Pairing::Velocity,
        (None | Some(says::Pairing::Proximity), None) => Pairing::Proximity,
    };
    (settings.partition, settings.smooth_normals) = (says.partition, says.smooth_normals);
    match solid.solid.spec().hypothesis {
        Hypothesis::Axisymmetric => settings.axisymmetric = true,
        Hypothesis::PlaneStrain { thickness } | Hypothesis::PlaneStress { thickness } => settings.thickness = thickness,
        Hypothesis::Space => {}
    }
    settings.validate(model.dim).map_err(|e| ("slave", inconsistent(e.to_string())))?;
    Ok(settings)
}

fn vector<const D: usize>(values: &[f64]) -> Result<[f64; D], Fault> {
    let all = spatial("obstacle", values, D)?;
    Ok(std::array::from_fn(|k| all[k]))
}

fn obstacle<const D: usize>(says: &says::Obstacle) -> Result<Obstacle<D>, Fault> {
    let mut centre_of = [0.0; D];
    let shape = match says {
        says::Obstacle::HalfSpace { point, normal } => ObstacleShape::HalfSpace {
            point: point.as_ref().map_or(Ok([0.0; D]), |p| vector(p))?,
            normal: match normal {
                Some(normal) => vector(normal)?,
                None => std::array::from_fn(|k| if k + 1 == D { 1.0 } else { 0.0 }),
            },
        },
        says::Obstacle::Ball { centre, radius, inside } => {
            ObstacleShape::Ball { centre: vector(centre)?, radius: *radius, inside: *inside }
        }
        says::Obstacle::Box { centre, size } => {
            centre_of = centre.as_ref().map_or(Ok([0.0; D]), |c| vector(c))?;
            ObstacleShape::Box { half: vector::<D>(size)?.map(|s| 0.5 * s) }
        }
        says::Obstacle::Capsule { from, to, radius } => {
            ObstacleShape::Capsule { from: vector(from)?, to: vector(to)?, radius: *radius }
        }
    };
    let mut made = Obstacle::new(shape).map_err(|e| ("obstacle", inconsistent(e.to_string())))?;
    for k in 0..D {
        made.pose.position[k] = centre_of[k];
    }
    Ok(made)
}
