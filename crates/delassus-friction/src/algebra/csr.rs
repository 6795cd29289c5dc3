//! Scalar compressed-row matrices: the inertia and the contact rows of the global form.

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
    /// From `(row, column, value)` in any order, inside the shape; duplicates are added.
    pub fn from_triplets(rows: usize, columns: usize, triplets: &[(usize, usize, f64)]) -> Self {
        let mut order: Vec<usize> = (0..triplets.len()).collect();
        order.sort_by_key(|k| (triplets[*k].0, triplets[*k].1));
        let mut out = Self { rows, columns, start: vec![0; rows + 1], column: vec![], value: vec![] };
        let mut last = None;
        for k in order {
            let (i, j, x) = triplets[k];
            if last == Some((i, j)) {
                *out.value.last_mut().expect("the last entry was pushed") += x;
            } else {
                out.column.push(j);
                out.value.push(x);
                out.start[i + 1] += 1;
                last = Some((i, j));
            }
        }
        for i in 0..rows {
            out.start[i + 1] += out.start[i];
        }
        out
    }

    /// The entries of row `i`.
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.start[i]..self.start[i + 1];
        self.column[range.clone()].iter().copied().zip(self.value[range].iter().copied())
    }

    /// The transposed matrix.
    pub fn transpose(&self) -> Self {
        let mut triplets = Vec::with_capacity(self.value.len());
        for i in 0..self.rows {
            triplets.extend(self.row(i).map(|(j, x)| (j, i, x)));
        }
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
