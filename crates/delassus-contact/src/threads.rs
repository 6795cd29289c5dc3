//! Work for several threads, where there is enough of it
//!
//! The number of threads is that of the pool of rayon in which one runs. How the work is cut depends on its size alone,
//! and every piece writes what is its own: the bits do not depend on threads. With one thread, or one piece, it is a
//! plain loop.

use rayon::prelude::*;

/// Items of a piece.
pub const MANY: usize = 2048;

/// Calls `f` with every piece, whose number the iterator must know.
pub fn each<T: Send>(pieces: impl Iterator<Item = T> + Send, f: impl Fn(T) + Sync + Send) {
    if pieces.size_hint().0 < 2 || rayon::current_num_threads() < 2 {
        pieces.for_each(f);
    } else {
        pieces.par_bridge().for_each(f);
    }
}
