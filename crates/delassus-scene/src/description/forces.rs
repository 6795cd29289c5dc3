//! Joints, loads, springs, fluids.

use super::{Axis, Formula, Places};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A joint between two bodies, or between a body and the world. Bodies of the same `group` do not touch.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Joint {
    /// Its name, when joints are written as an array.
    pub name: Option<String>,
    /// What it leaves free.
    pub kind: JointKind,
    /// One body (joined to the world) or two.
    #[schemars(length(min = 1, max = 2))]
    pub bodies: Vec<String>,
    /// The point of the joint in the world at the start [m].
    #[schemars(length(min = 2, max = 3))]
    pub at: Option<Vec<f64>>,
    /// The other end, for `distance` [m]; the bodies' origins by default.
    #[schemars(length(min = 2, max = 3))]
    pub to: Option<Vec<f64>>,
    /// Axis of a hinge (space) or of a slider, in the world at the start.
    #[schemars(length(min = 2, max = 3))]
    pub axis: Option<Vec<f64>>,
    /// Least and greatest angle [rad] or displacement [m], from the start.
    #[schemars(length(min = 2, max = 2))]
    pub limits: Option<Vec<f64>>,
    /// Speed imposed by a motor [rad/s] or [m/s].
    pub speed: Option<f64>,
    /// Angle [rad] or displacement [m] imposed by a motor, as an expression of t, instead of `speed`.
    pub drive: Option<Formula>,
    /// Of a motor that pulls instead of imposing: torque [N·m/rad] or force [N/m] towards the angle or displacement of
    /// `drive`, with `damping` of the speeds. The step takes both at its end: any gain is stable.
    #[schemars(range(min = 0))]
    pub stiffness: Option<f64>,
    /// Of a motor that pulls: torque [N·m·s/rad] or force [N·s/m] towards its speed.
    #[schemars(range(min = 0))]
    pub damping: Option<f64>,
    /// Greatest torque [N·m] or force [N] of the motor; without limit by default.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub limit: Option<f64>,
    /// Dry friction in the joint: greatest torque [N·m] or force [N].
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub friction: f64,
}

/// What a joint leaves free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JointKind {
    /// All rotations.
    Ball,
    /// The rotation about one axis.
    Hinge,
    /// The translation along one axis.
    Slider,
    /// Nothing.
    Fixed,
    /// Everything but the distance of two points.
    Distance,
}

/// A force and a torque on a rigid body; a force, a pressure or a traction on solids.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// Its name, when loads are written as an array.
    pub name: Option<String>,
    /// The rigid body.
    pub body: Option<String>,
    /// The groups of solids or beams, as "solid/group" or "beam/end", instead of `body`.
    pub on: Option<Places>,
    /// Force in the world [N]: one expression per axis, of t, for rigid bodies also of the position
    /// x, y, z and the velocity vx, vy, vz. On solids the nodes share it.
    #[schemars(length(min = 2, max = 3))]
    pub force: Option<Vec<Formula>>,
    /// Torque in the world on a body or on nodes of beams, which share it [N·m]: one expression in the plane,
    /// three in space.
    #[schemars(length(min = 1, max = 3))]
    pub torque: Option<Vec<Formula>>,
    /// Pressure on the facets of solids, along their normals as they turn [Pa]: a number or an expression of t.
    pub pressure: Option<Formula>,
    /// Force per area of the start on the facets of solids [Pa]: one expression of t per axis.
    #[schemars(length(min = 2, max = 3))]
    pub traction: Option<Vec<Formula>>,
}

/// A spring and a damper between two points.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spring {
    /// Its name, when springs are written as an array.
    pub name: Option<String>,
    /// One body (tied to the world) or two.
    #[schemars(length(min = 1, max = 2))]
    pub bodies: Option<Vec<String>>,
    /// One group of solids or beams (tied to the world), as "solid/group", or two of as many nodes, instead
    /// of `bodies`. The nodes share stiffness and damping.
    pub on: Option<Places>,
    /// Axis of a spring on solids.
    pub axis: Option<Axis>,
    /// The point of the first body, in the world at the start [m]; its origin by default.
    #[schemars(length(min = 2, max = 3))]
    pub from: Option<Vec<f64>>,
    /// The point of the second body or of the world [m].
    #[schemars(length(min = 2, max = 3))]
    pub to: Option<Vec<f64>>,
    /// Stiffness [N/m].
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub stiffness: f64,
    /// Damping [N·s/m].
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub damping: f64,
    /// Length at rest [m], by default the length at the start; on solids the displacement without force.
    pub rest: Option<f64>,
    /// Treat it implicitly, for stiff springs.
    #[serde(default)]
    pub implicit: bool,
}

/// A fluid around rigid bodies, solids or beams: it resists with the square of the velocity and carries a part of
/// the weight.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fluid {
    /// Its name, when fluids are written as an array.
    pub name: Option<String>,
    /// The rigid body, or several of which each has this drag.
    pub body: Option<Places>,
    /// Groups of solids or beams, as "beam/all", instead of `body`; their nodes share the drag as they share the mass.
    pub on: Option<Places>,
    /// Drag coefficient K [kg/m] of F = −K |v| v, v being the velocity relative to the fluid; or one for each axis of
    /// the world, F_k = −K_k |v_k| v_k.
    pub drag: Option<Resistance>,
    /// Share of the weight that the fluid carries.
    #[schemars(range(min = 0))]
    pub buoyancy: Option<f64>,
    /// Density of the fluid [kg/m³] instead of `buoyancy`: it carries the weight of the volume of the shapes.
    #[schemars(range(min = 0))]
    pub density: Option<f64>,
    /// Mass of the fluid that moves with a rigid body [kg], or with each metre of a beam across its axis [kg/m] (of a
    /// cylinder in open water ρ π r²): inertia without weight.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub added_mass: f64,
    /// Velocity of the fluid [m/s]; at rest by default.
    #[schemars(length(min = 2, max = 3))]
    pub flow: Option<Vec<f64>>,
}

/// A drag coefficient, or one for each axis.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Resistance {
    /// The same in all directions.
    All(#[schemars(range(min = 0))] f64),
    /// Along the axes.
    Axes(#[schemars(length(min = 2, max = 3), extend("items" = { "type": "number", "minimum": 0 }))] Vec<f64>),
}
