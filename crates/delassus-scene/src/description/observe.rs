//! What is observed during the run: points of bodies, flows of grains.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

/// What is observed: a point of a body, or with `kind = "flow"` the flow of all free bodies.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Observe {
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
