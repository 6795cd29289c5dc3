//! Drag of fluids at the nodes of a model: forces that are not linear in the velocity.

use crate::algebra::{AlgebraError, SymmetricMatrix};
use crate::model::Model;
use delassus_dynamics::Drag;

/// The drag of one node.
struct NodeDrag {
    /// Its first degree of freedom.
    at: usize,
    drag: Drag,
    flow: [f64; 3],
}

/// The drag of all nodes in fluids.
pub(crate) struct Resistance {
    dim: usize,
    nodes: Vec<NodeDrag>,
}

impl Resistance {
    /// Nodes share the coefficients as they share the lumped mass.
    pub fn new(model: &Model, lumped: &[f64]) -> Self {
        let dim = model.dim;
        let mut nodes = vec![];
        for fluid in model
            .fluids
            .iter()
            .filter(|_| !lumped.is_empty())
            .filter(|f| f.drag.coefficients().iter().any(|k| *k > 0.0))
        {
            let mass = |n: &u32| lumped[dim * *n as usize];
            let whole: f64 = fluid.nodes.iter().map(mass).sum();
            for n in &fluid.nodes {
                let share = if whole > 0.0 { mass(n) / whole } else { 1.0 / fluid.nodes.len() as f64 };
                let drag = match fluid.drag {
                    Drag::Isotropic(k) => Drag::Isotropic(share * k),
                    Drag::Axes(k) => Drag::Axes(k.map(|k| share * k)),
                };
                nodes.push(NodeDrag { at: dim * *n as usize, drag, flow: fluid.flow });
            }
        }
        Self { dim, nodes }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    fn relative(&self, node: &NodeDrag, v: &[f64]) -> [f64; 3] {
        std::array::from_fn(|k| if k < self.dim { v[node.at + k] - node.flow[k] } else { 0.0 })
    }

    /// Adds the forces, positive against the motion.
    pub fn add_force(&self, v: &[f64], force: &mut [f64]) {
        for node in &self.nodes {
            let w = self.relative(node, v);
            let rates = node.drag.rates(&w[..self.dim]);
            (0..self.dim).for_each(|k| force[node.at + k] += rates[k] * w[k]);
        }
    }

    /// Adds their derivatives, times a factor of each degree of freedom.
    pub fn add_tangent(
        &self,
        v: &[f64],
        factor: &dyn Fn(usize) -> f64,
        matrix: &mut SymmetricMatrix,
    ) -> Result<(), AlgebraError> {
        for node in &self.nodes {
            let w = self.relative(node, v);
            for i in 0..self.dim {
                for j in 0..=i {
                    let slope = node.drag.slope(&w[..self.dim], i, j);
                    matrix.add((node.at + i) as u32, (node.at + j) as u32, factor(node.at) * slope)?;
                }
            }
        }
        Ok(())
    }

    /// Power that the fluids, at velocities `at`, take on the velocities `v`.
    pub fn power(&self, at: &[f64], v: &[f64]) -> f64 {
        let mut sum = 0.0;
        for node in &self.nodes {
            let w = self.relative(node, at);
            let rates = node.drag.rates(&w[..self.dim]);
            sum += (0..self.dim).map(|k| rates[k] * w[k] * v[node.at + k]).sum::<f64>();
        }
        sum
    }
}
