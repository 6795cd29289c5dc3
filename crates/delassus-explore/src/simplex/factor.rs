//! Sparse factors of a basis, and their updates when a column is replaced \[ForrestTomlin72\]
//!
//! ```text
//!     B = L R U,      R = rows subtracted from others at the updates
//! ```
//!
//! Written here because a basis may become singular by round-off, and the simplex must then
//! know which columns to replace: libraries report the defect without the place. The factors are
//! kept by rows and by columns, so that zeros of the right-hand side are skipped in either
//! direction: of a packing most of it is zero throughout.

use super::Columns;
use super::elimination::{Active, Defect, Lists};

/// Updates after which the basis is factorised anew.
const UPDATES: usize = 100;
/// Growth of the factors that asks for the same.
const GROWTH: usize = 3;
/// Entries of an update that are round-off.
const ZERO: f64 = 1e-15;

/// Factors of a square matrix given by columns, and the updates since. A pivot is named by its row.
#[derive(Clone, Debug, Default)]
pub(super) struct Factor {
    /// Rows in the order of elimination.
    pivot: Vec<u32>,
    /// Multipliers below each pivot, and those of each row.
    lower: Lists,
    lower_rows: Lists,
    /// The triangle by rows and by columns, without its diagonal.
    upper: [Vec<Vec<(u32, f64)>>; 2],
    diagonal: Vec<f64>,
    /// Pivots in the order of the triangle; those moved to the end leave `NONE` behind.
    order: Vec<u32>,
    position: Vec<u32>,
    /// Column of the basis of each pivot, and back.
    column: Vec<u32>,
    row: Vec<u32>,
    /// Rows subtracted from the row named, update by update.
    subtracted: Lists,
    subtractor: Vec<u32>,
    /// What the last [`Factor::solve`] had before the triangle.
    spike: Vec<(u32, f64)>,
    work: Vec<f64>,
    entries: [usize; 2],
}

const NONE: u32 = u32::MAX;

impl Factor {
    /// Factorises; the defects are to be replaced by unit columns and tried again.
    pub fn build(&mut self, matrix: &Columns, basis: &[u32]) -> Vec<Defect> {
        let m = matrix.rows;
        let mut active = Active::new(matrix, basis);
        let mut upper = Lists::default();
        self.lower.clear();
        self.subtracted.clear();
        self.subtractor.clear();
        self.pivot.clear();
        self.diagonal.resize(m, 1.0);
        self.work.clear();
        self.work.resize(m, 0.0);
        self.column.resize(m, 0);
        self.row.resize(m, 0);
        while let Some((row, column)) = active.next_pivot() {
            self.diagonal[row] = active.eliminate(row, column, &mut self.lower, &mut upper);
            self.pivot.push(row as u32);
            self.column[row] = column as u32;
            self.row[column] = row as u32;
        }
        let left = active.left();
        if !left.is_empty() {
            return left;
        }
        self.lower.transpose(m, |k| self.pivot[k], &mut self.lower_rows);
        self.order.clone_from(&self.pivot);
        self.position.resize(m, 0);
        for lists in &mut self.upper {
            lists.resize(m, vec![]);
            lists.iter_mut().for_each(Vec::clear);
        }
        for (k, &row) in self.pivot.iter().enumerate() {
            self.position[row as usize] = k as u32;
            for &(c, u) in upper.get(k) {
                if u != 0.0 {
                    let j = self.row[c as usize];
                    self.upper[0][row as usize].push((j, u));
                    self.upper[1][j as usize].push((row, u));
                }
            }
        }
        self.entries = [upper.entry.len() + self.lower.entry.len() + m, 0];
        left
    }

    /// Whether a new factorisation pays.
    pub fn is_worn(&self) -> bool {
        self.subtractor.len() >= UPDATES || self.entries[1] > GROWTH * self.entries[0]
    }

    /// Whether columns were replaced since the factorisation.
    pub fn is_updated(&self) -> bool {
        !self.subtractor.is_empty()
    }

    /// Replaces column `p` of the basis by the one solved for last; false, and nothing more to be
    /// asked before a new factorisation, when the pivot is not the one that solution says, `w`.
    pub fn replace(&mut self, p: usize, w: f64) -> bool {
        let t = self.row[p];
        let at = t as usize;
        let [rows, columns] = &mut self.upper;
        for (i, _) in columns[at].drain(..) {
            take_out(&mut rows[i as usize], t);
        }
        let mut pivot = 0.0;
        for &(i, x) in &self.spike {
            if i == t {
                pivot = x;
            } else {
                rows[i as usize].push((t, x));
                columns[at].push((i, x));
            }
        }
        self.entries[1] += self.spike.len();
        // Row t is combined from the later ones; what remains is its entry in the new column.
        let mut first = self.order.len();
        for (j, u) in rows[at].drain(..) {
            take_out(&mut columns[j as usize], t);
            self.work[j as usize] = u;
            first = first.min(self.position[j as usize] as usize);
        }
        self.work[at] = pivot;
        for &j in &self.order[first..] {
            if j == NONE || j == t {
                continue;
            }
            let x = std::mem::take(&mut self.work[j as usize]) / self.diagonal[j as usize];
            if x.abs() > ZERO {
                for &(k, u) in &rows[j as usize] {
                    self.work[k as usize] -= x * u;
                }
                self.subtracted.entry.push((j, x));
                self.entries[1] += 1;
            }
        }
        self.subtracted.close();
        self.subtractor.push(t);
        let (before, pivot) = (self.diagonal[at], std::mem::take(&mut self.work[at]));
        self.diagonal[at] = pivot;
        self.order[self.position[at] as usize] = NONE;
        self.position[at] = self.order.len() as u32;
        self.order.push(t);
        (pivot - w * before).abs() <= 1e-6 * (w * before).abs() && pivot != 0.0
    }

    /// `x ← B⁻¹ x`: rows in, columns of the basis out.
    pub fn solve(&mut self, x: &mut [f64]) {
        for (k, &row) in self.pivot.iter().enumerate() {
            let y = x[row as usize];
            if y != 0.0 {
                for &(i, l) in self.lower.get(k) {
                    x[i as usize] -= l * y;
                }
            }
        }
        for (k, &t) in self.subtractor.iter().enumerate() {
            let list = self.subtracted.get(k).iter();
            x[t as usize] -= list.map(|&(j, r)| r * x[j as usize]).sum::<f64>();
        }
        self.spike.clear();
        self.spike.extend(x.iter().enumerate().filter(|e| e.1.abs() > ZERO).map(|(i, x)| (i as u32, *x)));
        for &row in self.order.iter().rev().filter(|row| **row != NONE) {
            let r = row as usize;
            if x[r] != 0.0 {
                let y = x[r] / self.diagonal[r];
                x[r] = y;
                for &(i, u) in &self.upper[1][r] {
                    x[i as usize] -= u * y;
                }
            }
        }
        self.work.copy_from_slice(x);
        for (row, c) in self.column.iter().enumerate() {
            x[*c as usize] = std::mem::take(&mut self.work[row]);
        }
    }

    /// `x ← B⁻ᵀ x`: columns of the basis in, rows out.
    pub fn solve_transposed(&mut self, x: &mut [f64]) {
        self.work.copy_from_slice(x);
        for (c, row) in self.row.iter().enumerate() {
            x[*row as usize] = std::mem::take(&mut self.work[c]);
        }
        for &row in self.order.iter().filter(|row| **row != NONE) {
            let r = row as usize;
            if x[r] != 0.0 {
                let y = x[r] / self.diagonal[r];
                x[r] = y;
                for &(j, u) in &self.upper[0][r] {
                    x[j as usize] -= u * y;
                }
            }
        }
        for (k, &t) in self.subtractor.iter().enumerate().rev() {
            let y = x[t as usize];
            if y != 0.0 {
                for &(j, r) in self.subtracted.get(k) {
                    x[j as usize] -= r * y;
                }
            }
        }
        for &row in self.pivot.iter().rev() {
            let y = x[row as usize];
            if y != 0.0 {
                for &(i, l) in self.lower_rows.get(row as usize) {
                    x[i as usize] -= l * y;
                }
            }
        }
    }
}

fn take_out(list: &mut Vec<(u32, f64)>, index: u32) {
    if let Some(at) = list.iter().position(|e| e.0 == index) {
        list.swap_remove(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn random(m: usize, rng: &mut ChaCha8Rng) -> Columns {
        let mut columns = Columns::new(m);
        for c in 0..2 * m {
            let mut list: Vec<(u32, f64)> = vec![((c % m) as u32, 2.0 + rng.random::<f64>())];
            for _ in 0..3 {
                let r = rng.random_range(0..m) as u32;
                if list.iter().all(|e| e.0 != r) {
                    list.push((r, rng.random_range(-1.0..1.0)));
                }
            }
            columns.push(&list);
        }
        columns
    }

    /// `B (B⁻¹ x) = x` and `Bᵀ (B⁻ᵀ x) = x`, also after columns were replaced.
    #[test]
    fn factors_and_updates_invert_the_basis() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for m in [1, 2, 7, 40, 200] {
            let columns = random(m, &mut rng);
            let mut basis: Vec<u32> = (0..m as u32).collect();
            let mut factor = Factor::default();
            assert_eq!(factor.build(&columns, &basis), vec![]);
            for round in 0..20 {
                let x: Vec<f64> = (0..m).map(|_| rng.random_range(-1.0..1.0)).collect();
                let (mut y, mut z) = (x.clone(), x.clone());
                factor.solve(&mut y);
                factor.solve_transposed(&mut z);
                let mut back = vec![0.0; m];
                let mut worst = 0.0f64;
                for (p, &j) in basis.iter().enumerate() {
                    columns.column(j as usize).iter().for_each(|&(r, v)| back[r as usize] += v * y[p]);
                    let t: f64 = columns.column(j as usize).iter().map(|&(r, v)| v * z[r as usize]).sum();
                    worst = worst.max((t - x[p]).abs());
                }
                worst = back.iter().zip(&x).fold(worst, |w, (a, b)| w.max((a - b).abs()));
                assert!(worst < 1e-9, "{m} rows, round {round}: {worst}");
                let (p, j) = (rng.random_range(0..m), m + round % m);
                if basis.contains(&(j as u32)) {
                    continue;
                }
                let mut w = vec![0.0; m];
                columns.column(j).iter().for_each(|&(r, v)| w[r as usize] = v);
                factor.solve(&mut w);
                if w[p].abs() > 1e-2 {
                    assert!(factor.replace(p, w[p]));
                    basis[p] = j as u32;
                }
            }
        }
    }

    /// Two equal columns: one of them is named, with the row it leaves free.
    #[test]
    fn a_dependent_column_is_named() {
        let mut columns = Columns::new(3);
        columns.push(&[(0, 1.0), (1, 2.0)]);
        columns.push(&[(0, 1.0), (1, 2.0)]);
        columns.push(&[(2, 1.0)]);
        let mut factor = Factor::default();
        let defects = factor.build(&columns, &[0, 1, 2]);
        assert_eq!(defects.len(), 1);
        assert!(defects[0].0 < 2 && defects[0].1 < 2);
    }
}
