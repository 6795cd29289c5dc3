//! A warm pairing allocates nothing. Reference: a counting allocator.

use crate::counting::allocations;
use delassus_contact::skin::FacetKind;
use delassus_contact::skin::{Collocation, Interface, Master, Multipliers, Obstacle, PairSettings, Surface};
use delassus_contact::{Dim, Space};

/// Slides the slave (the last nodes) to and fro twice; the second time must not allocate.
fn warm<const D: usize>(mut i: Interface<D>, reference: &[f64])
where
    Dim<D>: Space<D>,
{
    let first = i.slave().nodes()[0] as usize;
    let (mut x, v) = (reference.to_vec(), vec![0.0; reference.len()]);
    let mut run = || {
        let mut most = 0;
        for k in 0..40 {
            for n in first..x.len() / D {
                x[D * n] = reference[D * n] + 0.3 * (0.3 * f64::from(k)).sin();
            }
            i.pair(&x, reference, &v, 0.0).expect("paired");
            most = most.max(i.points().len());
        }
        most
    };
    let expected = run();
    let before = allocations();
    assert_eq!(run(), expected);
    assert_eq!(allocations(), before);
    assert!(expected > 10);
}

#[test]
fn a_warm_pairing_allocates_nothing() {
    let bump = |x: f64| 0.03 * (5.0 * x).sin();
    let mut x: Vec<f64> = (0..=40).rev().map(|i| 0.1 * f64::from(i)).flat_map(|x| [x, bump(x)]).collect();
    x.extend((0..=20).map(|i| 1.0 + 0.07 * f64::from(i)).flat_map(|x| [x, 0.1]));
    let facets = |first: u32, n: u32| -> Vec<u32> { (first..first + n).flat_map(|i| [i, i + 1]).collect() };
    let master = Surface::new(2, &[(FacetKind::Seg2, &facets(0, 40))]).expect("a line");
    let slave = Surface::new(2, &[(FacetKind::Seg2, &facets(41, 20))]).expect("a line");
    for collocation in [Collocation::Nodes, Collocation::Gauss { points: 2 }, Collocation::Simpson] {
        for multipliers in [Multipliers::P1, Multipliers::P0] {
            let s = PairSettings { collocation, multipliers, ..PairSettings::new(0.5) };
            warm(Interface::<2>::new(slave.clone(), Master::Surface(master.clone()), s).expect("valid"), &x);
            warm(Interface::<2>::new(slave.clone(), Master::Itself, s).expect("valid"), &folded(&x));
            let ball = Obstacle::ball([1.5, -2.0], 2.0);
            let ball = Master::Obstacle(ball.expect("valid"));
            warm(Interface::<2>::new(slave.clone(), ball, s).expect("valid"), &x);
        }
    }

    let grid = |first: u32, n: u32, up: bool| -> Vec<u32> {
        let id = |i: u32, j: u32| first + j * (n + 1) + i;
        let cells = (0..n * n).map(|c| (c % n, c / n));
        cells
            .flat_map(|(i, j)| {
                let (a, b, c, d) = (id(i, j), id(i + 1, j), id(i + 1, j + 1), id(i, j + 1));
                if up { [a, b, c, d] } else { [a, d, c, b] }
            })
            .collect()
    };
    let sheet = |n: u32, h: f64, z: f64, at: f64| {
        (0..(n + 1) * (n + 1)).flat_map(move |k| [at + h * f64::from(k % (n + 1)), at + h * f64::from(k / (n + 1)), z])
    };
    let mut x: Vec<f64> = sheet(12, 0.25, 0.0, 0.0).collect();
    x.extend(sheet(7, 0.17, 0.1, 0.8));
    let master = Surface::new(3, &[(FacetKind::Quad4, &grid(0, 12, true))]).expect("a sheet");
    let slave = Surface::new(3, &[(FacetKind::Quad4, &grid(169, 7, false))]).expect("a sheet");
    for smooth_normals in [false, true] {
        let s = PairSettings { smooth_normals, ..PairSettings::new(0.5) };
        warm(Interface::<3>::new(slave.clone(), Master::Surface(master.clone()), s).expect("valid"), &x);
    }
}

/// The slave line folded into a slit, so that it meets itself.
fn folded(x: &[f64]) -> Vec<f64> {
    let mut y = x.to_vec();
    for k in 0..=20 {
        let (leg, far) = if k <= 10 { (0.0, k) } else { (0.05, 21 - k) };
        y[82 + 2 * k] = 2.0 - 0.1 * far as f64;
        y[83 + 2 * k] = leg;
    }
    y
}
