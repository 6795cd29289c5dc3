//! Contacts have the same bits for any number of threads. Reference: one thread.

use delassus_contact::*;
use rand::{Rng, SeedableRng, rngs::StdRng};

/// Spheres, boxes and hulls in a heap, step after step: enough pairs for several pieces.
fn run(number: usize) -> Vec<ContactSet<3>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(number).build().expect("threads");
    let mut rng = StdRng::seed_from_u64(4);
    let side = 18;
    let mut colliders = vec![];
    let mut poses = vec![];
    for i in 0..side * side * side {
        let mut draw = |a: f64| rng.random_range(-a..a);
        let points: Vec<[f64; 3]> = (0..9).map(|_| [draw(0.6), draw(0.6), draw(0.6)]).collect();
        let shape = match i % 3 {
            0 => Shape3::sphere(0.52),
            1 => Shape3::cuboid([0.9, 1.0, 0.8]),
            _ => Shape3::polyhedron(&points),
        };
        let place = [i % side, i / side % side, i / (side * side)].map(|k| k as f64 + draw(0.1));
        let turn = *nalgebra::Rotation3::from_scaled_axis(Vector::<3>::new(draw(3.0), draw(3.0), draw(3.0))).matrix();
        colliders.push(Collider::<3>::new(i as u32, shape.expect("valid")));
        poses.push(Pose { position: place.into(), rotation: turn });
    }
    colliders
        .push(Collider::<3>::new(colliders.len() as u32, Shape3::half_space([0.0, 0.0, 1.0]).expect("ok")).fixed());
    poses.push(Pose::at(Vector::<3>::new(0.0, 0.0, -0.4)));
    let mut detector = Detector::new(colliders, DetectorSettings { margin: 1e-2, ..Default::default() }).expect("ok");
    let mut sets = vec![ContactSet::default()];
    pool.install(|| {
        for step in 0..4 {
            poses.iter_mut().step_by(1 + step).for_each(|p| p.position[0] += 0.01 * p.position[2].sin());
            // What is in `out` before does not matter.
            let mut out = sets.first().cloned().expect("one");
            if let Some(last) = sets.last() {
                // With two threads as in a step of a world, which keeps them awake.
                let awake = if number == 2 { 2 } else { 1 };
                let at = Placement::rigid(&poses, 0.0);
                threads::together(awake, || detector.detect(&at, last, &mut out)).expect("valid");
            }
            sets.push(out);
        }
        // A detector that is asked to find nothing leaves nothing.
        let far: Vec<_> = poses.iter().map(|p| Pose::at(p.position * 10.0 + Vector::<3>::z() * 9.0)).collect();
        let mut out = sets[1].clone();
        detector.detect(&Placement::rigid(&far, 0.0), &sets[1], &mut out).expect("valid");
        sets.push(out);
    });
    sets
}

#[test]
fn threads_do_not_change_a_bit() {
    let one = run(1);
    assert!(one[1].contacts.len() > 10_000, "{}", one[1].contacts.len());
    assert!(one[5].contacts.len() < 1000);
    for threads in [2, 3] {
        assert_eq!(run(threads), one, "{threads} threads");
    }
}
