//! Time of a detection. Run with `cargo test -p delassus-contact speed -- --ignored --nocapture`.

use crate::blocks;

use delassus_contact::*;
use rand::{Rng, SeedableRng, rngs::StdRng};
use std::time::Instant;

fn time<const D: usize>(
    name: &str,
    shapes: Vec<<Dim<D> as Space<D>>::Shape>,
    mut poses: Vec<Pose<D>>,
    skin: Option<f64>,
) where
    Dim<D>: Space<D>,
{
    let collider = |i: usize, shape: <Dim<D> as Space<D>>::Shape| {
        let fixed = shape.must_be_fixed();
        Collider { fixed, ..Collider::<D>::new(i as u32, shape) }
    };
    let colliders = shapes.into_iter().enumerate().map(|(i, s)| collider(i, s)).collect();
    let mut detector = Detector::new(colliders, DetectorSettings { skin, ..Default::default() }).expect("ok");
    let (mut old, mut new) = (ContactSet::default(), ContactSet::default());
    let mut rng = StdRng::seed_from_u64(1);
    let mut total = 0.0;
    let steps = 30;
    for k in 0..steps + 3 {
        poses.iter_mut().for_each(|p| p.position[0] += rng.random_range(-1e-5..1e-5));
        let start = Instant::now();
        detector.detect(&Placement::rigid(&poses, 0.0), &old, &mut new).expect("ok");
        if k >= 3 {
            total += start.elapsed().as_secs_f64();
        }
        std::mem::swap(&mut old, &mut new);
    }
    let contacts = old.contacts.len();
    println!(
        "{name}: {contacts} contacts, {:.3} ms per step, {} builds",
        1e3 * total / f64::from(steps),
        detector.builds()
    );
}

#[test]
#[ignore = "a measurement"]
fn times() {
    let mut rng = StdRng::seed_from_u64(2);
    // Radii 5–15 mm on a jittered grid: about two contacts per grain.
    for n in [2000usize, 10_000, 50_000] {
        let side = (n as f64).sqrt().ceil() as usize;
        let radius: Vec<f64> = (0..n).map(|_| rng.random_range(0.005..0.015)).collect();
        let shapes: Vec<_> = radius.iter().map(|&r| Shape2::disc(r).expect("ok")).collect();
        let at = |i: usize, k: usize| 0.0185 * (i / side.pow(k as u32) % side) as f64;
        let poses: Vec<_> = (0..n).map(|i| Pose::planar(at(i, 0), at(i, 1), 0.0)).collect();
        time::<2>(&format!("{n} discs"), shapes.clone(), poses.clone(), None);
        time::<2>(&format!("{n} discs, list rebuilt each step"), shapes, poses, Some(0.0));
        let side = (n as f64).cbrt().ceil() as usize;
        let shapes = radius.iter().map(|&r| Shape3::sphere(r).expect("ok")).collect();
        let at = |i: usize, k: usize| 0.0185 * (i / side.pow(k as u32) % side) as f64;
        let poses = (0..n).map(|i| Pose::at(Vector::<3>::from_fn(|k, _| at(i, k)))).collect();
        time::<3>(&format!("{n} spheres"), shapes, poses, None);
    }
    let polygon = |r: f64| {
        let at = |k: i32| f64::from(k) / 7.0 * std::f64::consts::TAU;
        Shape2::polygon(&(0..7).map(|k| [r * at(k).cos(), r * at(k).sin()]).collect::<Vec<_>>()).expect("ok")
    };
    let shapes = (0..500).map(|_| polygon(rng.random_range(0.005..0.015))).collect();
    let poses =
        (0..500).map(|i| Pose::planar(0.0165 * f64::from(i % 22), 0.0165 * f64::from(i / 22), f64::from(i))).collect();
    time::<2>("500 polygons", shapes, poses, None);
    let shapes = (0..1000).map(|_| Shape3::cuboid([0.02, 0.02, 0.02]).expect("ok")).collect();
    let poses = (0..1000)
        .map(|i| Vector::<3>::new(f64::from(i % 10), f64::from(i / 10 % 10), f64::from(i / 100)) * (0.02 - 1e-7))
        .map(Pose::at)
        .collect();
    time::<3>("1000 stacked boxes", shapes, poses, None);
    // Hulls of about twenty vertices, of which one layer lies on a ground of triangles.
    let mut draw = |a: f64| rng.random_range(-a..a);
    let mut direction = || Vector::<3>::new(draw(1.0), draw(1.0), draw(1.0)).normalize();
    let hull = |direction: &mut dyn FnMut() -> Vector<3>| {
        let points: Vec<[f64; 3]> = (0..20).map(|_| (direction() * 0.055).into()).collect();
        Shape3::polyhedron(&points).expect("ok")
    };
    let mut shapes: Vec<_> = (0..120).map(|_| hull(&mut direction)).collect();
    let at = |i: usize| Vector::<3>::new((i % 8) as f64, (i / 8 % 8) as f64, (i / 64) as f64) * 0.1;
    let mut poses: Vec<Pose<3>> = (0..120).map(|i| Pose::at(at(i) - Vector::<3>::new(0.35, 0.35, -0.05))).collect();
    time::<3>("120 hulls", shapes.clone(), poses.clone(), None);
    let heights: Vec<f64> = (0..41 * 41).map(|i| 0.01 * (f64::from(i) * 0.3).sin()).collect();
    shapes.push(Shape3::height_field([2.0, 2.0], [41, 41], &heights).expect("ok"));
    poses.push(Pose::identity());
    time::<3>("120 hulls on a height field", shapes, poses, None);
}

/// Grains on the skin of a block, of which each step places and searches all facets.
#[test]
#[ignore = "a measurement"]
fn times_with_a_skin() {
    let mut block = blocks::Blocks::default();
    block.cuboid([0.0, 0.0, -1.0], [6.0, 6.0, 1.0], [60, 60, 10]);
    let mut poses: Vec<Pose<3>> = (0..400)
        .map(|i| Pose::at(Vector::<3>::new(0.15 + 0.3 * f64::from(i % 20), 0.15 + 0.3 * f64::from(i / 20), 0.1)))
        .collect();
    let sphere = |i: usize| Collider::new(i as u32, Shape3::Sphere { radius: 0.1 });
    let colliders = (0..poses.len()).map(sphere).collect();
    let settings = DetectorSettings::default();
    let mut detector = Detector::with_skins(colliders, block.skins.clone(), &block.x, settings).expect("ok");
    let (mut old, mut new) = (ContactSet::default(), ContactSet::default());
    let start = Instant::now();
    for k in 0..30 {
        poses.iter_mut().for_each(|p| p.position[2] -= 1e-5 * f64::from(k % 2));
        let at = Placement { poses: &poses, nodes: &block.x, t: 0.0 };
        detector.detect(&at, &old, &mut new).expect("ok");
        std::mem::swap(&mut old, &mut new);
    }
    let (facets, contacts) = (detector.skins()[0].facets().len(), old.contacts.len());
    println!(
        "400 spheres on {facets} facets: {contacts} contacts, {:.3} ms per step",
        1e3 * start.elapsed().as_secs_f64() / 30.0
    );
}
