//! The linear algebra of one step: small blocks, block-sparse operators, and
//! the factorisation the Newton-type solvers share.

mod block;
mod csr;
mod frontal;
mod small;

pub use block::BlockMatrix;
pub use csr::Csr;
pub use frontal::{Analysis, FactorError, Frontal};
pub use small::{Matrix, Vector, solve_small};
