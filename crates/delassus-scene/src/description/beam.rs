//! Beams: a line, a section, a material.

use super::{OwnScheme, Start};
use schemars::JsonSchema;
use serde::Deserialize;

/// A line of elastic beams, small displacements, shear included. Its groups are "start", "end" and "all".
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
    /// Its section: `width` and `height` of a rectangle, or the `radius` of a circle.
    pub section: CrossSection,
    /// Direction of the height of its section (space); the vertical by default.
    #[schemars(length(min = 3, max = 3))]
    pub up: Option<Vec<f64>>,
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
}

/// The section of a beam: a full rectangle or a full circle.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CrossSection {
    /// Width of a rectangle [m]; in the plane across it.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub width: Option<f64>,
    /// Height of a rectangle [m], in the plane of bending; in space along `up`.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub height: Option<f64>,
    /// Radius of a circle [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius: Option<f64>,
}
