//! Bodies of space as they are drawn.

use super::Point3;
use crate::body::Shape;
use crate::vector::{add, cross, dot, norm, sub, unit};

/// A shape, in space.
#[derive(Clone, Debug, PartialEq)]
pub enum Solid {
    /// A sphere.
    Sphere {
        /// Its centre.
        centre: Point3,
        /// Its radius \[m\].
        radius: f64,
    },
    /// Faces that are planar and convex; shaded smoothly where they meet at small angles.
    Mesh {
        /// Vertices.
        points: Vec<Point3>,
        /// Vertices of each face.
        faces: Vec<Vec<u32>>,
    },
    /// Everything below a plane.
    HalfSpace {
        /// A point of the plane.
        point: Point3,
        /// Unit vector out of the matter.
        normal: Point3,
    },
}

impl Shape<3> for Solid {
    fn reach(&self, from: Point3) -> Option<f64> {
        let distance = |p: &Point3| norm(sub(*p, from));
        match self {
            Self::Sphere { centre, radius } => Some(distance(centre) + radius),
            Self::Mesh { points, .. } => points.iter().map(distance).max_by(f64::total_cmp),
            Self::HalfSpace { .. } => None,
        }
    }

    fn is_round(&self, middle: Point3) -> bool {
        matches!(self, Self::Sphere { centre, radius } if norm(sub(*centre, middle)) <= 1e-9 * radius)
    }

    fn is_bounded(&self) -> bool {
        !matches!(self, Self::HalfSpace { .. })
    }
}

/// A body of space.
pub type Body = crate::body::Body<3, Solid>;

/// A triangle with a normal at each corner.
pub struct Triangle {
    /// Corners.
    pub corners: [Point3; 3],
    /// Unit normals.
    pub normals: [Point3; 3],
}

/// Faces that meet at less than this angle belong to one smooth surface: cos 32°.
const SMOOTH: f64 = 0.848;

/// The triangles of a mesh, with smooth normals where its faces nearly continue each other.
pub fn triangles(points: &[Point3], faces: &[Vec<u32>]) -> Vec<Triangle> {
    let at = |i: u32| points[i as usize];
    // Twice the area times the normal, by Newell's sum: works for any planar polygon.
    let area = |face: &Vec<u32>| {
        let pairs = (0..face.len()).map(|i| (at(face[i]), at(face[(i + 1) % face.len()])));
        pairs.fold([0.0; 3], |sum, (a, b)| add(sum, cross(a, b)))
    };
    let areas: Vec<Point3> = faces.iter().map(area).collect();
    let mut around: Vec<Vec<u32>> = vec![vec![]; points.len()];
    for (f, face) in faces.iter().enumerate() {
        face.iter().for_each(|&v| around[v as usize].push(f as u32));
    }
    let mut found = vec![];
    for (f, face) in faces.iter().enumerate().filter(|(_, face)| face.len() > 2) {
        let own = unit(areas[f]);
        let normal = |v: u32| {
            let near = around[v as usize].iter().map(|&g| areas[g as usize]).filter(|a| dot(unit(*a), own) > SMOOTH);
            unit(near.fold([0.0; 3], add))
        };
        for i in 1..face.len() - 1 {
            let corners = [face[0], face[i], face[i + 1]];
            found.push(Triangle { corners: corners.map(at), normals: corners.map(normal) });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cube has flat faces: every normal is along an axis. Twelve triangles of area 1/2.
    #[test]
    fn a_cube_is_flat() {
        let points: Vec<Point3> =
            (0..8).map(|i| [f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)]).collect();
        let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let all = triangles(&points, &faces.map(|f| f.to_vec()));
        assert_eq!(all.len(), 12);
        for t in all {
            let n = cross(sub(t.corners[1], t.corners[0]), sub(t.corners[2], t.corners[0]));
            assert!((norm(n) - 1.0).abs() < 1e-12);
            for normal in t.normals {
                assert!((dot(normal, unit(n)) - 1.0).abs() < 1e-12);
            }
            // Outwards from the centre.
            assert!(dot(n, sub(t.corners[0], [0.5; 3])) > 0.0);
        }
    }

    /// A prism of 32 sides is smooth around: its normals point away from its axis.
    #[test]
    fn a_fine_prism_is_round() {
        let n = 32u32;
        let ring = |z: f64| {
            (0..n)
                .map(move |i| (f64::from(i) / f64::from(n) * std::f64::consts::TAU).sin_cos())
                .map(move |(s, c)| [c, s, z])
        };
        let points: Vec<Point3> = ring(0.0).chain(ring(1.0)).collect();
        let faces: Vec<Vec<u32>> = (0..n).map(|i| vec![i, (i + 1) % n, n + (i + 1) % n, n + i]).collect();
        for t in triangles(&points, &faces) {
            for (corner, normal) in t.corners.iter().zip(t.normals) {
                assert!((dot(normal, [corner[0], corner[1], 0.0]) - 1.0).abs() < 1e-9);
            }
        }
    }
}
