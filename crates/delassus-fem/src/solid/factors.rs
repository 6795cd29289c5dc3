//! What a solid keeps of its inertia, strain and loads where another model has the rest: method (17)

use super::batch::{AnyBatch, Batch, Geometry, with_batch};
use super::{Hypothesis, Solid, SolidError, mass};
use crate::element;

/// Factors of the points of all cells; a cell that shares nothing may have an empty list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Factors {
    /// α, at the points of the mass rule.
    pub inertia: Vec<Vec<f64>>,
    /// β, at the points of the stiffness rule.
    pub strain: Vec<Vec<f64>>,
    /// γ, of loads in volume, at the points of the mass rule.
    pub load: Vec<Vec<f64>>,
}

impl Solid {
    /// Points of a cell at which inertia and loads are summed, and those of the strain.
    pub fn points_of(&self, cell: usize) -> [usize; 2] {
        [element::mass_rule(self.kind(cell)).points.len(), self.batch(cell).points()]
    }

    /// Takes a share of inertia, strain and loads; what was taken before counts too.
    ///
    /// # Errors
    /// A factor that is not positive, lists of another length.
    pub fn weigh(&mut self, factors: &Factors) -> Result<(), SolidError> {
        for list in [&factors.inertia, &factors.strain, &factors.load] {
            if list.len() != self.cells {
                return Err(SolidError::Length { name: "factors", len: list.len(), expected: self.cells });
            }
        }
        for cell in 0..self.cells {
            let [mass, stiffness] = self.points_of(cell);
            for (list, points) in [(&factors.inertia, mass), (&factors.strain, stiffness), (&factors.load, mass)] {
                let list = &list[cell];
                if !list.is_empty() && list.len() != points {
                    return Err(SolidError::Length { name: "factors", len: list.len(), expected: points });
                }
                if let Some(&value) = list.iter().find(|f| !(**f > 0.0 && f.is_finite())) {
                    return Err(SolidError::Factor { cell, value });
                }
            }
        }
        let mut all = self.factors.take().unwrap_or_else(|| Factors {
            inertia: vec![vec![]; self.cells],
            strain: vec![vec![]; self.cells],
            load: vec![vec![]; self.cells],
        });
        for (mine, other) in [(&mut all.inertia, &factors.inertia), (&mut all.load, &factors.load)] {
            mine.iter_mut().zip(other).for_each(|(a, b)| multiply(a, b));
        }
        all.strain.iter_mut().zip(&factors.strain).for_each(|(a, b)| multiply(a, b));
        let Self { batches, points, spec, .. } = self;
        for batch in batches {
            with_batch!(batch, b => b.weigh([factors, &all], points, spec.hypothesis)?);
        }
        self.factors = Some(all);
        Ok(())
    }

    /// Shares taken so far.
    pub fn factors(&self) -> Option<&Factors> {
        self.factors.as_ref()
    }

    /// Factors of the points of a cell, if it shares anything.
    pub(super) fn factor(&self, of: impl Fn(&Factors) -> &Vec<Vec<f64>>, cell: usize) -> Option<&[f64]> {
        self.factors.as_ref().map(|f| of(f)[cell].as_slice()).filter(|f| !f.is_empty())
    }

    /// Mean factor of the strain of a cell.
    pub fn share(&self, cell: usize) -> f64 {
        self.factor(|f| &f.strain, cell).map_or(1.0, |f| f.iter().sum::<f64>() / f.len() as f64)
    }
}

fn multiply(a: &mut Vec<f64>, b: &[f64]) {
    match (a.is_empty(), b.is_empty()) {
        (_, true) => {}
        (true, _) => a.extend_from_slice(b),
        _ => a.iter_mut().zip(b).for_each(|(a, b)| *a *= b),
    }
}

impl<const D: usize, const N: usize, const Q: usize> Batch<D, N, Q> {
    /// New factors of the strain on the weights, all factors of the inertia on the lumped volumes.
    fn weigh(
        &mut self,
        [new, all]: [&Factors; 2],
        points: &[[f64; 3]],
        hypothesis: Hypothesis,
    ) -> Result<(), SolidError> {
        for (rank, (cell, shares)) in self.cells.iter_mut().zip(&mut self.shares).enumerate() {
            let index = self.first + rank;
            if !new.strain[index].is_empty() {
                cell.weights.iter_mut().zip(&new.strain[index]).for_each(|(w, f)| *w *= f);
                cell.volume = cell.weights.iter().sum();
            }
            if !all.inertia[index].is_empty() {
                let geometry = Geometry { cell: index, kind: self.kind, nodes: &cell.nodes, points, hypothesis };
                *shares = mass::shares(&geometry, Some(&all.inertia[index]))?;
            }
        }
        Ok(())
    }
}
