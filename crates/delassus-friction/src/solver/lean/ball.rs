//! Contacts of balls in space
//!
//! The lever of a ball is along the normal and its inertia the same about every axis: with rotations along the axes
//! of space,
//!
//! ```text
//!     U_N = b_N + n·x,    U_T = b_T + (x + n × c)_T,    x = Σ a v,    c = Σ β ω,    W_αα = diag(w_N, w_T, w_T)
//! ```
//!
//! and normal and tangential percussions do not see each other: the one-contact solve is a projection.

use super::four::{FOUR, Four, Lanes, Numbers, Tally, component, put, take, tally, three, two};
use super::{Given, Row, Rows, SAME, coefficient, frame};
use crate::algebra::Vector;
use pulp::Simd;

/// One contact of balls.
pub(super) struct Ball {
    /// First unknown of each body.
    at: [u32; 2],
    /// Axes of the contact.
    n: [f64; 3],
    t: [[f64; 3]; 2],
    /// What translations and rotations are multiplied by, side by side. The latter have the sign of the frame.
    a: [f64; 2],
    turn: [f64; 2],
    b: [f64; 3],
    mu: f64,
    weight: f64,
    /// `1/w_N`, `1/w_T`.
    inverse: [f64; 2],
}

type Axes = [[f64; 3]; 3];

/// The contacts of balls; where the axes of each lie is found by its first contact.
#[derive(Default)]
pub(super) struct Balls {
    pub rows: Rows<Ball, FourBalls>,
    axes: Vec<Option<Axes>>,
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl Balls {
    /// Takes the contacts; false where not all bodies are balls.
    pub fn fit<const D: usize>(&mut self, given: &Given<D>) -> bool {
        self.rows.one.clear();
        self.axes.clear();
        self.axes.resize(given.root.bodies(), None);
        for place in 0..given.problem.len() {
            let Some(row) = self.row(given, place) else { return false };
            self.rows.one.push(row);
        }
        self.rows.pair::<D>(given.tree);
        true
    }

    fn row<const D: usize>(&mut self, given: &Given<D>, place: usize) -> Option<Ball> {
        let (Given { problem, root, .. }, i) = (given, given.contact(place));
        let w = problem.w().diagonal(i);
        let small = SAME * w.trace();
        let coupled = [(0, 1), (0, 2), (1, 2)].iter().any(|k| w[*k].abs() > small);
        if coupled || (w[(1, 1)] - w[(2, 2)]).abs() > small {
            return None;
        }
        let (f, a) = frame(root, i)?;
        let f = [0, 1, 2].map(|k| [f[k][0], f[k][1], f[k][2]]);
        let hand = dot(&cross(f[0], f[1]), &f[2]).signum();
        let mut turn = [0.0; 2];
        for s in 0..2 {
            let Some(side) = &root.sides()[i][s] else { continue };
            let columns = &root.columns(side)[3..6];
            let q = [0, 1, 2].map(|k| [columns[0][k], columns[1][k], columns[2][k]]);
            turn[s] = hand * self.lever(side.body as usize, &f, &q, hand)?;
        }
        let (b, mu) = (&problem.b()[i], coefficient(&problem.laws()[i]));
        Some(Ball {
            at: given.at(place),
            n: f[0],
            t: [f[1], f[2]],
            a,
            turn,
            b: [b[0], b[1], b[2]],
            mu,
            weight: w.trace() / 3.0,
            inverse: [1.0 / w[(0, 0)], 2.0 / (w[(1, 1)] + w[(2, 2)])],
        })
    }

    /// `β ≥ 0` of a side whose rotations give the rows `q`: `q_1 = −hβ R t_2`, `q_2 = hβ R t_1` with the axes `R` of
    /// the body, the same in all of its contacts.
    fn lever(&mut self, body: usize, f: &Axes, q: &Axes, hand: f64) -> Option<f64> {
        let beta = dot(&q[1], &q[1]).sqrt();
        let size = beta.max(dot(&q[0], &q[0]).sqrt()).max(dot(&q[2], &q[2]).sqrt());
        if size == 0.0 {
            return Some(0.0);
        }
        let small = SAME * size;
        if !(dot(&q[0], &q[0]).sqrt() <= small && (dot(&q[2], &q[2]).sqrt() - beta).abs() <= small) {
            return None;
        }
        let to = [q[2].map(|x| hand * x / beta), q[1].map(|x| -hand * x / beta)];
        let axes = self.axes[body].get_or_insert_with(|| {
            let normal = cross(to[0], to[1]).map(|x| hand * x);
            [0, 1, 2].map(|r| [0, 1, 2].map(|c| normal[r] * f[0][c] + to[0][r] * f[1][c] + to[1][r] * f[2][c]))
        });
        let turned = |v: &[f64; 3]| [0, 1, 2].map(|r| dot(&axes[r], v));
        let same = |a: [f64; 3], b: [f64; 3]| (0..3).all(|k| (a[k] - b[k]).abs() <= 1e-9);
        (same(turned(&f[1]), to[0]) && same(turned(&f[2]), to[1])).then_some(beta)
    }
}

impl<const D: usize> Row<D> for Ball {
    type Four = FourBalls;

    #[inline(always)]
    fn velocity(&self, y: &[f64]) -> Vector<D> {
        let [p, q] = self.at.map(|k| &y[k as usize..k as usize + 6]);
        let x = [0, 1, 2].map(|j| self.a[0] * p[j] + self.a[1] * q[j]);
        let c = [3, 4, 5].map(|j| self.turn[0] * p[j] + self.turn[1] * q[j]);
        let mut u = Vector::zeros();
        u[0] = self.b[0] + dot(&self.n, &x);
        u[1] = self.b[1] + dot(&self.t[0], &x) - dot(&self.t[1], &c);
        u[2] = self.b[2] + dot(&self.t[1], &x) + dot(&self.t[0], &c);
        u
    }

    #[inline(always)]
    fn push(&self, change: &Vector<D>, y: &mut [f64]) {
        let [n, t1, t2] = [change[0], change[1], change[2]];
        let force = [0, 1, 2].map(|j| self.n[j] * n + self.t[0][j] * t1 + self.t[1][j] * t2);
        let moment = [0, 1, 2].map(|j| self.t[0][j] * t2 - self.t[1][j] * t1);
        for s in 0..2 {
            let y = &mut y[self.at[s] as usize..self.at[s] as usize + 6];
            for j in 0..3 {
                y[j] += self.a[s] * force[j];
                y[3 + j] += self.turn[s] * moment[j];
            }
        }
    }

    #[inline(always)]
    fn solve(&mut self, u: &Vector<D>, s: &Vector<D>, _: f64) -> Vector<D> {
        let n = s[0] - u[0] * self.inverse[0];
        if !(n > 0.0) {
            // A NaN goes on, and is noticed.
            return if n <= 0.0 { Vector::zeros() } else { Vector::repeat(n) };
        }
        let (t1, t2) = (s[1] - u[1] * self.inverse[1], s[2] - u[2] * self.inverse[1]);
        let (reach, held) = (self.mu * n, t1 * t1 + t2 * t2);
        let mut new = Vector::zeros();
        new[0] = n;
        let scale = if held <= reach * reach { 1.0 } else { reach / held.sqrt() };
        (new[1], new[2]) = (scale * t1, scale * t2);
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

/// Four contacts of balls, number by number.
pub(super) struct FourBalls {
    at: [[u32; FOUR]; 2],
    n: [Numbers; 3],
    t: [[Numbers; 3]; 2],
    a: [Numbers; 2],
    turn: [Numbers; 2],
    b: [Numbers; 3],
    mu: Numbers,
    weight: Numbers,
    inverse: [Numbers; 2],
}

impl FourBalls {
    /// Adds what percussions do to the bodies.
    #[inline(always)]
    fn add<S: Simd>(&self, v: S, first: usize, [n, t1, t2]: [Lanes<S>; 3], y: &mut [f64], old: [[Lanes<S>; 6]; 2]) {
        let t = two!(k => three!(j => Lanes::of(v, &self.t[k][j], first)));
        let force = three!(j => Lanes::of(v, &self.n[j], first) * n + t[0][j] * t1 + t[1][j] * t2);
        let moment = three!(j => t[0][j] * t2 - t[1][j] * t1);
        // The second first: where there is none it stands for the first, and is overwritten.
        for side in [1, 0] {
            let (a, turn) = (Lanes::of(v, &self.a[side], first), Lanes::of(v, &self.turn[side], first));
            let mut new = old[side];
            for j in 0..3 {
                new[j] = new[j] + a * force[j];
                new[3 + j] = new[3 + j] + turn * moment[j];
            }
            put(&new, y, &self.at[side], first);
        }
    }
}

#[inline(always)]
fn dot_lanes<S: Simd>(v: S, a: &[Numbers; 3], x: &[Lanes<S>; 3], first: usize) -> Lanes<S> {
    Lanes::of(v, &a[0], first) * x[0] + Lanes::of(v, &a[1], first) * x[1] + Lanes::of(v, &a[2], first) * x[2]
}

impl<const D: usize> Four<D> for FourBalls {
    type One = Ball;

    fn of(rows: [&Ball; FOUR]) -> Self {
        let both = |number: fn(&Ball) -> [f64; 2]| two!(k => rows.map(|row| number(row)[k]));
        Self {
            at: two!(k => rows.map(|row| row.at[k])),
            n: three!(j => rows.map(|row| row.n[j])),
            t: two!(k => three!(j => rows.map(|row| row.t[k][j]))),
            a: both(|row| row.a),
            turn: both(|row| row.turn),
            b: three!(j => rows.map(|row| row.b[j])),
            mu: rows.map(|row| row.mu),
            weight: rows.map(|row| row.weight),
            inverse: both(|row| row.inverse),
        }
    }

    #[inline(always)]
    fn visit<S: Simd>(&mut self, v: S, first: usize, y: &mut [f64], s: &mut [Vector<D>], by: &mut Tally) {
        let p = take::<S, 6>(v, y, &self.at[0], first);
        let q = take::<S, 6>(v, y, &self.at[1], first);
        let [a, b] = two!(k => Lanes::of(v, &self.a[k], first));
        let x = three!(j => a * p[j] + b * q[j]);
        let [a, b] = two!(k => Lanes::of(v, &self.turn[k], first));
        let c = three!(j => a * p[3 + j] + b * q[3 + j]);
        let b = three!(k => Lanes::of(v, &self.b[k], first));
        let u = [
            b[0] + dot_lanes(v, &self.n, &x, first),
            b[1] + dot_lanes(v, &self.t[0], &x, first) - dot_lanes(v, &self.t[1], &c, first),
            b[2] + dot_lanes(v, &self.t[1], &x, first) + dot_lanes(v, &self.t[0], &c, first),
        ];
        let was = three!(k => component(v, s, first, k));
        let (zero, one) = (Lanes::new(v, [0.0; FOUR]), Lanes::new(v, [1.0; FOUR]));
        let free = was[0] - u[0] * Lanes::of(v, &self.inverse[0], first);
        let n = free.where_at_most(zero, zero, free);
        let inverse = Lanes::of(v, &self.inverse[1], first);
        let (t1, t2) = (was[1] - u[1] * inverse, was[2] - u[2] * inverse);
        let (reach, held) = (Lanes::of(v, &self.mu, first) * n, t1 * t1 + t2 * t2);
        let scale = held.where_at_most(reach * reach, one, reach.over(held.sqrt()));
        let new = [n, scale * t1, scale * t2];
        let change = three!(k => new[k] - was[k]);
        self.add(v, first, change, y, [p, q]);
        for k in 0..Lanes::<S>::COUNT {
            for c in 0..3 {
                s[first + k][c] = new[c].numbers()[k];
            }
        }
        let weight = Lanes::of(v, &self.weight, first);
        let square = change[0] * change[0] + change[1] * change[1] + change[2] * change[2];
        tally(v, square * (weight * weight), first, by);
    }

    #[inline(always)]
    fn push<S: Simd>(&self, v: S, first: usize, y: &mut [f64], s: &[Vector<D>]) {
        let old = two!(side => take(v, y, &self.at[side], first));
        self.add(v, first, three!(c => component(v, s, first, c)), y, old);
    }
}
