//! Angular momentum and energy in finite rotation: orders of the schemes, and the scheme that keeps both
//!
//! Reference: invariants of a free hyperelastic body; orders of convergence; finite differences for the tangent.

#![allow(clippy::unwrap_used)]

#[path = "../../examples/conservation.rs"]
mod example;
use crate::world::{Analysis, Settings};
use delassus_fem::contact::{Obstacle, PairSettings};
use delassus_fem::material::{Hardening, J2, Kinematics, Material};
use delassus_fem::mesh::CellKind;
use delassus_fem::mesh::generate::{Cuboid, Rectangle};
use delassus_fem::model::{Against, ContactPair, PartSpec};
use delassus_fem::solid::{Hypothesis, Locking, Motion, Solid, SolidSpec};
use delassus_fem::{Model, Scheme};
use example::{SCHEMES, bar, drifts};
use std::sync::Arc;

const PLANE: Hypothesis = Hypothesis::PlaneStrain { thickness: 1.0 };

fn rubber() -> Material {
    Material::NeoHookean { young: 1e6, poisson: 0.3 }
}

/// Angular momentum of a spinning neo-Hookean bar to the order of the scheme: θ of the first, Newmark ¼ ½ of the second,
/// those that take forces at the middle of the step exactly.
#[test]
fn angular_momentum_is_kept_to_the_order_of_the_scheme() {
    for (name, scheme) in SCHEMES {
        let [coarse, fine] = [2e-3, 1e-3].map(|h| drifts(bar(rubber(), PLANE).unwrap(), scheme, h, 0.4).unwrap());
        let order = (coarse[0] / fine[0]).log2();
        let expected = match scheme {
            _ if scheme.inner_point().is_some() => {
                assert!(fine[0] < 1e-10, "{name}: {fine:?}");
                continue;
            }
            Scheme::Theta { .. } => 1.0,
            Scheme::Newmark { gamma, .. } if gamma > 0.5 => 1.0,
            _ => 2.0,
        };
        assert!(order > expected - 0.3, "{name}: order {order}, {coarse:?} {fine:?}");
    }
}

/// Energy and angular momentum to round-off over thousands of steps, for every hyperelastic law and hypothesis, with
/// steps that turn the bar by a fifth of a radian.
#[test]
fn the_energy_momentum_scheme_keeps_both_to_round_off() {
    let stvk = Material::StVenantKirchhoff { young: 1e6, poisson: 0.3 };
    let free = Hypothesis::PlaneStress { thickness: 1.0 };
    for (material, hypothesis, h, steps) in [
        (rubber(), PLANE, 2e-3, 2000.0),
        (rubber(), PLANE, 2e-2, 300.0),
        (rubber(), free, 5e-3, 300.0),
        (stvk, PLANE, 5e-3, 300.0),
    ] {
        let [turn, energy] =
            drifts(bar(material.clone(), hypothesis).unwrap(), Scheme::EnergyMomentum, h, h * steps).unwrap();
        assert!(turn < 1e-10 && energy < 1e-10, "{material:?} {hypothesis:?}, h = {h}: {turn:e} {energy:e}");
    }
    // The midpoint alone keeps the first, not the second.
    let plain = drifts(bar(rubber(), PLANE).unwrap(), Scheme::MoreauJean { theta: 0.5 }, 2e-3, 0.4).unwrap();
    assert!(plain[1] > 1e-8, "{plain:?}");
}

/// The same in space: a beam that spins about an axis that is no principal one.
#[test]
fn a_tumbling_block_keeps_energy_and_angular_momentum() {
    let mut model = Model::new(3);
    let mesh = Cuboid::new([0.0; 3], [1.0, 0.4, 0.2], [4, 2, 1], CellKind::Hex8).mesh().unwrap();
    let part = model
        .add(PartSpec {
            name: "block".into(),
            mesh: Arc::new(mesh),
            solid: SolidSpec::new(rubber(), 1000.0, Kinematics::Finite, Hypothesis::Space),
            velocity: [0.3, 0.0, 0.0],
            rayleigh: [0.0; 2],
        })
        .unwrap();
    model.spin(part, [1.0, 8.0, 3.0]).unwrap();
    let settings = Settings { scheme: Scheme::EnergyMomentum, step: Some(1e-2), ..Settings::default() };
    let mut analysis = Analysis::new(model, settings).unwrap();
    let start = analysis.report().clone();
    let size = start.angular.iter().map(|x| x * x).sum::<f64>().sqrt();
    for _ in 0..150 {
        let now = analysis.step().unwrap();
        assert!((now.energy.total() / start.energy.total() - 1.0).abs() < 1e-11, "{:?}", now.energy);
        for k in 0..3 {
            assert!((now.angular[k] - start.angular[k]).abs() < 1e-11 * size, "{:?} {:?}", now.angular, start.angular);
        }
    }
}

/// Forces between two ends work what the energy gains, and the tangent is the symmetric part of their derivative.
#[test]
fn forces_between_the_ends_work_what_the_energy_gains() {
    let mesh = Rectangle::new([0.0, 0.0], [1.0, 0.7], [1, 1], CellKind::Quad4).mesh().unwrap();
    let cells: Vec<_> = mesh.cells_of_dim(2).collect();
    for hypothesis in [PLANE, Hypothesis::PlaneStress { thickness: 1.0 }, Hypothesis::Axisymmetric] {
        let solid = Solid::new(&mesh, &cells, SolidSpec::new(rubber(), 1.0, Kinematics::Finite, hypothesis)).unwrap();
        let first: Vec<f64> = (0..8).map(|i| 0.1 * (1.3 * i as f64).sin()).collect();
        let last: Vec<f64> = (0..8).map(|i| first[i] + 0.01 * (2.1 * i as f64 + 0.4).cos()).collect();
        let history = solid.initial_history();
        let forces = |last: &[f64]| {
            let middle: Vec<f64> = first.iter().zip(last).map(|(a, b)| 0.5 * (a + b)).collect();
            let (mut f, mut k) = (vec![], vec![]);
            let mut new = history.clone();
            let motion = Motion { u: &middle, v: &[] };
            solid
                .evaluate_between(
                    0..1,
                    motion,
                    [&first, last],
                    (&history, &mut new),
                    Some([1.0, 0.0]),
                    &mut |_, a, b| {
                        let place = |i: usize| 2 * solid.connectivity(0)[i / 2] as usize + i % 2;
                        (f, k) = (vec![0.0; 8], vec![0.0; 64]);
                        for i in 0..8 {
                            f[place(i)] = a[i];
                            (0..8).for_each(|j| k[8 * place(i) + place(j)] = b[8 * i + j]);
                        }
                    },
                )
                .unwrap();
            (f, k)
        };
        let energy = |u: &[f64]| {
            let mut new = history.clone();
            solid.evaluate(0..1, Motion { u, v: &[] }, &history, &mut new, None, &mut |_, _, _| {}).unwrap().strain
        };
        let (f, k) = forces(&last);
        let work: f64 = (0..8).map(|i| f[i] * (last[i] - first[i])).sum();
        let gained = energy(&last) - energy(&first);
        assert!((work / gained - 1.0).abs() < 1e-11, "{hypothesis:?}: {work} {gained}");
        let e = 1e-6;
        let column = |j: usize| -> Vec<f64> {
            let moved = |by: f64| -> Vec<f64> { (0..8).map(|i| last[i] + if i == j { by } else { 0.0 }).collect() };
            let (up, down) = (forces(&moved(e)).0, forces(&moved(-e)).0);
            // With respect to the middle, which moves half as much.
            (0..8).map(|i| 2.0 * (up[i] - down[i]) / (2.0 * e)).collect()
        };
        let columns: Vec<Vec<f64>> = (0..8).map(column).collect();
        let size = k.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        for i in 0..8 {
            for j in 0..8 {
                let both = 0.5 * (columns[i][j] + columns[j][i]);
                // What the points of Gauss miss is of the fourth order in the change, and its slope is left out.
                assert!((k[8 * i + j] - both).abs() < 1e-4 * size, "{hypothesis:?} {i} {j}: {} {both}", k[8 * i + j]);
            }
        }
    }
}

/// An impact: energy falls by what the shock takes and by nothing else, method (6) with ρ = 0.
#[test]
fn a_conserving_block_loses_in_an_impact_what_the_shock_takes() {
    let mut model = Model::new(2);
    let mesh = Rectangle::new([0.0, 0.01], [0.2, 0.21], [4, 4], CellKind::Quad4).mesh().unwrap();
    let part = model
        .add(PartSpec {
            name: "block".into(),
            mesh: Arc::new(mesh),
            solid: SolidSpec::new(rubber(), 1000.0, Kinematics::Finite, PLANE),
            velocity: [0.0, -2.0, 0.0],
            rayleigh: [0.0; 2],
        })
        .unwrap();
    model.spin(part, [0.0, 0.0, 1.0]).unwrap();
    let floor = Obstacle::half_space([0.0; 2], [0.0, 1.0]).unwrap();
    model.contacts.push(ContactPair {
        name: "floor".into(),
        slave: model.surface(0, "bottom").unwrap(),
        against: Against::Plane(Box::new(floor)),
        settings: PairSettings::new(0.05),
        friction: 0.0,
        motion: vec![],
    });
    let settings =
        Settings { scheme: Scheme::EnergyMomentum, step: Some(5e-4), tolerance: 1e-11, ..Settings::default() };
    let mut analysis = Analysis::new(model, settings).unwrap();
    let start = analysis.report().energy.total();
    let (mut touched, mut before, mut shock) = (false, start, 0.0);
    for _ in 0..100 {
        let now = analysis.step().unwrap().clone();
        touched |= now.closed > 0;
        assert!(now.energy.total() < before + 1e-8 * start, "{:?}", now.energy);
        assert!(now.energy.numerical.abs() < 1e-8 * start, "{:?}", now.energy);
        assert!(now.energy.closing.abs() < 1e-8 * start, "{:?}", now.energy);
        before = now.energy.total();
        shock += now.energy.shock + now.energy.restitution;
    }
    assert!(touched && shock < 0.0);
    assert!((before - start - shock).abs() < 1e-6 * start, "{before} {start} {shock}");
}

/// What the scheme cannot keep is refused, with what would be accepted.
#[test]
fn dissipative_materials_are_refused() {
    let settings = Settings { scheme: Scheme::EnergyMomentum, step: Some(1e-3), ..Settings::default() };
    let plastic = Material::J2(J2 {
        young: 1e9,
        poisson: 0.3,
        yield_stress: 1e6,
        isotropic: Hardening::Linear { modulus: 0.0 },
        kinematic: 0.0,
    });
    let message = Analysis::new(bar(plastic, PLANE).unwrap(), settings.clone()).err().unwrap().to_string();
    assert!(message.contains("'bar' is plastic") && message.contains("neo_hookean"), "{message}");
    let mut model = Model::new(2);
    let mesh = Rectangle::new([0.0, 0.0], [1.0, 1.0], [1, 1], CellKind::Quad4).mesh().unwrap();
    let solid = SolidSpec::new(rubber(), 1.0, Kinematics::Finite, PLANE).with_locking(Locking::Fbar);
    let part = PartSpec { name: "b".into(), mesh: Arc::new(mesh), solid, velocity: [0.0; 3], rayleigh: [0.0; 2] };
    model.add(part).unwrap();
    let message = Analysis::new(model, settings).err().unwrap().to_string();
    assert!(message.contains("f_bar"), "{message}");
}
