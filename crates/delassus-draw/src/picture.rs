//! A page: paths, dots, texts and images, drawn in order.
//!
//! Lengths are in units of 1/96 inch, y points down, as in SVG.

use crate::colour::{Colour, WHITE};
use crate::font::Weight;
use crate::key::Key;
use crate::path::{Path, Point, Rect};
use crate::raster::Raster;
use crate::{Error, font};

/// How a line is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Stroke {
    /// Colour.
    pub colour: Colour,
    /// Width.
    pub width: f64,
    /// 1 is opaque.
    pub opacity: f64,
    /// Lengths of dashes and gaps; empty for a full line.
    pub dash: Vec<f64>,
}

impl Stroke {
    /// A full opaque line.
    pub fn new(colour: Colour, width: f64) -> Self {
        Self { colour, width, opacity: 1.0, dash: vec![] }
    }

    /// The same, less opaque.
    #[must_use]
    pub fn faded(mut self, opacity: f64) -> Self {
        self.opacity = opacity;
        self
    }

    /// The same, dashed.
    #[must_use]
    pub fn dashed(mut self, on: f64, off: f64) -> Self {
        self.dash = vec![on, off];
        self
    }
}

/// Colour and opacity of an area.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fill {
    /// Colour.
    pub colour: Colour,
    /// 1 is opaque.
    pub opacity: f64,
}

impl From<Colour> for Fill {
    fn from(colour: Colour) -> Self {
        Self { colour, opacity: 1.0 }
    }
}

/// Where the given point of a text is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Anchor {
    /// At its start.
    #[default]
    Start,
    /// In its middle.
    Middle,
    /// At its end.
    End,
}

/// A line of text.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// The words.
    pub text: String,
    /// Its anchor on the baseline.
    pub at: Point,
    /// Size of the font.
    pub size: f64,
    /// Regular or semi-bold.
    pub weight: Weight,
    /// What `at` is.
    pub anchor: Anchor,
    /// Colour.
    pub colour: Colour,
    /// White around the letters, for texts over a drawing.
    pub halo: bool,
    /// Read from bottom to top.
    pub upright: bool,
}

impl Text {
    /// A dark regular text.
    pub fn new(text: impl Into<String>, at: Point, size: f64) -> Self {
        Self {
            text: text.into(),
            at,
            size,
            weight: Weight::Regular,
            anchor: Anchor::Start,
            colour: crate::colour::INK,
            halo: false,
            upright: false,
        }
    }

    /// The same with another anchor.
    #[must_use]
    pub fn anchored(mut self, anchor: Anchor) -> Self {
        self.anchor = anchor;
        self
    }

    /// The same in another colour.
    #[must_use]
    pub fn coloured(mut self, colour: Colour) -> Self {
        self.colour = colour;
        self
    }

    /// Its width on the page.
    pub fn width(&self) -> f64 {
        font::width(&self.text, self.size, self.weight)
    }
}

/// One thing on the page.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A filled or stroked path, with a name shown by viewers that can.
    Path {
        /// Its outline.
        path: Path,
        /// Its area, by the non-zero rule.
        fill: Option<Fill>,
        /// Its line, with round joins and ends.
        stroke: Option<Stroke>,
        /// Empty if it needs none.
        name: String,
    },
    /// Many small discs of one colour.
    Dots {
        /// Centres.
        points: Vec<Point>,
        /// Radius.
        radius: f64,
        /// Colour and opacity.
        fill: Fill,
    },
    /// A text.
    Text(Text),
    /// Pixels.
    Image {
        /// The pixels.
        raster: Raster,
        /// Where they go.
        at: Rect,
    },
    /// Several things, perhaps seen through a window.
    Group {
        /// Becomes the class in SVG.
        name: &'static str,
        /// Nothing is drawn outside of it.
        clip: Option<Rect>,
        /// The things.
        layer: Layer,
    },
}

/// Things in the order in which they are drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layer {
    /// The things.
    pub items: Vec<Item>,
}

impl Layer {
    /// Adds an area.
    pub fn fill(&mut self, path: Path, fill: impl Into<Fill>) {
        self.items.push(Item::Path { path, fill: Some(fill.into()), stroke: None, name: String::new() });
    }

    /// Adds a line.
    pub fn stroke(&mut self, path: Path, stroke: Stroke) {
        self.items.push(Item::Path { path, fill: None, stroke: Some(stroke), name: String::new() });
    }

    /// Adds an area with its outline.
    pub fn outlined(&mut self, path: Path, fill: impl Into<Fill>, stroke: Stroke) {
        self.items.push(Item::Path { path, fill: Some(fill.into()), stroke: Some(stroke), name: String::new() });
    }

    /// Adds dots.
    pub fn dots(&mut self, points: Vec<Point>, radius: f64, fill: impl Into<Fill>) {
        if !points.is_empty() {
            self.items.push(Item::Dots { points, radius, fill: fill.into() });
        }
    }

    /// Adds a text.
    pub fn text(&mut self, text: Text) {
        self.items.push(Item::Text(text));
    }

    /// Adds a layer, if it has anything.
    pub fn group(&mut self, name: &'static str, clip: Option<Rect>, layer: Layer) {
        if !layer.items.is_empty() {
            self.items.push(Item::Group { name, clip, layer });
        }
    }

    /// The first thing that is not a number.
    fn check(&self) -> Result<(), Error> {
        let ok = |p: &Point| p[0].is_finite() && p[1].is_finite();
        for item in &self.items {
            let (what, good) = match item {
                Item::Path { path, stroke, name, .. } => {
                    (name.as_str(), path.is_finite() && stroke.as_ref().is_none_or(|s| s.width.is_finite()))
                }
                Item::Dots { points, radius, .. } => ("dots", radius.is_finite() && points.iter().all(ok)),
                Item::Text(t) => (t.text.as_str(), ok(&t.at) && t.size.is_finite()),
                Item::Image { at, .. } => ("image", ok(&at.min) && ok(&at.max)),
                Item::Group { layer, .. } => {
                    layer.check()?;
                    continue;
                }
            };
            if !good {
                return Err(Error::NotFinite { what: if what.is_empty() { "a line".into() } else { what.into() } });
            }
        }
        Ok(())
    }
}

/// A page.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
    /// Told to those who do not see it.
    pub description: String,
    /// Paper.
    pub background: Colour,
    /// What is on it.
    pub layer: Layer,
    /// Its legend, and the height at the bottom that it takes.
    pub legend: (Vec<Key>, f64),
}

/// Longest side of a page.
pub const LARGEST: f64 = 20_000.0;

impl Picture {
    /// An empty white page.
    pub fn new(width: f64, height: f64) -> Self {
        Self {
            width,
            height,
            description: String::new(),
            background: WHITE,
            layer: Layer::default(),
            legend: (vec![], 0.0),
        }
    }

    /// Refuses sizes that make no sense and coordinates that are not numbers.
    pub(crate) fn validate(&self) -> Result<(), Error> {
        for side in [self.width, self.height] {
            if !(1.0..=LARGEST).contains(&side) {
                return Err(Error::PageSize { width: self.width, height: self.height });
            }
        }
        self.layer.check()
    }
}
