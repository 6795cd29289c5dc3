//! Positions and orientations in the plane and in space.

use nalgebra::{SMatrix, SVector};

/// A vector of the physical space.
pub type Vector<const D: usize> = SVector<f64, D>;
/// A rotation matrix; its columns are the axes of the body in the world.
pub type Rotation<const D: usize> = SMatrix<f64, D, D>;

/// Where a body is: `x = position + rotation · X`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose<const D: usize> {
    /// Position of the body's origin \[m\].
    pub position: Vector<D>,
    /// Axes of the body, as columns.
    pub rotation: Rotation<D>,
}

impl<const D: usize> Default for Pose<D> {
    fn default() -> Self {
        Self::identity()
    }
}

impl<const D: usize> Pose<D> {
    /// At the origin, axes aligned.
    pub fn identity() -> Self {
        Self { position: Vector::zeros(), rotation: Rotation::identity() }
    }

    /// Axes aligned, at a place.
    pub fn at(position: Vector<D>) -> Self {
        Self { position, rotation: Rotation::identity() }
    }

    /// The world place of a point of the body.
    pub fn point(&self, x: &Vector<D>) -> Vector<D> {
        self.position + self.rotation * x
    }

    /// The place in the body of a point of the world.
    pub fn local(&self, x: &Vector<D>) -> Vector<D> {
        self.rotation.tr_mul(&(x - self.position))
    }

    /// `self ∘ inner`: the world pose of something placed by `inner` in the body.
    pub fn then(&self, inner: &Pose<D>) -> Pose<D> {
        Pose { position: self.point(&inner.position), rotation: self.rotation * inner.rotation }
    }

    /// Whether all numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.position.iter().chain(self.rotation.iter()).all(|v| v.is_finite())
    }
}

/// A pose in little memory: most shapes lie straight in their bodies, and most bodies in their axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Offset<const D: usize> {
    /// Position of the origin \[m\].
    pub position: Vector<D>,
    /// None where the axes are those of the body.
    turned: Option<Box<Rotation<D>>>,
}

impl<const D: usize> Offset<D> {
    /// None at all.
    pub fn none() -> Self {
        Pose::identity().into()
    }

    /// The axes, as columns.
    pub fn rotation(&self) -> Rotation<D> {
        self.turned.as_ref().map_or_else(Rotation::<D>::identity, |r| **r)
    }

    /// The pose.
    pub fn pose(&self) -> Pose<D> {
        Pose { position: self.position, rotation: self.rotation() }
    }
}

impl<const D: usize> From<Pose<D>> for Offset<D> {
    fn from(pose: Pose<D>) -> Self {
        let turned = (pose.rotation != Rotation::<D>::identity()).then(|| Box::new(pose.rotation));
        Self { position: pose.position, turned }
    }
}

impl Pose<2> {
    /// At `(x, y)`, turned by `angle` \[rad\] counter-clockwise.
    pub fn planar(x: f64, y: f64, angle: f64) -> Self {
        let (s, c) = libm::sincos(angle);
        Self { position: Vector::<2>::new(x, y), rotation: Rotation::<2>::new(c, -s, s, c) }
    }
}

/// The rotation about a unit vector by an angle \[rad\]; axes of coordinates are kept exactly.
pub fn rotation3(axis: &Vector<3>, angle: f64) -> Rotation<3> {
    let ((s, c), [x, y, z]) = (libm::sincos(angle), [axis[0], axis[1], axis[2]]);
    let (on, off) = (|a: f64| a * a + (1.0 - a * a) * c, 1.0 - c);
    Rotation::<3>::new(
        on(x),
        x * y * off - z * s,
        x * z * off + y * s,
        x * y * off + z * s,
        on(y),
        y * z * off - x * s,
        x * z * off - y * s,
        y * z * off + x * s,
        on(z),
    )
}

/// Carries the dimension as a type, for [`Space`](crate::Space).
#[derive(Clone, Copy, Debug, Default)]
pub struct Dim<const D: usize>;
