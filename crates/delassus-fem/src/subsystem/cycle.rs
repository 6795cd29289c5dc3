//! Two time steps: parts that make one long step while the others make several
//!
//! ```text
//!     long step H = m h, velocity of its end that nothing glues:   R_H(X) = 0
//!     that of its beginning:                                       W = v₀ − A⁻¹ Bᵀ Υ₀
//!     after the share s of it                                      x = (1 − s) W + s X + A⁻¹ Bᵀ Υ
//! ```
//!
//! \[Gravouil01\]: velocities are glued at the end of each short step, to that of the long one between its ends; what
//! glues them last is what the long step feels. With `σ = (1 − s)(X − W)` the residual of the long step at `x + σ` is
//! that of the short one, and its matrix stays. The interface dissipates, within the order of the long step.

use super::SolidSettings;
use super::solids::Solids;
use crate::algebra::{Cholesky, SolveScratch};
use crate::model::Model;
use crate::structure::StructureError;
use std::ops::Range;

/// A long step that is over up to this share of it is over.
const OVER: f64 = 1e-6;

/// Parts with long steps.
pub struct Cycle {
    /// Long steps of degrees of freedom \[s\].
    pub ranges: Vec<(Range<usize>, f64)>,
    /// Degrees of freedom of all of them.
    pub dofs: Vec<usize>,
    /// Whether a degree of freedom has a long step.
    pub has: Vec<bool>,
    /// Displacements, velocities and accelerations at the beginning of the long step, `X` and `W`.
    pub base: [Vec<f64>; 5],
    /// When each of the ranges began its long step \[s\].
    pub since: Vec<f64>,
    /// `σ`.
    pub shift: Vec<f64>,
    /// `s` of the end of the short step.
    pub share: Vec<f64>,
    factor: Option<(f64, Cholesky)>,
    scratch: SolveScratch,
}

impl Cycle {
    /// Those of a model whose short step is `h`.
    pub fn new(model: &Model, settings: &SolidSettings, h: f64) -> Option<Self> {
        if settings.every.is_empty() {
            return None;
        }
        let n = model.dofs();
        let of = |(owner, every): (&usize, &usize)| {
            let long = *every as f64 * h;
            model.ranges(*owner).into_iter().map(move |r| (r, long)).collect::<Vec<_>>()
        };
        let ranges: Vec<(Range<usize>, f64)> = settings.every.iter().flat_map(of).collect();
        let mut has = vec![false; n];
        ranges.iter().for_each(|(r, _)| has[r.clone()].fill(true));
        let zero = || vec![0.0; n];
        Some(Self {
            dofs: (0..n).filter(|i| has[*i]).collect(),
            has,
            base: [zero(), zero(), zero(), zero(), zero()],
            since: ranges.iter().map(|(_, long)| -long).collect(),
            ranges,
            shift: zero(),
            share: vec![1.0; n],
            factor: None,
            scratch: SolveScratch::default(),
        })
    }

    /// Numbers that a state keeps.
    pub fn len(&self) -> usize {
        self.base.len() * self.dofs.len() + self.since.len()
    }

    /// Those of a state.
    pub fn read(&mut self, own: &[f64]) {
        let (base, since) = own.split_at(self.base.len() * self.dofs.len());
        for (base, from) in self.base.iter_mut().zip(base.chunks(self.dofs.len())) {
            self.dofs.iter().zip(from).for_each(|(i, x)| base[*i] = *x);
        }
        self.since.copy_from_slice(since);
    }

    /// Into a state.
    pub fn write(&self, own: &mut [f64]) {
        let (base, since) = own.split_at_mut(self.base.len() * self.dofs.len());
        for (base, to) in self.base.iter().zip(base.chunks_mut(self.dofs.len())) {
            self.dofs.iter().zip(to).for_each(|(i, x)| *x = base[*i]);
        }
        since.copy_from_slice(&self.since);
    }

    /// At the beginning of a short step: long ones that are over begin again. Whether one does.
    fn turn(&mut self, t: f64, h: f64, [u, v, a]: [&[f64]; 3]) -> bool {
        let mut turned = false;
        for ((range, long), since) in self.ranges.iter().zip(&mut self.since) {
            let r = || range.clone();
            if t >= *since + *long * (1.0 - OVER) {
                *since = t;
                for (base, from) in self.base.iter_mut().zip([u, v, a]) {
                    base[r()].copy_from_slice(&from[r()]);
                }
                turned = true;
            }
            let share = (t + h - *since) / *long;
            self.share[r()].fill(if share > 1.0 - OVER { 1.0 } else { share });
        }
        turned
    }

    /// When the long step of a degree of freedom ends \[s\].
    pub fn end(&self, dof: usize) -> Option<f64> {
        let found = self.ranges.iter().zip(&self.since).find(|((r, _), _)| r.contains(&dof));
        found.map(|((_, long), since)| since + long)
    }
}

impl<const D: usize> Solids<D> {
    /// Begins the short step; long ones that begin with it find their free end first.
    pub(super) fn begin_cycled(&mut self) -> Result<(), StructureError> {
        let b = &self.balance;
        let Some(cycle) = &mut self.cycle else { return self.begin() };
        let turned = cycle.turn(b.t, b.h, [&b.u, &b.v, &b.a]);
        cycle.shift.fill(0.0);
        self.begin()?;
        if turned {
            let x = self.balance.x.clone();
            self.evaluate_at(&x, true)?;
            self.assemble();
            let mut free = self.balance.residual.clone();
            self.release_long(&mut free)?;
            let mut glued: Vec<f64> = self.balance.tied.iter().map(|f| self.balance.h * f).collect();
            glued.resize(x.len(), 0.0);
            self.release_long(&mut glued)?;
            let (now, time) = (&self.balance.v, self.balance.t);
            let Some(cycle) = &mut self.cycle else { return Ok(()) };
            for ((range, _), _) in cycle.ranges.iter().zip(&cycle.since).filter(|(_, since)| **since == time) {
                for i in range.clone() {
                    cycle.base[3][i] = x[i] - free[i];
                    cycle.base[4][i] = now[i] - glued[i];
                }
            }
        }
        let Some(cycle) = &mut self.cycle else { return Ok(()) };
        for i in &cycle.dofs {
            cycle.shift[*i] = (1.0 - cycle.share[*i]) * (cycle.base[3][*i] - cycle.base[4][*i]);
        }
        let b = &mut self.balance;
        let held = self.structure.imposed().dofs().iter().zip(&mut b.imposed);
        held.for_each(|(dof, x)| *x -= cycle.shift[*dof as usize]);
        for i in &cycle.dofs {
            // Between the ends of the long step, as it would go freely.
            b.x[*i] = (1.0 - cycle.share[*i]) * cycle.base[4][*i] + cycle.share[*i] * cycle.base[3][*i];
        }
        for (dof, x) in self.structure.imposed().dofs().iter().zip(&b.imposed) {
            b.x[*dof as usize] = *x;
        }
        b.start.clear();
        b.start.extend_from_slice(&b.x);
        b.forget();
        Ok(())
    }

    /// `r ← A⁻¹ r` on the parts with long steps alone, nothing tied.
    fn release_long(&mut self, r: &mut [f64]) -> Result<(), StructureError> {
        let (matrix, h) = (self.matrix(), self.balance.h);
        let mut alone = matrix.clone();
        let pattern = matrix.pattern().clone();
        let Some(cycle) = &mut self.cycle else { return Ok(()) };
        if cycle.factor.as_ref().is_none_or(|f| f.0 != h) {
            let start = pattern.column_starts();
            for j in (0..r.len()).filter(|j| !cycle.has[*j]) {
                alone.values_mut()[start[j]..start[j + 1]].fill(0.0);
                alone.values_mut()[pattern.diagonal(j)] = 1.0;
            }
            let mut factor = Cholesky::new(&pattern)?;
            factor.refactor(&alone)?;
            cycle.factor = Some((h, factor));
        }
        (0..r.len()).filter(|j| !cycle.has[*j]).for_each(|j| r[j] = 0.0);
        if let Some((_, factor)) = &cycle.factor {
            factor.solve_in_place(r, &mut cycle.scratch)?;
        }
        Ok(())
    }
}
