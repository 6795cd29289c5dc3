//! A warm assembly, factorisation and solve does not allocate
#![cfg(feature = "sparse")]
#![allow(clippy::unwrap_used)]

use crate::counting::allocations;
use delassus_algebra::{
    Assembler, Cholesky, ConjugateGradient, Kkt, Pattern, Preconditioner, SolveScratch, SymmetricMatrix, Target,
};
use std::sync::Arc;

/// Allocations of the second call.
fn warm(mut f: impl FnMut()) -> usize {
    f();
    let before = allocations();
    f();
    allocations() - before
}

#[test]
fn warm_algebra_does_not_allocate() {
    // One thread: the pool's own queues are not ours to count.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        // Two sizes: factors column by column, and by supernodes.
        check(6);
        check(40);
    });
}

fn check(side: u32) {
    let lists: Vec<[u32; 8]> = (0..(side - 1) * (side - 1))
        .map(|c| {
            let corner = c % (side - 1) + side * (c / (side - 1));
            let nodes = [corner, corner + 1, corner + side, corner + side + 1];
            std::array::from_fn(|k| 2 * nodes[k / 2] + k as u32 % 2)
        })
        .collect();
    let n = 2 * (side * side) as usize;
    let elements = || lists.iter().map(|l| &l[..]);
    let pattern = Arc::new(Pattern::new(n, elements()).unwrap());
    let mut assembler = Assembler::new(&pattern, elements()).unwrap();
    let mut k = SymmetricMatrix::zero(pattern.clone());
    let mut f = vec![0.0; n];
    let count = warm(|| {
        k.set_zero();
        f.fill(0.0);
        let target = Target { matrix: Some(&mut k), vector: Some(&mut f) };
        let kernel = |e: usize, k: &mut [f64], f: &mut [f64]| {
            (0..64).for_each(|i| k[i] = if i / 8 == i % 8 { 8.0 } else { -1.0 });
            f.fill(e as f64);
            Ok::<_, ()>(())
        };
        assembler.assemble(target, kernel).unwrap();
    });
    assert_eq!(count, 0, "assembly");

    let mut cholesky = Cholesky::new(&pattern).unwrap();
    let mut scratch = SolveScratch::default();
    let count = warm(|| {
        cholesky.refactor(&k).unwrap();
        cholesky.solve_in_place(&mut f, &mut scratch).unwrap();
    });
    assert_eq!(count, 0, "Cholesky");

    let constraints: Vec<[u32; 2]> = (0..side).map(|r| [2 * r, 2 * r + 1]).collect();
    let mut c = SymmetricMatrix::zero(Arc::new(Pattern::new(constraints.len(), std::iter::empty()).unwrap()));
    c.add_diagonal(1e-3, &vec![1.0; constraints.len()]);
    let mut kkt = Kkt::new(&pattern, constraints.iter().map(|c| &c[..]), c.pattern()).unwrap();
    let (b, mut g) = (vec![0.5; 2 * constraints.len()], vec![0.0; constraints.len()]);
    let count = warm(|| {
        kkt.refactor(&k, &b, &c).unwrap();
        kkt.solve(&mut f, &mut g).unwrap();
    });
    assert_eq!(count, 0, "constraints");

    let mut preconditioner = Preconditioner::incomplete_cholesky(&k).unwrap();
    let mut gradients = ConjugateGradient::default();
    let mut x = vec![0.0; n];
    let count = warm(|| {
        preconditioner.update(&k).unwrap();
        x.fill(0.0);
        gradients.solve(&mut &k, &preconditioner, &f, &mut x).unwrap();
    });
    assert_eq!(count, 0, "gradients");
}
