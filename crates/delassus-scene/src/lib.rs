//! Scene files: TOML with diagnostics that point at the line, generators
//!
//! ```text
//! text ─▶ tree with spans ─▶ overrides ─▶ parameters ─▶ judged by the schema ─▶ Description
//!      ─▶ generators ─▶ bodies, laws, loads ─▶ Built { model, state, time }
//! ```
//!
//! A key that means nothing, a number out of bounds, a material nobody declared: each is
//! reported with file, line and column, the nearest accepted word, and all at once.

// Its comments are the texts of the schema, where units are written [m], not \[m\].
#[allow(rustdoc::broken_intra_doc_links)]
pub mod description;
pub mod diagnostic;
pub mod source;
pub mod tree;

mod build;
mod check;
mod de;
mod files;
mod formula;
mod gallery;
mod generate;
mod include;
mod mesh;
mod overrides;
mod repeat;
mod scene;
mod schema;
mod stages;
mod validate;
mod write;

pub use build::{
    Appearance, Built, Clock, EventSetup, FeederSetup, Flow, Following, Laboratory, Patch, Probe, Setup, SinkSetup,
    Size, SolidProbe, SolidSetup, SolidSize, Superposed, Target, Variable, Watched, Watching, Worn,
};
pub use check::Check;
pub use diagnostic::{Diagnostic, Diagnostics, Problem, Severity};
pub use files::Files;
pub use gallery::{Example, example, gallery};
pub use mesh::{Surface, read as read_mesh};
pub use scene::Scene;
pub use schema::schema;
pub use stages::{Base, Change, Standing, Stood, matches};
