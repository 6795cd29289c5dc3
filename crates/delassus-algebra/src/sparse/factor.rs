//! One matrix, permuted, and its factor in faer's storage: what [`super::Cholesky`] and
//! [`super::Kkt`] share
//!
//! The permutation is ours and done once: a refactorisation gathers values through `source`
//! and hands faer a matrix already in order. Solves are sequential, since faer's parallel
//! triangular solve sums in an order that depends on the threads.

use super::{AlgebraError, Pattern};
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::ldlt::factor::{LdltError, LdltRegularization};
use faer::linalg::cholesky::llt::factor::LltError;
use faer::sparse::linalg::cholesky::{
    SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering, factorize_symbolic_cholesky, simplicial, supernodal,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};

pub(super) struct Factor {
    symbolic: SymbolicCholesky<usize>,
    /// `order[p]` is the unknown eliminated in place `p`.
    pub order: Vec<u32>,
    /// Permuted matrix, by columns, on the side that faer reads.
    start: Vec<usize>,
    rows: Vec<usize>,
    pub values: Vec<f64>,
    /// For each permuted entry, its place among the given values.
    pub source: Vec<u32>,
    factor: Vec<f64>,
    memory: MemBuffer,
}

/// Whether the factor is L Lᵀ or L D Lᵀ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Llt,
    Ldlt,
}

impl Factor {
    pub fn new(pattern: &Pattern, order: Vec<u32>, kind: Kind) -> Result<Self, AlgebraError> {
        let size = pattern.size();
        let failed = AlgebraError::OutOfMemory { size };
        let upper = permuted(pattern, &order, Side::Upper);
        let structure = SymbolicSparseColMatRef::new_unsorted_checked(size, size, &upper.0, None, &upper.1);
        let symbolic =
            factorize_symbolic_cholesky(structure, Side::Upper, SymmetricOrdering::Identity, Default::default())
                .map_err(|_| failed.clone())?;
        // faer reads the upper triangle column by column, but the lower one by supernodes.
        let (start, rows, source) = match symbolic.raw() {
            SymbolicCholeskyRaw::Simplicial(_) => upper,
            SymbolicCholeskyRaw::Supernodal(_) => {
                drop(upper);
                permuted(pattern, &order, Side::Lower)
            }
        };
        let memory = MemBuffer::try_new(scratch(&symbolic, kind)).map_err(|_| failed.clone())?;
        let factor = try_zeroed(symbolic.len_val()).ok_or(failed)?;
        let values = vec![0.0; source.len()];
        Ok(Self { symbolic, order, start, rows, values, source, factor, memory })
    }

    pub fn size(&self) -> usize {
        self.order.len()
    }

    /// Stored entries of the factor.
    pub fn entries(&self) -> usize {
        self.factor.len()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        8 * (self.factor.len() + self.values.len() + self.rows.len() + self.start.len())
            + 4 * (self.source.len() + self.order.len())
            + self.memory.len()
    }

    /// Permuted values from those of the pattern.
    pub fn gather(&mut self, values: &[f64]) {
        for (v, s) in self.values.iter_mut().zip(&self.source) {
            *v = values[*s as usize];
        }
    }

    /// L Lᵀ of the gathered values, or the place where a pivot is not positive.
    pub fn llt(&mut self) -> Result<(), usize> {
        let n = self.size();
        let structure = SymbolicSparseColMatRef::new_unsorted_checked(n, n, &self.start, None, &self.rows);
        let matrix = SparseColMatRef::new(structure, &self.values);
        let stack = MemStack::new(&mut self.memory);
        let none = Default::default();
        match self.symbolic.raw() {
            SymbolicCholeskyRaw::Simplicial(s) => {
                simplicial::factorize_simplicial_numeric_llt(&mut self.factor, matrix, none, s, stack)
                    .map(|_| ())
                    // This variant counts from one.
                    .map_err(|LltError::NonPositivePivot { index }| index - 1)
            }
            SymbolicCholeskyRaw::Supernodal(s) => {
                let (factor, params) = (&mut self.factor, Default::default());
                supernodal::factorize_supernodal_numeric_llt(factor, matrix, none, s, Par::Seq, stack, params)
                    .map(|_| ())
                    .map_err(|LltError::NonPositivePivot { index }| index)
            }
        }
    }

    /// L D Lᵀ of the gathered values; pivots below `threshold` in size become ± `replacement`.
    /// Otherwise the place where a pivot is not finite.
    pub fn ldlt(&mut self, threshold: f64, replacement: f64) -> Result<(), usize> {
        let n = self.size();
        let structure = SymbolicSparseColMatRef::new_unsorted_checked(n, n, &self.start, None, &self.rows);
        let matrix = SparseColMatRef::new(structure, &self.values);
        let stack = MemStack::new(&mut self.memory);
        let rule = LdltRegularization {
            dynamic_regularization_signs: None,
            dynamic_regularization_delta: replacement,
            dynamic_regularization_epsilon: threshold,
        };
        match self.symbolic.raw() {
            SymbolicCholeskyRaw::Simplicial(s) => {
                simplicial::factorize_simplicial_numeric_ldlt(&mut self.factor, matrix, rule, s, stack)
                    .map(|_| ())
                    .map_err(|LdltError::ZeroPivot { index }| index - 1)
            }
            SymbolicCholeskyRaw::Supernodal(s) => {
                let (factor, params) = (&mut self.factor, Default::default());
                supernodal::factorize_supernodal_numeric_ldlt(factor, matrix, rule, s, Par::Seq, stack, params)
                    .map(|_| ())
                    .map_err(|LdltError::ZeroPivot { index }| index)
            }
        }
    }

    /// Diagonal of the factor (of L, or D), by place.
    pub fn pivots(&self, mut f: impl FnMut(usize, f64)) {
        match self.symbolic.raw() {
            SymbolicCholeskyRaw::Simplicial(s) => {
                s.col_ptr()[..self.size()].iter().enumerate().for_each(|(p, k)| f(p, self.factor[*k]));
            }
            SymbolicCholeskyRaw::Supernodal(s) => {
                for node in 0..s.n_supernodes() {
                    let (first, count, height) = supernode(s, node);
                    let values = &self.factor[s.col_ptr_for_val()[node]..];
                    (0..count).for_each(|k| f(first + k, values[k * (height + 1)]));
                }
            }
        }
    }

    /// Every entry below the diagonal of a unit L whose row `wanted` selects: f(row, column, L).
    pub fn rows(&self, wanted: impl Fn(usize) -> bool, mut f: impl FnMut(usize, usize, f64)) {
        match self.symbolic.raw() {
            SymbolicCholeskyRaw::Simplicial(s) => {
                for column in 0..self.size() {
                    for k in s.col_ptr()[column] + 1..s.col_ptr()[column + 1] {
                        let row = s.row_idx()[k];
                        if wanted(row) {
                            f(row, column, self.factor[k]);
                        }
                    }
                }
            }
            SymbolicCholeskyRaw::Supernodal(s) => {
                for node in 0..s.n_supernodes() {
                    let (first, count, height) = supernode(s, node);
                    let values = &self.factor[s.col_ptr_for_val()[node]..];
                    let below = s.supernode(node).pattern();
                    for k in 0..height {
                        let row = if k < count { first + k } else { below[k - count] };
                        if wanted(row) {
                            (0..count.min(k)).for_each(|c| f(row, first + c, values[c * height + k]));
                        }
                    }
                }
            }
        }
    }

    /// Solves in permuted order, `columns` right-hand sides one after the other.
    pub fn solve(&self, kind: Kind, x: &mut [f64], columns: usize, memory: &mut MemBuffer) {
        let x = MatMut::from_column_major_slice_mut(x, self.size(), columns);
        let stack = MemStack::new(memory);
        let (factor, no) = (self.factor.as_slice(), Conj::No);
        match (self.symbolic.raw(), kind) {
            (SymbolicCholeskyRaw::Simplicial(s), Kind::Llt) => {
                simplicial::SimplicialLltRef::new(s, factor).solve_in_place_with_conj(no, x, Par::Seq, stack);
            }
            (SymbolicCholeskyRaw::Simplicial(s), Kind::Ldlt) => {
                simplicial::SimplicialLdltRef::new(s, factor).solve_in_place_with_conj(no, x, Par::Seq, stack);
            }
            (SymbolicCholeskyRaw::Supernodal(s), Kind::Llt) => {
                supernodal::SupernodalLltRef::new(s, factor).solve_in_place_with_conj(no, x, Par::Seq, stack);
            }
            (SymbolicCholeskyRaw::Supernodal(s), Kind::Ldlt) => {
                supernodal::SupernodalLdltRef::new(s, factor).solve_in_place_with_conj(no, x, Par::Seq, stack);
            }
        }
    }

    /// y ← y − A x in permuted order.
    pub fn subtract_product(&self, x: &[f64], y: &mut [f64]) {
        for column in 0..self.size() {
            let xc = x[column];
            let mut sum = 0.0;
            for k in self.start[column]..self.start[column + 1] {
                let (row, a) = (self.rows[k], self.values[k]);
                if row != column {
                    sum += a * x[row];
                }
                y[row] -= a * xc;
            }
            y[column] -= sum;
        }
    }

    /// Largest absolute row sum of the permuted matrix; `sums` is scratch.
    pub fn norm(&self, sums: &mut [f64]) -> f64 {
        sums.fill(0.0);
        self.entries_by_column(|row, column, a| {
            sums[row] += a.abs();
            if row != column {
                sums[column] += a.abs();
            }
        });
        sums.iter().copied().fold(0.0, f64::max)
    }

    /// Every stored entry of the permuted matrix: f(row, column, value).
    pub fn entries_by_column(&self, mut f: impl FnMut(usize, usize, f64)) {
        for column in 0..self.size() {
            for k in self.start[column]..self.start[column + 1] {
                f(self.rows[k], column, self.values[k]);
            }
        }
    }

    /// Diagonal entry of the permuted matrix in a place.
    pub fn diagonal_mut(&mut self, place: usize) -> &mut f64 {
        let (first, end) = (self.start[place], self.start[place + 1]);
        let k = self.rows[first..end].iter().position(|r| *r == place).expect("patterns have their diagonal");
        &mut self.values[first + k]
    }

    /// Multiplies the permuted matrix by s on both sides.
    pub fn scale(&mut self, s: &[f64]) {
        for column in 0..self.order.len() {
            for k in self.start[column]..self.start[column + 1] {
                self.values[k] *= s[column] * s[self.rows[k]];
            }
        }
    }
}

/// First column, number of columns and of rows of a supernode.
fn supernode(s: &supernodal::SymbolicSupernodalCholesky<usize>, node: usize) -> (usize, usize, usize) {
    let (first, end) = (s.supernode_begin()[node], s.supernode_end()[node]);
    (first, end - first, end - first + s.supernode(node).pattern().len())
}

fn scratch(symbolic: &SymbolicCholesky<usize>, kind: Kind) -> StackReq {
    let n = symbolic.nrows();
    match (symbolic.raw(), kind) {
        (SymbolicCholeskyRaw::Simplicial(_), Kind::Llt) => {
            simplicial::factorize_simplicial_numeric_llt_scratch::<usize, f64>(n)
        }
        (SymbolicCholeskyRaw::Simplicial(_), Kind::Ldlt) => {
            simplicial::factorize_simplicial_numeric_ldlt_scratch::<usize, f64>(n)
        }
        (SymbolicCholeskyRaw::Supernodal(s), Kind::Llt) => {
            supernodal::factorize_supernodal_numeric_llt_scratch::<usize, f64>(s, Par::Seq, Default::default())
        }
        (SymbolicCholeskyRaw::Supernodal(s), Kind::Ldlt) => {
            supernodal::factorize_supernodal_numeric_ldlt_scratch::<usize, f64>(s, Par::Seq, Default::default())
        }
    }
}

/// One triangle of the permuted matrix, by columns: starts, rows, places of the values.
fn permuted(pattern: &Pattern, order: &[u32], side: Side) -> (Vec<usize>, Vec<usize>, Vec<u32>) {
    let n = pattern.size();
    let mut place = vec![0usize; n];
    order.iter().enumerate().for_each(|(p, i)| place[*i as usize] = p);
    let entry = |i: u32, j: usize| {
        let (low, high) = (place[i as usize].min(place[j]), place[i as usize].max(place[j]));
        if side == Side::Upper { (low, high) } else { (high, low) }
    };
    let mut start = vec![0usize; n + 1];
    for j in 0..n {
        pattern.column(j).iter().for_each(|i| start[entry(*i, j).1 + 1] += 1);
    }
    (0..n).for_each(|j| start[j + 1] += start[j]);
    let mut fill = start.clone();
    let mut rows = vec![0usize; pattern.entries()];
    let mut source = vec![0u32; pattern.entries()];
    for j in 0..n {
        for (k, i) in pattern.column(j).iter().enumerate() {
            let (row, column) = entry(*i, j);
            rows[fill[column]] = row;
            source[fill[column]] = (pattern.diagonal(j) + k) as u32;
            fill[column] += 1;
        }
    }
    (start, rows, source)
}

fn try_zeroed(length: usize) -> Option<Vec<f64>> {
    let mut v = vec![];
    v.try_reserve_exact(length).ok()?;
    v.resize(length, 0.0);
    Some(v)
}

/// Scratch of solves: grows when first needed, then stays.
#[derive(Default)]
pub struct SolveScratch {
    memory: Option<MemBuffer>,
    bytes: usize,
    pub(super) x: Vec<f64>,
}

impl SolveScratch {
    /// Memory for `columns` right-hand sides, and `x` of that length.
    pub(super) fn reserve(&mut self, factor: &Factor, columns: usize) -> (&mut MemBuffer, &mut [f64]) {
        let need = factor.symbolic.solve_in_place_scratch::<f64>(columns, Par::Seq);
        let bytes = need.unaligned_bytes_required();
        if self.memory.is_none() || self.bytes < bytes {
            self.memory = Some(MemBuffer::new(need));
            self.bytes = bytes;
        }
        let length = factor.size() * columns;
        if self.x.len() < length {
            self.x.resize(length, 0.0);
        }
        (self.memory.as_mut().expect("made above"), &mut self.x[..length])
    }
}
