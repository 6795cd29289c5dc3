//! The energy balance of a step
//!
//! ```text
//!     Δ(kinetic + potential + strain) = external + motors + friction + shock + restitution + adhesion
//!                                       + correction − plastic − viscous + numerical + closing
//! ```
//!
//! With `v̄ = ½(v_i + v_f)` the scheme gives `ΔK = v̄·(h F̄ + Gᵀ S)` identically, and
//! `v̄·Gᵀ S = S·½(U⁻ + U⁺) − S·w`: the first part dissipates, the second is the work of
//! obstacles. *Numerical* is what vanishes in the continuous motion: the work of inner forces, computed
//! from the stresses (springs, joints) that the scheme takes, against the energies at both ends.
//! *Closing* is what is left; it is round-off where momentum is in balance.

use serde::Serialize;

/// Energies at the end of a step and the works done in it \[J\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Ledger {
    /// Kinetic energy at the end.
    pub kinetic: f64,
    /// Potential energy at the end: gravity, springs between bodies.
    pub potential: f64,
    /// Elastic energy of solids at the end, their springs included.
    pub strain: f64,
    /// Work of loads, supports and obstacles.
    pub external: f64,
    /// Work of motors.
    pub motors: f64,
    /// Work of friction on the weighted slip `(τ U_T⁻ + U_T⁺)/(1 + τ)`: zero at sticking
    /// contacts, not positive up to the solver's tolerance.
    pub friction: f64,
    /// What jumps of velocity take: normal percussions on the velocity before, and tangential ones where
    /// a slip ends. In smooth motion it is of the order of `h`.
    pub shock: f64,
    /// What normal percussions give back, on the velocity after.
    pub restitution: f64,
    /// Work of cohesion and adhesion.
    pub adhesion: f64,
    /// Dissipated by plasticity.
    pub plastic: f64,
    /// Dissipated by viscosity and dampers.
    pub viscous: f64,
    /// Energy brought by the position correction, and where a state is carried over to another model.
    pub correction: f64,
    /// Work that vanishes in the continuous motion.
    pub numerical: f64,
    /// What is left of the balance.
    pub closing: f64,
}

/// Names of the works in records, with what they are; the order is that of [`Ledger::numbers`].
pub const WORKS: [(&str, &str); 11] = [
    ("external", "work of loads, supports and obstacles since the start"),
    ("motors", "work of motors since the start"),
    ("friction", "work of friction since the start"),
    ("shock", "work of normal percussions on the velocities before, since the start"),
    ("restitution", "work of normal percussions on the velocities after, since the start"),
    ("adhesion", "work of cohesion and adhesion since the start"),
    ("plastic", "dissipated by plasticity since the start"),
    ("viscous", "dissipated by viscosity and dampers since the start"),
    ("correction", "energy brought by position corrections and by patches that move or appear, since the start"),
    ("numerical", "work that vanishes with the step, since the start"),
    ("closing", "what is left of the energy balance, summed"),
];

impl Ledger {
    /// Kinetic energy and potentials.
    pub fn total(&self) -> f64 {
        self.kinetic + self.stored()
    }

    /// Potentials.
    pub fn stored(&self) -> f64 {
        self.potential + self.strain
    }

    /// Work of normal contact forces.
    pub fn contact(&self) -> f64 {
        self.shock + self.restitution
    }

    /// What the works add to the energies.
    pub fn works(&self) -> f64 {
        self.external
            + self.motors
            + self.friction
            + self.shock
            + self.restitution
            + self.adhesion
            + self.correction
            + self.numerical
            - self.plastic
            - self.viscous
    }

    /// The works, in the order of [`WORKS`].
    pub fn numbers(&self) -> [f64; WORKS.len()] {
        [
            self.external,
            self.motors,
            self.friction,
            self.shock,
            self.restitution,
            self.adhesion,
            self.plastic,
            self.viscous,
            self.correction,
            self.numerical,
            self.closing,
        ]
    }

    /// The works from [`Ledger::numbers`]; energies are zero.
    pub fn from_numbers(x: &[f64; WORKS.len()]) -> Self {
        let [
            external,
            motors,
            friction,
            shock,
            restitution,
            adhesion,
            plastic,
            viscous,
            correction,
            numerical,
            closing,
        ] = *x;
        Self {
            external,
            motors,
            friction,
            shock,
            restitution,
            adhesion,
            plastic,
            viscous,
            correction,
            numerical,
            closing,
            ..Self::default()
        }
    }

    /// Adds the works of a later step and takes its energies.
    pub fn follow(&mut self, next: &Ledger) {
        let (mine, theirs) = (self.numbers(), next.numbers());
        *self = Self::from_numbers(&std::array::from_fn(|k| mine[k] + theirs[k]));
        (self.kinetic, self.potential, self.strain) = (next.kinetic, next.potential, next.strain);
    }
}

/// Momenta of the moving bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Momenta {
    /// Linear \[kg·m/s\].
    pub linear: [f64; 3],
    /// Angular, about the origin \[kg·m²/s\]; in the plane the third component.
    pub angular: [f64; 3],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn works_add_up_and_energies_are_those_of_the_end() {
        let step = Ledger::from_numbers(&std::array::from_fn(|k| 1.0 + k as f64));
        let step = Ledger { kinetic: 5.0, potential: 6.0, strain: 7.0, ..step };
        let mut sum = Ledger::default();
        sum.follow(&step);
        sum.follow(&step);
        assert_eq!(sum.numbers(), step.numbers().map(|x| 2.0 * x));
        assert_eq!((sum.kinetic, sum.stored()), (5.0, 13.0));
        // 1 + 2 + 3 + 4 + 5 + 6 + 9 + 10 − 7 − 8: closing is no work.
        assert_eq!(step.works(), 25.0);
    }
}
