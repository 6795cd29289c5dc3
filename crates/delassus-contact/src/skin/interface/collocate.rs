//! Collocation points of the slave, each given to the pairing

use super::opposite::Slave;
use super::{Interface, Now, Side};
use crate::skin::ContactError;
use crate::skin::facet::Patch;
use crate::skin::partition::{Cell, PartitionScratch};
use crate::skin::surface::NONE;
use crate::skin::{PointKey, Stencil};
use crate::{Dim, Space, Vector};

/// A slave node before it is paired.
struct NodeOf<const D: usize> {
    rank: usize,
    facet: usize,
    index: u32,
    weight: f64,
    normal: Vector<D>,
}

/// A part of a slave facet.
struct CellOf<'a, const D: usize> {
    facet: usize,
    patch: &'a Patch<D>,
    reference: &'a Patch<D>,
    cell: Cell,
    /// First point of the facet.
    first: usize,
}

impl<const D: usize> Interface<D>
where
    Dim<D>: Space<D>,
{
    /// One point per node; its weight is gathered from the facets around.
    pub(super) fn pair_nodes(&mut self, now: &Now<D>) -> Result<(), ContactError> {
        let count = self.slave.nodes().len();
        let mut weights = std::mem::take(&mut self.scratch.weights);
        let mut normals = std::mem::take(&mut self.scratch.normals);
        weights.clear();
        weights.resize(count, 0.0);
        normals.clear();
        normals.resize(count, Vector::zeros());
        for f in 0..self.slave.len() {
            let share = self.nodal_weights(now, f)?;
            let patch = Patch::<D>::gather(self.slave.kind(f), self.slave.facet(f), now.x);
            for (k, &r) in self.slave.ranks(f).iter().enumerate() {
                weights[r as usize] += share[k];
                normals[r as usize] += patch.area_normal(patch.kind.places()[k]);
            }
        }
        for r in 0..count {
            let f = self.slave.around(r)[0] as usize;
            let n = normals[r];
            let normal = if n.norm() > 0.0 { n.normalize() } else { n };
            self.pair_node(now, NodeOf { rank: r, facet: f, index: 0, weight: weights[r], normal })?;
        }
        (self.scratch.weights, self.scratch.normals) = (weights, normals);
        Ok(())
    }

    /// One point per node and facet: constants by facet jump at nodes.
    pub(super) fn pair_facet_nodes(&mut self, now: &Now<D>) -> Result<(), ContactError> {
        for f in 0..self.slave.len() {
            let share = self.nodal_weights(now, f)?;
            let patch = Patch::<D>::gather(self.slave.kind(f), self.slave.facet(f), now.x);
            for k in 0..patch.len() {
                let rank = self.slave.ranks(f)[k] as usize;
                let index = self.slave.around(rank).iter().position(|&g| g as usize == f).unwrap_or(0) as u32;
                let normal = patch.normal(patch.kind.places()[k]).unwrap_or_else(Vector::zeros);
                self.pair_node(now, NodeOf { rank, facet: f, index, weight: share[k], normal })?;
            }
        }
        Ok(())
    }

    fn pair_node(&mut self, now: &Now<D>, node: NodeOf<D>) -> Result<(), ContactError> {
        let i = self.slave.nodes()[node.rank];
        let ranks = self.slave.ranks(node.facet);
        let local = ranks.iter().position(|&r| r as usize == node.rank).expect("the facet is around the node");
        let xi = self.slave.kind(node.facet).places()[local];
        for k in 0..self.slave.around(node.rank).len() {
            self.mark(self.slave.around(node.rank)[k] as usize, true);
        }
        let slave = Stencil::new(&[i], &[1.0]);
        let found = self.opposite(now, &slave, &node.normal, None);
        for k in 0..self.slave.around(node.rank).len() {
            self.mark(self.slave.around(node.rank)[k] as usize, false);
        }
        let key = PointKey { slave: i, master: NONE, index: node.index };
        match found? {
            Some(hit) => {
                self.push(now, Slave { key, facet: node.facet, xi, stencil: slave, weight: node.weight }, &hit)
            }
            None => self.unpaired += 1,
        }
        Ok(())
    }

    /// Leaves out, or takes back, the master facets that share nodes with a slave facet.
    fn mark(&mut self, f: usize, out: bool) {
        if self.shared.is_empty() {
            return;
        }
        for &r in self.slave.ranks(f) {
            let rank = self.shared[r as usize];
            if rank != NONE {
                self.scratch.own[rank as usize] = out;
            }
        }
    }

    /// The points of one facet.
    pub(super) fn pair_facet(&mut self, now: &Now<D>, f: usize) -> Result<(), ContactError> {
        self.mark(f, true);
        let mut partition = std::mem::take(&mut self.scratch.partition);
        let result = self.pair_cells(now, f, &mut partition);
        self.scratch.partition = partition;
        self.mark(f, false);
        result
    }

    fn pair_cells(&mut self, now: &Now<D>, f: usize, parts: &mut PartitionScratch<D>) -> Result<(), ContactError> {
        let (kind, first) = (self.slave.kind(f), self.points.len());
        let reference = self.reference_patch(now, f)?;
        let patch = Patch::<D>::gather(kind, self.slave.facet(f), now.x);
        let cut = self.cut(now, &patch, f, parts);
        for c in 0..parts.cells.len() {
            let mut cell = parts.cells[c];
            if cut && D == 2 {
                // Between two cuts all points face one facet: that of the middle.
                let (xi, _) = cell.place(([0.0; 2], 1.0));
                let (stencil, normal) = self.slave_at(f, &patch, xi);
                cell.master = match self.opposite(now, &stencil, &normal, None)? {
                    Some(hit) => hit.facet,
                    None => {
                        self.unpaired += self.rules.segment.points.len();
                        continue;
                    }
                };
            }
            self.pair_cell(now, &CellOf { facet: f, patch: &patch, reference: &reference, cell, first })?;
        }
        Ok(())
    }

    /// Fills the parts of a facet; returns whether it was cut.
    fn cut(&self, now: &Now<D>, patch: &Patch<D>, f: usize, parts: &mut PartitionScratch<D>) -> bool {
        if let (Side::Surface(m), true) = (&self.master, self.settings.partition) {
            let (stencil, normal) = self.slave_at(f, patch, patch.kind.centre());
            let q = self.query(now, &stencil, &normal);
            if D == 2 {
                let reference = Patch::<D>::gather(patch.kind, self.slave.facet(f), now.reference);
                let kinks = self.carrier.iter().flat_map(|c| c.corners()).map(|y| (&reference, y));
                parts.cut_segment(m, patch, &q, self.settings.smooth_normals, kinks);
            } else {
                parts.cut_facet(m, patch, &q);
            }
            return true;
        }
        parts.cells.clear();
        parts.cells.push(Cell::whole(patch.kind.domain()));
        false
    }

    fn pair_cell(&mut self, now: &Now<D>, of: &CellOf<D>) -> Result<(), ContactError> {
        let (f, master) = (of.facet, of.cell.master);
        for k in 0..self.rules.of(of.cell.domain).points.len() {
            let (xi, w) = of.cell.place(self.rules.of(of.cell.domain).points[k]);
            let weight = w * self.measure(of.reference, xi);
            let (stencil, normal) = self.slave_at(f, of.patch, xi);
            let hint = (master != NONE).then_some(master);
            let Some(hit) = self.opposite(now, &stencil, &normal, hint)? else {
                self.unpaired += 1;
                continue;
            };
            if self.of_itself && !self.settings.both_sides && hit.facet as usize > f {
                continue;
            }
            let index = self.points[of.first..].iter().filter(|p| p.key.master == master).count() as u32;
            let key = PointKey { slave: f as u32, master, index };
            self.push(now, Slave { key, facet: f, xi, stencil, weight }, &hit);
        }
        Ok(())
    }
}
