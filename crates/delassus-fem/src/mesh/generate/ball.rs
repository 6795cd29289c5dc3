//! Balls and their parts
//!
//! An octant is a core of n³ cells and three blocks of n² × layers between the core's
//! faces and the sphere, where nodes are at equal angles from the axes (cubed sphere,
//! \[Ronchi96\]). The foot (0, 0, −R) is where contact is expected.

use super::super::{CellKind, Mesh, MeshError};
use super::{Grading, add_mirrored, counts, finish, finite, grid, positive};
use serde::{Deserialize, Serialize};
use std::f64::consts::FRAC_PI_4;

/// Coordinates over the radius of the core's corners on axes, in planes and on the diagonal.
const CORE: [f64; 3] = [0.5, 0.4, 0.34];

/// Which part of the ball.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BallPart {
    /// All of it.
    #[default]
    Full,
    /// z ≤ 0.
    Lower,
    /// x ≥ 0, y ≥ 0.
    Quarter,
    /// x ≥ 0, y ≥ 0, z ≤ 0.
    Octant,
}

/// A ball of `Hex8`, `Tet4` or `Tet10`. Groups: `sphere`, `boundary`; `top` (z = 0) of the
/// lower parts; `left` (x = 0) and `front` (y = 0) of quarter and octant; the nodes `foot`
/// (0, 0, −R) and `centre`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ball {
    /// Centre \[m\].
    pub centre: [f64; 3],
    /// Radius \[m\].
    pub radius: f64,
    /// Which part.
    pub part: BallPart,
    /// Cells along each side of an octant's core.
    pub cells: usize,
    /// Cells between core and sphere.
    pub layers: usize,
    /// Kind of the cells.
    pub kind: CellKind,
    /// Size of cells on the sphere at 45° over that at the foot; 1 is uniform.
    pub refine_foot: f64,
    /// Size of cells across the layers at the core over that at the sphere; 1 is uniform.
    pub refine_sphere: f64,
}

impl Ball {
    /// A uniform ball around the origin.
    pub fn new(radius: f64, part: BallPart, cells: usize, kind: CellKind) -> Self {
        let layers = cells.div_ceil(2);
        Ball { centre: [0.0; 3], radius, part, cells, layers, kind, refine_foot: 1.0, refine_sphere: 1.0 }
    }

    /// The mesh.
    pub fn mesh(&self) -> Result<Mesh, MeshError> {
        positive("radius of a ball", self.radius)?;
        finite("centre of a ball", &self.centre)?;
        counts("cells of a ball's core", &[8, self.cells, self.cells, self.cells])?;
        counts("cells and layers of a ball", &[24, self.cells, self.cells, self.layers])?;
        let (r, tol) = (self.radius, 1e-10 * self.radius);
        let hexes = self.hexahedra(tol)?;
        let points = hexes.points.clone();
        let length = |p: [f64; 3]| p[0].hypot(p[1]).hypot(p[2]);
        let on_sphere = |p: [f64; 3]| (length(p) - r).abs() < tol;
        let mut mesh = finish(hexes, self.kind, |i, j, m| {
            let both = on_sphere(points[i as usize]) && on_sphere(points[j as usize]);
            let stretch = if both { r / length(m) } else { 1.0 };
            m.map(|c| c * stretch)
        })?;
        mesh.group_sides(&[("sphere", &on_sphere), ("boundary", &|_| true)])?;
        if matches!(self.part, BallPart::Lower | BallPart::Octant) {
            mesh.group_boundary("top", |p| p[2].abs() < tol)?;
        }
        if matches!(self.part, BallPart::Quarter | BallPart::Octant) {
            mesh.group_sides(&[("left", &|p| p[0].abs() < tol), ("front", &|p| p[1].abs() < tol)])?;
        }
        mesh.add_node_group("foot", mesh.nodes_in_ball([0.0, 0.0, -r], tol))?;
        mesh.add_node_group("centre", mesh.nodes_in_ball([0.0; 3], tol))?;
        mesh.translate(self.centre);
        Ok(mesh)
    }

    fn hexahedra(&self, tol: f64) -> Result<Mesh, MeshError> {
        let mut mesh = self.octant(tol)?;
        if matches!(self.part, BallPart::Full | BallPart::Lower) {
            add_mirrored(&mut mesh, 0, tol)?;
            add_mirrored(&mut mesh, 1, tol)?;
        }
        if matches!(self.part, BallPart::Full | BallPart::Quarter) {
            add_mirrored(&mut mesh, 2, tol)?;
        }
        Ok(mesh)
    }

    /// x ≥ 0, y ≥ 0, z ≤ 0: parameters are (x, y, −z) scaled to the core.
    fn octant(&self, tol: f64) -> Result<Mesh, MeshError> {
        let n = self.cells;
        let graded = Grading::Geometric(self.refine_foot).stations(n)?;
        let uniform = Grading::Uniform.stations(n)?;
        let s: [&[f64]; 3] = [&graded, &graded, &uniform];
        let out = Grading::Geometric(1.0 / self.refine_sphere).stations(self.layers)?;
        let place = |q: [f64; 3]| [self.radius * q[0], self.radius * q[1], -self.radius * q[2]];
        let mut mesh = grid::space([n, n, n], |i, j, k| place(core([s[0][i], s[1][j], s[2][k]])));
        for face in 0..3 {
            let [a, b] = [(face + 1) % 3, (face + 2) % 3];
            let block = grid::space([n, n, self.layers], |i, j, k| {
                let mut q = [1.0; 3];
                (q[a], q[b]) = (s[a][i], s[b][j]);
                let (inner, outer) = (core(q), direction(q));
                place([0, 1, 2].map(|m| inner[m] * (1.0 - out[k]) + outer[m] * out[k]))
            });
            mesh.merge(&block, "")?;
        }
        mesh.weld(tol);
        mesh.repair_orientation();
        Ok(mesh)
    }
}

/// A point of the core of radius 1, by trilinear interpolation of its corners.
fn core(q: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|m| {
        let (u, v) = (q[(m + 1) % 3], q[(m + 2) % 3]);
        let [axis, plane, diagonal] = CORE;
        q[m] * (axis * (1.0 - u) * (1.0 - v) + plane * (u * (1.0 - v) + v * (1.0 - u)) + diagonal * u * v)
    })
}

/// The point of the unit sphere that belongs to a point of the core's faces.
fn direction(q: [f64; 3]) -> [f64; 3] {
    let t = q.map(|q| (FRAC_PI_4 * q).tan());
    let length = t[0].hypot(t[1]).hypot(t[2]);
    t.map(|t| t / length)
}
