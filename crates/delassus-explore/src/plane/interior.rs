//! Support of large sets by an interior point
//!
//! ```text
//!     minimise c·x,  A x = b,  x ≥ 0;      maximise b·y,  c − Aᵀ y ≥ 0
//! ```
//!
//! Predictor and corrector \[Mehrotra92\], each iteration by one factorisation of `A Θ Aᵀ`, whose
//! graph is that of the bodies. The iterations do not grow with the system as pivots do. The
//! answer is a point of the set and, by weak duality, a bound that no point exceeds: both are
//! checked, whatever the iterations did.

use crate::simplex::Columns;
use delassus_friction::algebra::{Analysis, BlockMatrix, Matrix, Symmetric, Vector};

/// Most iterations for one question.
const ITERATIONS: usize = 60;
/// Imbalance of an answer, relative to the largest load and percussion.
const BALANCED: f64 = 1e-9;
/// Share of the way to the nearest bound.
const SHARE: f64 = 0.999;
/// Added to each entry of the diagonal, relative to it: equations may be dependent. Relative to the largest entry it
/// would be a hundred times what balances most bodies, and each step would have to be refined.
const DIAGONAL: f64 = 1e-13;

/// Imbalance that a refined step leaves, relative to the largest load and percussion: what it leaves is in the next
/// right-hand side, and far less than an answer may have.
const REFINED: f64 = 1e-10;
/// Most refinements of one solution.
const REFINEMENTS: usize = 3;
/// Shares of a correction that are tried.
const SHARES: usize = 4;

/// Share of the centre in a start between two answers.
const BACK: f64 = 0.1;
/// Share of the prices of the centre in its prices, relative to what is between the two.
const RAISE: f64 = 0.3;
/// Least product of a variable and its reduced cost there, relative to their mean.
const LEAST: f64 = 1e-2;

/// When an answer will do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    /// Distance between the point and the bound.
    pub gap: f64,
    /// The same, relative to the value: the larger of the two counts.
    pub share: f64,
    /// A bound that is good enough, wherever the point is.
    pub enough: f64,
}

impl Goal {
    fn reached(&self, value: f64, least: f64) -> bool {
        value - least <= self.gap.max(self.share * value.abs()) || least >= self.enough
    }
}

/// The set, and a point far from its bounds.
pub(crate) struct Interior {
    /// The variables of the program that it has: those that are not zero all over the set.
    kept: Vec<usize>,
    /// Variables that are in the matrix of the factors; another one is added to its solutions.
    sparse: usize,
    /// Columns of `A` by groups of three equations: column `j` is `entry[first[j] .. first[j + 1]]`.
    first: Vec<usize>,
    entry: Vec<(u32, Vector<3>)>,
    right: Vec<Vector<3>>,
    /// Groups met by group `i`: `meets[start[i] .. start[i + 1]]`, with their block and whether it is turned.
    start: Vec<usize>,
    meets: Vec<(u32, u32, bool)>,
    /// Blocks: pairs of groups.
    pairs: usize,
    /// Blocks of the pairs of groups of each column, one column after the other.
    places: Vec<u32>,
    /// Equations without variables.
    padding: Vec<Matrix<3>>,
    analysis: Analysis,
    /// The point where `x_j (−Aᵀ y)_j` is the same for all, with its prices and this number.
    centre: Vec<f64>,
    prices: Vec<Vector<3>>,
    level: f64,
}

/// A point of the set, and what the objective cannot go below.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// By the places of the variables.
    pub x: Vec<f64>,
    y: Vec<Vector<3>>,
    pub least: f64,
}

impl Interior {
    /// `None` when no point far from the bounds is found.
    /// The last variable may enter most equations, if it is said to be `dense`.
    pub fn new(columns: &Columns, kept: Vec<usize>, right: &[f64], dense: bool) -> Option<Self> {
        let groups = right.len().div_ceil(3);
        let gather = |list: &[(u32, f64)]| {
            let mut out: Vec<(u32, Vector<3>)> = vec![];
            for &(r, a) in list {
                let k = match out.iter().position(|e| e.0 == r / 3) {
                    Some(k) => k,
                    None => {
                        out.push((r / 3, Vector::<3>::zeros()));
                        out.len() - 1
                    }
                };
                out[k].1[r as usize % 3] += a;
            }
            out.sort_unstable_by_key(|e| e.0);
            out
        };
        let column: Vec<_> = kept.iter().map(|j| gather(columns.column(*j))).collect();
        let count = kept.len();
        let met = |list: &[(u32, Vector<3>)]| {
            let mut out = vec![];
            for (k, a) in list.iter().enumerate() {
                out.extend(list[k + 1..].iter().map(|b| (a.0, b.0)));
            }
            out
        };
        let sparse = count - usize::from(dense);
        let mut pairs: Vec<(u32, u32)> = column[..sparse].iter().flat_map(|list| met(list)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let places = column[..sparse].iter().flat_map(|list| met(list));
        let places = places.map(|pair| pairs.partition_point(|p| *p < pair) as u32).collect();
        let turned = pairs.iter().enumerate().map(|(k, (a, b))| (*b, *a, k as u32, true));
        let mut all: Vec<_> =
            pairs.iter().enumerate().map(|(k, (a, b))| (*a, *b, k as u32, false)).chain(turned).collect();
        all.sort_unstable();
        let start = (0..=groups).map(|g| all.partition_point(|p| (p.0 as usize) < g)).collect();
        let meets = all.iter().map(|(_, other, block, turned)| (*other, *block, *turned)).collect();
        let mut first = vec![0];
        let mut entry = vec![];
        for list in column {
            entry.extend(list);
            first.push(entry.len());
        }
        let mut triplets: Vec<_> = all.iter().map(|(a, b, ..)| (*a, *b, Matrix::<3>::zeros())).collect();
        let pattern = BlockMatrix::from_triplets(groups, &mut triplets);
        let mut padding = vec![Matrix::<3>::zeros(); groups];
        let mut b = vec![Vector::<3>::zeros(); groups];
        right.iter().enumerate().for_each(|(i, x)| b[i / 3][i % 3] = *x);
        // Equations that no variable enters, beside those that fill up the last group.
        let mut met = vec![Vector::<3>::zeros(); groups];
        entry.iter().for_each(|(g, a): &(u32, Vector<3>)| met[*g as usize] += a.abs());
        let bare = (0..3 * groups).filter(|i| met[i / 3][i % 3] == 0.0);
        bare.for_each(|i| padding[i / 3][(i % 3, i % 3)] = 1.0);
        let mut interior = Self {
            kept,
            sparse,
            analysis: Analysis::new(&pattern),
            start,
            centre: vec![],
            prices: vec![Vector::<3>::zeros(); groups],
            level: 0.0,
            right: b,
            first,
            entry,
            meets,
            pairs: pairs.len(),
            places,
            padding,
        };
        let start = Start { x: vec![1.0; count], y: interior.prices.clone(), z: vec![1.0; count] };
        let found = interior.iterate(&vec![0.0; count], start, None, &mut interior.desk())?;
        interior.level = (0..count).map(|j| -found.x[j] * interior.dot(j, &found.y)).sum::<f64>() / count as f64;
        (interior.centre, interior.prices) = (found.x, found.y);
        Some(interior)
    }

    /// Where the iterations of one thread are worked out.
    pub fn desk(&self) -> Desk {
        let (groups, count) = (self.right.len(), self.first.len() - 1);
        let (rows, list) = (vec![Vector::<3>::zeros(); groups], vec![0.0; count]);
        let blocks = || vec![Matrix::<3>::zeros(); groups];
        Desk {
            factor: Symmetric::with_analysis(&self.analysis),
            matrix: BlockMatrix::from_triplets(0, &mut []),
            blocks: vec![Matrix::<3>::zeros(); self.pairs],
            diagonal: blocks(),
            nothing: blocks(),
            dense: rows.clone(),
            missing: rows.clone(),
            left: rows.clone(),
            dy: rows.clone(),
            cy: rows,
            theta: list.clone(),
            priced: list.clone(),
            given: list.clone(),
            share: list.clone(),
            dx: list.clone(),
            dz: list.clone(),
            cx: list.clone(),
            cz: list,
        }
    }

    /// Minimises from the centre, where prices large enough make any objective admissible. `None` when the answer
    /// cannot be certified: no bound, or too narrow a set.
    pub fn minimise(&self, cost: &[f64], goal: Goal, desk: &mut Desk) -> Option<Answer> {
        let most = cost.iter().zip(&self.centre).fold(0.0f64, |m, (c, x)| m.max((c * x).abs()));
        let factor = 2.0 * most / self.level;
        let y: Vec<Vector<3>> = self.prices.iter().map(|y| y * factor).collect();
        let mut z = vec![0.0; cost.len()];
        self.reduced(cost, &y, &mut z);
        self.iterate(cost, Start { x: self.centre.clone(), y, z }, Some(goal), desk)
    }

    /// The same from the answers to two objectives of which this one is a combination `α c₁ + β c₂`, α, β ≥ 0: so
    /// combined their prices are admissible, and what is between their points and their bounds is all there is to do.
    /// Ends as soon as nothing goes below `enough`.
    pub fn between(&self, cost: &[f64], [p, q]: [(&Answer, f64); 2], goal: Goal, desk: &mut Desk) -> Option<Answer> {
        let n = self.centre.len();
        // A little of the centre keeps the start away from the bounds.
        let share = 0.5 * (1.0 - BACK);
        let x: Vec<f64> = (0..n).map(|j| share * (p.0.x[j] + q.0.x[j]) + BACK * self.centre[j]).collect();
        let mut y: Vec<Vector<3>> = p.0.y.iter().zip(&q.0.y).map(|(a, b)| a * p.1 + b * q.1).collect();
        let value: f64 = cost.iter().zip(&x).map(|(c, x)| c * x).sum();
        let least: f64 = self.right.iter().zip(&y).map(|(b, y)| b.dot(y)).sum();
        let factor = RAISE * (value - least).max(0.0) / (self.level * n as f64);
        y.iter_mut().zip(&self.prices).for_each(|(y, price)| *y += price * factor);
        let mut z = vec![0.0; n];
        self.reduced(cost, &y, &mut z);
        let mu = x.iter().zip(&z).map(|(x, z)| (x * z).max(0.0)).sum::<f64>() / n as f64;
        let z = x.iter().zip(z).map(|(x, z)| z.max(LEAST * mu / x)).collect();
        self.iterate(cost, Start { x, y, z }, Some(goal), desk)
    }

    /// Without a `goal`: to the centre.
    fn iterate(&self, cost: &[f64], start: Start, goal: Option<Goal>, desk: &mut Desk) -> Option<Answer> {
        let Start { mut x, mut y, mut z } = start;
        let n = x.len() as f64;
        for _ in 0..ITERATIONS {
            self.imbalance(&x, &mut desk.missing);
            self.reduced(cost, &y, &mut desk.priced);
            let least: f64 = self.right.iter().zip(&y).map(|(b, y)| b.dot(y)).sum();
            let value = product(cost, &x);
            let size = x.iter().fold(1.0f64, |m, x| m.max(*x));
            let mu = product(&x, &z) / n;
            let done = match goal {
                Some(goal) => goal.reached(value, least) && desk.priced.iter().all(|d| *d >= 0.0),
                None => x.iter().zip(&desk.priced).all(|(x, d)| (x * d - mu).abs() <= 0.2 * mu),
            };
            if done && largest(&desk.missing) <= BALANCED * size {
                return Some(Answer { x, y, least });
            }
            if !(mu > 1e-16) || !value.is_finite() {
                return None;
            }
            desk.theta.iter_mut().zip(x.iter().zip(&z)).for_each(|(t, (x, z))| *t = x / z);
            self.factorise(desk)?;
            self.step([&x, &z], mu, goal.is_none(), desk);
            self.balance(size, desk);
            let (p, d) = ((SHARE * room(&x, &desk.dx)).min(1.0), (SHARE * room(&z, &desk.dz)).min(1.0));
            x.iter_mut().zip(&desk.dx).for_each(|(x, dx)| *x += p * dx);
            z.iter_mut().zip(&desk.dz).for_each(|(z, dz)| *z += d * dz);
            y.iter_mut().zip(&desk.dy).for_each(|(y, dy)| *y += dy * d);
        }
        None
    }

    /// The step from a point, into the desk: to the centre at this level, or towards the optimum.
    ///
    /// ```text
    ///     A dx = b − A x,   Aᵀ dy + dz = c − Aᵀ y − z,   Z dx + X dz = given − X z
    /// ```
    ///
    /// The prediction gives nothing; the correction, what the prediction leaves of the products and what they aim at.
    /// Of the correction each side takes the share that lets it go farthest \[ColomboGondzio08\].
    fn step(&self, [x, z]: [&[f64]; 2], mu: f64, centre: bool, desk: &mut Desk) {
        let n = x.len();
        for j in 0..n {
            let given = if centre { mu / z[j] } else { 0.0 };
            desk.given[j] = given;
            desk.share[j] = desk.theta[j] * desk.priced[j] - given;
        }
        desk.dy.copy_from_slice(&desk.missing);
        self.gather(&desk.share, 1.0, &mut desk.dy);
        self.solve(&mut desk.factor, (&desk.theta, &desk.dense), &mut desk.dy);
        for j in 0..n {
            let left = desk.priced[j] - self.dot(j, &desk.dy);
            desk.dz[j] = left - z[j];
            desk.dx[j] = desk.given[j] - desk.theta[j] * left;
        }
        if centre {
            return;
        }
        let (p, d) = (room(x, &desk.dx), room(z, &desk.dz));
        let products = (0..n).map(|j| (x[j] + p * desk.dx[j]) * (z[j] + d * desk.dz[j]));
        let after = products.sum::<f64>() / n as f64;
        let target = mu * (after / mu).powi(3).clamp(1e-6, 1.0);
        for j in 0..n {
            desk.given[j] = (target - desk.dx[j] * desk.dz[j]) / z[j];
        }
        desk.cy.fill(Vector::<3>::zeros());
        self.gather(&desk.given, -1.0, &mut desk.cy);
        self.solve(&mut desk.factor, (&desk.theta, &desk.dense), &mut desk.cy);
        for j in 0..n {
            desk.cz[j] = -self.dot(j, &desk.cy);
            desk.cx[j] = desk.given[j] - desk.theta[j] * desk.cz[j];
        }
        let (p, d) = (farthest(x, &desk.dx, &desk.cx), farthest(z, &desk.dz, &desk.cz));
        desk.dx.iter_mut().zip(&desk.cx).for_each(|(a, c)| *a += p * c);
        desk.dz.iter_mut().zip(&desk.cz).for_each(|(a, c)| *a += d * c);
        desk.dy.iter_mut().zip(&desk.cy).for_each(|(a, c)| *a += c * d);
    }

    /// Refines a step in `x` until it balances: the matrix is badly conditioned near the end.
    fn balance(&self, size: f64, desk: &mut Desk) {
        for _ in 0..REFINEMENTS {
            desk.left.copy_from_slice(&desk.missing);
            self.gather(&desk.dx, -1.0, &mut desk.left);
            if largest(&desk.left) <= REFINED * size {
                return;
            }
            self.solve(&mut desk.factor, (&desk.theta, &desk.dense), &mut desk.left);
            for (j, dx) in desk.dx.iter_mut().enumerate() {
                *dx += desk.theta[j] * self.dot(j, &desk.left);
            }
        }
    }

    /// `A Θ Aᵀ`, factorised.
    fn factorise(&self, desk: &mut Desk) -> Option<()> {
        desk.diagonal.copy_from_slice(&self.padding);
        desk.blocks.fill(Matrix::<3>::zeros());
        let mut places = self.places.iter();
        for (j, theta) in desk.theta[..self.sparse].iter().enumerate() {
            let list = self.column(j);
            for (k, (g, a)) in list.iter().enumerate() {
                let scaled = a * *theta;
                desk.diagonal[*g as usize] += scaled * a.transpose();
                for ((_, b), place) in list[k + 1..].iter().zip(&mut places) {
                    desk.blocks[*place as usize] += scaled * b.transpose();
                }
            }
        }
        desk.matrix.clear();
        for (i, d) in desk.diagonal.iter().enumerate() {
            desk.matrix.begin_row(d + Matrix::<3>::from_diagonal(&d.diagonal()) * DIAGONAL);
            for (other, block, turned) in &self.meets[self.start[i]..self.start[i + 1]] {
                let block = &desk.blocks[*block as usize];
                desk.matrix.push(*other, if *turned { block.transpose() } else { *block });
            }
        }
        desk.factor.factorise(&desk.matrix, &desk.nothing).ok()?;
        if self.sparse < desk.theta.len() {
            desk.dense.fill(Vector::<3>::zeros());
            self.column(self.sparse).iter().for_each(|(g, a)| desk.dense[*g as usize] += a);
            desk.factor.solve(&mut desk.dense);
        }
        Some(())
    }

    /// `(A Θ Aᵀ)⁻¹` times a vector; a dense column by the formula of Sherman and Morrison.
    fn solve(&self, factor: &mut Symmetric<3>, (theta, dense): (&[f64], &[Vector<3>]), x: &mut [Vector<3>]) {
        factor.solve(x);
        if let Some(theta) = theta.get(self.sparse) {
            let share = theta * self.dot(self.sparse, x) / (1.0 + theta * self.dot(self.sparse, dense));
            x.iter_mut().zip(dense).for_each(|(x, d)| *x -= d * share);
        }
    }

    /// The place of a variable of the program, where it is not zero all over the set.
    pub fn place(&self, j: usize) -> Option<usize> {
        self.kept.binary_search(&j).ok()
    }

    /// Variables.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// The value of a variable at the centre.
    pub fn centre(&self, j: usize) -> f64 {
        self.place(j).map_or(0.0, |k| self.centre[k])
    }

    fn column(&self, j: usize) -> &[(u32, Vector<3>)] {
        &self.entry[self.first[j]..self.first[j + 1]]
    }

    fn dot(&self, j: usize, y: &[Vector<3>]) -> f64 {
        self.column(j).iter().map(|(g, a)| a.dot(&y[*g as usize])).sum()
    }

    /// `b − A x`.
    fn imbalance(&self, x: &[f64], out: &mut [Vector<3>]) {
        out.copy_from_slice(&self.right);
        self.gather(x, -1.0, out);
    }

    /// Adds `sign A x`.
    fn gather(&self, x: &[f64], sign: f64, out: &mut [Vector<3>]) {
        for (j, x) in x.iter().enumerate() {
            let x = sign * x;
            self.column(j).iter().for_each(|(g, a)| out[*g as usize] += a * x);
        }
    }

    /// `c − Aᵀ y`.
    fn reduced(&self, cost: &[f64], y: &[Vector<3>], out: &mut [f64]) {
        for (j, (out, c)) in out.iter_mut().zip(cost).enumerate() {
            *out = c - self.dot(j, y);
        }
    }
}

/// Where iterations begin.
struct Start {
    x: Vec<f64>,
    y: Vec<Vector<3>>,
    z: Vec<f64>,
}

/// What iterations write on: kept from one question to the next.
pub(crate) struct Desk {
    factor: Symmetric<3>,
    matrix: BlockMatrix<3>,
    blocks: Vec<Matrix<3>>,
    diagonal: Vec<Matrix<3>>,
    nothing: Vec<Matrix<3>>,
    /// What the factors make of a dense column.
    dense: Vec<Vector<3>>,
    /// `b − A x`, and what a step leaves of it.
    missing: Vec<Vector<3>>,
    left: Vec<Vector<3>>,
    /// The step, and its correction.
    dy: Vec<Vector<3>>,
    cy: Vec<Vector<3>>,
    dx: Vec<f64>,
    dz: Vec<f64>,
    cx: Vec<f64>,
    cz: Vec<f64>,
    /// `x / z` and `c − Aᵀ y`.
    theta: Vec<f64>,
    priced: Vec<f64>,
    /// What is given of the products, over `z`; what enters the right-hand side.
    given: Vec<f64>,
    share: Vec<f64>,
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn largest(v: &[Vector<3>]) -> f64 {
    v.iter().fold(0.0f64, |m, r| m.max(r.amax()))
}

/// Share of a step that meets the first bound, at most just above 1.
fn room(x: &[f64], step: &[f64]) -> f64 {
    let rooms = x.iter().zip(step).filter(|e| *e.1 < 0.0).map(|(x, d)| -x / d);
    rooms.fold(1.0 / SHARE, f64::min)
}

/// The share of a correction with which a step can go farthest.
fn farthest(x: &[f64], step: &[f64], correction: &[f64]) -> f64 {
    let mut steepest = [SHARE; SHARES];
    for ((x, a), c) in x.iter().zip(step).zip(correction) {
        let inverse = -1.0 / x;
        let (a, c) = (a * inverse, c * inverse / SHARES as f64);
        for (k, s) in steepest.iter_mut().enumerate() {
            *s = s.max(a + (k + 1) as f64 * c);
        }
    }
    let best = (0..SHARES).rev().min_by(|a, b| steepest[*a].total_cmp(&steepest[*b])).unwrap_or(SHARES - 1);
    (best + 1) as f64 / SHARES as f64
}
