//! A matrix by columns, which is how the simplex reads it.

/// A sparse matrix by columns.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    pub rows: usize,
    start: Vec<usize>,
    entry: Vec<(u32, f64)>,
}

impl Columns {
    pub fn new(rows: usize) -> Self {
        Self { rows, start: vec![0], entry: vec![] }
    }

    pub fn push(&mut self, entries: &[(u32, f64)]) {
        self.entry.extend_from_slice(entries);
        self.start.push(self.entry.len());
    }

    pub fn len(&self) -> usize {
        self.start.len() - 1
    }

    #[inline]
    pub fn column(&self, j: usize) -> &[(u32, f64)] {
        &self.entry[self.start[j]..self.start[j + 1]]
    }

    /// The first `count` columns by rows: the entries of each are `(column, value)`.
    pub fn by_rows(&self, count: usize) -> Self {
        let mut rows = vec![vec![]; self.rows];
        for j in 0..count {
            self.column(j).iter().for_each(|&(r, a)| rows[r as usize].push((j as u32, a)));
        }
        let mut out = Self::new(count);
        rows.iter().for_each(|list| out.push(list));
        out
    }
}
