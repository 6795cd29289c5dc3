//! The corners of shapes: the points of a rigid body that look for facets of a skin.

use delassus_contact::{Dim, Shape2, Shape3, Space, Vector};

/// Corners of the shapes of a space. Implemented by `Dim<2>` and `Dim<3>`.
pub trait Corners<const D: usize>: Space<D> {
    /// Corners in the axes of the shape, and the radius around them.
    fn corners(shape: &Self::Shape) -> (Vec<Vector<D>>, f64);

    /// A point without size.
    fn point() -> Self::Shape;

    /// Whether the shape has an inside.
    fn is_solid(shape: &Self::Shape) -> bool;
}

impl Corners<2> for Dim<2> {
    fn corners(shape: &Shape2) -> (Vec<Vector<2>>, f64) {
        match shape {
            Shape2::Point => (vec![Vector::zeros()], 0.0),
            Shape2::Disc { radius } => (vec![Vector::zeros()], *radius),
            Shape2::Capsule { half_length: l, radius } => {
                (vec![Vector::<2>::new(-l, 0.0), Vector::<2>::new(*l, 0.0)], *radius)
            }
            Shape2::Segment { a, b } => (vec![*a, *b], 0.0),
            Shape2::Box { half: h } => {
                let signs = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
                (signs.map(|s| Vector::<2>::new(s[0] * h.x, s[1] * h.y)).to_vec(), 0.0)
            }
            Shape2::Polygon(p) => (p.vertices().to_vec(), 0.0),
            Shape2::Polyline { points, .. } => (points.clone(), 0.0),
            _ => (vec![], 0.0),
        }
    }

    fn point() -> Shape2 {
        Shape2::Point
    }

    fn is_solid(shape: &Shape2) -> bool {
        matches!(shape, Shape2::Box { .. } | Shape2::Polygon(_))
    }
}

impl Corners<3> for Dim<3> {
    fn corners(shape: &Shape3) -> (Vec<Vector<3>>, f64) {
        match shape {
            Shape3::Point => (vec![Vector::zeros()], 0.0),
            Shape3::Sphere { radius } => (vec![Vector::zeros()], *radius),
            Shape3::Capsule { half_length: l, radius } => {
                (vec![Vector::<3>::new(0.0, 0.0, -l), Vector::<3>::new(0.0, 0.0, *l)], *radius)
            }
            Shape3::Box { half } => {
                let sign = |k: usize, bit: usize| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
                ((0..8).map(|k| Vector::<3>::from_fn(|i, _| sign(k, i) * half[i])).collect(), 0.0)
            }
            Shape3::Polyhedron(p) => (p.vertices().to_vec(), 0.0),
            Shape3::Mesh(m) | Shape3::HeightField(m) => (m.points().to_vec(), 0.0),
            _ => (vec![], 0.0),
        }
    }

    fn point() -> Shape3 {
        Shape3::Point
    }

    fn is_solid(shape: &Shape3) -> bool {
        matches!(shape, Shape3::Box { .. } | Shape3::Polyhedron(_))
    }
}
