//! Impacts: I1, I2, I4, I5.

use crate::common::*;
use delassus_contact::{Pose, Rotation, Shape2, Vector};
use delassus_rigid::{BodySpec, Interaction, Interactions, Mass, ModelParts, StepSettings};

/// I1: a ball dropped from 1 m; times of impact, and rest when the series ends.
#[test]
fn i1_bouncing_ball_comes_to_rest() {
    let h = 1e-3;
    for (rho, impacts, zeno) in [
        (0.0f64, vec![0.4515236409857309], 0.4515236409857309),
        (0.5, vec![0.4515236409857309, 0.9030472819714618, 1.1288091024643272, 1.24169001271076], 1.3545709229571927),
        (
            0.8,
            vec![
                0.4515236409857309,
                1.1739614665629003,
                1.7519117270246358,
                2.214271935394024,
                2.5841601020895353,
                2.880070635445944,
                3.116799062131071,
                3.3061818034791726,
            ],
            4.063712768871579,
        ),
        (
            0.9,
            vec![
                0.4515236409857309,
                1.2642661947600464,
                1.9957344931569305,
                2.6540559617141257,
                3.2465452834156032,
                3.779785672946931,
                4.259702023525127,
                4.691626739045502,
            ],
            8.578949178728887,
        ),
    ] {
        let mut parts = floor2([0.0, -G].into(), Interaction::coulomb(0.0).with_restitution(rho, 0.0));
        let ball = BodySpec::dynamic("ball", Mass::disc(1.0, 0.1)).at([0.0, 1.1].into());
        parts.bodies.push(ball.shape(Shape2::disc(0.1).expect("a radius")));
        let mut sim = sim2(parts, settings(h));
        let (mut found, mut rest) = (vec![], None);
        while sim.state().time < zeno + 20.0 * h / (1.0 - rho) {
            sim.step().expect("converges");
            let pushed = sim.contacts().any(|c| c.percussion[0] > 0.0);
            let v = sim.state().u[4];
            if pushed && found.len() < impacts.len() {
                found.push(sim.state().time);
            }
            let quiet = pushed && v.abs() < 2.0 * G * h;
            if quiet && rest.is_none() {
                rest = Some(sim.state().time);
            } else if rest.is_some() {
                assert!(v.abs() < 3.0 * G * h, "no bounce after rest: {v}");
            }
        }
        for (n, (found, wanted)) in found.iter().zip(&impacts).enumerate() {
            assert!((found - wanted).abs() <= 3.0 * h * (n + 1) as f64, "ρ = {rho}, impact {n}: {found} {wanted}");
        }
        // Below 2 g h a bounce takes less than a few steps: the scheme rests up to 5 h/(1 − ρ) early.
        let rest = rest.expect("comes to rest");
        assert!((rest - zeno).abs() <= 6.0 * h / (1.0 - rho), "ρ = {rho}: {rest} {zeno}");
    }
}

/// I2: one impact of a disc or ball with normal and tangential restitution, closed form.
#[test]
fn i2_tangential_restitution() {
    // κ, R, v⁻, ω⁻, ρ, τ, μ → v⁺, ω⁺
    let cases = [
        (0.4, 0.05, [2.0, -3.0], 0.0, 1.0, 1.0, 2.0, [0.8571428571428572, 3.0], -57.142857142857125),
        (0.4, 0.05, [2.0, -3.0], -100.0, 0.9, 0.6, 0.5, [3.3714285714285714, 2.7], -31.428571428571445),
        (0.4, 0.05, [2.0, -3.0], 0.0, 0.8, 0.5, 0.1, [1.46, 2.4], -27.0),
        (0.5, 0.05, [2.0, -3.0], 40.0, 0.8, 0.5, 0.3, [0.38, 2.4], -24.8),
        (0.5, 0.05, [2.0, -3.0], 0.0, 0.0, 0.0, 0.5, [1.3333333333333335, 0.0], -26.66666666666666),
        (0.5, 0.1, [4.0, -1.0], 0.0, 0.5, 0.5, 0.2, [3.7, 0.5], -6.0),
        (0.4, 0.05, [0.0, -3.0], 100.0, 1.0, 1.0, 10.0, [-2.8571428571428568, 3.0], -42.857142857142804),
    ];
    for (kappa, r, v, omega, rho, tau, mu, wanted, spin) in cases {
        let h = 1e-9;
        let mut parts = floor2([0.0, 0.0].into(), Interaction::coulomb(mu).with_restitution(rho, tau));
        // Touches at q_m, to round-off below the floor.
        let start = [0.0, r - 0.5 * h * v[1] - 1e-16];
        let ball = BodySpec::dynamic("ball", Mass::plane(1.0, kappa * r * r)).at(start.into());
        parts.bodies.push(ball.moving(v.into()).spinning([0.0, 0.0, omega]).shape(Shape2::disc(r).expect("a radius")));
        let mut sim = sim2(parts, settings(h));
        let report = sim.step().expect("converges").clone();
        let u = &sim.state().u[3..];
        let scale = 1.0 + omega.abs() * r;
        assert!((u[0] - wanted[0]).abs() < 1e-12 * scale, "{u:?} {wanted:?}");
        assert!((u[1] - wanted[1]).abs() < 1e-12 * scale);
        assert!((u[2] - spin).abs() * r < 1e-12 * scale, "{} {spin}", u[2]);
        assert!(report.energy.closing.abs() < 1e-13);
    }
}

/// I5: a row of equal balls. Weighted velocities treat all contacts of the shock together.
#[test]
fn i5_newtons_cradle_all_contacts_at_once() {
    let cases: [(&[f64], f64, &[f64]); 5] = [
        (&[1.0, 0.0, 0.0], 1.0, &[-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]),
        (&[1.0, 0.0, 0.0, 0.0, 0.0], 1.0, &[-0.6, 0.4, 0.4, 0.4, 0.4]),
        (&[1.0, 1.0, 0.0, 0.0, 0.0], 1.0, &[-0.2, -0.2, 0.8, 0.8, 0.8]),
        (&[1.0, 0.0, 0.0], 0.5, &[0.0, 0.5, 0.5]),
        (&[1.0, 0.0, 0.0, 0.0, 0.0], 0.0, &[0.2; 5]),
    ];
    for (before, rho, after) in cases {
        let mut parts = ModelParts::new(Vector::<2>::zeros());
        for (i, v) in before.iter().enumerate() {
            let ball = BodySpec::dynamic(format!("ball {i}"), Mass::disc(1.0, 0.5)).at([i as f64, 0.0].into());
            parts.bodies.push(ball.moving([*v, 0.0].into()).shape(Shape2::disc(0.5).expect("a radius")));
        }
        parts.interactions = Interactions::single(Interaction::coulomb(0.0).with_restitution(rho, 0.0));
        let mut sim = sim2(parts, StepSettings { tolerance: 1e-14, ..settings(1e-12) });
        let report = sim.step().expect("converges");
        assert_eq!(report.contacts, before.len() - 1);
        for (i, wanted) in after.iter().enumerate() {
            let v = sim.state().u[3 * i];
            assert!((v - wanted).abs() < 1e-12, "{before:?}, ρ = {rho}, ball {i}: {v} {wanted}");
        }
    }
}

const HALF: [f64; 2] = [0.25, 1.0];

fn block(pose: Pose<2>, mu: f64, rho: f64) -> ModelParts<2> {
    let mut parts = floor2([0.0, -G].into(), Interaction::coulomb(mu).with_restitution(rho, 0.0));
    let mass = Mass::rectangle(1.0, 2.0 * HALF[0], 2.0 * HALF[1]);
    let shape = Shape2::rectangle(2.0 * HALF[0], 2.0 * HALF[1]).expect("sides");
    parts.bodies.push(BodySpec::dynamic("block", mass).posed(pose).shape(shape));
    parts
}

/// I4: the other corner lands: it takes over the pivot, the first lifts, `ω⁺/ω⁻` by Housner.
#[test]
fn i4_the_other_corner_lands() {
    for (mu, rho, wanted) in [
        (0.5, 0.0, [0.9117647058823529, 0.2279411764705882, -0.9117647058823529]),
        (0.1, 0.0, [0.9547872340425532, 0.20212765957446804, -0.8085106382978724]),
        (0.5, 0.3, [0.8852941176470588, 0.3713235294117647, -0.8852941176470588]),
    ] {
        let mut parts = block(Pose { position: [0.0, 1.0].into(), rotation: Rotation::<2>::identity() }, mu, rho);
        parts.gravity = Vector::<2>::zeros();
        let turning = parts.bodies.pop().expect("the block");
        parts.bodies.push(turning.moving([1.0, -0.25].into()).spinning([0.0, 0.0, -1.0]));
        let mut sim = sim2(parts, settings(1e-12));
        sim.step().expect("converges");
        for k in 0..3 {
            assert!((sim.state().u[3 + k] - wanted[k]).abs() < 1e-10, "{:?} {wanted:?}", &sim.state().u[3..]);
        }
    }
}

/// I4: the rocking block: times of impact to order 1, and rest at 7.228 s.
#[test]
fn i4_rocking_block_sequence() {
    let (h, phi) = (1e-4f64, 0.1f64);
    let rotation = Rotation::<2>::new(phi.cos(), -phi.sin(), phi.sin(), phi.cos());
    // Turned about the lower left corner.
    let corner = Vector::<2>::new(-HALF[0], 0.0);
    let position = corner + rotation * (Vector::<2>::new(0.0, HALF[1]) - corner);
    let mut sim = sim2(block(Pose { position, rotation }, 0.5, 0.0), settings(h));
    let wanted = [
        0.4185486604621153,
        1.1240331902943443,
        1.7334457117335131,
        2.267647207090693,
        2.7404575174306163,
        3.1617640596320835,
        3.539028006298,
        3.8781032339588486,
    ];
    let (mut found, mut last) = (vec![], (phi, 0.0));
    let mut rest = None;
    while sim.state().time < 8.0 {
        sim.step().expect("converges");
        let (angle, spin) = (sim.state().q[5], sim.state().u[5]);
        if found.len() < 8 && angle.signum() != last.0.signum() {
            found.push(sim.state().time);
            if let Some(ratio) = Some(spin / last.1).filter(|_| found.len() == 1) {
                assert!((ratio - 0.9117647).abs() < 2e-3, "{ratio}");
            }
        }
        if spin.abs() > 1e-4 {
            rest = Some(sim.state().time);
        }
        last = (angle, spin);
    }
    for (k, (found, wanted)) in found.iter().zip(wanted).enumerate() {
        assert!((found - wanted).abs() <= 8.0 * h * (k + 1) as f64, "impact {}: {found} {wanted}", k + 1);
    }
    assert_eq!(found.len(), 8);
    let rest = rest.expect("comes to rest");
    assert!((rest - 7.228031969119362).abs() < 0.02 * 7.228, "{rest}");
}
