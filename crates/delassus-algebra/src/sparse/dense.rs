//! Small dense systems by elimination with complete pivoting: the rank shows

/// Factor of a small square matrix; its buffers are reused.
#[derive(Clone, Debug, Default)]
pub(super) struct Dense {
    size: usize,
    /// Row by row.
    a: Vec<f64>,
    rows: Vec<usize>,
    columns: Vec<usize>,
    work: Vec<f64>,
}

impl Dense {
    /// Zero matrix of this size, to be filled through [`Self::set`].
    pub fn reset(&mut self, size: usize) {
        self.size = size;
        self.a.clear();
        self.a.resize(size * size, 0.0);
        self.work.resize(size, 0.0);
    }

    pub fn set(&mut self, i: usize, j: usize, x: f64) {
        self.a[i * self.size + j] = x;
    }

    /// Eliminates; gives a column that depends on the others when a pivot is below `smallest`.
    pub fn factor(&mut self, smallest: f64) -> Result<(), usize> {
        let n = self.size;
        self.rows.clear();
        self.rows.extend(0..n);
        self.columns.clear();
        self.columns.extend(0..n);
        for k in 0..n {
            let (mut best, mut at) = (-1.0, (k, k));
            for i in k..n {
                for j in k..n {
                    let x = self.a[self.rows[i] * n + self.columns[j]].abs();
                    if x > best {
                        (best, at) = (x, (i, j));
                    }
                }
            }
            self.rows.swap(k, at.0);
            self.columns.swap(k, at.1);
            if !(best > smallest) {
                return Err(self.columns[k]);
            }
            self.eliminate(k);
        }
        Ok(())
    }

    fn eliminate(&mut self, k: usize) {
        let n = self.size;
        let pivot_row = self.rows[k] * n;
        for i in k + 1..n {
            let row = self.rows[i] * n;
            let m = self.a[row + self.columns[k]] / self.a[pivot_row + self.columns[k]];
            self.a[row + self.columns[k]] = m;
            for j in k + 1..n {
                self.a[row + self.columns[j]] -= m * self.a[pivot_row + self.columns[j]];
            }
        }
    }

    /// b ← A⁻¹ b.
    pub fn solve(&mut self, b: &mut [f64]) {
        let n = self.size;
        let Self { a, rows, columns, work, .. } = self;
        for k in 0..n {
            let before: f64 = (0..k).map(|j| a[rows[k] * n + columns[j]] * work[j]).sum();
            work[k] = b[rows[k]] - before;
        }
        for k in (0..n).rev() {
            let after: f64 = (k + 1..n).map(|j| a[rows[k] * n + columns[j]] * work[j]).sum();
            work[k] = (work[k] - after) / a[rows[k] * n + columns[k]];
        }
        for k in 0..n {
            b[columns[k]] = work[k];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dense(rows: &[&[f64]]) -> Dense {
        let mut d = Dense::default();
        d.reset(rows.len());
        for (i, row) in rows.iter().enumerate() {
            row.iter().enumerate().for_each(|(j, x)| d.set(i, j, *x));
        }
        d
    }

    /// A matrix with zero diagonal, solved back from A x.
    #[test]
    fn solves_where_the_diagonal_is_zero() {
        let a: [&[f64]; 3] = [&[0.0, 2.0, 1.0], &[2.0, 0.0, 3.0], &[1.0, 3.0, 0.0]];
        let x = [1.0, -2.0, 0.5];
        let mut b: Vec<f64> = a.iter().map(|r| r.iter().zip(&x).map(|(a, x)| a * x).sum()).collect();
        let mut d = dense(&a);
        d.factor(1e-14).expect("regular");
        d.solve(&mut b);
        b.iter().zip(&x).for_each(|(b, x)| assert!((b - x).abs() < 1e-14));
    }

    #[test]
    fn a_dependent_column_is_found() {
        let mut d = dense(&[&[1.0, 2.0], &[2.0, 4.0]]);
        assert_eq!(d.factor(1e-14), Err(0));
    }
}
