//! The scenes that come with the program are read, judged and built.

use delassus_scene::{Built, Scene, example, gallery};

fn scene(name: &str) -> Scene {
    let example = example(name).expect("in the gallery");
    Scene::parse(example.text, &format!("{name}.toml"), &[]).unwrap_or_else(|e| panic!("{name}\n{e}"))
}

#[test]
fn every_scene_is_read_built_and_clean() {
    for example in gallery() {
        let check = scene(example.name).check().unwrap_or_else(|e| panic!("{}\n{e}", example.name));
        assert_eq!(check.warnings.items, vec![], "{}\n{}", example.name, check.warnings);
        let free = check.solids.map_or(check.size.free, |s| s.free);
        assert!(free >= 1, "{}", example.name);
        println!(
            "{:26} {:5} bodies {:5} contacts {:6} steps",
            example.name,
            check.size.bodies(),
            check.size.contacts,
            check.steps
        );
    }
}

/// The list of the gallery is that of the folder.
#[test]
fn no_file_is_left_out() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/scenes");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder of scenes")
        .map(|f| f.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter_map(|f| f.strip_suffix(".toml").map(str::to_owned))
        .collect();
    files.sort();
    let mut names: Vec<&str> = gallery().iter().map(|e| e.name).collect();
    names.sort_unstable();
    assert_eq!(files, names);
}

/// Every scene says what it shows before anything else.
#[test]
fn every_scene_has_a_head() {
    for example in gallery() {
        assert!(example.text.starts_with("# "), "{}", example.name);
        assert!(example.summary().len() > 20, "{}: {}", example.name, example.summary());
    }
}

/// Each scene of rigid bodies makes twenty steps, and every one is solved to its tolerance. Those of solids run in
/// the tests of the command, where the world is put together.
#[test]
fn every_scene_runs() {
    for example in gallery() {
        let scene = Scene::parse(example.text, example.name, &[]).expect("read");
        match scene.build().expect("built") {
            built if built.solids().is_some() => {}
            Built::Plane(s) => run(example.name, *s),
            Built::Space(s) => run(example.name, *s),
        }
    }
}

fn run<const D: usize>(name: &str, setup: delassus_scene::Setup<D>)
where
    delassus_contact::Dim<D>: delassus_rigid::Kinematics<D>,
{
    let tolerance = setup.settings.tolerance;
    let began = std::time::Instant::now();
    let mut run = delassus_rigid::simulate(setup.model, setup.state, setup.settings).expect("accepted");
    let mut worst = 0f64;
    for _ in 0..20 {
        let report = run.step().unwrap_or_else(|e| panic!("{name}: {e}"));
        worst = worst.max(report.residual);
    }
    println!("{name:26} {:8.1} ms/step, residual {worst:.1e}", began.elapsed().as_secs_f64() * 50.0);
    assert!(worst <= tolerance, "{name}: {worst} above {tolerance}");
}
