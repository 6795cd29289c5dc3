//! What can be wrong with an FCLIB file.

use thiserror::Error;

/// A [`Fault`], the file it is in and the item it concerns.
#[derive(Debug, Error)]
#[error("{file}: {}{}{fault}", item, if item.is_empty() { "" } else { ": " })]
pub struct FclibError {
    /// Path, or the name given for bytes in memory.
    pub file: String,
    /// Path of the group or dataset inside the file; empty for the file itself.
    pub item: String,
    /// What is wrong.
    #[source]
    pub fault: Fault,
}

/// What is wrong, with the values found and expected.
#[derive(Debug, Error)]
pub enum Fault {
    /// The file system refused.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// No HDF5 signature.
    #[error("not an HDF5 file (no signature in its {length} bytes)")]
    NotHdf5 {
        /// Bytes given.
        length: usize,
    },
    /// The HDF5 structure cannot be followed.
    #[error("truncated, damaged or unsupported HDF5: {detail}")]
    Damaged {
        /// The HDF5 layer's words.
        detail: String,
    },
    /// None of the problem groups.
    #[error(
        "no friction problem: expected a group fclib_global, fclib_global_rolling, \
         fclib_local or fclib_local_rolling, found {}",
        list(found)
    )]
    NoProblem {
        /// Groups at the root.
        found: Vec<String>,
    },
    /// A group or dataset is missing.
    #[error("missing {what} (its group holds {})", list(found))]
    Missing {
        /// "group" or "dataset".
        what: &'static str,
        /// Names of that sort which are there.
        found: Vec<String>,
    },
    /// Wrong dimensions of a dataset.
    #[error("shape {found:?}, expected {expected}")]
    Shape {
        /// What would be accepted.
        expected: &'static str,
        /// Dimensions found.
        found: Vec<u64>,
    },
    /// Wrong element type.
    #[error("elements of type {found}, expected {expected}")]
    Type {
        /// What would be accepted.
        expected: &'static str,
        /// Type found.
        found: String,
    },
    /// More data declared than the file can hold, or than is read from one of its
    /// length.
    #[error("declares {declared} bytes, more than the {limit} accepted from a file of this length")]
    Oversized {
        /// Bytes declared.
        declared: u64,
        /// Bytes accepted.
        limit: u64,
    },
    /// `spacedim` is none of those allowed.
    #[error("{found}, expected {}", dimensions(*rolling))]
    SpaceDim {
        /// Value found.
        found: i64,
        /// Whether of a rolling problem.
        rolling: bool,
    },
    /// Wrong length.
    #[error("length {found}, expected {expected} ({why})")]
    Length {
        /// Length found.
        found: usize,
        /// Length expected.
        expected: usize,
        /// Where the expectation comes from.
        why: &'static str,
    },
    /// Not a whole number of contacts.
    #[error("length {found} is no multiple of {block} components per contact")]
    NotBlocks {
        /// Length found.
        found: usize,
        /// D.
        block: usize,
    },
    /// Wrong size of a matrix.
    #[error("{} × {} matrix, expected {} × {} ({why})", found.0, found.1, expected.0, expected.1)]
    MatrixShape {
        /// Rows and columns found.
        found: (i64, i64),
        /// Rows and columns expected.
        expected: (usize, usize),
        /// Where the expectation comes from.
        why: &'static str,
    },
    /// Unknown storage form.
    #[error("nz = {nz}, expected ≥ 0 (triplets), -1 (compressed columns) or -2 (compressed rows)")]
    MatrixForm {
        /// Value found.
        nz: i64,
    },
    /// Row or column pointers do not start at 0, decrease, or exceed the entries.
    #[error("pointer {found} at index {index}, expected {low} to {high}")]
    Pointer {
        /// Position in `p`.
        index: usize,
        /// Value found.
        found: i64,
        /// Least value accepted.
        low: usize,
        /// Greatest value accepted.
        high: usize,
    },
    /// Row or column out of range.
    #[error("entry {index} is {found}, expected 0 ≤ entry < {limit}")]
    Entry {
        /// Position in the dataset.
        index: usize,
        /// Value found.
        found: i64,
        /// Rows or columns of the matrix.
        limit: usize,
    },
    /// Columns of a row not strictly increasing (matrices built in memory).
    #[error("columns of row {row} are not strictly increasing")]
    Unsorted {
        /// The row.
        row: usize,
    },
    /// NaN or infinite.
    #[error("value {found} at index {index} is not finite")]
    NotFinite {
        /// Position.
        index: usize,
        /// Value.
        found: f64,
    },
    /// Negative friction coefficient.
    #[error("value {found} at index {index}, expected ≥ 0")]
    Negative {
        /// Position.
        index: usize,
        /// Value.
        found: f64,
    },
    /// `number_of_guesses` against the groups there.
    #[error("{declared}, but the group holds {found} guesses")]
    Guesses {
        /// `number_of_guesses`.
        declared: i64,
        /// Groups found.
        found: usize,
    },
    /// Text that a NUL-terminated string cannot hold.
    #[error("NUL character at byte {index}")]
    Nul {
        /// Position.
        index: usize,
    },
    /// More than 32-bit integers count.
    #[error("{count} exceeds the format's 32-bit integers")]
    TooMany {
        /// Rows, columns or entries.
        count: usize,
    },
}

impl Fault {
    pub(super) fn at(self, file: &str, item: impl Into<String>) -> FclibError {
        FclibError { file: file.into(), item: item.into(), fault: self }
    }
}

fn dimensions(rolling: bool) -> &'static str {
    if rolling { "3 (n, t, rolling) or 5 (n, t1, t2, two rolling)" } else { "2 or 3" }
}

fn list(names: &[String]) -> String {
    const SHOWN: usize = 12;
    match names.len() {
        0 => "none".into(),
        n if n > SHOWN => format!("{} and {} more", names[..SHOWN].join(", "), n - SHOWN),
        _ => names.join(", "),
    }
}
