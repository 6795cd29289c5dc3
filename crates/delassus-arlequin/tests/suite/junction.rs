//! Superposed models in a world: the patch test, kept energy, transmitted waves.
#![allow(clippy::unwrap_used)]

use delassus_arlequin::{Condition, Mediator, Product, Profile, Superposition, Warning, Weights, Zone};
use delassus_dynamics::World;
use delassus_fem::material::{Kinematics, Material};
use delassus_fem::mesh::CellKind;
use delassus_fem::mesh::generate::Rectangle;
use delassus_fem::model::{Glued, Load, PartSpec, Support};
use delassus_fem::solid::{Hypothesis, SolidSpec};
use delassus_fem::{Function, Model, Path, Scheme, SolidSettings, world_of};
use std::sync::Arc;

fn bar(model: &mut Model, name: &str, [from, to]: [f64; 2], cells: [usize; 2], kind: CellKind, nu: f64) -> usize {
    let mesh = Rectangle::new([from, 0.0], [to, 0.2], cells, kind).mesh().unwrap();
    let law = Material::Elastic { young: 1.0, poisson: nu };
    let solid = SolidSpec::new(law, 1.0, Kinematics::Small, Hypothesis::PlaneStress { thickness: 1.0 });
    let spec = PartSpec { name: name.into(), mesh: Arc::new(mesh), solid, velocity: [0.0; 3], rayleigh: [0.0; 2] };
    model.add(spec).unwrap()
}

fn junction(weights: Profile, mediator: Mediator, product: Product) -> Superposition {
    Superposition {
        name: "glue".into(),
        coarse: 0,
        fine: 1,
        weights: Weights { inertia: weights, strain: weights, load: weights },
        width: None,
        zone: Zone::Overlap,
        mediator,
        product,
        glued: Glued::Velocities,
    }
}

const LINEAR: Profile = Profile::Linear { floor: 1e-3 };

/// Fine ]0, 3[ and coarse ]2, 5[ in tension; largest error of the displacement along the bar.
fn tension(superposition: &Superposition, kinds: [CellKind; 2], fine: [usize; 2], path: Path) -> f64 {
    let mut model = Model::new(2);
    let coarse = bar(&mut model, "coarse", [2.0, 5.0], [6, 1], kinds[0], 0.3);
    bar(&mut model, "fine", [0.0, 3.0], fine, kinds[1], 0.3);
    let held = |part: usize, group: &str, k: u32, model: &Model| -> Vec<u32> {
        model.group_nodes(part, group).unwrap().iter().map(|n| 2 * n + k).collect()
    };
    let dofs = held(1, "left", 0, &model);
    model.supports.push(Support { dofs, value: Function::Constant(0.0) });
    let dofs = [held(0, "bottom", 1, &model), held(1, "bottom", 1, &model)].concat();
    model.supports.push(Support { dofs, value: Function::Constant(0.0) });
    let kind = model.traction(coarse, "right", [0.1, 0.0, 0.0]).unwrap();
    model.loads.push(Load { kind, factor: Function::Constant(1.0) });
    superposition.apply::<2>(&mut model).unwrap();
    let positions = model.positions();
    let settings =
        SolidSettings { step: Some(1.0), scheme: Scheme::QuasiStatic, path: Some(path), ..SolidSettings::default() };
    let mut world = world_of::<2>(model, settings).unwrap();
    world.step().unwrap();
    let u = &world.state().q;
    positions.chunks(2).enumerate().map(|(n, x)| (u[2 * n] - 0.1 * x[0]).abs()).fold(0.0, f64::max)
}

/// Reference: A1, u = F x/(E S). With the mediator of the fine mesh exact, whatever the weights and the product, where
/// the fine functions make up the coarse ones; small where cells cut each other. Not exact with the mediator of the
/// coarse mesh, method §8.6.
#[test]
fn constant_stress_passes_with_the_fine_mediator_only() {
    use CellKind::{Quad4, Quad8, Tri3};
    for weights in [Profile::Constant(0.5), Profile::Constant(0.1), LINEAR, Profile::Cubic { floor: 1e-3 }] {
        for product in [Product::L2, Product::H1 { length: 0.3 }] {
            let glue = junction(weights, Mediator::Fine, product);
            for kind in [Quad4, Tri3, Quad8] {
                for path in [Path::Nested, Path::Condensed] {
                    let off = tension(&glue, [kind; 2], [30, 5], path);
                    assert!(off < 1e-11, "{kind:?} {weights:?} {product:?} {path:?}: {off:.2e}");
                }
            }
            let off = tension(&glue, [Quad4, Tri3], [31, 2], Path::Nested);
            // A thousandth of the displacement of the end.
            assert!(off < 5e-4, "{weights:?} {product:?}: {off:.2e}");
        }
    }
    let coarse = |w| tension(&junction(w, Mediator::Coarse, Product::L2), [Quad4; 2], [30, 5], Path::Condensed);
    let constant = coarse(Profile::Constant(0.5));
    assert!(constant > 1e-4 && coarse(LINEAR) < constant, "{constant} {}", coarse(LINEAR));
}

/// The bar of \[Zammali05\] §4.2.7 let go from a displacement.
fn let_go(superposition: &Superposition, scheme: Scheme, h: f64, u0: impl Fn(f64) -> f64) -> World<2, 2> {
    let_go_by(superposition, scheme, None, h, u0)
}

/// The same with another scheme of the fine part.
fn let_go_by(
    superposition: &Superposition,
    scheme: Scheme,
    fine: Option<Scheme>,
    h: f64,
    u0: impl Fn(f64) -> f64,
) -> World<2, 2> {
    let mut model = Model::new(2);
    bar(&mut model, "coarse", [2.0, 5.0], [12, 1], CellKind::Quad4, 0.0);
    bar(&mut model, "fine", [0.0, 3.0], [60, 1], CellKind::Quad4, 0.0);
    superposition.apply::<2>(&mut model).unwrap();
    model.disturb(0..model.nodes(), &|x| [[u0(x[0]), 0.0, 0.0], [0.0; 3]]);
    let schemes = fine.map(|s| (1, s)).into_iter().collect();
    let settings = SolidSettings { step: Some(h), scheme, schemes, tolerance: 1e-13, ..SolidSettings::default() };
    world_of::<2>(model, settings).unwrap()
}

/// Reference: (4.54), remark 4.3: the tie does no work.
#[test]
fn a_conservative_junction_keeps_the_energy() {
    for weights in [Profile::Constant(0.5), LINEAR] {
        for mediator in [Mediator::Fine, Mediator::Coarse] {
            let glue = junction(weights, mediator, Product::L2);
            // Straight, so that both meshes have it.
            let mut world = let_go(&glue, Scheme::TRAPEZOIDAL, 0.01, |x| 0.1 * x);
            let start = world.energies().total();
            let mut drift = 0.0f64;
            for _ in 0..2000 {
                world.step().unwrap();
                drift = drift.max((world.energies().total() - start).abs() / start);
            }
            assert!(drift < 1e-12, "{weights:?} {mediator:?}: {drift:.2e}");
        }
    }
}

/// Energies of the ledger and what is left of their balance over a run.
fn ledger(world: &mut World<2, 2>, steps: usize) -> (f64, f64) {
    let mut closing = 0.0f64;
    for _ in 0..steps {
        closing = closing.max(world.step().unwrap().energy.closing.abs());
    }
    (world.energies().total(), closing)
}

/// Reference: the ledger, which counts what the schemes take; the trapezoidal rule keeps, HHT-α takes from what is
/// short, an explicit part beside an implicit one keeps within the order of its step.
#[test]
fn parts_may_have_schemes_of_their_own() {
    let schemes = [
        (Scheme::TRAPEZOIDAL, Scheme::Hht { alpha: -0.3 }),
        (Scheme::TRAPEZOIDAL, Scheme::CentralDifferences),
        (Scheme::Theta { theta: 1.0 }, Scheme::Newmark { beta: 0.4, gamma: 0.7 }),
        (Scheme::TRAPEZOIDAL, Scheme::SemiExplicit { theta: 1.0 }),
        (Scheme::SemiExplicit { theta: 1.0 }, Scheme::TRAPEZOIDAL),
    ];
    let packet = |x: f64| 0.1 * (-((x - 1.0) / 0.3f64).powi(2)).exp();
    let glue = junction(LINEAR, Mediator::Fine, Product::L2);
    for (main, fine) in schemes {
        let mut world = let_go_by(&glue, main, Some(fine), 0.005, packet);
        let start = world.energies().total();
        let (end, closing) = ledger(&mut world, 800);
        assert!(closing < 1e-12 * start, "{main:?} {fine:?}: {closing:.2e} of {start:.2e}");
        let kept = end / start;
        let damps = matches!(main, Scheme::Theta { .. });
        assert!(if damps { kept < 1.0 } else { (kept - 1.0).abs() < 0.02 }, "{main:?} {fine:?}: {kept}");
    }
}

/// What is said of a junction: the mediator of method §8.6, the wave numbers of both meshes, the condition of the rows,
/// and those that a support makes superfluous.
#[test]
fn a_report_tells_what_to_expect() {
    let made = |weights, mediator, product, held: bool| {
        let mut model = Model::new(2);
        bar(&mut model, "coarse", [2.0, 5.0], [15, 1], CellKind::Quad4, 0.0);
        bar(&mut model, "fine", [0.0, 3.0], [60, 4], CellKind::Quad4, 0.0);
        let glue = junction(weights, mediator, product);
        let made = glue.apply::<2>(&mut model).unwrap();
        let rows: Vec<_> = model.ties[0].rows.iter().map(|r| r.terms.clone()).collect();
        // Without the motion across of either model.
        let condition = Condition::new(&rows, &|d| held && d % 2 == 1);
        glue.report(&made, Some(condition))
    };
    let constant = Profile::Constant(0.5);
    let report = made(constant, Mediator::Coarse, Product::L2, false);
    assert_eq!(report.warnings, [Warning::Patch]);
    assert!((report.cut_off[0] - std::f64::consts::PI / 0.2).abs() < 1e-9);
    assert!((report.cut_off[1] / report.cut_off[0] - 4.0).abs() < 1e-9);
    assert!(made(constant, Mediator::Fine, Product::L2, false).warnings.is_empty());
    assert!(made(LINEAR, Mediator::Coarse, Product::L2, false).warnings.is_empty());
    let report = made(LINEAR, Mediator::Fine, Product::L2, true);
    let rows = report.made.multipliers;
    assert_eq!(report.warnings, [Warning::Redundant { dependent: 0, held: rows / 2 }]);
    let text = report.to_string();
    assert!(text.contains("fine mediator, L2") && text.contains("reflects what lies between"), "{text}");
    // Masses of cells of one size: 3² along both axes, more where the coarse model moves along smooth multipliers.
    let number = made(LINEAR, Mediator::Fine, Product::L2, false).condition.unwrap().number();
    assert!(number > 9.0 && number < 90.0, "{number}");
}

/// Reference: the same bar in equal steps; the interface of two steps takes energy, the more the longer the long one is,
/// and gives none but within its swing \[Gravouil01\]; the ledger counts it.
#[test]
fn a_coarse_part_may_make_longer_steps() {
    let packet = |x: f64| 0.1 * (-((x - 1.0) / 0.4f64).powi(2)).exp();
    let glue = junction(LINEAR, Mediator::Fine, Product::L2);
    let run = |every: usize| {
        let mut world = cycled(&glue, every, 0.004, packet);
        let start = world.energies().total();
        let mut most = 0.0f64;
        let mut closing = 0.0f64;
        let mut last = start;
        for k in 0..4000 {
            let step = world.step().unwrap();
            closing = closing.max(step.energy.closing.abs());
            if (k + 1) % every == 0 {
                let now = world.energies().total();
                most = most.max(now - start);
                last = now;
            }
        }
        assert!(closing < 1e-12 * start, "every {every}: {closing:.2e}");
        assert!(most < 1e-3 * start, "every {every}: gains {:.2e}", most / start);
        (last / start, world)
    };
    let (one, whole) = run(1);
    assert!((one - 1.0).abs() < 1e-10, "{one}");
    let u = |w: &World<2, 2>| w.state().q[..2 * 148].to_vec();
    let size = u(&whole).iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let mut errors = vec![];
    for every in [2, 4, 8] {
        let (kept, world) = run(every);
        assert!((0.85..1.0).contains(&kept), "every {every}: {kept}");
        let off = u(&world).iter().zip(&u(&whole)).fold(0.0f64, |m, (a, b)| m.max((a - b).abs())) / size;
        errors.push(off);
    }
    assert!(errors[2] < 0.05 && errors[0] < 0.4 * errors[2], "{errors:?}");
}

/// Reference: the run that was not stopped, to the bit, in the middle of a long step.
#[test]
fn long_steps_go_on_after_a_restart() {
    let packet = |x: f64| 0.1 * (-((x - 1.0) / 0.4f64).powi(2)).exp();
    let glue = junction(LINEAR, Mediator::Fine, Product::L2);
    let mut world = cycled(&glue, 4, 0.004, packet);
    for _ in 0..302 {
        world.step().unwrap();
    }
    let mut other = cycled(&glue, 4, 0.004, packet);
    other.set_state(world.state().clone()).unwrap();
    for _ in 0..30 {
        world.step().unwrap();
        other.step().unwrap();
    }
    assert!(world.state() == other.state());
}

/// [`let_go`] by the trapezoidal rule with a coarse part whose steps are longer.
fn cycled(superposition: &Superposition, every: usize, h: f64, u0: impl Fn(f64) -> f64) -> World<2, 2> {
    let mut model = Model::new(2);
    bar(&mut model, "coarse", [2.0, 5.0], [12, 1], CellKind::Quad4, 0.0);
    bar(&mut model, "fine", [0.0, 3.0], [60, 1], CellKind::Quad4, 0.0);
    superposition.apply::<2>(&mut model).unwrap();
    model.disturb(0..model.nodes(), &|x| [[u0(x[0]), 0.0, 0.0], [0.0; 3]]);
    let every = if every > 1 { [(0, every)].into() } else { Default::default() };
    let scheme = Scheme::TRAPEZOIDAL;
    let settings = SolidSettings { step: Some(h), scheme, every, tolerance: 1e-13, ..SolidSettings::default() };
    world_of::<2>(model, settings).unwrap()
}

/// Reference: u = F x/(E S), as above: a patch inside the bar, and a patch inside the patch.
#[test]
fn constant_stress_passes_through_patches_in_patches() {
    let mut model = Model::new(2);
    let coarse = bar(&mut model, "bar", [0.0, 5.0], [10, 1], CellKind::Quad4, 0.3);
    bar(&mut model, "patch", [1.0, 4.0], [24, 2], CellKind::Quad4, 0.3);
    bar(&mut model, "inner", [2.0, 3.0], [32, 4], CellKind::Quad4, 0.3);
    let held = |part: usize, group: &str, k: u32, model: &Model| -> Vec<u32> {
        model.group_nodes(part, group).unwrap().iter().map(|n| 2 * n + k).collect()
    };
    let dofs = held(0, "left", 0, &model);
    model.supports.push(Support { dofs, value: Function::Constant(0.0) });
    let dofs = (0..3).flat_map(|p| held(p, "bottom", 1, &model)).collect();
    model.supports.push(Support { dofs, value: Function::Constant(0.0) });
    let kind = model.traction(coarse, "right", [0.1, 0.0, 0.0]).unwrap();
    model.loads.push(Load { kind, factor: Function::Constant(1.0) });
    let first =
        Superposition { width: Some(0.5), zone: Zone::Border(0.5), ..junction(LINEAR, Mediator::Fine, Product::L2) };
    let second = Superposition { coarse: 1, fine: 2, width: Some(0.25), zone: Zone::Border(0.25), ..first.clone() };
    first.apply::<2>(&mut model).unwrap();
    second.apply::<2>(&mut model).unwrap();
    // Each material point counts once.
    let mass: f64 = model
        .parts
        .iter()
        .map(|p| {
            let mut sum = 0.0;
            let cells = 0..p.solid.cells();
            p.solid.mass(cells, true, &mut |_, m, _| sum += m.iter().step_by(2).sum::<f64>()).unwrap();
            sum
        })
        .sum();
    assert!((mass - 1.0).abs() < 1e-12, "{mass}");
    let positions = model.positions();
    let settings = SolidSettings { step: Some(1.0), scheme: Scheme::QuasiStatic, ..SolidSettings::default() };
    let mut world = world_of::<2>(model, settings).unwrap();
    world.step().unwrap();
    let u = &world.state().q;
    let off = positions.chunks(2).enumerate().map(|(n, x)| (u[2 * n] - 0.1 * x[0]).abs()).fold(0.0, f64::max);
    assert!(off < 1e-10, "{off:.2e}");
}
