//! The stable step of a deformed mesh by bounds, against the eigenvalues of all its cells

#![allow(clippy::unwrap_used)]

use delassus_fem::material::{Hardening, J2, Kinematics, Material};
use delassus_fem::mesh::generate::{Cuboid, Rectangle};
use delassus_fem::mesh::{CellKind, CellRef, Mesh};
use delassus_fem::solid::{Hypothesis, Solid, SolidSpec};
use rand::{Rng, SeedableRng};

fn solid(mesh: &Mesh, hypothesis: Hypothesis, kinematics: Kinematics) -> Solid {
    let material = Material::J2(J2 {
        young: 1.17e11,
        poisson: 0.35,
        yield_stress: 4e8,
        isotropic: Hardening::Linear { modulus: 1e8 },
        kinematic: 0.0,
    });
    let cells: Vec<CellRef> = mesh.volume_cells().collect();
    Solid::new(mesh, &cells, SolidSpec::new(material, 8930.0, kinematics, hypothesis)).unwrap()
}

/// A turn, a flattening that grows downwards, and some noise.
fn displacements(mesh: &Mesh, turn: f64, flat: f64, rng: &mut impl Rng) -> Vec<f64> {
    let (sin, cos) = turn.sin_cos();
    let mut u = vec![];
    for p in &mesh.points {
        let squeeze = 1.0 - flat * (1.0 - p[1]);
        let x = [p[0] / squeeze, p[1] * squeeze, p[2]];
        let moved = [cos * x[0] - sin * x[1], sin * x[0] + cos * x[1], x[2]];
        u.extend((0..mesh.dim).map(|k| moved[k] - p[k] + 0.004 * rng.random_range(-1.0..1.0)));
    }
    u
}

/// No cell escapes: with every improvement asked for, the bounds lead to the largest eigenvalue.
#[test]
fn bounds_find_the_largest_frequency() {
    let plane = Rectangle::new([0.2, 0.0], [1.2, 1.0], [7, 5], CellKind::Quad4).mesh().unwrap();
    let curved = Rectangle::new([0.2, 0.0], [1.2, 1.0], [4, 3], CellKind::Tri6).mesh().unwrap();
    let space = Cuboid::new([0.0; 3], [1.0; 3], [3, 4, 3], CellKind::Hex8).mesh().unwrap();
    let mut rng = rand::rngs::StdRng::seed_from_u64(5);
    for (mesh, hypothesis, turns) in [
        (&plane, Hypothesis::PlaneStrain { thickness: 1.0 }, 1.0),
        (&plane, Hypothesis::PlaneStress { thickness: 0.1 }, 1.0),
        (&curved, Hypothesis::PlaneStrain { thickness: 1.0 }, 1.0),
        // A body of revolution does not turn.
        (&plane, Hypothesis::Axisymmetric, 0.0),
        (&space, Hypothesis::Space, 1.0),
    ] {
        let solid = solid(mesh, hypothesis, Kinematics::Finite);
        let mut bounds = solid.frequency_bounds().unwrap().unwrap();
        for (turn, flat) in [(0.0, 0.0), (0.3, 0.1), (2.5, 0.02), (-1.0, 0.5)] {
            let u = displacements(mesh, turns * turn, flat, &mut rng);
            let (step, _) = solid.critical_step(&u).unwrap();
            let found = solid.deformed_frequency(&u, &mut bounds, 0.0, &|omega2| omega2).unwrap();
            assert!((2.0 / found.sqrt() / step - 1.0).abs() < 1e-12, "{hypothesis:?} {turn} {flat}: {found} {step}");
            // What serves as well may be taken, nothing below it.
            let coarse = solid.deformed_frequency(&u, &mut bounds, 0.0, &|omega2| 1.5 * omega2).unwrap();
            assert!(coarse <= found && 1.5 * coarse >= found * (1.0 - 1e-12), "{coarse} {found}");
        }
    }
}

/// Small strains leave the frequencies as they are; a cell turned inside out is named.
#[test]
fn small_strain_is_constant_and_inverted_cells_are_named() {
    let mesh = Rectangle::new([0.0, 0.0], [1.0, 1.0], [4, 4], CellKind::Quad4).mesh().unwrap();
    let plane = Hypothesis::PlaneStrain { thickness: 1.0 };
    let mut rng = rand::rngs::StdRng::seed_from_u64(6);
    let u = displacements(&mesh, 0.4, 0.3, &mut rng);
    let rest = solid(&mesh, plane, Kinematics::Small);
    let mut bounds = rest.frequency_bounds().unwrap().unwrap();
    let found = rest.deformed_frequency(&u, &mut bounds, 0.0, &|x| x).unwrap();
    assert!((2.0 / found.sqrt() / rest.critical_step(&u).unwrap().0 - 1.0).abs() < 1e-12);

    let finite = solid(&mesh, plane, Kinematics::Finite);
    let mut bounds = finite.frequency_bounds().unwrap().unwrap();
    let mirrored: Vec<f64> = mesh.points.iter().flat_map(|p| [-2.0 * p[0], 0.0]).collect();
    let error = finite.deformed_frequency(&mirrored, &mut bounds, 0.0, &|x| x).unwrap_err().to_string();
    assert!(error.contains("cell 0") || error.contains("inside out"), "{error}");
}
