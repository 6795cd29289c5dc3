//! Gradients of shape functions where cells are checked and measured
//!
//! Reference cells: segments, quadrangles and hexahedra are [−1, 1]^d, triangles and
//! tetrahedra the unit simplex. Reference: \[Zienkiewicz13\].

use super::CellKind;
use crate::element;

/// Derivatives of up to ten shape functions.
pub(crate) type Gradients = [[f64; 3]; 10];

/// Where the nodes are in the reference cell.
pub(crate) fn reference_nodes(kind: CellKind) -> &'static [[f64; 3]] {
    element::node_positions(kind)
}

/// Derivatives of the shape functions with respect to the reference coordinates.
pub(crate) fn gradients(kind: CellKind, xi: [f64; 3]) -> Gradients {
    let mut d = [[0.0; 3]; 10];
    element::shape_gradients(kind, xi, &mut d);
    d
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
