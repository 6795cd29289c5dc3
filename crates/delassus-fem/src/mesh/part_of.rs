//! A part of a mesh.

use super::{CellRef, Group, Mesh, MeshError};
use std::collections::BTreeMap;

impl Mesh {
    /// The mesh of some of the cells that fill it, `keep` saying which; facets and nodes of the others are left out,
    /// and groups keep what is left of them.
    ///
    /// # Errors
    /// A mesh that its groups do not fit.
    pub fn only(&self, keep: &[bool]) -> Result<Mesh, MeshError> {
        let mut node = vec![u32::MAX; self.points.len()];
        let mut points = vec![];
        for (cell, _) in self.volume_cells().zip(keep).filter(|(_, k)| **k) {
            for n in self.cell(cell) {
                if node[*n as usize] == u32::MAX {
                    node[*n as usize] = points.len() as u32;
                    points.push(self.points[*n as usize]);
                }
            }
        }
        let mut mesh = Mesh::new(self.dim, points);
        let mut moved: BTreeMap<CellRef, CellRef> = BTreeMap::new();
        let mut kept = keep.iter();
        let full: Vec<CellRef> = self.volume_cells().filter(|_| kept.next().copied().unwrap_or(false)).collect();
        let facets = (0..self.dim).rev().flat_map(|dim| self.cells_of_dim(dim).collect::<Vec<_>>());
        let facets = facets.filter(|c| self.cell(*c).iter().all(|n| node[*n as usize] != u32::MAX));
        for cell in full.into_iter().chain(facets.collect::<Vec<_>>()) {
            let nodes: Vec<u32> = self.cell(cell).iter().map(|n| node[*n as usize]).collect();
            moved.insert(cell, mesh.push_cell(self.kind(cell), &nodes));
        }
        // Facets between kept and lost cells were inner ones: none of them was in the mesh.
        for (name, group) in &self.groups {
            let cells: Vec<CellRef> = group.cells.iter().filter_map(|c| moved.get(c).copied()).collect();
            let mut nodes: Vec<u32> =
                group.nodes.iter().map(|n| node[*n as usize]).filter(|n| *n != u32::MAX).collect();
            if !cells.is_empty() {
                nodes = cells.iter().flat_map(|c| mesh.cell(*c).to_vec()).collect();
            }
            nodes.sort_unstable();
            nodes.dedup();
            if nodes.is_empty() || (cells.is_empty() && !group.cells.is_empty()) {
                continue;
            }
            mesh.groups.insert(name.clone(), Group { dim: group.dim, cells, nodes });
        }
        Ok(mesh)
    }
}
