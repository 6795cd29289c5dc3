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
/// Added to the diagonal, relative to its largest entry: equations may be dependent.
const DIAGONAL: f64 = 1e-13;

/// What a refined solution leaves, relative to the right-hand side. Enough for a step; what it
/// leaves in the balance is in the next right-hand side.
const REFINED: f64 = 1e-10;
/// Most refinements of one solution.
const REFINEMENTS: usize = 3;

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
    /// A bound that is good enough, wherever the point is.
    pub enough: f64,
}

/// The set, and a point far from its bounds.
pub(crate) struct Interior {
    /// Columns of `A` by groups of three equations: column `j` is `entry[first[j] .. first[j + 1]]`.
    first: Vec<usize>,
    entry: Vec<(u32, Vector<3>)>,
    right: Vec<Vector<3>>,
    /// Groups met by group `i`: `meets[start[i] .. start[i + 1]]`.
    start: Vec<usize>,
    meets: Vec<u32>,
    /// Places in `meets` of the pairs of groups of each column, one column after the other.
    places: Vec<u32>,
    /// Equations that fill up the last group.
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
    pub x: Vec<f64>,
    y: Vec<Vector<3>>,
    pub least: f64,
}

impl Interior {
    /// `None` when no point far from the bounds is found.
    pub fn new(columns: &Columns, count: usize, right: &[f64]) -> Option<Self> {
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
            out
        };
        let column: Vec<_> = (0..count).map(|j| gather(columns.column(j))).collect();
        let mut pairs: Vec<(u32, u32)> = vec![];
        for list in &column {
            for a in list {
                pairs.extend(list.iter().filter(|b| b.0 != a.0).map(|b| (a.0, b.0)));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let start = (0..=groups).map(|g| pairs.partition_point(|p| (p.0 as usize) < g)).collect();
        let meets = pairs.iter().map(|p| p.1).collect();
        let place = |a: u32, b: u32| pairs.partition_point(|p| *p < (a, b)) as u32;
        let places = column.iter().map(|list| {
            let others = |a: u32| list.iter().map(|e| e.0).filter(move |b| *b != a);
            list.iter().flat_map(|a| others(a.0).map(|b| place(a.0, b))).collect::<Vec<_>>()
        });
        let places = places.flatten().collect();
        let mut first = vec![0];
        let mut entry = vec![];
        for list in column {
            entry.extend(list);
            first.push(entry.len());
        }
        let mut triplets: Vec<_> = pairs.into_iter().map(|(a, b)| (a, b, Matrix::<3>::zeros())).collect();
        let pattern = BlockMatrix::from_triplets(groups, &mut triplets);
        let mut padding = vec![Matrix::<3>::zeros(); groups];
        let mut b = vec![Vector::<3>::zeros(); groups];
        right.iter().enumerate().for_each(|(i, x)| b[i / 3][i % 3] = *x);
        (right.len()..3 * groups).for_each(|i| padding[i / 3][(i % 3, i % 3)] = 1.0);
        let mut interior = Self {
            analysis: Analysis::new(&pattern),
            start,
            centre: vec![],
            prices: vec![Vector::<3>::zeros(); groups],
            level: 0.0,
            right: b,
            first,
            entry,
            meets,
            places,
            padding,
        };
        let found =
            interior.iterate(&vec![0.0; count], (vec![1.0; count], vec![1.0; count]), interior.prices.clone(), None)?;
        interior.level = (0..count).map(|j| -found.x[j] * interior.dot(j, &found.y)).sum::<f64>() / count as f64;
        (interior.centre, interior.prices) = (found.x, found.y);
        Some(interior)
    }

    /// Minimises to within `gap` from the centre, where prices large enough make any objective
    /// admissible. `None` when the answer cannot be certified: no bound, or too narrow a set.
    pub fn minimise(&self, cost: &[f64], gap: f64) -> Option<Answer> {
        let most = cost.iter().zip(&self.centre).fold(0.0f64, |m, (c, x)| m.max((c * x).abs()));
        let factor = 2.0 * most / self.level;
        let y: Vec<Vector<3>> = self.prices.iter().map(|y| y * factor).collect();
        let z = cost.iter().enumerate().map(|(j, c)| c - self.dot(j, &y)).collect();
        self.iterate(cost, (self.centre.clone(), z), y, Some(Goal { gap, enough: f64::INFINITY }))
    }

    /// The same from the answers to two objectives of which this one is a combination `α c₁ + β c₂`, α, β ≥ 0: so
    /// combined their prices are admissible, and what is between their points and their bounds is all there is to do.
    /// Ends as soon as nothing goes below `enough`.
    pub fn between(&self, cost: &[f64], [p, q]: [(&Answer, f64); 2], goal: Goal) -> Option<Answer> {
        let n = self.centre.len();
        // A little of the centre keeps the start away from the bounds.
        let share = 0.5 * (1.0 - BACK);
        let x: Vec<f64> = (0..n).map(|j| share * (p.0.x[j] + q.0.x[j]) + BACK * self.centre[j]).collect();
        let mut y: Vec<Vector<3>> = p.0.y.iter().zip(&q.0.y).map(|(a, b)| a * p.1 + b * q.1).collect();
        let value: f64 = cost.iter().zip(&x).map(|(c, x)| c * x).sum();
        let least: f64 = self.right.iter().zip(&y).map(|(b, y)| b.dot(y)).sum();
        let factor = RAISE * (value - least).max(0.0) / (self.level * n as f64);
        y.iter_mut().zip(&self.prices).for_each(|(y, price)| *y += price * factor);
        let z: Vec<f64> = (0..n).map(|j| cost[j] - self.dot(j, &y)).collect();
        let mu = x.iter().zip(&z).map(|(x, z)| (x * z).max(0.0)).sum::<f64>() / n as f64;
        let z = x.iter().zip(z).map(|(x, z)| z.max(LEAST * mu / x)).collect();
        self.iterate(cost, (x, z), y, Some(goal))
    }

    /// Without a `gap`: to the centre.
    fn iterate(
        &self,
        cost: &[f64],
        (mut x, mut z): (Vec<f64>, Vec<f64>),
        mut y: Vec<Vector<3>>,
        goal: Option<Goal>,
    ) -> Option<Answer> {
        let n = x.len();
        let mut factor = Symmetric::<3>::with_analysis(&self.analysis);
        let mut blocks = vec![Matrix::<3>::zeros(); self.meets.len()];
        let mut diagonal = vec![Matrix::<3>::zeros(); self.right.len()];
        let mut matrix = BlockMatrix::<3>::from_triplets(0, &mut []);
        for _ in 0..ITERATIONS {
            let missing = self.imbalance(&x);
            let priced: Vec<f64> = (0..n).map(|j| cost[j] - self.dot(j, &y)).collect();
            let least: f64 = self.right.iter().zip(&y).map(|(b, y)| b.dot(y)).sum();
            let value: f64 = cost.iter().zip(&x).map(|(c, x)| c * x).sum();
            let worst = missing.iter().fold(0.0f64, |w, r| w.max(r.amax()));
            let size = x.iter().fold(1.0f64, |m, x| m.max(*x));
            let mu = x.iter().zip(&z).map(|(x, z)| x * z).sum::<f64>() / n as f64;
            let near = |j: usize| (x[j] * priced[j] - mu).abs() <= 0.2 * mu;
            let done = match goal {
                Some(goal) => (value - least <= goal.gap || least >= goal.enough) && priced.iter().all(|d| *d >= 0.0),
                None => (0..n).all(near),
            };
            if worst <= BALANCED * size && done {
                return Some(Answer { x, y, least });
            }
            if !(mu > 1e-16) || !value.is_finite() {
                return None;
            }
            self.assemble([&x, &z], &mut matrix, &mut blocks, &mut diagonal);
            let largest = diagonal.iter().fold(0.0f64, |m, d| m.max(d.amax()));
            let add: Vec<_> = self.padding.iter().map(|p| p + Matrix::<3>::identity() * (DIAGONAL * largest)).collect();
            factor.factorise(&matrix, &add).ok()?;
            let apart: Vec<f64> = priced.iter().zip(&z).map(|(d, z)| d - z).collect();
            let mut solve = |product: &dyn Fn(usize) -> f64, refinements: usize| {
                let mut dy = missing.clone();
                for j in 0..n {
                    let s = (x[j] * apart[j] - product(j)) / z[j];
                    self.column(j).iter().for_each(|(g, a)| dy[*g as usize] += a * s);
                }
                let right = dy.clone();
                factor.solve(&mut dy);
                // Again with what is left: the matrix is badly conditioned near the end.
                for _ in 0..refinements {
                    let product = |i: usize| matrix.row_times(i, &dy, (self.padding[i] + matrix.diagonal(i)) * dy[i]);
                    let mut left: Vec<Vector<3>> = right.iter().enumerate().map(|(i, r)| r - product(i)).collect();
                    let size = |v: &[Vector<3>]| v.iter().fold(0.0f64, |m, r| m.max(r.amax()));
                    if size(&left) <= REFINED * size(&right) {
                        break;
                    }
                    factor.solve(&mut left);
                    dy.iter_mut().zip(&left).for_each(|(y, d)| *y += d);
                }
                let dz: Vec<f64> = (0..n).map(|j| apart[j] - self.dot(j, &dy)).collect();
                let dx: Vec<f64> = (0..n).map(|j| (product(j) - x[j] * dz[j]) / z[j]).collect();
                (dx, dy, dz)
            };
            let (dx, dy, dz) = if goal.is_none() {
                solve(&|j| mu - x[j] * z[j], REFINEMENTS)
            } else {
                // The prediction only tells how far to aim.
                let (ax, _, az) = solve(&|j| -x[j] * z[j], 0);
                let (p, d) = (room(&x, &ax), room(&z, &az));
                let after: f64 = (0..n).map(|j| (x[j] + p * ax[j]) * (z[j] + d * az[j])).sum::<f64>() / n as f64;
                let target = mu * (after / mu).powi(3).clamp(1e-6, 1.0);
                solve(&|j| target - x[j] * z[j] - ax[j] * az[j], REFINEMENTS)
            };
            let (p, d) = ((SHARE * room(&x, &dx)).min(1.0), (SHARE * room(&z, &dz)).min(1.0));
            x.iter_mut().zip(&dx).for_each(|(x, dx)| *x += p * dx);
            z.iter_mut().zip(&dz).for_each(|(z, dz)| *z += d * dz);
            y.iter_mut().zip(&dy).for_each(|(y, dy)| *y += dy * d);
        }
        None
    }

    /// `A Θ Aᵀ` with `Θ = X Z⁻¹`.
    fn assemble(
        &self,
        [x, z]: [&[f64]; 2],
        matrix: &mut BlockMatrix<3>,
        blocks: &mut [Matrix<3>],
        diagonal: &mut [Matrix<3>],
    ) {
        diagonal.fill(Matrix::<3>::zeros());
        blocks.fill(Matrix::<3>::zeros());
        let mut places = self.places.iter();
        for (j, (x, z)) in x.iter().zip(z).enumerate() {
            let list = self.column(j);
            for (g, a) in list {
                let scaled = a * (x / z);
                for (h, b) in list {
                    let product = scaled * b.transpose();
                    if g == h {
                        diagonal[*g as usize] += product;
                    } else if let Some(place) = places.next() {
                        blocks[*place as usize] += product;
                    }
                }
            }
        }
        matrix.clear();
        for (i, d) in diagonal.iter().enumerate() {
            matrix.begin_row(*d);
            (self.start[i]..self.start[i + 1]).for_each(|k| matrix.push(self.meets[k], blocks[k]));
        }
    }

    /// The value of variable `j` at the centre.
    pub fn centre(&self, j: usize) -> f64 {
        self.centre[j]
    }

    fn column(&self, j: usize) -> &[(u32, Vector<3>)] {
        &self.entry[self.first[j]..self.first[j + 1]]
    }

    fn dot(&self, j: usize, y: &[Vector<3>]) -> f64 {
        self.column(j).iter().map(|(g, a)| a.dot(&y[*g as usize])).sum()
    }

    /// `b − A x`.
    fn imbalance(&self, x: &[f64]) -> Vec<Vector<3>> {
        let mut out = self.right.clone();
        for (j, x) in x.iter().enumerate() {
            self.column(j).iter().for_each(|(g, a)| out[*g as usize] -= a * *x);
        }
        out
    }
}

/// Share of a step that meets the first bound, at most just above 1.
fn room(x: &[f64], step: &[f64]) -> f64 {
    let rooms = x.iter().zip(step).filter(|e| *e.1 < 0.0).map(|(x, d)| -x / d);
    rooms.fold(1.0 / SHARE, f64::min)
}
