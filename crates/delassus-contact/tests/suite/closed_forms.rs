//! Contacts whose gap, normal and number are known by hand.

use delassus_contact::*;

type V2 = Vector<2>;
type V3 = Vector<3>;

fn two(a: (Shape2, Pose<2>), b: (Shape2, Pose<2>), margin: f64) -> Vec<Contact<2>> {
    let colliders = vec![Collider::new(0, a.0), Collider::new(1, b.0)];
    let settings = DetectorSettings { margin, ..Default::default() };
    let mut detector = Detector::new(colliders, settings).expect("valid");
    let mut out = ContactSet::default();
    detector.detect(&Placement::rigid(&[a.1, b.1], 0.0), &ContactSet::default(), &mut out).expect("detected");
    out.contacts
}

fn three(a: (Shape3, Pose<3>), b: (Shape3, Pose<3>), margin: f64) -> Vec<Contact<3>> {
    let fixed = b.0.must_be_fixed();
    let mut second = Collider::new(1, b.0);
    second.fixed = fixed;
    let colliders = vec![Collider::new(0, a.0), second];
    let settings = DetectorSettings { margin, ..Default::default() };
    let mut detector = Detector::new(colliders, settings).expect("valid");
    let mut out = ContactSet::default();
    detector.detect(&Placement::rigid(&[a.1, b.1], 0.0), &ContactSet::default(), &mut out).expect("detected");
    out.contacts
}

fn at2(x: f64, y: f64, angle: f64) -> Pose<2> {
    Pose::planar(x, y, angle)
}

fn at3(x: f64, y: f64, z: f64) -> Pose<3> {
    Pose::at(V3::new(x, y, z))
}

fn turned(axis: V3, angle: f64, x: V3) -> Pose<3> {
    let r = nalgebra::Rotation3::from_axis_angle(&nalgebra::Unit::new_normalize(axis), angle);
    Pose { position: x, rotation: *r.matrix() }
}

/// What every contact must satisfy: n unit, gap = n·(p1 − p2), frame a rotation.
fn check<const D: usize>(contacts: &[Contact<D>]) {
    for c in contacts {
        let n: Vector<D> = c.frame.column(0).into();
        assert!((n.norm() - 1.0).abs() < 1e-12);
        let d = c.points[0] - c.points[1];
        assert!((n.dot(&d) - c.gap).abs() < 1e-9, "{c:?}");
        assert!((c.frame.transpose() * c.frame - Rotation::<D>::identity()).norm() < 1e-12);
    }
    for pair in contacts.windows(2) {
        assert!(pair[0].key < pair[1].key, "keys must differ and be sorted");
    }
}

#[test]
fn two_discs() {
    let (a, b) = (Shape2::disc(1.0).expect("ok"), Shape2::disc(2.0).expect("ok"));
    let c = two((a, at2(3.0, 4.0, 0.3)), (b, at2(0.0, 0.5, 0.0)), 2.0);
    check(&c);
    let d = V2::new(3.0, 3.5);
    assert_eq!(c.len(), 1);
    assert!((c[0].gap - (d.norm() - 3.0)).abs() < 1e-15);
    assert!((c[0].frame.column(0) - d.normalize()).norm() < 1e-15);
}

/// A box on a longer box: two points at the ends of the shorter edge; the same moved sideways.
#[test]
fn box_on_box_has_two_points_at_the_ends_of_the_overlap() {
    for shift in [0.0, 0.3, 1.8, -1.2] {
        let top = Shape2::rectangle(2.0, 1.0).expect("ok");
        let floor = Shape2::rectangle(4.0, 1.0).expect("ok");
        let c = two((top, at2(shift, 0.999, 0.0)), (floor, at2(0.0, 0.0, 0.0)), 1e-9);
        check(&c);
        assert_eq!(c.len(), 2);
        let mut x: Vec<f64> = c.iter().map(|c| c.points[0].x).collect();
        x.sort_by(f64::total_cmp);
        assert!((x[0] - (shift - 1.0f64).max(-2.0)).abs() < 1e-14 && (x[1] - (shift + 1.0f64).min(2.0)).abs() < 1e-14);
        assert!(c.iter().all(|c| (c.gap + 0.001).abs() < 1e-14 && c.frame[(1, 0)] == 1.0));
    }
}

/// A box standing on a corner touches a floor at one point.
#[test]
fn corner_on_edge_is_one_point() {
    let b = Shape2::rectangle(1.0, 1.0).expect("ok");
    let floor = Shape2::rectangle(4.0, 1.0).expect("ok");
    let y = 0.5 + 0.5f64.sqrt() - 1e-4;
    let c = two((b, at2(0.2, y, std::f64::consts::FRAC_PI_4)), (floor, at2(0.0, 0.0, 0.0)), 1e-6);
    check(&c);
    assert_eq!(c.len(), 1);
    assert!((c[0].gap + 1e-4).abs() < 1e-14 && (c[0].points[0].x - 0.2).abs() < 1e-12);
}

/// Parallel capsules: two points; crossed or end to end: one.
#[test]
fn capsules() {
    let capsule = || Shape2::capsule(1.0, 0.25).expect("ok");
    let c = two((capsule(), at2(0.5, 0.49, 0.0)), (capsule(), at2(0.0, 0.0, 0.0)), 1e-9);
    check(&c);
    assert_eq!(c.len(), 2);
    assert!(c.iter().all(|c| (c.gap + 0.01).abs() < 1e-14));
    let c = two((capsule(), at2(2.4, 0.0, 0.0)), (capsule(), at2(0.0, 0.0, 0.0)), 1e-9);
    check(&c);
    assert_eq!(c.len(), 1);
    assert!((c[0].gap + 0.1).abs() < 1e-14);
    let capsule = || Shape3::capsule(1.0, 0.25).expect("ok");
    let c = three((capsule(), at3(0.49, 0.0, 0.5)), (capsule(), at3(0.0, 0.0, 0.0)), 1e-9);
    check(&c);
    assert_eq!(c.len(), 2);
    assert!(c.iter().all(|c| (c.gap + 0.01).abs() < 1e-14));
    let c = three((capsule(), turned(V3::x(), 1.0, V3::new(0.49, 0.0, 0.1))), (capsule(), at3(0.0, 0.0, 0.0)), 1e-9);
    check(&c);
    assert_eq!(c.len(), 1);
    assert!((c[0].gap + 0.01).abs() < 1e-14);
}

/// Disc against the side and against the corner of a box.
#[test]
fn disc_on_box_and_corner() {
    let disc = || Shape2::disc(0.5).expect("ok");
    let b = || Shape2::rectangle(2.0, 2.0).expect("ok");
    let c = two((disc(), at2(0.3, 1.4, 0.0)), (b(), at2(0.0, 0.0, 0.0)), 1e-9);
    assert!(c.len() == 1 && (c[0].gap + 0.1).abs() < 1e-14);
    let c = two((disc(), at2(1.3, 1.4, 0.0)), (b(), at2(0.0, 0.0, 0.0)), 1e-9);
    assert!(c.len() == 1 && (c[0].gap).abs() < 1e-14, "3-4-5: {c:?}");
    assert!((c[0].frame.column(0) - V2::new(0.6, 0.8)).norm() < 1e-12);
    // Centre inside: the nearest side.
    let c = two((disc(), at2(0.3, 0.9, 0.0)), (b(), at2(0.0, 0.0, 0.0)), 1e-9);
    assert!(c.len() == 1 && (c[0].gap + 0.6).abs() < 1e-14);
    check(&c);
}

/// A box over the joints of a flat polyline: two points, none at the joints, none sideways.
#[test]
fn box_on_flat_polyline_is_not_caught_by_its_joints() {
    for k in 0..40 {
        let x = 0.4 + 0.03 * f64::from(k) + 1e-7;
        let line = Shape2::polyline(&[[0.0, 0.0], [1.0, 0.0], [1.5, 0.0], [2.0, 0.0], [5.0, 0.0]], false).expect("ok");
        let b = Shape2::rectangle(0.7, 0.5).expect("ok");
        let c = two((b, at2(x, 0.25 - 1e-5, 0.0)), (line, at2(0.0, 0.0, 0.0)), 1e-9);
        check(&c);
        assert_eq!(c.len(), 2, "{x}: {c:?}");
        assert!(c.iter().all(|c| (c.gap + 1e-5).abs() < 1e-14 && (c.frame[(1, 0)] - 1.0).abs() < 1e-14));
    }
}

/// A wide box over a convex joint of a polyline rests on the joint.
#[test]
fn box_on_a_ridge() {
    let line = Shape2::polyline(&[[-2.0, -1.0], [0.0, 0.0], [2.0, -1.0]], false).expect("ok");
    let b = Shape2::rectangle(2.0, 0.5).expect("ok");
    let c = two((b, at2(0.3, 0.25 - 1e-5, 0.0)), (line, at2(0.0, 0.0, 0.0)), 1e-9);
    check(&c);
    assert_eq!(c.len(), 1, "{c:?}");
    assert!(c[0].points[1].norm() < 1e-4 && (c[0].frame[(1, 0)] - 1.0).abs() < 1e-12);
}

#[test]
fn half_planes_and_walls_agree() {
    let polygon = || Shape2::polygon(&[[-1.0, -1.0], [1.0, -1.0], [1.2, 1.0], [-1.0, 1.5]]).expect("ok");
    let a =
        two((polygon(), at2(0.2, 0.999, 0.0)), (Shape2::half_plane([0.0, 2.0]).expect("ok"), at2(0.0, 0.0, 0.0)), 1e-6);
    let b = two((polygon(), at2(0.2, 0.999, 0.0)), (Shape2::wall("-y").expect("ok"), at2(0.0, 0.0, 0.0)), 1e-6);
    check(&a);
    check(&b);
    assert_eq!(a.len(), 2);
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(&b) {
        assert!((a.gap - b.gap).abs() < 1e-15 && (a.gap + 1e-3).abs() < 1e-12);
        assert!((a.frame - b.frame).norm() < 1e-15);
    }
}

/// A wall that moves by its expression: w_N = −f_t/|∇f|, in either order of the colliders.
#[test]
fn moving_wall_gives_the_rate_of_the_gap() {
    for first in [true, false] {
        let wall = Shape2::wall("2*(y - 3 - 0.5*sin(4*t))").expect("ok");
        let mut colliders = vec![Collider::new(0, Shape2::Point), Collider::new(1, wall).fixed()];
        if !first {
            colliders.reverse();
        }
        let mut detector =
            Detector::new(colliders, DetectorSettings { margin: 1.0, ..Default::default() }).expect("ok");
        let mut gap = |t: f64| {
            let mut out = ContactSet::default();
            let poses = [at2(0.4, 2.8, 0.0), at2(0.0, 0.0, 0.0)];
            detector.detect(&Placement::rigid(&poses, t), &ContactSet::default(), &mut out).expect("ok");
            assert_eq!(out.contacts.len(), 1);
            out.contacts[0]
        };
        let c = gap(0.3);
        let numeric = (gap(0.3 + 1e-6).gap - gap(0.3 - 1e-6).gap) / 2e-6;
        let w = c.frame.column(0).dot(&c.wall_velocity);
        assert!((w - numeric).abs() < 1e-8 && (w - 2.0 * 1.2f64.cos()).abs() < 1e-12);
        assert!((c.gap - (0.2 + 0.5 * 1.2f64.sin())).abs() < 1e-14);
        check(&[c]);
    }
}

#[test]
fn box_on_box_in_space_has_four_points() {
    for (dx, dy, angle, n) in [(0.0, 0.0, 0.0, 4), (0.3, 0.1, 0.0, 4), (0.0, 0.0, 0.5, 8), (2.5, 2.5, 0.785, 4)] {
        let b = Shape3::cuboid([1.0, 1.0, 1.0]).expect("ok");
        let size = if dx > 1.0 { 8.0 } else { 1.0 };
        let floor = Shape3::cuboid([size, size, 1.0]).expect("ok");
        let c = three((b, turned(V3::z(), angle, V3::new(dx, dy, 0.999))), (floor, at3(0.0, 0.0, 0.0)), 1e-9);
        check(&c);
        assert_eq!(c.len(), n, "{dx} {dy} {angle}: {c:#?}");
        assert!(c.iter().all(|c| (c.gap + 1e-3).abs() < 1e-12 && (c.frame[(2, 0)] - 1.0).abs() < 1e-12));
    }
}

/// Two long boxes crossed, resting edge on edge, and a corner on a face.
#[test]
fn edges_and_corners_in_space() {
    let bar = || Shape3::cuboid([4.0, 1.0, 1.0]).expect("ok");
    let half = 0.5f64.sqrt();
    let up = turned(V3::x(), std::f64::consts::FRAC_PI_4, V3::new(0.1, 0.2, 2.0 * half - 1e-3));
    let down = Pose {
        position: V3::zeros(),
        rotation: turned(V3::z(), std::f64::consts::FRAC_PI_2, V3::zeros()).rotation
            * turned(V3::x(), std::f64::consts::FRAC_PI_4, V3::zeros()).rotation,
    };
    let c = three((bar(), up), (bar(), down), 1e-9);
    check(&c);
    assert_eq!(c.len(), 1, "{c:?}");
    assert!((c[0].gap + 1e-3).abs() < 1e-12 && (c[0].frame[(2, 0)] - 1.0).abs() < 1e-12);
    assert!((c[0].points[0] - V3::new(0.0, 0.2, half - 1e-3)).norm() < 1e-9);
    // A cube on its corner: the height of its centre is half the diagonal.
    let tilt = turned(V3::new(1.0, -1.0, 0.0), (1.0 / 3f64.sqrt()).acos(), V3::new(0.0, 0.0, 0.75f64.sqrt() - 1e-4));
    let cube = Shape3::cuboid([1.0; 3]).expect("ok");
    for floor in [Shape3::cuboid([4.0, 4.0, 1.0]).expect("ok"), Shape3::half_space([0.0, 0.0, 1.0]).expect("ok")] {
        let z = if floor.is_unbounded() { 0.0 } else { -0.5 };
        let c = three((cube.clone(), tilt), (floor, at3(0.0, 0.0, z)), 1e-6);
        check(&c);
        assert_eq!(c.len(), 1, "{c:?}");
        assert!((c[0].gap + 1e-4).abs() < 1e-12);
    }
}

/// A cylinder: lying, standing, tilted on a plane; standing on a box; lying on a box.
#[test]
fn cylinders() {
    let cylinder = || Shape3::cylinder(1.0, 0.5).expect("ok");
    let floor = || Shape3::half_space([0.0, 0.0, 1.0]).expect("ok");
    let lying = turned(V3::x(), std::f64::consts::FRAC_PI_2, V3::new(0.1, 0.2, 0.499));
    let boxed = || Shape3::cuboid([4.0, 4.0, 2.0]).expect("ok");
    for (f, z) in [(floor(), 0.0), (boxed(), -1.0)] {
        let c = three((cylinder(), lying), (f.clone(), at3(0.0, 0.0, z)), 1e-9);
        check(&c);
        assert_eq!(c.len(), 2, "{c:?}");
        assert!(c.iter().all(|c| (c.gap + 1e-3).abs() < 1e-9));
        let c = three((cylinder(), at3(0.0, 0.0, 0.999)), (f, at3(0.0, 0.0, z)), 1e-9);
        check(&c);
        assert_eq!(c.len(), 8, "{c:?}");
        assert!(c.iter().all(|c| (c.gap + 1e-3).abs() < 1e-9));
    }
    let angle: f64 = 0.7;
    let c = three((cylinder(), turned(V3::x(), angle, V3::zeros())), (floor(), at3(0.0, 0.0, -1.0)), 1e-3);
    let depth = 1.0 - angle.cos() - 0.5 * angle.sin();
    assert_eq!(c.len(), 1);
    assert!((c[0].gap - depth).abs() < 1e-14);
    let sphere = Shape3::sphere(0.3).expect("ok");
    let c = three((sphere, at3(0.7, 0.0, 0.0)), (cylinder(), at3(0.0, 0.0, 0.0)), 1e-3);
    check(&c);
    assert!(c.len() == 1 && (c[0].gap + 0.1).abs() < 1e-14);
}

/// A box and a ball on a flat floor of triangles: as on a plane, whatever the triangles.
#[test]
fn flat_mesh_is_a_plane() {
    let n = 6;
    let flat = || Shape3::height_field([3.0, 3.0], [n, n], &vec![0.0; n * n]).expect("ok");
    for k in 0..60 {
        let (x, y) = (0.8 * (1.7 * f64::from(k)).sin(), 0.8 * (2.3 * f64::from(k)).cos());
        let b = Shape3::cuboid([0.9, 0.7, 0.4]).expect("ok");
        let pose = turned(V3::z(), 0.1 * f64::from(k), V3::new(x, y, 0.2 - 1e-5));
        let c = three((b, pose), (flat(), at3(0.0, 0.0, 0.0)), 1e-9);
        check(&c);
        assert_eq!(c.len(), 4, "{k}: {c:#?}");
        assert!(c.iter().all(|c| (c.gap + 1e-5).abs() < 1e-12 && (c.frame[(2, 0)] - 1.0).abs() < 1e-12), "{c:#?}");
        let ball = Shape3::sphere(0.3).expect("ok");
        let c = three((ball, at3(x, y, 0.3 - 1e-4)), (flat(), at3(0.0, 0.0, 0.0)), 1e-9);
        check(&c);
        assert_eq!(c.len(), 1, "{k}: {c:?}");
        assert!((c[0].gap + 1e-4).abs() < 1e-12 && (c[0].frame[(2, 0)] - 1.0).abs() < 1e-12);
        let capsule = Shape3::capsule(0.3, 0.2).expect("ok");
        let down = turned(
            V3::new((0.3 * f64::from(k)).cos(), (0.3 * f64::from(k)).sin(), 0.0),
            std::f64::consts::FRAC_PI_2,
            V3::new(x, y, 0.2 - 1e-4),
        );
        let c = three((capsule, down), (flat(), at3(0.0, 0.0, 0.0)), 1e-9);
        check(&c);
        assert_eq!(c.len(), 2, "{k}: {c:#?}");
        assert!(c.iter().all(|c| (c.gap + 1e-4).abs() < 1e-12));
    }
}
