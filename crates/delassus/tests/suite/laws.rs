//! Laws of contact between bodies, from scenes: any convex cone, against closed forms.

use crate::common::Folder;
use crate::common::run::{field, finish, refused};

const G: f64 = 9.81;

/// A point on a floor; a law follows.
const POINT: &str = r#"
dimension = 3
gravity = ["=9.81*ax", "=9.81*ay", -9.81]
[parameters]
ax = 0
ay = 0
[time]
step = 1e-3
end = 0.2
[material.floor]
[material.wood]
[body.floor]
shape.half_space = {}
material = "floor"
[body.point]
shape.point = {}
material = "wood"
mass = 2
"#;

/// The point of `a + polygon` nearest to zero, side by side: the reference of [Moreau86].
fn nearest(a: [f64; 2], polygon: &[[f64; 2]]) -> [f64; 2] {
    let corner = |i: usize| [a[0] + polygon[i % polygon.len()][0], a[1] + polygon[i % polygon.len()][1]];
    let (mut inside, mut best) = (true, [f64::INFINITY, 0.0]);
    for i in 0..polygon.len() {
        let (p, q) = (corner(i), corner(i + 1));
        let e = [q[0] - p[0], q[1] - p[1]];
        inside &= e[1] * p[0] - e[0] * p[1] >= 0.0;
        let t = (-(p[0] * e[0] + p[1] * e[1]) / (e[0] * e[0] + e[1] * e[1])).clamp(0.0, 1.0);
        let near = [p[0] + t * e[0], p[1] + t * e[1]];
        best = if near[0].hypot(near[1]) < best[0].hypot(best[1]) { near } else { best };
    }
    if inside { [0.0; 2] } else { best }
}

/// A polygon that is not symmetric: the velocity is `g t p`, `p` the point nearest to zero of the pull plus the
/// polygon; where that contains zero the point stays, to the bit. On sides and on corners, and whichever material
/// is named first or carries the axes.   [Moreau86], closed form
#[test]
fn a_polygonal_cone_gives_threshold_and_direction_of_sliding() {
    let polygon = [[0.5, -0.1], [0.2, 0.4], [-0.3, 0.2], [-0.2, -0.4]];
    let law = |between: &str, frame: &str| {
        format!(
            "{POINT}[law]\nbetween = {between}\npolygon = {{ axis = [1, 0, 0], frame = \"{frame}\", vertices = \
             [[0.5, -0.1], [0.2, 0.4], [-0.3, 0.2], [-0.2, -0.4]] }}\n"
        )
    };
    let scenes = [law("[\"floor\", \"wood\"]", "first"), law("[\"wood\", \"floor\"]", "second")];
    let (mut held, mut slid) = (0, 0);
    for k in 0..24 {
        let angle = k as f64 * std::f64::consts::TAU / 24.0;
        for size in [0.2, 0.45, 0.7] {
            let a = [size * angle.cos(), size * angle.sin()];
            let p = nearest(a, &polygon);
            let text = &scenes[k % 2];
            let run = finish(text, &[&format!("ax={}", a[0]), &format!("ay={}", a[1])]);
            let u = &run.whole_state().u[6..8];
            if p == [0.0; 2] {
                assert_eq!(u, [0.0; 2], "{a:?} is held");
                held += 1;
            } else {
                let wanted = p.map(|p| 0.2 * G * p);
                assert!((u[0] - wanted[0]).hypot(u[1] - wanted[1]) < 1e-9, "{a:?}: {u:?}, not {wanted:?}");
                slid += 1;
            }
        }
    }
    assert!(held > 10 && slid > 20, "{held} {slid}");
}

/// The axes turn with the body that carries them: a point that carries the polygon itself, turned by 90°, is held
/// where the other one slides. The force on the floor is in the polygon, that on the point is opposite.
#[test]
fn a_polygon_is_seen_from_the_other_side() {
    // Friction on the other body up to 0.6 along the axis, nothing else: mirrored, the point is held against a
    // pull along the axis of its own matter.
    let text = format!(
        "{POINT}rotation = {{ axis = [0, 0, 1], angle = \"=90*deg\" }}\n[law]\nbetween = [\"wood\", \"floor\"]\n\
         polygon = {{ axis = [1, 0, 0], vertices = [[0, 0.01], [0, -0.01], [0.6, -0.01], [0.6, 0.01]] }}\n"
    );
    let run = finish(&text, &["ay=0.5"]);
    assert_eq!(run.whole_state().u[6..8], [0.0; 2]);
    let run = finish(&text, &["ay=-0.5"]);
    assert!((run.whole_state().u[7] + 0.2 * 0.5 * G).abs() < 1e-9, "{:?}", run.whole_state().u);
}

/// A ratchet: forwards `a = F/m − μ g`, backwards it sticks; turned round with its axis, or carried by the other
/// body.   closed form
#[test]
fn a_ratchet_slides_one_way_and_sticks_the_other() {
    let text = r#"
dimension = 2
[parameters]
push = 5
[time]
step = 1e-3
end = 0.5
[material.floor]
[material.wood]
[body.floor]
shape.half_plane = {}
material = "floor"
[body.block]
shape.box.size = [1, 0.1]
material = "wood"
mass = 1
position = [0, 0.05]
[load.push]
body = "block"
force = ["push", 0]
[law]
between = ["floor", "wood"]
directional = { axis = [1, 0], forwards = 0.2, backwards = 0.8 }
"#;
    let slid = 0.5 * (5.0 - 0.2 * G);
    for (changes, wanted) in [
        (vec!["push=5"], slid),
        (vec!["push=-5"], 0.0),
        (vec!["push=-5", "law.directional.axis=[-1,0]"], -slid),
        (vec!["push=5", "law.directional.axis=[-1,0]"], 0.0),
        // The block carries it: the floor slides the other way under it.
        (vec!["push=-5", "law.directional.frame=second"], -slid),
        (vec!["push=5", "law.directional.frame=second"], 0.0),
        // At rest it holds more than in motion.
        (vec!["push=5", "law.directional.static_forwards=0.6"], 0.0),
        (vec!["push=6", "law.directional.static_forwards=0.6"], 0.5 * (6.0 - 0.2 * G) - 1e-3 * 0.4 * G),
    ] {
        let run = finish(text, &changes);
        let u = run.whole_state().u[3];
        assert!((u - wanted).abs() < 1e-9, "{changes:?}: {u}, not {wanted}");
    }
    let told = refused(text, &["law.friction=0.3"]);
    assert!(told.contains("only one of directional, friction"), "{told}");
    let told = refused(&text.replace("between = [\"floor\", \"wood\"]", "between = [\"wood\", \"wood\"]"), &[]);
    assert!(told.contains("two materials"), "{told}");
}

/// An ellipse with coefficients at rest and in motion: along each axis it starts where the push is `μ_s m g`, and
/// goes on with `m x'' = k t − μ_k m g`.   closed form, as P11
#[test]
fn an_elliptic_cone_has_coefficients_at_rest_and_in_motion() {
    for (push, mu_s, mu_k, axis) in [("[\"8*t\", 0, 0]", 0.4, 0.3, 0), ("[0, \"8*t\", 0]", 0.2, 0.1, 1)] {
        let law =
            "anisotropic = { axis = [1, 0, 0], along = 0.3, across = 0.1, static_along = 0.4, static_across = 0.2 }";
        let text = format!(
            "{POINT}[load.push]\nbody = \"point\"\nforce = {push}\n[law]\nbetween = [\"floor\", \"wood\"]\n{law}\n"
        );
        let run = finish(&text, &["time.end=1.5"]);
        let (m, k, t) = (2.0, 8.0, 1.5);
        let first = mu_s * m * G / k;
        let v = k / m * 0.5 * (t * t - first * first) - mu_k * G * (t - first);
        let u = run.whole_state().u[6 + axis];
        // The start is found to a step, in which the other coefficient holds.
        assert!((u - v).abs() < 2e-3 * (mu_s - mu_k) * G + 1e-6, "{u}, not {v}");
        assert_eq!(run.whole_state().u[7 - axis], 0.0);
    }
}

/// A ball that rolls and spins with resistance to both: `v' = −μ_r g/R/(1 + 2/5)`, `ω' = −μ_s m g/I`, each as if
/// alone, until each stops.   closed forms
#[test]
fn a_ball_rolls_and_spins_against_both_resistances() {
    let text = r#"
dimension = 3
[time]
step = 1e-4
end = 0.2
[body.floor]
shape.half_space = {}
[body.ball]
shape.sphere.radius = 0.1
mass = 1
position = [0, 0, 0.1]
velocity = [1, 0, 0]
spin = [0, 10, 5]
[law]
friction = 0.5
rolling = 0.01
torsional = 0.005
"#;
    let run = finish(text, &[]);
    let u = &run.whole_state().u[6..];
    let (v, w) = (1.0 - 0.2 * 0.01 * G / 0.1 / 1.4, 5.0 - 0.2 * 0.005 * G / (0.4 * 0.01));
    assert!((u[0] - v).abs() < 1e-9 && u[1].abs() < 1e-9, "{u:?}, not {v}");
    let w_z = field(&mut finish(text, &[]), "momentum/angular")[2] / (0.4 * 0.01);
    assert!((w_z - w).abs() < 1e-9, "{w_z}, not {w}");
    let run = finish(text, &["time.end=1.6", "time.step=1e-3"]);
    assert!(run.whole_state().u[6..].iter().all(|u| u.abs() < 1e-9), "at rest: {:?}", &run.whole_state().u[6..]);
}

/// What makes no sense is refused with what would.
#[test]
fn laws_that_make_no_sense_are_refused() {
    let law = |law: &str| format!("{POINT}[law]\nbetween = [\"floor\", \"wood\"]\n{law}\n");
    for (text, parts) in [
        (law("polygon = { axis = [1, 0, 0], vertices = [[1, 0], [0, 1]] }"), vec!["at least 3 items", "found 2"]),
        (law("polygon = { axis = [1, 0, 0], vertices = [[1, 0], [2, 1], [1, 1]] }"), vec!["the origin is outside"]),
        (law("polygon = { axis = [1, 0, 0], vertices = [[1, 0], [0.1, 0.1], [0, 1], [-1, -1]] }"), vec!["not convex"]),
        (law("polygon = { axis = [0, 0, 0], vertices = [[1, 0], [0, 1], [-1, -1]] }"), vec!["axis"]),
        (law("directional = { axis = [1, 0], forwards = 1, backwards = 0 }"), vec!["in space give a `polygon`"]),
        (law("tresca = 1\nrolling = 0.1"), vec!["only one of tresca, rolling"]),
        (
            law("anisotropic = { axis = [1, 0, 0], along = 1, across = 1 }\nstatic_friction = 2"),
            vec!["keys of its table"],
        ),
    ] {
        let told = refused(&text, &[]);
        assert!(parts.iter().all(|p| told.contains(p)) && told.contains("[law]") | told.contains("law"), "{told}");
    }
}

/// The set of reactions knows these cones: the least friction is the pull over the threshold of the scene, and the
/// push over `μ m g`.   closed forms
#[test]
fn explorations_know_the_cones() {
    let folder = Folder::new("laws-explore");
    let found = folder.run(&["explore", "polygonal_cone", "--set", "pull=0.2"]);
    let factor = 0.2 / 0.2967846929105774;
    assert!(found.code == 0 && found.out.contains(&format!("needs {factor:.6}")), "{}{}", found.out, found.err);
    assert!(!found.out.contains("stays 0 N"), "{}", found.out);
    let found = folder.run(&["explore", "ratchet", "--set", "load.push.force=[3,0]"]);
    assert!(found.out.contains(&format!("needs {:.5}", 3.0 / (0.1 * G))), "{}{}", found.out, found.err);
}
