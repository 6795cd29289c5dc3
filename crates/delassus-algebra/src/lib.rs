//! Linear algebra of contact problems and of solids
//!
//! Of contact: small blocks, block-sparse operators, their multifrontal factors.
//!
//! ```text
//! blocks (i, j) ─▶ BlockMatrix ─once─▶ Analysis ─each─▶ Frontal    (B W + A) x = f,   Symmetric (W + A) x = f
//! ```
//!
//! Of solids (feature `sparse`): patterns known before values, factorisations reused.
//!
//! ```text
//! dofs of elements ─▶ Pattern ─▶ Assembler ─k_e─▶ SymmetricMatrix ─▶ Cholesky    K u = f
//!                        │                               │           Kkt         K u + Bᵀλ = f, B u − C λ = g
//!                        └── once ──▶ order, structure   └─ each ─▶  ConjugateGradient
//! ```
//!
//! What depends on the mesh alone (pattern, places of the entries, order of elimination,
//! structure of the factor) is computed once; a warm assembly, factorisation or solve does not
//! allocate. Sums are made in an order that the mesh decides: results do not depend on the
//! number of threads.

mod block;
mod csr;
mod frontal;
mod small;
#[cfg(feature = "sparse")]
mod sparse;

pub use block::BlockMatrix;
pub use csr::Csr;
pub use frontal::{Analysis, FactorError, Frontal, Symmetric};
pub use small::{Matrix, Vector, solve_small};
#[cfg(feature = "sparse")]
pub use sparse::*;
