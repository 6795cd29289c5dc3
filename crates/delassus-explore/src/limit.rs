//! How much a structure can bear
//!
//! ```text
//!     largest λ  with   Gᵀ S + f + λ f₁ = 0,   S_α ∈ C_α
//! ```
//!
//! λ is one more unknown that is not negative: the column `f₁` of a block without friction. At the largest, the
//! program's dual is a motion `v` of the bodies with `v·f₁ = 1` against which no admissible reaction works: the
//! mechanism of collapse \[Heyman66\]. Beyond λ there is no equilibrium; below there is one. With friction the
//! mechanism dilates, as the cones' normals do: its λ bounds that of Coulomb's law from above \[Drucker54\].

use crate::{Error, Network, Statics};
use delassus_friction::Law;

/// Multiples of a load that can be borne.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit<const D: usize> {
    /// The largest multiple; infinite without a bound.
    pub largest: f64,
    /// Percussions at the largest.
    pub network: Option<Network<D>>,
    /// Velocities of the equations of balance beyond the largest; the load's power is 1. Empty without a bound.
    pub mechanism: Vec<f64>,
}

/// The statics with the multiple as a block.
pub(crate) struct Live<const D: usize> {
    pub statics: Statics<D>,
    pub block: usize,
    /// The multiple that one percussion of the block is.
    pub unit: f64,
}

impl<const D: usize> Live<D> {
    pub fn new(statics: &Statics<D>, live: &[f64]) -> Result<Self, Error> {
        let (expected, found) = (statics.equations(), live.len());
        if expected != found {
            return Err(Error::Size { what: "number of equations of the further load", expected, found });
        }
        if let Some(index) = live.iter().position(|f| !f.is_finite()) {
            return Err(Error::NonFinite { what: "further load", index });
        }
        let size = live.iter().fold(0.0f64, |m, f| m.max(f.abs()));
        if size == 0.0 {
            return Err(Error::Setting { name: "further load", value: 0.0, expected: "a load that is not zero" });
        }
        let column = live.iter().enumerate().filter(|f| *f.1 != 0.0).map(|(row, f)| (row, f / size)).collect();
        let block = statics.contacts();
        Ok(Self { statics: statics.with_block(Law::Frictionless, &[column])?, block, unit: 1.0 / size })
    }
}

/// The statics with a free percussion on some equations, and its block.
pub(crate) fn free<const D: usize>(statics: &Statics<D>, rows: &[usize]) -> Result<(Statics<D>, usize), Error> {
    if rows.is_empty() || rows.len() > D {
        return Err(Error::Size { what: "equations of a free force", expected: D, found: rows.len() });
    }
    let parts: Vec<Vec<(usize, f64)>> = rows.iter().map(|row| vec![(*row, 1.0)]).collect();
    Ok((statics.with_block(Law::Bilateral, &parts)?, statics.contacts()))
}
