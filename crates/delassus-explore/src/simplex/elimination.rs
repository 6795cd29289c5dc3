//! Elimination by least fill \[Markowitz57\].

use super::Columns;

/// Entries below this share of the largest of their column are no pivots.
const THRESHOLD: f64 = 0.1;
/// A column whose entries all fall below this depends on the others.
const SINGULAR: f64 = 1e-10;
/// A column of the basis that depends on the others, and a row that no pivot took.
pub(super) type Defect = (usize, usize);

/// Lists of `(index, value)` one after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    pub end: Vec<usize>,
    pub entry: Vec<(u32, f64)>,
}

impl Lists {
    pub fn clear(&mut self) {
        self.end.clear();
        self.entry.clear();
    }

    pub fn close(&mut self) {
        self.end.push(self.entry.len());
    }

    #[inline]
    pub fn get(&self, k: usize) -> &[(u32, f64)] {
        let first = if k == 0 { 0 } else { self.end[k - 1] };
        &self.entry[first..self.end[k]]
    }

    /// Lists by index: in list `i` the pairs `(k's name, value)` for every `(i, value)` in list `k`.
    pub fn transpose(&self, count: usize, name: impl Fn(usize) -> u32, out: &mut Self) {
        out.end.clear();
        out.end.resize(count, 0);
        for e in &self.entry {
            out.end[e.0 as usize] += 1;
        }
        let mut sum = 0;
        for end in &mut out.end {
            // The first free place of each list: after the filling, its end.
            sum += std::mem::replace(end, sum);
        }
        out.entry.clear();
        out.entry.resize(sum, (0, 0.0));
        for k in 0..self.end.len() {
            for &(i, x) in self.get(k) {
                out.entry[out.end[i as usize]] = (name(k), x);
                out.end[i as usize] += 1;
            }
        }
    }
}

/// What is left to eliminate: columns with values, rows with their columns.
pub(super) struct Active {
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
    pub fn new(matrix: &Columns, basis: &[u32]) -> Self {
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
    pub fn next_pivot(&mut self) -> Option<(usize, usize)> {
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
    pub fn eliminate(&mut self, row: usize, column: usize, lower: &mut Lists, upper: &mut Lists) -> f64 {
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
    pub fn left(&self) -> Vec<Defect> {
        let columns = (0..self.taken_column.len()).filter(|c| !self.taken_column[*c]);
        let rows = (0..self.taken_row.len()).filter(|r| !self.taken_row[*r]);
        columns.zip(rows).collect()
    }
}
