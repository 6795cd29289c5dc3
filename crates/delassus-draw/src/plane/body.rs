//! Bodies of the plane as they are drawn.

use crate::body::{Role, Shape};
use crate::colour::{Colour, FILLS, FIXED, INK, SOFT};
use crate::path::{Path, Point, Rect};
use crate::picture::{Fill, Item, Layer, Stroke, Text};
use crate::vector::{add, norm, sub};
use crate::view::View;

/// An outline, in space.
#[derive(Clone, Debug, PartialEq)]
pub enum Outline {
    /// A particle.
    Point(Point),
    /// A disc.
    Disc {
        /// Its centre.
        centre: Point,
        /// Its radius \[m\].
        radius: f64,
        /// Angle of its mark \[rad\].
        angle: f64,
    },
    /// The points at `radius` from a segment.
    Capsule {
        /// Ends of the segment.
        ends: [Point; 2],
        /// Radius \[m\].
        radius: f64,
    },
    /// A closed area.
    Polygon(Vec<Point>),
    /// A line without thickness.
    Line(Vec<Point>),
    /// Everything below a line.
    HalfPlane {
        /// A point of the line.
        point: Point,
        /// Unit vector out of the matter.
        normal: Point,
    },
}

impl Outline {
    /// The same elsewhere.
    fn moved(&self, by: Point) -> Self {
        let to = |p: &Point| [p[0] + by[0], p[1] + by[1]];
        match self {
            Self::Point(p) => Self::Point(to(p)),
            Self::Disc { centre, radius, angle } => Self::Disc { centre: to(centre), radius: *radius, angle: *angle },
            Self::Capsule { ends, radius } => Self::Capsule { ends: [to(&ends[0]), to(&ends[1])], radius: *radius },
            Self::Polygon(points) => Self::Polygon(points.iter().map(to).collect()),
            Self::Line(points) => Self::Line(points.iter().map(to).collect()),
            Self::HalfPlane { point, normal } => Self::HalfPlane { point: to(point), normal: *normal },
        }
    }

    /// Grows a rectangle to contain it; half-planes have no size.
    pub fn include_in(&self, bounds: &mut Rect) {
        match self {
            Self::Point(p) => bounds.include(*p, 0.0),
            Self::Disc { centre, radius, .. } => bounds.include(*centre, *radius),
            Self::Capsule { ends, radius } => ends.iter().for_each(|p| bounds.include(*p, *radius)),
            Self::Polygon(points) | Self::Line(points) => points.iter().for_each(|p| bounds.include(*p, 0.0)),
            Self::HalfPlane { .. } => {}
        }
    }
}

impl Shape<2> for Outline {
    fn reach(&self, from: Point) -> Option<f64> {
        let distance = |p: &Point| norm(sub(*p, from));
        match self {
            Self::Point(_) | Self::HalfPlane { .. } => None,
            Self::Disc { centre, radius, .. } => Some(distance(centre) + radius),
            Self::Capsule { ends, radius } => Some(distance(&ends[0]).max(distance(&ends[1])) + radius),
            Self::Polygon(points) | Self::Line(points) => points.iter().map(distance).max_by(f64::total_cmp),
        }
    }

    fn is_round(&self, middle: Point) -> bool {
        matches!(self, Self::Disc { centre, radius, .. } if norm(sub(*centre, middle)) <= 1e-9 * radius)
    }

    fn is_bounded(&self) -> bool {
        !matches!(self, Self::HalfPlane { .. })
    }
}

/// A body of the plane.
pub type Body = crate::body::Body<2, Outline>;

impl Body {
    /// The same body elsewhere, without its label: a periodic image.
    pub fn moved(&self, by: Point) -> Self {
        Self {
            label: None,
            centre: add(self.centre, by),
            shapes: self.shapes.iter().map(|o| o.moved(by)).collect(),
            ..self.clone()
        }
    }

    /// Whether it may be seen in a window.
    fn is_seen(&self, window: &Rect) -> bool {
        let mut bounds = Rect::EMPTY;
        self.shapes.iter().for_each(|o| o.include_in(&mut bounds));
        let apart = |k: usize| bounds.min[k] > window.max[k] || bounds.max[k] < window.min[k];
        // What is not a number must be found and refused, not passed over.
        bounds.is_empty() || !(apart(0) || apart(1))
    }
}

/// Draws the bodies: half-planes first, then what is fixed, then what is free.
pub fn draw(bodies: &[Body], view: &View, marks: bool, glass: &[usize]) -> Layer {
    let mut layer = Layer::default();
    half_planes(bodies, view, &mut layer);
    for role in [Role::Fixed, Role::Free] {
        for (i, body) in bodies.iter().enumerate().filter(|(_, b)| b.role == role && b.is_seen(&view.window)) {
            let opacity = if glass.contains(&i) { GLASS } else { 1.0 };
            draw_body(body, view, (marks, opacity), &mut layer);
        }
    }
    for body in bodies.iter().filter(|b| view.window.contains(b.centre)) {
        if let Some(label) = &body.label {
            let at = view.at(body.centre);
            let size = (0.9 * body.radius() * view.scale).clamp(6.0, 13.0);
            let mut text = Text::new(label, [at[0], at[1] + 0.36 * size], size);
            (text.anchor, text.halo) = (crate::picture::Anchor::Middle, true);
            layer.text(text);
        }
    }
    layer
}

/// Opacity of bodies that one sees through.
const GLASS: f64 = 0.25;

fn draw_body(body: &Body, view: &View, (marks, opacity): (bool, f64), layer: &mut Layer) {
    let colour = body.fill(FILLS[0], FIXED);
    let fill = Fill { colour, opacity };
    let radius = body.radius() * view.scale;
    let width = (0.05 * radius).clamp(0.25, 0.9);
    let edge = SOFT.mix(colour, 0.15);
    let mut push = |path: Path, fill: Option<Fill>, stroke: Stroke| {
        layer.items.push(Item::Path { path, fill, stroke: Some(stroke), name: body.name.clone() });
    };
    for outline in &body.shapes {
        match outline {
            Outline::Point(p) => push(Path::circle(view.at(*p), 3.0), Some(INK.into()), Stroke::new(INK, 0.5)),
            Outline::Disc { centre, radius: r, angle } => {
                let (c, r) = (view.at(*centre), r * view.scale);
                push(Path::circle(c, r), Some(fill), Stroke::new(edge, width));
                if marks && body.role == Role::Free && r > 2.5 {
                    let rim = [c[0] + r * angle.cos(), c[1] - r * angle.sin()];
                    push(Path::segment(c, rim), None, Stroke::new(edge, width));
                }
            }
            Outline::Capsule { ends, radius: r } => {
                let path = Path::capsule(view.at(ends[0]), view.at(ends[1]), r * view.scale);
                push(path, Some(fill), Stroke::new(edge, width));
            }
            Outline::Polygon(points) => {
                let page: Vec<Point> = points.iter().map(|p| view.at(*p)).collect();
                push(Path::polygon(&page), Some(fill), Stroke::new(edge, width));
            }
            Outline::Line(points) => {
                let page: Vec<Point> = points.iter().map(|p| view.at(*p)).collect();
                let colour = if body.role == Role::Free { SOFT } else { INK };
                push(Path::polyline(&page), None, Stroke::new(colour, 1.4));
            }
            Outline::HalfPlane { .. } => {}
        }
    }
}

/// Distance between the strokes of a hatching, and their length, on the page.
const HATCH: f64 = 8.0;
/// Depth of the pale band below the edge of a half-plane, on the page.
const BAND: f64 = 34.0;

/// Half-planes on the page: pale below, an edge with strokes. One alone has a band of some
/// depth; several are a vessel and fill what is not inside it.
fn half_planes(bodies: &[Body], view: &View, layer: &mut Layer) {
    let found = bodies.iter().flat_map(|b| &b.shapes).filter_map(|o| match o {
        Outline::HalfPlane { point, normal } => Some((view.at(*point), View::turn(*normal))),
        _ => None,
    });
    let planes: Vec<(Point, Point)> = found.collect();
    let window = view.rect.grown(2.0);
    for (p, n) in &planes {
        let mut below = clipped(&window.corners(), *p, *n);
        if planes.len() == 1 {
            let deep = [p[0] - BAND * n[0], p[1] - BAND * n[1]];
            below = clipped(&below, deep, n.map(|x| -x));
        }
        if below.len() > 2 {
            layer.fill(Path::polygon(&below), Colour::hex(0xF1_F2F3));
        }
    }
    for (i, plane) in planes.iter().enumerate() {
        let others: Vec<(Point, Point)> = (0..planes.len()).filter(|j| *j != i).map(|j| planes[j]).collect();
        edge(*plane, &others, &window, layer);
    }
}

/// The edge of a half-plane, where it is inside the window and not inside another one.
fn edge((p, n): (Point, Point), others: &[(Point, Point)], window: &Rect, layer: &mut Layer) {
    let t = [-n[1], n[0]];
    let at = |s: f64, depth: f64| [p[0] + s * t[0] - depth * n[0], p[1] + s * t[1] - depth * n[1]];
    let sides =
        [(window.min, [1.0, 0.0]), (window.min, [0.0, 1.0]), (window.max, [-1.0, 0.0]), (window.max, [0.0, -1.0])];
    let (mut from, mut to) = (f64::NEG_INFINITY, f64::INFINITY);
    for (q, m) in sides.iter().chain(others) {
        let (height, slope) = ((p[0] - q[0]) * m[0] + (p[1] - q[1]) * m[1], t[0] * m[0] + t[1] * m[1]);
        if slope.abs() > 1e-9 {
            let s = -height / slope;
            if slope > 0.0 { from = from.max(s) } else { to = to.min(s) }
        } else if height < -1e-6 {
            return;
        }
    }
    if !(from < to) {
        return;
    }
    let mut strokes = Path::default();
    for i in (from / HATCH).ceil() as i64..=(to / HATCH).floor() as i64 {
        let s = i as f64 * HATCH;
        strokes.extend(Path::segment(at(s, 1.0), at(s - 0.7 * HATCH, 0.9 * HATCH)));
    }
    layer.stroke(strokes, Stroke::new(SOFT.mix(crate::colour::WHITE, 0.35), 0.6));
    layer.stroke(Path::segment(at(from, 0.0), at(to, 0.0)), Stroke::new(INK, 1.1));
}

/// The part of a convex polygon behind a line (Sutherland and Hodgman).
fn clipped(polygon: &[Point], p: Point, n: Point) -> Vec<Point> {
    let height = |q: &Point| (q[0] - p[0]) * n[0] + (q[1] - p[1]) * n[1];
    let mut out = vec![];
    for (i, a) in polygon.iter().enumerate() {
        let b = &polygon[(i + 1) % polygon.len()];
        let (ha, hb) = (height(a), height(b));
        if ha <= 0.0 {
            out.push(*a);
        }
        if (ha <= 0.0) != (hb <= 0.0) {
            let s = ha / (ha - hb);
            out.push([a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1])]);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A unit square cut by its diagonal leaves a triangle of half the area.
    #[test]
    fn a_square_cut_by_its_diagonal() {
        let square = Rect::new(0.0, 0.0, 1.0, 1.0).corners();
        let n = std::f64::consts::FRAC_1_SQRT_2;
        let rest = clipped(&square, [0.0, 1.0], [n, n]);
        let area: f64 = (0..rest.len())
            .map(|i| (rest[i], rest[(i + 1) % rest.len()]))
            .map(|(a, b)| 0.5 * (a[0] * b[1] - a[1] * b[0]))
            .sum();
        assert!((area - 0.5).abs() < 1e-12, "{rest:?}");
        assert!(clipped(&square, [-1.0, 0.0], [1.0, 0.0]).is_empty());
    }

    /// A floor between two walls 2 m apart ends at them: 2 m of line.
    #[test]
    fn a_floor_ends_at_the_walls() {
        let plane = |point, normal| Body {
            name: String::new(),
            label: None,
            role: Role::Fixed,
            colour: None,
            centre: [0.0; 2],
            shapes: vec![Outline::HalfPlane { point, normal }],
        };
        let bodies = [plane([0.0, 0.0], [0.0, 1.0]), plane([0.0, 0.0], [1.0, 0.0]), plane([2.0, 0.0], [-1.0, 0.0])];
        let view = View::fit(&Rect::new(-1.0, -1.0, 4.0, 4.0), Rect::new(0.0, 0.0, 400.0, 400.0));
        let layer = draw(&bodies, &view, false, &[]);
        let lengths: Vec<f64> = layer
            .items
            .iter()
            .filter_map(|i| match i {
                Item::Path { path, stroke: Some(s), .. } if s.colour == INK => Some(path.bounds()),
                _ => None,
            })
            .map(|b| b.width().max(b.height()))
            .collect();
        // 100 units per metre; walls run from the floor to the upper end of the window, and
        // 2 units beyond it.
        assert_eq!(lengths, [200.0, 302.0, 302.0]);
    }

    #[test]
    fn reach_of_shapes() {
        let mut body = Body {
            name: "b".into(),
            label: None,
            role: Role::Free,
            colour: None,
            centre: [1.0, 0.0],
            shapes: vec![Outline::Disc { centre: [1.0, 0.0], radius: 2.0, angle: 0.0 }],
        };
        assert!(body.is_round() && body.radius() == 2.0);
        body.shapes.push(Outline::Capsule { ends: [[1.0, 0.0], [4.0, 4.0]], radius: 0.5 });
        assert!(!body.is_round() && (body.radius() - 5.5).abs() < 1e-12);
        let mut bounds = Rect::EMPTY;
        body.shapes.iter().for_each(|o| o.include_in(&mut bounds));
        assert_eq!(bounds, Rect { min: [-1.0, -2.0], max: [4.5, 4.5] });
    }
}
