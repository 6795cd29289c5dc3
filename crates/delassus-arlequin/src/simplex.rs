//! Segments, triangles and tetrahedra.

use crate::Vector;

/// `D + 1` corners, the first `D + 1` of `corners` (const arithmetic is not to be had).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Simplex<const D: usize> {
    corners: [Vector<D>; 4],
}

impl<const D: usize> Simplex<D> {
    /// From its corners, `D + 1` of them.
    pub fn new(from: &[Vector<D>]) -> Self {
        assert_eq!(from.len(), D + 1, "corners of a simplex");
        let mut corners = [Vector::zeros(); 4];
        corners[..=D].copy_from_slice(from);
        Self { corners }
    }

    /// The same with corners in the order that makes its measure positive.
    pub(crate) fn oriented(from: &[Vector<D>]) -> Self {
        let mut simplex = Self::new(from);
        if simplex.measure() < 0.0 {
            simplex.corners.swap(0, 1);
        }
        simplex
    }

    /// Its corners.
    pub fn corners(&self) -> &[Vector<D>] {
        &self.corners[..=D]
    }

    /// Length, area or volume, with the sign of its orientation.
    pub fn measure(&self) -> f64 {
        let e = |k: usize| self.corners[k] - self.corners[0];
        match D {
            1 => e(1)[0],
            2 => 0.5 * (e(1)[0] * e(2)[1] - e(1)[1] * e(2)[0]),
            _ => e(1).dot(&crate::polytope::cross(&e(2), &e(3))) / 6.0,
        }
    }

    /// Where reference coordinates of the simplex lie.
    pub fn at(&self, xi: &[f64; 3]) -> Vector<D> {
        (1..=D).fold(self.corners[0], |x, k| x + (self.corners[k] - self.corners[0]) * xi[k - 1])
    }
}
