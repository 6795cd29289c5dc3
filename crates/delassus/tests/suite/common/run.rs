//! Scenes of tests as runs, and what is recorded of them.

use delassus::scene::Scene;
use delassus::simulation::{Options, Simulation};

pub fn read(text: &str, changes: &[&str]) -> Scene {
    let changes: Vec<String> = changes.iter().map(|s| (*s).to_owned()).collect();
    Scene::parse(text, "scene", &changes).unwrap_or_else(|e| panic!("{e}"))
}

pub fn start(text: &str, changes: &[&str]) -> Simulation {
    Simulation::new(&read(text, changes), &Options::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// Why a scene is refused.
pub fn refused(text: &str, changes: &[&str]) -> String {
    let changes: Vec<String> = changes.iter().map(|s| (*s).to_owned()).collect();
    let checked = Scene::parse(text, "scene", &changes).and_then(|scene| scene.check());
    checked.err().map(|e| e.to_string()).unwrap_or_default()
}

/// To the end, every step certified.
pub fn finish(text: &str, changes: &[&str]) -> Simulation {
    let mut run = start(text, changes);
    while !run.is_over() {
        run.step().unwrap_or_else(|e| panic!("{changes:?}: {e}"));
    }
    assert_eq!(run.totals().flagged, 0, "{changes:?}");
    run
}

/// Numbers of a recorded field, now.
pub fn field(run: &mut Simulation, name: &str) -> Vec<f64> {
    let mut frame = run.header().frame();
    run.fill(&mut frame).expect("filled");
    let i = run.header().position(name).unwrap_or_else(|| panic!("no {name}"));
    frame.columns[i].f64().expect("numbers").to_vec()
}
