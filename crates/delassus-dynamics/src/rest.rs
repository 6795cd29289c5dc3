//! Equilibrium, exactly
//!
//! A system that can stay at rest must [Moreau00 §4.1]. Solvers leave velocities of the
//! size of their tolerance, and a body would creep. Here, after the solve, pieces of the
//! system that hardly move are tested: is there a correction of the percussions with
//!
//! ```text
//!     W ΔS = −U,        S + ΔS ∈ C at every contact,        A⁻¹ Gᵀ ΔS = −u_f
//! ```
//!
//! Then `u_f = 0` with `S + ΔS` satisfies the laws and the dynamics of the step to
//! round-off, better than what the solver gave, and is taken. A disc that rolls slowly has
//! `U = 0` but no such `ΔS`, and goes on rolling. The system is consistent where rest is
//! possible: conjugate gradients on the positive semidefinite `W`, restricted to percussions
//! inside their sets, or an elimination by bodies where there are many; pieces that cannot
//! rest are left as they are.

use crate::Rows;
use delassus_friction::algebra::Vector;
use delassus_friction::solver::least_change;
use delassus_friction::{Problem, Root};

/// Relative slip below which rest is tried, in units of the solver's tolerance.
const NEAR: f64 = 1e3;
/// Imposed velocity that counts as none, in units of the solver's tolerance.
const FIXED: f64 = 1e-3;
/// Most blocks for which conjugate gradients are tried; beyond, an elimination by bodies is
/// cheaper.
const TRIAL: usize = 400;
/// Larger pieces that were moving before the step are tried once in so many steps: in a
/// packing that creeps to rest, most trials fail.
const SELDOM: u64 = 32;
/// Iterations of the conjugate gradients.
const ITERATIONS: usize = 300;
/// Distance to the boundary of its set, relative to a percussion, that leaves it free to change.
const MARGIN: f64 = 1e-4;
/// Round-off of sums of percussions.
const ROUND: f64 = 64.0 * f64::EPSILON;

/// Scratch of the test.
#[derive(Default)]
pub(crate) struct Rest<const C: usize> {
    /// Union-find over groups, by group number.
    parent: Vec<u32>,
    moving: Vec<bool>,
    candidate: Vec<bool>,
    /// More candidates than [`TRIAL`]; some of them moved before the step.
    large: bool,
    fresh: bool,
    /// Components that may change both ways without leaving the set of the law.
    mask: Vec<Vector<C>>,
    x: Vec<Vector<C>>,
    r: Vec<Vector<C>>,
    p: Vec<Vector<C>>,
    wp: Vec<Vector<C>>,
    balance: Vec<f64>,
    scale: Vec<f64>,
    /// `A⁻¹ 1`: weighs degrees of freedom of different units.
    unit: Vec<f64>,
    /// Kinetic measure of the remaining and of the summed velocities, by group.
    left: Vec<[f64; 2]>,
}

/// What the test looks at.
pub(crate) struct Scene<'a, const C: usize> {
    pub problem: &'a Problem<C>,
    pub rows: &'a Rows<C>,
    /// Part of the velocities in the laws that does not depend on `u`.
    pub fixed: &'a [Vector<C>],
    pub compliance: &'a [Vector<C>],
    /// Free velocity.
    pub loaded: &'a [f64],
    pub u_i: &'a [f64],
    pub tolerance: f64,
    /// Number of the step.
    pub step: u64,
    pub solve: &'a dyn Fn(&mut [f64]),
    /// Whether a group rests when its contacts do.
    pub rests: &'a dyn Fn(u32) -> bool,
    pub root: &'a dyn Fn() -> Option<Root<C>>,
}

impl<const C: usize> Rest<C> {
    /// Puts the pieces that can rest at rest: changes `s` and `u`; returns how many groups.
    pub fn settle(&mut self, scene: &Scene<C>, s: &mut [Vector<C>], velocity: &[Vector<C>], u: &mut [f64]) -> usize {
        let n = scene.problem.len();
        if !self.candidates(scene, s, velocity) {
            return 0;
        }
        self.masks(scene, s);
        if !self.correction(scene, s, velocity) {
            return 0;
        }
        // u with the corrected percussions, and the size of what was summed.
        self.balance.clear();
        self.balance.resize(u.len(), 0.0);
        self.scale.clear();
        self.scale.resize(u.len(), 0.0);
        for i in 0..n {
            let total = s[i] + self.x[i];
            for side in scene.rows.sides(i) {
                for k in side.range() {
                    let d = scene.rows.dofs()[k] as usize;
                    self.balance[d] += scene.rows.columns()[k].dot(&total);
                    self.scale[d] += scene.rows.columns()[k].abs().dot(&total.abs());
                }
            }
        }
        (scene.solve)(&mut self.balance);
        (scene.solve)(&mut self.scale);
        self.measure(scene, n);
        self.refuse(scene, s, n);
        let mut count = 0;
        for g in 0..self.parent.len() {
            let root = self.find(g as u32) as usize;
            count += usize::from(self.moving[g] && self.candidate_group(root));
        }
        for i in (0..n).filter(|i| self.candidate[*i]) {
            s[i] += self.x[i];
            for side in scene.rows.sides(i) {
                side.range().for_each(|k| u[scene.rows.dofs()[k] as usize] = 0.0);
            }
        }
        count
    }

    /// `moving` marks groups seen by some block; a root is refused by clearing its flag.
    fn candidate_group(&self, root: usize) -> bool {
        self.moving[root]
    }

    fn find(&mut self, mut g: u32) -> u32 {
        while self.parent[g as usize] != g {
            self.parent[g as usize] = self.parent[self.parent[g as usize] as usize];
            g = self.parent[g as usize];
        }
        g
    }

    /// Marks the blocks of the pieces in which nothing moves beyond the tolerance.
    fn candidates(&mut self, scene: &Scene<C>, s: &[Vector<C>], velocity: &[Vector<C>]) -> bool {
        let (rows, n) = (scene.rows, scene.problem.len());
        let groups = (0..n).flat_map(|i| rows.sides(i)).map(|s| s.group + 1).max().unwrap_or(0);
        self.parent.clear();
        self.parent.extend(0..groups);
        self.moving.clear();
        self.moving.resize(groups as usize, false);
        self.candidate.clear();
        self.candidate.resize(n, false);
        let typical = scene.problem.b_norm() / (n as f64).sqrt();
        for i in 0..n {
            let size = scene.problem.b()[i].norm().max(typical);
            self.candidate[i] = velocity[i].norm() <= NEAR * scene.tolerance.min(1e-7) * size
                && scene.fixed[i].amax() <= FIXED * scene.tolerance * size
                && scene.compliance[i].component_mul(&s[i]).amax() == 0.0
                && rows.sides(i).all(|side| (scene.rests)(side.group));
            let mut first = None;
            for side in rows.sides(i) {
                self.moving[side.group as usize] = true;
                let root = self.find(side.group);
                match first {
                    None => first = Some(root),
                    Some(other) => self.parent[root as usize] = self.find(other),
                }
            }
        }
        // One block that moves keeps its whole piece.
        for i in 0..n {
            if let Some(side) = rows.sides(i).next()
                && !self.candidate[i]
            {
                let root = self.find(side.group) as usize;
                self.moving[root] = false;
            }
        }
        let mut left = 0;
        let mut fresh = false;
        for i in 0..n {
            let Some(side) = rows.sides(i).next() else { continue };
            let root = self.find(side.group) as usize;
            self.candidate[i] = self.moving[root];
            left += usize::from(self.candidate[i]);
            fresh |= self.candidate[i]
                && rows.sides(i).any(|s| s.range().any(|k| scene.u_i[rows.dofs()[k] as usize] != 0.0));
        }
        self.large = left > TRIAL;
        self.fresh = fresh;
        left > 0 && (!self.large || !self.fresh || scene.step.is_multiple_of(SELDOM))
    }

    /// Percussions on the boundary of their sets are left alone.
    fn masks(&mut self, scene: &Scene<C>, s: &[Vector<C>]) {
        self.mask.clear();
        self.mask.resize(s.len(), Vector::zeros());
        let typical = scene.problem.b_norm() / (s.len() as f64).sqrt();
        for i in (0..s.len()).filter(|i| self.candidate[*i]) {
            // Percussions that are dust beside the others are not counted on.
            let least = 1e-6 * typical * scene.problem.rho(i);
            let (law, step) = (&scene.problem.laws()[i], (MARGIN * s[i].norm()).max(least));
            for k in 0..C {
                let inside = |sign: f64| {
                    let mut x = s[i];
                    x[k] += sign * step;
                    (law.project(&x) - x).norm() <= 1e-3 * step
                };
                self.mask[i][k] = f64::from(u8::from(step > 0.0 && inside(1.0) && inside(-1.0)));
            }
        }
    }

    /// `W x = −U` on the candidates; false where it is too dear.
    fn correction(&mut self, scene: &Scene<C>, s: &[Vector<C>], velocity: &[Vector<C>]) -> bool {
        let (problem, n) = (scene.problem, scene.problem.len());
        let zero = Vector::<C>::zeros();
        for field in [&mut self.x, &mut self.r, &mut self.p, &mut self.wp] {
            field.clear();
            field.resize(n, zero);
        }
        // Below the round-off of the velocities there is only the null space of W to wander in.
        let (mut rz, mut end) = (0.0, 0.0);
        for i in (0..n).filter(|i| self.candidate[*i]) {
            self.r[i] = -velocity[i].component_mul(&self.mask[i]);
            self.p[i] = self.r[i] * problem.rho(i);
            rz += self.r[i].dot(&self.p[i]);
            let summed = problem.b()[i].norm() + (problem.w().diagonal(i) * s[i]).norm();
            end += problem.rho(i) * (4.0 * f64::EPSILON * summed).powi(2);
        }
        if rz <= end {
            return true;
        }
        if self.large {
            match (scene.root)().and_then(|root| least_change(&root, &self.mask, |i| problem.rho(i), &self.r)) {
                Some(x) => {
                    self.x.copy_from_slice(&x);
                    return true;
                }
                None if self.fresh => return false,
                None => {}
            }
        }
        self.gradients(problem, rz, end);
        true
    }

    /// Conjugate gradients preconditioned by ρ, from `r` and `p` on.
    fn gradients(&mut self, problem: &Problem<C>, mut rz: f64, end: f64) {
        let n = problem.len();
        for _ in 0..ITERATIONS {
            let mut curvature = 0.0;
            let by_bodies = problem.by_bodies().is_some();
            if by_bodies {
                problem.product(&self.p, &mut self.wp);
            }
            for i in (0..n).filter(|i| self.candidate[*i]) {
                let row = match by_bodies {
                    true => self.wp[i],
                    false => problem.w().row_times(i, &self.p, problem.w().diagonal(i) * self.p[i]),
                };
                self.wp[i] = row.component_mul(&self.mask[i]);
                curvature += self.p[i].dot(&self.wp[i]);
            }
            if !(curvature > 0.0) || rz <= end {
                break;
            }
            let step = rz / curvature;
            let mut next = 0.0;
            for i in (0..n).filter(|i| self.candidate[*i]) {
                self.x[i] += self.p[i] * step;
                self.r[i] -= self.wp[i] * step;
                next += self.r[i].norm_squared() * problem.rho(i);
            }
            let beta = next / rz;
            rz = next;
            for i in (0..n).filter(|i| self.candidate[*i]) {
                self.p[i] = self.r[i] * problem.rho(i) + self.p[i] * beta;
            }
        }
    }

    /// What is left of the velocity of each group, against what was summed, as kinetic energies.
    fn measure(&mut self, scene: &Scene<C>, n: usize) {
        self.unit.clear();
        self.unit.resize(self.balance.len(), 1.0);
        (scene.solve)(&mut self.unit);
        self.left.clear();
        self.left.resize(self.parent.len(), [0.0; 2]);
        for i in (0..n).filter(|i| self.candidate[*i]) {
            for side in scene.rows.sides(i) {
                let left = &mut self.left[side.group as usize];
                *left = [0.0; 2];
                for d in side.range().map(|k| scene.rows.dofs()[k] as usize).filter(|d| self.unit[*d] != 0.0) {
                    let (weight, u) = (1.0 / self.unit[d].abs(), scene.loaded[d] + self.balance[d]);
                    left[0] += weight * u * u;
                    left[1] += weight * (scene.loaded[d].abs() + self.scale[d].abs()).powi(2);
                }
            }
        }
    }

    /// Gives up the pieces whose balance does not close or whose percussions leave their sets.
    fn refuse(&mut self, scene: &Scene<C>, s: &[Vector<C>], n: usize) {
        for i in 0..n {
            if !self.candidate[i] {
                continue;
            }
            let total = s[i] + self.x[i];
            let outside = (scene.problem.laws()[i].project(&total) - total).norm();
            let balanced = scene.rows.sides(i).all(|s| {
                let [left, summed] = self.left[s.group as usize];
                left <= ROUND * ROUND * summed
            });
            if (outside > 8.0 * f64::EPSILON * total.norm() || !balanced)
                && let Some(side) = scene.rows.sides(i).next()
            {
                let root = self.find(side.group) as usize;
                self.moving[root] = false;
            }
        }
        for i in 0..n {
            if let Some(side) = scene.rows.sides(i).next() {
                let root = self.find(side.group) as usize;
                self.candidate[i] &= self.moving[root];
            }
        }
    }
}
