//! All solvers against closed forms, enumerations, each other, and invariants.

use delassus_friction::algebra::{BlockMatrix, Csr, Matrix, Vector};
use delassus_friction::solver::{self, Silent, enumerate, existence};
use delassus_friction::{Certificate, Error, GlobalProblem, Law, Problem, Settings, SolverKind, Status, solve};
use rand::{Rng, SeedableRng, rngs::StdRng};

/// A random problem `W = G Gᵀ` of `n` contacts among a few bodies; `dofs ≥ D n` makes it regular.
fn random<const D: usize>(n: usize, dofs: usize, law: impl Fn(usize) -> Law, seed: u64) -> Problem<D> {
    let mut rng = StdRng::seed_from_u64(seed);
    let g: Vec<Vec<f64>> = (0..D * n).map(|_| (0..dofs).map(|_| rng.random_range(-1.0..1.0)).collect()).collect();
    let mut triplets = vec![];
    for i in 0..n {
        for j in 0..n {
            let block = Matrix::<D>::from_fn(|r, c| g[D * i + r].iter().zip(&g[D * j + c]).map(|(a, b)| a * b).sum());
            triplets.push((i as u32, j as u32, block));
        }
    }
    // b in the range of W: what gravity and speeds give.
    let v: Vec<f64> = (0..dofs).map(|_| rng.random_range(-1.0..1.0)).collect();
    let b =
        (0..n).map(|i| Vector::<D>::from_fn(|r, _| g[D * i + r].iter().zip(&v).map(|(a, b)| a * b).sum())).collect();
    Problem::new(BlockMatrix::from_triplets(n, &mut triplets), b, (0..n).map(law).collect()).expect("valid")
}

fn settings(solver: SolverKind, tolerance: f64) -> Settings {
    Settings { solver, tolerance, ..Default::default() }
}

/// Reference: each other. With W well conditioned and μ moderate the solution is
/// unique, so equal certificates mean equal percussions.
#[test]
fn all_solvers_agree_on_regular_problems() {
    fn check<const D: usize>(law: impl Fn(usize) -> Law + Copy) {
        let mut stalled = 0;
        for seed in 0..4 {
            let problem = random::<D>(8, 4 * D * 8, law, seed);
            let mut reference = problem.zero();
            assert!(solve(&problem, &settings(SolverKind::Auto, 1e-12), &mut reference).expect("valid").converged());
            for kind in SolverKind::ALL {
                let mut s = problem.zero();
                match solve(&problem, &settings(kind, 1e-9), &mut s) {
                    // A damped Newton method without globalisation may stall, and must say so.
                    Ok(solution) if solver::is_newton(kind) && !solution.converged() => {
                        assert!(solution.certificate.relative > 1e-9);
                        stalled += 1;
                    }
                    Ok(solution) => {
                        assert!(solution.converged(), "{kind}, D = {D}, seed {seed}: {:?}", solution.status);
                        assert!(solution.certificate.relative <= 1e-9);
                        let error: f64 =
                            s.iter().zip(&reference).map(|(a, b)| (a - b).norm_squared()).sum::<f64>().sqrt();
                        let size: f64 = reference.iter().map(|a| a.norm_squared()).sum::<f64>().sqrt();
                        assert!(error <= 1e-6 * size.max(1e-3), "{kind}, D = {D}, seed {seed}: {error:e} of {size:e}");
                    }
                    // It needs the bodies, which these problems do not have: see root.rs.
                    Err(Error::Unsupported { solver: "multipliers", .. }) => {}
                    Err(Error::Unsupported { .. }) => assert!(D > 3, "{kind} must treat D = {D}"),
                    Err(e) => panic!("{kind}: {e}"),
                }
            }
        }
        assert!(stalled <= 3, "{stalled} of 12 Newton runs stalled");
    }
    check::<2>(|_| Law::coulomb(0.3));
    check::<3>(|i| Law::coulomb([0.0, 0.2, 0.4][i % 3]));
    check::<3>(|i| match i % 3 {
        0 => Law::Elliptic { mu: [0.3, 0.1], angle: 0.7 },
        1 => Law::Bilateral,
        _ => Law::coulomb(0.3),
    });
    check::<5>(|_| Law::Rolling { mu: 0.3, mu_r: 0.1 });
}

/// Reference: refs C1 (enumeration by cases): 2, 1, 0 and 0 solutions as the load varies.
#[test]
fn one_degree_of_freedom_has_two_one_or_no_solution() {
    let (a, mu, w) = (0.3, 0.5, (1.0, -0.3));
    for (f, expected) in [(-2.0, 2), (-1.0, 1), (0.0, 0), (1.0, 0)] {
        let v = -f;
        let block = Matrix::<2>::new(a * a, a, a, 1.0);
        let b = Vector::<2>::new(a * v + w.1, v + w.0);
        let problem =
            Problem::new(BlockMatrix::from_triplets(1, &mut [(0, 0, block)]), vec![b], vec![Law::coulomb(mu)])
                .expect("valid");
        let found = enumerate(&problem).expect("small");
        assert_eq!(found.isolated.len(), expected, "f = {f}");
        if f == -2.0 {
            let slip = found.isolated.iter().find(|e| e.s[0][0] > 1.0).expect("the slipping solution");
            assert!((slip.s[0] - Vector::<2>::new(5.0, -2.5)).norm() < 1e-10);
        }
        assert!(!existence(&problem).expect("solved").guaranteed, "the criterion is −0.6 for every load");
        let mut s = problem.zero();
        let asked = Settings { existence: true, ..Settings::default() };
        let solution = solve(&problem, &asked, &mut s).expect("valid");
        match expected {
            0 => assert_eq!(solution.status, Status::MayHaveNoSolution, "f = {f}"),
            _ => assert!(solution.converged(), "f = {f}"),
        }
    }
}

/// Reference: refs C4, one step of the wedged bar: free fall, and a sticking solution
/// with percussions 0.153880 and 0.076940.
#[test]
fn wedged_bar_falls_or_stays() {
    // refs.json orders each contact (T, N); here (N, T).
    let w = [
        [3.909538931178862, 0.513030214988503, 1.969846310392954, -0.17101007166283436],
        [0.5130302149885031, 1.0904610688211374, 0.17101007166283438, -1.0301536896070458],
        [1.969846310392954, 0.17101007166283436, 3.909538931178862, -0.513030214988503],
        [-0.17101007166283438, -1.0301536896070458, -0.5130302149885031, 1.0904610688211374],
    ];
    let q = [0.09660964057049762, 0.017034886229125867, -0.09660964057049762, 0.017034886229125867];
    let at = |i: usize, r: usize| 2 * i + 1 - r;
    let mut triplets = vec![];
    for i in 0..2 {
        for j in 0..2 {
            triplets.push((i as u32, j as u32, Matrix::<2>::from_fn(|r, c| w[at(i, r)][at(j, c)])));
        }
    }
    let b = (0..2).map(|i| Vector::<2>::from_fn(|r, _| q[at(i, r)])).collect();
    let problem =
        Problem::new(BlockMatrix::from_triplets(2, &mut triplets), b, vec![Law::coulomb(0.5); 2]).expect("valid");
    let found = enumerate(&problem).expect("small");
    let is = |n: f64, t: f64| {
        found.isolated.iter().any(|e| {
            (e.s[0] - Vector::<2>::new(n, -t)).norm() < 1e-10 && (e.s[1] - Vector::<2>::new(n, t)).norm() < 1e-10
        })
    };
    assert!(is(0.0, 0.0), "free fall");
    assert!(is(0.15387960177222745, 0.07693980088611366), "the smallest wedging percussions");
    assert!(!found.families.is_empty(), "sticking at both ends leaves a one-parameter family");
    for e in &found.isolated {
        assert!(Certificate::new(&problem, &e.s).relative < 1e-10);
    }
    // Both are reached: the start selects the solution.
    for e in &found.isolated {
        let mut s = e.s.clone();
        assert!(solve(&problem, &settings(SolverKind::Nlgs, 1e-10), &mut s).expect("valid").converged());
        assert!(s.iter().zip(&e.s).all(|(a, b)| (a - b).norm() < 1e-8));
    }
}

/// Invariant: units of mass, length and time do not change the relative residual.
#[test]
fn relative_residual_is_scale_free() {
    let problem = random::<3>(6, 30, |_| Law::coulomb(0.4), 3);
    let mut rng = StdRng::seed_from_u64(5);
    let s: Vec<_> = (0..6).map(|_| Vector::<3>::from_fn(|_, _| rng.random_range(-1.0..1.0))).collect();
    let reference = Certificate::new(&problem, &s).relative;
    for (mass, speed) in [(1e9, 1.0), (1e-9, 1e3), (7.0, 1e-12)] {
        let w = problem.w().map(|_, _, b| b / mass);
        let b = problem.b().iter().map(|b| b * speed).collect();
        let scaled = Problem::new(w, b, problem.laws().to_vec()).expect("valid");
        let t: Vec<_> = s.iter().map(|s| s * (mass * speed)).collect();
        let relative = Certificate::new(&scaled, &t).relative;
        assert!((relative / reference - 1.0).abs() < 1e-12, "{relative} {reference}");
        let mut s = scaled.zero();
        assert!(solve(&scaled, &Settings::default(), &mut s).expect("valid").converged());
    }
}

/// Invariant: the coloured sweep gives the same bits for any number of threads.
#[test]
fn coloured_sweeps_do_not_depend_on_threads() {
    let problem = layer(40);
    let mut bits = vec![];
    for threads in [1, 2, 3, 7] {
        let mut s = problem.zero();
        let own = Settings {
            solver: SolverKind::Nlgs,
            order: solver::Order::Coloured { threads },
            tolerance: 1e-6,
            ..Default::default()
        };
        assert!(solve(&problem, &own, &mut s).expect("valid").converged());
        bits.push(s.iter().flat_map(|s| s.iter().map(|x| x.to_bits())).collect::<Vec<u64>>());
    }
    assert!(bits.windows(2).all(|b| b[0] == b[1]));
}

/// Contacts on a square lattice, each coupled with its four neighbours.
fn layer(side: usize) -> Problem<3> {
    let mut triplets = vec![];
    let mut rng = StdRng::seed_from_u64(1);
    let at = |i: usize, j: usize| (i * side + j) as u32;
    for i in 0..side {
        for j in 0..side {
            triplets.push((at(i, j), at(i, j), Matrix::<3>::identity() * 4.0));
            for (k, l) in [(i + 1, j), (i, j + 1)] {
                if k < side && l < side {
                    let b = Matrix::<3>::from_fn(|_, _| rng.random_range(-0.4..0.4));
                    triplets.push((at(i, j), at(k, l), b));
                    triplets.push((at(k, l), at(i, j), b.transpose()));
                }
            }
        }
    }
    let n = side * side;
    let b = (0..n).map(|_| Vector::<3>::from_fn(|_, _| rng.random_range(-1.0..0.5))).collect();
    Problem::new(BlockMatrix::from_triplets(n, &mut triplets), b, vec![Law::coulomb(0.4); n]).expect("valid")
}

/// A pile: `n` unit discs in a column under gravity, friction 0.3; W is tridiagonal.
fn chain(n: usize) -> Problem<2> {
    let mut triplets = vec![];
    for i in 0..n {
        let count = if i == 0 { 1.0 } else { 2.0 };
        triplets.push((i as u32, i as u32, Matrix::<2>::from_diagonal(&Vector::<2>::new(count, 3.0 * count))));
        if i + 1 < n {
            let b = Matrix::<2>::from_diagonal(&Vector::<2>::new(-1.0, 1.0));
            triplets.push((i as u32, i as u32 + 1, b));
            triplets.push((i as u32 + 1, i as u32, b));
        }
    }
    let mut b = vec![Vector::<2>::zeros(); n];
    b[0] = Vector::<2>::new(-0.01, 0.002);
    Problem::new(BlockMatrix::from_triplets(n, &mut triplets), b, vec![Law::coulomb(0.3); n]).expect("valid")
}

/// Reference: statics. Contact i of a column of n discs of unit mass carries the n − i above it.
#[test]
fn a_column_carries_its_weight() {
    let problem = chain(50);
    let mut s = problem.zero();
    let solution = solve(&problem, &settings(SolverKind::Auto, 1e-12), &mut s).expect("valid");
    assert!(solution.converged());
    for (i, s) in s.iter().enumerate() {
        assert!((s[0] - 0.01 * (50 - i) as f64).abs() < 1e-9, "contact {i}: {}", s[0]);
    }
}

/// References: each other (the three forms of one problem), and the balance of momentum.
#[test]
fn local_global_and_matrix_free_forms_agree() {
    use nalgebra::{SMatrix, SVector};
    let mut rng = StdRng::seed_from_u64(9);
    let bodies = 5;
    let inverse: Vec<SMatrix<f64, 6, 6>> =
        (0..bodies).map(|_| SMatrix::from_diagonal(&SVector::from_fn(|_, _| rng.random_range(0.5..2.0)))).collect();
    let free: Vec<SVector<f64, 6>> =
        (0..bodies).map(|_| SVector::from_fn(|_, _| rng.random_range(-1.0..1.0))).collect();
    let mut contacts = vec![];
    for i in 0..7u32 {
        let mut block = |body| Some((body, SMatrix::<f64, 3, 6>::from_fn(|_, _| rng.random_range(-1.0..1.0))));
        let second = if i == 0 { None } else { block((i + 1) % 5) };
        contacts.push([block(i % 5), second]);
    }
    let imposed = Vector::<3>::new(0.0, 0.1, 0.0);
    let laws = vec![Law::coulomb(0.4); contacts.len()];
    let (mut a, mut g) = (vec![], vec![]);
    for (k, m) in inverse.iter().enumerate() {
        (0..6).for_each(|d| a.push((6 * k + d, 6 * k + d, 1.0 / m[(d, d)])));
    }
    for (i, c) in contacts.iter().enumerate() {
        for (body, block) in c.iter().flatten() {
            for r in 0..3 {
                for d in 0..6 {
                    g.push((3 * i + r, 6 * *body as usize + d, block[(r, d)]));
                }
            }
        }
    }
    let f = (0..6 * bodies).map(|d| free[d / 6][d % 6] / inverse[d / 6][(d % 6, d % 6)]).collect();
    let w = vec![imposed; contacts.len()];
    let global = GlobalProblem::new(
        Csr::from_triplets(6 * bodies, 6 * bodies, &a),
        Csr::from_triplets(21, 6 * bodies, &g),
        f,
        w,
        laws.clone(),
    )
    .expect("valid");
    let condensed = global.condense().expect("regular");
    let mut by_bodies = Problem::<3>::default();
    by_bodies
        .refill_by_bodies(|root, b, list| {
            root.clear(6, bodies);
            for c in &contacts {
                root.begin(Vector::zeros());
                let sides = c.iter().flatten();
                b.push(imposed + sides.clone().map(|(body, g)| g * free[*body as usize]).sum::<Vector<3>>());
                for (body, g) in sides {
                    let inertia = &inverse[*body as usize];
                    let columns: Vec<_> = (0..6).map(|k| g.column(k) * inertia[(k, k)].sqrt()).collect();
                    assert!(root.push(*body, columns.into_iter()));
                }
            }
            list.clone_from(&laws);
        })
        .expect("valid");
    for i in 0..7 {
        assert!((condensed.b()[i] - by_bodies.b()[i]).norm() < 1e-13);
        assert!((condensed.w().diagonal(i) - by_bodies.w().diagonal(i)).norm() < 1e-13);
    }
    let mut s = by_bodies.zero();
    let own = solver::NlgsSettings { tolerance: 1e-11, check_every: 5, ..Default::default() };
    let outcome = solver::Nlgs::new(&by_bodies, own).expect("valid").run(&by_bodies, &mut s, &mut Silent);
    assert_eq!(outcome.stop, solver::Stop::Tolerance);
    assert!(Certificate::new(&condensed, &s).relative < 2e-11);
    let v = global.velocities(&s);
    for kind in [SolverKind::NewtonAc, SolverKind::NewtonNm, SolverKind::NewtonFb] {
        let mut t = condensed.zero();
        let solution = solver::GlobalNewton::new(&global, &condensed, &settings(kind, 1e-10))
            .expect("valid")
            .solve(&mut t, &mut Silent);
        assert!(solution.converged(), "{kind}: {solution:?}");
        let flat = global.velocities(&t);
        for (d, x) in flat.iter().enumerate() {
            assert!((x - v[d]).abs() < 1e-8, "velocities of the bodies, {kind}");
        }
    }
}

/// Stacked boxes: W of rank 6 for 24 rows. Reference: the balance of the box, S_N sums to its weight.
#[test]
fn rank_deficient_box_is_solved_by_every_newton() {
    let (mass, h, gravity) = (2.0, 0.01, 9.81);
    let corners = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
    // Eight contacts: each corner twice, as collision detection is prone to do.
    let row = |i: usize| {
        let [x, y] = corners[i % 4];
        // (n, t1, t2) = (z, x, y) at (x, y, −1); unit inertia.
        [[0.0, 0.0, 1.0, y, -x, 0.0], [1.0, 0.0, 0.0, 0.0, -1.0, -y], [0.0, 1.0, 0.0, 1.0, 0.0, x]]
    };
    let mut triplets = vec![];
    for i in 0..8 {
        for j in 0..8 {
            let block = Matrix::<3>::from_fn(|r, c| {
                (0..6).map(|d| row(i)[r][d] * row(j)[c][d] / if d < 3 { mass } else { 1.0 }).sum()
            });
            triplets.push((i as u32, j as u32, block));
        }
    }
    let b = vec![Vector::<3>::new(-gravity * h, 0.0, 0.0); 8];
    let problem =
        Problem::new(BlockMatrix::from_triplets(8, &mut triplets), b, vec![Law::coulomb(0.5); 8]).expect("valid");
    assert_eq!(problem.rank_deficiency(), Some(18));
    for kind in SolverKind::ALL.into_iter().filter(|k| *k != SolverKind::Multipliers) {
        let mut s = problem.zero();
        let solution = solve(&problem, &settings(kind, 1e-8), &mut s).expect("supported");
        assert!(solution.converged(), "{kind}: {:?} {:e}", solution.status, solution.certificate.relative);
        let sum: f64 = s.iter().map(|s| s[0]).sum();
        assert!((sum - mass * gravity * h).abs() < 1e-6 * mass * gravity * h, "{kind}: {sum}");
    }
}

/// Questions that make no sense are refused, with the culprit named.
#[test]
fn bad_problems_are_refused() {
    let w = || BlockMatrix::from_triplets(1, &mut [(0, 0, Matrix::<3>::identity())]);
    let b = Vector::<3>::new(-1.0, 0.0, 0.0);
    let text = |r: Result<Problem<3>, Error>| r.expect_err("refused").to_string();
    assert!(text(Problem::new(w(), vec![], vec![Law::Frictionless])).contains("b has 0 entries, expected 1"));
    assert!(text(Problem::new(w(), vec![b], vec![])).contains("laws has 0 entries"));
    let nan = Vector::<3>::new(0.0, f64::NAN, 0.0);
    assert!(text(Problem::new(w(), vec![nan], vec![Law::Frictionless])).contains("contact 0, component 1"));
    assert!(text(Problem::new(w(), vec![b], vec![Law::Coulomb { mu: -0.1 }])).contains("mu is -0.1"));
    assert!(
        text(Problem::new(w(), vec![b], vec![Law::Torsional { mu: 0.1, mu_s: 0.1 }])).contains("needs contacts of 4")
    );
    let infinite = BlockMatrix::from_triplets(1, &mut [(0, 0, Matrix::<3>::from_element(f64::INFINITY))]);
    assert!(text(Problem::new(infinite, vec![b], vec![Law::Frictionless])).contains("(0, 0)"));
    let problem = Problem::new(w(), vec![b], vec![Law::coulomb(0.5)]).expect("valid");
    assert!(solve(&problem, &settings(SolverKind::Auto, -1.0), &mut problem.zero()).is_err());
    assert!(solve(&problem, &Settings::default(), &mut []).is_err());
    assert!(solve(&problem, &Settings::default(), &mut [nan]).is_err());
}

/// An empty problem is solved by nothing.
#[test]
fn empty_problem_is_solved() {
    let problem = Problem::<3>::new(BlockMatrix::from_triplets(0, &mut []), vec![], vec![]).expect("valid");
    for kind in SolverKind::ALL {
        assert!(solve(&problem, &settings(kind, 1e-8), &mut []).expect("valid").converged());
    }
}

/// Invariant: a solve started at its own solution changes nothing and says so at once.
#[test]
fn warm_start_at_the_solution_ends_in_one_sweep() {
    let problem = chain(100);
    let mut s = problem.zero();
    assert!(solve(&problem, &settings(SolverKind::Auto, 1e-10), &mut s).expect("valid").converged());
    let again = solve(&problem, &settings(SolverKind::Nlgs, 1e-8), &mut s).expect("valid");
    assert_eq!((again.status, again.iterations), (Status::Converged, 1));
}
