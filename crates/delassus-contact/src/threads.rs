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
/// Items below which threads are not woken.
const WORTH: usize = 4096;

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

/// Does the work in the pool of threads, all of which wait for what it splits off; of less than so many `items`, and
/// inside of such work, as it is.
pub fn awake<R: Send>(items: usize, work: impl FnOnce() -> R + Send) -> R {
    if items < WORTH / 2 || rayon::current_num_threads() < 2 || TAKEN.get() {
        return work();
    }
    let over = AtomicBool::new(false);
    rayon::scope(|scope| {
        TAKEN.set(true);
        let _over = Over(&over);
        for _ in 1..rayon::current_num_threads() {
            scope.spawn(|_| wait(&over));
        }
        work()
    })
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

/// Whether so many items are shared by threads.
pub(crate) fn share(items: usize) -> bool {
    rayon::current_num_threads() > 1 && items > if TAKEN.get() { MANY } else { WORTH }
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
