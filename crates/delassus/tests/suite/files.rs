//! Files that the command reads and writes: nothing is written over that is read, nothing damaged is believed, a run
//! needs nothing but itself.

#[allow(dead_code)] // What other tests use of it.
use crate::common::Folder;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A ball that falls for a tenth of a second.
const FALL: &str = "dimension = 2\n[time]\nstep = 1e-3\nend = 0.1\nrecord = 1e-2\n[law]\n\
                    [body.ball]\nshape.disc.radius = 0.1\nposition = [0, 1.1]\n";

/// A tetrahedron of side about 1 m in OBJ's words, and a scene that drops its hull.
const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
const HULL: &str = "dimension = 3\n[time]\nstep = 1e-3\nend = 0.1\nrecord = 1e-2\n[law]\n[material.m]\ndensity = 1000\n\
                    [body.rock]\nmaterial = 'm'\nshape.mesh = { file = 'rock.obj', convex = true }\nposition = [0, 0, 2]\n";

fn line<'a>(out: &'a str, start: &str) -> &'a str {
    out.lines().find(|l| l.starts_with(start)).unwrap_or_else(|| panic!("no line '{start}' in\n{out}"))
}

/// Two scenes whose names differ after the dot are two runs, two pictures, two folders.
#[test]
fn names_keep_their_dots() {
    let folder = Folder::new("dots");
    for name in ["a_0.01", "a_0.02"] {
        folder.file(&format!("{name}.toml"), FALL.as_bytes());
        folder.run(&["run", &format!("{name}.toml"), "-q"]).fails(0, &[]);
        folder.run(&["draw", &format!("{name}.h5"), "-q"]).fails(0, &[]);
        folder.run(&["plot", &format!("{name}.h5"), "energy", "-q"]).fails(0, &[]);
        for made in [".h5", ".svg", "_plot.svg"] {
            assert!(folder.path(&format!("{name}{made}")).exists(), "{name}{made}");
        }
    }
    assert!(!folder.path("a_0.h5").exists() && !folder.path("a_0.svg").exists());
}

/// Neither the scene nor a mesh is written over, by its name, by a path around, by a link.
#[test]
fn inputs_are_not_written_over() {
    let folder = Folder::new("inputs");
    folder.file("x.toml", HULL.as_bytes());
    folder.file("rock.obj", TETRAHEDRON.as_bytes());
    std::fs::create_dir_all(folder.path("sub")).expect("writable");
    std::fs::hard_link(folder.path("x.toml"), folder.path("hard.h5")).expect("links");
    for output in ["x.toml", "sub/../x.toml", "rock.obj", "hard.h5"] {
        folder.run(&["run", "x.toml", "-o", output, "--overwrite"]).fails(2, &[output, "is read"]);
        folder.run(&["run", "x.toml", "--no-record", "--log", output]).fails(2, &[output, "is read"]);
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("x.toml", folder.path("soft.h5")).expect("links");
        folder.run(&["run", "x.toml", "-o", "soft.h5", "--overwrite"]).fails(2, &["is read"]);
    }
    folder.run(&["run", "x.toml", "-o", "a.h5", "--log", "a.h5"]).fails(2, &["two names"]);
    assert_eq!(std::fs::read(folder.path("x.toml")).expect("there"), HULL.as_bytes());
    assert_eq!(std::fs::read(folder.path("rock.obj")).expect("there"), TETRAHEDRON.as_bytes());
    folder.run(&["run", "x.toml", "-q"]).fails(0, &[]);
    for option in ["--csv", "--scene"] {
        folder.run(&["export", "x.h5", option, "x.h5"]).fails(2, &["x.h5 is read"]);
    }
    folder.run(&["plot", "x.h5", "energy", "--csv", "x.h5"]).fails(2, &["x.h5 is read"]);
    folder.run(&["info", "x.h5", "--verify"]).fails(0, &[]);
}

/// A run keeps its meshes: it goes on from another folder, without them, and with those it was made with.
#[test]
fn a_run_goes_on_without_its_meshes() {
    let folder = Folder::new("kept");
    folder.file("x.toml", HULL.as_bytes());
    folder.file("rock.obj", TETRAHEDRON.as_bytes());
    let whole = folder.run(&["run", "x.toml", "-o", "whole.h5", "--set", "time.end=0.2"]);
    folder.run(&["run", "x.toml", "-q"]).fails(0, &[]);
    std::fs::create_dir_all(folder.path("far/away")).expect("writable");
    std::fs::copy(folder.path("x.h5"), folder.path("far/away/x.h5")).expect("copied");
    folder.file("rock.obj", TETRAHEDRON.replace("v 1 0 0", "v 2 0 0").as_bytes());
    let more = folder.run(&["resume", "x.h5", "--end", "0.2"]);
    more.fails(0, &["rock.obj has changed since the run was made"]);
    assert_eq!(line(&more.out, "state "), line(&whole.out, "state "));
    std::fs::remove_file(folder.path("rock.obj")).expect("there");
    let far = folder.run(&["resume", "far/away/x.h5", "--end", "0.2"]);
    far.fails(0, &[]);
    assert_eq!(line(&far.out, "state "), line(&whole.out, "state "));
    folder.run(&["draw", "far/away/x.h5", "-q"]).fails(0, &[]);
}

/// A finished run says what it came to and is left alone; an end that has passed is refused with the way back.
#[test]
fn a_finished_run_is_told_and_left_alone() {
    let folder = Folder::new("finished");
    // Solids have energies that a state alone does not give: the record does.
    for (scene, end) in [("bouncing_ball", "0.6"), ("taylor_bar", "2e-6"), ("two_bars", "1e-4")] {
        let file = format!("{scene}.h5");
        let run = folder.run(&["run", scene, "--set", &format!("time.end={end}")]);
        run.fails(0, &[]);
        let before = std::fs::read(folder.path(&file)).expect("there");
        let again = folder.run(&["resume", &file]);
        again.fails(0, &[]);
        assert!(again.out.contains("is finished"), "{}", again.out);
        for start in ["energy: ", "residual ", "state "] {
            assert_eq!(line(&again.out, start), line(&run.out, start), "{scene}");
        }
        assert_eq!(std::fs::read(folder.path(&file)).expect("there"), before);
    }
    let file = "bouncing_ball.h5";
    let before = std::fs::read(folder.path(file)).expect("there");
    folder.run(&["resume", file, "--end", "0.25"]).fails(2, &["is at 0.6 s already", "--frame 25 goes back to 0.25 s"]);
    folder.run(&["resume", file, "--frame", "3", "--end", "0.01"]).fails(2, &["is at 0.03 s already"]);
    assert_eq!(std::fs::read(folder.path(file)).expect("there"), before);
    folder.run(&["resume", file, "--frame", "25", "--end", "0.3"]).fails(0, &[]);
}

/// Damaged, cut, foreign: told, with an exit code, by everything that reads.
#[test]
fn what_is_read_is_verified() {
    let folder = Folder::new("verified");
    folder.file("x.toml", FALL.as_bytes());
    folder.run(&["run", "x.toml", "-q"]).fails(0, &[]);
    let whole = std::fs::read(folder.path("x.h5")).expect("there");
    let readers: [&[&str]; 5] = [
        &["export", "y.h5", "--csv", "-"],
        &["export", "y.h5", "--vtk", "vtk"],
        &["draw", "y.h5", "-q"],
        &["plot", "y.h5", "energy", "-q"],
        &["resume", "y.h5", "--end", "0.2", "-q"],
    ];
    let mut cases = vec![whole[..whole.len() - 100].to_vec(), whole[..2000].to_vec()];
    // A byte of the scene's text, and one of the last numbers, ten bytes after the head of their deflated chunk.
    let text = whole.windows(10).position(|w| w == b"shape.disc").expect("the scene is in the file");
    let chunk = whole.windows(2).rposition(|w| w == [0x78, 0x01]).expect("deflated numbers");
    for at in [text, chunk + 10] {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        cases.push(bytes);
    }
    for (k, bytes) in cases.iter().enumerate() {
        for reader in readers {
            folder.file("y.h5", bytes);
            let read = folder.run(reader);
            assert_eq!(read.code, 2, "case {k}: {reader:?}: {}{}", read.out, read.err);
            assert!(read.err.contains("y.h5"), "{}", read.err);
        }
    }
}

/// A run whose file is taken away ends, says so, and leaves its state in another.
#[cfg(unix)]
#[test]
fn a_file_that_is_taken_away_is_noticed() {
    let folder = Folder::new("taken");
    folder.file("x.toml", FALL.as_bytes());
    for replace in [false, true] {
        let set = ["--set", "time.step=1e-6", "--set", "time.end=1000", "--set", "time.record=1e-3"];
        let child = Command::new(env!("CARGO_BIN_EXE_delassus"))
            .args([&["run", "x.toml", "--overwrite"][..], &set].concat())
            .current_dir(folder.path(""))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let begin = Instant::now();
        while !folder.path("x.h5").exists() && begin.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(20));
        }
        std::thread::sleep(Duration::from_millis(200));
        std::fs::remove_file(folder.path("x.h5")).expect("there");
        let how = if replace { "replaced" } else { "removed" };
        if replace {
            folder.file("x.h5", b"something else");
        }
        let ended = child.wait_with_output().expect("it ends");
        let told = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(2), "{told}");
        assert!(told.contains(how) || told.contains("removed"), "{told}");
        assert!(told.contains("delassus resume x.rescued.h5"), "{told}");
        folder.run(&["info", "x.rescued.h5", "--verify"]).fails(0, &[]);
        std::fs::remove_file(folder.path("x.rescued.h5")).expect("there");
    }
}

/// Mistakes of the command line, each with what to do.
#[test]
fn mistakes_are_told_with_what_to_do() {
    let folder = Folder::new("hostile");
    folder.file("x.toml", FALL.as_bytes());
    folder.file("empty.toml", b"");
    let utf16: Vec<u8> = FALL.encode_utf16().flat_map(u16::to_le_bytes).collect();
    folder.file("bare16.toml", &utf16);
    folder.file("utf16.toml", &[&[0xff, 0xfe][..], &utf16].concat());
    folder.file("bytes.toml", &[0xc3, 0x28, 0x00]);
    std::fs::create_dir_all(folder.path("there")).expect("writable");
    folder.run(&["run", "x.toml", "-q"]).fails(0, &[]);
    let cases: [(&[&str], &[&str]); 18] = [
        (&["run", "x.toml", "-o", "there"], &["there is a folder"]),
        (&["run", "x.toml", "-o", "there", "--overwrite"], &["there is a folder"]),
        (&["run", "x.toml", "-o", "no/such/a.h5"], &["folder no/such does not exist"]),
        (&["run", "x.toml", "-o", "/dev/null", "--overwrite"], &["/dev/null is no ordinary file"]),
        (&["run", "x.toml"], &["x.h5 already exists"]),
        (&["run", ""], &["the name of the scene is empty"]),
        (&["run", "there"], &["there is a folder"]),
        (&["run", "x.h5"], &["delassus resume"]),
        (&["run", "empty.toml"], &["dimension"]),
        (&["run", "utf16.toml"], &["save it as UTF-8"]),
        (&["run", "bare16.toml"], &["save it as UTF-8"]),
        (&["run", "bytes.toml"], &["no text in UTF-8"]),
        (&["run", "x.toml", "--set", "time.end=1", "--set", "time.end = 2"], &["time.end is given twice"]),
        (&["run", "x.toml", "--set", "time.ende=1"], &["did you mean `end`"]),
        (&["run", "x.toml", "--threads", "0"], &["1 or more"]),
        (&["run", "x.toml", "--threads", "-3"], &["1 or more"]),
        (&["info", "there"], &["there is a folder"]),
        (&["resume", "x.toml"], &["not a run"]),
    ];
    for (arguments, parts) in cases {
        folder.run(arguments).fails(2, parts);
    }
    // What looks like a mistake and is none: a byte-order mark, the line ends of another system.
    folder.file("bom.toml", &[&[0xef, 0xbb, 0xbf][..], FALL.as_bytes()].concat());
    folder.file("crlf.toml", FALL.replace('\n', "\r\n").as_bytes());
    for name in ["bom.toml", "crlf.toml"] {
        folder.run(&["run", name, "--no-record", "-q"]).fails(0, &[]);
    }
}

/// A scene may come from another program, and an answer that cannot be printed is not an answer.
#[cfg(unix)]
#[test]
fn pipes_are_read_and_full_ones_told() {
    let folder = Folder::new("pipes");
    folder.file("x.toml", FALL.as_bytes());
    let command = |input: &str, output: Stdio, arguments: &[&str]| {
        let input = std::fs::File::open(folder.path(input)).expect("there");
        let run = Command::new(env!("CARGO_BIN_EXE_delassus"))
            .args(arguments)
            .current_dir(folder.path(""))
            .stdin(input)
            .stdout(output)
            .output();
        run.expect("the command starts").status.code()
    };
    assert_eq!(command("x.toml", Stdio::null(), &["run", "-"]), Some(0));
    assert!(folder.path("scene.h5").exists());
    assert_eq!(command("x.toml", Stdio::null(), &["run", "/dev/stdin", "--no-record"]), Some(0));
    if let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") {
        assert_eq!(command("x.toml", full.into(), &["export", "scene.h5", "--csv", "-"]), Some(2));
    }
}
