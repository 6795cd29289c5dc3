//! Rows that hold whatever touches: models glued to each other
//!
//! ```text
//!     B u = 0   or   B v = 0,     the multipliers Υ push with −Bᵀ Υ                 method (17)
//! ```

use super::ModelError;

/// What the rows of a tie speak of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Glued {
    /// Velocities: the tie does no work, whatever the scheme \[Zammali05\] remark 4.3.
    #[default]
    Velocities,
    /// Displacements at the end of the step: no work with the trapezoidal rule, (4.54).
    Displacements,
}

/// One row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TieRow {
    /// Degrees of freedom and their coefficients.
    pub terms: Vec<(u32, f64)>,
    /// Degree of freedom whose function the multiplier has, for pictures.
    pub place: Option<u32>,
}

/// Rows under one name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tie {
    /// Its name.
    pub name: String,
    /// The rows.
    pub rows: Vec<TieRow>,
    /// What they speak of.
    pub glued: Glued,
}

impl Tie {
    pub(super) fn validate(&self, dofs: u32) -> Result<(), ModelError> {
        for (dof, c) in self.rows.iter().flat_map(|r| &r.terms) {
            if *dof >= dofs {
                return Err(ModelError::Dof { what: "tie", dof: *dof, dofs });
            }
            if !c.is_finite() {
                let (what, name) = ("coefficient of the tie", self.name.clone());
                return Err(ModelError::Value { what, name, value: *c, expected: "a finite number" });
            }
        }
        Ok(())
    }
}
