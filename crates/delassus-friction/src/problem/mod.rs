//! The one-step problem in its forms: local (this file), global, by bodies.

mod local;

pub use local::Problem;
pub(crate) use local::norm;
