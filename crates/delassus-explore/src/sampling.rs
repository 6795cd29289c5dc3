//! Many solutions of one step, by Moreau's two procedures \[Moreau03 §3\]
//!
//! Gauss–Seidel ends at a solution that depends on where it starts and on the order of its
//! sweeps. *Random* draws the initial percussions in a plausible set, which can reach any
//! solution; *shuffle* starts from zero and draws the cyclic order of the contacts. Sample `k`
//! depends on the seed and on `k` alone, hence not on the number of threads. Only samples whose
//! residual is within the tolerance are kept.

use crate::{Error, Tick};
use delassus_friction::algebra::{BlockMatrix, Vector};
use delassus_friction::solver::{Nlgs, NlgsSettings, Silent, Stop};
use delassus_friction::{Law, Problem};
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// What is drawn by lot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Procedure {
    /// Initial percussions in a plausible set; sweeps by index.
    #[default]
    Random,
    /// The order of the sweeps; from zero.
    Shuffle,
    /// The order of the sweeps; from given percussions, those of the last step.
    Warm,
}

/// Settings of [`sample`].
#[derive(Clone, Debug, PartialEq)]
pub struct SamplingSettings {
    /// How many solves.
    pub samples: usize,
    /// What is drawn.
    pub procedure: Procedure,
    /// Seed of all draws.
    pub seed: u64,
    /// Relative residual to reach.
    pub tolerance: f64,
    /// Sweeps after which a sample is rejected.
    pub max_sweeps: usize,
    /// Largest normal percussion drawn by [`Procedure::Random`]; by default twice the largest
    /// of the solution found from zero.
    pub largest: Option<f64>,
}

impl Default for SamplingSettings {
    fn default() -> Self {
        Self {
            samples: 1000,
            procedure: Procedure::Random,
            seed: 0,
            tolerance: 1e-8,
            max_sweeps: 100_000,
            largest: None,
        }
    }
}

/// The solutions found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples<const D: usize> {
    /// Percussions, sample after sample, contact after contact.
    pub percussions: Vec<Vector<D>>,
    /// Relative residual of each sample.
    pub residuals: Vec<f64>,
    /// Largest relative velocity of each sample, relative to the free one.
    pub speeds: Vec<f64>,
    /// Solves that did not reach the tolerance.
    pub rejected: usize,
    /// Sweeps in all.
    pub sweeps: u64,
    contacts: usize,
}

/// Speed relative to the free velocity below which a contact is at rest: what the tolerance on
/// the laws can tell where contacts share bodies.
const REST: f64 = 1e-4;

impl<const D: usize> Samples<D> {
    /// Given solutions of `contacts` contacts, taken at their word: at rest, without residual.
    #[cfg(test)]
    pub(crate) fn from_percussions(percussions: Vec<Vector<D>>, contacts: usize) -> Self {
        let n = percussions.len() / contacts;
        Self { percussions, residuals: vec![0.0; n], speeds: vec![0.0; n], contacts, ..Default::default() }
    }

    /// Accepted samples.
    pub fn len(&self) -> usize {
        self.residuals.len()
    }

    /// True when none was accepted.
    pub fn is_empty(&self) -> bool {
        self.residuals.is_empty()
    }

    /// One sample: the percussions of all contacts.
    pub fn get(&self, sample: usize) -> &[Vector<D>] {
        &self.percussions[sample * self.contacts..(sample + 1) * self.contacts]
    }

    /// The cloud of one contact.
    pub fn cloud(&self, contact: usize) -> Vec<Vector<D>> {
        (0..self.len()).map(|k| self.get(k)[contact]).collect()
    }

    /// The same samples in another contact space.
    pub fn map<const E: usize>(&self, each: impl Fn(&Vector<D>) -> Vector<E>) -> Samples<E> {
        Samples {
            percussions: self.percussions.iter().map(each).collect(),
            residuals: self.residuals.clone(),
            speeds: self.speeds.clone(),
            rejected: self.rejected,
            sweeps: self.sweeps,
            contacts: self.contacts,
        }
    }

    /// Samples in which nothing moves.
    pub fn at_rest(&self) -> usize {
        self.speeds.iter().filter(|s| **s <= REST).count()
    }

    /// Keeps the samples in which nothing moves.
    pub fn only_at_rest(&self) -> Self {
        let keep: Vec<usize> = (0..self.len()).filter(|k| self.speeds[*k] <= REST).collect();
        Self {
            percussions: keep.iter().flat_map(|k| self.get(*k).iter().copied()).collect(),
            residuals: keep.iter().map(|k| self.residuals[*k]).collect(),
            speeds: keep.iter().map(|k| self.speeds[*k]).collect(),
            ..*self
        }
    }
}

struct One<const D: usize> {
    s: Vec<Vector<D>>,
    residual: f64,
    speed: f64,
    sweeps: usize,
}

/// Solves many times; `start` is what [`Procedure::Warm`] begins with.
pub fn sample<const D: usize>(
    problem: &Problem<D>,
    start: Option<&[Vector<D>]>,
    settings: &SamplingSettings,
    tick: Tick,
) -> Result<Samples<D>, Error> {
    let n = problem.len();
    if let Some(start) = start
        && start.len() != n
    {
        return Err(Error::Size { what: "initial percussions", expected: n, found: start.len() });
    }
    let own = NlgsSettings { tolerance: settings.tolerance, max_iterations: settings.max_sweeps, ..Default::default() };
    own.validate()?;
    let largest = match settings.largest {
        Some(x) if x.is_finite() && x > 0.0 => x,
        Some(value) => return Err(Error::Setting { name: "largest", value, expected: "a positive number" }),
        None => plausible(problem, &own)?,
    };
    let solve = |turns: &mut Option<Turns<D>>, k: usize| -> Result<One<D>, Error> {
        tick(0);
        let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
        rng.set_stream(k as u64 + 1);
        let mut s = problem.zero();
        let solver = match turns {
            Some(solver) => solver,
            none => none.insert(Turns::new(problem, &own)?),
        };
        let sweeps = if settings.procedure == Procedure::Random {
            s.iter_mut().zip(problem.laws()).for_each(|(s, law)| *s = draw(law, largest, &mut rng));
            solver.run(problem, &mut s)
        } else {
            if let (Procedure::Warm, Some(start)) = (settings.procedure, start) {
                s.copy_from_slice(start);
            }
            let mut order: Vec<u32> = (0..n as u32).collect();
            order.shuffle(&mut rng);
            let turned = permuted(problem, &order)?;
            let mut x: Vec<Vector<D>> = order.iter().map(|i| s[*i as usize]).collect();
            let sweeps = solver.run(&turned, &mut x);
            order.iter().zip(&x).for_each(|(i, x)| s[*i as usize] = *x);
            sweeps
        };
        let mut u = problem.zero();
        problem.velocities(&s, &mut u);
        let residual = problem.residual(&s, &u);
        let scale = if problem.b_norm() > 0.0 { problem.b_norm() } else { 1.0 };
        let speed = u.iter().map(|u| u.norm()).fold(0.0, f64::max) / scale;
        tick(1);
        Ok(One { s, residual, speed, sweeps })
    };
    let all: Result<Vec<One<D>>, Error> = (0..settings.samples).into_par_iter().map_init(|| None, solve).collect();
    let mut out = Samples { contacts: n, ..Default::default() };
    for one in all? {
        out.sweeps += one.sweeps as u64;
        // Infinite and undefined residuals are refused too.
        if one.residual <= settings.tolerance {
            out.percussions.extend(one.s);
            out.residuals.push(one.residual);
            out.speeds.push(one.speed);
        } else {
            out.rejected += 1;
        }
    }
    Ok(out)
}

/// Plain sweeps, which choose the solution, and accelerated ones, which reach it; in turns,
/// because an acceleration that goes in circles gets out after some plain sweeps.
struct Turns<const D: usize> {
    solvers: [Nlgs<D>; 4],
    most: usize,
}

/// Sweeps of a turn.
const PLAIN: usize = 200;
const FAST: usize = 300;
/// Memories of the acceleration: where one goes in circles, the other does not.
const MEMORY: [usize; 2] = [5, 12];

impl<const D: usize> Turns<D> {
    fn new(problem: &Problem<D>, settings: &NlgsSettings) -> Result<Self, Error> {
        let most = settings.max_iterations;
        let plain = || Nlgs::new(problem, NlgsSettings { max_iterations: PLAIN.min(most), ..settings.clone() });
        let fast = |acceleration| {
            Nlgs::new(problem, NlgsSettings { max_iterations: FAST.min(most), acceleration, ..settings.clone() })
        };
        let solvers = [plain()?, fast(MEMORY[0])?, plain()?, fast(MEMORY[1])?];
        Ok(Self { solvers, most })
    }

    fn run(&mut self, problem: &Problem<D>, s: &mut [Vector<D>]) -> usize {
        self.solvers.iter_mut().for_each(|s| s.fit(problem));
        let mut sweeps = 0;
        while sweeps < self.most {
            for solver in &mut self.solvers {
                let outcome = solver.run(problem, s, &mut Silent);
                sweeps += outcome.iterations;
                if matches!(outcome.stop, Stop::Tolerance | Stop::Breakdown) || sweeps >= self.most {
                    return sweeps;
                }
            }
        }
        sweeps
    }
}

/// Twice the largest normal percussion of one solution; of the free fall where that has none.
fn plausible<const D: usize>(problem: &Problem<D>, settings: &NlgsSettings) -> Result<f64, Error> {
    let mut s = problem.zero();
    Nlgs::new(problem, settings.clone())?.run(problem, &mut s, &mut Silent);
    let largest = s.iter().map(|s| s[0].abs()).fold(0.0, f64::max);
    if largest.is_finite() && largest > 0.0 {
        return Ok(2.0 * largest);
    }
    let free = (0..problem.len()).map(|i| problem.rho(i) * problem.b()[i].norm()).fold(0.0, f64::max);
    Ok(if free.is_finite() && free > 0.0 { 10.0 * free } else { 1.0 })
}

/// A percussion of the law's set with a normal component up to `largest`.
fn draw<const D: usize>(law: &Law, largest: f64, rng: &mut ChaCha8Rng) -> Vector<D> {
    let mut s = Vector::<D>::zeros();
    s[0] = largest * rng.random::<f64>();
    // By rejection: uniform in the unit ball of the tangents.
    let unit = loop {
        let x = Vector::<D>::from_fn(|k, _| if k == 0 { 0.0 } else { rng.random_range(-1.0..=1.0) });
        if x.norm() <= 1.0 {
            break x;
        }
    };
    let reach = match law {
        Law::Coulomb { mu } => *mu,
        Law::Elliptic { mu, .. } | Law::Directional { mu } => mu[0].max(mu[1]),
        Law::Frictionless => 0.0,
        _ => 1.0,
    };
    s += unit * (reach * s[0]);
    law.project(&s)
}

/// The same problem with its contacts in another order.
fn permuted<const D: usize>(problem: &Problem<D>, order: &[u32]) -> Result<Problem<D>, Error> {
    let mut place = vec![0u32; order.len()];
    order.iter().enumerate().for_each(|(k, i)| place[*i as usize] = k as u32);
    let mut triplets = Vec::with_capacity(problem.w().blocks());
    for (k, &i) in order.iter().enumerate() {
        let i = i as usize;
        triplets.push((k as u32, k as u32, *problem.w().diagonal(i)));
        triplets.extend(problem.w().row(i).map(|(j, w)| (k as u32, place[j], *w)));
    }
    let w = BlockMatrix::from_triplets(order.len(), &mut triplets);
    let b = order.iter().map(|i| problem.b()[*i as usize]).collect();
    let laws = order.iter().map(|i| problem.laws()[*i as usize].clone()).collect();
    Ok(Problem::new(w, b, laws)?)
}
