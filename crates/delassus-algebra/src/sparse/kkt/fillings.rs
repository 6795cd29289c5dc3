//! Pivots that vanish, filled, and the formula of Woodbury that takes the fillings out

use crate::sparse::dense::Dense;
use crate::sparse::error::check_finite;
use crate::sparse::factor::{Factor, Kind};
use crate::sparse::{AlgebraError, SolveScratch};

#[derive(Default)]
pub(super) struct Fillings {
    pub places: Vec<Filling>,
    /// P⁻¹ E, columns one after the other.
    pub columns: Vec<f64>,
    g: Dense,
    small: Vec<f64>,
}

#[derive(Clone, Copy)]
pub(super) struct Filling {
    /// Place in the order of elimination.
    pub place: usize,
    /// δ with its sign: negative for constraints.
    pub delta: f64,
    /// Diagonal of the scaled matrix.
    pub own: f64,
    /// Pivot without the filling.
    pub left: f64,
}

impl Fillings {
    /// P⁻¹ E, by the factor of P.
    pub fn prepare(&mut self, factor: &Factor, scratch: &mut SolveScratch) -> Result<(), AlgebraError> {
        let (n, r) = (factor.size(), self.places.len());
        self.columns.clear();
        self.columns.resize(n * r, 0.0);
        for (column, f) in self.columns.chunks_exact_mut(n.max(1)).zip(&self.places) {
            column[f.place] = 1.0;
            let (memory, _) = scratch.reserve(factor, 1);
            factor.solve(Kind::Ldlt, column, 1, memory);
        }
        check_finite("factor", &self.columns)
    }

    /// Factorises G; otherwise gives the place of an unknown that the others decide.
    pub fn factor_small(&mut self, smallest: f64) -> Result<(), usize> {
        let Self { places, columns, g, small } = self;
        let r = places.len();
        let n = columns.len().checked_div(r).unwrap_or(0);
        small.resize(r, 0.0);
        g.reset(r);
        for (i, f) in places.iter().enumerate() {
            for j in 0..r {
                let identity = if i == j { f.delta.recip() } else { 0.0 };
                g.set(i, j, identity - columns[j * n + f.place]);
            }
        }
        g.factor(smallest).map_err(|column| places[column].place)
    }

    /// x = P⁻¹ b ← A⁻¹ b.
    pub fn correct(&mut self, x: &mut [f64]) {
        let Self { places, columns, g, small } = self;
        if places.is_empty() {
            return;
        }
        small.iter_mut().zip(places.iter()).for_each(|(s, f)| *s = x[f.place]);
        g.solve(small);
        for (column, s) in columns.chunks_exact(x.len()).zip(small.iter()) {
            x.iter_mut().zip(column).for_each(|(x, c)| *x += s * c);
        }
    }
}
