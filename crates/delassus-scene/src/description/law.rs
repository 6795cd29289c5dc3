//! Materials, and laws between them.

use super::Behaviour;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A material.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Material {
    /// Its name, when materials are written as an array.
    pub name: Option<String>,
    /// Mass per volume [kg/m³]; of rigid bodies in the plane per area [kg/m²]. 1000 by default.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub density: f64,
    /// How deformable solids resist; elastic by default.
    pub behaviour: Option<Behaviour>,
    /// Young's modulus of deformable solids [Pa].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub young: Option<f64>,
    /// Poisson's ratio of deformable solids, between −1 and 0.5; 0 by default.
    #[schemars(extend("exclusiveMinimum" = -1, "exclusiveMaximum" = 0.5))]
    pub poisson: Option<f64>,
    /// Stress of first yield in tension, of plastic solids [Pa].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub yield_stress: Option<f64>,
    /// Slope of the yield stress against plastic strain, of plastic solids [Pa]; 0 by default.
    #[schemars(range(min = 0))]
    pub hardening: Option<f64>,
    /// Slope of the stress against the total strain in tension after yield, instead of `hardening` [Pa].
    #[schemars(range(min = 0))]
    pub tangent: Option<f64>,
    /// Plastic strains and yield stresses [Pa], joined by lines, instead of `hardening`.
    #[schemars(length(min = 1), inner(length(min = 2, max = 2)))]
    pub hardening_table: Option<Vec<Vec<f64>>>,
    /// Slope of the back stress against plastic strain, of plastic solids [Pa]; 0 by default.
    #[schemars(range(min = 0))]
    pub kinematic_hardening: Option<f64>,
    /// Colour for pictures, as `"#rrggbb"`.
    pub colour: Option<String>,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            name: None,
            density: 1000.0,
            behaviour: None,
            young: None,
            poisson: None,
            yield_stress: None,
            hardening: None,
            tangent: None,
            hardening_table: None,
            kinematic_hardening: None,
            colour: None,
        }
    }
}

/// What happens where two materials touch.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Law {
    /// Name, for overrides.
    pub name: Option<String>,
    /// The two materials; without it, the law of every pair that has none of its own.
    #[schemars(length(min = 2, max = 2))]
    pub between: Option<Vec<String>>,
    /// Coulomb's coefficient μ; the kinetic one when `static_friction` is given.
    #[schemars(range(min = 0))]
    pub friction: f64,
    /// Coefficient at rest; used where the sliding velocity before the step is below `rest_speed`.
    #[schemars(range(min = 0))]
    pub static_friction: Option<f64>,
    /// Largest sliding speed that counts as rest [m/s], for `static_friction`; 1e-6 by default.
    #[schemars(range(min = 0))]
    pub rest_speed: Option<f64>,
    /// Normal restitution ρ, between 0 and 1.
    #[schemars(range(min = 0, max = 1))]
    pub restitution: f64,
    /// Tangential restitution τ, between 0 and 1.
    #[schemars(range(min = 0, max = 1))]
    pub tangential_restitution: f64,
    /// Rolling resistance [m]: rolling moment at most this times the normal force; may stand beside `torsional`
    /// and `static_friction`.
    #[schemars(range(min = 0))]
    pub rolling: f64,
    /// Resistance to pivoting [m]: torsional moment at most this times the normal force; may stand beside
    /// `rolling` and `static_friction`.
    #[schemars(range(min = 0))]
    pub torsional: f64,
    /// Tresca's law: tangential force at most this [N at each contact; Pa in the law of a `contact` between
    /// surfaces of solids], whatever the normal force.
    #[schemars(range(min = 0))]
    pub tresca: Option<f64>,
    /// Cohesion: traction a closed contact bears [N at each contact; Pa in the law of a `contact`].
    #[schemars(range(min = 0))]
    pub cohesion: f64,
    /// Adhesion with damage.
    pub adhesion: Option<Adhesion>,
    /// A layer of asperities, crushed before the surfaces touch: a force at each contact of bodies, a pressure in the
    /// law of a `contact`.
    pub asperities: Option<Asperities>,
    /// Friction that depends on the direction: an elliptic cone (space).
    pub anisotropic: Option<Anisotropic>,
    /// A cone over any convex polygon (space).
    pub polygon: Option<Polygon>,
    /// Other coefficients one way than the other (plane).
    pub directional: Option<Directional>,
    /// Contacts that never open nor slide.
    pub bilateral: bool,
}

/// Adhesion with damage, after Raous, Cangemi and Cocu.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Adhesion {
    /// Normal stiffness of the bond [N/m at each contact; Pa/m in the law of a `contact`, and so below by area].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub normal_stiffness: f64,
    /// Tangential stiffness of the bond [N/m, Pa/m].
    #[schemars(range(min = 0))]
    pub tangential_stiffness: f64,
    /// Energy of decohesion [J, J/m²]: the work of pulling off slowly, with a largest traction of √(energy ·
    /// normal_stiffness).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub energy: f64,
    /// Viscosity of the damage [J·s, J·s/m²].
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub viscosity: f64,
    /// Intensity of adhesion at the start, between 0 and 1.
    #[schemars(range(min = 0, max = 1))]
    #[serde(default = "one")]
    pub intensity: f64,
    /// Whether contacts made after the start are bonded too.
    #[serde(default)]
    pub rebond: bool,
}

/// A layer of asperities of size a, by the multi-level interface of Zammali: the normal force is
/// `stiffness (a − gap)^exponent + damping (a − gap)^damping_exponent (−speed of opening)` while 0 ≤ gap < a, and that of
/// the substrate beside it where the gap is closed.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Asperities {
    /// The gap a at which asperities touch [m]; 0: none.
    #[schemars(range(min = 0))]
    pub size: f64,
    /// Force of a crush of 1 m to the power of `exponent` [N at each contact of bodies; Pa in the law of a `contact`].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stiffness: f64,
    /// Power of the crush in the force, 1 or more; 1 by default.
    #[schemars(range(min = 1))]
    #[serde(default = "one")]
    pub exponent: f64,
    /// Force of a crush of 1 m to the power of `damping_exponent`, at 1 m/s [N, Pa]; 0 by default.
    #[schemars(range(min = 0))]
    #[serde(default)]
    pub damping: f64,
    /// Power of the crush in the damping; 1 by default.
    #[schemars(range(min = 0))]
    #[serde(default = "one")]
    pub damping_exponent: f64,
    /// How crushed asperities let go: along the curve of loading (by default), or not at all.
    #[serde(default)]
    pub release: Release,
}

/// How crushed asperities let go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Release {
    /// Along the curve of loading.
    #[default]
    Elastic,
    /// They stay crushed: the surfaces part at the largest crush.
    Plastic,
}

fn one() -> f64 {
    1.0
}

/// Elliptic friction, with axes fixed in the matter of a body (space).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Anisotropic {
    /// Direction of `along`, in the axes of a body; of space in the law of a `contact`.
    #[schemars(length(min = 3, max = 3))]
    pub axis: Vec<f64>,
    /// Coefficient along the axis.
    #[schemars(range(min = 0))]
    pub along: f64,
    /// Coefficient across the axis.
    #[schemars(range(min = 0))]
    pub across: f64,
    /// Coefficient along the axis at rest; as in motion by default.
    #[schemars(range(min = 0))]
    pub static_along: Option<f64>,
    /// Coefficient across the axis at rest; as in motion by default.
    #[schemars(range(min = 0))]
    pub static_across: Option<f64>,
    /// The body whose axes are meant: of the first (by default) or the second material of `between`.
    #[serde(default)]
    pub frame: FrameOf,
}

/// Friction over a convex polygon, with axes fixed in the matter of a body (space).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Polygon {
    /// First axis of the polygon, in the axes of a body; its projection on the plane of contact counts. Of space in
    /// the law of a `contact`.
    #[schemars(length(min = 3, max = 3))]
    pub axis: Vec<f64>,
    /// Corners of the friction forces that this body (of a `contact`: the master) may exert on the other, for a
    /// normal force of 1: along the axis, and along normal × axis with the normal out of this body. They contain
    /// [0, 0].
    #[schemars(length(min = 3), inner(length(min = 2, max = 2)))]
    pub vertices: Vec<Vec<f64>>,
    /// The corners at rest; as in motion by default.
    #[schemars(length(min = 3), inner(length(min = 2, max = 2)))]
    pub static_vertices: Option<Vec<Vec<f64>>>,
    /// The body whose axes are meant: of the first (by default) or the second material of `between`.
    #[serde(default)]
    pub frame: FrameOf,
}

/// Friction with other coefficients one way than the other (plane).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Directional {
    /// Which way is forwards, in the axes of a body; its projection on the line of contact counts. Of space in the
    /// law of a `contact`.
    #[schemars(length(min = 2, max = 2))]
    pub axis: Vec<f64>,
    /// Coefficient where the other body (of a `contact`: the slave) slides along the axis.
    #[schemars(range(min = 0))]
    pub forwards: f64,
    /// Coefficient where it slides against the axis.
    #[schemars(range(min = 0))]
    pub backwards: f64,
    /// The first at rest; as in motion by default.
    #[schemars(range(min = 0))]
    pub static_forwards: Option<f64>,
    /// The second at rest; as in motion by default.
    #[schemars(range(min = 0))]
    pub static_backwards: Option<f64>,
    /// The body whose axes are meant: of the first (by default) or the second material of `between`.
    #[serde(default)]
    pub frame: FrameOf,
}

/// The body whose axes are meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FrameOf {
    /// Of the first material.
    #[default]
    First,
    /// Of the second material.
    Second,
}
