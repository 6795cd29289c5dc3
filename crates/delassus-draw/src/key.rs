//! Entries of the legend below a picture, in rows.

use crate::colour::{Colour, INK, SOFT, WHITE};
use crate::font::{self, Weight};
use crate::path::{Path, Point, Rect};
use crate::picture::{Fill, Layer, Stroke, Text};
use crate::symbol::{self, Symbol};

/// One entry.
#[derive(Clone, Debug, PartialEq)]
pub enum Key {
    /// A scale bar of that length on the page.
    Bar(f64, String),
    /// A piece of line of that length.
    Line(Stroke, f64, String),
    /// A dot, open or full.
    Dot {
        /// Colour.
        colour: Colour,
        /// Full or only its edge.
        full: bool,
        /// Meaning.
        text: String,
    },
    /// A small area with its edge.
    Area(Fill, Stroke, String),
    /// An arrow in a direction of the page (y down).
    Arrow(Point, String),
    /// A sign of mechanics; its place is from the left end of the entry.
    Sign(Box<Symbol<2>>, String),
    /// Words alone.
    Words(String),
}

/// Size of the letters.
const SIZE: f64 = 11.0;
/// Height of a row.
const ROW: f64 = 22.0;
/// Between two entries, and between a sign and its words.
const GAP: [f64; 2] = [24.0, 7.0];

impl Key {
    fn text(&self) -> &str {
        match self {
            Self::Bar(_, t) | Self::Arrow(_, t) | Self::Words(t) => t,
            Self::Line(_, _, t) | Self::Area(_, _, t) => t,
            Self::Sign(_, t) => t,
            Self::Dot { text, .. } => text,
        }
    }

    fn sign(&self) -> f64 {
        match self {
            Self::Bar(length, _) => *length,
            // Its round ends stand out.
            Self::Line(stroke, length, _) => length + stroke.width,
            Self::Dot { .. } => 8.0,
            Self::Area(..) => 18.0,
            Self::Arrow(..) => 16.0,
            Self::Sign(sign, _) => sign.width(),
            Self::Words(_) => -GAP[1],
        }
    }

    fn width(&self) -> f64 {
        self.sign() + GAP[1] + font::width(self.text(), SIZE, Weight::Regular)
    }

    fn draw(&self, x: f64, y: f64, layer: &mut Layer) {
        match self {
            Self::Bar(length, _) => {
                let mut path = Path::segment([x, y], [x + length, y]);
                for end in [x, x + length] {
                    path.extend(Path::segment([end, y - 3.5], [end, y + 3.5]));
                }
                layer.stroke(path, Stroke::new(INK, 1.2));
            }
            Self::Line(stroke, length, _) => {
                let x = x + 0.5 * stroke.width;
                layer.stroke(Path::segment([x, y], [x + length, y]), stroke.clone());
            }
            Self::Dot { colour, full, .. } => {
                let inside = if *full { *colour } else { WHITE };
                layer.outlined(Path::circle([x + 4.0, y], 3.2), inside, Stroke::new(*colour, 1.2));
            }
            Self::Area(fill, stroke, _) => {
                layer.outlined(Path::rect(&Rect::new(x, y - 6.0, 18.0, 12.0)), *fill, stroke.clone());
            }
            Self::Arrow(d, _) => arrow([x + 8.0 - 8.0 * d[0], y - 8.0 * d[1]], *d, 16.0, layer),
            Self::Sign(sign, _) => symbol::draw_one(sign, [x, y], layer),
            Self::Words(_) => {}
        }
        let text = Text::new(self.text(), [x + self.sign() + GAP[1], y + 0.36 * SIZE], SIZE);
        layer.text(text.coloured(SOFT.mix(INK, 0.4)));
    }
}

/// An arrow of a given length from a point.
pub fn arrow(from: Point, direction: Point, length: f64, layer: &mut Layer) {
    let [dx, dy] = direction;
    let tip = [from[0] + length * dx, from[1] + length * dy];
    let wing = |side: f64| [tip[0] - 5.0 * dx - side * 3.0 * dy, tip[1] - 5.0 * dy + side * 3.0 * dx];
    let neck = [tip[0] - 4.0 * dx, tip[1] - 4.0 * dy];
    layer.stroke(Path::segment(from, neck), Stroke::new(INK, 1.2));
    layer.fill(Path::polygon(&[tip, wing(1.0), wing(-1.0)]), INK);
}

/// Entries broken into rows of at most `width`.
fn rows(keys: &[Key], width: f64) -> Vec<Vec<&Key>> {
    let mut rows: Vec<Vec<&Key>> = vec![];
    let mut used = f64::INFINITY;
    for key in keys {
        let needed = key.width();
        if used + GAP[0] + needed > width {
            rows.push(vec![]);
            used = -GAP[0];
        }
        used += GAP[0] + needed;
        rows.last_mut().expect("the first entry opens a row").push(key);
    }
    rows
}

/// Height of the legend.
pub fn height(keys: &[Key], width: f64) -> f64 {
    rows(keys, width).len() as f64 * ROW
}

/// Draws it from the upper left corner.
pub fn draw(keys: &[Key], at: Point, width: f64) -> Layer {
    let mut layer = Layer::default();
    for (i, row) in rows(keys, width).iter().enumerate() {
        let mut x = at[0];
        for key in row {
            key.draw(x, at[1] + (i as f64 + 0.5) * ROW, &mut layer);
            x += key.width() + GAP[0];
        }
    }
    layer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_break_and_never_lose_an_entry() {
        let keys: Vec<Key> = (0..7).map(|i| Key::Words(format!("entry number {i}"))).collect();
        let one = keys[0].width();
        assert_eq!(rows(&keys, 1e6).len(), 1);
        // Two fit when there is room for two and the gap.
        assert_eq!(rows(&keys, 2.2 * one + GAP[0]).len(), 4);
        assert_eq!(rows(&keys, 1.0).iter().map(Vec::len).sum::<usize>(), 7);
        assert_eq!(height(&[], 100.0), 0.0);
    }
}
