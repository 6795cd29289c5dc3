//! The command as its users meet it: exit codes, messages, outputs.

use crate::common;

use crate::common::{Folder, Stack};

#[test]
fn solved_is_0_with_a_table() {
    let folder = Folder::new("solved");
    folder.file("stack.hdf5", &Stack::default().bytes());
    let run = folder.run(&["solve", "stack.hdf5"]);
    run.fails(0, &[]);
    assert!(run.out.contains("stack") && run.out.contains("2 × 2") && run.out.contains("converged"), "{}", run.out);
}

#[test]
fn not_converged_is_1_and_names_the_worst_contacts() {
    let folder = Folder::new("limit");
    folder.file("stack.hdf5", &Stack::default().bytes());
    let arguments = ["solve", "stack.hdf5", "--solver", "nlgs", "--max-iterations", "1", "--explain"];
    let run = folder.run(&arguments);
    run.fails(1, &[]);
    assert!(run.out.contains("worst contacts"), "{}", run.out);
    assert!(run.out.contains("--max-iterations"), "advice is missing:\n{}", run.out);
}

#[test]
fn bad_files_are_2_and_the_others_are_solved() {
    let folder = Folder::new("mixed");
    folder.file("good.hdf5", &Stack::default().bytes());
    folder.file("bad.hdf5", b"not HDF5 at all");
    let run = folder.run(&["solve", "bad.hdf5", "good.hdf5", "missing.hdf5"]);
    run.fails(2, &["bad.hdf5: not an HDF5 file", "missing.hdf5: "]);
    assert!(run.out.contains("converged"), "{}", run.out);
}

#[test]
fn truncated_file() {
    let folder = Folder::new("truncated");
    let bytes = Stack::default().bytes();
    for length in [0, 7, 64, bytes.len() / 2, bytes.len() - 9] {
        folder.file("short.hdf5", &bytes[..length]);
        folder.run(&["solve", "short.hdf5"]).fails(2, &["short.hdf5: "]);
    }
}

#[test]
fn missing_dataset() {
    let folder = Folder::new("missing");
    folder.file("a.hdf5", &Stack { mu: None, ..Stack::default() }.bytes());
    folder.run(&["solve", "a.hdf5"]).fails(2, &["a.hdf5: ", "vectors/mu", "missing dataset"]);
}

#[test]
fn not_a_number() {
    let folder = Folder::new("nan");
    folder.file("a.hdf5", &Stack { q: vec![-1.0, f64::NAN, 0.0, 0.0], ..Stack::default() }.bytes());
    folder.run(&["solve", "a.hdf5"]).fails(2, &["a.hdf5: ", "vectors/q", "index 1", "not finite"]);
}

#[test]
fn negative_friction() {
    let folder = Folder::new("mu");
    folder.file("a.hdf5", &Stack { mu: Some(vec![0.5, -0.5]), ..Stack::default() }.bytes());
    folder.run(&["solve", "a.hdf5"]).fails(2, &["a.hdf5: ", "vectors/mu", "-0.5 at index 1", "expected ≥ 0"]);
}

#[test]
fn wrong_sizes() {
    let folder = Folder::new("sizes");
    folder.file("a.hdf5", &Stack { q: vec![-1.0, 0.0], ..Stack::default() }.bytes());
    folder.file("b.hdf5", &Stack { mu: Some(vec![0.5]), ..Stack::default() }.bytes());
    folder.file("c.hdf5", &Stack { size: 6, ..Stack::default() }.bytes());
    folder.file("d.hdf5", &Stack { spacedim: 7, ..Stack::default() }.bytes());
    for name in ["a.hdf5", "b.hdf5", "c.hdf5", "d.hdf5"] {
        folder.run(&["solve", name]).fails(2, &[name, "expected"]);
    }
}

#[test]
fn wrong_arguments() {
    let folder = Folder::new("arguments");
    folder.file("a.hdf5", &Stack::default().bytes());
    folder.file("empty/readme.txt", b"");
    folder.run(&["solve", "a.hdf5", "--solver", "nlsg"]).fails(2, &["unknown solver 'nlsg'", "did you mean 'nlgs'"]);
    folder.run(&["solve", "a.hdf5", "--tol", "-1"]).fails(2, &["--tol", "positive number"]);
    folder.run(&["solve", "a.hdf5", "--tol", "nan"]).fails(2, &["positive number"]);
    folder.run(&["solve", "a.hdf5", "--repeat", "0"]).fails(2, &["1 or more"]);
    folder.run(&["solve", "a.hdf5", "--time-limit", "1e300"]).fails(2, &["seconds"]);
    folder.run(&["solve", "empty"]).fails(2, &["empty: no file named *.hdf5"]);
    folder.run(&["compare", "a.hdf5", "--solvers", "auto,magic"]).fails(2, &["unknown solver 'magic'"]);
    folder.run(&["certify", "a.hdf5"]).fails(2, &["a.hdf5: nothing to judge"]);
    folder.run(&["solve"]).fails(2, &["FILE"]);
}

#[test]
fn help_without_arguments() {
    let folder = Folder::new("help");
    let run = folder.run(&[]);
    run.fails(0, &[]);
    assert!(run.out.contains("solve") && run.out.contains("compare"), "{}", run.out);
}

/// Scripts, among them benches/peers, rely on these names.
#[test]
fn json_has_its_keys() {
    let folder = Folder::new("json");
    folder.file("p/a.hdf5", &Stack::default().bytes());
    folder.file("p/deep/b.hdf5", b"broken");
    let run = folder.run(&["solve", "p", "--json", "--with-solution", "--repeat", "2", "--threads", "1"]);
    run.fails(2, &["b.hdf5"]);
    let array = run.json();
    assert_eq!(array.len(), 2);
    let keys = "file contacts dimension dofs rank_deficiency solver iterations time_s residual absolute \
                fclib_error status parts worst log warnings solution";
    for key in keys.split_whitespace() {
        assert!(array[0].get(key).is_some(), "{key} is missing: {}", array[0]);
    }
    assert_eq!(array[0]["status"], "converged");
    assert_eq!(array[0]["solver"], "auto");
    assert_eq!(array[0]["solution"].as_array().map(Vec::len), Some(4));
    assert_eq!(array[1]["status"], "bad_input");
    // Upper mass on lower mass on the floor: S = W⁻¹(−b) in the normal direction while both stay closed.
    let normal = |k: usize| array[0]["solution"][2 * k].as_f64().expect("a number");
    assert!((normal(0) - 2.5).abs() < 1e-6 && (normal(1) - 1.5).abs() < 1e-6, "{}", array[0]["solution"]);
}

#[test]
fn written_files_are_certified() {
    let folder = Folder::new("write");
    folder.file("p/a.hdf5", &Stack::default().bytes());
    folder.file("p/deep/b.hdf5", &Stack { mu: Some(vec![0.1, 0.9]), ..Stack::default() }.bytes());
    folder.run(&["solve", "p", "--write", "solved"]).fails(0, &[]);
    let run = folder.run(&["certify", "solved", "--solution", "--json"]);
    run.fails(0, &[]);
    assert_eq!(run.json().len(), 2);
    assert!(run.json().iter().all(|j| j["accepted"] == true && j["item"] == "solution"));
    folder.run(&["certify", "solved", "--tol", "1e-300"]).fails(1, &[]);
    // The inputs are never overwritten.
    folder.run(&["solve", "p", "--write", "p"]).fails(2, &["is one of the inputs"]);
}

#[test]
fn compare_writes_table_and_profile() {
    let folder = Folder::new("compare");
    folder.file("p/a.hdf5", &Stack::default().bytes());
    folder.file("p/b,c.hdf5", &Stack { mu: Some(vec![0.1, 0.9]), ..Stack::default() }.bytes());
    let run = folder.run(&["compare", "p", "--solvers", "auto,nlgs", "--out", "out/profile", "--outer-table"]);
    run.fails(0, &[]);
    assert!(run.out.contains("outer iterations"), "{}", run.out);
    let csv = std::fs::read_to_string(folder.path("out/profile.csv")).expect("written");
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 5, "{csv}");
    assert!(lines[0].starts_with("file,contacts,dimension,dofs,solver,status,time_s,"));
    assert!(lines[1].starts_with("a,2,2,,auto,converged,") && lines[4].starts_with("\"b,c\",2,2,,nlgs,converged,"));
    let svg = std::fs::read_to_string(folder.path("out/profile.svg")).expect("written");
    assert!(svg.contains("<svg") && svg.trim_end().ends_with("</svg>") && svg.contains("nlgs"), "{svg}");
    let png = std::fs::read(folder.path("out/profile.png")).expect("written");
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n") && png.ends_with(b"IEND\xaeB`\x82"));

    let again = ["compare", "p", "--solvers", "nlgs", "--out", "after", "--against", "out/profile.csv"];
    let run = folder.run(&again);
    run.fails(0, &[]);
    assert!(run.out.contains("nlgs against profile: 2 files solved by both"), "{}", run.out);
    let svg = std::fs::read_to_string(folder.path("after.svg")).expect("written");
    assert!(svg.contains("auto (profile)") && svg.contains("nlgs (profile)"), "{svg}");
    folder.run(&["compare", "p", "--against", "p/a.hdf5"]).fails(2, &["--against", "a.hdf5"]);
}

/// Shocks of redundant contacts, to the tolerance of their scenes.
#[test]
fn hard_problems_are_solved() {
    let folder = Folder::new("hard");
    let problems = common::root().join("benches/hard");
    let problems = problems.to_str().expect("UTF-8");
    folder.run(&["solve", problems, "--tol", "1e-4", "--quiet"]).fails(0, &[]);
}

#[test]
fn the_examples_are_solved() {
    let folder = Folder::new("examples");
    let problems = common::root().join("examples/problems");
    let problems = problems.to_str().expect("UTF-8");
    folder.run(&["solve", problems, "--quiet"]).fails(0, &[]);
}

#[test]
fn a_key_is_explained_in_words() {
    let folder = Folder::new("keys");
    let page = folder.run(&["schema", "generate.blocks"]);
    page.fails(0, &[]);
    assert!(page.out.contains("Number of Voronoi cells") && page.out.contains("needed"), "{}", page.out);
    folder.run(&["schema", "lw"]).fails(2, &["a scene has no key 'lw'; did you mean 'law'?"]);
}
