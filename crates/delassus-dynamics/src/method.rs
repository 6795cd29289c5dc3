//! How the contact problem of a step is put and solved.

use crate::formalism::ContactSettings;
use serde::{Deserialize, Serialize};

/// How the contact problem of a step is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Path {
    /// The problem (8) of the percussions, by the solvers of `delassus-friction`.
    #[default]
    Condensed,
    /// The five loops of \[Zammali05\] fig. 3.2, on a saddle-point matrix; what they do not settle goes to
    /// the condensed problem.
    Nested,
}

/// What the law of a block between surfaces speaks of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Relative velocity at the end of the step, where a predicted gap is closed: Signorini–Moreau.
    #[default]
    Velocity,
    /// Gap at the end of the step, and displacement along the surface.
    Gap,
}

/// Which gap says that a block may touch: method §8.1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Predicted {
    /// That of the step without contact.
    #[default]
    Free,
    /// That at which contacts are looked for: the middle of the step at the velocity of its beginning.
    Midpoint,
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

/// How contacts between surfaces are put and solved.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContactMethod {
    /// How the problem of a step is solved.
    pub path: Path,
    /// What the laws speak of.
    pub measure: Measure,
    /// Which gap says that a block may touch.
    pub predicted: Predicted,
    /// The formalism.
    pub contact: ContactSettings,
    /// Limits of the loops.
    pub loops: Loops,
    /// Whether the step exists without contact: not so without inertia, where contact alone may hold a part.
    pub inertia: bool,
    /// Whether penalised percussions follow from the beginning of the step, (1.28)–(1.31).
    pub given: bool,
    /// Keep the lines that tell the loops.
    pub log: bool,
}

impl Default for ContactMethod {
    fn default() -> Self {
        Self {
            path: Path::default(),
            measure: Measure::default(),
            predicted: Predicted::default(),
            contact: ContactSettings::default(),
            loops: Loops::default(),
            inertia: true,
            given: false,
            log: false,
        }
    }
}
