//! What is wrong with stages and events, before the first step.

use super::{Change, FIRST, matches};
use crate::diagnostic::{Diagnostics, Problem};
use crate::scene::Scene;
use crate::source::Sources;
use crate::tree::{Entry, Node, Path, Value};

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
/// Keys of a stage and what they take.
pub(super) fn stage(stage: &Entry, sources: &Sources, diagnostics: &mut Diagnostics) {
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
pub(super) fn events(scene: &Scene) -> Result<(), Diagnostics> {
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
        let parts = [
            ("release", Change { release: when.release.clone(), ..Change::default() }),
            ("set", Change { set: when.set.clone(), ..Change::default() }),
        ];
        for (key, change) in parts.iter().filter(|p| !p.1.is_empty()) {
            let of = |k: usize| when.stage.as_deref().is_none_or(|s| s == names[k]);
            let tried = (0..names.len()).filter(|k| of(*k)).map(|k| scene.stage(k).changed(change, 0.0));
            let Ok(refused) = tried.map(|t| t.err().ok_or(())).collect::<Result<Vec<_>, ()>>() else { continue };
            for told in refused.into_iter().take(1).flat_map(|d| d.items) {
                scene.error(&mut diagnostics, &path.at(*key), told.problem).help = told.help;
            }
        }
    }
    diagnostics.into_result(())
}

/// The bodies that are taken away from a run that goes on are there; those away already are not named by the user.
pub(super) fn started(scene: &Scene) -> Result<(), Diagnostics> {
    let start = scene.given.as_ref().and_then(|g| g.entry("start"));
    let given = |n: &&Node| start.is_some_and(|s| n.span != s.span);
    let named = start.and_then(|s| s.node.get("remove")).into_iter();
    removed(scene, named.flat_map(listed).filter(given))
}

/// The bodies that stages take away are there.
pub(super) fn staged(scene: &Scene) -> Result<(), Diagnostics> {
    let stages = scene.given.as_ref().and_then(|g| g.get("stage")).map(Node::entries).unwrap_or_default();
    removed(scene, stages.iter().filter_map(|s| s.node.get("remove")).flat_map(listed))
}

fn listed(node: &Node) -> &[Node] {
    match &node.value {
        Value::Array(items) => items,
        _ => &[],
    }
}

fn removed<'a>(scene: &Scene, patterns: impl Iterator<Item = &'a Node>) -> Result<(), Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let mut known: Option<Vec<String>> = None;
    for (node, pattern) in patterns.filter_map(|n| Some((n, n.text()?))) {
        let known = known.get_or_insert_with(|| crate::build::names(scene));
        if !known.iter().any(|name| matches(pattern, name)) {
            let problem = Problem::UnknownName { kind: "body", name: pattern.to_owned() };
            let told = diagnostics.error(&scene.sources, Some(node.span), problem);
            told.accepted(pattern, known.iter().map(String::as_str));
        }
    }
    diagnostics.into_result(())
}
