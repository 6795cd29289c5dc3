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

use super::{Given, Row, SAME, coefficient, frame};
use crate::algebra::Vector;

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
    pub rows: Vec<Ball>,
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
        self.rows.clear();
        self.axes.clear();
        self.axes.resize(given.root.bodies(), None);
        for place in 0..given.problem.len() {
            let Some(row) = self.row(given, place) else { return false };
            self.rows.push(row);
        }
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
