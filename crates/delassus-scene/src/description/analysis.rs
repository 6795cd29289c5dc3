//! How the motion of deformable solids is computed: scheme, formalism of contact, loops.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Scheme × formalism, and how each step is solved.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Analysis {
    /// The time scheme.
    pub scheme: SchemeName,
    /// θ of the schemes theta and semi_explicit, 1 by default; of moreau_jean, 0.5 by default.
    #[schemars(range(min = 0))]
    pub theta: Option<f64>,
    /// β of newmark; 0.25 by default.
    #[schemars(range(min = 0))]
    pub beta: Option<f64>,
    /// γ of newmark; 0.5 by default.
    #[schemars(range(min = 0))]
    pub gamma: Option<f64>,
    /// α of hht, between −1/3 and 0; −0.1 by default.
    pub alpha: Option<f64>,
    /// Share of the stability limit that an automatic step of an explicit scheme takes; 0.9 by default.
    #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
    pub safety: Option<f64>,
    /// The formalism of contact.
    pub formalism: FormalismName,
    /// κ_n of stabilised, augmented and penalty [Pa/m, with velocity schemes Pa·s/m].
    #[schemars(range(min = 0))]
    pub normal: Option<f64>,
    /// κ_τ of stabilised and augmented [s/m]; of penalty [Pa·s/m]; 0 by default.
    #[schemars(range(min = 0))]
    pub tangential: Option<f64>,
    /// ε of perturbed [m/Pa].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub compliance: Option<f64>,
    /// ρ_n: weight of the gap in the test of contact; from the stiffness by default.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub rho_n: Option<f64>,
    /// ρ_τ: weight of the slip in the test of sliding [s/m]; from the stiffness by default.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub rho_t: Option<f64>,
    /// Project the gap of the stabilisation on the space of the multipliers (3.93), as it is by default; false: it
    /// acts at each collocation point, and disturbs the solution where multipliers cannot follow the gap.
    pub projected: Option<bool>,
    /// How contacts are solved; by default by the nested loops, which leave what they do not settle to the
    /// condensed problem.
    pub path: Option<PathName>,
    /// Which gap says that a point may touch, in velocity schemes.
    pub predicted: PredictedName,
    /// How linear systems without multipliers are solved: free steps and the condensed path.
    pub linear: LinearName,
    /// Relative residual of the balance and of the contact laws; 1e-9 by default.
    #[schemars(range(max = 0.1), extend("exclusiveMinimum" = 0))]
    pub tolerance: Option<f64>,
    /// Most pairings in a step.
    #[schemars(range(min = 1, max = 10_000))]
    pub pairings: Option<u32>,
    /// Most friction thresholds for a pairing.
    #[schemars(range(min = 1, max = 10_000))]
    pub thresholds: Option<u32>,
    /// Most sets of statuses for a threshold.
    #[schemars(range(min = 1, max = 10_000))]
    pub statuses: Option<u32>,
    /// Most Newton iterations for a set of statuses.
    #[schemars(range(min = 1, max = 10_000))]
    pub newton: Option<u32>,
    /// How many times a step that does not converge is halved; 5 by default.
    #[schemars(range(max = 16))]
    pub cutbacks: Option<u32>,
}

/// The time scheme of one solid or beam.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OwnScheme {
    /// Its name: newmark, hht, theta, semi_explicit or central_differences.
    pub name: SchemeName,
    /// As in [analysis].
    #[schemars(range(min = 0))]
    pub theta: Option<f64>,
    /// As in [analysis].
    #[schemars(range(min = 0))]
    pub beta: Option<f64>,
    /// As in [analysis].
    #[schemars(range(min = 0))]
    pub gamma: Option<f64>,
    /// As in [analysis].
    pub alpha: Option<f64>,
}

impl OwnScheme {
    /// The same as [analysis] would say it.
    pub fn analysis(&self) -> Analysis {
        let Self { name, theta, beta, gamma, alpha } = *self;
        Analysis { scheme: name, theta, beta, gamma, alpha, ..Analysis::default() }
    }
}

/// Time schemes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SchemeName {
    /// Velocity scheme, forces at the end of the step; contact laws on velocities. It damps whatever θ.
    #[default]
    Theta,
    /// θ-method of Moreau and Jean: forces at the point θ of the step, contact laws on velocities; θ = 0.5 keeps
    /// the energy of linear solids.
    MoreauJean,
    /// The mean point with stresses that keep energy and angular momentum of hyperelastic solids to round-off, in
    /// finite rotations too; contact laws on velocities.
    EnergyMomentum,
    /// Velocity scheme, internal forces at the beginning of the step; θ ≥ 1.
    SemiExplicit,
    /// Newmark's scheme; contact laws on gaps.
    Newmark,
    /// Hilber, Hughes and Taylor's scheme; contact laws on gaps.
    Hht,
    /// Explicit, lumped mass; contact by penalty, or implicit by multipliers.
    CentralDifferences,
    /// Without inertia.
    QuasiStatic,
}

/// Formalisms of contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FormalismName {
    /// Multipliers alone.
    #[default]
    Lagrange,
    /// Multipliers with stabilisation.
    Stabilised,
    /// The augmented Lagrangian: all parameters equal.
    Augmented,
    /// Multipliers with a small compliance.
    Perturbed,
    /// No multipliers.
    Penalty,
}

/// How linear systems are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LinearName {
    /// By a factorisation.
    #[default]
    Direct,
    /// By preconditioned conjugate gradients: less memory on large meshes.
    Iterative,
}

/// How contacts are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PathName {
    /// Nested loops: pairing, threshold, statuses, Newton.
    Nested,
    /// The contact problem of the multipliers alone, by the solvers of rigid bodies.
    Condensed,
}

/// Which gap says that a point may touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PredictedName {
    /// That of the step without contact.
    #[default]
    Free,
    /// That of the middle of the step at the velocity of its beginning.
    Midpoint,
}
