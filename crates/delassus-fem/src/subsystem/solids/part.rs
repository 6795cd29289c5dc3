//! Solids as a part of the world: what it asks, in its order.

use super::Solids;
use crate::Scheme;
use crate::contact::Stencil;
use crate::structure::StructureError;
use crate::subsystem::balance::zeros;
use delassus_contact::Contact;
use delassus_dynamics::{
    Account, Assembled, Error, Ledger, Momenta, Nodes, Operator, Rows, Sizes, State, Subsystem, Surfaces, TiedRows,
};
use delassus_friction::algebra::Vector;
use std::sync::Arc;

/// A stable step this much shorter than that of the reference mesh is still the same.
const NO_FINER: f64 = 0.999;
/// Parts of an explicit step beyond which the mesh is beyond repair.
const MOST_PARTS: f64 = 1e4;

fn forces(e: StructureError) -> Error {
    match e {
        StructureError::Algebra(e) => Error::Algebra(e),
        e => Error::Forces(Box::new(e)),
    }
}

impl<const D: usize, const C: usize> Subsystem<D, C> for Solids<D> {
    fn sizes(&self) -> Sizes {
        Sizes {
            coordinates: self.columns.len(),
            dofs: self.model.dofs(),
            links: 0,
            bodies: self.model.parts.len() + self.model.beams.len(),
        }
    }

    fn place(&mut self, first: Sizes) {
        self.first = first;
    }

    fn body_name(&self, body: usize) -> Option<&str> {
        let parts = self.model.parts.iter().map(|p| p.name.as_str());
        parts.chain(self.model.beams.iter().map(|b| b.name.as_str())).nth(body)
    }

    fn forget(&mut self) {
        self.stored.set(None);
    }

    /// Their number follows from the state alone, so that a restart makes the same parts.
    ///
    /// A mesh that gets finer may use up half of the margin that `safety` leaves.
    fn parts(&mut self, state: &State, h: f64) -> Result<usize, Error> {
        let scheme = self.settings.scheme;
        let explicit = scheme.is_explicit() || self.settings.schemes.values().any(Scheme::is_explicit);
        if !explicit || self.structure.is_linear() {
            return Ok(1);
        }
        let factor = 0.5 * scheme.stability().unwrap_or(2.0);
        let (whole, share) = (self.whole_limit / factor, 0.5 * (1.0 + self.settings.safety) * factor);
        // The first step was accepted whole: so is what is as good.
        let good = NO_FINER * whole;
        let parts = |limit: f64| match limit >= good {
            true => 1.0,
            false => (h / (share * limit) - 1e-6).ceil().clamp(1.0, MOST_PARTS),
        };
        let same = |limit: f64| match parts(limit) {
            1.0 => good.min(h / share),
            p => limit.min(h / (share * p)),
        };
        let u = &state.q[self.first.coordinates..][..self.model.dofs()];
        let limit = self.structure.deformed_step(u, whole, &same).map_err(forces)?;
        Ok(parts(limit) as usize)
    }

    fn predict(&mut self, state: &State, h: f64) -> Result<(), Error> {
        self.read(state, h);
        self.iterations = 0;
        self.open = f64::INFINITY;
        self.begin_cycled().map_err(forces)?;
        let (scheme, explicit) = (self.settings.scheme, self.is_explicit());
        if explicit {
            self.kick(state).map_err(forces)?;
        }
        let penalised = !self.settings.contact.formalism.has_multipliers();
        let (b, p, moving) = (&self.balance, &self.prediction, self.reference.len());
        // Contacts are looked for where laws on velocities speak of them: rigid bodies move from one
        // such place to the next by `h v_f`, and so do solids, whatever θ.
        let ahead = |share: f64| move |i: usize| b.u[i] + share * h * b.v[i];
        self.positions.clear();
        let mut fill = |f: &dyn Fn(usize) -> f64| self.positions.extend((0..moving).map(|i| self.reference[i] + f(i)));
        self.lead = match (scheme, scheme.inner_point()) {
            (_, Some(theta)) => {
                fill(&ahead(1.0 - theta));
                (1.0 - theta) * h
            }
            (Scheme::Theta { .. } | Scheme::SemiExplicit { .. }, _) if !explicit => {
                fill(&ahead(0.5));
                0.5 * h
            }
            // Where the surfaces will be decides who meets whom.
            _ if explicit && !penalised => {
                fill(&|i| p.u[i] + p.k[0] * self.free[i]);
                if scheme == Scheme::CentralDifferences { 2.0 * h } else { h }
            }
            (Scheme::CentralDifferences, _) => {
                fill(&|i| p.u[i]);
                h
            }
            _ if explicit => {
                fill(&|i| b.u[i]);
                0.0
            }
            _ => {
                fill(&|i| b.u[i]);
                h
            }
        };
        if scheme.inner_point().is_some() {
            for (dof, value) in self.structure.held(b.t + self.lead).filter(|x| x.0 < moving) {
                self.positions[dof] = self.reference[dof] + value;
            }
        }
        Ok(())
    }

    fn surfaces(&self) -> Surfaces<'_, D> {
        let nodes = Nodes {
            reference: &self.reference,
            positions: &self.positions,
            before: match self.settings.scheme {
                // Contact holds the motion that follows.
                Scheme::CentralDifferences => &self.prediction.u,
                _ => &self.balance.u,
            },
            base: &self.prediction.u,
            slope: self.prediction.k[0],
            lead: self.lead,
        };
        Surfaces { nodes, ..Surfaces::default() }
    }

    fn side_rows(&self, contact: &Contact<D>, side: usize, nodes: Option<&Stencil>, rows: &mut Rows<C>) {
        let Some(stencil) = nodes else { return };
        let sign = [1.0, -1.0][side];
        for (node, share) in stencil.iter().filter(|(_, c)| *c != 0.0) {
            for k in 0..D {
                let column =
                    Vector::<C>::from_fn(|c, _| if c < D { sign * share * contact.frame[(k, c)] } else { 0.0 });
                self.dof_row((D * node as usize + k) as u32, column, rows);
            }
        }
    }

    fn dof_row(&self, dof: u32, column: Vector<C>, rows: &mut Rows<C>) {
        let d = dof as usize;
        if self.structure.is_held(d) {
            rows.impose(column, [self.balance.v[d], self.balance.x[d]]);
        } else {
            let group = self.first.bodies as u32 + self.group[d / D];
            rows.push(group, (self.first.dofs + d) as u32, column);
        }
    }

    fn linearise(&mut self, _: &State, _: f64, _: &[f64], balanced: bool) -> Result<(), Error> {
        if self.is_explicit() {
            return Ok(());
        }
        let mut x = std::mem::take(&mut self.free);
        x.clear();
        // Not where loops that did not settle left it.
        x.extend_from_slice(&self.balance.start);
        let tangent = self.needs_tangent();
        let mut result = self.evaluate_at(&x, tangent).map_err(forces);
        self.free = x;
        let mut before = f64::INFINITY;
        for _ in 0..=self.settings.loops.newton {
            result?;
            // What moves freely as it did needs no factor; contacts ask for it.
            let open = self.unbalance(&[]);
            if balanced && (open <= self.closed(&[]) || self.stalled([before, open], &[])) {
                return Ok(());
            }
            before = open;
            self.release()?;
            if !balanced || self.linear {
                return Ok(());
            }
            let mut x = std::mem::take(&mut self.free);
            result = self.approach(&mut x, &[], true).map_err(forces).map(|_| ());
            self.free = x;
            self.iterations += 1;
        }
        result?;
        let (part, tolerance) = (self.name(), self.settings.tolerance);
        if self.unbalance(&[]) <= self.closed(&[]).max(tolerance) {
            return Ok(());
        }
        Err(Error::NotBalanced { part, residual: self.unbalance(&[]), tolerance, iterations: self.iterations })
    }

    fn u_free(&self) -> &[f64] {
        &self.free
    }

    fn solve_in_place(&self, x: &mut [f64]) {
        if self.is_explicit() {
            x.iter_mut().zip(&self.inverse).for_each(|(x, m)| *x *= m);
            return;
        }
        self.structure.imposed().dofs().iter().for_each(|d| x[*d as usize] = 0.0);
        // Nothing to solve for where nothing acts.
        if x.iter().any(|x| *x != 0.0) {
            self.solver.solve(x);
        }
    }

    fn touch(&mut self, dofs: &[u32]) -> Result<(), Error> {
        if self.is_explicit() || dofs.is_empty() {
            return Ok(());
        }
        self.assemble();
        self.solver.prepare(self.ties.as_deref())?;
        let solver = &self.solver;
        self.compliance.prepare(dofs, |columns| {
            solver.solve(columns);
            Ok(())
        })
    }

    fn operator(&self) -> Operator<'_> {
        match self.is_explicit() {
            true => Operator::Lumped { inverse: &self.inverse },
            false => Operator::Columns(&self.compliance),
        }
    }

    fn relinearise(&mut self, u: &[f64], reaction: &[f64]) -> Result<bool, Error> {
        if self.is_explicit() {
            return Ok(false);
        }
        let mut x = std::mem::take(&mut self.free);
        x.clear();
        x.extend_from_slice(u);
        let whole = self.approach(&mut x, reaction, !self.linear).map_err(forces);
        self.free = x;
        let whole = whole?;
        let before = self.open;
        self.open = self.unbalance(reaction);
        self.iterations += 1;
        if !self.open.is_finite() {
            return Err(Error::NonFinite { what: "balance of solid", owner: None, index: 0, time: self.balance.t });
        }
        let closed = self.open <= self.closed(reaction) || self.stalled([before, self.open], reaction);
        if whole && closed {
            return Ok(false);
        }
        // What a linear part leaves open is refined, which a few solves do.
        let loose = self.solver.loose();
        let limit = if self.linear && loose.is_none() { 4 } else { 2 * self.settings.loops.newton };
        if self.iterations > limit {
            if let Some(e) = loose {
                return Err(Error::Algebra(e.clone()));
            }
            let (part, tolerance) = (self.name(), self.settings.tolerance);
            // A conserving scheme asks for more than the tolerance while it can be had.
            if self.open <= tolerance {
                return Ok(false);
            }
            return Err(Error::NotBalanced { part, residual: self.open, tolerance, iterations: self.iterations });
        }
        self.release()?;
        Ok(true)
    }

    fn assembled(&mut self) -> Option<&mut dyn Assembled> {
        (!self.is_explicit()).then_some(self as &mut dyn Assembled)
    }

    fn blends(&self) -> bool {
        self.settings.scheme.blends()
    }

    fn account(&mut self, step: &Account<'_>, ledger: &mut Ledger) -> Result<(), Error> {
        self.add_works(step, ledger).map_err(forces)
    }

    fn commit(&mut self, u: &[f64], _: f64, state: &mut State) -> Result<(), Error> {
        let columns = self.columns.clone();
        let end = &self.end;
        let own = &mut state.q[self.first.coordinates..][..columns.len()];
        own[columns.displacement].copy_from_slice(&end.u);
        own[columns.history].copy_from_slice(&end.history);
        own[columns.acceleration].copy_from_slice(&end.a);
        own[columns.normal].copy_from_slice(&end.contact[0]);
        own[columns.tangential].copy_from_slice(&end.contact[1]);
        own[columns.tied].copy_from_slice(&end.tied);
        if let Some(cycle) = &self.cycle {
            cycle.write(&mut own[columns.cycle]);
        }
        state.u[self.first.dofs..][..u.len()].copy_from_slice(&end.v);
        self.stored.set(Some(end.energies));
        Ok(())
    }

    fn energies(&self, state: &State, ledger: &mut Ledger) {
        let (own, v, scheme) = (self.own(state), self.velocities(state), self.settings.scheme);
        if scheme.is_dynamic() {
            ledger.kinetic += self.structure.kinetic(v, self.is_explicit());
        }
        ledger.potential -= own.iter().zip(&self.weight).map(|(u, w)| u * w).sum::<f64>();
        ledger.strain += self.stored_of(own)[0];
    }

    fn momenta(&self, state: &State, momenta: &mut Momenta) {
        let (own, v) = (self.own(state), self.velocities(state));
        let mut scratch = self.scratch.borrow_mut();
        let p = &mut *scratch;
        zeros(p, v.len());
        match self.is_explicit() {
            true => (0..v.len()).for_each(|i| p[i] = self.structure.lumped()[i] * v[i]),
            false => self.structure.mass().mul_add(v, p),
        }
        for i in (0..self.reference.len()).step_by(D) {
            let wide =
                |x: &dyn Fn(usize) -> f64| -> [f64; 3] { std::array::from_fn(|k| if k < D { x(k) } else { 0.0 }) };
            let (x, p) = (wide(&|k| self.reference[i + k] + own[i + k]), wide(&|k| p[i + k]));
            for k in 0..3 {
                let (a, b) = ((k + 1) % 3, (k + 2) % 3);
                momenta.linear[k] += p[k];
                momenta.angular[k] += x[a] * p[b] - x[b] * p[a];
            }
        }
    }

    fn displace(&self, delta: &[f64], state: &mut State) {
        let own = &mut state.q[self.first.coordinates..][..delta.len()];
        for (i, d) in delta.iter().enumerate().filter(|(i, _)| !self.structure.is_held(*i)) {
            own[i] += d;
        }
    }

    fn balance(&self) -> (f64, usize) {
        // Where all forces vanish, round-off is no imbalance.
        let (scale, round) = (self.balance.scale, self.balance.round / self.settings.tolerance);
        let share = if round > scale { scale / round } else { 1.0 };
        (if self.open.is_finite() { share * self.open } else { 0.0 }, self.iterations)
    }
}

impl<const D: usize> Assembled for Solids<D> {
    fn pattern(&self) -> &Arc<crate::algebra::Pattern> {
        self.structure.pattern()
    }

    fn start(&self) -> &[f64] {
        &self.balance.start
    }

    fn evaluate(&mut self, x: &[f64]) -> Result<(), Error> {
        let tangent = self.needs_tangent();
        if self.balance.knows(x, tangent) {
            self.assemble();
            return Ok(());
        }
        self.evaluate_at(x, tangent).map_err(forces)?;
        self.assemble();
        Ok(())
    }

    fn approach(&mut self, x: &mut [f64], reaction: &[f64]) -> Result<(), Error> {
        let tangent = self.needs_tangent();
        Solids::approach(self, x, reaction, tangent).map_err(forces)?;
        self.assemble();
        Ok(())
    }

    fn matrix(&self) -> &crate::algebra::SymmetricMatrix {
        &self.solver.matrix
    }

    fn residual(&self) -> &[f64] {
        &self.balance.residual
    }

    fn size(&self) -> [f64; 2] {
        [self.balance.scale, self.balance.round]
    }

    fn is_held(&self, dof: usize) -> bool {
        self.structure.is_held(dof)
    }

    fn ties(&self) -> Option<TiedRows<'_>> {
        self.ties.as_ref().map(|t| t.rows(&self.balance.apart, self.balance.parted))
    }
}
