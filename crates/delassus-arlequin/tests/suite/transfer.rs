//! A state carried to a patch that stands elsewhere.
#![allow(clippy::unwrap_used)]

use delassus_arlequin::{Carried, Fields, Mediator, Product, Profile, Superposition, Weights, Zone, carry};
use delassus_fem::material::{Hardening, J2, Kinematics, Material};
use delassus_fem::mesh::CellKind;
use delassus_fem::mesh::generate::Rectangle;
use delassus_fem::model::{Glued, PartSpec};
use delassus_fem::solid::{Hypothesis, SolidSpec};
use delassus_fem::structure::At;
use delassus_fem::{Model, Scheme, SolidSettings, Solids};
use std::sync::Arc;

/// Depth of the gluing zone \[m\].
const DEPTH: f64 = 0.4;

fn patch() -> Superposition {
    let linear = Profile::Linear { floor: 1e-3 };
    Superposition {
        name: "zoom".into(),
        coarse: 0,
        fine: 1,
        weights: Weights { inertia: linear, strain: linear, load: linear },
        width: Some(DEPTH),
        zone: Zone::Border(DEPTH),
        mediator: Mediator::Fine,
        product: Product::L2,
        glued: Glued::Velocities,
    }
}

/// A plate ]0, 6[ × ]0, 2[ with cells of 0.2, under a patch ]1, 3[ × ]1, 2[ with cells of 0.05.
fn models(kind: CellKind, law: [&Material; 2], by: [f64; 3]) -> [Model; 2] {
    let mut model = Model::new(2);
    let parts = [("plate", [0.0, 0.0], [6.0, 2.0], [30, 10]), ("patch", [1.0, 1.0], [3.0, 2.0], [40, 20])];
    for ((name, from, to, cells), law) in parts.into_iter().zip(law) {
        let mesh = Rectangle::new(from, to, cells, kind).mesh().unwrap();
        let solid = SolidSpec::new(law.clone(), 2.0, Kinematics::Small, Hypothesis::PlaneStrain { thickness: 1.0 });
        let spec = PartSpec { name: name.into(), mesh: Arc::new(mesh), solid, velocity: [0.0; 3], rayleigh: [0.0; 2] };
        model.add(spec).unwrap();
    }
    let mut moved = model.clone();
    moved.remake(1, by).unwrap();
    let mut both = [model, moved];
    for m in &mut both {
        patch().apply::<2>(m).unwrap();
    }
    both
}

const ELASTIC: Material = Material::Elastic { young: 3.0, poisson: 0.3 };

fn solids(model: &Model) -> Solids<2> {
    let settings = SolidSettings { step: Some(1e-2), scheme: Scheme::QuasiStatic, ..SolidSettings::default() };
    Solids::new(model.clone(), settings).unwrap()
}

/// Fields from functions of the place.
fn fields(model: &Model, u: impl Fn(f64, f64) -> [f64; 2], v: impl Fn(f64, f64) -> [f64; 2]) -> Fields {
    let x = model.positions();
    let of = |f: &dyn Fn(f64, f64) -> [f64; 2]| x.chunks(2).flat_map(|x| f(x[0], x[1])).collect::<Vec<f64>>();
    let none = vec![0.0; model.dofs()];
    Fields {
        displacement: of(&u),
        velocity: of(&v),
        history: model.parts.iter().flat_map(|p| p.solid.initial_history()).collect(),
        contact: [none.clone(), none],
    }
}

/// Linear and angular momentum, kinetic and strain energy.
fn sums(model: &Model, fields: &Fields) -> [f64; 5] {
    let solids = solids(model);
    let (x, n) = (model.positions(), model.dofs());
    let mut p = vec![0.0; n];
    solids.structure().mass().mul_add(&fields.velocity, &mut p);
    let (mut force, mut structure) =
        (vec![0.0; n], delassus_fem::structure::Structure::new(Arc::new(model.clone())).unwrap());
    let at = At { u: &fields.displacement, v: &fields.velocity, history: &fields.history };
    structure.internal(at, None, &mut force).unwrap();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let sum = |k: usize| p.iter().skip(k).step_by(2).sum::<f64>();
    let turn: f64 = p.chunks(2).zip(x.chunks(2)).map(|(p, x)| x[0] * p[1] - x[1] * p[0]).sum();
    [sum(0), sum(1), turn, 0.5 * dot(&p, &fields.velocity), 0.5 * dot(&force, &fields.displacement)]
}

fn carried(models: &[Model; 2], fields: &mut Fields) -> Carried {
    carry::<2>([&models[0], &models[1]], &patch(), fields).unwrap()
}

/// Reference: the fields themselves, and sums that do not know where the patch stands, since weights are a partition
/// of one that keeps its moments. For cells that fall on each other and for those that do not.
#[test]
fn fields_of_first_degree_are_carried_exactly_with_their_momenta_and_energies() {
    for kind in [CellKind::Quad4, CellKind::Tri3] {
        for by in [[0.2, 0.0, 0.0], [-0.4, 0.0, 0.0], [0.23, -0.31, 0.0], [2.5, -0.5, 0.0]] {
            let models = models(kind, [&ELASTIC; 2], by);
            let u = |x: f64, y: f64| [0.3 + 0.02 * x - 0.01 * y, -0.1 + 0.03 * x + 0.015 * y];
            let v = |x: f64, y: f64| [1.0 - 0.7 * y, -2.0 + 0.7 * x];
            let mut state = fields(&models[0], u, v);
            let before = sums(&models[0], &state);
            carried(&models, &mut state);
            let exact = fields(&models[1], u, v);
            for (a, b) in [(&state.displacement, &exact.displacement), (&state.velocity, &exact.velocity)] {
                let off = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(off < 1e-12, "{kind:?} {by:?}: {off:.1e}");
            }
            let after = sums(&models[1], &state);
            assert!((before[4] - after[4]).abs() < 1e-11 * before[4], "{kind:?} {by:?}: {before:?} {after:?}");
            // Momenta and kinetic energy know the shares of the inertia, which are those of the new place: they add up to
            // one within 2e-7 where the ramp turns inside of cells, less well where cells are cut (1e-4).
            let exact = sums(&models[1], &exact);
            for (a, b) in exact.iter().zip(after) {
                assert!((a - b).abs() < 1e-11 * a.abs(), "{kind:?} {by:?}: {exact:?} {after:?}");
            }
            let mut kept = state.velocity.clone();
            solids(&models[1]).keep_to_ties(&mut kept).unwrap();
            let off = kept.iter().zip(&state.velocity).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-11, "the ties hold already: {off:.1e}");
        }
    }
}

/// Reference: a projection in the norm of the mass: idempotent, without momentum, and Pythagoras' theorem.
#[test]
fn motions_are_brought_to_the_ties_without_momentum() {
    let models = models(CellKind::Quad4, [&ELASTIC; 2], [0.2, 0.0, 0.0]);
    let wave = |x: f64, y: f64| [(7.0 * x + y).sin(), (5.0 * x - 3.0 * y).cos()];
    let state = fields(&models[1], wave, wave);
    let mut kept = state.clone();
    let solids = solids(&models[1]);
    solids.keep_to_ties(&mut kept.velocity).unwrap();
    let (before, after) = (sums(&models[1], &state), sums(&models[1], &kept));
    for k in 0..3 {
        assert!((before[k] - after[k]).abs() < 1e-10, "{before:?} {after:?}");
    }
    let mut taken = state.clone();
    taken.velocity.iter_mut().zip(&kept.velocity).for_each(|(a, b)| *a -= b);
    let lost = sums(&models[1], &taken)[3];
    assert!(lost > 1e-9 && (before[3] - after[3] - lost).abs() < 1e-10 * before[3], "{lost} {before:?} {after:?}");
    let mut twice = kept.velocity.clone();
    solids.keep_to_ties(&mut twice).unwrap();
    let off = twice.iter().zip(&kept.velocity).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(off < 1e-11, "{off:.1e}");
}

/// Forces keep their sum and moment; hidden coarse nodes take what the patch knows; internal variables stay at their
/// places, to the bit where cells fall on cells, and virgin material is where no such law was.
#[test]
fn forces_memories_and_hidden_nodes_follow_the_places() {
    let plastic = Material::J2(J2 {
        young: 3.0,
        poisson: 0.3,
        yield_stress: 0.01,
        isotropic: Hardening::Linear { modulus: 0.1 },
        kinematic: 0.0,
    });
    for (coarse, virgin) in [(&plastic, 0), (&ELASTIC, 20 * 4 * 4)] {
        let models = models(CellKind::Quad4, [coarse, &plastic], [0.2, 0.0, 0.0]);
        let mut state = fields(&models[0], |x, _| [x * x, 0.0], |_, _| [0.0; 2]);
        let fine = &models[0].parts[1];
        // The patch knows more than the plate under it.
        state.displacement[fine.range()].chunks_mut(2).for_each(|u| u[1] = 5.0);
        let first = models[0].parts[0].solid.history_len();
        let width = fine.solid.history_len() / (40 * 20 * 4);
        for (i, x) in state.history.iter_mut().enumerate().skip(first) {
            *x = 1.0 + (i - first) as f64;
        }
        let top: Vec<usize> = (0..fine.mesh.points.len()).filter(|n| fine.mesh.points[*n][1] == 2.0).collect();
        for (i, n) in top.iter().enumerate() {
            state.contact[0][2 * (fine.first + n) + 1] = (3.0 * i as f64).sin();
        }
        let moment = |model: &Model, f: &[f64]| {
            let x = model.positions();
            [f.iter().sum::<f64>(), f.chunks(2).zip(x.chunks(2)).map(|(f, x)| x[0] * f[1] - x[1] * f[0]).sum()]
        };
        let (before, old) = (moment(&models[0], &state.contact[0]), state.clone());
        let done = carried(&models, &mut state);
        let after = moment(&models[1], &state.contact[0]);
        assert!((0..2).all(|k| (before[k] - after[k]).abs() < 1e-12), "{before:?} {after:?}");
        assert_eq!(done.virgin, virgin);
        // 37 of 41 columns of nodes stand where others stood.
        assert_eq!(done.nodes.len(), 37 * 21);
        for (cell, to) in (0..800).filter(|c| c % 40 >= 4).map(|c| (c, c - 4)) {
            let range = |c: usize| first + 4 * width * c..first + 4 * width * (c + 1);
            assert_eq!(state.history[range(to)], old.history[range(cell)], "cell {cell}");
        }
        let plate = &models[1].parts[0];
        for (n, x) in plate.mesh.points.iter().enumerate() {
            let inside = x[0] > 1.0 + DEPTH + 1e-9 && x[0] < 3.0 - DEPTH - 1e-9 && x[1] > 1.0 + DEPTH + 1e-9;
            assert_eq!(state.displacement[2 * n + 1] == 5.0, inside, "{x:?}");
        }
    }
}
