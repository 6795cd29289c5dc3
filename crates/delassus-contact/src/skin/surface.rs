//! Surfaces: oriented facets and how they hang together
//!
//! Node numbers are global, so that surfaces of several meshes share one numbering and one
//! vector of positions. Facets are outward: their normal leaves the solid.

use super::{Carrier, ContactError, FacetKind};
use std::sync::Arc;

/// No neighbour: the edge belongs to the border of the surface.
pub(crate) const NONE: u32 = u32::MAX;

/// A surface that may touch others.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    dim: usize,
    kinds: Vec<FacetKind>,
    starts: Vec<u32>,
    /// Global node numbers, facet after facet.
    connectivity: Vec<u32>,
    /// The same as ranks in `nodes`.
    ranks: Vec<u32>,
    nodes: Vec<u32>,
    /// Facets around each node, ascending.
    around_starts: Vec<u32>,
    around: Vec<u32>,
    /// The same as ranks in `connectivity`.
    entries: Vec<u32>,
    /// Neighbour across each edge (at each end in the plane), four per facet.
    neighbours: Vec<[u32; 4]>,
    /// Per node: whether it is on the border.
    border: Vec<bool>,
    /// The mesh that carries its multipliers where it is a slave; none: its own facets.
    carrier: Option<Arc<Carrier>>,
}

impl Surface {
    /// From lists of facets of one kind each, oriented outwards.
    pub fn new(dim: usize, facets: &[(FacetKind, &[u32])]) -> Result<Self, ContactError> {
        if dim != 2 && dim != 3 {
            return Err(ContactError::Dimension { what: "the surface", got: dim, expected: "2 or 3" });
        }
        let (mut kinds, mut starts, mut connectivity) = (vec![], vec![0u32], vec![]);
        for &(kind, nodes) in facets {
            let count = accepted(dim, kind, kinds.len())?;
            if nodes.len() % count != 0 {
                return Err(ContactError::NodeCount { kind, needed: count, got: nodes.len() });
            }
            for cell in nodes.chunks_exact(count) {
                check_distinct(kinds.len(), cell)?;
                kinds.push(kind);
                connectivity.extend_from_slice(cell);
                starts.push(connectivity.len() as u32);
            }
        }
        if kinds.is_empty() {
            return Err(ContactError::Empty { what: "contact" });
        }
        Self::connect(dim, kinds, starts, connectivity)
    }

    fn connect(
        dim: usize,
        kinds: Vec<FacetKind>,
        starts: Vec<u32>,
        connectivity: Vec<u32>,
    ) -> Result<Self, ContactError> {
        let mut nodes = connectivity.clone();
        nodes.sort_unstable();
        nodes.dedup();
        let rank = |i: &u32| nodes.binary_search(i).expect("listed above") as u32;
        let ranks: Vec<u32> = connectivity.iter().map(rank).collect();
        let (around_starts, around, entries) = facets_around(nodes.len(), &starts, &ranks);
        let neighbours = vec![[NONE; 4]; kinds.len()];
        let (border, carrier) = (vec![false; nodes.len()], None);
        let mut s = Self {
            dim,
            kinds,
            starts,
            connectivity,
            ranks,
            nodes,
            around_starts,
            around,
            entries,
            neighbours,
            border,
            carrier,
        };
        s.find_neighbours()?;
        Ok(s)
    }

    /// Sorts the edges by their nodes; equal ones are neighbours.
    fn find_neighbours(&mut self) -> Result<(), ContactError> {
        // (smaller node, larger node, facet, edge, whether traversed from smaller to larger)
        let mut edges: Vec<([u32; 2], u32, u32, bool)> = vec![];
        for f in 0..self.len() {
            for e in 0..self.edges(f) {
                let [a, b] = self.edge(f, e);
                // In the plane an "edge" is one end: the facet leaves its first node, enters its last.
                let (key, forward) = if self.dim == 2 { ([a, a], e == 0) } else { ([a.min(b), a.max(b)], a < b) };
                edges.push((key, f as u32, e as u32, forward));
            }
        }
        edges.sort_unstable();
        let mut i = 0;
        while i < edges.len() {
            let same = edges[i..].iter().take_while(|e| e.0 == edges[i].0).count();
            let facets = [edges[i].1 as usize, edges[(i + 1).min(edges.len() - 1)].1 as usize];
            match same {
                1 => self.mark_border(edges[i].1 as usize, edges[i].2 as usize),
                2 => {
                    if edges[i].3 == edges[i + 1].3 {
                        return Err(ContactError::Orientation { facets, nodes: edges[i].0 });
                    }
                    self.neighbours[facets[0]][edges[i].2 as usize] = facets[1] as u32;
                    self.neighbours[facets[1]][edges[i + 1].2 as usize] = facets[0] as u32;
                }
                _ => return Err(ContactError::Branching { facets, nodes: edges[i].0 }),
            }
            i += same;
        }
        Ok(())
    }

    fn mark_border(&mut self, facet: usize, edge: usize) {
        let corners = self.kinds[facet].corners();
        let start = self.starts[facet] as usize;
        let ranks = &self.ranks[start..self.starts[facet + 1] as usize];
        self.border[ranks[edge] as usize] = true;
        if self.dim == 3 {
            self.border[ranks[(edge + 1) % corners] as usize] = true;
            if ranks.len() > corners {
                self.border[ranks[corners + edge] as usize] = true;
            }
        }
    }

    /// The same surface, whose multipliers live on another mesh.
    pub fn carried_by(mut self, carrier: Carrier) -> Result<Self, ContactError> {
        if carrier.surface().dim() != self.dim {
            let (got, expected) = (carrier.surface().dim(), "that of the slave surface");
            return Err(ContactError::Dimension { what: "the interface mesh", got, expected });
        }
        self.carrier = Some(Arc::new(carrier));
        Ok(self)
    }

    /// The mesh of its multipliers, if it is not its own.
    pub fn carrier(&self) -> Option<&Carrier> {
        self.carrier.as_deref()
    }

    /// Refuses a field of vectors that is too short for the nodes or not finite at one of them.
    pub fn check<const D: usize>(&self, what: &'static str, values: &[f64]) -> Result<(), ContactError> {
        let needed = D * self.nodes.last().map_or(0, |&n| n as usize + 1);
        if values.len() < needed {
            return Err(ContactError::Length { what, got: values.len(), needed });
        }
        for &node in &self.nodes {
            if let Some(&value) = values[D * node as usize..][..D].iter().find(|v| !v.is_finite()) {
                return Err(ContactError::NotFinite { what, node, value });
            }
        }
        Ok(())
    }

    /// 2 or 3.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of facets.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there are none; never so for a surface that was made.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Kind of a facet.
    pub fn kind(&self, facet: usize) -> FacetKind {
        self.kinds[facet]
    }

    /// Nodes of a facet.
    pub fn facet(&self, facet: usize) -> &[u32] {
        &self.connectivity[self.starts[facet] as usize..self.starts[facet + 1] as usize]
    }

    /// Nodes of a facet, as ranks in [`nodes`](Self::nodes).
    pub fn ranks(&self, facet: usize) -> &[u32] {
        &self.ranks[self.starts[facet] as usize..self.starts[facet + 1] as usize]
    }

    /// Rank of the first entry of a facet in the list of all entries.
    pub(crate) fn start(&self, facet: usize) -> usize {
        self.starts[facet] as usize
    }

    /// The nodes, ascending.
    pub fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// Facets around the node of a rank, ascending.
    pub fn around(&self, rank: usize) -> &[u32] {
        &self.around[self.around_starts[rank] as usize..self.around_starts[rank + 1] as usize]
    }

    /// Where the node of a rank stands in the list of all facets' nodes.
    pub(crate) fn entries(&self, rank: usize) -> &[u32] {
        &self.entries[self.around_starts[rank] as usize..self.around_starts[rank + 1] as usize]
    }

    /// Number of edges of a facet (of ends in the plane).
    pub fn edges(&self, facet: usize) -> usize {
        self.kinds[facet].corners()
    }

    /// The facet across an edge (at an end in the plane), if any.
    pub fn neighbour(&self, facet: usize, edge: usize) -> Option<usize> {
        let n = self.neighbours[facet][edge];
        (n != NONE).then_some(n as usize)
    }

    /// Whether the node of a rank is on the border of the surface.
    pub fn on_border(&self, rank: usize) -> bool {
        self.border[rank]
    }

    /// End nodes of an edge; in the plane the node of an end, twice.
    fn edge(&self, facet: usize, edge: usize) -> [u32; 2] {
        let nodes = self.facet(facet);
        if self.dim == 2 { [nodes[edge]; 2] } else { [nodes[edge], nodes[(edge + 1) % self.edges(facet)]] }
    }
}

fn accepted(dim: usize, kind: FacetKind, facet: usize) -> Result<usize, ContactError> {
    if kind == FacetKind::Point {
        return Ok(1);
    }
    let plane = matches!(kind, FacetKind::Seg2 | FacetKind::Seg3);
    let accepted = if dim == 2 { "Seg2 and Seg3" } else { "Tri3, Tri6, Quad4 and Quad8" };
    if plane == (dim == 2) {
        Ok(kind.nodes())
    } else {
        Err(ContactError::Kind { facet, kind: kind.name(), dim, accepted })
    }
}

fn check_distinct(facet: usize, cell: &[u32]) -> Result<(), ContactError> {
    for (k, &node) in cell.iter().enumerate() {
        if cell[..k].contains(&node) {
            return Err(ContactError::RepeatedNode { facet, node });
        }
    }
    Ok(())
}

/// For each node the facets that hold it, and where.
fn facets_around(nodes: usize, starts: &[u32], ranks: &[u32]) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let mut first = vec![0u32; nodes + 1];
    for &r in ranks {
        first[r as usize + 1] += 1;
    }
    for i in 0..nodes {
        first[i + 1] += first[i];
    }
    let (mut at, mut around, mut entries) = (first.clone(), vec![0; ranks.len()], vec![0; ranks.len()]);
    for f in 0..starts.len() - 1 {
        for entry in starts[f]..starts[f + 1] {
            let place = &mut at[ranks[entry as usize] as usize];
            around[*place as usize] = f as u32;
            entries[*place as usize] = entry;
            *place += 1;
        }
    }
    (first, around, entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two segments share their middle node; the ends are the border.
    #[test]
    fn open_line() {
        let s = Surface::new(2, &[(FacetKind::Seg2, &[7, 3, 3, 5])]).expect("valid");
        assert_eq!((s.len(), s.nodes()), (2, &[3, 5, 7][..]));
        assert_eq!((s.neighbour(0, 1), s.neighbour(1, 0), s.neighbour(0, 0)), (Some(1), Some(0), None));
        assert_eq!((0..3).map(|r| s.on_border(r)).collect::<Vec<_>>(), [false, true, true]);
        assert_eq!(s.around(0), [0, 1]);
    }

    /// Each fault is named.
    #[test]
    fn faults() {
        let head_on = Surface::new(2, &[(FacetKind::Seg2, &[0, 1, 2, 1])]);
        assert_eq!(head_on, Err(ContactError::Orientation { facets: [0, 1], nodes: [1, 1] }));
        let star = Surface::new(2, &[(FacetKind::Seg2, &[0, 1, 1, 2, 3, 1])]);
        assert!(matches!(star, Err(ContactError::Branching { .. })));
        assert!(matches!(Surface::new(2, &[(FacetKind::Tri3, &[0, 1, 2])]), Err(ContactError::Kind { .. })));
        assert!(matches!(Surface::new(3, &[(FacetKind::Tri3, &[0, 1, 1])]), Err(ContactError::RepeatedNode { .. })));
        assert!(matches!(Surface::new(3, &[(FacetKind::Tri3, &[0, 1])]), Err(ContactError::NodeCount { .. })));
        assert!(matches!(Surface::new(3, &[]), Err(ContactError::Empty { .. })));
        let book = Surface::new(3, &[(FacetKind::Tri3, &[0, 1, 2, 0, 1, 3])]);
        assert!(matches!(book, Err(ContactError::Orientation { .. })));
    }
}
