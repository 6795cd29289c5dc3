//! Superposed models and tied surfaces.

use super::super::forces::{Fault, each};
use super::parts::Made;
use super::patch::{self, Superposed};
use super::{inconsistent, places, report, spatial};
use crate::description::{self as says, Formula, GlueName, MediatorName, Operation, ProductName, WeightName};
use crate::diagnostic::{Diagnostics, Problem};
use crate::scene::Scene;
use crate::tree::Path;
use delassus_arlequin::{self as arlequin, Condition, Error, Mediator, Product, Profile, Superposition, Zone};
use delassus_contact::Expression;
use delassus_fem::Model;
use delassus_fem::mesh::Mesh;
use delassus_fem::model::{Glued, Tie, TieRow};
use std::collections::BTreeMap;

/// Coarse cells by which models are glued where nothing is said.
const DEPTH: f64 = 2.0;
/// What is left to the weaker model at the ends of a ramp.
const FLOOR: f64 = 1e-3;
/// Share of the fine mesh that makes it lie inside the coarse one.
const INSIDE: f64 = 1.0 - 1e-6;

/// Takes from the coarse meshes what fine ones take the place of.
pub(super) fn substitute<const D: usize>(
    scene: &Scene,
    meshes: &mut BTreeMap<String, Mesh>,
    diagnostics: &mut Diagnostics,
) {
    for (path, _, says) in each("arlequin", &scene.description.arlequin) {
        let (Some(coarse), Some(fine)) = (meshes.get(&says.coarse), meshes.get(&says.fine)) else { continue };
        match remainder::<D>(says, coarse, fine) {
            Ok(Some(rest)) => drop(meshes.insert(says.coarse.clone(), rest)),
            Ok(None) => {}
            Err(fault) => report(scene, &path, fault, diagnostics),
        }
    }
}

/// What is left of the coarse mesh; none where it stays as it is.
fn remainder<const D: usize>(says: &says::Arlequin, coarse: &Mesh, fine: &Mesh) -> Result<Option<Mesh>, Fault> {
    let cover = arlequin::Cover::<D>::new(coarse, fine).map_err(refused)?;
    let inside = cover.covered >= INSIDE;
    match says.operation {
        Some(Operation::Zoom | Operation::Substitution) if !inside => {
            let what = format!(
                "the coarse model covers {:.1} % of the fine one, which must lie inside it: move or shorten it, or take \
                 operation = \"junction\"",
                100.0 * cover.covered
            );
            return Err(("fine", inconsistent(what)));
        }
        Some(Operation::Zoom | Operation::Junction) => return Ok(None),
        None if !inside => return Ok(None),
        _ => {}
    }
    let depth = says.depth.unwrap_or(DEPTH * cover.size);
    let rest = cover.beyond(depth);
    if rest.iter().all(|kept| *kept) {
        return Ok(None);
    }
    let mesh = coarse.only(&rest).map_err(|e| ("coarse", inconsistent(e.to_string())))?;
    if mesh.volume_cells().next().is_none() {
        return Err((
            "fine",
            inconsistent("the fine model covers the whole coarse one: nothing is left to glue it to"),
        ));
    }
    Ok(Some(mesh))
}

/// A superposition that was made, where it is written and its place among the ties.
pub(super) struct Told {
    path: Path,
    how: Superposition,
    made: arlequin::Made,
    tie: usize,
}

/// Superposes and ties the parts.
pub(super) fn add<const D: usize>(scene: &Scene, made: &mut Made, diagnostics: &mut Diagnostics) -> Vec<Told> {
    let mut all = vec![];
    for (path, name, says) in each("arlequin", &scene.description.arlequin) {
        match superpose::<D>(scene, says, &name, made) {
            Ok((how, done, notes)) => {
                for note in notes {
                    scene.warning(diagnostics, &path, inconsistent(note));
                }
                all.push(Told { path, how, made: done, tie: made.model.ties.len() - 1 });
            }
            Err(fault) => report(scene, &path, fault, diagnostics),
        }
    }
    for (path, name, says) in each("tie", &scene.description.tie) {
        match tie(says, &name, &made.model) {
            Ok(tie) => made.model.ties.push(tie),
            Err((key, problem)) => places::suggest(&made.model, scene.error(diagnostics, &path.at(key), problem)),
        }
    }
    all
}

/// What there is to say of them once supports are known; what deserves attention becomes a warning.
pub(super) fn tell(scene: &Scene, model: &Model, all: &[Told], diagnostics: &mut Diagnostics) -> Vec<String> {
    let mut held: Vec<u32> = model.supports.iter().flat_map(|s| s.dofs.iter().copied()).collect();
    held.sort_unstable();
    let held = |dof: u32| held.binary_search(&dof).is_ok();
    let tell = |s: &Told| {
        // Supports hold what multipliers of their nodes would.
        let rows = model.ties[s.tie].rows.iter().filter(|r| !r.place.is_some_and(held));
        let rows: Vec<Vec<(u32, f64)>> = rows.map(|r| r.terms.clone()).collect();
        let mut report = s.how.report(&s.made, Some(Condition::new(&rows, &held)));
        // Sections of a beam carry no more than their own motions.
        if s.how.coarse >= model.parts.len() {
            report.warnings.retain(|w| !matches!(w, arlequin::Warning::Patch));
        }
        for warning in std::mem::take(&mut report.warnings) {
            scene.warning(diagnostics, &s.path, inconsistent(warning.to_string()));
        }
        report.to_string()
    };
    all.iter().map(tell).collect()
}

/// Adds a superposition; what it is made of, and what is worth a warning.
fn superpose<const D: usize>(
    scene: &Scene,
    says: &says::Arlequin,
    name: &str,
    made: &mut Made,
) -> Result<(Superposition, arlequin::Made, Vec<String>), Fault> {
    let find = |key: &'static str, name: &str| {
        let owners = made.model.parts.iter().map(|p| &p.name).chain(made.model.beams.iter().map(|b| &b.name));
        let found = owners.into_iter().position(|n| n == name);
        found.ok_or_else(|| (key, Problem::UnknownName { kind: "solid or beam", name: name.to_owned() }))
    };
    let (coarse, fine) = (find("coarse", &says.coarse)?, find("fine", &says.fine)?);
    if coarse == fine {
        return Err(("fine", inconsistent("a model cannot be superposed on itself")));
    }
    // Shares add up to one where one patch lies over the coarse model, not where two do side by side.
    for (_, other, before) in each("arlequin", &scene.description.arlequin).take_while(|e| e.1 != name) {
        let twin = (before.coarse == says.coarse).then(|| find("fine", &before.fine).ok()).flatten();
        let meshes = [twin, Some(fine)].map(|p| p.and_then(|p| made.model.parts.get(p)).map(|p| &p.mesh));
        if let [Some(a), Some(b)] = meshes
            && arlequin::Cover::<D>::new(a, b).is_ok_and(|cover| cover.covered > 1e-9)
        {
            let what = format!(
                "`{}` and `{}` of `{other}` lie over each other on `{}`: move them apart, or superpose the one on the other",
                says.fine, before.fine, says.coarse
            );
            return Err(("fine", inconsistent(what)));
        }
    }
    let parts = &made.model.parts;
    // Beams have no zone of their own: what lies over them is glued all over.
    let (inside, size) = match (parts.get(coarse), parts.get(fine)) {
        (Some(over), Some(under)) => {
            let cover = arlequin::Cover::<D>::new(&over.mesh, &under.mesh).map_err(refused)?;
            (cover.covered >= INSIDE, cover.size)
        }
        _ => (false, arlequin::mean_length(&made.model, coarse)),
    };
    let near = says.depth.or(inside.then_some(DEPTH * size));
    let zone = match &says.zone {
        Some(corners) => Zone::Box { lower: spatial("zone", &corners[0], D)?, upper: spatial("zone", &corners[1], D)? },
        None => near.map_or(Zone::Overlap, Zone::Border),
    };
    let each = match says.weights {
        says::Weights::All(w) => says::EachWeight { inertia: w, strain: w, load: w },
        says::Weights::Each(each) => each,
    };
    let profile = |w: WeightName| match w {
        WeightName::Constant => Profile::Constant(says.coarse_share.unwrap_or(0.5)),
        WeightName::Linear => Profile::Linear { floor: says.coarse_share.unwrap_or(FLOOR) },
        WeightName::Cubic => Profile::Cubic { floor: says.coarse_share.unwrap_or(FLOOR) },
    };
    let superposition = Superposition {
        name: name.to_owned(),
        coarse,
        fine,
        weights: arlequin::Weights {
            inertia: profile(each.inertia),
            strain: profile(each.strain),
            load: profile(each.load),
        },
        width: near,
        zone,
        mediator: match says.mediator {
            Some(MediatorName::Coarse) => Mediator::Coarse,
            Some(MediatorName::Fine) => Mediator::Fine,
            // Around a beam sections may change their shape.
            None if coarse >= parts.len() && fine < parts.len() => Mediator::Coarse,
            None => Mediator::Fine,
        },
        product: match (says.product, says.length) {
            (ProductName::L2, None) => Product::L2,
            (ProductName::L2, Some(_)) => return Err(("length", inconsistent("`length` is for product = \"h1\""))),
            (ProductName::H1, length) => Product::H1 { length: length.unwrap_or(size) },
        },
        glued: match says.glue {
            GlueName::Velocity => Glued::Velocities,
            GlueName::Displacement => Glued::Displacements,
        },
    };
    let patch = patch::patch::<D>(scene, says, (&superposition, inside, size), made)?;
    let hangs = patch.as_ref().is_some_and(|p| p.appear.is_some());
    let hanging = superposition.hanging(FLOOR);
    let tie = made.model.ties.len();
    let done = if hangs { &hanging } else { &superposition }.apply::<D>(&mut made.model).map_err(refused)?;
    let notes = patch.as_ref().map_or_else(Vec::new, |p| p.notes(&superposition, &made.model));
    made.patches.extend(patch);
    made.superposed.push(Superposed { hanging, superposition: superposition.clone(), tie });
    Ok((superposition, done, notes))
}

/// The key at which a refusal is shown.
fn refused(error: Error) -> Fault {
    let key = match &error {
        Error::Value { name: "length", .. } => "length",
        Error::Value { .. } => "coarse_share",
        Error::NoRamp(_) => "weights",
        _ => "fine",
    };
    (key, inconsistent(error.to_string()))
}

/// Rows that keep nodes at their places on a surface.
fn tie(says: &says::Tie, name: &str, model: &Model) -> Result<Tie, Fault> {
    let dim = model.dim;
    let (nodes, to) = (places::place(model, "nodes", &says.nodes)?, places::place(model, "to", &says.to)?);
    if nodes.part == to.part {
        return Err(("to", inconsistent("a solid is whole already: tie it to another")));
    }
    let refuse = |key: &'static str| move |e: delassus_fem::model::ModelError| (key, inconsistent(e.to_string()));
    let tied = model.group_nodes(nodes.part, nodes.group).map_err(refuse("nodes"))?;
    let part = &model.parts[to.part];
    let surface = part.mesh.group(to.group).map_err(|e| ("to", inconsistent(e.to_string())))?;
    let positions = model.positions();
    let mut rows = vec![];
    for node in tied {
        let mut x = [0.0; 3];
        x[..dim].copy_from_slice(&positions[dim * node as usize..][..dim]);
        let Some(shares) = arlequin::on_surface(&part.mesh, &surface.cells, x) else {
            let what = format!("node {x:?} of `{}` does not lie on `{}`", says.nodes, says.to);
            return Err(("to", inconsistent(what)));
        };
        for k in 0..dim {
            let dof = |n: u32| (dim * n as usize + k) as u32;
            let mut terms = vec![(dof(node), 1.0)];
            terms.extend(shares.iter().map(|(n, c)| (dof(*n + part.first as u32), -c)));
            rows.push(TieRow { terms, place: Some(dof(node)) });
        }
    }
    Ok(Tie { name: name.to_owned(), rows, glued: Glued::Velocities })
}

/// Disturbs the start of the nodes from `first` on.
pub(super) fn start(scene: &Scene, model: &mut Model, first: usize, says: Option<&says::Start>) -> Result<(), Fault> {
    let Some(says) = says else { return Ok(()) };
    let (dim, nodes) = (model.dim, first..model.nodes());
    let variables = &["x", "y", "z"][..dim];
    let read = |key: &'static str, formulas: &Option<Vec<Formula>>| {
        let Some(formulas) = formulas else { return Ok(vec![]) };
        if formulas.len() != dim {
            let expected = format!("{dim} items in a scene of dimension {dim}");
            return Err((key, Problem::WrongLength { key: key.into(), expected, found: formulas.len() }));
        }
        formulas.iter().map(|f| scene.parameters.expression(&f.text(), variables).map_err(|p| (key, p))).collect()
    };
    let all = [read("start", &says.displacement)?, read("start", &says.velocity)?];
    let mut bad = None;
    let value =
        |x: [f64; 3]| all.each_ref().map(|of| std::array::from_fn(|k| of.get(k).map_or(0.0, |e| e.value(&x[..dim]))));
    let positions = model.positions();
    for node in nodes.clone() {
        let mut x = [0.0; 3];
        x[..dim].copy_from_slice(&positions[dim * node..][..dim]);
        if value(x).iter().flatten().any(|v: &f64| !v.is_finite()) {
            bad = Some(x);
        }
    }
    if let Some(x) = bad {
        return Err(("start", inconsistent(format!("a formula has no finite value at {:?}", &x[..dim]))));
    }
    model.disturb(nodes, &value);
    if let Some(beam) = model.beams.iter().position(|b| b.first == first) {
        let slope = |e: &Expression, x: &[f64]| std::array::from_fn(|j| if j < dim { e.partial(j, x) } else { 0.0 });
        let rows =
            |of: &Vec<Expression>, x: &[f64]| std::array::from_fn(|i| of.get(i).map_or([0.0; 3], |e| slope(e, x)));
        model.turn_with(beam, &|x| all.each_ref().map(|of| rows(of, &x[..dim])));
    }
    Ok(())
}
