//! What is written is what is read, bit for bit.
#![allow(clippy::unwrap_used)]

use crate::common::{Place, contacts, frame, header};
use delassus_record::{Error, Options, Recorder, Run};

fn write(path: &std::path::Path, frames: usize, options: &Options) {
    let header = header(3, 5);
    let mut recorder = Recorder::create(path, &header, options).unwrap();
    for k in 0..frames {
        recorder.write(&frame(&header, k)).unwrap();
    }
    assert_eq!(recorder.finish().unwrap().written, frames as u64);
}

fn assert_frames(path: &std::path::Path, frames: usize) {
    let run = Run::open(path).unwrap();
    assert_eq!(run.header(), &header(3, 5));
    assert_eq!(run.frames(), frames);
    for k in 0..frames {
        let expected = frame(run.header(), k);
        assert_eq!(run.read_frame(k).unwrap(), expected, "frame {k}");
        assert_eq!(run.hash(k).unwrap(), expected.hash(run.header()).unwrap());
        assert_eq!(run.items(k, "contacts/gap").unwrap(), contacts(k));
    }
    run.verify().unwrap();
}

/// Frames read equal frames written, for every level of compression and for numbers of
/// frames on both sides of a block.
#[test]
fn frames_return_bit_for_bit() {
    let place = Place::new("round");
    for (i, (frames, level)) in [(0, 1), (1, 1), (300, 0), (700, 1), (2500, 6)].into_iter().enumerate() {
        let path = place.file(&format!("{i}.h5"));
        write(&path, frames, &Options { level, durable: i == 1, ..Options::default() });
        assert!(!path.with_extension("h5.journal").exists());
        assert_frames(&path, frames);
    }
}

/// Shapes come back as they were, those that share an outline still share it, and each keeps its scale.
#[test]
fn shapes_share_their_outlines() {
    let place = Place::new("outlines");
    let path = place.file("a.h5");
    let mut header = header(2, 6);
    header.geometry.iter_mut().enumerate().for_each(|(i, g)| g.scale = 1.0 / (1.0 + i as f64));
    Recorder::create(&path, &header, &Options::default()).unwrap().finish().unwrap();
    let run = Run::open(&path).unwrap();
    assert_eq!(run.header(), &header);
    let read = &run.header().geometry;
    let same = |i: usize, j: usize| std::sync::Arc::ptr_eq(&read[i].outline, &read[j].outline);
    assert!(same(0, 2) && same(0, 4) && !same(0, 1) && !same(1, 3));
    assert_eq!(read[3].point(2), [0.125, 0.125, 0.0]);
}

/// A reader beside the writer sees every frame that was handed over before, whether it
/// is still in the journal or already in the HDF5 file.
#[test]
fn a_run_can_be_read_while_it_is_written() {
    let place = Place::new("live");
    let path = place.file("run.h5");
    let header = header(3, 5);
    let mut recorder = Recorder::create(&path, &header, &Options { queue: 1, ..Options::default() }).unwrap();
    for k in 0..2000 {
        recorder.write(&frame(&header, k)).unwrap();
        if k % 97 == 0 {
            if k % 2 == 0 {
                recorder.checkpoint().unwrap();
            }
            let written = recorder.stats().written as usize;
            let run = Run::open(&path).unwrap();
            assert!(run.frames() >= written, "{} of {written}", run.frames());
            let last = run.frames() - 1;
            assert_eq!(run.read_frame(last).unwrap(), frame(&header, last));
            assert_eq!(run.series("contacts/gap").unwrap().len(), (0..=last).map(contacts).sum::<usize>());
        }
    }
    recorder.finish().unwrap();
    assert_frames(&path, 2000);
}

/// Series are the columns of the frames one after the other.
#[test]
fn series_follow_the_frames() {
    let place = Place::new("series");
    let path = place.file("run.h5");
    write(&path, 50, &Options::default());
    let run = Run::open(&path).unwrap();
    let kinetic = run.series("energy/kinetic").unwrap();
    let position = run.item_series("bodies/position", 3).unwrap();
    for k in 0..50 {
        let frame = frame(run.header(), k);
        assert_eq!(kinetic.f64().unwrap()[k], frame.columns[15].f64().unwrap()[0]);
        assert_eq!(position.f64().unwrap()[3 * k..3 * k + 3], frame.columns[0].f64().unwrap()[9..12]);
    }
    let stored = |name: &str| run.field_bytes(name).unwrap();
    let fields: u64 = run.header().fields.iter().map(|f| stored(&f.name)).sum();
    assert!(stored("bodies/position") > 0 && fields < run.file_bytes(), "{fields} of {}", run.file_bytes());
    assert!(matches!(run.item_series("bodies/position", 5), Err(Error::NoItem { items: 5, .. })));
    assert!(matches!(run.item_series("contacts/gap", 0), Err(Error::NoItem { .. })));
    assert!(matches!(run.read(50, "contacts/gap"), Err(Error::NoFrame { frame: 50, frames: 50, .. })));
    assert!(matches!(run.read(0, "contacts/gip"), Err(Error::NoField { .. })));
}

/// Resuming at any frame and writing the rest gives the content of the uninterrupted run.
#[test]
fn resumed_runs_equal_the_uninterrupted_one() {
    let place = Place::new("resume");
    let header = header(3, 5);
    for (i, (first, from)) in [(40, 39), (40, 20), (1500, 0), (1500, 1200), (1500, 1499)].into_iter().enumerate() {
        let path = place.file(&format!("{i}.h5"));
        write(&path, first, &Options::default());
        let mut recorder = Recorder::resume(&path, from, &Options::default()).unwrap();
        assert_eq!(recorder.header(), &header);
        assert_eq!(recorder.frames(), from + 1);
        for k in from + 1..1700 {
            recorder.write(&frame(&header, k)).unwrap();
        }
        recorder.finish().unwrap();
        assert_frames(&path, 1700);
    }
}

/// One bit of one number is another hash.
#[test]
fn the_hash_sees_every_bit() {
    let header = header(2, 3);
    let a = frame(&header, 4);
    let mut b = a.clone();
    assert_eq!(a.hash(&header).unwrap(), b.hash(&header).unwrap());
    let x = &mut b.columns[0].f64_mut().unwrap()[0];
    *x = f64::from_bits(x.to_bits() ^ 1);
    assert_ne!(a.hash(&header).unwrap(), b.hash(&header).unwrap());
}

/// A journal of the time before frames were dropped cannot bring them back: the renaming
/// of the shortened file alone decides, whatever happens between the two steps.
#[test]
fn an_old_journal_is_void_after_frames_were_dropped() {
    let place = Place::new("void");
    let (path, journal) = (place.file("run.h5"), place.file("run.h5.journal"));
    let header = header(3, 5);
    let mut recorder = Recorder::create(&path, &header, &Options::default()).unwrap();
    for k in 0..20 {
        recorder.write(&frame(&header, k)).unwrap();
    }
    while recorder.stats().written < 20 {
        std::thread::yield_now();
    }
    let old = std::fs::read(&journal).unwrap();
    recorder.finish().unwrap();
    Recorder::resume(&path, 9, &Options::default()).unwrap().finish().unwrap();
    std::fs::write(&journal, &old).unwrap();
    let run = Run::open(&path).unwrap();
    assert_eq!((run.frames(), run.recovery().journal_frames), (10, 0));
    assert_eq!(run.recovery().dropped_bytes, old.len() as u64);
    delassus_record::recover(&path).unwrap();
    assert_frames(&path, 10);
}

/// A run of version 3, whose elements were single items, is read, verified against its hashes, and goes on in place.
#[test]
fn runs_of_version_3_are_read_and_go_on() {
    let place = Place::new("version3");
    let path = place.file("run.h5");
    std::fs::write(&path, include_bytes!("../data/version3.h5")).unwrap();
    let run = Run::open(&path).unwrap();
    run.verify().unwrap();
    assert_eq!((run.frames(), run.items(2, "bodies/position").unwrap()), (6, 3));
    // The block stands still at (3, 1/2), and so it does in the column of all frames.
    assert_eq!(run.read_item(4, "bodies/position", 1).unwrap().f64(), Some(&[3.0, 0.5][..]));
    assert_eq!(run.item_series("bodies/position", 1).unwrap().f64(), Some(&[3.0, 0.5].repeat(6)[..]));
    assert!(run.header().constants.is_empty());
    let next = run.read_frame(5).unwrap();
    drop(run);
    let mut recorder = Recorder::resume(&path, 5, &Options::default()).unwrap();
    recorder.write(&next).unwrap();
    recorder.finish().unwrap();
    let run = Run::open(&path).unwrap();
    run.verify().unwrap();
    assert_eq!((run.frames(), run.read_frame(6).unwrap()), (7, next));
    // Cut after an earlier frame it is written anew, in the layout of today.
    drop(run);
    Recorder::resume(&path, 2, &Options::default()).unwrap().finish().unwrap();
    let run = Run::open(&path).unwrap();
    run.verify().unwrap();
    assert_eq!((run.frames(), run.items(2, "bodies/position").unwrap()), (3, 3));
    assert_eq!(run.read_item(1, "bodies/position", 1).unwrap().f64(), Some(&[3.0, 0.5][..]));
}
