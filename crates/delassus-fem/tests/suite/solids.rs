//! Forces are derivatives of energies, tangents of forces; rigid motions; masses; viscosity;
//! errors
//!
//! References: central differences of fourth order; invariance; closed forms of totals.

use crate::solids_support::*;
use delassus_fem::element;
use delassus_fem::material::{Kinematics, Material};
use delassus_fem::mesh::{Block, CellKind, Mesh};
use delassus_fem::solid::{Hypothesis, Locking, Motion, Pressure, Solid, SolidError, SolidSpec};
use nalgebra::DVector;
use rand::{Rng, SeedableRng, rngs::StdRng};

/// Every combination that is accepted.
fn combinations() -> Vec<(CellKind, SolidSpec)> {
    let mut list = Vec::new();
    for kind in ALL {
        for hypothesis in hypotheses(kind) {
            for kinematics in [Kinematics::Small, Kinematics::Finite] {
                let remedy = if kinematics == Kinematics::Small { Locking::Bbar } else { Locking::Fbar };
                for material in materials(kinematics) {
                    for locking in [Locking::None, remedy] {
                        let spec = SolidSpec::new(material.clone(), 2.0, kinematics, hypothesis).with_locking(locking);
                        if spec.validate().is_ok() {
                            list.push((kind, spec));
                        }
                    }
                }
            }
        }
    }
    list
}

fn random(n: usize, size: f64, rng: &mut StdRng) -> Vec<f64> {
    (0..n).map(|_| size * rng.random_range(-1.0..1.0)).collect()
}

/// Derivative at 0 of `g` by differences of fourth order.
fn derivative<T>(g: impl Fn(f64) -> T, h: f64) -> T
where
    T: std::ops::Sub<Output = T> + std::ops::Mul<f64, Output = T>,
{
    (g(h) - g(-h)) * (8.0 / (12.0 * h)) - (g(2.0 * h) - g(-2.0 * h)) * (1.0 / (12.0 * h))
}

fn add(u: &[f64], d: &[f64], t: f64) -> Vec<f64> {
    u.iter().zip(d).map(|(u, d)| u + t * d).collect()
}

/// One cell, distorted, displaced at random twice so that plastic materials flow, along
/// another path the second time. Differences of step 1e-6 (small, not to straddle the onset of
/// yield) have no truncation left and `1e-16/1e-6 = 1e-10` of rounding, on energies and forces
/// of order 1.
#[test]
fn forces_derive_from_energies_and_tangents_from_forces() {
    let mut rng = StdRng::seed_from_u64(1);
    for (kind, spec) in combinations() {
        let mesh = grid(kind, 1, &distort);
        let solid = Solid::new(&mesh, &cells(&mesh), spec.clone()).expect("valid");
        let n = mesh.dim * mesh.points.len();
        let first = random(n, 0.08, &mut rng);
        let at = |u: &[f64], history: &[f64], tangent| assemble(&solid, Motion { u, v: &[] }, history, tangent);
        let history = at(&first, &solid.initial_history(), None).history;
        let u = add(&first, &random(n, 0.04, &mut rng), 1.0);
        let here = at(&u, &history, Some([1.0, 0.0]));
        let name = format!("{kind:?} {spec:?}");
        if spec.material.is_plastic() {
            assert!(here.energies.plastic > at(&first, &history, None).energies.plastic, "{name}: must flow");
        }
        for _ in 0..3 {
            let d = random(n, 1.0, &mut rng);
            let energy = |t: f64| {
                let e = at(&add(&u, &d, t), &history, None).energies;
                e.strain + e.plastic
            };
            let slope = derivative(energy, 1e-6);
            let power = here.force.dot(&DVector::from_column_slice(&d));
            assert!((slope - power).abs() < 1e-7 * here.force.norm(), "{name}: {slope} {power}");
            let change = derivative(|t| at(&add(&u, &d, t), &history, None).force, 1e-6);
            let predicted = &here.matrix * DVector::from_column_slice(&d);
            let error = (&change - &predicted).norm();
            assert!(error < 1e-6 * predicted.norm(), "{name}: {error:e} of {:e}", predicted.norm());
        }
        assert!((&here.matrix - here.matrix.transpose()).amax() <= 1e-12 * here.matrix.amax(), "{name}: symmetric");
    }
}

/// With viscosity, `c₀ ∂f/∂u + c₁ ∂f/∂v`; its power is the declared one and not negative.
#[test]
fn viscous_tangents_and_power() {
    let mut rng = StdRng::seed_from_u64(2);
    for (kind, spec) in combinations() {
        let spec = SolidSpec { kelvin_voigt: 0.3, ..spec };
        let mesh = grid(kind, 1, &distort);
        let solid = Solid::new(&mesh, &cells(&mesh), spec.clone()).expect("valid");
        let n = mesh.dim * mesh.points.len();
        let (u, v) = (random(n, 0.05, &mut rng), random(n, 0.2, &mut rng));
        let history = solid.initial_history();
        let at = |u: &[f64], v: &[f64], tangent| assemble(&solid, Motion { u, v }, &history, tangent);
        let coefficients = [0.7, 1.9];
        let here = at(&u, &v, Some(coefficients));
        let still = at(&u, &vec![0.0; n], None);
        let name = format!("{kind:?} {spec:?}");
        let power = (&here.force - &still.force).dot(&DVector::from_column_slice(&v));
        assert!(power > 0.0 && (power - here.energies.viscous_power).abs() < 1e-12 * power, "{name}");
        assert_eq!(still.energies.viscous_power, 0.0);
        let d = random(n, 1.0, &mut rng);
        let change =
            derivative(|t| at(&add(&u, &d, coefficients[0] * t), &add(&v, &d, coefficients[1] * t), None).force, 1e-6);
        let predicted = &here.matrix * DVector::from_column_slice(&d);
        assert!((&change - &predicted).norm() < 1e-6 * predicted.norm(), "{name}");
    }
}

/// `Q` about an axis through the origin.
fn turned(mesh: &Mesh, angle: f64, u: &[f64]) -> Vec<f64> {
    let (s, c) = angle.sin_cos();
    let dim = mesh.dim;
    let mut out = Vec::new();
    for (i, x) in mesh.points.iter().enumerate() {
        let p: Vec<f64> = (0..dim).map(|k| x[k] + u[dim * i + k]).collect();
        out.push(c * p[0] - s * p[1] - x[0]);
        out.push(s * p[0] + c * p[1] - x[1]);
        if dim == 3 {
            out.push(p[2] - x[2]);
        }
    }
    out
}

/// A quarter turn leaves no stress in finite strain (rounding: modulus × 1e-16 × size), and a
/// deformed solid feels the same forces, turned, whatever its internal variables.
#[test]
fn rotations_are_not_felt() {
    let mut rng = StdRng::seed_from_u64(3);
    for (kind, spec) in combinations() {
        if spec.kinematics == Kinematics::Small || spec.hypothesis == Hypothesis::Axisymmetric {
            continue;
        }
        let mesh = grid(kind, 1, &distort);
        let solid = Solid::new(&mesh, &cells(&mesh), spec.clone()).expect("valid");
        let (dim, n) = (mesh.dim, mesh.dim * mesh.points.len());
        let quarter = turned(&mesh, std::f64::consts::FRAC_PI_2, &vec![0.0; n]);
        let rest = assemble(&solid, Motion { u: &quarter, v: &[] }, &solid.initial_history(), None);
        assert!(rest.force.amax() < 1e-12, "{kind:?} {spec:?}: {}", rest.force.amax());
        let u = random(n, 0.08, &mut rng);
        let plain = assemble(&solid, Motion { u: &u, v: &[] }, &solid.initial_history(), None);
        let spun = turned(&mesh, 0.7, &u);
        let other = assemble(&solid, Motion { u: &spun, v: &[] }, &solid.initial_history(), None);
        let (s, c) = 0.7_f64.sin_cos();
        for i in 0..mesh.points.len() {
            let (x, y) = (plain.force[dim * i], plain.force[dim * i + 1]);
            assert!((other.force[dim * i] - (c * x - s * y)).abs() < 1e-11, "{kind:?} {spec:?}");
            assert!((other.force[dim * i + 1] - (s * x + c * y)).abs() < 1e-11, "{kind:?} {spec:?}");
        }
        for (a, b) in plain.history.iter().zip(&other.history) {
            assert!((a - b).abs() < 1e-12);
        }
    }
}

/// The tangent at rest has exactly the rigid modes: 3 in the plane, 6 in space, 1 (along the
/// axis) in revolution solids: neither hourglass nor spurious stiffness. A single quadratic cell
/// with a mean dilatation also has its conformal modes (3 in space, 1 along the axis).
#[test]
fn one_cell_has_only_rigid_modes() {
    for (kind, spec) in combinations() {
        let mesh = grid(kind, 1, &distort);
        let solid = Solid::new(&mesh, &cells(&mesh)[..1], spec.clone()).expect("valid");
        let n = mesh.dim * mesh.points.len();
        let rest = vec![0.0; n];
        let a = assemble(&solid, Motion { u: &rest, v: &[] }, &solid.initial_history(), Some([1.0, 0.0]));
        let alone = n - mesh.dim * element::nodes(kind);
        let eigenvalues = a.matrix.symmetric_eigenvalues();
        let top = eigenvalues.max();
        let zeros = eigenvalues.iter().filter(|x| x.abs() < 1e-12 * top).count() - alone;
        let conformal = usize::from(element::corner_kind(kind) != kind && spec.locking != Locking::None);
        let expected = match spec.hypothesis {
            Hypothesis::Space => 6 + 3 * conformal,
            Hypothesis::Axisymmetric => 1 + conformal,
            _ => 3,
        };
        assert_eq!(zeros, expected, "{kind:?} {spec:?}");
        assert!(eigenvalues.min() > -1e-12 * top);
    }
}

/// Several quadratic cells with a mean dilatation have the rigid modes only.
#[test]
fn conformal_modes_stop_at_the_neighbour() {
    for (kind, hypothesis, rigid) in [
        (CellKind::Tet10, Hypothesis::Space, 6),
        (CellKind::Tri6, Hypothesis::Axisymmetric, 1),
        (CellKind::Quad8, Hypothesis::Axisymmetric, 1),
    ] {
        let mesh = grid(kind, 2, &distort);
        let spec = SolidSpec::new(j2(0.0), 1.0, Kinematics::Small, hypothesis);
        let solid = Solid::new(&mesh, &cells(&mesh), spec).expect("valid");
        let u = vec![0.0; mesh.dim * mesh.points.len()];
        let k = assemble(&solid, Motion { u: &u, v: &[] }, &solid.initial_history(), Some([1.0, 0.0])).matrix;
        let eigenvalues = k.symmetric_eigenvalues();
        let top = eigenvalues.max();
        assert_eq!(eigenvalues.iter().filter(|x| x.abs() < 1e-6 * top).count(), rigid, "{kind:?}");
    }
}

/// Totals: ρ × volume of the distorted block, whose closed form is taken from the boundary
/// (divergence theorem): consistent and lumped agree, lumped masses are positive.
#[test]
fn masses_add_up() {
    for kind in ALL {
        for hypothesis in hypotheses(kind) {
            // The unit square or cube, sheared: volume 1, centre of mass at x = 1.25.
            let mesh = grid(kind, 2, &|x| [1.0 + x[0] + 0.5 * (x[1] - 0.5), x[1], x[2] + 0.2 * x[0]]);
            let spec =
                SolidSpec::new(Material::Elastic { young: 1.0, poisson: 0.0 }, 3.0, Kinematics::Small, hypothesis);
            let solid = Solid::new(&mesh, &cells(&mesh), spec).expect("valid");
            let volume = match hypothesis {
                Hypothesis::Axisymmetric => std::f64::consts::TAU * 1.5,
                Hypothesis::Space => 1.0,
                _ => 0.7,
            };
            let (mut consistent, mut lumped, mut least) = (0.0, 0.0, f64::INFINITY);
            solid.mass(0..solid.cells(), false, &mut |_, _, m| consistent += m.iter().sum::<f64>()).expect("in range");
            solid
                .mass(0..solid.cells(), true, &mut |_, d, _| {
                    lumped += d.iter().sum::<f64>();
                    least = d.iter().fold(least, |a, b| a.min(*b));
                })
                .expect("in range");
            let exact = 3.0 * volume * mesh.dim as f64;
            assert!((consistent - exact).abs() < 1e-13 * exact, "{kind:?} {hypothesis:?}: {consistent} {exact}");
            assert!((lumped - exact).abs() < 1e-13 * exact, "{kind:?} {hypothesis:?}");
            assert!(least > 0.0);
            let mut weight = 0.0;
            let mut sink = |_: usize, f: &[f64], _: &[f64]| weight += f.iter().sum::<f64>();
            solid.volume_load(0..solid.cells(), &mut |_| [0.0, -9.81 * 3.0, 0.0], &mut sink).expect("in range");
            assert!((weight + 9.81 * 3.0 * volume).abs() < 1e-12 * 9.81 * exact);
        }
    }
}

/// The critical step is a lower bound of `2/ω_max` of the assembled mesh, and within a factor
/// two of it on a uniform one; for a bar of Quad4 with ν = 0 it tends to `h/c`.
#[test]
fn critical_step_bounds_the_assembled_spectrum() {
    for kind in ALL {
        let mesh = grid(kind, 2, &distort);
        let hypothesis = hypotheses(kind)[0];
        let spec = SolidSpec::new(Material::Elastic { young: 100.0, poisson: 0.3 }, 2.0, Kinematics::Small, hypothesis);
        let solid = Solid::new(&mesh, &cells(&mesh), spec).expect("valid");
        let n = mesh.dim * mesh.points.len();
        let k = assemble(&solid, Motion { u: &vec![0.0; n], v: &[] }, &[], Some([1.0, 0.0])).matrix;
        let mut m = vec![0.0; n];
        solid
            .mass(0..solid.cells(), true, &mut |cell, d, _| {
                for (a, &node) in solid.connectivity(cell).iter().enumerate() {
                    for i in 0..mesh.dim {
                        m[mesh.dim * node as usize + i] += d[mesh.dim * a + i];
                    }
                }
            })
            .expect("in range");
        let scaled = nalgebra::DMatrix::from_fn(n, n, |i, j| k[(i, j)] / (m[i] * m[j]).sqrt());
        let exact = 2.0 / scaled.symmetric_eigenvalues().max().sqrt();
        let (step, cell) = solid.critical_step(&vec![0.0; n]).expect("at rest");
        assert!(cell < solid.cells());
        assert!(step <= exact * (1.0 + 1e-12) && step > 0.5 * exact, "{kind:?}: {step} {exact}");
    }
    let mesh = grid(CellKind::Quad4, 4, &|x| x);
    let hypothesis = Hypothesis::PlaneStrain { thickness: 1.0 };
    let spec = SolidSpec::new(Material::Elastic { young: 4.0, poisson: 0.0 }, 1.0, Kinematics::Small, hypothesis);
    let solid = Solid::new(&mesh, &cells(&mesh), spec).expect("valid");
    // Q4 square, ν = 0: λ_max(m⁻¹k) = 4c²/h² is the plane wave along a side; the two-dimensional
    // mode (both sides) is not stiffer with E/2 in shear.
    let (step, _) = solid.critical_step(&vec![0.0; 50]).expect("at rest");
    assert!(step <= 0.25 / 2.0 * (1.0 + 1e-12) && step > 0.7 * 0.25 / 2.0, "{step}");
}

/// A follower pressure's tangent is the derivative of its forces; on a closed surface it does
/// no work in a rigid motion.
#[test]
fn follower_pressure() {
    let mut rng = StdRng::seed_from_u64(4);
    for kind in ALL {
        for hypothesis in hypotheses(kind) {
            let mesh = grid(kind, 1, &distort);
            let spec =
                SolidSpec::new(Material::NeoHookean { young: 1.0, poisson: 0.3 }, 1.0, Kinematics::Finite, hypothesis);
            let solid = Solid::new(&mesh, &cells(&mesh), spec).expect("valid");
            let facets = solid.facets(&mesh, &refs(&mesh, 1)).expect("boundary");
            let (dim, n) = (mesh.dim, mesh.dim * mesh.points.len());
            let load = |u: &[f64], tangent: bool| {
                let mut f: DVector<f64> = DVector::zeros(n);
                let mut k: nalgebra::DMatrix<f64> = nalgebra::DMatrix::zeros(n, n);
                let mut sink = |facet: usize, fe: &[f64], ke: &[f64]| {
                    let nodes = facets.connectivity(facet);
                    let dofs: Vec<usize> =
                        nodes.iter().flat_map(|&a| (0..dim).map(move |i| dim * a as usize + i)).collect();
                    for (r, &i) in dofs.iter().enumerate() {
                        f[i] += fe[r];
                        for (c, &j) in dofs.iter().enumerate().take(if tangent { n } else { 0 }) {
                            k[(i, j)] += ke[r * dofs.len() + c];
                        }
                    }
                };
                let pressure = Pressure { value: 3.0, follows: Some(u) };
                facets.pressure(0..facets.len(), pressure, tangent, &mut sink).expect("finite");
                (f, k)
            };
            let (u, d) = (random(n, 0.05, &mut rng), random(n, 1.0, &mut rng));
            let (f, k) = load(&u, true);
            let change = derivative(|t| load(&add(&u, &d, t), false).0, 1e-3);
            let predicted = k * DVector::from_column_slice(&d);
            assert!((&change - &predicted).norm() < 1e-10 * predicted.norm(), "{kind:?} {hypothesis:?}");
            if hypothesis != Hypothesis::Axisymmetric {
                for axis in 0..dim {
                    let total: f64 = (0..mesh.points.len()).map(|i| f[dim * i + axis]).sum();
                    assert!(total.abs() < 1e-13 * f.norm(), "{kind:?}: a closed surface");
                }
            }
        }
    }
}

/// What cannot be is refused by name.
#[test]
fn errors_name_their_cause() {
    let mesh = grid(CellKind::Quad4, 2, &distort);
    let elastic = Material::Elastic { young: 1.0, poisson: 0.3 };
    let plane = Hypothesis::PlaneStrain { thickness: 1.0 };
    let spec = |m: &Material, k| SolidSpec::new(m.clone(), 1.0, k, plane);
    let refused = |mesh: &Mesh, spec| Solid::new(mesh, &cells(mesh), spec).expect_err("refused").to_string();
    assert!(refused(&mesh, spec(&elastic, Kinematics::Finite)).contains("StVenantKirchhoff"));
    let soft = Material::Elastic { young: f64::NAN, poisson: 0.3 };
    assert!(refused(&mesh, spec(&soft, Kinematics::Small)).contains("young"));
    let liquid = Material::Elastic { young: 1.0, poisson: 0.5 };
    assert!(refused(&mesh, spec(&liquid, Kinematics::Small)).contains("poisson = 0.5"));
    let fbar = spec(&elastic, Kinematics::Small).with_locking(Locking::Fbar);
    assert!(refused(&mesh, fbar).contains("Bbar"));
    let cube = SolidSpec::new(elastic.clone(), 1.0, Kinematics::Small, Hypothesis::Space);
    assert!(refused(&mesh, cube).contains("dimension 3"));

    let mut wrong = mesh.clone();
    wrong.blocks[0].nodes[4..8].reverse();
    match Solid::new(&wrong, &cells(&wrong), spec(&elastic, Kinematics::Small)) {
        Err(SolidError::Inverted { cell: 1, kind: CellKind::Quad4, nodes, .. }) => {
            assert_eq!(nodes, wrong.blocks[0].nodes[4..8]);
        }
        other => panic!("{other:?}"),
    }
    let mut holed = mesh.clone();
    holed.blocks[0] = Block { kind: CellKind::Quad4, nodes: vec![0, 1, 2, 99] };
    assert!(refused(&holed, spec(&elastic, Kinematics::Small)).contains("node 99"));

    let rubber = Material::NeoHookean { young: 1.0, poisson: 0.3 };
    let solid = Solid::new(&mesh, &cells(&mesh), spec(&rubber, Kinematics::Finite)).expect("valid");
    let evaluate = |u: &[f64]| solid.evaluate(0..4, Motion { u, v: &[] }, &[], &mut [], None, &mut |_, _, _| {});
    let flipped = interpolate(&mesh, &|x| [-2.0 * x[0], 0.0, 0.0]);
    assert!(matches!(evaluate(&flipped), Err(SolidError::NegativeJacobian { cell: 0, .. })));
    assert!(matches!(evaluate(&[0.0; 3]), Err(SolidError::Length { .. })));
    let mut lost = vec![0.0; 18];
    lost[17] = f64::NAN;
    assert!(matches!(evaluate(&lost), Err(SolidError::NonFinite { cell: 3 })));
    let range = solid.evaluate(0..9, Motion { u: &[0.0; 18], v: &[] }, &[], &mut [], None, &mut |_, _, _| {});
    assert!(matches!(range, Err(SolidError::Range { end: 9, count: 4, .. })));
}

/// A range gives what the whole gives, bit for bit: sweeps may be cut anywhere.
#[test]
fn ranges_do_not_change_results() {
    let mesh = grid(CellKind::Hex8, 2, &distort);
    let spec = SolidSpec::new(j2(5.0), 1.0, Kinematics::Finite, Hypothesis::Space);
    let solid = Solid::new(&mesh, &cells(&mesh), spec).expect("valid");
    let mut rng = StdRng::seed_from_u64(5);
    let u = random(3 * mesh.points.len(), 0.03, &mut rng);
    let history = solid.initial_history();
    let collect = |cuts: &[usize]| {
        let (mut values, mut histories) = (Vec::new(), Vec::new());
        for w in cuts.windows(2) {
            let mut new = vec![0.0; solid.history_range(w[0]..w[1]).len()];
            let mut sink = |_: usize, f: &[f64], k: &[f64]| values.extend(f.iter().chain(k).copied());
            let motion = Motion { u: &u, v: &[] };
            solid.evaluate(w[0]..w[1], motion, &history, &mut new, Some([1.0, 0.0]), &mut sink).expect("possible");
            histories.extend(new);
        }
        (values, histories)
    };
    assert_eq!(collect(&[0, 8]), collect(&[0, 1, 4, 8]));
}
