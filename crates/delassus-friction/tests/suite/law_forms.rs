//! Contact laws: closed forms, orders of convergence, and what is refused.

use delassus_friction::algebra::{Matrix, Vector};
use delassus_friction::laws::{Law, LawError, Section};
use rand::{Rng, SeedableRng, rngs::StdRng};
use serde::Deserialize;
use serde::de::value::{Error, MapDeserializer};
use std::sync::Arc;

/// A block of rank `rank`.
fn singular<const D: usize>(r: &mut StdRng, rank: usize) -> Matrix<D> {
    let mut w = Matrix::<D>::zeros();
    for _ in 0..rank {
        let g = Vector::<D>::from_fn(|_, _| r.random_range(-1.0..1.0));
        w += g * g.transpose();
    }
    w
}

fn elliptic(a: f64, b: f64) -> Law {
    Law::Elliptic { mu: [a, b], angle: 0.7 }
}

fn polygon(mu: f64, k: usize) -> Law {
    Law::Polyhedral(Arc::new(Section::regular(mu, k).expect("regular polygon")))
}

/// One point against a wall, `W = I/m`: `u_f` is the point nearest to the origin of
/// `T ∩ (C + u_L)`, a disc of centre `u_T` and radius `μ|u_N|`.   [Moreau86], closed form
#[test]
fn point_against_a_wall() {
    let mut r = StdRng::seed_from_u64(43);
    for _ in 0..2000 {
        let (m, mu) = (10f64.powf(r.random_range(-3.0..3.0)), r.random_range(0.0..2.0));
        let u = Vector::<3>::new(r.random_range(-2.0..0.0), r.random_range(-1.0..1.0), r.random_range(-1.0..1.0));
        let speed = u[1].hypot(u[2]);
        let left = (1.0 - mu * -u[0] / speed).max(0.0);
        let after = Vector::<3>::new(0.0, left * u[1], left * u[2]);
        let s = Law::Coulomb { mu }.solve_one(&(Matrix::<3>::identity() / m), &u, &Vector::zeros());
        assert!((u + s / m - after).norm() <= 1e-14 * (1.0 + mu) * u.norm());
        let plane = Vector::<2>::new(u[0], u[1]);
        let s = Law::Coulomb { mu }.solve_one(&(Matrix::<2>::identity() / m), &plane, &Vector::zeros());
        let left = (u[1].abs() + mu * u[0]).max(0.0) * u[1].signum();
        assert!((plane + s / m - Vector::<2>::new(0.0, left)).norm() <= 1e-14 * (1.0 + mu) * u.norm());
    }
}

/// The same with an ellipse: the nearest point of its rim by golden section on the angle.   [Moreau86]
#[test]
fn point_against_an_orthotropic_wall() {
    let mut r = StdRng::seed_from_u64(47);
    for _ in 0..200 {
        let (a, b) = (r.random_range(0.1..1.0), r.random_range(0.1..1.0));
        let u = Vector::<3>::new(-0.3, r.random_range(1.0..2.0), r.random_range(-2.0..2.0));
        let (sin, cos) = 0.7f64.sin_cos();
        // The rim point at parameter t, seen from the origin.
        let rim = |t: f64| {
            let (x, y) = (0.3 * a * t.cos(), 0.3 * b * t.sin());
            Vector::<2>::new(u[1] + cos * x - sin * y, u[2] + sin * x + cos * y)
        };
        let best = (0..2000).map(|i| i as f64 * std::f64::consts::TAU / 2000.0);
        let t = best.min_by(|x, y| rim(*x).norm().total_cmp(&rim(*y).norm())).expect("points");
        let (mut lo, mut hi) = (t - 4e-3, t + 4e-3);
        for _ in 0..100 {
            let (x, y) = (hi - 0.618 * (hi - lo), lo + 0.618 * (hi - lo));
            if rim(x).norm() < rim(y).norm() { hi = y } else { lo = x }
        }
        let s = elliptic(a, b).solve_one(&Matrix::<3>::identity(), &u, &Vector::zeros());
        let after = Vector::<2>::new(u[1] + s[1], u[2] + s[2]);
        // A minimum is located to the square root of the round-off.
        assert!((after - rim(lo)).norm() <= 1e-7, "{after:?} is not {:?}", rim(lo));
        assert!(after.norm() <= rim(lo).norm() * (1.0 + 1e-14));
    }
}

/// The inscribed polygon of `k` sides misses the disc by `1 − cos(π/k)`: order two in
/// `1/k` for the shift and for the distance to the cone. The nearest point itself
/// goes to a vertex, at most half a side away: order one.
#[test]
fn polygons_converge_to_the_disc() {
    let errors = |k: usize| {
        let mut r = StdRng::seed_from_u64(61);
        let (law, round, w) = (polygon(0.4, k), Law::Coulomb { mu: 0.4 }, Matrix::<3>::identity());
        let mut worst = [0.0f64; 3];
        for _ in 0..500 {
            let x = Vector::<3>::new(-1.0, r.random_range(-6.0..6.0), r.random_range(-6.0..6.0));
            let distance = |law: &Law| (x - law.project(&x)).norm();
            let solved = |law: &Law| law.solve_one(&w, &x, &Vector::zeros());
            let e = [
                (law.shift(&x) - round.shift(&x)).abs(),
                (distance(&law) - distance(&round)).abs(),
                (law.project(&x) - round.project(&x)).norm().max((solved(&law) - solved(&round)).norm()),
            ];
            worst = [0, 1, 2].map(|i| worst[i].max(e[i]));
        }
        worst
    };
    let (coarse, fine) = (errors(16), errors(256));
    let ratio = |i: usize| coarse[i] / fine[i];
    assert!(ratio(0) > 230.0 && ratio(1) > 200.0 && ratio(2) > 14.0, "{coarse:?} then {fine:?}");
    let s = polygon(0.4, 256).shift(&Vector::<3>::new(0.0, 1.0, 0.3));
    assert!((s / (0.4 * 1.0f64.hypot(0.3)) - 1.0).abs() <= 1.0 - (std::f64::consts::PI / 256.0).cos() + 1e-15);
}

/// The residual vanishes on each state, grows with the distance to it, and an
/// open contact may not rub.
#[test]
fn tresca_residual_tells_the_states_apart() {
    let law = Law::Tresca { threshold: 1.0 };
    let e = |u: [f64; 3], s: [f64; 3]| law.residual(&Vector::<3>::from(u), &Vector::<3>::from(s), 0.5).norm();
    assert_eq!(e([2.0, 1.0, 0.0], [0.0; 3]), 0.0);
    assert_eq!(e([0.0, 3.0, 0.0], [1.0, -1.0, 0.0]), 0.0);
    assert_eq!(e([0.0; 3], [1.0, 0.2, 0.3]), 0.0);
    assert!(e([2.0, 3.0, 0.0], [0.0, -1.0, 0.0]) > 0.5);
    assert!(e([-1e-3, 0.0, 0.0], [0.0; 3]) > 0.0);
    let near = e([2.0, 5.0, 0.0], [1e-9, 1e-9, 0.0]);
    assert!(near > 0.0 && near <= 2e-9);
}

/// `U = 0`, and for a singular block the smallest correction of the guess: the pseudo-inverse.
#[test]
fn bilateral_removes_what_can_be_removed() {
    let mut r = StdRng::seed_from_u64(73);
    for i in 0..500 {
        let w = singular::<3>(&mut r, 1 + i % 3);
        let guess = Vector::<3>::from_fn(|_, _| r.random_range(-1.0..1.0));
        let q = w * Vector::<3>::from_fn(|_, _| r.random_range(-1.0..1.0));
        let s = Law::Bilateral.solve_one(&w, &q, &guess);
        assert!((w * s + q).norm() <= 1e-13 * (w.norm() * s.norm() + q.norm()));
        if i % 3 == 0 {
            // Rank one, W = g gᵀ: the correction is along g.
            let g = w.column(0).normalize();
            assert!(((s - guess) - g * g.dot(&(s - guess))).norm() <= 1e-11 * (1.0 + s.norm()));
        }
    }
}

/// Sections are checked when built and when read.
#[test]
fn sections_are_checked() {
    let refused = |v: &[[f64; 2]]| matches!(Section::new(v.to_vec()), Err(LawError::Section { .. }));
    assert!(refused(&[[1.0, 0.0], [-1.0, 0.0]]));
    assert!(refused(&[[1.0, 0.0], [0.0, f64::NAN], [-1.0, -1.0]]));
    assert!(refused(&[[1.0, 1.0], [2.0, 1.0], [2.0, 2.0]]), "the origin is outside");
    assert!(refused(&[[1.0, 0.0], [0.1, 0.1], [0.0, 1.0], [-1.0, -1.0]]), "not convex");
    assert!(refused(&[[1.0, 0.0], [0.0, 0.0], [-1.0, 0.0]]), "flat");
    let star = |i: usize| (i as f64 * 2.0 * std::f64::consts::TAU / 5.0).sin_cos();
    assert!(refused(&(0..5).map(|i| [star(i).1, star(i).0]).collect::<Vec<_>>()), "turns twice");
    assert!(Section::regular(0.5, 2).is_err() && Section::regular(-0.5, 4).is_ok());
    let clockwise = Section::new(vec![[0.0, 1.0], [1.0, 0.0], [-1.0, -1.0]]).expect("reversed");
    assert_eq!(clockwise.vertices()[0], [-1.0, -1.0]);
    let read = |v: Vec<Vec<f64>>| Section::deserialize(MapDeserializer::<_, Error>::new([("vertices", v)].into_iter()));
    assert!(read(vec![vec![0.0, 1.0], vec![1.0, 0.0], vec![-1.0, -1.0]]).is_ok_and(|s| s == clockwise));
    assert!(read(vec![vec![1.0, 1.0], vec![2.0, 1.0], vec![2.0, 2.0]]).is_err());
}
