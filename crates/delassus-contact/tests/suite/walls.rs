//! Analytic walls that meet the middle of edges and faces, against closed forms.

use delassus_contact::{
    Collider, Contact, ContactSet, Detector, DetectorSettings, Dim, Placement, Pose, Shape2, Shape3, Space, Vector,
};

fn contacts<const D: usize>(shapes: [<Dim<D> as Space<D>>::Shape; 2], pose: Pose<D>, margin: f64) -> Vec<Contact<D>>
where
    Dim<D>: Space<D>,
{
    let [body, wall] = shapes;
    let mut fixed = Collider::<D>::new(1, wall);
    fixed.fixed = true;
    let settings = DetectorSettings { margin, ..Default::default() };
    let mut detector = Detector::new(vec![Collider::new(0, body), fixed], settings).expect("valid");
    let mut set = ContactSet::default();
    detector
        .detect(&Placement::rigid(&[pose, Pose::identity()], 0.0), &ContactSet::default(), &mut set)
        .expect("defined");
    set.contacts
}

/// A plank over a round obstacle touches it where the edge is nearest to the centre: the gap is the distance of
/// the centre from the line less the radius, whatever the tilt; exactly one contact.
#[test]
fn planks_rest_on_a_round_obstacle() {
    for (tilt, along, gap) in
        [(0.0, 0.0, 0.0), (0.3, 0.5, -1e-3), (-0.7, -0.9, 1e-3), (0.0, 1.3, -1e-2), (1.2, 0.01, 0.0)]
    {
        let wall = Shape2::wall("1 - x^2 - y^2").expect("valid");
        let plank = Shape2::rectangle(4.0, 0.2).expect("valid");
        let up = Vector::<2>::new(-f64::sin(tilt), f64::cos(tilt));
        let right = Vector::<2>::new(f64::cos(tilt), f64::sin(tilt));
        let centre = up * (1.0 + gap + 0.1) - right * along;
        let found = contacts::<2>([plank, wall], Pose::planar(centre.x, centre.y, tilt), 2e-3);
        assert_eq!(found.len(), 1, "{found:?}");
        let c = &found[0];
        assert!((c.gap - gap).abs() < 1e-12, "{} {gap}", c.gap);
        assert!((c.frame.column(0) - up).norm() < 1e-9, "{:?}", c.frame);
        assert!((c.points[0] - up * (1.0 + gap)).norm() < 1e-7 && (c.points[1] - up).norm() < 1e-7, "{:?}", c.points);
    }
}

/// The same with the rounded edge of a capsule.
#[test]
fn capsules_rest_on_a_round_obstacle() {
    let shapes = [Shape2::capsule(2.0, 0.25).expect("valid"), Shape2::wall("1 - x^2 - y^2").expect("valid")];
    let found = contacts::<2>(shapes, Pose::planar(0.7, 1.249, 0.0), 0.0);
    assert_eq!(found.len(), 1);
    assert!((found[0].gap + 1e-3).abs() < 1e-12 && found[0].points[1].x.abs() < 1e-7);
    let shapes = [Shape3::capsule(2.0, 0.25).expect("valid"), Shape3::wall("1 - x^2 - y^2 - z^2").expect("valid")];
    // The axis of a capsule in space is z.
    let found = contacts::<3>(shapes, Pose::at(Vector::<3>::new(1.249, 0.0, 0.6)), 0.0);
    assert_eq!(found.len(), 1);
    assert!((found[0].gap + 1e-3).abs() < 1e-12 && found[0].points[1].z.abs() < 1e-7);
}

/// A long edge over two bumps of a wavy floor: two contacts, on the crests π/4 + k π/2 of sin 4x.
#[test]
fn one_edge_may_rest_on_two_crests() {
    let shapes = [Shape2::rectangle(2.2, 0.2).expect("valid"), Shape2::wall("-y + 0.1*sin(4*x)").expect("valid")];
    let pi = std::f64::consts::PI;
    let found = contacts::<2>(shapes, Pose::planar(3.0 * pi / 8.0, 0.2 - 1e-4, 0.0), 0.0);
    assert_eq!(found.len(), 2, "{found:?}");
    for (c, x) in found.iter().zip([pi / 8.0, 5.0 * pi / 8.0]) {
        assert!((c.gap + 1e-4).abs() < 1e-12 && (c.points[0].x - x).abs() < 1e-7, "{c:?}");
    }
    assert_ne!(found[0].key, found[1].key);
}

/// A slab over a ball: one contact inside its face; over a horizontal log: on two edges, where these cross it.
#[test]
fn slabs_rest_on_balls_and_logs() {
    let slab = || Shape3::cuboid([2.0, 1.6, 0.1]).expect("valid");
    let ball = Shape3::wall("0.25 - x^2 - y^2 - z^2").expect("valid");
    let found = contacts::<3>([slab(), ball], Pose::at(Vector::<3>::new(0.43, -0.31, 0.5495)), 0.0);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!((found[0].gap + 5e-4).abs() < 1e-12 && found[0].points[1].xy().norm() < 1e-6, "{found:?}");
    assert!((found[0].frame[(2, 0)] - 1.0).abs() < 1e-9);
    let log = Shape3::wall("0.25 - x^2 - z^2").expect("valid");
    let found = contacts::<3>([slab(), log], Pose::at(Vector::<3>::new(0.43, 0.0, 0.5495)), 0.0);
    assert_eq!(found.len(), 2, "{found:?}");
    for c in &found {
        assert!((c.gap + 5e-4).abs() < 1e-12 && c.points[1].x.abs() < 1e-6, "{c:?}");
        assert!((c.points[1].y.abs() - 0.8).abs() < 1e-12, "{c:?}");
    }
}

/// Where the wall bends away from the body, or is flat, vertices are all there is.
#[test]
fn flat_and_hollow_walls_meet_vertices_only() {
    let plank = || Shape2::rectangle(1.0, 0.2).expect("valid");
    let flat = contacts::<2>([plank(), Shape2::wall("-y").expect("valid")], Pose::planar(0.0, 0.1, 0.0), 0.0);
    assert_eq!(flat.len(), 2);
    let radius = 0.5f64.hypot(0.1);
    let hollow = Shape2::wall(&format!("x^2 + y^2 - {}", (radius - 1e-6).powi(2))).expect("valid");
    assert_eq!(contacts::<2>([plank(), hollow], Pose::planar(0.0, 0.0, 0.2), 0.0).len(), 4);
    let cube = Shape3::cuboid([1.0; 3]).expect("valid");
    let floor = Shape3::wall("-z").expect("valid");
    assert_eq!(contacts::<3>([cube, floor], Pose::at(Vector::<3>::new(0.0, 0.0, 0.5)), 0.0).len(), 4);
}
