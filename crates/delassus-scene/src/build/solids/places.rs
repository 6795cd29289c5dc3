//! Names such as "bar/left".

use super::super::forces::Fault;
use crate::diagnostic::{Diagnostic, Problem};
use delassus_fem::Model;

/// A group of a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place<'a> {
    /// The part.
    pub part: usize,
    /// The group.
    pub group: &'a str,
}

/// The part of that name.
pub(crate) fn part(model: &Model, key: &'static str, name: &str) -> Result<usize, Fault> {
    let found = model.parts.iter().position(|p| p.name == name);
    found.ok_or_else(|| (key, Problem::UnknownName { kind: "solid", name: name.to_owned() }))
}

/// The place that `text` names.
pub(crate) fn place<'a>(model: &Model, key: &'static str, text: &'a str) -> Result<Place<'a>, Fault> {
    let Some((solid, group)) = text.split_once('/') else {
        let what = format!("`{text}` must name a group of a solid, as \"solid/group\"");
        return Err((key, Problem::Inconsistent { what }));
    };
    let part = part(model, key, solid)?;
    if !model.parts[part].mesh.groups.contains_key(group) {
        return Err((key, Problem::UnknownName { kind: "group", name: text.to_owned() }));
    }
    Ok(Place { part, group })
}

/// Nodes of places, sorted, without repetition, in the numbering of the model.
pub(crate) fn nodes<'a>(
    model: &Model,
    key: &'static str,
    texts: impl Iterator<Item = &'a str>,
) -> Result<Vec<u32>, Fault> {
    let mut all = vec![];
    for text in texts {
        let at = place(model, key, text)?;
        let found = model.group_nodes(at.part, at.group);
        all.extend(found.map_err(|e| (key, Problem::Model { message: e.to_string() }))?);
    }
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

/// Adds what would be accepted to the message about an unknown solid or group.
pub(crate) fn suggest(model: &Model, diagnostic: &mut Diagnostic) {
    let Problem::UnknownName { kind, name } = diagnostic.problem.clone() else { return };
    let of = name.split_once('/').map(|(solid, _)| solid);
    let all: Vec<String> = match kind {
        "solid" => model.parts.iter().map(|p| p.name.clone()).collect(),
        "group" => {
            let parts = model.parts.iter().filter(|p| of.is_none_or(|solid| p.name == solid));
            parts.flat_map(|p| p.mesh.groups.keys().map(|g| format!("{}/{g}", p.name))).collect()
        }
        _ => return,
    };
    diagnostic.accepted(&name, all.iter().map(String::as_str));
}
