//! What is imposed: displacements and forces, as functions of time.

use super::ModelError;
use crate::Function;
use crate::solid::Facets;

/// Imposed displacements of some degrees of freedom.
#[derive(Clone, Debug)]
pub struct Support {
    /// Which ones.
    pub dofs: Vec<u32>,
    /// Their displacement \[m\].
    pub value: Function,
}

/// Where a load acts.
#[derive(Clone, Debug)]
pub enum LoadKind {
    /// Generalised forces \[N\] at degrees of freedom, fixed in direction.
    Forces(Vec<(u32, f64)>),
    /// Pressure on facets of a part, turning with them.
    Pressure {
        /// The part.
        part: usize,
        /// The facets.
        facets: Facets,
        /// \[Pa\], positive inwards.
        pressure: f64,
    },
}

/// A load.
#[derive(Clone, Debug)]
pub struct Load {
    /// Where and how much.
    pub kind: LoadKind,
    /// Factor in time.
    pub factor: Function,
}

impl Load {
    pub(super) fn validate(&self, dofs: u32) -> Result<(), ModelError> {
        if !self.factor.is_valid() {
            return Err(ModelError::Function { what: "load" });
        }
        if let LoadKind::Forces(forces) = &self.kind {
            for &(dof, force) in forces {
                if dof >= dofs {
                    return Err(ModelError::Dof { what: "load", dof, dofs });
                }
                if !force.is_finite() {
                    return Err(ModelError::Value {
                        what: "force",
                        name: format!("degree of freedom {dof}"),
                        value: force,
                        expected: "a finite number",
                    });
                }
            }
        }
        Ok(())
    }
}
