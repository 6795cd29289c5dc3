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
        (&["a.h5", "momentum/linear.z"], &["'momentum/linear' has 2 components"]),
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

/// One series against another: the axis says what it is; a name that means several is told.
#[test]
fn a_series_is_drawn_against_another() {
    let folder = Folder::new("plot-against");
    fallen(&folder, "a.h5", "-10");
    let picture = ["plot", "a.h5", "centre/velocity.y", "--against", "centre/position.y", "-o", "v.svg"];
    says(&folder.run(&picture), &["v.svg: 1 curves"]);
    let text = svg(&folder, "v.svg");
    assert!(text.contains("position [m]") && !text.contains("time [s]"), "{text}");
    folder.run(&["plot", "a.h5", "energy", "--against", "centre/position"]).fails(2, &["centre/position", "name one"]);
    folder.run(&["plot", "a.h5", "energy", "--against", "centre/positon.y"]).fails(2, &["is not recorded"]);
}
