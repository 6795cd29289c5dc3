//! A warm detection allocates nothing. Reference: a counting allocator.

use crate::counting::allocations;
use delassus_contact::*;

fn warm<const D: usize>(colliders: Vec<Collider<D>>, poses: &mut [Pose<D>], periodic: Periodic<D>)
where
    Dim<D>: Space<D>,
{
    let settings = DetectorSettings { margin: 1e-3, skin: Some(0.005), periodic };
    let mut detector = Detector::new(colliders, settings).expect("ok");
    let (mut old, mut new) = (ContactSet::default(), ContactSet::default());
    let start = poses.to_vec();
    let mut run = |poses: &mut [Pose<D>], steps: i32| {
        poses.copy_from_slice(&start);
        for k in 0..steps {
            // Large enough to rebuild the list of pairs now and then.
            let step = 0.02 * f64::from(k).sin();
            poses.iter_mut().step_by(2).for_each(|p| p.position[0] += step);
            detector.detect(&Placement::rigid(poses, 0.1 * f64::from(k)), &old, &mut new).expect("ok");
            std::mem::swap(&mut old, &mut new);
        }
        (detector.builds(), old.contacts.len())
    };
    run(poses, 40);
    let before = allocations();
    let (builds, contacts) = run(poses, 40);
    assert_eq!(allocations(), before);
    assert!(builds > 3 && contacts > 20, "{builds} {contacts}");
}

#[test]
fn a_warm_detection_allocates_nothing() {
    let plane = [
        Shape2::disc(0.3),
        Shape2::rectangle(0.5, 0.4),
        Shape2::polygon(&[[-0.3, -0.2], [0.3, -0.2], [0.0, 0.4]]),
        Shape2::capsule(0.2, 0.2),
    ]
    .map(|s| s.expect("ok"));
    let mut colliders: Vec<Collider<2>> =
        (0..100).map(|i| Collider::<2>::new(i, plane[i as usize % 4].clone())).collect();
    colliders.push(Collider::<2>::new(100, Shape2::half_plane([0.0, 1.0]).expect("ok")).fixed());
    colliders.push(Collider::<2>::new(101, Shape2::wall("x - 4.5 - 0.1*sin(t)").expect("ok")).fixed());
    colliders.push(
        Collider::<2>::new(102, Shape2::polyline(&[[0.0, 0.2], [2.0, 0.1], [5.0, 0.3]], false).expect("ok")).fixed(),
    );
    let at = |i: i32| Pose::planar(0.5 * f64::from(i % 10), 0.3 + 0.5 * f64::from(i / 10), 0.3 * f64::from(i));
    let mut poses: Vec<_> = (0..103).map(|i| if i < 100 { at(i) } else { Pose::identity() }).collect();
    warm(colliders.clone(), &mut poses, Periodic::default());
    colliders.pop();
    warm(colliders, &mut poses, Periodic::new([None, Some(6.0)], [0.0; 2]));

    let space = [
        Shape3::sphere(0.3),
        Shape3::cuboid([0.5, 0.4, 0.5]),
        Shape3::capsule(0.2, 0.2),
        Shape3::cylinder(0.2, 0.3),
        Shape3::polyhedron(&[[-0.3, -0.3, -0.2], [0.3, -0.2, -0.2], [0.0, 0.4, -0.2], [0.0, 0.0, 0.4]]),
    ]
    .map(|s| s.expect("ok"));
    let mut colliders: Vec<Collider<3>> =
        (0..125).map(|i| Collider::<3>::new(i, space[i as usize % 5].clone())).collect();
    colliders.push(Collider::<3>::new(125, Shape3::half_space([0.0, 0.0, 1.0]).expect("ok")).fixed());
    let heights: Vec<f64> = (0..64).map(|i| 0.1 * f64::from(i).sin()).collect();
    colliders.push(Collider::<3>::new(126, Shape3::height_field([6.0, 6.0], [8, 8], &heights).expect("ok")).fixed());
    let mut poses: Vec<Pose<3>> = (0..127)
        .map(|i| if i < 125 { i } else { 0 })
        .map(|i| Vector::<3>::new(f64::from(i % 5), f64::from(i / 5 % 5), f64::from(i / 25)) * 0.5)
        .map(Pose::at)
        .collect();
    (poses[125], poses[126]) = (Pose::identity(), Pose::identity());
    warm(colliders, &mut poses, Periodic::default());
}
