//! Tangents that vary smoothly over an interface
//!
//! In the plane `t1 = (n_y, −n_x)`. In space `t1` is a fixed axis of the world laid into the
//! tangent plane, the axis chosen once as the one most tangent to the slave surface at rest:
//! multipliers may then be averaged over points, and tangential forces keep their meaning
//! from step to step. Where the axis is nearly normal the next one is taken.

use super::Surface;
use super::facet::{Patch, centre, normal_of};
use delassus_contact::{Rotation, Vector};

/// The axis whose component in the area-weighted normals is smallest.
pub(crate) fn reference_axis<const D: usize>(surface: &Surface, reference: &[f64]) -> usize {
    let mut sum = Vector::<D>::zeros();
    for f in 0..surface.len() {
        let patch = Patch::<D>::gather(surface.kind(f), surface.facet(f), reference);
        sum += patch.area_normal(centre(patch.kind)).abs();
    }
    (1..D).fold(0, |a, k| if sum[k] < sum[a] { k } else { a })
}

/// `(n, t1[, t2])`, right-handed in space.
pub(crate) fn tangent_frame<const D: usize>(n: &Vector<D>, axis: usize) -> Rotation<D> {
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
