//! Why a model is refused.

use crate::contact::ContactError;
use crate::mesh::MeshError;
use crate::solid::SolidError;

/// Errors of a model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// No part.
    #[error("the model has no deformable part")]
    Empty,
    /// A mesh refused something.
    #[error("part '{part}': {reason}")]
    Mesh {
        /// The part.
        part: String,
        /// Why.
        reason: MeshError,
    },
    /// Elements or material refused something.
    #[error("part '{part}': {reason}")]
    Solid {
        /// The part.
        part: String,
        /// Why.
        reason: SolidError,
    },
    /// A beam was refused.
    #[error("beam '{name}': {reason}")]
    Beam {
        /// The beam.
        name: String,
        /// Why.
        reason: crate::element::beam::BeamError,
    },
    /// A contact surface was refused.
    #[error("contact of '{part}': {reason}")]
    Contact {
        /// The part or the pair.
        part: String,
        /// Why.
        reason: ContactError,
    },
    /// A law that makes no sense.
    #[error("law of contact '{name}': {reason}")]
    Law {
        /// The pair.
        name: String,
        /// Why.
        reason: delassus_dynamics::InteractionError,
    },
    /// A law of a contact that is not there.
    #[error("a law is given for contact '{name}', and there is none of that name")]
    NoContact {
        /// The name.
        name: String,
    },
    /// An obstacle of another dimension.
    #[error("the obstacle of contact '{name}' does not have the dimension of the model, {dim}")]
    Obstacle {
        /// The pair.
        name: String,
        /// Of the model.
        dim: usize,
    },
    /// Dimensions that do not go together.
    #[error("part '{part}' is a mesh of dimension {found}, the model has dimension {expected}")]
    Dimension {
        /// The part.
        part: String,
        /// Of the model.
        expected: usize,
        /// Of the mesh.
        found: usize,
    },
    /// A degree of freedom that does not exist.
    #[error("a {what} acts on degree of freedom {dof} of {dofs}")]
    Dof {
        /// What acts.
        what: &'static str,
        /// Where.
        dof: u32,
        /// How many there are.
        dofs: u32,
    },
    /// A function of time that is not one.
    #[error("a {what} needs finite numbers")]
    Function {
        /// Whose.
        what: &'static str,
    },
    /// A number out of its range.
    #[error("{what} of '{name}': {value}, expected {expected}")]
    Value {
        /// Which quantity.
        what: &'static str,
        /// Of what.
        name: String,
        /// The number.
        value: f64,
        /// What is accepted.
        expected: &'static str,
    },
}
