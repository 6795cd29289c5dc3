//! Contact frames `(n, t1[, t2])` and their transport from step to step
//!
//! ```text
//! t1' = R t1,  R the smallest rotation taking n to n'
//! ```
//!
//! In the plane `n` alone gives the frame. In space the tangents are carried along
//! by the smallest rotation, so that stored tangential forces keep their meaning; a
//! new contact gets tangents from `n` by the continuous choice of \[Duff17\].

use crate::{Rotation, Vector};

/// The frame of a new contact in the plane: `t1 = (n_y, −n_x)`.
pub fn frame2(n: &Vector<2>) -> Rotation<2> {
    Rotation::<2>::new(n.x, n.y, n.y, -n.x)
}

/// The frame of a new contact in space, right-handed.
pub fn frame3(n: &Vector<3>) -> Rotation<3> {
    let sign = 1f64.copysign(n.z);
    let a = -1.0 / (sign + n.z);
    let b = n.x * n.y * a;
    let t1 = Vector::<3>::new(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x);
    orthonormal(n, &t1)
}

/// The frame of `n`, with the tangents of `old` carried by the smallest rotation.
pub fn transport3(old: &Rotation<3>, n: &Vector<3>) -> Rotation<3> {
    let n0: Vector<3> = old.column(0).into();
    // A contact that stays keeps its frame to the bit.
    if n0 == *n {
        return *old;
    }
    let t0: Vector<3> = old.column(1).into();
    let c = n0.dot(n);
    // Opposite normals: no smallest rotation, hence no memory to keep.
    if !(c > -0.999) {
        return frame3(n);
    }
    // Rodrigues: R t = t + a × t + a × (a × t)/(1 + c), with a = n0 × n.
    let a = n0.cross(n);
    let at = a.cross(&t0);
    orthonormal(n, &(t0 + at + a.cross(&at) / (1.0 + c)))
}

/// `(n, t1, n × t1)` with `t1` cleaned of its part along `n`.
fn orthonormal(n: &Vector<3>, t1: &Vector<3>) -> Rotation<3> {
    let t1 = (t1 - n * n.dot(t1)).normalize();
    let t2 = n.cross(&t1);
    Rotation::<3>::from_columns(&[*n, t1, t2])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A closed tour of n on the sphere turns the tangents by the solid angle enclosed
    /// (parallel transport, Gauss–Bonnet): an octant turns them by π/2.
    #[test]
    fn transport_around_an_octant_turns_by_a_right_angle() {
        let corners =
            [Vector::<3>::new(1.0, 0.0, 0.0), Vector::<3>::new(0.0, 1.0, 0.0), Vector::<3>::new(0.0, 0.0, 1.0)];
        let start = frame3(&corners[0]);
        let mut f = start;
        for k in 0..3 {
            for i in 1..=100 {
                let s = std::f64::consts::FRAC_PI_2 * f64::from(i) / 100.0;
                f = transport3(&f, &(corners[k] * s.cos() + corners[(k + 1) % 3] * s.sin()));
            }
        }
        assert!((f.column(0) - corners[0]).norm() < 1e-14);
        assert!(f.column(1).dot(&start.column(1)).abs() < 1e-12);
        assert!((f.column(1).dot(&start.column(2)) - 1.0).abs() < 1e-12);
    }

    /// Frames are right-handed rotations, for any n.
    #[test]
    fn frames_are_rotations() {
        for i in 0..200 {
            let a = f64::from(i) * 0.37;
            let n = Vector::<3>::new(a.cos() * (0.3 * a).sin(), a.sin() * (0.3 * a).sin(), (0.3 * a).cos());
            let f = frame3(&n);
            assert!((f.transpose() * f - Rotation::<3>::identity()).norm() < 1e-14);
            assert!((f.determinant() - 1.0).abs() < 1e-14);
        }
        let f = frame2(&Vector::<2>::new(0.6, 0.8));
        assert_eq!((f[(0, 0)], f[(1, 0)], f[(0, 1)], f[(1, 1)]), (0.6, 0.8, 0.8, -0.6));
    }
}
