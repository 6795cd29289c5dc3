//! A warm step does not allocate: neither its Newton iterations nor what is around them, contacts included
#![allow(clippy::unwrap_used)]

use crate::counting::allocations;
use crate::world::{Analysis, Settings};
use delassus_fem::contact::{Collocation, Obstacle, PairSettings};
use delassus_fem::material::{Hardening, J2, Kinematics, Material};
use delassus_fem::mesh::CellKind;
use delassus_fem::mesh::generate::Rectangle;
use delassus_fem::model::{Against, ContactPair, PartSpec};
use delassus_fem::solid::{Hypothesis, SolidSpec};
use delassus_fem::{Model, Path, Scheme};
use std::sync::Arc;

const ELASTIC: Material = Material::Elastic { young: 1e9, poisson: 0.3 };
const RUBBER: Material = Material::NeoHookean { young: 1e7, poisson: 0.3 };

fn copper() -> Material {
    Material::J2(J2 {
        young: 1.17e11,
        poisson: 0.35,
        yield_stress: 4e8,
        isotropic: Hardening::Linear { modulus: 1e8 },
        kinematic: 0.0,
    })
}

/// A block above a floor, thrown down; without the floor if `friction` is not given.
fn block(material: Material, kinematics: Kinematics, height: f64, friction: Option<f64>) -> Model {
    let mut model = Model::new(2);
    let mesh = Rectangle::new([0.0, height], [1.0, height + 1.0], [6, 6], CellKind::Quad4).mesh().unwrap();
    let plane = Hypothesis::PlaneStrain { thickness: 1.0 };
    let solid = SolidSpec::new(material, 1000.0, kinematics, plane);
    let velocity = [0.5, -5.0, 0.0];
    model.add(PartSpec { name: "block".into(), mesh: Arc::new(mesh), solid, velocity, rayleigh: [0.1, 0.0] }).unwrap();
    model.gravity = [0.0, -10.0, 0.0];
    if let Some(friction) = friction {
        let mut settings = PairSettings::new(0.5);
        settings.collocation = Collocation::Nodes;
        let floor = Obstacle::half_space([0.0; 2], [0.0, 1.0]).unwrap();
        model.contacts.push(ContactPair {
            name: "floor".into(),
            slave: model.surface(0, "bottom").unwrap(),
            against: Against::Plane(Box::new(floor)),
            settings,
            friction,
            motion: vec![],
        });
    }
    model
}

/// Allocations of the fifth and following steps, and their Newton iterations.
fn count(model: Model, settings: Settings) -> (usize, usize, usize) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let mut analysis = Analysis::new(model, settings).unwrap();
        for _ in 0..4 {
            analysis.bare_step();
        }
        let before = allocations();
        let (mut iterations, mut closed) = (0, 0);
        for _ in 0..4 {
            let report = analysis.bare_step();
            iterations += report.newton + report.loops.newton;
            closed += report.contacts;
        }
        (allocations() - before, iterations, closed)
    })
}

fn with(scheme: Scheme, step: Option<f64>, path: Path) -> Settings {
    Settings { scheme, step, path: Some(path), ..Settings::default() }
}

#[test]
fn warm_implicit_steps_do_not_allocate() {
    for (material, kinematics) in [(ELASTIC, Kinematics::Small), (RUBBER, Kinematics::Finite)] {
        for scheme in [Scheme::Theta { theta: 1.0 }, Scheme::Newmark { beta: 0.25, gamma: 0.5 }] {
            let model = block(material.clone(), kinematics, 1.0, None);
            let (found, iterations, _) = count(model, with(scheme, Some(1e-3), Path::Nested));
            assert!(iterations >= 4, "{iterations}");
            assert_eq!(found, 0, "{material:?} {scheme:?}");
        }
    }
}

#[test]
fn warm_explicit_steps_do_not_allocate() {
    for kinematics in [Kinematics::Small, Kinematics::Finite] {
        for scheme in [Scheme::CentralDifferences, Scheme::SemiExplicit { theta: 1.0 }] {
            let (found, ..) = count(block(copper(), kinematics, 1.0, None), with(scheme, None, Path::Nested));
            assert_eq!(found, 0, "{kinematics:?} {scheme:?}");
        }
    }
}

#[test]
fn warm_nested_contact_does_not_allocate() {
    for (material, kinematics) in [(ELASTIC, Kinematics::Small), (RUBBER, Kinematics::Finite)] {
        for friction in [0.0, 0.3] {
            let model = block(material.clone(), kinematics, 1e-9, Some(friction));
            let (found, iterations, closed) =
                count(model, with(Scheme::Theta { theta: 1.0 }, Some(1e-5), Path::Nested));
            assert!(closed > 0 && iterations >= 4, "{closed} {iterations}");
            assert_eq!(found, 0, "{material:?}, friction {friction}");
        }
    }
}

/// The condensed problem, and explicit steps that touch.
#[test]
fn warm_contact_of_other_paths_does_not_allocate() {
    for friction in [0.0, 0.3] {
        let theta = with(Scheme::Theta { theta: 1.0 }, Some(1e-5), Path::Condensed);
        let explicit = with(Scheme::SemiExplicit { theta: 1.0 }, None, Path::Condensed);
        for (settings, material, kinematics) in [
            (theta.clone(), ELASTIC, Kinematics::Small),
            (theta, RUBBER, Kinematics::Finite),
            (explicit, ELASTIC, Kinematics::Small),
        ] {
            let scheme = settings.scheme;
            let model = block(material.clone(), kinematics, 1e-9, Some(friction));
            let (found, _, closed) = count(model, settings);
            assert!(closed > 0, "{scheme:?}");
            assert_eq!(found, 0, "{material:?}, {scheme:?}, friction {friction}");
        }
    }
}

/// Near the floor, before it is touched.
#[test]
fn warm_condensed_steps_without_touch_do_not_allocate() {
    let model = block(RUBBER, Kinematics::Finite, 0.3, Some(0.3));
    let (found, iterations, closed) = count(model, with(Scheme::Theta { theta: 1.0 }, Some(1e-4), Path::Condensed));
    assert!(closed == 0 && iterations >= 4);
    assert_eq!(found, 0);
}
