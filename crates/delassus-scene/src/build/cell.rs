//! Periodic cells that are sheared, or give way to a pressure: two bodies without shapes, and what moves them.

use super::bodies::{Item, Role};
use super::model::{expression, weighed};
use super::prepare::Prepared;
use crate::description::{Axis, Body, CellPressure, CellShear, Dimension};
use crate::diagnostic::{Diagnostics, Problem};
use crate::scene::Scene;
use crate::tree::Path;
use delassus_contact::Dim;
use delassus_rigid::{BodySpec, Cell, Held, Kind, Kinematics, ModelParts, Profile, Sheared};
use std::sync::Arc;

/// The body whose place is the lengths of the cell.
pub(crate) const LENGTHS: &str = "cell";
/// The body whose place is the displacement of the next image.
pub(crate) const OFFSET: &str = "cell_shear";

fn index(axis: Axis) -> usize {
    match axis {
        Axis::X => 0,
        Axis::Y => 1,
        Axis::Z => 2,
    }
}

fn gradient(shear: &CellShear, dimension: usize) -> usize {
    shear.gradient.map_or(dimension - 1, index)
}

/// The bodies of the cell, after all others.
pub(super) fn items(scene: &Scene) -> Vec<Item> {
    let Some(periodic) = &scene.description.periodic else { return vec![] };
    let dimension = match scene.description.dimension {
        Dimension::Plane => 2,
        Dimension::Space => 3,
    };
    let item = |name: &str, key: &str, place: Vec<f64>| Item {
        name: name.to_owned(),
        body: Body { position: Some(place), ..Body::default() },
        path: Arc::new(Path::of(&["periodic"]).at(key)),
        role: Role::Moved,
        present: true,
        part: Role::Moved,
        cell: true,
    };
    let mut all = vec![];
    if periodic.pressure.is_some() {
        let lengths = [periodic.x, periodic.y, periodic.z].map(|p| p.unwrap_or(0.0));
        all.push(item(LENGTHS, "pressure", lengths[..dimension].to_vec()));
    }
    if let Some(shear) = &periodic.shear {
        let place = |k: usize| if k == index(shear.flow) { shear.offset } else { 0.0 };
        all.push(item(OFFSET, "shear", (0..dimension).map(place).collect()));
    }
    all
}

/// Adds the cell, and the velocity of the flow to the bodies that start in it.
pub(super) fn add<const D: usize>(
    scene: &Scene,
    prepared: &Prepared<D>,
    parts: &mut ModelParts<D>,
    diagnostics: &mut Diagnostics,
) where
    Dim<D>: Kinematics<D>,
{
    let Some(periodic) = &scene.description.periodic else { return };
    let body = |name: &str| prepared.items.iter().position(|i| i.cell && i.name == name).map(|b| b as u32);
    let mut cell = Cell::default();
    let mut tell = |(key, problem): (Path, Problem)| {
        scene.error(diagnostics, &key, problem);
    };
    if let (Some(pressure), Some(body)) = (&periodic.pressure, body(LENGTHS)) {
        match held(scene, pressure, &parts.bodies, body) {
            Ok(held) => cell.held = Some(held),
            Err(fault) => tell(fault),
        }
        // Where the lengths are now: a stage goes on with them.
        let place = prepared.made[body as usize].pose.position;
        parts.detection.periodic.period =
            std::array::from_fn(|k| prepared.detection.periodic.period[k].map(|_| place[k]));
    }
    if let (Some(shear), Some(body)) = (&periodic.shear, body(OFFSET)) {
        match sheared::<D>(scene, shear, body) {
            Ok(made) => {
                if shear.affine && scene.standing.is_none() {
                    start(prepared, parts, &made);
                }
                cell.shear = Some(made);
            }
            Err(fault) => tell(fault),
        }
    }
    if cell.held.is_some() || cell.shear.is_some() {
        parts.cell = Some(cell);
    }
}

fn at(keys: &[&str]) -> Path {
    keys.iter().fold(Path::of(&["periodic"]), |path, key| path.at(*key))
}

fn held<const D: usize>(
    scene: &Scene,
    says: &CellPressure,
    bodies: &[BodySpec<D>],
    body: u32,
) -> Result<Held<D>, (Path, Problem)>
where
    Dim<D>: Kinematics<D>,
{
    if D == 2 && says.z.is_some() {
        let what = "there is no pressure across z in the plane".to_owned();
        return Err((at(&["pressure", "z"]), Problem::Inconsistent { what }));
    }
    let keys = ["x", "y", "z"];
    let mut pressure: [Option<Profile>; D] = std::array::from_fn(|_| None);
    for (k, given) in [&says.x, &says.y, &says.z].into_iter().enumerate().take(D) {
        if let Some(formula) = given {
            pressure[k] = Some(expression(formula, scene).map_err(|p| (at(&["pressure", keys[k]]), p))?);
        }
    }
    if pressure.iter().all(Option::is_none) {
        let what = "give the pressure across an axis: `y = 1000`".to_owned();
        return Err((at(&["pressure"]), Problem::Inconsistent { what }));
    }
    let periodic = scene.description.periodic.as_ref();
    let periods = periodic.map_or([None; 3], |p| [p.x, p.y, p.z]);
    if let Some(k) = (0..D).find(|k| periods[*k].is_none()) {
        let what = format!("a pressure is held in a cell that is periodic along all axes: give `{}` too", keys[k]);
        return Err((at(&["pressure"]), Problem::Inconsistent { what }));
    }
    let mass = match says.mass {
        Some(mass) => mass,
        None => total(bodies).map_err(|p| (at(&["pressure"]), p))?,
    };
    Ok(Held { body, mass, pressure, damping: says.damping })
}

/// The mass of all free bodies.
fn total<const D: usize>(bodies: &[BodySpec<D>]) -> Result<f64, Problem>
where
    Dim<D>: Kinematics<D>,
{
    let mut sum = 0.0;
    for spec in bodies {
        sum += match &spec.kind {
            Kind::Dynamic(mass) => mass.mass,
            Kind::Homogeneous { .. } => weighed(spec)?.mass,
            Kind::Fixed | Kind::Imposed(_) => 0.0,
        };
    }
    match sum > 0.0 {
        true => Ok(sum),
        false => {
            Err(Problem::MissingKey { parent: "`pressure` in a scene without free bodies".into(), key: "mass".into() })
        }
    }
}

fn sheared<const D: usize>(scene: &Scene, says: &CellShear, body: u32) -> Result<Sheared, (Path, Problem)>
where
    Dim<D>: Kinematics<D>,
{
    let rate = expression(&says.rate, scene).map_err(|p| (at(&["shear", "rate"]), p))?;
    let (flow, gradient) = (index(says.flow), gradient(says, D));
    let inconsistent = |key: &str, what: String| Err((at(&["shear", key]), Problem::Inconsistent { what }));
    if flow == gradient {
        return inconsistent("gradient", "the velocity changes across another axis than that of the `flow`".to_owned());
    }
    let periodic = scene.description.periodic.as_ref();
    let periods = periodic.map_or([None; 3], |p| [p.x, p.y, p.z]);
    for (key, k) in [("flow", flow), ("gradient", gradient)] {
        if k >= D || periods[k].is_none() {
            let axis = ["x", "y", "z"][k];
            let what =
                format!("a cell is sheared along and across axes that are periodic: there is no period along {axis}");
            return inconsistent(key, what);
        }
    }
    let held = periodic.and_then(|p| p.pressure.as_ref()).map(|p| [&p.x, &p.y, &p.z][flow].is_some());
    if held == Some(true) {
        let axis = ["x", "y", "z"][flow];
        let what = format!("no pressure is held along the flow, {axis}: grains go on there through all images");
        return Err((at(&["pressure", axis]), Problem::Inconsistent { what }));
    }
    Ok(Sheared { body, flow, gradient, rate })
}

/// Adds the velocity of the flow at the start.
fn start<const D: usize>(prepared: &Prepared<D>, parts: &mut ModelParts<D>, shear: &Sheared)
where
    Dim<D>: Kinematics<D>,
{
    let rate = shear.rate.at(0.0);
    let origin = prepared.detection.periodic.origin[shear.gradient];
    for (spec, item) in parts.bodies.iter_mut().zip(&prepared.items).filter(|(_, i)| i.role == Role::Free) {
        debug_assert_eq!(*spec.name, *item.name);
        spec.velocity[shear.flow] += rate * (spec.pose.position[shear.gradient] - origin);
    }
}
