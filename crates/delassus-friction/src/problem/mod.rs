//! The one-step problem in its forms: local (`W`, `b`), global (`A`, `G`), by bodies,
//! and what a file may hold.

#[cfg(feature = "fclib")]
mod any;
mod global;
mod inertia;
mod local;
mod root;
mod scratch;

#[cfg(feature = "fclib")]
pub use any::{AnyProblem, AnySolution};
pub use global::GlobalProblem;
pub use local::Problem;
pub(crate) use local::norm;
pub use root::{Root, RootSide};
