//! `run`: a scene, step after step, into its record.

use super::live::Stage;
use super::output::{Output, complain, report, warn};
use super::scene_args::RunArgs;
use super::{Verdict, bytes, guarded, names, scene};
use crate::simulation::{Error, Options, Simulation};
use delassus_record::{Frame, Options as RecordOptions, Recorder, Run, Stats};
use delassus_rigid::{Ledger, Timings};
use delassus_scene::Scene;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Between two updates of the line.
const PERIOD: Duration = Duration::from_millis(100);
/// Exit code of an interrupted run, as shells have it.
pub const INTERRUPTED: u8 = 130;
/// Events shown as they happen; the rest is counted.
const SHOWN: u64 = 10;

/// How a scene is run.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// The run file; none records nothing.
    pub output: Option<PathBuf>,
    /// Files that were read already and must not be written over.
    pub inputs: Vec<PathBuf>,
    /// Replace an existing one.
    pub overwrite: bool,
    /// Threads, instead of all and of those of the scene.
    pub threads: Option<usize>,
    /// File of what the loops of each step did.
    pub log: Option<PathBuf>,
    /// No progress and no summary.
    pub quiet: bool,
    /// Shown while it is computed; `Some(true)` opens a browser.
    pub view: Option<bool>,
    /// Steps whose contact problem is left as a file, and the folder where nothing is recorded.
    pub keep: (Vec<u64>, PathBuf),
}

/// Runs a scene, or lists the gallery.
pub fn run(args: &RunArgs) -> ExitCode {
    let Some(name) = &args.scene_name else { return scene::list() };
    let scene = match scene::load(name, &args.scene) {
        Ok(scene) => scene,
        Err(verdict) => return verdict.into(),
    };
    let output = (!args.no_record).then(|| args.output.clone().unwrap_or_else(|| default_output(name)));
    let (inputs, log) = (names::scene_file(name), args.log.clone());
    let (overwrite, threads, quiet) = (args.overwrite, args.threads, args.quiet);
    let view = args.view.then_some(!args.no_open);
    let keep = (args.keep.clone(), failures(&default_output(name)));
    told(|| record(&scene, &Recording { output, inputs, overwrite, threads, log, quiet, view, keep }))
}

/// Steps a scene to its end, into a run file where one is named.
pub fn record(scene: &Scene, how: &Recording) -> Result<ExitCode, Failure> {
    let (kept, folder) = &how.keep;
    let options = Options {
        failures: how.output.as_deref().map(failures).or_else(|| (!kept.is_empty()).then(|| folder.clone())),
        keep: kept.clone(),
        threads: how.threads,
        log: how.log.is_some(),
        ..Options::default()
    };
    on_threads(how.threads);
    let mut simulation = Simulation::new(scene, &options)?;
    if !how.quiet {
        let warnings = simulation.warnings();
        if !warnings.items.is_empty() {
            report(warnings);
        }
    }
    spare_inputs(scene, how).map_err(Failure::Refused)?;
    let log = how.log.as_deref().map(Log::create).transpose().map_err(Failure::Refused)?;
    let record = RecordOptions { overwrite: how.overwrite, ..Default::default() };
    let create = |path: &PathBuf| Recorder::create(path, simulation.header(), &record);
    let mut recorder = how.output.as_ref().map(create).transpose().map_err(Error::from)?;
    {
        // Not kept: where nothing is recorded, this is the only one.
        let mut frame = simulation.header().frame();
        simulation.fill(&mut frame)?;
        if let Some(recorder) = &mut recorder {
            recorder.write(&frame).map_err(Error::from)?;
        }
    }
    let live = match (how.view, &how.output) {
        (Some(open), Some(path)) => Some(Stage::open(path, (scene, &options), open).map_err(Failure::Refused)?),
        _ => None,
    };
    let code = Drive { log, live: live.as_ref(), ..Drive::new(simulation, recorder, how.quiet) }.go_on()?;
    if live.is_some() && code != ExitCode::from(INTERRUPTED) {
        Stage::stay(interruptible());
    }
    Ok(code)
}

/// Threads of detection, of loops over bodies and of solids, if some number was asked for.
pub(super) fn on_threads(count: Option<usize>) {
    if let Some(count) = count {
        // A pool that is there already stays: results do not depend on it.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(count).build_global();
    }
}

/// Neither the run nor its log may take the place of the scene, of a mesh, or of each other.
fn spare_inputs(scene: &Scene, how: &Recording) -> Result<(), String> {
    let meshes = scene.files.read().into_iter().map(|(name, _)| scene.files.folder().join(name));
    let inputs: Vec<PathBuf> = how.inputs.iter().cloned().chain(meshes).collect();
    for output in how.output.iter().chain(&how.log) {
        names::spare(output, &inputs)?;
    }
    match (&how.output, &how.log) {
        (Some(output), Some(log)) if output == log || names::same(output, log) => {
            Err(format!("{} cannot hold both the run and its log: give two names", log.display()))
        }
        _ => Ok(()),
    }
}

/// Why a run did not reach its end.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The scene, a step, or the run file.
    #[error(transparent)]
    Run(#[from] Error),
    /// What was asked for makes no sense, or cannot be written.
    #[error("{0}")]
    Refused(String),
}

fn default_output(name: &str) -> PathBuf {
    names::ending(names::stem(name), "h5")
}

/// Folder for problems that did not converge, beside the run.
pub(super) fn failures(path: &Path) -> PathBuf {
    names::ending(names::plain(path), "failures")
}

/// The exit code; messages are printed.
pub fn told(run: impl FnOnce() -> Result<ExitCode, Failure>) -> ExitCode {
    let failed = match guarded(run) {
        Ok(Ok(code)) => return code,
        Ok(Err(failed)) => failed,
        Err(message) => {
            complain(&message);
            return Verdict::BadInput.into();
        }
    };
    match &failed {
        Failure::Run(Error::Scene(diagnostics)) => report(diagnostics),
        other => complain(&other.to_string()),
    }
    match failed {
        Failure::Run(error) if error.is_step() => Verdict::NotSolved.into(),
        _ => Verdict::BadInput.into(),
    }
}

/// The file of what the loops did.
struct Log {
    out: BufWriter<File>,
    path: PathBuf,
}

impl Log {
    fn create(path: &Path) -> Result<Self, String> {
        let file = File::create(path).map_err(|e| format!("cannot write {}: {e}", path.display()))?;
        Ok(Self { out: BufWriter::new(file), path: path.to_path_buf() })
    }

    /// Writes the lines of a step; the first failure ends the log, not the run.
    fn write(&mut self, step: u64, time: f64, lines: &[String]) -> Result<(), String> {
        let mut put = || -> std::io::Result<()> {
            writeln!(self.out, "step {step}, t = {time:.9e} s")?;
            lines.iter().try_for_each(|line| writeln!(self.out, "  {line}"))
        };
        put().map_err(|e| format!("cannot write {}: {e}; the log ends here", self.path.display()))
    }
}

/// A simulation on its way to its end.
pub(super) struct Drive<'a> {
    log: Option<Log>,
    live: Option<&'a Stage>,
    simulation: Simulation,
    recorder: Option<Recorder>,
    frame: Frame,
    bar: ProgressBar,
    quiet: bool,
    shown: u64,
    /// Events told.
    told: u64,
    /// The stage that was told last.
    stage: String,
    /// Steps whose sweeps did without the assembled operator.
    by_bodies: u64,
    /// Seconds of the stages of all steps.
    stages: Timings,
    /// Seconds of the slowest step, and its number.
    slowest: (f64, u64),
}

impl<'a> Drive<'a> {
    pub(super) fn new(simulation: Simulation, recorder: Option<Recorder>, quiet: bool) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(simulation.clock().steps), target);
        let template = "[{bar:24}] {percent:>3}% {wide_msg} {per_sec} about {eta} left";
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style.progress_chars("=> ").with_key(
            "per_sec",
            |s: &indicatif::ProgressState, w: &mut dyn std::fmt::Write| {
                let _ = write!(w, "{:.0} steps/s,", s.per_sec());
            },
        ));
        bar.set_position(simulation.steps());
        bar.reset_eta();
        let frame = simulation.header().frame();
        let stage = simulation.stage().to_owned();
        Self {
            told: 0,
            stage,
            log: None,
            live: None,
            simulation,
            recorder,
            frame,
            bar,
            quiet,
            shown: 0,
            by_bodies: 0,
            stages: Timings::default(),
            slowest: (0.0, 0),
        }
    }

    pub(super) fn go_on(mut self) -> Result<ExitCode, Error> {
        let stop = interruptible();
        let (begin, first) = (Instant::now(), self.simulation.steps());
        let mut next = Instant::now();
        let mut failed = None;
        while !self.simulation.is_over() && !stop.load(Ordering::Relaxed) {
            if let Some(stage) = self.live
                && !stage.turn(&mut self.simulation)
            {
                continue;
            }
            let before = Instant::now();
            if let Err(error) = self.simulation.step() {
                // What the loops tried is most wanted here.
                self.tell_loops();
                failed = Some(error);
                break;
            }
            self.tell_events();
            self.tell_happened();
            self.tell_loops();
            self.by_bodies += u64::from(self.simulation.report().by_bodies);
            let took = before.elapsed().as_secs_f64();
            if took > self.slowest.0 {
                self.slowest = (took, self.simulation.steps());
            }
            let timings = self.simulation.report().timings;
            self.stages.detect += timings.detect;
            self.stages.reduce += timings.reduce;
            self.stages.solve += timings.solve;
            self.stages.commit += timings.commit;
            let mut recorded = if self.simulation.is_due() { self.record() } else { Ok(()) };
            if Instant::now() >= next {
                next = Instant::now() + PERIOD;
                self.show();
                // A file that is gone is noticed between two frames too.
                recorded =
                    recorded.and_then(|()| self.recorder.as_ref().map_or(Ok(()), Recorder::check).map_err(Error::from));
            }
            if let Err(error) = recorded {
                failed = Some(error);
                break;
            }
        }
        let interrupted = !self.simulation.is_over() && failed.is_none();
        let of_record = matches!(failed, Some(Error::Record(_)));
        if (interrupted || failed.is_some()) && !of_record && !self.simulation.is_due() {
            // What was computed is not lost: the run can go on from here.
            failed = failed.or(self.record().err());
        }
        self.bar.finish_and_clear();
        if let Some(stage) = self.live {
            stage.end(&self.simulation);
        }
        let mut stats = None;
        if let Some(recorder) = self.recorder.take() {
            let path = recorder.path().to_path_buf();
            match recorder.finish() {
                Ok(done) => {
                    if let Err(error) = self.keep_pushes(&path) {
                        warn(&format!("the pushes stay beside the run: {error}"));
                    }
                    stats = Some((path, done));
                }
                Err(error) => {
                    self.rescue(&path, &error);
                    failed = failed.or(Some(error.into()));
                }
            }
        }
        let steps = self.simulation.steps() - first;
        self.summary(steps, begin.elapsed(), stats, failed.is_some());
        match failed {
            Some(error) => Err(error),
            None if interrupted => Ok(ExitCode::from(INTERRUPTED)),
            None => Ok(self.verdict()),
        }
    }

    /// A run whose bodies were pushed holds the scene with these forces in it.
    fn keep_pushes(&self, path: &Path) -> Result<(), Error> {
        let Some(text) = self.live.and_then(Stage::pushed) else { return Ok(()) };
        let mut header = self.simulation.header().clone();
        header.scene = text;
        let last = Run::open(path)?.frames().saturating_sub(1);
        Recorder::resume_as(path, last, &header, &RecordOptions::default())?.finish()?;
        Ok(())
    }

    /// The exit code of a run that came to its end.
    pub(super) fn verdict(&self) -> ExitCode {
        match self.simulation.totals().flagged {
            0 => Verdict::Solved.into(),
            _ => Verdict::NotSolved.into(),
        }
    }

    /// Where the file was taken away, the present state goes into another, from which the run can go on.
    fn rescue(&mut self, path: &Path, error: &delassus_record::Error) {
        let delassus_record::Error::Stopped { source, .. } = error else { return };
        if !matches!(**source, delassus_record::Error::Gone { .. }) {
            return;
        }
        let other = names::ending(names::plain(path), "rescued.h5");
        let mut write = || -> Result<(), Error> {
            let mut recorder = Recorder::create(&other, self.simulation.header(), &RecordOptions::default())?;
            self.simulation.fill(&mut self.frame)?;
            recorder.write(&self.frame)?;
            recorder.finish()?;
            Ok(())
        };
        let name = other.display();
        let written = write();
        match written {
            Ok(()) => warn(&format!("the present state is in {name}; go on with: delassus resume {name}")),
            Err(error) => warn(&format!("the present state cannot be kept: {error}")),
        }
    }

    fn record(&mut self) -> Result<(), Error> {
        let Some(recorder) = &mut self.recorder else { return Ok(()) };
        self.simulation.fill(&mut self.frame)?;
        recorder.write(&self.frame)?;
        Ok(())
    }

    fn show(&self) {
        let report = self.simulation.report();
        self.bar.set_position(self.simulation.steps());
        self.bar.set_message(format!(
            "t = {:.4} s, {} contacts, residual {:.0e},",
            self.simulation.time(),
            report.contacts,
            report.residual
        ));
    }

    fn tell_loops(&mut self) {
        let Some(log) = &mut self.log else { return };
        let (step, time) = (self.simulation.steps(), self.simulation.time());
        if let Err(message) = log.write(step, time, self.simulation.log()) {
            self.bar.suspend(|| warn(&message));
            self.log = None;
        }
    }

    /// Events are told as they happen.
    fn tell_happened(&mut self) {
        if self.quiet {
            return;
        }
        let time = self.simulation.time();
        for name in self.simulation.happened() {
            self.told += 1;
            match self.told {
                n if n < SHOWN => self.bar.suspend(|| eprintln!("t = {time:.6} s: {name}")),
                SHOWN => self.bar.suspend(|| eprintln!("more events; they are counted in the run")),
                _ => {}
            }
        }
        if self.stage != self.simulation.stage() {
            self.stage = self.simulation.stage().to_owned();
            self.bar.suspend(|| eprintln!("t = {time:.6} s: stage '{}'", self.stage));
            self.bar.set_length(self.simulation.clock().steps);
        }
    }

    /// A step above the tolerance is never silent.
    fn tell_events(&mut self) {
        for event in self.simulation.report().events {
            let delassus_rigid::Event::NotConverged(failure) = event else { continue };
            self.shown += 1;
            match self.shown {
                n if n < SHOWN => self.bar.suspend(|| warn(&format!("{failure}; accepted and flagged"))),
                SHOWN => self.bar.suspend(|| warn("more steps above the tolerance; they are counted at the end")),
                _ => {}
            }
        }
    }

    /// What the run came to.
    pub(super) fn totals(&self, out: &mut Output) {
        let (state, totals) = (self.simulation.state(), self.simulation.totals());
        out.line(&format!(
            "residual at most {:.1e}, {}penetration at most {:.1e} m, {} steps above the tolerance, {} retried, {} handed over",
            totals.worst_residual, balance(totals.worst_balance), totals.deepest, totals.flagged, totals.retried, totals.handed_over
        ));
        if self.by_bodies > 0 {
            out.line(&format!("sweeps through the bodies in {} steps, W not assembled", self.by_bodies));
        }
        if totals.cut > 0 {
            out.line(&format!("{} steps made in parts because bodies met fast", totals.cut));
        }
        out.line(&energies(&totals.energy));
        out.line(&format!("state {}", &state.hash_hex()[..16]));
    }

    fn summary(&self, steps: u64, elapsed: Duration, stats: Option<(PathBuf, Stats)>, failed: bool) {
        if self.quiet {
            return;
        }
        let mut out = Output::default();
        let rate = steps as f64 / elapsed.as_secs_f64().max(1e-9);
        out.line(&format!(
            "t = {:.6} s after {steps} steps in {:.2} s ({rate:.0} steps/s)",
            self.simulation.time(),
            elapsed.as_secs_f64()
        ));
        if steps > 0 {
            let each = |seconds: f64| 1e3 * seconds / steps as f64;
            let Timings { detect, reduce, solve, commit } = self.stages;
            out.line(&format!(
                "per step: detection {:.3} ms, reduction {:.3}, solver {:.3}, commit {:.3}, all else {:.3}; slowest {:.1} ms (step {})",
                each(detect),
                each(reduce),
                each(solve),
                each(commit),
                each((elapsed.as_secs_f64() - self.stages.total()).max(0.0)),
                1e3 * self.slowest.0,
                self.slowest.1
            ));
        }
        self.totals(&mut out);
        if let Some((path, stats)) = stats {
            let size = std::fs::metadata(&path).map(|m| m.len()).unwrap_or(0);
            let name = path.display();
            out.line(&format!("{name}: {} new frames, {} on disk", stats.frames, bytes(size)));
            match self.simulation.is_over() {
                true => out.line(&format!(
                    "see it: {} view {name}; more: delassus info {name}, delassus export {name} --vtk DIR",
                    super::line::called()
                )),
                // To go on as before would meet the same step.
                false if failed => out.line(&format!(
                    "stopped by the step below; what was computed is in {name}; run the scene again with another \
                     `time.step`, or with what the message asks for"
                )),
                false => out.line(&format!("stopped before the end; go on with: delassus resume {name}")),
            }
        }
    }
}

/// The balance of momentum, which solids alone leave open.
pub fn balance(worst: f64) -> String {
    if worst > 0.0 { format!("balance at most {worst:.1e}, ") } else { String::new() }
}

/// Energies, and the works that are not zero.
fn energies(e: &Ledger) -> String {
    let mut stored = format!("energy: kinetic {:.4e} J, potential {:.4e} J", e.kinetic, e.potential);
    if e.strain != 0.0 {
        stored.push_str(&format!(", strain {:.4e} J", e.strain));
    }
    let works = [
        ("loads", e.external),
        ("motors", e.motors),
        ("friction", e.friction),
        ("shocks", e.shock),
        ("restitution", e.restitution),
        ("adhesion", e.adhesion),
        ("plasticity", -e.plastic),
        ("viscosity", -e.viscous),
    ];
    let works: Vec<String> =
        works.iter().filter(|w| w.1 != 0.0).map(|(name, work)| format!("{name} {work:.3e}")).collect();
    if !works.is_empty() {
        stored.push_str(&format!("; work of {} J", works.join(", ")));
    }
    format!("{stored}; balance closes to {:.1e} J", e.closing)
}

/// A flag that Ctrl-C raises; a second Ctrl-C ends the program at once.
pub(super) fn interruptible() -> &'static AtomicBool {
    static RAISED: AtomicBool = AtomicBool::new(false);
    static HANDLER: Once = Once::new();
    let handler = || {
        if RAISED.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(INTERRUPTED));
        }
    };
    // One command may run several scenes.
    HANDLER.call_once(|| {
        if let Err(error) = ctrlc::set_handler(handler) {
            warn(&format!("Ctrl-C will not stop the run cleanly: {error}"));
        }
    });
    &RAISED
}
