//! A scene that is explored at a later time: it is run first.

use super::super::explore_args::ExploreArgs;
use super::super::run::{self, Recording};
use super::super::{Verdict, names, scene};
use super::subject::split;
use delassus_record::Run;
use std::path::Path;
use std::process::ExitCode;

/// Turns `SCENE@TIME` into the run that ends at that time; anything else is left as it is. `Err`
/// when the scene could not be run so far.
pub fn run_to_time(args: &mut ExploreArgs) -> Result<Verdict, ExitCode> {
    let (name, time) = split(&args.source);
    let Some(time) = time.and_then(|t| t.parse::<f64>().ok()).filter(|t| t.is_finite() && *t > 0.0) else {
        return Ok(Verdict::Solved);
    };
    let is_scene = Path::new(name).extension().is_none_or(|e| e == "toml");
    if !is_scene {
        return Ok(Verdict::Solved);
    }
    let beside = args.output.as_deref().map_or_else(|| names::stem(name).into(), names::plain);
    let path = names::ending(beside, "run.h5");
    let mut changed = std::mem::take(&mut args.scene);
    changed.set.push(format!("time.end={time:?}"));
    let scene = scene::load(name, &changed).map_err(ExitCode::from)?;
    let how = Recording {
        output: Some(path.clone()),
        inputs: names::scene_file(name),
        overwrite: true,
        threads: args.threads,
        quiet: args.quiet,
        ..Recording::default()
    };
    let code = run::told(|| run::record(&scene, &how));
    args.source = path.display().to_string();
    match code {
        ExitCode::SUCCESS => Ok(Verdict::Solved),
        // Steps above the tolerance were told and counted; explored if the time was reached.
        other if other == Verdict::NotSolved.into() && reached(&path, time) => Ok(Verdict::NotSolved),
        other => Err(other),
    }
}

fn reached(path: &Path, time: f64) -> bool {
    Run::open(path).is_ok_and(|run| run.times().last().is_some_and(|end| *end >= time * (1.0 - 1e-9)))
}
