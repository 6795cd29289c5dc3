//! The sparse algebra against dense solves of another library (nalgebra)
#![cfg(feature = "sparse")]
#![allow(clippy::unwrap_used)]

use delassus_algebra::{AlgebraError, Assembler, Cholesky, Imposed, Pattern, SolveScratch, SymmetricMatrix, Target};
use nalgebra::{DMatrix, DVector};
use rand::{Rng, SeedableRng, rngs::StdRng, seq::SliceRandom};
use std::sync::Arc;

/// A path of springs through all dofs but the last two (isolated), and random elements.
fn random_elements(n: usize, rng: &mut StdRng) -> Vec<Vec<u32>> {
    let mut order: Vec<u32> = (0..n as u32 - 2).collect();
    order.shuffle(rng);
    let mut lists: Vec<Vec<u32>> = order.windows(2).map(|w| w.to_vec()).collect();
    for _ in 0..n {
        let size = rng.random_range(1..5);
        let mut list: Vec<u32> = (0..size).map(|_| rng.random_range(0..n as u32 - 2)).collect();
        list.sort_unstable();
        list.dedup();
        list.shuffle(rng);
        lists.push(list);
    }
    lists
}

fn slices(lists: &[Vec<u32>]) -> impl Iterator<Item = &[u32]> + Clone {
    lists.iter().map(|l| l.as_slice())
}

/// k_e = G Gᵀ + 0.01: positive definite.
fn element(m: usize, seed: u64, k: &mut [f64]) {
    let mut rng = StdRng::seed_from_u64(seed);
    let g = DMatrix::from_fn(m, m, |_, _| rng.random_range(-1.0..1.0));
    let full = &g * g.transpose() + DMatrix::identity(m, m) * 0.01;
    (0..m * m).for_each(|i| k[i] = full[(i / m, i % m)]);
}

fn dense(a: &SymmetricMatrix) -> DMatrix<f64> {
    DMatrix::from_fn(a.size(), a.size(), |i, j| a.get(i as u32, j as u32))
}

struct Problem {
    matrix: SymmetricMatrix,
    reference: DMatrix<f64>,
}

fn problem(n: usize, seed: u64) -> Problem {
    let mut rng = StdRng::seed_from_u64(seed);
    let lists = random_elements(n, &mut rng);
    let pattern = Arc::new(Pattern::new(n, slices(&lists)).unwrap());
    let mut matrix = SymmetricMatrix::zero(pattern.clone());
    let mut assembler = Assembler::new(&pattern, slices(&lists)).unwrap();
    let fill = |e: usize, k: &mut [f64]| {
        element(lists[e].len(), seed + e as u64, k);
        Ok::<_, ()>(())
    };
    assembler.matrix(&mut matrix, fill).unwrap();
    let mut reference = DMatrix::zeros(n, n);
    for (e, list) in lists.iter().enumerate() {
        let m = list.len();
        let mut k = vec![0.0; m * m];
        element(m, seed + e as u64, &mut k);
        for a in 0..m {
            (0..m).for_each(|b| reference[(list[a] as usize, list[b] as usize)] += k[a * m + b]);
        }
    }
    for i in n as u32 - 2..n as u32 {
        matrix.add(i, i, 2.0).unwrap();
        reference[(i as usize, i as usize)] += 2.0;
    }
    Problem { matrix, reference }
}

fn random_vector(n: usize, rng: &mut StdRng) -> Vec<f64> {
    (0..n).map(|_| rng.random_range(-1.0..1.0)).collect()
}

/// Sums of at most some tens of terms of size one: rounding only.
#[test]
fn assembly_equals_the_dense_sum() {
    for seed in 0..5 {
        let p = problem(150, seed);
        assert!((dense(&p.matrix) - &p.reference).amax() < 1e-13);
    }
}

#[test]
fn products_equal_dense_products() {
    let p = problem(120, 7);
    let mut rng = StdRng::seed_from_u64(1);
    let (x, y0) = (random_vector(120, &mut rng), random_vector(120, &mut rng));
    let mut y = y0.clone();
    p.matrix.mul_add(&x, &mut y);
    let reference = DVector::from_vec(y0) + &p.reference * DVector::from_vec(x.clone());
    assert!((DVector::from_vec(y) - reference).amax() < 1e-12);
    let v = DVector::from_vec(x.clone());
    let form = (v.transpose() * &p.reference * &v)[0];
    assert!((p.matrix.quadratic_form(&x) - form).abs() < 1e-11);
}

/// Forward error of a backward stable solve: cond(K) ε, with cond below 1e6 here.
#[test]
fn cholesky_equals_dense_solves() {
    for seed in 0..5 {
        let n = 60 + 90 * seed as usize;
        let p = problem(n, seed);
        let mut rng = StdRng::seed_from_u64(seed);
        let b = random_vector(3 * n, &mut rng);
        let mut cholesky = Cholesky::new(p.matrix.pattern()).unwrap();
        cholesky.refactor(&p.matrix).unwrap();
        let mut scratch = SolveScratch::default();
        let mut many = b.clone();
        cholesky.solve_many(&mut many, &mut scratch).unwrap();
        let reference = p.reference.clone().cholesky().unwrap().solve(&DMatrix::from_vec(n, 3, b.clone()));
        assert!((DMatrix::from_vec(n, 3, many) - &reference).amax() < 1e-9 * reference.amax());
        let mut one = b[n..2 * n].to_vec();
        cholesky.solve_in_place(&mut one, &mut scratch).unwrap();
        assert!((DVector::from_vec(one) - reference.column(1)).amax() < 1e-9 * reference.amax());
    }
}

/// A refactorisation starts from nothing that the last one left: the bits of a fresh factor.
#[test]
fn refactor_equals_a_fresh_factor() {
    let p = problem(200, 3);
    let mut other = p.matrix.clone();
    other.values_mut().iter_mut().for_each(|v| *v *= 0.5);
    other.add_diagonal(1.0, &vec![3.0; 200]);
    let b = random_vector(200, &mut StdRng::seed_from_u64(4));
    let mut scratch = SolveScratch::default();
    let mut solve = |c: &Cholesky| {
        let mut x = b.clone();
        c.solve_in_place(&mut x, &mut scratch).unwrap();
        x
    };
    let mut used = Cholesky::new(p.matrix.pattern()).unwrap();
    used.refactor(&p.matrix).unwrap();
    used.refactor(&other).unwrap();
    let mut fresh = Cholesky::new(p.matrix.pattern()).unwrap();
    fresh.refactor(&other).unwrap();
    assert_eq!(solve(&used), solve(&fresh));
}

/// Any order of elimination gives the same solution.
#[test]
fn the_order_changes_rounding_only() {
    let p = problem(130, 9);
    let mut rng = StdRng::seed_from_u64(5);
    let b = random_vector(130, &mut rng);
    let mut order: Vec<u32> = (0..130).collect();
    order.shuffle(&mut rng);
    let mut scratch = SolveScratch::default();
    let mut solve = |mut c: Cholesky| {
        c.refactor(&p.matrix).unwrap();
        let mut x = b.clone();
        c.solve_in_place(&mut x, &mut scratch).unwrap();
        DVector::from_vec(x)
    };
    let a = solve(Cholesky::new(p.matrix.pattern()).unwrap());
    let b = solve(Cholesky::with_order(p.matrix.pattern(), order).unwrap());
    assert!((&a - b).amax() < 1e-9 * a.amax());
    let twice = Cholesky::with_order(p.matrix.pattern(), vec![0; 130]);
    assert!(matches!(twice, Err(AlgebraError::RepeatedDof { dof: 0, .. })));
}

/// Bar of n unit springs between n + 1 nodes.
fn bar(n: u32) -> SymmetricMatrix {
    let lists: Vec<Vec<u32>> = (0..n).map(|e| vec![e, e + 1]).collect();
    let mut k = SymmetricMatrix::zero(Arc::new(Pattern::new(n as usize + 1, slices(&lists)).unwrap()));
    for e in 0..n {
        for (i, j, x) in [(e, e, 1.0), (e + 1, e + 1, 1.0), (e + 1, e, -1.0)] {
            k.add(i, j, x).unwrap();
        }
    }
    k
}

#[test]
fn a_floating_bar_is_refused_and_a_held_one_stretches_as_a_spring() {
    let mut k = bar(10);
    let mut cholesky = Cholesky::new(k.pattern()).unwrap();
    let floating = cholesky.refactor(&k);
    assert!(matches!(floating, Err(AlgebraError::NotPositive { dof, .. }) if dof < 11), "{floating:?}");
    let mut x = vec![0.0; 11];
    assert_eq!(cholesky.solve_in_place(&mut x, &mut SolveScratch::default()), Err(AlgebraError::NoFactor));
    // u(0) = 0.5 imposed, unit force at the end: u(x) = 0.5 + x.
    let imposed = Imposed::new(k.pattern(), &[0]).unwrap();
    x[10] = 1.0;
    k.lift(&imposed, &[0.5], 3.0, &mut x);
    k.impose(&imposed, 3.0);
    cholesky.refactor(&k).unwrap();
    cholesky.solve_in_place(&mut x, &mut SolveScratch::default()).unwrap();
    (0..11).for_each(|i| assert!((x[i] - 0.5 - i as f64).abs() < 1e-12));
}

/// Two bodies in one matrix, one of them held: the dof that is named belongs to the other.
#[test]
fn the_dof_of_the_floating_part_is_named() {
    // In this size the factor is by supernodes: a grid of springs with two dofs each, twice.
    let side = 30u32;
    let node = |b: u32, x: u32, y: u32| b * side * side + x + side * y;
    let mut lists = vec![];
    for b in 0..2 {
        for y in 0..side - 1 {
            for x in 0..side - 1 {
                lists.push(vec![node(b, x, y), node(b, x + 1, y), node(b, x, y + 1), node(b, x + 1, y + 1)]);
            }
        }
    }
    let n = 2 * (side * side) as usize;
    let pattern = Arc::new(Pattern::new(n, slices(&lists)).unwrap());
    let mut k = SymmetricMatrix::zero(pattern.clone());
    // Laplacian of the complete graph of each cell: constants are its null space.
    let laplacian = |_: usize, k: &mut [f64]| {
        (0..16).for_each(|i| k[i] = if i / 4 == i % 4 { 3.0 } else { -1.0 });
        Ok::<_, ()>(())
    };
    Assembler::new(&pattern, slices(&lists)).unwrap().matrix(&mut k, laplacian).unwrap();
    for floating in 0..2u32 {
        let mut held = k.clone();
        held.add(node(1 - floating, 3, 3), node(1 - floating, 3, 3), 1.0).unwrap();
        let result = Cholesky::new(&pattern).unwrap().refactor(&held);
        let Err(AlgebraError::NotPositive { dof, .. }) = result else { panic!("{result:?}") };
        assert_eq!(dof as u32 / (side * side), floating);
    }
}

/// A mesh among twenty thousand dofs that no element names, and no dofs at all.
#[test]
fn isolated_dofs_and_empty_systems_are_factorised() {
    let n = 20_000;
    let lists: Vec<Vec<u32>> = (0..500).map(|e| vec![7 * e, 7 * e + 1, 7 * e + 9]).collect();
    let pattern = Arc::new(Pattern::new(n, slices(&lists)).unwrap());
    let mut k = SymmetricMatrix::zero(pattern.clone());
    k.add_diagonal(1.0, &(0..n).map(|i| 1.0 + i as f64).collect::<Vec<_>>());
    let mut cholesky = Cholesky::new(&pattern).unwrap();
    cholesky.refactor(&k).unwrap();
    let mut x = vec![1.0; n];
    cholesky.solve_in_place(&mut x, &mut SolveScratch::default()).unwrap();
    (0..n).for_each(|i| assert!((x[i] * (1.0 + i as f64) - 1.0).abs() < 1e-15));
    let nothing = Arc::new(Pattern::new(0, std::iter::empty()).unwrap());
    let mut cholesky = Cholesky::new(&nothing).unwrap();
    cholesky.refactor(&SymmetricMatrix::zero(nothing)).unwrap();
    cholesky.solve_in_place(&mut [], &mut SolveScratch::default()).unwrap();
}

#[test]
fn what_is_not_finite_is_refused_by_place() {
    let mut k = bar(4);
    k.add(2, 2, f64::NAN).unwrap();
    let mut cholesky = Cholesky::new(k.pattern()).unwrap();
    let index = k.pattern().position(2, 2).unwrap();
    assert_eq!(cholesky.refactor(&k), Err(AlgebraError::NotFinite { what: "matrix", index }));
}

/// The same bits for 1, 2 and 4 threads: assembly, factor, solve.
#[test]
fn threads_do_not_change_a_bit() {
    let n = 3000;
    let mut rng = StdRng::seed_from_u64(2);
    let lists = random_elements(n, &mut rng);
    let pattern = Arc::new(Pattern::new(n, slices(&lists)).unwrap());
    let run = || {
        let mut assembler = Assembler::new(&pattern, slices(&lists)).unwrap();
        let mut k = SymmetricMatrix::zero(pattern.clone());
        let mut f = vec![0.0; n];
        let target = Target { matrix: Some(&mut k), vector: Some(&mut f) };
        let kernel = |e: usize, k: &mut [f64], f: &mut [f64]| {
            element(f.len(), e as u64, k);
            (0..f.len()).for_each(|i| f[i] = k[i] / 3.0);
            Ok::<_, ()>(())
        };
        assembler.assemble(target, kernel).unwrap();
        k.add_diagonal(1.0, &vec![1.0; n]);
        let mut cholesky = Cholesky::new(&pattern).unwrap();
        cholesky.refactor(&k).unwrap();
        cholesky.solve_in_place(&mut f, &mut SolveScratch::default()).unwrap();
        (k.values().to_vec(), f)
    };
    let with = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run);
    let one = with(1);
    assert_eq!(one, with(2));
    assert_eq!(one, with(4));
}

/// The first element in order that fails gives the error, whatever the threads do.
#[test]
fn the_first_failing_element_is_reported() {
    let lists: Vec<Vec<u32>> = (0..5000).map(|e| vec![e, e + 1]).collect();
    let pattern = Pattern::new(5001, slices(&lists)).unwrap();
    let mut assembler = Assembler::new(&pattern, slices(&lists)).unwrap();
    let mut f = vec![0.0; 5001];
    let result = assembler.vector(&mut f, |e, f| {
        f.fill(1.0);
        if e == 777 || e > 4000 { Err(e) } else { Ok(()) }
    });
    assert_eq!(result, Err(777));
}

#[test]
fn elements_that_do_not_fit_are_refused() {
    let pattern = Pattern::new(4, [&[0u32, 1][..]].into_iter()).unwrap();
    let e = Assembler::new(&pattern, [&[0u32, 2][..]].into_iter()).map(|_| ());
    assert_eq!(e, Err(AlgebraError::NotInPattern { row: 2, column: 0 }));
    let e = Assembler::new(&pattern, [&[0u32, 1][..], &[1, 1]].into_iter()).map(|_| ());
    assert_eq!(e, Err(AlgebraError::RepeatedDof { element: 1, dof: 1 }));
}

#[test]
fn sums_of_matrices_are_entry_by_entry() {
    let (a, b) = (problem(50, 1).matrix, problem(50, 1).matrix);
    let mut sum = a.clone();
    sum.set_sum(2.0, &a, -0.5, &b);
    let mut other = a.clone();
    other.add_scaled(0.5, &b);
    assert!((dense(&sum) - dense(&a) * 2.0 + dense(&b) * 0.5).amax() < 1e-14);
    assert!((dense(&other) - dense(&a) - dense(&b) * 0.5).amax() < 1e-14);
    assert_eq!(a.diagonal().count(), 50);
}
