//! Rigid obstacles: a shape with an imposed motion, as points of a surface see it
//!
//! The shape stands at an offset in the frame of the obstacle; the caller moves that frame before
//! pairing. The normal leaves the obstacle.

use super::ContactError;
use super::facet::normal_of;
use crate::{Dim, Pose, Sight, Solid, Space, Vector};

/// An obstacle and its motion.
#[derive(Clone, Debug)]
pub struct Obstacle<const D: usize>
where
    Dim<D>: Space<D>,
{
    shape: <Dim<D> as Space<D>>::Shape,
    offset: Pose<D>,
    placed: <Dim<D> as Space<D>>::Solid,
    motion: Motion<D>,
}

/// Where a frame is and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion<const D: usize> {
    /// Where it is.
    pub pose: Pose<D>,
    /// Velocity of its origin \[m/s\].
    pub velocity: Vector<D>,
    /// Angular velocity \[rad/s\]; in the plane the third component alone counts.
    pub spin: [f64; 3],
}

impl<const D: usize> Default for Motion<D> {
    fn default() -> Self {
        Self { pose: Pose::identity(), velocity: Vector::zeros(), spin: [0.0; 3] }
    }
}

impl<const D: usize> Motion<D> {
    /// Velocity of the frame's matter at `x`.
    pub fn velocity_at(&self, x: &Vector<D>) -> Vector<D> {
        let r = x - self.pose.position;
        if D == 2 {
            // normal_of turns by −90°.
            return self.velocity - normal_of(&[r, Vector::zeros()]) * self.spin[2];
        }
        self.velocity + normal_of(&[Vector::from_fn(|k, _| self.spin[k]), r])
    }

    fn check(&self) -> Result<(), ContactError> {
        let numbers = self.pose.position.iter().chain(self.pose.rotation.iter()).chain(self.velocity.iter());
        match numbers.chain(&self.spin).find(|v| !v.is_finite()) {
            Some(&value) => {
                Err(ContactError::Setting { what: "the motion of the obstacle", value, expected: "finite numbers" })
            }
            None => Ok(()),
        }
    }
}

impl<const D: usize> Obstacle<D>
where
    Dim<D>: Space<D>,
{
    /// A shape at an offset, at rest in the frame of the world.
    pub fn new(shape: <Dim<D> as Space<D>>::Shape, offset: Pose<D>) -> Result<Self, ContactError> {
        if let Some(&value) = offset.position.iter().chain(offset.rotation.iter()).find(|v| !v.is_finite()) {
            return Err(ContactError::Setting { what: "the place of the obstacle", value, expected: "finite numbers" });
        }
        let placed = Dim::<D>::solid(&shape, &offset)?;
        Ok(Self { shape, offset, placed, motion: Motion::default() })
    }

    /// Solid where `(x − point) · normal < 0`; the normal need not be of unit length.
    pub fn half_space(point: [f64; D], normal: [f64; D]) -> Result<Self, ContactError> {
        Self::new(Dim::<D>::half_space(normal)?, Pose::at(point.into()))
    }

    /// A ball (disc).
    pub fn ball(centre: [f64; D], radius: f64) -> Result<Self, ContactError> {
        Self::new(Dim::<D>::ball_shape(radius)?, Pose::at(centre.into()))
    }

    /// A cavity of the form of a ball (disc): the solid is outside.
    pub fn cavity(centre: [f64; D], radius: f64) -> Result<Self, ContactError> {
        Self::new(Dim::<D>::cavity(radius)?, Pose::at(centre.into()))
    }

    /// A box (rectangle) of given sides.
    pub fn cuboid(centre: [f64; D], sides: [f64; D]) -> Result<Self, ContactError> {
        Self::new(Dim::<D>::cuboid(sides)?, Pose::at(centre.into()))
    }

    /// All points within `radius` of a segment.
    pub fn capsule(from: [f64; D], to: [f64; D], radius: f64) -> Result<Self, ContactError> {
        let (a, b) = (Vector::<D>::from(from), Vector::<D>::from(to));
        let length = (b - a).norm();
        if length == 0.0 {
            return Self::ball(from, radius);
        }
        let (shape, rotation) = Dim::<D>::capsule(0.5 * length, radius, &((b - a) / length))?;
        Self::new(shape, Pose { position: (a + b) * 0.5, rotation })
    }

    /// Its shape.
    pub fn shape(&self) -> &<Dim<D> as Space<D>>::Shape {
        &self.shape
    }

    /// Where the shape is in the frame of the obstacle.
    pub fn offset(&self) -> &Pose<D> {
        &self.offset
    }

    /// Where its frame is and how it moves.
    pub fn motion(&self) -> &Motion<D> {
        &self.motion
    }

    /// Moves its frame; refuses numbers that are not finite.
    pub fn move_to(&mut self, motion: Motion<D>) -> Result<(), ContactError> {
        motion.check()?;
        self.placed.place(&motion.pose);
        self.motion = motion;
        Ok(())
    }

    /// Velocity of the obstacle's matter at `x`.
    pub fn velocity_at(&self, x: &Vector<D>) -> Vector<D> {
        self.motion.velocity_at(x)
    }

    /// The closest place of the obstacle to `x`; none where a wall is far beyond `reach`.
    pub fn sight(&self, x: &Vector<D>, t: f64, reach: f64) -> Result<Option<Sight<D>>, ContactError> {
        let seen = self.placed.sight(x, t, reach)?;
        Ok(seen.map(|s| Sight { velocity: s.velocity + self.velocity_at(&s.foot), ..s }))
    }

    /// The place met from `x` along the unit `direction`, forwards within `reach`, or
    /// backwards from inside.
    pub fn along(
        &self,
        x: &Vector<D>,
        direction: &Vector<D>,
        t: f64,
        reach: f64,
    ) -> Result<Option<Sight<D>>, ContactError> {
        let mut s = 0.0;
        for _ in 0..100 {
            let p = x + direction * s;
            let Some(sight) = self.sight(&p, t, reach)? else { return Ok(None) };
            // Newton on the distance, whose gradient is the normal.
            let slope = sight.normal.dot(direction);
            if !(slope < -1e-6) || s > 2.0 * reach {
                return Ok(None);
            }
            let step = -sight.gap / slope;
            s += step;
            if step.abs() <= 1e-14 * (reach + s.abs()) {
                let gap = (x - sight.foot).dot(&sight.normal);
                return Ok((s <= reach).then_some(Sight { gap, ..sight }));
            }
        }
        Ok(None)
    }
}
