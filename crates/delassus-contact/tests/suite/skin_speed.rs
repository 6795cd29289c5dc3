//! Time of a pairing. Run with
//! `cargo test --release -p delassus-contact skin_speed -- --ignored --nocapture`.

use delassus_contact::skin::FacetKind;
use delassus_contact::skin::{Collocation, Interface, Master, PairSettings, Surface};
use std::time::Instant;

fn sheet(x: &mut Vec<f64>, n: u32, up: bool, z: impl Fn(f64, f64) -> f64) -> Surface {
    let first = (x.len() / 3) as u32;
    let at = |k: u32| f64::from(k) / f64::from(n);
    for j in 0..=n {
        x.extend((0..=n).flat_map(|i| [at(i), at(j), z(at(i), at(j))]));
    }
    let id = |i: u32, j: u32| first + j * (n + 1) + i;
    let facets: Vec<u32> = (0..n * n)
        .map(|c| (c % n, c / n))
        .flat_map(|(i, j)| {
            let (a, b, c, d) = (id(i, j), id(i + 1, j), id(i + 1, j + 1), id(i, j + 1));
            if up { [a, b, c, d] } else { [a, d, c, b] }
        })
        .collect();
    Surface::new(3, &[(FacetKind::Quad4, &facets)]).expect("a sheet")
}

#[test]
#[ignore = "a measurement"]
fn times() {
    let wave = |x: f64, y: f64| 0.01 * (7.0 * x).sin() * (5.0 * y).cos();
    let mut x = vec![];
    let master = sheet(&mut x, 90, true, wave);
    let slave = sheet(&mut x, 100, false, |x, y| 0.005 + wave(x, y));
    let v = vec![0.0; x.len()];
    for (name, collocation, smooth_normals) in [
        ("nodes", Collocation::Nodes, false),
        ("nodes, smoothed", Collocation::Nodes, true),
        ("Gauss", Collocation::Gauss { points: 2 }, false),
        ("Gauss, smoothed", Collocation::Gauss { points: 2 }, true),
    ] {
        let s = PairSettings { collocation, smooth_normals, ..PairSettings::new(0.05) };
        let mut i = Interface::<3>::new(slave.clone(), Master::Surface(master.clone()), s).expect("valid");
        let mut pairing = f64::INFINITY;
        for _ in 0..5 {
            let start = Instant::now();
            i.pair(&x, &x, &v, 0.0).expect("paired");
            pairing = pairing.min(start.elapsed().as_secs_f64());
        }
        let points = i.points().len();
        println!(
            "{name}: 10000 on 8100 facets, {points} points, pairing {:.1} ms ({:.2} µs a point)",
            1e3 * pairing,
            1e6 * pairing / points as f64
        );
    }
}
