//! Rigid obstacles: signed distance, normal and velocity at a point
//!
//! The shape is given in the frame of the obstacle; the caller moves that frame by setting
//! its pose and velocity before pairing. The normal leaves the obstacle.

use super::ContactError;
use crate::{Pose, Vector, Wall};

/// Shapes of obstacles, in their own frame.
#[derive(Clone, Debug, PartialEq)]
pub enum ObstacleShape<const D: usize> {
    /// Solid where `(x − point) · normal < 0`; the normal need not be of unit length.
    HalfSpace {
        /// A point of the plane.
        point: [f64; D],
        /// Outward normal.
        normal: [f64; D],
    },
    /// A ball (disc), or a cavity of that form.
    Ball {
        /// Its centre.
        centre: [f64; D],
        /// Its radius \[m\].
        radius: f64,
        /// Whether the solid is outside.
        inside: bool,
    },
    /// A box (rectangle) around the origin.
    Box {
        /// Half sizes \[m\].
        half: [f64; D],
    },
    /// All points within `radius` of a segment.
    Capsule {
        /// One end.
        from: [f64; D],
        /// The other end.
        to: [f64; D],
        /// Radius \[m\].
        radius: f64,
    },
    /// The admissible region of an expression, `f(t, x) ≤ 0`.
    Wall(Wall<D>),
}

/// An obstacle and its motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Obstacle<const D: usize> {
    /// Its shape.
    pub shape: ObstacleShape<D>,
    /// Where its frame is.
    pub pose: Pose<D>,
    /// Velocity of the frame's origin \[m/s\].
    pub velocity: Vector<D>,
    /// Angular velocity \[rad/s\]; in the plane the third component alone counts.
    pub spin: [f64; 3],
}

/// What a point sees of an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sight<const D: usize> {
    /// Signed distance, positive outside \[m\].
    pub gap: f64,
    /// Unit normal, out of the obstacle.
    pub normal: Vector<D>,
    /// The closest point of the obstacle.
    pub foot: Vector<D>,
    /// Velocity of the obstacle there \[m/s\].
    pub velocity: Vector<D>,
}

impl<const D: usize> Obstacle<D> {
    /// At rest in the frame of the world; refuses shapes without sense.
    pub fn new(shape: ObstacleShape<D>) -> Result<Self, ContactError> {
        let positive = |what, value: f64| {
            let expected = "a finite number above zero";
            if value > 0.0 && value.is_finite() { Ok(()) } else { Err(ContactError::Setting { what, value, expected }) }
        };
        let finite = |what, values: &[f64]| match values.iter().find(|v| !v.is_finite()) {
            Some(&value) => Err(ContactError::Setting { what, value, expected: "finite numbers" }),
            None => Ok(()),
        };
        match &shape {
            ObstacleShape::HalfSpace { point, normal } => {
                finite("a point of the half space", point)?;
                positive("the length of the normal", vector(normal).norm())?;
            }
            ObstacleShape::Ball { centre, radius, .. } => {
                finite("the centre of the ball", centre)?;
                positive("the radius of the ball", *radius)?;
            }
            ObstacleShape::Box { half } => {
                for &h in half {
                    positive("a half size of the box", h)?;
                }
            }
            ObstacleShape::Capsule { from, to, radius } => {
                finite("an end of the capsule", from)?;
                finite("an end of the capsule", to)?;
                positive("the radius of the capsule", *radius)?;
            }
            ObstacleShape::Wall(_) => {}
        }
        Ok(Self { shape, pose: Pose::identity(), velocity: Vector::zeros(), spin: [0.0; 3] })
    }

    /// Refuses a pose or a velocity that is not finite.
    pub(crate) fn check(&self) -> Result<(), ContactError> {
        let numbers = self.pose.position.iter().chain(self.pose.rotation.iter()).chain(self.velocity.iter());
        match numbers.chain(&self.spin).find(|v| !v.is_finite()) {
            Some(&value) => {
                Err(ContactError::Setting { what: "the motion of the obstacle", value, expected: "finite numbers" })
            }
            None => Ok(()),
        }
    }

    /// Velocity of the obstacle's matter at `x`.
    pub fn velocity_at(&self, x: &Vector<D>) -> Vector<D> {
        let r = x - self.pose.position;
        let mut v = self.velocity;
        if D == 2 {
            v[0] -= self.spin[2] * r[1];
            v[1] += self.spin[2] * r[0];
        } else {
            for k in 0..D {
                let (a, b) = ((k + 1) % 3, (k + 2) % 3);
                v[k] += self.spin[a] * r[b] - self.spin[b] * r[a];
            }
        }
        v
    }

    /// The closest place of the obstacle to `x`; none where a wall is far beyond `reach`.
    pub fn sight(&self, x: &Vector<D>, t: f64, reach: f64) -> Result<Option<Sight<D>>, ContactError> {
        if let ObstacleShape::Wall(wall) = &self.shape {
            return Ok(wall.closest(&self.pose, t, x, reach)?.map(|c| {
                let velocity = self.velocity_at(&c.at) - c.normal * c.rate;
                Sight { gap: c.gap, normal: c.normal, foot: c.at, velocity }
            }));
        }
        let (gap, local) = self.local(&self.pose.local(x));
        let normal = self.pose.rotation * local;
        let foot = x - normal * gap;
        Ok(Some(Sight { gap, normal, foot, velocity: self.velocity_at(&foot) }))
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

    /// Distance and normal in the frame of the obstacle.
    fn local(&self, x: &Vector<D>) -> (f64, Vector<D>) {
        match &self.shape {
            ObstacleShape::HalfSpace { point, normal } => {
                let n = vector(normal).normalize();
                (n.dot(&(x - vector(point))), n)
            }
            ObstacleShape::Ball { centre, radius, inside } => {
                let (distance, n) = length_and_direction(&(x - vector(centre)));
                if *inside { (radius - distance, -n) } else { (distance - radius, n) }
            }
            ObstacleShape::Capsule { from, to, radius } => {
                let (a, b) = (vector(from), vector(to));
                let axis = b - a;
                let s = if axis.norm_squared() > 0.0 { (x - a).dot(&axis) / axis.norm_squared() } else { 0.0 };
                let (distance, n) = length_and_direction(&(x - a - axis * s.clamp(0.0, 1.0)));
                (distance - radius, n)
            }
            ObstacleShape::Box { half } => self::cuboid(x, &vector(half)),
            ObstacleShape::Wall(_) => (f64::NAN, Vector::zeros()),
        }
    }
}

fn vector<const D: usize>(x: &[f64; D]) -> Vector<D> {
    Vector::<D>::from_column_slice(x)
}

/// At the centre of a ball every direction is a normal: the first axis is taken.
fn length_and_direction<const D: usize>(r: &Vector<D>) -> (f64, Vector<D>) {
    let length = r.norm();
    if length > 0.0 {
        return (length, r / length);
    }
    let mut n = Vector::zeros();
    n[0] = 1.0;
    (0.0, n)
}

fn cuboid<const D: usize>(x: &Vector<D>, half: &Vector<D>) -> (f64, Vector<D>) {
    let outside = x - x.sup(&-half).inf(half);
    let distance = outside.norm();
    if distance > 0.0 {
        return (distance, outside / distance);
    }
    // Inside: the nearest face.
    let depth = |k: usize| half[k] - x[k].abs();
    let k = (0..D).fold(0, |a, k| if depth(k) < depth(a) { k } else { a });
    let mut n = Vector::zeros();
    n[k] = 1f64.copysign(x[k]);
    (-depth(k), n)
}
