//! Compressed-row matrices, from the three forms FCLIB stores.

use super::Fault;

/// Compressed rows: row i holds `col[k]`, `val[k]` for k in
/// `row_ptr[i]..row_ptr[i + 1]`, columns strictly increasing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseMatrix {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub cols: usize,
    /// Where rows start; length rows + 1.
    pub row_ptr: Vec<usize>,
    /// Columns of the entries.
    pub col: Vec<usize>,
    /// Values of the entries.
    pub val: Vec<f64>,
}

impl SparseMatrix {
    /// From (row, column, value) in any order; entries at one place are summed in the
    /// order given, and zeros are kept.
    ///
    /// # Errors
    /// [`Fault::Entry`] for the first row or column out of range.
    pub fn from_triplets((rows, cols): (usize, usize), triplets: &[(usize, usize, f64)]) -> Result<Self, Fault> {
        let mut next = vec![0; rows + 1];
        for (index, &(row, col, _)) in triplets.iter().enumerate() {
            for (found, limit) in [(row, rows), (col, cols)] {
                if found >= limit {
                    return Err(Fault::Entry { index, found: signed(found), limit });
                }
            }
            next[row + 1] += 1;
        }
        for row in 0..rows {
            next[row + 1] += next[row];
        }
        let start = next.clone();
        let mut by_row = vec![(0, 0.0); triplets.len()];
        for &(row, col, val) in triplets {
            by_row[next[row]] = (col, val);
            next[row] += 1;
        }
        Ok(Self::gather(cols, &start, by_row))
    }

    /// Sorts each row by column and sums duplicates.
    fn gather(cols: usize, start: &[usize], mut by_row: Vec<(usize, f64)>) -> Self {
        let (mut row_ptr, mut col, mut val) = (vec![0], Vec::new(), Vec::<f64>::new());
        for ends in start.windows(2) {
            let row = &mut by_row[ends[0]..ends[1]];
            row.sort_by_key(|&(c, _)| c); // stable: sums keep the order given
            let first = col.len();
            for &(c, x) in row.iter() {
                if col.len() > first && col.last() == Some(&c) {
                    *val.last_mut().expect("as many values as columns") += x;
                } else {
                    col.push(c);
                    val.push(x);
                }
            }
            row_ptr.push(col.len());
        }
        Self { rows: start.len() - 1, cols, row_ptr, col, val }
    }

    /// Entries (row, column, value), row by row.
    pub fn triplets(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        (0..self.rows).flat_map(move |row| {
            let ends = self.row_ptr[row]..self.row_ptr[row + 1];
            ends.map(move |k| (row, self.col[k], self.val[k]))
        })
    }

    /// Number of stored entries.
    pub fn nnz(&self) -> usize {
        self.val.len()
    }
}

/// For error values: what does not fit is reported as the largest.
pub(super) fn signed(value: usize) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
