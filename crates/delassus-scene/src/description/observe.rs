//! What is observed during the run: points of bodies, flows of grains, wear of contacts.

use super::Places;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

/// What is observed: a point of a body, or what `kind` says: `flow`, `wear`, `force`, `joint`, `region`, `cell`,
/// `group`, `distance`, `formula`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Observe {
    /// Force and torque of some bodies on others.
    Force(ForceOf),
    /// Reaction of a joint and of its motor.
    Joint(JointOf),
    /// Stress, fabric and solid fraction in a box.
    Region(Region),
    /// Stress, fabric, solid fraction, size of the periodic cell.
    Cell(CellOf),
    /// Bodies together.
    Group(Group),
    /// Distance of two points.
    Distance(DistanceOf),
    /// A number computed from others.
    Formula(FormulaOf),
    /// Work of rubbing between two bodies or surfaces. First: a point takes any `kind`.
    Wear(WearOf),
    /// A point of a body whose motion is recorded.
    Point(Probe),
    /// Profile, stresses and contacts of a flow.
    Flow(Flow),
}

/// A point of a body or of a solid whose motion is recorded.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// What is observed; `point` if not said.
    #[serde(default)]
    #[schemars(schema_with = "point")]
    pub kind: Option<String>,
    /// Its name, when probes are written as an array.
    pub name: Option<String>,
    /// The rigid body.
    pub body: Option<String>,
    /// A group of a solid or a beam, as "solid/group", whose mean motion is observed, or a solid or a beam
    /// with `point`.
    pub on: Option<String>,
    /// The point, in the axes of the body [m], its origin by default; of a solid the place at the
    /// start, whose nearest node is observed.
    #[schemars(length(min = 2, max = 3))]
    pub point: Option<Vec<f64>>,
}

/// The flow of the free bodies along x over a floor, in a scene periodic along x (in space along
/// x and y). Heights are along y in the plane, along z in space. Every step counts; a frame has
/// the means since the frame before.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// What is observed.
    #[schemars(schema_with = "flow")]
    pub kind: String,
    /// Its name, when observations are written as an array.
    pub name: Option<String>,
    /// The body that carries the flow, for the ratio of shear to normal stress; by default all that are not free.
    pub floor: Option<String>,
    /// Slices of equal thickness in which velocity and solid fraction are averaged.
    #[serde(default = "twelve")]
    #[schemars(range(min = 1, max = 1000))]
    pub slices: u32,
    /// Height at which the lowest slice begins [m].
    #[serde(default)]
    pub bottom: f64,
    /// Height at which the highest slice ends [m].
    pub top: f64,
    /// Classes of the distribution of contact forces, between zero and five times their mean.
    #[serde(default = "classes")]
    #[schemars(range(min = 1, max = 1000))]
    pub classes: u32,
}

/// The work of rubbing and of shocks of bodies or surfaces with others since the start; every step counts.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WearOf {
    /// What is observed.
    #[schemars(schema_with = "wear")]
    #[serde(deserialize_with = "only_wear")]
    pub kind: String,
    /// Its name, when observations are written as an array.
    pub name: Option<String>,
    /// Two bodies or solids, each by name or pattern (`"grain*"`); one for its contacts with anything.
    #[schemars(length(min = 1, max = 2))]
    pub between: Option<Vec<String>>,
    /// The pair of surfaces [contact.NAME], instead of `between`.
    pub contact: Option<String>,
    /// Archard's coefficient [m²/N]: volume worn per normal force and way slid.
    #[schemars(range(min = 0))]
    pub coefficient: Option<f64>,
}

/// Force and torque through the contacts of some bodies with others: the mean over the last step.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForceOf {
    /// What is observed.
    #[schemars(schema_with = "force")]
    #[serde(deserialize_with = "only_force")]
    pub kind: String,
    /// Its name, when observations are written as an array.
    pub name: Option<String>,
    /// The bodies the force acts on, by name or pattern.
    pub on: Places,
    /// The bodies it comes from; by default all others.
    pub from: Option<Places>,
    /// The point torques are taken about [m]; by default the centre of the first body of `on`.
    #[schemars(length(min = 2, max = 3))]
    pub about: Option<Vec<f64>>,
}

/// Reaction of a joint on its first body, motor included: the mean over the last step.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointOf {
    /// What is observed.
    #[schemars(schema_with = "joint")]
    #[serde(deserialize_with = "only_joint")]
    pub kind: String,
    /// Its name, when observations are written as an array.
    pub name: Option<String>,
    /// The joint; of a servo wall "servo NAME".
    pub joint: String,
}

/// A box in which contacts and bodies are averaged: bodies whose centre is in it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// What is observed.
    #[schemars(schema_with = "region")]
    #[serde(deserialize_with = "only_region")]
    pub kind: String,
    /// Its name, when observations are written as an array.
    pub name: Option<String>,
    /// Lowest corner [m].
    #[schemars(length(min = 2, max = 3))]
    pub from: Vec<f64>,
    /// Highest corner [m].
    #[schemars(length(min = 2, max = 3))]
    pub to: Vec<f64>,
    /// The bodies, by name or pattern; by default all that are free.
    pub bodies: Option<Places>,
}

/// The periodic cell, in which all free bodies are averaged.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellOf {
    /// What is observed.
    #[schemars(schema_with = "cell")]
    #[serde(deserialize_with = "only_cell")]
    pub kind: String,
    /// Its name, when observations are written as an array.
    pub name: Option<String>,
}

/// Bodies together: how many, where, how fast.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// What is observed.
    #[schemars(schema_with = "group")]
    #[serde(deserialize_with = "only_group")]
    pub kind: String,
    /// Its name, when observations are written as an array.
    pub name: Option<String>,
    /// The bodies, by name or pattern.
    pub bodies: Places,
}

/// Distance of two points of bodies, or of a point and its place at the start (its displacement).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DistanceOf {
    /// What is observed.
    #[schemars(schema_with = "distance")]
    #[serde(deserialize_with = "only_distance")]
    pub kind: String,
    /// Its name, when observations are written as an array.
    pub name: Option<String>,
    /// One body, for the way from its place at the start, or two.
    #[schemars(length(min = 1, max = 2))]
    pub bodies: Vec<String>,
    /// The point in the axes of each body [m]; their origins by default.
    #[schemars(length(min = 1, max = 2))]
    pub points: Option<Vec<Vec<f64>>>,
}

/// A number computed from others that are observed.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FormulaOf {
    /// What is observed.
    #[schemars(schema_with = "formula")]
    #[serde(deserialize_with = "only_formula")]
    pub kind: String,
    /// Its name, when observations are written as an array.
    pub name: Option<String>,
    /// The expression, of the names that conditions of events use, such as "top.force.y / width.length".
    pub value: String,
}

/// What reads and what describes a `kind` of one word.
macro_rules! kinds {
    ($($only:ident $schema:ident $name:literal),*) => { $(
        fn $only<'de, D: serde::Deserializer<'de>>(from: D) -> Result<String, D::Error> {
            let kind = String::deserialize(from)?;
            if kind == $name { Ok(kind) } else { Err(serde::de::Error::custom("another kind")) }
        }

        fn $schema(_: &mut SchemaGenerator) -> Schema {
            json_schema!({ "const": $name })
        }
    )* };
}
kinds!(only_wear wear "wear", only_force force "force", only_joint joint "joint", only_region region "region");
kinds!(only_cell cell "cell");
kinds!(only_group group "group", only_distance distance "distance", only_formula formula "formula");

fn twelve() -> u32 {
    12
}

fn classes() -> u32 {
    25
}

fn point(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "const": "point" })
}

fn flow(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "const": "flow" })
}
