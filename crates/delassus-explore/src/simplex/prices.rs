//! Reduced costs, and the choice by them.

use super::step::Step;
use super::{At, End, FEASIBLE, OPTIMAL, STEP, Simplex};

/// Disagreement of the row and the column of a pivot that asks for new factors.
const DISAGREE: f64 = 1e-7;

impl Simplex {
    /// `B⁻ᵀ c_B`, the prices of the rows; false when no violation is left to descend.
    pub(super) fn price_rows(&mut self, search: bool) -> bool {
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

    /// The prices of the rows at the present vertex, for the last objective.
    pub fn prices(&mut self) -> &[f64] {
        self.refresh();
        self.price_rows(false);
        &self.y
    }

    /// Reduced costs of the objective, or of the sum of violations, from the prices `y`.
    fn reduce(&mut self, k: usize, search: bool) {
        let n = self.row.len();
        let mut reduced = std::mem::take(&mut self.reduced[k]);
        reduced.clear();
        reduced.extend((0..n).map(|j| {
            let own = if search { 0.0 } else { self.cost[j] };
            self.columns.column(j).iter().fold(own, |d, &(r, a)| d - self.y[r as usize] * a)
        }));
        self.reduced[k] = reduced;
    }

    /// Fresh reduced costs of an objective.
    pub(super) fn price(&mut self, k: usize, cost: &[(usize, f64)]) {
        self.set_cost(cost);
        self.price_rows(false);
        self.reduce(k, false);
    }

    pub(super) fn set_cost(&mut self, cost: &[(usize, f64)]) {
        for j in self.costly.drain(..) {
            self.cost[j as usize] = 0.0;
        }
        for &(j, c) in cost {
            self.cost[j] = -c;
            self.costly.push(j as u32);
        }
    }

    /// The variable to bring in and the sense in which it moves: of largest gain by its weight, or
    /// the first of any.
    fn entering(&self, first: bool) -> Option<(usize, f64)> {
        let mut best = (0.0, None);
        for (j, &d) in self.reduced[0].iter().enumerate() {
            let gain = match self.at[j] {
                At::Basis => continue,
                At::Lower => -d,
                At::Upper => d,
                At::Zero => d.abs(),
            };
            if gain > OPTIMAL && gain * gain > best.0 * self.weight[j] && self.lower[j] != self.upper[j] {
                best = (gain * gain / self.weight[j], Some((j, if d < 0.0 { 1.0 } else { -1.0 })));
                if first {
                    break;
                }
            }
        }
        best.1
    }

    /// Row `place` of `B⁻¹ A`; false when it does not agree with the column at hand.
    pub(super) fn cross(&mut self, place: usize, q: usize) -> bool {
        for j in self.touched.drain(..) {
            self.row[j as usize] = 0.0;
        }
        self.y.fill(0.0);
        self.y[place] = 1.0;
        self.factor.solve_transposed(&mut self.y);
        for (r, &y) in self.y.iter().enumerate() {
            if y.abs() > 1e-14 {
                for &(j, a) in self.rows.column(r) {
                    let entry = &mut self.row[j as usize];
                    if *entry == 0.0 {
                        self.touched.push(j);
                    }
                    *entry += y * a;
                    if *entry == 0.0 {
                        // Not to be listed again.
                        *entry = f64::MIN_POSITIVE;
                    }
                }
            }
        }
        (self.row[q] - self.w[place]).abs() <= DISAGREE * (1.0 + self.w[place].abs())
    }

    /// Reduced costs `k` after `q` replaces `out`, by the row at hand.
    pub(super) fn change(&mut self, k: usize, q: usize, out: usize, pivot: f64) {
        let ratio = self.reduced[k][q] / pivot;
        if ratio != 0.0 {
            for &j in &self.touched {
                self.reduced[k][j as usize] -= ratio * self.row[j as usize];
            }
        }
        if out < self.row.len() {
            self.reduced[k][out] = -ratio;
        }
        self.reduced[k][q] = 0.0;
    }

    /// Weights after `q` replaces `out`.
    fn weigh(&mut self, q: usize, out: usize, pivot: f64) {
        let own = self.weight[q];
        for &j in &self.touched {
            let share = self.row[j as usize] / pivot;
            let weight = &mut self.weight[j as usize];
            *weight = weight.max(share * share * own);
        }
        if out < self.row.len() {
            self.weight[out] = (own / (pivot * pivot)).max(1.0);
        }
    }

    /// Descends the sum of violations.
    pub(super) fn search(&mut self) -> End {
        let (m, n) = (self.columns.rows, self.columns.len());
        let mut still = 0;
        self.weight.fill(1.0);
        for _ in 0..2000 + 20 * (m + n) {
            if self.factor.is_worn() {
                self.refresh();
            }
            if !self.price_rows(true) {
                return End::Optimal;
            }
            self.reduce(0, true);
            let Some((q, sense)) = self.entering(still > 100 + m) else { return End::Optimal };
            self.bring(q);
            let step = self.blocking(q, sense, true);
            // Violations could only be removed by percussions 1e8 times the loads: by none.
            let Some(length) = step.length() else { return End::Optimal };
            still = if length > STEP { 0 } else { still + 1 };
            self.take(q, sense, length, step);
            self.pivots += 1;
        }
        End::Trouble
    }

    /// Descends the cost from a vertex.
    pub(super) fn ascend(&mut self) -> End {
        let (m, n) = (self.columns.rows, self.columns.len());
        let (mut still, mut stale) = (0, true);
        self.weight.fill(1.0);
        for _ in 0..2000 + 20 * (m + n) {
            if self.factor.is_worn() {
                self.refresh();
                stale = true;
            }
            if stale {
                self.price_rows(false);
                self.reduce(0, false);
            }
            let fresh = std::mem::take(&mut stale);
            let Some((q, sense)) = self.entering(still > 100 + m) else {
                if fresh {
                    return End::Optimal;
                }
                stale = true;
                continue;
            };
            self.bring(q);
            let step = self.blocking(q, sense, false);
            let Some(length) = step.length() else {
                if fresh {
                    return End::Unbounded;
                }
                stale = true;
                continue;
            };
            if let Step::Pivot { place, .. } = step {
                if !self.cross(place, q) && self.factor.is_updated() {
                    self.refresh();
                    stale = true;
                    continue;
                }
                let (out, pivot) = (self.basis[place] as usize, self.w[place]);
                self.change(0, q, out, pivot);
                self.weigh(q, out, pivot);
            }
            still = if length > STEP { 0 } else { still + 1 };
            self.take(q, sense, length, step);
            self.pivots += 1;
        }
        End::Trouble
    }
}
