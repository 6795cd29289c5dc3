//! Deformable solids: meshes, materials, what acts on them, where they meet
//!
//! ```text
//! [mesh] ─▶ Mesh ─┐
//! [material] ─────┼─▶ parts ─▶ supports, loads, springs, contacts ─▶ Model, Settings
//! [solid] ────────┘
//! ```
//!
//! Every fault is reported at its line; what depends on a faulty item is left out.

mod analysis;
mod contact;
mod loads;
mod material;
mod mesh;
mod observe;
mod parts;
mod places;
mod with_bodies;

pub use observe::SolidProbe;
pub(crate) use with_bodies::{solids_with_bodies, total_size};

use super::Clock;
use super::forces::Fault;
use crate::diagnostic::{Diagnostics, Problem};
use crate::scene::Scene;
use crate::tree::Path;
use delassus_fem::Model;
use delassus_fem::analysis::{Analysis, Settings};

/// Numbers of what a scene of deformable solids holds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolidSize {
    /// Deformable parts.
    pub parts: usize,
    /// Nodes.
    pub nodes: usize,
    /// Cells that fill the parts.
    pub cells: usize,
    /// Degrees of freedom that no support holds.
    pub free: usize,
    /// Internal variables.
    pub history: usize,
    /// Facets of slave surfaces.
    pub facets: usize,
}

/// A scene of deformable solids: everything a run needs.
#[derive(Clone, Debug)]
pub struct SolidSetup {
    /// Title.
    pub title: String,
    /// The model.
    pub model: Model,
    /// Scheme, formalism, loops.
    pub settings: Settings,
    /// Steps and frames.
    pub clock: Clock,
    /// Names of the materials of the parts.
    pub materials: Vec<String>,
    /// What is observed.
    pub probes: Vec<SolidProbe>,
    /// Sizes.
    pub size: SolidSize,
    /// Warnings.
    pub warnings: Diagnostics,
}

/// Keys of scenes of rigid bodies.
const RIGID: [&str; 6] = ["joint", "law", "periodic", "initial", "detection", "solver"];

/// Builds a scene of deformable solids.
pub(crate) fn build(scene: &Scene) -> Result<SolidSetup, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    for key in RIGID.iter().filter(|k| scene.tree.get(k).is_some()) {
        let what = format!("`{key}` is for rigid bodies, and the scene has none: give [body.NAME]");
        scene.error(&mut diagnostics, &Path::of(&[key]), Problem::Inconsistent { what });
    }
    let settings = analysis::settings(scene, &mut diagnostics);
    let mut made = parts::parts(scene, &mut diagnostics);
    loads::add(scene, &mut made, &mut diagnostics);
    contact::add(scene, &mut made, &mut diagnostics);
    let probes = observe::probes(scene, &made, &mut diagnostics);
    if diagnostics.has_errors() {
        return Err(diagnostics);
    }
    let parts::Made { model, materials } = made;
    let size = size(&model);
    // The analysis knows best what goes together, and how long a step may be.
    let step = match Analysis::new(model.clone(), settings.clone()) {
        Ok(analysis) => analysis.h(),
        Err(error) => {
            analysis::refused(scene, &error, &mut diagnostics);
            return Err(diagnostics);
        }
    };
    Ok(SolidSetup {
        title: scene.description.title.clone(),
        clock: Clock::new(&scene.description.time, step),
        settings: Settings { step: Some(step), ..settings },
        model,
        materials,
        probes,
        size,
        warnings: diagnostics,
    })
}

pub(super) fn size(model: &Model) -> SolidSize {
    let mut held: Vec<u32> = model.supports.iter().flat_map(|s| s.dofs.iter().copied()).collect();
    held.sort_unstable();
    held.dedup();
    SolidSize {
        parts: model.parts.len(),
        nodes: model.nodes(),
        cells: model.parts.iter().map(|p| p.solid.cells()).sum(),
        free: model.dofs() - held.len(),
        history: model.parts.iter().map(|p| p.solid.history_len()).sum(),
        facets: model.contacts.iter().map(|c| c.slave.len()).sum(),
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
