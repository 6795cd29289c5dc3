//! A weight on a cell, from its moments: values at the points of a rule that integrate as it does.
//!
//! ```text
//! find β_h in P_k (simplices) or Q_k:   Σ_q w_q β_h(ξ_q) p(ξ_q) = ∫ β p      for all p of the space
//! ```
//!
//! What the rule integrates exactly without a weight it then does with it, cut cells included. Where a jump inside
//! the cell makes a value too small the space is made smaller; the constant, the mean of β, is the last.

use delassus_fem::element::Rule;
use delassus_fem::mesh::CellKind;
use nalgebra::{DMatrix, DVector};

/// Values may fall to this share of the smallest weight in the cell.
const LEAST: f64 = 0.5;

/// Functions are of a lower degree in each direction.
const POWERS: usize = 4;

/// The largest space whose moments a rule of a kind of cell can carry, and the smaller ones in it.
pub(crate) struct Space {
    kind: CellKind,
    powers: Vec<[usize; 3]>,
    /// Numbers of functions of the spaces, from the constant up.
    levels: Vec<usize>,
    /// Degree of the largest.
    pub(crate) degree: usize,
}

impl Space {
    pub(crate) fn new(kind: CellKind, rule: &Rule) -> Self {
        let dim = kind.dim();
        let simplex = kind.is_simplex();
        let top = if simplex {
            (0..POWERS).take_while(|d| is_exact(rule, dim, 2 * *d as i32)).last().unwrap_or(0)
        } else {
            ((rule.points.len() as f64).powf(1.0 / dim.max(1) as f64).round() as usize - 1).min(POWERS - 1)
        };
        let mut powers: Vec<[usize; 3]> = vec![];
        let mut levels = vec![];
        for level in 0..=top {
            let range = |k: usize| 0..=if k < dim { level } else { 0 };
            for a in range(0) {
                for b in range(1) {
                    for c in range(2) {
                        let of = if simplex { a + b + c } else { a.max(b).max(c) };
                        if of == level {
                            powers.push([a, b, c]);
                        }
                    }
                }
            }
            levels.push(powers.len());
        }
        let degree = powers.iter().map(|p| p.iter().sum()).max().unwrap_or(0);
        Self { kind, powers, levels, degree }
    }

    pub(crate) fn len(&self) -> usize {
        self.powers.len()
    }

    /// Values of its functions; on simplices about the centre.
    pub(crate) fn at(&self, xi: [f64; 3], values: &mut [f64]) {
        let shift = if self.kind.is_simplex() { 1.0 / (self.kind.dim() as f64 + 1.0) } else { 0.0 };
        let mut powers = [[1.0; POWERS]; 3];
        for k in 0..self.kind.dim() {
            (1..POWERS).for_each(|n| powers[k][n] = powers[k][n - 1] * (xi[k] - shift));
        }
        for (v, p) in values.iter_mut().zip(&self.powers) {
            *v = powers[0][p[0]] * powers[1][p[1]] * powers[2][p[2]];
        }
    }

    /// Values of the weight at the points: `rule` gives them with what each stands for in space, `lost[i]` is
    /// `∫ (1 − β) p_i`, `least` the smallest weight in the cell.
    pub(crate) fn values(&self, rule: &[([f64; 3], f64)], lost: &[f64], least: f64) -> Vec<f64> {
        let mut p = DMatrix::zeros(self.len(), rule.len());
        let mut at = vec![0.0; self.len()];
        for (q, (xi, _)) in rule.iter().enumerate() {
            self.at(*xi, &mut at);
            p.column_mut(q).copy_from_slice(&at);
        }
        for n in self.levels.iter().rev() {
            let p = p.rows(0, *n);
            let weighted = DMatrix::from_fn(*n, rule.len(), |i, q| p[(i, q)] * rule[q].1);
            let taken = DVector::from_column_slice(&lost[..*n]);
            let Some(factor) = (&weighted * p.transpose()).cholesky() else { continue };
            let values: Vec<f64> = (p.transpose() * factor.solve(&taken)).iter().map(|l| 1.0 - l).collect();
            if *n == 1 || values.iter().all(|v| *v >= LEAST * least) {
                return values;
            }
        }
        vec![1.0; rule.len()]
    }
}

/// Whether a rule of the reference simplex is exact to a degree: `∫ ξ^a η^b ζ^c = a! b! c! / (a + b + c + dim)!`.
fn is_exact(rule: &Rule, dim: usize, degree: i32) -> bool {
    let factorial = |n: i32| (1..=n).map(f64::from).product::<f64>();
    (0..=degree).all(|a| {
        (0..=degree - a).all(|b| {
            let c = if dim == 3 { degree - a - b } else { 0 };
            let exact = factorial(a) * factorial(b) * factorial(c) / factorial(a + b + c + dim as i32);
            let points = rule.points.iter().zip(&rule.weights);
            let sum: f64 = points.map(|(x, w)| w * x[0].powi(a) * x[1].powi(b) * x[2].powi(c)).sum();
            (sum - exact).abs() < 1e-12
        })
    })
}
