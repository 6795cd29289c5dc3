//! Two skins.

use super::{FACET, Meeting, REACH, Search, Skins};
use crate::hit::Hit;
use crate::skin::Stencil;
use crate::{Dim, Space};

impl<const D: usize> Skins<D>
where
    Dim<D>: Space<D>,
{
    /// Lists in `found` the contacts of two skins.
    pub fn meet_skin(&mut self, pair: [usize; 2], at: &Search<D>) {
        self.found.clear();
        // The nodes of the finer skin, and the corners of the other: nodes of both on flat
        // interfaces would make them stiff.
        let fine = usize::from(self.list[pair[1]].size() < self.list[pair[0]].size());
        for slave in 0..2 {
            self.nodes_on_facets(pair, slave, slave != fine, at);
        }
        self.sharp_edges(pair, at);
    }

    /// Nodes of one skin of a pair (its sharp corners alone if asked) against the facets of the other.
    fn nodes_on_facets(&mut self, pair: [usize; 2], slave: usize, corners: bool, at: &Search<D>) {
        let near = self.list[pair[1 - slave]].aabb().grown(at.margin);
        self.gather_nodes(pair[slave], &near, at);
        let (mine, other) = (&self.list[pair[slave]], &self.list[pair[1 - slave]]);
        let reach = REACH * mine.size().max(other.size()) + at.margin;
        for rank in self.ranks.iter().map(|&r| r as usize).filter(|&r| !corners || mine.is_sharp(r)) {
            let node = mine.nodes()[rank];
            let p = at.position(node);
            let Some(foot) = other.met_by((mine, rank), &p, reach, at.margin) else { continue };
            let (mut features, mut points, mut sides) = ([FACET; 2], [p; 2], [Stencil::default(); 2]);
            features[slave] = node;
            points[1 - slave] = foot.place;
            (sides[slave], sides[1 - slave]) = (mine.node(rank), foot.stencil);
            let normal = if slave == 0 { foot.normal } else { -foot.normal };
            self.found.push(Meeting { hit: Hit { features, points, normal, gap: foot.gap, rate: 0.0 }, sides });
        }
    }
}
