//! Writes frames of a synthetic run until it is killed, or a given number of them; the
//! tests of crashes and of full disks run it, and it measures the throughput.
//!
//! ```text
//! write_run PATH BODIES CONTACTS FRAMES [pause in ms]
//! ```

use std::process::ExitCode;
use std::time::{Duration, Instant};

use delassus_record::{Error, Options, Recorder, Run};

#[path = "../tests/suite/common/mod.rs"]
mod common;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize| arguments.get(i).and_then(|a| a.parse::<usize>().ok());
    let (Some(path), Some(bodies), Some(contacts), Some(frames)) = (arguments.first(), number(1), number(2), number(3))
    else {
        eprintln!("usage: write_run PATH BODIES CONTACTS FRAMES [pause in ms]");
        return ExitCode::from(2);
    };
    match write(path, (bodies, contacts), frames, Duration::from_millis(number(4).unwrap_or(0) as u64)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn write(path: &str, (bodies, contacts): (usize, usize), frames: usize, pause: Duration) -> Result<(), Error> {
    let header = common::header(3, bodies);
    let mut recorder = Recorder::create(path, &header, &Options { overwrite: true, ..Options::default() })?;
    let mut frame = header.frame();
    let mut caller = Duration::ZERO;
    for k in 0..frames {
        common::fill_with(&header, k, contacts, &mut frame);
        let begin = Instant::now();
        recorder.write(&frame)?;
        caller += begin.elapsed();
        std::thread::sleep(pause);
    }
    let stats = recorder.finish()?;
    let run = Run::open(path)?;
    let per_frame = |d: Duration| 1e3 * d.as_secs_f64() / frames as f64;
    println!("{bodies} bodies, {contacts} contacts, {frames} frames");
    println!("caller  {:7.3} ms per frame, of which {:.3} waiting", per_frame(caller), per_frame(stats.waited));
    println!("writer  {:7.3} ms per frame, {} folds", per_frame(stats.busy), stats.folds);
    let (raw, stored) = (stats.raw_bytes as f64, run.file_bytes() as f64);
    println!("raw     {:9.0} bytes per frame", raw / frames as f64);
    println!("stored  {:9.0} bytes per frame, {:.0} %", stored / frames as f64, 100.0 * stored / raw);
    Ok(())
}
