//! Why a solid was refused, or could not go on

use crate::material::MaterialError;
use crate::mesh::CellKind;

/// A solid that makes no sense, or a motion that it cannot follow.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SolidError {
    /// The material.
    #[error("material: {0}")]
    Material(#[from] MaterialError),
    /// A parameter that is not positive and finite.
    #[error("{name} = {value}: a positive finite number is needed")]
    NotPositive {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// A viscous time that is negative or not finite.
    #[error("kelvin_voigt = {value}: zero or a positive finite time is needed")]
    Viscosity {
        /// Its value \[s\].
        value: f64,
    },
    /// A locking remedy that does not go with the rest.
    #[error("locking remedy {locking}: {reason}")]
    Locking {
        /// The remedy.
        locking: &'static str,
        /// What to do.
        reason: &'static str,
    },
    /// A hypothesis for another dimension.
    #[error("{hypothesis} needs a mesh of dimension {expected}, this one has {dim}")]
    Dimension {
        /// The hypothesis.
        hypothesis: &'static str,
        /// Its dimension.
        expected: usize,
        /// The mesh's.
        dim: usize,
    },
    /// A share that leaves nothing.
    #[error("cell {cell}: a factor of {value}, expected a positive number")]
    Factor {
        /// The cell.
        cell: usize,
        /// What was given.
        value: f64,
    },
    /// A cell that is not there.
    #[error("cell {cell}: block {block}, rank {index} does not exist in the mesh")]
    MissingCell {
        /// Rank in the list of cells.
        cell: usize,
        /// Block asked.
        block: u32,
        /// Rank asked in the block.
        index: u32,
    },
    /// A node that is not there.
    #[error("cell {cell}: node {node} does not exist, the mesh has {count}")]
    MissingNode {
        /// Rank in the list of cells.
        cell: usize,
        /// The node.
        node: u32,
        /// Number of nodes.
        count: usize,
    },
    /// A cell that carries no volume here.
    #[error("cell {cell} is a {kind:?}: a solid of dimension {dim} is made of {accepted}")]
    Kind {
        /// Rank in the list of cells.
        cell: usize,
        /// Its kind.
        kind: CellKind,
        /// Dimension of the solid.
        dim: usize,
        /// What is accepted.
        accepted: &'static str,
    },
    /// A cell whose reference shape is inverted or flat.
    #[error("cell {cell} ({kind:?}, nodes {nodes:?}) is inverted or flat: Jacobian {jacobian:e}")]
    Inverted {
        /// Rank in the list of cells.
        cell: usize,
        /// Its kind.
        kind: CellKind,
        /// Its nodes.
        nodes: Vec<u32>,
        /// The Jacobian.
        jacobian: f64,
    },
    /// A revolution solid across its axis.
    #[error("cell {cell}: radius {radius:e} at a quadrature point; x is the radius and must not be negative")]
    Radius {
        /// Rank in the list of cells.
        cell: usize,
        /// The radius \[m\].
        radius: f64,
    },
    /// A vector of the wrong length.
    #[error("{name} has length {len}, {expected} is needed")]
    Length {
        /// The vector.
        name: &'static str,
        /// Its length.
        len: usize,
        /// What is needed.
        expected: usize,
    },
    /// A range of cells beyond the last.
    #[error("cells {start}..{end}: there are {count}")]
    Range {
        /// First.
        start: usize,
        /// End.
        end: usize,
        /// Number of cells.
        count: usize,
    },
    /// The motion turns a cell inside out.
    #[error("cell {cell} is turned inside out by the motion: det F = {jacobian:e}; a smaller step is needed")]
    NegativeJacobian {
        /// Rank in the list of cells.
        cell: usize,
        /// `det F`.
        jacobian: f64,
    },
    /// A strain beyond the material's domain.
    #[error("cell {cell}: the strain is outside the material's domain (or not a number)")]
    Strain {
        /// Rank in the list of cells.
        cell: usize,
    },
    /// The thickness of plane stress was not found.
    #[error("cell {cell}: no thickness cancels the stress across the plane; a smaller step is needed")]
    Thickness {
        /// Rank in the list of cells.
        cell: usize,
    },
    /// A force that is not a number.
    #[error("cell {cell}: force or energy is not finite; displacements or velocities are not, or too large")]
    NonFinite {
        /// Rank in the list of cells.
        cell: usize,
    },
    /// A facet that is on no cell.
    #[error("facet {facet} (nodes {nodes:?}) is not a face of a cell of the solid")]
    Facet {
        /// Rank in the list of facets.
        facet: usize,
        /// Its nodes.
        nodes: Vec<u32>,
    },
}

/// What went wrong in a cell, before its name is known.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    Jacobian(f64),
    Strain,
    Thickness,
    NonFinite,
}

impl Fault {
    pub fn at(self, cell: usize) -> SolidError {
        match self {
            Self::Jacobian(jacobian) => SolidError::NegativeJacobian { cell, jacobian },
            Self::Strain => SolidError::Strain { cell },
            Self::Thickness => SolidError::Thickness { cell },
            Self::NonFinite => SolidError::NonFinite { cell },
        }
    }
}
