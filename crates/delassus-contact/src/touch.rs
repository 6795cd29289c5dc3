//! Where a contact touches deformable solids: nodes and their shares.

use crate::skin::FACET_NODES;
use crate::{ContactKey, Vector};

/// Numbers with coefficients: nodes and shape functions, or multipliers and their basis.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stencil {
    count: u8,
    index: [u32; FACET_NODES],
    value: [f64; FACET_NODES],
}

impl Stencil {
    /// From as many numbers as there are coefficients; those beyond eight are left out.
    pub fn new(index: &[u32], value: &[f64]) -> Self {
        let n = index.len().min(value.len()).min(FACET_NODES);
        let mut s = Self { count: n as u8, ..Self::default() };
        s.index[..n].copy_from_slice(&index[..n]);
        s.value[..n].copy_from_slice(&value[..n]);
        s
    }

    /// The same coefficients of numbers larger by `by`.
    pub fn shifted(mut self, by: u32) -> Self {
        self.index.iter_mut().for_each(|i| *i += by);
        self
    }

    /// The numbers.
    pub fn indices(&self) -> &[u32] {
        &self.index[..self.count as usize]
    }

    /// Their coefficients.
    pub fn values(&self) -> &[f64] {
        &self.value[..self.count as usize]
    }

    /// Number and coefficient, one after the other.
    pub fn iter(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.indices().iter().copied().zip(self.values().iter().copied())
    }

    /// `Σ c_i v_i` of a flat field of vectors.
    pub fn apply<const D: usize>(&self, field: &[f64]) -> Vector<D> {
        let mut sum = Vector::<D>::zeros();
        for (i, c) in self.iter() {
            for k in 0..D {
                sum[k] += c * field[D * i as usize + k];
            }
        }
        sum
    }
}

/// The nodes of a contact, in the common numbering of all solids: first side, second side. A
/// side that is not deformable has none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// The contact.
    pub key: ContactKey,
    /// Nodes and their shares of each side.
    pub sides: [Stencil; 2],
}
