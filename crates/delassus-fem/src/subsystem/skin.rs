//! The skin of a deformable part: its nodes and facets, where they are now.

use super::DeformableError;
use crate::contact::{Hit, MasterSurface, Query, Stencil, Surface, shape};
use crate::mesh::CellKind;
use crate::model::Part;
use delassus_contact::{Aabb, Vector};

/// A contact whose normal is closer than this to tangent (cosine) does not press on the skin.
const FACING: f64 = 0.1;
/// Edges sharper than this (cosine between neighbouring facets, 60°) are corners.
const SHARP: f64 = 0.5;
/// A node closer than this to another lies on it, in sizes of facets.
const FLUSH: f64 = 1e-6;
/// How far a point is moved into its solid to tell faces apart at corners, in sizes of facets.
const INSET: f64 = 0.05;
/// A share of a node above this means that the place is the node.
const NODE: f64 = 1.0 - 1e-6;

/// The skin of a part.
pub struct Skin<const D: usize> {
    surface: MasterSurface<D>,
    solid: u32,
    material: u16,
    /// Mean size of the facets at rest \[m\].
    size: f64,
    /// Whether a node, by rank, is a sharp corner at rest.
    sharp: Vec<bool>,
    bounds: Aabb<D>,
}

/// The place of a skin nearest to a point.
#[derive(Clone, Copy, Debug)]
pub struct Foot<const D: usize> {
    /// Nodes and their shares.
    pub stencil: Stencil,
    /// Out of the solid.
    pub normal: Vector<D>,
    /// Signed distance, negative inside \[m\].
    pub gap: f64,
    /// The place.
    pub place: Vector<D>,
}

impl<const D: usize> Foot<D> {
    /// Whether the place is one node.
    pub fn is_node(&self) -> bool {
        self.stencil.values().iter().any(|c| *c > NODE)
    }
}

impl<const D: usize> Skin<D> {
    /// All facets of a part that have one neighbour only; `first` is the number of its first node.
    pub(super) fn new(part: &Part, first: u32, (solid, material): (u32, u16)) -> Result<Self, DeformableError> {
        let failed = |e| DeformableError::Skin { solid: part.name.clone(), reason: Box::new(e) };
        let mut facets: Vec<(CellKind, Vec<u32>)> = vec![];
        for facet in part.mesh.boundary() {
            let nodes = facet.nodes().iter().map(|n| first + n);
            match facets.last_mut().filter(|(kind, _)| *kind == facet.kind) {
                Some((_, list)) => list.extend(nodes),
                None => facets.push((facet.kind, nodes.collect())),
            }
        }
        let slices: Vec<(CellKind, &[u32])> = facets.iter().map(|(k, n)| (*k, n.as_slice())).collect();
        let surface = Surface::new(part.mesh.dim, &slices).map_err(failed)?;
        let surface = MasterSurface::new(surface, false);
        Ok(Self { surface, solid, material, size: 0.0, sharp: vec![], bounds: Aabb::empty() })
    }

    /// Sizes and corners at rest.
    pub(super) fn measure(&mut self, reference: &[f64]) {
        self.update(reference);
        let s = &self.surface;
        self.size = s.patches.iter().map(|p| p.size()).sum::<f64>() / s.patches.len() as f64;
        let is_sharp = |rank: usize| {
            let normals: Vec<Vector<D>> = s.surface.entries(rank).iter().map(|e| s.own[*e as usize]).collect();
            normals.iter().any(|a| normals.iter().any(|b| a.dot(b) < SHARP))
        };
        self.sharp = (0..s.surface.nodes().len()).map(is_sharp).collect();
    }

    /// Moves the skin to the positions of all solids.
    pub(super) fn update(&mut self, x: &[f64]) {
        self.surface.update(x);
        let at = |n: &u32| Vector::<D>::from_column_slice(&x[D * *n as usize..][..D]);
        self.bounds = self.nodes().iter().fold(Aabb::empty(), |b, n| {
            let p = at(n);
            Aabb { min: b.min.inf(&p), max: b.max.sup(&p) }
        });
    }

    /// The solid it belongs to.
    pub fn solid(&self) -> u32 {
        self.solid
    }

    /// Its material, for the laws.
    pub fn material(&self) -> u16 {
        self.material
    }

    /// Mean size of its facets at rest \[m\].
    pub fn size(&self) -> f64 {
        self.size
    }

    /// The box around it.
    pub fn bounds(&self) -> &Aabb<D> {
        &self.bounds
    }

    /// Its nodes, in the common numbering, ascending.
    pub fn nodes(&self) -> &[u32] {
        self.surface.surface.nodes()
    }

    /// Whether the node of a rank is a sharp corner at rest.
    pub fn is_sharp(&self, rank: usize) -> bool {
        self.sharp[rank]
    }

    /// Mean of the outward normals around the node of a rank; zero where they cancel.
    pub fn normal(&self, rank: usize) -> Vector<D> {
        let sum: Vector<D> = self.surface.surface.entries(rank).iter().map(|e| self.surface.own[*e as usize]).sum();
        if sum.norm() > 1e-9 { sum.normalize() } else { Vector::zeros() }
    }

    /// Whether a contact whose normal points into the solid presses on the skin at a node.
    pub fn faces(&self, rank: usize, inwards: &Vector<D>) -> bool {
        let s = &self.surface;
        s.surface.entries(rank).iter().any(|e| s.own[*e as usize].dot(inwards) < -FACING)
    }

    /// The stencil of the node of a rank.
    pub fn node(&self, rank: usize) -> Stencil {
        Stencil::new(&[self.nodes()[rank]], &[1.0])
    }

    /// The place nearest to `x` within `reach`; for a point with an outward `normal` of its own
    /// (else zero), facets that look the same way are left out.
    pub fn nearest(&self, x: &Vector<D>, normal: &Vector<D>, reach: f64) -> Option<Foot<D>> {
        self.surface.find(&query(x, normal, reach), None).map(|hit| self.foot(&hit))
    }

    /// The place of this skin that the node `rank` of another, at `x`, meets: the nearest one, unless
    /// the node does not look at it. At corners that lie flush the nearest face may be the wrong one;
    /// seen from a little inside the node's solid, it is the right one.
    /// None beyond the gap `margin`.
    pub(super) fn met_by(
        &self,
        (other, rank): (&Self, usize),
        x: &Vector<D>,
        reach: f64,
        margin: f64,
    ) -> Option<Foot<D>> {
        let normal = other.normal(rank);
        let hit = self.surface.find(&query(x, &normal, reach), None)?;
        if hit.gap > margin {
            return None;
        }
        let foot = self.foot(&hit);
        // A node on a node has any normal between those of the facets.
        let flush = foot.is_node() && hit.gap.abs() <= FLUSH * self.size;
        if other.faces(rank, &hit.normal) && !flush {
            return Some(foot);
        }
        let inside = x - normal * (INSET * other.size);
        let facet = self.surface.find(&query(&inside, &normal, reach), None)?.facet;
        let hit = self.surface.on_facet(&query(x, &normal, reach), facet as usize, INSET)?;
        (hit.gap <= margin && other.faces(rank, &hit.normal)).then(|| self.foot(&hit))
    }

    fn foot(&self, hit: &Hit<D>) -> Foot<D> {
        let (f, s) = (hit.facet as usize, &self.surface.surface);
        let stencil = Stencil::new(s.facet(f), &shape(s.kind(f), hit.xi).n);
        Foot { stencil, normal: hit.normal, gap: hit.gap, place: hit.foot }
    }
}

/// A point looking for the nearest place.
fn query<'a, const D: usize>(x: &Vector<D>, normal: &Vector<D>, reach: f64) -> Query<'a, D> {
    Query { x: *x, normal: *normal, direction: None, reach, border: 0.0, itself: None }
}
