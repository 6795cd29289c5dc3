//! The rows of the multipliers, `G_m = Σ_j ω_j ψ_m(p_j) G_j`, over all pairs

use super::points::Points;

/// A row by degrees of freedom: components of the contact space.
pub type Row = Vec<(u32, [f64; 3])>;

/// Rows, areas and coefficients of friction of the multipliers.
#[derive(Default)]
pub struct MultiplierRows {
    /// Rows.
    pub rows: Vec<Row>,
    /// Areas `Σ_j ω_j ψ_m`.
    pub weight: Vec<f64>,
    /// Coefficients of friction.
    pub friction: Vec<f64>,
}

impl MultiplierRows {
    /// Gathers the rows of a pairing; kept multipliers are taken over where they fit.
    pub fn gather(&mut self, points: &Points, kept: &[f64], multipliers: &mut Vec<f64>) {
        let (count, dim) = (points.multipliers(), points.dim());
        self.rows.iter_mut().for_each(Vec::clear);
        self.rows.resize_with(count, Vec::new);
        for x in [&mut self.weight, &mut self.friction] {
            x.clear();
            x.resize(count, 0.0);
        }
        for j in 0..points.len() {
            for (m, psi) in points.basis(j) {
                let (m, w) = (*m as usize, points.weight[j] * psi);
                self.weight[m] += w;
                self.friction[m] = points.friction[j];
                for (node, c) in points.columns(j) {
                    for i in 0..dim {
                        let column = std::array::from_fn(|a| if a < dim { w * c * points.frame[j][a][i] } else { 0.0 });
                        self.rows[m].push(((dim * node as usize + i) as u32, column));
                    }
                }
            }
        }
        self.rows.iter_mut().for_each(merge);
        multipliers.clear();
        multipliers.resize(dim * count, 0.0);
        if kept.len() == dim * count {
            multipliers.copy_from_slice(kept);
        }
    }
}

/// Sums entries of the same degree of freedom.
fn merge(row: &mut Row) {
    row.sort_unstable_by_key(|entry| entry.0);
    row.dedup_by(|b, a| {
        let same = a.0 == b.0;
        if same {
            (0..3).for_each(|k| a.1[k] += b.1[k]);
        }
        same
    });
}
