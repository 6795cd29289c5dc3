//! Settings of the step.

use crate::Error;
use delassus_friction::SolverKind;
use delassus_friction::solver::Order;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Work of `auto` in one step after which the step is given up and left as a file, in
/// iterations times contacts: about two seconds. A second-order iteration counts for twenty.
pub const AUTO_WORK: usize = 20_000_000;

/// What to do with a step whose contact problem was not solved to the tolerance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Policy {
    /// Go on, and say so in the report.
    Accept,
    /// Make the step again in smaller ones; go on and say so if that fails too.
    Retry {
        /// Each attempt divides the step by this.
        divide: usize,
        /// Attempts.
        times: usize,
    },
    /// End with an error.
    #[default]
    Stop,
}

/// How sweeps see `W`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// By bodies where that costs less, counted in products: see [`Form::by_bodies`].
    #[default]
    Auto,
    /// Its blocks, one for each pair of contacts that share a body.
    Assembled,
    /// Through the velocities of the bodies, nothing assembled \[Moreau00 §6.2\], until another solver needs
    /// `W`; where there are other parts than rigid bodies, assembled.
    Bodies,
}

/// Sweeps that a step is counted with: few that start from the last one's forces need more.
const SWEEPS: f64 = 20.0;

/// By bodies a product costs more: they are gathered from two places and written back.
const GATHERED: f64 = 2.2;

/// Sides below which nothing is to be gained.
const MANY: usize = 1000;

impl Form {
    /// Whether to sweep by bodies: contacts of `c` components see bodies of `width` degrees of freedom, `sides` times
    /// in all, and `pairs` of them share one (each with itself included).
    ///
    /// A block costs `width·c²` products to assemble and `c²` in a sweep; a side costs `3·width·c` in a sweep: velocity,
    /// change, and the refresh after an acceleration. Counts, not clocks: the choice is the same on every machine.
    ///
    /// Plain contacts, of Coulomb's law and without compliance, have sweeps by bodies laid out for them: nothing beats
    /// those.
    pub fn by_bodies(self, (c, width): (usize, usize), plain: bool, (sides, pairs): (usize, usize)) -> bool {
        match self {
            Self::Auto if plain && matches!((c, width), (2, 3) | (3, 6)) => true,
            Self::Auto => {
                let [c, width, all, pairs] = [c, width, sides, pairs].map(|n| n as f64);
                sides >= MANY && GATHERED * SWEEPS * 3.0 * width * c * all < pairs * c * c * (width + SWEEPS)
            }
            Self::Assembled => false,
            Self::Bodies => true,
        }
    }
}

/// Optional correction of positions: penetrations and drift of joints are removed by a
/// displacement that is no velocity. Moreau's scheme does without; see \[Moreau00 §2.3\].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Correction {
    /// Share of the defect removed per step, 0 to 1.
    pub share: f64,
    /// Penetration that is left alone \[m\].
    pub slop: f64,
}

impl Default for Correction {
    fn default() -> Self {
        Self { share: 0.2, slop: 0.0 }
    }
}

/// How a step is made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StepSettings {
    /// Length of a step \[s\].
    pub h: f64,
    /// Equal parts that it is made in, each a step of its own.
    pub substeps: usize,
    /// Relative residual of the laws to reach.
    pub tolerance: f64,
    /// Sweeps of the fast path before a more robust solver takes over.
    pub sweeps: usize,
    /// Memory of the Anderson acceleration of the sweeps; 0 for none.
    pub acceleration: usize,
    /// Order of the sweeps.
    pub order: Order,
    /// How they see `W`.
    pub form: Form,
    /// The solver that takes over. `nlgs` is taken at its word: plain sweeps, within
    /// `max_iterations`, and nothing else.
    pub solver: SolverKind,
    /// Contacts up to which it does at once. Larger problems get plain sweeps first where the
    /// accelerated ones leave a poor point; in space these and accelerated gradients are all they
    /// get, since factorisations would take minutes.
    pub hand_over: usize,
    /// Limit on the iterations that follow the first sweeps; `None`: [`AUTO_WORK`] over the contacts for `auto`, its own for another.
    pub max_iterations: Option<usize>,
    /// Not converged: what then.
    pub on_failure: Policy,
    /// Folder in which the contact problem of a step that did not converge is left as an FCLIB file.
    pub failures: Option<PathBuf>,
    /// Numbers of steps whose problem is left there too, however it ends.
    pub keep: Vec<u64>,
    /// Start from the percussions of the last step.
    pub warm_start: bool,
    /// Position correction, off by default.
    pub correction: Option<Correction>,
    /// Let what is at rest sleep until something touches it; results do not depend on it, to the bit.
    pub sleep: bool,
}

impl Default for StepSettings {
    fn default() -> Self {
        Self {
            h: 1e-3,
            substeps: 1,
            tolerance: 1e-8,
            sweeps: 300,
            acceleration: 5,
            order: Order::Sequential,
            form: Form::Auto,
            solver: SolverKind::Auto,
            hand_over: 2000,
            max_iterations: None,
            on_failure: Policy::Stop,
            failures: None,
            keep: vec![],
            warm_start: true,
            correction: None,
            sleep: true,
        }
    }
}

impl StepSettings {
    /// Steps of length `h`, the rest by default.
    pub fn with_step(h: f64) -> Self {
        Self { h, ..Self::default() }
    }

    /// Checks every value.
    pub fn validate(&self) -> Result<(), Error> {
        let bad = |name, value, expected| Err(Error::Setting { name, value, expected });
        let positive = |x: f64| x > 0.0 && x.is_finite();
        if !positive(self.h) {
            return bad("h", self.h, "a positive finite number of seconds");
        }
        if !positive(self.tolerance) {
            return bad("tolerance", self.tolerance, "a positive finite number");
        }
        if self.substeps == 0 {
            return bad("substeps", 0.0, "at least one part of a step");
        }
        if let Policy::Retry { divide, times } = self.on_failure
            && (divide < 2 || times == 0 || divide.checked_pow(times as u32).is_none_or(|n| n > 1 << 16))
        {
            return bad("on_failure.divide", divide as f64, "at least 2, at least one attempt, at most 65536 parts");
        }
        if let Some(c) = self.correction {
            if !(c.share > 0.0 && c.share <= 1.0) {
                return bad("correction.share", c.share, "a number above 0, at most 1");
            }
            if !(c.slop >= 0.0 && c.slop.is_finite()) {
                return bad("correction.slop", c.slop, "a finite number, not negative");
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Form;

    /// Lattices of bodies that share 1, 2 or 4 contacts: grains are assembled, bricks are not, and those of the plane, with
    /// two contacts at a joint, gain too little; a few of any are assembled.
    #[test]
    fn bricks_are_swept_by_bodies_and_grains_are_assembled() {
        for (copies, in_space, in_the_plane) in [(1, false, false), (2, true, false), (4, true, true)] {
            // In space a body inside has 6 neighbours, in the plane 4.
            for (c, width, neighbours, chosen) in [(3, 6, 6, in_space), (2, 3, 4, in_the_plane)] {
                let (bodies, own) = (1000, neighbours * copies);
                let auto =
                    |plain, bodies: usize| Form::Auto.by_bodies((c, width), plain, (bodies * own, bodies * own * own));
                assert_eq!(auto(false, bodies), chosen, "{copies}, {c}D");
                assert!(auto(true, bodies) && auto(true, 8), "plain");
                assert!(!auto(false, 8), "few");
                let forced = |form: Form| form.by_bodies((c, width), false, (own, own));
                assert!(forced(Form::Bodies) && !forced(Form::Assembled));
            }
        }
    }
}
