//! Contact surfaces of boundary cells, turned outwards
//!
//! A file's boundary cells may be oriented either way. The solid cell that holds all corners
//! of one tells the outside: the normal must leave the middle of that cell.

use super::{CellKind, CellRef, Facet, Mesh};
use delassus_contact::skin::{ContactError, FacetKind, Surface};

impl CellKind {
    /// The facet of a contact surface it may be.
    pub const fn as_facet(self) -> Option<FacetKind> {
        Some(match self {
            Self::Seg2 => FacetKind::Seg2,
            Self::Seg3 => FacetKind::Seg3,
            Self::Tri3 => FacetKind::Tri3,
            Self::Tri6 => FacetKind::Tri6,
            Self::Quad4 => FacetKind::Quad4,
            Self::Quad8 => FacetKind::Quad8,
            Self::Point | Self::Tet4 | Self::Tet10 | Self::Hex8 => return None,
        })
    }
}

impl From<FacetKind> for CellKind {
    fn from(kind: FacetKind) -> Self {
        match kind {
            FacetKind::Point => Self::Point,
            FacetKind::Seg2 => Self::Seg2,
            FacetKind::Seg3 => Self::Seg3,
            FacetKind::Tri3 => Self::Tri3,
            FacetKind::Tri6 => Self::Tri6,
            FacetKind::Quad4 => Self::Quad4,
            FacetKind::Quad8 => Self::Quad8,
        }
    }
}

impl Mesh {
    /// The contact surface of some cells, turned outwards where a solid cell of the mesh carries
    /// them; node `i` of the mesh is node `offset + i` of the numbering.
    pub fn surface(&self, cells: &[CellRef], offset: u32) -> Result<Surface, ContactError> {
        let facets = outward(self, cells)?;
        surface_of(self, facets.into_iter().map(|(k, n)| (k, n.iter().map(|i| i + offset).collect())))
    }

    /// The whole boundary as a contact surface, numbered as in [`Mesh::surface`].
    pub fn skin(&self, offset: u32) -> Result<Surface, ContactError> {
        self.bare_skin(offset, &[])
    }

    /// The same without the facets that `hidden` names by their ranks in [`Mesh::boundary`], in rising order.
    pub fn bare_skin(&self, offset: u32, hidden: &[usize]) -> Result<Surface, ContactError> {
        let facets: Vec<Facet> = self
            .boundary()
            .into_iter()
            .enumerate()
            .filter(|(i, _)| hidden.binary_search(i).is_err())
            .map(|f| f.1)
            .collect();
        surface_of(self, facets.iter().map(|f| (f.kind, f.nodes().iter().map(|n| offset + n).collect())))
    }
}

/// From facets by kind, each oriented outwards.
fn surface_of(mesh: &Mesh, facets: impl Iterator<Item = (CellKind, Vec<u32>)>) -> Result<Surface, ContactError> {
    let mut lists: Vec<(FacetKind, Vec<u32>)> = vec![];
    for (i, (kind, nodes)) in facets.enumerate() {
        let kind = facet_kind(mesh, i, kind)?;
        match lists.last_mut().filter(|(last, _)| *last == kind) {
            Some((_, list)) => list.extend(nodes),
            None => lists.push((kind, nodes)),
        }
    }
    let slices: Vec<(FacetKind, &[u32])> = lists.iter().map(|(k, n)| (*k, n.as_slice())).collect();
    Surface::new(mesh.dim, &slices)
}

fn facet_kind(mesh: &Mesh, facet: usize, kind: CellKind) -> Result<FacetKind, ContactError> {
    let accepted = "segments, triangles or quadrangles";
    kind.as_facet().ok_or(ContactError::Kind { facet, kind: kind.name(), dim: mesh.dim, accepted })
}

fn solid_nodes(kind: CellKind, dim: usize) -> Option<usize> {
    (kind.dim() == dim).then(|| kind.nodes())
}

/// The cells as facets, outward where the mesh tells.
fn outward(mesh: &Mesh, cells: &[CellRef]) -> Result<Vec<(CellKind, Vec<u32>)>, ContactError> {
    let mut facets = Vec::with_capacity(cells.len());
    for c in cells {
        let missing = ContactError::MissingCell { block: c.block, index: c.index };
        let block = mesh.blocks.get(c.block as usize).ok_or(missing.clone())?;
        let count = facet_kind(mesh, facets.len(), block.kind)?.nodes();
        let nodes = block.nodes.get(count * c.index as usize..count * (c.index as usize + 1)).ok_or(missing)?;
        if let Some(&node) = nodes.iter().find(|&&n| n as usize >= mesh.points.len()) {
            return Err(ContactError::Length { what: "the mesh", got: mesh.points.len(), needed: node as usize + 1 });
        }
        facets.push((block.kind, nodes.to_vec()));
    }
    for (facet, holder) in holders(mesh, &facets).into_iter().enumerate() {
        let (kind, nodes) = &mut facets[facet];
        if holder.is_some_and(|middle| points_inwards(mesh, &nodes[..kind.corners()], &middle)) {
            *nodes = kind.flipped().iter().map(|&k| nodes[k as usize]).collect();
        }
    }
    Ok(facets)
}

/// For each facet the middle of a solid cell that holds its corners.
fn holders(mesh: &Mesh, facets: &[(CellKind, Vec<u32>)]) -> Vec<Option<[f64; 3]>> {
    let mut by_node: Vec<Vec<usize>> = vec![vec![]; mesh.points.len()];
    for (i, (kind, nodes)) in facets.iter().enumerate() {
        if let Some(&least) = nodes[..kind.corners()].iter().min() {
            by_node[least as usize].push(i);
        }
    }
    let mut middles = vec![None; facets.len()];
    for block in &mesh.blocks {
        let Some(count) = solid_nodes(block.kind, mesh.dim) else { continue };
        for cell in block.nodes.chunks_exact(count) {
            for &node in cell {
                for &f in by_node.get(node as usize).map_or(&[][..], |v| v) {
                    let (kind, nodes) = &facets[f];
                    if nodes[..kind.corners()].iter().all(|n| cell.contains(n)) {
                        middles[f] = Some(middle(mesh, cell));
                    }
                }
            }
        }
    }
    middles
}

fn middle(mesh: &Mesh, nodes: &[u32]) -> [f64; 3] {
    let mut m = [0.0; 3];
    for &n in nodes {
        for k in 0..3 {
            m[k] += mesh.points[n as usize][k] / nodes.len() as f64;
        }
    }
    m
}

/// Whether the normal of the polygon of corners looks to `inside`.
fn points_inwards(mesh: &Mesh, corners: &[u32], inside: &[f64; 3]) -> bool {
    let at = |k: usize| mesh.points[corners[k] as usize];
    let edge = |a: [f64; 3], b: [f64; 3]| [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    let n = match corners.len() {
        2 => {
            let t = edge(at(0), at(1));
            [t[1], -t[0], 0.0]
        }
        // Of a quadrangle the diagonals, of a triangle two edges.
        count => {
            let (a, b) = (edge(at(0), at(2)), edge(at(1), at(count - 1)));
            let a = if count == 4 { a } else { edge(at(0), at(1)) };
            [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        }
    };
    let m = middle(mesh, corners);
    (0..3).map(|k| n[k] * (m[k] - inside[k])).sum::<f64>() < 0.0
}
