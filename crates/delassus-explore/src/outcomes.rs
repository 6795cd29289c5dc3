//! The distinct motions one step admits \[Moreau03 §2\]
//!
//! A bar between converging walls may fall or stay: both satisfy the laws. Solutions that
//! differ in their percussions alone are one outcome; what counts is the relative velocities.

use crate::spread::{Status, statuses};
use delassus_friction::algebra::Vector;
use delassus_friction::{Certificate, Problem};

/// Where a solution came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Enumeration of all statuses.
    Enumeration,
    /// The programs of equilibrium.
    Equilibrium,
    /// Sampling.
    Sample,
}

/// A motion that the step admits.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome<const D: usize> {
    /// What the contacts do.
    pub status: Vec<Status>,
    /// One set of percussions that leads to it.
    pub percussions: Vec<Vector<D>>,
    /// The relative velocities [m/s].
    pub velocities: Vec<Vector<D>>,
    /// Relative residual of these percussions.
    pub residual: f64,
    /// How the first of its solutions was found.
    pub origin: Origin,
    /// How many of the solutions given lead to it.
    pub count: usize,
}

/// Velocities that differ by less than this share of the free velocity are the same motion.
const SAME: f64 = 1e-5;

impl<const D: usize> Outcome<D> {
    /// In words: equilibrium, separation, or what the contacts do.
    pub fn name(&self, scale: f64) -> String {
        if self.velocities.iter().all(|u| u.norm() <= SAME * scale) {
            return "equilibrium".into();
        }
        let count = |s: Status| self.status.iter().filter(|x| **x == s).count();
        let (open, stick, slip) = (count(Status::Open), count(Status::Stick), count(Status::Slip));
        if open == self.status.len() {
            return "separation (every contact opens)".into();
        }
        format!("{open} open, {stick} sticking, {slip} slipping")
    }
}

/// Sorts solutions by the motion they lead to; those above the tolerance are dropped.
pub fn outcomes<const D: usize>(
    problem: &Problem<D>,
    solutions: impl IntoIterator<Item = (Origin, Vec<Vector<D>>)>,
    tolerance: f64,
) -> Vec<Outcome<D>> {
    let scale = if problem.b_norm() > 0.0 { problem.b_norm() } else { 1.0 };
    let mut out: Vec<Outcome<D>> = vec![];
    for (origin, percussions) in solutions {
        let mut velocities = problem.zero();
        problem.velocities(&percussions, &mut velocities);
        let residual = Certificate::with_velocities(problem, &percussions, &velocities).relative;
        if !(residual <= tolerance) {
            continue;
        }
        let apart =
            |o: &Outcome<D>| o.velocities.iter().zip(&velocities).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        match out.iter_mut().find(|o| apart(o) <= SAME * scale) {
            Some(known) => known.count += 1,
            None => {
                let status = statuses(problem, &percussions, 100.0 * tolerance * scale);
                out.push(Outcome { status, percussions, velocities, residual, origin, count: 1 });
            }
        }
    }
    out
}
