//! Includes and loops by formula: what they stand for, written out; every fault with its file, line and key.

use delassus_scene::{Built, Scene};
use std::path::PathBuf;

fn parse(text: &str, set: &[&str]) -> Result<Scene, String> {
    let set: Vec<String> = set.iter().map(|s| (*s).to_owned()).collect();
    Scene::parse(text, "a.toml", &set).map_err(|d| d.to_string())
}

fn names(scene: &Scene) -> Vec<(String, [f64; 2])> {
    let Built::Plane(setup) = scene.build().expect("builds") else { panic!("of the plane") };
    let model = &setup.model;
    (0..model.bodies().len())
        .map(|b| {
            let x = model.centre_pose(&setup.state, b).position;
            (model.bodies()[b].name.to_string(), [x[0], x[1]])
        })
        .collect()
}

/// A folder with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    for (file, text) in files {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    }
    folder
}

const HEAD: &str = "dimension = 2\n[time]\nstep = 1e-3\nend = 1\n[[law]]\nfriction = 0.3\n";

/// A pyramid by two loops, the second as long as the first says, is the pyramid written out.
#[test]
fn loops_are_what_they_stand_for() {
    let text = format!(
        "{HEAD}[parameters]\nn = 3\na = 0.2\n[[repeat]]\nover = {{ i = '=n', j = '=n - i' }}\n\
         [repeat.body.'block_{{i}}_{{j}}']\nshape.box = {{ size = ['=a', '=a'] }}\nposition = ['=a*(j + 0.5*i)', '=a*(i + 0.5)']\n"
    );
    let scene = parse(&text, &[]).expect("read");
    let found = names(&scene);
    let mut expected = vec![];
    for i in 0..3 {
        for j in 0..3 - i {
            let at = [0.2 * (f64::from(j) + 0.5 * f64::from(i)), 0.2 * (f64::from(i) + 0.5)];
            expected.push((format!("block_{i}_{j}"), at));
        }
    }
    assert_eq!(found.len(), 6);
    for (a, b) in found.iter().zip(&expected) {
        assert_eq!(a.0, b.0);
        (0..2).for_each(|k| assert!((a.1[k] - b.1[k]).abs() < 1e-15, "{a:?} {b:?}"));
    }
    // Overrides change the counts, and what loops made.
    assert_eq!(names(&parse(&text, &["n=4"]).expect("read")).len(), 10);
    let moved = parse(&text, &["body.block_2_0.position=[7, 8]"]).expect("read");
    assert_eq!(names(&moved).last().map(|b| b.1), Some([7.0, 8.0]));
    assert!(parse(&text, &["body.block_9_9.mass=1"]).expect_err("no such body").contains("block_9_9"));
}

/// Joints between neighbours, lists, ranges, conditions, lists of tables, expressions of time.
#[test]
fn loops_make_tables_of_every_kind() {
    let text = format!(
        "{HEAD}[[repeat]]\nover.i = {{ from = 1, to = 5, step = 2 }}\n[repeat.body.'b{{i}}']\nshape.disc = {{ radius = 0.1 }}\n\
         position = ['=i', 0]\n[repeat.load.'p{{i}}']\nbody = 'b{{i}}'\nforce = ['{{2*i}}*t', 0]\n\
         [[repeat]]\nover.k = [1, 3, 5]\nif = 'k < 4'\n[repeat.joint.'j{{k}}']\nkind = 'distance'\nbodies = ['b{{k}}', 'b{{k + 2}}']\n\
         at = ['=k', 0]\nto = ['=k + 2', 0]\n[[repeat.observe]]\nname = 'o{{k}}'\nbody = 'b{{k}}'\n"
    );
    let scene = parse(&text, &[]).unwrap_or_else(|e| panic!("{e}"));
    let Built::Plane(setup) = scene.build().unwrap_or_else(|e| panic!("{e}")) else { panic!("of the plane") };
    assert_eq!(names(&scene).iter().map(|n| n.0.as_str()).collect::<Vec<_>>(), ["b1", "b3", "b5"]);
    assert_eq!(setup.model.joints().map(|j| j.0.name.clone()).collect::<Vec<_>>(), ["j1", "j3"]);
    let push = |k: usize| setup.model.loads()[k].force[0].value(&[2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!([push(0), push(1), push(2)], [4.0, 12.0, 20.0]);
    assert_eq!(setup.probes.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["o1", "o3"]);
}

#[test]
fn faults_of_loops_have_their_place() {
    let told = |text: &str| parse(&format!("{HEAD}{text}"), &[]).expect_err("refused");
    for (text, line, says) in [
        ("[[repeat]]\nbody = {}\n", "a.toml:7", "needs the key `over`"),
        ("[[repeat]]\nover = 3\n", "a.toml:8", "must be variables"),
        ("[[repeat]]\nover.i = -1\n", "a.toml:8", "a whole number"),
        ("[[repeat]]\nover.i = '=nobody'\n", "a.toml:8", "nobody"),
        ("[[repeat]]\nover.i = { from = 1 }\n", "a.toml:8", "needs the key `to`"),
        ("[[repeat]]\nover.i = { to = 1, by = 2 }\n", "a.toml:8", "unknown key `by`"),
        ("[[repeat]]\nover.i = { to = 1, step = 0 }\n", "a.toml:8", "in steps of 0"),
        ("[[repeat]]\nover.i = 1000000\n", "a.toml:8", "100000"),
        ("[[repeat]]\nover.i = 2\nif = 'i <'\n", "a.toml:9", "i <"),
        ("[[repeat]]\nover.i = 2\n[repeat.body.'b{q}']\nshape.disc = { radius = 1 }\n", "a.toml:9", "q"),
        ("[[repeat]]\nover.i = 2\n[repeat.body.'b{i}']\nshape.disk = { radius = 1 }\n", "a.toml:10", "disk"),
        ("[[repeat]]\nover.i = 2\n[repeat.body.'b{i}']\nposition = ['=i/0', 0]\n", "a.toml:10", "(0)/0"),
    ] {
        let message = told(text);
        assert!(message.contains(line) && message.contains(says), "{text}\n{message}");
    }
}

/// What is included is under the scene: tables are joined, lists of tables come one after the other, values are the
/// scene's. A file includes from its own folder; the text that a run keeps needs no file.
#[test]
fn files_are_put_under_a_scene() {
    let folder = folder(
        "include",
        &[
            (
                "main.toml",
                "include = ['parts/walls.toml']\n[time]\nend = 2\n[body.b]\nshape.disc = { radius = 0.1 }\nposition = [0, 1]\n",
            ),
            (
                "parts/walls.toml",
                "include = 'base.toml'\n[body.floor]\nshape.half_plane = {}\n[[generate]]\nkind = 'grid'\nname = 'g'\nshape.disc.radius = 0.1\ncount = [2, 1]\nspacing = [0.5, 0.5]\nposition = [3, 1]\n",
            ),
            ("parts/base.toml", &format!("{HEAD}[body.b]\nmass = 3\n")),
        ],
    );
    let scene = Scene::load(folder.join("main.toml"), &[]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(scene.description.time.end, 2.0);
    let Built::Plane(setup) = scene.build().unwrap_or_else(|e| panic!("{e}")) else { panic!("of the plane") };
    let b = setup.model.bodies().iter().find(|b| *b.name == *"b").expect("b");
    assert!((b.mass - 3.0).abs() < 1e-12 && (b.start.position[1] - 1.0).abs() < 1e-15);
    assert_eq!(setup.model.bodies().len(), 4);
    let again = Scene::parse(&scene.text, "kept", &[]).unwrap_or_else(|e| panic!("{e}"));
    let Built::Plane(second) = again.build().unwrap_or_else(|e| panic!("{e}")) else { panic!("of the plane") };
    assert_eq!(second.state.hash(), setup.state.hash());
}

#[test]
fn faults_of_includes_have_their_place() {
    let folder = folder(
        "include_faults",
        &[
            ("missing.toml", &format!("include = ['nowhere.toml']\n{HEAD}")),
            ("circle.toml", "include = ['other.toml']\n"),
            ("other.toml", "\ninclude = ['circle.toml']\n"),
            ("wrong.toml", "include = 3\n"),
            ("inner.toml", "include = 'bad.toml'\n"),
            ("bad.toml", &format!("{HEAD}\n[body.b]\nshape.disk = {{ radius = 1 }}\n")),
            ("broken.toml", "include = 'syntax.toml'\n"),
            ("syntax.toml", "a = 1\nb = = 2\n"),
        ],
    );
    let told = |file: &str| Scene::load(folder.join(file), &[]).expect_err("refused").to_string();
    for (file, place, says) in [
        ("missing.toml", "missing.toml:1", "nowhere.toml"),
        ("circle.toml", "circle.toml:1", "includes itself"),
        ("wrong.toml", "wrong.toml:1", "names of files"),
        ("inner.toml", "bad.toml:9", "disk"),
        ("broken.toml", "syntax.toml:2", "TOML"),
    ] {
        let message = told(file);
        assert!(message.contains(place) && message.contains(says), "{file}\n{message}");
    }
    let alone = parse(&format!("include = ['x.toml']\n{HEAD}"), &[]).expect_err("refused");
    assert!(alone.contains("a.toml:1") && alone.contains("folder"), "{alone}");
}
