//! Which entries of a symmetric matrix may differ from zero

use super::AlgebraError;

/// Lower triangle of a symmetric matrix, by columns, each starting with its diagonal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    start: Vec<usize>,
    rows: Vec<u32>,
}

impl Pattern {
    /// `size` unknowns; each list couples all its unknowns with each other. A single coupling is
    /// a list of two. The diagonal is always there, also where no list names an unknown.
    pub fn new<'a>(size: usize, lists: impl Iterator<Item = &'a [u32]> + Clone) -> Result<Self, AlgebraError> {
        let lists = Lists::gather(size, lists)?;
        let by_dof = lists.transposed(size);
        let mut start = Vec::with_capacity(size + 1);
        start.push(0);
        let mut rows: Vec<u32> = vec![];
        let mut seen = vec![u32::MAX; size];
        for j in 0..size {
            let first = rows.len();
            rows.push(j as u32);
            seen[j] = j as u32;
            for &list in by_dof.of(j) {
                for &i in lists.of(list as usize) {
                    if i > j as u32 && seen[i as usize] != j as u32 {
                        seen[i as usize] = j as u32;
                        rows.push(i);
                    }
                }
            }
            rows[first..].sort_unstable();
            start.push(rows.len());
        }
        Self::from_parts(start, rows)
    }

    /// Columns as they are: increasing rows, the diagonal first.
    pub(super) fn from_parts(start: Vec<usize>, rows: Vec<u32>) -> Result<Self, AlgebraError> {
        if rows.len() >= u32::MAX as usize {
            return Err(AlgebraError::TooLarge { entries: rows.len() });
        }
        Ok(Self { start, rows })
    }

    /// Number of unknowns.
    pub fn size(&self) -> usize {
        self.start.len() - 1
    }

    /// Number of stored entries: the lower triangle, diagonal included.
    pub fn entries(&self) -> usize {
        self.rows.len()
    }

    /// Where each column starts, and the end of the last.
    pub fn column_starts(&self) -> &[usize] {
        &self.start
    }

    /// Rows of the stored entries of column `j`, increasing, `j` first.
    pub fn column(&self, j: usize) -> &[u32] {
        &self.rows[self.start[j]..self.start[j + 1]]
    }

    /// Place of the entry (i, j) or (j, i) among the values.
    pub fn position(&self, i: u32, j: u32) -> Option<usize> {
        let (row, column) = (i.max(j), i.min(j) as usize);
        if row as usize >= self.size() {
            return None;
        }
        self.column(column).binary_search(&row).ok().map(|k| self.start[column] + k)
    }

    /// Place of the diagonal entry of `j`.
    pub fn diagonal(&self, j: usize) -> usize {
        self.start[j]
    }

    /// Both triangles without the diagonal: the neighbours of each unknown, increasing.
    pub(super) fn graph(&self) -> Lists {
        let n = self.size();
        let mut start = vec![0usize; n + 1];
        for j in 0..n {
            start[j + 1] += self.column(j).len() - 1;
            self.column(j)[1..].iter().for_each(|i| start[*i as usize + 1] += 1);
        }
        (0..n).for_each(|j| start[j + 1] += start[j]);
        let mut fill = start.clone();
        let mut items = vec![0u32; start[n]];
        // Columns in order: first those before a row (increasing), then its own column.
        for j in 0..n {
            for &i in &self.column(j)[1..] {
                items[fill[i as usize]] = j as u32;
                fill[i as usize] += 1;
            }
        }
        for j in 0..n {
            let below = &self.column(j)[1..];
            items[fill[j]..fill[j] + below.len()].copy_from_slice(below);
        }
        Lists { start, items }
    }
}

/// Lists of numbers, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Lists {
    pub start: Vec<usize>,
    pub items: Vec<u32>,
}

impl Lists {
    /// Copies lists whose numbers must be below `size`.
    pub fn gather<'a>(size: usize, lists: impl Iterator<Item = &'a [u32]>) -> Result<Self, AlgebraError> {
        let mut out = Self { start: vec![0], items: vec![] };
        for (rank, list) in lists.enumerate() {
            if let Some(&dof) = list.iter().find(|i| **i as usize >= size) {
                return Err(AlgebraError::DofOutOfRange { list: rank, dof, count: size });
            }
            out.items.extend_from_slice(list);
            out.start.push(out.items.len());
        }
        Ok(out)
    }

    pub fn len(&self) -> usize {
        self.start.len() - 1
    }

    pub fn of(&self, list: usize) -> &[u32] {
        &self.items[self.start[list]..self.start[list + 1]]
    }

    /// For each number below `size`, the lists that name it, increasing.
    pub fn transposed(&self, size: usize) -> Self {
        let mut start = vec![0usize; size + 1];
        self.items.iter().for_each(|i| start[*i as usize + 1] += 1);
        (0..size).for_each(|i| start[i + 1] += start[i]);
        let mut fill = start.clone();
        let mut items = vec![0u32; self.items.len()];
        for list in 0..self.len() {
            for &i in self.of(list) {
                items[fill[i as usize]] = list as u32;
                fill[i as usize] += 1;
            }
        }
        Self { start, items }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(size: usize, lists: &[&[u32]]) -> Pattern {
        Pattern::new(size, lists.iter().copied()).expect("dofs in range")
    }

    /// Two triangles that share an edge, and a dof that no element names.
    #[test]
    fn lists_become_cliques_and_isolated_dofs_keep_their_diagonal() {
        let p = pattern(5, &[&[2, 0, 1], &[1, 2, 4]]);
        assert_eq!(p.column(0), [0, 1, 2]);
        assert_eq!(p.column(1), [1, 2, 4]);
        assert_eq!(p.column(2), [2, 4]);
        assert_eq!(p.column(3), [3]);
        assert_eq!(p.column(4), [4]);
        assert_eq!(p.position(4, 1), p.position(1, 4));
        assert_eq!(p.position(0, 4), None);
        assert_eq!(p.position(0, 9), None);
    }

    #[test]
    fn the_graph_has_both_triangles_in_order() {
        let g = pattern(5, &[&[2, 0, 1], &[1, 2, 4]]).graph();
        let lists: Vec<_> = (0..5).map(|i| g.of(i).to_vec()).collect();
        assert_eq!(lists, [vec![1, 2], vec![0, 2, 4], vec![0, 1, 4], vec![], vec![1, 2]]);
    }

    #[test]
    fn a_dof_out_of_range_is_named_with_its_list() {
        let e = Pattern::new(3, [&[0u32, 1][..], &[1, 3]].into_iter());
        assert_eq!(e, Err(AlgebraError::DofOutOfRange { list: 1, dof: 3, count: 3 }));
    }

    #[test]
    fn no_unknowns_is_a_pattern_too() {
        assert_eq!(pattern(0, &[]).entries(), 0);
    }
}
