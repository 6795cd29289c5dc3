//! Speed of explicit updates: `cargo run --release -p delassus-fem --example explicit_kernel`
//!
//! Central differences of a block of Quad4, fully integrated, elastoplastic, thrown so that most
//! of it flows: forces, internal variables, scatter, velocities and positions, one thread.

use delassus_fem::material::{Hardening, J2, Kinematics, Material};
use delassus_fem::mesh::{Block, CellKind, CellRef, Mesh};
use delassus_fem::solid::{Hypothesis, Motion, Solid, SolidSpec};
use std::time::Instant;

const N: usize = 160;
const STEPS: usize = 60;

fn square() -> (Mesh, Vec<CellRef>) {
    let at = |x: usize, y: usize| (x + (N + 1) * y) as u32;
    let mut points = Vec::new();
    for y in 0..=N {
        for x in 0..=N {
            points.push([x as f64 / N as f64, y as f64 / N as f64, 0.0]);
        }
    }
    let mut nodes = Vec::new();
    for y in 0..N {
        for x in 0..N {
            nodes.extend([at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)]);
        }
    }
    let cells = (0..(N * N) as u32).map(|index| CellRef { block: 0, index }).collect();
    (Mesh { dim: 2, points, blocks: vec![Block { kind: CellKind::Quad4, nodes }], ..Mesh::default() }, cells)
}

/// Seconds this thread has run: other processes do not count, where the system tells (Linux).
fn clock(start: Instant) -> f64 {
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = spent.and_then(|s| s.split_whitespace().next().and_then(|x| x.parse::<f64>().ok()));
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |n| 1e-9 * n)
}

fn main() {
    let (mesh, cells) = square();
    let material = Material::J2(J2 {
        young: 117e9,
        poisson: 0.35,
        yield_stress: 400e6,
        isotropic: Hardening::Linear { modulus: 100e6 },
        kinematic: 0.0,
    });
    println!("{:46} {:>12} {:>9}", "Quad4 2x2, J2, one thread", "cells/s", "flowing");
    for (name, kinematics, hypothesis) in [
        ("small strain, B-bar, plane strain", Kinematics::Small, Hypothesis::PlaneStrain { thickness: 1.0 }),
        ("small strain, B-bar, revolution", Kinematics::Small, Hypothesis::Axisymmetric),
        ("finite strain, F-bar, plane strain", Kinematics::Finite, Hypothesis::PlaneStrain { thickness: 1.0 }),
        ("finite strain, F-bar, revolution", Kinematics::Finite, Hypothesis::Axisymmetric),
    ] {
        let solid = Solid::new(&mesh, &cells, SolidSpec::new(material.clone(), 8930.0, kinematics, hypothesis))
            .expect("a valid solid");
        for (state, speed) in [("elastic", 1.0), ("flowing", 400.0)] {
            let (rate, share) = throw(&mesh, &solid, speed);
            println!("{:46} {rate:12.0} {:8.0} %", format!("{name}, {state}"), 100.0 * share);
        }
    }
}

/// Cells per second, and the share of them that has flowed, after a start with opposed
/// velocities of the given size.
fn throw(mesh: &Mesh, solid: &Solid, speed: f64) -> (f64, f64) {
    let n = 2 * mesh.points.len();
    let mut mass = vec![0.0; n];
    let mut gather = |cell: usize, d: &[f64], _: &[f64]| {
        for (a, &node) in solid.connectivity(cell).iter().enumerate() {
            mass[2 * node as usize] += d[2 * a];
            mass[2 * node as usize + 1] += d[2 * a + 1];
        }
    };
    solid.mass(0..solid.cells(), true, &mut gather).expect("in range");
    let mut u = vec![0.0; n];
    let mut v: Vec<f64> = mesh.points.iter().flat_map(|x| [0.0, -speed * x[1]]).collect();
    let step = 0.8 * solid.critical_step(&u).expect("at rest").0;
    let (mut old, mut new) = (solid.initial_history(), solid.initial_history());
    let mut force = vec![0.0; n];
    let origin = Instant::now();
    let start = clock(origin);
    for _ in 0..STEPS {
        force.fill(0.0);
        let nodes = &mesh.blocks[0].nodes;
        let mut scatter = |cell: usize, f: &[f64], _: &[f64]| {
            for (a, &node) in nodes[4 * cell..4 * cell + 4].iter().enumerate() {
                force[2 * node as usize] += f[2 * a];
                force[2 * node as usize + 1] += f[2 * a + 1];
            }
        };
        solid
            .evaluate(0..solid.cells(), Motion { u: &u, v: &[] }, &old, &mut new, None, &mut scatter)
            .expect("a possible motion");
        for i in 0..n {
            v[i] -= step * force[i] / mass[i];
            u[i] += step * v[i];
        }
        std::mem::swap(&mut old, &mut new);
    }
    let rate = (STEPS * solid.cells()) as f64 / (clock(origin) - start);
    let mut fields = delassus_fem::solid::CellFields::default();
    solid.fields(&u, &old, &mut fields).expect("finite");
    let flowing = fields.plastic_strain.iter().filter(|&&a| a > 0.0).count();
    (rate, flowing as f64 / solid.cells() as f64)
}
