//! Sparse matrices: patterns known before values, factorisations reused
//!
//! ```text
//! dofs of elements ─▶ Pattern ─▶ Assembler ─k_e─▶ SymmetricMatrix ─▶ Cholesky    K u = f
//!                        │                               │           Kkt         K u + Bᵀλ = f, B u − C λ = g
//!                        └── once ──▶ order, structure   └─ each ─▶  ConjugateGradient, Lanczos
//! ```
//!
//! What depends on the mesh alone (pattern, places of the entries, order of elimination,
//! structure of the factor) is computed once; a warm assembly, factorisation or solve does not
//! allocate. Sums are made in an order that the mesh decides: results do not depend on the
//! number of threads.

mod assembler;
mod cholesky;
mod dense;
mod error;
mod factor;
mod gradient;
mod kkt;
mod lanczos;
mod matrix;
mod ordering;
mod pattern;
mod preconditioner;
mod product;
mod scatter;

pub use assembler::{Assembler, Target};
pub use cholesky::Cholesky;
pub use error::AlgebraError;
pub use factor::SolveScratch;
pub use gradient::{ConjugateGradient, GradientReport, GradientSettings, GradientStatus, Operator};
pub use kkt::{Kkt, Refined};
pub use lanczos::{Lanczos, LargestEigenvalue};
pub use matrix::{Imposed, SymmetricMatrix};
pub use pattern::Pattern;
pub use preconditioner::Preconditioner;
pub use product::{MatrixProduct, Product};
pub use scatter::Scatter;
