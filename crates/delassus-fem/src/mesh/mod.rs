//! Meshes: points, cells by kind, groups
//!
//! ```text
//! generators (generate) ─┐                         ┌─▶ boundary facets, groups
//! Gmsh, VTK files (read) ┴─▶ Mesh ─validate, repair┴─▶ Solid, Surface
//! ```
//!
//! Nodes are ordered as in VTK. Cells of the plane turn counterclockwise, those of space
//! have a positive Jacobian; cells of the boundary are oriented outwards: a segment has
//! the solid on its left, a face has its normal (right-hand rule) away from the solid.
//! Numbers of nodes and cells count from 0.

mod boundary;
mod check;
mod convert;
mod error;
pub mod generate;
mod gmsh;
mod group;
mod input;
mod kind;
mod measure;
mod part_of;
mod read;
mod shape;
mod surface;
mod transform;
mod vtk;
mod weld;

use std::collections::BTreeMap;

pub use boundary::Facet;
pub use check::Repair;
pub use error::{BadCell, MeshError, Place, ReadError};
pub use group::Side;
pub use kind::LocalFacet;
pub use read::MeshFormat;

/// The kinds of cells. Nodes are ordered as in VTK.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellRef {
    /// Index into [`Mesh::blocks`].
    pub block: u32,
    /// Rank in the block.
    pub index: u32,
}

/// A named set of cells of one dimension, and their nodes. A set of nodes alone has
/// dimension 0 and no cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// Dimension of the cells.
    pub dim: usize,
    /// The cells.
    pub cells: Vec<CellRef>,
    /// Their nodes, sorted, without repetition.
    pub nodes: Vec<u32>,
}

/// A mesh of dimension 2 or 3.
#[derive(Clone, Debug, Default, PartialEq)]
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

impl Mesh {
    /// A mesh without cells.
    pub fn new(dim: usize, points: Vec<[f64; 3]>) -> Self {
        Mesh { dim, points, ..Mesh::default() }
    }

    /// Appends a cell to the block of its kind, which is made when there is none.
    ///
    /// # Panics
    /// When `nodes` has not the length of the kind.
    pub fn push_cell(&mut self, kind: CellKind, nodes: &[u32]) -> CellRef {
        assert_eq!(nodes.len(), kind.nodes(), "nodes of a {}", kind.name());
        let block = self.blocks.iter().position(|b| b.kind == kind).unwrap_or_else(|| {
            self.blocks.push(Block { kind, nodes: Vec::new() });
            self.blocks.len() - 1
        });
        let index = self.blocks[block].len();
        self.blocks[block].nodes.extend_from_slice(nodes);
        CellRef { block: block as u32, index: index as u32 }
    }

    /// Kind of a cell.
    pub fn kind(&self, cell: CellRef) -> CellKind {
        self.blocks[cell.block as usize].kind
    }

    /// Nodes of a cell.
    pub fn cell(&self, cell: CellRef) -> &[u32] {
        self.blocks[cell.block as usize].cell(cell.index as usize)
    }

    /// Every cell of a dimension, block after block.
    pub fn cells_of_dim(&self, dim: usize) -> impl Iterator<Item = CellRef> + '_ {
        self.blocks
            .iter()
            .enumerate()
            .filter(move |(_, b)| b.kind.dim() == dim)
            .flat_map(|(block, b)| (0..b.len()).map(move |index| CellRef { block: block as u32, index: index as u32 }))
    }

    /// The cells that fill the mesh's dimension: surfaces in the plane, volumes in space.
    pub fn volume_cells(&self) -> impl Iterator<Item = CellRef> + '_ {
        self.cells_of_dim(self.dim)
    }

    /// Coordinates of a cell's nodes, in the first [`CellKind::nodes`] places.
    pub(crate) fn corners(&self, cell: CellRef) -> ([[f64; 3]; 10], CellKind) {
        let mut x = [[0.0; 3]; 10];
        for (x, &n) in x.iter_mut().zip(self.cell(cell)) {
            *x = self.points[n as usize];
        }
        (x, self.kind(cell))
    }

    /// Smallest box around the points: its lower and upper corner. Zero when empty.
    pub fn bounds(&self) -> ([f64; 3], [f64; 3]) {
        let Some(&first) = self.points.first() else { return ([0.0; 3], [0.0; 3]) };
        self.points.iter().fold((first, first), |(mut lo, mut hi), p| {
            for k in 0..3 {
                lo[k] = lo[k].min(p[k]);
                hi[k] = hi[k].max(p[k]);
            }
            (lo, hi)
        })
    }

    /// Length of the diagonal of [`Mesh::bounds`].
    pub fn extent(&self) -> f64 {
        let (lo, hi) = self.bounds();
        (0..3).map(|k| (hi[k] - lo[k]).powi(2)).sum::<f64>().sqrt()
    }
}

impl Block {
    /// Number of cells.
    pub fn len(&self) -> usize {
        self.nodes.len() / self.kind.nodes()
    }

    /// No cells.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Nodes of one cell.
    pub fn cell(&self, index: usize) -> &[u32] {
        let n = self.kind.nodes();
        &self.nodes[index * n..(index + 1) * n]
    }

    /// The cells, one after another.
    pub fn cells(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.nodes.chunks_exact(self.kind.nodes())
    }
}
