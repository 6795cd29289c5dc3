//! The residual of a step, shared among its islands
//!
//! ```text
//!     e_k ≤ tolerance · √(½ n_k/n ‖b‖² + ½ ‖b_k‖²)         so that   ‖e‖ ≤ tolerance · ‖b‖
//! ```
//!
//! What a step as a whole asks, no more: islands certified by their own `‖b_k‖` alone would cost flows twice their time.
//! An island never asks for less than half of what it would alone (in squares), nor gets more than [`MOST`] of it: what
//! hardly moves beside a shot is still solved well. Sleeping islands keep their shares, summed in the same order as if
//! they were awake.

/// Largest tolerance of an island, in units of that of the step.
const MOST: f64 = 10.0;

/// `‖b_k‖²` and blocks of an island.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Share {
    /// Its first body.
    pub first: u32,
    /// `‖b_k‖²`.
    pub square: f64,
    /// `n_k`.
    pub blocks: usize,
}

/// The shares of a step.
#[derive(Default)]
pub(crate) struct Budget {
    shares: Vec<Share>,
    square: f64,
    blocks: usize,
    errors: Vec<(u32, f64)>,
}

impl Budget {
    /// Takes the islands that are awake, by their first bodies, and those that sleep.
    pub fn share(&mut self, awake: impl Iterator<Item = Share>, asleep: impl Iterator<Item = Share>) {
        self.shares.clear();
        self.shares.extend(awake);
        self.shares.extend(asleep);
        // The order of the sum is that of the first bodies, whoever sleeps.
        self.shares.sort_unstable_by_key(|s| s.first);
        self.square = self.shares.iter().map(|s| s.square).sum();
        self.blocks = self.shares.iter().map(|s| s.blocks).sum();
    }

    /// `‖b‖` of the whole step.
    pub fn scale(&self) -> f64 {
        self.square.sqrt()
    }

    /// The relative residual of the step, from those of its islands in m/s, with their first bodies.
    pub fn residual(&mut self, islands: impl Iterator<Item = (u32, f64)>) -> f64 {
        self.errors.clear();
        self.errors.extend(islands);
        self.errors.sort_unstable_by_key(|e| e.0);
        let absolute = self.errors.iter().map(|e| e.1 * e.1).sum::<f64>().sqrt();
        if self.square > 0.0 { absolute / self.scale() } else { absolute }
    }

    /// The relative tolerance of an island, for one of the whole step.
    pub fn tolerance(&self, of: &Share, whole: f64) -> f64 {
        if !(self.square > 0.0) {
            return whole;
        }
        if !(of.square > 0.0) {
            // Nothing to be relative to: metres per second.
            return whole * self.scale() * (of.blocks as f64 / self.blocks as f64).sqrt();
        }
        let by_blocks = of.blocks as f64 / self.blocks as f64 * self.square / of.square;
        whole * (0.5 * by_blocks + 0.5).sqrt().min(MOST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The squares of the islands' residuals sum to no more than that of the step.
    #[test]
    fn islands_within_their_shares_are_a_step_within_its_tolerance() {
        let share = |first, square, blocks| Share { first, square, blocks };
        let islands = [share(0, 4.0, 10), share(7, 1e-3, 400), share(3, 900.0, 2), share(9, 0.5, 1)];
        let mut budget = Budget::default();
        budget.share(islands[..2].iter().copied(), islands[2..].iter().copied());
        let sum: f64 = islands.iter().map(|s| (budget.tolerance(s, 1e-4)).powi(2) * s.square).sum();
        assert!(sum.sqrt() <= 1e-4 * budget.scale() * (1.0 + 1e-12), "{sum}");
        assert!(islands.iter().all(|s| budget.tolerance(s, 1e-4) >= 0.7e-4));
        assert!(islands.iter().all(|s| budget.tolerance(s, 1e-4) <= MOST * 1e-4));
    }

    /// A tolerance of zero is refused by the solvers: what nothing moves keeps that of the step.
    #[test]
    fn a_step_in_which_nothing_is_free_to_move_has_a_tolerance() {
        let still = Share { first: 0, square: 0.0, blocks: 3 };
        let mut budget = Budget::default();
        budget.share([still].into_iter(), [].into_iter());
        assert_eq!(budget.tolerance(&still, 1e-4), 1e-4);
        budget.share([still, Share { first: 1, square: 4.0, blocks: 1 }].into_iter(), [].into_iter());
        assert!(budget.tolerance(&still, 1e-4) > 0.0);
    }
}
