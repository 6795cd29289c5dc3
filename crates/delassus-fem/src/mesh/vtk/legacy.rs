//! The old format: a title, `ASCII` or `BINARY`, then sections that begin with a keyword
//!
//! Binary numbers have their highest byte first. Cells are `size, nodes…` each, or, from
//! version 5 on, arrays `OFFSETS` and `CONNECTIVITY`.

use super::super::input::{Input, shown};
use super::super::read::Draft;
use super::super::{Mesh, MeshError};
use super::scalar::Scalar;
use super::{Cells, points};

/// Words or bytes, as the head of the file says.
struct Reader<'a> {
    input: Input<'a>,
    binary: bool,
}

pub(in super::super) fn read(file: &str, bytes: &[u8]) -> Result<Mesh, MeshError> {
    let mut input = Input::new(file, bytes);
    input.line();
    input.line();
    let at = input.at();
    let binary = match input.word("`ASCII` or `BINARY`")? {
        "ASCII" => false,
        "BINARY" => true,
        other => return Err(input.fail(at, shown(other.as_bytes()), "`ASCII` or `BINARY`")),
    };
    input.binary = binary;
    input.literal("DATASET")?;
    input.literal("UNSTRUCTURED_GRID")?;
    let mut reader = Reader { input, binary };
    let mut draft = Draft::default();
    let (mut cells, mut has_points) = (Cells { at: 0, connectivity: vec![], ends: vec![], types: vec![] }, false);
    while !reader.input.is_done() {
        let at = reader.input.at();
        match reader.input.word("a section")? {
            "POINTS" => {
                draft.mesh.points = reader.points()?;
                has_points = true;
            }
            "CELLS" => {
                cells.at = at;
                (cells.connectivity, cells.ends) = reader.cells()?;
            }
            "CELL_TYPES" => {
                let count = reader.text_count("cells")?;
                cells.types = reader.wholes(Scalar::Int(4), count)?;
            }
            "METADATA" => {
                reader.input.line();
                // To the blank line that ends it, or to the end of the file.
                while !reader.input.line().trim_ascii().is_empty() {}
            }
            "FIELD" => reader.skip_field()?,
            "POINT_DATA" | "CELL_DATA" => break,
            other => {
                let expected = "`POINTS`, `CELLS`, `CELL_TYPES`, `POINT_DATA` or `CELL_DATA`";
                return Err(reader.input.fail(at, shown(other.as_bytes()), expected));
            }
        }
    }
    if !has_points {
        return Err(reader.input.fail(bytes.len(), "the end of the file", "a section `POINTS`"));
    }
    cells.put(&reader.input, &mut draft, 0)?;
    Ok(draft.finish())
}

impl Reader<'_> {
    /// A count in words, even in binary files.
    fn text_count(&mut self, what: &str) -> Result<usize, MeshError> {
        let count: u64 = self.input.parsed(what)?;
        self.input.bounded(self.input.at(), count, 1, what)
    }

    fn scalar(&mut self) -> Result<Scalar, MeshError> {
        self.input.skip_space();
        let at = self.input.at();
        let name = self.input.word("a type of numbers")?;
        Scalar::named(name)
            .ok_or_else(|| self.input.fail(at, shown(name.as_bytes()), "a type such as `double` or `int`"))
    }

    /// The bytes of an array, from the next line on.
    fn bytes(&mut self, scalar: Scalar, count: usize) -> Result<&[u8], MeshError> {
        self.input.line();
        self.input.take(count.saturating_mul(scalar.size()), "an array in full")
    }

    fn reals(&mut self, scalar: Scalar, count: usize) -> Result<Vec<f64>, MeshError> {
        if !self.binary {
            return (0..count).map(|_| self.input.parsed("a number")).collect();
        }
        Ok(self.bytes(scalar, count)?.chunks_exact(scalar.size()).map(|b| scalar.real(b, true)).collect())
    }

    fn wholes(&mut self, scalar: Scalar, count: usize) -> Result<Vec<i64>, MeshError> {
        if !self.binary {
            return (0..count).map(|_| self.input.parsed("a whole number")).collect();
        }
        let at = self.input.at();
        let all: Option<Vec<i64>> =
            self.bytes(scalar, count)?.chunks_exact(scalar.size()).map(|b| scalar.whole(b, true)).collect();
        all.ok_or_else(|| self.input.fail(at, format!("{scalar:?}"), "whole numbers below 2⁶³"))
    }

    fn points(&mut self) -> Result<Vec<[f64; 3]>, MeshError> {
        let at = self.input.at();
        let count = self.text_count("a number of points")?;
        let scalar = self.scalar()?;
        let values = self.reals(scalar, count.saturating_mul(3))?;
        points(&self.input, at, &values)
    }

    /// Nodes and ends of cells.
    fn cells(&mut self) -> Result<(Vec<i64>, Vec<i64>), MeshError> {
        let count = self.text_count("a number of cells")?;
        let size = self.text_count("a number of node numbers")?;
        if self.input.peek_word() == Some("OFFSETS") {
            self.input.literal("OFFSETS")?;
            let scalar = self.scalar()?;
            let offsets = self.wholes(scalar, count)?;
            self.input.literal("CONNECTIVITY")?;
            let scalar = self.scalar()?;
            let connectivity = self.wholes(scalar, size)?;
            return Ok((connectivity, offsets.get(1..).unwrap_or(&[]).to_vec()));
        }
        let at = self.input.at();
        let all = self.wholes(Scalar::Int(4), size)?;
        let (mut connectivity, mut ends) = (Vec::with_capacity(size), Vec::with_capacity(count));
        let mut rest = all.as_slice();
        for number in 0..count {
            let cell = rest.split_first().and_then(|(n, r)| r.split_at_checked(usize::try_from(*n).ok()?));
            let Some((nodes, after)) = cell else {
                let found = format!("{} numbers after cell {number}", rest.len());
                return Err(self.input.fail(at, found, format!("{count} cells, each its size and nodes")));
            };
            connectivity.extend_from_slice(nodes);
            ends.push(connectivity.len() as i64);
            rest = after;
        }
        Ok((connectivity, ends))
    }

    /// `FIELD name n`, then `name components tuples type` and numbers, n times.
    fn skip_field(&mut self) -> Result<(), MeshError> {
        self.input.word("the name of a field")?;
        for _ in 0..self.text_count("a number of arrays")? {
            self.input.word("the name of an array")?;
            let components = self.text_count("a number of components")?;
            let tuples = self.text_count("a number of tuples")?;
            let scalar = self.scalar()?;
            self.reals(scalar, components.saturating_mul(tuples))?;
        }
        Ok(())
    }
}
