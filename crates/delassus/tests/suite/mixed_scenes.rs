//! Scenes of rigid bodies and deformable solids as their users meet them: runs, restarts, pictures, files.

#[allow(dead_code)] // What other tests use of it.
use crate::common;

use crate::common::Folder;
use delassus::record::{Options as RecordOptions, Recorder, Run};
use delassus::scene::{Scene, example};
use delassus::simulation::{Options, Simulation};

fn scene(name: &str, overrides: &[&str]) -> Scene {
    let overrides: Vec<String> = overrides.iter().map(|s| (*s).to_owned()).collect();
    Scene::parse(example(name).expect("in the gallery").text, name, &overrides).unwrap_or_else(|e| panic!("{e}"))
}

/// n + m steps equal n steps, save, load, m steps, to the last bit; every step holds its certificate.
#[test]
fn restart_equals_no_restart() {
    let folder = Folder::new("mixed-restart");
    for (name, tolerance, steps) in [("masonry_deformable", 1e-8, 20), ("deformable_grain", 1e-8, 40)] {
        // Fast enough to meet within the steps made.
        let changed: &[&str] = if name == "deformable_grain" { &["time.step=2e-3"] } else { &[] };
        let scene = scene(name, changed);
        let path = folder.path(&format!("{name}.h5"));
        let mut whole = Simulation::new(&scene, &Options::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut recorder = Recorder::create(&path, whole.header(), &RecordOptions::default()).expect("a run file");
        let mut frame = whole.header().frame();
        let mut hashes = vec![];
        for k in 0..=steps {
            whole.fill(&mut frame).expect("filled");
            recorder.write(&frame).expect("recorded");
            hashes.push(whole.state().hash_hex());
            if k < steps {
                let progress = whole.step().unwrap_or_else(|e| panic!("{name}: {e}"));
                assert!(progress.residual <= tolerance, "{name}: {}", progress.residual);
            }
        }
        recorder.finish().expect("closed");
        let run = Run::open(&path).expect("a run");
        for from in [0, steps / 2, steps - 1] {
            let mut again = Simulation::new(&scene, &Options::default()).expect("a scene");
            again.restore(&run, from as usize).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(again.state().hash_hex(), hashes[from as usize], "{name}: frame {from} as it was");
            (from..steps).for_each(|_| assert!(again.step().is_ok(), "{name}"));
            assert_eq!(again.state().hash_hex(), hashes[steps as usize], "{name}: from step {from}");
        }
    }
}

/// The energy–momentum scheme beside rigid bodies: every step holds its certificate, the ledger closes, and what the
/// inner forces of the undamped grain work is the energy it stores.
#[test]
fn a_conserving_grain_lives_among_rigid_discs() {
    let changed = ["analysis={ scheme = 'energy_momentum' }", "solid.grain.rayleigh=[0, 0]"];
    let scene = scene("deformable_grain", &changed);
    let mut world = Simulation::new(&scene, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut touched = false;
    for _ in 0..500 {
        let progress = world.step().unwrap_or_else(|e| panic!("{e}"));
        assert!(progress.residual <= 1e-8, "{}", progress.residual);
        touched |= progress.contacts > 0;
    }
    let energy = world.totals().energy;
    let size = energy.shock.abs().max(energy.kinetic);
    assert!(touched && energy.shock < 0.0, "{energy:?}");
    assert!(energy.closing.abs() < 1e-9 * size && energy.numerical.abs() < 1e-6 * size, "{energy:?}");
}

/// The wall stands: its weight goes into the floor, the block is flattened by less than a thousandth.
#[test]
fn the_wall_stands_on_its_deformable_block() {
    let mut wall = Simulation::new(&scene("masonry_deformable", &[]), &Options::default()).expect("a scene");
    while !wall.is_over() {
        wall.step().expect("a step");
    }
    let mut frame = wall.header().frame();
    wall.fill(&mut frame).expect("filled");
    let column = |field: &str| frame.columns[wall.header().position(field).expect("recorded")].to_f64();
    let (bodies, force) = (column("contacts/bodies"), column("contacts/force"));
    let names = wall.names();
    let floor = names.iter().position(|n| n == "floor").expect("a floor") as f64;
    let mut carried = 0.0;
    for (pair, f) in bodies.chunks(2).zip(force.chunks(2)) {
        carried += if pair[0] == floor {
            -f[1]
        } else if pair[1] == floor {
            f[1]
        } else {
            0.0
        };
    }
    // 17 bricks, 4 halves, one deformable block of the size of a brick, and the load.
    let weight = 9.81 * (1800.0 * 0.02 * (12.0 + 2.0 + 3.0 + 1.0 + 2.0) + 7800.0 * 0.03);
    assert!((carried / weight - 1.0).abs() < 1e-3, "{carried} {weight}");
    let moved = column("bodies/velocity").iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let sunk = column("nodes/displacement").iter().fold(0.0f64, |m, u| m.max(u.abs()));
    assert!(moved < 1e-3 && sunk < 1e-4 && sunk > 1e-7, "{moved} {sunk}");
}

/// The command runs, tells, draws and exports; VTK has the bodies and the deformed mesh.
#[test]
fn a_run_is_recorded_told_drawn_and_exported() {
    let folder = Folder::new("mixed-files");
    let told = |run: &common::Outcome, parts: &[&str]| {
        run.fails(0, &[]);
        parts.iter().for_each(|p| assert!(run.out.contains(p), "'{p}' is missing from:\n{}", run.out));
    };
    told(&folder.run(&["check", "masonry_deformable"]), &["bodies    23", "solids    1 of 32 cells and 45 nodes"]);
    let run = ["run", "masonry_deformable", "-o", "wall.h5", "--set", "time.end=0.01", "--set", "time.record=0.005"];
    told(&folder.run(&run), &["after 20 steps", "0 steps above the tolerance"]);
    told(&folder.run(&["info", "wall.h5"]), &["nodes/von_mises", "bodies/position"]);
    told(&folder.run(&["draw", "wall.h5", "-o", "wall.png", "--forces", "lines"]), &["wall.png"]);
    told(&folder.run(&["export", "wall.h5", "--vtk", "vtk"]), &["vtk"]);
    // Numbers follow the text of these files as bytes.
    let read = |name: &str| String::from_utf8_lossy(&std::fs::read(folder.path(name)).expect("written")).into_owned();
    let solids = read("vtk/solids_000001.vtu");
    assert!(
        solids.contains("NumberOfPoints=\"45\"") && solids.contains("NumberOfCells=\"32\""),
        "{}",
        solids.chars().take(400).collect::<String>()
    );
    assert!(read("vtk/bodies_000001.vtp").contains("NumberOfPolys"));
}
