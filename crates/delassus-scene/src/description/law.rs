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
    /// Rolling resistance [m]: rolling moment at most this times the normal force.
    #[schemars(range(min = 0))]
    pub rolling: f64,
    /// Resistance to pivoting [m]: torsional moment at most this times the normal force.
    #[schemars(range(min = 0))]
    pub torsional: f64,
    /// Tresca's law: tangential force at most this [N], whatever the normal force.
    #[schemars(range(min = 0))]
    pub tresca: Option<f64>,
    /// Cohesion: tensile force a contact bears [N].
    #[schemars(range(min = 0))]
    pub cohesion: f64,
    /// Adhesion with damage.
    pub adhesion: Option<Adhesion>,
    /// Friction that depends on the direction.
    pub anisotropic: Option<Anisotropic>,
    /// Contacts that never open nor slide.
    pub bilateral: bool,
}

/// Adhesion with damage, after Raous, Cangemi and Cocu.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Adhesion {
    /// Normal stiffness of the bond per contact [N/m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub normal_stiffness: f64,
    /// Tangential stiffness of the bond per contact [N/m].
    #[schemars(range(min = 0))]
    pub tangential_stiffness: f64,
    /// Energy of decohesion per contact [J].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub energy: f64,
    /// Viscosity of the damage per contact [J·s].
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

fn one() -> f64 {
    1.0
}

/// Elliptic friction, with axes fixed in the matter of a body (space).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Anisotropic {
    /// Direction of `along`, in the axes of a body.
    #[schemars(length(min = 3, max = 3))]
    pub axis: Vec<f64>,
    /// Coefficient along the axis.
    #[schemars(range(min = 0))]
    pub along: f64,
    /// Coefficient across the axis.
    #[schemars(range(min = 0))]
    pub across: f64,
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
