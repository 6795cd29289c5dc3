//! How `W + B` is factorised: by contacts, or by bodies where a root of `W` is known.

use crate::algebra::{Analysis, BlockMatrix, ByBodies, FactorError, Frontal, Matrix, Vector, body_graph};
use crate::{Problem, Root};
use nalgebra::SMatrix;

/// Degrees of freedom of a body in the plane and in space.
const PLANE: usize = 3;
const SPACE: usize = 6;

/// The cheaper of the two eliminations, analysed.
#[derive(Clone)]
pub struct Plan {
    analysis: Analysis,
    /// Columns per body, when by bodies.
    width: Option<usize>,
    contacts: f64,
}

impl Plan {
    /// Bodies have fewer unknowns than contacts in anything dense; else by contacts.
    pub fn new<const D: usize>(problem: &Problem<D>) -> Self {
        let root = problem.root().filter(|r| r.width() * r.bodies() < D * problem.len());
        let contacts = problem.len() as f64;
        if let Some(root) = root {
            let mut pairs = root.sides().iter().map(|s| s.map(|s| s.map(|s| s.body)));
            let analysis = match root.width() {
                PLANE => Some(Analysis::new(&body_graph::<PLANE>(root.bodies(), &mut pairs))),
                SPACE => Some(Analysis::new(&body_graph::<SPACE>(root.bodies(), &mut pairs))),
                _ => None,
            };
            if let Some(analysis) = analysis {
                return Self { analysis, width: Some(root.width()), contacts };
            }
        }
        Self { analysis: Analysis::new(problem.w()), width: None, contacts }
    }

    /// Whether `W` itself is not needed.
    pub fn is_by_bodies(&self) -> bool {
        self.width.is_some()
    }

    /// Multiply–add operations of one factorisation.
    pub fn work(&self, d: usize) -> f64 {
        match self.width {
            None => self.analysis.work(d),
            Some(n) => self.analysis.work(n) + self.contacts * (4 * d * n * (n + d)) as f64,
        }
    }

    /// Multiply–add operations of one solve.
    pub fn entries(&self, d: usize) -> f64 {
        match self.width {
            None => self.analysis.entries(d),
            Some(n) => self.analysis.entries(n) + self.contacts * (12 * d * n) as f64,
        }
    }

    /// The analysis of `W`, for solvers that eliminate by contacts only.
    pub fn by_contacts<const D: usize>(&self, problem: &Problem<D>) -> Analysis {
        match self.width {
            None => self.analysis.clone(),
            Some(_) => Analysis::new(problem.w()),
        }
    }
}

/// Factors and scratch of one of the two.
pub struct Elimination<const D: usize> {
    factors: Factors<D>,
    /// By bodies: `Eᵀ C E`, and the sum with what is added.
    compliance: Vec<Matrix<D>>,
    b: Vec<Matrix<D>>,
    /// Relative residual of a solution by bodies that needs no refinement.
    exact: f64,
}

/// The same, unless more or less is asked for.
const EXACT: f64 = 1e-11;

enum Factors<const D: usize> {
    Contacts(Frontal<D>),
    Plane(ByBodies<D, PLANE>),
    Space(ByBodies<D, SPACE>),
}

impl<const D: usize> Elimination<D> {
    /// For `Eᵀ W E + B`, `E = scale` by contact.
    pub fn new(problem: &Problem<D>, plan: &Plan, scale: impl Fn(usize) -> Matrix<D>) -> Self {
        let compliance = |(i, c): (usize, &Vector<D>)| scale(i).transpose() * Matrix::from_diagonal(c) * scale(i);
        let (factors, compliance) = match (problem.root(), plan.width) {
            (Some(root), Some(PLANE)) => {
                (Factors::Plane(by_bodies(root, plan, &scale)), root.compliance().iter().enumerate().map(compliance))
            }
            (Some(root), Some(_)) => {
                (Factors::Space(by_bodies(root, plan, &scale)), root.compliance().iter().enumerate().map(compliance))
            }
            _ => {
                let factors = Factors::Contacts(Frontal::with_analysis(&plan.analysis));
                return Self { factors, compliance: vec![], b: vec![], exact: EXACT };
            }
        };
        Self { factors, compliance: compliance.collect(), b: vec![], exact: EXACT }
    }

    /// With solutions of this relative residual, or as exact as they get.
    pub fn to(self, residual: f64) -> Self {
        Self { exact: residual.max(EXACT), ..self }
    }

    /// Factorises `w + add`; `w` is `Eᵀ W E`.
    pub fn factorise(&mut self, w: &BlockMatrix<D>, add: &[Matrix<D>]) -> Result<(), FactorError> {
        self.b.clear();
        self.b.extend(add.iter().zip(&self.compliance).map(|(a, c)| a + c));
        match &mut self.factors {
            Factors::Contacts(lu) => lu.factorise(w, None, add),
            Factors::Plane(lu) => lu.factorise(&self.b),
            Factors::Space(lu) => lu.factorise(&self.b),
        }
    }

    /// Solves with the last factorisation, in place.
    pub fn solve(&mut self, x: &mut [Vector<D>]) {
        match &mut self.factors {
            Factors::Contacts(lu) => lu.solve(x),
            Factors::Plane(lu) => lu.solve(&self.b, x, self.exact),
            Factors::Space(lu) => lu.solve(&self.b, x, self.exact),
        }
    }
}

/// With `H = Eᵀ R`.
fn by_bodies<const D: usize, const N: usize>(
    root: &Root<D>,
    plan: &Plan,
    scale: &impl Fn(usize) -> Matrix<D>,
) -> ByBodies<D, N> {
    let rows = root.sides().iter().enumerate().map(|(i, sides)| {
        let h = sides.map(|s| match s {
            Some(s) => scale(i).transpose() * SMatrix::<f64, D, N>::from_columns(root.columns(&s)),
            None => SMatrix::zeros(),
        });
        (sides.map(|s| s.map(|s| s.body)), h)
    });
    ByBodies::new(root.bodies(), rows, &plan.analysis)
}

/// Proximal term of [`least_change`], relative to the blocks of `W`.
const PROXIMAL: f64 = 1e-7;
/// Its most refinements.
const REFINEMENTS: usize = 6;

/// `x` with `R Rᵀ x = u` on the components where `free` is one, zero elsewhere, of least norm
/// in the scales `rho`: a change of the percussions that changes the velocities by `u`.
/// Nothing when the bodies are neither of the plane nor of space.
pub fn least_change<const D: usize>(
    root: &Root<D>,
    free: &[Vector<D>],
    rho: impl Fn(usize) -> f64,
    u: &[Vector<D>],
) -> Option<Vec<Vector<D>>> {
    match root.width() {
        PLANE => least::<D, PLANE>(root, free, rho, u),
        SPACE => least::<D, SPACE>(root, free, rho, u),
        _ => None,
    }
}

fn least<const D: usize, const N: usize>(
    root: &Root<D>,
    free: &[Vector<D>],
    rho: impl Fn(usize) -> f64,
    u: &[Vector<D>],
) -> Option<Vec<Vector<D>>> {
    let mut pairs = root.sides().iter().map(|s| s.map(|s| s.map(|s| s.body)));
    let analysis = Analysis::new(&body_graph::<N>(root.bodies(), &mut pairs));
    let plan = Plan { analysis, width: Some(N), contacts: u.len() as f64 };
    // Rows of components that are held say nothing.
    let mut by_bodies: ByBodies<D, N> = by_bodies(root, &plan, &|i| Matrix::from_diagonal(&free[i]));
    let inverse: Vec<_> =
        free.iter().enumerate().map(|(i, f)| Matrix::from_diagonal(f) * (rho(i) / PROXIMAL)).collect();
    by_bodies.factorise_inverse(&inverse).ok()?;
    let mut x: Vec<_> = u.iter().zip(free).map(|(u, f)| u.component_mul(f)).collect();
    by_bodies.solve_range(&mut x, REFINEMENTS);
    x.iter().all(|x| x.iter().all(|x| x.is_finite())).then_some(x)
}
