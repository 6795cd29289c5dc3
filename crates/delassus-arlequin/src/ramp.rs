//! Where weights rise: distances to the sides of each mesh inside the other.

use crate::layer::point;
use crate::polytope::area_vector;
use crate::{Layer, Overlap, Vector};
use delassus_contact::{Aabb, Tree};
use delassus_fem::mesh::CellKind;

/// Points this far on both faces of a side, over its size, tell whether it lies inside the other mesh.
const BESIDE: f64 = 1e-6;

/// Where a ramp begins and ends.
pub struct Ramp<const D: usize> {
    /// Sides of the fine mesh inside the coarse one: there the coarse model is alone.
    coarse_alone: Sides<D>,
    /// Sides of the coarse mesh inside the fine one.
    fine_alone: Sides<D>,
    /// Length of the ramp where only one of the two is there \[m\].
    width: Option<f64>,
}

/// Points, segments or triangles, in a tree.
struct Sides<const D: usize> {
    list: Vec<[Vector<D>; 3]>,
    tree: Tree<D>,
}

impl<const D: usize> Ramp<D> {
    /// Finds the sides of each mesh that lie inside the other.
    pub fn new(overlap: &Overlap<'_, D>, width: Option<f64>) -> Self {
        Self {
            coarse_alone: Sides::inside(&overlap.fine, &overlap.coarse),
            fine_alone: Sides::inside(&overlap.coarse, &overlap.fine),
            width,
        }
    }

    /// Sides of the fine mesh inside the coarse one, and of the coarse inside the fine.
    pub fn sides(&self) -> [usize; 2] {
        [self.coarse_alone.list.len(), self.fine_alone.list.len()]
    }

    /// Distance to the sides of the fine mesh inside the coarse one; infinite where there are none.
    pub fn from_coarse(&self, x: &Vector<D>) -> f64 {
        self.coarse_alone.distance(x)
    }

    /// Largest distance of the overlap to a side where one model begins.
    pub fn depth(&self, overlap: &Overlap<'_, D>) -> f64 {
        let sides = if self.coarse_alone.list.is_empty() { &self.fine_alone } else { &self.coarse_alone };
        let corners = overlap.pieces.iter().flat_map(|p| p.simplex.corners().to_vec());
        corners.map(|x| sides.distance(&x)).filter(|d| d.is_finite()).fold(0.0, f64::max)
    }

    /// From 0 where the coarse model is alone to 1.
    pub(crate) fn at(&self, x: &Vector<D>, wide: f64) -> f64 {
        let (coarse, fine) = (self.coarse_alone.distance(x), self.fine_alone.distance(x));
        let width = self.width.unwrap_or(wide);
        match (coarse.is_finite(), fine.is_finite()) {
            (true, true) => coarse / (coarse + fine).max(f64::MIN_POSITIVE),
            (true, false) => (coarse / width).min(1.0),
            (false, true) => 1.0 - (fine / width).min(1.0),
            (false, false) => 0.5,
        }
    }
}

impl<const D: usize> Sides<D> {
    /// Sides of a mesh that have the other on both of their faces.
    fn inside(of: &Layer<'_, D>, other: &Layer<'_, D>) -> Self {
        let mut list = vec![];
        for (kind, nodes) in of.boundary() {
            let corners: Vec<Vector<D>> = nodes[..kind.corners()].iter().map(|n| point::<D>(of.mesh, *n)).collect();
            let parts: Vec<[Vector<D>; 3]> = match corners[..] {
                [a] => vec![[a; 3]],
                [a, b] => vec![[a, b, b]],
                [a, b, c] => vec![[a, b, c]],
                [a, b, c, d] => vec![[a, b, c], [a, c, d]],
                _ => vec![],
            };
            list.extend(parts.into_iter().filter(|t| {
                let count = if kind == CellKind::Point { 1.0 } else { D as f64 };
                let centre = t[..D].iter().sum::<Vector<D>>() / count;
                let beside = normal(t, of.tree.bounds().extent().norm());
                [centre + beside, centre - beside].iter().all(|x| other.cell_at(x).is_some())
            }));
        }
        let boxes: Vec<Aabb<D>> = list.iter().map(|t| Aabb::of_points(&t[..D], 0.0)).collect();
        let mut tree = Tree::default();
        tree.update(&boxes);
        Self { list, tree }
    }

    /// From the nearest; infinite if there is none.
    fn distance(&self, x: &Vector<D>) -> f64 {
        let mut nearest = f64::INFINITY;
        self.tree.nearest(x, f64::INFINITY, |side, reach| {
            let d = distance(&self.list[side as usize], x);
            if d < nearest {
                nearest = d;
                *reach = d * d;
            }
        });
        nearest
    }
}

/// A short step across a side.
fn normal<const D: usize>(t: &[Vector<D>; 3], whole: f64) -> Vector<D> {
    let (a, size) = (t[1] - t[0], (t[1] - t[0]).norm());
    let across: Vector<D> = match D {
        1 => return Vector::repeat(BESIDE * whole),
        2 => Vector::from_fn(|k, _| if k == 0 { a[1] } else { -a[0] }),
        _ => area_vector(t),
    };
    across * (BESIDE * size / across.norm())
}

/// Distance of a point to a point, a segment or a triangle.
fn distance<const D: usize>(t: &[Vector<D>; 3], x: &Vector<D>) -> f64 {
    let segment = |a: &Vector<D>, b: &Vector<D>| {
        let e = b - a;
        let s = ((x - a).dot(&e) / e.norm_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        (a + e * s - x).norm()
    };
    if D < 3 {
        return segment(&t[0], &t[1]);
    }
    let (a, b, p) = (t[1] - t[0], t[2] - t[0], x - t[0]);
    let (aa, ab, bb, pa, pb) = (a.norm_squared(), a.dot(&b), b.norm_squared(), p.dot(&a), p.dot(&b));
    let det = aa * bb - ab * ab;
    let (s, r) = ((bb * pa - ab * pb) / det, (aa * pb - ab * pa) / det);
    if s >= 0.0 && r >= 0.0 && s + r <= 1.0 {
        return (p - a * s - b * r).norm();
    }
    segment(&t[0], &t[1]).min(segment(&t[1], &t[2])).min(segment(&t[2], &t[0]))
}
