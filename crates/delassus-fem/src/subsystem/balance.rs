//! The balance of a step as a function of its unknowns.

use super::mixed::Mixed;
use super::solids::Solids;
use crate::Scheme;
use crate::structure::{At, StructureError};

/// A balance this many times what round-off is expected to leave, that another iteration does not lessen, is closed.
const STALLED: f64 = 100.0;

/// Condition of rows that tie motions, about: digits that their multipliers lose.
const TIED: f64 = 1e4;

/// Vectors of a step.
#[derive(Default)]
pub struct Balance {
    /// Beginning \[s\].
    pub t: f64,
    /// Length \[s\].
    pub h: f64,
    /// The state at the beginning.
    pub u: Vec<f64>,
    /// Velocities at the beginning.
    pub v: Vec<f64>,
    /// Accelerations at the beginning.
    pub a: Vec<f64>,
    /// Internal variables at the beginning.
    pub history: Vec<f64>,
    /// Contact forces of the last step: normal, tangential.
    pub contact: [Vec<f64>; 2],
    /// Forces of the last step of the rows that hold whatever touches.
    pub tied: Vec<f64>,
    /// Unknowns of imposed degrees of freedom, in the order of the structure.
    pub imposed: Vec<f64>,
    /// The unknowns to begin with: in contact the motion is nearer to what it was than to the free one.
    pub start: Vec<f64>,
    /// The unknowns of the last evaluation.
    pub x: Vec<f64>,
    /// Motion there.
    pub u_end: Vec<f64>,
    /// Acceleration there.
    pub a_end: Vec<f64>,
    /// Where forces are taken, if not at the end.
    at: [Vec<f64>; 2],
    /// Internal forces.
    pub internal: Vec<f64>,
    /// External forces, weights not included.
    pub external: Vec<f64>,
    /// Internal and external forces at the beginning.
    pub before: [Vec<f64>; 2],
    /// `r`: momentum that is missing.
    pub residual: Vec<f64>,
    /// `g` of the rows that tie motions, and what is missing of them: `g − B x`.
    pub goal: Vec<f64>,
    pub apart: Vec<f64>,
    /// Its size over that of its terms.
    pub parted: f64,
    /// Largest of its terms: what it is compared with.
    pub scale: f64,
    /// What round-off alone leaves of it: of displacements, of unit stretches, of velocities.
    pub round: f64,
    /// Momentum at the beginning: changes of velocity are compared with the velocity.
    momentum: f64,
    /// Whether forces, and the tangent, are those at `x`.
    evaluated: [bool; 2],
    /// Whether the tangent is in the matrix of the step.
    pub assembled: bool,
}

impl Balance {
    /// What was evaluated is void.
    pub fn forget(&mut self) {
        self.evaluated = [false; 2];
    }

    /// Whether forces, and the tangent where it is asked for, are known at `x`.
    pub fn knows(&self, x: &[f64], tangent: bool) -> bool {
        self.evaluated[0] && (!tangent || self.evaluated[1]) && self.x == x
    }
}

pub fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Empties a vector and makes it `n` zeros.
pub fn zeros(x: &mut Vec<f64>, n: usize) {
    x.clear();
    x.resize(n, 0.0);
}

impl<const D: usize> Solids<D> {
    /// Forces of the beginning, and the unknowns of imposed motions.
    pub(super) fn begin(&mut self) -> Result<(), StructureError> {
        let explicit = self.is_explicit();
        let Self { structure, balance: b, prediction, settings, ties, mixed, cycle, .. } = self;
        let (n, scheme) = (b.u.len(), settings.scheme);
        scheme.predict(b.h, [&b.u, &b.v, &b.a], prediction);
        for x in [&mut b.internal, &mut b.external, &mut b.residual, &mut b.u_end, &mut b.a_end] {
            zeros(x, n);
        }
        b.before.iter_mut().for_each(|x| zeros(x, n));
        (b.evaluated, b.assembled) = ([false; 2], false);
        b.x.clear();
        b.x.extend((0..n).map(|i| scheme.start(b.h, b.v[i], b.a[i])));
        if let Some(mixed) = mixed {
            mixed.predict(b.h, [&b.u, &b.v, &b.a], cycle.as_ref(), prediction, &mut b.x);
        }
        b.imposed.clear();
        match scheme {
            // Displacements follow the support exactly, whatever the velocities: those are its rates.
            Scheme::MoreauJean { .. } | Scheme::EnergyMomentum => {
                b.imposed.extend(structure.held_rates(b.t + b.h).map(|x| x.1));
            }
            Scheme::CentralDifferences => {
                structure.held(b.t + b.h).for_each(|(dof, value)| prediction.u[dof] = value);
                let next = structure.held(b.t + 2.0 * b.h);
                b.imposed.extend(next.map(|(dof, value)| (value - prediction.u[dof]) / b.h));
            }
            _ => {
                let k_u = |dof: usize| mixed.as_ref().map_or(prediction.k[0], |m| m.k[0][dof]);
                let (t, long) = (b.t + b.h, |dof: usize| cycle.as_ref().and_then(|c| c.end(dof)));
                b.imposed.extend(structure.held(t).zip(structure.held_rates(t)).map(|((dof, value), (_, rate))| {
                    let value = long(dof).map_or(value, |end| structure.held_at(dof, end));
                    match k_u(dof) {
                        // Displacements of the end are known already.
                        0.0 => rate,
                        k_u => (value - prediction.u[dof]) / k_u,
                    }
                }));
            }
        }
        for (dof, x) in structure.imposed().dofs().iter().zip(&b.imposed) {
            b.x[*dof as usize] = *x;
        }
        if let Some(ties) = ties {
            ties.goal(&prediction.u, prediction.k[0], &mut b.goal);
        }
        b.start.clear();
        b.start.extend_from_slice(&b.x);
        b.momentum = 0.0;
        if scheme.is_dynamic() && !explicit {
            structure.mass().mul_add(&b.v, &mut b.residual);
            b.momentum = norm(&b.residual);
        }
        if scheme.weight() != 1.0 || mixed.as_ref().is_some_and(Mixed::looks_back) {
            let at = At { u: &b.u, v: &b.v, history: &b.history };
            structure.internal(at, None, &mut b.before[0])?;
            structure.external(b.t, &b.u, &mut b.before[1])?;
        }
        if !explicit && scheme.inner_point().is_none() {
            structure.external(b.t + b.h, &b.u, &mut b.external)?;
        }
        if let Some(cycle) = cycle {
            for ((range, long), since) in cycle.ranges.iter().zip(&cycle.since) {
                zeros(&mut b.residual, n);
                structure.external(since + long, &b.u, &mut b.residual)?;
                b.external[range.clone()].copy_from_slice(&b.residual[range.clone()]);
            }
        }
        Ok(())
    }

    /// Residual at the unknowns `x`, with `tangent` also the terms of `A`.
    pub(super) fn evaluate_at(&mut self, x: &[f64], tangent: bool) -> Result<(), StructureError> {
        let Self { structure, balance: b, prediction, settings, weight, cell, ties, mixed, cycle, .. } = self;
        let (n, h, scheme) = (x.len(), b.h, settings.scheme);
        let [k_u, k_a] = prediction.k;
        (b.evaluated, b.assembled) = ([false; 2], b.assembled && !tangent);
        b.x.clear();
        b.x.extend_from_slice(x);
        for i in 0..n {
            b.u_end[i] = prediction.u[i] + k_u * x[i];
            b.a_end[i] = prediction.a[i] + k_a * x[i];
        }
        if let Some(m) = mixed {
            let shift = |i: usize| cycle.as_ref().map_or(0.0, |c| c.shift[i]);
            for i in 0..n {
                let x = x[i] + shift(i);
                b.u_end[i] = prediction.u[i] + m.k[0][i] * x;
                b.a_end[i] = prediction.a[i] + m.k[1][i] * x;
            }
            structure.set_factors(m.tangent.each_ref().map(Vec::as_slice));
        }
        let w = scheme.weight();
        let (at, c) = match scheme.inner_point() {
            Some(theta) => {
                for (dof, value) in structure.held(b.t + h) {
                    b.u_end[dof] = value;
                }
                let [u, v] = &mut b.at;
                v.clear();
                v.extend(b.v.iter().zip(x).map(|(a, b)| (1.0 - theta) * a + theta * b));
                u.clear();
                u.extend(b.u.iter().zip(&*v).map(|(u, v)| u + h * theta * v));
                for (dof, value) in structure.held(b.t + theta * h) {
                    u[dof] = value;
                }
                structure.external(b.t + theta * h, u, &mut b.external)?;
                (At { u, v, history: &b.history }, [(h * theta).powi(2), h * theta])
            }
            None => (At { u: &b.u_end, v: x, history: &b.history }, [h * w * k_u, h * w]),
        };
        let asked = tangent.then_some(c);
        match scheme {
            Scheme::EnergyMomentum => structure.internal_between(at, [&b.u, &b.u_end], asked, &mut b.internal)?,
            _ => structure.internal(at, asked, &mut b.internal)?,
        }
        b.residual.fill(0.0);
        if k_a != 0.0 {
            structure.mass().mul_add(&b.a_end, &mut b.residual);
        }
        let inertia = h * norm(&b.residual);
        let mut outer = 0.0;
        for i in 0..n {
            let (w, outside) = mixed.as_ref().map_or((w, w), |m| (m.internal[i], m.load[i]));
            let load = outside * b.external[i] + (1.0 - outside) * b.before[1][i] + weight[i];
            outer += load * load;
            b.residual[i] = h * (b.residual[i] + w * b.internal[i] + (1.0 - w) * b.before[0][i] - load);
        }
        for dof in structure.imposed().dofs() {
            b.residual[*dof as usize] = 0.0;
        }
        b.scale = inertia.max(h * norm(&b.internal)).max(h * outer.sqrt()).max(b.momentum);
        let largest = mixed.as_ref().map_or(c[0], |m| m.tangent[0].iter().copied().fold(0.0, f64::max));
        if largest > 0.0 {
            let stiffest = structure.tangent().diagonal().fold(0.0, |a: f64, b| a.max(b.abs())) * h / largest;
            // Finite strains are differences of stretches, which are one: as a displacement of a cell's size.
            let stretch = if structure.is_linear() { 0.0 } else { *cell * (n as f64).sqrt() };
            b.round = 8.0 * f64::EPSILON * (stiffest * (norm(&b.u_end).max(norm(&b.u)) + stretch) + b.momentum);
        }
        if let Some(ties) = ties {
            let far = b.u_end.iter().fold(0.0f64, |m, u| m.max(u.abs()));
            b.parted = ties.gap(x, &b.goal, far / h, &mut b.apart);
            // What the multipliers carry is taken out to so many digits.
            b.round = b.round.max(TIED * f64::EPSILON * norm(&b.residual));
        }
        b.evaluated = [true, tangent];
        Ok(())
    }

    /// Relative residual under the generalised percussions `reaction`, or none.
    pub(super) fn unbalance(&self, reaction: &[f64]) -> f64 {
        let b = &self.balance;
        let (mut open, mut size) = (0.0, 0.0);
        for (i, missing) in b.residual.iter().enumerate() {
            let r = reaction.get(i).copied().unwrap_or(0.0);
            size += r * r;
            if !self.structure.is_held(i) {
                open += (missing - r).powi(2);
            }
        }
        let scale = b.scale.max(size.sqrt());
        let open = match &self.ties {
            None => open.sqrt(),
            Some(ties) => {
                ties.open(b.residual.iter().enumerate().map(|(i, missing)| match self.structure.is_held(i) {
                    true => 0.0,
                    false => missing - reaction.get(i).copied().unwrap_or(0.0),
                }))
            }
        };
        let open = if scale > 0.0 { open / scale } else { 0.0 };
        open.max(b.parted)
    }

    /// What counts as balanced.
    pub(super) fn closed(&self, reaction: &[f64]) -> f64 {
        let scale = self.balance.scale.max(norm(reaction)).max(f64::MIN_POSITIVE);
        match self.settings.scheme {
            // What is kept exactly is kept as well as the balance is: until it stalls at round-off.
            Scheme::EnergyMomentum => 4.0 * f64::EPSILON,
            _ => self.settings.tolerance.max(self.balance.round / scale),
        }
    }

    /// Whether what is `open` is of the size of round-off and no less than it was `before` the last iteration.
    pub(super) fn stalled(&self, [before, open]: [f64; 2], reaction: &[f64]) -> bool {
        open > 0.9 * before && self.is_rounded(reaction)
    }

    /// Whether what is open is of the size of round-off.
    pub(super) fn is_rounded(&self, reaction: &[f64]) -> bool {
        let scale = self.balance.scale.max(norm(reaction)).max(f64::MIN_POSITIVE);
        self.unbalance(reaction) <= STALLED * self.balance.round / scale
    }
}
