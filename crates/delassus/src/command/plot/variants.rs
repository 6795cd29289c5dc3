//! Runs of a scene or of its variants, made where they are not there yet.

use super::Labelled;
use super::args::PlotArgs;
use crate::command::output::warn;
use crate::command::run::{self, Failure, Recording};
use crate::command::scene;
use crate::command::scene_args::SceneArgs;
use crate::command::{names, runs};
use crate::simulation::{Options, Simulation};
use delassus_record::Run;
use delassus_scene::Scene;
use delassus_scene::diagnostic::nearest;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The run of a scene as it is, in the file SCENE.h5 of this folder, which is not written over if it is another run.
pub fn single(name: &str, args: &PlotArgs) -> Result<Labelled, String> {
    let scene = loaded(name, args)?;
    let path = PathBuf::from(format!("{}.h5", names::stem(name)));
    if path.exists() && same(&path, &scene).is_none() {
        let file = path.display();
        return Err(format!(
            "{file} is not the run of {name} with these values: plot it as it is, 'delassus plot {file} …', or move it away"
        ));
    }
    made(name, name, &scene, path, names::stem(name), args)
}

fn loaded(name: &str, args: &PlotArgs) -> Result<Scene, String> {
    let plain = SceneArgs { set: args.set.clone(), variant: None };
    scene::load(name, &plain).map_err(|_| format!("the scene {name} cannot be read"))
}

/// The runs of all variants of a scene, in files SCENE_VARIANT.h5 of this folder. A variant that
/// cannot be run to its end is plotted as far as it went.
pub fn runs(name: &str, args: &PlotArgs) -> Result<Vec<Labelled>, String> {
    let scene = loaded(name, args)?;
    let all = scene.variants();
    if all.is_empty() {
        return Err(format!("the scene {name} has no [variant.NAME]: give runs to compare, or variants to the scene"));
    }
    for asked in &args.variants {
        if !all.iter().any(|v| v.0 == *asked) {
            let names: Vec<&str> = all.iter().map(|v| v.0.as_str()).collect();
            let near = nearest(asked, &names).map(|n| format!("; did you mean '{n}'?")).unwrap_or_default();
            return Err(format!("the scene {name} has no variant '{asked}'{near} There are: {}", names.join(", ")));
        }
    }
    let stem = names::stem(name);
    let mut runs = vec![];
    for (variant, label, _) in all.iter().filter(|v| args.variants.is_empty() || args.variants.contains(&v.0)) {
        let path = PathBuf::from(format!("{stem}_{variant}.h5"));
        let varied = scene.with_variant(variant).map_err(|e| format!("variant {variant}: {e}"))?;
        runs.push(made(&format!("variant {variant}"), name, &varied, path, label.clone(), args)?);
    }
    Ok(runs)
}

/// The run of a scene in a file, made unless it is there.
fn made(
    what: &str,
    name: &str,
    scene: &Scene,
    path: PathBuf,
    label: String,
    args: &PlotArgs,
) -> Result<Labelled, String> {
    if !same(&path, scene).is_some_and(|run| is_whole(&run, scene)) {
        record(scene, what, &path, (names::scene_file(name), args.quiet))?;
    }
    let run = runs::verified(&path)?;
    let certified = is_certified(&run, scene)?;
    if !certified {
        warn(&format!("{what} did not come to its end with every step certified"));
    }
    Ok(Labelled { run, label, certified })
}

/// Whether a run came to the end of its scene, without a step above the tolerance.
fn is_certified(run: &Run, scene: &Scene) -> Result<bool, String> {
    let Some(last) = run.frames().checked_sub(1) else { return Ok(false) };
    let frame = run.read_frame(last).map_err(|e| e.to_string())?;
    Ok(is_whole(run, scene) && runs::value(run, &frame, "count/flagged") == 0.0)
}

/// Whether a run reaches the end of its scene, which stages and events may have put elsewhere than `time.end`.
fn is_whole(run: &Run, scene: &Scene) -> bool {
    let Some(last) = run.frames().checked_sub(1) else { return false };
    let ended = |mut s: Simulation| s.restore(run, last).map(|()| s.is_over());
    Simulation::resumed(scene, &Options::default(), run).and_then(ended).unwrap_or(false)
}

/// The run in a file, if it is one of just this scene.
fn same(path: &Path, scene: &Scene) -> Option<Run> {
    let run = Run::open(path).ok()?;
    let header = run.header();
    let is_same = header.scene == scene.text
        && header.overrides == scene.overrides
        && header.files.iter().all(|f| scene.files.bytes(&f.name).is_ok_and(|bytes| bytes == f.bytes));
    is_same.then_some(run)
}

fn record(scene: &Scene, what: &str, path: &Path, (inputs, quiet): (Vec<PathBuf>, bool)) -> Result<(), String> {
    let say = |e: &dyn std::fmt::Display| format!("{what}: {e}");
    let how = Recording { output: Some(path.into()), inputs, overwrite: true, quiet: true, ..Recording::default() };
    match run::record(scene, &how) {
        Ok(code) if code == ExitCode::from(run::INTERRUPTED) => Err(say(&"interrupted")),
        Ok(_) => Ok(()),
        Err(Failure::Run(error)) if error.is_step() => {
            if !quiet {
                warn(&say(&error));
            }
            Ok(())
        }
        Err(error) => Err(say(&error)),
    }
}
