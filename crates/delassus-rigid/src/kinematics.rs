//! What differs between the plane and space in the motion of a rigid body.

use crate::Mass;
use crate::body::ShapeSpec;
use crate::rotation::{self, exp, normalised, product, rotate};
use delassus_contact::{Dim, Mass2, Mass3, Pose, Rotation, Space, Vector};
use nalgebra::{Matrix2, Matrix3, Vector3};

/// Coordinates, velocities and rotations. Implemented by `Dim<2>` and `Dim<3>`.
pub trait Kinematics<const D: usize>: Space<D> {
    /// Velocities per body.
    const DOFS: usize;
    /// Coordinates per body.
    const COORDINATES: usize;
    /// Rotations among the velocities.
    const ROTATIONS: usize;

    /// The pose of a body.
    fn pose(q: &[f64]) -> Pose<D>;

    /// The coordinates of a pose.
    fn coordinates(pose: &Pose<D>, q: &mut [f64]);

    /// `q ← q ⊕ dt u`, exact for constant `u` in body axes.
    fn advance(q: &mut [f64], u: &[f64], dt: f64);

    /// `c` with `c · u = a · spin` for a world vector `a` (in the plane its third component counts).
    fn spin_row(pose: &Pose<D>, a: &[f64; 3]) -> [f64; 3];

    /// `c` with `c · u_rotation = d · (spin × lever)`.
    fn lever_row(pose: &Pose<D>, lever: &Vector<D>, d: &Vector<D>) -> [f64; 3];

    /// Angular velocity in the world.
    fn spin(pose: &Pose<D>, u: &[f64]) -> [f64; 3];

    /// Rotational velocities of an angular velocity in the world.
    fn rotational(pose: &Pose<D>, spin: &[f64; 3]) -> [f64; 3];

    /// Velocity of the point at `lever` from the centre of mass.
    fn velocity(pose: &Pose<D>, u: &[f64], lever: &Vector<D>) -> Vector<D>;

    /// Rotational velocity after `h` under a torque (body axes, per rotation), without the
    /// percussions of contacts, of which a prediction is given: see `free_spin`.
    fn free_rotation(inertia: &[f64; 3], u: &[f64], torque_and_percussion: (&[f64; 3], &[f64; 3]), h: f64) -> [f64; 3];

    /// Axes about which a joint may turn: columns of `frame`, or the normal of the plane.
    fn rotation_axis(frame: &Rotation<D>, k: usize) -> [f64; 3];

    /// Small rotation from frame `b` to frame `a`, about [`Kinematics::rotation_axis`] of `b`.
    fn rotation_error(a: &Rotation<D>, b: &Rotation<D>) -> [f64; 3];

    /// Angle from `b` to `a` about the first axis of `b`, between −π and π.
    fn angle(a: &Rotation<D>, b: &Rotation<D>) -> f64;

    /// A frame whose first column is `axis`.
    fn joint_frame(axis: &Vector<D>) -> Rotation<D>;

    /// `a` turned by `angle` about `axis` (the plane ignores it).
    fn turned(rotation: &Rotation<D>, axis: &[f64; 3], angle: f64) -> Rotation<D>;

    /// Mass properties of shapes together.
    fn mass_of(shapes: &[ShapeSpec<D>], density: f64) -> Result<Mass<D>, delassus_contact::Error>
    where
        Self: Sized,
        Dim<D>: Space<D>;

    /// `x × p`, the angular momentum of a momentum `p` at `x`.
    fn moment(x: &Vector<D>, p: &Vector<D>) -> [f64; 3];
}

impl Kinematics<2> for Dim<2> {
    const DOFS: usize = 3;
    const COORDINATES: usize = 3;
    const ROTATIONS: usize = 1;

    fn pose(q: &[f64]) -> Pose<2> {
        let (s, c) = libm::sincos(q[2]);
        Pose { position: Vector::<2>::new(q[0], q[1]), rotation: Matrix2::new(c, -s, s, c) }
    }

    fn coordinates(pose: &Pose<2>, q: &mut [f64]) {
        (q[0], q[1]) = (pose.position[0], pose.position[1]);
        q[2] = libm::atan2(pose.rotation[(1, 0)], pose.rotation[(0, 0)]);
    }

    fn advance(q: &mut [f64], u: &[f64], dt: f64) {
        (0..3).for_each(|k| q[k] += dt * u[k]);
    }

    fn spin_row(_: &Pose<2>, a: &[f64; 3]) -> [f64; 3] {
        [a[2], 0.0, 0.0]
    }

    #[inline]
    fn lever_row(_: &Pose<2>, lever: &Vector<2>, d: &Vector<2>) -> [f64; 3] {
        [lever[0] * d[1] - lever[1] * d[0], 0.0, 0.0]
    }

    fn spin(_: &Pose<2>, u: &[f64]) -> [f64; 3] {
        [0.0, 0.0, u[2]]
    }

    fn rotational(_: &Pose<2>, spin: &[f64; 3]) -> [f64; 3] {
        [spin[2], 0.0, 0.0]
    }

    fn velocity(_: &Pose<2>, u: &[f64], lever: &Vector<2>) -> Vector<2> {
        Vector::<2>::new(u[0] - u[2] * lever[1], u[1] + u[2] * lever[0])
    }

    fn free_rotation(inertia: &[f64; 3], u: &[f64], (torque, _): (&[f64; 3], &[f64; 3]), h: f64) -> [f64; 3] {
        [u[2] + h * torque[0] / inertia[0], 0.0, 0.0]
    }

    fn rotation_axis(_: &Rotation<2>, _: usize) -> [f64; 3] {
        [0.0, 0.0, 1.0]
    }

    fn rotation_error(a: &Rotation<2>, b: &Rotation<2>) -> [f64; 3] {
        [Self::angle(a, b), 0.0, 0.0]
    }

    fn angle(a: &Rotation<2>, b: &Rotation<2>) -> f64 {
        let r = b.transpose() * a;
        libm::atan2(r[(1, 0)], r[(0, 0)])
    }

    fn joint_frame(axis: &Vector<2>) -> Rotation<2> {
        let e = axis / axis.norm();
        Matrix2::new(e[0], -e[1], e[1], e[0])
    }

    fn turned(rotation: &Rotation<2>, _: &[f64; 3], angle: f64) -> Rotation<2> {
        let (s, c) = libm::sincos(angle);
        Matrix2::new(c, -s, s, c) * rotation
    }

    fn mass_of(shapes: &[ShapeSpec<2>], density: f64) -> Result<Mass<2>, delassus_contact::Error> {
        let part = |s: &ShapeSpec<2>| Ok(s.shape.mass_properties()?.moved(&s.offset.pose()).scaled(density));
        let sum = Mass2::sum(&shapes.iter().map(part).collect::<Result<Vec<_>, delassus_contact::Error>>()?);
        Ok(Mass { centre: sum.centroid, ..Mass::plane(sum.mass, sum.inertia) })
    }

    fn moment(x: &Vector<2>, p: &Vector<2>) -> [f64; 3] {
        [0.0, 0.0, x[0] * p[1] - x[1] * p[0]]
    }
}

impl Kinematics<3> for Dim<3> {
    const DOFS: usize = 6;
    const COORDINATES: usize = 7;
    const ROTATIONS: usize = 3;

    fn pose(q: &[f64]) -> Pose<3> {
        let rotation = rotation::matrix(&[q[3], q[4], q[5], q[6]]);
        Pose { position: Vector::<3>::new(q[0], q[1], q[2]), rotation }
    }

    fn coordinates(pose: &Pose<3>, q: &mut [f64]) {
        q[..3].copy_from_slice(pose.position.as_slice());
        q[3..7].copy_from_slice(&rotation::quaternion(&pose.rotation));
    }

    fn advance(q: &mut [f64], u: &[f64], dt: f64) {
        (0..3).for_each(|k| q[k] += dt * u[k]);
        let spin = Vector3::new(u[3], u[4], u[5]) * dt;
        if spin.amax() != 0.0 {
            let turned = normalised(&product(&[q[3], q[4], q[5], q[6]], &exp(&spin)));
            q[3..7].copy_from_slice(&turned);
        }
    }

    fn spin_row(pose: &Pose<3>, a: &[f64; 3]) -> [f64; 3] {
        (pose.rotation.transpose() * Vector3::from(*a)).into()
    }

    #[inline]
    fn lever_row(pose: &Pose<3>, lever: &Vector<3>, d: &Vector<3>) -> [f64; 3] {
        (pose.rotation.transpose() * lever.cross(d)).into()
    }

    fn spin(pose: &Pose<3>, u: &[f64]) -> [f64; 3] {
        (pose.rotation * Vector3::new(u[3], u[4], u[5])).into()
    }

    fn rotational(pose: &Pose<3>, spin: &[f64; 3]) -> [f64; 3] {
        Self::spin_row(pose, spin)
    }

    fn velocity(pose: &Pose<3>, u: &[f64], lever: &Vector<3>) -> Vector<3> {
        let spin = pose.rotation * Vector3::new(u[3], u[4], u[5]);
        Vector::<3>::new(u[0], u[1], u[2]) + spin.cross(lever)
    }

    fn free_rotation(inertia: &[f64; 3], u: &[f64], (torque, percussion): (&[f64; 3], &[f64; 3]), h: f64) -> [f64; 3] {
        let impulse = Vector3::from(*torque) * h;
        free_spin(inertia, &Vector3::new(u[3], u[4], u[5]), (&impulse, &Vector3::from(*percussion)), h).into()
    }

    fn rotation_axis(frame: &Rotation<3>, k: usize) -> [f64; 3] {
        frame.column(k).into_owned().into()
    }

    fn rotation_error(a: &Rotation<3>, b: &Rotation<3>) -> [f64; 3] {
        // a = b + δ × b to first order: δ = ½ Σ b_k × a_k.
        let delta: Vector3<f64> = (0..3).map(|k| b.column(k).cross(&a.column(k))).sum::<Vector3<f64>>() * 0.5;
        (b.transpose() * delta).into()
    }

    fn angle(a: &Rotation<3>, b: &Rotation<3>) -> f64 {
        let y = a.column(1);
        libm::atan2(y.dot(&b.column(2)), y.dot(&b.column(1)))
    }

    fn joint_frame(axis: &Vector<3>) -> Rotation<3> {
        let e = axis / axis.norm();
        let k = (0..3).fold(0, |m, i| if e[i].abs() < e[m].abs() { i } else { m });
        let mut helper = Vector3::zeros();
        helper[k] = 1.0;
        let y = (helper - e * e.dot(&helper)).normalize();
        Matrix3::from_columns(&[e, y, e.cross(&y)])
    }

    fn turned(rotation: &Rotation<3>, axis: &[f64; 3], angle: f64) -> Rotation<3> {
        let axis = Vector3::from(*axis);
        rotation::matrix(&exp(&(axis * (angle / axis.norm())))) * rotation
    }

    fn mass_of(shapes: &[ShapeSpec<3>], density: f64) -> Result<Mass<3>, delassus_contact::Error> {
        let part = |s: &ShapeSpec<3>| Ok(s.shape.mass_properties()?.moved(&s.offset.pose()).scaled(density));
        let sum = Mass3::sum(&shapes.iter().map(part).collect::<Result<Vec<_>, delassus_contact::Error>>()?);
        Ok(Mass { mass: sum.mass, centre: sum.centroid, inertia: sum.inertia })
    }

    fn moment(x: &Vector<3>, p: &Vector<3>) -> [f64; 3] {
        x.cross(p).into()
    }
}

/// Angular velocity at the end of a step without contacts, in principal axes:
///
/// ```text
///     R_f I Ω_f = R_i I Ω_i + R_m (h T + P),     R_m = R_i exp(½hΩ_i),   R_f = R_m exp(½hΩ_f)
/// ```
///
/// The balance of angular momentum in the world with the rotation of method (7): exact
/// conservation without forces, and a symmetric scheme, hence of order two. The gyroscopic
/// impulse `I Ω_f − exp(½hΩ_f) I Ω_f` is evaluated with the predicted percussion `P`, which is
/// then left to the contact problem. Rejected: the gyroscopic term at `Ω_i`, of order one and
/// gaining energy.
pub fn free_spin(
    inertia: &[f64; 3],
    spin: &Vector3<f64>,
    (impulse, percussion): (&Vector3<f64>, &Vector3<f64>),
    h: f64,
) -> Vector3<f64> {
    let moments = Vector3::from(*inertia);
    if inertia[0] == inertia[1] && inertia[1] == inertia[2] {
        return spin + impulse.component_div(&moments);
    }
    let start = rotate(&(spin * (-0.5 * h)), &moments.component_mul(spin)) + impulse;
    let total = start + percussion;
    let mut end = total.component_div(&moments);
    // Too slow for its rotation to be seen.
    if h * end.amax().max(spin.amax()) < 1e-12 {
        return spin + impulse.component_div(&moments);
    }
    for _ in 0..100 {
        let next = rotate(&(end * (-0.5 * h)), &total).component_div(&moments);
        let moved = (next - end).amax();
        end = next;
        if moved <= 2.0 * f64::EPSILON * end.amax() {
            break;
        }
    }
    end - percussion.component_div(&moments)
}
