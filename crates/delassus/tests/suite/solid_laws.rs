//! Laws of contact between solids, and of solids with bodies, from scenes: every law of bodies, against closed forms.

use crate::common::run::{field, finish, read, refused, start};
use delassus::dynamics::{After, BodyLaw, MEMORY, Meeting, StepLaw};
use delassus::record::{Options as RecordOptions, Recorder, Run};
use delassus::scene::{Built, example};
use delassus::simulation::{Options, Simulation};
use std::sync::Arc;

/// A block of solid on a rigid floor, pressed by 1 MPa and dragged by its top.
const DRAGGED: &str = r#"
dimension = 2
gravity = [0, 0]
[time]
step = 0.1
end = 1
[analysis]
scheme = "quasi_static"
[mesh.block]
kind = "block"
size = [0.3, 0.1]
cells = [6, 3]
[material.rubber]
young = 1e8
poisson = 0.3
[solid.block]
thickness = 2
[support.top]
on = "block/top"
x = "0.02*t"
y = -1e-3
[contact.floor]
slave = "block/bottom"
obstacle.half_space = {}
law.tresca = 2e5
"#;

/// Tresca: dragged far enough the floor holds the block with the bound times the area, whatever presses it;
/// statically by both paths, and in motion.   closed form
#[test]
fn tresca_holds_by_its_bound_times_the_area() {
    for changes in [
        vec![],
        vec!["support.top.y=-2e-3"],
        vec!["analysis.path=condensed"],
        vec!["contact.floor.multipliers=p0"],
        vec!["analysis.scheme=theta", "material.rubber.density=1e-3", "support.top.y='-1e-3*min(1,10*t)'"],
    ] {
        let mut run = finish(DRAGGED, &changes);
        let force = field(&mut run, "contact/floor/tangential_force");
        assert!((force[0] + 2e5 * 0.3 * 2.0).abs() < 1e-6 * 1.2e5, "{changes:?}: {force:?} N");
        let status = field(&mut run, "contact/floor/normal_force");
        assert!(status[0] > 0.0, "{changes:?}");
    }
    let told = refused(DRAGGED, &["contact.floor.friction=0.3"]);
    assert!(told.contains("leave it out beside `law`"), "{told}");
    let told = refused(DRAGGED, &["contact.floor.law={rolling=0.1}"]);
    assert!(told.contains("no rotation"), "{told}");
}

/// Cohesion: pulled off, the floor holds up to the traction times the area, then nothing.   closed form
#[test]
fn cohesion_holds_its_traction_times_the_area() {
    for path in ["nested", "condensed"] {
        let changes = [
            "support.top.y='2e-3*t'".to_owned(),
            "support.top.x=0".into(),
            "material.rubber.poisson=0".into(),
            "contact.floor.law={cohesion=1e6}".into(),
            "time.step=0.01".into(),
            format!("analysis.path={path}"),
        ];
        let changes: Vec<&str> = changes.iter().map(String::as_str).collect();
        let mut run = start(DRAGGED, &changes);
        let (mut most, mut last) = (0.0f64, 0.0);
        while !run.is_over() {
            run.step().unwrap_or_else(|e| panic!("{path}: {e}"));
            last = -field(&mut run, "contact/floor/normal_force")[0];
            // Elastic until it breaks: E/L per area, 0.6 m².
            let elastic = 1e8 / 0.1 * 2e-3 * run.time() * 0.6;
            assert!((last - elastic).abs() < 1e-6 * elastic || most >= 0.98 * 6e5, "{path}: {last}, not {elastic} N");
            most = most.max(last);
        }
        // Within the load of one step.
        assert!((6e5 - 1.2e4..=6e5 * (1.0 + 1e-9)).contains(&most), "{path}: {most} N");
        assert_eq!(last, 0.0, "{path}: broken");
    }
}

/// Adhesion: the traction grows to √(w c) and the work of pulling off is w, each times the area, to the order of
/// the step; statically and in motion, against an obstacle and between solids.   [RaousCangemiCocu99], closed form
#[test]
fn adhesion_breaks_with_its_energy_by_area() {
    // c = 1e9 Pa/m, w = 1e3 J/m²: 1 MPa at 1 mm, on a block stiff enough not to snap.
    let law = "contact.floor.law={adhesion={normal_stiffness=1e9,tangential_stiffness=0,energy=1e3}}";
    let pull = ["support.top.x=0", "material.rubber.poisson=0", "material.rubber.young=1e10", "mesh.block.cells=[2,1]"];
    let mut errors = vec![];
    for (scheme, h) in [("quasi_static", 0.01), ("quasi_static", 0.005), ("theta", 0.005)] {
        let (scheme_key, step) = (format!("analysis.scheme={scheme}"), format!("time.step={h}"));
        let density = "material.rubber.density=1e-3";
        let mut changes = vec!["support.top.y='1e-2*t'", law, &scheme_key, &step, density];
        changes.extend(pull);
        let mut run = start(DRAGGED, &changes);
        let (mut most, mut work, mut before) = (0.0f64, 0.0, 0.0);
        while !run.is_over() {
            run.step().unwrap_or_else(|e| panic!("{scheme}: {e}"));
            let force = -field(&mut run, "contact/floor/normal_force")[0];
            work += 0.5 * (force + before) * 1e-2 * h;
            (most, before) = (most.max(force), force);
        }
        let area = 0.6;
        assert!(most <= 1e6 * area * 1.001 && most > 1e6 * area * (1.0 - 20.0 * h), "{scheme} {h}: {most} N");
        // What is left at the end of the tail: w²/(2 c u²).
        let tail = 1e6 / (2.0 * 1e9 * 1e-4) * area;
        errors.push(work + tail - 1e3 * area);
        assert!((work + tail - 1e3 * area).abs() < 1e3 * area * 12.0 * h, "{scheme} {h}: {work} J");
        // The bottom moves less than the top, by 1e6/1e10 · 0.1 m.
        let adhesion = field(&mut run, "work/adhesion")[0];
        assert!((adhesion + work).abs() < 0.02 * work, "{scheme} {h}: {adhesion} and {work} J");
    }
    assert!(errors[1].abs() < 0.7 * errors[0].abs(), "of order one in the step: {errors:?}");
}

/// A block of space, pressed and dragged by its top along 30° from the axis.
const DRAGGED_IN_SPACE: &str = r#"
dimension = 3
gravity = [0, 0, 0]
[time]
step = 0.1
end = 1
[analysis]
scheme = "quasi_static"
[mesh.block]
kind = "block"
size = [0.2, 0.2, 0.1]
cells = [2, 2, 1]
[material.rubber]
young = 1e8
poisson = 0
[solid.block]
[support.top]
on = "block/top"
x = "0.02*cos(pi/6)*t"
y = "0.02*sin(pi/6)*t"
z = -1e-3
[contact.floor]
slave = "block/bottom"
obstacle.half_space = {}
"#;

/// Sliding one way for long, a cone over a section holds with the force of largest dissipation: for an ellipse
/// `M² v/|M v|`, for a polygon the corner that is farthest against the motion.   [Moreau86], closed forms
#[test]
fn solids_slide_on_cones_that_are_not_round() {
    let (c, s) = (30f64.to_radians().cos(), 30f64.to_radians().sin());
    let (a, b) = (0.2, 0.5);
    let size = (a * c).hypot(b * s);
    for (law, wanted) in [
        ("anisotropic={axis=[1,0,0],along=0.2,across=0.5}", [-a * a * c / size, -b * b * s / size]),
        ("polygon={axis=[1,0,0],vertices=[[0.5,0],[-0.1,0.3],[-0.3,-0.1],[0,-0.4]]}", [-0.3, -0.1]),
        ("polygon={axis=[0,1,0],vertices=[[0.5,0],[-0.1,0.3],[-0.3,-0.1],[0,-0.4]]}", [-0.3, -0.1]),
    ] {
        let mut run = finish(DRAGGED_IN_SPACE, &[&format!("contact.floor.law={{{law}}}")]);
        let (n, t) =
            (field(&mut run, "contact/floor/normal_force")[0], field(&mut run, "contact/floor/tangential_force"));
        assert!((n - 1e8 * 0.01 * 0.04).abs() < 1e-6 * n, "{n} N");
        // Turned by 90°: along y is (x, y) = (−second, first).
        let wanted = if law.contains("[0,1,0]") {
            let list = [[0.5, 0.0], [-0.1, 0.3], [-0.3, -0.1], [0.0, -0.4f64]].map(|d| [-d[1], d[0]]);
            let against = |d: &[f64; 2]| -d[0] * c - d[1] * s;
            list.into_iter().max_by(|p, q| against(p).total_cmp(&against(q))).expect("corners")
        } else {
            wanted
        };
        assert!((t[0] - n * wanted[0]).hypot(t[1] - n * wanted[1]) < 1e-5 * n, "{law}: {t:?}, not {wanted:?} × {n}");
    }
}

/// In the plane: other coefficients one way than the other, by the coefficient of the way it slides; at rest and
/// in motion, first the one then the other.   closed forms
#[test]
fn solids_on_a_ratchet_and_with_friction_at_rest() {
    let ratchet = "contact.floor.law={directional={axis=[1,0],forwards=0.1,backwards=0.4}}";
    for (x, mu) in [("support.top.x='0.02*t'", -0.1), ("support.top.x='-0.02*t'", 0.4)] {
        let mut run = finish(DRAGGED, &[ratchet, x, "material.rubber.poisson=0"]);
        let n = field(&mut run, "contact/floor/normal_force")[0];
        let t = field(&mut run, "contact/floor/tangential_force")[0];
        assert!((t - mu * n).abs() < 1e-6 * n, "{x}: {t} of {n} N");
    }
    let law = "contact.floor.law={friction=0.2,static_friction=0.4}";
    let mut run = start(DRAGGED, &[law, "time.step=0.005", "mesh.block.cells=[1,1]", "material.rubber.poisson=0"]);
    let mut largest = 0.0f64;
    while !run.is_over() {
        run.step().expect("a step");
        let n = field(&mut run, "contact/floor/normal_force")[0];
        let t = -field(&mut run, "contact/floor/tangential_force")[0];
        largest = largest.max(t / n);
    }
    let n = field(&mut run, "contact/floor/normal_force")[0];
    let t = -field(&mut run, "contact/floor/tangential_force")[0];
    assert!(largest <= 0.4 + 1e-6 && largest > 0.3, "{largest}");
    assert!((t - 0.2 * n).abs() < 1e-6 * n, "{t} of {n} N");
}

/// A block on a belt, held by a spring: it sticks and slips with the period of P9, as a solid on an obstacle, as a
/// solid on a body. It is thin: what its inertia takes from the pressure of one end would break that end early.
/// Reference: the closed form of a body on a body
#[test]
fn a_solid_chatters_on_a_belt_as_a_body_does() {
    let solid = r#"
dimension = 2
gravity = [0, -10]
[time]
step = 1e-3
end = 4
[analysis]
scheme = "moreau_jean"
theta = 0.6
[mesh.block]
kind = "block"
size = [0.2, 0.005]
cells = [1, 1]
[material.rubber]
density = 1000
young = 1e7
[solid.block]
material = "rubber"
velocity = [0.1, 0]
[spring.hold]
on = "block/bottom"
axis = "x"
stiffness = 100
rest = -0.03
[observe.block]
on = "block/bottom"
"#;
    let pair = "[contact.belt]\nslave = \"block/bottom\"\nobstacle.half_space = {}\nmotion = [\"0.1*t\", 0]\n\
                collocation = \"nodes\"\nlaw = { friction = 0.4, static_friction = 0.6 }\n";
    let body = "[material.belt]\n[body.belt]\nshape.half_plane = {}\nmaterial = \"belt\"\nmotion.constant.velocity = [0.1, 0]\n\
                [law]\nfriction = 0.4\nstatic_friction = 0.6\n";
    for end in [pair, body] {
        let mut run = start(&format!("{solid}{end}"), &[]);
        let (mut breaks, mut stuck) = (vec![], true);
        while !run.is_over() {
            run.step().unwrap_or_else(|e| panic!("{e}"));
            let v = field(&mut run, "probes/block/velocity")[0];
            let slides = (v - 0.1).abs() > 2e-2;
            if slides && stuck {
                breaks.push(run.time());
            }
            stuck = !slides;
        }
        let n = breaks.len() - 1;
        let period = (breaks[n] - breaks[0]) / n as f64;
        assert!(n >= 3 && (period - 0.8068887871591405).abs() <= 2e-3, "{period} {breaks:?}\n{end}");
    }
}

/// A law of the user between solids: friction that grows with what was slipped.
#[derive(Debug)]
struct Wearing;

impl BodyLaw for Wearing {
    fn step_law(&self, meeting: &Meeting) -> StepLaw {
        StepLaw::coulomb(0.1 + 10.0 * meeting.memory[0], meeting)
    }

    fn remember(&self, meeting: &Meeting, after: &After, memory: &mut [f64; MEMORY]) {
        memory[0] = meeting.memory[0] + after.slip[0].abs();
    }
}

/// Reference: what the law says of the slip so far, which lags behind the drag by the shear of the block.
#[test]
fn a_law_of_the_user_between_solids() {
    let Ok(Built::Plane(setup)) = read(DRAGGED, &["material.rubber.poisson=0", "mesh.block.cells=[1,1]"]).build()
    else {
        panic!("a scene of the plane")
    };
    let solids = setup.solids.expect("solids");
    let mut model = solids.model.clone();
    model.laws.insert("floor".into(), Arc::new(Wearing));
    let mut world = delassus::fem::world_of::<2>(model, solids.settings).expect("a world");
    for _ in 0..10 {
        world.step().expect("a step");
    }
    let (mut n, mut t) = (0.0, 0.0);
    for point in world.points() {
        n += point.stress[0] * point.area;
        t += point.stress[1] * point.area;
    }
    let slipped = world.state().contacts[0].memory[0];
    // One step of 2 mm before, the force is that of the slip so far.
    let mu = 0.1 + 10.0 * (slipped - 2e-3);
    assert!(slipped > 0.01 && (t.abs() / n - mu).abs() < 0.02 * mu, "{} of {n} N, slipped {slipped} m", t);
}

/// n + m steps equal n steps, save, load, m steps, to the bit, with laws that remember.
#[test]
fn restarts_with_laws_of_solids() {
    let folder = std::env::temp_dir().join(format!("delassus-{}-laws", std::process::id()));
    std::fs::create_dir_all(&folder).expect("writable");
    let glue = "contact.floor.law={friction=0.2,adhesion={normal_stiffness=1e9,tangential_stiffness=1e9,energy=1e3}}";
    for (i, changes) in [
        vec!["contact.floor.law={tresca=2e5}"],
        vec![glue, "analysis.path=condensed"],
        vec!["contact.floor.law={friction=0.2,static_friction=0.4}"],
        vec!["contact.floor.law={cohesion=1e5,friction=0.2}"],
    ]
    .into_iter()
    .enumerate()
    {
        let path = folder.join(format!("{i}.h5"));
        let scene = read(DRAGGED, &changes);
        let mut whole = Simulation::new(&scene, &Options::default()).expect("a scene");
        let mut recorder = Recorder::create(&path, whole.header(), &RecordOptions::default()).expect("a run file");
        let mut frame = whole.header().frame();
        for _ in 0..10 {
            whole.fill(&mut frame).expect("filled");
            recorder.write(&frame).expect("recorded");
            whole.step().unwrap_or_else(|e| panic!("{changes:?}: {e}"));
        }
        recorder.finish().expect("closed");
        let run = Run::open(&path).expect("a run");
        let mut again = Simulation::new(&scene, &Options::default()).expect("a scene");
        again.restore(&run, 5).expect("restored");
        for _ in 5..10 {
            again.step().expect("a step");
        }
        assert_eq!(again.state().hash_hex(), whole.state().hash_hex(), "{changes:?}");
    }
    let _ = std::fs::remove_dir_all(&folder);
}

/// The numbers of the scenes: 50 MPa over 0.1 m; the energy of clamped beams at the crack of the energy of the glue,
/// to the order of the step.   closed forms
#[test]
fn a_strip_is_drawn_and_arms_are_peeled() {
    let text = |name: &str| example(name).expect("in the gallery").text;
    let force = field(&mut finish(text("strip_drawing"), &[]), "contact/die/tangential_force")[0];
    assert!((force + 5e6).abs() < 1e-6 * 5e6, "{force} N");
    let mut run = finish(text("cohesive_peeling"), &[]);
    let strain = field(&mut run, "energy/strain")[0];
    assert!((strain - 7.9).abs() < 0.1 * 7.9, "{strain} J");
}
