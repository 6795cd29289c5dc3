//! Properties of random systems.

use crate::common::{System, discs, references};
use delassus_explore::{
    Bounds, BoundsSettings, Equilibrium, Error, Reaction, SamplingSettings, Statics, distance, least_friction, sample,
};
use delassus_friction::Law;
use delassus_friction::algebra::Vector;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn bounds(statics: &Statics<2>) -> Option<Vec<Reaction<2>>> {
    match statics.bounds(&BoundsSettings::default(), &|_| {}).expect("answered") {
        Bounds::Reactions(list) => Some(list),
        Bounds::Empty => None,
    }
}

/// A balance that some percussions in the cones satisfy.
fn random(rng: &mut ChaCha8Rng) -> (Statics<2>, Vec<Vector<2>>) {
    let (n, m) = (rng.random_range(2..8), rng.random_range(2..8));
    let mut load = vec![0.0; m];
    let (mut entries, mut laws, mut known) = (vec![], vec![], vec![]);
    for block in 0..n {
        let mu: f64 = if rng.random_bool(0.2) { 0.0 } else { rng.random_range(0.1..1.0) };
        let normal: f64 = if rng.random_bool(0.2) { 0.0 } else { rng.random_range(0.0..2.0) };
        let s = Vector::<2>::new(normal, mu * normal * rng.random_range(-1.0..1.0));
        for (row, f) in load.iter_mut().enumerate() {
            let g = Vector::<2>::new(rng.random_range(-1.0..1.0), rng.random_range(-1.0..1.0));
            *f -= g.dot(&s);
            entries.push((block, row, g));
        }
        laws.push(Law::coulomb(mu));
        known.push(s);
    }
    (Statics::new(laws, n, load, entries).expect("valid"), known)
}

/// A known equilibrium is in every polygon; each vertex belongs to an equilibrium; no equilibrium
/// found in a random direction is outside.
#[test]
fn polygons_hold_every_equilibrium_and_no_more() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut unbounded = 0;
    for case in 0..300 {
        let (statics, known) = random(&mut rng);
        assert!(statics.imbalance(&known) < 1e-12 && statics.outside(&known) < 1e-12);
        let sets = bounds(&statics).unwrap_or_else(|| panic!("case {case} is not empty"));
        for set in sets {
            if !set.rays.is_empty() {
                unbounded += 1;
                continue;
            }
            let size = set.vertices.iter().map(|v| v.norm()).fold(1.0, f64::max);
            let out = distance(&known[set.contact], &set.vertices);
            assert!(out <= 1e-7 * size, "case {case}, contact {}: {out}", set.contact);
            for vertex in &set.vertices {
                let centre: Vector<2> = set.vertices.iter().sum::<Vector<2>>() / set.vertices.len() as f64;
                let direction = if set.vertices.len() > 1 { (vertex - centre).normalize() } else { *vertex };
                let Some(network) = statics.extreme(set.contact, &direction).expect("answered") else {
                    panic!("case {case}: bounded, then not")
                };
                assert!(statics.imbalance(&network.percussions) < 1e-7, "case {case}");
                assert!(statics.outside(&network.percussions) < 1e-9, "case {case}");
                let found = network.percussions[set.contact];
                assert!(distance(&found, &set.vertices) <= 1e-7 * size, "case {case}");
                assert!(direction.dot(&(found - vertex)) >= -1e-7 * size, "case {case}");
            }
        }
    }
    assert!(unbounded > 0, "the cases include unbounded sets");
}

/// Forces scale with the loads; the most stable network is an equilibrium with its margin.
#[test]
fn sets_scale_with_the_loads() {
    let references = references();
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for _ in 0..20 {
        let mut system = discs(&references["stacks"]["pyramid6_mu0.5"], rng.random_range(0.5..1.0));
        system.load.iter_mut().for_each(|f| f[1] *= rng.random_range(0.8..1.2));
        let statics = system.statics();
        let Some(sets) = bounds(&statics) else { continue };
        let factor = 10f64.powf(rng.random_range(-6.0..6.0));
        system.load.iter_mut().flatten().for_each(|x| *x *= factor);
        let scaled = bounds(&system.statics()).expect("not empty either");
        for (a, b) in sets.iter().zip(&scaled) {
            for v in &a.vertices {
                assert!(distance(&(v * factor), &b.vertices) < 1e-8 * factor, "factor {factor}");
            }
        }
        let stable = statics.most_stable().expect("answered").expect("not empty");
        assert!(statics.imbalance(&stable.percussions) < 1e-9 && stable.margin >= -1e-9);
        let any = statics.any().expect("answered").expect("not empty");
        assert!(any.margin <= stable.margin + 1e-9);
    }
}

/// What `W` and `b` say of equilibrium is what the balance of the bodies says.
#[test]
fn local_form_has_the_same_sets() {
    let references = references();
    for name in ["pyramid6_mu0.5", "box_2_1_mu0.3", "pyramid3_touching_mu0.3"] {
        let stack = &references["stacks"][name];
        let system = discs(stack, stack["mu"].as_f64().expect("a number"));
        let local = Statics::from_problem(&system.problem()).expect("valid");
        let (a, b) = (bounds(&system.statics()).expect("not empty"), bounds(&local).expect("not empty"));
        for (a, b) in a.iter().zip(&b) {
            assert!(a.vertices.iter().all(|v| distance(v, &b.vertices) < 1e-8), "{name}");
            assert!(b.vertices.iter().all(|v| distance(v, &a.vertices) < 1e-8), "{name}");
        }
    }
}

#[test]
fn bad_questions_are_refused() {
    let references = references();
    let statics = discs(&references["stacks"]["pyramid6_mu0.5"], 0.5).statics();
    let settings = BoundsSettings { contacts: Some(vec![3, 12]), ..Default::default() };
    assert_eq!(statics.bounds(&settings, &|_| {}), Err(Error::NoSuchContact { contact: 12, count: 12 }));
    assert!(statics.extreme(40, &Vector::<2>::new(1.0, 0.0)).is_err());
    assert!(least_friction(&statics, -1.0).is_err());
    let entry = vec![(0, 0, Vector::<2>::new(f64::NAN, 0.0))];
    assert!(Statics::new(vec![Law::coulomb(0.5)], 1, vec![1.0], entry).is_err());
    assert!(Statics::<2>::new(vec![Law::coulomb(0.5)], 1, vec![f64::INFINITY], vec![]).is_err());
    assert!(Statics::new(vec![], 0, vec![1.0], vec![(0, 0, Vector::<2>::zeros())]).is_err());
    assert!(Statics::<2>::new(vec![Law::coulomb(-0.5)], 1, vec![1.0], vec![]).is_err());
    // A weight that no contact carries.
    let hanging = Statics::<2>::new(vec![], 0, vec![0.0, -1.0], vec![]).expect("valid");
    assert_eq!((hanging.unsupported(), hanging.any()), (Some(1), Ok(None)));
    let problem = discs(&references["stacks"]["pyramid6_mu0.5"], 0.5).problem();
    let bad = SamplingSettings { largest: Some(f64::NAN), ..Default::default() };
    assert!(sample(&problem, None, &bad, &|_| {}).is_err());
    assert!(sample(&problem, Some(&[]), &SamplingSettings::default(), &|_| {}).is_err());
}

/// A disc of weight 1 on a rough floor, at a smooth wall, with a weightless disc against it: floor alone bears, (1, 0), at
/// `μ/√(1+μ²)` from the edge of its cone. Closed form.
#[test]
fn contacts_that_gravity_cannot_load_are_named() {
    let v = |x: f64, y: f64| Vector::<2>::new(x, y);
    for floor in [0.5f64, 0.0] {
        let mut system = System::default();
        system.mass.extend([[1.0, 0.5]; 2]);
        system.load.extend([[0.0, -1.0, 0.0], [0.0; 3]]);
        let (heavy, light) = (v(1.0, 1.0), v(3.0, 1.0));
        system.touch([Some((0, heavy)), None], v(1.0, 0.0), v(0.0, 1.0), floor);
        system.touch([Some((1, light)), Some((0, heavy))], v(2.0, 1.0), v(1.0, 0.0), 0.5);
        system.touch([Some((0, heavy)), None], v(0.0, 1.0), v(1.0, 0.0), 0.5);
        system.laws[2] = Law::Frictionless;
        if floor == 0.0 {
            system.laws[0] = Law::Frictionless;
        }
        let stable = system.statics().most_stable().expect("answered").expect("not empty");
        assert_eq!(stable.idle, vec![1, 2]);
        let expected = if floor == 0.0 { 1.0 } else { floor / floor.hypot(1.0) };
        assert!((stable.margin - expected).abs() < 1e-9, "{} {expected}", stable.margin);
        assert!((stable.percussions[0] - v(1.0, 0.0)).norm() < 1e-9);
        assert!(stable.percussions[1..].iter().all(|s| s.norm() == 0.0));
    }
}

/// At its limit of sliding a contact can keep no margin, is not idle, and its
/// reaction is the one there is. Closed form: a block on a slope of the angle of friction.
#[test]
fn a_contact_on_the_edge_of_its_cone_is_not_idle() {
    let mut system = System::default();
    let (n, t) = (Vector::<2>::new(0.8, 0.6), 0.75);
    system.mass.push([1.0, 1.0]);
    // Weight along the edge of the cone: the normal and 0.75 of it along the slope.
    let edge = n + Vector::<2>::new(n[1], -n[0]) * t;
    system.load.push([-edge[0], -edge[1], 0.0]);
    let centre = Vector::<2>::zeros();
    system.touch([Some((0, centre)), None], centre, n, t);
    let stable = system.statics().most_stable().expect("answered").expect("not empty");
    assert!(stable.idle.is_empty() && !stable.capped);
    assert!((stable.percussions[0] - Vector::<2>::new(1.0, t)).norm() < 1e-9, "{}", stable.percussions[0]);
}
