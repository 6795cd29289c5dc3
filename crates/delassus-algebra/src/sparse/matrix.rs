//! Symmetric matrices on a fixed pattern

use super::{AlgebraError, Pattern, Scatter};
use std::sync::Arc;

/// A symmetric matrix: the values of the lower triangle of a [`Pattern`].
#[derive(Clone, Debug)]
pub struct SymmetricMatrix {
    pattern: Arc<Pattern>,
    values: Vec<f64>,
}

impl SymmetricMatrix {
    /// The zero matrix.
    pub fn zero(pattern: Arc<Pattern>) -> Self {
        Self { values: vec![0.0; pattern.entries()], pattern }
    }

    /// The entries that may differ from zero.
    pub fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }

    /// Number of unknowns.
    pub fn size(&self) -> usize {
        self.pattern.size()
    }

    /// Values in the order of the pattern.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Values in the order of the pattern, to be changed.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Back to zero.
    pub fn set_zero(&mut self) {
        self.values.fill(0.0);
    }

    /// The entry (i, j); zero outside the pattern.
    pub fn get(&self, i: u32, j: u32) -> f64 {
        self.pattern.position(i, j).map_or(0.0, |p| self.values[p])
    }

    /// Adds `x` to the entry (i, j), and so to (j, i).
    pub fn add(&mut self, i: u32, j: u32, x: f64) -> Result<(), AlgebraError> {
        let p = self.pattern.position(i, j).ok_or(AlgebraError::NotInPattern { row: i, column: j })?;
        self.values[p] += x;
        Ok(())
    }

    /// Adds the symmetric matrix of one element, row by row; its lower triangle is read.
    pub fn add_element(&mut self, scatter: &Scatter, element: usize, k: &[f64]) {
        scatter.add(element, k, &mut self.values);
    }

    /// Adds `a` to the diagonal entries, one value for each unknown (a lumped mass).
    pub fn add_diagonal(&mut self, a: f64, diagonal: &[f64]) {
        for (j, d) in diagonal.iter().enumerate() {
            self.values[self.pattern.diagonal(j)] += a * d;
        }
    }

    /// self ← a A + b B, on the same pattern.
    ///
    /// # Panics
    /// If a pattern differs.
    pub fn set_sum(&mut self, a: f64, matrix_a: &Self, b: f64, matrix_b: &Self) {
        assert!(self.same_pattern(matrix_a) && self.same_pattern(matrix_b), "matrices on different patterns");
        for ((v, x), y) in self.values.iter_mut().zip(&matrix_a.values).zip(&matrix_b.values) {
            *v = a * x + b * y;
        }
    }

    /// self ← self + a A, on the same pattern.
    ///
    /// # Panics
    /// If the pattern differs.
    pub fn add_scaled(&mut self, a: f64, matrix: &Self) {
        assert!(self.same_pattern(matrix), "matrices on different patterns");
        self.values.iter_mut().zip(&matrix.values).for_each(|(v, x)| *v += a * x);
    }

    /// self ← self + A diag(a), on the same pattern, `a` being the same wherever A joins two dofs.
    ///
    /// # Panics
    /// If the pattern differs.
    pub fn add_scaled_columns(&mut self, a: &[f64], matrix: &Self) {
        assert!(self.same_pattern(matrix), "matrices on different patterns");
        let start = self.pattern.column_starts();
        for (j, a) in a.iter().enumerate() {
            let column = start[j]..start[j + 1];
            self.values[column.clone()].iter_mut().zip(&matrix.values[column]).for_each(|(v, x)| *v += a * x);
        }
    }

    fn same_pattern(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.pattern, &other.pattern) || self.pattern == other.pattern
    }

    /// y ← y + A x.
    pub fn mul_add(&self, x: &[f64], y: &mut [f64]) {
        let start = self.pattern.column_starts();
        for j in 0..self.size() {
            let rows = &self.pattern.column(j)[1..];
            let values = &self.values[start[j]..start[j + 1]];
            let xj = x[j];
            let mut sum = values[0] * xj;
            for (&i, a) in rows.iter().zip(&values[1..]) {
                sum += a * x[i as usize];
                y[i as usize] += a * xj;
            }
            y[j] += sum;
        }
    }

    /// xᵀ A x.
    pub fn quadratic_form(&self, x: &[f64]) -> f64 {
        let start = self.pattern.column_starts();
        let mut total = 0.0;
        for j in 0..self.size() {
            let values = &self.values[start[j]..start[j + 1]];
            let below: f64 =
                self.pattern.column(j)[1..].iter().zip(&values[1..]).map(|(&i, a)| a * x[i as usize]).sum();
            total += x[j] * (values[0] * x[j] + 2.0 * below);
        }
        total
    }

    /// The diagonal.
    pub fn diagonal(&self) -> impl ExactSizeIterator<Item = f64> + '_ {
        (0..self.size()).map(|j| self.values[self.pattern.diagonal(j)])
    }

    /// rhs ← rhs − A ū, with ū zero but on imposed dofs, where it is `values`: to be called
    /// before [`Self::impose`], which loses these columns. Imposed rows get `diagonal · ū`.
    pub fn lift(&self, imposed: &Imposed, values: &[f64], diagonal: f64, rhs: &mut [f64]) {
        for &(position, row, rank) in &imposed.coupled {
            rhs[row as usize] -= self.values[position as usize] * values[rank as usize];
        }
        for (dof, value) in imposed.dofs.iter().zip(values) {
            rhs[*dof as usize] = diagonal * value;
        }
    }

    /// Zero rows and columns of imposed dofs, with `diagonal` in their diagonal.
    pub fn impose(&mut self, imposed: &Imposed, diagonal: f64) {
        imposed.cleared.iter().for_each(|p| self.values[*p as usize] = 0.0);
        imposed.dofs.iter().for_each(|j| self.values[self.pattern.diagonal(*j as usize)] = diagonal);
    }
}

/// Dofs whose values are imposed, and the entries of a pattern that they concern.
#[derive(Clone, Debug, Default)]
pub struct Imposed {
    dofs: Vec<u32>,
    /// Off-diagonal entries of their rows and columns.
    cleared: Vec<u32>,
    /// (entry, free row, rank of the imposed dof).
    coupled: Vec<(u32, u32, u32)>,
}

impl Imposed {
    /// Dofs in any order, named once.
    pub fn new(pattern: &Pattern, dofs: &[u32]) -> Result<Self, AlgebraError> {
        let count = pattern.size();
        let mut rank = vec![u32::MAX; count];
        for (k, &dof) in dofs.iter().enumerate() {
            let known = rank.get_mut(dof as usize).ok_or(AlgebraError::DofOutOfRange { list: 0, dof, count })?;
            if *known != u32::MAX {
                return Err(AlgebraError::RepeatedDof { element: 0, dof });
            }
            *known = k as u32;
        }
        let mut out = Self { dofs: dofs.to_vec(), ..Self::default() };
        for j in 0..count {
            for (k, &i) in pattern.column(j).iter().enumerate().skip(1) {
                let position = (pattern.diagonal(j) + k) as u32;
                match (rank[i as usize], rank[j]) {
                    (u32::MAX, u32::MAX) => continue,
                    (u32::MAX, r) => out.coupled.push((position, i, r)),
                    (r, u32::MAX) => out.coupled.push((position, j as u32, r)),
                    _ => {}
                }
                out.cleared.push(position);
            }
        }
        Ok(out)
    }

    /// The imposed dofs.
    pub fn dofs(&self) -> &[u32] {
        &self.dofs
    }
}
