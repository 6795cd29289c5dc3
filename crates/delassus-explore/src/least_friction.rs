//! The smallest friction for which equilibrium is possible
//!
//! A larger cone contains a smaller one, so the coefficients that hold are those above a
//! threshold: bisection on a common factor of all coefficients, each time with a program that
//! finds an equilibrium or proves that there is none.

use crate::equilibrium::Equilibrium;
use crate::{Error, Statics};
use delassus_friction::Law;

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LeastFriction {
    /// Equilibrium needs no friction.
    None,
    /// All coefficients multiplied by this just hold.
    Factor(f64),
    /// A thousand times the given friction does not hold either.
    Impossible,
    /// The given friction does not hold; beyond this factor of it the programs find no answer.
    Undecided(f64),
    /// No contact has friction to change.
    Frictionless,
}

/// Factor beyond which nothing is tried.
const MOST: f64 = 1e3;

/// Bisects to a relative precision.
pub fn least_friction<const D: usize>(statics: &Statics<D>, precision: f64) -> Result<LeastFriction, Error>
where
    Statics<D>: Equilibrium<D>,
{
    let rough = |law: &Law| {
        matches!(law, Law::Coulomb { .. } | Law::Elliptic { .. } | Law::Polyhedral(_) | Law::Directional { .. })
    };
    if !statics.laws().iter().any(rough) {
        return Ok(LeastFriction::Frictionless);
    }
    if !(precision > 0.0) {
        return Err(Error::Setting { name: "precision", value: precision, expected: "a positive number" });
    }
    let holds = |factor: f64| -> Result<bool, Error> { Ok(statics.with_friction(factor).any()?.is_some()) };
    if holds(0.0)? {
        return Ok(LeastFriction::None);
    }
    let mut high = 1.0;
    while !holds(high)? {
        if high >= MOST {
            return Ok(LeastFriction::Impossible);
        }
        // Cones that are almost half-spaces make programs that are almost singular.
        if holds(10.0 * high).is_err() {
            return Ok(LeastFriction::Undecided(high));
        }
        high *= 10.0;
    }
    let mut low = if high > 1.0 { high / 10.0 } else { 0.0 };
    while high - low > precision * high {
        let middle = 0.5 * (low + high);
        if holds(middle)? { high = middle } else { low = middle }
    }
    Ok(LeastFriction::Factor(high))
}

/// The coefficient all contacts with friction share, if they do.
pub fn common_friction<const D: usize>(statics: &Statics<D>) -> Option<f64> {
    let mut shared = None;
    for law in &statics.laws()[..statics.contacts()] {
        if let Law::Coulomb { mu } = law {
            match shared {
                None => shared = Some(*mu),
                Some(other) if other == *mu => {}
                Some(_) => return None,
            }
        }
    }
    shared
}
