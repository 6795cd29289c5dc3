//! What each kind of cell is: nodes, facets, numbers in files

use super::CellKind;
use CellKind::*;

/// A facet of a cell: its kind and local nodes, oriented outwards.
pub type LocalFacet = (CellKind, &'static [u8]);

impl CellKind {
    /// Every kind.
    pub const ALL: [CellKind; 10] = [Point, Seg2, Seg3, Tri3, Tri6, Quad4, Quad8, Tet4, Tet10, Hex8];

    /// Number of nodes.
    pub const fn nodes(self) -> usize {
        match self {
            Point => 1,
            Seg2 => 2,
            Seg3 | Tri3 => 3,
            Quad4 | Tet4 => 4,
            Tri6 => 6,
            Quad8 | Hex8 => 8,
            Tet10 => 10,
        }
    }

    /// Number of corners: the first nodes, without those in the middle of edges.
    pub const fn corners(self) -> usize {
        self.linear().nodes()
    }

    /// The kind with the same corners and no other node.
    pub const fn linear(self) -> CellKind {
        match self {
            Seg3 => Seg2,
            Tri6 => Tri3,
            Quad8 => Quad4,
            Tet10 => Tet4,
            kind => kind,
        }
    }

    /// The kind with the same corners and a node in the middle of each edge, where it exists.
    pub const fn quadratic(self) -> Option<CellKind> {
        match self {
            Seg2 | Seg3 => Some(Seg3),
            Tri3 | Tri6 => Some(Tri6),
            Quad4 | Quad8 => Some(Quad8),
            Tet4 | Tet10 => Some(Tet10),
            Point | Hex8 => None,
        }
    }

    /// Triangles and tetrahedra.
    pub const fn is_simplex(self) -> bool {
        matches!(self, Tri3 | Tri6 | Tet4 | Tet10)
    }

    /// Dimension of the cell itself.
    pub const fn dim(self) -> usize {
        match self {
            Point => 0,
            Seg2 | Seg3 => 1,
            Tri3 | Tri6 | Quad4 | Quad8 => 2,
            Tet4 | Tet10 | Hex8 => 3,
        }
    }

    /// Number in VTK files.
    pub const fn vtk_type(self) -> u8 {
        match self {
            Point => 1,
            Seg2 => 3,
            Seg3 => 21,
            Tri3 => 5,
            Tri6 => 22,
            Quad4 => 9,
            Quad8 => 23,
            Tet4 => 10,
            Tet10 => 24,
            Hex8 => 12,
        }
    }

    /// Number in Gmsh files.
    pub const fn gmsh_type(self) -> u8 {
        match self {
            Point => 15,
            Seg2 => 1,
            Seg3 => 8,
            Tri3 => 2,
            Tri6 => 9,
            Quad4 => 3,
            Quad8 => 16,
            Tet4 => 4,
            Tet10 => 11,
            Hex8 => 5,
        }
    }

    /// The kind VTK numbers so.
    pub fn from_vtk(number: u64) -> Option<CellKind> {
        Self::ALL.into_iter().find(|k| u64::from(k.vtk_type()) == number)
    }

    /// The kind Gmsh numbers so.
    pub fn from_gmsh(number: u64) -> Option<CellKind> {
        Self::ALL.into_iter().find(|k| u64::from(k.gmsh_type()) == number)
    }

    /// Where Gmsh puts each of our nodes; it swaps the last two of a Tet10.
    pub(crate) const fn gmsh_order(self) -> &'static [u8] {
        match self {
            Tet10 => &[0, 1, 2, 3, 4, 5, 6, 7, 9, 8],
            _ => &[0, 1, 2, 3, 4, 5, 6, 7],
        }
    }

    /// Its name, as in the code.
    pub const fn name(self) -> &'static str {
        match self {
            Point => "Point",
            Seg2 => "Seg2",
            Seg3 => "Seg3",
            Tri3 => "Tri3",
            Tri6 => "Tri6",
            Quad4 => "Quad4",
            Quad8 => "Quad8",
            Tet4 => "Tet4",
            Tet10 => "Tet10",
            Hex8 => "Hex8",
        }
    }

    /// The pairs of corners its middle nodes lie between, in the order of those nodes.
    pub const fn edges(self) -> &'static [[u8; 2]] {
        match self {
            Point => &[],
            Seg2 | Seg3 => &[[0, 1]],
            Tri3 | Tri6 => &[[0, 1], [1, 2], [2, 0]],
            Quad4 | Quad8 => &[[0, 1], [1, 2], [2, 3], [3, 0]],
            Tet4 | Tet10 => &[[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]],
            Hex8 => &[[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4], [0, 4], [1, 5], [2, 6], [3, 7]],
        }
    }

    /// Its facets: ends of a segment, edges of a surface, faces of a volume, oriented outwards.
    pub const fn facets(self) -> &'static [LocalFacet] {
        match self {
            Point => &[],
            Seg2 | Seg3 => &[(Point, &[0]), (Point, &[1])],
            Tri3 => &[(Seg2, &[0, 1]), (Seg2, &[1, 2]), (Seg2, &[2, 0])],
            Tri6 => &[(Seg3, &[0, 1, 3]), (Seg3, &[1, 2, 4]), (Seg3, &[2, 0, 5])],
            Quad4 => &[(Seg2, &[0, 1]), (Seg2, &[1, 2]), (Seg2, &[2, 3]), (Seg2, &[3, 0])],
            Quad8 => &[(Seg3, &[0, 1, 4]), (Seg3, &[1, 2, 5]), (Seg3, &[2, 3, 6]), (Seg3, &[3, 0, 7])],
            Tet4 => &[(Tri3, &[0, 2, 1]), (Tri3, &[0, 1, 3]), (Tri3, &[1, 2, 3]), (Tri3, &[0, 3, 2])],
            Tet10 => &[
                (Tri6, &[0, 2, 1, 6, 5, 4]),
                (Tri6, &[0, 1, 3, 4, 8, 7]),
                (Tri6, &[1, 2, 3, 5, 9, 8]),
                (Tri6, &[0, 3, 2, 7, 9, 6]),
            ],
            Hex8 => &[
                (Quad4, &[0, 3, 2, 1]),
                (Quad4, &[4, 5, 6, 7]),
                (Quad4, &[0, 1, 5, 4]),
                (Quad4, &[1, 2, 6, 5]),
                (Quad4, &[2, 3, 7, 6]),
                (Quad4, &[3, 0, 4, 7]),
            ],
        }
    }

    /// The order of nodes that turns the cell over.
    pub(crate) const fn flipped(self) -> &'static [u8] {
        match self {
            Point => &[0],
            Seg2 => &[1, 0],
            Seg3 => &[1, 0, 2],
            Tri3 => &[0, 2, 1],
            Tri6 => &[0, 2, 1, 5, 4, 3],
            Quad4 => &[0, 3, 2, 1],
            Quad8 => &[0, 3, 2, 1, 7, 6, 5, 4],
            Tet4 => &[0, 2, 1, 3],
            Tet10 => &[0, 2, 1, 3, 6, 5, 4, 7, 9, 8],
            Hex8 => &[0, 3, 2, 1, 4, 7, 6, 5],
        }
    }
}

impl std::fmt::Display for CellKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for CellKind {
    type Err = super::MeshError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|k| k.name().eq_ignore_ascii_case(name)).ok_or_else(|| super::MeshError::Setting {
            item: "kind of cell",
            found: format!("`{name}`"),
            accepted: "Point, Seg2, Seg3, Tri3, Tri6, Quad4, Quad8, Tet4, Tet10, Hex8",
        })
    }
}
