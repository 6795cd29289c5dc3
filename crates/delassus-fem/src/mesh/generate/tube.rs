//! Rings, sectors of rings, and tubes

use super::super::{CellKind, Mesh, MeshError};
use super::rectangle::between;
use super::{Grading, counts, finish, grid, positive};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// A ring or a sector of it in the plane, a tube in space (axis z, from z = 0). Groups:
/// `inner`, `outer`, `boundary`; `start` and `end` of a sector; `bottom` and `top` of a tube.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tube {
    /// Inner radius \[m\].
    pub inner: f64,
    /// Outer radius \[m\].
    pub outer: f64,
    /// First and last angle from x \[rad\]; 2π apart makes a closed ring.
    pub angles: [f64; 2],
    /// Height \[m\]; `None` in the plane.
    pub height: Option<f64>,
    /// Cells across the wall, around, and along the height.
    pub cells: [usize; 3],
    /// Their kind.
    pub kind: CellKind,
    /// How they grow across the wall.
    pub grading: Grading,
}

impl Tube {
    /// A closed ring in the plane.
    pub fn ring(inner: f64, outer: f64, cells: [usize; 2], kind: CellKind) -> Self {
        let cells = [cells[0], cells[1], 1];
        Tube { inner, outer, angles: [0.0, TAU], height: None, cells, kind, grading: Grading::Uniform }
    }

    fn is_closed(&self) -> bool {
        (self.angles[1] - self.angles[0] - TAU).abs() < 1e-12
    }

    fn check(&self) -> Result<(), MeshError> {
        positive("inner radius of a tube", self.inner)?;
        super::interval("wall of a tube", &[self.inner], &[self.outer])?;
        self.height.map_or(Ok(()), |h| positive("height of a tube", h))?;
        counts("cells of a tube", &self.cells)?;
        let opening = self.angles[1] - self.angles[0];
        if !(opening > 0.0 && opening < TAU + 1e-12) {
            return Err(MeshError::Setting {
                item: "angles of a tube",
                found: format!("{:?}", self.angles),
                accepted: "the first below the second, at most 2π apart",
            });
        }
        // A cell that spans more than 120° is as good as inverted.
        if (self.cells[1] as f64) < 3.0 * opening / TAU - 1e-9 {
            return Err(MeshError::Setting {
                item: "cells around a tube",
                found: self.cells[1].to_string(),
                accepted: "enough that each spans 120° at most",
            });
        }
        Ok(())
    }

    /// The mesh.
    pub fn mesh(&self) -> Result<Mesh, MeshError> {
        self.check()?;
        let (ri, ro, tol) = (self.inner, self.outer, 1e-10 * self.outer);
        let mut base = self.ring_of_quads()?;
        if self.is_closed() {
            base.weld(tol);
        }
        if let Some(h) = self.height {
            let heights: Vec<f64> = Grading::Uniform.stations(self.cells[2])?.iter().map(|s| s * h).collect();
            base = grid::extrude(&base, &heights)?;
        }
        let points = base.points.clone();
        let mut mesh = finish(base, self.kind, |i, j, m| polar_middle(points[i as usize], points[j as usize], m[2]))?;
        mesh.group_sides(&[
            ("inner", &|p| (p[0].hypot(p[1]) - ri).abs() < tol),
            ("outer", &|p| (p[0].hypot(p[1]) - ro).abs() < tol),
            ("boundary", &|_| true),
        ])?;
        if let Some(h) = self.height {
            mesh.group_sides(&[("bottom", &|p| p[2] == 0.0), ("top", &|p| p[2] == h)])?;
        }
        if !self.is_closed() {
            let on_ray = |angle: f64, p: [f64; 3]| {
                let (sin, cos) = angle.sin_cos();
                (p[1] * cos - p[0] * sin).abs() < tol && p[0] * cos + p[1] * sin > 0.0
            };
            let [a, b] = self.angles;
            mesh.group_sides(&[("start", &|p| on_ray(a, p)), ("end", &|p| on_ray(b, p))])?;
        }
        Ok(mesh)
    }

    fn ring_of_quads(&self) -> Result<Mesh, MeshError> {
        let (across, around) = (self.grading.stations(self.cells[0])?, self.cells[1]);
        Ok(grid::plane([self.cells[0], around], |i, j| {
            let r = between(self.inner, self.outer, across[i]);
            let (sin, cos) = between(self.angles[0], self.angles[1], j as f64 / around as f64).sin_cos();
            [r * cos, r * sin]
        }))
    }
}

/// The middle in radius and angle: inner edges bend with the arcs, as thin walls need.
fn polar_middle(a: [f64; 3], b: [f64; 3], z: f64) -> [f64; 3] {
    let (ra, rb) = (a[0].hypot(a[1]), b[0].hypot(b[1]));
    let (x, y) = (a[0] / ra + b[0] / rb, a[1] / ra + b[1] / rb);
    let scale = 0.5 * (ra + rb) / x.hypot(y);
    [x * scale, y * scale, z]
}
