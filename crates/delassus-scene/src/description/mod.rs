//! What a scene file may say
//!
//! The doc comment of each key is its text in the JSON Schema, hence what an editor shows,
//! and the bounds written here are those that are enforced. Lengths in metres,
//! masses in kilograms, times in seconds, angles in radians (`"=30*deg"` is accepted).

mod analysis;
mod arlequin;
mod beam;
mod body;
mod forces;
mod generate;
mod lab;
mod law;
mod many;
mod mesh;
mod observe;
mod shape;
mod solid;

pub use analysis::{Analysis, FormalismName, LinearName, OwnScheme, PathName, PredictedName, SchemeName};
pub use arlequin::{
    Appear, Arlequin, EachWeight, Follow, GlueName, MediatorName, Operation, ProductName, Start, Tie, WeightName,
    Weights,
};
pub use beam::{Beam, BeamTheory, CrossSection};
pub use body::{AxisAngle, Body, Inertia, Motion, Part, Spin};
pub use forces::{Fluid, Joint, JointKind, Load, Resistance, Spring};
pub use generate::{
    Arch, Arrangement, Blocks, Box2, BrickWall, By, CardHouse, Container, Deposit, Distribution, Dome, Dominoes, Drum,
    Generator, GluedFloor, Grain, Grid, Hopper, JointSet, Kind, Size, Tower, Vault,
};
pub use lab::{Beginning, Feeder, Servo, Sink, Stages, When};
pub use law::{Adhesion, Anisotropic, Asperities, Directional, FrameOf, Law, Material, Polygon, Release};
pub use many::{Formula, Named, OneOrMany};
pub use mesh::{Ball, BallPart, Block, Cylinder, Disc, DiscPart, Element, Mesh, MeshFile, MeshForm, Selection, Tube};
pub use observe::{CellOf, DistanceOf, Flow, ForceOf, Group, JointOf, Observe, Probe, Region, WearOf};
pub use shape::{Heights, Shape};
pub use solid::{
    Absorbing, Axis, Behaviour, Collocation, ContactPair, Hypothesis, Locking, Multipliers, Obstacle, Pairing, Places,
    PointMass, Solid, Strains, Support,
};

use delassus_friction::SolverKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A scene of rigid bodies, or of deformable solids, with contact and friction.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// Title of the scene.
    #[serde(default)]
    pub title: String,
    /// What the scene shows, in a few words.
    #[serde(default)]
    pub about: String,
    /// Dimension of space: 2 or 3.
    pub dimension: Dimension,
    /// Gravity [m/s²]; by default 9.81 downwards (−y in the plane, −z in space).
    #[schemars(length(min = 2, max = 3))]
    pub gravity: Option<Vec<f64>>,
    /// Numbers with a name, usable as `"=2*name"` wherever a number is wanted, and in expressions.
    #[serde(default)]
    pub parameters: BTreeMap<String, f64>,
    /// Time step, duration, frames.
    pub time: Time,
    /// How each step is solved.
    #[serde(default)]
    pub solver: Solver,
    /// Materials by name.
    #[serde(default)]
    pub material: Named<Material>,
    /// Contact laws between materials; one table without `between` is the law of all pairs.
    #[serde(default)]
    pub law: OneOrMany<Law>,
    /// Bodies by name.
    #[serde(default)]
    pub body: Named<Body>,
    /// Bodies made by generators.
    #[serde(default)]
    pub generate: OneOrMany<Generator>,
    /// Joints between bodies.
    #[serde(default)]
    pub joint: Named<Joint>,
    /// Meshes of deformable solids.
    #[serde(default)]
    pub mesh: Named<Mesh>,
    /// Deformable solids by name.
    #[serde(default)]
    pub solid: Named<Solid>,
    /// Beams by name.
    #[serde(default)]
    pub beam: Named<Beam>,
    /// Models superposed on each other: their energies shared, glued where they overlap.
    #[serde(default)]
    pub arlequin: Named<Arlequin>,
    /// Surfaces of solids that move as one.
    #[serde(default)]
    pub tie: Named<Tie>,
    /// Imposed displacements of deformable solids and beams.
    #[serde(default)]
    pub support: Named<Support>,
    /// Boundaries and layers of deformable solids that let waves out.
    #[serde(default)]
    pub absorbing: Named<Absorbing>,
    /// Point masses on deformable solids and beams.
    #[serde(default)]
    pub mass: Named<PointMass>,
    /// Where deformable solids may meet each other or obstacles.
    #[serde(default)]
    pub contact: Named<ContactPair>,
    /// How the motion of deformable solids is computed.
    pub analysis: Option<Analysis>,
    /// Forces and torques on bodies, forces and pressures on solids.
    #[serde(default)]
    pub load: Named<Load>,
    /// Springs and dampers.
    #[serde(default)]
    pub spring: Named<Spring>,
    /// Fluids around bodies, solids and beams.
    #[serde(default)]
    pub fluid: Named<Fluid>,
    /// What is observed during the run: points of bodies, flows of grains, wear of contacts.
    #[serde(default)]
    pub observe: Named<Observe>,
    /// Variants of the scene, for `--variant NAME` and `delassus plot --compare SCENE`.
    #[serde(default)]
    pub variant: Named<Variant>,
    /// A run that the scene goes on with.
    pub start: Option<Beginning>,
    /// Parts of the run with changes, one after the other.
    #[serde(default)]
    pub stage: Stages,
    /// What is done when something happens.
    #[serde(default)]
    pub when: Named<When>,
    /// Walls that hold a pressure.
    #[serde(default)]
    pub servo: Named<Servo>,
    /// Bodies that enter during the run.
    #[serde(default)]
    pub feeder: Named<Feeder>,
    /// Boxes that take bodies away.
    #[serde(default)]
    pub sink: Named<Sink>,
    /// Files whose tables are put under those of the scene, by name from its folder: already there when a scene is read.
    pub include: Option<Places>,
    /// Tables that are repeated by formula, `over` variables: already written out when a scene is read.
    #[serde(default)]
    #[schemars(schema_with = "repeats")]
    pub repeat: Option<serde::de::IgnoredAny>,
    /// Periodic directions of space.
    pub periodic: Option<Periodic>,
    /// What is required of the start.
    #[serde(default)]
    pub initial: Initial,
    /// Detection of contacts.
    #[serde(default)]
    pub detection: Detection,
}

/// A variant of the scene.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// Its name, when variants are written as an array.
    pub name: Option<String>,
    /// How figures call it; its name by default.
    pub label: Option<String>,
    /// What is changed, as after `--set`: "analysis.scheme=newmark".
    pub set: Vec<String>,
}

/// Dimension of space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "i64")]
pub enum Dimension {
    /// The plane; y is up.
    Plane,
    /// Space; z is up.
    Space,
}

impl TryFrom<i64> for Dimension {
    type Error = String;

    fn try_from(value: i64) -> Result<Self, String> {
        match value {
            2 => Ok(Self::Plane),
            3 => Ok(Self::Space),
            other => Err(format!("the dimension is 2 or 3, not {other}")),
        }
    }
}

impl Dimension {
    /// 2 or 3.
    pub fn number(self) -> usize {
        match self {
            Self::Plane => 2,
            Self::Space => 3,
        }
    }
}

impl JsonSchema for Dimension {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Dimension".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "description": "Dimension of space.", "enum": [2, 3] })
    }
}

/// Time step, duration, frames.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// Time step h [s]; explicit schemes of deformable solids have one of their own.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub step: Option<f64>,
    /// Duration of the run [s].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub end: f64,
    /// Time between recorded frames [s]; by default a hundredth of the duration, at least one step.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub record: Option<f64>,
}

/// How each step is solved.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Solver {
    /// Solver of the contact problem.
    #[schemars(schema_with = "solver_names")]
    pub name: SolverKind,
    /// Relative residual below which a step is solved; at most 0.1, above which contacts mean nothing.
    #[schemars(extend("exclusiveMinimum" = 0), range(max = 0.1))]
    pub tolerance: f64,
    /// Most iterations of a step; by default 2e7 over the number of contacts for `auto` (a
    /// second-order iteration counts for twenty), the solver's own limit for another.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub iterations: Option<u32>,
    /// Equal parts that every step is made in, each a step of its own with its certificate: where a step needs many
    /// iterations, two of half its length may need fewer together, and penetrate less.
    #[schemars(range(min = 1, max = 1000))]
    pub substeps: u32,
    /// Threads; results do not depend on it.
    #[schemars(range(min = 1, max = 1024))]
    pub threads: u32,
    /// What to do with a step above the tolerance: accept and flag it, retry with smaller steps, or stop.
    pub on_failure: OnFailure,
    /// Times the step may be halved before giving up, for `on_failure = "retry"`.
    #[schemars(range(min = 1, max = 20))]
    pub retries: u32,
    /// Correct positions that penetrate or joints that drift; off by default, reported when on.
    pub correction: bool,
    /// How Gauss–Seidel sees the Delassus operator of rigid bodies: its blocks, the velocities of the bodies
    /// (nothing is assembled), or what costs less.
    pub form: SweepForm,
    /// Let bodies at rest sleep until something touches them; results do not depend on it, to the bit.
    pub sleep: bool,
}

impl Default for Solver {
    fn default() -> Self {
        Self {
            name: SolverKind::Auto,
            tolerance: 1e-8,
            iterations: None,
            substeps: 1,
            threads: 1,
            on_failure: OnFailure::Accept,
            retries: 3,
            correction: false,
            form: SweepForm::Auto,
            sleep: true,
        }
    }
}

/// How sweeps see the Delassus operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SweepForm {
    /// By a count of products.
    Auto,
    /// Its blocks.
    Assembled,
    /// The velocities of the bodies.
    Bodies,
}

/// The names of the solvers, from the one list there is.
fn solver_names(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "string", "enum": SolverKind::ALL.map(SolverKind::name) })
}

/// What to do with a step above the tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// Go on, and flag the step.
    Accept,
    /// Halve the step.
    Retry,
    /// Stop the run.
    Stop,
}

/// Tables of a scene with variables in them.
fn repeats(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let number = serde_json::json!({ "type": ["number", "string"] });
    let told = |what: &str| serde_json::json!({ "type": ["number", "string"], "description": what });
    let range = serde_json::json!({
        "type": "object", "required": ["to"], "additionalProperties": false,
        "properties": {
            "from": told("The first value; 0 by default."),
            "to": told("The last value."),
            "step": told("From one value to the next; 1 by default.")
        }
    });
    let values = serde_json::json!({ "anyOf": [number, { "type": "array", "items": number }, range] });
    let one = serde_json::json!({
        "type": "object", "required": ["over"],
        "properties": {
            "over": {
                "type": "object", "additionalProperties": values,
                "description": "Variables and their values: a number of them from 0 on, a list, or a range."
            },
            "if": { "type": "string", "description": "Only where this condition holds, as in \"i + j < 12\"." }
        }
    });
    schemars::json_schema!({ "anyOf": [one, { "type": "array", "items": one }] })
}

/// Periods of space along the axes.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Periodic {
    /// Period along x [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub x: Option<f64>,
    /// Period along y [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub y: Option<f64>,
    /// Period along z [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub z: Option<f64>,
    /// Corner of the first cell; the origin by default.
    #[schemars(length(min = 2, max = 3))]
    pub origin: Option<Vec<f64>>,
    /// Simple shear: images across one axis are displaced along another (Lees and Edwards).
    pub shear: Option<CellShear>,
    /// Lengths of the cell that give way until the stress across them is the pressure held.
    pub pressure: Option<CellPressure>,
}

/// Shear of a periodic cell.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellShear {
    /// Rate [1/s]: a number or an expression of t. The velocity of the next image is this times the length of the cell.
    pub rate: Formula,
    /// Direction of the flow.
    #[serde(default = "first_axis")]
    pub flow: Axis,
    /// Direction across which the velocity changes; by default the last axis.
    pub gradient: Option<Axis>,
    /// Displacement of the next image at the start [m].
    #[serde(default)]
    pub offset: f64,
    /// Whether free bodies start with the velocity of the flow at their place, added to their own.
    #[serde(default = "yes")]
    pub affine: bool,
}

fn first_axis() -> Axis {
    Axis::X
}

fn yes() -> bool {
    true
}

/// Pressures on the faces of a periodic cell: numbers or expressions of t [Pa] ([N/m] in the plane).
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CellPressure {
    /// Across x.
    pub x: Option<Formula>,
    /// Across y.
    pub y: Option<Formula>,
    /// Across z.
    pub z: Option<Formula>,
    /// Inertia of a length [kg]; by default the mass of the free bodies.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub mass: Option<f64>,
    /// Force against the velocity of a length [N·s/m].
    #[schemars(range(min = 0))]
    pub damping: f64,
}

/// What is required of the start.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Initial {
    /// Bodies that start inside each other.
    pub overlaps: Overlaps,
    /// Depth below which an overlap is round-off [m]; by default 1e-9 of the scene's size.
    #[schemars(range(min = 0))]
    pub depth: Option<f64>,
}

/// Bodies that start inside each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Overlaps {
    /// An error.
    #[default]
    Refuse,
    /// A warning.
    Accept,
}

/// Detection of contacts.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Detection {
    /// Contacts are listed up to this gap [m]; only closed ones carry forces.
    #[schemars(range(min = 0))]
    pub margin: Option<f64>,
    /// Gap up to which bodies touch [m]; by default 1e-10 of the largest body and 1e-3 of the
    /// fall g·h² of one step, which closes contacts that are open by round-off only.
    #[schemars(range(min = 0))]
    pub skin: Option<f64>,
}
