//! `resume`: a run goes on where it stopped, or beyond its end.

use super::draw::rounded;
use super::output::{Output, warn};
use super::run::{Drive, Failure, failures, on_threads, told};
use super::runs;
use super::scene_args::ResumeArgs;
use crate::simulation::{self, Error, Options, Simulation};
use delassus_record::{Options as RecordOptions, Recorder, Run};
use std::path::Path;
use std::process::ExitCode;

/// Continues a run.
pub fn run(args: &ResumeArgs) -> ExitCode {
    told(|| go_on(args))
}

/// The same, with its failure as data.
pub(super) fn go_on(args: &ResumeArgs) -> Result<ExitCode, Failure> {
    let options = Options { failures: Some(failures(&args.run)), threads: args.threads, ..Options::default() };
    let run = runs::open(&args.run).map_err(Failure::Refused)?;
    if run.is_growing() {
        return Err(Error::from(delassus_record::Error::Busy { path: args.run.clone() }).into());
    }
    let mut scene = runs::scene_of(&run, None)?;
    let staged = !scene.stages().is_empty();
    if !staged {
        scene = runs::scene_of(&run, args.end)?;
    }
    tell_changed(&run);
    on_threads(args.threads);
    let mut simulation = Simulation::resumed(&scene, &options, &run)?;
    let none = Error::Frame { frame: 0, reason: "the run has no frame".into() };
    let last = run.frames().checked_sub(1).ok_or(none)?;
    let frame = args.frame.unwrap_or(last);
    simulation.restore(&run, frame)?;
    if let (Some(end), true) = (args.end, staged) {
        let more = longer(&simulation, &scene, end).map_err(Failure::Refused)?;
        simulation = Simulation::resumed(&simulation::scene_of(&run, &more)?, &options, &run)?;
        simulation.restore(&run, frame)?;
    }
    if args.end.is_some_and(|end| end > simulation.time()) {
        simulation.go_on_after_stop();
    }
    if !args.set.is_empty() {
        may_change(&args.set, &scene).map_err(Failure::Refused)?;
        simulation.set(&args.set)?;
    }
    if simulation.is_over() {
        return finished(simulation, &run, (frame, last), args).map_err(Failure::Refused);
    }
    simulation.record_like(&run)?;
    // The frame of an interruption is not one of the uninterrupted run.
    let keep = if simulation.is_due() { frame } else { frame.saturating_sub(1) };
    drop(run);
    let record = RecordOptions::default();
    let recorder = match args.set.is_empty() {
        true => Recorder::resume(&args.run, keep, &record),
        // What is changed is changed at a frame that stays.
        false => Recorder::resume_as(&args.run, frame, simulation.header(), &record),
    };
    let recorder = recorder.map_err(Error::from)?;
    Ok(Drive::new(simulation, Some(recorder), args.quiet).go_on()?)
}

/// The last stage lasts until a time of the run; the durations of those before it are their own.
fn longer(simulation: &Simulation, scene: &delassus_scene::Scene, end: f64) -> Result<[String; 1], String> {
    let last = scene.stage_name(scene.stages().len());
    if simulation.stage() != last {
        let now = simulation.stage();
        return Err(format!(
            "--end {end}: the run is in stage '{now}', and its end is that of stage '{last}': go on to it first"
        ));
    }
    Ok([format!("stage.{last}.time.end={:?}", end - simulation.stage_began())])
}

/// Keys of a scene that a run may change on the way.
const MAY: [&str; 10] = ["law", "gravity", "load", "joint", "spring", "fluid", "servo", "solver", "time", "detection"];

/// What is laid out in the run file, and who is in it, stays.
fn may_change(set: &[String], scene: &delassus_scene::Scene) -> Result<(), String> {
    for text in set {
        let key = text.split('=').next().unwrap_or_default().trim();
        let steps: Vec<&str> = key.split('.').collect();
        let of_body = steps.len() >= 3 && steps[0] == "body" && ["motion", "fixed"].contains(&steps[2]);
        let end = !scene.stages().is_empty() && ["time", "time.end"].contains(&key);
        if end || !(of_body || MAY.contains(&steps[0]) || ["h", "tolerance"].contains(&steps[0])) {
            return Err(format!(
                "--set {key}: a run that goes on cannot change it; it may change {}, body.NAME.motion and \
                 body.NAME.fixed{}. For anything else give a scene [start] from = \"RUN\" and run it",
                MAY.join(", "),
                if end { ", but not `time.end` where there are stages" } else { "" }
            ));
        }
    }
    Ok(())
}

/// A run that has nothing left to do: what it came to is said, and nothing is changed.
fn finished(
    simulation: Simulation,
    run: &Run,
    (frame, last): (usize, usize),
    args: &ResumeArgs,
) -> Result<ExitCode, String> {
    let (name, time, end) = (run.path().display(), rounded(simulation.time()), simulation.clock().end);
    if let Some(asked) = args.end.filter(|_| simulation.steps() > simulation.clock().steps) {
        let before = run.times().iter().rposition(|t| *t <= asked * (1.0 + 1e-9));
        let back = before.map(|k| format!("; --frame {k} goes back to {} s", rounded(run.times()[k])));
        return Err(format!("--end {asked}: {name} is at {time} s already{}", back.unwrap_or_default()));
    }
    if frame < last {
        return Err(format!(
            "frame {frame} of {name} is at {time} s, and the scene ends at {} s: give --end T to go on from there",
            rounded(end)
        ));
    }
    let drive = Drive::new(simulation, None, args.quiet);
    if !args.quiet {
        let mut out = Output::default();
        out.line(&format!("{name} is finished, at t = {time} s; give --end T to go further"));
        drive.totals(&mut out);
    }
    Ok(drive.verdict())
}

/// The run goes on with the files it was made with; that they are others by now is said.
fn tell_changed(run: &Run) {
    let Some(folder) = run.header().attributes.get("folder").map(Path::new) else { return };
    for file in &run.header().files {
        let path = folder.join(&file.name);
        if std::fs::read(&path).is_ok_and(|now| *now != *file.bytes) {
            let path = path.display();
            warn(&format!("{path} has changed since the run was made, which goes on with what it was then"));
        }
    }
}
