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
//! possible: conjugate gradients on the balance of the bodies, with the percussions that are
//! inside their sets, after an elimination by bodies where there are many; pieces that cannot
//! rest are left as they are.
//!
//! How much counts as hardly moving is told by `b`, what the loads alone would give, and not by the
//! tolerance of the solver: a piece that a loose tolerance leaves too far is solved further, see
//! [`Trial::Fails`]. What rested and still can with the percussions it has keeps them to the bit:
//! [`Rest::holds`].

use crate::Rows;
use delassus_friction::algebra::Vector;
use delassus_friction::solver::least_change;
use delassus_friction::{Law, Problem, Root};

/// Relative velocity below which rest is tried where nothing moved before, over what the loads alone would give.
pub(crate) const NEAR: f64 = 1e-2;
/// The same where something did: in a packing that creeps to rest, most trials fail.
const NEARER: f64 = 1e-4;
/// Velocity of a piece that was moving, over the residual to which its percussions were solved and `b`, beyond which
/// it moves: what is left of rest is of the size of the residual.
const LEFT_OVER: f64 = 1e3;
/// Residual to which an island that hardly moves is solved, whatever the tolerance: what is left then is closed here.
pub(crate) const TIGHT: f64 = 1e-8;
/// Imposed velocity that counts as none.
const FIXED: f64 = 1e-11;
/// Most blocks for which conjugate gradients are tried; beyond, an elimination by bodies is
/// cheaper.
const TRIAL: usize = 400;
/// Larger pieces that were moving before the step, and those not so near, are tried once in so many steps.
pub(crate) const SELDOM: u64 = 32;
/// Smaller pieces that were moving are tried once in so many.
const OFTEN: u64 = 8;
/// Corrections of one trial.
const PASSES: usize = 4;
/// What is left, pass by pass, of friction on the boundary of its cone.
const DRAWN: [f64; PASSES - 1] = [0.9, 0.5, 0.5];
/// Iterations of the conjugate gradients.
const ITERATIONS: usize = 300;
/// Distance to the boundary of its set, relative to a percussion, that leaves it free to change.
const MARGIN: f64 = 1e-4;
/// Round-off of sums of percussions.
const ROUND: f64 = 64.0 * f64::EPSILON;
/// Round-off of a percussion on the boundary of its set.
pub(crate) const OUTSIDE: f64 = 8.0 * f64::EPSILON;

/// Scratch of the test.
#[derive(Default)]
pub(crate) struct Rest<const C: usize> {
    /// Union-find over groups, by group number.
    parent: Vec<u32>,
    /// Groups seen by some block; a piece is refused by clearing the flag of its root.
    moving: Vec<bool>,
    candidate: Vec<bool>,
    /// Both before a correction was judged.
    tried: Vec<bool>,
    seen: Vec<bool>,
    /// More candidates than [`TRIAL`]; some of them moved before the step.
    large: bool,
    fresh: bool,
    /// Components that may change both ways without leaving the set of the law.
    mask: Vec<Vector<C>>,
    /// Percussions inside their sets, and their velocities.
    start: Vec<Vector<C>>,
    v: Vec<Vector<C>>,
    x: Vec<Vector<C>>,
    r: Vec<Vector<C>>,
    /// Momenta that are left, a direction of search, and what it changes.
    push: Vec<f64>,
    ask: Vec<f64>,
    answer: Vec<f64>,
    balance: Vec<f64>,
    scale: Vec<f64>,
    /// `A⁻¹ 1`: weighs degrees of freedom of different units.
    unit: Vec<f64>,
    /// Kinetic measure of the remaining and of the summed velocities, by group.
    left: Vec<[f64; 2]>,
}

/// How the test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trial {
    /// Something moves.
    Moves,
    /// Hardly, but there is no rest from these percussions: better ones may know one.
    Fails,
    /// So many groups are at rest.
    Rests(usize),
}

/// What the test looks at.
pub(crate) struct Scene<'a, const C: usize> {
    pub problem: &'a Problem<C>,
    pub laws: &'a [Law],
    pub rows: &'a Rows<C>,
    /// Part of the velocities in the laws that does not depend on `u`.
    pub fixed: &'a [Vector<C>],
    pub compliance: &'a [Vector<C>],
    /// Free velocity.
    pub loaded: &'a [f64],
    pub u_i: &'a [f64],
    /// Number of the step.
    pub step: u64,
    pub solve: &'a dyn Fn(&mut [f64]),
    /// Whether a group rests when its contacts do.
    pub rests: &'a dyn Fn(u32) -> bool,
    pub root: &'a dyn Fn() -> Option<Root<C>>,
    /// Relative residual of the percussions, where nothing can make them better; else they are when the trial fails.
    pub best: Option<f64>,
}

impl<const C: usize> Rest<C> {
    /// Whether everything was at rest and is again with the percussions as they are: laws and balance, to round-off.
    /// What [`Rest::settle`] made does, in the next step.
    pub fn holds(&mut self, scene: &Scene<C>, s: &[Vector<C>]) -> bool {
        let (rows, n) = (scene.rows, s.len());
        let still = |i: usize| {
            scene.fixed[i].amax() == 0.0
                && scene.compliance[i].component_mul(&s[i]).amax() == 0.0
                && rows.sides(i).all(|side| (scene.rests)(side.group))
                && !moved(scene, i)
        };
        if !(0..n).all(still) {
            return false;
        }
        self.unite(rows, n);
        self.candidate.fill(true);
        self.x.clear();
        self.x.resize(n, Vector::zeros());
        self.close(scene, s);
        self.candidate.iter().all(|c| *c)
    }

    /// Puts the pieces that can rest at rest: changes `s` and `u`.
    pub fn settle(&mut self, scene: &Scene<C>, s: &mut [Vector<C>], velocity: &[Vector<C>], u: &mut [f64]) -> Trial {
        let n = scene.problem.len();
        if !self.candidates(scene, s, velocity) {
            return Trial::Moves;
        }
        // Better percussions cost less than a trial of so many.
        if self.large && self.fresh && scene.best.is_none() {
            return Trial::Fails;
        }
        // What a correction takes out of its set is brought back and left alone in the next.
        let passes = if self.fresh && !scene.step.is_multiple_of(SELDOM) { 1 } else { PASSES };
        let (mut start, mut v) = (std::mem::take(&mut self.start), std::mem::take(&mut self.v));
        start.clear();
        start.extend_from_slice(s);
        v.clear();
        v.extend_from_slice(velocity);
        let mut count = 0;
        for pass in 0..passes {
            if (self.bring_inside(scene, &mut start, pass) || pass > 0) && self.large {
                scene.problem.velocities(&start, &mut v);
            }
            self.masks(scene, &start);
            let Some(before) = self.correction(scene, &start, &v, pass) else { break };
            self.tried.clone_from(&self.candidate);
            self.seen.clone_from(&self.moving);
            self.close(scene, &start);
            count = self.resting();
            if count > 0 {
                break;
            }
            self.candidate.clone_from(&self.tried);
            self.moving.clone_from(&self.seen);
            // With too few percussions free to change there is no balance, and the gradients run away.
            if self.energy_left() < before {
                (0..n).filter(|i| self.candidate[*i]).for_each(|i| start[i] += self.x[i]);
            }
        }
        if count > 0 {
            for i in (0..n).filter(|i| self.candidate[*i]) {
                s[i] = start[i] + self.x[i];
                for side in scene.rows.sides(i) {
                    side.range().for_each(|k| u[scene.rows.dofs()[k] as usize] = 0.0);
                }
            }
        }
        (self.start, self.v) = (start, v);
        if count > 0 { Trial::Rests(count) } else { Trial::Fails }
    }

    /// Groups of the pieces that were not given up.
    fn resting(&mut self) -> usize {
        let mut count = 0;
        for g in 0..self.parent.len() {
            let root = self.find(g as u32) as usize;
            count += usize::from(self.moving[g] && self.moving[root]);
        }
        count
    }

    /// Percussions of the candidates back into their sets; whether one was moved by more than round-off. After a first
    /// pass those on the boundary of their cones, where nothing slides, are drawn inside: they too may change then.
    fn bring_inside(&self, scene: &Scene<C>, s: &mut [Vector<C>], pass: usize) -> bool {
        let mut any = false;
        for i in (0..s.len()).filter(|i| self.candidate[*i]) {
            let law = &scene.laws[i];
            let mut inside = law.project(&s[i]);
            if pass > 0 && law.is_plain() && self.mask[i].amin() == 0.0 {
                (1..C).for_each(|k| inside[k] *= DRAWN[pass.min(DRAWN.len()) - 1]);
            }
            if (inside - s[i]).norm() > OUTSIDE * s[i].norm() {
                (s[i], any) = (inside, true);
            }
        }
        any
    }

    /// What is left of the velocities of the candidates, as an energy.
    fn energy_left(&self) -> f64 {
        self.left.iter().map(|l| l[0]).sum()
    }

    /// Gives up the pieces in which the velocities with the corrected percussions do not vanish.
    fn close(&mut self, scene: &Scene<C>, s: &[Vector<C>]) {
        self.weigh(scene, s);
        self.refuse(scene, s, s.len());
    }

    /// Velocities with the corrected percussions, and the size of what was summed.
    fn weigh(&mut self, scene: &Scene<C>, s: &[Vector<C>]) {
        let (n, dofs) = (s.len(), scene.loaded.len());
        self.balance.clear();
        self.balance.resize(dofs, 0.0);
        self.scale.clear();
        self.scale.resize(dofs, 0.0);
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
    }

    fn find(&mut self, mut g: u32) -> u32 {
        while self.parent[g as usize] != g {
            self.parent[g as usize] = self.parent[self.parent[g as usize] as usize];
            g = self.parent[g as usize];
        }
        g
    }

    /// The pieces of the system, and the groups that blocks see.
    fn unite(&mut self, rows: &Rows<C>, n: usize) {
        let groups = (0..n).flat_map(|i| rows.sides(i)).map(|s| s.group + 1).max().unwrap_or(0);
        self.parent.clear();
        self.parent.extend(0..groups);
        self.moving.clear();
        self.moving.resize(groups as usize, false);
        self.candidate.clear();
        self.candidate.resize(n, false);
        for i in 0..n {
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
    }

    /// Marks the blocks of the pieces in which nothing moves but a little.
    fn candidates(&mut self, scene: &Scene<C>, s: &[Vector<C>], velocity: &[Vector<C>]) -> bool {
        let (rows, n) = (scene.rows, scene.problem.len());
        self.unite(rows, n);
        let typical = scene.problem.b_norm() / (n as f64).sqrt();
        let seldom = scene.step.is_multiple_of(SELDOM);
        let nearer = if seldom { NEAR.min(LEFT_OVER * scene.best.unwrap_or(1.0)) } else { NEARER };
        for i in 0..n {
            let size = scene.problem.b()[i].norm().max(typical);
            let near = if moved(scene, i) { nearer } else { NEAR };
            self.candidate[i] = velocity[i].norm() <= near * size
                && scene.fixed[i].amax() <= FIXED * size
                && scene.compliance[i].component_mul(&s[i]).amax() == 0.0
                && rows.sides(i).all(|side| (scene.rests)(side.group));
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
            fresh |= self.candidate[i] && moved(scene, i);
        }
        self.large = left > TRIAL;
        self.fresh = fresh;
        let due = if self.large { seldom } else { scene.step.is_multiple_of(OFTEN) };
        left > 0 && (!self.fresh || due)
    }

    /// Percussions on the boundary of their sets are left alone.
    fn masks(&mut self, scene: &Scene<C>, s: &[Vector<C>]) {
        self.mask.clear();
        self.mask.resize(s.len(), Vector::zeros());
        let typical = scene.problem.b_norm() / (s.len() as f64).sqrt();
        for i in (0..s.len()).filter(|i| self.candidate[*i]) {
            // Percussions that are dust beside the others are not counted on.
            let least = 1e-6 * typical * scene.problem.rho(i);
            let (law, step) = (&scene.laws[i], (MARGIN * s[i].norm()).max(least));
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

    /// A change `x` of the percussions of the candidates that balances their bodies, and what was out of balance before;
    /// none where it is too dear.
    fn correction(&mut self, scene: &Scene<C>, s: &[Vector<C>], velocity: &[Vector<C>], pass: usize) -> Option<f64> {
        let n = scene.problem.len();
        for field in [&mut self.x, &mut self.r] {
            field.clear();
            field.resize(n, Vector::zeros());
        }
        if self.large {
            for i in (0..n).filter(|i| self.candidate[*i]) {
                self.r[i] = -velocity[i].component_mul(&self.mask[i]);
            }
            match (scene.root)().and_then(|root| least_change(&root, &self.mask, |i| scene.problem.rho(i), &self.r)) {
                Some(x) => self.x.copy_from_slice(&x),
                None if self.fresh => return None,
                None => {}
            }
        }
        self.weigh(scene, s);
        let before = self.energy_left();
        self.gradients(scene, pass);
        if !self.is_small(scene, s) {
            self.x.fill(Vector::zeros());
        }
        Some(before)
    }

    /// Whether the change is no larger than what it changes: between walls forces that run away balance each other.
    fn is_small(&self, scene: &Scene<C>, s: &[Vector<C>]) -> bool {
        let n = s.len();
        let largest = s.iter().map(|s| s.amax()).fold(0.0, f64::max);
        let typical = scene.problem.b_norm() / (n as f64).sqrt();
        (0..n).filter(|i| self.candidate[*i]).all(|i| self.x[i].amax() <= largest + typical * scene.problem.rho(i))
    }

    /// Conjugate gradients on `(Gᵀ D G) y = −A u`, preconditioned by `A⁻¹`: `x ← x + D G y`.
    ///
    /// `D` holds ρ where a component is free to change. Relative velocities would say less: small ones between neighbours
    /// add up along a pile.
    fn gradients(&mut self, scene: &Scene<C>, pass: usize) {
        let (rows, n, dofs) = (scene.rows, self.x.len(), scene.loaded.len());
        for list in [&mut self.push, &mut self.ask, &mut self.answer] {
            list.clear();
            list.resize(dofs, 0.0);
        }
        for side in (0..n).filter(|i| self.candidate[*i]).flat_map(|i| rows.sides(i)) {
            for d in side.range().map(|k| rows.dofs()[k] as usize).filter(|d| self.unit[*d] > 0.0) {
                self.push[d] = -(scene.loaded[d] + self.balance[d]) / self.unit[d];
            }
        }
        let round = 4.0 * f64::EPSILON * 0.25f64.powi(pass as i32);
        let end = round * round * self.left.iter().map(|l| l[1]).sum::<f64>();
        let mut rz = 0.0;
        for d in 0..dofs {
            self.ask[d] = self.unit[d] * self.push[d];
            rz += self.push[d] * self.ask[d];
        }
        for _ in 0..ITERATIONS {
            if rz <= end {
                break;
            }
            self.answer.fill(0.0);
            for i in (0..n).filter(|i| self.candidate[*i]) {
                self.r[i] = rows.times(i, &self.ask).component_mul(&self.mask[i]) * scene.problem.rho(i);
                rows.add_transposed(i, &self.r[i], &mut self.answer);
            }
            let curvature = self.ask.iter().zip(&self.answer).map(|(p, q)| p * q).sum::<f64>();
            if !(curvature > 0.0) {
                break;
            }
            let step = rz / curvature;
            (0..n).filter(|i| self.candidate[*i]).for_each(|i| self.x[i] += self.r[i] * step);
            let mut next = 0.0;
            for d in 0..dofs {
                self.push[d] -= self.answer[d] * step;
                next += self.push[d] * self.push[d] * self.unit[d];
            }
            let beta = next / rz;
            rz = next;
            for d in 0..dofs {
                self.ask[d] = self.unit[d] * self.push[d] + self.ask[d] * beta;
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
            let outside = (scene.laws[i].project(&total) - total).norm();
            let balanced = scene.rows.sides(i).all(|s| {
                let [left, summed] = self.left[s.group as usize];
                left <= ROUND * ROUND * summed
            });
            if (outside > OUTSIDE * total.norm() || !balanced)
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

/// Whether a body of a block moved before the step.
fn moved<const C: usize>(scene: &Scene<C>, block: usize) -> bool {
    let rows = scene.rows;
    rows.sides(block).any(|s| s.range().any(|k| scene.u_i[rows.dofs()[k] as usize] != 0.0))
}
