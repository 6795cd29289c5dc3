//! The GIL, let go and taken again, also while the interpreter ends
//!
//! Python ends a thread that asks for the GIL once the interpreter is being taken down, by an unwinding that Rust's frames answer
//! with an abort. From [`leave`] on, such threads sleep until the process is gone.

use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// Whether the interpreter is about to end.
static ENDING: AtomicBool = AtomicBool::new(false);
/// Threads that take or hold the GIL above frames of Rust.
static INSIDE: AtomicUsize = AtomicUsize::new(0);
/// Work that the ending thread waits for.
static LAST: AtomicUsize = AtomicUsize::new(0);
/// The thread that ends the interpreter.
static ENDER: Mutex<Option<ThreadId>> = Mutex::new(None);

/// Longest wait for threads that hold the GIL, such as a law that calculates.
const WAIT: Duration = Duration::from_secs(2);

fn ends_it() -> bool {
    *ENDER.lock().unwrap_or_else(PoisonError::into_inner) == Some(thread::current().id())
}

/// One more thread that takes the GIL above frames of Rust; goes no further when the interpreter ends.
struct Inside;

impl Inside {
    fn enter() -> Self {
        INSIDE.fetch_add(1, Ordering::SeqCst);
        if ENDING.load(Ordering::SeqCst) && LAST.load(Ordering::SeqCst) == 0 && !ends_it() {
            INSIDE.fetch_sub(1, Ordering::SeqCst);
            loop {
                thread::park();
            }
        }
        Self
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Works without the GIL.
pub fn detached<R: Send>(py: Python<'_>, work: impl FnOnce() -> R + Send) -> R {
    let last = ENDING.load(Ordering::SeqCst) && ends_it();
    LAST.fetch_add(usize::from(last), Ordering::SeqCst);
    let (found, inside) = py.detach(|| (work(), Inside::enter()));
    drop(inside);
    LAST.fetch_sub(usize::from(last), Ordering::SeqCst);
    found
}

/// Works with the GIL, from a thread without it.
pub fn attached<R>(work: impl FnOnce(Python<'_>) -> R) -> R {
    let _inside = Inside::enter();
    Python::attach(work)
}

/// Before the interpreter ends: `atexit` calls it.
#[pyfunction]
pub fn leave(py: Python<'_>) {
    if crate::pool::is_forked() {
        return; // the other threads stayed behind
    }
    *ENDER.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread::current().id());
    ENDING.store(true, Ordering::SeqCst);
    let begin = Instant::now();
    py.detach(|| {
        while INSIDE.load(Ordering::SeqCst) > 0 && begin.elapsed() < WAIT {
            thread::sleep(Duration::from_millis(1));
        }
    });
}
