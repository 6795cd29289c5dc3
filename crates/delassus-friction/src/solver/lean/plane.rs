//! Contacts of the plane: bodies of three unknowns.

use super::four::Never;
use super::{Given, Row, coefficient, frame};
use crate::algebra::Vector;

/// One contact of the plane.
pub(super) struct Plane {
    /// First unknown of each body.
    at: [u32; 2],
    /// Axes of the contact.
    n: [f64; 2],
    t: [f64; 2],
    /// What translations are multiplied by, side by side, and rotations, for `n` and `t`.
    a: [f64; 2],
    turn_n: [f64; 2],
    turn_t: [f64; 2],
    b: [f64; 2],
    mu: f64,
    /// `W_αα`.
    nn: f64,
    nt: f64,
    tt: f64,
    /// `1/W_nn`, `W_nt/W_nn`, one over the Schur complement (zero where it is singular), `1/(W_nn ± μ W_nt)`.
    inverse: f64,
    coupling: f64,
    schur: f64,
    slip: [f64; 2],
}

impl Plane {
    pub fn new<const D: usize>(given: &Given<D>, place: usize) -> Option<Self> {
        let (Given { problem, root, .. }, i) = (given, given.contact(place));
        let (f, a) = frame(root, i)?;
        let sides = &root.sides()[i];
        let turn = |k: usize| [0, 1].map(|s| sides[s].as_ref().map_or(0.0, |s| root.columns(s)[2][k]));
        let (w, b, mu) = (problem.w().diagonal(i), &problem.b()[i], coefficient(&problem.laws()[i]));
        let (nn, nt, tt) = (w[(0, 0)], w[(0, 1)], w[(1, 1)]);
        let coupling = nt / nn;
        let schur = tt - nt * coupling;
        let slip = |d: f64| if d > 0.0 { 1.0 / d } else { 0.0 };
        Some(Self {
            at: given.at(place),
            n: [f[0][0], f[0][1]],
            t: [f[1][0], f[1][1]],
            a,
            turn_n: turn(0),
            turn_t: turn(1),
            b: [b[0], b[1]],
            mu,
            nn,
            nt,
            tt,
            inverse: 1.0 / nn,
            coupling,
            schur: if schur > 1e-15 * tt { 1.0 / schur } else { 0.0 },
            slip: [slip(nn + mu * nt), slip(nn - mu * nt)],
        })
    }
}

impl<const D: usize> Row<D> for Plane {
    type Four = Never<Plane>;

    #[inline(always)]
    fn velocity(&self, y: &[f64]) -> Vector<D> {
        let [p, q] = self.at.map(|k| &y[k as usize..k as usize + 3]);
        let (x0, x1) = (self.a[0] * p[0] + self.a[1] * q[0], self.a[0] * p[1] + self.a[1] * q[1]);
        let mut u = Vector::zeros();
        u[0] = self.b[0] + self.n[0] * x0 + self.n[1] * x1 + (self.turn_n[0] * p[2] + self.turn_n[1] * q[2]);
        u[1] = self.b[1] + self.t[0] * x0 + self.t[1] * x1 + (self.turn_t[0] * p[2] + self.turn_t[1] * q[2]);
        u
    }

    #[inline(always)]
    fn push(&self, change: &Vector<D>, y: &mut [f64]) {
        let (n, t) = (change[0], change[1]);
        let force = [self.n[0] * n + self.t[0] * t, self.n[1] * n + self.t[1] * t];
        for s in 0..2 {
            let y = &mut y[self.at[s] as usize..self.at[s] as usize + 3];
            y[0] += self.a[s] * force[0];
            y[1] += self.a[s] * force[1];
            y[2] += self.turn_n[s] * n + self.turn_t[s] * t;
        }
    }

    /// By cases, as [`crate::laws::coulomb::solve_one`].
    #[inline(always)]
    fn solve(&mut self, u: &Vector<D>, s: &Vector<D>, _: f64) -> Vector<D> {
        let mut new = Vector::zeros();
        let q = [u[0] - self.nn * s[0] - self.nt * s[1], u[1] - self.nt * s[0] - self.tt * s[1]];
        if q[0] >= 0.0 {
            return new;
        }
        let free = -q[0] * self.inverse;
        if self.mu == 0.0 {
            new[0] = free;
            return new;
        }
        let t = -(q[1] + self.nt * free) * self.schur;
        let n = free - self.coupling * t;
        if self.schur > 0.0 && t.abs() <= self.mu * n {
            (new[0], new[1]) = (n, t);
            return new;
        }
        let (mut defect, mut smallest) = (f64::INFINITY, f64::INFINITY);
        for (sign, slip) in [(1.0, self.slip[0]), (-1.0, self.slip[1])] {
            if slip <= 0.0 {
                continue;
            }
            let n = -q[0] * slip;
            let t = sign * self.mu * n;
            let against = (sign * (self.nt * n + self.tt * t + q[1])).max(0.0);
            if against < defect || (against == defect && n < smallest) {
                (defect, smallest) = (against, n);
                (new[0], new[1]) = (n, t);
            }
        }
        new
    }

    #[inline(always)]
    fn mu(&self) -> f64 {
        self.mu
    }

    #[inline(always)]
    fn weight(&self) -> f64 {
        0.5 * (self.nn + self.tt)
    }
}
