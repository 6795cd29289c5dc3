//! Why a matrix was refused or could not be factorised

/// What went wrong in the sparse algebra.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AlgebraError {
    /// An element or a constraint names an unknown that does not exist.
    #[error("list {list} names dof {dof}, but there are {count} (0 to {})", count.saturating_sub(1))]
    DofOutOfRange {
        /// Rank of the list of dofs.
        list: usize,
        /// The dof it names.
        dof: u32,
        /// Number of dofs.
        count: usize,
    },
    /// An element names the same dof twice.
    #[error("element {element} names dof {dof} twice")]
    RepeatedDof {
        /// Rank of the element.
        element: usize,
        /// The repeated dof.
        dof: u32,
    },
    /// An entry outside the pattern.
    #[error("entry ({row}, {column}) is not in the pattern of the matrix")]
    NotInPattern {
        /// Row of the entry.
        row: u32,
        /// Column of the entry.
        column: u32,
    },
    /// More entries than 32-bit positions can name.
    #[error("{entries} entries exceed the 4294967295 that a pattern can hold")]
    TooLarge {
        /// Number of entries asked for.
        entries: usize,
    },
    /// A vector or a list of values of the wrong length.
    #[error("{what}: {found} values, expected {expected}")]
    Length {
        /// Which argument.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The accepted length.
        expected: usize,
    },
    /// A NaN or an infinity.
    #[error("{what}: value {index} is not finite")]
    NotFinite {
        /// Which argument or result.
        what: &'static str,
        /// Place of the value.
        index: usize,
    },
    /// The matrix is not positive definite: a mechanism, a body that floats, an unstable tangent.
    #[error(
        "the matrix is not positive definite at dof {dof} ({}): \
         a part that nothing holds, or an unstable tangent", what_is_left(*pivot, *diagonal)
    )]
    NotPositive {
        /// Where elimination stopped.
        dof: usize,
        /// What was left of the diagonal there (NaN where it is not known).
        pivot: f64,
        /// The diagonal of the matrix there.
        diagonal: f64,
    },
    /// With its constraints the system is still singular, by a motion that includes this dof.
    #[error("the constrained system is singular: neither stiffness nor constraints hold dof {dof}")]
    Singular {
        /// A dof of the free motion.
        dof: usize,
    },
    /// The constraint follows from others, or is empty.
    #[error("constraint {constraint} is empty or repeats what others impose")]
    Redundant {
        /// Rank of the constraint.
        constraint: usize,
    },
    /// The solution does not satisfy the system to the accuracy asked for.
    #[error(
        "the solution has a backward error of {backward_error:.3e}, above {accepted:.1e}: the system is too ill-conditioned"
    )]
    Inaccurate {
        /// Backward error reached.
        backward_error: f64,
        /// Largest one accepted.
        accepted: f64,
    },
    /// The factor does not fit in memory.
    #[error("the factor of {size} unknowns does not fit in memory")]
    OutOfMemory {
        /// Number of unknowns.
        size: usize,
    },
    /// A solve was asked for before a successful factorisation.
    #[error("no factor: the last factorisation failed or none was made")]
    NoFactor,
}

fn what_is_left(pivot: f64, diagonal: f64) -> String {
    if pivot.is_nan() {
        format!("nothing is left of its diagonal {diagonal:.3e}")
    } else {
        format!("{pivot:.3e} is left of its diagonal {diagonal:.3e}")
    }
}

/// Refuses a slice of the wrong length.
pub(super) fn check_length(what: &'static str, found: usize, expected: usize) -> Result<(), AlgebraError> {
    if found == expected { Ok(()) } else { Err(AlgebraError::Length { what, found, expected }) }
}

/// Refuses NaN and infinities.
pub(super) fn check_finite(what: &'static str, x: &[f64]) -> Result<(), AlgebraError> {
    // The sum of x·0 is NaN as soon as one entry is not finite, and vectorises.
    if x.iter().map(|v| v * 0.0).sum::<f64>() == 0.0 {
        return Ok(());
    }
    match x.iter().position(|v| !v.is_finite()) {
        Some(index) => Err(AlgebraError::NotFinite { what, index }),
        None => Ok(()),
    }
}
