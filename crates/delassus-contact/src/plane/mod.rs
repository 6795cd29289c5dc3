//! The plane: shapes, their world geometry, and the contacts of a pair.

mod convex;
mod pair;
mod shape;
mod sight;
mod solid;

pub(crate) use pair::collide;
pub use shape::{Polygon, Shape2};
pub use solid::Solid2;

use crate::Vector;

type V = Vector<2>;

/// `v` turned by −90°: the outward normal of a counter-clockwise edge along `v`.
#[inline]
fn right(v: &V) -> V {
    V::new(v.y, -v.x)
}

#[inline]
fn cross(a: &V, b: &V) -> f64 {
    a.x * b.y - a.y * b.x
}
