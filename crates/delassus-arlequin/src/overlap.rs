//! The common part of two meshes, cut along the sides of both.

use crate::{Error, Layer, Simplex};
use delassus_fem::element::{Rule, simplex_rule};
use delassus_fem::mesh::Mesh;

/// Pieces smaller than this share of the smaller cell are round-off.
const SPECK: f64 = 1e-12;
/// Cuts this near to a corner, over the size of the cell, are through the corner.
const THIN: f64 = 1e-13;

/// A simplex inside one cell of each mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece<const D: usize> {
    /// Cell of the coarse mesh.
    pub coarse: u32,
    /// Cell of the fine mesh.
    pub fine: u32,
    /// Where.
    pub simplex: Simplex<D>,
}

/// The common part of two meshes.
pub struct Overlap<'a, const D: usize> {
    /// The one mesh.
    pub coarse: Layer<'a, D>,
    /// The other.
    pub fine: Layer<'a, D>,
    /// The pieces, in the order of the coarse cells.
    pub pieces: Vec<Piece<D>>,
    /// Exact for what is integrated on a piece.
    pub(crate) rule: Rule,
}

impl<'a, const D: usize> Overlap<'a, D> {
    /// Cuts two meshes.
    ///
    /// # Errors
    /// Meshes that have nothing in common.
    pub fn new(coarse: Layer<'a, D>, fine: Layer<'a, D>) -> Result<Self, Error> {
        let mut pieces = vec![];
        let (mut now, mut next) = (vec![], vec![]);
        for (k, (cell, simplex)) in coarse.simplices.iter().enumerate() {
            let faces: Vec<_> = simplex.faces().collect();
            let size = coarse.boxes[k].extent().norm();
            let mut found = vec![];
            fine.tree.overlapping(&coarse.boxes[k], |other| found.push(other));
            found.sort_unstable();
            for other in found {
                let (fine_cell, start) = &fine.simplices[other as usize];
                if !fine.boxes[other as usize].meets(&coarse.boxes[k]) {
                    continue;
                }
                let speck = SPECK * start.measure().min(simplex.measure());
                now.clear();
                now.push(*start);
                for face in &faces {
                    next.clear();
                    now.iter().for_each(|s| s.clip(face, THIN * size, &mut next));
                    std::mem::swap(&mut now, &mut next);
                }
                let kept = now.iter().filter(|s| s.measure() > speck);
                pieces.extend(kept.map(|s| Piece { coarse: *cell, fine: *fine_cell, simplex: *s }));
            }
        }
        if pieces.is_empty() {
            let (coarse, fine) = (bounds(coarse.mesh), bounds(fine.mesh));
            return Err(Error::Apart { coarse, fine });
        }
        // Products of two functions of second degree in each direction, and a radius.
        let rule = simplex_rule(D, 2 * D + 1);
        Ok(Self { coarse, fine, pieces, rule })
    }

    /// Its measure.
    pub fn measure(&self) -> f64 {
        self.pieces.iter().map(|p| p.simplex.measure()).sum()
    }

    /// Share of each cell of the coarse and of the fine mesh that the other covers.
    pub fn shares(&self) -> [Vec<f64>; 2] {
        let mut shares = [vec![0.0; self.coarse.len()], vec![0.0; self.fine.len()]];
        for p in &self.pieces {
            shares[0][p.coarse as usize] += p.simplex.measure();
            shares[1][p.fine as usize] += p.simplex.measure();
        }
        for (shares, layer) in shares.iter_mut().zip([&self.coarse, &self.fine]) {
            shares.iter_mut().zip(layer.measures()).for_each(|(s, m)| *s /= m);
        }
        shares
    }
}

fn bounds(mesh: &Mesh) -> String {
    let (lo, hi) = mesh.bounds();
    let axes: Vec<String> = (0..mesh.dim).map(|k| format!("[{}, {}]", lo[k], hi[k])).collect();
    axes.join(" × ")
}
