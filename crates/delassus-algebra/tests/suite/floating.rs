//! Bodies in space that too little holds: six rigid motions, found through rounding
#![cfg(feature = "sparse")]
#![allow(clippy::unwrap_used)]

use delassus_algebra::{AlgebraError, Cholesky, Kkt, Pattern, SymmetricMatrix};
use std::sync::Arc;

const SIDE: u32 = 12;

fn position(node: u32) -> [f64; 3] {
    [node % SIDE, node / SIDE % SIDE, node / (SIDE * SIDE)].map(|x| x as f64)
}

/// Lattice of SIDE³ nodes, bars between all nodes at most √3 apart, of stiffness `scale` and
/// unequal by up to one half: no rigid motion stretches one.
fn lattice(scale: f64) -> SymmetricMatrix {
    let count = SIDE.pow(3);
    let mut bars = vec![];
    for a in 0..count {
        let p = position(a);
        for (dx, dy, dz) in (0..27).map(|k| (k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1)) {
            let q = [p[0] + dx as f64, p[1] + dy as f64, p[2] + dz as f64];
            let inside = q.iter().all(|x| (0.0..SIDE as f64).contains(x));
            let b = q[0] + SIDE as f64 * (q[1] + SIDE as f64 * q[2]);
            if inside && b > a as f64 {
                bars.push((a, b as u32));
            }
        }
    }
    let lists: Vec<[u32; 6]> = bars
        .iter()
        .map(|(a, b)| std::array::from_fn(|k| if k < 3 { 3 * a + k as u32 } else { 3 * b + k as u32 - 3 }))
        .collect();
    let pattern = Pattern::new(3 * count as usize, lists.iter().map(|l| &l[..])).unwrap();
    let mut k = SymmetricMatrix::zero(Arc::new(pattern));
    for ((a, b), list) in bars.iter().zip(&lists) {
        let (pa, pb) = (position(*a), position(*b));
        let d: [f64; 3] = std::array::from_fn(|i| pb[i] - pa[i]);
        let stiffness = scale * (1.0 + 0.5 * ((a * 31 + b * 17) as f64).sin()) / d.iter().map(|x| x * x).sum::<f64>();
        let e: [f64; 6] = std::array::from_fn(|i| if i < 3 { -d[i] } else { d[i - 3] });
        for i in 0..6 {
            (0..=i).for_each(|j| k.add(list[i], list[j], stiffness * e[i] * e[j]).unwrap());
        }
    }
    k
}

/// Constraints on single dofs.
fn held(k: &SymmetricMatrix, dofs: &[u32]) -> (Kkt, SymmetricMatrix) {
    let c = SymmetricMatrix::zero(Arc::new(Pattern::new(dofs.len(), std::iter::empty()).unwrap()));
    (Kkt::new(k.pattern(), dofs.chunks(1), c.pattern()).unwrap(), c)
}

#[test]
fn a_floating_lattice_is_refused() {
    for scale in [1.0, 2.1e11] {
        let k = lattice(scale);
        let result = Cholesky::new(k.pattern()).unwrap().refactor(&k);
        assert!(matches!(result, Err(AlgebraError::NotPositive { .. })), "{result:?}");
    }
}

/// Six dofs at three corners hold it; each five of them leave one motion.
#[test]
fn six_constraints_hold_and_five_do_not() {
    let k = lattice(2.1e11);
    let far = 3 * (SIDE - 1);
    let top = 3 * SIDE * (SIDE - 1);
    // x, y, z of the origin; y, z of the end of the x axis; z of that of the y axis.
    let dofs = [0, 1, 2, far + 1, far + 2, top + 2];
    for left_out in 0..6 {
        let five: Vec<u32> = (0..6).filter(|i| *i != left_out).map(|i| dofs[i]).collect();
        let (mut kkt, c) = held(&k, &five);
        let result = kkt.refactor(&k, &[1.0; 5], &c);
        assert!(matches!(result, Err(AlgebraError::Singular { .. })), "{left_out}: {result:?}");
    }
    // Imposed corners of a rigid motion, no load: the whole lattice follows, without force.
    let rigid = |node: u32| {
        let p = position(node);
        [0.3 - 1e-3 * p[1] + 2e-3 * p[2], -0.1 + 1e-3 * p[0] - 3e-3 * p[2], 0.2 - 2e-3 * p[0] + 3e-3 * p[1]]
    };
    let (mut kkt, c) = held(&k, &dofs);
    kkt.refactor(&k, &[1.0; 6], &c).unwrap();
    let mut u = vec![0.0; k.size()];
    let mut g: Vec<f64> = dofs.iter().map(|i| rigid(i / 3)[*i as usize % 3]).collect();
    let done = kkt.solve(&mut u, &mut g).unwrap();
    assert!(done.backward_error < 1e-14);
    // cond (1e4) × ε of motions of size one, and forces of that share of K.
    for i in 0..u.len() {
        assert!((u[i] - rigid(i as u32 / 3)[i % 3]).abs() < 1e-11);
    }
    g.iter().for_each(|r| assert!(r.abs() < 2.1e11 * 1e-11, "{r:e}"));
}
