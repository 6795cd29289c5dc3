//! Settings of an analysis: plain data with a default and a check.

use crate::{ContactSettings, FormalismError, Model, Scheme, SchemeError};
use serde::{Deserialize, Serialize};

/// How the contact problem of a step is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Path {
    /// The five loops of \[Zammali05\] fig. 3.2.
    #[default]
    Nested,
    /// The problem (8) of the multipliers, by the solvers of `delassus-friction`.
    Condensed,
}

/// Which gap says that a point may touch: method §8.1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Predicted {
    /// That of the step without contact.
    #[default]
    Free,
    /// That of the middle of the step at the velocity of its beginning.
    Midpoint,
}

/// How the linear systems of the condensed path and of free steps are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Linear {
    /// A factorisation.
    #[default]
    Direct,
    /// Conjugate gradients with an incomplete factor: less memory on large meshes.
    Iterative,
}

/// Limits of the loops.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Loops {
    /// Pairings (loop b).
    pub pairings: usize,
    /// Friction thresholds (loop c).
    pub thresholds: usize,
    /// Sets of statuses (loop d).
    pub statuses: usize,
    /// Newton iterations (loop e).
    pub newton: usize,
}

impl Default for Loops {
    fn default() -> Self {
        Self { pairings: 20, thresholds: 50, statuses: 60, newton: 30 }
    }
}

/// Settings of an analysis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Length of a step \[s\]; left out, explicit schemes take `safety` of their limit.
    pub step: Option<f64>,
    /// Share of the stability limit that an automatic step takes.
    pub safety: f64,
    /// The time scheme.
    pub scheme: Scheme,
    /// The formalism of contact.
    pub contact: ContactSettings,
    /// How contacts are solved.
    pub path: Path,
    /// Which gap says that a point may touch.
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

impl Default for Settings {
    fn default() -> Self {
        Self {
            step: None,
            safety: 0.9,
            scheme: Scheme::Theta { theta: 1.0 },
            contact: ContactSettings::default(),
            path: Path::default(),
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
    /// An implicit scheme needs a step.
    #[error("the scheme {scheme} has no automatic step: give time.step")]
    NoStep {
        /// The scheme.
        scheme: &'static str,
    },
    /// A formalism the condensed path does not know.
    #[error(
        "the condensed path solves the contact laws exactly: it has no formalism {formalism}; take lagrange, or the nested path"
    )]
    Condensed {
        /// The formalism.
        formalism: &'static str,
    },
}

impl Settings {
    /// Checks the settings against each other and the model.
    pub fn validate(&self, model: &Model) -> Result<(), SettingsError> {
        self.scheme.validate()?;
        self.contact.validate(&self.scheme, model.has_constant_multipliers())?;
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
        let Loops { pairings, thresholds, statuses, newton } = self.loops;
        for (name, n) in [
            ("loops.pairings", pairings),
            ("loops.thresholds", thresholds),
            ("loops.statuses", statuses),
            ("loops.newton", newton),
        ] {
            if n == 0 {
                return value(name, 0.0, "one or more");
            }
        }
        if self.path == Path::Condensed && self.contact.formalism != crate::Formalism::Lagrange {
            return Err(SettingsError::Condensed { formalism: self.contact.formalism.name() });
        }
        Ok(())
    }
}
