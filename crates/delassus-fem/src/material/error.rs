//! Why a material was refused

use super::Kinematics;

/// A parameter or a combination that makes no sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MaterialError {
    /// A modulus that is not positive and finite.
    #[error("{name} = {value}: a positive finite number is needed")]
    NotPositive {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// A modulus that is negative or not finite.
    #[error("{name} = {value}: zero or a positive finite number is needed")]
    Negative {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// Poisson's ratio.
    #[error(
        "poisson = {value}: between -1 and 0.5, both excluded (0.4999 with a locking remedy for the incompressible)"
    )]
    Poisson {
        /// Its value.
        value: f64,
    },
    /// A point of a hardening table.
    #[error(
        "isotropic table, point {index}: ({alpha}, {stress}); plastic strains must grow from 0 and stresses not \
         decrease from the yield stress {yield_stress}"
    )]
    Table {
        /// Rank in the table.
        index: usize,
        /// Plastic strain.
        alpha: f64,
        /// Yield stress \[Pa\].
        stress: f64,
        /// First yield \[Pa\].
        yield_stress: f64,
    },
    /// A tangent modulus above Young's.
    #[error("tangent = {tangent}: a uniaxial slope between 0 and young = {young} (excluded) is needed")]
    Tangent {
        /// Slope of the uniaxial curve \[Pa\].
        tangent: f64,
        /// Young's modulus \[Pa\].
        young: f64,
    },
    /// A material of the other kinematics.
    #[error("{material} with {kinematics:?} strain: take {advice}")]
    Kinematics {
        /// The material.
        material: &'static str,
        /// What was asked.
        kinematics: Kinematics,
        /// What to take.
        advice: &'static str,
    },
}

pub(crate) fn positive(name: &'static str, value: f64) -> Result<(), MaterialError> {
    if value > 0.0 && value.is_finite() { Ok(()) } else { Err(MaterialError::NotPositive { name, value }) }
}

pub(crate) fn non_negative(name: &'static str, value: f64) -> Result<(), MaterialError> {
    if value >= 0.0 && value.is_finite() { Ok(()) } else { Err(MaterialError::Negative { name, value }) }
}
