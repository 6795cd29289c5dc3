//! Alternating directions with over-relaxation and an adaptive penalty
//!
//! ```text
//! min ½ SᵀWS + (b + s n)ᵀS + ψ_C(Z),   S = Z,      s = φ(U_T)        method (3), (8), (10)
//!
//! (W + r/ρ) S = (r/ρ)(Z − Y) − b − s n
//! X = ω S + (1 − ω) Z,    Z ← P_C(X + Y),    Y ← X + Y − Z
//! ```
//!
//! W  Delassus operator            Z  percussions, in C [N·s]
//! Y  scaled multiplier [N·s], `−(r/ρ) Y = Û` at a solution
//! ρ_α = D/trace W_αα, one scale per contact: the projection stays Euclidean
//! r  the penalty, a pure number   ω  over-relaxation
//!
//! One factorisation, then two triangular solves per iteration [Boyd11 §3.4, §5].
//! `s` follows the multiplier at every iteration \[Acary18\]; with `W` asymmetric the
//! same equations are those of the problem as given. Departures: the penalty is
//! balanced on residuals measured in velocity units, and a change must be asked
//! for by several iterations in a row, since it costs a factorisation.

use super::anderson::Anderson;
use super::elimination::{Elimination, Plan};
use super::{Control, Monitor, Outcome, Progress, Stop};
use crate::algebra::{FactorError, Matrix, Vector};
use crate::{Error, Law, Problem, certificate};
use serde::{Deserialize, Serialize};

/// Settings of [`Admm`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AdmmSettings {
    /// Relative residual to reach.
    pub tolerance: f64,
    /// Iterations after which to give up.
    pub max_iterations: usize,
    /// First penalty `r`, relative to the diagonal of `W`.
    pub penalty: f64,
    /// Over-relaxation `ω` in (0, 2).
    pub relaxation: f64,
    /// Factorisations after which the penalty is left alone.
    pub factorisations: usize,
    /// Ratio of the two residuals beyond which the penalty changes.
    pub balance: f64,
    /// Memory of the Anderson acceleration; 0 for none.
    pub acceleration: usize,
}

/// Residual, relative to the larger of 1 and the best, that counts as divergence.
const DIVERGED: f64 = 1e4;

/// Iterations without progress after which the acceleration rests.
const PATIENCE: usize = 100;

impl Default for AdmmSettings {
    fn default() -> Self {
        Self {
            tolerance: 1e-8,
            max_iterations: 20_000,
            penalty: 0.03,
            relaxation: 1.6,
            factorisations: 12,
            balance: 8.0,
            acceleration: 10,
        }
    }
}

impl AdmmSettings {
    /// Checks every value.
    pub fn validate(&self) -> Result<(), Error> {
        let bad = |name, value, expected| Err(Error::Setting { name, value, expected });
        if self.tolerance.is_nan() || self.tolerance <= 0.0 {
            return bad("tolerance", self.tolerance, "a positive number");
        }
        if !(self.penalty > 0.0 && self.penalty.is_finite()) {
            return bad("penalty", self.penalty, "a positive finite number");
        }
        if !(self.relaxation > 0.0 && self.relaxation < 2.0) {
            return bad("relaxation", self.relaxation, "a number between 0 and 2, both excluded");
        }
        if self.balance.is_nan() || self.balance <= 1.0 {
            return bad("balance", self.balance, "a number above 1");
        }
        if self.factorisations == 0 {
            return bad("factorisations", 0.0, "at least 1");
        }
        Ok(())
    }
}

/// Solver and its scratch: the loop allocates nothing.
pub struct Admm<const D: usize> {
    settings: AdmmSettings,
    lu: Elimination<D>,
    add: Vec<Matrix<D>>,
    anderson: Option<Anderson<D>>,
    weight: Vec<f64>,
    /// `V = Z + Y`, the whole state.
    v: Vec<Vector<D>>,
    next: Vec<Vector<D>>,
    z: Vec<Vector<D>>,
    u: Vec<Vector<D>>,
}

impl<const D: usize> Admm<D> {
    /// Validates the settings, analyses the contact graph and sizes the scratch.
    pub fn new(problem: &Problem<D>, settings: AdmmSettings) -> Result<Self, Error> {
        Self::with_plan(problem, settings, &Plan::new(problem))
    }

    /// As [`Admm::new`], with the elimination already planned.
    pub fn with_plan(problem: &Problem<D>, settings: AdmmSettings, plan: &Plan) -> Result<Self, Error> {
        settings.validate()?;
        let (n, zero) = (problem.len(), problem.zero());
        Ok(Self {
            lu: Elimination::new(problem, plan, |_| Matrix::identity()),
            add: vec![Matrix::zeros(); n],
            anderson: (settings.acceleration > 0).then(|| Anderson::new(n, settings.acceleration)),
            weight: (0..n).map(|i| 1.0 / problem.rho(i)).collect(),
            v: zero.clone(),
            next: zero.clone(),
            z: zero.clone(),
            u: zero,
            settings,
        })
    }

    /// Improves `s` until the tolerance is met or nothing more can be done.
    pub fn run(&mut self, problem: &Problem<D>, s: &mut [Vector<D>], monitor: &mut dyn Monitor) -> Outcome {
        let mut penalty = Penalty::new(&self.settings);
        let mut best = self.start(problem, s, penalty.r);
        if best <= self.settings.tolerance {
            return Outcome { stop: Stop::Tolerance, iterations: 0 };
        }
        let (mut stale, mut mark, mut idle) = (true, best, 0);
        for iteration in 1..=self.settings.max_iterations {
            if stale && self.factorise(problem, penalty.r).is_err() {
                return Outcome { stop: Stop::Breakdown, iterations: iteration };
            }
            let (primal, dual) = self.step(problem, penalty.r);
            problem.velocities(&self.z, &mut self.u);
            let residual = certificate::relative(problem, &self.z, &self.u);
            idle += 1;
            if residual < best {
                if residual < 0.9 * mark {
                    (mark, idle) = (residual, 0);
                }
                best = residual;
                s.copy_from_slice(&self.z);
            }
            if best <= self.settings.tolerance {
                return Outcome { stop: Stop::Tolerance, iterations: iteration };
            }
            let progress = Progress { solver: "admm", iteration, residual };
            if monitor.observe(&progress) == Control::Stop {
                return Outcome { stop: Stop::Asked, iterations: iteration };
            }
            if residual > DIVERGED * best.max(1.0) {
                if !penalty.raise() {
                    return Outcome { stop: Stop::Breakdown, iterations: iteration };
                }
                self.start(problem, s, penalty.r);
                stale = true;
                continue;
            }
            stale = match penalty.adapt(primal, dual) {
                Some(factor) => self.rescale(problem, factor),
                None => self.accelerate(idle),
            };
        }
        Outcome { stop: Stop::Iterations, iterations: self.settings.max_iterations }
    }

    /// `Z` from the guess, `Y` from its velocities; returns the residual of the guess.
    ///
    /// From zero percussions `Y = 0` is the better guess: velocities before any
    /// force say nothing about those after.
    fn start(&mut self, problem: &Problem<D>, s: &mut [Vector<D>], r: f64) -> f64 {
        for (s, law) in s.iter_mut().zip(problem.laws()) {
            *s = admissible(law, s);
        }
        problem.velocities(s, &mut self.u);
        let cold = s.iter().all(|s| s.amax() == 0.0);
        for (i, law) in problem.laws().iter().enumerate() {
            let mut x = -self.u[i];
            x[0] -= law.shift(&self.u[i]);
            x *= problem.rho(i) / r;
            self.v[i] = if cold { Vector::zeros() } else { s[i] + x - admissible(law, &x) };
        }
        if let Some(a) = &mut self.anderson {
            a.reset();
        }
        certificate::relative(problem, s, &self.u)
    }

    fn factorise(&mut self, problem: &Problem<D>, r: f64) -> Result<(), FactorError> {
        for (add, weight) in self.add.iter_mut().zip(&self.weight) {
            *add = Matrix::identity() * (r * weight);
        }
        self.lu.factorise(problem.w(), &self.add)
    }

    /// One iteration from `v` to `next`; returns `|S − Z|/ρ` and `r|Z⁺ − Z|/ρ`,
    /// both in velocity units.
    fn step(&mut self, problem: &Problem<D>, r: f64) -> (f64, f64) {
        let mut dual = 0.0;
        for (i, law) in problem.laws().iter().enumerate() {
            let z = admissible(law, &self.v[i]);
            let velocity = (z - self.v[i]) * (r * self.weight[i]);
            let mut x = z * (r * self.weight[i]) + velocity - problem.b()[i];
            x[0] -= law.shift(&velocity);
            dual += ((z - self.z[i]) * (r * self.weight[i])).norm_squared();
            self.z[i] = z;
            self.next[i] = x;
        }
        self.lu.solve(&mut self.next);
        let mut primal = 0.0;
        for (i, x) in self.next.iter_mut().enumerate() {
            let gap = *x - self.z[i];
            primal += (gap * self.weight[i]).norm_squared();
            *x = self.v[i] + gap * self.settings.relaxation;
        }
        (primal.sqrt(), dual.sqrt())
    }

    /// The next state, extrapolated; the factors stay good.
    /// An extrapolation that makes no progress rests for as long as it failed.
    fn accelerate(&mut self, idle: usize) -> bool {
        if let Some(a) = &mut self.anderson {
            match idle % (2 * PATIENCE) {
                PATIENCE => a.reset(),
                k if k > PATIENCE => {}
                _ => a.step(&self.v, &mut self.next, &self.weight),
            }
        }
        std::mem::swap(&mut self.v, &mut self.next);
        false
    }

    /// The next state under a penalty `factor` times larger: `Û = −(r/ρ)Y` is kept.
    fn rescale(&mut self, problem: &Problem<D>, factor: f64) -> bool {
        for (i, law) in problem.laws().iter().enumerate() {
            let z = admissible(law, &self.next[i]);
            self.v[i] = z + (self.next[i] - z) / factor;
        }
        if let Some(a) = &mut self.anderson {
            a.reset();
        }
        true
    }
}

/// Residual balancing with hysteresis [Boyd11 §3.4.1].
struct Penalty {
    r: f64,
    used: usize,
    limit: usize,
    balance: f64,
    calls: usize,
    /// Smoothed logarithm of the ratio primal to dual.
    lean: f64,
}

impl Penalty {
    fn new(settings: &AdmmSettings) -> Self {
        Self {
            r: settings.penalty,
            used: 1,
            limit: settings.factorisations,
            balance: settings.balance.ln(),
            calls: 0,
            lean: 0.0,
        }
    }

    /// The factor by which the penalty changes, if it does.
    fn adapt(&mut self, primal: f64, dual: f64) -> Option<f64> {
        self.calls += 1;
        if self.used >= self.limit || primal <= 0.0 || dual <= 0.0 {
            return None;
        }
        let ratio = (primal / dual).ln();
        self.lean = if self.calls == 1 { ratio } else { 0.8 * self.lean + 0.2 * ratio };
        if self.calls < 5 * self.used || self.lean.abs() < self.balance {
            return None;
        }
        let factor = (0.5 * self.lean).clamp(-3.0, 3.0).exp();
        self.r *= factor;
        self.used += 1;
        self.calls = 0;
        self.lean = 0.0;
        Some(factor)
    }

    /// After a divergence, which an indefinite `W` causes; false when it has been tried enough.
    fn raise(&mut self) -> bool {
        self.r *= 10.0;
        self.used += 1;
        self.calls = 0;
        self.lean = 0.0;
        self.used <= self.limit
    }
}

/// Projection on the percussions the law admits. Tresca's law couples its two
/// states: without pressure there is no friction, which the half-cylinder of
/// [`Law::project`] does not say.
pub(super) fn admissible<const D: usize>(law: &Law, x: &Vector<D>) -> Vector<D> {
    match law {
        Law::Tresca { .. } if x[0] <= 0.0 => Vector::zeros(),
        _ => law.project(x),
    }
}
