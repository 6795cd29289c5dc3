//! Coulomb's friction between solids, without inertia and with it: Cattaneo and Mindlin, Spence, blocks

#![allow(clippy::unwrap_used)]

use crate::world::{Analysis, ContactView, Settings};
use delassus_dynamics::ContactStatus;
use delassus_fem::contact::{Collocation, Obstacle, PairSettings};
use delassus_fem::material::{Kinematics, Material};
use delassus_fem::mesh::generate::{Cuboid, Disc, DiscPart, Rectangle};
use delassus_fem::mesh::{CellKind, Mesh};
use delassus_fem::model::{Against, ContactPair, Load, PartSpec, Support};
use delassus_fem::solid::{Hypothesis, SolidSpec};
use delassus_fem::{ContactSettings, Formalism, Function, Model, Scheme};
use std::f64::consts::PI;
use std::sync::Arc;

const PLANE: Hypothesis = Hypothesis::PlaneStrain { thickness: 1.0 };

fn part(mesh: Mesh, young: f64, poisson: f64, hypothesis: Hypothesis) -> PartSpec {
    let material = Material::Elastic { young, poisson };
    let solid = SolidSpec::new(material, 1000.0, Kinematics::Small, hypothesis);
    PartSpec { name: "part".into(), mesh: Arc::new(mesh), solid, velocity: [0.0; 3], rayleigh: [0.0; 2] }
}

/// Holds a component of a group; nodes that are held already stay so.
fn hold(model: &mut Model, part: usize, group: &str, component: u32, value: &str) {
    let dim = model.dim as u32;
    let nodes = model.group_nodes(part, group).unwrap();
    let mut dofs: Vec<u32> = nodes.iter().map(|n| dim * n + component).collect();
    dofs.retain(|d| model.supports.iter().all(|s| !s.dofs.contains(d)));
    model.supports.push(Support { dofs, value: Function::expression(value).unwrap() });
}

fn touch(model: &mut Model, slave: &str, against: Option<(usize, &str)>, collocation: Collocation, friction: f64) {
    let mut settings = PairSettings::new(0.5);
    settings.collocation = collocation;
    settings.smooth_normals = true;
    let against = match (against, model.dim) {
        (Some((part, group)), _) => {
            settings.search = 0.02;
            Against::Surface(model.surface(part, group).unwrap())
        }
        (None, 2) => Against::Plane(Box::new(Obstacle::half_space([0.0; 2], [0.0, 1.0]).unwrap())),
        _ => Against::Space(Box::new(Obstacle::half_space([0.0; 3], [0.0, 0.0, 1.0]).unwrap())),
    };
    let slave = model.surface(0, slave).unwrap();
    model.contacts.push(ContactPair { name: "touch".into(), slave, against, settings, friction, motion: vec![] });
}

fn statics(h: f64) -> Settings {
    Settings { step: Some(h), scheme: Scheme::QuasiStatic, ..Settings::default() }
}

/// Steps to the end; every one is certified.
fn run(model: Model, settings: Settings, end: f64, name: &str) -> Analysis {
    let tolerance = settings.tolerance;
    let mut analysis = Analysis::new(model, settings).unwrap_or_else(|e| panic!("{name}: {e}"));
    while analysis.time() < end * (1.0 - 1e-9) {
        let report = analysis.step().unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(!report.flagged && report.residual <= tolerance, "{name}: {}", report.residual);
    }
    analysis
}

fn disc(part: DiscPart, cells: usize, [foot, arc]: [f64; 2], mirrored: bool) -> Mesh {
    let mut disc = Disc::new(0.05, part, cells, CellKind::Quad4);
    (disc.centre, disc.refine_foot, disc.refine_arc) = ([0.0, 0.05], foot, arc);
    let mut mesh = disc.mesh().unwrap();
    if mirrored {
        mesh.mirror([0.0; 3], [0.0, 1.0, 0.0]).unwrap();
    }
    mesh
}

/// Points that touch, from left to right.
fn touching(analysis: &Analysis) -> Vec<ContactView> {
    let mut points: Vec<_> = analysis.contact_view().filter(|p| p.pressure > 0.0).collect();
    points.sort_by(|a, b| a.position[0].total_cmp(&b.position[0]));
    points
}

/// Largest distance of neighbours between two places.
fn cell(points: &[ContactView]) -> f64 {
    points.windows(2).map(|w| w[1].position[0] - w[0].position[0]).fold(0.0, f64::max)
}

/// Two equal cylinders pressed, then sheared by Q < μP: the middle |x| < c = a √(1 − Q/μP) sticks, and
/// q = μ p₀ (√(1 − x²/a²) − (c/a) √(1 − x²/c²))                                  [Cattaneo38], [Mindlin49]
///
/// Within the half spaces' a/R (a tenth) of μ p₀; statuses change within a cell of c.
#[test]
fn a_sheared_contact_slips_from_its_edges_as_cattaneo_and_mindlin_say() {
    let (young, poisson, friction) = (2e10, 0.3, 0.3);
    let mut model = Model::new(2);
    for (k, sign) in [(0, "-"), (1, "")] {
        model.add(part(disc(DiscPart::Lower, 24, [20.0, 10.0], k == 1), young, poisson, PLANE)).unwrap();
        hold(&mut model, k, "top", 1, &format!("{sign}1e-3 * min(t, 1)"));
        hold(&mut model, k, "top", 0, &format!("{sign}3e-4 * max(t - 1, 0)"));
    }
    touch(&mut model, "arc", Some((1, "arc")), Collocation::Nodes, friction);
    let analysis = run(model, statics(0.25), 2.0, "Cattaneo");
    let [q, p, _] = analysis.report().force;
    // Two radii of 50 mm, two equal moduli; forces are per length.
    let (radius, modulus) = (0.025, young / 2.0 / (1.0 - poisson * poisson));
    let a = (4.0 * p * radius / (PI * modulus)).sqrt();
    let share = q.abs() / (friction * p);
    assert!(share > 0.3 && share < 0.9, "{share}");
    let (c, peak) = (a * (1.0 - share).sqrt(), friction * 2.0 * p / (PI * a));
    let points = touching(&analysis);
    let near = cell(&points);
    assert!(near < 0.2 * a, "{near} of {a}");
    for point in &points {
        let x = point.position[0];
        let arch = |b: f64| (1.0 - x * x / (b * b)).max(0.0).sqrt();
        let expected = peak * (arch(a) - c / a * arch(c));
        // At c the slope is infinite: a cell there sees its mean.
        let slack = if (x.abs() - c).abs() < near { 0.2 } else { 0.1 };
        assert!((point.shear.abs() - expected).abs() < slack * peak, "{x}: {} for {expected}", point.shear);
        let status = if x.abs() < c { ContactStatus::Stick } else { ContactStatus::Slip };
        assert!(point.status == status || (x.abs() - c).abs() < near, "{x}: {:?}, c = {c}", point.status);
    }
}

/// K(k) by the arithmetic-geometric mean.
fn elliptic(k: f64) -> f64 {
    let (mut a, mut b) = (1.0f64, (1.0 - k * k).sqrt());
    for _ in 0..40 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    PI / (2.0 * a)
}

/// Stick ratio of a growing plane contact: μ K'(c/a) = β K(c/a), β = (1 − 2ν)/(2 (1 − ν)), the same for all
/// profiles without a length of their own                                        [Spence73], [Spence75]
fn stick_ratio(friction: f64, poisson: f64) -> f64 {
    let beta = (1.0 - 2.0 * poisson) / (2.0 * (1.0 - poisson));
    let (mut low, mut high) = (1e-9, 1.0 - 1e-9);
    for _ in 0..100 {
        let k: f64 = 0.5 * (low + high);
        let sticks = friction * elliptic((1.0 - k * k).sqrt()) > beta * elliptic(k);
        (low, high) = if sticks { (k, high) } else { (low, k) };
    }
    low
}

/// A cylinder pressed on a rigid plane, a/R = 0.02: as a/R grows the bulk of a disc spreads and more sticks. The
/// formula leaves out what friction does to the pressure, a share βμ; a cell of the mesh and a step of the load
/// (a twentieth) blur the edge.
#[test]
fn a_growing_contact_sticks_inside_as_spence_says() {
    for (friction, poisson) in [(0.1, 0.3), (0.2, 0.3), (0.1, 0.4)] {
        let mut model = Model::new(2);
        model.add(part(disc(DiscPart::LowerRight, 32, [200.0, 60.0], false), 2e10, poisson, PLANE)).unwrap();
        hold(&mut model, 0, "axis", 0, "0");
        hold(&mut model, 0, "top", 1, "-5e-5 * t");
        touch(&mut model, "arc", None, Collocation::Nodes, friction);
        let name = format!("μ {friction}, ν {poisson}");
        let analysis = run(model, statics(0.05), 1.0, &name);
        let p = 2.0 * analysis.report().force[1];
        let a = (4.0 * p * 0.05 * (1.0 - poisson * poisson) / (PI * 2e10)).sqrt();
        let points = touching(&analysis);
        let last =
            points.iter().filter(|p| p.status == ContactStatus::Stick).map(|p| p.position[0]).fold(0.0, f64::max);
        let slips = points.iter().filter(|p| p.status == ContactStatus::Slip);
        let first = slips.map(|p| p.position[0]).fold(f64::INFINITY, f64::min);
        let c = stick_ratio(friction, poisson) * a;
        let slack = cell(&points) + 0.05 * a;
        assert!(last < first, "{name}: sticks at {last}, slips at {first}");
        assert!(last - slack < c && c < first + slack, "{name}: {} {} for {}", last / a, first / a, c / a);
        // The surface draws inwards under pressure: friction points outwards everywhere.
        assert!(points.iter().all(|p| p.shear * points[1].shear >= 0.0), "{name}");
    }
}

/// A block of unit height on the floor, its top moved.
fn block(kind: CellKind, cells: usize, poisson: f64, [x, y]: [&str; 2]) -> Model {
    let mut model = Model::new(2);
    let mesh = Rectangle::new([0.0, 0.0], [2.0, 1.0], [2 * cells, cells], kind).mesh().unwrap();
    model.add(part(mesh, 1e9, poisson, PLANE)).unwrap();
    hold(&mut model, 0, "top", 0, x);
    hold(&mut model, 0, "top", 1, y);
    model
}

/// Dragged far enough all of the foot slides, and the force is on the cone: T = μN.
#[test]
fn a_dragged_block_sticks_then_slides_on_the_cone() {
    let gauss = Collocation::Gauss { points: 2 };
    for (kind, collocation) in
        [(CellKind::Quad4, gauss), (CellKind::Quad4, Collocation::Nodes), (CellKind::Tri6, gauss)]
    {
        for (friction, poisson) in [(0.05, 0.3), (0.3, 0.0), (0.6, 0.49), (1.0, 0.3)] {
            let name = format!("{kind:?} {collocation:?} μ {friction}, ν {poisson}");
            let mut model = block(kind, 4, poisson, ["0.2 * max(t - 1, 0)", "-0.01 * min(t, 1)"]);
            touch(&mut model, "bottom", None, collocation, friction);
            let mut analysis = Analysis::new(model, statics(0.25)).unwrap();
            for step in 0..8 {
                let report = analysis.step().unwrap_or_else(|e| panic!("{name}: {e}")).clone();
                let [t, n, _] = report.force;
                assert!(t.abs() <= friction * n * (1.0 + 1e-7), "{name}: {t} {n}");
                assert!(report.energy.friction <= 1e-12 * n, "{name}: {}", report.energy.friction);
                // Squares are symmetric: nothing drags yet. Triangles are not.
                if step == 3 && kind == CellKind::Quad4 {
                    assert!(t.abs() < 1e-7 * n, "{name}: {t} {n}");
                }
            }
            let report = analysis.report();
            assert!(report.sliding == report.closed, "{name}: {} of {}", report.sliding, report.closed);
            assert!((report.force[0] / report.force[1] + friction).abs() < 1e-7, "{name}: {:?}", report.force);
        }
    }
}

/// Nothing but friction holds it sideways: what is pushed with less than μN is in balance with the floor, and
/// one that is pushed with more is refused, as nothing can hold it.
#[test]
fn friction_alone_holds_a_block_that_is_pushed() {
    for (friction, share) in [(0.05, 0.5), (0.3, 0.9), (1.0, 0.3)] {
        let mut model = Model::new(2);
        let mesh = Rectangle::new([0.0, 0.0], [2.0, 1.0], [8, 4], CellKind::Quad4).mesh().unwrap();
        model.add(part(mesh, 1e9, 0.3, PLANE)).unwrap();
        for (k, value, factor) in [(1, -1e6, "min(t, 1)"), (0, 1e6 * friction * share, "max(t - 1, 0)")] {
            let mut traction = [0.0; 3];
            traction[k] = value;
            let kind = model.traction(0, "top", traction).unwrap();
            model.loads.push(Load { kind, factor: Function::expression(factor).unwrap() });
        }
        touch(&mut model, "bottom", None, Collocation::Gauss { points: 2 }, friction);
        let analysis = run(model.clone(), statics(0.25), 2.0, &format!("{friction} {share}"));
        let [t, n, _] = analysis.report().force;
        assert!((n / 2e6 - 1.0).abs() < 1e-7, "{n}");
        assert!((t / (-2e6 * friction * share) - 1.0).abs() < 1e-7, "{t}");
    }
}

/// A quarter of a block with its two planes of symmetry carries a quarter of the force of the whole.
#[test]
fn symmetry_faces_carry_their_share_of_a_block_in_space() {
    for kind in [CellKind::Hex8, CellKind::Tet4] {
        for friction in [0.1, 0.5] {
            let force = |quarter: bool| {
                let mut model = Model::new(3);
                let (low, n) = if quarter { (0.0, 2) } else { (-1.0, 4) };
                let mesh = Cuboid::new([low, low, 0.0], [1.0; 3], [n, n, 2], kind).mesh().unwrap();
                model.add(part(mesh, 1e9, 0.3, Hypothesis::Space)).unwrap();
                let sides = ["left", "right", "bottom", "top", "front", "back"];
                let side = |model: &Model, axis: usize, at: f64| {
                    let on = |g: &&&str| {
                        let nodes = model.group_nodes(0, g).unwrap();
                        nodes.iter().all(|n| (model.parts[0].mesh.points[*n as usize][axis] - at).abs() < 1e-12)
                    };
                    sides.iter().find(on).unwrap().to_string()
                };
                let (top, bottom) = (side(&model, 2, 1.0), side(&model, 2, 0.0));
                for k in 0..3 {
                    hold(&mut model, 0, &top, k, if k == 2 { "-0.02 * t" } else { "0" });
                }
                if quarter {
                    for k in 0..2 {
                        let face = side(&model, k, 0.0);
                        hold(&mut model, 0, &face, k as u32, "0");
                    }
                }
                touch(&mut model, &bottom, None, Collocation::Nodes, friction);
                let name = format!("{kind:?} {friction} {quarter}");
                run(model, statics(0.5), 1.0, &name).report().force
            };
            let (whole, quarter) = (force(false), force(true));
            // Tetrahedra are not symmetric themselves.
            let slack = if kind == CellKind::Hex8 { 1e-6 } else { 0.05 };
            assert!((quarter[2] / (0.25 * whole[2]) - 1.0).abs() < slack, "{kind:?} {friction}: {whole:?} {quarter:?}");
        }
    }
}

/// Stabilised and augmented Lagrangians give the solution of plain multipliers; perturbed and penalised ones
/// approach it as their compliance falls, by its first power.
#[test]
fn formalisms_agree_with_friction() {
    let force = |formalism: Formalism| {
        let mut model = block(CellKind::Quad4, 4, 0.3, ["0.004 * max(t - 1, 0)", "-0.01 * min(t, 1)"]);
        touch(&mut model, "bottom", None, Collocation::Nodes, 0.3);
        let contact = ContactSettings { formalism, ..Default::default() };
        run(model, Settings { contact, ..statics(0.25) }, 2.0, &format!("{formalism:?}")).report().force
    };
    let exact = force(Formalism::Lagrange);
    let away = |f: [f64; 3]| ((f[0] - exact[0]).powi(2) + (f[1] - exact[1]).powi(2)).sqrt() / exact[1];
    for formalism in [
        Formalism::Stabilised { normal: 1e10, tangential: 1e2 },
        Formalism::Augmented { normal: 1e10, tangential: 1e2 },
    ] {
        assert!(away(force(formalism)) < 1e-7, "{formalism:?}");
    }
    let soft: [&dyn Fn(f64) -> Formalism; 2] =
        [&|e| Formalism::Perturbed { compliance: e }, &|e| Formalism::Penalty { normal: 1.0 / e, tangential: 1.0 / e }];
    for formalism in soft {
        let errors = [1e-11, 1e-12, 1e-13].map(|e| away(force(formalism(e))));
        assert!(errors[2] < 1e-3, "{errors:?}");
        for pair in errors.windows(2) {
            let ratio = pair[0] / pair[1];
            assert!(ratio > 5.0 && ratio < 20.0, "{errors:?}");
        }
    }
}

/// A block thrown along a floor slides in each contact and each step: its momentum follows Δp_x = −μ Δp_y,
/// whatever the scheme.
#[test]
fn a_sliding_block_loses_momentum_by_the_cone_in_every_scheme() {
    for scheme in [
        Scheme::Theta { theta: 1.0 },
        Scheme::Theta { theta: 0.5 },
        Scheme::MoreauJean { theta: 0.5 },
        Scheme::Newmark { beta: 0.25, gamma: 0.5 },
        Scheme::Newmark { beta: 0.4, gamma: 0.7 },
        Scheme::Hht { alpha: -0.1 },
    ] {
        let mut model = Model::new(2);
        let mesh = Rectangle::new([0.0, 1e-3], [0.1, 0.051], [6, 3], CellKind::Quad4).mesh().unwrap();
        let mut spec = part(mesh, 1e7, 0.3, PLANE);
        spec.velocity = [20.0, -1.0, 0.0];
        model.add(spec).unwrap();
        touch(&mut model, "bottom", None, Collocation::Gauss { points: 2 }, 0.2);
        let settings = Settings { step: Some(1e-4), scheme, ..Settings::default() };
        let mut analysis = Analysis::new(model, settings).unwrap();
        let start = analysis.report().linear;
        for _ in 0..60 {
            let report = analysis.step().unwrap_or_else(|e| panic!("{scheme:?}: {e}"));
            assert!(!report.flagged && report.residual <= 1e-9, "{scheme:?}: {}", report.residual);
        }
        let end = analysis.report().linear;
        let (lost, gained) = (end[0] - start[0], end[1] - start[1]);
        assert!(gained > 0.0 && (lost + 0.2 * gained).abs() < 1e-7 * gained, "{scheme:?}: {lost} {gained}");
    }
}
