//! Orders of convergence by manufactured solutions
//!
//! `u = p sin(k·x + φ)` solves elasticity under the load
//! `b = (μ |k|² p + (λ + μ)(k·p) k) sin(k·x + φ)` in the plane and in space; the error in L²
//! must fall as `h^(p+1)`, on meshes that are not uniform.

use crate::solids_support::*;
use delassus_fem::algebra::{Cholesky, Imposed, Pattern, Scatter, SolveScratch, SymmetricMatrix};
use delassus_fem::element;
use delassus_fem::material::{Kinematics, Material};
use delassus_fem::mesh::{CellKind, Mesh};
use delassus_fem::solid::{Hypothesis, Motion, Solid, SolidSpec};
use std::sync::Arc;

const WAVE: [f64; 3] = [1.7, 1.1, -0.8];
const POLAR: [f64; 3] = [0.6, -0.9, 0.5];

fn phase(x: [f64; 3], dim: usize) -> f64 {
    0.3 + (0..dim).map(|k| WAVE[k] * x[k]).sum::<f64>()
}

fn exact(x: [f64; 3], dim: usize) -> [f64; 3] {
    POLAR.map(|p| p * phase(x, dim).sin())
}

/// A smooth distortion of the unit square or cube.
fn bent(x: [f64; 3]) -> [f64; 3] {
    let bump = |a: f64, b: f64| 0.15 * a * (1.0 - a) * (1.0 + b);
    [x[0] + bump(x[0], x[1]), x[1] + bump(x[1], -x[0]), x[2] + bump(x[2], x[0])]
}

/// The stiffness, factorised; fixed unknowns keep their values.
fn solve(solid: &Solid, mesh: &Mesh, load: &[f64], u: &mut [f64], fixed: &[bool]) {
    let dim = mesh.dim as u32;
    let mut blocks: Vec<(Vec<u32>, Vec<f64>)> = Vec::new();
    let zero = vec![0.0; u.len()];
    let mut sink = |cell: usize, _: &[f64], k: &[f64]| {
        let dofs = solid.connectivity(cell).iter().flat_map(|&a| (0..dim).map(move |i| dim * a + i)).collect();
        blocks.push((dofs, k.to_vec()));
    };
    let mut history = vec![0.0; solid.history_len()];
    let old = solid.initial_history();
    let motion = Motion { u: &zero, v: &[] };
    solid.evaluate(0..solid.cells(), motion, &old, &mut history, Some([1.0, 0.0]), &mut sink).expect("at rest");
    let elements = || blocks.iter().map(|(dofs, _)| &dofs[..]);
    let pattern = Arc::new(Pattern::new(u.len(), elements()).expect("dofs of the mesh"));
    let scatter = Scatter::new(&pattern, elements()).expect("in the pattern");
    let mut stiffness = SymmetricMatrix::zero(pattern.clone());
    blocks.iter().enumerate().for_each(|(e, (_, k))| stiffness.add_element(&scatter, e, k));
    let held: Vec<u32> = (0..u.len() as u32).filter(|i| fixed[*i as usize]).collect();
    let values: Vec<f64> = held.iter().map(|i| u[*i as usize]).collect();
    let imposed = Imposed::new(&pattern, &held).expect("each once");
    u.copy_from_slice(load);
    stiffness.lift(&imposed, &values, 1.0, u);
    stiffness.impose(&imposed, 1.0);
    let mut factor = Cholesky::new(&pattern).expect("fits in memory");
    factor.refactor(&stiffness).expect("held at the boundary");
    factor.solve_in_place(u, &mut SolveScratch::default()).expect("finite");
}

/// Error in L² of the solution on a mesh of `n` cells a side.
fn error(kind: CellKind, hypothesis: Hypothesis, n: usize) -> f64 {
    let mesh = grid(kind, n, &bent);
    let dim = mesh.dim;
    let material = Material::Elastic { young: 10.0, poisson: 0.3 };
    let (mut lambda, mu) = material.lame();
    if matches!(hypothesis, Hypothesis::PlaneStress { .. }) {
        lambda = 2.0 * lambda * mu / (lambda + 2.0 * mu);
    }
    let solid =
        Solid::new(&mesh, &cells(&mesh), SolidSpec::new(material, 1.0, Kinematics::Small, hypothesis)).expect("valid");
    let square: f64 = WAVE[..dim].iter().map(|k| k * k).sum();
    let along: f64 = (0..dim).map(|k| WAVE[k] * POLAR[k]).sum();
    let mut body = |x: [f64; 3]| {
        let s = phase(x, dim).sin();
        std::array::from_fn(|i| (mu * square * POLAR[i] + (lambda + mu) * along * WAVE[i]) * s)
    };
    let mut load = vec![0.0; dim * mesh.points.len()];
    let mut sink = |cell: usize, f: &[f64], _: &[f64]| {
        for (a, &node) in solid.connectivity(cell).iter().enumerate() {
            for k in 0..dim {
                load[dim * node as usize + k] += f[dim * a + k];
            }
        }
    };
    solid.volume_load(0..solid.cells(), &mut body, &mut sink).expect("finite");
    let truth = interpolate(&mesh, &|x| exact(x, dim));
    let mut fixed = vec![false; truth.len()];
    let mut u = vec![0.0; truth.len()];
    for node in boundary_nodes(&mesh) {
        for i in dim * node as usize..dim * (node as usize + 1) {
            fixed[i] = true;
            u[i] = truth[i];
        }
    }
    solve(&solid, &mesh, &load, &mut u, &fixed);
    difference(&solid, &mesh, &u)
}

/// `‖u_h − u‖` by a quadrature finer than the element's.
fn difference(solid: &Solid, mesh: &Mesh, u: &[f64]) -> f64 {
    let dim = mesh.dim;
    let (mut n, mut d) = ([0.0; element::NODES_MAX], [[0.0; 3]; element::NODES_MAX]);
    let mut sum = 0.0;
    for cell in 0..solid.cells() {
        let (kind, nodes) = (solid.kind(cell), solid.connectivity(cell));
        let rule = element::mass_rule(kind);
        for (&xi, &w) in rule.points.iter().zip(&rule.weights) {
            element::shape(kind, xi, &mut n);
            element::shape_gradients(kind, xi, &mut d);
            let mut map = nalgebra::Matrix3::identity();
            map.view_mut((0, 0), (dim, dim)).fill(0.0);
            let (mut x, mut uh) = ([0.0; 3], [0.0; 3]);
            for (a, &node) in nodes.iter().enumerate() {
                for k in 0..dim {
                    x[k] += n[a] * mesh.points[node as usize][k];
                    uh[k] += n[a] * u[dim * node as usize + k];
                    for l in 0..dim {
                        map[(k, l)] += mesh.points[node as usize][k] * d[a][l];
                    }
                }
            }
            let truth = exact(x, dim);
            sum += w * map.determinant() * (0..dim).map(|k| (uh[k] - truth[k]).powi(2)).sum::<f64>();
        }
    }
    sum.sqrt()
}

/// The observed order between the last two meshes is `p + 1` within a fifth: meshes are coarse.
fn check(kind: CellKind, hypothesis: Hypothesis, sizes: [usize; 2]) {
    let degree = if element::corner_kind(kind) == kind { 1.0 } else { 2.0 };
    let errors = sizes.map(|n| error(kind, hypothesis, n));
    let order = (errors[0] / errors[1]).log2() / (sizes[1] as f64 / sizes[0] as f64).log2();
    assert!(order > degree + 0.8 && order < degree + 1.6, "{kind:?} {hypothesis:?}: order {order}, {errors:?}");
}

#[test]
fn orders_in_the_plane() {
    for kind in PLANE {
        check(kind, Hypothesis::PlaneStrain { thickness: 1.0 }, [8, 16]);
        check(kind, Hypothesis::PlaneStress { thickness: 1.0 }, [8, 16]);
    }
}

#[test]
fn orders_in_space() {
    check(CellKind::Hex8, Hypothesis::Space, [4, 8]);
    check(CellKind::Tet4, Hypothesis::Space, [4, 8]);
    check(CellKind::Tet10, Hypothesis::Space, [2, 4]);
}

/// In revolution: `u_r = r³, u_z = z r²`, load and boundary values in closed form:
/// ε_rr = 3r², ε_θθ = r², ε_zz = r², γ_rz = 2zr; hence
/// `b_r = −(∂σ_rr/∂r + ∂σ_rz/∂z + (σ_rr − σ_θθ)/r)`, `b_z = −(∂σ_rz/∂r + ∂σ_zz/∂z + σ_rz/r)`.
#[test]
fn orders_in_revolution() {
    let material = Material::Elastic { young: 10.0, poisson: 0.3 };
    let (lambda, mu) = material.lame();
    for kind in PLANE {
        let degree = if element::corner_kind(kind) == kind { 1.0 } else { 2.0 };
        let truth = |x: [f64; 3]| [x[0] * x[0] * x[0], x[1] * x[0] * x[0], 0.0];
        let errors = [8, 16].map(|n| {
            let mesh = grid(kind, n, &|x| {
                let y = bent(x);
                [0.2 + y[0], y[1], 0.0]
            });
            let spec = SolidSpec::new(material.clone(), 1.0, Kinematics::Small, Hypothesis::Axisymmetric);
            let solid = Solid::new(&mesh, &cells(&mesh), spec).expect("valid");
            let mut body = |x: [f64; 3]| {
                let (r, z) = (x[0], x[1]);
                let br = (10.0 * lambda + 12.0 * mu) * r + 2.0 * mu * r + 4.0 * mu * r;
                let bz = 2.0 * mu * z + 2.0 * mu * z;
                [-br, -bz, 0.0]
            };
            let mut load = vec![0.0; 2 * mesh.points.len()];
            let mut sink = |cell: usize, f: &[f64], _: &[f64]| {
                for (a, &node) in solid.connectivity(cell).iter().enumerate() {
                    for k in 0..2 {
                        load[2 * node as usize + k] += f[2 * a + k];
                    }
                }
            };
            solid.volume_load(0..solid.cells(), &mut body, &mut sink).expect("finite");
            let nodal = interpolate(&mesh, &truth);
            let mut fixed = vec![false; nodal.len()];
            let mut u = vec![0.0; nodal.len()];
            for node in boundary_nodes(&mesh) {
                for i in 2 * node as usize..2 * (node as usize + 1) {
                    fixed[i] = true;
                    u[i] = nodal[i];
                }
            }
            solve(&solid, &mesh, &load, &mut u, &fixed);
            let sum: f64 = u.iter().zip(&nodal).map(|(a, b)| (a - b).powi(2)).sum();
            (sum / mesh.points.len() as f64).sqrt()
        });
        // At nodes the error is at least of the order of L².
        let order = (errors[0] / errors[1]).log2();
        assert!(order > degree + 0.8, "{kind:?}: {order} {errors:?}");
    }
}
