//! What every [`File`] read or written satisfies.

use super::sparse::signed;
use super::{Fault, FclibError, File, Problem, Solution};
use crate::algebra::Csr;

/// Names the file and the group in which items are.
struct Place<'a> {
    file: &'a str,
    group: String,
}

/// Lengths a problem gives its solutions.
struct Sizes {
    contact: usize,
    dofs: usize,
    multipliers: usize,
}

pub(super) fn file(name: &str, file: &File) -> Result<(), FclibError> {
    let group = file.kind().group();
    let place = Place { file: name, group: group.into() };
    if !matches!(file.space_dim, 2 | 3) {
        let found = signed(file.space_dim);
        return Err(place.fault("spacedim", Fault::SpaceDim { found, rolling: false }));
    }
    let sizes = problem(&place, file)?;
    let contacts = sizes.contact / file.block_size();
    let why = "one per contact";
    for (item, values) in [("vectors/mu", Some(&file.mu)), ("vectors/mu_r", file.mu_r.as_ref())] {
        let Some(values) = values else { continue };
        place.vector(item, values, contacts, why)?;
        if let Some(index) = values.iter().position(|&x| x < 0.0) {
            return Err(place.fault(item, Fault::Negative { index, found: values[index] }));
        }
    }
    let guesses = file.guesses.iter().enumerate();
    for (group, values) in guesses
        .map(|(k, guess)| (format!("guesses/{}", k + 1), guess))
        .chain(file.solution.iter().map(|s| ("solution".to_owned(), s)))
    {
        solution(&Place { file: name, group }, values, &sizes)?;
    }
    Ok(())
}

fn problem(place: &Place, file: &File) -> Result<Sizes, FclibError> {
    match &file.problem {
        Problem::Local(local) => {
            let n = local.q.len();
            place.blocks("vectors/q", n, file.block_size())?;
            place.vector("vectors/q", &local.q, n, "")?;
            place.matrix("W", &local.w, (n, n), "from the length of vectors/q")?;
            let p = local.equality.as_ref().map_or(0, |e| e.s.len());
            if let Some(e) = &local.equality {
                let why = "from the lengths of vectors/q and vectors/s";
                place.vector("vectors/s", &e.s, p, "")?;
                place.matrix("V", &e.v, (n, p), why)?;
                place.matrix("R", &e.r, (p, p), why)?;
            }
            Ok(Sizes { contact: n, dofs: 0, multipliers: p })
        }
        Problem::Global(global) => {
            let (n, contact) = (global.f.len(), global.w.len());
            place.blocks("vectors/w", contact, file.block_size())?;
            place.vector("vectors/f", &global.f, n, "")?;
            place.vector("vectors/w", &global.w, contact, "")?;
            place.matrix("M", &global.m, (n, n), "from the length of vectors/f")?;
            let why = "from the lengths of vectors/f and vectors/w";
            place.matrix("H", &global.h, (n, contact), why)?;
            let p = global.equality.as_ref().map_or(0, |e| e.b.len());
            if let Some(e) = &global.equality {
                place.vector("vectors/b", &e.b, p, "")?;
                let why = "from the lengths of vectors/f and vectors/b";
                place.matrix("G", &e.g, (n, p), why)?;
            }
            Ok(Sizes { contact, dofs: n, multipliers: p })
        }
    }
}

fn solution(place: &Place, solution: &Solution, sizes: &Sizes) -> Result<(), FclibError> {
    let contact = "components of all contacts";
    place.vector("r", &solution.r, sizes.contact, contact)?;
    for (item, values, length, why) in [
        ("v", &solution.v, sizes.dofs, "degrees of freedom, none in a local problem"),
        ("u", &solution.u, sizes.contact, contact),
        ("l", &solution.l, sizes.multipliers, "equality constraints"),
    ] {
        if let Some(values) = values {
            place.vector(item, values, length, why)?;
        }
    }
    Ok(())
}

impl Place<'_> {
    fn fault(&self, item: &str, fault: Fault) -> FclibError {
        fault.at(self.file, format!("{}/{item}", self.group))
    }

    fn blocks(&self, item: &str, found: usize, block: usize) -> Result<(), FclibError> {
        if found.is_multiple_of(block) {
            return Ok(());
        }
        Err(self.fault(item, Fault::NotBlocks { found, block }))
    }

    fn vector(&self, item: &str, values: &[f64], expected: usize, why: &'static str) -> Result<(), FclibError> {
        let found = values.len();
        if found != expected {
            return Err(self.fault(item, Fault::Length { found, expected, why }));
        }
        match values.iter().position(|x| !x.is_finite()) {
            Some(index) => Err(self.fault(item, Fault::NotFinite { index, found: values[index] })),
            None => Ok(()),
        }
    }

    fn matrix(&self, item: &str, matrix: &Csr, expected: (usize, usize), why: &'static str) -> Result<(), FclibError> {
        if (matrix.rows, matrix.columns) != expected {
            let found = (signed(matrix.rows), signed(matrix.columns));
            return Err(self.fault(item, Fault::MatrixShape { found, expected, why }));
        }
        structure(matrix).map_err(|fault| self.fault(item, fault))?;
        self.vector(&format!("{item}/x"), &matrix.value, matrix.entries(), "")
    }
}

/// Pointers monotone from 0 to the number of entries, columns increasing and in range.
fn structure(matrix: &Csr) -> Result<(), Fault> {
    let (p, col, high) = (&matrix.start, &matrix.column, matrix.value.len());
    let length = |found, expected, why| Err(Fault::Length { found, expected, why });
    if p.len() != matrix.rows + 1 {
        return length(p.len(), matrix.rows + 1, "row pointers");
    }
    if col.len() != high {
        return length(col.len(), high, "as many columns as values");
    }
    let mut low = 0;
    for (index, &end) in p.iter().enumerate() {
        let (low_here, high) = match index {
            0 => (0, 0),
            i if i == matrix.rows => (high, high),
            _ => (low, high),
        };
        if !(low_here.max(low)..=high).contains(&end) {
            return Err(Fault::Pointer { index, found: signed(end), low: low_here, high });
        }
        low = end;
    }
    if let Some(index) = col.iter().position(|&c| c >= matrix.columns) {
        return Err(Fault::Entry { index, found: signed(col[index]), limit: matrix.columns });
    }
    let sorted = |row: &usize| col[p[*row]..p[row + 1]].windows(2).all(|c| c[0] < c[1]);
    match (0..matrix.rows).find(|row| !sorted(row)) {
        Some(row) => Err(Fault::Unsorted { row }),
        None => Ok(()),
    }
}
