//! From [`File`] to HDF5, in the types FCLIB's C code writes: 32-bit little-endian
//! integers of shape (1), lists of 64-bit numbers, scalar NUL-terminated strings.
//! The file format is that of HDF5 1.8, which every later library reads.

use hdf5_pure::{CharacterSet, Datatype, FileBuilder, FinishedGroup, GroupBuilder, LibVer, StringPadding};

use super::{Fault, FclibError, File, Info, Problem, Solution};
use crate::algebra::Csr;

/// Builds one group; errors name the item within it.
struct Writer<'a> {
    name: &'a str,
    path: String,
    group: GroupBuilder,
}

pub(super) fn serialize(name: &str, file: &File) -> Result<Vec<u8>, FclibError> {
    file.validate(name)?;
    let mut builder = FileBuilder::new();
    builder.with_libver_bounds(LibVer::Earliest, LibVer::V18);
    let group = problem(name, file, &mut builder)?;
    builder.add_group(group);
    if !file.guesses.is_empty() {
        let group = guesses(name, &file.guesses, &mut builder)?;
        builder.add_group(group);
    }
    if let Some(values) = &file.solution {
        let mut group = Writer::new(name, "solution", &mut builder);
        group.solution(values);
        builder.add_group(group.group.finish());
    }
    builder.finish().map_err(|e| Fault::Damaged { detail: e.to_string() }.at(name, ""))
}

fn problem(name: &str, file: &File, builder: &mut FileBuilder) -> Result<FinishedGroup, FclibError> {
    let mut group = Writer::new(name, file.kind().group(), builder);
    group.integer("spacedim", file.block_size())?;
    let mut vectors = group.child("vectors");
    match &file.problem {
        Problem::Local(local) => {
            group.rows("W", &local.w)?;
            vectors.numbers("q", &local.q);
            if let Some(e) = &local.equality {
                group.rows("V", &e.v)?;
                group.rows("R", &e.r)?;
                vectors.numbers("s", &e.s);
            }
        }
        Problem::Global(global) => {
            group.triplets("M", &global.m)?;
            group.triplets("H", &global.h)?;
            vectors.numbers("f", &global.f);
            vectors.numbers("w", &global.w);
            if let Some(e) = &global.equality {
                group.triplets("G", &e.g)?;
                vectors.numbers("b", &e.b);
            }
        }
    }
    vectors.numbers("mu", &file.mu);
    if let Some(mu_r) = &file.mu_r {
        vectors.numbers("mu_r", mu_r);
    }
    group.group.add_group(vectors.group.finish());
    if let Some(info) = &file.info {
        let info = group.info(info)?;
        group.group.add_group(info);
    }
    Ok(group.group.finish())
}

fn guesses(name: &str, guesses: &[Solution], builder: &mut FileBuilder) -> Result<FinishedGroup, FclibError> {
    let mut group = Writer::new(name, "guesses", builder);
    group.integer("number_of_guesses", guesses.len())?;
    for (k, guess) in guesses.iter().enumerate() {
        let mut one = group.child(&(k + 1).to_string());
        one.solution(guess);
        group.group.add_group(one.group.finish());
    }
    Ok(group.group.finish())
}

impl<'a> Writer<'a> {
    fn new(name: &'a str, path: &str, builder: &mut FileBuilder) -> Self {
        Self { name, path: path.into(), group: builder.create_group(path) }
    }

    fn child(&mut self, name: &str) -> Writer<'a> {
        let group = self.group.create_group(name);
        Writer { name: self.name, path: format!("{}/{name}", self.path), group }
    }

    fn fault(&self, item: &str, fault: Fault) -> FclibError {
        fault.at(self.name, format!("{}/{item}", self.path))
    }

    fn numbers(&mut self, name: &str, values: &[f64]) {
        self.group.create_dataset(name).with_f64_data(values);
    }

    fn integer(&mut self, name: &str, value: usize) -> Result<(), FclibError> {
        self.integers(name, [value])
    }

    fn integers(&mut self, name: &str, values: impl IntoIterator<Item = usize>) -> Result<(), FclibError> {
        let narrow = |count| i32::try_from(count).map_err(|_| Fault::TooMany { count });
        let values: Result<Vec<i32>, Fault> = values.into_iter().map(narrow).collect();
        let values = values.map_err(|fault| self.fault(name, fault))?;
        self.group.create_dataset(name).with_i32_data(&values);
        Ok(())
    }

    /// nz = −2, compressed rows.
    fn rows(&mut self, name: &str, matrix: &Csr) -> Result<(), FclibError> {
        let mut group = self.child(name);
        group.group.create_dataset("nz").with_i32_data(&[-2]);
        group.integers("p", matrix.start.iter().copied())?;
        group.integers("i", matrix.column.iter().copied())?;
        self.finish_matrix(group, matrix)
    }

    /// nz ≥ 0, triplets: `i` rows, `p` columns.
    fn triplets(&mut self, name: &str, matrix: &Csr) -> Result<(), FclibError> {
        let mut group = self.child(name);
        group.integer("nz", matrix.entries())?;
        group.integers("i", matrix.triplets().map(|(row, _, _)| row))?;
        group.integers("p", matrix.column.iter().copied())?;
        self.finish_matrix(group, matrix)
    }

    fn finish_matrix(&mut self, mut group: Writer, matrix: &Csr) -> Result<(), FclibError> {
        group.integer("m", matrix.rows)?;
        group.integer("n", matrix.columns)?;
        group.integer("nzmax", matrix.entries())?;
        group.numbers("x", &matrix.value);
        self.group.add_group(group.group.finish());
        Ok(())
    }

    fn info(&mut self, info: &Info) -> Result<FinishedGroup, FclibError> {
        let mut group = self.child("info");
        group.text("title", &info.title)?;
        group.text("description", &info.description)?;
        group.text("math_info", &info.math_info)?;
        Ok(group.group.finish())
    }

    /// ASCII as in C; UTF-8 declared as such where the text needs it.
    fn text(&mut self, name: &str, text: &str) -> Result<(), FclibError> {
        if let Some(index) = text.find('\0') {
            return Err(self.fault(name, Fault::Nul { index }));
        }
        let count = text.len() + 1;
        let size = u32::try_from(count).map_err(|_| self.fault(name, Fault::TooMany { count }))?;
        let charset = if text.is_ascii() { CharacterSet::Ascii } else { CharacterSet::Utf8 };
        let datatype = Datatype::String { size, padding: StringPadding::NullTerminate, charset };
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        self.group.create_dataset(name).with_shape(&[]).with_raw_data(datatype, bytes, 1);
        Ok(())
    }

    fn solution(&mut self, solution: &Solution) {
        let Solution { v, u, r, l } = solution;
        for (name, values) in [("v", v.as_ref()), ("u", u.as_ref()), ("r", Some(r)), ("l", l.as_ref())] {
            if let Some(values) = values {
                self.numbers(name, values);
            }
        }
    }
}
