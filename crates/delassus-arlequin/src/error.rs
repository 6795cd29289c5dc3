//! What is refused.

use delassus_fem::mesh::CellKind;

/// Why two meshes cannot be superposed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// Meshes of two dimensions.
    #[error("meshes of dimension {0} and {1} cannot be superposed")]
    Dimension(usize, usize),
    /// A cell with a curved side.
    #[error("cell {cell} ({kind}) has curved sides ({off:.1e} of its size): overlaps are cut along straight ones")]
    Curved {
        /// The cell.
        cell: usize,
        /// Its kind.
        kind: CellKind,
        /// Distance of a middle node from the middle, over the length of the edge.
        off: f64,
    },
    /// A cell that is not convex.
    #[error(
        "cell {cell} ({kind}) is folded: measure {measure:e}, a corner beyond one of its sides by {out:.1e} of its size"
    )]
    Folded {
        /// The cell.
        cell: usize,
        /// Its kind.
        kind: CellKind,
        /// Distance of a corner beyond a side, over the size of the cell.
        out: f64,
        /// Its measure.
        measure: f64,
    },
    /// A line of beams that is not straight.
    #[error(
        "node {node} of the beams is {off:.1e} of their length off the straight line between their ends, or turns back: overlaps of beams are straight"
    )]
    Bent {
        /// The node.
        node: usize,
        /// Distance over the length.
        off: f64,
    },
    /// Two lines of beams on two axes.
    #[error("the beams are not on one axis, in one direction: {off:.1e} of the length apart")]
    Beside {
        /// Distance over the length.
        off: f64,
    },
    /// A beam over a solid.
    #[error("of a solid and a beam, the beam is the coarse model: exchange `coarse` and `fine`")]
    BeamFine,
    /// A beam in a solid of revolution.
    #[error("a solid of revolution has no beam inside: model it in space")]
    Revolution,
    /// A mesh without cells.
    #[error("the mesh has no cells to superpose")]
    NoCells,
    /// No common part.
    #[error("the meshes do not overlap: the boxes are {coarse} and {fine}")]
    Apart {
        /// Box of the one.
        coarse: String,
        /// Box of the other.
        fine: String,
    },
    /// Solids of two hypotheses.
    #[error("both models need the same hypothesis: plane strain, plane stress, axisymmetric or space")]
    Hypotheses,
    /// A solid refused its weights.
    #[error("{0}")]
    Solid(String),
    /// The gluing zone has no measure.
    #[error(
        "the gluing zone has measure zero: none of the {cells} cells of the mediator in the overlap (measure {overlap}) has its centre in it"
    )]
    NoZone {
        /// Measure of the overlap.
        overlap: f64,
        /// Cells of the mediator in the overlap.
        cells: usize,
    },
    /// A number out of its range.
    #[error("{name} = {value}, expected {expected}")]
    Value {
        /// Which one.
        name: &'static str,
        /// What was given.
        value: f64,
        /// What is accepted.
        expected: &'static str,
    },
    /// A node that stands on neither model.
    #[error("node {node} of the fine model, moved to {place}, stands on neither model: nothing can be carried to it")]
    Lost {
        /// The node.
        node: usize,
        /// Its place.
        place: String,
    },
    /// A ramp has nowhere to begin.
    #[error("no side of one mesh lies inside the other, from which a {0} weight could rise: take constant weights")]
    NoRamp(&'static str),
}
