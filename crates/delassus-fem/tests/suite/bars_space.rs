//! Two bars of space in impact \[Zammali05 §5.2.1\]: meshes that match, nearly match and do not.
//!
//! Reference: momentum is exchanged, an impulse of 2 m v₀ less what the dissipative scheme takes, and all meshes agree
//! with the one that matches.

#![allow(clippy::unwrap_used)]

use crate::world::{Analysis, Settings};
use delassus_fem::contact::PairSettings;
use delassus_fem::material::{Kinematics, Material};
use delassus_fem::mesh::CellKind;
use delassus_fem::mesh::generate::Cuboid;
use delassus_fem::model::{Against, ContactPair, PartSpec};
use delassus_fem::solid::{Hypothesis, SolidSpec};
use delassus_fem::{ContactSettings, Formalism, Model, Scheme};
use std::sync::Arc;

const V0: f64 = 10.0;
const MASS: f64 = 7800.0 * 0.04;

/// What the force of d'Alembert's waves, ρ c A v₀, does in a step, over m v₀.
fn one_step() -> f64 {
    (2e11f64 / 7800.0).sqrt() * 1e-5
}

/// Two bars of 1 m × 0.2 m × 0.2 m, 1 mm apart, cut into `across` cells each; the right one is `aside`.
fn bars(kind: CellKind, across: [usize; 2], aside: f64) -> Model {
    let mut model = Model::new(3);
    let material = Material::Elastic { young: 2e11, poisson: 0.3 };
    let spec = SolidSpec::new(material, 7800.0, Kinematics::Small, Hypothesis::Space);
    for (k, (start, velocity)) in [(-1.0005, V0), (5e-4, -V0)].into_iter().enumerate() {
        let (y, n) = (if k == 0 { 0.0 } else { aside }, across[k]);
        let low = [start, y, 0.37 * y];
        let mesh = Cuboid::new(low, [start + 1.0, y + 0.2, 0.37 * y + 0.2], [10, n, n], kind).mesh().unwrap();
        let part = PartSpec {
            name: ["left", "right"][k].into(),
            mesh: Arc::new(mesh),
            solid: spec.clone(),
            velocity: [velocity, 0.0, 0.0],
            rayleigh: [0.0; 2],
        };
        model.add(part).unwrap();
    }
    model.contacts.push(ContactPair {
        name: "impact".into(),
        slave: model.surface(0, "right").unwrap(),
        against: Against::Surface(model.surface(1, "left").unwrap()),
        settings: PairSettings::new(0.1),
        friction: 0.0,
        motion: vec![],
    });
    model
}

/// Impulse on the left bar over m v₀, after 0.6 ms with β = 0.3025, γ = 0.6, Δt = 10 µs.
fn impulse(model: Model, formalism: Formalism) -> f64 {
    let settings = Settings {
        step: Some(1e-5),
        scheme: Scheme::Newmark { beta: 0.3025, gamma: 0.6 },
        contact: ContactSettings { formalism, ..Default::default() },
        ..Settings::default()
    };
    let tolerance = settings.tolerance;
    let nodes = model.parts[1].first;
    let mut analysis = Analysis::new(model, settings).unwrap();
    for _ in 0..60 {
        let report = analysis.step().unwrap();
        assert!(!report.flagged && report.residual <= tolerance, "{report:?}");
    }
    assert_eq!(analysis.report().closed, 0, "apart again");
    let (v, m) = (analysis.v(), analysis.lumped());
    let momentum: f64 = (0..nodes).map(|i| m[3 * i] * v[3 * i]).sum();
    1.0 - momentum / (MASS * V0)
}

/// Bars that nearly match, or do not, leave as those that match do. Multipliers on gaps with Newmark's scheme press
/// and let go from step to step at the end: impulses are compared by that of one step.
#[test]
fn bars_that_nearly_match_leave_like_those_that_do() {
    let exact = impulse(bars(CellKind::Hex8, [2, 2], 0.0), Formalism::Lagrange);
    assert!((1.85..2.0).contains(&exact), "{exact}");
    for aside in [1e-13, 1e-10, 1e-7, 1e-4] {
        let found = impulse(bars(CellKind::Hex8, [2, 2], aside), Formalism::Lagrange);
        assert!((found - exact).abs() < one_step(), "{aside:e}: {found} {exact}");
    }
    for across in [[2, 3], [3, 2]] {
        let found = impulse(bars(CellKind::Hex8, across, 0.0), Formalism::Lagrange);
        assert!((found - exact).abs() < one_step(), "{across:?}: {found} {exact}");
    }
}

/// Tetrahedra, the same.
#[test]
fn bars_of_tetrahedra_too() {
    let exact = impulse(bars(CellKind::Tet4, [2, 2], 0.0), Formalism::Lagrange);
    for (across, aside) in [([2, 2], 1e-9), ([2, 3], 1e-5)] {
        let found = impulse(bars(CellKind::Tet4, across, aside), Formalism::Lagrange);
        assert!((found - exact).abs() < one_step(), "{across:?} {aside:e}: {found} {exact}");
    }
}

/// Penalised: each collocation point is a block of its own, which keeps its name while the facets that face each
/// other are the same. Points used to jump there, and no step ended.
#[test]
fn penalised_bars_end_too() {
    let stiff = Formalism::Penalty { normal: 1e13, tangential: 0.0 };
    let exact = impulse(bars(CellKind::Hex8, [3, 3], 0.0), stiff);
    let found = impulse(bars(CellKind::Hex8, [3, 3], 1e-9), stiff);
    assert!((found - exact).abs() < one_step(), "{found} {exact}");
    let multipliers = impulse(bars(CellKind::Hex8, [3, 3], 0.0), Formalism::Lagrange);
    assert!((exact - multipliers).abs() < one_step(), "{exact} {multipliers}");
}
