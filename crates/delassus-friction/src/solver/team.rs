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

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::AssertUnwindSafe;

    fn sum(from: u64, to: u64) -> u64 {
        if to - from < 8 {
            return (from..to).sum();
        }
        let middle = (from + to) / 2;
        let (a, b) = rayon::join(|| sum(from, middle), || sum(middle, to));
        a + b
    }

    /// Work that is split again and again ends, whoever takes it; so does work that fails.
    #[test]
    fn waiting_ends_with_the_work() {
        for threads in 1..=4 {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            for _ in 0..50 {
                assert_eq!(pool.install(|| with(threads, || sum(0, 4000))), 4000 * 3999 / 2);
            }
            let failed =
                std::panic::catch_unwind(AssertUnwindSafe(|| pool.install(|| with(threads, || panic!("on purpose")))));
            assert!(failed.is_err());
            assert_eq!(pool.install(|| with(threads, || sum(0, 100))), 4950, "after a failure");
        }
    }
}
