//! Measures, moments and shares of energy against closed forms.

use delassus_arlequin::{Gluing, Layer, Mediator, Overlap, Product, Profile, Ramp, Sharing, Vector};
use delassus_fem::element::{Rule, mass_rule, shape, shape_gradients, simplex_rule, stiffness_rule};
use delassus_fem::mesh::{CellKind, Mesh};
use std::f64::consts::{FRAC_PI_4, PI, TAU};

use crate::common::{grid, overlap};

fn turned(mut mesh: Mesh, angle: f64) -> Mesh {
    mesh.rotate([0.0; 3], [0.0, 0.0, 1.0], angle).expect("axis");
    mesh
}

/// Two squares about one centre, one turned by θ: a polygon about a circle of radius ½, of area
/// `tan θ/2 + tan(π/4 − θ/2)`; in space a prism.
#[test]
fn turned_squares_and_cubes_share_a_tangential_octagon() {
    for angle in [0.1, 0.5, FRAC_PI_4, 1.2] {
        let area = (0.5 * angle).tan() + (FRAC_PI_4 - 0.5 * angle).tan();
        let (lo, hi) = ([-0.5; 2], [0.5; 2]);
        for (a, b) in [(CellKind::Quad4, CellKind::Tri3), (CellKind::Quad4, CellKind::Quad4)] {
            let (a, b) = (grid(a, lo, hi, [5, 4], 0.4), turned(grid(b, lo, hi, [13, 11], 0.3), angle));
            let got = overlap::<2>(&a, &b).measure();
            assert!((got - area).abs() < 1e-12, "{angle}: {got} {area}");
        }
        let (lo, hi) = ([-0.5, -0.5, 0.0], [0.5, 0.5, 1.0]);
        for (a, b) in [(CellKind::Hex8, CellKind::Hex8), (CellKind::Hex8, CellKind::Tet4)] {
            let (a, b) = (grid(a, lo, hi, [3; 3], 0.3), turned(grid(b, lo, hi, [4; 3], 0.2), angle));
            let got = overlap::<3>(&a, &b).measure();
            assert!((got - area).abs() < 1e-12, "{angle}: {got} {area}");
        }
    }
}

/// Regular polygons of n sides, one turned by half a side: a regular one of 2n sides about the same circle.
#[test]
fn two_discs_share_a_regular_polygon() {
    let disc = |n: usize, angle: f64| {
        let at = |k: usize| angle + TAU * k as f64 / n as f64;
        let mut points = vec![[0.0; 3]];
        points.extend((0..n).map(|k| [at(k).cos(), at(k).sin(), 0.0]));
        let mut mesh = Mesh::new(2, points);
        for k in 0..n {
            mesh.push_cell(CellKind::Tri3, &[0, 1 + k as u32, 1 + ((k + 1) % n) as u32]);
        }
        mesh
    };
    for n in [3, 7, 24, 96] {
        let inner = (PI / n as f64).cos();
        let exact = inner * inner * 2.0 * n as f64 * (PI / (2.0 * n as f64)).tan();
        let (a, b) = (disc(n, 0.3), disc(n, 0.3 + PI / n as f64));
        let got = overlap::<2>(&a, &b).measure();
        assert!((got - exact).abs() < 1e-13, "{n}: {got} {exact}");
    }
}

/// A tetrahedron and its image through its centre share an octahedron of half its volume.
#[test]
fn a_tetrahedron_and_its_image_share_half() {
    let corners = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
    let mesh = |sign: f64, order: [u32; 4]| {
        let mut mesh = Mesh::new(3, corners.map(|p| p.map(|x| sign * x)).to_vec());
        mesh.push_cell(CellKind::Tet4, &order);
        mesh
    };
    let (a, b) = (mesh(1.0, [0, 1, 3, 2]), mesh(-1.0, [0, 1, 2, 3]));
    let o = overlap::<3>(&a, &b);
    assert!((o.measure() - 4.0 / 3.0).abs() < 1e-14, "{}", o.measure());
}

/// Moments of the common part of two boxes: `∫ x^a y^b z^c` to the fourth degree.
#[test]
fn moments_of_boxes() {
    let a = grid(CellKind::Hex8, [0.0; 3], [2.0; 3], [3, 2, 2], 0.3);
    let b = grid(CellKind::Tet4, [0.7, -1.0, 0.4], [3.0, 1.5, 1.1], [4, 5, 3], 0.3);
    let o = overlap::<3>(&a, &b);
    let (lo, hi): ([f64; 3], [f64; 3]) = ([0.7, 0.0, 0.4], [2.0, 1.5, 1.1]);
    let rule = simplex_rule(3, 4);
    let exact = |k: usize, n: i32| (hi[k].powi(n + 1) - lo[k].powi(n + 1)) / f64::from(n + 1);
    for powers in [[0, 0, 0], [1, 0, 0], [0, 2, 0], [1, 1, 1], [0, 1, 3], [2, 2, 0]] {
        let got: f64 = o
            .pieces
            .iter()
            .map(|p| {
                let points = rule.points.iter().zip(&rule.weights);
                let at = points.map(|(xi, w)| (p.simplex.at(xi), 6.0 * w * p.simplex.measure()));
                at.map(|(x, dv)| dv * (0..3).map(|k| x[k].powi(powers[k])).product::<f64>()).sum::<f64>()
            })
            .sum();
        let exact: f64 = (0..3).map(|k| exact(k, powers[k])).product();
        assert!((got - exact).abs() < 1e-13 * exact.max(1.0), "{powers:?}: {got} {exact}");
    }
}

/// `∫ f` over a mesh by the points of a rule of its cells, with factors.
fn integral<const D: usize>(
    mesh: &Mesh,
    rule: &dyn Fn(CellKind) -> Rule,
    factors: &[Vec<f64>],
    f: &dyn Fn([f64; 3]) -> f64,
) -> f64 {
    let mut sum = 0.0;
    for (cell, factors) in mesh.volume_cells().zip(factors) {
        let (kind, nodes) = (mesh.kind(cell), mesh.cell(cell));
        let rule = rule(kind);
        for ((xi, w), factor) in rule.points.iter().zip(&rule.weights).zip(factors) {
            let (mut n, mut d) = ([0.0; 10], [[0.0; 3]; 10]);
            shape(kind, *xi, &mut n);
            shape_gradients(kind, *xi, &mut d);
            let mut x = [0.0; 3];
            let mut j = nalgebra::SMatrix::<f64, 3, 3>::identity();
            for i in 0..D {
                x[i] = (0..nodes.len()).map(|a| n[a] * mesh.points[nodes[a] as usize][i]).sum();
                for k in 0..D {
                    j[(i, k)] = (0..nodes.len()).map(|a| d[a][k] * mesh.points[nodes[a] as usize][i]).sum();
                }
            }
            sum += w * j.determinant() * factor * f(x);
        }
    }
    sum
}

/// Weighted masses and energies of constant stress of both models add up to those of one, cut cells, skew cells and
/// warped ones included; so do first moments where the rule has more than one point and cells are not skew.
#[test]
fn both_models_together_have_the_energy_of_one() {
    fn check<const D: usize>(a: &Mesh, b: &Mesh, union: f64, moment: Option<f64>, round: bool) {
        let o = overlap::<D>(a, b);
        let ramp = Ramp::new(&o, None);
        let extent = |x: f64| if round { TAU * x } else { 1.0 };
        for profile in [Profile::Constant(0.2), Profile::Linear { floor: 1e-3 }, Profile::Cubic { floor: 1e-3 }] {
            let sharing = Sharing::new(profile, Some(&ramp)).expect("ramp");
            let rules: [&dyn Fn(CellKind) -> Rule; 2] = [&|k| stiffness_rule(k, round), &mass_rule];
            for (rank, rule) in rules.into_iter().enumerate() {
                let f = sharing.factors_within(&o, rule, 0.7, &|x: &Vector<D>| extent(x[0]));
                assert!(f.iter().flatten().flatten().all(|f| *f > 0.0));
                let whole = |g: &dyn Fn([f64; 3]) -> f64| {
                    let g = |x: [f64; 3]| g(x) * extent(x[0]);
                    integral::<D>(a, rule, &f[0], &g) + integral::<D>(b, rule, &f[1], &g)
                };
                let got = whole(&|_| 1.0);
                assert!((got / union - 1.0).abs() < 1e-12, "{profile:?} {rank}: {got} {union}");
                let got = whole(&|x| x[1]);
                if let (Some(moment), true) = (moment, rank == 1 && !matches!(profile, Profile::Cubic { .. })) {
                    assert!((got / moment - 1.0).abs() < 1e-12, "{profile:?} {rank}: {got} {moment}");
                }
            }
        }
    }
    // Union of [0, 4] × [0, 2] and a patch inside, cut by no line of the other; weights that jump inside cells.
    for (a, b) in [(CellKind::Quad4, CellKind::Tri3), (CellKind::Tri3, CellKind::Quad4)] {
        for shake in [0.0, 0.4] {
            let a = grid(a, [0.0, 0.0], [4.0, 2.0], [5, 3], shake);
            let b = grid(b, [1.13, 0.0], [2.87, 1.21], [9, 7], shake);
            check::<2>(&a, &b, 8.0, None, false);
            check::<2>(&a, &b, TAU * 16.0, None, true);
        }
    }
    // A junction: a linear weight along x is of first degree, and first moments are kept.
    let a = grid(CellKind::Quad4, [2.05, 0.0], [5.0, 1.0], [4, 2], 0.0);
    let b = grid(CellKind::Tri3, [0.0, 0.0], [3.0, 1.0], [13, 5], 0.0);
    check::<2>(&a, &b, 5.0, Some(2.5), false);
    let a = grid(CellKind::Hex8, [0.0; 3], [2.0; 3], [2; 3], 0.0);
    check::<3>(&a, &grid(CellKind::Hex8, [0.7, 0.6, 0.5], [1.6; 3], [3; 3], 0.0), 8.0, None, false);
    let b = grid(CellKind::Tet4, [1.3, 0.0, 0.0], [4.0, 2.0, 2.0], [3; 3], 0.2);
    check::<3>(&a, &b, 16.0, None, false);
}

/// Hexahedra with faces that are not plane tile a box: no point is lost or taken twice.
#[test]
fn warped_hexahedra_tile_a_box() {
    let a = grid(CellKind::Hex8, [0.0; 3], [2.0; 3], [4; 3], 0.5);
    let b = grid(CellKind::Hex8, [0.3; 3], [1.9; 3], [5; 3], 0.5);
    let o = overlap::<3>(&a, &b);
    assert!((o.measure() - 1.6f64.powi(3)).abs() < 1e-12, "{}", o.measure());
    let [_, fine] = o.shares();
    assert!(fine.iter().all(|s| (s - 1.0).abs() < 1e-10), "{fine:?}");
}

/// Cells of second degree with straight sides: rows vanish on quadratic fields that both carry.
#[test]
fn rows_of_second_degree_vanish_on_quadratic_fields() {
    fn check<const D: usize>(a: &Mesh, b: &Mesh) {
        let (a, b) = (a.quadratic(|_, _, x| x), b.quadratic(|_, _, x| x));
        let o = overlap::<D>(&a, &b);
        let field = |p: [f64; 3]| 0.3 + p[0] * p[0] - 0.7 * p[0] * p[1] + 0.2 * p[1] + 0.4 * p[2] * p[1];
        for mediator in [Mediator::Coarse, Mediator::Fine] {
            let g = Gluing::new(&o, mediator, Product::H1 { length: 0.3 }, &|_| true, &|_| 1.0).expect("rows");
            for row in &g.rows {
                let sum = |side: &[(u32, f64)], mesh: &Mesh| -> f64 {
                    side.iter().map(|(n, c)| c * field(mesh.points[*n as usize])).sum()
                };
                let size: f64 = row.coarse.iter().map(|(_, c)| c.abs()).sum::<f64>();
                assert!((sum(&row.coarse, &a) + sum(&row.fine, &b)).abs() < 1e-11 * size);
            }
        }
    }
    let a = grid(CellKind::Quad4, [0.0, 0.0], [4.0, 2.0], [4, 2], 0.0);
    check::<2>(&a, &grid(CellKind::Tri3, [1.5, 0.3], [3.5, 1.0], [5, 3], 0.3));
    let a = grid(CellKind::Tet4, [0.0; 3], [2.0; 3], [2; 3], 0.3);
    check::<3>(&a, &grid(CellKind::Tet4, [0.7; 3], [1.6; 3], [2; 3], 0.2));
}

/// A product in revolution is that of the volume: `∫ 2πr N` sums to Guldin's volume.
#[test]
fn rows_of_revolution_measure_the_volume() {
    let a = grid(CellKind::Quad4, [1.0, 0.0], [4.0, 2.0], [3, 2], 0.0);
    let b = grid(CellKind::Tri3, [1.5, 0.3], [3.5, 1.0], [7, 5], 0.3);
    let o = overlap::<2>(&a, &b);
    let exact = PI * (3.5f64.powi(2) - 1.5f64.powi(2)) * 0.7;
    for mediator in [Mediator::Coarse, Mediator::Fine] {
        let g = Gluing::new(&o, mediator, Product::L2, &|_| true, &|x| TAU * x[0]).expect("rows");
        let sum: f64 = g.rows.iter().map(|r| r.measure).sum();
        assert!((g.measure - exact).abs() < 1e-12 && (sum - exact).abs() < 1e-12, "{} {sum} {exact}", g.measure);
    }
}

/// A line meets a line, and points at its ends: overlaps, ramps and shares in one dimension.
#[test]
fn bars_overlap_in_one_dimension() {
    let line = |lo: f64, hi: f64, n: usize| {
        let mut mesh = Mesh::new(1, (0..=n).map(|k| [lo + (hi - lo) * k as f64 / n as f64, 0.0, 0.0]).collect());
        for k in 0..n as u32 {
            mesh.push_cell(CellKind::Seg2, &[k, k + 1]);
        }
        mesh
    };
    let (a, b) = (line(2.0, 5.0, 7), line(0.0, 3.0, 31));
    let o = Overlap::<1>::new(Layer::new(&a, None).expect("a"), Layer::new(&b, None).expect("b")).expect("overlap");
    assert!((o.measure() - 1.0).abs() < 1e-14);
    let ramp = Ramp::new(&o, None);
    assert_eq!(ramp.sides(), [1, 1]);
    let sharing = Sharing::new(Profile::Linear { floor: 1e-3 }, Some(&ramp)).expect("ramp");
    // The coarse model is alone beyond 3, where the fine one ends.
    assert!((sharing.at(&Vector::<1>::new(3.0), 1.0) - 0.999).abs() < 1e-12);
    assert!((sharing.at(&Vector::<1>::new(2.25), 1.0) - (0.001 + 0.998 * 0.25)).abs() < 1e-12);
}
