//! Contacts of the plane: bodies of three unknowns.

use super::four::{FOUR, Four, Lanes, Numbers, Tally, component, put, take, tally, two};
use super::{Given, Row, coefficient, frame};
use crate::algebra::Vector;
use pulp::Simd;

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
    type Four = Planes;

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

/// Four contacts of the plane, number by number.
pub(super) struct Planes {
    at: [[u32; FOUR]; 2],
    n: [Numbers; 2],
    t: [Numbers; 2],
    a: [Numbers; 2],
    turn_n: [Numbers; 2],
    turn_t: [Numbers; 2],
    b: [Numbers; 2],
    mu: Numbers,
    nn: Numbers,
    nt: Numbers,
    tt: Numbers,
    inverse: Numbers,
    coupling: Numbers,
    schur: Numbers,
    slip: [Numbers; 2],
}

impl Planes {
    /// Adds what percussions do to the bodies.
    #[inline(always)]
    fn add<S: Simd>(&self, v: S, first: usize, [n, t]: [Lanes<S>; 2], y: &mut [f64], old: [[Lanes<S>; 3]; 2]) {
        let force = two!(j => Lanes::of(v, &self.n[j], first) * n + Lanes::of(v, &self.t[j], first) * t);
        // The second first: where there is none it stands for the first, and is overwritten.
        for side in [1, 0] {
            let a = Lanes::of(v, &self.a[side], first);
            let (to_n, to_t) = (Lanes::of(v, &self.turn_n[side], first), Lanes::of(v, &self.turn_t[side], first));
            let old = old[side];
            let new = [old[0] + a * force[0], old[1] + a * force[1], old[2] + (to_n * n + to_t * t)];
            put(&new, y, &self.at[side], first);
        }
    }

    /// The cases of the one-contact solve, all of them, and the one that holds.
    #[inline(always)]
    fn solve<S: Simd>(&self, v: S, first: usize, u: [Lanes<S>; 2], s: [Lanes<S>; 2]) -> [Lanes<S>; 2] {
        let zero = Lanes::new(v, [0.0; FOUR]);
        let (nn, nt, tt) =
            (Lanes::of(v, &self.nn, first), Lanes::of(v, &self.nt, first), Lanes::of(v, &self.tt, first));
        let (mu, schur) = (Lanes::of(v, &self.mu, first), Lanes::of(v, &self.schur, first));
        let q = [u[0] - nn * s[0] - nt * s[1], u[1] - nt * s[0] - tt * s[1]];
        let free = zero - q[0] * Lanes::of(v, &self.inverse, first);
        // Slipping to either side: the one that is against the percussion.
        let plus = Lanes::of(v, &self.slip[0], first);
        let minus = Lanes::of(v, &self.slip[1], first);
        let (n_plus, n_minus) = (zero - q[0] * plus, zero - q[0] * minus);
        let (t_plus, t_minus) = (mu * n_plus, zero - mu * n_minus);
        let against = nt * n_plus + tt * t_plus + q[1];
        let with = zero - (nt * n_minus + tt * t_minus + q[1]);
        let (against, with) = (zero.where_below(against, against, zero), zero.where_below(with, with, zero));
        // The smaller defect, and among equals the smaller percussion; only directions that there are.
        macro_rules! only {
            ($a:expr, $b:expr) => {{
                let smaller = n_minus.where_below(n_plus, $a, $b);
                let chosen = with.where_below(against, $a, against.where_below(with, $b, smaller));
                zero.where_below(plus, zero.where_below(minus, chosen, $b), $a)
            }};
        }
        let (n_slip, t_slip) = (only!(n_minus, n_plus), only!(t_minus, t_plus));
        let t = zero - (q[1] + nt * free) * schur;
        let n = free - Lanes::of(v, &self.coupling, first) * t;
        let size = t.where_below(zero, zero - t, t);
        macro_rules! taken {
            ($stick:expr, $slip:expr, $free:expr) => {{
                let held = zero.where_below(schur, size.where_at_most(mu * n, $stick, $slip), $slip);
                zero.where_at_most(q[0], zero, zero.where_below(mu, held, $free))
            }};
        }
        [taken!(n, n_slip, free), taken!(t, t_slip, zero)]
    }
}

impl<const D: usize> Four<D> for Planes {
    type One = Plane;

    fn of(rows: [&Plane; FOUR]) -> Self {
        let both = |number: fn(&Plane) -> [f64; 2]| two!(k => rows.map(|row| number(row)[k]));
        Self {
            at: two!(k => rows.map(|row| row.at[k])),
            n: both(|row| row.n),
            t: both(|row| row.t),
            a: both(|row| row.a),
            turn_n: both(|row| row.turn_n),
            turn_t: both(|row| row.turn_t),
            b: both(|row| row.b),
            mu: rows.map(|row| row.mu),
            nn: rows.map(|row| row.nn),
            nt: rows.map(|row| row.nt),
            tt: rows.map(|row| row.tt),
            inverse: rows.map(|row| row.inverse),
            coupling: rows.map(|row| row.coupling),
            schur: rows.map(|row| row.schur),
            slip: both(|row| row.slip),
        }
    }

    #[inline(always)]
    fn visit<S: Simd>(&mut self, v: S, first: usize, y: &mut [f64], s: &mut [Vector<D>], by: &mut Tally) {
        let p = take::<S, 3>(v, y, &self.at[0], first);
        let q = take::<S, 3>(v, y, &self.at[1], first);
        let [a, b] = two!(k => Lanes::of(v, &self.a[k], first));
        let x = two!(j => a * p[j] + b * q[j]);
        let [a, b] = two!(k => Lanes::of(v, &self.turn_n[k], first));
        let turn_n = a * p[2] + b * q[2];
        let [a, b] = two!(k => Lanes::of(v, &self.turn_t[k], first));
        let turn_t = a * p[2] + b * q[2];
        let n = two!(j => Lanes::of(v, &self.n[j], first));
        let t = two!(j => Lanes::of(v, &self.t[j], first));
        let b = two!(k => Lanes::of(v, &self.b[k], first));
        let u = [b[0] + n[0] * x[0] + n[1] * x[1] + turn_n, b[1] + t[0] * x[0] + t[1] * x[1] + turn_t];
        let was = two!(c => component(v, s, first, c));
        let new = self.solve(v, first, u, was);
        let change = two!(k => new[k] - was[k]);
        self.add(v, first, change, y, [p, q]);
        for k in 0..Lanes::<S>::COUNT {
            (s[first + k][0], s[first + k][1]) = (new[0].numbers()[k], new[1].numbers()[k]);
        }
        let weight = (Lanes::of(v, &self.nn, first) + Lanes::of(v, &self.tt, first)) * Lanes::new(v, [0.5; FOUR]);
        tally(v, (change[0] * change[0] + change[1] * change[1]) * (weight * weight), first, by);
    }

    #[inline(always)]
    fn push<S: Simd>(&self, v: S, first: usize, y: &mut [f64], s: &[Vector<D>]) {
        let old = two!(side => take(v, y, &self.at[side], first));
        self.add(v, first, two!(c => component(v, s, first, c)), y, old);
    }
}
