//! Contacts from step to step: keys, frames, images; and what is refused.

use delassus_contact::*;
use rand::{Rng, SeedableRng, rngs::StdRng};

type V3 = Vector<3>;

fn rotation(axis: V3, angle: f64) -> Rotation<3> {
    *nalgebra::Rotation3::from_axis_angle(&nalgebra::Unit::new_normalize(axis), angle).matrix()
}

/// A box that rocks by a small angle on an equal box, aligned to the round-off: its two
/// contacts keep their keys while both touch, and the one that stays keeps its own.
#[test]
fn rocking_keeps_the_keys() {
    let colliders = (0..2).map(|i| Collider::<2>::new(i, Shape2::rectangle(1.0, 1.0).expect("ok"))).collect();
    let mut detector = Detector::new(colliders, DetectorSettings::default()).expect("ok");
    let mut set = ContactSet::default();
    let mut keys = std::collections::BTreeSet::new();
    for k in 0..200 {
        let angle = 1e-3 * (0.1 * f64::from(k)).sin();
        let wobble = 1e-13 * (7.0 * f64::from(k)).sin();
        let poses = [Pose::identity(), Pose::planar(wobble, 1.0 - 1e-4, angle)];
        detector.detect(&Placement::rigid(&poses, 0.0), &ContactSet::default(), &mut set).expect("ok");
        assert!((1..=2).contains(&set.contacts.len()));
        keys.extend(set.contacts.iter().map(|c| c.key));
        // The side that goes down is the one that must be there.
        if angle.abs() > 3e-4 {
            assert_eq!(set.contacts.len(), 1);
            assert_eq!(set.contacts[0].points[0].x < 0.0, angle > 0.0);
        }
    }
    assert_eq!(keys.len(), 2, "{keys:?}");
}

/// The same in space: cubes aligned to the round-off have four contacts with four keys.
#[test]
fn aligned_cubes_keep_their_keys() {
    let colliders = (0..2).map(|i| Collider::<3>::new(i, Shape3::cuboid([1.0; 3]).expect("ok"))).collect();
    let mut detector = Detector::new(colliders, DetectorSettings::default()).expect("ok");
    let mut rng = StdRng::seed_from_u64(1);
    let mut set = ContactSet::default();
    let mut keys = std::collections::BTreeSet::new();
    for _ in 0..500 {
        let tiny = V3::from_fn(|_, _| rng.random_range(-1e-12..1e-12));
        let axis = V3::from_fn(|_, _| rng.random_range(-1.0..1.0));
        let pose = Pose { position: V3::new(0.0, 0.0, 1.0 - 1e-6) + tiny, rotation: rotation(axis, 1e-12) };
        detector
            .detect(&Placement::rigid(&[Pose::identity(), pose], 0.0), &ContactSet::default(), &mut set)
            .expect("ok");
        assert_eq!(set.contacts.len(), 4);
        keys.extend(set.contacts.iter().map(|c| c.key));
    }
    assert_eq!(keys.len(), 4, "{keys:?}");
}

/// A ball rolling all around a fixed one: one key, and a frame that turns no faster than n.
#[test]
fn frames_are_continuous() {
    let colliders = (0..2).map(|i| Collider::<3>::new(i, Shape3::sphere(0.5).expect("ok"))).collect();
    let mut detector = Detector::new(colliders, DetectorSettings::default()).expect("ok");
    let (mut old, mut new) = (ContactSet::default(), ContactSet::default());
    for k in 0..2000 {
        let a = 0.01 * f64::from(k);
        let x = V3::new(a.sin() * (0.37 * a).cos(), a.sin() * (0.37 * a).sin(), a.cos()) * 0.999;
        detector.detect(&Placement::rigid(&[Pose::at(x), Pose::identity()], 0.0), &old, &mut new).expect("ok");
        assert_eq!(new.contacts.len(), 1);
        if let Some(before) = old.contacts.first() {
            assert_eq!(before.key, new.contacts[0].key);
            let turn = (new.contacts[0].frame - before.frame).norm();
            let n = (new.contacts[0].frame.column(0) - before.frame.column(0)).norm();
            // Smallest rotation: |ΔF| = √2 |Δn| to first order.
            assert!(turn <= 1.4143 * n + 1e-12, "{k}: {turn} {n}");
        }
        std::mem::swap(&mut old, &mut new);
    }
}

/// Contacts across the border of a periodic box: image, shift and points; also far from the cell.
#[test]
fn periodic_images() {
    let periodic = Periodic::new([Some(2.0), None], [0.0, 0.0]);
    for turns in [0i32, 5, -7, 300, -70_000] {
        let colliders = (0..2).map(|i| Collider::<2>::new(i, Shape2::disc(0.25).expect("ok"))).collect();
        let settings = DetectorSettings { periodic, ..Default::default() };
        let mut detector = Detector::new(colliders, settings).expect("ok");
        let mut set = ContactSet::default();
        let poses = [Pose::planar(0.1, 0.0, 0.0), Pose::planar(1.7 + 2.0 * f64::from(turns), 0.0, 0.0)];
        detector.detect(&Placement::rigid(&poses, 0.0), &ContactSet::default(), &mut set).expect("ok");
        assert_eq!(set.contacts.len(), 1);
        let c = set.contacts[0];
        assert_eq!(c.key.image[0], -1 - turns);
        // Round-off of the position, far from the cell.
        let fine = 1e-12 + 4.0 * f64::EPSILON * poses[1].position.x.abs();
        assert!((c.gap + 0.1).abs() < fine && (c.shift.x - 2.0 * f64::from(-1 - turns)).abs() < fine);
        assert!((c.points[0].x + 0.15).abs() < fine && (c.points[1].x + 0.05).abs() < fine);
        assert!((c.frame[(0, 0)] - 1.0).abs() < 1e-12);
    }
    let far = [Pose::planar(0.1, 0.0, 0.0), Pose::planar(4e9, 0.0, 0.0)];
    let colliders = (0..2).map(|i| Collider::<2>::new(i, Shape2::disc(0.25).expect("ok"))).collect();
    let mut detector = Detector::new(colliders, DetectorSettings { periodic, ..Default::default() }).expect("ok");
    let error = detector.detect(&Placement::rigid(&far, 0.0), &ContactSet::default(), &mut ContactSet::default());
    assert!(matches!(error, Err(Error::ImageOverflow { collider: 1, .. })));
}

/// The order of the colliders changes the convention (n towards the first), not the contacts.
#[test]
fn order_of_bodies_does_not_matter() {
    let mut rng = StdRng::seed_from_u64(9);
    let shapes = [
        Shape3::cuboid([0.4, 0.3, 0.5]),
        Shape3::capsule(0.2, 0.1),
        Shape3::sphere(0.25),
        Shape3::polyhedron(&[[0.0; 3], [0.5, 0.0, 0.0], [0.0, 0.4, 0.0], [0.1, 0.1, 0.5], [0.3, 0.3, 0.2]]),
        Shape3::half_space([0.1, 0.2, 1.0]),
    ];
    let shapes = shapes.map(|s| s.expect("ok"));
    let mut found = 0;
    for k in 0..4000 {
        let pair = [&shapes[k % 5], &shapes[k / 5 % 5]];
        let poses: [Pose<3>; 2] = std::array::from_fn(|_| {
            let axis = V3::from_fn(|_, _| rng.random_range(-1.0..1.0));
            let position = V3::from_fn(|_, _| rng.random_range(0.0..0.5));
            Pose { position, rotation: rotation(axis, rng.random_range(0.0..3.0)) }
        });
        let detect = |order: [usize; 2]| {
            let colliders = order.map(|i| Collider::<3>::new(i as u32, pair[i].clone())).to_vec();
            let settings = DetectorSettings { margin: 1e-3, ..Default::default() };
            let mut set = ContactSet::default();
            let mut detector = Detector::new(colliders, settings).expect("ok");
            detector.detect(&Placement::rigid(&poses, 0.0), &ContactSet::default(), &mut set).expect("ok");
            set.contacts
        };
        let (a, b) = (detect([0, 1]), detect([1, 0]));
        assert_eq!(a.len(), b.len(), "{k}: {pair:?} {a:?} {b:?}");
        found += a.len();
        for c in &a {
            let mirrored = |d: &&Contact<3>| {
                (d.gap - c.gap).abs() < 1e-9
                    && (d.frame.column(0) + c.frame.column(0)).norm() < 1e-9
                    && (d.points[0] - c.points[1]).norm() < 1e-8
            };
            assert!(b.iter().any(|d| mirrored(&d)), "{k}: {c:?} {b:?}");
        }
    }
    assert!(found > 2000);
}

/// A compound body (two discs on one body) meets others, not itself; groups and fixed bodies likewise.
#[test]
fn who_meets_whom() {
    let disc = || Shape2::disc(0.5).expect("ok");
    let compound = |body: u32| [-0.4, 0.4].map(|x| Collider::<2>::new(body, disc()).at(Pose::planar(x, 0.0, 0.0)));
    let count = |colliders: Vec<Collider<2>>| {
        let mut detector = Detector::new(colliders, DetectorSettings::default()).expect("ok");
        let mut set = ContactSet::default();
        let poses = [Pose::identity(), Pose::planar(0.0, 0.9, 0.0)];
        detector.detect(&Placement::rigid(&poses, 0.0), &ContactSet::default(), &mut set).expect("ok");
        set.contacts.len()
    };
    let all: Vec<_> = compound(0).into_iter().chain(compound(1)).collect();
    assert_eq!(count(all.clone()), 2);
    assert_eq!(count(all.iter().cloned().map(|c| c.group(3)).collect()), 0);
    assert_eq!(count(all.iter().cloned().map(Collider::fixed).collect()), 0);
    // Materials: 0–1 meet without a law, 0–0 do not exist as a pair of bodies that meets.
    let materials: Vec<_> = compound(0).into_iter().chain(compound(1).map(|c| c.material(1))).collect();
    let detector = Detector::new(materials, DetectorSettings::default()).expect("ok");
    let missing = detector.pairs_without(&|_, _| false);
    assert_eq!(missing.iter().map(|m| m.0).collect::<Vec<_>>(), [[0, 1]]);
    assert!(detector.pairs_without(&|a, b| (a, b) == (0, 1)).is_empty());
}

#[test]
fn bad_input_is_refused() {
    let disc = || Shape2::disc(0.5).expect("ok");
    let mut detector =
        Detector::new(vec![Collider::<2>::new(0, disc()), Collider::<2>::new(1, disc())], DetectorSettings::default())
            .expect("ok");
    let (old, mut set) = (ContactSet::default(), ContactSet::default());
    let bad = [Pose::identity(), Pose::planar(f64::NAN, 0.0, 0.0)];
    assert_eq!(detector.detect(&Placement::rigid(&bad, 0.0), &old, &mut set), Err(Error::PoseNotFinite { body: 1 }));
    let few = [Pose::identity()];
    assert_eq!(
        detector.detect(&Placement::rigid(&few, 0.0), &old, &mut set),
        Err(Error::MissingPose { collider: 1, body: 1, poses: 1 })
    );
    let settings = DetectorSettings::<2> { margin: f64::NAN, ..Default::default() };
    assert!(Detector::new(vec![Collider::<2>::new(0, disc())], settings).is_err());
    assert!(
        Detector::new(vec![Collider::<2>::new(0, Shape2::Disc { radius: -1.0 })], DetectorSettings::default()).is_err()
    );
    let field = Shape3::height_field([1.0, 1.0], [2, 2], &[0.0; 4]).expect("ok");
    let error = Detector::new(vec![Collider::<3>::new(0, field)], DetectorSettings::default()).err();
    assert_eq!(error, Some(Error::MustBeFixed { collider: 0, what: "height field" }));
    // A body larger than the period would meet itself.
    let periodic = Periodic::new([Some(0.5), None], [0.0; 2]);
    let mut tight =
        Detector::new(vec![Collider::<2>::new(0, disc())], DetectorSettings { periodic, ..Default::default() })
            .expect("ok");
    assert!(matches!(
        tight.detect(&Placement::rigid(&[Pose::identity()], 0.0), &old, &mut set),
        Err(Error::LargerThanPeriod { axis: 0, .. })
    ));
}
