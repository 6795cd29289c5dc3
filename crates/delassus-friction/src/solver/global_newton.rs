//! Nonsmooth Newton in global form: velocities and percussions together
//!
//! ```text
//!     | A        −Gᵀ E          | |dv|      | A v − f − Gᵀ E y |
//!     | F_v EᵀG   F_y + ε F_v   | |dy|  = − | F(y, Eᵀ(G v + w)) |
//! ```
//!
//! Nothing is condensed: the matrix has the sparsity of `A` and `G`, which is what a
//! fine mesh with few contacts wants. Same functions, same line search and same
//! certificate as the local form.

use super::functions::{Function, Linearised};
use super::normal::NormalForm;
use super::{Control, Event, Monitor, NewtonSettings, Progress, Settings, Solution, SolverKind, Stop, verdict};
use crate::algebra::{Matrix, Vector};
use crate::problem::norm;
use crate::{Error, GlobalProblem, Problem, certificate};
use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::{Lu, SymbolicLu};
use faer::sparse::{SparseColMat, Triplet};
use faer::{Mat, MatMut};

/// True for the solvers this form offers.
pub fn is_newton(kind: SolverKind) -> bool {
    matches!(kind, SolverKind::NewtonAc | SolverKind::NewtonNm | SolverKind::NewtonFb)
}

/// Solver on a global problem; its condensed form serves the certificate alone.
pub struct GlobalNewton<'a, const D: usize> {
    global: &'a GlobalProblem<D>,
    problem: &'a Problem<D>,
    settings: Settings,
    own: NewtonSettings,
    form: NormalForm<D>,
    symbolic: Option<SymbolicLu<usize>>,
}

impl<'a, const D: usize> GlobalNewton<'a, D> {
    /// `condensed` must be `global.condense()`.
    pub fn new(global: &'a GlobalProblem<D>, condensed: &'a Problem<D>, settings: &Settings) -> Result<Self, Error> {
        settings.validate()?;
        let function = match settings.solver {
            SolverKind::NewtonAc => Function::AlartCurnier,
            SolverKind::NewtonFb if D > 3 => {
                return Err(Error::Unsupported {
                    solver: "newton-fb",
                    reason: "rolling contacts; newton-ac and newton-nm treat them",
                });
            }
            SolverKind::NewtonFb => Function::FischerBurmeister,
            _ => Function::NaturalMap,
        };
        let mut own = NewtonSettings { function, tolerance: settings.tolerance, ..Default::default() };
        own.max_iterations = settings.max_iterations.unwrap_or(own.max_iterations);
        let form = NormalForm::new(condensed, "newton")?;
        Ok(Self { global, problem: condensed, settings: settings.clone(), own, form, symbolic: None })
    }

    /// Improves `s` and judges it.
    pub fn solve(&mut self, s: &mut [Vector<D>], monitor: &mut dyn Monitor) -> Solution {
        let (stop, iterations) = self.run(s, monitor);
        let residual = crate::Certificate::new(self.problem, s).relative;
        let event = Event {
            solver: self.settings.solver.name(),
            iterations,
            residual,
            reason: "asked for; global form, velocities and percussions together".into(),
        };
        verdict(self.problem, &self.settings, s, stop, vec![event])
    }

    fn run(&mut self, s: &mut [Vector<D>], monitor: &mut dyn Monitor) -> (Stop, usize) {
        let n = self.problem.len();
        if n == 0 {
            return (Stop::Tolerance, 0);
        }
        let mut y = self.problem.zero();
        self.form.read_percussions(s, &mut y);
        let mut v = self.global.velocities(s);
        let (mut epsilon, mut u) = (1e-8, self.problem.zero());
        for iteration in 0..self.own.max_iterations {
            self.problem.velocities(s, &mut u);
            let residual = certificate::relative(self.problem, s, &u);
            if residual <= self.own.tolerance {
                return (Stop::Tolerance, iteration);
            }
            let progress = Progress { solver: "newton-global", iteration, residual };
            if monitor.observe(&progress) == Control::Stop {
                return (Stop::Asked, iteration);
            }
            match self.step(&mut y, &mut v, epsilon) {
                true => {
                    self.form.to_percussions(&y, s);
                    epsilon = (0.1 * epsilon).max(1e-12);
                }
                false if epsilon >= 1e-2 => return (Stop::Stalled, iteration),
                false => epsilon *= 100.0,
            }
        }
        (Stop::Iterations, self.own.max_iterations)
    }

    /// One damped step; false when the factorisation or the search failed.
    fn step(&mut self, y: &mut Vec<Vector<D>>, v: &mut Vec<f64>, epsilon: f64) -> bool {
        let Some(lu) = self.factorise(y, v, epsilon) else { return false };
        let (dofs, n) = (v.len(), y.len());
        let (balance, law) = self.residuals(y, v);
        let mut x = Mat::zeros(dofs + D * n, 1);
        for (i, r) in balance.iter().enumerate() {
            x[(i, 0)] = *r;
        }
        for (i, f) in law.iter().enumerate() {
            for r in 0..D {
                x[(dofs + D * i + r, 0)] = f[r];
            }
        }
        lu.solve_in_place(x.as_mut() as MatMut<'_, f64>);
        if !(0..x.nrows()).all(|i| x[(i, 0)].is_finite()) {
            return false;
        }
        let merit = norm(&law);
        let mut length = 1.0;
        for _ in 0..=self.own.halvings {
            let trial_v: Vec<f64> = (0..dofs).map(|i| v[i] - length * x[(i, 0)]).collect();
            let trial_y: Vec<Vector<D>> =
                (0..n).map(|i| y[i] - length * Vector::from_fn(|r, _| x[(dofs + D * i + r, 0)])).collect();
            // The balance is linear: a full step satisfies it, and the start does too.
            if norm(&self.residuals(&trial_y, &trial_v).1) <= (1.0 - 1e-2 * length) * merit {
                (*v, *y) = (trial_v, trial_y);
                return true;
            }
            length *= 0.5;
        }
        false
    }

    /// `Eᵀ (G v + w)`, from the condensed data: `w` is what `b` adds to `G A⁻¹ f`.
    fn contact_velocities(&self, v: &[f64]) -> Vec<Vector<D>> {
        let (_, g, _) = self.global.matrices();
        let mut out = self.global.imposed().to_vec();
        for (i, u) in out.iter_mut().enumerate() {
            for r in 0..D {
                u[r] += g.row(D * i + r).map(|(j, x)| x * v[j]).sum::<f64>();
            }
        }
        self.form.pull(&mut out);
        out
    }

    fn residuals(&self, y: &[Vector<D>], v: &[f64]) -> (Vec<f64>, Vec<Vector<D>>) {
        let (a, g, f) = self.global.matrices();
        let mut s = self.problem.zero();
        self.form.to_percussions(y, &mut s);
        let flat: Vec<f64> = s.iter().flat_map(|x| x.iter().copied()).collect();
        let mut push = vec![0.0; v.len()];
        g.add_transposed(&flat, &mut push);
        let mut balance: Vec<f64> = f.iter().zip(&push).map(|(f, p)| -f - p).collect();
        a.add_product(v, &mut balance);
        let u = self.contact_velocities(v);
        let law = (0..y.len())
            .map(|i| if self.form.bilateral[i] { u[i] } else { self.own.function.value(&y[i], &u[i]) })
            .collect();
        (balance, law)
    }

    fn factorise(&mut self, y: &[Vector<D>], v: &[f64], epsilon: f64) -> Option<Lu<usize, f64>> {
        let (a, g, _) = self.global.matrices();
        let (dofs, n) = (v.len(), y.len());
        let u = self.contact_velocities(v);
        let mut t = vec![];
        for i in 0..dofs {
            t.extend(a.row(i).map(|(j, x)| Triplet::new(i, j, x)));
        }
        for i in 0..n {
            let l = if self.form.bilateral[i] {
                Linearised { by_y: Matrix::zeros(), by_v: Matrix::identity() }
            } else {
                self.own.function.linearise(&y[i], &u[i])
            };
            let e = self.form.scale(i);
            let left = l.by_v * e.transpose();
            let corner = l.by_y + l.by_v * epsilon;
            let at = dofs + D * i;
            for r in 0..D {
                for c in 0..D {
                    t.push(Triplet::new(at + r, at + c, corner[(r, c)]));
                    for (j, x) in g.row(D * i + c) {
                        t.push(Triplet::new(at + r, j, left[(r, c)] * x));
                        t.push(Triplet::new(j, at + r, -e[(c, r)] * x));
                    }
                }
            }
        }
        let matrix = SparseColMat::<usize, f64>::try_new_from_triplets(dofs + D * n, dofs + D * n, &t).ok()?;
        if self.symbolic.is_none() {
            self.symbolic = SymbolicLu::try_new(matrix.symbolic()).ok();
        }
        Lu::try_new_with_symbolic(self.symbolic.clone()?, matrix.as_ref()).ok()
    }
}
