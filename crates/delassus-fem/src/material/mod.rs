//! Materials: energy, stress, tangent
//!
//! A material maps a strain to its conjugate stress, with internal variables that the
//! caller keeps. The strain is ε with [`Kinematics::Small`] and Green's
//! `E = ½(FᵀF − 1)` with [`Kinematics::Finite`], where the stress is Piola–Kirchhoff's
//! second one:
//!
//! ```text
//! Elastic, StVenantKirchhoff   ψ = ½λ (tr E)² + μ E:E
//! NeoHookean                   ψ = ½μ (tr C − 3) − μ ln J + ½λ (ln J)²            C = 1 + 2E
//! J2                           ψ = ½K (tr e)² + G dev e : dev e,                   |dev(σ − X)| ≤ √(2/3) σ_y(α)
//! ```
//!
//! `λ, μ` are Lamé's constants, K and G the bulk and shear moduli. Every stress is the
//! derivative of an energy, that of the plastic material included: with the old internal
//! variables fixed, `ψ + plastic work` is minimal over the new ones, so that forces and
//! tangents derive from one incremental potential \[Ortiz99\].
//!
//! In finite strain J2 is multiplicative, `F = Fᵉ Fᵖ`, with the logarithmic elastic strain
//! `e = ½ ln(FᵖᵀFᵀF Fᵖ⁻¹)` of the trial state and the exponential update of `Fᵖ`
//! \[Simo92\], \[Eterovic90\].

mod error;
mod hardening;
mod j2;
mod law;
mod logarithm;
mod logarithmic;
mod spectrum;
pub(crate) mod tensor;

pub use error::MaterialError;
pub use hardening::Hardening;
pub(crate) use law::{Law, Point, hooke_tangent};
use serde::{Deserialize, Serialize};

/// What a solid is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Material {
    /// Linear isotropic elasticity, small strain.
    Elastic {
        /// Young's modulus \[Pa\].
        young: f64,
        /// Poisson's ratio.
        poisson: f64,
    },
    /// The same law between Green's strain and the second Piola–Kirchhoff stress.
    StVenantKirchhoff {
        /// Young's modulus at rest \[Pa\].
        young: f64,
        /// Poisson's ratio at rest.
        poisson: f64,
    },
    /// Compressible neo-Hookean elasticity.
    NeoHookean {
        /// Young's modulus at rest \[Pa\].
        young: f64,
        /// Poisson's ratio at rest.
        poisson: f64,
    },
    /// Elastoplasticity of von Mises.
    J2(J2),
}

/// Von Mises plasticity with isotropic and linear kinematic hardening.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct J2 {
    /// Young's modulus \[Pa\].
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
    /// First yield in uniaxial tension \[Pa\].
    pub yield_stress: f64,
    /// Growth of the yield stress.
    pub isotropic: Hardening,
    /// Prager's modulus: slope of the uniaxial back stress against plastic strain \[Pa\].
    pub kinematic: f64,
}

/// Size of strains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kinematics {
    /// Geometry is not updated: `ε = sym ∇u`.
    Small,
    /// Total Lagrangian, any displacement.
    Finite,
}

impl Material {
    /// Young's modulus and Poisson's ratio (at rest).
    pub fn elasticity(&self) -> (f64, f64) {
        match self {
            Self::Elastic { young, poisson }
            | Self::StVenantKirchhoff { young, poisson }
            | Self::NeoHookean { young, poisson } => (*young, *poisson),
            Self::J2(j2) => (j2.young, j2.poisson),
        }
    }

    /// Lamé's constants λ and μ \[Pa\] (at rest).
    pub fn lame(&self) -> (f64, f64) {
        let (young, poisson) = self.elasticity();
        (young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)), young / (2.0 * (1.0 + poisson)))
    }

    /// Whether plastic flow, hence volumetric locking, is to be expected.
    pub fn is_plastic(&self) -> bool {
        matches!(self, Self::J2(_))
    }

    /// Checks the parameters.
    ///
    /// # Errors
    /// Names the parameter, its value and what is accepted.
    pub fn validate(&self) -> Result<(), MaterialError> {
        let (young, poisson) = self.elasticity();
        error::positive("young", young)?;
        if !(poisson > -1.0 && poisson < 0.5) {
            return Err(MaterialError::Poisson { value: poisson });
        }
        if let Self::J2(j2) = self {
            error::positive("yield_stress", j2.yield_stress)?;
            error::non_negative("kinematic", j2.kinematic)?;
            j2.isotropic.validate(j2.yield_stress)?;
        }
        Ok(())
    }

    pub(crate) fn law(&self, kinematics: Kinematics) -> Result<Law, MaterialError> {
        self.validate()?;
        let (lambda, mu) = self.lame();
        let refused = |material, advice| Err(MaterialError::Kinematics { material, kinematics, advice });
        match (self, kinematics) {
            (Self::Elastic { .. }, Kinematics::Small) => Ok(Law::Hooke { lambda, mu }),
            (Self::Elastic { .. }, Kinematics::Finite) => refused("Elastic", "StVenantKirchhoff or NeoHookean"),
            (Self::StVenantKirchhoff { .. }, Kinematics::Finite) => Ok(Law::Hooke { lambda, mu }),
            (Self::NeoHookean { .. }, Kinematics::Finite) => Ok(Law::NeoHookean { lambda, mu }),
            (Self::StVenantKirchhoff { .. }, Kinematics::Small) => refused("StVenantKirchhoff", "Elastic"),
            (Self::NeoHookean { .. }, Kinematics::Small) => refused("NeoHookean", "Elastic"),
            (Self::J2(j2), Kinematics::Small) => Ok(Law::J2(j2::Flow::new(j2, lambda, mu))),
            (Self::J2(j2), Kinematics::Finite) => Ok(Law::LogarithmicJ2(j2::Flow::new(j2, lambda, mu))),
        }
    }
}
