//! Contacts of space: bodies of six unknowns, of any shape.

use super::four::{FOUR, Four, Lanes, Numbers, Tally, component, put, take, tally, three, two};
use super::{Given, Row, coefficient, frame};
use crate::algebra::{Matrix, Vector, solve_small};
use crate::laws::coulomb::Slider;
use pulp::Simd;

/// One contact of space.
pub(super) struct Space {
    /// First unknown of each body.
    at: [u32; 2],
    /// Axes of the contact, by columns: what each axis of space gives.
    f: [[f64; 3]; 3],
    /// What translations are multiplied by, side by side, and rotations, by columns.
    a: [f64; 2],
    turn: [[[f64; 3]; 3]; 2],
    b: [f64; 3],
    mu: f64,
    weight: f64,
    /// `W_αα`, by columns.
    w: [[f64; 3]; 3],
    /// `W_αα⁻¹`, by columns; zeros where it is singular.
    inverse: [[f64; 3]; 3],
    slider: Slider,
    /// How the contact slid when it was visited last; zero before.
    alpha: f64,
}

impl Space {
    pub fn new<const D: usize>(given: &Given<D>, place: usize) -> Option<Self> {
        let (Given { problem, root, .. }, i) = (given, given.contact(place));
        let (f, a) = frame(root, i)?;
        let sides = &root.sides()[i];
        let triple = |v: &Vector<D>| [v[0], v[1], v[2]];
        let turn = [0, 1].map(|s| match &sides[s] {
            Some(side) => [3, 4, 5].map(|j| triple(&root.columns(side)[j])),
            None => [[0.0; 3]; 3],
        });
        let block = problem.w().diagonal(i);
        let w = Matrix::<3>::from_fn(|r, c| block[(r, c)]);
        let unit = |k: usize| solve_small(&w, &Vector::<3>::from_fn(|r, _| if r == k { 1.0 } else { 0.0 }));
        let inverse = match [unit(0), unit(1), unit(2)] {
            [Some(x), Some(y), Some(z)] => [x, y, z].map(|c| [c[0], c[1], c[2]]),
            _ => [[0.0; 3]; 3],
        };
        Some(Self {
            at: given.at(place),
            f: [0, 1, 2].map(|j| [f[0][j], f[1][j], f[2][j]]),
            a,
            turn,
            b: triple(&problem.b()[i]),
            mu: coefficient(&problem.laws()[i]),
            weight: w.trace() / 3.0,
            w: [0, 1, 2].map(|c| [0, 1, 2].map(|r| w[(r, c)])),
            inverse,
            slider: Slider::new(&w),
            alpha: 0.0,
        })
    }
}

/// `u + Σ c_j x_j`.
#[inline(always)]
fn add(mut u: [f64; 3], c: &[[f64; 3]; 3], x: [f64; 3]) -> [f64; 3] {
    for j in 0..3 {
        for k in 0..3 {
            u[k] += c[j][k] * x[j];
        }
    }
    u
}

#[inline(always)]
fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl<const D: usize> Row<D> for Space {
    type Four = Spaces;

    #[inline(always)]
    fn velocity(&self, y: &[f64]) -> Vector<D> {
        let [p, q] = self.at.map(|k| &y[k as usize..k as usize + 6]);
        let x = [0, 1, 2].map(|j| self.a[0] * p[j] + self.a[1] * q[j]);
        let u = add(self.b, &self.f, x);
        let u = add(u, &self.turn[0], [p[3], p[4], p[5]]);
        let u = add(u, &self.turn[1], [q[3], q[4], q[5]]);
        Vector::from_fn(|k, _| u[k])
    }

    #[inline(always)]
    fn push(&self, change: &Vector<D>, y: &mut [f64]) {
        let d = [change[0], change[1], change[2]];
        let force = [0, 1, 2].map(|j| dot(&self.f[j], &d));
        for s in 0..2 {
            let y = &mut y[self.at[s] as usize..self.at[s] as usize + 6];
            for j in 0..3 {
                y[j] += self.a[s] * force[j];
                y[3 + j] += dot(&self.turn[s][j], &d);
            }
        }
    }

    #[inline(always)]
    fn solve(&mut self, u: &Vector<D>, s: &Vector<D>, accuracy: f64) -> Vector<D> {
        let stick = add([s[0], s[1], s[2]], &self.inverse, [-u[0], -u[1], -u[2]]);
        let reach = self.mu * stick[0];
        let held = stick[1] * stick[1] + stick[2] * stick[2];
        if self.inverse[0][0] > 0.0 && stick[0] > 0.0 && held <= reach * reach {
            return Vector::from_fn(|k, _| stick[k]);
        }
        let q = add([u[0], u[1], u[2]], &self.w, [-s[0], -s[1], -s[2]]);
        if q[0] >= 0.0 {
            return Vector::zeros();
        }
        let new = match self.mu == 0.0 {
            true => [-q[0] / self.w[0][0], 0.0, 0.0],
            false => self.slider.solve(self.mu, q, accuracy, &mut self.alpha),
        };
        Vector::from_fn(|k, _| new[k])
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

type Square = [[Numbers; 3]; 3];

/// Four contacts of space, number by number.
pub(super) struct Spaces {
    at: [[u32; FOUR]; 2],
    f: Square,
    a: [Numbers; 2],
    turn: [Square; 2],
    b: [Numbers; 3],
    mu: Numbers,
    weight: Numbers,
    w: Square,
    inverse: Square,
    slider: [Slider; FOUR],
    alpha: Numbers,
}

/// `u + Σ c_j x_j`.
#[inline(always)]
fn add_lanes<S: Simd>(v: S, u: [Lanes<S>; 3], c: &Square, x: [Lanes<S>; 3], first: usize) -> [Lanes<S>; 3] {
    let mut sum = u;
    for j in 0..3 {
        for k in 0..3 {
            sum[k] = sum[k] + Lanes::of(v, &c[j][k], first) * x[j];
        }
    }
    sum
}

#[inline(always)]
fn dot_lanes<S: Simd>(v: S, c: &[Numbers; 3], x: [Lanes<S>; 3], first: usize) -> Lanes<S> {
    Lanes::of(v, &c[0], first) * x[0] + Lanes::of(v, &c[1], first) * x[1] + Lanes::of(v, &c[2], first) * x[2]
}

impl Spaces {
    /// Adds what percussions do to the bodies.
    #[inline(always)]
    fn add<S: Simd>(&self, v: S, first: usize, d: [Lanes<S>; 3], y: &mut [f64], old: [[Lanes<S>; 6]; 2]) {
        let force = three!(j => dot_lanes(v, &self.f[j], d, first));
        // The second first: where there is none it stands for the first, and is overwritten.
        for side in [1, 0] {
            let a = Lanes::of(v, &self.a[side], first);
            let mut new = old[side];
            for j in 0..3 {
                new[j] = new[j] + a * force[j];
                new[3 + j] = new[3 + j] + dot_lanes(v, &self.turn[side][j], d, first);
            }
            put(&new, y, &self.at[side], first);
        }
    }
}

impl<const D: usize> Four<D> for Spaces {
    type One = Space;

    fn of(rows: [&Space; FOUR]) -> Self {
        let square = |of: &dyn Fn(&Space) -> [[f64; 3]; 3]| three!(j => three!(k => rows.map(|row| of(row)[j][k])));
        Self {
            at: two!(k => rows.map(|row| row.at[k])),
            f: square(&|row| row.f),
            a: two!(k => rows.map(|row| row.a[k])),
            turn: two!(side => square(&|row| row.turn[side])),
            b: three!(k => rows.map(|row| row.b[k])),
            mu: rows.map(|row| row.mu),
            weight: rows.map(|row| row.weight),
            w: square(&|row| row.w),
            inverse: square(&|row| row.inverse),
            slider: rows.map(|row| row.slider),
            alpha: rows.map(|row| row.alpha),
        }
    }

    #[inline(always)]
    fn visit<S: Simd>(&mut self, v: S, first: usize, y: &mut [f64], s: &mut [Vector<D>], by: &mut Tally) {
        let p = take::<S, 6>(v, y, &self.at[0], first);
        let q = take::<S, 6>(v, y, &self.at[1], first);
        let [a, b] = two!(k => Lanes::of(v, &self.a[k], first));
        let x = three!(j => a * p[j] + b * q[j]);
        let b = three!(k => Lanes::of(v, &self.b[k], first));
        let u = add_lanes(v, b, &self.f, x, first);
        let u = add_lanes(v, u, &self.turn[0], [p[3], p[4], p[5]], first);
        let u = add_lanes(v, u, &self.turn[1], [q[3], q[4], q[5]], first);
        let was = three!(c => component(v, s, first, c));
        let zero = Lanes::new(v, [0.0; FOUR]);
        let stick = add_lanes(v, was, &self.inverse, three!(k => zero - u[k]), first);
        let reach = Lanes::of(v, &self.mu, first) * stick[0];
        let held = stick[1] * stick[1] + stick[2] * stick[2];
        // Positive where it sticks.
        let sticks = zero.where_below(
            stick[0],
            held.where_at_most(reach * reach, Lanes::of(v, &self.inverse[0][0], first), zero),
            zero,
        );
        let free = add_lanes(v, u, &self.w, three!(k => zero - was[k]), first);
        for k in 0..Lanes::<S>::COUNT {
            let lane = first + k;
            let new = if sticks.numbers()[k] > 0.0 {
                three!(c => stick[c].numbers()[k])
            } else if free[0].numbers()[k] >= 0.0 {
                [0.0; 3]
            } else if self.mu[lane] == 0.0 {
                [-free[0].numbers()[k] / self.w[0][0][lane], 0.0, 0.0]
            } else {
                let q = three!(c => free[c].numbers()[k]);
                self.slider[lane].solve(self.mu[lane], q, by.accuracy, &mut self.alpha[lane])
            };
            for c in 0..3 {
                s[lane][c] = new[c];
            }
        }
        let change = three!(c => component(v, s, first, c) - was[c]);
        self.add(v, first, change, y, [p, q]);
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
