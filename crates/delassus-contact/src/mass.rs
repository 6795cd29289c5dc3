//! Mass properties of shapes of unit density, by exact formulas
//!
//! ```text
//! m = ∫ 1     c = ∫ x / m     J = ∫ |x − c|² (plane),   ∫ (|r|² 1 − r rᵀ), r = x − c (space)
//! ```
//!
//! Polygons and polyhedra are sums over the triangles or tetrahedra with the origin,
//! on which quadratic polynomials integrate exactly \[Mirtich96\].

use crate::plane::Shape2;
use crate::solid::Shape3;
use crate::{Error, Pose, Rotation, Shape, Vector};
use std::f64::consts::PI;

/// Mass, centroid and inertia about the centroid in the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mass2 {
    /// Area for unit density \[m²\], mass once scaled \[kg/m\].
    pub mass: f64,
    /// Centroid.
    pub centroid: Vector<2>,
    /// Moment of inertia about the centroid.
    pub inertia: f64,
}

impl Mass2 {
    /// Of density `rho`.
    pub fn scaled(&self, rho: f64) -> Self {
        Self { mass: self.mass * rho, inertia: self.inertia * rho, ..*self }
    }

    /// Seen from a frame in which the shape is at `pose`.
    pub fn moved(&self, pose: &Pose<2>) -> Self {
        Self { centroid: pose.point(&self.centroid), ..*self }
    }

    /// Of several parts together (Huygens). Zero mass for no parts.
    pub fn sum(parts: &[Self]) -> Self {
        let mass: f64 = parts.iter().map(|p| p.mass).sum();
        let moment: Vector<2> = parts.iter().map(|p| p.centroid * p.mass).sum();
        let centroid = if mass > 0.0 { moment / mass } else { Vector::zeros() };
        let inertia = parts.iter().map(|p| p.inertia + p.mass * (p.centroid - centroid).norm_squared()).sum();
        Self { mass, centroid, inertia }
    }
}

/// Mass, centroid and inertia about the centroid in space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mass3 {
    /// Volume for unit density \[m³\], mass once scaled \[kg\].
    pub mass: f64,
    /// Centroid.
    pub centroid: Vector<3>,
    /// Inertia about the centroid, in the axes of the frame.
    pub inertia: Rotation<3>,
}

/// `m (|d|² 1 − d dᵀ)`: what a shift of the axis by d adds.
fn huygens(m: f64, d: &Vector<3>) -> Rotation<3> {
    (Rotation::<3>::identity() * d.norm_squared() - d * d.transpose()) * m
}

impl Mass3 {
    /// Of density `rho`.
    pub fn scaled(&self, rho: f64) -> Self {
        Self { mass: self.mass * rho, inertia: self.inertia * rho, ..*self }
    }

    /// Seen from a frame in which the shape is at `pose`.
    pub fn moved(&self, pose: &Pose<3>) -> Self {
        let inertia = pose.rotation * self.inertia * pose.rotation.transpose();
        Self { centroid: pose.point(&self.centroid), inertia, ..*self }
    }

    /// Of several parts together (Huygens). Zero mass for no parts.
    pub fn sum(parts: &[Self]) -> Self {
        let mass: f64 = parts.iter().map(|p| p.mass).sum();
        let moment: Vector<3> = parts.iter().map(|p| p.centroid * p.mass).sum();
        let centroid = if mass > 0.0 { moment / mass } else { Vector::zeros() };
        let inertia = parts.iter().map(|p| p.inertia + huygens(p.mass, &(p.centroid - centroid))).sum();
        Self { mass, centroid, inertia }
    }

    fn diagonal(mass: f64, x: f64, y: f64, z: f64) -> Self {
        Self { mass, centroid: Vector::zeros(), inertia: Rotation::<3>::from_diagonal(&Vector::<3>::new(x, y, z)) }
    }
}

impl Shape2 {
    /// Mass properties for unit density; shapes without area have none.
    pub fn mass_properties(&self) -> Result<Mass2, Error> {
        let centred = |mass: f64, inertia: f64| Ok(Mass2 { mass, centroid: Vector::zeros(), inertia });
        match self {
            Self::Disc { radius: r } => centred(PI * r * r, 0.5 * PI * r.powi(4)),
            Self::Capsule { half_length: l, radius: r } => {
                let (bar, caps) = (4.0 * l * r, PI * r * r);
                let ends = 0.5 * r * r + l * l + 2.0 * l * (4.0 * r / (3.0 * PI));
                centred(bar + caps, bar * (l * l + r * r) / 3.0 + caps * ends)
            }
            Self::Box { half: h } => centred(4.0 * h.x * h.y, 4.0 * h.x * h.y * h.norm_squared() / 3.0),
            Self::Polygon(p) => Ok(of_polygon(p.vertices())),
            _ => Err(Error::NoMass { what: self.name() }),
        }
    }
}

fn of_polygon(v: &[Vector<2>]) -> Mass2 {
    // Around the first vertex: no cancellation far from the origin.
    let o = v[0];
    let (mut area, mut moment, mut second) = (0.0, Vector::<2>::zeros(), 0.0);
    for i in 1..v.len() - 1 {
        let (a, b) = (v[i] - o, v[i + 1] - o);
        let twice = a.x * b.y - a.y * b.x;
        area += 0.5 * twice;
        moment += (a + b) * (twice / 6.0);
        second += twice / 12.0 * (a.dot(&a) + a.dot(&b) + b.dot(&b));
    }
    let c = moment / area;
    Mass2 { mass: area, centroid: o + c, inertia: second - area * c.norm_squared() }
}

impl Shape3 {
    /// Mass properties for unit density; open or unbounded shapes have none.
    pub fn mass_properties(&self) -> Result<Mass3, Error> {
        match self {
            Self::Sphere { radius: r } => {
                let m = 4.0 / 3.0 * PI * r.powi(3);
                let j = 0.4 * m * r * r;
                Ok(Mass3::diagonal(m, j, j, j))
            }
            Self::Capsule { half_length: l, radius: r } => {
                let (bar, caps) = (2.0 * PI * r * r * l, 4.0 / 3.0 * PI * r.powi(3));
                let across = bar * (0.25 * r * r + l * l / 3.0) + caps * (0.4 * r * r + l * l + 0.75 * l * r);
                Ok(Mass3::diagonal(bar + caps, across, across, (0.5 * bar + 0.4 * caps) * r * r))
            }
            Self::Cylinder { half_height: h, radius: r } => {
                let m = 2.0 * PI * r * r * h;
                let across = m * (0.25 * r * r + h * h / 3.0);
                Ok(Mass3::diagonal(m, across, across, 0.5 * m * r * r))
            }
            Self::Box { half: h } => {
                let m = 8.0 * h.x * h.y * h.z;
                let j = |a: f64, b: f64| m * (a * a + b * b) / 3.0;
                Ok(Mass3::diagonal(m, j(h.y, h.z), j(h.x, h.z), j(h.x, h.y)))
            }
            Self::Polyhedron(p) => {
                let faces = (0..p.topology().faces()).map(|f| p.topology().face(f));
                of_faces(self.name(), p.vertices(), faces)
            }
            Self::Mesh(m) if m.is_closed() => of_faces(self.name(), m.points(), m.triangles().iter().map(|t| &t[..])),
            _ => Err(Error::NoMass { what: self.name() }),
        }
    }
}

/// The volume bounded by faces, counter-clockwise from outside.
fn of_faces<'a>(what: &'static str, v: &[Vector<3>], faces: impl Iterator<Item = &'a [u32]>) -> Result<Mass3, Error> {
    let o = v[0];
    let (mut volume, mut moment, mut second) = (0.0, Vector::<3>::zeros(), Rotation::<3>::zeros());
    for face in faces {
        let a = v[face[0] as usize] - o;
        for i in 1..face.len() - 1 {
            let (b, c) = (v[face[i] as usize] - o, v[face[i + 1] as usize] - o);
            let six = a.dot(&b.cross(&c));
            let sum = a + b + c;
            volume += six / 6.0;
            moment += sum * (six / 24.0);
            // ∫ x xᵀ over the tetrahedron (0, a, b, c).
            let squares = a * a.transpose() + b * b.transpose() + c * c.transpose();
            second += (squares + sum * sum.transpose()) * (six / 120.0);
        }
    }
    if !(volume > 0.0) {
        return Err(Error::Degenerate { what, measure: volume });
    }
    let c = moment / volume;
    let central = second - c * c.transpose() * volume;
    let inertia = Rotation::<3>::identity() * central.trace() - central;
    Ok(Mass3 { mass: volume, centroid: o + c, inertia })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-12 * (1.0 + b.abs())
    }

    /// A rectangle as a polygon far from the origin: m = ab, J = m (a² + b²)/12.
    #[test]
    fn polygon_is_exact() {
        let s = Shape2::polygon(&[[99.0, 50.0], [102.0, 50.0], [102.0, 52.0], [99.0, 52.0]]).expect("ok");
        let m = s.mass_properties().expect("ok");
        assert!(close(m.mass, 6.0) && close(m.inertia, 6.5) && close(m.centroid.x, 100.5) && close(m.centroid.y, 51.0));
        // Right triangle of legs a, b: J about the centroid is A (a² + b²)/18.
        let t = Shape2::polygon(&[[0.0, 0.0], [3.0, 0.0], [0.0, 2.0]]).expect("ok").mass_properties().expect("ok");
        assert!(close(t.mass, 3.0) && close(t.inertia, 3.0 * 13.0 / 18.0));
    }

    /// Boxes, tetrahedra and meshes by integration equal the closed forms; parts add up.
    #[test]
    fn polyhedra_are_exact() {
        let corners: Vec<[f64; 3]> = (0..8)
            .map(|i| [5.0 + 2.0 * f64::from(i & 1), 3.0 * f64::from(i >> 1 & 1), 4.0 * f64::from(i >> 2 & 1)])
            .collect();
        let hull = Shape3::polyhedron(&corners).expect("ok").mass_properties().expect("ok");
        let cuboid = Shape3::cuboid([2.0, 3.0, 4.0]).expect("ok").mass_properties().expect("ok");
        assert!(close(hull.mass, 24.0) && (hull.centroid - Vector::<3>::new(6.0, 1.5, 2.0)).norm() < 1e-12);
        assert!((hull.inertia - cuboid.inertia).norm() < 1e-11 && close(cuboid.inertia[(0, 0)], 24.0 * 25.0 / 12.0));
        // Unit corner tetrahedron: V = 1/6, Ixx about the centroid = 1/80, Ixy = +1/480 as a product, −(−).
        let t = Shape3::polyhedron(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).expect("ok");
        let t = t.mass_properties().expect("ok");
        assert!(
            close(t.mass, 1.0 / 6.0) && close(t.inertia[(0, 0)], 1.0 / 80.0) && close(t.inertia[(0, 1)], 1.0 / 480.0)
        );
        // Two halves make the whole.
        let half = Shape3::cuboid([2.0, 3.0, 2.0]).expect("ok").mass_properties().expect("ok");
        let at = |z: f64| half.moved(&Pose::at(Vector::<3>::new(0.0, 0.0, z)));
        let sum = Mass3::sum(&[at(1.0), at(-1.0)]);
        assert!((sum.inertia - cuboid.inertia).norm() < 1e-12 && close(sum.mass, 24.0));
    }

    /// Round shapes against their fine tessellation, which converges at order 2: the error
    /// falls by 4 when the resolution doubles.
    #[test]
    fn round_shapes_are_limits_of_polyhedra() {
        let capsule = Shape2::capsule(0.7, 0.3).expect("ok");
        let exact = capsule.mass_properties().expect("ok");
        let error = |n: usize| {
            let outline = capsule.surface(n, 1.0);
            (of_polygon(&outline.points).inertia - exact.inertia).abs()
        };
        let order = (error(64) / error(128)).log2();
        assert!((order - 2.0).abs() < 0.05, "{order}");
        for shape in [Shape3::capsule(0.7, 0.3), Shape3::cylinder(0.7, 0.3), Shape3::sphere(0.4)] {
            let shape = shape.expect("ok");
            let exact = shape.mass_properties().expect("ok");
            let error = |n: usize| {
                let s = shape.surface(n, 1.0);
                let m = of_faces("test", &s.points, (0..s.len()).map(|f| s.polygon(f))).expect("closed");
                (m.inertia - exact.inertia).norm()
            };
            let order = (error(64) / error(128)).log2();
            assert!((order - 2.0).abs() < 0.1, "{}: {order}", shape.name());
        }
    }

    #[test]
    fn shapes_without_measure_have_no_mass() {
        assert!(matches!(Shape2::Point.mass_properties(), Err(Error::NoMass { what: "point" })));
        assert!(Shape3::half_space([0.0, 0.0, 1.0]).expect("ok").mass_properties().is_err());
        assert!(Shape3::height_field([1.0, 1.0], [2, 2], &[0.0; 4]).expect("ok").mass_properties().is_err());
    }
}
