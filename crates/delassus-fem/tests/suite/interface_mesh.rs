//! Multipliers on a mesh of their own \[Zammali05 fig. 3.1(b)\]
//!
//! References: H4, a uniform pressure through any meshes; multipliers on the facets of the slave, which an interface
//! mesh with the same facets must give back; the total force.

#![allow(clippy::unwrap_used)]

use crate::world::{Analysis, Settings};
use delassus_fem::contact::{Carrier, Multipliers, PairSettings};
use delassus_fem::material::{Kinematics, Material};
use delassus_fem::mesh::generate::{Cuboid, Rectangle};
use delassus_fem::mesh::{CellKind, Mesh};
use delassus_fem::model::{Against, ContactPair, Load, PartSpec, Support};
use delassus_fem::solid::{Hypothesis, SolidSpec};
use delassus_fem::{Model, Scheme};
use std::sync::Arc;

fn solid(dim: usize) -> SolidSpec {
    let hypothesis = if dim == 2 { Hypothesis::PlaneStrain { thickness: 1.0 } } else { Hypothesis::Space };
    SolidSpec::new(Material::Elastic { young: 1e9, poisson: 0.3 }, 1000.0, Kinematics::Small, hypothesis)
}

/// The block from height `z` to `z + 1`, cut into `cells`.
fn block(dim: usize, z: f64, cells: usize) -> Mesh {
    match dim {
        2 => Rectangle::new([0.0, z], [1.0, z + 1.0], [cells, 2], CellKind::Quad4).mesh().unwrap(),
        _ => Cuboid::new([0.0, 0.0, z], [1.0, 1.0, z + 1.0], [cells, cells, 1], CellKind::Hex8).mesh().unwrap(),
    }
}

/// The group of facets at a height.
fn at_height(mesh: &Mesh, z: f64) -> String {
    let dim = mesh.dim;
    let flat = |g: &&String| {
        let group = mesh.group(g).unwrap();
        !group.cells.is_empty() && group.nodes.iter().all(|n| (mesh.points[*n as usize][dim - 1] - z).abs() < 1e-12)
    };
    mesh.groups.keys().find(flat).unwrap().clone()
}

/// A block of 5 cells under one of 3, pressed by 1 MPa; multipliers on `carrier` cells, or on the upper block.
/// `glued`: the foot does not widen, so that the pressure varies.
fn blocks(dim: usize, multipliers: Multipliers, carrier: Option<usize>, glued: bool) -> Model {
    let mut model = Model::new(dim);
    for (name, z, cells) in [("lower", 0.0, 5), ("upper", 1.0, 3)] {
        let mesh = Arc::new(block(dim, z, cells));
        let (name, velocity, rayleigh) = (name.into(), [0.0; 3], [0.0; 2]);
        model.add(PartSpec { name, mesh, solid: solid(dim), velocity, rayleigh }).unwrap();
    }
    let up = dim as u32 - 1;
    let hold = |model: &mut Model, nodes: &[u32], k: u32| {
        let dofs = nodes.iter().map(|n| dim as u32 * n + k).collect();
        model.supports.push(Support { dofs, value: 0.0.into() });
    };
    let group = |model: &Model, p: usize, z: f64| at_height(&model.parts[p].mesh, z);
    let foot = model.group_nodes(0, &group(&model, 0, 0.0)).unwrap();
    hold(&mut model, &foot, up);
    for p in 0..2 {
        let first = model.parts[p].first as u32;
        let mut z = [0.0; 3];
        z[dim - 1] = 2.0 * p as f64;
        let corner = first + model.parts[p].mesh.nearest_node(z).unwrap();
        z[0] = 1.0;
        let other = first + model.parts[p].mesh.nearest_node(z).unwrap();
        let held = [corner, other];
        for k in 0..up {
            match glued && p == 0 {
                true => hold(&mut model, &foot, k),
                false => hold(&mut model, &held[..=k as usize], k),
            }
        }
    }
    let mut traction = [0.0; 3];
    traction[dim - 1] = -1e6;
    let kind = model.traction(1, &group(&model, 1, 2.0), traction).unwrap();
    model.loads.push(Load { kind, factor: 1.0.into() });
    let mut slave = model.surface(1, &group(&model, 1, 1.0)).unwrap();
    if let Some(cells) = carrier {
        let mesh = block(dim, 1.0, cells);
        let cells = mesh.group(&at_height(&mesh, 1.0)).unwrap().cells.clone();
        let positions = mesh.points.iter().flat_map(|p| p.iter().take(dim).copied()).collect();
        slave = slave.carried_by(Carrier::new(mesh.surface(&cells, 0).unwrap(), positions).unwrap()).unwrap();
    }
    let mut settings = PairSettings::new(0.5);
    settings.multipliers = multipliers;
    model.contacts.push(ContactPair {
        name: "between".into(),
        slave,
        against: Against::Surface(model.surface(0, &group(&model, 0, 1.0)).unwrap()),
        settings,
        friction: 0.0,
        motion: vec![],
    });
    model
}

/// Displacements, pressures and the total force after one step.
fn solve(model: Model) -> (Vec<f64>, Vec<f64>, f64) {
    let settings = Settings { step: Some(1.0), scheme: Scheme::QuasiStatic, tolerance: 1e-10, ..Settings::default() };
    let up = model.dim - 1;
    let mut analysis = Analysis::new(model, settings).unwrap();
    let name = format!(
        "{} {:?} {:?}",
        up + 1,
        analysis.model().contacts[0].settings.multipliers,
        analysis.model().contacts[0].slave.carrier().map(|c| c.surface().len())
    );
    let report = analysis.step().unwrap_or_else(|e| panic!("{name}: {e}"));
    assert!(!report.flagged && report.residual < 1e-9 && report.balance < 1e-9, "{report:?}");
    let force = report.force[up];
    (analysis.u().to_vec(), analysis.contact_view().map(|p| p.pressure).collect(), force)
}

/// H4: a uniform pressure passes with an interface coarser than both blocks, between them, and finer than both.
#[test]
fn the_patch_test_is_passed_by_any_interface() {
    for (dim, meshes) in [(2, &[1, 2, 4, 7][..]), (3, &[1, 2, 4])] {
        for &cells in meshes {
            // A single constant would let the upper block turn.
            for multipliers in [Multipliers::P1, Multipliers::P0].into_iter().take(cells.min(2)) {
                let (u, pressures, force) = solve(blocks(dim, multipliers, Some(cells), false));
                let name = format!("{dim} {cells} {multipliers:?}");
                assert!((force / 1e6 - 1.0).abs() < 1e-9, "{name}: {force}");
                let worst = pressures.iter().map(|p| (p / 1e6 - 1.0).abs()).fold(0.0, f64::max);
                // More multipliers than the blocks can tell apart: the displacements alone are unique.
                if cells < 7 {
                    assert!(worst < 1e-8, "{name}: {worst}");
                }
                if dim == 2 {
                    let top = u.iter().copied().fold(0.0, f64::min);
                    assert!((top + 1.82e-3).abs() < 1e-10, "{name}: {top}");
                }
            }
        }
    }
}

/// The facets of the slave as an interface mesh: the same multipliers, where the pressure varies too.
#[test]
fn an_interface_with_the_facets_of_the_slave_is_the_slave() {
    for dim in [2, 3] {
        for multipliers in [Multipliers::P1, Multipliers::P0] {
            let (u, pressures, _) = solve(blocks(dim, multipliers, None, true));
            let (v, others, force) = solve(blocks(dim, multipliers, Some(3), true));
            let far = |a: &[f64], b: &[f64], size: f64| {
                assert_eq!(a.len(), b.len());
                a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-8 * size)
            };
            assert!(far(&u, &v, 1e-3) && far(&pressures, &others, 1e6), "{dim} {multipliers:?}");
            // Forces are told on a pairing that agrees with theirs to a millionth.
            assert!((force / 1e6 - 1.0).abs() < 1e-6, "{force}");
        }
    }
}

/// A coarse interface transmits the whole force and its moment; refined, it tends to what the slave's facets find.
#[test]
fn coarse_interfaces_transmit_the_force() {
    let (exact, ..) = solve(blocks(2, Multipliers::P1, None, true));
    let error = |cells: usize| {
        let (u, _, force) = solve(blocks(2, Multipliers::P1, Some(cells), true));
        assert!((force / 1e6 - 1.0).abs() < 1e-9, "{cells}: {force}");
        u.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    let [one, two, three] = [1, 2, 3].map(error);
    assert!(one > two && two > three && three < 1e-12, "{one} {two} {three}");
}
