//! Discs and their parts
//!
//! ```text
//!   O ───────┬──── y = 0      A quarter: a core of n × n cells and two blocks of n × layers
//!   │  core  │    \           between the core and the arc. The foot F = (0, −R) is where
//!   │        C  right\        contact is expected: cells shrink along the arc from C to F
//!   ├───────/ \       |       and, if asked for, towards the arc.
//!   │ bottom   \    /         Halves and the whole are mirror images, joined.
//!   F ── arc ── ──
//! ```

use super::super::{CellKind, Mesh, MeshError};
use super::{Grading, add_mirrored, counts, finish, finite, grid, positive};
use serde::{Deserialize, Serialize};
use std::f64::consts::FRAC_PI_4;

/// Distance of the core's corners on the axes, over the radius.
const CORE: f64 = 0.5;
/// Both coordinates of its corner on the diagonal: makes the three angles there nearly equal.
const DIAGONAL: f64 = 0.4;

/// Which part of the disc.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiscPart {
    /// All of it.
    #[default]
    Full,
    /// y ≤ 0.
    Lower,
    /// x ≥ 0: the half that revolves into a ball.
    Right,
    /// x ≥ 0, y ≤ 0: the quarter that revolves into half a ball.
    LowerRight,
}

/// A disc of `Quad4`, `Quad8`, `Tri3` or `Tri6`. Groups: `arc`, `boundary`; `top` (y = 0)
/// of the lower parts; `axis` (x = 0) of the right ones; the nodes `foot` (0, −R) and `centre`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Disc {
    /// Centre \[m\].
    pub centre: [f64; 2],
    /// Radius \[m\].
    pub radius: f64,
    /// Which part.
    pub part: DiscPart,
    /// Cells along each side of the core of a quarter: half of those along its arc.
    pub cells: usize,
    /// Cells between core and arc.
    pub layers: usize,
    /// Kind of the cells.
    pub kind: CellKind,
    /// Size of cells along the arc at the diagonal over that at the foot; 1 is uniform.
    pub refine_foot: f64,
    /// Size of cells across the layers at the core over that at the arc; 1 is uniform.
    pub refine_arc: f64,
}

impl Disc {
    /// A uniform disc around the origin.
    pub fn new(radius: f64, part: DiscPart, cells: usize, kind: CellKind) -> Self {
        let layers = cells.div_ceil(2);
        Disc { centre: [0.0; 2], radius, part, cells, layers, kind, refine_foot: 1.0, refine_arc: 1.0 }
    }

    /// The mesh.
    pub fn mesh(&self) -> Result<Mesh, MeshError> {
        let quads = self.quadrangles()?;
        let (r, tol) = (self.radius, self.tolerance());
        let points = quads.points.clone();
        let on_arc = |p: [f64; 3]| (p[0].hypot(p[1]) - r).abs() < tol;
        let place = |i: u32, j: u32, m: [f64; 3]| {
            let both = on_arc(points[i as usize]) && on_arc(points[j as usize]);
            let stretch = if both { r / m[0].hypot(m[1]) } else { 1.0 };
            [m[0] * stretch, m[1] * stretch, 0.0]
        };
        let mut mesh = finish(quads, self.kind, place)?;
        mesh.group_sides(&[("arc", &on_arc), ("boundary", &|_| true)])?;
        if matches!(self.part, DiscPart::Lower | DiscPart::LowerRight) {
            mesh.group_boundary("top", |p| p[1].abs() < tol)?;
        }
        if matches!(self.part, DiscPart::Right | DiscPart::LowerRight) {
            mesh.group_boundary("axis", |p| p[0].abs() < tol)?;
        }
        mesh.add_node_group("foot", mesh.nodes_in_ball([0.0, -r, 0.0], tol))?;
        mesh.add_node_group("centre", mesh.nodes_in_ball([0.0; 3], tol))?;
        mesh.translate([self.centre[0], self.centre[1], 0.0]);
        Ok(mesh)
    }

    /// Distance at which nodes are one; the smallest cell is far larger.
    fn tolerance(&self) -> f64 {
        1e-10 * self.radius
    }

    /// The part, in `Quad4`, around the origin, without groups.
    fn quadrangles(&self) -> Result<Mesh, MeshError> {
        positive("radius of a disc", self.radius)?;
        finite("centre of a disc", &self.centre)?;
        counts("cells and layers of a disc", &[self.cells, self.layers])?;
        counts("cells of a disc's core", &[self.cells, self.cells])?;
        let mut mesh = self.quarter()?;
        if matches!(self.part, DiscPart::Full | DiscPart::Lower) {
            add_mirrored(&mut mesh, 0, self.tolerance())?;
        }
        if matches!(self.part, DiscPart::Full | DiscPart::Right) {
            add_mirrored(&mut mesh, 1, self.tolerance())?;
        }
        Ok(mesh)
    }

    /// x ≥ 0, y ≤ 0.
    fn quarter(&self) -> Result<Mesh, MeshError> {
        let (n, r) = (self.cells, self.radius);
        let along = Grading::Geometric(self.refine_foot).stations(n)?;
        let down = Grading::Uniform.stations(n)?;
        let out = Grading::Geometric(1.0 / self.refine_arc).stations(self.layers)?;
        let core = |s: f64, t: f64| {
            let x = s * ((1.0 - t) * CORE + t * DIAGONAL);
            let y = t * ((1.0 - s) * CORE + s * DIAGONAL);
            [r * x, -r * y]
        };
        let mix = |a: [f64; 2], b: [f64; 2], s: f64| [0, 1].map(|k| a[k] * (1.0 - s) + b[k] * s);
        let mut mesh = grid::plane([n, n], |i, j| core(along[i], down[j]));
        let bottom = grid::plane([n, self.layers], |i, j| {
            let (sin, cos) = (FRAC_PI_4 * along[i]).sin_cos();
            mix(core(along[i], 1.0), [r * sin, -r * cos], out[j])
        });
        let right = grid::plane([n, self.layers], |i, j| {
            let (sin, cos) = (FRAC_PI_4 * down[i]).sin_cos();
            mix(core(1.0, down[i]), [r * cos, -r * sin], out[j])
        });
        mesh.merge(&bottom, "")?;
        mesh.merge(&right, "")?;
        mesh.weld(self.tolerance());
        mesh.repair_orientation();
        Ok(mesh)
    }
}

/// A circular cylinder of `Hex8`, `Tet4` or `Tet10` along z, from z = 0. Groups: `bottom`,
/// `top`, `outer`, `boundary`; `left` (x = 0) and `back` (y = 0) of the parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cylinder {
    /// Its section; the kind of its cells is that of the cylinder's.
    pub section: Disc,
    /// Height \[m\].
    pub height: f64,
    /// Cells along the height.
    pub cells: usize,
    /// How they grow from the bottom.
    pub grading: Grading,
}

impl Cylinder {
    /// The mesh.
    pub fn mesh(&self) -> Result<Mesh, MeshError> {
        positive("height of a cylinder", self.height)?;
        let disc = &self.section;
        counts(
            "cells of a cylinder",
            &[disc.cells.max(1).saturating_mul(4 * disc.cells.max(disc.layers)), self.cells],
        )?;
        let base = disc.quadrangles()?;
        let heights: Vec<f64> = self.grading.stations(self.cells)?.iter().map(|s| s * self.height).collect();
        let (r, h, tol) = (disc.radius, self.height, disc.tolerance());
        let hexes = grid::extrude(&base, &heights)?;
        let points = hexes.points.clone();
        let mut mesh = finish(hexes, disc.kind, |i, j, m| on_cylinder(&points, [i, j], r, m))?;
        mesh.group_sides(&[
            ("outer", &|p| (p[0].hypot(p[1]) - r).abs() < tol),
            ("bottom", &|p| p[2] == 0.0),
            ("top", &|p| p[2] == h),
            ("boundary", &|_| true),
        ])?;
        if matches!(disc.part, DiscPart::Right | DiscPart::LowerRight) {
            mesh.group_boundary("left", |p| p[0].abs() < tol)?;
        }
        if matches!(disc.part, DiscPart::Lower | DiscPart::LowerRight) {
            mesh.group_boundary("back", |p| p[1].abs() < tol)?;
        }
        mesh.translate([disc.centre[0], disc.centre[1], 0.0]);
        Ok(mesh)
    }
}

/// The middle of an edge whose ends both lie on a cylinder goes onto it.
fn on_cylinder(points: &[[f64; 3]], edge: [u32; 2], radius: f64, middle: [f64; 3]) -> [f64; 3] {
    let on = |i: u32| (points[i as usize][0].hypot(points[i as usize][1]) - radius).abs() < 1e-10 * radius;
    let stretch = if edge.into_iter().all(on) { radius / middle[0].hypot(middle[1]) } else { 1.0 };
    [middle[0] * stretch, middle[1] * stretch, middle[2]]
}
