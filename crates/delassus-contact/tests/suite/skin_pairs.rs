//! Contacts with skins, pair by pair, against closed forms.

use crate::blocks::{Blocks, contacts, normal};
use delassus_contact::skin::{FacetKind, SkinSpec, Surface};
use delassus_contact::{
    Collider, ContactSet, Detector, DetectorSettings, Dim, Error, Periodic, Placement, Pose, Rotation, Shape2, Shape3,
    Space, Vector,
};

type V3 = Vector<3>;

fn detector<const D: usize>(shapes: Vec<<Dim<D> as Space<D>>::Shape>, blocks: &Blocks, margin: f64) -> Detector<D>
where
    Dim<D>: Space<D>,
{
    let colliders = shapes.into_iter().enumerate().map(|(i, s)| Collider::new(i as u32, s)).collect();
    let settings = DetectorSettings { margin, ..DetectorSettings::default() };
    Detector::with_skins(colliders, blocks.skins.clone(), &blocks.x, settings).expect("valid")
}

/// A cube of 2 × 2 × 2 facets below z = 1.
fn cube() -> Blocks {
    let mut b = Blocks::default();
    b.cuboid([0.0; 3], [1.0; 3], [2; 3]);
    b
}

/// g = height − radius, under the centre where that is in a facet, at the node where it is over one.
#[test]
fn sphere_on_a_flat_skin() {
    let (blocks, r) = (cube(), 0.3);
    let mut d = detector::<3>(vec![Shape3::sphere(r).expect("valid")], &blocks, 0.01);
    for gap in [0.009, 0.0, -0.04] {
        for place in [[0.3, 0.2], [0.5, 0.5]] {
            let pose = Pose::at(V3::new(place[0], place[1], 1.0 + r + gap));
            let set = contacts(&mut d, &[pose], &blocks.x);
            let c = set.contacts.iter().min_by(|a, b| a.gap.total_cmp(&b.gap)).expect("a contact");
            assert!((c.gap - gap).abs() < 1e-12 && (normal(c)[2] - 1.0).abs() < 1e-12, "{c:?}");
            assert_eq!(c.bodies, [0, 100]);
            assert!((c.points[1] - V3::new(place[0], place[1], 1.0)).norm() < 1e-12);
        }
    }
    assert!(contacts(&mut d, &[Pose::at(V3::new(0.3, 0.2, 1.0 + r + 0.011))], &blocks.x).contacts.is_empty());
}

/// A square on its corner, over the middle of a segment: g is the height of the corner.
#[test]
fn corner_on_a_skin_of_the_plane() {
    let mut blocks = Blocks::default();
    blocks.rectangle([0.0; 2], [2.0, 1.0], [4, 2]);
    let mut d = detector::<2>(vec![Shape2::rectangle(0.2, 0.2).expect("valid")], &blocks, 0.01);
    for gap in [0.005, 0.0, -0.02] {
        let pose = Pose::planar(0.7, 1.0 + gap + 0.02f64.sqrt(), std::f64::consts::FRAC_PI_4);
        let set = contacts(&mut d, &[pose], &blocks.x);
        assert_eq!(set.contacts.len(), 1);
        let (c, t) = (&set.contacts[0], &set.touches[0]);
        assert!((c.gap - gap).abs() < 1e-12 && (normal(c)[1] - 1.0).abs() < 1e-12);
        let mut shares = t.sides[1].values().to_vec();
        shares.sort_unstable_by(f64::total_cmp);
        assert!((shares[0] - 0.4).abs() < 1e-12 && t.sides[0].indices().is_empty());
    }
}

/// A block on its lowest corner: g is its height; a block that lies flat touches with its corners
/// and the nodes below it, not with its edges.
#[test]
fn block_on_a_skin() {
    let blocks = cube();
    let mut d = detector::<3>(vec![Shape3::cuboid([0.2; 3]).expect("valid")], &blocks, 1e-6);
    // The diagonal of the block along z.
    let z = V3::new(1.0, 1.0, 1.0).normalize();
    let x = V3::new(1.0, -1.0, 0.0).normalize();
    let turned = Rotation::<3>::from_columns(&[x, z.cross(&x), z]).transpose();
    for gap in [0.0, -0.01] {
        let height = 1.0 + 0.1 * 3f64.sqrt() + gap;
        let pose = Pose { position: V3::new(0.3, 0.2, height), rotation: turned };
        let set = contacts(&mut d, &[pose], &blocks.x);
        assert_eq!(set.contacts.len(), 1, "{set:?}");
        assert!((set.contacts[0].gap - gap).abs() < 1e-12 && (normal(&set.contacts[0])[2] - 1.0).abs() < 1e-12);
    }
    let set = contacts(&mut d, &[Pose::at(V3::new(0.45, 0.45, 1.1))], &blocks.x);
    assert_eq!(set.contacts.len(), 5, "four corners and a node: {set:?}");
    assert!(set.contacts.iter().all(|c| c.gap.abs() < 1e-12 && (normal(c)[2] - 1.0).abs() < 1e-12));
}

/// A long edge across a facet whose nodes it misses: found where it crosses the edges of facets.
#[test]
fn edge_across_a_flat_skin() {
    let blocks = cube();
    let mut d = detector::<3>(vec![Shape3::cuboid([4.0, 0.2, 0.2]).expect("valid")], &blocks, 1e-6);
    let (s, c) = (std::f64::consts::FRAC_1_SQRT_2, std::f64::consts::FRAC_1_SQRT_2);
    let pose = Pose {
        position: V3::new(0.0, 0.3, 1.0 + 0.02f64.sqrt() - 0.01),
        rotation: Rotation::<3>::new(1.0, 0.0, 0.0, 0.0, c, -s, 0.0, s, c),
    };
    let set = contacts(&mut d, &[pose], &blocks.x);
    assert!(set.contacts.iter().all(|c| (c.gap + 0.01).abs() < 1e-12 && (normal(c)[2] - 1.0).abs() < 1e-12));
    let mut at: Vec<f64> = set.contacts.iter().map(|c| c.points[1].x).collect();
    at.sort_unstable_by(f64::total_cmp);
    assert_eq!(at.len(), 3);
    assert!(at.iter().zip([0.0, 0.5, 1.0]).all(|(a, b)| (a - b).abs() < 1e-12), "{at:?}");
}

/// The pose of a block whose edge crosses the edge (1, y, 1) of the cube at y = 0.2 and the gap g,
/// along the bisector b = (1, 0, 1)/√2.
fn crossing(gap: f64, half: f64) -> Pose<3> {
    let b = V3::new(1.0, 0.0, 1.0).normalize();
    let e = V3::new(1.0, 0.0, -1.0).normalize();
    let rotation = Rotation::<3>::from_columns(&[e, (V3::y() - b).normalize(), (V3::y() + b).normalize()]);
    Pose { position: V3::new(1.0, 0.2, 1.0) + b * (gap + half * 2f64.sqrt()), rotation }
}

/// Two edges that cross at right angles: g along their common perpendicular, whatever the nodes.
#[test]
fn edge_across_an_edge() {
    let blocks = cube();
    let mut d = detector::<3>(vec![Shape3::cuboid([0.8; 3]).expect("valid")], &blocks, 1e-3);
    for gap in [5e-4, 0.0, -0.02] {
        let set = contacts(&mut d, &[crossing(gap, 0.4)], &blocks.x);
        assert_eq!(set.contacts.len(), 1, "{set:?}");
        let c = &set.contacts[0];
        let n = V3::from(normal(c));
        assert!((c.gap - gap).abs() < 1e-12 && (n - V3::new(1.0, 0.0, 1.0).normalize()).norm() < 1e-12);
        let mut shares = set.touches[0].sides[1].values().to_vec();
        shares.sort_unstable_by(f64::total_cmp);
        assert!((shares[0] - 0.4).abs() < 1e-12 && (shares[1] - 0.6).abs() < 1e-12);
    }
}

/// The same with both blocks deformable: the normal towards the first.
#[test]
fn edges_of_two_skins() {
    for gap in [5e-4, -0.02] {
        let mut blocks = cube();
        let first = blocks.x.len() / 3;
        blocks.cuboid([-0.4; 3], [0.8; 3], [1; 3]);
        blocks.place(first, &crossing(gap, 0.4));
        let mut d = detector::<3>(vec![], &blocks, 1e-3);
        let set = contacts(&mut d, &[], &blocks.x);
        assert_eq!(set.contacts.len(), 1, "{set:?}");
        let c = &set.contacts[0];
        let n = V3::from(normal(c));
        assert!((c.gap - gap).abs() < 1e-12 && (n + V3::new(1.0, 0.0, 1.0).normalize()).norm() < 1e-12);
        assert_eq!((c.key.colliders, c.bodies), ([0, 1], [100, 101]));
        let sizes = set.touches[0].sides.map(|s| s.values().iter().fold(0.0f64, |m, v| m.max(*v)));
        assert!((sizes[0] - 0.6).abs() < 1e-12 && (sizes[1] - 0.5).abs() < 1e-12);
    }
}

/// A fine block on a coarse one: its nodes, and corners of the coarse one where they are below it.
#[test]
fn stacked_skins() {
    let mut blocks = cube();
    blocks.cuboid([0.1, 0.2, 1.0], [0.6, 0.6, 0.3], [4, 4, 2]);
    let mut d = detector::<3>(vec![], &blocks, 1e-6);
    let set = contacts(&mut d, &[], &blocks.x);
    assert_eq!(set.contacts.len(), 25, "{set:?}");
    assert!(set.contacts.iter().all(|c| c.gap.abs() < 1e-12 && (normal(c)[2] + 1.0).abs() < 1e-12));
}

/// A strip folded around a small radius: its arms face each other at the gap g all along, and
/// nothing is met through the thickness, though that is within reach.
#[test]
fn a_folded_strip_touches_itself() {
    let (n, length, thick, gap) = (100, 2.0, 0.02, 0.01);
    let mut rest = vec![];
    let along = |i: usize| length * i as f64 / n as f64;
    rest.extend((0..=n).flat_map(|i| [along(i), 0.0]));
    rest.extend((0..=n).rev().flat_map(|i| [along(i), thick]));
    let count = (rest.len() / 2) as u32;
    let facets: Vec<u32> = (0..count).flat_map(|i| [i, (i + 1) % count]).collect();
    let surface = Surface::new(2, &[(FacetKind::Seg2, &facets)]).expect("a ring");
    // The bend takes three facets in the middle, about the length of its mean circle.
    let (a, b) = (0.98, 1.04);
    let folded: Vec<f64> = rest
        .chunks_exact(2)
        .flat_map(|p| {
            let (s, eta) = (p[0], p[1]);
            let phi = ((s - a) / (b - a)).clamp(0.0, 1.0) * std::f64::consts::PI;
            let r = 0.5 * gap + thick - eta;
            let straight = (s - a).min(b - s).min(0.0);
            [a + straight + r * phi.sin(), thick + 0.5 * gap - r * phi.cos()]
        })
        .collect();
    let settings = DetectorSettings::<2> { margin: 2.0 * gap, ..DetectorSettings::default() };
    let make = |spec| Detector::<2>::with_skins(vec![], vec![spec], &rest, settings).expect("valid");
    let spec = SkinSpec::new(7, surface);
    let none = contacts(&mut make(spec.clone()), &[], &folded);
    assert!(none.contacts.is_empty(), "only where asked");
    let mut d = make(spec.touching_itself());
    let set = contacts(&mut d, &[], &folded);
    let inner = |node: usize| rest[2 * node + 1] == thick;
    for c in &set.contacts {
        assert!(inner(c.key.features[0] as usize), "not through the thickness: {c:?}");
        assert_eq!((c.key.colliders, c.bodies), ([0, 0], [7, 7]));
    }
    let arms = (0..count as usize).filter(|&i| inner(i) && (rest[2 * i] < 0.95 || rest[2 * i] > 1.07));
    for node in arms.filter(|&i| rest[2 * i] > 0.05 && rest[2 * i] < length - 0.05) {
        let found: Vec<_> = set.contacts.iter().filter(|c| c.key.features[0] as usize == node).collect();
        assert_eq!(found.len(), 1, "node {node}");
        assert!((found[0].gap - gap).abs() < 1e-12 && (normal(found[0])[1].abs() - 1.0).abs() < 1e-12);
    }
    assert!(contacts(&mut d, &[], &rest).contacts.is_empty(), "nothing at rest");
}

/// Groups, laws and bad input.
#[test]
fn faults_and_filters() {
    let mut blocks = cube();
    let error = Detector::<3>::with_skins(vec![], blocks.skins.clone(), &blocks.x[..9], DetectorSettings::default());
    assert!(matches!(error.err(), Some(Error::Skin { skin: 0, .. })));
    let twice = vec![blocks.skins[0].clone(), blocks.skins[0].clone()];
    let error = Detector::<3>::with_skins(vec![], twice, &blocks.x, DetectorSettings::default());
    assert!(matches!(error.err(), Some(Error::SharedNode { skins: [0, 1], node: 0 })));
    let periodic = Periodic::new([None, Some(3.0), None], [0.0; 3]);
    let settings = DetectorSettings { periodic, ..DetectorSettings::default() };
    let error = Detector::<3>::with_skins(vec![], blocks.skins.clone(), &blocks.x, settings);
    assert_eq!(error.err(), Some(Error::PeriodicSkin { axis: 1 }));
    let mut d = detector::<3>(vec![Shape3::sphere(0.3).expect("valid")], &blocks, 0.01);
    let pose = [Pose::at(V3::new(0.3, 0.2, 1.3))];
    let bad = |x: &[f64], d: &mut Detector<3>| {
        let at = Placement { poses: &pose, nodes: x, t: 0.0 };
        d.detect(&at, &ContactSet::default(), &mut ContactSet::default())
    };
    assert!(matches!(bad(&blocks.x[..6], &mut d), Err(Error::Skin { skin: 0, .. })));
    let mut x = blocks.x.clone();
    x[4] = f64::NAN;
    assert!(matches!(bad(&x, &mut d), Err(Error::Skin { skin: 0, .. })));
    assert_eq!((d.material(0), d.material(1), d.material(2)), (Some(0), Some(0), None));
    blocks.skins[0].group = 3;
    let sphere = Collider::<3>::new(0, Shape3::sphere(0.3).expect("valid")).group(3);
    let mut d = Detector::with_skins(vec![sphere], blocks.skins.clone(), &blocks.x, *d.settings()).expect("valid");
    assert!(contacts(&mut d, &pose, &blocks.x).contacts.is_empty());
    blocks.skins[0].group = 0;
    let sphere = Collider::<3>::new(0, Shape3::sphere(0.3).expect("valid")).material(2);
    let skin = blocks.skins[0].clone().material(5).touching_itself();
    let d = Detector::with_skins(vec![sphere], vec![skin], &blocks.x, DetectorSettings::default()).expect("valid");
    assert_eq!(d.pairs_without(&|_, _| false), [([2, 5], [0, 1]), ([5, 5], [1, 1])]);
}
