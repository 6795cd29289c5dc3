//! Version 4.1: entities with their physical numbers, then nodes and elements by entity

use super::super::MeshError;
use super::super::input::Input;
use super::{File, cell_nodes, kind};
use std::collections::HashMap;

/// Physical numbers by dimension and number of entity.
pub(super) type Entities = HashMap<(usize, i64), Vec<i64>>;

pub(super) fn entities(input: &mut Input<'_>) -> Result<Entities, MeshError> {
    let mut counts = [0; 4];
    for (dim, count) in counts.iter_mut().enumerate() {
        let least = if dim == 0 { 10 } else { 18 };
        *count = input.count("entities", least)?;
    }
    let mut all = Entities::new();
    for (dim, &count) in counts.iter().enumerate() {
        for _ in 0..count {
            let tag = input.int("the number of an entity")?;
            for _ in 0..if dim == 0 { 3 } else { 6 } {
                // Boxes of unbounded entities may be infinite: not read as finite numbers.
                skip_real(input)?;
            }
            let physical = numbers(input, "physical numbers")?;
            if dim > 0 {
                numbers(input, "bounding entities")?;
            }
            all.insert((dim, tag), physical);
        }
    }
    Ok(all)
}

fn skip_real(input: &mut Input<'_>) -> Result<(), MeshError> {
    if input.binary {
        input.take(8, "a coordinate").map(|_| ())
    } else {
        input.parsed::<f64>("a coordinate").map(|_| ())
    }
}

/// A count and as many integers, without their signs.
fn numbers(input: &mut Input<'_>, what: &str) -> Result<Vec<i64>, MeshError> {
    let count = input.count(what, if input.binary { 4 } else { 2 })?;
    (0..count).map(|_| input.int(what).map(i64::abs)).collect()
}

/// What stands at the head of a block of nodes or elements.
struct Block {
    start: usize,
    dim: usize,
    entity: i64,
    /// Whether nodes carry parameters, or the type of elements.
    third: i64,
    count: usize,
}

fn block(input: &mut Input<'_>, what: &str, least: usize) -> Result<Block, MeshError> {
    if !input.binary {
        input.skip_space();
    }
    let start = input.at();
    let dim = input.int("the dimension of an entity")?;
    let dim = usize::try_from(dim)
        .ok()
        .filter(|&d| d <= 3)
        .ok_or_else(|| input.fail(start, format!("dimension {dim}"), "0, 1, 2 or 3"))?;
    let entity = input.int("the number of an entity")?;
    let third = input.int("a type")?;
    let count = input.count(what, least)?;
    Ok(Block { start, dim, entity, third, count })
}

/// Numbers of blocks and of members, lowest and highest number.
fn totals(input: &mut Input<'_>, what: &str, least: usize) -> Result<(usize, usize), MeshError> {
    let blocks = input.count("blocks", least)?;
    let total = input.count(what, least)?;
    input.size("the lowest number")?;
    input.size("the highest number")?;
    Ok((blocks, total))
}

fn check_total(input: &Input<'_>, start: usize, found: usize, total: usize) -> Result<(), MeshError> {
    if found == total {
        return Ok(());
    }
    Err(input.fail(start, format!("{found} in the blocks"), format!("{total}, as the section says")))
}

pub(super) fn nodes(input: &mut Input<'_>, file: &mut File) -> Result<(), MeshError> {
    let start = input.at();
    let least = if input.binary { 24 } else { 6 };
    let (blocks, total) = totals(input, "nodes", least)?;
    let mut tags = Vec::with_capacity(total);
    let points = &mut file.draft.mesh.points;
    for _ in 0..blocks {
        let block = block(input, "nodes", least)?;
        for _ in 0..block.count {
            tags.push(input.size("the number of a node")?);
        }
        for _ in 0..block.count {
            points.push([input.real("x")?, input.real("y")?, input.real("z")?]);
            for _ in 0..if block.third == 0 { 0 } else { block.dim } {
                skip_real(input)?;
            }
        }
    }
    check_total(input, start, tags.len(), total)?;
    file.set_tags(input, start, &tags)
}

pub(super) fn elements(input: &mut Input<'_>, file: &mut File, entities: &Entities) -> Result<(), MeshError> {
    let start = input.at();
    let least = if input.binary { 2 * input.size_bytes } else { 4 };
    let (blocks, total) = totals(input, "elements", least)?;
    let mut done = 0;
    for _ in 0..blocks {
        let block = block(input, "elements", least)?;
        let kind = kind(input, block.start, block.third)?;
        let physical = entities.get(&(block.dim, block.entity)).map_or(&[][..], Vec::as_slice);
        for _ in 0..block.count {
            input.size("the number of an element")?;
            let nodes = cell_nodes(input, file, kind, |input| input.size("the number of a node"))?;
            let cell = file.draft.mesh.push_cell(kind, &nodes[..kind.nodes()]);
            for &p in physical {
                file.physical.entry((kind.dim(), p)).or_default().push(cell);
            }
        }
        done += block.count;
    }
    check_total(input, start, done, total)?;
    file.has_elements = true;
    Ok(())
}
