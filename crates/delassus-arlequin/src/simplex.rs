//! Segments, triangles and tetrahedra, cut by planes.

use crate::Vector;

/// `D + 1` corners, the first `D + 1` of `corners` (const arithmetic is not to be had).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Simplex<const D: usize> {
    corners: [Vector<D>; 4],
}

/// The side of a plane where `normal · x ≤ offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct HalfSpace<const D: usize> {
    normal: Vector<D>,
    offset: f64,
}

impl<const D: usize> HalfSpace<D> {
    /// Distance of a point beyond it.
    pub(crate) fn distance(&self, x: &Vector<D>) -> f64 {
        self.normal.dot(x) - self.offset
    }
}

impl<const D: usize> Simplex<D> {
    /// From its corners, `D + 1` of them.
    pub fn new(from: &[Vector<D>]) -> Self {
        assert_eq!(from.len(), D + 1, "corners of a simplex");
        let mut corners = [Vector::zeros(); 4];
        corners[..=D].copy_from_slice(from);
        Self { corners }
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
            _ => {
                let (a, b, c) = (e(1), e(2), e(3));
                let cross = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
                (a[0] * cross[0] + a[1] * cross[1] + a[2] * cross[2]) / 6.0
            }
        }
    }

    /// Where reference coordinates of the simplex lie.
    pub fn at(&self, xi: &[f64; 3]) -> Vector<D> {
        (1..=D).fold(self.corners[0], |x, k| x + (self.corners[k] - self.corners[0]) * xi[k - 1])
    }

    /// The half-spaces that bound it; its orientation must be positive.
    pub(crate) fn faces(&self) -> impl Iterator<Item = HalfSpace<D>> + '_ {
        (0..=D).map(|opposite| {
            let mut rest = [Vector::zeros(); 3];
            let mut n = 0;
            for k in (0..=D).filter(|k| *k != opposite) {
                rest[n] = self.corners[k];
                n += 1;
            }
            let mut normal: Vector<D> = match D {
                1 => Vector::repeat(1.0),
                2 => {
                    let e = rest[1] - rest[0];
                    Vector::from_fn(|k, _| if k == 0 { e[1] } else { -e[0] })
                }
                _ => {
                    let (a, b) = (rest[1] - rest[0], rest[2] - rest[0]);
                    Vector::from_fn(|k, _| a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3])
                }
            };
            normal /= normal.norm();
            if normal.dot(&(self.corners[opposite] - rest[0])) > 0.0 {
                normal = -normal;
            }
            HalfSpace { normal, offset: normal.dot(&rest[0]) }
        })
    }

    /// Appends what lies in a half-space, as simplices of the same orientation.
    ///
    /// Corners within `thin` of the plane count as inside: slivers are not made.
    pub(crate) fn clip(&self, side: &HalfSpace<D>, thin: f64, out: &mut Vec<Self>) {
        let mut distance = [0.0; 4];
        let (mut inside, mut outside) = ([0usize; 4], [0usize; 4]);
        let (mut i, mut o) = (0, 0);
        for k in 0..=D {
            distance[k] = side.distance(&self.corners[k]);
            if distance[k] <= thin {
                inside[i] = k;
                i += 1;
            } else {
                outside[o] = k;
                o += 1;
            }
        }
        if o == 0 {
            out.push(*self);
            return;
        }
        // Where the edge from an inner to an outer corner meets the plane.
        let cut = |a: usize, b: usize| {
            let t = (distance[a] / (distance[a] - distance[b])).clamp(0.0, 1.0);
            self.corners[a] + (self.corners[b] - self.corners[a]) * t
        };
        let keep = |corners: &[Vector<D>], out: &mut Vec<Self>| {
            let mut piece = Self::new(corners);
            let measure = piece.measure();
            if measure < 0.0 {
                piece.corners.swap(0, 1);
            }
            if measure != 0.0 {
                out.push(piece);
            }
        };
        let c = |k: usize| self.corners[k];
        match (D, i) {
            (_, 0) => {}
            (_, 1) => {
                let a = inside[0];
                let mut corners = [c(a); 4];
                (0..o).for_each(|k| corners[k + 1] = cut(a, outside[k]));
                keep(&corners[..=D], out);
            }
            (2, _) => {
                let (a, b, x) = (inside[0], inside[1], outside[0]);
                let (p, q) = (cut(a, x), cut(b, x));
                keep(&[c(a), c(b), q], out);
                keep(&[c(a), q, p], out);
            }
            (_, 2) => {
                // A wedge: triangles (a, ax, ay) and (b, bx, by) joined by a quadrangle on three sides.
                let (a, b, x, y) = (inside[0], inside[1], outside[0], outside[1]);
                prism([c(a), cut(a, x), cut(a, y)], [c(b), cut(b, x), cut(b, y)], |t| keep(t, out));
            }
            _ => {
                let (a, b, d, x) = (inside[0], inside[1], inside[2], outside[0]);
                prism([c(a), c(b), c(d)], [cut(a, x), cut(b, x), cut(d, x)], |t| keep(t, out));
            }
        }
    }
}

/// The three tetrahedra of a prism between two triangles.
fn prism<const D: usize>(a: [Vector<D>; 3], b: [Vector<D>; 3], mut each: impl FnMut(&[Vector<D>])) {
    each(&[a[0], a[1], a[2], b[2]]);
    each(&[a[0], a[1], b[2], b[1]]);
    each(&[a[0], b[1], b[2], b[0]]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner<const D: usize>() -> Simplex<D> {
        let mut corners = vec![Vector::zeros()];
        corners.extend((0..D).map(|k| Vector::from_fn(|i, _| f64::from(u8::from(i == k)))));
        Simplex::new(&corners)
    }

    /// A plane `x = c` leaves `1 − (1 − c)^D` of the corner simplex.
    fn slab<const D: usize>() {
        let whole = corner::<D>();
        for c in [0.1, 0.5, 0.9] {
            for sign in [1.0, -1.0] {
                let mut normal = Vector::zeros();
                normal[0] = sign;
                let mut out = vec![];
                whole.clip(&HalfSpace { normal, offset: sign * c }, 0.0, &mut out);
                let measure: f64 = out.iter().map(Simplex::measure).sum();
                let left = 1.0 - (1.0 - c).powi(D as i32);
                let exact = whole.measure() * if sign > 0.0 { left } else { 1.0 - left };
                assert!((measure - exact).abs() < 1e-15, "{D} {c} {sign}: {measure} {exact}");
                assert!(out.iter().all(|s| s.measure() > 0.0));
            }
        }
    }

    #[test]
    fn a_plane_leaves_the_share_of_the_closed_form() {
        slab::<1>();
        slab::<2>();
        slab::<3>();
    }

    /// What two sides of any plane leave is the whole.
    #[test]
    fn both_sides_of_a_plane_sum_to_the_whole() {
        let whole = corner::<3>();
        for (k, normal) in [[0.3, 0.5, -0.8], [1.0, -1.0, 0.2], [0.1, 0.1, 1.0]].into_iter().enumerate() {
            let normal = Vector::from(normal).normalize();
            let offset = 0.05 + 0.1 * k as f64;
            let mut out = vec![];
            whole.clip(&HalfSpace { normal, offset }, 0.0, &mut out);
            whole.clip(&HalfSpace { normal: -normal, offset: -offset }, 0.0, &mut out);
            let sum: f64 = out.iter().map(Simplex::measure).sum();
            assert!((sum - 1.0 / 6.0).abs() < 1e-15);
        }
    }
}
