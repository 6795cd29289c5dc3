//! Adhesion with damage \[RaousCangemiCocu99\]
//!
//! ```text
//!     R_N = R_N^c − β² c_n u_N⁺,      R_T = R_T^c − β² c_t u_T
//!     b β̇ = −( β (c_n (u_N⁺)² + c_t |u_T|²) − w )⁺,         0 ≤ β ≤ 1
//! ```
//!
//! `u_N`, `u_T` are the opening and the slip since the bond was made; `R^c` obeys unilateral
//! contact and Coulomb. The elastic bond is a [`Bond`] beside `R^c`, at the end of the step, with the `β` that the
//! velocity before foretells; `β` itself follows by one implicit Euler step. Pulled off slowly without viscosity, the traction grows to `√(w c_n)` and falls as
//! `w²/(c_n u³)`: the work of fracture is `w`.
//!
//! Memory of a contact: `[β, u_T1, u_T2, 1 once decided]`.

use super::{After, Bond, InteractionError, Meeting, StepLaw};
use crate::{MEMORY, Measure};
use delassus_friction::Law;
use delassus_friction::laws::COMPONENTS;
use serde::{Deserialize, Serialize};

/// Parameters of the adhesion of two surfaces: per contact of bodies, per area of solids.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Adhesion {
    /// Normal stiffness of a full bond \[N/m, Pa/m\].
    pub normal_stiffness: f64,
    /// Tangential stiffness of a full bond \[N/m, Pa/m\].
    pub tangential_stiffness: f64,
    /// Dupré's energy of a full bond \[J, J/m²\].
    pub energy: f64,
    /// Viscosity of the damage \[J·s, J·s/m²\]; zero: the bond follows its limit at once.
    #[serde(default)]
    pub viscosity: f64,
    /// Intensity of the bond at the start, 0 to 1.
    #[serde(default = "full")]
    pub intensity: f64,
    /// Whether contacts made after the first step are bonded too.
    #[serde(default)]
    pub rebond: bool,
}

fn full() -> f64 {
    1.0
}

/// Intensity below which a bond is broken.
const BROKEN: f64 = 1e-6;

impl Adhesion {
    pub(super) fn fault(&self) -> Option<InteractionError> {
        let number = |name, value: f64, least: f64| {
            (!(value.is_finite() && value >= least)).then_some(InteractionError::Coefficient {
                name,
                value,
                expected: "a finite number, not negative",
            })
        };
        number("adhesion.normal_stiffness", self.normal_stiffness, f64::MIN_POSITIVE)
            .or_else(|| number("adhesion.tangential_stiffness", self.tangential_stiffness, 0.0))
            .or_else(|| number("adhesion.energy", self.energy, 0.0))
            .or_else(|| number("adhesion.viscosity", self.viscosity, 0.0))
            .or_else(|| {
                (!(0.0..=1.0).contains(&self.intensity)).then_some(InteractionError::Coefficient {
                    name: "adhesion.intensity",
                    value: self.intensity,
                    expected: "a number from 0 to 1",
                })
            })
    }

    /// Opening up to which a bond may reach: ten times that at which a full one starts to break.
    pub(super) fn range(&self) -> f64 {
        10.0 * (self.energy / self.normal_stiffness).sqrt()
    }

    /// Intensity at the beginning of the step.
    pub(super) fn intensity(&self, meeting: &Meeting) -> f64 {
        match meeting.memory[3] {
            0.0 if (meeting.step == 0 || self.rebond) && meeting.touching => self.intensity,
            0.0 => 0.0,
            _ => meeting.memory[0],
        }
    }

    pub(super) fn holds(memory: &[f64; MEMORY]) -> bool {
        memory[3] != 0.0 && memory[0] > BROKEN
    }

    /// Intensity after a step of length `h` in which the bond is stretched to an opening and a slip.
    fn damaged(&self, beta: f64, stretch: [f64; 3], h: f64) -> f64 {
        let [opening, t1, t2] = stretch;
        let strain = self.normal_stiffness * opening.max(0.0).powi(2) + self.tangential_stiffness * (t1 * t1 + t2 * t2);
        if beta * strain <= self.energy {
            return beta;
        }
        ((self.viscosity * beta + h * self.energy) / (self.viscosity + h * strain)).clamp(0.0, beta)
    }

    /// Intensity at the end of the step, were the velocity the one before.
    fn foretold(&self, meeting: &Meeting) -> f64 {
        let moved = |k: usize| match meeting.measure {
            Measure::Velocity => meeting.ahead[k] + meeting.slope * meeting.before[k],
            Measure::Gap if k == 0 => meeting.gap + meeting.h * meeting.before[0],
            Measure::Gap => meeting.h * meeting.before[k],
        };
        let stretch = std::array::from_fn(|k| match k {
            0 => moved(0),
            k if k < meeting.space => meeting.memory[k] + moved(k),
            _ => 0.0,
        });
        self.damaged(self.intensity(meeting), stretch, meeting.h)
    }

    /// Adds the bond to the law of the contact.
    pub(super) fn add(&self, meeting: &Meeting, stated: &mut StepLaw) {
        let beta = self.foretold(meeting);
        // Open, a law on velocities has nothing to say.
        if !meeting.touching && meeting.measure == Measure::Velocity {
            stated.law = Law::Limited { limit: [0.0; COMPONENTS] };
            stated.restitution = [0.0; 2];
            stated.offset = [0.0; COMPONENTS];
        }
        if beta <= BROKEN {
            return;
        }
        let whole = [self.normal_stiffness, self.tangential_stiffness, self.tangential_stiffness];
        let mut bond = Bond::default();
        let first = self.intensity(meeting);
        for k in 0..meeting.space {
            bond.stiffness[k] = meeting.h * beta * beta * whole[k];
            let stretched = if k == 0 { meeting.gap.max(0.0) } else { meeting.memory[k] };
            bond.before[k] = -meeting.h * first * first * whole[k] * stretched;
            // A penetration lengthens nothing.
            bond.start[k] = if k == 0 { meeting.ahead[0].max(0.0) } else { meeting.memory[k] + meeting.ahead[k] };
        }
        stated.bond = Some(bond);
    }

    pub(super) fn remember(&self, meeting: &Meeting, after: &After, memory: &mut [f64; MEMORY]) {
        let (h, beta) = (meeting.h, self.intensity(meeting));
        // Surfaces that have not met yet may still be bonded.
        if beta == 0.0 && !meeting.touching && meeting.memory[3] == 0.0 {
            return;
        }
        for k in 1..meeting.space {
            memory[k] = meeting.memory[k] + after.slip[k - 1];
        }
        memory[0] = self.damaged(beta, [after.gap, memory[1], memory[2]], h);
        memory[3] = 1.0;
    }
}
