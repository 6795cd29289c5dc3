//! The commands about scenes and runs, as a user sees them.

// Shared with the tests of FCLIB files, which use the rest.
#[allow(dead_code)]
use crate::common::Folder;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The line of the summary that names the final state.
fn state(out: &str) -> &str {
    out.lines().find(|l| l.starts_with("state ")).unwrap_or_else(|| panic!("no state in\n{out}"))
}

#[test]
fn gallery_is_listed() {
    let folder = Folder::new("gallery");
    let listed = folder.run(&["run"]);
    assert_eq!(listed.code, 0);
    assert!(listed.out.contains("card_house") && listed.out.contains("wedged_bar"), "{}", listed.out);
    folder.run(&["run", "card_hous"]).fails(2, &["card_hous", "did you mean 'card_house'?"]);
}

#[test]
fn mistakes_point_at_their_line() {
    let folder = Folder::new("mistakes");
    assert_eq!(folder.run(&["new", "a.toml", "--from", "bouncing_ball"]).code, 0);
    folder.run(&["new", "a.toml"]).fails(2, &["a.toml already exists"]);
    let text = std::fs::read_to_string(folder.path("a.toml")).expect("written");
    folder.file("b.toml", text.replace("[time]", "[tme]").as_bytes());
    let refused = folder.run(&["check", "b.toml"]);
    refused.fails(2, &["b.toml:", "tme", "time"]);
    assert!(!refused.err.contains("error: error:"), "{}", refused.err);
    folder.run(&["check", "a.toml", "--set", "solver.name=\"nlg\""]).fails(2, &["nlg", "nlgs-anderson"]);
    assert_eq!(folder.run(&["check", "a.toml"]).code, 0);
    folder.run(&["check", "a.toml", "--set", "time.step=-1"]).fails(2, &["step"]);
}

#[test]
fn a_run_is_recorded_and_exported() {
    let folder = Folder::new("recorded");
    let run = folder.run(&["run", "bouncing_ball", "--set", "time.end=0.5"]);
    assert_eq!(run.code, 0, "{}", run.err);
    folder.run(&["run", "bouncing_ball"]).fails(2, &["bouncing_ball.h5 already exists"]);
    let info = folder.run(&["info", "bouncing_ball.h5", "--verify"]);
    assert!(info.code == 0 && info.out.contains("every frame agrees"), "{}{}", info.out, info.err);
    let csv = folder.run(&["export", "bouncing_ball.h5", "--csv", "-", "--body", "ball"]);
    assert!(csv.code == 0 && csv.out.starts_with("step,time [s],"), "{}{}", csv.out, csv.err);
    assert_eq!(folder.run(&["export", "bouncing_ball.h5", "--vtk", "vtk"]).code, 0);
    assert!(folder.path("vtk/bodies.pvd").exists());
    folder.run(&["export", "bouncing_ball.h5", "--csv", "-", "--field", "no/such"]).fails(2, &["no field 'no/such'"]);
    folder.run(&["info", "missing.h5"]).fails(2, &["missing.h5"]);
    folder.run(&["run", "bouncing_ball", "-o", "no/such/folder/a.h5"]).fails(2, &["no/such/folder"]);
}

/// What was observed of a flow is said, averaged over the window asked for, and exported.
#[test]
fn observed_flows_are_told() {
    let folder = Folder::new("flows");
    let set =
        ["--set", "N=30", "--set", "time.end=0.1", "--set", "time.record=0.02", "--set", "observe.slope.slices=5"];
    assert_eq!(folder.run(&[&["run", "slope", "-q"][..], &set].concat()).code, 0);
    let info = folder.run(&["info", "slope.h5", "--average-from", "0.04"]);
    let said = ["slope: means from 0.04 s to 0.1 s, 120 steps", "stress ratio", "solid fraction", "neighbours"];
    assert!(info.code == 0 && said.iter().all(|s| info.out.contains(s)), "{}{}", info.out, info.err);
    let json = folder.run(&["info", "slope.h5", "--json"]);
    let found: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!(found["flows"][0]["velocity"].as_array().map(Vec::len), Some(5), "{}", json.out);
    folder.run(&["info", "slope.h5", "--average-from", "7"]).fails(2, &["--average-from 7", "0.1 s"]);
    let csv = folder.run(&["export", "slope.h5", "--csv", "-", "--field", "flow/slope/velocity"]);
    assert!(csv.out.starts_with("step,time [s],flow/slope/velocity.0 [m/s],"), "{}", csv.out);
    assert_eq!(csv.out.lines().count(), 7);
    assert_eq!(folder.run(&["run", "bouncing_ball", "-q", "--set", "time.end=0.1"]).code, 0);
    folder.run(&["info", "bouncing_ball.h5", "--average-from", "0"]).fails(2, &["no flow was observed", "kind"]);
}

/// A force that stops being finite ends the run, names the moment, and leaves what was computed.
#[test]
fn a_force_that_is_not_finite_ends_the_run() {
    let folder = Folder::new("infinite");
    assert_eq!(folder.run(&["new", "a.toml", "--from", "bouncing_ball"]).code, 0);
    let text = std::fs::read_to_string(folder.path("a.toml")).expect("written");
    let load = "\n[load.push]\nbody = \"ball\"\nforce = [\"sqrt(0.2 - t)\", \"0\"]\n";
    folder.file("b.toml", (text + load).as_bytes());
    let run = folder.run(&["run", "b.toml"]);
    assert!(run.code == 1 && run.err.contains("force is NaN at t ="), "{} {}", run.code, run.err);
    let info = folder.run(&["info", "b.h5", "--verify", "--json"]);
    let found: serde_json::Value = serde_json::from_str(&info.out).expect("JSON");
    let last = found["times"].as_array().and_then(|t| t.last()).and_then(|t| t.as_f64()).expect("frames");
    assert!((0.19..=0.201).contains(&last), "{last}");
}

/// Beyond its end, and from an earlier frame: as if it had been one run.
#[test]
fn resume_goes_on_with_the_same_bits() {
    let folder = Folder::new("resume");
    let whole = folder.run(&["run", "rocking_block", "--set", "time.end=0.4", "-o", "whole.h5"]);
    let part = folder.run(&["run", "rocking_block", "--set", "time.end=0.2", "-o", "part.h5"]);
    assert_eq!((whole.code, part.code), (0, 0), "{}{}", whole.err, part.err);
    let more = folder.run(&["resume", "part.h5", "--end", "0.4"]);
    assert_eq!(more.code, 0, "{}", more.err);
    assert_eq!(state(&more.out), state(&whole.out));
    let back = folder.run(&["resume", "whole.h5", "--frame", "3"]);
    assert_eq!(state(&back.out), state(&whole.out), "{}", back.err);
    folder.run(&["resume", "whole.h5", "--frame", "100000"]).fails(2, &["no frame 100000"]);
}

/// Ctrl-C leaves a run that continues as if nothing had happened.
#[cfg(unix)]
#[test]
fn interruption_loses_nothing() {
    let folder = Folder::new("interrupted");
    // Long enough to be met at work.
    let set = ["--set", "time.step=1e-6", "--set", "time.end=0.5", "--set", "time.record=0.01"];
    let arguments = |name| [&["run", "rocking_block", "-o", name][..], &set].concat();
    let whole = folder.run(&arguments("whole.h5"));
    assert_eq!(whole.code, 0, "{}", whole.err);
    let mut child = Command::new(env!("CARGO_BIN_EXE_delassus"))
        .args(arguments("cut.h5"))
        .current_dir(folder.path(""))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts");
    std::thread::sleep(Duration::from_millis(400));
    let asked = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill is there");
    assert!(asked.success());
    let code = child.wait().expect("it ends").code();
    // On a fast machine it may be over before.
    assert!(matches!(code, Some(130 | 0)), "{code:?}");
    let more = folder.run(&["resume", "cut.h5"]);
    assert_eq!(more.code, 0, "{}", more.err);
    assert_eq!(state(&more.out), state(&whole.out));
}

/// The last row of a body in a recorded run: position and velocity.
fn last_row(folder: &Folder, run: &str, body: &str) -> Vec<f64> {
    let fields = ["--field", "bodies/position", "--field", "bodies/velocity"];
    let csv = folder.run(&[&["export", run, "--csv", "-", "--body", body][..], &fields[..]].concat());
    assert_eq!(csv.code, 0, "{}", csv.err);
    let row = csv.out.lines().last().expect("a row");
    row.split(',').map(|x| x.parse().unwrap_or(f64::NAN)).collect()
}

/// The header of `bullet`: velocities after the impact by Newton's law; the run says that a step was made in parts.
#[test]
fn a_bullet_bounces_off_a_thin_plate() {
    let folder = Folder::new("bullet");
    let run = folder.run(&["run", "bullet"]);
    assert!(run.code == 0 && run.out.contains("1 steps made in parts"), "{}{}", run.out, run.err);
    let has = |row: &[f64], x: f64| row.iter().any(|v| (v - x).abs() < 1e-3);
    assert!(has(&last_row(&folder, "bullet.h5", "bullet"), -181.81818));
    assert!(has(&last_row(&folder, "bullet.h5", "plate"), 68.181818));
}

/// The header of `bowl`: a concave body rests on the floor, the ball on four sides of its pit, √2 r above their corner.
/// A fall from d ends within one step, h √(2 g d) deep at most.
#[test]
fn a_ball_rests_in_a_concave_bowl() {
    let folder = Folder::new("bowl");
    let run = folder.run(&["run", "bowl"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let height = 0.05 + 2f64.sqrt() * 0.06;
    let row = last_row(&folder, "bowl.h5", "ball");
    let deep = 1e-3 * (2.0 * 9.81 * 0.2f64).sqrt() + 1e-3 * (2.0 * 9.81 * 0.01f64).sqrt();
    assert!(row.iter().any(|z| (z - height).abs() < deep), "{row:?}");
}

/// Explosive springs are refused before they run, with what would help.
#[test]
fn a_stiff_explicit_spring_is_refused() {
    let folder = Folder::new("stiff");
    let text = "dimension = 2\n[time]\nstep = 1e-3\nend = 1\n[law]\n[body.a]\nshape.disc.radius = 0.1\nmass = 1\n\
                [spring.s]\nbodies = ['a']\nto = [1, 0]\nstiffness = 1e9\n";
    folder.file("a.toml", text.as_bytes());
    for command in ["check", "run"] {
        folder.run(&[command, "a.toml"]).fails(2, &["a.toml:9", "`s`", "implicit = true", "6.32e-5"]);
    }
    assert_eq!(folder.run(&["run", "a.toml", "--set", "spring.s.implicit=true"]).code, 0);
}

/// What `check` foresees. A mass of 1 kg on an explicit spring of 400 N/m bears steps below 2/ω = 0.1 s; without springs
/// there is no limit.
#[test]
fn check_foresees_the_run() {
    let folder = Folder::new("forecast");
    let text = "dimension = 2\n[time]\nstep = 1e-3\nend = 0.1\n[law]\nfriction = 0.3\n[body.a]\nshape.disc.radius = 0.1\n\
                mass = 1\nposition = [0, 0.1]\n[body.floor]\nshape.half_plane = {}\n";
    folder.file("a.toml", text.as_bytes());
    let told = folder.run(&["check", "a.toml"]).out;
    for part in [
        "packed    about 2 contacts",
        "limit     none for the step",
        "memory    about",
        "at the pace of the first 50 steps, with 1 contact",
    ] {
        assert!(told.contains(part), "'{part}' is missing from:\n{told}");
    }
    // All stages count; what still falls is no measure of what will lie.
    let staged = text.replace("position = [0, 0.1]", "position = [0, 5]") + "[stage.on]\ntime.end = 0.3\n";
    folder.file("c.toml", staged.as_bytes());
    let told = folder.run(&["check", "c.toml"]).out;
    assert!(told.contains("steps     400, frames 201") && told.contains("more once bodies touch"), "{told}");
    let spring = format!("{text}[spring.s]\nbodies = [\"a\"]\nfrom = [0, 0.1]\nto = [0, 1]\nstiffness = 400\n");
    folder.file("b.toml", spring.as_bytes());
    let told = folder.run(&["check", "b.toml"]);
    assert!(told.out.contains("limit     steps below 1.00e-1 s"), "{}{}", told.out, told.err);
}

/// What the written scene teaches in comments is true: without its marks each line says what it says it does, alone
/// and all together. The lowest box carries ten weights, 10 × 0.6 kg × 9.81; what falls stops the run.
#[test]
fn commented_lines_of_a_new_scene_are_valid() {
    let folder = Folder::new("taught");
    assert_eq!(folder.run(&["new", "plain.toml"]).code, 0);
    let text = std::fs::read_to_string(folder.path("plain.toml")).expect("written");
    let is_code = |line: &str| {
        let Some(rest) = line.strip_prefix("# ") else { return false };
        let key = rest.split(" = ").next().unwrap_or("");
        rest.starts_with('[') || rest.contains(" = ") && key.chars().all(|c| c.is_ascii_lowercase() || c == '.')
    };
    let bare = |line: &str| if is_code(line) { line[2..].to_owned() } else { line.to_owned() };
    let lines: Vec<String> = text.lines().map(bare).collect();
    assert_eq!(text.lines().filter(|l| is_code(l) && l.starts_with("# [")).count(), 6, "{text}");
    folder.file("taught.toml", lines.join("\n").as_bytes());
    let checked = folder.run(&["check", "taught.toml"]);
    assert_eq!(checked.code, 0, "{}{}", checked.out, checked.err);
    // Each table alone, beside what it names.
    for kept in ["body.thrown", "observe.top", "observe.base", "observe.blows"] {
        let mut own = false;
        let one = text.lines().map(|line| {
            if is_code(line) && line.starts_with("# [") {
                own = line.contains(kept);
            }
            if own { bare(line) } else { line.to_owned() }
        });
        let one: Vec<String> = one.collect();
        folder.file("one.toml", one.join("\n").as_bytes());
        let checked = folder.run(&["check", "one.toml"]);
        assert_eq!(checked.code, 0, "{kept}: {}{}", checked.out, checked.err);
    }
    let standing: Vec<String> =
        lines.iter().map(|l| l.replace("velocity = [8, 0, 2]", "velocity = [-8, 0, 2]")).collect();
    folder.file("standing.toml", standing.join("\n").as_bytes());
    let run = folder.run(&["run", "standing.toml", "-o", "standing.h5", "--set", "time.end=0.1"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let told = folder.run(&["info", "standing.h5"]).out;
    let base = told.lines().find(|l| l.contains("observe/base/force.z")).unwrap_or_else(|| panic!("{told}"));
    let last: f64 = base.split_whitespace().rev().nth(1).and_then(|x| x.parse().ok()).expect("a number");
    assert!((last - 58.86).abs() < 1e-3, "{base}");
    assert!(told.contains("wear      blows"), "{told}");
    let run = folder.run(&["run", "taught.toml", "-o", "taught.h5"]);
    assert!(run.code == 0 && format!("{}{}", run.out, run.err).contains("fallen"), "{}{}", run.out, run.err);
}
