//! Bodies of the scene as bodies of the model: mass, motion, velocity.

use super::bodies::{Item, Made, Role};
use super::place::{Turns, vector, vector_or_zero};
use super::prepare::Prepared;
use super::shape::Shapes;
use super::{cell, fluids, forces, servo};
use crate::description::{Body, Formula, Inertia, Motion as Described, Shape};
use crate::diagnostic::{Diagnostics, Problem};
use crate::formula::Parameters;
use crate::scene::Scene;
use crate::tree::Path;
use delassus_contact::{Dim, Vector};
use delassus_rigid::{BodySpec, Kind, Kinematics, Mass, ModelParts, Motion, Profile, RigidModel, ShapeSpec};
use nalgebra::Matrix3;
use std::sync::Arc;

/// The model of a prepared scene; every error is reported.
pub(crate) fn model<const D: usize>(
    scene: &Scene,
    prepared: &Prepared<D>,
    diagnostics: &mut Diagnostics,
) -> Option<RigidModel<D>>
where
    Dim<D>: Shapes<D> + Turns<D> + Kinematics<D>,
{
    let gravity = gravity::<D>(scene).unwrap_or_else(|problem| {
        scene.error(diagnostics, &Path::of(&["gravity"]), problem);
        Vector::zeros()
    });
    let mut parts = ModelParts::<D>::new(gravity);
    parts.bodies.reserve_exact(prepared.items.len());
    // Side by side: they stay when all that is made on the way here is gone.
    let names: Vec<Arc<str>> = prepared.items.iter().map(|i| i.name.as_str().into()).collect();
    for ((item, made), name) in prepared.items.iter().zip(&prepared.made).zip(names) {
        match body(scene, (item, name), made, prepared) {
            Ok(spec) => parts.bodies.push(spec),
            Err((path, problem)) => drop(scene.error(diagnostics, &path, problem)),
        }
    }
    forces::add(scene, prepared, &mut parts, diagnostics);
    fluids::add(scene, prepared, &mut parts, diagnostics);
    servo::add(scene, prepared, &mut parts, diagnostics);
    parts.detection = prepared.detection;
    if parts.bodies.len() == prepared.items.len() {
        cell::add(scene, prepared, &mut parts, diagnostics);
    }
    if diagnostics.has_errors() {
        return None;
    }
    parts.time = scene.standing.as_ref().map_or(0.0, |s| s.time);
    parts.interactions = prepared.laws.clone();
    match RigidModel::new(parts) {
        Ok(model) => Some(model),
        Err(e) => {
            scene.error(diagnostics, &Path::default(), Problem::Model { message: e.to_string() });
            None
        }
    }
}

fn gravity<const D: usize>(scene: &Scene) -> Result<Vector<D>, Problem> {
    match &scene.description.gravity {
        Some(values) => vector("gravity", values),
        None => Ok(Vector::from_fn(|k, _| if k + 1 == D { -9.81 } else { 0.0 })),
    }
}

type Placed<T> = Result<T, (Path, Problem)>;

fn body<const D: usize>(
    scene: &Scene,
    (item, name): (&Item, Arc<str>),
    made: &Made<D>,
    prepared: &Prepared<D>,
) -> Placed<BodySpec<D>>
where
    Dim<D>: Shapes<D> + Turns<D> + Kinematics<D>,
{
    let says = &item.body;
    let at = |key: &str| item.path.at(key);
    let mut spec = BodySpec::<D>::new(name, Kind::Fixed).posed(made.pose.pose());
    spec.shapes = made
        .pieces
        .iter()
        .map(|p| ShapeSpec {
            shape: p.shape.clone(),
            offset: p.offset.clone(),
            material: p.material,
            group: made.group,
        })
        .collect();
    spec.velocity = vector_or_zero("velocity", says.velocity.as_ref()).map_err(|p| (at("velocity"), p))?;
    spec.spin = <Dim<D> as Turns<D>>::spin(says.spin.as_ref()).map_err(|p| (at("spin"), p))?.into();
    if item.cell {
        return Ok(spec);
    }
    spec.kind = match (item.role, &says.motion) {
        (Role::Fixed, _) => Kind::Fixed,
        (Role::Moved, Some(described)) => {
            let motion = motion(described, scene, made.since).map_err(|p| (at("motion"), p))?;
            Kind::Imposed(Box::new(motion))
        }
        _ => mass(&spec, says, made, prepared).map_err(|(key, p)| (at(key), p))?,
    };
    if !item.touches() {
        if let Kind::Homogeneous { .. } = spec.kind {
            spec.kind = Kind::Dynamic(weighed(&spec).map_err(|p| (at("shape"), p))?);
        }
        spec.shapes.clear();
    }
    if item.present && item.role != Role::Free && (says.velocity.is_some() || says.spin.is_some()) {
        let what = format!("`{}` does not move freely: `velocity` and `spin` have no meaning", item.name);
        return Err((at("velocity"), Problem::Inconsistent { what }));
    }
    Ok(spec)
}

/// From `mass` and `inertia`, from `mass` and the shape, or from the density and the shape.
fn mass<const D: usize>(
    spec: &BodySpec<D>,
    says: &Body,
    made: &Made<D>,
    prepared: &Prepared<D>,
) -> Result<Kind<D>, (&'static str, Problem)>
where
    Dim<D>: Kinematics<D>,
{
    let point = matches!(says.shape, Some(Shape::Point {}));
    let name = &spec.name;
    match (says.mass, &says.inertia) {
        (None, Some(_)) => Err((
            "inertia",
            Problem::MissingKey { parent: format!("body `{name}` with `inertia`"), key: "mass".into() },
        )),
        (None, None) if point => {
            Err(("shape", Problem::MissingKey { parent: format!("the point `{name}`"), key: "mass".into() }))
        }
        (Some(mass), None) if point => Ok(Kind::Dynamic(Mass::point(mass))),
        (Some(mass), Some(inertia)) => {
            let moments = moments::<D>(inertia).map_err(|p| ("inertia", p))?;
            Ok(Kind::Dynamic(Mass::principal(mass, moments)))
        }
        (Some(mass), None) => {
            let unit = BodySpec { kind: Kind::Homogeneous { density: 1.0 }, ..spec.clone() };
            let unit = weighed(&unit).map_err(|p| ("shape", p))?;
            Ok(Kind::Homogeneous { density: mass / unit.mass })
        }
        (None, None) => {
            let density = |k: usize| prepared.materials.items[usize::from(made.pieces[k].material)].density;
            if (1..made.pieces.len()).any(|k| density(k) != density(0)) {
                let what = format!("the parts of `{name}` have different densities: give its `mass` and `inertia`");
                return Err(("parts", Problem::Inconsistent { what }));
            }
            Ok(Kind::Homogeneous { density: density(0) })
        }
    }
}

/// Mass, centre and inertia of a homogeneous body, in its own axes.
pub(super) fn weighed<const D: usize>(spec: &BodySpec<D>) -> Result<Mass<D>, Problem>
where
    Dim<D>: Kinematics<D>,
{
    let mut alone = ModelParts::<D>::new(Vector::zeros());
    alone.bodies.push(spec.clone());
    let model = RigidModel::new(alone).map_err(|e| Problem::Model { message: e.to_string() })?;
    let body = &model.bodies()[0];
    let inertia = if D == 2 {
        Matrix3::from_diagonal_element(body.inertia[0])
    } else {
        let rotation = body.frame.rotation();
        let axes = Matrix3::from_fn(|i, j| rotation[(i, j)]);
        axes * Matrix3::from_diagonal(&body.inertia.into()) * axes.transpose()
    };
    Ok(Mass { mass: body.mass, centre: body.frame.position, inertia })
}

fn moments<const D: usize>(inertia: &Inertia) -> Result<[f64; 3], Problem> {
    let expected = if D == 2 { "a number in the plane" } else { "three principal moments in space" };
    let values = match inertia {
        Inertia::Plane(value) if D == 2 => [*value; 3],
        Inertia::Space(values) if D == 3 && values.len() == 3 => [values[0], values[1], values[2]],
        _ => {
            let found = "another form".to_owned();
            return Err(Problem::WrongType { key: "inertia".into(), expected: expected.into(), found });
        }
    };
    match values.iter().find(|m| !(**m > 0.0 && m.is_finite())) {
        Some(value) => {
            Err(Problem::OutOfRange { key: "inertia".into(), value: *value, bound: "finite and greater than 0".into() })
        }
        None => Ok(values),
    }
}

fn motion<const D: usize>(described: &Described, scene: &Scene, since: Option<f64>) -> Result<Motion<D>, Problem>
where
    Dim<D>: Turns<D>,
{
    let mut motion = Motion::<D> { since, ..Motion::rest() };
    let expression = |formula: &Formula| expression_of(formula, &scene.parameters.clone().at_start(since));
    match described {
        Described::Constant { velocity, spin } => {
            let velocity: Vector<D> = vector_or_zero("velocity", velocity.as_ref())?;
            motion.translation = std::array::from_fn(|k| Profile::Velocity(velocity[k]));
            let (axis, rate) = axis_of(<Dim<D> as Turns<D>>::spin(spin.as_ref())?.into());
            (motion.axis, motion.rotation) = (axis, Profile::Velocity(rate));
        }
        Described::Harmonic { amplitude, angle, frequency, phase } => {
            let amplitude: Vector<D> = vector_or_zero("amplitude", amplitude.as_ref())?;
            let harmonic = |amplitude| Profile::Harmonic { amplitude, frequency: *frequency, phase: *phase };
            motion.translation = std::array::from_fn(|k| harmonic(amplitude[k]));
            let (axis, angle) = axis_of(<Dim<D> as Turns<D>>::spin(angle.as_ref())?.into());
            (motion.axis, motion.rotation) = (axis, harmonic(angle));
        }
        Described::Table { time, position, angle, axis } => table(&mut motion, time, (position, angle, axis))?,
        Described::Expression { position, angle, axis } => {
            if let Some(position) = position {
                if position.len() != D {
                    let expected = format!("{D} items in a scene of dimension {D}");
                    return Err(Problem::WrongLength { key: "position".into(), expected, found: position.len() });
                }
                for (profile, formula) in motion.translation.iter_mut().zip(position) {
                    *profile = expression(formula)?;
                }
            }
            if let Some(angle) = angle {
                motion.rotation = expression(angle)?;
            }
            set_axis(&mut motion, axis.as_ref())?;
        }
    }
    Ok(motion)
}

/// A vector as axis and length.
fn axis_of(v: [f64; 3]) -> ([f64; 3], f64) {
    let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    match (v[0] == 0.0 && v[1] == 0.0, length > 0.0) {
        // About z the sign is kept: the plane has no other axis.
        (true, _) => ([0.0, 0.0, 1.0], v[2]),
        _ => (v.map(|x| x / length), length),
    }
}

fn set_axis<const D: usize>(motion: &mut Motion<D>, axis: Option<&Vec<f64>>) -> Result<(), Problem> {
    if let Some(values) = axis {
        let axis: Vector<3> = vector("axis", values)?;
        if !(axis.norm() > 0.0) {
            return Err(Problem::Inconsistent { what: "the `axis` of a rotation must not be zero".to_owned() });
        }
        motion.axis = axis.normalize().into();
    }
    Ok(())
}

type Columns<'a> = (&'a Option<Vec<Vec<f64>>>, &'a Option<Vec<f64>>, &'a Option<Vec<f64>>);

fn table<const D: usize>(
    motion: &mut Motion<D>,
    time: &[f64],
    (position, angle, axis): Columns<'_>,
) -> Result<(), Problem> {
    let same = |key: &str, found: usize| {
        let expected = format!("{} items, one for each time", time.len());
        if found == time.len() { Ok(()) } else { Err(Problem::WrongLength { key: key.into(), expected, found }) }
    };
    if let Some(w) = time.windows(2).find(|w| !(w[0] < w[1])) {
        let what = format!("the times of a table must increase: {} is followed by {}", w[0], w[1]);
        return Err(Problem::Inconsistent { what });
    }
    if let Some(rows) = position {
        same("position", rows.len())?;
        let rows: Vec<Vector<D>> = rows.iter().map(|r| vector("position", r)).collect::<Result<_, _>>()?;
        let column = |k: usize| rows.iter().map(|r| r[k]).collect();
        motion.translation = std::array::from_fn(|k| Profile::Table { times: time.to_vec(), values: column(k) });
    }
    if let Some(values) = angle {
        same("angle", values.len())?;
        motion.rotation = Profile::Table { times: time.to_vec(), values: values.clone() };
    }
    set_axis(motion, axis.as_ref())
}

/// A formula of t, finite at the start.
pub(crate) fn expression(formula: &Formula, scene: &Scene) -> Result<Profile, Problem> {
    expression_of(formula, &scene.parameters)
}

fn expression_of(formula: &Formula, parameters: &Parameters) -> Result<Profile, Problem> {
    let text = formula.text();
    let expression = parameters.expression(&text, &["t"])?;
    let value = expression.value(&[0.0]);
    if !value.is_finite() {
        return Err(Problem::ExpressionValue { text, value, at: "at t = 0".to_owned() });
    }
    Ok(Profile::Expression(expression))
}
