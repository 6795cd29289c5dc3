//! Variables that are zero all over the set
//!
//! ```text
//!     maximise Σ_J x_j,   A x = b,  x ≥ 0,  x_J ≤ 1
//! ```
//!
//! What is positive at the vertex found leaves `J`, until the maximum is zero. The prices `v` of the last program prove
//! it: `Aᵀ v ≥ 0`, at least 1 on `J`, and `b·v = 0`, so that `0 = b·v = Σ x_j (Aᵀ v)_j ≥ Σ_J x_j` for every point of
//! the set. They are checked as they are, whatever the pivots did.

use super::{At, End, Simplex};

/// Values that count as positive; data are scaled to 1.
const POSITIVE: f64 = 1e-7;
/// Most programs.
const ROUNDS: usize = 100;
/// What the prices may leave of the proof.
const PROVED: f64 = 1e-7;

impl Simplex {
    /// Which of the variables that are only bounded by zero from below are zero at every point; the present vertex is
    /// one of them. `None` where the programs find no proof.
    pub fn zeros(&self) -> Option<Vec<bool>> {
        let n = self.row.len();
        let pushes = |j: usize| self.given[0][j] == 0.0 && self.given[1][j] == f64::INFINITY;
        let mut open: Vec<bool> = (0..n).map(|j| pushes(j) && self.exact[j] <= POSITIVE).collect();
        let mut copy = self.clone();
        // Where one of them can grow it can grow a little from this vertex: the limits exclude none.
        for j in (0..n).filter(|j| open[*j]) {
            copy.given[1][j] = 1.0;
            copy.upper[j] = 1.0 + copy.lower[j].abs();
        }
        for _ in 0..ROUNDS {
            let cost: Vec<(usize, f64)> = (0..n).filter(|j| open[*j]).map(|j| (j, 1.0)).collect();
            if cost.is_empty() {
                return Some(open);
            }
            if copy.maximise(&cost) != End::Optimal {
                return None;
            }
            let before = cost.len();
            (0..n).for_each(|j| open[j] &= copy.exact[j] <= POSITIVE);
            if open.iter().filter(|o| **o).count() == before {
                return copy.proves(&open, pushes).then_some(open);
            }
        }
        None
    }

    /// Whether the prices of the last objective show that these variables are zero.
    fn proves(&mut self, zero: &[bool], pushes: impl Fn(usize) -> bool) -> bool {
        let v: Vec<f64> = self.prices().iter().map(|y| -y).collect();
        let size = v.iter().fold(1.0f64, |m, v| m.max(v.abs()));
        let value: f64 = v.iter().zip(&self.right).map(|(v, b)| v * b).sum();
        let column = |j: usize| self.columns.column(j).iter().map(|(r, a)| v[*r as usize] * a).sum::<f64>();
        let holds = |j: usize| match (zero[j], pushes(j)) {
            (true, _) => column(j) >= 1.0 - PROVED * size,
            (_, true) => column(j) >= -PROVED * size,
            _ => column(j).abs() <= PROVED * size,
        };
        value.abs() <= PROVED * size && (0..zero.len()).all(holds)
    }

    /// Holds variables at zero for good; the present vertex has them there.
    pub fn hold(&mut self, zero: &[bool]) {
        for j in (0..zero.len()).filter(|j| zero[*j]) {
            self.given[1][j] = 0.0;
            self.upper[j] = -self.lower[j];
            if self.at[j] == At::Upper {
                self.put_aside(j);
            }
        }
    }
}
