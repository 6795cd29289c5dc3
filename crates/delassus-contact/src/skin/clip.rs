//! Slave facets of space cut along the edges of master facets
//!
//! Both facets are projected on the plane of the slave facet's middle, their polygons
//! intersected \[SutherlandHodgman74\], the intersection cut into triangles of the slave's own
//! coordinates \[PusoLaursen04\]. Departures: the points of these triangles are then paired
//! like all others, so that gaps and normals do not depend on the partition; meshes that
//! nearly coincide do: corners of the master within [`SNAP`] of a corner or an edge of the
//! slave are on it. Fields are continuous across the edges that move so little, and what is
//! lost is the square of it; in return round-off makes no slivers, and points keep their names
//! from one pairing to the next.

use super::FacetKind;
use super::facet::{Patch, Xi, shape};
use super::kind::Domain;
use super::master::{MasterSurface, Query};
use super::partition::{Cell, PartitionScratch};
use super::surface::NONE;
use crate::Vector;

/// Most corners of the intersection of two quadrangles.
const CORNERS: usize = 8;
/// A corner of the master this near to a corner or an edge of the slave is on it, in sizes of the facet.
const SNAP: f64 = 1e-6;
/// Intersections smaller than this share of the slave facet are left out: the square of [`SNAP`].
const SLIVER: f64 = 1e-12;
/// Beside a line by less than this, in sizes of the facet, is on it.
const ON_LINE: f64 = 1e-13;
/// Master facets must face the slave facet by at least this cosine.
const FACING: f64 = 0.05;

/// A convex polygon of the plane.
#[derive(Clone, Copy, Debug, Default)]
struct Polygon {
    count: usize,
    at: [Xi; CORNERS],
}

/// A master facet projected on the plane of a slave facet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outline {
    facet: u32,
    kind: FacetKind,
    corners: [Xi; 4],
    heights: [f64; 4],
    /// Box around the corners.
    lo: Xi,
    hi: Xi,
}

/// The plane of a slave facet.
struct Plane<const D: usize> {
    origin: Vector<D>,
    axes: [Vector<D>; 3],
}

impl<const D: usize> Plane<D> {
    fn of(slave: &Patch<D>) -> Option<Self> {
        let xi = slave.kind.centre();
        let normal = slave.normal(xi)?;
        let first = slave.tangents(&shape(slave.kind, xi))[0].normalize();
        let second = super::facet::normal_of(&[normal, first]);
        Some(Self { origin: slave.point(xi), axes: [first, second, normal] })
    }

    fn project(&self, x: &Vector<D>) -> (Xi, f64) {
        let r = x - self.origin;
        ([r.dot(&self.axes[0]), r.dot(&self.axes[1])], r.dot(&self.axes[2]))
    }

    fn outline(&self, facet: u32, patch: &Patch<D>) -> Outline {
        let (kind, lo, hi) = (patch.kind.linear(), [f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        let mut o = Outline { facet, kind, corners: [[0.0; 2]; 4], heights: [0.0; 4], lo, hi };
        for k in 0..patch.kind.corners() {
            (o.corners[k], o.heights[k]) = self.project(&patch.x[k]);
            o.lo = [0, 1].map(|a| o.lo[a].min(o.corners[k][a]));
            o.hi = [0, 1].map(|a| o.hi[a].max(o.corners[k][a]));
        }
        o
    }
}

impl Outline {
    fn overlaps(&self, lo: Xi, hi: Xi) -> bool {
        (0..2).all(|a| self.lo[a] <= hi[a] && lo[a] <= self.hi[a])
    }

    fn polygon(&self, reversed: bool) -> Polygon {
        let count = self.kind.corners();
        let mut p = Polygon { count, ..Polygon::default() };
        for k in 0..count {
            p.at[k] = self.corners[if reversed { count - 1 - k } else { k }];
        }
        p
    }

    /// Facet coordinates of a place of the plane, by Newton (one step for triangles).
    fn coordinates(&self, at: Xi) -> Option<Xi> {
        let mut xi = self.kind.centre();
        for _ in 0..30 {
            let s = shape(self.kind, xi);
            let (mut r, mut j) = (at, [[0.0; 2]; 2]);
            for k in 0..self.kind.corners() {
                for a in 0..2 {
                    r[a] -= s.n[k] * self.corners[k][a];
                    j[a][0] += s.d[k][0] * self.corners[k][a];
                    j[a][1] += s.d[k][1] * self.corners[k][a];
                }
            }
            let det = j[0][0] * j[1][1] - j[0][1] * j[1][0];
            let step = [(j[1][1] * r[0] - j[0][1] * r[1]) / det, (j[0][0] * r[1] - j[1][0] * r[0]) / det];
            if !step.iter().all(|d| d.is_finite()) {
                return None;
            }
            xi = [xi[0] + step[0], xi[1] + step[1]];
            if self.kind == FacetKind::Tri3 || step[0].abs().max(step[1].abs()) <= 1e-14 {
                return Some(xi);
            }
        }
        None
    }

    fn height(&self, xi: Xi) -> f64 {
        let s = shape(self.kind, xi);
        (0..self.kind.corners()).map(|k| s.n[k] * self.heights[k]).sum()
    }

    /// Height above a place of the plane, where the facet covers it.
    fn height_over(&self, at: Xi) -> Option<f64> {
        if !self.overlaps(at, at) {
            return None;
        }
        let xi = self.coordinates(at)?;
        (self.kind.excess(xi) < 0.0).then(|| self.height(xi))
    }
}

impl<const D: usize> PartitionScratch<D> {
    /// Cuts a facet of space.
    pub fn cut_facet(&mut self, master: &MasterSurface<D>, slave: &Patch<D>, q: &Query<D>) {
        self.gather_near(master, slave, q.reach);
        self.cells.clear();
        self.outlines.clear();
        let Some(plane) = Plane::of(slave) else { return };
        let own = plane.outline(NONE, slave);
        for &f in &self.near {
            let skipped = q.itself.is_some_and(|s| master.surface.ranks(f as usize).iter().any(|&r| s.own[r as usize]));
            if !skipped && master.middle[f as usize].dot(&plane.axes[2]) < -FACING {
                let outline = plane.outline(f, &master.patches[f as usize]);
                if outline.overlaps(own.lo, own.hi) {
                    self.outlines.push(outline);
                }
            }
        }
        let window = own.polygon(false);
        let whole = area(&window);
        let (smallest, size) = (SLIVER * whole, whole.abs().sqrt());
        for o in &self.outlines {
            let mut subject = o.polygon(true);
            subject.at[..subject.count].iter_mut().for_each(|p| *p = snapped_to(&window, *p, SNAP * size));
            let part = intersection(&subject, &window, ON_LINE * size);
            if part.count >= 3 && area(&part) > smallest && is_first(o, &self.outlines, &part) {
                push_triangles(&own, o.facet, &part, &mut self.cells);
            }
        }
    }
}

/// Whether no other master facet lies between the slave and this one.
fn is_first(o: &Outline, all: &[Outline], part: &Polygon) -> bool {
    let mut middle = [0.0; 2];
    for p in &part.at[..part.count] {
        middle = [middle[0] + p[0] / part.count as f64, middle[1] + p[1] / part.count as f64];
    }
    let Some(mine) = o.height_over(middle) else { return true };
    !all.iter().filter(|a| a.facet != o.facet).any(|a| {
        a.height_over(middle).is_some_and(|h| h.abs() < mine.abs() || (h.abs() == mine.abs() && a.facet < o.facet))
    })
}

fn push_triangles(own: &Outline, master: u32, part: &Polygon, cells: &mut Vec<Cell>) {
    let mut at = [[0.0; 2]; CORNERS];
    for k in 0..part.count {
        match own.coordinates(part.at[k]) {
            Some(xi) => at[k] = snapped(own.kind, xi),
            None => return,
        }
    }
    for k in 2..part.count {
        let corners = [at[0], at[k - 1], at[k]];
        // Corners of the polygon may fall together.
        let size = area(&Polygon { count: 3, at: corners_of(corners) });
        if size.abs() <= SLIVER * own.kind.extent() * own.kind.extent() {
            continue;
        }
        cells.push(Cell { corners, domain: Domain::Triangle, master });
    }
}

fn corners_of([a, b, c]: [Xi; 3]) -> [Xi; CORNERS] {
    let mut at = [[0.0; 2]; CORNERS];
    (at[0], at[1], at[2]) = (a, b, c);
    at
}

/// Coordinates within round-off of a corner are that corner: areas then add up exactly.
fn snapped(kind: FacetKind, xi: Xi) -> Xi {
    let near = |c: &&Xi| (c[0] - xi[0]).abs().max((c[1] - xi[1]).abs()) < 1e-14;
    kind.places().iter().find(near).copied().unwrap_or(xi)
}

fn area(p: &Polygon) -> f64 {
    let cross = |a: Xi, b: Xi| a[0] * b[1] - a[1] * b[0];
    let from = |k: usize| [p.at[k][0] - p.at[0][0], p.at[k][1] - p.at[0][1]];
    0.5 * (2..p.count).map(|k| cross(from(k - 1), from(k))).sum::<f64>()
}

/// The corner or the place of an edge of `window` within `reach` of a point, else the point.
fn snapped_to(window: &Polygon, p: Xi, reach: f64) -> Xi {
    let away = |a: Xi| (p[0] - a[0]).hypot(p[1] - a[1]);
    if let Some(corner) = window.at[..window.count].iter().find(|c| away(**c) <= reach) {
        return *corner;
    }
    for e in 0..window.count {
        let (a, b) = (window.at[e], window.at[(e + 1) % window.count]);
        let d = [b[0] - a[0], b[1] - a[1]];
        let s = ((p[0] - a[0]) * d[0] + (p[1] - a[1]) * d[1]) / (d[0] * d[0] + d[1] * d[1]);
        let foot = [a[0] + s * d[0], a[1] + s * d[1]];
        if (0.0..=1.0).contains(&s) && away(foot) <= reach {
            return foot;
        }
    }
    p
}

/// `subject` cut by each side of `window`, both counter-clockwise and convex; what is beside a side by
/// `round` is on it.
fn intersection(subject: &Polygon, window: &Polygon, round: f64) -> Polygon {
    let mut kept = *subject;
    for e in 0..window.count {
        let (a, b) = (window.at[e], window.at[(e + 1) % window.count]);
        let length = (b[0] - a[0]).hypot(b[1] - a[1]);
        let side = |p: Xi| {
            let s = (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
            if s.abs() <= round * length { 0.0 } else { s }
        };
        let mut next = Polygon::default();
        for k in 0..kept.count {
            let (p, q) = (kept.at[k], kept.at[(k + 1) % kept.count]);
            let (sp, sq) = (side(p), side(q));
            if sp >= 0.0 {
                push(&mut next, p);
            }
            if (sp > 0.0 && sq < 0.0) || (sp < 0.0 && sq > 0.0) {
                let s = sp / (sp - sq);
                push(&mut next, [p[0] + s * (q[0] - p[0]), p[1] + s * (q[1] - p[1])]);
            }
        }
        kept = next;
    }
    kept
}

/// Two convex quadrangles meet in at most eight corners; more come from round-off or from a
/// quadrangle that is not convex, and are left out.
fn push(p: &mut Polygon, at: Xi) {
    if p.count < CORNERS {
        p.at[p.count] = at;
        p.count += 1;
    }
}
