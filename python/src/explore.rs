//! The set of solutions as arrays.

use crate::errors::{of_defect, of_friction, of_simulation, raise, said, shielded, values};
use crate::exit::detached;
use crate::friction::{PATIENCE, Problem};
use crate::pool::with_threads;
use crate::step::flat;
use crate::world::World;
use delassus::explore::{
    Bounds, BoundsSettings, Equilibrium, Error, LeastFriction, Origin, Procedure, Samples, SamplingSettings, Statics,
    least_friction, outcomes, sample,
};
use delassus::friction::algebra::Vector;
use delassus::friction::{self, AnyProblem};
use delassus::rigid::{AnyBlocks, StepBlocks};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Mutex, PoisonError};

/// Stack of the thread that explores [bytes], as that of a process.
const STACK: usize = 8 << 20;

/// What is asked for.
#[derive(Clone, Copy)]
struct Ask {
    bounds: bool,
    samples: usize,
    procedure: Procedure,
    seed: u64,
    tolerance: f64,
    max_sweeps: usize,
}

/// What was found.
struct Found<const C: usize> {
    bounds: Option<Bounds<C>>,
    least: Option<LeastFriction>,
    stable: Option<delassus::explore::Network<C>>,
    samples: Option<Samples<C>>,
    outcomes: Option<Vec<delassus::explore::Outcome<C>>>,
}

fn procedure(py: Python<'_>, name: &str) -> PyResult<Procedure> {
    match name {
        "random" => Ok(Procedure::Random),
        "shuffle" => Ok(Procedure::Shuffle),
        "warm" => Ok(Procedure::Warm),
        _ => Err(raise(
            py,
            "ProblemError",
            format!("procedure '{name}': expected 'random', 'shuffle' or 'warm'"),
            Some(&values!(py; name = name)),
        )),
    }
}

/// Explores the coming step of a world.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "what the package passes on")]
pub fn explore_world<'py>(
    py: Python<'py>,
    world: &World,
    bounds: bool,
    samples: usize,
    procedure_name: &str,
    seed: u64,
    tolerance: f64,
    max_sweeps: usize,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    shielded(py, || {
        let procedure = procedure(py, procedure_name)?;
        let ask = Ask { bounds, samples, procedure, seed, tolerance, max_sweeps };
        let mut inner = world.sound(py)?;
        let next = inner.next_step().map_err(|e| of_simulation(py, &e))?;
        let contacts = next.bodies.len();
        let out = match next.blocks {
            AnyBlocks::Two(b) => of_blocks(py, b, contacts, ask, threads),
            AnyBlocks::Three(b) => of_blocks(py, b, contacts, ask, threads),
            AnyBlocks::Four(b) => of_blocks(py, b, contacts, ask, threads),
            AnyBlocks::Five(b) => of_blocks(py, b, contacts, ask, threads),
            AnyBlocks::Six(b) => of_blocks(py, b, contacts, ask, threads),
        }?;
        out.set_item("h", next.h)?;
        Ok(out)
    })
}

/// Explores a problem.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "what the package passes on")]
pub fn explore_problem<'py>(
    py: Python<'py>,
    problem: &Problem,
    bounds: bool,
    samples: usize,
    procedure_name: &str,
    seed: u64,
    tolerance: f64,
    max_sweeps: usize,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    shielded(py, || {
        let procedure = procedure(py, procedure_name)?;
        let ask = Ask { bounds, samples, procedure, seed, tolerance, max_sweeps };
        let condensed = |e: friction::Error| of_friction(py, &e);
        match problem.any() {
            AnyProblem::Local2(p) => of_problem(py, p, ask, threads),
            AnyProblem::Local3(p) => of_problem(py, p, ask, threads),
            AnyProblem::Local5(p) => of_problem(py, p, ask, threads),
            AnyProblem::Global2(p) => of_problem(py, &p.condense().map_err(condensed)?, ask, threads),
            AnyProblem::Global3(p) => of_problem(py, &p.condense().map_err(condensed)?, ask, threads),
            AnyProblem::Global5(p) => of_problem(py, &p.condense().map_err(condensed)?, ask, threads),
        }
    })
}

fn of_blocks<const C: usize>(
    py: Python<'_>,
    blocks: StepBlocks<C>,
    contacts: usize,
    ask: Ask,
    threads: Option<usize>,
) -> PyResult<Bound<'_, PyDict>>
where
    Statics<C>: Equilibrium<C>,
{
    let StepBlocks { problem, start, balance, load, .. } = blocks;
    let found = watched(py, threads, |stop| {
        let statics = match load.is_empty() {
            // With solids the problem says everything.
            true => Statics::from_problem(&problem)?,
            false => Statics::new(problem.laws().to_vec(), contacts, load, balance)?,
        };
        find(&problem, &statics, &start, ask, stop)
    })?;
    columns(py, found)
}

fn of_problem<'py, const C: usize>(
    py: Python<'py>,
    problem: &friction::Problem<C>,
    ask: Ask,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyDict>>
where
    Statics<C>: Equilibrium<C>,
{
    let work = |stop: &AtomicBool| find(problem, &Statics::from_problem(problem)?, &problem.zero(), ask, stop);
    columns(py, watched(py, threads, work)?)
}

/// What leaves an exploration that Ctrl-C ends.
struct Interrupted;

/// Explores in a thread of its own, while this one heeds Ctrl-C.
fn watched<R: Send>(py: Python<'_>, threads: Option<usize>, work: impl FnOnce(&AtomicBool) -> R + Send) -> PyResult<R> {
    let stop = AtomicBool::new(false);
    let (done, end) = sync_channel::<()>(1);
    let (stop, end, mut raised) = (&stop, Mutex::new(end), None);
    std::thread::scope(|scope| {
        let task = move || {
            let found = catch_unwind(AssertUnwindSafe(|| with_threads(threads, || work(stop))));
            let _ = done.send(()); // nobody waits for it any more where this fails
            found
        };
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, task)?;
        while let Err(RecvTimeoutError::Timeout) =
            detached(py, || end.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(PATIENCE))
        {
            if raised.is_none() {
                raised = py.check_signals().err();
                stop.store(raised.is_some(), Ordering::Relaxed);
            }
        }
        match (thread.join().and_then(|found| found), raised) {
            (_, Some(raised)) => Err(raised),
            (Ok(found), None) => Ok(found),
            (Err(panic), None) => Err(of_defect(py, &said(&*panic))),
        }
    })
}

/// Leaves the exploration where it was asked to end.
fn heed(stop: &AtomicBool) {
    if stop.load(Ordering::Relaxed) {
        resume_unwind(Box::new(Interrupted));
    }
}

fn find<const C: usize>(
    problem: &friction::Problem<C>,
    statics: &Statics<C>,
    start: &[Vector<C>],
    ask: Ask,
    stop: &AtomicBool,
) -> Result<Found<C>, Error>
where
    Statics<C>: Equilibrium<C>,
{
    if statics.contacts() == 0 {
        return Err(Error::NoContact);
    }
    let mut found = Found { bounds: None, least: None, stable: None, samples: None, outcomes: None };
    if ask.bounds {
        found.bounds = Some(statics.bounds(&BoundsSettings::default(), &|_| heed(stop))?);
        heed(stop);
        found.least = Some(least_friction(statics, if C == 2 { 1e-10 } else { 1e-6 })?);
        heed(stop);
        found.stable = statics.most_stable()?;
    }
    let listed = statics.enumerated(problem);
    let complete = listed.is_some();
    let mut solutions: Vec<(Origin, Vec<Vector<C>>)> = vec![];
    if let Some(listed) = listed {
        solutions.extend(listed.solutions.into_iter().map(|s| (Origin::Enumeration, s)));
    }
    solutions.extend(found.stable.iter().map(|n| (Origin::Equilibrium, n.percussions.clone())));
    if ask.samples > 0 {
        let Ask { samples, procedure, seed, tolerance, max_sweeps, .. } = ask;
        let settings = SamplingSettings { samples, procedure, seed, tolerance, max_sweeps, largest: None };
        let samples = sample(problem, Some(start), &settings, &|_| heed(stop))?;
        solutions.extend((0..samples.len()).map(|k| (Origin::Sample, samples.get(k).to_vec())));
        found.samples = Some(samples);
    }
    if complete || found.samples.is_some() {
        found.outcomes = Some(outcomes(problem, solutions, ask.tolerance.max(1e-6)));
    }
    Ok(found)
}

fn columns<const C: usize>(py: Python<'_>, found: Result<Found<C>, Error>) -> PyResult<Bound<'_, PyDict>> {
    let found = found.map_err(|e| raise(py, "ProblemError", e.to_string(), None))?;
    let array = |x: &[Vector<C>]| flat(x).into_pyarray(py);
    let out = values!(py; components = C);
    match &found.bounds {
        None => {}
        Some(Bounds::Empty) => out.set_item("empty", true)?,
        Some(Bounds::Reactions(list)) => {
            out.set_item("empty", false)?;
            let sets: Vec<_> = list
                .iter()
                .map(|r| {
                    values!(py; contact = r.contact, vertices = array(&r.vertices), outer = array(&r.outer),
                        gap = r.gap, rays = array(&r.rays))
                })
                .collect();
            out.set_item("sets", sets)?;
        }
    }
    if let Some(least) = found.least {
        let (word, factor) = match least {
            LeastFriction::None => ("none", Some(0.0)),
            LeastFriction::Factor(x) => ("factor", Some(x)),
            LeastFriction::Impossible => ("impossible", None),
            LeastFriction::Undecided(x) => ("undecided", Some(x)),
            LeastFriction::Frictionless => ("frictionless", None),
        };
        out.set_item("least_friction", (word, factor))?;
    }
    if let Some(network) = &found.stable {
        out.set_item("most_stable", (array(&network.percussions), network.margin))?;
    }
    if let Some(samples) = &found.samples {
        let (all, residuals) = (array(&samples.percussions), samples.residuals.clone().into_pyarray(py));
        out.set_item("samples", (samples.len(), all, residuals, samples.rejected))?;
    }
    if let Some(outcomes) = &found.outcomes {
        let list: Vec<_> = outcomes
            .iter()
            .map(|o| {
                let status: Vec<String> = o.status.iter().map(|s| format!("{s:?}").to_lowercase()).collect();
                values!(py; status = status, percussions = array(&o.percussions), velocities = array(&o.velocities),
                    residual = o.residual, count = o.count)
            })
            .collect();
        out.set_item("outcomes", list)?;
    }
    Ok(out)
}
