//! Named sets of cells and nodes

use super::shape::{norm, sub};
use super::{CellKind, CellRef, Facet, Group, Mesh, MeshError};
use std::collections::HashMap;

/// A name and the condition on positions that its facets' nodes satisfy.
pub type Side<'a> = (&'a str, &'a dyn Fn([f64; 3]) -> bool);

impl Mesh {
    /// A group by its name. The error names the nearest one and lists those there are.
    pub fn group(&self, name: &str) -> Result<&Group, MeshError> {
        self.groups.get(name).ok_or_else(|| self.unknown_group(name))
    }

    fn unknown_group(&self, name: &str) -> MeshError {
        let near = self
            .groups
            .keys()
            .map(|k| (strsim::damerau_levenshtein(&name.to_lowercase(), &k.to_lowercase()), k))
            .min()
            .filter(|(distance, k)| *distance <= 1 + k.chars().count() / 3);
        let known: Vec<String> = self.groups.keys().map(|k| format!("`{k}`")).collect();
        MeshError::UnknownGroup {
            name: name.into(),
            hint: near.map_or(String::new(), |(_, k)| format!("; did you mean `{k}`?")),
            known: if known.is_empty() { "no groups".into() } else { known.join(", ") },
        }
    }

    /// Adds a group of cells, which must all have the same dimension. It keeps them in rising order.
    pub fn add_group(&mut self, name: &str, mut cells: Vec<CellRef>) -> Result<(), MeshError> {
        let Some(&first) = cells.first() else {
            return Err(MeshError::EmptySelection { name: name.into(), what: "cell", candidates: 0 });
        };
        cells.sort_unstable();
        cells.dedup();
        let dim = self.kind(first).dim();
        if let Some(other) = cells.iter().map(|&c| self.kind(c)).find(|k| k.dim() != dim) {
            return Err(MeshError::Setting {
                item: "kind of a group's cell",
                found: format!("{other} beside {} in `{name}`", self.kind(first)),
                accepted: "cells of one dimension",
            });
        }
        let mut nodes: Vec<u32> = cells.iter().flat_map(|&c| self.cell(c)).copied().collect();
        nodes.sort_unstable();
        nodes.dedup();
        self.insert_group(name, Group { dim, cells, nodes })
    }

    /// Adds a group of nodes.
    pub fn add_node_group(&mut self, name: &str, mut nodes: Vec<u32>) -> Result<(), MeshError> {
        nodes.sort_unstable();
        nodes.dedup();
        match nodes.last() {
            None => Err(MeshError::EmptySelection { name: name.into(), what: "node", candidates: self.points.len() }),
            Some(&n) if n as usize >= self.points.len() => Err(MeshError::GroupOutOfRange {
                name: name.into(),
                what: "node",
                number: n as usize,
                count: self.points.len(),
            }),
            Some(_) => self.insert_group(name, Group { dim: 0, cells: Vec::new(), nodes }),
        }
    }

    fn insert_group(&mut self, name: &str, group: Group) -> Result<(), MeshError> {
        if self.groups.contains_key(name) {
            return Err(MeshError::GroupExists { name: name.into() });
        }
        self.groups.insert(name.into(), group);
        Ok(())
    }

    /// Makes a group of the boundary facets whose nodes all satisfy a condition on their
    /// position, oriented outwards. Facets that are cells already are not doubled.
    pub fn group_boundary(&mut self, name: &str, inside: impl Fn([f64; 3]) -> bool) -> Result<(), MeshError> {
        self.group_sides(&[(name, &inside)])
    }

    /// Several groups at once, each by its condition.
    pub fn group_sides(&mut self, sides: &[Side<'_>]) -> Result<(), MeshError> {
        let facets = self.boundary();
        for &(name, inside) in sides {
            let on_side = |f: &&Facet| f.nodes().iter().all(|&n| inside(self.points[n as usize]));
            let chosen: Vec<Facet> = facets.iter().filter(on_side).copied().collect();
            if chosen.is_empty() {
                let (name, candidates) = (name.into(), facets.len());
                return Err(MeshError::EmptySelection { name, what: "boundary facet", candidates });
            }
            if self.groups.contains_key(name) {
                return Err(MeshError::GroupExists { name: name.into() });
            }
            let cells = self.facet_cells(&chosen);
            self.add_group(name, cells)?;
        }
        Ok(())
    }

    /// The cells with these nodes, made where there are none.
    fn facet_cells(&mut self, facets: &[Facet]) -> Vec<CellRef> {
        let key = |kind: CellKind, nodes: &[u32]| {
            let mut sorted = [u32::MAX; 6];
            sorted[..nodes.len()].copy_from_slice(nodes);
            sorted.sort_unstable();
            (kind, sorted)
        };
        let mut existing: HashMap<(CellKind, [u32; 6]), CellRef> = self
            .cells_of_dim(self.dim.saturating_sub(1))
            .filter(|&c| self.kind(c).nodes() <= 6)
            .map(|c| (key(self.kind(c), self.cell(c)), c))
            .collect();
        let mut place =
            |f: &Facet| *existing.entry(key(f.kind, f.nodes())).or_insert_with(|| self.push_cell(f.kind, f.nodes()));
        facets.iter().map(&mut place).collect()
    }

    /// Nodes whose position satisfies a condition, in rising order.
    pub fn nodes_where(&self, inside: impl Fn([f64; 3]) -> bool) -> Vec<u32> {
        (0u32..).zip(&self.points).filter(|(_, p)| inside(**p)).map(|(i, _)| i).collect()
    }

    /// Nodes in a ball, surface included.
    pub fn nodes_in_ball(&self, centre: [f64; 3], radius: f64) -> Vec<u32> {
        self.nodes_where(|p| norm(sub(p, centre)) <= radius)
    }

    /// The node nearest to a position; `None` when there are no nodes.
    pub fn nearest_node(&self, at: [f64; 3]) -> Option<u32> {
        let distance = |p: &[f64; 3]| norm(sub(*p, at));
        (0u32..).zip(&self.points).min_by(|a, b| distance(a.1).total_cmp(&distance(b.1))).map(|(i, _)| i)
    }
}
