//! Lists of pairs of bodies of very different sizes, and of bodies that fall together. Reference: every pair of spheres,
//! by the distance of their centres.

use delassus_contact::*;
use rand::{Rng, SeedableRng, rngs::StdRng};

type V3 = Vector<3>;

/// Pairs of spheres, in periods of `period` along the first axis if there is one, whose gap is not positive.
fn touching(poses: &[Pose<3>], radii: &[f64], period: Option<f64>) -> Vec<([u32; 2], i32)> {
    let mut all = vec![];
    for i in 0..poses.len() {
        for j in i + 1..poses.len() {
            let apart = poses[i].position - poses[j].position;
            let images = period.map_or(0..=0, |p| {
                let nearest = (apart.x / p).round() as i32;
                nearest - 1..=nearest + 1
            });
            for n in images {
                let shift = V3::x() * (period.unwrap_or(0.0) * f64::from(n));
                if (apart - shift).norm() <= radii[i] + radii[j] {
                    all.push(([i as u32, j as u32], n));
                }
            }
        }
    }
    all
}

/// Radii over two and a half decades; the large ones come last, so that they are found from smaller ones and named after.
#[test]
fn sizes_of_all_orders_are_found() {
    let mut rng = StdRng::seed_from_u64(11);
    for (period, skin) in [(None, None), (None, Some(0.0)), (Some(4.0), None), (Some(4.0), Some(0.3))] {
        let radii: Vec<f64> = (0..500).map(|i| 0.004 * 300f64.powf((f64::from(i) / 500.0).powi(3))).collect();
        let mut poses: Vec<Pose<3>> =
            radii.iter().map(|_| Pose::at(V3::from_fn(|_, _| rng.random_range(0.0..4.0)))).collect();
        let sphere = |(i, r): (usize, &f64)| Collider::<3>::new(i as u32, Shape3::sphere(*r).expect("ok"));
        let periodic = Periodic::new([period, None, None], [0.0; 3]);
        let settings = DetectorSettings { periodic, skin, ..Default::default() };
        let mut detector = Detector::new(radii.iter().enumerate().map(sphere).collect(), settings).expect("ok");
        let (mut set, mut found) = (ContactSet::default(), 0);
        for _ in 0..20 {
            poses.iter_mut().for_each(|p| p.position += V3::from_fn(|_, _| rng.random_range(-0.01..0.01)));
            detector.detect(&Placement::rigid(&poses, 0.0), &ContactSet::default(), &mut set).expect("ok");
            let keys: Vec<_> = set.contacts.iter().map(|c| (c.key.colliders, c.key.image[0])).collect();
            assert_eq!(keys, touching(&poses, &radii, period));
            found += keys.len();
        }
        assert!(found > 5_000, "{found}");
    }
}

/// What falls freely keeps its list over many times its size, and still finds the ground and what comes another way.
#[test]
fn falling_together_keeps_the_list() {
    let mut rng = StdRng::seed_from_u64(12);
    let side = 8;
    let mut poses: Vec<Pose<3>> = (0..side * side * side)
        .map(|i| V3::new((i % side) as f64, (i / side % side) as f64, (i / side / side) as f64 + 20.0))
        .map(|x| Pose::at(x + V3::from_fn(|_, _| rng.random_range(-0.03..0.03))))
        .collect();
    let radii = vec![0.5; poses.len()];
    let mut colliders: Vec<_> =
        (0..poses.len()).map(|i| Collider::<3>::new(i as u32, Shape3::sphere(0.5).expect("ok"))).collect();
    colliders
        .push(Collider::<3>::new(colliders.len() as u32, Shape3::half_space([0.0, 0.0, 1.0]).expect("ok")).fixed());
    let mut detector = Detector::new(colliders, DetectorSettings::default()).expect("ok");
    let ground = radii.len() as u32;
    let mut set = ContactSet::default();
    for step in 0..220 {
        if step > 200 {
            // One of them leaves the others.
            poses[9].position.y += 0.05;
        }
        poses.iter_mut().for_each(|p| p.position.z -= 0.1);
        poses.push(Pose::identity());
        detector.detect(&Placement::rigid(&poses, 0.0), &ContactSet::default(), &mut set).expect("ok");
        poses.pop();
        let pairs = set.contacts.iter().map(|c| (c.key.colliders, 0)).filter(|(k, _)| k[1] != ground);
        assert_eq!(pairs.collect::<Vec<_>>(), touching(&poses, &radii, None), "step {step}");
        let grounded = set.contacts.iter().filter(|c| c.key.colliders[1] == ground).count();
        assert_eq!(grounded, poses.iter().filter(|p| p.position.z <= 0.5).count(), "step {step}");
        if step <= 200 {
            assert_eq!(detector.builds(), 1, "step {step}");
        }
    }
    assert!(detector.builds() > 1);
}
