//! What a step tells.

use crate::saddle::Counts;
use crate::{Failure, Ledger, Momenta};
use delassus_friction::Status;

/// Something out of the ordinary.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The sweeps (or the nested loops) did not reach the tolerance; a more robust solver did.
    HandedOver {
        /// Iterations of the sweeps.
        sweeps: usize,
        /// Iterations of what followed.
        iterations: usize,
    },
    /// The step was made again in smaller ones.
    Retried {
        /// Number of smaller steps.
        parts: usize,
    },
    /// The step was made in parts, so that fast bodies do not pass each other unseen.
    Cut {
        /// Number of parts.
        parts: usize,
        /// The first two that met.
        bodies: Option<[u32; 2]>,
    },
    /// The tolerance was not reached, and the step was accepted.
    NotConverged(Box<Failure>),
}

/// What the position correction did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Corrected {
    /// Contacts and joints corrected.
    pub contacts: usize,
    /// Largest displacement of a degree of freedom \[m or rad\].
    pub displacement: f64,
    /// Deepest penetration before \[m\].
    pub before: f64,
}

/// Seconds spent in the stages of a step; zero where there is no clock.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timings {
    /// Prediction and detection.
    pub detect: f64,
    /// Free velocity, rows, `W`, `b`.
    pub reduce: f64,
    /// Solver.
    pub solve: f64,
    /// Velocities, state, energies.
    pub commit: f64,
}

impl Timings {
    /// Adds those of another part of the step.
    pub(crate) fn add(&mut self, part: &Timings) {
        self.detect += part.detect;
        self.reduce += part.reduce;
        self.solve += part.solve;
        self.commit += part.commit;
    }

    /// All of it.
    pub fn total(&self) -> f64 {
        self.detect + self.reduce + self.solve + self.commit
    }
}

/// The account of one step.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Number of the step.
    pub step: u64,
    /// Time at its end \[s\].
    pub time: f64,
    /// Its length \[s\].
    pub h: f64,
    /// Length of the last part of it: percussions are of that \[s\].
    pub part: f64,
    /// How the solver ended.
    pub status: Status,
    /// Relative residual of the laws, method (4).
    pub residual: f64,
    /// The same in velocity units \[m/s\].
    pub absolute: f64,
    /// Iterations of all solvers, in all parts of the step.
    pub iterations: usize,
    /// Whether the sweeps went through the bodies, without assembling `W`.
    pub by_bodies: bool,
    /// Contacts that took part.
    pub contacts: usize,
    /// Contacts detected, open ones included.
    pub candidates: usize,
    /// Blocks of joints that took part.
    pub links: usize,
    /// Bodies found exactly at rest by the equilibrium test.
    pub at_rest: usize,
    /// Bodies that sleep at the end of the step; the next one does not touch them, unless something else does.
    pub asleep: usize,
    /// Deepest penetration at `q_m` \[m\].
    pub max_penetration: f64,
    /// Largest defect of the joints at the end \[m\].
    pub joint_drift: f64,
    /// Energies and works.
    pub energy: Ledger,
    /// Momenta at the end.
    pub momenta: Momenta,
    /// What the position correction did, when it is on.
    pub corrected: Option<Corrected>,
    /// Relative residual of the balance of solids.
    pub balance: f64,
    /// Newton iterations of solids.
    pub newton: usize,
    /// What the nested loops did.
    pub loops: Counts,
    /// Parts the step was made in.
    pub parts: usize,
    /// Largest relative normal velocity at surfaces in contact \[m/s\].
    pub approach: f64,
    /// Whether the nested loops left the step to the condensed problem.
    pub(crate) handed_over: bool,
    /// Out of the ordinary.
    pub events: Vec<Event>,
    /// Where the time went.
    pub timings: Timings,
}

impl Default for Report {
    fn default() -> Self {
        Self {
            step: 0,
            time: 0.0,
            h: 0.0,
            part: 0.0,
            status: Status::Converged,
            residual: 0.0,
            absolute: 0.0,
            iterations: 0,
            by_bodies: false,
            contacts: 0,
            candidates: 0,
            links: 0,
            at_rest: 0,
            asleep: 0,
            max_penetration: 0.0,
            joint_drift: 0.0,
            energy: Ledger::default(),
            momenta: Momenta::default(),
            corrected: None,
            balance: 0.0,
            newton: 0,
            loops: Counts::default(),
            parts: 1,
            approach: 0.0,
            handed_over: false,
            events: vec![],
            timings: Timings::default(),
        }
    }
}

impl Report {
    /// True when the laws hold to the tolerance.
    pub fn converged(&self) -> bool {
        self.status == Status::Converged
    }
}
