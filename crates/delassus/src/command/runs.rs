//! Runs that are read: opened, compared with their hashes, and what is unusual about them said.

use super::draw::rounded;
use super::output::warn;
use crate::simulation;
use delassus_record::{Error, Run};
use delassus_scene::Scene;
use std::path::Path;

/// Opens a run. Its header is compared with its hash, and so is each whole frame that is read.
pub fn open(path: &Path) -> Result<Run, String> {
    let run = Run::open(path).map_err(|error| told(&error, path))?;
    let (name, end) = (path.display(), rounded(run.times().last().copied().unwrap_or(0.0)));
    let left = run.recovery();
    if run.is_growing() {
        warn(&format!("{name} is being written: {} frames to {end} s so far", run.frames()));
    } else if left.journal_frames > 0 || left.dropped_bytes > 0 {
        warn(&format!("{name} was cut off while it was written, at {end} s; 'delassus resume {name}' goes on"));
    }
    Ok(run)
}

/// Opens a run and compares every frame with its hash, for series over all of them.
pub fn verified(path: &Path) -> Result<Run, String> {
    let run = open(path)?;
    run.verify().map_err(|error| told(&error, path))?;
    Ok(run)
}

/// The value of a series in a frame that was compared with its hash.
pub fn value(run: &Run, frame: &delassus_record::Frame, name: &str) -> f64 {
    let column = run.header().position(name).and_then(|i| frame.columns.get(i));
    column.and_then(|c| c.f64()).and_then(|x| x.first().copied()).unwrap_or(0.0)
}

/// The scene a run was made from.
pub fn scene_of(run: &Run, end: Option<f64>) -> Result<Scene, simulation::Error> {
    simulation::scene_of(run, end.map(|end| format!("time.end={end:?}")).as_slice())
}

fn told(error: &Error, path: &Path) -> String {
    match error {
        _ if path.is_dir() => format!("{} is a folder, expected a run file", path.display()),
        Error::Damaged { .. } | Error::Hdf5 { .. } => {
            format!(
                "{error}\n  the file was changed or cut since it was written: take a copy of it, or run the scene again"
            )
        }
        _ => error.to_string(),
    }
}
