//! What a scene tells about its bodies beyond the numbers of a run.

use serde::Serialize;

/// Who plays, and how they are tied to each other.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Cast {
    /// Names of the bodies, solids after them.
    pub names: Vec<String>,
    /// What each does.
    pub roles: Vec<Role>,
    /// Masses \[kg\]; zero where the motion is imposed.
    pub masses: Vec<f64>,
    /// Names of the materials.
    pub materials: Vec<String>,
    /// Colours of the materials, where given.
    pub colours: Vec<Option<String>>,
    /// The law between two materials in words: `[first, second]`, by place among the materials.
    pub laws: Vec<([usize; 2], String)>,
    /// Joints.
    pub joints: Vec<Tie>,
    /// Springs.
    pub springs: Vec<Rod>,
    /// Bodies with a load of their own.
    pub loads: Vec<u32>,
    /// Nodes of solids that are held.
    pub supports: Vec<u32>,
    /// Corner and periods of a periodic cell, axis by axis.
    pub cell: Vec<(f64, Option<f64>)>,
    /// Gravity \[m/s²\].
    pub gravity: Vec<f64>,
    /// Tolerance on the residual of a step.
    pub tolerance: f64,
}

/// What a body does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Obeys mechanics.
    Free,
    /// Stands still.
    Fixed,
    /// Its motion is imposed.
    Moved,
    /// Deforms.
    Solid,
}

/// A joint.
#[derive(Clone, Debug, Serialize)]
pub struct Tie {
    /// Name.
    pub name: String,
    /// What it holds.
    pub kind: String,
    /// Bodies; `None` is the world.
    pub bodies: [Option<u32>; 2],
    /// Its points on them, in the axes of the record \[m\].
    pub anchors: [Vec<f64>; 2],
}

/// A spring.
#[derive(Clone, Debug, Serialize)]
pub struct Rod {
    /// Bodies; `None` is the world.
    pub bodies: [Option<u32>; 2],
    /// Its ends on them, in the axes of the record \[m\].
    pub anchors: [Vec<f64>; 2],
    /// Length at which it does not pull \[m\].
    pub rest_length: f64,
}
