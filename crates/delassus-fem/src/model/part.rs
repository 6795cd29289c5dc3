//! A deformable part: a mesh, a solid on it, where it starts.

use super::ModelError;
use crate::mesh::{CellRef, Mesh};
use crate::solid::{Solid, SolidSpec};
use std::sync::Arc;

/// What makes a part.
#[derive(Clone, Debug)]
pub struct PartSpec {
    /// Its name.
    pub name: String,
    /// The mesh, in place.
    pub mesh: Arc<Mesh>,
    /// Elements and material.
    pub solid: SolidSpec,
    /// Initial velocity \[m/s\].
    pub velocity: [f64; 3],
    /// Rayleigh damping: of the mass \[1/s\], of the initial stiffness \[s\].
    pub rayleigh: [f64; 2],
}

/// A part of a model.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// The mesh.
    pub mesh: Arc<Mesh>,
    /// Elements and material.
    pub solid: Solid,
    /// Number of its first node in the model.
    pub first: usize,
    /// Initial velocity.
    pub velocity: [f64; 3],
    /// Rayleigh damping.
    pub rayleigh: [f64; 2],
    /// Facets of its boundary that nothing can touch, because another model is there: their ranks, rising.
    pub hidden: Vec<usize>,
}

impl Part {
    pub(super) fn new(spec: PartSpec, first: usize, dim: usize) -> Result<Self, ModelError> {
        let PartSpec { name, mesh, solid, velocity, rayleigh } = spec;
        if mesh.dim != dim {
            return Err(ModelError::Dimension { part: name, expected: dim, found: mesh.dim });
        }
        for value in velocity.iter().chain(&rayleigh) {
            if !value.is_finite() {
                let what = "velocity or damping";
                return Err(ModelError::Value { what, name, value: *value, expected: "a finite number" });
            }
        }
        if let Some(value) = rayleigh.iter().find(|x| **x < 0.0) {
            return Err(ModelError::Value { what: "rayleigh damping", name, value: *value, expected: "zero or more" });
        }
        let cells: Vec<CellRef> = mesh.cells_of_dim(dim).collect();
        let solid = match Solid::new(&mesh, &cells, solid) {
            Ok(solid) => solid,
            Err(reason) => return Err(ModelError::Solid { part: name, reason }),
        };
        Ok(Self { name, mesh, solid, first, velocity, rayleigh, hidden: vec![] })
    }

    /// Its boundary as a contact surface, without what is hidden.
    pub fn skin(&self) -> Result<crate::contact::Surface, crate::contact::ContactError> {
        self.mesh.bare_skin(self.first as u32, &self.hidden)
    }

    /// Whether nothing of its boundary is left to contact.
    pub fn is_hidden(&self) -> bool {
        self.hidden.len() == self.mesh.boundary().len()
    }

    /// The same part on a mesh of the same cells, whole: what it had shared is its own again.
    pub(super) fn remade(&self, mesh: Arc<Mesh>) -> Result<Self, ModelError> {
        let (solid, name) = (self.solid.spec().clone(), self.name.clone());
        let spec = PartSpec { name, mesh, solid, velocity: self.velocity, rayleigh: self.rayleigh };
        Self::new(spec, self.first, self.mesh.dim)
    }

    /// Degrees of freedom of the part in the vectors of the model.
    pub fn range(&self) -> std::ops::Range<usize> {
        let dim = self.mesh.dim;
        dim * self.first..dim * (self.first + self.mesh.points.len())
    }
}
