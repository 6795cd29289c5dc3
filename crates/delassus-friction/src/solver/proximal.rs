//! Proximal points around the nonsmooth Newton method
//!
//! ```text
//!     y⁺ solves   F(y, W' y + b' + α (y − y_k)) = 0        to a tenth of its residual
//! ```
//!
//! The term `α (y − y_k)` makes the inner problem regular when `W` is singular and
//! keeps it close to monotone; α falls while the inner Newton method is quick and
//! rises when it fails \[Acary18\]. One iteration is one inner factorisation.

use super::newton::{Centre, Newton, NewtonSettings};
use super::{Control, Monitor, Outcome, Progress, Stop};
use crate::algebra::{Analysis, Vector};
use crate::{Error, Problem};
use serde::{Deserialize, Serialize};

/// Inner residual asked for, relative to the outer one.
const INNER: f64 = 0.1;
/// Inner iterations that count as quick, and as slow.
const QUICK: usize = 4;
const SLOW: usize = 10;
/// Inner iterations after which the inner solve has failed.
const INNER_LIMIT: usize = 30;

/// Settings of [`Proximal`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProximalSettings {
    /// Relative residual to reach.
    pub tolerance: f64,
    /// Inner factorisations after which to give up.
    pub max_iterations: usize,
    /// First weight of the proximal term, relative to the blocks of `W`.
    pub weight: f64,
}

impl Default for ProximalSettings {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 5000, weight: 0.1 }
    }
}

/// Solver and scratch.
pub struct Proximal<const D: usize> {
    settings: ProximalSettings,
    newton: Newton<D>,
    centre: Vec<Vector<D>>,
}

impl<const D: usize> Proximal<D> {
    /// Builds the inner Newton solver.
    pub fn new(problem: &Problem<D>, settings: ProximalSettings) -> Result<Self, Error> {
        Self::with_analysis(problem, settings, &Analysis::new(problem.w()))
    }

    /// As [`Proximal::new`], with the analysis of `W` already at hand.
    pub fn with_analysis(problem: &Problem<D>, settings: ProximalSettings, analysis: &Analysis) -> Result<Self, Error> {
        let newton = Newton::with_analysis(problem, NewtonSettings::default(), analysis)?;
        Ok(Self { settings, newton, centre: vec![Vector::zeros(); problem.len()] })
    }

    /// Improves `s`, and never leaves it worse.
    pub fn run(&mut self, problem: &Problem<D>, s: &mut [Vector<D>], monitor: &mut dyn Monitor) -> Outcome {
        self.newton.form.read_percussions(s, &mut self.newton.y);
        let mut best = self.newton.certify(problem, f64::INFINITY, s);
        let mut weight = self.settings.weight;
        let mut iterations = 0;
        while best > self.settings.tolerance {
            let end = |stop| Outcome { stop, iterations };
            if iterations >= self.settings.max_iterations {
                return end(Stop::Iterations);
            }
            let progress = Progress { solver: "proximal", iteration: iterations, residual: best };
            if monitor.observe(&progress) == Control::Stop {
                return end(Stop::Asked);
            }
            self.centre.copy_from_slice(&self.newton.y);
            let (solved, used) = self.inner(weight);
            // At least one, so that a fixed point of the outer loop runs into the limit.
            iterations += used.max(1);
            if !solved {
                self.newton.y.copy_from_slice(&self.centre);
                weight *= 4.0;
                if weight > 1e6 {
                    return Outcome { stop: Stop::Stalled, iterations };
                }
                continue;
            }
            best = self.newton.certify(problem, best, s);
            match used {
                ..=QUICK => weight *= 0.4,
                SLOW.. => weight *= 1.5,
                _ => {}
            }
        }
        Outcome { stop: Stop::Tolerance, iterations }
    }

    /// One proximal problem: whether it was solved, and the factorisations used.
    fn inner(&mut self, weight: f64) -> (bool, usize) {
        let centre = Centre { at: &self.centre, weight };
        let mut merit = self.newton.evaluate_at_y(centre);
        let target = INNER * merit;
        for used in 0..INNER_LIMIT {
            if merit <= target {
                return (true, used);
            }
            match self.newton.step(merit, 0.0, centre) {
                Some(lower) => merit = lower,
                None => return (false, used + 1),
            }
        }
        (merit <= target, INNER_LIMIT)
    }
}
