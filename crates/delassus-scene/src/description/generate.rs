//! Generators: many bodies from a few numbers.

use super::{Shape, Spin};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bodies made by a generator.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Generator {
    /// Beginning of the names of its bodies; by default the kind.
    pub name: Option<String>,
    /// Material of its bodies; not needed when the scene has one material or none.
    pub material: Option<String>,
    /// Place of the generator's origin [m].
    #[schemars(length(min = 2, max = 3))]
    pub position: Option<Vec<f64>>,
    /// What is made.
    #[serde(flatten)]
    pub kind: Kind,
}

/// What is made.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Kind {
    /// Copies of a shape on a grid.
    Grid(Grid),
    /// Grains of random size, placed at random without overlap, from the bottom of a box upwards.
    Deposit(Deposit),
    /// A wall of bricks in running bond.
    BrickWall(BrickWall),
    /// An arch of equal voussoirs on a circle.
    Arch(Arch),
    /// A barrel vault of blocks in running bond (space).
    Vault(Vault),
    /// A dome of blocks (space).
    Dome(Dome),
    /// A box cut into convex blocks: Voronoi cells, sets of joints.
    Blocks(Blocks),
    /// A tower of crossed planks.
    Tower(Tower),
    /// A row of dominoes.
    Dominoes(Dominoes),
    /// A house of cards (plane).
    CardHouse(CardHouse),
    /// Grains glued to a floor: one fixed body.
    GluedFloor(GluedFloor),
    /// A floor and walls around a box: one fixed body.
    Container(Container),
    /// A container with inclined walls and an outlet: one fixed body.
    Hopper(Hopper),
    /// A drum turning about its axis: one body with imposed motion.
    Drum(Drum),
}

impl Kind {
    /// The word that names it in a scene.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Grid(_) => "grid",
            Self::Deposit(_) => "deposit",
            Self::BrickWall(_) => "brick_wall",
            Self::Arch(_) => "arch",
            Self::Vault(_) => "vault",
            Self::Dome(_) => "dome",
            Self::Blocks(_) => "blocks",
            Self::Tower(_) => "tower",
            Self::Dominoes(_) => "dominoes",
            Self::CardHouse(_) => "card_house",
            Self::GluedFloor(_) => "glued_floor",
            Self::Container(_) => "container",
            Self::Hopper(_) => "hopper",
            Self::Drum(_) => "drum",
        }
    }
}

/// Copies of a shape on a grid; `position` is the centre of the first.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    /// The shape.
    pub shape: Shape,
    /// Number of copies along each axis.
    #[schemars(length(min = 2, max = 3), inner(range(min = 1, max = 1_000_000)))]
    pub count: Vec<u32>,
    /// Distance of neighbours along each axis [m].
    #[schemars(length(min = 2, max = 3), extend("items" = { "type": "number", "exclusiveMinimum": 0 }))]
    pub spacing: Vec<f64>,
    /// Largest random displacement along each axis [m].
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub jitter: f64,
    /// Seed of the displacements.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub seed: u64,
    /// Velocity at the start [m/s].
    #[schemars(length(min = 2, max = 3))]
    pub velocity: Option<Vec<f64>>,
    /// Angular velocity at the start [rad/s].
    pub spin: Option<Spin>,
}

/// A box parallel to the axes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Box2 {
    /// Lowest corner [m].
    #[schemars(length(min = 2, max = 3))]
    pub min: Vec<f64>,
    /// Highest corner [m].
    #[schemars(length(min = 2, max = 3))]
    pub max: Vec<f64>,
}

/// Grains of random size, placed at random without overlap.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Deposit {
    /// Form of the grains.
    pub grain: Grain,
    /// Number of grains; or `fraction`.
    #[schemars(range(min = 1, max = 10_000_000))]
    pub count: Option<u32>,
    /// Part of the region that they fill, instead of their number (discs and spheres).
    #[schemars(extend("exclusiveMinimum" = 0), range(max = 0.9))]
    pub fraction: Option<f64>,
    /// Radius of the grains, of the sphere around them for polygons and polyhedra [m].
    pub radius: Size,
    /// Where they are placed, in the axes of `position`.
    pub region: Box2,
    /// Seed.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub seed: u64,
    /// How they are placed.
    #[serde(default)]
    pub arrangement: Arrangement,
    /// Least and greatest number of vertices, for polygons and polyhedra.
    #[schemars(length(min = 2, max = 2), inner(range(min = 3, max = 64)))]
    pub vertices: Option<Vec<u32>>,
    /// Velocity at the start [m/s].
    #[schemars(length(min = 2, max = 3))]
    pub velocity: Option<Vec<f64>>,
}

/// Form of the grains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Grain {
    /// Discs (plane).
    Disc,
    /// Spheres (space).
    Sphere,
    /// Random convex polygons (plane).
    Polygon,
    /// Random convex polyhedra (space).
    Polyhedron,
}

/// How grains are placed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Arrangement {
    /// On a lattice wide enough for the largest, from the bottom up, each moved at random in its cell.
    #[default]
    Lattice,
    /// Anywhere in the region where there is room.
    Random,
    /// Each rolls down to the lowest place it finds on the others (discs).
    Packed,
    /// Anywhere, then pushed apart until none overlaps: up to 0.8 of the plane, 0.6 of space.
    Relaxed,
}

/// Radius of grains: a number, or a distribution.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Size {
    /// All equal.
    Equal(#[schemars(extend("exclusiveMinimum" = 0))] f64),
    /// Random.
    Random(Distribution),
}

/// What a distribution counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// Grains.
    #[default]
    Number,
    /// Mass of grains.
    Mass,
}

/// A distribution of radii between `min` and `max`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Distribution {
    /// Constant density.
    Uniform {
        /// Smallest [m].
        #[schemars(extend("exclusiveMinimum" = 0))]
        min: f64,
        /// Largest [m].
        #[schemars(extend("exclusiveMinimum" = 0))]
        max: f64,
        /// Density of the number or of the mass of grains.
        #[serde(default)]
        by: By,
    },
    /// Density proportional to a power of the radius.
    Power {
        /// Smallest [m].
        #[schemars(extend("exclusiveMinimum" = 0))]
        min: f64,
        /// Largest [m].
        #[schemars(extend("exclusiveMinimum" = 0))]
        max: f64,
        /// The power, for instance -3.5.
        #[schemars(range(min = -20, max = 20))]
        exponent: f64,
        /// Density of the number or of the mass of grains.
        #[serde(default)]
        by: By,
    },
    /// A grading curve: sieves and what passes them.
    Curve {
        /// Radius [m] and share of the mass of smaller grains, from 0 to 1, both increasing; straight lines between.
        #[schemars(length(min = 2))]
        points: Vec<Vec<f64>>,
    },
    /// Gauss's bell, cut at `min` and `max`.
    Gaussian {
        /// Middle of the bell [m].
        #[schemars(extend("exclusiveMinimum" = 0))]
        mean: f64,
        /// Standard deviation of the bell [m].
        #[schemars(extend("exclusiveMinimum" = 0))]
        deviation: f64,
        /// Smallest [m].
        #[schemars(extend("exclusiveMinimum" = 0))]
        min: f64,
        /// Largest [m].
        #[schemars(extend("exclusiveMinimum" = 0))]
        max: f64,
        /// Density of the number or of the mass of grains.
        #[serde(default)]
        by: By,
    },
}

impl Distribution {
    /// Smallest and largest radius; of a curve without points nothing.
    pub fn range(&self) -> [f64; 2] {
        match self {
            Self::Uniform { min, max, .. } | Self::Power { min, max, .. } | Self::Gaussian { min, max, .. } => {
                [*min, *max]
            }
            Self::Curve { points } => {
                let radius = |p: Option<&Vec<f64>>| p.and_then(|p| p.first()).copied().unwrap_or(f64::NAN);
                [radius(points.first()), radius(points.last())]
            }
        }
    }
}

/// A barrel vault of blocks in running bond (space), its axis along y; `position` is the middle of the axis.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Vault {
    /// Courses from one springing to the other.
    #[schemars(range(min = 2, max = 10_000))]
    pub courses: u32,
    /// Blocks along a course; every second one has a half block at both ends.
    #[schemars(range(min = 1, max = 10_000))]
    pub blocks: u32,
    /// Radius of the middle surface [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius: f64,
    /// Thickness along the radius [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub thickness: f64,
    /// Length along y [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub length: f64,
    /// Angle seen from the axis [rad]; π by default, a half circle.
    #[schemars(extend("exclusiveMinimum" = 0), range(max = 6))]
    pub angle: Option<f64>,
    /// Whether fixed abutments are made under the springings; they are by default.
    #[serde(default = "yes")]
    pub abutments: bool,
}

/// A dome of blocks (space), its axis along z; `position` is the centre of the spheres.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dome {
    /// Rings from the top to the springing; the first is one stone where there is no oculus.
    #[schemars(range(min = 1, max = 10_000))]
    pub rings: u32,
    /// Blocks of a ring.
    #[schemars(range(min = 3, max = 10_000))]
    pub blocks: u32,
    /// Radius of the middle surface, at the corners [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius: f64,
    /// Thickness along the radius [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub thickness: f64,
    /// Angle from the axis to the springing [rad]; π/2 by default, a half sphere.
    #[schemars(extend("exclusiveMinimum" = 0), range(max = 2.5))]
    pub angle: Option<f64>,
    /// Angle of an opening at the top [rad]; none by default.
    #[serde(default)]
    #[schemars(range(min = 0, max = 2.5))]
    pub oculus: f64,
    /// Whether a fixed ring is made under the springing; it is by default.
    #[serde(default = "yes")]
    pub base: bool,
}

/// A box cut into convex blocks that fill it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Blocks {
    /// The box, in the axes of `position`.
    pub region: Box2,
    /// Number of Voronoi cells, about random points.
    #[schemars(range(min = 1, max = 100_000))]
    pub cells: Option<u32>,
    /// Sets of parallel planes that cut everything.
    #[serde(default)]
    pub joints: Vec<JointSet>,
    /// Seed of the points and of the scatter of planes.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub seed: u64,
}

/// Parallel planes, evenly spaced from the middle of the box.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointSet {
    /// Normal of the planes, of any length.
    #[schemars(length(min = 2, max = 3))]
    pub normal: Vec<f64>,
    /// Distance of neighbours [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub spacing: f64,
    /// Distance of one of them from the middle of the box [m].
    #[serde(default)]
    pub offset: f64,
    /// Largest random displacement of a plane, as a part of the spacing.
    #[serde(default)]
    #[schemars(range(min = 0, max = 0.45))]
    pub scatter: f64,
}

/// A wall of bricks in running bond; `position` is the middle of its base.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BrickWall {
    /// Bricks in a course.
    #[schemars(range(min = 1, max = 10_000))]
    pub columns: u32,
    /// Courses.
    #[schemars(range(min = 1, max = 10_000))]
    pub rows: u32,
    /// Sizes of a brick [m]: length, height, and depth in space.
    #[schemars(length(min = 2, max = 3), extend("items" = { "type": "number", "exclusiveMinimum": 0 }))]
    pub brick: Vec<f64>,
    /// Open joint between bricks of a course [m].
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub joint: f64,
}

/// An arch of equal voussoirs on a circle; `position` is the centre of the circle.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arch {
    /// Number of voussoirs.
    #[schemars(range(min = 1, max = 10_000))]
    pub blocks: u32,
    /// Radius of the middle line [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius: f64,
    /// Thickness along the radius [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub thickness: f64,
    /// Depth in space [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub depth: Option<f64>,
    /// Angle of the arch seen from the centre [rad]; π by default, a half circle.
    #[schemars(extend("exclusiveMinimum" = 0), range(max = 6))]
    pub angle: Option<f64>,
    /// Whether fixed abutments are made under the two ends; they are by default.
    #[serde(default = "yes")]
    pub abutments: bool,
}

fn yes() -> bool {
    true
}

/// A tower of crossed planks (space); `position` is the middle of its base.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tower {
    /// Levels.
    #[schemars(range(min = 1, max = 10_000))]
    pub levels: u32,
    /// Planks of a level, parallel, evenly spaced over the length of a plank.
    #[serde(default = "three")]
    #[schemars(range(min = 2, max = 100))]
    pub per_level: u32,
    /// Length, width and height of a plank [m]; by default a Kapla's, 0.1178 × 0.0236 × 0.0078.
    #[serde(default = "kapla")]
    #[schemars(length(min = 3, max = 3), extend("items" = { "type": "number", "exclusiveMinimum": 0 }))]
    pub plank: Vec<f64>,
}

fn three() -> u32 {
    3
}

fn kapla() -> Vec<f64> {
    vec![0.1178, 0.0236, 0.0078]
}

/// A row of dominoes along x; `position` is the middle of the base of the first.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dominoes {
    /// Number of dominoes.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub count: u32,
    /// Thickness and height, in space thickness, width and height [m].
    #[schemars(length(min = 2, max = 3), extend("items" = { "type": "number", "exclusiveMinimum": 0 }))]
    pub size: Vec<f64>,
    /// Distance from one to the next, between middles [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub spacing: f64,
    /// Angular velocity of the first at the start [rad/s], towards the second.
    #[serde(default)]
    pub push: f64,
}

/// A house of cards (plane); `position` is the middle of its base.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CardHouse {
    /// Storeys.
    #[schemars(range(min = 1, max = 100))]
    pub levels: u32,
    /// Length and thickness of a card [m].
    #[schemars(length(min = 2, max = 2), extend("items" = { "type": "number", "exclusiveMinimum": 0 }))]
    pub card: Vec<f64>,
    /// Angle of a leaning card with the vertical [rad].
    #[schemars(extend("exclusiveMinimum" = 0), range(max = 1.5))]
    pub lean: f64,
}

/// Grains glued to a floor; `position` is one end of the floor.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GluedFloor {
    /// Length along x [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub length: f64,
    /// Width along y, in space [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub width: Option<f64>,
    /// Radius of the grains, of the circle or sphere around those that are not round [m].
    pub radius: Size,
    /// Form of the grains; round by default.
    pub grain: Option<Grain>,
    /// Least and greatest number of vertices, for polygons and polyhedra.
    #[schemars(length(min = 2, max = 2), inner(range(min = 3, max = 64)))]
    pub vertices: Option<Vec<u32>>,
    /// Seed.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub seed: u64,
}

/// A floor and walls around a box; `position` is the middle of its floor.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Container {
    /// Inner sizes [m]: width and height in the plane; along x, y, z in space.
    #[schemars(length(min = 2, max = 3), extend("items" = { "type": "number", "exclusiveMinimum": 0 }))]
    pub size: Vec<f64>,
    /// Thickness of the walls [m]; by default a tenth of the smallest size.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub thickness: Option<f64>,
    /// Whether it has a lid.
    #[serde(default)]
    pub closed: bool,
}

/// A container with inclined walls and an outlet; `position` is the middle of the outlet.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hopper {
    /// Width of the outlet [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub outlet: f64,
    /// Inner width of the upper part [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub width: f64,
    /// Height of the vertical walls above the inclined ones [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub height: f64,
    /// Angle of the inclined walls with the horizontal [rad].
    #[schemars(extend("exclusiveMinimum" = 0), range(max = 1.5))]
    pub slope: f64,
    /// Inner depth along y in space [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub depth: Option<f64>,
    /// Thickness of the walls [m]; by default a twentieth of the width.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub thickness: Option<f64>,
}

/// A drum turning about its axis (along y in space); `position` is the middle of its axis.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Drum {
    /// Inner radius, of the circle inside the polygon of the drum [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius: f64,
    /// Length of the drum in space [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub length: Option<f64>,
    /// Angular velocity [rad/s], counter-clockwise.
    pub speed: f64,
    /// Number of flat staves.
    #[serde(default = "staves")]
    #[schemars(range(min = 8, max = 10_000))]
    pub staves: u32,
    /// Number of blades.
    #[serde(default)]
    #[schemars(range(min = 0, max = 100))]
    pub blades: u32,
}

fn staves() -> u32 {
    64
}
