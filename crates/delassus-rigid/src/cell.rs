//! A periodic cell whose images move
//!
//! ```text
//! image n of x:   x + Σ_k n_k L_k e_k + n_g d e_f           f the flow, g its gradient   [Lees72]
//! shear:          ḋ = γ̇ L_g                                 imposed
//! pressure:       M L̈_k = Σ_c −n_k F_k − p_k A_k − c L̇_k    A_k = Π_{j≠k} L_j
//! ```
//!
//! F is the force of a contact on its first body. Lengths and displacement are places of two bodies without shapes: they
//! are recorded and restarted like all others, and their velocities are columns of `G` and parts of `w`. A length is
//! found together with the forces: grains that touch cannot be squeezed, whatever the step.
//!
//! Departure from [Radjai11], where bodies move relative to the cell: ours have their own velocities, so that a length
//! that changes is felt where images touch and goes on from grain to grain, as from a wall. The difference is of the order
//! of the acceleration of the cell.

use crate::{Body, Error, Profile};
use delassus_contact::{DetectorSettings, Dim, Periodic, Shear, Space};

/// What moves the images of a periodic cell.
#[derive(Clone, Debug, Default)]
pub struct Cell<const D: usize> {
    /// Lengths that give way to pressures.
    pub held: Option<Held<D>>,
    /// Images along one axis are displaced along another.
    pub shear: Option<Sheared>,
}

/// Lengths under pressure.
#[derive(Clone, Debug)]
pub struct Held<const D: usize> {
    /// The body, held, whose place is the lengths.
    pub body: u32,
    /// Inertia of a length \[kg\].
    pub mass: f64,
    /// Pressure on the faces across each axis, where it is held \[Pa, N/m in the plane\].
    pub pressure: [Option<Profile>; D],
    /// Force against the velocity of a length \[N·s/m\].
    pub damping: f64,
}

/// Simple shear.
#[derive(Clone, Debug)]
pub struct Sheared {
    /// The body, held, whose place along `flow` is the displacement of the next image.
    pub body: u32,
    /// Axis of the flow.
    pub flow: usize,
    /// Axis across which it changes.
    pub gradient: usize,
    /// Rate of shear \[1/s\].
    pub rate: Profile,
}

impl<const D: usize> Cell<D> {
    /// Whether a body is one of the cell.
    pub fn has(&self, body: usize) -> bool {
        let bodies = [self.held.as_ref().map(|h| h.body), self.shear.as_ref().map(|s| s.body)];
        bodies.into_iter().flatten().any(|b| b as usize == body)
    }

    /// Checks the cell, and tells the detection of its bodies.
    pub(crate) fn install(&self, bodies: &[Body<D>], detection: &mut DetectorSettings<D>) -> Result<(), Error>
    where
        Dim<D>: Space<D>,
    {
        let place = |owner: &str, body: u32| match bodies.get(body as usize) {
            Some(b) if !b.is_dynamic() => Ok(b.start.position),
            Some(_) => Err(Error::Cell { reason: format!("the body of its {owner} moves freely") }),
            None => Err(Error::Cell { reason: format!("the body of its {owner} does not exist") }),
        };
        let periodic = &mut detection.periodic;
        if let Some(held) = &self.held {
            let at = place("lengths", held.body)?;
            periodic.lengths = Some(held.body);
            held.check(periodic, |k| at[k])?;
        }
        if let Some(shear) = &self.shear {
            let at = place("shear", shear.body)?;
            let offset = at.get(shear.flow).copied().unwrap_or(0.0);
            let (flow, gradient) = (shear.flow, shear.gradient);
            periodic.shear = Some(Shear { flow, gradient, body: Some(shear.body), offset, rate: 0.0 });
            if self.held.as_ref().is_some_and(|h| h.pressure.get(flow).is_some_and(Option::is_some)) {
                let reason = "bodies leave the cell along the flow for ever: its length there is fixed".to_owned();
                return Err(Error::Cell { reason });
            }
        }
        Ok(())
    }
}

impl<const D: usize> Held<D> {
    fn check(&self, periodic: &Periodic<D>, at: impl Fn(usize) -> f64) -> Result<(), Error> {
        crate::error::not_negative("periodic cell", "damping", self.damping)?;
        crate::error::positive("periodic cell", "mass", self.mass)?;
        if self.pressure.iter().all(Option::is_none) {
            return Err(Error::Cell { reason: "no pressure is held".to_owned() });
        }
        for k in 0..D {
            match periodic.period[k] {
                None => {
                    let reason = format!("a pressure is held where all axes are periodic: axis {k} is not");
                    return Err(Error::Cell { reason });
                }
                Some(period) if at(k) != period => {
                    let reason = format!("its body is at {} along axis {k}, its period is {period}", at(k));
                    return Err(Error::Cell { reason });
                }
                _ => {}
            }
        }
        Ok(())
    }
}
