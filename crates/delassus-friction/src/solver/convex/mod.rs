//! Convex programs parametrised by `s` \[Cadoux09\]
//!
//! ```text
//! S(s) = argmin ½ SᵀWS + (b + s n)ᵀS over C,     s = F(s) := φ(U_T(s))        method (3), (8), (10)
//! ```
//!
//! W  Delassus operator       S  percussions [N·s]       s  shifts, ≥ 0 [m/s]
//! U  relative velocities [m/s]   φ(U_T) = μ|U_T| for Coulomb's law
//!
//! Outside, a fixed point on `s` or a nonsmooth Newton method ([`Outer`]), which
//! falls back to the fixed point (`guard.rs`). Inside, active sets in the plane, an
//! interior point method otherwise. [`existence`] asks whether a solution is
//! guaranteed, [`velocity_program`] solves the dual.
//!
//! Departures: an asymmetric `W` is solved as given, its skew part acting on the
//! last `S`; Tresca's law, whose states are open and closed, keeps its threshold
//! only at contacts that press.

mod active_set;
mod cones;
mod existence;
mod guard;
mod program;
mod sensitivity;
mod velocity;

pub use existence::{Existence, existence};
pub use velocity::{Velocities, VelocityProgram, velocity_program};

use super::admm::admissible;
use super::{Control, Monitor, Outcome, Progress, Stop};
use crate::algebra::Vector;
use crate::{Error, Law, Problem, certificate};
use active_set::ActiveSet;
use guard::Guard;
use program::Program;
use sensitivity::Sensitivity;
use serde::{Deserialize, Serialize};

/// Why a convex program gave no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The force form has no minimum: no velocity is admissible for this shift.
    #[error("the force form is unbounded: no velocity is admissible for this shift")]
    Unbounded,
    /// No point satisfies the constraints.
    #[error("no point satisfies the constraints of the program")]
    Infeasible,
    /// The arithmetic failed.
    #[error("the inner solver broke down")]
    Numerical,
    /// A law without a cone.
    #[error("a threshold law has no dual cone: expected laws of cones")]
    NoCone,
}

/// The iteration on `s`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outer {
    /// `s ← F(s)`.
    FixedPoint,
    /// Nonsmooth Newton on `s − F(s)`.
    #[default]
    Newton,
}

/// Settings of [`Convex`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConvexSettings {
    /// Relative residual to reach.
    pub tolerance: f64,
    /// Convex programs after which to give up.
    pub max_iterations: usize,
    /// The iteration on `s`.
    pub outer: Outer,
    /// Contacts up to which plane problems use active sets, with dense algebra.
    pub dense: usize,
}

impl Default for ConvexSettings {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 200, outer: Outer::Newton, dense: 400 }
    }
}

impl ConvexSettings {
    /// Checks every value.
    pub fn validate(&self) -> Result<(), Error> {
        if self.tolerance > 0.0 {
            return Ok(());
        }
        Err(Error::Setting { name: "tolerance", value: self.tolerance, expected: "a positive number" })
    }
}

/// Programs without progress after which the solver gives up.
const PATIENCE: usize = 25;

/// The method for one program.
enum Inner<const D: usize> {
    Plane(Box<ActiveSet<D>>),
    Conic(Box<Program<D>>),
}

/// Solver and its scratch.
pub struct Convex<const D: usize> {
    settings: ConvexSettings,
    inner: Inner<D>,
    /// The laws as the program sees them: see [`close`].
    laws: Vec<Law>,
    newton: Sensitivity<D>,
    shift: Vec<f64>,
    s: Vec<Vector<D>>,
    u: Vec<Vector<D>>,
    guard: Guard,
    /// `s` of the guess.
    first: Vec<f64>,
    /// Where the last step started: percussions, `s` and `F`.
    last_s: Vec<Vector<D>>,
    last_shift: Vec<f64>,
    last_target: Vec<f64>,
}

impl<const D: usize> Convex<D> {
    /// Validates the settings and sets the program up.
    pub fn new(problem: &Problem<D>, settings: ConvexSettings) -> Result<Self, Error> {
        settings.validate()?;
        let n = problem.len();
        let plane = if D == 2 && n <= settings.dense { ActiveSet::new(problem) } else { None };
        let inner = match plane {
            Some(plane) => Inner::Plane(Box::new(plane)),
            None => Inner::Conic(Box::new(conic(problem, problem.laws())?)),
        };
        Ok(Self {
            inner,
            laws: problem.laws().to_vec(),
            newton: Sensitivity::new(problem),
            settings,
            shift: vec![0.0; n],
            s: problem.zero(),
            u: problem.zero(),
            last_s: problem.zero(),
            guard: Guard::new(n),
            first: vec![0.0; n],
            last_shift: vec![0.0; n],
            last_target: vec![0.0; n],
        })
    }

    /// Improves `s` until the tolerance is met or nothing more can be done.
    ///
    /// [`Outcome::iterations`] counts convex programs.
    pub fn run(&mut self, problem: &Problem<D>, s: &mut [Vector<D>], monitor: &mut dyn Monitor) -> Outcome {
        let mut best = self.start(problem, s);
        self.guard = Guard::new(problem.len());
        let (mut idle, mut mark) = (0, best);
        let (mut by_newton, mut plain) = (false, false);
        for iteration in 1..=self.settings.max_iterations {
            if best <= self.settings.tolerance {
                return Outcome { stop: Stop::Tolerance, iterations: iteration - 1 };
            }
            let solved = self.solve_program(problem);
            if solved.is_err() && !by_newton {
                return Outcome { stop: Stop::Breakdown, iterations: iteration };
            }
            let residual = match solved {
                Ok(()) => certificate::relative(problem, &self.s, &self.u),
                Err(_) => f64::INFINITY,
            };
            idle += 1;
            if residual < 0.9 * mark {
                (mark, idle) = (residual, 0);
            }
            if residual < best {
                best = residual;
                s.copy_from_slice(&self.s);
            }
            let progress = Progress { solver: "convex", iteration, residual };
            if best > self.settings.tolerance && monitor.observe(&progress) == Control::Stop {
                return Outcome { stop: Stop::Asked, iterations: iteration };
            }
            if idle >= PATIENCE {
                if self.settings.outer == Outer::FixedPoint || plain {
                    return Outcome { stop: Stop::Stalled, iterations: iteration };
                }
                // What the fixed point solves from the start is solved.
                (plain, by_newton, idle, mark) = (true, false, 0, f64::INFINITY);
                self.shift.copy_from_slice(&self.first);
                continue;
            }
            if by_newton && !self.guard.keeps(residual) {
                // Back to where the step started, and on by the fixed point.
                self.fixed_point();
                by_newton = false;
                continue;
            }
            if !by_newton {
                self.guard.stepped(residual);
            }
            let predicted = self.advance(problem, residual, plain);
            by_newton = predicted.is_some();
            if let Some(predicted) = predicted.filter(|p| *p < best) {
                best = predicted;
                s.copy_from_slice(&self.s);
            }
        }
        let stop = if best <= self.settings.tolerance { Stop::Tolerance } else { Stop::Iterations };
        Outcome { stop, iterations: self.settings.max_iterations }
    }

    /// Percussions, velocities and shift of the guess; returns its residual.
    fn start(&mut self, problem: &Problem<D>, s: &mut [Vector<D>]) -> f64 {
        for (s, law) in s.iter_mut().zip(problem.laws()) {
            *s = admissible(law, s);
        }
        self.s.copy_from_slice(s);
        problem.velocities(s, &mut self.u);
        for (i, law) in problem.laws().iter().enumerate() {
            self.shift[i] = law.shift(&self.u[i]);
        }
        self.first.copy_from_slice(&self.shift);
        certificate::relative(problem, s, &self.u)
    }

    /// `S(s)` and its velocities.
    fn solve_program(&mut self, problem: &Problem<D>) -> Result<(), Failure> {
        match &mut self.inner {
            Inner::Plane(plane) => plane.solve(problem, &self.shift, &mut self.s)?,
            Inner::Conic(program) => program.solve(problem, &self.shift, &mut self.s)?,
        }
        for (s, law) in self.s.iter_mut().zip(&self.laws) {
            *s = law.project(s);
        }
        if let Inner::Conic(_) = self.inner {
            self.newton.polish(problem, &self.laws, &self.shift, &mut self.s);
        }
        problem.velocities(&self.s, &mut self.u);
        if close(problem, &mut self.laws, &self.s, &self.u) {
            let program = Program::new(problem, &self.laws)?;
            self.inner = Inner::Conic(Box::new(program));
        }
        Ok(())
    }

    /// The next shift; the residual that is predicted there when Newton's step gave it.
    fn advance(&mut self, problem: &Problem<D>, residual: f64, plain: bool) -> Option<f64> {
        self.last_s.copy_from_slice(&self.s);
        self.last_shift.copy_from_slice(&self.shift);
        for (i, law) in problem.laws().iter().enumerate() {
            self.last_target[i] = law.shift(&self.u[i]);
        }
        if plain || self.settings.outer == Outer::FixedPoint {
            self.shift.copy_from_slice(&self.last_target);
            return None;
        }
        if self.guard.due() && self.newton.step(problem, &mut self.s, &self.u, &mut self.shift) {
            for (s, law) in self.s.iter_mut().zip(problem.laws()) {
                *s = law.project(s);
            }
            problem.velocities(&self.s, &mut self.u);
            let predicted = certificate::relative(problem, &self.s, &self.u);
            let along = Guard::along(&self.last_shift, &self.last_target, &self.shift);
            if along && self.guard.tries(predicted < residual) {
                return Some(predicted);
            }
        }
        self.fixed_point();
        None
    }

    /// The step of the fixed point from where the last step began.
    fn fixed_point(&mut self) {
        self.s.copy_from_slice(&self.last_s);
        self.shift.copy_from_slice(&self.last_shift);
        self.guard.lengthen(&mut self.shift, &self.last_target);
    }
}

/// Opens and closes the contacts with a threshold: one that does not press has no
/// friction, one that would be crossed presses again. True when any changed.
fn close<const D: usize>(problem: &Problem<D>, laws: &mut [Law], s: &[Vector<D>], u: &[Vector<D>]) -> bool {
    let mut changed = false;
    for (i, law) in problem.laws().iter().enumerate() {
        if matches!(law, Law::Tresca { .. }) {
            let presses = s[i][0] > problem.rho(i) * u[i][0];
            let wanted = if presses { law.clone() } else { Law::Frictionless };
            if laws[i] != wanted {
                (laws[i], changed) = (wanted, true);
            }
        }
    }
    changed
}

fn conic<const D: usize>(problem: &Problem<D>, laws: &[Law]) -> Result<Program<D>, Error> {
    Program::new(problem, laws).map_err(|_| Error::Unsupported {
        solver: "convex",
        reason: "the conic program could not be set up; expected finite data",
    })
}
