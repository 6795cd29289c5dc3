//! `A⁻¹` of the global form: the matrix splits into connected components (one per
//! rigid body, one per deformable solid), each factorised by itself.

use crate::Error;
use crate::algebra::Csr;
use faer::linalg::solvers::{PartialPivLu, Solve};
use faer::sparse::linalg::solvers::Lu;
use faer::sparse::{SparseColMat, Triplet};
use faer::{Mat, MatMut};

/// Components up to this size are factorised as dense matrices.
const DENSE: usize = 400;

/// The factorised inertia matrix.
pub(crate) struct Inertia {
    pub components: Vec<Component>,
    /// Component of each degree of freedom, and its place in it.
    pub place: Vec<(u32, u32)>,
}

pub(crate) struct Component {
    /// Degrees of freedom, increasing.
    pub dofs: Vec<usize>,
    factor: Factor,
}

enum Factor {
    Scalar(f64),
    Dense(PartialPivLu<f64>),
    Sparse(Lu<usize, f64>),
}

impl Inertia {
    pub fn new(a: &Csr) -> Result<Self, Error> {
        let groups = connected(a);
        let mut place = vec![(0, 0); a.rows];
        for (c, dofs) in groups.iter().enumerate() {
            for (k, dof) in dofs.iter().enumerate() {
                place[*dof] = (c as u32, k as u32);
            }
        }
        let mut components = Vec::with_capacity(groups.len());
        for dofs in groups {
            let factor = factorise(a, &dofs, &place)?;
            components.push(Component { dofs, factor });
        }
        Ok(Self { components, place })
    }

    /// `x ← A⁻¹ x`.
    pub fn solve(&self, x: &mut [f64]) {
        for c in &self.components {
            if let Factor::Scalar(a) = c.factor {
                x[c.dofs[0]] /= a;
                continue;
            }
            let mut part = Mat::from_fn(c.dofs.len(), 1, |i, _| x[c.dofs[i]]);
            c.solve(part.as_mut());
            for (i, dof) in c.dofs.iter().enumerate() {
                x[*dof] = part[(i, 0)];
            }
        }
    }
}

impl Component {
    /// The inertia of a component of one degree of freedom.
    pub fn scalar(&self) -> Option<f64> {
        match self.factor {
            Factor::Scalar(a) => Some(a),
            _ => None,
        }
    }

    pub fn solve(&self, mut x: MatMut<'_, f64>) {
        match &self.factor {
            Factor::Scalar(a) => {
                for j in 0..x.ncols() {
                    x[(0, j)] /= a;
                }
            }
            Factor::Dense(lu) => lu.solve_in_place(x),
            Factor::Sparse(lu) => lu.solve_in_place(x),
        }
    }
}

fn factorise(a: &Csr, dofs: &[usize], place: &[(u32, u32)]) -> Result<Factor, Error> {
    let n = dofs.len();
    let local = |j: usize| place[j].1 as usize;
    let singular = Error::SingularInertia { dof: dofs[0] };
    if n == 1 {
        let value = a.row(dofs[0]).map(|(_, x)| x).sum::<f64>();
        return if value != 0.0 && value.is_finite() { Ok(Factor::Scalar(value)) } else { Err(singular) };
    }
    let factor = if n <= DENSE {
        let mut dense = Mat::<f64>::zeros(n, n);
        for (i, dof) in dofs.iter().enumerate() {
            for (j, x) in a.row(*dof) {
                dense[(i, local(j))] += x;
            }
        }
        Factor::Dense(dense.partial_piv_lu())
    } else {
        let mut triplets = vec![];
        for (i, dof) in dofs.iter().enumerate() {
            triplets.extend(a.row(*dof).map(|(j, x)| Triplet::new(i, local(j), x)));
        }
        let matrix =
            SparseColMat::<usize, f64>::try_new_from_triplets(n, n, &triplets).map_err(|_| singular.clone())?;
        Factor::Sparse(matrix.sp_lu().map_err(|_| singular.clone())?)
    };
    check(a, Component { dofs: dofs.to_vec(), factor }, place).ok_or(singular)
}

/// A factorisation can end without an error on a singular matrix: try it on a vector.
fn check(a: &Csr, component: Component, place: &[(u32, u32)]) -> Option<Factor> {
    let n = component.dofs.len();
    let right = Mat::from_fn(n, 1, |i, _| 1.0 + (i % 7) as f64);
    let mut x = right.clone();
    component.solve(x.as_mut());
    let (mut worst, mut size) = (0.0f64, 0.0f64);
    for (i, dof) in component.dofs.iter().enumerate() {
        let mut sum = -right[(i, 0)];
        for (j, value) in a.row(*dof) {
            let term = value * x[(place[j].1 as usize, 0)];
            sum += term;
            size = size.max(term.abs());
        }
        worst = if sum.is_finite() { worst.max(sum.abs()) } else { f64::INFINITY };
    }
    (worst <= 1e-8 * size.max(7.0)).then_some(component.factor)
}

/// Connected components of the graph of `a`, by their smallest degree of freedom.
fn connected(a: &Csr) -> Vec<Vec<usize>> {
    let t = a.transpose();
    let mut seen = vec![false; a.rows];
    let mut out = vec![];
    for first in 0..a.rows {
        if seen[first] {
            continue;
        }
        seen[first] = true;
        let (mut group, mut next) = (vec![first], 0);
        while next < group.len() {
            let i = group[next];
            next += 1;
            for (j, _) in a.row(i).chain(t.row(i)) {
                if !seen[j] {
                    seen[j] = true;
                    group.push(j);
                }
            }
        }
        group.sort_unstable();
        out.push(group);
    }
    out
}
