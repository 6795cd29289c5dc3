//! The linear algebra of one step: small blocks, block-sparse operators, and
//! the factorisation the Newton-type solvers share.

mod by_bodies;
mod side;

pub use by_bodies::{ByBodies, graph as body_graph};
pub use delassus_algebra::{Analysis, BlockMatrix, Csr, FactorError, Frontal, Matrix, Symmetric, Vector, solve_small};
pub(crate) use side::{ContactRows, vectorised};
