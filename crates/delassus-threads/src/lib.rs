//! Work for several threads, where there is enough of it
//!
//! The number of threads is that of the pool of rayon in which one runs. How the work is cut depends on its size alone,
//! and every piece writes what is its own: the bits do not depend on threads. With one thread, or one piece, it is a
//! plain loop.
//!
//! A thread of the pool that has fallen asleep wakes up too late for work of a tenth of a millisecond: those of
//! [`awake`] wait for the next work instead. Other work is split only where it lasts much longer than that.

use rayon::Yield;
use rayon::prelude::*;
use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// Items of a piece.
pub const MANY: usize = 512;
/// Items below which threads that are at work already are not woken.
const WORTH: usize = 4096;
/// Items of a step below which handing it to the pool, and back, costs more than threads bring: with two the detection of 16,000
/// contacts of discs took a third longer, that of 60,000 spheres a third less.
const AWAKE: usize = 1 << 15;

thread_local! {
    /// Whether this thread leads work that others wait for, or waits.
    static TAKEN: Cell<bool> = const { Cell::new(false) };
}

/// Set when the work ends, however it ends.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
        TAKEN.set(false);
    }
}

/// Does the work in the pool of threads, up to `threads` of which wait for what it splits off; inside of such work, and where
/// there is one thread, as it is.
pub fn together<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    let threads = threads.min(rayon::current_num_threads());
    if threads < 2 || TAKEN.get() {
        return work();
    }
    let over = AtomicBool::new(false);
    rayon::scope(|scope| {
        TAKEN.set(true);
        let _over = Over(&over);
        for _ in 1..threads {
            scope.spawn(|_| wait(&over));
        }
        work()
    })
}

/// The same with all threads, for so many `items`; of few the work is done as it is.
pub fn awake<R: Send>(items: usize, work: impl FnOnce() -> R + Send) -> R {
    together(if items < AWAKE { 1 } else { usize::MAX }, work)
}

/// Takes what comes until the work is over.
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

/// Whether so many items are shared by threads: where they are awake, or in their pool.
pub fn share(items: usize) -> bool {
    let in_pool = rayon::current_thread_index().is_some();
    rayon::current_num_threads() > 1 && (TAKEN.get() && items > MANY || in_pool && items > WORTH)
}

/// Calls `f` with every piece, whose number the iterator must know.
pub fn each<T: Send>(pieces: impl Iterator<Item = T> + Send, f: impl Fn(T) + Sync + Send) {
    if share(MANY * pieces.size_hint().0.saturating_sub(1)) {
        pieces.par_bridge().for_each(f);
    } else {
        pieces.for_each(f);
    }
}

/// Most pieces of a sum.
const PIECES: usize = 64;

/// A sum over so many items, piece by piece; pieces are added in order.
pub fn sum<T: Copy + Default + Send>(
    items: usize,
    piece: impl Fn(Range<usize>) -> T + Sync + Send,
    mut add: impl FnMut(T),
) {
    let size = items.div_ceil(PIECES).max(MANY);
    let mut sums = [T::default(); PIECES];
    let sums = &mut sums[..items.div_ceil(size)];
    each(sums.iter_mut().enumerate(), |(k, sum)| *sum = piece(size * k..items.min(size * (k + 1))));
    sums.iter().for_each(|sum| add(*sum));
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
                assert_eq!(pool.install(|| together(threads, || sum(0, 4000))), 4000 * 3999 / 2);
            }
            let failed = std::panic::catch_unwind(AssertUnwindSafe(|| {
                pool.install(|| together(threads, || panic!("on purpose")))
            }));
            assert!(failed.is_err());
            assert_eq!(pool.install(|| together(threads, || sum(0, 100))), 4950, "after a failure");
        }
    }
}
