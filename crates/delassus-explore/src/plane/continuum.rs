//! Solutions of a step that are not isolated, in the plane
//!
//! With the statuses of the contacts given, what is left of Coulomb's law and of the motion is
//! linear: the solutions are a polyhedron
//!
//! ```text
//!     S = Σ x g,  x ≥ 0        W_N S + b_N = 0 (closed) or ≥ 0 (open)
//!     W_T S + b_T = 0 (stick), ≥ 0 or ≤ 0 (slip)                            method (3), (8)
//! ```
//!
//! A contact whose `W_NN = μ |W_NT|` may slide at any speed up to the one it came with. The
//! dimension of the polyhedron and of its image in velocities, the motions, is found by
//! programs in directions that are not spanned yet; those of the last direction are the ends.

use crate::simplex::{Columns, End, Found, Simplex};
use delassus_friction::algebra::Vector;
use delassus_friction::solver::{ContactStatus, Enumeration};
use delassus_friction::{Law, Problem};

/// Percussions beyond this many times what stops the free velocity are without bound.
const WITHOUT_BOUND: f64 = 1e5;

/// Extent that counts as none, in units of the free velocity.
const FLAT: f64 = 1e-7;

/// Least and largest value; infinite where there is no bound.
pub type Range = [f64; 2];

/// Solutions with the same statuses whose motions differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Continuum {
    /// What the contacts do.
    pub status: Vec<ContactStatus>,
    /// Dimension of the set of motions, at least 1.
    pub motions: usize,
    /// Dimension of the set of percussions.
    pub percussions: usize,
    /// Percussions at points of the set; with one dimension of motions, the two ends of those within bounds.
    pub points: Vec<Vec<Vector<2>>>,
    /// Normal and tangential percussion of each contact \[N·s\].
    pub reactions: Vec<[Range; 2]>,
    /// Normal and tangential velocity of each contact [m/s].
    pub velocities: Vec<[Range; 2]>,
}

/// All solutions of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listed<const D: usize> {
    /// One for each isolated solution, and for each set of percussions with one motion.
    pub solutions: Vec<Vec<Vector<D>>>,
    /// Where the motion is not determined; sets within others are left out.
    pub continua: Vec<Continuum>,
}

/// What an enumeration of statuses leaves, looked at.
pub(super) fn listed(problem: &Problem<2>, found: Enumeration) -> Listed<2> {
    let mut out = Listed { solutions: found.isolated.into_iter().map(|e| e.s).collect(), continua: vec![] };
    for status in found.families {
        let Some(mut set) = Set::new(problem, &status) else { continue };
        let (motions, ends) = set.span(true);
        if motions == 0 {
            out.solutions.push(set.percussions());
            continue;
        }
        let (percussions, mut points) = set.span(false);
        if motions == 1 {
            points = ends;
        }
        let [reactions, velocities] = set.ranges();
        out.continua.push(Continuum { status, motions, percussions, points, reactions, velocities });
    }
    largest(problem, &mut out.continua);
    out.solutions.retain(|s| !out.continua.iter().any(|c| holds(problem, &c.status, s)));
    out
}

/// Leaves out what lies within another: a face shares statuses with what it bounds.
fn largest(problem: &Problem<2>, list: &mut Vec<Continuum>) {
    list.sort_by_key(|c| std::cmp::Reverse((c.motions, c.percussions)));
    let mut kept: Vec<Continuum> = vec![];
    for c in list.drain(..) {
        let within = |k: &Continuum| c.points.iter().all(|s| holds(problem, &k.status, s));
        if !kept.iter().any(within) {
            kept.push(c);
        }
    }
    *list = kept;
}

impl Continuum {
    /// Whether percussions belong to it.
    pub fn holds<const D: usize>(&self, problem: &Problem<D>, s: &[Vector<D>]) -> bool {
        D == 2 && holds(problem, &self.status, s)
    }
}

/// Whether percussions solve the step with these statuses.
fn holds<const D: usize>(problem: &Problem<D>, status: &[ContactStatus], s: &[Vector<D>]) -> bool {
    let mut u = problem.zero();
    problem.velocities(s, &mut u);
    let v = FLAT * problem.b_norm().max(f64::MIN_POSITIVE);
    (0..s.len()).all(|i| {
        let (u, s, f) = (u[i], s[i] / problem.rho(i), coefficient(&problem.laws()[i]));
        let closed = u[0].abs() <= v && s[0] >= -v;
        match status[i] {
            ContactStatus::TakeOff => u[0] >= -v && s.norm() <= v,
            ContactStatus::Stick => closed && u[1].abs() <= v && s[1].abs() <= f * s[0] + v,
            ContactStatus::SlipForward => closed && u[1] >= -v && (s[1] + f * s[0]).abs() <= v,
            ContactStatus::SlipBackward => closed && u[1] <= v && (s[1] - f * s[0]).abs() <= v,
        }
    })
}

fn coefficient(law: &Law) -> f64 {
    if let Law::Coulomb { mu } = law { *mu } else { 0.0 }
}

/// The polyhedron of one set of statuses, without units: `S = β ρ^½ x`, `U = β ρ^-½ y`.
struct Set<'a> {
    problem: &'a Problem<2>,
    simplex: Simplex,
    /// Contact and direction of each generator.
    generators: Vec<(usize, Vector<2>)>,
    beta: f64,
}

impl<'a> Set<'a> {
    /// None when it is empty.
    fn new(problem: &'a Problem<2>, status: &[ContactStatus]) -> Option<Self> {
        let (mut generators, mut rows) = (vec![], vec![]);
        for (i, status) in status.iter().enumerate() {
            let mu = coefficient(&problem.laws()[i]);
            let (up, down) = (Vector::<2>::new(1.0, mu), Vector::<2>::new(1.0, -mu));
            // Component of the velocity, and the sign of its slack.
            let (push, own): (&[Vector<2>], &[(usize, f64)]) = match status {
                ContactStatus::TakeOff => (&[], &[(0, 1.0)]),
                ContactStatus::Stick => (&[up, down], &[(0, 0.0), (1, 0.0)]),
                ContactStatus::SlipForward => (&[down], &[(0, 0.0), (1, 1.0)]),
                ContactStatus::SlipBackward => (&[up], &[(0, 0.0), (1, -1.0)]),
            };
            generators.extend(push.iter().map(|g| (i, *g)));
            rows.extend(own.iter().map(|(k, slack)| (i, *k, *slack)));
        }
        let root = |i: usize| problem.rho(i).sqrt();
        let beta = if problem.b_norm() > 0.0 { problem.b_norm() } else { 1.0 };
        let mut columns = Columns::new(rows.len());
        for (j, g) in &generators {
            let entry = |(r, &(i, k, _)): (usize, &(usize, usize, f64))| {
                let w = problem.w().get(i, *j)?;
                let value = root(i) * root(*j) * w.row(k).transpose().dot(g);
                (value != 0.0).then_some((r as u32, value))
            };
            columns.push(&rows.iter().enumerate().filter_map(entry).collect::<Vec<_>>());
        }
        let mut upper = vec![WITHOUT_BOUND; generators.len()];
        for (r, &(_, _, slack)) in rows.iter().enumerate().filter(|r| r.1.2 != 0.0) {
            columns.push(&[(r as u32, -slack)]);
            upper.push(f64::INFINITY);
        }
        let right = rows.iter().map(|&(i, k, _)| -problem.b()[i][k] * root(i) / beta).collect();
        let mut simplex = Simplex::new(columns, right, vec![0.0; upper.len()], upper);
        (simplex.find() == Found::Vertex).then_some(Self { problem, simplex, generators, beta })
    }

    /// `S` at the present vertex.
    fn percussions(&self) -> Vec<Vector<2>> {
        let mut s = self.problem.zero();
        for ((i, g), x) in self.generators.iter().zip(self.simplex.solution()) {
            s[*i] += g * (*x * self.beta * self.problem.rho(*i).sqrt());
        }
        s
    }

    /// `S` or `U` at the present vertex, without units.
    fn image(&self, velocity: bool) -> Vec<f64> {
        let mut s = self.percussions();
        if velocity {
            let percussions = s.clone();
            self.problem.velocities(&percussions, &mut s);
        }
        let unit = |i: usize| self.problem.rho(i).powf(if velocity { 0.5 } else { -0.5 }) / self.beta;
        s.iter().enumerate().flat_map(|(i, s)| [s[0] * unit(i), s[1] * unit(i)]).collect()
    }

    /// Goes to the farthest point in a direction of the image; false where that is without bound.
    fn farthest(&mut self, direction: &[f64], velocity: bool) -> bool {
        let n = self.problem.len();
        let own = |j: usize| Vector::<2>::new(direction[2 * j], direction[2 * j + 1]);
        let root = |i: usize| self.problem.rho(i).sqrt();
        let pull = |j: usize| -> Vector<2> {
            if !velocity {
                return own(j);
            }
            let part = |i: usize| {
                self.problem.w().get(i, j).map_or(Vector::zeros(), |w| w.transpose() * own(i) * (root(i) * root(j)))
            };
            (0..n).map(part).sum()
        };
        let cost: Vec<(usize, f64)> =
            self.generators.iter().enumerate().map(|(k, (j, g))| (k, g.dot(&pull(*j)))).collect();
        let end = self.simplex.maximise(&cost);
        let count = self.generators.len();
        end == End::Optimal && self.simplex.solution()[..count].iter().all(|x| *x < 0.999 * WITHOUT_BOUND)
    }

    /// Dimension of the image, and percussions at the points that span it; of one dimension, at its ends.
    fn span(&mut self, velocity: bool) -> (usize, Vec<Vec<Vector<2>>>) {
        let size = 2 * self.problem.len();
        let mut basis: Vec<Vec<f64>> = vec![];
        let mut points = vec![];
        loop {
            let before = basis.len();
            for k in 0..size {
                let mut d: Vec<f64> = (0..size).map(|i| f64::from(i == k)).collect();
                if !without(&mut d, &basis, 1e-6) {
                    continue;
                }
                let [(a, p), (b, q)] = [1.0, -1.0].map(|sign| {
                    let towards: Vec<f64> = d.iter().map(|x| sign * x).collect();
                    let bounded = self.farthest(&towards, velocity);
                    (self.image(velocity), bounded.then(|| self.percussions()))
                });
                let mut step: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
                let reach = a.iter().chain(&b).fold(1.0f64, |m, x| m.max(x.abs()));
                if without(&mut step, &basis, FLAT * reach) {
                    basis.push(step);
                    points.extend([p, q].into_iter().flatten());
                }
            }
            if basis.len() == before {
                return (basis.len(), points);
            }
        }
    }

    /// Least and largest percussions and velocities, contact by contact.
    fn ranges(&mut self) -> [Vec<[Range; 2]>; 2] {
        let n = self.problem.len();
        [false, true].map(|velocity| {
            let mut one = |k: usize, sign: f64| {
                let direction: Vec<f64> = (0..2 * n).map(|i| if i == k { sign } else { 0.0 }).collect();
                let rho = self.problem.rho(k / 2);
                let unit = self.beta * rho.powf(if velocity { -0.5 } else { 0.5 });
                if self.farthest(&direction, velocity) { self.image(velocity)[k] * unit } else { sign * f64::INFINITY }
            };
            (0..n).map(|i| [0, 1].map(|c| [one(2 * i + c, -1.0), one(2 * i + c, 1.0)])).collect()
        })
    }
}

/// Takes the basis out of a direction and makes it a unit; false when less than `least` is left.
fn without(d: &mut [f64], basis: &[Vec<f64>], least: f64) -> bool {
    // Twice: round-off of the first is not along the second.
    for b in basis.iter().chain(basis) {
        let along: f64 = d.iter().zip(b).map(|(x, y)| x * y).sum();
        d.iter_mut().zip(b).for_each(|(x, y)| *x -= along * y);
    }
    let norm = d.iter().map(|x| x * x).sum::<f64>().sqrt();
    d.iter_mut().for_each(|x| *x /= norm);
    norm > least
}
