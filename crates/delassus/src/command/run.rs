//! `run` and `resume`: a scene, step after step, into its record.

use super::output::{Output, complain, report, warn};
use super::scene_args::{ResumeArgs, RunArgs};
use super::{Verdict, bytes, guarded, scene};
use delassus::simulation::{Error, Options, Simulation};
use delassus_record::{Frame, Options as RecordOptions, Recorder, Run, Stats};
use delassus_rigid::Ledger;
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
    /// Replace an existing one.
    pub overwrite: bool,
    /// Threads of the sweeps.
    pub threads: Option<usize>,
    /// File of what the loops of each step did.
    pub log: Option<PathBuf>,
    /// No progress and no summary.
    pub quiet: bool,
}

/// Runs a scene, or lists the gallery.
pub fn run(args: &RunArgs) -> ExitCode {
    let Some(name) = &args.scene_name else { return scene::list() };
    let scene = match scene::load(name, &args.scene) {
        Ok(scene) => scene,
        Err(verdict) => return verdict.into(),
    };
    let output = (!args.no_record).then(|| args.output.clone().unwrap_or_else(|| default_output(name)));
    let (log, threads) = (args.log.clone(), args.threads);
    told(|| record(&scene, &Recording { output, overwrite: args.overwrite, threads, log, quiet: args.quiet }))
}

/// Steps a scene to its end, into a run file where one is named.
pub fn record(scene: &Scene, how: &Recording) -> Result<ExitCode, Failure> {
    let log = how.log.as_deref().map(Log::create).transpose().map_err(Failure::Log)?;
    let options =
        Options { failures: how.output.as_deref().map(failures), threads: how.threads, log: how.log.is_some() };
    let mut simulation = Simulation::new(scene, &options)?;
    let record = RecordOptions { overwrite: how.overwrite, ..Default::default() };
    let create = |path: &PathBuf| Recorder::create(path, simulation.header(), &record);
    let mut recorder = how.output.as_ref().map(create).transpose().map_err(Error::from)?;
    let mut frame = simulation.header().frame();
    simulation.fill(&mut frame)?;
    if let Some(recorder) = &mut recorder {
        recorder.write(&frame).map_err(Error::from)?;
    }
    Ok(Drive { log, ..Drive::new(simulation, recorder, how.quiet) }.go_on()?)
}

/// Why a run did not reach its end.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The scene, a step, or the run file.
    #[error(transparent)]
    Run(#[from] Error),
    /// The log cannot be written.
    #[error("{0}")]
    Log(String),
}

/// Continues a run.
pub fn resume(args: &ResumeArgs) -> ExitCode {
    let options = Options { failures: Some(failures(&args.run)), threads: args.threads, log: false };
    let go_on = || -> Result<ExitCode, Error> {
        let run = Run::open(&args.run)?;
        let mut simulation = Simulation::new(&scene_of(&run, args.end)?, &options)?;
        let none = Error::Frame { frame: 0, reason: "the run has no frame".into() };
        let last = run.frames().checked_sub(1).ok_or(none)?;
        let frame = args.frame.unwrap_or(last);
        simulation.restore(&run, frame)?;
        // The frame of an interruption is not one of the uninterrupted run.
        let keep = if simulation.is_due() { frame } else { frame.saturating_sub(1) };
        drop(run);
        let recorder = Recorder::resume(&args.run, keep, &RecordOptions::default())?;
        Drive::new(simulation, Some(recorder), args.quiet).go_on()
    };
    told(|| Ok(go_on()?))
}

/// The scene a run was made from.
pub fn scene_of(run: &Run, end: Option<f64>) -> Result<Scene, Error> {
    let header = run.header();
    let mut overrides = header.overrides.clone();
    overrides.extend(end.map(|end| format!("time.end={end:?}")));
    let mut scene = Scene::parse(&header.scene, &format!("scene of {}", run.path().display()), &overrides)?;
    scene.folder = header.attributes.get("folder").map(PathBuf::from).unwrap_or_default();
    Ok(scene)
}

fn default_output(name: &str) -> PathBuf {
    let stem = Path::new(name).file_stem().map_or_else(|| "run".into(), std::ffi::OsStr::to_os_string);
    Path::new(&stem).with_extension("h5")
}

/// Folder for problems that did not converge, beside the run.
fn failures(path: &Path) -> PathBuf {
    path.with_extension("failures")
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

struct Drive {
    log: Option<Log>,
    simulation: Simulation,
    recorder: Option<Recorder>,
    frame: Frame,
    bar: ProgressBar,
    quiet: bool,
    shown: u64,
    /// Steps whose sweeps did without the assembled operator.
    by_bodies: u64,
}

impl Drive {
    fn new(simulation: Simulation, recorder: Option<Recorder>, quiet: bool) -> Self {
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
        Self { log: None, simulation, recorder, frame, bar, quiet, shown: 0, by_bodies: 0 }
    }

    fn go_on(mut self) -> Result<ExitCode, Error> {
        let stop = interruptible();
        let (begin, first) = (Instant::now(), self.simulation.steps());
        let mut next = Instant::now();
        let mut failed = None;
        while !self.simulation.is_over() && !stop.load(Ordering::Relaxed) {
            if let Err(error) = self.simulation.step() {
                // What the loops tried is most wanted here.
                self.tell_loops();
                failed = Some(error);
                break;
            }
            self.tell_events();
            self.tell_loops();
            self.by_bodies += u64::from(self.simulation.report().by_bodies);
            if self.simulation.is_due() {
                self.record()?;
            }
            if Instant::now() >= next {
                next = Instant::now() + PERIOD;
                self.show();
            }
        }
        let interrupted = !self.simulation.is_over() && failed.is_none();
        if (interrupted || failed.is_some()) && !self.simulation.is_due() {
            // What was computed is not lost: the run can go on from here.
            self.record()?;
        }
        self.bar.finish_and_clear();
        let stats = self.recorder.take().map(|r| (r.path().to_path_buf(), r.finish()));
        let stats = match stats {
            Some((path, stats)) => Some((path, stats?)),
            None => None,
        };
        let steps = self.simulation.steps() - first;
        self.summary(steps, begin.elapsed(), stats, failed.is_some());
        if let Some(error) = failed {
            return Err(error);
        }
        Ok(match interrupted {
            true => ExitCode::from(INTERRUPTED),
            false if self.simulation.totals().flagged > 0 => Verdict::NotSolved.into(),
            false => Verdict::Solved.into(),
        })
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

    fn summary(&self, steps: u64, elapsed: Duration, stats: Option<(PathBuf, Stats)>, failed: bool) {
        if self.quiet {
            return;
        }
        let mut out = Output::default();
        let (state, totals) = (self.simulation.state(), self.simulation.totals());
        let rate = steps as f64 / elapsed.as_secs_f64().max(1e-9);
        out.line(&format!(
            "t = {:.6} s after {steps} steps in {:.2} s ({rate:.0} steps/s)",
            state.time,
            elapsed.as_secs_f64()
        ));
        out.line(&format!(
            "residual at most {:.1e}, penetration at most {:.1e} m, {} steps above the tolerance, {} retried, {} handed over",
            totals.worst_residual, totals.deepest, totals.flagged, totals.retried, totals.handed_over
        ));
        if self.by_bodies > 0 {
            out.line(&format!("sweeps through the bodies in {} steps, W not assembled", self.by_bodies));
        }
        out.line(&energies(&totals.energy));
        out.line(&format!("state {}", &state.hash_hex()[..16]));
        if let Some((path, stats)) = stats {
            let size = std::fs::metadata(&path).map(|m| m.len()).unwrap_or(0);
            let name = path.display();
            out.line(&format!("{name}: {} new frames, {} on disk", stats.frames, bytes(size)));
            match self.simulation.is_over() {
                true => out.line(&format!("next: delassus info {name}; delassus export {name} --vtk DIR")),
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
fn interruptible() -> &'static AtomicBool {
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
