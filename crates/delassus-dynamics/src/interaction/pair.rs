//! The engine's own laws between two materials.

use super::{Adhesion, After, BodyLaw, Meeting, StepLaw};
use crate::MEMORY;
use delassus_friction::Law;
use delassus_friction::laws::Section;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Resistance to sliding, rolling, spinning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Friction {
    /// Coulomb's law; zero for none.
    Coulomb {
        /// Coefficient.
        mu: f64,
    },
    /// A coefficient at rest, another in motion, by the velocity before the step \[Moreau86\].
    StaticKinetic {
        /// Coefficient at rest.
        mu_s: f64,
        /// Coefficient in motion.
        mu_k: f64,
        /// Largest tangential speed that counts as rest \[m/s\].
        #[serde(default = "rest_speed")]
        rest_speed: f64,
    },
    /// An ellipse with axes fixed in the material of the first body of the pair (space only).
    Elliptic {
        /// Coefficients along the axis and across it.
        mu: [f64; 2],
        /// The axis, in the body; its projection on the tangent plane counts.
        axis: [f64; 3],
    },
    /// A convex polygon fixed in the material of the first body of the pair (space only).
    Polyhedral {
        /// The section; its first coordinate is along the axis.
        section: Arc<Section>,
        /// The axis, in the body.
        axis: [f64; 3],
    },
    /// A given threshold, whatever the pressure.
    Tresca {
        /// Largest friction force \[N\].
        threshold: f64,
    },
    /// Coulomb's law with resistance to rolling.
    Rolling {
        /// Coefficient of friction.
        mu: f64,
        /// Coefficient of rolling \[m\].
        mu_r: f64,
    },
    /// Coulomb's law with resistance to spinning (space only).
    Torsional {
        /// Coefficient of friction.
        mu: f64,
        /// Coefficient of spinning \[m\].
        mu_s: f64,
    },
    /// Glued: no relative motion of the points in contact.
    Bilateral,
}

fn rest_speed() -> f64 {
    REST_SPEED
}

/// Slip below this is round-off of sticking \[m/s\]; a larger threshold would delay the start of slip.
const REST_SPEED: f64 = 1e-9;

/// Everything that holds between two materials.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interaction {
    /// Friction.
    pub friction: Friction,
    /// Normal restitution ρ, 0 to 1.
    #[serde(default)]
    pub restitution: f64,
    /// Tangential restitution τ, 0 to 1.
    #[serde(default)]
    pub tangential_restitution: f64,
    /// Traction a closed contact resists \[N\].
    #[serde(default)]
    pub cohesion: f64,
    /// A bond that breaks.
    #[serde(default)]
    pub adhesion: Option<Adhesion>,
}

impl Interaction {
    /// Coulomb friction without restitution.
    pub fn coulomb(mu: f64) -> Self {
        Self::new(Friction::Coulomb { mu })
    }

    /// Friction alone.
    pub fn new(friction: Friction) -> Self {
        Self { friction, restitution: 0.0, tangential_restitution: 0.0, cohesion: 0.0, adhesion: None }
    }

    /// With restitution ρ, τ.
    pub fn with_restitution(mut self, normal: f64, tangential: f64) -> Self {
        (self.restitution, self.tangential_restitution) = (normal, tangential);
        self
    }

    fn coefficients(&self) -> Vec<(&'static str, f64)> {
        let mut list = match &self.friction {
            Friction::Coulomb { mu } => vec![("friction", *mu)],
            Friction::StaticKinetic { mu_s, mu_k, rest_speed } => {
                vec![("mu_s", *mu_s), ("mu_k", *mu_k), ("rest_speed", *rest_speed)]
            }
            Friction::Elliptic { mu, .. } => vec![("mu[0]", mu[0]), ("mu[1]", mu[1])],
            Friction::Polyhedral { .. } | Friction::Bilateral => vec![],
            Friction::Tresca { threshold } => vec![("threshold", *threshold)],
            Friction::Rolling { mu, mu_r } => vec![("mu", *mu), ("mu_r", *mu_r)],
            Friction::Torsional { mu, mu_s } => vec![("mu", *mu), ("mu_s", *mu_s)],
        };
        list.push(("cohesion", self.cohesion));
        list
    }
}

impl BodyLaw for Interaction {
    fn step_law(&self, meeting: &Meeting) -> StepLaw {
        let mut stated = match &self.friction {
            Friction::Coulomb { mu } => StepLaw::coulomb(*mu, meeting),
            Friction::StaticKinetic { mu_s, mu_k, rest_speed } => {
                StepLaw::coulomb(if meeting.slip_speed() <= *rest_speed { *mu_s } else { *mu_k }, meeting)
            }
            // The first tangent already is the axis of the material.
            Friction::Elliptic { mu, .. } => StepLaw::new(Law::Elliptic { mu: *mu, angle: 0.0 }),
            Friction::Polyhedral { section, .. } => StepLaw::new(Law::Polyhedral(section.clone())),
            Friction::Tresca { threshold } => StepLaw::new(Law::Tresca { threshold: threshold * meeting.h }),
            Friction::Rolling { mu, mu_r } => StepLaw::new(Law::Rolling { mu: *mu, mu_r: *mu_r }),
            Friction::Torsional { mu, mu_s } => StepLaw::new(Law::Torsional { mu: *mu, mu_s: *mu_s }),
            Friction::Bilateral => StepLaw::bilateral(meeting),
        };
        stated.restitution = [self.restitution, self.tangential_restitution];
        stated.offset[0] = self.cohesion * meeting.h;
        if let Some(adhesion) = &self.adhesion {
            adhesion.add(meeting, &mut stated);
        }
        stated
    }

    fn reaches(&self, gap: f64, memory: &[f64; MEMORY]) -> bool {
        gap <= 0.0 || (self.adhesion.is_some() && Adhesion::holds(memory))
    }

    fn range(&self) -> f64 {
        self.adhesion.as_ref().map_or(0.0, Adhesion::range)
    }

    fn components(&self, space: usize) -> usize {
        match (&self.friction, space) {
            (Friction::Rolling { .. }, 2) => 3,
            (Friction::Rolling { .. }, _) => 5,
            (Friction::Torsional { .. }, _) => 4,
            _ => space,
        }
    }

    fn remember(&self, meeting: &Meeting, after: &After, memory: &mut [f64; MEMORY]) {
        if let Some(adhesion) = &self.adhesion {
            adhesion.remember(meeting, after, memory);
        }
    }

    fn material_axis(&self) -> Option<[f64; 3]> {
        match &self.friction {
            Friction::Elliptic { axis, .. } | Friction::Polyhedral { axis, .. } => Some(*axis),
            _ => None,
        }
    }

    fn fault(&self, space: usize, components: usize) -> Option<InteractionError> {
        for (name, value) in self.coefficients() {
            if !(value.is_finite() && value >= 0.0) {
                return Some(InteractionError::Coefficient { name, value, expected: "a finite number, not negative" });
            }
        }
        for (name, value) in
            [("restitution", self.restitution), ("tangential_restitution", self.tangential_restitution)]
        {
            if !(0.0..=1.0).contains(&value) {
                return Some(InteractionError::Coefficient { name, value, expected: "a number from 0 to 1" });
            }
        }
        if let Some(axis) = self.material_axis() {
            let norm = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
            if !(norm > 0.0 && norm.is_finite()) {
                return Some(InteractionError::Coefficient {
                    name: "axis",
                    value: norm,
                    expected: "a vector that is finite and not zero",
                });
            }
        }
        let (law, wanted) = match &self.friction {
            Friction::Elliptic { .. } => ("elliptic", 3),
            Friction::Polyhedral { .. } => ("polyhedral", 3),
            Friction::Tresca { .. } => ("Tresca", space),
            Friction::Torsional { .. } => ("torsional", 4),
            Friction::Rolling { .. } => ("rolling", self.components(space)),
            _ => ("", components),
        };
        if wanted != components || (wanted == 4 && space == 2) {
            return Some(InteractionError::Components { law, wanted, components, space });
        }
        self.adhesion.as_ref().and_then(Adhesion::fault)
    }
}

/// Why a law between two materials was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum InteractionError {
    /// A coefficient is out of its range.
    #[error("{name} = {value}: expected {expected}")]
    Coefficient {
        /// Which one.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What would be accepted.
        expected: &'static str,
    },
    /// Laws that need different contact spaces cannot share a run.
    #[error(
        "the {law} law needs contacts of {wanted} components in a space of dimension {space}, the other laws of this \
         run make them {components}: rolling, spinning, elliptic, polyhedral and Tresca laws cannot be mixed"
    )]
    Components {
        /// The law.
        law: &'static str,
        /// Components it needs.
        wanted: usize,
        /// Components of the run.
        components: usize,
        /// Dimension of space.
        space: usize,
    },
}
