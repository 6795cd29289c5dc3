//! The questions about equilibrium, answered in the plane.

use super::continuum::{Listed, listed};
use super::interior::{Desk, Interior};
use super::linear::{self, Linear, Question};
use super::polygon::{Precision, Support, Touch, trace};
use crate::equilibrium::{Bounds, BoundsSettings, Equilibrium, Network, Reaction, Tick, margin};
use crate::limit::{Limit, Live, free};
use crate::{Error, Statics, hull};
use delassus_friction::Problem;
use delassus_friction::algebra::Vector;
use delassus_friction::solver::enumerate;
use rayon::prelude::*;

/// Contacts that follow each other from vertex to vertex. Fixed, so that the answer does not
/// depend on the number of threads.
const FOLLOWING: usize = 4;

/// Distance that counts as none, relative to the larger of the loads and the reactions.
const PRECISION: f64 = 1e-9;

/// Equations from which on interior points answer within a gap faster than pivots.
const LARGE: usize = 60;
/// Share of the gap that one question may leave: less than half, for corners of lines 2π/3 apart.
const WITHIN: f64 = 0.45;

/// A margin that counts as none, relative to the largest load.
const NARROW: f64 = 1e-9;

fn begin(statics: &Statics<2>, question: Question) -> Result<Option<Linear>, Error> {
    if statics.unsupported().is_some() {
        return Ok(None);
    }
    let mut linear = Linear::new(statics, question)?;
    Ok(linear.find()?.then_some(linear))
}

/// Points inside the set, or inside its face where some reactions are zero all over it.
fn inside(start: &mut Linear) -> Option<Interior> {
    start.interior().or_else(|| if start.find_zeros() { start.interior() } else { None })
}

/// The widest margin, of contacts that can have one.
fn widest(statics: &Statics<2>, plain: &Linear) -> Result<Option<Network<2>>, Error> {
    let mut linear = Linear::within(statics, Question::Margin, plain.zeros())?;
    let inside = if statics.equations() >= LARGE { linear.widen_inside(statics.laws()) } else { None };
    let (percussions, capped) = match inside {
        Some(found) => found,
        None if !linear.find()? => return Ok(None),
        None => {
            let capped = linear.widen()?;
            (linear.network(statics.laws(), true), capped)
        }
    };
    let margin = margin(statics, &percussions, &linear.bound());
    // Where every contact is on the edge of its cone the margin is that of none.
    Ok(Some(Network { margin, percussions, capped: capped && margin > 0.0, idle: linear.idle() }))
}

fn network(statics: &Statics<2>, percussions: Vec<Vector<2>>) -> Network<2> {
    Network { margin: margin(statics, &percussions, &[]), percussions, capped: false, idle: vec![] }
}

impl Equilibrium<2> for Statics<2> {
    fn any(&self) -> Result<Option<Network<2>>, Error> {
        let found = begin(self, Question::Plain)?;
        Ok(found.map(|l| network(self, l.network(self.laws(), false))))
    }

    fn bounds(&self, settings: &BoundsSettings, tick: Tick) -> Result<Bounds<2>, Error> {
        let list = settings.list(self)?;
        let Some(mut start) = begin(self, Question::Plain)? else { return Ok(Bounds::Empty) };
        let interior = match settings.gap {
            Some(_) if self.equations() >= LARGE => inside(&mut start),
            _ => None,
        };
        let idle = start.idle();
        let parts: Result<Vec<Vec<Reaction<2>>>, Error> = list
            .par_chunks(FOLLOWING)
            .map(|contacts| {
                tick(0);
                let mut linear = start.clone();
                let mut desk = interior.as_ref().map(Interior::desk);
                let each = contacts.iter().map(|c| {
                    if idle.binary_search(c).is_ok() {
                        tick(1);
                        let vertices = vec![Vector::<2>::zeros()];
                        return Ok(Reaction { contact: *c, vertices, outer: vec![], gap: 0.0, rays: vec![] });
                    }
                    let near = interior.as_ref().zip(desk.as_mut());
                    let reaction = reaction(self, &mut linear, near, *c, settings.gap.unwrap_or(0.0));
                    tick(1);
                    reaction
                });
                each.collect()
            })
            .collect();
        Ok(Bounds::Reactions(parts?.into_iter().flatten().collect()))
    }

    fn most_stable(&self) -> Result<Option<Network<2>>, Error> {
        let Some(mut plain) = begin(self, Question::Plain)? else { return Ok(None) };
        // Contacts that nothing can load leave no margin, nor most pivots a gain: cheap to see from where there is no
        // point inside.
        if self.equations() >= LARGE {
            inside(&mut plain);
        }
        let found = widest(self, &plain);
        let known = plain.zeros().contains(&true);
        let narrow = !matches!(&found, Ok(Some(n)) if n.margin > NARROW * plain.scale());
        if narrow && !known && plain.find_zeros() { widest(self, &plain) } else { found }
    }

    fn extreme(&self, contact: usize, direction: &Vector<2>) -> Result<Option<Network<2>>, Error> {
        self.check_contact(contact)?;
        let Some(mut linear) = begin(self, Question::Plain)? else { return Ok(None) };
        let bounded = linear.support(contact, direction)?;
        Ok(bounded.then(|| network(self, linear.network(self.laws(), false))))
    }

    fn limit(&self, live: &[f64]) -> Result<Option<Limit<2>>, Error> {
        let Live { statics, block, unit } = Live::new(self, live)?;
        let Some(mut linear) = begin(&statics, Question::Plain)? else { return Ok(None) };
        let normal = Vector::<2>::new(1.0, 0.0);
        if !linear.support(block, &normal)? {
            return Ok(Some(Limit { largest: f64::INFINITY, network: None, mechanism: vec![] }));
        }
        let largest = unit * linear.reaction(block)[0];
        let mut percussions = linear.network(statics.laws(), false);
        percussions.remove(block);
        let mechanism = linear.mechanism(&statics);
        Ok(Some(Limit { largest, network: Some(network(self, percussions)), mechanism }))
    }

    fn withstood(&self, rows: &[usize], settings: &BoundsSettings) -> Result<Option<Reaction<2>>, Error> {
        let (statics, contact) = free(self, rows)?;
        let Some(mut linear) = begin(&statics, Question::Plain)? else { return Ok(None) };
        let mut rays = vec![];
        for k in 0..8 {
            let angle = std::f64::consts::FRAC_PI_4 * f64::from(k);
            let direction = Vector::<2>::new(angle.cos(), angle.sin());
            if (rows.len() > 1 || k % 4 == 0) && !linear.support(contact, &direction)? {
                rays.push(direction);
            }
        }
        if !rays.is_empty() {
            return Ok(Some(Reaction { contact, vertices: vec![], outer: vec![], gap: f64::INFINITY, rays }));
        }
        let mut ends = vec![];
        for sign in [1.0, -1.0] {
            linear.support(contact, &Vector::<2>::new(sign, 0.0))?;
            ends.push(linear.reaction(contact));
        }
        let size = ends.iter().map(|e| e.norm()).fold(0.0, f64::max);
        let least = PRECISION * size.max(0.1 * linear.scale());
        let (vertices, gap) = match rows.len() {
            1 => (ends.iter().rev().map(|e| Vector::<2>::new(e[0], 0.0)).collect(), 0.0),
            _ => {
                let precision = Precision { least, gap: settings.gap.unwrap_or(0.0) * size };
                trace(&mut Shadow { linear: &mut linear, contact }, &[], precision)?
            }
        };
        Ok(Some(Reaction { contact, vertices, outer: vec![], gap, rays: vec![] }))
    }

    fn enumerated(&self, problem: &Problem<2>) -> Option<Listed<2>> {
        Some(listed(problem, enumerate(problem).ok()?))
    }
}

fn reaction(
    statics: &Statics<2>,
    linear: &mut Linear,
    interior: Option<(&Interior, &mut Desk)>,
    contact: usize,
    gap: f64,
) -> Result<Reaction<2>, Error> {
    // The largest normal component decides whether the set has a bound, and gives its size.
    let found = interior.and_then(|(interior, desk)| {
        let central = WITHIN * gap * linear.central(interior, contact);
        let asked = (contact, &Vector::<2>::new(1.0, 0.0));
        let first = linear.near((interior, &mut *desk), asked, [central, WITHIN * gap])?;
        Some((interior, desk, first))
    });
    if let Some((interior, desk, first)) = found {
        let size = first.point.norm();
        let precision = Precision { least: PRECISION * size.max(0.1 * linear.scale()), gap: gap * size };
        let known = vec![first];
        let shadow = Shadow { linear, contact };
        let mut shadow = Near { interior, desk, within: WITHIN * gap * size, known, shadow };
        let (vertices, gap) = trace(&mut shadow, &[], precision)?;
        return Ok(Reaction { contact, vertices: hull(&vertices), outer: vec![], gap, rays: vec![] });
    }
    let bounded = linear.support(contact, &Vector::<2>::new(1.0, 0.0))?;
    let rays = if bounded { vec![] } else { rays(statics, contact)? };
    let size = if bounded { linear.reaction(contact).norm() } else { 0.0 };
    let least = PRECISION * size.max(0.1 * linear.scale());
    let precision = Precision { least, gap: gap * size };
    let (vertices, gap) = trace(&mut Shadow { linear, contact }, &rays, precision)?;
    Ok(Reaction { contact, vertices, outer: vec![], gap, rays })
}

/// The set of one contact.
struct Shadow<'a> {
    linear: &'a mut Linear,
    contact: usize,
}

impl Support for Shadow<'_> {
    fn farthest(&mut self, direction: &Vector<2>) -> Result<Option<Vector<2>>, Error> {
        let bounded = self.linear.support(self.contact, direction)?;
        Ok(bounded.then(|| self.linear.reaction(self.contact)))
    }

    fn follow(&mut self, range: [f64; 2], visit: &mut dyn FnMut(Vector<2>)) -> bool {
        self.linear.turn_around(self.contact, range, visit)
    }

    fn turn(&mut self, direction: &Vector<2>) -> f64 {
        self.linear.turn(self.contact, direction)
    }
}

/// The set of one contact by interior points, by the simplex where they find no certified answer.
struct Near<'a> {
    interior: &'a Interior,
    desk: &'a mut Desk,
    within: f64,
    /// The answers so far; the first is in the direction of the normal.
    known: Vec<linear::Near>,
    shadow: Shadow<'a>,
}

impl Support for Near<'_> {
    fn farthest(&mut self, direction: &Vector<2>) -> Result<Option<Vector<2>>, Error> {
        self.shadow.farthest(direction)
    }

    fn turn(&mut self, direction: &Vector<2>) -> f64 {
        self.shadow.turn(direction)
    }

    fn reach(&mut self, direction: &Vector<2>) -> Result<Option<Touch>, Error> {
        if direction[0] >= 1.0 {
            return Ok(Some(self.touch(0, direction)));
        }
        let asked = (self.shadow.contact, direction);
        let found = self.shadow.linear.near((self.interior, self.desk), asked, [self.within, 0.0]);
        self.keep(direction, found)
    }

    /// From the answers on both sides: most of the way is behind them.
    fn between(&mut self, direction: &Vector<2>, sides: [&Touch; 2], enough: f64) -> Result<Option<Touch>, Error> {
        let [p, q] = sides.map(|t| t.direction);
        let across = p.perp(&q);
        let shares = [direction.perp(&q) / across, p.perp(direction) / across];
        let ([Some(first), Some(second)], true) =
            (sides.map(|t| t.known), across > 1e-9 && shares.iter().all(|s| *s >= 0.0))
        else {
            return self.reach(direction);
        };
        let sides = [(&self.known[first], shares[0]), (&self.known[second], shares[1])];
        let asked = (self.shadow.contact, direction);
        let goal = [self.within, enough];
        match self.shadow.linear.near_between((self.interior, self.desk), asked, sides, goal) {
            Some(found) => self.keep(direction, Some(found)),
            None => self.reach(direction),
        }
    }
}

impl Near<'_> {
    fn touch(&self, known: usize, direction: &Vector<2>) -> Touch {
        let near = &self.known[known];
        Touch { point: near.point, direction: *direction, far: near.far, known: Some(known) }
    }

    /// An answer to come back to; by the simplex where there is none.
    fn keep(&mut self, direction: &Vector<2>, found: Option<linear::Near>) -> Result<Option<Touch>, Error> {
        match found {
            Some(near) => {
                self.known.push(near);
                Ok(Some(self.touch(self.known.len() - 1, direction)))
            }
            None => Ok(self.farthest(direction)?.map(|p| Touch::exact(p, *direction))),
        }
    }
}

/// The extreme directions in which a reaction can grow for ever: one, or two counter-clockwise.
fn rays(statics: &Statics<2>, contact: usize) -> Result<Vec<Vector<2>>, Error> {
    let mut linear = Linear::new(statics, Question::Recession(contact))?;
    if !linear.find()? {
        return Err(Error::Program { contact, reason: "unbounded without a direction".into() });
    }
    let mut out: Vec<Vector<2>> = vec![];
    for tangent in [-1.0, 1.0] {
        if linear.support(contact, &Vector::<2>::new(0.0, tangent))? {
            let ray = linear.reaction(contact);
            if out.iter().all(|r| (r - ray).norm() > 1e-9 * ray.norm()) {
                out.push(ray);
            }
        }
    }
    Ok(out)
}
