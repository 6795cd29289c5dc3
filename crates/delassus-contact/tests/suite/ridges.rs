//! Edges and corners of triangle meshes.

use delassus_contact::{
    Collider, Contact, ContactSet, Detector, DetectorSettings, Placement, Pose, Shape3, TriMesh, Vector,
};
use rand::{Rng, SeedableRng, rngs::StdRng};
use std::sync::Arc;

type V3 = Vector<3>;

fn contacts(body: &Shape3, fixed: &Shape3, pose: Pose<3>, margin: f64) -> Vec<Contact<3>> {
    let mut other = Collider::<3>::new(1, fixed.clone());
    other.fixed = true;
    let settings = DetectorSettings { margin, ..Default::default() };
    let mut detector = Detector::new(vec![Collider::new(0, body.clone()), other], settings).expect("valid");
    let mut set = ContactSet::default();
    detector
        .detect(&Placement::rigid(&[pose, Pose::identity()], 0.0), &ContactSet::default(), &mut set)
        .expect("defined");
    set.contacts
}

/// A roof: ridge along y at z = 0, both sides falling by `slope`.
fn roof(slope: f64) -> Shape3 {
    let points = [
        [0.0, -2.0, 0.0],
        [0.0, 2.0, 0.0],
        [2.0, -2.0, -2.0 * slope],
        [2.0, 2.0, -2.0 * slope],
        [-2.0, -2.0, -2.0 * slope],
        [-2.0, 2.0, -2.0 * slope],
    ];
    let triangles = [[0, 2, 3], [0, 3, 1], [0, 1, 5], [0, 5, 4]];
    Shape3::Mesh(Arc::new(TriMesh::new(&points, &triangles).expect("a mesh")))
}

/// On the ridge a ball stands on the line itself, whatever the number of triangles that meet there; beside it,
/// on one side, at the distance from that plane.
#[test]
fn balls_on_a_ridge() {
    let (slope, ball) = (0.5, Shape3::sphere(0.3).expect("valid"));
    let steep = f64::hypot(1.0, slope);
    for (x, y, lift) in [(0.0, 0.0, 1e-3), (0.02, 0.7, 0.0), (-0.05, -1.2, -1e-3)] {
        // Within the normals of both sides the ridge is nearest.
        let place = V3::new(x, y, f64::sqrt(0.09 - x * x) + lift);
        let found = contacts(&ball, &roof(slope), Pose::at(place), 2e-3);
        assert_eq!(found.len(), 1, "{found:?}");
        let away = V3::new(place.x, 0.0, place.z);
        assert!((found[0].gap - (away.norm() - 0.3)).abs() < 1e-12, "{found:?}");
        assert!((found[0].frame.column(0) - away.normalize()).norm() < 1e-9, "{found:?}");
    }
    for side in [1.0, -1.0] {
        let normal = V3::new(side * slope, 0.0, 1.0) / steep;
        let foot = V3::new(side * 0.5, 0.3, -0.5 * slope);
        let found = contacts(&ball, &roof(slope), Pose::at(foot + normal * 0.2995), 0.0);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!((found[0].gap + 5e-4).abs() < 1e-12 && (found[0].frame.column(0) - normal).norm() < 1e-9, "{found:?}");
    }
}

/// A level slab lies on the line of the ridge: vertical normals, gap of its lower face, the two ends of the line
/// under it among the points.
#[test]
fn slabs_on_a_ridge() {
    let slab = Shape3::cuboid([1.0, 0.8, 0.1]).expect("valid");
    let found = contacts(&slab, &roof(0.5), Pose::at(V3::new(0.1, 0.2, 0.0499)), 0.0);
    assert!(found.len() >= 2, "{found:?}");
    for c in &found {
        assert!((c.gap + 1e-4).abs() < 1e-12 && c.points[1].x.abs() < 1e-9, "{c:?}");
        assert!((c.frame[(2, 0)] - 1.0).abs() < 1e-9, "{c:?}");
    }
    for end in [-0.2, 0.6] {
        assert!(found.iter().any(|c| (c.points[1].y - end).abs() < 1e-9), "{end}: {found:?}");
    }
    // A rod across the ridge touches it once, from above.
    let rod = Shape3::capsule(0.5, 0.05).expect("valid");
    let across = Pose {
        position: V3::new(0.1, 0.2, 0.0499),
        rotation: *nalgebra::Rotation3::from_axis_angle(&V3::y_axis(), std::f64::consts::FRAC_PI_2).matrix(),
    };
    let found = contacts(&rod, &roof(0.5), across, 0.0);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!((found[0].gap + 1e-4).abs() < 1e-12 && (found[0].frame[(2, 0)] - 1.0).abs() < 1e-9, "{found:?}");
}

/// Twelve triangles make a cube: apart from it, at faces, edges and corners, a body is as far as from the solid
/// box. The narrow phase of hulls is the reference; itself it is tested against another library.
#[test]
fn a_cube_of_triangles_is_a_cube() {
    let solid = Shape3::cuboid([1.0; 3]).expect("valid");
    let points: Vec<[f64; 3]> = (0..8).map(|i| [0, 1, 2].map(|k| f64::from(i >> k & 1) - 0.5)).collect();
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles: Vec<[u32; 3]> = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
    let mesh = TriMesh::new(&points, &triangles).expect("a mesh");
    assert!(mesh.is_closed());
    let mesh = Shape3::Mesh(Arc::new(mesh));
    let bodies = [Shape3::sphere(0.2), Shape3::capsule(0.3, 0.1), Shape3::cuboid([0.3, 0.4, 0.5])];
    let bodies = bodies.map(|b| b.expect("valid"));
    let mut rng = StdRng::seed_from_u64(3);
    let (mut seen, margin) = ([0; 3], 0.05);
    for k in 0..6000 {
        let axis = nalgebra::Unit::new_normalize(V3::from_fn(|_, _| rng.random_range(-1.0..1.0)));
        let rotation = *nalgebra::Rotation3::from_axis_angle(&axis, rng.random_range(0.0..3.0)).matrix();
        let pose = Pose { position: V3::from_fn(|_, _| rng.random_range(-1.1..1.1)), rotation };
        let least = |fixed: &Shape3| {
            let found = contacts(&bodies[k % 3], fixed, pose, margin);
            found.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min)
        };
        let (a, b) = (least(&solid), least(&mesh));
        // Deep inside, one triangle cannot know the rest of the solid.
        if a < 0.0 {
            continue;
        }
        if a.is_finite() || b.is_finite() {
            assert!((a - b).abs() < 1e-9, "{k}: {a} {b} {:?}", bodies[k % 3]);
            seen[k % 3] += 1;
        }
    }
    assert!(seen.iter().all(|n| *n > 50), "{seen:?}");
}
