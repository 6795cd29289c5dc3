//! Meshes: points, cells by kind, groups

use std::collections::BTreeMap;

/// The kinds of cells. Nodes are ordered as in VTK.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CellKind {
    /// One node.
    Point,
    /// Two-node segment.
    Seg2,
    /// Three-node segment, the middle one last.
    Seg3,
    /// Three-node triangle.
    Tri3,
    /// Six-node triangle.
    Tri6,
    /// Four-node quadrangle.
    Quad4,
    /// Eight-node quadrangle.
    Quad8,
    /// Four-node tetrahedron.
    Tet4,
    /// Ten-node tetrahedron.
    Tet10,
    /// Eight-node hexahedron.
    Hex8,
}

/// Cells of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Their kind.
    pub kind: CellKind,
    /// Nodes, cell after cell.
    pub nodes: Vec<u32>,
}

/// A cell: its block and its rank there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CellRef {
    /// Index into [`Mesh::blocks`].
    pub block: u32,
    /// Rank in the block.
    pub index: u32,
}

/// A named set of cells of one dimension, and their nodes.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// Dimension of the cells.
    pub dim: usize,
    /// The cells.
    pub cells: Vec<CellRef>,
    /// Their nodes, sorted, without repetition.
    pub nodes: Vec<u32>,
}

/// A mesh of dimension 2 or 3.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// 2 or 3; in the plane the third coordinate is zero. Axisymmetric meshes: x is the radius, y the axis.
    pub dim: usize,
    /// Coordinates \[m\].
    pub points: Vec<[f64; 3]>,
    /// Cells by kind, those of the boundary included.
    pub blocks: Vec<Block>,
    /// Named sets.
    pub groups: BTreeMap<String, Group>,
}
