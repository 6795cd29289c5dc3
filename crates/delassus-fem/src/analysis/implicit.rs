//! Implicit steps: the free step, then contact by the nested loops or the condensed problem.

use super::nested::Problem;
use super::{Analysis, Error, Path, Predicted, Status};
use crate::Formalism;

/// Gaps of two pairings that count as the same, relative to the largest displacement: pairing converges
/// linearly, and what it misses is a gap this small.
const SAME_GAP: f64 = 1e-6;

/// A predicted gap this far below zero, relative to the largest displacement, is a contact; nearer to
/// zero it is round-off, and the surfaces that merely graze meet in the next step.
pub(super) const ROUND: f64 = 1e-12;

/// The parts of an analysis that a solve borrows.
macro_rules! problem {
    ($self:ident, $h:expr) => {
        Problem {
            structure: &mut $self.structure,
            balance: &mut $self.ws.balance,
            points: &$self.points,
            settings: &$self.settings,
            history: &$self.state.history,
            u_before: &$self.state.u,
            h: $h,
            counts: &mut $self.report.counts,
            log: &mut $self.log,
        }
    };
}

impl Analysis {
    pub(super) fn advance_implicit(&mut self, h: f64) -> Result<(), Error> {
        let scheme = self.settings.scheme;
        self.ws.balance.begin(&mut self.structure, &scheme, h, &self.state)?;
        self.ws.law_residual = 0.0;
        self.clear_contact();
        if self.interfaces.is_empty() {
            self.free(h)?;
            return self.commit_implicit(h);
        }
        let in_velocities = scheme.is_in_velocities();
        let u: Vec<f64> = match in_velocities {
            true => self.state.u.iter().zip(&self.state.v).map(|(u, v)| u + 0.5 * h * v).collect(),
            false => self.state.u.clone(),
        };
        self.pair(&u, self.state.time + if in_velocities { 0.5 * h } else { h })?;
        if self.points.is_empty() {
            self.free(h)?;
            return self.commit_implicit(h);
        }
        let gaps = match self.predicted_gaps(h)? {
            Some(gaps) => gaps,
            None => return self.commit_implicit(h),
        };
        self.geometry(h, gaps)?;
        self.commit_implicit(h)
    }

    /// The step without contact.
    fn free(&mut self, h: f64) -> Result<(), Error> {
        self.ws.condensed.free(&mut problem!(self, h))?;
        self.ws.law_residual = 0.0;
        self.report.balance = self.ws.condensed.balance;
        self.report.newton.clone_from(&self.ws.condensed.residuals);
        Ok(())
    }

    /// Gaps that say which points may touch; nothing if none does, the free step then being the step.
    fn predicted_gaps(&mut self, h: f64) -> Result<Option<Vec<f64>>, Error> {
        let n = self.points.len();
        if !self.settings.scheme.is_dynamic() {
            // Without inertia a part may be held by contact alone: no free step to look at.
            let gaps: Vec<f64> = (0..n).map(|j| self.points.gap_at(j, &self.state.u)).collect();
            return Ok(Some(gaps));
        }
        let start = self.ws.balance.y.clone();
        self.free(h)?;
        let gaps: Vec<f64> = match self.settings.predicted {
            Predicted::Free => (0..n).map(|j| self.points.gap_at(j, &self.ws.balance.u)).collect(),
            Predicted::Midpoint => {
                let u: Vec<f64> = self.state.u.iter().zip(&self.state.v).map(|(u, v)| u + 0.5 * h * v).collect();
                (0..n).map(|j| self.points.gap_at(j, &u)).collect()
            }
        };
        let round = ROUND * self.ws.balance.u.iter().map(|u| u.abs()).fold(0.0, f64::max);
        let gaps: Vec<f64> = gaps.into_iter().map(|g| g + round).collect();
        if gaps.iter().all(|g| *g > 0.0) {
            return Ok(None);
        }
        self.ws.balance.y = start;
        Ok(Some(gaps))
    }

    /// Loop b: pairings until the gaps they give agree with those that were solved for.
    fn geometry(&mut self, h: f64, mut gaps: Vec<f64>) -> Result<(), Error> {
        let limit = self.settings.loops.pairings;
        let kept = self.state.multipliers.clone();
        let mut multipliers = kept;
        for round in 0..limit {
            match self.settings.path {
                Path::Nested => {
                    let start = self.ws.balance.y.clone();
                    match self.solve_nested(h, &gaps, &mut multipliers) {
                        Err(Error::Loop { .. } | Error::Newton { .. }) if self.may_hand_over() => {
                            self.ws.balance.y = start;
                            self.hand_over(h, &gaps, &mut multipliers)?;
                        }
                        other => other?,
                    }
                }
                Path::Condensed => self.solve_condensed(h, &gaps, &mut multipliers)?,
            }
            if self.settings.scheme.is_in_velocities() || limit == 1 {
                break;
            }
            let u = self.ws.balance.u.clone();
            let solved: Vec<f64> = (0..self.points.len()).map(|j| self.points.gap_at(j, &u)).collect();
            self.ws.spare.clone_from(&self.points);
            self.pair(&u, self.state.time + h)?;
            let change = self.pairing_change(&solved, &self.ws.spare.frame);
            if self.settings.log {
                self.log.push(format!("b pairing {round}: gaps change by {change:.2e} m"));
            }
            if change <= SAME_GAP * self.travel() {
                // Forces belong to the pairing they were solved on.
                std::mem::swap(&mut self.points, &mut self.ws.spare);
                break;
            }
            if round + 1 == limit {
                return Err(Error::Loop {
                    name: "pairing (b)",
                    limit,
                    advice: "loops.pairings, smooth_normals, or a shorter step",
                });
            }
            gaps = (0..self.points.len()).map(|j| self.points.gap_at(j, &u)).collect();
            // Points that carry a force are in contact whatever round-off says of their gap.
            if solved.len() == gaps.len() {
                let status = &self.ws.status;
                gaps.iter_mut().zip(status).filter(|(_, s)| **s != Status::Open).for_each(|(g, _)| *g = g.min(0.0));
            }
        }
        self.state.multipliers = multipliers;
        Ok(())
    }

    /// Whether the condensed problem has the solution that the loops look for.
    fn may_hand_over(&self) -> bool {
        let exact = matches!(
            self.settings.contact.formalism,
            Formalism::Lagrange | Formalism::Stabilised { .. } | Formalism::Augmented { .. }
        );
        exact && self.settings.scheme.is_dynamic()
    }

    /// Loops that do not settle leave the step to the condensed problem, whose certificate decides.
    fn hand_over(&mut self, h: f64, gaps: &[f64], multipliers: &mut Vec<f64>) -> Result<(), Error> {
        let mut solved = vec![];
        self.solve_condensed(h, gaps, &mut solved)?;
        self.report.counts.handed_over += 1;
        if self.settings.log {
            self.log.push("the loops did not settle: condensed problem".into());
        }
        // From pressures and friction stresses to (−λ, Λ).
        let (dim, points) = (self.points.dim(), &self.points);
        let mut friction = vec![0.0; points.multipliers()];
        for j in 0..points.len() {
            points.basis(j).iter().for_each(|(m, _)| friction[*m as usize] = points.friction[j]);
        }
        multipliers.clone_from(&solved);
        for (m, s) in multipliers.chunks_mut(dim).enumerate() {
            let limit = friction[m] * s[0];
            s[0] = -s[0];
            s[1..].iter_mut().for_each(|t| *t = if limit > 0.0 { -*t / limit } else { 0.0 });
        }
        Ok(())
    }

    /// Largest difference between the gaps solved for and those of a new pairing, where points are closed.
    fn pairing_change(&self, solved: &[f64], frames: &[[[f64; 3]; 3]]) -> f64 {
        if solved.len() != self.points.len() {
            return f64::INFINITY;
        }
        let mut change = 0.0f64;
        for (j, old) in frames.iter().enumerate() {
            if self.ws.status[j] == Status::Open && solved[j] > 0.0 && self.points.gap[j] > 0.0 {
                continue;
            }
            change = change.max((solved[j] - self.points.gap[j]).abs());
            let turn: f64 = (0..3).map(|k| (old[0][k] - self.points.frame[j][0][k]).abs()).fold(0.0, f64::max);
            change = change.max(turn * self.travel());
        }
        change
    }

    /// Largest displacement so far: what gaps are compared with.
    fn travel(&self) -> f64 {
        let far = |x: &[f64]| x.iter().map(|x| x.abs()).fold(0.0, f64::max);
        far(&self.ws.balance.u).max(1e-6 * far(&self.x)).max(f64::MIN_POSITIVE)
    }

    fn solve_nested(&mut self, h: f64, gaps: &[f64], multipliers: &mut Vec<f64>) -> Result<(), Error> {
        // The tangent at the start scales the equations.
        self.ws.balance.evaluate(&mut self.structure, &self.state.history, true)?;
        let mut nested = std::mem::take(&mut self.ws.nested);
        let mut problem = problem!(self, h);
        let result = nested.pair(&problem, multipliers).and_then(|()| {
            nested.nominate(&problem, |j| gaps[j]);
            nested.thresholds(&mut problem)
        });
        if result.is_ok() {
            nested.keep(problem.points, multipliers);
            self.ws.stress.clear();
            self.ws.stress.extend((0..problem.points.len()).map(|j| nested.stress(&problem, j)));
            self.ws.law_residual = nested.law_residual(&problem);
            self.ws.status.clone_from(&nested.status);
            self.report.balance = nested.balance;
            self.report.newton.clone_from(&nested.residuals);
        }
        self.ws.nested = nested;
        result
    }

    fn solve_condensed(&mut self, h: f64, gaps: &[f64], multipliers: &mut Vec<f64>) -> Result<(), Error> {
        let mut condensed = std::mem::take(&mut self.ws.condensed);
        let mut problem = problem!(self, h);
        condensed.pair(problem.points, multipliers);
        let mean = condensed.mean(problem.points, |j| gaps[j]);
        let in_velocities = problem.settings.scheme.is_in_velocities();
        let result = condensed.solve(&mut problem, |m| !in_velocities || mean[m] <= 0.0);
        if result.is_ok() {
            multipliers.clone_from(&condensed.multipliers);
            let (points, dim) = (problem.points, problem.points.dim());
            self.ws.stress.clear();
            self.ws.stress.extend((0..points.len()).map(|j| {
                std::array::from_fn(
                    |k| if k < dim { points.interpolate(j, &condensed.multipliers, dim, k) } else { 0.0 },
                )
            }));
            self.ws.law_residual = condensed.residual;
            self.report.balance = condensed.balance;
            self.report.newton.clone_from(&condensed.residuals);
            let status: Vec<Status> = (0..self.points.len()).map(|j| condensed.status(&self.points, j)).collect();
            self.ws.status = status;
        }
        self.ws.condensed = condensed;
        result
    }

    /// Nothing touches, until a solve says otherwise.
    pub(super) fn clear_contact(&mut self) {
        self.ws.stress.clear();
        self.ws.status.clear();
        let n = self.state.u.len();
        for force in &mut self.ws.contact {
            force.clear();
            force.resize(n, 0.0);
        }
    }
}
