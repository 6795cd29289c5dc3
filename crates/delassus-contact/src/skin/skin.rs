//! The skin of a deformable solid: its nodes and facets, where they are now.

use super::facet::shape;
use super::master::{Hit, Itself, MasterSurface, Query};
use super::{ContactError, Stencil, Surface};
use crate::{Aabb, Vector};

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

/// A skin as it is described.
#[derive(Clone, Debug)]
pub struct SkinSpec {
    /// The body it belongs to, as contacts name it.
    pub body: u32,
    /// Its facets, in the numbering of the nodes of all solids.
    pub surface: Surface,
    /// Index of its material; laws are given by pairs of materials.
    pub material: u16,
    /// Skins and colliders of the same group other than 0 do not meet.
    pub group: u16,
    /// Whether it may touch itself.
    pub itself: bool,
}

impl SkinSpec {
    /// Material 0, no group, not looking for itself.
    pub fn new(body: u32, surface: Surface) -> Self {
        Self { body, surface, material: 0, group: 0, itself: false }
    }

    /// Of a material.
    pub fn material(mut self, material: u16) -> Self {
        self.material = material;
        self
    }

    /// In a group.
    pub fn group(mut self, group: u16) -> Self {
        self.group = group;
        self
    }

    /// Touching itself where it folds.
    pub fn touching_itself(mut self) -> Self {
        self.itself = true;
        self
    }
}

/// A skin where it is now.
#[derive(Clone, Debug)]
pub struct Skin<const D: usize> {
    pub(crate) surface: MasterSurface<D>,
    body: u32,
    material: u16,
    group: u16,
    itself: bool,
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
    /// At its reference positions.
    pub fn new(spec: SkinSpec, reference: &[f64]) -> Result<Self, ContactError> {
        let SkinSpec { body, surface, material, group, itself } = spec;
        if surface.dim() != D {
            let expected = if D == 2 { "2, that of the space" } else { "3, that of the space" };
            return Err(ContactError::Dimension { what: "the skin", got: surface.dim(), expected });
        }
        let surface = MasterSurface::new(surface, false);
        let mut skin = Self { surface, body, material, group, itself, size: 0.0, sharp: vec![], bounds: Aabb::empty() };
        skin.check("reference position", reference)?;
        skin.measure(reference);
        Ok(skin)
    }

    /// Refuses positions that are too few or not finite.
    pub fn check(&self, what: &'static str, x: &[f64]) -> Result<(), ContactError> {
        self.surface.surface.check::<D>(what, x)
    }

    /// Sizes and corners at rest.
    fn measure(&mut self, reference: &[f64]) {
        self.update(reference);
        let s = &self.surface;
        self.size = s.patches.iter().map(|p| p.size()).sum::<f64>() / s.patches.len() as f64;
        let is_sharp = |rank: usize| {
            let normals: Vec<Vector<D>> = s.surface.entries(rank).iter().map(|e| s.own[*e as usize]).collect();
            normals.iter().any(|a| normals.iter().any(|b| a.dot(b) < SHARP))
        };
        self.sharp = (0..s.surface.nodes().len()).map(is_sharp).collect();
    }

    /// Moves the skin to the positions of all solids, which [`check`](Self::check) accepts.
    pub fn update(&mut self, x: &[f64]) {
        self.surface.update(x);
        let at = |n: &u32| Vector::<D>::from_column_slice(&x[D * *n as usize..][..D]);
        self.bounds = self.nodes().iter().fold(Aabb::empty(), |b, n| b.with(&at(n)));
    }

    /// The body it belongs to.
    pub fn body(&self) -> u32 {
        self.body
    }

    /// Its material, for the laws.
    pub fn material(&self) -> u16 {
        self.material
    }

    /// Its group.
    pub fn group(&self) -> u16 {
        self.group
    }

    /// Whether it may touch itself.
    pub fn touches_itself(&self) -> bool {
        self.itself
    }

    /// Mean size of its facets at rest \[m\].
    pub fn size(&self) -> f64 {
        self.size
    }

    /// Its facets.
    pub fn facets(&self) -> &Surface {
        &self.surface.surface
    }

    /// The box around it.
    pub fn bounds(&self) -> &Aabb<D> {
        &self.bounds
    }

    /// The box around its facets, which bulge beyond their nodes where they are curved.
    pub(crate) fn aabb(&self) -> Aabb<D> {
        self.surface.tree.bounds()
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
    pub fn met_by(&self, (other, rank): (&Self, usize), x: &Vector<D>, reach: f64, margin: f64) -> Option<Foot<D>> {
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

    /// The place of this skin that its own node `rank`, at `x`, meets.
    pub(crate) fn nearest_of_itself(
        &self,
        rank: usize,
        x: &Vector<D>,
        reach: f64,
        itself: Itself<D>,
    ) -> Option<Foot<D>> {
        let q = Query { itself: Some(itself), ..query(x, &self.normal(rank), reach) };
        self.surface.find(&q, None).map(|hit| self.foot(&hit))
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
