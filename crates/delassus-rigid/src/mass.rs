//! Mass, centre and inertia of a body.

use crate::error::{finite, positive};
use crate::{Error, Kinematics, ShapeSpec};
use delassus_contact::{Dim, Vector};
use nalgebra::{Matrix3, SymmetricEigen};

/// Mass properties in the axes of the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mass<const D: usize> {
    /// Mass \[kg\].
    pub mass: f64,
    /// Centre of mass in the body \[m\].
    pub centre: Vector<D>,
    /// Inertia about the centre of mass \[kg·m²\]; in the plane only the last entry counts.
    /// Infinite entries on the diagonal block rotation.
    pub inertia: Matrix3<f64>,
}

impl<const D: usize> Mass<D> {
    /// A particle: it does not rotate.
    pub fn point(mass: f64) -> Self {
        Self { mass, centre: Vector::zeros(), inertia: Matrix3::from_diagonal_element(f64::INFINITY) }
    }

    /// Given mass and principal moments about the origin of the body.
    pub fn principal(mass: f64, moments: [f64; 3]) -> Self {
        Self { mass, centre: Vector::zeros(), inertia: Matrix3::from_diagonal(&moments.into()) }
    }

    /// Moments and the rotation to principal axes, right-handed. A diagonal tensor keeps its axes.
    pub(crate) fn principal_axes(&self) -> ([f64; 3], Matrix3<f64>) {
        let i = &self.inertia;
        let off = i[(0, 1)].abs().max(i[(0, 2)].abs()).max(i[(1, 2)].abs());
        let diagonal = [i[(0, 0)], i[(1, 1)], i[(2, 2)]];
        if D == 2 || off <= 1e-13 * i.trace() {
            return (diagonal, Matrix3::identity());
        }
        let eigen = SymmetricEigen::new(*i);
        let mut axes = eigen.eigenvectors;
        if axes.determinant() < 0.0 {
            axes.column_mut(2).neg_mut();
        }
        (eigen.eigenvalues.into(), axes)
    }

    pub(crate) fn validate(&self, owner: &str) -> Result<(), Error> {
        positive(owner, "mass", self.mass)?;
        finite(owner, "centre of mass", self.centre.as_slice())?;
        let (moments, _) = self.principal_axes();
        let relevant = if D == 2 { &moments[2..] } else { &moments[..] };
        for &m in relevant {
            if m != f64::INFINITY {
                positive(owner, "principal moment of inertia", m)?;
            }
        }
        let infinite = moments.iter().filter(|m| m.is_infinite()).count();
        if D == 3 && infinite != 0 && infinite != 3 {
            return Err(Error::Inertia { owner: owner.into(), moments });
        }
        let sum: f64 = moments.iter().sum();
        if D == 3 && sum.is_finite() && moments.iter().any(|m| 2.0 * m > sum * (1.0 + 1e-9)) {
            return Err(Error::Inertia { owner: owner.into(), moments });
        }
        Ok(())
    }
}

/// Mass of homogeneous shapes.
pub(crate) fn of_shapes<const D: usize>(owner: &str, shapes: &[ShapeSpec<D>], density: f64) -> Result<Mass<D>, Error>
where
    Dim<D>: Kinematics<D>,
{
    positive(owner, "density", density)?;
    Dim::<D>::mass_of(shapes, density).map_err(|source| Error::Shape { owner: owner.into(), source })
}

impl Mass<2> {
    /// A homogeneous disc.
    pub fn disc(mass: f64, radius: f64) -> Self {
        Self::plane(mass, 0.5 * mass * radius * radius)
    }

    /// A homogeneous rectangle.
    pub fn rectangle(mass: f64, width: f64, height: f64) -> Self {
        Self::plane(mass, mass * (width * width + height * height) / 12.0)
    }

    /// Given mass and inertia about the origin of the body.
    pub fn plane(mass: f64, inertia: f64) -> Self {
        Self::principal(mass, [inertia; 3])
    }
}

impl Mass<3> {
    /// A homogeneous ball.
    pub fn ball(mass: f64, radius: f64) -> Self {
        Self::principal(mass, [0.4 * mass * radius * radius; 3])
    }

    /// A homogeneous box of these sides.
    pub fn cuboid(mass: f64, [a, b, c]: [f64; 3]) -> Self {
        let k = mass / 12.0;
        Self::principal(mass, [k * (b * b + c * c), k * (a * a + c * c), k * (a * a + b * b)])
    }
}
