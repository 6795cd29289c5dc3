//! The rows that glue two fields: `(Υ*, u_g − u_l)` on the gluing zone, method (17).

use crate::{Error, Overlap, Vector};
use std::collections::BTreeMap;

/// Rows this small beside the largest come from a corner of a cell that the zone barely touches.
const FAINT: f64 = 1e-10;

/// Whose functions the multipliers are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mediator {
    /// Those of the coarse mesh: few multipliers, and a patch test that is not exact, method §8.6.
    Coarse,
    /// Those of the fine mesh.
    #[default]
    Fine,
}

/// The product that glues.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Product {
    /// `∫ Υ · u`.
    #[default]
    L2,
    /// `∫ Υ · u + ℓ² ∇Υ : ∇u`.
    H1 {
        /// ℓ \[m\].
        length: f64,
    },
}

/// One multiplier: the same coefficients for every component of the displacement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// The node of the mediator whose function it is.
    pub node: u32,
    /// `∫ N`: what a multiplier of one weighs.
    pub measure: f64,
    /// Nodes of the coarse mesh and their coefficients, in the order of the nodes.
    pub coarse: Vec<(u32, f64)>,
    /// Nodes of the fine mesh, with the sign that makes the row `u_g − u_l`.
    pub fine: Vec<(u32, f64)>,
}

/// All rows of a gluing zone.
#[derive(Clone, Debug, PartialEq)]
pub struct Gluing {
    /// In the order of the nodes of the mediator.
    pub rows: Vec<Row>,
    /// Measure of the zone.
    pub measure: f64,
    /// Multipliers left out, whose support in the zone is faint.
    pub faint: usize,
}

impl Gluing {
    /// Glues an overlap where `zone` holds at the centre of a cell of the mediator. `extent` is what a unit of
    /// area stands for at a point: the thickness, `2πr`.
    ///
    /// # Errors
    /// A zone without measure, a negative length.
    pub fn new<const D: usize>(
        overlap: &Overlap<'_, D>,
        mediator: Mediator,
        product: Product,
        zone: &dyn Fn(&Vector<D>) -> bool,
        extent: &dyn Fn(&Vector<D>) -> f64,
    ) -> Result<Self, Error> {
        let squared = match product {
            Product::L2 => 0.0,
            Product::H1 { length } if length > 0.0 && length.is_finite() => length * length,
            Product::H1 { length } => {
                return Err(Error::Value { name: "length", value: length, expected: "a positive length" });
            }
        };
        let of = match mediator {
            Mediator::Coarse => &overlap.coarse,
            Mediator::Fine => &overlap.fine,
        };
        let inside: Vec<bool> = (0..of.len() as u32).map(|cell| zone(&of.centre(cell))).collect();
        let mut rows: BTreeMap<u32, (f64, [BTreeMap<u32, f64>; 2])> = BTreeMap::new();
        let mut measure = 0.0;
        for piece in &overlap.pieces {
            let owner = if mediator == Mediator::Coarse { piece.coarse } else { piece.fine };
            if !inside[owner as usize] {
                continue;
            }
            let nodes = [overlap.coarse.nodes(piece.coarse), overlap.fine.nodes(piece.fine)];
            let whole = piece.simplex.measure() / overlap.rule.weights.iter().sum::<f64>();
            for (xi, w) in overlap.rule.points.iter().zip(&overlap.rule.weights) {
                let x = piece.simplex.at(xi);
                let dv = w * whole * extent(&x);
                measure += dv;
                let at = [overlap.coarse.locate(piece.coarse, &x), overlap.fine.locate(piece.fine, &x)];
                let own = usize::from(mediator == Mediator::Fine);
                for (i, node) in nodes[own].iter().enumerate() {
                    let row = rows.entry(*node).or_default();
                    row.0 += dv * at[own].n[i];
                    for side in 0..2 {
                        let sign = if side == 0 { dv } else { -dv };
                        for (j, other) in nodes[side].iter().enumerate() {
                            let gradients = at[own].gradients[i].dot(&at[side].gradients[j]);
                            let c = at[own].n[i] * at[side].n[j] + squared * gradients;
                            *row.1[side].entry(*other).or_default() += sign * c;
                        }
                    }
                }
            }
        }
        let size = |row: &(f64, [BTreeMap<u32, f64>; 2])| row.1[own_side(mediator)].values().map(|c| c.abs()).sum();
        let largest = rows.values().map(size).fold(0.0, f64::max);
        if !(largest > 0.0) {
            return Err(Error::NoZone);
        }
        let all = rows.len();
        rows.retain(|_, row| size(row) > FAINT * largest);
        let faint = all - rows.len();
        let rows = rows
            .into_iter()
            .map(|(node, (measure, [coarse, fine]))| Row {
                node,
                measure,
                coarse: coarse.into_iter().collect(),
                fine: fine.into_iter().collect(),
            })
            .collect();
        Ok(Self { rows, measure, faint })
    }
}

fn own_side(mediator: Mediator) -> usize {
    usize::from(mediator == Mediator::Fine)
}
