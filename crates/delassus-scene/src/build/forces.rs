//! Joints, loads and springs, with the names of bodies resolved.

use super::bodies::Role;
use super::model::expression;
use super::place::vector;
use super::prepare::Prepared;
use crate::description::{self as says, Formula, JointKind as Kind, Named};
use crate::diagnostic::{Diagnostics, Problem};
use crate::scene::Scene;
use crate::tree::Path;
use delassus_contact::{Dim, Expression, Vector};
use delassus_rigid::{Joint, JointKind, Kinematics, Load, ModelParts, Profile, Spring, load_variables};
use std::collections::HashMap;

/// Adds what acts on the bodies.
pub(crate) fn add<const D: usize>(
    scene: &Scene,
    prepared: &Prepared<D>,
    parts: &mut ModelParts<D>,
    diagnostics: &mut Diagnostics,
) where
    Dim<D>: Kinematics<D>,
{
    let names = Names::new(prepared);
    let description = &scene.description;
    let there = |bodies: &[String]| names.there(bodies);
    for (path, name, joint) in each("joint", &description.joint).filter(|x| there(&x.2.bodies)) {
        match names.joint(scene, joint, name) {
            Ok(joint) => parts.joints.push(joint),
            Err(fault) => names.report(scene, &path, fault, diagnostics),
        }
    }
    // What is `on` a group of solids is theirs.
    let solids = scene.has_solids();
    let mine = |on: bool, bodies: &[String]| !(solids && on) && there(bodies);
    let loads = each("load", &description.load);
    for (path, _, load) in loads.filter(|x| mine(x.2.on.is_some(), x.2.body.as_slice())) {
        match names.load(scene, load) {
            Ok(load) => parts.loads.push(load),
            Err(fault) => names.report(scene, &path, fault, diagnostics),
        }
    }
    let springs = each("spring", &description.spring);
    for (path, name, spring) in springs.filter(|x| mine(x.2.on.is_some(), x.2.bodies.as_deref().unwrap_or_default())) {
        match names.spring(spring) {
            Ok(spring) => {
                if !spring.bodies.iter().flatten().any(|b| names.is_free(*b)) {
                    let what = format!("no end of `{name}` moves freely: it has no effect");
                    scene.warning(diagnostics, &path.at("bodies"), Problem::Inconsistent { what });
                }
                parts.springs.push(spring);
            }
            Err(fault) => names.report(scene, &path, fault, diagnostics),
        }
    }
}

/// Items with their path and name.
pub(crate) fn each<'a, T: Labelled>(key: &'a str, named: &'a Named<T>) -> impl Iterator<Item = (Path, String, &'a T)> {
    named.items.iter().enumerate().map(move |(i, (name, item))| {
        let step = name.clone().unwrap_or_else(|| i.to_string());
        let name = name.clone().or_else(|| item.label().cloned()).unwrap_or_else(|| format!("{key} {i}"));
        (Path::of(&[key]).at(step), name, item)
    })
}

/// What may carry its name inside.
pub(crate) trait Labelled {
    /// The name.
    fn label(&self) -> Option<&String>;
}

macro_rules! labelled {
    ($($kind:ty),*) => { $(impl Labelled for $kind {
        fn label(&self) -> Option<&String> {
            self.name.as_ref()
        }
    })* };
}
labelled!(says::Joint, says::Load, says::Spring, says::Fluid, says::Arlequin, says::Tie, says::Absorbing);
labelled!(says::When, says::Servo, says::Feeder, says::Sink);
labelled!(says::Mesh, says::Solid, says::Beam, says::Support, says::PointMass, says::ContactPair, says::Material);

/// A problem and the key it belongs to.
pub(super) type Fault = (&'static str, Problem);

/// Bodies by name.
pub(super) struct Names<'a, const D: usize>
where
    Dim<D>: Kinematics<D>,
{
    prepared: &'a Prepared<D>,
    index: HashMap<&'a str, u32>,
}

impl<'a, const D: usize> Names<'a, D>
where
    Dim<D>: Kinematics<D>,
{
    pub(super) fn new(prepared: &'a Prepared<D>) -> Self {
        let index = prepared.items.iter().enumerate().map(|(i, item)| (item.name.as_str(), i as u32)).collect();
        Self { prepared, index }
    }

    pub(super) fn report(&self, scene: &Scene, path: &Path, (key, problem): Fault, diagnostics: &mut Diagnostics) {
        let unknown = match &problem {
            Problem::UnknownName { name, .. } => Some(name.clone()),
            _ => None,
        };
        let diagnostic = scene.error(diagnostics, &path.at(key), problem);
        if let Some(name) = unknown {
            diagnostic.accepted(&name, self.prepared.items.iter().map(|i| i.name.as_str()));
        }
    }

    pub(super) fn body(&self, name: &str) -> Result<u32, Fault> {
        let found = self.index.get(name).copied();
        found.ok_or_else(|| ("body", Problem::UnknownName { kind: "body", name: name.to_owned() }))
    }

    /// Whether all of them are there; names that nobody has are told elsewhere.
    pub(super) fn there(&self, names: &[String]) -> bool {
        names.iter().all(|n| self.index.get(n.as_str()).is_none_or(|b| self.prepared.items[*b as usize].present))
    }

    /// Bodies by names or patterns, in the order of the scene.
    pub(super) fn several<'p>(&self, patterns: impl Iterator<Item = &'p str>) -> Result<Vec<u32>, Problem> {
        let mut all = vec![];
        for pattern in patterns {
            let meant = |item: &super::bodies::Item| crate::stages::matches(pattern, &item.name);
            let found = self.prepared.items.iter().enumerate().filter(|(_, i)| meant(i)).map(|(i, _)| i as u32);
            let before = all.len();
            all.extend(found);
            if all.len() == before {
                return Err(Problem::UnknownName { kind: "body", name: pattern.to_owned() });
            }
        }
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }

    /// Whether it obeys mechanics.
    pub(super) fn is_free(&self, body: u32) -> bool {
        self.prepared.items[body as usize].role == Role::Free
    }

    /// The name of a body.
    pub(super) fn name(&self, body: u32) -> &str {
        &self.prepared.items[body as usize].name
    }

    /// One body and the world, or two.
    fn pair(&self, names: &[String]) -> Result<[Option<u32>; 2], Fault> {
        let mut pair = [None; 2];
        for (slot, name) in pair.iter_mut().zip(names) {
            *slot = Some(self.body(name).map_err(|(_, p)| ("bodies", p))?);
        }
        if pair[0] == pair[1] {
            let what = format!("`{}` cannot be tied to itself", names[0]);
            return Err(("bodies", Problem::Inconsistent { what }));
        }
        Ok(pair)
    }

    fn origin(&self, body: Option<u32>) -> Option<Vector<D>> {
        body.map(|b| self.prepared.made[b as usize].pose.position)
    }

    fn joint(&self, scene: &Scene, joint: &says::Joint, name: String) -> Result<Joint<D>, Fault> {
        let bodies = self.pair(&joint.bodies)?;
        let given = |key: &'static str, values: &Option<Vec<f64>>| {
            values.as_ref().map(|v| vector::<D>(key, v)).transpose().map_err(|p| (key, p))
        };
        let distance = joint.kind == Kind::Distance;
        let anchor = match given("at", &joint.at)? {
            Some(at) => at,
            None if distance => self.origin(bodies[0]).unwrap_or_else(Vector::zeros),
            None => return Err(("kind", Problem::MissingKey { parent: name, key: "at".into() })),
        };
        let mut made = Joint::<D>::new(kind(joint.kind), bodies, anchor);
        if distance {
            made.second_anchor = match (given("to", &joint.to)?, self.origin(bodies[1])) {
                (Some(to), _) | (None, Some(to)) => to,
                (None, None) => return Err(("kind", Problem::MissingKey { parent: name, key: "to".into() })),
            };
        }
        let needs_axis = joint.kind == Kind::Slider || (D == 3 && joint.kind == Kind::Hinge);
        match given("axis", &joint.axis)? {
            Some(axis) if axis.norm() > 0.0 => made.axis = axis.normalize(),
            Some(_) => return Err(("axis", Problem::Inconsistent { what: "the axis must not be zero".into() })),
            None if needs_axis => return Err(("kind", Problem::MissingKey { parent: name, key: "axis".into() })),
            None => {}
        }
        if let Some(limits) = &joint.limits {
            made = made.limited(limits[0], limits[1]);
        }
        let profile = match (joint.speed, &joint.drive) {
            (Some(_), Some(_)) => {
                let what = "a motor has `speed` or `drive`, not both".to_owned();
                return Err(("speed", Problem::Inconsistent { what }));
            }
            (Some(speed), None) => Some(Profile::Velocity(speed)),
            (None, Some(drive)) => Some(expression(drive, scene).map_err(|p| ("drive", p))?),
            (None, None) => None,
        };
        let gains = [joint.stiffness, joint.damping];
        match profile {
            Some(profile) => made = made.driven(profile, joint.limit.unwrap_or(f64::INFINITY)),
            None if gains != [None; 2] => {
                let key = if joint.stiffness.is_some() { "stiffness" } else { "damping" };
                let what = format!("`{key}` is of a motor: give `drive`, an expression of t, or `speed`");
                return Err((key, Problem::Inconsistent { what }));
            }
            None => {}
        }
        if let Some(motor) = &mut made.motor {
            motor.gains = (gains != [None; 2]).then(|| gains.map(|g| g.unwrap_or(0.0)));
        }
        made.friction = joint.friction;
        made.name = name;
        Ok(made)
    }

    fn load(&self, scene: &Scene, load: &says::Load) -> Result<Load<D>, Fault> {
        let body = self.body(rigid("load", "body", load.body.as_ref(), load.on.is_some())?)?;
        if !self.is_free(body) {
            let what = format!("`{}` does not move freely: a load on it has no effect", self.name(body));
            return Err(("body", Problem::Inconsistent { what }));
        }
        if load.pressure.is_some() || load.traction.is_some() {
            let key = if load.pressure.is_some() { "pressure" } else { "traction" };
            return Err((
                key,
                Problem::Inconsistent { what: format!("`{key}` is for deformable solids, `on` a group") },
            ));
        }
        let parse = |key: &'static str, formulas: &Option<Vec<Formula>>, count: usize| {
            let Some(formulas) = formulas else { return Ok(Vec::new()) };
            if formulas.len() != count {
                let expected = format!("{count} items in a scene of dimension {D}");
                return Err((key, Problem::WrongLength { key: key.into(), expected, found: formulas.len() }));
            }
            formulas.iter().map(|f| self.force(scene, body, f).map_err(|p| (key, p))).collect()
        };
        let mut force: Vec<Expression> = parse("force", &load.force, D)?;
        let torque = parse("torque", &load.torque, if D == 2 { 1 } else { 3 })?;
        if force.is_empty() && torque.is_empty() {
            return Err(("body", Problem::MissingKey { parent: "load".into(), key: "force".into() }));
        }
        if force.is_empty() {
            let zero = Formula::Number(0.0);
            force =
                (0..D).map(|_| self.force(scene, body, &zero).map_err(|p| ("force", p))).collect::<Result<_, _>>()?;
        }
        Ok(Load { body, force, torque })
    }

    /// An expression of time, place and velocity, finite at the start.
    fn force(&self, scene: &Scene, body: u32, formula: &Formula) -> Result<Expression, Problem> {
        let text = formula.text();
        let variables = load_variables(D);
        let expression = scene.parameters.expression(&text, variables)?;
        let item = &self.prepared.items[body as usize].body;
        let mut values = vec![0.0; variables.len()];
        values[1..=D].copy_from_slice(self.prepared.made[body as usize].pose.position.as_slice());
        if let Some(velocity) = item.velocity.as_ref().filter(|v| v.len() == D) {
            values[1 + D..=2 * D].copy_from_slice(velocity);
        }
        let value = expression.value(&values);
        if value.is_finite() {
            return Ok(expression);
        }
        Err(Problem::ExpressionValue { text, value, at: "at t = 0".to_owned() })
    }

    fn spring(&self, spring: &says::Spring) -> Result<Spring<D>, Fault> {
        let bodies = self.pair(rigid("spring", "bodies", spring.bodies.as_ref(), spring.on.is_some())?)?;
        if spring.axis.is_some() {
            let what = "`axis` is for springs on deformable solids; rigid bodies have `from` and `to`".to_owned();
            return Err(("axis", Problem::Inconsistent { what }));
        }
        if let Some(rest) = spring.rest.filter(|rest| *rest < 0.0) {
            let problem = Problem::OutOfRange { key: "rest".into(), value: rest, bound: "at least 0".into() };
            return Err(("rest", problem));
        }
        let point = |key: &'static str, values: &Option<Vec<f64>>, body: Option<u32>| match values {
            Some(values) => vector::<D>(key, values).map_err(|p| (key, p)),
            None => {
                let missing = Problem::MissingKey { parent: "a spring tied to the world".into(), key: key.into() };
                self.origin(body).ok_or(("bodies", missing))
            }
        };
        let ends = [point("from", &spring.from, bodies[0])?, point("to", &spring.to, bodies[1])?];
        let local =
            |k: usize| bodies[k].map_or(ends[k], |b| self.prepared.made[b as usize].pose.pose().local(&ends[k]));
        Ok(Spring {
            bodies,
            anchors: [local(0), local(1)],
            stiffness: spring.stiffness,
            damping: spring.damping,
            rest_length: spring.rest.unwrap_or_else(|| (ends[0] - ends[1]).norm()),
            implicit: spring.implicit,
        })
    }
}

/// The key that names rigid bodies, where groups of deformable solids could stand too.
pub(super) fn rigid<'a, T>(parent: &str, key: &'static str, given: Option<&'a T>, on: bool) -> Result<&'a T, Fault> {
    match given {
        _ if on => {
            let what = format!("`on` is for deformable solids, and the scene has none; here it is `{key}`");
            Err(("on", Problem::Inconsistent { what }))
        }
        Some(given) => Ok(given),
        None => Err((key, Problem::MissingKey { parent: parent.into(), key: key.into() })),
    }
}

fn kind(kind: Kind) -> JointKind {
    match kind {
        Kind::Ball => JointKind::Ball,
        Kind::Hinge => JointKind::Hinge,
        Kind::Slider => JointKind::Slider,
        Kind::Fixed => JointKind::Fixed,
        Kind::Distance => JointKind::Distance,
    }
}
