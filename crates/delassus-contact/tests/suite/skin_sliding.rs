//! Large sliding of wavy, incompatible surfaces: what is integrated stays whole and moves
//! continuously while points change facets and parts of facets come and go.

use crate::rows::rows;
use delassus_contact::Vector;
use delassus_contact::skin::FacetKind;
use delassus_contact::skin::{Collocation, Interface, Master, Multipliers, Obstacle, PairSettings, Pairing, Surface};
use rand::{Rng, SeedableRng, rngs::StdRng};

/// Random abscissas from `a` to `b`.
fn random_grid(rng: &mut StdRng, a: f64, b: f64, n: usize) -> Vec<f64> {
    let steps: Vec<f64> = (0..n).map(|_| rng.random_range(0.5..1.5)).collect();
    let sum: f64 = steps.iter().sum();
    let mut at = vec![a];
    for s in &steps {
        at.push(at[at.len() - 1] + s / sum * (b - a));
    }
    at[n] = b;
    at
}

/// A line over the plane curve `y(x)` with straight or curved segments.
fn line(x: &mut Vec<f64>, grid: &[f64], curved: bool, y: impl Fn(f64) -> f64) -> Surface {
    let first = (x.len() / 2) as u32;
    x.extend(grid.iter().flat_map(|&s| [s, y(s)]));
    let middles = first + grid.len() as u32;
    if curved {
        x.extend(grid.windows(2).map(|w| 0.5 * (w[0] + w[1])).flat_map(|s| [s, y(s)]));
    }
    let mut facets = vec![];
    for i in 0..grid.len() as u32 - 1 {
        facets.extend([first + i, first + i + 1]);
        if curved {
            facets.push(middles + i);
        }
    }
    Surface::new(2, &[(if curved { FacetKind::Seg3 } else { FacetKind::Seg2 }, &facets)]).expect("a line")
}

/// The same traversed backwards.
fn reversed(s: &Surface) -> Surface {
    let curved = s.kind(0) == FacetKind::Seg3;
    let mut facets = vec![];
    for f in (0..s.len()).rev() {
        let n = s.facet(f);
        facets.extend([n[1], n[0]]);
        facets.extend(curved.then(|| n[2]));
    }
    Surface::new(2, &[(s.kind(0), &facets)]).expect("a line")
}

/// Length of a line by straight chords, a thousand for each curved segment.
fn length(s: &Surface, x: &[f64]) -> f64 {
    let at = |n: u32| Vector::<2>::from_column_slice(&x[2 * n as usize..][..2]);
    let mut sum = 0.0;
    for f in 0..s.len() {
        let n = s.facet(f);
        let (a, b) = (at(n[0]), at(n[1]));
        let bulge = n.get(2).map_or(Vector::<2>::zeros(), |&m| at(m) - (a + b) * 0.5);
        let chords = if n.len() == 3 { 1000 } else { 1 };
        let point = |k: i32| {
            let t = f64::from(k) / f64::from(chords);
            a * (1.0 - t) + b * t + bulge * (4.0 * t * (1.0 - t))
        };
        sum += (0..chords).map(|k| (point(k + 1) - point(k)).norm()).sum::<f64>();
    }
    sum
}

/// Over 200 steps, for random meshes: Σω is the reference length, both sides are in balance,
/// and each multiplier's weighted gap and rows change by less than a constant times the
/// slide. A part wrongly lost or doubled changes them by its whole length at once: 200 times
/// more than the bound.
#[test]
fn lines_slide_without_jumps() {
    let mut rng = StdRng::seed_from_u64(17);
    for trial in 0..24 {
        let (curved_slave, curved_master) = (trial % 2 == 1, trial / 2 % 2 == 1);
        let mut x = vec![];
        let grid = random_grid(&mut rng, 0.0, 4.0, 30);
        let master = reversed(&line(&mut x, &grid, curved_master, |s| 0.04 * (2.0 * s).sin()));
        let first = x.len() / 2;
        let grid = random_grid(&mut rng, 0.5, 1.8, 7);
        let slave = line(&mut x, &grid, curved_slave, |s| 0.1 + 0.03 * (3.0 * s).cos());
        let reference = x.clone();
        let settings = PairSettings {
            collocation: if trial % 3 == 0 { Collocation::Simpson } else { Collocation::Gauss { points: 3 } },
            multipliers: if trial % 5 == 0 { Multipliers::P0 } else { Multipliers::P1 },
            smooth_normals: trial % 4 != 3,
            pairing: if trial % 7 == 6 { Pairing::Direction([0.0, -1.0, 0.0]) } else { Pairing::Proximity },
            ..PairSettings::new(0.5)
        };
        let mut i = Interface::<2>::new(slave, Master::Surface(master), settings).expect("valid");
        let v = vec![0.0; x.len()];
        let (step, mut last) = (0.008, None::<(Vec<f64>, Vec<Vector<2>>)>);
        let length = length(i.slave(), &reference);
        for _ in 0..200 {
            x[2 * first..].iter_mut().step_by(2).for_each(|s| *s += step);
            i.pair(&x, &reference, &v, 0.0).expect("paired");
            assert_eq!(i.unpaired(), 0, "trial {trial}");
            let rows = rows(&i);
            let total: f64 = rows.weights.iter().sum();
            // The length of a curved segment is integrated over parts that change: to their accuracy.
            let tolerance = if curved_slave { 1e-5 } else { 1e-13 };
            assert!((total - length).abs() < tolerance, "trial {trial}: {total} {length}");
            // A field that sees the master's shape functions: Σ ω ψ (N̄ y).
            let field: Vec<f64> = (0..x.len()).map(|k| if k / 2 < first { reference[k] } else { 0.0 }).collect();
            let mut images = vec![Vector::<2>::zeros(); rows.weights.len()];
            for p in i.points() {
                for (m, psi) in p.multiplier.iter() {
                    images[m as usize] += p.master.apply::<2>(&field) * (p.weight * psi);
                }
            }
            if let Some((gaps, old)) = &last {
                for m in 0..rows.weights.len() {
                    let share = rows.weights[m];
                    assert!((rows.gaps[m] - gaps[m]).abs() < 0.5 * step * share, "trial {trial}: gap");
                    let turned = if settings.smooth_normals { 2.0 } else { 4.0 };
                    assert!((images[m] - old[m]).norm() < turned * step * share, "trial {trial}: image");
                }
            }
            last = Some((rows.gaps, images));
        }
    }
}

/// A sheet over a grid, facing up or down.
fn sheet(x: &mut Vec<f64>, kind: FacetKind, grid: [&[f64]; 2], up: bool, z: impl Fn(f64, f64) -> f64) -> Surface {
    let first = (x.len() / 3) as u32;
    let fine = |v: &[f64]| -> Vec<f64> {
        let mut f: Vec<f64> = v.windows(2).flat_map(|w| [w[0], 0.5 * (w[0] + w[1])]).collect();
        f.push(v[v.len() - 1]);
        f
    };
    let (fx, fy) = (fine(grid[0]), fine(grid[1]));
    for b in &fy {
        x.extend(fx.iter().flat_map(|a| [*a, *b, z(*a, *b)]));
    }
    let id = |i: usize, j: usize| first + (j * fx.len() + i) as u32;
    let mut facets = vec![];
    for j in (0..fy.len() - 1).step_by(2) {
        for i in (0..fx.len() - 1).step_by(2) {
            let (a, b, c, d) = (id(i, j), id(i + 2, j), id(i + 2, j + 2), id(i, j + 2));
            let (ab, bc, cd, da, m) =
                (id(i + 1, j), id(i + 2, j + 1), id(i + 1, j + 2), id(i, j + 1), id(i + 1, j + 1));
            match (kind, up) {
                (FacetKind::Tri3, true) => facets.extend([a, b, c, a, c, d]),
                (FacetKind::Tri3, false) => facets.extend([a, c, b, a, d, c]),
                (FacetKind::Tri6, true) => facets.extend([a, b, c, ab, bc, m, a, c, d, m, cd, da]),
                (FacetKind::Tri6, false) => facets.extend([a, c, b, m, bc, ab, a, d, c, da, cd, m]),
                (FacetKind::Quad4, true) => facets.extend([a, b, c, d]),
                (FacetKind::Quad4, false) => facets.extend([a, d, c, b]),
                (_, true) => facets.extend([a, b, c, d, ab, bc, cd, da]),
                (_, false) => facets.extend([a, d, c, b, da, cd, bc, ab]),
            }
        }
    }
    Surface::new(3, &[(kind, &facets)]).expect("a sheet")
}

/// The same in space, for all kinds of facets. Reference areas: the same surface against a
/// plane, unpartitioned, with the finest rule.
#[test]
fn sheets_slide_without_jumps() {
    let kinds = [FacetKind::Tri3, FacetKind::Quad4, FacetKind::Tri6, FacetKind::Quad8];
    let mut rng = StdRng::seed_from_u64(23);
    for trial in 0..16 {
        let (slave_kind, master_kind) = (kinds[trial % 4], kinds[trial / 4]);
        let mut x = vec![];
        let (a, b) = (random_grid(&mut rng, 0.0, 3.0, 12), random_grid(&mut rng, 0.0, 2.0, 9));
        let master = sheet(&mut x, master_kind, [&a, &b], true, |x, y| 0.04 * (2.0 * x).sin() * (3.0 * y).cos());
        let first = x.len() / 3;
        let (a, b) = (random_grid(&mut rng, 0.4, 1.3, 3), random_grid(&mut rng, 0.5, 1.2, 3));
        let slave = sheet(&mut x, slave_kind, [&a, &b], false, |x, y| 0.1 + 0.03 * (3.0 * x).cos() * (2.0 * y).sin());
        let reference = x.clone();
        let v = vec![0.0; x.len()];
        let plane = Obstacle::half_space([0.0; 3], [0.0, 0.0, 1.0]).expect("valid");
        let finest = PairSettings { collocation: Collocation::Gauss { points: 4 }, ..PairSettings::new(1.0) };
        let mut flat = Interface::<3>::new(slave.clone(), Master::Obstacle(plane), finest).expect("valid");
        flat.pair(&reference, &reference, &v, 0.0).expect("paired");
        let area: f64 = flat.points().iter().map(|p| p.weight).sum();
        let settings = PairSettings {
            smooth_normals: trial % 3 != 2,
            collocation: Collocation::Gauss { points: 3 },
            ..PairSettings::new(0.5)
        };
        let mut i = Interface::<3>::new(slave, Master::Surface(master), settings).expect("valid");
        let (step, mut last) = (0.025, None::<(Vec<f64>, Vec<Vector<3>>)>);
        for _ in 0..40 {
            for n in first..x.len() / 3 {
                x[3 * n] += step;
                x[3 * n + 1] += 0.3 * step;
            }
            i.pair(&x, &reference, &v, 0.0).expect("paired");
            assert_eq!(i.unpaired(), 0, "trial {trial}");
            let rows = rows(&i);
            let total: f64 = rows.weights.iter().sum();
            // Triangles are flat; the rule sees the curvature of others to its accuracy.
            let tolerance = if slave_kind == FacetKind::Tri3 { 1e-12 } else { 1e-6 };
            assert!((total - area).abs() < tolerance, "trial {trial}: {total} {area}");
            let mut images = vec![Vector::<3>::zeros(); rows.weights.len()];
            for p in i.points() {
                for (m, psi) in p.multiplier.iter() {
                    images[m as usize] += p.master.apply::<3>(&reference) * (p.weight * psi);
                }
            }
            if let Some((gaps, old)) = &last {
                for m in 0..rows.weights.len() {
                    let share = rows.weights[m];
                    assert!((rows.gaps[m] - gaps[m]).abs() < 0.5 * step * share, "trial {trial}: gap");
                    assert!((images[m] - old[m]).norm() < 4.0 * step * share, "trial {trial}: image");
                }
            }
            last = Some((rows.gaps, images));
        }
    }
}
