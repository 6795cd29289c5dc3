//! Scenes that change while they run
//!
//! ```text
//! base ⊕ stage 1 ⊕ stage 2 …        tables are merged key by key, everything else is replaced
//! ```
//!
//! Every stage is a whole scene. All know the same bodies, in the same order: those of a later stage, and those that
//! were taken away, are there without touching anything, so that one record holds the whole run. Observations and
//! events of all stages are known from the start.

mod changed;
mod judge;
mod lay;

pub(crate) use lay::{lay_over, take, whole};

use lay::{announce, body_entries, items, laid, release, texts};

use crate::build::each;
use crate::diagnostic::{Diagnostics, Problem};
use crate::scene::Scene;
use crate::source::Sources;
use crate::tree::{Entry, Node, Value};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The name of the first stage.
pub const FIRST: &str = "start";

/// Text, overrides and their places.
#[derive(Clone, Debug)]
pub(crate) struct Whole {
    pub text: String,
    pub overrides: Vec<String>,
    pub sources: Sources,
}

/// The scene of the run that another goes on with.
pub struct Base<'a> {
    /// The scene, in the stage of the frame.
    pub scene: &'a Scene,
    /// Bodies that are not there in that frame.
    pub gone: Vec<String>,
    /// The run.
    pub name: String,
    /// The frame of it.
    pub frame: usize,
}

/// Who of the bodies is there.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cast {
    /// Names of bodies of later stages.
    pub later: BTreeSet<String>,
    /// Generators of later stages begin here.
    pub generators: Option<usize>,
    /// Bodies that were taken away: names or patterns.
    pub gone: Vec<String>,
    /// Whether there are stages.
    pub staged: bool,
    /// Bodies of feeders that have entered.
    pub entered: Arc<BTreeSet<String>>,
    /// Joints of all stages, those of servos after them.
    pub joints: Arc<[String]>,
}

/// Where bodies stand that a scene goes on with, and what their places were described by.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    /// Time of the start \[s\].
    pub time: f64,
    /// The bodies that are there.
    pub bodies: HashMap<String, Stood>,
}

/// A body that is there already.
#[derive(Clone, Copy, Debug)]
pub struct Stood {
    /// Position and rotation, by rows, of its own axes.
    pub pose: [f64; 12],
    /// Where its imposed motion began.
    pub start: [f64; 12],
    /// Time from which that motion is counted.
    pub since: Option<f64>,
    /// Of the description of its place and of its motion.
    pub prints: [u64; 2],
}

/// What an event changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Change {
    /// Bodies taken away.
    pub remove: Vec<String>,
    /// Joints, springs and loads taken away.
    pub release: Vec<String>,
    /// As after `--set`.
    pub set: Vec<String>,
}

impl Change {
    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.remove.is_empty() && self.release.is_empty() && self.set.is_empty()
    }
}

/// Whether a name is meant by a pattern, in which `*` stands for any characters.
pub fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((head, tail)) => name.strip_prefix(head).is_some_and(|rest| {
            (0..=rest.len()).filter(|k| rest.is_char_boundary(*k)).any(|k| matches(tail, &rest[k..]))
        }),
    }
}

/// Reads a tree with its stages.
pub(crate) fn read(mut tree: Node, whole: Whole) -> Result<Scene, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let given = Arc::new(tree.clone());
    let stages = take(&mut tree, "stage");
    let stages: Vec<Entry> = match stages.map(|e| e.node.value) {
        None => vec![],
        Some(Value::Table(entries)) => entries,
        Some(_) => {
            let problem = Problem::WrongType {
                key: "stage".into(),
                expected: "tables by name, [stage.NAME]".into(),
                found: "another value".into(),
            };
            diagnostics.error(&whole.sources, None, problem);
            return Err(diagnostics);
        }
    };
    if let Some(from) = tree.get("start").and_then(|s| s.entry("from")) {
        let what = "a scene that goes on with a run is read together with that run: by the commands of delassus, or \
                    with delassus::simulation::load";
        diagnostics.error(&whole.sources, Some(from.span), Problem::Inconsistent { what: what.into() });
    }
    let staged = !stages.is_empty();
    let mut cast = Cast { generators: Some(items(&tree, "generate")), staged, ..Cast::default() };
    let list = |key: &str| tree.get("start").and_then(|s| s.get(key)).map(texts).unwrap_or_default();
    cast.gone = list("remove");
    let released = list("release");
    for stage in &stages {
        judge::stage(stage, &whole.sources, &mut diagnostics);
        for entry in body_entries(&stage.node) {
            if tree.get("body").is_none_or(|b| b.get(&entry.key).is_none()) {
                cast.later.insert(entry.key.clone());
            }
        }
        announce(&mut tree, stage);
    }
    if diagnostics.has_errors() {
        return Err(diagnostics);
    }
    release(&mut tree, &released, None, &whole.sources, &mut diagnostics)?;
    let mut scene = Scene::finish(tree.clone(), &whole, cast.clone(), 0.0)?;
    for stage in stages {
        tree = laid(&scene_before(&scene).raw, &stage, &mut cast, &whole.sources)?;
        let mut next = Scene::finish(tree, &whole, cast.clone(), 0.0)?;
        next.files.clone_from(&scene.files);
        scene.stages.push((stage.key, next));
    }
    let joints: Arc<[String]> = joints(&scene).into();
    scene.stages.iter_mut().for_each(|(_, stage)| stage.cast.joints = joints.clone());
    scene.cast.joints = joints;
    judge::events(&scene)?;
    scene.given = Some(given);
    Ok(scene)
}

/// Names of the joints of all stages.
fn joints(scene: &Scene) -> Vec<String> {
    let all = || std::iter::once(scene).chain(scene.stages.iter().map(|s| &s.1));
    let linked = all().flat_map(|s| each("joint", &s.description.joint).map(|j| j.1));
    let held = all().flat_map(|s| each("servo", &s.description.servo).map(|j| format!("servo {}", j.1)));
    let mut names: Vec<String> = vec![];
    for name in linked.chain(held) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn scene_before(scene: &Scene) -> &Scene {
    scene.stages.last().map_or(scene, |s| &s.1)
}
