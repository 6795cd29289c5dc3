//! What follows from the meshes alone.

use crate::model::Model;

/// Degrees of freedom of the surfaces of a model, ascending.
pub(super) fn touchable<const D: usize>(model: &Model) -> Vec<u32> {
    let mut nodes: Vec<u32> = vec![];
    for part in &model.parts {
        for facet in part.mesh.boundary() {
            nodes.extend(facet.nodes().iter().map(|n| part.first as u32 + n));
        }
    }
    for pair in &model.contacts {
        nodes.extend_from_slice(pair.slave.nodes());
    }
    for beam in &model.beams {
        nodes.extend((beam.first..beam.first + beam.count).map(|n| n as u32));
    }
    nodes.sort_unstable();
    nodes.dedup();
    nodes.iter().flat_map(|n| (0..D as u32).map(move |k| D as u32 * n + k)).collect()
}

/// Longest side of the boxes around the cells.
pub(super) fn largest_cell(model: &Model) -> f64 {
    let mut largest = 0.0f64;
    for part in &model.parts {
        for cell in 0..part.solid.cells() {
            let nodes = part.solid.connectivity(cell);
            for k in 0..model.dim {
                let at = nodes.iter().map(|n| part.mesh.points[*n as usize][k]);
                let [low, high] = at.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| [a.min(x), b.max(x)]);
                largest = largest.max(high - low);
            }
        }
    }
    largest
}

/// Group of each node: its part or beam, those that springs and dampers join being one.
pub(super) fn groups<const D: usize>(model: &Model) -> Vec<u32> {
    let mut group = vec![0u32; model.nodes()];
    for (k, part) in model.parts.iter().enumerate() {
        group[part.range().start / D..part.range().end / D].fill(k as u32);
    }
    for (k, beam) in model.beams.iter().enumerate() {
        group[beam.first..beam.first + beam.count].fill((model.parts.len() + k) as u32);
    }
    let moving = (D * model.nodes()) as u32;
    for d in &model.discrete {
        if let Some(b) = d.b.filter(|b| *b < moving && d.a < moving) {
            let (from, to) = (group[b as usize / D], group[d.a as usize / D]);
            let (from, to) = (from.max(to), from.min(to));
            group.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
        }
    }
    for row in model.ties.iter().flat_map(|t| &t.rows) {
        let mut nodes = row.terms.iter().filter(|(d, _)| *d < moving).map(|(d, _)| *d as usize / D);
        let Some(first) = nodes.next() else { continue };
        for node in nodes {
            let (from, to) = (group[node], group[first]);
            if from != to {
                let (from, to) = (from.max(to), from.min(to));
                group.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
            }
        }
    }
    group
}
