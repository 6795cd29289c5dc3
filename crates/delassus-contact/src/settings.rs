//! What a detector is told: margin, reuse of pairs, periodic directions.

use crate::error::positive;
use crate::{Error, Vector};

/// A box repeated along some axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Periodic<const D: usize> {
    /// Period along each axis, where there is one \[m\].
    pub period: [Option<f64>; D],
    /// Lower corner of the box of reference \[m\].
    pub origin: [f64; D],
}

impl<const D: usize> Default for Periodic<D> {
    fn default() -> Self {
        Self { period: [None; D], origin: [0.0; D] }
    }
}

impl<const D: usize> Periodic<D> {
    /// The translation of an image.
    pub fn translation(&self, image: &[i32; D]) -> Vector<D> {
        Vector::from_fn(|k, _| self.period[k].map_or(0.0, |p| f64::from(image[k]) * p))
    }
}

/// Settings of a detector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DetectorSettings<const D: usize> {
    /// Contacts with a gap up to this are listed \[m\].
    pub margin: f64,
    /// Fattening of the boxes, for the reuse of the list of pairs \[m\]; `None`: from the sizes.
    pub skin: Option<f64>,
    /// Periodic directions.
    pub periodic: Periodic<D>,
}

impl<const D: usize> Default for DetectorSettings<D> {
    fn default() -> Self {
        Self { margin: 1e-9, skin: None, periodic: Periodic::default() }
    }
}

impl<const D: usize> DetectorSettings<D> {
    /// Checks the numbers.
    pub fn validate(&self) -> Result<(), Error> {
        if !(self.margin >= 0.0 && self.margin.is_finite()) {
            return Err(Error::NotPositive { what: "detection margin", value: self.margin });
        }
        if let Some(skin) = self.skin
            && !(skin >= 0.0 && skin.is_finite())
        {
            return Err(Error::NotPositive { what: "detection skin", value: skin });
        }
        crate::error::finite("origin of the periodic box", &self.periodic.origin)?;
        self.periodic.period.iter().flatten().try_for_each(|&p| positive("period", p))
    }
}
