//! Names such as "bar/left".

use super::super::forces::Fault;
use super::beams;
use crate::diagnostic::{Diagnostic, Problem};
use delassus_fem::Model;
use delassus_fem::model::Beam;

/// A group of a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place<'a> {
    /// The part.
    pub part: usize,
    /// The group.
    pub group: &'a str,
}

/// A solid or a beam and one of its groups, as written.
fn split<'a>(key: &'static str, text: &'a str) -> Result<(&'a str, &'a str), Fault> {
    text.split_once('/').ok_or_else(|| {
        let what = format!("`{text}` must name a group of a solid, as \"solid/group\"");
        (key, Problem::Inconsistent { what })
    })
}

fn unknown(kind: &'static str, key: &'static str, name: &str) -> Fault {
    (key, Problem::UnknownName { kind, name: name.to_owned() })
}

/// The beam of that name.
fn beam<'m>(model: &'m Model, name: &str) -> Option<&'m Beam> {
    model.beams.iter().find(|b| b.name == name)
}

/// The part of that name.
fn part(model: &Model, key: &'static str, name: &str) -> Result<usize, Fault> {
    model.parts.iter().position(|p| p.name == name).ok_or_else(|| unknown("solid", key, name))
}

/// The beam that `text` names and nodes of it, numbered from its start; none where it is no beam.
pub(crate) fn on_beam(model: &Model, key: &'static str, text: &str) -> Result<Option<(usize, Vec<u32>)>, Fault> {
    let (name, group) = split(key, text)?;
    let Some(number) = model.beams.iter().position(|b| b.name == name) else { return Ok(None) };
    let nodes = beams::nodes(&model.beams[number], group).ok_or_else(|| unknown("group", key, text))?;
    Ok(Some((number, nodes)))
}

/// The place that `text` names, with facets.
pub(crate) fn place<'a>(model: &Model, key: &'static str, text: &'a str) -> Result<Place<'a>, Fault> {
    let (solid, group) = split(key, text)?;
    if beam(model, solid).is_some() {
        let what = format!("`{text}` is of a beam, which has no facets: name a group of a solid");
        return Err((key, Problem::Inconsistent { what }));
    }
    let part = part(model, key, solid)?;
    if !model.parts[part].mesh.groups.contains_key(group) {
        return Err(unknown("group", key, text));
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
        let (solid, group) = split(key, text)?;
        if let Some(beam) = beam(model, solid) {
            all.extend(beams::nodes(beam, group).ok_or_else(|| unknown("group", key, text))?);
            continue;
        }
        let at = place(model, key, text)?;
        let found = model.group_nodes(at.part, at.group);
        all.extend(found.map_err(|e| (key, Problem::Model { message: e.to_string() }))?);
    }
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

/// The node of the solid or the beam of that name nearest to a point.
pub(crate) fn nearest(model: &Model, key: &'static str, name: &str, point: [f64; 3]) -> Result<Option<u32>, Fault> {
    let Some(beam) = beam(model, name) else {
        let part = &model.parts[part(model, key, name)?];
        return Ok(part.mesh.nearest_node(point).map(|n| n + part.first as u32));
    };
    let positions = model.positions();
    let square = |n: &u32| (0..model.dim).map(|k| (positions[model.dim * *n as usize + k] - point[k]).powi(2)).sum();
    let nodes = beams::nodes(beam, "all").into_iter().flatten();
    Ok(nodes.min_by(|a, b| f64::total_cmp(&square(a), &square(b))))
}

/// Degrees of freedom of rotation `k` of nodes, which are all of beams.
pub(crate) fn rotations(model: &Model, key: &'static str, nodes: &[u32], k: usize) -> Result<Vec<u32>, Fault> {
    let dof = |node: &u32| {
        let node = *node as usize;
        let found = model.beams.iter().position(|b| (b.first..b.first + b.count).contains(&node));
        found.map(|beam| model.rotation(beam, node - model.beams[beam].first, k)).ok_or_else(|| {
            let what = format!("`{key}` is for beams: nodes of solids have no rotation");
            (key, Problem::Inconsistent { what })
        })
    };
    nodes.iter().map(dof).collect()
}

/// Adds what would be accepted to the message about an unknown solid or group.
pub(crate) fn suggest(model: &Model, diagnostic: &mut Diagnostic) {
    let Problem::UnknownName { kind, name } = diagnostic.problem.clone() else { return };
    let of = name.split_once('/').map(|(solid, _)| solid);
    let asked = |owner: &str| of.is_none_or(|solid| owner == solid);
    let all: Vec<String> = match kind {
        "solid" => {
            let beams = model.beams.iter().map(|b| b.name.clone());
            model.parts.iter().map(|p| p.name.clone()).chain(beams).collect()
        }
        "group" => {
            let parts = model.parts.iter().filter(|p| asked(&p.name));
            let parts = parts.flat_map(|p| p.mesh.groups.keys().map(|g| format!("{}/{g}", p.name)));
            let beams = model.beams.iter().filter(|b| asked(&b.name));
            parts.chain(beams.flat_map(|b| beams::groups(b).map(|g| format!("{}/{g}", b.name)))).collect()
        }
        _ => return,
    };
    diagnostic.accepted(&name, all.iter().map(String::as_str));
}
