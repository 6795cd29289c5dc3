//! One member: run, or gone on with, or known already; then measured.

use super::args::SweepArgs;
use super::measure::Measure;
use super::plan::{Member, Plan, write};
use crate::command::run::{self, Failure, INTERRUPTED, Recording};
use crate::command::scene_args::ResumeArgs;
use crate::command::{guarded, output, resume, runs};
use delassus_record::Run;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::process::ExitCode;

/// How a member ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// At its end, every step certified.
    Certified,
    /// At its end, with steps above the tolerance.
    Flagged,
    /// Not at its end, or without its measures.
    Failed,
    /// Not run, or not to its end, because the sweep was stopped.
    Pending,
}

impl Status {
    const ALL: [Self; 4] = [Self::Certified, Self::Flagged, Self::Failed, Self::Pending];

    /// In tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Certified => "certified",
            Self::Flagged => "flagged",
            Self::Failed => "failed",
            Self::Pending => "pending",
        }
    }

    fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.word() == word)
    }
}

/// What a member came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub status: Status,
    /// One for each measure; not a number where it could not be taken.
    pub values: Vec<f64>,
    /// Unit of each measure, empty where it is not known.
    pub units: Vec<String>,
    /// Time reached \[s\] and steps above the tolerance.
    pub reached: f64,
    pub flagged: f64,
    /// Whether the run itself came to its end, whatever its measures.
    pub ended: bool,
    /// What was told, errors first.
    pub message: String,
}

impl Outcome {
    /// Nothing yet.
    pub fn pending(measures: usize) -> Self {
        let (values, units) = (vec![f64::NAN; measures], vec![String::new(); measures]);
        let [reached, flagged] = [f64::NAN; 2];
        Self { status: Status::Pending, values, units, reached, flagged, ended: false, message: String::new() }
    }

    /// Why it failed, in one line.
    pub fn reason(&self) -> &str {
        let lines = || self.message.lines().filter(|l| !l.trim().is_empty());
        lines().find(|l| l.starts_with("error")).or(lines().next()).unwrap_or("no message").trim()
    }
}

/// Runs, goes on or reads.
pub fn outcome(plan: &Plan, member: &Member, args: &SweepArgs) -> Outcome {
    if let Some(known) = known(plan, member, args) {
        return known;
    }
    let (result, message) = output::collected(|| guarded(|| made(plan, member)).unwrap_or_else(Err));
    let mut outcome = Outcome { message, ..Outcome::pending(plan.measures.len()) };
    match result {
        Ok(Status::Pending) => return outcome,
        Ok(status) => (outcome.status, outcome.ended) = (status, true),
        Err(why) => {
            outcome.status = Status::Failed;
            let plain = why.trim_start_matches("error: ");
            outcome.message = format!("error: {plain}\n{}", outcome.message);
        }
    }
    measured(&mut outcome, plan, member);
    let kept = write(&plan.file(member, "json"), as_json(&outcome, plan, member).as_bytes());
    match kept {
        Err(why) => outcome = Outcome { status: Status::Failed, message: format!("error: {why}"), ..outcome },
        // A run that failed is kept: it says why.
        Ok(()) if args.discard && outcome.status == Status::Certified => {
            let _ = std::fs::remove_file(plan.file(member, "h5"));
        }
        Ok(()) => {}
    }
    outcome
}

/// Steps to the end, from where an earlier sweep was stopped.
fn made(plan: &Plan, member: &Member) -> Result<Status, String> {
    let scene = plan.scene_of(member)?;
    let path = plan.file(member, "h5");
    // One thread: members are what runs at once.
    let threads = Some(1);
    let ended = if is_begun(&path, &scene) {
        resume::go_on(&ResumeArgs { run: path, frame: None, end: None, threads, quiet: true, set: vec![] })
    } else {
        let how = Recording { output: Some(path), overwrite: true, threads, quiet: true, ..Recording::default() };
        run::record(&scene, &how)
    };
    match ended {
        Ok(code) if code == ExitCode::from(INTERRUPTED) => Ok(Status::Pending),
        Ok(ExitCode::SUCCESS) => Ok(Status::Certified),
        Ok(_) => Ok(Status::Flagged),
        Err(Failure::Run(crate::simulation::Error::Scene(diagnostics))) => Err(diagnostics.to_string()),
        Err(failure) => Err(failure.to_string()),
    }
}

/// Whether a file is a run of just this scene, to go on with.
fn is_begun(path: &Path, scene: &delassus_scene::Scene) -> bool {
    let Ok(run) = Run::open(path) else { return false };
    let header = run.header();
    run.frames() > 0
        && header.scene == scene.text
        && header.overrides == scene.overrides
        && header.files.iter().all(|f| scene.files.bytes(&f.name).is_ok_and(|bytes| bytes == f.bytes))
}

/// Takes what can be taken: a run that stopped early has its measures, too.
fn measured(outcome: &mut Outcome, plan: &Plan, member: &Member) {
    let path = plan.file(member, "h5");
    let failed = outcome.status == Status::Failed;
    let (run, told) = output::collected(|| runs::verified(&path));
    let run = match run {
        Ok(run) => run,
        Err(_) if failed => return,
        Err(why) => {
            outcome.status = Status::Failed;
            outcome.message += &format!("error: {why}\n");
            return;
        }
    };
    if !failed {
        outcome.message += &told;
    }
    outcome.reached = run.times().last().copied().unwrap_or(f64::NAN);
    if let Some(last) = run.frames().checked_sub(1).and_then(|k| run.read_frame(k).ok()) {
        outcome.flagged = runs::value(&run, &last, "count/flagged");
    }
    for (k, measure) in plan.measures.iter().enumerate() {
        match measure.of(&run) {
            Ok((value, unit)) => (outcome.values[k], outcome.units[k]) = (value, unit),
            Err(why) => {
                outcome.status = Status::Failed;
                outcome.message += &format!("error: {why}\n");
            }
        }
    }
}

fn as_json(outcome: &Outcome, plan: &Plan, member: &Member) -> String {
    let mut values = Map::new();
    for (k, Measure { text, .. }) in plan.measures.iter().enumerate() {
        values.insert(text.clone(), json!([outcome.values[k], outcome.units[k]]));
    }
    let value = json!({
        "set": member.set,
        "variant": member.variant,
        "status": outcome.status.word(),
        "reached": outcome.reached,
        "flagged": outcome.flagged,
        "ended": outcome.ended,
        "measures": values,
        "message": outcome.message,
    });
    serde_json::to_string_pretty(&value).expect("plain data") + "\n"
}

/// What an earlier sweep wrote about the member, as far as it answers this one.
fn known(plan: &Plan, member: &Member, args: &SweepArgs) -> Option<Outcome> {
    let text = std::fs::read_to_string(plan.file(member, "json")).ok()?;
    let old: Value = serde_json::from_str(&text).ok()?;
    if old["set"] != json!(member.set) || old["variant"] != json!(member.variant) {
        return None;
    }
    let status = Status::named(old["status"].as_str()?)?;
    if status == Status::Failed && args.again {
        return None;
    }
    if status == Status::Failed && !still_failed(&old, plan) {
        return None;
    }
    let mut outcome = Outcome::pending(plan.measures.len());
    for (k, measure) in plan.measures.iter().enumerate() {
        // A measure that is new is taken from the run.
        let pair = old["measures"].get(&measure.text)?;
        outcome.values[k] = pair[0].as_f64().unwrap_or(f64::NAN);
        outcome.units[k] = pair[1].as_str().unwrap_or_default().into();
    }
    outcome.status = status;
    outcome.reached = old["reached"].as_f64().unwrap_or(f64::NAN);
    outcome.flagged = old["flagged"].as_f64().unwrap_or(f64::NAN);
    outcome.ended = old["ended"].as_bool().unwrap_or(false);
    outcome.message = old["message"].as_str().unwrap_or_default().into();
    Some(outcome)
}

/// Whether a failure counts: that of a run, or of measures that are all asked for again.
fn still_failed(old: &Value, plan: &Plan) -> bool {
    let ended = old["ended"].as_bool() == Some(true);
    let asked = |text: &String| plan.measures.iter().any(|m| m.text == *text);
    !ended || old["measures"].as_object().is_some_and(|m| m.keys().all(asked))
}
