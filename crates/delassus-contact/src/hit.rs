//! What the narrow phase says of a pair, before it becomes a contact.

use crate::Vector;

/// One point of the manifold of a pair (a, b).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit<const D: usize> {
    /// Features of a and b.
    pub features: [u32; 2],
    /// Witness points on a and b.
    pub points: [Vector<D>; 2],
    /// Unit normal from b towards a.
    pub normal: Vector<D>,
    /// Distance along the normal.
    pub gap: f64,
    /// Rate of the gap from the own motion of an analytic wall.
    pub rate: f64,
}

impl<const D: usize> Hit<D> {
    /// The same contact with a and b exchanged.
    pub fn swapped(self) -> Self {
        let [f, g] = self.features;
        let [p, q] = self.points;
        Self { features: [g, f], points: [q, p], normal: -self.normal, ..self }
    }

    /// Balls of one radius around the points of a, in a cavity b of given centre and radius.
    pub(crate) fn in_cavity(
        points: &[Vector<D>],
        radius: f64,
        (centre, size): (Vector<D>, f64),
        margin: f64,
    ) -> impl Iterator<Item = Self> + '_ {
        let of = move |(i, p): (usize, &Vector<D>)| {
            let (distance, out) = crate::sight::length_and_direction(&(p - centre));
            let points = [p + out * radius, centre + out * size];
            Self { features: [i as u32, 0], points, normal: -out, gap: size - distance - radius, rate: 0.0 }
        };
        points.iter().enumerate().map(of).filter(move |h| h.gap <= margin)
    }

    /// Between two spheres or discs of given centres and radii.
    #[inline]
    pub fn of_balls(a: &Vector<D>, ra: f64, b: &Vector<D>, rb: f64) -> Self {
        let d = a - b;
        let distance = d.norm();
        // Coincident centres: any direction is closest; the first axis, always.
        let normal = if distance > 0.0 { d / distance } else { Vector::from_fn(|k, _| f64::from(u8::from(k == 0))) };
        Self {
            features: [0, 0],
            points: [a - normal * ra, b + normal * rb],
            normal,
            gap: distance - ra - rb,
            rate: 0.0,
        }
    }
}
