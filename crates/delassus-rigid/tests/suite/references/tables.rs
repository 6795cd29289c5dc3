//! Particles on moving tables and belts: P1, P7, P9, P11.

use crate::common::*;
use delassus_contact::Shape2;
use delassus_rigid::{BodySpec, Friction, Interaction, Interactions, Load, Mass, ModelParts, Motion, Profile, Spring};

const OMEGA: f64 = 62.831_853_071_795_86;

fn on_table(motion: Motion<2>, law: Interaction, velocity: [f64; 2]) -> ModelParts<2> {
    let mut parts = ModelParts::new([0.0, -G].into());
    parts.bodies.push(BodySpec::imposed("table", motion).shape(Shape2::half_plane([0.0, 1.0]).expect("a normal")));
    parts.bodies.push(particle2([0.0, 0.0], velocity));
    parts.interactions = Interactions::single(law);
    parts
}

/// Start, landing and landing speed of each flight over 0.3 s.
type Flights = &'static [(f64, f64, f64, f64)];

/// P1: a particle on a table `A sin ωt`: leaves and lands when it should; never for Γ ≤ 1.
#[test]
fn p1_vibrating_table() {
    let cases: [(f64, Flights); 4] = [
        (0.8, &[]),
        (
            1.2,
            &[
                (0.015678525066133136, 0.10356558848012509, 0.05391239542111669, 0.08978393283492828),
                (0.11567852506613314, 0.10356558848012504, 0.15391239542111673, 0.08978393283492875),
                (0.21567852506613316, 0.10356558848012493, 0.2539123954211167, 0.0897839328349283),
            ],
        ),
        (
            2.0,
            &[
                (0.008333333333333335, 0.270426823204389, 0.08248125748237993, 0.5984005469313616),
                (0.10833333333333334, 0.270426823204389, 0.18248125748237995, 0.5984005469313618),
                (0.20833333333333334, 0.2704268232043889, 0.28248125748237995, 0.5984005469313618),
            ],
        ),
        (
            3.0,
            &[
                (0.005408672398469636, 0.4416051530750605, 0.10038610368618617, 0.9583786207799878),
                (0.10540867239846964, 0.44160515307506054, 0.20038610368618617, 0.9583786207799878),
            ],
        ),
    ];
    let h = 1e-4;
    for (gamma, flights) in cases {
        let amplitude = gamma * G / OMEGA.powi(2);
        let motion = Motion::along(1, Profile::Harmonic { amplitude, frequency: 10.0, phase: 0.0 });
        let mut sim = sim2(on_table(motion, Interaction::coulomb(0.3), [0.0, amplitude * OMEGA]), settings(h));
        let table = |t: f64| amplitude * (OMEGA * t).sin();
        // The scheme lets go for a step or two where the table slows down; a flight lasts longer.
        let (mut events, mut flying, mut last, mut open) = (vec![], false, 0.0, 0);
        let end = if gamma == 3.0 { 0.2 } else { 0.3 };
        while sim.state().time < end {
            sim.step().expect("converges");
            let t = sim.state().time;
            let pushed = sim.contacts().any(|c| c.percussion[0] > 0.0);
            open = if pushed { 0 } else { open + 1 };
            if open == 50 {
                events.push(last);
                flying = true;
            }
            if pushed {
                last = t;
                if flying {
                    events.push(t);
                    flying = false;
                }
            }
            let exact = match flights.iter().find(|f| t >= f.0 && t <= f.2) {
                Some((leave, v, ..)) => table(*leave) + v * (t - leave) - 0.5 * G * (t - leave).powi(2),
                None => table(t),
            };
            let bound = 1.5 * h * flights.first().map_or(0.1, |f| f.3);
            assert!((sim.state().q[4] - exact).abs() <= bound, "Γ = {gamma}, t = {t}: {} {exact}", sim.state().q[4]);
        }
        let wanted: Vec<f64> = flights.iter().flat_map(|f| [f.0, f.2]).filter(|t| *t < end).collect();
        assert_eq!(events.len(), wanted.len(), "Γ = {gamma}: {events:?}");
        for (found, wanted) in events.iter().zip(wanted) {
            assert!((found - wanted).abs() <= 2.0 * h, "Γ = {gamma}: {found} {wanted} {events:?}");
        }
    }
}

/// P7: a particle on a table shaken sideways; friction work per cycle, stick above β = 1.
#[test]
fn p7_dissipation_on_a_shaken_table() {
    let (period, steps) = (1.0, 2000usize);
    let amplitude = 1.0 / std::f64::consts::TAU.powi(2);
    for (beta, wanted) in [
        (1.05, 0.0),
        (0.9, 0.0020943928849453735),
        (0.7, 0.015337279261832383),
        (0.6, 0.023963638562688145),
        (0.5, 0.03135844494326019),
        (0.3, 0.026809755799817765),
    ] {
        let motion = Motion::along(0, Profile::Harmonic { amplitude, frequency: 1.0, phase: 0.0 });
        let parts = on_table(motion, Interaction::coulomb(beta / G), [0.0, 0.0]);
        let mut sim = sim2(parts, settings(period / steps as f64));
        let cycles = if beta >= 0.6 { 10 } else { 40 };
        let (mut work, mut mean) = (0.0, [0.0; 2]);
        for cycle in 0..cycles {
            work = 0.0;
            mean = [mean[1], 0.0];
            for _ in 0..steps {
                work -= sim.step().expect("converges").energy.friction;
                mean[1] += sim.state().q[3] / steps as f64;
            }
            if beta > 1.0 && cycle > 0 {
                assert!(work.abs() < 1e-15, "sticks: {work}");
            }
        }
        let error = if wanted > 0.0 { (work - wanted).abs() / wanted } else { work.abs() };
        assert!(error <= 1e-3, "β = {beta}: {work} {wanted}");
        if beta > 0.2 {
            assert!((mean[1] - mean[0]).abs() < 1e-5, "no drift of the mean place: {mean:?}");
        }
    }
}

/// P9: chatter of an oscillator on a belt, μ_s ≠ μ_k; period by closed form within 2 h.
#[test]
fn p9_chatter_on_a_belt() {
    let h = 1e-4;
    let law = Interaction::coulomb(0.4).with_friction_at_rest(Friction::Coulomb { mu: 0.6 }, 1e-9);
    let mut parts = ModelParts::new([0.0, -10.0].into());
    let belt = BodySpec::imposed("belt", Motion::velocity([0.1, 0.0]));
    parts.bodies.push(belt.shape(Shape2::half_plane([0.0, 1.0]).expect("a normal")));
    parts.bodies.push(particle2([0.03, 0.0], [0.1, 0.0]));
    parts.interactions = Interactions::single(law);
    parts.springs.push(Spring {
        bodies: [Some(1), None],
        anchors: [[0.0; 2].into(); 2],
        stiffness: 100.0,
        damping: 0.0,
        rest_length: 0.0,
        implicit: false,
    });
    let mut sim = sim2(parts, settings(h));
    let (mut breaks, mut stuck, mut range) = (vec![], true, [f64::INFINITY, 0.0f64]);
    while sim.state().time < 6.0 {
        sim.step().expect("converges");
        let slides = (sim.state().u[3] - 0.1).abs() > 1e-6;
        if slides && stuck {
            breaks.push(sim.state().time);
        }
        stuck = !slides;
        if breaks.len() > 2 {
            range = [range[0].min(sim.state().q[3]), range[1].max(sim.state().q[3])];
        }
    }
    let n = breaks.len() - 1;
    let period = (breaks[n] - breaks[1]) / (n - 1) as f64;
    assert!((period - 0.8068887871591405).abs() <= 2.0 * h, "{period} {breaks:?}");
    assert!((range[0] - 0.017639320225002107).abs() < 2e-4 && (range[1] - 0.062360679774997894).abs() < 2e-4);
}

/// P11: a force that grows; motion starts at μ_s and goes on with μ_k.
#[test]
fn p11_static_and_kinetic_coefficients() {
    let h = 1e-3;
    let law = Interaction::coulomb(0.3).with_friction_at_rest(Friction::Coulomb { mu: 0.5 }, 1e-9);
    let mut parts = floor2([0.0, -G].into(), law);
    parts.bodies.push(BodySpec::dynamic("block", Mass::point(2.0)).shape(Shape2::Point));
    parts.loads.push(Load::parse(1, ["5*t", "0"], &[]).expect("expressions"));
    let mut sim = sim2(parts, settings(h));
    let mut start = None;
    for (t, x) in [(2.462, 0.2973333333333336), (2.962, 1.3976666666666684), (3.962, 7.2573333333333325)] {
        while sim.state().time < t - 0.5 * h {
            sim.step().expect("converges");
            if start.is_none() && sim.state().u[3] > 0.0 {
                start = Some(sim.state().time);
            }
        }
        let v = sim.state().u[3];
        assert!((sim.state().q[3] - x).abs() <= 2.0 * h * v, "{t}: {} {x}", sim.state().q[3]);
    }
    let start = start.expect("it moves");
    assert!((start - 1.962).abs() <= 1.001 * h, "{start}");
}
