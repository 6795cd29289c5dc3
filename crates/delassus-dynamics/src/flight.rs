//! Steps cut where fast bodies meet
//!
//! ```text
//! τ = first crossing of two bodies that the step would not see      (delassus_contact::Crossing)
//! parts of the step:   τ in flight,   ε = 2 (g + δ)/U_N with the contact closed at its q_m,   the rest
//! ```
//!
//! Contacts are looked for at `q_m`: what moves by more than its thickness in a step can be before an
//! obstacle at one `q_m` and behind it at the next. Such steps, and only they, are made in parts, each one a
//! step (5)–(7) of its own: laws, restitution and the energy ledger are those of any other step, and the
//! state alone decides where the parts end. A step that throws a body through another (a blow, a spring let
//! go) is found before it is committed and made again shorter.

use crate::retry::Whole;
use crate::{Error, Event, Operator, World};
use delassus_contact::{Crossing, Dim, Ends, Flight, HARD, NEAR, Space};

/// What a flight begins with.
#[derive(Clone, Copy, Debug)]
pub enum Launch<'a> {
    /// The state, for the whole step.
    State(&'a crate::State),
    /// `q_m` and the velocities at the end of the step, for its second half.
    Middle(&'a [f64]),
}

/// Most parts of a step.
const MOST: usize = 10_000;
/// A step that throws bodies through each other is made again, this much shorter.
const SHORTER: f64 = 0.25;
/// A change of velocity that moves no body by more than this share of its thickness was foreseen.
const KICK: f64 = 0.1;
/// Parts of the step below which nothing is gained.
const LEAST: f64 = 1e-9;

impl<const D: usize, const C: usize> World<D, C>
where
    Dim<D>: Space<D>,
{
    /// The length of the first part of a step of length `h` that bodies ask for that move by more than a share of
    /// their thickness, and who they are.
    fn first_part(&mut self, h: f64, share: f64) -> Result<(f64, Option<Crossing>), Error> {
        if !self.is_fast((&self.state.u, &[]), h, share) {
            return Ok((h, None));
        }
        self.parts.flights(Launch::State(&self.state), h, &mut self.ws.flights);
        let time = self.state.time;
        let (found, looked) = self.crossing(time, h, share)?;
        let Some(c) = found else { return Ok((looked, None)) };
        let close = NEAR * c.thickness;
        let part = match c.time * c.speed > 2.0 * close {
            true => c.time,
            false => 2.0 * (c.gap.max(0.0) + close) / c.closing,
        };
        Ok((part.min(looked), Some(c)))
    }

    fn crossing(&mut self, time: f64, dt: f64, share: f64) -> Result<(Option<Crossing>, f64), Error> {
        let Some(detector) = &mut self.bodies.detector else { return Ok((None, dt)) };
        if self.ws.flights.is_empty() {
            return Ok((None, dt));
        }
        let found = detector.first_crossing(&self.ws.flights, (time, dt, share))?;
        match found.0 {
            Some(c) if c.thickness == 0.0 => {
                Err(Error::NoThickness { bodies: c.bodies.map(|b| self.body_name(b)), time: time + c.time })
            }
            _ => Ok(found),
        }
    }

    /// Whether the velocities found throw a body through another in the second half of the step.
    pub(crate) fn throws(&mut self, h: f64) -> Result<bool, Error> {
        if self.skin_passes(h)? {
            return Ok(true);
        }
        if !self.is_fast((&self.ws.u_f, &self.state.u), 0.5 * h, KICK) {
            return Ok(false);
        }
        let u_f = std::mem::take(&mut self.ws.u_f);
        self.parts.flights(Launch::Middle(&u_f), 0.5 * h, &mut self.ws.flights);
        self.ws.u_f = u_f;
        Ok(self.crossing(self.state.time + 0.5 * h, 0.5 * h, 1.0)?.0.is_some())
    }

    /// Whether the skin of a solid passes through a body or another solid between the ends of the step.
    fn skin_passes(&mut self, h: f64) -> Result<bool, Error> {
        let Self { ws, bodies, parts, state, .. } = self;
        let (Some(detector), true) = (&mut bodies.detector, ws.has_nodes) else { return Ok(false) };
        let Some((part, first)) = parts.with_nodes() else { return Ok(false) };
        let nodes = part.surfaces().nodes;
        let end = |d: usize| nodes.base[d] + nodes.slope * ws.u_f[first.dofs + d];
        let moved = (0..nodes.base.len()).map(|d| (end(d) - nodes.before[d]).abs()).fold(0.0, f64::max);
        if !(moved > detector.least_thickness() / (D as f64).sqrt()) {
            return Ok(false);
        }
        let at = |x: &dyn Fn(usize) -> f64| (0..nodes.base.len()).map(|d| nodes.reference[d] + x(d)).collect();
        let (before, after): (Vec<f64>, Vec<f64>) = (at(&|d| nodes.before[d]), at(&end));
        parts.flights(Launch::State(state), h, &mut ws.flights);
        let poses = [0.0, h].map(|t| ws.flights.iter().map(|f| f.at(t)).collect::<Vec<_>>());
        let ends = [Ends { poses: &poses[0], nodes: &before }, Ends { poses: &poses[1], nodes: &after }];
        ws.passing = detector.skin_passes([&ends[0], &ends[1]], state.time)?;
        Ok(ws.passing.is_some())
    }

    /// Whether the velocities `u`, less those of `before` where it is given, move a body by more than a share
    /// of its thickness: most steps of most bodies leave here.
    fn is_fast(&self, (u, before): (&[f64], &[f64]), dt: f64, share: f64) -> bool {
        let Some(detector) = &self.bodies.detector else { return false };
        let Some((_, part)) = self.parts.ranges().next() else { return false };
        let Operator::Bodies { width, .. } = part.operator() else { return false };
        let speeds = |body: u32| {
            let at = width * body as usize;
            let square = |k: usize| (u[at + k] - before.get(at + k).unwrap_or(&0.0)).powi(2);
            [(0..D).map(square).sum::<f64>().sqrt(), (D..width).map(square).sum::<f64>().sqrt()]
        };
        detector.is_fast(speeds, dt, share)
    }

    /// The step in the parts that fast bodies ask for; false, and nothing changed, where they ask for none.
    pub(crate) fn in_flights(&mut self, h: f64, thrown: bool) -> Result<bool, Error> {
        let (mut part, mut crossing) = self.first_part(h, 1.0)?;
        if part >= h && !thrown {
            return Ok(false);
        }
        let mut whole = Whole::new((self.state.step, self.state.time));
        let (mut done, mut parts, mut met) = (0.0, 0, None);
        if thrown {
            part = part.min(SHORTER * h);
        }
        while done < h {
            met = met.or(crossing);
            parts += 1;
            if parts > MOST || part < LEAST * h {
                let bodies = crossing.or(met).map(|c| c.bodies).or(self.ws.passing).unwrap_or_default();
                let bodies = bodies.map(|b| self.body_name(b));
                return Err(Error::TooFast { bodies, time: self.state.time, h, parts });
            }
            match self.advance(part, true) {
                Ok(None) => {}
                Ok(Some(failure)) => self.make_again(part, Ok(failure))?,
                Err(Error::Thrown) => {
                    part *= SHORTER;
                    continue;
                }
                Err(e) => return Err(e),
            }
            whole.follow(&self.report);
            done += part;
            // What is left is round-off.
            if h - done <= LEAST * h {
                break;
            }
            // A step that is cut sees what closes by less, too.
            (part, crossing) = self.first_part(h - done, HARD)?;
        }
        self.finish_parts(whole, h);
        let bodies = met.map(|c| c.bodies).or(self.ws.passing);
        self.report.events.push(Event::Cut { parts, bodies });
        Ok(true)
    }
}

impl<const D: usize, const C: usize> crate::parts::Parts<D, C> {
    /// Flights of the rigid bodies.
    fn flights(&self, launch: Launch<'_>, dt: f64, out: &mut Vec<Flight<D>>) {
        out.clear();
        self.iter().for_each(|p| p.flights(launch, dt, out));
    }
}
