//! Boxes aligned with the axes.

use crate::Vector;

/// A box aligned with the axes; infinite along the directions of unbounded shapes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb<const D: usize> {
    /// Smallest coordinates.
    pub min: Vector<D>,
    /// Largest coordinates.
    pub max: Vector<D>,
}

impl<const D: usize> Aabb<D> {
    /// Holds nothing; the neutral element of [`Aabb::join`].
    pub fn empty() -> Self {
        Self { min: Vector::repeat(f64::INFINITY), max: Vector::repeat(f64::NEG_INFINITY) }
    }

    /// The whole space.
    pub fn everything() -> Self {
        Self { min: Vector::repeat(f64::NEG_INFINITY), max: Vector::repeat(f64::INFINITY) }
    }

    /// Around points, grown by `radius`.
    pub fn of_points(points: &[Vector<D>], radius: f64) -> Self {
        let mut b = Self::empty();
        for p in points {
            b.min = b.min.inf(p);
            b.max = b.max.sup(p);
        }
        b.grown(radius)
    }

    /// Larger by `by` on every side.
    pub fn grown(&self, by: f64) -> Self {
        Self { min: self.min.add_scalar(-by), max: self.max.add_scalar(by) }
    }

    /// Moved.
    pub fn moved(&self, by: &Vector<D>) -> Self {
        Self { min: self.min + by, max: self.max + by }
    }

    /// The smallest box around both.
    pub fn join(&self, other: &Self) -> Self {
        Self { min: self.min.inf(&other.min), max: self.max.sup(&other.max) }
    }

    /// The smallest box around it and a point.
    pub fn with(&self, p: &Vector<D>) -> Self {
        Self { min: self.min.inf(p), max: self.max.sup(p) }
    }

    /// Whether a point lies inside (on the border counts).
    #[inline]
    pub fn holds(&self, p: &Vector<D>) -> bool {
        (0..D).all(|k| self.min[k] <= p[k] && p[k] <= self.max[k])
    }

    /// Squared distance of a point, zero inside.
    #[inline]
    pub fn distance_squared(&self, p: &Vector<D>) -> f64 {
        (0..D).map(|k| (self.min[k] - p[k]).max(p[k] - self.max[k]).max(0.0)).map(|d| d * d).sum()
    }

    /// Whether they have a point in common (touching counts).
    #[inline]
    pub fn meets(&self, other: &Self) -> bool {
        (0..D).all(|k| self.min[k] <= other.max[k] && other.min[k] <= self.max[k])
    }

    /// Whether `other` lies inside.
    #[inline]
    pub fn contains(&self, other: &Self) -> bool {
        (0..D).all(|k| self.min[k] <= other.min[k] && other.max[k] <= self.max[k])
    }

    /// Side lengths.
    pub fn extent(&self) -> Vector<D> {
        self.max - self.min
    }

    /// Whether all sides are finite.
    pub fn is_finite(&self) -> bool {
        self.min.iter().chain(self.max.iter()).all(|v| v.is_finite())
    }
}
