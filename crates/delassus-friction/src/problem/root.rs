//! A square root of the Delassus operator: `W = R Rᵀ + C`
//!
//! `R = G A^{-1/2}` has one block per contact and body, `C` is diagonal (compliances).
//! `W` itself couples all the contacts of a body: a brick with thirty contacts is one
//! unknown block of `R`, and a clique of thirty in `W`. Eliminating by bodies is then
//! much cheaper, see [`crate::solver`]; and products with `W` go through the velocities of the
//! bodies, whatever the number of contacts that share one [Moreau00 §6.2].

use super::Problem;
use crate::Error;
use crate::algebra::{Matrix, Vector};

/// One body of a contact: its columns are `first .. first + count` of the root's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootSide {
    /// Index of the body.
    pub body: u32,
    /// Its first column.
    pub first: u32,
}

/// The rows of `R` by contact. All bodies have the same number of columns.
#[derive(Clone, Debug, Default)]
pub struct Root<const D: usize> {
    width: usize,
    bodies: usize,
    sides: Vec<[Option<RootSide>; 2]>,
    columns: Vec<Vector<D>>,
    compliance: Vec<Vector<D>>,
}

/// Disagreement of `R Rᵀ + C` with the diagonal of `W` that is refused.
const TOLERANCE: f64 = 1e-9;

impl<const D: usize> Root<D> {
    /// Empty, for bodies numbered below `bodies` with `width` columns each.
    pub fn new(width: usize, bodies: usize) -> Self {
        Self { width, bodies, ..Self::default() }
    }

    /// Empties, keeping the memory, for bodies numbered below `bodies` with `width` columns each.
    pub fn clear(&mut self, width: usize, bodies: usize) {
        (self.width, self.bodies) = (width, bodies);
        self.sides.clear();
        self.columns.clear();
        self.compliance.clear();
    }

    /// Begins the next contact, with its part of `C`.
    pub fn begin(&mut self, compliance: Vector<D>) {
        self.sides.push([None; 2]);
        self.compliance.push(compliance);
    }

    /// Adds a body to the contact begun last; false, and nothing done, when it has two
    /// already or the number of columns differs.
    pub fn push(&mut self, body: u32, columns: impl ExactSizeIterator<Item = Vector<D>>) -> bool {
        let first = self.columns.len() as u32;
        let free = self.sides.last_mut().and_then(|s| s.iter_mut().find(|s| s.is_none()));
        let Some(side) = free.filter(|_| columns.len() == self.width && (body as usize) < self.bodies) else {
            return false;
        };
        *side = Some(RootSide { body, first });
        self.columns.extend(columns);
        true
    }

    /// Columns per body.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of bodies.
    pub fn bodies(&self) -> usize {
        self.bodies
    }

    /// The bodies of each contact.
    pub fn sides(&self) -> &[[Option<RootSide>; 2]] {
        &self.sides
    }

    /// The columns of one side.
    pub fn columns(&self, side: &RootSide) -> &[Vector<D>] {
        &self.columns[side.first as usize..side.first as usize + self.width]
    }

    /// The diagonal `C` of each contact.
    pub fn compliance(&self) -> &[Vector<D>] {
        &self.compliance
    }

    /// The diagonal block of `W` of a contact.
    pub fn diagonal(&self, contact: usize) -> Matrix<D> {
        let mut block = Matrix::from_diagonal(&self.compliance[contact]);
        for column in self.sides[contact].iter().flatten().flat_map(|s| self.columns(s)) {
            block += column * column.transpose();
        }
        block
    }

    /// `y ← Rᵀ S`: what percussions do to the velocities of the bodies, times `A^½`.
    pub fn gather(&self, s: &[Vector<D>], y: &mut Vec<f64>) {
        y.clear();
        y.resize(self.width * self.bodies, 0.0);
        for (contact, s) in s.iter().enumerate() {
            self.add(contact, s, y);
        }
    }

    /// `y ← y + R_αᵀ ΔS`, [Moreau00 (33)].
    #[inline]
    pub fn add(&self, contact: usize, change: &Vector<D>, y: &mut [f64]) {
        for side in self.sides[contact].iter().flatten() {
            let first = side.body as usize * self.width;
            match self.width {
                6 => add::<D, 6>(self.columns(side), change, &mut y[first..first + 6]),
                3 => add::<D, 3>(self.columns(side), change, &mut y[first..first + 3]),
                n => self.columns(side).iter().zip(&mut y[first..first + n]).for_each(|(c, y)| *y += c.dot(change)),
            }
        }
    }

    /// `R_α y`.
    #[inline]
    pub fn times(&self, contact: usize, y: &[f64]) -> Vector<D> {
        let mut u = Vector::zeros();
        for side in self.sides[contact].iter().flatten() {
            let first = side.body as usize * self.width;
            match self.width {
                6 => times::<D, 6>(self.columns(side), &y[first..first + 6], &mut u),
                3 => times::<D, 3>(self.columns(side), &y[first..first + 3], &mut u),
                n => self.columns(side).iter().zip(&y[first..first + n]).for_each(|(c, y)| u += c * *y),
            }
        }
        u
    }

    /// Checks that it belongs to `problem`, by the diagonal blocks of `W`.
    pub(super) fn check(&self, problem: &Problem<D>) -> Result<(), Error> {
        if self.sides.len() != problem.len() {
            return Err(Error::Size { what: "contacts of the root", expected: problem.len(), found: self.sides.len() });
        }
        for i in 0..self.sides.len() {
            let block = self.diagonal(i);
            let wanted = problem.w().diagonal(i);
            // Written so that a NaN is refused.
            if !((block - wanted).amax() <= TOLERANCE * wanted.amax()) {
                return Err(Error::Root { contact: i });
            }
        }
        Ok(())
    }
}

// The number of columns is known where it matters: the loops below have no branch.

#[inline]
fn add<const D: usize, const N: usize>(columns: &[Vector<D>], change: &Vector<D>, y: &mut [f64]) {
    for k in 0..N {
        y[k] += columns[k].dot(change);
    }
}

#[inline]
fn times<const D: usize, const N: usize>(columns: &[Vector<D>], y: &[f64], u: &mut Vector<D>) {
    for k in 0..N {
        *u += columns[k] * y[k];
    }
}
