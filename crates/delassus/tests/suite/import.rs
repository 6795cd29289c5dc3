//! `import`: a robot in URDF becomes a scene that runs and holds its position.

#[allow(dead_code)] // What other tests use of it.
use crate::common::{Folder, root};

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
    folder.run(&["import", "r.sdf"]).fails(2, &["read from .urdf files and from .xml files of MuJoCo"]);
    folder.run(&["import", "r.usda"]).fails(2, &["USD is not read"]);
}

/// The arm of `examples/arm.urdf`, written for MuJoCo.
const ARM: &str = r#"<mujoco model="arm">
  <compiler angle="degree"/>
  <default>
    <joint damping="0.1"/>
    <default class="light"><geom density="500"/></default>
  </default>
  <worldbody>
    <geom type="plane" size="1 1 0.1"/>
    <body name="upper" pos="0 0 0.12">
      <inertial pos="0 0 0.2" mass="2" diaginertia="0.03 0.03 0.002"/>
      <joint name="shoulder" axis="0 1 0" range="-85 85"/>
      <geom type="box" size="0.025 0.025 0.18" pos="0 0 0.2"/>
      <body name="fore" pos="0 0 0.4" childclass="light">
        <joint name="elbow" axis="0 1 0" limited="false" damping="0" frictionloss="0.05"/>
        <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03"/>
      </body>
    </body>
    <body name="ball" pos="1 0 0.1"><freejoint/><geom size="0.1" mass="1.5"/></body>
  </worldbody>
  <actuator>
    <position joint="shoulder" kp="800" kv="40" forcerange="-60 60"/>
    <motor joint="elbow" ctrlrange="-1 1" gear="30"/>
  </actuator>
</mujoco>"#;

/// MJCF: what is read is what the file says. The capsule of density 500 has ρ π r² (l + 4/3 r) = 0.622 kg and its centre
/// in the middle; 85° are 1.4835 rad; the shoulder settles where its spring bears the weights, p θ = Σ m g x.
#[test]
fn a_robot_of_mujoco_is_read() {
    let folder = Folder::new("import-mjcf");
    folder.file("arm.xml", ARM.as_bytes());
    let outcome = folder.run(&["import", "arm.xml"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(outcome.out.contains("4 links, 3 joints"), "{}", outcome.out);
    let scene = std::fs::read_to_string(folder.path("arm.toml")).expect("a scene");
    let mass = 500.0 * std::f64::consts::PI * 9e-4 * (0.4 + 0.04);
    for part in [
        "limits = [-1.48352986",
        "stiffness = 800.0\ndamping = 40.1\nlimit = 60.0",
        "drive = \"0\"\nlimit = 30.0\nfriction = 0.05",
        "shape.half_space = {}",
        "shape.capsule = { length = 0.4, radius = 0.03 }",
        &format!("mass = {mass:?}"),
        "position = [0.2, 0.0, 0.52]",
        // Where the file says nothing, MuJoCo's own.
        "friction = 1.0\n",
        "step = 0.002\n",
    ] {
        assert!(scene.contains(part), "'{part}' is missing from:\n{scene}");
    }
    let run = folder.run(&["run", "arm.toml", "--set", "time.end=3", "-q"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let csv = folder.run(&["export", "arm.h5", "--csv", "-", "--field", "energy/kinetic"]);
    let last: f64 = csv.out.lines().last().and_then(|l| l.rsplit(',').next()?.parse().ok()).expect("a number");
    assert!(last < 1e-12, "{last}: it creeps");
    // The ball rests, the arm hangs in its spring: θ small, 800 θ = g (2 · 0.2 sin θ + m (0.4 sin θ + 0.2 cos θ)).
    let value = folder.run(&["plot", "arm.h5", "joints/value[shoulder]", "--csv", "-"]);
    assert_eq!(value.code, 0, "{}", value.err);
    let angle: f64 = value.out.lines().last().and_then(|l| l.rsplit(',').next()?.parse().ok()).expect("a number");
    let moment = 9.81 * (0.4 * angle.sin() + mass * (0.4 * angle.sin() + 0.2 * angle.cos()));
    assert!((800.0 * angle - moment).abs() < 1e-4 * moment, "{angle}: {moment}");
}

/// Step, gravity and friction are those of the file; one law for all pairs has the largest coefficient, which is told.
#[test]
fn what_mujoco_says_of_everything_is_read() {
    let folder = Folder::new("import-option");
    let option = "<option timestep=\"0.004\" gravity=\"0 0 -1.62\"/>\n  <compiler";
    let rough =
        ARM.replacen("<compiler", option, 1).replace("<geom size=\"0.1\"", "<geom size=\"0.1\" friction=\"0.3 0.01\"");
    folder.file("moon.xml", rough.as_bytes());
    let outcome = folder.run(&["import", "moon.xml"]);
    outcome.fails(0, &["frictions of 0.3 to 1"]);
    let scene = std::fs::read_to_string(folder.path("moon.toml")).expect("a scene");
    for part in ["step = 0.004\n", "gravity = [0.0, 0.0, -1.62]\n", "friction = 1.0\n", "record = 0.02\n"] {
        assert!(scene.contains(part), "'{part}' is missing from:\n{scene}");
    }
    folder.run(&["check", "moon.toml"]).fails(0, &[]);
    let all = rough.replace("friction=\"0.3 0.01\"", "").replace("density=\"500\"", "density=\"500\" friction=\"0.3\"");
    folder.file("one.xml", all.replace("<geom type=\"plane\"", "<geom friction=\"x\" type=\"plane\"").as_bytes());
    folder.run(&["import", "one.xml"]).fails(2, &["one.xml:", "friction=\"x\""]);
}

/// What is wrong in MJCF is told with its line.
#[test]
fn bad_robots_of_mujoco_are_told() {
    let folder = Folder::new("import-mjcf-bad");
    let world = |inside: &str| format!("<mujoco>\n<worldbody>\n{inside}\n</worldbody>\n</mujoco>");
    let body = |inside: &str| world(&format!("<body name='a'>{inside}</body>"));
    for (text, part) in [
        ("<robot/>".to_owned(), "expected <mujoco>"),
        (world("<include file='x.xml'/>"), ":3: <include>"),
        (body("<geom type='ellipsoid' size='1 1 1'/>"), ":3: type=\"ellipsoid\""),
        (body("<geom type='box' size='1 1'/>"), "positive sizes, 3"),
        (body("<geom size='x'/>"), "size=\"x\""),
        (body("<geom type='mesh' mesh='m'/>"), "no mesh 'm'"),
        (body("<joint type='screw'/><geom size='1'/>"), "type=\"screw\""),
        (body("<joint/><joint/><geom size='1'/>"), "has 2 joints"),
        (body("<joint range='1 -1'/><geom size='1'/>"), "not below"),
        (body("<joint/><geom size='1' mass='0'/>"), "has no mass"),
        (body("<geom size='1' zaxis='0 0 1'/>"), "'zaxis' is not read"),
        (body("<body name='a'><geom size='1'/></body><geom size='1'/>"), "twice"),
        ("<mujoco><actuator><motor joint='j'/></actuator></mujoco>".to_owned(), "no joint 'j'"),
    ] {
        folder.file("r.xml", text.as_bytes());
        folder.run(&["import", "r.xml", "-o", "r.toml"]).fails(2, &["r.xml", part]);
        assert!(!folder.path("r.toml").exists());
    }
}

/// A channel of outer sides 0.3 × 0.2 m with a groove of 0.1 × 0.1 m from above, 0.4 m long along y: x, z of its outline.
const CHANNEL: [[f64; 2]; 8] =
    [[0.0, 0.0], [0.3, 0.0], [0.3, 0.2], [0.2, 0.2], [0.2, 0.1], [0.1, 0.1], [0.1, 0.2], [0.0, 0.2]];

/// A ball of radius 0.03 m that is laid on the channel of a mesh in a folder of its own: on the hull of the mesh it rests
/// at 0.23 m, on its pieces in the groove, at 0.13 m. Names of packages are found beside the robot.
#[test]
fn meshes_are_cut_into_convex_pieces() {
    let folder = Folder::new("import-pieces");
    let mut mesh = String::new();
    for y in [-0.2, 0.2] {
        CHANNEL.iter().for_each(|p| mesh.push_str(&format!("v {} {y} {}\n", p[0], p[1])));
    }
    let mut face = |corners: [usize; 3]| mesh.push_str(&format!("f {} {} {}\n", corners[0], corners[1], corners[2]));
    for part in [[1, 2, 5, 6], [2, 3, 4, 5], [1, 6, 7, 8]] {
        let [a, b, c, d] = part;
        [[a, b, c], [a, c, d], [a + 8, c + 8, b + 8], [a + 8, d + 8, c + 8]].into_iter().for_each(&mut face);
    }
    for i in 1..=8 {
        let j = i % 8 + 1;
        [[i, i + 8, j + 8], [i, j + 8, j]].into_iter().for_each(&mut face);
    }
    folder.file("robots/meshes/channel.obj", mesh.as_bytes());
    let inertia = "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>";
    let robot = format!(
        "<robot name='trough'><link name='base'><inertial><mass value='5'/>{inertia}</inertial><collision><geometry>\
         <mesh filename='package://trough/meshes/channel.obj'/></geometry></collision></link></robot>"
    );
    folder.file("robots/urdf/trough.urdf", robot.as_bytes());
    let height = |more: &[&str]| {
        let imported = folder.run(&[&["import", "robots/urdf/trough.urdf", "-o", "trough.toml"], more].concat());
        assert_eq!(imported.code, 0, "{}", imported.err);
        let mut scene = std::fs::read_to_string(folder.path("trough.toml")).expect("a scene");
        scene.push_str("\n[body.ball]\nmass = 0.1\nshape.sphere = { radius = 0.03 }\nposition = [0.15, 0.0, 0.24]\n");
        folder.file("trough.toml", scene.as_bytes());
        let _ = std::fs::remove_file(folder.path("trough.h5"));
        let run = folder.run(&["run", "trough.toml", "--set", "time.end=1", "-q"]);
        assert_eq!(run.code, 0, "{}", run.err);
        let csv = folder.run(&["plot", "trough.h5", "bodies/position[ball].z", "--csv", "-"]);
        let last: f64 = csv.out.lines().last().and_then(|l| l.rsplit(',').next()?.parse().ok()).expect("a number");
        (imported.out, scene.matches("shape.polyhedron").count(), last)
    };
    let (_, pieces, on_hull) = height(&[]);
    assert!(pieces == 0 && (on_hull - 0.23).abs() < 1e-3, "{pieces} {on_hull}");
    let (told, pieces, in_groove) = height(&["--pieces", "8"]);
    assert!((2..=8).contains(&pieces) && told.contains(&format!("{pieces} convex pieces")), "{told}");
    assert!((in_groove - 0.13).abs() < 0.01, "{in_groove}");
    folder.file("robots/meshes/channel.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let flat = ["import", "robots/urdf/trough.urdf", "-o", "flat.toml", "--pieces", "8"];
    folder.run(&flat).fails(2, &["trough.urdf", "channel.obj", "polyhedron"]);
    folder.run(&["import", "robots/urdf/trough.urdf", "--pieces", "0"]).fails(2, &["--pieces", "1..=64"]);
    folder
        .run(&["import", "robots/urdf/trough.urdf", "--pieces", "4", "--concavity", "2"])
        .fails(2, &["0.0001 to 0.5"]);
}

/// A mesh that is not there is told when the robot is read, with its name; the scene is written for when it is.
#[test]
fn a_mesh_that_is_missing_is_told() {
    let folder = Folder::new("import-missing");
    let link = "<link name='a'><collision><geometry><mesh filename='no.stl'/></geometry></collision></link>";
    folder.file("r.urdf", format!("<robot name='r'>{link}</robot>").as_bytes());
    let outcome = folder.run(&["import", "r.urdf"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(outcome.err.contains("there is no mesh no.stl"), "{}", outcome.err);
    assert!(outcome.out.contains("1 link, 0 joints"), "{}", outcome.out);
    folder.run(&["check", "r.toml"]).fails(2, &["no.stl", "r.toml:"]);
    let link = "<link name='a'><inertial><mass value='abc'/></inertial></link>";
    folder.file("s.urdf", format!("<robot name='s'>{link}</robot>").as_bytes());
    folder.run(&["import", "s.urdf"]).fails(2, &["value=\"abc\": expected 1 finite number"]);
}
