//! Joints: pendulum, slider-crank, motors, limits, rods, springs.

use crate::common::*;
use delassus_contact::Vector;
use delassus_rigid::{
    BodySpec, Correction, Interactions, Joint, JointKind, Load, Mass, ModelParts, Motor, Profile, RigidModel, Spring,
    StepSettings, unstable,
};

fn empty(gravity: [f64; 2]) -> ModelParts<2> {
    let mut parts = ModelParts::new(gravity.into());
    parts.interactions = Interactions::default();
    parts
}

/// Complete elliptic integral of the first kind, by the arithmetic-geometric mean.
fn elliptic(k: f64) -> f64 {
    let (mut a, mut g): (f64, f64) = (1.0, (1.0 - k * k).sqrt());
    while (a - g).abs() > 1e-15 {
        (a, g) = (0.5 * (a + g), (a * g).sqrt());
    }
    std::f64::consts::FRAC_PI_2 / a
}

/// Compound pendulum of amplitude 1 rad: `T = 4 √(I/(m g l)) K(sin ½)`, order two.
#[test]
fn pendulum_period_by_the_elliptic_integral() {
    let (m, l, own, amplitude) = (2.0, 0.5, 0.1, 1.0f64);
    let wanted = 4.0 * ((own + m * l * l) / (m * G * l)).sqrt() * elliptic((0.5 * amplitude).sin());
    let error = |h: f64| {
        let mut parts = empty([0.0, -G]);
        let start = [l * amplitude.sin(), -l * amplitude.cos()];
        parts.bodies.push(BodySpec::dynamic("bob", Mass::plane(m, own)).at(start.into()));
        parts.joints.push(Joint::new(JointKind::Hinge, [Some(0), None], [0.0, 0.0].into()));
        let mut sim = sim2(parts, settings(h));
        let (mut crossings, mut last) = (vec![], (0.0, start[0]));
        while crossings.len() < 5 {
            sim.step().expect("converges");
            let (t, x) = (sim.state().time, sim.state().q[0]);
            if x.signum() != last.1.signum() {
                crossings.push(last.0 + (t - last.0) * last.1 / (last.1 - x));
            }
            last = (t, x);
        }
        ((crossings[4] - crossings[0]) / 2.0 - wanted, sim.report().joint_drift)
    };
    let ((coarse, _), (fine, drift)) = (error(4e-3), error(2e-3));
    assert!(fine.abs() < 1e-4, "{fine:.3e}");
    assert!(fine.abs() < 0.35 * coarse.abs(), "order two: {coarse:.3e} {fine:.3e}");
    assert!(drift < 1e-4, "{drift:.3e}");
}

/// Slider-crank driven at constant speed: `x = r cos θ + √(l² − r² sin² θ)`.
#[test]
fn slider_crank_follows_its_closed_form() {
    let (r, l, rate, h) = (0.1, 0.3, 10.0, 1e-4);
    let mut parts = empty([0.0, -G]);
    parts.bodies.push(BodySpec::dynamic("crank", Mass::plane(1.0, 0.001)).at([0.5 * r, 0.0].into()));
    parts.bodies.push(BodySpec::dynamic("rod", Mass::plane(0.5, 0.004)).at([r + 0.5 * l, 0.0].into()));
    parts.bodies.push(BodySpec::dynamic("piston", Mass::plane(2.0, 0.01)).at([r + l, 0.0].into()));
    let spec = &mut parts.bodies;
    spec[0] = spec[0].clone().spinning([0.0, 0.0, rate]).moving([0.0, 0.5 * r * rate].into());
    let swing = -r * rate / l;
    spec[1] = spec[1].clone().spinning([0.0, 0.0, swing]).moving([0.0, 0.5 * r * rate].into());
    parts.joints.push(
        Joint::new(JointKind::Hinge, [Some(0), None], [0.0, 0.0].into()).driven(Profile::Velocity(rate), f64::INFINITY),
    );
    parts.joints.push(Joint::new(JointKind::Hinge, [Some(1), Some(0)], [r, 0.0].into()));
    parts.joints.push(Joint::new(JointKind::Hinge, [Some(2), Some(1)], [r + l, 0.0].into()));
    parts.joints.push(Joint::new(JointKind::Slider, [Some(2), None], [r + l, 0.0].into()).about([1.0, 0.0].into()));
    let mut sim = sim2(parts, settings(h));
    let mut worst = 0.0f64;
    while sim.state().time < 0.7 {
        sim.step().expect("converges");
        let theta = rate * sim.state().time;
        let x = r * theta.cos() + (l * l - (r * theta.sin()).powi(2)).sqrt();
        worst = worst.max((sim.state().q[6] - x).abs());
    }
    assert!(worst < 2e-5, "{worst:.3e}");
    assert!(sim.report().joint_drift < 2e-5, "{:.3e}", sim.report().joint_drift);
    assert!(sim.report().energy.closing.abs() < 1e-12);
}

/// The drift of a fast pendulum grows without the correction and stays small with it.
#[test]
fn the_position_correction_says_what_it_does() {
    let run = |correction: Option<Correction>| {
        let mut parts = empty([0.0, 0.0]);
        let bob = BodySpec::dynamic("bob", Mass::plane(1.0, 0.01)).at([1.0, 0.0].into());
        parts.bodies.push(bob.moving([0.0, 5.0].into()).spinning([0.0, 0.0, 5.0]));
        parts.joints.push(Joint::new(JointKind::Hinge, [Some(0), None], [0.0, 0.0].into()));
        let mut sim = sim2(parts, StepSettings { correction, ..settings(1e-2) });
        for _ in 0..2000 {
            sim.step().expect("converges");
        }
        (sim.report().joint_drift, sim.report().corrected)
    };
    let (free, nothing) = run(None);
    let (held, told) = run(Some(Correction::default()));
    assert!(nothing.is_none());
    assert!(held < 0.1 * free, "{held:.2e} {free:.2e}");
    assert!(told.expect("a report").displacement > 0.0);
}

/// A motor of limited torque turns a wheel: `α = τ/I` until its speed is reached.
#[test]
fn a_motor_gives_no_more_than_its_torque() {
    let mut parts = empty([0.0, 0.0]);
    parts.bodies.push(BodySpec::dynamic("wheel", Mass::plane(1.0, 0.5)));
    let mut joint = Joint::new(JointKind::Hinge, [Some(0), None], [0.0, 0.0].into());
    joint.motor = Some(Motor { profile: Profile::Velocity(3.0), limit: 2.0, gains: None });
    parts.joints.push(joint);
    let mut sim = sim2(parts, settings(1e-3));
    for _ in 0..500 {
        sim.step().expect("converges");
    }
    assert!((sim.state().u[2] - 2.0).abs() < 1e-9, "{}", sim.state().u[2]);
    for _ in 0..500 {
        sim.step().expect("converges");
    }
    assert!((sim.state().u[2] - 3.0).abs() < 1e-12);
}

/// A wheel on a hinge with a controller, at rest at 0.
fn controlled(gains: [f64; 2], limit: f64, target: f64, h: f64) -> delassus_rigid::World<2, 2> {
    let mut parts = empty([0.0, 0.0]);
    parts.bodies.push(BodySpec::dynamic("wheel", Mass::plane(1.0, 0.5)));
    let mut joint = Joint::new(JointKind::Hinge, [Some(0), None], [0.0, 0.0].into());
    let profile = Profile::expression(&format!("{target}")).expect("a number");
    joint.motor = Some(Motor { profile, limit, gains: Some(gains) });
    parts.joints.push(joint);
    sim2(parts, settings(h))
}

/// Critically damped, `ω² = p/I`, `d = 2 I ω`: θ = q (1 − (1 + ω t) exp(−ω t)), reached with the first order.
#[test]
fn a_controller_follows_its_differential_equation() {
    let (inertia, w, q) = (0.5, 8.0, 0.7);
    let error = |h: f64| {
        let mut sim = controlled([inertia * w * w, 2.0 * inertia * w], f64::INFINITY, q, h);
        let mut worst = 0.0f64;
        while sim.state().time < 1.0 {
            sim.step().expect("converges");
            let t = sim.state().time;
            worst = worst.max((sim.state().q[2] - q * (1.0 - (1.0 + w * t) * (-w * t).exp())).abs());
        }
        assert!(sim.report().energy.closing.abs() < 1e-12);
        worst
    };
    let (coarse, fine) = (error(2e-3), error(1e-3));
    assert!((1.8..2.2).contains(&(coarse / fine)), "{coarse:.3e} {fine:.3e}");
    assert!(fine < 5e-3, "{fine:.3e}");
}

/// A controller a million times stiffer than the step could bear explicitly stays where it should, and one of limited
/// torque gives no more than that.
#[test]
fn a_controller_is_stable_and_limited() {
    let mut sim = controlled([1e9, 1e5], f64::INFINITY, 0.7, 1e-2);
    for _ in 0..200 {
        sim.step().expect("converges");
        assert!(sim.state().q[2].abs() < 1.5, "{}", sim.state().q[2]);
    }
    assert!((sim.state().q[2] - 0.7).abs() < 1e-9 && sim.state().u[2].abs() < 1e-9, "{:?}", sim.state().q);
    let mut sim = controlled([1e4, 10.0], 2.0, 3.0, 1e-3);
    for _ in 0..500 {
        sim.step().expect("converges");
    }
    // α = τ/I = 4 rad/s² as long as the target is far.
    assert!((sim.state().u[2] - 2.0).abs() < 1e-9, "{}", sim.state().u[2]);
}

/// An arm held against gravity settles where p (q − θ) = m g l cos θ, and stays: no creep.
#[test]
fn a_controlled_arm_settles_without_creep() {
    let (m, l, p) = (1.0, 0.5, 40.0);
    let mut parts = empty([0.0, -G]);
    parts.bodies.push(BodySpec::dynamic("arm", Mass::plane(m, 0.02)).at([l, 0.0].into()));
    let mut joint = Joint::new(JointKind::Hinge, [Some(0), None], [0.0, 0.0].into());
    joint.motor =
        Some(Motor { profile: Profile::expression("0.2").expect("a number"), limit: 20.0, gains: Some([p, 8.0]) });
    parts.joints.push(joint);
    let mut sim = sim2(parts, settings(1e-3));
    for _ in 0..6000 {
        sim.step().expect("converges");
    }
    let angle = sim.state().q[2];
    assert!((p * (0.2 - angle) - m * G * l * angle.cos()).abs() < 1e-6, "{angle}");
    for _ in 0..6000 {
        sim.step().expect("converges");
    }
    assert!((sim.state().q[2] - angle).abs() < 1e-9, "{:.3e}", sim.state().q[2] - angle);
    assert!(sim.state().u[2].abs() < 1e-9, "{:.3e}", sim.state().u[2]);
}

/// A pendulum against a stop: a limit is a unilateral contact, inelastic.
#[test]
fn a_limit_stops_the_hinge() {
    let mut parts = empty([0.0, -G]);
    parts.bodies.push(BodySpec::dynamic("bob", Mass::plane(1.0, 0.01)).at([0.5, 0.0].into()));
    let joint = Joint::new(JointKind::Hinge, [Some(0), None], [0.0, 0.0].into()).limited(-0.3, 1.0);
    parts.joints.push(joint);
    let mut sim = sim2(parts, settings(1e-3));
    for _ in 0..2000 {
        sim.step().expect("converges");
    }
    let angle = sim.state().q[2];
    assert!((angle + 0.3).abs() < 1e-2, "{angle}");
    assert!(sim.state().u[2].abs() < 1e-9);
}

/// In space: a rod of fixed distance, a fixed joint, a hinge; what they hold stays held.
#[test]
fn joints_in_space_hold() {
    let mut parts = ModelParts::new(Vector::<3>::new(0.0, 0.0, -G));
    let body = |name: &str, x: f64| {
        BodySpec::dynamic(name, Mass::principal(1.0, [0.01, 0.02, 0.025])).at([x, 0.0, 0.0].into())
    };
    parts.bodies.extend([body("a", 0.5), body("b", 1.0), body("c", 1.5), body("d", 2.0)]);
    let hinge = Joint::new(JointKind::Hinge, [Some(0), None], Vector::<3>::zeros()).about([0.0, 1.0, 0.2].into());
    parts.joints.push(hinge);
    parts.joints.push(Joint::new(JointKind::Fixed, [Some(1), Some(0)], [0.75, 0.0, 0.0].into()));
    parts.joints.push(Joint::new(JointKind::Ball, [Some(2), Some(1)], [1.25, 0.0, 0.0].into()));
    parts.joints.push(Joint::distance([Some(3), Some(2)], [2.0, 0.0, 0.0].into(), [1.5, 0.0, 0.0].into()));
    let mut sim = sim3(parts, StepSettings { tolerance: 1e-10, ..settings(5e-4) });
    let mut energy = None;
    for _ in 0..2000 {
        let report = sim.step().expect("converges");
        assert!(report.energy.closing.abs() < 1e-11, "{:?}", report.energy);
        let total = report.energy.kinetic + report.energy.potential;
        let first = *energy.get_or_insert(total);
        assert!((total - first).abs() < 1e-2 * (1.0 + report.energy.kinetic), "{total} {first} {:?}", report.energy);
    }
    assert!(sim.report().joint_drift < 5e-3, "{:.3e}", sim.report().joint_drift);
}

/// An oscillator with a spring: explicit and implicit, frequency to order two; the implicit
/// one is stable far beyond `h ω = 2`.
#[test]
fn springs_explicit_and_implicit() {
    let run = |stiffness: f64, h: f64, implicit: bool, steps: usize| {
        let mut parts = empty([0.0, 0.0]);
        parts.bodies.push(BodySpec::dynamic("mass", Mass::plane(1.0, 1.0)).at([1.1, 0.0].into()));
        parts.springs.push(Spring {
            bodies: [Some(0), None],
            anchors: [[0.0; 2].into(); 2],
            stiffness,
            damping: 0.0,
            rest_length: 1.0,
            implicit,
        });
        let mut sim = sim2(parts, settings(h));
        for _ in 0..steps {
            let report = sim.step().expect("converges");
            assert!(report.energy.closing.abs() < 1e-12);
        }
        sim.state().q[0] - 1.0
    };
    for implicit in [false, true] {
        let error = |h: f64| (run(100.0, h, implicit, (1.0 / h).round() as usize) - 0.1 * 10f64.cos()).abs();
        let (coarse, fine) = (error(2e-3), error(1e-3));
        assert!(fine < 2e-3 && fine < 0.6 * coarse, "implicit {implicit}: {coarse:.2e} {fine:.2e}");
    }
    assert!(run(1e8, 1e-2, true, 1000).abs() <= 0.11, "stays bounded");
}

/// Beyond `h ω = 2` an explicit spring makes energy out of nothing: the run ends with an error, long before numbers
/// overflow; below it runs for ever. `unstable` finds the same limit, 2/ω, from the model.
#[test]
fn an_unstable_spring_ends_the_run() {
    let run = |omega: f64| {
        let h = 1e-3;
        let mut parts = empty([0.0, 0.0]);
        parts.bodies.push(BodySpec::dynamic("mass", Mass::plane(1.0, 1.0)).at([1.1, 0.0].into()));
        parts.springs.push(Spring {
            bodies: [Some(0), None],
            anchors: [[0.0; 2].into(); 2],
            stiffness: (omega / h).powi(2),
            damping: 0.0,
            rest_length: 1.0,
            implicit: false,
        });
        let model = RigidModel::new(parts.clone()).expect("a model");
        let found = unstable(&model, &model.initial_state(), h).expect("numbers");
        let mut sim = sim2(parts, settings(h));
        let start = sim.energies().potential;
        let ended = (0..20_000).find_map(|_| sim.step().err().map(|e| e.to_string()));
        (found.map(|f| f.limit), ended, sim.energies().total() / start)
    };
    let (limit, ended, _) = run(1.95);
    assert!(limit.is_none() && ended.is_none(), "{limit:?} {ended:?}");
    let (limit, ended, energy) = run(2.05);
    assert!((limit.expect("a limit") - 2e-3 / 2.05).abs() < 1e-9);
    assert!(ended.is_some_and(|e| e.contains("out of nothing") && e.contains("implicit = true")) && energy < 1e5);
}

/// A penalty by formula, far stiffer than the step allows, that begins to act during the run.
#[test]
fn a_force_that_turns_stiff_ends_the_run() {
    let mut parts = empty([0.0, 0.0]);
    let body = BodySpec::dynamic("mass", Mass::plane(1.0, 1.0)).at([0.1, 0.0].into()).moving([-1.0, 0.0].into());
    parts.bodies.push(body);
    parts.loads.push(Load::parse(0, ["-5e6*(x - abs(x))", "0"], &[]).expect("a formula"));
    let mut sim = sim2(parts, settings(1e-3));
    let error = (0..1000).find_map(|_| sim.step().err()).expect("an error").to_string();
    assert!(error.contains("`mass`") && error.contains("6.32e-4"), "{error}");
}
