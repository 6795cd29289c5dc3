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
}
