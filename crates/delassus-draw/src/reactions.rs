//! The set of reactions a contact may have: a cloud of solutions, the exact polygon, drawn
//! at the contact in the picture, or by itself with axes in newtons.

use crate::axes::Axes;
use crate::colour::{INK, SOFT, VERMILLION, WHITE};
use crate::font::Weight;
use crate::path::{Path, Point, Rect};
use crate::picture::{Fill, Layer, Stroke, Text};

/// Sets smaller than this, relative to their distance from the origin, are points.
const POINT: f64 = 1e-9;

/// What one contact may carry. Components are (normal, tangent, second tangent or 0) \[N\].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reactions {
    /// Which contact.
    pub label: String,
    /// Where it is in the plane of the picture.
    pub at: Point,
    /// The unit normal and tangents in the plane of the picture.
    pub directions: [Point; 3],
    /// Coefficient of friction, for the cone.
    pub friction: f64,
    /// Sampled solutions.
    pub samples: Vec<[f64; 3]>,
    /// Vertices of the exact set, or of a set inside it.
    pub vertices: Vec<[f64; 3]>,
    /// Vertices of a set that contains the exact one.
    pub outer: Vec<[f64; 3]>,
    /// One solution.
    pub solution: Option<[f64; 3]>,
    /// The set does not end.
    pub unbounded: bool,
    /// What the components are, with their unit; "force \\[N\\]" if empty.
    pub quantity: String,
}

/// How samples are drawn at a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cloud {
    /// A dot at the tip of each force.
    #[default]
    Dots,
    /// A segment from the contact for each force.
    Fan,
}

/// Most samples drawn at a contact of the picture, and in an inset: more would be a blot
/// and a file that no viewer opens.
const DRAWN: [usize; 2] = [1500, 12_000];

/// Most segments of a fan.
const FAN: usize = 80;

/// Every n-th, so that at most `most` are left.
fn thinned<T: Copy>(all: &[T], most: usize) -> impl Iterator<Item = T> + '_ {
    all.iter().copied().step_by(all.len().div_ceil(most).max(1))
}

impl Reactions {
    /// A force in the plane of the picture.
    fn shown(&self, r: &[f64; 3]) -> Point {
        std::array::from_fn(|i| (0..3).map(|k| r[k] * self.directions[k][i]).sum())
    }

    /// Largest force that was found.
    pub fn largest(&self) -> f64 {
        let all = self.samples.iter().chain(&self.vertices).chain(&self.solution);
        all.map(|r| r.iter().map(|x| x * x).sum::<f64>().sqrt()).fold(0.0, f64::max)
    }

    /// Draws it at its contact: `at` is where on the page, `scale` the length of 1 N.
    pub fn draw(&self, at: Point, scale: f64, cloud: Cloud, layer: &mut Layer) {
        let tip = |r: [f64; 3]| {
            let f = self.shown(&r);
            [at[0] + scale * f[0], at[1] - scale * f[1]]
        };
        let most = if cloud == Cloud::Fan { FAN } else { DRAWN[0] };
        let samples: Vec<Point> = thinned(&self.samples, most).map(tip).collect();
        match cloud {
            Cloud::Fan => {
                let mut fan = Path::default();
                samples.iter().for_each(|p| fan.extend(Path::segment(at, *p)));
                layer.stroke(fan, Stroke::new(INK, 0.4).faded(0.75));
            }
            Cloud::Dots => {
                if let Some(solution) = self.solution {
                    layer.stroke(Path::segment(at, tip(solution)), Stroke::new(SOFT, 0.5).faded(0.8));
                }
                layer.dots(samples, 0.45, Fill { colour: INK, opacity: 0.55 });
            }
        }
        let vertices: Vec<Point> = self.vertices.iter().map(|r| tip(*r)).collect();
        polygon(&vertices, 0.9, layer);
        layer.dots(vec![at], 1.5, INK);
    }

    fn all(&self) -> impl Iterator<Item = &[f64; 3]> {
        self.samples.iter().chain(&self.vertices).chain(&self.outer).chain(&self.solution)
    }

    /// The components an inset shows, across and up: a tangent and the normal; both
    /// tangents where these vary and the normal hardly does.
    fn shown_components(&self) -> [usize; 2] {
        let spread = |k: usize| {
            let (low, high) =
                self.all().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), r| (l.min(r[k]), h.max(r[k])));
            (high - low).max(0.0)
        };
        let [normal, first, second] = [0, 1, 2].map(spread);
        match second > 0.0 {
            true if normal < 0.2 * first.min(second) => [1, 2],
            true if second > first => [2, 0],
            _ => [1, 0],
        }
    }

    /// Range of the components that an inset shows.
    fn range(&self, [x, y]: [usize; 2]) -> Rect {
        let mut range = Rect::EMPTY;
        self.all().for_each(|r| range.include([r[x], r[y]], 0.0));
        if range.is_empty() {
            range.include([0.0; 2], 1.0);
        }
        // The origin belongs into the picture unless it makes the set tiny.
        let size = range.width().max(range.height());
        let from_origin = range.centre()[0].hypot(range.centre()[1]);
        // What is a point but for round-off is one, and one at the origin has no size of its own.
        if size <= POINT * from_origin || from_origin < 1.5 * size {
            range.include([0.0; 2], 0.0);
        }
        if range.width().max(range.height()) <= 0.0 {
            range.include([0.0; 2], 1.0);
        }
        range
    }

    /// The set by itself in `outer`, axes in newtons of the same scale.
    pub fn panel(&self, outer: &Rect, layer: &mut Layer) {
        let rect = Axes::inside(outer);
        let shown = self.shown_components();
        let content = self.range(shown);
        let view = crate::view::View::fit(&content.grown(0.06 * content.width().max(content.height())), rect);
        let axes = Axes::linear(rect, view.window);
        let quantity = if self.quantity.is_empty() { "force [N]" } else { self.quantity.as_str() };
        let space = self.all().any(|r| r[2] != 0.0);
        let name = |k: usize| match k {
            0 => format!("normal {quantity}"),
            k if space => format!("tangential {quantity}, {}", ["first", "second"][k - 1]),
            _ => format!("tangential {quantity}"),
        };
        axes.draw(&name(shown[0]), &name(shown[1]), layer);
        let at = |r: [f64; 3]| axes.at([r[shown[0]], r[shown[1]]]);
        let mut inside = Layer::default();
        if self.shows_cone() {
            self.cone(&axes, &mut inside);
        }
        let samples: Vec<Point> = thinned(&self.samples, DRAWN[1]).map(at).collect();
        let radius = if samples.len() > 3000 { 0.45 } else { 0.7 };
        inside.dots(samples, radius, Fill { colour: INK, opacity: 0.6 });
        let outside = hull(self.outer.iter().map(|r| at(*r)).collect());
        if outside.len() > 2 {
            inside.stroke(Path::polygon(&outside), Stroke::new(SOFT, 0.9).dashed(3.0, 2.5));
        }
        let vertices: Vec<Point> = self.vertices.iter().map(|r| at(*r)).collect();
        polygon(&vertices, 1.3, &mut inside);
        if let Some(solution) = self.solution {
            inside.outlined(Path::circle(at(solution), 2.6), WHITE, Stroke::new(INK, 1.1));
        }
        layer.group("inset", Some(rect.grown(0.5)), inside);
        let title = if self.unbounded { format!("{}, unbounded", self.label) } else { self.label.clone() };
        let mut title = Text::new(title, [rect.min[0], outer.min[1] + 14.0], 11.0);
        title.weight = Weight::SemiBold;
        layer.text(title);
    }

    /// Whether its inset has the edges of the cone.
    pub(crate) fn shows_cone(&self) -> bool {
        self.friction > 0.0 && self.shown_components()[1] == 0 && self.all().any(|r| r[0] > 0.0)
    }

    /// The edges of the cone |T| = μ N.
    fn cone(&self, axes: &Axes, layer: &mut Layer) {
        let top = axes.range.max[1];
        for side in [-1.0, 1.0] {
            let edge = Path::segment(axes.at([0.0, 0.0]), axes.at([side * self.friction * top, top]));
            layer.stroke(edge, Stroke::new(SOFT, 0.8).dashed(4.0, 3.0));
        }
    }
}

/// A polygon, a segment or a point, as the number of vertices of their hull says.
fn polygon(vertices: &[Point], width: f64, layer: &mut Layer) {
    let stroke = Stroke::new(VERMILLION, width);
    match hull(vertices.to_vec()).as_slice() {
        [] => {}
        [p] => layer.outlined(Path::circle(*p, 1.6 * width), VERMILLION, stroke),
        [a, b] => layer.stroke(Path::segment(*a, *b), Stroke::new(VERMILLION, 1.6 * width)),
        edge => layer.outlined(Path::polygon(edge), Fill { colour: VERMILLION, opacity: 0.12 }, stroke),
    }
}

/// Convex hull (Andrew's monotone chain), counter-clockwise where y points up; points
/// nearer than a hundredth of a unit of the page are one.
pub fn hull(mut points: Vec<Point>) -> Vec<Point> {
    points.retain(|p| p[0].is_finite() && p[1].is_finite());
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup_by(|a, b| (a[0] - b[0]).hypot(a[1] - b[1]) < 1e-2);
    if points.len() < 3 {
        return points;
    }
    let cross = |o: &Point, a: &Point, b: &Point| (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
    let chain = |points: &mut dyn Iterator<Item = Point>| {
        let mut kept: Vec<Point> = vec![];
        for p in points {
            while kept.len() > 1 && cross(&kept[kept.len() - 2], &kept[kept.len() - 1], &p) <= 1e-9 {
                kept.pop();
            }
            kept.push(p);
        }
        kept.pop();
        kept
    };
    let mut lower = chain(&mut points.iter().copied());
    lower.extend(chain(&mut points.iter().rev().copied()));
    lower
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square with points inside and on its edges is its four corners.
    #[test]
    fn hull_of_a_square() {
        let mut points: Vec<Point> = vec![[0.0, 0.0], [10.0, 0.0], [10.0, 10.0], [0.0, 10.0], [5.0, 0.0], [4.0, 6.0]];
        points.push([10.0, 10.001]);
        assert_eq!(hull(points).len(), 4);
        assert_eq!(hull(vec![[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]).len(), 2);
        assert_eq!(hull(vec![[1.0, 1.0], [1.0, 1.0]]).len(), 1);
        assert!(hull(vec![[f64::NAN, 0.0]]).is_empty());
    }

    /// A point, also one but for round-off, is shown with the origin and at its own size; one at the origin with room.
    #[test]
    fn a_set_that_is_a_point_has_a_range() {
        for points in [vec![[23.7, 4.0, 0.0]], vec![[23.7, 4.0, 0.0], [23.7 * (1.0 + 1e-15), 4.0, 0.0]]] {
            let set = Reactions { vertices: points, ..Reactions::default() };
            let range = set.range([1, 0]);
            assert!((range.width() - 4.0).abs() < 1e-9 && (range.height() - 23.7).abs() < 1e-9, "{range:?}");
        }
        let set = Reactions { vertices: vec![[0.0; 3]], ..Reactions::default() };
        assert!(set.range([1, 0]).width() > 0.0);
    }

    /// A force of 2 N along the normal of a contact whose normal is up, 10 units per
    /// newton: its tip is 20 units above the contact on the page.
    #[test]
    fn forces_are_turned_into_the_frame_of_the_contact() {
        let set = Reactions {
            directions: [[0.0, 1.0], [-1.0, 0.0], [0.0; 2]],
            samples: vec![[2.0, 1.0, 0.0]],
            ..Reactions::default()
        };
        let mut layer = Layer::default();
        set.draw([50.0, 50.0], 10.0, Cloud::Dots, &mut layer);
        let dots = layer.items.iter().find_map(|i| match i {
            crate::picture::Item::Dots { points, .. } => Some(points[0]),
            _ => None,
        });
        assert_eq!(dots, Some([40.0, 30.0]));
    }

    /// In the plane the tangent and the normal; in space what varies.
    #[test]
    fn insets_show_what_varies() {
        let of = |vertices: Vec<[f64; 3]>| Reactions { vertices, ..Reactions::default() }.shown_components();
        assert_eq!(of(vec![[1.0, -9.0, 0.0], [1.0, 9.0, 0.0]]), [1, 0]);
        assert_eq!(of(vec![[3.0, -1.0, -2.0], [3.1, 1.0, 2.0]]), [1, 2]);
        assert_eq!(of(vec![[3.0, -1.0, -2.0], [5.0, 1.0, 2.0]]), [2, 0]);
        assert_eq!(of(vec![]), [1, 0]);
    }

    #[test]
    fn thinning_keeps_the_bound() {
        let all: Vec<usize> = (0..10_000).collect();
        assert!(thinned(&all, 1500).count() <= 1500);
        assert_eq!(thinned(&all[..7], 1500).count(), 7);
    }
}
