//! Deformable solids as their users meet them: runs, restarts, pictures, files.

#[allow(dead_code)] // What other tests use of it.
use crate::common::{Folder, Outcome};
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
        ("patch_test", vec!["analysis.formalism=stabilised", "analysis.normal=1e10"]),
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
        // The blocks of `two_blocks` begin 1 mm apart.
        let down = 1.82e-3 + if name == "two_blocks" { 1e-3 } else { 0.0 };
        assert!((column("probes/top/displacement")[1] + down).abs() < 1e-11, "{name} {overrides:?}");
    }
}

/// A cantilever of ten elements, pushed at its end by 100 N.
const CANTILEVER: &str = "gravity = [0, 0]\n[time]\nstep = 1\nend = 1\n[analysis]\nscheme = 'quasi_static'\n\
    [material.steel]\nyoung = 2e11\npoisson = 0.3\ndensity = 7800\n\
    [beam.lever]\nfrom = [0, 0]\nto = [1, 0]\ncells = 10\nsection = { width = 0.02, height = 0.03 }\n\
    [support.wall]\non = 'lever/start'\nx = 0\ny = 0\nrotation = 0\n\
    [load.push]\non = 'lever/end'\nforce = [0, 100]\n[observe.tip]\non = 'lever/end'\n";

/// Displacement of the observed tip after one step.
fn tip(text: &str) -> Vec<f64> {
    let scene = Scene::parse(text, "lever.toml", &[]).unwrap_or_else(|e| panic!("{e}"));
    let mut lever = Simulation::new(&scene, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    lever.step().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(lever.totals().flagged, 0);
    let mut frame = lever.header().frame();
    lever.fill(&mut frame).expect("filled");
    let position = lever.header().position("probes/tip/displacement").expect("recorded");
    frame.columns[position].f64().expect("numbers").to_vec()
}

/// The tip of a cantilever goes to F L³/(3 E I) + F L/(κ G A), for rectangles and circles, in the plane and in
/// space, alone and beside a rigid body; a torque T at its end to T L²/(2 E I). Timoshenko's closed forms.
#[test]
fn a_cantilever_bends_as_timoshenko_says() {
    let (e, g, force) = (2e11, 2e11 / 2.6, 100.0);
    let bent = |i: f64, kappa_area: f64| force / (3.0 * e * i) + force / (kappa_area * g);
    let rectangle = bent(0.02 * 0.03f64.powi(3) / 12.0, 5.0 / 6.0 * 6e-4);
    let sideways = bent(0.03 * 0.02f64.powi(3) / 12.0, 5.0 / 6.0 * 6e-4);
    let pi = std::f64::consts::PI;
    // Cowper's κ of a circle.
    let circle = bent(pi / 4.0 * 0.01f64.powi(4), 6.0 * 1.3 / (7.0 + 6.0 * 0.3) * pi * 1e-4);
    let near = |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");

    let plane = format!("dimension = 2\n{CANTILEVER}");
    near(tip(&plane)[1], rectangle);
    near(tip(&plane.replace("width = 0.02, height = 0.03", "radius = 0.01"))[1], circle);
    let points = plane.replace("from = [0, 0]\nto = [1, 0]\ncells = 10", "points = [[0, 0], [0.3, 0], [1, 0]]");
    near(tip(&points)[1], rectangle);
    let torque = plane.replace("force = [0, 100]", "torque = [100]");
    near(tip(&torque)[1], 100.0 / (2.0 * e * 0.02 * 0.03f64.powi(3) / 12.0));

    // In space the height is along z unless `up` says otherwise.
    let space = format!("dimension = 3\n{CANTILEVER}").replace("[0, 0]", "[0, 0, 0]").replace("[1, 0]", "[1, 0, 0]");
    let space = space.replace("y = 0\n", "y = 0\nz = 0\n");
    let upwards = space.replace("force = [0, 100]", "force = [0, 0, 100]");
    near(tip(&upwards)[2], rectangle);
    near(tip(&space.replace("force = [0, 100]", "force = [0, 100, 0]"))[1], sideways);
    near(tip(&upwards.replace("cells = 10", "cells = 10\nup = [0, 1, 0]"))[2], sideways);

    let body = "[law]\nfriction = 0.3\n[body.disc]\nshape.disc.radius = 0.1\nposition = [0, 5]\n";
    near(tip(&format!("{plane}{body}"))[1], rectangle);
}

/// A beam is recorded, told and continued to the same bits; pictures and files of the run can be made.
#[test]
fn beams_are_recorded_told_and_continued() {
    let folder = Folder::new("beams");
    let dynamic = CANTILEVER.replace("step = 1\nend = 1", "step = 1e-3\nend = 0.02\nrecord = 1e-3");
    let dynamic = format!("dimension = 2\n{}", dynamic.replace("quasi_static", "newmark"));
    folder.file("lever.toml", dynamic.as_bytes());
    says(&folder.run(&["check", "lever.toml"]), &["solids    0, beams 1 of 10 cells and 11 nodes, 30 free unknowns"]);
    says(&folder.run(&["run", "lever.toml"]), &["after 20 steps", "0 steps above the tolerance"]);
    says(&folder.run(&["run", "lever.toml", "-o", "part.h5", "--set", "time.end=0.01"]), &["after 10 steps"]);
    let (whole, more) = (folder.run(&["info", "lever.h5"]), folder.run(&["resume", "part.h5", "--end", "0.02"]));
    says(&whole, &["probes/tip"]);
    says(&more, &["after 10 steps"]);
    let state = |out: &str| out.lines().find(|l| l.starts_with("state ")).map(str::to_owned);
    let again = folder.run(&["run", "lever.toml", "--no-record"]);
    assert!(state(&more.out).is_some() && state(&more.out) == state(&again.out), "{}{}", more.out, again.out);
    says(&folder.run(&["plot", "lever.h5", "tip", "--csv", "-"]), &["probes/tip/displacement.y [m]"]);
    says(&folder.run(&["export", "lever.h5", "--vtk", "vtk"]), &["vtk"]);
    says(&folder.run(&["draw", "lever.h5"]), &["lever.svg"]);
}

/// A strip folded into a hook, cells of 5 cm: two rows of 17 and 20 cells, joined at the left. Gmsh 2.2.
fn hook() -> String {
    let (mut nodes, mut cells) = (vec![], vec![]);
    for (j, columns) in [20, 20, 2, 2, 17, 17].into_iter().enumerate() {
        for i in 0..columns {
            let corners = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]].map(|c| {
                let known = nodes.iter().position(|n| *n == c);
                1 + known.unwrap_or_else(|| {
                    nodes.push(c);
                    nodes.len() - 1
                })
            });
            cells.push(corners);
        }
    }
    let mut text = format!("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{}\n", nodes.len());
    for (k, [i, j]) in nodes.iter().enumerate() {
        text += &format!("{} {} {} 0\n", k + 1, 0.05 * *i as f64, 0.05 * *j as f64);
    }
    text += &format!("$EndNodes\n$Elements\n{}\n", cells.len());
    for (k, [a, b, c, d]) in cells.iter().enumerate() {
        text += &format!("{} 3 2 0 1 {a} {b} {c} {d}\n", k + 1);
    }
    text + "$EndElements\n"
}

const FOLD: &str = "dimension = 2\ngravity = [0, 0]\n[time]\nstep = 1e-3\nend = 0.1\n[law]\nfriction = 0.3\n\
    [material.rubber]\nbehaviour = 'neo_hookean'\nyoung = 1e6\npoisson = 0.3\n";

/// The upper arm of a folded strip is bent onto the lower one. With its back held, the arms know of each other by
/// contact alone: they move as two solids do. Without `self_contact` they pass through each other.
#[test]
fn a_folded_strip_touches_itself_as_two_solids_touch() {
    let folder = Folder::new("fold");
    folder.file("hook.msh", hook().as_bytes());
    let (back, down) = ("group.back = { min = [-0.01, -1], max = [0.11, 1] }\n", "y = '-2*t'\n");
    let strip = format!(
        "{FOLD}[mesh.m]\nkind = 'file'\nfile = 'hook.msh'\n{back}\
         group.tip = {{ min = [0.84, 0.29], max = [0.86, 0.31] }}\n\
         group.end = {{ min = [0.99, 0.09], max = [1.01, 0.11] }}\n[solid.strip]\nself_contact = true\n\
         [support.back]\non = 'strip/back'\nx = 0\ny = 0\n[support.tip]\non = 'strip/tip'\n{down}\
         [observe.end]\non = 'strip/end'\n"
    );
    let arms = format!(
        "{FOLD}[mesh.upper]\nkind = 'block'\nsize = [0.85, 0.1]\ncells = [17, 2]\n{back}\
         group.tip = {{ min = [0.84, 0.09], max = [0.86, 0.11] }}\n\
         [mesh.lower]\nkind = 'block'\nsize = [1, 0.1]\ncells = [20, 2]\n{back}\
         group.end = {{ min = [0.99, 0.09], max = [1.01, 0.11] }}\n\
         [solid.upper]\nmesh = 'upper'\nposition = [0, 0.2]\n[solid.lower]\nmesh = 'lower'\n\
         [support.back]\non = ['upper/back', 'lower/back']\nx = 0\ny = 0\n\
         [support.tip]\non = 'upper/tip'\n{down}[observe.end]\non = 'lower/end'\n"
    );
    let bent = |text: &str| {
        let scene = Scene::load(folder.file("fold.toml", text.as_bytes()), &[]).unwrap_or_else(|e| panic!("{e}"));
        let mut fold = Simulation::new(&scene, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
        while !fold.is_over() {
            fold.step().unwrap_or_else(|e| panic!("{e}"));
        }
        assert_eq!(fold.totals().flagged, 0);
        let mut frame = fold.header().frame();
        fold.fill(&mut frame).expect("filled");
        let column = |name: &str| frame.columns[fold.header().position(name).expect("recorded")].to_f64();
        (column("probes/end/displacement"), column("contacts/bodies"))
    };
    let (one, itself) = bent(&strip);
    let (two, _) = bent(&arms);
    assert!(two[1] < -0.05, "the lower arm is bent: {two:?}");
    // Both are solved to 1e-9 of forces that bend by centimetres.
    assert!(one.iter().zip(&two).all(|(a, b)| (a - b).abs() < 1e-9), "{one:?} {two:?}");
    assert!(!itself.is_empty() && itself.iter().all(|b| *b == 0.0), "{itself:?}");
    let (through, none) = bent(&strip.replace("self_contact = true\n", ""));
    assert!(none.is_empty() && through.iter().all(|u| *u == 0.0), "{through:?}");
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
    // In contact the reactions of the two nodes follow from the step; after it there are none.
    says(&folder.run(&["explore", "bars.h5@2e-4"]), &["2 contacts", "undetermined in 0 dimensions"]);
    folder.run(&["explore", "bars.h5"]).fails(2, &["no contact is closed"]);
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
