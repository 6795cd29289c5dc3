//! Fluids around bodies: what they add to A, and their works.

use super::RigidSystem;
use crate::Kinematics;
use delassus_contact::{Dim, Vector};
use delassus_dynamics::State;

/// Of each degree of freedom: `F = push − rate u_f`.
#[derive(Default)]
pub(super) struct Resistance {
    /// \[kg/s\].
    pub rate: Vec<f64>,
    /// From the velocity of the fluid \[N\].
    pub push: Vec<f64>,
}

impl<const D: usize, const C: usize> RigidSystem<D, C>
where
    Dim<D>: Kinematics<D>,
{
    /// Resistance at the velocities of the beginning, and `1/A` with it.
    pub(super) fn surround(&mut self, state: &State, h: f64) {
        let model = self.model.clone();
        if model.fluids.is_empty() {
            return;
        }
        let Resistance { rate, push } = &mut self.resistance;
        for x in [&mut *rate, &mut *push] {
            x.clear();
            x.resize(self.inverse.len(), 0.0);
        }
        for fluid in &model.fluids {
            let at = Self::dofs_of(fluid.body as usize).start;
            let v = Vector::<D>::from_fn(|k, _| state.u[at + k] - fluid.flow[k]);
            let rates = fluid.drag.rates(v.as_slice());
            for k in 0..D {
                rate[at + k] += rates[k];
                push[at + k] += rates[k] * fluid.flow[k];
            }
        }
        for fluid in &model.fluids {
            let at = Self::dofs_of(fluid.body as usize).start;
            let mass = model.bodies[fluid.body as usize].mass;
            (at..at + D).for_each(|k| self.inverse[k] = 1.0 / (mass + h * rate[k]));
        }
    }

    /// Whether a fluid resists a degree of freedom.
    pub(super) fn is_resisted(&self, k: usize) -> bool {
        self.resistance.rate.get(k).is_some_and(|r| *r > 0.0)
    }

    /// Free velocity of a degree of freedom that a fluid resists.
    pub(super) fn resisted(&self, k: usize, mass: f64, u: f64, h: f64) -> f64 {
        self.inverse[k] * (mass * u + h * (self.force(k) + self.resistance.push[k]))
    }

    /// Energy that a fluid takes where the velocity ends at `u`, and is `mean` in the mean.
    pub(super) fn taken(&self, k: usize, u: f64, mean: f64, h: f64) -> f64 {
        h * (self.resistance.rate[k] * u - self.resistance.push[k]) * mean
    }
}
