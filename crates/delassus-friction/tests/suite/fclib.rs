//! FCLIB files: what is written is read back, the storage forms agree, malformed files
//! are refused with the place and the expectation, and every stored problem is read.
#![cfg(feature = "fclib")]
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use delassus_friction::algebra::Csr;
use delassus_friction::fclib::{
    Fault, File, Global, GlobalEquality, Info, Kind, Local, LocalEquality, Problem, Solution, matrix_from,
};
use hdf5_pure::{DatasetBuilder, FileBuilder, GroupBuilder};

// ---------------------------------------------------------------- round trips

fn diagonal(n: usize) -> Csr {
    let entries: Vec<_> = (0..n).map(|i| (i, i, 1.0 + i as f64)).collect();
    matrix_from((n, n), &entries).unwrap()
}

fn local(space_dim: usize, rolling: bool, contacts: usize) -> File {
    let n = contacts * if rolling { 2 * space_dim - 1 } else { space_dim };
    let mut entries: Vec<_> = (0..n).map(|i| (i, i, 2.0)).collect();
    entries.extend((1..n).map(|i| (i, i - 1, -0.1 / i as f64)));
    File {
        space_dim,
        info: Some(Info { title: "Würfel".into(), description: "d".into(), ..Info::default() }),
        problem: Problem::Local(Local {
            w: matrix_from((n, n), &entries).unwrap(),
            q: (0..n).map(|i| 0.1 * i as f64 - 1.0).collect(),
            equality: None,
        }),
        mu: vec![0.7; contacts],
        mu_r: rolling.then(|| vec![0.01; contacts]),
        guesses: Vec::new(),
        solution: None,
    }
}

fn global(space_dim: usize, rolling: bool, contacts: usize) -> File {
    let (dofs, n) = (6, contacts * if rolling { 2 * space_dim - 1 } else { space_dim });
    let entries: Vec<_> = (0..n).map(|j| (j % dofs, j, 1.0 / (1.0 + j as f64))).collect();
    File {
        problem: Problem::Global(Global {
            m: diagonal(dofs),
            h: matrix_from((dofs, n), &entries).unwrap(),
            f: vec![1.0; dofs],
            w: vec![-0.5; n],
            equality: None,
        }),
        info: None,
        ..local(space_dim, rolling, contacts)
    }
}

fn solution(contact: usize, dofs: Option<usize>) -> Solution {
    let v = dofs.map(|n| vec![0.25; n]);
    Solution { v, u: Some(vec![f64::MIN_POSITIVE; contact]), r: vec![1.0 / 3.0; contact], l: None }
}

fn round_trip(file: &File) -> File {
    File::from_bytes("written", &file.to_bytes("memory").unwrap()).unwrap()
}

#[test]
fn every_kind_is_read_as_written() {
    for space_dim in [2, 3] {
        for (rolling, contacts) in [(false, 4), (true, 2), (false, 0), (true, 0)] {
            for file in [local(space_dim, rolling, contacts), global(space_dim, rolling, contacts)] {
                assert_eq!(round_trip(&file), file, "{:?}", file.kind());
            }
        }
    }
    let kinds = [local(3, false, 1), local(3, true, 1), global(2, false, 1), global(3, true, 1)];
    let kinds = kinds.map(|file| round_trip(&file).kind());
    assert_eq!(kinds, [Kind::Local, Kind::LocalRolling, Kind::Global, Kind::GlobalRolling]);
}

#[test]
fn guesses_and_solution_are_read_as_written() {
    let mut file = local(3, false, 2);
    file.guesses = (0..12).map(|_| solution(6, None)).collect(); // "10" sorts before "2"
    for (k, guess) in file.guesses.iter_mut().enumerate() {
        guess.r[0] = k as f64;
    }
    file.guesses[3].u = None;
    file.solution = Some(solution(6, None));
    assert_eq!(round_trip(&file), file);

    let mut file = global(3, true, 2);
    file.solution = Some(solution(10, Some(6)));
    assert_eq!(round_trip(&file), file);
}

#[test]
fn equality_constraints_are_read_as_written() {
    let tall = |rows| matrix_from((rows, 2), &[(0, 1, 1.0), (1, 0, -1.0)]).unwrap();
    let mut file = local(2, false, 3);
    if let Problem::Local(local) = &mut file.problem {
        local.equality = Some(LocalEquality { v: tall(6), r: diagonal(2), s: vec![0.0, 1.0] });
    }
    file.solution = Some(Solution { l: Some(vec![3.0, 4.0]), ..solution(6, None) });
    assert_eq!(round_trip(&file), file);

    let mut file = global(2, false, 3);
    if let Problem::Global(global) = &mut file.problem {
        global.equality = Some(GlobalEquality { g: tall(6), b: vec![0.0, 1.0] });
    }
    assert_eq!(round_trip(&file), file);
}

#[test]
fn paths_and_bytes_agree() {
    let path = std::env::temp_dir().join(format!("fclib-{}.hdf5", std::process::id()));
    let file = local(3, false, 2);
    file.write(&path).unwrap();
    file.write(&path).unwrap(); // replaces
    let read = File::read(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(read, file);
    assert_eq!(File::from_bytes("bytes", &bytes).unwrap(), file);
    let error = File::read(&path).unwrap_err().to_string();
    assert!(error.starts_with(&path.display().to_string()), "{error}");
}

// ---------------------------------------------------------------- files by hand

/// A matrix group, member by member, so that each can be spoilt.
#[derive(Clone)]
struct Matrix {
    size: (i32, i32),
    nz: i32,
    p: Vec<i32>,
    i: Vec<i32>,
    x: Vec<f64>,
}

/// 2 × 2 matrix [4 1; 0 3] by compressed rows.
fn rows() -> Matrix {
    Matrix { size: (2, 2), nz: -2, p: vec![0, 2, 3], i: vec![0, 1, 1], x: vec![4.0, 1.0, 3.0] }
}

/// One contact in the plane; the matrix and the vectors as given.
struct Hand {
    w: Matrix,
    q: Vec<f64>,
    mu: Vec<f64>,
    spacedim: i32,
}

fn hand() -> Hand {
    Hand { w: rows(), q: vec![-1.0, 0.5], mu: vec![0.3], spacedim: 2 }
}

impl Hand {
    fn bytes(&self) -> Vec<u8> {
        self.with(|_, _| ())
    }

    /// `more` adds to the problem group and to the file.
    fn with(&self, more: impl FnOnce(&mut GroupBuilder, &mut FileBuilder)) -> Vec<u8> {
        let mut file = FileBuilder::new();
        let mut group = file.create_group("fclib_local");
        group.create_dataset("spacedim").with_i32_data(&[self.spacedim]);
        let mut w = group.create_group("W");
        let scalars = [("m", self.w.size.0), ("n", self.w.size.1), ("nz", self.w.nz), ("nzmax", 9)];
        for (name, value) in scalars {
            w.create_dataset(name).with_i32_data(&[value]);
        }
        w.create_dataset("p").with_i32_data(&self.w.p);
        w.create_dataset("i").with_i32_data(&self.w.i);
        w.create_dataset("x").with_f64_data(&self.w.x);
        group.add_group(w.finish());
        let mut vectors = group.create_group("vectors");
        vectors.create_dataset("q").with_f64_data(&self.q);
        vectors.create_dataset("mu").with_f64_data(&self.mu);
        group.add_group(vectors.finish());
        more(&mut group, &mut file);
        file.add_group(group.finish());
        file.finish().unwrap()
    }
}

fn matrix_of(w: Matrix) -> Csr {
    let file = File::from_bytes("hand", &Hand { w, ..hand() }.bytes()).unwrap();
    match file.problem {
        Problem::Local(local) => local.w,
        Problem::Global(_) => unreachable!("a local file was written"),
    }
}

#[test]
fn the_three_storage_forms_give_one_matrix() {
    let expected = matrix_of(rows());
    assert_eq!(expected.triplets().collect::<Vec<_>>(), [(0, 0, 4.0), (0, 1, 1.0), (1, 1, 3.0)]);
    let columns = Matrix { nz: -1, p: vec![0, 1, 3], i: vec![0, 0, 1], ..rows() };
    assert_eq!(matrix_of(columns), expected);
    // duplicates sum, the order is free, and what lies beyond nz is not read
    let triplets =
        Matrix { nz: 4, i: vec![1, 0, 0, 0, 77], p: vec![1, 1, 0, 0, -7], x: vec![3.0, 1.0, 1.5, 2.5, 9.0], ..rows() };
    assert_eq!(matrix_of(triplets), expected);
    let unsorted = Matrix { i: vec![1, 0, 1], x: vec![1.0, 4.0, 3.0], ..rows() };
    assert_eq!(matrix_of(unsorted), expected);
    let padded = Matrix { i: vec![0, 1, 1, 0, 0], x: vec![4.0, 1.0, 3.0, 0.0, 0.0], ..rows() };
    assert_eq!(matrix_of(padded), expected);
}

#[test]
fn other_widths_and_shapes_of_numbers_are_accepted() {
    let bytes = hand().with(|group, _| {
        let mut info = group.create_group("info");
        info.create_dataset("title").with_vlen_strings(&["vlen"]).with_shape(&[]);
        group.add_group(info.finish());
    });
    let file = File::from_bytes("hand", &bytes).unwrap();
    assert_eq!(file.info.unwrap().title, "vlen");

    let mut builder = FileBuilder::new();
    let mut group = builder.create_group("fclib_local");
    group.create_dataset("spacedim").with_i64_data(&[2]).with_shape(&[]);
    let mut w = group.create_group("W");
    for (name, value) in [("m", 2), ("n", 2), ("nz", 1), ("nzmax", 1)] {
        w.create_dataset(name).with_i64_data(&[value]);
    }
    w.create_dataset("p").with_i64_data(&[1]);
    w.create_dataset("i").with_u8_data(&[0]);
    w.create_dataset("x").with_f32_data(&[0.5]);
    group.add_group(w.finish());
    let mut vectors = group.create_group("vectors");
    vectors.create_dataset("q").with_f32_data(&[1.0, 2.0]);
    vectors.create_dataset("mu").with_f64_data(&[0.0]);
    group.add_group(vectors.finish());
    builder.add_group(group.finish());
    let file = File::from_bytes("hand", &builder.finish().unwrap()).unwrap();
    let Problem::Local(local) = file.problem else { unreachable!("a local file was written") };
    assert_eq!(local.w.triplets().collect::<Vec<_>>(), [(0, 1, 0.5)]);
}

// ---------------------------------------------------------------- malformed files

fn refused(bytes: &[u8], expected: &str) {
    let error = File::from_bytes("bad.hdf5", bytes).expect_err(expected).to_string();
    assert!(error.starts_with("bad.hdf5: "), "{error}");
    assert!(error.contains(expected), "expected “{expected}” in “{error}”");
}

/// Every way to spoil the numbers of a file, and the words that say so.
#[test]
fn wrong_values_are_named() {
    let w = |change: fn(&mut Matrix)| {
        let mut w = rows();
        change(&mut w);
        Hand { w, ..hand() }
    };
    let nan = f64::NAN;
    let table = [
        (w(|w| w.size = (2, 3)), "fclib_local/W: 2 × 3 matrix, expected 2 × 2 (from the length of vectors/q)"),
        (w(|w| w.size = (-2, 2)), "fclib_local/W: -2 × 2 matrix"),
        (w(|w| w.size = (i32::MAX, i32::MAX)), "2147483647 × 2147483647 matrix, expected 2 × 2"),
        (w(|w| w.nz = -3), "fclib_local/W: nz = -3, expected ≥ 0 (triplets), -1"),
        (w(|w| w.nz = 4), "fclib_local/W/i: length 3, expected 4 (at least nz)"),
        (w(|w| w.nz = i32::MAX), "length 3, expected 2147483647"),
        (w(|w| w.p = vec![0, 3]), "fclib_local/W/p: length 2, expected 3"),
        (w(|w| w.p = vec![0, 2, 1]), "fclib_local/W/p: pointer 1 at index 2, expected 2 to 3"),
        (w(|w| w.p = vec![1, 2, 3]), "fclib_local/W/p: pointer 1 at index 0, expected 0 to 0"),
        (w(|w| w.p = vec![0, 2, 4]), "fclib_local/W/p: pointer 4 at index 2, expected 2 to 3"),
        (w(|w| w.p = vec![0, -2, 3]), "fclib_local/W/p: pointer -2 at index 1"),
        (w(|w| w.i[1] = 2), "fclib_local/W/i: entry 1 is 2, expected 0 ≤ entry < 2"),
        (w(|w| w.i[2] = -1), "fclib_local/W/i: entry 2 is -1"),
        (w(|w| w.x.truncate(2)), "fclib_local/W/x: length 2, expected 3"),
        (w(|w| w.x[2] = f64::INFINITY), "fclib_local/W/x: value inf at index 2 is not finite"),
        // the index is that in the file, not in the sorted matrix
        (w(|w| (w.i, w.x) = (vec![1, 0, 1], vec![f64::NAN, 1.0, 1.0])), "fclib_local/W/x: value NaN at index 0"),
        (Hand { q: vec![0.0, nan], ..hand() }, "fclib_local/vectors/q: value NaN at index 1 is not finite"),
        (Hand { q: vec![0.0; 3], ..hand() }, "fclib_local/W: 2 × 2 matrix, expected 3 × 3"),
        (Hand { mu: vec![-0.3], ..hand() }, "fclib_local/vectors/mu: value -0.3 at index 0, expected ≥ 0"),
        (Hand { mu: vec![nan], ..hand() }, "fclib_local/vectors/mu: value NaN at index 0"),
        (Hand { mu: vec![0.3; 2], ..hand() }, "fclib_local/vectors/mu: length 2, expected 1 (one per contact)"),
        (Hand { spacedim: 4, ..hand() }, "fclib_local/spacedim: 4, expected 2 or 3"),
        (Hand { spacedim: 3, ..hand() }, "fclib_local/vectors/q: length 2 is no multiple of 3 components"),
    ];
    assert!(File::from_bytes("good", &hand().bytes()).is_ok());
    for (hand, expected) in table {
        refused(&hand.bytes(), expected);
    }
}

/// Rolling files store components per contact, 3 in the plane and 5 in space.
#[test]
fn rolling_dimension_is_named() {
    let mut builder = FileBuilder::new();
    let mut group = builder.create_group("fclib_local_rolling");
    group.create_dataset("spacedim").with_i32_data(&[2]);
    let mut w = group.create_group("W");
    for name in ["m", "n", "nz", "nzmax"] {
        w.create_dataset(name).with_i32_data(&[0]);
    }
    for name in ["p", "i"] {
        w.create_dataset(name).with_i32_data(&[]);
    }
    w.create_dataset("x").with_f64_data(&[]);
    group.add_group(w.finish());
    let mut vectors = group.create_group("vectors");
    vectors.create_dataset("q").with_f64_data(&[]);
    vectors.create_dataset("mu").with_f64_data(&[]);
    group.add_group(vectors.finish());
    builder.add_group(group.finish());
    refused(&builder.finish().unwrap(), "fclib_local_rolling/spacedim: 2, expected 3 (n, t, rolling) or 5");
}

#[test]
fn missing_and_mistyped_items_are_named() {
    let mut builder = FileBuilder::new();
    for name in ["fc_local", "solution"] {
        let group = builder.create_group(name).finish();
        builder.add_group(group);
    }
    refused(&builder.finish().unwrap(), "no friction problem: expected a group fclib_global");

    let mut builder = FileBuilder::new();
    let mut group = builder.create_group("fclib_local");
    let vectors = group.create_group("vectors");
    group.add_group(vectors.finish());
    builder.add_group(group.finish());
    refused(&builder.finish().unwrap(), "fclib_local/vectors/q: missing dataset (its group holds none)");

    let only_q = |q: &dyn Fn(&mut DatasetBuilder)| {
        let mut builder = FileBuilder::new();
        let mut group = builder.create_group("fclib_local");
        let mut vectors = group.create_group("vectors");
        q(vectors.create_dataset("q"));
        group.add_group(vectors.finish());
        builder.add_group(group.finish());
        builder.finish().unwrap()
    };
    let q = only_q(&|q| _ = q.with_f64_data(&[1.0; 4]).with_shape(&[2, 2]));
    refused(&q, "fclib_local/vectors/q: shape [2, 2], expected one dimension");
    let q = only_q(&|q| _ = q.with_i32_data(&[1, 2]));
    refused(&q, "fclib_local/vectors/q: elements of type i32, expected floating point");
    let q = only_q(&|q| _ = q.with_f64_data(&[1.0, 2.0]));
    refused(&q, "fclib_local/W: missing group (its group holds vectors)");

    let bytes = hand().with(|group, _| {
        let mut info = group.create_group("info");
        info.create_dataset("title").with_i32_data(&[1]);
        group.add_group(info.finish());
    });
    refused(&bytes, "fclib_local/info/title: elements of type i32, expected text");
}

#[test]
fn wrong_guesses_and_solutions_are_named() {
    let guesses = |declared: i32, names: &[&str], length: usize| {
        hand().with(|_, file| {
            let mut guesses = file.create_group("guesses");
            guesses.create_dataset("number_of_guesses").with_i32_data(&[declared]);
            for name in names {
                let mut guess = guesses.create_group(name);
                guess.create_dataset("r").with_f64_data(&vec![0.0; length]);
                guesses.add_group(guess.finish());
            }
            file.add_group(guesses.finish());
        })
    };
    assert_eq!(File::from_bytes("good", &guesses(2, &["1", "2"], 2)).unwrap().guesses.len(), 2);
    let item = "guesses/number_of_guesses: ";
    refused(&guesses(3, &["1", "2"], 2), &format!("{item}3, but the group holds 2 guesses"));
    refused(&guesses(-1, &[], 2), &format!("{item}-1, but the group holds 0 guesses"));
    refused(&guesses(i32::MAX, &["1"], 2), &format!("{item}2147483647, but"));
    refused(&guesses(1, &["one"], 2), "guesses/1: missing group (its group holds one)");
    refused(&guesses(1, &["1"], 3), "guesses/1/r: length 3, expected 2 (components of all contacts)");
    let bytes = hand().with(|_, file| {
        let mut solution = file.create_group("solution");
        solution.create_dataset("u").with_f64_data(&[0.0, 0.0]);
        file.add_group(solution.finish());
    });
    refused(&bytes, "solution/r: missing dataset (its group holds u)");
}

/// A vector of terabytes, stored nowhere: the declared size is refused, not allocated.
#[test]
fn sizes_beyond_the_file_are_refused() {
    let mut file = local(2, false, 1);
    file.mu = vec![0.3];
    let bytes = file.to_bytes("memory").unwrap();
    // A dataspace of rank 1 and extent 2 (version 2, simple), as q's.
    let space = [&[2u8, 1, 0, 1][..], &2u64.to_le_bytes()[..]].concat();
    let at: Vec<_> = (0..bytes.len()).filter(|&k| bytes[k..].starts_with(&space)).collect();
    assert!(!at.is_empty(), "the dataspace is no longer where this test looks");
    for k in at {
        let mut bytes = bytes.clone();
        bytes[k + 4..k + 12].copy_from_slice(&(1u64 << 44).to_le_bytes());
        assert!(File::from_bytes("bad", &bytes).is_err());
    }
}

/// A chunked dataset whose chunks were never written reads as fill value at any size.
#[test]
fn unwritten_terabytes_are_refused() {
    let seed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/fclib_read");
    let bytes = std::fs::read(seed.join("local3d_chunked.hdf5")).unwrap();
    let file = File::from_bytes("seed", &bytes).unwrap();
    assert_eq!((file.kind(), file.contacts()), (Kind::Local, 1));
    // x: dataspace of rank 1, extent 3, no upper limit (version 1).
    let extents = [3u64.to_le_bytes(), u64::MAX.to_le_bytes()].concat();
    let space = [&[1u8, 1, 1, 0, 0, 0, 0, 0][..], &extents].concat();
    let at = (0..bytes.len()).find(|&k| bytes[k..].starts_with(&space)).unwrap();
    let mut bytes = bytes.clone();
    bytes[at + 8..at + 16].copy_from_slice(&(1u64 << 40).to_le_bytes());
    refused(&bytes, "fclib_local/W/x: declares 8796093022208 bytes, more than the 67");
}

#[test]
fn foreign_truncated_and_damaged_bytes_are_refused() {
    refused(b"", "not an HDF5 file (no signature in its 0 bytes)");
    refused(b"%PDF-1.7 and so on", "not an HDF5 file (no signature in its 18 bytes)");
    let bytes = local(3, true, 1).to_bytes("memory").unwrap();
    for length in 8..bytes.len() {
        refused(&bytes[..length], "");
    }
    for byte in 0..bytes.len() {
        for bit in 0..8 {
            let mut bytes = bytes.clone();
            bytes[byte] ^= 1 << bit;
            if let Ok(file) = File::from_bytes("flipped", &bytes) {
                file.validate("flipped").unwrap();
            }
        }
    }
}

#[test]
fn seeds_with_flipped_bits_end_in_a_file_or_an_error() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/fclib_read");
    for path in files(&seeds) {
        let bytes = std::fs::read(&path).unwrap();
        for byte in (0..bytes.len()).step_by(3) {
            let mut bytes = bytes.clone();
            bytes[byte] ^= 1 << (byte % 8);
            if let Ok(file) = File::from_bytes("flipped", &bytes) {
                file.validate("flipped").unwrap();
            }
        }
    }
}

// ---------------------------------------------------------------- writing

#[test]
fn invalid_files_are_not_written() {
    let refused = |file: &File, expected: &str| {
        let error = file.to_bytes("out.hdf5").unwrap_err().to_string();
        assert!(error.contains(expected), "expected “{expected}” in “{error}”");
    };
    refused(&File { space_dim: 4, ..local(3, false, 1) }, "fclib_local/spacedim: 4");
    refused(&File { mu: vec![-1.0], ..local(3, false, 1) }, "vectors/mu: value -1 at index 0");
    let info = Some(Info { title: "a\0b".into(), ..Info::default() });
    refused(&File { info, ..local(3, false, 1) }, "fclib_local/info/title: NUL character at byte 1");
    let solved = Some(solution(3, Some(6)));
    refused(&File { solution: solved, ..local(3, false, 1) }, "solution/v: length 6, expected 0");

    let spoil = |change: fn(&mut Csr)| {
        let mut file = local(2, false, 1);
        if let Problem::Local(local) = &mut file.problem {
            change(&mut local.w);
        }
        file
    };
    refused(&spoil(|w| w.start[1] = 9), "fclib_local/W: pointer 9 at index 1");
    refused(&spoil(|w| w.start = vec![0, 1, 2]), "fclib_local/W: pointer 2 at index 2, expected 3 to 3");
    refused(&spoil(|w| w.start.truncate(1)), "fclib_local/W: length 1, expected 3 (row pointers)");
    refused(&spoil(|w| w.column[0] = 2), "fclib_local/W: entry 0 is 2, expected 0 ≤ entry < 2");
    refused(&spoil(|w| w.column.swap(1, 2)), "fclib_local/W: columns of row 1 are not strictly increasing");
    let out_of_range = matrix_from((2, 2), &[(0, 0, 1.0), (0, 2, 1.0)]);
    assert!(matches!(out_of_range, Err(Fault::Entry { index: 1, found: 2, limit: 2 })));
}

// ---------------------------------------------------------------- stored problems

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let (folders, mut files): (Vec<_>, Vec<_>) = entries.map(|e| e.path()).partition(|p| p.is_dir());
    files.retain(|path| path.extension().is_some_and(|e| e == "hdf5"));
    files.extend(folders.iter().flat_map(|folder| self::files(folder)));
    files.sort();
    files
}

/// Problems of other programs, where they are at hand: read, and read again as written.
#[test]
fn stored_problems_are_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/problems");
    for path in files(&folder) {
        let file = File::read(&path).unwrap();
        assert!(file.contacts() > 0, "{}", path.display());
        assert_eq!(round_trip(&file), file, "{}", path.display());
    }
}
