//! Bodies: shape, place, velocity, imposed motion.

use super::{Formula, OneOrMany, Shape};
use schemars::JsonSchema;
use serde::Deserialize;

/// A rigid body.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Body {
    /// Its name, when bodies are written as an array.
    pub name: Option<String>,
    /// Its shape.
    pub shape: Option<Shape>,
    /// Several shapes that make one body, instead of `shape`.
    pub parts: Vec<Part>,
    /// Its material; not needed when the scene has one material or none.
    pub material: Option<String>,
    /// Whether it never moves.
    pub fixed: bool,
    /// Imposed motion, in addition to the place given by `position`.
    pub motion: Option<Box<Motion>>,
    /// Mass [kg], instead of the density of the material.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub mass: Option<f64>,
    /// Moment of inertia [kg·m²]: a number in the plane, three principal moments in space. The centre of mass is then the body's origin.
    pub inertia: Option<Inertia>,
    /// Place of the body's origin [m].
    #[schemars(length(min = 2, max = 3))]
    pub position: Option<Vec<f64>>,
    /// Angle in the plane [rad].
    pub angle: Option<f64>,
    /// Rotation in space, or several applied one after the other.
    pub rotation: OneOrMany<AxisAngle>,
    /// Velocity of the centre of mass at the start [m/s].
    #[schemars(length(min = 2, max = 3))]
    pub velocity: Option<Vec<f64>>,
    /// Angular velocity at the start [rad/s]: a number in the plane, a vector of the world in space.
    pub spin: Option<Spin>,
    /// Bodies of the same group never touch each other.
    pub group: Option<String>,
    /// Whether it touches other bodies; if not, its shape counts for its mass and for pictures only.
    pub contact: Option<bool>,
}

/// One shape of a body made of several.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Its shape.
    pub shape: Shape,
    /// Its place in the body [m].
    #[schemars(length(min = 2, max = 3))]
    pub position: Option<Vec<f64>>,
    /// Its angle in the body, in the plane [rad].
    pub angle: Option<f64>,
    /// Its rotation in the body, in space.
    #[serde(default)]
    pub rotation: OneOrMany<AxisAngle>,
    /// Its material; by default that of the body.
    pub material: Option<String>,
}

impl Part {
    /// A shape at the body's origin.
    pub fn plain(shape: Shape) -> Self {
        Self { shape, position: None, angle: None, rotation: OneOrMany::default(), material: None }
    }
}

/// A rotation about an axis.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AxisAngle {
    /// The axis.
    #[schemars(length(min = 3, max = 3))]
    pub axis: Vec<f64>,
    /// The angle [rad].
    pub angle: f64,
}

/// A moment of inertia.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Inertia {
    /// In the plane.
    Plane(f64),
    /// Principal moments, along the axes of the body.
    Space(Vec<f64>),
}

/// An angular velocity.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Spin {
    /// In the plane.
    Plane(f64),
    /// In the world.
    Space(Vec<f64>),
}

/// An imposed motion.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Motion {
    /// Constant velocity.
    Constant {
        /// Velocity [m/s].
        #[schemars(length(min = 2, max = 3))]
        velocity: Option<Vec<f64>>,
        /// Angular velocity [rad/s].
        spin: Option<Spin>,
    },
    /// Displacement amplitude·(sin(2π·frequency·t + phase) − sin(phase)).
    Harmonic {
        /// Amplitude [m].
        #[schemars(length(min = 2, max = 3))]
        amplitude: Option<Vec<f64>>,
        /// Amplitude of the rotation [rad]: a number in the plane, a vector in space.
        angle: Option<Spin>,
        /// Frequency [Hz].
        #[schemars(extend("exclusiveMinimum" = 0))]
        frequency: f64,
        /// Phase [rad].
        #[serde(default)]
        phase: f64,
    },
    /// Displacements at given times, linear in between, at rest before the first and after the last.
    Table {
        /// Times, increasing [s].
        #[schemars(length(min = 2))]
        time: Vec<f64>,
        /// Displacement at each time [m].
        position: Option<Vec<Vec<f64>>>,
        /// Angle at each time [rad], about `axis` in space.
        angle: Option<Vec<f64>>,
        /// Axis of the rotation in space; z by default.
        #[schemars(length(min = 3, max = 3))]
        axis: Option<Vec<f64>>,
    },
    /// Displacement as expressions of t.
    Expression {
        /// Displacement [m], one expression per axis.
        #[schemars(length(min = 2, max = 3))]
        position: Option<Vec<Formula>>,
        /// Angle [rad], about `axis` in space.
        angle: Option<Formula>,
        /// Axis of the rotation in space; z by default.
        #[schemars(length(min = 3, max = 3))]
        axis: Option<Vec<f64>>,
    },
}
