//! Problem → Settings → Solver → Solution.
//!
//! Every solver is a type with `new(problem, settings)`, which validates and
//! sizes the scratch, and `run(problem, s, monitor)`, which improves `s` in place.
//! [`solve`] picks one by name, runs it and asks the certificate for the verdict.

mod admm;
mod anderson;
mod apg;
mod auto;
mod compiled;
mod cone;
mod convex;
mod elimination;
mod enumerate;
mod functions;
mod global_newton;
mod ipm;
mod lean;
mod monitor;
mod multipliers;
mod newton;
mod nlgs;
mod normal;
mod proximal;
mod settings;

use crate::algebra::Vector;
use crate::{Certificate, Error, Problem};
pub use admm::{Admm, AdmmSettings};
pub use apg::{Apg, ApgSettings};
pub use auto::Auto;
pub use convex::{Convex, ConvexSettings, Existence, Outer, Velocities, VelocityProgram, existence, velocity_program};
pub use elimination::{Plan, least_change};
pub use enumerate::{ContactStatus, ENUMERATION_LIMIT, Enumerated, Enumeration, enumerate};
pub use functions::Function;
pub use global_newton::{GlobalNewton, is_newton};
pub use ipm::{Ipm, IpmSettings};
pub use monitor::{Control, Monitor, Progress, Silent};
pub use multipliers::{Multipliers, MultipliersSettings};
pub use newton::{Newton, NewtonSettings};
pub use nlgs::{Nlgs, NlgsSettings, Order};
pub use proximal::{Proximal, ProximalSettings};
use serde::Serialize;
pub use settings::{Settings, SolverKind};

/// Most contacts for which a failed solve may be followed by the existence test, a conic program.
const EXISTENCE_LIMIT: usize = 2000;

/// Why a solver's loop ended; the certificate has the last word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The solver measured a residual below the tolerance.
    Tolerance,
    /// The limit on iterations was reached.
    Iterations,
    /// Progress ceased.
    Stalled,
    /// The linear algebra or the iterates broke down.
    Breakdown,
    /// The monitor asked to stop.
    Asked,
}

/// What a solver's loop reports.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// Why it ended.
    pub stop: Stop,
    /// Iterations done (sweeps, factorisations or outer steps, see each solver).
    pub iterations: usize,
}

/// How a solve ended. Only [`Status::Converged`] means that the law holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The certificate is below the tolerance.
    Converged,
    /// The iterations ran out.
    IterationLimit,
    /// No further progress.
    Stalled,
    /// The iterates or the linear algebra broke down.
    Breakdown,
    /// Stopped on request.
    Interrupted,
    /// Not converged, and the existence test of method §8.8 fails: the step may
    /// have no solution.
    MayHaveNoSolution,
}

/// One thing `auto` did, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    /// Solver that ran.
    pub solver: &'static str,
    /// Iterations it used.
    pub iterations: usize,
    /// Relative residual when it stopped.
    pub residual: f64,
    /// Why it was chosen, and why it stopped.
    pub reason: String,
}

/// The answer: a status, a certificate, and the story.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Solution {
    /// How it ended.
    pub status: Status,
    /// The verdict on the percussions, computed by the one function for all solvers.
    pub certificate: Certificate,
    /// Iterations, over all solvers involved.
    pub iterations: usize,
    /// The solver that was asked for.
    pub solver: SolverKind,
    /// What was done, in order; one entry unless the solver is `auto`.
    pub log: Vec<Event>,
}

impl Solution {
    /// True when the law holds at every contact to the tolerance.
    pub fn converged(&self) -> bool {
        self.status == Status::Converged
    }
}

/// Solves `problem` from the start `s` (zeros are fine), in place.
pub fn solve<const D: usize>(
    problem: &Problem<D>,
    settings: &Settings,
    s: &mut [Vector<D>],
) -> Result<Solution, Error> {
    solve_monitored(problem, settings, s, &mut Silent)
}

/// As [`solve`], reporting progress to `monitor`, which may ask to stop.
pub fn solve_monitored<const D: usize>(
    problem: &Problem<D>,
    settings: &Settings,
    s: &mut [Vector<D>],
    monitor: &mut dyn Monitor,
) -> Result<Solution, Error> {
    compiled::solve(problem, settings, s, monitor)
}

fn run<const D: usize>(
    problem: &Problem<D>,
    settings: &Settings,
    s: &mut [Vector<D>],
    monitor: &mut dyn Monitor,
) -> Result<Solution, Error> {
    settings.validate()?;
    problem.check_start(s)?;
    if problem.is_empty() {
        return Ok(verdict(problem, settings, s, Stop::Tolerance, vec![]));
    }
    let sweeps = matches!(settings.solver, SolverKind::Nlgs | SolverKind::NlgsAnderson);
    let without_w =
        (sweeps && !matches!(settings.order, Order::Coloured { .. })) || settings.solver == SolverKind::Multipliers;
    if problem.by_bodies().is_some() && !without_w {
        return Err(Error::Unsupported {
            solver: settings.solver.name(),
            reason: "W is not assembled: expected multipliers, nlgs or nlgs-anderson, in an order without colours",
        });
    }
    if settings.solver == SolverKind::Auto {
        let (stop, log) = Auto::new(settings).run(problem, s, monitor)?;
        let mut solution = verdict(problem, settings, s, stop, log);
        if settings.existence && !solution.converged() {
            doubt(problem, &mut solution);
        }
        return Ok(solution);
    }
    let outcome = run_one(problem, settings, s, monitor)?;
    let reason = match outcome.stop {
        Stop::Tolerance => "asked for; reached the tolerance",
        Stop::Iterations => "asked for; iterations ran out",
        Stop::Stalled => "asked for; no further progress",
        Stop::Breakdown => "asked for; broke down",
        Stop::Asked => "asked for; stopped on request",
    };
    let event = Event {
        solver: settings.solver.name(),
        iterations: outcome.iterations,
        residual: Certificate::new(problem, s).relative,
        reason: reason.into(),
    };
    Ok(verdict(problem, settings, s, outcome.stop, vec![event]))
}

/// After a failure: does the sufficient condition of method §8.8 hold?
fn doubt<const D: usize>(problem: &Problem<D>, solution: &mut Solution) {
    if problem.len() > EXISTENCE_LIMIT {
        return;
    }
    if let Ok(Existence { guaranteed: false, .. }) = existence(problem) {
        solution.status = Status::MayHaveNoSolution;
    }
}

/// Runs the solver named in the settings with its defaults.
fn run_one<const D: usize>(
    problem: &Problem<D>,
    settings: &Settings,
    s: &mut [Vector<D>],
    monitor: &mut dyn Monitor,
) -> Result<Outcome, Error> {
    let tolerance = settings.tolerance;
    // The solver's own settings, with the tolerance and the limit asked for.
    macro_rules! with_limit {
        ($own:expr) => {{
            let own = $own;
            let max_iterations = settings.max_iterations.unwrap_or(own.max_iterations);
            let mut own = own;
            (own.tolerance, own.max_iterations) = (tolerance, max_iterations);
            own
        }};
    }
    let newton = |function| NewtonSettings { function, ..Default::default() };
    Ok(match settings.solver {
        SolverKind::Auto => unreachable!("treated by the caller"),
        SolverKind::Nlgs | SolverKind::NlgsAnderson => {
            let acceleration = if settings.solver == SolverKind::Nlgs { 0 } else { nlgs::MEMORY };
            let own = NlgsSettings { order: settings.order, acceleration, ..Default::default() };
            Nlgs::new(problem, with_limit!(own))?.run(problem, s, monitor)
        }
        SolverKind::NewtonAc => {
            Newton::new(problem, with_limit!(newton(Function::AlartCurnier)))?.run(problem, s, monitor)
        }
        SolverKind::NewtonNm => {
            Newton::new(problem, with_limit!(newton(Function::NaturalMap)))?.run(problem, s, monitor)
        }
        SolverKind::NewtonFb => {
            Newton::new(problem, with_limit!(newton(Function::FischerBurmeister)))?.run(problem, s, monitor)
        }
        SolverKind::Proximal => {
            Proximal::new(problem, with_limit!(ProximalSettings::default()))?.run(problem, s, monitor)
        }
        SolverKind::Multipliers => {
            Multipliers::new(problem, with_limit!(MultipliersSettings::default()))?.run(problem, s, monitor)
        }
        SolverKind::Ipm => Ipm::new(problem, with_limit!(IpmSettings::default()))?.run(problem, s, monitor),
        SolverKind::Admm => Admm::new(problem, with_limit!(AdmmSettings::default()))?.run(problem, s, monitor),
        SolverKind::Apg => Apg::new(problem, with_limit!(ApgSettings::default()))?.run(problem, s, monitor),
        SolverKind::ConvexFixedPoint | SolverKind::ConvexNewton => {
            let outer = if settings.solver == SolverKind::ConvexNewton { Outer::Newton } else { Outer::FixedPoint };
            Convex::new(problem, with_limit!(ConvexSettings { outer, ..Default::default() }))?.run(problem, s, monitor)
        }
    })
}

/// Certificate and status of what a solver left in `s`.
fn verdict<const D: usize>(
    problem: &Problem<D>,
    settings: &Settings,
    s: &[Vector<D>],
    stop: Stop,
    log: Vec<Event>,
) -> Solution {
    let certificate = Certificate::new(problem, s);
    let status = match stop {
        _ if certificate.relative <= settings.tolerance => Status::Converged,
        Stop::Iterations => Status::IterationLimit,
        Stop::Tolerance | Stop::Stalled => Status::Stalled,
        Stop::Breakdown => Status::Breakdown,
        Stop::Asked => Status::Interrupted,
    };
    let iterations = log.iter().map(|e| e.iterations).sum();
    Solution { status, certificate, iterations, solver: settings.solver, log }
}
