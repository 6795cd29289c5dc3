//! `import`: a robot in URDF becomes a scene that runs and holds its position.

#[allow(dead_code)] // What other tests use of it.
mod common;

use common::{Folder, root};

/// The arm of `examples/arm.urdf` holds its position against gravity for half a second: motors of 60 and 30 N m bear
/// 1 × 9.81 × (0.2 + …) N m, far less, and hold exactly, without creep.
#[test]
fn an_imported_arm_holds_its_position() {
    let folder = Folder::new("import-arm");
    let urdf = std::fs::read(root().join("examples/arm.urdf")).expect("the example");
    folder.file("arm.urdf", &urdf);
    let outcome = folder.run(&["import", "arm.urdf"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(outcome.err.contains("damping of the joint 'elbow'"), "{}", outcome.err);
    assert!(outcome.out.contains("4 links, 3 joints"), "{}", outcome.out);
    // The tool has no mass: it is a part of the forearm.
    let scene = std::fs::read_to_string(folder.path("arm.toml")).expect("a scene");
    assert!(!scene.contains("[body.\"tool\"]") && scene.matches("[[body.\"fore\".parts]]").count() == 2, "{scene}");
    let run = folder.run(&["run", "arm.toml", "--set", "time.end=0.5", "-q"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let csv = folder.run(&["export", "arm.h5", "--csv", "-", "--body", "fore"]);
    let rows: Vec<Vec<f64>> =
        csv.out.lines().skip(1).map(|l| l.split(',').map(|x| x.parse().expect("a number")).collect()).collect();
    let (first, last) = (rows.first().expect("frames"), rows.last().expect("frames"));
    for k in [1, 2, 3].map(|k| k + first.len() - 14) {
        assert!((first[k] - last[k]).abs() < 1e-6, "{first:?}\n{last:?}");
    }
    // A file that is there is not written over unasked.
    folder.run(&["import", "arm.urdf"]).fails(2, &["already exists"]);
}

/// What is wrong is told with its line.
#[test]
fn bad_robots_are_told() {
    let folder = Folder::new("import-bad");
    let robot = |inside: &str| format!("<robot name='r'>\n<link name='a'/>\n<link name='b'/>\n{inside}\n</robot>");
    let joint = |kind: &str, more: &str| {
        robot(&format!("<joint name='j' type='{kind}'><parent link='a'/><child link='b'/>{more}</joint>"))
    };
    for (text, part) in [
        ("<robot".to_owned(), "error"),
        ("<model/>".to_owned(), "expected <robot>"),
        (robot(""), "2 links have no parent"),
        (joint("ball", ""), ":4: type=\"ball\""),
        (joint("revolute", ""), "needs <limit>"),
        (joint("revolute", "<limit lower='1' upper='0' effort='1'/>"), "is not below"),
        (joint("continuous", "<axis xyz='0 0 0'/>"), "no length"),
        (joint("continuous", "<axis xyz='0 x 0'/>"), "expected 3 finite numbers"),
        (joint("continuous", ""), "moves and has no mass"),
        (robot("<joint name='j' type='fixed'><parent link='a'/><child link='c'/></joint>"), "no link 'c'"),
        (robot("<link name='a'/>"), "twice"),
    ] {
        folder.file("r.urdf", text.as_bytes());
        folder.run(&["import", "r.urdf", "-o", "r.toml"]).fails(2, &["r.urdf", part]);
        assert!(!folder.path("r.toml").exists());
    }
    folder.run(&["import", "r.xml"]).fails(2, &["read from .urdf files"]);
}
