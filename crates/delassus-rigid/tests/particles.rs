//! One particle against walls: the references P1 to P11.

mod common;

use common::*;
use delassus_contact::{Shape2, Vector};
use delassus_rigid::{BodySpec, Friction, Interaction, Interactions, ModelParts, Motion, Profile};

/// P4: a block slides on a slope and stops; velocities exact at the steps, the stop within a h²/8.
#[test]
fn p4_incline_stops_where_the_closed_form_says() {
    let h = 1e-3;
    for (degrees, mu, v0, acc, t_stop, x_stop) in [
        (20.0f64, 0.5, 2.0, -1.2539746989300709, 1.5949285114815, 1.5949285114815),
        (26.565051177, 0.6, 3.0, -0.8774330743864435, 3.4190641857189954, 5.128596278578493),
    ] {
        let mut parts = floor2(slope(G, degrees.to_radians()), Interaction::coulomb(mu));
        parts.bodies.push(particle2([0.0, 0.0], [v0, 0.0]));
        let mut sim = sim2(parts, settings(h));
        while sim.state().time < t_stop + 0.2 {
            sim.step().expect("converges");
            let (t, v) = (sim.state().time, sim.state().u[3]);
            if t < t_stop {
                assert!((v - (v0 + acc * t)).abs() < 1e-12 * (1.0 + t / h).sqrt(), "t = {t}: {v}");
            } else if t > t_stop + h {
                assert_eq!(v, 0.0, "at rest, exactly");
            }
        }
        let bound = -acc * h * h / 8.0;
        assert!((sim.state().q[3] - x_stop).abs() <= 1.001 * bound, "{} vs {x_stop}", sim.state().q[3]);
    }
}

/// P4: below the friction angle a body at rest stays there, to the last bit; beyond, a = g(sin α − μ cos α).
#[test]
fn p4_rest_is_exact_and_sliding_starts_beyond_the_angle() {
    let h = 1e-3;
    let mut parts = floor2(slope(G, 20f64.to_radians()), Interaction::coulomb(0.5));
    parts.bodies.push(particle2([0.0, 0.0], [0.0, 0.0]));
    let mut sim = sim2(parts, settings(h));
    for _ in 0..100 {
        sim.step().expect("converges");
        assert_eq!(&sim.state().u[3..], &[0.0; 3]);
        assert_eq!(&sim.state().q[3..], &[0.0; 3]);
    }
    let mut parts = floor2(slope(G, 20f64.to_radians()), Interaction::coulomb(0.3));
    parts.bodies.push(particle2([0.0, 0.0], [0.0, 0.0]));
    let mut sim = sim2(parts, settings(h));
    for _ in 0..1000 {
        sim.step().expect("converges");
    }
    let acc = 0.5897022230518818;
    assert!((sim.state().u[3] - acc * sim.state().time).abs() < 1e-12);
}
