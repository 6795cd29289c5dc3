//! Threads: those of the process, or a number of one's own
//!
//! Threads do not survive a fork: in a child, pools are made anew, so that a process forked after the first step
//! works like its parent.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The process that loaded the module.
static HOME: OnceLock<u32> = OnceLock::new();

/// By process and number of threads.
type Pools = HashMap<(u32, usize), Arc<ThreadPool>>;
static POOLS: Mutex<Option<Pools>> = Mutex::new(None);

pub fn remember_home() {
    HOME.get_or_init(std::process::id);
}

/// Whether this process was forked from the one that loaded the module.
pub fn is_forked() -> bool {
    HOME.get().is_some_and(|home| *home != std::process::id())
}

/// Runs `work` with this number of threads, or with those of the process.
pub fn with_threads<R: Send>(threads: Option<usize>, work: impl FnOnce() -> R + Send) -> R {
    if threads.is_none() && !is_forked() {
        return work();
    }
    match pool(threads.unwrap_or(0)) {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// A pool of this process; zero threads: as many as there are processors.
fn pool(threads: usize) -> Option<Arc<ThreadPool>> {
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (std::process::id(), threads);
    let pools = pools.get_or_insert_with(HashMap::new);
    if let Some(pool) = pools.get(&key) {
        return Some(pool.clone());
    }
    let pool = Arc::new(ThreadPoolBuilder::new().num_threads(threads).build().ok()?);
    pools.insert(key, pool.clone());
    Some(pool)
}
