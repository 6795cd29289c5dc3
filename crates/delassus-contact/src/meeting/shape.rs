//! A rigid shape and a skin.

use super::{CORNER, INSET, Meeting, REACH, Search, Skins};
use crate::hit::Hit;
use crate::skin::{Skin, Stencil};
use crate::space::Query;
use crate::{Aabb, Dim, Error, Pose, Solid, Space, Vector};

/// A placed shape and what its narrow phase works with.
pub(crate) struct Shape<'a, const D: usize>
where
    Dim<D>: Space<D>,
{
    pub solid: &'a <Dim<D> as Space<D>>::Solid,
    pub scratch: &'a mut <Dim<D> as Space<D>>::Scratch,
}

impl<const D: usize> Skins<D>
where
    Dim<D>: Space<D>,
{
    /// Lists in `found` the contacts of a shape (first) and a skin (second).
    pub fn meet_shape(&mut self, skin: usize, mut shape: Shape<D>, at: &Search<D>) -> Result<(), Error> {
        self.found.clear();
        self.nodes_in_shape(skin, &mut shape, at)?;
        self.corners_in_skin(skin, &mut shape, at)?;
        self.edges_of_shape(skin, shape.solid, at);
        Ok(())
    }

    /// Nodes of the skin in or on the shape: signed distance and normal are the shape's.
    fn nodes_in_shape(&mut self, s: usize, shape: &mut Shape<D>, at: &Search<D>) -> Result<(), Error> {
        let bounds = shape.solid.aabb().grown(at.margin);
        self.gather_nodes(s, &bounds, at);
        for i in 0..self.ranks.len() {
            let rank = self.ranks[i] as usize;
            let node = self.list[s].nodes()[rank];
            let p = at.position(node);
            self.see(shape, &p, at.margin, at.t)?;
            let skin = &self.list[s];
            let normal = skin.normal(rank);
            let mut shift = 0.0;
            if self.hits.iter().any(|h| !skin.faces(rank, &-h.normal)) {
                // At a corner of the shape the nearest face may be one the skin does not look at:
                // seen from a little inside the solid, it is the one it does.
                shift = INSET * skin.size();
                self.see(shape, &(p - normal * shift), at.margin + shift, at.t)?;
            }
            let skin = &self.list[s];
            let seen = self.hits.iter().map(|h| Hit { gap: h.gap - shift * normal.dot(&h.normal), ..*h });
            let faced = seen.filter(|h| h.gap <= at.margin && skin.faces(rank, &-h.normal));
            self.found.extend(faced.enumerate().map(|(k, h)| {
                // One point for both: action and reaction have no moment.
                let hit = Hit { features: [k as u32, node], points: [p; 2], ..h };
                Meeting { hit, sides: [Stencil::default(), skin.node(rank)] }
            }));
        }
        Ok(())
    }

    /// Corners of the shape in or on the skin: distance and normal are those of the nearest facet.
    fn corners_in_skin(&mut self, s: usize, shape: &mut Shape<D>, at: &Search<D>) -> Result<(), Error> {
        let (corners, radius) = shape.solid.corners();
        let near: Aabb<D> = self.list[s].aabb().grown(radius + at.margin);
        for (k, p) in corners.iter().enumerate().filter(|(_, p)| near.holds(p)) {
            let skin: &Skin<D> = &self.list[s];
            let reach = radius + at.margin + REACH * skin.size();
            let Some(foot) = skin.nearest(p, &Vector::zeros(), reach) else { continue };
            let gap = foot.gap - radius;
            // A foot at a node is the contact of that node.
            if gap > at.margin || foot.is_node() {
                continue;
            }
            if shape.solid.is_solid() {
                // A corner that came through the body from behind has no inside over the skin.
                let step = INSET * skin.size();
                let over = shape.solid.sight(&(p + foot.normal * step), at.t, 0.1 * step)?;
                if over.is_none_or(|o| o.gap > 0.1 * step) {
                    continue;
                }
            }
            let features = [CORNER | k as u32, 0];
            let hit = Hit { features, points: [foot.place; 2], normal: foot.normal, gap, rate: 0.0 };
            self.found.push(Meeting { hit, sides: [Stencil::default(), foot.stencil] });
        }
        Ok(())
    }

    /// What a point sees of a shape, as hits of the shape (first) and the point (second).
    fn see(&mut self, shape: &mut Shape<D>, p: &Vector<D>, margin: f64, t: f64) -> Result<(), Error> {
        self.hits.clear();
        if shape.solid.has_parts() {
            self.point.place(&Pose::at(*p));
            let query = Query { shift: Vector::zeros(), margin, t };
            return Dim::<D>::collide([shape.solid, &self.point], &query, shape.scratch, &mut self.hits);
        }
        let sight = shape.solid.sight(p, t, margin)?;
        self.hits.extend(sight.filter(|s| s.gap <= margin).map(|s| Hit {
            features: [0; 2],
            points: [s.foot, *p],
            normal: -s.normal,
            gap: s.gap,
            rate: -s.velocity.dot(&s.normal),
        }));
        Ok(())
    }
}
