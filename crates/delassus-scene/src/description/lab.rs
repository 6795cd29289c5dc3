//! An experiment: where it starts, its stages, what happens when.

use super::{Formula, Places};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

/// A run that the scene goes on with. What the scene says is laid over the scene of that run; bodies keep their
/// places and velocities, contacts their forces.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Beginning {
    /// The run file, from the folder of the scene.
    pub from: Option<String>,
    /// The last frame at or before this time [s]; by default the last.
    #[schemars(range(min = 0))]
    pub time: Option<f64>,
    /// The frame, counted from 0, instead of `time`.
    pub frame: Option<u32>,
    /// Bodies that are taken away, by name or pattern: "gate", "wall*".
    pub remove: Vec<String>,
    /// Joints, springs and loads that are taken away, by name or pattern.
    pub release: Vec<String>,
    /// Written by delassus into the scene that a run keeps, instead of `from`: the run it went on with.
    pub went_on: Option<String>,
}

/// A part of the run with changes: everything that a scene may say about bodies, laws, joints, loads, springs,
/// gravity, solver and time, laid over the stage before. `time.end` is the duration of the stage. `remove` takes
/// bodies away, `release` joints, springs and loads.
#[derive(Clone, Debug, Default)]
pub struct Stages;

impl<'de> Deserialize<'de> for Stages {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        serde::de::IgnoredAny::deserialize(from).map(|_| Self)
    }
}

impl JsonSchema for Stages {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Stages".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let text = "A part of the run with changes, laid over the stage before; `time.end` is its duration, `remove` \
                    takes bodies away, `release` joints, springs and loads.";
        json_schema!({ "type": "object", "additionalProperties": { "type": "object", "description": text } })
    }
}

/// What is done when something happens. The condition is looked at after every step.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct When {
    /// Its name, when events are written as an array.
    pub name: Option<String>,
    /// The condition: an expression of t, start (of the stage), kinetic, potential, speed, contacts, residual,
    /// penetration, flagged, bodies, and of what is observed, as "tip.position.y" or "grip.force.x", with <, <=, >,
    /// >=, ==, !=, and, or, not.
    #[serde(rename = "if")]
    pub condition: String,
    /// How long the condition must hold without interruption [s].
    #[serde(default, rename = "for")]
    #[schemars(range(min = 0))]
    pub lasting: f64,
    /// Time since the start of the stage before which nothing happens [s].
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub after: f64,
    /// Only in this stage; "start" is the first.
    pub stage: Option<String>,
    /// Whether it may happen again, once the condition has failed in between.
    #[serde(default)]
    pub again: bool,
    /// End the run.
    #[serde(default)]
    pub stop: bool,
    /// Go on to the next stage; from the last one the run ends.
    #[serde(default)]
    pub next: bool,
    /// Record a frame now; every other action records one too.
    #[serde(default)]
    pub record: bool,
    /// Bodies to take away, by name or pattern.
    #[serde(default)]
    pub remove: Vec<String>,
    /// Joints, springs and loads to take away, by name or pattern.
    #[serde(default)]
    pub release: Vec<String>,
    /// What to change, as after `--set`: "law.friction=0.2", "joint.arm.speed=0".
    #[serde(default)]
    pub set: Vec<String>,
}

/// A wall that holds a pressure: the body slides along `axis` without turning, pushed by pressure times area.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Servo {
    /// Its name, when servos are written as an array.
    pub name: Option<String>,
    /// The free body that is the wall.
    pub body: String,
    /// Direction in which it pushes.
    #[schemars(length(min = 2, max = 3))]
    pub axis: Vec<f64>,
    /// Pressure [Pa] ([N/m] in the plane): a number or an expression of t.
    pub pressure: Formula,
    /// Area it acts on [m²] ([m] in the plane).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub area: Option<f64>,
    /// Two bodies between whose faces the area reaches, instead of `area` in the plane; times `width` in space.
    #[schemars(length(min = 2, max = 2))]
    pub between: Option<Vec<String>>,
    /// Width across `between` and `axis` [m], in space.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub width: Option<f64>,
    /// Force against its velocity [N·s/m].
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub damping: f64,
}

/// Bodies that enter one after the other: they are described like others, and are not there before.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Feeder {
    /// Its name, when feeders are written as an array.
    pub name: Option<String>,
    /// The bodies, by name or pattern, in their order.
    pub bodies: Places,
    /// Time between two entries [s].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub every: f64,
    /// Time of the first entry [s].
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub from: f64,
    /// Bodies that enter at once.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub count: u32,
}

fn one() -> u32 {
    1
}

/// A box that takes away the bodies whose centre is in it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sink {
    /// Its name, when sinks are written as an array.
    pub name: Option<String>,
    /// Lowest corner [m].
    #[schemars(length(min = 2, max = 3))]
    pub from: Vec<f64>,
    /// Highest corner [m].
    #[schemars(length(min = 2, max = 3))]
    pub to: Vec<f64>,
    /// Whether they wait with their feeder to enter again.
    #[serde(default)]
    pub again: bool,
}
