//! Laws between materials: of bodies, of solids, of both
//!
//! A [`BodyLaw`] looks at one contact at the beginning of a step and says which law of the
//! one-step problem holds there, with which restitution, and what it adds to percussions
//! and velocities:
//!
//! ```text
//!     law( U + shift + (ρ, τ) U⁻ + γ S ,  S + offset )                          method (6)
//! ```
//!
//! What acts beside the law, in parallel, is a [`Bond`]: a spring between the same two places, which the
//! world adds as a block of its own with the same rows. A layer of asperities between the surfaces, a [`Crush`],
//! bends the law itself: normal percussions up to its own go with a crush, as a compliance that is not linear.
//!
//! A contact of bodies gives forces, a multiplier of surfaces stresses times its area: bounds, tractions
//! and stiffnesses of a law are per contact there \[N\], per area here \[Pa\].
//!
//! The engine's own is [`Interaction`]; a user's type may stand beside it in the table of
//! [`Interactions`].

mod adhesion;
mod asperities;
mod pair;
mod table;

pub use adhesion::Adhesion;
pub use asperities::{Asperities, Crush, Release};
pub use pair::{AtRest, Friction, Interaction, InteractionError, Polygon};
pub use table::Interactions;

use crate::{MEMORY, Measure};
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
    /// Gap at the beginning of the step \[m\].
    pub start: f64,
    /// Whether it is closed, up to round-off.
    pub touching: bool,
    /// Whether unilateral contact is imposed in the step: the predicted gap is closed.
    pub closed: bool,
    /// What the law speaks of: velocities, or the gap and the slip at the end of the step.
    pub measure: Measure,
    /// Whether percussions stand for forces at the end of the step, and not for the mean of it.
    pub at_end: bool,
    /// Gap at the end of the step, and slip in it, were `U` zero \[m\]: they are `ahead + slope U`.
    pub ahead: [f64; 3],
    /// See `ahead` \[s\].
    pub slope: f64,
    /// Whether the first body of the contact carries the axis of the law: sections are given for the
    /// force on the other one, and are seen from behind.
    pub mirrored: bool,
    /// In the plane, cosine of the tangent with the axis of the law; where it is positive, the other body
    /// slides along the axis when `U_T > 0`.
    pub facing: f64,
}

impl Meeting {
    /// The same with surfaces nearer by a length.
    pub fn nearer(&self, by: f64) -> Self {
        let mut seen = *self;
        seen.gap -= by;
        seen.start -= by;
        seen.ahead[0] -= by;
        seen.touching |= seen.gap <= 0.0;
        seen.closed |= seen.gap <= 0.0;
        seen
    }

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
    /// What pulls beside the law.
    pub bond: Option<Bond>,
    /// A layer between the surfaces.
    pub crush: Option<Crush>,
}

/// A spring beside the law of a contact: `S_k = −stiffness_k (start_k + slope U_k)`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bond {
    /// Percussion for a length, by component of space \[N·s/m\]; zero where there is no spring.
    pub stiffness: [f64; 3],
    /// Its lengthening at the end of the step, were `U` zero \[m\].
    pub start: [f64; 3],
    /// What it pulled at the beginning of the step, over its length \[N·s\]: for works by the trapezoidal rule.
    pub before: [f64; 3],
}

impl StepLaw {
    /// A law without restitution or anything added.
    pub fn new(law: Law) -> Self {
        let zero = [0.0; COMPONENTS];
        Self { law, restitution: [0.0; 2], offset: zero, shift: zero, compliance: zero, bond: None, crush: None }
    }

    /// Coulomb friction, without any resistance in the components beyond the tangent plane.
    pub fn coulomb(mu: f64, meeting: &Meeting) -> Self {
        Self::resisting([mu, 0.0, 0.0], meeting)
    }

    /// Coulomb friction with resistance to rolling and to spinning, where the contact space has components for
    /// them: coefficients of friction, rolling and spinning.
    pub fn resisting([mu, mu_r, mu_s]: [f64; 3], meeting: &Meeting) -> Self {
        Self::new(match (meeting.space, meeting.components) {
            _ if mu == 0.0 && mu_r == 0.0 && mu_s == 0.0 => Law::Frictionless,
            (2, 3) | (3, 5) => Law::Rolling { mu, mu_r },
            (3, 4) => Law::Torsional { mu, mu_s },
            (3, 6) => Law::RollingTorsional { mu, mu_r, mu_s },
            _ => Law::coulomb(mu),
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
    /// Gap at the end of the step \[m\].
    pub gap: f64,
    /// Slip in the step \[m\].
    pub slip: [f64; 2],
}

/// A law between two materials. Implement it for a law of your own.
pub trait BodyLaw: std::fmt::Debug + Send + Sync {
    /// The law of this contact in this step.
    fn step_law(&self, meeting: &Meeting) -> StepLaw;

    /// Whether it wants to see all its contacts before it is asked for each: see [`BodyLaw::foresee`].
    fn looks_ahead(&self) -> bool {
        false
    }

    /// All contacts of the step for which [`BodyLaw::step_law`] will be asked, in that order: for laws that cost less
    /// together than one by one.
    fn foresee(&self, meetings: &[Meeting]) {
        let _ = meetings;
    }

    /// Whether a contact at this gap takes part in the step; a closed one must.
    fn reaches(&self, gap: f64, memory: &[f64; MEMORY]) -> bool {
        let _ = memory;
        gap <= 0.0
    }

    /// Largest gap at which it may act \[m\]: contacts are detected up to it.
    fn range(&self) -> f64 {
        0.0
    }

    /// Whether it may hold closed surfaces together.
    fn pulls(&self) -> bool {
        self.range() > 0.0
    }

    /// Whether its contacts store energy: then the first number of their memory is it \[J\].
    fn stores(&self) -> bool {
        false
    }

    /// Whether it is a function of the contact alone, and of what it remembers: not of time, and not of the number of the
    /// step. Bodies at rest may then sleep.
    fn is_steady(&self) -> bool {
        false
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
    /// is turned, for laws that are not isotropic; solids have no axes of their own, and it is one of space.
    fn material_axis(&self) -> Option<[f64; 3]> {
        None
    }

    /// Why the law makes no sense, in words; `None` when it does.
    fn fault(&self, space: usize, components: usize) -> Option<InteractionError> {
        let _ = (space, components);
        None
    }
}
