//! Run files say what they hold to programs of others: the snippets of `examples/python` are executed.

#[allow(dead_code)] // What other tests use of it.
use crate::common::{Folder, root};
use crate::python::python;

/// A ball that slides to the right, a block at rest, a bob that hangs at rest.
const SCENE: &str = r#"
title = "three bodies"
dimension = 2
[time]
step = 0.01
end = 0.05
record = 0.01
[law]
friction = 0.4
[body.ball]
shape.disc = { radius = 0.5 }
mass = 1.0
position = [0.0, 0.5]
velocity = [1.5, 0.0]
[body.block]
shape.box = { size = [1.0, 1.0] }
mass = 2.0
position = [3.0, 0.5]
[body.bob]
shape.disc = { radius = 0.1 }
mass = 3.0
position = [6.0, 1.0]
[body.floor]
shape.half_plane = {}
fixed = true
[joint.string]
kind = "hinge"
bodies = ["bob"]
at = [6.0, 2.0]
"#;

fn snippet(name: &str) -> String {
    std::fs::read_to_string(root().join("examples/python").join(name)).expect("the snippet")
}

fn ran(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.file("three.toml", SCENE.as_bytes());
    let run = folder.run(&["run", "three.toml", "-q"]);
    assert_eq!(run.code, 0, "{}", run.err);
    folder
}

/// Statics: the block presses with m g = 19.62 N, half at each corner; the string bears 3 g = 29.43 N; the momentum at
/// the start is that of the ball, 1.5 kg m/s.
#[test]
fn h5py_finds_masses_laws_joints_and_momenta() {
    let folder = ran("snippet-h5py");
    let text = python(&snippet("h5py_read.py"), &[&folder.path("three.h5")]);
    for part in [
        "three bodies: 6 frames to 0.05 s, 4 bodies, 6 kg",
        "momentum at the start [1.5 0. ] in the file [1.5 0. ]",
        "bob: disc of radius 0.1 m",
        "block: box\n",
        "block on floor: coulomb 0.4, 9.81 N pressed, ",
        "joint string: 29.43 N",
    ] {
        assert!(text.contains(part), "'{part}' is missing from:\n{text}");
    }
}

/// The centre of mass of ball, block and bob is at (0 + 2·3 + 3·6)/6 = 4 and (1·½ + 2·½ + 3·1)/6 = ¾ at the start.
#[test]
fn xarray_has_names_on_its_axes() {
    let folder = ran("snippet-xarray");
    let script = snippet("xarray_read.py")
        + "    start = centre.isel(time=0).values\n    assert abs(start - [4.0, 0.75]).max() < 1e-12, start\n\
               assert run.position.shape == (6, 4, 2) and run.position.attrs['units'] == 'm'\n";
    let text = python(&script, &[&folder.path("three.h5"), "block".as_ref()]);
    assert!(text.contains("block ends at [3.") && text.contains("largest kinetic energy 1.125 J"), "{text}");
}

/// Four shapes, where they are: the floor apart, the rightmost point is that of the bob, 6.1.
#[test]
fn pyvista_shows_the_shapes() {
    let folder = ran("snippet-pyvista");
    let script = snippet("pyvista_show.py")
        + "assert abs(scene['bob 2'].bounds[1] - 6.1) < 1e-3, scene['bob 2'].bounds\n\
           assert contacts['force'].shape == (contacts.n_points, 3)\n";
    let text = python(&script, &[&folder.path("three.h5"), "5".as_ref(), &folder.path("out.vtm")]);
    assert!(text.contains("4 shapes, 3 contacts"), "{text}");
    assert!(folder.path("out.vtm").exists());
}

/// A run of version 3, written before there were laws of contacts and reactions of joints in the record, goes on with
/// the fields it has, and comes where the scene comes without the break, to 1e-7 m.
#[test]
fn a_run_of_version_3_goes_on() {
    let folder = Folder::new("version3");
    let old = std::fs::read(root().join("crates/delassus-record/tests/data/version3.h5")).expect("the run");
    folder.file("old.h5", &old);
    let scene = folder.run(&["export", "old.h5", "--scene", "old.toml"]);
    assert_eq!(scene.code, 0, "{}", scene.err);
    for arguments in
        [vec!["resume", "old.h5", "--end", "0.1"], vec!["run", "old.toml", "-o", "new.h5", "--set", "time.end=0.1"]]
    {
        let outcome = folder.run(&arguments);
        assert_eq!(outcome.code, 0, "{}{}", outcome.out, outcome.err);
    }
    // The steps of the old run are those of an older engine: the same within what the certificates leave.
    let script = "import sys, h5py\n\
                  old, new = (h5py.File(f)['bodies/position'] for f in sys.argv[1:3])\n\
                  assert len(old) == 33 and len(new) == 11, (len(old), len(new))\n\
                  # Bodies of all frames in one list, and frame by frame.\n\
                  gap = max(abs(a - b).max() for a, b in zip(old[-3:], new[-1]))\n\
                  assert gap < 1e-7, gap\n";
    python(script, &[&folder.path("old.h5"), &folder.path("new.h5")]);
    assert!(!folder.run(&["info", "old.h5", "--verify"]).out.contains("contacts/law"));
    assert!(folder.run(&["info", "new.h5", "--verify"]).out.contains("contacts/law"));
}
