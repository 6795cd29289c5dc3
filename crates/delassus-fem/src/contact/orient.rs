//! Boundary cells turned outwards
//!
//! A file's boundary cells may be oriented either way. The solid cell that holds all corners
//! of one tells the outside: the normal must leave the middle of that cell.

use super::ContactError;
use super::facet::{Patch, centre, corner_count, node_count};
use crate::mesh::{CellKind, CellRef, Mesh};
use delassus_contact::Vector;

/// Order of the nodes of the reversed facet.
fn reversed(kind: CellKind) -> &'static [usize] {
    match kind {
        CellKind::Seg2 => &[1, 0],
        CellKind::Seg3 => &[1, 0, 2],
        CellKind::Tri3 => &[0, 2, 1],
        CellKind::Tri6 => &[0, 2, 1, 5, 4, 3],
        CellKind::Quad4 => &[0, 3, 2, 1],
        _ => &[0, 3, 2, 1, 7, 6, 5, 4],
    }
}

fn solid_nodes(kind: CellKind, dim: usize) -> Option<usize> {
    Some(match (kind, dim) {
        (CellKind::Tri3, 2) => 3,
        (CellKind::Quad4, 2) | (CellKind::Tet4, 3) => 4,
        (CellKind::Tri6, 2) => 6,
        (CellKind::Quad8, 2) | (CellKind::Hex8, 3) => 8,
        (CellKind::Tet10, 3) => 10,
        _ => return None,
    })
}

/// The cells as facets, outward where the mesh tells.
pub(crate) fn outward(mesh: &Mesh, cells: &[CellRef]) -> Result<Vec<(CellKind, Vec<u32>)>, ContactError> {
    let mut facets = Vec::with_capacity(cells.len());
    for c in cells {
        let missing = ContactError::MissingCell { block: c.block, index: c.index };
        let block = mesh.blocks.get(c.block as usize).ok_or(missing.clone())?;
        let count = node_count(block.kind).ok_or(ContactError::Kind {
            facet: facets.len(),
            kind: block.kind,
            dim: mesh.dim,
            accepted: "segments, triangles or quadrangles",
        })?;
        let nodes = block.nodes.get(count * c.index as usize..count * (c.index as usize + 1)).ok_or(missing)?;
        if let Some(&node) = nodes.iter().find(|&&n| n as usize >= mesh.points.len()) {
            return Err(ContactError::Length { what: "the mesh", got: mesh.points.len(), needed: node as usize + 1 });
        }
        facets.push((block.kind, nodes.to_vec()));
    }
    let mut wanted: Vec<(Vec<u32>, usize)> = facets.iter().enumerate().map(|(i, f)| (corners(f), i)).collect();
    wanted.sort_unstable();
    let holders = holders(mesh, &facets, &wanted);
    for (facet, holder) in facets.iter_mut().zip(holders) {
        if let Some(middle) = holder
            && points_inwards(mesh, facet, &middle)
        {
            facet.1 = reversed(facet.0).iter().map(|&k| facet.1[k]).collect();
        }
    }
    Ok(facets)
}

fn corners((kind, nodes): &(CellKind, Vec<u32>)) -> Vec<u32> {
    let mut c = nodes[..corner_count(*kind)].to_vec();
    c.sort_unstable();
    c
}

/// For each facet the middle of a solid cell that holds its corners.
fn holders(mesh: &Mesh, facets: &[(CellKind, Vec<u32>)], wanted: &[(Vec<u32>, usize)]) -> Vec<Option<[f64; 3]>> {
    let mut by_node: Vec<Vec<usize>> = vec![vec![]; mesh.points.len()];
    for (c, i) in wanted {
        by_node[c[0] as usize].push(*i);
    }
    let mut middles = vec![None; facets.len()];
    for block in &mesh.blocks {
        let Some(count) = solid_nodes(block.kind, mesh.dim) else { continue };
        for cell in block.nodes.chunks_exact(count) {
            for &node in cell {
                for &f in by_node.get(node as usize).map_or(&[][..], |v| v) {
                    let (kind, nodes) = &facets[f];
                    if nodes[..corner_count(*kind)].iter().all(|n| cell.contains(n)) {
                        middles[f] = Some(middle(mesh, cell));
                    }
                }
            }
        }
    }
    middles
}

fn middle(mesh: &Mesh, nodes: &[u32]) -> [f64; 3] {
    let mut m = [0.0; 3];
    for &n in nodes {
        for k in 0..3 {
            m[k] += mesh.points[n as usize][k] / nodes.len() as f64;
        }
    }
    m
}

fn points_inwards(mesh: &Mesh, (kind, nodes): &(CellKind, Vec<u32>), inside: &[f64; 3]) -> bool {
    let towards = |n: &[f64]| -> f64 {
        let m = middle(mesh, &nodes[..corner_count(*kind)]);
        (0..n.len()).map(|k| n[k] * (m[k] - inside[k])).sum()
    };
    if mesh.dim == 2 {
        let n = patch::<2>(mesh, *kind, nodes).area_normal(centre(*kind));
        towards(n.as_slice()) < 0.0
    } else {
        let n = patch::<3>(mesh, *kind, nodes).area_normal(centre(*kind));
        towards(n.as_slice()) < 0.0
    }
}

fn patch<const D: usize>(mesh: &Mesh, kind: CellKind, nodes: &[u32]) -> Patch<D> {
    let mut x = [Vector::<D>::zeros(); super::facet::FACET_NODES];
    for (p, &n) in x.iter_mut().zip(nodes) {
        *p = Vector::<D>::from_column_slice(&mesh.points[n as usize][..D]);
    }
    Patch { kind, x }
}
