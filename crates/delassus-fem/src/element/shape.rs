//! Shape functions `N_a(ξ)` and their derivatives in the reference cell

use crate::mesh::CellKind;

/// The largest number of nodes of a cell.
pub const NODES_MAX: usize = 10;

/// Number of nodes of a cell.
pub const fn nodes(kind: CellKind) -> usize {
    match kind {
        CellKind::Point => 1,
        CellKind::Seg2 => 2,
        CellKind::Seg3 | CellKind::Tri3 => 3,
        CellKind::Quad4 | CellKind::Tet4 => 4,
        CellKind::Tri6 => 6,
        CellKind::Quad8 | CellKind::Hex8 => 8,
        CellKind::Tet10 => 10,
    }
}

/// Dimension of the reference cell.
pub const fn dimension(kind: CellKind) -> usize {
    match kind {
        CellKind::Point => 0,
        CellKind::Seg2 | CellKind::Seg3 => 1,
        CellKind::Tri3 | CellKind::Tri6 | CellKind::Quad4 | CellKind::Quad8 => 2,
        CellKind::Tet4 | CellKind::Tet10 | CellKind::Hex8 => 3,
    }
}

/// The cell of first degree on the same corners.
pub const fn corner_kind(kind: CellKind) -> CellKind {
    match kind {
        CellKind::Seg3 => CellKind::Seg2,
        CellKind::Tri6 => CellKind::Tri3,
        CellKind::Quad8 => CellKind::Quad4,
        CellKind::Tet10 => CellKind::Tet4,
        other => other,
    }
}

const SEG: [[f64; 3]; 3] = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]];
const TRI: [[f64; 3]; 6] =
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 0.5, 0.0]];
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
/// Ends of the edge of each middle node.
const TRI_EDGES: [(usize, usize); 3] = [(0, 1), (1, 2), (2, 0)];
const TET_EDGES: [(usize, usize); 6] = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)];

/// Reference positions of the nodes.
pub fn node_positions(kind: CellKind) -> &'static [[f64; 3]] {
    match kind {
        CellKind::Point => &SEG[2..],
        CellKind::Seg2 => &SEG[..2],
        CellKind::Seg3 => &SEG,
        CellKind::Tri3 => &TRI[..3],
        CellKind::Tri6 => &TRI,
        CellKind::Quad4 => &QUAD[..4],
        CellKind::Quad8 => &QUAD,
        CellKind::Tet4 => &TET[..4],
        CellKind::Tet10 => &TET,
        CellKind::Hex8 => &HEX,
    }
}

/// Values `N_a(ξ)` into the first [`nodes`] places.
pub fn shape(kind: CellKind, xi: [f64; 3], n: &mut [f64]) {
    match kind {
        CellKind::Point => n[0] = 1.0,
        CellKind::Seg2 => {
            n[0] = 0.5 * (1.0 - xi[0]);
            n[1] = 0.5 * (1.0 + xi[0]);
        }
        CellKind::Seg3 => {
            n[0] = 0.5 * xi[0] * (xi[0] - 1.0);
            n[1] = 0.5 * xi[0] * (xi[0] + 1.0);
            n[2] = 1.0 - xi[0] * xi[0];
        }
        CellKind::Tri3 | CellKind::Tet4 => barycentric(dimension(kind), xi, n),
        CellKind::Tri6 => quadratic_simplex::<3>(2, &TRI_EDGES, xi, n),
        CellKind::Tet10 => quadratic_simplex::<4>(3, &TET_EDGES, xi, n),
        CellKind::Quad4 => {
            for (a, p) in QUAD[..4].iter().enumerate() {
                n[a] = 0.25 * (1.0 + p[0] * xi[0]) * (1.0 + p[1] * xi[1]);
            }
        }
        CellKind::Quad8 => {
            for (a, p) in QUAD.iter().enumerate() {
                let (x, y) = (p[0] * xi[0], p[1] * xi[1]);
                n[a] = if a < 4 {
                    0.25 * (1.0 + x) * (1.0 + y) * (x + y - 1.0)
                } else if p[0] == 0.0 {
                    0.5 * (1.0 - xi[0] * xi[0]) * (1.0 + y)
                } else {
                    0.5 * (1.0 - xi[1] * xi[1]) * (1.0 + x)
                };
            }
        }
        CellKind::Hex8 => {
            for (a, p) in HEX.iter().enumerate() {
                n[a] = 0.125 * (1.0 + p[0] * xi[0]) * (1.0 + p[1] * xi[1]) * (1.0 + p[2] * xi[2]);
            }
        }
    }
}

/// Derivatives `∂N_a/∂ξ_k` into the first [`nodes`] places; directions beyond the dimension are zero.
pub fn shape_gradients(kind: CellKind, xi: [f64; 3], d: &mut [[f64; 3]]) {
    let [x, y, z] = xi;
    match kind {
        CellKind::Point => d[0] = [0.0; 3],
        CellKind::Seg2 => {
            d[0] = [-0.5, 0.0, 0.0];
            d[1] = [0.5, 0.0, 0.0];
        }
        CellKind::Seg3 => {
            d[0] = [x - 0.5, 0.0, 0.0];
            d[1] = [x + 0.5, 0.0, 0.0];
            d[2] = [-2.0 * x, 0.0, 0.0];
        }
        CellKind::Tri3 => d[..3].copy_from_slice(&SIMPLEX2),
        CellKind::Tet4 => d[..4].copy_from_slice(&SIMPLEX3),
        CellKind::Tri6 => quadratic_simplex_gradients(&SIMPLEX2, &TRI_EDGES, xi, d),
        CellKind::Tet10 => quadratic_simplex_gradients(&SIMPLEX3, &TET_EDGES, xi, d),
        CellKind::Quad4 => {
            for (a, p) in QUAD[..4].iter().enumerate() {
                d[a] = [0.25 * p[0] * (1.0 + p[1] * y), 0.25 * p[1] * (1.0 + p[0] * x), 0.0];
            }
        }
        CellKind::Quad8 => {
            for (a, p) in QUAD.iter().enumerate() {
                let (px, py) = (p[0] * x, p[1] * y);
                d[a] = if a < 4 {
                    [0.25 * p[0] * (1.0 + py) * (2.0 * px + py), 0.25 * p[1] * (1.0 + px) * (2.0 * py + px), 0.0]
                } else if p[0] == 0.0 {
                    [-x * (1.0 + py), 0.5 * (1.0 - x * x) * p[1], 0.0]
                } else {
                    [0.5 * (1.0 - y * y) * p[0], -y * (1.0 + px), 0.0]
                };
            }
        }
        CellKind::Hex8 => {
            for (a, p) in HEX.iter().enumerate() {
                let (fx, fy, fz) = (1.0 + p[0] * x, 1.0 + p[1] * y, 1.0 + p[2] * z);
                d[a] = [0.125 * p[0] * fy * fz, 0.125 * p[1] * fx * fz, 0.125 * p[2] * fx * fy];
            }
        }
    }
}

const SIMPLEX2: [[f64; 3]; 3] = [[-1.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
const SIMPLEX3: [[f64; 3]; 4] = [[-1.0, -1.0, -1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

fn barycentric(dim: usize, xi: [f64; 3], l: &mut [f64]) {
    l[0] = 1.0 - xi[..dim].iter().sum::<f64>();
    l[1..=dim].copy_from_slice(&xi[..dim]);
}

/// Corners `L(2L − 1)`, middles `4 L_i L_j`.
fn quadratic_simplex<const C: usize>(dim: usize, edges: &[(usize, usize)], xi: [f64; 3], n: &mut [f64]) {
    let mut l = [0.0; C];
    barycentric(dim, xi, &mut l);
    for a in 0..C {
        n[a] = l[a] * (2.0 * l[a] - 1.0);
    }
    for (e, &(i, j)) in edges.iter().enumerate() {
        n[C + e] = 4.0 * l[i] * l[j];
    }
}

fn quadratic_simplex_gradients(dl: &[[f64; 3]], edges: &[(usize, usize)], xi: [f64; 3], d: &mut [[f64; 3]]) {
    let corners = dl.len();
    let mut l = [0.0; 4];
    barycentric(corners - 1, xi, &mut l);
    for a in 0..corners {
        d[a] = dl[a].map(|g| (4.0 * l[a] - 1.0) * g);
    }
    for (e, &(i, j)) in edges.iter().enumerate() {
        d[corners + e] = std::array::from_fn(|k| 4.0 * (l[i] * dl[j][k] + l[j] * dl[i][k]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [CellKind; 9] = [
        CellKind::Seg2,
        CellKind::Seg3,
        CellKind::Tri3,
        CellKind::Tri6,
        CellKind::Quad4,
        CellKind::Quad8,
        CellKind::Tet4,
        CellKind::Tet10,
        CellKind::Hex8,
    ];

    /// `N_a(ξ_b) = δ_ab`, the definition of a nodal basis; `Σ N = 1` away from the nodes.
    #[test]
    fn shape_functions_are_nodal_and_sum_to_one() {
        for kind in KINDS {
            let mut n = [0.0; NODES_MAX];
            for (b, &p) in node_positions(kind).iter().enumerate() {
                shape(kind, p, &mut n);
                for a in 0..nodes(kind) {
                    assert_eq!(n[a], f64::from(u8::from(a == b)), "{kind:?} {a} {b}");
                }
            }
            shape(kind, [0.2, 0.3, 0.1], &mut n);
            assert!((n[..nodes(kind)].iter().sum::<f64>() - 1.0).abs() < 1e-15);
        }
    }

    /// Central differences are exact for quadratics, so only rounding (1e-16 / 1e-3) remains;
    /// Hex8 is quadratic in each direction at most.
    #[test]
    fn gradients_are_the_derivatives_of_the_shapes() {
        let (at, h) = ([0.21, 0.33, 0.17], 1e-3);
        for kind in KINDS {
            let mut d = [[0.0; 3]; NODES_MAX];
            shape_gradients(kind, at, &mut d);
            for k in 0..dimension(kind) {
                let (mut plus, mut minus) = ([0.0; NODES_MAX], [0.0; NODES_MAX]);
                let (mut p, mut m) = (at, at);
                p[k] += h;
                m[k] -= h;
                shape(kind, p, &mut plus);
                shape(kind, m, &mut minus);
                for a in 0..nodes(kind) {
                    assert!((d[a][k] - (plus[a] - minus[a]) / (2.0 * h)).abs() < 1e-12, "{kind:?} {a} {k}");
                }
            }
        }
    }
}
