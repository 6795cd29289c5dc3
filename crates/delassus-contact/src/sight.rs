//! What a point sees of a placed shape.

use crate::Vector;

/// The closest place of a shape to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sight<const D: usize> {
    /// Signed distance, positive outside \[m\].
    pub gap: f64,
    /// Unit normal, out of the shape.
    pub normal: Vector<D>,
    /// The closest place.
    pub foot: Vector<D>,
    /// Velocity of the shape there \[m/s\]; from a shape alone, that of the own motion of a wall.
    pub velocity: Vector<D>,
}

impl<const D: usize> Sight<D> {
    /// Of `p` from a place at rest, at a signed distance along a normal.
    pub(crate) fn along(p: &Vector<D>, gap: f64, normal: Vector<D>) -> Self {
        Self { gap, normal, foot: p - normal * gap, velocity: Vector::zeros() }
    }

    /// Of `p` from a ball (disc) around `centre`.
    pub(crate) fn of_ball(p: &Vector<D>, centre: &Vector<D>, radius: f64) -> Self {
        let (distance, normal) = length_and_direction(&(p - centre));
        Self::along(p, distance - radius, normal)
    }

    /// Of `p` inside a cavity around `centre`.
    pub(crate) fn of_cavity(p: &Vector<D>, centre: &Vector<D>, radius: f64) -> Self {
        let (distance, normal) = length_and_direction(&(p - centre));
        Self::along(p, radius - distance, -normal)
    }
}

/// At the centre of a ball every direction is a normal: the first axis is taken.
pub(crate) fn length_and_direction<const D: usize>(r: &Vector<D>) -> (f64, Vector<D>) {
    let length = r.norm();
    if length > 0.0 {
        return (length, r / length);
    }
    (0.0, Vector::from_fn(|k, _| f64::from(u8::from(k == 0))))
}

/// An edge of a placed solid between two faces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ridge<const D: usize> {
    /// Its ends; seen from outside, the first face is to the left of the way from the first to the second.
    pub ends: [Vector<D>; 2],
    /// Outward unit normals of its faces.
    pub normals: [Vector<D>; 2],
}
