//! A line of segments

use super::super::{CellKind, Mesh, MeshError};
use super::{Grading, counts, finite};
use serde::{Deserialize, Serialize};

/// Segments from one point to another. Groups: `bar`, `left` (start), `right` (end).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bar {
    /// Dimension of the mesh, 2 or 3.
    pub dim: usize,
    /// First end \[m\].
    pub start: [f64; 3],
    /// Last end \[m\].
    pub end: [f64; 3],
    /// Number of segments.
    pub cells: usize,
    /// How they grow.
    pub grading: Grading,
}

impl Bar {
    /// Equal segments along x, in the plane.
    pub fn new(start: f64, end: f64, cells: usize) -> Self {
        Bar { dim: 2, start: [start, 0.0, 0.0], end: [end, 0.0, 0.0], cells, grading: Grading::Uniform }
    }

    /// The mesh, of `Seg2`.
    pub fn mesh(&self) -> Result<Mesh, MeshError> {
        finite("ends of a bar", &[self.start, self.end].concat())?;
        counts("cells of a bar", &[self.cells])?;
        if self.start == self.end {
            return Err(MeshError::Setting {
                item: "ends of a bar",
                found: format!("twice {:?}", self.start),
                accepted: "two different points",
            });
        }
        let (a, b) = (self.start, self.end);
        let at = |s: f64| [0, 1, 2].map(|k| a[k] + s * (b[k] - a[k]));
        let mut points: Vec<[f64; 3]> = self.grading.stations(self.cells)?.into_iter().map(at).collect();
        points[self.cells] = b;
        let mut mesh = Mesh::new(self.dim, points);
        let cells = (0..self.cells as u32).map(|i| mesh.push_cell(CellKind::Seg2, &[i, i + 1])).collect();
        mesh.add_group("bar", cells)?;
        mesh.add_node_group("left", vec![0])?;
        mesh.add_node_group("right", vec![self.cells as u32])?;
        mesh.validate()?;
        Ok(mesh)
    }
}
