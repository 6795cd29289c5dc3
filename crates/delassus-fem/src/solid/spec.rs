//! What a solid is: material, kinematics, hypothesis, remedies

use super::SolidError;
use crate::material::{Kinematics, Law, Material};
use serde::{Deserialize, Serialize};

/// Which components vanish.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Hypothesis {
    /// No strain across the plane.
    PlaneStrain {
        /// Thickness \[m\].
        thickness: f64,
    },
    /// No stress across the plane.
    PlaneStress {
        /// Thickness \[m\].
        thickness: f64,
    },
    /// Revolution about y; x is the radius, integrals run over the whole turn.
    Axisymmetric,
    /// None: three dimensions.
    Space,
}

/// Remedy to volumetric locking: the dilatation of a cell is its mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Locking {
    /// No remedy.
    None,
    /// Mean dilatation, small strain \[Hughes80\].
    Bbar,
    /// Mean Jacobian, finite strain, in variational (symmetric) form \[Simo85\].
    Fbar,
}

/// The whole description.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SolidSpec {
    /// What it is made of.
    pub material: Material,
    /// Mass per reference volume \[kg/m³\].
    pub density: f64,
    /// Size of strains.
    pub kinematics: Kinematics,
    /// Dimension and what vanishes.
    pub hypothesis: Hypothesis,
    /// Remedy to locking.
    pub locking: Locking,
    /// Kelvin–Voigt's time τ \[s\]: the viscous stress is `τ` times Hooke's tensor at rest
    /// times the rate of strain.
    pub kelvin_voigt: f64,
}

impl SolidSpec {
    /// Without viscosity, and with the remedy that suits the material: none in elasticity
    /// and plane stress, the mean dilatation in plasticity.
    pub fn new(material: Material, density: f64, kinematics: Kinematics, hypothesis: Hypothesis) -> Self {
        let free = matches!(hypothesis, Hypothesis::PlaneStress { .. });
        let locking = match kinematics {
            _ if free || !material.is_plastic() => Locking::None,
            Kinematics::Small => Locking::Bbar,
            Kinematics::Finite => Locking::Fbar,
        };
        Self { material, density, kinematics, hypothesis, locking, kelvin_voigt: 0.0 }
    }

    /// The same with another remedy.
    #[must_use]
    pub fn with_locking(self, locking: Locking) -> Self {
        Self { locking, ..self }
    }

    /// Whether forces are linear in the displacements.
    pub fn is_linear(&self) -> bool {
        matches!(self.material, Material::Elastic { .. }) && matches!(self.kinematics, Kinematics::Small)
    }

    /// Checks all parameters.
    ///
    /// # Errors
    /// Names what is wrong and what would be accepted.
    pub fn validate(&self) -> Result<(), SolidError> {
        self.rules().map(|_| ())
    }

    pub(crate) fn rules(&self) -> Result<Rules, SolidError> {
        let law = self.material.law(self.kinematics)?;
        positive("density", self.density)?;
        if let Hypothesis::PlaneStrain { thickness } | Hypothesis::PlaneStress { thickness } = self.hypothesis {
            positive("thickness", thickness)?;
        }
        if !(self.kelvin_voigt >= 0.0 && self.kelvin_voigt.is_finite()) {
            return Err(SolidError::Viscosity { value: self.kelvin_voigt });
        }
        let plane_stress = matches!(self.hypothesis, Hypothesis::PlaneStress { .. });
        let locking = |locking, reason| Err(SolidError::Locking { locking, reason });
        match (self.locking, self.kinematics) {
            (Locking::None, _) => {}
            (Locking::Bbar, Kinematics::Finite) => {
                return locking("Bbar", "is of small strain, take Fbar");
            }
            (Locking::Fbar, Kinematics::Small) => {
                return locking("Fbar", "is of finite strain, take Bbar");
            }
            (Locking::Bbar, _) if plane_stress => {
                return locking("Bbar", "plane stress does not lock, take None");
            }
            (Locking::Fbar, _) if plane_stress => {
                return locking("Fbar", "plane stress does not lock, take None");
            }
            _ => {}
        }
        let (gradients, strains) = if self.hypothesis.dim() == 2 { (5, 4) } else { (9, 6) };
        let law_history = law.history(gradients, strains);
        let (mut lambda, mu) = self.material.lame();
        if plane_stress {
            lambda = 2.0 * lambda * mu / (lambda + 2.0 * mu);
        }
        Ok(Rules {
            law,
            finite: self.kinematics == Kinematics::Finite,
            bar: self.locking != Locking::None,
            plane_stress,
            viscous_time: self.kelvin_voigt,
            lambda,
            mu,
            law_history,
            history: law_history + usize::from(plane_stress),
        })
    }
}

impl Hypothesis {
    /// Dimension of the mesh.
    pub fn dim(&self) -> usize {
        if matches!(self, Self::Space) { 3 } else { 2 }
    }

    /// Its name.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::PlaneStrain { .. } => "plane strain",
            Self::PlaneStress { .. } => "plane stress",
            Self::Axisymmetric => "axisymmetry",
            Self::Space => "space",
        }
    }

    /// Factor of a weight at radius `r`: thickness, or `2πr`.
    pub fn extent(&self, r: f64) -> f64 {
        match self {
            Self::PlaneStrain { thickness } | Self::PlaneStress { thickness } => *thickness,
            Self::Axisymmetric => std::f64::consts::TAU * r,
            Self::Space => 1.0,
        }
    }
}

fn positive(name: &'static str, value: f64) -> Result<(), SolidError> {
    if value > 0.0 && value.is_finite() { Ok(()) } else { Err(SolidError::NotPositive { name, value }) }
}

/// The description, ready for the kernels.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub law: Law,
    pub finite: bool,
    pub bar: bool,
    pub plane_stress: bool,
    pub viscous_time: f64,
    /// Lamé's constants at rest, reduced in plane stress.
    pub lambda: f64,
    pub mu: f64,
    /// Internal variables of the law, per point.
    pub law_history: usize,
    /// All internal variables, per point: in plane stress the stretch across is one more.
    pub history: usize,
}
