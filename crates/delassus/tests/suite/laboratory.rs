//! Runs whose model changes: stages, events, servo walls, feeders and sinks, runs that go on with others.
//!
//! References: closed forms (friction of a grip, weight, pressure), and the uninterrupted run bit for bit.

#[allow(dead_code)] // What other tests use of it.
use crate::common::Folder;
use delassus::record::{Options as RecordOptions, Recorder, Run};
use delassus::scene::Scene;
use delassus::simulation::{Error, Options, Simulation, load};
use std::path::PathBuf;

fn scratch(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("laboratory");
    std::fs::create_dir_all(&folder).expect("a scratch folder");
    folder.join(name)
}

fn scene(text: &str) -> Scene {
    Scene::parse(text, "scene", &[]).unwrap_or_else(|e| panic!("{e}"))
}

fn refused(text: &str) -> String {
    match Scene::parse(text, "scene", &[]).and_then(|s| s.check()) {
        Ok(_) => panic!("accepted"),
        Err(told) => told.to_string(),
    }
}

/// To the end, every due frame recorded.
fn record(mut simulation: Simulation, name: &str) -> Run {
    let path = scratch(name);
    let options = RecordOptions { overwrite: true, ..Default::default() };
    let mut recorder = Recorder::create(&path, simulation.header(), &options).expect("a run file");
    let mut frame = simulation.header().frame();
    simulation.fill(&mut frame).expect("filled");
    recorder.write(&frame).expect("recorded");
    while !simulation.is_over() {
        simulation.step().expect("the step is made");
        if simulation.is_due() {
            simulation.fill(&mut frame).expect("filled");
            recorder.write(&frame).expect("recorded");
        }
    }
    recorder.finish().expect("written");
    Run::open(&path).expect("a run")
}

fn run(text: &str, name: &str) -> Run {
    record(Simulation::new(&scene(text), &Options::default()).expect("built"), name)
}

fn last(run: &Run, field: &str) -> Vec<f64> {
    run.read(run.frames() - 1, field).expect("recorded").to_f64()
}

const BOX: &str = "dimension = 2\n[time]\nstep = 1e-3\nend = 0.2\nrecord = 0.02\n[law]\nfriction = 0.5\n\
    [body.floor]\nshape.half_plane = {}\n[body.box]\nshape.box = { size = [0.2, 0.2] }\nposition = [0, 0.1]\nmass = 2\n";

/// A grip of friction 0.6 holds 1 kg from F = m g/(2 μ) = 8.175 N on: a hundredth above it is lifted, below it not.
#[test]
fn a_gripper_lifts_above_the_theoretical_force_and_drops_below() {
    let text = include_str!("../../../../scenes/gripper.toml");
    for (force, lifts) in [(8.26, true), (8.09, false)] {
        let scene = Scene::parse(text, "gripper", &[format!("force={force}")]).expect("read");
        let run = record(Simulation::new(&scene, &Options::default()).expect("built"), &format!("grip_{lifts}.h5"));
        let height = last(&run, "probes/box/position")[1];
        let hand = last(&run, "probes/hand/position")[1];
        if lifts {
            assert!((hand - 0.25).abs() < 1e-9, "the hand is up: {hand}");
            assert!((height - 0.1).abs() < 1e-4, "and the box with it: {height}");
            // Held at rest: the fingers carry the weight.
            assert!((last(&run, "observe/grip/force")[1] - 9.81).abs() < 1e-6);
        } else {
            assert!(height < hand - 0.165, "{height} {hand}");
            assert_eq!(last(&run, "events/dropped"), [1.0]);
        }
    }
}

/// n + m steps equal n steps, save, load, m steps, through stages, events, sinks, feeders and joints that go.
#[test]
fn a_restart_anywhere_in_a_staged_run_equals_none() {
    let text = format!(
        "{BOX}[body.arm]\nshape.box = {{ size = [0.3, 0.05] }}\nposition = [0.5, 0.6]\nmass = 1\n\
         [joint.pin]\nkind = \"hinge\"\nbodies = [\"arm\"]\nat = [0.4, 0.6]\n\
         [body.a]\nshape.disc = {{ radius = 0.05 }}\nposition = [-0.5, 0.6]\nmass = 1\n\
         [body.b]\nshape.disc = {{ radius = 0.05 }}\nposition = [-0.7, 0.6]\nmass = 1\n\
         [feeder.f]\nbodies = [\"a\", \"b\"]\nevery = 0.05\nfrom = 0.03\n\
         [sink.s]\nfrom = [-2, -1]\nto = [-0.6, 0.3]\n\
         [observe.arm]\nbody = \"arm\"\n\
         [when.low]\nif = \"arm.position.y < 0.599 and t > 0.05\"\nset = [\"law.friction=0.1\"]\n\
         [when.gone]\nif = \"t > start + 0.1\"\nstage = \"slide\"\nrelease = [\"pin\"]\n\
         [stage.slide]\ntime = {{ end = 0.3, step = 5e-4 }}\ngravity = [3, -9.81]\n\
         [stage.slide.body.wall]\nshape.box = {{ size = [0.1, 1] }}\nposition = [1.5, 0.5]\nfixed = true\n\
         [stage.push]\ntime.end = 0.1\n[stage.push.body.wall]\nfixed = false\nmotion.constant.velocity = [-1, 0]\n"
    );
    let whole = run(&text, "whole.h5");
    assert_eq!(last(&whole, "stage"), [2.0]);
    assert_eq!(last(&whole, "events/gone"), [1.0]);
    assert_eq!(last(&whole, "sinks/s"), [1.0], "one of the two was taken");
    let frames = whole.frames();
    for frame in [1, frames / 3, frames / 2, frames - 3] {
        let mut again = Simulation::resumed(&scene(&text), &Options::default(), &whole).expect("built");
        again.restore(&whole, frame).unwrap_or_else(|e| panic!("frame {frame}: {e}"));
        let mut filled = again.header().frame();
        let mut at = frame;
        while !again.is_over() {
            again.step().expect("the step is made");
            if again.is_due() {
                at += 1;
                again.fill(&mut filled).expect("filled");
                assert_eq!(
                    filled.hash(again.header()).expect("fits"),
                    whole.hash(at).expect("a hash"),
                    "frame {at} after {frame}"
                );
            }
        }
        assert_eq!(at, frames - 1);
    }
}

/// A run goes on in another scene: bodies stand where they stood, contacts push as they pushed, the clock is new.
#[test]
fn a_scene_goes_on_with_a_run() {
    let first = run(BOX, "first.h5");
    let path = scratch("second.toml");
    let text = "title = \"more\"\n[start]\nfrom = \"first.h5\"\n[time]\nend = 0.1\n[observe.floor]\nkind = \"force\"\n\
        on = \"floor\"\n[body.ball]\nshape.disc = { radius = 0.05 }\nposition = [0, 1]\nmass = 1\n";
    std::fs::write(&path, text).expect("written");
    let scene = load(&path, &[]).unwrap_or_else(|e| panic!("{e}"));
    let second = record(Simulation::new(&scene, &Options::default()).expect("built"), "second.h5");
    let before = last(&first, "bodies/position");
    let after = second.read(0, "bodies/position").expect("recorded").to_f64();
    assert_eq!(before[..4], after[..4], "floor and box have the same bits");
    let percussion = |run: &Run, k: usize| run.read(k, "restart/percussion").expect("recorded").to_f64();
    assert_eq!(percussion(&first, first.frames() - 1), percussion(&second, 0));
    // The weight of the box rests on the floor.
    assert!((last(&second, "observe/floor/force")[1] + 2.0 * 9.81).abs() < 1e-6);
    // Resumed from its first frame, without the first run.
    let mut again = Simulation::of_frame(&second, 2).expect("a frame");
    while !again.is_over() {
        again.step().expect("made");
    }
    let mut frame = again.header().frame();
    again.fill(&mut frame).expect("filled");
    assert_eq!(frame.hash(again.header()).expect("fits"), second.hash(second.frames() - 1).expect("a hash"));
}

/// Pressure times area: a servo wall presses a block with p A, and moves without turning.
#[test]
fn a_servo_wall_holds_its_pressure() {
    let text = format!(
        "gravity = [0, 0]\n{BOX}[body.top]\nshape.box = {{ size = [0.4, 0.02] }}\nposition = [0.02, 0.22]\nmass = 1\n\
         [servo.top]\nbody = \"top\"\naxis = [0, -1]\npressure = 100\narea = 0.4\n\
         [observe.box]\nkind = \"force\"\non = \"box\"\nfrom = \"top\"\n[observe.wall]\nkind = \"force\"\non = \"top\"\n[observe.slide]\nkind = \"joint\"\njoint = \"servo top\"\n"
    );
    let run = run(&text, "servo.h5");
    let force = last(&run, "observe/box/force");
    assert!((force[1] + 40.0).abs() < 1e-6, "{force:?}");
    // At rest the slider answers what the block does to the wall across the push, and its moment: the push is
    // beside the middle of the block.
    let (contact, moment) = (last(&run, "observe/wall/force"), last(&run, "observe/wall/torque"));
    let (slide, torque) = (last(&run, "observe/slide/force"), last(&run, "observe/slide/torque"));
    assert!((contact[0] + slide[0]).abs() < 1e-6 && (contact[1] - 40.0).abs() < 1e-6, "{contact:?} {slide:?}");
    assert!((moment[0] + torque[0]).abs() < 1e-6, "{moment:?} {torque:?}");
}

/// What is wrong is told with what would be accepted; nothing runs.
#[test]
fn bad_experiments_are_told() {
    let told = refused(&format!("{BOX}[when.x]\nif = \"kinetc < 1\"\nstop = true\n"));
    assert!(told.contains("kinetc") && told.contains("kinetic"), "{told}");
    let told = refused(&format!("{BOX}[when.x]\nif = \"t > 1\"\n"));
    assert!(told.contains("the event does nothing") && told.contains("`stop`"), "{told}");
    let told =
        refused(&format!("{BOX}[when.x]\nif = \"t > 1\"\nstage = \"flw\"\nstop = true\n[stage.flow]\ntime.end = 1\n"));
    assert!(told.contains("there is no stage named `flw`") && told.contains("flow"), "{told}");
    let told = refused(&format!("{BOX}[stage.flow]\ndimension = 3\n"));
    assert!(told.contains("a stage does not change `dimension`"), "{told}");
    let told = refused(&format!("{BOX}[stage.flow]\nrelease = [\"pin\"]\n"));
    assert!(told.contains("`pin`"), "{told}");
    let told = refused(&format!("{BOX}[stage.flow]\nremove = [\"bax\"]\n"));
    assert!(["`bax`", "remove = [", "did you mean `box`?"].iter().all(|s| told.contains(s)), "{told}");
    // Of several events all mistakes at once.
    let two = "[when.x]\nif = \"t > 1\"\nrelease = [\"pin\"]\n[when.y]\nif = \"t > 1\"\nset = [\"law.fricton=0.1\"]\n";
    let told = refused(&format!("{BOX}{two}"));
    assert!(told.contains("`pin`") && told.contains("fricton"), "{told}");
    let told = refused(&format!("{BOX}[observe.x]\nkind = \"force\"\non = \"bx\"\n"));
    assert!(told.contains("there is no body named `bx`") && told.contains("box"), "{told}");
    // What an event would do is looked at before the first step.
    for (does, said) in [
        ("remove = [\"bax\"]", ["`bax`", "remove = [", "did you mean `box`?"]),
        ("set = [\"law.fricton=0.1\"]", ["unknown key `fricton`", "law.fricton=0.1", ""]),
        ("set = [\"law.friction=-1\"]", ["law.friction", "-1", "must be at least 0"]),
        ("release = [\"pin\"]", ["there is no joint", "load", "`pin`"]),
        ("release = [\"pin\"]", ["release = [", "scene:16:", ""]),
        ("set = [\"law.fricton=0.1\"]", ["did you mean `friction`?", "scene:16:", "set = ["]),
        ("next = true", ["no stage comes after `start`", "next = true", "stop = true"]),
    ] {
        let told = refused(&format!("{BOX}[when.x]\nif = \"t > 0.1\"\n{does}\n"));
        assert!(said.iter().all(|s| told.contains(s)), "{does}: {told}");
    }
    for number in ["t + 1", "3", "-t"] {
        let told = refused(&format!("{BOX}[when.x]\nif = \"{number}\"\nstop = true\n"));
        assert!(told.contains(&format!("`{number}` is a number")) && told.contains("t > 1"), "{told}");
    }
    run(BOX, "again.h5");
    let path = scratch("later.toml");
    std::fs::write(&path, "[start]\nfrom = \"again.h5\"\ntime = 99\n").expect("written");
    let error = load(&path, &[]).expect_err("after the end").to_string();
    assert!(error.contains("time = 99") && error.contains("ends at 0.2 s"), "{error}");
    std::fs::write(&path, "[start]\nfrom = \"again.h5\"\nremove = [\"bax\"]\n").expect("written");
    let error = load(&path, &[]).expect_err("no such body").to_string();
    assert!(["`bax`", "later.toml:3:", "did you mean `box`?"].iter().all(|s| error.contains(s)), "{error}");
    std::fs::write(
        &path,
        "[start]\nfrom = \"again.h5\"\n[body.post]\nshape.disc.radius = 0.1\nposition = [0, 0.1]\nfixed = true\n",
    )
    .expect("written");
    let error = load(&path, &[]).expect("read").check().expect_err("one in the other").to_string();
    assert!(error.contains("overlap") && !error.contains("again.h5: scene of"), "{error}");
    let path = scratch("lost.toml");
    std::fs::write(&path, "[start]\nfrom = \"no_such_run.h5\"\n").expect("written");
    let error = load(&path, &[]).expect_err("no such run");
    assert!(matches!(error, Error::Start { .. }) && error.to_string().contains("no_such_run.h5"), "{error}");
}

/// A stage that puts a body into another is told when it begins; what was computed before stays.
#[test]
fn a_stage_whose_bodies_overlap_is_told_and_nothing_is_lost() {
    let text = format!(
        "{BOX}[stage.more]\n[stage.more.body.ball]\nshape.disc = {{ radius = 0.05 }}\nposition = [0, 0.1]\nmass = 1\n"
    );
    let mut simulation = Simulation::new(&scene(&text), &Options::default()).expect("built");
    let error = loop {
        if let Err(error) = simulation.step() {
            break error;
        }
    };
    assert!(error.to_string().contains("`box` and `ball` overlap"), "{error}");
    assert_eq!(simulation.steps(), 200, "the first stage is there");
}

/// A robot's arm under PD control pushes a box and settles: the tool has gone 0.4 sin 0.5 and pushes the box before it,
/// its radius of 0.04 and the half side of the box of 0.06 beyond; the torque of the shoulder is that of its spring,
/// p (target − value); in the last half second nothing creeps.
#[test]
fn an_arm_pushes_a_box_and_settles_without_creep() {
    let text = include_str!("../../../../scenes/arm_pushes_box.toml");
    let scene = Scene::parse(text, "arm", &["time.end=3".into(), "time.step=4e-3".into()]).expect("read");
    let run = record(Simulation::new(&scene, &Options::default()).expect("built"), "arm.h5");
    assert_eq!(last(&run, "count/flagged"), [0.0]);
    let at = |frame: usize| run.read(frame, "observe/box/position").expect("recorded").to_f64()[0];
    let end = run.frames() - 1;
    let reached = 0.42 + 0.4 * 0.5f64.sin() + 0.04 + 0.06;
    // The springs of the joints give way by the torque over their stiffness, milliradians, over half a metre.
    assert!((at(end) - reached).abs() < 3e-3, "{} {reached}", at(end));
    let before = run.times().iter().position(|t| *t >= 2.5).expect("a frame");
    assert!((at(end) - at(before)).abs() < 1e-9, "the box creeps by {:.2e}", at(end) - at(before));
    let value = |frame: usize| run.read(frame, "joints/value").expect("recorded").to_f64();
    let (now, then) = (value(end), value(before));
    now.iter().zip(&then).for_each(|(a, b)| assert!((a - b).abs() < 1e-7, "{now:?} {then:?}"));
    let drive = last(&run, "joints/drive");
    assert!((drive[0] - 2000.0 * (0.5 - now[0])).abs() < 1e-3 * drive[0].abs(), "{drive:?} {now:?}");
}

/// The power of friction that is observed of all pairs sums to the work of friction of the ledger; energies of a group are
/// those of the run: kinetic, and in gravity.
#[test]
fn observed_powers_sum_to_the_ledger() {
    let text = "dimension = 2\n[time]\nstep = 1e-3\nend = 0.2\nrecord = 1e-3\n[law]\nfriction = 0.3\n\
                [body.floor]\nshape.half_plane = {}\n[body.low]\nshape.box = { size = [0.6, 0.2] }\nposition = [0, 0.1]\nmass = 2\n\
                [body.high]\nshape.disc = { radius = 0.1 }\nposition = [0, 0.3]\nmass = 1\nvelocity = [1.5, 0]\n\
                [observe.low]\nkind = \"force\"\non = \"low\"\nfrom = \"floor\"\n\
                [observe.high]\nkind = \"force\"\non = \"high\"\nfrom = \"low\"\n\
                [observe.all]\nkind = \"group\"\nbodies = [\"low\", \"high\"]\n";
    let run = run(text, "powers.h5");
    let series = |field: &str| run.series(field).expect("recorded").to_f64();
    let (low, high) = (series("observe/low/friction"), series("observe/high/friction"));
    let sum: f64 = low.iter().chain(&high).map(|p| 1e-3 * p).sum();
    let ledger = last(&run, "work/friction")[0];
    assert!(ledger < -0.05 && (sum - ledger).abs() < 1e-12, "{sum} {ledger}");
    let same = |a: &str, b: &str| series(a).iter().zip(series(b)).all(|(a, b)| (a - b).abs() < 1e-12);
    assert!(same("observe/all/kinetic", "energy/kinetic") && same("observe/all/potential", "energy/potential"));
    // A disc that slides on a box turns: ½ I ω², I = ½ m r².
    let spin = run.read(run.frames() - 1, "bodies/spin").expect("recorded").to_f64();
    let turning: f64 = last(&run, "observe/all/turning")[0];
    let disc = run.header().constant("bodies/name").and_then(|c| c.strings()).expect("names");
    let disc = disc.iter().position(|n| **n == *"high").expect("the disc");
    assert!((turning - 0.5 * 0.005 * spin[disc] * spin[disc]).abs() < 1e-9, "{turning}");
}

/// A small biaxial test: the side holds its pressure, every step is certified, and the sine of the angle of friction
/// peaks where dense discs of friction ½ do, between 0.35 and 0.6 (21° to 37°). Formulas are those of the forces. A hundred discs
/// would be too few: theirs peak anywhere from 0.28 to 0.43, by the order of visits alone; two hundred, from 0.42 to 0.55.
#[test]
fn a_biaxial_test_finds_the_friction_of_discs() {
    let text = include_str!("../../../../scenes/biaxial.toml");
    let changes = ["N=200", "time.end=1", "stage.shear.time.end=3"].map(str::to_owned);
    let scene = Scene::parse(text, "biaxial", &changes).expect("read");
    let run = record(Simulation::new(&scene, &Options::default()).expect("built"), "biaxial.h5");
    assert_eq!(last(&run, "count/flagged"), [0.0]);
    let series = |name: &str| run.series(name).expect("recorded").to_f64();
    let shear = run.times().iter().position(|t| *t > 1.1).expect("a frame");
    let side = &series("observe/side/value")[shear..];
    let mean = side.iter().sum::<f64>() / side.len() as f64;
    assert!((mean - 1000.0).abs() < 20.0, "{mean}");
    let sine = series("observe/sine/value");
    let peak = sine[shear..].iter().copied().fold(0.0, f64::max);
    assert!((0.35..0.6).contains(&peak), "{peak}");
    // Width of the sample: where the walls are described, and how far the right one has gone.
    let width = 0.032 * 100f64.sqrt() + 0.003 + last(&run, "observe/out/vector")[0];
    let axial = last(&run, "observe/top/force")[1] / width;
    assert!((axial - last(&run, "observe/axial/value")[0]).abs() < 1e-9 * axial, "{axial}");
    let told = refused(&format!("{BOX}[observe.x]\nkind = \"formula\"\nvalue = \"bx.force.x\"\n"));
    assert!(told.contains("bx.force.x"), "{told}");
}

const CELL: &str = "dimension = 2\ngravity = [0, 0]\n[time]\nstep = 2e-3\nend = 0.6\nrecord = 0.04\n[solver]\ntolerance = 1e-6\n\
    [law]\nfriction = 0.4\n[material.disc]\ndensity = 2000\n[[generate]]\nkind = \"deposit\"\nname = \"disc\"\ngrain = \"disc\"\n\
    material = \"disc\"\ncount = 22\nradius = { uniform = { min = 0.008, max = 0.012 } }\narrangement = \"relaxed\"\n\
    region = { min = [0, 0], max = [0.11, 0.13] }\n[observe.cell]\nkind = \"cell\"\n";

/// A sheared cell under pressure through two stages: a restart equals none bit for bit, and under pressure alone the
/// stress of the grains at rest is the pressure.
#[test]
fn a_cell_is_sheared_and_pressed_and_restarts() {
    let text = format!(
        "{CELL}[periodic]\nx = 0.11\ny = 0.13\npressure.y = 500\nshear.rate = \"3*min(1, max(0, 5*(t - 0.2)))\"\n\
         [stage.slow]\ntime.end = 0.2\ntime.step = 1e-3\nlaw.friction = 0.2\n"
    );
    let whole = run(&text, "cell.h5");
    let shear = last(&whole, "observe/cell/shear");
    assert!((1.0..3.0).contains(&shear[0]), "{shear:?}");
    let frames = whole.frames();
    for frame in [2, frames / 2, frames - 2] {
        let mut again = Simulation::resumed(&scene(&text), &Options::default(), &whole).expect("built");
        again.restore(&whole, frame).unwrap_or_else(|e| panic!("frame {frame}: {e}"));
        let (mut filled, mut at) = (again.header().frame(), frame);
        while !again.is_over() {
            again.step().expect("the step is made");
            if again.is_due() {
                at += 1;
                again.fill(&mut filled).expect("filled");
                assert_eq!(filled.hash(again.header()).expect("fits"), whole.hash(at).expect("a hash"), "{at}");
            }
        }
    }
    let still = format!("{CELL}[periodic]\nx = 0.11\ny = 0.13\npressure = {{ x = 300, y = 500, damping = 400 }}\n")
        .replace("end = 0.6", "end = 3.0");
    let still = run(&still, "pressed.h5");
    let stress = last(&still, "observe/cell/stress");
    for (k, held) in [(0, 300.0), (3, 500.0)] {
        assert!((stress[k] / held - 1.0).abs() < 1e-2, "{stress:?}");
    }
    assert!((stress[1] - stress[2]).abs() < 2.0, "no torque: {stress:?}");
}

/// Cells that cannot be are told at their key.
#[test]
fn bad_cells_are_told() {
    for (cell, place, says) in [
        ("x = 0.11\nshear.rate = 1\n", "periodic", "no period along y"),
        ("x = 0.11\ny = 0.13\nshear = { rate = 1, flow = \"y\" }\n", "scene:27", "another axis"),
        ("x = 0.11\ny = 0.13\nshear.rate = \"1/t\"\n", "scene:27", "1/t"),
        ("x = 0.11\npressure.x = 1\n", "pressure", "give `y` too"),
        ("x = 0.11\ny = 0.13\npressure = {}\n", "pressure", "give the pressure across an axis"),
        ("x = 0.11\ny = 0.13\npressure.z = 1\n", "z", "no pressure across z"),
        ("x = 0.11\ny = 0.13\nshear.rate = 1\npressure.x = 1\n", "x", "no pressure is held along the flow"),
        ("x = 0.11\ny = 0.13\npressure = { y = 1, mass = 0 }\n", "mass", "greater than 0"),
        ("x = 0.11\ny = 0.13\nshear.rte = 1\n", "rte", "rate"),
    ] {
        let told = refused(&format!("{CELL}[periodic]\n{cell}"));
        assert!(told.contains(place) && told.contains(says), "{cell}\n{told}");
    }
    let alone = refused(&format!("{CELL}[periodic]\nx = 0.11\n"));
    assert!(alone.contains("periodic along all axes"), "{alone}");
    let taken = format!(
        "{CELL}[body.cell]\nshape.disc = {{ radius = 0.001 }}\nposition = [0.2, 0.2]\n[periodic]\nx = 1\ny = 1\npressure.y = 1\n"
    );
    assert!(refused(&taken).contains("cell"));
}

/// A deformable block under a disc goes through stages: its deformation goes on, and a restart equals none.
#[test]
fn stages_keep_solids() {
    let text = "dimension = 2\n[time]\nstep = 1e-3\nend = 0.06\nrecord = 0.01\n[law]\nfriction = 0.4\n\
        [material.rubber]\ndensity = 1000\nyoung = 1e6\npoisson = 0.3\n[material.steel]\ndensity = 7800\n\
        [mesh.block]\nkind = \"block\"\nsize = [0.4, 0.2]\ncells = [4, 2]\n[solid.block]\nmaterial = \"rubber\"\n\
        [support.foot]\non = \"block/bottom\"\nx = 0\ny = 0\n\
        [body.disc]\nmaterial = \"steel\"\nshape.disc = { radius = 0.05 }\nposition = [0.2, 0.2501]\n\
        [stage.more]\ntime.end = 0.05\ngravity = [2, -9.81]\n\
        [stage.more.body.late]\nmaterial = \"steel\"\nshape.disc = { radius = 0.03 }\nposition = [0.05, 0.2301]\n\
        [stage.off]\ntime.end = 0.05\nremove = [\"disc\"]\n";
    let whole = run(text, "soft.h5");
    assert_eq!(last(&whole, "stage"), [2.0]);
    let frames = whole.frames();
    // A stage that changes nothing is no stage.
    let cut = text.find("[stage").expect("stages");
    let plain = run(&text[..cut].replace("end = 0.06", "end = 0.11"), "soft_plain.h5");
    let same = run(&format!("{}[stage.same]\ntime.end = 0.05\n", &text[..cut]), "soft_same.h5");
    assert_eq!(last(&plain, "nodes/displacement"), last(&same, "nodes/displacement"));
    assert!(last(&plain, "nodes/displacement").iter().any(|y| *y < -1e-5), "it sinks in");
    for frame in [2, 7, frames - 2] {
        let mut again = Simulation::resumed(&scene(text), &Options::default(), &whole).expect("built");
        again.restore(&whole, frame).unwrap_or_else(|e| panic!("frame {frame}: {e}"));
        let (mut filled, mut at) = (again.header().frame(), frame);
        while !again.is_over() {
            again.step().expect("the step is made");
            if again.is_due() {
                at += 1;
                again.fill(&mut filled).expect("filled");
                assert_eq!(
                    filled.hash(again.header()).expect("fits"),
                    whole.hash(at).expect("a hash"),
                    "{at} after {frame}"
                );
            }
        }
    }
}

/// A stage that moves a body which was held, or holds one which moved, says just that: 0.1 s at 1 m/s, then no more. A stage
/// that cannot be is refused before the first step.
#[test]
fn a_stage_moves_what_was_held() {
    let wall = "[body.wall]\nshape.box = { size = [0.1, 1] }\nposition = [1.5, 0.5]\nfixed = true\n";
    let push = "[stage.push]\ntime.end = 0.1\n[stage.push.body.wall]\nmotion.constant.velocity = [-1, 0]\n";
    let hold = "[stage.hold]\ntime.end = 0.1\n[stage.hold.body.wall]\nfixed = true\n";
    let run = run(&format!("{BOX}{wall}{push}{hold}"), "held.h5");
    let names = run.header().constant("bodies/name").and_then(|c| c.strings()).expect("names");
    let wall_at = names.iter().position(|n| **n == *"wall").expect("the wall");
    let place = |t: f64| {
        let frame = run.times().iter().position(|x| *x >= t - 1e-9).expect("a frame");
        run.read(frame, "bodies/position").expect("recorded").to_f64()[2 * wall_at]
    };
    for (t, x) in [(0.2, 1.5), (0.26, 1.44), (0.3, 1.4), (0.4, 1.4)] {
        assert!((place(t) - x).abs() < 1e-9, "{t}: {} {x}", place(t));
    }
    let both = push.replace("motion", "fixed = true\nmotion");
    let late = scene(&format!("{BOX}{wall}{both}"));
    let Err(error) = Simulation::new(&late, &Options::default()) else { panic!("accepted") };
    let told = error.to_string();
    assert!(told.contains("`wall` has `fixed = true` and a `motion`"), "{told}");
}

/// Balls with restitution e lose ½ m v² (1 − e²) at a wall, and with another ball ½ m' v² (1 − e²), m' = m₁m₂/(m₁+m₂);
/// by pairs and by patterns, and all pairs together are what the ledger counts. Closed forms; a run that goes on has
/// the same bits.
#[test]
fn shocks_are_counted_by_pairs() {
    let ball = |name: &str, x: f64, y: f64, v: f64, m: f64| {
        format!(
            "[body.{name}]\nshape.disc = {{ radius = 0.1 }}\nposition = [{x}, {y}]\nvelocity = [{v}, 0]\nmass = {m}\n\
             material = \"{}\"\n",
            if name == "hard" { "steel" } else { "wood" }
        )
    };
    let mut text = String::from(
        "dimension = 2\ngravity = [0, 0]\n[time]\nstep = 1e-3\nend = 0.3\nrecord = 0.05\n[material.steel]\n[material.wood]\n\
         [[law]]\nfriction = 0.3\nrestitution = 0.5\n\
         [[law]]\nbetween = [\"steel\", \"wood\"]\nfriction = 0.3\nrestitution = 0.8\n\
         [body.wall]\nmaterial = \"wood\"\nshape.half_plane = { normal = [-1, 0] }\nposition = [0, 0]\n",
    );
    // Two against the wall, of two materials; one against another that rests.
    text += &ball("soft", -0.3, 0.0, 2.0, 3.0);
    text += &ball("hard", -0.3, 1.0, 4.0, 2.0);
    text += &ball("left", -2.0, 2.0, 3.0, 1.0);
    text += &ball("right", -1.6, 2.0, 0.0, 2.0);
    let pairs = [
        ("soft", "\"soft\", \"wall\"", 0.5 * 3.0 * 4.0 * (1.0 - 0.25)),
        ("hard", "\"wall\", \"hard\"", 0.5 * 2.0 * 16.0 * (1.0 - 0.64)),
        ("pair", "\"left\", \"right\"", 0.5 * (2.0 / 3.0) * 9.0 * (1.0 - 0.25)),
        ("ends", "\"*ft\", \"wall\"", 0.5 * 3.0 * 4.0 * (1.0 - 0.25)),
        ("none", "\"right\", \"wall\"", 0.0),
    ];
    for (name, between, _) in &pairs {
        text += &format!("[observe.{name}]\nkind = \"wear\"\nbetween = [{between}]\n");
    }
    text += "[observe.all]\nkind = \"wear\"\nbetween = [\"*\"]\n";
    let run = run(&text, "shocks.h5");
    for (name, _, lost) in &pairs {
        let found = last(&run, &format!("wear/{name}/shock"))[0];
        assert!((found - lost).abs() < 1e-9, "{name}: {found} {lost}");
    }
    let all = last(&run, "wear/all/shock")[0];
    let ledger = last(&run, "work/shock")[0] + last(&run, "work/restitution")[0];
    assert!(all > 10.0 && (all + ledger).abs() < 1e-12 * all, "{all} {ledger}");
    // From a frame between the shocks.
    let mut again = Simulation::resumed(&scene(&text), &Options::default(), &run).expect("built");
    again.restore(&run, 2).expect("restored");
    while !again.is_over() {
        again.step().expect("a step");
    }
    let mut frame = again.header().frame();
    again.fill(&mut frame).expect("filled");
    let position = again.header().position("wear/all/shock").expect("recorded");
    assert_eq!(frame.columns[position].f64().expect("a number")[0].to_bits(), all.to_bits());
    let unknown = text.replace("\"left\", \"right\"", "\"left\", \"rihgt*\"");
    let told = refused(&unknown);
    assert!(told.contains("`rihgt*`") && told.contains("between = ["), "{told}");
}

/// Bodies that wait for a feeder are free in the record, as they are when they come: pictures and colours are theirs.
#[test]
fn bodies_of_feeders_are_free() {
    let text = "dimension = 2\n[time]\nstep = 1e-3\nend = 0.25\nrecord = 0.05\n[law]\nfriction = 0.5\n[body.floor]\n\
                shape.half_plane = {}\n[material.g]\ndensity = 100\n\
                [[generate]]\nkind = \"grid\"\nname = \"g\"\nmaterial = \"g\"\nshape.disc = { radius = 0.05 }\ncount = [1, 4]\n\
                spacing = [0.2, 0.2]\nposition = [0, 1]\n[feeder.in]\nevery = 0.1\nbodies = \"g.*\"\n";
    let size = scene(text).check().expect("valid").size;
    assert_eq!([size.free, size.fixed, size.later], [0, 1, 4]);
    let run = run(text, "fed.h5");
    let role = run.header().constant("bodies/role").and_then(|c| c.strings()).expect("roles");
    assert_eq!(role.iter().map(|r| &**r).collect::<Vec<_>>(), ["fixed", "free", "free", "free", "free"]);
    let present = last(&run, "bodies/present");
    assert_eq!(present.iter().filter(|p| **p == 1.0).count(), 4, "the floor and three: {present:?}");
}

/// A run with stages that goes on to a later end has the bits of one that was asked to from the start; one that an
/// event stopped goes on beyond it.
#[test]
fn a_run_with_stages_goes_on_beyond_its_end() {
    let folder = Folder::new("laboratory-longer");
    let scene = |end: &str| format!("{BOX}[stage.push]\ntime.end = {end}\ngravity = [6, -9.81]\n");
    folder.file("short.toml", scene("0.1").as_bytes());
    folder.file("long.toml", scene("0.3").as_bytes());
    let state = |args: &[&str]| {
        let told = folder.run(args);
        told.fails(0, &[]);
        told.out.lines().find(|l| l.starts_with("state ")).expect("a hash").to_owned()
    };
    let whole = state(&["run", "long.toml"]);
    let short = state(&["run", "short.toml"]);
    assert_ne!(short, whole);
    let finished = folder.run(&["resume", "short.h5"]);
    assert!(finished.out.contains("--end T"), "{}", finished.out);
    assert_eq!(state(&["resume", "short.h5", "--end", "0.5"]), whole);
    folder.run(&["resume", "short.h5", "--frame", "2", "--end", "0.5"]).fails(2, &["stage 'start'", "'push'"]);
    let stopped = format!("{}[when.half]\nif = \"t > 0.3\"\nstop = true\n", scene("0.3"));
    folder.file("stopped.toml", stopped.as_bytes());
    assert_ne!(state(&["run", "stopped.toml"]), whole);
    assert_eq!(state(&["resume", "stopped.h5", "--end", "0.5"]), whole);
}
