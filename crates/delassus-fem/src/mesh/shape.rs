//! Gradients of shape functions where cells are checked and measured
//!
//! Reference cells: segments, quadrangles and hexahedra are [−1, 1]^d, triangles and
//! tetrahedra the unit simplex. Reference: \[Zienkiewicz13\].

use super::CellKind::{self, *};

/// Derivatives of up to ten shape functions.
pub(crate) type Gradients = [[f64; 3]; 10];

const QUAD: [[f64; 3]; 8] = [
    [-1.0, -1.0, 0.0],
    [1.0, -1.0, 0.0],
    [1.0, 1.0, 0.0],
    [-1.0, 1.0, 0.0],
    [0.0, -1.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [-1.0, 0.0, 0.0],
];
const HEX: [[f64; 3]; 8] = [
    [-1.0, -1.0, -1.0],
    [1.0, -1.0, -1.0],
    [1.0, 1.0, -1.0],
    [-1.0, 1.0, -1.0],
    [-1.0, -1.0, 1.0],
    [1.0, -1.0, 1.0],
    [1.0, 1.0, 1.0],
    [-1.0, 1.0, 1.0],
];
const TET: [[f64; 3]; 10] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [0.5, 0.0, 0.0],
    [0.5, 0.5, 0.0],
    [0.0, 0.5, 0.0],
    [0.0, 0.0, 0.5],
    [0.5, 0.0, 0.5],
    [0.0, 0.5, 0.5],
];
const TRI: [[f64; 3]; 6] =
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 0.5, 0.0]];
const SEG: [[f64; 3]; 3] = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]];

/// Where the nodes are in the reference cell.
pub(crate) fn reference_nodes(kind: CellKind) -> &'static [[f64; 3]] {
    let all: &[[f64; 3]] = match kind {
        Point => &SEG[2..],
        Seg2 | Seg3 => &SEG,
        Tri3 | Tri6 => &TRI,
        Quad4 | Quad8 => &QUAD,
        Tet4 | Tet10 => &TET,
        Hex8 => &HEX,
    };
    &all[..kind.nodes()]
}

/// Derivatives of the shape functions with respect to the reference coordinates.
pub(crate) fn gradients(kind: CellKind, xi: [f64; 3]) -> Gradients {
    let mut d = [[0.0; 3]; 10];
    match kind {
        Point => {}
        Seg2 => (d[0][0], d[1][0]) = (-0.5, 0.5),
        Seg3 => (d[0][0], d[1][0], d[2][0]) = (xi[0] - 0.5, xi[0] + 0.5, -2.0 * xi[0]),
        Tri3 | Tet4 => simplex_slopes(kind.dim(), &mut d),
        Tri6 | Tet10 => quadratic_simplex(kind, xi, &mut d),
        Quad4 => tensor(&QUAD[..4], 2, xi, &mut d),
        Hex8 => tensor(&HEX, 3, xi, &mut d),
        Quad8 => serendipity(xi, &mut d),
    }
    d
}

/// Slopes of the barycentric coordinates.
fn simplex_slopes(dim: usize, d: &mut Gradients) {
    for k in 0..dim {
        d[0][k] = -1.0;
        d[k + 1][k] = 1.0;
    }
}

/// N = L(2L − 1) at corners, 4 L_i L_j on edges.
fn quadratic_simplex(kind: CellKind, xi: [f64; 3], d: &mut Gradients) {
    let dim = kind.dim();
    let l = [1.0 - xi[..dim].iter().sum::<f64>(), xi[0], xi[1], xi[2]];
    let mut slope = [[0.0; 3]; 10];
    simplex_slopes(dim, &mut slope);
    for k in 0..dim {
        for i in 0..=dim {
            d[i][k] = (4.0 * l[i] - 1.0) * slope[i][k];
        }
        for (e, &[i, j]) in kind.edges().iter().enumerate() {
            let (i, j) = (i as usize, j as usize);
            d[dim + 1 + e][k] = 4.0 * (l[i] * slope[j][k] + l[j] * slope[i][k]);
        }
    }
}

/// N = Π (1 + ξ_k ξ_ak) / 2.
fn tensor(nodes: &[[f64; 3]], dim: usize, xi: [f64; 3], d: &mut Gradients) {
    for (d, a) in d.iter_mut().zip(nodes) {
        for k in 0..dim {
            d[k] = 0.5 * a[k];
            for m in (0..dim).filter(|&m| m != k) {
                d[k] *= 0.5 * (1.0 + xi[m] * a[m]);
            }
        }
    }
}

/// The eight-node quadrangle.
fn serendipity([x, y, _]: [f64; 3], d: &mut Gradients) {
    for (a, d) in d.iter_mut().take(4).enumerate() {
        let [p, q, _] = QUAD[a];
        d[0] = 0.25 * p * (1.0 + y * q) * (2.0 * x * p + y * q);
        d[1] = 0.25 * q * (1.0 + x * p) * (x * p + 2.0 * y * q);
    }
    for (q, a) in [(-1.0, 4), (1.0, 6)] {
        d[a][0] = -x * (1.0 + y * q);
        d[a][1] = 0.5 * q * (1.0 - x * x);
    }
    for (p, a) in [(1.0, 5), (-1.0, 7)] {
        d[a][0] = 0.5 * p * (1.0 - y * y);
        d[a][1] = -y * (1.0 + x * p);
    }
}

/// Columns ∂x/∂ξ_k of the Jacobian; those beyond the cell's dimension are zero.
pub(crate) fn jacobian(x: &[[f64; 3]; 10], gradients: &Gradients, nodes: usize) -> [[f64; 3]; 3] {
    let mut columns = [[0.0; 3]; 3];
    for (x, d) in x.iter().zip(gradients).take(nodes) {
        for k in 0..3 {
            for i in 0..3 {
                columns[k][i] += x[i] * d[k];
            }
        }
    }
    columns
}

/// Determinant of the Jacobian. A cell of lower dimension than its space has the
/// unsigned measure.
pub(crate) fn determinant(c: &[[f64; 3]; 3], cell_dim: usize, dim: usize) -> f64 {
    match (cell_dim, dim) {
        (0, _) => 1.0,
        (1, _) => norm(c[0]),
        (2, 2) => c[0][0] * c[1][1] - c[0][1] * c[1][0],
        (2, _) => norm(cross(c[0], c[1])),
        _ => dot(cross(c[0], c[1]), c[2]),
    }
}

pub(crate) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(crate) fn norm(a: [f64; 3]) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Σ dN = 0 and Σ x_a dN_a = 1 on the reference cell: partition of unity, linear completeness.
    #[test]
    fn gradients_reproduce_constants_and_the_identity() {
        for kind in CellKind::ALL.into_iter().filter(|k| k.dim() > 0) {
            let xi = [0.21, 0.17, 0.31];
            let d = gradients(kind, xi);
            let mut x = [[0.0; 3]; 10];
            x[..kind.nodes()].copy_from_slice(reference_nodes(kind));
            let j = jacobian(&x, &d, kind.nodes());
            for k in 0..kind.dim() {
                let sum: f64 = d.iter().map(|d| d[k]).sum();
                assert!(sum.abs() < 1e-14, "{kind} {k} {sum}");
                for i in 0..kind.dim() {
                    assert!((j[k][i] - f64::from(u8::from(i == k))).abs() < 1e-14, "{kind}");
                }
            }
        }
    }
}
