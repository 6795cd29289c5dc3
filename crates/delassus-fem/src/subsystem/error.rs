//! Why deformable solids could not start or go on.

use crate::contact::ContactError;
use crate::model::ModelError;
use crate::structure::StructureError;

/// Errors of deformable solids in a step.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeformableError {
    /// The model of a solid.
    #[error("solid '{solid}': {reason}")]
    Model {
        /// The solid.
        solid: String,
        /// Why.
        reason: Box<ModelError>,
    },
    /// The dimension of a model.
    #[error("solid '{solid}' has dimension {found}, the others {expected}")]
    Dimension {
        /// The solid.
        solid: String,
        /// Of the space.
        expected: usize,
        /// Of the model.
        found: usize,
    },
    /// Forces or matrices.
    #[error("solid '{solid}' at t = {time} s: {reason}")]
    Structure {
        /// The solid.
        solid: String,
        /// When.
        time: f64,
        /// Why.
        reason: Box<StructureError>,
    },
    /// The skin of a solid.
    #[error("skin of '{solid}': {reason}")]
    Skin {
        /// The solid.
        solid: String,
        /// Why.
        reason: Box<ContactError>,
    },
    /// A setting out of its range.
    #[error("solid '{solid}': {name} = {value}, expected {expected}")]
    Setting {
        /// The solid.
        solid: String,
        /// Which one.
        name: &'static str,
        /// What was given.
        value: f64,
        /// What is accepted.
        expected: &'static str,
    },
    /// Newton's method did not close the balance.
    #[error(
        "solid '{solid}' at t = {time} s: the balance is open by {residual:.1e} after {iterations} iterations \
         (tolerance {tolerance:.0e}); take a shorter step"
    )]
    NotBalanced {
        /// The solid.
        solid: String,
        /// Start of the step.
        time: f64,
        /// Relative residual.
        residual: f64,
        /// Relative residual asked for.
        tolerance: f64,
        /// Iterations made.
        iterations: usize,
    },
    /// Two materials that may meet have no law.
    #[error("'{}' and '{}' may meet, but materials {} and {} have no law", names[0], names[1], materials[0], materials[1])]
    NoLaw {
        /// What may meet.
        names: [String; 2],
        /// Their materials.
        materials: [u16; 2],
    },
    /// A law that needs rotations.
    #[error(
        "laws of rolling and spinning need contacts of {components} components; nodes of deformable solids have {dim}: \
         take laws without rolling and spinning"
    )]
    Components {
        /// Components the laws need.
        components: usize,
        /// Dimension of space.
        dim: usize,
    },
}

impl From<DeformableError> for delassus_dynamics::Error {
    fn from(error: DeformableError) -> Self {
        Self::Subsystem(Box::new(error))
    }
}
