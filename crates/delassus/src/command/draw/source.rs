//! From the argument to bodies and frames.

use super::args::DrawArgs;
use super::cell::Cell;
use super::snapshot::Snapshot;
use crate::command::output::{complain, report, warn};
use crate::command::{Verdict, names, nearest_frame, runs, scene};
use crate::simulation::{Error, Options, Simulation};
use delassus_record::{Frame, Header, Run};
use delassus_scene::{Built, Scene};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::Read;
use std::path::{Path, PathBuf};

/// What is to be drawn.
pub enum Source {
    /// Bodies, and frames of them.
    Scene(Box<Stage>),
    /// Sets of reactions alone.
    Exploration(PathBuf),
}

/// Bodies, and frames of them.
pub struct Stage {
    /// As given, without a time.
    pub name: String,
    /// The bodies as described.
    pub built: Built,
    /// Names of the fields.
    pub header: Header,
    film: Film,
    /// The time asked for.
    pub time: Option<f64>,
    /// Steps above the tolerance in a scene that was run for the picture.
    pub flagged: u64,
}

enum Film {
    Memory(Vec<Frame>),
    Disk(Box<Run>),
}

impl Stage {
    /// Times of the frames [s].
    pub fn times(&self) -> Vec<f64> {
        match &self.film {
            Film::Memory(frames) => frames.iter().map(|f| f.time).collect(),
            Film::Disk(run) => run.times().to_vec(),
        }
    }

    /// One frame, field by field.
    pub fn frame(&self, frame: usize) -> Result<Frame, String> {
        match &self.film {
            Film::Memory(frames) => Ok(frames[frame].clone()),
            Film::Disk(run) => run.read_frame(frame).map_err(|e| e.to_string()),
        }
    }

    /// One frame, in the periodic cell where there is one.
    pub fn snapshot(&self, frame: usize) -> Result<Snapshot, String> {
        let mut snapshot = match &self.film {
            Film::Memory(frames) => Snapshot::new(&self.header, &frames[frame])?,
            Film::Disk(run) => Snapshot::new(&self.header, &run.read_frame(frame).map_err(|e| e.to_string())?)?,
        };
        Cell::of(&self.built, &snapshot).gather(&mut snapshot);
        Ok(snapshot)
    }

    /// The run, if the frames come from one.
    pub fn run(&self) -> Option<&Run> {
        match &self.film {
            Film::Memory(_) => None,
            Film::Disk(run) => Some(run),
        }
    }

    /// The frame asked for; the last if none is.
    pub fn choose(&self, args: &DrawArgs) -> Result<usize, String> {
        let times = self.times();
        let Some(last) = times.len().checked_sub(1) else {
            return Err(format!("{} has no frame yet: nothing to draw", self.name));
        };
        if let Some(frame) = args.frame {
            return match frame <= last {
                true => Ok(frame),
                false => Err(format!("frame {frame}: {} has the frames 0 to {last}", self.name)),
            };
        }
        let Some(time) = self.time else { return Ok(last) };
        nearest_frame(&times, time).ok_or_else(|| {
            let (name, [first, end]) = (self.name.as_str(), [times[0], times[last]].map(super::rounded));
            format!("time {time} s: the frames of {name} go from {first} s to {end} s")
        })
    }
}

/// `NAME@TIME`, unless a file has that name.
fn split(source: &str) -> Result<(&str, Option<f64>), String> {
    if Path::new(source).exists() {
        return Ok((source, None));
    }
    match source.rsplit_once('@') {
        None => Ok((source, None)),
        Some((name, time)) => match time.parse::<f64>() {
            Ok(t) if t.is_finite() => Ok((name, Some(t))),
            _ => Err(format!("'{time}' after @ is no time: expected seconds, such as {name}@1.5")),
        },
    }
}

/// Name of the picture.
pub fn stem(source: &str) -> String {
    names::stem(split(source).map_or(source, |(name, _)| name))
}

/// Opens what the argument names; messages are printed.
pub fn open(args: &DrawArgs) -> Result<Source, Verdict> {
    let refuse = |message: String| {
        complain(&message);
        Verdict::BadInput
    };
    let (name, at) = split(&args.source).map_err(refuse)?;
    if at.is_some() && (args.time.is_some() || args.frame.is_some() || args.until.is_some()) {
        return Err(refuse(format!("{}: the time is given twice", args.source)));
    }
    let time = at.or(args.time);
    let path = Path::new(name);
    if !is_hdf5(path) {
        return staged(name, args, time);
    }
    if super::exploration::is_one(path) {
        return Ok(Source::Exploration(path.into()));
    }
    if !args.scene.set.is_empty() || args.until.is_some() {
        return Err(refuse(format!("{name} is a run: --set and --until are for scenes")));
    }
    let run = runs::open(path).map_err(|error| {
        refuse(format!("{error}\n  expected a scene, a run of 'delassus run' or a file of 'delassus explore'"))
    })?;
    let built = runs::scene_of(&run, None)
        .and_then(|scene| Ok(scene.lenient().build()?))
        .map_err(|error| refuse(format!("{name}: the scene of the run cannot be built again: {error}")))?;
    Ok(Source::Scene(Box::new(Stage {
        name: name.into(),
        built,
        header: run.header().clone(),
        film: Film::Disk(Box::new(run)),
        time,
        flagged: 0,
    })))
}

fn is_hdf5(path: &Path) -> bool {
    let mut start = [0; 8];
    let read = std::fs::File::open(path).and_then(|mut f| f.read_exact(&mut start));
    read.is_ok() && start == *b"\x89HDF\r\n\x1a\n"
}

/// A scene, run as far as asked.
fn staged(name: &str, args: &DrawArgs, time: Option<f64>) -> Result<Source, Verdict> {
    let loaded = scene::load(name, &args.scene)?;
    if args.frame.is_some() {
        complain(&format!("{name} is a scene, which has no frames: give --until T, or run it first"));
        return Err(Verdict::BadInput);
    }
    let until = args.until.or(time);
    if until.is_some_and(|t| t < 0.0) {
        complain(&format!("time {} s: a scene starts at 0 s", until.unwrap_or_default()));
        return Err(Verdict::BadInput);
    }
    filmed(name, &loaded, args, until).map(|stage| Source::Scene(Box::new(stage))).map_err(|error| {
        match &error {
            Error::Scene(diagnostics) => report(diagnostics),
            other => complain(&other.to_string()),
        }
        if error.is_step() { Verdict::NotSolved } else { Verdict::BadInput }
    })
}

/// Steps to the time asked for. Forces need one step at least, an animation all of them.
fn filmed(name: &str, scene: &Scene, args: &DrawArgs, until: Option<f64>) -> Result<Stage, Error> {
    let built = scene.clone().lenient().build()?;
    let mut simulation = Simulation::new(scene, &Options::default())?;
    let film = super::is_film(args);
    let step = simulation.clock().step;
    let steps = match until {
        Some(t) => (t / step).round() as u64,
        None if film => simulation.clock().steps,
        None => u64::from(args.forces.is_some()),
    };
    let target = if args.quiet || steps < 2 { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(Some(steps), target);
    let style = ProgressStyle::with_template("[{bar:24}] {percent:>3}% running the scene, about {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
    let mut frames = vec![];
    let mut keep = |simulation: &mut Simulation| -> Result<(), Error> {
        let mut frame = simulation.header().frame();
        simulation.fill(&mut frame)?;
        frames.push(frame);
        Ok(())
    };
    while simulation.steps() < steps && !simulation.is_over() {
        if film && simulation.steps().is_multiple_of(simulation.clock().every) {
            keep(&mut simulation)?;
        }
        simulation.step()?;
        bar.inc(1);
    }
    keep(&mut simulation)?;
    bar.finish_and_clear();
    let flagged = simulation.totals().flagged;
    if flagged > 0 {
        warn(&format!("{flagged} steps above the tolerance on the way"));
    }
    let (header, film) = (simulation.header().clone(), Film::Memory(frames));
    Ok(Stage { name: name.into(), built, header, film, time: None, flagged })
}
