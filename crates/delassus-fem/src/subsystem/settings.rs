//! Settings of solids: plain data with a default and a check.

use crate::{Model, Scheme, SchemeError};
use delassus_dynamics::{ContactMethod, ContactSettings, FormalismError, Loops, Measure, Path, Predicted};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How linear systems without multipliers are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Linear {
    /// A factorisation.
    #[default]
    Direct,
    /// Conjugate gradients with an incomplete factor: less memory on large meshes.
    Iterative,
}

/// Scheme, formalism and tolerances of solids.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SolidSettings {
    /// Length of a step \[s\]; left out, explicit schemes take `safety` of their limit.
    pub step: Option<f64>,
    /// Share of the stability limit that an automatic step takes.
    pub safety: f64,
    /// The time scheme.
    pub scheme: Scheme,
    /// Schemes of parts and, after all parts, of beams that have one of their own.
    pub schemes: BTreeMap<usize, Scheme>,
    /// Of parts and, after all parts, of beams: how many steps of the others make one of theirs.
    pub every: BTreeMap<usize, usize>,
    /// The formalism of contact between surfaces.
    pub contact: ContactSettings,
    /// How contacts are solved; left out, by the nested loops, which need no free motion and end at round-off, and
    /// which leave to the condensed problem what they do not settle.
    pub path: Option<Path>,
    /// Which gap says that surfaces may touch.
    pub predicted: Predicted,
    /// How linear systems without multipliers are solved.
    pub linear: Linear,
    /// Relative residual of the balance and of the contact laws.
    pub tolerance: f64,
    /// Limits of the loops.
    pub loops: Loops,
    /// How many times a step that does not converge is halved.
    pub cutbacks: usize,
    /// Keep the lines that tell the loops.
    pub log: bool,
}

impl Default for SolidSettings {
    fn default() -> Self {
        Self {
            step: None,
            safety: 0.9,
            scheme: Scheme::Theta { theta: 1.0 },
            schemes: BTreeMap::new(),
            every: BTreeMap::new(),
            contact: ContactSettings::default(),
            path: None,
            predicted: Predicted::default(),
            linear: Linear::default(),
            tolerance: 1e-9,
            loops: Loops::default(),
            cutbacks: 5,
            log: false,
        }
    }
}

/// Why settings are refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SettingsError {
    /// The scheme.
    #[error("{0}")]
    Scheme(#[from] SchemeError),
    /// The formalism.
    #[error("{0}")]
    Formalism(#[from] FormalismError),
    /// A number out of its range.
    #[error("{name} = {value}, expected {expected}")]
    Value {
        /// Which one.
        name: &'static str,
        /// What was given.
        value: f64,
        /// What is accepted.
        expected: &'static str,
    },
    /// The scheme keeps what the material does not have, or does not know its remedy.
    #[error("the energy-momentum scheme is of hyperelastic solids: '{part}' {why}; take moreau_jean, or {instead}")]
    Conserving {
        /// The solid.
        part: String,
        /// What it has.
        why: &'static str,
        /// What would be accepted.
        instead: &'static str,
    },
    /// Schemes that do not go together.
    #[error("{0}")]
    Together(String),
    /// An implicit scheme needs a step.
    #[error("the scheme {scheme} has no automatic step: give time.step")]
    NoStep {
        /// The scheme.
        scheme: &'static str,
    },
}

impl SolidSettings {
    /// Checks the settings against each other and the model.
    pub fn validate(&self, model: &Model) -> Result<(), SettingsError> {
        self.scheme.validate()?;
        let scheme = (self.scheme.name(), self.scheme.is_explicit());
        self.contact.validate(scheme)?;
        self.validate_mixed(model)?;
        for pair in model.contacts.iter().filter(|c| c.settings.nominated) {
            let refuse = |why| Err(FormalismError::Nominated { name: pair.name.clone(), why }.into());
            if self.scheme.is_dynamic() {
                return refuse("with inertia every part has a place; leave it out");
            }
            if self.contact.formalism.stabilisation()[0] == 0.0 {
                return refuse("this formalism has no stabilisation; take stabilised or augmented");
            }
        }
        for part in model.parts.iter().filter(|_| self.scheme == Scheme::EnergyMomentum) {
            let spec = part.solid.spec();
            let refuse = |why, instead| Err(SettingsError::Conserving { part: part.name.clone(), why, instead });
            if spec.material.is_plastic() {
                return refuse("is plastic", "elastic, st_venant_kirchhoff or neo_hookean");
            }
            if spec.locking == crate::solid::Locking::Fbar {
                return refuse("has the remedy f_bar against locking", "locking = \"none\"");
            }
        }
        let value = |name, value, expected| Err(SettingsError::Value { name, value, expected });
        match self.step {
            Some(h) if !(h > 0.0 && h.is_finite()) => return value("step", h, "a positive number"),
            None if !self.scheme.is_explicit() => {
                return Err(SettingsError::NoStep { scheme: self.scheme.name() });
            }
            _ => {}
        }
        if !(self.safety > 0.0 && self.safety <= 1.0) {
            return value("safety", self.safety, "between 0 and 1");
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            return value("tolerance", self.tolerance, "between 0 and 1");
        }
        if self.cutbacks > 16 {
            return value("cutbacks", self.cutbacks as f64, "at most 16");
        }
        let Loops { pairings, thresholds, statuses, newton } = self.loops;
        for (name, n) in
            [("pairings", pairings), ("thresholds", thresholds), ("statuses", statuses), ("newton", newton)]
        {
            if n == 0 {
                return value(name, 0.0, "one or more");
            }
        }
        Ok(())
    }

    /// Long steps are of linear parts with an implicit scheme.
    fn validate_cycles(&self, model: &Model) -> Result<(), SettingsError> {
        for (owner, every) in &self.every {
            let refuse = |what: &str| {
                let names = model.parts.iter().map(|p| &p.name).chain(model.beams.iter().map(|b| &b.name));
                let name = names.into_iter().nth(*owner).cloned().unwrap_or_default();
                Err(SettingsError::Together(format!("'{name}' cannot make longer steps than the others: {what}")))
            };
            if !(2..=10_000).contains(every) {
                return refuse("`every` is a whole number from 2 to 10000");
            }
            let scheme = self.schemes.get(owner).unwrap_or(&self.scheme);
            if !matches!(scheme, Scheme::Newmark { .. } | Scheme::Theta { .. }) {
                return refuse("its scheme must be newmark or theta; give it one of its own");
            }
            if model.parts.get(*owner).is_some_and(|p| !p.solid.spec().is_linear()) {
                return refuse("it must be elastic, in small strain");
            }
        }
        Ok(())
    }

    /// Schemes of their own go with some others, and not where surfaces meet in pairs.
    fn validate_mixed(&self, model: &Model) -> Result<(), SettingsError> {
        let refuse = |what: String| Err(SettingsError::Together(what));
        let tied = !model.ties.is_empty();
        if tied && self.linear == Linear::Iterative {
            return refuse("linear = iterative does not know models that are glued: take linear = direct".into());
        }
        self.validate_cycles(model)?;
        if self.schemes.is_empty() && self.every.is_empty() {
            if tied && self.scheme == Scheme::CentralDifferences {
                return refuse(
                    "central differences alone do not know models that are glued: take semi_explicit, or give the \
                     explicit solids `scheme = { name = \"central_differences\" }` and the rest an implicit scheme"
                        .into(),
                );
            }
            return Ok(());
        }
        let known = |s: &Scheme| {
            matches!(
                s,
                Scheme::Newmark { .. } | Scheme::Hht { .. } | Scheme::Theta { .. } | Scheme::SemiExplicit { .. }
            )
        };
        if !known(&self.scheme) {
            let name = self.scheme.name();
            return refuse(format!(
                "beside {name} no solid has a scheme of its own: take newmark, hht, theta or semi_explicit"
            ));
        }
        let every = self.every.keys().map(|owner| (owner, self.schemes.get(owner).unwrap_or(&self.scheme)));
        for (owner, scheme) in self.schemes.iter().chain(every) {
            scheme.validate()?;
            if !known(scheme) && *scheme != Scheme::CentralDifferences {
                let name = scheme.name();
                return refuse(format!(
                    "{name} is no scheme of a single solid: take newmark, hht, theta, semi_explicit or \
                     central_differences"
                ));
            }
            let ranges = model.ranges(*owner);
            let inside = |nodes: &[u32]| {
                let mut dofs = nodes.iter().map(|n| model.dim * *n as usize);
                dofs.any(|d| ranges.iter().any(|r| r.contains(&d)))
            };
            let meets =
                |c: &&crate::model::ContactPair| inside(c.slave.nodes()) || c.master_nodes().is_some_and(inside);
            if let Some(pair) = model.contacts.iter().find(meets) {
                return refuse(format!(
                    "the contact '{}' is on a solid with a scheme of its own: give that scheme to [analysis], and the \
                     others theirs",
                    pair.name
                ));
            }
            for d in &model.discrete {
                let one = |dof: u32| ranges.iter().any(|r| r.contains(&(dof as usize)));
                if d.b.is_some_and(|b| one(b) != one(d.a)) {
                    return refuse("a spring or damper joins solids of two schemes".into());
                }
            }
        }
        if model.ties.iter().any(|t| t.glued == crate::model::Glued::Displacements) {
            return refuse("where solids have schemes of their own, velocities are glued: glue = velocity".into());
        }
        Ok(())
    }

    /// How contacts between the surfaces are put and solved.
    pub fn method(&self) -> ContactMethod {
        let dynamic = self.scheme.is_dynamic();
        let explicit = self.scheme.is_explicit();
        ContactMethod {
            path: match explicit {
                true => Path::Condensed,
                false => self.path.unwrap_or(Path::Nested),
            },
            measure: match self.scheme.is_in_velocities() {
                true => Measure::Velocity,
                false => Measure::Gap,
            },
            predicted: self.predicted,
            contact: self.contact,
            loops: if explicit { Loops { pairings: 1, ..self.loops } } else { self.loops },
            inertia: dynamic,
            given: explicit && !self.contact.formalism.has_multipliers(),
            log: self.log,
        }
    }
}
