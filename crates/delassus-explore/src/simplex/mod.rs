//! Revised simplex on bounded variables, made for many objectives on one set
//!
//! ```text
//!     maximise c·x   subject to   A x = b,   l ≤ x ≤ u
//! ```
//!
//! A new objective starts from the vertex the last one ended at, which stays admissible: a few
//! pivots lead to the next. Rows have a unit column each, held at zero, so that dependent
//! equations do no harm and every set has a first basis. Feasibility is sought by descending
//! the sum of violations from any basis. Reduced costs are kept and changed by the row of each
//! pivot, with reference weights \[Harris73\]; an end is believed with fresh ones only. Bounds are loosened by a billionth, each by another
//! amount, against degenerate vertices; answers are those of the bounds as given, in the basis
//! found. \[Dantzig63\], with the ratio test of \[Harris73\] and
//! \[Bland77\]'s rule where steps stay at zero.

mod columns;
mod elimination;
mod factor;
mod prices;
mod shadow;
mod step;
mod support;

pub(crate) use columns::Columns;
use factor::Factor;
pub(crate) use shadow::Turned;
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
    /// Places where `w` is not zero.
    moving: Vec<u32>,
    /// The equations without their unit columns, and one row of `B⁻¹ A` with its columns.
    rows: Arc<Columns>,
    row: Vec<f64>,
    touched: Vec<u32>,
    /// Reduced costs of up to two objectives, and weights of the choice among them.
    reduced: [Vec<f64>; 2],
    weight: Vec<f64>,
    pub pivots: usize,
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
            rows: Arc::new(columns.by_rows(n)),
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
            moving: vec![],
            row: vec![0.0; n],
            touched: vec![],
            reduced: [vec![], vec![]],
            weight: vec![1.0; n],
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

    /// The equations: columns, those of the variables first, and the right-hand side.
    pub fn equations(&self) -> (&Columns, &[f64]) {
        (&self.columns, &self.right)
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
        self.settle();
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
            if self.search() == End::Trouble {
                return Found::Trouble;
            }
        }
        Found::Empty
    }

    /// Maximises over the set from the present vertex.
    pub fn maximise(&mut self, cost: &[(usize, f64)]) -> End {
        self.set_cost(cost);
        // Again from a fresh factorisation where round-off grew.
        for _ in 0..4 {
            let end = self.ascend();
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
                    copy.bring(j);
                    let pivot = copy.w[place];
                    let kept = copy.factor.replace(place, pivot);
                    copy.basis[place] = j as u32;
                    copy.at[j] = At::Basis;
                    if !kept || copy.factor.is_worn() {
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
