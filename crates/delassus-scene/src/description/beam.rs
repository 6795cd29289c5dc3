//! Beams: a line, a section, a material.

use super::{OwnScheme, Selection, Start};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A line of elastic beams, small displacements, shear included. Its groups are "start", "end", "all" and those of
/// `group`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Beam {
    /// Its name, when beams are written as an array.
    pub name: Option<String>,
    /// Its material, elastic; not needed when the scene has one.
    pub material: Option<String>,
    /// Its nodes in order [m], instead of `from`, `to` and `cells`.
    #[schemars(length(min = 2), inner(length(min = 2, max = 3)))]
    pub points: Option<Vec<Vec<f64>>>,
    /// Where it starts [m].
    #[schemars(length(min = 2, max = 3))]
    pub from: Option<Vec<f64>>,
    /// Where it ends [m].
    #[schemars(length(min = 2, max = 3))]
    pub to: Option<Vec<f64>>,
    /// Number of elements between `from` and `to`; 1 by default.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub cells: Option<u32>,
    /// Its section: `width` and `height` of a rectangle, the `radius` or `diameter` of a circle, with `wall` of a tube.
    pub section: CrossSection,
    /// Direction of the height of its section (space); the vertical by default.
    #[schemars(length(min = 3, max = 3))]
    pub up: Option<Vec<f64>>,
    /// What bends it: timoshenko by default, with shear and rotary inertia; bernoulli leaves both out.
    pub theory: Option<BeamTheory>,
    /// Velocity at the start [m/s].
    #[schemars(length(min = 2, max = 3))]
    pub velocity: Option<Vec<f64>>,
    /// Its own time scheme, where it is glued to others of another.
    pub scheme: Option<OwnScheme>,
    /// How many steps of the others make one of its own, where it is glued to them.
    #[schemars(range(min = 2, max = 10_000))]
    pub every: Option<u32>,
    /// How it starts, place by place: displacement and velocity.
    pub start: Option<Start>,
    /// Rayleigh damping: of the mass [1/s], of the stiffness [s].
    #[schemars(length(min = 2, max = 2), extend("items" = { "type": "number", "minimum": 0 }))]
    pub rayleigh: Option<Vec<f64>>,
    /// Groups of its nodes by place.
    #[serde(default)]
    pub group: BTreeMap<String, Selection>,
}

/// What bends a beam.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BeamTheory {
    /// Bending and shear, with rotary inertia.
    Timoshenko,
    /// Bending alone (Euler and Bernoulli).
    Bernoulli,
}

/// The section of a beam: a full rectangle, a full circle or a round tube.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CrossSection {
    /// Width of a rectangle [m]; in the plane across it.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub width: Option<f64>,
    /// Height of a rectangle [m], in the plane of bending; in space along `up`.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub height: Option<f64>,
    /// Radius of a circle, the outer one of a tube [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius: Option<f64>,
    /// Diameter of a circle, the outer one of a tube [m], instead of `radius`.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub diameter: Option<f64>,
    /// Thickness of the wall of a tube [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub wall: Option<f64>,
    /// Shear correction κ; by default Cowper's for circles and tubes, 5/6 for rectangles.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub shear_correction: Option<f64>,
}
