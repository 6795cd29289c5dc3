//! Bad input gets an error with its values; damaged files never a panic.
#![allow(clippy::unwrap_used)]

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use common::{Place, frame, header};
use delassus_record::{Column, Error, Options, Recorder, Run, recover};
use rand::{Rng, SeedableRng, rngs::StdRng};

fn write(path: &Path, frames: usize) {
    let header = header(2, 3);
    let mut recorder = Recorder::create(path, &header, &Options::default()).unwrap();
    for k in 0..frames {
        recorder.write(&frame(&header, k)).unwrap();
    }
    recorder.finish().unwrap();
}

#[test]
fn an_existing_run_is_kept_unless_told_otherwise() {
    let place = Place::new("exists");
    let path = place.file("run.h5");
    write(&path, 3);
    let header = header(2, 3);
    assert!(matches!(Recorder::create(&path, &header, &Options::default()), Err(Error::Exists { .. })));
    assert_eq!(Run::open(&path).unwrap().frames(), 3);
    let recorder = Recorder::create(&path, &header, &Options { overwrite: true, ..Options::default() }).unwrap();
    recorder.finish().unwrap();
    assert_eq!(Run::open(&path).unwrap().frames(), 0);
}

#[test]
fn places_that_cannot_be_written_are_named() {
    let header = header(2, 3);
    for path in ["/nowhere/run.h5", "/dev/null/run.h5"] {
        let error = Recorder::create(path, &header, &Options::default()).unwrap_err();
        assert!(matches!(error, Error::Io { .. }) && error.to_string().contains(path), "{error}");
    }
    let place = Place::new("missing");
    let path = place.file("run.h5");
    let missing = Recorder::resume(&path, 0, &Options::default()).unwrap_err();
    assert!(matches!(missing, Error::Io { .. }), "{missing}");
    assert!(!place.file("run.h5.journal").exists());
    assert!(matches!(Run::open(&path), Err(Error::Io { .. })));
}

/// A bad frame is refused with its value, and the recorder goes on.
#[test]
fn frames_that_do_not_fit_are_refused() {
    let place = Place::new("frames");
    let path = place.file("run.h5");
    let header = header(2, 3);
    let good = frame(&header, 5);
    let mut recorder = Recorder::create(&path, &header, &Options { queue: 1, ..Options::default() }).unwrap();
    let broken = |change: &dyn Fn(&mut delassus_record::Frame)| {
        let mut frame = good.clone();
        change(&mut frame);
        frame
    };
    let nan = broken(&|f| f.columns[2].f64_mut().unwrap()[4] = f64::NAN);
    let kind = broken(&|f| f.columns[2] = Column::F32(vec![0.0; 6]));
    let fixed = broken(&|f| f.columns[0].f64_mut().unwrap().push(0.0));
    let ragged = broken(&|f| f.columns[9].f64_mut().unwrap().push(0.0));
    let fewer = broken(&|f| f.columns.truncate(4));
    let time = broken(&|f| f.time = f64::INFINITY);
    let refused = recorder.write(&nan).unwrap_err();
    assert!(matches!(&refused, Error::NonFinite { index: 4, step: 50, .. }), "{refused}");
    assert!(matches!(recorder.write(&kind), Err(Error::Kind { .. })));
    assert!(matches!(recorder.write(&fixed), Err(Error::Length { expected: 6, found: 7, .. })));
    assert!(matches!(recorder.write(&ragged), Err(Error::Length { expected: 12, found: 13, .. })));
    assert!(matches!(recorder.write(&fewer), Err(Error::Columns { expected: 17, found: 4 })));
    assert!(matches!(recorder.write(&time), Err(Error::NonFinite { .. })));
    recorder.write(&good).unwrap();
    assert_eq!(recorder.finish().unwrap().written, 1);
    assert_eq!(Run::open(&path).unwrap().read_frame(0).unwrap(), good);
    for options in [Options { level: 10, ..Options::default() }, Options { queue: 0, ..Options::default() }] {
        assert!(matches!(Recorder::create(place.file("x.h5"), &header, &options), Err(Error::Option { .. })));
    }
}

/// Files that are no runs: text, nothing, HDF5 of somebody else.
#[test]
fn other_files_are_not_taken_for_runs() {
    let place = Place::new("other");
    let path = place.file("other");
    for bytes in [&b""[..], b"some text", b"\x89HDF\r\n\x1a\n"] {
        std::fs::write(&path, bytes).unwrap();
        let error = Run::open(&path).unwrap_err();
        assert!(matches!(error, Error::NotARun { .. } | Error::Hdf5 { .. } | Error::Io { .. }), "{error}");
    }
    let mut builder = hdf5_pure::FileBuilder::new();
    builder.create_dataset("x").with_f64_data(&[1.0]);
    builder.write(&path).unwrap();
    assert!(matches!(Run::open(&path), Err(Error::NotARun { .. })));
    assert!(matches!(recover(&path), Err(Error::NotARun { .. })));
}

/// Opens and reads everything; errors are fine, panics and wrong numbers are not.
fn read_all(path: &Path) -> Result<usize, Error> {
    let run = Run::open(path)?;
    for k in 0..run.frames() {
        let read = run.read_frame(k)?;
        if run.hash(k)? != read.hash(run.header())? {
            return Err(Error::Damaged { path: path.into(), item: "hash".into(), reason: "differs".into() });
        }
    }
    Ok(run.frames())
}

/// Random bytes flipped, random truncation, in the HDF5 file and in the journal: an error
/// or a run whose frames are intact, never a panic.
#[test]
fn damaged_files_never_panic() {
    let place = Place::new("damage");
    let path = place.file("run.h5");
    let journal = place.file("run.h5.journal");
    // A run left by a crash: the recorder is never finished.
    let header = header(2, 3);
    let mut recorder = Recorder::create(&path, &header, &Options::default()).unwrap();
    for k in 0..60 {
        recorder.write(&frame(&header, k)).unwrap();
        if k == 40 {
            recorder.checkpoint().unwrap();
        }
    }
    while recorder.stats().written < 60 {
        std::thread::yield_now();
    }
    let (whole, tail) = (std::fs::read(&path).unwrap(), std::fs::read(&journal).unwrap());
    recorder.finish().unwrap();
    let mut random = StdRng::seed_from_u64(3);
    let mut opened = 0;
    for trial in 0..600 {
        let (mut file, mut log) = (whole.clone(), tail.clone());
        let bytes = if trial % 3 == 0 { &mut log } else { &mut file };
        match random.random_range(0..3) {
            0 => bytes.truncate(random.random_range(0..bytes.len())),
            1 => {
                let i = random.random_range(0..bytes.len());
                bytes[i] ^= 1 << random.random_range(0..8);
            }
            _ => {
                for _ in 0..random.random_range(1..64) {
                    let i = random.random_range(0..bytes.len());
                    bytes[i] = random.random();
                }
            }
        }
        std::fs::write(&path, &file).unwrap();
        std::fs::write(&journal, &log).unwrap();
        let read = catch_unwind(AssertUnwindSafe(|| read_all(&path)));
        let read = read.unwrap_or_else(|_| panic!("trial {trial} panicked"));
        if trial % 3 == 0 {
            // The HDF5 file is whole: its 41 frames are there whatever the journal says.
            assert!(read.as_ref().is_ok_and(|&frames| frames >= 41), "trial {trial}: {read:?}");
        }
        opened += usize::from(read.is_ok());
        let _ = catch_unwind(AssertUnwindSafe(|| recover(&path))).unwrap_or_else(|_| panic!("trial {trial} panicked"));
    }
    assert!(opened > 200, "only {opened} of 600 damaged runs opened");
}
