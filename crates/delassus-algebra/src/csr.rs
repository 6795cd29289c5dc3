//! Scalar compressed-row matrices: for instance the inertia and the contact rows of the global form.

/// A sparse matrix by rows; columns increase within a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Csr {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// Where each row starts; one more entry than rows.
    pub start: Vec<usize>,
    /// Columns of the entries.
    pub column: Vec<usize>,
    /// Values of the entries.
    pub value: Vec<f64>,
}

impl Csr {
    /// From `(row, column, value)` in any order, inside the shape; entries at one place
    /// are summed in the order given, and zeros are kept.
    pub fn from_triplets(rows: usize, columns: usize, triplets: &[(usize, usize, f64)]) -> Self {
        let mut next = vec![0; rows + 1];
        for &(row, _, _) in triplets {
            next[row + 1] += 1;
        }
        for row in 0..rows {
            next[row + 1] += next[row];
        }
        let ends = next.clone();
        let mut by_row = vec![(0, 0.0); triplets.len()];
        for &(row, column, x) in triplets {
            by_row[next[row]] = (column, x);
            next[row] += 1;
        }
        let mut out = Self { rows, columns, start: vec![0], column: vec![], value: vec![] };
        for ends in ends.windows(2) {
            out.push_row(&mut by_row[ends[0]..ends[1]]);
        }
        out
    }

    /// Appends a row, sorted by column with duplicates summed.
    fn push_row(&mut self, row: &mut [(usize, f64)]) {
        row.sort_by_key(|&(column, _)| column); // stable: sums keep the order given
        let first = self.column.len();
        for &(column, x) in row.iter() {
            if self.column.len() > first && self.column.last() == Some(&column) {
                *self.value.last_mut().expect("as many values as columns") += x;
            } else {
                self.column.push(column);
                self.value.push(x);
            }
        }
        self.start.push(self.column.len());
    }

    /// Entries (row, column, value), row by row.
    pub fn triplets(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        (0..self.rows).flat_map(move |i| self.row(i).map(move |(j, x)| (i, j, x)))
    }

    /// Number of stored entries.
    pub fn entries(&self) -> usize {
        self.value.len()
    }

    /// The entries of row `i`.
    #[inline]
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.start[i]..self.start[i + 1];
        self.column[range.clone()].iter().copied().zip(self.value[range].iter().copied())
    }

    /// The transposed matrix.
    pub fn transpose(&self) -> Self {
        let triplets: Vec<_> = self.triplets().map(|(i, j, x)| (j, i, x)).collect();
        Self::from_triplets(self.columns, self.rows, &triplets)
    }

    /// `y ← y + M x`.
    pub fn add_product(&self, x: &[f64], y: &mut [f64]) {
        for (i, y) in y.iter_mut().enumerate().take(self.rows) {
            *y += self.row(i).map(|(j, a)| a * x[j]).sum::<f64>();
        }
    }

    /// `y ← y + Mᵀ x`.
    pub fn add_transposed(&self, x: &[f64], y: &mut [f64]) {
        for (i, x) in x.iter().enumerate().take(self.rows) {
            for (j, a) in self.row(i) {
                y[j] += a * x;
            }
        }
    }

    /// Row and column of the first entry that is not finite.
    pub fn first_non_finite(&self) -> Option<(usize, usize)> {
        (0..self.rows).find_map(|i| self.row(i).find(|(_, x)| !x.is_finite()).map(|(j, _)| (i, j)))
    }
}
