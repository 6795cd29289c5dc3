//! Shape functions of facets and the geometry they span
//!
//! ```text
//! x(ξ) = Σ N_k(ξ) x_k       t_α = ∂x/∂ξ_α       n = (t_y, −t_x)  or  t₁ × t₂
//! ```
//!
//! n points outwards when nodes follow the boundary counter-clockwise (in space:
//! counter-clockwise seen from outside). Coordinates: [`FacetKind`].

use super::FacetKind;
use crate::Vector;

/// Most nodes of a facet.
pub const FACET_NODES: usize = 8;

/// A place on a facet; the second coordinate is zero on segments.
pub type Xi = [f64; 2];

/// Shape functions, first derivatives, and second ones (ξξ, ξη, ηη).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shape {
    pub n: [f64; FACET_NODES],
    pub d: [[f64; 2]; FACET_NODES],
    pub dd: [[f64; 3]; FACET_NODES],
}

/// Shape functions and their derivatives at `xi`.
pub(crate) fn shape(kind: FacetKind, xi: Xi) -> Shape {
    let mut s = Shape::default();
    let [x, y] = xi;
    match kind {
        FacetKind::Point => s.n[0] = 1.0,
        FacetKind::Seg2 => {
            s.n[..2].copy_from_slice(&[0.5 * (1.0 - x), 0.5 * (1.0 + x)]);
            s.d[..2].copy_from_slice(&[[-0.5, 0.0], [0.5, 0.0]]);
        }
        FacetKind::Seg3 => {
            s.n[..3].copy_from_slice(&[0.5 * x * (x - 1.0), 0.5 * x * (x + 1.0), 1.0 - x * x]);
            s.d[..3].copy_from_slice(&[[x - 0.5, 0.0], [x + 0.5, 0.0], [-2.0 * x, 0.0]]);
            s.dd[..3].copy_from_slice(&[[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [-2.0, 0.0, 0.0]]);
        }
        FacetKind::Tri3 => {
            s.n[..3].copy_from_slice(&[1.0 - x - y, x, y]);
            s.d[..3].copy_from_slice(&[[-1.0, -1.0], [1.0, 0.0], [0.0, 1.0]]);
        }
        FacetKind::Tri6 => triangle6(x, y, &mut s),
        FacetKind::Quad8 => quadrangle8(x, y, &mut s),
        FacetKind::Quad4 => {
            for (k, p) in FacetKind::Quad8.places()[..4].iter().enumerate() {
                let (a, b) = (1.0 + p[0] * x, 1.0 + p[1] * y);
                s.n[k] = 0.25 * a * b;
                s.d[k] = [0.25 * p[0] * b, 0.25 * p[1] * a];
                s.dd[k] = [0.0, 0.25 * p[0] * p[1], 0.0];
            }
        }
    }
    s
}

fn triangle6(x: f64, y: f64, s: &mut Shape) {
    let l = [1.0 - x - y, x, y];
    let g = [[-1.0, -1.0], [1.0, 0.0], [0.0, 1.0]];
    for k in 0..3 {
        s.n[k] = l[k] * (2.0 * l[k] - 1.0);
        s.d[k] = [0, 1].map(|a| g[k][a] * (4.0 * l[k] - 1.0));
        s.dd[k] = [4.0 * g[k][0] * g[k][0], 4.0 * g[k][0] * g[k][1], 4.0 * g[k][1] * g[k][1]];
        let j = (k + 1) % 3;
        s.n[3 + k] = 4.0 * l[k] * l[j];
        s.d[3 + k] = [0, 1].map(|a| 4.0 * (g[k][a] * l[j] + l[k] * g[j][a]));
        let mixed = |a: usize, b: usize| 4.0 * (g[k][a] * g[j][b] + g[k][b] * g[j][a]);
        s.dd[3 + k] = [mixed(0, 0), mixed(0, 1), mixed(1, 1)];
    }
}

fn quadrangle8(x: f64, y: f64, s: &mut Shape) {
    for (k, p) in FacetKind::Quad8.places()[..4].iter().enumerate() {
        let (a, b, c) = (1.0 + p[0] * x, 1.0 + p[1] * y, p[0] * x + p[1] * y - 1.0);
        s.n[k] = 0.25 * a * b * c;
        s.d[k] = [0.25 * p[0] * b * (a + c), 0.25 * p[1] * a * (b + c)];
        s.dd[k] = [0.5 * b, 0.25 * p[0] * p[1] * (a + b + c), 0.5 * a];
    }
    for k in [4, 6] {
        let q = FacetKind::Quad8.places()[k][1];
        let (a, b) = (1.0 - x * x, 1.0 + q * y);
        s.n[k] = 0.5 * a * b;
        s.d[k] = [-x * b, 0.5 * q * a];
        s.dd[k] = [-b, -x * q, 0.0];
    }
    for k in [5, 7] {
        let q = FacetKind::Quad8.places()[k][0];
        let (a, b) = (1.0 + q * x, 1.0 - y * y);
        s.n[k] = 0.5 * a * b;
        s.d[k] = [0.5 * q * b, -y * a];
        s.dd[k] = [0.0, -y * q, -a];
    }
}

/// Positions of the nodes of one facet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patch<const D: usize> {
    pub kind: FacetKind,
    pub x: [Vector<D>; FACET_NODES],
}

impl<const D: usize> Patch<D> {
    /// Gathers a facet from flat positions.
    pub fn gather(kind: FacetKind, nodes: &[u32], positions: &[f64]) -> Self {
        let mut x = [Vector::<D>::zeros(); FACET_NODES];
        for (p, &i) in x.iter_mut().zip(nodes) {
            *p = Vector::<D>::from_column_slice(&positions[D * i as usize..][..D]);
        }
        Self { kind, x }
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.kind.nodes()
    }

    /// `Σ w_k x_k`.
    pub fn combine(&self, w: &[f64; FACET_NODES]) -> Vector<D> {
        let mut p = Vector::<D>::zeros();
        for k in 0..self.len() {
            p += self.x[k] * w[k];
        }
        p
    }

    pub fn point(&self, xi: Xi) -> Vector<D> {
        self.combine(&shape(self.kind, xi).n)
    }

    /// The tangents; the second is zero in the plane.
    pub fn tangents(&self, s: &Shape) -> [Vector<D>; 2] {
        let mut t = [Vector::<D>::zeros(); 2];
        for k in 0..self.len() {
            t[0] += self.x[k] * s.d[k][0];
            t[1] += self.x[k] * s.d[k][1];
        }
        t
    }

    /// The normal whose length is the Jacobian.
    pub fn area_normal(&self, xi: Xi) -> Vector<D> {
        normal_of(&self.tangents(&shape(self.kind, xi)))
    }

    /// The unit normal, unless the facet is degenerate there.
    pub fn normal(&self, xi: Xi) -> Option<Vector<D>> {
        let t = self.tangents(&shape(self.kind, xi));
        let n = normal_of(&t);
        let size = n.norm();
        let scale = if D == 2 { self.size() } else { t[0].norm() * t[1].norm() };
        (size > 1e-12 * scale && size.is_finite()).then(|| n / size)
    }

    /// Largest distance of a node from the first.
    pub fn size(&self) -> f64 {
        (1..self.len()).map(|k| (self.x[k] - self.x[0]).norm_squared()).fold(0.0, f64::max).sqrt()
    }
}

/// `(t_y, −t_x)` in the plane, `t₁ × t₂` in space.
pub(crate) fn normal_of<const D: usize>(t: &[Vector<D>; 2]) -> Vector<D> {
    let mut n = Vector::<D>::zeros();
    if D == 2 {
        n[0] = t[0][1];
        n[1] = -t[0][0];
    } else {
        for k in 0..3 {
            let (a, b) = ((k + 1) % 3, (k + 2) % 3);
            n[k] = t[0][a] * t[1][b] - t[0][b] * t[1][a];
        }
    }
    n
}

#[cfg(test)]
mod tests {
    use super::super::kind::Domain;
    use super::*;

    /// One at its node, zero at the others; the sum is one everywhere.
    #[test]
    fn partition_of_unity_and_nodal_values() {
        for kind in FacetKind::ALL {
            let places = kind.places();
            for (j, &p) in places.iter().enumerate() {
                let s = shape(kind, p);
                for k in 0..places.len() {
                    assert!((s.n[k] - f64::from(u8::from(j == k))).abs() < 1e-15, "{kind:?}");
                }
            }
            let s = shape(kind, [0.21, 0.34]);
            assert!((s.n.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        }
    }

    /// Derivatives against central differences, exact for polynomials of degree 3 up to h².
    #[test]
    fn derivatives() {
        let (xi, h) = ([0.21, 0.34], 1e-4);
        for kind in FacetKind::ALL {
            let s = shape(kind, xi);
            let axes = match kind.domain() {
                Domain::Point => 0,
                Domain::Segment => 1,
                _ => 2,
            };
            for a in 0..axes {
                let at = |d: f64| shape(kind, [xi[0] + d * [1.0, 0.0][a], xi[1] + d * [0.0, 1.0][a]]);
                let (p, m) = (at(h), at(-h));
                for k in 0..kind.nodes() {
                    assert!(((p.n[k] - m.n[k]) / (2.0 * h) - s.d[k][a]).abs() < 1e-7, "{kind:?}");
                    for b in 0..axes {
                        let dd = (p.d[k][b] - m.d[k][b]) / (2.0 * h);
                        assert!((dd - s.dd[k][a + b]).abs() < 1e-7, "{kind:?} {k} {a}{b}");
                    }
                }
            }
        }
    }
}
