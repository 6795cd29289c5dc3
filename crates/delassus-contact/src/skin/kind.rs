//! Kinds of facets: their nodes and the domain of their coordinates
//!
//! Segments: ξ ∈ [−1, 1]. Triangles: ξ, η ≥ 0, ξ + η ≤ 1. Quadrangles: [−1, 1]². Nodes in the
//! order of VTK.

use super::facet::Xi;
use FacetKind::*;

/// A kind of facet: segments of the plane, triangles and quadrangles of space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FacetKind {
    /// A node alone, of a beam: one of its own without an area.
    Point,
    /// A segment of two nodes.
    Seg2,
    /// A segment with a node in its middle.
    Seg3,
    /// A triangle of three nodes.
    Tri3,
    /// A triangle with nodes in the middle of its edges.
    Tri6,
    /// A quadrangle of four nodes.
    Quad4,
    /// A quadrangle with nodes in the middle of its edges.
    Quad8,
}

/// The domain of the coordinates of a facet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Domain {
    Point,
    Segment,
    Triangle,
    Square,
}

const SQUARE: [Xi; 8] =
    [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [0.0, -1.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]];
const TRIANGLE: [Xi; 6] = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.0], [0.5, 0.5], [0.0, 0.5]];
const CENTRE: [Xi; 1] = [[0.0, 0.0]];
const SEGMENT: [Xi; 3] = [[-1.0, 0.0], [1.0, 0.0], [0.0, 0.0]];

impl FacetKind {
    /// Every kind.
    pub const ALL: [FacetKind; 7] = [Point, Seg2, Seg3, Tri3, Tri6, Quad4, Quad8];

    /// Number of nodes.
    pub const fn nodes(self) -> usize {
        match self {
            Point => 1,
            Seg2 => 2,
            Seg3 | Tri3 => 3,
            Quad4 => 4,
            Tri6 => 6,
            Quad8 => 8,
        }
    }

    /// Number of corners: the first nodes.
    pub const fn corners(self) -> usize {
        self.linear().nodes()
    }

    /// The kind spanned by the corners alone.
    pub const fn linear(self) -> FacetKind {
        match self {
            Point => Point,
            Seg2 | Seg3 => Seg2,
            Tri3 | Tri6 => Tri3,
            Quad4 | Quad8 => Quad4,
        }
    }

    /// Whether it has nodes on its edges.
    pub const fn is_quadratic(self) -> bool {
        matches!(self, Seg3 | Tri6 | Quad8)
    }

    /// Its name, as in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Point => "Point",
            Seg2 => "Seg2",
            Seg3 => "Seg3",
            Tri3 => "Tri3",
            Tri6 => "Tri6",
            Quad4 => "Quad4",
            Quad8 => "Quad8",
        }
    }

    pub(crate) fn domain(self) -> Domain {
        match self {
            Point => Domain::Point,
            Seg2 | Seg3 => Domain::Segment,
            Tri3 | Tri6 => Domain::Triangle,
            Quad4 | Quad8 => Domain::Square,
        }
    }

    /// Coordinates of the nodes.
    pub(crate) fn places(self) -> &'static [Xi] {
        match self.domain() {
            Domain::Point => &CENTRE,
            Domain::Segment => &SEGMENT[..self.nodes()],
            Domain::Triangle => &TRIANGLE[..self.nodes()],
            Domain::Square => &SQUARE[..self.nodes()],
        }
    }

    /// The middle of the domain.
    pub(crate) fn centre(self) -> Xi {
        if self.domain() == Domain::Triangle { [1.0 / 3.0, 1.0 / 3.0] } else { [0.0, 0.0] }
    }

    /// How far `xi` lies outside the domain, in its coordinates; negative inside.
    pub(crate) fn excess(self, xi: Xi) -> f64 {
        match self.domain() {
            Domain::Point => -1.0,
            Domain::Segment => xi[0].abs() - 1.0,
            Domain::Triangle => (-xi[0]).max(-xi[1]).max(xi[0] + xi[1] - 1.0),
            Domain::Square => xi[0].abs().max(xi[1].abs()) - 1.0,
        }
    }

    /// Width of the domain.
    pub(crate) fn extent(self) -> f64 {
        if self.domain() == Domain::Triangle { 1.0 } else { 2.0 }
    }

    /// `xi` moved into the domain; for places that are outside by round-off only.
    pub(crate) fn clamped(self, xi: Xi) -> Xi {
        match self.domain() {
            Domain::Point => [0.0; 2],
            Domain::Segment => [xi[0].clamp(-1.0, 1.0), 0.0],
            Domain::Square => [xi[0].clamp(-1.0, 1.0), xi[1].clamp(-1.0, 1.0)],
            Domain::Triangle => {
                let (a, b) = (xi[0].max(0.0), xi[1].max(0.0));
                let s = (a + b).max(1.0);
                [a / s, b / s]
            }
        }
    }
}
