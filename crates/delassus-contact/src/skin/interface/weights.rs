//! Shares of the reference area

use super::{Interface, Now};
use crate::skin::ContactError;
use crate::skin::FacetKind;
use crate::skin::facet::{FACET_NODES, Patch, Shape, Xi, shape};
use crate::{Dim, Space};

impl<const D: usize> Interface<D>
where
    Dim<D>: Space<D>,
{
    pub(super) fn reference_patch(&self, now: &Now<D>, f: usize) -> Result<Patch<D>, ContactError> {
        let patch = Patch::<D>::gather(self.slave.kind(f), self.slave.facet(f), now.reference);
        match patch.normal(patch.kind.centre()) {
            Some(_) => Ok(patch),
            None => Err(ContactError::Degenerate { facet: f, nodes: self.slave.facet(f).to_vec() }),
        }
    }

    /// Area per unit of the facet's coordinates.
    pub(super) fn measure(&self, reference: &Patch<D>, xi: Xi) -> f64 {
        let jacobian = reference.area_normal(xi).norm();
        if D == 3 {
            jacobian
        } else if self.settings.axisymmetric {
            jacobian * std::f64::consts::TAU * reference.point(xi)[0]
        } else {
            jacobian * self.settings.thickness
        }
    }

    /// Shares of a facet's area at its nodes: ∫ B_k, with positive B_k that add up to one.
    pub(super) fn nodal_weights(&self, now: &Now<D>, f: usize) -> Result<[f64; FACET_NODES], ContactError> {
        let mut weights = [0.0; FACET_NODES];
        // A node without an area carries forces, not stresses.
        if self.slave.kind(f) == FacetKind::Point {
            weights[0] = 1.0;
            return Ok(weights);
        }
        let patch = self.reference_patch(now, f)?;
        for &(xi, w) in &self.rules.of(patch.kind.domain()).points {
            let area = w * self.measure(&patch, xi);
            let b = nodal_basis(patch.kind, &shape(patch.kind.linear(), xi));
            for k in 0..patch.len() {
                weights[k] += area * b[k];
            }
        }
        Ok(weights)
    }
}

/// Corners take a share of their linear function, nodes on edges the rest from both ends:
/// (1/6, 2/3, 1/6) on segments, (1/12, 1/4) on triangles, (1/12, 1/6) on quadrangles.
/// Rejected: ∫ N_k, which vanishes or is negative at corners of quadratic facets.
fn nodal_basis(kind: FacetKind, s: &Shape) -> [f64; FACET_NODES] {
    let corners = kind.corners();
    let (corner, edge) = match kind {
        FacetKind::Seg3 => (1.0 / 3.0, 2.0 / 3.0),
        FacetKind::Tri6 => (1.0 / 4.0, 3.0 / 8.0),
        FacetKind::Quad8 => (1.0 / 3.0, 1.0 / 3.0),
        _ => return s.n,
    };
    let mut b = [0.0; FACET_NODES];
    for k in 0..corners {
        b[k] = corner * s.n[k];
    }
    let edges = kind.nodes() - corners;
    for e in 0..edges {
        b[corners + e] = edge * (s.n[e] + s.n[(e + 1) % corners]);
    }
    b
}
