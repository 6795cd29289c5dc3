//! Quadratures on the reference cells
//!
//! Forces and tangents take the smallest rule without spurious modes that keeps the order
//! of the element (degree `2p − 2` on simplices, full integration on quadrangles and
//! hexahedra); masses take one that is exact on cells with straight edges.

use crate::mesh::CellKind;

/// Points and weights; weights sum to the measure of the reference cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Points in the reference cell.
    pub points: Vec<[f64; 3]>,
    /// Their weights.
    pub weights: Vec<f64>,
}

/// The rule of forces and tangents. In revolution solids (`round`), one point would leave a
/// mode of Tri3 without stiffness: three are taken.
pub fn stiffness_rule(kind: CellKind, round: bool) -> Rule {
    match kind {
        CellKind::Tri3 if round => tri_three(),
        CellKind::Tri3 => Rule { points: vec![[1.0 / 3.0, 1.0 / 3.0, 0.0]], weights: vec![0.5] },
        CellKind::Tri6 => tri_three(),
        CellKind::Tet4 => Rule { points: vec![[0.25; 3]], weights: vec![1.0 / 6.0] },
        CellKind::Tet10 => tet_four(),
        CellKind::Point => Rule { points: vec![[0.0; 3]], weights: vec![1.0] },
        CellKind::Seg2 => product(1, 2),
        CellKind::Seg3 => product(1, 3),
        CellKind::Quad4 => product(2, 2),
        CellKind::Quad8 => product(2, 3),
        CellKind::Hex8 => product(3, 2),
    }
}

/// The rule of masses and loads, exact for `N_a N_b det J r` on straight cells.
pub fn mass_rule(kind: CellKind) -> Rule {
    match kind {
        CellKind::Tri3 | CellKind::Tri6 => conical(2),
        CellKind::Tet4 | CellKind::Tet10 => conical(3),
        CellKind::Point => Rule { points: vec![[0.0; 3]], weights: vec![1.0] },
        CellKind::Seg2 => product(1, 2),
        CellKind::Seg3 => product(1, 4),
        CellKind::Quad4 => product(2, 3),
        CellKind::Quad8 => product(2, 4),
        CellKind::Hex8 => product(3, 3),
    }
}

/// A rule on the segment, triangle or tetrahedron of reference, exact to any degree: products of Gauss–Jacobi
/// rules, whose weights take the collapse of the cube into the simplex.
pub fn simplex_rule(dim: usize, degree: usize) -> Rule {
    let n = degree / 2 + 1;
    let lines: Vec<Vec<(f64, f64)>> = (0..dim).map(|k| gauss_jacobi(n, (dim - 1 - k) as f64)).collect();
    let mut rule = Rule { points: vec![[0.0; 3]], weights: vec![1.0] };
    for (k, line) in lines.iter().enumerate() {
        let mut next = Rule { points: Vec::new(), weights: Vec::new() };
        for (p, w) in rule.points.iter().zip(&rule.weights) {
            let left = 1.0 - p[..k].iter().sum::<f64>();
            for &(t, g) in line {
                let mut q = *p;
                q[k] = t * left;
                next.points.push(q);
                next.weights.push(w * g);
            }
        }
        rule = next;
    }
    rule
}

/// Points and weights on `[0, 1]` for the weight `(1 − t)^a`, exact to degree `2n − 1`: eigenvalues of the matrix of
/// the recurrence of Jacobi's polynomials \[Golub69\].
fn gauss_jacobi(n: usize, a: f64) -> Vec<(f64, f64)> {
    let mut matrix = nalgebra::DMatrix::zeros(n, n);
    for k in 0..n {
        let (x, s) = (k as f64, 2.0 * k as f64 + a);
        // The quotient at k = 0 is that of a limit where a = 0.
        matrix[(k, k)] = if k == 0 { -a / (a + 2.0) } else { -a * a / (s * (s + 2.0)) };
        if k > 0 {
            let b = 4.0 * x * (x + a) * x * (x + a) / (s * s * (s + 1.0) * (s - 1.0));
            (matrix[(k, k - 1)], matrix[(k - 1, k)]) = (b.sqrt(), b.sqrt());
        }
    }
    let eigen = matrix.symmetric_eigen();
    let mut line: Vec<(f64, f64)> =
        (0..n).map(|k| (0.5 * (1.0 + eigen.eigenvalues[k]), eigen.eigenvectors[(0, k)].powi(2) / (a + 1.0))).collect();
    line.sort_by(|p, q| p.0.total_cmp(&q.0));
    line
}

fn tri_three() -> Rule {
    let (a, b) = (1.0 / 6.0, 2.0 / 3.0);
    Rule { points: vec![[a, a, 0.0], [b, a, 0.0], [a, b, 0.0]], weights: vec![1.0 / 6.0; 3] }
}

fn tet_four() -> Rule {
    let s = 5.0_f64.sqrt();
    let (a, b) = ((5.0 - s) / 20.0, (5.0 + 3.0 * s) / 20.0);
    Rule { points: vec![[a, a, a], [b, a, a], [a, b, a], [a, a, b]], weights: vec![1.0 / 24.0; 4] }
}

/// Gauss–Legendre on `[−1, 1]`: exact to degree `2n − 1`.
fn gauss(n: usize) -> Vec<(f64, f64)> {
    match n {
        1 => vec![(0.0, 2.0)],
        2 => {
            let x = (1.0_f64 / 3.0).sqrt();
            vec![(-x, 1.0), (x, 1.0)]
        }
        3 => {
            let x = 0.6_f64.sqrt();
            vec![(-x, 5.0 / 9.0), (0.0, 8.0 / 9.0), (x, 5.0 / 9.0)]
        }
        _ => {
            let (r, s) = ((4.8_f64).sqrt() / 7.0, 30.0_f64.sqrt() / 36.0);
            let (near, far) = ((3.0 / 7.0 - r).sqrt(), (3.0 / 7.0 + r).sqrt());
            vec![(-far, 0.5 - s), (-near, 0.5 + s), (near, 0.5 + s), (far, 0.5 - s)]
        }
    }
}

/// Tensor product on `[−1, 1]ᵈ`, the first direction fastest.
fn product(dim: usize, n: usize) -> Rule {
    let line = gauss(n);
    let mut rule = Rule { points: vec![[0.0; 3]], weights: vec![1.0] };
    for k in (0..dim).rev() {
        let mut next = Rule { points: Vec::new(), weights: Vec::new() };
        for (p, w) in rule.points.iter().zip(&rule.weights) {
            for &(x, g) in &line {
                let mut q = *p;
                q[k] = x;
                next.points.push(q);
                next.weights.push(w * g);
            }
        }
        rule = next;
    }
    rule
}

/// Collapsed product on simplices (four points a direction): degree 6 on triangles, 5 on tetrahedra.
fn conical(dim: usize) -> Rule {
    let cube = product(dim, 4);
    let mut rule = Rule { points: Vec::new(), weights: Vec::new() };
    for (p, w) in cube.points.iter().zip(&cube.weights) {
        let t = p.map(|x| 0.5 * (1.0 + x));
        let (x, y) = (t[0], t[1] * (1.0 - t[0]));
        if dim == 2 {
            rule.points.push([x, y, 0.0]);
            rule.weights.push(0.25 * w * (1.0 - x));
        } else {
            rule.points.push([x, y, t[2] * (1.0 - x - y)]);
            rule.weights.push(0.125 * w * (1.0 - x) * (1.0 - x - y));
        }
    }
    rule
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integral(rule: &Rule, f: impl Fn([f64; 3]) -> f64) -> f64 {
        rule.points.iter().zip(&rule.weights).map(|(&p, w)| w * f(p)).sum()
    }

    fn factorial(n: i32) -> f64 {
        (1..=n).map(f64::from).product()
    }

    /// `∫ ξ^a η^b ζ^c` over a simplex is `a! b! c! / (a + b + c + d)!`.
    #[test]
    fn simplex_rules_integrate_monomials_to_their_degree() {
        let cases = [
            (stiffness_rule(CellKind::Tri3, false), 2, 1),
            (stiffness_rule(CellKind::Tri6, false), 2, 2),
            (mass_rule(CellKind::Tri6), 2, 6),
            (stiffness_rule(CellKind::Tet4, false), 3, 1),
            (stiffness_rule(CellKind::Tet10, false), 3, 2),
            (mass_rule(CellKind::Tet10), 3, 5),
            (simplex_rule(1, 9), 1, 9),
            (simplex_rule(2, 5), 2, 5),
            (simplex_rule(2, 11), 2, 11),
            (simplex_rule(3, 4), 3, 4),
            (simplex_rule(3, 9), 3, 9),
        ];
        for (rule, dim, degree) in cases {
            for a in 0..=degree {
                for b in 0..=(if dim > 1 { degree - a } else { 0 }) {
                    for c in 0..=(if dim == 3 { degree - a - b } else { 0 }) {
                        let exact = factorial(a) * factorial(b) * factorial(c) / factorial(a + b + c + dim);
                        let got = integral(&rule, |p| p[0].powi(a) * p[1].powi(b) * p[2].powi(c));
                        assert!((got - exact).abs() < 1e-15, "{dim} {a} {b} {c}: {got} {exact}");
                    }
                }
            }
        }
    }

    /// `∫ x^a y^b` over `[−1, 1]²` is a product of `2/(a + 1)` for even exponents.
    #[test]
    fn product_rules_integrate_monomials_to_degree_2n_minus_1() {
        for n in 1..=4 {
            let rule = product(2, n);
            let exact = |a: i32| {
                if a % 2 == 0 { 2.0 / f64::from(a + 1) } else { 0.0 }
            };
            for a in 0..2 * n as i32 {
                for b in 0..2 * n as i32 {
                    let got = integral(&rule, |p| p[0].powi(a) * p[1].powi(b));
                    assert!((got - exact(a) * exact(b)).abs() < 1e-14);
                }
            }
        }
    }
}
