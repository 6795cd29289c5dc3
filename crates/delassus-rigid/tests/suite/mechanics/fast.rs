//! Bodies that move by more than their thickness in a step: Newton's law of impact holds for each pair.

use crate::common::*;
use delassus_contact::{Pose, Shape2, Shape3, Vector};
use delassus_rigid::{BodySpec, Event, Interaction, Interactions, Ledger, Mass, ModelParts, Motion, Profile, Run};

/// Steps until `end`; parts made, whole ledger.
fn go<const D: usize>(sim: &mut dyn Run<D>, end: f64) -> (usize, Ledger)
where
    delassus_contact::Dim<D>: delassus_contact::Space<D>,
{
    let (mut cut, mut whole) = (0, Ledger::default());
    while sim.state().time < end - 1e-12 {
        let report = sim.step().expect("converges");
        cut += report.events.iter().filter(|e| matches!(e, Event::Cut { .. })).count();
        whole.follow(&report.energy);
    }
    (cut, whole)
}

fn plane(law: Interaction) -> ModelParts<2> {
    let mut parts = ModelParts::new(Vector::<2>::zeros());
    parts.interactions = Interactions::single(law);
    parts
}

fn space(law: Interaction) -> ModelParts<3> {
    let mut parts = ModelParts::new(Vector::<3>::zeros());
    parts.interactions = Interactions::single(law);
    parts
}

/// A disc of 1 cm at 63 m/s meets a wall of 2 cm, in steps of 63 mm: u⁺ = −ρ u⁻, and the energy lost is that of
/// the shock. Walls: a box, a polygon, a segment, a polyline, an expression.
#[test]
fn a_disc_does_not_cross_a_thin_wall() {
    let walls = [
        Shape2::rectangle(0.02, 1.0),
        Shape2::polygon(&[[-0.01, -0.5], [0.01, -0.5], [0.01, 0.5], [-0.01, 0.5]]),
        Shape2::segment([0.0, -0.5], [0.0, 0.5]),
        Shape2::polyline(&[[0.0, -0.5], [0.0, 0.1], [0.0, 0.5]], false),
        Shape2::wall("0.01^2 - x^2"),
    ];
    for (k, wall) in walls.into_iter().enumerate() {
        for restitution in [0.0, 0.5, 1.0] {
            for offset in [0.0, 0.013, 0.031, 0.047] {
                let law = Interaction { restitution, ..Interaction::coulomb(0.0) };
                let mut parts = plane(law);
                parts.bodies.push(BodySpec::fixed("wall").shape(wall.clone().expect("a wall")));
                let disc = BodySpec::dynamic("disc", Mass::disc(2.0, 0.01)).at([-0.5 - offset, 0.0].into());
                parts.bodies.push(disc.moving([63.0, 0.0].into()).shape(Shape2::disc(0.01).expect("a radius")));
                let mut sim = sim2(parts, settings(1e-3));
                let (cut, whole) = go(&mut sim, 0.02);
                let (x, u) = (sim.state().q[3], sim.state().u[3]);
                assert!((u + 63.0 * restitution).abs() < 1e-9, "wall {k}, ρ {restitution}: u = {u}");
                assert!(x < 0.0 && cut >= 1, "wall {k}, ρ {restitution}: x = {x}");
                let lost = 0.5 * 2.0 * 63.0f64.powi(2) * (restitution.powi(2) - 1.0);
                assert!((whole.contact() - lost).abs() < 1e-9 * 4000.0 && whole.closing.abs() < 1e-9, "{whole:?}");
                // Where it stops is right to a thousandth of the thickness.
                if restitution == 0.0 {
                    let face = if k == 2 || k == 3 { -0.01 } else { -0.02 };
                    assert!((x - face).abs() < 1e-4, "wall {k}: x = {x}");
                }
            }
        }
    }
}

/// Discs of masses 1 and 3 that meet head-on at 100 m/s each, and by their corners as boxes: velocities by Newton's
/// law and the balance of momentum.
#[test]
fn fast_bodies_meet_head_on() {
    for restitution in [0.0, 0.5, 1.0] {
        for shape in [Shape2::disc(0.005), Shape2::rectangle(0.01, 0.01)] {
            let mut parts = plane(Interaction { restitution, ..Interaction::coulomb(0.0) });
            for (name, mass, x, u) in [("a", 1.0, -1.003, 100.0), ("b", 3.0, 1.0, -100.0)] {
                let body = BodySpec::dynamic(name, Mass::plane(mass, 1.0)).at([x, 0.0].into()).moving([u, 0.0].into());
                parts.bodies.push(body.shape(shape.clone().expect("a shape")));
            }
            let mut sim = sim2(parts, settings(1e-3));
            let (_, whole) = go(&mut sim, 0.02);
            let (ua, ub) = (sim.state().u[0], sim.state().u[3]);
            let exact = [-50.0 - 150.0 * restitution, -50.0 + 50.0 * restitution];
            assert!((ua - exact[0]).abs() < 1e-9 && (ub - exact[1]).abs() < 1e-9, "ρ {restitution}: {ua}, {ub}");
            assert!(whole.closing.abs() < 1e-8, "{whole:?}");
        }
    }
}

/// A bullet, a ball of 3 mm at 1000 m/s, against a plate of 1 mm as a box, a closed mesh, and an expression, in steps
/// in which it goes a metre.
#[test]
fn a_bullet_does_not_cross_a_thin_plate() {
    let s = 0.5;
    let corner = |i: u32| {
        let side = |b: u32, x: f64| if i >> b & 1 == 1 { x } else { -x };
        [side(0, 5e-4), side(1, s), side(2, s)]
    };
    let points: Vec<[f64; 3]> = (0..8).map(corner).collect();
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles: Vec<[u32; 3]> = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
    let plates = [Shape3::cuboid([1e-3, 1.0, 1.0]), Shape3::mesh(&points, &triangles), Shape3::wall("5e-4^2 - x^2")];
    for (k, plate) in plates.into_iter().enumerate() {
        for restitution in [0.0, 1.0] {
            let mut parts = space(Interaction { restitution, ..Interaction::coulomb(0.0) });
            parts.bodies.push(BodySpec::fixed("plate").shape(plate.clone().expect("a plate")));
            let ball = BodySpec::dynamic("bullet", Mass::ball(0.01, 0.003)).at([-1.3, 0.03, 0.07].into());
            parts.bodies.push(ball.moving([1000.0, 0.0, 0.0].into()).shape(Shape3::sphere(0.003).expect("a radius")));
            let mut sim = sim3(parts, settings(1e-3));
            let (cut, _) = go(&mut sim, 3e-3);
            let (x, u) = (sim.state().q[7], sim.state().u[6]);
            assert!((u + 1000.0 * restitution).abs() < 1e-6 && x < 0.0, "plate {k}, ρ {restitution}: x {x}, u {u}");
            assert_eq!(cut, 1, "plate {k}");
        }
    }
}

/// A blade of 2 cm that turns at 300 rad/s, 17° a step, meets a ball at rest at r = 0.8 m: without friction it
/// leaves at (1 + ρ) ω r along the normal of the blade.
#[test]
fn a_fast_blade_hits() {
    for restitution in [0.0, 1.0] {
        let mut parts = plane(Interaction { restitution, ..Interaction::coulomb(0.0) });
        let turning = Motion::turning([0.0, 0.0, 1.0], Profile::Velocity(300.0));
        parts.bodies.push(BodySpec::imposed("blade", turning).shape(Shape2::rectangle(2.0, 0.02).expect("sides")));
        let angle = 0.9f64;
        let at = Vector::<2>::new(0.8 * angle.cos(), 0.8 * angle.sin());
        let ball = BodySpec::dynamic("ball", Mass::disc(0.1, 0.01)).at(at);
        parts.bodies.push(ball.shape(Shape2::disc(0.01).expect("a radius")));
        let mut sim = sim2(parts, settings(1e-3));
        let (cut, _) = go(&mut sim, 3e-3);
        let u = Vector::<2>::new(sim.state().u[3], sim.state().u[4]);
        assert!(cut >= 1);
        // The contact is where the blade is 2 cm from the centre of the ball: r² = 0.8² − 0.02².
        let speed = (1.0 + restitution) * 300.0 * (0.64f64 - 4e-4).sqrt();
        if restitution == 1.0 {
            assert!((u.norm() - speed).abs() < 1e-3 * speed, "{} for {speed}", u.norm());
        } else {
            // It stays on the blade, which drives it outwards.
            assert!(u.norm() > 0.99 * speed, "{} for {speed}", u.norm());
        }
    }
}

/// A heavy slow hammer hits a bead that touches a foil: the blow, not the flight, would take the bead through it.
#[test]
fn a_blow_does_not_throw_a_bead_through_a_foil() {
    let mut parts = plane(Interaction { restitution: 1.0, ..Interaction::coulomb(0.0) });
    parts.bodies.push(BodySpec::fixed("foil").shape(Shape2::rectangle(2e-4, 1.0).expect("sides")));
    let bead = BodySpec::dynamic("bead", Mass::disc(1e-4, 5e-4)).at([-8e-4, 0.0].into());
    parts.bodies.push(bead.shape(Shape2::disc(5e-4).expect("a radius")));
    let hammer =
        BodySpec::dynamic("hammer", Mass::disc(10.0, 0.05)).at([-0.055, 0.0].into()).moving([10.0, 0.0].into());
    parts.bodies.push(hammer.shape(Shape2::disc(0.05).expect("a radius")));
    let mut sim = sim2(parts, settings(1e-3));
    for _ in 0..5 {
        sim.step().expect("converges");
        assert!(sim.state().q[3] < 0.0, "the bead is behind the foil: {}", sim.state().q[3]);
        if sim.state().u[6] < 0.0 {
            break;
        }
    }
}

/// A fast disc in a periodic channel meets a thin post in the cell or its image, however far it goes in a step.
#[test]
fn periodic_flights_see_images() {
    let mut parts = plane(Interaction { restitution: 1.0, ..Interaction::coulomb(0.0) });
    parts.detection.periodic.period[0] = Some(1.0);
    parts
        .bodies
        .push(BodySpec::fixed("post").at([0.5, 0.0].into()).shape(Shape2::rectangle(0.002, 0.2).expect("sides")));
    let disc = BodySpec::dynamic("disc", Mass::disc(1.0, 0.004)).at([0.9, 0.0].into()).moving([700.0, 0.0].into());
    parts.bodies.push(disc.shape(Shape2::disc(0.004).expect("a radius")));
    let mut sim = sim2(parts, settings(1e-3));
    let mut turned = 0;
    for _ in 0..10 {
        let before = sim.state().u[3];
        sim.step().expect("converges");
        turned += usize::from(before * sim.state().u[3] < 0.0);
        let x = sim.state().q[3];
        assert!(x > 0.5 && x < 1.5, "it stays between the post and its image: {x}");
    }
    assert!(turned >= 5 && (sim.state().u[3].abs() - 700.0).abs() < 1e-6);
}

/// A box that slides at 50 m/s on a thin plate moves by its thickness in a step, and nothing is cut: it only slides.
#[test]
fn fast_sliding_is_not_cut() {
    let mut parts = plane(Interaction::coulomb(0.1));
    parts.gravity = [0.0, -G].into();
    parts
        .bodies
        .push(BodySpec::fixed("plate").at([50.0, -0.005].into()).shape(Shape2::rectangle(200.0, 0.01).expect("sides")));
    let slab = BodySpec::homogeneous("slab", 1000.0).at([0.0, 0.01].into()).moving([50.0, 0.0].into());
    parts.bodies.push(slab.shape(Shape2::rectangle(0.04, 0.02).expect("sides")));
    let mut sim = sim2(parts, settings(1e-3));
    let (cut, _) = go(&mut sim, 0.1);
    assert_eq!(cut, 0);
    assert!((sim.state().u[3] - (50.0 - 0.1 * G * 0.1)).abs() < 1e-6 && (sim.state().q[4] - 0.01).abs() < 1e-6);
}

/// A point and a segment have no sides: told, not crossed.
#[test]
fn what_has_no_thickness_is_told() {
    let mut parts = plane(Interaction::coulomb(0.0));
    parts.bodies.push(BodySpec::fixed("line").shape(Shape2::segment([0.0, -1.0], [0.0, 1.0]).expect("ends")));
    parts.bodies.push(particle2([-0.5, 0.0], [3.0, 0.0]));
    let mut sim = sim2(parts, settings(1e-2));
    let error = (0..100).find_map(|_| sim.step().err()).expect("an error").to_string();
    assert!(error.contains("`line`") && error.contains("thickness"), "{error}");
}

/// Two L-shaped meshes and a ball: a closed mesh moves by mechanics. It rests where its lowest points touch, with
/// the mass, centre and inertia of two boxes.
#[test]
fn a_concave_mesh_rests_on_the_floor() {
    // An L in the plane xz, one unit thick along y: boxes 2 × 1 × 1 and 1 × 1 × 1 above its left half.
    let profile = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
    let points: Vec<[f64; 3]> = [0.0, 1.0].iter().flat_map(|y| profile.map(|p| [p[0], *y, p[1]])).collect();
    let mut triangles = vec![];
    for t in [[0u32, 1, 2], [0, 2, 3], [0, 3, 5], [3, 4, 5]] {
        triangles.push(t);
        triangles.push([t[0] + 6, t[2] + 6, t[1] + 6]);
    }
    for i in 0..6u32 {
        let j = (i + 1) % 6;
        triangles.push([i, i + 6, j + 6]);
        triangles.push([i, j + 6, j]);
    }
    let shape = Shape3::mesh(&points, &triangles).expect("a mesh");
    let mut parts = floor3([0.0, 0.0, -G].into(), Interaction::coulomb(0.5));
    let spec = BodySpec::homogeneous("L", 1000.0).posed(Pose::at([0.0, 0.0, 0.02].into())).shape(shape.clone());
    parts.bodies.push(spec);
    // Another stands in the corner of the first, upside down: meshes touch meshes.
    let over = BodySpec::homogeneous("over", 1000.0).posed(Pose::at([1.0, 0.0, 1.04].into())).shape(shape);
    parts.bodies.push(over);
    let mut sim = sim3(parts, settings(1e-3));
    go(&mut sim, 0.5);
    let centre = 5.0 / 6.0;
    let q = &sim.state().q;
    // A fall ends within one step, h √(2 g d) deep at most.
    let deep = [0.02f64, 0.04].map(|d| 1e-3 * (2.0 * G * d).sqrt());
    assert!((q[7 + 2] - centre).abs() < deep[0], "L at {}", q[9]);
    assert!(sim.state().u[6..12].iter().all(|u| u.abs() < 1e-4), "{:?}", &sim.state().u[6..]);
    assert!((q[14 + 2] - (1.0 + centre)).abs() < deep[0] + deep[1], "over at {}", q[16]);
}
