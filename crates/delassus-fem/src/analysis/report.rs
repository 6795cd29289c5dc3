//! What a step tells.

use serde::Serialize;

/// Energies at the end of a step and works done in it \[J\]
///
/// ```text
///     Δ(kinetic + strain) = external + contact + friction − plastic − viscous + numerical + closing
/// ```
///
/// Works are those of the mean velocity of the step, `v̄ = ½ (v + v⁺)`, on the forces that the
/// scheme takes, so that `ΔK = h v̄·F̄` holds identically. *Numerical* is what the scheme adds to
/// the continuous motion; *closing* is what round-off and the tolerance leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Ledger {
    /// Kinetic energy at the end.
    pub kinetic: f64,
    /// Stored energy at the end.
    pub strain: f64,
    /// Work of loads, gravity and supports.
    pub external: f64,
    /// Work of normal contact forces.
    pub contact: f64,
    /// Work of friction.
    pub friction: f64,
    /// Dissipated by plasticity.
    pub plastic: f64,
    /// Dissipated by viscosity and dampers.
    pub viscous: f64,
    /// Of the scheme.
    pub numerical: f64,
    /// What is left of the balance.
    pub closing: f64,
}

impl Ledger {
    /// Kinetic and stored energy.
    pub fn total(&self) -> f64 {
        self.kinetic + self.strain
    }

    /// Adds the works of a later step and takes its energies.
    pub fn follow(&mut self, next: &Ledger) {
        (self.kinetic, self.strain) = (next.kinetic, next.strain);
        let works = |l: &mut Ledger, n: &Ledger| {
            l.external += n.external;
            l.contact += n.contact;
            l.friction += n.friction;
            l.plastic += n.plastic;
            l.viscous += n.viscous;
            l.numerical += n.numerical;
            l.closing += n.closing;
        };
        works(self, next);
    }
}

/// Iterations of the loops of \[Zammali05\] fig. 3.2, summed over the step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Pairings (b).
    pub pairings: usize,
    /// Friction thresholds (c).
    pub thresholds: usize,
    /// Sets of statuses (d).
    pub statuses: usize,
    /// Newton iterations (e).
    pub newton: usize,
    /// Factorisations.
    pub factorisations: usize,
    /// Solves that the loops left to the condensed problem.
    pub handed_over: usize,
}

impl Counts {
    /// Adds those of another step.
    pub fn add(&mut self, other: &Counts) {
        self.pairings += other.pairings;
        self.thresholds += other.thresholds;
        self.statuses += other.statuses;
        self.newton += other.newton;
        self.factorisations += other.factorisations;
        self.handed_over += other.handed_over;
    }
}

/// Status of a collocation point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Status {
    /// Apart.
    #[default]
    Open,
    /// In contact, not sliding.
    Stick,
    /// In contact, sliding.
    Slip,
}

/// The account of a step.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// Number of the step.
    pub step: u64,
    /// Its length \[s\].
    pub h: f64,
    /// Number of equal parts it was made in.
    pub parts: usize,
    /// Energies and works.
    pub energy: Ledger,
    /// Linear momentum.
    pub linear: [f64; 3],
    /// Angular momentum about the origin; in the plane the third component.
    pub angular: [f64; 3],
    /// Iterations.
    pub counts: Counts,
    /// Relative residual of the balance.
    pub balance: f64,
    /// Relative residual of the contact laws, method (4).
    pub residual: f64,
    /// Points in contact.
    pub closed: usize,
    /// Points that slide.
    pub sliding: usize,
    /// Deepest penetration \[m\].
    pub penetration: f64,
    /// Largest relative normal velocity at points in contact \[m/s\].
    pub approach: f64,
    /// Sum of the contact forces on the slave sides \[N\].
    pub force: [f64; 3],
    /// Residuals of the Newton iterations of the last solve.
    pub newton: Vec<f64>,
}
