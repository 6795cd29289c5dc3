//! Where the entries of element matrices and vectors go
//!
//! Elements are cut into chunks of fixed length. A chunk touches few entries of the matrix,
//! each several times: they are numbered inside the chunk, so that an element is added to a
//! short dense buffer first, and the buffers of the chunks to the matrix, in order. The cut
//! does not depend on the number of threads, hence neither do the sums.

use super::pattern::Lists;
use super::{AlgebraError, Pattern};
use std::ops::Range;

/// Elements of a chunk: a buffer of Hex8 entries (0.3 MB) stays in a core's cache.
const CHUNK: usize = 128;

/// For each element, places of its entries; built once for a pattern.
#[derive(Clone, Debug)]
pub struct Scatter {
    dofs: Lists,
    /// Rank in the chunk of each dof of `dofs`.
    dof_places: Vec<u32>,
    /// Packed lower triangles: rank of each entry in the chunk.
    places: Vec<u32>,
    place_start: Vec<usize>,
    /// Chunk after chunk: places of its entries in the matrix, increasing.
    positions: Lists,
    /// Chunk after chunk: its dofs, increasing.
    chunk_dofs: Lists,
}

impl Scatter {
    /// Elements as lists of dofs, which the pattern must couple.
    pub fn new<'a>(pattern: &Pattern, elements: impl Iterator<Item = &'a [u32]>) -> Result<Self, AlgebraError> {
        let dofs = Lists::gather(pattern.size(), elements)?;
        let empty = || Lists { start: vec![0], items: vec![] };
        let mut out = Self {
            dof_places: Vec::with_capacity(dofs.items.len()),
            places: vec![],
            place_start: vec![0],
            positions: empty(),
            chunk_dofs: empty(),
            dofs,
        };
        let mut ranks = vec![0u32; pattern.entries().max(pattern.size())];
        for first in (0..out.dofs.len()).step_by(CHUNK) {
            out.add_chunk(pattern, first..(first + CHUNK).min(out.dofs.len()), &mut ranks)?;
        }
        Ok(out)
    }

    fn add_chunk(&mut self, pattern: &Pattern, elements: Range<usize>, ranks: &mut [u32]) -> Result<(), AlgebraError> {
        let first = self.places.len();
        for e in elements.clone() {
            let list = self.dofs.of(e);
            for (a, &i) in list.iter().enumerate() {
                for &j in &list[..a] {
                    if i == j {
                        return Err(AlgebraError::RepeatedDof { element: e, dof: i });
                    }
                    let p = pattern.position(i, j).ok_or(AlgebraError::NotInPattern { row: i, column: j })?;
                    self.places.push(p as u32);
                }
                self.places.push(pattern.diagonal(i as usize) as u32);
            }
            self.place_start.push(self.places.len());
        }
        number(&mut self.places[first..], &mut self.positions, ranks);
        let range = self.dofs.start[elements.start]..self.dofs.start[elements.end];
        let first = self.dof_places.len();
        self.dof_places.extend_from_slice(&self.dofs.items[range]);
        number(&mut self.dof_places[first..], &mut self.chunk_dofs, ranks);
        Ok(())
    }

    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.dofs.len()
    }

    /// Dofs of an element.
    pub fn dofs(&self, element: usize) -> &[u32] {
        self.dofs.of(element)
    }

    /// Largest number of dofs of an element.
    pub fn largest_element(&self) -> usize {
        (0..self.elements()).map(|e| self.dofs(e).len()).max().unwrap_or(0)
    }

    /// Adds the symmetric matrix `k` of an element (rows one after the other, the lower triangle
    /// is read) to the values of a matrix on the pattern.
    pub fn add(&self, element: usize, k: &[f64], values: &mut [f64]) {
        let positions = self.positions.of(element / CHUNK);
        self.for_each(element, k, |place, x| values[positions[place as usize] as usize] += x);
    }

    #[inline]
    fn for_each(&self, element: usize, k: &[f64], mut f: impl FnMut(u32, f64)) {
        let m = self.dofs(element).len();
        let mut places = &self.places[self.place_start[element]..self.place_start[element + 1]];
        for (a, row) in k[..m * m].chunks_exact(m.max(1)).enumerate() {
            let (here, rest) = places.split_at(a + 1);
            here.iter().zip(row).for_each(|(p, x)| f(*p, *x));
            places = rest;
        }
    }

    pub(super) fn chunks(&self) -> usize {
        self.positions.len()
    }

    pub(super) fn chunk_elements(&self, chunk: usize) -> Range<usize> {
        chunk * CHUNK..((chunk + 1) * CHUNK).min(self.elements())
    }

    /// Places in the matrix of the entries of a chunk, increasing.
    pub(super) fn chunk_positions(&self, chunk: usize) -> &[u32] {
        self.positions.of(chunk)
    }

    /// Dofs of a chunk, increasing.
    pub(super) fn chunk_dofs(&self, chunk: usize) -> &[u32] {
        self.chunk_dofs.of(chunk)
    }

    /// Adds an element matrix to the buffer of its chunk.
    pub(super) fn add_to_chunk(&self, element: usize, k: &[f64], buffer: &mut [f64]) {
        self.for_each(element, k, |place, x| buffer[place as usize] += x);
    }

    /// Adds an element vector to the buffer of its chunk.
    pub(super) fn add_vector_to_chunk(&self, element: usize, f: &[f64], buffer: &mut [f64]) {
        let places = &self.dof_places[self.dofs.start[element]..self.dofs.start[element + 1]];
        places.iter().zip(f).for_each(|(p, x)| buffer[*p as usize] += x);
    }
}

/// Replaces values by their ranks among the different ones, which become a new list; `ranks`
/// is scratch, longer than the largest value.
fn number(values: &mut [u32], lists: &mut Lists, ranks: &mut [u32]) {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.iter().enumerate().for_each(|(rank, v)| ranks[*v as usize] = rank as u32);
    values.iter_mut().for_each(|v| *v = ranks[*v as usize]);
    lists.items.extend(sorted);
    lists.start.push(lists.items.len());
}
