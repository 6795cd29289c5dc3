//! Convex polygons and polyhedra, cut by planes.

use crate::{Simplex, Vector};

/// The side of a plane where `normal · x ≤ offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace<const D: usize> {
    normal: Vector<D>,
    offset: f64,
}

impl<const D: usize> HalfSpace<D> {
    /// From a unit normal.
    pub fn new(normal: Vector<D>, offset: f64) -> Self {
        Self { normal, offset }
    }

    /// Distance of a point beyond it.
    pub(crate) fn distance(&self, x: &Vector<D>) -> f64 {
        self.normal.dot(x) - self.offset
    }
}

/// A convex body by its faces: the ends of a segment or the corners of a polygon in one face, those of a polyhedron
/// face by face.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Polytope<const D: usize> {
    faces: Vec<Vec<Vector<D>>>,
}

impl<const D: usize> Polytope<D> {
    /// From its faces.
    pub fn new(faces: Vec<Vec<Vector<D>>>) -> Self {
        Self { faces }
    }

    /// Its corners; those of a polyhedron once for each face.
    pub fn corners(&self) -> impl Iterator<Item = &Vector<D>> {
        self.faces.iter().flatten()
    }

    fn centre(&self) -> Vector<D> {
        let n = self.corners().count() as f64;
        self.corners().sum::<Vector<D>>() / n
    }

    /// The half-spaces whose common part it is.
    pub(crate) fn half_spaces(&self) -> Vec<HalfSpace<D>> {
        let centre = self.centre();
        let outward = |mut normal: Vector<D>, at: Vector<D>| {
            normal /= normal.norm();
            if normal.dot(&(centre - at)) > 0.0 {
                normal = -normal;
            }
            HalfSpace { normal, offset: normal.dot(&at) }
        };
        match D {
            1 => self.faces[0].iter().map(|x| outward(Vector::repeat(1.0), *x)).collect(),
            2 => {
                let p = &self.faces[0];
                let edges = (0..p.len()).map(|k| (p[k], p[(k + 1) % p.len()]));
                edges
                    .map(|(a, b)| outward(Vector::from_fn(|k, _| if k == 0 { b[1] - a[1] } else { a[0] - b[0] }), a))
                    .collect()
            }
            _ => self
                .faces
                .iter()
                .map(|face| {
                    let middle = face.iter().sum::<Vector<D>>() / face.len() as f64;
                    outward(area_vector(face), middle)
                })
                .collect(),
        }
    }

    /// Keeps what lies in a half-space; corners within `thin` of the plane count as inside, so that slivers are not
    /// made. False if nothing is left.
    pub fn clip(&mut self, side: &HalfSpace<D>, thin: f64) -> bool {
        let (mut nearest, mut farthest) = (f64::INFINITY, f64::NEG_INFINITY);
        for x in self.corners() {
            let d = side.distance(x);
            (nearest, farthest) = (nearest.min(d), farthest.max(d));
        }
        if farthest <= thin {
            return true;
        }
        if nearest >= -thin {
            return false;
        }
        let mut cap: Vec<Vector<D>> = vec![];
        for face in &mut self.faces {
            let mut kept = Vec::with_capacity(face.len() + 1);
            for (k, a) in face.iter().enumerate() {
                let b = &face[(k + 1) % face.len()];
                let (da, db) = (side.distance(a), side.distance(b));
                if da <= thin {
                    kept.push(*a);
                    if da >= -thin {
                        cap.push(*a);
                    }
                }
                // The last edge of a segment is its first.
                let again = D == 1 && k == 1;
                if !again && (da > thin && db < -thin || da < -thin && db > thin) {
                    let cut = a + (b - a) * (da / (da - db));
                    kept.push(cut);
                    cap.push(cut);
                }
            }
            *face = kept;
        }
        if D == 3 {
            self.faces.retain(|f| f.len() >= 3);
            if let Some(cap) = convex_order(cap, &side.normal) {
                self.faces.push(cap);
            }
        }
        self.faces.first().is_some_and(|f| f.len() > D.min(2))
    }

    /// Cuts it into simplices larger than `speck`, all of positive orientation: a fan from its first corner.
    pub(crate) fn simplices(&self, speck: f64, mut each: impl FnMut(Simplex<D>)) {
        let mut keep = |corners: &[Vector<D>]| {
            let simplex = Simplex::oriented(corners);
            if simplex.measure() > speck {
                each(simplex);
            }
        };
        match D {
            1 => keep(&self.faces[0]),
            2 => {
                let p = &self.faces[0];
                (2..p.len()).for_each(|k| keep(&[p[0], p[k - 1], p[k]]));
            }
            _ => {
                let apex = self.faces[0][0];
                // Faces through the apex give flat tetrahedra.
                for face in self.faces.iter().filter(|f| !f.contains(&apex)) {
                    (2..face.len()).for_each(|k| keep(&[apex, face[0], face[k - 1], face[k]]));
                }
            }
        }
    }
}

/// Twice the area of a polygon in space, along its normal.
pub(crate) fn area_vector<const D: usize>(face: &[Vector<D>]) -> Vector<D> {
    (2..face.len()).map(|k| cross(&(face[k - 1] - face[0]), &(face[k] - face[0]))).sum()
}

/// Of vectors of space, in code for any dimension.
pub(crate) fn cross<const D: usize>(a: &Vector<D>, b: &Vector<D>) -> Vector<D> {
    Vector::from_fn(|k, _| a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3])
}

/// The points of a convex polygon of space in turn about its normal.
fn convex_order<const D: usize>(mut points: Vec<Vector<D>>, normal: &Vector<D>) -> Option<Vec<Vector<D>>> {
    if points.len() < 3 {
        return None;
    }
    let centre = points.iter().sum::<Vector<D>>() / points.len() as f64;
    let far = points.iter().map(|p| p - centre).max_by(|a, b| a.norm_squared().total_cmp(&b.norm_squared()))?;
    let x = far / far.norm();
    let y = cross(normal, &x);
    let angle = |p: &Vector<D>| (p - centre).dot(&y).atan2((p - centre).dot(&x));
    let mut order: Vec<(f64, Vector<D>)> = points.drain(..).map(|p| (angle(&p), p)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    // The same point comes from both faces of an edge.
    let same = |a: &Vector<D>, b: &Vector<D>| (a - b).norm() <= 1e-12 * far.norm();
    order.dedup_by(|a, b| same(&a.1, &b.1));
    let polygon: Vec<Vector<D>> = order.into_iter().map(|(_, p)| p).collect();
    (polygon.len() >= 3).then_some(polygon)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner<const D: usize>() -> Polytope<D> {
        let unit = |k: usize| Vector::from_fn(|i, _| f64::from(u8::from(i + 1 == k)));
        Polytope::new(match D {
            3 => [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]].map(|f| f.map(unit).to_vec()).to_vec(),
            _ => vec![(0..=D).map(unit).collect()],
        })
    }

    fn measure<const D: usize>(p: &Polytope<D>) -> f64 {
        let mut sum = 0.0;
        p.simplices(0.0, |s| sum += s.measure());
        sum
    }

    /// A plane `x = c` leaves `1 − (1 − c)^D` of the corner simplex.
    fn slab<const D: usize>() {
        let whole = measure(&corner::<D>());
        for c in [0.1, 0.5, 0.9] {
            for sign in [1.0, -1.0] {
                let mut normal = Vector::zeros();
                normal[0] = sign;
                let mut p = corner::<D>();
                assert!(p.clip(&HalfSpace { normal, offset: sign * c }, 0.0));
                let left = 1.0 - (1.0 - c).powi(D as i32);
                let exact = whole * if sign > 0.0 { left } else { 1.0 - left };
                assert!((measure(&p) - exact).abs() < 1e-15, "{D} {c} {sign}: {} {exact}", measure(&p));
            }
        }
    }

    #[test]
    fn a_plane_leaves_the_share_of_the_closed_form() {
        slab::<1>();
        slab::<2>();
        slab::<3>();
    }

    /// What two sides of any planes leave is the whole, also after several cuts and through corners.
    #[test]
    fn both_sides_of_a_plane_sum_to_the_whole() {
        let planes =
            [([0.3, 0.5, -0.8], 0.05), ([1.0, -1.0, 0.2], 0.15), ([1.0, -1.0, 0.0], 0.0), ([0.1, 0.1, 1.0], 0.25)];
        let mut parts = vec![corner::<3>()];
        for (normal, offset) in planes {
            let normal = Vector::from(normal).normalize();
            let sides = [HalfSpace { normal, offset }, HalfSpace { normal: -normal, offset: -offset }];
            parts = parts
                .iter()
                .flat_map(|p| sides.map(|s| (p.clone(), s)))
                .filter_map(|(mut p, s)| p.clip(&s, 1e-13).then_some(p))
                .collect();
            let sum: f64 = parts.iter().map(measure).sum();
            assert!((sum - 1.0 / 6.0).abs() < 1e-14, "{sum}");
        }
    }
}
