//! ADMM and accelerated projected gradient: closed forms, agreement with
//! Gauss–Seidel and the convex programs, every law, honest failures.

use delassus_friction::algebra::{BlockMatrix, Matrix, Vector};
use delassus_friction::laws::Section;
use delassus_friction::solver::{
    Admm, AdmmSettings, Apg, ApgSettings, Control, Convex, ConvexSettings, Monitor, Nlgs, NlgsSettings, Outcome,
    Progress, Silent, Stop,
};
use delassus_friction::{Certificate, Law, Problem};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::sync::Arc;

const TOLERANCE: f64 = 1e-10;

type Answer<const D: usize> = (&'static str, Vec<Vector<D>>, Outcome);

fn admm<const D: usize>(problem: &Problem<D>, monitor: &mut dyn Monitor) -> Answer<D> {
    let mut s = problem.zero();
    let settings = AdmmSettings { tolerance: TOLERANCE, ..Default::default() };
    let outcome = Admm::new(problem, settings).expect("valid").run(problem, &mut s, monitor);
    ("admm", s, outcome)
}

fn apg<const D: usize>(problem: &Problem<D>, monitor: &mut dyn Monitor) -> Answer<D> {
    let mut s = problem.zero();
    let settings = ApgSettings { tolerance: TOLERANCE, ..Default::default() };
    let outcome = Apg::new(problem, settings).expect("valid").run(problem, &mut s, monitor);
    ("apg", s, outcome)
}

fn nlgs<const D: usize>(problem: &Problem<D>) -> Answer<D> {
    let mut s = problem.zero();
    let settings = NlgsSettings { tolerance: TOLERANCE, ..Default::default() };
    let outcome = Nlgs::new(problem, settings).expect("valid").run(problem, &mut s, &mut Silent);
    ("nlgs", s, outcome)
}

fn convex<const D: usize>(problem: &Problem<D>) -> Answer<D> {
    let mut s = problem.zero();
    let settings = ConvexSettings { tolerance: TOLERANCE, ..Default::default() };
    let outcome = Convex::new(problem, settings).expect("valid").run(problem, &mut s, &mut Silent);
    ("convex", s, outcome)
}

/// `W = G A⁻¹ Gᵀ` of a chain of bodies with `6` degrees of freedom each, masses over
/// two decades; well conditioned since each contact has its own two bodies' motions.
fn chain<const D: usize>(n: usize, seed: u64, law: impl Fn(usize) -> Law) -> Problem<D> {
    let mut rng = StdRng::seed_from_u64(seed);
    let mass: Vec<f64> = (0..=n).map(|_| 10f64.powf(rng.random_range(-1.0..1.0))).collect();
    let mut gradient = || nalgebra::SMatrix::<f64, D, 6>::from_fn(|_, _| rng.random_range(-1.0..1.0));
    let left: Vec<_> = (0..n).map(|_| gradient()).collect();
    let right: Vec<_> = (0..n).map(|_| gradient()).collect();
    let mut triplets = vec![];
    for i in 0..n {
        let own = left[i] * left[i].transpose() / mass[i] + right[i] * right[i].transpose() / mass[i + 1];
        triplets.push((i as u32, i as u32, own));
        if i + 1 < n {
            let next: Matrix<D> = right[i] * left[i + 1].transpose() / mass[i + 1];
            triplets.push((i as u32, i as u32 + 1, next));
            triplets.push((i as u32 + 1, i as u32, next.transpose()));
        }
    }
    let b = (0..n).map(|_| Vector::from_fn(|_, _| rng.random_range(-1.0..1.0))).collect();
    Problem::new(BlockMatrix::from_triplets(n, &mut triplets), b, (0..n).map(law).collect()).expect("valid")
}

/// All converge, and to the same velocities; reference: Gauss–Seidel with exact one-contact solves.
fn agree<const D: usize>(problem: &Problem<D>, answers: Vec<Answer<D>>) {
    let (_, reference, outcome) = nlgs(problem);
    assert_eq!(outcome.stop, Stop::Tolerance);
    let (mut u, mut v) = (problem.zero(), problem.zero());
    problem.velocities(&reference, &mut u);
    for (name, s, outcome) in answers {
        assert_eq!(outcome.stop, Stop::Tolerance, "{name}: {:e}", Certificate::new(problem, &s).relative);
        assert!(Certificate::new(problem, &s).relative <= 1.0001 * TOLERANCE, "{name}");
        problem.velocities(&s, &mut v);
        for i in 0..problem.len() {
            assert!((u[i] - v[i]).norm() < 1e-6, "{name}, contact {i}: {} {}", u[i], v[i]);
        }
    }
}

fn all<const D: usize>(problem: &Problem<D>) {
    agree(problem, vec![admm(problem, &mut Silent), apg(problem, &mut Silent), convex(problem)]);
}

/// Unit mass at (−1, 2) m/s on a floor, μ = ½: `S = (1, −½)`, slip to 1.5 m/s. Closed form.
#[test]
fn sliding_block_in_closed_form() {
    let w = BlockMatrix::from_triplets(1, &mut [(0, 0, Matrix::<2>::identity())]);
    let problem = Problem::new(w, vec![Vector::<2>::new(-1.0, 2.0)], vec![Law::coulomb(0.5)]).expect("valid");
    for (name, s, outcome) in [admm(&problem, &mut Silent), apg(&problem, &mut Silent), convex(&problem)] {
        assert_eq!(outcome.stop, Stop::Tolerance, "{name}");
        assert!((s[0] - Vector::<2>::new(1.0, -0.5)).norm() < 1e-8, "{name}: {}", s[0]);
    }
}

#[test]
fn plane_chains_agree() {
    for seed in 0..5 {
        all(&chain::<2>(30, seed, |i| Law::coulomb(0.1 * (i % 7) as f64)));
    }
}

#[test]
fn space_chains_agree() {
    for seed in 0..5 {
        all(&chain::<3>(30, seed, |i| Law::coulomb(0.1 * (i % 7) as f64)));
    }
}

/// Laws of three components side by side in one problem.
#[test]
fn mixed_laws_agree() {
    let section = Arc::new(Section::regular(0.5, 6).expect("convex"));
    for seed in 0..5 {
        all(&chain::<3>(24, seed, |i| match i % 6 {
            0 => Law::Frictionless,
            1 => Law::coulomb(0.6),
            2 => Law::Elliptic { mu: [0.3, 0.7], angle: 0.5 },
            3 => Law::Polyhedral(section.clone()),
            4 => Law::Bilateral,
            _ => Law::coulomb(0.2),
        }));
    }
}

/// Rolling resistance, five components.
#[test]
fn rolling_agrees() {
    for seed in 0..3 {
        let problem = chain::<5>(10, seed, |_| Law::Rolling { mu: 0.4, mu_r: 0.1 });
        all(&problem);
    }
}

/// Tresca's law: its two states allow several solutions, so each answer is judged by
/// the certificate alone; an open contact must not rub, whatever its threshold.
#[test]
fn thresholds_are_met_and_open_contacts_do_not_rub() {
    let mut open = 0;
    for seed in 0..5 {
        let problem =
            chain::<3>(10, seed, |i| if i % 3 == 0 { Law::Tresca { threshold: 0.05 } } else { Law::coulomb(0.3) });
        for (name, s, outcome) in [admm(&problem, &mut Silent), apg(&problem, &mut Silent), convex(&problem)] {
            assert_eq!(outcome.stop, Stop::Tolerance, "{name}, seed {seed}");
            assert!(Certificate::new(&problem, &s).relative <= 1.0001 * TOLERANCE, "{name}, seed {seed}");
            open += s.iter().filter(|s| s.norm() == 0.0).count();
        }
    }
    assert!(open > 0);
}

/// A second solve from the answer of the first ends at once.
#[test]
fn warm_start_from_a_solution_is_immediate() {
    let problem = chain::<3>(20, 9, |_| Law::coulomb(0.5));
    let (_, mut s, _) = admm(&problem, &mut Silent);
    let again = Admm::new(&problem, AdmmSettings::default()).expect("valid").run(&problem, &mut s, &mut Silent);
    assert_eq!((again.stop, again.iterations), (Stop::Tolerance, 0));
    let again = Apg::new(&problem, ApgSettings::default()).expect("valid").run(&problem, &mut s, &mut Silent);
    assert_eq!((again.stop, again.iterations), (Stop::Tolerance, 0));
}

/// C1 with f = 1, a step without solution: never `Tolerance`, and finite percussions.
#[test]
fn a_step_without_solution_is_not_called_solved() {
    let g = Vector::<2>::new(0.3, 1.0);
    let w = BlockMatrix::from_triplets(1, &mut [(0, 0, g * g.transpose())]);
    let problem = Problem::new(w, vec![Vector::<2>::new(-0.6, 0.0)], vec![Law::coulomb(0.5)]).expect("valid");
    for (name, s, outcome) in [admm(&problem, &mut Silent), apg(&problem, &mut Silent)] {
        assert_ne!(outcome.stop, Stop::Tolerance, "{name}");
        assert!(s[0].iter().all(|x| x.is_finite()), "{name}");
    }
}

/// The monitor stops a run, which keeps its best percussions.
#[test]
fn a_monitor_can_stop() {
    let problem = chain::<3>(20, 3, |_| Law::coulomb(0.5));
    let mut stop = |p: &Progress| if p.iteration >= 3 { Control::Stop } else { Control::Continue };
    for (name, s, outcome) in [admm(&problem, &mut stop), apg(&problem, &mut stop)] {
        assert_eq!((outcome.stop, outcome.iterations), (Stop::Asked, 3), "{name}");
        assert!(Certificate::new(&problem, &s).relative < 1.0, "{name}");
    }
}

#[test]
fn bad_settings_are_refused_by_name() {
    let problem = chain::<3>(2, 0, |_| Law::Frictionless);
    let admm = AdmmSettings { relaxation: 2.0, ..Default::default() };
    assert!(Admm::new(&problem, admm).err().expect("refused").to_string().contains("relaxation"));
    let apg = ApgSettings { hold: 0, ..Default::default() };
    assert!(Apg::new(&problem, apg).err().expect("refused").to_string().contains("hold"));
}

/// No contact: solved by nothing.
#[test]
fn the_empty_problem_is_solved() {
    let problem = Problem::<3>::new(BlockMatrix::from_triplets(0, &mut []), vec![], vec![]).expect("valid");
    for (name, _, outcome) in [admm(&problem, &mut Silent), apg(&problem, &mut Silent), convex(&problem)] {
        assert_eq!(outcome.stop, Stop::Tolerance, "{name}");
    }
}
