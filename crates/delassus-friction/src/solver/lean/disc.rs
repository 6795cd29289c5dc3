//! Contacts of discs in the plane
//!
//! The lever of a disc is along the normal: `W_αα = diag(w_N, w_T)`, normal and tangential percussions do not see each
//! other, and the one-contact solve is two clamps. Nothing in a visit is a guess of the processor.

use super::{Given, Row, SAME, coefficient, frame};
use crate::algebra::Vector;

/// One contact of discs.
pub(super) struct Disc {
    /// First unknown of each body.
    at: [u32; 2],
    /// The normal; the tangent is a quarter turn to its left.
    n: [f64; 2],
    /// What translations and rotations are multiplied by, side by side.
    a: [f64; 2],
    turn: [f64; 2],
    b: [f64; 2],
    mu: f64,
    weight: f64,
    /// `1/w_N`, `1/w_T`.
    inverse: [f64; 2],
}

impl Disc {
    /// None where the contact is not one of discs, or its frame is left-handed.
    pub fn new<const D: usize>(given: &Given<D>, place: usize) -> Option<Self> {
        let (Given { problem, root, .. }, i) = (given, given.contact(place));
        let w = problem.w().diagonal(i);
        if w[(0, 1)].abs() > SAME * w.trace() || !(w[(1, 1)] > SAME * w.trace()) {
            return None;
        }
        let (f, a) = frame(root, i)?;
        if (f[1][0] + f[0][1]).abs().max((f[1][1] - f[0][0]).abs()) > SAME {
            return None;
        }
        let mut turn = [0.0; 2];
        for (s, turn) in turn.iter_mut().enumerate() {
            let Some(side) = &root.sides()[i][s] else { continue };
            let column = root.columns(side)[2];
            if column[0].abs() > SAME * column[1].abs() {
                return None;
            }
            *turn = column[1];
        }
        let b = &problem.b()[i];
        Some(Self {
            at: given.at(place),
            n: [f[0][0], f[0][1]],
            a,
            turn,
            b: [b[0], b[1]],
            mu: coefficient(&problem.laws()[i]),
            weight: w.trace() / 2.0,
            inverse: [1.0 / w[(0, 0)], 1.0 / w[(1, 1)]],
        })
    }
}

impl<const D: usize> Row<D> for Disc {
    #[inline(always)]
    fn velocity(&self, y: &[f64]) -> Vector<D> {
        let [p, q] = self.at.map(|k| &y[k as usize..k as usize + 3]);
        let x = [0, 1].map(|j| self.a[0] * p[j] + self.a[1] * q[j]);
        let turning = self.turn[0] * p[2] + self.turn[1] * q[2];
        let mut u = Vector::zeros();
        u[0] = self.b[0] + (self.n[0] * x[0] + self.n[1] * x[1]);
        u[1] = self.b[1] + (self.n[0] * x[1] - self.n[1] * x[0] + turning);
        u
    }

    #[inline(always)]
    fn push(&self, change: &Vector<D>, y: &mut [f64]) {
        let (n, t) = (change[0], change[1]);
        let force = [self.n[0] * n - self.n[1] * t, self.n[1] * n + self.n[0] * t];
        for s in 0..2 {
            let y = &mut y[self.at[s] as usize..self.at[s] as usize + 3];
            y[0] += self.a[s] * force[0];
            y[1] += self.a[s] * force[1];
            y[2] += self.turn[s] * t;
        }
    }

    #[inline(always)]
    fn solve(&mut self, u: &Vector<D>, s: &Vector<D>, _: f64) -> Vector<D> {
        let free = s[0] - u[0] * self.inverse[0];
        // A NaN goes on, and is noticed.
        let n = if free <= 0.0 { 0.0 } else { free };
        let (t, reach) = (s[1] - u[1] * self.inverse[1], self.mu * n);
        let held = if t > reach { reach } else { t };
        let mut new = Vector::zeros();
        new[0] = n;
        new[1] = if held < -reach { -reach } else { held };
        new
    }

    #[inline(always)]
    fn mu(&self) -> f64 {
        self.mu
    }

    #[inline(always)]
    fn weight(&self) -> f64 {
        self.weight
    }
}
