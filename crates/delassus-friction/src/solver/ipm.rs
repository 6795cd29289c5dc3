//! Primal-dual interior point for Coulomb's law itself
//!
//! ```text
//!     v = W' y + b',   v_N y_N = τ,   (y_N, y_k) ∘ (ν_k, v_k) = τ e  for every group k,   τ → 0
//! ```
//!
//! `y`, `v`: percussions and velocities in the unit cone (normal form); `ν_k > |v_k|`
//! plays the part of the slip speed: at τ = 0, `ν_k = |v_k|` and these are the normal
//! complementarity and the maximal dissipation of method (3). The usual s-update
//! `s ← μ|U_T|` is thus made inside the Newton step, and smoothly: τ rounds the kink
//! at zero slip, where a step on `|v_k|` itself jams.
//!
//! Newton directions with the scaling of \[NesterovTodd97\], predictor and corrector
//! of \[Mehrotra92\]; the corrector is dropped and the target raised when they shorten
//! the step. One iteration is one factorisation of `W' + B`, `B` block-diagonal.
//! Coulomb's law is not monotone: the path may fold before τ = 0, and the solver then
//! says that it stalled.

use super::cone::{self, Scaling};
use super::elimination::{Elimination, Plan};
use super::normal::{Axes, GROUPS, groups, scaled};
use super::{Control, Monitor, Outcome, Progress, Stop};
use crate::algebra::{BlockMatrix, Matrix, Vector, vectorised};
use crate::{Error, Problem, certificate};
use serde::{Deserialize, Serialize};

/// Fraction of the way to the boundary that a step may go.
const TO_BOUNDARY: f64 = 0.99;
/// A step keeps every product above this fraction of their mean.
const CENTRALITY: f64 = 1e-3;
/// Steps shorter than this ask for a more central direction.
const SHORT_STEP: f64 = 0.1;
/// Residual of a Newton direction, relative to its right side, that always suffices.
const LOOSEST: f64 = 1e-6;
/// Below this tolerance residuals are those of `W` itself: redundant contacts leave no digits for sums by bodies.
const TIGHT: f64 = 1e-7;
/// Short steps in a row after which the path is given up.
const PATIENCE: usize = 12;

/// Settings of [`Ipm`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct IpmSettings {
    /// Relative residual to reach.
    pub tolerance: f64,
    /// Factorisations after which to give up.
    pub max_iterations: usize,
    /// Size of the starting point relative to `b`.
    pub start: f64,
    /// Start from the given percussions, centred to this size relative to `b`.
    pub warm: Option<f64>,
    /// Iterations in which the gap or the residual must halve; it may also creep, and arrive.
    pub halving: usize,
    /// Added to the diagonal of `W'` (whose blocks are of order one), since `W` may be singular.
    pub regularisation: f64,
}

impl Default for IpmSettings {
    fn default() -> Self {
        Self {
            tolerance: 1e-8,
            max_iterations: 100,
            start: 10.0,
            warm: None,
            halving: usize::MAX,
            regularisation: 1e-13,
        }
    }
}

/// Solver and scratch. It starts from its own centre, whatever `s` holds.
pub struct Ipm<const D: usize> {
    settings: IpmSettings,
    form: Axes<D>,
    /// `W'`, where it is eliminated by contacts.
    w: BlockMatrix<D>,
    lu: Elimination<D>,
    point: Point<D>,
    step: Point<D>,
    residual: Vec<Vector<D>>,
    scaling: Vec<[Scaling<D>; GROUPS]>,
    corrector: Vec<[Vector<D>; GROUPS]>,
    corrector_normal: Vec<f64>,
    add: Vec<Matrix<D>>,
    trial: Vec<Vector<D>>,
    u: Vec<Vector<D>>,
}

/// `y`, `v` and the slip bounds `ν`.
struct Point<const D: usize> {
    y: Vec<Vector<D>>,
    v: Vec<Vector<D>>,
    nu: Vec<[f64; GROUPS]>,
}

impl<const D: usize> Point<D> {
    fn new(n: usize) -> Self {
        Self { y: vec![Vector::zeros(); n], v: vec![Vector::zeros(); n], nu: vec![[0.0; GROUPS]; n] }
    }
}

/// `(first, x_k)`: one group with its own normal component, the rest zero.
#[inline]
fn part<const D: usize>(first: f64, x: &Vector<D>, range: (usize, usize)) -> Vector<D> {
    let mut out = Vector::zeros();
    out[0] = first;
    for k in range.0..range.1 {
        out[k] = x[k];
    }
    out
}

impl<const D: usize> Ipm<D> {
    /// Builds the normal form and analyses the pattern of `W`.
    pub fn new(problem: &Problem<D>, settings: IpmSettings) -> Result<Self, Error> {
        Self::with_plan(problem, settings, &Plan::new(problem))
    }

    /// As [`Ipm::new`], with the elimination already planned.
    pub fn with_plan(problem: &Problem<D>, settings: IpmSettings, plan: &Plan) -> Result<Self, Error> {
        let form = Axes::new(problem, "ipm")?;
        let n = problem.len();
        Ok(Self {
            lu: Elimination::new(problem, plan, |i| *form.scale(i)).to((1e-3 * settings.tolerance).min(LOOSEST)),
            w: if plan.is_by_bodies() && (settings.tolerance >= TIGHT || problem.by_bodies().is_some()) {
                BlockMatrix::default()
            } else {
                scaled(problem, &form)
            },
            settings,
            form,
            point: Point::new(n),
            step: Point::new(n),
            residual: vec![Vector::zeros(); n],
            scaling: vec![[Scaling::default(); GROUPS]; n],
            corrector: vec![[Vector::zeros(); GROUPS]; n],
            corrector_normal: vec![0.0; n],
            add: vec![Matrix::zeros(); n],
            trial: vec![Vector::zeros(); n],
            u: vec![Vector::zeros(); n],
        })
    }

    /// Solves; `s` receives the best point met.
    pub fn run(&mut self, problem: &Problem<D>, s: &mut [Vector<D>], monitor: &mut dyn Monitor) -> Outcome {
        match self.settings.warm {
            None => self.start(),
            Some(size) => self.start_near(problem, s, size),
        }
        self.go_on(problem, s, monitor)
    }

    /// Goes on from the point where the last solve of the same problem was stopped; `s` receives the best point met from there.
    pub fn go_on(&mut self, problem: &Problem<D>, s: &mut [Vector<D>], monitor: &mut dyn Monitor) -> Outcome {
        let (mut best, mut short) = (f64::INFINITY, 0);
        let mut mark = (f64::INFINITY, f64::INFINITY, 0);
        for iteration in 0..=self.settings.max_iterations {
            let gap = self.measure(problem);
            let residual = certificate::relative(problem, &self.trial, &self.u);
            if residual < best {
                best = residual;
                s.copy_from_slice(&self.trial);
            }
            let end = |stop| Outcome { stop, iterations: iteration };
            if residual <= self.settings.tolerance {
                return end(Stop::Tolerance);
            }
            if !residual.is_finite() || !gap.is_finite() {
                return end(Stop::Breakdown);
            }
            if monitor.observe(&Progress { solver: "ipm", iteration, residual }) == Control::Stop {
                return end(Stop::Asked);
            }
            if gap < 0.5 * mark.0 || best < 0.5 * mark.1 {
                mark = (gap.min(mark.0), best.min(mark.1), iteration);
            }
            if short >= PATIENCE || iteration - mark.2 > self.settings.halving {
                return end(Stop::Stalled);
            }
            self.linearise();
            if self.lu.factorise(&self.w, &self.add).is_err() {
                return end(Stop::Breakdown);
            }
            let length = self.direction(gap);
            short = if length < SHORT_STEP { short + 1 } else { 0 };
            self.advance(length);
        }
        Outcome { stop: Stop::Iterations, iterations: self.settings.max_iterations }
    }

    fn start(&mut self) {
        let n = self.form.b.len();
        let size = self.settings.start * self.form.b_norm / (n.max(1) as f64).sqrt();
        let size = if size > 0.0 { size } else { 1.0 };
        for i in 0..n {
            self.point.y[i] = Vector::zeros();
            self.point.v[i] = Vector::zeros();
            self.point.nu[i] = [size; GROUPS];
            if !self.form.bilateral[i] {
                self.point.y[i][0] = size;
                self.point.v[i][0] = size;
            }
        }
    }

    /// The centred pair nearest to given percussions: `y ∘ û = τ e` with `y − û` kept,
    /// the smoothing of the natural map in the cone's algebra.
    fn start_near(&mut self, problem: &Problem<D>, s: &[Vector<D>], size: f64) {
        let (ranges, count) = groups::<D>();
        let n = s.len();
        self.form.read_percussions(s, &mut self.point.y);
        if self.w.is_empty() {
            problem.velocities(s, &mut self.point.v);
            self.form.pull(&mut self.point.v);
        } else {
            self.w.apply(&self.point.y, &self.form.b, &mut self.point.v);
        }
        let scale = size * self.form.b_norm / (n.max(1) as f64).sqrt();
        let tau = scale * scale;
        for i in 0..n {
            if self.form.bilateral[i] {
                self.point.v[i] = Vector::zeros();
                continue;
            }
            let (y, v) = (self.point.y[i], self.point.v[i]);
            let (mut new_y, mut new_v) = (Vector::zeros(), Vector::zeros());
            for (k, range) in ranges[..count].iter().enumerate() {
                let slip = super::normal::group_norm(&v, *range);
                let mut x = part(y[0], &y, *range) - part(v[0], &v, *range);
                x[0] -= slip;
                let (z, p) = cone::smooth_pair(&x, tau);
                new_y[0] = z[0].max(new_y[0]);
                for c in range.0..range.1 {
                    new_y[c] = z[c];
                    new_v[c] = p[c];
                }
                self.point.nu[i][k] = p[0];
            }
            new_v[0] = tau / new_y[0];
            self.point.y[i] = new_y;
            self.point.v[i] = new_v;
        }
    }

    /// Percussions, their velocities, and the residual `W' y + b' − v`; returns the mean of the products that tend to zero.
    fn measure(&mut self, problem: &Problem<D>) -> f64 {
        let (ranges, count) = groups::<D>();
        self.form.to_percussions(&self.point.y, &mut self.trial);
        problem.velocities(&self.trial, &mut self.u);
        if self.w.is_empty() {
            self.residual.copy_from_slice(&self.u);
            self.form.pull(&mut self.residual);
        } else {
            // With the very matrix that is factorised: to the round-off.
            self.w.apply(&self.point.y, &self.form.b, &mut self.residual);
        }
        let (mut sum, mut terms) = (0.0, 0);
        for i in 0..self.residual.len() {
            let (y, v) = (&self.point.y[i], &self.point.v[i]);
            self.residual[i] -= v;
            if self.form.bilateral[i] {
                continue;
            }
            sum += y[0] * v[0];
            for (k, range) in ranges[..count].iter().enumerate() {
                sum += part(y[0], y, *range).dot(&part(self.point.nu[i][k], v, *range));
            }
            terms += 1 + count;
        }
        if terms > 0 { sum / terms as f64 } else { 0.0 }
    }

    /// Scalings of all groups and the block diagonal `B`.
    fn linearise(&mut self) {
        vectorised(|| self.linearised());
    }

    #[inline(always)]
    fn linearised(&mut self) {
        let (ranges, count) = groups::<D>();
        let regularisation = Matrix::identity() * self.settings.regularisation;
        for i in 0..self.add.len() {
            self.add[i] = regularisation;
            if self.form.bilateral[i] {
                continue;
            }
            let (y, v) = (&self.point.y[i], &self.point.v[i]);
            self.add[i][(0, 0)] += v[0] / y[0];
            for (k, range) in ranges[..count].iter().enumerate() {
                let scaling = Scaling::new(&part(y[0], y, *range), &part(self.point.nu[i][k], v, *range));
                for r in range.0..range.1 {
                    self.add[i][(r, 0)] += scaling.h[(r, 0)];
                    for c in range.0..range.1 {
                        self.add[i][(r, c)] += scaling.h[(r, c)];
                    }
                }
                self.scaling[i][k] = scaling;
            }
        }
    }

    /// Chooses the target τ, leaves the direction in `self.step`, returns the length of the step.
    fn direction(&mut self, gap: f64) -> f64 {
        let affine = self.newton(0.0, 0.0);
        self.second_order();
        let sigma = (1.0 - affine).powi(3).max(1e-4);
        let mut length = 0.0;
        for (target, second) in [(sigma, 1.0), (sigma, 0.0), (sigma.max(0.5), 0.0), (1.0, 0.0)] {
            let largest = self.newton(target * gap, second);
            length = self.centred(TO_BOUNDARY * largest);
            if length > SHORT_STEP {
                break;
            }
        }
        length
    }

    /// One Newton direction; returns the largest step, at most 1, that stays inside.
    fn newton(&mut self, tau: f64, second: f64) -> f64 {
        vectorised(|| self.solved(tau, second))
    }

    #[inline(always)]
    fn solved(&mut self, tau: f64, second: f64) -> f64 {
        let (ranges, count) = groups::<D>();
        let n = self.add.len();
        for i in 0..n {
            if self.form.bilateral[i] {
                self.step.v[i] = -self.point.v[i];
                self.step.y[i] = self.step.v[i] - self.residual[i];
                continue;
            }
            let (y, v) = (&self.point.y[i], &self.point.v[i]);
            let mut dv = Vector::zeros();
            dv[0] = tau / y[0] - v[0] - second * self.corrector_normal[i];
            for (k, range) in ranges[..count].iter().enumerate() {
                let z = part(y[0], y, *range);
                let p = part(self.point.nu[i][k], v, *range);
                let r = cone::inverse(&z) * tau - p - self.corrector[i][k] * second;
                self.step.nu[i][k] = r[0];
                for c in range.0..range.1 {
                    dv[c] = r[c];
                }
            }
            self.step.v[i] = dv;
            self.step.y[i] = dv - self.residual[i];
        }
        self.lu.solve(&mut self.step.y);
        let mut largest = 1.0f64;
        for i in 0..n {
            if self.form.bilateral[i] {
                continue;
            }
            let (y, v, dy) = (&self.point.y[i], &self.point.v[i], self.step.y[i]);
            self.step.v[i][0] -= v[0] / y[0] * dy[0];
            if self.step.v[i][0] < 0.0 {
                largest = largest.min(-v[0] / self.step.v[i][0]);
            }
            for (k, range) in ranges[..count].iter().enumerate() {
                let dz = part(dy[0], &dy, *range);
                let change = self.scaling[i][k].h * dz;
                self.step.nu[i][k] -= change[0];
                for c in range.0..range.1 {
                    self.step.v[i][c] -= change[c];
                }
                let dp = part(self.step.nu[i][k], &self.step.v[i], *range);
                largest = largest
                    .min(cone::longest_step(&part(y[0], y, *range), &dz))
                    .min(cone::longest_step(&part(self.point.nu[i][k], v, *range), &dp));
            }
        }
        largest
    }

    /// Second-order terms of the products along the affine direction.
    fn second_order(&mut self) {
        let (ranges, count) = groups::<D>();
        for i in 0..self.add.len() {
            if self.form.bilateral[i] {
                continue;
            }
            let (y, dy) = (&self.point.y[i], &self.step.y[i]);
            self.corrector_normal[i] = dy[0] * self.step.v[i][0] / y[0];
            for (k, range) in ranges[..count].iter().enumerate() {
                let root = &self.scaling[i][k].root;
                let scaled = root * part(y[0], y, *range);
                let dz = root * part(dy[0], dy, *range);
                // In scaled variables the affine direction satisfies dz + dp = −scaled.
                let product = cone::product(&dz, &(-scaled - dz));
                self.corrector[i][k] = root * cone::divide(&scaled, &product);
            }
        }
    }

    /// Shortens a step until every product keeps its share of the mean.
    fn centred(&self, length: f64) -> f64 {
        let (ranges, count) = groups::<D>();
        let mut length = length;
        for _ in 0..10 {
            let (mut sum, mut terms, mut least) = (0.0, 0, f64::INFINITY);
            for i in 0..self.add.len() {
                if self.form.bilateral[i] {
                    continue;
                }
                let y = self.point.y[i] + length * self.step.y[i];
                let v = self.point.v[i] + length * self.step.v[i];
                sum += y[0] * v[0];
                least = least.min(y[0] * v[0]);
                for (k, range) in ranges[..count].iter().enumerate() {
                    let nu = self.point.nu[i][k] + length * self.step.nu[i][k];
                    let (z, p) = (part(y[0], &y, *range), part(nu, &v, *range));
                    sum += z.dot(&p);
                    least = least.min((cone::determinant(&z) * cone::determinant(&p)).sqrt());
                }
                terms += 1 + count;
            }
            if terms == 0 || least >= CENTRALITY * sum / terms as f64 {
                break;
            }
            length *= 0.7;
        }
        length
    }

    fn advance(&mut self, length: f64) {
        for i in 0..self.add.len() {
            self.point.y[i] += length * self.step.y[i];
            self.point.v[i] += length * self.step.v[i];
            for k in 0..GROUPS {
                self.point.nu[i][k] += length * self.step.nu[i][k];
            }
        }
    }
}
