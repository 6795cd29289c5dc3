//! A box

use super::super::{CellKind, Mesh, MeshError};
use super::rectangle::between;
use super::{Grading, counts, finish, grid, interval, straight};
use serde::{Deserialize, Serialize};

/// A box of `Hex8`, `Tet4` or `Tet10`. Groups: `left` and `right` (x), `front` and `back`
/// (y), `bottom` and `top` (z), `boundary`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cuboid {
    /// Corner with the lowest coordinates \[m\].
    pub lower: [f64; 3],
    /// Corner with the highest \[m\].
    pub upper: [f64; 3],
    /// Cells along x, y and z.
    pub cells: [usize; 3],
    /// Their kind.
    pub kind: CellKind,
    /// How they grow along x, y and z.
    pub grading: [Grading; 3],
}

impl Cuboid {
    /// Equal cells.
    pub fn new(lower: [f64; 3], upper: [f64; 3], cells: [usize; 3], kind: CellKind) -> Self {
        Cuboid { lower, upper, cells, kind, grading: Default::default() }
    }

    /// The mesh.
    pub fn mesh(&self) -> Result<Mesh, MeshError> {
        interval("box", &self.lower, &self.upper)?;
        counts("cells of a box", &self.cells)?;
        let (a, b) = (self.lower, self.upper);
        let mut s: [Vec<f64>; 3] = Default::default();
        for k in 0..3 {
            s[k] = self.grading[k].stations(self.cells[k])?;
        }
        let at = |i: usize, j: usize, k: usize| {
            [between(a[0], b[0], s[0][i]), between(a[1], b[1], s[1][j]), between(a[2], b[2], s[2][k])]
        };
        let mut mesh = finish(grid::space(self.cells, at), self.kind, straight)?;
        mesh.group_sides(&[
            ("left", &|p| p[0] == a[0]),
            ("right", &|p| p[0] == b[0]),
            ("front", &|p| p[1] == a[1]),
            ("back", &|p| p[1] == b[1]),
            ("bottom", &|p| p[2] == a[2]),
            ("top", &|p| p[2] == b[2]),
            ("boundary", &|_| true),
        ])?;
        Ok(mesh)
    }
}
