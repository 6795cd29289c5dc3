//! The force form in the plane by active sets
//!
//! ```text
//! S = E λ,  λ ≥ 0:     0 ≤ λ ⟂ Q λ + q ≥ 0,     Q = EᵀWE,  q = Eᵀ(b + s n)        method (10)
//! ```
//!
//! In 2D the friction cone is spanned by its two edges, columns of `E`; the program
//! is a linear complementarity problem, for asymmetric `W` too. Block principal
//! pivoting with Murty's rule as a safeguard, finite when `Q` is a P-matrix
//! \[JudicePires94\]; the active set of the last shift starts the next. A proximal
//! term `ε` makes `Q` regular where the contacts are redundant, and is iterated
//! away: its fixed point solves the program itself.

use super::Failure;
use crate::algebra::Vector;
use crate::{Law, Problem};
use faer::Mat;
use faer::linalg::solvers::{PartialPivLu, Solve};

/// Proximal term, for a matrix of unit diagonal.
const PROXIMAL: f64 = 1e-8;

/// Growth of the multipliers that means that the program has no minimum.
const UNBOUNDED: f64 = 1e7;

/// One edge of a cone, or one free direction of a bilateral contact.
struct Edge<const D: usize> {
    contact: usize,
    /// Direction times `ρ^½`.
    direction: Vector<D>,
    free: bool,
}

/// The program, its active set and its last factorisation.
pub(super) struct ActiveSet<const D: usize> {
    edges: Vec<Edge<D>>,
    matrix: Mat<f64>,
    q: Vec<f64>,
    lambda: Vec<f64>,
    basic: Vec<bool>,
    list: Vec<usize>,
    factor: Option<PartialPivLu<f64>>,
}

impl<const D: usize> ActiveSet<D> {
    /// None when a law has no finite set of edges.
    pub fn new(problem: &Problem<D>) -> Option<Self> {
        let mut edges = vec![];
        for (contact, law) in problem.laws().iter().enumerate() {
            let root = problem.rho(contact).sqrt();
            let mut edge = |n: f64, t: f64, free: bool| {
                let direction = Vector::from_fn(|k, _| root * if k == 0 { n } else { t });
                edges.push(Edge { contact, direction, free });
            };
            match law {
                Law::Frictionless => edge(1.0, 0.0, false),
                Law::Coulomb { mu } => {
                    edge(1.0, *mu, false);
                    edge(1.0, -mu, false);
                }
                Law::Directional { mu } => {
                    edge(1.0, mu[1], false);
                    edge(1.0, -mu[0], false);
                }
                Law::Bilateral => {
                    edge(1.0, 0.0, true);
                    edge(0.0, 1.0, true);
                }
                _ => return None,
            }
        }
        let size = edges.len();
        let matrix = Mat::from_fn(size, size, |i, j| {
            let (a, b): (&Edge<D>, &Edge<D>) = (&edges[i], &edges[j]);
            let w = problem.w().get(a.contact, b.contact);
            w.map_or(0.0, |w| a.direction.dot(&(w * b.direction))) + if i == j { PROXIMAL } else { 0.0 }
        });
        let basic = edges.iter().map(|e| e.free).collect();
        Some(Self { edges, matrix, q: vec![0.0; size], lambda: vec![0.0; size], basic, list: vec![], factor: None })
    }

    /// Solves for the shift `s`.
    pub fn solve(&mut self, problem: &Problem<D>, shift: &[f64], percussions: &mut [Vector<D>]) -> Result<(), Failure> {
        for (q, e) in self.q.iter_mut().zip(&self.edges) {
            let mut b = problem.b()[e.contact];
            b[0] += shift[e.contact];
            *q = e.direction.dot(&b);
        }
        let size = self.q.iter().fold(0.0f64, |m, q| m.max(q.abs()));
        let mut last = 0.0;
        // Proximal points: linear, with a ratio of at most ε over the smallest eigenvalue at work.
        for _ in 0..50 {
            let before = self.lambda.clone();
            self.pivot(&before, size)?;
            let moved = before.iter().zip(&self.lambda).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
            if !moved.is_finite() || moved > UNBOUNDED * size {
                return Err(Failure::Unbounded);
            }
            last = PROXIMAL * moved;
            if last <= 1e-15 * size {
                break;
            }
        }
        if last > 1e-9 * size {
            return Err(Failure::Unbounded);
        }
        percussions.fill(Vector::zeros());
        for (lambda, e) in self.lambda.iter().zip(&self.edges) {
            percussions[e.contact] += e.direction * *lambda;
        }
        Ok(())
    }

    /// Principal pivoting on `(Q + εI) λ + q − ε λ_before`.
    fn pivot(&mut self, before: &[f64], size: f64) -> Result<(), Failure> {
        let n = self.edges.len();
        let (mut fewest, mut patience) = (usize::MAX, 5);
        for _ in 0..(20 * n + 100) {
            let wrong = self.infeasible(before, 1e-14 * size);
            if wrong.is_empty() {
                return Ok(());
            }
            let whole = if wrong.len() < fewest {
                (fewest, patience) = (wrong.len(), 5);
                true
            } else {
                patience = usize::saturating_sub(patience, 1);
                patience > 0
            };
            let first = if whole { 0 } else { wrong.len() - 1 };
            for &i in &wrong[first..] {
                self.basic[i] = !self.basic[i];
            }
            self.factor = None;
        }
        Err(Failure::Numerical)
    }

    /// Solves on the active set; the indices whose sign is wrong.
    fn infeasible(&mut self, before: &[f64], tolerance: f64) -> Vec<usize> {
        let n = self.edges.len();
        if self.factor.is_none() {
            self.list = (0..n).filter(|i| self.basic[*i]).collect();
            let k = self.list.len();
            let sub = Mat::from_fn(k, k, |i, j| self.matrix[(self.list[i], self.list[j])]);
            self.factor = Some(sub.partial_piv_lu());
        }
        self.lambda.fill(0.0);
        let rhs = Mat::from_fn(self.list.len(), 1, |i, _| PROXIMAL * before[self.list[i]] - self.q[self.list[i]]);
        if let Some(factor) = &self.factor {
            let x = factor.solve(&rhs);
            for (k, &i) in self.list.iter().enumerate() {
                self.lambda[i] = x[(k, 0)];
            }
        }
        let wrong = |i: usize| {
            if self.basic[i] {
                return !self.edges[i].free && self.lambda[i] < -tolerance;
            }
            let slope: f64 = self.list.iter().map(|&j| self.matrix[(i, j)] * self.lambda[j]).sum();
            slope + self.q[i] - PROXIMAL * before[i] < -tolerance
        };
        (0..n).filter(|i| wrong(*i)).collect()
    }
}
