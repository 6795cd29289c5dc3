//! The condensed path: the contact problem of the multipliers, method (8)
//!
//! ```text
//!     U = W S + b,    W = G J⁻¹ Gᵀ,    b = U(y) + G (y_free − y),    y_free = y − J⁻¹ R(y)
//! ```
//!
//! One block of rows per multiplier, `G_m = Σ_j ω_j ψ_m(p_j) G_j`: with collocation at nodes
//! these are node contacts, else mortar rows. The problem goes to the solvers of
//! `delassus-friction`; solids that are not linear repeat it, Newton's iteration on the rest.

use super::Error;
use super::Linear;
use super::nested::Problem;
use super::points::Points;
use super::report::Status;
use super::rows::MultiplierRows;
use crate::algebra::{
    Cholesky, ConjugateGradient, GradientSettings, GradientStatus, Preconditioner, SolveScratch, SymmetricMatrix,
};
use delassus_friction::algebra::{BlockMatrix, Matrix, Vector};
use delassus_friction::{Law, Settings as FrictionSettings};

/// Scratch of the condensed path.
#[derive(Default)]
pub struct Condensed {
    factor: Option<Cholesky>,
    gradients: ConjugateGradient,
    preconditioner: Option<Preconditioner>,
    matrix: Option<SymmetricMatrix>,
    scratch: SolveScratch,
    /// Multipliers with their components of the space: pressure, friction stress.
    pub multipliers: Vec<f64>,
    rows: MultiplierRows,
    mean: Vec<f64>,
    /// `J⁻¹ Gᵀ`, column after column.
    lifted: Vec<f64>,
    active: Vec<usize>,
    /// Relative residual of the contact laws.
    pub residual: f64,
    /// Relative residual of the balance.
    pub balance: f64,
    /// Residuals of the Newton iterations.
    pub residuals: Vec<f64>,
    step: Vec<f64>,
    right: Vec<f64>,
    force: Vec<f64>,
    /// What the factor belongs to, where it can be used again.
    made_for: Option<[f64; 3]>,
}

impl Condensed {
    /// Gathers the rows of a pairing.
    pub fn pair(&mut self, points: &Points, kept: &[f64]) {
        self.rows.gather(points, kept, &mut self.multipliers);
    }

    /// Factorises `J` at the present unknowns, unless it is known not to have changed.
    pub fn factorise(&mut self, problem: &mut Problem<'_>) -> Result<(), Error> {
        let c = problem.balance.prediction.c;
        if problem.structure.is_linear() && self.made_for == Some(c) {
            return Ok(());
        }
        let structure = &*problem.structure;
        let matrix = self.matrix.get_or_insert_with(|| SymmetricMatrix::zero(structure.pattern().clone()));
        matrix.set_sum(1.0, structure.tangent(), c[2], structure.mass());
        let diagonal = matrix.diagonal().fold(0.0, |a: f64, b| a.max(b.abs()));
        matrix.impose(structure.imposed(), diagonal.max(f64::MIN_POSITIVE));
        self.made_for = None;
        match problem.settings.linear {
            Linear::Direct => {
                let factor = match &mut self.factor {
                    Some(factor) => factor,
                    none => none.insert(Cholesky::new(structure.pattern())?),
                };
                factor.refactor(matrix)?;
            }
            Linear::Iterative => match &mut self.preconditioner {
                Some(preconditioner) => preconditioner.update(matrix)?,
                none => *none = Some(Preconditioner::incomplete_cholesky(matrix)?),
            },
        }
        self.made_for = Some(c);
        problem.counts.factorisations += 1;
        Ok(())
    }

    /// `x ← J⁻¹ x`, zero where degrees of freedom are held.
    fn lift(&mut self, problem: &Problem<'_>, x: &mut [f64]) -> Result<(), Error> {
        for dof in problem.structure.imposed().dofs() {
            x[*dof as usize] = 0.0;
        }
        if let (Some(preconditioner), Some(matrix)) = (&self.preconditioner, &self.matrix) {
            self.right.clear();
            self.right.extend_from_slice(x);
            x.fill(0.0);
            self.gradients.settings = GradientSettings { tolerance: 1e-13, ..GradientSettings::default() };
            let report = self.gradients.solve(&mut &*matrix, preconditioner, &self.right, x)?;
            // What is left is judged with the balance; only a failure is one here.
            let failed = matches!(report.status, GradientStatus::NotPositive | GradientStatus::TooManyIterations);
            if failed && report.residual > problem.settings.tolerance {
                return Err(Error::Gradients { iterations: report.iterations, residual: report.residual });
            }
            return Ok(());
        }
        let factor = self.factor.as_ref().expect("factorised before");
        factor.solve_in_place(x, &mut self.scratch)?;
        Ok(())
    }

    /// The step without contact: Newton on the balance.
    pub fn free(&mut self, problem: &mut Problem<'_>) -> Result<(), Error> {
        self.active.clear();
        self.newton::<2>(problem, true)
    }

    /// Solves with the multipliers whose mean gap is not positive, or with all.
    pub fn solve(&mut self, problem: &mut Problem<'_>, gaps: &[f64], all: bool) -> Result<(), Error> {
        self.average(problem.points, gaps);
        self.active.clear();
        let may_touch = |m: &usize| self.rows.weight[*m] > 0.0 && (all || self.mean[*m] <= 0.0);
        self.active.extend((0..self.rows.rows.len()).filter(may_touch));
        let dim = problem.points.dim();
        for m in (0..self.rows.rows.len()).filter(|m| self.active.binary_search(m).is_err()) {
            self.multipliers[dim * m..dim * (m + 1)].fill(0.0);
        }
        match dim {
            2 => self.newton::<2>(problem, false),
            _ => self.newton::<3>(problem, false),
        }
    }

    /// Mean predicted gaps of the multipliers.
    fn average(&mut self, points: &Points, gaps: &[f64]) {
        self.mean.clear();
        self.mean.resize(self.rows.rows.len(), 0.0);
        for (j, gap) in gaps.iter().enumerate() {
            for (m, psi) in points.basis(j) {
                self.mean[*m as usize] += points.weight[j] * psi * gap;
            }
        }
        self.mean.iter_mut().zip(&self.rows.weight).filter(|(_, w)| **w > 0.0).for_each(|(s, w)| *s /= w);
    }

    fn newton<const D: usize>(&mut self, problem: &mut Problem<'_>, free: bool) -> Result<(), Error> {
        self.residuals.clear();
        let (limit, tolerance) = (problem.settings.loops.newton, problem.settings.tolerance);
        // The first pass solves; those after it, where the balance is linear, only check.
        for round in 0..=limit {
            problem.balance.evaluate(problem.structure, problem.history, true)?;
            self.balance = self.unbalance(problem, free);
            if problem.settings.log {
                let (what, b) = (if free { "free" } else { "condensed" }, self.balance);
                problem.log.push(format!("  {what} newton {round}: balance {b:.2e}"));
            }
            if !self.balance.is_finite() {
                return Err(Error::NotFinite { what: "balance" });
            }
            self.residuals.push(self.balance);
            if self.balance <= tolerance.max(problem.balance.round) && (round > 0 || free) {
                return Ok(());
            }
            if round == limit {
                break;
            }
            problem.counts.newton += 1;
            self.factorise(problem)?;
            let mut step = std::mem::take(&mut self.step);
            step.clear();
            step.extend(problem.balance.residual.iter().map(|r| -r));
            self.lift(problem, &mut step)?;
            if !free {
                self.contacts::<D>(problem, &mut step)?;
            }
            problem.balance.y.iter_mut().zip(&step).for_each(|(y, d)| *y += d);
            self.step = step;
        }
        Err(Error::Newton { iterations: limit, residual: self.balance })
    }

    /// Relative residual of the balance with the present multipliers.
    fn unbalance(&mut self, problem: &Problem<'_>, free: bool) -> f64 {
        let n = problem.balance.residual.len();
        self.force.clear();
        self.force.resize(n, 0.0);
        if !free {
            let dim = problem.points.dim();
            for m in &self.active {
                for (dof, column) in &self.rows.rows[*m] {
                    let s = &self.multipliers[dim * m..dim * (m + 1)];
                    self.force[*dof as usize] += (0..dim).map(|k| column[k] * s[k]).sum::<f64>();
                }
            }
        }
        let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let scale = problem.balance.scale.max(norm(&self.force));
        for dof in problem.structure.imposed().dofs() {
            self.force[*dof as usize] = 0.0;
        }
        self.force.iter_mut().zip(&problem.balance.residual).for_each(|(f, r)| *f = r - *f);
        if scale > 0.0 { norm(&self.force) / scale } else { 0.0 }
    }

    /// Solves the contact problem on the step without contact, and adds what it changes.
    fn contacts<const D: usize>(&mut self, problem: &mut Problem<'_>, step: &mut [f64]) -> Result<(), Error> {
        let (n, count) = (step.len(), self.active.len());
        let mut lifted = std::mem::take(&mut self.lifted);
        lifted.clear();
        lifted.resize(n * D * count, 0.0);
        for (columns, m) in lifted.chunks_exact_mut(n * D).zip(&self.active) {
            for (dof, column) in self.rows.rows[*m].iter().filter(|(dof, _)| !problem.structure.is_held(*dof as usize))
            {
                (0..D).for_each(|k| columns[n * k + *dof as usize] += column[k]);
            }
        }
        match (&self.preconditioner, &self.factor) {
            (None, Some(factor)) => factor.solve_many(&mut lifted, &mut self.scratch)?,
            _ => lifted.chunks_exact_mut(n).try_for_each(|x| self.lift(problem, x))?,
        }
        self.lifted = lifted;
        let mut w = BlockMatrix::<D>::default();
        w.clear();
        for (i, m) in self.active.iter().enumerate() {
            let block = |j: usize| {
                Matrix::<D>::from_fn(|a, b| {
                    let x = &self.lifted[n * (D * j + b)..n * (D * j + b + 1)];
                    self.rows.rows[*m].iter().map(|(dof, column)| column[a] * x[*dof as usize]).sum()
                })
            };
            w.begin_row(block(i));
            (0..count).filter(|j| *j != i).for_each(|j| w.push(j as u32, block(j)));
        }
        let b = self.free_velocities::<D>(problem, step);
        let laws = self.active.iter().map(|m| Law::coulomb(self.rows.friction[*m])).collect();
        let contact = delassus_friction::Problem::new(w, b, laws)?;
        let mut s: Vec<Vector<D>> =
            self.active.iter().map(|m| Vector::from_fn(|k, _| self.multipliers[D * m + k])).collect();
        let settings = FrictionSettings {
            tolerance: (1e-3 * problem.settings.tolerance).clamp(1e-13, 1e-8),
            ..Default::default()
        };
        let solution = delassus_friction::solve(&contact, &settings, &mut s)?;
        self.residual = solution.certificate.relative;
        if !solution.converged() && self.residual > problem.settings.tolerance.max(1e-6) {
            return Err(Error::Contact { residual: self.residual, worst: solution.certificate.worst.len() });
        }
        problem.counts.statuses += 1;
        for (i, m) in self.active.iter().enumerate() {
            for k in 0..D {
                self.multipliers[D * m + k] = s[i][k];
                let column = &self.lifted[n * (D * i + k)..n * (D * i + k + 1)];
                step.iter_mut().zip(column).for_each(|(y, x)| *y += s[i][k] * x);
            }
        }
        Ok(())
    }

    /// `b`: gaps and slips, in units of the unknowns, after the step without contact.
    fn free_velocities<const D: usize>(&self, problem: &Problem<'_>, step: &[f64]) -> Vec<Vector<D>> {
        let measures = problem.measures();
        let mut now = vec![[0.0; 3]; self.rows.rows.len()];
        for j in 0..problem.points.len() {
            let m = problem.measure(j);
            let u = [m.normal / measures.normal, m.slip[0] / measures.tangential, m.slip[1] / measures.tangential];
            for (row, psi) in problem.points.basis(j) {
                let w = problem.points.weight[j] * psi;
                (0..D).for_each(|k| now[*row as usize][k] += w * u[k]);
            }
        }
        self.active
            .iter()
            .map(|m| {
                let mut b = Vector::<D>::from_fn(|k, _| now[*m][k]);
                for (dof, column) in &self.rows.rows[*m] {
                    (0..D).for_each(|k| b[k] += column[k] * step[*dof as usize]);
                }
                b
            })
            .collect()
    }

    /// Status of a point from its multipliers.
    pub fn status(&self, points: &Points, j: usize) -> Status {
        let dim = points.dim();
        let s: [f64; 3] =
            std::array::from_fn(|k| if k < dim { points.interpolate(j, &self.multipliers, dim, k) } else { 0.0 });
        let limit = points.friction[j] * s[0];
        match (s[0] > 0.0, s[1].hypot(s[2]) < limit * (1.0 - 1e-9)) {
            (false, _) => Status::Open,
            (true, true) => Status::Stick,
            (true, false) => Status::Slip,
        }
    }
}
