//! A frame with ticks, for charts, insets and profiles.

use crate::colour::{FAINT, INK, SOFT, WHITE};
use crate::label;
use crate::path::{Path, Point, Rect};
use crate::picture::{Anchor, Layer, Stroke, Text};

/// How numbers are spaced along an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equally far apart.
    #[default]
    Linear,
    /// Equal ratios are equally far apart; numbers that are not positive have no place.
    Logarithmic,
}

impl Scale {
    /// The coordinate of a number; not finite where it has no place.
    pub(crate) fn coordinate(self, x: f64) -> f64 {
        match self {
            Self::Linear => x,
            Self::Logarithmic if x > 0.0 => x.log10(),
            Self::Logarithmic => f64::NAN,
        }
    }

    fn ticks(self, low: f64, high: f64, count: usize) -> Vec<f64> {
        match self {
            Self::Linear => label::ticks(low, high, count),
            Self::Logarithmic => label::logarithmic_ticks(low, high, count),
        }
    }
}

/// Two ranges of numbers shown in a rectangle of the page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axes {
    /// The rectangle inside the frame.
    pub rect: Rect,
    /// Ranges; y up.
    pub range: Rect,
    /// Spacing along x and along y.
    pub scales: [Scale; 2],
}

/// Size of the letters.
const SIZE: f64 = 9.5;

impl Axes {
    /// Linear in both directions.
    pub fn linear(rect: Rect, range: Rect) -> Self {
        Self { rect, range, scales: [Scale::Linear; 2] }
    }

    /// A point of the ranges on the page.
    pub fn at(&self, p: Point) -> Point {
        let part = |k: usize| {
            let [x, low, high] = [p[k], self.range.min[k], self.range.max[k]].map(|x| self.scales[k].coordinate(x));
            (x - low) / (high - low)
        };
        [self.rect.min[0] + part(0) * self.rect.width(), self.rect.max[1] - part(1) * self.rect.height()]
    }

    /// Frame, grid, ticks and the names of the axes.
    pub fn draw(&self, x_label: &str, y_label: &str, layer: &mut Layer) {
        let r = self.rect;
        layer.fill(Path::rect(&r), WHITE);
        let (columns, rows) = ((r.width() / 46.0) as usize, (r.height() / 34.0) as usize);
        let mut grid = Path::default();
        let mut texts = vec![];
        let across = self.scales[0].ticks(self.range.min[0], self.range.max[0], columns.max(2));
        for (&x, words) in across.iter().zip(self.words(0, &across)) {
            let p = self.at([x, self.range.min[1]])[0];
            grid.extend(Path::segment([p, r.min[1]], [p, r.max[1]]));
            texts.push(Text::new(words, [p, r.max[1] + 12.0], SIZE).anchored(Anchor::Middle));
        }
        let up = self.scales[1].ticks(self.range.min[1], self.range.max[1], rows.max(2));
        for (&y, words) in up.iter().zip(self.words(1, &up)) {
            let p = self.at([self.range.min[0], y])[1];
            grid.extend(Path::segment([r.min[0], p], [r.max[0], p]));
            let at = [r.min[0] - 4.0, p + 0.36 * SIZE];
            texts.push(Text::new(words, at, SIZE).anchored(Anchor::End));
        }
        layer.stroke(grid, Stroke::new(FAINT, 0.5));
        layer.stroke(Path::rect(&r), Stroke::new(SOFT, 0.8));
        let widest = texts.iter().filter(|t| t.anchor == Anchor::End).map(Text::width).fold(0.0, f64::max);
        texts.into_iter().for_each(|t| layer.text(t.coloured(SOFT)));
        let x = Text::new(x_label, [r.centre()[0], r.max[1] + 25.0], SIZE).anchored(Anchor::Middle);
        layer.text(x.coloured(INK));
        let mut y = Text::new(y_label, [r.min[0] - 9.0 - widest, r.centre()[1]], SIZE).anchored(Anchor::Middle);
        y.upright = true;
        layer.text(y.coloured(INK));
    }

    /// Numbers of ticks; those of ratios are far apart.
    fn words(&self, k: usize, ticks: &[f64]) -> Vec<String> {
        match self.scales[k] {
            Scale::Linear => label::told_apart(ticks),
            Scale::Logarithmic => ticks.iter().map(|t| label::number(*t, 4)).collect(),
        }
    }

    /// Room that texts need: left, above, right, below.
    pub const MARGINS: [f64; 4] = [46.0, 22.0, 10.0, 30.0];

    /// The rectangle inside the frame, when texts and frame have `outer`.
    pub fn inside(outer: &Rect) -> Rect {
        let [left, above, right, below] = Self::MARGINS;
        Rect { min: [outer.min[0] + left, outer.min[1] + above], max: [outer.max[0] - right, outer.max[1] - below] }
    }
}
