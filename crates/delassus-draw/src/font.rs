//! Letters: Inter, built in, so that pictures are the same on every machine.
//!
//! Advance widths only, without kerning: SVG viewers that lack the font are told the width
//! of each text and get the same layout.

use crate::path::{Path, Piece, Point};
use std::sync::LazyLock;
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// Regular or semi-bold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weight {
    /// Text.
    #[default]
    Regular,
    /// Titles.
    SemiBold,
}

/// A subset of Inter 4 (Latin, Greek, a few signs); licence in fonts/OFL.txt.
static REGULAR: LazyLock<Face<'static>> = LazyLock::new(|| face(include_bytes!("../fonts/Inter-Regular.ttf")));
static SEMI_BOLD: LazyLock<Face<'static>> = LazyLock::new(|| face(include_bytes!("../fonts/Inter-SemiBold.ttf")));

fn face(bytes: &'static [u8]) -> Face<'static> {
    Face::parse(bytes, 0).expect("the built-in font is whole")
}

fn of(weight: Weight) -> &'static Face<'static> {
    match weight {
        Weight::Regular => &REGULAR,
        Weight::SemiBold => &SEMI_BOLD,
    }
}

/// Glyphs and their advances; a sign the font lacks is its empty box.
fn glyphs(text: &str, weight: Weight) -> impl Iterator<Item = (GlyphId, f64)> {
    let face = of(weight);
    text.chars().filter(|c| !c.is_control()).map(move |c| {
        let glyph = face.glyph_index(c).unwrap_or(GlyphId(0));
        (glyph, f64::from(face.glyph_hor_advance(glyph).unwrap_or(0)))
    })
}

/// Width of a text on the page.
pub fn width(text: &str, size: f64, weight: Weight) -> f64 {
    let units = f64::from(of(weight).units_per_em());
    glyphs(text, weight).map(|(_, advance)| advance * size / units).sum()
}

/// Its outline, from the start of the baseline at the origin; y down.
pub fn outline(text: &str, size: f64, weight: Weight) -> Path {
    let face = of(weight);
    let scale = size / f64::from(face.units_per_em());
    let mut pen = Pen { path: Path::default(), scale, x: 0.0, last: [0.0; 2] };
    for (glyph, advance) in glyphs(text, weight) {
        face.outline_glyph(glyph, &mut pen);
        pen.x += advance * scale;
    }
    pen.path
}

struct Pen {
    path: Path,
    scale: f64,
    x: f64,
    last: Point,
}

impl Pen {
    fn at(&self, x: f32, y: f32) -> Point {
        [self.x + self.scale * f64::from(x), -self.scale * f64::from(y)]
    }

    fn push(&mut self, piece: Piece, end: Point) {
        self.path.pieces.push(piece);
        self.last = end;
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let p = self.at(x, y);
        self.push(Piece::Move(p), p);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let p = self.at(x, y);
        self.push(Piece::Line(p), p);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let (c, p, a) = (self.at(x1, y1), self.at(x, y), self.last);
        let third = |e: Point| [e[0] + (c[0] - e[0]) * 2.0 / 3.0, e[1] + (c[1] - e[1]) * 2.0 / 3.0];
        self.push(Piece::Cubic(third(a), third(p), p), p);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let (c, d, p) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.push(Piece::Cubic(c, d, p), p);
    }

    fn close(&mut self) {
        self.path.pieces.push(Piece::Close);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_labels_are_there() {
        for c in "0123456789−×·°²³µμθαφτ±éÉœ–…ABCxyz()[],.;:+=/%'".chars() {
            for weight in [Weight::Regular, Weight::SemiBold] {
                assert!(of(weight).glyph_index(c).is_some(), "{c}");
            }
        }
    }

    /// Twice the text is twice as wide, and the outline stays within the width.
    #[test]
    fn widths_add() {
        let one = width("Delassus", 12.0, Weight::Regular);
        assert!((width("DelassusDelassus", 12.0, Weight::Regular) - 2.0 * one).abs() < 1e-9);
        let bounds = outline("Delassus", 12.0, Weight::Regular).bounds();
        assert!(bounds.min[0] >= 0.0 && bounds.max[0] <= one && bounds.max[1] < 1.0 && bounds.min[1] > -12.0);
    }
}
