//! The contact points of all pairs, flat
//!
//! At a point `j` the jump of a field is `Σ_k c_k x_{n(k)}`, slave nodes with positive
//! coefficients, master nodes with negative ones; its components in the frame
//! `(n, t₁, t₂)` are the relative displacement or velocity, method (1).

use crate::contact::ContactPoint;
use crate::model::AnyInterface;

/// Collocation points with their columns, frames and multipliers.
#[derive(Clone, Debug, Default)]
pub struct Points {
    dim: usize,
    start: Vec<usize>,
    node: Vec<u32>,
    coefficient: Vec<f64>,
    basis_start: Vec<usize>,
    basis: Vec<(u32, f64)>,
    /// Rows: normal, tangents.
    pub frame: Vec<[[f64; 3]; 3]>,
    /// Reference area.
    pub weight: Vec<f64>,
    /// Gap at the displacements of the pairing.
    pub gap: Vec<f64>,
    /// Velocity of the obstacle.
    pub wall: Vec<[f64; 3]>,
    /// Coefficient of friction.
    pub friction: Vec<f64>,
    /// Place.
    pub position: Vec<[f64; 3]>,
    /// Pair.
    pub pair: Vec<u32>,
    /// Displacements at the pairing.
    u_pair: Vec<f64>,
    multipliers: usize,
}

impl Points {
    /// Gathers the points of paired interfaces; `friction` by pair, `u` the displacements of the pairing.
    pub fn gather(&mut self, dim: usize, interfaces: &[AnyInterface], friction: &[f64], u: &[f64]) {
        self.clear(dim, u);
        for (pair, interface) in interfaces.iter().enumerate() {
            let about = (pair as u32, friction[pair], self.multipliers as u32);
            if let Some(plane) = interface.plane() {
                plane.points().iter().for_each(|p| self.push(p, about));
            }
            if let Some(space) = interface.space() {
                space.points().iter().for_each(|p| self.push(p, about));
            }
            self.multipliers += interface.multipliers();
        }
    }

    fn push<const D: usize>(&mut self, point: &ContactPoint<D>, (pair, friction, offset): (u32, f64, u32)) {
        for (node, c) in point.coefficients().filter(|(_, c)| *c != 0.0) {
            self.node.push(node);
            self.coefficient.push(c);
        }
        self.start.push(self.node.len());
        self.basis.extend(point.multiplier.iter().map(|(m, psi)| (offset + m, psi)));
        self.basis_start.push(self.basis.len());
        let wide = |x: &dyn Fn(usize) -> f64| std::array::from_fn(|k| if k < D { x(k) } else { 0.0 });
        self.frame.push(std::array::from_fn(|i| match i < D {
            true => wide(&|k| point.frame[(k, i)]),
            false => [0.0; 3],
        }));
        self.weight.push(point.weight);
        self.gap.push(point.gap);
        self.wall.push(wide(&|k| point.obstacle_velocity[k]));
        self.position.push(wide(&|k| point.foot[k]));
        self.friction.push(friction);
        self.pair.push(pair);
    }

    fn clear(&mut self, dim: usize, u: &[f64]) {
        self.dim = dim;
        self.multipliers = 0;
        self.start.clear();
        self.start.push(0);
        self.basis_start.clear();
        self.basis_start.push(0);
        self.node.clear();
        self.coefficient.clear();
        self.basis.clear();
        self.frame.clear();
        self.weight.clear();
        self.gap.clear();
        self.wall.clear();
        self.friction.clear();
        self.position.clear();
        self.pair.clear();
        self.u_pair.clear();
        self.u_pair.extend_from_slice(u);
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.weight.len()
    }

    /// True where nothing is paired.
    pub fn is_empty(&self) -> bool {
        self.weight.is_empty()
    }

    /// Number of multipliers of one component.
    pub fn multipliers(&self) -> usize {
        self.multipliers
    }

    /// 2 or 3.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Nodes and coefficients.
    pub fn columns(&self, j: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let range = self.start[j]..self.start[j + 1];
        self.node[range.clone()].iter().copied().zip(self.coefficient[range].iter().copied())
    }

    /// Multipliers and values of their shape functions.
    pub fn basis(&self, j: usize) -> &[(u32, f64)] {
        &self.basis[self.basis_start[j]..self.basis_start[j + 1]]
    }

    /// Components of the jump of a field: normal first.
    pub fn jump(&self, j: usize, x: &[f64]) -> [f64; 3] {
        let mut d = [0.0; 3];
        for (node, c) in self.columns(j) {
            let at = self.dim * node as usize;
            (0..self.dim).for_each(|k| d[k] += c * x[at + k]);
        }
        self.local(j, &d)
    }

    /// Components in the frame of a point.
    pub fn local(&self, j: usize, x: &[f64; 3]) -> [f64; 3] {
        let f = &self.frame[j];
        std::array::from_fn(|i| if i < self.dim { (0..self.dim).map(|k| f[i][k] * x[k]).sum() } else { 0.0 })
    }

    /// Gap at displacements `u`, the pairing frozen.
    pub fn gap_at(&self, j: usize, u: &[f64]) -> f64 {
        self.gap[j] + self.jump(j, u)[0] - self.jump(j, &self.u_pair)[0]
    }

    /// Relative velocity, that of obstacles taken away.
    pub fn velocity(&self, j: usize, v: &[f64]) -> [f64; 3] {
        let (u, w) = (self.jump(j, v), self.local(j, &self.wall[j]));
        std::array::from_fn(|k| u[k] - w[k])
    }

    /// Adds the forces of components `s` at a point to both sides.
    pub fn add_force(&self, j: usize, s: &[f64; 3], force: &mut [f64]) {
        let f = &self.frame[j];
        let mut global = [0.0; 3];
        for i in 0..self.dim {
            (0..self.dim).for_each(|k| global[k] += f[i][k] * s[i]);
        }
        for (node, c) in self.columns(j) {
            let at = self.dim * node as usize;
            (0..self.dim).for_each(|k| force[at + k] += c * global[k]);
        }
    }

    /// Force of components `s` on the slave side, in global components.
    pub fn global(&self, j: usize, s: &[f64; 3]) -> [f64; 3] {
        let f = &self.frame[j];
        std::array::from_fn(|k| if k < self.dim { (0..self.dim).map(|i| f[i][k] * s[i]).sum() } else { 0.0 })
    }

    /// Degrees of freedom of a point.
    pub fn dofs(&self, j: usize, out: &mut Vec<u32>) {
        out.clear();
        let dim = self.dim as u32;
        out.extend(self.columns(j).flat_map(|(n, _)| (0..dim).map(move |k| dim * n + k)));
        out.sort_unstable();
        out.dedup();
    }

    /// Value at a point of a field given by its multipliers, component `k` of `width`.
    pub fn interpolate(&self, j: usize, values: &[f64], width: usize, k: usize) -> f64 {
        self.basis(j).iter().map(|(m, psi)| psi * values[width * *m as usize + k]).sum()
    }
}
