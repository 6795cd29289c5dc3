//! Equilibrium in the plane as a linear program
//!
//! ```text
//!     S_α = Σ_k x_αk g_αk,      Coulomb: g = (1, μ), (1, −μ),  x ≥ 0
//! ```
//!
//! In its generators a cone is a pair of numbers that are not negative: no row per contact.

use super::interior::{Answer, Desk, Goal, Interior};
use crate::equilibrium::WIDEST;
use crate::simplex::{Columns, End, Found, Simplex, Turned};
use crate::statics::name;
use crate::{Error, Statics};
use delassus_friction::Law;
use delassus_friction::algebra::Vector;

const ACCEPTED: &str = "Coulomb's law, contact without friction, Tresca's threshold and joints";

/// A variable: the block it belongs to, the direction it pushes in, its bounds.
#[derive(Clone, Copy, Debug)]
struct Generator {
    block: u32,
    direction: Vector<2>,
    bounds: [f64; 2],
}

/// The set, ready for objectives. Percussions are scaled by the largest load.
#[derive(Clone, Debug)]
pub(crate) struct Linear {
    generators: Vec<Generator>,
    /// First variable of each block.
    first: Vec<usize>,
    scale: f64,
    simplex: Simplex,
}

/// A reaction near the farthest one, how far the set reaches, and the whole answer.
#[derive(Clone, Debug)]
pub(crate) struct Near {
    pub point: Vector<2>,
    pub far: f64,
    answer: Answer,
}

/// What is asked of all contacts beside the balance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Question {
    /// Nothing.
    Plain,
    /// One more variable: a distance all contacts keep from the edges of their cones.
    Margin,
    /// Directions in which the set goes on for ever, with this contact's normal component 1.
    Recession(usize),
}

impl Linear {
    pub fn new(statics: &Statics<2>, question: Question) -> Result<Self, Error> {
        let recession = matches!(question, Question::Recession(_));
        let (mut generators, mut first) = (vec![], vec![0]);
        for (block, law) in statics.laws().iter().enumerate() {
            for (direction, mut bounds) in directions(law, block)? {
                if recession {
                    bounds = bounds.map(|b| if b.is_finite() { 0.0 } else { b });
                }
                generators.push(Generator { block: block as u32, direction, bounds });
            }
            first.push(generators.len());
        }
        let scales = statics.row_scales();
        // Equations without unknowns are judged by `Statics::unsupported`.
        let mut right: Vec<f64> = statics.load().iter().zip(&scales).map(|(f, s)| -f * s).collect();
        let mut scale = right.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        if scale == 0.0 || recession {
            scale = 1.0;
        }
        right.iter_mut().for_each(|x| *x = if recession { 0.0 } else { *x / scale });
        let rows = statics.equations() + usize::from(recession);
        let mut columns = Columns::new(rows);
        let mut margin = vec![0.0; rows];
        let mut list = vec![];
        for g in &generators {
            let block = g.block as usize;
            list.clear();
            for (row, a) in statics.column(block) {
                let value = a.dot(&g.direction) * scales[*row as usize];
                if value != 0.0 {
                    list.push((*row, value));
                    margin[*row as usize] += value * share(&statics.laws()[block], &g.direction);
                }
            }
            if question == Question::Recession(block) {
                list.push((rows as u32 - 1, g.direction[0]));
            }
            columns.push(&list);
        }
        if recession {
            right.push(1.0);
        }
        let mut lower: Vec<f64> = generators.iter().map(|g| g.bounds[0] / scale).collect();
        let mut upper: Vec<f64> = generators.iter().map(|g| g.bounds[1] / scale).collect();
        if question == Question::Margin {
            list.clear();
            list.extend(margin.iter().enumerate().filter(|x| *x.1 != 0.0).map(|(r, x)| (r as u32, *x)));
            columns.push(&list);
            lower.push(0.0);
            upper.push(WIDEST);
        }
        Ok(Self { generators, first, scale, simplex: Simplex::new(columns, right, lower, upper) })
    }

    /// The same set for interior points; `None` where unknowns have other bounds than zero.
    pub fn interior(&self) -> Option<Interior> {
        if self.generators.iter().any(|g| g.bounds != [0.0, f64::INFINITY]) {
            return None;
        }
        let (columns, right) = self.simplex.equations();
        Interior::new(columns, self.generators.len(), right)
    }

    /// A reaction of a block that is within a gap of the farthest, `share` of how far it is or more, and how far the
    /// set reaches.
    pub fn near(
        &self,
        (interior, desk): (&Interior, &mut Desk),
        (block, direction): (usize, &Vector<2>),
        [gap, share]: [f64; 2],
    ) -> Option<Near> {
        let goal = Goal { gap: gap / self.scale, share, enough: f64::INFINITY };
        let answer = interior.minimise(&self.costs(block, direction), goal, desk)?;
        Some(self.nearest(block, answer))
    }

    /// The same between two answers, of which the direction is a combination; a bound of `enough` will do.
    pub fn near_between(
        &self,
        (interior, desk): (&Interior, &mut Desk),
        (block, direction): (usize, &Vector<2>),
        sides: [(&Near, f64); 2],
        [gap, enough]: [f64; 2],
    ) -> Option<Near> {
        let goal = Goal { gap: gap / self.scale, share: 0.0, enough: -enough / self.scale };
        let sides = sides.map(|(near, share)| (&near.answer, share));
        let answer = interior.between(&self.costs(block, direction), sides, goal, desk)?;
        Some(self.nearest(block, answer))
    }

    fn nearest(&self, block: usize, answer: Answer) -> Near {
        let own = self.first[block]..self.first[block + 1];
        let point: Vector<2> = own.map(|j| self.generators[j].direction * answer.x[j]).sum();
        Near { point: point * self.scale, far: -answer.least * self.scale, answer }
    }

    /// The objective of a direction, to be minimised.
    fn costs(&self, block: usize, direction: &Vector<2>) -> Vec<f64> {
        let mut cost = vec![0.0; self.generators.len()];
        self.cost(block, direction).iter().for_each(|(j, c)| cost[*j] = -c);
        cost
    }

    /// Size of a block's reaction at the centre.
    pub fn central(&self, interior: &Interior, block: usize) -> f64 {
        let own = self.first[block]..self.first[block + 1];
        own.map(|j| self.generators[j].direction * interior.centre(j)).sum::<Vector<2>>().norm() * self.scale
    }

    /// Goes to a vertex of the set; false when the set is empty.
    pub fn find(&mut self) -> Result<bool, Error> {
        match self.simplex.find() {
            Found::Vertex => Ok(true),
            Found::Empty => Ok(false),
            Found::Trouble => Err(Error::Search { reason: "limit on pivots".into() }),
        }
    }

    fn cost(&self, block: usize, direction: &Vector<2>) -> Vec<(usize, f64)> {
        let range = self.first[block]..self.first[block + 1];
        range.map(|j| (j, self.generators[j].direction.dot(direction))).collect()
    }

    /// Maximises `direction · S` of a block; false when that has no bound.
    pub fn support(&mut self, block: usize, direction: &Vector<2>) -> Result<bool, Error> {
        let cost = self.cost(block, direction);
        self.maximise(block, &cost)
    }

    /// How far `direction` can turn counter-clockwise before its best vertex changes.
    pub fn turn(&mut self, block: usize, direction: &Vector<2>) -> f64 {
        let side = Vector::<2>::new(-direction[1], direction[0]);
        let (cost, side) = (self.cost(block, direction), self.cost(block, &side));
        self.simplex.turn(&cost, &side)
    }

    /// Follows the farthest reaction of a block while the direction turns; false when it was lost.
    pub fn turn_around(&mut self, block: usize, range: [f64; 2], visit: &mut dyn FnMut(Vector<2>)) -> bool {
        let axes = [Vector::<2>::new(1.0, 0.0), Vector::<2>::new(0.0, 1.0)].map(|d| self.cost(block, &d));
        let own = self.first[block]..self.first[block + 1];
        let (generators, scale) = (&self.generators[own.clone()], self.scale);
        let mut see = |x: &[f64]| {
            let sum: Vector<2> = generators.iter().zip(&x[own.clone()]).map(|(g, x)| g.direction * *x).sum();
            visit(sum * scale);
        };
        self.simplex.turn_around([&axes[0], &axes[1]], range, &mut see) == Turned::Done
    }

    /// Maximises the margin variable; true when only its limit stopped it.
    pub fn widen(&mut self) -> Result<bool, Error> {
        let margin = self.generators.len();
        self.maximise(0, &[(margin, 1.0)])?;
        Ok(self.simplex.solution()[margin] >= (1.0 - 1e-6) * WIDEST)
    }

    fn maximise(&mut self, block: usize, cost: &[(usize, f64)]) -> Result<bool, Error> {
        match self.simplex.maximise(cost) {
            End::Optimal => Ok(true),
            End::Unbounded => Ok(false),
            End::Trouble => Err(Error::Program { contact: block, reason: "limit on pivots".into() }),
        }
    }

    /// The percussion of a block at the present vertex.
    pub fn reaction(&self, block: usize) -> Vector<2> {
        let range = self.first[block]..self.first[block + 1];
        let x = self.simplex.solution();
        range.map(|j| self.generators[j].direction * x[j]).sum::<Vector<2>>() * self.scale
    }

    /// All percussions at the present vertex, `margin` being the value of that variable.
    pub fn network(&self, laws: &[Law], margin: bool) -> Vec<Vector<2>> {
        let t = if margin { self.simplex.solution()[self.generators.len()] } else { 0.0 };
        (0..laws.len())
            .map(|b| {
                let own = self.generators[self.first[b]..self.first[b + 1]].iter();
                let more: Vector<2> = own.map(|g| g.direction * share(&laws[b], &g.direction)).sum();
                self.reaction(b) + more * (t * self.scale)
            })
            .collect()
    }

    /// The velocities that bound the last objective: no admissible reaction works against them.
    pub fn mechanism(&mut self, statics: &Statics<2>) -> Vec<f64> {
        let scales = statics.row_scales();
        self.simplex.prices().iter().zip(&scales).map(|(y, s)| -y * s).collect()
    }

    /// Largest load of an equation.
    pub fn scale(&self) -> f64 {
        self.scale
    }
}

/// How much of each generator a margin of 1 asks for: the distance to the other edge of the cone.
fn share(law: &Law, edge: &Vector<2>) -> f64 {
    match law {
        // S = x₁(1, μ) + x₂(1, −μ) is at 2μ x₂/√(1+μ²) from the edge along (1, μ).
        Law::Coulomb { mu } => mu.hypot(1.0) / (2.0 * mu),
        // The other edge has the other coefficient.
        Law::Directional { mu } => if edge[1] > 0.0 { mu[0] } else { mu[1] }.hypot(1.0) / (mu[0] + mu[1]),
        Law::Frictionless => 1.0,
        _ => 0.0,
    }
}

fn directions(law: &Law, contact: usize) -> Result<Vec<(Vector<2>, [f64; 2])>, Error> {
    let (n, t) = (Vector::<2>::new(1.0, 0.0), Vector::<2>::new(0.0, 1.0));
    let (push, free) = ([0.0, f64::INFINITY], [f64::NEG_INFINITY, f64::INFINITY]);
    Ok(match law {
        Law::Frictionless => vec![(n, push)],
        Law::Coulomb { mu } => vec![(n + t * *mu, push), (n - t * *mu, push)],
        Law::Directional { mu } if mu[0] + mu[1] > 0.0 => vec![(n + t * mu[1], push), (n - t * mu[0], push)],
        Law::Directional { .. } => vec![(n, push)],
        Law::Tresca { threshold } => vec![(n, push), (t, [-threshold, *threshold])],
        Law::Bilateral => vec![(n, free), (t, free)],
        Law::Limited { limit } => vec![(n, [-limit[0], limit[0]]), (t, [-limit[1], limit[1]])],
        other => return Err(Error::Law { contact, law: name(other), accepted: ACCEPTED }),
    })
}
