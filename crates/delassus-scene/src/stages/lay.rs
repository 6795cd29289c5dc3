//! Tables laid over tables: those of a stage over those of the stage before, those of a scene over those of a run.

use super::{Base, Cast, matches};
use crate::diagnostic::{Diagnostics, Problem};
use crate::source::Sources;
use crate::tree::{Entry, Node, Value};

/// Tables of one key out of many: another key takes the place of the first.
const WHOLE: [&str; 3] = ["shape", "motion", "heights"];
/// What every stage knows from the start.
const SHARED: [&str; 3] = ["body", "observe", "when"];

/// The tree of a stage.
pub(super) fn laid(before: &Node, stage: &Entry, cast: &mut Cast, sources: &Sources) -> Result<Node, Diagnostics> {
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
pub(super) fn announce(tree: &mut Node, stage: &Entry) {
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

/// Takes joints, springs and loads away.
pub(super) fn release(
    tree: &mut Node,
    names: &[String],
    span: Option<crate::source::Span>,
    sources: &Sources,
    diagnostics: &mut Diagnostics,
) -> Result<(), Diagnostics> {
    for pattern in names {
        let mut found = false;
        let mut known: Vec<String> = vec![];
        for table in ["joint", "spring", "load", "servo"] {
            let Some(node) = entries_mut(tree).and_then(|e| e.iter_mut().find(|e| e.key == table)) else { continue };
            match &mut node.node.value {
                Value::Table(entries) => {
                    known.extend(entries.iter().map(|e| e.key.clone()));
                    let before = entries.len();
                    entries.retain(|e| !matches(pattern, &e.key));
                    found |= entries.len() < before;
                }
                Value::Array(items) => {
                    known.extend(items.iter().filter_map(|n| n.get("name")?.text().map(str::to_owned)));
                    let before = items.len();
                    items.retain(|n| n.get("name").and_then(Node::text).is_none_or(|name| !matches(pattern, name)));
                    found |= items.len() < before;
                }
                _ => {}
            }
        }
        if !found {
            let problem = Problem::UnknownName { kind: "joint, spring, load or servo", name: pattern.clone() };
            let told = diagnostics.error(sources, span, problem);
            told.accepted(pattern, known.iter().map(String::as_str));
            return Err(std::mem::take(diagnostics));
        }
    }
    Ok(())
}

/// Lays a tree over the scene of a run: `from` is answered, the base gives everything else that is not said.
pub(crate) fn lay_over(tree: &mut Node, base: Base<'_>, sources: &mut Sources) {
    let offset = sources.len();
    base.scene.sources.iter().for_each(|s| {
        // Files say whose they are already, values set do not.
        let whose = s.origin.starts_with("scene of ");
        let origin = if whose { s.origin.clone() } else { format!("scene of {}: {}", base.name, s.origin) };
        sources.add(origin, s.text.clone());
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

pub(super) fn texts(node: &Node) -> Vec<String> {
    match &node.value {
        Value::Array(items) => items.iter().filter_map(Node::text).map(str::to_owned).collect(),
        _ => vec![],
    }
}

/// One table is one item.
pub(super) fn items(tree: &Node, key: &str) -> usize {
    match tree.get(key).map(|n| &n.value) {
        None => 0,
        Some(Value::Array(items)) => items.len(),
        Some(_) => 1,
    }
}

pub(super) fn body_entries(node: &Node) -> impl Iterator<Item = &Entry> {
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
