//! One stabilised Lagrangian contains the others \[Zammali05 §2.7, §3.2.3, §5.1\]
//!
//! Reference: the classical multipliers, as limits and with their orders; closed forms of a uniform pressure.

#![allow(clippy::unwrap_used)]

use crate::world::{Analysis, Settings};
use delassus_fem::contact::{Collocation, Multipliers, PairSettings};
use delassus_fem::material::{Kinematics, Material};
use delassus_fem::mesh::CellKind;
use delassus_fem::mesh::generate::Rectangle;
use delassus_fem::model::{Against, ContactPair, Load, PartSpec, Support};
use delassus_fem::solid::{Hypothesis, SolidSpec};
use delassus_fem::{ContactSettings, Formalism, Model, Path, Scheme};
use std::sync::Arc;

const NODES: Collocation = Collocation::Nodes;
const GAUSS: Collocation = Collocation::Gauss { points: 2 };

/// Two blocks with different meshes, `gap` apart, the upper one pressed by 1 MPa and held sideways; `glued`: the
/// foot of the lower one does not widen, so that the pressure varies.
fn blocks(collocation: Collocation, multipliers: Multipliers, gap: f64, glued: bool) -> Model {
    let mut model = Model::new(2);
    let material = Material::Elastic { young: 1e9, poisson: 0.3 };
    let solid = SolidSpec::new(material, 1000.0, Kinematics::Small, Hypothesis::PlaneStrain { thickness: 1.0 });
    for (name, y, cells) in [("lower", 0.0, [5, 4]), ("upper", 1.0 + gap, [3, 3])] {
        let mesh = Rectangle::new([0.0, y], [1.0, y + 1.0], cells, CellKind::Quad4).mesh().unwrap();
        let mesh = Arc::new(mesh);
        let (name, velocity, rayleigh) = (name.into(), [0.0; 3], [0.0; 2]);
        model.add(PartSpec { name, mesh, solid: solid.clone(), velocity, rayleigh }).unwrap();
    }
    let hold = |model: &mut Model, nodes: Vec<u32>, k: u32| {
        let dofs = nodes.iter().map(|n| 2 * n + k).collect();
        model.supports.push(Support { dofs, value: 0.0.into() });
    };
    let foot = model.group_nodes(0, "bottom").unwrap();
    hold(&mut model, foot.clone(), 1);
    let sideways = if glued { foot } else { vec![model.parts[0].mesh.nearest_node([0.0; 3]).unwrap()] };
    hold(&mut model, sideways, 0);
    let corner = model.parts[1].mesh.nearest_node([0.0, 2.0 + gap, 0.0]).unwrap() + model.parts[1].first as u32;
    hold(&mut model, vec![corner], 0);
    let kind = model.traction(1, "top", [0.0, -1e6, 0.0]).unwrap();
    model.loads.push(Load { kind, factor: 1.0.into() });
    let mut settings = PairSettings::new(0.5);
    (settings.collocation, settings.multipliers) = (collocation, multipliers);
    model.contacts.push(ContactPair {
        name: "between".into(),
        slave: model.surface(1, "bottom").unwrap(),
        against: Against::Surface(model.surface(0, "top").unwrap()),
        settings,
        friction: 0.0,
        motion: vec![],
    });
    model
}

fn with(formalism: Formalism, projected: bool) -> Settings {
    let contact = ContactSettings { formalism, projected, ..Default::default() };
    Settings { step: Some(1.0), scheme: Scheme::QuasiStatic, contact, tolerance: 1e-10, ..Settings::default() }
}

fn stabilised(normal: f64) -> Formalism {
    Formalism::Stabilised { normal, tangential: 0.0 }
}

/// Displacements and pressures after one step.
fn solve(model: Model, settings: Settings) -> (Vec<f64>, Vec<f64>) {
    let mut analysis = Analysis::new(model, settings).unwrap();
    let report = analysis.step().unwrap();
    assert!(!report.flagged && report.residual < 1e-9 && report.balance < 1e-9, "{report:?}");
    (analysis.u().to_vec(), analysis.contact_view().map(|p| p.pressure).collect())
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    let size = b.iter().map(|x| x.abs()).fold(0.0, f64::max);
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / size
}

/// κ = 0 and every projected κ are the classical Lagrangian, augmented or not, with P1 and P0.
#[test]
fn projected_stabilisation_is_the_classical_lagrangian() {
    for multipliers in [Multipliers::P1, Multipliers::P0] {
        let classical = solve(blocks(GAUSS, multipliers, 0.0, true), with(Formalism::Lagrange, true));
        let augmented = Formalism::Augmented { normal: 1e11, tangential: 0.0 };
        for (formalism, projected) in
            [(stabilised(0.0), true), (stabilised(0.0), false), (stabilised(1e11), true), (augmented, true)]
        {
            let found = solve(blocks(GAUSS, multipliers, 0.0, true), with(formalism, projected));
            assert_eq!(found, classical, "{multipliers:?} {formalism:?}");
        }
    }
}

/// Perturbed: the error is of order one in ε. At nodes, penalised with κ = 1/ε is the same problem.
#[test]
fn perturbed_and_penalised_have_the_classical_limit() {
    let (exact, _) = solve(blocks(NODES, Multipliers::P1, 0.0, true), with(Formalism::Lagrange, true));
    let mut errors = vec![];
    for epsilon in [1e-12, 1e-13] {
        let perturbed =
            solve(blocks(NODES, Multipliers::P1, 0.0, true), with(Formalism::Perturbed { compliance: epsilon }, true));
        let penalty = Formalism::Penalty { normal: 1.0 / epsilon, tangential: 0.0 };
        let penalised = solve(blocks(NODES, Multipliers::P1, 0.0, true), with(penalty, true));
        assert!(apart(&perturbed.0, &penalised.0) < 1e-9 && apart(&perturbed.1, &penalised.1) < 1e-7);
        errors.push(apart(&perturbed.0, &exact));
    }
    assert!(errors[0] > 0.0 && (errors[0] / errors[1] - 10.0).abs() < 0.5, "{errors:?}");
}

/// Pointwise, as (2.124) is written: where multipliers follow the gap (at nodes) it vanishes with it, and the
/// solution is the classical one; constants by facet are disturbed, the more the larger κ, of order one in it.
#[test]
fn pointwise_stabilisation_disturbs_constants_only() {
    let classical = solve(blocks(NODES, Multipliers::P1, 0.0, true), with(Formalism::Lagrange, true));
    let found = solve(blocks(NODES, Multipliers::P1, 0.0, true), with(stabilised(1e10), false));
    assert!(apart(&found.0, &classical.0) < 1e-9 && apart(&found.1, &classical.1) < 1e-7);
    let classical = solve(blocks(GAUSS, Multipliers::P0, 0.0, true), with(Formalism::Lagrange, true));
    let disturbance =
        |k: f64| apart(&solve(blocks(GAUSS, Multipliers::P0, 0.0, true), with(stabilised(k), false)).1, &classical.1);
    let [weak, weaker, strong] = [1e8, 1e7, 1e11].map(disturbance);
    assert!(strong > 0.01, "{strong}");
    assert!((weak / weaker - 10.0).abs() < 2.0, "{weak} {weaker}");
}

/// The same disturbed problem on both paths: springs are blocks of the certificate.
#[test]
fn both_paths_agree_on_the_disturbed_problem() {
    let run = |path: Path| {
        let mut model = blocks(GAUSS, Multipliers::P0, 0.0, true);
        // What the condensed path asks for: a motion without contact.
        let top = model.group_nodes(1, "top").unwrap();
        for n in top {
            use delassus_fem::model::{Discrete, DiscreteKind};
            let kind = DiscreteKind::Spring { stiffness: 1e7, rest: 0.0 };
            model.discrete.push(Discrete { kind, a: 2 * n + 1, b: None });
        }
        solve(model, Settings { path: Some(path), ..with(stabilised(1e10), false) })
    };
    let (nested, condensed) = (run(Path::Nested), run(Path::Condensed));
    assert!(apart(&nested.0, &condensed.0) < 1e-7 && apart(&nested.1, &condensed.1) < 1e-6);
}

/// Remark 5.1: a block under forces that does not touch yet has no place for multipliers alone, which is said with
/// the remedy; the stabilisation on nominated points finds it, and the uniform pressure is exact:
/// u = −gap − 2 (1 − ν²) p/E at the top.
#[test]
fn a_block_under_forces_is_found_from_nominated_points() {
    let gap = 1e-3;
    for multipliers in [Multipliers::P1, Multipliers::P0] {
        let mut plain = Analysis::new(blocks(GAUSS, multipliers, gap, false), with(Formalism::Lagrange, true)).unwrap();
        let message = plain.step().err().map(|e| e.to_string()).unwrap_or_default();
        for part in ["singular", "'between'", "1.00e-3 m", "nominated = true", "stabilised"] {
            assert!(message.contains(part), "{part}: {message}");
        }
        for projected in [true, false] {
            let mut model = blocks(GAUSS, multipliers, gap, false);
            model.contacts[0].settings.nominated = true;
            let top = model.group_nodes(1, "top").unwrap();
            let (u, pressures) = solve(model, with(stabilised(1e9), projected));
            assert!(pressures.iter().all(|p| (p / 1e6 - 1.0).abs() < 1e-8), "{multipliers:?}: {pressures:?}");
            for n in top {
                let found = u[2 * n as usize + 1];
                assert!((found + gap + 1.82e-3).abs() < 1e-9, "{multipliers:?}: {found}");
            }
        }
    }
    // Nothing to hold them with, or nothing to hold: refused.
    let mut model = blocks(GAUSS, Multipliers::P1, gap, false);
    model.contacts[0].settings.nominated = true;
    let refused = |settings: Settings| Analysis::new(model.clone(), settings).err().map(|e| e.to_string());
    assert!(refused(with(Formalism::Lagrange, true)).is_some_and(|m| m.contains("no stabilisation")));
    let moving = Settings { scheme: Scheme::Theta { theta: 1.0 }, ..with(stabilised(1e9), true) };
    assert!(refused(moving).is_some_and(|m| m.contains("inertia")));
}

/// Forces that pull it away have no answer, from nominated points either.
#[test]
fn what_is_pulled_away_has_no_place() {
    let mut model = blocks(GAUSS, Multipliers::P1, 1e-3, false);
    model.contacts[0].settings.nominated = true;
    model.loads[0].factor = (-1.0).into();
    let mut analysis = Analysis::new(model, with(stabilised(1e9), true)).unwrap();
    assert!(analysis.step().is_err());
}
