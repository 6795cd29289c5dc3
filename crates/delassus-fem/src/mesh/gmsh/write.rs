//! Version 2.2 in text, which every program that knows Gmsh reads

use super::super::{CellRef, Mesh};
use std::collections::BTreeMap;
use std::fmt::Write;

impl Mesh {
    /// The mesh in Gmsh's format 2.2. Groups become physical groups; a cell of several is
    /// written once for each, as Gmsh does, and nodes of a group without cells as points.
    pub fn to_gmsh(&self) -> String {
        let mut out = String::from("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n");
        if !self.groups.is_empty() {
            let _ = writeln!(out, "$PhysicalNames\n{}", self.groups.len());
            for (i, (name, group)) in self.groups.iter().enumerate() {
                let name = name.replace(['"', '\n', '\r'], "'");
                let _ = writeln!(out, "{} {} \"{name}\"", group.dim, i + 1);
            }
            out.push_str("$EndPhysicalNames\n");
        }
        let _ = writeln!(out, "$Nodes\n{}", self.points.len());
        for (i, [x, y, z]) in self.points.iter().enumerate() {
            let _ = writeln!(out, "{} {x:?} {y:?} {z:?}", i + 1);
        }
        out.push_str("$EndNodes\n$Elements\n");
        let lines = self.element_lines();
        let _ = writeln!(out, "{}", lines.len());
        for (i, line) in lines.iter().enumerate() {
            let _ = writeln!(out, "{} {line}", i + 1);
        }
        out.push_str("$EndElements\n");
        out
    }

    /// Type, tags and nodes of every element and group it is in.
    fn element_lines(&self) -> Vec<String> {
        let mut members: BTreeMap<CellRef, Vec<usize>> = BTreeMap::new();
        let mut lines = Vec::new();
        for (i, group) in self.groups.values().enumerate() {
            group.cells.iter().for_each(|&c| members.entry(c).or_default().push(i + 1));
            if group.cells.is_empty() {
                lines.extend(group.nodes.iter().map(|n| format!("15 2 {} {} {}", i + 1, i + 1, n + 1)));
            }
        }
        for cell in (0..=3).flat_map(|d| self.cells_of_dim(d)) {
            let (kind, of) = (self.kind(cell), self.cell(cell));
            let nodes: Vec<String> =
                kind.gmsh_order()[..kind.nodes()].iter().map(|&i| (of[i as usize] + 1).to_string()).collect();
            let line = |p: usize| format!("{} 2 {p} {} {}", kind.gmsh_type(), p.max(1), nodes.join(" "));
            match members.get(&cell) {
                Some(groups) => lines.extend(groups.iter().map(|&p| line(p))),
                None => lines.push(line(0)),
            }
        }
        lines
    }
}
