//! Patch tests: linear displacements on the boundary of a distorted mesh are linear inside,
//! with uniform stress, for every kind, hypothesis, kinematics and remedy
//!
//! Reference: the exact solution itself, since a uniform stress is in equilibrium.

use crate::solids_support::*;
use delassus_fem::material::{Kinematics, Material};
use delassus_fem::solid::{CellFields, Hypothesis, Locking, Solid, SolidSpec};
use nalgebra::DVector;
use std::collections::BTreeMap;

fn cases() -> Vec<(Material, Kinematics, Locking)> {
    let (young, poisson) = (100.0, 0.3);
    let mut list = Vec::new();
    let small = Material::Elastic { young, poisson };
    list.push((small.clone(), Kinematics::Small, Locking::None));
    list.push((small, Kinematics::Small, Locking::Bbar));
    for material in [Material::StVenantKirchhoff { young, poisson }, Material::NeoHookean { young, poisson }] {
        list.push((material.clone(), Kinematics::Finite, Locking::None));
        list.push((material, Kinematics::Finite, Locking::Fbar));
    }
    list
}

/// A linear field; in revolution solids only those with uniform stress in equilibrium.
fn linear(hypothesis: Hypothesis, x: [f64; 3]) -> [f64; 3] {
    match hypothesis {
        Hypothesis::Axisymmetric => [0.06 * x[0], -0.08 * x[1] + 0.02, 0.0],
        Hypothesis::Space => [
            0.05 * x[0] + 0.02 * x[1] - 0.03 * x[2],
            0.04 * x[0] - 0.06 * x[1] + 0.01 * x[2],
            -0.02 * x[0] + 0.03 * x[1] + 0.07 * x[2],
        ],
        _ => [0.05 * x[0] + 0.03 * x[1], -0.02 * x[0] - 0.06 * x[1], 0.0],
    }
}

#[test]
fn linear_fields_are_reproduced_with_uniform_stress() {
    for kind in ALL {
        let mesh = grid(kind, if SPACE.contains(&kind) { 2 } else { 3 }, &distort);
        for hypothesis in hypotheses(kind) {
            for (material, kinematics, locking) in cases() {
                if matches!(hypothesis, Hypothesis::PlaneStress { .. }) && locking != Locking::None {
                    continue;
                }
                let spec = SolidSpec::new(material.clone(), 1.0, kinematics, hypothesis).with_locking(locking);
                let solid = Solid::new(&mesh, &cells(&mesh), spec).expect("valid");
                let exact = interpolate(&mesh, &|x| linear(hypothesis, x));
                let imposed: BTreeMap<usize, f64> = boundary_nodes(&mesh)
                    .iter()
                    .flat_map(|&n| (0..mesh.dim).map(move |k| mesh_dof(n, k, SPACE.contains(&kind))))
                    .map(|i| (i, exact[i]))
                    .collect();
                assert!(imposed.len() < exact.len(), "there must be something to find");
                let mut u: Vec<f64> =
                    exact.iter().enumerate().map(|(i, x)| x * (0.8 + 0.1 * (i as f64).sin())).collect();
                let history = solid.initial_history();
                let load = DVector::zeros(u.len());
                let (end, _) = equilibrium(&solid, &mut u, &history, &imposed, &load);
                let name = format!("{kind:?} {hypothesis:?} {material:?} {locking:?}");
                for i in 0..u.len() {
                    assert!((u[i] - exact[i]).abs() < 1e-10, "{name}: {} {}", u[i], exact[i]);
                }
                let mut fields = CellFields::default();
                solid.fields(&u, &end.history, &mut fields).expect("finite");
                let scale = fields.von_mises[0];
                assert!(scale > 1.0, "{name}: a stress to compare with");
                for s in fields.stress.iter().chain(&fields.nodal_stress) {
                    for v in 0..6 {
                        assert!((s[v] - fields.stress[0][v]).abs() < 1e-10 * scale, "{name}");
                    }
                }
            }
        }
    }
}

fn mesh_dof(node: u32, k: usize, space: bool) -> usize {
    (if space { 3 } else { 2 }) * node as usize + k
}

/// A uniform traction `σ n` on the whole boundary balances a uniform stress σ at every node,
/// on meshes of every kind: loads and forces are integrated alike.
#[test]
fn tractions_balance_a_uniform_stress() {
    for kind in ALL {
        let mesh = grid(kind, 2, &distort);
        for hypothesis in hypotheses(kind) {
            let spec =
                SolidSpec::new(Material::Elastic { young: 100.0, poisson: 0.3 }, 1.0, Kinematics::Small, hypothesis);
            let solid = Solid::new(&mesh, &cells(&mesh), spec).expect("valid");
            // A pressure is the traction −p n, whatever the dimension.
            let facets = solid.facets(&mesh, &refs(&mesh, 1)).expect("on the boundary");
            let n = mesh.dim * mesh.points.len();
            let mut load = DVector::zeros(n);
            let mut sink = |facet: usize, f: &[f64], _: &[f64]| {
                for (a, &node) in facets.connectivity(facet).iter().enumerate() {
                    for k in 0..mesh.dim {
                        load[mesh.dim * node as usize + k] += f[mesh.dim * a + k];
                    }
                }
            };
            let pressure = delassus_fem::solid::Pressure { value: 2.0, follows: None };
            facets.pressure(0..facets.len(), pressure, false, &mut sink).expect("finite");
            // In plane strain and plane stress the in-plane strain under uniform in-plane pressure.
            let (young, nu, p) = (100.0, 0.3, 2.0);
            let strain = -p / young
                * match hypothesis {
                    Hypothesis::PlaneStrain { .. } => (1.0 + nu) * (1.0 - 2.0 * nu),
                    Hypothesis::PlaneStress { .. } => 1.0 - nu,
                    Hypothesis::Axisymmetric | Hypothesis::Space => 1.0 - 2.0 * nu,
                };
            let u = interpolate(&mesh, &|x| x.map(|c| strain * c));
            let a = assemble(&solid, delassus_fem::solid::Motion { u: &u, v: &[] }, &solid.initial_history(), None);
            let scale = load.amax();
            assert!(scale > 0.0);
            assert!((a.force - &load).amax() < 1e-12 * scale, "{kind:?} {hypothesis:?}");
        }
    }
}
