//! One of the two superposed meshes.

use crate::{Error, Simplex, Vector};
use delassus_contact::{Aabb, Tree};
use delassus_fem::element::{NODES_MAX, shape, shape_gradients};
use delassus_fem::mesh::{CellKind, CellRef, Mesh};

/// A middle node this far from the middle of its edge, over the edge's length, makes it curved.
const STRAIGHT: f64 = 1e-6;
/// Reference coordinates outside a cell by no more than this are inside.
const INSIDE: f64 = 1e-9;

/// Shape functions of a cell at a point.
#[derive(Clone, Copy, Debug)]
pub struct Located<const D: usize> {
    /// Values.
    pub n: [f64; NODES_MAX],
    /// Gradients in space.
    pub gradients: [Vector<D>; NODES_MAX],
    /// Reference coordinates.
    pub xi: [f64; 3],
}

/// A mesh as this crate looks at it: cells one after the other, cut into simplices.
pub struct Layer<'a, const D: usize> {
    /// The mesh.
    pub mesh: &'a Mesh,
    cells: Vec<CellRef>,
    /// Simplices with the cell of each.
    pub(crate) simplices: Vec<(u32, Simplex<D>)>,
    pub(crate) boxes: Vec<Aabb<D>>,
    pub(crate) tree: Tree<D>,
}

impl<'a, const D: usize> Layer<'a, D> {
    /// Of the cells that fill a mesh, or of some of them.
    ///
    /// # Errors
    /// Another dimension, curved sides.
    pub fn new(mesh: &'a Mesh, cells: Option<&[CellRef]>) -> Result<Self, Error> {
        if mesh.dim != D {
            return Err(Error::Dimension(mesh.dim, D));
        }
        let cells: Vec<CellRef> = cells.map_or_else(|| mesh.volume_cells().collect(), <[_]>::to_vec);
        let mut simplices = vec![];
        for (k, cell) in cells.iter().enumerate() {
            let (kind, nodes) = (mesh.kind(*cell), mesh.cell(*cell));
            let x = |n: usize| point::<D>(mesh, nodes[n]);
            for (edge, middle) in kind.edges().iter().zip(kind.corners()..kind.nodes()) {
                let (a, b) = (x(edge[0] as usize), x(edge[1] as usize));
                let off = ((a + b) * 0.5 - x(middle)).norm() / (b - a).norm();
                if off > STRAIGHT {
                    return Err(Error::Curved { cell: k, kind, off });
                }
            }
            for corners in simplices_of(kind.linear()) {
                let corners: Vec<Vector<D>> = corners.iter().map(|c| x(*c)).collect();
                simplices.push((k as u32, Simplex::new(&corners)));
            }
        }
        let boxes: Vec<Aabb<D>> = simplices.iter().map(|(_, s)| Aabb::of_points(s.corners(), 0.0)).collect();
        let mut tree = Tree::default();
        tree.update(&boxes);
        Ok(Self { mesh, cells, simplices, boxes, tree })
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// No cells.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Kind of a cell.
    pub fn kind(&self, cell: u32) -> CellKind {
        self.mesh.kind(self.cells[cell as usize])
    }

    /// Nodes of a cell.
    pub fn nodes(&self, cell: u32) -> &[u32] {
        self.mesh.cell(self.cells[cell as usize])
    }

    /// Mean of the corners of a cell.
    pub fn centre(&self, cell: u32) -> Vector<D> {
        let corners = &self.nodes(cell)[..self.kind(cell).corners()];
        corners.iter().map(|n| point::<D>(self.mesh, *n)).sum::<Vector<D>>() / corners.len() as f64
    }

    /// Measure of a cell, by its simplices.
    pub fn measures(&self) -> Vec<f64> {
        let mut measures = vec![0.0; self.len()];
        self.simplices.iter().for_each(|(cell, s)| measures[*cell as usize] += s.measure());
        measures
    }

    /// The shape functions of a cell at a point of space: Newton's method on `Σ N_a(ξ) x_a = x`, which ends at
    /// once on cells with straight parallel sides.
    pub fn locate(&self, cell: u32, x: &Vector<D>) -> Located<D> {
        let (kind, nodes) = (self.kind(cell), self.nodes(cell));
        let count = kind.nodes();
        let mut at =
            Located { n: [0.0; NODES_MAX], gradients: [Vector::zeros(); NODES_MAX], xi: reference_centre(kind) };
        let mut d = [[0.0; 3]; NODES_MAX];
        for _ in 0..30 {
            shape(kind, at.xi, &mut at.n);
            shape_gradients(kind, at.xi, &mut d);
            let mut jacobian = nalgebra::SMatrix::<f64, D, D>::zeros();
            let mut off = *x;
            for a in 0..count {
                let p = point::<D>(self.mesh, nodes[a]);
                off -= p * at.n[a];
                for k in 0..D {
                    (0..D).for_each(|i| jacobian[(i, k)] += p[i] * d[a][k]);
                }
            }
            let Some(inverse) = inverse(&jacobian) else { break };
            for a in 0..count {
                at.gradients[a] = inverse.transpose() * Vector::from_fn(|k, _| d[a][k]);
            }
            let step = inverse * off;
            (0..D).for_each(|k| at.xi[k] += step[k]);
            if step.norm() < 1e-14 {
                break;
            }
        }
        shape(kind, at.xi, &mut at.n);
        at
    }

    /// The first cell that holds a point.
    pub fn cell_at(&self, x: &Vector<D>) -> Option<u32> {
        let mut found = None;
        let around = Aabb::of_points(&[*x], 0.0);
        self.tree.overlapping(&around, |s| {
            let (cell, simplex) = &self.simplices[s as usize];
            let slack = INSIDE * self.boxes[s as usize].extent().norm();
            if found.is_none_or(|f| *cell < f) && simplex.faces().all(|f| f.distance(x) <= slack) {
                found = Some(*cell);
            }
        });
        found
    }
}

/// Position of a node.
pub(crate) fn point<const D: usize>(mesh: &Mesh, node: u32) -> Vector<D> {
    Vector::from_column_slice(&mesh.points[node as usize][..D])
}

fn inverse<const D: usize>(m: &nalgebra::SMatrix<f64, D, D>) -> Option<nalgebra::SMatrix<f64, D, D>> {
    let full = nalgebra::DMatrix::from_column_slice(D, D, m.as_slice()).try_inverse()?;
    Some(nalgebra::SMatrix::from_column_slice(full.as_slice()))
}

fn reference_centre(kind: CellKind) -> [f64; 3] {
    match kind.linear() {
        CellKind::Tri3 => [1.0 / 3.0, 1.0 / 3.0, 0.0],
        CellKind::Tet4 => [0.25; 3],
        _ => [0.0; 3],
    }
}

/// Corners of the simplices of a cell of first degree; the six tetrahedra of a hexahedron share a diagonal.
fn simplices_of(kind: CellKind) -> &'static [&'static [usize]] {
    match kind {
        CellKind::Seg2 => &[&[0, 1]],
        CellKind::Tri3 => &[&[0, 1, 2]],
        CellKind::Quad4 => &[&[0, 1, 2], &[0, 2, 3]],
        CellKind::Tet4 => &[&[0, 1, 2, 3]],
        CellKind::Hex8 => &[&[0, 1, 2, 6], &[0, 2, 3, 6], &[0, 3, 7, 6], &[0, 7, 4, 6], &[0, 4, 5, 6], &[0, 5, 1, 6]],
        _ => &[],
    }
}
