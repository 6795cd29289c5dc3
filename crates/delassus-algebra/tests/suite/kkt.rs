//! Stiffness with constraints, against dense elimination with pivoting of another library
#![cfg(feature = "sparse")]
#![allow(clippy::unwrap_used)]

use delassus_algebra::{AlgebraError, Kkt, Pattern, SymmetricMatrix};
use nalgebra::{DMatrix, DVector};
use rand::{Rng, SeedableRng, rngs::StdRng};
use std::sync::Arc;

fn slices(lists: &[Vec<u32>]) -> impl Iterator<Item = &[u32]> + Clone {
    lists.iter().map(|l| l.as_slice())
}

fn diagonal_pattern(m: usize) -> Arc<Pattern> {
    Arc::new(Pattern::new(m, std::iter::empty()).unwrap())
}

/// A system in its parts, with the dense matrix [K Bᵀ; B −C].
struct System {
    k: SymmetricMatrix,
    constraints: Vec<Vec<u32>>,
    b: Vec<f64>,
    c: SymmetricMatrix,
}

impl System {
    fn dense(&self) -> DMatrix<f64> {
        let (n, m) = (self.k.size(), self.constraints.len());
        let mut a = DMatrix::zeros(n + m, n + m);
        for i in 0..n {
            (0..n).for_each(|j| a[(i, j)] = self.k.get(i as u32, j as u32));
        }
        let mut values = self.b.iter();
        for (r, list) in self.constraints.iter().enumerate() {
            for &i in list {
                let x = values.next().unwrap();
                a[(n + r, i as usize)] += x;
                a[(i as usize, n + r)] += x;
            }
            (0..m).for_each(|s| a[(n + r, n + s)] = -self.c.get(r as u32, s as u32));
        }
        a
    }

    fn kkt(&self) -> Kkt {
        Kkt::new(self.k.pattern(), slices(&self.constraints), self.c.pattern()).unwrap()
    }

    /// Solves and compares with dense LU: forward error below `tolerance`.
    fn check(&self, kkt: &mut Kkt, tolerance: f64) {
        kkt.refactor(&self.k, &self.b, &self.c).unwrap();
        let (n, m) = (self.k.size(), self.constraints.len());
        let mut rng = StdRng::seed_from_u64(99);
        let rhs = DVector::from_fn(n + m, |_, _| rng.random_range(-1.0..1.0));
        let reference = self.dense().lu().solve(&rhs).unwrap();
        let (mut f, mut g) = (rhs.rows(0, n).as_slice().to_vec(), rhs.rows(n, m).as_slice().to_vec());
        let done = kkt.solve(&mut f, &mut g).unwrap();
        assert!(done.backward_error < 1e-14, "{done:?}");
        f.extend(g);
        let error = (DVector::from_vec(f) - &reference).amax() / reference.amax();
        assert!(error < tolerance, "{error:e}, {done:?}");
    }
}

/// Grid of side × side nodes, two dofs each, springs along edges and diagonals; `held` adds a
/// spring to the ground at every dof.
fn grid(side: u32, held: f64) -> SymmetricMatrix {
    let node = |x: u32, y: u32| x + side * y;
    let mut bars: Vec<[u32; 2]> = vec![];
    for y in 0..side {
        for x in 0..side {
            for (dx, dy) in [(1i32, 0), (0, 1), (1, 1), (-1, 1)] {
                let (x2, y2) = (x as i32 + dx, y as i32 + dy);
                if (0..side as i32).contains(&x2) && y2 < side as i32 {
                    bars.push([node(x, y), node(x2 as u32, y2 as u32)]);
                }
            }
        }
    }
    let lists: Vec<Vec<u32>> = bars.iter().map(|[a, b]| vec![2 * a, 2 * a + 1, 2 * b, 2 * b + 1]).collect();
    let n = 2 * (side * side) as usize;
    let mut k = SymmetricMatrix::zero(Arc::new(Pattern::new(n, slices(&lists)).unwrap()));
    let position = |a: u32| [(a % side) as f64, (a / side) as f64];
    for ([a, b], list) in bars.iter().zip(&lists) {
        let (pa, pb) = (position(*a), position(*b));
        let d = [pb[0] - pa[0], pb[1] - pa[1]];
        let l2 = d[0] * d[0] + d[1] * d[1];
        let e = [-d[0], -d[1], d[0], d[1]];
        for i in 0..4 {
            (0..=i).for_each(|j| k.add(list[i], list[j], e[i] * e[j] / l2).unwrap());
        }
    }
    k.add_diagonal(held, &vec![1.0; n]);
    k
}

/// Each has a dof of its own with a large factor: independent.
fn random_constraints(n: usize, m: usize, rng: &mut StdRng) -> (Vec<Vec<u32>>, Vec<f64>) {
    let (mut lists, mut b) = (vec![], vec![]);
    for r in 0..m {
        let more = rng.random_range(0..5);
        let mut list = vec![(r * (n / m)) as u32];
        list.extend((0..more).map(|_| rng.random_range(0..n as u32)));
        b.push(4.0);
        b.extend((0..more).map(|_| rng.random_range(-1.0..1.0)));
        lists.push(list);
    }
    (lists, b)
}

/// Forward errors are cond × ε: below 1e-10 with the conditions (1e4 at most) of these systems.
#[test]
fn random_constraints_equal_dense_solves() {
    for seed in 0..8 {
        let mut rng = StdRng::seed_from_u64(seed);
        let k = grid(8 + seed as u32, 0.1);
        let (constraints, b) = random_constraints(k.size(), 4 + 3 * seed as usize, &mut rng);
        let c = SymmetricMatrix::zero(diagonal_pattern(constraints.len()));
        let system = System { k, constraints, b, c };
        system.check(&mut system.kkt(), 1e-10);
    }
}

#[test]
fn compliance_that_couples_constraints_equals_dense_solves() {
    let mut rng = StdRng::seed_from_u64(5);
    let k = grid(12, 0.05);
    let (constraints, b) = random_constraints(k.size(), 21, &mut rng);
    let triples: Vec<Vec<u32>> = (0..7).map(|e| vec![3 * e, 3 * e + 1, 3 * e + 2]).collect();
    let mut c = SymmetricMatrix::zero(Arc::new(Pattern::new(21, slices(&triples)).unwrap()));
    for t in &triples {
        for i in 0..3 {
            (0..=i).for_each(|j| c.add(t[i], t[j], if i == j { 2.0 } else { -0.5 }).unwrap());
        }
    }
    let system = System { k, constraints, b, c };
    system.check(&mut system.kkt(), 1e-10);
}

/// Units do not matter: stiffness of steel, gaps in metres, multipliers in newtons.
#[test]
fn scaled_units_give_the_same_accuracy() {
    let mut rng = StdRng::seed_from_u64(6);
    let mut k = grid(10, 0.05);
    k.values_mut().iter_mut().for_each(|v| *v *= 2.1e11);
    let (constraints, mut b) = random_constraints(k.size(), 15, &mut rng);
    b.iter_mut().for_each(|x| *x *= 1e-6);
    let c = SymmetricMatrix::zero(diagonal_pattern(15));
    let mut kkt = Kkt::new(k.pattern(), slices(&constraints), c.pattern()).unwrap();
    kkt.refactor(&k, &b, &c).unwrap();
    // u = known, f = K u + Bᵀ λ, g = B u.
    let (n, m) = (k.size(), 15);
    let u: Vec<f64> = (0..n).map(|_| rng.random_range(-1e-3..1e-3)).collect();
    let lambda: Vec<f64> = (0..m).map(|_| rng.random_range(-1e9..1e9)).collect();
    let (mut f, mut g) = (vec![0.0; n], vec![0.0; m]);
    k.mul_add(&u, &mut f);
    let mut values = b.iter();
    for (r, list) in constraints.iter().enumerate() {
        for &i in list {
            let x = values.next().unwrap();
            f[i as usize] += x * lambda[r];
            g[r] += x * u[i as usize];
        }
    }
    kkt.solve(&mut f, &mut g).unwrap();
    (0..n).for_each(|i| assert!((f[i] - u[i]).abs() < 1e-3 * 1e-10));
    (0..m).for_each(|r| assert!((g[r] - lambda[r]).abs() < 1e9 * 1e-9));
}

/// A grid that nothing holds but three constraints on two corners.
#[test]
fn constraints_alone_may_hold_a_floating_body() {
    for side in [4, 12, 20] {
        let k = grid(side, 0.0);
        let corner = 2 * (side * side - 1);
        let constraints = vec![vec![0], vec![1], vec![corner + 1]];
        let c = SymmetricMatrix::zero(diagonal_pattern(3));
        let system = System { k, constraints, b: vec![1.0; 3], c };
        // The softest mode of a grid of side s is of stiffness 1/s²: cond below 1e5.
        system.check(&mut system.kkt(), 1e-9);
    }
}

/// Constraints on mean displacements and rotation come after all dofs: the three rigid motions
/// of K are met first, and filled.
#[test]
fn rigid_motions_are_filled_and_taken_out() {
    for side in [4u32, 12, 20] {
        let k = grid(side, 0.0);
        let n = k.size() as u32;
        let all: Vec<u32> = (0..n).collect();
        let mut b = vec![];
        for mode in 0..3 {
            b.extend((0..n).map(|i| match (mode, i % 2) {
                (0, 0) | (1, 1) => 1.0,
                (2, 0) => -((i / 2 / side) as f64),
                (2, 1) => (i / 2 % side) as f64,
                _ => 0.0,
            }));
        }
        let c = SymmetricMatrix::zero(diagonal_pattern(3));
        let system = System { k, constraints: vec![all; 3], b, c };
        let mut kkt = system.kkt();
        system.check(&mut kkt, 1e-9);
        assert_eq!(kkt.fillings(), 3);
        // Warm: the same fillings from the start, the same solution.
        system.check(&mut kkt, 1e-9);
        assert_eq!(kkt.fillings(), 3);
        // With springs to the ground nothing vanishes, and the fillings go, one step late.
        let held = System { k: grid(side, 0.5), ..system };
        held.check(&mut kkt, 1e-9);
        held.check(&mut kkt, 1e-9);
        assert_eq!(kkt.fillings(), 0);
    }
}

/// Two of the three are not enough: the rotation about the first corner is left.
#[test]
fn a_motion_that_nothing_holds_names_a_dof() {
    for side in [4, 12, 20] {
        let k = grid(side, 0.0);
        let c = SymmetricMatrix::zero(diagonal_pattern(2));
        let mut kkt = Kkt::new(k.pattern(), slices(&[vec![0], vec![1]]), c.pattern()).unwrap();
        let result = kkt.refactor(&k, &[1.0, 1.0], &c);
        assert!(matches!(result, Err(AlgebraError::Singular { .. })), "{result:?}");
        assert_eq!(kkt.solve(&mut vec![0.0; k.size()], &mut [0.0; 2]), Err(AlgebraError::NoFactor));
    }
}

/// Constraint 3 is the sum of 1 and 2; naming any of the three is right.
#[test]
fn redundant_constraints_are_named() {
    for side in [5, 20] {
        for held in [0.1, 0.0] {
            let k = grid(side, held);
            let corner = 2 * (side * side - 1);
            let constraints = vec![vec![0, 1], vec![7, 8], vec![corner + 1, 3], vec![7, 8, corner + 1, 3]];
            let b = [1.0, 2.0, 0.3, -0.7, 1.1, 0.9, 0.3, -0.7, 1.1, 0.9];
            let c = SymmetricMatrix::zero(diagonal_pattern(4));
            let mut kkt = Kkt::new(k.pattern(), slices(&constraints), c.pattern()).unwrap();
            let result = kkt.refactor(&k, &b, &c);
            assert!(matches!(result, Err(AlgebraError::Redundant { constraint: 1..=3 })), "{side} {held}: {result:?}");
        }
    }
}

/// A constraint without values is refused, unless its own compliance decides its multiplier.
#[test]
fn inactive_constraints_need_a_diagonal_in_c() {
    let k = grid(6, 0.2);
    let constraints = vec![vec![3, 4], vec![10, 11]];
    let mut c = SymmetricMatrix::zero(diagonal_pattern(2));
    let mut kkt = Kkt::new(k.pattern(), slices(&constraints), c.pattern()).unwrap();
    let b = [1.0, -1.0, 0.0, 0.0];
    assert_eq!(kkt.refactor(&k, &b, &c), Err(AlgebraError::Redundant { constraint: 1 }));
    c.add(1, 1, 1.0).unwrap();
    kkt.refactor(&k, &b, &c).unwrap();
    let (mut f, mut g) = (vec![1.0; k.size()], vec![0.0, 0.25]);
    kkt.solve(&mut f, &mut g).unwrap();
    assert!((g[1] + 0.25).abs() < 1e-14);
    assert!((f[3] - f[4]).abs() < 1e-14);
}

/// An unstable tangent: K indefinite, the system regular.
#[test]
fn an_indefinite_stiffness_is_solved_too() {
    let mut rng = StdRng::seed_from_u64(8);
    let k = grid(9, -0.37);
    let (constraints, b) = random_constraints(k.size(), 9, &mut rng);
    let c = SymmetricMatrix::zero(diagonal_pattern(9));
    let system = System { k, constraints, b, c };
    system.check(&mut system.kkt(), 1e-9);
}

#[test]
fn bad_input_is_refused_by_name() {
    let k = grid(3, 1.0);
    let c = SymmetricMatrix::zero(diagonal_pattern(1));
    let out = Kkt::new(k.pattern(), slices(&[vec![18]]), c.pattern()).map(|_| ());
    assert_eq!(out, Err(AlgebraError::DofOutOfRange { list: 0, dof: 18, count: 18 }));
    let mut kkt = Kkt::new(k.pattern(), slices(&[vec![1, 2]]), c.pattern()).unwrap();
    let short = kkt.refactor(&k, &[1.0], &c);
    assert_eq!(short, Err(AlgebraError::Length { what: "values of B", found: 1, expected: 2 }));
    let nan = kkt.refactor(&k, &[1.0, f64::NAN], &c);
    assert_eq!(nan, Err(AlgebraError::NotFinite { what: "B", index: 1 }));
}
