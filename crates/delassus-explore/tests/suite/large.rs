//! Larger systems: how long it takes.

use crate::common::System;
use delassus_explore::{Bounds, BoundsSettings, Census, Equilibrium, distance};
use delassus_friction::algebra::Vector;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Unit discs of random weights in a close packing between a floor and two walls.
fn packing(rows: usize, columns: usize) -> System {
    let mut system = System::default();
    let mut centre = vec![];
    for row in 0..rows {
        for column in 0..columns - row % 2 {
            let x = 1.0 + 2.0 * column as f64 + (row % 2) as f64;
            centre.push((row, column, Vector::<2>::new(x, 1.0 + row as f64 * 3f64.sqrt())));
        }
    }
    for (k, _) in centre.iter().enumerate() {
        let weight = 1.0 + 0.2 * ((7 * k) % 11) as f64 / 11.0;
        system.mass.push([weight, 0.5 * weight]);
        system.load.push([0.0, -weight, 0.0]);
    }
    let v = |x: f64, y: f64| Vector::<2>::new(x, y);
    for (k, (row, column, c)) in centre.iter().enumerate() {
        let body = Some((k, *c));
        if *row == 0 {
            system.touch([body, None], c - v(0.0, 1.0), v(0.0, 1.0), 0.3);
        }
        if row % 2 == 0 && *column == 0 {
            system.touch([body, None], c - v(1.0, 0.0), v(1.0, 0.0), 0.3);
        }
        if row % 2 == 0 && column + 1 == columns {
            system.touch([body, None], c + v(1.0, 0.0), v(-1.0, 0.0), 0.3);
        }
        for (j, (_, _, d)) in centre.iter().enumerate().take(k) {
            let normal = c - d;
            if normal.norm() < 2.0 + 1e-9 {
                system.touch([body, Some((j, *d))], (c + d) * 0.5, normal / normal.norm(), 0.3);
            }
        }
    }
    system
}

/// The most stable network and both networks extreme at a contact lie in every set, and the
/// extreme ones on the ends of theirs. `ROWS=14 cargo test --release -p delassus-explore large -- --nocapture`
/// says how the time grows.
#[test]
fn a_close_packing_holds_its_networks() {
    let size: usize = std::env::var("ROWS").ok().and_then(|r| r.parse().ok()).unwrap_or(6);
    let statics = packing(size, size).statics();
    let begin = std::time::Instant::now();
    let Bounds::Reactions(sets) = statics.bounds(&BoundsSettings::default(), &|_| {}).expect("answered") else {
        panic!("empty")
    };
    let corners: usize = sets.iter().map(|s| s.vertices.len()).sum();
    println!(
        "{} contacts, {:?}: {:.1} vertices each, {:.2} s",
        statics.contacts(),
        Census::new(&statics),
        corners as f64 / sets.len() as f64,
        begin.elapsed().as_secs_f64()
    );
    assert_eq!(sets.len(), statics.contacts());
    let stable = statics.most_stable().expect("answered").expect("not empty").percussions;
    let down = statics.extreme(0, &Vector::<2>::new(-1.0, 0.0)).expect("answered").expect("bounded").percussions;
    assert!((down[0][0] - sets[0].range(0)[0]).abs() < 1e-7);
    for network in [stable, down] {
        assert!(statics.imbalance(&network) < 1e-8);
        for set in sets.iter().filter(|s| s.rays.is_empty()) {
            let out = distance(&network[set.contact], &set.vertices);
            assert!(out < 1e-6, "contact {}: {out}", set.contact);
        }
    }
}

/// Discs of random radii laid one by one at the lowest place where floor, walls or two discs hold
/// them; rough enough to bear those laid beside them later.
fn deposit(count: usize, width: f64) -> System {
    laid(count, width).0
}

/// The same with the centres and radii.
fn laid(count: usize, width: f64) -> (System, Vec<(Vector<2>, f64)>) {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut discs: Vec<(Vector<2>, f64)> = vec![];
    let mut system = System::default();
    let v = |x: f64, y: f64| Vector::<2>::new(x, y);
    for k in 0..count {
        let r = rng.random_range(0.7..1.0);
        let level = discs.last().map_or(0.0, |d| d.0[1]) - 6.0;
        let near: Vec<(Vector<2>, f64)> = discs.iter().filter(|d| d.0[1] > level).copied().collect();
        let mut places: Vec<Vector<2>> = vec![v(r, r)];
        for (i, (a, ra)) in near.iter().enumerate() {
            let reach = |distance: f64| ((ra + r).powi(2) - distance.powi(2)).sqrt();
            places.extend([v(a[0] + reach(a[1] - r), r), v(a[0] - reach(a[1] - r), r)]);
            places.extend([v(r, a[1] + reach(a[0] - r)), v(width - r, a[1] + reach(width - r - a[0]))]);
            for (b, rb) in &near[..i] {
                let (apart, size) = (b - a, (b - a).norm());
                let along = 0.5 * (size + ((ra + r).powi(2) - (rb + r).powi(2)) / size);
                let up = v(-apart[1], apart[0]) * apart[0].signum() / size;
                let place = a + apart * (along / size) + up * reach(along);
                if (place[0] - a[0]) * (place[0] - b[0]) < 0.0 {
                    places.push(place);
                }
            }
        }
        let clear = |p: &Vector<2>| {
            let inside = p[0] > r - 1e-9 && p[0] < width - r + 1e-9 && p[1] > r - 1e-9;
            inside && discs.iter().all(|(c, rc)| (p - c).norm() > r + rc - 1e-9)
        };
        places.retain(|p| p[1].is_finite() && p[0].is_finite());
        places.sort_by(|p, q| p[1].total_cmp(&q[1]));
        let c = *places.iter().find(|p| clear(p)).expect("a place");
        system.mass.push([r * r, 0.5 * r.powi(4)]);
        system.load.push([0.0, -r * r, 0.0]);
        let body = Some((k, c));
        if c[1] < r + 1e-9 {
            system.touch([body, None], c - v(0.0, r), v(0.0, 1.0), 0.6);
        }
        if c[0] < r + 1e-9 {
            system.touch([body, None], c - v(r, 0.0), v(1.0, 0.0), 0.6);
        }
        if c[0] > width - r - 1e-9 {
            system.touch([body, None], c + v(r, 0.0), v(-1.0, 0.0), 0.6);
        }
        for (j, (d, rd)) in discs.iter().enumerate() {
            let normal = c - d;
            if normal.norm() < r + rd + 1e-9 {
                let n = normal / normal.norm();
                system.touch([body, Some((j, *d))], d + n * *rd, n, 0.6);
            }
        }
        discs.push((c, r));
    }
    (system, discs)
}

/// Weightless discs that touch a packing at one place each bear nothing, in any equilibrium: their contacts are found,
/// with a proof, and what is left is the packing without them. `DISCS=700` is a packing of 1,400 contacts and 70 more.
#[test]
fn contacts_that_nothing_can_load_leave_the_rest_as_it_is() {
    let count: usize = std::env::var("DISCS").ok().and_then(|r| r.parse().ok()).unwrap_or(60);
    let (mut system, discs) = laid(count, 2.0 * (count as f64).sqrt());
    let alone = system.statics();
    for (k, (c, r)) in discs.iter().enumerate().step_by(10) {
        let (body, n) = (system.mass.len(), Vector::<2>::new(0.6, 0.8));
        system.mass.push([1.0, 0.5]);
        system.load.push([0.0; 3]);
        let point = c + n * *r;
        system.touch([Some((body, point + n * 0.1)), Some((k, *c))], point, n, 0.6);
    }
    let statics = system.statics();
    let rattling: Vec<usize> = (alone.contacts()..statics.contacts()).collect();
    let begin = std::time::Instant::now();
    let [one, other] = [&alone, &statics].map(|s| s.most_stable().expect("answered").expect("not empty"));
    println!("{} contacts: most stable twice, {:.2} s", statics.contacts(), begin.elapsed().as_secs_f64());
    assert_eq!((one.idle, &other.idle), (vec![], &rattling));
    assert!((one.margin - other.margin).abs() < 1e-7 && one.margin > 0.0, "{} {}", one.margin, other.margin);
    assert!(statics.imbalance(&other.percussions) < 1e-8);
    let contacts = Some([rattling[0], 0, alone.contacts() / 2].to_vec());
    let settings = BoundsSettings { gap: Some(0.01), contacts, ..BoundsSettings::default() };
    let begin = std::time::Instant::now();
    let Ok(Bounds::Reactions(sets)) = statics.bounds(&settings, &|_| {}) else { panic!("not answered") };
    println!("three sets: {:.2} s", begin.elapsed().as_secs_f64());
    assert_eq!((&sets[0].vertices, sets[0].gap), (&vec![Vector::<2>::zeros()], 0.0));
    let contacts = Some(vec![0, alone.contacts() / 2]);
    let exact = BoundsSettings { contacts, ..BoundsSettings::default() };
    let Ok(Bounds::Reactions(exact)) = alone.bounds(&exact, &|_| {}) else { panic!("not answered") };
    for (set, exact) in sets[1..].iter().zip(&exact) {
        let out = |p: &[Vector<2>], q: &[Vector<2>]| p.iter().map(|v| distance(v, q)).fold(0.0, f64::max);
        assert!(out(&set.vertices, &exact.vertices) < 1e-6, "contact {}", set.contact);
        assert!(out(&exact.vertices, &set.vertices) < set.gap + 1e-6, "contact {}", set.contact);
    }
}

/// A set within a gap lies in the exact one, and the exact one no farther from it than is said.
/// `DISCS=700` says how the time grows, `EVERY=20` asks for every twentieth contact, `GAP=0.05`
/// for a wider gap, `EXACT=no` for the time of the gap alone.
#[test]
fn a_deposit_is_bounded_within_the_stated_gap() {
    let count: usize = std::env::var("DISCS").ok().and_then(|r| r.parse().ok()).unwrap_or(30);
    let statics = deposit(count, 2.0 * (count as f64).sqrt()).statics();
    let ask = |gap: Option<f64>| {
        let begin = std::time::Instant::now();
        let every: usize = std::env::var("EVERY").ok().and_then(|r| r.parse().ok()).unwrap_or(1);
        let contacts = Some((0..statics.contacts()).step_by(every).collect());
        let settings = BoundsSettings { gap, contacts, ..BoundsSettings::default() };
        let Bounds::Reactions(sets) = statics.bounds(&settings, &|_| {}).expect("answered") else { panic!("empty") };
        println!(
            "{} contacts, {} equations, gap {gap:?}: {:.1} vertices each, {:.2} s",
            statics.contacts(),
            statics.equations(),
            sets.iter().map(|s| s.vertices.len()).sum::<usize>() as f64 / sets.len() as f64,
            begin.elapsed().as_secs_f64()
        );
        sets
    };
    let gap: f64 = std::env::var("GAP").ok().and_then(|r| r.parse().ok()).unwrap_or(0.01);
    let rough = ask(Some(gap));
    if std::env::var("EXACT").is_ok_and(|e| e == "no") {
        return;
    }
    let exact = ask(None);
    for (rough, exact) in rough.iter().zip(&exact) {
        assert_eq!(rough.rays.len(), exact.rays.len(), "contact {}", rough.contact);
        assert!(
            rough.gap <= 1.1 * gap * exact.vertices.iter().map(|v| v.norm()).fold(0.0, f64::max) && exact.gap == 0.0
        );
        if exact.rays.is_empty() {
            let out = |p: &[Vector<2>], q: &[Vector<2>]| p.iter().map(|v| distance(v, q)).fold(0.0, f64::max);
            assert!(out(&rough.vertices, &exact.vertices) < 1e-6, "contact {}", rough.contact);
            assert!(out(&exact.vertices, &rough.vertices) < rough.gap + 1e-6, "contact {}", rough.contact);
        }
    }
}
