//! Analytic walls: the admissible region is f(t, x) ≤ 0
//!
//! ```text
//! n = −∇f/|∇f|     g = distance to {f = 0}, positive where f < 0     w_N = −∂f/∂t / |∇f|
//! ```
//!
//! `n` points into the admissible region. The closest point of the wall is found by
//! projecting on the tangent plane until it stays: x ← x − f ∇f/|∇f|² + (I − n nᵀ)(p − x);
//! it converges at the rate g·κ, κ the curvature of the wall. Source: \[Moreau00\], where
//! the obstacles are given in this way.

use crate::{Error, Expression, Pose, Sight, Vector};

/// An analytic wall, in the frame of its collider.
#[derive(Clone, Debug, PartialEq)]
pub struct Wall<const D: usize> {
    function: Expression,
}

/// The closest point of a wall to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallPoint<const D: usize> {
    /// The closest point, in the world.
    pub at: Vector<D>,
    /// Unit normal into the admissible region, in the world.
    pub normal: Vector<D>,
    /// Signed distance, positive in the admissible region.
    pub gap: f64,
    /// `−∂f/∂t / |∇f|`: rate of the gap from the motion of the wall alone.
    pub rate: f64,
}

impl<const D: usize> WallPoint<D> {
    /// As it is seen from the point.
    pub fn sight(&self) -> Sight<D> {
        Sight { gap: self.gap, normal: self.normal, foot: self.at, velocity: -self.normal * self.rate }
    }
}

/// Beyond so many times the reach, by a first-order estimate, a wall is not looked for.
const FAR: f64 = 16.0;

/// Names of the variables of a wall.
pub const WALL_VARIABLES: [&str; 4] = ["t", "x", "y", "z"];

impl<const D: usize> Wall<D> {
    /// From the text of `f(t, x, y[, z])`; its gradient is found exactly.
    pub fn new(function: &str) -> Result<Self, Error> {
        let function = Expression::parse(function, &WALL_VARIABLES[..=D])?;
        Ok(Self { function })
    }

    /// Whether `f` depends on time.
    pub fn changes(&self) -> bool {
        self.function.uses(0)
    }

    /// `f` and `∇f` at a point of the wall's frame.
    pub fn evaluate(&self, t: f64, x: &Vector<D>) -> (f64, Vector<D>) {
        let v = arguments(t, x);
        let f = self.function.value(&v[..=D]);
        (f, Vector::from_fn(|k, _| self.function.partial(k + 1, &v[..=D])))
    }

    /// The closest point of the wall at `pose` to `p` (world), to the round-off.
    ///
    /// `None` where `p` is admissible and the wall clearly farther than `reach`: the search
    /// is for contacts, and far from the wall a closest point may not even be unique.
    pub fn closest(&self, pose: &Pose<D>, t: f64, p: &Vector<D>, reach: f64) -> Result<Option<WallPoint<D>>, Error> {
        let target = pose.local(p);
        if self.is_far(t, &target, reach) {
            return Ok(None);
        }
        let (f0, _) = self.evaluate(t, &target);
        let mut x = target;
        let (mut damping, mut last) = (1.0, f64::INFINITY);
        for k in 0..100 {
            let (f, g) = self.checked(t, &x)?;
            let normal = -g / g.norm();
            let towards = target - x;
            let along = towards - normal * normal.dot(&towards);
            let step = along * damping - g * (f / g.norm_squared());
            let size = step.norm();
            // A step that grows says that the wall is curved more than 1/g: go slower.
            if size > last {
                damping = (damping * 0.5f64).max(1.0 / 64.0);
            }
            last = size;
            x += step;
            if size <= 1e-15 * (1.0 + x.norm()) {
                break;
            }
            if k > 3 && f0 < 0.0 && (target - x).norm() > FAR * reach {
                return Ok(None);
            }
        }
        let (_, g) = self.checked(t, &x)?;
        let norm = g.norm();
        let rate = -self.function.partial(0, &arguments(t, &x)[..=D]) / norm;
        let distance = (target - x).norm();
        let gap = if f0 <= 0.0 { distance } else { -distance };
        Ok(Some(WallPoint { at: pose.point(&x), normal: pose.rotation * (-g / norm), gap, rate }))
    }

    /// Whether a point of the wall's frame is admissible and clearly farther than `reach`.
    pub(crate) fn is_far(&self, t: f64, x: &Vector<D>, reach: f64) -> bool {
        let (f, g) = self.evaluate(t, x);
        f < 0.0 && -f > FAR * reach * g.norm()
    }

    fn checked(&self, t: f64, x: &Vector<D>) -> Result<(f64, Vector<D>), Error> {
        let (value, g) = self.evaluate(t, x);
        let gradient = g.norm();
        if value.is_finite() && gradient.is_finite() && gradient > 0.0 {
            return Ok((value, g));
        }
        let wall = self.function.text().to_owned();
        Err(Error::WallUndefined { wall, value, gradient, t, at: x.iter().copied().collect() })
    }
}

fn arguments<const D: usize>(t: f64, x: &Vector<D>) -> [f64; 4] {
    let mut v = [t, 0.0, 0.0, 0.0];
    v[1..=D].copy_from_slice(x.as_slice());
    v
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Disc container of radius 2 whose centre moves at speed 3: closed form.
    #[test]
    fn moving_circle() {
        let wall = Wall::<2>::new("(x - 3*t)^2 + y^2 - 4").expect("valid");
        let p = Vector::<2>::new(3.9, 1.2);
        let c = wall.closest(&Pose::identity(), 1.0, &p, 1.0).expect("defined").expect("near");
        let r = p - Vector::<2>::new(3.0, 0.0);
        assert!((c.gap - (2.0 - r.norm())).abs() < 1e-14);
        assert!((c.normal + r.normalize()).norm() < 1e-14);
        // Centre moving along x: the wall comes at −3 n_x.
        assert!((c.rate + 3.0 * c.normal.x).abs() < 1e-13);
        // The gradient vanishes at the centre: far from the wall, so not an error.
        assert_eq!(wall.closest(&Pose::identity(), 0.0, &Vector::<2>::zeros(), 0.01), Ok(None));
        let log = Wall::<2>::new("ln(x)").expect("valid");
        assert!(log.closest(&Pose::identity(), 0.0, &Vector::<2>::new(-1.0, 0.0), 0.01).is_err());
    }

    /// The closest point is on the wall and the segment to it is normal.
    #[test]
    fn closest_point_of_a_wave() {
        let a = Wall::<2>::new("-y + 0.1*sin(4*x - 2*t)").expect("valid");
        let pose = Pose::planar(0.1, -0.2, 0.3);
        let p = Vector::<2>::new(0.5, -0.3);
        let ca = a.closest(&pose, 0.7, &p, 1.0).expect("ok").expect("near");
        assert!(a.evaluate(0.7, &pose.local(&ca.at)).0.abs() < 1e-14);
        assert!((p - ca.at - ca.normal * ca.gap).norm() < 1e-13);
    }
}
