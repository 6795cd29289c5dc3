//! Models that lie over each other, and surfaces tied together.

use super::Formula;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A fine model superposed on a coarse one: they share their energies in the overlap and are glued there.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arlequin {
    /// Its name, when superpositions are written as an array.
    pub name: Option<String>,
    /// The coarse model: a solid or a beam.
    pub coarse: String,
    /// The fine model: a solid or a beam.
    pub fine: String,
    /// What the superposition does; by default a substitution where the fine model lies inside the coarse one, else
    /// a junction.
    pub operation: Option<Operation>,
    /// How the coarse model's share of the energies goes down through the overlap: one word, or one for each of
    /// `inertia`, `strain` and `load`; linear by default.
    #[serde(default)]
    pub weights: Weights,
    /// What is left to the coarse model: all over the overlap with constant weights, where 0.5 is the default, at
    /// the far end with the others, where it is 0.001 and the fine model keeps as much at the near end.
    #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
    pub coarse_share: Option<f64>,
    /// How far from the border of the fine model they are glued, and how long the weights' ramp is there [m]; by
    /// default all over the overlap in a junction, else twice the size of the coarse cells.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub depth: Option<f64>,
    /// Glue inside of this box only: its lower and upper corner [m].
    #[schemars(length(min = 2, max = 2), inner(length(min = 2, max = 3)))]
    pub zone: Option<Vec<Vec<f64>>>,
    /// Whose functions the multipliers are; those of the fine model by default, with which constant stresses pass
    /// exactly, but motions of its sections where the coarse model is a beam in a solid.
    pub mediator: Option<MediatorName>,
    /// The product that glues; L² by default.
    #[serde(default)]
    pub product: ProductName,
    /// Length ℓ of the product h1, which adds ℓ² times that of the gradients [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub length: Option<f64>,
    /// What is glued; velocities by default, with which the gluing does no work whatever the scheme.
    #[serde(default)]
    pub glue: GlueName,
    /// The fine model, a zoom, moves over the coarse one with a body or with a contact.
    pub follow: Option<Follow>,
    /// When the fine model, a zoom, takes over; before, it hangs on the coarse one, which bears everything. From the
    /// start where nothing is said.
    pub appear: Option<Appear>,
}

/// What a patch follows: one of `body` and `contact`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Follow {
    /// A rigid body: its centre of mass.
    pub body: Option<String>,
    /// A contact whose slave is on the patch: the centre of its normal forces.
    pub contact: Option<String>,
    /// Length by whole multiples of which the patch moves, once what it follows is more than that from its centre
    /// [m]; the size of the coarse cells by default.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub by: Option<f64>,
    /// Axes along which it moves; all but the last one by default: x in the plane, x and y in space.
    pub along: Option<Vec<super::Axis>>,
}

/// What makes a patch appear, looked at on the patch and under it: one of these.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Appear {
    /// Accumulated plastic strain of a cell.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub plastic_strain: Option<f64>,
    /// Von Mises stress of a cell [Pa].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub von_mises: Option<f64>,
    /// Relative error in energy of the coarse cells under the patch, estimated from smoothed stresses.
    #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
    pub error: Option<f64>,
}

/// What a superposition does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// The fine model lies inside the coarse one, which stays where it is with what is left of its energy.
    Zoom,
    /// The models overlap in part.
    Junction,
    /// The fine model takes the place of the coarse one: cells that it covers beyond the gluing zone are left out.
    Substitution,
}

/// Shapes of weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WeightName {
    /// The same all over the overlap.
    Constant,
    /// Straight through the overlap.
    #[default]
    Linear,
    /// Smooth at both ends.
    Cubic,
}

/// Weights of the energies.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Weights {
    /// The same for all.
    All(WeightName),
    /// One for each.
    Each(EachWeight),
}

/// A weight for each of the energies.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EachWeight {
    /// Of the inertia.
    pub inertia: WeightName,
    /// Of the strain.
    pub strain: WeightName,
    /// Of gravity.
    pub load: WeightName,
}

impl Default for Weights {
    fn default() -> Self {
        Self::All(WeightName::Linear)
    }
}

/// Whose functions the multipliers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MediatorName {
    /// Those of the coarse mesh: few multipliers, and fine waves that pass into the zone.
    Coarse,
    /// Those of the fine mesh.
    Fine,
}

/// The product that glues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProductName {
    /// Of the motions.
    #[default]
    L2,
    /// Of the motions and of their gradients.
    H1,
}

/// What is glued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GlueName {
    /// Velocities at the end of the step.
    #[default]
    Velocity,
    /// Displacements at the end of the step.
    Displacement,
}

/// Surfaces of two solids that move as one: the nodes of the first stay at their places on the second.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tie {
    /// Its name, when ties are written as an array.
    pub name: Option<String>,
    /// Nodes that are tied, as "solid/group".
    pub nodes: String,
    /// The surface they are tied to, as "solid/group".
    pub to: String,
}

/// How a solid or a beam starts, beside its velocity: formulas of the place x, y, z. Nodes of beams turn with the
/// gradients.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Start {
    /// Displacement [m].
    #[schemars(length(min = 2, max = 3))]
    pub displacement: Option<Vec<Formula>>,
    /// Velocity [m/s], added to that of the whole.
    #[schemars(length(min = 2, max = 3))]
    pub velocity: Option<Vec<Formula>>,
}
