//! Speed of element tangents: `cargo run --release -p delassus-fem --example assembly_kernel`
//!
//! A cube of Hex8 (100,000 unknowns), one thread; the sink adds up what it is given, as an
//! assembly would read it.

use delassus_fem::material::{Hardening, J2, Kinematics, Material};
use delassus_fem::mesh::{Block, CellKind, CellRef, Mesh};
use delassus_fem::solid::{Hypothesis, Locking, Motion, Solid, SolidSpec};
use std::time::Instant;

fn cube(n: usize) -> Mesh {
    let side = n + 1;
    let at = |x: usize, y: usize, z: usize| (x + side * (y + side * z)) as u32;
    let mut points = Vec::new();
    for z in 0..side {
        for y in 0..side {
            for x in 0..side {
                points.push([x, y, z].map(|i| i as f64 / n as f64));
            }
        }
    }
    let mut nodes = Vec::new();
    for z in 0..n {
        for y in 0..n {
            for x in 0..n {
                for k in [z, z + 1] {
                    nodes.extend([at(x, y, k), at(x + 1, y, k), at(x + 1, y + 1, k), at(x, y + 1, k)]);
                }
            }
        }
    }
    Mesh { dim: 3, points, blocks: vec![Block { kind: CellKind::Hex8, nodes }], ..Mesh::default() }
}

/// Seconds this thread has run: other processes do not count, where the system tells (Linux).
fn clock(start: Instant) -> f64 {
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = spent.and_then(|s| s.split_whitespace().next().and_then(|x| x.parse::<f64>().ok()));
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |n| 1e-9 * n)
}

fn main() {
    let origin = Instant::now();
    let mesh = cube(32);
    let cells: Vec<CellRef> = (0..32 * 32 * 32).map(|index| CellRef { block: 0, index }).collect();
    let (young, poisson) = (200e9, 0.3);
    let steel = Material::J2(J2 {
        young,
        poisson,
        yield_stress: 400e6,
        isotropic: Hardening::Linear { modulus: 1e9 },
        kinematic: 0.0,
    });
    let cases = [
        ("elastic, small strain", Material::Elastic { young, poisson }, Kinematics::Small, Locking::None),
        ("elastic, small strain, B-bar", Material::Elastic { young, poisson }, Kinematics::Small, Locking::Bbar),
        ("St Venant-Kirchhoff", Material::StVenantKirchhoff { young, poisson }, Kinematics::Finite, Locking::None),
        ("neo-Hookean", Material::NeoHookean { young, poisson }, Kinematics::Finite, Locking::None),
        ("neo-Hookean, F-bar", Material::NeoHookean { young, poisson }, Kinematics::Finite, Locking::Fbar),
        ("J2, small strain, B-bar", steel.clone(), Kinematics::Small, Locking::Bbar),
        ("J2, finite strain, F-bar", steel, Kinematics::Finite, Locking::Fbar),
    ];
    // A shear and a stretch that make the plastic materials flow everywhere.
    let u: Vec<f64> = mesh.points.iter().flat_map(|x| [0.01 * x[1], -0.004 * x[1], 0.003 * x[2]]).collect();
    println!("{:32} {:>14} {:>14}", "Hex8, one thread", "tangents/s", "forces/s");
    for (name, material, kinematics, locking) in cases {
        let spec = SolidSpec::new(material, 7800.0, kinematics, Hypothesis::Space).with_locking(locking);
        let solid = Solid::new(&mesh, &cells, spec).expect("a valid solid");
        let history = solid.initial_history();
        let mut new = history.clone();
        let mut rate = |tangent: Option<[f64; 2]>| {
            let (mut best, mut sum) = (f64::INFINITY, 0.0);
            for _ in 0..5 {
                let start = clock(origin);
                let mut sink = |_: usize, f: &[f64], k: &[f64]| sum += f[0] + k.iter().sum::<f64>();
                let motion = Motion { u: &u, v: &[] };
                solid
                    .evaluate(0..solid.cells(), motion, &history, &mut new, tangent, &mut sink)
                    .expect("a possible motion");
                best = best.min(clock(origin) - start);
            }
            assert!(sum.is_finite());
            solid.cells() as f64 / best
        };
        println!("{name:32} {:14.0} {:14.0}", rate(Some([1.0, 0.0])), rate(None));
    }
}
