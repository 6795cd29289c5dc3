//! The rows that glue two fields: `(Υ*, u_g − u_l)` on the gluing zone, method (17).

use crate::overlap::Rules;
use crate::{Error, Located, Overlap, Vector};

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

impl Product {
    /// ℓ², zero without gradients.
    pub(crate) fn squared(self) -> Result<f64, Error> {
        match self {
            Product::L2 => Ok(0.0),
            Product::H1 { length } if length > 0.0 && length.is_finite() => Ok(length * length),
            Product::H1 { length } => {
                Err(Error::Value { name: "length", value: length, expected: "a positive length" })
            }
        }
    }
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
        let squared = product.squared()?;
        let layers = overlap.layers();
        let own = usize::from(mediator == Mediator::Fine);
        let inside: Vec<bool> = (0..layers[own].len() as u32).map(|cell| zone(&layers[own].centre(cell))).collect();
        let mut sum = Sum::default();
        let mut rules = Rules::default();
        for pieces in overlap.pieces.chunk_by(|a, b| (a.coarse, a.fine) == (b.coarse, b.fine)) {
            let cells = [pieces[0].coarse, pieces[0].fine];
            if !inside[cells[own] as usize] {
                continue;
            }
            // Products of functions of the mediator and of either side, and a radius.
            let degrees = [0, 1].map(|side| layers[side].degree(cells[side]));
            let rule = rules.of::<D>(degrees[own] + degrees[0].max(degrees[1]) + 1);
            let mut local = Local::new([0, 1].map(|side| layers[side].nodes(cells[side]).len()), own);
            for piece in pieces {
                for (xi, w) in rule.points.iter().zip(&rule.weights) {
                    let x = piece.simplex.at(xi);
                    let at = [0, 1].map(|side| layers[side].locate(cells[side], &x));
                    local.add(&at, w * piece.simplex.measure() * extent(&x), squared);
                }
            }
            sum.take(&local, [0, 1].map(|side| layers[side].nodes(cells[side])));
        }
        let cells = || overlap.shares()[own].iter().filter(|s| **s > 0.0).count();
        sum.rows(own).ok_or_else(|| Error::NoZone { overlap: overlap.measure(), cells: cells() })
    }
}

/// Products of the functions of two cells.
struct Local {
    own: usize,
    count: [usize; 2],
    measure: f64,
    ones: Vec<f64>,
    /// Rows of the mediator's functions, for each side.
    products: [Vec<f64>; 2],
}

impl Local {
    fn new(count: [usize; 2], own: usize) -> Self {
        let products = count.map(|n| vec![0.0; n * count[own]]);
        Self { own, count, measure: 0.0, ones: vec![0.0; count[own]], products }
    }

    fn add<const D: usize>(&mut self, at: &[Located<D>; 2], dv: f64, squared: f64) {
        self.measure += dv;
        let mine = &at[self.own];
        for i in 0..self.count[self.own] {
            self.ones[i] += dv * mine.n[i];
            let (value, gradient) = (dv * mine.n[i], mine.gradients[i] * (dv * squared));
            for (products, (at, n)) in self.products.iter_mut().zip(at.iter().zip(self.count)) {
                let row = &mut products[i * n..(i + 1) * n];
                row.iter_mut().zip(&at.n).for_each(|(c, n)| *c += value * n);
                if squared > 0.0 {
                    row.iter_mut().zip(&at.gradients).for_each(|(c, g)| *c += gradient.dot(g));
                }
            }
        }
    }
}

/// Rows in the making.
#[derive(Default)]
struct Sum {
    measure: f64,
    ones: Vec<(u32, f64)>,
    /// Row, side, node, coefficient.
    entries: Vec<(u32, usize, u32, f64)>,
}

impl Sum {
    fn take(&mut self, local: &Local, nodes: [&[u32]; 2]) {
        self.measure += local.measure;
        for (i, row) in nodes[local.own].iter().enumerate() {
            self.ones.push((*row, local.ones[i]));
            for side in 0..2 {
                let sign = if side == 0 { 1.0 } else { -1.0 };
                for (j, node) in nodes[side].iter().enumerate() {
                    let c = local.products[side][i * nodes[side].len() + j];
                    self.entries.push((*row, side, *node, sign * c));
                }
            }
        }
    }

    /// None without a row.
    fn rows(mut self, own: usize) -> Option<Gluing> {
        self.ones.sort_by_key(|e| e.0);
        self.entries.sort_by_key(|e| (e.0, e.1, e.2));
        let ones = self.ones.chunk_by(|a, b| a.0 == b.0);
        let mut rows: Vec<Row> = ones
            .zip(self.entries.chunk_by(|a, b| a.0 == b.0))
            .map(|(ones, entries)| {
                let mut row = Row { node: ones[0].0, measure: ones.iter().map(|o| o.1).sum(), ..Row::default() };
                for same in entries.chunk_by(|a, b| (a.1, a.2) == (b.1, b.2)) {
                    let side = if same[0].1 == 0 { &mut row.coarse } else { &mut row.fine };
                    side.push((same[0].2, same.iter().map(|e| e.3).sum()));
                }
                row
            })
            .collect();
        let size = |row: &Row| [&row.coarse, &row.fine][own].iter().map(|(_, c)| c.abs()).sum::<f64>();
        let largest = rows.iter().map(size).fold(0.0, f64::max);
        if !(largest > 0.0) {
            return None;
        }
        let all = rows.len();
        rows.retain(|row| size(row) > FAINT * largest);
        let faint = all - rows.len();
        Some(Gluing { rows, measure: self.measure, faint })
    }
}
