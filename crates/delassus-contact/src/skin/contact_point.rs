//! Contact points: where the laws are written
//!
//! ```text
//! g = (Σ N_i x_i − Σ N̄_k x_k) · n       U = Fᵀ (Σ N_i v_i − Σ N̄_k v_k − w),  F = (n, t1[, t2])
//! ```

use super::Stencil;
use super::facet::Xi;
use crate::{Rotation, Vector};

/// What a contact point is called from one step to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PointKey {
    /// Slave node ([`Collocation::Nodes`](super::Collocation)) or slave facet.
    pub slave: u32,
    /// Master facet where the slave facet is partitioned, else `u32::MAX`: then the point
    /// keeps its name when it slides to another facet.
    pub master: u32,
    /// Rank among the points of the same names.
    pub index: u32,
}

/// One contact point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint<const D: usize> {
    /// Its name.
    pub key: PointKey,
    /// Slave facet it is on.
    pub slave_facet: u32,
    /// Where on it.
    pub slave_place: Xi,
    /// Master facet it faces, `u32::MAX` for an obstacle.
    pub master_facet: u32,
    /// Where on it.
    pub master_place: Xi,
    /// Slave nodes and their shape functions N.
    pub slave: Stencil,
    /// Master nodes and their shape functions N̄; empty for an obstacle.
    pub master: Stencil,
    /// Multipliers and their basis functions ψ.
    pub multiplier: Stencil,
    /// Share of the reference area ω \[m²\].
    pub weight: f64,
    /// `(n, t1[, t2])` as columns, n from the master towards the slave.
    pub frame: Rotation<D>,
    /// Signed distance, positive apart \[m\].
    pub gap: f64,
    /// The opposite place at the time of pairing.
    pub foot: Vector<D>,
    /// Velocity of the obstacle there, zero for a surface \[m/s\].
    pub obstacle_velocity: Vector<D>,
}

impl<const D: usize> ContactPoint<D> {
    /// The normal.
    pub fn normal(&self) -> Vector<D> {
        self.frame.column(0).into_owned()
    }

    /// Nodes with their coefficients in `[[u]]`: N on the slave, −N̄ on the master.
    pub fn coefficients(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.slave.iter().chain(self.master.iter().map(|(k, c)| (k, -c)))
    }

    /// `Σ N_i v_i − Σ N̄_k v_k` of a flat field.
    pub fn jump(&self, field: &[f64]) -> Vector<D> {
        self.slave.apply::<D>(field) - self.master.apply::<D>(field)
    }
}
