//! The linear algebra of one step: small blocks, block-sparse operators, and
//! the factorisation the Newton-type solvers share.

mod block;
mod by_bodies;
mod csr;
mod frontal;
mod small;

pub use block::BlockMatrix;
pub use by_bodies::{ByBodies, graph as body_graph};
pub use csr::Csr;
pub use frontal::{Analysis, FactorError, Frontal};
pub use small::{Matrix, Vector, solve_small};
