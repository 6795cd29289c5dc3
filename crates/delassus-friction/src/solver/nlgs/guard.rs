//! What sweeps are spared: extrapolations that go in circles, visits of contacts that stay open.

use crate::algebra::Vector;

/// Sweeps from one extrapolation to the next: those between smooth what it leaves, and cost less.
const PERIOD: usize = 3;

/// Contacts below which every sweep is extrapolated: it costs little there.
pub(super) const FEW: usize = 100;

/// Sweeps without a lower residual after which extrapolation goes in circles, as it does in shocks, and the plain ones
/// that are then made before it is tried again.
const CIRCLING: usize = 30;
const PLAIN: usize = 80;

/// Longest rest of an open contact, in sweeps.
const LONGEST_REST: u8 = 16;

/// Sweeps up to the next residual.
pub(super) struct Stretch {
    /// Sweeps made.
    pub iteration: usize,
    /// Sweep after which the residual is due.
    pub until: usize,
    /// Change of a sweep below which it is due at once, and that of the last \[m/s\].
    pub end: f64,
    pub change: f64,
}

/// When to extrapolate: not while it goes in circles.
#[derive(Default)]
pub(super) struct Guard {
    best: Option<f64>,
    since: usize,
    plain_until: usize,
    times: u32,
    /// Sweeps by bodies: cheap beside an extrapolation, and of flows. Those on `W` are extrapolated one and all.
    lean: bool,
}

impl Guard {
    pub fn new(lean: bool) -> Self {
        Self { lean, ..Self::default() }
    }

    pub fn allows(&self, iteration: usize, contacts: usize) -> bool {
        (!self.lean || contacts < FEW || iteration.is_multiple_of(PERIOD)) && iteration >= self.plain_until
    }

    /// Takes note of a residual; true when plain sweeps are to follow.
    pub fn circles(&mut self, iteration: usize, residual: f64) -> bool {
        if self.best.is_none_or(|best| residual < 0.9 * best) {
            (self.best, self.since) = (Some(residual), iteration);
        }
        if !self.lean || iteration < self.plain_until || iteration <= self.since + CIRCLING {
            return false;
        }
        self.plain_until = iteration + (PLAIN << self.times.min(16));
        self.times += 1;
        self.since = self.plain_until;
        true
    }
}

/// How long an open contact is left alone.
#[derive(Clone, Copy, Default)]
pub struct Rest {
    pub left: u8,
    length: u8,
}

impl Rest {
    /// Whether the contact rests in this sweep.
    #[inline(always)]
    pub fn is_on(&mut self) -> bool {
        let on = self.left > 0;
        self.left -= u8::from(on);
        on
    }

    /// Takes note of a visit: contacts that stay open rest, twice as long each time.
    #[inline(always)]
    pub fn next<const D: usize>(&mut self, old: &Vector<D>, new: &Vector<D>) {
        self.note(new.amax() == 0.0 && old.amax() == 0.0);
    }

    /// The same, told whether it stays open.
    #[inline(always)]
    pub fn note(&mut self, open: bool) {
        if !open {
            *self = Self::default();
            return;
        }
        let length = (2 * self.length).clamp(1, LONGEST_REST);
        *self = Self { left: length - 1, length };
    }
}
