//! A mesh of its own for the multipliers, independent of both sides (thesis fig. 3.1(b))
//!
//! It lies on the slave surface in the reference configuration and moves with it: the multiplier at a slave
//! point is that of the nearest place of the mesh. Where it does not cover the slave it is continued by what
//! it has at its border. In the plane slave facets are also cut at its nodes, so that products of all three
//! meshes are integrated exactly; in space they are not.

use super::facet::{FACET_NODES, shape};
use super::interface::corner_numbers;
use super::master::{MasterSurface, Query};
use super::{ContactError, Multipliers, Stencil, Surface};
use crate::Vector;

/// A surface with positions of its own, which carries the multipliers of another.
#[derive(Clone, Debug, PartialEq)]
pub struct Carrier {
    surface: Surface,
    positions: Vec<f64>,
}

impl Carrier {
    /// A surface whose nodes are at these reference positions.
    pub fn new(surface: Surface, positions: Vec<f64>) -> Result<Self, ContactError> {
        match surface.dim() {
            2 => surface.check::<2>("position of the interface mesh", &positions)?,
            _ => surface.check::<3>("position of the interface mesh", &positions)?,
        }
        Ok(Self { surface, positions })
    }

    /// Its facets.
    pub fn surface(&self) -> &Surface {
        &self.surface
    }
}

/// A carrier made ready for an interface.
#[derive(Clone, Debug)]
pub(crate) struct Carried<const D: usize> {
    at: MasterSurface<D>,
    /// Linear multipliers, by rank of the node.
    number: Vec<u32>,
    linear: usize,
}

impl<const D: usize> Carried<D> {
    pub fn new(carrier: &Carrier) -> Self {
        let mut at = MasterSurface::new(carrier.surface.clone(), false);
        at.update(&carrier.positions);
        let (number, linear) = corner_numbers(&carrier.surface);
        Self { at, number, linear }
    }

    /// Number of multipliers.
    pub fn multipliers(&self, space: Multipliers) -> usize {
        match space {
            Multipliers::P1 => self.linear,
            Multipliers::P0 => self.at.surface.len(),
        }
    }

    /// Places of its corners, where its functions have kinks.
    pub fn corners(&self) -> impl Iterator<Item = &Vector<D>> {
        self.at.patches.iter().flat_map(|p| &p.x[..p.kind.corners()])
    }

    /// The multipliers at a reference place, those that vanish left out.
    pub fn multiplier_at(&self, x: &Vector<D>, space: Multipliers) -> Stencil {
        let (normal, reach) = (Vector::zeros(), f64::MAX.sqrt());
        let q = Query { x: *x, normal, direction: None, reach, border: 0.0, itself: None };
        let Some((f, closest)) = self.at.nearest(&q) else { return Stencil::default() };
        if space == Multipliers::P0 {
            return Stencil::new(&[f as u32], &[1.0]);
        }
        let kind = self.at.surface.kind(f);
        let psi = shape(kind.linear(), closest.xi).n;
        let (mut count, mut index, mut value) = (0, [0; FACET_NODES], [0.0; FACET_NODES]);
        for (k, &r) in self.at.surface.ranks(f)[..kind.corners()].iter().enumerate() {
            if psi[k] != 0.0 {
                (index[count], value[count]) = (self.number[r as usize], psi[k]);
                count += 1;
            }
        }
        Stencil::new(&index[..count], &value)
    }
}
