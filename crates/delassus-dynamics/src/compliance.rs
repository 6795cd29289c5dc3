//! The part of `A⁻¹` that contacts see
//!
//! ```text
//!     W_ij = Σ_a Σ_b c_a (A⁻¹)_ab c_bᵀ        a, b degrees of freedom of the blocks i, j
//! ```
//!
//! One solve for each degree of freedom that is touched. While `A` does not change, columns once
//! computed are kept: a contact that lasts costs no solve.

/// Columns of `A⁻¹` of a part, restricted to the degrees of freedom that may be touched.
#[derive(Clone, Debug, Default)]
pub struct Compliance {
    /// Rank among the touchable of each degree of freedom, `u32::MAX` elsewhere.
    rank: Vec<u32>,
    touchable: Vec<u32>,
    /// Column of each rank: place in `values`, or [`UNKNOWN`].
    place: Vec<u32>,
    values: Vec<f64>,
    known: Vec<u32>,
    wanted: Vec<u32>,
    columns: Vec<f64>,
}

const UNKNOWN: u32 = u32::MAX;

impl Compliance {
    /// For a part of `dofs` degrees of freedom, some of them touchable (ascending).
    pub fn new(dofs: usize, touchable: Vec<u32>) -> Self {
        let mut rank = vec![u32::MAX; dofs];
        touchable.iter().enumerate().for_each(|(k, d)| rank[*d as usize] = k as u32);
        Self { rank, place: vec![UNKNOWN; touchable.len()], touchable, ..Self::default() }
    }

    /// `A` has changed.
    pub fn forget(&mut self) {
        self.known.drain(..).for_each(|k| self.place[k as usize] = UNKNOWN);
        self.values.clear();
    }

    /// Makes sure that the columns of some degrees of freedom are known; `solve` applies `A⁻¹` to many
    /// columns, one after the other.
    pub fn prepare<E>(&mut self, dofs: &[u32], solve: impl FnOnce(&mut [f64]) -> Result<(), E>) -> Result<(), E> {
        let n = self.rank.len();
        self.wanted.clear();
        for d in dofs {
            let rank = self.rank[*d as usize];
            if self.place[rank as usize] == UNKNOWN {
                self.place[rank as usize] = self.known.len() as u32;
                self.known.push(rank);
                self.wanted.push(*d);
            }
        }
        if self.wanted.is_empty() {
            return Ok(());
        }
        self.columns.clear();
        self.columns.resize(n * self.wanted.len(), 0.0);
        for (column, d) in self.columns.chunks_exact_mut(n).zip(&self.wanted) {
            column[*d as usize] = 1.0;
        }
        solve(&mut self.columns)?;
        for column in self.columns.chunks_exact(n) {
            self.values.extend(self.touchable.iter().map(|d| column[*d as usize]));
        }
        Ok(())
    }

    /// An entry of `A⁻¹` of two degrees of freedom whose columns are known: the same bits for (a, b) and (b, a).
    #[inline]
    pub fn entry(&self, a: u32, b: u32) -> f64 {
        let (a, b) = (self.rank[a as usize], self.rank[b as usize]);
        let (a, b) = (a.min(b), a.max(b));
        self.values[self.place[a as usize] as usize * self.touchable.len() + b as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference: the inverse of a matrix of two.
    #[test]
    fn columns_are_those_of_the_inverse() {
        let mut c = Compliance::new(3, vec![0, 2]);
        // A = [[2, 0, 1], [0, 1, 0], [1, 0, 1]], A⁻¹ = [[1, 0, −1], [0, 1, 0], [−1, 0, 2]].
        let solve = |x: &mut [f64]| {
            for x in x.chunks_exact_mut(3) {
                let (a, b) = (x[0], x[2]);
                (x[0], x[2]) = (a - b, 2.0 * b - a);
            }
            Ok::<(), ()>(())
        };
        c.prepare(&[2], solve).expect("solves");
        c.prepare(&[0, 2], solve).expect("solves");
        assert_eq!([c.entry(0, 0), c.entry(0, 2), c.entry(2, 0), c.entry(2, 2)], [1.0, -1.0, -1.0, 2.0]);
        c.forget();
        c.prepare(&[0, 2], |x| {
            x.fill(7.0);
            Ok::<(), ()>(())
        })
        .expect("solves");
        assert_eq!(c.entry(2, 0), 7.0);
    }
}
