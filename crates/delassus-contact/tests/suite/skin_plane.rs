//! Contact of surfaces in the plane: gaps, weights, partition, rows, against closed forms.

use crate::rows::rows;
use delassus_contact::skin::FacetKind;
use delassus_contact::skin::{
    Collocation, ContactPoint, Interface, Master, Motion, Multipliers, Obstacle, PairSettings, Pairing, Surface,
};
use delassus_contact::{Pose, Shape2, Vector};
use std::f64::consts::{PI, TAU};

const COLLOCATIONS: [Collocation; 5] = [
    Collocation::Nodes,
    Collocation::Gauss { points: 2 },
    Collocation::Gauss { points: 3 },
    Collocation::Gauss { points: 4 },
    Collocation::Simpson,
];

/// Nodes of several lines in one numbering.
#[derive(Default)]
struct Nodes {
    x: Vec<f64>,
}

impl Nodes {
    /// A line through given points, as segments of two nodes (three: every second point is a middle).
    fn line(&mut self, points: &[[f64; 2]], quadratic: bool) -> Surface {
        let first = (self.x.len() / 2) as u32;
        self.x.extend(points.iter().flatten());
        let mut facets = vec![];
        let step = if quadratic { 2 } else { 1 };
        for i in (0..points.len() as u32 - 1).step_by(step as usize) {
            facets.extend([first + i, first + i + step]);
            if quadratic {
                facets.push(first + i + 1);
            }
        }
        let kind = if quadratic { FacetKind::Seg3 } else { FacetKind::Seg2 };
        Surface::new(2, &[(kind, &facets)]).expect("a line")
    }

    /// A closed line.
    fn ring(&mut self, points: &[[f64; 2]]) -> Surface {
        let first = (self.x.len() / 2) as u32;
        self.x.extend(points.iter().flatten());
        let n = points.len() as u32;
        let facets: Vec<u32> = (0..n).flat_map(|i| [first + i, first + (i + 1) % n]).collect();
        Surface::new(2, &[(FacetKind::Seg2, &facets)]).expect("a ring")
    }
}

/// Uneven abscissas from `a` to `b`: linear spacing bent by a sine.
fn uneven(a: f64, b: f64, n: usize, bend: f64) -> Vec<f64> {
    (0..=n).map(|i| i as f64 / n as f64).map(|s| a + (b - a) * (s + bend * (TAU * s).sin() / TAU)).collect()
}

/// Slave above at height `g`, traversed with its solid above: outward normal (0, −1).
fn slave_line(x: &[f64], g: f64) -> Vec<[f64; 2]> {
    x.iter().map(|&x| [x, g]).collect()
}

/// Master below at height zero, outward normal (0, 1): traversed towards −x.
fn master_line(x: &[f64]) -> Vec<[f64; 2]> {
    x.iter().rev().map(|&x| [x, 0.0]).collect()
}

fn settings(collocation: Collocation, multipliers: Multipliers) -> PairSettings {
    PairSettings { collocation, multipliers, ..PairSettings::new(0.5) }
}

fn paired(slave: Surface, master: Master<2>, s: PairSettings, x: &[f64]) -> Interface<2> {
    let mut i = Interface::new(slave, master, s).expect("valid");
    i.pair(x, x, &vec![0.0; x.len()], 0.0).expect("paired");
    i
}

fn total(points: &[ContactPoint<2>]) -> f64 {
    points.iter().map(|p| p.weight).sum()
}

/// Two flat lines: the gap is the height, the normal vertical, for every collocation,
/// multiplier space, pairing and smoothing. Σω is the length.
#[test]
fn flat_lines_have_their_height_as_gap() {
    for collocation in COLLOCATIONS {
        for multipliers in [Multipliers::P1, Multipliers::P0] {
            for pairing in [Pairing::Proximity, Pairing::Direction([0.0, -3.0, 0.0]), Pairing::Velocity] {
                for (smooth_normals, partition) in [(false, true), (true, true), (true, false), (false, false)] {
                    let mut nodes = Nodes::default();
                    let slave = nodes.line(&slave_line(&uneven(0.0, 2.0, 5, 0.4), 0.1), false);
                    let master = nodes.line(&master_line(&uneven(0.0, 2.0, 7, -0.5)), false);
                    let s = PairSettings { pairing, smooth_normals, partition, ..settings(collocation, multipliers) };
                    let i = paired(slave, Master::Surface(master), s, &nodes.x);
                    assert_eq!(i.unpaired(), 0);
                    assert!((total(i.points()) - 2.0).abs() < 1e-14);
                    for p in i.points() {
                        assert!(
                            (p.gap - 0.1).abs() < 1e-14 && (p.normal() - Vector::<2>::new(0.0, 1.0)).norm() < 1e-14
                        );
                        let psi: f64 = p.multiplier.values().iter().sum();
                        assert!((psi - 1.0).abs() < 1e-14);
                    }
                }
            }
        }
    }
}

/// A rotated pair of lines: the frame turns with it, and frozen gaps move as dg = n·[[dx]].
#[test]
fn frozen_gaps_follow_the_jump() {
    let mut nodes = Nodes::default();
    let slave = nodes.line(&slave_line(&uneven(0.0, 1.0, 3, 0.2), 0.05), false);
    let master = nodes.line(&master_line(&uneven(0.0, 1.0, 4, 0.2)), false);
    let (s, c) = 0.7f64.sin_cos();
    let x: Vec<f64> = nodes.x.chunks(2).flat_map(|p| [c * p[0] - s * p[1], s * p[0] + c * p[1]]).collect();
    let mut i = Interface::new(slave, Master::Surface(master), PairSettings::new(0.5)).expect("valid");
    i.pair(&x, &nodes.x, &vec![0.0; x.len()], 0.0).expect("paired");
    let v: Vec<f64> = (0..x.len()).map(|k| (k as f64).sin()).collect();
    let h = 1e-3;
    let moved: Vec<f64> = x.iter().zip(&v).map(|(x, v)| x + h * v).collect();
    for p in i.points() {
        assert!((p.normal() - Vector::<2>::new(-s, c)).norm() < 1e-14);
        let rate = (p.jump(&moved).dot(&p.normal()) - p.gap) / h;
        assert!((rate - p.jump(&v).dot(&p.normal())).abs() < 1e-11);
    }
}

/// Partition: Σ ω ψ_m N̄_k = ∫ ψ_m N̄_k, in closed form by cutting the interval at all nodes
/// and integrating the products of straight lines by Simpson's rule, exact to degree 3.
#[test]
fn partition_integrates_products_of_both_meshes_exactly() {
    let (xs, xm) = (uneven(0.0, 2.0, 5, 0.4), uneven(0.0, 2.0, 7, -0.5));
    let hat = |x: &[f64], k: usize, at: f64| {
        let up = if k > 0 { (at - x[k - 1]) / (x[k] - x[k - 1]) } else { 1.0 };
        let down = if k + 1 < x.len() { (x[k + 1] - at) / (x[k + 1] - x[k]) } else { 1.0 };
        up.min(down).max(0.0)
    };
    let mut cuts: Vec<f64> = xs.iter().chain(&xm).copied().collect();
    cuts.sort_by(f64::total_cmp);
    for collocation in [Collocation::Gauss { points: 2 }, Collocation::Gauss { points: 3 }, Collocation::Simpson] {
        let mut nodes = Nodes::default();
        let slave = nodes.line(&slave_line(&xs, 0.0), false);
        let master = nodes.line(&master_line(&xm), false);
        let i = paired(slave, Master::Surface(master), settings(collocation, Multipliers::P1), &nodes.x);
        for m in 0..xs.len() {
            for k in 0..xm.len() {
                let node = (xs.len() + xm.len() - 1 - k) as u32;
                let sum: f64 = i
                    .points()
                    .iter()
                    .flat_map(|p| p.multiplier.iter().filter(|e| e.0 == m as u32).map(move |(_, psi)| (p, psi)))
                    .flat_map(|(p, psi)| p.master.iter().filter(|e| e.0 == node).map(move |(_, n)| p.weight * psi * n))
                    .sum();
                let f = |x: f64| hat(&xs, m, x) * hat(&xm, k, x);
                let exact: f64 = cuts
                    .windows(2)
                    .map(|w| (w[1] - w[0]) / 6.0 * (f(w[0]) + 4.0 * f(0.5 * (w[0] + w[1])) + f(w[1])))
                    .sum();
                assert!((sum - exact).abs() < 1e-14, "{collocation:?} {m} {k}: {sum} {exact}");
            }
        }
    }
}

/// Nodal forces of a uniform pressure through the rows: both sides in balance, in force and
/// in moment (the gap is zero), and each side carries the consistent load ∫ N p: half the
/// neighbouring lengths. This is the patch test of contact at the level of rows.
#[test]
fn uniform_pressure_gives_consistent_loads_on_both_sides() {
    let (xs, xm) = (uneven(0.0, 2.0, 5, 0.4), uneven(0.0, 2.0, 7, -0.5));
    for multipliers in [Multipliers::P1, Multipliers::P0] {
        for collocation in [Collocation::Gauss { points: 2 }, Collocation::Gauss { points: 3 }, Collocation::Simpson] {
            let mut nodes = Nodes::default();
            let slave = nodes.line(&slave_line(&xs, 0.0), false);
            let master = nodes.line(&master_line(&xm), false);
            let i = paired(slave, Master::Surface(master), settings(collocation, multipliers), &nodes.x);
            let rows = rows(&i);
            let mut f = vec![0.0; nodes.x.len()];
            for m in 0..rows.weights.len() {
                for (node, block) in &rows.rows[m] {
                    for k in 0..2 {
                        f[2 * *node as usize + k] += 3.0 * block[(0, k)];
                    }
                }
            }
            assert!((rows.weights.iter().sum::<f64>() - 2.0).abs() < 1e-14);
            let load = |x: &[f64], k: usize| {
                let left = if k > 0 { x[k] - x[k - 1] } else { 0.0 };
                let right = if k + 1 < x.len() { x[k + 1] - x[k] } else { 0.0 };
                3.0 * 0.5 * (left + right)
            };
            for k in 0..xs.len() {
                assert!((f[2 * k + 1] - load(&xs, k)).abs() < 1e-13 && f[2 * k].abs() < 1e-14);
            }
            for k in 0..xm.len() {
                let node = xs.len() + xm.len() - 1 - k;
                assert!((f[2 * node + 1] + load(&xm, k)).abs() < 1e-13);
            }
            let moment: f64 =
                (0..f.len() / 2).map(|n| nodes.x[2 * n] * f[2 * n + 1] - nodes.x[2 * n + 1] * f[2 * n]).sum();
            assert!(moment.abs() < 1e-12);
        }
    }
}

/// Rigid translations are in the kernel of every row; a linear field common to both sides
/// has no jump where the gap is zero.
#[test]
fn rows_vanish_on_translations_and_on_common_linear_fields() {
    let mut nodes = Nodes::default();
    let slave = nodes.line(&slave_line(&uneven(0.0, 2.0, 4, 0.3), 0.0), true);
    let master = nodes.line(&master_line(&uneven(0.0, 2.0, 7, -0.3)), false);
    let i = paired(slave, Master::Surface(master), settings(Collocation::Simpson, Multipliers::P1), &nodes.x);
    assert_eq!(i.multipliers(), 3);
    let rows = rows(&i);
    for m in 0..rows.weights.len() {
        let mut sum = nalgebra::Matrix2::<f64>::zeros();
        let mut linear = Vector::<2>::zeros();
        for (node, block) in &rows.rows[m] {
            sum += block;
            let x = nodes.x[2 * *node as usize];
            linear += block * Vector::<2>::new(0.3 - x, 0.1 + 2.0 * x);
        }
        assert!(sum.norm() < 1e-14 && linear.norm() < 1e-13);
        assert!(rows.gaps[m].abs() < 1e-14);
    }
}

/// The gap to a polygon inscribed in a circle tends to that of the circle as h²; with
/// smoothed normals the normals do too, without only as h.
#[test]
fn circles_are_met_at_second_order() {
    let mut gaps = vec![];
    let mut normals = [vec![], vec![]];
    for n in [16, 32, 64, 128] {
        let mut nodes = Nodes::default();
        // Uneven nodes: on a regular polygon the smoothed normals are exact.
        let ring: Vec<[f64; 2]> = uneven(0.0, TAU, n, 0.5)[..n].iter().map(|a| [a.cos(), a.sin()]).collect();
        let master = nodes.ring(&ring);
        // Traversed clockwise: the normal points at the disc.
        let arc: Vec<[f64; 2]> =
            (0..=40).rev().map(|i| 0.3 + 0.05 * f64::from(i)).map(|a| [1.1 * a.cos(), 1.1 * a.sin()]).collect();
        let slave = nodes.line(&arc, false);
        for (smooth_normals, errors) in [false, true].into_iter().zip(&mut normals) {
            let s = PairSettings { smooth_normals, ..settings(Collocation::Nodes, Multipliers::P1) };
            let i = paired(slave.clone(), Master::Surface(master.clone()), s, &nodes.x);
            assert_eq!(i.points().len(), 41);
            let radial = |p: &ContactPoint<2>| p.slave.apply::<2>(&nodes.x);
            let gap = i.points().iter().map(|p| (p.gap - 0.1).abs()).fold(0.0, f64::max);
            errors.push(i.points().iter().map(|p| (p.normal() - radial(p).normalize()).norm()).fold(0.0, f64::max));
            if smooth_normals {
                gaps.push(gap);
            }
        }
    }
    for w in gaps.windows(2).chain(normals[1].windows(2)) {
        assert!((w[0] / w[1]).log2() > 1.8, "{gaps:?} {normals:?}");
    }
    // Facet normals are off by half a facet's angle.
    assert!(normals[0][3] > 0.4 * PI / 128.0 && normals[1][3] < 0.05 * PI / 128.0);
}

/// A curved facet (three nodes on a circle) is closer by two orders than a straight one.
#[test]
fn quadratic_segments_follow_circles_at_higher_order() {
    let mut errors = vec![];
    for n in [4, 8, 16] {
        let mut nodes = Nodes::default();
        let arc = |m: i32, r: f64| -> Vec<[f64; 2]> {
            (0..=m).map(|i| PI * f64::from(i) / f64::from(m)).map(|a| [r * a.cos(), r * a.sin()]).collect()
        };
        let master = nodes.line(&arc(2 * n, 1.0), true);
        let mut outer = arc(30, 1.2);
        outer.reverse();
        let slave = nodes.line(&outer, false);
        let i = paired(slave, Master::Surface(master), settings(Collocation::Nodes, Multipliers::P1), &nodes.x);
        errors.push(i.points().iter().map(|p| (p.gap - 0.2).abs()).fold(0.0, f64::max));
    }
    for w in errors.windows(2) {
        assert!((w[0] / w[1]).log2() > 3.5, "{errors:?}");
    }
}

/// Smoothed normals and gaps are continuous when a point slides over a corner; facet normals
/// jump there, gaps do not.
#[test]
fn sliding_over_facets_is_continuous() {
    let bumpy: Vec<[f64; 2]> =
        (0..=40).rev().map(|i| 0.1 * f64::from(i)).map(|x| [x, 0.05 * (3.0 * x).sin()]).collect();
    let step = 3e-4;
    for (smooth_normals, pairing) in
        [(true, Pairing::Proximity), (false, Pairing::Proximity), (true, Pairing::Direction([0.0, -1.0, 0.0]))]
    {
        let mut nodes = Nodes::default();
        let master = nodes.line(&bumpy, false);
        let slave = nodes.line(&[[0.3, 0.2], [0.4, 0.2]], false);
        let node = nodes.x.len() - 4;
        let s = PairSettings { smooth_normals, pairing, ..settings(Collocation::Nodes, Multipliers::P1) };
        let mut i = Interface::new(slave, Master::Surface(master), s).expect("valid");
        let v = vec![0.0; nodes.x.len()];
        let mut last: Option<(f64, Vector<2>, u32)> = None;
        let (mut largest, mut changes) = ([0.0f64; 2], 0);
        for _ in 0..10_000 {
            nodes.x[node] += step;
            nodes.x[node + 2] += step;
            i.pair(&nodes.x, &nodes.x, &v, 0.0).expect("paired");
            assert_eq!((i.points().len(), i.points()[0].key.slave as usize), (2, node / 2));
            let p = &i.points()[0];
            if let Some((g, n, f)) = last {
                largest[0] = largest[0].max((p.gap - g).abs());
                largest[1] = largest[1].max((p.normal() - n).norm());
                changes += usize::from(f != p.master_facet);
            }
            last = Some((p.gap, p.normal(), p.master_facet));
        }
        assert!(changes >= 29, "{changes}");
        // Slopes up to 0.15 and curvature 0.45: gap and normal change by less than one step each.
        assert!(largest[0] < step, "{largest:?}");
        assert_eq!(largest[1] < step, smooth_normals, "{largest:?}");
    }
}

/// Σω of a cone is π (r₁ + r₂) s, of a disc π r²; nodes on the axis keep a positive weight.
#[test]
fn axisymmetric_weights_are_areas_of_revolution() {
    for collocation in COLLOCATIONS {
        for quadratic in [false, true] {
            let mut nodes = Nodes::default();
            let line: Vec<[f64; 2]> = uneven(0.0, 0.3, 4, 0.3).iter().map(|&r| [r, 0.2 * r]).collect();
            let slave = nodes.line(&line, quadratic);
            let ground = Obstacle::half_space([0.0, -0.1], [0.0, 2.0]);
            let s = PairSettings { axisymmetric: true, ..settings(collocation, Multipliers::P1) };
            let i = paired(slave, Master::Obstacle(ground.expect("valid")), s, &nodes.x);
            let side = 0.3 * (1.0f64 + 0.04).sqrt();
            assert!((total(i.points()) - PI * 0.3 * side).abs() < 1e-14, "{collocation:?} {quadratic}");
            if collocation == Collocation::Nodes {
                assert!(i.points().iter().all(|p| p.weight > 0.0));
            }
        }
    }
}

/// The thickness multiplies the weights.
#[test]
fn thickness_multiplies_weights() {
    let mut nodes = Nodes::default();
    let slave = nodes.line(&slave_line(&uneven(0.0, 2.0, 3, 0.0), 0.1), false);
    let ground = Obstacle::half_space([0.0; 2], [0.0, 1.0]).expect("valid");
    let s = PairSettings { thickness: 0.25, ..PairSettings::new(1.0) };
    let i = paired(slave, Master::Obstacle(ground), s, &nodes.x);
    assert!((total(i.points()) - 0.5).abs() < 1e-15);
    assert!(i.points().iter().all(|p| (p.gap - 0.1).abs() < 1e-15 && p.master.indices().is_empty()));
}

/// Signed distances, normals and velocities of every obstacle, in closed form; with a
/// turning frame the velocity is v + ω × r.
#[test]
fn obstacles_in_closed_form() {
    let at = |o: Result<Obstacle<2>, _>, x: [f64; 2]| {
        let o = o.expect("valid");
        let s = o.sight(&Vector::<2>::from(x), 0.0, 10.0).expect("defined").expect("near");
        (s.gap, [s.normal[0], s.normal[1]])
    };
    assert_eq!(at(Obstacle::ball([1.0, 0.0], 2.0), [4.0, 0.0]), (1.0, [1.0, 0.0]));
    assert_eq!(at(Obstacle::cavity([1.0, 0.0], 2.0), [1.0, 1.5]), (0.5, [0.0, -1.0]));
    let cuboid = || Obstacle::cuboid([0.0; 2], [2.0, 1.0]);
    assert_eq!(at(cuboid(), [0.0, 0.75]), (0.25, [0.0, 1.0]));
    let (gap, n) = at(cuboid(), [-0.9, 0.1]);
    assert!((gap + 0.1).abs() < 1e-15 && n == [-1.0, 0.0]);
    let (gap, n) = at(cuboid(), [1.3, 0.9]);
    assert!((gap - 0.5).abs() < 1e-15 && (n[0] - 0.6).abs() < 1e-15 && (n[1] - 0.8).abs() < 1e-15);
    let capsule = Obstacle::capsule([0.0, 0.0], [2.0, 0.0], 0.5);
    assert_eq!(at(capsule, [1.0, -1.0]), (0.5, [0.0, -1.0]));

    let mut o = Obstacle::new(Shape2::wall("-y + 2*t").expect("valid"), Pose::identity()).expect("valid");
    let s = o.sight(&Vector::<2>::new(0.3, 1.0), 0.25, 10.0).expect("defined").expect("near");
    assert!((s.gap - 0.5).abs() < 1e-14 && (s.velocity - Vector::<2>::new(0.0, 2.0)).norm() < 1e-13);

    o = Obstacle::half_space([0.0; 2], [0.0, 1.0]).expect("valid");
    let (pose, velocity) = (Pose::planar(1.0, 2.0, PI / 2.0), Vector::<2>::new(0.5, 0.0));
    o.move_to(Motion { pose, velocity, spin: [0.0, 0.0, 3.0] }).expect("finite");
    let s = o.sight(&Vector::<2>::new(-1.0, 4.0), 0.0, 10.0).expect("defined").expect("near");
    assert!((s.gap - 2.0).abs() < 1e-14 && (s.foot - Vector::<2>::new(1.0, 4.0)).norm() < 1e-14);
    assert!((s.velocity - Vector::<2>::new(0.5 - 6.0, 0.0)).norm() < 1e-13);
    // Along (1, 1)/√2 the plane x = 1 is 2√2 away, and the gap still its distance.
    let d = Vector::<2>::new(1.0, 1.0).normalize();
    let s = o.along(&Vector::<2>::new(-1.0, 4.0), &d, 0.0, 10.0).expect("defined").expect("met");
    assert!((s.gap - 2.0).abs() < 1e-13 && (s.foot - Vector::<2>::new(1.0, 6.0)).norm() < 1e-12);
    assert_eq!(o.along(&Vector::<2>::new(-1.0, 4.0), &-d, 0.0, 10.0), Ok(None));
}
