//! Laws on bodies: anisotropic, rolling, torsional, Tresca, cohesion, adhesion, user's own.

use crate::common::*;
use delassus_contact::{Shape2, Shape3, Vector};
use delassus_rigid::{
    Adhesion, BodyLaw, BodySpec, Error, Friction, Interaction, Interactions, Load, Mass, Meeting, ModelParts,
    RigidModel, Run, StepLaw, StepSettings, simulate,
};

fn run3(parts: ModelParts<3>, settings: StepSettings) -> Box<dyn Run<3>> {
    let model = RigidModel::new(parts).expect("a model");
    let state = model.initial_state();
    simulate(model, state, settings).expect("a run")
}

fn run2(parts: ModelParts<2>, settings: StepSettings) -> Box<dyn Run<2>> {
    let model = RigidModel::new(parts).expect("a model");
    let state = model.initial_state();
    simulate(model, state, settings).expect("a run")
}

/// Elliptic friction with axes in the floor: deceleration μ₁ g along, μ₂ g across.
#[test]
fn anisotropic_friction_follows_the_material() {
    for (velocity, mu) in [([1.0, 0.0, 0.0], 0.2), ([0.0, 1.0, 0.0], 0.5)] {
        let law = Friction::Elliptic { mu: [0.2, 0.5], axis: [1.0, 0.0, 0.0] };
        let mut parts = floor3([0.0, 0.0, -G].into(), Interaction::new(law));
        let point = BodySpec::dynamic("point", Mass::point(1.0)).moving(velocity.into());
        parts.bodies.push(point.shape(Shape3::Point));
        let mut run = run3(parts, settings(1e-3));
        for _ in 0..100 {
            run.step().expect("converges");
        }
        let u = &run.state().u[6..9];
        assert!((u[0].hypot(u[1]) - (1.0 - mu * G * 0.1)).abs() < 1e-12, "{u:?}");
    }
}

/// Rolling resistance on a slope: a ball stays where `tan α < μ_r/R`, rolls beyond with
/// `a = (g sin α − μ_r g cos α / R)/(1 + 2/5)`. Plane and space.
#[test]
fn rolling_resistance_holds_and_slows() {
    let (r, mu_r) = (0.1, 0.01);
    for (alpha, moves) in [(0.09f64, false), (0.2, true)] {
        let law = Interaction::new(Friction::Rolling { mu: 0.5, mu_r });
        let wanted = G * (alpha.sin() - mu_r / r * alpha.cos());
        let mut parts = floor3([G * alpha.sin(), 0.0, -G * alpha.cos()].into(), law.clone());
        let ball = BodySpec::dynamic("ball", Mass::ball(1.0, r)).at([0.0, 0.0, r].into());
        parts.bodies.push(ball.shape(Shape3::sphere(r).expect("a radius")));
        let mut run = run3(parts, settings(1e-3));
        let mut parts = floor2(slope(G, alpha), law);
        let disc = BodySpec::dynamic("disc", Mass::disc(1.0, r)).at([0.0, r].into());
        parts.bodies.push(disc.shape(Shape2::disc(r).expect("a radius")));
        let mut flat = run2(parts, settings(1e-3));
        for _ in 0..200 {
            run.step().expect("converges");
            flat.step().expect("converges");
        }
        assert_eq!((run.components(), flat.components()), (5, 3));
        let (space, plane) = (run.state().u[6], flat.state().u[3]);
        if moves {
            assert!((space - 0.2 * wanted / 1.4).abs() < 1e-7, "{space} {}", 0.2 * wanted / 1.4);
            assert!((plane - 0.2 * wanted / 1.5).abs() < 1e-7, "{plane} {}", 0.2 * wanted / 1.5);
        } else {
            assert_eq!((space, plane), (0.0, 0.0));
        }
    }
}

/// Torsional resistance stops a spinning ball at the rate `μ_s m g / I`.
#[test]
fn torsional_resistance_stops_a_spin() {
    let (r, mu_s) = (0.1, 0.005);
    let law = Interaction::new(Friction::Torsional { mu: 0.5, mu_s });
    let mut parts = floor3([0.0, 0.0, -G].into(), law);
    let ball = BodySpec::dynamic("ball", Mass::ball(1.0, r)).at([0.0, 0.0, r].into()).spinning([0.0, 0.0, 5.0]);
    parts.bodies.push(ball.shape(Shape3::sphere(r).expect("a radius")));
    let mut run = run3(parts, settings(1e-3));
    assert_eq!(run.components(), 4);
    for _ in 0..200 {
        run.step().expect("converges");
    }
    let wanted = 5.0 - 0.2 * mu_s * G / (0.4 * r * r);
    assert!((run.state().u[11] - wanted).abs() < 1e-6, "{} {wanted}", run.state().u[11]);
}

/// Tresca: the same friction force whatever the weight.
#[test]
fn tresca_friction_does_not_see_the_weight() {
    for mass in [1.0, 5.0] {
        let mut parts = floor2([0.0, -G].into(), Interaction::new(Friction::Tresca { threshold: 2.0 }));
        let point = BodySpec::dynamic("point", Mass::point(mass)).moving([3.0, 0.0].into());
        parts.bodies.push(point.shape(Shape2::Point));
        let mut run = run2(parts, settings(1e-3));
        for _ in 0..500 {
            run.step().expect("converges");
        }
        assert!((run.state().u[3] - (3.0 - 0.5 * 2.0 / mass)).abs() < 1e-12);
    }
}

/// Cohesion: a weight hangs below a ceiling while `m g < c`, and falls beyond.
#[test]
fn cohesion_carries_its_force_and_no_more() {
    for (cohesion, falls) in [(10.0, false), (9.0, true)] {
        let mut law = Interaction::coulomb(0.3);
        law.cohesion = cohesion;
        let mut parts = ModelParts::new(Vector::<2>::new(0.0, -G));
        parts.bodies.push(BodySpec::fixed("ceiling").shape(Shape2::half_plane([0.0, -1.0]).expect("a normal")));
        parts.bodies.push(BodySpec::dynamic("weight", Mass::point(1.0)).shape(Shape2::Point));
        parts.interactions = Interactions::single(law);
        let mut run = run2(parts, settings(1e-3));
        for _ in 0..100 {
            let report = run.step().expect("converges");
            assert!(report.energy.closing.abs() < 1e-14);
        }
        assert_eq!(run.state().q[4] < 0.0, falls, "{}", run.state().q[4]);
        if !falls {
            assert_eq!(run.state().u[4], 0.0);
        }
    }
}

/// Adhesion [RaousCangemiCocu99]: pulled slowly, the bond stays whole until `c_n u² = w`, with
/// the force `√(w c_n)`, then breaks; the force never exceeds it.
#[test]
fn adhesion_breaks_at_its_energy() {
    let (c, w) = (1e5, 0.1f64);
    let strength = (w * c).sqrt();
    let mut law = Interaction::coulomb(0.0);
    law.adhesion = Some(Adhesion {
        normal_stiffness: c,
        tangential_stiffness: 0.0,
        energy: w,
        viscosity: 0.0,
        intensity: 1.0,
        rebond: false,
    });
    let mut parts = floor2([0.0, 0.0].into(), law);
    parts.bodies.push(BodySpec::dynamic("block", Mass::point(0.1)).shape(Shape2::Point));
    parts.loads.push(Load::parse(1, ["0", &format!("{strength}*t - 20*vy")], &[]).expect("expressions"));
    let mut run = run2(parts, settings(1e-4));
    let (mut broke, mut contacts) = (None, vec![]);
    while run.state().time < 1.3 {
        run.step().expect("converges");
        run.contacts(&mut contacts);
        match contacts.first() {
            Some(c) if c.memory[0] < 0.5 && broke.is_none() => broke = Some(run.state().time),
            None if broke.is_none() && run.state().time > 0.01 => broke = Some(run.state().time),
            _ => {}
        }
    }
    let broke = broke.expect("breaks");
    assert!((broke - 1.0).abs() < 0.02, "{broke}");
    assert!(run.state().q[4] > 0.01, "flies away: {}", run.state().q[4]);
}

/// A law of the user: friction that grows with speed, by the velocity before the step.
#[derive(Debug)]
struct Viscous;

impl BodyLaw for Viscous {
    fn step_law(&self, meeting: &Meeting) -> StepLaw {
        StepLaw::coulomb(0.1 + 0.1 * meeting.slip_speed(), meeting)
    }
}

/// Reference: `v̇ = −g(0.1 + 0.1 v)`, `v = (v₀ + 1) e^{−0.1 g t} − 1`.
#[test]
fn a_law_of_the_user() {
    let mut parts = floor2([0.0, -G].into(), Interaction::coulomb(0.0));
    parts.interactions.set(0, 0, Viscous);
    parts.bodies.push(particle2([0.0, 0.0], [2.0, 0.0]));
    let mut run = run2(parts, settings(1e-4));
    for _ in 0..5000 {
        run.step().expect("converges");
    }
    let wanted = 3.0 * (-0.1 * G * 0.5f64).exp() - 1.0;
    assert!((run.state().u[3] - wanted).abs() < 1e-3, "{} {wanted}", run.state().u[3]);
}

/// Bodies that can meet without a law, negative masses, unknown bodies: refused by name.
#[test]
fn faults_of_a_model_are_named() {
    let mut parts = floor2([0.0, -G].into(), Interaction::coulomb(0.3));
    parts.bodies.push(BodySpec::dynamic("grain", Mass::disc(1.0, 0.1)).shape_of(Shape2::disc(0.1).expect("r"), 3));
    match RigidModel::new(parts) {
        Err(Error::NoLaw { materials: [0, 3], bodies }) => assert_eq!(bodies, ["floor", "grain"]),
        other => panic!("{other:?}"),
    }
    let mut parts = floor2([0.0, -G].into(), Interaction::coulomb(0.3));
    parts.bodies.push(BodySpec::dynamic("grain", Mass::disc(-1.0, 0.1)));
    assert!(RigidModel::new(parts).expect_err("negative").to_string().contains("grain: mass is -1"));
    let mut parts = floor2([0.0, -G].into(), Interaction::coulomb(f64::NAN));
    assert!(RigidModel::new(parts.clone()).is_err());
    parts.interactions = Interactions::single(Interaction::coulomb(0.1));
    parts.loads.push(Load::parse(9, ["1", "0"], &[]).expect("expressions"));
    assert!(RigidModel::new(parts).expect_err("unknown").to_string().contains("body 9"));
    let mut parts = floor2([0.0, -G].into(), Interaction::coulomb(0.1));
    parts.bodies.push(particle2([0.0, 1.0], [0.0; 2]));
    parts.loads.push(Load::parse(1, ["1/(t-0.01)", "sqrt(0.02-t)"], &[]).expect("expressions"));
    let mut run = run2(parts, settings(1e-3));
    let error = (0..100).find_map(|_| run.step().err()).expect("a load that gives no number");
    assert!(error.to_string().contains("load on 'particle'"), "{error}");
}
