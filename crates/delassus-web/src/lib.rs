//! The engine in a browser
//!
//! ```text
//! scene text ─▶ Play ─advance─▶ frames in memory ─▶ packs, as of a run on disk
//! ```
//!
//! [`Play`] is the engine and works anywhere; `bridge` hands it to JavaScript, and is there for `wasm32` alone. The page
//! around it is `viewer/src/play.ts`.

#[cfg(target_arch = "wasm32")]
mod bridge;
mod explore;
mod play;

pub use explore::possible;
pub use play::{Play, check, gallery};
