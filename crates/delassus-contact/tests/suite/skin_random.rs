//! Random shapes and skins: pairs alone against all together, and no memory of the past.

use crate::counting;

use crate::blocks;

use crate::blocks::{Blocks, check};
use delassus_contact::{
    Collider, Contact, ContactSet, Detector, DetectorSettings, Dim, Placement, Pose, Query, Rotation, Shape, Shape2,
    Shape3, Solid, Space, Touch, Vector,
};
use rand::{Rng, SeedableRng, rngs::StdRng};

const MARGIN: f64 = 0.02;

/// A random turn of space, from two random vectors.
fn turned(rng: &mut StdRng) -> Rotation<3> {
    let mut draw = || Vector::<3>::from_fn(|_, _| rng.random_range(-1.0..1.0));
    let (a, b) = (draw().normalize(), draw());
    let c = a.cross(&b).normalize();
    Rotation::<3>::from_columns(&[a, c, a.cross(&c)])
}

struct Scene<const D: usize>
where
    Dim<D>: Space<D>,
{
    colliders: Vec<Collider<D>>,
    poses: Vec<Pose<D>>,
    blocks: Blocks,
    rest: Vec<f64>,
}

fn plane(rng: &mut StdRng) -> Scene<2> {
    let shapes = [
        Shape2::disc(0.3).expect("valid"),
        Shape2::rectangle(0.5, 0.3).expect("valid"),
        Shape2::capsule(0.3, 0.1).expect("valid"),
        Shape2::polyline(&[[-0.5, 0.0], [0.0, 0.2], [0.5, 0.0]], false).expect("valid"),
        Shape2::half_plane([0.1, 1.0]).expect("valid"),
        Shape2::cavity(2.2).expect("valid"),
        Shape2::wall("-y - 1 + 0.2*sin(3*x)").expect("valid"),
    ];
    let colliders = shapes.into_iter().enumerate().map(|(i, s)| Collider::new(i as u32, s)).collect();
    let mut draw =
        || Pose::planar(rng.random_range(-1.3..1.3), rng.random_range(-1.3..1.3), rng.random_range(0.0..6.0));
    let mut poses: Vec<_> = (0..4).map(|_| draw()).collect();
    poses.extend([Pose::planar(0.0, -1.0, 0.0), Pose::identity(), Pose::identity()]);
    let (mut blocks, mut rest) = (Blocks::default(), vec![]);
    for k in 0..5 {
        let first = blocks.x.len();
        blocks.rectangle([-0.4, -0.3], [0.8, 0.6], [3 + k, 2 + k]);
        rest.extend_from_slice(&blocks.x[first..]);
        blocks.place(first / 2, &draw());
    }
    Scene { colliders, poses, blocks, rest }
}

fn space(rng: &mut StdRng) -> Scene<3> {
    let tetrahedron = [[-0.3, -0.3, -0.3], [0.5, 0.0, -0.3], [0.0, 0.5, -0.3], [0.0, 0.0, 0.5]];
    let shapes = [
        Shape3::sphere(0.3).expect("valid"),
        Shape3::cuboid([0.8, 0.5, 0.4]).expect("valid"),
        Shape3::capsule(0.3, 0.1).expect("valid"),
        Shape3::polyhedron(&tetrahedron).expect("valid"),
        Shape3::cylinder(0.3, 0.2).expect("valid"),
        Shape3::half_space([0.1, 0.0, 1.0]).expect("valid"),
    ];
    let colliders = shapes.into_iter().enumerate().map(|(i, s)| Collider::new(i as u32, s)).collect();
    let mut draw = || {
        let rotation = turned(rng);
        Pose { position: Vector::<3>::from_fn(|_, _| rng.random_range(-0.8..0.8)), rotation }
    };
    let mut poses: Vec<_> = (0..5).map(|_| draw()).collect();
    poses.push(Pose::at(Vector::<3>::new(0.0, 0.0, -0.8)));
    let (mut blocks, mut rest) = (Blocks::default(), vec![]);
    for k in 0..4 {
        let first = blocks.x.len();
        blocks.cuboid([-0.4, -0.3, -0.2], [0.8, 0.6, 0.4], [2 + k, 2, 1 + k]);
        rest.extend_from_slice(&blocks.x[first..]);
        blocks.place(first / 3, &draw());
    }
    Scene { colliders, poses, blocks, rest }
}

impl<const D: usize> Scene<D>
where
    Dim<D>: Space<D>,
{
    fn settings() -> DetectorSettings<D> {
        DetectorSettings { margin: MARGIN, ..DetectorSettings::default() }
    }

    fn detector(&self) -> Detector<D> {
        Detector::with_skins(self.colliders.clone(), self.blocks.skins.clone(), &self.rest, Self::settings())
            .expect("valid")
    }

    fn contacts(&self, detector: &mut Detector<D>) -> ContactSet<D> {
        blocks::contacts(detector, &self.poses, &self.blocks.x)
    }

    /// Each pair with a detector of its own.
    fn pair_by_pair(&self) -> ContactSet<D> {
        let mut all = ContactSet::<D>::default();
        let (rigid, n) = (self.colliders.len(), self.colliders.len() + self.blocks.skins.len());
        for i in 0..n {
            for j in i + 1..n {
                let colliders: Vec<_> = [i, j].iter().filter_map(|&k| self.colliders.get(k).cloned()).collect();
                let skins = [i, j].into_iter().filter(|k| *k >= rigid).map(|k| self.blocks.skins[k - rigid].clone());
                let mut d = Detector::with_skins(colliders, skins.collect(), &self.rest, Self::settings()).expect("ok");
                let set = self.contacts(&mut d);
                let colliders = [i as u32, j as u32];
                let renamed = |mut c: Contact<D>| {
                    c.key.colliders = colliders;
                    c
                };
                all.contacts.extend(set.contacts.into_iter().map(renamed));
                all.touches.extend(set.touches.into_iter().map(|mut t: Touch| {
                    t.key.colliders = colliders;
                    t
                }));
            }
        }
        all.contacts.sort_unstable_by_key(|c| c.key);
        all.touches.sort_unstable_by_key(|t| t.key);
        all
    }
}

fn equals_brute_force<const D: usize>(make: fn(&mut StdRng) -> Scene<D>, count: usize)
where
    Dim<D>: Space<D>,
{
    let mut rng = StdRng::seed_from_u64(11);
    let (mut found, mut used) = (0, None);
    for _ in 0..count {
        let scene = make(&mut rng);
        let mut fresh = scene.detector();
        let set = scene.contacts(&mut fresh);
        assert_eq!(set, scene.pair_by_pair());
        // A detector that saw other scenes says the same.
        let old = used.get_or_insert_with(|| scene.detector());
        assert_eq!(set, scene.contacts(old));
        found += set.touches.len();
    }
    assert!(found > 10 * count, "{found} contacts with skins");
}

#[test]
fn plane_equals_brute_force() {
    equals_brute_force::<2>(plane, 60);
}

#[test]
fn space_equals_brute_force() {
    equals_brute_force::<3>(space, 30);
}

/// Rigid contacts are the same with skins around, and a warm detection allocates nothing.
#[test]
fn skins_do_not_disturb() {
    let mut rng = StdRng::seed_from_u64(5);
    let scene = space(&mut rng);
    let mut rigid = Detector::new(scene.colliders.clone(), Scene::<3>::settings()).expect("valid");
    let alone = blocks::contacts(&mut rigid, &scene.poses, &[]);
    let mut all = scene.detector();
    let mut set = scene.contacts(&mut all);
    let old = set.clone();
    let at = Placement { poses: &scene.poses, nodes: &scene.blocks.x, t: 0.0 };
    let before = counting::allocations();
    all.detect(&at, &old, &mut set).expect("ok");
    assert_eq!(counting::allocations(), before);
    check(&set, &scene.blocks.x);
    assert_eq!(set.touches, old.touches);
    let mut apart = old;
    apart.contacts.retain(|c| (c.key.colliders[1] as usize) < scene.colliders.len());
    assert_eq!(apart.contacts, alone.contacts);
}

/// The closest place that a point sees is the contact of a point without size.
fn sights_are_contacts<const D: usize>(scene: &Scene<D>, rng: &mut StdRng)
where
    Dim<D>: Space<D>,
{
    let mut point = Dim::<D>::solid(&Dim::<D>::point(), &Pose::identity()).expect("valid");
    let mut scratch = <Dim<D> as Space<D>>::Scratch::default();
    for (c, pose) in scene.colliders.iter().zip(&scene.poses) {
        let mut solid = Dim::<D>::solid(&c.shape, &c.offset.pose()).expect("valid");
        solid.place(pose);
        // From afar a chain touches with the planes of its segments.
        if solid.has_parts() {
            continue;
        }
        // Beyond its radius of curvature a wall has no closest point.
        let (is_wall, reach) = (c.shape.name() == "wall", 0.3);
        for _ in 0..200 {
            let p = Vector::<D>::from_fn(|_, _| rng.random_range(-1.5..1.5));
            point.place(&Pose::at(p));
            let (query, mut hits) = (Query { shift: Vector::zeros(), margin: reach, t: 0.0 }, vec![]);
            Dim::<D>::collide([&point, &solid], &query, &mut scratch, &mut hits).expect("defined");
            let sight = solid.sight(&p, 0.0, reach).expect("defined").filter(|s| s.gap <= reach);
            let least = hits.iter().min_by(|a, b| a.gap.total_cmp(&b.gap));
            let name = c.shape.name();
            assert_eq!(sight.is_some(), least.is_some(), "{name}");
            if let (Some(s), Some(h)) = (sight, least)
                && !(is_wall && s.gap < -reach)
            {
                assert!((s.gap - h.gap).abs() < 1e-9, "{name}: {} {}", s.gap, h.gap);
                assert!((s.normal - h.normal).norm() < 1e-7 && (s.foot - h.points[1]).norm() < 1e-7, "{name}");
                assert!((p - s.foot - s.normal * s.gap).norm() < 1e-9, "{name}");
            }
        }
    }
}

#[test]
fn a_point_sees_what_it_touches() {
    let mut rng = StdRng::seed_from_u64(2);
    for _ in 0..5 {
        let scene = plane(&mut rng);
        sights_are_contacts(&scene, &mut rng);
        let mut scene = space(&mut rng);
        scene.colliders.push(Collider::new(6, Shape3::cavity(1.2).expect("valid")));
        scene.colliders.push(Collider::new(7, Shape3::wall("-z + 0.1*sin(2*x)").expect("valid")));
        scene.poses.extend([Pose::at(Vector::<3>::new(0.1, 0.2, 0.0)), Pose::identity()]);
        sights_are_contacts(&scene, &mut rng);
    }
}
