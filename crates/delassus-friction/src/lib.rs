//! One step of contact and dry friction, solved and certified.
//!
//! ```text
//!     U = W S + b,     K*_μ ∋ U + μ|U_T| n ⟂ S ∈ K_μ         method (3), (8)
//! ```
//!
//! `W` is the Delassus operator, `S` the percussions [N·s], `U` the relative
//! velocities [m/s], `b` the free relative velocities. The crate knows no bodies:
//! a [`Problem`] in, a [`Solution`] with its [`Certificate`] out.
//!
//! ```
//! use delassus_friction::{Problem, Law, algebra::{BlockMatrix, Matrix, Vector}, solve, Settings};
//!
//! // A unit mass dropped at 1 m/s on a floor, sliding at 2 m/s, μ = 0.5.
//! let w = BlockMatrix::from_triplets(1, &mut [(0, 0, Matrix::<3>::identity())]);
//! let problem = Problem::new(w, vec![Vector::<3>::new(-1.0, 2.0, 0.0)], vec![Law::coulomb(0.5)])?;
//! let mut s = problem.zero();
//! let solution = solve(&problem, &Settings::default(), &mut s)?;
//! assert!(solution.converged());
//! assert!((s[0] - Vector::<3>::new(1.0, -0.5, 0.0)).norm() < 1e-12);
//! # Ok::<(), delassus_friction::Error>(())
//! ```

#![allow(non_snake_case)]

pub mod algebra;
mod certificate;
mod error;
#[cfg(feature = "fclib")]
pub mod fclib;

pub mod laws;
mod problem;
pub mod solver;

pub use certificate::{Certificate, ContactError, Parts};
pub use error::Error;
pub use laws::Law;
#[cfg(feature = "fclib")]
pub use problem::{AnyProblem, AnySolution};
pub use problem::{GlobalProblem, Problem, Root, RootSide};
pub use solver::{Settings, Solution, SolverKind, Status, solve, solve_monitored};
