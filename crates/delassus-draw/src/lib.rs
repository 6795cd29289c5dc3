//! Pictures: bodies, the forces between them, the sets of forces they may have, curves.
//!
//! Knows no simulation: whoever has one fills a [`plane::Figure`] or a [`space::Figure`]
//! and gets a [`Picture`], which is written as SVG or PNG, or becomes a frame of an
//! [`Animation`] or a [`Video`]. The same input gives the same bytes on every machine: the font is built
//! in, and nothing depends on clocks, threads or random numbers.
//!
//! ```
//! use delassus_draw::{Head, Role, plane};
//! let mut figure = plane::Figure::new(Head::new("A disc on a floor"));
//! let body = |name: &str, role, centre, outline| plane::Body {
//!     name: name.into(), label: None, role, colour: None, centre, shapes: vec![outline],
//! };
//! let floor = plane::Outline::HalfPlane { point: [0.0, 0.0], normal: [0.0, 1.0] };
//! figure.bodies.push(body("floor", Role::Fixed, [0.0, 0.0], floor));
//! let disc = plane::Outline::Disc { centre: [0.0, 0.1], radius: 0.1, angle: 0.0 };
//! figure.bodies.push(body("disc", Role::Free, [0.0, 0.1], disc));
//! let svg = figure.picture()?.to_svg()?;
//! assert!(svg.starts_with("<svg"));
//! # Ok::<(), delassus_draw::Error>(())
//! ```

mod animation;
mod axes;
mod body;
mod chart;
pub mod colour;
mod error;
mod film;
mod font;
mod force;
mod grid;
mod key;
mod label;
pub mod mesh;
mod mirror;
mod network;
mod overlay;
mod page;
mod path;
mod picture;
pub mod plane;
mod profile;
mod raster;
mod reactions;
pub mod space;
mod svg;
mod symbol;
mod trace;
mod vector;
mod video;
mod view;

pub use animation::{Animation, Palette};
pub use axes::Scale;
pub use body::{Body, Role, Shape};
pub use chart::{Chart, Curve, Panel, Quantity, line_style};
pub use colour::Colour;
pub use error::Error;
pub use film::Film;
pub use font::Weight;
pub use force::{Forces, Status};
pub use grid::grid;
pub use key::Key;
pub use network::Contact;
pub use overlay::Overlay;
pub use page::{Head, gallery};
pub use path::{Path, Piece, Point, Rect};
pub use picture::{Anchor, Fill, Item, Layer, Picture, Stroke, Text};
pub use profile::{Slice, slices};
pub use raster::Raster;
pub use reactions::{Cloud, Reactions, hull};
pub use symbol::{Rod, Symbol};
pub use trace::Trace;
pub use video::Video;
pub use view::View;
