//! Shapes of the plane.

use super::{V, cross};
use crate::error::{finite, positive};
use crate::{Error, Shape, Wall};
use std::sync::Arc;

/// A convex polygon, counter-clockwise, without collinear or repeated vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct Polygon {
    vertices: Vec<V>,
}

impl Polygon {
    /// The vertices, counter-clockwise.
    pub fn vertices(&self) -> &[V] {
        &self.vertices
    }

    /// Half of its least width: that of a convex polygon is across one of its edges.
    fn thickness(&self) -> f64 {
        let v = &self.vertices;
        let width = |i: usize| {
            let n = super::right(&(v[(i + 1) % v.len()] - v[i])).normalize();
            v.iter().map(|p| n.dot(&(v[i] - p))).fold(0.0, f64::max)
        };
        0.5 * (0..v.len()).map(width).fold(f64::INFINITY, f64::min)
    }

    /// From vertices in either order; refuses polygons that are not convex or flat.
    pub fn new(points: &[[f64; 2]]) -> Result<Self, Error> {
        finite("polygon vertex", points.as_flattened())?;
        let scale = points.iter().flatten().fold(0.0f64, |m, c| m.max(c.abs()));
        let mut v: Vec<V> = vec![];
        for p in points {
            let p = V::new(p[0], p[1]);
            if v.last().is_none_or(|q: &V| (p - q).norm() > 1e-12 * scale) {
                v.push(p);
            }
        }
        while v.len() > 1 && (v[0] - v[v.len() - 1]).norm() <= 1e-12 * scale {
            v.pop();
        }
        if v.len() < 3 {
            return Err(Error::TooFewPoints { what: "polygon", needed: 3, got: v.len() });
        }
        let area = 0.5 * (1..v.len() - 1).map(|i| cross(&(v[i] - v[0]), &(v[i + 1] - v[0]))).sum::<f64>();
        if !(area.abs() > 1e-12 * scale * scale) {
            return Err(Error::Degenerate { what: "polygon", measure: area });
        }
        if area < 0.0 {
            v.reverse();
        }
        Self::check_convex(&v)?;
        Ok(Self { vertices: without_collinear(v) })
    }

    /// Left turns everywhere, and exactly one full turn (no star).
    fn check_convex(v: &[V]) -> Result<(), Error> {
        let n = v.len();
        let mut turn = 0.0;
        for i in 0..n {
            let a = v[(i + 1) % n] - v[i];
            let b = v[(i + 2) % n] - v[(i + 1) % n];
            let c = cross(&a, &b);
            if c < -1e-12 * a.norm() * b.norm() {
                return Err(Error::NotConvex { vertex: (i + 1) % n });
            }
            turn += libm::atan2(c, a.dot(&b));
        }
        if turn > 3.0 * std::f64::consts::PI { Err(Error::NotConvex { vertex: 0 }) } else { Ok(()) }
    }
}

fn without_collinear(v: Vec<V>) -> Vec<V> {
    let n = v.len();
    let keep = |i: usize| {
        let (a, b) = (v[i] - v[(i + n - 1) % n], v[(i + 1) % n] - v[i]);
        cross(&a, &b) > 1e-12 * a.norm() * b.norm()
    };
    (0..n).filter(|&i| keep(i)).map(|i| v[i]).collect()
}

/// A shape of the plane, in the frame of its collider.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Shape2 {
    /// A particle without size, at the origin.
    Point,
    /// A disc centred at the origin.
    Disc {
        /// Radius \[m\].
        radius: f64,
    },
    /// Points at less than `radius` from the segment of half length `half_length` along x.
    Capsule {
        /// Half length of the axis \[m\].
        half_length: f64,
        /// Radius \[m\].
        radius: f64,
    },
    /// A segment without thickness, seen from both sides.
    Segment {
        /// One end.
        a: V,
        /// The other end.
        b: V,
    },
    /// A rectangle centred at the origin.
    Box {
        /// Half sides \[m\].
        half: V,
    },
    /// A convex polygon.
    Polygon(Polygon),
    /// A chain of segments without thickness, seen from both sides.
    Polyline {
        /// Its points.
        points: Vec<V>,
        /// Whether the last point is joined to the first.
        closed: bool,
    },
    /// Everything on the side of the origin opposite to `normal`.
    HalfPlane {
        /// Unit outward normal.
        normal: V,
    },
    /// Everything but the disc of this radius around the origin: bodies are inside.
    Cavity {
        /// Radius \[m\].
        radius: f64,
    },
    /// An analytic wall.
    Wall(Arc<Wall<2>>),
}

impl Shape2 {
    /// A disc.
    pub fn disc(radius: f64) -> Result<Self, Error> {
        Self::Disc { radius }.validated()
    }

    /// A capsule along x; its total length is `2 (half_length + radius)`.
    pub fn capsule(half_length: f64, radius: f64) -> Result<Self, Error> {
        Self::Capsule { half_length, radius }.validated()
    }

    /// A segment.
    pub fn segment(a: [f64; 2], b: [f64; 2]) -> Result<Self, Error> {
        Self::Segment { a: a.into(), b: b.into() }.validated()
    }

    /// A rectangle of the given sides (not half sides).
    pub fn rectangle(width: f64, height: f64) -> Result<Self, Error> {
        Self::Box { half: V::new(0.5 * width, 0.5 * height) }.validated()
    }

    /// A convex polygon, in either order.
    pub fn polygon(points: &[[f64; 2]]) -> Result<Self, Error> {
        Ok(Self::Polygon(Polygon::new(points)?))
    }

    /// A chain of segments.
    pub fn polyline(points: &[[f64; 2]], closed: bool) -> Result<Self, Error> {
        Self::Polyline { points: points.iter().map(|&p| p.into()).collect(), closed }.validated()
    }

    /// A half-plane with the given outward normal (any length), its edge through the origin.
    pub fn half_plane(normal: [f64; 2]) -> Result<Self, Error> {
        finite("half-plane normal", &normal)?;
        let n = V::from(normal);
        positive("norm of the half-plane normal", n.norm())?;
        Ok(Self::HalfPlane { normal: n.normalize() })
    }

    /// Everything but a disc.
    pub fn cavity(radius: f64) -> Result<Self, Error> {
        Self::Cavity { radius }.validated()
    }

    /// An analytic wall `f(t, x, y) ≤ 0`.
    pub fn wall(function: &str) -> Result<Self, Error> {
        Ok(Self::Wall(Arc::new(Wall::new(function)?)))
    }

    fn validated(self) -> Result<Self, Error> {
        self.validate()?;
        Ok(self)
    }

    /// Checks the numbers; constructors and the detector call it.
    pub fn validate(&self) -> Result<(), Error> {
        match self {
            Self::Point | Self::Wall(_) | Self::Polygon(_) => Ok(()),
            Self::Disc { radius } => positive("disc radius", *radius),
            Self::Cavity { radius } => positive("cavity radius", *radius),
            Self::Capsule { half_length, radius } => {
                positive("capsule half length", *half_length)?;
                positive("capsule radius", *radius)
            }
            Self::Segment { a, b } => validate_chain("segment", &[*a, *b], false),
            Self::Box { half } => {
                positive("box half width", half.x)?;
                positive("box half height", half.y)
            }
            Self::Polyline { points, closed } => validate_chain("polyline", points, *closed),
            Self::HalfPlane { normal } => {
                finite("half-plane normal", normal.as_slice())?;
                if (normal.norm() - 1.0).abs() < 1e-12 {
                    Ok(())
                } else {
                    Err(Error::NotPositive { what: "unit length of the half-plane normal", value: normal.norm() })
                }
            }
        }
    }
}

fn validate_chain(what: &'static str, points: &[V], closed: bool) -> Result<(), Error> {
    let n = points.len();
    let needed = if closed { 3 } else { 2 };
    if n < needed {
        return Err(Error::TooFewPoints { what, needed, got: n });
    }
    for p in points {
        finite("polyline point", p.as_slice())?;
    }
    let last = if closed { n } else { n - 1 };
    match (0..last).find(|&i| points[i] == points[(i + 1) % n]) {
        Some(i) => Err(Error::Coincident { what, first: i, second: (i + 1) % n }),
        None => Ok(()),
    }
}

impl Shape for Shape2 {
    fn name(&self) -> &'static str {
        match self {
            Self::Point => "point",
            Self::Disc { .. } => "disc",
            Self::Capsule { .. } => "capsule",
            Self::Segment { .. } => "segment",
            Self::Box { .. } => "box",
            Self::Polygon(_) => "polygon",
            Self::Polyline { .. } => "polyline",
            Self::HalfPlane { .. } => "half-plane",
            Self::Cavity { .. } => "cavity",
            Self::Wall(_) => "wall",
        }
    }

    fn check(&self) -> Result<(), Error> {
        self.validate()
    }

    fn changes(&self) -> bool {
        matches!(self, Self::Wall(wall) if wall.changes())
    }

    fn is_unbounded(&self) -> bool {
        matches!(self, Self::HalfPlane { .. } | Self::Cavity { .. } | Self::Wall(_))
    }

    fn bounding_radius(&self) -> f64 {
        match self {
            Self::Point => 0.0,
            Self::Disc { radius } => *radius,
            Self::Capsule { half_length, radius } => half_length + radius,
            Self::Segment { a, b } => a.norm().max(b.norm()),
            Self::Box { half } => half.norm(),
            Self::Polygon(p) => p.vertices.iter().fold(0.0, |m, v| m.max(v.norm())),
            Self::Polyline { points, .. } => points.iter().fold(0.0, |m, v| m.max(v.norm())),
            Self::HalfPlane { .. } | Self::Cavity { .. } | Self::Wall(_) => f64::INFINITY,
        }
    }

    fn thickness(&self) -> f64 {
        match self {
            Self::Point | Self::Segment { .. } | Self::Polyline { .. } | Self::Wall(_) => 0.0,
            Self::Disc { radius } | Self::Capsule { radius, .. } => *radius,
            Self::Box { half } => half.min(),
            Self::Polygon(p) => p.thickness(),
            Self::HalfPlane { .. } | Self::Cavity { .. } => f64::INFINITY,
        }
    }

    fn is_round(&self) -> bool {
        matches!(self, Self::Point | Self::Disc { .. } | Self::HalfPlane { .. } | Self::Cavity { .. } | Self::Wall(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_shapes_are_refused_with_their_values() {
        assert_eq!(Shape2::disc(-1.0), Err(Error::NotPositive { what: "disc radius", value: -1.0 }));
        assert!(Shape2::disc(f64::NAN).is_err() && Shape2::disc(f64::INFINITY).is_err());
        assert!(Shape2::rectangle(1.0, 0.0).is_err());
        assert_eq!(
            Shape2::polygon(&[[0.0, 0.0], [1.0, 0.0], [0.2, 0.2], [0.0, 1.0]]),
            Err(Error::NotConvex { vertex: 2 })
        );
        assert!(matches!(Shape2::polygon(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]), Err(Error::Degenerate { .. })));
        assert!(Shape2::polygon(&[[0.0, 0.0], [1.0, 0.0]]).is_err());
        assert!(Shape2::polygon(&[[0.0, f64::NAN], [1.0, 0.0], [0.0, 1.0]]).is_err());
        assert!(Shape2::half_plane([0.0, 0.0]).is_err());
        assert!(Shape2::polyline(&[[0.0, 0.0], [0.0, 0.0]], false).is_err());
        // A pentagram turns left everywhere, but twice around.
        let star: Vec<[f64; 2]> =
            (0..5).map(|k| 1.256_637_061 * 2.0 * f64::from(k)).map(|a| [a.cos(), a.sin()]).collect();
        assert!(matches!(Shape2::polygon(&star), Err(Error::NotConvex { .. })));
    }

    #[test]
    fn clockwise_and_collinear_vertices_are_put_right() {
        let p = Polygon::new(&[[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.5], [1.0, 0.0], [0.0, 0.0]]).expect("valid");
        assert_eq!(p.vertices().len(), 4);
        assert!(cross(&(p.vertices()[1] - p.vertices()[0]), &(p.vertices()[2] - p.vertices()[1])) > 0.0);
    }
}
