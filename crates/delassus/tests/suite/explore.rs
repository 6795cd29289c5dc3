//! `delassus explore` as its users meet it.

// Shared with the tests of FCLIB files, which use the rest.
#[allow(dead_code)]
use crate::common;

use crate::common::{Folder, Stack};
use hdf5_pure::{File, FileBuilder};

fn lines(text: &str, part: &str) -> usize {
    text.lines().filter(|l| l.contains(part)).count()
}

/// A local problem of one contact in the plane, normal first.
fn one_contact(w: [f64; 4], q: [f64; 2], mu: f64) -> Vec<u8> {
    let mut file = FileBuilder::new();
    let mut group = file.create_group("fclib_local");
    group.create_dataset("spacedim").with_i32_data(&[2]);
    let mut matrix = group.create_group("W");
    for (name, value) in [("m", 2), ("n", 2), ("nz", -2), ("nzmax", 4)] {
        matrix.create_dataset(name).with_i32_data(&[value]);
    }
    matrix.create_dataset("p").with_i32_data(&[0, 2, 4]);
    matrix.create_dataset("i").with_i32_data(&[0, 1, 0, 1]);
    matrix.create_dataset("x").with_f64_data(&w);
    group.add_group(matrix.finish());
    let mut vectors = group.create_group("vectors");
    vectors.create_dataset("q").with_f64_data(&q);
    vectors.create_dataset("mu").with_f64_data(&[mu]);
    group.add_group(vectors.finish());
    file.add_group(group.finish());
    file.finish().expect("a small file")
}

/// S2 with the capsule's radius: two segments; and both spellings of a bad contact.
#[test]
fn ladder_is_a_pair_of_segments() {
    let folder = Folder::new("explore-ladder");
    let run = folder.run(&["explore", "ladder"]);
    run.fails(0, &[]);
    assert!(
        run.out.contains("3 equations of balance of rank 3, 4 unknowns; undetermined in 1 dimension"),
        "{}",
        run.out
    );
    assert_eq!(lines(&run.out, "segment"), 3, "{}", run.out);
    assert!(run.out.contains("one motion (all statuses enumerated)"), "{}", run.out);
    let one = folder.run(&["explore", "ladder", "--contact", "1"]);
    assert!(one.code == 0 && one.out.contains("contact 1: vertices"), "{}", one.out);
    folder.run(&["explore", "ladder", "--contact", "2"]).fails(2, &["contact 2 does not exist", "2 contacts"]);
    folder.run(&["explore", "ladder", "--contact", "one"]).fails(2, &["--contact", "invalid digit"]);
}

/// S1: unbounded reactions, two motions; with too little friction no equilibrium.
#[test]
fn wedged_bar_falls_or_stays() {
    let folder = Folder::new("explore-bar");
    let run = folder.run(&["explore", "wedged_bar"]);
    run.fails(0, &[]);
    assert!(run.out.contains("2 unbounded") && run.out.contains("2 distinct motions"), "{}", run.out);
    assert!(run.out.contains("separation") && run.out.contains("equilibrium:"), "{}", run.out);
    // tan 10°.
    assert!(run.out.contains("needs a coefficient of 0.17632698"), "{}", run.out);
    let detail = folder.run(&["explore", "wedged_bar", "--contact", "0"]);
    assert!(detail.out.contains("and on for ever along"), "{}", detail.out);
    let loose = folder.run(&["explore", "wedged_bar", "--set", "law.friction=0.15"]);
    loose.fails(0, &[]);
    assert!(loose.out.contains("no equilibrium: no reactions within the cones"), "{}", loose.out);
    assert!(loose.out.contains("one motion") && loose.out.contains("separation"), "{}", loose.out);
}

/// S5 through the scene: the numbers of the issue, the file and the table.
#[test]
fn twenty_eight_discs_go_to_file_and_table() {
    let folder = Folder::new("explore-discs");
    let arguments =
        ["explore", "discs_28", "--exact", "--samples", "50", "--seed", "7", "-o", "a.h5", "--csv", "a.csv"];
    let run = folder.run(&arguments);
    run.fails(0, &[]);
    for part in [
        "56 contacts: 84 equations of balance of rank 84, 112 unknowns; undetermined in 28 dimensions",
        "50 polygons, 6 segments, 0 determined, 0 unbounded",
        "50 of 50 certified",
    ] {
        assert!(run.out.contains(part), "'{part}' is missing from\n{}", run.out);
    }
    let csv = std::fs::read_to_string(folder.path("a.csv")).expect("written");
    assert_eq!(csv.lines().count(), 57);
    let file = File::open(folder.path("a.h5")).expect("HDF5");
    let shape = |name: &str| file.dataset(name).expect(name).shape().expect("a shape");
    let numbers = |name: &str| file.dataset(name).expect(name).read_f64().expect("numbers");
    assert_eq!(shape("contacts/position"), [56, 2]);
    assert_eq!(shape("contacts/frame"), [56, 4]);
    assert_eq!(shape("contacts/bodies"), [56, 2]);
    assert_eq!(shape("samples"), [50, 56, 2]);
    assert_eq!(shape("forces"), [56, 2]);
    assert!(numbers("sample_residual").iter().all(|r| *r <= 1e-8));
    let start = file.dataset("hull/start").expect("hull").read_i64().expect("numbers");
    assert_eq!((start.len(), start[0]), (57, 0));
    assert_eq!(shape("hull/vertices"), [*start.last().expect("57") as u64, 2]);
    let segments = start.windows(2).filter(|w| w[1] - w[0] == 2).count();
    assert_eq!(segments, 6);
    // Forces are in newtons: the floor carries the weight of all discs, less what the walls do.
    let (forces, frame) = (numbers("forces"), numbers("contacts/frame"));
    let bodies = file.dataset("contacts/bodies").expect("bodies").read_i64().expect("numbers");
    let lift: f64 = (0..56)
        .filter(|k| bodies[2 * k] < 3 || bodies[2 * k + 1] < 3)
        .map(|k| {
            // The normal points towards the first body: the obstacle has the lower index.
            let on_first = forces[2 * k] * frame[4 * k + 1] + forces[2 * k + 1] * frame[4 * k + 3];
            if bodies[2 * k] < 3 { -on_first } else { on_first }
        })
        .sum();
    let csv_weight: f64 = 9.81
        * std::f64::consts::PI
        * std::fs::read_to_string(common::root().join("scenes/discs_28.toml"))
            .expect("the scene")
            .lines()
            .filter_map(|l| l.strip_prefix("shape.disc.radius = "))
            .map(|r| r.parse::<f64>().expect("a number").powi(2))
            .sum::<f64>();
    assert!((lift - csv_weight).abs() < 1e-6 * csv_weight, "{lift} {csv_weight}");
    // The same seed writes the same bytes, with any number of threads.
    let again = folder.run(&[
        "explore",
        "discs_28",
        "--exact",
        "--samples",
        "50",
        "--seed",
        "7",
        "-o",
        "b.h5",
        "--threads",
        "3",
    ]);
    again.fails(0, &[]);
    let bytes = |name: &str| std::fs::read(folder.path(name)).expect("written");
    assert!(bytes("a.h5") == bytes("b.h5"), "the files differ");
}

/// A run at a time, and what can go wrong with it.
#[test]
fn runs_are_explored_at_a_time() {
    let folder = Folder::new("explore-run");
    assert_eq!(folder.run(&["run", "disc_pyramid_3", "-o", "p.h5", "--quiet"]).code, 0);
    let run = folder.run(&["explore", "p.h5@0.05"]);
    run.fails(0, &[]);
    assert!(run.out.contains("run p.h5, frame 5 at t = 0.05") && run.out.contains("5 segments"), "{}", run.out);
    assert!(folder.run(&["explore", "p.h5@end"]).out.contains("frame 10"));
    assert!(folder.run(&["explore", "p.h5"]).out.contains("frame 10"));
    folder.run(&["explore", "p.h5@7"]).fails(2, &["p.h5 runs from 0 s to", "not to 7 s"]);
    folder.run(&["explore", "p.h5@soon"]).fails(2, &["expected a time in seconds"]);
    folder.run(&["explore", "q.h5@0.1"]).fails(2, &["q.h5: no such run file"]);
    folder.run(&["explore", "p.h5", "--set", "law.friction=1"]).fails(2, &["--set changes scenes"]);
    let motion = folder.run(&["explore", "p.h5", "--motion", "--samples", "20"]);
    motion.fails(0, &[]);
    assert!(motion.out.contains("sticking") && motion.out.contains("last step's forces"), "{}", motion.out);
}

#[test]
fn problems_and_bad_input() {
    let folder = Folder::new("explore-bad");
    folder.file("stack.hdf5", &Stack::default().bytes());
    let run = folder.run(&["explore", "stack.hdf5", "-o", "s.h5"]);
    run.fails(0, &[]);
    assert!(run.out.contains("2 contacts") && run.out.contains("N s"), "{}", run.out);
    let file = File::open(folder.path("s.h5")).expect("HDF5");
    assert!(file.dataset("contacts/position").is_err(), "a bare problem knows no positions");
    folder.run(&["explore", "stack.hdf5@1"]).fails(2, &["without frames"]);
    folder.file("broken.hdf5", b"\x89HDF\r\n\x1a\n and then nothing");
    folder.run(&["explore", "broken.hdf5"]).fails(2, &["broken.hdf5"]);
    folder.run(&["explore", "laddr"]).fails(2, &["did you mean 'ladder'?"]);
    folder.run(&["explore", "bouncing_ball"]).fails(2, &["no contact is closed", "RUN.h5@TIME"]);
    folder.run(&["explore", "ladder", "--samples", "0"]).fails(2, &["1 or more"]);
    folder.run(&["explore", "ladder", "--tol", "nan"]).fails(2, &["positive number"]);
    folder.run(&["explore", "ladder", "--procedure", "magic"]).fails(2, &["random", "shuffle"]);
    folder.run(&["explore", "ladder", "--samples", "900000000000"]).fails(2, &["samples", "5e8"]);
    folder.run(&["explore", "ladder", "-o", "no/such/a.h5"]).fails(2, &["no/such/a.h5"]);
    folder.run(&["explore", "ladder", "--samples", "5", "--max-sweeps", "1", "--tol", "1e-15"]).fails(1, &["rejected"]);
    folder.run(&["explore"]).fails(2, &["SCENE"]);
}

/// One command for the sets and their picture; of a bare problem the sets alone. A bad inset is
/// refused after the exploration was written.
#[test]
fn a_picture_comes_with_the_sets() {
    let folder = Folder::new("explore-picture");
    let run = folder.run(&["explore", "disc_pyramid_3", "--picture", "sets.svg", "--inset", "1,3", "--samples", "20"]);
    run.fails(0, &[]);
    let svg = std::fs::read_to_string(folder.path("sets.svg")).expect("a picture");
    assert!(svg.contains("contact 1") && svg.contains("contact 3") && !svg.contains("contact 2"), "the insets");
    assert!(File::open(folder.path("sets.h5")).is_ok(), "what was found stays");
    folder.file("stack.hdf5", &Stack::default().bytes());
    folder.run(&["explore", "stack.hdf5", "--picture", "bare.svg"]).fails(0, &[]);
    assert!(folder.path("bare.svg").exists());
    folder.run(&["explore", "ladder", "--picture", "l.svg", "--inset", "9"]).fails(2, &["9"]);
    assert!(folder.path("l.h5").exists());
    folder.run(&["explore", "ladder", "--picture", "b.bmp"]).fails(2, &["b.bmp", ".svg or .png"]);
    assert!(!folder.path("b.h5").exists(), "refused before the work");
    folder.run(&["explore", "ladder", "--inset", "1"]).fails(2, &["--picture"]);
}

/// C1: one degree of freedom against a wall that comes, U = (0.3 v − 0.3, v + 1), μ = ½. Two, one or no
/// solutions as the load varies; that there is none is said, by the list of motions and by rejected samples.
#[test]
fn a_step_without_solution_is_said_to_have_none() {
    let folder = Folder::new("explore-none");
    let a = 0.3;
    for (f, said) in [(-2.0, "2 distinct motions"), (-1.0, "one motion"), (0.0, "no solution"), (1.0, "no solution")] {
        let bytes = one_contact([a * a, a, a, 1.0], [-a * f - 0.3, 1.0 - f], 0.5);
        folder.file("one.hdf5", &bytes);
        let run = folder.run(&["explore", "one.hdf5"]);
        run.fails(0, &[]);
        assert!(run.out.contains(said) && run.out.contains("all statuses enumerated"), "{f}: {}", run.out);
        if said == "no solution" {
            assert!(run.out.contains("no equilibrium"), "{f}: {}", run.out);
            let samples = folder.run(&["explore", "one.hdf5", "--samples", "5", "--max-sweeps", "1000"]);
            samples.fails(1, &["5 samples did not reach 1e-8 in 1000 sweeps and were rejected"]);
            assert!(samples.out.contains("this step has no solution"), "{}", samples.out);
        }
    }
}

/// Figure 3 of the seed by one command: a flow is run, its step explored, and drawn with the profile of its
/// velocities and fans of sampled forces, one part enlarged. And a picture of a run at a time.
#[test]
fn flows_are_run_explored_and_drawn_at_once() {
    let folder = Folder::new("explore-fan");
    let run = folder.run(&[
        "explore",
        "slope@0.2",
        "--set",
        "N=40",
        "--motion",
        "--samples",
        "5",
        "--procedure",
        "shuffle",
        "--tol",
        "1e-6",
        "--picture",
        "fan.svg",
        "--fan",
        "--zoom",
        "0.1,0.0,0.2,0.1",
        "--profile",
        "6",
        "--average-from",
        "0.1",
    ]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("run fan.run.h5, frame 4 at t = 0.2"), "{}", run.out);
    let svg = std::fs::read_to_string(folder.path("fan.svg")).expect("a picture");
    assert!(svg.contains("0.2 s") && svg.contains("m/s"), "the time and the axis of the profile");
    assert!(File::open(folder.path("fan.h5")).is_ok() && folder.path("fan.run.h5").exists());
    // A run at a time, with the sets of its contacts.
    assert_eq!(folder.run(&["run", "disc_pyramid_3", "-o", "p.h5", "--quiet"]).code, 0);
    let run = folder.run(&["explore", "p.h5@0.05", "--exact", "--samples", "20", "--picture", "p.svg", "--inset", "1"]);
    run.fails(0, &[]);
    let svg = std::fs::read_to_string(folder.path("p.svg")).expect("a picture");
    assert!(svg.contains("contact 1") && svg.contains("0.05 s"), "the inset and the time");
    assert!(run.out.contains("ghost edges: ") && run.out.contains("of the samples on a face"), "{}", run.out);
    // The run of the same name is not written over.
    assert!(folder.path("p.set.h5").exists() && folder.run(&["info", "p.h5"]).code == 0);
    folder.run(&["explore", "p.h5@0.05", "-o", "p.h5"]).fails(2, &["p.h5 would replace what is explored"]);
    folder.run(&["explore", "ladder", "--fan"]).fails(2, &["--picture"]);
    folder.run(&["explore", "slop@1"]).fails(2, &["did you mean 'slope'?"]);
    folder
        .run(&["explore", "p.h5", "--picture", "q.svg", "--zoom", "1,2,3"])
        .fails(2, &["--zoom", "left,bottom,right,top"]);
}

/// One contact with W_NN = μ W_NT and q_N = 0: closed form, a segment of solutions r_N ∈ [0, 3].
#[test]
fn a_continuum_of_motions_is_said_with_its_ends() {
    let folder = Folder::new("explore-continuum");
    folder.file("slide.hdf5", &one_contact([4.0, 3.0, 3.0, 3.0], [0.0, 3.0], 4.0 / 3.0));
    let run = folder.run(&["explore", "slide.hdf5"]);
    run.fails(0, &[]);
    assert!(
        run.out.contains("infinitely many motions (all statuses enumerated): 1 continuum, 0 isolated"),
        "{}",
        run.out
    );
    assert!(run.out.contains("normal reaction 0 … 3, tangential -4 … 0 N s"), "{}", run.out);
    assert!(run.out.contains("normal velocity 0, tangential 0 … 3 m/s"), "{}", run.out);
    for end in
        ["velocities up to 3 m/s with reactions up to 0 N s", "velocities up to 0 m/s with reactions up to 5 N s"]
    {
        assert!(run.out.contains(end), "{end} in\n{}", run.out);
    }
}

/// A gap that a few programs cannot reach is said, and the exit code too.
#[test]
fn a_gap_that_is_not_reached_is_said() {
    let folder = Folder::new("explore-gap");
    let asked =
        |gap: &str, most: &str| folder.run(&["explore", "cube_on_three_contacts", "--gap", gap, "--directions", most]);
    let run = asked("0.001", "8");
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    assert!(run.err.contains("--gap 0.001 was not reached at") && run.err.contains("--directions"), "{}", run.err);
    let run = asked("0.5", "200");
    assert!(run.code == 0 && !run.err.contains("not reached"), "{}{}", run.out, run.err);
}

/// Times are counted steps: 300 of 1 ms end at 0.3 s, and that frame is found by its time.
#[test]
fn a_run_is_explored_at_its_last_frame() {
    let folder = Folder::new("explore-last");
    folder.run(&["run", "ladder", "--set", "time.end=0.3", "--set", "time.step=1e-3", "-o", "l.h5"]).fails(0, &[]);
    let run = folder.run(&["explore", "l.h5@0.3"]);
    run.fails(0, &[]);
    assert!(run.out.contains("at t = 0.3 s"), "{}", run.out);
    folder.run(&["explore", "l.h5@0.4"]).fails(2, &["0.3 s, not to 0.4 s"]);
}

/// A disc that slides cannot be stopped without turning, so that there is no equilibrium of its step; without its velocity
/// the floor bears its weight, 9.81 N.
#[test]
fn what_moves_is_looked_at_as_if_it_stood_still() {
    let folder = Folder::new("explore-rest");
    let text = "dimension = 2\n[time]\nstep = 1e-3\nend = 0.1\n[law]\nfriction = 0.5\n[body.floor]\nshape.half_plane = {}\n\
                [body.disc]\nshape.disc.radius = 0.1\nmass = 1\nposition = [0, 0.1]\nvelocity = [1e-3, 0]\n";
    folder.file("disc.toml", text.as_bytes());
    let moving = folder.run(&["explore", "disc.toml"]);
    moving.fails(0, &["--at-rest"]);
    assert!(moving.out.contains("no equilibrium"), "{}", moving.out);
    let still = folder.run(&["explore", "disc.toml", "--at-rest"]);
    still.fails(0, &[]);
    assert!(!still.out.contains("no equilibrium") && still.out.contains("9.81"), "{}", still.out);
    folder.file("one.hdf5", &Stack::default().bytes());
    folder.run(&["explore", "one.hdf5", "--at-rest"]).fails(2, &["--at-rest is for scenes and runs"]);
}
