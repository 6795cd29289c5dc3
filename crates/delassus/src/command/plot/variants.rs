//! Runs of the variants of a scene, made where they are not there yet.

use super::Labelled;
use super::args::PlotArgs;
use crate::command::output::warn;
use crate::command::run::{self, Failure, Recording};
use crate::command::scene;
use crate::command::scene_args::SceneArgs;
use crate::command::{names, runs};
use delassus_record::Run;
use delassus_scene::Scene;
use delassus_scene::diagnostic::nearest;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The runs of all variants of a scene, in files SCENE_VARIANT.h5 of this folder. A variant that
/// cannot be run to its end is plotted as far as it went.
pub fn runs(name: &str, args: &PlotArgs) -> Result<Vec<Labelled>, String> {
    let plain = SceneArgs { set: args.set.clone(), variant: None };
    let scene = scene::load(name, &plain).map_err(|_| format!("the scene {name} cannot be read"))?;
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
        if !is_same(&path, &varied) {
            record(&varied, variant, &path, (names::scene_file(name), args.quiet))?;
        }
        let run = runs::verified(&path)?;
        let certified = is_certified(&run, &varied)?;
        if !certified {
            warn(&format!("variant {variant} did not come to its end with every step certified"));
        }
        runs.push(Labelled { run, label: label.clone(), certified });
    }
    Ok(runs)
}

/// Whether a run came to the end of its scene, without a step above the tolerance.
fn is_certified(run: &Run, scene: &Scene) -> Result<bool, String> {
    let Some(last) = run.frames().checked_sub(1) else { return Ok(false) };
    let frame = run.read_frame(last).map_err(|e| e.to_string())?;
    Ok(is_whole(run, scene) && runs::value(run, &frame, "count/flagged") == 0.0)
}

/// Whether a run reaches the end of its scene.
fn is_whole(run: &Run, scene: &Scene) -> bool {
    let end = run.times().last().copied().unwrap_or(0.0);
    (end - scene.description.time.end).abs() <= 1e-6 * scene.description.time.end
}

/// Whether a file is the complete run of just this scene.
fn is_same(path: &Path, scene: &Scene) -> bool {
    let Ok(run) = Run::open(path) else { return false };
    let header = run.header();
    header.scene == scene.text
        && header.overrides == scene.overrides
        && header.files.iter().all(|f| scene.files.bytes(&f.name).is_ok_and(|bytes| bytes == f.bytes))
        && is_whole(&run, scene)
}

fn record(scene: &Scene, variant: &str, path: &Path, (inputs, quiet): (Vec<PathBuf>, bool)) -> Result<(), String> {
    let say = |e: &dyn std::fmt::Display| format!("variant {variant}: {e}");
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
