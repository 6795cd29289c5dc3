//! Solids whose skins meet by laws
//!
//! References: declared pairs of surfaces and another scheme with the same equations (θ = 1 is implicit Euler
//! in both), free motion in closed form, conservation, and a run that was not interrupted.

#![allow(clippy::unwrap_used)]

use crate::world::{Analysis, Settings, meeting};
use delassus_dynamics::{Error, Interaction, Interactions, Report, State, World};
use delassus_fem::contact::{Collocation, PairSettings};
use delassus_fem::material::{Hardening, J2, Kinematics, Material};
use delassus_fem::mesh::generate::Rectangle;
use delassus_fem::mesh::{CellKind, Mesh};
use delassus_fem::model::{Against, ContactPair, PartSpec, Support};
use delassus_fem::solid::{Hypothesis, SolidSpec};
use delassus_fem::{Function, Loops, Model, Path, Predicted, Scheme, Solids};
use std::sync::Arc;

const PLANE: Hypothesis = Hypothesis::PlaneStrain { thickness: 0.2 };

fn part(name: &str, mesh: Mesh, solid: SolidSpec, velocity: [f64; 3]) -> PartSpec {
    PartSpec { name: name.into(), mesh: Arc::new(mesh), solid, velocity, rayleigh: [0.0; 2] }
}

fn steel() -> SolidSpec {
    SolidSpec::new(Material::Elastic { young: 2e11, poisson: 0.0 }, 7800.0, Kinematics::Small, PLANE)
}

/// A model of one part.
fn single(mesh: Mesh, solid: SolidSpec, velocity: [f64; 3]) -> Model {
    let mut model = Model::new(2);
    model.add(part("part", mesh, solid, velocity)).unwrap();
    model
}

/// A model of several parts.
fn several(parts: Vec<PartSpec>) -> Model {
    let mut model = Model::new(2);
    parts.into_iter().for_each(|part| assert!(model.add(part).is_ok()));
    model
}

/// The θ-method of Moreau and Jean.
fn settings(theta: f64, h: f64) -> Settings {
    Settings { step: Some(h), scheme: Scheme::MoreauJean { theta }, tolerance: 1e-12, ..Settings::default() }
}

fn start(model: Model, settings: Settings, mu: f64) -> World<2, 2> {
    let materials = vec![0; model.parts.len()];
    meeting(model, settings, (&materials, Interactions::single(Interaction::coulomb(mu))), 1e-12).unwrap()
}

fn bar(from: f64, cells: usize) -> Mesh {
    Rectangle::new([from, 0.0], [from + 1.0, 0.2], [cells, 1], CellKind::Quad4).mesh().unwrap()
}

/// Two bars that collide by the laws of their skins: the same bars with their ends declared a pair, contact from
/// the same step on. For θ = 1 the two θ-methods, too, are the same equations, solved in whatever way; what is left
/// are tolerances of 1e-12.
#[test]
fn two_bars_move_as_with_a_declared_pair() {
    // Contact is found in the same step at q_i and at q_m, and no step grazes.
    let (gap, v, h) = (4.7e-4, 10.0, 1e-5);
    let bars = || {
        several(vec![
            part("left", bar(-1.0 - gap, 20), steel(), [v, 0.0, 0.0]),
            part("right", bar(gap, 20), steel(), [-v, 0.0, 0.0]),
        ])
    };
    let mut model = bars();
    let mut pair = PairSettings::new(0.01);
    (pair.collocation, pair.thickness) = (Collocation::Nodes, 0.2);
    model.contacts.push(ContactPair {
        name: "impact".into(),
        slave: model.surface(0, "right").unwrap(),
        against: Against::Surface(model.surface(1, "left").unwrap()),
        settings: pair,
        friction: 0.0,
        motion: vec![],
    });
    let settings = |scheme: Scheme, path: Path| Settings {
        step: Some(h),
        scheme,
        path: Some(path),
        predicted: Predicted::Midpoint,
        tolerance: 1e-12,
        ..Settings::default()
    };
    let (theirs, ours) = (Scheme::Theta { theta: 1.0 }, Scheme::MoreauJean { theta: 1.0 });
    let mut analysis = Analysis::new(model, settings(theirs, Path::Condensed)).unwrap();
    let ways = [(ours, Path::Condensed), (ours, Path::Nested), (theirs, Path::Condensed), (theirs, Path::Nested)];
    let mut runs = ways.map(|(scheme, path)| start(bars(), settings(scheme, path), 0.0));
    let mut touched = [0; 4];
    for _ in 0..70 {
        analysis.step().unwrap();
        for ((run, way), touched) in runs.iter_mut().zip(&ways).zip(&mut touched) {
            let report = run.step().unwrap();
            *touched += usize::from(report.contacts > 0);
            assert!(report.residual <= 1e-12 && report.energy.closing.abs() < 1e-9 * 156e2, "{way:?}: {report:?}");
            let (a, b) = (&run.state().u, &analysis.state().u);
            assert_eq!(a.len(), b.len());
            let apart = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-8 * v, "{way:?}, step {}: {apart}", run.state().step);
        }
    }
    assert!(touched.iter().all(|n| (30..50).contains(n)), "{touched:?}");
}

/// A block thrown and spinning in large rotation: both momenta to round-off of the Newton tolerance, mass
/// centre on its parabola, energy to second order.
#[test]
fn a_spinning_block_keeps_its_momenta() {
    let run = |h: f64| {
        let material = Material::NeoHookean { young: 1e6, poisson: 0.3 };
        let mesh = Rectangle::new([0.0, 0.0], [0.4, 0.2], [4, 2], CellKind::Quad8).mesh().unwrap();
        let solid = SolidSpec::new(material, 1000.0, Kinematics::Finite, PLANE);
        let mut model = single(mesh, solid, [0.0; 3]);
        model.gravity = [0.0, -9.81, 0.0];
        let x = model.positions();
        let mut run = start(model, settings(0.5, h), 0.0);
        let mut state = run.state().clone();
        for i in 0..x.len() / 2 {
            state.u[2 * i] = 1.0 - 30.0 * (x[2 * i + 1] - 0.1);
            state.u[2 * i + 1] = 2.0 + 30.0 * (x[2 * i] - 0.2);
        }
        run.set_state(state).unwrap();
        let before = run.report().momenta;
        let energy = run.energies().total();
        let steps = (0.2 / h).round() as usize;
        let mut worst = 0.0f64;
        for _ in 0..steps {
            run.step().unwrap();
            assert!(run.report().newton + run.report().loops.newton < 8, "{:?}", run.report());
            let e = &run.report().energy;
            worst = worst.max((e.total() - energy).abs());
            assert!(e.closing.abs() < 1e-12 * energy.abs().max(1.0), "{e:?}");
        }
        let t = run.state().time;
        let (mass, after) = (16.0, run.report().momenta);
        let p = [before.linear[0], before.linear[1] - mass * 9.81 * t];
        assert!((after.linear[0] - p[0]).abs() < 1e-9 && (after.linear[1] - p[1]).abs() < 1e-9, "{after:?} {p:?}");
        // About the origin: the moment of the weight, along the parabola of the mass centre.
        let moment = -mass * 9.81 * (0.2 * t + 0.5 * t * t);
        let spin = after.angular[2] - before.angular[2] - moment;
        assert!(spin.abs() < 1e-7 * before.angular[2].abs(), "{spin} {before:?}");
        worst
    };
    let (coarse, fine) = (run(2e-3), run(1e-3));
    assert!(fine < 0.4 * coarse, "{coarse} {fine}");
}

/// Free vibration of a linear bar with θ = ½: the energy to round-off; with θ = 1 it falls.
#[test]
fn theta_decides_what_vibrations_lose() {
    let run = |theta: f64| {
        let mut model = single(bar(0.0, 10), steel(), [0.0; 3]);
        let held = model.group_nodes(0, "left").unwrap();
        model
            .supports
            .push(Support { dofs: held.iter().flat_map(|n| [2 * n, 2 * n + 1]).collect(), value: 0.0.into() });
        let x = model.positions();
        let mut run = start(model, settings(theta, 1e-5), 0.0);
        let mut state = run.state().clone();
        (0..x.len() / 2).for_each(|i| state.u[2 * i] = (0.5 * std::f64::consts::PI * x[2 * i]).sin());
        run.set_state(state).unwrap();
        let initial = run.energies().kinetic;
        let reports: Vec<Report> = (0..400).map(|_| run.step().unwrap().clone()).collect();
        let total = |r: &Report| r.energy.total() / initial;
        (reports.iter().map(|r| (total(r) - 1.0).abs()).fold(0.0, f64::max), total(&reports[399]))
    };
    let (drift, _) = run(0.5);
    assert!(drift < 1e-12, "{drift}");
    let (_, left) = run(1.0);
    // First mode ω = (π/2) c/L: implicit Euler loses (1 + (hω)²)⁻¹ of the energy per step.
    let omega = 0.5 * std::f64::consts::PI * (2e11f64 / 7800.0).sqrt();
    let expected = (1.0 + (1e-5 * omega).powi(2)).powi(-400);
    assert!((left - expected).abs() < 0.02 * expected, "{left} {expected}");
}

/// A bar pulled at a given speed: the work of the support is what the bar has, and the ledger closes.
#[test]
fn moving_supports_work() {
    let mut model = single(bar(0.0, 10), steel(), [0.0; 3]);
    for (group, value) in [("left", Function::Constant(0.0)), ("right", Function::expression("2*t^2").unwrap())] {
        let nodes = model.group_nodes(0, group).unwrap();
        model.supports.push(Support { dofs: nodes.iter().map(|n| 2 * n).collect(), value });
    }
    let mut run = start(model, settings(0.5, 1e-4), 0.0);
    let mut work = 0.0;
    for _ in 0..200 {
        let report = run.step().unwrap();
        work += report.energy.external;
        assert!(report.energy.closing.abs() < 1e-9 * (1.0 + report.energy.stored()), "{report:?}");
    }
    let e = &run.report().energy;
    let stretch = 2.0 * run.state().time.powi(2);
    let strain = 0.5 * 2e11 * 0.04 * stretch * stretch;
    assert!((e.strain / strain - 1.0).abs() < 0.02, "{e:?} {strain}");
    assert!((work / e.total() - 1.0).abs() < 0.01, "{work} {e:?}");
}

/// Plastic blocks that collide with friction, saved and taken up again: internal variables are state.
#[test]
fn a_restart_has_the_same_bits() {
    let block = |name: &str, x: f64, v: f64| {
        let mesh = Rectangle::new([x, 0.01 * x], [x + 0.1, 0.1 + 0.01 * x], [3, 4], CellKind::Quad4).mesh().unwrap();
        let isotropic = Hardening::Linear { modulus: 1e7 };
        let material = Material::J2(J2 { young: 1e9, poisson: 0.3, yield_stress: 2e6, isotropic, kinematic: 0.0 });
        part(name, mesh, SolidSpec::new(material, 2000.0, Kinematics::Finite, PLANE), [v, 0.1, 0.0])
    };
    for theta in [0.5, 0.7] {
        let model = || several(vec![block("a", -0.1005, 5.0), block("b", 0.0005, -5.0)]);
        let blocks = || start(model(), settings(theta, 1e-5), 0.3);
        let mut whole = blocks();
        let mut saved: Option<State> = None;
        let mut contacts = 0;
        for k in 0..60 {
            if k == 25 {
                saved = Some(whole.state().clone());
            }
            let report = whole.step().unwrap();
            contacts = contacts.max(report.contacts);
            assert!(report.residual <= 1e-12, "{report:?}");
            assert!(report.momenta.linear[0].abs() < 1e-10, "{:?}", report.momenta);
        }
        let columns = Solids::<2>::new(model(), settings(theta, 1e-5)).unwrap().columns().clone();
        let history = &whole.state().q[columns.history];
        assert!(contacts > 2 && history.iter().any(|x| *x != 0.0));
        let mut again = blocks();
        again.set_state(saved.unwrap()).unwrap();
        (25..60).for_each(|_| assert!(again.step().is_ok()));
        assert_eq!(again.state().hash_hex(), whole.state().hash_hex());
    }
}

/// Refusals name what is wrong.
#[test]
fn bad_settings_are_refused() {
    let refuse = |settings: Settings| {
        let model = single(bar(0.0, 2), steel(), [0.0; 3]);
        Solids::<2>::new(model, settings).err().map(|e| e.to_string())
    };
    assert!(refuse(settings(0.4, 1e-5)).is_some_and(|e| e.contains("theta = 0.4")));
    let loops = Loops { newton: 0, ..Loops::default() };
    assert!(refuse(Settings { loops, ..settings(0.5, 1e-5) }).is_some_and(|e| e.contains("newton")));
    // Materials without a law: as soon as they meet.
    let bars =
        vec![part("a", bar(0.0, 2), steel(), [10.0, 0.0, 0.0]), part("b", bar(1.0 + 1.5e-3, 2), steel(), [0.0; 3])];
    let laws = Interactions::single(Interaction::coulomb(0.0));
    let mut run = meeting(several(bars), settings(0.5, 1e-4), (&[0, 1], laws), 1e-12).unwrap();
    assert!(run.step().is_ok());
    let error = run.step().unwrap_err();
    assert!(matches!(error, Error::NoLaw { bodies: [0, 1], materials: [0, 1], .. }), "{error}");
    assert!(error.to_string().contains("bodies 0 and 1 meet"), "{error}");
}
