//! Formalisms of contact: one stabilised Lagrangian that contains the others \[Zammali05 §2.7\]
//!
//! With the signs of method §1 (gap and pressure positive), `d` being the gap in the schemes
//! on displacements and the normal relative velocity in those on velocities, a multiplier of
//! status `S` (active or not) and area `ω` carries
//!
//! ```text
//!     p = S (λ − κ_n d),        S (d̄ + ε λ) − (1 − S) λ/h_n = 0,        S = 1(λ − ρ_n d̄ ≥ 0),     d̄ = Σ ω ψ d / ω
//! ```
//!
//! The law is imposed on the multiplier, one block of rows each. Projected on the space of the multipliers
//! (3.93), the stabilisation is `κ_n d̄`: zero where `S = 1`, it changes the way to the solution, not the
//! solution, for any meshes and multipliers; on exact factors of the whole system even the way is the same,
//! and what is left of it are the points it may hold before they touch (`PairSettings::nominated`). Not
//! projected, `κ_n d` acts at each collocation point as (2.124) is written: a block more, without a sign.
//! Where multipliers follow the gap (those of matching meshes, those at nodes) it vanishes with `d̄`; elsewhere
//! it disturbs the solution, most of all with constants by facet (fig. 5.5): [`ContactSettings::disturbs`].
//!
//! `h_n` scales an equation that is solved exactly: it is not asked for. Perturbed and penalised Lagrangians
//! are exact laws with a compliance: `ε`, or `1/κ` at each collocation point.
//!
//! | formalism | parameters |
//! |---|---|
//! | Lagrange | κ_n = κ_τ = 0 |
//! | stabilised | κ_n, κ_τ > 0 |
//! | augmented | κ_n = h_n, κ_τ = h_τ |
//! | perturbed | κ_n = 0, ε > 0 (2.129) |
//! | penalty | λ = 0, p = κ (−d)₊ |

use serde::{Deserialize, Serialize};

/// A formalism.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Formalism {
    /// Multipliers alone.
    Lagrange,
    /// Multipliers with stabilisation.
    Stabilised {
        /// κ_n [Pa/m, or Pa·s/m in velocities].
        normal: f64,
        /// κ_τ [s/m]: a factor of the friction threshold.
        tangential: f64,
    },
    /// All parameters equal: the augmented Lagrangian.
    Augmented {
        /// κ_n = h_n = ρ_n.
        normal: f64,
        /// κ_τ = h_τ = ρ_τ.
        tangential: f64,
    },
    /// A small compliance of the multipliers.
    Perturbed {
        /// ε [m/Pa].
        compliance: f64,
    },
    /// No multipliers.
    Penalty {
        /// κ [Pa/m, or Pa·s/m in velocities].
        normal: f64,
        /// Of friction [Pa·s/m].
        tangential: f64,
    },
}

/// Formalism and its parameters; those left out follow from the stiffness of the model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContactSettings {
    /// The formalism.
    pub formalism: Formalism,
    /// ρ_n: weight of the gap in the test of contact.
    pub rho_n: Option<f64>,
    /// ρ_τ: weight of the slip in the test of sliding [s/m].
    pub rho_t: Option<f64>,
    /// Projects the gap of the stabilisation on the space of multipliers (3.93); otherwise it acts at each
    /// collocation point.
    pub projected: bool,
}

impl Default for ContactSettings {
    fn default() -> Self {
        Self { formalism: Formalism::Lagrange, rho_n: None, rho_t: None, projected: true }
    }
}

/// Why a formalism is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FormalismError {
    /// A parameter out of its range.
    #[error("contact: {name} = {value}, expected {expected}")]
    Parameter {
        /// The parameter.
        name: &'static str,
        /// What was given.
        value: f64,
        /// What is accepted.
        expected: &'static str,
    },
    /// The pointwise stabilisation acts on the normal.
    #[error(
        "a stabilisation that is not projected acts on the normal alone: leave out tangential, or take projected = true"
    )]
    NormalAlone,
    /// Points that are held before they touch, where nothing does.
    #[error("the nominated points of the contact '{name}' are held by a stabilisation before they touch: {why}")]
    Nominated {
        /// The contact.
        name: String,
        /// What is in the way.
        why: &'static str,
    },
    /// A formalism a scheme cannot use.
    #[error("the formalism {formalism} does not go with {scheme}: {advice}")]
    Scheme {
        /// The formalism.
        formalism: &'static str,
        /// The scheme.
        scheme: &'static str,
        /// What to take instead.
        advice: &'static str,
    },
}

impl Formalism {
    /// Its name in messages.
    pub fn name(&self) -> &'static str {
        match self {
            Formalism::Lagrange => "lagrange",
            Formalism::Stabilised { .. } => "stabilised",
            Formalism::Augmented { .. } => "augmented",
            Formalism::Perturbed { .. } => "perturbed",
            Formalism::Penalty { .. } => "penalty",
        }
    }

    /// κ_n and κ_τ of the terms added to the balance.
    pub fn stabilisation(&self) -> [f64; 2] {
        match *self {
            Formalism::Stabilised { normal, tangential } | Formalism::Augmented { normal, tangential } => {
                [normal, tangential]
            }
            _ => [0.0; 2],
        }
    }

    /// Whether it has multipliers.
    pub fn has_multipliers(&self) -> bool {
        !matches!(self, Formalism::Penalty { .. })
    }
}

impl ContactSettings {
    /// κ_n of the stabilisation that acts at each collocation point; none where it is projected.
    pub fn pointwise(&self) -> Option<f64> {
        let [normal, _] = self.formalism.stabilisation();
        (!self.projected && normal > 0.0).then_some(normal)
    }

    /// Why the pointwise stabilisation may disturb the solution, if it is asked for.
    pub fn disturbs(&self) -> Option<&'static str> {
        self.pointwise().map(|_| {
            "projected = false: the stabilisation acts at each collocation point and disturbs the solution where \
             the multipliers cannot follow the gap (constants by facet, incompatible meshes); projected = true does not"
        })
    }

    /// Checks the parameters, and that the formalism goes with the scheme of this name, `explicit` or not.
    pub fn validate(&self, (scheme, explicit): (&'static str, bool)) -> Result<(), FormalismError> {
        let positive =
            |name, value: f64, strict: bool| match value.is_finite() && (value > 0.0 || !strict && value == 0.0) {
                true => Ok(()),
                false => Err(FormalismError::Parameter {
                    name,
                    value,
                    expected: if strict { "a positive number" } else { "zero or a positive number" },
                }),
            };
        match self.formalism {
            Formalism::Lagrange => {}
            Formalism::Stabilised { normal, tangential } => {
                positive("formalism.normal", normal, false)?;
                positive("formalism.tangential", tangential, false)?;
            }
            Formalism::Augmented { normal, tangential } => {
                positive("formalism.normal", normal, true)?;
                positive("formalism.tangential", tangential, false)?;
            }
            Formalism::Perturbed { compliance } => positive("formalism.compliance", compliance, true)?,
            Formalism::Penalty { normal, tangential } => {
                positive("formalism.normal", normal, true)?;
                positive("formalism.tangential", tangential, false)?;
            }
        }
        for (name, value) in [("rho_n", self.rho_n), ("rho_t", self.rho_t)] {
            if let Some(value) = value {
                positive(name, value, true)?;
            }
        }
        if self.pointwise().is_some() && self.formalism.stabilisation()[1] > 0.0 {
            return Err(FormalismError::NormalAlone);
        }
        let refuse = |advice| Err(FormalismError::Scheme { formalism: self.formalism.name(), scheme, advice });
        match (explicit, self.formalism) {
            (true, Formalism::Stabilised { .. } | Formalism::Augmented { .. } | Formalism::Perturbed { .. }) => {
                refuse("explicit schemes have no stiffness to stabilise; take lagrange or penalty")
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATIC: (&str, bool) = ("quasi-static", false);

    #[test]
    fn the_pointwise_stabilisation_is_asked_for_and_told() {
        let mut settings = ContactSettings {
            formalism: Formalism::Augmented { normal: 1e9, tangential: 0.0 },
            ..ContactSettings::default()
        };
        assert_eq!((settings.pointwise(), settings.disturbs()), (None, None));
        settings.projected = false;
        assert_eq!(settings.pointwise(), Some(1e9));
        assert!(settings.disturbs().is_some_and(|why| why.contains("disturbs")));
        settings.formalism = Formalism::Augmented { normal: 1e9, tangential: 1.0 };
        assert_eq!(settings.validate(STATIC), Err(FormalismError::NormalAlone));
    }

    #[test]
    fn bad_parameters_are_named() {
        let settings =
            ContactSettings { formalism: Formalism::Penalty { normal: -1.0, tangential: 0.0 }, ..Default::default() };
        let message = settings.validate(STATIC).unwrap_err().to_string();
        assert!(message.contains("formalism.normal = -1"), "{message}");
    }
}
