//! The Delassus operator `W = G A⁻¹ Gᵀ`, method (8)
//!
//! Where `A` is diagonal in independent groups (rigid bodies in principal axes), the block
//! of two contacts is a sum over the groups they share: the neighbours of a contact are
//! merged from the lists of its groups, in increasing order, without sorting.

use crate::parts::Parts;
use crate::rows::SIDES;
use crate::{Operator, Rows, Side};
use delassus_friction::algebra::{BlockMatrix, Matrix, Vector};
use std::ops::Range;

/// Scratch of the reduction.
#[derive(Clone, Debug, Default)]
pub struct Mobility<const C: usize> {
    /// `A⁻¹ c` for every column.
    lift: Vec<Vector<C>>,
    /// Blocks of each group: bounds, then `(block, first column)`.
    start: Vec<u32>,
    entry: Vec<(u32, u32)>,
    /// Inverses of the diagonal parts.
    inverse: Vec<f64>,
    /// A row of `W` while it is summed, and where its blocks are.
    row: Vec<(u32, Matrix<C>)>,
    slot: Vec<u32>,
}

impl<const C: usize> Mobility<C> {
    /// `W` for a diagonal `A`: `inverse` holds `1/A_kk`; groups are `0 .. groups`.
    pub fn reduce_diagonal(&mut self, rows: &Rows<C>, inverse: &[f64], groups: usize, w: &mut BlockMatrix<C>) {
        self.lift.clear();
        self.lift.extend(rows.columns().iter().zip(rows.dofs()).map(|(c, d)| c * inverse[*d as usize]));
        self.list_groups(rows, groups);
        w.clear();
        for i in 0..rows.len() {
            let mut sides = rows.sides(i);
            let lists = std::array::from_fn(|_| match sides.next() {
                Some(s) => (s.first, self.start[s.group as usize], self.start[s.group as usize + 1], s.count),
                None => (0, 0, 0, 0),
            });
            w.begin_row(self.merge(rows, i, lists, None));
            self.merge(rows, i, lists, Some(w));
        }
    }

    /// Sides in all, and pairs of sides that share a group, each with itself included.
    pub fn count(&mut self, rows: &Rows<C>, groups: usize) -> (usize, usize) {
        self.start.clear();
        self.start.resize(groups, 0);
        let mut sides = 0;
        for side in (0..rows.len()).flat_map(|i| rows.sides(i)) {
            self.start[side.group as usize] += 1;
            sides += 1;
        }
        (sides, self.start.iter().map(|n| *n as usize * *n as usize).sum())
    }

    /// Blocks by group, in increasing order (a counting sort).
    fn list_groups(&mut self, rows: &Rows<C>, groups: usize) {
        self.start.clear();
        self.start.resize(groups + 2, 0);
        for i in 0..rows.len() {
            for s in rows.sides(i) {
                self.start[s.group as usize + 2] += 1;
            }
        }
        for g in 0..groups {
            self.start[g + 2] += self.start[g + 1];
        }
        self.entry.clear();
        self.entry.resize(self.start[groups + 1] as usize, (0, 0));
        for i in 0..rows.len() {
            for s in rows.sides(i) {
                let at = &mut self.start[s.group as usize + 1];
                self.entry[*at as usize] = (i as u32, s.first);
                *at += 1;
            }
        }
    }

    /// Walks the neighbours of block `i` in order. Without `w` returns the diagonal block,
    /// with it pushes the others.
    fn merge(
        &self,
        rows: &Rows<C>,
        i: usize,
        lists: [(u32, u32, u32, u32); SIDES],
        mut w: Option<&mut BlockMatrix<C>>,
    ) -> Matrix<C> {
        let mut at = lists.map(|l| l.1);
        let block = |k: usize, other: u32| {
            let (first, count) = (lists[k].0 as usize, lists[k].3 as usize);
            let other = other as usize;
            let (mine, theirs) = (&rows.columns()[first..first + count], &self.lift[other..other + count]);
            let mut b = Matrix::zeros();
            for (a, c) in mine.iter().zip(theirs) {
                b += a * c.transpose();
            }
            b
        };
        let next = |k: usize, at: &[u32; SIDES]| {
            (at[k] < lists[k].2).then(|| self.entry[at[k] as usize]).map_or(u32::MAX, |e| e.0)
        };
        if w.is_none() {
            let mut diagonal = Matrix::zeros();
            for (k, list) in lists.iter().enumerate().filter(|(_, l)| l.3 > 0) {
                diagonal += block(k, list.0);
            }
            return diagonal;
        }
        loop {
            let heads: [u32; SIDES] = std::array::from_fn(|k| next(k, &at));
            let j = heads.into_iter().fold(u32::MAX, u32::min);
            if j == u32::MAX {
                return Matrix::zeros();
            }
            let mut sum = Matrix::zeros();
            for (k, found) in heads.into_iter().enumerate() {
                if found == j {
                    if j != i as u32 {
                        sum += block(k, self.entry[at[k] as usize].1);
                    }
                    at[k] += 1;
                }
            }
            if j != i as u32
                && let Some(w) = &mut w
            {
                w.push(j, sum);
            }
        }
    }

    /// `W` for an `A` of independent groups `0 .. groups`: `couple` gives the block of two sides of
    /// the same group, `Σ_a Σ_b c_a (A⁻¹)_ab c_bᵀ`.
    pub fn reduce_groups(
        &mut self,
        rows: &Rows<C>,
        groups: usize,
        w: &mut BlockMatrix<C>,
        couple: &dyn Fn(&Side, &Side) -> Matrix<C>,
    ) {
        self.list_groups(rows, groups);
        w.clear();
        for i in 0..rows.len() {
            w.begin_row(rows.sides(i).map(|s| couple(&s, &s)).sum());
            // The neighbours of all sides, merged in increasing order.
            let mut at = [(0, 0); SIDES];
            for (at, s) in at.iter_mut().zip(rows.sides(i)) {
                *at = (self.start[s.group as usize], self.start[s.group as usize + 1]);
            }
            loop {
                let next = at.map(|(k, end)| if k < end { self.entry[k as usize].0 } else { u32::MAX });
                let j = next.into_iter().fold(u32::MAX, u32::min);
                if j == u32::MAX {
                    break;
                }
                let mut block = Matrix::zeros();
                for (k, mine) in rows.sides(i).enumerate().filter(|(k, _)| next[*k] == j) {
                    at[k].0 += 1;
                    if j != i as u32
                        && let Some(theirs) = rows.sides(j as usize).find(|s| s.group == mine.group)
                    {
                        block += couple(&mine, &theirs);
                    }
                }
                if j != i as u32 {
                    w.push(j, block);
                }
            }
        }
    }

    /// `W` for a diagonal `A` whose blocks share degrees of freedom one by one, as those of a lumped mass do.
    pub fn reduce_by_dof(&mut self, rows: &Rows<C>, inverse: &[f64], w: &mut BlockMatrix<C>) {
        // Columns by degree of freedom: a counting sort.
        self.start.clear();
        self.start.resize(inverse.len() + 2, 0);
        rows.dofs().iter().for_each(|d| self.start[*d as usize + 2] += 1);
        for d in 0..inverse.len() {
            self.start[d + 2] += self.start[d + 1];
        }
        self.entry.clear();
        self.entry.resize(rows.dofs().len(), (0, 0));
        for i in 0..rows.len() {
            for k in rows.sides(i).flat_map(|s| s.range()) {
                let at = &mut self.start[rows.dofs()[k] as usize + 1];
                self.entry[*at as usize] = (i as u32, k as u32);
                *at += 1;
            }
        }
        self.slot.clear();
        self.slot.resize(rows.len(), u32::MAX);
        w.clear();
        for i in 0..rows.len() {
            self.row.clear();
            for k in rows.sides(i).flat_map(|s| s.range()) {
                let d = rows.dofs()[k] as usize;
                let mine = rows.columns()[k] * inverse[d];
                for &(j, other) in &self.entry[self.start[d] as usize..self.start[d + 1] as usize] {
                    let slot = &mut self.slot[j as usize];
                    if *slot == u32::MAX {
                        *slot = self.row.len() as u32;
                        self.row.push((j, Matrix::zeros()));
                    }
                    self.row[*slot as usize].1 += mine * rows.columns()[other as usize].transpose();
                }
            }
            self.row.iter().for_each(|(j, _)| self.slot[*j as usize] = u32::MAX);
            self.row.sort_unstable_by_key(|x| x.0);
            w.begin_row(self.row.iter().find(|x| x.0 == i as u32).map_or(Matrix::zeros(), |x| x.1));
            self.row.iter().filter(|x| x.0 != i as u32).for_each(|(j, block)| w.push(*j, *block));
        }
    }

    /// `W = G A⁻¹ Gᵀ` for the parts of a world, as each of them applies its inverse.
    pub(crate) fn reduce<const D: usize>(&mut self, parts: &Parts<D, C>, rows: &Rows<C>, w: &mut BlockMatrix<C>) {
        let groups = parts.sizes().bodies;
        if let Some(Operator::Bodies { inverse, .. }) = parts.only().map(|p| p.operator()) {
            return self.reduce_diagonal(rows, inverse, groups, w);
        }
        let touched = |range: &Range<usize>| rows.dofs().iter().any(|d| range.contains(&(*d as usize)));
        let (mut diagonal, mut lumped) = (true, false);
        for (range, part) in parts.ranges() {
            match part.operator() {
                Operator::Bodies { .. } => {}
                Operator::Lumped { .. } => lumped |= touched(&range),
                Operator::Columns(_) => diagonal &= !touched(&range),
            }
        }
        if diagonal {
            let mut all = std::mem::take(&mut self.inverse);
            all.clear();
            for (range, part) in parts.ranges() {
                match part.operator() {
                    Operator::Bodies { inverse, .. } | Operator::Lumped { inverse } => all.extend_from_slice(inverse),
                    Operator::Columns(_) => all.resize(range.end, 0.0),
                }
            }
            match lumped {
                true => self.reduce_by_dof(rows, &all, w),
                false => self.reduce_diagonal(rows, &all, groups, w),
            }
            self.inverse = all;
            return;
        }
        self.reduce_groups(rows, groups, w, &|mine, theirs| {
            let (part, first) = parts.of_body(mine.group);
            match part.operator() {
                Operator::Bodies { inverse, .. } | Operator::Lumped { inverse } => {
                    let pairs = mine.range().zip(theirs.range());
                    let column = |k: usize| rows.columns()[k];
                    pairs
                        .map(|(a, b)| {
                            column(a) * (column(b) * inverse[rows.dofs()[a] as usize - first.dofs]).transpose()
                        })
                        .sum()
                }
                Operator::Columns(compliance) => {
                    let local = |k: usize| rows.dofs()[k] - first.dofs as u32;
                    let mut block = Matrix::<C>::zeros();
                    for a in mine.range() {
                        let mut row = Vector::<C>::zeros();
                        for b in theirs.range() {
                            row += rows.columns()[b] * compliance.entry(local(a), local(b));
                        }
                        block += rows.columns()[a] * row.transpose();
                    }
                    block
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference: three ways to reduce the same diagonal `A`.
    #[test]
    fn the_merged_lists_give_the_general_result() {
        let mut rows = Rows::<2>::default();
        let groups: [&[u32]; 6] = [&[0], &[0, 1], &[1, 2, 3], &[2, 0], &[3], &[0, 1, 3]];
        let mut x = 0.3f64;
        for own in groups {
            rows.begin([Vector::zeros(); 2]);
            for &group in own {
                for k in 0..3 {
                    x = (x * 7.3).sin() + 0.1;
                    rows.push(group, 3 * group + k, Vector::<2>::new(x, x * x - 0.5));
                }
            }
        }
        let inverse: Vec<f64> = (1..=12).map(|k| 1.0 / f64::from(k)).collect();
        let (mut fast, mut slow) = (BlockMatrix::default(), BlockMatrix::default());
        let mut scratch = Mobility::default();
        scratch.reduce_groups(&rows, 4, &mut fast, &|a, b| {
            let pairs = a.range().zip(b.range());
            pairs
                .map(|(a, b)| rows.columns()[a] * rows.columns()[b].transpose() * inverse[rows.dofs()[a] as usize])
                .sum()
        });
        let general = fast.clone();
        scratch.reduce_diagonal(&rows, &inverse, 4, &mut fast);
        for i in 0..6 {
            for j in 0..6 {
                match (general.get(i, j), fast.get(i, j)) {
                    (Some(a), Some(b)) => assert!((a - b).norm() < 1e-15, "{i} {j}"),
                    (a, b) => assert_eq!(a.is_some(), b.is_some(), "{i} {j}"),
                }
            }
        }
        scratch.reduce_by_dof(&rows, &inverse, &mut slow);
        assert_eq!(fast.blocks(), slow.blocks());
        for i in 0..6 {
            for j in 0..6 {
                let (a, b) = (fast.get(i, j), slow.get(i, j));
                assert_eq!(a.is_some(), b.is_some());
                if let (Some(a), Some(b)) = (a, b) {
                    assert!((a - b).norm() < 1e-15, "{i} {j}");
                }
            }
        }
    }
}
