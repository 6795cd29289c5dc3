//! What every analysis must keep: momentum, energy, restarts, quadratic convergence, clear refusals

#![allow(clippy::unwrap_used)]

use crate::world::{Analysis, Settings, ramp};
use delassus_dynamics::Error;
use delassus_fem::contact::{Collocation, Obstacle, PairSettings};
use delassus_fem::element::beam::Section;
use delassus_fem::material::{Hardening, J2, Kinematics, Material};
use delassus_fem::mesh::CellKind;
use delassus_fem::mesh::generate::{Cuboid, Rectangle};
use delassus_fem::model::{Against, BeamSpec, ContactPair, Load, LoadKind, PartSpec, Support};
use delassus_fem::solid::{Hypothesis, SolidSpec};
use delassus_fem::{Formalism, Model, Path, Predicted, Scheme};
use std::sync::Arc;

const PLANE: Hypothesis = Hypothesis::PlaneStrain { thickness: 1.0 };

fn rectangle(
    model: &mut Model,
    [lower, upper]: [[f64; 2]; 2],
    cells: [usize; 2],
    solid: SolidSpec,
    velocity: [f64; 3],
) -> usize {
    let mesh = Rectangle::new(lower, upper, cells, CellKind::Quad4).mesh().unwrap();
    let name = format!("part {}", model.parts.len());
    model.add(PartSpec { name, mesh: Arc::new(mesh), solid, velocity, rayleigh: [0.0; 2] }).unwrap()
}

fn rubber() -> SolidSpec {
    SolidSpec::new(Material::NeoHookean { young: 1e6, poisson: 0.3 }, 1000.0, Kinematics::Finite, PLANE)
}

fn metal() -> SolidSpec {
    let material = Material::J2(J2 {
        young: 1e9,
        poisson: 0.3,
        yield_stress: 2e6,
        isotropic: Hardening::Linear { modulus: 1e8 },
        kinematic: 0.0,
    });
    SolidSpec::new(material, 1000.0, Kinematics::Finite, PLANE)
}

/// Two blocks that collide off centre, with friction.
fn collision(solid: &SolidSpec, speed: f64, friction: f64) -> Model {
    let mut model = Model::new(2);
    rectangle(&mut model, [[0.0, 0.0], [1.0, 0.5]], [4, 2], solid.clone(), [speed, 0.0, 0.0]);
    rectangle(&mut model, [[1.01, 0.1], [2.01, 0.9]], [3, 3], solid.clone(), [-speed, 0.3 * speed, 0.0]);
    let mut settings = PairSettings::new(0.2);
    settings.collocation = Collocation::Nodes;
    model.contacts.push(ContactPair {
        name: "impact".into(),
        slave: model.surface(1, "left").unwrap(),
        against: Against::Surface(model.surface(0, "right").unwrap()),
        settings,
        friction,
        motion: vec![],
    });
    model
}

fn settings(scheme: Scheme, step: f64) -> Settings {
    Settings { step: Some(step), scheme, tolerance: 1e-11, ..Settings::default() }
}

/// Linear momentum to round-off whatever the scheme; energy changes by what the ledger says, which closes.
#[test]
fn momentum_is_kept_and_the_ledger_closes() {
    for (scheme, h) in [
        (Scheme::Theta { theta: 0.5 }, 2e-4),
        (Scheme::Newmark { beta: 0.3025, gamma: 0.6 }, 2e-4),
        (Scheme::Hht { alpha: -0.1 }, 2e-4),
        (Scheme::CentralDifferences, 1e-4),
        (Scheme::SemiExplicit { theta: 1.0 }, 1e-4),
    ] {
        let mut analysis = Analysis::new(collision(&rubber(), 2.0, 0.3), settings(scheme, h)).unwrap();
        let (start, energy) = (analysis.report().linear, analysis.report().energy.total());
        let (mut touched, mut lost) = (0, [0.0; 2]);
        let mut before = energy;
        for _ in 0..(0.04 / h) as usize {
            let report = analysis.step().unwrap();
            touched += usize::from(report.closed > 0);
            lost[0] += report.energy.friction;
            lost[1] += report.energy.friction + report.energy.contact();
            for k in 0..2 {
                assert!((report.linear[k] - start[k]).abs() < 1e-9 * 2000.0, "{scheme:?}: {:?}", report.linear);
            }
            let e = &report.energy;
            let works = e.external + e.contact() + e.friction - e.plastic - e.viscous + e.numerical + e.closing;
            assert!((e.total() - before - works).abs() < 1e-10 * energy, "{scheme:?}");
            assert!(e.closing.abs() < 1e-9 * energy, "{scheme:?}: {e:?}");
            before = e.total();
        }
        assert!(touched > 5, "{scheme:?}: {touched}");
        // Schemes on displacements slip by Δu and count work by the mean velocity: no sign for them.
        // On velocities friction never gives, and nothing where a contact sticks; shocks take the rest.
        if scheme.is_in_velocities() {
            assert!(lost[0] < 1e-12 * energy && lost[1] < 0.0, "{scheme:?}: friction works {lost:?}");
        }
    }
}

/// The logarithm of the residual doubles its digits: elastic in finite strain, and plastic.
#[test]
fn newton_converges_quadratically() {
    for (solid, push) in [(rubber(), 0.2), (metal(), 0.02)] {
        let mut model = Model::new(2);
        let p = rectangle(&mut model, [[0.0, 0.0], [1.0, 1.0]], [4, 4], solid, [0.0; 3]);
        for (group, value) in [("left", 0.0.into()), ("right", ramp(push, 1.0))] {
            let nodes = model.group_nodes(p, group).unwrap();
            let dofs = nodes.iter().flat_map(|n| [2 * n]).collect();
            model.supports.push(Support { dofs, value });
        }
        let nodes = model.group_nodes(p, "left").unwrap();
        model.supports.push(Support { dofs: nodes.iter().map(|n| 2 * n + 1).collect(), value: 0.0.into() });
        let settings = Settings { tolerance: 1e-12, log: true, ..settings(Scheme::QuasiStatic, 1.0) };
        let mut analysis = Analysis::new(model, settings).unwrap();
        analysis.step().unwrap();
        let balance = |line: &String| line.split("balance ").nth(1)?.split(',').next()?.parse::<f64>().ok();
        let residuals: Vec<f64> = analysis.log().iter().filter_map(balance).collect();
        // The last steps above round-off: r' ≤ C r² with one C.
        let tail: Vec<f64> = residuals.iter().copied().filter(|r| *r > 1e-11 && *r < 1e-1).collect();
        assert!(tail.len() >= 2, "{residuals:?}");
        for pair in tail.windows(2) {
            assert!(pair[1] < 50.0 * pair[0] * pair[0], "{residuals:?}");
        }
    }
}

/// A run in two halves has the bits of the whole one.
#[test]
fn a_restart_changes_nothing() {
    for (scheme, path) in [
        (Scheme::Theta { theta: 1.0 }, Path::Nested),
        (Scheme::Newmark { beta: 0.4, gamma: 0.7 }, Path::Condensed),
        (Scheme::CentralDifferences, Path::Nested),
    ] {
        let settings = Settings { path: Some(path), ..settings(scheme, 1e-4) };
        let mut whole = Analysis::new(collision(&metal(), 20.0, 0.3), settings.clone()).unwrap();
        let mut first = Analysis::new(collision(&metal(), 20.0, 0.3), settings.clone()).unwrap();
        for _ in 0..6 {
            whole.step().unwrap();
            first.step().unwrap();
        }
        let mut second = Analysis::new(collision(&metal(), 20.0, 0.3), settings).unwrap();
        second.set_state(first.state().clone()).unwrap();
        for _ in 0..6 {
            whole.step().unwrap();
            second.step().unwrap();
        }
        assert!(whole.report().closed > 0, "{scheme:?}: nothing touched");
        assert_eq!(whole.state(), second.state(), "{scheme:?}");
    }
}

/// Friction in space: the nested loops and the condensed problem, on a block pushed over a floor.
#[test]
fn both_paths_agree_with_friction_in_space() {
    let run = |path: Path| {
        let mut model = Model::new(3);
        let mesh = Cuboid::new([0.0; 3], [1.0, 0.6, 0.4], [3, 2, 2], CellKind::Hex8).mesh().unwrap();
        let material = Material::Elastic { young: 1e7, poisson: 0.3 };
        let solid = SolidSpec::new(material, 1000.0, Kinematics::Small, Hypothesis::Space);
        let velocity = [0.5, 0.2, -0.5];
        let part = PartSpec { name: "block".into(), mesh: Arc::new(mesh), solid, velocity, rayleigh: [0.0; 2] };
        model.add(part).unwrap();
        model.gravity = [0.0, 0.0, -9.81];
        let mut settings = PairSettings::new(0.1);
        settings.collocation = Collocation::Nodes;
        let floor = Obstacle::half_space([0.0; 3], [0.0, 0.0, 1.0]).unwrap();
        let groups = ["bottom", "top", "front", "back", "left", "right"];
        let low = groups.into_iter().find(|g| {
            let nodes = model.group_nodes(0, g).unwrap();
            nodes.iter().all(|n| model.parts[0].mesh.points[*n as usize][2] == 0.0)
        });
        model.contacts.push(ContactPair {
            name: "floor".into(),
            slave: model.surface(0, low.unwrap()).unwrap(),
            against: Against::Space(Box::new(floor)),
            settings,
            friction: 0.3,
            motion: vec![],
        });
        let settings = Settings { path: Some(path), ..self::settings(Scheme::Theta { theta: 1.0 }, 1e-3) };
        let mut analysis = Analysis::new(model, settings).unwrap();
        let mut sliding = 0;
        for _ in 0..12 {
            let report = analysis.step().unwrap();
            assert!(report.residual < 1e-8, "{path:?} {}", report.residual);
            sliding += report.sliding;
        }
        (analysis.v().to_vec(), sliding)
    };
    let ((a, sliding), (b, _)) = (run(Path::Nested), run(Path::Condensed));
    assert!(sliding > 0);
    let worst = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-8, "{worst}");
}

/// A strip folded onto itself: one surface meets itself.
#[test]
fn a_surface_meets_itself() {
    let mut model = Model::new(2);
    // A C-shaped body: two arms and a back, 0.2 m apart.
    let mut mesh = Rectangle::new([0.0, 0.0], [1.0, 0.8], [10, 8], CellKind::Quad4).mesh().unwrap();
    let block = mesh.blocks.iter().position(|b| b.kind == CellKind::Quad4).unwrap();
    let points = mesh.points.clone();
    let kept: Vec<u32> = mesh.blocks[block]
        .nodes
        .chunks(4)
        .filter(|c| {
            let centre = |k: usize| c.iter().map(|n| points[*n as usize][k]).sum::<f64>() / 4.0;
            !(centre(0) > 0.2 && centre(1) > 0.3 && centre(1) < 0.5)
        })
        .flatten()
        .copied()
        .collect();
    let mut used = kept.clone();
    used.sort_unstable();
    used.dedup();
    let mut body = delassus_fem::mesh::Mesh::new(2, used.iter().map(|n| points[*n as usize]).collect());
    kept.chunks(4).for_each(|c| {
        let nodes: Vec<u32> = c.iter().map(|n| used.binary_search(n).unwrap() as u32).collect();
        body.push_cell(CellKind::Quad4, &nodes);
    });
    body.group_boundary("skin", |_| true).unwrap();
    body.add_node_group("back", body.nodes_where(|p| p[0] == 0.0)).unwrap();
    body.add_node_group("tip", body.nodes_where(|p| p[0] == 1.0 && p[1] == 0.8)).unwrap();
    mesh = body;
    let part = PartSpec {
        name: "strip".into(),
        mesh: Arc::new(mesh),
        solid: rubber(),
        velocity: [0.0; 3],
        rayleigh: [0.0; 2],
    };
    model.add(part).unwrap();
    let back = model.group_nodes(0, "back").unwrap();
    model.supports.push(Support { dofs: back.iter().flat_map(|n| [2 * n, 2 * n + 1]).collect(), value: 0.0.into() });
    let tip = model.group_nodes(0, "tip").unwrap();
    model.supports.push(Support { dofs: tip.iter().map(|n| 2 * n + 1).collect(), value: ramp(-0.35, 1.0) });
    let mut pair = PairSettings::new(0.3);
    pair.collocation = Collocation::Nodes;
    model.contacts.push(ContactPair {
        name: "itself".into(),
        slave: model.surface(0, "skin").unwrap(),
        against: Against::Itself,
        settings: pair,
        friction: 0.0,
        motion: vec![],
    });
    let settings = Settings { tolerance: 1e-8, ..settings(Scheme::QuasiStatic, 0.05) };
    let mut analysis = Analysis::new(model, settings).unwrap();
    for _ in 0..20 {
        analysis.step().unwrap();
    }
    // The arms meet before the tip has gone all the way, and do not pass through each other.
    assert!(analysis.report().closed > 0);
    assert!(analysis.report().penetration < 1e-3, "{}", analysis.report().penetration);
}

/// Options that do not go together are refused with what to do.
#[test]
fn refusals_say_what_to_do() {
    let refuse = |settings: Settings| match Analysis::new(collision(&rubber(), 1.0, 0.0), settings) {
        Err(e) => e.to_string(),
        Ok(_) => panic!("accepted"),
    };
    let cases: [(Settings, &str); 5] = [
        (settings(Scheme::SemiExplicit { theta: 0.5 }, 1e-4), "at least 1"),
        (settings(Scheme::CentralDifferences, 1.0), "stability limit"),
        (settings(Scheme::Theta { theta: 0.2 }, 10.0), "stability limit"),
        (Settings { step: None, ..settings(Scheme::Theta { theta: 1.0 }, 1.0) }, "time.step"),
        (settings(Scheme::QuasiStatic, -1.0), "positive"),
    ];
    for (settings, expected) in cases {
        let scheme = settings.scheme;
        let message = refuse(settings);
        assert!(message.contains(expected), "{scheme:?}: {message}");
    }
    let mut wrong = settings(Scheme::CentralDifferences, 1e-5);
    wrong.contact.formalism = Formalism::Augmented { normal: 1e9, tangential: 0.0 };
    assert!(refuse(wrong).contains("lagrange or penalty"));
}

/// A step that Newton cannot make is cut, and where that fails nothing is lost.
#[test]
fn a_failed_step_leaves_the_state() {
    let mut model = Model::new(2);
    let p = rectangle(&mut model, [[0.0, 0.0], [1.0, 1.0]], [2, 2], rubber(), [0.0; 3]);
    for (group, value) in [("left", 0.0.into()), ("right", ramp(-1.5, 1.0))] {
        let nodes = model.group_nodes(p, group).unwrap();
        model.supports.push(Support { dofs: nodes.iter().flat_map(|n| [2 * n, 2 * n + 1]).collect(), value });
    }
    let mut analysis = Analysis::new(model, settings(Scheme::QuasiStatic, 0.5)).unwrap();
    analysis.step().unwrap();
    let before = analysis.state().clone();
    // The block would be turned inside out.
    match analysis.step() {
        Err(Error::Step { .. }) => {}
        other => panic!("{:?}", other.map(|r| r.energy)),
    }
    assert_eq!(analysis.state(), &before);
}

/// Both predictions of the gap: method §8.1.
#[test]
fn the_midpoint_predicts_too() {
    let settings = Settings { predicted: Predicted::Midpoint, ..settings(Scheme::Theta { theta: 1.0 }, 1e-4) };
    let mut analysis = Analysis::new(collision(&rubber(), 2.0, 0.0), settings).unwrap();
    let mut touched = 0;
    for _ in 0..100 {
        let report = analysis.step().unwrap();
        touched += report.closed;
        if report.closed > 0 {
            assert!(report.approach < 1e-9);
        }
    }
    assert!(touched > 0);
}

/// Timoshenko beams in a model: the tip of a cantilever under a force, bending and shear, and its first
/// frequency (Euler–Bernoulli's for a slender one, λ = 1.8751).
#[test]
fn beams_bend_and_vibrate() {
    let section = Section::rectangle(2e11, 0.3, 7800.0, [0.02, 0.02]);
    let (length, cells) = (1.0, 10);
    let build = |dim: usize| {
        let mut model = Model::new(dim);
        let points = (0..=cells).map(|i| [length * i as f64 / cells as f64, 0.0, 0.0]).collect();
        let spec = BeamSpec { up: [0.0, 1.0, 0.0], ..BeamSpec::new("cantilever", points, section) };
        model.add_beam(&spec).unwrap();
        let turns = if dim == 2 { 1 } else { 3 };
        let held = (0..dim as u32).chain((0..turns).map(|k| model.rotation(0, 0, k))).collect();
        model.supports.push(Support { dofs: held, value: 0.0.into() });
        model
    };
    let (e, g, i, a) = (2e11, 2e11 / 2.6, 0.02f64.powi(4) / 12.0, 4e-4);
    for dim in [2, 3] {
        let mut model = build(dim);
        let tip = (dim * cells + 1) as u32;
        let force = LoadKind::Forces(vec![(tip, 100.0)]);
        model.loads.push(Load { kind: force, factor: 1.0.into() });
        let mut analysis = Analysis::new(model, settings(Scheme::QuasiStatic, 1.0)).unwrap();
        analysis.step().unwrap();
        let expected = 100.0 / (3.0 * e * i) + 100.0 / (5.0 / 6.0 * g * a);
        assert!((analysis.u()[tip as usize] / expected - 1.0).abs() < 1e-9, "{dim}");
        // Released: zeros of the tip over ten periods, in which higher modes average out.
        let mut free = Analysis::new(build(dim), settings(Scheme::TRAPEZOIDAL, 2e-4)).unwrap();
        let mut state = free.state().clone();
        state.q[..analysis.u().len()].copy_from_slice(analysis.u());
        free.set_state(state).unwrap();
        let omega = 1.8751f64.powi(2) * (e * i / (7800.0 * a)).sqrt();
        let period = std::f64::consts::TAU / omega;
        let mut zeros = vec![];
        let mut before = 1.0;
        while free.time() < 10.0 * period {
            free.step().unwrap();
            let u = free.u()[tip as usize];
            if u * before < 0.0 {
                zeros.push(free.time());
            }
            before = u;
        }
        let found = 2.0 * (zeros[zeros.len() - 1] - zeros[0]) / (zeros.len() - 1) as f64;
        assert!((found / period - 1.0).abs() < 0.01, "{dim}: {found} {period}");
    }
}

/// What a scheme adds to the continuous motion vanishes with its order: a bar stretched and released loses to
/// `numerical` in proportion to the step with first-order damping, and nothing with Moreau and
/// Jean's θ = ½.
#[test]
fn numerical_work_has_the_order_of_the_scheme() {
    let lost = |scheme: Scheme, h: f64| {
        let mut model = Model::new(2);
        let solid = SolidSpec::new(Material::Elastic { young: 1e9, poisson: 0.0 }, 1000.0, Kinematics::Small, PLANE);
        let p = rectangle(&mut model, [[0.0, 0.0], [1.0, 0.1]], [10, 1], solid, [0.0; 3]);
        let nodes = model.group_nodes(p, "left").unwrap();
        model.supports.push(Support { dofs: nodes.iter().map(|n| 2 * n).collect(), value: 0.0.into() });
        let mut analysis = Analysis::new(model, settings(scheme, h)).unwrap();
        // The first mode alone: u = 1e-4 sin(π x / 2).
        let mut state = analysis.state().clone();
        for (i, x) in analysis.model().positions().chunks(2).enumerate() {
            state.q[2 * i] = 1e-4 * (std::f64::consts::FRAC_PI_2 * x[0]).sin();
        }
        analysis.set_state(state).unwrap();
        let energy = analysis.state_energy();
        let mut sum = 0.0;
        // A tenth of its period, 4 ms.
        for _ in 0..(4e-4 / h).round() as usize {
            let e = analysis.step().unwrap().energy;
            assert!(e.closing.abs() < 1e-10 * energy, "{scheme:?}: {e:?}");
            sum += e.numerical;
        }
        sum / energy
    };
    for scheme in [
        Scheme::Theta { theta: 1.0 },
        Scheme::Theta { theta: 0.5 },
        Scheme::MoreauJean { theta: 1.0 },
        Scheme::MoreauJean { theta: 0.7 },
    ] {
        let (coarse, fine) = (lost(scheme, 4e-6), lost(scheme, 2e-6));
        let ratio = coarse / fine;
        assert!(coarse < 0.0 && (1.8..2.2).contains(&ratio), "{scheme:?}: {coarse:e} {fine:e}");
    }
    let exact = lost(Scheme::MoreauJean { theta: 0.5 }, 4e-6);
    assert!(exact.abs() < 1e-10, "{exact:e}");
}
