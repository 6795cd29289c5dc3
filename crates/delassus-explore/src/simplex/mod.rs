//! Revised simplex on bounded variables, made for many objectives on one set
//!
//! ```text
//!     maximise c·x   subject to   A x = b,   l ≤ x ≤ u
//! ```
//!
//! A new objective starts from the vertex the last one ended at, which stays admissible: a few
//! pivots lead to the next. Rows have a unit column each, held at zero, so that dependent
//! equations do no harm and every set has a first basis. Feasibility is sought by descending
//! the sum of violations from any basis. Bounds are loosened by a billionth, each by another
//! amount, against degenerate vertices; answers are those of the bounds as given, in the basis
//! found. \[Dantzig63\], with the ratio test of \[Harris73\] and
//! \[Bland77\]'s rule where steps stay at zero.

mod columns;
mod factor;

pub(crate) use columns::Columns;
use factor::Factor;
use std::sync::Arc;

/// Violation of bounds and of optimality that counts as none; data are scaled to 1.
pub(crate) const FEASIBLE: f64 = 1e-10;
const OPTIMAL: f64 = 1e-9;
/// Least pivot.
const PIVOT: f64 = 1e-8;
/// Bounds are loosened by this much and up to twice as much, each by another amount: at a vertex
/// held by more bounds than needed steps would have no length, thousands of times over.
const LOOSE: f64 = 1e-9;
/// Steps shorter than this do not count as progress.
const STEP: f64 = 1e-12;

/// Where a variable stands.
#[derive(Clone, Copy, Debug, PartialEq)]
enum At {
    Basis,
    Lower,
    Upper,
    /// Without bounds, at zero.
    Zero,
}

/// How a maximisation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Optimal,
    Unbounded,
    /// Round-off or the limit on pivots.
    Trouble,
}

/// What a search for a vertex found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Vertex,
    /// The least sum of violations is not zero.
    Empty,
    Trouble,
}

/// The set, and a vertex of it.
#[derive(Clone, Debug)]
pub(crate) struct Simplex {
    columns: Arc<Columns>,
    right: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    at: Vec<At>,
    x: Vec<f64>,
    basis: Vec<u32>,
    cost: Vec<f64>,
    costly: Vec<u32>,
    /// The bounds as given, and the values with the present basis and these bounds.
    given: [Vec<f64>; 2],
    exact: Vec<f64>,
    factor: Factor,
    y: Vec<f64>,
    w: Vec<f64>,
    pub pivots: usize,
}

enum Step {
    /// The entering variable goes to its other bound.
    Flip(f64),
    /// The variable at this place leaves, to its upper bound or not.
    Pivot {
        place: usize,
        length: f64,
        to_upper: bool,
    },
    None,
}

impl Simplex {
    /// `columns` without the unit columns, which are added; bounds are of their number.
    pub fn new(mut columns: Columns, right: Vec<f64>, mut lower: Vec<f64>, mut upper: Vec<f64>) -> Self {
        let (m, n) = (columns.rows, columns.len());
        for i in 0..m {
            columns.push(&[(i as u32, 1.0)]);
        }
        lower.resize(n + m, 0.0);
        upper.resize(n + m, 0.0);
        let mut simplex = Self {
            columns: Arc::new(columns),
            right,
            at: vec![At::Lower; n + m],
            x: vec![0.0; n + m],
            basis: (n as u32..(n + m) as u32).collect(),
            cost: vec![0.0; n + m],
            costly: vec![],
            given: [lower.clone(), upper.clone()],
            exact: vec![0.0; n + m],
            factor: Factor::default(),
            y: vec![0.0; m],
            w: vec![0.0; m],
            pivots: 0,
            lower,
            upper,
        };
        for j in 0..n {
            let lot = (j as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
            let loose = LOOSE * (1.0 + lot as f64 / (1u64 << 24) as f64);
            simplex.lower[j] -= loose;
            simplex.upper[j] += loose;
            simplex.put_aside(j);
        }
        for i in n..n + m {
            simplex.at[i] = At::Basis;
        }
        simplex
    }

    /// Values of the variables at the vertex found, with the bounds as given.
    pub fn solution(&self) -> &[f64] {
        &self.exact
    }

    /// The vertex of the present basis, with the bounds as given.
    fn settle(&mut self) {
        self.w.copy_from_slice(&self.right);
        for j in 0..self.columns.len() {
            let value = match self.at[j] {
                At::Lower => self.given[0][j],
                At::Upper => self.given[1][j],
                _ => 0.0,
            };
            self.exact[j] = value;
            if value != 0.0 {
                for &(r, a) in self.columns.column(j) {
                    self.w[r as usize] -= a * value;
                }
            }
        }
        self.factor.solve(&mut self.w);
        for (place, &j) in self.basis.iter().enumerate() {
            self.exact[j as usize] = self.w[place];
        }
    }

    /// Out of the basis, at the nearest bound.
    fn put_aside(&mut self, j: usize) {
        (self.at[j], self.x[j]) = match (self.lower[j].is_finite(), self.upper[j].is_finite()) {
            (true, _) => (At::Lower, self.lower[j]),
            (false, true) => (At::Upper, self.upper[j]),
            _ => (At::Zero, 0.0),
        };
    }

    /// Factorises, mends a singular basis, computes the basic variables.
    fn refresh(&mut self) {
        let n = self.columns.len() - self.columns.rows;
        // Each round replaces every defect by a unit column: the second finds none.
        for _ in 0..3 {
            let defects = self.factor.build(&self.columns, &self.basis);
            if defects.is_empty() {
                break;
            }
            for (place, row) in defects {
                self.put_aside(self.basis[place] as usize);
                self.basis[place] = (n + row) as u32;
                self.at[n + row] = At::Basis;
            }
        }
        self.w.copy_from_slice(&self.right);
        for j in 0..self.columns.len() {
            if self.at[j] != At::Basis && self.x[j] != 0.0 {
                for &(r, a) in self.columns.column(j) {
                    self.w[r as usize] -= a * self.x[j];
                }
            }
        }
        self.factor.solve(&mut self.w);
        for (place, &j) in self.basis.iter().enumerate() {
            self.x[j as usize] = self.w[place];
        }
    }

    /// Largest violation of a bound.
    pub fn violation(&self) -> f64 {
        let beyond = |j: usize| (self.lower[j] - self.x[j]).max(self.x[j] - self.upper[j]);
        self.basis.iter().map(|j| beyond(*j as usize)).fold(0.0, f64::max)
    }

    /// Finds a vertex of the set, or proves that there is none.
    pub fn find(&mut self) -> Found {
        // Again after each factorisation: violations may be round-off of the updates.
        for _ in 0..5 {
            self.refresh();
            if self.violation() <= FEASIBLE {
                self.settle();
                return Found::Vertex;
            }
            if self.descend(true) == End::Trouble {
                return Found::Trouble;
            }
        }
        Found::Empty
    }

    /// Maximises over the set from the present vertex.
    pub fn maximise(&mut self, cost: &[(usize, f64)]) -> End {
        for j in self.costly.drain(..) {
            self.cost[j as usize] = 0.0;
        }
        for &(j, c) in cost {
            self.cost[j] = -c;
            self.costly.push(j as u32);
        }
        // Again from a fresh factorisation where round-off grew.
        for _ in 0..4 {
            let end = self.descend(false);
            if end == End::Unbounded || (end == End::Optimal && self.violation() <= 10.0 * FEASIBLE) {
                self.settle();
                return end;
            }
            if self.find() != Found::Vertex {
                return End::Trouble;
            }
        }
        End::Trouble
    }

    /// How far the direction of the objective can turn from `cost` towards `side`, a right angle
    /// ahead, before the present vertex stops being the best: an angle up to π/2.
    pub fn turn(&mut self, cost: &[(usize, f64)], side: &[(usize, f64)]) -> f64 {
        let mut prices = [vec![], vec![]];
        let mut own = [vec![0.0; self.columns.len()], vec![0.0; self.columns.len()]];
        for (k, list) in [cost, side].into_iter().enumerate() {
            list.iter().for_each(|(j, c)| own[k][*j] = -c);
            self.y.iter_mut().zip(&self.basis).for_each(|(y, j)| *y = own[k][*j as usize]);
            self.factor.solve_transposed(&mut self.y);
            prices[k].clone_from(&self.y);
        }
        let mut angle = std::f64::consts::FRAC_PI_2;
        for j in 0..self.columns.len() {
            if self.at[j] == At::Basis || self.lower[j] == self.upper[j] {
                continue;
            }
            let sign = if self.at[j] == At::Upper { -1.0 } else { 1.0 };
            let (mut d, mut e) = (own[0][j], own[1][j]);
            for &(r, a) in self.columns.column(j) {
                d -= prices[0][r as usize] * a;
                e -= prices[1][r as usize] * a;
            }
            (d, e) = (sign * d, sign * e);
            if e < -OPTIMAL {
                angle = angle.min(d.max(0.0).atan2(-e));
            }
        }
        angle
    }

    /// `B⁻ᵀ c_B`, the prices of the rows; false when no violation is left to descend.
    fn price_rows(&mut self, search: bool) -> bool {
        let mut any = !search;
        for (place, &j) in self.basis.iter().enumerate() {
            let j = j as usize;
            self.y[place] = if !search {
                self.cost[j]
            } else if self.x[j] < self.lower[j] - FEASIBLE {
                any = true;
                -1.0
            } else if self.x[j] > self.upper[j] + FEASIBLE {
                any = true;
                1.0
            } else {
                0.0
            };
        }
        if any {
            self.factor.solve_transposed(&mut self.y);
        }
        any
    }

    /// The variable to bring in and the sense in which it moves.
    fn entering(&self, search: bool, first: bool) -> Option<(usize, f64)> {
        let mut best = (OPTIMAL, None);
        for j in 0..self.columns.len() {
            if self.at[j] == At::Basis || self.lower[j] == self.upper[j] {
                continue;
            }
            let mut d = if search { 0.0 } else { self.cost[j] };
            for &(r, a) in self.columns.column(j) {
                d -= self.y[r as usize] * a;
            }
            let gain = match self.at[j] {
                At::Lower => -d,
                At::Upper => d,
                _ => d.abs(),
            };
            if gain > best.0 {
                best = (gain, Some((j, if d < 0.0 { 1.0 } else { -1.0 })));
                if first {
                    break;
                }
            }
        }
        best.1
    }

    /// Room of a basic variable that changes at `rate`, and whether it ends at its upper bound.
    #[inline]
    fn room(&self, j: usize, rate: f64, search: bool) -> Option<(f64, bool)> {
        let (x, l, u) = (self.x[j], self.lower[j], self.upper[j]);
        if rate < 0.0 {
            if search && x > u + FEASIBLE {
                return Some((x - u, true));
            }
            if search && x < l - FEASIBLE {
                return None;
            }
            l.is_finite().then_some((x - l, false))
        } else {
            if search && x < l - FEASIBLE {
                return Some((l - x, false));
            }
            if search && x > u + FEASIBLE {
                return None;
            }
            u.is_finite().then_some((u - x, true))
        }
    }

    /// Harris' ratio test: among the places that block within the tolerance, the largest pivot.
    fn blocking(&self, q: usize, sense: f64, search: bool) -> Step {
        let mut limit = f64::INFINITY;
        for (place, &j) in self.basis.iter().enumerate() {
            let rate = -sense * self.w[place];
            if rate.abs() > PIVOT
                && let Some((room, _)) = self.room(j as usize, rate, search)
            {
                limit = limit.min((room.max(0.0) + FEASIBLE) / rate.abs());
            }
        }
        let own = self.upper[q] - self.lower[q];
        if own.is_finite() && own <= limit {
            return Step::Flip(own);
        }
        let mut best: Option<(usize, f64, bool)> = None;
        let mut size = 0.0;
        for (place, &j) in self.basis.iter().enumerate() {
            let rate = -sense * self.w[place];
            if rate.abs() > PIVOT.max(size)
                && let Some((room, to_upper)) = self.room(j as usize, rate, search)
                && room.max(0.0) / rate.abs() <= limit
            {
                size = rate.abs();
                best = Some((place, room.max(0.0) / rate.abs(), to_upper));
            }
        }
        match best {
            Some((place, length, to_upper)) => Step::Pivot { place, length, to_upper },
            None => Step::None,
        }
    }

    fn descend(&mut self, search: bool) -> End {
        let (m, n) = (self.columns.rows, self.columns.len());
        let limit = 2000 + 20 * (m + n);
        let mut still = 0;
        for _ in 0..limit {
            if self.factor.is_worn() {
                self.refresh();
            }
            if !self.price_rows(search) {
                return End::Optimal;
            }
            let Some((q, sense)) = self.entering(search, still > 100 + m) else { return End::Optimal };
            self.w.fill(0.0);
            for &(r, a) in self.columns.column(q) {
                self.w[r as usize] = a;
            }
            self.factor.solve(&mut self.w);
            let step = self.blocking(q, sense, search);
            let length = match step {
                // Violations could only be removed by percussions 1e8 times the loads: by none.
                Step::None => return if search { End::Optimal } else { End::Unbounded },
                Step::Flip(length) | Step::Pivot { length, .. } => length,
            };
            still = if length > STEP { 0 } else { still + 1 };
            self.take(q, sense, length, step);
            self.pivots += 1;
        }
        End::Trouble
    }

    fn take(&mut self, q: usize, sense: f64, length: f64, step: Step) {
        for (place, &j) in self.basis.iter().enumerate() {
            self.x[j as usize] -= sense * length * self.w[place];
        }
        self.x[q] += sense * length;
        match step {
            Step::Pivot { place, to_upper, .. } => {
                let out = self.basis[place] as usize;
                (self.at[out], self.x[out]) =
                    if to_upper { (At::Upper, self.upper[out]) } else { (At::Lower, self.lower[out]) };
                self.basis[place] = q as u32;
                self.at[q] = At::Basis;
                self.factor.replace(place, &self.w);
            }
            _ => {
                (self.at[q], self.x[q]) =
                    if self.at[q] == At::Lower { (At::Upper, self.upper[q]) } else { (At::Lower, self.lower[q]) };
            }
        }
    }

    /// Rank of the equations: unit columns that no other column can replace are dependent rows.
    pub fn rank(&self) -> usize {
        let mut copy = self.clone();
        let (m, n) = (copy.columns.rows, copy.columns.len() - copy.columns.rows);
        copy.refresh();
        let mut dependent = 0;
        for place in 0..m {
            if (copy.basis[place] as usize) < n {
                continue;
            }
            copy.y.fill(0.0);
            copy.y[place] = 1.0;
            copy.factor.solve_transposed(&mut copy.y);
            let row = |j: usize| copy.columns.column(j).iter().map(|&(r, a)| copy.y[r as usize] * a).sum::<f64>().abs();
            let found = (0..n).filter(|j| copy.at[*j] != At::Basis).map(|j| (j, row(j)));
            match found.fold((0, 1e-7), |best, f| if f.1 > best.1 { f } else { best }) {
                (_, size) if size <= 1e-7 => dependent += 1,
                (j, _) => {
                    copy.w.fill(0.0);
                    for &(r, a) in copy.columns.column(j) {
                        copy.w[r as usize] = a;
                    }
                    copy.factor.solve(&mut copy.w);
                    copy.factor.replace(place, &copy.w);
                    copy.basis[place] = j as u32;
                    copy.at[j] = At::Basis;
                    if copy.factor.is_worn() {
                        copy.factor.build(&copy.columns, &copy.basis);
                    }
                }
            }
        }
        m - dependent
    }
}

#[cfg(test)]
mod tests;
