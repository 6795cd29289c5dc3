//! How much of one mesh another covers, and what lies beyond a border.

use crate::{Error, Layer, Overlap, Ramp, Vector};
use delassus_fem::element::{NODES_MAX, shape};
use delassus_fem::mesh::{CellKind, CellRef, Mesh};

/// A coarse mesh under a fine one.
pub struct Cover<const D: usize> {
    /// Share of the fine mesh that the coarse one covers.
    pub covered: f64,
    /// Size of the coarse cells in the overlap, the mean \[m\].
    pub size: f64,
    /// Of the coarse cells: whether the fine mesh covers all of it, and how far its nearest corner is from the border.
    cells: Vec<(bool, f64)>,
}

impl<const D: usize> Cover<D> {
    /// Looks at two meshes.
    ///
    /// # Errors
    /// As [`Overlap::new`].
    pub fn new(coarse: &Mesh, fine: &Mesh) -> Result<Self, Error> {
        let overlap = Overlap::<D>::new(Layer::new(coarse, None)?, Layer::new(fine, None)?)?;
        let ramp = Ramp::new(&overlap, None);
        let [shares, _] = overlap.shares();
        let measures = overlap.coarse.measures();
        let (mut sum, mut count) = (0.0, 0.0);
        let mut cells = vec![];
        for (cell, share) in shares.iter().enumerate() {
            if *share > 0.0 {
                (sum, count) = (sum + measures[cell].powf(1.0 / D as f64), count + 1.0);
            }
            let corners = &overlap.coarse.nodes(cell as u32)[..overlap.coarse.kind(cell as u32).corners()];
            let at = |n: &u32| Vector::<D>::from_column_slice(&coarse.points[*n as usize][..D]);
            let near = corners.iter().map(|n| ramp.from_coarse(&at(n))).fold(f64::INFINITY, f64::min);
            cells.push((*share > 1.0 - 1e-9, near));
        }
        let whole: f64 = overlap.fine.measures().iter().sum();
        Ok(Self { covered: overlap.measure() / whole, size: sum / f64::max(count, 1.0), cells })
    }

    /// Which coarse cells are left when those that the fine mesh covers beyond `depth` of its border are taken out.
    pub fn beyond(&self, depth: f64) -> Vec<bool> {
        self.cells.iter().map(|(covered, near)| !(*covered && *near >= depth * (1.0 - 1e-9))).collect()
    }
}

/// Nodes of the facet on which a point lies, with the values of their functions there.
pub fn on_surface(mesh: &Mesh, facets: &[CellRef], x: [f64; 3]) -> Option<Vec<(u32, f64)>> {
    let mut best: Option<(f64, Vec<(u32, f64)>)> = None;
    for facet in facets {
        let (kind, nodes) = (mesh.kind(*facet), mesh.cell(*facet));
        let Some((off, xi)) = nearest(mesh, kind, nodes, x) else { continue };
        if best.as_ref().is_none_or(|b| off < b.0) {
            let mut n = [0.0; NODES_MAX];
            shape(kind, xi, &mut n);
            let shares = nodes.iter().zip(n).filter(|(_, c)| c.abs() > 1e-12).map(|(n, c)| (*n, c)).collect();
            best = Some((off, shares));
        }
    }
    // A point on the surface is off by round-off, or by what chords miss of arcs.
    best.filter(|(off, _)| *off <= 1e-3).map(|b| b.1)
}

/// Distance over the size of the facet, and reference coordinates of the nearest place.
fn nearest(mesh: &Mesh, kind: CellKind, nodes: &[u32], x: [f64; 3]) -> Option<(f64, [f64; 3])> {
    let p = |i: usize| nalgebra::Vector3::from(mesh.points[nodes[i] as usize]);
    let x = nalgebra::Vector3::from(x);
    let size = (p(1) - p(0)).norm();
    let simplex = kind.linear() == CellKind::Tri3;
    let inside = |xi: [f64; 3]| match (kind.dim(), simplex) {
        (1, _) => [xi[0].clamp(-1.0, 1.0), 0.0, 0.0],
        (_, true) => {
            let (a, b) = (xi[0].max(0.0), xi[1].max(0.0));
            let over = (a + b).max(1.0);
            [a / over, b / over, 0.0]
        }
        _ => [xi[0].clamp(-1.0, 1.0), xi[1].clamp(-1.0, 1.0), 0.0],
    };
    let mut xi = if simplex { [1.0 / 3.0, 1.0 / 3.0, 0.0] } else { [0.0; 3] };
    let (mut n, mut d) = ([0.0; NODES_MAX], [[0.0; 3]; NODES_MAX]);
    let mut off = x;
    for _ in 0..30 {
        shape(kind, xi, &mut n);
        delassus_fem::element::shape_gradients(kind, xi, &mut d);
        off = x - (0..nodes.len()).map(|i| p(i) * n[i]).sum::<nalgebra::Vector3<f64>>();
        let e: [nalgebra::Vector3<f64>; 2] =
            std::array::from_fn(|k| (0..nodes.len()).map(|i| p(i) * d[i][k]).sum::<nalgebra::Vector3<f64>>());
        let next = if kind.dim() == 1 {
            [xi[0] + off.dot(&e[0]) / e[0].norm_squared(), 0.0, 0.0]
        } else {
            let (aa, ab, bb) = (e[0].norm_squared(), e[0].dot(&e[1]), e[1].norm_squared());
            let det = aa * bb - ab * ab;
            let (fa, fb) = (off.dot(&e[0]), off.dot(&e[1]));
            [xi[0] + (bb * fa - ab * fb) / det, xi[1] + (aa * fb - ab * fa) / det, 0.0]
        };
        let next = inside(next);
        let moved = (0..2).map(|k| (next[k] - xi[k]).abs()).fold(0.0, f64::max);
        xi = next;
        if moved < 1e-14 {
            break;
        }
    }
    (size > 0.0).then(|| (off.norm() / size, xi))
}
