//! `ask`: closed forms, lines of thrust, and questions that make no sense.

#[allow(dead_code)]
use crate::common::Folder;
use serde_json::Value;
use std::f64::consts::PI;

fn asked(folder: &Folder, arguments: &[&str]) -> Value {
    let outcome = folder.run(&[&["ask"], arguments, &["--json"]].concat());
    assert_eq!(outcome.code, 0, "{}{}", outcome.out, outcome.err);
    serde_json::from_str(&outcome.out).unwrap_or_else(|e| panic!("{e} in\n{}", outcome.out))
}

/// A block of 0.5 × 1 m tips at 0.5 g or slides at μ g, whichever is less: the largest horizontal acceleration.
#[test]
fn a_block_tips_or_slides() {
    let folder = Folder::new("ask-safety");
    let scene = "dimension = 2\ntitle = 'block'\n[time]\nstep = 1e-3\nend = 1\n[body.floor]\nshape.half_plane = {}\n\
                 [body.block]\nshape.box = { size = [0.5, 1] }\nposition = [0, 0.5]\nmass = 2\n[law]\nfriction = 0.8\n\
                 [load.push]\nbody = 'block'\nforce = [1, 0]\n";
    folder.file("block.toml", scene.as_bytes());
    for (mu, expected) in [("0.8", 0.5), ("0.3", 0.3)] {
        let set = format!("law.friction={mu}");
        let still = ["safety", "block.toml", "--set", "load.push.force=[0,0]", "--set", &set];
        let found = asked(&folder, &still);
        for limit in found["limits"].as_array().expect("limits") {
            let largest = limit["largest"].as_f64().expect("a limit");
            assert!((largest - expected).abs() < 1e-7, "{limit}");
        }
    }
    // 1 N once, on a weight of 2 × 9.81 N that tips at half of it.
    let push = asked(&folder, &["safety", "block.toml", "--load", "push", "--no-friction"]);
    let largest = push["limits"][0]["largest"].as_f64().expect("a limit");
    assert!((largest - 9.81).abs() < 1e-6, "{largest}");
    let drawn = folder.run(&["ask", "safety", "block.toml", "--load", "push", "--picture", "m.svg"]);
    assert_eq!(drawn.code, 0, "{}", drawn.err);
    assert!(folder.path("m.svg").is_file());
    folder.run(&["ask", "safety", "block.toml", "--load", "pull"]).fails(2, &["no [load.pull]", "there are: push"]);
    folder.run(&["ask", "safety", "block.toml", "--set", "law.friction=-1"]).fails(2, &["law.friction"]);
}

/// Half of an arch of `n` voussoirs, thickness `t`, mean radius 1, after its support went aside by `moved`: the part
/// above the intrados hinge at the joint `beta` turns about it and about the crown's back, the part below follows the
/// support. Least room of the line of thrust to the edges of the joints, over the thickness.
fn room(n: usize, t: f64, beta: usize, moved: f64) -> f64 {
    let at = |r: f64, j: usize| {
        let a = j as f64 * PI / n as f64;
        [r * a.sin(), r * a.cos()]
    };
    let [inner, outer] = [1.0 - 0.5 * t, 1.0 + 0.5 * t];
    let (hinge, crown) = (at(inner, beta), at(outer, 0));
    let lever = [crown[0] - hinge[0], crown[1] - hinge[1]];
    // The crown stays on the axis.
    let turn = (-(hinge[0] + moved) / lever[0].hypot(lever[1])).acos() - lever[1].atan2(lever[0]);
    let place = |p: [f64; 2], above: bool| {
        let [x, y] = if above { [p[0] - hinge[0], p[1] - hinge[1]] } else { [0.0; 2] };
        match above {
            true => [hinge[0] + moved + turn.cos() * x - turn.sin() * y, hinge[1] + turn.sin() * x + turn.cos() * y],
            false => [p[0] + moved, p[1]],
        }
    };
    let block = |k: usize| {
        let corners = [at(inner, k), at(outer, k), at(outer, k + 1), at(inner, k + 1)];
        let (mut area, mut first) = (0.0, [0.0; 2]);
        for i in 0..4 {
            let ([x, y], [u, v]) = (corners[i], corners[(i + 1) % 4]);
            let cross = x * v - u * y;
            area += cross / 2.0;
            first = [first[0] + cross * (x + u) / 6.0, first[1] + cross * (y + v) / 6.0];
        }
        (area.abs(), place([first[0] / area, first[1] / area], k < beta)[0])
    };
    let (top, pin) = (place(crown, true), place(hinge, true));
    // Moments about the hinge: the thrust at the crown is horizontal.
    let thrust = (0..beta).map(block).map(|(w, x)| w * (pin[0] - x)).sum::<f64>() / (top[1] - pin[1]);
    let (mut weight, mut moment, mut least) = (0.0, 0.0, f64::INFINITY);
    for j in 1..=n / 2 {
        let (w, x) = block(j - 1);
        (weight, moment) = (weight + w, moment + w * x);
        // The line through (moment/weight, top) along (thrust, −weight) meets the joint from a along u at r.
        let (a, b) = (place(at(inner, j), j < beta), place(at(outer, j), j < beta));
        let (u, d) = ([b[0] - a[0], b[1] - a[1]], [moment / weight - a[0], top[1] - a[1]]);
        let r = (d[0] * weight + d[1] * thrust) / (u[0] * weight + u[1] * thrust);
        if j != beta {
            least = least.min(r.min(1.0 - r));
        }
    }
    least
}

/// The displacement of a support at which an arch loses its last equilibrium: by lines of thrust [Ochsendorf06], and by
/// running it and asking every 0.05 s whether the closed contacts can hold it. The steps between two questions move
/// the support by 5e-4.
#[test]
fn an_arch_on_spreading_supports_falls_when_its_line_of_thrust_leaves_it() {
    let (mut low, mut high) = (0.0, 0.2);
    assert!(room(28, 0.15, 9, 0.0) > 0.0, "the hinges of least thrust");
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if room(28, 0.15, 9, middle) > 0.0 { low = middle } else { high = middle }
    }
    assert!((low - 0.0629).abs() < 1e-4, "{low}");
    let folder = Folder::new("ask-collapse");
    // Faster than the scene says, and as slow as the time of a test allows.
    let found = asked(
        &folder,
        &["collapse", "arch_spreading", "--moved", "right", "--set", "speed=0.02", "--set", "time.record=0.025", "-q"],
    );
    let last = found["last_equilibrium"]["displacement"].as_f64().expect("it stands at first");
    let first = found["first_without"]["displacement"].as_f64().expect("it falls");
    assert!(last < first && first - last < 6e-4, "{last} {first}");
    assert!((last - low).abs() < 0.03 * low, "lines of thrust {low}, in motion {last}");
}

/// Newton's law is what comes out of one ball on a floor; two equal balls exchange all of it.
#[test]
fn restitution_is_that_of_the_law() {
    let folder = Folder::new("ask-restitution");
    let ball = asked(&folder, &["restitution", "bouncing_ball", "--body", "ball", "--set", "law.restitution=0.6"]);
    assert!((ball["restitution"].as_f64().expect("a shock") - 0.6).abs() < 1e-9, "{ball}");
    let cradle = asked(&folder, &["restitution", "cradle", "--body", "striker", "--against", "ball*"]);
    assert!((cradle["restitution"].as_f64().expect("a shock") - 1.0).abs() < 1e-9, "{cradle}");
    // Struck bodies that stand still approach nothing.
    let still = folder.run(&["ask", "restitution", "cradle", "--body", "ball*"]);
    still.fails(1, &[]);
    assert!(still.out.contains("no approach") && !still.out.contains("NaN"), "{}", still.out);
    folder.run(&["ask", "restitution", "cradle", "--body", "striket"]).fails(2, &["did you mean 'striker'"]);
    let none = folder.run(&["ask", "restitution", "bouncing_ball", "--body", "ball", "--set", "time.end=0.1"]);
    assert_eq!(none.code, 1, "{}", none.out);
    assert!(none.out.contains("no shock"));
}

/// A pyramid of equal discs has flanks of 60°.
#[test]
fn a_pyramid_has_its_angle() {
    let folder = Folder::new("ask-repose");
    let mut scene = "dimension = 2\ntitle = 'pyramid'\n[time]\nstep = 1e-3\nend = 0.1\n[law]\nfriction = 0.5\n\
                     [body.floor]\nshape.half_plane = {}\n"
        .to_owned();
    for row in 0..8 {
        for k in 0..8 - row {
            let (x, y) = (f64::from(2 * k + row), 1.0 + f64::from(row) * 3f64.sqrt());
            scene += &format!("[body.d{row}_{k}]\nshape.disc.radius = 1\nmass = 1\nposition = [{x}, {y:?}]\n");
        }
    }
    folder.file("pyramid.toml", scene.as_bytes());
    let found = asked(&folder, &["repose", "pyramid.toml"]);
    let flanks = found["flanks"].as_array().expect("flanks");
    assert_eq!(flanks.len(), 2);
    for flank in flanks {
        assert!((flank["angle"].as_f64().expect("an angle") - PI / 3.0).abs() < 1e-9, "{flank}");
    }
    assert_eq!(folder.run(&["ask", "repose", "bouncing_ball"]).code, 1);
    // Whether anything has settled is said.
    assert!(folder.run(&["ask", "repose", "pyramid.toml"]).err.contains("the start of the scene"));
    folder.file(
        "falling.toml",
        scene
            .replace("[body.floor]", "[body.d9]\nshape.disc.radius = 1\nmass = 1\nposition = [40, 9]\n[body.floor]")
            .as_bytes(),
    );
    folder.run(&["run", "falling.toml", "-q"]).fails(0, &[]);
    let moving = folder.run(&["ask", "repose", "falling.h5"]);
    assert!(moving.err.contains("not at rest"), "{}", moving.err);
}

/// Two fingers of 10 N with μ = 0.6 hold 12 N along their faces; a torque is borne by friction at the lever 0.05 m and
/// by the pressure going to the ends of the faces: 2 × (6 + 10) × 0.05 N m.
#[test]
fn a_gripper_holds_twice_its_friction() {
    let folder = Folder::new("ask-grasp");
    let finger = |name: &str, x: f64, force: f64| {
        format!(
            "[body.{name}]\nshape.box = {{ size = [0.02, 0.1] }}\nposition = [{x}, 0]\n[joint.{name}]\nkind = 'slider'\n\
             bodies = ['{name}']\naxis = [1, 0]\nat = [0, 0]\n[load.{name}]\nbody = '{name}'\nforce = [{force}, 0]\n"
        )
    };
    let scene = format!(
        "dimension = 2\ntitle = 'gripper'\ngravity = [0, 0]\n[time]\nstep = 1e-3\nend = 1\n[material.m]\ndensity = 1000\n\
         [body.part]\nshape.box = {{ size = [0.1, 0.1] }}\n{}{}[law]\nfriction = 0.6\n",
        finger("left", -0.06, 10.0),
        finger("right", 0.06, -10.0)
    );
    folder.file("grip.toml", scene.as_bytes());
    let found = asked(&folder, &["grasp", "grip.toml", "--body", "part"]);
    let largest =
        found["force"]["vertices"].as_array().expect("a segment").iter().map(|v| v[1].as_f64().expect("a number"));
    assert!((largest.fold(0.0, f64::max) - 12.0).abs() < 1e-7, "{found}");
    assert!((found["torque"]["range"][1].as_f64().expect("a number") - 1.6).abs() < 1e-7, "{found}");
    folder.run(&["ask", "grasp", "grip.toml", "--body", "prt"]).fails(2, &["did you mean 'part'"]);
    folder.run(&["ask", "grasp", "grip.toml", "--body", "part", "--set", "load.left.force=[0]"]).fails(2, &["force"]);
}
