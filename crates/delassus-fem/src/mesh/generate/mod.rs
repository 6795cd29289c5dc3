//! Structured meshes of simple shapes
//!
//! ```text
//! Rectangle   Cuboid   Disc   Cylinder   Ball   Tube
//! ```
//!
//! Every shape is a grid of quadrangles or hexahedra, cut into simplices or given middle
//! nodes when the kind of cell asks for it, with its sides as named groups. Middle nodes
//! of curved sides lie on the curve.

mod ball;
mod cuboid;
mod disc;
mod grading;
mod grid;
mod rectangle;
mod tube;

pub use ball::{Ball, BallPart};
pub use cuboid::Cuboid;
pub use disc::{Cylinder, Disc, DiscPart};
pub use grading::Grading;
pub use rectangle::Rectangle;
pub use tube::Tube;

use super::{CellKind, Mesh, MeshError};

/// Cells of a generated mesh at most, before they are cut into simplices.
const MAX_CELLS: usize = 50_000_000;

/// Refuses lengths that are not positive and finite.
fn positive(item: &'static str, value: f64) -> Result<(), MeshError> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(MeshError::Setting { item, found: value.to_string(), accepted: "a positive, finite number" })
}

/// Refuses positions that are not finite.
fn finite(item: &'static str, values: &[f64]) -> Result<(), MeshError> {
    if values.iter().all(|v| v.is_finite()) {
        return Ok(());
    }
    Err(MeshError::Setting { item, found: format!("{values:?}"), accepted: "finite numbers" })
}

/// Refuses an empty interval in any direction.
fn interval(item: &'static str, lower: &[f64], upper: &[f64]) -> Result<(), MeshError> {
    if lower.iter().zip(upper).all(|(l, u)| l < u && (u - l).is_finite()) {
        return Ok(());
    }
    let found = format!("from {lower:?} to {upper:?}");
    Err(MeshError::Setting { item, found, accepted: "finite corners, the first below the second in every direction" })
}

/// Refuses no cells in a direction, and more than memory should hold.
fn counts(item: &'static str, cells: &[usize]) -> Result<(), MeshError> {
    let total = cells.iter().try_fold(1usize, |p, &n| p.checked_mul(n));
    if total.is_some_and(|t| (1..=MAX_CELLS).contains(&t)) {
        return Ok(());
    }
    let found = format!("{cells:?}");
    Err(MeshError::Setting { item, found, accepted: "at least 1 in each direction, 50 million in all" })
}

/// From quadrangles or hexahedra to the kind asked for.
fn finish(mesh: Mesh, kind: CellKind, place: impl Fn(u32, u32, [f64; 3]) -> [f64; 3]) -> Result<Mesh, MeshError> {
    use CellKind::*;
    match (mesh.dim, kind) {
        (2, Quad4) | (3, Hex8) => Ok(mesh),
        (2, Tri3) | (3, Tet4) => Ok(mesh.simplices()),
        (2, Tri6) | (3, Tet10) => Ok(mesh.simplices().quadratic(place)),
        (2, Quad8) => Ok(mesh.quadratic(place)),
        (dim, _) => Err(MeshError::Setting {
            item: "kind of cell",
            found: kind.to_string(),
            accepted: if dim == 2 { "Tri3, Tri6, Quad4, Quad8 in the plane" } else { "Tet4, Tet10, Hex8 in space" },
        }),
    }
}

/// Middle nodes stay in the middle.
fn straight(_: u32, _: u32, middle: [f64; 3]) -> [f64; 3] {
    middle
}

/// Adds the mirror image in the plane x_axis = 0 and joins the two.
fn add_mirrored(mesh: &mut Mesh, axis: usize, join: f64) -> Result<(), MeshError> {
    let mut other = mesh.clone();
    let mut factors = [1.0; 3];
    factors[axis] = -1.0;
    other.scale(factors)?;
    mesh.merge(&other, "")?;
    mesh.weld(join);
    Ok(())
}
