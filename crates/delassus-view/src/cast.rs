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
    /// Loads of bodies.
    pub loads: Vec<Pull>,
    /// Nodes of solids that are held.
    pub supports: Vec<u32>,
    /// Corner and periods of a periodic cell, axis by axis.
    pub cell: Vec<(f64, Option<f64>)>,
    /// Gravity \[m/s²\].
    pub gravity: Vec<f64>,
    /// Tolerance on the residual of a step.
    pub tolerance: f64,
    /// What the reactions can be at some time, where that was explored.
    pub explored: Option<Explored>,
}

/// The sets of reactions of one step.
#[derive(Clone, Debug, Serialize)]
pub struct Explored {
    /// What was explored, in words.
    pub source: String,
    /// What is drawn, with its unit.
    pub quantity: String,
    /// Time \[s\].
    pub time: f64,
    /// Contact by contact.
    pub contacts: Vec<Possible>,
}

/// What one reaction can be: components along the axes of the contact, normal first.
#[derive(Clone, Debug, Serialize)]
pub struct Possible {
    /// Bodies; `None` is no body.
    pub bodies: [Option<u32>; 2],
    /// Where \[m\].
    pub point: Vec<f64>,
    /// Normal and tangents.
    pub axes: Vec<Vec<f64>>,
    /// Coefficient of friction.
    pub friction: f64,
    /// Vertices of the set.
    pub vertices: Vec<Vec<f64>>,
    /// Whether the set has no end.
    pub unbounded: bool,
    /// Sampled solutions.
    pub samples: Vec<Vec<f64>>,
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

/// A force on a body.
#[derive(Clone, Debug, Serialize)]
pub struct Pull {
    /// The body.
    pub body: u32,
    /// Times between which forces are interpolated \[s\]; none where the force depends on where the body is.
    pub times: Vec<f64>,
    /// Forces at these times \[N\].
    pub forces: Vec<Vec<f64>>,
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
