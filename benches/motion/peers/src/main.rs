//! Rapier and Box2D on the scenes of the gallery, from the description that `state.py` writes.
//!
//!     motion-peers rapier|box2d STATE.json OUT.json default|stiff SECONDS
//!     motion-peers depth STATE.json MOTION.json
//!
//! The first steps a scene to its end, or for so many seconds of processor time, and writes its motion; the second
//! prints the deepest penetration of a motion, whoever computed it, in metres.

// Rapier's two crates have the same interface: one file drives both.
#![allow(clippy::duplicate_mod)]

mod box2d;
mod state;

/// Rapier in the plane.
mod plane {
    pub use rapier2d_f64 as rapier;
    pub mod adapt;
    #[path = "../engine.rs"]
    pub mod engine;
}

/// Rapier in space.
mod space {
    pub use rapier3d_f64 as rapier;
    pub mod adapt;
    #[path = "../engine.rs"]
    pub mod engine;
}

use state::{Motion, Setting, State};
use std::error::Error;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args.iter().map(String::as_str).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("motion-peers: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(args: &[&str]) -> Result<(), Box<dyn Error>> {
    match args {
        ["depth", state, motion] => {
            let state: State = serde_json::from_slice(&std::fs::read(state)?)?;
            let motion: Motion = serde_json::from_slice(&std::fs::read(motion)?)?;
            let depth = match state.dimension {
                2 => plane::engine::depth(&state, &motion)?,
                _ => space::engine::depth(&state, &motion)?,
            };
            println!("{depth:e}");
            Ok(())
        }
        [engine, state, out, setting, limit] => {
            let state: State = serde_json::from_slice(&std::fs::read(state)?)?;
            let setting = Setting::named(setting)?;
            let limit: f64 = limit.parse()?;
            let motion = match (*engine, state.dimension) {
                ("rapier", 2) => plane::engine::run(&state, setting, limit)?,
                ("rapier", _) => space::engine::run(&state, setting, limit)?,
                ("box2d", 2) => box2d::run(&state, setting, limit)?,
                ("box2d", _) => return Err("Box2D is of the plane".into()),
                _ => return Err(format!("unknown engine '{engine}': rapier or box2d").into()),
            };
            Ok(std::fs::write(out, serde_json::to_vec(&motion)?)?)
        }
        _ => Err("rapier|box2d STATE.json OUT.json default|stiff SECONDS, or depth STATE.json MOTION.json".into()),
    }
}
