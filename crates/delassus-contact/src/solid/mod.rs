//! Space: shapes, their world geometry, and the contacts of a pair.

mod closest;
mod cylinder;
mod defect;
mod face;
mod hull;
mod mesh;
mod meshes;
mod pair;
mod pieces;
mod polyhedron;
mod redundant;
mod round;
mod sat;
mod shape;
mod sight;
mod solids;

pub(crate) use closest::segments;
pub use defect::Defect;
pub use mesh::TriMesh;
pub use pair::Scratch3;
pub(crate) use pair::collide;
pub use pieces::Pieces;
pub use polyhedron::Polyhedron;
pub use shape::Shape3;
pub use solids::Solid3;

use crate::Vector;

type V = Vector<3>;
