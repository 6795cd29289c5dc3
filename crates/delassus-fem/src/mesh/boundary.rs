//! Facets between cells, and those that have one neighbour only

use super::{CellKind, CellRef, Mesh, MeshError};

/// A facet of a cell, oriented away from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facet {
    /// Its kind.
    pub kind: CellKind,
    /// The cell behind it.
    pub cell: CellRef,
    /// Its rank in [`CellKind::facets`] of that cell.
    pub local: u8,
    nodes: [u32; 6],
}

impl Facet {
    /// Its nodes.
    pub fn nodes(&self) -> &[u32] {
        &self.nodes[..self.kind.nodes()]
    }

    /// Its corners in rising order: the same from both sides.
    fn key(&self) -> [u32; 4] {
        sorted_corners(&self.nodes[..self.kind.corners()])
    }
}

/// Up to four nodes in rising order, absent ones last.
fn sorted_corners(corners: &[u32]) -> [u32; 4] {
    let mut key = [u32::MAX; 4];
    key[..corners.len()].copy_from_slice(corners);
    key.sort_unstable();
    key
}

impl Mesh {
    /// One facet of a cell.
    fn facet(&self, cell: CellRef, local: usize) -> Facet {
        let (kind, order) = self.kind(cell).facets()[local];
        let of = self.cell(cell);
        let mut nodes = [u32::MAX; 6];
        nodes.iter_mut().zip(order).for_each(|(n, &i)| *n = of[i as usize]);
        Facet { kind, cell, local: local as u8, nodes }
    }

    /// All facets of the cells that fill the mesh, neighbours beside each other. Sorted
    /// rather than hashed: the order is the same on every machine.
    fn sorted_facets(&self) -> Vec<([u32; 4], CellRef, u8)> {
        let mut all = Vec::new();
        for cell in self.volume_cells() {
            for local in 0..self.kind(cell).facets().len() {
                all.push((self.facet(cell, local).key(), cell, local as u8));
            }
        }
        all.sort_unstable();
        all
    }

    /// Facets of the cells that fill the mesh which have one neighbour only, oriented
    /// outwards, in the order of their cells.
    pub fn boundary(&self) -> Vec<Facet> {
        let facets = self.sorted_facets();
        let mut outer: Vec<Facet> = facets
            .chunk_by(|a, b| a.0 == b.0)
            .filter(|run| run.len() == 1)
            .map(|run| self.facet(run[0].1, run[0].2 as usize))
            .collect();
        outer.sort_unstable_by_key(|f| (f.cell, f.local));
        outer
    }

    /// At most two cells to a facet, and the same nodes from both sides.
    pub(crate) fn check_facets(&self) -> Result<(), MeshError> {
        for run in self.sorted_facets().chunk_by(|a, b| a.0 == b.0).filter(|run| run.len() > 1) {
            let first = self.facet(run[0].1, run[0].2 as usize);
            let nodes = first.nodes()[..first.kind.corners()].to_vec();
            if run.len() > 2 {
                let (kind, number) = (self.kind(run[0].1), run[0].1.index as usize);
                return Err(MeshError::NotManifold { nodes, cells: run.len(), kind, number });
            }
            let second = self.facet(run[1].1, run[1].2 as usize);
            let set = |f: &Facet| {
                let mut n = f.nodes().to_vec();
                n.sort_unstable();
                n
            };
            if first.kind != second.kind || set(&first) != set(&second) {
                return Err(MeshError::NotConforming { nodes, first: first.kind, second: second.kind });
            }
        }
        Ok(())
    }

    /// Turns cells of the boundary outwards; how many were turned.
    pub(crate) fn orient_boundary(&mut self) -> usize {
        let mut outer: Vec<([u32; 4], Facet)> = self.boundary().into_iter().map(|f| (f.key(), f)).collect();
        outer.sort_unstable_by_key(|(key, _)| *key);
        let inwards: Vec<CellRef> = self
            .cells_of_dim(self.dim.saturating_sub(1))
            .filter(|&c| {
                let corners = &self.cell(c)[..self.kind(c).corners()];
                let key = sorted_corners(corners);
                outer
                    .binary_search_by_key(&key, |(key, _)| *key)
                    .is_ok_and(|i| !same_turn(corners, &outer[i].1.nodes()[..corners.len()]))
            })
            .collect();
        inwards.iter().for_each(|&c| self.flip(c));
        inwards.len()
    }
}

/// Whether two lists of the same corners turn the same way.
fn same_turn(a: &[u32], b: &[u32]) -> bool {
    // Two corners are a rotation of each other both ways round.
    if a.len() == 2 {
        return a == b;
    }
    let Some(shift) = b.iter().position(|&n| n == a[0]) else { return true };
    (0..a.len()).all(|i| a[i] == b[(i + shift) % b.len()])
}
