//! Random scenes and pairs: the detector against brute force, and against GJK of parry.

use delassus_contact::*;
use rand::{Rng, SeedableRng, rngs::StdRng};

fn random_shape2(rng: &mut StdRng) -> Shape2 {
    let r = rng.random_range(0.05..0.15);
    match rng.random_range(0..5) {
        0 => Shape2::disc(r).expect("ok"),
        1 => Shape2::capsule(r, 0.4 * r).expect("ok"),
        2 => Shape2::rectangle(2.0 * r, r).expect("ok"),
        3 => Shape2::segment([-r, 0.0], [r, 0.3 * r]).expect("ok"),
        _ => {
            let n = rng.random_range(3..8);
            let phase = rng.random_range(0.0..1.0);
            let at = |k: i32| (f64::from(k) + phase) / f64::from(n) * std::f64::consts::TAU;
            Shape2::polygon(&(0..n).map(|k| [r * at(k).cos(), r * at(k).sin()]).collect::<Vec<_>>()).expect("ok")
        }
    }
}

fn random_hull(rng: &mut StdRng, r: f64) -> Shape3 {
    let points: Vec<[f64; 3]> = (0..rng.random_range(5..14))
        .map(|_| {
            let v = Vector::<3>::from_fn(|_, _| rng.random_range(-1.0..1.0)).normalize() * r;
            [v.x, v.y, v.z]
        })
        .collect();
    Shape3::polyhedron(&points).expect("ok")
}

fn random_shape3(rng: &mut StdRng) -> Shape3 {
    let r = rng.random_range(0.08..0.16);
    match rng.random_range(0..5) {
        0 => Shape3::sphere(r).expect("ok"),
        1 => Shape3::capsule(r, 0.4 * r).expect("ok"),
        2 => Shape3::cuboid([2.0 * r, r, 1.4 * r]).expect("ok"),
        3 => Shape3::cylinder(r, 0.6 * r).expect("ok"),
        _ => random_hull(rng, r),
    }
}

fn random_pose2(rng: &mut StdRng, size: f64) -> Pose<2> {
    Pose::planar(rng.random_range(0.0..size), rng.random_range(0.0..size), rng.random_range(0.0..7.0))
}

fn random_pose3(rng: &mut StdRng, size: f64) -> Pose<3> {
    let axis = Vector::<3>::from_fn(|_, _| rng.random_range(-1.0..1.0));
    let r = nalgebra::Rotation3::from_axis_angle(&nalgebra::Unit::new_normalize(axis), rng.random_range(0.0..3.0));
    Pose { position: Vector::<3>::from_fn(|_, _| rng.random_range(0.0..size)), rotation: *r.matrix() }
}

/// All pairs one by one, each image tried, by detectors of two colliders without reuse.
fn brute<const D: usize>(
    colliders: &[Collider<D>],
    poses: &[Pose<D>],
    settings: &DetectorSettings<D>,
) -> Vec<Contact<D>>
where
    Dim<D>: Space<D>,
{
    let mut all = vec![];
    let plain = DetectorSettings { periodic: Periodic::default(), skin: Some(0.0), ..*settings };
    for i in 0..colliders.len() {
        for j in i + 1..colliders.len() {
            let (mut a, mut b) = (colliders[i].clone(), colliders[j].clone());
            (a.body, b.body) = (0, 1);
            let mut detector = Detector::new(vec![a, b], plain).expect("ok");
            let unbounded = |c: &Collider<D>| c.shape.is_unbounded();
            for image in images::<D>(settings) {
                // An unbounded shape has no images.
                if image != [0; D] && (unbounded(&colliders[i]) || unbounded(&colliders[j])) {
                    continue;
                }
                let shift = settings.periodic.translation(&image);
                let mut moved = poses[j];
                moved.position += shift;
                let mut out = ContactSet::default();
                detector
                    .detect(&Placement::rigid(&[poses[i], moved], 0.0), &ContactSet::default(), &mut out)
                    .expect("ok");
                for mut c in out.contacts {
                    c.key.colliders = [i as u32, j as u32];
                    (0..D).for_each(|k| c.key.image[k] = image[k]);
                    c.shift = shift;
                    c.bodies = [colliders[i].body, colliders[j].body];
                    all.push(c);
                }
            }
        }
    }
    all.sort_by_key(|c| c.key);
    all
}

fn images<const D: usize>(settings: &DetectorSettings<D>) -> Vec<[i32; D]> {
    let mut list = vec![[0; D]];
    for k in 0..D {
        if settings.periodic.period[k].is_some() {
            list = list
                .iter()
                .flat_map(|m| (-3..=3).map(move |i| std::array::from_fn(|l| if l == k { i } else { m[l] })))
                .collect();
        }
    }
    list
}

fn same<const D: usize>(a: &[Contact<D>], b: &[Contact<D>]) {
    let keys = |c: &[Contact<D>]| c.iter().map(|c| c.key).collect::<Vec<_>>();
    assert_eq!(keys(a), keys(b));
    for (a, b) in a.iter().zip(b) {
        assert_eq!(a.bodies, b.bodies);
        assert!((a.gap - b.gap).abs() < 1e-10 && (a.shift - b.shift).norm() < 1e-12, "{a:?} {b:?}");
        assert!((a.points[0] - b.points[0]).norm() < 1e-6, "{a:?} {b:?}");
        assert!((a.frame.column(0) - b.frame.column(0)).norm() < 1e-6, "{a:?} {b:?}");
    }
}

/// Broad phase with reuse, periodic in every subset of the axes, equals all pairs.
#[test]
fn scenes_of_the_plane_equal_brute_force() {
    let mut rng = StdRng::seed_from_u64(3);
    for trial in 0..24 {
        let period = [(trial % 2 == 1).then_some(1.0), (trial / 2 % 2 == 1).then_some(1.25)];
        let periodic = Periodic::new(period, [0.1, -0.2]);
        let settings = DetectorSettings { margin: 0.01, skin: Some(0.02), periodic };
        let mut colliders: Vec<Collider<2>> = (0..40).map(|i| Collider::new(i, random_shape2(&mut rng))).collect();
        colliders.push(Collider::new(40, Shape2::half_plane([0.1, 1.0]).expect("ok")).fixed());
        colliders.push(Collider::new(41, Shape2::rectangle(0.9, 0.02).expect("ok")).fixed());
        let mut poses: Vec<_> = (0..42).map(|_| random_pose2(&mut rng, 1.0)).collect();
        poses[40] = Pose::identity();
        if trial >= 4 {
            poses[..40].iter_mut().for_each(|p| p.position.x += if period[0].is_some() { 2.0 } else { 0.0 });
            poses[3].position.y -= if period[1].is_some() { 1.25 } else { 0.0 };
        }
        let mut detector = Detector::new(colliders.clone(), settings).expect("ok");
        let mut set = ContactSet::default();
        for _ in 0..4 {
            let old = set.clone();
            detector.detect(&Placement::rigid(&poses, 0.0), &old, &mut set).expect("ok");
            assert!(set.contacts.len() > 10);
            same(&set.contacts, &brute(&colliders, &poses, &settings));
            poses[..40].iter_mut().for_each(|p| p.position.x += rng.random_range(-0.008..0.008));
        }
        assert!(detector.builds() < 4, "the list is reused");
    }
}

/// Images of a sheared box that moves on between the steps, with reuse, equal all pairs with all images; a displacement of
/// whole periods gives the contacts of none, with other names of images.
#[test]
fn sheared_boxes_equal_brute_force() {
    let mut rng = StdRng::seed_from_u64(5);
    for trial in 0..12 {
        let (flow, gradient) = ([0, 1][trial % 2], [1, 0][trial % 2]);
        let colliders: Vec<Collider<2>> = (0..40).map(|i| Collider::new(i, random_shape2(&mut rng))).collect();
        let mut poses: Vec<_> = (0..42).map(|_| random_pose2(&mut rng, 1.0)).collect();
        let offset = rng.random_range(-0.4..0.4);
        poses[40] = Pose::at([1.0, 1.05].into());
        poses[41] = Pose::at(Vector::from_fn(|k, _| if k == flow { offset } else { 0.0 }));
        let shear = Shear { flow, gradient, body: Some(41), offset: 0.0, rate: 0.0 };
        let mut periodic = Periodic::new([Some(1.0), Some(1.05)], [0.1, -0.2]);
        (periodic.lengths, periodic.shear) = (Some(40), Some(shear));
        let settings = DetectorSettings { margin: 0.01, skin: Some(0.03), periodic };
        let mut detector = Detector::new(colliders.clone(), settings).expect("ok");
        let mut set = ContactSet::default();
        for _ in 0..4 {
            detector.detect(&Placement::rigid(&poses, 0.0), &ContactSet::default(), &mut set).expect("ok");
            let now = *detector.settings();
            assert_eq!(now.periodic.translation(&[1, 0])[0], poses[40].position.x);
            assert!(set.contacts.len() > 10 && set.contacts.iter().any(|c| c.key.image[gradient] != 0));
            same(&set.contacts, &brute(&colliders, &poses, &now));
            poses[..40].iter_mut().for_each(|p| p.position.x += rng.random_range(-0.004..0.004));
            poses[40].position += Vector::<2>::new(-0.001, 0.002);
            poses[41].position[flow] += 0.004;
        }
        assert!(detector.builds() < 4, "the list is reused");
        let length = poses[40].position[flow];
        detector.detect(&Placement::rigid(&poses, 0.0), &ContactSet::default(), &mut set).expect("ok");
        let before = set.clone();
        poses[41].position[flow] += 2.0 * length;
        let mut other = Detector::new(colliders, settings).expect("ok");
        other.detect(&Placement::rigid(&poses, 0.0), &ContactSet::default(), &mut set).expect("ok");
        for c in &mut set.contacts {
            c.key.image[flow] += 2 * c.key.image[gradient];
        }
        set.contacts.sort_by_key(|c| c.key);
        same(&set.contacts, &before.contacts);
    }
}

#[test]
fn scenes_of_space_equal_brute_force() {
    let mut rng = StdRng::seed_from_u64(4);
    for trial in 0..8 {
        let period = std::array::from_fn(|k| (trial >> k & 1 == 1).then_some(1.0));
        let settings = DetectorSettings { margin: 0.01, skin: Some(0.02), periodic: Periodic::new(period, [0.0; 3]) };
        let mut colliders: Vec<Collider<3>> = (0..30).map(|i| Collider::new(i, random_shape3(&mut rng))).collect();
        colliders.push(Collider::new(30, Shape3::half_space([0.0, 0.1, 1.0]).expect("ok")).fixed());
        let mut poses: Vec<_> = (0..31).map(|_| random_pose3(&mut rng, 0.999)).collect();
        poses[30] = Pose::identity();
        let mut detector = Detector::new(colliders.clone(), settings).expect("ok");
        let mut set = ContactSet::default();
        for _ in 0..3 {
            detector.detect(&Placement::rigid(&poses, 0.0), &ContactSet::default(), &mut set).expect("ok");
            assert!(set.contacts.len() > 10);
            let brute = brute(&colliders, &poses, &settings);
            // Cylinders go through GJK, whose last digits depend on the place: compare the rest.
            let exact = |c: &&Contact<3>| {
                c.key.colliders.iter().all(|&i| !matches!(colliders[i as usize].shape, Shape3::Cylinder { .. }))
            };
            let keep = |c: &[Contact<3>]| c.iter().filter(exact).copied().collect::<Vec<_>>();
            same(&keep(&set.contacts), &keep(&brute));
            poses[..30].iter_mut().for_each(|p| p.position.x += rng.random_range(-0.008..0.008));
        }
    }
}

/// The deepest point of every pair agrees with parry's own closest points and depths.
#[test]
fn plane_agrees_with_gjk() {
    use parry2d_f64::math::{Pose as P, Vector as V};
    use parry2d_f64::shape::{Ball, Capsule, ConvexPolygon, Segment, Shape};
    let parry = |s: &Shape2| -> Box<dyn Shape> {
        match s {
            Shape2::Disc { radius } => Box::new(Ball::new(*radius)),
            Shape2::Capsule { half_length: l, radius } => {
                Box::new(Capsule::new(V::new(-l, 0.0), V::new(*l, 0.0), *radius))
            }
            Shape2::Segment { a, b } => Box::new(Segment::new(V::new(a.x, a.y), V::new(b.x, b.y))),
            _ => {
                let points = s.surface(4, 1.0).points.iter().map(|p| V::new(p.x, p.y)).collect();
                Box::new(ConvexPolygon::from_convex_polyline(points).expect("convex"))
            }
        }
    };
    let mut rng = StdRng::seed_from_u64(5);
    let (mut overlapping, mut apart) = (0, 0);
    for _ in 0..20_000 {
        let shapes = [random_shape2(&mut rng), random_shape2(&mut rng)];
        let poses = [random_pose2(&mut rng, 0.25), random_pose2(&mut rng, 0.25)];
        let colliders = (0..2).map(|i| Collider::new(i, shapes[i as usize].clone())).collect();
        let mut detector =
            Detector::new(colliders, DetectorSettings { margin: 0.05, ..Default::default() }).expect("ok");
        let mut set = ContactSet::default();
        detector.detect(&Placement::rigid(&poses, 0.0), &ContactSet::default(), &mut set).expect("ok");
        let pose =
            |p: &Pose<2>| P::new(V::new(p.position.x, p.position.y), p.rotation[(1, 0)].atan2(p.rotation[(0, 0)]));
        let (a, b) = (parry(&shapes[0]), parry(&shapes[1]));
        let theirs = parry2d_f64::query::contact(&pose(&poses[0]), &*a, &pose(&poses[1]), &*b, 0.05).expect("known");
        let ours = set.contacts.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
        // Two thin shapes that cross have no depth to agree on.
        if shapes.iter().any(|s| matches!(s, Shape2::Segment { .. })) && ours <= 0.0 {
            continue;
        }
        match theirs {
            Some(c) => assert!((c.dist - ours).abs() < 1e-7, "{} {ours} {shapes:?} {poses:?}", c.dist),
            None => assert!(set.contacts.is_empty() || ours > 0.05 - 1e-9),
        }
        overlapping += usize::from(ours < 0.0);
        apart += usize::from(ours > 0.0 && ours < 0.05);
    }
    assert!(overlapping > 2000 && apart > 2000, "{overlapping} {apart}");
}

#[test]
fn space_agrees_with_gjk() {
    use parry3d_f64::math::{Pose as P, Rotation as R, Vector as V};
    use parry3d_f64::shape::{Ball, Capsule, ConvexPolyhedron, Shape};
    let parry = |s: &Shape3| -> Box<dyn Shape> {
        match s {
            Shape3::Sphere { radius } => Box::new(Ball::new(*radius)),
            Shape3::Capsule { half_length: l, radius } => {
                Box::new(Capsule::new(V::new(0.0, 0.0, -l), V::new(0.0, 0.0, *l), *radius))
            }
            _ => {
                let points: Vec<V> = s.surface(4, 1.0).points.iter().map(|p| V::new(p.x, p.y, p.z)).collect();
                Box::new(ConvexPolyhedron::from_convex_hull(&points).expect("hull"))
            }
        }
    };
    let mut rng = StdRng::seed_from_u64(6);
    let (mut overlapping, mut apart, mut close, mut all) = (0, 0, 0, 0);
    for _ in 0..6000 {
        let mut shape = || loop {
            let s = random_shape3(&mut rng);
            if !matches!(s, Shape3::Cylinder { .. }) {
                return s;
            }
        };
        let shapes = [shape(), shape()];
        let poses = [random_pose3(&mut rng, 0.25), random_pose3(&mut rng, 0.25)];
        let colliders = (0..2).map(|i| Collider::new(i, shapes[i as usize].clone())).collect();
        let mut detector =
            Detector::new(colliders, DetectorSettings { margin: 0.05, ..Default::default() }).expect("ok");
        let mut set = ContactSet::default();
        detector.detect(&Placement::rigid(&poses, 0.0), &ContactSet::default(), &mut set).expect("ok");
        let pose = |p: &Pose<3>| {
            let q = nalgebra::UnitQuaternion::from_matrix(&p.rotation);
            let r = R::from_xyzw(q.i, q.j, q.k, q.w);
            P::from_parts(V::new(p.position.x, p.position.y, p.position.z), r)
        };
        let (a, b) = (parry(&shapes[0]), parry(&shapes[1]));
        let theirs = parry3d_f64::query::contact(&pose(&poses[0]), &*a, &pose(&poses[1]), &*b, 0.05).expect("known");
        let ours = set.contacts.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
        // GJK may stop early: it is then farther than ours, whose witness points are on the shapes.
        let Some(c) = theirs else {
            assert!(set.contacts.is_empty() || ours > 0.05 - 1e-4);
            continue;
        };
        assert!(ours < c.dist + 1e-7 || (ours < 0.0 && ours < c.dist + 2e-5), "{} {ours} {shapes:?} {poses:?}", c.dist);
        assert!(ours > c.dist - 1e-3, "{} {ours} {shapes:?} {poses:?}", c.dist);
        close += usize::from((ours - c.dist).abs() < 1e-7);
        all += 1;
        let deepest = set.contacts.iter().min_by(|a, b| a.gap.total_cmp(&b.gap)).expect("parry has one");
        for (k, shape) in [&a, &b].into_iter().enumerate() {
            let p = deepest.points[k];
            let distance = shape.distance_to_point(&pose(&poses[k]), V::new(p.x, p.y, p.z), true);
            assert!(distance < 1e-9, "{distance} {deepest:?} {shapes:?} {poses:?}");
        }
        overlapping += usize::from(ours < 0.0);
        apart += usize::from(ours > 0.0 && ours < 0.05);
    }
    assert!(overlapping > 500 && apart > 500, "{overlapping} {apart}");
    assert!(close * 100 > all * 97, "{close} of {all}");
}
