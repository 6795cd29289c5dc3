//! A fluid around nodes of solids or beams.

use super::ModelError;
use delassus_dynamics::Drag;

/// Drag and buoyancy of some nodes, which share the drag as they share the mass.
#[derive(Clone, Debug, PartialEq)]
pub struct Fluid {
    /// The nodes, in the numbering of the model.
    pub nodes: Vec<u32>,
    /// Resistance of all of them together.
    pub drag: Drag,
    /// Velocity of the fluid \[m/s\].
    pub flow: [f64; 3],
    /// Share of their weight that the fluid carries.
    pub buoyancy: f64,
}

impl Fluid {
    pub(super) fn validate(&self, nodes: usize) -> Result<(), ModelError> {
        if let Some(node) = self.nodes.iter().find(|n| **n as usize >= nodes) {
            return Err(ModelError::Dof { what: "fluid", dof: *node, dofs: nodes as u32 });
        }
        let check = |what, value: f64, ok: bool| match ok && value.is_finite() {
            true => Ok(()),
            false => Err(ModelError::Value { what, name: "fluid".into(), value, expected: "zero or more" }),
        };
        self.drag.coefficients().iter().try_for_each(|k| check("drag", *k, *k >= 0.0))?;
        self.flow.iter().try_for_each(|v| check("velocity of the fluid", *v, true))?;
        check("buoyancy", self.buoyancy, self.buoyancy >= 0.0)
    }
}
