//! The part of `A⁻¹` that contacts see
//!
//! ```text
//!     W_ij = Σ_a Σ_b c_a (A⁻¹)_ab c_bᵀ        a, b degrees of freedom of the contacts i, j
//! ```
//!
//! One solve for each degree of freedom that is touched. For linear solids `A` is the same at
//! every step, and columns once computed are kept: a contact that lasts costs no solve.

use super::Deformable;

/// Columns of `A⁻¹` of one solid, restricted to the degrees of freedom of its skin.
#[derive(Default)]
pub struct Compliance {
    /// Rank on the skin of each degree of freedom, `u32::MAX` inside.
    rank: Vec<u32>,
    /// Degrees of freedom of the skin.
    skin: Vec<u32>,
    /// Column of each rank; empty while unknown.
    columns: Vec<Vec<f64>>,
    /// Columns that are known, to be forgotten with `A`.
    known: Vec<u32>,
    version: u64,
    scratch: Vec<f64>,
}

impl Compliance {
    pub(super) fn new(dofs: usize, skin: Vec<u32>) -> Self {
        let mut rank = vec![u32::MAX; dofs];
        skin.iter().enumerate().for_each(|(k, d)| rank[*d as usize] = k as u32);
        Self { rank, columns: vec![vec![]; skin.len()], skin, ..Self::default() }
    }

    /// Makes sure that the columns of some degrees of freedom are those of the present `A`.
    pub(super) fn prepare(&mut self, solid: &Deformable, dofs: impl Iterator<Item = u32>) {
        if self.version != solid.factorisations() {
            self.version = solid.factorisations();
            self.known.drain(..).for_each(|k| self.columns[k as usize].clear());
        }
        for dof in dofs.filter(|d| !solid.is_held(*d as usize)) {
            let rank = self.rank[dof as usize];
            let column = &mut self.columns[rank as usize];
            if !column.is_empty() {
                continue;
            }
            self.scratch.clear();
            self.scratch.resize(solid.dofs(), 0.0);
            self.scratch[dof as usize] = 1.0;
            solid.solve_in_place(&mut self.scratch);
            column.extend(self.skin.iter().map(|d| self.scratch[*d as usize]));
            self.known.push(rank);
        }
    }

    /// An entry of `A⁻¹`: the same bits for (a, b) and (b, a).
    #[inline]
    pub fn entry(&self, a: u32, b: u32) -> f64 {
        let (a, b) = (self.rank[a as usize], self.rank[b as usize]);
        self.columns[a.min(b) as usize][a.max(b) as usize]
    }
}
