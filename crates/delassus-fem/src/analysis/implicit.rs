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

/// Vectors of the rounds of loop b.
#[derive(Default)]
pub struct Rounds {
    /// Displacements of the pairing.
    u: Vec<f64>,
    /// Unknowns to begin again with.
    start: Vec<f64>,
    /// Gaps that nominate the points.
    gaps: Vec<f64>,
    /// Gaps that were solved for.
    solved: Vec<f64>,
    multipliers: Vec<f64>,
}

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
        let mut rounds = std::mem::take(&mut self.ws.rounds);
        let result = self.advance_in_contact(h, in_velocities, &mut rounds);
        self.ws.rounds = rounds;
        result?;
        self.commit_implicit(h)
    }

    fn advance_in_contact(&mut self, h: f64, in_velocities: bool, rounds: &mut Rounds) -> Result<(), Error> {
        rounds.u.clone_from(&self.state.u);
        if in_velocities {
            rounds.u.iter_mut().zip(&self.state.v).for_each(|(u, v)| *u += 0.5 * h * v);
        }
        self.pair(&rounds.u, self.state.time + if in_velocities { 0.5 * h } else { h })?;
        if self.points.is_empty() {
            return self.free(h);
        }
        match self.predicted_gaps(h, rounds)? {
            true => self.geometry(h, rounds),
            false => Ok(()),
        }
    }

    /// The step without contact.
    fn free(&mut self, h: f64) -> Result<(), Error> {
        self.ws.condensed.free(&mut problem!(self, h))?;
        self.ws.law_residual = 0.0;
        self.report.balance = self.ws.condensed.balance;
        self.report.newton.clone_from(&self.ws.condensed.residuals);
        Ok(())
    }

    /// Gaps that say which points may touch; false if none does, the free step then being the step.
    fn predicted_gaps(&mut self, h: f64, rounds: &mut Rounds) -> Result<bool, Error> {
        let n = self.points.len();
        rounds.gaps.clear();
        if !self.settings.scheme.is_dynamic() {
            // Without inertia a part may be held by contact alone: no free step to look at.
            rounds.gaps.extend((0..n).map(|j| self.points.gap_at(j, &self.state.u)));
            return Ok(true);
        }
        rounds.start.clone_from(&self.ws.balance.y);
        self.free(h)?;
        let place = match self.settings.predicted {
            Predicted::Free => &self.ws.balance.u,
            Predicted::Midpoint => {
                rounds.u.clone_from(&self.state.u);
                rounds.u.iter_mut().zip(&self.state.v).for_each(|(u, v)| *u += 0.5 * h * v);
                &rounds.u
            }
        };
        let round = ROUND * self.ws.balance.u.iter().map(|u| u.abs()).fold(0.0, f64::max);
        rounds.gaps.extend((0..n).map(|j| self.points.gap_at(j, place) + round));
        if rounds.gaps.iter().all(|g| *g > 0.0) {
            return Ok(false);
        }
        self.ws.balance.y.clone_from(&rounds.start);
        Ok(true)
    }

    /// Loop b: pairings until the gaps they give agree with those that were solved for.
    fn geometry(&mut self, h: f64, rounds: &mut Rounds) -> Result<(), Error> {
        let limit = self.settings.loops.pairings;
        let Rounds { u, start, gaps, solved, multipliers } = rounds;
        multipliers.clone_from(&self.state.multipliers);
        for round in 0..limit {
            match self.settings.path {
                Path::Nested => {
                    start.clone_from(&self.ws.balance.y);
                    match self.solve_nested(h, gaps, multipliers) {
                        Err(Error::Loop { .. } | Error::Newton { .. }) if self.may_hand_over() => {
                            self.ws.balance.y.clone_from(start);
                            self.hand_over(h, gaps, multipliers)?;
                        }
                        other => other?,
                    }
                }
                Path::Condensed => self.solve_condensed(h, gaps, multipliers)?,
            }
            if self.settings.scheme.is_in_velocities() || limit == 1 {
                break;
            }
            u.clone_from(&self.ws.balance.u);
            solved.clear();
            solved.extend((0..self.points.len()).map(|j| self.points.gap_at(j, u)));
            self.ws.spare.clone_from(&self.points);
            self.pair(u, self.state.time + h)?;
            let change = self.pairing_change(solved, &self.ws.spare.frame);
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
            gaps.clear();
            gaps.extend((0..self.points.len()).map(|j| self.points.gap_at(j, u)));
            // Points that carry a force are in contact whatever round-off says of their gap.
            if solved.len() == gaps.len() {
                let status = &self.ws.status;
                gaps.iter_mut().zip(status).filter(|(_, s)| **s != Status::Open).for_each(|(g, _)| *g = g.min(0.0));
            }
        }
        self.state.multipliers.clone_from(multipliers);
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
        let all = !problem.settings.scheme.is_in_velocities();
        let result = condensed.solve(&mut problem, gaps, all);
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
            self.ws.status.clear();
            self.ws.status.extend((0..self.points.len()).map(|j| condensed.status(&self.points, j)));
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
