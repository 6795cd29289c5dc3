//! From HDF5 to [`File`].
//!
//! Vectors are read first: their lengths are bounded by the file's, and give the sizes
//! the matrices must have, so that no matrix is built from a size merely declared.

use super::source::{Node, Source};
use super::{
    Fault, FclibError, File, Global, GlobalEquality, Info, Kind, Local, LocalEquality, Problem, Solution, matrix_from,
};
use crate::algebra::Csr;

pub(super) fn parse(name: &str, bytes: Vec<u8>) -> Result<File, FclibError> {
    let source = Source::open(name, bytes)?;
    let root = source.root()?;
    let kind = Kind::ALL.into_iter().find(|k| root.groups().iter().any(|g| g == k.group()));
    let Some(kind) = kind else {
        return Err(root.fault("", Fault::NoProblem { found: root.groups().to_vec() }));
    };
    let group = root.child(kind.group())?;
    let vectors = group.child("vectors")?;
    let problem = if kind.is_global() {
        Problem::Global(global(&group, &vectors)?)
    } else {
        Problem::Local(local(&group, &vectors)?)
    };
    let guesses = guesses(&root, &problem)?;
    let solution = root.find("solution")?.map(|s| solution(&s, &problem)).transpose()?;
    let file = File {
        space_dim: space_dim(&group, kind)?,
        info: group.find("info")?.map(|i| info(&i)).transpose()?,
        problem,
        mu: vectors.numbers("mu")?,
        mu_r: kind.is_rolling().then(|| vectors.numbers("mu_r")).transpose()?,
        guesses,
        solution,
    };
    file.validate(name)?;
    Ok(file)
}

/// Stored as components per contact: in rolling problems 3 in the plane, 5 in space.
fn space_dim(group: &Node, kind: Kind) -> Result<usize, FclibError> {
    let rolling = kind.is_rolling();
    match (group.integer("spacedim")?, rolling) {
        (2, false) | (3, true) => Ok(2),
        (3, false) | (5, true) => Ok(3),
        (found, _) => Err(group.fault("spacedim", Fault::SpaceDim { found, rolling })),
    }
}

fn local(group: &Node, vectors: &Node) -> Result<Local, FclibError> {
    let q = vectors.numbers("q")?;
    let n = q.len();
    let w = matrix(&group.child("W")?, (n, n), "from the length of vectors/q")?;
    let equality = match (group.find("V")?, group.find("R")?) {
        (None, None) => None,
        _ => {
            let s = vectors.numbers("s")?;
            let (p, why) = (s.len(), "from the lengths of vectors/q and vectors/s");
            let v = matrix(&group.child("V")?, (n, p), why)?;
            let r = matrix(&group.child("R")?, (p, p), why)?;
            Some(LocalEquality { v, r, s })
        }
    };
    Ok(Local { w, q, equality })
}

fn global(group: &Node, vectors: &Node) -> Result<Global, FclibError> {
    let (f, w) = (vectors.numbers("f")?, vectors.numbers("w")?);
    let n = f.len();
    let m = matrix(&group.child("M")?, (n, n), "from the length of vectors/f")?;
    let why = "from the lengths of vectors/f and vectors/w";
    let h = matrix(&group.child("H")?, (n, w.len()), why)?;
    let equality = match group.find("G")? {
        None => None,
        Some(node) => {
            let b = vectors.numbers("b")?;
            let g = matrix(&node, (n, b.len()), "from the lengths of vectors/f and vectors/b")?;
            Some(GlobalEquality { g, b })
        }
    };
    Ok(Global { m, h, f, w, equality })
}

fn matrix(node: &Node, expected: (usize, usize), why: &'static str) -> Result<Csr, FclibError> {
    let found = (node.integer("m")?, node.integer("n")?);
    if (usize::try_from(found.0), usize::try_from(found.1)) != (Ok(expected.0), Ok(expected.1)) {
        return Err(node.fault("", Fault::MatrixShape { found, expected, why }));
    }
    let (rows, cols) = expected;
    let triplets = match node.integer("nz")? {
        -2 => compressed(node, rows, cols, |row, col, x| (row, col, x))?,
        -1 => compressed(node, cols, rows, |col, row, x| (row, col, x))?,
        nz => {
            let count = usize::try_from(nz).map_err(|_| node.fault("", Fault::MatrixForm { nz }))?;
            uncompressed(node, expected, count)?
        }
    };
    matrix_from(expected, &triplets).map_err(|fault| node.fault("", fault))
}

type Triplets = Vec<(usize, usize, f64)>;

/// nz triplets: `i` rows, `p` columns. The arrays may be longer (nzmax).
fn uncompressed(node: &Node, (rows, cols): (usize, usize), count: usize) -> Result<Triplets, FclibError> {
    let (i, p, x) = (node.integers("i")?, node.integers("p")?, node.numbers("x")?);
    for (name, found) in [("i", i.len()), ("p", p.len()), ("x", x.len())] {
        at_least(node, name, found, count, "at least nz")?;
    }
    let mut triplets = Vec::with_capacity(count);
    for index in 0..count {
        let row = entry(node, "i", index, i[index], rows)?;
        let col = entry(node, "p", index, p[index], cols)?;
        triplets.push((row, col, finite(node, index, x[index])?));
    }
    Ok(triplets)
}

/// Pointers `p` into `i`, `x` for each of `majors` rows or columns.
fn compressed(
    node: &Node,
    majors: usize,
    minors: usize,
    place: impl Fn(usize, usize, f64) -> (usize, usize, f64),
) -> Result<Triplets, FclibError> {
    let (p, i, x) = (node.integers("p")?, node.integers("i")?, node.numbers("x")?);
    let expected = majors + 1;
    if p.len() != expected {
        let why = "one more than the rows or columns compressed";
        return Err(node.fault("p", Fault::Length { found: p.len(), expected, why }));
    }
    at_least(node, "x", x.len(), i.len(), "at least that of i")?;
    let ends = pointers(node, &p, i.len())?;
    let mut triplets = Vec::with_capacity(ends[majors]);
    for major in 0..majors {
        for k in ends[major]..ends[major + 1] {
            let minor = entry(node, "i", k, i[k], minors)?;
            triplets.push(place(major, minor, finite(node, k, x[k])?));
        }
    }
    Ok(triplets)
}

/// Pointers that start at 0, never decrease, and stay within the entries.
fn pointers(node: &Node, p: &[i64], high: usize) -> Result<Vec<usize>, FclibError> {
    let mut ends = Vec::with_capacity(p.len());
    for (index, &found) in p.iter().enumerate() {
        let low = ends.last().copied().unwrap_or(0);
        let high = if index == 0 { 0 } else { high };
        match usize::try_from(found) {
            Ok(end) if (low..=high).contains(&end) => ends.push(end),
            _ => {
                return Err(node.fault("p", Fault::Pointer { index, found, low, high }));
            }
        }
    }
    Ok(ends)
}

fn entry(node: &Node, name: &str, index: usize, found: i64, limit: usize) -> Result<usize, FclibError> {
    match usize::try_from(found) {
        Ok(entry) if entry < limit => Ok(entry),
        _ => Err(node.fault(name, Fault::Entry { index, found, limit })),
    }
}

/// Checked here, where the index is still that of the file; padding is not looked at.
fn finite(node: &Node, index: usize, found: f64) -> Result<f64, FclibError> {
    if found.is_finite() {
        return Ok(found);
    }
    Err(node.fault("x", Fault::NotFinite { index, found }))
}

fn at_least(node: &Node, name: &str, found: usize, expected: usize, why: &'static str) -> Result<(), FclibError> {
    if found >= expected {
        return Ok(());
    }
    Err(node.fault(name, Fault::Length { found, expected, why }))
}

fn info(node: &Node) -> Result<Info, FclibError> {
    Ok(Info { title: node.text("title")?, description: node.text("description")?, math_info: node.text("math_info")? })
}

fn guesses(root: &Node, problem: &Problem) -> Result<Vec<Solution>, FclibError> {
    let Some(node) = root.find("guesses")? else {
        return Ok(Vec::new());
    };
    let (declared, found) = (node.integer("number_of_guesses")?, node.groups().len());
    if usize::try_from(declared) != Ok(found) {
        return Err(node.fault("number_of_guesses", Fault::Guesses { declared, found }));
    }
    (1..=found).map(|k| solution(&node.child(&k.to_string())?, problem)).collect()
}

/// v is looked for in global problems only, λ only with equality constraints.
fn solution(node: &Node, problem: &Problem) -> Result<Solution, FclibError> {
    let (global, equality) = match problem {
        Problem::Local(local) => (false, local.equality.is_some()),
        Problem::Global(global) => (true, global.equality.is_some()),
    };
    let optional = |name: &str, wanted: bool| (wanted && node.has(name)).then(|| node.numbers(name)).transpose();
    Ok(Solution {
        v: optional("v", global)?,
        u: optional("u", true)?,
        r: node.numbers("r")?,
        l: optional("l", equality)?,
    })
}
