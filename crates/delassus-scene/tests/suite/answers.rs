//! Scenes of the gallery run to their end give the answers written at their head.

use delassus_contact::Dim;
use delassus_rigid::{Kinematics, State, simulate};
use delassus_scene::{Built, Scene, Setup, example};

/// The last state, the most iterations of a step, the deepest penetration.
struct Outcome {
    state: State,
    bodies: Vec<String>,
    coordinates: usize,
    iterations: usize,
    penetration: f64,
}

impl Outcome {
    fn q(&self, name: &str) -> &[f64] {
        let body = self.bodies.iter().position(|b| b == name).expect("a body of this name");
        &self.state.q[self.coordinates * body..self.coordinates * (body + 1)]
    }
}

fn outcome<const D: usize>(setup: Setup<D>) -> Outcome
where
    Dim<D>: Kinematics<D>,
{
    let (steps, tolerance) = (setup.clock.steps, setup.settings.tolerance);
    let bodies = setup.model.bodies().iter().map(|b| b.name.to_string()).collect();
    let mut run = simulate(setup.model, setup.state, setup.settings).expect("accepted");
    let (mut iterations, mut penetration) = (0, 0f64);
    for _ in 0..steps {
        let report = run.step().expect("a step");
        assert!(report.residual <= tolerance, "step {}: {}", report.step, report.residual);
        iterations = iterations.max(report.iterations);
        penetration = penetration.max(report.max_penetration);
    }
    Outcome { state: run.state().clone(), bodies, coordinates: if D == 2 { 3 } else { 7 }, iterations, penetration }
}

fn run(name: &str) -> Outcome {
    let example = example(name).expect("in the gallery");
    match Scene::parse(example.text, name, &[]).and_then(|s| s.build()).expect("valid") {
        Built::Plane(setup) => outcome(*setup),
        Built::Space(setup) => outcome(*setup),
    }
}

fn near(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value} is not {expected} within {tolerance}");
}

/// P4: stops after 1.594929 m within a h²/8, and is then exactly at rest.
#[test]
fn incline_stops_and_rests() {
    let end = run("incline");
    near(end.q("block")[0], 1.5949285114815, 1.2539746989300709 * 1e-6 / 8.0);
    assert_eq!(end.state.u[3..6], [0.0; 3]);
}

/// P2: radius 1.0240915 after 5 s, the drift of the scheme itself.
#[test]
fn particle_in_a_circle_drifts_as_the_scheme_says() {
    let end = run("point_in_circle");
    let q = end.q("particle");
    near(q[0].hypot(q[1]), 1.0240915204525038, 1e-6);
}

/// P3: within h of the closed form at t = 0.6 s.
#[test]
fn particle_leaves_the_hill() {
    let end = run("sphere_slide");
    near(end.q("particle")[0], 1.094240295770161, 1e-3);
    near(end.q("particle")[1], 0.1401849225113746, 1e-3);
}

/// I5: one shock shared by all contacts.
#[test]
fn cradle_follows_moreau() {
    let end = run("cradle");
    // The velocities after the shock, from the distances between balls at the end.
    let u: Vec<f64> = (0..5).map(|b| end.state.u[3 * b]).collect();
    let striker = end.bodies.iter().position(|b| b == "striker").expect("there");
    for (b, v) in u.iter().enumerate() {
        near(*v, if b == striker { -0.6 } else { 0.4 }, 1e-7);
    }
}

/// A capsule far inside the friction cone does not creep: what is left is round-off.
#[test]
fn pinched_capsule_does_not_creep() {
    let end = run("pinched_capsule");
    near(end.q("capsule")[2], 0.0, 1e-12);
}

/// A cube sliding fast stays on the ground and stops after v²/(2 μ g).
#[test]
fn sliding_cube_does_not_lift() {
    let end = run("sliding_cube");
    near(end.q("cube")[2], 0.1, 1e-8);
    near(end.q("cube")[0], 100.0 / 9.81, 1e-5);
    assert!(end.penetration < 1e-8, "{}", end.penetration);
}

/// A body pulled along a plane neither floats nor sinks.
#[test]
fn sled_does_not_float() {
    let end = run("no_floating_gap");
    near(end.q("sled")[1], 0.05, 1e-12);
    near(end.q("sled")[0], 10.0, 1e-9);
}

/// A cube at rest on three contacts costs a few iterations and does not move.
#[test]
fn cube_on_three_contacts_is_cheap() {
    let end = run("cube_on_three_contacts");
    assert!(end.iterations < 100, "{}", end.iterations);
    assert!(end.state.u.iter().all(|u| *u == 0.0));
    near(end.q("cube")[2], 0.2, 1e-12);
}

/// Reference: u = 0. The tower has more contacts than conjugate gradients are tried on, and
/// stands from the start: its planks must come to rest exactly, long before the ball arrives.
#[test]
fn kapla_tower_rests_exactly() {
    let example = example("kapla_tower").expect("in the gallery");
    let built = Scene::parse(example.text, "kapla_tower", &[]).and_then(|s| s.build()).expect("valid");
    let Built::Space(setup) = built else { panic!("a scene of space") };
    let bodies: Vec<String> = setup.model.bodies().iter().map(|b| b.name.to_string()).collect();
    let mut run = simulate(setup.model, setup.state, setup.settings).expect("accepted");
    for _ in 0..40 {
        run.step().expect("a step");
    }
    let report = run.step().expect("a step");
    assert!(report.contacts > 400 && report.iterations <= 1, "{} contacts, {}", report.contacts, report.iterations);
    for (u, name) in run.state().u.chunks(6).zip(&bodies).filter(|(_, name)| *name != "ball") {
        assert_eq!(u, [0.0; 6], "{name}");
    }
}
