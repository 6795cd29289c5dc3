//! One of the two superposed meshes.

use crate::polytope::{HalfSpace, Polytope, area_vector};
use crate::{Error, Simplex, Vector};
use delassus_contact::{Aabb, Tree};
use delassus_fem::element::{NODES_MAX, shape, shape_gradients};
use delassus_fem::mesh::{CellKind, CellRef, Mesh};

/// A middle node this far from the middle of its edge, over the edge's length, makes it curved.
const STRAIGHT: f64 = 1e-6;
/// Sides that differ by less than this share of the cell are parallel, faces this flat are plane.
const FLAT: f64 = 1e-13;
/// Points outside a cell by no more than this share of its size are inside.
const INSIDE: f64 = 1e-9;

/// Shape functions of a cell at a point.
#[derive(Clone, Copy, Debug)]
pub struct Located<const D: usize> {
    /// Values.
    pub n: [f64; NODES_MAX],
    /// Gradients in space.
    pub gradients: [Vector<D>; NODES_MAX],
    /// Reference coordinates.
    pub xi: [f64; 3],
}

/// A convex part of a cell: all of it, but for hexahedra with faces that are not plane.
pub(crate) struct Part<const D: usize> {
    pub(crate) cell: u32,
    pub(crate) body: Polytope<D>,
    pub(crate) sides: Vec<HalfSpace<D>>,
    pub(crate) measure: f64,
}

/// A mesh as this crate looks at it: cells one after the other, as convex bodies.
pub struct Layer<'a, const D: usize> {
    /// The mesh.
    pub mesh: &'a Mesh,
    cells: Vec<CellRef>,
    /// Where positions are of first degree in the reference coordinates: the centre, and the way back from space.
    affine: Vec<Option<(Vector<D>, nalgebra::SMatrix<f64, D, D>)>>,
    pub(crate) parts: Vec<Part<D>>,
    pub(crate) boxes: Vec<Aabb<D>>,
    pub(crate) tree: Tree<D>,
}

impl<'a, const D: usize> Layer<'a, D> {
    /// Of the cells that fill a mesh, or of some of them.
    ///
    /// Hexahedra whose faces are not plane are cut into tetrahedra, each face by the diagonal from its
    /// lowest-numbered corner: neighbours agree, and no point is lost or taken twice.
    ///
    /// # Errors
    /// Another dimension, no cells, curved sides, cells that are folded.
    pub fn new(mesh: &'a Mesh, cells: Option<&[CellRef]>) -> Result<Self, Error> {
        if mesh.dim != D {
            return Err(Error::Dimension(mesh.dim, D));
        }
        let cells: Vec<CellRef> = cells.map_or_else(|| mesh.volume_cells().collect(), <[_]>::to_vec);
        if cells.is_empty() {
            return Err(Error::NoCells);
        }
        let (mut parts, mut affine) = (vec![], vec![]);
        for (k, cell) in cells.iter().enumerate() {
            let (kind, nodes) = (mesh.kind(*cell), mesh.cell(*cell));
            let points: Vec<Vector<D>> = nodes.iter().map(|n| point::<D>(mesh, *n)).collect();
            let off = bend(kind, &points);
            if off > STRAIGHT {
                return Err(Error::Curved { cell: k, kind, off });
            }
            affine.push((off < FLAT && is_affine(kind, &points)).then_some(()));
            for body in bodies(kind, &points, nodes) {
                let mut measure = 0.0;
                body.simplices(0.0, |s| measure += s.measure());
                let sides = body.half_spaces();
                let size = Aabb::of_points(&points, 0.0).extent().norm();
                let out = sides.iter().flat_map(|s| body.corners().map(|x| s.distance(x))).fold(0.0, f64::max);
                if !(measure > 0.0 && out <= INSIDE * size) {
                    return Err(Error::Folded { cell: k, kind, out: out / size, measure });
                }
                parts.push(Part { cell: k as u32, body, sides, measure });
            }
        }
        let around = |p: &Part<D>| p.body.corners().fold(Aabb::empty(), |b, x| b.with(x));
        let boxes: Vec<Aabb<D>> = parts.iter().map(around).collect();
        let mut tree = Tree::default();
        tree.update(&boxes);
        let mut layer = Self { mesh, cells, affine: vec![None; affine.len()], parts, boxes, tree };
        for (cell, affine) in affine.into_iter().enumerate() {
            let centre = reference_centre(layer.kind(cell as u32));
            layer.affine[cell] = affine.map(|()| layer.place(cell as u32, centre)).map(|(x, j)| (x, inverse(&j)));
        }
        Ok(layer)
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// No cells.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Kind of a cell.
    pub fn kind(&self, cell: u32) -> CellKind {
        self.mesh.kind(self.cells[cell as usize])
    }

    /// Nodes of a cell.
    pub fn nodes(&self, cell: u32) -> &[u32] {
        self.mesh.cell(self.cells[cell as usize])
    }

    /// Mean of the corners of a cell.
    pub fn centre(&self, cell: u32) -> Vector<D> {
        let corners = &self.nodes(cell)[..self.kind(cell).corners()];
        corners.iter().map(|n| point::<D>(self.mesh, *n)).sum::<Vector<D>>() / corners.len() as f64
    }

    /// Length of the longest edge of a cell.
    pub fn size(&self, cell: u32) -> f64 {
        let nodes = self.nodes(cell);
        let length = |e: &[u8; 2]| {
            let [a, b] = e.map(|i| point::<D>(self.mesh, nodes[i as usize]));
            (b - a).norm()
        };
        self.kind(cell).edges().iter().map(length).fold(0.0, f64::max)
    }

    /// Measures of the cells, by their parts.
    pub fn measures(&self) -> Vec<f64> {
        let mut measures = vec![0.0; self.len()];
        self.parts.iter().for_each(|p| measures[p.cell as usize] += p.measure);
        measures
    }

    /// Where positions are not of first degree the functions of a cell are no polynomials in space: two degrees
    /// more keep the error below that of the cell. In space pieces are a sixth of a cell at most, and many.
    pub(crate) fn excess(&self, cell: u32) -> usize {
        if D == 3 || self.affine[cell as usize].is_some() { 0 } else { 2 }
    }

    /// Degree, in space, at which the functions of a cell are integrated.
    pub(crate) fn degree(&self, cell: u32) -> usize {
        let degree = match self.kind(cell) {
            CellKind::Hex8 if self.affine[cell as usize].is_none() => 2,
            CellKind::Quad8 | CellKind::Hex8 => 3,
            CellKind::Seg3 | CellKind::Tri6 | CellKind::Tet10 | CellKind::Quad4 => 2,
            _ => 1,
        };
        degree + self.excess(cell)
    }

    /// Facets of the layer that have one neighbour only, in the order of their cells: kind and nodes.
    pub(crate) fn boundary(&self) -> Vec<(CellKind, Vec<u32>)> {
        let mut all: Vec<([u32; 4], u32, u8)> = vec![];
        let facet = |cell: u32, local: u8| {
            let (kind, order) = self.kind(cell).facets()[local as usize];
            let of = self.nodes(cell);
            (kind, order.iter().map(|i| of[*i as usize]).collect::<Vec<u32>>())
        };
        for cell in 0..self.len() as u32 {
            for local in 0..self.kind(cell).facets().len() as u8 {
                let (kind, nodes) = facet(cell, local);
                let mut key = [u32::MAX; 4];
                key[..kind.corners()].copy_from_slice(&nodes[..kind.corners()]);
                key.sort_unstable();
                all.push((key, cell, local));
            }
        }
        all.sort_unstable();
        let mut outer: Vec<(u32, u8)> =
            all.chunk_by(|a, b| a.0 == b.0).filter(|run| run.len() == 1).map(|run| (run[0].1, run[0].2)).collect();
        outer.sort_unstable();
        outer.into_iter().map(|(cell, local)| facet(cell, local)).collect()
    }

    /// Position, and the matrix of its derivatives, where the reference coordinates are `xi`.
    pub(crate) fn place(&self, cell: u32, xi: [f64; 3]) -> (Vector<D>, nalgebra::SMatrix<f64, D, D>) {
        let (kind, nodes) = (self.kind(cell), self.nodes(cell));
        let (mut n, mut d) = ([0.0; NODES_MAX], [[0.0; 3]; NODES_MAX]);
        shape(kind, xi, &mut n);
        shape_gradients(kind, xi, &mut d);
        let (mut x, mut jacobian) = (Vector::zeros(), nalgebra::SMatrix::<f64, D, D>::zeros());
        for (a, node) in nodes.iter().enumerate() {
            let p = point::<D>(self.mesh, *node);
            x += p * n[a];
            for k in 0..D {
                (0..D).for_each(|i| jacobian[(i, k)] += p[i] * d[a][k]);
            }
        }
        (x, jacobian)
    }

    /// Reference coordinates of a point of space, and their derivatives there.
    fn reference_at(&self, cell: u32, x: &Vector<D>) -> ([f64; 3], nalgebra::SMatrix<f64, D, D>) {
        let mut xi = reference_centre(self.kind(cell));
        if let Some((centre, back)) = &self.affine[cell as usize] {
            let step = back * (x - centre);
            (0..D).for_each(|k| xi[k] += step[k]);
            return (xi, *back);
        }
        let mut last = f64::INFINITY;
        // Newton's method on `Σ N_a(ξ) x_a = x`, quadratic once near; a step that no longer shrinks is round-off.
        for _ in 0..30 {
            let (y, jacobian) = self.place(cell, xi);
            let step = inverse(&jacobian) * (x - y);
            (0..D).for_each(|k| xi[k] += step[k]);
            let size = step.norm();
            if !(size > 1e-14 && (size < last || size > 1e-3)) {
                break;
            }
            last = size;
        }
        (xi, inverse(&self.place(cell, xi).1))
    }

    /// Reference coordinates of a point of space.
    pub(crate) fn reference(&self, cell: u32, x: &Vector<D>) -> [f64; 3] {
        self.reference_at(cell, x).0
    }

    /// The shape functions of a cell at a point of space.
    pub fn locate(&self, cell: u32, x: &Vector<D>) -> Located<D> {
        let (xi, back) = self.reference_at(cell, x);
        let (kind, back) = (self.kind(cell), back.transpose());
        let (mut n, mut d) = ([0.0; NODES_MAX], [[0.0; 3]; NODES_MAX]);
        shape(kind, xi, &mut n);
        shape_gradients(kind, xi, &mut d);
        let mut gradients = [Vector::zeros(); NODES_MAX];
        for (gradient, d) in gradients.iter_mut().zip(&d).take(kind.nodes()) {
            *gradient = back * Vector::from_column_slice(&d[..D]);
        }
        Located { n, gradients, xi }
    }

    /// The first cell that holds a point.
    pub fn cell_at(&self, x: &Vector<D>) -> Option<u32> {
        let mut found = None;
        let around = Aabb::of_points(&[*x], INSIDE * self.tree.bounds().extent().norm());
        self.tree.overlapping(&around, |p| {
            let part = &self.parts[p as usize];
            let slack = INSIDE * self.boxes[p as usize].extent().norm();
            if found.is_none_or(|f| part.cell < f) && part.sides.iter().all(|s| s.distance(x) <= slack) {
                found = Some(part.cell);
            }
        });
        found
    }
}

/// Position of a node.
pub(crate) fn point<const D: usize>(mesh: &Mesh, node: u32) -> Vector<D> {
    Vector::from_column_slice(&mesh.points[node as usize][..D])
}

/// Determinant of the first `D` rows and columns.
pub(crate) fn determinant<const D: usize>(m: &nalgebra::SMatrix<f64, D, D>) -> f64 {
    match D {
        1 => m[(0, 0)],
        2 => m[(0, 0)] * m[(1, 1)] - m[(0, 1)] * m[(1, 0)],
        _ => (0..3).map(|k| m[(0, k)] * minor(m, 0, k)).sum(),
    }
}

/// With its sign.
fn minor<const D: usize>(m: &nalgebra::SMatrix<f64, D, D>, i: usize, j: usize) -> f64 {
    let (a, b, c, d) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
    m[(a, c)] * m[(b, d)] - m[(a, d)] * m[(b, c)]
}

fn inverse<const D: usize>(m: &nalgebra::SMatrix<f64, D, D>) -> nalgebra::SMatrix<f64, D, D> {
    let det = determinant(m);
    nalgebra::SMatrix::from_fn(|i, j| match D {
        1 => 1.0 / det,
        2 => {
            if i == j {
                m[(1 - i, 1 - j)] / det
            } else {
                -m[(i, j)] / det
            }
        }
        _ => minor(m, j, i) / det,
    })
}

fn reference_centre(kind: CellKind) -> [f64; 3] {
    match kind.linear() {
        CellKind::Tri3 => [1.0 / 3.0, 1.0 / 3.0, 0.0],
        CellKind::Tet4 => [0.25; 3],
        _ => [0.0; 3],
    }
}

/// Largest distance of a middle node from the middle of its edge, over the edge's length.
fn bend<const D: usize>(kind: CellKind, x: &[Vector<D>]) -> f64 {
    let edges = kind.edges().iter().zip(kind.corners()..kind.nodes());
    edges
        .map(|(e, middle)| {
            let (a, b) = (x[e[0] as usize], x[e[1] as usize]);
            ((a + b) * 0.5 - x[middle]).norm() / (b - a).norm()
        })
        .fold(0.0, f64::max)
}

/// Whether opposite sides are parallel and equal.
fn is_affine<const D: usize>(kind: CellKind, x: &[Vector<D>]) -> bool {
    let faces: &[[usize; 4]] = match kind.linear() {
        CellKind::Quad4 => &[[0, 1, 2, 3]],
        CellKind::Hex8 => &[[0, 1, 2, 3], [4, 5, 6, 7], [0, 1, 5, 4], [3, 2, 6, 7]],
        _ => &[],
    };
    faces.iter().all(|f| (x[f[0]] - x[f[1]] + x[f[2]] - x[f[3]]).norm() <= FLAT * (x[f[2]] - x[f[0]]).norm())
}

/// The convex bodies of a cell.
fn bodies<const D: usize>(kind: CellKind, x: &[Vector<D>], nodes: &[u32]) -> Vec<Polytope<D>> {
    let faces: Vec<Vec<usize>> = match kind.linear() {
        CellKind::Tet4 | CellKind::Hex8 => {
            kind.linear().facets().iter().map(|(_, f)| f.iter().map(|i| *i as usize).collect()).collect()
        }
        _ => vec![(0..kind.corners()).collect()],
    };
    let of = |faces: &[Vec<usize>]| Polytope::new(faces.iter().map(|f| f.iter().map(|i| x[*i]).collect()).collect());
    if kind != CellKind::Hex8 || faces.iter().all(|f| is_plane(&[0, 1, 2, 3].map(|i| x[f[i]]))) {
        return vec![of(&faces)];
    }
    // Pulling [Dompierre99].
    let lowest = |f: &[usize]| (0..f.len()).min_by_key(|i| nodes[f[*i]]).unwrap_or(0);
    let apex = lowest(&[0, 1, 2, 3, 4, 5, 6, 7]);
    let mut tetrahedra = vec![];
    for face in faces.iter().filter(|f| !f.contains(&apex)) {
        let from = lowest(face);
        let at = |i: usize| face[(from + i) % 4];
        for [a, b, c] in [[at(0), at(1), at(2)], [at(0), at(2), at(3)]] {
            let corners = [a, b, c, apex];
            // Folded ones would be taken with the wrong sign.
            let measure = Simplex::new(&[x[a], x[c], x[b], x[apex]]).measure();
            let faces: Vec<Vec<usize>> =
                (0..4).map(|o| (0..4).filter(|i| *i != o).map(|i| corners[i]).collect()).collect();
            tetrahedra.push(if measure > 0.0 { of(&faces) } else { Polytope::new(vec![vec![x[a]; 3]]) });
        }
    }
    tetrahedra
}

fn is_plane<const D: usize>(f: &[Vector<D>; 4]) -> bool {
    let normal = area_vector(f);
    let size = (f[2] - f[0]).norm();
    (f[3] - f[0]).dot(&normal).abs() <= FLAT * size * normal.norm()
}
