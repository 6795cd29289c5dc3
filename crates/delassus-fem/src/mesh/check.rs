//! Is the mesh sound?
//!
//! Quality of a cell: the smallest scaled Jacobian over its nodes (and the centre of a
//! Hex8), det J / Π |∂x/∂ξ_k|, in [−1, 1]. For simplices the three (six) edges stand in for
//! the columns, with the factor that gives the regular one 1: it does not depend on
//! which corner comes first. Reference: \[Knupp00\].

use super::error::BadCell;
use super::shape::{determinant, gradients, jacobian, norm, reference_nodes, sub};
use super::{Block, CellKind, CellRef, Mesh, MeshError};

/// Below this a cell has lost a dimension.
pub(crate) const DEGENERATE: f64 = 1e-6;

/// What [`Mesh::repair_orientation`] turned over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repair {
    /// Inverted cells of the mesh's dimension.
    pub cells: usize,
    /// Cells of the boundary that pointed inwards.
    pub facets: usize,
}

/// Scaled Jacobian from the columns at a point.
fn scaled(c: &[[f64; 3]; 3], kind: CellKind, dim: usize) -> f64 {
    let det = determinant(c, kind.dim(), dim);
    let [a, b, d] = [norm(c[0]), norm(c[1]), norm(c[2])];
    let (scale, regular) = match (kind.is_simplex(), kind.dim()) {
        (_, 0 | 1) => return f64::from(u8::from(det > 0.0)),
        (true, 2) => {
            let e = norm(sub(c[1], c[0]));
            ((a * b).max(a * e).max(b * e), 2.0 / 3f64.sqrt())
        }
        (true, _) => {
            let (ab, bd, da) = (norm(sub(c[1], c[0])), norm(sub(c[2], c[1])), norm(sub(c[0], c[2])));
            ((a * b * d).max(a * ab * da).max(b * ab * bd).max(d * bd * da), 2f64.sqrt())
        }
        (false, 2) => (a * b, 1.0),
        (false, _) => (a * b * d, 1.0),
    };
    if scale > 0.0 { regular * det / scale } else { 0.0 }
}

impl Mesh {
    /// Smallest scaled Jacobian of a cell: 1 for a square or a regular simplex, 0 or less
    /// for a cell that cannot be used.
    pub fn cell_quality(&self, cell: CellRef) -> f64 {
        self.jacobian_range(cell).0
    }

    /// Smallest and largest scaled Jacobian.
    fn jacobian_range(&self, cell: CellRef) -> (f64, f64) {
        let (x, kind) = self.corners(cell);
        let centre = if kind == CellKind::Hex8 { &[[0.0; 3]][..] } else { &[] };
        let mut range = (f64::INFINITY, f64::NEG_INFINITY);
        for &xi in reference_nodes(kind).iter().chain(centre) {
            let q = scaled(&jacobian(&x, &gradients(kind, xi), kind.nodes()), kind, self.dim);
            range = (range.0.min(q), range.1.max(q));
        }
        range
    }

    /// Everything a computation relies on: numbers in range, finite coordinates, no
    /// inverted or degenerate cell, at most two cells to a facet, neighbours that agree on
    /// its nodes, groups that refer to what exists.
    pub fn validate(&self) -> Result<(), MeshError> {
        if !(2..=3).contains(&self.dim) {
            return Err(MeshError::Dimension { dim: self.dim });
        }
        self.check_points()?;
        self.blocks.iter().try_for_each(|b| self.check_block(b))?;
        self.check_groups()?;
        self.check_shapes()?;
        self.check_facets()
    }

    fn check_points(&self) -> Result<(), MeshError> {
        if u32::try_from(self.points.len()).is_err() {
            return Err(MeshError::TooMany { what: "nodes", count: self.points.len() });
        }
        for (node, &at) in self.points.iter().enumerate() {
            if !at.iter().all(|c| c.is_finite()) {
                return Err(MeshError::NotFinite { node, at });
            }
            if self.dim == 2 && at[2] != 0.0 {
                return Err(MeshError::NotPlane { node, at });
            }
        }
        Ok(())
    }

    fn check_block(&self, block: &Block) -> Result<(), MeshError> {
        let kind = block.kind;
        if kind.dim() > self.dim {
            return Err(MeshError::KindTooHigh { dim: self.dim, kind });
        }
        if !block.nodes.len().is_multiple_of(kind.nodes()) {
            return Err(MeshError::PartialCell { kind, length: block.nodes.len() });
        }
        if u32::try_from(block.len()).is_err() {
            return Err(MeshError::TooMany { what: "cells", count: block.len() });
        }
        for (number, nodes) in block.cells().enumerate() {
            for (i, &node) in nodes.iter().enumerate() {
                if node as usize >= self.points.len() {
                    return Err(MeshError::NodeOutOfRange { kind, number, node, count: self.points.len() });
                }
                if nodes[..i].contains(&node) {
                    return Err(MeshError::RepeatedNode { kind, number, node, nodes: nodes.to_vec() });
                }
            }
        }
        Ok(())
    }

    fn check_groups(&self) -> Result<(), MeshError> {
        for (name, group) in &self.groups {
            let out = |what, number: u32, count| {
                Err(MeshError::GroupOutOfRange { name: name.clone(), what, number: number as usize, count })
            };
            for cell in &group.cells {
                let Some(block) = self.blocks.get(cell.block as usize) else {
                    return out("block", cell.block, self.blocks.len());
                };
                if cell.index as usize >= block.len() {
                    return out("cell", cell.index, block.len());
                }
            }
            if let Some(&node) = group.nodes.iter().find(|&&n| n as usize >= self.points.len()) {
                return out("node", node, self.points.len());
            }
        }
        Ok(())
    }

    /// The first bad cell, and how many others there are.
    fn check_shapes(&self) -> Result<(), MeshError> {
        let mut bad: Option<BadCell> = None;
        for cell in (1..=self.dim).rev().flat_map(|d| self.cells_of_dim(d)) {
            let quality = self.cell_quality(cell);
            if quality > DEGENERATE {
                continue;
            }
            match &mut bad {
                Some(first) => first.others += 1,
                None => bad = Some(self.bad_cell(cell, quality)),
            }
        }
        bad.map_or(Ok(()), |b| Err(MeshError::BadCell(Box::new(b))))
    }

    fn bad_cell(&self, cell: CellRef, quality: f64) -> BadCell {
        BadCell {
            kind: self.kind(cell),
            number: cell.index as usize,
            nodes: self.cell(cell).to_vec(),
            centre: self.cell_centre(cell),
            quality,
            others: 0,
        }
    }

    /// Turns over cells that are inverted everywhere, and cells of the boundary that
    /// point inwards. Cells that are inverted in part stay: no order of nodes helps them.
    pub fn repair_orientation(&mut self) -> Repair {
        let inverted: Vec<CellRef> = self.volume_cells().filter(|&c| self.jacobian_range(c).1 < 0.0).collect();
        inverted.iter().for_each(|&c| self.flip(c));
        Repair { cells: inverted.len(), facets: self.orient_boundary() }
    }

    /// Turns a cell over.
    pub(crate) fn flip(&mut self, cell: CellRef) {
        let block = &mut self.blocks[cell.block as usize];
        let n = block.kind.nodes();
        let mut old = [0; 10];
        let nodes = &mut block.nodes[cell.index as usize * n..][..n];
        old[..n].copy_from_slice(nodes);
        nodes.iter_mut().zip(block.kind.flipped()).for_each(|(node, &from)| *node = old[from as usize]);
    }
}
