//! Rotation in space: free and heavy tops.

use crate::common::*;
use delassus_contact::{Shape3, Vector};
use delassus_rigid::{BodySpec, Interaction, Interactions, Joint, JointKind, Mass, ModelParts};
use nalgebra::Vector3;

/// A free asymmetric body: angular momentum is conserved to round-off, energy to order two.
#[test]
fn free_top_keeps_its_angular_momentum() {
    let drift = |h: f64| {
        let mut parts = ModelParts::new(Vector::<3>::zeros());
        let spin = [0.1, 5.0, 0.2];
        parts.bodies.push(BodySpec::dynamic("top", Mass::principal(1.0, [1.0, 2.0, 2.8])).spinning(spin));
        let mut sim = sim3(parts, settings(h));
        let energy = |u: &[f64]| 0.5 * (u[3] * u[3] + 2.0 * u[4] * u[4] + 2.8 * u[5] * u[5]);
        let (e, l) = (energy(&sim.state().u), [0.1, 10.0, 0.56]);
        let mut worst = 0.0f64;
        for _ in 0..(10.0 / h) as usize {
            let report = sim.step().expect("no contact");
            for k in 0..3 {
                assert!((report.momenta.angular[k] - l[k]).abs() < 1e-11, "{:?}", report.momenta.angular);
            }
            assert!(report.energy.closing.abs() < 1e-13 * e);
            worst = worst.max((report.energy.kinetic - e).abs());
        }
        let q = &sim.state().q[3..7];
        assert!((q.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-13);
        worst
    };
    let (coarse, fine) = (drift(0.02), drift(0.01));
    assert!(fine < coarse / 3.6, "order two: {coarse:.2e} {fine:.2e}");
}

/// A heavy symmetric top on a ball joint in steady precession:
/// `I₁ Ω² cos θ − I₃ ω₃ Ω + m g l = 0`.
#[test]
fn heavy_top_precesses_at_the_rate_of_the_closed_form() {
    let (m, l, theta, i3, i1) = (1.0, 0.1, 0.5f64, 0.004, 0.003);
    // Moments at the pivot; the centre of mass has i1 − m l² less... given at the centre here.
    let pivot = i1 + m * l * l;
    let spin = 60.0;
    // Slow root of the quadratic.
    let (a, b, c) = ((pivot - i3) * theta.cos(), i3 * spin, m * G * l);
    let rate = 2.0 * c / (b + (b * b - 4.0 * a * c).sqrt());
    let error = |h: f64| {
        let axis = Vector3::new(theta.sin(), 0.0, theta.cos());
        let mut parts = ModelParts::new(Vector::<3>::new(0.0, 0.0, -G));
        let rotation = nalgebra::Rotation3::from_axis_angle(&Vector3::y_axis(), theta).into_inner();
        // ω = spin about the axis (spin relative to the nodes) + precession about z.
        let omega = axis * spin + Vector3::z() * rate;
        let centre = axis * l;
        let body = BodySpec::dynamic("top", Mass::principal(m, [i1, i1, i3]))
            .posed(delassus_contact::Pose { position: centre, rotation })
            .spinning(omega.into())
            .moving(omega.cross(&centre));
        parts.bodies.push(body);
        parts.joints.push(Joint::new(JointKind::Ball, [Some(0), None], Vector::<3>::zeros()));
        let mut sim = sim3(parts, settings(h));
        let end = 1.0;
        for _ in 0..(end / h + 0.5) as usize {
            sim.step().expect("converges");
        }
        let x = &sim.state().q[..3];
        let tilt = x[0].hypot(x[1]).atan2(x[2]) - theta;
        let turned = (x[1].atan2(x[0]) - rate * end + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU)
            - std::f64::consts::PI;
        (tilt.abs().max(turned.abs()), sim.report().joint_drift)
    };
    let ((coarse, _), (fine, drift)) = (error(1e-3), error(5e-4));
    assert!(fine < 1e-3 && fine < 0.35 * coarse, "order two: {coarse:.3e} {fine:.3e}");
    assert!(drift < 1e-4, "{drift}");
}

/// A ball rolls down a slope without slipping: `a = g sin α / (1 + 2/5)`.
#[test]
fn a_ball_rolls_down_a_slope() {
    let alpha = 0.2f64;
    let gravity = Vector::<3>::new(G * alpha.sin(), 0.0, -G * alpha.cos());
    let mut parts = floor3(gravity, Interaction::coulomb(0.3));
    let ball = BodySpec::dynamic("ball", Mass::ball(2.0, 0.1)).at([0.0, 0.0, 0.1].into());
    parts.bodies.push(ball.shape(Shape3::sphere(0.1).expect("a radius")));
    let mut sim = sim3(parts, settings(1e-3));
    for _ in 0..1000 {
        sim.step().expect("converges");
    }
    let wanted = G * alpha.sin() / 1.4;
    let u = &sim.state().u[6..];
    assert!((u[0] - wanted).abs() < 1e-9, "{} {wanted}", u[0]);
    let _ = Interactions::default();
}
