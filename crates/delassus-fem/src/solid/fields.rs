//! Stresses and strains to look at, by cell and by node
//!
//! Values of the quadrature points are averaged over the cell, or extended to its nodes by
//! the least-squares field of first degree and averaged between cells by volume.

use super::batch::{Batch, with_batch};
use super::kernel::Local;
use super::{AnyBatch, Motion, Solid, SolidError, check_length, point};
use crate::element::{self, NODES_MAX};
use crate::material::tensor::{Frame, Plane, Space};
use crate::mesh::CellKind;

/// Components per place: stress, strain, plastic strain, von Mises.
const WIDTH: usize = 14;

/// Fields of a solid; tensors are `[xx, yy, zz, xy, yz, zx]`, shears without factor 2.
#[derive(Clone, Debug, Default)]
pub struct CellFields {
    /// Cauchy stress, mean of each cell \[Pa\].
    pub stress: Vec<[f64; 6]>,
    /// Strain ε, or Green's in finite strain, mean of each cell.
    pub strain: Vec<[f64; 6]>,
    /// Accumulated plastic strain α, mean of each cell.
    pub plastic_strain: Vec<f64>,
    /// Von Mises' stress of the cell's mean stress \[Pa\].
    pub von_mises: Vec<f64>,
    /// Cauchy stress at nodes \[Pa\]; zero where the solid is not.
    pub nodal_stress: Vec<[f64; 6]>,
    /// Strain at nodes.
    pub nodal_strain: Vec<[f64; 6]>,
    /// Accumulated plastic strain at nodes, not negative.
    pub nodal_plastic_strain: Vec<f64>,
    /// Von Mises' stress of the nodal stress \[Pa\].
    pub nodal_von_mises: Vec<f64>,
}

/// `√(3/2) |dev σ|`.
pub fn von_mises(s: &[f64; 6]) -> f64 {
    let (a, b, c) = (s[0] - s[1], s[1] - s[2], s[2] - s[0]);
    (0.5 * (a * a + b * b + c * c) + 3.0 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5])).sqrt()
}

impl CellFields {
    fn clear(&mut self, cells: usize, nodes: usize) {
        for (list, len) in [
            (&mut self.stress, cells),
            (&mut self.strain, cells),
            (&mut self.nodal_stress, nodes),
            (&mut self.nodal_strain, nodes),
        ] {
            list.clear();
            list.resize(len, [0.0; 6]);
        }
        for (list, len) in [
            (&mut self.plastic_strain, cells),
            (&mut self.von_mises, cells),
            (&mut self.nodal_plastic_strain, nodes),
            (&mut self.nodal_von_mises, nodes),
        ] {
            list.clear();
            list.resize(len, 0.0);
        }
    }

    fn add_node(&mut self, node: usize, value: &[f64; WIDTH], weight: f64) {
        for v in 0..6 {
            self.nodal_stress[node][v] += weight * value[v];
            self.nodal_strain[node][v] += weight * value[6 + v];
        }
        self.nodal_plastic_strain[node] += weight * value[12];
    }
}

impl Solid {
    /// Fields in the configuration `u` with the internal variables reached there.
    ///
    /// # Errors
    /// A vector of the wrong length, a cell turned inside out, numbers that are not finite.
    pub fn fields(&self, u: &[f64], history: &[f64], out: &mut CellFields) -> Result<(), SolidError> {
        check_length("displacement", u, self.dim() * self.node_count())?;
        check_length("history", history, self.history_len())?;
        out.clear(self.cells, self.node_count());
        let mut volumes = vec![0.0; self.node_count()];
        for batch in &self.batches {
            with_batch!(batch, b =>
                self.batch_fields::<Plane, 2, 5, 4, _, _>(b, (u, history), out, &mut volumes)?,
                self.batch_fields::<Space, 3, 9, 6, _, _>(b, (u, history), out, &mut volumes)?);
        }
        for (node, &volume) in volumes.iter().enumerate().filter(|(_, v)| **v > 0.0) {
            for v in 0..6 {
                out.nodal_stress[node][v] /= volume;
                out.nodal_strain[node][v] /= volume;
            }
            let alpha = out.nodal_plastic_strain[node] / volume;
            out.nodal_plastic_strain[node] = alpha.max(0.0);
            out.nodal_von_mises[node] = von_mises(&out.nodal_stress[node]);
        }
        Ok(())
    }

    fn batch_fields<F, const D: usize, const M: usize, const S: usize, const N: usize, const Q: usize>(
        &self,
        batch: &Batch<D, N, Q>,
        (u, history): (&[f64], &[f64]),
        out: &mut CellFields,
        volumes: &mut [f64],
    ) -> Result<(), SolidError>
    where
        F: Frame<M, S>,
    {
        let mut rules = self.rules.clone();
        rules.viscous_time = 0.0;
        let extension: [[f64; Q]; N] = extension(batch.kind, batch.round);
        let mut new = vec![0.0; rules.history * Q];
        for rank in 0..batch.cells.len() {
            let cell = batch.first + rank;
            let old = &history[self.history_range(cell..cell + 1)];
            let local = Local::gather(batch, rank, &rules, Motion { u, v: &[] });
            let answer = local.respond::<F, M, S>(&rules, old, &mut new, None).map_err(|f| f.at(cell))?;
            let mut mean = [0.0; WIDTH];
            let mut values = [[0.0; WIDTH]; Q];
            for q in 0..Q {
                let variables = &old[rules.history * q..][..rules.law_history];
                let alpha = rules.law.accumulated::<M, S>(variables);
                values[q] = place::<F, M, S>(rules.finite, &answer.f[q], &answer.piola[q], alpha);
                for v in 0..WIDTH {
                    mean[v] += local.cell.weights[q] / local.cell.volume * values[q][v];
                }
            }
            if !mean.iter().all(|x| x.is_finite()) {
                return Err(SolidError::NonFinite { cell });
            }
            out.stress[cell].copy_from_slice(&mean[..6]);
            out.strain[cell].copy_from_slice(&mean[6..12]);
            out.plastic_strain[cell] = mean[12];
            out.von_mises[cell] = von_mises(&out.stress[cell]);
            for a in 0..N {
                let node = local.cell.nodes[a] as usize;
                let value = std::array::from_fn(|v| (0..Q).map(|q| extension[a][q] * values[q][v]).sum());
                out.add_node(node, &value, local.cell.volume);
                volumes[node] += local.cell.volume;
            }
        }
        Ok(())
    }
}

/// Cauchy stress, strain and α of a point.
fn place<F: Frame<M, S>, const M: usize, const S: usize>(
    finite: bool,
    f: &[f64; M],
    piola: &[f64; M],
    alpha: f64,
) -> [f64; WIDTH] {
    let mut out = [0.0; WIDTH];
    let (cauchy, h) = if finite {
        let j = F::determinant(f);
        let kirchhoff = F::product(piola, &F::transpose(f));
        (kirchhoff.map(|x| x / j), std::array::from_fn(|m| f[m] - F::IDENTITY[m]))
    } else {
        (*piola, *f)
    };
    let stress = F::small_strain(&cauchy);
    let strain = point::strain::<F, M, S>(finite, &h);
    for v in 0..S {
        let half = if v < 3 { 1.0 } else { 0.5 };
        out[v] = half * stress[v];
        out[6 + v] = half * strain[v];
    }
    out[12] = alpha;
    out
}

/// Values at nodes from values at points: the least-squares field of first degree, or the
/// mean where the points are fewer than the corners.
fn extension<const N: usize, const Q: usize>(kind: CellKind, round: bool) -> [[f64; Q]; N] {
    let rule = element::stiffness_rule(kind, round);
    let corner = element::corner_kind(kind);
    let corners = element::nodes(corner);
    let mut n = [0.0; NODES_MAX];
    if Q < corners {
        return [[1.0 / Q as f64; Q]; N];
    }
    let at_points = nalgebra::DMatrix::from_fn(Q, corners, |q, c| {
        element::shape(corner, rule.points[q], &mut n);
        n[c]
    });
    let inverse = at_points.pseudo_inverse(1e-12).expect("a positive tolerance");
    std::array::from_fn(|a| {
        element::shape(corner, element::node_positions(kind)[a], &mut n);
        std::array::from_fn(|q| (0..corners).map(|c| n[c] * inverse[(c, q)]).sum())
    })
}
