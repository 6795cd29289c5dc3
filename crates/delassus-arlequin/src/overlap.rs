//! The common part of two meshes, cut along the sides of both.

use crate::{Error, Layer, Simplex};
use delassus_fem::element::{Rule, simplex_rule};
use delassus_fem::mesh::Mesh;

/// Pieces smaller than this share of the smaller cell are round-off.
const SPECK: f64 = 1e-14;
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
    /// The pieces, in the order of the coarse cells; those of the same two cells follow each other.
    pub pieces: Vec<Piece<D>>,
}

impl<'a, const D: usize> Overlap<'a, D> {
    /// Cuts two meshes.
    ///
    /// # Errors
    /// Meshes that have nothing in common.
    pub fn new(coarse: Layer<'a, D>, fine: Layer<'a, D>) -> Result<Self, Error> {
        let mut pieces = vec![];
        let mut found = vec![];
        for (k, part) in coarse.parts.iter().enumerate() {
            let thin = THIN * coarse.boxes[k].extent().norm();
            found.clear();
            fine.tree.overlapping(&coarse.boxes[k], |other| found.push(other));
            found.sort_unstable();
            for other in found.iter().map(|o| *o as usize) {
                let start = &fine.parts[other];
                if !fine.boxes[other].meets(&coarse.boxes[k]) {
                    continue;
                }
                let speck = SPECK * start.measure.min(part.measure);
                let mut body = start.body.clone();
                if part.sides.iter().all(|side| body.clip(side, thin)) {
                    body.simplices(speck, |simplex| {
                        pieces.push(Piece { coarse: part.cell, fine: start.cell, simplex });
                    });
                }
            }
        }
        if pieces.is_empty() {
            let (coarse, fine) = (bounds(coarse.mesh), bounds(fine.mesh));
            return Err(Error::Apart { coarse, fine });
        }
        // Cells in several parts meet in several pairs.
        pieces.sort_by_key(|p| (p.coarse, p.fine));
        Ok(Self { coarse, fine, pieces })
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

    /// Mean size of the cells of both meshes that have a part in it.
    pub fn sizes(&self) -> [f64; 2] {
        let shares = self.shares();
        [0, 1].map(|side| {
            let measures = self.layers()[side].measures();
            let sizes =
                measures.iter().zip(&shares[side]).filter(|(_, s)| **s > 0.0).map(|(m, _)| m.powf(1.0 / D as f64));
            let (sum, count) = sizes.fold((0.0, 0.0), |(sum, count), h| (sum + h, count + 1.0));
            sum / f64::max(count, 1.0)
        })
    }

    /// Share of the fine cells with a part in it that lie in more than one coarse cell.
    pub fn crossing(&self) -> f64 {
        let mut pairs: Vec<(u32, u32)> = self.pieces.iter().map(|p| (p.fine, p.coarse)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let cells = pairs.chunk_by(|a, b| a.0 == b.0);
        let (all, several) = cells.fold((0, 0), |(all, several), c| (all + 1, several + usize::from(c.len() > 1)));
        several as f64 / f64::max(all as f64, 1.0)
    }

    /// The two meshes, coarse first.
    pub fn layers(&self) -> [&Layer<'a, D>; 2] {
        [&self.coarse, &self.fine]
    }
}

/// Rules by their degree, made once.
#[derive(Default)]
pub(crate) struct Rules(Vec<Option<Rule>>);

impl Rules {
    /// On a simplex of `D` dimensions, weights that sum to one.
    pub(crate) fn of<const D: usize>(&mut self, degree: usize) -> &Rule {
        if self.0.len() <= degree {
            self.0.resize(degree + 1, None);
        }
        self.0[degree].get_or_insert_with(|| {
            let mut rule = simplex_rule(D, degree);
            let sum: f64 = rule.weights.iter().sum();
            rule.weights.iter_mut().for_each(|w| *w /= sum);
            rule
        })
    }
}

pub(crate) fn bounds(mesh: &Mesh) -> String {
    let (lo, hi) = mesh.bounds();
    let axes: Vec<String> = (0..mesh.dim).map(|k| format!("[{}, {}]", lo[k], hi[k])).collect();
    axes.join(" × ")
}
