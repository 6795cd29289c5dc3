//! Impacts on rigid planes \[Zammali05 §5.2\], and the skate of §5.1.2

#![allow(clippy::unwrap_used)]

use crate::world::{Analysis, Settings};
use delassus_fem::contact::{Collocation, Obstacle, PairSettings};
use delassus_fem::material::{Hardening, J2, Kinematics, Material};
use delassus_fem::mesh::generate::{Disc, DiscPart, Grading, Rectangle};
use delassus_fem::mesh::{CellKind, Mesh};
use delassus_fem::model::{Against, ContactPair, Discrete, DiscreteKind, PartSpec, Support};
use delassus_fem::solid::{Hypothesis, SolidSpec};
use delassus_fem::{Model, Path, Scheme};
use std::sync::Arc;

fn floor(model: &mut Model, group: &str, friction: f64, search: f64, axisymmetric: bool) {
    let mut settings = PairSettings::new(search);
    settings.collocation = Collocation::Nodes;
    settings.axisymmetric = axisymmetric;
    let floor = Obstacle::half_space([0.0; 2], [0.0, 1.0]).unwrap();
    model.contacts.push(ContactPair {
        name: "floor".into(),
        slave: model.surface(0, group).unwrap(),
        against: Against::Plane(Box::new(floor)),
        settings,
        friction,
        motion: vec![],
    });
}

fn add(model: &mut Model, mesh: Mesh, solid: SolidSpec, velocity: [f64; 3]) {
    let name = "body".to_owned();
    model.add(PartSpec { name, mesh: Arc::new(mesh), solid, velocity, rayleigh: [0.0; 2] }).unwrap();
}

/// The right half of a cylinder, 10 mm above the floor.
fn cylinder(cells: usize, kinematics: Kinematics, material: Material, hypothesis: Hypothesis, v0: f64) -> Model {
    let mut model = Model::new(2);
    let mut disc = Disc::new(0.03, DiscPart::Right, cells, CellKind::Quad4);
    disc.centre = [0.0, 0.04];
    add(&mut model, disc.mesh().unwrap(), SolidSpec::new(material, 7800.0, kinematics, hypothesis), [0.0, -v0, 0.0]);
    let dofs = model.group_nodes(0, "axis").unwrap().iter().map(|n| 2 * n).collect();
    model.supports.push(Support { dofs, value: 0.0.into() });
    floor(&mut model, "arc", 0.0, 0.05, matches!(hypothesis, Hypothesis::Axisymmetric));
    model
}

/// Contact time, velocity of the centre of mass after it over that before, largest compression.
fn bounce(model: Model, settings: Settings, end: f64) -> [f64; 3] {
    let mut analysis = Analysis::new(model, settings).unwrap();
    let mass: f64 = analysis.lumped().iter().skip(1).step_by(2).sum();
    let before = -analysis.report().linear[1];
    let ends = analysis.model().group_nodes(0, "axis").unwrap();
    let y = |n: u32| analysis.model().parts[0].mesh.points[n as usize][1];
    let lowest = *ends.iter().min_by(|a, b| y(**a).total_cmp(&y(**b))).unwrap() as usize;
    let highest = *ends.iter().max_by(|a, b| y(**a).total_cmp(&y(**b))).unwrap() as usize;
    let (mut first, mut last, mut compression) = (f64::INFINITY, 0.0f64, 0.0f64);
    while analysis.time() < end {
        let report = analysis.step().unwrap();
        if report.force[1] > 0.0 {
            first = first.min(analysis.time());
            last = analysis.time();
        }
        compression = compression.max(analysis.u()[2 * lowest + 1] - analysis.u()[2 * highest + 1]);
    }
    assert!(mass > 0.0);
    [last - first + analysis.h(), analysis.report().linear[1] / before, compression]
}

/// X1: duration within 2 %, restitution within 0.005, compression within 1 %, small strain and St Venant–Kirchhoff.
#[test]
fn a_cylinder_bounces_as_in_another_code() {
    let plane = Hypothesis::PlaneStrain { thickness: 1.0 };
    let elastic = Material::Elastic { young: 2e11, poisson: 0.0 };
    let stvk = Material::StVenantKirchhoff { young: 2e11, poisson: 0.0 };
    for (cells, kinematics, material, [duration, restitution, compression]) in [
        (8, Kinematics::Small, elastic, [3.405e-5, 0.9655, 0.006695]),
        (8, Kinematics::Finite, stvk, [3.8386e-5, 0.96098, 0.0072765]),
    ] {
        let model = cylinder(cells, kinematics, material.clone(), plane, 500.0);
        let settings = Settings { scheme: Scheme::CentralDifferences, ..Settings::default() };
        let found = bounce(model, settings, 7e-5);
        assert!((found[0] / duration - 1.0).abs() < 0.02, "{material:?}: {found:?}");
        assert!((found[1] - restitution).abs() < 0.005, "{material:?}: {found:?}");
        assert!((found[2] / compression - 1.0).abs() < 0.01, "{material:?}: {found:?}");
    }
}

/// X2: a ball, small strain and neo-Hookean with the mean volume of cells: duration within 2 %, restitution
/// within 0.005, compression within 1 %.
#[test]
fn a_ball_bounces_as_in_another_code() {
    let elastic = Material::Elastic { young: 2e11, poisson: 0.0 };
    let rubber = Material::NeoHookean { young: 2e11, poisson: 0.0 };
    for (kinematics, material, [duration, restitution, compression]) in [
        (Kinematics::Small, elastic, [4.170815e-5, 0.9860346, 0.008270913]),
        (Kinematics::Finite, rubber, [4.308865e-5, 0.9872862, 0.008239422]),
    ] {
        let model = cylinder(8, kinematics, material.clone(), Hypothesis::Axisymmetric, 500.0);
        let settings = Settings { scheme: Scheme::CentralDifferences, ..Settings::default() };
        let found = bounce(model, settings, 7e-5);
        assert!((found[0] / duration - 1.0).abs() < 0.02, "{material:?}: {found:?}");
        assert!((found[1] - restitution).abs() < 0.005, "{material:?}: {found:?}");
        assert!((found[2] / compression - 1.0).abs() < 0.01, "{material:?}: {found:?}");
    }
}

/// X3: the bar of Taylor in plane strain, symmetric half, 5 × 100 cells.
fn taylor(friction: f64, settings: Settings) -> (Analysis, [f64; 3]) {
    let mut model = Model::new(2);
    let mesh = Rectangle {
        grading: [Grading::Uniform, Grading::Uniform],
        ..Rectangle::new([0.0, 0.0], [1e-3, 2e-2], [5, 100], CellKind::Quad4)
    };
    let material = Material::J2(J2 {
        young: 1.17e11,
        poisson: 0.35,
        yield_stress: 4e8,
        isotropic: Hardening::Linear { modulus: 1e8 },
        kinematic: 0.0,
    });
    let solid = SolidSpec::new(material, 8930.0, Kinematics::Finite, Hypothesis::PlaneStrain { thickness: 1.0 });
    add(&mut model, mesh.mesh().unwrap(), solid, [0.0, -227.0, 0.0]);
    let dofs = model.group_nodes(0, "left").unwrap().iter().map(|n| 2 * n).collect();
    model.supports.push(Support { dofs, value: 0.0.into() });
    floor(&mut model, "bottom", friction, 1e-3, false);
    let mut analysis = Analysis::new(model, settings).unwrap();
    let mut last = 0.0;
    while analysis.time() < 6e-5 {
        if analysis.step().unwrap().force[1] > 0.0 {
            last = analysis.time();
        }
    }
    let place = |group: &str, k: usize| {
        let model = analysis.model();
        let nodes = model.group_nodes(0, group).unwrap();
        let at = |n: u32| model.parts[0].mesh.points[n as usize][k] + analysis.u()[2 * n as usize + k];
        nodes.iter().map(|n| at(*n)).collect::<Vec<f64>>()
    };
    let top = place("top", 1).iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let low = place("bottom", 1).iter().copied().fold(f64::INFINITY, f64::min);
    let foot = place("bottom", 0).iter().chain(&place("right", 0)).copied().fold(0.0, f64::max);
    (analysis, [top - low, foot, last])
}

/// X3: length within 0.5 %, half-width of the foot within 3 %, contact time within 5 %.
#[test]
fn the_taylor_bar_deforms_as_in_another_code() {
    for (friction, [length, foot, time]) in
        [(0.0, [0.01378561, 0.004809901, 5.106412e-5]), (0.25, [0.01404268, 0.003681371, 4.800687e-5])]
    {
        let settings = Settings { scheme: Scheme::CentralDifferences, ..Settings::default() };
        let (_, found) = taylor(friction, settings);
        assert!((found[0] / length - 1.0).abs() < 0.005, "{friction}: {found:?}");
        assert!((found[1] / foot - 1.0).abs() < 0.03, "{friction}: {found:?}");
        assert!((found[2] / time - 1.0).abs() < 0.05, "{friction}: {found:?}");
    }
}

/// H5: an elastic block that slides on a floor, held by a spring: turning points of a rigid one.
#[test]
fn the_skate_stops_where_friction_holds_it() {
    for path in [Path::Condensed, Path::Nested] {
        let mut model = Model::new(2);
        let mesh = Rectangle::new([-0.5, 0.0], [0.5, 1.0], [4, 4], CellKind::Quad4).mesh().unwrap();
        let material = Material::Elastic { young: 2.1e11, poisson: 0.0 };
        let plane = Hypothesis::PlaneStrain { thickness: 1.0 };
        add(&mut model, mesh, SolidSpec::new(material, 7800.0, Kinematics::Small, plane), [0.0; 3]);
        model.gravity = [0.0, -9.81, 0.0];
        // Released 0.2 m from the rest of the spring, at the middle of the left side.
        let node = model.parts[0].mesh.nearest_node([-0.5, 0.5, 0.0]).unwrap();
        let kind = DiscreteKind::Spring { stiffness: 8e5, rest: -0.2 };
        model.discrete.push(Discrete { kind, a: 2 * node, b: None });
        floor(&mut model, "bottom", 0.3, 0.1, false);
        let h = if path == Path::Nested { 1e-3 } else { 2e-4 };
        let settings = Settings {
            step: Some(h),
            scheme: Scheme::Theta { theta: 0.5 },
            path: Some(path),
            tolerance: 1e-9,
            ..Settings::default()
        };
        let mut analysis = Analysis::new(model, settings).unwrap();
        let mut turns: Vec<f64> = vec![];
        let (mut before, mut x) = (0.0, 0.2);
        let end = if path == Path::Nested { 0.4 } else { 1.1 };
        while analysis.time() < end {
            analysis.step().unwrap();
            let v = analysis.v()[2 * node as usize];
            // Vibrations of the block turn too, by micrometres.
            let far = (x - turns.last().copied().unwrap_or(0.2)).abs() > 0.01;
            if far && (before < 0.0 && v >= 0.0 || before > 0.0 && v <= 0.0) {
                turns.push(x);
            }
            (before, x) = (v, 0.2 + analysis.u()[2 * node as usize]);
        }
        // H5: within two steps at the largest speed.
        let fastest = (0.2 - 0.0287) * 10.127;
        let reference = [-0.1426115, 0.085223, -0.0278345];
        for (found, expected) in turns.iter().zip(reference) {
            assert!((found - expected).abs() < 2.0 * h * fastest, "{path:?}: {turns:?}");
        }
        // The first turn at a step of 1 ms, by the other path (nine digits of it).
        if path == Path::Nested {
            assert!((turns[0] + 0.141252937).abs() < 1e-8, "{turns:?}");
        }
        if path == Path::Condensed {
            assert!((x - reference[2]).abs() < 2.0 * h * fastest, "{x}");
        }
    }
}
