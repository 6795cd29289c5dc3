//! Sparse symmetric matrices: patterns known before values, factorisations reused

mod assembler;
mod cholesky;
mod dense;
mod error;
mod factor;
mod gradient;
mod kkt;
mod matrix;
mod ordering;
mod pattern;
mod preconditioner;
mod scatter;

pub use assembler::{Assembler, Target};
pub use cholesky::Cholesky;
pub use error::AlgebraError;
pub use factor::SolveScratch;
pub use gradient::{ConjugateGradient, GradientReport, GradientSettings, GradientStatus, Operator};
pub use kkt::{Kkt, Refined};
pub use matrix::{Imposed, SymmetricMatrix};
pub use pattern::Pattern;
pub use preconditioner::Preconditioner;
pub use scatter::Scatter;
