//! Materials against closed forms, and what they refuse

use crate::solids_support::*;
use delassus_fem::material::{Hardening, J2, Kinematics, Material, MaterialError};
use delassus_fem::mesh::CellKind;
use delassus_fem::solid::{CellFields, Hypothesis, Locking, Motion, Solid, SolidSpec};

const YOUNG: f64 = 100.0;
const POISSON: f64 = 0.3;

/// Cauchy stress of a uniform deformation gradient, in one step from rest.
fn cauchy(material: Material, f: [[f64; 3]; 3]) -> [f64; 6] {
    let mesh = grid(CellKind::Hex8, 1, &distort);
    let spec = SolidSpec::new(material, 1.0, Kinematics::Finite, Hypothesis::Space).with_locking(Locking::None);
    let solid = Solid::new(&mesh, &cells(&mesh), spec).expect("valid");
    let u = interpolate(&mesh, &|x| std::array::from_fn(|i| (0..3).map(|k| f[i][k] * x[k]).sum::<f64>() - x[i]));
    let end = assemble(&solid, Motion { u: &u, v: &[] }, &solid.initial_history(), None);
    let mut fields = CellFields::default();
    solid.fields(&u, &end.history, &mut fields).expect("finite");
    fields.stress[0]
}

fn lame() -> (f64, f64) {
    Material::Elastic { young: YOUNG, poisson: POISSON }.lame()
}

/// `σ = (μ/J)(b − 1) + (λ ln J/J) 1` in a swelling and in a simple shear.
#[test]
fn neo_hookean_closed_forms() {
    let (lambda, mu) = lame();
    let material = Material::NeoHookean { young: YOUNG, poisson: POISSON };
    let s: f64 = 1.3;
    let swollen = cauchy(material.clone(), [[s, 0.0, 0.0], [0.0, s, 0.0], [0.0, 0.0, s]]);
    let j = s.powi(3);
    for k in 0..3 {
        assert!((swollen[k] - (mu * (s * s - 1.0) + lambda * j.ln()) / j).abs() < 1e-12);
    }
    let g = 0.8;
    let sheared = cauchy(material, [[1.0, g, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    let exact = [mu * g * g, 0.0, 0.0, mu * g, 0.0, 0.0];
    for v in 0..6 {
        assert!((sheared[v] - exact[v]).abs() < 1e-12, "{sheared:?}");
    }
}

/// `σ = F S Fᵀ/J` with `S = λ tr E 1 + 2μE` in a stretch along x.
#[test]
fn st_venant_kirchhoff_closed_form() {
    let (lambda, mu) = lame();
    let s = 1.4;
    let e = 0.5 * (s * s - 1.0);
    let stress = cauchy(
        Material::StVenantKirchhoff { young: YOUNG, poisson: POISSON },
        [[s, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    );
    assert!((stress[0] - s * (lambda + 2.0 * mu) * e).abs() < 1e-12);
    assert!((stress[1] - lambda * e / s).abs() < 1e-12 && stress[3].abs() < 1e-12);
}

/// Perfect plasticity in simple shear to γ = 4: principal axes turn, and the multiplicative model
/// keeps `τ = σ_y/√3` with `α̇ = γ̇/√3`, as a fluid would, to the order of `σ_y/E`.
#[test]
fn large_plastic_shear_keeps_the_yield_stress() {
    let (young, yields, end) = (1000.0, 1.0, 4.0);
    let isotropic = Hardening::Linear { modulus: 0.0 };
    let material = Material::J2(J2 { young, poisson: 0.3, yield_stress: yields, isotropic, kinematic: 0.0 });
    let mesh = grid(CellKind::Quad4, 1, &distort);
    let plane = Hypothesis::PlaneStrain { thickness: 1.0 };
    let solid =
        Solid::new(&mesh, &cells(&mesh), SolidSpec::new(material, 1.0, Kinematics::Finite, plane)).expect("valid");
    let run = |steps: i32| {
        let mut history = solid.initial_history();
        let mut u = Vec::new();
        for i in 1..=steps {
            let g = end * f64::from(i) / f64::from(steps);
            u = interpolate(&mesh, &|x| [g * x[1], 0.0, 0.0]);
            history = assemble(&solid, Motion { u: &u, v: &[] }, &history, None).history;
        }
        let mut fields = CellFields::default();
        solid.fields(&u, &history, &mut fields).expect("finite");
        (fields.stress[0], fields.plastic_strain[0], fields.von_mises[0])
    };
    let exact = yields / 3.0_f64.sqrt();
    for steps in [400, 800] {
        let (stress, alpha, mises) = run(steps);
        assert!((mises - yields).abs() < 1e-9, "on the yield surface: {mises}");
        // The elastic part of the shear is τ/G, and what e turns by: of the order of σ_y/E.
        assert!((alpha - end / 3.0_f64.sqrt()).abs() < 5.0 * yields / young, "{alpha}");
        assert!((stress[3] - exact).abs() < 5.0 * yields / young, "{}", stress[3]);
    }
}

/// Parameters out of range are named, with what is accepted.
#[test]
fn bad_parameters_are_named() {
    let base = J2 {
        young: 1.0,
        poisson: 0.3,
        yield_stress: 1.0,
        isotropic: Hardening::Linear { modulus: 0.0 },
        kinematic: 0.0,
    };
    let refused = |j2: J2| Material::J2(j2).validate().expect_err("refused");
    let says = |j2: J2, word: &str| {
        let message = refused(j2).to_string();
        assert!(message.contains(word), "{message}");
    };
    says(J2 { young: -1.0, ..base.clone() }, "young = -1");
    says(J2 { poisson: 0.5, ..base.clone() }, "poisson = 0.5");
    says(J2 { poisson: f64::NAN, ..base.clone() }, "poisson");
    says(J2 { yield_stress: 0.0, ..base.clone() }, "yield_stress = 0");
    says(J2 { kinematic: f64::INFINITY, ..base.clone() }, "kinematic = inf");
    says(J2 { isotropic: Hardening::Linear { modulus: -2.0 }, ..base.clone() }, "modulus = -2");
    let softening = Hardening::Table(vec![(0.1, 2.0), (0.2, 1.5)]);
    match refused(J2 { isotropic: softening, ..base.clone() }) {
        MaterialError::Table { index: 1, .. } => {}
        other => panic!("{other}"),
    }
    let back = Hardening::Table(vec![(0.1, 2.0), (0.05, 3.0)]);
    assert!(matches!(refused(J2 { isotropic: back, ..base }), MaterialError::Table { index: 1, .. }));
    assert!(matches!(Hardening::from_tangent(1.0, 1.0), Err(MaterialError::Tangent { .. })));
}
