//! What a run adds up over its steps.

use delassus_dynamics::WORKS;
use delassus_rigid::{Event, Ledger, Report};

/// Sums and extremes over the steps since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Energies at the end, works since the start \[J\].
    pub energy: Ledger,
    /// Largest relative residual of the laws in a step.
    pub worst_residual: f64,
    /// Largest relative residual of the balance of momentum in a step. A step is made only where it is below the
    /// tolerance or below the round-off of the forces that cancel in it.
    pub worst_balance: f64,
    /// Deepest penetration \[m\].
    pub deepest: f64,
    /// Steps above the tolerance that were accepted.
    pub flagged: u64,
    /// Steps that were made again in smaller ones.
    pub retried: u64,
    /// Steps in which the sweeps handed over to another solver.
    pub handed_over: u64,
    /// Steps made in parts because bodies met fast.
    pub cut: u64,
}

impl Totals {
    /// Adds a step.
    pub(super) fn follow(&mut self, report: &Report) {
        self.energy.follow(&report.energy);
        self.worst_residual = self.worst_residual.max(report.residual);
        self.worst_balance = self.worst_balance.max(report.balance);
        self.deepest = self.deepest.max(report.max_penetration);
        // A step counts once, however many of its parts have the same to tell.
        let mut seen = [0; 4];
        for event in &report.events {
            seen[match event {
                Event::HandedOver { .. } => 0,
                Event::Retried { .. } => 1,
                Event::Cut { .. } => 2,
                Event::NotConverged(_) => 3,
            }] = 1;
        }
        self.handed_over += seen[0];
        self.retried += seen[1];
        self.cut += seen[2];
        self.flagged += seen[3];
    }

    /// Extremes and counts by name, with what they are: the works are in [`Totals::energy`].
    pub(super) const NAMES: [(&'static str, &'static str, &'static str); 7] = [
        ("worst/residual", "1", "largest relative residual of the laws in a step so far"),
        ("worst/balance", "1", "largest relative residual of the balance of momentum so far"),
        ("worst/penetration", "m", "deepest penetration so far"),
        ("count/flagged", "1", "steps above the tolerance so far"),
        ("count/retried", "1", "steps made again in smaller ones so far"),
        ("count/handed_over", "1", "steps in which another solver took over so far"),
        ("count/cut", "1", "steps made in parts because bodies met fast, so far"),
    ];

    /// In the order of [`Totals::NAMES`].
    pub(super) fn numbers(&self) -> [f64; 7] {
        let counts = [self.flagged, self.retried, self.handed_over, self.cut].map(|n| n as f64);
        [self.worst_residual, self.worst_balance, self.deepest, counts[0], counts[1], counts[2], counts[3]]
    }

    /// Everything as numbers, for callers that keep states themselves.
    pub fn to_numbers(&self) -> Vec<f64> {
        let energy = [self.energy.kinetic, self.energy.potential, self.energy.strain];
        energy.into_iter().chain(self.energy.numbers()).chain(self.numbers()).collect()
    }

    /// Back from [`Totals::to_numbers`]; `None` when there are not as many.
    pub fn of_numbers(x: &[f64]) -> Option<Self> {
        let (energy, rest) = x.split_first_chunk::<3>()?;
        let (works, rest) = rest.split_first_chunk::<{ WORKS.len() }>()?;
        let mut totals = Self::from_numbers(works, rest.try_into().ok()?);
        [totals.energy.kinetic, totals.energy.potential, totals.energy.strain] = *energy;
        Some(totals)
    }

    /// Back from the record; the energies themselves are those of the frame.
    pub(super) fn from_numbers(works: &[f64; WORKS.len()], x: &[f64; 7]) -> Self {
        Self {
            energy: Ledger::from_numbers(works),
            worst_residual: x[0],
            worst_balance: x[1],
            deepest: x[2],
            flagged: x[3] as u64,
            retried: x[4] as u64,
            handed_over: x[5] as u64,
            cut: x[6] as u64,
        }
    }
}
