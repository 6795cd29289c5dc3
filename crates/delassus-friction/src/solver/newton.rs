//! Nonsmooth Newton methods in normal form
//!
//! ```text
//!     F(y, v) = 0,   v = W' y + b':        (F_y + F_v W') dy = −F
//! ```
//!
//! Three functions whose zeros are Coulomb's law: Alart and Curnier's
//! \[AlartCurnier91\], the natural map of method (4), and the Fischer–Burmeister
//! function of the cone \[FukushimaLuoTseng01\]. Stacked boxes make `W` singular by
//! design: the Newton matrix uses `W' + ε`, ε raised when a step fails and lowered
//! when it succeeds; the function itself is never regularised. The line search asks
//! for a decrease of `|F|`.
//!
//! With a centre `c` and `α > 0` the same loop solves the proximal problem, where
//! `v = W' y + b' + α (y − c)`; see [`super::Proximal`].

use super::functions::{Function, Linearised};
use super::normal::NormalForm;
use super::{Control, Monitor, Outcome, Progress, Stop};
use crate::algebra::{Analysis, Frontal, Matrix, Vector};
use crate::problem::norm;
use crate::{Error, Problem, certificate};
use serde::{Deserialize, Serialize};

/// Bounds of the regularisation of `W'`, whose blocks are of order one.
const EPSILON: (f64, f64) = (1e-12, 1e-2);

/// Settings of [`Newton`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NewtonSettings {
    /// Relative residual to reach.
    pub tolerance: f64,
    /// Factorisations after which to give up.
    pub max_iterations: usize,
    /// The function to solve.
    pub function: Function,
    /// Halvings of a step before it counts as failed.
    pub halvings: usize,
}

impl Default for NewtonSettings {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 200, function: Function::NaturalMap, halvings: 10 }
    }
}

/// Solver and scratch.
pub struct Newton<const D: usize> {
    settings: NewtonSettings,
    pub(super) form: NormalForm<D>,
    lu: Frontal<D>,
    pub(super) y: Vec<Vector<D>>,
    v: Vec<Vector<D>>,
    f: Vec<Vector<D>>,
    direction: Vec<Vector<D>>,
    trial: Vec<Vector<D>>,
    left: Vec<Matrix<D>>,
    add: Vec<Matrix<D>>,
    u: Vec<Vector<D>>,
    s: Vec<Vector<D>>,
}

/// Centre and weight of a proximal term; weight 0 for none.
#[derive(Clone, Copy)]
pub(super) struct Centre<'a, const D: usize> {
    pub at: &'a [Vector<D>],
    pub weight: f64,
}

impl<const D: usize> Newton<D> {
    /// Builds the normal form and analyses the pattern of `W`.
    pub fn new(problem: &Problem<D>, settings: NewtonSettings) -> Result<Self, Error> {
        Self::with_analysis(problem, settings, &Analysis::new(problem.w()))
    }

    /// As [`Newton::new`], with the analysis of `W` already at hand.
    pub fn with_analysis(problem: &Problem<D>, settings: NewtonSettings, analysis: &Analysis) -> Result<Self, Error> {
        if settings.function == Function::FischerBurmeister && D > 3 {
            return Err(Error::Unsupported {
                solver: "newton-fb",
                reason: "rolling or spinning contacts; newton-ac and newton-nm treat them",
            });
        }
        let form = NormalForm::new(problem, "newton")?;
        let field = || vec![Vector::zeros(); problem.len()];
        let blocks = || vec![Matrix::zeros(); problem.len()];
        Ok(Self {
            settings,
            lu: Frontal::with_analysis(analysis),
            form,
            y: field(),
            v: field(),
            f: field(),
            direction: field(),
            trial: field(),
            left: blocks(),
            add: blocks(),
            u: field(),
            s: field(),
        })
    }

    /// Improves `s`, and never leaves it worse.
    pub fn run(&mut self, problem: &Problem<D>, s: &mut [Vector<D>], monitor: &mut dyn Monitor) -> Outcome {
        self.form.read_percussions(s, &mut self.y);
        let mut best = self.certify(problem, f64::INFINITY, s);
        let mut epsilon = 1e-8;
        let none = vec![];
        let mut merit = self.evaluate_at_y(Centre { at: &none, weight: 0.0 });
        for iteration in 0..self.settings.max_iterations {
            let end = |stop| Outcome { stop, iterations: iteration };
            if best <= self.settings.tolerance {
                return end(Stop::Tolerance);
            }
            let progress = Progress { solver: "newton", iteration, residual: best };
            if monitor.observe(&progress) == Control::Stop {
                return end(Stop::Asked);
            }
            match self.step(merit, epsilon, Centre { at: &none, weight: 0.0 }) {
                Some(lower) => {
                    merit = lower;
                    epsilon = (0.1 * epsilon).max(EPSILON.0);
                    best = self.certify(problem, best, s);
                }
                None if epsilon >= EPSILON.1 => return end(Stop::Stalled),
                None => epsilon *= 100.0,
            }
        }
        Outcome { stop: Stop::Iterations, iterations: self.settings.max_iterations }
    }

    /// Residual of the current `y`; keeps its percussions in `s` when it beats `best`.
    pub(super) fn certify(&mut self, problem: &Problem<D>, best: f64, s: &mut [Vector<D>]) -> f64 {
        self.form.to_percussions(&self.y, &mut self.s);
        problem.velocities(&self.s, &mut self.u);
        let residual = certificate::relative(problem, &self.s, &self.u);
        if residual < best {
            s.copy_from_slice(&self.s);
        }
        residual.min(best)
    }

    /// `|F|` at the current `y`.
    pub(super) fn evaluate_at_y(&mut self, centre: Centre<D>) -> f64 {
        let y = std::mem::take(&mut self.y);
        let merit = self.evaluate(&y, centre);
        self.y = y;
        merit
    }

    fn evaluate(&mut self, y: &[Vector<D>], centre: Centre<D>) -> f64 {
        self.form.w.apply(y, &self.form.b, &mut self.v);
        for i in 0..y.len() {
            if centre.weight > 0.0 {
                self.v[i] += (y[i] - centre.at[i]) * centre.weight;
            }
            self.f[i] =
                if self.form.bilateral[i] { self.v[i] } else { self.settings.function.value(&y[i], &self.v[i]) };
        }
        norm(&self.f)
    }

    /// One damped Newton step from a point where `F` has just been evaluated.
    /// Returns the new `|F|`, or nothing when the factorisation or the search failed.
    pub(super) fn step(&mut self, merit: f64, epsilon: f64, centre: Centre<D>) -> Option<f64> {
        let shift = epsilon + centre.weight;
        for i in 0..self.y.len() {
            let Linearised { by_y, by_v } = if self.form.bilateral[i] {
                Linearised { by_y: Matrix::zeros(), by_v: Matrix::identity() }
            } else {
                self.settings.function.linearise(&self.y[i], &self.v[i])
            };
            self.left[i] = by_v;
            self.add[i] = by_y + by_v * shift;
        }
        self.lu.factorise(&self.form.w, Some(&self.left), &self.add).ok()?;
        self.direction.copy_from_slice(&self.f);
        let mut direction = std::mem::take(&mut self.direction);
        self.lu.solve(&mut direction);
        let found = self.search(&direction, merit, centre);
        self.direction = direction;
        if found.is_none() {
            self.evaluate_at_y(centre);
        }
        found
    }

    fn search(&mut self, direction: &[Vector<D>], merit: f64, centre: Centre<D>) -> Option<f64> {
        let mut length = 1.0;
        for _ in 0..=self.settings.halvings {
            let mut trial = std::mem::take(&mut self.trial);
            for i in 0..trial.len() {
                trial[i] = self.y[i] - direction[i] * length;
            }
            let lower = self.evaluate(&trial, centre);
            self.trial = trial;
            if lower <= (1.0 - 1e-2 * length) * merit {
                std::mem::swap(&mut self.y, &mut self.trial);
                return Some(lower);
            }
            length *= 0.5;
        }
        None
    }
}
