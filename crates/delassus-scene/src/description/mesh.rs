//! Meshes of deformable solids: generated, or read from a file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A mesh; several solids may share one.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Mesh {
    /// Its name, when meshes are written as an array.
    pub name: Option<String>,
    /// Kind of its cells; quad4 in the plane, hex8 in space by default.
    pub element: Option<Element>,
    /// More named sets of nodes, beside those the mesh has.
    #[serde(default)]
    pub group: BTreeMap<String, Selection>,
    /// How it is made.
    #[serde(flatten)]
    pub form: MeshForm,
}

/// Kinds of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Element {
    /// Three-node triangle.
    Tri3,
    /// Six-node triangle.
    Tri6,
    /// Four-node quadrangle.
    Quad4,
    /// Eight-node quadrangle.
    Quad8,
    /// Four-node tetrahedron.
    Tet4,
    /// Ten-node tetrahedron.
    Tet10,
    /// Eight-node hexahedron.
    Hex8,
}

/// A set of nodes by their place at the start, in the axes of the mesh.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Selection {
    /// The node nearest to this point [m].
    #[schemars(length(min = 2, max = 3))]
    pub near: Option<Vec<f64>>,
    /// Nodes of a box parallel to the axes: its lowest corner [m].
    #[schemars(length(min = 2, max = 3))]
    pub min: Option<Vec<f64>>,
    /// Highest corner of the box [m].
    #[schemars(length(min = 2, max = 3))]
    pub max: Option<Vec<f64>>,
    /// Take the facets of the boundary that lie in the box, for contacts and pressures, instead of its nodes.
    pub facets: bool,
}

/// How a mesh is made.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum MeshForm {
    /// A rectangle or a box, from the origin; groups left, right, bottom, top, in space front and back, boundary.
    Block(Block),
    /// A disc around the origin or a part of it (plane); groups arc, boundary, top, axis, foot, centre.
    Disc(Disc),
    /// A ball around the origin or a part of it (space); groups sphere, boundary, top, left, front, foot, centre.
    Ball(Ball),
    /// A cylinder along z from z = 0 (space); groups bottom, top, outer, boundary, left, back.
    Cylinder(Cylinder),
    /// A ring, a sector of it or a tube along z; groups inner, outer, boundary, start, end, bottom, top.
    Tube(Tube),
    /// A file of Gmsh (.msh) or VTK (.vtk, .vtu); its physical names are the groups.
    File(MeshFile),
}

/// A rectangle or a box.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// Sizes along the axes [m].
    #[schemars(length(min = 2, max = 3), extend("items" = { "type": "number", "exclusiveMinimum": 0 }))]
    pub size: Vec<f64>,
    /// Cells along the axes.
    #[schemars(length(min = 2, max = 3), inner(range(min = 1, max = 10_000_000)))]
    pub cells: Vec<u32>,
    /// Size of the last cell over that of the first, along each axis; 1 is uniform.
    #[schemars(length(min = 2, max = 3), extend("items" = { "type": "number", "exclusiveMinimum": 0 }))]
    pub grading: Option<Vec<f64>>,
    /// Whether the origin is in the middle, instead of the lowest corner.
    #[serde(default)]
    pub centred: bool,
}

/// A disc or a part of it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Disc {
    /// Radius [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius: f64,
    /// Which part.
    #[serde(default)]
    pub part: DiscPart,
    /// Cells along each side of the core of a quarter: half of those along its arc.
    #[schemars(range(min = 1, max = 100_000))]
    pub cells: u32,
    /// Cells between core and arc; as many as `cells` by default.
    #[schemars(range(min = 1, max = 100_000))]
    pub layers: Option<u32>,
    /// Size of cells along the arc at the diagonal over that at the foot; 1 is uniform.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub refine_foot: f64,
    /// Size of cells across the layers at the core over that at the arc; 1 is uniform.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub refine_arc: f64,
}

/// Which part of a disc.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DiscPart {
    /// All of it.
    #[default]
    Full,
    /// y ≤ 0.
    Lower,
    /// x ≥ 0: the half that revolves into a ball.
    Right,
    /// x ≥ 0, y ≤ 0: the quarter that revolves into half a ball.
    LowerRight,
}

/// A ball or a part of it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ball {
    /// Radius [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius: f64,
    /// Which part.
    #[serde(default)]
    pub part: BallPart,
    /// Cells along each side of the core of an octant.
    #[schemars(range(min = 1, max = 10_000))]
    pub cells: u32,
    /// Cells between core and sphere; as many as `cells` by default.
    #[schemars(range(min = 1, max = 10_000))]
    pub layers: Option<u32>,
    /// Size of cells on the sphere at 45° over that at the foot; 1 is uniform.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub refine_foot: f64,
    /// Size of cells across the layers at the core over that at the sphere; 1 is uniform.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub refine_sphere: f64,
}

/// Which part of a ball.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BallPart {
    /// All of it.
    #[default]
    Full,
    /// z ≤ 0.
    Lower,
    /// x ≥ 0, y ≥ 0.
    Quarter,
    /// x ≥ 0, y ≥ 0, z ≤ 0.
    Octant,
}

/// A cylinder along z.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cylinder {
    /// Radius [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius: f64,
    /// Height [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub height: f64,
    /// Cells along each side of the core of a quarter of the section, and along the height.
    #[schemars(length(min = 2, max = 2), inner(range(min = 1, max = 100_000)))]
    pub cells: Vec<u32>,
    /// Cells between core and surface; as many as the first of `cells` by default.
    #[schemars(range(min = 1, max = 100_000))]
    pub layers: Option<u32>,
    /// Size of the uppermost cells over that of the lowest; 1 is uniform.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub grading: f64,
}

/// A ring, a sector of it or a tube along z.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tube {
    /// Inner radius [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub inner: f64,
    /// Outer radius [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub outer: f64,
    /// First and last angle of a sector, from x [rad]; all around by default.
    #[schemars(length(min = 2, max = 2))]
    pub angles: Option<Vec<f64>>,
    /// Height [m], in space.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub height: Option<f64>,
    /// Cells across the wall, around, and in space along the height.
    #[schemars(length(min = 2, max = 3), inner(range(min = 1, max = 1_000_000)))]
    pub cells: Vec<u32>,
    /// Size of the outermost cells over that of the innermost; 1 is uniform.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub grading: f64,
}

/// A file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshFile {
    /// Path, relative to the scene.
    pub file: String,
    /// Factor of all lengths, for files in millimetres: 0.001.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub scale: f64,
}

fn one() -> f64 {
    1.0
}
