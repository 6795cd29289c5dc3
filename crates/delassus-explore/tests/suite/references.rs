//! Exact sets of reactions against independent references.

use crate::common::{discs, ladder, number, references, vertices, wedged_bar};
use delassus_explore::{
    Bounds, BoundsSettings, Census, Equilibrium, LeastFriction, Reaction, Statics, area, distance, hull, least_friction,
};
use delassus_friction::algebra::Vector;

fn bounds(statics: &Statics<2>) -> Vec<Reaction<2>> {
    match statics.bounds(&BoundsSettings::default(), &|_| {}).expect("answered") {
        Bounds::Reactions(list) => list,
        Bounds::Empty => panic!("empty"),
    }
}

fn near(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value} is not {expected} within {tolerance}");
}

/// Both hulls are the same: each vertex of one is on the other. (The references were cut
/// where three vertices are in line to the sixth digit.)
fn same(found: &[Vector<2>], expected: &[Vector<2>], tolerance: f64) {
    let expected = if expected.len() > 2 { hull(expected) } else { expected.to_vec() };
    let covered = |a: &[Vector<2>], b: &[Vector<2>]| a.iter().all(|p| distance(p, b) <= tolerance);
    assert!(covered(found, &expected) && covered(&expected, found), "{found:?}\nis not\n{expected:?}");
}

/// S1: a bar between walls that converge upwards. Equilibria are a half-line from
/// H = W/(2 tan(atan μ − β)), and exist iff μ > tan β.
#[test]
fn wedged_bar_stays_on_a_half_line() {
    for case in references()["wedged_bar"].as_array().expect("cases") {
        let (beta, mu) = (number(&case["beta_deg"]).to_radians(), number(&case["mu"]));
        let statics = wedged_bar(beta, mu, number(&case["W"])).statics();
        if !case["equilibrium"].as_bool().expect("a truth value") {
            assert_eq!(statics.bounds(&BoundsSettings::default(), &|_| {}).expect("answered"), Bounds::Empty);
            continue;
        }
        for reaction in bounds(&statics) {
            assert_eq!((reaction.vertices.len(), reaction.rays.len()), (1, 1), "{reaction:?}");
            let v = reaction.vertices[0];
            near(v[0], number(&case["RN_at_Hmin"]), 1e-9);
            near(v[1].abs(), number(&case["RT_at_Hmin"]), 1e-9);
            // The thrust is horizontal: at β from the normal.
            let ray = reaction.rays[0];
            near(ray[1].abs() / ray[0], beta.tan().abs(), 1e-9);
            assert_eq!(reaction.width(), f64::INFINITY);
        }
        let needed = if beta > 0.0 { beta.tan() / mu } else { 0.0 };
        if beta != 0.0 {
            match least_friction(&statics, 1e-12).expect("answered") {
                // Beyond tan β the least thrust is large: the threshold is seen to a few digits less.
                LeastFriction::Factor(f) => near(f, needed, 1e-6),
                LeastFriction::None => assert!(beta < 0.0),
                other => panic!("{other:?}"),
            }
        }
    }
}

/// S2: the friction at the wall of a ladder lies in a segment; at 45° it cannot stay.
#[test]
fn ladder_has_a_segment_of_reactions() {
    for case in references()["ladder"].as_array().expect("cases") {
        let theta = number(&case["theta_deg"]).to_radians();
        let statics = ladder(theta, number(&case["mu_floor"]), number(&case["mu_wall"])).statics();
        if !case["feasible"].as_bool().expect("a truth value") {
            assert_eq!(statics.bounds(&BoundsSettings::default(), &|_| {}).expect("answered"), Bounds::Empty);
            assert!(statics.most_stable().expect("answered").is_none());
            // Equal friction at both ends holds iff tan θ ≥ (1 − μ²)/(2μ): at 45° from √2 − 1 on.
            match least_friction(&statics, 1e-12).expect("answered") {
                LeastFriction::Factor(f) => near(0.3 * f, 2f64.sqrt() - 1.0, 5e-9),
                other => panic!("{other:?}"),
            }
            continue;
        }
        let found = bounds(&statics);
        let ends = ["at_lo", "at_hi"].map(|e| &case[e]);
        // Upward friction at the wall is against its tangent (n_y, −n_x) = (0, −1); the floor
        // pushes the foot towards the wall, against (1, 0).
        let wall = ends.map(|e| Vector::<2>::new(number(&e["N_wall"]), -number(&e["F_wall"])));
        let floor = ends.map(|e| Vector::<2>::new(number(&e["N_floor"]), -number(&e["F_floor"])));
        same(&found[1].vertices, &wall, 1e-9);
        same(&found[0].vertices, &floor, 1e-9);
        near(found[1].width(), (wall[0] - wall[1]).norm(), 1e-9);
    }
}

/// S4: small stacks of discs: every polygon, the dimension, and what friction they need.
#[test]
fn small_stacks_have_their_polygons() {
    let references = references();
    let stacks = references["stacks"].as_object().expect("stacks");
    assert!(stacks.len() >= 7);
    for (name, stack) in stacks {
        let statics = discs(stack, number(&stack["mu"])).statics();
        let census = Census::new(&statics);
        assert_eq!(census.rank as u64, stack["rank"].as_u64().expect("rank"), "{name}");
        assert_eq!(census.dimension() as u64, stack["dim_affine"].as_u64().expect("dimension"), "{name}");
        match statics.bounds(&BoundsSettings::default(), &|_| {}).expect("answered") {
            Bounds::Empty => assert!(name.contains("infeasible"), "{name}"),
            Bounds::Reactions(found) => {
                for (reaction, contact) in found.iter().zip(stack["contacts"].as_array().expect("contacts")) {
                    same(&reaction.vertices, &vertices(contact), 1e-9);
                    near(area(&reaction.vertices), number(&contact["area"]), 1e-9);
                }
            }
        }
    }
}

/// S4: three touching discs hold iff μ ≥ tan 15° = 2 − √3; six need 0.43398751.
#[test]
fn pyramids_need_their_friction() {
    let references = references();
    let needed = &references["least_friction"];
    for (stack, expected, tolerance) in [
        // Violations of 1e-9 of the load count as none: so much friction is not seen.
        ("pyramid3_touching_mu0.5", 2.0 - 3f64.sqrt(), 5e-9),
        ("pyramid6_mu0.5", number(&needed["pyramid6"]), 1e-8),
    ] {
        let statics = discs(&references["stacks"][stack], 0.5).statics();
        match least_friction(&statics, 1e-12).expect("answered") {
            LeastFriction::Factor(f) => near(0.5 * f, expected, tolerance),
            other => panic!("{stack}: {other:?}"),
        }
    }
}

/// S5: 28 discs and 56 contacts: rank 84, dimension 28, every polygon, six segments.
#[test]
fn twenty_eight_discs_have_their_polygons() {
    let references = references();
    let sample = &references["drop_roll_28"];
    let statics = discs(sample, number(&sample["mu"])).statics();
    assert_eq!(Census::new(&statics), Census { equations: 84, rank: 84, unknowns: 112 });
    let begin = std::time::Instant::now();
    let found = bounds(&statics);
    let elapsed = begin.elapsed().as_secs_f64();
    println!("56 polygons in {elapsed:.3} s");
    assert!(elapsed < 2.0, "{elapsed} s");
    let contacts = sample["contacts"].as_array().expect("contacts");
    assert_eq!(found.len(), contacts.len());
    let mut segments = 0;
    for (reaction, contact) in found.iter().zip(contacts) {
        let expected = vertices(contact);
        let size = expected.iter().map(|v| v.norm()).fold(0.0, f64::max);
        same(&reaction.vertices, &expected, 1e-5 * size);
        let reference = number(&contact["area"]);
        near(area(&reaction.vertices), reference, 1e-5 * reference.max(1e-6 * size * size));
        segments += usize::from(reaction.vertices.len() == 2);
        assert!(reaction.rays.is_empty());
    }
    assert_eq!(segments, 6);
}
