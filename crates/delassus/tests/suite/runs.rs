//! Scenes in motion: records, restarts, threads.
//!
//! The reference is the uninterrupted run of one thread, bit for bit, by the hash of the state.

use delassus::record::{Options as RecordOptions, Recorder, Run};
use delassus::scene::{Scene, example};
use delassus::simulation::{Options, Simulation};
use std::path::PathBuf;

/// Five kinds: masonry in the plane, polyhedra in space, joints, adhesion with memory, imposed motion.
const SCENES: [&str; 5] = ["arch_standing", "cube_on_three_contacts", "slider_crank", "peeling", "shaken_table"];

/// Steps of a comparison.
const STEPS: u64 = 60;

fn scene(name: &str) -> Scene {
    let text = example(name).unwrap_or_else(|_| panic!("{name} is in the gallery")).text;
    Scene::parse(text, name, &[]).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn start(name: &str, threads: usize) -> Simulation {
    let options = Options { threads: Some(threads), ..Options::default() };
    Simulation::new(&scene(name), &options).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn walk(simulation: &mut Simulation, steps: u64) {
    for _ in 0..steps {
        simulation.step().expect("the step is made");
    }
}

fn scratch(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("runs");
    std::fs::create_dir_all(&folder).expect("a scratch folder");
    folder.join(name)
}

/// n + m steps equal n steps, save, load, m steps, for several n.
#[test]
fn restart_equals_no_restart() {
    for name in SCENES {
        let path = scratch(&format!("restart_{name}.h5"));
        let mut whole = start(name, 1);
        let options = RecordOptions { overwrite: true, ..Default::default() };
        let mut recorder = Recorder::create(&path, whole.header(), &options).expect("a run file");
        let mut frame = whole.header().frame();
        let mut hashes = vec![];
        for _ in 0..=STEPS {
            whole.fill(&mut frame).expect("filled");
            recorder.write(&frame).expect("recorded");
            hashes.push(whole.state().hash_hex());
            walk(&mut whole, 1);
        }
        recorder.finish().expect("closed");
        let run = Run::open(&path).expect("a run");
        assert_eq!(run.frames() as u64, STEPS + 1, "{name}");
        for from in [0, 1, STEPS / 3, STEPS - 1] {
            let mut again = start(name, 1);
            again.restore(&run, from as usize).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(again.state().hash_hex(), hashes[from as usize], "{name}: frame {from} as it was");
            walk(&mut again, STEPS - from);
            assert_eq!(again.state().hash_hex(), hashes[STEPS as usize], "{name}: restarted at step {from}");
        }
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    for name in SCENES {
        let [mut one, mut two] = [start(name, 1), start(name, 2)];
        walk(&mut one, STEPS);
        walk(&mut two, STEPS);
        assert_eq!(one.state().hash_hex(), two.state().hash_hex(), "{name}");
    }
}

/// The balance of energies closes to round-off: the ledger is an identity of the scheme.
#[test]
fn energy_balance_closes() {
    for name in SCENES {
        let mut simulation = start(name, 1);
        walk(&mut simulation, STEPS);
        let e = simulation.totals().energy;
        let scale = e.kinetic.abs() + e.potential.abs() + e.works().abs() + e.friction.abs() + e.shock.abs();
        assert!(e.closing.abs() <= 1e-9 * scale.max(1e-6), "{name}: {e:?}");
    }
}

/// Bits of a run do not belong to another scene.
#[test]
fn frames_of_another_scene_are_refused() {
    let path = scratch("other.h5");
    let mut plane = start("arch_standing", 1);
    let options = RecordOptions { overwrite: true, ..Default::default() };
    let mut recorder = Recorder::create(&path, plane.header(), &options).expect("a run file");
    let mut frame = plane.header().frame();
    plane.fill(&mut frame).expect("filled");
    recorder.write(&frame).expect("recorded");
    recorder.finish().expect("closed");
    let run = Run::open(&path).expect("a run");
    let error = start("cube_on_three_contacts", 1).restore(&run, 0).expect_err("other dimension");
    assert!(error.to_string().contains("dimension 2"), "{error}");
    let error = start("slider_crank", 1).restore(&run, 0).expect_err("other bodies");
    assert!(error.to_string().contains("coordinates"), "{error}");
}

/// A disc that glides without friction over a periodic floor, 0.5 m a step where the period is 0.2 m: after
/// 300 steps it is 750 periods away from the plates it touches. Closed form: it keeps its speed and its height,
/// and restarts from there with the same bits.
#[test]
fn bodies_drift_over_any_number_of_periods() {
    let text = "
        dimension = 2
        [time]
        step = 1e-2
        end = 3
        [periodic]
        x = 0.2
        [material.ice]
        density = 1000
        [law]
        friction = 0
        # Two plates that overlap: no seam is open.
        [body.plate_1]
        shape.box.size = [0.15, 0.1]
        position = [0.05, -0.05]
        fixed = true
        [body.plate_2]
        shape.box.size = [0.15, 0.1]
        position = [0.15, -0.05]
        fixed = true
        [body.disc]
        shape.disc.radius = 0.02
        position = [0, 0.02]
        velocity = [50, 0]
    ";
    let begin = || {
        let scene = Scene::parse(text, "drift", &[]).unwrap_or_else(|e| panic!("{e}"));
        Simulation::new(&scene, &Options::default()).unwrap_or_else(|e| panic!("{e}"))
    };
    let path = scratch("drift.h5");
    let mut whole = begin();
    let options = RecordOptions { overwrite: true, ..Default::default() };
    let mut recorder = Recorder::create(&path, whole.header(), &options).expect("a run file");
    let mut frame = whole.header().frame();
    for _ in 0..2 {
        walk(&mut whole, 100);
        whole.fill(&mut frame).expect("a frame");
        recorder.write(&frame).expect("recorded");
    }
    recorder.finish().expect("closed");
    walk(&mut whole, 100);
    let images = whole.whole_state().contacts.iter().map(|c| c.key.image[0].abs());
    assert!(images.clone().count() > 0 && images.clone().all(|m| (745..755).contains(&m)), "{:?}", images.max());
    let state = whole.whole_state();
    let (q, u) = (&state.q, &state.u);
    assert!(q.iter().any(|x| (x - 150.0).abs() < 1e-9) && q.iter().any(|y| (y - 0.02).abs() < 1e-9), "{q:?}");
    assert!(u.iter().any(|v| (v - 50.0).abs() < 1e-9), "{u:?}");
    let mut again = begin();
    again.restore(&Run::open(&path).expect("a run"), 1).expect("500 periods on");
    walk(&mut again, 100);
    assert_eq!(again.state().hash_hex(), whole.state().hash_hex());
}
