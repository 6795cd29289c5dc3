//! Lengths, areas and volumes of cells
//!
//! |K| = Σ_q w_q det J(ξ_q), with rules exact for det J of every kind in its own space.

use super::shape::{determinant, gradients, jacobian};
use super::{CellKind, CellRef, Mesh};

const G: f64 = 0.577_350_269_189_625_8;
const G3: f64 = 0.774_596_669_241_483_4;

/// Visits points and weights of the rule of a kind.
fn quadrature(kind: CellKind, mut visit: impl FnMut([f64; 3], f64)) {
    use CellKind::*;
    match kind {
        Point => visit([0.0; 3], 1.0),
        Seg2 => visit([0.0; 3], 2.0),
        Seg3 => {
            [(-G3, 5.0 / 9.0), (0.0, 8.0 / 9.0), (G3, 5.0 / 9.0)].iter().for_each(|&(x, w)| visit([x, 0.0, 0.0], w))
        }
        Tri3 | Tri6 => [[0.5, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 0.5, 0.0]].iter().for_each(|&x| visit(x, 1.0 / 6.0)),
        Tet4 => visit([0.25; 3], 1.0 / 6.0),
        // Degree 3, as det J of a Tet10.
        Tet10 => {
            visit([0.25; 3], -2.0 / 15.0);
            let (a, b) = (1.0 / 6.0, 0.5);
            [[a, a, a], [b, a, a], [a, b, a], [a, a, b]].iter().for_each(|&x| visit(x, 3.0 / 40.0));
        }
        Quad4 | Quad8 => [[-G, -G, 0.0], [G, -G, 0.0], [G, G, 0.0], [-G, G, 0.0]].iter().for_each(|&x| visit(x, 1.0)),
        Hex8 => (0..8).for_each(|i| {
            let side = |bit: usize| if i >> bit & 1 == 0 { -G } else { G };
            visit([side(0), side(1), side(2)], 1.0);
        }),
    }
}

impl Mesh {
    /// Length \[m\], area \[m²\] or volume \[m³\] of a cell; 1 for a point. Negative when a
    /// cell that fills the space is inverted.
    pub fn cell_measure(&self, cell: CellRef) -> f64 {
        let (x, kind) = self.corners(cell);
        let mut sum = 0.0;
        quadrature(kind, |xi, w| {
            let j = jacobian(&x, &gradients(kind, xi), kind.nodes());
            sum += w * determinant(&j, kind.dim(), self.dim);
        });
        sum
    }

    /// Area (plane) or volume (space) of the mesh.
    pub fn measure(&self) -> f64 {
        self.volume_cells().map(|c| self.cell_measure(c)).sum()
    }

    /// Sum of the measures of a group's cells.
    pub fn group_measure(&self, name: &str) -> Result<f64, super::MeshError> {
        Ok(self.group(name)?.cells.iter().map(|&c| self.cell_measure(c)).sum())
    }

    /// Mean of a cell's nodes.
    pub fn cell_centre(&self, cell: CellRef) -> [f64; 3] {
        let (x, kind) = self.corners(cell);
        let n = kind.nodes();
        let mut c = [0.0; 3];
        x[..n].iter().for_each(|x| (0..3).for_each(|k| c[k] += x[k] / n as f64));
        c
    }
}
