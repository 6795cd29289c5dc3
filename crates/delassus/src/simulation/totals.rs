//! What a run adds up over its steps.

use delassus_rigid::{Event, Ledger, Report};

/// Sums and extremes over the steps since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Energies at the end, works since the start \[J\]. Of deformable solids the potential energy is
    /// the stored one, `shock` the work of normal contact forces, and `numerical` holds what
    /// plasticity and viscosity dissipate beside the work of the scheme.
    pub energy: Ledger,
    /// Largest relative residual of a step.
    pub worst_residual: f64,
    /// Deepest penetration \[m\].
    pub deepest: f64,
    /// Steps above the tolerance that were accepted.
    pub flagged: u64,
    /// Steps that were made again in smaller ones.
    pub retried: u64,
    /// Steps in which the sweeps handed over to another solver.
    pub handed_over: u64,
}

impl Totals {
    /// Adds a step.
    pub(super) fn follow(&mut self, report: &Report) {
        self.energy.follow(&report.energy);
        self.worst_residual = self.worst_residual.max(report.residual);
        self.deepest = self.deepest.max(report.max_penetration);
        for event in &report.events {
            *match event {
                Event::HandedOver { .. } => &mut self.handed_over,
                Event::Retried { .. } => &mut self.retried,
                Event::NotConverged(_) => &mut self.flagged,
            } += 1;
        }
    }

    /// Numbers in the order of [`Totals::from_numbers`].
    pub(super) fn numbers(&self) -> [f64; Self::NUMBERS] {
        let e = &self.energy;
        [
            e.external,
            e.friction,
            e.shock,
            e.bonds,
            e.correction,
            e.numerical,
            e.closing,
            self.worst_residual,
            self.deepest,
            self.flagged as f64,
            self.retried as f64,
            self.handed_over as f64,
        ]
    }

    pub(super) const NUMBERS: usize = 12;

    /// Back from the record; the energies themselves are those of the frame.
    pub(super) fn from_numbers(x: &[f64; Self::NUMBERS]) -> Self {
        let energy = Ledger {
            external: x[0],
            friction: x[1],
            shock: x[2],
            bonds: x[3],
            correction: x[4],
            numerical: x[5],
            closing: x[6],
            ..Ledger::default()
        };
        let [worst_residual, deepest] = [x[7], x[8]];
        let [flagged, retried, handed_over] = [x[9] as u64, x[10] as u64, x[11] as u64];
        Self { energy, worst_residual, deepest, flagged, retried, handed_over }
    }
}
