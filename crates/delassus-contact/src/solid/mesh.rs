//! Triangle meshes, with a tree of boxes
//!
//! Triangles are counter-clockwise from outside and seen from outside only.

use super::V;
use crate::error::finite;
use crate::tree::Tree;
use crate::{Aabb, Error};

/// How a triangle's edge joins its neighbour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Joint {
    /// Tangent of the angle by which the surface turns away over the edge: positive at a
    /// convex edge, 0 flat or concave, infinite at a free edge or past a right angle.
    pub turn: f64,
}

/// An edge at which the surface bulges, and the triangles beside it; seen from outside the first is to the left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SharpEdge {
    pub vertices: [u32; 2],
    pub triangles: [u32; 2],
}

/// Triangles whose normals are closer than this (cosine, 26°) meet at no sharp edge.
const SHARP: f64 = 0.9;

/// A triangle mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct TriMesh {
    points: Vec<V>,
    triangles: Vec<[u32; 3]>,
    pub(super) joints: Vec<[Joint; 3]>,
    boxes: Vec<Aabb<3>>,
    tree: Tree<3>,
    /// Half of the least thickness behind a triangle; zero where the mesh is open.
    thickness: f64,
    /// Sum of the normals of the triangles at each point, of length one.
    outwards: Vec<V>,
    sharp: Vec<SharpEdge>,
}

impl TriMesh {
    /// From points and counter-clockwise triangles.
    pub fn new(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Result<Self, Error> {
        finite("mesh point", points.as_flattened())?;
        if triangles.is_empty() {
            return Err(Error::TooFewPoints { what: "triangle mesh", needed: 3, got: 0 });
        }
        let points: Vec<V> = points.iter().map(|&p| p.into()).collect();
        for (t, tri) in triangles.iter().enumerate() {
            if let Some(&index) = tri.iter().find(|&&i| i as usize >= points.len()) {
                return Err(Error::BadIndex { triangle: t, index, points: points.len() });
            }
            let area = 0.5 * area_vector(&points, tri).norm();
            let longest = (0..3).map(|i| (points[tri[i] as usize] - points[tri[(i + 1) % 3] as usize]).norm_squared());
            if !(area > 1e-12 * longest.fold(0.0, f64::max)) {
                return Err(Error::Degenerate { what: "triangle of the mesh", measure: area });
            }
        }
        let joints = joints(&points, triangles);
        let boxes: Vec<_> = triangles.iter().map(|t| Aabb::of_points(&t.map(|i| points[i as usize]), 0.0)).collect();
        let mut tree = Tree::default();
        tree.update(&boxes);
        let (outwards, sharp) = (outwards(&points, triangles), sharp(&points, triangles));
        let triangles = triangles.to_vec();
        let mut mesh = Self { points, triangles, joints, boxes, tree, thickness: 0.0, outwards, sharp };
        if mesh.is_closed() {
            mesh.thickness = 0.5 * mesh.least_thickness();
        }
        Ok(mesh)
    }

    /// Mean direction out of the surface at a point.
    pub(super) fn outwards(&self, point: usize) -> V {
        self.outwards[point]
    }

    /// Edges at which the surface bulges.
    pub(super) fn sharp(&self) -> &[SharpEdge] {
        &self.sharp
    }

    /// Half of the least thickness of the volume behind the triangles; zero for open meshes.
    pub fn thickness(&self) -> f64 {
        self.thickness
    }

    /// Least way from the middle of a triangle, inwards along its normal, to another one.
    fn least_thickness(&self) -> f64 {
        let size = Aabb::of_points(&self.points, 0.0).extent().norm();
        let corner = |t: &[u32; 3], i: usize| self.points[t[i] as usize];
        let mut least = size;
        for (k, tri) in self.triangles.iter().enumerate() {
            let from = (corner(tri, 0) + corner(tri, 1) + corner(tri, 2)) / 3.0;
            let n = -area_vector(&self.points, tri).normalize();
            self.visit(&Aabb::of_points(&[from, from + n * least], 0.0), &mut |t| {
                if t != k
                    && let Some(way) = self.ray(t, &from, &n)
                {
                    least = least.min(way);
                }
            });
        }
        least
    }

    /// How far along the unit vector `n` from `p` triangle `t` is met \[Moeller97\]; crossings behind do not count.
    pub(super) fn ray(&self, t: usize, p: &V, n: &V) -> Option<f64> {
        let [a, b, c] = self.triangles[t].map(|i| self.points[i as usize]);
        let (u, v) = (b - a, c - a);
        let h = n.cross(&v);
        let det = u.dot(&h);
        if det.abs() <= 1e-14 * u.norm() * v.norm() {
            return None;
        }
        let r = (p - a) / det;
        let x = r.dot(&h);
        let y = n.dot(&r.cross(&u));
        let way = v.dot(&r.cross(&u));
        (x >= 0.0 && y >= 0.0 && x + y <= 1.0 && way > 0.0).then_some(way)
    }

    /// A grid of `nx × ny` heights, x fastest, over the rectangle of given sides centred at the origin.
    pub fn height_field(size: [f64; 2], n: [usize; 2], heights: &[f64]) -> Result<Self, Error> {
        crate::error::positive("height field width", size[0])?;
        crate::error::positive("height field depth", size[1])?;
        let [nx, ny] = n;
        if nx < 2 || ny < 2 || heights.len() != nx * ny {
            return Err(Error::BadGrid { nx, ny, needed: nx.max(2) * ny.max(2), got: heights.len() });
        }
        let at = |i: usize, n: usize, s: f64| s * (i as f64 / (n - 1) as f64 - 0.5);
        let points: Vec<[f64; 3]> =
            (0..nx * ny).map(|k| [at(k % nx, nx, size[0]), at(k / nx, ny, size[1]), heights[k]]).collect();
        let mut triangles = vec![];
        for j in 0..ny - 1 {
            for i in 0..nx - 1 {
                let a = (j * nx + i) as u32;
                let (b, c, d) = (a + 1, a + 1 + nx as u32, a + nx as u32);
                triangles.push([a, b, c]);
                triangles.push([a, c, d]);
            }
        }
        Self::new(&points, &triangles)
    }

    /// The points.
    pub fn points(&self) -> &[V] {
        &self.points
    }

    /// The triangles.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Whether every edge has two triangles, so that the mesh bounds a volume.
    pub fn is_closed(&self) -> bool {
        let edges: std::collections::BTreeSet<_> =
            self.triangles.iter().flat_map(|t| (0..3).map(|i| (t[i], t[(i + 1) % 3]))).collect();
        edges.iter().all(|&(a, b)| edges.contains(&(b, a)))
    }

    /// Visits the triangles near `p` in the frame of the mesh, see [`Tree::nearest`].
    pub(super) fn nearest(&self, p: &V, reach: f64, visit: impl FnMut(u32, &mut f64)) {
        self.tree.nearest(p, reach * reach, visit);
    }

    /// Calls `f` for every triangle whose box meets `aabb`, in the frame of the mesh.
    pub(super) fn visit(&self, aabb: &Aabb<3>, f: &mut dyn FnMut(usize)) {
        self.tree.overlapping(aabb, |t| {
            if self.boxes[t as usize].meets(aabb) {
                f(t as usize);
            }
        });
    }
}

/// Mean normal at each point, by the angles of the triangles there.
fn outwards(points: &[V], triangles: &[[u32; 3]]) -> Vec<V> {
    let mut sum = vec![V::zeros(); points.len()];
    for t in triangles {
        let n = area_vector(points, t).normalize();
        for i in 0..3 {
            let at = |k: usize| points[t[(i + k) % 3] as usize];
            let angle = (at(1) - at(0)).angle(&(at(2) - at(0)));
            sum[t[i] as usize] += n * angle;
        }
    }
    sum.iter().map(|n| n.try_normalize(0.0).unwrap_or_else(V::zeros)).collect()
}

fn sharp(points: &[V], triangles: &[[u32; 3]]) -> Vec<SharpEdge> {
    let mut open = std::collections::BTreeMap::new();
    let mut edges = vec![];
    for (t, tri) in triangles.iter().enumerate() {
        for i in 0..3 {
            let (a, b) = (tri[i], tri[(i + 1) % 3]);
            let Some(other) = open.remove(&(b, a)) else {
                open.insert((a, b), t as u32);
                continue;
            };
            let [n, m] = [t, other as usize].map(|t| area_vector(points, &triangles[t]).normalize());
            let across = (points[b as usize] - points[a as usize]).cross(&n);
            if n.dot(&m) < SHARP && m.dot(&across) > 0.0 {
                edges.push(SharpEdge { vertices: [a, b], triangles: [t as u32, other] });
            }
        }
    }
    edges
}

fn area_vector(p: &[V], t: &[u32; 3]) -> V {
    let a = p[t[0] as usize];
    (p[t[1] as usize] - a).cross(&(p[t[2] as usize] - a))
}

fn joints(points: &[V], triangles: &[[u32; 3]]) -> Vec<[Joint; 3]> {
    let mut owner = std::collections::BTreeMap::new();
    for (t, tri) in triangles.iter().enumerate() {
        for i in 0..3 {
            owner.insert((tri[i], tri[(i + 1) % 3]), t);
        }
    }
    let normal = |t: usize| area_vector(points, &triangles[t]).normalize();
    let joint = |t: usize, i: usize| {
        let (a, b) = (triangles[t][i], triangles[t][(i + 1) % 3]);
        let Some(&o) = owner.get(&(b, a)) else { return Joint { turn: f64::INFINITY } };
        let (n, m) = (normal(t), normal(o));
        // Outward of the edge in the plane of the triangle.
        let out = (points[b as usize] - points[a as usize]).normalize().cross(&n);
        let (lean, rise) = (m.dot(&out), m.dot(&n));
        let turn = if lean <= 1e-9 {
            0.0
        } else if rise <= 0.0 {
            f64::INFINITY
        } else {
            lean / rise
        };
        Joint { turn }
    };
    (0..triangles.len()).map(|t| std::array::from_fn(|i| joint(t, i))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree visits exactly the triangles whose boxes meet the query.
    #[test]
    fn tree_equals_all() {
        let heights: Vec<f64> = (0..20 * 15).map(|i| (f64::from(i) * 0.7).sin()).collect();
        let mesh = TriMesh::height_field([4.0, 3.0], [20, 15], &heights).expect("valid");
        for k in 0..30 {
            let c = V::new((f64::from(k) * 1.3).sin() * 2.0, (f64::from(k) * 0.9).cos() * 1.5, 0.2);
            let query = Aabb::of_points(&[c], 0.3);
            let mut seen = vec![];
            mesh.visit(&query, &mut |t| seen.push(t));
            seen.sort_unstable();
            let all: Vec<usize> = (0..mesh.triangles().len()).filter(|&t| mesh.boxes[t].meets(&query)).collect();
            assert_eq!(seen, all);
        }
        assert!(!mesh.is_closed());
    }

    #[test]
    fn bad_meshes_are_refused() {
        let p = [[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        assert!(matches!(TriMesh::new(&p, &[[0, 1, 7]]), Err(Error::BadIndex { index: 7, .. })));
        assert!(matches!(TriMesh::new(&p, &[[0, 1, 2]]), Err(Error::Degenerate { .. })));
        assert!(TriMesh::new(&p, &[]).is_err());
        assert!(matches!(TriMesh::height_field([1.0, 1.0], [2, 2], &[0.0; 3]), Err(Error::BadGrid { .. })));
    }
}
