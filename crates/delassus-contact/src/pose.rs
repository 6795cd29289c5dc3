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

impl<const D: usize> Pose<D> {
    /// At the origin, axes aligned.
    pub fn identity() -> Self {
        Self { position: Vector::zeros(), rotation: Rotation::identity() }
    }

    /// The world place of a point of the body.
    pub fn point(&self, x: &Vector<D>) -> Vector<D> {
        self.position + self.rotation * x
    }

    /// `self ∘ inner`: the world pose of something placed by `inner` in the body.
    pub fn then(&self, inner: &Pose<D>) -> Pose<D> {
        Pose { position: self.point(&inner.position), rotation: self.rotation * inner.rotation }
    }
}

/// Carries the dimension as a type, for [`Space`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Dim<const D: usize>;

/// What differs between the plane and space. Implemented by `Dim<2>` and `Dim<3>`.
pub trait Space<const D: usize> {
    /// Shapes of this space.
    type Shape: Clone + std::fmt::Debug + Send + Sync;
}
