//! What a run knows of its model before the first frame: who is there, what of, held by what
//!
//! `model/bodies/*` go with `bodies/*`, `model/joints/*` with `joints/*`, row by row.

use super::geometry::Drawn;
use delassus_contact::{Collider, Dim, Shape};
use delassus_dynamics::LAWS;
use delassus_record::Constant;
use delassus_rigid::{Body, Kinematics, RigidModel};
use delassus_scene::Laboratory;
use std::sync::Arc;

/// The tables of a model; `decor` are shapes that touch nothing. Joints are those of all stages.
pub fn tables<const D: usize>(
    model: &RigidModel<D>,
    (decor, volumes): (&[Collider<D>], &[f64]),
    materials: &[String],
    lab: &Laboratory,
) -> Vec<Constant>
where
    Dim<D>: Kinematics<D> + Drawn<D>,
{
    let mut all = bodies(model, volumes, &lab.later);
    all.extend(shapes(model.colliders().iter().chain(decor), materials));
    all.push(Constant::texts(
        "materials/name",
        "materials of the scene",
        materials.iter().map(|m| Arc::from(m.as_str())).collect(),
    ));
    let laws = LAWS.iter().map(|l| Arc::from(*l)).collect();
    all.push(Constant::texts("laws/name", "laws of contacts, by their number in contacts/law", laws));
    all.extend(links(model, &lab.joints));
    all
}

fn bodies<const D: usize>(model: &RigidModel<D>, volumes: &[f64], later: &[bool]) -> Vec<Constant>
where
    Dim<D>: Kinematics<D>,
{
    let bodies = model.bodies();
    let of = |f: fn(&Body<D>) -> f64| bodies.iter().map(f).collect::<Vec<_>>();
    let turns = if D == 2 { 1 } else { 3 };
    let inertia = flat(bodies.len() * turns, bodies.iter().flat_map(|b| b.inertia.into_iter().take(turns)));
    let role = |(i, b): (usize, &Body<D>)| match &b.motion {
        None => "free",
        // Who waits for a feeder or a stage is free when it comes.
        Some(_) if later.get(i).is_some_and(|l| *l) => "free",
        Some(motion) if motion.is_rest() => "fixed",
        Some(_) => "moved",
    };
    let centre = flat(bodies.len() * D, bodies.iter().flat_map(|b| b.frame.position.iter().copied()));
    vec![
        Constant::texts("bodies/name", "names of the bodies", bodies.iter().map(|b| b.name.clone()).collect()),
        Constant::texts("bodies/role", "free, fixed or moved", shared(bodies.iter().enumerate().map(role))),
        Constant::numbers(
            "bodies/mass",
            1,
            ("kg", "0 where the motion is imposed, and of bodies that come later"),
            of(|b| b.mass),
        ),
        Constant::numbers("bodies/inertia", turns, ("kg m2", "principal moments about the centre of mass"), inertia),
        Constant::numbers("bodies/centre", D, ("m", "centre of mass in the axes of the scene file"), centre),
        Constant::numbers(
            "bodies/volume",
            1,
            ("m3", "of its shapes; m2 in the plane, 0 if unbounded"),
            volumes.to_vec(),
        ),
    ]
}

fn shapes<'a, const D: usize>(
    colliders: impl Iterator<Item = &'a Collider<D>> + Clone,
    materials: &[String],
) -> Vec<Constant>
where
    Dim<D>: Kinematics<D> + Drawn<D>,
{
    let body = colliders.clone().map(|c| c.body as i32).collect();
    let kind = shared(colliders.clone().map(|c| c.shape.name()));
    let made_of = |c: &Collider<D>| materials.get(c.material as usize).map_or("", String::as_str);
    let measures: Vec<[f64; 4]> = colliders.clone().map(|c| Dim::<D>::measures(&c.shape)).collect();
    let half = flat(measures.len() * 3, measures.iter().flat_map(|m| m[1..].iter().copied()));
    let offset = flat(measures.len() * D, colliders.clone().flat_map(|c| c.offset.position.iter().copied()));
    vec![
        Constant::integers("shapes/body", 1, "the body that carries the shape", body),
        Constant::texts("shapes/kind", "what it is", kind),
        Constant::texts("shapes/material", "what it is made of", shared(colliders.clone().map(made_of))),
        Constant::numbers(
            "shapes/radius",
            1,
            ("m", "of what is round, else 0"),
            measures.iter().map(|m| m[0]).collect(),
        ),
        Constant::numbers("shapes/half", 3, ("m", "half sides of a box; half the axis of a capsule or cylinder"), half),
        Constant::numbers("shapes/offset", D, ("m", "its place in the principal axes of the body"), offset),
    ]
}

/// So many numbers, in no more memory than they need.
fn flat(count: usize, numbers: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut all = Vec::with_capacity(count);
    all.extend(numbers);
    all
}

/// Texts of which there are few, each held once.
fn shared<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<Arc<str>> {
    let mut known: Vec<Arc<str>> = vec![];
    let one = |text: &str| match known.iter().find(|k| ***k == *text) {
        Some(k) => k.clone(),
        None => {
            known.push(Arc::from(text));
            known[known.len() - 1].clone()
        }
    };
    texts.map(one).collect()
}

fn links<const D: usize>(model: &RigidModel<D>, names: &[String]) -> Vec<Constant>
where
    Dim<D>: Kinematics<D>,
{
    // Those of later stages are not known yet.
    let found = |name: &String| model.joints().map(|(j, _)| j).find(|j| &j.name == name);
    let kind = |name| found(name).map_or(String::new(), |j| format!("{:?}", j.kind).to_lowercase());
    let sides = |name| found(name).map_or([-1; 2], |j| j.bodies.map(|b| b.map_or(-1, |b| b as i32)));
    vec![
        Constant::texts("joints/name", "names of the joints", names.iter().map(|n| Arc::from(n.as_str())).collect()),
        Constant::texts(
            "joints/kind",
            "what it holds; empty for one of a later stage",
            names.iter().map(|n| Arc::from(kind(n))).collect(),
        ),
        Constant::integers("joints/bodies", 2, "its bodies; -1 is the world", names.iter().flat_map(sides).collect()),
    ]
}
