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
    /// Variables that are zero all over the set, as far as that was asked.
    zero: Vec<bool>,
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
        Self::within(statics, question, &[])
    }

    /// The same with variables known to be zero all over the set, by [`find_zeros`](Self::find_zeros); their contacts
    /// have no margin.
    pub fn within(statics: &Statics<2>, question: Question, zero: &[bool]) -> Result<Self, Error> {
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
        let mut zero = zero.to_vec();
        zero.resize(generators.len(), false);
        let bound = on_edge(&generators, &zero, statics.laws().len());
        for g in &generators {
            let block = g.block as usize;
            list.clear();
            for (row, a) in statics.column(block) {
                let value = a.dot(&g.direction) * scales[*row as usize];
                if value != 0.0 {
                    list.push((*row, value));
                    if !bound[block] {
                        margin[*row as usize] += value * share(&statics.laws()[block], &g.direction);
                    }
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
        let mut simplex = Simplex::new(columns, right, lower, upper);
        simplex.hold(&zero);
        Ok(Self { generators, first, scale, simplex, zero })
    }

    /// Finds the variables that are zero all over the set, with a proof, and holds them there; whether there are any.
    /// Asked at a vertex of it.
    pub fn find_zeros(&mut self) -> bool {
        if let Some(zero) = self.simplex.zeros() {
            self.simplex.hold(&zero);
            self.zero = zero;
        }
        self.zero.contains(&true)
    }

    /// The variables found to be zero all over the set.
    pub fn zeros(&self) -> &[bool] {
        &self.zero
    }

    /// Blocks whose reaction is zero all over the set.
    pub fn idle(&self) -> Vec<usize> {
        let all = |b: &usize| {
            let own = self.first[*b]..self.first[*b + 1];
            !own.is_empty() && own.clone().all(|j| self.zero[j])
        };
        (0..self.first.len() - 1).filter(all).collect()
    }

    /// Blocks whose reaction lies on the edge of its cone all over the set, those without reaction among them.
    pub fn bound(&self) -> Vec<bool> {
        on_edge(&self.generators, &self.zero, self.first.len() - 1)
    }

    /// The same set for interior points; `None` where unknowns have other bounds than zero.
    pub fn interior(&self) -> Option<Interior> {
        if self.generators.iter().any(|g| g.bounds != [0.0, f64::INFINITY]) {
            return None;
        }
        let (columns, right) = self.simplex.equations();
        let kept = (0..self.generators.len()).filter(|j| !self.zero[*j]).collect();
        Interior::new(columns, kept, right, false)
    }

    /// The widest margin by interior points, within a millionth: percussions, and whether only its limit stopped it.
    /// Pivots in the thousands lead nowhere here, because the margin enters all equations. `None` where no answer is
    /// certified.
    pub fn widen_inside(&self, laws: &[Law]) -> Option<(Vec<Vector<2>>, bool)> {
        let margin = self.generators.len();
        if self.generators.iter().any(|g| g.bounds != [0.0, f64::INFINITY]) {
            return None;
        }
        // One equation more: the margin and what is left of its limit.
        let (columns, right) = self.simplex.equations();
        let rows = right.len();
        let mut all = Columns::new(rows + 1);
        (0..margin).for_each(|j| all.push(columns.column(j)));
        all.push(&[(rows as u32, 1.0)]);
        let mut list = columns.column(margin).to_vec();
        list.push((rows as u32, 1.0));
        all.push(&list);
        let kept: Vec<usize> = (0..margin + 2).filter(|j| !self.zero.get(*j).is_some_and(|z| *z)).collect();
        let right: Vec<f64> = right.iter().copied().chain([WIDEST]).collect();
        let interior = Interior::new(&all, kept, &right, true)?;
        let mut cost = vec![0.0; interior.len()];
        *cost.last_mut()? = -1.0;
        let goal = Goal { gap: 1e-12, share: 1e-6, enough: f64::INFINITY };
        let answer = interior.minimise(&cost, goal, &mut interior.desk())?;
        let x: Vec<f64> = (0..margin).map(|j| interior.place(j).map_or(0.0, |k| answer.x[k])).collect();
        let t = *answer.x.last()?;
        Some((self.pushed(laws, &x, t), t >= (1.0 - 1e-5) * WIDEST))
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
        let answer = interior.minimise(&self.costs(interior, block, direction), goal, desk)?;
        Some(self.nearest(interior, block, answer))
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
        let answer = interior.between(&self.costs(interior, block, direction), sides, goal, desk)?;
        Some(self.nearest(interior, block, answer))
    }

    fn nearest(&self, interior: &Interior, block: usize, answer: Answer) -> Near {
        let own = self.first[block]..self.first[block + 1];
        let own = own.filter_map(|j| Some((j, interior.place(j)?)));
        let point: Vector<2> = own.map(|(j, place)| self.generators[j].direction * answer.x[place]).sum();
        Near { point: point * self.scale, far: -answer.least * self.scale, answer }
    }

    /// The objective of a direction, to be minimised.
    fn costs(&self, interior: &Interior, block: usize, direction: &Vector<2>) -> Vec<f64> {
        let mut cost = vec![0.0; interior.len()];
        for (j, c) in self.cost(block, direction) {
            if let Some(place) = interior.place(j) {
                cost[place] = -c;
            }
        }
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
        let x = self.simplex.solution();
        self.pushed(laws, x, if margin { x[self.generators.len()] } else { 0.0 })
    }

    /// The percussions of these values and this margin.
    fn pushed(&self, laws: &[Law], x: &[f64], margin: f64) -> Vec<Vector<2>> {
        let bound = self.bound();
        let of = |b: usize| {
            let own = self.first[b]..self.first[b + 1];
            let margin = if bound[b] { 0.0 } else { margin };
            let push = |j: usize| {
                let g = &self.generators[j];
                g.direction * (x[j] + if margin > 0.0 { margin * share(&laws[b], &g.direction) } else { 0.0 })
            };
            own.map(push).sum::<Vector<2>>() * self.scale
        };
        (0..laws.len()).map(of).collect()
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

/// Blocks of which a generator is zero all over the set.
fn on_edge(generators: &[Generator], zero: &[bool], blocks: usize) -> Vec<bool> {
    let mut out = vec![false; blocks];
    for (g, zero) in generators.iter().zip(zero) {
        out[g.block as usize] |= zero;
    }
    out
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
