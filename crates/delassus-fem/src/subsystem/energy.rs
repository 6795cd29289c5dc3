//! Energies, works and momenta of a solid.

use super::Deformable;
use crate::structure::At;
use delassus_dynamics::{Momenta, Works};

impl Deformable {
    /// `½ vᵀ M v`.
    pub fn kinetic(&self, v: &[f64]) -> f64 {
        self.structure.kinetic(v, false)
    }

    /// Strain energy, springs included, and potential of gravity.
    pub fn potential(&self, q: &[f64]) -> f64 {
        let (u, history) = q.split_at(self.dofs());
        let gravity: f64 = -u.iter().zip(&self.weight).map(|(u, w)| u * w).sum::<f64>();
        if let Some((kept, energy)) = &*self.stored.borrow()
            && kept == q
        {
            return energy + gravity;
        }
        let (v, mut new) = (vec![0.0; u.len()], history.to_vec());
        // A state comes from a commit, which evaluated it; one that did not has no energy.
        self.structure.advance(At { u, v: &v, history }, &mut new).map_or(f64::NAN, |e| e.strain + gravity)
    }

    /// Works over the step on the mean velocities: loads and supports, forces of the material
    /// and gravity.
    pub fn works(&self, mean: &[f64]) -> Works {
        let (step, h) = (&self.step, self.step.h);
        // v_f − v_i and v_f − v_free.
        let jump: Vec<f64> = mean.iter().zip(&step.v).map(|(m, v)| 2.0 * (m - v)).collect();
        let contact: Vec<f64> = (0..mean.len()).map(|i| step.v[i] + jump[i] - step.free[i]).collect();
        let (mut inertia, mut percussion) = (vec![0.0; mean.len()], vec![0.0; mean.len()]);
        self.structure.mass().mul_add(&jump, &mut inertia);
        self.matrix.mul_add(&contact, &mut percussion);
        let mut works = Works::default();
        for i in 0..mean.len() {
            let loads = h * step.external[i];
            works.external += loads * mean[i];
            if self.held[i] {
                let own = h * (self.weight[i] - step.internal[i]);
                works.conservative += own * mean[i];
                works.external += (inertia[i] - own - loads) * mean[i];
            } else {
                works.conservative += (inertia[i] - percussion[i] - loads) * mean[i];
            }
        }
        works
    }

    /// Adds linear and angular momentum.
    pub fn add_momenta(&self, q: &[f64], v: &[f64], momenta: &mut Momenta) {
        let dim = self.structure.model().dim;
        let mut p = vec![0.0; v.len()];
        self.structure.mass().mul_add(v, &mut p);
        for (node, p) in p.chunks(dim).enumerate() {
            let wide =
                |x: &dyn Fn(usize) -> f64| -> [f64; 3] { std::array::from_fn(|k| if k < dim { x(k) } else { 0.0 }) };
            let x = wide(&|k| self.reference[dim * node + k] + q[dim * node + k]);
            let p = wide(&|k| p[k]);
            for k in 0..3 {
                let (a, b) = ((k + 1) % 3, (k + 2) % 3);
                momenta.linear[k] += p[k];
                momenta.angular[k] += x[a] * p[b] - x[b] * p[a];
            }
        }
    }
}
