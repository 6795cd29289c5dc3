//! Sparse factors of a basis: elimination by least fill \[Markowitz57\], then product-form updates
//!
//! ```text
//!     B = L U,      B' = B E,  E = identity but for column p, which is w = B⁻¹ a
//! ```
//!
//! Written here because a basis may become singular by round-off, and the simplex must then
//! know which columns to replace: libraries report the defect without the place.

use super::Columns;

/// Entries below this share of the largest of their column are no pivots.
const THRESHOLD: f64 = 0.1;
/// A column whose entries all fall below this depends on the others.
const SINGULAR: f64 = 1e-10;
/// Updates after which the basis is factorised anew.
const UPDATES: usize = 60;

/// Factors of a square matrix given by columns, and the updates since.
#[derive(Clone, Debug, Default)]
pub(super) struct Factor {
    /// Pivots in their order: row and column.
    pivot: Vec<(u32, u32)>,
    value: Vec<f64>,
    /// Multipliers below each pivot.
    lower: Lists,
    /// The rest of each pivot's row.
    upper: Lists,
    updates: Lists,
    update: Vec<(u32, f64)>,
    work: Vec<f64>,
}

/// Lists of `(index, value)` one after the other.
#[derive(Clone, Debug, Default)]
struct Lists {
    end: Vec<usize>,
    entry: Vec<(u32, f64)>,
}

impl Lists {
    fn clear(&mut self) {
        self.end.clear();
        self.entry.clear();
    }

    fn close(&mut self) {
        self.end.push(self.entry.len());
    }

    #[inline]
    fn get(&self, k: usize) -> &[(u32, f64)] {
        let first = if k == 0 { 0 } else { self.end[k - 1] };
        &self.entry[first..self.end[k]]
    }
}

/// A column of the basis that depends on the others, and a row that no pivot took.
pub(super) type Defect = (usize, usize);

impl Factor {
    /// Factorises; the defects are to be replaced by unit columns and tried again.
    pub fn build(&mut self, matrix: &Columns, basis: &[u32]) -> Vec<Defect> {
        let m = matrix.rows;
        let mut active = Active::new(matrix, basis);
        for list in [&mut self.lower, &mut self.upper, &mut self.updates] {
            list.clear();
        }
        self.pivot.clear();
        self.value.clear();
        self.update.clear();
        self.work.resize(m, 0.0);
        while let Some((row, column)) = active.next_pivot() {
            let value = active.eliminate(row, column, &mut self.lower, &mut self.upper);
            self.pivot.push((row as u32, column as u32));
            self.value.push(value);
        }
        active.left()
    }

    /// Whether a new factorisation pays.
    pub fn is_worn(&self) -> bool {
        self.update.len() >= UPDATES
    }

    /// Replaces column `p` of the basis by one whose image under `B⁻¹` is `w`.
    pub fn replace(&mut self, p: usize, w: &[f64]) {
        for (i, x) in w.iter().enumerate() {
            if i != p && *x != 0.0 {
                self.updates.entry.push((i as u32, *x));
            }
        }
        self.updates.close();
        self.update.push((p as u32, w[p]));
    }

    /// `x ← B⁻¹ x`: rows in, columns of the basis out.
    pub fn solve(&mut self, x: &mut [f64]) {
        for (k, &(row, _)) in self.pivot.iter().enumerate() {
            let y = x[row as usize];
            if y != 0.0 {
                for &(i, l) in self.lower.get(k) {
                    x[i as usize] -= l * y;
                }
            }
        }
        for (k, &(row, column)) in self.pivot.iter().enumerate().rev() {
            let mut y = x[row as usize];
            for &(j, u) in self.upper.get(k) {
                y -= u * self.work[j as usize];
            }
            self.work[column as usize] = y / self.value[k];
        }
        x.copy_from_slice(&self.work);
        for (k, &(p, pivot)) in self.update.iter().enumerate() {
            let y = x[p as usize] / pivot;
            x[p as usize] = y;
            if y != 0.0 {
                for &(i, w) in self.updates.get(k) {
                    x[i as usize] -= w * y;
                }
            }
        }
    }

    /// `x ← B⁻ᵀ x`: columns of the basis in, rows out.
    pub fn solve_transposed(&mut self, x: &mut [f64]) {
        for (k, &(p, pivot)) in self.update.iter().enumerate().rev() {
            let mut y = x[p as usize];
            for &(i, w) in self.updates.get(k) {
                y -= w * x[i as usize];
            }
            x[p as usize] = y / pivot;
        }
        for (k, &(row, column)) in self.pivot.iter().enumerate() {
            let y = x[column as usize] / self.value[k];
            self.work[row as usize] = y;
            if y != 0.0 {
                for &(j, u) in self.upper.get(k) {
                    x[j as usize] -= u * y;
                }
            }
        }
        x.copy_from_slice(&self.work);
        for (k, &(row, _)) in self.pivot.iter().enumerate().rev() {
            let mut y = x[row as usize];
            for &(i, l) in self.lower.get(k) {
                y -= l * x[i as usize];
            }
            x[row as usize] = y;
        }
    }
}

/// What is left to eliminate: columns with values, rows with their columns.
struct Active {
    column: Vec<Vec<(u32, f64)>>,
    row: Vec<Vec<u32>>,
    /// Columns by number of entries; those that changed since stand in several.
    bucket: Vec<Vec<u32>>,
    taken_row: Vec<bool>,
    taken_column: Vec<bool>,
    place: Vec<u32>,
}

/// Columns examined for each pivot.
const SEARCH: usize = 4;

impl Active {
    fn new(matrix: &Columns, basis: &[u32]) -> Self {
        let m = matrix.rows;
        let mut active = Self {
            column: Vec::with_capacity(m),
            row: vec![vec![]; m],
            bucket: vec![vec![]; m + 1],
            taken_row: vec![false; m],
            taken_column: vec![false; m],
            place: vec![u32::MAX; m],
        };
        for (c, &j) in basis.iter().enumerate() {
            let list: Vec<(u32, f64)> = matrix.column(j as usize).to_vec();
            for &(r, _) in &list {
                active.row[r as usize].push(c as u32);
            }
            active.bucket[list.len()].push(c as u32);
            active.column.push(list);
        }
        active
    }

    /// The entry of least fill among the shortest columns, large enough in its own.
    fn next_pivot(&mut self) -> Option<(usize, usize)> {
        let mut best: Option<(usize, usize, usize)> = None;
        let mut seen = 0;
        for count in 1..self.bucket.len() {
            let mut k = 0;
            while k < self.bucket[count].len() {
                let c = self.bucket[count][k] as usize;
                if self.taken_column[c] || self.column[c].len() != count {
                    self.bucket[count].swap_remove(k);
                    continue;
                }
                let largest = self.column[c].iter().fold(0.0f64, |m, e| m.max(e.1.abs()));
                if largest < SINGULAR {
                    // Set aside: it may only shrink further.
                    self.bucket[count].swap_remove(k);
                    continue;
                }
                for &(r, x) in &self.column[c] {
                    let cost = (count - 1) * (self.row[r as usize].len() - 1);
                    if x.abs() >= THRESHOLD * largest && best.is_none_or(|b| cost < b.2) {
                        best = Some((r as usize, c, cost));
                    }
                }
                seen += 1;
                k += 1;
                if seen >= SEARCH || best.is_some_and(|b| b.2 <= (count - 1) * (count - 1)) {
                    return best.map(|b| (b.0, b.1));
                }
            }
        }
        best.map(|b| (b.0, b.1))
    }

    /// Takes the pivot out; returns its value.
    fn eliminate(&mut self, row: usize, column: usize, lower: &mut Lists, upper: &mut Lists) -> f64 {
        self.taken_row[row] = true;
        self.taken_column[column] = true;
        let pivot_column = std::mem::take(&mut self.column[column]);
        let value = pivot_column.iter().find(|e| e.0 as usize == row).map_or(1.0, |e| e.1);
        let first = lower.entry.len();
        for &(i, x) in &pivot_column {
            if i as usize != row {
                lower.entry.push((i, x / value));
                self.row[i as usize].retain(|c| *c as usize != column);
            }
        }
        lower.close();
        let multipliers = &lower.entry[first..];
        let others = std::mem::take(&mut self.row[row]);
        for &j in others.iter().filter(|j| **j as usize != column) {
            let list = &mut self.column[j as usize];
            let Some(at) = list.iter().position(|e| e.0 as usize == row) else { continue };
            let u = list.swap_remove(at).1;
            upper.entry.push((j, u));
            if u != 0.0 {
                for (k, e) in list.iter().enumerate() {
                    self.place[e.0 as usize] = k as u32;
                }
                for &(i, l) in multipliers {
                    match self.place[i as usize] {
                        u32::MAX => {
                            list.push((i, -l * u));
                            self.row[i as usize].push(j);
                        }
                        k => list[k as usize].1 -= l * u,
                    }
                }
                for e in list.iter() {
                    self.place[e.0 as usize] = u32::MAX;
                }
            }
            let count = list.len();
            self.bucket[count].push(j);
        }
        upper.close();
        value
    }

    /// Columns and rows without a pivot.
    fn left(&self) -> Vec<Defect> {
        let columns = (0..self.taken_column.len()).filter(|c| !self.taken_column[*c]);
        let rows = (0..self.taken_row.len()).filter(|r| !self.taken_row[*r]);
        columns.zip(rows).collect()
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
                    factor.replace(p, &w);
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
