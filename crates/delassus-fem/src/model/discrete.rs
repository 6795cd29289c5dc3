//! Springs, dampers and point masses
//!
//! A spring or damper acts along one coordinate, between two degrees of freedom or between
//! one and the ground.

use super::ModelError;

/// What a discrete element is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DiscreteKind {
    /// Force `k (u_a − u_b − rest)`.
    Spring {
        /// Stiffness \[N/m\].
        stiffness: f64,
        /// Difference of displacements without force \[m\].
        rest: f64,
    },
    /// Force `c (v_a − v_b)`.
    Damper {
        /// \[N·s/m\].
        coefficient: f64,
    },
    /// Inertia of one degree of freedom.
    Mass {
        /// \[kg\].
        mass: f64,
    },
}

/// A discrete element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Discrete {
    /// What it is.
    pub kind: DiscreteKind,
    /// Where it acts.
    pub a: u32,
    /// The other end; without one, the ground.
    pub b: Option<u32>,
}

impl Discrete {
    /// Its degrees of freedom.
    pub fn dofs(&self) -> impl Iterator<Item = u32> + use<> {
        [Some(self.a), self.b].into_iter().flatten()
    }

    pub(super) fn validate(&self) -> Result<(), ModelError> {
        let check = |what, value: f64, ok: bool| match ok && value.is_finite() {
            true => Ok(()),
            false => Err(ModelError::Value {
                what,
                name: format!("degree of freedom {}", self.a),
                value,
                expected: "a finite number, zero or more",
            }),
        };
        match self.kind {
            DiscreteKind::Spring { stiffness, rest } => {
                check("stiffness", stiffness, stiffness >= 0.0)?;
                check("rest", rest, true)
            }
            DiscreteKind::Damper { coefficient } => check("damping", coefficient, coefficient >= 0.0),
            DiscreteKind::Mass { mass } => check("mass", mass, mass >= 0.0),
        }
    }

    /// Relative value of a field.
    pub(crate) fn across(&self, x: &[f64]) -> f64 {
        x[self.a as usize] - self.b.map_or(0.0, |b| x[b as usize])
    }
}
