//! Weighted rows of the multipliers
//!
//! ```text
//! G_m = Σ_j ω_j ψ_m(p_j) (N, −N̄) ⊗ (n, t1[, t2])      w_m = Σ_j ω_j ψ_m      g_m = Σ_j ω_j ψ_m g_j
//! ```
#![allow(dead_code)]

use delassus_contact::skin::Interface;
use delassus_contact::{Dim, Rotation, Space};
use std::collections::BTreeMap;

/// Per multiplier: nodes with blocks whose row `c` multiplies the node's displacement for component `c`.
#[derive(Default)]
pub struct Rows<const D: usize> {
    pub rows: Vec<BTreeMap<u32, Rotation<D>>>,
    pub weights: Vec<f64>,
    pub gaps: Vec<f64>,
}

pub fn rows<const D: usize>(i: &Interface<D>) -> Rows<D>
where
    Dim<D>: Space<D>,
{
    let n = i.multipliers();
    let mut out = Rows { rows: vec![BTreeMap::new(); n], weights: vec![0.0; n], gaps: vec![0.0; n] };
    for p in i.points() {
        for (m, psi) in p.multiplier.iter() {
            let (m, share) = (m as usize, p.weight * psi);
            out.weights[m] += share;
            out.gaps[m] += share * p.gap;
            for (node, c) in p.coefficients() {
                *out.rows[m].entry(node).or_insert_with(Rotation::<D>::zeros) += p.frame.transpose() * (share * c);
            }
        }
    }
    out
}
