//! The opposite place on a surface
//!
//! Proximity: the nearest place; where it is a corner or an edge, the normal is the offset
//! itself, which lies in the cone of the normals around, and the mean normal around tells
//! the side \[Baerentzen05\]. Smoothed normals: the place from which the interpolated normal
//! meets the point (it moves continuously across facets). Direction: the nearest facing
//! place on a line.

use super::Surface;
use super::closest::{Closest, Feature, along, closest};
use super::facet::{FACET_NODES, Patch, Xi, shape};
use crate::tree::Tree;
use crate::{Aabb, Vector};

/// Normals at a node are averaged over facets closer than 60° to each other.
const SMOOTH_COSINE: f64 = 0.5;
/// A penetrating point ignores facets that face the same way as its own (cosine).
const SAME_WAY: f64 = 0.1;
/// Beside a facet by less than this share of its size is on it.
const ON_FACET: f64 = 1e-6;

/// The opposite place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit<const D: usize> {
    pub facet: u32,
    pub xi: Xi,
    pub normal: Vector<D>,
    pub gap: f64,
    pub foot: Vector<D>,
    pub velocity: Vector<D>,
}

/// A point looking for its opposite.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Query<'a, const D: usize> {
    pub x: Vector<D>,
    /// Outward normal of the slave there.
    pub normal: Vector<D>,
    /// Unit direction towards the master; none for proximity.
    pub direction: Option<Vector<D>>,
    /// Farthest distance.
    pub reach: f64,
    /// Share of a facet's size beyond a border.
    pub border: f64,
    /// Only where the surfaces share nodes.
    pub itself: Option<Itself<'a, D>>,
}

/// What a point of the same body brings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Itself<'a, const D: usize> {
    /// Ranks of the nodes whose facets are left out.
    pub own: &'a [bool],
    /// Reference positions.
    pub rest: &'a [f64],
    /// That of the point.
    pub x: Vector<D>,
}

/// A surface at its current place.
#[derive(Clone, Debug)]
pub(crate) struct MasterSurface<const D: usize> {
    pub surface: Surface,
    pub patches: Vec<Patch<D>>,
    pub boxes: Vec<Aabb<D>>,
    pub tree: Tree<D>,
    smoothed: bool,
    /// Size of the largest facet \[m\].
    largest: f64,
    /// Normal of each facet at each of its nodes, zero where degenerate.
    pub own: Vec<Vector<D>>,
    /// Angles of the facets there \[rad\].
    angles: Vec<f64>,
    /// The same averaged around nodes; empty unless smoothed.
    pub smooth: Vec<Vector<D>>,
    /// Normal of each facet at its middle, zero where degenerate.
    pub middle: Vec<Vector<D>>,
}

impl<const D: usize> MasterSurface<D> {
    pub fn new(surface: Surface, smoothed: bool) -> Self {
        let (patches, boxes, own, angles, smooth, middle) = (vec![], vec![], vec![], vec![], vec![], vec![]);
        Self { surface, patches, boxes, tree: Tree::default(), smoothed, largest: 0.0, own, angles, smooth, middle }
    }

    /// Moves the surface.
    pub fn update(&mut self, x: &[f64]) {
        let s = &self.surface;
        self.patches.clear();
        self.patches.extend((0..s.len()).map(|f| Patch::gather(s.kind(f), s.facet(f), x)));
        self.boxes.clear();
        self.boxes.extend(self.patches.iter().map(bounds));
        self.tree.update(&self.boxes);
        self.largest = self.patches.iter().map(Patch::size).fold(0.0, f64::max);
        self.own.clear();
        self.angles.clear();
        self.middle.clear();
        for p in &self.patches {
            let normal = |xi: &Xi| p.normal(*xi).unwrap_or_else(Vector::zeros);
            self.own.extend(p.kind.places().iter().map(normal));
            self.angles.extend((0..p.len()).map(|k| corner_angle(p, k)));
            self.middle.push(normal(&p.kind.centre()));
        }
        if self.smoothed {
            self.average();
        }
    }

    fn average(&mut self) {
        self.smooth.clear();
        for f in 0..self.surface.len() {
            for (k, &rank) in self.surface.ranks(f).iter().enumerate() {
                let mine = self.own[self.surface.start(f) + k];
                let mean = self.mean_around(rank as usize, Some(&mine));
                self.smooth.push(if mean.norm_squared() > 0.0 { mean.normalize() } else { mine });
            }
        }
    }

    /// Sum of the normals around a node, weighted by the angles of the facets there; only
    /// those close to `like` where it is given.
    fn mean_around(&self, rank: usize, like: Option<&Vector<D>>) -> Vector<D> {
        let mut sum = Vector::zeros();
        for &e in self.surface.entries(rank) {
            let n = self.own[e as usize];
            if like.is_none_or(|m| m.dot(&n) > SMOOTH_COSINE) {
                sum += n * self.angles[e as usize];
            }
        }
        sum
    }

    fn normals(&self, from: &[Vector<D>], facet: usize) -> [Vector<D>; FACET_NODES] {
        let mut n = [Vector::zeros(); FACET_NODES];
        let start = self.surface.start(facet);
        let count = self.surface.facet(facet).len();
        n[..count].copy_from_slice(&from[start..start + count]);
        n
    }

    /// In the same body: own and adjacent facets, and those that face the same way.
    fn excluded(&self, q: &Query<D>, facet: usize) -> bool {
        if self.middle[facet].norm_squared() == 0.0 {
            return true;
        }
        q.itself.is_some_and(|s| {
            self.surface.ranks(facet).iter().any(|&r| s.own[r as usize]) || self.middle[facet].dot(&q.normal) > 0.0
        })
    }

    /// Whether a penetrating point would meet a surface from its back: one that faces the same
    /// way, or the other side of the same thin body, which was behind it at rest already.
    fn behind(&self, q: &Query<D>, (f, xi): (usize, Xi), normal: &Vector<D>, gap: f64) -> bool {
        if gap >= 0.0 {
            return false;
        }
        let through = |s: &Itself<D>| {
            let patch = Patch::<D>::gather(self.surface.kind(f), self.surface.facet(f), s.rest);
            let r = s.x - patch.point(xi);
            // At an edge or a vertex the facet's normal may not tell; depth does: what went in from
            // the front is much nearer now than it was at rest.
            let deep = -gap > 0.5 * r.norm();
            let back = patch.normal(xi).is_some_and(|n| r.dot(&n) < -1e-3 * r.norm());
            r.norm() <= 2.0 * q.reach && (back || deep)
        };
        q.normal.dot(normal) > SAME_WAY || q.itself.as_ref().is_some_and(through)
    }

    /// The opposite place, first looked for on the facet `hint`.
    pub fn find(&self, q: &Query<D>, hint: Option<u32>) -> Option<Hit<D>> {
        if let Some(hit) = hint.and_then(|f| self.on_facet(q, f as usize, ON_FACET)) {
            return Some(hit);
        }
        match q.direction {
            // Lines that meet no facet may pass beside a border.
            Some(d) => self.on_line(q, &d, ON_FACET).or_else(|| self.on_line(q, &d, q.border)),
            None => self.nearest(q).and_then(|(f, c)| self.resolve(q, f, &c)).filter(|h| {
                // Normals at edges and vertices are not those that were looked at before.
                q.itself.is_none() || !self.behind(q, (h.facet as usize, h.xi), &h.normal, h.gap)
            }),
        }
    }

    /// The opposite place on one facet, if it is there or beside it by less than the share
    /// `beside` of its size.
    pub fn on_facet(&self, q: &Query<D>, f: usize, beside: f64) -> Option<Hit<D>> {
        if self.excluded(q, f) {
            return None;
        }
        let patch = &self.patches[f];
        let hit = if let Some(d) = q.direction {
            let (xi, _) = along(patch, &[-d; FACET_NODES], &q.x, patch.kind.centre())?;
            self.inside(q, f, xi, beside).filter(|h| h.normal.dot(&d) < 0.0)?
        } else if self.smoothed {
            let (xi, _) = along(patch, &self.normals(&self.smooth, f), &q.x, patch.kind.centre())?;
            self.inside(q, f, xi, beside)?
        } else {
            let c = closest(patch, &q.x);
            let normal = patch.normal(c.xi)?;
            let gap = (q.x - c.point).dot(&normal);
            let aside = (q.x - c.point - normal * gap).norm();
            if c.feature != Feature::Interior && aside > beside * patch.size() {
                return None;
            }
            Hit { facet: f as u32, xi: c.xi, normal, gap, foot: c.point, velocity: Vector::zeros() }
        };
        (hit.gap.abs() <= q.reach && !self.behind(q, (f, hit.xi), &hit.normal, hit.gap)).then_some(hit)
    }

    /// A place given in the coordinates of a facet, if it is on it.
    fn inside(&self, q: &Query<D>, f: usize, xi: Xi, beside: f64) -> Option<Hit<D>> {
        let patch = &self.patches[f];
        if patch.kind.excess(xi) > beside * patch.kind.extent() {
            return None;
        }
        let xi = patch.kind.clamped(xi);
        let s = shape(patch.kind, xi);
        let foot = patch.combine(&s.n);
        let normal = if self.smoothed {
            let n = Patch { kind: patch.kind, x: self.normals(&self.smooth, f) }.combine(&s.n);
            (n.norm() > 0.0).then(|| n.normalize())?
        } else {
            patch.normal(xi)?
        };
        let gap = (q.x - foot).dot(&normal);
        Some(Hit { facet: f as u32, xi, normal, gap, foot, velocity: Vector::zeros() })
    }

    /// Along a line, the nearest facing place.
    fn on_line(&self, q: &Query<D>, d: &Vector<D>, beside: f64) -> Option<Hit<D>> {
        let wide = beside * self.largest;
        let line = Aabb::of_points(&[q.x - d * q.reach, q.x + d * q.reach], wide);
        let mut best: Option<(f64, Hit<D>)> = None;
        self.tree.overlapping(&line, |f| {
            if !self.boxes[f as usize].meets(&line) {
                return;
            }
            if let Some(hit) = self.on_facet(q, f as usize, beside) {
                let way = (hit.foot - q.x).norm();
                let better = |(o, b): &(f64, Hit<D>)| way < *o || (way == *o && hit.facet < b.facet);
                if way <= q.reach && best.as_ref().is_none_or(better) {
                    best = Some((way, hit));
                }
            }
        });
        best.map(|b| b.1)
    }

    pub fn nearest(&self, q: &Query<D>) -> Option<(usize, Closest<D>)> {
        let mut best: Option<(usize, Closest<D>)> = None;
        self.tree.nearest(&q.x, q.reach * q.reach, |f, reach| {
            let f = f as usize;
            if !(self.boxes[f].distance_squared(&q.x) <= *reach) || self.excluded(q, f) {
                return;
            }
            let c = closest(&self.patches[f], &q.x);
            let better =
                |(g, o): &(usize, Closest<D>)| c.distance2 < o.distance2 || (c.distance2 == o.distance2 && f < *g);
            if c.distance2 <= *reach && best.as_ref().is_none_or(better) {
                let normal = self.patches[f].normal(c.xi).unwrap_or(self.middle[f]);
                if !self.behind(q, (f, c.xi), &normal, (q.x - c.point).dot(&normal)) {
                    *reach = c.distance2;
                    best = Some((f, c));
                }
            }
        });
        best
    }

    /// From the nearest place to gap and normal; none beyond a border.
    fn resolve(&self, q: &Query<D>, f: usize, c: &Closest<D>) -> Option<Hit<D>> {
        if self.smoothed
            && let Some(hit) = self.smooth_near(q, f)
        {
            return Some(hit);
        }
        let patch = &self.patches[f];
        let size = patch.size();
        let flat = patch.normal(c.xi).unwrap_or(self.middle[f]);
        let r = q.x - c.point;
        let (height, length) = (r.dot(&flat), r.norm());
        let aside = (r - flat * height).norm();
        let hit =
            |normal, gap| Hit { facet: f as u32, xi: c.xi, normal, gap, foot: c.point, velocity: Vector::zeros() };
        let (outer, around) = match c.feature {
            Feature::Interior => return Some(hit(flat, height)),
            Feature::Edge(e) => match self.surface.neighbour(f, e) {
                Some(g) => (q.itself.is_some() && self.excluded(q, g), flat + self.across(f, g, e)),
                None => (true, flat),
            },
            Feature::Corner(k) => {
                let rank = self.surface.ranks(f)[k] as usize;
                let left_out = || self.surface.around(rank).iter().any(|&g| self.excluded(q, g as usize));
                // What is left out ends the surface, like a border.
                (self.surface.on_border(rank) || (q.itself.is_some() && left_out()), self.mean_around(rank, None))
            }
        };
        if outer {
            return (aside <= q.border * size).then(|| hit(flat, height));
        }
        if length <= 1e-9 * size && around.norm() > 0.0 {
            let normal = around.normalize();
            return Some(hit(normal, r.dot(&normal)));
        }
        if aside <= 1e-10 * size {
            return Some(hit(flat, height));
        }
        let gap = length.copysign(r.dot(&around));
        Some(hit(r / gap, gap))
    }

    /// Normal of the neighbour `g` across edge `e` of `f`, at the edge's first node.
    fn across(&self, f: usize, g: usize, e: usize) -> Vector<D> {
        let rank = self.surface.ranks(f)[e];
        let k = self.surface.ranks(g).iter().position(|&r| r == rank);
        k.map_or(self.middle[g], |k| self.own[self.surface.start(g) + k])
    }

    /// The place on this facet or one around it from which the smoothed normal meets the point.
    fn smooth_near(&self, q: &Query<D>, f: usize) -> Option<Hit<D>> {
        if let Some(hit) = self.on_facet(q, f, ON_FACET) {
            return Some(hit);
        }
        let mut best: Option<Hit<D>> = None;
        for &rank in self.surface.ranks(f) {
            for &g in self.surface.around(rank as usize) {
                if g as usize == f {
                    continue;
                }
                if let Some(hit) = self.on_facet(q, g as usize, ON_FACET) {
                    let better = |o: &Hit<D>| {
                        hit.gap.abs() < o.gap.abs() || (hit.gap.abs() == o.gap.abs() && hit.facet < o.facet)
                    };
                    if best.as_ref().is_none_or(better) {
                        best = Some(hit);
                    }
                }
            }
        }
        best
    }
}

/// The box of a facet; curved ones leave the box of their nodes by less than a quarter.
fn bounds<const D: usize>(patch: &Patch<D>) -> Aabb<D> {
    let b = Aabb::of_points(&patch.x[..patch.len()], 0.0);
    if patch.kind.is_quadratic() { b.grown(0.25 * b.extent().norm()) } else { b }
}

/// Angle of a facet at one of its nodes \[rad\]; one in the plane.
fn corner_angle<const D: usize>(patch: &Patch<D>, k: usize) -> f64 {
    let n = patch.kind.corners();
    if D == 2 {
        return 1.0;
    }
    if k >= n {
        return std::f64::consts::PI;
    }
    let (a, b) = (patch.x[(k + 1) % n] - patch.x[k], patch.x[(k + n - 1) % n] - patch.x[k]);
    let c = a.dot(&b) / (a.norm() * b.norm());
    if c.is_finite() { c.clamp(-1.0, 1.0).acos() } else { 0.0 }
}
