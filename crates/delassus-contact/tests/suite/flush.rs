//! Blocks stacked flush, open by round-off: a face on a face keeps all its contacts,
//! whatever the direction of the stack. Two points per edge [seed 001], four per square, and the four corners of what two
//! squares share, as the courses of a wall in running bond do.

use delassus_contact::{Collider, ContactSet, Detector, DetectorSettings, Placement, Pose, Shape2, Shape3, Vector};
use rand::{Rng, SeedableRng, rngs::StdRng};

const GAPS: [f64; 6] = [-1e-13, 0.0, 2.8e-17, 1e-16, 1e-13, 5e-10];

#[test]
fn squares_keep_two_points() {
    let mut r = StdRng::seed_from_u64(5);
    for _ in 0..300 {
        let (angle, size) = (r.random_range(-3.2..3.2), r.random_range(0.05..2.0));
        for gap in GAPS {
            let shape = Shape2::rectangle(size, size).expect("positive");
            let colliders = vec![Collider::<2>::new(0, shape.clone()), Collider::new(1, shape)];
            let mut detector = Detector::new(colliders, DetectorSettings::default()).expect("valid");
            let lower = Pose::planar(0.3, -0.7, angle);
            let upper = Pose { position: lower.point(&Vector::<2>::new(0.0, size + gap)), ..lower };
            let mut out = ContactSet::default();
            detector.detect(&Placement::rigid(&[lower, upper], 0.0), &ContactSet::default(), &mut out).expect("finite");
            assert_eq!(out.contacts.len(), 2, "angle {angle}, size {size}, gap {gap:e}");
            assert!(out.contacts.iter().all(|c| (c.gap - gap).abs() <= 1e-14), "{:?}", out.contacts);
        }
    }
}

#[test]
fn cubes_keep_four_points() {
    let mut r = StdRng::seed_from_u64(6);
    for _ in 0..200 {
        let size = r.random_range(0.05..2.0);
        // A random frame from two random vectors.
        let mut vector = || Vector::<3>::from_fn(|_, _| r.random_range(-1.0..1.0)).normalize();
        let (x, y) = (vector(), vector());
        let z = x.cross(&y).normalize();
        let rotation = nalgebra::Matrix3::from_columns(&[x, z.cross(&x), z]);
        for (gap, aside) in GAPS.into_iter().flat_map(|gap| [(gap, 0.0), (gap, 0.5), (gap, 0.3)]) {
            let shape = Shape3::cuboid([size; 3]).expect("positive");
            let colliders = vec![Collider::<3>::new(0, shape.clone()), Collider::new(1, shape)];
            let mut detector = Detector::new(colliders, DetectorSettings::default()).expect("valid");
            let lower = Pose { position: Vector::<3>::new(0.3, -0.7, 0.2), rotation };
            let upper = Pose { position: lower.point(&Vector::<3>::new(aside * size, 0.0, size + gap)), ..lower };
            let mut out = ContactSet::default();
            detector.detect(&Placement::rigid(&[lower, upper], 0.0), &ContactSet::default(), &mut out).expect("finite");
            assert_eq!(out.contacts.len(), 4, "size {size}, gap {gap:e}, {aside} aside: {:?}", out.contacts);
            assert!(out.contacts.iter().all(|c| (c.gap - gap).abs() <= 1e-13), "{:?}", out.contacts);
        }
    }
}
