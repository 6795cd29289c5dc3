//! Meshes read from files: STL and OBJ give the same body.

use delassus_scene::{Built, Scene};
use std::path::PathBuf;

/// A tetrahedron with three unit edges along the axes, faces counter-clockwise from outside.
const POINTS: [[f64; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

fn stl() -> String {
    let mut text = "solid t\n".to_owned();
    for face in FACES {
        text += "facet normal 0 0 0\nouter loop\n";
        for i in face {
            let [x, y, z] = POINTS[i];
            text += &format!("vertex {x} {y} {z}\n");
        }
        text += "endloop\nendfacet\n";
    }
    text + "endsolid t\n"
}

fn obj() -> String {
    let points: String = POINTS.iter().map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect();
    let faces: String = FACES.iter().map(|f| format!("f {} {} {}\n", f[0] + 1, f[1] + 1, f[2] + 1)).collect();
    points + &faces
}

fn scene(file: &str, convex: bool) -> String {
    format!(
        "dimension = 3\n[time]\nstep = 1e-3\nend = 1\n[law]\n[body.m]\n\
         shape.mesh = {{ file = '{file}', scale = 0.5, convex = {convex} }}\n\
         [body.b]\nshape.sphere.radius = 0.1\nposition = [5, 5, 5]\n"
    )
}

/// Volume of the tetrahedron: s³/6 with s = 0.5; density 1000.
#[test]
fn hulls_of_files_have_the_right_mass() {
    let folder = folder("hulls");
    for (name, text) in [("t.stl", stl()), ("t.obj", obj())] {
        std::fs::write(folder.join(name), text).expect("written");
        let file = folder.join("scene.toml");
        std::fs::write(&file, scene(name, true)).expect("written");
        let built = Scene::load(&file, &[]).and_then(|s| s.build()).unwrap_or_else(|e| panic!("{name}\n{e}"));
        let Built::Space(setup) = built else { panic!("in space") };
        let mass = setup.model.bodies()[0].mass;
        assert!((mass - 1000.0 * 0.125 / 6.0).abs() < 1e-9, "{name}: {mass}");
    }
}

/// A closed surface moves, with the mass of the volume it bounds; one that does not is refused by what it lacks,
/// unless it stands still.
#[test]
fn closed_surfaces_move_and_others_are_refused() {
    let folder = folder("surfaces");
    let file = folder.join("scene.toml");
    let check = |name: &str, mesh: &str, fixed: &str| {
        std::fs::write(folder.join(name), mesh).expect("written");
        let text = scene(name, false).replace("[body.b]", &format!("{fixed}\n[body.b]"));
        std::fs::write(&file, text).expect("written");
        Scene::load(&file, &[]).and_then(|s| s.build())
    };
    let built = check("t.stl", &stl(), "").unwrap_or_else(|e| panic!("{e}"));
    let Built::Space(setup) = built else { panic!("in space") };
    let mass = setup.model.bodies()[0].mass;
    assert!((mass - 1000.0 * 0.125 / 6.0).abs() < 1e-9 && setup.model.bodies()[0].is_dynamic(), "{mass}");
    let open: String = obj().lines().filter(|l| *l != "f 2 3 4").map(|l| format!("{l}\n")).collect();
    let inside = obj().replace("f 1 3 2", "f 1 2 3").replace("f 1 2 4", "f 1 4 2");
    let inside = inside.replace("f 1 4 3", "f 1 3 4").replace("f 2 3 4", "f 2 4 3");
    let torn = obj().replace("f 2 3 4", "f 2 4 3");
    for (name, mesh, why) in [
        ("open.obj", open, "3 edges have one triangle"),
        ("in.obj", inside, "look inwards"),
        ("torn.obj", torn, "do not agree"),
    ] {
        let error = check(name, &mesh, "").err().map(|e| e.to_string()).unwrap_or_default();
        assert!(error.contains(why) && error.contains("scene.toml:7"), "{name}: {error}");
        assert!(check(name, &mesh, "fixed = true").is_ok(), "{name}");
    }
}

#[test]
fn damaged_files_are_refused() {
    let folder = folder("damaged");
    for (name, text) in [("a.stl", "solid x\nfacet"), ("b.stl", ""), ("c.obj", "f 1 2 3\n"), ("d.obj", "v 0 0 nan\n")] {
        std::fs::write(folder.join(name), text).expect("written");
        let file = folder.join("scene.toml");
        std::fs::write(&file, scene(name, false)).expect("written");
        let error = Scene::load(&file, &[]).and_then(|s| s.build().map(drop)).expect_err("refused").to_string();
        assert!(error.contains(&format!("the mesh `{name}` cannot be used")), "{error}");
    }
}
