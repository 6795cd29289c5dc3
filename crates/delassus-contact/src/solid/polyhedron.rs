//! Convex polyhedra: faces with all their vertices, edges with their two faces
//!
//! The hull of the points is parry's; its coplanar triangles are merged here, so that
//! a face meets a face as one polygon.

use super::V;
use crate::Error;
use crate::error::finite;
use parry3d_f64::math::Vector as ParryVector;

/// An edge and the faces on its two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Its vertices; seen from outside, the first face is to the left of the way from the first to the second.
    pub vertices: [u32; 2],
    /// Its faces.
    pub faces: [u32; 2],
}

/// Faces and edges of a polyhedron.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    /// Vertices of all faces, each counter-clockwise from outside.
    loops: Vec<u32>,
    /// The edge from each of them to the next.
    sides: Vec<u32>,
    /// Where each face starts in `loops`, and the end.
    starts: Vec<u32>,
    /// Every edge once.
    pub edges: Vec<Edge>,
}

impl Topology {
    /// From the vertex loops of the faces.
    pub fn new(faces: &[Vec<u32>]) -> Self {
        let mut starts = vec![0];
        let mut loops = vec![];
        let mut edges: Vec<Edge> = vec![];
        let mut open = std::collections::BTreeMap::new();
        let mut sides = vec![];
        for (f, face) in faces.iter().enumerate() {
            for (i, &u) in face.iter().enumerate() {
                let v = face[(i + 1) % face.len()];
                match open.remove(&(v, u)) {
                    Some(e) => {
                        let edge: &mut Edge = &mut edges[e];
                        edge.faces[1] = f as u32;
                        sides.push(e as u32);
                    }
                    None => {
                        sides.push(edges.len() as u32);
                        open.insert((u, v), edges.len());
                        edges.push(Edge { vertices: [u, v], faces: [f as u32; 2] });
                    }
                }
            }
            loops.extend_from_slice(face);
            starts.push(loops.len() as u32);
        }
        Self { loops, sides, starts, edges }
    }

    /// Edges of a face: that from each of its vertices to the next.
    #[inline]
    pub fn sides(&self, f: usize) -> &[u32] {
        &self.sides[self.starts[f] as usize..self.starts[f + 1] as usize]
    }

    /// Number of faces.
    pub fn faces(&self) -> usize {
        self.starts.len() - 1
    }

    /// Vertices of a face, counter-clockwise from outside.
    #[inline]
    pub fn face(&self, f: usize) -> &[u32] {
        &self.loops[self.starts[f] as usize..self.starts[f + 1] as usize]
    }
}

/// A convex polyhedron.
#[derive(Clone, Debug, PartialEq)]
pub struct Polyhedron {
    vertices: Vec<V>,
    normals: Vec<V>,
    topology: Topology,
}

impl Polyhedron {
    /// The convex hull of points; refuses flat or too few points.
    pub fn hull(points: &[[f64; 3]]) -> Result<Self, Error> {
        finite("polyhedron vertex", points.as_flattened())?;
        if points.len() < 4 {
            return Err(Error::TooFewPoints { what: "polyhedron", needed: 4, got: points.len() });
        }
        let flat = || Error::Degenerate { what: "polyhedron", measure: 0.0 };
        // Around the first point and of size one: the hull's tolerances are then ours.
        let origin = V::from(points[0]);
        let scale = points.iter().fold(0.0f64, |m, p| m.max((V::from(*p) - origin).amax()));
        if !(scale > 0.0) {
            return Err(flat());
        }
        check_rank(points, &origin, scale)?;
        let unit: Vec<ParryVector> =
            points.iter().map(|p| (V::from(*p) - origin) / scale).map(|p| ParryVector::new(p.x, p.y, p.z)).collect();
        let (corners, triangles) = parry3d_f64::transformation::try_convex_hull(&unit).map_err(|_| flat())?;
        let vertices: Vec<V> = corners.iter().map(|p| V::new(p.x, p.y, p.z) * scale + origin).collect();
        let faces = merge_coplanar(&vertices, &triangles);
        Self::from_faces(vertices, &faces)
    }

    /// Distance of the mean of its vertices from the nearest face: at most half of its least width.
    pub fn thickness(&self) -> f64 {
        let centre = self.vertices.iter().sum::<V>() / self.vertices.len() as f64;
        let depth = |f: usize| self.normals[f].dot(&(self.vertices[self.topology.face(f)[0] as usize] - centre));
        (0..self.topology.faces()).map(depth).fold(f64::INFINITY, f64::min)
    }

    /// A box of given half sides.
    pub fn cuboid(h: &V) -> Self {
        let corner = |i: u32| {
            let s = |b: u32, x: f64| if i >> b & 1 == 1 { x } else { -x };
            V::new(s(0, h.x), s(1, h.y), s(2, h.z))
        };
        let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let faces: Vec<Vec<u32>> = faces.iter().map(|f| f.to_vec()).collect();
        let mut normals = vec![];
        for k in 0..3 {
            normals.push(V::ith(k, -1.0));
            normals.push(V::ith(k, 1.0));
        }
        Self { vertices: (0..8).map(corner).collect(), normals, topology: Topology::new(&faces) }
    }

    fn from_faces(vertices: Vec<V>, faces: &[Vec<u32>]) -> Result<Self, Error> {
        // Only vertices that a face uses, renumbered.
        let mut number = vec![u32::MAX; vertices.len()];
        let mut kept = vec![];
        let mut renumbered = faces.to_vec();
        for v in renumbered.iter_mut().flatten() {
            let old = *v as usize;
            if number[old] == u32::MAX {
                number[old] = kept.len() as u32;
                kept.push(vertices[old]);
            }
            *v = number[old];
        }
        let normals: Vec<V> = renumbered.iter().map(|f| newell(&kept, f)).collect();
        let volume: f64 = renumbered.iter().zip(&normals).map(|(f, n)| n.dot(&(kept[f[0] as usize] - kept[0]))).sum();
        let topology = Topology::new(&renumbered);
        let euler = kept.len() + topology.faces() == topology.edges.len() + 2;
        if !euler || !(volume > 0.0) {
            return Err(Error::Degenerate { what: "polyhedron", measure: volume });
        }
        Ok(Self { vertices: kept, normals: normals.iter().map(|n| n.normalize()).collect(), topology })
    }

    /// The vertices.
    pub fn vertices(&self) -> &[V] {
        &self.vertices
    }

    /// Outward unit normals of the faces.
    pub fn normals(&self) -> &[V] {
        &self.normals
    }

    /// Faces and edges.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }
}

/// Refuses points that lie in a plane, by their covariance.
fn check_rank(points: &[[f64; 3]], origin: &V, scale: f64) -> Result<(), Error> {
    let mut far = V::zeros();
    for p in points {
        let d = (V::from(*p) - origin) / scale;
        if d.norm_squared() > far.norm_squared() {
            far = d;
        }
    }
    let mut normal = V::zeros();
    for p in points {
        let c = far.cross(&((V::from(*p) - origin) / scale));
        if c.norm_squared() > normal.norm_squared() {
            normal = c;
        }
    }
    let thick = points.iter().fold(0.0f64, |m, p| m.max(normal.dot(&((V::from(*p) - origin) / scale)).abs()));
    if thick > 1e-9 { Ok(()) } else { Err(Error::Degenerate { what: "polyhedron", measure: thick * scale.powi(3) }) }
}

/// Area-weighted normal of a polygon (Newell).
pub(crate) fn newell(v: &[V], face: &[u32]) -> V {
    let p = v[face[0] as usize];
    (1..face.len() - 1).map(|i| (v[face[i] as usize] - p).cross(&(v[face[i + 1] as usize] - p))).sum::<V>()
}

/// Joins triangles that lie in one plane into faces.
fn merge_coplanar(v: &[V], triangles: &[[u32; 3]]) -> Vec<Vec<u32>> {
    let normals: Vec<V> = triangles.iter().map(|t| newell(v, t)).collect();
    let mut owner = std::collections::BTreeMap::new();
    for (t, tri) in triangles.iter().enumerate() {
        for i in 0..3 {
            owner.insert((tri[i], tri[(i + 1) % 3]), t);
        }
    }
    let mut group = vec![usize::MAX; triangles.len()];
    let mut faces = vec![];
    // Largest triangles first: their normals are the surest.
    let mut order: Vec<usize> = (0..triangles.len()).collect();
    order.sort_by(|&a, &b| normals[b].norm_squared().total_cmp(&normals[a].norm_squared()).then(a.cmp(&b)));
    for seed in order {
        if group[seed] != usize::MAX || !(normals[seed].norm() > 0.0) {
            continue;
        }
        let id = faces.len();
        let n = normals[seed].normalize();
        let mut stack = vec![seed];
        group[seed] = id;
        while let Some(t) = stack.pop() {
            for i in 0..3 {
                let Some(&o) = owner.get(&(triangles[t][(i + 1) % 3], triangles[t][i])) else { continue };
                let m = normals[o];
                if group[o] == usize::MAX && n.cross(&m).norm() <= 1e-9 * m.norm() && n.dot(&m) >= 0.0 {
                    group[o] = id;
                    stack.push(o);
                }
            }
        }
        faces.push(boundary(triangles, &group, id, v));
    }
    faces
}

/// The boundary loop of a group of triangles, without vertices inside straight sides.
fn boundary(triangles: &[[u32; 3]], group: &[usize], id: usize, v: &[V]) -> Vec<u32> {
    let mut next = std::collections::BTreeMap::new();
    let members = || triangles.iter().zip(group).filter(|(_, g)| **g == id).map(|(t, _)| t);
    let mut inside = std::collections::BTreeSet::new();
    for t in members() {
        for i in 0..3 {
            inside.insert((t[i], t[(i + 1) % 3]));
        }
    }
    for &(a, b) in &inside {
        if !inside.contains(&(b, a)) {
            next.insert(a, b);
        }
    }
    let Some((&start, _)) = next.iter().next() else { return vec![] };
    let mut face = vec![start];
    while let Some(&b) = next.get(face.last().expect("it has the start")) {
        if b == start || face.len() > next.len() {
            break;
        }
        face.push(b);
    }
    let n = face.len();
    let straight = |i: usize| {
        let (p, q, r) = (v[face[(i + n - 1) % n] as usize], v[face[i] as usize], v[face[(i + 1) % n] as usize]);
        (q - p).cross(&(r - q)).norm() <= 1e-9 * (q - p).norm() * (r - q).norm()
    };
    (0..n).filter(|&i| !straight(i)).map(|i| face[i]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hull of the corners and some inner points of a cube is the cube: Euler's 8 − 12 + 6.
    #[test]
    fn hull_of_a_cube_has_six_square_faces() {
        let mut points = vec![[0.1, 0.2, 0.3], [0.0, 0.0, 0.0]];
        for i in 0..8 {
            points.push([f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2 & 1)]);
        }
        points.push([0.5, 0.5, 1.0]);
        let p = Polyhedron::hull(&points).expect("valid");
        assert_eq!((p.vertices().len(), p.topology().edges.len(), p.topology().faces()), (8, 12, 6));
        assert!((0..6).all(|f| p.topology().face(f).len() == 4));
        let c = Polyhedron::cuboid(&V::new(1.0, 2.0, 3.0));
        for f in 0..6 {
            assert!((newell(c.vertices(), c.topology().face(f)).normalize() - c.normals()[f]).norm() < 1e-15);
        }
    }

    #[test]
    fn flat_points_are_refused() {
        let flat = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.3, 0.2, 0.0]];
        assert!(matches!(Polyhedron::hull(&flat), Err(Error::Degenerate { .. })));
        assert!(Polyhedron::hull(&[[0.0; 3]; 5]).is_err());
        assert!(Polyhedron::hull(&flat[..3]).is_err());
    }
}
