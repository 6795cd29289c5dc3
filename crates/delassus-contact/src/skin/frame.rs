//! Tangents that vary smoothly over an interface
//!
//! In the plane `t1 = (n_y, −n_x)`. In space `t1` is an axis of the world laid into the
//! tangent plane, the same for all points of an interface: multipliers may then be averaged
//! over points, and tangential forces keep their meaning from step to step. Where the axis
//! is nearly normal the next one is taken. Rejected: the axis most tangent to the normals,
//! which round-off alone would make change from one pairing to the next.

use super::ContactPoint;
use super::facet::normal_of;
use crate::{Rotation, Vector};

/// An axis suits where its mean component in the normals is below this. One always does:
/// the three squares add up to at most one.
const TANGENT: f64 = 0.6;

/// Gives all points their tangents.
pub(crate) fn set_tangents<const D: usize>(points: &mut [ContactPoint<D>]) {
    let (mut sum, mut weight) = (Vector::<D>::zeros(), 0.0);
    for p in points.iter() {
        sum += p.normal().abs() * p.weight;
        weight += p.weight;
    }
    let axis = (0..D).find(|&k| sum[k] <= TANGENT * weight).unwrap_or(0);
    for p in points {
        p.frame = tangent_frame(&p.normal(), axis);
    }
}

/// `(n, t1[, t2])`, right-handed in space.
fn tangent_frame<const D: usize>(n: &Vector<D>, axis: usize) -> Rotation<D> {
    let mut frame = Rotation::<D>::zeros();
    frame.set_column(0, n);
    if D == 2 {
        frame.set_column(1, &normal_of(&[*n, Vector::zeros()]));
        return frame;
    }
    let laid = |k: usize| {
        let mut t = n * -n[k];
        t[k] += 1.0;
        t
    };
    // Two of three axes are more than 0.2 away from any direction.
    let k = if laid(axis).norm() > 0.2 { axis } else { (axis + 1) % D };
    let t1 = laid(k).normalize();
    frame.set_column(1, &t1);
    frame.set_column(2, &normal_of(&[*n, t1]));
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Orthonormal, right-handed in space, for any normal and axis.
    #[test]
    fn frames_are_rotations() {
        for i in 0..200 {
            let a = f64::from(i) * 0.37;
            let n = Vector::<3>::new(a.cos() * (0.3 * a).sin(), a.sin() * (0.3 * a).sin(), (0.3 * a).cos());
            for axis in 0..3 {
                let f = tangent_frame(&n, axis);
                assert!((f.transpose() * f - Rotation::<3>::identity()).norm() < 1e-14);
                assert!((f.determinant() - 1.0).abs() < 1e-14);
            }
        }
        let f = tangent_frame(&Vector::<2>::new(0.6, 0.8), 0);
        assert_eq!((f[(0, 0)], f[(1, 0)], f[(0, 1)], f[(1, 1)]), (0.6, 0.8, 0.8, -0.6));
    }
}
