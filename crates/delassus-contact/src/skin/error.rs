//! What can be wrong with surfaces, settings and positions.

use super::FacetKind;

/// Errors of contact surfaces; each carries the value at fault.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ContactError {
    /// A cell that cannot be a facet of a surface of this dimension.
    #[error("facet {facet} is a {kind}: a surface in dimension {dim} takes {accepted}")]
    Kind {
        /// Rank of the facet.
        facet: usize,
        /// Its kind.
        kind: &'static str,
        /// Dimension of the space.
        dim: usize,
        /// What is accepted.
        accepted: &'static str,
    },
    /// A dimension other than 2 or 3, or not that of the interface.
    #[error("{what} has dimension {got}; expected {expected}")]
    Dimension {
        /// What has it.
        what: &'static str,
        /// The dimension found.
        got: usize,
        /// What is accepted.
        expected: &'static str,
    },
    /// A surface without facets.
    #[error("the {what} surface has no facets")]
    Empty {
        /// Which surface.
        what: &'static str,
    },
    /// A facet that names one node twice.
    #[error("facet {facet} names node {node} twice")]
    RepeatedNode {
        /// The facet.
        facet: usize,
        /// The node.
        node: u32,
    },
    /// The number of nodes given does not suit the kind of the facets.
    #[error("{got} nodes are not a whole number of {kind:?} facets ({needed} nodes each)")]
    NodeCount {
        /// The kind.
        kind: FacetKind,
        /// Nodes of one facet.
        needed: usize,
        /// Nodes given.
        got: usize,
    },
    /// More than two facets meet at an edge (at a node in the plane).
    #[error("facets {facets:?} and more meet at nodes {nodes:?}: at most two may")]
    Branching {
        /// Two of them.
        facets: [usize; 2],
        /// Nodes of the edge; in the plane the same node twice.
        nodes: [u32; 2],
    },
    /// Two neighbours whose normals point to different sides.
    #[error("facets {facets:?}, neighbours at nodes {nodes:?}, are oriented against each other: reverse one")]
    Orientation {
        /// The neighbours.
        facets: [usize; 2],
        /// Nodes they share.
        nodes: [u32; 2],
    },
    /// A facet of the slave surface without area in the reference configuration.
    #[error("slave facet {facet} (nodes {nodes:?}) has no area in the reference configuration")]
    Degenerate {
        /// The facet.
        facet: usize,
        /// Its nodes.
        nodes: Vec<u32>,
    },
    /// A setting out of its range.
    #[error("{what} is {value}; expected {expected}")]
    Setting {
        /// Which setting.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What is accepted.
        expected: &'static str,
    },
    /// A vector too short for the nodes of the surfaces.
    #[error("{what} holds {got} numbers; the surfaces need {needed}")]
    Length {
        /// Which vector.
        what: &'static str,
        /// Its length.
        got: usize,
        /// Length needed.
        needed: usize,
    },
    /// A number that is not finite.
    #[error("{what} of node {node} is not finite: {value}")]
    NotFinite {
        /// Which vector.
        what: &'static str,
        /// The node.
        node: u32,
        /// The value.
        value: f64,
    },
    /// A node on the wrong side of the axis of revolution.
    #[error("node {node} has radius {radius}; axisymmetric surfaces need x ≥ 0")]
    NegativeRadius {
        /// The node.
        node: u32,
        /// Its radius.
        radius: f64,
    },
    /// A group's cell that the mesh does not hold.
    #[error("cell {index} of block {block} does not exist in the mesh")]
    MissingCell {
        /// Block of the cell.
        block: u32,
        /// Rank in the block.
        index: u32,
    },
    /// An obstacle that cannot be evaluated.
    #[error(transparent)]
    Obstacle(#[from] crate::Error),
}
