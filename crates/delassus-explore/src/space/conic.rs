//! Equilibrium in space as a conic program
//!
//! ```text
//!     maximise c·S   subject to   Gᵀ S + f = 0,   M_α S_α + c_α ∈ Q_α
//! ```
//!
//! by clarabel's interior point. Percussions are scaled by the largest load.

use super::cones::parts;
use crate::equilibrium::WIDEST;
use crate::{Error, Statics};
use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT::{self, NonnegativeConeT, SecondOrderConeT, ZeroConeT};
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus};
use delassus_friction::algebra::Vector;

/// The set, ready for objectives.
pub(super) struct Conic<const D: usize> {
    solver: DefaultSolver<f64>,
    blocks: usize,
    scale: f64,
    cost: Vec<f64>,
}

/// What the variable beside the percussions is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extra {
    /// Nothing: zero.
    None,
    /// The distance all contacts keep from the edges of their cones.
    Margin,
    /// The norm of what is missing to balance: a program that always has a solution, which says
    /// more reliably than a failed one that a set is empty.
    Imbalance,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Solved,
    Unbounded,
    Empty,
}

/// What may be missing to balance, relative to the largest load.
const BALANCED: f64 = 1e-7;

impl<const D: usize> Conic<D> {
    /// One more variable comes last.
    pub fn new(statics: &Statics<D>, extra: Extra) -> Result<Self, Error> {
        let (m, n) = (statics.equations(), D * statics.blocks());
        let rows = statics.row_scales();
        let mut right: Vec<f64> = statics.load().iter().zip(&rows).map(|(f, s)| -f * s).collect();
        let size = right.iter().fold(0.0f64, |a, x| a.max(x.abs()));
        let scale = if size > 0.0 { size } else { 1.0 };
        right.iter_mut().for_each(|x| *x /= scale);
        let slack = extra == Extra::Imbalance;
        let first = usize::from(slack);
        if slack {
            right.insert(0, 0.0);
        }
        let (mut i, mut j, mut v): (Vec<usize>, Vec<usize>, Vec<f64>) = (vec![], vec![], vec![]);
        let mut put = |row: usize, column: usize, value: f64| {
            if value != 0.0 {
                i.push(row);
                j.push(column);
                v.push(value);
            }
        };
        for block in 0..statics.blocks() {
            for (row, g) in statics.column(block) {
                (0..D).for_each(|k| put(first + *row as usize, D * block + k, g[k] * rows[*row as usize]));
            }
        }
        let mut cones: Vec<SupportedConeT<f64>> = vec![if slack { SecondOrderConeT(m + 1) } else { ZeroConeT(m) }];
        if slack {
            put(0, n, -1.0);
        }
        for (block, law) in statics.laws().iter().enumerate() {
            for part in parts::<D>(law, block)? {
                for (row, share, constant) in part.rows {
                    (0..D).for_each(|k| put(right.len(), D * block + k, -row[k]));
                    put(right.len(), n, if extra == Extra::Margin { -share } else { 0.0 });
                    right.push(constant / scale);
                }
                cones.push(part.cone);
            }
        }
        // Between zero and a limit.
        put(right.len(), n, -1.0);
        put(right.len() + 1, n, 1.0);
        let limit = match extra {
            Extra::None => 0.0,
            Extra::Margin => WIDEST,
            Extra::Imbalance => 1e3 * (m as f64).sqrt(),
        };
        right.extend([0.0, limit]);
        cones.push(NonnegativeConeT(2));
        let a = CscMatrix::new_from_triplets(right.len(), n + 1, i, j, v);
        let settings = DefaultSettings {
            verbose: false,
            presolve_enable: false,
            input_sparse_dropzeros: false,
            tol_gap_abs: 1e-10,
            tol_gap_rel: 1e-10,
            tol_feas: 1e-10,
            max_iter: 100,
            ..DefaultSettings::default()
        };
        let cost = vec![0.0; n + 1];
        let p = CscMatrix::zeros((n + 1, n + 1));
        let solver = DefaultSolver::new(&p, &cost, &a, &right, &cones, settings)
            .map_err(|e| Error::Search { reason: e.to_string() })?;
        Ok(Self { solver, blocks: statics.blocks(), scale, cost })
    }

    /// Maximises `direction · S` of a block.
    pub fn support(&mut self, block: usize, direction: &Vector<D>) -> Result<End, Error> {
        self.cost.fill(0.0);
        (0..D).for_each(|k| self.cost[D * block + k] = -direction[k]);
        self.solve(block)
    }

    /// The solution of largest margin.
    pub fn widen(&mut self) -> Result<End, Error> {
        self.cost.fill(0.0);
        self.cost[D * self.blocks] = -1.0;
        self.solve(0)
    }

    /// The percussions nearest to balance; empty when they miss it.
    pub fn balance(&mut self) -> Result<End, Error> {
        self.cost.fill(0.0);
        self.cost[D * self.blocks] = 1.0;
        let end = self.solve(0)?;
        let missing = self.solver.solution.x[D * self.blocks] > BALANCED;
        Ok(if end == End::Solved && missing { End::Empty } else { end })
    }

    fn solve(&mut self, contact: usize) -> Result<End, Error> {
        let failed = |reason: String| Error::Program { contact, reason };
        self.solver.update_q(&self.cost).map_err(|e| failed(e.to_string()))?;
        self.solver.solve();
        match self.solver.solution.status {
            SolverStatus::Solved | SolverStatus::AlmostSolved => Ok(End::Solved),
            SolverStatus::DualInfeasible | SolverStatus::AlmostDualInfeasible => Ok(End::Unbounded),
            SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible => Ok(End::Empty),
            // Out of digits near the answer is an answer.
            SolverStatus::InsufficientProgress if self.is_balanced() => Ok(End::Solved),
            other => Err(failed(format!("clarabel: {other:?}"))),
        }
    }

    fn is_balanced(&self) -> bool {
        let s = &self.solver.solution;
        s.r_prim <= 1e-7 && s.r_dual <= 1e-7 && (s.obj_val - s.obj_val_dual).abs() <= 1e-7
    }

    /// The percussion of a block at the solution; for an unbounded program a direction.
    pub fn reaction(&self, block: usize) -> Vector<D> {
        Vector::from_fn(|k, _| self.solver.solution.x[D * block + k] * self.scale)
    }

    /// The supporting value of the last objective, from the dual side: no point of the set is beyond it.
    pub fn bound(&self) -> f64 {
        -self.solver.solution.obj_val.min(self.solver.solution.obj_val_dual) * self.scale
    }

    /// The velocities that bound the last objective: no admissible reaction works against them.
    pub fn mechanism(&self, statics: &Statics<D>) -> Vec<f64> {
        self.solver.solution.z.iter().zip(&statics.row_scales()).map(|(z, s)| z * s).collect()
    }

    /// Whether only its limit stopped the margin.
    pub fn capped(&self) -> bool {
        self.solver.solution.x[D * self.blocks] >= (1.0 - 1e-6) * WIDEST
    }

    /// All percussions.
    pub fn network(&self) -> Vec<Vector<D>> {
        (0..self.blocks).map(|b| self.reaction(b)).collect()
    }

    /// Largest load of an equation.
    pub fn scale(&self) -> f64 {
        self.scale
    }
}
