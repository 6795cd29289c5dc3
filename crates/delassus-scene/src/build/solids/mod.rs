//! Deformable solids: meshes, materials, what acts on them, where they meet
//!
//! ```text
//! [mesh] ─▶ Mesh ─┐
//! [material] ─────┼─▶ parts ─▶ supports, loads, springs, contacts ─▶ Model, Settings
//! [solid], [beam] ┘
//! ```
//!
//! Every fault is reported at its line; what depends on a faulty item is left out.

mod absorbing;
mod analysis;
mod arlequin;
mod beams;
mod contact;
mod loads;
mod material;
mod mesh;
mod observe;
mod parts;
mod patch;
mod places;

pub use observe::SolidProbe;
pub use patch::{Appearance, Following, Patch, Superposed, Target};

use super::forces::Fault;
use crate::diagnostic::{Diagnostics, Problem};
use crate::scene::Scene;
use crate::tree::Path;
use delassus_contact::{Dim, Space};
use delassus_fem::{Model, SolidSettings, Solids};

/// Numbers of what a scene of deformable solids holds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolidSize {
    /// Deformable parts.
    pub parts: usize,
    /// Lines of beams.
    pub beams: usize,
    /// Nodes.
    pub nodes: usize,
    /// Cells that fill the parts, elements of beams.
    pub cells: usize,
    /// Degrees of freedom that no support holds.
    pub free: usize,
    /// Internal variables.
    pub history: usize,
    /// Facets of slave surfaces.
    pub facets: usize,
}

/// The deformable solids of a scene.
#[derive(Clone, Debug)]
pub struct SolidSetup {
    /// The model.
    pub model: Model,
    /// Scheme, formalism, loops; the step is that given or found.
    pub settings: SolidSettings,
    /// Names of the materials of the parts.
    pub materials: Vec<String>,
    /// Whether their skins meet what is near, by the laws of the materials.
    pub meet: bool,
    /// Whether the skin of a part may touch itself.
    pub itself: Vec<bool>,
    /// What is observed.
    pub probes: Vec<SolidProbe>,
    /// What there is to say of superposed models.
    pub superpositions: Vec<String>,
    /// Superpositions, in the order in which they are made.
    pub superposed: Vec<Superposed>,
    /// Those whose fine model moves or appears.
    pub patches: Vec<Patch>,
    /// Sizes.
    pub size: SolidSize,
}

/// Keys of scenes of rigid bodies.
const RIGID: [&str; 4] = ["joint", "periodic", "initial", "detection"];

/// Builds the deformable solids of a scene; none where it has none or where a fault was reported.
pub(crate) fn build<const D: usize>(scene: &Scene, diagnostics: &mut Diagnostics) -> Option<SolidSetup>
where
    Dim<D>: Space<D>,
{
    if !scene.has_solids() {
        return None;
    }
    let alone = !scene.has_bodies();
    for key in RIGID.iter().filter(|k| alone && scene.tree.get(k).is_some()) {
        let what = format!("`{key}` is for rigid bodies, and the scene has none: give [body.NAME]");
        scene.error(diagnostics, &Path::of(&[key]), Problem::Inconsistent { what });
    }
    if scene.tree.get("periodic").is_some() && !alone {
        let what = "deformable solids do not know periodic scenes: leave out `periodic`";
        scene.error(diagnostics, &Path::of(&["periodic"]), inconsistent(what));
    }
    let mut settings = analysis::settings(scene, diagnostics);
    let mut made = parts::parts::<D>(scene, diagnostics);
    analysis::own(scene, &made.model, &mut settings, diagnostics);
    let told = arlequin::add::<D>(scene, &mut made, diagnostics);
    loads::add(scene, &mut made, diagnostics);
    absorbing::add(scene, &mut made, diagnostics);
    contact::add(scene, &mut made, &settings, diagnostics);
    if let Some(patch) = made.patches.first().filter(|_| !settings.every.is_empty()) {
        let what = "parts with `every`, which make longer steps, do not go with patches that follow or appear";
        scene.error(diagnostics, &Path::of(&["arlequin"]).at(&patch.name), inconsistent(what));
    }
    let probes = observe::probes(scene, &made, diagnostics);
    let superpositions = arlequin::tell(scene, &made.model, &told, diagnostics);
    if diagnostics.has_errors() {
        return None;
    }
    let parts::Made { model, materials, itself, superposed, patches } = made;
    let size = size(&model);
    // The solids know best what goes together, and how long a step may be.
    let step = match Solids::<D>::new(model.clone(), settings.clone()) {
        Ok(solids) => solids.step(),
        Err(error) => {
            analysis::refused(scene, &error, diagnostics);
            return None;
        }
    };
    let settings = SolidSettings { step: Some(step), ..settings };
    // Beams have no skin.
    let meet = !model.parts.is_empty() && (!alone || scene.tree.get("law").is_some() || itself.contains(&true));
    Some(SolidSetup { model, settings, materials, meet, itself, probes, superpositions, superposed, patches, size })
}

fn size(model: &Model) -> SolidSize {
    let mut held: Vec<u32> = model.supports.iter().flat_map(|s| s.dofs.iter().copied()).collect();
    held.sort_unstable();
    held.dedup();
    SolidSize {
        parts: model.parts.len(),
        beams: model.beams.len(),
        nodes: model.nodes(),
        cells: model.parts.iter().map(|p| p.solid.cells()).sum::<usize>()
            + model.beams.iter().map(|b| b.count - 1).sum::<usize>(),
        free: model.dofs() - held.len(),
        history: model.parts.iter().map(|p| p.solid.history_len()).sum(),
        facets: match model.contacts.is_empty() {
            true => model.parts.iter().map(|p| p.mesh.boundary().len()).sum(),
            false => model.contacts.iter().map(|c| c.slave.len()).sum(),
        },
    }
}

/// Reports a fault at a key of an item.
fn report(scene: &Scene, path: &Path, (key, problem): Fault, diagnostics: &mut Diagnostics) {
    scene.error(diagnostics, &path.at(key), problem);
}

/// A contradiction.
fn inconsistent(what: impl Into<String>) -> Problem {
    Problem::Inconsistent { what: what.into() }
}

/// As many numbers as space has axes, the rest zero.
fn spatial(key: &'static str, values: &[f64], dimension: usize) -> Result<[f64; 3], Fault> {
    if values.len() != dimension {
        let expected = format!("{dimension} items in a scene of dimension {dimension}");
        return Err((key, Problem::WrongLength { key: key.to_owned(), expected, found: values.len() }));
    }
    Ok(std::array::from_fn(|k| values.get(k).copied().unwrap_or(0.0)))
}
