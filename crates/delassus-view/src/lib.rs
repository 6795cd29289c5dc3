//! Runs as a page that plays them
//!
//! ```text
//! Run, or frames in memory ─▶ packs of numbers ─▶ the page (viewer/, built into assets/)
//!                              │ over HTTP, on loopback          `serve`
//!                              │ inside the page                 `html`
//!                              ▼ in the browser's own engine     crates/delassus-web
//! ```
//!
//! The crate knows no simulation: it shows named fields, and what the owner of a scene tells about it in a [`Cast`].

mod cast;
#[cfg(feature = "serve")]
mod embed;
pub mod film;
pub mod forces;
#[cfg(feature = "serve")]
mod http;
mod pack;
#[cfg(feature = "serve")]
pub mod serve;

pub use cast::{Cast, Explored, Possible, Pull, Rod, Role, Tie};
#[cfg(feature = "serve")]
pub use embed::{Page, html};
pub use film::{Film, Memory};
pub use pack::Pack;

/// Why something cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The run cannot be read.
    #[error(transparent)]
    Record(#[from] delassus_record::Error),
    /// There is no such field.
    #[error("there is no field '{0}'")]
    NoField(String),
    /// There is no such frame.
    #[error("frame {frame}: there are {frames}")]
    NoFrame {
        /// The frame asked for.
        frame: usize,
        /// How many there are.
        frames: usize,
    },
    /// There is no such item.
    #[error("'{field}' has no item {item}")]
    NoItem {
        /// The field.
        field: String,
        /// The item asked for.
        item: usize,
    },
    /// A question that makes no sense.
    #[error("'{key}' is '{value}', expected {expected}")]
    Asked {
        /// The parameter.
        key: &'static str,
        /// Its value.
        value: String,
        /// What it may be.
        expected: &'static str,
    },
    /// The server cannot listen.
    #[error("cannot listen on {address}: {reason}")]
    Listen {
        /// Where.
        address: String,
        /// Why.
        reason: String,
    },
    /// There is nothing to show.
    #[error("{0} has no frame yet")]
    Empty(String),
}
