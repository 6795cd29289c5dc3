//! Fine patches that follow a contact, and patches that appear.

#[allow(dead_code)] // What other tests use of it.
use crate::common::Folder;
use delassus::record::{Options as RecordOptions, Recorder, Run};
use delassus::scene::{Scene, example};
use delassus::simulation::{Options, Simulation};

fn scene(changes: &[&str]) -> Scene {
    let changes: Vec<String> = changes.iter().map(|s| (*s).to_owned()).collect();
    Scene::parse(example("rolling_ball").expect("in the gallery").text, "rolling_ball", &changes)
        .unwrap_or_else(|e| panic!("{e}"))
}

/// The plate of the scene in fine cells all over, without a patch.
fn all_fine() -> Scene {
    let text = example("rolling_ball").expect("in the gallery").text;
    let mut kept = String::new();
    for table in text.split("\n[") {
        if ["mesh.zoom]", "solid.patch]", "arlequin.zoom]"].iter().all(|t| !table.starts_with(t)) {
            kept += if kept.is_empty() { "" } else { "\n[" };
            kept += table;
        }
    }
    let kept =
        kept.replace("element = \"quad8\"", "element = \"quad4\"").replace("cells = [30, 3]", "cells = [120, 12]");
    Scene::parse(&kept, "all_fine", &[]).unwrap_or_else(|e| panic!("{e}"))
}

fn start(scene: &Scene) -> Simulation {
    Simulation::new(scene, &Options::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// Height of the ball, and its velocity.
fn ball(world: &Simulation) -> [f64; 2] {
    [world.whole_state().q[1], world.state().velocities[1]]
}

/// Reference: the plate in fine cells all over. The mean deflection under the ball and the mean force between it and the
/// plate, from its momentum, agree within 3 % with less than half of the unknowns; and the ledger closes through every
/// move.
#[test]
fn a_patch_that_follows_gives_what_fine_cells_everywhere_give() {
    let (mut patch, mut fine) = (start(&scene(&[])), start(&all_fine()));
    assert!(2 * patch.state().velocities.len() < fine.state().velocities.len());
    let (high, energy) = (ball(&fine)[0], patch.totals().energy.total());
    let mut low = [0.0; 2];
    let mut middle = [0.0; 2];
    for k in 0..250 {
        for world in [&mut patch, &mut fine] {
            let progress = world.step().unwrap_or_else(|e| panic!("{e}"));
            assert!(progress.residual <= 1e-8, "{}", progress.residual);
        }
        low = [low[0] + high - ball(&patch)[0], low[1] + high - ball(&fine)[0]];
        if k == 99 {
            middle = [ball(&patch)[1], ball(&fine)[1]];
        }
    }
    assert!((low[0] - low[1]).abs() < 0.03 * low[1], "{low:?}");
    let force = |world: &Simulation, before: f64| 9.81 + (ball(world)[1] - before) / 0.15;
    let [a, b] = [force(&patch, middle[0]), force(&fine, middle[1])];
    assert!((a - b).abs() < 0.03 * b, "{a} {b}");
    let ledger = patch.totals().energy;
    let scale = ledger.strain.max(ledger.kinetic);
    assert!(ledger.correction != 0.0 && ledger.correction.abs() < 0.01 * scale, "{ledger:?}");
    let open = ledger.total() - energy - ledger.works() - ledger.closing;
    assert!(open.abs() < 1e-10 * scale && ledger.closing.abs() < 1e-9 * scale, "{open:e} {ledger:?}");
}

/// n + m steps equal n steps, save, load, m steps, to the last bit, with moves before, at and after the frame.
#[test]
fn restart_equals_no_restart_across_a_move() {
    let folder = Folder::new("patch-restart");
    let path = folder.path("run.h5");
    let scene = scene(&["arlequin.zoom.appear={ von_mises = 5e4 }", "time.step=2e-3"]);
    let mut whole = start(&scene);
    let mut recorder = Recorder::create(&path, whole.header(), &RecordOptions::default()).expect("a run file");
    let mut frame = whole.header().frame();
    let (mut hashes, steps) = (vec![], 34);
    for _ in 0..=steps {
        whole.fill(&mut frame).expect("filled");
        recorder.write(&frame).expect("recorded");
        hashes.push(whole.state().hash_hex());
        whole.step().unwrap_or_else(|e| panic!("{e}"));
    }
    recorder.finish().expect("closed");
    let run = Run::open(&path).expect("a run");
    let numbers = |frame: usize, name: &str| run.read(frame, name).expect("recorded").f64().expect("numbers").to_vec();
    let shifts: Vec<f64> = (0..=steps).map(|k| numbers(k, "patch/zoom/shift")[0]).collect();
    let moved = shifts.iter().position(|s| *s > 0.0).expect("it moves");
    let again_moved = shifts.iter().position(|s| *s > shifts[moved]).expect("and again");
    assert_eq!(numbers(0, "patch/zoom/appeared"), [0.0]);
    assert_eq!(numbers(steps, "patch/zoom/appeared"), [1.0]);
    for from in [moved - 1, moved, again_moved] {
        let mut again = start(&scene);
        again.restore(&run, from).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(again.state().hash_hex(), hashes[from], "frame {from} as it was");
        (from..steps).for_each(|_| assert!(again.step().is_ok()));
        assert_eq!(again.state().hash_hex(), hashes[steps], "from step {from}");
    }
}

const PRESSED: &str = r#"
title = "pressed"
dimension = 2
gravity = [0, 0]
[time]
step = 0.05
end = 1
[analysis]
scheme = "quasi_static"
[material.soft]
density = 1000
behaviour = "plastic"
young = 1e8
poisson = 0.3
yield_stress = 1e6
tangent = 1e7
[mesh.coarse]
kind = "block"
size = [1, 0.5]
cells = [10, 5]
[mesh.fine]
kind = "block"
size = [0.4, 0.3]
cells = [16, 12]
[solid.block]
mesh = "coarse"
[solid.patch]
mesh = "fine"
position = [0.3, 0.2]
[arlequin.zoom]
coarse = "block"
fine = "patch"
operation = "zoom"
depth = 0.1
[support.ground]
on = "block/bottom"
x = 0
y = 0
[load.press]
on = "patch/top"
traction = [0, "-1.5e6*t"]
"#;

/// Reference: the patch from the start. What is elastic until the patch appears does not depend on the way there, so
/// that both end alike up to the tolerance of the balance, 1e-8 of the forces, times the condition of the plastic
/// tangent, E/Eₜ = 10, and of the step.
#[test]
fn a_patch_that_appears_before_yield_ends_as_one_from_the_start() {
    let run = |changes: &[&str]| {
        let changes: Vec<String> = changes.iter().map(|s| (*s).to_owned()).collect();
        let scene = Scene::parse(PRESSED, "pressed", &changes).unwrap_or_else(|e| panic!("{e}"));
        let mut world = start(&scene);
        let mut frame = world.header().frame();
        let mut appeared = vec![];
        while !world.is_over() {
            world.step().unwrap_or_else(|e| panic!("{e}"));
            world.fill(&mut frame).expect("filled");
            let at = world.header().fields.iter().position(|f| f.name == "patch/zoom/appeared");
            appeared.extend(at.map(|i| frame.columns[i].f64().expect("a number")[0]));
        }
        let state = world.whole_state();
        (state.q[..state.u.len()].to_vec(), appeared, world.totals().energy)
    };
    let (from_start, _, there) = run(&[]);
    assert!(there.plastic > 0.0, "{there:?}");
    for asked in ["{ von_mises = 3e5 }", "{ error = 0.02 }"] {
        let (later, appeared, _) = run(&[&format!("arlequin.zoom.appear={asked}")]);
        let first = appeared.iter().position(|a| *a > 0.0).expect("it appears");
        assert!(first > 0 && first < 8, "{asked}: {first}");
        let size = from_start.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let off = from_start.iter().zip(&later).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-6 * size, "{asked}: {off:.2e} of {size:.2e}");
    }
    // Once plastic strain is there the way counts, but little: what the coarse model did in one step.
    let (later, appeared, _) = run(&["arlequin.zoom.appear={ plastic_strain = 1e-6 }"]);
    assert!(appeared.last() == Some(&1.0) && appeared[0] == 0.0);
    let size = from_start.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let off = from_start.iter().zip(&later).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(off < 0.05 * size, "{off:.2e} of {size:.2e}");
}

/// The ball goes on where the plate ends; the patch does not.
#[test]
fn a_patch_stops_where_the_plate_ends_and_bad_input_is_told() {
    let scene_of = |changes: &[&str]| {
        let changes: Vec<String> = changes.iter().map(|s| (*s).to_owned()).collect();
        Scene::parse(example("rolling_ball").expect("in the gallery").text, "rolling_ball", &changes)
    };
    let near = ["body.ball.position=[0.45, 0.16]", "solid.patch.position=[0.4, 0.02]", "time.step=2e-3"];
    let mut world = start(&scene_of(&near).unwrap_or_else(|e| panic!("{e}")));
    let mut frame = world.header().frame();
    for _ in 0..60 {
        world.step().unwrap_or_else(|e| panic!("{e}"));
    }
    world.fill(&mut frame).expect("filled");
    let field = |name: &str| {
        let at = world.header().fields.iter().position(|f| f.name == name).expect("recorded");
        frame.columns[at].f64().expect("numbers").to_vec()
    };
    assert!((field("patch/zoom/shift")[0] - 0.04).abs() < 1e-12, "{:?}", field("patch/zoom/shift"));
    assert_eq!(field("restart/patch")[4], 1.0);
    for (change, said) in [
        ("arlequin.zoom.follow={ body = 'bal' }", "there is no body named `bal`"),
        ("arlequin.zoom.follow={ contact = 'no' }", "there is no contact named `no`"),
        ("arlequin.zoom.follow={}", "one of `body` and `contact`"),
        ("arlequin.zoom.operation='junction'", "is for operation = \"zoom\""),
        ("arlequin.zoom.appear={ plastic_strain = 1e-4 }", "neither model is plastic"),
        ("arlequin.zoom.appear={}", "one of `plastic_strain`, `von_mises` and `error`"),
    ] {
        let built = scene_of(&[change]).and_then(|s| s.build().map(|_| ()));
        let message = built.err().map(|e| e.to_string()).unwrap_or_default();
        assert!(message.contains(said), "{change}: {message}");
    }
    let odd = scene_of(&["arlequin.zoom.follow={ body = 'ball', by = 0.013 }"]).expect("read");
    let warned = odd.check().unwrap_or_else(|e| panic!("{e}")).warnings.to_string();
    assert!(warned.contains("2.600 fine cells along x"), "{warned}");
}
