//! A mesh as convex pieces \[Mamou16\]
//!
//! Voxels of the mesh are cut by planes across the axes until each part fills its hull but for a share; the hull of
//! what of the *mesh* lies in a part is a piece, so that faces stay where they are and only notches finer than the
//! voxels are lost. The cuts halve whatever is not convex and make more parts than are needed: pieces whose common hull
//! adds least are joined again.

use super::{Polyhedron, Shape3, V};
use crate::Error;
use parry3d_f64::math::Vector as ParryVector;
use parry3d_f64::transformation::vhacd::{VHACD, VHACDParameters};
use parry3d_f64::transformation::voxelization::FillMode;
use std::sync::Arc;

/// How finely a mesh is cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pieces {
    /// Most pieces.
    pub most: usize,
    /// Volume that the hull of a piece may add, relative to the hull of the mesh.
    pub concavity: f64,
    /// Voxels along the longest side of the mesh.
    pub resolution: u32,
}

impl Default for Pieces {
    fn default() -> Self {
        Self { most: 16, concavity: 0.01, resolution: 100 }
    }
}

/// Most parts that are cut, before some are joined.
const CUTS: usize = 128;

impl Pieces {
    /// Convex pieces that together are nearly what the triangles bound; one, the hull, where that is convex.
    ///
    /// # Errors
    /// Points that are flat or not finite, or a triangle of points that are not there.
    pub fn cut(&self, points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Result<Vec<Polyhedron>, Error> {
        let whole = hull(points)?;
        let out = |t: &[u32; 3]| t.iter().find(|i| **i as usize >= points.len()).copied();
        if let Some((triangle, index)) = triangles.iter().enumerate().find_map(|(k, t)| out(t).map(|i| (k, i))) {
            return Err(Error::BadIndex { triangle, index, points: points.len() });
        }
        if self.most <= 1 || volume(points, triangles) >= (1.0 - self.concavity) * whole.volume {
            return Ok(vec![whole.hull]);
        }
        // Around the origin and of size one: the tolerances of the voxels are then ours.
        let (low, high) = points.iter().fold(([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]), |(l, h), p| {
            (std::array::from_fn(|k| l[k].min(p[k])), std::array::from_fn(|k| h[k].max(p[k])))
        });
        let scale = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
        let unit: Vec<ParryVector> = points
            .iter()
            .map(|p| ParryVector::new((p[0] - low[0]) / scale, (p[1] - low[1]) / scale, (p[2] - low[2]) / scale))
            .collect();
        let parameters = VHACDParameters {
            concavity: self.concavity,
            resolution: self.resolution,
            // It may return four times as many.
            max_convex_hulls: (CUTS / 4).min(self.most.next_power_of_two()) as u32,
            fill_mode: FillMode::FloodFill { detect_cavities: false },
            plane_downsampling: 1,
            convex_hull_downsampling: 1,
            ..VHACDParameters::default()
        };
        let cut = VHACD::decompose(&parameters, &unit, triangles, true);
        let back = |p: &ParryVector| [p.x * scale + low[0], p.y * scale + low[1], p.z * scale + low[2]];
        let parts = cut.compute_primitive_intersections(&unit, triangles);
        // A part may hold a flat scrap of the surface only: it bounds nothing.
        let pieces: Vec<Piece> =
            parts.iter().filter_map(|part| hull(&part.iter().map(back).collect::<Vec<_>>()).ok()).collect();
        if pieces.is_empty() {
            return Ok(vec![whole.hull]);
        }
        let joined = join(pieces, self.most, 0.1 * self.concavity * whole.volume);
        Ok(joined.into_iter().map(|p| p.hull).collect())
    }
}

/// Volume that triangles bound.
fn volume(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> f64 {
    let p = |i: u32| V::from(points[i as usize]) - V::from(points[0]);
    triangles.iter().map(|t| p(t[0]).dot(&p(t[1]).cross(&p(t[2]))) / 6.0).sum()
}

struct Piece {
    hull: Polyhedron,
    volume: f64,
}

fn hull(points: &[[f64; 3]]) -> Result<Piece, Error> {
    let hull = Polyhedron::hull(points)?;
    let volume = Shape3::Polyhedron(Arc::new(hull.clone())).mass_properties()?.mass;
    Ok(Piece { hull, volume })
}

/// Joins the two pieces whose common hull adds least, while there are too many or it adds next to nothing.
fn join(mut pieces: Vec<Piece>, most: usize, little: f64) -> Vec<Piece> {
    let both = |a: &Piece, b: &Piece| {
        let points: Vec<[f64; 3]> = a.hull.vertices().iter().chain(b.hull.vertices()).map(|p| (*p).into()).collect();
        hull(&points).ok().map(|h| (h.volume - a.volume - b.volume, h))
    };
    let mut costs: Vec<Vec<f64>> = vec![];
    for (i, a) in pieces.iter().enumerate() {
        costs.push(pieces[..i].iter().map(|b| both(a, b).map_or(f64::INFINITY, |c| c.0)).collect());
    }
    while pieces.len() > 1 {
        let pairs = costs.iter().enumerate().flat_map(|(i, row)| row.iter().enumerate().map(move |(j, c)| (*c, i, j)));
        let Some((cost, i, j)) = pairs.min_by(|a, b| a.0.total_cmp(&b.0)) else { break };
        let Some((_, joined)) = (cost <= little || pieces.len() > most).then(|| both(&pieces[i], &pieces[j])).flatten()
        else {
            break;
        };
        // j < i: the last row takes the place of row i.
        pieces[j] = joined;
        pieces.remove(i);
        costs.remove(i);
        costs.iter_mut().skip(i).for_each(|row| {
            row.remove(i);
        });
        for k in (0..pieces.len()).filter(|k| *k != j) {
            let (a, b) = (j.max(k), j.min(k));
            costs[a][b] = both(&pieces[a], &pieces[b]).map_or(f64::INFINITY, |c| c.0);
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TriMesh;

    /// A prism over a polygon of the plane, given counter-clockwise and by convex parts of its points.
    fn prism(outline: &[[f64; 2]], parts: &[&[u32]], height: f64) -> TriMesh {
        let n = outline.len() as u32;
        let at = |z: f64| outline.iter().map(move |p| [p[0], p[1], z]);
        let points: Vec<[f64; 3]> = at(0.0).chain(at(height)).collect();
        let mut triangles = vec![];
        for part in parts {
            for w in part[1..].windows(2) {
                triangles.push([part[0], w[1], w[0]]);
                triangles.push([n + part[0], n + w[0], n + w[1]]);
            }
        }
        for i in 0..n {
            let j = (i + 1) % n;
            triangles.push([i, j, n + j]);
            triangles.push([i, n + j, n + i]);
        }
        TriMesh::new(&points, &triangles).expect("a prism")
    }

    /// A channel of outer sides 3 × 2 with a groove of 1 × 1 from above.
    fn channel() -> TriMesh {
        let outline = [[0.0, 0.0], [3.0, 0.0], [3.0, 2.0], [2.0, 2.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
        prism(&outline, &[&[0, 1, 4, 5], &[1, 2, 3, 4], &[0, 5, 6, 7]], 1.0)
    }

    fn pieces_of(mesh: &TriMesh, settings: Pieces) -> Result<Vec<Polyhedron>, Error> {
        let points: Vec<[f64; 3]> = mesh.points().iter().map(|p| (*p).into()).collect();
        settings.cut(&points, mesh.triangles())
    }

    fn sum(pieces: &[Polyhedron]) -> f64 {
        pieces.iter().map(|p| Shape3::Polyhedron(Arc::new(p.clone())).mass_properties().expect("solid").mass).sum()
    }

    fn inside(piece: &Polyhedron, x: [f64; 3], slack: f64) -> bool {
        (0..piece.topology().faces()).all(|f| {
            let on = piece.vertices()[piece.topology().face(f)[0] as usize];
            piece.normals()[f].dot(&(V::from(x) - on)) <= slack
        })
    }

    /// A channel of volume 5 in a hull of 6: the groove stays open, every corner is covered, and the volume of the
    /// pieces is that of the channel to a voxel's layer on the cuts.
    #[test]
    fn a_channel_is_cut_and_its_groove_stays_open() {
        let mesh = channel();
        assert!(mesh.defect().is_none() && (mesh.volume() - 5.0).abs() < 1e-12);
        let pieces = pieces_of(&mesh, Pieces::default()).expect("cut");
        assert!((2..=4).contains(&pieces.len()), "{} pieces", pieces.len());
        assert!((sum(&pieces) - 5.0).abs() < 0.15, "{}", sum(&pieces));
        let groove = [[1.1, 1.1, 0.5], [1.5, 1.5, 0.5], [1.9, 1.1, 0.1], [1.5, 1.1, 0.9]];
        assert!(groove.iter().all(|x| pieces.iter().all(|p| !inside(p, *x, 0.0))));
        assert!(mesh.points().iter().all(|x| pieces.iter().any(|p| inside(p, (*x).into(), 1e-9))));
    }

    /// No more than are allowed; one is the hull.
    #[test]
    fn pieces_are_joined_to_the_number_allowed() {
        let mesh = channel();
        let two = pieces_of(&mesh, Pieces { most: 2, ..Pieces::default() }).expect("cut");
        assert!(two.len() <= 2);
        let one = pieces_of(&mesh, Pieces { most: 1, ..Pieces::default() }).expect("cut");
        assert!(one.len() == 1 && (sum(&one) - 6.0).abs() < 1e-12);
    }

    /// A convex mesh is its own piece; the same mesh anywhere and of any size has the same pieces.
    #[test]
    fn convex_meshes_stay_whole_and_size_does_not_matter() {
        let cube = prism(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], &[&[0, 1, 2, 3]], 1.0);
        assert_eq!(pieces_of(&cube, Pieces::default()).expect("whole").len(), 1);
        let moved: Vec<[f64; 3]> =
            channel().points().iter().map(|p| [1e-3 * p.x + 5.0, 1e-3 * p.y, 1e-3 * p.z]).collect();
        let moved = TriMesh::new(&moved, channel().triangles()).expect("a mesh");
        let (a, b) = (
            pieces_of(&channel(), Pieces::default()).expect("cut"),
            pieces_of(&moved, Pieces::default()).expect("cut"),
        );
        assert_eq!(a.len(), b.len());
        assert!((sum(&a) * 1e-9 / sum(&b) - 1.0).abs() < 1e-6);
    }
}
