//! Other kinds of cells on the same corners: simplices, middle nodes
//!
//! Hexahedra are cut by *pulling*: each face by the diagonal through its lowest-numbered
//! corner, the cell by joining its lowest-numbered corner to the faces that do not touch
//! it. Neighbours cut their common face alike, whatever the mesh. Reference: \[Dompierre99\].

use super::shape::{norm, sub};
use super::{CellKind, CellRef, Group, Mesh};
use std::collections::HashMap;

impl Mesh {
    /// Quadrangles become triangles, hexahedra tetrahedra; middle nodes are not kept.
    /// Groups follow.
    pub fn simplices(&self) -> Mesh {
        self.convert(|kind, nodes, new| match kind {
            CellKind::Quad4 | CellKind::Quad8 => {
                for t in self.cut_quad(nodes) {
                    new(CellKind::Tri3, &t);
                }
            }
            CellKind::Hex8 => {
                for t in cut_hex(nodes) {
                    new(CellKind::Tet4, &t);
                }
            }
            kind => new(kind.linear(), &nodes[..kind.corners()]),
        })
    }

    /// In the plane the shorter diagonal; in space, and at equal lengths, that through the
    /// lowest number.
    fn cut_quad(&self, q: &[u32]) -> [[u32; 3]; 2] {
        let length = |i: usize, j: usize| norm(sub(self.points[q[i] as usize], self.points[q[j] as usize]));
        let (a, b) = (length(0, 2), length(1, 3));
        let lowest = (0..4).min_by_key(|&i| q[i]).unwrap_or(0) % 2;
        let from = match self.dim {
            2 if a < b * (1.0 - 1e-9) => 0,
            2 if b < a * (1.0 - 1e-9) => 1,
            _ => lowest,
        };
        let at = |i: usize| q[(from + i) % 4];
        [[at(0), at(1), at(2)], [at(0), at(2), at(3)]]
    }

    /// Nodes in the middle of the edges: `Tri3` becomes `Tri6`, and so on. `place` says
    /// where the node between two given ones goes, for instance on a circle; its last
    /// argument is the middle of their positions. Kinds without a quadratic counterpart stay.
    pub fn quadratic(&self, place: impl Fn(u32, u32, [f64; 3]) -> [f64; 3]) -> Mesh {
        let mut points = self.points.clone();
        let mut middles: HashMap<[u32; 2], u32> = HashMap::new();
        let mut mesh = self.convert(|kind, nodes, new| {
            let Some(quadratic) = kind.quadratic() else { return new(kind, nodes) };
            let mut all = [0; 10];
            let corners = kind.corners();
            all[..corners].copy_from_slice(&nodes[..corners]);
            for (e, &[i, j]) in kind.edges().iter().enumerate() {
                let (i, j) = (nodes[i as usize], nodes[j as usize]);
                let edge = [i.min(j), i.max(j)];
                all[corners + e] = *middles.entry(edge).or_insert_with(|| {
                    let [a, b] = edge.map(|n| self.points[n as usize]);
                    points.push(place(edge[0], edge[1], [0, 1, 2].map(|k| 0.5 * (a[k] + b[k]))));
                    points.len() as u32 - 1
                });
            }
            new(quadratic, &all[..quadratic.nodes()]);
        });
        mesh.points = points;
        mesh
    }

    /// The mesh with each cell replaced by what `cut` makes of it.
    fn convert(&self, mut cut: impl FnMut(CellKind, &[u32], &mut dyn FnMut(CellKind, &[u32]))) -> Mesh {
        let mut mesh = Mesh::new(self.dim, self.points.clone());
        let mut parts: HashMap<CellRef, Vec<CellRef>> = HashMap::new();
        for cell in (0..=3).flat_map(|d| self.cells_of_dim(d)) {
            let list = parts.entry(cell).or_default();
            cut(self.kind(cell), self.cell(cell), &mut |kind, nodes| list.push(mesh.push_cell(kind, nodes)));
        }
        for (name, group) in &self.groups {
            let mut cells: Vec<CellRef> = group.cells.iter().flat_map(|c| &parts[c]).copied().collect();
            cells.sort_unstable();
            let mut nodes = group.nodes.clone();
            if !cells.is_empty() {
                nodes = cells.iter().flat_map(|&c| mesh.cell(c)).copied().collect();
                nodes.sort_unstable();
                nodes.dedup();
            }
            mesh.groups.insert(name.clone(), Group { dim: group.dim, cells, nodes });
        }
        mesh
    }
}

/// Six tetrahedra with the lowest-numbered corner as their common apex.
fn cut_hex(hex: &[u32]) -> Vec<[u32; 4]> {
    let apex = hex.iter().copied().min().unwrap_or(0);
    let mut tets = Vec::with_capacity(6);
    for (_, face) in CellKind::Hex8.facets() {
        let face: [u32; 4] = std::array::from_fn(|i| hex[face[i] as usize]);
        if face.contains(&apex) {
            continue;
        }
        let from = (0..4).min_by_key(|&i| face[i]).unwrap_or(0);
        let at = |i: usize| face[(from + i) % 4];
        // The face looks outwards, so that the apex is behind it.
        tets.push([at(0), at(2), at(1), apex]);
        tets.push([at(0), at(3), at(2), apex]);
    }
    tets
}
