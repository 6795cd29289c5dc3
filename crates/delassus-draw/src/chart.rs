//! Curves against a common abscissa: panels in a grid, one legend for all
//!
//! Numbers are shown in the prefix of their unit that keeps them short. A curve with far
//! more points than the panel has columns keeps the first, last, lowest and highest of each
//! column: the drawing is the same, the file is not.

use crate::axes::{Axes, Scale};
use crate::colour::Colour;
use crate::error::Error;
use crate::font::Weight;
use crate::key::{self, Key};
use crate::page::{Columns, Head, Page, legend_width};
use crate::path::{Path, Piece, Point, Rect};
use crate::picture::{Layer, Picture, Stroke, Text};

/// Okabe and Ito's palette without its yellow, which paper swallows.
const COLOURS: [Colour; 7] = [
    Colour::hex(0x00_72B2),
    Colour::hex(0xD5_5E00),
    Colour::hex(0x00_9E73),
    Colour::hex(0xCC_79A7),
    Colour::hex(0xE6_9F00),
    Colour::hex(0x56_B4E9),
    Colour::hex(0x5A_6672),
];

/// Dashes, so that curves are told apart without colours.
const DASHES: [&[f64]; 4] = [&[], &[6.0, 3.0], &[1.5, 2.5], &[8.0, 2.5, 1.5, 2.5]];

/// A curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name in the legend; curves of one name in several panels share the entry, one without a name has none.
    pub name: String,
    /// How it is drawn.
    pub stroke: Stroke,
    /// Points; one that is not finite interrupts the line.
    pub points: Vec<Point>,
}

/// A quantity along an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// In words.
    pub name: String,
    /// Its unit; `1` if there is none.
    pub unit: String,
    /// How its numbers are spaced.
    pub scale: Scale,
    /// The range shown; that of the curves if none.
    pub range: Option<[f64; 2]>,
}

impl Quantity {
    /// On a linear axis as long as its curves.
    pub fn new(name: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { name: name.into(), unit: unit.into(), scale: Scale::Linear, range: None }
    }

    /// The same on a logarithmic axis.
    #[must_use]
    pub fn logarithmic(mut self) -> Self {
        self.scale = Scale::Logarithmic;
        self
    }

    /// The same with a fixed range.
    #[must_use]
    pub fn between(mut self, low: f64, high: f64) -> Self {
        self.range = Some([low, high]);
        self
    }

    /// The factor that keeps numbers up to `largest` short, and the words for them.
    pub fn shown(&self, largest: f64) -> (f64, String) {
        self.scaled(largest)
    }

    /// The factor that keeps numbers up to `largest` short, and the words of the axis.
    pub(crate) fn scaled(&self, largest: f64) -> (f64, String) {
        const PREFIXES: [(i32, &str); 7] = [(-9, "n"), (-6, "µ"), (-3, "m"), (0, ""), (3, "k"), (6, "M"), (9, "G")];
        let plain = |unit: &str| match unit {
            "1" | "" => self.name.clone(),
            unit => format!("{} [{unit}]", self.name),
        };
        let ratios = self.scale == Scale::Logarithmic;
        if ratios || !(largest > 0.0) || !largest.is_finite() || (1e-2..1e4).contains(&largest) {
            return (1.0, plain(&self.unit));
        }
        let power = 3 * (largest.log10() / 3.0 + 1e-9).floor() as i32;
        let prefixed = ["s", "m", "m/s", "N", "J", "Pa", "N s", "W"].contains(&self.unit.as_str());
        match PREFIXES.iter().find(|p| p.0 == power).filter(|_| prefixed) {
            Some((_, prefix)) => (10f64.powi(-power), plain(&format!("{prefix}{}", self.unit))),
            None => {
                let unit = if self.unit == "1" { String::new() } else { format!(" {}", self.unit) };
                (10f64.powi(-power), plain(format!("10^{power}{unit}").trim_end()))
            }
        }
    }
}

/// Curves with common axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Title; may be empty.
    pub title: String,
    /// The abscissa.
    pub x: Quantity,
    /// The ordinate.
    pub y: Quantity,
    /// The curves.
    pub curves: Vec<Curve>,
}

/// A page of panels.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Title and size.
    pub head: Head,
    /// The panels, row after row.
    pub panels: Vec<Panel>,
}

/// The line of the curve number `k`.
pub fn line_style(k: usize) -> Stroke {
    // The same colour comes back with another dash.
    let dash = DASHES[(k + 2 * (k / COLOURS.len())) % DASHES.len()];
    Stroke { dash: dash.to_vec(), ..Stroke::new(COLOURS[k % COLOURS.len()], 1.5) }
}

/// Room that texts of a panel need: left, above, right, below.
const MARGINS: [f64; 4] = [62.0, 20.0, 12.0, 34.0];
/// Height that a panel wants: alone, among others, among many.
const HEIGHTS: [f64; 3] = [380.0, 236.0, 180.0];

impl Chart {
    /// The page.
    pub fn picture(&self) -> Result<Picture, Error> {
        let keys = self.keys();
        let columns = match self.panels.len() {
            0..=3 => 1,
            4..=8 => 2,
            9..=18 => 3,
            _ => 4,
        };
        let rows = self.panels.len().div_ceil(columns).max(1);
        let least = rows as f64 * HEIGHTS[usize::from(rows > 1) + usize::from(columns > 2)];
        let legend = key::height(&keys, legend_width(&self.head));
        let page = Page::new(&self.head, 4.0, Columns { least, ..Columns::default() }, legend);
        let (width, height) = (page.main.width() / columns as f64, page.main.height() / rows as f64);
        let mut layer = Layer::default();
        for (i, panel) in self.panels.iter().enumerate() {
            let at = [(i % columns) as f64 * width, (i / columns) as f64 * height];
            panel.draw(&Rect::new(page.main.min[0] + at[0], page.main.min[1] + at[1], width, height), &mut layer);
        }
        let picture = page.picture(&self.head, &keys, layer);
        picture.validate()?;
        Ok(picture)
    }

    /// One entry for each name, where there is more than one.
    fn keys(&self) -> Vec<Key> {
        let mut seen: Vec<&Curve> = vec![];
        for curve in self.panels.iter().flat_map(|p| &p.curves) {
            if !curve.name.is_empty() && !seen.iter().any(|c| c.name == curve.name) {
                seen.push(curve);
            }
        }
        if seen.len() < 2 {
            return vec![];
        }
        seen.iter().map(|c| Key::Line(c.stroke.clone(), 26.0, c.name.clone())).collect()
    }
}

impl Panel {
    /// The ranges shown, in the numbers of the curves.
    fn range(&self) -> Rect {
        let scales = self.scales();
        let mut range = Rect::EMPTY;
        for p in self.curves.iter().flat_map(|c| &c.points) {
            let at = [scales[0].coordinate(p[0]), scales[1].coordinate(p[1])];
            if is_finite(&at) {
                range.include(at, 0.0);
            }
        }
        if range.is_empty() {
            range = Rect::new(0.0, 0.0, 1.0, 1.0);
        }
        let (x, y) = (wide([range.min[0], range.max[0]]), roomy([range.min[1], range.max[1]]));
        let numbers = |quantity: &Quantity, found: [f64; 2]| {
            quantity.range.unwrap_or(match quantity.scale {
                Scale::Linear => found,
                Scale::Logarithmic => found.map(|c| 10f64.powf(c)),
            })
        };
        let ([left, right], [low, high]) = (numbers(&self.x, x), numbers(&self.y, y));
        Rect { min: [left, low], max: [right, high] }
    }

    fn scales(&self) -> [Scale; 2] {
        [self.x.scale, self.y.scale]
    }

    fn draw(&self, outer: &Rect, layer: &mut Layer) {
        let [left, above, right, below] = MARGINS;
        let rect = Rect {
            min: [outer.min[0] + left, outer.min[1] + above],
            max: [outer.max[0] - right, outer.max[1] - below],
        };
        let range = self.range();
        let largest = |k: usize| range.min[k].abs().max(range.max[k].abs());
        let ((fx, x_label), (fy, y_label)) = (self.x.scaled(largest(0)), self.y.scaled(largest(1)));
        let shown = Rect { min: [range.min[0] * fx, range.min[1] * fy], max: [range.max[0] * fx, range.max[1] * fy] };
        let axes = Axes { rect, range: shown, scales: self.scales() };
        axes.draw(&x_label, &y_label, layer);
        let mut lines = Layer::default();
        for curve in &self.curves {
            let at = curve.points.iter().map(|p| axes.at([p[0] * fx, p[1] * fy])).collect::<Vec<_>>();
            let path = line(&thinned(&at));
            if !path.pieces.is_empty() {
                lines.stroke(path, curve.stroke.clone());
            }
        }
        layer.group("curves", Some(rect), lines);
        if !self.title.is_empty() {
            let mut title = Text::new(&self.title, [rect.min[0], rect.min[1] - 6.0], 11.0);
            title.weight = Weight::SemiBold;
            layer.text(title);
        }
    }
}

/// A range that is one number gets a width.
fn wide([low, high]: [f64; 2]) -> [f64; 2] {
    let half = if high > low { 0.0 } else { 0.5 * low.abs().max(f64::MIN_POSITIVE.sqrt()) };
    [low - half, high + half]
}

/// A range with room on both sides. A constant up to round-off is drawn as one, not as its noise.
fn roomy([low, high]: [f64; 2]) -> [f64; 2] {
    let size = low.abs().max(high.abs());
    let room = if high - low > 1e-9 * size { 0.06 * (high - low) } else { 0.5 * size.max(1e-3) };
    [low - room, high + room]
}

fn is_finite(p: &Point) -> bool {
    p[0].is_finite() && p[1].is_finite()
}

/// A line that stops where a point is missing.
fn line(points: &[Point]) -> Path {
    let mut path = Path::default();
    let mut open = false;
    for p in points {
        match (is_finite(p), open) {
            (true, true) => path.pieces.push(Piece::Line(*p)),
            (true, false) => path.pieces.push(Piece::Move(*p)),
            _ => {}
        }
        open = is_finite(p);
    }
    path
}

/// At most four points in each half unit of the page.
fn thinned(points: &[Point]) -> Vec<Point> {
    let column = |p: &Point| (2.0 * p[0]).floor();
    let mut out: Vec<Point> = Vec::with_capacity(points.len().min(8000));
    let mut start = 0;
    while start < points.len() {
        let mut end = start + 1;
        while end < points.len() && column(&points[end]) == column(&points[start]) {
            end += 1;
        }
        let part = &points[start..end];
        if part.len() <= 4 {
            out.extend(part);
        } else {
            let by = |better: fn(f64, f64) -> bool| {
                (0..part.len()).reduce(|a, b| if better(part[b][1], part[a][1]) { b } else { a }).unwrap_or(0)
            };
            let mut kept = [0, by(|a, b| a < b), by(|a, b| a > b), part.len() - 1];
            kept.sort_unstable();
            out.extend(kept.iter().map(|&i| part[i]));
        }
        start = end;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(name: &str, points: Vec<Point>) -> Curve {
        Curve { name: name.into(), stroke: line_style(0), points }
    }

    fn chart(panels: Vec<Panel>) -> Chart {
        Chart { head: Head::new("t"), panels }
    }

    fn panel(curves: Vec<Curve>) -> Panel {
        Panel { title: "p".into(), x: Quantity::new("time", "s"), y: Quantity::new("force", "N"), curves }
    }

    /// Extremes survive thinning: a spike of one sample among many stays.
    #[test]
    fn a_spike_survives() {
        let points: Vec<Point> =
            (0..100_000).map(|i| [f64::from(i) * 1e-3, if i == 41_234 { -7.0 } else { f64::from(i % 3) }]).collect();
        let kept = thinned(&points);
        assert!(kept.len() <= 4 * 202, "{}", kept.len());
        assert!(kept.contains(&[41.234, -7.0]) && kept[0] == points[0] && kept.last() == points.last());
        assert!(kept.windows(2).all(|w| w[0][0] <= w[1][0]));
    }

    #[test]
    fn many_curves_have_different_lines() {
        let styles: Vec<Stroke> = (0..28).map(line_style).collect();
        for (i, a) in styles.iter().enumerate() {
            assert!(styles[..i].iter().all(|b| b != a), "curve {i}");
        }
    }

    #[test]
    fn units_get_prefixes() {
        let scaled = |unit: &str, largest| Quantity::new("q", unit).scaled(largest);
        assert_eq!(scaled("s", 4e-4), (1e6, "q [µs]".into()));
        assert_eq!(scaled("N", 1.58e7), (1e-6, "q [MN]".into()));
        assert_eq!(scaled("m", 0.3), (1.0, "q [m]".into()));
        assert_eq!(scaled("1", 1e-8).1, "q [10^-9]");
        assert_eq!(scaled("kg m/s", 6240.0), (1.0, "q [kg m/s]".into()));
        assert_eq!(scaled("J", 0.0), (1.0, "q [J]".into()));
    }

    #[test]
    fn nothing_finite_still_makes_a_page() {
        for points in [vec![], vec![[0.0, f64::NAN]], vec![[1.0, 2.0]], vec![[0.0, 5.0], [1.0, 5.0]]] {
            let svg = chart(vec![panel(vec![curve("a", points)])]).picture().and_then(|p| p.to_svg()).expect("drawn");
            assert!(svg.starts_with("<svg"));
        }
    }

    /// Ratios are distances: 1, 10 and 100 are equally far apart, and zero has no place.
    #[test]
    fn a_logarithmic_axis_shows_ratios() {
        let mut panel = panel(vec![curve("a", vec![[0.0, 1.0], [1.0, 0.0], [2.0, 100.0]])]);
        panel.y = Quantity::new("residual", "1").logarithmic();
        let range = panel.range();
        assert!(range.min[1] > 0.5 && range.max[1] < 200.0, "{range:?}");
        let axes = Axes { rect: Rect::new(0.0, 0.0, 1.0, 1.0), range, scales: panel.scales() };
        let y = |value: f64| axes.at([0.0, value])[1];
        assert!((y(1.0) - y(10.0) - (y(10.0) - y(100.0))).abs() < 1e-12 && y(0.0).is_nan());
        panel.y = panel.y.between(1.0, 1e4);
        assert_eq!((panel.range().min[1], panel.range().max[1]), (1.0, 1e4));
        chart(vec![panel]).picture().expect("drawn");
    }

    /// A gap in the data is a gap in the line.
    #[test]
    fn a_missing_point_interrupts() {
        let path = line(&[[0.0, 0.0], [1.0, 0.0], [f64::NAN, 0.0], [3.0, 0.0]]);
        let moves = path.pieces.iter().filter(|p| matches!(p, Piece::Move(_))).count();
        assert_eq!((moves, path.pieces.len()), (2, 3));
    }

    #[test]
    fn one_legend_for_all_panels() {
        let panels =
            (0..4).map(|_| panel(vec![curve("a", vec![[0.0, 1.0], [1.0, 2.0]]), curve("b", vec![])])).collect();
        let chart = chart(panels);
        assert_eq!(chart.keys().len(), 2);
        let picture = chart.picture().expect("drawn");
        assert!(picture.height > 2.0 * HEIGHTS[1]);
    }
}
