//! Where everything is when contacts are looked for.

use crate::Pose;

/// Poses of rigid bodies, positions of nodes, time.
#[derive(Clone, Copy, Debug)]
pub struct Placement<'a, const D: usize> {
    /// One pose per rigid body.
    pub poses: &'a [Pose<D>],
    /// Positions of the nodes of all solids, `D` numbers each \[m\].
    pub nodes: &'a [f64],
    /// Time, for analytic walls \[s\].
    pub t: f64,
}

impl<'a, const D: usize> Placement<'a, D> {
    /// Rigid bodies alone.
    pub fn rigid(poses: &'a [Pose<D>], t: f64) -> Self {
        Self { poses, nodes: &[], t }
    }
}
