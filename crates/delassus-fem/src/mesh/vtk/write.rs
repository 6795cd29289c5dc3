//! VTU, by `delassus-vtk`

use super::super::Mesh;
use super::GROUP;
use delassus_vtk::{Array, Grid};

impl Mesh {
    /// The mesh as a VTU file, for ParaView. Each group is an array `group:NAME` that is 1
    /// on its cells (on its nodes when it has no cells), and 0 elsewhere.
    pub fn to_vtu(&self) -> Vec<u8> {
        let mut grid = Grid { points: self.points.as_flattened().to_vec(), ..Grid::default() };
        let mut first = Vec::with_capacity(self.blocks.len());
        let mut cells = 0;
        for block in &self.blocks {
            first.push(cells);
            cells += block.len();
            for nodes in block.nodes.chunks_exact(block.kind.nodes()) {
                grid.push(block.kind.vtk_type(), nodes.iter().map(|&n| n as usize));
            }
        }
        for (name, group) in &self.groups {
            let name = format!("{GROUP}{name}");
            let mark = |length: usize, marked: &mut dyn Iterator<Item = usize>| {
                let mut marks = vec![0u8; length];
                marked.for_each(|i| marks[i] = 1);
                Array::u8(&name, 1, marks)
            };
            if group.cells.is_empty() {
                let nodes = &mut group.nodes.iter().map(|&n| n as usize);
                grid.point_data.push(mark(self.points.len(), nodes));
            } else {
                let numbers = &mut group.cells.iter().map(|c| first[c.block as usize] + c.index as usize);
                grid.cell_data.push(mark(cells, numbers));
            }
        }
        grid.to_bytes()
    }
}
