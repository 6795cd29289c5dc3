//! Contacts of discs in the plane
//!
//! The lever of a disc is along the normal: `W_αα = diag(w_N, w_T)`, normal and tangential percussions do not see each
//! other, and the one-contact solve is two clamps. Nothing in a visit is a guess of the processor.

use super::four::{FOUR, Four, Lanes, Numbers, Tally, component, put, take, tally, two};
use super::{Given, Row, SAME, coefficient, frame};
use crate::algebra::Vector;
use pulp::Simd;

/// One contact of discs.
pub(super) struct Disc {
    /// First unknown of each body.
    at: [u32; 2],
    /// Axes of the contact: frames turn either way.
    n: [f64; 2],
    t: [f64; 2],
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
    /// None where the contact is not one of discs.
    pub fn new<const D: usize>(given: &Given<D>, place: usize) -> Option<Self> {
        let (Given { problem, root, .. }, i) = (given, given.contact(place));
        let w = problem.w().diagonal(i);
        if w[(0, 1)].abs() > SAME * w.trace() || !(w[(1, 1)] > SAME * w.trace()) {
            return None;
        }
        let (f, a) = frame(root, i)?;
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
            t: [f[1][0], f[1][1]],
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
    type Four = Discs;

    #[inline(always)]
    fn velocity(&self, y: &[f64]) -> Vector<D> {
        let [p, q] = self.at.map(|k| &y[k as usize..k as usize + 3]);
        let x = [0, 1].map(|j| self.a[0] * p[j] + self.a[1] * q[j]);
        let turning = self.turn[0] * p[2] + self.turn[1] * q[2];
        let mut u = Vector::zeros();
        u[0] = self.b[0] + (self.n[0] * x[0] + self.n[1] * x[1]);
        u[1] = self.b[1] + (self.t[0] * x[0] + self.t[1] * x[1] + turning);
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

/// Four contacts of discs, number by number.
pub(super) struct Discs {
    at: [[u32; FOUR]; 2],
    n: [Numbers; 2],
    t: [Numbers; 2],
    a: [Numbers; 2],
    turn: [Numbers; 2],
    b: [Numbers; 2],
    mu: Numbers,
    weight: Numbers,
    inverse: [Numbers; 2],
}

impl Discs {
    /// Adds what percussions do to the bodies.
    #[inline(always)]
    fn add<S: Simd>(&self, v: S, first: usize, [n, t]: [Lanes<S>; 2], y: &mut [f64], old: [[Lanes<S>; 3]; 2]) {
        let force = two!(j => Lanes::of(v, &self.n[j], first) * n + Lanes::of(v, &self.t[j], first) * t);
        // The second first: where there is none it stands for the first, and is overwritten.
        for side in [1, 0] {
            let (a, turn) = (Lanes::of(v, &self.a[side], first), Lanes::of(v, &self.turn[side], first));
            let old = old[side];
            let new = [old[0] + a * force[0], old[1] + a * force[1], old[2] + turn * t];
            put(&new, y, &self.at[side], first);
        }
    }
}

impl<const D: usize> Four<D> for Discs {
    type One = Disc;

    fn of(rows: [&Disc; FOUR]) -> Self {
        let both = |number: fn(&Disc) -> [f64; 2]| two!(k => rows.map(|row| number(row)[k]));
        Self {
            at: two!(k => rows.map(|row| row.at[k])),
            n: both(|row| row.n),
            t: both(|row| row.t),
            a: both(|row| row.a),
            turn: both(|row| row.turn),
            b: both(|row| row.b),
            mu: rows.map(|row| row.mu),
            weight: rows.map(|row| row.weight),
            inverse: both(|row| row.inverse),
        }
    }

    #[inline(always)]
    fn visit<S: Simd>(&mut self, v: S, first: usize, y: &mut [f64], s: &mut [Vector<D>], by: &mut Tally) {
        let p = take::<S, 3>(v, y, &self.at[0], first);
        let q = take::<S, 3>(v, y, &self.at[1], first);
        let [a, b] = two!(k => Lanes::of(v, &self.a[k], first));
        let x = two!(j => a * p[j] + b * q[j]);
        let [a, b] = two!(k => Lanes::of(v, &self.turn[k], first));
        let turning = a * p[2] + b * q[2];
        let n = two!(j => Lanes::of(v, &self.n[j], first));
        let t = two!(j => Lanes::of(v, &self.t[j], first));
        let b = two!(k => Lanes::of(v, &self.b[k], first));
        let u = [b[0] + (n[0] * x[0] + n[1] * x[1]), b[1] + (t[0] * x[0] + t[1] * x[1] + turning)];
        let was = two!(c => component(v, s, first, c));
        let zero = Lanes::new(v, [0.0; FOUR]);
        let inverse = two!(k => Lanes::of(v, &self.inverse[k], first));
        let free = was[0] - u[0] * inverse[0];
        let n = free.where_at_most(zero, zero, free);
        let (t, reach) = (was[1] - u[1] * inverse[1], Lanes::of(v, &self.mu, first) * n);
        let held = reach.where_below(t, reach, t);
        let t = held.where_below(reach.minus(), reach.minus(), held);
        let change = [n - was[0], t - was[1]];
        self.add(v, first, change, y, [p, q]);
        for k in 0..Lanes::<S>::COUNT {
            (s[first + k][0], s[first + k][1]) = (n.numbers()[k], t.numbers()[k]);
        }
        let weight = Lanes::of(v, &self.weight, first);
        tally(v, (change[0] * change[0] + change[1] * change[1]) * (weight * weight), first, by);
    }

    #[inline(always)]
    fn push<S: Simd>(&self, v: S, first: usize, y: &mut [f64], s: &[Vector<D>]) {
        let old = two!(side => take(v, y, &self.at[side], first));
        self.add(v, first, two!(c => component(v, s, first, c)), y, old);
    }
}
