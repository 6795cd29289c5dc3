//! A square root of the Delassus operator: `W = R Rᵀ + C`
//!
//! `R = G A^{-1/2}` has one block per contact and body, `C` is diagonal (compliances).
//! `W` itself couples all the contacts of a body: a brick with thirty contacts is one
//! unknown block of `R`, and a clique of thirty in `W`. Eliminating by bodies is then
//! much cheaper, see [`crate::solver`].

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

    /// Checks that it belongs to `problem`, by the diagonal blocks of `W`.
    pub(super) fn check(&self, problem: &Problem<D>) -> Result<(), Error> {
        if self.sides.len() != problem.len() {
            return Err(Error::Size { what: "contacts of the root", expected: problem.len(), found: self.sides.len() });
        }
        for (i, sides) in self.sides.iter().enumerate() {
            let mut block = Matrix::from_diagonal(&self.compliance[i]);
            for column in sides.iter().flatten().flat_map(|s| self.columns(s)) {
                block += column * column.transpose();
            }
            let wanted = problem.w().diagonal(i);
            // Written so that a NaN is refused.
            if !((block - wanted).amax() <= TOLERANCE * wanted.amax()) {
                return Err(Error::Root { contact: i });
            }
        }
        Ok(())
    }
}
