//! VTU in text

use super::super::Mesh;
use super::GROUP;
use super::xml::escape;
use std::fmt::Write;

impl Mesh {
    /// The mesh as a VTU file, for ParaView. Each group is an array `group:NAME` that is 1
    /// on its cells (on its nodes when it has no cells), and 0 elsewhere.
    pub fn to_vtu(&self) -> String {
        let cells: usize = self.blocks.iter().map(|b| b.len()).sum();
        let mut out = String::from("<?xml version=\"1.0\"?>\n");
        out.push_str(
            "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n",
        );
        let _ = writeln!(
            out,
            "<UnstructuredGrid>\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{cells}\">",
            self.points.len()
        );
        out.push_str("<PointData>\n");
        for (name, group) in self.groups.iter().filter(|(_, g)| g.cells.is_empty()) {
            let mut marks = vec![0u8; self.points.len()];
            group.nodes.iter().for_each(|&n| marks[n as usize] = 1);
            array(&mut out, "UInt8", &format!("{GROUP}{name}"), marks.iter());
        }
        out.push_str("</PointData>\n<CellData>\n");
        let first: Vec<usize> = self
            .blocks
            .iter()
            .scan(0, |sum, b| {
                *sum += b.len();
                Some(*sum - b.len())
            })
            .collect();
        for (name, group) in self.groups.iter().filter(|(_, g)| !g.cells.is_empty()) {
            let mut marks = vec![0u8; cells];
            group.cells.iter().for_each(|c| marks[first[c.block as usize] + c.index as usize] = 1);
            array(&mut out, "UInt8", &format!("{GROUP}{name}"), marks.iter());
        }
        out.push_str("</CellData>\n<Points>\n<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\n");
        for [x, y, z] in &self.points {
            let _ = writeln!(out, "{x:?} {y:?} {z:?}");
        }
        out.push_str("</DataArray>\n</Points>\n<Cells>\n");
        let sizes = self.blocks.iter().flat_map(|b| std::iter::repeat_n(b.kind.nodes(), b.len()));
        let ends = sizes.scan(0, |end, n| {
            *end += n;
            Some(*end)
        });
        let kinds = self.blocks.iter().flat_map(|b| std::iter::repeat_n(b.kind.vtk_type(), b.len()));
        array(&mut out, "Int64", "connectivity", self.blocks.iter().flat_map(|b| &b.nodes));
        array(&mut out, "Int64", "offsets", ends);
        array(&mut out, "UInt8", "types", kinds);
        out.push_str("</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n");
        out
    }
}

fn array(out: &mut String, kind: &str, name: &str, values: impl Iterator<Item = impl std::fmt::Display>) {
    let _ = write!(out, "<DataArray type=\"{kind}\" Name=\"{}\" format=\"ascii\">", escape(name));
    for (i, value) in values.enumerate() {
        let _ = write!(out, "{}{value}", if i % 20 == 0 { '\n' } else { ' ' });
    }
    out.push_str("\n</DataArray>\n");
}
