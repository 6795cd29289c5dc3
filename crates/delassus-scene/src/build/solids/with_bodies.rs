//! Deformable solids among rigid bodies: one model for each
//!
//! Their skins meet everything, by the laws of the materials; the scheme is the θ-method, with
//! `analysis.theta`, and Newton's method closes the balance to `analysis.tolerance`.

use super::{SolidSize, inconsistent, loads, parts, size};
use crate::description::SchemeName;
use crate::diagnostic::{Diagnostics, Problem};
use crate::scene::Scene;
use crate::tree::Path;
use delassus_fem::Model;
use delassus_fem::model::{ModelError, Part, PartSpec, Support};
use delassus_fem::subsystem::{Deformable, DeformableSpec, Theta};

/// The solids of the scene; every error is reported.
pub(crate) fn solids_with_bodies(
    scene: &Scene,
    material: impl Fn(&str) -> Option<u16>,
    diagnostics: &mut Diagnostics,
) -> Vec<DeformableSpec> {
    if scene.description.solid.items.is_empty() {
        return vec![];
    }
    let settings = theta(scene, diagnostics);
    let mut made = parts::parts(scene, diagnostics);
    loads::supports(scene, &mut made, diagnostics);
    let mut specs = vec![];
    for (part, name) in made.model.parts.iter().zip(&made.materials) {
        let path = Path::of(&["solid"]).at(&part.name);
        let refused = |e: String| Problem::Model { message: e };
        let spec = match (single(&made.model, part), material(name)) {
            (Ok(model), Some(material)) => DeformableSpec { name: part.name.clone(), model, material, settings },
            (Err(e), _) => {
                scene.error(diagnostics, &path, refused(e.to_string()));
                continue;
            }
            (_, None) => continue,
        };
        if let Err(e) = Deformable::new(&spec.name, spec.model.clone(), settings) {
            scene.error(diagnostics, &path, refused(e.to_string()));
        }
        specs.push(spec);
    }
    specs
}

/// A model of one part, with what holds it.
fn single(whole: &Model, part: &Part) -> Result<Model, ModelError> {
    let mut model = Model::new(whole.dim);
    model.add(PartSpec {
        name: part.name.clone(),
        mesh: part.mesh.clone(),
        solid: part.solid.spec().clone(),
        velocity: part.velocity,
        rayleigh: part.rayleigh,
    })?;
    let range = part.range();
    for support in &whole.supports {
        let own = support.dofs.iter().filter(|d| range.contains(&(**d as usize)));
        let dofs: Vec<u32> = own.map(|d| d - range.start as u32).collect();
        if !dofs.is_empty() {
            model.supports.push(Support { dofs, value: support.value.clone() });
        }
    }
    Ok(model)
}

/// The scheme; keys that mean nothing here are reported.
fn theta(scene: &Scene, diagnostics: &mut Diagnostics) -> Theta {
    let says = scene.description.analysis.clone().unwrap_or_default();
    let path = Path::of(&["analysis"]);
    if says.scheme != SchemeName::Theta {
        let what = "among rigid bodies, the scheme of deformable solids is theta";
        scene.error(diagnostics, &path.at("scheme"), inconsistent(what));
    }
    let known = ["scheme", "theta", "tolerance", "newton"];
    if let Some(table) = scene.tree.get("analysis") {
        for key in table.entries().iter().map(|e| e.key.as_str()).filter(|k| !known.contains(k)) {
            let what = format!("`{key}` is for scenes of deformable solids alone; here there are {}", known.join(", "));
            scene.error(diagnostics, &path.at(key), inconsistent(what));
        }
    }
    let theta = says.theta.unwrap_or(1.0);
    if !(0.5..=1.0).contains(&theta) {
        let what = format!("theta = {theta}: among rigid bodies it is from 0.5 to 1");
        scene.error(diagnostics, &path.at("theta"), inconsistent(what));
    }
    let usual = Theta::default();
    Theta {
        theta,
        tolerance: says.tolerance.unwrap_or(usual.tolerance),
        iterations: says.newton.map_or(usual.iterations, |n| n as usize),
    }
}

/// Numbers of what the solids hold.
pub(crate) fn total_size(specs: &[DeformableSpec]) -> Option<SolidSize> {
    let mut total = SolidSize::default();
    for spec in specs {
        let own = size(&spec.model);
        total.parts += own.parts;
        total.nodes += own.nodes;
        total.cells += own.cells;
        total.free += own.free;
        total.history += own.history;
        total.facets += spec.model.parts.iter().map(|p| p.mesh.boundary().len()).sum::<usize>();
    }
    (!specs.is_empty()).then_some(total)
}
