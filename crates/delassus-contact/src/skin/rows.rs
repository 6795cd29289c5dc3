//! Weighted rows of the multipliers, and projection on their space
//!
//! ```text
//! G_m = Σ_j ω_j ψ_m(p_j) (N, −N̄) ⊗ (n, t1[, t2])      w_m = Σ_j ω_j ψ_m      g_m = Σ_j ω_j ψ_m g_j
//! P(d) = Σ_m c_m ψ_m,   Σ_l M_ml c_l = Σ_j ω_j ψ_m d_j,   M_ml = Σ_j ω_j ψ_m ψ_l
//! ```
//!
//! The rows are those of (3.83) and (3.84); P is the projection of the stabilisation (3.93),
//! whose term is `Gᵀ M⁻¹ G u` \[Zammali05\].

use super::{ContactError, ContactPoint};
use crate::Rotation;

/// Rows of all multipliers, compressed; memory is kept between fillings.
#[derive(Clone, Debug, Default)]
pub struct MultiplierRows<const D: usize> {
    /// Row `m` is `starts[m]..starts[m + 1]`.
    pub starts: Vec<u32>,
    /// Nodes of the rows, ascending in each.
    pub nodes: Vec<u32>,
    /// Per node a block (zero where no point counts) whose row `c` multiplies the node's displacement for component `c`
    /// of (n, t1\[, t2\]).
    pub blocks: Vec<Rotation<D>>,
    /// Weights `Σ ω ψ_m` \[m²\]; zero where a multiplier has no points.
    pub weights: Vec<f64>,
    /// Weighted gaps `Σ ω ψ_m g` \[m³\].
    pub gaps: Vec<f64>,
    scratch: RowScratch,
}

/// Memory of the filling.
#[derive(Clone, Debug, Default)]
struct RowScratch {
    /// Points of each multiplier with `ω ψ`, multiplier after multiplier.
    first: Vec<u32>,
    shares: Vec<(u32, f64)>,
    /// Per node: its place in the row being filled, and the row it was last in.
    place: Vec<(u32, u32)>,
}

impl<const D: usize> MultiplierRows<D> {
    /// Fills the rows; `factor(j)` multiplies the weight of point j (statuses S_u S_v, or 1).
    pub fn fill(&mut self, points: &[ContactPoint<D>], multipliers: usize, factor: impl Fn(usize) -> f64) {
        self.clear(multipliers);
        self.share(points, multipliers, factor);
        for m in 0..multipliers {
            let range = self.scratch.first[m] as usize..self.scratch.first[m + 1] as usize;
            let start = self.nodes.len();
            for &(j, _) in &self.scratch.shares[range.clone()] {
                for (i, _) in points[j as usize].coefficients() {
                    let place = slot(&mut self.scratch.place, i);
                    if place.1 != m as u32 {
                        *place = (0, m as u32);
                        self.nodes.push(i);
                    }
                }
            }
            self.nodes[start..].sort_unstable();
            for (k, &i) in self.nodes.iter().enumerate().skip(start) {
                self.scratch.place[i as usize].0 = k as u32;
            }
            self.blocks.resize(self.nodes.len(), Rotation::<D>::zeros());
            for &(j, share) in &self.scratch.shares[range] {
                let p = &points[j as usize];
                let frame = p.frame.transpose() * share;
                for (i, c) in p.coefficients() {
                    self.blocks[self.scratch.place[i as usize].0 as usize] += frame * c;
                }
            }
            self.starts.push(self.nodes.len() as u32);
        }
    }

    /// Lists the points of each multiplier, in the order of the points.
    fn share(&mut self, points: &[ContactPoint<D>], multipliers: usize, factor: impl Fn(usize) -> f64) {
        let first = &mut self.scratch.first;
        first.resize(multipliers + 2, 0);
        let parts = |j: usize| points[j].multiplier.iter();
        for j in 0..points.len() {
            parts(j).for_each(|(m, _)| first[m as usize + 2] += 1);
        }
        for m in 2..first.len() {
            first[m] += first[m - 1];
        }
        self.scratch.shares.resize(first[multipliers + 1] as usize, (0, 0.0));
        for (j, p) in points.iter().enumerate() {
            let weight = p.weight * factor(j);
            for (m, psi) in parts(j) {
                let (m, share) = (m as usize, weight * psi);
                self.weights[m] += share;
                self.gaps[m] += share * p.gap;
                self.scratch.shares[first[m + 1] as usize] = (j as u32, share);
                first[m + 1] += 1;
            }
        }
    }

    fn clear(&mut self, multipliers: usize) {
        self.starts.clear();
        self.starts.push(0);
        for v in [&mut self.weights, &mut self.gaps] {
            v.clear();
            v.resize(multipliers, 0.0);
        }
        self.nodes.clear();
        self.blocks.clear();
        self.scratch.first.clear();
        self.scratch.shares.clear();
        self.scratch.place.iter_mut().for_each(|p| p.1 = u32::MAX);
    }

    /// Number of multipliers.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// Nodes and blocks of a row.
    pub fn row(&self, m: usize) -> impl Iterator<Item = (u32, &Rotation<D>)> + '_ {
        let range = self.starts[m] as usize..self.starts[m + 1] as usize;
        self.nodes[range.clone()].iter().copied().zip(&self.blocks[range])
    }
}

/// Memory of the projection on the multipliers.
#[derive(Clone, Debug, Default)]
pub struct Projection {
    diagonal: Vec<f64>,
    residual: Vec<f64>,
    direction: Vec<f64>,
    image: Vec<f64>,
}

impl Projection {
    /// Coefficients of the L² projection of `values` at the points; zero for multipliers
    /// without points. Conjugate gradients: the mass matrix scaled by its diagonal has a
    /// condition number that no refinement changes, and is the identity for constants.
    pub fn project<const D: usize>(
        &mut self,
        points: &[ContactPoint<D>],
        values: &[f64],
        out: &mut [f64],
    ) -> Result<(), ContactError> {
        if values.len() != points.len() {
            let needed = points.len();
            return Err(ContactError::Length { what: "the field to project", got: values.len(), needed });
        }
        self.start(points, values, out)?;
        let first = self.energy();
        let mut old = first;
        for _ in 0..10 * out.len() + 50 {
            if !(old > 1e-30 * first) {
                break;
            }
            self.image.fill(0.0);
            apply_mass(points, &self.direction, &mut self.image);
            let step = old / dot(&self.direction, &self.image);
            for m in 0..out.len() {
                out[m] += step * self.direction[m];
                self.residual[m] -= step * self.image[m];
            }
            let new = self.energy();
            for m in 0..out.len() {
                self.direction[m] = self.preconditioned(m) + new / old * self.direction[m];
            }
            old = new;
        }
        let residual = if first > 0.0 { (old / first).sqrt() } else { 0.0 };
        if residual <= 1e-12 { Ok(()) } else { Err(ContactError::Projection { residual }) }
    }

    fn start<const D: usize>(
        &mut self,
        points: &[ContactPoint<D>],
        values: &[f64],
        out: &mut [f64],
    ) -> Result<(), ContactError> {
        for v in [&mut self.diagonal, &mut self.residual, &mut self.direction, &mut self.image] {
            v.clear();
            v.resize(out.len(), 0.0);
        }
        out.fill(0.0);
        for (p, value) in points.iter().zip(values) {
            for (m, psi) in p.multiplier.iter() {
                let m = m as usize;
                if m >= out.len() {
                    return Err(ContactError::Length { what: "the projection", got: out.len(), needed: m + 1 });
                }
                self.diagonal[m] += p.weight * psi * psi;
                self.residual[m] += p.weight * psi * value;
            }
        }
        for m in 0..out.len() {
            self.direction[m] = self.preconditioned(m);
        }
        Ok(())
    }

    fn preconditioned(&self, m: usize) -> f64 {
        if self.diagonal[m] > 0.0 { self.residual[m] / self.diagonal[m] } else { 0.0 }
    }

    fn energy(&self) -> f64 {
        (0..self.residual.len()).map(|m| self.residual[m] * self.preconditioned(m)).sum()
    }
}

/// Room for node `i`.
fn slot(place: &mut Vec<(u32, u32)>, i: u32) -> &mut (u32, u32) {
    if place.len() <= i as usize {
        place.resize(i as usize + 1, (0, u32::MAX));
    }
    &mut place[i as usize]
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// `out += M c`.
fn apply_mass<const D: usize>(points: &[ContactPoint<D>], c: &[f64], out: &mut [f64]) {
    for p in points {
        let value: f64 = p.multiplier.iter().map(|(m, psi)| psi * c[m as usize]).sum();
        for (m, psi) in p.multiplier.iter() {
            out[m as usize] += p.weight * psi * value;
        }
    }
}
