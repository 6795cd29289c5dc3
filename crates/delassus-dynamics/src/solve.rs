//! Stage 5: sweeps that allocate nothing, then whatever solves the step.

use crate::patience::{Effort, Near, Patience};
use crate::{AUTO_WORK, Error, StepSettings};
use delassus_friction::algebra::Vector;
use delassus_friction::solver::{
    Apg, ApgSettings, Ipm, IpmSettings, Monitor, Multipliers, MultipliersSettings, Nlgs, NlgsSettings, Outcome, Silent,
    Stop,
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

impl Verdict {
    /// Of a problem without blocks.
    pub fn nothing() -> Self {
        Self { status: Status::Converged, residual: 0.0, sweeps: 0, more: 0, worst: vec![] }
    }

    /// Adds that of an island with these blocks, but for the residual.
    pub fn absorb(&mut self, island: Verdict, blocks: &[u32]) {
        (self.sweeps, self.more) = (self.sweeps.max(island.sweeps), self.more.max(island.more));
        if island.status != Status::Converged {
            if self.status == Status::Converged {
                self.status = island.status;
            }
            self.worst.extend(island.worst.iter().map(|i| blocks[*i] as usize));
        }
    }
}

/// What is solved: the problem of a step or of an island, the percussions to start from, solvers to use again.
pub(crate) struct Task<'a, const C: usize> {
    pub problem: &'a mut Problem<C>,
    pub s: &'a mut Vec<Vector<C>>,
    pub u: &'a mut Vec<Vector<C>>,
    pub nlgs: &'a mut Option<Nlgs<C>>,
    pub plain: &'a mut Option<Nlgs<C>>,
    /// See [`crate::workspace::Workspace::slack`].
    pub slack: f64,
    pub has_nodes: bool,
    /// Relative residual to reach: that of the step, or the share of an island in it.
    pub tolerance: f64,
    /// Rigid bodies whose contacts outnumber what they can do.
    pub redundant: bool,
    /// Blocks of the whole step: limits of work are shared by its islands.
    pub total: usize,
}

impl<const C: usize> Task<'_, C> {
    fn slack(&self) -> f64 {
        self.slack
    }

    /// Plain contacts of rigid bodies that are not redundant: grains. Sweeps by bodies cost little, and arrive where
    /// others start anew.
    fn is_granular(&self) -> bool {
        self.problem.by_bodies().is_some() && !self.redundant
    }
}

/// `assemble` is asked for `W`, where the sweeps did without, and `root` for a root of it, only when these did not suffice.
pub(crate) fn solve<const C: usize>(
    ws: &mut Task<'_, C>,
    settings: &StepSettings,
    assemble: impl FnOnce(&mut Problem<C>) -> Result<(), Error>,
    root: impl Fn() -> Option<Root<C>>,
) -> Result<Verdict, Error> {
    let mut verdict = Verdict::nothing();
    ws.u.resize(ws.problem.len(), Vector::zeros());
    let tolerance = ws.tolerance;
    if ws.problem.is_empty() {
        return Ok(verdict);
    }
    if settings.sweeps > 0 || settings.solver == SolverKind::Nlgs {
        let leave =
            settings.solver == SolverKind::Auto && (ws.redundant || C > 2 && tolerance >= LOOSE && !ws.is_granular());
        let other = if leave { MANY[usize::from(C > 2 || tolerance < LOOSE)] } else { f64::INFINITY };
        verdict.sweeps = sweep(ws, settings, other)?;
    }
    verdict.residual = judge(ws);
    let mut alternations = 0;
    if verdict.residual > tolerance && settings.solver == SolverKind::Auto && !large(ws, settings) {
        interior(ws, settings, &root, &mut verdict)?;
    }
    if verdict.residual > tolerance && settings.solver == SolverKind::Auto {
        alternations = multipliers(ws, settings, &root, &mut verdict)?;
    }
    if verdict.residual <= tolerance {
        return Ok(verdict);
    }
    if ws.problem.by_bodies().is_some() {
        assemble(ws.problem)?;
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
        verdict.worst = Certificate::new(ws.problem, ws.s).worst.iter().map(|w| w.contact).collect();
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
    if let Some(root) = eliminates.then(&root).flatten() {
        ws.problem.set_root(root)?;
    }
    let left = match settings.solver {
        SolverKind::Auto => limit.unwrap_or(AUTO_WORK / ws.total.max(ws.problem.len())).max(1) as f64,
        _ => f64::INFINITY,
    };
    let solution = rescue(ws.problem, &robust, ws.s, &mut Effort::new(left))?;
    ws.problem.velocities(ws.s, ws.u);
    (verdict.status, verdict.residual) = (solution.status, solution.certificate.relative / ws.slack());
    if verdict.status == Status::Interrupted {
        verdict.status = Status::IterationLimit;
    }
    verdict.more += solution.iterations;
    if !solution.converged() {
        verdict.worst = Certificate::new(ws.problem, ws.s).worst.iter().map(|w| w.contact).collect();
    }
    Ok(verdict)
}

/// More contacts than factorisations are tried for.
fn large<const C: usize>(ws: &Task<'_, C>, settings: &StepSettings) -> bool {
    ws.problem.len() > settings.hand_over && settings.solver != SolverKind::Nlgs
}

/// Velocities and relative residual of the percussions.
fn judge<const C: usize>(ws: &mut Task<'_, C>) -> f64 {
    ws.problem.velocities(ws.s, ws.u);
    ws.problem.residual(ws.s, ws.u) / ws.slack()
}

/// How much further than asked sweeps go on solids.
const FURTHER: f64 = 1e-2;

/// Least number of sweeps without progress after which another solver is asked.
const PATIENCE: usize = 150;

/// How many times more sweeps grains are given.
const GRAINS: usize = 30;

/// Visits that sweeps may make from the point of an interior point before dearer methods are tried.
const LAST: usize = 600_000;

/// Sweeps to come beyond which methods that factorise cost less: in the plane, and in space or where much is asked.
const MANY: [f64; 2] = [150.0, 60.0];

/// Sweeps, until more than `other` of them seem to be needed.
fn sweep<const C: usize>(ws: &mut Task<'_, C>, settings: &StepSettings, other: f64) -> Result<usize, Error> {
    if settings.solver == SolverKind::Nlgs {
        // Asked for by name: plain, and no other follows.
        let limit = settings.max_iterations.unwrap_or(NlgsSettings::default().max_iterations);
        return run(ws.nlgs, (ws.problem, ws.s), own((settings, ws.tolerance), limit, 0), &mut Silent);
    }
    let (mut limit, mut wait) = (settings.sweeps, PATIENCE);
    if ws.is_granular() {
        // Plain sweeps bring over what extrapolation circles about, in their time.
        limit = limit.saturating_mul(GRAINS);
        wait = limit / 2;
    }
    sweep_within(ws, settings, other, (limit, wait))
}

/// So many sweeps at most, and so many at least without progress.
fn sweep_within<const C: usize>(
    ws: &mut Task<'_, C>,
    settings: &StepSettings,
    other: f64,
    (limit, wait): (usize, usize),
) -> Result<usize, Error> {
    let memory = settings.acceleration;
    // Few rows of solids: what sweeps can still gain keeps Newton's iteration exact.
    let aim = if ws.has_nodes { (FURTHER * ws.tolerance).max(1e-13) } else { ws.tolerance };
    let own = own((settings, aim), limit, memory);
    let other = if ws.has_nodes { f64::INFINITY } else { other };
    run(ws.nlgs, (ws.problem, ws.s), own, &mut Patience::new(aim, other, wait))
}

/// Size of the starting point of an interior point near percussions, relative to `b`.
const WARM: f64 = 1.0;

/// Iterations in which it must halve its gap or its residual.
const HALVING: usize = 6;

/// Sweeps that remove the dust it leaves on open contacts.
const DUST: usize = 2;

/// An interior point from the point of the sweeps, where contacts are redundant. Its last decade is left to sweeps: its path
/// may fold there. What they do not end either, it takes up where it was stopped.
fn interior<const C: usize>(
    ws: &mut Task<'_, C>,
    settings: &StepSettings,
    root: &impl Fn() -> Option<Root<C>>,
    verdict: &mut Verdict,
) -> Result<(), Error> {
    if !ws.redundant {
        return Ok(());
    }
    if ws.problem.root().is_none() {
        let Some(root) = root() else { return Ok(()) };
        ws.problem.set_root(root)?;
    }
    let tolerance = ws.tolerance * ws.slack();
    let own_settings = IpmSettings { tolerance, warm: Some(WARM), halving: HALVING, ..Default::default() };
    let Ok(mut ipm) = Ipm::new(ws.problem, own_settings) else { return Ok(()) };
    let mut near = Near::new(tolerance);
    let mut stop = improve(ws, settings, verdict, |ws| ipm.run(ws.problem, ws.s, &mut near))?;
    if verdict.residual > ws.tolerance && stop == Stop::Asked {
        verdict.sweeps += sweep(ws, settings, MANY[1])?;
        verdict.residual = judge(ws);
        if verdict.residual > ws.tolerance {
            stop = improve(ws, settings, verdict, |ws| ipm.go_on(ws.problem, ws.s, &mut Silent))?;
        }
    }
    if verdict.residual > ws.tolerance && stop != Stop::Breakdown {
        // Many sweeps cost less than what else there is.
        let most = settings.max_iterations.unwrap_or(usize::MAX).min(LAST / ws.problem.len());
        let limit = if settings.sweeps == 0 { 0 } else { settings.sweeps.max(most) };
        verdict.sweeps += sweep_within(ws, settings, f64::INFINITY, (limit, PATIENCE.max(limit / 4)))?;
        verdict.residual = judge(ws);
    }
    Ok(())
}

/// Runs an interior point, which never leaves a worse point than it found, and removes its dust; why it stopped.
fn improve<const C: usize>(
    ws: &mut Task<'_, C>,
    settings: &StepSettings,
    verdict: &mut Verdict,
    run: impl FnOnce(&mut Task<'_, C>) -> Outcome,
) -> Result<Stop, Error> {
    let (before, kept) = (judge(ws), ws.s.clone());
    let outcome = run(ws);
    verdict.more += outcome.iterations;
    verdict.residual = judge(ws);
    if !(verdict.residual < before) {
        ws.s.copy_from_slice(&kept);
        verdict.residual = judge(ws);
    } else if verdict.residual <= ws.tolerance {
        let kept = ws.s.clone();
        let clean = own((settings, f64::MIN_POSITIVE), DUST, 0);
        Nlgs::new(ws.problem, clean)?.run(ws.problem, ws.s, &mut Silent);
        if judge(ws) > ws.tolerance {
            ws.s.copy_from_slice(&kept);
        }
        verdict.residual = judge(ws);
    }
    Ok(outcome.stop)
}

/// Rounds of the method of multipliers, sweeps between them; the sweeps that were left where factors cost too much.
/// Returns the iterations.
fn multipliers<const C: usize>(
    ws: &mut Task<'_, C>,
    settings: &StepSettings,
    root: &impl Fn() -> Option<Root<C>>,
    verdict: &mut Verdict,
) -> Result<usize, Error> {
    let mut all = 0;
    for (round, kappa) in KAPPAS.into_iter().enumerate() {
        if round > 0 {
            verdict.sweeps += sweep(ws, settings, f64::INFINITY)?;
            verdict.residual = judge(ws);
            if verdict.residual <= ws.tolerance {
                break;
            }
        }
        let Some((iterations, newton)) = by_bodies(ws, root, kappa)? else {
            if large(ws, settings) && verdict.sweeps < settings.sweeps {
                verdict.sweeps += sweep(ws, settings, f64::INFINITY)?;
                verdict.residual = judge(ws);
            }
            break;
        };
        (all, verdict.more) = (all + iterations, verdict.more + iterations);
        verdict.residual = judge(ws);
        if verdict.residual <= ws.tolerance || !newton {
            break;
        }
    }
    Ok(all)
}

/// κ of the rounds: what stops before one often goes on from sweeps with another.
const KAPPAS: [f64; 3] = [10.0, 30.0, 100.0];

/// The method of multipliers on the bodies, unless their factors cost too much: its iterations, and whether Newton steps
/// were among its means.
fn by_bodies<const C: usize>(
    ws: &mut Task<'_, C>,
    root: &impl Fn() -> Option<Root<C>>,
    kappa: f64,
) -> Result<Option<(usize, bool)>, Error> {
    // Good for some decades in space; for more, and in the plane, others cost less.
    if ws.has_nodes || C == 2 || ws.tolerance < LOOSE {
        return Ok(None);
    }
    if ws.problem.root().is_none() {
        let Some(root) = root() else { return Ok(None) };
        ws.problem.set_root(root)?;
    }
    let own = MultipliersSettings { tolerance: ws.tolerance * ws.slack(), kappa, ..Default::default() };
    let Ok(mut solver) = Multipliers::new(ws.problem, own) else { return Ok(None) };
    if solver.cost_in_sweeps() > DEAR {
        return Ok(None);
    }
    let newton = solver.spare_newton(DEAR_NEWTON);
    Ok(Some((solver.run(ws.problem, ws.s, &mut Silent).iterations, newton)))
}

/// Sweeps that an alternation may cost, and alternations that a Newton step may.
const DEAR: f64 = 2.5;
const DEAR_NEWTON: f64 = 10.0;

/// Tolerance from which alternations are tried.
const LOOSE: f64 = 1e-5;

/// Plain sweeps, as many as it takes within the limit.
fn go_on<const C: usize>(ws: &mut Task<'_, C>, settings: &StepSettings) -> Result<usize, Error> {
    let limit = settings.max_iterations.unwrap_or(usize::MAX).min(4 * settings.sweeps);
    let own = own((settings, ws.tolerance), limit, 0);
    run(ws.plain, (ws.problem, ws.s), own, &mut Silent)
}

/// Sweeps on to another tolerance than that of the step: how many, and the residual.
pub(crate) fn refine<const C: usize>(
    solver: &mut Option<Nlgs<C>>,
    (problem, s, u): (&Problem<C>, &mut [Vector<C>], &mut [Vector<C>]),
    (settings, tolerance): (&StepSettings, f64),
) -> Result<(usize, f64), Error> {
    let own = own((settings, tolerance), settings.sweeps, settings.acceleration);
    let sweeps = run(solver, (problem, s), own, &mut Patience::new(tolerance, f64::INFINITY, PATIENCE))?;
    problem.velocities(s, u);
    Ok((sweeps, problem.residual(s, u)))
}

/// Residual below which gradients go on better than sweeps.
const FAIR: f64 = 1e-3;

/// Accelerated gradients from a fair point, within the same limit.
fn descend<const C: usize>(ws: &mut Task<'_, C>, settings: &StepSettings) -> Result<usize, Error> {
    let own = ApgSettings {
        tolerance: ws.tolerance,
        max_iterations: settings.max_iterations.unwrap_or(4 * settings.sweeps),
        ..Default::default()
    };
    Ok(Apg::new(ws.problem, own)?.run(ws.problem, ws.s, &mut Silent).iterations)
}

fn own((settings, tolerance): (&StepSettings, f64), max_iterations: usize, acceleration: usize) -> NlgsSettings {
    NlgsSettings {
        tolerance,
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
    let (tolerance, limit) = (settings.tolerance, settings.max_iterations);
    let solver = match solver {
        Some(solver) => solver,
        none => none.insert(Nlgs::new(problem, settings)?),
    };
    solver.fit(problem);
    solver.aim(tolerance, limit);
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
