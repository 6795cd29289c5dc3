//! Ledger, momenta, dissipation, penetration, symmetry of threads.

use crate::common::*;
use delassus_contact::{Shape2, Shape3, Vector};
use delassus_friction::solver::Order;
use delassus_rigid::{BodySpec, Interaction, Interactions, ModelParts, StepSettings};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// A heap of discs and polygons falling into a box.
pub fn heap(n: usize, law: Interaction) -> ModelParts<2> {
    let mut rng = StdRng::seed_from_u64(7);
    let mut parts = floor2([0.0, -G].into(), law);
    for (x, normal) in [(0.0, [1.0, 0.0]), (0.5, [-1.0, 0.0])] {
        let wall = BodySpec::fixed("wall").at([x, 0.0].into());
        parts.bodies.push(wall.shape(Shape2::half_plane(normal).expect("a normal")));
    }
    for i in 0..n {
        let r = rng.random_range(0.02..0.03);
        let at = [0.05 + 0.08 * (i % 6) as f64 + rng.random_range(0.0..0.01), 0.04 + 0.07 * (i / 6) as f64];
        let shape = match i % 3 {
            0 => Shape2::disc(r),
            1 => Shape2::rectangle(1.5 * r, r),
            _ => Shape2::polygon(&[[r, 0.0], [0.3 * r, 0.9 * r], [-r, 0.2 * r], [-0.4 * r, -0.8 * r]]),
        }
        .expect("a shape");
        parts.bodies.push(BodySpec::homogeneous(format!("grain {i}"), 2000.0).at(at.into()).shape(shape));
    }
    parts
}

/// The balance of energy closes to round-off at every step; friction never gives, and what
/// is left at the end is less than at the start by what friction and shocks took.
#[test]
fn the_ledger_closes_and_dissipation_has_its_sign() {
    let law = Interaction::coulomb(0.4).with_restitution(0.3, 0.3);
    let mut sim = sim2(heap(36, law), StepSettings { tolerance: 1e-9, ..settings(5e-4) });
    let (mut scale, mut sum) = (0.0f64, delassus_rigid::Ledger::default());
    for _ in 0..1500 {
        let report = sim.step().expect("converges");
        scale = scale.max(report.energy.kinetic + report.energy.potential.abs());
        assert!(report.energy.closing.abs() < 1e-13 * scale, "{:?}", report.energy);
        assert!(report.energy.friction <= 1e-9 * scale, "{:?}", report.energy);
        assert!(report.residual <= 1e-9);
        sum.follow(&report.energy);
    }
    assert!(sum.shock < -1.0 && sum.friction < -0.1, "{sum:?}");
    assert!(sum.closing.abs() < 1e-11 * scale, "{sum:?}");
    assert!(sim.report().contacts > 40);
}

/// Grains that collide in empty space keep both momenta.
#[test]
fn momenta_are_conserved_through_collisions() {
    let mut rng = StdRng::seed_from_u64(3);
    let mut parts = ModelParts::new(Vector::<3>::zeros());
    parts.interactions = Interactions::single(Interaction::coulomb(0.5).with_restitution(0.5, 0.2));
    for i in 0..27 {
        let at = Vector::<3>::new((i % 3) as f64, (i / 3 % 3) as f64, (i / 9) as f64) * 0.25;
        let centre = Vector::<3>::new(0.25, 0.25, 0.25);
        let mut jitter = || rng.random_range(-0.5..0.5);
        let spin = [jitter(), 4.0 * jitter(), jitter()];
        let velocity = (centre - at) * 2.0 + Vector::<3>::new(jitter(), jitter(), jitter()) * 0.4;
        let shape = if i % 2 == 0 { Shape3::sphere(0.08) } else { Shape3::cuboid([0.13, 0.11, 0.1]) }.expect("a shape");
        parts
            .bodies
            .push(BodySpec::homogeneous(format!("{i}"), 1000.0).at(at).moving(velocity).spinning(spin).shape(shape));
    }
    let mut sim = sim3(parts, StepSettings { tolerance: 1e-10, ..settings(1e-3) });
    sim.step().expect("converges");
    let start = sim.report().momenta;
    let mut met = 0;
    for _ in 0..400 {
        met += sim.step().expect("converges").contacts;
    }
    let end = sim.report().momenta;
    assert!(met > 50, "they do collide: {met}");
    for k in 0..3 {
        assert!((end.linear[k] - start.linear[k]).abs() < 1e-11, "{start:?} {end:?}");
        // Gyroscopic terms are exact without contacts, of order h with them.
        assert!((end.angular[k] - start.angular[k]).abs() < 2e-3, "{start:?} {end:?}");
    }
}

/// A settled heap does not sink: the law is prospective, penetration does not grow.
#[test]
fn penetration_does_not_grow() {
    let mut sim = sim2(heap(36, Interaction::coulomb(0.3)), StepSettings { tolerance: 1e-8, ..settings(5e-4) });
    let mut worst = [0.0f64; 2];
    for i in 0..8000 {
        let p = sim.step().expect("converges").max_penetration;
        if i >= 2000 {
            let half = usize::from(i >= 5000);
            worst[half] = worst[half].max(p);
        }
    }
    assert!(worst[1] <= worst[0] + 1e-6, "{worst:?}");
    assert!(worst[0] < 2e-3, "{worst:?}");
    assert!(sim.report().energy.kinetic < 1e-12, "at rest: {}", sim.report().energy.kinetic);
}

/// Coloured sweeps give the same bits for one and two threads.
#[test]
fn threads_do_not_change_a_bit() {
    let run = |threads: usize| {
        let order = Order::Coloured { threads };
        let mut sim = sim2(heap(36, Interaction::coulomb(0.4)), StepSettings { order, ..settings(1e-3) });
        for _ in 0..300 {
            sim.step().expect("converges");
        }
        sim.state().hash()
    };
    assert_eq!(run(1), run(2));
}
