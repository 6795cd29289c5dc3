//! `sweep`: one table, whatever happens on the way.

#[allow(dead_code)]
use crate::common::Folder;
use std::process::Command;

/// A block that slides with v until μ g t stops it, and its way in closed form.
const SLIDE: &str = "dimension = 2\ntitle = 'slide'\n[parameters]\nv = 1.0\n[time]\nstep = 1e-3\nend = 0.2\nrecord = 0.02\n\
    [body.floor]\nshape.half_plane = {}\n[body.block]\nshape.box = { size = [0.2, 0.1] }\nposition = [0, 0.05]\n\
    mass = 1\nvelocity = ['=v', 0]\n[law]\nfriction = 0.3\n";

fn table(folder: &Folder, name: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(folder.path(name)).expect("a table");
    text.lines().map(|l| l.split(',').map(str::to_owned).collect()).collect()
}

/// x = v t − μ g t²/2 at t = 0.2 s while it slides; the order of the scheme is one, its step 1e-3.
#[test]
fn a_table_holds_the_closed_form() {
    let folder = Folder::new("sweep-table");
    folder.file("slide.toml", SLIDE.as_bytes());
    let measure = ["--measure", "x=bodies/position[block].x", "--measure", "rate:energy/kinetic@0:0.1"];
    let over = ["sweep", "slide.toml", "--over", "law.friction=0.1:0.3:3", "--over", "v=1,2"];
    let outcome = folder.run(&[&over[..], &measure[..]].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let rows = table(&folder, "slide_sweep/table.csv");
    assert_eq!(rows.len(), 7);
    for row in &rows[1..] {
        let number = |k: usize| row[k].parse::<f64>().expect("a number");
        let exact = number(1) * 0.2 - 0.5 * number(0) * 9.81 * 0.04;
        assert!((number(2) - exact).abs() < 2e-3 * number(0), "{row:?}: {exact}");
        assert_eq!(row[4], "certified");
    }
    for file in ["table.h5", "figure.svg", "figure.png", "plan.json"] {
        assert!(folder.path("slide_sweep").join(file).is_file(), "{file}");
    }
    // The same bytes from one member at a time, and from a table that is made again.
    let alone = folder.run(&[&over[..], &measure[..], &["-j", "1", "-o", "alone"]].concat());
    assert_eq!(alone.code, 0, "{}", alone.err);
    let bytes = |name: &str| std::fs::read(folder.path(name)).expect("a file");
    assert_eq!(bytes("alone/table.csv"), bytes("slide_sweep/table.csv"));
    assert_eq!(bytes("alone/table.h5"), bytes("slide_sweep/table.h5"));
    let again = folder.run(&[&over[..], &measure[..], &["--measure", "max:energy/kinetic", "-o", "alone"]].concat());
    assert_eq!(again.code, 0, "{}", again.err);
    assert_eq!(table(&folder, "alone/table.csv")[1][2], rows[1][2], "a new measure does not change the others");
}

/// A member that is no scene, and one whose measure is not recorded, are told; the others have their numbers.
#[test]
fn a_failing_member_loses_nothing_else() {
    let folder = Folder::new("sweep-fail");
    folder.file("slide.toml", SLIDE.as_bytes());
    let over = ["sweep", "slide.toml", "--over", "law.friction=-0.1,0.2", "--measure", "energy/kinetic"];
    let outcome = folder.run(&over);
    outcome.fails(1, &["law.friction=-0.1", "must be at least 0"]);
    let rows = table(&folder, "slide_sweep/table.csv");
    assert_eq!((rows[1][2].as_str(), rows[2][2].as_str()), ("failed", "certified"));
    assert!(!rows[2][1].is_empty());
    // Known by now: told again without being run, and the exit code still says so.
    folder.run(&over).fails(1, &["must be at least 0"]);
    let missing = ["sweep", "slide.toml", "--over", "v=1,2", "--measure", "energy/kinetik", "-o", "missing"];
    folder.run(&missing).fails(1, &["'energy/kinetik' is not recorded", "did you mean 'energy/kinetic'"]);
    // A measure that is asked for no more is no reason; the runs are there.
    let right = ["sweep", "slide.toml", "--over", "v=1,2", "--measure", "max:energy/kinetic", "-o", "missing"];
    folder.run(&right).fails(0, &[]);
    assert!(table(&folder, "missing/table.csv")[1..].iter().all(|row| row[2] == "certified"));
}

/// A sweep that is killed goes on, and ends with the bytes of one that was not.
#[test]
fn a_killed_sweep_goes_on() {
    let folder = Folder::new("sweep-kill");
    folder.file("slide.toml", SLIDE.replace("end = 0.2", "end = 20").as_bytes());
    let over = ["sweep", "slide.toml", "--over", "v=1:4:6", "--measure", "bodies/position[block].x"];
    let whole = folder.run(&[&over[..], &["-o", "whole"]].concat());
    assert_eq!(whole.code, 0, "{}", whole.err);
    let mut child = Command::new(env!("CARGO_BIN_EXE_delassus"))
        .args([&over[..], &["-o", "cut", "-q", "-j", "1"]].concat())
        .current_dir(folder.path(""))
        .spawn()
        .expect("the command starts");
    std::thread::sleep(std::time::Duration::from_millis(300));
    child.kill().expect("it can be stopped");
    child.wait().expect("it ends");
    let rest = folder.run(&[&over[..], &["-o", "cut"]].concat());
    assert_eq!(rest.code, 0, "{}", rest.err);
    let bytes = |name: &str| std::fs::read(folder.path(name)).expect("a file");
    assert_eq!(bytes("cut/table.csv"), bytes("whole/table.csv"));
}

/// What makes no sense is refused before anything runs, with the key and what would be accepted.
#[test]
fn bad_input_is_told() {
    let folder = Folder::new("sweep-bad");
    folder.file("slide.toml", SLIDE.as_bytes());
    let sweep = |more: &[&str]| folder.run(&[&["sweep", "slide.toml"], more].concat());
    sweep(&["--over", "law.frictio=0.1,0.2"]).fails(2, &["unknown key `frictio`", "did you mean `friction`?"]);
    sweep(&["--over", "law.friction=0.1:0.9"]).fails(2, &["FROM:TO:COUNT"]);
    sweep(&["--over", "v=1,2", "--measure", "most:energy/kinetic"]).fails(2, &["no statistic 'most'"]);
    sweep(&["--over", "v=1,2", "--over", "v=3"]).fails(2, &["given twice"]);
    sweep(&["--over", "v=1,2", "--along", "w"]).fails(2, &["'w' is not swept over"]);
    sweep(&["--over", "variant=a,b"]).fails(2, &["variant"]);
    folder.run(&["sweep", "nowhere.toml", "--over", "v=1"]).fails(2, &["no such file"]);
    assert_eq!(sweep(&["--over", "v=1,2"]).code, 0);
    folder.file("slide.toml", SLIDE.replace("0.3", "0.4").as_bytes());
    sweep(&["--over", "v=1,2"]).fails(2, &["before it was changed", "--overwrite"]);
    assert_eq!(sweep(&["--over", "v=1,2", "--overwrite"]).code, 0);
}

/// `seed` is that of every generator that draws lots.
#[test]
fn seeds_change_what_is_drawn() {
    let folder = Folder::new("sweep-seed");
    let over = ["sweep", "hopper", "--over", "seed=1..3", "--set", "time.end=1e-3", "--set", "time.record=1e-3"];
    let outcome = folder.run(&[&over[..], &["--measure", "first:energy/potential"]].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let rows = table(&folder, "hopper_sweep/table.csv");
    assert!(rows[1][1] != rows[2][1] && rows[2][1] != rows[3][1], "{rows:?}");
    folder.file("slide.toml", SLIDE.as_bytes());
    folder.run(&["sweep", "slide.toml", "--over", "seed=1..3"]).fails(2, &["seed"]);
}
