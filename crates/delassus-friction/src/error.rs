//! What makes a question meaningless. Non-convergence is a status, not an error.

use crate::laws::LawError;

/// Why a problem or a setting was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// A vector or a list of laws has the wrong length.
    #[error("{what} has {found} entries, expected {expected} (one per contact)")]
    Size {
        /// The offending item.
        what: &'static str,
        /// Length expected.
        expected: usize,
        /// Length found.
        found: usize,
    },
    /// A vector holds NaN or infinity.
    #[error("{what} is not finite at contact {contact}, component {component}")]
    NonFinite {
        /// The offending item.
        what: &'static str,
        /// Contact index, from 0.
        contact: usize,
        /// Component of the contact space, normal first.
        component: usize,
    },
    /// A block of W holds NaN or infinity.
    #[error("W is not finite in the block of contacts ({row}, {column})")]
    NonFiniteBlock {
        /// Block row.
        row: usize,
        /// Block column.
        column: usize,
    },
    /// A matrix of the global form has an entry that is not finite.
    #[error("{what} is not finite at row {row}, column {column}")]
    NonFiniteEntry {
        /// The matrix.
        what: &'static str,
        /// Row.
        row: usize,
        /// Column.
        column: usize,
    },
    /// Two sizes of a global or matrix-free problem disagree.
    #[error("{what}: found {found}, expected {expected}")]
    Shape {
        /// What disagrees.
        what: &'static str,
        /// Size expected.
        expected: usize,
        /// Size found.
        found: usize,
    },
    /// The law of one contact is refused.
    #[error("contact {contact}: {source}")]
    Law {
        /// Contact index, from 0.
        contact: usize,
        /// Why.
        source: LawError,
    },
    /// The inertia matrix cannot be factorised.
    #[error(
        "the matrix A of the global form is singular or not finite (pivot of dof {dof}): expected a regular inertia matrix"
    )]
    SingularInertia {
        /// Degree of freedom, from 0.
        dof: usize,
    },
    /// The root given for `W` does not reproduce it.
    #[error("the root of W given by bodies does not reproduce its diagonal block at contact {contact}")]
    Root {
        /// Contact index, from 0.
        contact: usize,
    },
    /// A setting is out of its range.
    #[error("setting {name} = {value}: expected {expected}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Value given.
        value: f64,
        /// What would be accepted.
        expected: &'static str,
    },
    /// No solver has this name.
    #[error("unknown solver '{name}': expected one of {expected}{}", suggestion.map(|s| format!(" (did you mean '{s}'?)")).unwrap_or_default())]
    UnknownSolver {
        /// The name given.
        name: String,
        /// The known names.
        expected: String,
        /// The nearest known name.
        suggestion: Option<&'static str>,
    },
    /// The solver cannot treat this problem.
    #[error("{solver} cannot treat this problem: {reason}")]
    Unsupported {
        /// Name of the solver.
        solver: &'static str,
        /// Which part of the problem, and what it could treat.
        reason: &'static str,
    },
}
