//! A rectangle

use super::super::{CellKind, Mesh, MeshError};
use super::{Grading, counts, finish, grid, interval, straight};
use serde::{Deserialize, Serialize};

/// A rectangle of `Quad4`, `Quad8`, `Tri3` or `Tri6`. Groups: `left`, `right`, `bottom`,
/// `top`, `boundary`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rectangle {
    /// Lower left corner \[m\].
    pub lower: [f64; 2],
    /// Upper right corner \[m\].
    pub upper: [f64; 2],
    /// Cells along x and y.
    pub cells: [usize; 2],
    /// Their kind.
    pub kind: CellKind,
    /// How they grow along x and y.
    pub grading: [Grading; 2],
}

impl Rectangle {
    /// Equal cells.
    pub fn new(lower: [f64; 2], upper: [f64; 2], cells: [usize; 2], kind: CellKind) -> Self {
        Rectangle { lower, upper, cells, kind, grading: Default::default() }
    }

    /// The mesh.
    pub fn mesh(&self) -> Result<Mesh, MeshError> {
        interval("rectangle", &self.lower, &self.upper)?;
        counts("cells of a rectangle", &self.cells)?;
        let ([a, b], [c, d]) = (self.lower, self.upper);
        let (s, t) = (self.grading[0].stations(self.cells[0])?, self.grading[1].stations(self.cells[1])?);
        let grid = grid::plane(self.cells, |i, j| [between(a, c, s[i]), between(b, d, t[j])]);
        let mut mesh = finish(grid, self.kind, straight)?;
        mesh.group_sides(&[
            ("left", &|p| p[0] == a),
            ("right", &|p| p[0] == c),
            ("bottom", &|p| p[1] == b),
            ("top", &|p| p[1] == d),
            ("boundary", &|_| true),
        ])?;
        Ok(mesh)
    }
}

/// Interpolation that gives both ends exactly.
pub(super) fn between(a: f64, b: f64, s: f64) -> f64 {
    a * (1.0 - s) + b * s
}
