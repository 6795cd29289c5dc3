//! Version 2: nodes, then elements with their physical number

use super::super::input::Input;
use super::super::{CellKind, CellRef, MeshError};
use super::{File, cell_nodes, kind};
use std::collections::HashMap;

/// Cells read before: one in several physical groups is written once for each.
type Known = HashMap<(CellKind, [u32; 10]), CellRef>;

/// Four-byte numbers of nodes and elements.
fn tag(input: &mut Input<'_>, what: &str) -> Result<u64, MeshError> {
    if !input.binary {
        input.skip_space();
    }
    let start = input.at();
    let tag = input.int(what)?;
    u64::try_from(tag).map_err(|_| input.fail(start, tag.to_string(), what))
}

pub(super) fn nodes(input: &mut Input<'_>, file: &mut File) -> Result<(), MeshError> {
    let count: u64 = input.parsed("a number of nodes")?;
    let at = input.at();
    if input.binary {
        input.line();
    }
    let count = input.bounded(at, count, if input.binary { 28 } else { 8 }, "nodes")?;
    let mut tags = Vec::with_capacity(count);
    file.draft.mesh.points = Vec::with_capacity(count);
    for _ in 0..count {
        tags.push(tag(input, "the number of a node")?);
        let p = [input.real("x")?, input.real("y")?, input.real("z")?];
        file.draft.mesh.points.push(p);
    }
    file.set_tags(input, at, &tags)
}

pub(super) fn elements(input: &mut Input<'_>, file: &mut File) -> Result<(), MeshError> {
    let count: u64 = input.parsed("a number of elements")?;
    let at = input.at();
    if input.binary {
        input.line();
    }
    let count = input.bounded(at, count, if input.binary { 8 } else { 6 }, "elements")?;
    let mut known = Known::new();
    let mut done = 0;
    while done < count {
        if input.binary {
            done += binary_run(input, file, &mut known, count - done)?;
        } else {
            tag(input, "the number of an element")?;
            let kind = element_type(input)?;
            let tags = number_of_tags(input)?;
            element(input, file, &mut known, (kind, tags))?;
            done += 1;
        }
    }
    file.has_elements = true;
    Ok(())
}

/// A header and the elements that share it.
fn binary_run(input: &mut Input<'_>, file: &mut File, known: &mut Known, left: usize) -> Result<usize, MeshError> {
    let kind = element_type(input)?;
    let start = input.at();
    let run = input.int("a number of elements")?;
    let tags = number_of_tags(input)?;
    let run = usize::try_from(run)
        .ok()
        .filter(|r| (1..=left).contains(r))
        .ok_or_else(|| input.fail(start, format!("a run of {run} elements"), format!("1 to {left}")))?;
    for _ in 0..run {
        tag(input, "the number of an element")?;
        element(input, file, known, (kind, tags))?;
    }
    Ok(run)
}

fn element_type(input: &mut Input<'_>) -> Result<CellKind, MeshError> {
    if !input.binary {
        input.skip_space();
    }
    let start = input.at();
    let number = input.int("a type of element")?;
    kind(input, start, number)
}

fn number_of_tags(input: &mut Input<'_>) -> Result<usize, MeshError> {
    if !input.binary {
        input.skip_space();
    }
    let start = input.at();
    let tags = input.int("a number of tags")?;
    usize::try_from(tags)
        .ok()
        .filter(|&t| t <= input.remaining())
        .ok_or_else(|| input.fail(start, format!("{tags} tags"), "0 or more, as many as the file holds"))
}

/// Tags, the first of which is the physical number, and nodes.
fn element(
    input: &mut Input<'_>,
    file: &mut File,
    known: &mut Known,
    (kind, tags): (CellKind, usize),
) -> Result<(), MeshError> {
    let mut physical = 0;
    for i in 0..tags {
        let value = input.int("a tag")?;
        if i == 0 {
            physical = value.abs();
        }
    }
    let nodes = cell_nodes(input, file, kind, |input| tag(input, "the number of a node"))?;
    let mesh = &mut file.draft.mesh;
    let cell = *known.entry((kind, nodes)).or_insert_with(|| mesh.push_cell(kind, &nodes[..kind.nodes()]));
    if physical != 0 {
        file.physical.entry((kind.dim(), physical)).or_default().push(cell);
    }
    Ok(())
}
