//! Accelerated projected gradient with updates of the shift
//!
//! ```text
//! S⁺ = P_C(Y − t ρ (W Y + b + s n)),     Y⁺ = S⁺ + β (S⁺ − S),     s = φ(U_T)      method (3), (8), (10)
//! ```
//!
//! W  Delassus operator      S  percussions [N·s]      Y  extrapolated percussions
//! ρ_α = D/trace W_αα [kg]   t  step, at most the inverse of the largest eigenvalue
//! of ρ^½ W ρ^½: one scale per contact, so that the projection stays Euclidean.
//!
//! Nesterov's sequence with restart by the gradient \[ODonoghue15\]. `s` is frozen
//! while the convex program (10) is the slower of the two: it follows `φ(U_T)` once
//! the residual of the program is a fraction of the residual of the law, or after a
//! number of iterations. Only products with `W` are used, one per iteration: those
//! at `Y` are combinations of those at `S`. The step starts from a power iteration
//! and is cut when `½ dᵀW d` exceeds `½ |d|²/(tρ)`. Departure: `W` may be asymmetric;
//! the iteration is then that of a variational inequality without an energy, and
//! only the certificate decides.

use super::admm::admissible;
use super::{Control, Monitor, Outcome, Progress, Stop};
use crate::algebra::Vector;
use crate::{Error, Problem, certificate};
use serde::{Deserialize, Serialize};

/// Settings of [`Apg`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ApgSettings {
    /// Relative residual to reach.
    pub tolerance: f64,
    /// Iterations after which to give up.
    pub max_iterations: usize,
    /// The shift is updated when the program's residual is below this fraction of the law's.
    pub inner: f64,
    /// Iterations after which the shift is updated in any case.
    pub hold: usize,
}

impl Default for ApgSettings {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 100_000, inner: 0.3, hold: 3 }
    }
}

impl ApgSettings {
    /// Checks every value.
    pub fn validate(&self) -> Result<(), Error> {
        let bad = |name, value, expected| Err(Error::Setting { name, value, expected });
        if self.tolerance.is_nan() || self.tolerance <= 0.0 {
            return bad("tolerance", self.tolerance, "a positive number");
        }
        if !(self.inner > 0.0 && self.inner <= 1.0) {
            return bad("inner", self.inner, "a number above 0, at most 1");
        }
        if self.hold == 0 {
            return bad("hold", 0.0, "at least 1");
        }
        Ok(())
    }
}

/// Power iterations for the first step; backtracking repairs what they miss.
const POWER: usize = 20;

/// Iterations without progress after which the solver gives up.
const PATIENCE: usize = 20_000;

/// Solver and its scratch: the loop allocates nothing.
pub struct Apg<const D: usize> {
    settings: ApgSettings,
    /// `t`, kept from one run to the next.
    step: f64,
    s: Vec<Vector<D>>,
    u: Vec<Vector<D>>,
    y: Vec<Vector<D>>,
    /// `W Y + b`.
    uy: Vec<Vector<D>>,
    new_s: Vec<Vector<D>>,
    new_u: Vec<Vector<D>>,
    shift: Vec<f64>,
}

impl<const D: usize> Apg<D> {
    /// Validates the settings, estimates the step and sizes the scratch.
    pub fn new(problem: &Problem<D>, settings: ApgSettings) -> Result<Self, Error> {
        settings.validate()?;
        let zero = problem.zero();
        Ok(Self {
            settings,
            step: 1.0 / largest_eigenvalue(problem),
            s: zero.clone(),
            u: zero.clone(),
            y: zero.clone(),
            uy: zero.clone(),
            new_s: zero.clone(),
            new_u: zero,
            shift: vec![0.0; problem.len()],
        })
    }

    /// Improves `s` until the tolerance is met or nothing more can be done.
    pub fn run(&mut self, problem: &Problem<D>, s: &mut [Vector<D>], monitor: &mut dyn Monitor) -> Outcome {
        let mut best = self.start(problem, s);
        let (mut theta, mut held, mut idle, mut mark) = (1.0f64, 0, 0, best);
        for iteration in 1..=self.settings.max_iterations {
            if best <= self.settings.tolerance {
                return Outcome { stop: Stop::Tolerance, iterations: iteration - 1 };
            }
            if !self.descend(problem) {
                return Outcome { stop: Stop::Breakdown, iterations: iteration };
            }
            let residual = certificate::relative(problem, &self.new_s, &self.new_u);
            idle += 1;
            if residual < best {
                if residual < 0.9 * mark {
                    (mark, idle) = (residual, 0);
                }
                best = residual;
                s.copy_from_slice(&self.new_s);
            }
            let progress = Progress { solver: "apg", iteration, residual };
            if best > self.settings.tolerance && monitor.observe(&progress) == Control::Stop {
                return Outcome { stop: Stop::Asked, iterations: iteration };
            }
            if idle > PATIENCE {
                return Outcome { stop: Stop::Stalled, iterations: iteration };
            }
            theta = self.extrapolate(problem, theta);
            held += 1;
            if held >= self.settings.hold || self.program_residual(problem) <= self.settings.inner * residual {
                held = 0;
                for (i, law) in problem.laws().iter().enumerate() {
                    self.shift[i] = law.shift(&self.u[i]);
                }
            }
        }
        let stop = if best <= self.settings.tolerance { Stop::Tolerance } else { Stop::Iterations };
        Outcome { stop, iterations: self.settings.max_iterations }
    }

    /// Brings the guess into `C`, and everything else from it; returns its residual.
    fn start(&mut self, problem: &Problem<D>, s: &mut [Vector<D>]) -> f64 {
        for (s, law) in s.iter_mut().zip(problem.laws()) {
            *s = admissible(law, s);
        }
        problem.velocities(s, &mut self.u);
        self.s.copy_from_slice(s);
        self.y.copy_from_slice(s);
        self.uy.copy_from_slice(&self.u);
        for (i, law) in problem.laws().iter().enumerate() {
            self.shift[i] = law.shift(&self.u[i]);
        }
        certificate::relative(problem, s, &self.u)
    }

    /// The projected gradient step from `y` to `new_s`, cut until it majorises; false on overflow.
    fn descend(&mut self, problem: &Problem<D>) -> bool {
        loop {
            for (i, law) in problem.laws().iter().enumerate() {
                let t = self.step * problem.rho(i);
                let mut x = self.y[i] - self.uy[i] * t;
                x[0] -= t * self.shift[i];
                self.new_s[i] = admissible(law, &x);
            }
            problem.velocities(&self.new_s, &mut self.new_u);
            let (mut curvature, mut length) = (0.0, 0.0);
            for i in 0..problem.len() {
                let d = self.new_s[i] - self.y[i];
                curvature += d.dot(&(self.new_u[i] - self.uy[i]));
                length += d.norm_squared() / problem.rho(i);
            }
            if !(curvature.is_finite() && length.is_finite()) {
                return false;
            }
            // Below this the difference of products is round-off.
            if curvature * self.step <= length * (1.0 + 1e-6) || length <= 1e-24 * self.size(problem) {
                return true;
            }
            self.step *= (0.9 * length / (curvature * self.step)).clamp(0.1, 0.9);
        }
    }

    fn size(&self, problem: &Problem<D>) -> f64 {
        self.new_s.iter().enumerate().map(|(i, s)| s.norm_squared() / problem.rho(i)).sum()
    }

    /// Nesterov's extrapolation, or a restart when the step opposes the last move.
    fn extrapolate(&mut self, problem: &Problem<D>, theta: f64) -> f64 {
        let against: f64 = (0..problem.len())
            .map(|i| (self.y[i] - self.new_s[i]).dot(&(self.new_s[i] - self.s[i])) / problem.rho(i))
            .sum();
        let theta = if against > 0.0 { 1.0 } else { theta };
        let next = 0.5 * (1.0 + (1.0 + 4.0 * theta * theta).sqrt());
        let beta = if against > 0.0 { 0.0 } else { (theta - 1.0) / next };
        for i in 0..problem.len() {
            self.y[i] = self.new_s[i] + (self.new_s[i] - self.s[i]) * beta;
            self.uy[i] = self.new_u[i] + (self.new_u[i] - self.u[i]) * beta;
        }
        std::mem::swap(&mut self.s, &mut self.new_s);
        std::mem::swap(&mut self.u, &mut self.new_u);
        next
    }

    /// Natural map of the program with `s` frozen, in the units of the certificate.
    fn program_residual(&self, problem: &Problem<D>) -> f64 {
        let mut sum = 0.0;
        for (i, law) in problem.laws().iter().enumerate() {
            let rho = problem.rho(i);
            let mut x = self.s[i] - self.u[i] * rho;
            x[0] -= self.shift[i] * rho;
            sum += ((self.s[i] - admissible(law, &x)) / rho).norm_squared();
        }
        sum.sqrt() / if problem.b_norm() > 0.0 { problem.b_norm() } else { 1.0 }
    }
}

/// Largest eigenvalue of `ρ W` by power iteration, from a start without symmetry.
fn largest_eigenvalue<const D: usize>(problem: &Problem<D>) -> f64 {
    let n = problem.len();
    let zero = problem.zero();
    let mut x: Vec<Vector<D>> =
        (0..n).map(|i| Vector::from_fn(|k, _| 1.0 + 0.5 * ((i * D + k) as f64 * 1.7).sin())).collect();
    let mut y = problem.zero();
    let mut value = 1.0;
    for _ in 0..POWER {
        problem.w().apply(&x, &zero, &mut y);
        let (mut yy, mut xx) = (0.0, 0.0);
        for i in 0..n {
            y[i] *= problem.rho(i);
            yy += y[i].norm_squared() / problem.rho(i);
            xx += x[i].norm_squared() / problem.rho(i);
        }
        if !(yy > 0.0 && yy.is_finite()) {
            return 1.0;
        }
        value = (yy / xx).sqrt();
        let scale = 1.0 / yy.sqrt();
        for i in 0..n {
            x[i] = y[i] * scale;
        }
    }
    value
}
