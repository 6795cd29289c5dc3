//! Scenes that change while they run
//!
//! ```text
//! base ⊕ stage 1 ⊕ stage 2 …        tables are merged key by key, everything else is replaced
//! ```
//!
//! Every stage is a whole scene. All know the same bodies, in the same order: those of a later stage, and those that
//! were taken away, are there without touching anything, so that one record holds the whole run. Observations and
//! events of all stages are known from the start.

use crate::build::each;
use crate::diagnostic::{Diagnostics, Problem};
use crate::overrides;
use crate::scene::Scene;
use crate::source::Sources;
use crate::tree::{Entry, Node, Path, Value};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The name of the first stage.
pub const FIRST: &str = "start";
/// Keys a stage cannot change.
const SETTLED: [&str; 15] = [
    "dimension",
    "title",
    "about",
    "stage",
    "start",
    "variant",
    "periodic",
    "mesh",
    "solid",
    "beam",
    "arlequin",
    "tie",
    "support",
    "contact",
    "analysis",
];
/// Tables of one key out of many: another key takes the place of the first.
const WHOLE: [&str; 3] = ["shape", "motion", "heights"];
/// What every stage knows from the start.
const SHARED: [&str; 3] = ["body", "observe", "when"];

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
        check(stage, &whole.sources, &mut diagnostics);
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
    check_events(&scene)?;
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

/// The tree of a stage.
fn laid(before: &Node, stage: &Entry, cast: &mut Cast, sources: &Sources) -> Result<Node, Diagnostics> {
    let mut tree = before.clone();
    let mut changes = stage.node.clone();
    let list = |changes: &mut Node, key: &str| take(changes, key).map(|e| (texts(&e.node), e.span));
    let (gone, released) = (list(&mut changes, "remove"), list(&mut changes, "release"));
    for entry in body_entries(&changes) {
        cast.later.remove(&entry.key);
        cast.gone.retain(|pattern| pattern != &entry.key);
    }
    cast.gone.extend(gone.into_iter().flat_map(|g| g.0));
    cast.generators = cast.generators.map(|n| n + items(&changes, "generate"));
    for key in ["generate", "observe", "when"] {
        drop(take(&mut changes, key));
    }
    held_or_moved(&mut tree, &changes);
    merge(&mut tree, changes, "");
    if let Some((names, span)) = released {
        release(&mut tree, &names, Some(span), sources, &mut Diagnostics::default())?;
    }
    Ok(tree)
}

/// Bodies, generators, observations and events of a stage, known to the base.
fn announce(tree: &mut Node, stage: &Entry) {
    for entry in stage.node.entries() {
        match entry.key.as_str() {
            key if SHARED.contains(&key) => {
                let at = tree_entry(tree, key, entry);
                for item in entry.node.entries() {
                    if at.get(&item.key).is_some() {
                        continue;
                    }
                    let mut item = item.clone();
                    if key == "when" && item.node.get("stage").is_none() {
                        let node = Node { value: Value::String(stage.key.clone()), span: item.span };
                        push(&mut item.node, Entry { key: "stage".into(), span: item.span, node });
                    }
                    push(at, item);
                }
            }
            "generate" => {
                let more = match &entry.node.value {
                    Value::Array(items) => items.clone(),
                    _ => vec![entry.node.clone()],
                };
                let at = tree_entry(tree, "generate", entry);
                match &mut at.value {
                    Value::Array(items) => items.extend(more),
                    Value::Table(entries) if entries.is_empty() => at.value = Value::Array(more),
                    _ => {
                        let first = at.clone();
                        at.value = Value::Array(std::iter::once(first).chain(more).collect());
                    }
                }
            }
            _ => {}
        }
    }
}

fn check(stage: &Entry, sources: &Sources, diagnostics: &mut Diagnostics) {
    if stage.key == FIRST {
        let what = format!("the first stage is called `{FIRST}` already: choose another name");
        diagnostics.error(sources, Some(stage.span), Problem::Inconsistent { what });
    }
    if !matches!(stage.node.value, Value::Table(_)) {
        let (key, found) = (format!("stage.{}", stage.key), stage.node.kind().to_owned());
        let problem = Problem::WrongType { key, expected: "a table of changes".into(), found };
        diagnostics.error(sources, Some(stage.node.span), problem);
    }
    for entry in stage.node.entries().iter().filter(|e| SETTLED.contains(&e.key.as_str())) {
        let what = format!("a stage does not change `{}`", entry.key);
        diagnostics.error(sources, Some(entry.span), Problem::Inconsistent { what }).help(
            "it changes bodies, laws, joints, springs, loads, fluids, servos, gravity, solver and time; `remove` takes \
             bodies away, `release` joints, springs and loads",
        );
    }
    for key in ["remove", "release"] {
        if let Some(entry) = stage.node.entry(key)
            && !matches!(&entry.node.value, Value::Array(items) if items.iter().all(|i| i.text().is_some()))
        {
            let problem = Problem::WrongType {
                key: format!("stage.{}.{key}", stage.key),
                expected: "names or patterns, [\"gate\", \"wall*\"]".into(),
                found: entry.node.kind().into(),
            };
            diagnostics.error(sources, Some(entry.node.span), problem);
        }
    }
}

/// Events name stages that there are, and what they do can be done where they may happen.
fn check_events(scene: &Scene) -> Result<(), Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let names: Vec<&str> = std::iter::once(FIRST).chain(scene.stages.iter().map(|s| s.0.as_str())).collect();
    for (i, (key, when)) in scene.description.when.items.iter().enumerate() {
        let path = Path::of(&["when"]).at(key.clone().unwrap_or_else(|| i.to_string()));
        if let Some(stage) = when.stage.as_ref().filter(|s| !names.contains(&s.as_str())) {
            let problem = Problem::UnknownName { kind: "stage", name: stage.clone() };
            scene.error(&mut diagnostics, &path.at("stage"), problem).accepted(stage, names.iter().copied());
        }
        let acts = when.stop || when.next || when.record;
        if !acts && when.remove.is_empty() && when.release.is_empty() && when.set.is_empty() {
            let what = "the event does nothing".to_owned();
            let told = scene.error(&mut diagnostics, &path, Problem::Inconsistent { what });
            told.help("give `stop`, `next` or `record` = true, or lists `remove`, `release`, `set`");
        }
        let last = names[names.len() - 1];
        if when.next && (names.len() == 1 || when.stage.as_deref() == Some(last)) {
            let what = format!("no stage comes after `{}`", when.stage.as_deref().unwrap_or(last));
            let told = scene.error(&mut diagnostics, &path.at("next"), Problem::Inconsistent { what });
            told.help("[stage.NAME] is one; `stop = true` ends the run");
        }
        // What no stage can do will be of no use whenever it happens; what was removed is gone by then.
        let change = Change { release: when.release.clone(), set: when.set.clone(), ..Change::default() };
        if change.is_empty() {
            continue;
        }
        let of = |k: usize| when.stage.as_deref().is_none_or(|s| s == names[k]);
        let tried: Vec<_> = (0..names.len()).filter(|k| of(*k)).map(|k| scene.stage(k).changed(&change, 0.0)).collect();
        if tried.iter().all(Result::is_err)
            && let Some(Err(told)) = tried.into_iter().next()
        {
            return Err(told);
        }
    }
    diagnostics.into_result(())
}

/// Takes joints, springs and loads away.
fn release(
    tree: &mut Node,
    names: &[String],
    span: Option<crate::source::Span>,
    sources: &Sources,
    diagnostics: &mut Diagnostics,
) -> Result<(), Diagnostics> {
    for pattern in names {
        let mut found = false;
        for table in ["joint", "spring", "load", "servo"] {
            let Some(node) = entries_mut(tree).and_then(|e| e.iter_mut().find(|e| e.key == table)) else { continue };
            match &mut node.node.value {
                Value::Table(entries) => {
                    let before = entries.len();
                    entries.retain(|e| !matches(pattern, &e.key));
                    found |= entries.len() < before;
                }
                Value::Array(items) => {
                    let before = items.len();
                    items.retain(|n| n.get("name").and_then(Node::text).is_none_or(|name| !matches(pattern, name)));
                    found |= items.len() < before;
                }
                _ => {}
            }
        }
        if !found {
            let problem = Problem::UnknownName { kind: "joint, spring, load or servo", name: pattern.clone() };
            diagnostics.error(sources, span, problem);
            return Err(std::mem::take(diagnostics));
        }
    }
    Ok(())
}

/// Lays a tree over the scene of a run: `from` is answered, the base gives everything else that is not said.
pub(crate) fn lay_over(tree: &mut Node, base: Base<'_>, sources: &mut Sources) {
    let offset = sources.len();
    base.scene.sources.iter().for_each(|s| {
        sources.add(format!("scene of {}: {}", base.name, s.origin), s.text.clone());
    });
    let mut below = base.scene.raw.clone();
    shift(&mut below, offset as u32);
    for key in ["start", "when", "variant", "stage"] {
        drop(take(&mut below, key));
    }
    let mut over = std::mem::replace(tree, Node::table(below.span));
    let named: Vec<String> = body_entries(&over).map(|e| e.key.clone()).collect();
    if let Some(start) = entries_mut(&mut over).and_then(|e| e.iter_mut().find(|e| e.key == "start")) {
        let span = start.span;
        let text = |s: String| Node { value: Value::String(s), span };
        for key in ["from", "time", "frame"] {
            drop(take(&mut start.node, key));
        }
        push(&mut start.node, Entry { key: "went_on".into(), span, node: text(base.name.clone()) });
        let frame = Node { value: Value::Integer(base.frame as i64), span };
        push(&mut start.node, Entry { key: "frame".into(), span, node: frame });
        let more = base.gone.into_iter().filter(|name| !named.contains(name)).map(text);
        match entries_mut(&mut start.node).and_then(|e| e.iter_mut().find(|e| e.key == "remove")) {
            Some(Entry { node: Node { value: Value::Array(items), .. }, .. }) => items.extend(more),
            Some(_) => {}
            None => {
                let node = Node { value: Value::Array(more.collect()), span };
                push(&mut start.node, Entry { key: "remove".into(), span, node });
            }
        }
    }
    held_or_moved(&mut below, &over);
    merge(&mut below, over, "");
    *tree = below;
}

/// A body that is given a motion is held no longer, and one that is held moves no longer.
fn held_or_moved(tree: &mut Node, changes: &Node) {
    for entry in body_entries(changes) {
        let [motion, fixed] = ["motion", "fixed"].map(|key| entry.node.get(key));
        let gone = match (motion, fixed.map(|f| &f.value)) {
            (Some(_), None) => "fixed",
            (None, Some(Value::Boolean(true))) => "motion",
            _ => continue,
        };
        let bodies = entries_mut(tree).and_then(|e| e.iter_mut().find(|e| e.key == "body"));
        let body =
            bodies.and_then(|b| entries_mut(&mut b.node)).and_then(|e| e.iter_mut().find(|e| e.key == entry.key));
        if let Some(body) = body {
            drop(take(&mut body.node, gone));
        }
    }
}

/// Whether a table is one key out of many.
pub(crate) fn whole(key: &str) -> bool {
    WHOLE.contains(&key)
}

/// Tables key by key; what is no table is replaced.
fn merge(node: &mut Node, over: Node, key: &str) {
    match (&mut node.value, over.value) {
        (Value::Table(entries), Value::Table(more)) if !WHOLE.contains(&key) => {
            for entry in more {
                match entries.iter_mut().find(|e| e.key == entry.key) {
                    Some(known) => {
                        known.span = entry.span;
                        merge(&mut known.node, entry.node, &entry.key);
                    }
                    None => entries.push(entry),
                }
            }
        }
        (_, value) => *node = Node { value, span: over.span },
    }
}

fn entries_mut(node: &mut Node) -> Option<&mut Vec<Entry>> {
    match &mut node.value {
        Value::Table(entries) => Some(entries),
        _ => None,
    }
}

fn push(node: &mut Node, entry: Entry) {
    if let Some(entries) = entries_mut(node) {
        entries.push(entry);
    }
}

/// The table `key` of a tree, made where there is none.
fn tree_entry<'a>(tree: &'a mut Node, key: &str, like: &Entry) -> &'a mut Node {
    let missing = tree.get(key).is_none();
    let entries = match &mut tree.value {
        Value::Table(entries) => entries,
        other => {
            *other = Value::Table(vec![]);
            let Value::Table(entries) = other else { unreachable!("just made") };
            entries
        }
    };
    if missing {
        entries.push(Entry { key: key.into(), span: like.span, node: Node::table(like.span) });
    }
    let at = entries.iter().position(|e| e.key == key).unwrap_or(0);
    &mut entries[at].node
}

pub(crate) fn take(node: &mut Node, key: &str) -> Option<Entry> {
    let entries = entries_mut(node)?;
    let at = entries.iter().position(|e| e.key == key)?;
    Some(entries.remove(at))
}

fn texts(node: &Node) -> Vec<String> {
    match &node.value {
        Value::Array(items) => items.iter().filter_map(Node::text).map(str::to_owned).collect(),
        _ => vec![],
    }
}

/// One table is one item.
fn items(tree: &Node, key: &str) -> usize {
    match tree.get(key).map(|n| &n.value) {
        None => 0,
        Some(Value::Array(items)) => items.len(),
        Some(_) => 1,
    }
}

fn body_entries(node: &Node) -> impl Iterator<Item = &Entry> {
    node.get("body").map(Node::entries).unwrap_or_default().iter()
}

fn shift(node: &mut Node, by: u32) {
    node.span.source += by;
    match &mut node.value {
        Value::Array(items) => items.iter_mut().for_each(|n| shift(n, by)),
        Value::Table(entries) => entries.iter_mut().for_each(|e| {
            e.span.source += by;
            shift(&mut e.node, by);
        }),
        _ => {}
    }
}

impl Scene {
    /// Reads a text that goes on with another run.
    ///
    /// # Errors
    /// As [`Scene::parse`].
    pub fn continuing(
        text: &str,
        origin: &std::path::Path,
        overrides: &[String],
        base: Base<'_>,
    ) -> Result<Self, Diagnostics> {
        Self::parse_over(text, &origin.display().to_string(), overrides, (Some(base), origin.parent()))
    }

    /// What `[start]` asks for in a text, before anything else of it is judged: file, time, frame.
    pub fn asks_for(text: &str) -> Option<(String, Option<f64>, Option<u32>)> {
        let tree = crate::tree::parse(text, 0, &Sources::default(), &mut Diagnostics::default());
        let start = tree.get("start")?;
        let number = |key: &str| match start.get(key).map(|n| &n.value) {
            Some(Value::Float(x)) => Some(*x),
            Some(Value::Integer(i)) => Some(*i as f64),
            _ => None,
        };
        let frame = number("frame").filter(|f| *f >= 0.0).map(|f| f as u32);
        Some((start.get("from")?.text()?.to_owned(), number("time"), frame))
    }

    /// The stages after the first: name, and the whole scene as it is then.
    pub fn stages(&self) -> &[(String, Scene)] {
        &self.stages
    }

    /// Judges the stages after the first, but for where their bodies will be.
    ///
    /// # Errors
    /// Whatever cannot be built.
    pub fn check_stages(&self) -> Result<(), Diagnostics> {
        self.stages.iter().try_for_each(|(_, stage)| stage.build_alone().map(drop))
    }

    /// The scene of a stage, 0 being the first.
    pub fn stage(&self, index: usize) -> &Scene {
        index.checked_sub(1).and_then(|i| self.stages.get(i)).map_or(self, |s| &s.1)
    }

    /// The name of a stage.
    pub fn stage_name(&self, index: usize) -> &str {
        index.checked_sub(1).and_then(|i| self.stages.get(i)).map_or(FIRST, |s| &s.0)
    }

    /// The whole scene as one text that reads back to it, where it was laid over another.
    pub fn whole_text(&self) -> String {
        let laid = self.tree.get("start").is_some_and(|s| s.get("went_on").is_some());
        self.given.as_ref().filter(|_| laid).map_or_else(|| self.text.clone(), |given| crate::write::text(given))
    }

    /// The same scene, gone on with from where bodies stand.
    #[must_use]
    pub fn standing(mut self, standing: Standing) -> Self {
        self.parameters = self.parameters.clone().with_start(standing.time);
        self.standing = Some(Arc::new(standing));
        self
    }

    /// The same scene with the start of its stage at a time \[s\].
    pub fn begun(&self, time: f64) -> Result<Self, Diagnostics> {
        self.again(self.raw.clone(), self.cast.clone(), time)
    }

    /// The scene after what an event does.
    ///
    /// # Errors
    /// A name that nobody has, or a value that is not accepted.
    pub fn changed(&self, change: &Change, started: f64) -> Result<Self, Diagnostics> {
        let (mut raw, mut cast, mut sources) = (self.raw.clone(), self.cast.clone(), self.sources.clone());
        let mut diagnostics = Diagnostics::default();
        overrides::apply(&mut raw, &change.set, &mut sources, &mut diagnostics);
        if diagnostics.has_errors() {
            return Err(diagnostics);
        }
        release(&mut raw, &change.release, None, &sources, &mut diagnostics)?;
        cast.gone.extend(change.remove.iter().cloned());
        Self { sources, ..self.clone() }.again(raw, cast, started)
    }

    /// The scene and all its stages with values changed, as after `--set`.
    ///
    /// # Errors
    /// A name that nobody has, or a value that is not accepted.
    pub fn with_set(&self, set: &[String]) -> Result<Self, Diagnostics> {
        let change = Change { set: set.to_vec(), ..Change::default() };
        let mut scene = self.changed(&change, 0.0)?;
        for (name, stage) in &self.stages {
            scene.stages.push((name.clone(), stage.changed(&change, 0.0)?));
        }
        scene.given.clone_from(&self.given);
        Ok(scene)
    }

    /// The scene in which some bodies of feeders have entered, and others have gone through sinks.
    pub fn with_entered(&self, entered: BTreeSet<String>, gone: &[String], started: f64) -> Result<Self, Diagnostics> {
        let mut cast = self.cast.clone();
        cast.gone.retain(|g| !entered.contains(g));
        for name in gone {
            if !cast.gone.contains(name) {
                cast.gone.push(name.clone());
            }
        }
        cast.entered = Arc::new(entered);
        self.again(self.raw.clone(), cast, started)
    }

    /// Whether a body was taken away for good.
    pub fn is_gone(&self, name: &str) -> bool {
        self.cast.gone.iter().any(|pattern| matches(pattern, name))
    }

    /// The same scene, whose bodies may overlap at the start.
    #[must_use]
    pub fn lenient(mut self) -> Self {
        self.description.initial.overlaps = crate::description::Overlaps::Accept;
        self
    }

    /// Steps and frames of the scene, of its stage alone; `step` where it gives none.
    pub fn clock(&self, step: f64) -> crate::Clock {
        crate::Clock::new(&self.description.time, self.description.time.step.unwrap_or(step))
    }

    /// The scene of a stage without the bodies that events and sinks took away in the stage before.
    #[must_use]
    pub fn without(mut self, names: &[String], present: &[bool], before: &Self) -> Self {
        let expected = super::build::who(before);
        for ((name, there), expected) in names.iter().zip(present).zip(expected) {
            let named =
                self.tree.get("body").is_some_and(|b| b.get(name).is_some()) && before.cast.later.contains(name);
            let fed = self.description.feeder.items.iter().flat_map(|(_, f)| f.bodies.iter()).any(|p| matches(p, name));
            match (expected, *there, fed) {
                (_, true, true) => {
                    let mut entered = (*self.cast.entered).clone();
                    entered.insert(name.clone());
                    self.cast.entered = Arc::new(entered);
                }
                (true, false, false) if !named => self.cast.gone.push(name.clone()),
                _ => {}
            }
        }
        self
    }

    fn again(&self, raw: Node, cast: Cast, started: f64) -> Result<Self, Diagnostics> {
        let whole = Whole { text: self.text.clone(), overrides: self.overrides.clone(), sources: self.sources.clone() };
        let mut scene = Self::finish(raw, &whole, cast, started)?;
        scene.files.clone_from(&self.files);
        Ok(scene)
    }
}
