//! Products with a stored matrix, in parallel and the same for any number of threads
//!
//! The lower triangle alone is stored: a column adds to many rows. Columns are cut into a fixed
//! number of blocks, each with its own part of the result, and the parts summed in order.

use super::{Operator, Pattern, SymmetricMatrix};
use rayon::prelude::*;
use std::ops::Range;

/// Blocks of columns: enough for the threads of a workstation.
const BLOCKS: usize = 32;
/// Fewer entries than this are not worth a thread.
const SMALLEST_BLOCK: usize = 20_000;
/// Rows that one task sums.
const ROWS: usize = 4096;

/// Blocks of columns of a pattern and their parts of a product.
#[derive(Clone, Debug)]
pub struct Product {
    blocks: Vec<Block>,
}

#[derive(Clone, Debug)]
struct Block {
    columns: Range<usize>,
    /// Rows from the first column on to the last row that it reaches.
    part: Vec<f64>,
}

impl Product {
    /// Cuts the columns into blocks of about as many entries.
    pub fn new(pattern: &Pattern) -> Self {
        let (n, entries) = (pattern.size(), pattern.entries());
        let size = entries.div_ceil(BLOCKS).max(SMALLEST_BLOCK);
        let mut blocks = vec![];
        let mut first = 0;
        while first < n {
            let end = pattern.column_starts().partition_point(|s| *s <= pattern.diagonal(first) + size);
            let columns = first..end.clamp(first + 1, n);
            let last = columns.clone().filter_map(|j| pattern.column(j).last()).max().map_or(0, |r| *r as usize);
            first = columns.end;
            blocks.push(Block { part: vec![0.0; last + 1 - columns.start], columns });
        }
        Self { blocks }
    }

    /// The products of a matrix on the pattern, as an operator.
    pub fn of<'a>(&'a mut self, matrix: &'a SymmetricMatrix) -> MatrixProduct<'a> {
        MatrixProduct { product: self, matrix }
    }
}

/// A matrix and the scratch of its products.
pub struct MatrixProduct<'a> {
    product: &'a mut Product,
    matrix: &'a SymmetricMatrix,
}

impl Operator for MatrixProduct<'_> {
    fn size(&self) -> usize {
        self.matrix.size()
    }

    fn apply(&mut self, x: &[f64], y: &mut [f64]) {
        let matrix = self.matrix;
        let compute = |block: &mut Block| {
            block.part.fill(0.0);
            matrix.mul_add_columns(block.columns.clone(), x, &mut block.part, block.columns.start);
        };
        let blocks = &mut self.product.blocks;
        if rayon::current_num_threads() > 1 && blocks.len() > 1 {
            blocks.par_iter_mut().for_each(compute);
            y.par_chunks_mut(ROWS).enumerate().for_each(|(k, y)| sum(blocks, k * ROWS, y));
        } else {
            blocks.iter_mut().for_each(compute);
            y.chunks_mut(ROWS).enumerate().for_each(|(k, y)| sum(blocks, k * ROWS, y));
        }
    }
}

/// y ← the sum of the parts, for rows from `first` on.
fn sum(blocks: &[Block], first: usize, y: &mut [f64]) {
    y.fill(0.0);
    let end = first + y.len();
    for block in blocks {
        let (from, to) = (block.columns.start.max(first), (block.columns.start + block.part.len()).min(end));
        if from < to {
            let part = &block.part[from - block.columns.start..to - block.columns.start];
            y[from - first..to - first].iter_mut().zip(part).for_each(|(y, p)| *y += p);
        }
    }
}
