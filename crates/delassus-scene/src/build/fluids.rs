//! Fluids around bodies: drag, velocity, what they carry.

use super::forces::{Fault, Names, each, rigid};
use super::prepare::Prepared;
use crate::description as says;
use crate::diagnostic::{Diagnostics, Problem};
use crate::scene::Scene;
use delassus_contact::{Dim, Vector};
use delassus_rigid::{BodySpec, Drag, Fluid, Kind, Kinematics, ModelParts};

/// Adds the fluids around the bodies.
pub(super) fn add<const D: usize>(
    scene: &Scene,
    prepared: &Prepared<D>,
    parts: &mut ModelParts<D>,
    diagnostics: &mut Diagnostics,
) where
    Dim<D>: Kinematics<D>,
{
    let (names, solids) = (Names::new(prepared), scene.has_solids());
    for (path, name, fluid) in each("fluid", &scene.description.fluid).filter(|x| !(solids && x.2.on.is_some())) {
        match around(&names, fluid, &name, &parts.bodies) {
            Ok(made) => parts.fluids.extend(made),
            Err(fault) => names.report(scene, &path, fault, diagnostics),
        }
    }
}

fn around<const D: usize>(
    names: &Names<D>,
    says: &says::Fluid,
    name: &str,
    bodies: &[BodySpec<D>],
) -> Result<Vec<Fluid<D>>, Fault>
where
    Dim<D>: Kinematics<D>,
{
    let on = rigid(&format!("fluid.{name}"), "body", says.body.as_ref(), says.on.is_some())?;
    let (drag, flow, share) = fluid(says, name, D)?;
    let mut made = vec![];
    for name in on.iter() {
        let body = names.body(name)?;
        if !names.there(std::slice::from_ref(&name.to_owned())) {
            continue;
        }
        if !names.is_free(body) {
            let what = format!("`{name}` does not move freely: a fluid around it has no effect");
            return Err(("body", Problem::Inconsistent { what }));
        }
        let buoyancy = match (says.density, bodies.get(body as usize)) {
            (Some(density), Some(spec)) => carried(spec, density)?,
            _ => share,
        };
        made.push(Fluid { body, drag, flow: Vector::from_fn(|k, _| flow[k]), buoyancy, added_mass: says.added_mass });
    }
    Ok(made)
}

/// Share of the weight of a body that a fluid of this density carries.
fn carried<const D: usize>(body: &BodySpec<D>, density: f64) -> Result<f64, Fault>
where
    Dim<D>: Kinematics<D>,
{
    let volume = || Dim::<D>::mass_of(&body.shapes, 1.0).ok().map(|m| m.mass).filter(|v| *v > 0.0);
    match (&body.kind, volume()) {
        (Kind::Homogeneous { density: own }, _) => Ok(density / own),
        (Kind::Dynamic(mass), Some(volume)) => Ok(density * volume / mass.mass),
        _ => {
            let what = format!("`{}` has no volume for the fluid to carry: give `buoyancy`", body.name);
            Err(("density", Problem::Inconsistent { what }))
        }
    }
}

/// What a fluid says of itself: drag, velocity, buoyancy without that of `density`.
pub(super) fn fluid(says: &says::Fluid, name: &str, dimension: usize) -> Result<(Drag, [f64; 3], f64), Fault> {
    let wide = |key: &'static str, values: &[f64]| match values.len() == dimension {
        true => Ok(std::array::from_fn(|k| values.get(k).copied().unwrap_or(0.0))),
        false => {
            let expected = format!("{dimension} items in a scene of dimension {dimension}");
            Err((key, Problem::WrongLength { key: key.into(), expected, found: values.len() }))
        }
    };
    if says.buoyancy.is_some() && says.density.is_some() {
        let what = "a fluid has `buoyancy` or `density`, not both".to_owned();
        return Err(("density", Problem::Inconsistent { what }));
    }
    if says.drag.is_none() && says.buoyancy.is_none() && says.density.is_none() && says.added_mass == 0.0 {
        let what = format!("the fluid `{name}` does nothing: give `drag`, `buoyancy`, `density` or `added_mass`");
        return Err((if says.on.is_some() { "on" } else { "body" }, Problem::Inconsistent { what }));
    }
    let drag = match &says.drag {
        None => Drag::Isotropic(0.0),
        Some(says::Resistance::All(k)) => Drag::Isotropic(*k),
        Some(says::Resistance::Axes(k)) => Drag::Axes(wide("drag", k)?),
    };
    let flow = says.flow.as_ref().map_or(Ok([0.0; 3]), |v| wide("flow", v))?;
    Ok((drag, flow, says.buoyancy.unwrap_or(0.0)))
}
