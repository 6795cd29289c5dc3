//! Where solids may meet each other or obstacles.

use super::super::forces::{Fault, each};
use super::super::laws;
use super::loads::functions;
use super::parts::Made;
use super::{inconsistent, mesh, parts, places, spatial};
use crate::description as says;
use crate::diagnostic::{Diagnostics, Problem};
use crate::scene::Scene;
use delassus_contact::{Dim, Space};
use delassus_dynamics::{BodyLaw, Formalism, Friction, Interaction};
use delassus_fem::contact::{Carrier, Collocation, FacetKind, Multipliers, Obstacle, PairSettings, Pairing, Surface};
use delassus_fem::model::{Against, ContactPair, ModelError};
use delassus_fem::solid::Hypothesis;
use delassus_fem::{Function, Model, SolidSettings};
use std::sync::Arc;

/// Adds the contacts.
pub(crate) fn add(scene: &Scene, made: &mut Made, settings: &SolidSettings, diagnostics: &mut Diagnostics) {
    for (path, name, contact) in each("contact", &scene.description.contact) {
        match pair(scene, &made.model, name, contact) {
            Ok(pair) => {
                match own_law(scene, contact, settings) {
                    Ok(Some(law)) => drop(made.model.laws.insert(pair.name.clone(), Arc::new(law))),
                    Ok(None) => {}
                    Err((key, problem)) => drop(scene.error(diagnostics, &path.at(key), problem)),
                }
                made.model.contacts.push(pair);
            }
            Err((key, problem)) => places::suggest(&made.model, scene.error(diagnostics, &path.at(key), problem)),
        }
    }
}

/// The law of a contact that has another one than friction.
fn own_law(
    scene: &Scene,
    says: &says::ContactPair,
    settings: &SolidSettings,
) -> Result<Option<Interaction>, (&'static str, Problem)> {
    let made = match &says.law {
        Some(law) => Some(self::law(scene, says, law, settings.method().given).map_err(|p| ("law", p))?),
        None => None,
    };
    let of_law = made.as_ref().and_then(|l| l.asperities);
    let key = if says.asperities.is_some() { "asperities" } else { "law" };
    let refuse = |what: &str| Err((key, inconsistent(what)));
    let layer = match (&says.asperities, of_law) {
        (Some(_), Some(_)) => return refuse("stands in the law: leave it out beside `law.asperities`"),
        (Some(layer), None) => laws::asperities(layer),
        (None, Some(layer)) => layer,
        (None, None) => return Ok(made),
    };
    if !matches!(
        settings.contact.formalism,
        Formalism::Lagrange | Formalism::Stabilised { .. } | Formalism::Augmented { .. }
    ) {
        return refuse(
            "asperities act beside multipliers, which hold the substrate: take the formalism lagrange, stabilised or \
             augmented",
        );
    }
    if settings.contact.pointwise().is_some() {
        return refuse("asperities and a stabilisation at each point would act twice: take projected = true");
    }
    if says.search.is_some_and(|search| search < layer.size) {
        return Err(("search", inconsistent("asperities touch at a gap of their size: search at least that far")));
    }
    let mut made = made.unwrap_or_else(|| Interaction::coulomb(says.friction));
    made.asperities = Some(layer);
    let dimension = scene.description.dimension.number();
    match made.fault(dimension, dimension) {
        Some(reason) => Err((key, Problem::Model { message: reason.to_string() })),
        None => Ok(Some(made)),
    }
}

/// The law of a contact between surfaces; `given` says that a penalised force follows from the beginning of the step.
fn law(scene: &Scene, says: &says::ContactPair, law: &says::Law, given: bool) -> Result<Interaction, Problem> {
    let refused = [
        ("friction", says.friction > 0.0, "stands in the law: leave it out beside `law`"),
        ("between", law.between.is_some(), "is for [law]: a contact names its surfaces"),
        ("restitution", law.restitution > 0.0, "is for bodies: what solids give back comes from their elasticity"),
        ("tangential_restitution", law.tangential_restitution > 0.0, "is for bodies"),
        ("rolling", law.rolling > 0.0, "is for bodies: nodes of solids have no rotation"),
        ("torsional", law.torsional > 0.0, "is for bodies: nodes of solids have no rotation"),
    ];
    if let Some((key, _, why)) = refused.iter().find(|r| r.1) {
        return Err(inconsistent(format!("`{key}` {why}")));
    }
    let (made, frame) = laws::interaction(law, scene.description.dimension.number())?;
    if frame == says::FrameOf::Second {
        return Err(inconsistent("`frame` is for bodies: directions of a contact are those of space"));
    }
    if let Some(reason) = made.fault(scene.description.dimension.number(), scene.description.dimension.number()) {
        return Err(Problem::Model { message: reason.to_string() });
    }
    let plain = matches!(made.friction, Friction::Coulomb { .. } | Friction::Tresca { .. });
    if given && !(plain && made.cohesion == 0.0 && made.adhesion.is_none()) {
        let what = "an explicit scheme with `formalism = \"penalty\"` knows `friction`, `static_friction` and `tresca` \
                    alone: take the formalism lagrange, or another scheme";
        return Err(inconsistent(what));
    }
    Ok(made)
}

fn pair(scene: &Scene, model: &Model, name: String, says: &says::ContactPair) -> Result<ContactPair, Fault> {
    if let Some((beam, nodes)) = places::on_beam(model, "slave", &says.slave)? {
        return beam_pair(scene, model, (name, says), (beam, nodes));
    }
    let slave = places::place(model, "slave", &says.slave)?;
    let refuse = |key: &'static str| move |e: ModelError| (key, Problem::Model { message: e.to_string() });
    let surface = model.surface(slave.part, slave.group).map_err(refuse("slave"))?;
    let surface = match &says.interface {
        None => surface,
        Some(text) => {
            let carrier = carrier(scene, &model.parts[slave.part].name, text)?;
            surface.carried_by(carrier).map_err(|e| ("interface", inconsistent(e.to_string())))?
        }
    };
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
        (None, Some(obstacle)) => rigid(model, obstacle)?,
    };
    let (settings, motion) = (settings(model, slave.part, says)?, motion(scene, says, model.dim)?);
    Ok(ContactPair { name, slave: surface, against, settings, friction: says.friction, motion })
}

/// Nodes of a beam against an obstacle: forces instead of stresses, half the section before the axis.
fn beam_pair(
    scene: &Scene,
    model: &Model,
    (name, says): (String, &says::ContactPair),
    (beam, nodes): (usize, Vec<u32>),
) -> Result<ContactPair, Fault> {
    let Some(obstacle) = &says.obstacle else {
        return Err(("slave", inconsistent("nodes of a beam meet an `obstacle`")));
    };
    let facets = [
        ("master", says.master.is_some()),
        ("interface", says.interface.is_some()),
        ("collocation", !matches!(says.collocation, None | Some(says::Collocation::Nodes))),
        ("gauss_points", says.gauss_points.is_some()),
        ("multipliers", says.multipliers == Some(says::Multipliers::P0)),
    ];
    if let Some((key, _)) = facets.iter().find(|f| f.1) {
        return Err((
            *key,
            inconsistent(format!("`{key}` is for facets of solids: nodes of a beam carry the contact")),
        ));
    }
    let refused = |e: delassus_fem::contact::ContactError| ("slave", inconsistent(e.to_string()));
    let slave = Surface::new(model.dim, &[(FacetKind::Point, &nodes)]).map_err(refused)?;
    let beam = &model.beams[beam];
    let Some(offset) = says.offset.or(beam.offset) else {
        let parent = format!("contact.{name}, of a beam whose section is not round,");
        return Err(("slave", Problem::MissingKey { parent, key: "offset".into() }));
    };
    let positions = model.positions();
    let size = |k: usize| {
        let at = (beam.first..beam.first + beam.count).map(|n| positions[model.dim * n + k]);
        let (low, high) = at.fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(x), b.max(x)));
        (high - low).powi(2)
    };
    let length = (0..model.dim).map(size).sum::<f64>().sqrt();
    let mut settings = PairSettings::new(says.search.unwrap_or(length + offset));
    (settings.collocation, settings.offset) = (Collocation::Nodes, offset);
    settings.pairing = pairing(says, model.dim)?;
    settings.nominated = says.nominated;
    settings.validate(model.dim).map_err(refused)?;
    let (against, motion) = (rigid(model, obstacle)?, motion(scene, says, model.dim)?);
    Ok(ContactPair { name, slave, against, settings, friction: says.friction, motion })
}

/// The obstacle of a pair.
fn rigid(model: &Model, obstacle: &says::Obstacle) -> Result<Against, Fault> {
    Ok(match model.dim {
        2 => Against::Plane(Box::new(self::obstacle::<2>(obstacle)?)),
        _ => Against::Space(Box::new(self::obstacle::<3>(obstacle)?)),
    })
}

/// How the obstacle of a pair moves.
fn motion(scene: &Scene, says: &says::ContactPair, dimension: usize) -> Result<Vec<Function>, Fault> {
    says.motion.as_ref().map_or(Ok(vec![]), |formulas| functions(scene, "motion", formulas, dimension))
}

/// A mesh of the scene, in the place of the slave's solid, that carries multipliers.
fn carrier(scene: &Scene, solid: &str, text: &str) -> Result<Carrier, Fault> {
    let refuse = |what: String| ("interface", inconsistent(what));
    let named = |wanted: &str| each("mesh", &scene.description.mesh).find(|(_, name, _)| name == wanted).map(|m| m.2);
    let (name, group) = text.split_once('/').ok_or_else(|| {
        refuse(format!(
            "`{text}` must name a group of a mesh, as \"mesh/group\": the mesh that carries the multipliers"
        ))
    })?;
    let described =
        named(name).ok_or_else(|| ("interface", Problem::UnknownName { kind: "mesh", name: name.to_owned() }))?;
    let (mut mesh, dimension) = (mesh::mesh(scene, name, described)?, scene.description.dimension.number());
    let placed = each("solid", &scene.description.solid).find(|(_, name, _)| name == solid);
    if let Some((_, _, solid)) = placed {
        parts::place(&mut mesh, solid, dimension)?;
    }
    let found = mesh.group(group).map_err(|e| refuse(e.to_string()))?;
    let surface = mesh.surface(&found.cells, 0).map_err(|e| refuse(e.to_string()))?;
    let positions = mesh.points.iter().flat_map(|p| p.iter().take(dimension).copied()).collect();
    Carrier::new(surface, positions).map_err(|e| refuse(e.to_string()))
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
    settings.offset = says.offset.unwrap_or(0.0);
    settings.pairing = pairing(says, model.dim)?;
    settings.nominated = says.nominated;
    settings.partition = says.partition;
    // Friction at the kink between two facets has no frame of its own: nodes that stick there never settle.
    settings.smooth_normals = says.smooth_normals.unwrap_or(says.friction > 0.0 || says.law.is_some());
    match solid.solid.spec().hypothesis {
        Hypothesis::Axisymmetric => settings.axisymmetric = true,
        Hypothesis::PlaneStrain { thickness } | Hypothesis::PlaneStress { thickness } => settings.thickness = thickness,
        Hypothesis::Space => {}
    }
    settings.validate(model.dim).map_err(|e| ("slave", inconsistent(e.to_string())))?;
    Ok(settings)
}

/// How the opposite place is found.
fn pairing(says: &says::ContactPair, dimension: usize) -> Result<Pairing, Fault> {
    Ok(match (says.pairing, &says.direction) {
        (Some(says::Pairing::Direction), Some(d)) => Pairing::Direction(spatial("direction", d, dimension)?),
        (Some(says::Pairing::Direction), None) => {
            let parent = "a contact paired along a direction".into();
            return Err(("pairing", Problem::MissingKey { parent, key: "direction".into() }));
        }
        (_, Some(_)) => return Err(("direction", inconsistent("`direction` is for `pairing = \"direction\"`"))),
        (Some(says::Pairing::Velocity), None) => Pairing::Velocity,
        (None | Some(says::Pairing::Proximity), None) => Pairing::Proximity,
    })
}

fn vector<const D: usize>(values: &[f64]) -> Result<[f64; D], Fault> {
    let all = spatial("obstacle", values, D)?;
    Ok(std::array::from_fn(|k| all[k]))
}

fn obstacle<const D: usize>(says: &says::Obstacle) -> Result<Obstacle<D>, Fault>
where
    Dim<D>: Space<D>,
{
    let or_origin = |place: &Option<Vec<f64>>| place.as_ref().map_or(Ok([0.0; D]), |p| vector(p));
    let made = match says {
        says::Obstacle::HalfSpace { point, normal } => {
            let upwards = || Ok(std::array::from_fn(|k| if k + 1 == D { 1.0 } else { 0.0 }));
            Obstacle::half_space(or_origin(point)?, normal.as_ref().map_or_else(upwards, |n| vector(n))?)
        }
        says::Obstacle::Ball { centre, radius, inside: true } => Obstacle::cavity(vector(centre)?, *radius),
        says::Obstacle::Ball { centre, radius, .. } => Obstacle::ball(vector(centre)?, *radius),
        says::Obstacle::Box { centre, size } => Obstacle::cuboid(or_origin(centre)?, vector(size)?),
        says::Obstacle::Capsule { from, to, radius } => Obstacle::capsule(vector(from)?, vector(to)?, *radius),
    };
    made.map_err(|e| ("obstacle", inconsistent(e.to_string())))
}
