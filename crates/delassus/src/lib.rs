//! Contact and dry friction, solved exactly and certified.
//!
//! This crate is what users depend on: it re-exports the crates of the workspace
//! and carries the `delassus` command. The one-step problem, its laws, solvers and
//! files live in [`friction`]; a scene in motion is a [`simulation::Simulation`].
//!
//! ```
//! use delassus::friction::{Law, Problem, Settings, solve};
//! use delassus::friction::algebra::{BlockMatrix, Matrix, Vector};
//!
//! // A unit mass dropped at 1 m/s on a floor, μ = 0.5: it stops.
//! let w = BlockMatrix::from_triplets(1, &mut [(0, 0, Matrix::<3>::identity())]);
//! let problem = Problem::new(w, vec![Vector::<3>::new(-1.0, 0.2, 0.0)], vec![Law::coulomb(0.5)])?;
//! let mut s = problem.zero();
//! let solution = solve(&problem, &Settings::default(), &mut s)?;
//! assert!(solution.converged());
//! # Ok::<(), delassus::friction::Error>(())
//! ```

#[cfg(feature = "cli")]
mod command;
pub mod simulation;
#[cfg(feature = "view")]
pub mod view;

// The files of the command name the library as users of it do.
#[cfg(feature = "cli")]
extern crate self as delassus;

#[cfg(feature = "cli")]
pub use command::command_line;

pub use delassus_arlequin as arlequin;
pub use delassus_contact as contact;
pub use delassus_dynamics as dynamics;
pub use delassus_explore as explore;
pub use delassus_fem as fem;
pub use delassus_friction as friction;
pub use delassus_record as record;
pub use delassus_rigid as rigid;
pub use delassus_scene as scene;
