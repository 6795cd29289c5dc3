//! Micro-benchmarks: one sweep per contact, projections, one-contact solves, factorisation.
//!
//! `cargo bench -p delassus-friction` prints nanoseconds, the best of many repeats, on
//! generated problems; `-- FILE…` adds sweeps on FCLIB files.

use delassus_friction::algebra::{Analysis, BlockMatrix, Frontal, Matrix, Vector};
use delassus_friction::fclib::File;
use delassus_friction::solver::{Nlgs, NlgsSettings, Silent};
use delassus_friction::{AnyProblem, Law, Problem};
use rand::{Rng, SeedableRng, rngs::StdRng};
use std::hint::black_box;
use std::time::Instant;

/// Smallest time of `repeats` calls, per item, in nanoseconds.
fn best(repeats: usize, items: usize, mut f: impl FnMut()) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..repeats {
        let start = Instant::now();
        f();
        least = least.min(start.elapsed().as_secs_f64());
    }
    least * 1e9 / items as f64
}

/// Discs or spheres on a square or cubic lattice, shaken: each touches its neighbours in `copies`
/// contacts (more than one: bricks), all statuses present. With one, about seven blocks per row in
/// the plane, eleven in space. The problem assembled, and by bodies.
fn lattice<const D: usize>(side: usize, copies: usize) -> [Problem<D>; 2] {
    let mut rng = StdRng::seed_from_u64(1);
    let axes = if D == 2 { 2 } else { 3 };
    let bodies = side.pow(axes as u32);
    // Frame (n, t1, t2) along an axis; a body's rows: ± the direction, and its lever r × d.
    let frame = |axis: usize, r: usize| (axis + r) % axes;
    let cross =
        |a: usize, b: usize| if a == b { None } else { Some((3 - a - b, if (a + 1) % 3 == b { 1.0 } else { -1.0 })) };
    // Solid bodies of unit mass and radius: inverse inertia 2 in the plane, 2.5 in space.
    let rows = |axis: usize, r: usize, sign: f64| {
        let mut g = [0.0f64; 6];
        let d = frame(axis, r);
        g[d] = sign;
        if let Some((k, s)) = cross(axis, d) {
            g[3 + k] = s * if axes == 2 { 2.0f64 } else { 2.5 }.sqrt();
        }
        g
    };
    let mut contacts: Vec<(usize, usize, usize)> = vec![];
    for a in 0..bodies {
        for axis in 0..axes {
            let stride = side.pow(axis as u32);
            if (a / stride) % side + 1 < side {
                contacts.extend(std::iter::repeat_n((a, a + stride, axis), copies));
            }
        }
    }
    let mut on: Vec<Vec<(usize, f64)>> = vec![vec![]; bodies];
    for (i, &(a, b, _)) in contacts.iter().enumerate() {
        on[a].push((i, -1.0));
        on[b].push((i, 1.0));
    }
    let mut triplets = vec![];
    for list in &on {
        for &(i, s) in list {
            for &(j, t) in list {
                let block = Matrix::<D>::from_fn(|r, c| {
                    let (g, h) = (rows(contacts[i].2, r, s), rows(contacts[j].2, c, t));
                    (0..6).map(|d| g[d] * h[d]).sum()
                });
                triplets.push((i as u32, j as u32, block));
            }
        }
    }
    let n = contacts.len();
    let speed: Vec<[f64; 3]> = (0..bodies).map(|_| std::array::from_fn(|_| rng.random_range(-1.0..1.0))).collect();
    let b = contacts
        .iter()
        .map(|&(a, b, axis)| Vector::<D>::from_fn(|r, _| speed[b][frame(axis, r)] - speed[a][frame(axis, r)]));
    let (b, laws): (Vec<_>, _) = (b.collect(), vec![Law::coulomb(0.4); n]);
    let mut by_bodies = Problem::default();
    let width = if axes == 2 { 3 } else { 6 };
    by_bodies
        .refill_by_bodies(|root, right, list| {
            root.clear(width, bodies);
            for &(a, b, axis) in &contacts {
                root.begin(Vector::zeros());
                for (body, sign) in [(a, -1.0), (b, 1.0)] {
                    // In the plane: two translations and the rotation about the normal to it.
                    let column = |k: usize| {
                        let d = if width == 3 && k == 2 { 5 } else { k };
                        Vector::<D>::from_fn(|r, _| rows(axis, r, sign)[d])
                    };
                    assert!(root.push(body as u32, (0..width).map(column)));
                }
            }
            right.clone_from(&b);
            list.clone_from(&laws);
        })
        .expect("valid");
    [Problem::new(BlockMatrix::from_triplets(n, &mut triplets), b, laws).expect("valid"), by_bodies]
}

/// Both forms of one lattice: blocks per row, and the sweep through the bodies.
fn forms<const D: usize>(side: usize, copies: usize) {
    let [assembled, by_bodies] = lattice::<D>(side, copies);
    let name = format!("{D}D, {side} bodies a side, {copies} contacts a pair");
    sweep(&format!("{name}, assembled"), &assembled);
    sweep(&format!("{name}, by bodies"), &by_bodies);
}

fn sweep<const D: usize>(name: &str, problem: &Problem<D>) {
    let sweeps = 50;
    // No contact rests, so that every one is counted.
    let settings = NlgsSettings {
        max_iterations: sweeps,
        check_every: 10 * sweeps,
        skip_open: false,
        tolerance: f64::MIN_POSITIVE,
        ..Default::default()
    };
    let mut nlgs = Nlgs::new(problem, settings).expect("valid");
    let mut s = problem.zero();
    nlgs.run(problem, &mut s, &mut Silent);
    let time = best(20, sweeps * problem.len(), || {
        black_box(nlgs.run(problem, &mut s, &mut Silent));
    });
    let blocks = problem.w().blocks() as f64 / problem.len() as f64;
    println!("sweep {name:<52} {:>6} contacts {blocks:>5.1} blocks/row {time:>7.1} ns/contact", problem.len());
}

fn laws() {
    let mut rng = StdRng::seed_from_u64(2);
    let points: Vec<_> = (0..1000).map(|_| Vector::<3>::from_fn(|_, _| rng.random_range(-1.0..1.0))).collect();
    let blocks: Vec<_> = (0..1000)
        .map(|_| {
            let g = Matrix::<3>::from_fn(|_, _| rng.random_range(-1.0..1.0));
            g * g.transpose() + 0.1 * Matrix::identity()
        })
        .collect();
    for (name, law) in [
        ("coulomb", Law::coulomb(0.4)),
        ("elliptic", Law::Elliptic { mu: [0.4, 0.2], angle: 0.3 }),
        ("tresca", Law::Tresca { threshold: 0.3 }),
    ] {
        let project = best(200, points.len(), || {
            for x in &points {
                black_box(law.project(black_box(x)));
            }
        });
        let solve = best(200, points.len(), || {
            for (w, q) in blocks.iter().zip(&points) {
                black_box(law.solve_one(black_box(w), q, &Vector::zeros()));
            }
        });
        println!("law {name:<12} projection {project:>6.1} ns   one-contact solve {solve:>7.1} ns");
    }
}

fn factorisation() {
    let [problem, _] = lattice::<3>(9, 1);
    let analysis = Analysis::new(problem.w());
    let mut lu = Frontal::<3>::with_analysis(&analysis);
    let add = vec![Matrix::<3>::identity(); problem.len()];
    let analyse = best(3, 1, || drop(black_box(Analysis::new(problem.w()))));
    let factor = best(5, 1, || lu.factorise(problem.w(), None, &add).expect("regular"));
    let mut x = problem.b().to_vec();
    let solve = best(10, 1, || lu.solve(&mut x));
    println!(
        "factorisation of {} contacts: analysis {:.1} ms, numeric {:.1} ms ({:.1} Gflop/s), solve {:.2} ms",
        problem.len(),
        analyse * 1e-6,
        factor * 1e-6,
        2.0 * analysis.work(3) / factor,
        solve * 1e-6
    );
}

fn main() {
    for copies in [1, 2, 4] {
        forms::<2>(40, copies);
        forms::<3>(12, copies);
    }
    for path in std::env::args().skip(1).filter(|a| !a.starts_with("--")) {
        match File::read(path.as_ref())
            .map_err(|e| e.to_string())
            .and_then(|f| AnyProblem::from_fclib(&f).map_err(|e| e.to_string()))
        {
            Ok(AnyProblem::Local2(p)) => sweep(&path, &p),
            Ok(AnyProblem::Local3(p)) => sweep(&path, &p),
            Ok(_) => println!("{path}: not a local problem of 2 or 3 components"),
            Err(e) => println!("{path}: {e}"),
        }
    }
    laws();
    factorisation();
}
