//! Elimination by bodies against elimination by contacts, on the same problems.

use delassus_friction::algebra::{BlockMatrix, Matrix, Vector};
use delassus_friction::solver::{Nlgs, NlgsSettings, Order, Silent, Stop, least_change};
use delassus_friction::{Certificate, Error, Law, Problem, Root, Settings, SolverKind, solve};
use nalgebra::{SMatrix, SVector};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// A body and its columns.
type Side = Option<(u32, SMatrix<f64, 3, 6>)>;

/// Bodies of unit inertia in a ring, four contacts between neighbours and with the ground: `W` is
/// rank-deficient, as in stacks.
fn ring(bodies: usize) -> (Problem<3>, Root<3>) {
    let mut rng = StdRng::seed_from_u64(11);
    let mut root = Root::new(6, bodies);
    let mut contacts: Vec<[Side; 2]> = vec![];
    for a in 0..bodies as u32 {
        for k in 0..8u32 {
            let b = (k < 4 && bodies > 1).then_some((a + 1) % bodies as u32);
            let mut block = || SMatrix::<f64, 3, 6>::from_fn(|_, _| rng.random_range(-1.0..1.0));
            let sides = [Some((a, block())), b.map(|b| (b, block()))];
            root.begin(Vector::zeros());
            for (body, g) in sides.iter().flatten() {
                assert!(root.push(*body, g.column_iter().map(|c| c.into_owned())));
            }
            contacts.push(sides);
        }
    }
    let free: Vec<_> = (0..bodies).map(|_| SVector::<f64, 6>::from_fn(|_, _| rng.random_range(-1.0..1.0))).collect();
    let mut triplets = vec![];
    for (i, mine) in contacts.iter().enumerate() {
        for (j, theirs) in contacts.iter().enumerate() {
            for (a, g) in mine.iter().flatten() {
                let shared = theirs.iter().flatten().filter(|(b, _)| a == b);
                triplets.extend(shared.map(|(_, h)| (i as u32, j as u32, Matrix::<3>::from(g * h.transpose()))));
            }
        }
    }
    let velocity = |c: &[Option<(u32, SMatrix<f64, 3, 6>)>; 2]| -> Vector<3> {
        c.iter().flatten().map(|(body, g)| g * free[*body as usize]).sum()
    };
    let b = contacts.iter().map(velocity).collect();
    let laws = vec![Law::coulomb(0.3); contacts.len()];
    let w = BlockMatrix::from_triplets(contacts.len(), &mut triplets);
    (Problem::new(w, b, laws).expect("valid"), root)
}

/// Reference: the same solver without the root; the certificate judges both.
#[test]
fn solvers_agree_with_and_without_the_root() {
    let (plain, root) = ring(12);
    let mut rooted = plain.clone();
    rooted.set_root(root).expect("belongs to the problem");
    for solver in [SolverKind::Admm, SolverKind::Ipm, SolverKind::Auto] {
        let settings = Settings { solver, tolerance: 1e-8, ..Default::default() };
        let (mut a, mut b) = (plain.zero(), plain.zero());
        let first = solve(&plain, &settings, &mut a).expect("valid");
        let second = solve(&rooted, &settings, &mut b).expect("valid");
        assert!(first.converged() && second.converged(), "{solver}: {:?} {:?}", first.status, second.status);
        // Round-off sends singular problems along other paths, but directions that are wrong would creep.
        let (a, b) = (first.iterations, second.iterations);
        assert!(b <= 2 * a && a <= 2 * b, "{solver}: {a} iterations by contacts, {b} by bodies");
    }
}

/// Reference: the interior point, judged by the same certificate, on rings of bodies whose contacts are redundant; with `W`
/// assembled and without it. Where friction determines the motion, both find the same velocities.
#[test]
fn multipliers_agree_with_the_interior_point() {
    for bodies in [3, 12, 40] {
        let (mut plain, root) = ring(bodies);
        let without = by_bodies(&plain, &root);
        plain.set_root(root).expect("belongs to the problem");
        let settings = |solver, tolerance| Settings { solver, tolerance, ..Default::default() };
        let mut reference = plain.zero();
        assert!(solve(&plain, &settings(SolverKind::Ipm, 1e-10), &mut reference).expect("valid").converged());
        let mut wanted = plain.zero();
        plain.velocities(&reference, &mut wanted);
        for problem in [&plain, &without] {
            let mut s = problem.zero();
            let solution = solve(problem, &settings(SolverKind::Multipliers, 1e-8), &mut s).expect("valid");
            assert!(solution.converged(), "{bodies}: {:?} {:e}", solution.status, solution.certificate.relative);
            assert!(Certificate::new(&plain, &s).relative <= 1.01e-8, "judged by the assembled problem");
            let mut u = plain.zero();
            plain.velocities(&s, &mut u);
            let error = u.iter().zip(&wanted).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
            assert!(error <= 1e-6 * plain.b_norm(), "{bodies}: {error:e}");
        }
    }
}

/// Questions it cannot answer are refused with the reason.
#[test]
fn multipliers_need_the_bodies_and_stiff_contacts() {
    let (mut problem, mut root) = ring(3);
    let settings = Settings { solver: SolverKind::Multipliers, ..Default::default() };
    let told = |p: &Problem<3>| solve(p, &settings, &mut p.zero()).expect_err("refused").to_string();
    assert!(told(&problem).contains("without its bodies"));
    root.begin(Vector::zeros());
    assert!(problem.set_root(root).is_err());
}

#[test]
fn a_root_of_something_else_is_refused() {
    let (mut problem, _) = ring(5);
    let (_, other) = ring(6);
    assert!(matches!(problem.set_root(other), Err(Error::Size { expected: 40, found: 48, .. })));
    let mut wrong = Root::new(6, 5);
    for _ in 0..problem.len() {
        wrong.begin(Vector::zeros());
        assert!(!wrong.push(5, [Vector::zeros(); 6].into_iter()), "a body beyond the last");
        assert!(!wrong.push(0, [Vector::zeros(); 3].into_iter()), "too few columns");
        assert!(wrong.push(0, [Vector::<3>::new(1.0, 0.0, 0.0); 6].into_iter()));
    }
    assert_eq!(problem.set_root(wrong), Err(Error::Root { contact: 0 }));
    assert!(problem.root().is_none());
}

/// Reference: the product with `W`. The velocities asked for are in its range; held components
/// must not change.
#[test]
fn a_change_of_percussions_gives_the_velocities_asked_for() {
    let (problem, root) = ring(9);
    let mut rng = StdRng::seed_from_u64(2);
    let zero = problem.zero();
    let free: Vec<Vector<3>> = (0..problem.len()).map(|i| Vector::repeat(if i % 8 == 7 { 0.0 } else { 1.0 })).collect();
    let cause: Vec<_> = free.iter().map(|f| f.map(|f| f * rng.random_range(-1.0..1.0))).collect();
    let mut u = zero.clone();
    problem.w().apply(&cause, &zero, &mut u);
    let x = least_change(&root, &free, |i| problem.rho(i), &u).expect("bodies of space");
    let mut got = zero.clone();
    problem.w().apply(&x, &zero, &mut got);
    for i in 0..problem.len() {
        assert!((got[i] - u[i]).component_mul(&free[i]).norm() < 1e-9, "{i}: {}", got[i] - u[i]);
        let held = x[i].component_mul(&free[i].map(|f| 1.0 - f));
        assert_eq!(held.amax(), 0.0, "a held component changed");
    }
}

/// The same problem by bodies, with compliances.
fn by_bodies(plain: &Problem<3>, root: &Root<3>) -> Problem<3> {
    let mut problem = Problem::default();
    problem
        .refill_by_bodies(|r, b, laws| {
            r.clone_from(root);
            b.extend_from_slice(plain.b());
            laws.extend_from_slice(plain.laws());
        })
        .expect("valid");
    problem
}

/// Reference: the assembled problem. Velocities, and fifty sweeps in each order: the same iterates within
/// round-off. Accelerated ones, which amplify it, end in a solution of the assembled problem.
#[test]
fn sweeps_by_bodies_are_those_of_the_assembled_problem() {
    let (plain, root) = ring(10);
    let bodies = by_bodies(&plain, &root);
    let mut rng = StdRng::seed_from_u64(5);
    let s: Vec<_> = plain.zero().iter().map(|_| Vector::<3>::from_fn(|_, _| rng.random_range(-1.0..1.0))).collect();
    let (mut u, mut v) = (plain.zero(), plain.zero());
    plain.velocities(&s, &mut u);
    bodies.velocities(&s, &mut v);
    assert!(u.iter().zip(&v).all(|(u, v)| (u - v).norm() < 1e-12));
    assert_eq!(bodies.w().blocks(), plain.len(), "nothing but the diagonal");
    let run = |p: &Problem<3>, own: NlgsSettings| {
        let mut s = p.zero();
        let outcome = Nlgs::new(p, own).expect("valid").run(p, &mut s, &mut Silent);
        (s, outcome.stop)
    };
    for order in [Order::Sequential, Order::Symmetric, Order::Shuffled { seed: 3 }] {
        let own = NlgsSettings { tolerance: 1e-15, max_iterations: 50, order, ..Default::default() };
        let [(s, _), (t, _)] = [&plain, &bodies].map(|p| run(p, own.clone()));
        let size = s.iter().map(|s| s.norm()).fold(0.0, f64::max);
        let worst = s.iter().zip(&t).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        assert!(size > 0.1 && worst < 1e-11 * size, "{order:?}: {worst:e} of {size}");
    }
    let own = NlgsSettings { tolerance: 1e-7, acceleration: 5, ..Default::default() };
    let (s, stop) = run(&bodies, own);
    assert_eq!(stop, Stop::Tolerance);
    assert!(Certificate::new(&plain, &s).relative <= 1.01e-7, "judged by the assembled problem");
}

/// What needs `W` says so instead of solving another problem.
#[test]
fn other_solvers_refuse_a_problem_by_bodies() {
    let (plain, root) = ring(4);
    let bodies = by_bodies(&plain, &root);
    for solver in SolverKind::ALL {
        let mut s = bodies.zero();
        let answer = solve(&bodies, &Settings { solver, ..Settings::default() }, &mut s);
        match solver {
            SolverKind::Nlgs | SolverKind::NlgsAnderson | SolverKind::Multipliers => {
                assert!(answer.expect("accepted").converged())
            }
            _ => assert!(answer.expect_err("refused").to_string().contains("not assembled"), "{solver}"),
        }
    }
}
