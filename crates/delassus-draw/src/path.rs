//! Outlines on the page: straight pieces, cubics, whole circles.

/// A point of the page or of the plane.
pub type Point = [f64; 2];

/// A rectangle with its sides along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    /// Lowest coordinates.
    pub min: Point,
    /// Highest coordinates.
    pub max: Point,
}

impl Rect {
    /// Contains nothing.
    pub const EMPTY: Self = Self { min: [f64::INFINITY; 2], max: [f64::NEG_INFINITY; 2] };

    /// From a corner and sides.
    pub fn new(x: f64, y: f64, width: f64, height: f64) -> Self {
        Self { min: [x, y], max: [x + width, y + height] }
    }

    /// Width.
    pub fn width(&self) -> f64 {
        self.max[0] - self.min[0]
    }

    /// Height.
    pub fn height(&self) -> f64 {
        self.max[1] - self.min[1]
    }

    /// Centre.
    pub fn centre(&self) -> Point {
        [0.5 * (self.min[0] + self.max[0]), 0.5 * (self.min[1] + self.max[1])]
    }

    /// Grows to contain a disc around a point.
    pub fn include(&mut self, p: Point, radius: f64) {
        for k in 0..2 {
            self.min[k] = self.min[k].min(p[k] - radius);
            self.max[k] = self.max[k].max(p[k] + radius);
        }
    }

    /// The smallest rectangle around both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let low = |k: usize| self.min[k].min(other.min[k]);
        let high = |k: usize| self.max[k].max(other.max[k]);
        Self { min: [low(0), low(1)], max: [high(0), high(1)] }
    }

    /// Larger by `by` on each side.
    #[must_use]
    pub fn grown(&self, by: f64) -> Self {
        Self { min: [self.min[0] - by, self.min[1] - by], max: [self.max[0] + by, self.max[1] + by] }
    }

    /// Whether a point is inside.
    pub fn contains(&self, p: Point) -> bool {
        (0..2).all(|k| self.min[k] <= p[k] && p[k] <= self.max[k])
    }

    /// Whether it has no point.
    pub fn is_empty(&self) -> bool {
        !(self.min[0] <= self.max[0] && self.min[1] <= self.max[1])
    }

    /// Its corners, in order.
    pub fn corners(&self) -> [Point; 4] {
        [self.min, [self.max[0], self.min[1]], self.max, [self.min[0], self.max[1]]]
    }
}

/// A piece of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Piece {
    /// Starts a new line here.
    Move(Point),
    /// Straight to here.
    Line(Point),
    /// A cubic by its two control points and its end.
    Cubic(Point, Point, Point),
    /// Back to the start.
    Close,
    /// A whole circle.
    Circle(Point, f64),
}

/// Pieces one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Path {
    /// The pieces.
    pub pieces: Vec<Piece>,
}

impl Path {
    /// A closed polygon.
    pub fn polygon(points: &[Point]) -> Self {
        let mut path = Self::polyline(points);
        if !points.is_empty() {
            path.pieces.push(Piece::Close);
        }
        path
    }

    /// An open line through points.
    pub fn polyline(points: &[Point]) -> Self {
        let piece = |(i, &p): (usize, &Point)| if i == 0 { Piece::Move(p) } else { Piece::Line(p) };
        Self { pieces: points.iter().enumerate().map(piece).collect() }
    }

    /// A segment.
    pub fn segment(a: Point, b: Point) -> Self {
        Self::polyline(&[a, b])
    }

    /// A circle.
    pub fn circle(centre: Point, radius: f64) -> Self {
        Self { pieces: vec![Piece::Circle(centre, radius)] }
    }

    /// A rectangle.
    pub fn rect(r: &Rect) -> Self {
        Self::polygon(&r.corners())
    }

    /// The points at `radius` from a segment: two sides and two half circles.
    pub fn capsule(a: Point, b: Point, radius: f64) -> Self {
        let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
        let length = dx.hypot(dy);
        if !(length > 1e-9 * radius) {
            return Self::circle(a, radius);
        }
        let (u, v) = ([dx / length * radius, dy / length * radius], [-dy / length * radius, dx / length * radius]);
        // Control points of a quarter circle at 0.5523 of the radius: 0.03 % from a circle.
        let k = 0.552_284_749_8;
        let at = |c: Point, s: f64, t: f64| [c[0] + s * u[0] + t * v[0], c[1] + s * u[1] + t * v[1]];
        let mut path = Self::polyline(&[at(a, 0.0, 1.0), at(b, 0.0, 1.0)]);
        path.pieces.extend([
            Piece::Cubic(at(b, k, 1.0), at(b, 1.0, k), at(b, 1.0, 0.0)),
            Piece::Cubic(at(b, 1.0, -k), at(b, k, -1.0), at(b, 0.0, -1.0)),
            Piece::Line(at(a, 0.0, -1.0)),
            Piece::Cubic(at(a, -k, -1.0), at(a, -1.0, -k), at(a, -1.0, 0.0)),
            Piece::Cubic(at(a, -1.0, k), at(a, -k, 1.0), at(a, 0.0, 1.0)),
            Piece::Close,
        ]);
        path
    }

    /// Adds another path.
    pub fn extend(&mut self, other: Self) {
        self.pieces.extend(other.pieces);
    }

    /// A rectangle around it, exact but for cubics, whose control points count.
    pub fn bounds(&self) -> Rect {
        let mut bounds = Rect::EMPTY;
        for piece in &self.pieces {
            match *piece {
                Piece::Move(p) | Piece::Line(p) => bounds.include(p, 0.0),
                Piece::Cubic(a, b, c) => [a, b, c].into_iter().for_each(|p| bounds.include(p, 0.0)),
                Piece::Circle(c, r) => bounds.include(c, r),
                Piece::Close => {}
            }
        }
        bounds
    }

    /// Whether every coordinate is a number.
    pub fn is_finite(&self) -> bool {
        let ok = |p: &Point| p[0].is_finite() && p[1].is_finite();
        self.pieces.iter().all(|piece| match piece {
            Piece::Move(p) | Piece::Line(p) => ok(p),
            Piece::Cubic(a, b, c) => ok(a) && ok(b) && ok(c),
            Piece::Circle(c, r) => ok(c) && r.is_finite(),
            Piece::Close => true,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A capsule along a slope of 3:4 with radius 1: its box is that of its end discs.
    #[test]
    fn capsule_has_the_box_of_its_discs() {
        let bounds = Path::capsule([0.0, 0.0], [3.0, 4.0], 1.0).bounds();
        let mut discs = Rect::EMPTY;
        discs.include([0.0, 0.0], 1.0);
        discs.include([3.0, 4.0], 1.0);
        // Control points may stand out by (√2 − 1) of the radius at most.
        for k in 0..2 {
            assert!(bounds.min[k] <= discs.min[k] + 1e-3 && bounds.min[k] > discs.min[k] - 0.415);
            assert!(bounds.max[k] >= discs.max[k] - 1e-3 && bounds.max[k] < discs.max[k] + 0.415);
        }
        assert_eq!(Path::capsule([1.0, 1.0], [1.0, 1.0], 2.0), Path::circle([1.0, 1.0], 2.0));
    }

    #[test]
    fn rectangles() {
        let mut r = Rect::EMPTY;
        assert!(r.is_empty());
        r.include([1.0, 2.0], 0.5);
        assert_eq!(r, Rect::new(0.5, 1.5, 1.0, 1.0));
        assert_eq!(r.centre(), [1.0, 2.0]);
        assert_eq!(r.union(&Rect::new(0.0, 0.0, 0.1, 0.1)).min, [0.0, 0.0]);
    }
}
