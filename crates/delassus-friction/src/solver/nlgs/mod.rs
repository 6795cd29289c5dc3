//! Nonlinear Gauss–Seidel [Moreau00 §6.2, Jean99]
//!
//! ```text
//!     for α in order:  q ← b_α + Σ_{β≠α} W_αβ S_β ;   S_α ← law_α(W_αα, q)
//! ```
//!
//! Each contact is solved exactly with the others frozen. The order of the sweep
//! and the start select among multiple solutions, so both are inputs. Contacts
//! that stay open rest for a few sweeps; the full residual, computed on all of
//! them, decides. Optional Anderson acceleration of the sweep.
//!
//! Of a problem given by bodies nothing is assembled: their velocities are the running state,
//! and a contact costs the same however many share its bodies [Moreau00 §6.2]. Contacts of the usual laws
//! are laid out for that, see `lean`.

mod guard;
mod order;

use super::anderson::Anderson;
use super::lean::{Lean, Manner, Visit};
use super::{Control, Monitor, Outcome, Progress, Stop};
use crate::algebra::Vector;
use crate::{Error, Problem, certificate};
pub(super) use guard::Rest;
use guard::{FEW, Guard, Stretch};
pub use order::Order;
use order::{colour, shuffle};
use serde::{Deserialize, Serialize};

/// Settings of [`Nlgs`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NlgsSettings {
    /// Relative residual to reach.
    pub tolerance: f64,
    /// Sweeps after which to give up.
    pub max_iterations: usize,
    /// Order of the sweep.
    pub order: Order,
    /// Relaxation factor in (0, 2); 1 is plain Gauss–Seidel.
    pub relaxation: f64,
    /// Let contacts that stay open rest.
    pub skip_open: bool,
    /// Memory of the Anderson acceleration; 0 for none.
    pub acceleration: usize,
    /// Sweeps between two full residuals.
    pub check_every: usize,
}

impl Default for NlgsSettings {
    fn default() -> Self {
        Self {
            tolerance: 1e-8,
            max_iterations: 100_000,
            order: Order::Sequential,
            relaxation: 1.0,
            skip_open: true,
            acceleration: 0,
            check_every: 20,
        }
    }
}

impl NlgsSettings {
    /// Checks every value.
    pub fn validate(&self) -> Result<(), Error> {
        let bad = |name, value, expected| Err(Error::Setting { name, value, expected });
        if !(self.tolerance > 0.0) {
            return bad("tolerance", self.tolerance, "a positive number");
        }
        if !(self.relaxation > 0.0 && self.relaxation < 2.0) {
            return bad("relaxation", self.relaxation, "a number between 0 and 2, both excluded");
        }
        if self.check_every == 0 {
            return bad("check_every", 0.0, "at least 1");
        }
        Ok(())
    }
}

/// Memory of the Anderson acceleration that served best on the problems at hand.
pub(super) const MEMORY: usize = 5;

/// The same where more of it costs as much as a sweep and spares none: by bodies in space, or to a loose tolerance.
const SHORT_MEMORY: usize = 2;
const LOOSE: f64 = 1e-4;

/// Contacts below which threads would cost more than they bring; the bits are the same.
const PARALLEL: usize = 1000;

/// Accuracy of the one-contact solves of the first sweep, and of the others relative to the residual.
const COARSE: f64 = 1e-4;
const FINER: f64 = 1e-2;

/// Solver and its scratch: a second solve of the same size allocates nothing.
pub struct Nlgs<const D: usize> {
    settings: NlgsSettings,
    /// The order in which this problem is swept.
    way: Order,
    order: Vec<u32>,
    colours: Vec<usize>,
    rest: Vec<Rest>,
    u: Vec<Vector<D>>,
    fresh: Vec<Vector<D>>,
    previous: Vec<Vector<D>>,
    weight: Vec<f64>,
    /// Relative accuracy of the one-contact solves, below the residual measured last.
    accuracy: f64,
    /// `Rᵀ S` of the present percussions, where the problem is given by bodies.
    y: Vec<f64>,
    /// The same problem as sweeps like it, where it is so simple, and percussions in its order.
    lean: Lean,
    laid_out: Vec<Vector<D>>,
    anderson: Option<Anderson<D>>,
    random: u64,
    #[cfg(feature = "parallel")]
    pool: Option<rayon::ThreadPool>,
}

impl<const D: usize> Nlgs<D> {
    /// Validates the settings and sizes the scratch.
    pub fn new(problem: &Problem<D>, settings: NlgsSettings) -> Result<Self, Error> {
        settings.validate()?;
        let n = problem.len();
        let way = settings.order.of(problem);
        let (order, colours) = match way {
            Order::Coloured { .. } => colour(problem),
            _ => ((0..n as u32).collect(), vec![]),
        };
        let random = match settings.order {
            Order::Shuffled { seed } => seed,
            _ => 0,
        };
        Ok(Self {
            way,
            order,
            colours,
            rest: vec![Rest::default(); n],
            u: vec![Vector::zeros(); n],
            fresh: match way {
                Order::Coloured { .. } => vec![Vector::zeros(); n],
                _ => vec![],
            },
            previous: if settings.acceleration > 0 { vec![Vector::zeros(); n] } else { vec![] },
            weight: (0..n).map(|i| 1.0 / problem.rho(i)).collect(),
            accuracy: 0.0,
            y: vec![],
            lean: Lean::default(),
            laid_out: vec![],
            anderson: (settings.acceleration > 0).then(|| Anderson::new(n, settings.acceleration)),
            random,
            #[cfg(feature = "parallel")]
            pool: match settings.order {
                Order::Coloured { threads } if threads > 1 && n >= PARALLEL => {
                    rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok()
                }
                _ => None,
            },
            settings,
        })
    }

    /// Sizes the scratch for another problem; allocates only beyond the largest size met.
    /// The colouring of [`Order::Coloured`] is computed anew, which does allocate.
    pub fn fit(&mut self, problem: &Problem<D>) {
        let n = problem.len();
        self.way = self.settings.order.of(problem);
        if let Order::Coloured { .. } = self.way {
            (self.order, self.colours) = colour(problem);
            self.fresh.resize(n, Vector::zeros());
        } else if self.order.len() != n || self.way != self.settings.order {
            self.order.clear();
            self.order.extend(0..n as u32);
        }
        self.rest.resize(n, Rest::default());
        self.u.resize(n, Vector::zeros());
        self.weight.clear();
        self.weight.extend((0..n).map(|i| 1.0 / problem.rho(i)));
        if let Some(anderson) = &mut self.anderson {
            self.previous.resize(n, Vector::zeros());
            anderson.fit(n);
        }
    }

    /// Another tolerance and another number of sweeps for the solves to come.
    pub fn aim(&mut self, tolerance: f64, max_iterations: usize) {
        (self.settings.tolerance, self.settings.max_iterations) = (tolerance, max_iterations);
    }

    /// Improves `s` until the tolerance is met or nothing more can be done.
    pub fn run(&mut self, problem: &Problem<D>, s: &mut [Vector<D>], monitor: &mut dyn Monitor) -> Outcome {
        self.lay_out(problem);
        if !self.lean.is_used() {
            return self.iterate(problem, s, monitor);
        }
        let mut laid_out = std::mem::take(&mut self.laid_out);
        laid_out.clear();
        laid_out.extend(self.lean.order().iter().map(|i| s[*i as usize]));
        let outcome = self.with_threads(problem, &mut laid_out, monitor);
        for (i, x) in self.lean.order().iter().zip(&laid_out) {
            s[*i as usize] = *x;
        }
        self.laid_out = laid_out;
        outcome
    }

    /// In the pool of threads, where there are parts for them.
    fn with_threads(&mut self, problem: &Problem<D>, s: &mut [Vector<D>], monitor: &mut dyn Monitor) -> Outcome {
        #[cfg(feature = "parallel")]
        if self.lean.is_cut() && rayon::current_num_threads() > 1 && rayon::current_thread_index().is_none() {
            return delassus_threads::together(self.lean.parts(), || self.iterate(problem, s, monitor));
        }
        self.iterate(problem, s, monitor)
    }

    fn iterate(&mut self, problem: &Problem<D>, s: &mut [Vector<D>], monitor: &mut dyn Monitor) -> Outcome {
        let scale = if problem.b_norm() > 0.0 { problem.b_norm() } else { 1.0 };
        self.rest.fill(Rest::default());
        if let Some(a) = &mut self.anderson {
            a.reset();
        }
        self.gather(problem, s);
        self.accuracy = COARSE;
        let mut guard = Guard::new(self.lean.is_used());
        let mut stretch = Stretch { iteration: 0, until: 1, end: 0.5 * self.settings.tolerance * scale, change: 0.0 };
        while stretch.iteration < self.settings.max_iterations {
            stretch.until = stretch.until.min(self.settings.max_iterations);
            self.sweeps(problem, s, &mut stretch, &guard);
            let Stretch { iteration, change, .. } = stretch;
            if !change.is_finite() {
                return Outcome { stop: Stop::Breakdown, iterations: iteration };
            }
            // Running sums drift by round-off.
            self.gather(problem, s);
            let residual = self.measure(problem, s, scale);
            self.accuracy = FINER * residual;
            if let Some(a) = self.anderson.as_mut().filter(|_| guard.circles(iteration, residual)) {
                a.reset();
            }
            if residual <= self.settings.tolerance {
                return Outcome { stop: Stop::Tolerance, iterations: iteration };
            }
            if monitor.observe(&Progress { solver: "nlgs", iteration, residual }) == Control::Stop {
                return Outcome { stop: Stop::Asked, iterations: iteration };
            }
            if change == 0.0 {
                if self.rest.iter().all(|r| r.left == 0) {
                    return Outcome { stop: Stop::Stalled, iterations: iteration };
                }
                self.rest.fill(Rest::default());
            }
            stretch.until = iteration + self.settings.check_every;
            if guard.allows(iteration, s.len()) && iteration < self.settings.max_iterations {
                self.extrapolate(problem, s);
            }
        }
        Outcome { stop: Stop::Iterations, iterations: self.settings.max_iterations }
    }

    /// Sweeps until the next residual is due.
    fn sweeps(&mut self, problem: &Problem<D>, s: &mut [Vector<D>], stretch: &mut Stretch, guard: &Guard) {
        loop {
            stretch.iteration += 1;
            let extrapolates = self.anderson.is_some() && guard.allows(stretch.iteration, s.len());
            if extrapolates {
                self.previous.copy_from_slice(s);
            }
            stretch.change = self.sweep(problem, s, stretch.iteration);
            // A change below the tolerance suggests the end; only the residual proves it.
            if !(stretch.change > stretch.end) || stretch.iteration >= stretch.until {
                return;
            }
            if extrapolates {
                self.extrapolate(problem, s);
            }
        }
    }

    /// The next start from the last ones, onto the sets of the laws.
    fn extrapolate(&mut self, problem: &Problem<D>, s: &mut [Vector<D>]) {
        let Some(a) = &mut self.anderson else { return };
        a.step(&self.previous, s, &self.weight);
        if self.lean.is_used() {
            self.lean.project(s);
        } else {
            s.iter_mut().zip(problem.laws()).for_each(|(s, law)| *s = law.project(s));
        }
        self.gather(problem, s);
    }

    /// Lays the contacts out for plain visits one after the other.
    fn lay_out(&mut self, problem: &Problem<D>) {
        let plain = self.settings.relaxation == 1.0 && !matches!(self.way, Order::Coloured { .. });
        self.lean.fit(problem, plain, self.way == Order::Sequential);
        if let Some(a) = &mut self.anderson {
            let memory = self.settings.acceleration;
            let cheap = D > 2 || self.settings.tolerance >= LOOSE;
            let short = cheap && self.lean.is_used() && problem.len() >= FEW;
            // Open contacts of grains stay so: closed by a guess, they would be visited in vain.
            a.limit(if short { memory.min(SHORT_MEMORY) } else { memory }, self.lean.is_round());
        }
        if self.lean.is_used() {
            self.weight.clear();
            self.weight.extend(self.lean.order().iter().map(|i| 1.0 / problem.rho(*i as usize)));
        }
    }

    /// The relative residual of the percussions gathered last.
    fn measure(&mut self, problem: &Problem<D>, s: &[Vector<D>], scale: f64) -> f64 {
        if self.lean.is_used() {
            return self.lean.residual(s) / scale;
        }
        problem.velocities(s, &mut self.u);
        certificate::relative(problem, s, &self.u)
    }

    /// The running velocities of the bodies, where the problem is given by them.
    fn gather(&mut self, problem: &Problem<D>, s: &[Vector<D>]) {
        if self.lean.is_used() {
            self.lean.gather(s);
        } else if let Some(root) = problem.by_bodies() {
            root.gather(s, &mut self.y);
        }
    }

    /// One sweep; returns the norm of the change in velocity units.
    fn sweep(&mut self, problem: &Problem<D>, s: &mut [Vector<D>], iteration: usize) -> f64 {
        match self.way {
            Order::Coloured { .. } => return self.sweep_coloured(problem, s),
            Order::Shuffled { .. } => shuffle(&mut self.order, &mut self.random),
            Order::Symmetric if iteration > 1 => self.order.reverse(),
            _ => {}
        }
        if self.lean.is_used() {
            let order = (self.way != Order::Sequential).then_some(&self.order[..]);
            let manner = Manner { order, rests: self.settings.skip_open, accuracy: self.accuracy };
            return self.lean.sweep(Visit { s, rest: &mut self.rest, manner }).sqrt();
        }
        let mut change = 0.0;
        for k in 0..self.order.len() {
            let i = self.order[k] as usize;
            if self.rest[i].is_on() {
                continue;
            }
            let new = self.relaxed(problem, s, i);
            let moved = (new - s[i]) * self.weight[i];
            change += moved.norm_squared();
            if let Some(root) = problem.by_bodies() {
                root.add(i, &(new - s[i]), &mut self.y);
            }
            if self.settings.skip_open {
                self.rest[i].next(&s[i], &new);
            }
            s[i] = new;
        }
        change.sqrt()
    }

    #[inline]
    fn relaxed(&self, problem: &Problem<D>, s: &[Vector<D>], i: usize) -> Vector<D> {
        let q = match problem.by_bodies() {
            None => problem.w().row_times(i, s, problem.b()[i]),
            // The bodies move with this contact's own percussion too: it is taken out again.
            Some(root) => {
                let own = problem.w().diagonal(i) * s[i] - root.compliance()[i].component_mul(&s[i]);
                problem.b()[i] + root.times(i, &self.y) - own
            }
        };
        let new = problem.laws()[i].solve_one_to(problem.w().diagonal(i), &q, &s[i], self.accuracy);
        let omega = self.settings.relaxation;
        if omega == 1.0 {
            return new;
        }
        // Beyond 1 the combination may leave the set of percussions.
        let mixed = s[i] + (new - s[i]) * omega;
        if omega > 1.0 { problem.laws()[i].project(&mixed) } else { mixed }
    }

    fn sweep_coloured(&mut self, problem: &Problem<D>, s: &mut [Vector<D>]) -> f64 {
        let mut change = 0.0;
        for c in 1..self.colours.len() {
            let range = self.colours[c - 1]..self.colours[c];
            let mut fresh = std::mem::take(&mut self.fresh);
            let list = &self.order[range.clone()];
            self.solve_colour(problem, s, list, &mut fresh[range.clone()]);
            for (i, new) in list.iter().map(|i| *i as usize).zip(&fresh[range]) {
                change += ((new - s[i]) * self.weight[i]).norm_squared();
                s[i] = *new;
            }
            self.fresh = fresh;
        }
        change.sqrt()
    }

    fn solve_colour(&self, problem: &Problem<D>, s: &[Vector<D>], list: &[u32], fresh: &mut [Vector<D>]) {
        #[cfg(feature = "parallel")]
        if let Some(pool) = &self.pool {
            use rayon::prelude::*;
            return pool.install(|| {
                list.par_iter().zip(fresh.par_iter_mut()).with_min_len(64).for_each(|(i, new)| {
                    *new = self.relaxed(problem, s, *i as usize);
                });
            });
        }
        for (i, new) in list.iter().zip(fresh) {
            *new = self.relaxed(problem, s, *i as usize);
        }
    }
}
