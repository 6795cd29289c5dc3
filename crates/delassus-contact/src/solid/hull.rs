//! A convex polyhedron in the world, moved by a translation; also one triangle.

use super::V;
use super::polyhedron::{Edge, Topology};
use std::sync::LazyLock;

/// Names of features: vertices, edges and faces do not clash.
pub(super) fn vertex_feature(v: u32) -> u32 {
    v << 2
}
pub(super) fn edge_feature(e: u32) -> u32 {
    e << 2 | 1
}
pub(super) fn face_feature(f: u32) -> u32 {
    f << 2 | 2
}

/// A triangle as a flat polyhedron of two faces.
static TRIANGLE: LazyLock<Topology> = LazyLock::new(|| Topology::new(&[vec![0, 1, 2], vec![0, 2, 1]]));

/// A view of a hull.
#[derive(Clone, Copy)]
pub(super) struct Hull<'a> {
    pub vertices: &'a [V],
    pub normals: &'a [V],
    pub topology: &'a Topology,
    /// Heights of the faces along their normals, without the shift.
    pub levels: &'a [f64],
    pub shift: V,
    /// Greatest distance of a vertex from the first.
    pub size: f64,
}

/// Share of an edge by which a point may be outside.
const FLUSH: f64 = 1e-9;

impl<'a> Hull<'a> {
    /// A triangle of normals n and −n.
    pub fn triangle(vertices: &'a [V; 3], normals: &'a [V; 2], levels: &'a [f64; 2], shift: V) -> Self {
        Self { vertices, normals, topology: &TRIANGLE, levels, shift, size: size(vertices) }
    }

    /// Height of a face along its normal.
    #[inline]
    pub fn level(&self, f: usize) -> f64 {
        if self.shift == V::zeros() { self.levels[f] } else { self.normals[f].dot(&self.on_face(f)) }
    }

    #[inline]
    pub fn v(&self, i: u32) -> V {
        self.vertices[i as usize] + self.shift
    }

    /// Whether it has no thickness.
    pub fn is_flat(&self) -> bool {
        self.normals.len() == 2
    }

    /// Ends of an edge.
    pub fn ends(&self, e: &Edge) -> (V, V) {
        (self.v(e.vertices[0]), self.v(e.vertices[1]))
    }

    /// The vertex lowest along `m`, and its height.
    pub fn lowest(&self, m: &V) -> (u32, f64) {
        let mut best = (0, f64::INFINITY);
        for (i, v) in self.vertices.iter().enumerate() {
            let h = m.dot(v);
            if h < best.1 {
                best = (i as u32, h);
            }
        }
        (best.0, best.1 + m.dot(&self.shift))
    }

    /// The face whose normal is closest to `m`.
    pub fn facing(&self, m: &V) -> usize {
        let mut best = (0, f64::NEG_INFINITY);
        for (i, n) in self.normals.iter().enumerate() {
            // The later of two equal faces must win by more than round-off.
            if n.dot(m) > best.1 + 1e-12 {
                best = (i, n.dot(m));
            }
        }
        best.0
    }

    /// A point of face `f`.
    #[inline]
    pub fn on_face(&self, f: usize) -> V {
        self.v(self.topology.face(f)[0])
    }

    /// Whether the projection of `p` along the normal lies in face `f`, flush corners
    /// included: stacked blocks must not lose contacts to round-off.
    pub fn over_face(&self, f: usize, p: &V) -> bool {
        let (face, n) = (self.topology.face(f), self.normals[f]);
        (0..face.len()).all(|i| {
            let (u, v) = (self.v(face[i]), self.v(face[(i + 1) % face.len()]));
            (v - u).cross(&(p - u)).dot(&n) >= -FLUSH * (v - u).norm_squared()
        })
    }

    pub fn centre(&self) -> V {
        self.vertices.iter().sum::<V>() / self.vertices.len() as f64 + self.shift
    }
}

/// Heights of the faces of normals n and −n through a point.
pub(super) fn both(n: &V, p: &V) -> [f64; 2] {
    let level = n.dot(p);
    [level, -level]
}

/// Greatest distance of a point from the first.
pub(super) fn size(points: &[V]) -> f64 {
    points.iter().fold(0.0f64, |m, v| m.max((v - points[0]).norm_squared())).sqrt()
}
