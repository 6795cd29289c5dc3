//! A fluid around a body.

use crate::Error;
use crate::error::{finite, not_negative};
use delassus_contact::Vector;
use delassus_dynamics::Drag;

/// Drag and buoyancy of a body, at its centre of mass.
///
/// The drag is taken as `−K |v_i| v_f` relative to the fluid: it joins the inertia as `A = M + h C` of method (9) does, is
/// stable for any step, and keeps the second order of the scheme (Kahan's rule for quadratic terms).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fluid<const D: usize> {
    /// The body.
    pub body: u32,
    /// Resistance.
    pub drag: Drag,
    /// Velocity of the fluid \[m/s\].
    pub flow: Vector<D>,
    /// Share of the weight that the fluid carries.
    pub buoyancy: f64,
    /// Mass of the fluid that moves with the body \[kg\]: inertia of translations, no weight.
    pub added_mass: f64,
}

impl<const D: usize> Fluid<D> {
    pub(crate) fn validate(&self, owner: &str) -> Result<(), Error> {
        self.drag.coefficients().iter().try_for_each(|k| not_negative(owner, "drag", *k))?;
        finite(owner, "velocity of the fluid", self.flow.as_slice())?;
        not_negative(owner, "buoyancy", self.buoyancy)?;
        not_negative(owner, "added mass", self.added_mass)
    }
}
