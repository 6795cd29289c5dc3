//! Sets of reactions over a drawing, and the insets that enlarge some of them.

use crate::colour::{INK, SOFT, VERMILLION, WHITE};
use crate::key::Key;
use crate::label;
use crate::page::{self, COLUMN, Columns, Page};
use crate::path::{Path, Point, Rect};
use crate::picture::{Anchor, Fill, Layer, Stroke, Text};
use crate::reactions::{Cloud, Reactions};

/// Sets at their contacts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overlay {
    /// The sets.
    pub sets: Vec<Reactions>,
    /// Which of them are enlarged, by index.
    pub insets: Vec<usize>,
    /// How samples are drawn.
    pub cloud: Cloud,
}

impl Overlay {
    /// The sets that are enlarged.
    pub fn chosen(&self) -> impl Iterator<Item = &Reactions> {
        self.insets.iter().filter_map(|&i| self.sets.get(i))
    }

    /// Length of 1 N on the page: nearly the largest force is as long as a typical radius.
    pub fn scale(&self, radius: f64) -> f64 {
        let mut largest: Vec<f64> = self.sets.iter().map(Reactions::largest).filter(|f| *f > 0.0).collect();
        largest.sort_by(f64::total_cmp);
        match largest.len() {
            0 => 1.0,
            n => 1.1 * radius / largest[((n - 1) as f64 * 0.9).round() as usize],
        }
    }

    /// Entries of the legend.
    pub fn keys(&self, radius: f64) -> Vec<Key> {
        if self.sets.is_empty() {
            return vec![];
        }
        let scale = self.scale(radius);
        let force = label::round_down(90.0 / scale);
        let mut keys = vec![Key::Bar(force * scale, label::force(force))];
        if self.sets.iter().any(|s| !s.samples.is_empty()) {
            keys.push(match self.cloud {
                Cloud::Dots => Key::Dot { colour: INK, full: true, text: "sampled reactions".into() },
                Cloud::Fan => Key::Line(Stroke::new(INK, 0.6), 22.0, "sampled reactions".into()),
            });
        }
        if self.sets.iter().any(|s| !s.vertices.is_empty()) {
            let fill = Fill { colour: VERMILLION, opacity: 0.12 };
            keys.push(Key::Area(fill, Stroke::new(VERMILLION, 1.2), "possible reactions".into()));
        }
        if self.sets.iter().any(|s| !s.outer.is_empty()) {
            keys.push(Key::Line(Stroke::new(SOFT, 0.9).dashed(3.0, 2.5), 22.0, "outer bound".into()));
        }
        if !self.insets.is_empty() {
            if self.chosen().any(Reactions::shows_cone) {
                keys.push(Key::Line(Stroke::new(SOFT, 0.8).dashed(4.0, 3.0), 22.0, "cone of friction".into()));
            }
            if self.chosen().any(|s| s.solution.is_some()) {
                keys.push(Key::Dot { colour: INK, full: false, text: "certified solution".into() });
            }
        }
        keys
    }
}

/// Insets in the right column alone up to this number.
const ONE_SIDE: usize = 3;

/// The columns that insets and a profile need.
pub fn columns(insets: usize, profile: f64) -> Columns {
    let both = insets > ONE_SIDE && profile <= 0.0;
    let rows = if both { insets - insets / 2 } else { insets };
    let left = if both { COLUMN } else { profile };
    Columns { left, right: if insets > 0 { COLUMN } else { 0.0 }, rows, ..Columns::default() }
}

/// Draws insets, and a line from each to its contact at `at` on the page.
pub fn insets(sets: &[&Reactions], at: &[Point], page: &Page, layer: &mut Layer) {
    let [left, right] = page::sides(at, sets.len() > ONE_SIDE && page.left.width() >= COLUMN);
    for (side, column) in [(left, &page.left), (right, &page.right)] {
        for (&i, cell) in side.iter().zip(page::stacked(column, side.len())) {
            leader(at[i], &cell, column.min[0] < page.main.min[0], &sets[i].label, layer);
            sets[i].panel(&cell, layer);
        }
    }
}

/// A ring at the contact, a line to the edge of the inset.
fn leader(at: Point, cell: &Rect, left: bool, name: &str, layer: &mut Layer) {
    const RING: f64 = 6.0;
    let frame = crate::axes::Axes::inside(cell);
    let x = if left { frame.max[0] } else { cell.min[0] + 4.0 };
    let end = [x, frame.centre()[1]];
    let length = (end[0] - at[0]).hypot(end[1] - at[1]).max(1e-9);
    let start = [at[0] + RING * (end[0] - at[0]) / length, at[1] + RING * (end[1] - at[1]) / length];
    layer.stroke(Path::segment(start, end), Stroke::new(WHITE, 2.4).faded(0.8));
    layer.stroke(Path::segment(start, end), Stroke::new(INK, 0.7));
    layer.stroke(Path::circle(at, RING), Stroke::new(INK, 0.9));
    // The number alone: the inset has the whole name.
    let short = name.split([' ', ',']).find(|w| w.parse::<usize>().is_ok()).unwrap_or("");
    let mut text = Text::new(short, [at[0], at[1] - RING - 3.0], 9.5).anchored(Anchor::Middle);
    text.halo = true;
    layer.text(text);
}
