//! One deformable model in motion: one group of `A`.

use super::DeformableError;
use crate::algebra::{Cholesky, SolveScratch, SymmetricMatrix};
use crate::model::{LoadKind, Model};
use crate::structure::{At, Structure, StructureError};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::sync::Arc;

/// The time scheme of a solid.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Theta {
    /// Weight of the end of the step, ½ to 1: ½ keeps the energy of linear solids, 1 damps high
    /// frequencies most.
    pub theta: f64,
    /// Relative residual of the balance of solids that are not linear.
    pub tolerance: f64,
    /// Most Newton iterations of a step.
    pub iterations: usize,
}

impl Default for Theta {
    fn default() -> Self {
        Self { theta: 0.5, tolerance: 1e-10, iterations: 30 }
    }
}

/// A model in motion.
pub struct Deformable {
    name: String,
    pub(super) structure: Structure,
    settings: Theta,
    /// Whether `A` depends on the step alone.
    linear: bool,
    pub(super) reference: Vec<f64>,
    /// `M g`: weights that make every node fall alike.
    pub(super) weight: Vec<f64>,
    /// Imposed degrees of freedom.
    pub(super) held: Vec<bool>,
    pub(super) matrix: SymmetricMatrix,
    factor: Cholesky,
    /// Step the factor was made for, where it can be used again.
    made_for: Option<f64>,
    factorisations: u64,
    scratch: RefCell<SolveScratch>,
    pub(super) step: Step,
    pub(super) stored: RefCell<Option<(Vec<f64>, f64)>>,
}

/// What a step works with.
#[derive(Default)]
pub(super) struct Step {
    t: f64,
    pub(super) h: f64,
    u: Vec<f64>,
    pub(super) v: Vec<f64>,
    history: Vec<f64>,
    /// Velocities the step is linearised about.
    about: Vec<f64>,
    pub(super) free: Vec<f64>,
    /// Velocities of imposed degrees of freedom at the end, in the order of the structure.
    imposed: Vec<f64>,
    moving: bool,
    u_theta: Vec<f64>,
    v_theta: Vec<f64>,
    pub(super) internal: Vec<f64>,
    pub(super) external: Vec<f64>,
    residual: Vec<f64>,
    change: Vec<f64>,
    iterations: usize,
}

impl Deformable {
    /// Checks a model and its scheme. Gravity is that of the model.
    pub fn new(name: impl Into<String>, mut model: Model, settings: Theta) -> Result<Self, DeformableError> {
        let name = name.into();
        model.validate().map_err(|e| DeformableError::Model { solid: name.clone(), reason: Box::new(e) })?;
        settings.validate(&name)?;
        let gravity = std::mem::take(&mut model.gravity);
        let failed =
            |e: StructureError| DeformableError::Structure { solid: name.clone(), time: 0.0, reason: Box::new(e) };
        let structure = Structure::new(Arc::new(model)).map_err(failed)?;
        let factor = Cholesky::new(structure.pattern()).map_err(|e| failed(e.into()))?;
        let model = structure.model().clone();
        let n = model.dofs();
        let everywhere: Vec<f64> = (0..n).map(|i| gravity[i % model.dim]).collect();
        let mut weight = vec![0.0; n];
        structure.mass().mul_add(&everywhere, &mut weight);
        let mut held = vec![false; n];
        structure.imposed().dofs().iter().for_each(|d| held[*d as usize] = true);
        let follows = model.loads.iter().any(|l| matches!(l.kind, LoadKind::Pressure { .. }));
        Ok(Self {
            linear: structure.is_linear() && !follows,
            reference: model.positions(),
            weight,
            held,
            matrix: SymmetricMatrix::zero(structure.pattern().clone()),
            factor,
            made_for: None,
            factorisations: 0,
            scratch: RefCell::default(),
            step: Step::default(),
            stored: RefCell::default(),
            settings,
            structure,
            name,
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The operators, without gravity.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// The scheme.
    pub fn settings(&self) -> &Theta {
        &self.settings
    }

    /// Number of degrees of freedom.
    pub fn dofs(&self) -> usize {
        self.reference.len()
    }

    /// Number of coordinates in the state: displacements and internal variables.
    pub fn coordinates(&self) -> usize {
        self.dofs() + self.structure.model().parts.iter().map(|p| p.solid.history_len()).sum::<usize>()
    }

    /// Coordinates and velocities at the start.
    pub fn start(&self) -> (Vec<f64>, Vec<f64>) {
        let mut q = vec![0.0; self.dofs()];
        let mut v = self.structure.model().velocities();
        for (dof, value) in self.structure.held(0.0) {
            q[dof] = value;
        }
        for (dof, rate) in self.structure.held_rates(0.0) {
            v[dof] = rate;
        }
        q.extend(self.structure.initial_history());
        (q, v)
    }

    /// Reference positions.
    pub fn reference(&self) -> &[f64] {
        &self.reference
    }

    /// Whether a degree of freedom is imposed.
    pub fn is_held(&self, dof: usize) -> bool {
        self.held[dof]
    }

    /// Counts the factorisations of `A` so far: what was computed with an older one is void.
    pub fn factorisations(&self) -> u64 {
        self.factorisations
    }

    /// Newton iterations of the last step; linear solids make none.
    pub fn iterations(&self) -> usize {
        self.step.iterations
    }

    /// The free velocity.
    pub fn free(&self) -> &[f64] {
        &self.step.free
    }

    /// Velocity of a degree of freedom at the end of the step where it is imposed, else zero.
    pub(super) fn imposed_velocities(&self, out: &mut [f64]) {
        out.fill(0.0);
        for (dof, v) in self.structure.imposed().dofs().iter().zip(&self.step.imposed) {
            out[*dof as usize] = *v;
        }
    }

    /// Takes the state at the beginning of a step; `out` gets the positions at which contacts are
    /// looked for, `q_i + h (1−θ) v_i`: from step to step they move by `h v_f`, as `q_m` of rigid
    /// bodies does, so that contacts without relative velocity keep their gap whatever θ.
    pub fn predict(&mut self, (q, v): (&[f64], &[f64]), (t, h): (f64, f64), out: &mut [f64]) {
        let (step, n) = (&mut self.step, self.reference.len());
        (step.t, step.h) = (t, h);
        let keep = |into: &mut Vec<f64>, x: &[f64]| {
            into.clear();
            into.extend_from_slice(x);
        };
        keep(&mut step.u, &q[..n]);
        keep(&mut step.history, &q[n..]);
        keep(&mut step.v, v);
        let ahead = h * (1.0 - self.settings.theta);
        for i in 0..n {
            out[i] = self.reference[i] + q[i] + ahead * v[i];
        }
        for (dof, value) in self.structure.held(t + ahead) {
            out[dof] = self.reference[dof] + value;
        }
        step.imposed.clear();
        step.imposed.extend(self.structure.held_rates(t + h).map(|x| x.1));
        let rest = |x: &f64| *x == 0.0;
        step.moving =
            !step.imposed.iter().all(rest) || !self.structure.imposed().dofs().iter().all(|d| rest(&v[*d as usize]));
        step.iterations = 0;
    }

    /// Factorises `A` and computes the free velocity from the beginning of the step.
    pub fn linearise(&mut self) -> Result<(), DeformableError> {
        let step = &mut self.step;
        step.about.clear();
        step.about.extend_from_slice(&step.v);
        self.evaluate(true).and_then(|()| self.release()).map_err(|reason| self.failed(reason))
    }

    /// Looks at the end of the step; true when it was linearised again, about `v`.
    pub fn relinearise(&mut self, v: &[f64]) -> Result<bool, DeformableError> {
        if self.linear && !self.step.moving {
            return Ok(false);
        }
        // Percussions as the last linearisation had them: A (v − v_free).
        let step = &mut self.step;
        step.change.clear();
        step.change.extend(v.iter().zip(&step.free).map(|(a, b)| a - b));
        let mut contact = std::mem::take(&mut step.residual);
        contact.clear();
        contact.resize(v.len(), 0.0);
        self.matrix.mul_add(&step.change, &mut contact);
        step.about.clear();
        step.about.extend_from_slice(v);
        self.evaluate(!self.linear).map_err(|reason| self.failed(reason))?;
        if self.linear {
            return Ok(false);
        }
        let open = self.unbalance(&contact);
        self.step.iterations += 1;
        let Theta { tolerance, iterations, .. } = self.settings;
        if open <= tolerance {
            return Ok(false);
        }
        if self.step.iterations > iterations {
            let (solid, time) = (self.name.clone(), self.step.t);
            return Err(DeformableError::NotBalanced { solid, time, residual: open, tolerance, iterations });
        }
        self.release().map_err(|reason| self.failed(reason))?;
        Ok(true)
    }

    fn failed(&self, reason: StructureError) -> DeformableError {
        DeformableError::Structure { solid: self.name.clone(), time: self.step.t, reason: Box::new(reason) }
    }

    /// Forces at the point θ of a step that ends with the velocities `about`, and the residual
    /// `h (F_ext − F_int) − M (v − v_i)`; with `tangent` also the terms of `A`.
    fn evaluate(&mut self, tangent: bool) -> Result<(), StructureError> {
        let (step, theta) = (&mut self.step, self.settings.theta);
        let (h, n) = (step.h, step.v.len());
        step.v_theta.clear();
        step.v_theta.extend(step.v.iter().zip(&step.about).map(|(a, b)| (1.0 - theta) * a + theta * b));
        step.u_theta.clear();
        step.u_theta.extend(step.u.iter().zip(&step.v_theta).map(|(u, v)| u + h * theta * v));
        if step.moving {
            for (dof, value) in self.structure.held(step.t + theta * h) {
                step.u_theta[dof] = value;
            }
        }
        for x in [&mut step.internal, &mut step.external, &mut step.residual, &mut step.change] {
            x.clear();
            x.resize(n, 0.0);
        }
        let at = At { u: &step.u_theta, v: &step.v_theta, history: &step.history };
        let needed = tangent && !(self.linear && self.made_for == Some(h));
        self.structure.internal(at, needed.then_some([(h * theta).powi(2), h * theta]), &mut step.internal)?;
        self.structure.external(step.t + theta * h, &step.u_theta, &mut step.external)?;
        for i in 0..n {
            step.change[i] = step.v[i] - step.about[i];
            step.residual[i] = h * (step.external[i] + self.weight[i] - step.internal[i]);
        }
        self.structure.mass().mul_add(&step.change, &mut step.residual);
        Ok(())
    }

    /// Largest open force against the forces that meet, on free degrees of freedom.
    fn unbalance(&self, contact: &[f64]) -> f64 {
        let (step, h) = (&self.step, self.step.h);
        let (mut open, mut scale) = (0.0f64, 0.0f64);
        for i in (0..contact.len()).filter(|i| !self.held[*i]) {
            let forces = h * (step.external[i].abs() + self.weight[i].abs() + step.internal[i].abs());
            open = open.max((step.residual[i] + contact[i]).abs());
            scale = scale.max(forces + contact[i].abs());
        }
        // Velocities that are round-off of the momentum are no imbalance.
        let momentum = step.v.iter().chain(&step.about).fold(0.0f64, |m, v| m.max(v.abs()))
            * self.structure.lumped().iter().fold(0.0f64, |m, x| m.max(*x));
        let scale = scale.max(1e-6 * momentum);
        if scale > 0.0 { open / scale } else { 0.0 }
    }

    /// `A` from the tangent, its factor, and `v_free = v + A⁻¹ r`.
    fn release(&mut self) -> Result<(), StructureError> {
        let step = &mut self.step;
        let imposed = self.structure.imposed();
        let values: Vec<f64> =
            imposed.dofs().iter().zip(&step.imposed).map(|(d, v)| v - step.about[*d as usize]).collect();
        step.free.clear();
        step.free.extend_from_slice(&step.residual);
        let again = self.linear && self.made_for == Some(step.h);
        let changes = values.iter().any(|v| *v != 0.0);
        if !again || changes {
            if again {
                // The coupling with imposed motions was cleared from the factor's matrix.
                let at = At { u: &step.u_theta, v: &step.v_theta, history: &step.history };
                let c = [(step.h * self.settings.theta).powi(2), step.h * self.settings.theta];
                self.structure.internal(at, Some(c), &mut step.internal)?;
            }
            self.matrix.set_sum(1.0, self.structure.tangent(), 1.0, self.structure.mass());
            let diagonal = self.matrix.diagonal().fold(0.0, |a: f64, b| a.max(b.abs())).max(f64::MIN_POSITIVE);
            self.matrix.lift(self.structure.imposed(), &values, diagonal, &mut step.free);
            self.matrix.impose(self.structure.imposed(), diagonal);
        } else {
            self.structure.imposed().dofs().iter().for_each(|d| step.free[*d as usize] = 0.0);
        }
        if !again {
            self.made_for = None;
            self.factor.refactor(&self.matrix)?;
            self.made_for = Some(step.h);
            self.factorisations += 1;
        }
        self.factor.solve_in_place(&mut step.free, &mut self.scratch.borrow_mut())?;
        step.free.iter_mut().zip(&step.about).for_each(|(f, v)| *f += v);
        for (dof, v) in self.structure.imposed().dofs().iter().zip(&step.imposed) {
            step.free[*dof as usize] = *v;
        }
        Ok(())
    }

    /// `x ← A⁻¹ x`, zero where degrees of freedom are imposed; NaN where the factor fails.
    pub fn solve_in_place(&self, x: &mut [f64]) {
        self.structure.imposed().dofs().iter().for_each(|d| x[*d as usize] = 0.0);
        if self.factor.solve_in_place(x, &mut self.scratch.borrow_mut()).is_err() {
            x.fill(f64::NAN);
        }
    }

    /// Displacements, internal variables and velocities at the end of the step.
    pub fn commit(&mut self, v: &[f64], q: &mut [f64]) -> Result<(), DeformableError> {
        let (step, theta, n) = (&self.step, self.settings.theta, v.len());
        for i in 0..n {
            q[i] = step.u[i] + step.h * ((1.0 - theta) * step.v[i] + theta * v[i]);
        }
        for (dof, value) in self.structure.held(step.t + step.h) {
            q[dof] = value;
        }
        let (u, history) = q.split_at_mut(n);
        let at = At { u, v, history: &step.history };
        let energies = self.structure.advance(at, history).map_err(|reason| self.failed(reason))?;
        let mut stored = self.stored.borrow_mut();
        let (kept, energy) = stored.get_or_insert_default();
        kept.clear();
        kept.extend_from_slice(q);
        *energy = energies.strain;
        Ok(())
    }

    /// Moves the free degrees of freedom.
    pub fn displace(&self, delta: &[f64], q: &mut [f64]) {
        for (i, d) in delta.iter().enumerate().filter(|(i, _)| !self.held[*i]) {
            q[i] += d;
        }
    }
}

impl Theta {
    fn validate(&self, solid: &str) -> Result<(), DeformableError> {
        let bad = |name, value, expected| Err(DeformableError::Setting { solid: solid.into(), name, value, expected });
        if !(0.5..=1.0).contains(&self.theta) {
            return bad("theta", self.theta, "a number from 0.5 to 1: below, high frequencies would grow");
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            return bad("tolerance", self.tolerance, "a number between 0 and 1");
        }
        if self.iterations == 0 {
            return bad("iterations", 0.0, "one or more");
        }
        Ok(())
    }
}
