//! From the argument to the problem that is explored.

use super::super::draw::rounded;
use super::super::{Verdict, guarded, nearest_frame, output, runs, scene};
use crate::command::scene_args::SceneArgs;
use crate::simulation::{NextStep, Options, Simulation};
use delassus_explore::{Places, Statics};
use delassus_friction::algebra::Vector;
use delassus_friction::fclib::{self, File};
use delassus_friction::{AnyProblem, Problem};
use delassus_record::Run;
use delassus_rigid::{AnyBlocks, StepBlocks};
use std::path::Path;

/// The step and its balance, for contacts of `C` components.
pub struct Question<const C: usize> {
    pub problem: Problem<C>,
    pub statics: Statics<C>,
    /// Percussions of the last step.
    pub start: Vec<Vector<C>>,
}

/// [`Question`] for any contact space.
pub enum AnyQuestion {
    Two(Question<2>),
    Three(Question<3>),
    Four(Question<4>),
    Five(Question<5>),
    Six(Question<6>),
}

/// What is explored.
pub struct Subject {
    /// In words.
    pub name: String,
    /// Where the contacts are.
    pub places: Option<Places>,
    /// Names of the bodies.
    pub bodies: Vec<String>,
    /// Gap of each contact [m].
    pub gaps: Vec<f64>,
    /// Body of each equation of balance.
    pub equations: Vec<u32>,
    /// From percussions to what is shown, and its unit.
    pub factor: f64,
    pub unit: &'static str,
    /// Largest speed of a body before the step, relative to what loads give in one step.
    pub moving: bool,
    pub question: AnyQuestion,
}

/// Reads and poses, without velocities if all is to be `at_rest`; messages are printed.
pub fn load(source: &str, changes: &SceneArgs, at_rest: bool) -> Result<Subject, Verdict> {
    let refuse = |message: String| {
        output::complain(&message);
        Verdict::BadInput
    };
    let (path, time) = split(source);
    let file = Path::new(path);
    if !file.is_file() || !is_hdf5(file) {
        if let Some(time) = time.filter(|_| file.is_file()) {
            return Err(refuse(format!("{path} is not a run: '@{time}' names a frame of a run file")));
        }
        if source.contains('@') && !Path::new(source).is_file() {
            return Err(refuse(format!("{path}: no such run file (expected RUN.h5@TIME)")));
        }
        let scene = scene::load(source, changes)?;
        return guarded(|| of_scene(&scene, source, at_rest)).unwrap_or_else(Err).map_err(refuse);
    }
    if !changes.set.is_empty() {
        return Err(refuse("--set changes scenes; a run or a problem is explored as it is".into()));
    }
    if is_problem(file) {
        if time.is_some() {
            return Err(refuse(format!("{path} is one problem, without frames: leave '@' out")));
        }
        if at_rest {
            return Err(refuse(format!(
                "{path} is one problem, whose velocities stay: --at-rest is for scenes and runs"
            )));
        }
        return guarded(|| of_problem(file)).unwrap_or_else(Err).map_err(refuse);
    }
    guarded(|| of_run(file, time, at_rest)).unwrap_or_else(Err).map_err(refuse)
}

/// `RUN@TIME`, when what follows the last '@' is a number or 'end'.
pub fn split(source: &str) -> (&str, Option<&str>) {
    match source.rsplit_once('@') {
        Some((path, time)) if !Path::new(source).exists() => (path, Some(time)),
        _ => (source, None),
    }
}

fn is_hdf5(path: &Path) -> bool {
    use std::io::Read;
    let mut head = [0; 8];
    std::fs::File::open(path).and_then(|mut f| f.read_exact(&mut head)).is_ok() && head == *b"\x89HDF\r\n\x1a\n"
}

/// A problem has FCLIB's groups, a run its own format.
fn is_problem(path: &Path) -> bool {
    match File::read(path) {
        Ok(_) => true,
        Err(_) => Run::open(path).is_err() && path.extension().is_some_and(|e| e == "hdf5"),
    }
}

/// A scene at its start.
pub fn of_scene(scene: &delassus_scene::Scene, name: &str, at_rest: bool) -> Result<Subject, String> {
    let mut simulation = Simulation::new(scene, &Options::default()).map_err(|e| e.to_string())?;
    if at_rest {
        stop(&mut simulation)?;
    }
    of_simulation(&mut simulation, format!("scene {name} at its start"))
}

/// Nothing moves any more.
fn stop(simulation: &mut Simulation) -> Result<(), String> {
    let mut state = simulation.whole_state().clone();
    state.u.fill(0.0);
    let totals = *simulation.totals();
    simulation.set_state(state, totals).map_err(|e| e.to_string())
}

fn of_run(path: &Path, time: Option<&str>, at_rest: bool) -> Result<Subject, String> {
    let run = Run::open(path).map_err(|e| e.to_string())?;
    let name = path.display();
    let last = run.frames().checked_sub(1).ok_or_else(|| format!("{name} has no frame"))?;
    let frame = match time {
        None | Some("end") => last,
        Some(text) => {
            let wanted: f64 = text.parse().map_err(|_| {
                format!("{name}@{text}: expected a time in seconds or 'end' after '@', such as {name}@0.5")
            })?;
            let times = run.times();
            nearest_frame(times, wanted).ok_or_else(|| {
                let [first, end] = [times[0], times[last]].map(rounded);
                format!("{name} runs from {first} s to {end} s, not to {wanted} s")
            })?
        }
    };
    let scene = runs::scene_of(&run, None).map_err(|e| e.to_string())?;
    let mut simulation = Simulation::resumed(&scene, &Options::default(), &run).map_err(|e| e.to_string())?;
    simulation.restore(&run, frame).map_err(|e| e.to_string())?;
    if at_rest {
        stop(&mut simulation)?;
    }
    of_simulation(&mut simulation, format!("run {name}, frame {frame} at t = {} s", run.times()[frame]))
}

/// The coming step of a simulation.
pub fn of_simulation(simulation: &mut Simulation, name: String) -> Result<Subject, String> {
    let next = simulation.next_step().map_err(|e| e.to_string())?;
    let bodies = simulation.names();
    let NextStep { dimension, position, frame, gap, bodies: pairs, body, blocks, h } = next;
    let contacts = pairs.len();
    let u = simulation.state().velocities;
    let width = u.len() / bodies.len().max(1);
    // Supports may move; with solids there are no equations of bodies.
    let free = |i: usize| body.is_empty() || body.contains(&((i / width.max(1)) as u32));
    let moving = u.iter().enumerate().any(|(i, u)| u.abs() > 1e-6 && free(i));
    let question = match blocks {
        AnyBlocks::Two(b) => AnyQuestion::Two(question(b, contacts)?),
        AnyBlocks::Three(b) => AnyQuestion::Three(question(b, contacts)?),
        AnyBlocks::Four(b) => AnyQuestion::Four(question(b, contacts)?),
        AnyBlocks::Five(b) => AnyQuestion::Five(question(b, contacts)?),
        AnyBlocks::Six(b) => AnyQuestion::Six(question(b, contacts)?),
    };
    Ok(Subject {
        name,
        places: Some(Places { dimension, position, frame, bodies: pairs }),
        bodies,
        gaps: gap,
        equations: body,
        factor: 1.0 / h,
        unit: "N",
        moving,
        question,
    })
}

fn question<const C: usize>(blocks: StepBlocks<C>, contacts: usize) -> Result<Question<C>, String> {
    let StepBlocks { problem, start, balance, load, .. } = blocks;
    if load.is_empty() {
        // With solids the problem says everything.
        let statics = Statics::from_problem(&problem).map_err(|e| e.to_string())?;
        return Ok(Question { problem, statics, start });
    }
    let statics = Statics::new(problem.laws().to_vec(), contacts, load, balance).map_err(|e| e.to_string())?;
    Ok(Question { problem, statics, start })
}

fn of_problem(path: &Path) -> Result<Subject, String> {
    let file = File::read(path).map_err(|e| e.to_string())?;
    let named = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    let any = AnyProblem::from_fclib(&file).map_err(|e| named(&e))?;
    let question = match any {
        AnyProblem::Local2(p) => AnyQuestion::Two(local(p).map_err(|e| named(&e))?),
        AnyProblem::Local3(p) => AnyQuestion::Three(local(p).map_err(|e| named(&e))?),
        AnyProblem::Local5(p) => AnyQuestion::Five(local(p).map_err(|e| named(&e))?),
        AnyProblem::Global2(p) => AnyQuestion::Two(global(p.condense(), &file).map_err(|e| named(&e))?),
        AnyProblem::Global3(p) => AnyQuestion::Three(global(p.condense(), &file).map_err(|e| named(&e))?),
        AnyProblem::Global5(p) => AnyQuestion::Five(global(p.condense(), &file).map_err(|e| named(&e))?),
    };
    Ok(Subject {
        name: format!("problem {}", path.display()),
        places: None,
        bodies: vec![],
        gaps: vec![],
        equations: vec![],
        factor: 1.0,
        unit: "N s",
        moving: false,
        question,
    })
}

fn local<const C: usize>(problem: Problem<C>) -> Result<Question<C>, delassus_explore::Error> {
    let statics = Statics::from_problem(&problem)?;
    Ok(Question { start: problem.zero(), statics, problem })
}

/// The balance of a global problem is that of its degrees of freedom: `f + H r = 0`.
fn global<const C: usize>(
    problem: Result<Problem<C>, delassus_friction::Error>,
    file: &File,
) -> Result<Question<C>, delassus_explore::Error> {
    let problem = problem?;
    let fclib::Problem::Global(data) = &file.problem else { return local(problem) };
    let mut entries = vec![];
    for (row, column, value) in data.h.triplets() {
        let mut g = Vector::<C>::zeros();
        g[column % C] = value;
        entries.push((column / C, row, g));
    }
    let statics = Statics::new(problem.laws().to_vec(), problem.len(), data.f.clone(), entries)?;
    Ok(Question { start: problem.zero(), statics, problem })
}
