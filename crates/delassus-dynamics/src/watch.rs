//! Energy that nothing explains
//!
//! The work that vanishes in the continuous motion (`numerical` of the ledger) stays a share of the energies
//! at play while a scheme is stable, and outgrows them without bound where explicit forces are too stiff for
//! the step: a run then ends with what it has made, before the numbers overflow.

use crate::Ledger;

/// Energy made out of nothing, over all that was at hand, beyond which a motion is no longer one.
const MUCH: f64 = 1e3;
/// Share of the potentials that is round-off.
const ROUND_OFF: f64 = 1e-9;

/// Sums since the start of a run or a restart \[J\].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Watch {
    /// Kinetic energy at the start.
    kinetic: f64,
    /// Potentials at the start.
    stored: f64,
    /// Most that they gave since.
    freed: f64,
    /// Works of all kinds, of either sign.
    works: f64,
    /// Work that vanishes in the continuous motion.
    made: f64,
}

impl Watch {
    pub fn new(start: &Ledger) -> Self {
        Self { kinetic: start.kinetic, stored: start.stored(), ..Self::default() }
    }

    /// Adds a step; tells what was made, and what was at hand, where the first is far more.
    pub fn follow(&mut self, step: &Ledger) -> Option<[f64; 2]> {
        self.freed = self.freed.max(self.stored - step.stored());
        let all = step.numbers().iter().map(|x| x.abs()).sum::<f64>() - step.closing.abs();
        self.works += all - step.numerical.abs();
        self.made += step.numerical;
        let hand = self.kinetic + self.freed + self.works + ROUND_OFF * self.stored.abs();
        // A single step makes what springs take up in it: what counts is what stays.
        (self.made > MUCH * hand && hand > 0.0).then_some([self.made, hand])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kinetic energy that grows fourfold a step without work is found; the same from work is not.
    #[test]
    fn growth_without_work_is_found() {
        let start = Ledger { kinetic: 1.0, ..Ledger::default() };
        let grow = |part: fn(&mut Ledger, f64)| {
            let (mut watch, mut kinetic) = (Watch::new(&start), 1.0);
            (0..20).find(|_| {
                let mut step = Ledger { kinetic: 4.0 * kinetic, ..Ledger::default() };
                part(&mut step, 3.0 * kinetic);
                kinetic *= 4.0;
                watch.follow(&step).is_some()
            })
        };
        assert_eq!(grow(|l, x| l.numerical = x), Some(4));
        assert_eq!(grow(|l, x| l.external = x), None);
    }
}
