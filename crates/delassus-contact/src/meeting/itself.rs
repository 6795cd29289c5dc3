//! A skin that touches itself.

use super::{FACET, Meeting, REACH, Search, Skins};
use crate::hit::Hit;
use crate::skin::Itself;
use crate::{Dim, Space, Vector};

impl<const D: usize> Skins<D>
where
    Dim<D>: Space<D>,
{
    /// Lists in `found` the contacts of a skin with itself: every node, so that none is missed
    /// whichever side is finer, against the facets that do not adjoin it, look at it, and were not
    /// behind it in the body at rest.
    pub fn meet_itself(&mut self, s: usize, at: &Search<D>) {
        self.found.clear();
        let (skin, own) = (&self.list[s], &mut self.own);
        own.clear();
        own.resize(skin.nodes().len(), false);
        let reach = REACH * skin.size() + at.margin;
        for (rank, &node) in skin.nodes().iter().enumerate() {
            let p = at.position(node);
            let mark = |own: &mut Vec<bool>, out: bool| {
                for &f in skin.facets().around(rank) {
                    skin.facets().ranks(f as usize).iter().for_each(|&r| own[r as usize] = out);
                }
            };
            mark(own, true);
            let rest = Vector::<D>::from_column_slice(&self.reference[D * node as usize..][..D]);
            let itself = Itself { own, rest: &self.reference, x: rest };
            let foot = skin.nearest_of_itself(rank, &p, reach, itself);
            mark(own, false);
            let Some(foot) = foot.filter(|f| f.gap <= at.margin && skin.faces(rank, &f.normal)) else { continue };
            let hit =
                Hit { features: [node, FACET], points: [p, foot.place], normal: foot.normal, gap: foot.gap, rate: 0.0 };
            self.found.push(Meeting { hit, sides: [skin.node(rank), foot.stencil] });
        }
    }
}
