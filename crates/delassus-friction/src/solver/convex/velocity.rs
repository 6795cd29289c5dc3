//! The velocity form of the convex program
//!
//! ```text
//! min_v ½ vᵀAv − fᵀv      G v + w + s n ∈ K*                                method (10)
//! ```
//!
//! The dual of the force form: its multipliers are the percussions, and the two
//! optimal values add up to `−½ fᵀA⁻¹f`. It needs the bodies (`A`, `G`), not `W`.

use super::Failure;
use super::cones::{Triplets, velocities};
use super::program::{settings, verdict};
use crate::Law;
use crate::algebra::Vector;
use clarabel::solver::{DefaultSolver, IPSolver};

/// The data. Matrices are lists of `(row, column, value)`; repeated entries add up.
#[derive(Clone, Copy, Debug)]
pub struct VelocityProgram<'a, const D: usize> {
    /// `A`, symmetric positive definite, both triangles; its order is the length of `force`.
    pub inertia: &'a [(usize, usize, f64)],
    /// `G`; row `D·contact + component`.
    pub gradient: &'a [(usize, usize, f64)],
    /// `f` [N·s].
    pub force: &'a [f64],
    /// `w` [m/s], one per contact.
    pub imposed: &'a [Vector<D>],
    /// Laws, one per contact; a threshold has no cone and is refused.
    pub laws: &'a [Law],
    /// `s` [m/s], one per contact.
    pub shift: &'a [f64],
}

/// The answer of [`velocity_program`].
#[derive(Clone, Debug, PartialEq)]
pub struct Velocities<const D: usize> {
    /// `v` [m/s].
    pub v: Vec<f64>,
    /// The multipliers `S` [N·s].
    pub percussions: Vec<Vector<D>>,
    /// `½ vᵀAv − fᵀv` \[J\].
    pub value: f64,
}

/// Solves the velocity form for a given shift.
pub fn velocity_program<const D: usize>(data: &VelocityProgram<D>) -> Result<Velocities<D>, Failure> {
    if data.laws.iter().any(|law| matches!(law, Law::Tresca { .. })) {
        return Err(Failure::NoCone);
    }
    let (dofs, contacts) = (data.force.len(), data.laws.len());
    let mut rows_of = vec![vec![]; D * contacts];
    for &(row, column, value) in data.gradient {
        rows_of[row].push((column, value));
    }
    let mut p = Triplets::default();
    for &(i, j, value) in data.inertia.iter().filter(|e| e.0 <= e.1) {
        p.push(i, j, value);
    }
    let (mut a, mut rhs, mut cones, mut source) = (Triplets::default(), vec![], vec![], vec![]);
    for (i, law) in data.laws.iter().enumerate() {
        let mut w = data.imposed[i];
        w[0] += data.shift[i];
        for part in velocities::<D>(law) {
            for r in &part.rows {
                for (k, entries) in rows_of[D * i..D * i + D].iter().enumerate() {
                    for (column, value) in entries {
                        a.push(rhs.len(), *column, -r.row[k] * value);
                    }
                }
                a.push(rhs.len(), dofs + i, -r.auxiliary);
                rhs.push(r.row.dot(&w));
                source.push((i, r.row));
            }
            cones.push(part.cone());
        }
    }
    let mut q: Vec<f64> = data.force.iter().map(|f| -f).collect();
    q.resize(dofs + contacts, 0.0);
    let (p, a) = (p.build(dofs + contacts, dofs + contacts), a.build(rhs.len(), dofs + contacts));
    let mut solver = DefaultSolver::new(&p, &q, &a, &rhs, &cones, settings()).map_err(|_| Failure::Numerical)?;
    solver.solve();
    verdict(solver.solution.status)?;
    let mut percussions = vec![Vector::zeros(); contacts];
    for ((i, row), z) in source.iter().zip(&solver.solution.z) {
        percussions[*i] += row * *z;
    }
    Ok(Velocities { v: solver.solution.x[..dofs].to_vec(), percussions, value: solver.solution.obj_val })
}
