//! Bad input gets an error with its values; damaged files never a panic.
#![allow(clippy::unwrap_used)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crate::common::{Place, frame, header};
use delassus_record::{Column, Error, KeptFile, Options, Recorder, Run, recover};
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
        let named = matches!(error, Error::Io { .. } | Error::NoFolder { .. });
        assert!(named && error.to_string().contains(path), "{error}");
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
    (0..run.frames()).try_for_each(|k| run.read_frame(k).map(drop))?;
    Ok(run.frames())
}

/// One byte changed anywhere in a run that ended: either it is told by opening or by verifying, or header, kept files
/// and every number are those that were written. Series, too, are read only from a run that was verified.
#[test]
fn a_changed_byte_is_told_or_harmless() {
    let place = Place::new("flipped");
    let path = place.file("run.h5");
    let mut header = header(2, 3);
    header.files.push(KeptFile { name: "a.obj".into(), bytes: (0..3000u32).map(|i| (i % 251) as u8).collect() });
    let mut recorder = Recorder::create(&path, &header, &Options::default()).unwrap();
    let frames: Vec<_> = (0..20).map(|k| frame(&header, k)).collect();
    frames.iter().for_each(|f| recorder.write(f).unwrap());
    recorder.finish().unwrap();
    let whole = std::fs::read(&path).unwrap();
    let series = Run::open(&path).unwrap().series(&header.fields[0].name).unwrap();
    let mut random = StdRng::seed_from_u64(5);
    let mut told = 0;
    for trial in 0..600 {
        let mut bytes = whole.clone();
        let at = random.random_range(0..bytes.len());
        bytes[at] ^= 1 << random.random_range(0..8);
        std::fs::write(&path, &bytes).unwrap();
        let opened = Run::open(&path).and_then(|run| run.verify().map(|()| run));
        let Ok(run) = opened else {
            told += 1;
            continue;
        };
        assert_eq!(run.header(), &header, "trial {trial}, byte {at}");
        assert_eq!(run.frames(), frames.len(), "trial {trial}, byte {at}");
        for (k, frame) in frames.iter().enumerate() {
            assert_eq!(&run.read_frame(k).unwrap(), frame, "trial {trial}, byte {at}");
        }
        assert_eq!(run.series(&header.fields[0].name).unwrap(), series, "trial {trial}, byte {at}");
    }
    assert!(told > 100, "{told}");
}

/// A run that is being written is known to be.
#[test]
fn a_growing_run_is_known() {
    let place = Place::new("growing");
    let path = place.file("run.h5");
    let header = header(2, 3);
    let mut recorder = Recorder::create(&path, &header, &Options::default()).unwrap();
    recorder.write(&frame(&header, 0)).unwrap();
    recorder.checkpoint().unwrap();
    assert!(Run::open(&path).unwrap().is_growing());
    recorder.finish().unwrap();
    assert!(!Run::open(&path).unwrap().is_growing());
}

/// Folders and devices are no place for a run, and stay what they are.
#[test]
fn what_is_no_file_is_not_replaced() {
    let place = Place::new("places");
    let header = header(2, 3);
    let options = Options { overwrite: true, ..Options::default() };
    let folder = place.file("folder");
    std::fs::create_dir_all(&folder).unwrap();
    assert!(matches!(Recorder::create(&folder, &header, &options), Err(Error::NotAFile { .. })));
    let nowhere = folder.join("no/such/run.h5");
    assert!(matches!(Recorder::create(&nowhere, &header, &options), Err(Error::NoFolder { .. })));
    #[cfg(unix)]
    assert!(matches!(Recorder::create("/dev/null", &header, &options), Err(Error::NotAFile { .. })));
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
