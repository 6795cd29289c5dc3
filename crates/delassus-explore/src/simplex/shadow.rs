//! Two objectives, and the direction between them turning
//!
//! ```text
//!     maximise (cos θ c₁ + sin θ c₂)·x,      θ from begin to end
//! ```
//!
//! The reduced costs of both objectives follow the pivots; the first combination to change its
//! sign names the variable that enters. One pivot leads from each vertex of the shadow of the set
//! to the next \[Dantzig63\].

use super::step::Step;
use super::{At, End, FEASIBLE, OPTIMAL, Simplex};
use std::f64::consts::FRAC_PI_2;

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turned {
    /// At the angle asked for.
    Done,
    /// Before: without a bound, by round-off or by the limit on pivots.
    Lost,
}

/// Optimality that fresh reduced costs must show; they lose some digits between factorisations.
const CONFIRMED: f64 = 1e-7;
/// Angles that differ by less are one, and the largest change of sign is taken first.
const SAME: f64 = 1e-13;

impl Simplex {
    /// Follows the best vertex while the direction turns; `visit` sees each, the first included.
    pub fn turn_around(
        &mut self,
        axes: [&[(usize, f64)]; 2],
        [begin, end]: [f64; 2],
        visit: &mut dyn FnMut(&[f64]),
    ) -> Turned {
        let mut angle = begin;
        if !self.best_at(axes, angle) {
            return Turned::Lost;
        }
        visit(&self.exact);
        let limit = 2000 + 20 * self.columns.len();
        for _ in 0..limit {
            if self.factor.is_worn() && !self.confirm(axes, angle) {
                return Turned::Lost;
            }
            let Some((q, sense, turn)) = self.next(angle) else {
                angle += FRAC_PI_2;
                if angle >= end {
                    return self.finish(axes, end);
                }
                continue;
            };
            if angle + turn >= end {
                return self.finish(axes, end);
            }
            self.bring(q);
            let step = self.blocking(q, sense, false);
            let Some(length) = step.length() else { return Turned::Lost };
            if let Step::Pivot { place, .. } = step {
                if !self.cross(place, q) && self.factor.is_updated() {
                    if !self.confirm(axes, angle) {
                        return Turned::Lost;
                    }
                    continue;
                }
                let (out, pivot) = (self.basis[place] as usize, self.w[place]);
                self.change(0, q, out, pivot);
                self.change(1, q, out, pivot);
            }
            self.take(q, sense, length, step);
            self.pivots += 1;
            angle += turn;
            visit(&self.exact);
        }
        Turned::Lost
    }

    /// The vertex at the end has to be the best one there.
    fn finish(&mut self, axes: [&[(usize, f64)]; 2], end: f64) -> Turned {
        let before = self.x.clone();
        let value = |x: &[f64]| -> f64 {
            let of = |k: usize| axes[k].iter().map(|(j, c)| c * x[*j]).sum::<f64>();
            end.cos() * of(0) + end.sin() * of(1)
        };
        if self.best_at(axes, end)
            && (value(&self.x) - value(&before)).abs() <= CONFIRMED * (1.0 + value(&before).abs())
        {
            return Turned::Done;
        }
        Turned::Lost
    }

    fn best_at(&mut self, axes: [&[(usize, f64)]; 2], angle: f64) -> bool {
        let (sin, cos) = angle.sin_cos();
        let mut cost: Vec<(usize, f64)> = axes[0].iter().map(|(j, c)| (*j, cos * c)).collect();
        for (j, c) in axes[1] {
            match cost.iter_mut().find(|e| e.0 == *j) {
                Some(e) => e.1 += sin * c,
                None => cost.push((*j, sin * c)),
            }
        }
        let best = self.maximise(&cost) == End::Optimal;
        self.price(1, axes[1]);
        self.price(0, axes[0]);
        best
    }

    /// Fresh factors and reduced costs: the vertex is admissible and the best, or is made so.
    fn confirm(&mut self, axes: [&[(usize, f64)]; 2], angle: f64) -> bool {
        self.refresh();
        self.price(1, axes[1]);
        self.price(0, axes[0]);
        let (sin, cos) = angle.sin_cos();
        let worst = (0..self.row.len()).filter(|j| self.at[*j] != At::Basis).fold(0.0f64, |worst, j| {
            let d = cos * self.reduced[0][j] + sin * self.reduced[1][j];
            worst.max(match self.at[j] {
                At::Upper => d,
                At::Zero => d.abs(),
                _ => -d,
            })
        });
        if worst <= CONFIRMED && self.violation() <= 10.0 * FEASIBLE {
            return true;
        }
        (self.violation() <= 10.0 * FEASIBLE || self.find() == super::Found::Vertex) && self.best_at(axes, angle)
    }

    /// The variable that enters next, its sense, and the turn until then, less than π/2.
    fn next(&self, angle: f64) -> Option<(usize, f64, f64)> {
        let (sin, cos) = angle.sin_cos();
        // Angles are compared by their tangents.
        let mut best: Option<(usize, f64)> = None;
        let (mut least, mut fall) = (f64::INFINITY, 0.0);
        let both = self.reduced[0].iter().zip(&self.reduced[1]).zip(&self.at);
        for (j, ((a, b), at)) in both.enumerate() {
            let (d, e) = (cos * a + sin * b, cos * b - sin * a);
            let sense = match at {
                At::Basis => continue,
                At::Lower => 1.0,
                At::Upper => -1.0,
                At::Zero => -e.signum(),
            };
            let (d, e) = ((sense * d).max(0.0), sense * e);
            if e >= -OPTIMAL || d > (least + SAME) * -e {
                continue;
            }
            if (d < (least - SAME) * -e || -e > fall) && self.lower[j] != self.upper[j] {
                least = least.min(d / -e);
                fall = -e;
                best = Some((j, sense));
            }
        }
        best.map(|(j, sense)| (j, sense, least.atan()))
    }

    /// How far the direction of the objective can turn from `cost` towards `side`, a right angle
    /// ahead, before the present vertex stops being the best: an angle up to π/2.
    pub fn turn(&mut self, cost: &[(usize, f64)], side: &[(usize, f64)]) -> f64 {
        let mut prices = [vec![], vec![]];
        let mut own = [vec![0.0; self.columns.len()], vec![0.0; self.columns.len()]];
        for (k, list) in [cost, side].into_iter().enumerate() {
            list.iter().for_each(|(j, c)| own[k][*j] = -c);
            self.y.iter_mut().zip(&self.basis).for_each(|(y, j)| *y = own[k][*j as usize]);
            self.factor.solve_transposed(&mut self.y);
            prices[k].clone_from(&self.y);
        }
        let mut angle = std::f64::consts::FRAC_PI_2;
        for j in 0..self.columns.len() {
            if self.at[j] == At::Basis || self.lower[j] == self.upper[j] {
                continue;
            }
            let sign = if self.at[j] == At::Upper { -1.0 } else { 1.0 };
            let (mut d, mut e) = (own[0][j], own[1][j]);
            for &(r, a) in self.columns.column(j) {
                d -= prices[0][r as usize] * a;
                e -= prices[1][r as usize] * a;
            }
            (d, e) = (sign * d, sign * e);
            if e < -OPTIMAL {
                angle = angle.min(d.max(0.0).atan2(-e));
            }
        }
        angle
    }
}
