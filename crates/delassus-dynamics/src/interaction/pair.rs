//! The engine's own laws between two materials.

use super::{Adhesion, After, Asperities, BodyLaw, Crush, Meeting, StepLaw};
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
    /// An ellipse with axes fixed in the material of the first body of the pair (space only).
    Elliptic {
        /// Coefficients along the axis and across it.
        mu: [f64; 2],
        /// The axis, in the body; its projection on the tangent plane counts.
        axis: [f64; 3],
    },
    /// A convex polygon fixed in the material of the first body of the pair (space only).
    Polyhedral {
        /// The section: the friction that this body may exert on the other one, for a normal force of 1.
        /// Coordinates are along the axis, and along `n × axis` with `n` out of the body.
        section: Polygon,
        /// The axis, in the body.
        axis: [f64; 3],
    },
    /// Coefficients for sliding one way and the other (plane only).
    Directional {
        /// Where the other body slides along the axis, and against it.
        mu: [f64; 2],
        /// The axis, in the first body of the pair.
        axis: [f64; 3],
    },
    /// A given threshold, whatever the pressure.
    Tresca {
        /// Largest friction \[N, Pa between surfaces of solids\].
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
    /// Coulomb's law with resistance to rolling and to spinning (space only).
    RollingTorsional {
        /// Coefficient of friction.
        mu: f64,
        /// Coefficient of rolling \[m\].
        mu_r: f64,
        /// Coefficient of spinning \[m\].
        mu_s: f64,
    },
    /// Glued: no relative motion of the points in contact.
    Bilateral,
}

/// A polygonal section, from both sides of the contact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Arc<Section>", into = "Arc<Section>")]
pub struct Polygon([Arc<Section>; 2]);

impl From<Arc<Section>> for Polygon {
    fn from(section: Arc<Section>) -> Self {
        let mirrored = Arc::new(section.mirrored());
        Self([section, mirrored])
    }
}

impl From<Section> for Polygon {
    fn from(section: Section) -> Self {
        Arc::new(section).into()
    }
}

impl From<Polygon> for Arc<Section> {
    fn from(polygon: Polygon) -> Self {
        let [section, _] = polygon.0;
        section
    }
}

impl Friction {
    fn coefficients(&self) -> Vec<(&'static str, f64)> {
        match self {
            Friction::Coulomb { mu } => vec![("friction", *mu)],
            Friction::Elliptic { mu, .. } | Friction::Directional { mu, .. } => {
                vec![("mu[0]", mu[0]), ("mu[1]", mu[1])]
            }
            Friction::Polyhedral { .. } | Friction::Bilateral => vec![],
            Friction::Tresca { threshold } => vec![("threshold", *threshold)],
            Friction::Rolling { mu, mu_r } => vec![("mu", *mu), ("mu_r", *mu_r)],
            Friction::Torsional { mu, mu_s } => vec![("mu", *mu), ("mu_s", *mu_s)],
            Friction::RollingTorsional { mu, mu_r, mu_s } => vec![("mu", *mu), ("mu_r", *mu_r), ("mu_s", *mu_s)],
        }
    }

    fn axis(&self) -> Option<[f64; 3]> {
        match self {
            Friction::Elliptic { axis, .. }
            | Friction::Polyhedral { axis, .. }
            | Friction::Directional { axis, .. } => Some(*axis),
            _ => None,
        }
    }

    /// The law of one step.
    fn stated(&self, meeting: &Meeting) -> StepLaw {
        match self {
            Friction::Coulomb { mu } => StepLaw::coulomb(*mu, meeting),
            // The first tangent already is the axis of the material.
            Friction::Elliptic { mu, .. } => StepLaw::new(Law::Elliptic { mu: *mu, angle: 0.0 }),
            Friction::Polyhedral { section, .. } => {
                StepLaw::new(Law::Polyhedral(section.0[usize::from(meeting.mirrored)].clone()))
            }
            Friction::Directional { mu, .. } => {
                let mu = if meeting.facing >= 0.0 { *mu } else { [mu[1], mu[0]] };
                StepLaw::new(Law::Directional { mu })
            }
            Friction::Tresca { threshold } => StepLaw::new(Law::Tresca { threshold: threshold * meeting.h }),
            Friction::Rolling { mu, mu_r } => StepLaw::resisting([*mu, *mu_r, 0.0], meeting),
            Friction::Torsional { mu, mu_s } => StepLaw::resisting([*mu, 0.0, *mu_s], meeting),
            Friction::RollingTorsional { mu, mu_r, mu_s } => StepLaw::resisting([*mu, *mu_r, *mu_s], meeting),
            // Surfaces are looked at before they meet.
            Friction::Bilateral if !meeting.touching => StepLaw::new(Law::Frictionless),
            Friction::Bilateral => StepLaw::bilateral(meeting),
        }
    }
}

/// Friction of contacts that do not slide, by the velocity before the step \[Moreau86, remark\].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AtRest {
    /// The friction, of the same kind as that in motion.
    pub friction: Friction,
    /// Largest tangential speed that counts as rest \[m/s\].
    #[serde(default = "rest_speed")]
    pub speed: f64,
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
    /// Friction; in motion, where `at_rest` says another.
    pub friction: Friction,
    /// Friction at rest.
    #[serde(default)]
    pub at_rest: Option<AtRest>,
    /// Normal restitution ρ, 0 to 1.
    #[serde(default)]
    pub restitution: f64,
    /// Tangential restitution τ, 0 to 1.
    #[serde(default)]
    pub tangential_restitution: f64,
    /// Traction a closed contact resists \[N, Pa between surfaces of solids\].
    #[serde(default)]
    pub cohesion: f64,
    /// A bond that breaks.
    #[serde(default)]
    pub adhesion: Option<Adhesion>,
    /// A layer that is crushed before the surfaces touch.
    #[serde(default)]
    pub asperities: Option<Asperities>,
}

impl Interaction {
    /// Coulomb friction without restitution.
    pub fn coulomb(mu: f64) -> Self {
        Self::new(Friction::Coulomb { mu })
    }

    /// Friction alone.
    pub fn new(friction: Friction) -> Self {
        Self {
            friction,
            at_rest: None,
            restitution: 0.0,
            tangential_restitution: 0.0,
            cohesion: 0.0,
            adhesion: None,
            asperities: None,
        }
    }

    /// With restitution ρ, τ.
    pub fn with_restitution(mut self, normal: f64, tangential: f64) -> Self {
        (self.restitution, self.tangential_restitution) = (normal, tangential);
        self
    }

    /// With another friction where the tangential speed before the step is at most `speed`.
    pub fn with_friction_at_rest(mut self, friction: Friction, speed: f64) -> Self {
        self.at_rest = Some(AtRest { friction, speed });
        self
    }

    /// With a layer of asperities.
    pub fn with_asperities(mut self, asperities: Asperities) -> Self {
        self.asperities = Some(asperities);
        self
    }

    /// The layer, where it has a thickness.
    fn layer(&self) -> Option<&Asperities> {
        self.asperities.as_ref().filter(|a| a.size > 0.0)
    }

    fn coefficients(&self) -> Vec<(&'static str, f64)> {
        let mut list = self.friction.coefficients();
        if let Some(rest) = &self.at_rest {
            list.extend(rest.friction.coefficients());
            list.push(("rest_speed", rest.speed));
        }
        list.push(("cohesion", self.cohesion));
        list
    }
}

impl BodyLaw for Interaction {
    fn step_law(&self, meeting: &Meeting) -> StepLaw {
        let friction = match &self.at_rest {
            Some(rest) if meeting.slip_speed() <= rest.speed => &rest.friction,
            _ => &self.friction,
        };
        let mut stated = friction.stated(meeting);
        stated.restitution = [self.restitution, self.tangential_restitution];
        stated.offset[0] = if meeting.touching { self.cohesion * meeting.h } else { 0.0 };
        if let Some(adhesion) = &self.adhesion {
            adhesion.add(meeting, &mut stated);
        }
        if let Some(layer) = self.layer() {
            let crush = Crush::new(layer, meeting, self.restitution);
            if !crush.closed {
                stated.restitution = [0.0; 2];
            }
            stated.crush = Some(crush);
        }
        stated
    }

    fn reaches(&self, gap: f64, memory: &[f64; MEMORY]) -> bool {
        match self.layer() {
            // What is still crushed pushes in the step in which it is left.
            Some(layer) => gap <= layer.range() || memory[0] > 0.0,
            None => gap <= 0.0 || (self.adhesion.is_some() && Adhesion::holds(memory)),
        }
    }

    fn range(&self) -> f64 {
        let adhesion = self.adhesion.as_ref().map_or(0.0, Adhesion::range);
        self.layer().map_or(adhesion, Asperities::range)
    }

    fn stores(&self) -> bool {
        self.layer().is_some()
    }

    fn is_steady(&self) -> bool {
        // What pulls, or is crushed, remembers more than a percussion.
        self.adhesion.is_none() && self.layer().is_none()
    }

    fn pulls(&self) -> bool {
        self.cohesion > 0.0 || self.adhesion.is_some() || self.friction == Friction::Bilateral
    }

    fn components(&self, space: usize) -> usize {
        match (&self.friction, space) {
            (Friction::Rolling { .. }, 2) => 3,
            (Friction::Rolling { .. }, _) => 5,
            (Friction::Torsional { .. }, _) => 4,
            (Friction::RollingTorsional { .. }, _) => 6,
            _ => space,
        }
    }

    fn remember(&self, meeting: &Meeting, after: &After, memory: &mut [f64; MEMORY]) {
        if let Some(adhesion) = &self.adhesion {
            adhesion.remember(meeting, after, memory);
        }
    }

    fn material_axis(&self) -> Option<[f64; 3]> {
        self.friction.axis()
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
        if let Some(rest) = &self.at_rest {
            let alike = std::mem::discriminant(&rest.friction) == std::mem::discriminant(&self.friction);
            if !alike || rest.friction.axis() != self.friction.axis() {
                return Some(InteractionError::AtRest);
            }
        }
        let spins = matches!(components, 4 | 6) && space == 3;
        let (law, wanted) = match &self.friction {
            Friction::Elliptic { .. } => ("elliptic", 3),
            Friction::Polyhedral { .. } => ("polyhedral", 3),
            Friction::Directional { .. } => ("directional", 2),
            Friction::Tresca { .. } => ("Tresca", space),
            Friction::Torsional { .. } => ("torsional", if spins { components } else { 4 }),
            Friction::Rolling { .. } if space == 3 && components == 6 => ("rolling", 6),
            Friction::Rolling { .. } => ("rolling", self.components(space)),
            Friction::RollingTorsional { .. } => ("rolling and torsional", 6),
            _ => ("", components),
        };
        if wanted != components || (wanted > 3 && space == 2) {
            return Some(InteractionError::Components { law, wanted, components, space });
        }
        let together = self.cohesion > 0.0 || self.adhesion.is_some() || self.friction == Friction::Bilateral;
        if self.asperities.is_some() && together {
            return Some(InteractionError::Asperities);
        }
        let fault = self.asperities.as_ref().and_then(Asperities::fault);
        fault.or_else(|| self.adhesion.as_ref().and_then(Adhesion::fault))
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
    /// At rest and in motion the cone differs in size only.
    #[error("friction at rest and in motion are of the same kind, with the same axis")]
    AtRest,
    /// What lies between surfaces keeps them from sticking.
    #[error("asperities lie between surfaces that do not hold together: leave out cohesion, adhesion and bilateral")]
    Asperities,
    /// Laws that need different contact spaces cannot share a run.
    #[error(
        "the {law} law needs contacts of {wanted} components in a space of dimension {space}, the other laws of this \
         run make them {components}: laws with moments (rolling, torsional) cannot be mixed with elliptic, polyhedral, \
         directional and Tresca laws"
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
