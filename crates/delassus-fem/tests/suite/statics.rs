//! Contact without inertia \[Zammali05 §5.1\]: Hertz, the patch test of Taylor, blocks under forces

#![allow(clippy::unwrap_used)]

use crate::world;

use crate::world::{Analysis, Settings, ramp};
use delassus_fem::contact::{Collocation, Multipliers, Obstacle, PairSettings};
use delassus_fem::material::{Kinematics, Material};
use delassus_fem::mesh::generate::{Cuboid, Disc, DiscPart, Rectangle};
use delassus_fem::mesh::{CellKind, Mesh};
use delassus_fem::model::{Against, ContactPair, Discrete, DiscreteKind, Load, PartSpec, Support};
use delassus_fem::solid::{Hypothesis, SolidSpec};
use delassus_fem::{ContactSettings, Formalism, Function, Linear, Model, Path, Scheme};
use std::sync::Arc;

fn part(name: &str, mesh: Mesh, young: f64, poisson: f64, hypothesis: Hypothesis) -> PartSpec {
    let material = Material::Elastic { young, poisson };
    let solid = SolidSpec::new(material, 1000.0, Kinematics::Small, hypothesis);
    PartSpec { name: name.into(), mesh: Arc::new(mesh), solid, velocity: [0.0; 3], rayleigh: [0.0; 2] }
}

fn hold(model: &mut Model, part: usize, group: &str, component: u32, value: Function) {
    let dim = model.dim as u32;
    let dofs = model.group_nodes(part, group).unwrap().iter().map(|n| dim * n + component).collect();
    model.supports.push(Support { dofs, value });
}

fn statics() -> Settings {
    Settings { step: Some(1.0), scheme: Scheme::QuasiStatic, tolerance: 1e-10, ..Settings::default() }
}

/// Half a ball pressed on its plane of symmetry, the flat face moved by U.
fn hertz(cells: usize, u: f64) -> Model {
    let mut model = Model::new(2);
    let mut disc = Disc::new(0.05, DiscPart::LowerRight, cells, CellKind::Quad4);
    disc.centre = [0.0, 0.05];
    disc.refine_foot = 2.5f64.exp();
    disc.refine_arc = 8.0;
    model.add(part("ball", disc.mesh().unwrap(), 2e10, 0.3, Hypothesis::Axisymmetric)).unwrap();
    hold(&mut model, 0, "axis", 0, 0.0.into());
    hold(&mut model, 0, "top", 1, ramp(-u, 10.0));
    let mut settings = PairSettings::new(0.05);
    settings.collocation = Collocation::Nodes;
    settings.axisymmetric = true;
    let floor = Obstacle::half_space([0.0; 2], [0.0, 1.0]).unwrap();
    model.contacts.push(ContactPair {
        name: "floor".into(),
        slave: model.surface(0, "arc").unwrap(),
        against: Against::Plane(Box::new(floor)),
        settings,
        friction: 0.0,
        motion: vec![],
    });
    model
}

/// H2: force within 0.5 %, pressure at the centre within 1 %, radius within a cell, in ten steps.
#[test]
fn hertz_agrees_with_another_code() {
    for (cells, u, force, pressure, radius) in [
        (16, 2e-3, 658224.1730207993, 2884170783.7957177, [0.0107341, 0.0130876]),
        (32, 2e-3, 657642.5384164415, 2896748633.3657093, [0.0107341, 0.0118684]),
        (64, 2e-4, 19145.44552056759, 888729894.6774126, [0.0030767, 0.0033179]),
    ] {
        let mut forces = vec![];
        for path in [Path::Nested, Path::Condensed] {
            let mut analysis = Analysis::new(hertz(cells, u), Settings { path: Some(path), ..statics() }).unwrap();
            for _ in 0..10 {
                analysis.step().unwrap();
            }
            let found = analysis.report().force[1];
            assert!((found / force - 1.0).abs() < 5e-3, "{cells} {u} {path:?}: {found} for {force}");
            let points: Vec<_> = analysis.contact_view().collect();
            let centre = points.iter().min_by(|a, b| a.position[0].total_cmp(&b.position[0])).unwrap();
            assert!((centre.pressure / pressure - 1.0).abs() < 2e-2, "{cells} {u}: {} for {pressure}", centre.pressure);
            let touching = |p: &&world::ContactView| p.pressure > 0.0;
            let edge = points.iter().filter(touching).map(|p| p.position[0]).fold(0.0, f64::max);
            assert!(edge < radius[1] && edge > 0.8 * radius[0], "{cells} {u}: {edge}");
            assert!(analysis.report().residual < 1e-8, "{:?}", analysis.report().residual);
            forces.push(found);
        }
        assert!((forces[0] / forces[1] - 1.0).abs() < 1e-8, "{forces:?}");
    }
}

/// Two blocks of unit height, meshed differently, pressed by a uniform pressure.
fn blocks(collocation: Collocation, multipliers: Multipliers, held: bool) -> Model {
    let mut model = Model::new(2);
    let plane = Hypothesis::PlaneStrain { thickness: 1.0 };
    let lower = Rectangle::new([0.0, 0.0], [1.0, 1.0], [5, 4], CellKind::Quad4).mesh().unwrap();
    let upper = Rectangle::new([0.0, 1.0], [1.0, 2.0], [3, 3], CellKind::Quad4).mesh().unwrap();
    model.add(part("lower", lower, 1e9, 0.3, plane)).unwrap();
    model.add(part("upper", upper, 1e9, 0.3, plane)).unwrap();
    hold(&mut model, 0, "bottom", 1, 0.0.into());
    let corner = model.parts[0].mesh.nearest_node([0.0; 3]).unwrap();
    model.supports.push(Support { dofs: vec![2 * corner], value: 0.0.into() });
    if held {
        let first = model.parts[1].first as u32;
        let corner = first + model.parts[1].mesh.nearest_node([0.0, 2.0, 0.0]).unwrap();
        model.supports.push(Support { dofs: vec![2 * corner], value: 0.0.into() });
    }
    let kind = model.traction(1, "top", [0.0, -1e6, 0.0]).unwrap();
    model.loads.push(Load { kind, factor: 1.0.into() });
    let mut settings = PairSettings::new(0.5);
    settings.collocation = collocation;
    settings.multipliers = multipliers;
    model.contacts.push(ContactPair {
        name: "interface".into(),
        slave: model.surface(1, "bottom").unwrap(),
        against: Against::Surface(model.surface(0, "top").unwrap()),
        settings,
        friction: 0.0,
        motion: vec![],
    });
    model
}

fn with(formalism: Formalism, projected: bool) -> Settings {
    Settings { contact: ContactSettings { formalism, projected, ..Default::default() }, ..statics() }
}

/// H4: uniform pressure to 1e-10, whatever the meshes, with integration on the partition.
#[test]
fn the_patch_test_is_passed_with_multipliers() {
    let stabilised = Formalism::Stabilised { normal: 1e10, tangential: 0.0 };
    for (multipliers, settings) in [
        (Multipliers::P1, with(Formalism::Lagrange, false)),
        (Multipliers::P1, with(stabilised, false)),
        (Multipliers::P0, with(Formalism::Lagrange, false)),
        (Multipliers::P0, with(stabilised, true)),
    ] {
        let name = format!("{multipliers:?} {:?}", settings.contact);
        let model = blocks(Collocation::Gauss { points: 2 }, multipliers, true);
        let mut analysis = Analysis::new(model, settings).unwrap();
        analysis.step().unwrap_or_else(|e| panic!("{name}: {e}"));
        for point in analysis.contact_view() {
            assert!((point.pressure / 1e6 - 1.0).abs() < 1e-10, "{name}: {}", point.pressure);
        }
        let model = analysis.model();
        let nodes = model.group_nodes(1, "top").unwrap();
        for n in nodes {
            let u = analysis.u()[2 * n as usize + 1];
            assert!((u / -0.00182 - 1.0).abs() < 1e-6, "{name}: {u}");
        }
    }
}

/// The mortar rows of the condensed path give the pressures of the nested loops; soft springs hold the
/// upper block, which the condensed path asks for.
#[test]
fn both_paths_agree_on_incompatible_meshes() {
    let pressures = |path: Path| {
        let mut model = blocks(Collocation::Gauss { points: 2 }, Multipliers::P1, true);
        for x in [0.0, 1.0] {
            let node = model.parts[1].first as u32 + model.parts[1].mesh.nearest_node([x, 2.0, 0.0]).unwrap();
            let kind = DiscreteKind::Spring { stiffness: 1e7, rest: 0.0 };
            model.discrete.push(Discrete { kind, a: 2 * node + 1, b: None });
        }
        let mut analysis = Analysis::new(model, Settings { path: Some(path), ..statics() }).unwrap();
        analysis.step().unwrap();
        analysis.contact_view().map(|p| p.pressure).collect::<Vec<f64>>()
    };
    let (nested, condensed) = (pressures(Path::Nested), pressures(Path::Condensed));
    assert_eq!(nested.len(), condensed.len());
    for (a, b) in nested.iter().zip(&condensed) {
        assert!((a - b).abs() < 1e-8 * 1e6, "{a} {b}");
    }
}

/// Conjugate gradients instead of a factorisation: the same displacements.
#[test]
fn gradients_solve_what_factors_solve() {
    let run = |linear: Linear| {
        let settings = Settings { path: Some(Path::Condensed), linear, tolerance: 1e-9, ..statics() };
        let mut analysis = Analysis::new(hertz(16, 2e-3), settings).unwrap();
        for _ in 0..10 {
            analysis.step().unwrap();
        }
        (analysis.report().force[1], analysis.u().to_vec())
    };
    let ((f, u), (g, w)) = (run(Linear::Direct), run(Linear::Iterative));
    assert!((f / g - 1.0).abs() < 1e-7, "{f} {g}");
    let worst = u.iter().zip(&w).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-7 * 2e-3, "{worst}");
}

/// H4: collocation at nodes does not pass it.
#[test]
fn what_fails_the_patch_test_is_known() {
    let mut analysis =
        Analysis::new(blocks(Collocation::Nodes, Multipliers::P1, true), with(Formalism::Lagrange, false)).unwrap();
    analysis.step().unwrap();
    let worst = analysis.contact_view().map(|p| (p.pressure / 1e6 - 1.0).abs()).fold(0.0, f64::max);
    assert!(worst > 0.01, "{worst}");
}

/// §5.1, fig. 5.2: the upper block is held by nothing but contact; multipliers find it all the same.
#[test]
fn contact_alone_can_hold_a_block() {
    for formalism in [Formalism::Lagrange, Formalism::Stabilised { normal: 1e10, tangential: 0.0 }] {
        let mut model = blocks(Collocation::Gauss { points: 2 }, Multipliers::P1, true);
        model.contacts[0].friction = 0.0;
        let mut analysis = Analysis::new(model, with(formalism, false)).unwrap();
        let report = analysis.step().unwrap();
        assert!((report.force[1] / 1e6 - 1.0).abs() < 1e-9, "{formalism:?}: {:?}", report.force);
        assert!(report.balance < 1e-10 && report.residual < 1e-9, "{formalism:?}");
    }
    // Free to slide, nothing holds it sideways: said, not guessed.
    let mut analysis = Analysis::new(
        blocks(Collocation::Gauss { points: 2 }, Multipliers::P1, false),
        with(Formalism::Lagrange, false),
    )
    .unwrap();
    let message = analysis.step().err().map(|e| e.to_string()).unwrap_or_default();
    assert!(message.contains("singular") || message.contains("hold"), "{message}");
}

/// H4 in space: cubes of Hex8 with incompatible meshes.
#[test]
fn the_patch_test_is_passed_in_space() {
    let mut model = Model::new(3);
    let lower = Cuboid::new([0.0; 3], [1.0; 3], [3, 2, 2], CellKind::Hex8).mesh().unwrap();
    let upper = Cuboid::new([0.0, 0.0, 1.0], [1.0, 1.0, 2.0], [2, 3, 1], CellKind::Hex8).mesh().unwrap();
    model.add(part("lower", lower, 1e9, 0.3, Hypothesis::Space)).unwrap();
    model.add(part("upper", upper, 1e9, 0.3, Hypothesis::Space)).unwrap();
    let vertical = |group: &str, model: &Model, p: usize| {
        let first = model.parts[p].first;
        let mesh = &model.parts[p].mesh;
        let nodes = model.group_nodes(p, group).unwrap();
        let z = |n: u32| mesh.points[n as usize - first][2];
        nodes.iter().map(|n| z(*n)).sum::<f64>() / nodes.len() as f64
    };
    // Sides by their height: names of generators are theirs.
    let find = |p: usize, height: f64, model: &Model| {
        ["bottom", "top", "front", "back", "left", "right"]
            .into_iter()
            .find(|g| (vertical(g, model, p) - height).abs() < 1e-12)
            .unwrap()
    };
    let (floor, ceiling) = (find(0, 0.0, &model), find(0, 1.0, &model));
    let (sole, roof) = (find(1, 1.0, &model), find(1, 2.0, &model));
    hold(&mut model, 0, floor, 2, 0.0.into());
    for p in 0..2 {
        let first = model.parts[p].first as u32;
        let z = p as f64;
        let a = first + model.parts[p].mesh.nearest_node([0.0, 0.0, z]).unwrap();
        let b = first + model.parts[p].mesh.nearest_node([1.0, 0.0, z]).unwrap();
        model.supports.push(Support { dofs: vec![3 * a, 3 * a + 1, 3 * b + 1], value: 0.0.into() });
    }
    let kind = model.traction(1, roof, [0.0, 0.0, -1e6]).unwrap();
    model.loads.push(Load { kind, factor: 1.0.into() });
    let mut settings = PairSettings::new(0.5);
    settings.collocation = Collocation::Gauss { points: 2 };
    model.contacts.push(ContactPair {
        name: "interface".into(),
        slave: model.surface(1, sole).unwrap(),
        against: Against::Surface(model.surface(0, ceiling).unwrap()),
        settings,
        friction: 0.0,
        motion: vec![],
    });
    let mut analysis = Analysis::new(model, statics()).unwrap();
    analysis.step().unwrap();
    for point in analysis.contact_view() {
        assert!((point.pressure / 1e6 - 1.0).abs() < 1e-9, "{}", point.pressure);
    }
}

/// H2 with both half balls meshed: by symmetry the same force. Multipliers integrated over facets close with
/// the whole support of a node: their edge of contact needs a finer mesh for the same force.
#[test]
fn two_half_balls_press_like_one_on_a_plane() {
    for (collocation, cells) in [(Collocation::Nodes, 16), (Collocation::Gauss { points: 2 }, 32)] {
        half_balls(collocation, cells);
    }
}

fn half_balls(collocation: Collocation, cells: usize) {
    let u = 2e-3;
    let mut model = Model::new(2);
    for (name, sign) in [("upper", 1.0), ("lower", -1.0)] {
        let mut disc = Disc::new(0.05, DiscPart::LowerRight, cells, CellKind::Quad4);
        disc.centre = [0.0, 0.05];
        disc.refine_foot = 2.5f64.exp();
        disc.refine_arc = 8.0;
        let mut mesh = disc.mesh().unwrap();
        if sign < 0.0 {
            mesh.mirror([0.0; 3], [0.0, 1.0, 0.0]).unwrap();
        }
        let p = model.add(part(name, mesh, 2e10, 0.3, Hypothesis::Axisymmetric)).unwrap();
        hold(&mut model, p, "axis", 0, 0.0.into());
        hold(&mut model, p, "top", 1, ramp(-sign * u, 10.0));
    }
    let mut settings = PairSettings::new(0.02);
    settings.collocation = collocation;
    settings.axisymmetric = true;
    model.contacts.push(ContactPair {
        name: "touch".into(),
        slave: model.surface(0, "arc").unwrap(),
        against: Against::Surface(model.surface(1, "arc").unwrap()),
        settings,
        friction: 0.0,
        motion: vec![],
    });
    let mut analysis = Analysis::new(model, statics()).unwrap();
    for _ in 0..10 {
        analysis.step().unwrap_or_else(|e| panic!("{collocation:?}: {e}"));
    }
    let found = analysis.report().force[1];
    assert!((found / 658224.173 - 1.0).abs() < 5e-3, "{collocation:?}: {found}");
}
