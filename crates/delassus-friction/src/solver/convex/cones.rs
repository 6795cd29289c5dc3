//! The sets of the laws as rows of a conic program
//!
//! ```text
//! C  = { S : M S + c ∈ Q },        K* = { U : ∃ a, N U + a m ∈ Q }       method (3), (10)
//! ```
//!
//! with `Q` a product of zeros, half-lines and second-order cones, and `a` one
//! number per contact, used where two cones share the normal velocity (rolling:
//! `U_N ≥ μ|U_T| + μ_r|U_R|`).

use crate::Law;
use crate::algebra::Vector;
use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT::{self, NonnegativeConeT, SecondOrderConeT, ZeroConeT};
use std::ops::Range;

/// Coefficients below this are zero: their inverse would ruin the scaling.
const FLAT: f64 = 1e-12;

/// One factor of `Q`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Zero,
    Nonnegative,
    SecondOrder,
}

/// `row·x + auxiliary·a + constant`, one component of a factor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<const D: usize> {
    pub row: Vector<D>,
    pub auxiliary: f64,
    pub constant: f64,
}

/// A factor of `Q` and the components that must lie in it.
#[derive(Clone, Debug)]
pub(super) struct Part<const D: usize> {
    pub kind: Kind,
    pub rows: Vec<Row<D>>,
}

impl<const D: usize> Part<D> {
    fn new(kind: Kind, rows: impl IntoIterator<Item = Vector<D>>) -> Self {
        let rows = rows.into_iter().map(|row| Row { row, auxiliary: 0.0, constant: 0.0 }).collect();
        Self { kind, rows }
    }

    fn with_auxiliary(mut self, value: f64) -> Self {
        self.rows[0].auxiliary = value;
        self
    }

    /// The factor in clarabel's words.
    pub fn cone(&self) -> SupportedConeT<f64> {
        match self.kind {
            Kind::Zero => ZeroConeT(self.rows.len()),
            Kind::Nonnegative => NonnegativeConeT(self.rows.len()),
            Kind::SecondOrder => SecondOrderConeT(self.rows.len()),
        }
    }
}

fn axis<const D: usize>(k: usize, value: f64) -> Vector<D> {
    Vector::from_fn(|i, _| if i == k { value } else { 0.0 })
}

/// Components and coefficients of the laws whose section is a product of balls.
fn groups<const D: usize>(law: &Law) -> Option<Vec<(Range<usize>, f64)>> {
    match law {
        Law::Frictionless => Some(vec![(1..D, 0.0)]),
        Law::Coulomb { mu } => Some(vec![(1..D, *mu)]),
        Law::Rolling { mu, mu_r: second } | Law::Torsional { mu, mu_s: second } => {
            let split = if D == 3 { 2 } else { 3.min(D) };
            Some(vec![(1..split, *mu), (split..D, *second)])
        }
        Law::RollingTorsional { mu, mu_r, mu_s } => Some(vec![(1..3, *mu), (3..5, *mu_r), (5..D, *mu_s)]),
        _ => None,
    }
}

/// Principal axes of an elliptic section, each with its coefficient.
fn principal<const D: usize>(mu: [f64; 2], angle: f64) -> [(Vector<D>, f64); 2] {
    let (s, c) = angle.sin_cos();
    [(axis(1, c) + axis(2, s), mu[0]), (axis(1, -s) + axis(2, c), mu[1])]
}

/// The set `C` of percussions.
pub(super) fn percussions<const D: usize>(law: &Law) -> Vec<Part<D>> {
    let pushes = || Part::new(Kind::Nonnegative, [axis(0, 1.0)]);
    if let Some(groups) = groups::<D>(law) {
        let mut parts = vec![];
        let held: Vec<_> =
            groups.iter().filter(|g| g.1 < FLAT).flat_map(|g| g.0.clone()).map(|k| axis(k, 1.0)).collect();
        for (range, mu) in groups.into_iter().filter(|g| g.1 >= FLAT && !g.0.is_empty()) {
            parts.push(Part::new(Kind::SecondOrder, std::iter::once(axis(0, mu)).chain(range.map(|k| axis(k, 1.0)))));
        }
        if parts.is_empty() {
            parts.push(pushes());
        }
        if !held.is_empty() {
            parts.push(Part::new(Kind::Zero, held));
        }
        return parts;
    }
    match law {
        Law::Elliptic { mu, angle } => {
            let (free, held): (Vec<_>, Vec<_>) = principal(*mu, *angle).into_iter().partition(|p| p.1 >= FLAT);
            let mut parts = vec![Part::new(
                Kind::SecondOrder,
                std::iter::once(axis(0, 1.0)).chain(free.into_iter().map(|(e, mu)| e / mu)),
            )];
            if !held.is_empty() {
                parts.push(Part::new(Kind::Zero, held.into_iter().map(|h| h.0)));
            }
            parts
        }
        Law::Polyhedral(section) => {
            let v = section.vertices();
            let face = |i: usize| {
                let (a, b) = (v[i], v[(i + 1) % v.len()]);
                let m = [b[1] - a[1], a[0] - b[0]];
                let l = m[0].hypot(m[1]);
                axis(0, (m[0] * a[0] + m[1] * a[1]) / l) - axis(1, m[0] / l) - axis(2, m[1] / l)
            };
            vec![Part::new(Kind::Nonnegative, (0..v.len()).map(face)), pushes()]
        }
        Law::Directional { mu } => {
            let sides = [axis(0, mu[0]) + axis(1, 1.0), axis(0, mu[1]) - axis(1, 1.0), axis(0, 1.0)];
            vec![Part::new(Kind::Nonnegative, sides)]
        }
        Law::Tresca { threshold } => {
            let mut disc =
                Part::new(Kind::SecondOrder, std::iter::once(axis(0, 0.0)).chain((1..D).map(|k| axis(k, 1.0))));
            disc.rows[0].constant = *threshold;
            vec![pushes(), disc]
        }
        _ => vec![],
    }
}

/// The dual cone `K*` of velocities; for Tresca's law, of the directions in which `C` is unbounded.
pub(super) fn velocities<const D: usize>(law: &Law) -> Vec<Part<D>> {
    if let Some(groups) = groups::<D>(law) {
        let scaled = |range: Range<usize>, mu: f64| range.map(move |k| axis(k, mu));
        let mut groups = groups.into_iter().filter(|g| g.1 >= FLAT && !g.0.is_empty());
        return match (groups.next(), groups.next(), groups.next()) {
            (None, ..) => vec![Part::new(Kind::Nonnegative, [axis(0, 1.0)])],
            (Some((r, mu)), None, _) => {
                vec![Part::new(Kind::SecondOrder, std::iter::once(axis(0, 1.0)).chain(scaled(r, mu)))]
            }
            (Some((r, mu)), Some((q, second)), third) => {
                // The third group is one component: its absolute value is the larger of two signs.
                let spins =
                    third.map_or(vec![Vector::zeros()], |(p, mu_s)| vec![axis(p.start, mu_s), axis(p.start, -mu_s)]);
                let rest = Part::new(Kind::SecondOrder, std::iter::once(axis(0, 0.0)).chain(scaled(q, second)));
                let first = |spin: Vector<D>| {
                    let rows = std::iter::once(axis::<D>(0, 1.0) + spin).chain(scaled(r.clone(), mu));
                    Part::new(Kind::SecondOrder, rows).with_auxiliary(-1.0)
                };
                spins.into_iter().map(first).chain([rest.with_auxiliary(1.0)]).collect()
            }
        };
    }
    match law {
        Law::Elliptic { mu, angle } => {
            let axes = principal(*mu, *angle).into_iter().map(|(e, mu)| e * mu);
            vec![Part::new(Kind::SecondOrder, std::iter::once(axis(0, 1.0)).chain(axes))]
        }
        Law::Polyhedral(section) => {
            let edge = |v: &[f64; 2]| axis(0, 1.0) + axis(1, v[0]) + axis(2, v[1]);
            vec![Part::new(Kind::Nonnegative, section.vertices().iter().map(edge))]
        }
        Law::Directional { mu } => {
            let edges = [axis(0, 1.0) - axis(1, mu[0]), axis(0, 1.0) + axis(1, mu[1])];
            vec![Part::new(Kind::Nonnegative, edges)]
        }
        Law::Bilateral => vec![Part::new(Kind::Zero, (0..D).map(|k| axis(k, 1.0)))],
        _ => vec![Part::new(Kind::Nonnegative, [axis(0, 1.0)])],
    }
}

/// A sparse matrix under construction.
#[derive(Default)]
pub(super) struct Triplets {
    rows: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

impl Triplets {
    /// Adds an entry; zeros are left out.
    pub fn push(&mut self, row: usize, column: usize, value: f64) {
        if value != 0.0 {
            self.rows.push(row);
            self.columns.push(column);
            self.values.push(value);
        }
    }

    /// The compressed matrix.
    pub fn build(self, rows: usize, columns: usize) -> CscMatrix<f64> {
        CscMatrix::new_from_triplets(rows, columns, self.rows, self.columns, self.values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::Section;
    use std::sync::Arc;

    fn inside<const D: usize>(parts: &[Part<D>], x: &Vector<D>) -> bool {
        parts.iter().all(|p| {
            let y: Vec<f64> = p.rows.iter().map(|r| r.row.dot(x) + r.constant).collect();
            match p.kind {
                Kind::Zero => y.iter().all(|y| y.abs() < 1e-12),
                Kind::Nonnegative => y.iter().all(|y| *y > -1e-12),
                Kind::SecondOrder => y[1..].iter().map(|y| y * y).sum::<f64>().sqrt() < y[0] + 1e-12,
            }
        })
    }

    /// Reference: the projection of the law, which leaves exactly its set unmoved.
    #[test]
    fn the_rows_describe_the_set_of_the_projection() {
        let square = Section::regular(0.6, 5).expect("convex");
        let laws = [
            Law::Frictionless,
            Law::coulomb(0.4),
            Law::Elliptic { mu: [0.2, 0.7], angle: 0.3 },
            Law::Polyhedral(Arc::new(square)),
            Law::Tresca { threshold: 0.5 },
            Law::Bilateral,
        ];
        laws.iter().for_each(describes::<3>);
        describes::<2>(&Law::Directional { mu: [0.2, 0.7] });
        describes::<6>(&Law::RollingTorsional { mu: 0.4, mu_r: 0.7, mu_s: 0.2 });
    }

    fn describes<const D: usize>(law: &Law) {
        let parts = percussions::<D>(law);
        for k in 0..200 {
            let x = Vector::<D>::from_fn(|i, _| ((1.3 + 0.7 * i as f64) * k as f64 + i as f64).sin());
            let p = law.project(&x);
            assert!(inside(&parts, &p), "{law:?}");
            assert_eq!(inside(&parts, &x), (x - p).norm() < 1e-12, "{law:?} {x}");
        }
    }

    /// Reference: `K*` is where `U_N ≥ φ(U_T)`, method (3) with φ the support of the section against the slip; the
    /// auxiliary number is searched.
    #[test]
    fn the_rows_describe_the_dual_cone() {
        fn check<const D: usize>(law: &Law) {
            let parts = velocities::<D>(law);
            for k in 0..200 {
                let mut x = Vector::<D>::from_fn(|i, _| ((1.3 + 0.7 * i as f64) * k as f64 + i as f64).sin());
                let need = law.shift(&x);
                for (more, wanted) in [(1e-3, true), (-1e-3, false)] {
                    x[0] = need + more;
                    let holds = (0..=20000).any(|a| {
                        let a = 1e-4 * a as f64;
                        parts.iter().all(|p| {
                            let y: Vec<f64> = p.rows.iter().map(|r| r.row.dot(&x) + r.auxiliary * a).collect();
                            match p.kind {
                                Kind::Nonnegative => y.iter().all(|y| *y >= 0.0),
                                _ => y[1..].iter().map(|y| y * y).sum::<f64>().sqrt() <= y[0],
                            }
                        })
                    });
                    assert_eq!(holds, wanted, "{law:?} {x}");
                }
            }
        }
        check::<2>(&Law::Directional { mu: [0.2, 0.7] });
        check::<5>(&Law::Rolling { mu: 0.4, mu_r: 0.7 });
        check::<6>(&Law::RollingTorsional { mu: 0.4, mu_r: 0.7, mu_s: 0.2 });
    }
}
