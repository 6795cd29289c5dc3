//! Rows that hold whatever touches, and what they push with
//!
//! ```text
//!     r(x) + Bᵀ Υ = Gᵀ S,     B x = g                                                       method (17)
//! ```
//!
//! Rows are of unit length; columns of imposed motions count on the right side only. What the balance leaves
//! open is judged on motions that keep to the rows, so that it needs no multipliers: those are the ones that
//! leave least of it.

use crate::algebra::{AlgebraError, Kkt, Pattern, SymmetricMatrix};
use crate::model::{Glued, Model};
use crate::structure::{Structure, StructureError};
use delassus_dynamics::TiedRows;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Motions slower than this share of the displacement over the step are round-off to the tolerances in use.
const STILL: f64 = 1e-4;
/// Rows of unit length whose part outside of the others is shorter than this say nothing of their own.
const OWN: f64 = 1e-3;
/// Rows beyond which that is left to the factorisation, which asks for less.
const MANY: usize = 1500;

/// What a lock holds; scratch is as good after a panic.
fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The rows of a model.
pub struct Ties {
    /// First term of each row; the end at the end.
    starts: Vec<usize>,
    dofs: Vec<u32>,
    /// Coefficients, zero at imposed motions.
    values: Vec<f64>,
    /// All coefficients.
    whole: Vec<f64>,
    /// Whether a row speaks of displacements.
    displacements: Vec<bool>,
    /// Tie and row of the model, and the length it had there.
    source: Vec<(usize, usize, f64)>,
    /// Projection onto the motions that keep to the rows.
    projection: Mutex<Kkt>,
    compliance: SymmetricMatrix,
    scratch: Mutex<[Vec<f64>; 2]>,
}

impl Ties {
    /// Those of a model; none where it has none.
    pub fn new(model: &Model, structure: &Structure) -> Result<Option<Self>, StructureError> {
        let n = model.dofs();
        let mut rows = vec![];
        for (t, tie) in model.ties.iter().enumerate() {
            for (r, row) in tie.rows.iter().enumerate() {
                let free = row.terms.iter().filter(|(d, _)| !structure.is_held(*d as usize));
                let length = free.map(|(_, c)| c * c).sum::<f64>().sqrt();
                let whole = row.terms.iter().map(|(_, c)| c * c).sum::<f64>().sqrt();
                // A support holds what this row would; what is left of rows of imposed motions is round-off.
                let imposed = row.place.is_some_and(|d| structure.is_held(d as usize));
                if !imposed && length > 1e-10 * whole {
                    rows.push((t, r, length));
                }
            }
        }
        if rows.is_empty() {
            return Ok(None);
        }
        let own = independent(model, structure, &rows);
        let mut own = own.iter();
        rows.retain(|_| own.next().copied().unwrap_or(true));
        // Rows that follow from others are left out, one after the other.
        loop {
            let mut made = Self::of(model, structure, &rows, n)?;
            let mut unit = SymmetricMatrix::zero(Arc::new(Pattern::new(n, std::iter::empty())?));
            unit.values_mut().fill(1.0);
            match made.projection.get_mut().unwrap_or_else(PoisonError::into_inner).refactor(
                &unit,
                &made.values,
                &made.compliance,
            ) {
                Ok(()) => {
                    return Ok(Some(made));
                }
                Err(AlgebraError::Redundant { constraint }) if rows.len() > 1 => {
                    rows.remove(constraint);
                }
                Err(e) => return Err(e.into()),
            }
        }
    }

    fn of(
        model: &Model,
        structure: &Structure,
        rows: &[(usize, usize, f64)],
        n: usize,
    ) -> Result<Self, StructureError> {
        let (mut starts, mut dofs, mut whole, mut displacements) = (vec![0], vec![], vec![], vec![]);
        for (t, r, length) in rows {
            let tie = &model.ties[*t];
            for (dof, c) in &tie.rows[*r].terms {
                dofs.push(*dof);
                whole.push(c / length);
            }
            starts.push(dofs.len());
            displacements.push(tie.glued == Glued::Displacements);
        }
        let held = |d: &u32| structure.is_held(*d as usize);
        let values = dofs.iter().zip(&whole).map(|(d, c)| if held(d) { 0.0 } else { *c }).collect();
        let none = Arc::new(Pattern::new(rows.len(), std::iter::empty())?);
        let lists = starts.windows(2).map(|w| &dofs[w[0]..w[1]]);
        let diagonal = Pattern::new(n, std::iter::empty())?;
        let projection = Mutex::new(Kkt::new(&diagonal, lists, &none)?);
        Ok(Self {
            starts,
            values,
            whole,
            displacements,
            source: rows.to_vec(),
            projection,
            compliance: SymmetricMatrix::zero(none),
            scratch: Mutex::default(),
            dofs,
        })
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.source.len()
    }

    /// No rows.
    pub fn is_empty(&self) -> bool {
        self.source.is_empty()
    }

    /// Degrees of freedom of each row.
    pub fn lists(&self) -> impl Iterator<Item = &[u32]> {
        self.starts.windows(2).map(|w| &self.dofs[w[0]..w[1]])
    }

    /// The rows, for the nested loops.
    pub fn rows<'a>(&'a self, missing: &'a [f64], parted: f64) -> TiedRows<'a> {
        TiedRows { starts: &self.starts, dofs: &self.dofs, values: &self.values, missing, parted }
    }

    /// Terms of a row among all.
    pub fn terms(&self, row: usize) -> std::ops::Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }

    /// Coefficients, in the order of the lists; zero at imposed motions.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The zero of the other corner.
    pub fn compliance(&self) -> &SymmetricMatrix {
        &self.compliance
    }

    /// A matrix on a pattern with these rows.
    pub fn saddle(&self, pattern: &Pattern) -> Result<Kkt, AlgebraError> {
        Kkt::new(pattern, self.lists(), self.compliance.pattern())
    }

    /// `goal ← g`: for displacements at the end, `û + k_u x`.
    pub fn goal(&self, base: &[f64], slope: f64, goal: &mut Vec<f64>) {
        goal.clear();
        goal.extend((0..self.len()).map(|r| match self.displacements[r] {
            true => -self.row(r, base) / slope,
            false => 0.0,
        }));
    }

    /// `g − B x` into `gap`; its size over that of the motion. `rate` is a velocity whose round-off is no motion.
    pub fn gap(&self, x: &[f64], goal: &[f64], rate: f64, gap: &mut Vec<f64>) -> f64 {
        gap.clear();
        gap.extend(goal.iter().enumerate().map(|(r, goal)| goal - self.row(r, x)));
        let largest = |x: &[f64]| x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let size = largest(x).max(largest(goal)).max(STILL * rate);
        if size > 0.0 { largest(gap) / size } else { 0.0 }
    }

    fn row(&self, r: usize, x: &[f64]) -> f64 {
        let terms = self.starts[r]..self.starts[r + 1];
        self.dofs[terms.clone()].iter().zip(&self.whole[terms]).map(|(d, c)| c * x[*d as usize]).sum()
    }

    /// Takes from `r` what the multipliers can carry: they are in `multipliers` then, of rows of unit length.
    pub fn project(&self, r: &mut [f64], multipliers: &mut Vec<f64>) {
        multipliers.clear();
        multipliers.resize(self.len(), 0.0);
        if lock(&self.projection).solve(r, multipliers).is_err() {
            r.fill(f64::NAN);
        }
    }

    /// Norm of what the multipliers cannot carry of `r`.
    pub fn open(&self, r: impl Iterator<Item = f64>) -> f64 {
        let mut scratch = lock(&self.scratch);
        let [x, y] = &mut *scratch;
        x.clear();
        x.extend(r);
        self.project(x, y);
        super::balance::norm(x)
    }

    /// Densities of the multipliers by degree of freedom, from the forces of the rows: of each row of the model that
    /// has a place, its multiplier there.
    pub fn densities(&self, model: &Model, forces: &[f64], out: &mut [f64]) {
        let mut scratch = lock(&self.scratch);
        let [x, y] = &mut *scratch;
        x.clear();
        // The multipliers push with −Bᵀ Υ.
        x.extend(forces.iter().map(|f| -f));
        self.project(x, y);
        for ((t, r, length), y) in self.source.iter().zip(y) {
            if let Some(place) = model.ties[*t].rows[*r].place {
                out[place as usize] += *y / length;
            }
        }
    }
}

/// Which rows say something of their own, in order: Cholesky's factor of their products.
fn independent(model: &Model, structure: &Structure, rows: &[(usize, usize, f64)]) -> Vec<bool> {
    let m = rows.len();
    if m > MANY {
        return vec![true; m];
    }
    let mut by_dof: std::collections::BTreeMap<u32, Vec<(usize, f64)>> = Default::default();
    for (i, (t, r, length)) in rows.iter().enumerate() {
        let terms = model.ties[*t].rows[*r].terms.iter().filter(|(d, _)| !structure.is_held(*d as usize));
        terms.for_each(|(d, c)| by_dof.entry(*d).or_default().push((i, c / length)));
    }
    let mut g = vec![0.0; m * m];
    for list in by_dof.values() {
        for (i, a) in list {
            for (j, b) in list.iter().filter(|(j, _)| j <= i) {
                g[m * i + j] += a * b;
            }
        }
    }
    let mut kept = vec![true; m];
    // First entry of each row that is not zero: the rows of a strip have few neighbours.
    let mut first: Vec<usize> = (0..m).map(|i| (0..=i).find(|j| g[m * i + j] != 0.0).unwrap_or(i)).collect();
    for i in 0..m {
        for j in first[i]..=i {
            let from = first[i].max(first[j]);
            let (a, b) = (&g[m * i + from..m * i + j], &g[m * j + from..m * j + j]);
            let sum = g[m * i + j] - a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            if j < i {
                g[m * i + j] = if kept[j] { sum / g[m * j + j] } else { 0.0 };
            } else if sum > OWN * OWN {
                g[m * i + i] = sum.sqrt();
            } else {
                kept[i] = false;
                g[m * i..m * i + i].fill(0.0);
                g[m * i + i] = 1.0;
                first[i] = i;
            }
        }
    }
    kept
}
