//! Explicit steps: lumped mass, no linear system but that of the contacts
//!
//! ```text
//!     y = y_free + h M⁻¹ Gᵀ S,        W = h G M⁻¹ Gᵀ
//! ```
//!
//! Central differences: `y` is the velocity at the middle, `y_free = v + ½ h a`, and contact
//! is implicit on the gap at the end, (1.37)–(1.41); with penalty it is explicit, (1.28)–(1.31).
//! Semi-explicit θ: `y` is the velocity at the end, (3.65)–(3.69).

use super::points::Points;
use super::rows::MultiplierRows;
use super::{Error, Ledger, Status};
use crate::solid::Energies;
use crate::structure::At;
use crate::{Formalism, Scheme};
use delassus_friction::algebra::{BlockMatrix, Matrix, Vector};
use delassus_friction::{Law, Settings as FrictionSettings};

/// Scratch of the contacts of explicit steps.
#[derive(Default)]
pub struct Explicit {
    /// Multipliers: force components by multiplier, divided by its area.
    pub multipliers: Vec<f64>,
    rows: MultiplierRows,
    /// Relative residual of the contact laws.
    pub residual: f64,
}

/// Vectors of an explicit step.
#[derive(Default)]
pub struct Motion {
    /// Velocity of the step.
    y: Vec<f64>,
    /// The same without contact.
    before: Vec<f64>,
    /// Motion at the end.
    u: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
}

impl Motion {
    fn resize(&mut self, n: usize) {
        [&mut self.y, &mut self.u, &mut self.v, &mut self.a].into_iter().for_each(|x| x.resize(n, 0.0));
    }

    /// Displacements at the end.
    fn place(&mut self, state: &super::State, h: f64, theta: f64) {
        for i in 0..self.y.len() {
            self.u[i] = state.u[i] + h * ((1.0 - theta) * state.v[i] + theta * self.y[i]);
        }
    }
}

/// The contact problem of an explicit step.
pub struct Question<'a> {
    /// The points.
    pub points: &'a Points,
    /// Inverse lumped mass; zero where the motion is imposed.
    pub inverse: &'a [f64],
    /// Step \[s\].
    pub h: f64,
    /// `(d/c_n, v_τ/c_τ)` of the points without contact, normal first.
    pub free: &'a dyn Fn(usize) -> [f64; 3],
    /// Points that may touch.
    pub candidate: &'a dyn Fn(usize) -> bool,
    /// Tolerance of the laws.
    pub tolerance: f64,
}

impl Explicit {
    /// Gathers the rows of a pairing.
    pub fn pair(&mut self, points: &Points, kept: &[f64]) {
        self.rows.gather(points, kept, &mut self.multipliers);
    }

    /// Solves and adds the change of velocity to `y`; contact forces into `force`, normal and tangential.
    pub fn solve<const D: usize>(
        &mut self,
        question: &Question<'_>,
        y: &mut [f64],
        force: &mut [Vec<f64>; 2],
    ) -> Result<(), Error> {
        let active = self.list(question);
        self.residual = 0.0;
        for (m, s) in self.multipliers.chunks_mut(D).enumerate() {
            if active.binary_search(&m).is_err() {
                s.fill(0.0);
            }
        }
        if active.is_empty() {
            return Ok(());
        }
        let w = self.mobility::<D>(question, &active);
        let b = self.velocities::<D>(question, &active);
        let laws = active.iter().map(|m| Law::coulomb(self.rows.friction[*m])).collect();
        let problem = delassus_friction::Problem::new(w, b, laws)?;
        let mut s: Vec<Vector<D>> =
            active.iter().map(|m| Vector::from_fn(|k, _| self.multipliers[D * m + k])).collect();
        let settings = FrictionSettings { tolerance: question.tolerance, ..Default::default() };
        let solution = delassus_friction::solve(&problem, &settings, &mut s)?;
        self.residual = solution.certificate.relative;
        if !solution.converged() && self.residual > question.tolerance.max(1e-6) {
            return Err(Error::Contact { residual: self.residual, worst: solution.certificate.worst.len() });
        }
        for (i, m) in active.iter().enumerate() {
            (0..D).for_each(|k| self.multipliers[D * m + k] = s[i][k]);
            for (dof, column) in &self.rows.rows[*m] {
                let dof = *dof as usize;
                let tangential: f64 = (1..D).map(|k| column[k] * s[i][k]).sum();
                let normal = column[0] * s[i][0];
                force[0][dof] += normal;
                force[1][dof] += tangential;
                y[dof] += question.h * question.inverse[dof] * (normal + tangential);
            }
        }
        Ok(())
    }

    /// Multipliers with a point that may touch.
    fn list(&self, question: &Question<'_>) -> Vec<usize> {
        let mut marked = vec![false; self.rows.rows.len()];
        for j in (0..question.points.len()).filter(|j| (question.candidate)(*j)) {
            question.points.basis(j).iter().filter(|b| b.1 != 0.0).for_each(|(m, _)| marked[*m as usize] = true);
        }
        (0..marked.len()).filter(|m| marked[*m] && self.rows.weight[*m] > 0.0).collect()
    }

    /// `h G M⁻¹ Gᵀ`, sparse: multipliers that share a degree of freedom.
    fn mobility<const D: usize>(&self, question: &Question<'_>, active: &[usize]) -> BlockMatrix<D> {
        let mut by_dof: std::collections::BTreeMap<u32, Vec<(u32, [f64; 3])>> = Default::default();
        for (i, m) in active.iter().enumerate() {
            self.rows.rows[*m].iter().for_each(|(dof, c)| by_dof.entry(*dof).or_default().push((i as u32, *c)));
        }
        let mut triplets: Vec<(u32, u32, Matrix<D>)> = vec![];
        for (dof, users) in &by_dof {
            let inverse = question.h * question.inverse[*dof as usize];
            for (i, a) in users {
                for (j, b) in users {
                    triplets.push((*i, *j, Matrix::<D>::from_fn(|r, c| inverse * a[r] * b[c])));
                }
            }
        }
        BlockMatrix::from_triplets(active.len(), &mut triplets)
    }

    fn velocities<const D: usize>(&self, question: &Question<'_>, active: &[usize]) -> Vec<Vector<D>> {
        let mut sums = vec![[0.0; 3]; self.rows.rows.len()];
        for j in 0..question.points.len() {
            let u = (question.free)(j);
            for (m, psi) in question.points.basis(j) {
                (0..D).for_each(|k| sums[*m as usize][k] += question.points.weight[j] * psi * u[k]);
            }
        }
        active.iter().map(|m| Vector::from_fn(|k, _| sums[*m][k])).collect()
    }
}

impl super::Analysis {
    /// One explicit step; on failure the state is as before.
    pub(super) fn advance_explicit(&mut self, h: f64) -> Result<(), Error> {
        let mut motion = std::mem::take(&mut self.ws.motion);
        let result = self.advance_motion(h, &mut motion);
        self.ws.motion = motion;
        result
    }

    fn advance_motion(&mut self, h: f64, motion: &mut Motion) -> Result<(), Error> {
        let scheme = self.settings.scheme;
        self.clear_contact();
        self.ws.law_residual = 0.0;
        self.inverse_masses();
        let n = self.state.u.len();
        motion.resize(n);
        self.ws.internal.resize(n, 0.0);
        self.ws.external.resize(n, 0.0);
        let central = matches!(scheme, Scheme::CentralDifferences);
        let (state, ws) = (&self.state, &mut self.ws);
        if central {
            (0..n).for_each(|i| motion.y[i] = state.v[i] + 0.5 * h * state.a[i]);
        } else {
            // The accelerations are those of the internal forces: found when the last step ended.
            self.structure.external(state.time + h, &state.u, &mut ws.external)?;
            let mass = self.structure.lumped();
            for i in 0..n {
                ws.internal[i] = -mass[i] * state.a[i];
                motion.y[i] = state.v[i] + h * ws.inverse[i] * (ws.external[i] - ws.internal[i]);
            }
        }
        let theta = if let Scheme::SemiExplicit { theta } = scheme { theta } else { 1.0 };
        self.hold(&mut motion.y, h, theta);
        let penalised = !self.settings.contact.formalism.has_multipliers();
        motion.place(&self.state, h, theta);
        if !self.interfaces.is_empty() && !penalised {
            // Where the surfaces will be decides who meets whom.
            self.pair(&motion.u, self.state.time + h)?;
            self.impose_contact(motion, h, central)?;
            motion.place(&self.state, h, theta);
        }
        match central {
            true => self.commit_central(h, motion, penalised),
            false => self.commit_semi_explicit(h, motion),
        }
    }

    fn inverse_masses(&mut self) {
        if self.ws.inverse.len() == self.state.u.len() {
            return;
        }
        self.ws.inverse = self.structure.lumped().iter().map(|m| if *m > 0.0 { 1.0 / m } else { 0.0 }).collect();
        for dof in self.structure.imposed().dofs() {
            self.ws.inverse[*dof as usize] = 0.0;
        }
    }

    /// Velocities of held degrees of freedom, so that they arrive where they are held.
    fn hold(&self, y: &mut [f64], h: f64, theta: f64) {
        for (dof, value) in self.structure.held(self.state.time + h) {
            let way = (value - self.state.u[dof]) / h;
            y[dof] = (way - (1.0 - theta) * self.state.v[dof]) / theta;
        }
    }

    /// Contact by multipliers, added to the velocities `y`.
    fn impose_contact(&mut self, motion: &mut Motion, h: f64, central: bool) -> Result<(), Error> {
        let Motion { y, u: free, before, .. } = motion;
        let free = &*free;
        let mut explicit = std::mem::take(&mut self.ws.explicit);
        let points = &self.points;
        explicit.pair(points, &self.state.multipliers);
        before.clone_from(y);
        let velocities = |j: usize| points.velocity(j, before);
        // In units of velocity: the gap at the end over the step, or the velocity at the end.
        let measure = |j: usize| {
            let v = velocities(j);
            if central { [points.gap_at(j, free) / h, v[1], v[2]] } else { v }
        };
        // As in implicit steps: surfaces that merely graze meet in the next step.
        let round = super::implicit::ROUND * free.iter().map(|u| u.abs()).fold(0.0, f64::max);
        let candidate = |j: usize| points.gap_at(j, free) <= -round;
        let question = Question {
            points,
            inverse: &self.ws.inverse,
            h,
            free: &measure,
            candidate: &candidate,
            tolerance: self.settings.tolerance.max(1e-12),
        };
        let result = match points.dim() {
            2 => explicit.solve::<2>(&question, y, &mut self.ws.contact),
            _ => explicit.solve::<3>(&question, y, &mut self.ws.contact),
        };
        let dim = points.dim();
        self.ws.stress.clear();
        self.ws.stress.extend((0..points.len()).map(|j| -> [f64; 3] {
            std::array::from_fn(|k| if k < dim { points.interpolate(j, &explicit.multipliers, dim, k) } else { 0.0 })
        }));
        self.ws.status.clear();
        self.ws.status.extend(self.ws.stress.iter().zip(&points.friction).map(|(s, mu)| match s[0] > 0.0 {
            false => Status::Open,
            true if s[1].hypot(s[2]) < mu * s[0] * (1.0 - 1e-9) => Status::Stick,
            true => Status::Slip,
        }));
        self.state.multipliers.clone_from(&explicit.multipliers);
        self.ws.law_residual = explicit.residual;
        self.ws.explicit = explicit;
        result
    }

    /// Penalty at displacements `u`: forces of the points, (1.27).
    fn penalise(&mut self, u: &[f64], v: &[f64], t: f64) -> Result<(), Error> {
        self.pair(u, t)?;
        let Formalism::Penalty { normal, tangential } = self.settings.contact.formalism else { return Ok(()) };
        self.ws.stress.clear();
        self.ws.status.clear();
        for j in 0..self.points.len() {
            let pressure = normal * (-self.points.gap[j]).max(0.0);
            let slip = self.points.velocity(j, v);
            let trial = [tangential * slip[1], tangential * slip[2]];
            let (size, limit) = (trial[0].hypot(trial[1]), self.points.friction[j] * pressure);
            let factor = if size > limit { limit / size } else { 1.0 };
            self.ws.stress.push([pressure, -factor * trial[0], -factor * trial[1]]);
            self.ws.status.push(match (pressure > 0.0, size > limit) {
                (false, _) => Status::Open,
                (true, false) if limit > 0.0 => Status::Stick,
                _ => Status::Slip,
            });
        }
        self.gather_contact();
        Ok(())
    }

    /// Forces and internal variables at the end of the step.
    fn arrive(&mut self, motion: &Motion) -> Result<Energies, Error> {
        let Self { state, ws, structure, .. } = self;
        ws.history.resize(state.history.len(), 0.0);
        let at = At { u: &motion.u, v: &motion.y, history: &state.history };
        Ok(structure.step_explicit(at, &mut ws.history, &mut ws.internal)?)
    }

    fn commit_central(&mut self, h: f64, motion: &mut Motion, penalised: bool) -> Result<(), Error> {
        let n = motion.u.len();
        let [strain_before, plastic_before] = self.stored()?;
        let kinetic_before = self.structure.kinetic(&self.state.v, true);
        if penalised && !self.interfaces.is_empty() {
            self.penalise(&motion.u, &motion.y, self.state.time + h)?;
        }
        // Internal variables follow the displacements; forces of the end are those of the next beginning.
        let energies = self.arrive(motion)?;
        let Motion { u, y, v, a, .. } = motion;
        self.structure.external(self.state.time + h, u, &mut self.ws.external)?;
        let (ws, state) = (&mut self.ws, &self.state);
        for i in 0..n {
            let contact = if penalised { ws.contact[0][i] + ws.contact[1][i] } else { 0.0 };
            a[i] = ws.inverse[i] * (ws.external[i] - ws.internal[i] + contact);
            v[i] = y[i] + 0.5 * h * a[i];
        }
        let mut ledger =
            Ledger { kinetic: self.structure.kinetic(v, true), strain: energies.strain, ..Ledger::default() };
        ledger.plastic = energies.plastic - plastic_before;
        ledger.viscous = h * energies.viscous_power;
        ws.stored = Some([energies.strain, energies.plastic]);
        // Works over u⁺ − u = h y: forces of both ends by halves, multipliers whole.
        let mean = |f: &[f64]| 0.5 * h * (0..n).map(|i| f[i] * (state.v[i] + v[i])).sum::<f64>();
        let path = |f: &[f64]| (0..n).map(|i| f[i] * (u[i] - state.u[i])).sum::<f64>();
        ledger.external = mean(&ws.external);
        for (k, work) in [&mut ledger.contact, &mut ledger.friction].into_iter().enumerate() {
            *work = match penalised {
                true => 0.5 * (path(&state.contact[k]) + path(&ws.contact[k])),
                false => mean(&ws.contact[k]),
            };
        }
        // ΔK = h v̄·(½ M (a + a⁺) + F_c) identically where the motion is free; supports do the rest.
        let (mut kicked, mut held) = (0.0, 0.0);
        for i in 0..n {
            let mean = 0.5 * h * (state.v[i] + v[i]);
            if ws.inverse[i] > 0.0 {
                let forces = if penalised { 0.0 } else { ws.contact[0][i] + ws.contact[1][i] };
                kicked += mean * (0.5 * (state.a[i] + a[i]) / ws.inverse[i] + forces);
            } else {
                let inertia = 0.5 * self.structure.lumped()[i] * (v[i] * v[i] - state.v[i] * state.v[i]);
                ledger.external += inertia + (u[i] - state.u[i]) * ws.internal[i];
                held += inertia;
            }
        }
        ledger.closing = ledger.kinetic - kinetic_before - kicked - held;
        ledger.numerical = ledger.total()
            - (kinetic_before + strain_before)
            - (ledger.external + ledger.contact + ledger.friction - ledger.plastic - ledger.viscous)
            - ledger.closing;
        std::mem::swap(&mut self.state.u, u);
        std::mem::swap(&mut self.state.v, v);
        std::mem::swap(&mut self.state.a, a);
        std::mem::swap(&mut self.state.history, &mut self.ws.history);
        self.finish(h, ledger)
    }

    fn commit_semi_explicit(&mut self, h: f64, motion: &mut Motion) -> Result<(), Error> {
        let n = motion.u.len();
        let [strain_before, plastic_before] = self.stored()?;
        let kinetic_before = self.structure.kinetic(&self.state.v, true);
        let (ws, state, y) = (&self.ws, &self.state, &motion.y);
        let mean = |f: &[f64]| 0.5 * h * (0..n).map(|i| f[i] * (state.v[i] + y[i])).sum::<f64>();
        let internal = mean(&ws.internal);
        let mut ledger = Ledger { kinetic: self.structure.kinetic(y, true), ..Ledger::default() };
        ledger.external = mean(&ws.external);
        ledger.contact = mean(&ws.contact[0]);
        ledger.friction = mean(&ws.contact[1]);
        let energies = self.arrive(motion)?;
        ledger.strain = energies.strain;
        ledger.plastic = energies.plastic - plastic_before;
        ledger.viscous = h * energies.viscous_power;
        self.ws.stored = Some([energies.strain, energies.plastic]);
        ledger.numerical = ledger.strain - strain_before + ledger.plastic + ledger.viscous - internal;
        ledger.closing =
            ledger.kinetic - kinetic_before - (ledger.external + ledger.contact + ledger.friction - internal);
        self.structure.accelerations(&self.ws.internal, &mut motion.a);
        std::mem::swap(&mut self.state.u, &mut motion.u);
        std::mem::swap(&mut self.state.v, &mut motion.y);
        std::mem::swap(&mut self.state.a, &mut motion.a);
        std::mem::swap(&mut self.state.history, &mut self.ws.history);
        self.finish(h, ledger)
    }
}
