//! Shapes, of the plane and of space.

use super::Formula;
use schemars::JsonSchema;
use serde::Deserialize;

/// A shape, around the origin of its body.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Shape {
    /// A particle without size; it meets walls, planes and meshes of fixed bodies.
    Point {},
    /// A disc (plane).
    Disc {
        /// Radius [m].
        #[schemars(extend("exclusiveMinimum" = 0))]
        radius: f64,
    },
    /// A sphere (space).
    Sphere {
        /// Radius [m].
        #[schemars(extend("exclusiveMinimum" = 0))]
        radius: f64,
    },
    /// A capsule along x (plane) or z (space).
    Capsule {
        /// Distance between the centres of the two ends [m].
        #[schemars(extend("exclusiveMinimum" = 0))]
        length: f64,
        /// Radius [m].
        #[schemars(extend("exclusiveMinimum" = 0))]
        radius: f64,
    },
    /// A cylinder along z (space).
    Cylinder {
        /// Length along z [m].
        #[schemars(extend("exclusiveMinimum" = 0))]
        length: f64,
        /// Radius [m].
        #[schemars(extend("exclusiveMinimum" = 0))]
        radius: f64,
    },
    /// A segment without thickness (plane, fixed bodies).
    Segment {
        /// One end.
        #[schemars(length(min = 2, max = 2))]
        from: Vec<f64>,
        /// The other end.
        #[schemars(length(min = 2, max = 2))]
        to: Vec<f64>,
    },
    /// A rectangle or a box.
    Box {
        /// Full sizes along the axes [m].
        #[schemars(length(min = 2, max = 3), extend("items" = { "type": "number", "exclusiveMinimum": 0 }))]
        size: Vec<f64>,
    },
    /// A convex polygon (plane).
    Polygon {
        /// Vertices in order, either sense.
        #[schemars(length(min = 3), inner(length(min = 2, max = 2)))]
        points: Vec<Vec<f64>>,
    },
    /// A regular polygon (plane), with a horizontal lower side.
    RegularPolygon {
        /// Number of sides.
        #[schemars(range(min = 3, max = 1000))]
        sides: u32,
        /// Radius of the circle through the vertices [m].
        #[schemars(extend("exclusiveMinimum" = 0))]
        radius: f64,
    },
    /// A broken line (plane, fixed bodies); the free side is on the left of the way.
    Polyline {
        /// Vertices in order.
        #[schemars(length(min = 2), inner(length(min = 2, max = 2)))]
        points: Vec<Vec<f64>>,
        /// Whether the last vertex is joined to the first.
        #[serde(default)]
        closed: bool,
    },
    /// A half-plane through the body's origin (fixed bodies).
    HalfPlane {
        /// Direction out of the matter; upwards by default.
        #[schemars(length(min = 2, max = 2))]
        normal: Option<Vec<f64>>,
    },
    /// A half-space through the body's origin (fixed bodies).
    HalfSpace {
        /// Direction out of the matter; upwards by default.
        #[schemars(length(min = 3, max = 3))]
        normal: Option<Vec<f64>>,
    },
    /// The convex hull of points (space).
    Polyhedron {
        /// The points.
        #[schemars(length(min = 4), inner(length(min = 3, max = 3)))]
        points: Vec<Vec<f64>>,
    },
    /// A surface read from an STL, OBJ or PLY file (space); closed where the body moves freely.
    Mesh {
        /// Path relative to the scene file.
        file: String,
        /// Factor applied to the coordinates, for instance 0.001 for millimetres.
        #[serde(default = "one")]
        #[schemars(extend("exclusiveMinimum" = 0))]
        scale: f64,
        /// Take the convex hull.
        #[serde(default)]
        convex: bool,
    },
    /// A surface given by its triangles (space); closed where the body moves freely.
    Surface {
        /// The points.
        #[schemars(length(min = 4), inner(length(min = 3, max = 3)))]
        points: Vec<Vec<f64>>,
        /// Three points each, counted from 0, counter-clockwise from outside.
        #[schemars(length(min = 1), inner(length(min = 3, max = 3)))]
        triangles: Vec<Vec<u32>>,
    },
    /// A ground given by heights over a rectangle (space, fixed bodies).
    HeightField {
        /// Sizes of the rectangle along x and y [m], centred on the body's origin.
        #[schemars(length(min = 2, max = 2), extend("items" = { "type": "number", "exclusiveMinimum": 0 }))]
        size: Vec<f64>,
        /// Heights.
        heights: Heights,
        /// Number of cells along x and y, for an expression.
        #[schemars(length(min = 2, max = 2), inner(range(min = 1, max = 4096)))]
        cells: Option<Vec<u32>>,
    },
    /// The boundary of the region f ≤ 0 in which the others are kept (fixed bodies).
    Wall {
        /// f as an expression of t, x, y and z.
        inside: String,
    },
}

fn one() -> f64 {
    1.0
}

/// Heights of a ground.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Heights {
    /// Rows along y of values along x [m].
    Values(Vec<Vec<f64>>),
    /// An expression of x and y.
    Formula(Formula),
}
