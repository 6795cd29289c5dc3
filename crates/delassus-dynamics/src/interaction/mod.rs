//! Laws between bodies
//!
//! A [`BodyLaw`] looks at one contact at the beginning of a step and says which law of the
//! one-step problem holds there, with which restitution, and what it adds to percussions
//! and velocities:
//!
//! ```text
//!     law( U + shift + (ρ, τ) U⁻ + γ S ,  S + offset )                          method (6)
//! ```
//!
//! The engine's own is [`Interaction`]; a user's type may stand beside it in the table of
//! [`Interactions`].

mod adhesion;
mod pair;
mod table;

pub use adhesion::Adhesion;
pub use pair::{Friction, Interaction, InteractionError};
pub use table::Interactions;

use crate::MEMORY;
use delassus_friction::Law;
use delassus_friction::laws::COMPONENTS;

/// A contact as a law sees it at the beginning of a step, at `q_m`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Meeting {
    /// Gap at `q_m` \[m\].
    pub gap: f64,
    /// Relative velocity before the step, in the frame of the contact \[m/s\].
    pub before: [f64; COMPONENTS],
    /// Components of the contact space of this run.
    pub components: usize,
    /// Dimension of space, 2 or 3.
    pub space: usize,
    /// Middle of the step \[s\].
    pub time: f64,
    /// Number of the step.
    pub step: u64,
    /// Length of the step \[s\].
    pub h: f64,
    /// Internal variables; all zero at a new contact.
    pub memory: [f64; MEMORY],
}

impl Meeting {
    /// Tangential speed before the step \[m/s\].
    pub fn slip_speed(&self) -> f64 {
        self.before[1..self.space].iter().map(|v| v * v).sum::<f64>().sqrt()
    }
}

/// The law of one contact in one step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepLaw {
    /// Law of the one-step problem.
    pub law: Law,
    /// Normal and tangential restitution ρ, τ.
    pub restitution: [f64; 2],
    /// The law speaks of `S + offset` \[N·s\].
    pub offset: [f64; COMPONENTS],
    /// Added to the velocity the law speaks of \[m/s\].
    pub shift: [f64; COMPONENTS],
    /// Compliance on the diagonal of `W` \[1/kg\].
    pub compliance: [f64; COMPONENTS],
}

impl StepLaw {
    /// A law without restitution or anything added.
    pub fn new(law: Law) -> Self {
        let zero = [0.0; COMPONENTS];
        Self { law, restitution: [0.0; 2], offset: zero, shift: zero, compliance: zero }
    }

    /// Coulomb friction, without any resistance in the components beyond the tangent plane.
    pub fn coulomb(mu: f64, meeting: &Meeting) -> Self {
        Self::new(match (meeting.space, meeting.components) {
            _ if mu == 0.0 => Law::Frictionless,
            (2, 3) | (3, 5) => Law::Rolling { mu, mu_r: 0.0 },
            (3, 4) => Law::Torsional { mu, mu_s: 0.0 },
            _ => Law::Coulomb { mu },
        })
    }

    /// A two-sided constraint on the components of space; the others are free.
    pub fn bilateral(meeting: &Meeting) -> Self {
        if meeting.components == meeting.space {
            return Self::new(Law::Bilateral);
        }
        let limit = std::array::from_fn(|k| if k < meeting.space { f64::INFINITY } else { 0.0 });
        Self::new(Law::Limited { limit })
    }
}

/// What became of a contact at the end of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct After {
    /// Relative velocity after the step \[m/s\].
    pub velocity: [f64; COMPONENTS],
    /// Percussion \[N·s\].
    pub percussion: [f64; COMPONENTS],
}

/// A law between two materials. Implement it for a law of your own.
pub trait BodyLaw: std::fmt::Debug + Send + Sync {
    /// The law of this contact in this step.
    fn step_law(&self, meeting: &Meeting) -> StepLaw;

    /// Whether a contact at this gap takes part in the step; a closed one must.
    fn reaches(&self, gap: f64, memory: &[f64; MEMORY]) -> bool {
        let _ = memory;
        gap <= 0.0
    }

    /// Largest gap at which it may act \[m\]: contacts are detected up to it.
    fn range(&self) -> f64 {
        0.0
    }

    /// Components of the contact space it needs in a space of dimension `space`.
    fn components(&self, space: usize) -> usize {
        space
    }

    /// The internal variables at the end of the step.
    fn remember(&self, meeting: &Meeting, after: &After, memory: &mut [f64; MEMORY]) {
        let _ = (meeting, after, memory);
    }

    /// A direction in the material of the first body of the pair to which the first tangent
    /// is turned, for laws that are not isotropic.
    fn material_axis(&self) -> Option<[f64; 3]> {
        None
    }

    /// Why the law makes no sense, in words; `None` when it does.
    fn fault(&self, space: usize, components: usize) -> Option<InteractionError> {
        let _ = (space, components);
        None
    }
}
