//! Deformable solids as their users meet them: runs, restarts, pictures, files.

#[allow(dead_code)] // What other tests use of it.
mod common;

use common::{Folder, Outcome};
use delassus::record::{Options as RecordOptions, Recorder, Run};
use delassus::scene::{Scene, example};
use delassus::simulation::{Options, Simulation};

fn says(run: &Outcome, parts: &[&str]) {
    run.fails(0, &[]);
    for part in parts {
        assert!(run.out.contains(part), "'{part}' is missing from:\n{}", run.out);
    }
}

fn scene(name: &str, overrides: &[&str]) -> Scene {
    let overrides: Vec<String> = overrides.iter().map(|s| (*s).to_owned()).collect();
    Scene::parse(example(name).expect("in the gallery").text, name, &overrides).unwrap_or_else(|e| panic!("{e}"))
}

/// n + m steps equal n steps, save, load, m steps, to the last bit: an implicit scheme in contact,
/// a scheme with accelerations, an explicit one with plasticity and friction.
#[test]
fn restart_equals_no_restart() {
    let folder = Folder::new("solids-restart");
    let cases: [(&str, &[&str], u64); 4] = [
        ("two_bars", &["N=8", "h=5e-6"], 40),
        ("two_bars", &["N=8", "h=5e-6", "analysis.scheme=newmark"], 40),
        ("taylor_bar", &["mu=0.25", "nx=2", "ny=10"], 60),
        ("skate_spring", &["h=2e-3"], 20),
    ];
    for (i, (name, overrides, steps)) in cases.into_iter().enumerate() {
        let scene = scene(name, overrides);
        let path = folder.path(&format!("{i}.h5"));
        let mut whole = Simulation::new(&scene, &Options::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut recorder = Recorder::create(&path, whole.header(), &RecordOptions::default()).expect("a run file");
        let mut frame = whole.header().frame();
        let mut hashes = vec![];
        for k in 0..=steps {
            whole.fill(&mut frame).expect("filled");
            recorder.write(&frame).expect("recorded");
            hashes.push(whole.state().hash_hex());
            if k < steps {
                whole.step().unwrap_or_else(|e| panic!("{name}: {e}"));
            }
        }
        recorder.finish().expect("closed");
        let run = Run::open(&path).expect("a run");
        for from in [0, 1, steps / 2, steps - 1] {
            let mut again = Simulation::new(&scene, &Options::default()).expect("a scene");
            again.restore(&run, from as usize).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(again.state().hash_hex(), hashes[from as usize], "{name}: frame {from} as it was");
            for _ in from..steps {
                again.step().expect("a step");
            }
            assert_eq!(again.state().hash_hex(), hashes[steps as usize], "{name} {overrides:?}: from step {from}");
            // Sums are no state: the energy before a step is computed again, to round-off.
            let (a, b) = (again.totals(), whole.totals());
            assert_eq!((a.retried, a.flagged, a.worst_residual), (b.retried, b.flagged, b.worst_residual), "{name}");
            let scale = b.energy.kinetic + b.energy.potential;
            for (x, y) in [
                (a.energy.shock, b.energy.shock),
                (a.energy.friction, b.energy.friction),
                (a.energy.numerical, b.energy.numerical),
            ] {
                assert!((x - y).abs() <= 1e-10 * scale, "{name} {overrides:?}: {x} and {y} J from step {from}");
            }
        }
    }
}

/// Reference: B1, contact from 50 µs to 445 µs (two steps and the time of a wave through a cell),
/// a plateau of 15.8 MN, no relative velocity while the bars touch.
#[test]
fn two_bars_meet_and_part_as_the_wave_says() {
    let mut bars = Simulation::new(&scene("two_bars", &["analysis.theta=0.5"]), &Options::default()).expect("a scene");
    let (mut closed, mut forces) = (vec![], vec![]);
    let mut frame = bars.header().frame();
    let at = |bars: &Simulation, name: &str| bars.header().position(name).expect("recorded");
    let (force, approach) = (at(&bars, "contact/impact/normal_force"), at(&bars, "step/approach"));
    while !bars.is_over() {
        bars.step().expect("a step");
        bars.fill(&mut frame).expect("filled");
        let value = |i: usize| frame.columns[i].f64().expect("a number")[0];
        if value(force) > 0.0 {
            closed.push(frame.time);
            forces.push(value(force));
            assert!(value(approach) <= 1e-9 * 10.0 || closed.len() == 1, "{} m/s at {} s", value(approach), frame.time);
        }
    }
    let slack = 2.0 * 2e-6 + 1.0 / 50.0 / 5063.7;
    assert!((closed[0] - 5e-5).abs() < slack, "first contact at {}", closed[0]);
    assert!((closed[closed.len() - 1] - 4.4497e-4).abs() < 4.0 * slack, "last contact at {closed:?}");
    // Away from the ends, where the first-order scheme rounds the jumps.
    let middle = &forces[forces.len() / 4..3 * forces.len() / 4];
    let mean = middle.iter().sum::<f64>() / middle.len() as f64;
    assert!((mean / 15.798_734e6 - 1.0).abs() < 0.01, "{mean} N");
}

/// Reference: H4, uniform pressure through incompatible meshes, u = −2 (1 − ν²) p/E.
#[test]
fn a_uniform_pressure_passes_through_the_contact() {
    for (name, overrides) in [
        ("two_blocks", vec![]),
        ("patch_test", vec![]),
        ("patch_test", vec!["contact.between.multipliers=p1"]),
        ("patch_test", vec!["analysis.formalism=stabilised", "analysis.normal=1e10", "analysis.projected=true"]),
    ] {
        let mut blocks = Simulation::new(&scene(name, &overrides), &Options::default()).expect("a scene");
        while !blocks.is_over() {
            blocks.step().unwrap_or_else(|e| panic!("{name} {overrides:?}: {e}"));
        }
        let mut frame = blocks.header().frame();
        blocks.fill(&mut frame).expect("filled");
        let column = |field: &str| {
            let i = blocks.header().position(field).expect("recorded");
            frame.columns[i].f64().expect("numbers").to_vec()
        };
        for p in column("contacts/pressure") {
            assert!((p / 1e6 - 1.0).abs() < 1e-8, "{name} {overrides:?}: a pressure of {p} Pa");
        }
        for stress in column("nodes/stress").chunks(6) {
            assert!((stress[1] / 1e6 + 1.0).abs() < 1e-8, "{name} {overrides:?}: {stress:?}");
        }
        assert!((column("probes/top/displacement")[1] + 1.82e-3).abs() < 1e-11, "{name} {overrides:?}");
    }
}

#[test]
fn a_run_is_recorded_told_drawn_and_exported() {
    let folder = Folder::new("solids-files");
    let shorter = ["--set", "N=8", "--set", "h=1e-5", "--set", "time.record=1e-5"];
    let run = [&["run", "two_bars", "-o", "bars.h5"][..], &shorter].concat();
    says(&folder.run(&run), &["t = 0.000600 s after 60 steps", "0 steps above the tolerance", "delassus info bars.h5"]);
    says(
        &folder.run(&["info", "bars.h5"]),
        &[
            "solids    2 of 16 cells and 36 nodes",
            "scheme theta scheme, formalism lagrange",
            "nodes/von_mises",
            "kinetic",
        ],
    );
    says(
        &folder.run(&[&["run", "two_bars", "--no-record", "--log", "bars.log"][..], &shorter].concat()),
        &["60 steps"],
    );
    let log = std::fs::read_to_string(folder.path("bars.log")).expect("written");
    for part in ["step 1, t = 1.000000000e-5 s", "newton 0: balance", "statuses 0:"] {
        assert!(log.contains(part), "{part}");
    }
    says(&folder.run(&["check", "two_bars"]), &["solids    2 of 100 cells", "contacts  on 1 facets"]);
    says(&folder.run(&["draw", "bars.h5", "--time", "2e-4"]), &["bars.svg", "von Mises stress from"]);
    let svg = std::fs::read_to_string(folder.path("bars.svg")).expect("written");
    roxmltree::Document::parse(&svg).expect("well formed");
    assert!(svg.contains("von Mises stress [MPa]") && svg.contains("2 solids"));
    says(&folder.run(&["draw", "bars.h5", "--field", "velocity.x", "-o", "v.png", "--size", "300"]), &["v.png"]);
    folder.run(&["draw", "bars.h5", "--field", "velocty"]).fails(2, &["did you mean 'velocity'?"]);
    folder.run(&["draw", "bars.h5", "--field", "stress"]).fails(2, &["stress.xx"]);
    folder.run(&["draw", "bars.h5", "--forces"]).fails(2, &["--forces is for rigid bodies"]);
    folder.run(&["explore", "bars.h5"]).fails(2, &["is for rigid bodies"]);
    says(&folder.run(&["export", "bars.h5", "--vtk", "vtk", "--every", "10"]), &["solids.pvd"]);
    let grid = std::fs::read(folder.path("vtk/solids_000060.vtu")).expect("written");
    let text = String::from_utf8_lossy(&grid);
    for part in [
        "UnstructuredGrid",
        "NumberOfPoints=\"36\" NumberOfCells=\"16\"",
        "Name=\"displacement\"",
        "Name=\"von_mises\"",
    ] {
        assert!(text.contains(part), "{part}");
    }
    let collection = std::fs::read_to_string(folder.path("vtk/solids.pvd")).expect("written");
    assert_eq!(collection.matches("<DataSet").count(), 7);
    says(&folder.run(&["plot", "bars.h5", "tip", "energy/total", "--csv", "-"]), &["probes/tip/velocity.x [m/s]"]);
    // Longer than the scene, from the frame before the last.
    says(&folder.run(&["resume", "bars.h5", "--frame", "59", "--end", "7e-4"]), &["t = 0.000700 s after 11 steps"]);
}

#[test]
fn variants_are_compared_in_one_command() {
    let folder = Folder::new("solids-variants");
    let set = ["--set", "N=8", "--set", "h=1e-5", "--set", "time.record=1e-5"];
    let compare =
        [&["plot", "--compare", "two_bars", "--exact", "two-bars", "--variant", "theta,newmark"][..], &set].concat();
    says(&folder.run(&compare), &["two_bars_theta_comparison.svg: 12 curves"]);
    let svg = std::fs::read_to_string(folder.path("two_bars_theta_comparison.svg")).expect("written");
    for part in ["Contact force", "θ = 1", "Newmark 1/4, 1/2", "exact"] {
        assert!(svg.contains(part), "{part}");
    }
    // The second time the runs are there.
    let before = std::fs::metadata(folder.path("two_bars_newmark.h5")).and_then(|m| m.modified()).expect("there");
    says(&folder.run(&compare), &["12 curves"]);
    let after = std::fs::metadata(folder.path("two_bars_newmark.h5")).and_then(|m| m.modified()).expect("there");
    assert_eq!(before, after);
    folder.run(&["plot", "--compare", "two_bars", "--variant", "theat"]).fails(2, &["did you mean 'theta'?"]);
    folder.run(&["plot", "--compare", "card_house"]).fails(2, &["has no [variant.NAME]"]);
    says(&folder.run(&["run", "two_bars", "--variant", "hht", "--no-record", "--set", "N=4"]), &["after 300 steps"]);
    folder.run(&["run", "two_bars", "--variant", "htt"]).fails(2, &["did you mean `hht`?"]);
}
