//! Rigid bodies and deformable solids in the same contact problem
//!
//! References: declared pairs of a surface and an obstacle (another way to the same equations), waves in a bar, a
//! rigid block on an incline, conservation of momentum, balance of weights, and runs that were not interrupted.

#![allow(clippy::unwrap_used)]

use delassus::contact::skin::SkinSpec;
use delassus::contact::{Detector, Dim, Pose, Shape2, Shape3, Vector};
use delassus::dynamics::{Bodies, Error, Interaction, Interactions, State, StepSettings, World, WorldParts};
use delassus::fem::contact::{Collocation, Obstacle, PairSettings};
use delassus::fem::material::{Kinematics, Material};
use delassus::fem::mesh::generate::{Cuboid, Disc, DiscPart, Rectangle};
use delassus::fem::mesh::{CellKind, Mesh};
use delassus::fem::model::{Against, ContactPair, PartSpec};
use delassus::fem::solid::{Hypothesis, SolidSpec};
use delassus::fem::{Model, Path, Predicted, Scheme, SolidSettings, Solids, world_of};
use delassus::rigid::{BodySpec, Kinematics as Motion, Mass, ModelParts, RigidModel, RigidSystem};
use delassus::scene::Scene;
use std::sync::Arc;

const PLANE: Hypothesis = Hypothesis::PlaneStrain { thickness: 1.0 };
const G: f64 = 9.81;
const TOLERANCE: f64 = 1e-10;

/// What a solid is made of and how it starts.
#[derive(Clone, Copy)]
struct Matter {
    young: f64,
    poisson: f64,
    density: f64,
    velocity: [f64; 3],
    rayleigh: [f64; 2],
    theta: f64,
}

const SOFT: Matter =
    Matter { young: 1e7, poisson: 0.3, density: 1000.0, velocity: [0.0; 3], rayleigh: [0.0; 2], theta: 0.5 };

/// A solid: its name, its mesh, its matter.
type Part = (&'static str, Mesh, Matter);

fn model(parts: Vec<Part>, gravity: [f64; 3]) -> Model {
    let mut model = Model::new(parts[0].1.dim);
    model.gravity = gravity;
    for (name, mesh, matter) in parts {
        let hypothesis = if mesh.dim == 2 { PLANE } else { Hypothesis::Space };
        let material = Material::Elastic { young: matter.young, poisson: matter.poisson };
        let solid = SolidSpec::new(material, matter.density, Kinematics::Small, hypothesis);
        let (velocity, rayleigh) = (matter.velocity, matter.rayleigh);
        model.add(PartSpec { name: name.into(), mesh: Arc::new(mesh), solid, velocity, rayleigh }).unwrap();
    }
    model
}

fn block(from: [f64; 2], to: [f64; 2], cells: [usize; 2]) -> Mesh {
    Rectangle::new(from, to, cells, CellKind::Quad4).mesh().unwrap()
}

fn plane(gravity: [f64; 2], mu: f64, bodies: Vec<BodySpec<2>>) -> RigidModel<2> {
    let mut parts = ModelParts::<2>::new(gravity.into());
    parts.bodies = bodies;
    parts.interactions = Interactions::single(Interaction::coulomb(mu));
    RigidModel::new(parts).unwrap()
}

fn floor() -> BodySpec<2> {
    BodySpec::fixed("floor").shape(Shape2::half_plane([0.0, 1.0]).unwrap())
}

/// Bodies, and solids whose skins meet them and each other by the laws of the materials.
fn meeting<const D: usize>(
    bodies: RigidModel<D>,
    parts: Vec<Part>,
    materials: &[u16],
    settings: StepSettings,
) -> Result<World<D, D>, Box<dyn std::error::Error>>
where
    Dim<D>: Motion<D>,
{
    let scheme = Scheme::MoreauJean { theta: parts[0].2.theta };
    let of_solids = SolidSettings { step: Some(settings.h), scheme, tolerance: 1e-10, ..SolidSettings::default() };
    let gravity = std::array::from_fn(|k| if k < D { bodies.gravity()[k] } else { 0.0 });
    let method = of_solids.method();
    let mut solids = Solids::<D>::new(model(parts, gravity), of_solids).unwrap();
    let mut state: State = bodies.initial_state();
    let (q, u) = solids.start().unwrap();
    state.q.extend(q);
    state.u.extend(u);
    let first = bodies.bodies().len();
    let skin = |(k, part): (usize, &delassus::fem::model::Part)| {
        SkinSpec::new((first + k) as u32, part.mesh.skin(part.first as u32).unwrap()).material(materials[k])
    };
    let skins = solids.model().parts.iter().enumerate().map(skin).collect();
    let colliders = bodies.colliders().to_vec();
    let mut all: Vec<u16> = colliders.iter().map(|c| c.material).collect();
    all.extend_from_slice(materials);
    let detector = Detector::with_skins(colliders, skins, solids.reference(), *bodies.detection())?;
    let near = Bodies { detector: Some(detector), materials: all, laws: bodies.interactions().clone() };
    let rigid = RigidSystem::<D, D>::new(Arc::new(bodies))?;
    let parts = WorldParts { parts: vec![Box::new(rigid), Box::new(solids)], bodies: near, weak: vec![], method };
    Ok(World::new(parts, state, settings)?)
}

fn start(bodies: RigidModel<2>, parts: Vec<Part>, h: f64) -> World<2, 2> {
    let settings = StepSettings { tolerance: TOLERANCE, ..StepSettings::with_step(h) };
    let materials = vec![0; parts.len()];
    meeting(bodies, parts, &materials, settings).unwrap()
}

/// Vertical percussions of the contacts of a body, over h: forces that act on it.
fn force_on<const D: usize>(run: &World<D, D>, body: u32) -> Vector<D>
where
    Dim<D>: Motion<D>,
{
    let mut force = Vector::<D>::zeros();
    for c in run.contacts() {
        let s = Vector::<D>::from_fn(|k, _| c.percussion[k]);
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            if c.contact.bodies[side] == body {
                force += c.contact.frame * s * sign / run.report().h;
            }
        }
    }
    force
}

/// A bar falls on a rigid floor by the law of its skin: the same bar with its end declared a pair with the same
/// half-plane as an obstacle, implicit Euler, contact from the same step on.
#[test]
fn a_bar_on_a_floor_moves_as_with_a_declared_pair() {
    let h = 1e-5;
    let matter = Matter { young: 2e11, density: 7800.0, velocity: [1.0, -10.0, 0.0], theta: 1.0, ..SOFT };
    let bar = || vec![("bar", block([0.0, 4.8e-4], [0.2, 1.00048], [2, 12]), matter)];
    let mut run = start(plane([0.0, -G], 0.2, vec![floor()]), bar(), h);
    let mut own = model(bar(), [0.0, -G, 0.0]);
    let mut settings = PairSettings::new(0.05);
    settings.collocation = Collocation::Nodes;
    let shape = Obstacle::half_space([0.0; 2], [0.0, 1.0]);
    own.contacts.push(ContactPair {
        name: "floor".into(),
        slave: own.surface(0, "bottom").unwrap(),
        against: Against::Plane(Box::new(shape.unwrap())),
        settings,
        friction: 0.2,
        motion: vec![],
    });
    let settings = SolidSettings {
        step: Some(h),
        scheme: Scheme::Theta { theta: 1.0 },
        path: Some(Path::Condensed),
        predicted: Predicted::Midpoint,
        tolerance: 1e-12,
        ..SolidSettings::default()
    };
    let mut pair = world_of::<2>(own, settings).unwrap();
    let mut touched = 0;
    // After those of the floor.
    let first = run.state().u.len() - pair.state().u.len();
    assert_eq!(first, 3);
    for _ in 0..70 {
        touched += usize::from(run.step().unwrap().contacts > 0);
        pair.step().unwrap();
        assert!(run.report().residual <= TOLERANCE);
        let (a, b) = (&run.state().u[first..], &pair.state().u);
        let apart = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        // Both solve the contact problem to 1e-10 of velocities of 10 m/s.
        assert!(apart < 1e-7, "step {}: {apart}", run.state().step);
    }
    assert!(touched > 30, "{touched}");
}

/// The same bar, ν = 0, without friction: waves in one dimension. The force during contact is ρ c v per area,
/// contact lasts 2 L/c.
#[test]
fn a_bar_pushes_with_its_impedance() {
    let matter = Matter { young: 2e11, poisson: 0.0, density: 7800.0, velocity: [0.0, -10.0, 0.0], theta: 0.5, ..SOFT };
    let h = 2e-6;
    let mesh = block([0.0, 5e-4], [0.2, 1.0005], [1, 60]);
    let mut run = start(plane([0.0, 0.0], 0.0, vec![floor()]), vec![("bar", mesh, matter)], h);
    let (mut time, mut impulse) = (0.0, 0.0);
    while run.state().time < 6e-4 {
        run.step().unwrap();
        let force = force_on(&run, 1)[1];
        if force > 0.0 {
            (time, impulse) = (time + h, impulse + h * force);
        }
    }
    let c = (2e11f64 / 7800.0).sqrt();
    // Steps and cells both round the wave: to one cell of 60.
    assert!((time / (2.0 / c) - 1.0).abs() < 2.0 / 60.0, "{time} {}", 2.0 / c);
    assert!((impulse / time / (7800.0 * c * 10.0 * 0.2) - 1.0).abs() < 2.0 / 60.0, "{impulse}");
}

/// A stiff block on an incline: sticks below the friction angle, else slides with g (sin α − μ cos α).
#[test]
fn a_stiff_block_slides_as_a_rigid_one() {
    for (angle, mu) in [(0.3f64, 0.5), (0.5, 0.3)] {
        let gravity = [G * angle.sin(), -G * angle.cos()];
        let matter = Matter { young: 1e10, theta: 1.0, ..SOFT };
        let mesh = block([0.0, 0.0], [0.4, 0.2], [4, 2]);
        let mut run = start(plane(gravity, mu, vec![floor()]), vec![("block", mesh, matter)], 1e-3);
        (0..200).for_each(|_| assert!(run.step().unwrap().residual <= TOLERANCE));
        let t = run.state().time;
        let mass = 80.0;
        let v = run.report().momenta.linear[0] / mass;
        let expected = if angle.tan() <= mu { 0.0 } else { G * (angle.sin() - mu * angle.cos()) * t };
        // The block is strained by ρ g L/E = 2e-7; its elastic waves are damped within a few steps.
        assert!((v - expected).abs() < 1e-5, "{v} {expected}");
    }
}

/// A rigid disc hits a deformable grain: momentum to round-off at each step, energy does not grow, the
/// certificate holds, and the nearly rigid grain leaves as a rigid one would with the same loss.
#[test]
fn a_grain_hit_by_a_disc_keeps_momentum() {
    let mass = Mass::disc(20.0, 0.1);
    let disc = BodySpec::dynamic("disc", mass).at([-0.25, 0.03].into()).moving([3.0, 0.0].into());
    let bodies = vec![disc.shape(Shape2::disc(0.1).unwrap())];
    let mesh = Disc::new(0.1, DiscPart::Full, 4, CellKind::Quad4).mesh().unwrap();
    let mut run = start(plane([0.0, 0.0], 0.4, bodies), vec![("grain", mesh, SOFT)], 1e-4);
    let p = run.report().momenta.linear;
    let energy = run.energies().kinetic;
    let (mut touched, mut last, mut gained) = (0, energy, 0.0);
    for _ in 0..600 {
        let report = run.step().unwrap();
        touched += usize::from(report.contacts > 0);
        let now = report.energy.total();
        assert!((0..2).all(|k| (report.momenta.linear[k] - p[k]).abs() < 1e-12 * p[0]), "{:?}", report.momenta);
        assert!(report.residual <= TOLERANCE && now <= energy, "{report:?}");
        gained += f64::max(0.0, now - last);
        assert!(report.energy.closing.abs() < 1e-10 * energy, "{:?}", report.energy);
        last = now;
    }
    assert!(touched > 10, "{touched}");
    // Rows turn from step to step while the contact pushes: gains of the order of the step, here 1e-4 of the
    // 2e-2 s of contact.
    assert!(gained < 1e-3 * energy && last < 0.999 * energy, "{gained} {last} {energy}");
    // The disc was stopped in part, the grain was set in motion.
    let grain = p[0] - 20.0 * run.state().u[0];
    assert!(grain > 5.0 && run.state().u[0] < 2.5, "{grain}");
}

/// A rigid block on a deformable one on a floor: at rest the contact forces are the weights. Widths are equal:
/// corners lie on corners.
#[test]
fn contact_forces_at_rest_are_the_weights() {
    let rigid = BodySpec::dynamic("top", Mass::rectangle(60.0, 0.4, 0.2)).at([0.2, 0.3].into());
    let bodies = vec![floor(), rigid.shape(Shape2::rectangle(0.4, 0.2).unwrap())];
    let matter = Matter { rayleigh: [60.0, 1e-3], theta: 1.0, ..SOFT };
    let mesh = block([0.0, 0.0], [0.4, 0.2], [6, 3]);
    let mut run = start(plane([0.0, -G], 0.5, bodies), vec![("block", mesh, matter)], 2e-3);
    for _ in 0..1500 {
        assert!(run.step().unwrap().residual <= TOLERANCE);
    }
    let (top, block) = (60.0 * G, 80.0 * G);
    let on_top = force_on(&run, 1);
    assert!((on_top[1] / top - 1.0).abs() < 1e-6 && on_top[0].abs() < 1e-6 * top, "{on_top:?}");
    let on_block = force_on(&run, 2);
    assert!((on_block[1] / block - 1.0).abs() < 1e-6, "{on_block:?}");
    // It stands straight, lower by the compression of the block: between that of plane strain with free and
    // with held sides, σ H/E times 1 − ν² and times (1+ν)(1−2ν)/(1−ν), by the mean pressure.
    let sunk = 0.3 - run.state().q[4];
    let pressure = (top + 0.5 * block) / 0.4 * 0.2 / 1e7;
    assert!(sunk > 0.74 * pressure && sunk < 0.95 * pressure, "{sunk} {pressure}");
    assert!(run.state().q[5].abs() < 1e-8, "{}", run.state().q[5]);
}

/// A rigid disc on the middle of a facet, a rigid corner on another: contacts at facets, not only at nodes.
#[test]
fn corners_and_discs_meet_facets() {
    let diamond = BodySpec::dynamic("diamond", Mass::rectangle(5.0, 0.1, 0.1))
        .posed(Pose::planar(0.13, 0.2 + 0.05 * 2f64.sqrt(), 0.25 * std::f64::consts::PI))
        .shape(Shape2::rectangle(0.1, 0.1).unwrap());
    let disc = BodySpec::dynamic("disc", Mass::disc(5.0, 0.05)).at([0.37, 0.25].into());
    let bodies = vec![floor(), diamond, disc.shape(Shape2::disc(0.05).unwrap())];
    let matter = Matter { rayleigh: [200.0, 1e-3], theta: 1.0, ..SOFT };
    let mesh = block([0.0, 0.0], [0.5, 0.2], [5, 2]);
    let mut run = start(plane([0.0, -G], 0.5, bodies), vec![("block", mesh, matter)], 1e-3);
    for _ in 0..50 {
        run.step().unwrap();
    }
    // The diamond is about to tip and the disc to roll: what matters is that they are carried.
    for body in [1, 2] {
        let force = force_on(&run, body)[1];
        assert!((force / (5.0 * G) - 1.0).abs() < 0.05, "{body}: {force}");
        let y = run.state().q[3 * body as usize + 1];
        let start = if body == 1 { 0.2 + 0.05 * 2f64.sqrt() } else { 0.25 };
        assert!((y - start).abs() < 1e-3, "{body}: {y}");
    }
}

/// The same bits after a restart.
#[test]
fn a_restart_has_the_same_bits() {
    let build = || {
        let disc = BodySpec::dynamic("disc", Mass::disc(5.0, 0.05)).at([0.31, 0.262].into());
        let bodies = vec![floor(), disc.moving([0.3, -1.0].into()).shape(Shape2::disc(0.05).unwrap())];
        let a = ("a", block([0.0, 0.001], [0.5, 0.101], [5, 2]), SOFT);
        let b = ("b", block([0.04, 0.103], [0.44, 0.203], [7, 2]), SOFT);
        start(plane([0.0, -G], 0.5, bodies), vec![a, b], 5e-4)
    };
    let mut whole = build();
    let mut saved = None;
    let mut kinds = std::collections::BTreeSet::new();
    for k in 0..120 {
        if k == 70 {
            saved = Some(whole.state().clone());
        }
        assert!(whole.step().unwrap().residual <= TOLERANCE);
        kinds.extend(whole.contacts().map(|c| c.contact.bodies));
    }
    // Floor and block, block and block, disc and block.
    assert!([[0, 2], [2, 3], [1, 3]].iter().all(|pair| kinds.contains(pair)), "{kinds:?}");
    let mut again = build();
    again.set_state(saved.unwrap()).unwrap();
    (70..120).for_each(|_| assert!(again.step().is_ok()));
    assert_eq!(again.state().hash_hex(), whole.state().hash_hex());
}

/// In space: a sphere and a box fall on a block; momentum and weights.
#[test]
fn bodies_of_space_rest_on_a_block() {
    let mut parts = ModelParts::<3>::new([0.0, 0.0, -G].into());
    parts.bodies = vec![
        BodySpec::fixed("floor").shape(Shape3::HalfSpace { normal: [0.0, 0.0, 1.0].into() }),
        BodySpec::homogeneous("sphere", 2.0 / (4.0 / 3.0 * std::f64::consts::PI * 0.05f64.powi(3)))
            .at([0.13, 0.12, 0.2505].into())
            .shape(Shape3::sphere(0.05).unwrap()),
        BodySpec::homogeneous("box", 2000.0)
            .at([0.32, 0.2, 0.2505].into())
            .shape(Shape3::cuboid([0.1, 0.1, 0.1]).unwrap()),
    ];
    parts.interactions = Interactions::single(Interaction::coulomb(0.5));
    let mesh = Cuboid::new([0.0; 3], [0.4, 0.4, 0.2], [4, 4, 2], CellKind::Hex8).mesh().unwrap();
    let matter = Matter { rayleigh: [100.0, 1e-3], theta: 1.0, ..SOFT };
    let bodies = RigidModel::new(parts).unwrap();
    let mut run = meeting(bodies, vec![("block", mesh, matter)], &[0], StepSettings::with_step(2e-3)).unwrap();
    for _ in 0..400 {
        assert!(run.step().unwrap().residual <= 1e-8);
    }
    for (body, weight) in [(1, 2.0 * G), (2, 2.0 * G), (3, 32.0 * G)] {
        let force = force_on(&run, body);
        assert!((force[2] / weight - 1.0).abs() < 1e-3, "{body}: {force:?}");
    }
}

/// Refusals name what is wrong: scenes before they start, worlds where they cannot go on.
#[test]
fn what_cannot_meet_is_refused() {
    let mut parts = ModelParts::<2>::new([0.0, -G].into());
    parts.bodies = vec![floor()];
    parts.interactions = Interactions::single(Interaction::coulomb(0.5));
    let refuse = |parts: ModelParts<2>, material: u16| {
        let solid = vec![("block", block([0.0, 0.0], [1.0, 1.0], [1, 1]), SOFT)];
        let run = meeting(RigidModel::new(parts).unwrap(), solid, &[material], StepSettings::with_step(1e-3));
        run.and_then(|mut run| Ok(run.step()?.clone())).err()
    };
    let error = refuse(parts.clone(), 1).unwrap();
    let told = error.downcast_ref::<Error>();
    assert!(matches!(told, Some(Error::NoLaw { bodies: [0, 1], materials: [0, 1], .. })), "{error}");
    let mut rolling = parts.clone();
    let friction = delassus::dynamics::Friction::Rolling { mu: 0.5, mu_r: 0.01 };
    rolling.interactions = Interactions::single(Interaction::new(friction));
    let error = refuse(rolling, 0).unwrap();
    let told = error.downcast_ref::<delassus::rigid::Error>();
    assert!(matches!(told, Some(delassus::rigid::Error::Components { needed: 3, asked: 2 })), "{error}");
    parts.detection.periodic.period[0] = Some(3.0);
    assert!(refuse(parts, 0).is_some_and(|e| e.to_string().contains("periodic")));

    let refuse = |text: &str| {
        let text = format!("{SCENE}{text}");
        Scene::parse(&text, "scene", &[])
            .and_then(|scene| scene.check())
            .err()
            .map(|e| e.to_string())
            .unwrap_or_default()
    };
    let told = refuse("[law]\nfriction = 0.5\n");
    assert!(told.is_empty(), "{told}");
    let told = refuse("[[law]]\nbetween = [\"glass\", \"glass\"]\nfriction = 0.5\n");
    assert!(told.contains("no law between `rubber` and `glass`"), "{told}");
    let told = refuse("[law]\nfriction = 0.5\nrolling = 0.01\n");
    assert!(told.contains("rolling and torsional laws are for scenes of rigid bodies"), "{told}");
    let told = refuse("[law]\nfriction = 0.5\n[periodic]\nx = 3\n");
    assert!(told.contains("do not know periodic scenes"), "{told}");
}

/// A block on a floor, without laws.
const SCENE: &str = r#"
title = "A block on a floor"
dimension = 2
[time]
step = 1e-3
end = 1e-2
[analysis]
scheme = "moreau_jean"
theta = 0.7
[material.glass]
density = 2500
[material.rubber]
density = 1200
behaviour = "elastic"
young = 1e5
poisson = 0.3
[mesh.square]
kind = "block"
size = [1, 1]
cells = [1, 1]
[solid.block]
mesh = "square"
material = "rubber"
[[generate]]
kind = "container"
name = "box"
material = "glass"
size = [3, 3]
"#;
