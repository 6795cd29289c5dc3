//! The first step: its length, and the state it begins with.

use super::Solids;
use crate::structure::At;
use crate::subsystem::SettingsError;
use crate::{Scheme, SchemeError};

impl<const D: usize> Solids<D> {
    /// The step given, or a share of the longest stable one.
    pub(super) fn choose_step(&mut self) -> Result<f64, crate::Error> {
        let scheme = self.settings.scheme;
        let zero = vec![0.0; self.model.dofs()];
        // Each scheme that has a limit, with those it moves.
        let others = &self.settings.schemes;
        let of_rest = |p: usize| !others.contains_key(&p);
        let mut limit: Option<(f64, String)> = None;
        let mut bound = |scheme: Scheme, of: &dyn Fn(usize) -> bool| -> Result<(), crate::Error> {
            let Some(omega_h) = scheme.stability() else { return Ok(()) };
            let (two_over_omega, by) = self.structure.critical_step(&zero, of)?;
            let own = 0.5 * omega_h * two_over_omega;
            if limit.as_ref().is_none_or(|l| own < l.0) {
                limit = Some((own, by));
            }
            Ok(())
        };
        bound(scheme, &of_rest)?;
        for (owner, own) in others {
            bound(*own, &|p| p == *owner)?;
        }
        self.whole_limit = limit.as_ref().map_or(f64::INFINITY, |l| l.0);
        let h = match (self.settings.step, limit) {
            (Some(h), Some((limit, where_from))) if h > limit => {
                // The bound of elements is safe; the model itself may admit more.
                let exact = self.structure.stable_step(0.5 * scheme.stability().unwrap_or(2.0), limit)?;
                if h > exact {
                    return Err(
                        SchemeError::Unstable { scheme: scheme.name(), step: h, limit: exact, where_from }.into()
                    );
                }
                h
            }
            (Some(h), _) => h,
            (None, Some((limit, _))) => self.settings.safety * limit,
            (None, None) => return Err(SettingsError::NoStep { scheme: scheme.name() }.into()),
        };
        if !(h > 0.0 && h.is_finite()) {
            return Err(SettingsError::Value { name: "step", value: h, expected: "a positive number" }.into());
        }
        Ok(h)
    }

    /// Coordinates and velocities at the start.
    pub fn start(&mut self) -> Result<(Vec<f64>, Vec<f64>), crate::Error> {
        let mut u = self.model.displacements();
        let mut v = self.model.velocities();
        self.structure.held(0.0).for_each(|(dof, value)| u[dof] = value);
        if self.settings.scheme.inner_point().is_some() {
            self.structure.held_rates(0.0).for_each(|(dof, rate)| v[dof] = rate);
        }
        let history = self.structure.initial_history();
        let none = vec![0.0; self.model.dofs()];
        self.compose(0.0, [u, v], history, [&none, &none])
    }

    /// Coordinates and velocities of a state carried over from another model: motions are brought to the ties,
    /// accelerations are those of the forces there.
    pub fn resume(
        &mut self,
        time: f64,
        [mut u, mut v]: [Vec<f64>; 2],
        history: Vec<f64>,
        contact: [&[f64]; 2],
    ) -> Result<(Vec<f64>, Vec<f64>), crate::Error> {
        self.keep_to_ties(&mut u)?;
        self.keep_to_ties(&mut v)?;
        self.compose(time, [u, v], history, contact)
    }

    /// The coordinates of a motion under known contact forces, as [`Columns`] puts them, and its velocities.
    fn compose(
        &mut self,
        time: f64,
        [u, v]: [Vec<f64>; 2],
        history: Vec<f64>,
        contact: [&[f64]; 2],
    ) -> Result<(Vec<f64>, Vec<f64>), crate::Error> {
        let (n, scheme) = (self.model.dofs(), self.settings.scheme);
        let explicit = self.is_explicit();
        let mut a = vec![0.0; n];
        let mut pushed = None;
        if scheme.newmark().is_some() || scheme.is_explicit() || self.mixed.is_some() {
            let (mut internal, mut external) = (vec![0.0; n], vec![0.0; n]);
            self.structure.internal(At { u: &u, v: &v, history: &history }, None, &mut internal)?;
            self.structure.external(time, &u, &mut external)?;
            match scheme {
                Scheme::SemiExplicit { .. } if explicit => self.structure.accelerations(&internal, &mut a),
                _ => {
                    let touch = |i: usize| contact[0][i] + contact[1][i];
                    (0..n).for_each(|i| a[i] = external[i] + self.weight[i] - internal[i] + touch(i));
                    pushed = Some(a.clone());
                    match &self.ties {
                        Some(ties) => self.structure.solve_mass_tied(&mut a, explicit, ties)?,
                        None => self.structure.solve_mass(&mut a, explicit)?,
                    }
                }
            }
        }
        // What the ties push with at the start is what the balance lacks.
        let mut tied = vec![0.0; self.columns.tied.len()];
        if let Some(pushed) = pushed.filter(|_| !tied.is_empty()) {
            self.structure.mass().mul_add(&a, &mut tied);
            (0..n).for_each(|i| tied[i] = if self.structure.is_held(i) { 0.0 } else { tied[i] - pushed[i] });
        }
        let mut q = u;
        q.extend(history);
        q.extend(a);
        contact.iter().for_each(|c| q.extend_from_slice(c));
        q.extend(tied);
        q.resize(self.columns.len(), 0.0);
        if let Some(cycle) = &self.cycle {
            cycle.write(&mut q[self.columns.cycle.clone()]);
        }
        Ok((q, v))
    }

    /// Takes from a motion what does not keep to the ties, the least of it in the norm of the mass, and so without
    /// linear or angular momentum where nothing is held.
    pub fn keep_to_ties(&self, x: &mut [f64]) -> Result<(), crate::Error> {
        let Some(ties) = &self.ties else { return Ok(()) };
        let mut open = vec![];
        ties.gap(x, &vec![0.0; ties.len()], 0.0, &mut open);
        self.structure.move_tied(x, self.is_explicit(), ties, &mut open)?;
        Ok(())
    }
}
