//! Scenes that simulators are known to get wrong, with their analytic answers.

use crate::common::*;
use delassus_contact::{Shape2, Shape3, Vector};
use delassus_rigid::{BodySpec, Interaction, Joint, JointKind, Load, Mass, StepSettings};

/// A capsule pinched between a wall and a plate under gravity, far inside the friction cone,
/// does not creep at all.
#[test]
fn a_pinched_capsule_does_not_creep() {
    let mut parts = floor3([0.0, 0.0, -G].into(), Interaction::coulomb(0.6));
    parts.bodies[0].shapes[0].shape = Shape3::half_space([1.0, 0.0, 0.0]).expect("a normal");
    let capsule = BodySpec::dynamic("capsule", Mass::principal(1.0, [0.01, 0.01, 0.002])).at([0.05, 0.0, 0.0].into());
    parts.bodies.push(capsule.shape(Shape3::capsule(0.1, 0.05).expect("a capsule")));
    let plate = BodySpec::dynamic("plate", Mass::cuboid(2.0, [0.1, 0.6, 0.6])).at([0.15, 0.0, 0.0].into());
    parts.bodies.push(plate.shape(Shape3::cuboid([0.1, 0.6, 0.6]).expect("sides")));
    parts.joints.push(Joint::new(JointKind::Slider, [Some(2), None], [0.15, 0.0, 0.0].into()));
    parts.loads.push(Load::parse(2, ["-50", "0", "0"], &[]).expect("expressions"));
    let mut sim = sim3(parts, StepSettings { tolerance: 1e-8, ..settings(1e-3) });
    let start = sim.state().q.clone();
    for _ in 0..1000 {
        sim.step().expect("converges");
    }
    assert_eq!(sim.state().q, start, "not a bit");
    assert!(sim.state().u.iter().all(|u| *u == 0.0));
}

/// A cube slides fast with μ = 0.5: it decelerates at μ g and does not lift.
#[test]
fn a_sliding_cube_does_not_lift() {
    let mut parts = floor3([0.0, 0.0, -G].into(), Interaction::coulomb(0.5));
    let cube = BodySpec::homogeneous("cube", 1000.0).at([0.0, 0.0, 0.05].into()).moving([10.0, 0.0, 0.0].into());
    parts.bodies.push(cube.shape(Shape3::cuboid([0.1; 3]).expect("sides")));
    let mut sim = sim3(parts, StepSettings { tolerance: 1e-10, ..settings(1e-3) });
    for _ in 0..1000 {
        sim.step().expect("converges");
        assert!((sim.state().q[9] - 0.05).abs() < 1e-9, "z = {}", sim.state().q[9]);
    }
    let u = &sim.state().u[6..];
    assert!((u[0] - (10.0 - 0.5 * G)).abs() < 1e-6, "{}", u[0]);
    assert!(u[3..].iter().all(|w| w.abs() < 1e-6), "{u:?}");
}

/// A body that slides on a plane floats at no steady gap `h μ v`.
#[test]
fn a_sliding_body_does_not_float() {
    for h in [1e-2, 1e-3] {
        let mut parts = floor2([0.0, -G].into(), Interaction::coulomb(0.3));
        parts.bodies.push(particle2([0.0, 0.0], [20.0, 0.0]));
        let mut sim = sim2(parts, settings(h));
        for _ in 0..200 {
            sim.step().expect("converges");
            assert_eq!(sim.state().q[4], 0.0);
        }
    }
}

/// A motionless cube on three or four contacts costs few iterations, and stays.
#[test]
fn a_cube_at_rest_is_cheap() {
    let mut parts = floor3([0.0, 0.0, -G].into(), Interaction::coulomb(0.5));
    let cube = BodySpec::homogeneous("cube", 1000.0).at([0.0, 0.0, 0.05].into());
    parts.bodies.push(cube.shape(Shape3::cuboid([0.1; 3]).expect("sides")));
    let mut sim = sim3(parts, settings(1e-3));
    for i in 0..100 {
        let report = sim.step().expect("converges");
        assert!(report.iterations < 60 && (i == 0 || report.iterations <= 2), "{}", report.iterations);
        assert!(sim.state().u.iter().all(|u| *u == 0.0), "{:?}", &sim.state().u[6..]);
    }
}

/// A wall of bricks at rest stays, to the last bit.
#[test]
fn a_wall_of_bricks_stands_still() {
    let mut parts = floor2([0.0, -G].into(), Interaction::coulomb(0.5));
    for row in 0..4u32 {
        for k in 0..4u32 {
            let x = 1.01 * f64::from(k) + if row % 2 == 0 { 0.0 } else { 0.4 };
            let brick = BodySpec::homogeneous(format!("{row}-{k}"), 1.0).at([x, 0.25 + 0.5 * f64::from(row)].into());
            parts.bodies.push(brick.shape(Shape2::rectangle(1.0, 0.5).expect("sides")));
        }
    }
    let mut sim = sim2(parts, StepSettings { tolerance: 1e-8, ..settings(1e-3) });
    let start = sim.state().q.clone();
    for _ in 0..200 {
        sim.step().expect("converges");
    }
    assert_eq!(sim.state().q, start);
    let _: Vector<2> = Vector::<2>::zeros();
}
