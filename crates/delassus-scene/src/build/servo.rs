//! Walls that hold a pressure: a slider and a force.

use super::forces::{Fault, Names, each};
use super::model::expression;
use super::place::vector;
use super::prepare::Prepared;
use crate::description as says;
use crate::diagnostic::{Diagnostics, Problem};
use crate::scene::Scene;
use delassus_contact::{Dim, Solid as _, Space, Vector};
use delassus_rigid::{Joint, JointKind, Kinematics, ModelParts, Servo};

/// Adds the servos and the sliders of their walls.
pub(super) fn add<const D: usize>(
    scene: &Scene,
    prepared: &Prepared<D>,
    parts: &mut ModelParts<D>,
    diagnostics: &mut Diagnostics,
) where
    Dim<D>: Kinematics<D>,
{
    let names = Names::new(prepared);
    for (path, name, servo) in each("servo", &scene.description.servo) {
        if !names.there(std::slice::from_ref(&servo.body)) {
            continue;
        }
        match one(scene, prepared, &names, servo) {
            Ok((made, at)) => {
                let mut joint = Joint::<D>::new(JointKind::Slider, [Some(made.body), None], at);
                (joint.axis, joint.name) = (made.direction, format!("servo {name}"));
                parts.joints.push(joint);
                parts.servos.push(made);
            }
            Err(fault) => names.report(scene, &path, fault, diagnostics),
        }
    }
}

fn one<const D: usize>(
    scene: &Scene,
    prepared: &Prepared<D>,
    names: &Names<D>,
    says: &says::Servo,
) -> Result<(Servo<D>, Vector<D>), Fault>
where
    Dim<D>: Kinematics<D>,
{
    let body = names.body(&says.body)?;
    if !names.is_free(body) {
        let what = format!("`{}` does not move freely: a pressure cannot move it", says.body);
        return Err(("body", Problem::Inconsistent { what }));
    }
    let axis = vector::<D>("axis", &says.axis).map_err(|p| ("axis", p))?;
    if !(axis.norm() > 0.0) {
        return Err(("axis", Problem::Inconsistent { what: "the axis must not be zero".into() }));
    }
    let pressure = expression(&says.pressure, scene).map_err(|p| ("pressure", p))?;
    let direction = axis.normalize();
    let (area, between) = match (says.area, &says.between) {
        (Some(area), None) => (area, None),
        (None, Some(two)) => {
            let width = match (D, says.width) {
                (2, None) => 1.0,
                (3, Some(width)) => width,
                (2, Some(_)) => {
                    return Err(("width", Problem::Inconsistent { what: "`width` is for scenes in space".into() }));
                }
                _ => return Err(("between", Problem::MissingKey { parent: "servo".into(), key: "width".into() })),
            };
            let find = |k: usize| names.body(&two[k]).map_err(|(_, p)| ("between", p));
            (width, Some(faces(prepared, [find(0)?, find(1)?], &direction)?))
        }
        _ => {
            let what = "a servo has an `area`, or `between` two bodies".to_owned();
            return Err(("pressure", Problem::Inconsistent { what }));
        }
    };
    let at = prepared.made[body as usize].pose.position;
    Ok((Servo { body, direction, pressure, area, between, damping: says.damping }, at))
}

/// The axis along which two bodies are apart across the push, and what of the distance of their centres is theirs.
fn faces<const D: usize>(
    prepared: &Prepared<D>,
    bodies: [u32; 2],
    push: &Vector<D>,
) -> Result<([u32; 2], usize, f64), Fault>
where
    Dim<D>: Kinematics<D>,
{
    let made = bodies.map(|b| &prepared.made[b as usize]);
    let apart = made[1].pose.position - made[0].pose.position;
    let across = apart - push * apart.dot(push);
    let axis = (0..D).max_by(|a, b| across[*a].abs().total_cmp(&across[*b].abs())).unwrap_or(0);
    if !(across[axis].abs() > 0.0) {
        let what = "`between` names two bodies that are apart across `axis`".to_owned();
        return Err(("between", Problem::Inconsistent { what }));
    }
    let sign = across[axis].signum();
    let mut own = 0.0;
    for (made, sign) in made.iter().zip([sign, -sign]) {
        let mut reach = f64::NEG_INFINITY;
        for piece in &made.pieces {
            let solid = Dim::<D>::solid(&piece.shape, &piece.offset.pose());
            let mut solid = solid.map_err(|e| ("between", Problem::Model { message: e.to_string() }))?;
            solid.place(&made.pose.pose());
            let around = solid.aabb();
            let face = if sign > 0.0 { around.max[axis] } else { around.min[axis] };
            reach = reach.max(sign * (face - made.pose.position[axis]));
        }
        // The face of a half-space is its origin.
        own += if reach.is_finite() { reach } else { 0.0 };
    }
    Ok((bodies, axis, own))
}
