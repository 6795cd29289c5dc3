//! Why a mesh, a file or a setting was refused

use super::CellKind;

/// Where in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Line, from 1.
    Line(usize),
    /// Byte, from 0.
    Byte(usize),
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Line(n) => write!(f, "line {n}"),
            Place::Byte(n) => write!(f, "byte {n}"),
        }
    }
}

/// Errors of this module.
#[derive(Debug, thiserror::Error)]
pub enum MeshError {
    /// Neither plane nor space.
    #[error("a mesh has dimension 2 or 3, not {dim}")]
    Dimension {
        /// What was given.
        dim: usize,
    },
    /// Two meshes that do not go together.
    #[error("a mesh of dimension {other} cannot be merged into one of dimension {dim}")]
    OtherDimension {
        /// Dimension of the receiving mesh.
        dim: usize,
        /// Dimension of the other one.
        other: usize,
    },
    /// More nodes or cells than 32-bit numbers can name.
    #[error("{count} {what} are more than the {max} a mesh can number", max = u32::MAX)]
    TooMany {
        /// Nodes or cells.
        what: &'static str,
        /// How many.
        count: usize,
    },
    /// A NaN or an infinity.
    #[error("node {node} is at {at:?}: coordinates must be finite")]
    NotFinite {
        /// The node.
        node: usize,
        /// Its coordinates.
        at: [f64; 3],
    },
    /// A plane mesh with height.
    #[error("node {node} is at {at:?}: in a mesh of dimension 2 the third coordinate is 0")]
    NotPlane {
        /// The node.
        node: usize,
        /// Its coordinates.
        at: [f64; 3],
    },
    /// A volume in the plane.
    #[error("a mesh of dimension {dim} cannot hold cells {kind}")]
    KindTooHigh {
        /// The mesh's dimension.
        dim: usize,
        /// The kind.
        kind: CellKind,
    },
    /// A block that ends within a cell.
    #[error("a block of {kind} has {length} node numbers, not a multiple of {}", kind.nodes())]
    PartialCell {
        /// Its kind.
        kind: CellKind,
        /// Its length.
        length: usize,
    },
    /// A node that does not exist.
    #[error("{kind} {number} names node {node}: the mesh has nodes 0 to {last}", last = *count as i64 - 1)]
    NodeOutOfRange {
        /// Kind of the cell.
        kind: CellKind,
        /// Its number in the block.
        number: usize,
        /// The node.
        node: u32,
        /// How many nodes there are.
        count: usize,
    },
    /// A node that appears twice in one cell.
    #[error("{kind} {number} has node {node} twice: {nodes:?}")]
    RepeatedNode {
        /// Kind of the cell.
        kind: CellKind,
        /// Its number in the block.
        number: usize,
        /// The node.
        node: u32,
        /// The cell's nodes.
        nodes: Vec<u32>,
    },
    /// An inverted or degenerate element.
    #[error(transparent)]
    BadCell(Box<BadCell>),
    /// A facet between more than two cells.
    #[error("the facet of nodes {nodes:?} belongs to {cells} cells: {kind} {number} is one; at most two may share it")]
    NotManifold {
        /// Corners of the facet.
        nodes: Vec<u32>,
        /// How many cells have it.
        cells: usize,
        /// Kind of one of them.
        kind: CellKind,
        /// Number of that one.
        number: usize,
    },
    /// Two neighbours with different middle nodes.
    #[error(
        "the facet of corners {nodes:?} is {first} on one side and {second} on the other, or has other middle nodes"
    )]
    NotConforming {
        /// Corners of the facet.
        nodes: Vec<u32>,
        /// Kind of the facet on one side.
        first: CellKind,
        /// Kind on the other.
        second: CellKind,
    },
    /// A group that does not exist.
    #[error("no group `{name}`{hint}; the mesh has {known}")]
    UnknownGroup {
        /// The name asked for.
        name: String,
        /// The nearest name, in words.
        hint: String,
        /// The names there are, in words.
        known: String,
    },
    /// A name taken twice.
    #[error("the mesh has a group `{name}` already")]
    GroupExists {
        /// The name.
        name: String,
    },
    /// A group that refers to cells or nodes that are not there.
    #[error("group `{name}` names {what} {number}: the mesh has {count}")]
    GroupOutOfRange {
        /// The group.
        name: String,
        /// Block, cell or node.
        what: &'static str,
        /// Its number.
        number: usize,
        /// How many there are.
        count: usize,
    },
    /// A selection without members.
    #[error("group `{name}` would be empty: no {what} of the {candidates} satisfies the condition")]
    EmptySelection {
        /// The group.
        name: String,
        /// Facet or node.
        what: &'static str,
        /// How many were looked at.
        candidates: usize,
    },
    /// A setting out of its range.
    #[error("{item} is {found}; accepted: {accepted}")]
    Setting {
        /// What.
        item: &'static str,
        /// What it was.
        found: String,
        /// What may be given.
        accepted: &'static str,
    },
    /// A file that could not be opened, read or written.
    #[error("{file}: {source}")]
    Io {
        /// Its name.
        file: String,
        /// Why.
        source: std::io::Error,
    },
    /// A file that says something else than its format asks for.
    #[error(transparent)]
    Read(Box<ReadError>),
}

/// An element that is inverted or has lost a dimension.
#[derive(Debug, thiserror::Error)]
#[error(
    "{kind} {number} is {}: nodes {nodes:?} around {centre:?}, scaled Jacobian {quality:.3e}{}",
    self.state(),
    self.more()
)]
pub struct BadCell {
    /// Its kind.
    pub kind: CellKind,
    /// Its number in the block of that kind.
    pub number: usize,
    /// Its nodes.
    pub nodes: Vec<u32>,
    /// Mean of its nodes' positions.
    pub centre: [f64; 3],
    /// Smallest scaled Jacobian, between −1 and 1.
    pub quality: f64,
    /// How many other elements are bad.
    pub others: usize,
}

impl BadCell {
    fn state(&self) -> &'static str {
        if self.quality < -super::check::DEGENERATE { "inverted" } else { "degenerate" }
    }

    fn more(&self) -> String {
        match self.others {
            0 => String::new(),
            1 => "; one other element is bad".into(),
            n => format!("; {n} other elements are bad"),
        }
    }
}

/// What a file said and what was expected there.
#[derive(Debug, thiserror::Error)]
#[error("{file}, {place}: found {found}, expected {expected}")]
pub struct ReadError {
    /// Its name.
    pub file: String,
    /// Where.
    pub place: Place,
    /// What is there.
    pub found: String,
    /// What should be.
    pub expected: String,
}
