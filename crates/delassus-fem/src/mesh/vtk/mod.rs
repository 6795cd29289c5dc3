//! VTK's files of unstructured grids: the old format and XML (VTU)
//!
//! Layout: \[Schroeder06\], "VTK file formats". Compressed data are refused with a message.

mod legacy;
mod scalar;
mod vtu;
mod write;

pub(super) use legacy::read as read_legacy;
pub(super) use vtu::read as read_vtu;

use super::input::Input;
use super::read::{Draft, kinds_in_words};
use super::{CellKind, CellRef, MeshError};

/// Names of arrays that stand for groups begin so.
const GROUP: &str = "group:";

/// Cells as both formats have them.
struct Cells {
    /// Place in the file, for messages.
    at: usize,
    /// Nodes, cell after cell.
    connectivity: Vec<i64>,
    /// Where each cell ends in `connectivity`.
    ends: Vec<i64>,
    /// VTK's numbers of kinds.
    types: Vec<i64>,
}

impl Cells {
    /// Puts the cells into the mesh; their references, in the file's order. Nodes are
    /// those from `first` on.
    fn put(&self, input: &Input<'_>, draft: &mut Draft, first: usize) -> Result<Vec<CellRef>, MeshError> {
        let count = draft.mesh.points.len() - first;
        if self.types.len() != self.ends.len() {
            let expected = format!("{} kinds, one for each cell", self.ends.len());
            return Err(input.fail(self.at, format!("{} kinds of cells", self.types.len()), expected));
        }
        let mut cells = Vec::with_capacity(self.types.len());
        let mut start = 0;
        for (number, (&end, &vtk)) in self.ends.iter().zip(&self.types).enumerate() {
            let kind = u64::try_from(vtk).ok().and_then(CellKind::from_vtk).ok_or_else(|| {
                let found = format!("cell {number} of type {vtk}");
                input.fail(self.at, found, kinds_in_words(CellKind::vtk_type))
            })?;
            let range = usize::try_from(end).ok().filter(|&e| e >= start && e - start == kind.nodes());
            let nodes = range.and_then(|end| self.connectivity.get(start..end)).ok_or_else(|| {
                let found = format!("nodes {start} to {end} for cell {number}");
                input.fail(
                    self.at,
                    found,
                    format!("{} nodes for a {kind}, of {} in all", kind.nodes(), self.connectivity.len()),
                )
            })?;
            let mut ours = [0; 10];
            for (ours, &node) in ours.iter_mut().zip(nodes) {
                *ours =
                    u32::try_from(node).ok().filter(|&n| (n as usize) < count).map(|n| n + first as u32).ok_or_else(
                        || {
                            input.fail(
                                self.at,
                                format!("node {node} in cell {number}"),
                                format!("0 to {}", count as i64 - 1),
                            )
                        },
                    )?;
            }
            cells.push(draft.mesh.push_cell(kind, &ours[..kind.nodes()]));
            start += kind.nodes();
        }
        Ok(cells)
    }
}

/// Coordinates, three by three.
fn points(input: &Input<'_>, at: usize, values: &[f64]) -> Result<Vec<[f64; 3]>, MeshError> {
    if let Some(x) = values.iter().find(|x| !x.is_finite()) {
        return Err(input.fail(at, format!("the coordinate {x}"), "finite numbers"));
    }
    Ok(values.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect())
}
