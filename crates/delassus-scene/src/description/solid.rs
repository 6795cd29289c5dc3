//! Deformable solids, what holds them, where they meet.

use super::{Asperities, AxisAngle, Formula, Law, OneOrMany, OwnScheme, Spin, Start};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A deformable solid: a mesh, a material, where it is.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Solid {
    /// Its name, when solids are written as an array.
    pub name: Option<String>,
    /// Its mesh; not needed when the scene has one.
    pub mesh: Option<String>,
    /// Its material; not needed when the scene has one.
    pub material: Option<String>,
    /// Size of strains; by default small for elastic and plastic materials, finite for the others.
    pub kinematics: Option<Strains>,
    /// Meaning of a mesh of the plane; plane strain by default.
    pub hypothesis: Option<Hypothesis>,
    /// Thickness of a mesh of the plane [m].
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub thickness: f64,
    /// Remedy against locking; by default none for elastic materials, mean dilatation for plastic ones.
    pub locking: Option<Locking>,
    /// Place of the mesh's origin [m].
    #[schemars(length(min = 2, max = 3))]
    pub position: Option<Vec<f64>>,
    /// Angle by which the mesh is turned about its origin (plane) [rad].
    pub angle: Option<f64>,
    /// Rotations of the mesh about its origin, one after the other (space).
    #[serde(default)]
    pub rotation: OneOrMany<AxisAngle>,
    /// Mirror the mesh before anything else, in the plane through its origin across this axis.
    pub mirror: Option<Axis>,
    /// Velocity at the start [m/s].
    #[schemars(length(min = 2, max = 3))]
    pub velocity: Option<Vec<f64>>,
    /// Angular velocity about its centre of mass at the start [rad/s]: a number in the plane, three in space.
    pub spin: Option<Spin>,
    /// How it starts, place by place: displacement and velocity.
    pub start: Option<Start>,
    /// Its own time scheme, where it is glued to others of another.
    pub scheme: Option<OwnScheme>,
    /// How many steps of the others make one of its own, where it is glued to them; elastic solids in small strain.
    #[schemars(range(min = 2, max = 10_000))]
    pub every: Option<u32>,
    /// Rayleigh damping: of the mass [1/s], of the stiffness at the start [s].
    #[schemars(length(min = 2, max = 2), extend("items" = { "type": "number", "minimum": 0 }))]
    pub rayleigh: Option<Vec<f64>>,
    /// Kelvin and Voigt's viscosity: time by which the stress of the strain rate is multiplied [s].
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub viscosity: f64,
    /// Whether its skin may touch itself where it folds, by the law of its material.
    #[serde(default)]
    pub self_contact: bool,
}

/// Size of strains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Strains {
    /// The geometry is that of the start.
    Small,
    /// Total Lagrangian, any displacement.
    Finite,
}

/// Meaning of a mesh of the plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Hypothesis {
    /// No strain across the plane.
    PlaneStrain,
    /// No stress across the plane.
    PlaneStress,
    /// A body of revolution: x is the radius, y the axis.
    Axisymmetric,
}

/// Remedy against locking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Locking {
    /// Full integration.
    None,
    /// Mean dilatation, small strain.
    BBar,
    /// Mean dilatation, finite strain.
    FBar,
}

/// An axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// The first.
    X,
    /// The second.
    Y,
    /// The third.
    Z,
}

/// How a material resists deformation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Behaviour {
    /// Linear isotropic elasticity, small strain.
    Elastic,
    /// The same law between Green's strain and the second Piola–Kirchhoff stress.
    StVenantKirchhoff,
    /// Compressible neo-Hookean elasticity.
    NeoHookean,
    /// Von Mises plasticity; multiplicative in finite strain.
    Plastic,
}

/// Imposed displacements and rotations of the nodes of some groups; those that are not given stay free.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Support {
    /// Its name, when supports are written as an array.
    pub name: Option<String>,
    /// Groups, as "solid/group" or "beam/end"; one or several.
    pub on: Places,
    /// Displacement along x [m], a number or an expression of t.
    pub x: Option<Formula>,
    /// Displacement along y [m], a number or an expression of t.
    pub y: Option<Formula>,
    /// Displacement along z [m], a number or an expression of t.
    pub z: Option<Formula>,
    /// Rotation of nodes of beams [rad], a number or an expression of t; in space about each of the axes.
    pub rotation: Option<Formula>,
    /// Rotation of nodes of beams about x (space) [rad].
    pub rotation_x: Option<Formula>,
    /// Rotation of nodes of beams about y (space) [rad].
    pub rotation_y: Option<Formula>,
    /// Rotation of nodes of beams about z (space) [rad].
    pub rotation_z: Option<Formula>,
}

/// Groups of solids and beams, as "solid/group".
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Places {
    /// One.
    One(String),
    /// Several.
    Many(Vec<String>),
}

impl Places {
    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        match self {
            Self::One(one) => std::slice::from_ref(one).iter().map(String::as_str),
            Self::Many(many) => many.iter().map(String::as_str),
        }
    }
}

/// Facets of solids through which waves leave, with a graded layer before them where `layer` is given; an end of a
/// beam.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Absorbing {
    /// Its name, when several are written as an array.
    pub name: Option<String>,
    /// Groups of facets, as "solid/group", or ends of beams, as "beam/end".
    pub on: Places,
    /// Whether dashpots ρ c_p along the normal and ρ c_s across it stand on the facets; yes by default.
    #[serde(default = "yes")]
    pub dashpots: bool,
    /// Depth of a layer before the facets whose damping rises towards them [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub layer: Option<f64>,
    /// Frequency at which the layer has the impedance of the solid [Hz]; needed with `layer`.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub frequency: Option<f64>,
    /// What the layer leaves of the amplitude of a wave that crosses it twice; 1e-3 by default.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub reflection: Option<f64>,
    /// Power with which the damping rises; 2 by default.
    #[schemars(range(min = 0, max = 10))]
    pub power: Option<f64>,
}

/// A mass shared by the nodes of a group.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PointMass {
    /// Its name, when masses are written as an array.
    pub name: Option<String>,
    /// The group, as "solid/group" or "beam/end".
    pub on: String,
    /// The mass [kg].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub mass: f64,
}

/// Where two surfaces, or a surface and an obstacle, may meet.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContactPair {
    /// Its name, when contacts are written as an array.
    pub name: Option<String>,
    /// The surface that carries the multipliers, as "solid/group", or nodes of a beam, as "beam/all", that meet an
    /// obstacle.
    pub slave: String,
    /// A mesh of its own for the multipliers, as "mesh/group" of a [mesh.NAME] in the axes of the slave's mesh; by
    /// default the facets of the slave.
    pub interface: Option<String>,
    /// The surface it meets, as "solid/group"; the same one for self-contact.
    pub master: Option<String>,
    /// The rigid obstacle it meets, instead of `master`.
    pub obstacle: Option<Obstacle>,
    /// Displacement of the obstacle [m]: one expression of t per axis.
    #[schemars(length(min = 2, max = 3))]
    pub motion: Option<Vec<Formula>>,
    /// Coulomb's coefficient μ; other laws stand in `law`.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub friction: f64,
    /// The law, instead of `friction`: the keys of [law], with stresses [Pa] for forces [N] and directions of space
    /// for those of a body; without `between`, restitution and resistance to rolling and pivoting.
    pub law: Option<Law>,
    /// A layer of asperities beside `friction` or `law`, by area.
    pub asperities: Option<Asperities>,
    /// Where the laws are written and integrated; Gauss points by default.
    pub collocation: Option<Collocation>,
    /// Gauss points along an edge, 2 by default.
    #[schemars(range(min = 1, max = 4))]
    pub gauss_points: Option<u32>,
    /// Space of the multipliers; p1 by default.
    pub multipliers: Option<Multipliers>,
    /// How the opposite place is found; by proximity by default.
    pub pairing: Option<Pairing>,
    /// Direction of search from slave to master, for `pairing = "direction"`.
    #[schemars(length(min = 2, max = 3))]
    pub direction: Option<Vec<f64>>,
    /// Cut slave facets where the master facet changes, so that integrals over incompatible meshes are exact.
    #[serde(default = "yes")]
    pub partition: bool,
    /// Average normals of the master at its nodes; by default where there is friction.
    pub smooth_normals: Option<bool>,
    /// Without inertia: its points count as touching until they carry a force, so that a stabilisation holds a part
    /// that nothing but this contact will hold.
    #[serde(default)]
    pub nominated: bool,
    /// How far the side that touches is from the nodes [m]; half the section of a beam by default, 0 for solids.
    #[schemars(range(min = 0))]
    pub offset: Option<f64>,
    /// Points farther apart than this are not paired [m]; by default the size of the slave's solid.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub search: Option<f64>,
}

/// A rigid obstacle.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Obstacle {
    /// All points below a plane (in the plane: a line).
    HalfSpace {
        /// A point of the plane [m]; the origin by default.
        #[schemars(length(min = 2, max = 3))]
        point: Option<Vec<f64>>,
        /// Outward normal; upwards by default.
        #[schemars(length(min = 2, max = 3))]
        normal: Option<Vec<f64>>,
    },
    /// A ball, in the plane a disc.
    Ball {
        /// Centre [m].
        #[schemars(length(min = 2, max = 3))]
        centre: Vec<f64>,
        /// Radius [m].
        #[schemars(extend("exclusiveMinimum" = 0))]
        radius: f64,
        /// Whether solids are inside of it.
        #[serde(default)]
        inside: bool,
    },
    /// A box, in the plane a rectangle.
    Box {
        /// Centre [m]; the origin by default.
        #[schemars(length(min = 2, max = 3))]
        centre: Option<Vec<f64>>,
        /// Sizes along the axes [m].
        #[schemars(length(min = 2, max = 3), extend("items" = { "type": "number", "exclusiveMinimum": 0 }))]
        size: Vec<f64>,
    },
    /// All points within a radius of a segment.
    Capsule {
        /// One end [m].
        #[schemars(length(min = 2, max = 3))]
        from: Vec<f64>,
        /// The other end [m].
        #[schemars(length(min = 2, max = 3))]
        to: Vec<f64>,
        /// Radius [m].
        #[schemars(extend("exclusiveMinimum" = 0))]
        radius: f64,
    },
}

/// Where the laws of contact are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Collocation {
    /// At the nodes of the slave surface.
    Nodes,
    /// At Gauss points.
    Gauss,
    /// At ends and middles of edges, and centres.
    Simpson,
}

/// Space of the multipliers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Multipliers {
    /// Continuous and linear.
    P1,
    /// One constant per facet.
    P0,
}

/// How the opposite place is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pairing {
    /// The closest place.
    Proximity,
    /// The place met along `direction`.
    Direction,
    /// The place met along the relative velocity.
    Velocity,
}

fn one() -> f64 {
    1.0
}

fn yes() -> bool {
    true
}
