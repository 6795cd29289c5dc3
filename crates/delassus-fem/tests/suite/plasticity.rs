//! Plasticity against closed forms: uniaxial cycles, thick cylinder, logarithmic traction

use crate::solids_support::*;
use delassus_fem::material::{Hardening, J2, Kinematics, Material};
use delassus_fem::mesh::CellKind;
use delassus_fem::solid::{CellFields, Hypothesis, Locking, Pressure, Solid, SolidSpec};
use nalgebra::DVector;
use std::collections::BTreeMap;

/// A unit block pulled along x, free across: imposed displacements for an elongation, and the
/// stress `P = reaction / area`.
struct Bar {
    solid: Solid,
    u: Vec<f64>,
    history: Vec<f64>,
    area: f64,
    mesh: delassus_fem::mesh::Mesh,
}

impl Bar {
    fn new(kind: CellKind, hypothesis: Hypothesis, material: Material, kinematics: Kinematics) -> Self {
        let mesh = grid(kind, if SPACE.contains(&kind) { 1 } else { 2 }, &|x| x);
        let spec = SolidSpec::new(material, 1.0, kinematics, hypothesis);
        let solid = Solid::new(&mesh, &cells(&mesh), spec).expect("valid");
        let area = match hypothesis {
            Hypothesis::PlaneStress { thickness } => thickness,
            Hypothesis::Axisymmetric => std::f64::consts::PI,
            _ => 1.0,
        };
        Self { u: vec![0.0; mesh.dim * mesh.points.len()], history: solid.initial_history(), solid, area, mesh }
    }

    /// The axis of traction: y in revolution solids.
    fn axis(&self) -> usize {
        usize::from(self.solid.spec().hypothesis == Hypothesis::Axisymmetric)
    }

    /// Comes near the elongation `e` by steps that Newton's method can take.
    fn approach(&mut self, e: f64) {
        let axis = self.axis();
        let far = self.mesh.points.iter().position(|x| x[axis] == 1.0).expect("there");
        let start = self.u[self.mesh.dim * far + axis];
        for i in 1..10 {
            self.pull(start + (e - start) * f64::from(i) / 10.0);
        }
    }

    /// Brings the elongation to `e`; returns the nominal stress and Newton's residuals.
    fn pull(&mut self, e: f64) -> (f64, Vec<f64>) {
        let (dim, axis) = (self.mesh.dim, self.axis());
        let mut imposed = BTreeMap::new();
        for (i, x) in self.mesh.points.iter().enumerate() {
            // Symmetry planes through the origin; the far face moves.
            for k in 0..dim {
                if x[k] == 0.0 {
                    imposed.insert(dim * i + k, 0.0);
                }
            }
            if x[axis] == 1.0 {
                imposed.insert(dim * i + axis, e);
            }
        }
        let load = DVector::zeros(self.u.len());
        let (end, norms) = equilibrium(&self.solid, &mut self.u, &self.history, &imposed, &load);
        self.history = end.history;
        let far = self.mesh.points.iter().enumerate().filter(|(_, x)| x[axis] == 1.0);
        (far.map(|(i, _)| end.force[dim * i + axis]).sum::<f64>() / self.area, norms)
    }
}

/// The hypotheses in which a uniaxial stress is possible.
fn bars() -> Vec<(CellKind, Hypothesis)> {
    let mut list: Vec<_> = SPACE.iter().map(|&k| (k, Hypothesis::Space)).collect();
    for kind in PLANE {
        list.push((kind, Hypothesis::PlaneStress { thickness: 0.4 }));
        list.push((kind, Hypothesis::Axisymmetric));
    }
    list
}

const YOUNG: f64 = 200.0;
const YIELD: f64 = 0.5;

fn steel(isotropic: f64, kinematic: f64) -> Material {
    let isotropic = Hardening::Linear { modulus: isotropic };
    Material::J2(J2 { young: YOUNG, poisson: 0.3, yield_stress: YIELD, isotropic, kinematic })
}

/// Loading along `E Eₜ`, elastic unloading, and yield in compression where the isotropic and the
/// kinematic share say: at `σ − 2 σ_y(α)` with `σ_y` the isotropic part only. Closed form.
#[test]
fn uniaxial_cycle_with_both_hardenings() {
    let (iso, kin) = (8.0, 12.0);
    let tangent = YOUNG * (iso + kin) / (YOUNG + iso + kin);
    let first = YIELD / YOUNG;
    for (kind, hypothesis) in bars() {
        let mut bar = Bar::new(kind, hypothesis, steel(iso, kin), Kinematics::Small);
        let top = 0.02;
        let mut loaded = 0.0;
        // The path is proportional: steps of any size give the exact result.
        for e in [0.5 * first, 0.005, top] {
            bar.approach(e);
            loaded = bar.pull(e).0;
            let exact = if e < first { YOUNG * e } else { YIELD + tangent * (e - first) };
            assert!((loaded - exact).abs() < 1e-10, "{kind:?} {hypothesis:?} {e}: {loaded} {exact}");
        }
        let alpha = top - loaded / YOUNG;
        let size = YIELD + iso * alpha;
        let back = loaded - 2.0 * size;
        let just_before = top - (2.0 * size - 1e-3) / YOUNG;
        let s = bar.pull(just_before).0;
        assert!((s - (loaded - YOUNG * (top - just_before))).abs() < 1e-10, "{kind:?}: elastic unloading");
        let e = just_before - 0.004;
        let yielded = top - 2.0 * size / YOUNG;
        let s = bar.pull(e).0;
        let exact = back + tangent * (e - yielded);
        assert!((s - exact).abs() < 1e-10, "{kind:?} {hypothesis:?}: Bauschinger {s} {exact}");
        let mut fields = CellFields::default();
        bar.solid.fields(&bar.u, &bar.history, &mut fields).expect("finite");
        let plastic = alpha + (yielded - e) * tangent / (iso + kin);
        assert!((fields.plastic_strain[0] - plastic).abs() < 1e-10, "accumulated");
    }
}

/// A table of hardening is followed exactly, across several of its points in one step.
#[test]
fn tabulated_hardening_is_exact() {
    let table = vec![(0.002, 0.6), (0.01, 0.8), (0.03, 0.9)];
    let isotropic = Hardening::Table(table);
    let material = Material::J2(J2 { young: YOUNG, poisson: 0.3, yield_stress: YIELD, isotropic, kinematic: 0.0 });
    for (alpha, sigma) in [(0.001, 0.55), (0.006, 0.7), (0.02, 0.85), (0.2, 0.9)] {
        let mut bar = Bar::new(CellKind::Hex8, Hypothesis::Space, material.clone(), Kinematics::Small);
        let s = bar.pull(alpha + sigma / YOUNG).0;
        assert!((s - sigma).abs() < 1e-10, "{alpha}: {s} {sigma}");
    }
}

/// `from_tangent` gives the bilinear curve whose slope after yield is the tangent modulus.
#[test]
fn bilinear_curve_from_its_tangent() {
    let (young, yields, tangent) = (117e9, 400e6, 100e6);
    let isotropic = Hardening::from_tangent(young, tangent).expect("below Young's modulus");
    let material = Material::J2(J2 { young, poisson: 0.35, yield_stress: yields, isotropic, kinematic: 0.0 });
    let mut bar = Bar::new(CellKind::Hex8, Hypothesis::Space, material, Kinematics::Small);
    for e in [0.01, 0.3] {
        let s = bar.pull(e).0;
        let exact = yields + tangent * (e - yields / young);
        assert!((s - exact).abs() < 1e-9 * exact, "{s} {exact}");
    }
}

/// Finite traction: Hencky's law gives `τ = E ln λᵉ`, flow `τ = σ_y + H α`, so that
/// `τ = σ_y + Eₜ(ln λ − σ_y/E)` and the nominal stress is `τ/λ`. The elongation is 50 %, in few
/// steps: the principal axes do not turn, hence no error of integration. Then back: Bauschinger.
#[test]
fn finite_traction_is_logarithmic() {
    for (kind, hypothesis) in bars() {
        for (iso, kin) in [(8.0, 0.0), (5.0, 12.0)] {
            let tangent = YOUNG * (iso + kin) / (YOUNG + iso + kin);
            let mut bar = Bar::new(kind, hypothesis, steel(iso, kin), Kinematics::Finite);
            let mut tau = 0.0;
            for e in [0.001, 0.05, 0.2, 0.5] {
                bar.approach(e);
                let (p, norms) = bar.pull(e);
                let log = f64::ln_1p(e);
                tau = if log < YIELD / YOUNG { YOUNG * log } else { YIELD + tangent * (log - YIELD / YOUNG) };
                let exact = tau / (1.0 + e);
                assert!((p - exact).abs() < 1e-9 * exact, "{kind:?} {hypothesis:?} {e}: {p} {exact} {norms:?}");
            }
            let alpha = 1.5_f64.ln() - tau / YOUNG;
            let size = YIELD + iso * alpha;
            let yielded = 1.5_f64.ln() - 2.0 * size / YOUNG;
            let e = f64::exp(yielded - 0.01) - 1.0;
            let p = bar.pull(e).0;
            let exact = (tau - 2.0 * size - tangent * 0.01) / (1.0 + e);
            assert!((p - exact).abs() < 1e-9 * exact.abs(), "{kind:?} {hypothesis:?}: back {p} {exact}");
        }
    }
}

/// Newton is quadratic on plastic steps: tangents are consistent.
#[test]
fn newton_is_quadratic_in_plasticity() {
    for kinematics in [Kinematics::Small, Kinematics::Finite] {
        let mut bar = Bar::new(CellKind::Hex8, Hypothesis::Space, steel(8.0, 3.0), kinematics);
        bar.pull(0.004);
        let (_, norms) = bar.pull(0.05);
        // From 1e-2 on, each residual is below the square of the last times a constant of the problem.
        let tail: Vec<f64> = norms.iter().copied().filter(|&r| r < 1e-2 && r > 1e-13).collect();
        for w in tail.windows(2) {
            assert!(w[1] < 100.0 * w[0] * w[0] + 1e-12, "{kinematics:?} {norms:?}");
        }
        assert!(norms.len() <= 9, "{norms:?}");
    }
}

/// A ring of inner radius 1 and outer radius 2 in revolution, `n` cells across, no axial strain.
fn ring(kind: CellKind, n: usize, spec: SolidSpec) -> (delassus_fem::mesh::Mesh, Solid) {
    let height = 1.0 / n as f64;
    let mesh = grid_of(kind, [n, 1, 1], &|x| [1.0 + x[0], height * x[1], 0.0]);
    let solid = Solid::new(&mesh, &cells(&mesh), spec).expect("valid");
    (mesh, solid)
}

/// Radial displacements under inner pressure; plane strain along the axis.
fn inflate(mesh: &delassus_fem::mesh::Mesh, solid: &Solid, pressure: f64, u: &mut [f64], history: &[f64]) -> Vec<f64> {
    let mut load = DVector::zeros(u.len());
    let inner: Vec<_> = refs(mesh, 1)
        .into_iter()
        .filter(|f| {
            let n = delassus_fem::element::nodes(mesh.blocks[1].kind);
            let nodes = &mesh.blocks[1].nodes[n * f.index as usize..][..n];
            nodes.iter().all(|&a| mesh.points[a as usize][0] < 1.0 + 1e-12)
        })
        .collect();
    let facets = solid.facets(mesh, &inner).expect("on the boundary");
    let mut sink = |facet: usize, f: &[f64], _: &[f64]| {
        for (a, &node) in facets.connectivity(facet).iter().enumerate() {
            load[2 * node as usize] += f[2 * a];
        }
    };
    facets.pressure(0..facets.len(), Pressure { value: pressure, follows: None }, false, &mut sink).expect("finite");
    let imposed: BTreeMap<usize, f64> = (0..mesh.points.len()).map(|i| (2 * i + 1, 0.0)).collect();
    equilibrium(solid, u, history, &imposed, &load).0.history
}

/// Thick cylinder, perfectly plastic, incompressible [Hill50]: the plastic radius c satisfies
/// `p = (2/√3) σ_y (ln(c/a) + ½(1 − c²/b²))`, and the outer displacement is
/// `σ_y c²/(2√3 G b)`. Error of second order in h: 1 % with 16 cells.
#[test]
fn thick_cylinder_of_hill() {
    let (young, yields) = (200.0, 0.3);
    let poisson = 0.4999;
    let perfect = Hardening::Linear { modulus: 0.0 };
    let material = Material::J2(J2 { young, poisson, yield_stress: yields, isotropic: perfect, kinematic: 0.0 });
    let shear = young / (2.0 * (1.0 + poisson));
    let mut errors = Vec::new();
    for n in [8, 16, 32] {
        let spec = SolidSpec::new(material.clone(), 1.0, Kinematics::Small, Hypothesis::Axisymmetric);
        let (mesh, solid) = ring(CellKind::Quad4, n, spec);
        let mut u = vec![0.0; 2 * mesh.points.len()];
        let mut history = solid.initial_history();
        let pressure = |c: f64| 2.0 / 3.0_f64.sqrt() * yields * (c.ln() + 0.5 * (1.0 - c * c / 4.0));
        for c in [1.0, 1.2, 1.4, 1.6] {
            history = inflate(&mesh, &solid, pressure(c), &mut u, &history);
        }
        let outer = mesh.points.iter().position(|x| x[0] > 2.0 - 1e-12).expect("there");
        let exact = yields * 1.6 * 1.6 / (2.0 * 3.0_f64.sqrt() * shear * 2.0);
        errors.push((u[2 * outer] / exact - 1.0).abs());
        let mut fields = CellFields::default();
        solid.fields(&u, &history, &mut fields).expect("finite");
        // Cells entirely within the plastic radius flow, those outside do not.
        for cell in 0..solid.cells() {
            let radii: Vec<f64> = solid.connectivity(cell).iter().map(|&a| mesh.points[a as usize][0]).collect();
            let (low, high) = (radii.iter().copied().fold(9.0, f64::min), radii.iter().copied().fold(0.0, f64::max));
            let h = 1.0 / n as f64;
            if high < 1.6 - h {
                assert!(fields.plastic_strain[cell] > 0.0, "{n}: {high}");
            }
            if low > 1.6 + h {
                assert_eq!(fields.plastic_strain[cell], 0.0, "{n}: {low}");
            }
        }
    }
    assert!(errors[2] < 2e-3 && errors[0] < 2e-2, "{errors:?}");
    assert!(errors[2] < errors[0] / 4.0, "converges: {errors:?}");
}

/// Lamé's elastic cylinder, nearly incompressible, on a quarter ring of plane Quad4: without a
/// remedy the inner displacement is far too small, with B-bar it is right to the order of the
/// mesh.
#[test]
fn mean_dilatation_cures_volumetric_locking() {
    let (young, poisson) = (200.0, 0.4999);
    let n = 8;
    let quarter = |x: [f64; 3]| {
        let (r, t) = (1.0 + x[0], std::f64::consts::FRAC_PI_2 * x[1]);
        // Exactly on the axes, where symmetry is imposed.
        [if x[1] == 1.0 { 0.0 } else { r * t.cos() }, if x[1] == 0.0 { 0.0 } else { r * t.sin() }, 0.0]
    };
    let mesh = grid(CellKind::Quad4, n, &quarter);
    let elastic = Material::Elastic { young, poisson };
    let ratio = |material: Material, kinematics, locking| {
        let hypothesis = Hypothesis::PlaneStrain { thickness: 1.0 };
        let spec = SolidSpec::new(material, 1.0, kinematics, hypothesis).with_locking(locking);
        let solid = Solid::new(&mesh, &cells(&mesh), spec).expect("valid");
        let inner: Vec<_> = refs(&mesh, 1)
            .into_iter()
            .filter(|f| {
                let nodes = &mesh.blocks[1].nodes[2 * f.index as usize..][..2];
                nodes.iter().all(|&a| mesh.points[a as usize][0].hypot(mesh.points[a as usize][1]) < 1.0 + 1e-9)
            })
            .collect();
        let facets = solid.facets(&mesh, &inner).expect("on the boundary");
        let mut load = DVector::zeros(2 * mesh.points.len());
        let pressure = 1e-2;
        let mut sink = |facet: usize, f: &[f64], _: &[f64]| {
            for (a, &node) in facets.connectivity(facet).iter().enumerate() {
                load[2 * node as usize] += f[2 * a];
                load[2 * node as usize + 1] += f[2 * a + 1];
            }
        };
        facets.pressure(0..n, Pressure { value: pressure, follows: None }, false, &mut sink).expect("finite");
        let mut imposed = BTreeMap::new();
        for (i, x) in mesh.points.iter().enumerate() {
            for k in 0..2 {
                if x[k] == 0.0 {
                    imposed.insert(2 * i + k, 0.0);
                }
            }
        }
        let mut u = vec![0.0; load.len()];
        equilibrium(&solid, &mut u, &solid.initial_history(), &imposed, &load);
        let at = mesh.points.iter().position(|x| x[1] == 0.0 && x[0] < 1.0 + 1e-12).expect("there");
        // Lamé: u(a) = (1 + ν) p a /(E (b² − a²)) ((1 − 2ν) a² + b²).
        let exact = (1.0 + poisson) * pressure / (young * 3.0) * ((1.0 - 2.0 * poisson) + 4.0);
        u[2 * at] / exact
    };
    let locked = ratio(elastic.clone(), Kinematics::Small, Locking::None);
    let free = ratio(elastic, Kinematics::Small, Locking::Bbar);
    let finite = ratio(Material::NeoHookean { young, poisson }, Kinematics::Finite, Locking::Fbar);
    assert!(locked < 0.5, "{locked}");
    assert!((free - 1.0).abs() < 0.02, "{free}");
    assert!((finite - 1.0).abs() < 0.02, "{finite}");
}
