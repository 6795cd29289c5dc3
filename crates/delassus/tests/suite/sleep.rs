//! Scenes of the gallery with what is at rest asleep, and awake: the same bits in every field that is recorded.

use delassus::record::{Options as RecordOptions, Recorder, Run};
use delassus::scene::{Scene, example};
use delassus::simulation::{Options, Simulation};
use std::path::PathBuf;

fn start(name: &str, overrides: &[&str]) -> Simulation {
    let text = example(name).unwrap_or_else(|_| panic!("{name} is in the gallery")).text;
    let overrides: Vec<String> = overrides.iter().map(|s| (*s).to_owned()).collect();
    let scene = Scene::parse(text, name, &overrides).unwrap_or_else(|e| panic!("{name}: {e}"));
    Simulation::new(&scene, &Options::default()).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Scenes and steps: what stands, what is struck while it stands, what falls and comes to rest.
const SCENES: [(&str, u64, &[&str]); 8] = [
    ("box_stack", 200, &[]),
    ("box_stack", 100, &["solver.tolerance=1e-3"]),
    ("card_house", 300, &["solver.tolerance=1e-4"]),
    ("arch_standing", 100, &[]),
    ("kapla_tower", 290, &["generate.plank.levels=8"]),
    ("brick_wall", 500, &[]),
    ("rubble", 200, &["generate.rock.count=25"]),
    ("spheres_in_box", 300, &["generate.sphere.count=60"]),
];

/// Reference: the run that does not sleep, all recorded numbers by their bits, every tenth step; state in every one.
#[test]
fn sleep_does_not_change_a_bit() {
    for (name, steps, overrides) in SCENES {
        let mut sleeps = start(name, overrides);
        let mut wakes = start(name, &[overrides, &["solver.sleep=false"]].concat());
        let (mut a, mut b) = (sleeps.header().frame(), wakes.header().frame());
        for i in 0..steps {
            sleeps.step().unwrap_or_else(|e| panic!("{name}: {e}"));
            wakes.step().unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(sleeps.state().hash_hex(), wakes.state().hash_hex(), "{name}, step {i}");
            if i % 10 == 0 || i + 1 == steps {
                sleeps.fill(&mut a).expect("filled");
                wakes.fill(&mut b).expect("filled");
                // As text: zeros have signs, too.
                for ((x, y), field) in a.columns.iter().zip(&b.columns).zip(&sleeps.header().fields) {
                    assert_eq!(format!("{x:?}"), format!("{y:?}"), "{name}, step {i}: {}", field.name);
                }
            }
        }
        // Otherwise nothing would be compared.
        let asleep = sleeps.whole_report().asleep;
        assert!(!matches!(name, "box_stack" | "card_house") || asleep > 0, "{name}: nothing sleeps");
    }
}

/// A run taken up again in the middle of sleep. Reference: the run that was not interrupted, by the bits of its state.
#[test]
fn restart_equals_no_restart_where_something_sleeps() {
    for (name, steps, overrides) in [("box_stack", 40, &[][..]), ("kapla_tower", 280, &["generate.plank.levels=5"])] {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("sleep");
        std::fs::create_dir_all(&folder).expect("a scratch folder");
        let path = folder.join(format!("{name}.h5"));
        let mut whole = start(name, overrides);
        let options = RecordOptions { overwrite: true, ..Default::default() };
        let mut recorder = Recorder::create(&path, whole.header(), &options).expect("a run file");
        let mut frame = whole.header().frame();
        let mut hashes = vec![];
        for _ in 0..=steps {
            whole.fill(&mut frame).expect("filled");
            recorder.write(&frame).expect("recorded");
            hashes.push(whole.state().hash_hex());
            whole.step().unwrap_or_else(|e| panic!("{name}: {e}"));
        }
        recorder.finish().expect("closed");
        let run = Run::open(&path).expect("a run");
        for from in [1, steps / 2, steps - 10] {
            let mut again = start(name, overrides);
            again.restore(&run, from).unwrap_or_else(|e| panic!("{name}: {e}"));
            for i in from..steps {
                assert_eq!(again.state().hash_hex(), hashes[i], "{name}: from {from}, step {i}");
                again.step().unwrap_or_else(|e| panic!("{name}: {e}"));
            }
        }
    }
}
