//! Dense kernels of one front, column-major.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, Par};

/// Columns eliminated between two updates of the rest of the front.
const PANEL: usize = 24;

/// Eliminates the first `k` columns of a `size × size` front. Rows are exchanged
/// among the first `k` only. On failure returns the column of the bad pivot.
#[inline(always)]
pub(super) fn eliminate(front: &mut [f64], size: usize, k: usize, exchange: &mut [u32]) -> Result<(), usize> {
    let mut start = 0;
    while start < k {
        let end = (start + PANEL).min(k);
        panel(front, size, k, start, end, exchange)?;
        if end < size {
            let a = MatMut::from_column_major_slice_mut(front, size, size);
            let (_, right) = a.split_at_col_mut(start);
            let (panel, right) = right.split_at_col_mut(end - start);
            let (_, lower) = panel.split_at_row_mut(end);
            let (_, right) = right.split_at_row_mut(start);
            let (upper, rest) = right.split_at_row_mut(end - start);
            matmul(rest, Accum::Add, lower.as_ref(), upper.as_ref(), -1.0, Par::Seq);
        }
        start = end;
    }
    Ok(())
}

/// Eliminates columns `start..end`, exchanging whole rows, and finishes the rows
/// of U to the right of the panel.
#[inline(always)]
fn panel(a: &mut [f64], size: usize, k: usize, start: usize, end: usize, exchange: &mut [u32]) -> Result<(), usize> {
    for j in start..end {
        let column = &a[j * size..(j + 1) * size];
        let mut p = j;
        for i in j + 1..k {
            if column[i].abs() > column[p].abs() {
                p = i;
            }
        }
        let pivot = column[p];
        if pivot == 0.0 || !pivot.is_finite() {
            return Err(j);
        }
        exchange[j] = p as u32;
        if p != j {
            for c in a.chunks_exact_mut(size) {
                c.swap(j, p);
            }
        }
        let (left, right) = a.split_at_mut((j + 1) * size);
        let column = &mut left[j * size..];
        let inverse = 1.0 / pivot;
        for v in &mut column[j + 1..size] {
            *v *= inverse;
        }
        for c in right[..(end - j - 1) * size].chunks_exact_mut(size) {
            let f = c[j];
            if f != 0.0 {
                for (x, l) in c[j + 1..].iter_mut().zip(&column[j + 1..]) {
                    *x -= f * l;
                }
            }
        }
    }
    // U = L⁻¹ · rows of the panel, for the columns to the right.
    let (left, right) = a.split_at_mut(end * size);
    for c in right.chunks_exact_mut(size) {
        for j in start..end {
            let f = c[j];
            if f != 0.0 {
                let l = &left[j * size + j + 1..j * size + end];
                for (x, l) in c[j + 1..end].iter_mut().zip(l) {
                    *x -= f * l;
                }
            }
        }
    }
    Ok(())
}

/// `x ← L₁₁⁻¹ P x`, `below ← L₂₁ x`. `part` holds the first `k` columns of the front.
#[inline(always)]
pub(super) fn solve_lower(part: &[f64], size: usize, k: usize, exchange: &[u32], x: &mut [f64], below: &mut [f64]) {
    for (j, &p) in exchange.iter().enumerate() {
        x.swap(j, p as usize);
    }
    for j in 0..k {
        let column = &part[j * size..(j + 1) * size];
        let f = x[j];
        for (y, l) in x[j + 1..k].iter_mut().zip(&column[j + 1..k]) {
            *y -= f * l;
        }
        for (y, l) in below.iter_mut().zip(&column[k..]) {
            *y += f * l;
        }
    }
}

/// `x ← U₁₁⁻¹ (x − U₁₂ right)`; `part` holds the pivot columns, then `U₁₂`.
#[inline(always)]
pub(super) fn solve_upper(part: &[f64], size: usize, k: usize, right: &[f64], x: &mut [f64]) {
    let (pivot, upper) = part.split_at(k * size);
    for (c, &f) in upper.chunks_exact(k).zip(right) {
        for (y, u) in x.iter_mut().zip(c) {
            *y -= f * u;
        }
    }
    for j in (0..k).rev() {
        let column = &pivot[j * size..j * size + j + 1];
        let f = x[j] / column[j];
        x[j] = f;
        for (y, u) in x[..j].iter_mut().zip(column) {
            *y -= f * u;
        }
    }
}
