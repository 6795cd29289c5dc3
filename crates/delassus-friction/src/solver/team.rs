//! Threads that stay awake while a solve shares its sweeps with them
//!
//! Sweeps last some ten microseconds: a thread that fell asleep between two of them would wake up too late for the next.

use rayon::Yield;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// Whether this thread leads a solve or waits for its work already: it must not begin to wait inside of that.
    static TAKEN: Cell<bool> = const { Cell::new(false) };
}

/// Set when the solve ends, however it ends.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
        TAKEN.set(false);
    }
}

/// Does the work in the pool of threads, up to `threads` of which wait for what it splits off.
pub(super) fn with<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    let over = AtomicBool::new(false);
    rayon::scope(|scope| {
        TAKEN.set(true);
        let _over = Over(&over);
        for _ in 1..threads.min(rayon::current_num_threads()) {
            scope.spawn(|_| wait(&over));
        }
        work()
    })
}

/// Takes what comes until the solve is over.
fn wait(over: &AtomicBool) {
    if TAKEN.replace(true) {
        return;
    }
    while !over.load(Ordering::Acquire) {
        if rayon::yield_now() != Some(Yield::Executed) {
            std::hint::spin_loop();
        }
    }
    TAKEN.set(false);
}
