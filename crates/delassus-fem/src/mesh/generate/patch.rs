//! The patch between four curves
//!
//! Transfinite interpolation \[Gordon73\]: with b, t, l, r the bottom, top, left and right
//! curves and P_ij the corners,
//!
//! ```text
//! x(s, t) = (1−t) b(s) + t t(s) + (1−s) l(t) + s r(t) − Σ bilinear of the P_ij
//! ```

use super::super::{CellKind, CellRef, Mesh, MeshError};
use super::{Grading, counts, finish, grid};

/// A curve of the plane over [0, 1].
pub type Curve<'a> = &'a dyn Fn(f64) -> [f64; 2];

/// Four curves and the cells between them. Groups: `left`, `right`, `bottom`, `top`,
/// `boundary`.
pub struct Patch<'a> {
    /// From the lower left corner to the lower right one.
    pub bottom: Curve<'a>,
    /// From the upper left corner to the upper right one.
    pub top: Curve<'a>,
    /// From the lower left corner to the upper left one.
    pub left: Curve<'a>,
    /// From the lower right corner to the upper right one.
    pub right: Curve<'a>,
    /// Cells along the bottom and along the left side.
    pub cells: [usize; 2],
    /// `Quad4`, `Quad8`, `Tri3` or `Tri6`.
    pub kind: CellKind,
    /// How they grow along the bottom and along the left side.
    pub grading: [Grading; 2],
}

impl Patch<'_> {
    /// The mesh; an error when corners do not meet or cells overlap.
    pub fn mesh(&self) -> Result<Mesh, MeshError> {
        counts("cells of a patch", &self.cells)?;
        self.check_corners()?;
        let [nx, ny] = self.cells;
        let (s, t) = (self.grading[0].stations(nx)?, self.grading[1].stations(ny)?);
        let mut quads = grid::plane(self.cells, |i, j| self.at(s[i], t[j]));
        self.name_sides(&mut quads)?;
        let parameters = |n: u32| (s[n as usize % (nx + 1)], t[n as usize / (nx + 1)]);
        let mut mesh = finish(quads, self.kind, |i, j, _| {
            let ((a, b), (c, d)) = (parameters(i), parameters(j));
            let [x, y] = self.at(0.5 * (a + c), 0.5 * (b + d));
            [x, y, 0.0]
        })?;
        mesh.repair_orientation();
        mesh.validate()?;
        Ok(mesh)
    }

    fn at(&self, s: f64, t: f64) -> [f64; 2] {
        let (b, u, l, r) = ((self.bottom)(s), (self.top)(s), (self.left)(t), (self.right)(t));
        let [p00, p10, p01, p11] = [(self.bottom)(0.0), (self.bottom)(1.0), (self.top)(0.0), (self.top)(1.0)];
        [0, 1].map(|k| {
            let corners = (1.0 - s) * ((1.0 - t) * p00[k] + t * p01[k]) + s * ((1.0 - t) * p10[k] + t * p11[k]);
            (1.0 - t) * b[k] + t * u[k] + (1.0 - s) * l[k] + s * r[k] - corners
        })
    }

    fn check_corners(&self) -> Result<(), MeshError> {
        let (b, t, l, r) = (self.bottom, self.top, self.left, self.right);
        let meetings = [(b(0.0), l(0.0)), (b(1.0), r(0.0)), (t(0.0), l(1.0)), (t(1.0), r(1.0))];
        let far = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
        let size = far(b(0.0), t(1.0)).max(far(b(1.0), t(0.0)));
        let corner = ["lower left", "lower right", "upper left", "upper right"];
        for (name, (p, q)) in corner.into_iter().zip(meetings) {
            if !(far(p, q) <= 1e-9 * size) {
                return Err(MeshError::Setting {
                    item: "corner of a patch",
                    found: format!("{p:?} on one curve and {q:?} on the other at the {name}"),
                    accepted: "curves that meet at their ends",
                });
            }
        }
        Ok(())
    }

    fn name_sides(&self, mesh: &mut Mesh) -> Result<(), MeshError> {
        let [nx, ny] = self.cells;
        let id = |i: usize, j: usize| (j * (nx + 1) + i) as u32;
        let line = |mesh: &mut Mesh, edges: Vec<[u32; 2]>| -> Vec<CellRef> {
            edges.iter().map(|e| mesh.push_cell(CellKind::Seg2, e)).collect()
        };
        let bottom = line(mesh, (0..nx).map(|i| [id(i, 0), id(i + 1, 0)]).collect());
        let right = line(mesh, (0..ny).map(|j| [id(nx, j), id(nx, j + 1)]).collect());
        let top = line(mesh, (0..nx).map(|i| [id(i + 1, ny), id(i, ny)]).collect());
        let left = line(mesh, (0..ny).map(|j| [id(0, j + 1), id(0, j)]).collect());
        mesh.add_group("boundary", [&bottom[..], &right, &top, &left].concat())?;
        for (name, cells) in [("bottom", bottom), ("right", right), ("top", top), ("left", left)] {
            mesh.add_group(name, cells)?;
        }
        Ok(())
    }
}
