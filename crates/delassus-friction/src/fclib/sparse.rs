//! From the three forms FCLIB stores to compressed rows.

use super::Fault;
use crate::algebra::Csr;

/// [`Csr::from_triplets`] on entries that come from outside.
///
/// # Errors
/// [`Fault::Entry`] for the first row or column out of range.
pub fn matrix_from((rows, columns): (usize, usize), triplets: &[(usize, usize, f64)]) -> Result<Csr, Fault> {
    for (index, &(row, column, _)) in triplets.iter().enumerate() {
        for (found, limit) in [(row, rows), (column, columns)] {
            if found >= limit {
                return Err(Fault::Entry { index, found: signed(found), limit });
            }
        }
    }
    Ok(Csr::from_triplets(rows, columns, triplets))
}

/// For error values: what does not fit is reported as the largest.
pub(super) fn signed(value: usize) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
