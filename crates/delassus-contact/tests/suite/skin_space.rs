//! Contact of surfaces in space: gaps, weights, partition, rows, against closed forms.

use crate::rows::rows;
use delassus_contact::Vector;
use delassus_contact::skin::FacetKind;
use delassus_contact::skin::{
    Collocation, ContactPoint, Interface, Master, Multipliers, Obstacle, PairSettings, Pairing, Surface,
};
use std::f64::consts::{PI, TAU};

const FACETS: [FacetKind; 4] = [FacetKind::Tri3, FacetKind::Quad4, FacetKind::Tri6, FacetKind::Quad8];

#[derive(Default)]
struct Nodes {
    x: Vec<f64>,
}

impl Nodes {
    /// A sheet over the grid of `x` and `y` at height `z`; facing up or down. Nodes are at
    /// `place(x, y)`.
    fn sheet(&mut self, kind: FacetKind, grid: [&[f64]; 2], up: bool, place: impl Fn(f64, f64) -> [f64; 3]) -> Surface {
        let first = (self.x.len() / 3) as u32;
        let [xs, ys] = grid;
        // Nodes of the grid and of its middles, so that all kinds share one numbering.
        let fine = |v: &[f64]| -> Vec<f64> {
            let mut f: Vec<f64> = v.windows(2).flat_map(|w| [w[0], 0.5 * (w[0] + w[1])]).collect();
            f.push(v[v.len() - 1]);
            f
        };
        let (fx, fy) = (fine(xs), fine(ys));
        for y in &fy {
            for x in &fx {
                self.x.extend(place(*x, *y));
            }
        }
        let id = |i: usize, j: usize| first + (j * fx.len() + i) as u32;
        let mut facets: Vec<Vec<u32>> = vec![];
        for j in (0..fy.len() - 1).step_by(2) {
            for i in (0..fx.len() - 1).step_by(2) {
                let c = [id(i, j), id(i + 2, j), id(i + 2, j + 2), id(i, j + 2)];
                let m = [id(i + 1, j), id(i + 2, j + 1), id(i + 1, j + 2), id(i, j + 1)];
                let d = id(i + 1, j + 1);
                match kind {
                    FacetKind::Tri3 => facets.extend([vec![c[0], c[1], c[2]], vec![c[0], c[2], c[3]]]),
                    FacetKind::Tri6 => {
                        facets.extend([vec![c[0], c[1], c[2], m[0], m[1], d], vec![c[0], c[2], c[3], d, m[2], m[3]]]);
                    }
                    FacetKind::Quad4 => facets.push(c.to_vec()),
                    _ => facets.push([c, m].concat()),
                }
            }
        }
        let order: &[usize] = match kind {
            FacetKind::Tri3 => &[0, 2, 1],
            FacetKind::Tri6 => &[0, 2, 1, 5, 4, 3],
            FacetKind::Quad4 => &[0, 3, 2, 1],
            _ => &[0, 3, 2, 1, 7, 6, 5, 4],
        };
        if !up {
            facets = facets.iter().map(|f| order.iter().map(|&k| f[k]).collect()).collect();
        }
        Surface::new(3, &[(kind, &facets.concat())]).expect("a sheet")
    }
}

fn uneven(a: f64, b: f64, n: usize, bend: f64) -> Vec<f64> {
    (0..=n).map(|i| i as f64 / n as f64).map(|s| a + (b - a) * (s + bend * (TAU * s).sin() / TAU)).collect()
}

fn settings(collocation: Collocation, multipliers: Multipliers) -> PairSettings {
    PairSettings { collocation, multipliers, ..PairSettings::new(0.5) }
}

fn paired(slave: Surface, master: Master<3>, s: PairSettings, x: &[f64]) -> Interface<3> {
    let mut i = Interface::new(slave, master, s).expect("valid");
    i.pair(x, x, &vec![0.0; x.len()], 0.0).expect("paired");
    i
}

fn total(points: &[ContactPoint<3>]) -> f64 {
    points.iter().map(|p| p.weight).sum()
}

/// Two flat sheets of incompatible meshes of any two kinds: the gap is the height, Σω the
/// area, every basis adds up to one.
#[test]
fn flat_sheets_have_their_height_as_gap() {
    let (sx, sy) = (uneven(0.0, 2.0, 4, 0.4), uneven(0.0, 1.0, 3, -0.3));
    let (mx, my) = (uneven(0.0, 2.0, 5, -0.5), uneven(0.0, 1.0, 2, 0.3));
    for slave_kind in FACETS {
        for master_kind in FACETS {
            for collocation in [Collocation::Nodes, Collocation::Gauss { points: 2 }, Collocation::Simpson] {
                for (smooth_normals, pairing) in [
                    (false, Pairing::Proximity),
                    (true, Pairing::Proximity),
                    (false, Pairing::Direction([0.0, 0.0, -1.0])),
                    (false, Pairing::Velocity),
                ] {
                    let mut nodes = Nodes::default();
                    let slave = nodes.sheet(slave_kind, [&sx, &sy], false, |x, y| [x, y, 0.1]);
                    let master = nodes.sheet(master_kind, [&mx, &my], true, |x, y| [x, y, 0.0]);
                    let s = PairSettings { smooth_normals, pairing, ..settings(collocation, Multipliers::P1) };
                    let i = paired(slave, Master::Surface(master), s, &nodes.x);
                    assert_eq!(i.unpaired(), 0);
                    assert!((total(i.points()) - 2.0).abs() < 1e-12, "{slave_kind:?} {master_kind:?} {collocation:?}");
                    for p in i.points() {
                        assert!((p.gap - 0.1).abs() < 1e-13 && (p.normal() - Vector::<3>::z()).norm() < 1e-13);
                        for stencil in [&p.slave, &p.master, &p.multiplier] {
                            assert!((stencil.values().iter().sum::<f64>() - 1.0).abs() < 1e-13);
                        }
                        assert!(p.weight > 0.0);
                    }
                }
            }
        }
    }
}

/// Σ ω ψ_m N̄_k over two grids of rectangles is the product of two integrals of hats of one
/// variable, each found by cutting at all nodes (Simpson, exact to degree 3). Degree 4 in
/// all: 3 "points" on triangles.
#[test]
fn partition_integrates_products_of_both_meshes_exactly() {
    let (sx, sy) = (uneven(0.0, 2.0, 4, 0.4), uneven(0.0, 1.0, 3, -0.3));
    let (mx, my) = (uneven(0.0, 2.0, 5, -0.5), uneven(0.0, 1.0, 2, 0.3));
    let hat = |x: &[f64], k: usize, at: f64| {
        let up = if k > 0 { (at - x[k - 1]) / (x[k] - x[k - 1]) } else { 1.0 };
        let down = if k + 1 < x.len() { (x[k + 1] - at) / (x[k + 1] - x[k]) } else { 1.0 };
        up.min(down).max(0.0)
    };
    let product = |a: &[f64], m: usize, b: &[f64], k: usize| -> f64 {
        let mut cuts: Vec<f64> = a.iter().chain(b).copied().collect();
        cuts.sort_by(f64::total_cmp);
        let f = |x: f64| hat(a, m, x) * hat(b, k, x);
        cuts.windows(2).map(|w| (w[1] - w[0]) / 6.0 * (f(w[0]) + 4.0 * f(0.5 * (w[0] + w[1])) + f(w[1]))).sum()
    };
    let mut nodes = Nodes::default();
    let slave = nodes.sheet(FacetKind::Quad4, [&sx, &sy], false, |x, y| [x, y, 0.0]);
    let master = nodes.sheet(FacetKind::Quad4, [&mx, &my], true, |x, y| [x, y, 0.0]);
    let s = settings(Collocation::Gauss { points: 3 }, Multipliers::P1);
    let i = paired(slave, Master::Surface(master), s, &nodes.x);
    let mut sums = std::collections::BTreeMap::<(u32, u32), f64>::new();
    for p in i.points() {
        for (m, psi) in p.multiplier.iter() {
            for (k, n) in p.master.iter() {
                *sums.entry((m, k)).or_default() += p.weight * psi * n;
            }
        }
    }
    let rank = |v: &[f64], at: f64| v.iter().position(|x| (x - at).abs() < 1e-12).expect("a node of the grid");
    assert!(sums.len() > 50);
    for ((m, k), sum) in sums {
        let node = i.slave().nodes()[m as usize] as usize;
        let (a, b) = (&nodes.x[3 * node..], &nodes.x[3 * k as usize..]);
        let exact =
            product(&sx, rank(&sx, a[0]), &mx, rank(&mx, b[0])) * product(&sy, rank(&sy, a[1]), &my, rank(&my, b[1]));
        assert!((sum - exact).abs() < 1e-14, "{m} {k}: {sum} {exact}");
    }
}

/// ∫ N_k over a sheet, facet by facet in closed form: thirds of triangles, quarters of
/// rectangles; quadratic triangles 0 and 1/3, quadratic rectangles −1/12 and 1/3.
fn loads(surface: &Surface, x: &[f64]) -> Vec<f64> {
    let mut f = vec![0.0; x.len() / 3];
    for e in 0..surface.len() {
        let nodes = surface.facet(e);
        let at = |k: usize| Vector::<3>::from_column_slice(&x[3 * nodes[k] as usize..][..3]);
        let triangle = 0.5 * (at(1) - at(0)).cross(&(at(2) - at(0))).norm();
        let (area, corner, edge) = match surface.kind(e) {
            FacetKind::Tri3 => (triangle, 1.0 / 3.0, 0.0),
            FacetKind::Tri6 => (triangle, 0.0, 1.0 / 3.0),
            FacetKind::Quad4 => (2.0 * triangle, 0.25, 0.0),
            _ => (2.0 * triangle, -1.0 / 12.0, 1.0 / 3.0),
        };
        for (k, &n) in nodes.iter().enumerate() {
            f[n as usize] += area * if k < surface.edges(e) { corner } else { edge };
        }
    }
    f
}

/// Patch test of contact at the level of rows: a uniform pressure gives consistent loads on
/// both sides of two incompatible sheets, in balance; translations are in the kernel and a
/// common linear field has no jump. Triangles are distorted, rectangles uneven.
#[test]
fn uniform_pressure_gives_consistent_loads_on_both_sides() {
    let (sx, sy) = (uneven(0.0, 2.0, 4, 0.4), uneven(0.0, 1.0, 3, -0.3));
    let (mx, my) = (uneven(0.0, 2.0, 5, -0.5), uneven(0.0, 1.0, 2, 0.3));
    for slave_kind in FACETS {
        for master_kind in FACETS {
            for (collocation, multipliers) in [
                (Collocation::Gauss { points: 3 }, Multipliers::P1),
                (Collocation::Gauss { points: 3 }, Multipliers::P0),
            ] {
                let mut nodes = Nodes::default();
                let bent = |kind: FacetKind, bend: f64| {
                    let bend = if kind == FacetKind::Tri3 { bend } else { 0.0 };
                    move |x: f64, y: f64| [x + bend * (PI * x).sin() * y, y + bend * (PI * y).sin() * x, 0.0]
                };
                let slave = nodes.sheet(slave_kind, [&sx, &sy], false, bent(slave_kind, 0.1));
                let master = nodes.sheet(master_kind, [&mx, &my], true, bent(master_kind, -0.08));
                let i = paired(
                    slave.clone(),
                    Master::Surface(master.clone()),
                    settings(collocation, multipliers),
                    &nodes.x,
                );
                let rows = rows(&i);
                let mut f = vec![Vector::<3>::zeros(); nodes.x.len() / 3];
                for m in 0..rows.weights.len() {
                    let (mut sum, mut jump) = (nalgebra::Matrix3::<f64>::zeros(), Vector::<3>::zeros());
                    for (node, block) in &rows.rows[m] {
                        let x = &nodes.x[3 * *node as usize..];
                        sum += block;
                        jump += block * Vector::<3>::new(x[1], 0.3 + x[0], 0.1 + 2.0 * x[0] - x[1]);
                        f[*node as usize] += block.row(0).transpose();
                    }
                    assert!(sum.norm() < 1e-13 && jump.norm() < 1e-13);
                }
                let (slave_loads, master_loads) = (loads(&slave, &nodes.x), loads(&master, &nodes.x));
                let mut moment = Vector::<3>::zeros();
                for n in 0..f.len() {
                    let expected = slave_loads[n] - master_loads[n];
                    assert!(
                        (f[n][2] - expected).abs() < 1e-13,
                        "{slave_kind:?} {master_kind:?} {n}: {} {expected}",
                        f[n][2]
                    );
                    moment += Vector::<3>::from_column_slice(&nodes.x[3 * n..][..3]).cross(&f[n]);
                }
                assert!(moment.norm() < 1e-12);
            }
        }
    }
}

/// The gap to spheres of facets tends to that of the sphere: as h² for flat and bilinear
/// facets, as h³ for quadratic ones. Smoothed normals are better than those of facets.
#[test]
fn spherical_caps() {
    let cap = |x: f64, y: f64, r: f64| {
        let d = Vector::<3>::new(x, y, 1.0).normalize() * r;
        [d[0], d[1], d[2]]
    };
    for (kind, order) in
        [(FacetKind::Tri3, 1.8), (FacetKind::Quad4, 1.8), (FacetKind::Tri6, 2.5), (FacetKind::Quad8, 2.5)]
    {
        let mut errors = vec![];
        for n in [8, 16, 32] {
            let grid = uneven(-0.9, 0.9, n, 0.3);
            let probe = uneven(-0.5, 0.5, 20, 0.1);
            let mut result = [0.0f64; 3];
            for smooth_normals in [false, true] {
                let mut nodes = Nodes::default();
                let master = nodes.sheet(kind, [&grid, &grid], true, |x, y| cap(x, y, 1.0));
                let slave = nodes.sheet(FacetKind::Quad4, [&probe, &probe], false, |x, y| cap(x, y, 1.1));
                let s = PairSettings { smooth_normals, ..settings(Collocation::Nodes, Multipliers::P1) };
                let i = paired(slave, Master::Surface(master), s, &nodes.x);
                assert_eq!((i.points().len(), i.unpaired()), (441, 0));
                for p in i.points() {
                    let radial = p.slave.apply::<3>(&nodes.x).normalize();
                    let turn = (p.normal() - radial).norm();
                    let at = usize::from(smooth_normals);
                    result[at] = result[at].max(turn);
                    if !smooth_normals {
                        result[2] = result[2].max((p.gap - 0.1).abs());
                    }
                }
            }
            // Normals of quadratic facets are as good without smoothing.
            assert!(order > 2.0 || result[1] < 0.5 * result[0], "{kind:?}: {result:?}");
            errors.push(result[2]);
        }
        // Over two halvings: the places sample different parts of the facets each time.
        assert!((errors[0] / errors[2]).log2() > 2.0 * order, "{kind:?} {errors:?}");
    }
}

/// A bumpy sheet slides over another at random speeds: gaps move by no more than the slide,
/// and smoothed normals turn with curvature times slide, over every kind of facet.
#[test]
fn large_sliding_is_continuous() {
    let grid = uneven(0.0, 3.0, 12, 0.3);
    let wave = |x: f64, y: f64| [x, y, 0.04 * (3.0 * x).sin() * (2.0 * y).cos()];
    for kind in FACETS {
        let mut nodes = Nodes::default();
        let master = nodes.sheet(kind, [&grid, &grid], true, wave);
        let slave = nodes.sheet(FacetKind::Tri3, [&[0.2, 0.3], &[0.4, 0.5]], false, |x, y| [x, y, 0.15]);
        let first = slave.nodes()[0] as usize;
        let s = PairSettings { smooth_normals: true, ..settings(Collocation::Nodes, Multipliers::P1) };
        let mut i = Interface::new(slave, Master::Surface(master), s).expect("valid");
        let v = vec![0.0; nodes.x.len()];
        let (step, mut last, mut changes) = (5e-3, None::<(f64, Vector<3>, u32)>, 0);
        for _ in 0..400 {
            for n in first..nodes.x.len() / 3 {
                nodes.x[3 * n] += step;
                nodes.x[3 * n + 1] += 0.8 * step;
            }
            i.pair(&nodes.x, &nodes.x, &v, 0.0).expect("paired");
            assert_eq!((i.points().len(), i.points()[0].key.slave as usize), (4, first));
            let p = &i.points()[0];
            if let Some((g, n, f)) = last {
                // Slope below 0.15; curvature of the smoothed field below 0.5 · 1.3 · 2.
                assert!((p.gap - g).abs() < 0.3 * step, "{kind:?}: {} {g}", p.gap);
                assert!((p.normal() - n).norm() < 1.5 * step, "{kind:?} {}", (p.normal() - n).norm() / step);
                changes += usize::from(f != p.master_facet);
            }
            last = Some((p.gap, p.normal(), p.master_facet));
        }
        assert!(changes > 8);
    }
}

/// Σω is kept while an interface slides: the slave stays inside the border of the master.
#[test]
fn area_is_kept_while_sliding() {
    let (grid, small) = (uneven(0.0, 3.0, 7, 0.3), uneven(0.5, 1.5, 4, 0.2));
    for slave_kind in FACETS {
        for master_kind in FACETS {
            let mut nodes = Nodes::default();
            let master = nodes.sheet(master_kind, [&grid, &grid], true, |x, y| [x, y, 0.0]);
            let slave = nodes.sheet(slave_kind, [&small, &small], false, |x, y| [x, y, 0.01]);
            let (reference, first) = (nodes.x.clone(), slave.nodes()[0] as usize);
            let mut i = Interface::new(slave, Master::Surface(master), PairSettings::new(0.5)).expect("valid");
            let v = vec![0.0; nodes.x.len()];
            for _ in 0..20 {
                for n in first..nodes.x.len() / 3 {
                    nodes.x[3 * n] += 0.0671;
                    nodes.x[3 * n + 1] += 0.0493;
                }
                i.pair(&nodes.x, &reference, &v, 0.0).expect("paired");
                assert!((total(i.points()) - 1.0).abs() < 1e-12, "{slave_kind:?} {master_kind:?}");
            }
        }
    }
}

/// Obstacles of space: a ball and a capsule against closed forms; weights are the area.
#[test]
fn obstacles_of_space() {
    let grid = uneven(-0.3, 0.3, 5, 0.2);
    for kind in FACETS {
        for collocation in [Collocation::Nodes, Collocation::Gauss { points: 2 }, Collocation::Simpson] {
            let mut nodes = Nodes::default();
            let slave = nodes.sheet(kind, [&grid, &grid], false, |x, y| [x, y, 1.05]);
            let ball = Obstacle::ball([0.0; 3], 1.0);
            let ball = ball.expect("valid");
            let i = paired(slave, Master::Obstacle(ball), settings(collocation, Multipliers::P0), &nodes.x);
            assert!((total(i.points()) - 0.36).abs() < 1e-14);
            for p in i.points() {
                let x = p.slave.apply::<3>(&nodes.x);
                assert!((p.gap - (x.norm() - 1.0)).abs() < 1e-14 && (p.normal() - x.normalize()).norm() < 1e-14);
                let rotation = p.frame.transpose() * p.frame;
                assert!((rotation - nalgebra::Matrix3::identity()).norm() < 1e-14);
            }
        }
    }
}
