//! Larger systems: how long it takes.

mod common;

use common::System;
use delassus_explore::{Bounds, BoundsSettings, Census, Equilibrium, distance};
use delassus_friction::algebra::Vector;

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
/// extreme ones on the ends of theirs. `ROWS=14 cargo test --release --test large -- --nocapture`
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
