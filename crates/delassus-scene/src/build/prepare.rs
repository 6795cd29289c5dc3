//! Everything of a scene that does not need the dynamics: bodies, materials, laws.

use super::bodies::{self, Groups, Item, Made, Role};
use super::laws::{self, Materials};
use super::place::{Turns, vector};
use super::shape::Shapes;
use crate::description::Shape;
use crate::diagnostic::{Diagnostics, Problem};
use crate::scene::Scene;
use crate::tree::Path;
use delassus_contact::{Collider, Defect, DetectorSettings, Dim, Periodic, Shape as _, Space};
use delassus_dynamics::Interactions;

/// A scene with its bodies made and its start judged.
pub(crate) struct Prepared<const D: usize>
where
    Dim<D>: Space<D>,
{
    /// Bodies with their names.
    pub items: Vec<Item>,
    /// The same, made.
    pub made: Vec<Made<D>>,
    /// Materials.
    pub materials: Materials,
    /// Laws.
    pub laws: Interactions,
    /// Settings of the detection.
    pub detection: DetectorSettings<D>,
}

/// Makes the bodies and judges the laws; gives the warnings too.
pub(crate) fn prepare<const D: usize>(scene: &Scene) -> Result<(Prepared<D>, Diagnostics), Diagnostics>
where
    Dim<D>: Shapes<D> + Turns<D>,
{
    let mut diagnostics = Diagnostics::default();
    let mut materials = Materials::new(scene, &mut diagnostics);
    let items = bodies::items(scene, &mut diagnostics);
    let made = make(scene, &items, &mut materials, &mut diagnostics);
    let solids = scene.description.solid.items.iter().map(|(_, solid)| &solid.material);
    for material in solids.chain(scene.description.beam.items.iter().map(|(_, beam)| &beam.material)) {
        // What is wrong with it is said where solids are built.
        let _ = materials.find(material.as_deref(), "");
    }
    let thickness = thickness(scene, &made);
    let laws = laws::table(scene, &materials, thickness, &mut diagnostics);
    let detection = detection(scene).unwrap_or_else(|problem| {
        scene.error(&mut diagnostics, &Path::of(&["periodic"]), problem);
        DetectorSettings::default()
    });
    if items.is_empty() && !scene.has_solids() && !diagnostics.has_errors() {
        let what = "the scene has no bodies: give [body.NAME], [solid.NAME], [beam.NAME] or [[generate]]".to_owned();
        scene.error(&mut diagnostics, &Path::default(), Problem::Inconsistent { what });
    }
    if diagnostics.has_errors() {
        return Err(diagnostics);
    }
    unused(scene, &materials, &mut diagnostics);
    let colliders = bodies::colliders(&items, &made);
    let prepared = Prepared { items, made, materials, laws, detection };
    match detection.validate().and_then(|()| Collider::check(&colliders)) {
        Ok(()) => without_law(scene, &prepared, &colliders, &mut diagnostics),
        Err(e) => drop(scene.error(&mut diagnostics, &Path::of(&["body"]), Problem::Model { message: e.to_string() })),
    }
    if diagnostics.has_errors() { Err(diagnostics) } else { Ok((prepared, diagnostics)) }
}

fn make<const D: usize>(
    scene: &Scene,
    items: &[Item],
    materials: &mut Materials,
    diagnostics: &mut Diagnostics,
) -> Vec<Made<D>>
where
    Dim<D>: Shapes<D> + Turns<D>,
{
    let mut groups = Groups::default();
    let mut made = Vec::with_capacity(items.len());
    for item in items {
        match bodies::make(scene, item, materials, &mut groups) {
            Ok(body) => {
                judge_meshes(scene, item, &body, diagnostics);
                made.push(body);
            }
            Err((path, problem)) => {
                let again = diagnostics.items.last().is_some_and(|d| d.problem == problem);
                if again {
                    continue;
                }
                let names: Vec<&str> = materials.names.iter().map(String::as_str).collect();
                let found = match &problem {
                    Problem::UnknownName { name, .. } => Some(name.clone()),
                    Problem::MissingKey { key, .. } if key == "material" => Some(String::new()),
                    _ => None,
                };
                let diagnostic = scene.error(diagnostics, &path, problem);
                if let Some(found) = found {
                    diagnostic.accepted(&found, names);
                }
            }
        }
    }
    made
}

/// A mesh moves only if it bounds a volume; one that looks inwards is told where it stands still.
fn judge_meshes<const D: usize>(scene: &Scene, item: &Item, body: &Made<D>, diagnostics: &mut Diagnostics)
where
    Dim<D>: Space<D>,
{
    let parts = bodies::shapes(&item.body);
    for (k, (piece, part)) in body.pieces.iter().zip(parts.iter()).enumerate() {
        let mesh = match &part.shape {
            Shape::Mesh { file, .. } => format!("the mesh `{file}`"),
            Shape::Surface { .. } => "the surface".to_owned(),
            _ => continue,
        };
        let path = if item.body.shape.is_some() { item.path.at("shape") } else { item.path.at("parts").at(k) };
        let Some(defect) = piece.shape.defect() else { continue };
        match (item.role, defect) {
            (Role::Free, defect) => {
                let what = format!("`{}` moves freely, and {mesh} bounds no volume: {defect}", item.name);
                let told = scene.error(diagnostics, &path, Problem::Inconsistent { what });
                told.help(
                    "repair it, or take the hull of a mesh with `convex = true`, or hold the body with `fixed = true`",
                );
            }
            (_, Defect::Inverted { .. }) => {
                let what = format!("{mesh} of `{}`: {defect}, unless other bodies are inside it", item.name);
                scene.warning(diagnostics, &path, Problem::Inconsistent { what });
            }
            (_, Defect::Crossing { .. } | Defect::Torn { .. }) => {
                let what = format!("{mesh} of `{}`: {defect}", item.name);
                scene.warning(diagnostics, &path, Problem::Inconsistent { what });
            }
            // Grounds are open.
            (_, Defect::Open { .. }) => {}
        }
    }
}

/// Part of the largest body that is its skin: round-off of places.
const SKIN: f64 = 1e-10;
/// Part of g h², the fall of one step, that is skin too: what residuals may open in many steps.
const FALL: f64 = 1e-3;

/// Gap up to which bodies touch \[m\].
fn thickness<const D: usize>(scene: &Scene, made: &[Made<D>]) -> f64
where
    Dim<D>: Space<D>,
{
    let shapes = made.iter().flat_map(|m| &m.pieces).map(|p| &p.shape);
    let largest = shapes.map(<Dim<D> as Space<D>>::bounding_radius).filter(|r| r.is_finite());
    let gravity = scene.description.gravity.as_ref();
    let gravity = gravity.map_or(9.81, |g| g.iter().map(|x| x * x).sum::<f64>().sqrt());
    let usual =
        SKIN * largest.fold(0.0, f64::max) + FALL * gravity * scene.description.time.step.unwrap_or(0.0).powi(2);
    scene.description.detection.skin.unwrap_or(usual)
}

fn detection<const D: usize>(scene: &Scene) -> Result<DetectorSettings<D>, Problem>
where
    Dim<D>: Space<D>,
{
    let mut settings = DetectorSettings::<D>::default();
    if let Some(margin) = scene.description.detection.margin {
        settings.margin = margin;
    }
    if let Some(periodic) = &scene.description.periodic {
        if D == 2 && periodic.z.is_some() {
            return Err(Problem::Inconsistent { what: "there is no period along z in the plane".to_owned() });
        }
        let all = [periodic.x, periodic.y, periodic.z];
        let mut origin = [0.0; D];
        if let Some(values) = &periodic.origin {
            origin.copy_from_slice(vector::<D>("origin", values)?.as_slice());
        }
        settings.periodic = Periodic::new(std::array::from_fn(|k| all[k]), origin);
    }
    Ok(settings)
}

fn unused(scene: &Scene, materials: &Materials, diagnostics: &mut Diagnostics) {
    for (name, used) in materials.names.iter().zip(&materials.used) {
        if !used {
            let problem = Problem::Unused { kind: "material", name: name.clone() };
            scene.warning(diagnostics, &Path::of(&["material"]).at(name), problem);
        }
    }
}

fn without_law<const D: usize>(
    scene: &Scene,
    prepared: &Prepared<D>,
    all: &[Collider<D>],
    diagnostics: &mut Diagnostics,
) where
    Dim<D>: Space<D>,
{
    for (pair, colliders) in Collider::pairs_without(all, &|a, b| prepared.laws.has(a, b)) {
        let material = |k: usize| prepared.materials.names[usize::from(pair[k])].clone();
        let body = |k: usize| {
            let collider = &all[colliders[k] as usize];
            prepared.items[collider.body as usize].name.clone()
        };
        let (first, second) = (material(0), material(1));
        let help = format!("for example `{}` and `{}`", body(0), body(1));
        let add = format!("add a law: [[law]] between = [\"{first}\", \"{second}\"], friction = 0.5");
        let problem = Problem::NoLaw { first, second };
        scene.error(diagnostics, &Path::of(&["law"]), problem).help(help).help(add);
    }
}
