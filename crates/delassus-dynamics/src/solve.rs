//! Stage 5: sweeps that allocate nothing, then whatever solves the step.

use crate::workspace::Workspace;
use crate::{AUTO_WORK, Error, StepSettings};
use delassus_friction::algebra::Vector;
use delassus_friction::solver::{
    Apg, ApgSettings, Control, Monitor, Multipliers, MultipliersSettings, Nlgs, NlgsSettings, Progress, Silent,
};
use delassus_friction::{Certificate, Problem, Root, Settings, Solution, SolverKind, Status};
use std::any::Any;

/// How the solve went.
pub(crate) struct Verdict {
    pub status: Status,
    pub residual: f64,
    pub sweeps: usize,
    /// Iterations after the sweeps; zero when those sufficed.
    pub more: usize,
    /// Blocks with the largest residuals, when it failed.
    pub worst: Vec<usize>,
}

/// `assemble` is asked for `W`, where the sweeps did without, and `root` for a root of it, only when these did not suffice.
pub(crate) fn solve<const D: usize, const C: usize>(
    ws: &mut Workspace<D, C>,
    settings: &StepSettings,
    assemble: impl FnOnce(&mut Workspace<D, C>) -> Result<(), Error>,
    root: impl Fn(&Workspace<D, C>) -> Option<Root<C>>,
) -> Result<Verdict, Error> {
    let mut verdict = Verdict { status: Status::Converged, residual: 0.0, sweeps: 0, more: 0, worst: vec![] };
    ws.u.resize(ws.problem.len(), Vector::zeros());
    let tolerance = settings.tolerance;
    if ws.problem.is_empty() {
        return Ok(verdict);
    }
    if settings.sweeps > 0 || settings.solver == SolverKind::Nlgs {
        let leave = C > 2 && settings.solver == SolverKind::Auto && tolerance >= LOOSE;
        let other = if leave { MANY } else { f64::INFINITY };
        verdict.sweeps = sweep(ws, settings, other)?;
    }
    verdict.residual = judge(ws);
    let mut alternations = 0;
    if verdict.residual > tolerance && settings.solver == SolverKind::Auto {
        match by_bodies(ws, settings, &root)? {
            Some(iterations) => (alternations, verdict.more) = (iterations, iterations),
            // Too large for factors: the sweeps that were left go on.
            None if large(ws, settings) && verdict.sweeps < settings.sweeps => {
                verdict.sweeps += sweep(ws, settings, f64::INFINITY)?;
            }
            None => {}
        }
        verdict.residual = judge(ws);
    }
    if verdict.residual <= tolerance {
        return Ok(verdict);
    }
    if ws.problem.by_bodies().is_some() {
        assemble(ws)?;
        verdict.residual = judge(ws);
    }
    let large = large(ws, settings);
    if large && verdict.residual > FAIR {
        // In shocks the acceleration goes in circles where plain sweeps do not.
        verdict.more += go_on(ws, settings)?;
        verdict.residual = judge(ws);
    }
    if large && C > 2 && verdict.residual > tolerance {
        verdict.more += descend(ws, settings)?;
        verdict.residual = judge(ws);
    }
    if verdict.residual <= tolerance {
        return Ok(verdict);
    }
    if settings.solver == SolverKind::Nlgs || (large && C > 2) {
        verdict.status = Status::IterationLimit;
        verdict.worst = Certificate::new(&ws.problem, &ws.s).worst.iter().map(|w| w.contact).collect();
        return Ok(verdict);
    }
    // What follows the sweeps shares one limit; alternations have their own.
    let limit = settings.max_iterations.map(|n| n.saturating_sub(verdict.more - alternations).max(1));
    let robust = Settings {
        solver: settings.solver,
        tolerance: tolerance * ws.slack(),
        max_iterations: limit,
        order: settings.order,
        existence: false,
    };
    // The others eliminate by contacts, or not at all.
    let eliminates =
        matches!(settings.solver, SolverKind::Auto | SolverKind::Admm | SolverKind::Ipm | SolverKind::Multipliers);
    if let Some(root) = eliminates.then(|| root(ws)).flatten() {
        ws.problem.set_root(root)?;
    }
    let left = match settings.solver {
        SolverKind::Auto => limit.unwrap_or(AUTO_WORK / ws.problem.len()).max(1) as f64,
        _ => f64::INFINITY,
    };
    let solution = rescue(&ws.problem, &robust, &mut ws.s, &mut Effort { left, seen: ("", 0) })?;
    ws.problem.velocities(&ws.s, &mut ws.u);
    (verdict.status, verdict.residual) = (solution.status, solution.certificate.relative / ws.slack());
    if verdict.status == Status::Interrupted {
        verdict.status = Status::IterationLimit;
    }
    verdict.more += solution.iterations;
    if !solution.converged() {
        verdict.worst = Certificate::new(&ws.problem, &ws.s).worst.iter().map(|w| w.contact).collect();
    }
    Ok(verdict)
}

/// More contacts than factorisations are tried for.
fn large<const D: usize, const C: usize>(ws: &Workspace<D, C>, settings: &StepSettings) -> bool {
    ws.problem.len() > settings.hand_over && settings.solver != SolverKind::Nlgs
}

/// Velocities and relative residual of the percussions.
fn judge<const D: usize, const C: usize>(ws: &mut Workspace<D, C>) -> f64 {
    ws.problem.velocities(&ws.s, &mut ws.u);
    ws.problem.residual(&ws.s, &ws.u) / ws.slack()
}

/// Ends sweeps that go in circles, or whose slope says that another way is shorter.
struct Patience {
    best: Option<f64>,
    since: usize,
    first: Option<f64>,
    tolerance: f64,
    /// Sweeps that another way costs.
    other: f64,
}

impl Patience {
    fn new(tolerance: f64, other: f64) -> Self {
        Self { best: None, since: 0, first: None, tolerance, other }
    }

    /// Sweeps still to come if the residual falls as it did so far.
    fn to_come(&self, iteration: usize) -> f64 {
        let (Some(first), Some(best)) = (self.first, self.best) else { return 0.0 };
        let decades = (first / best).log10();
        if decades > 0.0 { (best / self.tolerance).log10() / decades * iteration as f64 } else { f64::INFINITY }
    }
}

/// Counts the work of `auto`, which would otherwise try everything: a step is not worth that.
struct Effort {
    left: f64,
    seen: (&'static str, usize),
}

/// Sweeps that a second-order iteration counts for.
const SECOND_ORDER: f64 = 20.0;

impl Monitor for Effort {
    fn observe(&mut self, progress: &Progress) -> Control {
        let Progress { solver, iteration, .. } = *progress;
        let done = if self.seen.0 == solver { iteration.saturating_sub(self.seen.1) } else { iteration };
        let weight = if matches!(solver, "ipm" | "newton" | "proximal") { SECOND_ORDER } else { 1.0 };
        self.left -= weight * done as f64;
        self.seen = (solver, iteration);
        if self.left < 0.0 { Control::Stop } else { Control::Continue }
    }
}

/// How much further than asked sweeps go on solids.
const FURTHER: f64 = 1e-2;

/// Sweeps without progress after which another solver is asked.
const PATIENCE: usize = 150;

/// Sweeps before their slope is looked at.
const FIRST_LOOK: usize = 20;

/// Sweeps to come in space beyond which methods that factorise cost less.
const MANY: f64 = 60.0;

impl Monitor for Patience {
    fn observe(&mut self, progress: &Progress) -> Control {
        if self.best.is_none_or(|best| progress.residual < 0.9 * best) {
            self.best = Some(progress.residual);
            self.since = progress.iteration;
        }
        self.first.get_or_insert(progress.residual);
        let slow = progress.iteration >= FIRST_LOOK && self.to_come(progress.iteration) > self.other;
        if slow || progress.iteration > self.since + PATIENCE { Control::Stop } else { Control::Continue }
    }
}

/// Sweeps, until more than `other` of them seem to be needed.
fn sweep<const D: usize, const C: usize>(
    ws: &mut Workspace<D, C>,
    settings: &StepSettings,
    other: f64,
) -> Result<usize, Error> {
    if settings.solver == SolverKind::Nlgs {
        // Asked for by name: plain, and no other follows.
        let limit = settings.max_iterations.unwrap_or(NlgsSettings::default().max_iterations);
        return run(&mut ws.nlgs, (&ws.problem, &mut ws.s), own(settings, limit, 0), &mut Silent);
    }
    let (limit, memory) = (settings.sweeps, settings.acceleration);
    // Few rows of solids: what sweeps can still gain keeps Newton's iteration exact.
    let aim = if ws.has_nodes { (FURTHER * settings.tolerance).max(1e-13) } else { settings.tolerance };
    let own = NlgsSettings { tolerance: aim, ..own(settings, limit, memory) };
    let other = if ws.has_nodes { f64::INFINITY } else { other };
    run(&mut ws.nlgs, (&ws.problem, &mut ws.s), own, &mut Patience::new(aim, other))
}

/// The method of multipliers on the bodies, unless their factors cost too much.
fn by_bodies<const D: usize, const C: usize>(
    ws: &mut Workspace<D, C>,
    settings: &StepSettings,
    root: &impl Fn(&Workspace<D, C>) -> Option<Root<C>>,
) -> Result<Option<usize>, Error> {
    // Alternations are good for some decades in space; for more, and in the plane, others cost less.
    if ws.has_nodes || C == 2 || settings.tolerance < LOOSE {
        return Ok(None);
    }
    if ws.problem.by_bodies().is_none() {
        let Some(root) = root(ws) else { return Ok(None) };
        ws.problem.set_root(root)?;
    }
    let own = MultipliersSettings { tolerance: settings.tolerance * ws.slack(), newton: false, ..Default::default() };
    let Ok(mut solver) = Multipliers::new(&ws.problem, own) else { return Ok(None) };
    if solver.cost_in_sweeps() > DEAR {
        return Ok(None);
    }
    Ok(Some(solver.run(&ws.problem, &mut ws.s, &mut Silent).iterations))
}

/// Sweeps that an alternation may cost.
const DEAR: f64 = 2.5;

/// Tolerance from which alternations are tried.
const LOOSE: f64 = 1e-5;

/// Plain sweeps, as many as it takes within the limit.
fn go_on<const D: usize, const C: usize>(ws: &mut Workspace<D, C>, settings: &StepSettings) -> Result<usize, Error> {
    let limit = settings.max_iterations.unwrap_or(usize::MAX).min(4 * settings.sweeps);
    let own = own(settings, limit, 0);
    run(&mut ws.plain, (&ws.problem, &mut ws.s), own, &mut Silent)
}

/// Residual below which gradients go on better than sweeps.
const FAIR: f64 = 1e-3;

/// Accelerated gradients from a fair point, within the same limit.
fn descend<const D: usize, const C: usize>(ws: &mut Workspace<D, C>, settings: &StepSettings) -> Result<usize, Error> {
    let own = ApgSettings {
        tolerance: settings.tolerance,
        max_iterations: settings.max_iterations.unwrap_or(4 * settings.sweeps),
        ..Default::default()
    };
    Ok(Apg::new(&ws.problem, own)?.run(&ws.problem, &mut ws.s, &mut Silent).iterations)
}

fn own(settings: &StepSettings, max_iterations: usize, acceleration: usize) -> NlgsSettings {
    NlgsSettings {
        tolerance: settings.tolerance,
        max_iterations,
        order: settings.order,
        acceleration,
        check_every: 10,
        ..Default::default()
    }
}

fn run<const C: usize>(
    solver: &mut Option<Nlgs<C>>,
    (problem, s): (&Problem<C>, &mut [Vector<C>]),
    settings: NlgsSettings,
    monitor: &mut dyn Monitor,
) -> Result<usize, Error> {
    let solver = match solver {
        Some(solver) => solver,
        none => none.insert(Nlgs::new(problem, settings)?),
    };
    solver.fit(problem);
    Ok(solver.run(problem, s, monitor).iterations)
}

/// All solvers for one contact space, compiled here once: every user of a generic
/// simulation would otherwise compile them again.
macro_rules! solvers {
    ($($name:ident: $c:literal),*) => {
        $(#[inline(never)]
        fn $name(
            problem: &dyn Any,
            settings: &Settings,
            s: &mut dyn Any,
            monitor: &mut dyn Monitor,
        ) -> Option<Result<Solution, Error>> {
            let problem = problem.downcast_ref::<Problem<$c>>()?;
            let s = s.downcast_mut::<Vec<Vector<$c>>>()?;
            Some(delassus_friction::solve_monitored(problem, settings, s, monitor).map_err(Error::from))
        })*

        // `Any` needs the sized type.
        #[allow(clippy::ptr_arg)]
        fn rescue<const C: usize>(
            problem: &Problem<C>,
            settings: &Settings,
            s: &mut Vec<Vector<C>>,
            monitor: &mut dyn Monitor,
        ) -> Result<Solution, Error> {
            match C {
                $($c => $name(problem, settings, s, monitor),)*
                _ => None,
            }
            .expect("contacts have 2 to 6 components")
        }
    };
}

solvers!(solve_2: 2, solve_3: 3, solve_4: 4, solve_5: 5, solve_6: 6);
