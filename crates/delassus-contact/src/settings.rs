//! What a detector is told: margin, reuse of pairs, periodic directions.

use crate::error::positive;
use crate::{Aabb, Error, Vector};

/// A box repeated along some axes; its images may move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Periodic<const D: usize> {
    /// Period along each axis, where there is one \[m\].
    pub period: [Option<f64>; D],
    /// Lower corner of the box of reference \[m\].
    pub origin: [f64; D],
    /// The body whose place is the periods, where they change.
    pub lengths: Option<u32>,
    /// Images that are displaced along another axis \[Lees72\].
    pub shear: Option<Shear>,
    /// Velocity of the periods \[m/s\].
    pub rate: [f64; D],
}

/// The next image along `gradient` is displaced along `flow`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shear {
    /// Axis of the displacement.
    pub flow: usize,
    /// Axis of the images.
    pub gradient: usize,
    /// The body whose place along `flow` is the displacement, where it changes.
    pub body: Option<u32>,
    /// The displacement \[m\].
    pub offset: f64,
    /// Its velocity \[m/s\].
    pub rate: f64,
}

impl<const D: usize> Default for Periodic<D> {
    fn default() -> Self {
        Self { period: [None; D], origin: [0.0; D], lengths: None, shear: None, rate: [0.0; D] }
    }
}

impl<const D: usize> Periodic<D> {
    /// A box that stays as it is.
    pub fn new(period: [Option<f64>; D], origin: [f64; D]) -> Self {
        Self { period, origin, ..Self::default() }
    }

    /// The translation of an image.
    pub fn translation(&self, image: &[i32; D]) -> Vector<D> {
        let mut by = Vector::from_fn(|k, _| self.period[k].map_or(0.0, |p| f64::from(image[k]) * p));
        if let Some(shear) = &self.shear {
            by[shear.flow] += f64::from(image[shear.gradient]) * shear.offset;
        }
        by
    }

    /// The velocity of an image.
    pub fn velocity(&self, image: &[i32; D]) -> Vector<D> {
        let mut by = Vector::from_fn(|k, _| f64::from(image[k]) * self.rate[k]);
        if let Some(shear) = &self.shear {
            by[shear.flow] += f64::from(image[shear.gradient]) * shear.rate;
        }
        by
    }

    /// Bound on the speed of images of what is in a box of these corners \[m/s\].
    pub(crate) fn speed(&self, around: &Aabb<D>) -> f64 {
        let most = |k: usize| self.period[k].map_or(0.0, |p| 1.0 + around.extent()[k].max(0.0) / p);
        let lengths = (0..D).map(|k| self.rate[k].abs() * most(k)).sum::<f64>();
        lengths + self.shear.map_or(0.0, |s| s.rate.abs() * most(s.gradient))
    }

    /// Whether images move.
    pub fn moves(&self) -> bool {
        self.lengths.is_some() || self.shear.is_some_and(|s| s.body.is_some())
    }

    /// The box where its bodies are, and its velocity where theirs is known.
    pub(crate) fn follow(&mut self, at: impl Fn(u32) -> (Vector<D>, Vector<D>)) -> Result<(), Error> {
        if let Some((place, velocity)) = self.lengths.map(&at) {
            for (k, period) in self.period.iter_mut().enumerate().filter_map(|(k, p)| Some((k, p.as_mut()?))) {
                (*period, self.rate[k]) = (place[k], velocity[k]);
                positive("period", *period)?;
            }
        }
        if let Some(shear) = &mut self.shear
            && let Some((place, velocity)) = shear.body.map(&at)
        {
            (shear.offset, shear.rate) = (place[shear.flow], velocity[shear.flow]);
        }
        Ok(())
    }

    /// How far the images of `other` are from those of this box, in the box norm, where they are at most `most` away.
    pub(crate) fn drift(&self, other: &Self, most: &[f64; D]) -> f64 {
        let change = |k: usize| match (self.period[k], other.period[k]) {
            (Some(a), Some(b)) => (a - b).abs() * most[k],
            (None, None) => 0.0,
            _ => f64::INFINITY,
        };
        let offset = |p: &Self| p.shear.map_or(0.0, |s| s.offset);
        let axis = self.shear.map_or(0, |s| s.gradient);
        (0..D).map(change).fold(0.0, f64::max) + (offset(self) - offset(other)).abs() * most[axis]
    }

    fn validate(&self) -> Result<(), Error> {
        crate::error::finite("origin of the periodic box", &self.origin)?;
        self.period.iter().flatten().try_for_each(|&p| positive("period", p))?;
        let Some(shear) = &self.shear else { return Ok(()) };
        crate::error::finite("displacement of the periodic box", &[shear.offset, shear.rate])?;
        let axes = [shear.flow, shear.gradient];
        match axes.iter().find(|k| self.period.get(**k).is_none_or(Option::is_none)) {
            Some(&axis) => Err(Error::ShearedOpen { axis }),
            None if axes[0] == axes[1] => Err(Error::ShearedAlong { axis: axes[0] }),
            None => Ok(()),
        }
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
        self.periodic.validate()
    }
}
