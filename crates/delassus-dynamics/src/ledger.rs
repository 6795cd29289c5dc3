//! The energy balance of a step
//!
//! ```text
//!     Δ(kinetic + potential) = external + friction + shock + bonds + correction + numerical + closing
//! ```
//!
//! With `v̄ = ½(u_i + u_f)`, method (5) gives `ΔK = v̄·(h F + Gᵀ S)` identically, and
//! `v̄·Gᵀ S = S·½(U⁻ + U⁺) − S·w`: the first part dissipates, the second is the work of
//! obstacles. *Numerical* is what vanishes in the continuous motion (gyroscopic work,
//! springs evaluated at `q_m`, joints); *closing* is round-off.

use serde::Serialize;

/// Energies at the end of a step and the works done in it \[J\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Ledger {
    /// Kinetic energy at the end.
    pub kinetic: f64,
    /// Potential energy at the end (gravity, springs).
    pub potential: f64,
    /// Work of loads, motors and obstacles.
    pub external: f64,
    /// Work of friction on the weighted slip `(τ U_T⁻ + U_T⁺)/(1 + τ)`: zero at sticking
    /// contacts, not positive up to the solver's tolerance.
    pub friction: f64,
    /// What jumps of velocity lose: normal percussions, and tangential ones where a slip
    /// ends. In smooth motion it is of the order of `h`.
    pub shock: f64,
    /// Work of cohesion and adhesion.
    pub bonds: f64,
    /// Potential energy brought by the position correction.
    pub correction: f64,
    /// Work that vanishes in the continuous motion.
    pub numerical: f64,
    /// What is left of the balance.
    pub closing: f64,
}

impl Ledger {
    /// Sum of the works.
    pub fn works(&self) -> f64 {
        self.external + self.friction + self.shock + self.bonds + self.correction + self.numerical
    }

    /// Adds the works of a later step and takes its energies.
    pub fn follow(&mut self, next: &Ledger) {
        let sum = |a: &mut f64, b: f64| *a += b;
        (self.kinetic, self.potential) = (next.kinetic, next.potential);
        sum(&mut self.external, next.external);
        sum(&mut self.friction, next.friction);
        sum(&mut self.shock, next.shock);
        sum(&mut self.bonds, next.bonds);
        sum(&mut self.correction, next.correction);
        sum(&mut self.numerical, next.numerical);
        sum(&mut self.closing, next.closing);
    }
}

/// Work of the loads of a subsystem over a step \[J\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Works {
    /// Of forces that have no potential.
    pub external: f64,
    /// Of forces that have one.
    pub conservative: f64,
    /// Of inertial terms.
    pub gyroscopic: f64,
}

/// Momenta of the moving bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Momenta {
    /// Linear \[kg·m/s\].
    pub linear: [f64; 3],
    /// Angular, about the origin \[kg·m²/s\]; in the plane the third component.
    pub angular: [f64; 3],
}
