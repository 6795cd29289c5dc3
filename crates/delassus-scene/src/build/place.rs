//! Places, rotations, vectors: from arrays of the file to the types of a dimension.

use crate::description::{AxisAngle, Spin};
use crate::diagnostic::Problem;
use delassus_contact::{Dim, Pose, Rotation, Vector, rotation3};
use nalgebra::Vector3;

/// An array that must have as many items as space has axes.
pub fn vector<const D: usize>(key: &str, values: &[f64]) -> Result<Vector<D>, Problem> {
    if values.len() == D {
        return Ok(Vector::from_column_slice(values));
    }
    let expected = format!("{D} items in a scene of dimension {D}");
    Err(Problem::WrongLength { key: key.to_owned(), expected, found: values.len() })
}

/// The same, zero when absent.
pub fn vector_or_zero<const D: usize>(key: &str, values: Option<&Vec<f64>>) -> Result<Vector<D>, Problem> {
    values.map_or(Ok(Vector::zeros()), |v| vector(key, v))
}

/// Rotations and angular velocities, which differ between the plane and space.
pub trait Turns<const D: usize> {
    /// From `angle` in the plane, `rotation` in space.
    fn rotation(angle: Option<f64>, turns: &[AxisAngle]) -> Result<Rotation<D>, Problem>;
    /// An angular velocity as a vector; in the plane only the last component counts.
    fn spin(spin: Option<&Spin>) -> Result<Vector3<f64>, Problem>;
}

fn only(key: &str, there: &str, instead: &str) -> Problem {
    Problem::Inconsistent { what: format!("`{key}` is for {there}; here it is `{instead}`") }
}

impl Turns<2> for Dim<2> {
    fn rotation(angle: Option<f64>, turns: &[AxisAngle]) -> Result<Rotation<2>, Problem> {
        if !turns.is_empty() {
            return Err(only("rotation", "space", "angle = …"));
        }
        Ok(Pose::planar(0.0, 0.0, angle.unwrap_or(0.0)).rotation)
    }

    fn spin(spin: Option<&Spin>) -> Result<Vector3<f64>, Problem> {
        match spin {
            None => Ok(Vector3::zeros()),
            Some(Spin::Plane(rate)) => Ok(Vector3::new(0.0, 0.0, *rate)),
            Some(Spin::Space(_)) => Err(only("spin = [x, y, z]", "space", "spin = number")),
        }
    }
}

impl Turns<3> for Dim<3> {
    fn rotation(angle: Option<f64>, turns: &[AxisAngle]) -> Result<Rotation<3>, Problem> {
        if angle.is_some() {
            return Err(only("angle", "the plane", "rotation = { axis = […], angle = … }"));
        }
        let mut rotation = Rotation::<3>::identity();
        for turn in turns {
            let axis: Vector<3> = vector("axis", &turn.axis)?;
            let Some(axis) = axis.try_normalize(0.0) else {
                return Err(Problem::Inconsistent { what: "the `axis` of a rotation must not be zero".to_owned() });
            };
            rotation = rotation3(&axis, turn.angle) * rotation;
        }
        Ok(rotation)
    }

    fn spin(spin: Option<&Spin>) -> Result<Vector3<f64>, Problem> {
        match spin {
            None => Ok(Vector3::zeros()),
            Some(Spin::Space(values)) => vector("spin", values),
            Some(Spin::Plane(_)) => Err(only("spin = number", "the plane", "spin = [x, y, z]")),
        }
    }
}
