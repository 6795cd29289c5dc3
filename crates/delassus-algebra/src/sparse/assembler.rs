//! Sums of element matrices and vectors, in parallel and the same for any number of threads

use super::{AlgebraError, Pattern, Scatter, SymmetricMatrix};
use rayon::prelude::*;

/// Chunks computed at once; their buffers are all the scratch there is.
const WAVE: usize = 64;
/// Entries of the result that one task sums.
const RANGE: usize = 1 << 15;

/// What an assembly adds to; leave out what is not wanted.
#[derive(Default)]
pub struct Target<'a> {
    /// Receives the element matrices.
    pub matrix: Option<&'a mut SymmetricMatrix>,
    /// Receives the element vectors.
    pub vector: Option<&'a mut [f64]>,
}

/// A [`Scatter`] and the buffers of its chunks: no allocation after the first assembly.
#[derive(Clone, Debug)]
pub struct Assembler {
    scatter: Scatter,
    slots: Vec<Slot>,
}

#[derive(Clone, Debug, Default)]
struct Slot {
    entries: Vec<f64>,
    forces: Vec<f64>,
    k: Vec<f64>,
    f: Vec<f64>,
}

impl Assembler {
    /// Elements as lists of dofs, which the pattern must couple.
    pub fn new<'a>(pattern: &Pattern, elements: impl Iterator<Item = &'a [u32]>) -> Result<Self, AlgebraError> {
        let scatter = Scatter::new(pattern, elements)?;
        let m = scatter.largest_element();
        let slot = Slot { k: vec![0.0; m * m], f: vec![0.0; m], ..Slot::default() };
        let slots = vec![slot; WAVE.min(scatter.chunks())];
        Ok(Self { scatter, slots })
    }

    /// The places of the elements' entries.
    pub fn scatter(&self) -> &Scatter {
        &self.scatter
    }

    /// Adds all elements to the target. `kernel(element, k, f)` writes every entry of the
    /// element's matrix `k` (rows one after the other, symmetric) and vector `f`, or those of
    /// the two that the target wants.
    ///
    /// The first element in order that fails gives the error; the target is then incomplete.
    ///
    /// # Panics
    /// If the target is not of the size of the pattern.
    pub fn assemble<E: Send>(
        &mut self,
        mut target: Target<'_>,
        kernel: impl Fn(usize, &mut [f64], &mut [f64]) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let Self { scatter, slots } = self;
        let scatter = &*scatter;
        let parallel = rayon::current_num_threads() > 1;
        // One thread: the buffer of one chunk, hot in cache. The sums are the same.
        let wave = if parallel { slots.len() } else { slots.len().min(1) };
        let wants = (target.matrix.is_some(), target.vector.is_some());
        let run = |(chunk, slot): (usize, &mut Slot)| slot.compute(scatter, chunk, wants, &kernel).err();
        for first in (0..scatter.chunks()).step_by(wave.max(1)) {
            let count = wave.min(scatter.chunks() - first);
            let slots = &mut slots[..count];
            let failed = if parallel {
                slots.par_iter_mut().enumerate().find_map_first(|(s, slot)| run((first + s, slot)))
            } else {
                slots.iter_mut().enumerate().find_map(|(s, slot)| run((first + s, slot)))
            };
            if let Some(error) = failed {
                return Err(error);
            }
            let wave = Wave { scatter, first, slots };
            if let Some(matrix) = &mut target.matrix {
                wave.sum(parallel, matrix.values_mut(), |w, s| (scatter.chunk_positions(w), &s.entries));
            }
            if let Some(vector) = &mut target.vector {
                wave.sum(parallel, vector, |w, s| (scatter.chunk_dofs(w), &s.forces));
            }
        }
        Ok(())
    }

    /// Adds all element matrices.
    pub fn matrix<E: Send>(
        &mut self,
        matrix: &mut SymmetricMatrix,
        kernel: impl Fn(usize, &mut [f64]) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        self.assemble(Target { matrix: Some(matrix), vector: None }, |e, k, _| kernel(e, k))
    }

    /// Adds all element vectors.
    pub fn vector<E: Send>(
        &mut self,
        vector: &mut [f64],
        kernel: impl Fn(usize, &mut [f64]) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        self.assemble(Target { matrix: None, vector: Some(vector) }, |e, _, f| kernel(e, f))
    }
}

impl Slot {
    fn compute<E>(
        &mut self,
        scatter: &Scatter,
        chunk: usize,
        (matrix, vector): (bool, bool),
        kernel: &impl Fn(usize, &mut [f64], &mut [f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        let clear = |buffer: &mut Vec<f64>, length| {
            buffer.clear();
            buffer.resize(length, 0.0);
        };
        clear(&mut self.entries, if matrix { scatter.chunk_positions(chunk).len() } else { 0 });
        clear(&mut self.forces, if vector { scatter.chunk_dofs(chunk).len() } else { 0 });
        for e in scatter.chunk_elements(chunk) {
            let m = scatter.dofs(e).len();
            let (k, f) = (&mut self.k[..m * m], &mut self.f[..m]);
            kernel(e, k, f)?;
            if matrix {
                scatter.add_to_chunk(e, k, &mut self.entries);
            }
            if vector {
                scatter.add_vector_to_chunk(e, f, &mut self.forces);
            }
        }
        Ok(())
    }
}

/// Buffers of consecutive chunks.
struct Wave<'a> {
    scatter: &'a Scatter,
    first: usize,
    slots: &'a [Slot],
}

impl Wave<'_> {
    /// Adds the buffers to `out`, each entry in the order of the chunks.
    fn sum<'b>(
        &'b self,
        parallel: bool,
        out: &mut [f64],
        part: impl Fn(usize, &'b Slot) -> (&'b [u32], &'b Vec<f64>) + Sync,
    ) {
        let add = |first: usize, out: &mut [f64]| {
            for (s, slot) in self.slots.iter().enumerate() {
                let (positions, values) = part(self.first + s, slot);
                let from = positions.partition_point(|p| (*p as usize) < first);
                let to = positions.partition_point(|p| (*p as usize) < first + out.len());
                for (p, x) in positions[from..to].iter().zip(&values[from..to]) {
                    out[*p as usize - first] += x;
                }
            }
        };
        debug_assert!(self.first + self.slots.len() <= self.scatter.chunks());
        if parallel {
            out.par_chunks_mut(RANGE).enumerate().for_each(|(r, out)| add(r * RANGE, out));
        } else {
            add(0, out);
        }
    }
}
