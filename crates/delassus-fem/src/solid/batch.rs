//! Cells of one kind in a row, with their reference gradients

use super::{Hypothesis, SolidError};
use crate::element;
use crate::mesh::CellKind;

/// A cell: `gradients[a][k][q] = ∂N_a/∂X_k` at quadrature point q, so that sweeps over the
/// points are contiguous; weights hold the Jacobian and the extent across the plane.
#[derive(Clone, Debug)]
pub(crate) struct Cell<const D: usize, const N: usize, const Q: usize> {
    pub nodes: [u32; N],
    pub gradients: [[[f64; Q]; D]; N],
    pub weights: [f64; Q],
    pub volume: f64,
}

/// Consecutive cells of one kind; `first` is the rank of the first in the solid.
#[derive(Clone, Debug)]
pub(crate) struct Batch<const D: usize, const N: usize, const Q: usize> {
    pub kind: CellKind,
    /// Whether of revolution.
    pub round: bool,
    pub first: usize,
    pub cells: Vec<Cell<D, N, Q>>,
    /// `N_a/R` at the points of revolution solids, else empty.
    pub hoops: Vec<[[f64; Q]; N]>,
    /// Lumped share of each node in the volume of the cell.
    pub shares: Vec<[f64; N]>,
}

/// Batches of every kind.
#[derive(Clone, Debug)]
pub(crate) enum AnyBatch {
    Tri3(Batch<2, 3, 1>),
    Tri3Round(Batch<2, 3, 3>),
    Quad4(Batch<2, 4, 4>),
    Tri6(Batch<2, 6, 3>),
    Quad8(Batch<2, 8, 9>),
    Tet4(Batch<3, 4, 1>),
    Tet10(Batch<3, 10, 4>),
    Hex8(Batch<3, 8, 8>),
}

/// Runs `$body` with `$b` the typed batch and `$frame` its tensors.
macro_rules! with_batch {
    ($any:expr, $b:ident => $plane:expr, $space:expr) => {
        match $any {
            AnyBatch::Tri3($b) => $plane,
            AnyBatch::Tri3Round($b) => $plane,
            AnyBatch::Quad4($b) => $plane,
            AnyBatch::Tri6($b) => $plane,
            AnyBatch::Quad8($b) => $plane,
            AnyBatch::Tet4($b) => $space,
            AnyBatch::Tet10($b) => $space,
            AnyBatch::Hex8($b) => $space,
        }
    };
    ($any:expr, $b:ident => $body:expr) => {
        with_batch!($any, $b => $body, $body)
    };
}
pub(crate) use with_batch;

/// Nodes of one cell and where they are.
pub(crate) struct Geometry<'a> {
    pub cell: usize,
    pub kind: CellKind,
    pub nodes: &'a [u32],
    pub points: &'a [[f64; 3]],
    pub hypothesis: Hypothesis,
}

impl AnyBatch {
    /// An empty batch; `None` for kinds that carry no volume in this dimension.
    pub fn empty(kind: CellKind, first: usize, hypothesis: Hypothesis) -> Option<Self> {
        if element::dimension(kind) != hypothesis.dim() {
            return None;
        }
        let round = hypothesis == Hypothesis::Axisymmetric;
        Some(match kind {
            CellKind::Tri3 if round => Self::Tri3Round(Batch::new(kind, first, round)),
            CellKind::Tri3 => Self::Tri3(Batch::new(kind, first, round)),
            CellKind::Quad4 => Self::Quad4(Batch::new(kind, first, round)),
            CellKind::Tri6 => Self::Tri6(Batch::new(kind, first, round)),
            CellKind::Quad8 => Self::Quad8(Batch::new(kind, first, round)),
            CellKind::Tet4 => Self::Tet4(Batch::new(kind, first, round)),
            CellKind::Tet10 => Self::Tet10(Batch::new(kind, first, round)),
            CellKind::Hex8 => Self::Hex8(Batch::new(kind, first, round)),
            CellKind::Point | CellKind::Seg2 | CellKind::Seg3 => return None,
        })
    }

    pub fn push(&mut self, geometry: &Geometry) -> Result<(), SolidError> {
        with_batch!(self, b => b.push(geometry))
    }

    pub fn kind(&self) -> CellKind {
        with_batch!(self, b => b.kind)
    }

    pub fn first(&self) -> usize {
        with_batch!(self, b => b.first)
    }

    pub fn len(&self) -> usize {
        with_batch!(self, b => b.cells.len())
    }

    pub fn points(&self) -> usize {
        with_batch!(self, b => b.points())
    }

    pub fn nodes(&self, cell: usize) -> &[u32] {
        with_batch!(self, b => &b.cells[cell - b.first].nodes)
    }
}

impl<const D: usize, const N: usize, const Q: usize> Batch<D, N, Q> {
    fn new(kind: CellKind, first: usize, round: bool) -> Self {
        Self { kind, round, first, cells: Vec::new(), hoops: Vec::new(), shares: Vec::new() }
    }

    /// Quadrature points of a cell.
    #[allow(clippy::unused_self)]
    pub fn points(&self) -> usize {
        Q
    }

    fn push(&mut self, geometry: &Geometry) -> Result<(), SolidError> {
        let rule = element::stiffness_rule(self.kind, self.round);
        let mut cell = Cell {
            nodes: std::array::from_fn(|a| geometry.nodes[a]),
            gradients: [[[0.0; Q]; D]; N],
            weights: [0.0; Q],
            volume: 0.0,
        };
        let mut hoop = [[0.0; Q]; N];
        for (q, (&xi, &weight)) in rule.points.iter().zip(&rule.weights).enumerate() {
            let at = geometry.at(xi)?;
            for a in 0..N {
                for k in 0..D {
                    cell.gradients[a][k][q] = at.gradients[a][k];
                }
                hoop[a][q] = at.shape[a] / at.position[0];
            }
            cell.weights[q] = weight * at.jacobian * geometry.hypothesis.extent(at.position[0]);
            cell.volume += cell.weights[q];
        }
        self.cells.push(cell);
        self.shares.push(super::mass::shares(geometry, None)?);
        if self.round {
            self.hoops.push(hoop);
        }
        Ok(())
    }
}

/// The mapping at one reference point.
pub(crate) struct At {
    pub shape: [f64; element::NODES_MAX],
    pub gradients: [[f64; 3]; element::NODES_MAX],
    pub position: [f64; 3],
    pub jacobian: f64,
}

impl Geometry<'_> {
    /// Shapes, gradients in space and Jacobian at a reference point.
    pub fn at(&self, xi: [f64; 3]) -> Result<At, SolidError> {
        let dim = self.hypothesis.dim();
        let mut at = At {
            shape: [0.0; element::NODES_MAX],
            gradients: [[0.0; 3]; element::NODES_MAX],
            position: [0.0; 3],
            jacobian: 0.0,
        };
        let mut local = [[0.0; 3]; element::NODES_MAX];
        element::shape(self.kind, xi, &mut at.shape);
        element::shape_gradients(self.kind, xi, &mut local);
        let mut map = nalgebra::Matrix3::identity();
        if dim == 2 {
            map.fixed_view_mut::<2, 2>(0, 0).fill(0.0);
        } else {
            map.fill(0.0);
        }
        for (a, &node) in self.nodes.iter().enumerate() {
            let x = self.points[node as usize];
            for i in 0..dim {
                at.position[i] += at.shape[a] * x[i];
                for k in 0..dim {
                    map[(i, k)] += x[i] * local[a][k];
                }
            }
        }
        at.jacobian = map.determinant();
        // Relative to the size of the cell, flat to rounding is flat.
        let size = map.norm();
        let inverse = map.try_inverse().filter(|_| at.jacobian > 1e-14 * size.powi(dim as i32));
        let Some(inverse) = inverse.filter(|i| i.iter().all(|x| x.is_finite())) else {
            let nodes = self.nodes.to_vec();
            return Err(SolidError::Inverted { cell: self.cell, kind: self.kind, nodes, jacobian: at.jacobian });
        };
        if self.hypothesis == Hypothesis::Axisymmetric && !(at.position[0] > 0.0) {
            return Err(SolidError::Radius { cell: self.cell, radius: at.position[0] });
        }
        for a in 0..self.nodes.len() {
            for k in 0..dim {
                at.gradients[a][k] = (0..dim).map(|l| local[a][l] * inverse[(l, k)]).sum();
            }
        }
        Ok(at)
    }
}
