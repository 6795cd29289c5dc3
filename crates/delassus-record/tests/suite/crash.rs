//! A writer that is killed, or that finds the disk full, leaves every frame it had
//! acknowledged.
//!
//! The tests start this test binary again as the writer ([`child`]).
#![allow(clippy::unwrap_used)]

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{Place, frame, header};
use delassus_record::{Error, Options, Recorder, Run, recover};
use rand::{Rng, SeedableRng, rngs::StdRng};

const BODIES: usize = 5;

/// Writes for ever (or up to FRAMES) and prints how many frames are safe.
#[test]
#[ignore = "started by the other tests"]
fn child() {
    let Ok(path) = std::env::var("DELASSUS_RECORD_CHILD") else { return };
    let header = header(3, BODIES);
    let options = Options { refresh: Duration::from_millis(20), queue: 3, ..Options::default() };
    let mut recorder = match Run::open(&path) {
        Ok(run) if run.frames() > 0 => Recorder::resume(&path, run.frames() - 1, &options).unwrap(),
        _ => Recorder::create(&path, &header, &Options { overwrite: true, ..options }).unwrap(),
    };
    let first = recorder.frames();
    for k in first.. {
        if let Err(error) = recorder.write(&frame(&header, k)) {
            println!("error {error}");
            break;
        }
        println!("safe {}", first + recorder.stats().written as usize);
    }
    if let Err(error) = recorder.finish() {
        println!("finish {error}");
    }
}

fn writer(path: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "crash::child", "--ignored", "--nocapture", "--test-threads=1"]);
    command.env("DELASSUS_RECORD_CHILD", path).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// The last number of frames the writer said were safe.
fn safe(output: &str) -> usize {
    let complete = output.rsplit_once('\n').map_or("", |(lines, _)| lines);
    let number = |line: &str| line.split("safe ").nth(1)?.trim().parse().ok();
    complete.lines().rev().find_map(number).unwrap_or(0)
}

fn assert_frames(run: &Run, from: usize) {
    for k in from..run.frames() {
        assert_eq!(run.read_frame(k).unwrap(), frame(run.header(), k), "frame {k}");
    }
}

/// kill -9 at random moments, each time resumed by the next writer: no frame that was
/// called safe is lost, and all frames have their known content.
#[test]
fn nothing_acknowledged_is_lost_by_kill_9() {
    let place = Place::new("kill");
    let path = place.file("run.h5");
    let mut random = StdRng::seed_from_u64(9);
    let mut frames = 0;
    for round in 0..16 {
        let mut child = writer(&path).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(random.random_range(30..350)));
        child.kill().unwrap();
        let mut output = String::new();
        child.stdout.take().unwrap().read_to_string(&mut output).unwrap();
        child.wait().unwrap();
        let safe = safe(&output).max(frames);
        if safe == 0 && !path.exists() {
            continue;
        }
        let run = Run::open(&path).unwrap();
        assert!(run.frames() >= safe, "round {round}: {} frames, {safe} were safe", run.frames());
        assert_frames(&run, frames.saturating_sub(40));
        frames = run.frames();
    }
    assert!(frames > 100, "the writers made only {frames} frames");
    let (_, stats) = recover(&path).unwrap();
    assert_eq!(stats.written, frames as u64);
    assert!(!place.file("run.h5.journal").exists());
    let run = Run::open(&path).unwrap();
    assert_eq!((run.frames(), run.recovery().journal_frames, run.recovery().loose_rows), (frames, 0, 0));
    assert_frames(&run, 0);
    run.verify().unwrap();
}

/// The disk fills up (here: the largest size of a file): a clear error, everything
/// written before stays readable, and the run can be resumed when there is room again.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_stops_the_run_and_loses_nothing() {
    let place = Place::new("full");
    for (i, kilobytes) in [120, 200, 500, 1000, 2000].into_iter().enumerate() {
        let path = place.file(&format!("{i}.h5"));
        let command = writer(&path);
        let output = Command::new("bash")
            .args(["-c", &format!("trap '' XFSZ; ulimit -f {kilobytes}; exec \"$@\""), "writer"])
            .arg(command.get_program())
            .args(command.get_args())
            .env("DELASSUS_RECORD_CHILD", &path)
            .output()
            .unwrap();
        let output = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.contains("recording stopped after"), "{output}");
        assert!(output.contains("cannot write") && output.contains("File too large"), "{output}");
        let run = Run::open(&path).unwrap();
        let frames = run.frames();
        assert!(frames > 0 && frames >= safe(&output), "{frames} frames, {} safe", safe(&output));
        assert_frames(&run, 0);
        drop(run);
        let header = header(3, BODIES);
        let mut recorder = Recorder::resume(&path, frames - 1, &Options::default()).unwrap();
        for k in frames..frames + 10 {
            recorder.write(&frame(&header, k)).unwrap();
        }
        recorder.finish().unwrap();
        let run = Run::open(&path).unwrap();
        assert_eq!(run.frames(), frames + 10);
        assert_frames(&run, 0);
    }
}

/// A second writer is refused while the first one is at work; a reader is not.
#[test]
fn two_writers_are_refused() {
    let place = Place::new("busy");
    let path = place.file("run.h5");
    let header = header(3, BODIES);
    let mut recorder = Recorder::create(&path, &header, &Options::default()).unwrap();
    recorder.write(&frame(&header, 0)).unwrap();
    recorder.checkpoint().unwrap();
    let again = Options { overwrite: true, ..Options::default() };
    assert!(matches!(Recorder::create(&path, &header, &again), Err(Error::Busy { .. })));
    assert!(matches!(Recorder::resume(&path, 0, &again), Err(Error::Busy { .. })));
    assert_eq!(Run::open(&path).unwrap().frames(), 1);
    recorder.write(&frame(&header, 1)).unwrap();
    recorder.finish().unwrap();
    assert_frames(&Run::open(&path).unwrap(), 0);
}
