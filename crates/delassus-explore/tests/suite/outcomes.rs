//! One step with several solutions: the bar that falls or stays.

use crate::common::{ladder, number, references, wedged_bar};
use delassus_explore::{
    Bounds, BoundsSettings, Equilibrium, Origin, Outcome, Procedure, SamplingSettings, Statics, outcomes, sample,
};
use delassus_friction::algebra::{BlockMatrix, Matrix, Vector};
use delassus_friction::{Law, Problem};
use serde_json::Value;

/// The step of C4; its data are (tangent, normal).
fn step(reference: &Value) -> Problem<2> {
    let flip = |k: usize| 2 * (k / 2) + 1 - k % 2;
    let w = |i: usize, j: usize| number(&reference["W"][flip(i)][flip(j)]);
    let mut triplets = vec![];
    for i in 0..2 {
        for j in 0..2 {
            triplets.push((i as u32, j as u32, Matrix::<2>::from_fn(|r, c| w(2 * i + r, 2 * j + c))));
        }
    }
    let b = (0..2).map(|i| Vector::<2>::from_fn(|r, _| number(&reference["q"][flip(2 * i + r)]))).collect();
    let law = Law::coulomb(number(&reference["mu"]));
    Problem::new(BlockMatrix::from_triplets(2, &mut triplets), b, vec![law; 2]).expect("valid")
}

fn all(problem: &Problem<2>, statics: &Statics<2>) -> Vec<Outcome<2>> {
    let mut solutions: Vec<(Origin, Vec<Vector<2>>)> = vec![];
    for s in statics.enumerated(problem).expect("few contacts").solutions {
        solutions.push((Origin::Enumeration, s));
    }
    if let Some(network) = statics.any().expect("answered") {
        solutions.push((Origin::Equilibrium, network.percussions));
    }
    outcomes(problem, solutions, 1e-12)
}

/// C4 and S1: fall and equilibrium, both with residual below 1e-12; the equilibria are a
/// half-line from a normal percussion of 0.153880 N·s on.
#[test]
fn wedged_bar_falls_or_stays() {
    let references = references();
    let problem = step(&references["wedged_bar_step"]);
    let statics = Statics::from_problem(&problem).expect("valid");
    let found = all(&problem, &statics);
    let names: Vec<String> = found.iter().map(|o| o.name(problem.b_norm())).collect();
    assert_eq!(names, ["separation (every contact opens)", "equilibrium"]);
    assert!(found.iter().all(|o| o.residual < 1e-12), "{found:?}");
    assert!(found[0].percussions.iter().all(|s| s.norm() == 0.0));
    let Bounds::Reactions(sets) = statics.bounds(&BoundsSettings::default(), &|_| {}).expect("answered") else {
        panic!("empty")
    };
    let expected = number(&references["wedged_bar_step"]["enumerated"][1]["r"][1]);
    for set in sets {
        assert!((set.vertices[0][0] - expected).abs() < 1e-10, "{set:?}");
        assert_eq!(set.rays.len(), 1);
    }
}

/// Below the threshold the bar can only fall; with walls that open upwards it can only stay.
#[test]
fn one_outcome_beyond_the_thresholds() {
    for (beta, mu, name) in [(10.0f64, 0.15, "separation (every contact opens)"), (-5.0, 0.3, "equilibrium")] {
        let system = wedged_bar(beta.to_radians(), mu, 9.81);
        let problem = system.problem();
        let found = all(&problem, &system.statics());
        let names: Vec<String> = found.iter().map(|o| o.name(problem.b_norm())).collect();
        assert_eq!(names, [name]);
    }
}

/// S1, wrong signature: from zero Gauss–Seidel finds the fall alone; random initial forces
/// find both.
#[test]
fn random_forces_find_both_outcomes() {
    let problem = wedged_bar(10f64.to_radians(), 0.5, 9.81).problem();
    let count = |procedure| {
        let settings = SamplingSettings { samples: 300, procedure, seed: 4, ..Default::default() };
        let samples = sample(&problem, None, &settings, &|_| {}).expect("answered");
        (samples.at_rest(), samples.len())
    };
    assert_eq!(count(Procedure::Shuffle), (0, 300));
    let (still, accepted) = count(Procedure::Random);
    assert!(still > 0 && still < accepted, "{still} of {accepted}");
}

/// S2: a ladder too flat slides; that is its only motion.
#[test]
fn flat_ladder_slides() {
    let system = ladder(45f64.to_radians(), 0.3, 0.3);
    let problem = system.problem();
    let found = all(&problem, &system.statics());
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].name(problem.b_norm()), "0 open, 0 sticking, 2 slipping");
}

fn one_contact(w: [f64; 4], b: [f64; 2], mu: f64) -> Problem<2> {
    let block = Matrix::<2>::new(w[0], w[1], w[2], w[3]);
    let w = BlockMatrix::from_triplets(1, &mut [(0, 0, block)]);
    Problem::new(w, vec![Vector::<2>::new(b[0], b[1])], vec![Law::coulomb(mu)]).expect("valid")
}

/// One contact with W_NN = μ W_NT and no normal free velocity: it may slide at any speed up to
/// its own, `U_T = 3 − S_N`, S_N ∈ [0, 3]. Closed form; its ends are the two motions that
/// isolated solutions show.
#[test]
fn a_contact_slides_at_any_speed() {
    let problem = one_contact([4.0, 3.0, 3.0, 3.0], [0.0, 3.0], 4.0 / 3.0);
    let statics = Statics::from_problem(&problem).expect("valid");
    let found = statics.enumerated(&problem).expect("one contact");
    assert_eq!(found.solutions.len(), 0, "the ends belong to the continuum");
    let [one] = &found.continua[..] else { panic!("{found:?}") };
    assert_eq!((one.motions, one.percussions), (1, 1));
    let near = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).abs() < 1e-9 && (a[1] - b[1]).abs() < 1e-9;
    assert!(near(one.reactions[0][0], [0.0, 3.0]) && near(one.reactions[0][1], [-4.0, 0.0]), "{one:?}");
    assert!(near(one.velocities[0][0], [0.0, 0.0]) && near(one.velocities[0][1], [0.0, 3.0]), "{one:?}");
    let mut ends: Vec<f64> = one.points.iter().map(|s| s[0][0]).collect();
    ends.sort_by(f64::total_cmp);
    assert!(ends.len() == 2 && near([ends[0], ends[1]], [0.0, 3.0]), "{ends:?}");
    // Every point of the segment satisfies the law.
    for k in 0..=30 {
        let n = 0.1 * k as f64;
        let s = [Vector::<2>::new(n, -4.0 / 3.0 * n)];
        assert!(delassus_friction::Certificate::new(&problem, &s).relative < 1e-14, "S_N = {n}");
    }
    // A little less friction, and only one motion is left.
    let less = one_contact([4.0, 3.0, 3.0, 3.0], [0.0, 3.0], 1.33);
    let found = Statics::from_problem(&less).expect("valid").enumerated(&less).expect("one contact");
    assert!(found.continua.is_empty() && !found.solutions.is_empty());
}

/// Two such contacts that do not feel each other: a rectangle of motions, two dimensions.
#[test]
fn two_contacts_slide_at_any_speeds() {
    let block = Matrix::<2>::new(4.0, 3.0, 3.0, 3.0);
    let w = BlockMatrix::from_triplets(2, &mut [(0, 0, block), (1, 1, block * 2.0)]);
    let b = vec![Vector::<2>::new(0.0, 3.0), Vector::<2>::new(0.0, -1.0)];
    let problem = Problem::new(w, b, vec![Law::coulomb(4.0 / 3.0), Law::coulomb(4.0 / 3.0)]).expect("valid");
    let found = Statics::from_problem(&problem).expect("valid").enumerated(&problem).expect("two contacts");
    let [one] = &found.continua[..] else { panic!("{} continua", found.continua.len()) };
    // The second has W_NN = μ W_NT too, but is pushed the other way: S_T = +μ S_N lifts it.
    assert_eq!((one.motions, one.percussions), (1, 1));
    let both = vec![Vector::<2>::new(0.0, 3.0), Vector::<2>::new(0.0, 1.0)];
    let problem = Problem::new(problem.w().clone(), both, problem.laws().to_vec()).expect("valid");
    let found = Statics::from_problem(&problem).expect("valid").enumerated(&problem).expect("two contacts");
    let [one] = &found.continua[..] else { panic!("{} continua", found.continua.len()) };
    assert_eq!((one.motions, one.percussions), (2, 2));
    assert!((one.velocities[1][1][1] - 1.0).abs() < 1e-9 && one.velocities[1][1][0].abs() < 1e-9, "{one:?}");
}

/// The bar between converging walls has a half-line of equilibria and one fall: two motions, no
/// continuum of them (C4).
#[test]
fn a_half_line_of_forces_is_no_continuum_of_motions() {
    let problem = step(&references()["wedged_bar_step"]);
    let found = Statics::from_problem(&problem).expect("valid").enumerated(&problem).expect("two contacts");
    assert!(found.continua.is_empty(), "{:?}", found.continua);
}
