//! `delassus plot` as its users meet it: files, messages, exit codes.

#[allow(dead_code)] // What other tests use of it.
use crate::common::{Folder, Outcome};

/// A ball that falls 1 m and is observed: 46 frames from 0 to 0.45 s.
fn fallen(folder: &Folder, name: &str, gravity: &str) {
    let scene = "title = 'Fall'\ndimension = 2\n[time]\nstep = 1e-3\nend = 0.45\nrecord = 1e-2\n\
                 [law]\n[body.ball]\nshape.disc.radius = 0.1\nposition = [0, 1.1]\n[observe.centre]\nbody = 'ball'\n";
    folder.file("fall.toml", scene.as_bytes());
    let set = format!("gravity=[0, {gravity}]");
    folder.run(&["run", "fall.toml", "-o", name, "--quiet", "--set", &set]).fails(0, &[]);
}

fn says(run: &Outcome, parts: &[&str]) {
    run.fails(0, &[]);
    for part in parts {
        assert!(run.out.contains(part), "'{part}' is missing from:\n{}", run.out);
    }
}

fn svg(folder: &Folder, name: &str) -> String {
    let text = std::fs::read_to_string(folder.path(name)).expect("the picture is there");
    roxmltree::Document::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
    text
}

#[test]
fn series_are_listed_and_drawn() {
    let folder = Folder::new("plot");
    fallen(&folder, "a.h5", "-10");
    let all = ["energy/kinetic ", "probes/centre/velocity.y", "bodies/position[ITEM].x", "energy/total", "46 frames"];
    says(&folder.run(&["plot", "a.h5", "--list"]), &all);
    says(&folder.run(&["plot", "a.h5", "energy"]), &["a_plot.svg: 2 curves"]);
    let text = svg(&folder, "a_plot.svg");
    for part in ["Fall", "energy/kinetic", "energy/potential", "kinetic, potential [J]", "time [s]"] {
        assert!(text.contains(part), "{part}");
    }
    // A point: position and velocity have different units, hence two panels of two curves.
    says(&folder.run(&["plot", "a.h5", "centre", "-o", "p.png", "--size", "400"]), &["p.png: 4 curves"]);
    assert_eq!(&std::fs::read(folder.path("p.png")).expect("written")[..4], b"\x89PNG");
}

/// Reference: free fall by Moreau's midpoint rule is exact, v = −g t and y = y₀ − g t²/2 at the ends of steps.
#[test]
fn numbers_of_two_runs_stand_side_by_side() {
    let folder = Folder::new("plot-csv");
    fallen(&folder, "a.h5", "-10");
    fallen(&folder, "b.h5", "-20");
    let run = folder.run(&["plot", "a.h5", "b.h5", "centre/velocity.y", "--csv", "-"]);
    says(&run, &["time [s],a [m/s],b [m/s]"]);
    for line in run.out.lines().skip(1) {
        let [t, a, b] = line.split(',').map(|x| x.parse().expect("a number")).collect::<Vec<f64>>()[..] else {
            panic!("three columns: {line}")
        };
        assert!((a + 10.0 * t).abs() < 1e-12 && (b + 20.0 * t).abs() < 1e-12, "{line}");
    }
    assert_eq!(run.out.lines().count(), 47);
    let run = folder.run(&["plot", "a.h5", "bodies/position[ball].y", "--csv", "-", "--from", "0.3", "--to", "0.3005"]);
    let last: f64 =
        run.out.lines().last().and_then(|l| l.split(',').nth(1)).expect("a line").parse().expect("a number");
    assert!((last - (1.1 - 0.45)).abs() < 1e-12, "{last}");
}

#[test]
fn four_panels_compare_runs() {
    let folder = Folder::new("plot-compare");
    fallen(&folder, "a.h5", "-10");
    fallen(&folder, "b.h5", "-20");
    let run = folder.run(&["plot", "--compare", "a.h5", "b.h5", "--label", "weak", "--label", "strong"]);
    says(&run, &["a_comparison.svg: 8 curves"]);
    let text = svg(&folder, "a_comparison.svg");
    let parts = ["Displacement", "Velocity", "Contact force", "Energy", "displacement y of centre", "weak", "strong"];
    for part in parts {
        assert!(text.contains(part), "{part}");
    }
    let exact = folder.run(&["plot", "--compare", "a.h5", "--exact", "two-bars"]);
    exact
        .fails(2, &["needs the positive parameters young, density, length, section, speed, gap", "'young' is missing"]);
}

#[test]
fn mistakes_name_the_nearest() {
    let folder = Folder::new("plot-wrong");
    fallen(&folder, "a.h5", "-10");
    let wrong: [(&[&str], &[&str]); 12] = [
        (&["a.h5", "energy/kinetik"], &["'energy/kinetik' is not recorded in a.h5", "did you mean 'energy/kinetic'?"]),
        (&["a.h5"], &["nothing to plot", "--list"]),
        (&["energy"], &["'energy' is no run"]),
        (&["none.h5", "energy"], &["none.h5"]),
        (&["a.h5", "bodies/position"], &["has 1 items", "bodies/position[0]"]),
        (&["a.h5", "bodies/position[bal]"], &["no item 'bal'", "'ball'"]),
        (&["a.h5", "momentum/linear.z"], &["'momentum/linear' has no component '.z'; there are .x, .y"]),
        (&["a.h5", "contacts/gap"], &["it is no time series"]),
        (&["a.h5", "energy", "-o", "a.bmp"], &["pictures are .svg or .png"]),
        (&["a.h5", "energy", "--from", "1", "--to", "0"], &["--from 1 is not before --to 0"]),
        (&["a.h5", "--compare", "--probe", "center"], &["no point 'center' is observed", "'centre'"]),
        (&["a.h5", "--compare", "--axis", "z"], &["the runs have dimension 2"]),
    ];
    for (arguments, parts) in wrong {
        folder.run(&[&["plot"], arguments].concat()).fails(2, parts);
    }
}

/// One series against another: the axes say what they are; a name that means several is told.
#[test]
fn a_series_is_drawn_against_another() {
    let folder = Folder::new("plot-against");
    fallen(&folder, "a.h5", "-10");
    let picture = ["plot", "a.h5", "centre/velocity.y", "--against", "centre/position.y", "-o", "v.svg"];
    says(&folder.run(&picture), &["v.svg: 1 curves"]);
    let text = svg(&folder, "v.svg");
    assert!(text.contains("centre/position.y [m]") && text.contains("centre/velocity.y [m/s]"), "{text}");
    assert!(!text.contains("time [s]"), "{text}");
    folder.run(&["plot", "a.h5", "energy", "--against", "centre/position"]).fails(2, &["centre/position", "name one"]);
    folder.run(&["plot", "a.h5", "energy", "--against", "centre/positon.y"]).fails(2, &["is not recorded"]);
}

/// A scene in the place of a run is run first, once; its variants where they are asked for. A run that an event ended is
/// whole; another run of that name is not written over.
#[test]
fn a_scene_is_run_for_its_plot() {
    let folder = Folder::new("plot-scene");
    let scene = "title = 'Fall'\ndimension = 2\n[parameters]\ng = 10\n[time]\nstep = 1e-3\nend = 0.45\nrecord = 1e-2\n\
                 [law]\n[body.ball]\nshape.disc.radius = 0.1\nposition = [0, 1.1]\n[observe.centre]\nbody = 'ball'\n\
                 [load.more]\nbody = 'ball'\nforce = [0, '=-(g - 9.81)*pi*0.01*1000']\n[material.ball]\ndensity = 1000\n\
                 [when.low]\nif = 'centre.position.y < 1'\nstop = true\n\
                 [variant.slow]\nset = ['g=5']\n[variant.fast]\nset = ['g=20']\n";
    folder.file("fall.toml", scene.as_bytes());
    let plot = ["plot", "fall.toml", "centre/velocity.y", "--csv", "-", "--quiet"];
    let first = folder.run(&plot);
    says(&first, &["centre/velocity.y [m/s]"]);
    let last: Vec<f64> =
        first.out.lines().last().map(|l| l.split(',').filter_map(|x| x.parse().ok()).collect()).expect("a line");
    // v = −g t, and the ball has fallen by 0.1 m after √(2 · 0.1/g).
    assert!((last[1] + 10.0 * last[0]).abs() < 1e-9 && (last[0] - 0.02_f64.sqrt()).abs() < 2e-3, "{last:?}");
    let made = std::fs::metadata(folder.path("fall.h5")).expect("the run").modified().expect("a time");
    assert_eq!(folder.run(&plot).out, first.out);
    assert_eq!(std::fs::metadata(folder.path("fall.h5")).expect("the run").modified().expect("a time"), made);
    folder.run(&[&plot[..], &["--set", "g=20"]].concat()).fails(2, &["fall.h5 is not the run of fall.toml"]);
    let both = ["plot", "fall.toml", "centre/velocity.y", "--variant", "slow,fast", "--label", "five", "-o", "v.svg"];
    says(&folder.run(&both), &["v.svg: 2 curves"]);
    assert!(svg(&folder, "v.svg").contains("five"));
    folder.run(&["plot", "fall.toml", "--variant", "fsat"]).fails(2, &["did you mean 'fast'?"]);
    folder.run(&["plot", "fall.toml"]).fails(2, &["nothing to plot of fall.toml", "--list"]);
    folder.run(&["plot", "fall.h5", "centre", "--set", "g=1"]).fails(2, &["--set and --variant are for scenes"]);
}
