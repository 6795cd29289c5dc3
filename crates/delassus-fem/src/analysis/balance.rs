//! The balance of a step as a function of its unknowns
//!
//! ```text
//!     R(y) = M a⁺ + w F_int(u⁺, v⁺) + (1 − w) F_int(u, v) − w F_ext(t⁺) − (1 − w) F_ext(t)
//! ```

use super::Error;
use crate::structure::{At, Structure};
use crate::{Prediction, Scheme};

/// Vectors of a step.
#[derive(Default)]
pub struct Balance {
    /// The step in terms of `y`.
    pub prediction: Prediction,
    /// The unknowns.
    pub y: Vec<f64>,
    /// Motion at the end.
    pub u: Vec<f64>,
    /// Velocities at the end.
    pub v: Vec<f64>,
    /// Accelerations at the end.
    pub a: Vec<f64>,
    /// Internal forces at the end.
    pub internal: Vec<f64>,
    /// External forces at the end.
    pub external: Vec<f64>,
    /// Internal and external forces at the beginning.
    pub before: [Vec<f64>; 2],
    /// Residual, contact excluded.
    pub residual: Vec<f64>,
    /// Largest of the terms: what the residual is compared with.
    pub scale: f64,
    /// What round-off of the displacements alone leaves of the balance, relative to `scale`.
    pub round: f64,
    weight: f64,
    /// Momentum over the step: changes of velocity are compared with the velocity.
    momentum: f64,
}

impl Balance {
    /// Predicts a step of length `h` and sets held degrees of freedom.
    pub fn begin(
        &mut self,
        structure: &mut Structure,
        scheme: &Scheme,
        h: f64,
        state: &super::State,
    ) -> Result<(), Error> {
        scheme.predict(h, [&state.u, &state.v, &state.a], &mut self.prediction);
        self.weight = scheme.weight();
        self.y.clear();
        self.y.extend(state.v.iter().zip(&state.a).map(|(v, a)| scheme.start(*v, *a)));
        let n = self.y.len();
        for x in [&mut self.u, &mut self.v, &mut self.a, &mut self.internal, &mut self.external, &mut self.residual] {
            x.clear();
            x.resize(n, 0.0);
        }
        self.before.iter_mut().for_each(|x| {
            x.clear();
            x.resize(n, 0.0);
        });
        if self.weight != 1.0 {
            let at = At { u: &state.u, v: &state.v, history: &state.history };
            structure.internal(at, None, &mut self.before[0])?;
            structure.external(state.time, &state.u, &mut self.before[1])?;
        }
        structure.external(state.time + h, &state.u, &mut self.external)?;
        self.momentum = 0.0;
        if scheme.is_dynamic() {
            self.residual.fill(0.0);
            structure.mass().mul_add(&state.v, &mut self.residual);
            self.momentum = norm(&self.residual) / h;
        }
        let Prediction { u, c, .. } = &self.prediction;
        for (dof, value) in structure.held(state.time + h) {
            self.y[dof] = (value - u[dof]) / c[0];
        }
        Ok(())
    }

    /// Motion from the unknowns.
    pub fn place(&mut self) {
        let Prediction { u, v, a, c } = &self.prediction;
        for i in 0..self.y.len() {
            self.u[i] = u[i] + c[0] * self.y[i];
            self.v[i] = v[i] + c[1] * self.y[i];
            self.a[i] = a[i] + c[2] * self.y[i];
        }
    }

    /// Residual (and tangent in the structure) at the present unknowns, without contact.
    pub fn evaluate(&mut self, structure: &mut Structure, history: &[f64], tangent: bool) -> Result<(), Error> {
        self.place();
        let (w, [c_u, c_v, _]) = (self.weight, self.prediction.c);
        let at = At { u: &self.u, v: &self.v, history };
        structure.internal(at, tangent.then_some([w * c_u, w * c_v]), &mut self.internal)?;
        self.residual.fill(0.0);
        if self.prediction.c[2] != 0.0 {
            structure.mass().mul_add(&self.a, &mut self.residual);
        }
        let inertia = norm(&self.residual);
        for i in 0..self.residual.len() {
            self.residual[i] += w * self.internal[i] + (1.0 - w) * self.before[0][i]
                - w * self.external[i]
                - (1.0 - w) * self.before[1][i];
        }
        for dof in structure.imposed().dofs() {
            self.residual[*dof as usize] = 0.0;
        }
        self.scale = inertia.max(norm(&self.internal)).max(norm(&self.external)).max(self.momentum);
        if tangent && c_u > 0.0 {
            let stiffest = structure.tangent().diagonal().fold(0.0, |a: f64, b| a.max(b.abs())) / (w * c_u);
            let floor = 8.0 * f64::EPSILON * stiffest * norm(&self.u);
            self.round = if self.scale > 0.0 { floor / self.scale } else { 0.0 };
        }
        Ok(())
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}
