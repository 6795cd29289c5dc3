//! The nested loops on a saddle-point matrix: \[Zammali05\] fig. 3.2
//!
//! ```text
//! a  time                                                     World::step
//! b    pairing: points, normals, gaps                         World::solve_step
//! c      friction threshold s = μ S_N (a sequence of Tresca laws)   Nested::thresholds
//! d        statuses: open, stick, slip, one for each block          Nested::statuses
//! e          Newton on (x, S)                                       Nested::newton
//!
//!     | A  Gᵀ | | δx |     | r(x) − Gᵀ S       |
//!     | G  −C | | −δS| = − | G x + f + γ S     |        closed components; the others are given
//! ```
//!
//! Departures: statuses are those of the blocks, the ones the certificate judges. The sliding friction of
//! space is Newton's on `S_T = s z/|z|`, `z = S_T − ρ U_T`: along `z` given, across it with the compliance
//! `(1−α)/(αρ)`, `α = s/|z|`, so that every term is symmetric. A set of statuses that comes back has only
//! its worst block changed. Contacts that carried nothing begin glued: without a threshold nothing may hold
//! the part. Sliding turns round by way of sticking: blocks that turn at once drive each other back and forth.

mod newton;

use crate::{ContactMethod, ContactStatus, Error, Rows};
use delassus_algebra::{Kkt, Pattern, SymmetricMatrix};
use delassus_friction::Law;
use delassus_friction::algebra::{Matrix, Vector};
use std::ops::Range;
use std::sync::Arc;

/// Sets of statuses remembered to see that one comes back.
const REMEMBERED: usize = 8;
/// Share of its threshold at which a contact slid.
const SLID: f64 = 1.0 - 1e-9;

/// A part as a sparse matrix and a residual.
pub trait Assembled {
    /// Structure of `A`.
    fn pattern(&self) -> &Arc<Pattern>;
    /// The unknowns to begin with; where the motion is imposed, those of the end.
    fn start(&self) -> &[f64];
    /// Residual `r` (momentum that is missing) and `A = ∂r/∂x` at the unknowns `x`.
    fn evaluate(&mut self, x: &[f64]) -> Result<(), Error>;
    /// The same after a step of Newton made with the generalised percussions `reaction`; where forces would throw
    /// the motion back, `x` becomes a place nearer to the last one.
    fn approach(&mut self, x: &mut [f64], reaction: &[f64]) -> Result<(), Error>;
    /// `A`, rows and columns of imposed motions cleared.
    fn matrix(&self) -> &SymmetricMatrix;
    /// `r`, zero where the motion is imposed.
    fn residual(&self) -> &[f64];
    /// What `r` is compared with, and what round-off leaves of it at least.
    fn size(&self) -> [f64; 2];
    /// Whether the motion of a degree of freedom is imposed.
    fn is_held(&self, dof: usize) -> bool;
    /// Rows that hold whatever touches; none by default.
    fn ties(&self) -> Option<TiedRows<'_>> {
        None
    }
}

/// Constant rows `B x = g`, their multipliers pushing with `−Bᵀ Υ`.
#[derive(Clone, Copy, Debug)]
pub struct TiedRows<'a> {
    /// First term of each row; the end at the end.
    pub starts: &'a [usize],
    /// Degrees of freedom of the terms.
    pub dofs: &'a [u32],
    /// Coefficients, zero at imposed motions.
    pub values: &'a [f64],
    /// `g − B x` at the unknowns evaluated last.
    pub missing: &'a [f64],
    /// Its size over that of its terms.
    pub parted: f64,
}

/// The blocks of a step as the loops see them.
pub(crate) struct Blocks<'a, const C: usize> {
    pub rows: &'a Rows<C>,
    /// Degrees of freedom of the part among those of the rows.
    pub range: Range<usize>,
    /// What the laws speak of is `G x + fixed + compliance S`.
    pub fixed: &'a [Vector<C>],
    pub compliance: &'a [Vector<C>],
    /// What the laws speak of is the percussion and this.
    pub offset: &'a [Vector<C>],
    pub laws: &'a [Law],
    pub method: &'a ContactMethod,
    pub tolerance: f64,
}

/// What the loops did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pairings (b).
    pub pairings: usize,
    /// Friction thresholds (c).
    pub thresholds: usize,
    /// Sets of statuses (d).
    pub statuses: usize,
    /// Newton iterations (e).
    pub newton: usize,
}

impl Counts {
    /// Adds those of another step.
    pub fn add(&mut self, other: &Counts) {
        self.pairings += other.pairings;
        self.thresholds += other.thresholds;
        self.statuses += other.statuses;
        self.newton += other.newton;
    }
}

/// Unknowns and scratch of the loops.
pub(crate) struct Nested<const C: usize> {
    kkt: Option<Kkt>,
    /// What the matrix was made for: rows by block, their degrees of freedom.
    layout: (usize, Vec<u32>, Vec<u32>),
    spare: (usize, Vec<u32>, Vec<u32>),
    b: Vec<f64>,
    c: Option<SymmetricMatrix>,
    /// Multipliers of the rows that hold whatever touches.
    tied: Vec<f64>,
    /// Those of them that repeat others.
    tied_out: Vec<bool>,
    /// Unknowns of the part.
    pub x: Vec<f64>,
    /// Velocities the laws speak of.
    pub u: Vec<Vector<C>>,
    status: Vec<ContactStatus>,
    next: Vec<ContactStatus>,
    seen: Vec<Vec<ContactStatus>>,
    remembered: usize,
    threshold: Vec<f64>,
    /// Directions of sliding.
    sense: Vec<Vector<C>>,
    /// Bases in which the rows of the blocks are written.
    turns: Vec<Matrix<C>>,
    /// Weight of velocities against percussions, by block.
    pub rho: Vec<f64>,
    /// Mobility of a block alone, from the diagonal of `A`.
    pub mobility: Vec<Matrix<C>>,
    /// Rows left out: they move nothing, or repeat others.
    left_out: Vec<bool>,
    f: Vec<f64>,
    g: Vec<f64>,
    force: Vec<f64>,
    pub counts: Counts,
    /// Relative residual of the balance.
    pub balance: f64,
    pub log: Vec<String>,
}

impl<const C: usize> Default for Nested<C> {
    fn default() -> Self {
        Self {
            kkt: None,
            layout: Default::default(),
            spare: Default::default(),
            b: vec![],
            c: None,
            tied: vec![],
            tied_out: vec![],
            x: vec![],
            u: vec![],
            status: vec![],
            next: vec![],
            seen: vec![],
            remembered: 0,
            threshold: vec![],
            sense: vec![],
            turns: vec![],
            rho: vec![],
            mobility: vec![],
            left_out: vec![],
            f: vec![],
            g: vec![],
            force: vec![],
            counts: Counts::default(),
            balance: 0.0,
            log: vec![],
        }
    }
}

/// How the loops ended.
pub(crate) enum Outcome {
    /// Statuses repeat and everything is in balance.
    Settled,
    /// They do not: the condensed problem may know better.
    Restless(&'static str),
}

/// Friction of a law as the loops know it; none where they do not.
fn friction(law: &Law) -> Option<Friction> {
    match law {
        Law::Frictionless => Some(Friction::None),
        Law::Coulomb { mu } => Some(Friction::Coulomb(*mu)),
        Law::Tresca { threshold } => Some(Friction::Tresca(*threshold)),
        // A spring along the normal.
        Law::Limited { limit } if limit[0] == f64::INFINITY && limit[1..].iter().all(|l| *l == 0.0) => {
            Some(Friction::Spring)
        }
        _ => None,
    }
}

#[derive(Clone, Copy)]
enum Friction {
    None,
    Coulomb(f64),
    Tresca(f64),
    Spring,
}

/// Whether the loops know all of these laws.
pub(crate) fn knows(laws: &[Law]) -> bool {
    laws.iter().all(|l| friction(l).is_some())
}

impl<const C: usize> Nested<C> {
    /// Solves a step from the percussions `s`; `closed` says which blocks are expected to touch.
    pub fn solve(
        &mut self,
        part: &mut dyn Assembled,
        blocks: &Blocks<'_, C>,
        closed: &dyn Fn(usize) -> bool,
        s: &mut [Vector<C>],
    ) -> Result<Outcome, Error> {
        self.x.clear();
        self.x.extend_from_slice(part.start());
        part.evaluate(&self.x)?;
        self.prepare(part, blocks)?;
        self.tied.fill(0.0);
        self.status.clear();
        self.sense.clear();
        // What slid in the last step slides on: from sticking, a part that yields would go a long way.
        for (i, s) in s.iter().enumerate() {
            let mut along = *s;
            along[0] = 0.0;
            let slid = match friction(&blocks.laws[i]) {
                Some(Friction::Coulomb(mu)) => s[0] > 0.0 && along.norm() >= SLID * mu * s[0],
                Some(Friction::Tresca(threshold)) => along.norm() >= SLID * threshold,
                _ => false,
            };
            self.sense.push(if slid && along.norm() > 0.0 { along.normalize() } else { Vector::zeros() });
            self.status.push(match closed(i) {
                false => ContactStatus::Open,
                true if self.sense[i].norm() > 0.0 => ContactStatus::Slip,
                true => ContactStatus::Stick,
            });
        }
        self.threshold.clear();
        self.threshold.resize(blocks.rows.len(), 0.0);
        self.thresholds(part, blocks, s)
    }

    /// The matrix for the degrees of freedom of the blocks, and scales.
    fn prepare(&mut self, part: &dyn Assembled, blocks: &Blocks<'_, C>) -> Result<(), Error> {
        let rows = blocks.rows;
        let normal = |l: &Law| matches!(friction(l), Some(Friction::None | Friction::Spring));
        let width = if blocks.laws.iter().all(normal) { 1 } else { C };
        let (w, starts, dofs) = &mut self.spare;
        *w = width;
        starts.clear();
        starts.push(0);
        dofs.clear();
        self.rho.clear();
        self.mobility.clear();
        let diagonal = |d: usize| part.matrix().values()[part.pattern().diagonal(d)];
        let mut mean = (0.0, 0.0);
        for i in 0..rows.len() {
            let mut mobility = Matrix::<C>::zeros();
            for k in rows.sides(i).flat_map(|s| s.range()) {
                let dof = rows.dofs()[k] as usize - blocks.range.start;
                dofs.push(dof as u32);
                if !part.is_held(dof) {
                    let c = rows.columns()[k];
                    mobility += c * c.transpose() / diagonal(dof).abs().max(f64::MIN_POSITIVE);
                }
            }
            starts.push(dofs.len() as u32);
            let trace = mobility.trace() / C as f64;
            mean = if trace > 0.0 { (mean.0 + trace, mean.1 + 1.0) } else { mean };
            self.mobility.push(mobility);
            self.rho.push(trace);
        }
        let mean = if mean.1 > 0.0 { mean.0 / mean.1 } else { 1.0 };
        for rho in &mut self.rho {
            *rho = 1.0 / if *rho > 0.0 { *rho } else { mean };
        }
        self.left_out.clear();
        self.left_out.resize(width * rows.len(), false);
        if self.kkt.is_some() && self.layout == self.spare {
            return Ok(());
        }
        std::mem::swap(&mut self.layout, &mut self.spare);
        let (_, starts, dofs) = &self.layout;
        let lists = starts.windows(2).map(|w| &dofs[w[0] as usize..w[1] as usize]);
        let constraints = lists.flat_map(|list| std::iter::repeat_n(list, width));
        let ties = part.ties();
        let tied = ties.map_or(0, |t| t.starts.len() - 1);
        let terms = ties.into_iter().flat_map(|t| t.starts.windows(2).map(move |w| &t.dofs[w[0]..w[1]]));
        let constraints = constraints.chain(terms);
        let c_pattern = Arc::new(Pattern::new(width * rows.len() + tied, std::iter::empty())?);
        self.kkt = Some(Kkt::new(part.pattern(), constraints, &c_pattern)?);
        self.b.clear();
        self.b.resize(width * dofs.len() + ties.map_or(0, |t| t.values.len()), 0.0);
        self.tied.clear();
        self.tied.resize(tied, 0.0);
        self.c = Some(SymmetricMatrix::zero(c_pattern));
        Ok(())
    }

    fn tell(&mut self, blocks: &Blocks<'_, C>, line: impl FnOnce() -> String) {
        if blocks.method.log {
            self.log.push(line());
        }
    }

    /// Loop c: thresholds until they repeat.
    fn thresholds(
        &mut self,
        part: &mut dyn Assembled,
        blocks: &Blocks<'_, C>,
        s: &mut [Vector<C>],
    ) -> Result<Outcome, Error> {
        let frictional = blocks.laws.iter().any(|l| matches!(l, Law::Coulomb { mu } if *mu > 0.0));
        self.update_thresholds(blocks, s);
        if frictional && self.threshold.iter().all(|t| *t == 0.0) {
            for (threshold, law) in self.threshold.iter_mut().zip(blocks.laws) {
                if let Law::Coulomb { mu } = law {
                    *threshold = if *mu > 0.0 { f64::INFINITY } else { 0.0 };
                }
            }
        }
        for round in 0..blocks.method.loops.thresholds {
            self.counts.thresholds += 1;
            if let Outcome::Restless(what) = self.statuses(part, blocks, s)? {
                return Ok(Outcome::Restless(what));
            }
            if !frictional {
                return Ok(Outcome::Settled);
            }
            let change = self.update_thresholds(blocks, s);
            self.tell(blocks, || format!("  c threshold {round}: change {change:.2e}"));
            if change <= (0.1 * blocks.tolerance).max(1e-13) {
                return Ok(Outcome::Settled);
            }
        }
        Ok(Outcome::Restless("friction thresholds (c)"))
    }

    /// `s ← μ S_N`; the largest relative change.
    fn update_thresholds(&mut self, blocks: &Blocks<'_, C>, s: &[Vector<C>]) -> f64 {
        let mut largest = 0.0f64;
        for (law, s) in blocks.laws.iter().zip(s) {
            if let Law::Coulomb { mu } = law {
                largest = largest.max(mu * s[0]);
            }
        }
        let mut change = 0.0f64;
        for (i, law) in blocks.laws.iter().enumerate() {
            let new = match friction(law) {
                Some(Friction::Coulomb(mu)) => mu * s[i][0].max(0.0),
                Some(Friction::Tresca(threshold)) => threshold,
                _ => 0.0,
            };
            // What round-off leaves of a percussion is no threshold.
            let new = if new > 1e-14 * largest { new } else { 0.0 };
            if largest > 0.0 {
                change = change.max((new - self.threshold[i]).abs() / largest);
            }
            self.threshold[i] = new;
        }
        change
    }

    /// Loop d: statuses until they repeat.
    fn statuses(
        &mut self,
        part: &mut dyn Assembled,
        blocks: &Blocks<'_, C>,
        s: &mut [Vector<C>],
    ) -> Result<Outcome, Error> {
        self.remembered = 0;
        for round in 0..blocks.method.loops.statuses {
            self.counts.statuses += 1;
            if !self.newton(part, blocks, s)? {
                return Ok(Outcome::Restless("Newton's iteration (e)"));
            }
            let (changed, worst) = self.update_statuses(blocks, s);
            let closed = self.status.iter().filter(|s| **s != ContactStatus::Open).count();
            self.tell(blocks, || format!("    d statuses {round}: {changed} changed, {closed} closed"));
            if changed == 0 {
                return Ok(Outcome::Settled);
            }
            if self.seen[..self.remembered].contains(&self.status) {
                // Go back and change one block only.
                let new = self.status[worst];
                self.status.copy_from_slice(&self.seen[self.remembered - 1]);
                self.status[worst] = new;
            }
            self.remember();
        }
        Ok(Outcome::Restless("statuses (d)"))
    }

    /// Keeps the present statuses; the oldest are forgotten.
    fn remember(&mut self) {
        self.seen.resize_with(REMEMBERED, Vec::new);
        if self.remembered == REMEMBERED {
            self.seen.rotate_left(1);
            self.remembered -= 1;
        }
        self.seen[self.remembered].clone_from(&self.status);
        self.remembered += 1;
    }

    /// New statuses; how many changed, and the one that was most wrong.
    fn update_statuses(&mut self, blocks: &Blocks<'_, C>, s: &[Vector<C>]) -> (usize, usize) {
        let contact = &blocks.method.contact;
        let (mut changed, mut worst) = (0, (0.0, 0));
        self.seen.resize_with(REMEMBERED, Vec::new);
        self.next.clear();
        for i in 0..s.len() {
            let (rho, old) = (self.rho[i], self.status[i]);
            let factor = |given: Option<f64>| given.map_or(rho, |r| r.min(1e6 * rho).max(1e-6 * rho));
            let u = self.u[i] + blocks.compliance[i].component_mul(&s[i]);
            let test = s[i][0] - factor(contact.rho_n) * u[0];
            let spring = matches!(friction(&blocks.laws[i]), Some(Friction::Spring));
            let closed = spring || test > 0.0 || (test == 0.0 && old != ContactStatus::Open);
            let mut z = s[i] - u * factor(contact.rho_t);
            z[0] = 0.0;
            let slides = matches!(friction(&blocks.laws[i]), Some(Friction::Coulomb(_) | Friction::Tresca(_)));
            let new = match closed {
                false => ContactStatus::Open,
                true if !slides => ContactStatus::Stick,
                true if z.norm() <= self.threshold[i] * (1.0 + 1e-12) => ContactStatus::Stick,
                true => ContactStatus::Slip,
            };
            let sense = if z.norm() > 0.0 { z / z.norm() } else { z };
            let against = old == ContactStatus::Slip && sense.dot(&self.sense[i]) < 0.0 && self.threshold[i] > 0.0;
            let new = if new == ContactStatus::Slip && against { ContactStatus::Stick } else { new };
            let turned = new == ContactStatus::Slip && C == 2 && sense != self.sense[i];
            if new == ContactStatus::Slip {
                self.sense[i] = sense;
            }
            if new != old || turned {
                changed += 1;
                let error = test.abs() / rho;
                if error > worst.0 || changed == 1 {
                    worst = (error, i);
                }
            }
            self.next.push(new);
        }
        std::mem::swap(&mut self.status, &mut self.next);
        (changed, worst.1)
    }
}
