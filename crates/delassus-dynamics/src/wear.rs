//! Work of rubbing and of shocks, pair by pair
//!
//! ```text
//! friction = −Σ S_T · V                     what friction takes, on the slip V the ledger takes it on
//! sliding  = Σ S_N |V|                      Archard's work: normal force over the way slid
//! shock    = −Σ S · (U⁻ + U⁺)/2 − friction  what jumps of velocity take, less what they give back: ½ m v² (1 − e²)
//! ```
//!
//! Summed over the steps and parts of steps that were made, for the pairs that are asked for. Where a scheme
//! blends the forces of two steps the slip is the mean one, and the sum over pairs is the ledger's up to the step.

use crate::World;
use crate::islands::NONE;
use crate::workspace::Workspace;
use delassus_contact::{Dim, Space};
use std::sync::Arc;

/// Who rubs on whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rubbing {
    /// Contacts of two sets of bodies; of one with anything. Numbers in increasing order.
    Bodies(Arc<[u32]>, Option<Arc<[u32]>>),
    /// Contacts of a pair of surfaces, by its number.
    Pair(u32),
}

impl Rubbing {
    fn is_of(&self, bodies: Option<[u32; 2]>, pair: Option<u32>) -> bool {
        let holds = |set: &[u32], body: u32| set.binary_search(&body).is_ok();
        match (self, bodies) {
            (Self::Bodies(a, Some(b)), Some([p, q])) => holds(a, p) && holds(b, q) || holds(a, q) && holds(b, p),
            (Self::Bodies(a, None), Some([p, q])) => holds(a, p) || holds(a, q),
            (Self::Pair(p), None) => pair == Some(*p),
            _ => false,
        }
    }
}

/// What a pair has rubbed since the start.
#[derive(Clone, Debug, PartialEq)]
pub struct Wear {
    /// Who.
    pub of: Rubbing,
    /// Taken by friction \[J\].
    pub friction: f64,
    /// Normal force over the way slid \[J\].
    pub sliding: f64,
    /// Normal percussions \[N·s\].
    pub impulse: f64,
    /// Taken by jumps of velocity, less what was given back \[J\].
    pub shock: f64,
}

impl Wear {
    /// Nothing yet.
    pub fn new(of: Rubbing) -> Self {
        Self { of, friction: 0.0, sliding: 0.0, impulse: 0.0, shock: 0.0 }
    }

    /// In the order of [`Wear::set`].
    pub fn numbers(&self) -> [f64; 4] {
        [self.friction, self.sliding, self.impulse, self.shock]
    }

    /// Goes on with the sums of a record.
    pub fn set(&mut self, x: [f64; 4]) {
        [self.friction, self.sliding, self.impulse, self.shock] = x;
    }
}

impl<const D: usize, const C: usize> World<D, C>
where
    Dim<D>: Space<D>,
{
    /// The pairs that are summed.
    pub fn wear(&self) -> &[Wear] {
        &self.wear
    }

    /// Sums these pairs from now on, on top of what they have.
    pub fn set_wear(&mut self, wear: Vec<Wear>) {
        self.wear = wear;
    }

    /// Adds the step that was made.
    pub(crate) fn rub(&mut self) {
        if self.wear.is_empty() {
            return;
        }
        let (ws, blended) = (&self.ws, self.parts.blended());
        let links = ws.active.len()..ws.active.len() + ws.links.len();
        let contacts = ws.took.iter().map(|[c, i]| (Some(*c as usize), *i as usize));
        let surfaces = (links.end..ws.rows.len() - ws.bonds.len()).map(|i| (None, i));
        for (contact, i) in contacts.chain(surfaces) {
            if let (Some(c), true) = (contact, i == NONE as usize) {
                // What sleeps presses, and does not slip.
                let (who, s) = (ws.found.contacts[c].bodies, ws.kept[c].percussion[0]);
                for wear in self.wear.iter_mut().filter(|w| w.of.is_of(Some(who), None)) {
                    wear.impulse += s.max(0.0);
                }
                continue;
            }
            let (bodies, pair) = owner(ws, i, links.end);
            if !self.wear.iter().any(|w| w.of.is_of(bodies, pair)) {
                continue;
            }
            let w = ws.rows.w()[i];
            let (before, after) = match ws.has_nodes {
                false => (ws.before[i], ws.after[i]),
                true => (ws.rows.times(i, &ws.u_i) + w[0], ws.rows.times(i, &self.state.u) + w[1]),
            };
            let tau = match !blended.is_empty() && ws.rows.meets(i, &blended) {
                true => 1.0,
                false => ws.restitution[i - if i >= links.end { ws.links.len() } else { 0 }][1],
            };
            let slip = (after + before * tau) / (1.0 + tau);
            // Percussions that are known come as offsets.
            let s = if self.method.given && i >= links.end { ws.s[i] - ws.offset[i] } else { ws.s[i] };
            // Rolling and pivoting are no sliding.
            let along = (1..C.min(D)).map(|k| slip[k] * slip[k]).sum::<f64>().sqrt();
            let friction = s.dot(&slip) - s[0] * slip[0];
            let mean = (before + after) * 0.5;
            // Springs of asperities are no shock.
            let layer = ws.layer(i).map_or(0.0, |layer| layer.parts[0] + layer.parts[1]);
            let shock = s.dot(&mean) - layer * mean[0] - friction;
            for wear in self.wear.iter_mut().filter(|w| w.of.is_of(bodies, pair)) {
                wear.friction -= friction;
                wear.sliding += s[0].max(0.0) * along;
                wear.impulse += s[0].max(0.0);
                wear.shock -= shock;
            }
        }
    }
}

/// The bodies of a contact, or the pair of surfaces of a block.
fn owner<const D: usize, const C: usize>(
    ws: &Workspace<D, C>,
    i: usize,
    first: usize,
) -> (Option<[u32; 2]>, Option<u32>) {
    match ws.active.get(i) {
        Some(&c) => (Some(ws.found.contacts[c as usize].bodies), None),
        None => (None, Some(ws.weak.owner(ws.weak_active[i - first].0 as usize).0 as u32)),
    }
}
