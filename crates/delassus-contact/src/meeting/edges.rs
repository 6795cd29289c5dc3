//! Edges that cross between their ends, in space
//!
//! ```text
//! n = ± d × e / |d × e|,   g = n · (p − q),   −n between the normals beside the first edge,
//!                                              n between those beside the second
//! ```
//!
//! Where n is nearly the normal of a face beside a sharp edge, that face meets the other side,
//! and nodes and corners see to it. Edges of curved facets are taken as two straight halves.

use super::{EDGE, Meeting, REACH, Search, Skins};
use crate::hit::Hit;
use crate::skin::{Skin, Stencil, normal_of};
use crate::solid::segments;
use crate::{Aabb, Dim, Ridge, Solid, Space, Vector};

/// Edges between faces whose normals are closer than this (cosine, 26°) are not sharp.
const SHARP: f64 = 0.9;
/// A normal this close (sine, 6°) to that of a face is the face's.
pub(crate) const FACE: f64 = 0.1;
/// How far (sine, 12°) a normal may lean from the facets beside an edge of a skin that is not sharp.
const LEAN: f64 = 0.2;
/// Edges that make a smaller angle (sine) are parallel.
const PARALLEL: f64 = 1e-2;
/// A place this close to an end, in lengths of the edge, is the end.
const END: f64 = 1e-6;

impl<const D: usize> Ridge<D> {
    fn is_sharp(&self) -> bool {
        self.normals[0].dot(&self.normals[1]) < SHARP
    }

    /// Whether the body bulges at the edge.
    fn is_convex(&self) -> bool {
        self.leans()[0].dot(&self.normals[1]) > -1e-9
    }

    /// For each face, the direction across the edge away from it.
    fn leans(&self) -> [Vector<D>; 2] {
        let along = (self.ends[1] - self.ends[0]).normalize();
        [normal_of(&[along, self.normals[0]]), normal_of(&[-along, self.normals[1]])]
    }

    /// Whether `n` lies between the normals: more than `inside` (sine) from both.
    fn admits(&self, n: &Vector<D>, inside: f64) -> bool {
        n.dot(&(self.normals[0] + self.normals[1])) > 0.0 && self.leans().iter().all(|l| n.dot(l) >= inside)
    }

    fn bounds(&self) -> Aabb<D> {
        Aabb::of_points(&self.ends, 0.0)
    }
}

/// A crossing: places on both edges in shares of their lengths, and the normal towards the first.
pub(crate) struct Crossing<const D: usize> {
    s: f64,
    t: f64,
    pub points: [Vector<D>; 2],
    pub normal: Vector<D>,
    pub gap: f64,
}

/// Where two edges cross; each with how far inside its cone of normals n must be.
pub(crate) fn cross<const D: usize>(a: (&Ridge<D>, f64), b: (&Ridge<D>, f64)) -> Option<Crossing<D>> {
    let (p, q) = (a.0.ends, b.0.ends);
    let (d, e) = (p[1] - p[0], q[1] - q[0]);
    let axis = normal_of(&[d, e]);
    let size = axis.norm();
    if !(size > PARALLEL * d.norm() * e.norm()) {
        return None;
    }
    let outwards = b.0.normals[0] + b.0.normals[1] - a.0.normals[0] - a.0.normals[1];
    let normal = axis * (1f64.copysign(axis.dot(&outwards)) / size);
    if !a.0.admits(&-normal, a.1) || !b.0.admits(&normal, b.1) {
        return None;
    }
    let (s, t) = segments((p[0], p[1]), (q[0], q[1]));
    let inside = |s: f64| s > END && s < 1.0 - END;
    let points = [p[0] + d * s, q[0] + e * t];
    let gap = normal.dot(&(points[0] - points[1]));
    (inside(s) && inside(t)).then_some(Crossing { s, t, points, normal, gap })
}

impl<const D: usize> Skins<D>
where
    Dim<D>: Space<D>,
{
    /// Sharp edges of a shape against the edges of a skin.
    pub(super) fn edges_of_shape(&mut self, s: usize, solid: &<Dim<D> as Space<D>>::Solid, at: &Search<D>) {
        if D < 3 {
            return;
        }
        let skin = &self.list[s];
        let reach = REACH * skin.size() + at.margin;
        let near = skin.aabb().grown(at.margin);
        for i in 0.. {
            let Some(ridge) = solid.ridge(i) else { break };
            if !ridge.is_sharp() || !ridge.bounds().meets(&near) {
                continue;
            }
            for_edges(skin, &ridge.bounds().grown(reach), &mut self.facets, |edge| {
                let Some(c) = cross((&ridge, FACE), (&edge.ridge, -LEAN)) else { return };
                if c.gap <= at.margin && c.gap >= -reach {
                    let features = [EDGE | i as u32, EDGE | edge.number];
                    let sides = [Stencil::default(), edge.stencil(c.t)];
                    // One point for both: action and reaction have no moment.
                    let hit = Hit { features, points: [c.points[1]; 2], normal: c.normal, gap: c.gap, rate: 0.0 };
                    self.found.push(Meeting { hit, sides });
                }
            });
        }
    }

    /// Sharp edges of two skins.
    pub(super) fn sharp_edges(&mut self, pair: [usize; 2], at: &Search<D>) {
        if D < 3 {
            return;
        }
        let [a, b] = pair.map(|s| &self.list[s]);
        let reach = REACH * a.size().max(b.size()) + at.margin;
        let near = b.aabb().grown(reach);
        let mut others = std::mem::take(&mut self.ranks);
        for_edges(a, &near, &mut self.facets, |mine| {
            if !mine.ridge.is_sharp() {
                return;
            }
            for_edges(b, &mine.ridge.bounds().grown(reach), &mut others, |theirs| {
                let sharp = theirs.ridge.is_sharp();
                let Some(c) = sharp.then(|| cross((&mine.ridge, FACE), (&theirs.ridge, FACE))).flatten() else {
                    return;
                };
                if c.gap <= at.margin && c.gap >= -reach {
                    let features = [EDGE | mine.number, EDGE | theirs.number];
                    let hit = Hit { features, points: c.points, normal: c.normal, gap: c.gap, rate: 0.0 };
                    self.found.push(Meeting { hit, sides: [mine.stencil(c.s), theirs.stencil(c.t)] });
                }
            });
        });
        self.ranks = others;
    }
}

/// A straight edge of a skin, or half of a curved one.
struct SkinEdge<const D: usize> {
    /// Its number in the skin.
    number: u32,
    nodes: [u32; 2],
    ridge: Ridge<D>,
}

impl<const D: usize> SkinEdge<D> {
    fn stencil(&self, t: f64) -> Stencil {
        Stencil::new(&self.nodes, &[1.0 - t, t])
    }
}

/// Visits the convex edges between two facets whose boxes meet `bounds`, by rising number.
fn for_edges<const D: usize>(
    skin: &Skin<D>,
    bounds: &Aabb<D>,
    facets: &mut Vec<u32>,
    mut visit: impl FnMut(&SkinEdge<D>),
) {
    facets.clear();
    skin.surface.tree.overlapping(bounds, |f| facets.push(f));
    facets.sort_unstable();
    for f in facets.iter().map(|&f| f as usize) {
        let (surface, patch) = (skin.facets(), &skin.surface.patches[f]);
        let corners = surface.edges(f);
        for e in 0..corners {
            // Each edge once, from the facet of the smaller number.
            let Some(g) = surface.neighbour(f, e).filter(|&g| g > f) else { continue };
            let normals = [skin.surface.middle[f], skin.surface.middle[g]];
            let (first, last) = (e, (e + 1) % corners);
            let halves = match patch.kind.is_quadratic() {
                true => [Some([first, corners + e]), Some([corners + e, last])],
                false => [Some([first, last]), None],
            };
            for (half, ends) in halves.into_iter().enumerate() {
                let Some(k) = ends else { continue };
                let ridge = Ridge { ends: k.map(|k| patch.x[k]), normals };
                if ridge.is_convex() && ridge.bounds().meets(bounds) {
                    let number = (8 * f + 2 * e + half) as u32;
                    visit(&SkinEdge { number, nodes: k.map(|k| surface.facet(f)[k]), ridge });
                }
            }
        }
    }
}
