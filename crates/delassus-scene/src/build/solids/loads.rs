//! Supports, loads, springs, masses.

use super::super::forces::{Fault, each};
use super::parts::{Made, index};
use super::{inconsistent, places};
use crate::description::{self as says, Formula, Places};
use crate::diagnostic::{Diagnostics, Problem};
use crate::scene::Scene;
use crate::tree::Path;
use delassus_fem::model::{Discrete, DiscreteKind, Fluid, Load, LoadKind, Support};
use delassus_fem::{Function, Model};

/// Adds the imposed displacements.
pub(crate) fn supports(scene: &Scene, made: &mut Made, diagnostics: &mut Diagnostics) {
    for (path, name, support) in each("support", &scene.description.support) {
        if let Err((key, problem)) = self::support(scene, &mut made.model, &name, support) {
            places::suggest(&made.model, scene.error(diagnostics, &path.at(key), problem));
        }
    }
}

/// Adds what acts on the solids.
pub(crate) fn add(scene: &Scene, made: &mut Made, diagnostics: &mut Diagnostics) {
    supports(scene, made, diagnostics);
    let description = &scene.description;
    let model = &mut made.model;
    let mut judge = |path: &Path, result: Result<(), Fault>, model: &Model| {
        if let Err((key, problem)) = result {
            places::suggest(model, scene.error(diagnostics, &path.at(key), problem));
        }
    };
    // What names bodies is theirs, where there are any.
    let bodies = scene.has_bodies();
    for (path, name, load) in each("load", &description.load).filter(|x| !(bodies && x.2.on.is_none())) {
        let result = self::load(scene, model, &name, load);
        judge(&path, result, model);
    }
    for (path, _, spring) in each("spring", &description.spring).filter(|x| !(bodies && x.2.on.is_none())) {
        let result = self::spring(model, spring);
        judge(&path, result, model);
    }
    for (path, name, fluid) in each("fluid", &description.fluid).filter(|x| !(bodies && x.2.on.is_none())) {
        let result = self::fluid(model, &name, fluid);
        judge(&path, result, model);
    }
    for (path, _, mass) in each("mass", &description.mass) {
        let result = self::mass(model, mass);
        judge(&path, result, model);
    }
}

/// A function of time, finite at the start.
fn function(scene: &Scene, formula: &Formula) -> Result<Function, Problem> {
    let text = match formula {
        Formula::Number(value) => return Ok(Function::Constant(*value)),
        Formula::Text(text) => text,
    };
    let expression = scene.parameters.expression(text, &["t"])?;
    for (t, at) in [(0.0, "at t = 0"), (scene.description.time.end, "at the end")] {
        let value = expression.value(&[t]);
        if !value.is_finite() {
            return Err(Problem::ExpressionValue { text: text.clone(), value, at: at.to_owned() });
        }
    }
    Ok(Function::Expression(expression))
}

/// One function for each of `count` axes.
pub(super) fn functions(
    scene: &Scene,
    key: &'static str,
    formulas: &[Formula],
    count: usize,
) -> Result<Vec<Function>, Fault> {
    if formulas.len() != count {
        let dim = scene.description.dimension.number();
        let expected = format!("{count} items in a scene of dimension {dim}");
        return Err((key, Problem::WrongLength { key: key.into(), expected, found: formulas.len() }));
    }
    formulas.iter().map(|f| function(scene, f).map_err(|p| (key, p))).collect()
}

fn support(scene: &Scene, model: &mut Model, name: &str, support: &says::Support) -> Result<(), Fault> {
    let nodes = places::nodes(model, "on", support.on.iter())?;
    let dim = model.dim;
    let moves = [("x", &support.x), ("y", &support.y), ("z", &support.z)];
    let turns =
        [("rotation_x", &support.rotation_x), ("rotation_y", &support.rotation_y), ("rotation_z", &support.rotation_z)];
    let mut held = vec![];
    for (k, (key, formula)) in moves.into_iter().enumerate() {
        let Some(formula) = formula else { continue };
        if k >= dim {
            return Err((key, inconsistent("there is no axis z in the plane")));
        }
        held.push((key, formula, nodes.iter().map(|n| (dim * *n as usize + k) as u32).collect::<Vec<_>>()));
    }
    for (k, (key, formula)) in turns.into_iter().enumerate() {
        let Some(formula) = formula else { continue };
        if dim == 2 {
            return Err((key, inconsistent(format!("`{key}` is for space; in the plane it is `rotation`"))));
        }
        held.push((key, formula, places::rotations(model, key, &nodes, k)?));
    }
    if let Some(formula) = &support.rotation {
        for k in 0..turned(dim) {
            held.push(("rotation", formula, places::rotations(model, "rotation", &nodes, k)?));
        }
    }
    if held.is_empty() {
        let what = format!("the support `{name}` holds nothing: give x, y or z, as x = 0, for beams `rotation` too");
        return Err(("on", inconsistent(what)));
    }
    for (key, formula, mut dofs) in held {
        let value = function(scene, formula).map_err(|p| (key, p))?;
        dofs.sort_unstable();
        // Nodes that two faces share: both may say the same.
        for other in &model.supports {
            let shared = |d: &u32| other.dofs.binary_search(d).is_ok();
            if other.value == value {
                dofs.retain(|d| !shared(d));
            } else if dofs.iter().any(shared) {
                let what = format!(
                    "the support `{name}` holds {key} of a node that another support holds too, with another value: \
                     give both the same, or groups without common nodes"
                );
                return Err((key, inconsistent(what)));
            }
        }
        model.supports.push(Support { dofs, value });
    }
    Ok(())
}

/// Rotations of a node of a beam.
fn turned(dim: usize) -> usize {
    if dim == 2 { 1 } else { 3 }
}

fn on<'a>(parent: &str, on: Option<&'a Places>, rigid: Option<&str>) -> Result<&'a Places, Fault> {
    match (on, rigid) {
        (_, Some("body")) => {
            Err(("body", inconsistent("`body` is for rigid bodies; here it is `on = \"solid/group\"`")))
        }
        (_, Some(_)) => {
            Err(("bodies", inconsistent("`bodies` is for rigid bodies; here it is `on = \"solid/group\"`")))
        }
        (Some(on), None) => Ok(on),
        (None, None) => Err(("on", Problem::MissingKey { parent: parent.into(), key: "on".into() })),
    }
}

fn load(scene: &Scene, model: &mut Model, name: &str, load: &says::Load) -> Result<(), Fault> {
    let on = on(&format!("load.{name}"), load.on.as_ref(), load.body.as_ref().map(|_| "body"))?;
    let dim = model.dim;
    let mut loads = match &load.torque {
        Some(torque) => torques(scene, model, on, torque)?,
        None => vec![],
    };
    match (&load.force, &load.traction, &load.pressure) {
        (Some(force), None, None) => {
            let nodes = places::nodes(model, "on", on.iter())?;
            let share = 1.0 / nodes.len().max(1) as f64;
            for (k, factor) in functions(scene, "force", force, dim)?.into_iter().enumerate() {
                let forces = nodes.iter().map(|n| ((dim * *n as usize + k) as u32, share)).collect();
                loads.push(Load { kind: LoadKind::Forces(forces), factor });
            }
        }
        (None, Some(traction), None) => {
            let factors = functions(scene, "traction", traction, dim)?;
            for text in on.iter() {
                let at = places::place(model, "on", text)?;
                for (k, factor) in factors.iter().enumerate() {
                    let mut direction = [0.0; 3];
                    direction[k] = 1.0;
                    let kind = model.traction(at.part, at.group, direction);
                    let kind = kind.map_err(|e| ("on", Problem::Model { message: e.to_string() }))?;
                    loads.push(Load { kind, factor: factor.clone() });
                }
            }
        }
        (None, None, Some(pressure)) => {
            let factor = function(scene, pressure).map_err(|p| ("pressure", p))?;
            for text in on.iter() {
                let at = places::place(model, "on", text)?;
                let facets = model.facets(at.part, at.group);
                let facets = facets.map_err(|e| ("on", Problem::Model { message: e.to_string() }))?;
                let kind = LoadKind::Pressure { part: at.part, facets, pressure: 1.0 };
                loads.push(Load { kind, factor: factor.clone() });
            }
        }
        (None, None, None) if load.torque.is_some() => {}
        (None, None, None) => {
            let what = format!("the load `{name}` needs `force`, `traction` or `pressure`");
            return Err(("on", inconsistent(what)));
        }
        _ => {
            let what = format!("the load `{name}` has one of `force`, `traction` and `pressure`, not several");
            return Err(("on", inconsistent(what)));
        }
    }
    model.loads.extend(loads);
    Ok(())
}

/// A torque on nodes of beams, which share it.
fn torques(scene: &Scene, model: &Model, on: &Places, torque: &[Formula]) -> Result<Vec<Load>, Fault> {
    let nodes = places::nodes(model, "on", on.iter())?;
    let share = 1.0 / nodes.len().max(1) as f64;
    let mut loads = vec![];
    for (k, factor) in functions(scene, "torque", torque, turned(model.dim))?.into_iter().enumerate() {
        let dofs = places::rotations(model, "torque", &nodes, k)?;
        let kind = LoadKind::Forces(dofs.into_iter().map(|dof| (dof, share)).collect());
        loads.push(Load { kind, factor });
    }
    Ok(loads)
}

fn spring(model: &mut Model, spring: &says::Spring) -> Result<(), Fault> {
    let on = on("spring", spring.on.as_ref(), spring.bodies.as_ref().map(|_| "bodies"))?;
    for (key, given) in [("from", spring.from.is_some()), ("to", spring.to.is_some()), ("implicit", spring.implicit)] {
        if given {
            return Err((key, inconsistent(format!("`{key}` is for springs between rigid bodies"))));
        }
    }
    let Some(axis) = spring.axis else {
        return Err(("on", Problem::MissingKey { parent: "a spring on solids".into(), key: "axis".into() }));
    };
    let k = index(axis, model.dim).map_err(|p| ("axis", p))?;
    let dof = |node: u32| (model.dim * node as usize + k) as u32;
    let ends: Vec<&str> = on.iter().collect();
    let (first, second) = match ends.as_slice() {
        [one] => (places::nodes(model, "on", std::iter::once(*one))?, None),
        [one, two] => {
            let first = places::nodes(model, "on", std::iter::once(*one))?;
            let second = places::nodes(model, "on", std::iter::once(*two))?;
            if first.len() != second.len() {
                let what =
                    format!("`{one}` has {} nodes, `{two}` {}: a spring joins as many", first.len(), second.len());
                return Err(("on", inconsistent(what)));
            }
            (first, Some(second))
        }
        other => {
            let found = other.len();
            return Err(("on", Problem::WrongLength { key: "on".into(), expected: "1 to 2 items".into(), found }));
        }
    };
    if !(spring.stiffness > 0.0 || spring.damping > 0.0) {
        return Err(("on", inconsistent("a spring needs `stiffness` or `damping`")));
    }
    let share = 1.0 / first.len().max(1) as f64;
    let mut all = vec![];
    for (i, node) in first.iter().enumerate() {
        let (a, b) = (dof(*node), second.as_ref().map(|s| dof(s[i])));
        if spring.stiffness > 0.0 {
            let rest = spring.rest.unwrap_or(0.0);
            all.push(Discrete { kind: DiscreteKind::Spring { stiffness: share * spring.stiffness, rest }, a, b });
        }
        if spring.damping > 0.0 {
            all.push(Discrete { kind: DiscreteKind::Damper { coefficient: share * spring.damping }, a, b });
        }
    }
    model.discrete.extend(all);
    Ok(())
}

fn fluid(model: &mut Model, name: &str, says: &says::Fluid) -> Result<(), Fault> {
    let on = on("fluid", says.on.as_ref(), says.body.as_ref().map(|_| "body"))?;
    if says.density.is_some() {
        return Err(("density", inconsistent("`density` is for rigid bodies; here it is `buoyancy`")));
    }
    let nodes = places::nodes(model, "on", on.iter())?;
    let (drag, flow, buoyancy) = super::super::fluids::fluid(says, name, model.dim)?;
    for text in on.iter().filter(|_| says.added_mass > 0.0) {
        let whole = places::on_beam(model, "on", text)?.filter(|(b, nodes)| model.beams[*b].count == nodes.len());
        let Some((beam, _)) = whole else {
            let what =
                format!("`added_mass` is for whole beams, as \"beam/all\", and for rigid bodies: `{text}` is neither");
            return Err(("added_mass", inconsistent(what)));
        };
        model.add_mass(beam, says.added_mass).map_err(|e| ("added_mass", Problem::Model { message: e.to_string() }))?;
    }
    model.fluids.push(Fluid { nodes, drag, flow, buoyancy });
    Ok(())
}

fn mass(model: &mut Model, mass: &says::PointMass) -> Result<(), Fault> {
    let nodes = places::nodes(model, "on", std::iter::once(mass.on.as_str()))?;
    let share = mass.mass / nodes.len().max(1) as f64;
    let dim = model.dim;
    for node in nodes {
        let dofs = (0..dim).map(|k| (dim * node as usize + k) as u32);
        model.discrete.extend(dofs.map(|a| Discrete { kind: DiscreteKind::Mass { mass: share }, a, b: None }));
    }
    Ok(())
}
