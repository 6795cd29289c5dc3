//! Slave facets cut where the master facet changes
//!
//! In the plane the cuts are where the normals at the master's nodes (the direction of the
//! search) meet the slave facet: between two cuts both shape functions are smooth, so that
//! Gauss and Simpson points integrate their products exactly (thesis remark 3.3).

use super::facet::{Patch, Xi};
use super::kind::Domain;
use super::master::{MasterSurface, Query};
use super::surface::NONE;
use crate::{Aabb, Vector};

/// Cuts closer than this, in the coordinate of the facet, are one: what is lost is the
/// square of it.
const SAME_CUT: f64 = 1e-9;

/// A part of a slave facet: a segment, a triangle, or all of a quadrangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub corners: [Xi; 3],
    pub domain: Domain,
    /// The master facet expected, or [`NONE`].
    pub master: u32,
}

impl Cell {
    /// All of a facet.
    pub fn whole(domain: Domain) -> Self {
        let corners = match domain {
            Domain::Segment => [[-1.0, 0.0], [1.0, 0.0], [0.0; 2]],
            _ => [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]],
        };
        Self { corners, domain, master: NONE }
    }

    /// Facet coordinates and weight of a point of the rule.
    pub fn place(&self, (xi, w): (Xi, f64)) -> (Xi, f64) {
        let [a, b, c] = self.corners;
        match self.domain {
            Domain::Point | Domain::Square => (xi, w),
            Domain::Segment => {
                let half = 0.5 * (b[0] - a[0]);
                ([0.5 * (a[0] + b[0]) + half * xi[0], 0.0], w * half)
            }
            Domain::Triangle => {
                let (u, v) = ([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]);
                let at = [0, 1].map(|k| a[k] + u[k] * xi[0] + v[k] * xi[1]);
                (at, w * (u[0] * v[1] - u[1] * v[0]).abs())
            }
        }
    }
}

/// Memory of the partition.
#[derive(Clone, Debug, Default)]
pub(crate) struct PartitionScratch<const D: usize> {
    pub cuts: Vec<f64>,
    pub cells: Vec<Cell>,
    pub near: Vec<u32>,
    pub outlines: Vec<super::clip::Outline>,
}

impl<const D: usize> PartitionScratch<D> {
    /// Master facets whose boxes are within reach, ascending.
    pub fn gather_near(&mut self, master: &MasterSurface<D>, slave: &Patch<D>, reach: f64) {
        let around = Aabb::of_points(&slave.x[..slave.len()], 0.0);
        let bulge = if slave.kind.is_quadratic() { 0.25 * around.extent().norm() } else { 0.0 };
        let around = around.grown(reach + bulge);
        let near = &mut self.near;
        near.clear();
        master.tree.overlapping(&around, |f| {
            if master.boxes[f as usize].meets(&around) {
                near.push(f);
            }
        });
        near.sort_unstable();
    }

    /// Cuts a segment of the plane, also where it faces `kinks` of other functions, at rest.
    pub fn cut_segment<'a>(
        &mut self,
        master: &MasterSurface<D>,
        slave: &Patch<D>,
        q: &Query<D>,
        smooth: bool,
        kinks: impl Iterator<Item = (&'a Patch<D>, &'a Vector<D>)>,
    ) {
        self.gather_near(master, slave, q.reach);
        self.cuts.clear();
        for &f in &self.near {
            for end in 0..2 {
                let line = q.direction.unwrap_or_else(|| cutting_normal(master, f as usize, end, smooth));
                push_cuts(slave, &master.patches[f as usize].x[end], &line, q.reach, &mut self.cuts);
            }
        }
        for (rest, y) in kinks {
            if let Some(normal) = rest.normal([0.0; 2]) {
                push_cuts(rest, y, &normal, f64::INFINITY, &mut self.cuts);
            }
        }
        self.cuts.sort_unstable_by(f64::total_cmp);
        self.cells.clear();
        let mut from = -1.0;
        let ends = self.cuts.iter().copied().filter(|c| *c < 1.0 - SAME_CUT).chain([1.0]);
        for to in ends {
            if to - from > SAME_CUT {
                let corners = [[from, 0.0], [to, 0.0], [0.0; 2]];
                self.cells.push(Cell { corners, domain: Domain::Segment, master: NONE });
                from = to;
            }
        }
    }
}

/// The normal at an end of a facet along which the pairing changes facet. At a convex corner
/// each facet has its own (between them points face the corner), at a hollow one the bisector.
fn cutting_normal<const D: usize>(m: &MasterSurface<D>, f: usize, end: usize, smooth: bool) -> Vector<D> {
    let entry = |f: usize, k: usize| m.surface.start(f) + k;
    if smooth {
        return m.smooth[entry(f, end)];
    }
    let mine = m.own[entry(f, end)];
    let Some(g) = m.surface.neighbour(f, end) else { return mine };
    let other = m.own[entry(g, 1 - end)];
    let (before, after) = if end == 1 { (mine, other) } else { (other, mine) };
    let turn = before[0] * after[1] - before[1] * after[0];
    if turn < 0.0 { mine + other } else { mine }
}

/// Where the line through `y` along `n` crosses the segment: `cross(x(ξ) − y, n) = 0`.
fn push_cuts<const D: usize>(slave: &Patch<D>, y: &Vector<D>, n: &Vector<D>, reach: f64, cuts: &mut Vec<f64>) {
    let cross = |a: &Vector<D>| a[0] * n[1] - a[1] * n[0];
    let (half, middle) = ((slave.x[1] - slave.x[0]) * 0.5, (slave.x[0] + slave.x[1]) * 0.5);
    let bulge = if slave.kind.is_quadratic() { slave.x[2] - middle } else { Vector::zeros() };
    let (a, b, c) = (-cross(&bulge), cross(&half), cross(&(middle + bulge - y)));
    for root in quadratic_roots(a, b, c) {
        if root.abs() < 1.0 - SAME_CUT && (slave.point([root, 0.0]) - y).norm() <= reach {
            cuts.push(root);
        }
    }
}

/// Real roots of `a s² + b s + c`, NaN where there are none.
fn quadratic_roots(a: f64, b: f64, c: f64) -> [f64; 2] {
    if a.abs() <= 1e-14 * b.abs() {
        return [-c / b, f64::NAN];
    }
    let q = -0.5 * (b + (b * b - 4.0 * a * c).sqrt().copysign(b));
    [q / a, c / q]
}
